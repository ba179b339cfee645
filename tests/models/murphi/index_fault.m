-- clew: exit=14 verdict=violated
-- clew: exit=0 verdict=holds options="--param TOP=3"
-- An index outside the range of its array is a run-time error, whether read or written.
const TOP: 4;
var n: 0..7; a: array [0..3] of boolean;
startstate n := 0; clear a; end;
rule "up" !a[n] & n < TOP ==> n := n + 1; end;
rule "down" n > 0 ==> n := n - 1; a[n] := false; end;
