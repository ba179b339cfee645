-- clew: exit=14 verdict=violated
-- clew: exit=0 verdict=holds options="--param TOP=3"
-- A result outside the range of the function is a run-time error.
const TOP: 4;
var n: 0..7;
function next(k: 0..7): 0..3; begin return k + 1 < TOP + 1 ? k + 1 : 0; end;
startstate n := 0; end;
rule "up" n := next(n); end;
