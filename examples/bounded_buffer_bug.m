-- clew: verdict=violated exit=14
-- clew: verdict=violated exit=10 options="--param LOCK=true"
-- clew: verdict=holds exit=0 options="--param LOCK=true --param WAKE_ALL=true"
--
-- Producers and consumers around a bounded buffer, with two classic bugs.
--
--   clew check examples/bounded_buffer_bug.m
--
-- finds the first one: a producer looks whether there is room, and puts its item later, in another
-- step; meanwhile someone else has taken the last place. The counterexample is the shortest one.
--
--   clew check examples/bounded_buffer_bug.m --param LOCK=true
--
-- repairs that (looking and putting happen in one step, as under a lock) and finds the second: a
-- sleeper is woken after each operation, but only one. When a consumer wakes another consumer, who
-- goes back to sleep because the buffer is empty, the signal is lost and soon everybody sleeps: a
-- deadlock.
--
--   clew check examples/bounded_buffer_bug.m --param LOCK=true --param WAKE_ALL=true
--
-- wakes everybody each time, which holds.

const
  SIZE: 1;
  PRODUCERS: 2;
  CONSUMERS: 2;
  LOCK: false;
  WAKE_ALL: false;

type
  -- Scalarsets are sets of values that are all alike: it does not matter which producer is which.
  producer: scalarset(PRODUCERS);
  consumer: scalarset(CONSUMERS);
  -- A union has the values of its members.
  thread: union {producer, consumer};

var
  items: 0..SIZE;
  state: array [thread] of enum {running, has_looked, asleep};

function may_go(t: thread): boolean;
begin
  return ismember(t, producer) ? items < SIZE : items > 0;
end;

procedure act(t: thread);
begin
  state[t] := running;
  if ismember(t, producer) then
    items := items + 1; -- out of its range when the buffer is full: clew reports that
  else
    items := items - 1;
  end;
end;

procedure wake_all();
begin
  for s: thread do
    if state[s] = asleep then state[s] := running; end;
  end;
end;

startstate "everybody is running, the buffer is empty"
  items := 0;
  for t: thread do state[t] := running; end;
end;

ruleset t: thread do

  rule "fall asleep" state[t] = running & !may_go(t) ==>
    state[t] := asleep;
  end;

  rule "look" !LOCK & state[t] = running & may_go(t) ==>
    state[t] := has_looked;
  end;

  -- With the lock a thread acts in the same step in which it looks.
  alias ready: LOCK ? state[t] = running & may_go(t) : state[t] = has_looked do

    rule "act, wake everybody" ready & WAKE_ALL ==>
      act(t);
      wake_all();
    end;

    rule "act, nobody sleeps" ready & !WAKE_ALL & forall s: thread do state[s] != asleep end ==>
      act(t);
    end;

    -- Which sleeper is woken is up to the system: one instance of the rule for each.
    ruleset sleeper: thread do
      rule "act, wake one" ready & !WAKE_ALL & state[sleeper] = asleep ==>
        act(t);
        state[sleeper] := running;
      end;
    end;

  end;

end;

invariant "the buffer is never overfull" items <= SIZE;
