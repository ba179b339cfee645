-- clew: states=3 transitions=3 verdict=holds exit=0
-- clew: states=5 transitions=5 verdict=holds exit=0 options="--param N=5 --param WRAP=true"
-- clew: exit=10 verdict=violated options="--param WRAP=false"
-- Constants: computed, boolean, of an enumeration, local.
type color: enum {red, green};
const
  N: 3;
  LAST: N > 100 ? 99 : N - 1;
  WRAP: !false & true;
  FAVOURITE: green;
  MASK: 0xFF;
var n: 0..LAST; c: color;
startstate n := 0; c := FAVOURITE; end;
rule "next" n < LAST | WRAP ==>
const STEP: 2 - 1; type local: enum {only};
var l: local;
begin
  l := only;
  n := (n + STEP) % N;
  assert c = green & FAVOURITE != red & MASK = 255;
end;
