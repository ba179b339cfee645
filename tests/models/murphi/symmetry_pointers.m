-- Cells that point to each other, to a root or to nothing: cycles and chains of interchangeable
-- cells, which is what refinement alone cannot always tell apart.
-- Unreduced: a pointer is undefined, the root, or one of 4 cells, for each of 4 cells: 6^4 = 1296
-- states; a cell with an undefined pointer has 5 rules, any other cell 1: the number of rules fired
-- is the sum over states, 4 * (1/6 * 5 + 5/6 * 1) * 1296 = 8640.
-- Reduced: the maps of a 4-set into itself and two more values, up to renaming. By Burnside's lemma
-- a permutation fixes the maps that commute with it: identity 6^4, six transpositions (2 fixed
-- points, one 2-cycle): (2+2)^2 * (2+4) = 96, three double transpositions: 6^2 = 36, eight
-- 3-cycles: (2+1) * (2+4) = 18, six 4-cycles: 6.
-- (1296 + 576 + 108 + 144 + 36) / 24 = 90.
-- clew: states=90 verdict=holds exit=0
-- clew: states=1296 transitions=8640 verdict=holds exit=0 options="--no-symmetry"
-- clew: states=1296 transitions=8640 verdict=holds exit=0 options="--symmetry off"
const
  Cells: 4;
type
  cell: scalarset(Cells);
  root: enum {Root};
  target: union {root, cell};
var
  next: array [cell] of target;

ruleset c: cell do
  ruleset t: target do
    rule "point"
      isundefined(next[c])
    ==>
      next[c] := t;
    end;
  end;

  rule "cut"
    !isundefined(next[c])
  ==>
    undefine next[c];
  end;
end;

startstate
  undefine next;
end;
