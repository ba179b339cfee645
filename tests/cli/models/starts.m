-- Three initial states.
var x : 0..2;
ruleset i : 0..2 do startstate "from" begin x := i; end; end;
rule "turn" true ==> begin x := (x + 1) % 3; end;
