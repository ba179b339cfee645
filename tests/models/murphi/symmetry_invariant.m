-- An invariant for each lamp that is false for one of them and fails for another: the run-time error
-- is found first, whichever lamp comes first.
-- clew: verdict=violated exit=14 symmetry=canonical options="--no-deadlock"
-- clew: verdict=violated exit=14 symmetry=off options="--no-deadlock --no-symmetry"
type
  lamp: scalarset(2);
var
  on: array [lamp] of boolean;

ruleset l: lamp do
  rule "switch off" isundefined(on[l]) & forall k: lamp do isundefined(on[k]) end ==>
    on[l] := false;
  end;
end;

startstate
  undefine on;
end;

ruleset l: lamp do
  invariant "on" (forall k: lamp do isundefined(on[k]) end) | on[l];
end;
