-- clew: verdict=holds exit=0 options="--no-deadlock"
-- clew: verdict=violated exit=12 options="--no-deadlock --param HASTY=true"
--
-- Two-phase commit: several servers do something together, all of them or none.
--
-- The coordinator asks everybody. A participant that is able to do its part promises that it will, and from
-- then on it may not change its mind. When all have promised, the coordinator orders to commit; when one has
-- refused, or somebody does not answer in time, it orders to abort. Messages are in a multiset: they may
-- overtake each other, and they may be lost.
--
--   clew check examples/two_phase_commit.m --no-deadlock
--   clew check examples/two_phase_commit.m --no-deadlock --param HASTY=true
--
-- The bug of HASTY: a participant that has promised and waits for long gives up by itself. It seems harmless,
-- because nothing has happened yet; but the order to commit may be on its way to the others.
--
-- Deadlocks are left out: messages may be lost, so a participant may wait for ever. That is the known weakness
-- of the protocol, and no mistake of the model.

const
  PARTICIPANTS: 2;
  MESSAGES: 3;
  HASTY: false;

type
  participant: scalarset(PARTICIPANTS);
  kind: enum {ask, promise, refuse, commit, abort};
  message: record what: kind; who: participant; end;

var
  net: multiset [MESSAGES] of message;
  coordinator: enum {starting, asking, committing, aborting};
  asked: array [participant] of boolean;    -- or, later, told
  promised: array [participant] of boolean; -- as the coordinator knows
  at: array [participant] of enum {working, ready, committed, aborted};

procedure send(what: kind; who: participant);
var m: message;
begin
  m.what := what;
  m.who := who;
  multisetadd(m, net);
end;

function has_room(): boolean;
begin
  return multisetcount(i: net, true) < MESSAGES;
end;

startstate "everybody works"
  coordinator := starting;
  undefine net;
  for p: participant do
    asked[p] := false;
    promised[p] := false;
    at[p] := working;
  end;
end;

rule "begin" coordinator = starting ==> coordinator := asking; end;

ruleset p: participant do
  rule "ask" coordinator = asking & !asked[p] & has_room() ==>
    asked[p] := true;
    send(ask, p);
  end;

  rule "tell" (coordinator = committing | coordinator = aborting) & !asked[p] & has_room() ==>
    asked[p] := true;
    send(coordinator = committing ? commit : abort, p);
  end;

  rule "give up while waiting" HASTY & at[p] = ready ==> at[p] := aborted; end;
end;

rule "all have promised" coordinator = asking & forall p: participant do promised[p] end ==>
  coordinator := committing;
  for p: participant do asked[p] := false; end;
end;

rule "time is over" coordinator = asking ==>
  coordinator := aborting;
  for p: participant do asked[p] := false; end;
end;

choose i: net do
  rule "receive" true ==>
    var what: kind; who: participant;
  begin
    what := net[i].what;
    who := net[i].who;
    multisetremove(i, net);
    switch what
    case ask:
      if at[who] = working then
        at[who] := ready;
        send(promise, who);
      end;
    case promise:
      promised[who] := true;
    case refuse:
      if coordinator = asking then
        coordinator := aborting;
        for p: participant do asked[p] := false; end;
      end;
    case commit:
      if at[who] = ready then at[who] := committed; end;
    case abort:
      if at[who] != committed then at[who] := aborted; end;
    end;
  end;

  rule "refuse" net[i].what = ask & at[net[i].who] = working ==>
    var who: participant;
  begin
    who := net[i].who;
    multisetremove(i, net);
    at[who] := aborted;
    send(refuse, who);
  end;

  rule "lose" true ==> multisetremove(i, net); end;
end;

invariant "all or none"
  !exists p: participant do exists q: participant do at[p] = committed & at[q] = aborted end end;
