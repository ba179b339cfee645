-- A deadlock under symmetry: each of three processes takes a step, and then nobody can move.
-- Reduced, the number of those that have moved is all there is: 4 states; unreduced 2^3.
-- Rules: 3 + 2 + 1 = 6 reduced, 3 * 2^2 = 12 unreduced.
-- clew: verdict=violated exit=10
-- clew: command=stats states=4 transitions=6 deadlocks=1 exit=0
-- clew: command=stats states=8 transitions=12 deadlocks=1 exit=0 options="--no-symmetry"
type
  proc: scalarset(3);
var
  moved: array [proc] of boolean;

ruleset p: proc do
  rule "move"
    !moved[p]
  ==>
    moved[p] := true;
  end;
end;

startstate
  for p: proc do
    moved[p] := false;
  end;
end;
