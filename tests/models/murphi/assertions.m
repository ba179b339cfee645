-- clew: exit=14 verdict=violated
-- clew: exit=14 verdict=violated options="--param WHICH=2"
-- clew: exit=14 verdict=violated options="--param WHICH=3"
-- clew: exit=14 verdict=violated options="--param WHICH=4"
-- clew: exit=12 verdict=violated options="--param WHICH=5"
-- clew: exit=0 verdict=holds states=3 transitions=6 options="--param WHICH=0"
-- Assertions with the text before, after and missing, error statements, and assertions among the
-- properties (these are invariants). `put` is accepted and does nothing.
const WHICH: 1;
var n: 0..2;
function checked(k: 0..2): boolean; begin
  assert WHICH != 4 | k < 2;
  return true;
end;
startstate n := 0; end;
rule "next" checked(n) ==>
  assert "text first" WHICH != 1 | n < 2;
  assert WHICH != 2 | n < 2 "text last";
  if WHICH = 3 & n = 2 then error "reached"; end;
  put "n is "; put n; put n + 1;
  n := (n + 1) % 3;
end;
rule "stay" end;
assert "top level" WHICH = 5 -> n < 2;
