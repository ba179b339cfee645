-- clew: states=4 transitions=3 deadlocks=1 verdict=holds exit=0 options="--no-deadlock"
-- clew: verdict=violated exit=10
-- A guard that changes the state (a warning): the change is part of the rule, and is undone when the
-- guard is false, also before the other rules are tried. Cross-checked with rumur. 0 -> 1 -> 2 -> 3.
var n : 0 .. 4;
function count(step : 0 .. 2) : boolean; begin
  if n >= 3 then n := 4; return false end;
  n := n + step;
  return n <= 4 & step = 1
end;
startstate n := 0 end;
rule "refused" count(2) ==> begin n := 4 end;
rule "counts" count(1) ==> begin assert n > 0 end;
rule "afterwards" n = 4 ==> begin error "a guard that is false has changed the state" end;
