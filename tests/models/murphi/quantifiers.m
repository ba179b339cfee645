-- clew: states=8 transitions=64 verdict=holds exit=0 options="--no-deadlock"
-- Quantifiers over every kind of type, with steps, several variables, and a bound that is not
-- constant. Start states: 2^3; each of 8 rules fires everywhere.
type
  color: enum {red, green, blue};
  S: scalarset(2);
  either: union {color, S};
var
  on: array [color] of boolean;

ruleset r: boolean; g: boolean; b: boolean do
  startstate
    on[red] := r; on[green] := g; on[blue] := b;
  end;
end;

rule "enumeration"
  assert forall c: color do on[c] = on[c] end;
  assert (exists c: color do on[c] end) = (on[red] | on[green] | on[blue]);
end;
rule "two variables"
  assert forall c: color; d: color do c = d -> on[c] = on[d] end;
end;
rule "union and scalarset"
  assert exists e: either do ismember(e, S) end;
  assert forall e: either do ismember(e, S) | ismember(e, color) end;
  assert forall s: S do exists t: S do s != t end end;
end;
rule "boolean"
  assert forall v: boolean do v | !v end;
end;
rule "steps"
  assert forall i := 0 to 6 by 2 do i % 2 = 0 end;
  assert ! exists i := 0 to 6 by 2 do i = 3 end;
  assert exists i := 6 to 0 by -3 do i = 3 end;
  assert forall i := 3 to 1 do false end; -- no values at all
end;
rule "bounds that are computed"
  var n: 0..3;
begin
  n := 3;
  assert exists i := 0 to n do i = n end;
  assert ! exists i := 0 to n - 1 do i = n end;
end;
rule "the inner variable hides the outer"
  assert forall i: 0..1 do exists i: 5..6 do i = 6 end end;
end;
rule "evaluation stops at the first decision"
  var u: 0..3;
begin
  -- u is undefined and never read
  assert exists i: 0..3 do i = 0 | u = 1 end;
  assert ! forall i: 0..3 do i > 0 & u = 1 end;
end;
