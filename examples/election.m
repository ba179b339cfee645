-- clew: verdict=holds exit=0
-- clew: verdict=violated exit=12 options="--param CARELESS=true"
--
-- Electing a leader in a ring (Chang and Roberts 1979). Stations pass messages to the next one only, and each
-- knows its own number. A station that wants an election sends its number. A station that gets a number passes
-- it on if it is greater than its own; a smaller one it drops, and sends its own instead, if it did not yet.
-- A station that gets its own number back has the greatest one, and is the leader.
--
--   clew check examples/election.m
--   clew check examples/election.m --param CARELESS=true    (smaller numbers are passed on, too)
--
-- How the numbers are spread around the ring matters for the effort, so all spreads around three
-- stations are starts. `clew stats` says how many states each more station costs.

const
  STATIONS: 3;
  CARELESS: false;

type
  station: 0..STATIONS - 1;
  number: 0..STATIONS; -- 0: the line is empty

var
  own: array [station] of number;
  line: array [station] of number; -- towards this station: one message at a time
  wants: array [station] of boolean;
  leader: array [station] of boolean;

ruleset a: station; b: station; c: station do
  startstate "numbers are spread"
    var e: number;
  begin
    -- Three exchanges make all orders of three stations; further stations keep their numbers.
    for s: station do
      own[s] := s + 1;
      line[s] := 0;
      wants[s] := false;
      leader[s] := false;
    end;
    e := own[0]; own[0] := own[a]; own[a] := e;
    e := own[1]; own[1] := own[b]; own[b] := e;
    e := own[2]; own[2] := own[c]; own[c] := e;
  end;
end;

ruleset s: station do
  alias next: (s + 1) % STATIONS do

    rule "call an election" !wants[s] & line[next] = 0 ==>
      wants[s] := true;
      line[next] := own[s];
    end;

    rule "win" line[s] = own[s] ==>
      line[s] := 0;
      leader[s] := true;
    end;

    rule "pass on" line[s] != 0 & line[s] != own[s] & line[next] = 0 & (line[s] > own[s] | CARELESS) ==>
      line[next] := line[s];
      line[s] := 0;
      wants[s] := true;
    end;

    rule "drop" line[s] != 0 & line[s] < own[s] ==>
      line[s] := 0;
    end;

    rule "a new round" leader[s] & forall t: station do line[t] = 0 end ==>
      leader[s] := false;
      for t: station do wants[t] := false; end;
    end;
  end;
end;

invariant "one leader"
  forall s: station do forall t: station do leader[s] & leader[t] -> s = t end end;
invariant "the greatest"
  forall s: station do leader[s] -> own[s] = STATIONS end;
