-- clew: states=4 transitions=3 verdict=violated exit=12
-- Two rules do the same, and the one that stands first gives way to the other: a counterexample
-- must not take it.
var n: 0..3;
startstate n := 0; end;
rule 5 "late" n < 3 ==> n := n + 1; end;
rule 1 "early" n < 3 ==> n := n + 1; end;
invariant "below" n < 3;
