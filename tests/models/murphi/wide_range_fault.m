-- clew: exit=14 verdict=violated
-- What does not fit into a wide range is found as well.
var a : 0 .. 4294967296;
startstate a := 4294967296; end;
rule "one more" begin a := a + 1; end;
