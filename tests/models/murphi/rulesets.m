-- clew: command=stats states=12 transitions=156 initial_states=12 exit=0
-- clew: states=12 transitions=156 verdict=holds exit=0
-- Parameters of rules: nested and listed, with steps up and down, over booleans and enumerations,
-- with names that hide others. x takes the values 0 3 6 9, c three colors, from 4 * 3 start states.
-- Each state has 4 + 3 + 4 + 2 = 13 transitions.
type color: enum {red, green, blue};
var x: 0..9; c: color;
ruleset i := 9 to 0 by -3; d: color do
  startstate x := i; c := d; end;
end;
ruleset i := 0 to 9 by 3 do rule "set x" x := i; assert i % 3 = 0; end; end;
ruleset c: color do rule "set c" true ==> var l: color; begin l := c; set(l); end; end;
ruleset i := 9 to 0 by -3 do rule "set x downwards" x := i; end; end;
ruleset b: boolean do rule "either" if b then x := x; end; end; end;
procedure set(l: color); begin c := l; end;
