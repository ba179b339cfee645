-- clew: exit=14 verdict=violated
-- clew: exit=0 verdict=holds options="--param TOP=3"
-- An argument outside the range of its parameter is a run-time error in the procedure, also in a
-- guard.
const TOP: 4;
var n: 0..7;
function small(k: 0..3): boolean; begin return true; end;
startstate n := 0; end;
rule "up" small(n) ==> n := n < TOP ? n + 1 : 0; end;
