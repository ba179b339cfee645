-- clew: states=6 transitions=6 verdict=holds exit=0
-- clew: exit=14 verdict=violated options="--param FIRST=0"
-- clew: exit=14 verdict=violated options="--param TURN=-1"
-- The step of a loop may be computed (rumur): 0 and a step that leads away from the end are run-time
-- errors. With the steps 1, 2, 3, -1, -2, -3: as many values between 0 and 6.
const FIRST : 1; TURN : 1;
var s : -3 .. 3; n : 0 .. 7; last : 0 .. 6;
startstate s := FIRST; n := 0; last := 0; end;
rule "count" begin
  n := 0;
  for i := (s * TURN > 0 ? 0 : 6) to (s * TURN > 0 ? 6 : 0) by s do
    n := n + 1;
    last := i;
  end;
  assert n = 6 / (s > 0 ? s : -s) + 1 & last = (s > 0 ? 6 : 0);
  assert forall i := 0 to 6 by (s > 0 ? s : -s) do i % s = 0 end;
  assert exists i := 0 to 6 by (s > 0 ? s : -s) do i = 6 end;
  n := 0;
  last := 0;
  s := s = 3 ? -1 : (s = -3 ? 1 : (s > 0 ? s + 1 : s - 1));
end;
