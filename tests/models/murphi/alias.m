-- clew: states=4 transitions=8 verdict=holds exit=0
-- An alias is bound once: changing what its indices were computed from does not move it. It may name
-- a place (which can be written) or a value, hide other names, and enclose rules, where it is bound
-- anew for the guard and for the body. A cycle of four, twice.
type pid: 0..3;
var
  turn: pid;
  a: array [pid] of record n: 0..9; next: pid; end;

startstate
  turn := 0;
  for p: pid do a[p].n := 0; a[p].next := (p + 1) % 4; end;
end;

alias me: a[turn]; succ: a[a[turn].next] do
  rule "in statements" me.n = 0 & me.next = (turn + 1) % 4 ==>
    alias t: turn; old: turn + 0; n: a[turn].n do
      t := (t + 1) % 4;
      assert turn = (old + 1) % 4 "t follows turn, old does not";
      n := 5;
      assert a[old].n = 5 & a[turn].n = 0 "n has not moved";
      assert me.n = 5 & succ.n = 0 "neither have those around the rule";
      n := 0;
      alias n: a do assert n[old].n = 0; end;
    end;
  end;
  ruleset p: pid do
    alias mine: a[p]; sum: p + me.n do
      rule "around rules" p = turn & mine.next = me.next & sum = p ==>
        turn := mine.next;
        assert mine.next = turn;
        assert sum = p;
      end;
    end;
  end;
end;
