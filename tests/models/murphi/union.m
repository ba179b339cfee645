-- clew: states=16 transitions=64 verdict=holds exit=0 options="--no-symmetry"
-- Unions: of an enumeration and a scalarset, of a union and another; as index, as value, in
-- rulesets and loops; comparison with members, ismember, narrowing with a check.
-- 4 nodes that can be visited in any order: 2^4 sets of nodes; `at` follows from the last move but is
-- undefined again. 4 transitions each.
type
  home: enum {office, cellar};
  room: scalarset(1);
  inside: union {home, room};
  garden: enum {lawn};
  place: union {inside, garden};
var
  seen: array [place] of boolean;
  at: place;

procedure only_inside(i: inside); begin
  assert ismember(i, home) | ismember(i, room);
end;

startstate
  for p: place do seen[p] := false; end;
  undefine at;
end;

ruleset p: place do
  rule "visit"
  var h: home; i: inside;
  begin
    at := p;
    seen[p] := !seen[p];
    if ismember(p, inside) then only_inside(p); i := p; assert i = at; end;
    if ismember(at, home) then h := at; assert h = p; end;
    if ismember(at, garden) then assert at = lawn & p = lawn; end;
    assert ismember(p, garden) = !ismember(p, inside);
    undefine at;
  end;
end;
