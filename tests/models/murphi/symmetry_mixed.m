-- A multiset of records that name values of two scalarsets, one of which is not reduced: lamps are
-- told apart by the loop at the start. The order of the elements follows both.
-- The box holds up to two pairs of a lamp (2) and a room (2): 1 empty box, 4 with one pair, 10 with
-- two; for each of 2 lamps that can be chosen: 30 states. Swapping the rooms leaves alone the empty
-- box and 2 of those with two pairs (the same lamp in both rooms): 1 + 4/2 + (10 + 2)/2 = 9 up to
-- renaming.
-- clew: states=18 symmetry=canonical verdict=holds exit=0 options="--no-deadlock"
-- clew: states=30 symmetry=off verdict=holds exit=0 options="--no-deadlock --no-symmetry"
type
  lamp: scalarset(2);
  room: scalarset(2);
  pair: record which: lamp; where: room; end;
var
  chosen: lamp;
  box: multiset [2] of pair;

ruleset l: lamp; r: room do
  rule "put" multisetcount(i: box, true) < 2 ==>
  var p: pair;
  begin
    p.which := l;
    p.where := r;
    multisetadd(p, box);
  end;
end;

ruleset l: lamp do
  rule "choose" chosen := l; end;
end;

choose i: box do
  rule "take" multisetremove(i, box); end;
end;

startstate
  for l: lamp do chosen := l; end;
end;
