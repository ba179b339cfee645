-- Three counters, for searches by mpirun: (N + 1)^3 states, 3 N (N + 1)^2 transitions, 3 N + 1 levels, one deadlock.
const N: 40;
      BAD: 200; -- a sum that is not to be reached; beyond 3 N: it never is

type place: 0..N;
     counter: 0..2;

var x: array [counter] of place;

startstate begin
  for c: counter do x[c] := 0; end;
end;

ruleset c: counter do
  rule "count" x[c] < N ==> begin x[c] := x[c] + 1; end;
end;

invariant "less" x[0] + x[1] + x[2] < BAD;
