-- clew: command=stats states=360 levels=22 deadlocks=0
-- clew: verdict=violated exit=12
-- clew: verdict=holds exit=0 options="--param SWAPPED=true"
--
-- The sliding puzzle: numbered tiles in a frame with one hole; a tile beside the hole can slide into it.
--
--   clew check examples/tiles.m                         (how to solve it: a counterexample)
--   clew check examples/tiles.m --param SWAPPED=true    (two tiles exchanged: it cannot be solved)
--   clew check examples/tiles.m --param ROWS=3          (three rows of three: 181,440 states)
--
-- A slide is an exchange of two fields, so half of all orders can be reached: (ROWS * COLUMNS)! / 2. In two
-- rows of three every one of the 360 is at most 21 slides away; in three rows of three it is 31, which
-- `clew stats` shows as the number of levels less one. That an exchanged pair cannot be solved is what
-- HOLDS proves here: all orders that can be reached were looked at.

const
  ROWS: 2;
  COLUMNS: 3;
  SWAPPED: false;
  FIELDS: ROWS * COLUMNS;

type
  row: 1..ROWS;
  column: 1..COLUMNS;
  tile: 0..FIELDS - 1; -- 0 is the hole

var
  at: array [row] of array [column] of tile;

function number(r: row; c: column): tile;
begin
  return ((r - 1) * COLUMNS + c) % FIELDS;
end;

-- The tile that belongs there at the end.
function wanted(r: row; c: column): tile;
begin
  return SWAPPED & number(r, c) = 1 ? 2 : (SWAPPED & number(r, c) = 2 ? 1 : number(r, c));
end;

startstate "a row is turned around"
  -- Three exchanges of the last row would be odd; exchanging two pairs is even.
  for r: row do
    for c: column do at[r][c] := number(r, c); end;
  end;
  at[1][1] := 2; at[1][2] := 1;
  at[1][3] := 4; at[2][1] := 3;
end;

ruleset r: row; c: column do
  rule "slide to the left"  c > 1 & at[r][c] != 0 & at[r][c - 1] = 0 ==>
    at[r][c - 1] := at[r][c]; at[r][c] := 0; end;
  rule "slide to the right" c < COLUMNS & at[r][c] != 0 & at[r][c + 1] = 0 ==>
    at[r][c + 1] := at[r][c]; at[r][c] := 0; end;
  rule "slide up"   r > 1 & at[r][c] != 0 & at[r - 1][c] = 0 ==>
    at[r - 1][c] := at[r][c]; at[r][c] := 0; end;
  rule "slide down" r < ROWS & at[r][c] != 0 & at[r + 1][c] = 0 ==>
    at[r + 1][c] := at[r][c]; at[r][c] := 0; end;
end;

invariant "not solved"
  exists r: row do exists c: column do at[r][c] != wanted(r, c) end end;
