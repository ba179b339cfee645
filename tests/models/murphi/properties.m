-- clew: states=3 transitions=3 verdict=holds exit=0
-- clew: exit=12 verdict=violated options="--param WRONG=1"
-- clew: exit=12 verdict=violated options="--param WRONG=2"
-- clew: exit=13 verdict=violated options="--param WRONG=3"
-- clew: exit=12 verdict=violated options="--param WRONG=4"
-- Properties inside rulesets: an invariant is about all values, a cover property about some, a
-- liveness property about each one. Names before, after or missing. A cycle of three.
const WRONG: 0;
type value: 0..2;
var n: value; bag: multiset [2] of value;
startstate n := 0; undefine bag; multisetadd(1, bag); end;
rule "next" n := (n + 1) % 3; end;
ruleset v: value do
  invariant "at most one" n = v -> forall w: value do w != v -> n != w end;
  invariant WRONG != 1 | v != 2 | n < 2 "name behind";
  cover "reaches some" n = v & v = 2;
  liveness "returns to" n = v;
  alias next: (v + 1) % 3 do
    cover n = next;
    liveness WRONG = 3 -> v != 2 | n > 2;
  end;
end;
choose i: bag do
  invariant "of elements" bag[i] = 1 & (WRONG != 2 | n < 2);
  cover bag[i] = n;
end;
assert WRONG != 4 | n < 2;
