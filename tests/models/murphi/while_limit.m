-- clew: exit=14 verdict=violated
-- clew: exit=0 verdict=holds options="--param TIMES=1000"
-- A while loop that does not end within 1000 iterations is a run-time error.
const TIMES: 1001;
var n: 0..2000;
startstate n := 0; end;
rule "count" n := 0; while n < TIMES do n := n + 1; end; n := 0; end;
rule "move" n := 1 - n; end;
