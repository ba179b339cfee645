-- clew: exit=14 verdict=violated
-- clew: exit=0 verdict=holds options="--param ROUNDS=3"
-- Arithmetic beyond 64 bits is a run-time error.
const ROUNDS: 4; BIG: 2147483647;
var n: 0..7;
startstate n := 1; end;
rule "power" n < ROUNDS ==>
  n := n + 1;
  assert (n = 2 -> BIG * n > 0) & (n = 3 -> BIG * BIG > 0) & (n = 4 -> BIG * BIG * n * n > 0);
end;
rule "reset" n := 1; end;
