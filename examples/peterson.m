-- clew: verdict=holds exit=0
-- clew: verdict=violated exit=12 options="--param POLITE=false"
--
-- Mutual exclusion for two processes (Peterson 1981).
--
-- A Murphi model is a set of variables and a set of rules. A rule has a guard, in front of ==>, and
-- a body, which is executed in one step whenever the guard holds. Any enabled rule may fire next:
-- that is how processes that run side by side are described. clew tries all orders.
--
--   clew check examples/peterson.m
--   clew check examples/peterson.m --param POLITE=false      (the algorithm without its idea)
--
-- There are few states, so the answer comes at once, and it is a proof: all of them were looked at.

const
  POLITE: true; -- whether a process lets the other one go first when both want to enter

type
  process: 0..1;
  place: enum {
    idle,     -- does something else
    wanting,  -- has raised its flag
    waiting,  -- has also said "after you"
    critical  -- must be there alone
  };

var
  at: array [process] of place;
  flag: array [process] of boolean; -- "I want to enter"
  turn: process;                    -- who goes first when both do

startstate "nobody wants anything"
  for p: process do
    at[p] := idle;
    flag[p] := false;
  end;
  turn := 0;
end;

-- One rule for each step that a real processor would do at once. That is the art of modelling: if
-- raising the flag and setting the turn were one step, problems between them would go unnoticed.
ruleset p: process do
  alias other: 1 - p do

    rule "raise the flag" at[p] = idle ==>
      flag[p] := true;
      at[p] := wanting;
    end;

    rule "after you" at[p] = wanting ==>
      if POLITE then turn := other; end;
      at[p] := waiting;
    end;

    rule "enter" at[p] = waiting & (!flag[other] | turn = p) ==>
      at[p] := critical;
    end;

    rule "leave" at[p] = critical ==>
      flag[p] := false;
      if !POLITE then turn := other; end;
      at[p] := idle;
    end;

  end;
end;

-- Safety: nothing bad ever happens.
invariant "mutual exclusion"
  !(at[0] = critical & at[1] = critical);

-- Liveness: from wherever we are, each process can still get in.
ruleset p: process do
  liveness "can enter" at[p] = critical;
end;
