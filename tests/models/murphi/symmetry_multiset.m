-- A multiset of messages between interchangeable nodes, each message with a set of nodes inside.
-- A message has a sender (3) and a set of readers (2^3): 24 kinds; multisets of at most 2 of them:
-- 1 + 24 + (24 * 25) / 2 = 325 states.
-- Reduced, by Burnside over the 6 renamings: identity 325; a transposition fixes 1 sender and 4
-- sets, so 4 kinds, and exchanges 10 pairs of kinds: multisets fixed: 1 + 4 + (4 * 5 / 2 + 10) = 25,
-- three of them; a rotation fixes no kind, and a multiset of 2 kinds would need both fixed: 1, two
-- of them. (325 + 75 + 2) / 6 = 67.
-- clew: states=67 verdict=holds exit=0
-- clew: states=325 verdict=holds exit=0 options="--no-symmetry"
const
  Room: 2;
type
  node: scalarset(3);
  message: record
    sender: node;
    reads: array [node] of boolean;
  end;
var
  net: multiset [Room] of message;

ruleset s: node; a: boolean; b: boolean; c: boolean do
  ruleset x: node; y: node do
    rule "send"
      -- x and y, with the third node, stand for an order of the nodes: any order will do
      x != y & multisetcount(i: net, true) < Room
    ==>
    var m: message;
    begin
      m.sender := s;
      for n: node do
        m.reads[n] := c;
      end;
      m.reads[x] := a;
      m.reads[y] := b;
      multisetadd(m, net);
    end;
  end;
end;

choose i: net do
  rule "receive"
    true
  ==>
    multisetremove(i, net);
  end;
end;

startstate
  undefine net;
end;
