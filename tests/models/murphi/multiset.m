-- clew: states=10 transitions=28 verdict=holds exit=0
-- Multisets: the order of elements does not matter, equal elements count. Up to 2 elements of
-- 3 values: 1 + 3 + 6 = 10 states. "add" has 3 instances in the 4 states that are not full (12);
-- "take" fires once for each element, equal or not: 3 * 1 + 6 * 2 = 15; "clear zeros" where two zeros
-- are: 1. Together 28.
const CAPACITY: 2;
type value: 0..2;
var bag: multiset [CAPACITY] of value;

startstate undefine bag; end;

ruleset v: value do
  rule "add" multisetcount(i: bag, true) < CAPACITY ==>
    multisetadd(v, bag);
    assert multisetcount(i: bag, bag[i] = v) >= 1;
  end;
end;

choose i: bag do
  rule "take" bag[i] <= 2 ==>
  var n: 0..CAPACITY;
  begin
    n := multisetcount(j: bag, true);
    multisetremove(i, bag);
    assert multisetcount(j: bag, true) = n - 1;
  end;
end;

rule "clear zeros" multisetcount(i: bag, bag[i] = 0) = 2 ==>
  multisetremovepred(i: bag, bag[i] = 0);
  assert multisetcount(i: bag, true) = 0;
end;
