-- What the iterations of a loop over a scalarset bring together, in any order: a disjunction, a
-- conjunction, the least and the greatest value, a flag that is set once, a value that is set once.
-- 2^2 values of a level for each lamp: 4^2 states, each with 2 * 4 rules. Reduced: pairs without
-- order, 4 * 5 / 2.
-- clew: states=10 transitions=80 symmetry=canonical verdict=holds exit=0
-- clew: states=16 transitions=128 symmetry=off verdict=holds exit=0 options="--no-symmetry"
type
  lamp: scalarset(2);
var
  level: array [lamp] of 0..3;
  some, all, once: boolean;
  least, greatest, top, mark: 0..3;

procedure look();
begin
  some := false;
  all := true;
  once := false;
  undefine mark;
  least := 3;
  greatest := 0;
  top := 0;
  for l: lamp do
    some := some | level[l] > 0 & level[l] < 4;
    all := level[l] > 0 & all;
    if level[l] < least then least := level[l]; end;
    greatest := level[l] > greatest ? level[l] : greatest;
    top := top < level[l] ? level[l] : top;
    if !once & level[l] = 2 then once := true; end;
    if isundefined(mark) & level[l] = 1 then mark := 1; end;
  end;
end;

ruleset l: lamp; v: 0..3 do
  rule "set"
    level[l] := v;
    look();
  end;
end;

startstate
  for l: lamp do level[l] := 0; end;
  look();
end;

invariant "some" some = (greatest > 0);
invariant "all" all = (least > 0);
invariant "bounds" forall l: lamp do least <= level[l] & level[l] <= greatest end;
invariant "met" (exists l: lamp do level[l] = least end) & (exists l: lamp do level[l] = top end);
invariant "once" once = (exists l: lamp do level[l] = 2 end);
invariant "mark" isundefined(mark) = (forall l: lamp do level[l] != 1 end);
