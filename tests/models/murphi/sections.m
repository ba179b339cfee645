-- clew: states=4 transitions=4 verdict=holds exit=0
-- Declarations, procedures and rules in any order; every word that can end something; missing
-- `begin`, empty statements, semicolons where they may be left out. A cycle of four states.
-- Both rumur and CMurphi accept most of this, none of them all of it.
RULE "advance" TRUE ==>
  next()
ENDRULE

Invariant "a property before what it is about" here <= last;

procedure next();
var t: position; begin
  ;;
  if here = last then t := 0;;
  elsif here > last then error "impossible";
  else t := here + 1
  endif;
  switch t
  case 0, 1, 2:
  case 3: ;
  else error "impossible"
  endswitch;
  for i: position do endfor;
  while false do endwhile;
  alias a: here do a := t; endalias
endprocedure;

const N: 4; last: N - 1;
type
  position: 0..last;
  pair: record a, b: position endrecord;

startstate "origin"
  here := 0
endstartstate

function is_valid(p: position): boolean;
  return p >= 0 & p <= last;
endfunction

ruleset i: position do
  invariant forall j: position do is_valid(j) endforall;
endruleset
invariant exists j: position do j = here endexists

var here: position;
