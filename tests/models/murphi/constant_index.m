-- clew: exit=0 verdict=holds states=2
-- clew: exit=14 verdict=violated options="--param N=0"
-- A constant index out of range matters only when it is executed: models with parameters have such
-- code in branches that are never taken. With N = 0 it is.
const N: 1;
var b: boolean; a: array [0..0] of 0..3;
startstate b := false; a[0] := 0; end;
rule "flip" b := !b; if N < 1 then a[1] := 4; end; end;
