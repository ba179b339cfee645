-- clew: states=24 transitions=33 verdict=holds exit=0
-- A rule that reads one of two variables which an assumption ties together: alone it says nothing
-- about the assumption, and neither may an engine that knows only what the rule reads.
var x: 0..5; y: 0..5; z: 0..3;
startstate x := 0; y := 0; z := 0; end;
rule "both" x < 5 ==> x := x + 1; y := y + 1; end;
rule "reads x" x = 3 & z < 3 ==> z := z + 1; end;
rule "back" z = 3 ==> x := 0; y := 0; end;
rule "apart" x = 5 & y = 5 ==> x := 0; end;
rule "home" x = 5 ==> x := 0; y := 0; end;
assume "same" x = y;
