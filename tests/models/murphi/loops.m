-- clew: states=2 transitions=1 deadlocks=1 verdict=holds exit=0 options="--no-deadlock"
-- Every form of loop, each counted: one rule that asserts the results, then stops.
type
  E: enum {p, q, r};
  S: scalarset(3);
  U: union {E, S};
var done: boolean;

startstate done := false; end;

rule "count iterations" !done ==>
var
  n: 0..100;
  a: array [E] of 0..9;
begin
  n := 0;
  for i: 0..4 do n := n + 1; end;
  assert n = 5;
  for e: E do a[e] := 7; n := n + 1; endfor;
  assert n = 8 & a[p] = 7 & a[r] = 7;
  for s: S do n := n + 1; end;
  assert n = 11;
  for u: U do n := n + 1; end;
  assert n = 17;
  for b: boolean do if b then n := n + 1; end; end;
  assert n = 18;
  for i := 1 to 10 by 3 do n := n + i; end; -- 1 4 7 10
  assert n = 40;
  for i := 3 to 1 by -1 do n := n - i; end;
  assert n = 34;
  for i := 5 to 4 do n := 0; end; -- nothing
  assert n = 34;
  for i := 0 to n - 32 do n := n + 1; end; -- the bound is evaluated once: 0 1 2
  assert n = 37;
  for i: 0..2; j: 0..1 do n := n + 1; end;
  assert n = 43;
  for i := 0 to 2; j := i to 2 do n := n + 1; end; -- 3 + 2 + 1
  assert n = 49;
  while n > 0 do n := n - 7; end;
  assert n = 0;
  while n > 0 do error "never"; end;
  done := true;
end;
