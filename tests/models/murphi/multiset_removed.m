-- clew: exit=14 verdict=violated
-- clew: exit=14 verdict=violated options="--param WHICH=2"
-- clew: exit=14 verdict=violated options="--param WHICH=3"
-- clew: exit=14 verdict=violated options="--param WHICH=4"
-- clew: exit=0 verdict=holds states=2 transitions=2 options="--param WHICH=0"
-- An element that has been removed can be neither read nor written nor removed again, also not
-- through an alias or reference to it.
const WHICH: 1;
type letter: record k: 0..3; end;
var bag: multiset [2] of letter;
procedure change(var l: letter); begin l.k := 1; end;
startstate undefine bag; end;
rule "add" multisetcount(i: bag, true) = 0 ==> var l: letter; begin l.k := 1; multisetadd(l, bag); end;
choose i: bag do
  rule "remove"
  var l: letter;
  begin
    alias a: bag[i] do
      multisetremove(i, bag);
      if WHICH = 1 & a.k = 1 then l.k := 0; end;
      if WHICH = 2 then a.k := 2; end;
      if WHICH = 3 then change(bag[i]); end;
      if WHICH = 4 then multisetremove(i, bag); end;
    end;
  end;
end;
