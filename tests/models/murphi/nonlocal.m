-- clew: states=50 transitions=1324 initial_states=1 levels=50 diameter=49 deadlocks=0 verdict=holds exit=0
-- clew: states=2 transitions=4 levels=2 verdict=holds exit=0 options="--param LAST=2"
-- clew: states=200 transitions=20299 levels=200 verdict=holds exit=0 options="--param LAST=200"
-- The opposite of locality: a climber goes up one step at a time but may fall to any step below. Every
-- step is a breadth-first level of its own. From step x < LAST there are x + 1 transitions (to 1, ..., x
-- and x + 1), from LAST there are LAST: LAST * (LAST + 3) / 2 - 1 in all.
--
-- Without those from a step to itself there are x (LAST - 1 at the end): the share of the transitions
-- that lead one level up, or one down, is 1/x each, except at the ends. With H = 1 + 1/2 + ... +
-- 1/(LAST - 1) the means over all steps are H / LAST and (H - 1 + 1/(LAST - 1)) / LAST: see
-- tests/cli/stats.sh.
-- (The nonlocal system of Della Penna et al., STTT 6, 2004.)
const
  LAST: 50;
var
  step: 1..LAST;

startstate "at the foot"
  step := 1;
end;

ruleset target: 1..LAST do
  rule "go" target <= step + 1 ==>
    step := target;
  end;
end;

invariant "on the stairs" step >= 1 & step <= LAST;
