-- Two elements are removed and one is added: it takes the first free position. Whether that is the
-- owner's depends on the names, so lamps are not reduced, with a warning. A reduced search would see
-- one of the two cases.
-- clew: verdict=violated exit=14 symmetry=off options="--no-deadlock"
-- clew: verdict=violated exit=14 symmetry=off options="--no-deadlock --no-symmetry"
type
  lamp: scalarset(2);
var
  box: multiset [2] of lamp;
  owner: lamp;

ruleset l: lamp do
  startstate
    owner := l;
    for k: lamp do multisetadd(k, box); end;
  end;
end;

choose i: box do
  choose j: box do
    rule "swap" i != j & box[i] = owner ==>
      multisetremove(i, box);
      multisetremove(j, box);
      multisetadd(owner, box);
      assert box[i] = owner;
    end;
  end;
end;
