-- A quantifier over a scalarset that knows its answer before it has seen all values: "some lamp is
-- on" is true when the first is, or a run-time error when the first is undefined. Both happen without
-- reduction; with reduction all values are looked at, so the error is found.
-- clew: verdict=violated exit=14 symmetry=canonical options="--no-deadlock"
-- clew: verdict=violated exit=14 symmetry=off options="--no-deadlock --no-symmetry"
type
  lamp: scalarset(2);
var
  on: array [lamp] of boolean;
  seen: boolean;

ruleset l: lamp do
  rule "switch on" isundefined(on[l]) & forall k: lamp do isundefined(on[k]) end ==>
    on[l] := true;
  end;
end;

rule "look" exists l: lamp do !isundefined(on[l]) end ==>
  seen := exists l: lamp do on[l] end;
end;

startstate
  undefine on;
  seen := false;
end;
