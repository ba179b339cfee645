-- A function that returns from a loop over a scalarset as soon as it knows the answer, and a rule
-- that does: an undefined lamp behind it is a run-time error when it comes first. With reduction all
-- iterations are made.
-- clew: verdict=violated exit=14 symmetry=canonical options="--no-deadlock"
-- clew: verdict=violated exit=14 symmetry=off options="--no-deadlock --no-symmetry"
type
  lamp: scalarset(3);
var
  on: array [lamp] of boolean;
  seen: boolean;

function some(): boolean;
begin
  for l: lamp do
    if on[l] then return true; end;
  end;
  return false;
end;

ruleset l: lamp do
  rule "switch on" forall k: lamp do isundefined(on[k]) end ==>
    on[l] := true;
  end;
end;

rule "look" exists l: lamp do !isundefined(on[l]) end ==>
  seen := some();
end;

startstate
  undefine on;
  seen := false;
end;
