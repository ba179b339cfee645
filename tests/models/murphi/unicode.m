-- clew: states=4 transitions=6 verdict=holds exit=0
-- rumur's Unicode spellings of the operators, and typographic quotation marks. Four values, up and
-- down: 2 * 3 transitions.
var n: 0..3;
startstate n ≔ 0; end;
rule “up” n ≠ 3 ∧ ¬(n > 3) ⇒ n ≔ n + 1; end;
rule “down” n ≥ 1 ∨ false ⇒ n ≔ n − 1 × 1; end;
invariant “bounded” ∀ i: 0..3 do n ≤ 3 → n ÷ 1 = n end;
invariant ∃ i: 0..3 do i = n end;
