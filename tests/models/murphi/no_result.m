-- clew: exit=14 verdict=violated
-- A function that ends without returning anything.
var n: 0..1;
function half(k: 0..1): 0..1; begin if k = 0 then return 1; end; end;
startstate n := 0; end;
rule "next" n := half(n); end;
