-- clew: states=5 transitions=5 verdict=holds exit=0
-- switch: lists of constants, a constant that occurs twice (the first one wins), else, no match at
-- all, labels that are computed, and the value evaluated once. A cycle of five.
type color: enum {red, green, blue, black, white,};
var c: color;

function next(c: color): color;
begin
  switch c
  case red: return green;
  case green, blue:
    if c = green then return blue; else return black; end;
  case blue: error "the first case has taken it";
  else
    return c = white ? red : white;
  end;
end;

procedure check(k: 0..3); var low, hit: 0..3; begin
  low := 1; hit := 0;
  switch k
  case low: hit := 1;
  case low + 1, 3: hit := 2;
  else hit := 3;
  end;
  assert k = 0 -> hit = 3;
  assert k = 1 -> hit = 1;
  assert k >= 2 -> hit = 2;
  switch k case 0: hit := 0; end;
  assert k > 0 -> hit > 0;
  switch k end;
end;

startstate c := red; end;
rule "next"
  for k: 0..3 do check(k); end;
  c := next(c);
end;
