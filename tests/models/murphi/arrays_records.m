-- clew: states=2 transitions=1 deadlocks=1 verdict=holds exit=0 options="--no-deadlock"
-- Whole arrays and records: copied, compared, cleared, undefined; also between types of the same
-- structure but other names or ranges.
type
  narrow: record k: 0..3; v: array [boolean] of 0..3; end;
  wide: record k: 0..7; v: array [boolean] of 0..7; end;
  other: record k: 0..3; v: array [boolean] of 0..3; end;
var
  n: narrow;
  w: wide;
  o: other;
  done: boolean;

startstate
  clear n; clear w; clear o; done := false;
end;

rule "all" !done ==>
var t: narrow; m: array [0..1] of narrow;
begin
  assert n.k = 0 & !n.v[true] = 1 "clear gives every part its least value";
  n.k := 2; n.v[false] := 3;
  o := n;                 assert o = n & o.v[false] = 3;
  o.v[true] := 1;         assert o != n;
  w := n;                 assert w = n & w.k = 2 "other ranges, part by part";
  w.k := 7;               assert w != n;
  undefine t;             assert isundefined(t.k) & isundefined(t.v[true]);
  n := t;                 assert isundefined(n.k) & n = t "undefined parts are copied, and equal";
  assert w != n;
  w := n;                 assert isundefined(w.v[false]) & w = n;
  t.k := 1;               assert t != n & isundefined(t.v[false]);
  m[0] := t; m[1] := m[0]; assert m[1].k = 1 & m[0] = m[1];
  clear m;                assert m[1].k = 0 & m[0].v[true] = 0;
  n := undefined;         assert isundefined(n.k);
  clear n; clear o; clear w;
  done := true;
end;
