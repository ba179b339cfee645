-- Something to be covered that is never reached, and a liveness property that fails.
var x : 0..3;
startstate begin x := 0; end;
rule "on" x < 2 ==> begin x := x + 1; end;
rule "stay" x = 2 ==> begin x := 1; end;
cover "three" x = 3;
