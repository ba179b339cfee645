-- A counterexample under symmetry is a real execution: the token that one process drops is the one
-- that it took, whatever the representatives in between were called. Two processes that have worked
-- are too many: take, work, drop by one process, then the same by another: 6 steps.
-- clew: verdict=violated exit=12
-- clew: verdict=violated exit=12 options="--symmetry fast"
-- clew: verdict=violated exit=12 options="--no-symmetry"
type
  proc: scalarset(4);
var
  holder: proc;
  worked: array [proc] of boolean;
  busy: array [proc] of boolean;

ruleset p: proc do
  rule "take"
    isundefined(holder) & !worked[p]
  ==>
    holder := p;
  end;

  rule "work"
    !isundefined(holder) & holder = p & !busy[p] & !worked[p]
  ==>
    busy[p] := true;
  end;

  rule "drop"
    busy[p]
  ==>
    busy[p] := false;
    worked[p] := true;
    undefine holder;
  end;
end;

startstate
  for p: proc do
    worked[p] := false;
    busy[p] := false;
  end;
end;

invariant "one has worked at most"
  forall p: proc do forall q: proc do worked[p] & worked[q] -> p = q end end;
