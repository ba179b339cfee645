-- clew: exit=14 verdict=violated
-- A run-time error in a guard.
var n, m: 0..1;
startstate n := 0; end;
rule "never safe" m = 0 ==> n := 1; end;
