-- An assertion fails when x is 2: after 3 steps, the failing one included.
var x : 0..5;
startstate begin x := 0; end;
rule "count" x < 5 ==> begin x := x + 1; end;
rule "look" true ==> begin assert x != 2 "x is two"; end;
