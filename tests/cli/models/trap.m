-- From x = 3 there is no way back to 0.
var x : 0..3;
startstate begin x := 0; end;
rule "on" x < 3 ==> begin x := x + 1; end;
rule "back" x = 1 ==> begin x := 0; end;
rule "stay" x = 3 ==> begin x := 2; end;
liveness "home" x = 0;
