-- The value that the last iteration of a loop over a scalarset leaves: there is no last one, so
-- this is refused.
-- clew: exit=65
type
  lamp: scalarset(3);
var
  chosen: lamp;

rule "stay" end;

startstate
  for l: lamp do
    chosen := l;
  end;
end;
