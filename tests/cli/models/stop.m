-- Counts to 3 and is stuck there: a deadlock after 3 steps.
var x : 0..5;
startstate begin x := 0; end;
rule "count" x < 3 ==> begin x := x + 1; end;
invariant "small" x < 5;
