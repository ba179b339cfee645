-- Passing a token around among interchangeable holders is not a deadlock, although every step leads
-- to the same representative. One state up to symmetry, 3 without; 2 ways to pass it on.
-- clew: states=1 transitions=2 deadlocks=0 verdict=holds exit=0
-- clew: states=3 transitions=6 deadlocks=0 verdict=holds exit=0 options="--no-symmetry"
type
  proc: scalarset(3);
var
  holder: proc;

ruleset p: proc; q: proc do
  rule "pass"
    holder = p & p != q
  ==>
    holder := q;
  end;
end;

ruleset p: proc do
  startstate
    holder := p;
  end;
end;
