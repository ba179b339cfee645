-- clew: states=4 transitions=5 verdict=holds exit=0
-- States that violate an assumption do not exist, neither do successors of a rule in which one
-- fails; such transitions are not counted. n counts to 9, but 4 and above are assumed away, and so is
-- going down to 0. What is left: from 0 and 1 up, from 2 up and down, from 3 down.
var n: 0..9;
startstate "exists" n := 0; end;
startstate "does not" n := 5; end;
rule "up" n < 9 ==> n := n + 1; end;
rule "down" n > 0 ==>
  n := n - 1;
  assume n > 0 "not all the way";
end;
assume "small" n < 4;
invariant n < 4;
