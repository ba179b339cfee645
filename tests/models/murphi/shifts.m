-- clew: states=131 transitions=131 verdict=holds exit=0
-- clew: exit=14 verdict=violated options="--param LOST=63"
-- Shifts by any amount, as rumur documents them: a negative one shifts the other way, and by 64 or
-- more nothing is left. Bits that do not fit are an overflow. Amounts from -65 to 65, in a ring.
const LOST : 0;
var s : -65 .. 65; one, minus : -1 .. 1;
startstate s := -65; one := 1; minus := -1; end;
rule "next" begin
  assert s < 0 | (1 >> s) = (s = 0 ? 1 : 0);
  assert s > 0 | (1 << s) = (s = 0 ? 1 : 0);
  assert s < -61 | s > 0 | (one >> s) * (1 << s + 62) / (1 << 31) / (1 << 31) = 1;
  assert s < 0 | s >= 64 | (minus >> s) = -1;
  assert s > 0 | s <= -64 | (minus << s) = -1;
  assert (3 << 64) = 0 & (3 >> 64) = 0 & (3 << -64) = 0 & (4 << -1) = 2 & (4 >> -1) = 8;
  assert LOST = 0 | (one << LOST) != 0;
  s := s = 65 ? -65 : s + 1;
end;
