-- "low" never fires: "high" has the smaller number.
var x : 0..2;
startstate "zero" begin x := 0; end;
rule 5 "low" x = 0 ==> begin x := 2; end;
rule 1 "high" x = 0 ==> begin x := 1; end;
rule 1 "back" x = 1 ==> begin x := 0; end;
invariant "not two" x != 2;
