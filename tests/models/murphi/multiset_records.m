-- clew: states=11 transitions=13 verdict=holds exit=0
-- Multisets of records, inside an array of records, through aliases and procedures; elements changed
-- in place; choose over one that depends on a ruleset's parameter.
-- Two mailboxes; a letter is written (hops 0), forwarded once (hops 1) to the other one, then read. At
-- most one letter exists: none, or one in box 0 or 1 with hops 0 or 1. With 0 or 1 letters read that is
-- 5 states each (2 + 2 + 2 transitions), with 2 read there are no letters any more (1 state, 1 transition).
type
  box_id: 0..1;
  letter: record dest: box_id; hops: 0..1; end;
  box: record name: box_id; letters: multiset [2] of letter; end;
var
  boxes: array [box_id] of box;
  read: 0..2;

procedure deliver(l: letter); begin multisetadd(l, boxes[l.dest].letters); end;

startstate
  for b: box_id do boxes[b].name := b; undefine boxes[b].letters; end;
  read := 0;
end;

ruleset b: box_id do
  rule "write"
    read < 2 & multisetcount(i: boxes[0].letters, true) = 0 &
    multisetcount(i: boxes[1].letters, true) = 0
  ==>
  var l: letter;
  begin
    l.dest := b; l.hops := 0;
    deliver(l);
  end;

  alias mine: boxes[b].letters do
    choose i: mine do
      rule "forward" mine[i].hops = 0 ==>
        alias l: mine[i] do
          l.hops := l.hops + 1;
          l.dest := 1 - l.dest;
          deliver(l);
          multisetremove(i, mine);
        end;
      end;
      rule "read" mine[i].hops = 1 ==>
      var l: letter;
      begin
        l := mine[i];
        multisetremove(i, mine);
        assert multisetcount(j: mine, mine[j] = l) = 0;
        read := read + 1;
      end;
    end;
  end;
end;

rule "start again" read = 2 ==> read := 0; end;
