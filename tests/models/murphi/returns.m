-- clew: states=3 transitions=3 verdict=holds exit=0
-- return leaves loops, switches, procedures and rules at once. A cycle of three.
var n: 0..2;
procedure step(); begin
  for i: 0..9 do
    switch i case 4: n := (n + 1) % 3; return; end;
    assert i < 4;
  end;
  error "not reached";
end;
startstate n := 0; end;
rule "next"
  step();
  while true do return; end;
  error "not reached";
end;
