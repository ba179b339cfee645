-- clew: states=8 transitions=24 verdict=holds exit=0 options="--no-symmetry"
-- Scalarsets as sets of values: arrays over them, comparison, quantifiers, rulesets. Three switches,
-- each of which can be flipped: 2^3 states, 3 transitions each.
const N: 3;
type S: scalarset(N);
var on: array [S] of boolean; last: S;
startstate
  for s: S do on[s] := false; end;
end;
ruleset s: S do
  rule "flip" on[s] := !on[s]; undefine last; end;
end;
invariant forall s: S do forall t: S do s = t -> on[s] = on[t] end end;
