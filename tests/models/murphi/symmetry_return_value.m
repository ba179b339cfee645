-- Returns from loops over scalarsets that cannot fail: from two loops within each other, from a rule,
-- behind calls that have results of their own. They do what they did.
-- 2^3 sets of lamps, each with a rule for every lamp and "look". Reduced: 0 to 3 lamps.
-- clew: states=4 transitions=16 symmetry=canonical verdict=holds exit=0
-- clew: states=8 transitions=32 symmetry=off verdict=holds exit=0 options="--no-symmetry"
type
  lamp: scalarset(3);
var
  on: array [lamp] of boolean;

function is_on(l: lamp): boolean;
begin
  return on[l];
end;

function two(): boolean;
begin
  for l: lamp do
    for k: lamp do
      if l != k & is_on(l) & is_on(k) then return true; end;
    end;
    if is_on(l) & !is_on(l) then return true; end;
  end;
  return false;
end;

function number(): 0..7;
var n: 0..3;
begin
  n := 0;
  for l: lamp do
    if is_on(l) then n := n + 1; end;
  end;
  for l: lamp do
    if is_on(l) then return 4 + n; end;
  end;
  return n;
end;

ruleset l: lamp do
  rule "switch" on[l] := !on[l]; end;
end;

rule "look"
  assert two() = (exists l: lamp do exists k: lamp do l != k & on[l] & on[k] end end);
  assert two() = (number() > 5) & (number() = 0) = (forall l: lamp do !on[l] end);
  for l: lamp do
    if on[l] then return; end;
  end;
  assert forall l: lamp do !on[l] end;
end;

startstate
  for l: lamp do on[l] := false; end;
end;
