-- clew: exit=14 verdict=violated
-- clew: exit=0 verdict=holds states=4 transitions=4 options="--param LIMIT=3"
-- Adding to a full multiset is a run-time error.
const LIMIT: 4;
var bag: multiset [3] of boolean;
startstate undefine bag; end;
rule "add" multisetcount(i: bag, true) < LIMIT ==> multisetadd(true, bag); end;
rule "empty" multisetcount(i: bag, true) = 3 ==> undefine bag; end;
