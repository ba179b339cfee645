-- clew: states=2 transitions=2 verdict=holds exit=0
-- Words that only one dialect reserves can be names: a CMurphi model may have a variable `cover`, a
-- rumur model one called `choose` or `union`.
type real: 0..1;
var cover, choose, union: real; liveness: record assume: real; end; multiset: array [real] of real;
startstate
  cover := 0; choose := 0; union := 0; liveness.assume := 0; multiset[0] := 0; multiset[1] := 1;
end;
rule "next" cover = choose & union = liveness.assume ==>
  cover := 1 - cover; choose := cover; union := multiset[choose]; liveness.assume := union;
end;
