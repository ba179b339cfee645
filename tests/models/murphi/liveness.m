-- clew: states=3 transitions=4 verdict=holds exit=0
-- clew: states=4 transitions=6 exit=13 verdict=violated options="--param TRAP=true --no-deadlock"
-- liveness e: from every reachable state a state with e can be reached (AG EF e). A trap that cannot
-- be left violates it, although runs that avoid the trap exist.
const TRAP: false;
var n: 0..3;
startstate n := 0; end;
rule "go" n < 2 ==> n := n + 1; end;
rule "back" n = 2 ==> n := 0; end;
rule "stay" n = 0 ==> end;
rule "fall" TRAP & n = 1 ==> n := 3; end;
rule "trapped" n = 3 ==> end;
liveness "can always return" n = 0;
