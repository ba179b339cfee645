-- clew: states=8 transitions=8 symmetry=off verdict=holds exit=0 options="--no-deadlock --no-symmetry"
-- clew: states=6 transitions=7 verdict=holds exit=0 options="--no-deadlock"
-- clew: exit=14 verdict=violated options="--param WHICH=1"
-- clew: exit=14 verdict=violated options="--param WHICH=2"
-- clew: exit=14 verdict=violated options="--strict-undefined"
-- As in CMurphi, a function of an enumerated type may return an undefined value. It can be copied, and
-- compared if the type is a scalarset or a union; an undefined enumeration or index is still an error.
-- n goes from 0 to 5; from 4 on there is one state for each owner.
const WHICH: 0;
type P: scalarset(2); E: enum {Nil, Err}; U: union {P, E};
var p, q: P; u: U; e: E; n: 0..9; a: array [P] of 0..1;

function owner(): P; begin return p; end;
function again(): P; begin return owner(); end;
function note(): U; begin if n = 9 then return Nil; end; return u; end;
function either(): E; begin return e; end;

startstate n := 0; end;

ruleset i: P do
  rule "nobody" n = 0 & owner() != i & !(again() = i) & note() != i & note() = u & again() = q ==>
    n := 1;
  end;
end;
rule "copy" n = 1 ==>
  q := owner(); u := note(); e := either(); owner();
  switch note() case Nil: n := 9; else n := 2; end;
end;
rule "was copied" n = 2 & isundefined(q) & isundefined(u) & isundefined(e) ==> n := 3; end;
ruleset i: P do
  rule "own" n = 3 ==> p := i; u := i; e := Err; n := 4; end;
  rule "check" n = 4 & owner() = i & note() = i & again() = i & either() = Err ==>
    a[owner()] := 1; undefine p; undefine e; n := 5;
  end;
end;
rule "compare" n = 5 & WHICH = 1 ==> if either() = Nil then n := 6; end; end;
rule "index" n = 5 & WHICH = 2 ==> a[owner()] := 1; end;
