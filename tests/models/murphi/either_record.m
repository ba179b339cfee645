-- clew: states=2 transitions=2 verdict=holds exit=0
-- `c ? a : b` between arrays and records: assigned, returned, compared, nested; records without
-- fields are values, too. Cross-checked with rumur. `on` changes every time.
type
  pair : record l, r : 0 .. 3 end;
  row : array [0 .. 1] of pair;
  none : record end;
var on : boolean; p, q : pair; a, b : row; e, f : none; many : array [0 .. 2] of none;

function pick(first : boolean) : row; begin
  return first ? a : b
end;

startstate
  on := false; p.l := 1; p.r := 2; q.l := 3; q.r := 0;
  a[0] := p; a[1] := q; b[0] := q; b[1] := p; clear e;
end;

rule "pick" var r : pair; s : row; begin
  r := on ? p : q;
  assert r.l = (on ? 1 : 3);
  s := on ? a : (r = q ? b : a);
  assert s = (on ? a : b) & (on ? a : b) = s & s = pick(on) & s != pick(!on);
  assert (on ? s[0] : s[1]) = (on ? p : p);
  assert e = f & many[0] = e;
  many[1] := on ? e : f;
  f := e;
  on := !on
end;
