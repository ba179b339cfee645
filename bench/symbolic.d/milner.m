-- Milner's cyclic scheduler: a token goes round, each cell starts its task when it has the token,
-- and may not start again before the task has ended.
const N: 40;
type id: 0..(N-1);
var token: array[id] of boolean; busy: array[id] of boolean; waits: array[id] of boolean;
startstate for i: id do token[i] := i = 0; busy[i] := false; waits[i] := false; end; end;
ruleset i: id do
  rule "start" token[i] & !busy[i] & !waits[i] ==> busy[i] := true; waits[i] := true; end;
  rule "pass" token[i] & waits[i] ==> token[i] := false; token[(i+1)%N] := true; waits[i] := false; end;
  rule "end" busy[i] ==> busy[i] := false; end;
end;
invariant "one token" !(token[0] & token[1]);
