-- clew: states=2 transitions=2 verdict=holds exit=0 options="--no-deadlock"
-- & | and -> evaluate their right operand only when it matters: x is undefined in one of the two
-- states, and reading it there would be a run-time error.
var x: 0..1;
startstate undefine x; end;
rule "set" !isundefined(x) & x = 1 | isundefined(x) ==> x := 1; end;
invariant isundefined(x) | x = 1;
invariant !isundefined(x) -> x = 1;
invariant isundefined(x) ? true : x = 1;
