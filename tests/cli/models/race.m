-- The same lock, taken without looking: mutual exclusion fails after 4 steps.
type
  proc : 1..2;
  place : enum { idle, waiting, critical };
var
  at : array [proc] of place;

startstate "all idle"
begin
  for p : proc do at[p] := idle; end;
end;

ruleset p : proc do
  rule "ask" at[p] = idle ==> begin at[p] := waiting; end;
  rule "enter" at[p] = waiting ==> begin at[p] := critical; end;
  rule "leave" at[p] = critical ==> begin at[p] := idle; end;
end;

invariant "mutual exclusion"
  !(at[1] = critical & at[2] = critical);
