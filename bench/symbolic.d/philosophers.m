-- Dining philosophers who take the left fork, then the right one, and put down both. There are
-- (1 + sqrt 2)^N + (1 - sqrt 2)^N states: rounds of {thinks, left, eats} in which thinks follows eats.
const N: 40;
type id: 0..(N-1); at: enum {thinks, left, eats};
var phil: array[id] of at; fork: array[id] of boolean; -- taken
startstate for i: id do phil[i] := thinks; fork[i] := false; end; end;
ruleset i: id do
  rule "left" phil[i] = thinks & !fork[i] ==> fork[i] := true; phil[i] := left; end;
  rule "right" phil[i] = left & !fork[(i+1)%N] ==> fork[(i+1)%N] := true; phil[i] := eats; end;
  rule "down" phil[i] = eats ==> fork[i] := false; fork[(i+1)%N] := false; phil[i] := thinks; end;
end;
invariant "neighbours" !(phil[0] = eats & phil[1] = eats);
