-- clew: exit=14 verdict=violated
-- Local variables start undefined, in every execution of a rule and every call.
var n: 0..1;
procedure p(first: boolean); var l: 0..1; begin
  if first then l := 1; p(false); else n := l + 0; end;
end;
startstate n := 0; end;
rule "call" p(true); end;
