-- Leaves its range in the third step.
var x : 0..2;
startstate begin x := 0; end;
rule "count" true ==> begin x := x + 1; end;
