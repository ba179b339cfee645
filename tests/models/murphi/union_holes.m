-- clew: states=64 transitions=896 verdict=holds exit=0 options="--no-symmetry"
-- clew: exit=14 verdict=violated options="--no-symmetry --param WRONG=1"
-- clew: exit=14 verdict=violated options="--no-symmetry --param WRONG=2"
-- clew: exit=14 verdict=violated options="--no-symmetry --param WRONG=3"
-- clew: exit=14 verdict=violated options="--no-symmetry --param WRONG=4"
-- Three unions that overlap pairwise cannot all be numbered consecutively: one of them has a hole,
-- which no loop, ruleset, quantifier, array or assignment may fall into.
-- x, y and z take 4 values each: 4^3 states. 4 + 4 + 4 instances that set one of them and 2 rules
-- that change nothing: 14 transitions each.
const WRONG: 0;
type
  A: enum {a1, a2};
  B: scalarset(2);
  C: enum {c1, c2};
  AB: union {A, B};
  BC: union {B, C};
  CA: union {C, A};
var
  x: AB; y: BC; z: CA;
  count: array [CA] of 0..1;

procedure take(v: CA); begin assert ismember(v, A) | ismember(v, C); end;
function give(v: AB): CA; begin return v; end;

startstate
  x := a1; y := c1; z := a1;
  for v: CA do count[v] := 1; end;
end;

ruleset v: AB do rule "x" x := v; end; end;
ruleset v: BC do rule "y" y := v; end; end;
ruleset v: CA do rule "z" z := v; take(v); assert ismember(v, C) | ismember(v, A); end; end;

rule "loops"
var n: 0..9;
begin
  n := 0;
  for v: AB do n := n + 1; end; assert n = 4;
  for v: BC do n := n + 1; end; assert n = 8;
  n := 0;
  for v: CA do n := n + count[v]; end; assert n = 4;
  assert forall v: CA do ismember(v, A) | ismember(v, C) end;
  assert ! exists v: CA do ismember(v, B) end;
  assert forall v: BC do ! ismember(v, A) end;
end;

rule "narrow, when it fits"
  if ismember(x, A) then z := x; z := a1; end;
  if ismember(y, C) then take(y); z := y; z := a1; end;
  if WRONG = 1 & ismember(x, B) then z := x; end;
  if WRONG = 2 & ismember(y, B) then take(y); end;
  if WRONG = 3 & ismember(x, B) then count[x] := 1; end;
  if WRONG = 4 & ismember(x, B) then z := give(x); end;
end;
