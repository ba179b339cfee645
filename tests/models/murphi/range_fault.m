-- clew: exit=14 verdict=violated
-- clew: exit=0 verdict=holds options="--param TOP=7"
-- A value outside the range of its variable is a run-time error.
const TOP: 8;
var n: 0..7;
startstate n := 0; end;
rule "up" n < TOP ==> n := n + 1; end;
rule "reset" n := 0; end;
