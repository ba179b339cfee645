-- clew: states=4 transitions=4 verdict=holds exit=0
-- clew: exit=12 verdict=violated options="--param TOP=2"
-- A cover property or statement that is never reached is a violation.
const TOP: 3;
var n: 0..3;
startstate n := 0; end;
rule "next" n := n = TOP ? 0 : n + 1; cover n = 3 "statement"; end;
cover "property" n = 3;
