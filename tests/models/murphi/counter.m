-- clew: states=6 transitions=10 initial_states=1 verdict=holds exit=0
-- clew: states=11 transitions=20 verdict=holds exit=0 options="--param MAX=10"
-- clew: exit=12 verdict=violated options="--param LIMIT=3"
-- clew: exit=65 options="--param MAX=true"
-- clew: exit=65 options="--param n=3"
-- The smallest model: a counter that goes up and down. Values 0..MAX; each inner value has two
-- transitions, each end one: 2 * MAX.
const
  MAX: 5;
  LIMIT: 1000;
var
  n: 0..MAX;

startstate
  n := 0;
end;

rule "up" n < MAX ==>
  n := n + 1;
end;

rule "down" n > 0 ==>
  n := n - 1;
end;

invariant "below the limit" n < LIMIT;
