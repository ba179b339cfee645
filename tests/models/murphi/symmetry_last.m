-- A loop over a scalarset that keeps the value of its last iteration: lamps are told apart, so they
-- are not reduced, with a warning; rooms still are.
-- Without reduction: 3 chosen lamps and 2^2 sets of rooms, each with a rule for every lamp and every
-- room. Reduced over the rooms: 3 lamps and 0, 1 or 2 rooms.
-- clew: states=9 transitions=45 initial_states=1 symmetry=canonical verdict=holds exit=0
-- clew: states=12 transitions=60 initial_states=1 symmetry=off verdict=holds exit=0 options="--no-symmetry"
type
  lamp: scalarset(3);
  room: scalarset(2);
var
  chosen: lamp;
  lit: array [room] of boolean;

ruleset l: lamp do
  rule "choose" chosen := l; end;
end;

ruleset r: room do
  rule "switch" lit[r] := !lit[r]; end;
end;

startstate
  for l: lamp do chosen := l; end;
  for r: room do lit[r] := false; end;
end;
