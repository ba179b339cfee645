-- clew: states=6 transitions=6 verdict=holds exit=0
-- Functions in guards and invariants: with locals, loops, references to locals only. A cycle of six.
type row: array [0..2] of 0..5;
var n: 0..5; r: row;
procedure add(var total: 0..15; v: 0..5); begin total := total + v; end;
function total(q: row): 0..15; var t: 0..15; begin
  t := 0;
  for i: 0..2 do add(t, q[i]); end;
  return t;
end;
startstate n := 0; for i: 0..2 do r[i] := 0; end; end;
rule "next" total(r) = 3 * n ==>
  n := (n + 1) % 6;
  for i: 0..2 do r[i] := n; end;
end;
invariant total(r) <= 15;
