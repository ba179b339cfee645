-- A relation between two scalarsets, and a value of a third on each pair: three groups of renamings
-- at once. Unreduced: each of the 2 * 3 pairs is undefined or has one of 2 colours: 3^6 = 729
-- states, each with 6 cells of which an undefined one has 2 rules and the others 1:
-- 729 * 6 * (1/3 * 2 + 2/3 * 1) = 5832 rules.
-- Reduced, by Burnside over the 2! * 3! * 2! = 24 renamings: the cycles of a pair of row and column
-- permutations on the 6 cells; a cycle of even length, or any cycle when the colours stay, may have
-- a colour; with swapped colours a cycle of odd length must be undefined.
--   rows stay:    columns id: colours stay 3^6, swapped 1;     3 transpositions: 3^4, 1 * 3^2;
--                 2 rotations: 3^2, 1
--   rows swapped: columns id: 3^3, 3^3;  3 transpositions: cells in 3 cycles of length 2: 3^3, 3^3;
--                 2 rotations: one cycle of length 6: 3, 3
-- (729 + 1 + 3*(81+9) + 2*(9+1) + 27+27 + 3*(27+27) + 2*(3+3)) / 24
--   = (730 + 270 + 20 + 54 + 162 + 12) / 24 = 1248 / 24 = 52.
-- clew: states=52 verdict=holds exit=0
-- clew: states=729 transitions=5832 verdict=holds exit=0 options="--no-symmetry"
type
  row: scalarset(2);
  column: scalarset(3);
  colour: scalarset(2);
var
  cell: array [row] of array [column] of colour;

ruleset r: row; c: column do
  ruleset v: colour do
    rule "paint"
      isundefined(cell[r][c])
    ==>
      cell[r][c] := v;
    end;
  end;

  rule "clean"
    !isundefined(cell[r][c])
  ==>
    undefine cell[r][c];
  end;
end;

startstate
  undefine cell;
end;
