-- clew: states=4 transitions=5 verdict=holds exit=0
-- Only enabled rules of the smallest priority number fire. n counts 0 1 2 3 and back to 0; in 0 only
-- "urgent" fires although the others are enabled, in 1 the two of priority 5, in 2 "late", in 3
-- "late" again: 1 + 2 + 1 + 1.
const LATE: 9;
var n: 0..3;
startstate n := 0; end;
rule 1 "urgent" n = 0 ==> n := 1; end;
rule 5 "first" n <= 1 ==> n := 2; end;
rule 5 n = 1 ==> n := 3; end;
rule LATE "late" n := n = 3 ? 0 : 3; end;
