-- clew: states=2 transitions=1 deadlocks=1 verdict=holds exit=0 options="--no-deadlock"
-- Parameters: by value and by reference, simple, records and arrays, of state variables and of
-- locals, through several levels, and functions that return records. One rule asserts everything.
type
  digit: 0..9;
  pair: record x, y: digit; end;
  row: array [0..2] of digit;
var
  s: digit;
  p: pair;
  a: row;
  grid: array [0..1] of row;
  done: boolean;

procedure set(var d: digit; v: digit); begin d := v; end;
procedure swap(var d, e: digit); var t: digit; begin t := d; d := e; e := t; end;
procedure swap_pair(var q: pair); begin swap(q.x, q.y); end;
procedure fill(var r: row; v: digit); begin for i: 0..2 do set(r[i], v); end; end;

-- By value: the copy must not follow what happens to the original.
procedure put_sum(q: pair; var target: pair); begin
  target.x := 0;
  target.y := q.x + q.y;
end;
function sum(q: pair): digit; begin return q.x + q.y; end;
function first(r: row): digit; begin return r[0]; end;
procedure change_state_and_check(q: pair); begin
  p.x := 1;
  assert q.x = 7 "q is a copy";
end;

-- Functions that return more than a number.
function make(x: digit; y: digit): pair; var q: pair; begin q.x := x; q.y := y; return q; end;
function turn(q: pair): pair; begin return make(q.y, q.x); end;
function ramp(): row; var r: row; begin for i: 0..2 do r[i] := i; end; return r; end;

startstate
  s := 0; p := make(2, 3); fill(a, 4); fill(grid[0], 5); fill(grid[1], 6); done := false;
end;

rule "all" !done & sum(p) = 5 & turn(p).x = 3 & turn(make(8, 9)) = make(9, 8) ==>
var
  l: digit;
  q: pair;
  b: row;
begin
  set(s, 3);              assert s = 3;
  set(l, 4);              assert l = 4;
  set(p.x, 5);            assert p.x = 5 & p.y = 3;
  set(grid[1][2], 7);     assert grid[1][2] = 7 & grid[1][1] = 6;
  swap(s, l);             assert s = 4 & l = 3;
  swap(l, a[1]);          assert l = 4 & a[1] = 3;
  q := p;
  swap_pair(q);           assert q.x = 3 & q.y = 5 & p.x = 5;
  swap_pair(p);           assert p = q;
  fill(b, 1);             assert b[0] = 1 & b[2] = 1;
  fill(grid[0], first(b)); assert grid[0] = b;
  put_sum(p, p);          assert p.x = 0 & p.y = 8;
  put_sum(q, q);          assert q.y = 8;
  p.x := 7;
  change_state_and_check(p); assert p.x = 1;
  b := ramp();            assert b[2] = 2 & sum(make(1, 2)) = 3;
  q := turn(turn(q));     assert q.x = 0 & q.y = 8;
  done := true;
end;
