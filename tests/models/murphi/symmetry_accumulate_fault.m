-- `some | on[l]` does not look at on[l] once some is true; whether an undefined lamp is met depends on
-- the order. With reduction both operands are evaluated, so the run-time error is found.
-- clew: verdict=violated exit=14 symmetry=canonical options="--no-deadlock"
-- clew: verdict=violated exit=14 symmetry=off options="--no-deadlock --no-symmetry"
type
  lamp: scalarset(2);
var
  on: array [lamp] of boolean;
  some: boolean;

ruleset l: lamp do
  rule "switch on" forall k: lamp do isundefined(on[k]) end ==>
    on[l] := true;
  end;
end;

rule "look" exists l: lamp do !isundefined(on[l]) end ==>
  some := false;
  for l: lamp do
    some := some | on[l];
  end;
end;

startstate
  undefine on;
  some := false;
end;
