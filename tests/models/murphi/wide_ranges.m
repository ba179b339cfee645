-- clew: states=6 transitions=6 verdict=holds exit=0
-- Ranges as wide as integers: 33, 63 and 64 bits. Three counters go from one end to the other and
-- back by way of 0 or 1.
var
  a : 0 .. 4294967296;
  b : 0 .. 9223372036854775806;
  c : -9223372036854775807 .. 9223372036854775807;
  turn : 0 .. 2;
startstate a := 0; b := 0; c := -9223372036854775807; turn := 0; end;
rule "turn"
  switch turn
    case 0: a := 4294967296 - a; assert a = 0 | a > 4294967295;
    case 1: b := 9223372036854775806 - b; assert b = 0 | b > 9223372036854775805;
    else c := -c; assert c < -9223372036854775806 | c > 9223372036854775806;
  end;
  turn := (turn + 1) % 3;
end;
