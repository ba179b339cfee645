-- clew: exit=14 verdict=violated
-- A run-time error while an invariant is evaluated is an error of the model, not a violation of
-- that invariant.
var n, m: 0..1;
startstate n := 0; end;
rule "go" n := 1 - n; end;
invariant "reads what is undefined" m = 0;
