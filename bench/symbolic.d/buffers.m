-- A pipeline of bounded buffers of 0 to CAP items: items enter on one side, move on, and leave.
const N: 24; CAP: 7;
type id: 0..(N-1);
var items: array[id] of 0..CAP;
startstate for i: id do items[i] := 0; end; end;
rule "enter" items[0] < CAP ==> items[0] := items[0] + 1; end;
ruleset i: 0..(N-2) do
  rule "move" items[i] > 0 & items[i+1] < CAP ==> items[i] := items[i] - 1; items[i+1] := items[i+1] + 1; end;
end;
rule "leave" items[N-1] > 0 ==> items[N-1] := items[N-1] - 1; end;
liveness "empties" items[0] = 0 & items[N-1] = 0;
