-- clew: command=stats states=729 transitions=2184 initial_states=1 deadlocks=0
-- clew: verdict=violated exit=12 options="--property moved"
-- clew: command=stats states=27 transitions=78 options="--param DISCS=3"
--
-- The tower of Hanoi: discs of different sizes on three pegs, a smaller one never below a larger one.
--
-- A puzzle is a model whose bug is the solution: "never moved as a whole" is violated, and the shortest
-- counterexample is the shortest way to do it, 2^DISCS - 1 moves.
--
--   clew check examples/hanoi.m
--   clew check examples/hanoi.m --param DISCS=10
--
-- Size. A disc is on any of three pegs, and the order on a peg is given: 3^DISCS states. So the model is
-- a ruler for memory: DISCS=12 has 531,441 states (examples/large.toml), DISCS=17 has 129,140,163.

const
  DISCS: 6;

type
  disc: 1..DISCS; -- 1 is the smallest
  peg: 0..2;

var
  on: array [disc] of peg;

-- Whether no smaller disc lies on top.
function is_free(d: disc): boolean;
begin
  return !exists e: disc do e < d & on[e] = on[d] end;
end;

startstate "all on the first peg"
  for d: disc do on[d] := 0; end;
end;

ruleset d: disc; p: peg do
  rule "move" p != on[d] & is_free(d) & !exists e: disc do e < d & on[e] = p end ==>
    on[d] := p;
  end;
end;

invariant "moved"
  exists d: disc do on[d] != 2 end;
