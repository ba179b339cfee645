-- Loops over scalarsets whose iterations may come in any order: by the variable of the loop, the
-- same value always, sums, multisets, local variables, through procedures and aliases, two
-- scalarsets at once. All of it only sums up which of three lamps are on, in two rooms that see the
-- same: 2^3 states, each with one rule for every lamp.
-- Reduced: the number of lamps that are on, 0 to 3, with as many rules.
-- clew: states=4 transitions=12 initial_states=1 symmetry=canonical verdict=holds exit=0
-- clew: states=8 transitions=24 symmetry=off verdict=holds exit=0 options="--no-symmetry"
type
  lamp: scalarset(3);
  room: scalarset(2);
  place: union {lamp, enum {nowhere}};
  message: record from, where: place; bright: boolean; end;
var
  on: array [lamp] of boolean;
  seen: array [room] of array [lamp] of boolean;
  count: 0..3;
  dark: 0..3;
  any, all: boolean;
  box: array [place] of message;
  post: multiset [6] of message;
  kept: multiset [3] of lamp;

procedure send(l: lamp; var m: message; var slot: message);
begin
  slot := m;
  if on[l] then
    multisetadd(m, post);
    kept_add(l);
  end;
end;

procedure kept_add(l: lamp);
begin
  multisetadd(l, kept);
end;

function lit(): boolean;
begin
  for l: lamp do
    if on[l] then return true; end;
  end;
  return false;
end;

procedure look();
var m: message; n: 0..3;
begin
  count := 0;
  dark := 3;
  n := 0;
  any := false;
  all := true;
  multisetremovepred(i: post, true);
  undefine kept;
  for p: place do
    undefine box[p];
  end;
  for l: lamp do
    if on[l] then
      count := count + 1;
      dark := dark - 1;
      n := 1 + n;
      any := true;
    else
      all := false;
    end;
    m.from := l;
    m.where := nowhere;
    m.bright := on[l];
    alias mine: box[l] do
      send(l, m, mine);
    end;
  end;
  multisetremovepred(i: kept, !on[kept[i]]);
  for r: room; l: lamp do
    seen[r][l] := on[l];
  end;
  assert n = count & dark + count = 3 "the sums agree";
  assert any = lit() & multisetcount(i: post, true) = n & multisetcount(i: kept, true) = n;
end;

ruleset l: lamp do
  rule "switch"
    on[l] := !on[l];
    look();
  end;
end;

startstate
  for l: lamp do on[l] := false; end;
  look();
end;

invariant "all is seen" forall r: room do forall l: lamp do seen[r][l] = on[l] end end;
invariant "all or any" (count = 3) = all & (count > 0) = any;
