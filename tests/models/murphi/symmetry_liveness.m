-- Liveness and cover under symmetry: a token that can be lost for good, by whoever holds it.
-- Unreduced: 3 holders while it is not lost (2 ways to pass it on, 1 to lose it: 9 rules), and
-- 3 * 2 states afterwards (1 rule each: 6). Reduced: the holder's name does not matter: 1 + 2
-- states, 3 + 2 rules. Once it is lost the goal cannot be reached any more.
-- clew: states=3 transitions=5 verdict=violated exit=13
-- clew: states=9 transitions=15 verdict=violated exit=13 options="--no-symmetry"
-- clew: verdict=holds exit=0 states=3 options="--property covered"
type
  proc: scalarset(3);
var
  holder: proc;
  lost, tick: boolean;

ruleset p: proc; q: proc do
  rule "pass"
    !lost & holder = p & p != q
  ==>
    holder := q;
  end;
end;

rule "lose"
  !lost
==>
  lost := true;
end;

rule "tick"
  lost
==>
  tick := !tick;
end;

ruleset p: proc do
  startstate
    holder := p;
    lost := false;
    tick := false;
  end;
end;

liveness "the token can come back" !lost;
cover "covered" exists p: proc do holder = p & lost & tick end;
