-- clew: exit=14 verdict=violated
-- clew: exit=0 verdict=holds options="--param DEPTH=500"
-- A recursion that does not end is a run-time error, not a crash.
const DEPTH: 100000;
var n: boolean;
function down(k: 0..DEPTH): boolean; begin
  if k = 0 then return true; end;
  return down(k - 1);
end;
startstate n := false; end;
rule "dive" n := down(DEPTH) & !n; end;
