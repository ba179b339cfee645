-- Two processes and a lock; everything holds. 8 states, 20 with N = 3.
const N : 2;
type
  proc : 1..N;
  place : enum { idle, waiting, critical };
var
  at : array [proc] of place;
  free : boolean;

startstate "all idle"
begin
  for p : proc do at[p] := idle; end;
  free := true;
end;

ruleset p : proc do
  rule "ask" at[p] = idle ==> begin at[p] := waiting; end;
  rule "enter" at[p] = waiting & free ==> begin at[p] := critical; free := false; end;
  rule "leave" at[p] = critical ==> begin at[p] := idle; free := true; end;
end;

invariant "mutual exclusion"
  forall p : proc do forall q : proc do at[p] = critical & at[q] = critical -> p = q end end;
invariant "lock taken"
  (exists p : proc do at[p] = critical end) -> !free;
