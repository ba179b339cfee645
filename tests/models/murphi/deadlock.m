-- clew: exit=10 verdict=violated
-- clew: states=3 transitions=4 deadlocks=1 exit=0 verdict=holds options="--no-deadlock"
-- clew: states=3 transitions=5 exit=0 verdict=holds options="--param ESCAPE=true"
-- A state whose only successor is itself is a deadlock in Murphi: "stay" does not help.
const ESCAPE: false;
var n: 0..2;
startstate n := 0; end;
rule "next" n < 2 ==> n := n + 1; end;
rule "stay" n >= 1 ==> n := n; end;
rule "escape" ESCAPE & n = 2 ==> n := 0; end;
