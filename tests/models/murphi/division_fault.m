-- clew: exit=14 verdict=violated
-- clew: exit=0 verdict=holds states=4 options="--param LEAST=1 --no-deadlock"
-- Division by zero is a run-time error; so is the remainder.
const LEAST: 0;
var n: 0..4;
startstate n := 4; end;
rule "divide" 12 / n >= 3 & 12 % n < n ==> if n > LEAST then n := n - 1; end; end;
