-- multisetremovepred removes as it goes: a condition that counts the elements sees fewer and fewer,
-- and the last one stays. Which one that is depends on the names, so lamps are not reduced, with a
-- warning; a reduced search would not see the states in which the owner stays.
-- clew: verdict=violated exit=12 symmetry=off options="--no-deadlock"
-- clew: verdict=violated exit=12 symmetry=off options="--no-deadlock --no-symmetry"
type
  lamp: scalarset(2);
var
  box: multiset [2] of lamp;
  owner: lamp;
  phase: 0..2;

ruleset l: lamp do
  startstate
    undefine box;
    owner := l;
    phase := 0;
  end;
end;

rule "fill" phase = 0 ==>
  for l: lamp do multisetadd(l, box); end;
  phase := 1;
end;

rule "thin" phase = 1 ==>
  multisetremovepred(i: box, multisetcount(j: box, true) > 1);
  phase := 2;
end;

invariant "the owner's is gone" phase = 2 -> multisetcount(i: box, box[i] = owner) = 0;
