-- clew: states=64 transitions=512 verdict=holds exit=0 options="--no-deadlock"
-- Operators bind as documented: each rule asserts one fact in all 8 * 8 states (cross-checked with
-- rumur 2022.08.20, whose assertions hold, too). 8 rules fire in each state.
var
  a, b, c: boolean;
  x: 0..7;

ruleset i: boolean; j: boolean; k: boolean; v: 0..7 do
  startstate "all values"
    a := i; b := j; c := k; x := v;
  end;
end;

rule "not is looser than comparison"
  true ==>
  assert (!a = b) = (!(a = b));
  assert (a = !b) = (a = (!b));
end;

rule "not is tighter than and, or, implies"
  true ==>
  assert (!a & b) = ((!a) & b);
  assert (!a | b) = ((!a) | b);
  assert (!a -> b) = ((!a) -> b);
end;

rule "and before or before implies"
  true ==>
  assert (a | b & c) = (a | (b & c));
  assert (a & b | c) = ((a & b) | c);
  assert (a & b -> c | a) = ((a & b) -> (c | a));
end;

rule "comparison before and"
  true ==>
  assert (x = 1 & a) = ((x = 1) & a);
  assert (a -> x < 3 | x >= 3);
end;

rule "arithmetic"
  true ==>
  assert x + 2 * 3 = x + 6;
  assert 2 * x + 3 = (2 * x) + 3;
  assert 10 - 3 - 2 = 5;
  assert 100 / 10 / 5 = 2;
  assert 17 % 10 * 2 = 14;
  assert -x + 1 = 1 - x;
  assert - 7 / 2 = -3; -- towards zero
  assert (- 7) % 2 = -1;
  assert +x = x;
end;

rule "conditional is loosest"
  true ==>
  assert (a -> b ? x = x : false) = ((a -> b) ? x = x : false);
  assert (a ? x + 1 : x) = x + (a ? 1 : 0);
end;

rule "quantifiers end with their end"
  true ==>
  assert (forall i: 0..3 do i < 4 end & a) = a;
  assert (! exists i: 0..3 do i = 4 end) | a;
end;

rule "equality of booleans"
  true ==>
  assert (a = b) = (a != !b);
  assert (a == b) = (b == a);
end;
