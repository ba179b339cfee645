-- clew: exit=20 verdict=incomplete
-- clew: exit=0 verdict=holds options="--param DEPTH=500"
-- A recursion deeper than clew allows is no error of the model and no crash: nothing is decided.
const DEPTH: 100000;
var n: boolean;
function down(k: 0..DEPTH): boolean; begin
  if k = 0 then return true; end;
  return down(k - 1);
end;
startstate n := false; end;
rule "dive" n := down(DEPTH) & !n; end;
