-- A cover that is reached at once and cannot be evaluated later: the run-time error counts in every
-- state, whichever thread has seen the cover before. States: n = 0, 1, 2 and 3; in the last one x is
-- undefined, and so is whether the cover is reached.
-- clew: verdict=violated exit=14 options="--no-deadlock"
-- clew: verdict=violated exit=14 options="--no-deadlock --search dfs"
-- clew: command=stats states=4 transitions=4
var n: 0..3; x: 0..1;
startstate n := 0; x := 1; end;
rule "step" n < 3 ==> n := n + 1; if n = 3 then undefine x; end; end;
rule "stay" n = 3 ==> n := 3; end;
cover "seen" x = 1;
