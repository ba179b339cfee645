-- clew: verdict=holds exit=0
-- clew: verdict=violated exit=12 options="--param BUG=true"
--
-- A cache coherence protocol: each processor has a copy of one memory line, which is Modified,
-- Shared or Invalid; a directory knows who has what. Messages travel through a network that may
-- deliver them in any order.
--
--   clew check examples/msi_cache.m
--   clew check examples/msi_cache.m --param BUG=true
--
-- With BUG the directory grants a request to write before the other copies are known to be gone.
-- That goes unnoticed in most executions: the grant has to overtake an invalidation. Such errors are
-- why protocols like this one are model checked. (The author's first version had another one: try
-- what happens when the directory does not wait for `done`.)

const
  PROCS: 2;
  BUG: false;

type
  proc: scalarset(PROCS);
  value: scalarset(2);

  cache_state: enum {I, S, M,           -- stable
                     I_to_S, I_to_M};   -- waiting for an answer

  -- A message is about the line; who sends or receives it is `who`.
  kind: enum {
    get_shared, get_modified,           -- processor to directory: requests
    data, done,                         -- directory to processor: here is the line; thank you
    invalidate, inv_ack,                -- directory to processor, and the answer
    fetch, write_back                   -- the same for the owner of a modified line
  };
  message: record
    what: kind;
    who: proc;
    exclusive: boolean;                 -- of data: may be written
    content: value;
  end;

var
  cache: array [proc] of record state: cache_state; content: value; end;

  -- An unordered network is a multiset: a bag of messages without any order.
  net: multiset [2 * PROCS + 2] of message;

  dir: record
    state: enum {ready,                 -- for a request
                 collecting,            -- acknowledgements, or the line from its owner
                 granting};             -- the line is on its way to the client
    client: proc;                       -- whose request it is
    wants_modified: boolean;
    sharers: array [proc] of boolean;
    has_owner: boolean;
    owner: proc;
    pending: 0..PROCS;                  -- acknowledgements still to come
    memory: value;
  end;

  -- Not part of the protocol: the last value that anybody wrote, to state what is correct.
  latest: value;

----------------------------------------------------------------------------------------------------
-- Sending

procedure send(what: kind; who: proc);
var m: message;
begin
  -- Fields that are not set stay undefined, which is one more value: clew checks that nobody reads
  -- them, and it keeps states that differ in nothing relevant together.
  m.what := what;
  m.who := who;
  multisetadd(m, net);
end;

procedure send_data(who: proc; exclusive: boolean; content: value);
var m: message;
begin
  m.what := data;
  m.who := who;
  m.exclusive := exclusive;
  m.content := content;
  multisetadd(m, net);
end;

-- The directory has everything it waited for.
procedure finish_request();
begin
  send_data(dir.client, dir.wants_modified, dir.memory);
  if dir.wants_modified then
    for p: proc do dir.sharers[p] := false; end;
    dir.has_owner := true;
    dir.owner := dir.client;
  else
    dir.sharers[dir.client] := true;
  end;
  dir.state := granting;
end;

----------------------------------------------------------------------------------------------------
-- Processors

ruleset v: value do
  startstate "memory has the only copy"
    undefine cache; undefine net; undefine dir;
    for p: proc do
      cache[p].state := I;
      dir.sharers[p] := false;
    end;
    dir.state := ready;
    dir.has_owner := false;
    dir.pending := 0;
    dir.memory := v;
    latest := v;
  end;
end;

ruleset p: proc do
  alias mine: cache[p] do

    rule "wants to read" mine.state = I ==>
      mine.state := I_to_S;
      send(get_shared, p);
    end;

    rule "wants to write" mine.state = I ==>
      mine.state := I_to_M;
      send(get_modified, p);
    end;

    rule "drops a clean copy" mine.state = S ==>
      -- Silently: the directory will invalidate a copy that is gone already, which is harmless.
      mine.state := I;
      undefine mine.content;
    end;

    ruleset v: value do
      rule "writes" mine.state = M ==>
        mine.content := v;
        latest := v;
      end;
    end;

    choose i: net do
      rule "receives the line" net[i].what = data & net[i].who = p ==>
        assert mine.state = I_to_S | mine.state = I_to_M "data that nobody asked for";
        mine.state := net[i].exclusive ? M : S;
        mine.content := net[i].content;
        multisetremove(i, net);
        send(done, p);
      end;

      rule "is told to drop its copy" net[i].what = invalidate & net[i].who = p ==>
        if mine.state = S then
          mine.state := I;
          undefine mine.content;
        end;
        multisetremove(i, net);
        send(inv_ack, p);
      end;

      rule "is told to give the line back" net[i].what = fetch & net[i].who = p ==>
      var m: message;
      begin
        assert mine.state = M;
        m.what := write_back;
        m.who := p;
        m.content := mine.content;
        multisetremove(i, net);
        multisetadd(m, net);
        mine.state := I;
        undefine mine.content;
      end;
    end;

  end;
end;

----------------------------------------------------------------------------------------------------
-- The directory serves one request after the other.

choose i: net do
  alias m: net[i] do

    rule "request"
      dir.state = ready & (m.what = get_shared | m.what = get_modified)
    ==>
      dir.state := collecting;
      dir.client := m.who;
      dir.wants_modified := m.what = get_modified;
      multisetremove(i, net);
      if dir.has_owner then
        send(fetch, dir.owner);
        dir.pending := 1;
      elsif dir.wants_modified then
        for p: proc do
          if dir.sharers[p] & p != dir.client then
            send(invalidate, p);
            dir.pending := dir.pending + 1;
          end;
        end;
      end;
      if dir.pending = 0 | (BUG & !dir.has_owner) then finish_request(); end;
    end;

    rule "acknowledgement" m.what = inv_ack ==>
      multisetremove(i, net);
      dir.pending := dir.pending - 1;
      if dir.pending = 0 & dir.state = collecting then finish_request(); end;
    end;

    rule "done" m.what = done ==>
      multisetremove(i, net);
      dir.state := ready;
      undefine dir.client;
      undefine dir.wants_modified;
    end;

    rule "the line comes back" m.what = write_back ==>
      dir.memory := m.content;
      dir.has_owner := false;
      undefine dir.owner;
      dir.pending := 0;
      multisetremove(i, net);
      finish_request();
    end;

  end;
end;

----------------------------------------------------------------------------------------------------
-- What it is all about

invariant "one writer, or readers"
  forall p: proc do
    forall q: proc do
      p != q & cache[p].state = M -> cache[q].state != M & cache[q].state != S
    end
  end;

invariant "copies are up to date"
  forall p: proc do
    cache[p].state = S | cache[p].state = M -> cache[p].content = latest
  end;
