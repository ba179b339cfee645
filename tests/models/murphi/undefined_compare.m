-- clew: states=13 transitions=18 symmetry=off verdict=holds exit=0 options="--no-symmetry"
-- clew: states=5 transitions=8 symmetry=canonical verdict=holds exit=0
-- clew: exit=14 verdict=violated options="--strict-undefined"
-- As in CMurphi, an undefined scalarset or union compares like a value of its own: different from
-- every other one, equal to another undefined one. Models rely on `owner != p` before anybody owns.
-- States (owner, last, note), with - for undefined: (-, -, -), and for each p (p, -, p), (-, p, -),
-- (p, p, p), (-, p, Lost). Transitions: 3, and for each p 1 + 1 + 2 + 1.
type
  Proc: scalarset(3);
  Why: enum {Free, Lost};
  Owner: union {Proc, Why};
var
  owner, last: Proc;
  note: Owner;

startstate "nobody" undefine owner; end;

ruleset p: Proc do
  rule "take" owner != p & isundefined(owner) & (last = owner | last = p) & note != Lost ==>
    assert !(owner = p) & !ismember(note, Proc) | note = p;
    owner := p;
    note := p;
  end;
  rule "release" owner = p ==>
    switch note
      case Free: error "it is not free";
      case Lost: error "it is not lost";
      else undefine note;
    end;
    last := p;
    undefine owner;
  end;
  rule "lose" owner = p & last = p ==>
    note := Lost;
    undefine owner;
  end;
  rule "again" owner != p & last = p & note = Lost ==>
    undefine note;
  end;
end;
