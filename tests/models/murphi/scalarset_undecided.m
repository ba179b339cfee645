-- A loop over a scalarset whose result depends on the order of its iterations when more than one
-- lamp is on: this cannot be told from the text, so the model is explored as it is, with a note.
-- With reduction states would be merged that are not alike.
-- 2^3 states, each with one rule for every lamp.
-- clew: states=8 transitions=24 symmetry=off verdict=holds exit=0
-- clew: states=8 transitions=24 symmetry=off verdict=holds exit=0 options="--no-symmetry"
type
  lamp: scalarset(3);
var
  on: array [lamp] of boolean;
  last: lamp;

ruleset l: lamp do
  rule "switch"
    on[l] := !on[l];
    undefine last;
    for i: lamp do
      if on[i] then last := i; end;
    end;
  end;
end;

startstate
  for l: lamp do on[l] := false; end;
end;

invariant "some lamp" isundefined(last) | on[last];
