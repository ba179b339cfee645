-- clew: symmetry=canonical verdict=violated exit=12
-- clew: states=4 transitions=12 symmetry=canonical verdict=holds exit=0 options="--goal count>3"
-- clew: verdict=violated exit=12 options="--goal all_on()"
-- clew: verdict=violated exit=12 options="--goal count>3 --goal count=3"
-- clew: verdict=holds exit=0 options="--invariant all_on()->count=3"
-- clew: verdict=violated exit=12 options="--invariant !all_on()"
-- clew: symmetry=off verdict=violated exit=12 options="--goal lit()&count=2"
-- clew: states=8 transitions=24 verdict=holds exit=0 options="--goal count>3 --no-symmetry"
-- clew: verdict=violated exit=12 options="--goal count>3 --property few"
-- clew: verdict=violated exit=14 options="--goal 1/count=2"
-- Questions of the command line; the model's own properties are not checked then, unless they are
-- named. What they ask may switch the reduction off, as an invariant may: lit() has a loop whose order
-- might matter. By hand: lamps go on and off, so that the states are the numbers of lamps that are on.
type
  lamp: scalarset(3);
var
  on: array [lamp] of boolean;
  count: 0..3;

function all_on(): boolean;
begin
  return forall l: lamp do on[l] end;
end;

function lit(): boolean;
var some: boolean;
begin
  some := false;
  for l: lamp do
    if on[l] then some := on[l]; end;
  end;
  return some;
end;

startstate
  for l: lamp do on[l] := false; end;
  count := 0;
end;

ruleset l: lamp do
  rule "switch"
    count := on[l] ? count - 1 : count + 1;
    on[l] := !on[l];
  end;
end;

invariant "few" count < 3;
