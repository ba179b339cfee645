-- clew: states=3 transitions=5 verdict=holds exit=0 options="--no-deadlock"
-- An assignment or value argument that is just a variable copies its being undefined (as CMurphi
-- does and its benchmark models need); `undefined` itself may be assigned and passed.
-- States: x, y = (?, ?), (1, ?), (1, 1). Rules: set x everywhere 3; copy y := x in the two states
-- with x = 1. From (?, ?) the copy is a self-loop, too, but its guard excludes it: 3 + 2.
var x, y: 0..1;
procedure pass(a: 0..1; b: 0..1; var target: 0..1); begin
  if isundefined(a) then target := a; else target := b; end;
end;
startstate x := undefined; y := x; end;
rule "set" x := 1; end;
rule "copy" !isundefined(x) ==>
var l: 0..1;
begin
  pass(l, undefined, l);          assert isundefined(l);
  pass(undefined, x, y);          assert isundefined(y);
  pass(x, l, l);                  assert isundefined(l);
  l := x;
  pass(l, l, y);                  assert y = 1;
end;
