-- clew: states=16 transitions=16 verdict=holds exit=0 options="--no-deadlock"
-- Between integers & | ^ ~ << >> are bitwise (rumur); between booleans & and | are logical. Shifts
-- bind tighter than comparison and looser than addition. Cross-checked with rumur.
var x: 0..15;

ruleset v: 0..15 do
  startstate x := v; end;
end;

rule "identities"
  assert ((x & 0xC) | (x & 3)) = x;
  assert (x ^ x) = 0;
  assert (x ^ 15) = 15 - x;
  assert (~x & 15) = 15 - x;
  assert (x << 1) = 2 * x;
  assert (x << 1 + 1) = 4 * x;
  assert (x >> 1) = x / 2;
  assert (1 | 2 ^ 3 & 1) = (1 | (2 ^ (3 & 1)));
  assert (x & 1) = x % 2 & (x | 1) >= x && true || false;
end;
