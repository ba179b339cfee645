-- Reads a variable that has no value yet, in the start itself.
var x : 0..2; y : 0..2;
startstate "careless" begin x := y + 0; end;
rule "nothing" true ==> begin end;
