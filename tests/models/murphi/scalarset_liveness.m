-- A liveness property for each value of a scalarset speaks of a single value, which has another
-- name in every renamed state: explored without reduction. The token moves between two hands of its
-- owner, who never changes: 3 * 2 states with one rule each, and nobody else gets it.
-- clew: states=6 transitions=6 symmetry=off initial_states=3 command=stats
-- clew: verdict=violated exit=13
type
  proc: scalarset(3);
var
  left, right: proc;

rule "to the right"
  !isundefined(left)
==>
  right := left;
  undefine left;
end;

rule "to the left"
  !isundefined(right)
==>
  left := right;
  undefine right;
end;

ruleset p: proc do
  startstate
    left := p;
    undefine right;
  end;
end;

ruleset p: proc do
  liveness "everybody gets it" !isundefined(left) & left = p;
end;
