-- 10^9 states: for limits and interruptions.
const N : 9;
var c : array [1..N] of 0..9;
startstate "zero" begin for i : 1..N do c[i] := 0; end; end;
ruleset i : 1..N do
  rule "up" c[i] < 9 ==> begin c[i] := c[i] + 1; end;
  rule "clear" c[i] = 9 ==> begin c[i] := 0; end;
end;
invariant "true enough" c[1] <= 9;
