-- clew: exit=14 verdict=violated
-- clew: exit=0 verdict=holds options="--param SAFE=true"
-- Reading an undefined variable is a run-time error.
const SAFE: false;
var x, y: 0..3;
startstate undefine x; y := 0; end;
rule "compute" (SAFE -> !isundefined(x)) ==> y := x + 1; end;
rule "toggle" y < 2 ==> y := 1 - y; end;
