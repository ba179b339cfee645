-- Six processes join a queue of three, each with one of two values. The order of joining and the
-- values decide everything else: who is where in a long array (places), what each has (own items),
-- who precedes whom, to a fixed start (links), and who was there first (a relation). Those that
-- have not joined are interchangeable.
-- Unreduced: the processes in the queue in order, 6!/(6-k)! ways for k = 0..3, with 2^k ways to
-- choose values: 1 + 12 + 120 + 960 = 1093. Once there is a first one it may be made leader:
-- 1 + 2 * 1092 = 2185 states.
-- Reduced: processes have no names, and values are the same as the first one or not: 1, 1, 2 and 4
-- ways, so 1 + 2 * 7 = 15 states.
-- clew: states=15 verdict=holds exit=0 options="--no-deadlock"
-- clew: states=2185 verdict=holds exit=0 options="--no-deadlock --no-symmetry"
const
  Processes: 6;
  Room: 3;
type
  pid: scalarset(Processes);
  value: scalarset(2);
  start: scalarset(1);
  spot: union {start, pid};
var
  used: 0..Room;
  place: array [0..8] of record who: pid; what: value; end;
  leader: pid;
  state: array [pid] of record joined: boolean; turns: array [0..1] of 0..Room; end;
  has: array [pid] of value;
  before: array [pid] of spot;
  saw: array [pid] of array [pid] of boolean;

ruleset p: pid; v: value do
  rule "join"
    !state[p].joined & used < Room
  ==>
    state[p].joined := true;
    state[p].turns[used % 2] := used;
    has[p] := v;
    if used = 0 then
      for s: start do before[p] := s; end;
    else
      before[p] := place[used - 1].who;
    end;
    for q: pid do
      saw[p][q] := state[q].joined;
    end;
    place[used].who := p;
    place[used].what := v;
    used := used + 1;
  end;
end;

rule "lead"
  used > 0 & isundefined(leader)
==>
  leader := place[0].who;
end;

startstate
  undefine place;
  undefine leader;
  undefine has;
  undefine before;
  used := 0;
  for p: pid do
    state[p].joined := false;
    state[p].turns[0] := 0;
    state[p].turns[1] := 0;
    for q: pid do
      saw[p][q] := false;
    end;
  end;
end;

invariant "a process that joined has a value"
  forall p: pid do state[p].joined = !isundefined(has[p]) end;
