-- clew: states=4 transitions=8 verdict=holds exit=0
-- The syntax that only rumur or only CMurphi has: semicolons may be missing, several names may share
-- a declaration, a comma may follow the last name or argument, `function` and `procedure` are the same
-- word, ':' may stand for `do`, an invariant may be a statement, and an alias of a constant is one.
-- Two bits; one rule flips each.
const Zero, Nought, : 0 One : 1;;
type bit, flag, : Zero .. One  pair : record a : bit b, c, : bit end
var  x : pair y, : flag

procedure flip(var v : bit step : bit) : bit
  v := (v + step) % 2;
  return v
endfunction

function set(var v : bit; to_ : bit;)
  v := to_
endprocedure

startstate
  set(x.a, Zero,) ; set(x.b, Nought); set(x.c, 0); set(y, 0);
endstartstate

alias Last, Top : 1 do
  ruleset i : Zero .. Last; ; j : One .. Top do
    rule "flip"
      invariant "bits" x.c = x.b;
      switch i
        case 0,: x.a := 1 - x.a
        case Top: flip(x.b, j); x.c := x.b
      end
      y := 1 - y
    end;;
  end
end

rule "never" exists k : 0 .. 1 : x.c != x.b & k = 1 endexists ==>
  for k := 0 to One : x.a := k end
  while x.a = 2 : x.a := 0 end
  alias do clear x end
end
invariant y = (x.a + x.b) % 2 "parity"
