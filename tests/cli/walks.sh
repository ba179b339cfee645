# simulate, graph, info.

test_simulate_is_reproducible() {
  run simulate "$models/big.m" --seed 7 --steps 50
  expect_status 0
  expect_out '^seed 7$'
  expect_out '^   0  zero$'
  expect_out '^  50  (up|clear), i: [1-9]$'
  expect_out '^The walk ends after 50 steps; no violation on the way\.$'
  expect_silent_err
  cp out first
  run simulate "$models/big.m" --seed 7 --steps 50
  expect_same first out
  run simulate "$models/big.m" --seed 8 --steps 50
  ! cmp -s first out || give_up "another seed gives the same walk"
}
test_simulate_zero_steps() {
  run simulate "$models/big.m" --steps 0
  expect_status 0
  expect_out '^The walk ends after 0 steps'
}
test_simulate_finds_violations() {
  run simulate "$models/race.m" --steps 1000
  expect_status 12
  expect_out '^VIOLATED: invariant "mutual exclusion" fails after [0-9]+ steps\.$'
  run simulate "$models/stop.m"
  expect_status 10
  expect_out '^VIOLATED: a deadlock is reached after 3 steps\.$'
  run simulate "$models/stop.m" --no-deadlock
  expect_status 0
  run simulate "$models/range.m"
  expect_status 14
  expect_out '^VIOLATED: a run-time error happens after 3 steps: '
  run simulate "$models/undefined.m"
  expect_status 14
}
test_simulate_step_by_step() {
  printf '1\n1\nx\ns\nu\nr 2\n99\nu\nu\nu\nu\nu\nq\n' >input
  timeout 60 "$clew" simulate "$models/lock.m" --interactive <input >out 2>err
  status=$?
  expect_status 0
  expect_out '^  \[1\] all idle$'
  expect_out '^   0  all idle$'
  expect_out '^   1  ask, p: 1$'
  expect_out '^There is no such transition or command'
  expect_out '^> s$'
  expect_out '^        free = true$'
  expect_out '^Back at step 0\.$'
  expect_out '^There is nothing to undo\.$'
}
test_simulate_end_of_input() {
  timeout 60 "$clew" simulate "$models/lock.m" --interactive </dev/null >out 2>err
  status=$?
  expect_status 0
}

# Everything that a dialogue knows, by a script.
test_simulate_commands() {
  printf '%s\n' h 1 1 'g 1 = 1' 'goto free = false' 'p 1' 'save walk.json' m l '/ask' 'g at[1] = at[2] & free & at[1] = critical' 'g nosuch = 1' \
    'p 99' 'w' 'r x' undo state '' zz quit >input
  timeout 60 "$clew" simulate "$models/lock.m" --interactive <input >out 2>err
  status=$?
  expect_status 0
  expect_out '^  g EXPR       go to a nearest state'
  expect_out '^It is true here\.$'
  expect_out '^   2  enter, p: 1$'
  expect_out '^  \[1\] leave, p: 1    at\[1\] = idle, free = true$'
  expect_out '^        free = true$'
  expect_out '^Saved: 2 steps\.$'
  expect_out '^It is true in none of the [0-9]+ states that can be reached from here\.$'
  expect_out 'nosuch'
  expect_out '^Which transition\? '
  expect_out '^To which file\? '
  expect_out '^How many steps\? '
  expect_out '^Back at step 1\.$'
  expect_file walk.json
  run replay walk.json
  expect_status 0
  expect_out '^CONFIRMED: a walk of 2 steps\.$'
}
# A counterexample is where a walk goes on; undo leads back into it.
test_simulate_from_a_trace() {
  run check "$models/race.m" --trace bug.json
  expect_status 12
  printf 'u\nu\n1\nq\n' >input
  timeout 60 "$clew" simulate "$models/race.m" --interactive --from bug.json <input >out 2>err
  status=$?
  expect_status 0
  expect_out '^The walk goes on behind step 4 of bug\.json\.$'
  expect_out '^Back at step 2\.$'
  expect_out '^   3  '
  run simulate "$models/lock.m" --from bug.json
  expect_status 65
  run simulate "$models/race.m" --from none.json
  expect_status 65
  run simulate "$models/race.m" --from bug.json --steps 3 --seed 2
  refuse_out '^   [0-4]  '
}
# More choices than a page has room for.
test_simulate_pages() {
  printf 'var x: 0..99;\nstartstate x := 0; end;\nruleset i: 0..49 do rule "to" x := i; end; endruleset;\n' >wide.m
  printf '1\nm\nm\n/ i: 42\n45\nq\n' >input
  timeout 60 "$clew" simulate wide.m --interactive <input >out 2>err
  status=$?
  expect_status 0
  expect_out '^  \[20\] to, i: 19    x = 19$'
  expect_out '^  and 30 more \(m: more, / TEXT: those with TEXT\)$'
  expect_out '^  and 10 more'
  expect_out '^  \[50\] to, i: 49    x = 49$'
  expect_out '^  \[43\] to, i: 42    x = 42$'
  expect_out '^   1  to, i: 44$'
}
# In a terminal: lines are edited, and the one before comes back by the arrow.
test_simulate_in_a_terminal() {
  cat >drive.py <<'PY'
import os, pty, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[1], [sys.argv[1], "simulate", sys.argv[2]])
seen = b""
def wait(text):
    global seen
    end = time.time() + 30
    while text not in seen:
        if time.time() > end or not select.select([fd], [], [], 30)[0]:
            sys.exit("no %r in %r" % (text, seen))
        seen += os.read(fd, 4096)
    seen = seen[seen.index(text) + len(text):]
wait(b"[1] all idle")
wait(b"> ")
os.write(fd, b"1\n")
wait(b"[2] ask, p: 2")
wait(b"> ")
if sys.argv[3] == "edits":
    os.write(fd, b"\x1b[A\n")   # the line before: 1
else:
    os.write(fd, b"1\n")
wait(b"   1  ask, p: 1")
wait(b"> ")
os.write(fd, b"q\n")
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status))
PY
  python3 -c 'import pty; pty.openpty()' 2>/dev/null || return 0 # no Python, or no terminals where this runs
  local edits=plain
  ldd "$clew" 2>/dev/null | grep -q libedit && edits=edits
  timeout 100 python3 drive.py "$clew" "$models/lock.m" "$edits" >out 2>err
  status=$?
  expect_status 0
}
# Walks: a find is shortened, saved and replays; without one nothing is proved.
test_walks_find() {
  run simulate "$models/race.m" --walks 100 --threads 1 --trace bug.json
  expect_status 12
  expect_out '^VIOLATED: invariant "mutual exclusion" fails after 4 steps \(walk [0-9]+'
  expect_out '^The counterexample is saved in bug\.json: clew replay bug\.json$'
  cp out first
  run replay bug.json
  expect_status 0
  run simulate "$models/race.m" --walks 100 --threads 1 --trace bug.json
  sed -i '/^  time /d' first out
  expect_same first out
  run simulate "$models/stop.m" --walks 10 --threads 2
  expect_status 10
  run simulate "$models/range.m" --walks 10
  expect_status 14
  run simulate "$models/undefined.m" --walks 10 --quiet
  expect_status 14
  refuse_out 'rules fired'
}
test_walks_prove_nothing() {
  run simulate "$models/lock.m" --walks 20 --steps 50 --threads 2 --seed 9
  expect_status 20
  expect_out '^INCOMPLETE: no violation in 20 walks of 1,000 steps in all\. Walks prove nothing: clew check does\.$'
  expect_out '^  rules fired      3 of 3$'
  expect_out '^  seed             9$'
  refuse_out HOLDS
  printf 'var x: 0..3;\nstartstate x := 0; end;\nrule "on" x := 1 - x; end;\nrule "never" x = 3 ==> x := 0; end;\n' >never.m
  run simulate never.m --walks 3
  expect_status 20
  expect_out '^Never fired on these walks:$'
  expect_out '^  never \(line 4\)$'
  run simulate "$models/big.m" --walks 1000000000 --max-time 0.2
  expect_status 20
  expect_out '^INCOMPLETE: the time limit is reached; no violation in '
  run simulate "$models/lock.m" --walks 3 --interactive
  expect_usage '--walks cannot be used with --interactive'
  run simulate "$models/lock.m" --trace x.json
  expect_usage '--trace is for --walks'
}
# The JSON of walks has the keys of a search, and what the walks did.
test_walks_json() {
  run simulate "$models/race.m" --walks 100 --threads 1 --json walks.json --trace bug.json
  expect_status 12
  expect_out '^VIOLATED: '
  expect_json walks.json
  expect_key walks.json command simulate
  expect_key walks.json verdict violated
  expect_key walks.json exit_code 12
  expect_key walks.json complete false
  expect_key walks.json seed 1
  expect_key walks.json threads 1
  grep -q '^    "found_in": [1-9]' walks.json || give_up "walks.json does not say which walk found it"
  grep -q '^    "file": "bug.json"' walks.json || give_up "walks.json does not name the trace"
  ! grep -q '"store"\|"dd"' walks.json || give_up "walks.json speaks of a store"
  printf 'var x: 0..3;\nstartstate x := 0; end;\nrule "on" x := 1 - x; end;\nrule "never" x = 3 ==> x := 0; end;\n' >never.m
  run simulate never.m --walks 3 --steps 5 --json - --trace bug.json
  expect_status 20
  expect_json out
  expect_key out verdict incomplete
  expect_key out stop 'walks prove nothing'
  expect_out '^    "taken": 3,$'
  expect_out '^    "steps": 15,$'
  expect_out '^    "rules_fired": 1,$'
  tr -d ' \n' <out | grep -q '"rules_never_fired":\[{"name":"never","line":4}\]' || give_up "the rule is not named"
  expect_err '^clew: note: bug\.json is older than this run'
  run simulate never.m --walks 3 --json x.json --trace x.json
  expect_usage '--trace and --json name the same file'
  run simulate never.m --json x.json
  expect_usage '--json is for --walks'
}
# What was asked for is found: the answer, if it was the only question.
test_walks_reach() {
  run simulate "$examples/fischer.xta" --walks 100 --query 'E<> P(1).critical' --json one.json
  expect_status 0
  expect_out '^SATISFIED: '
  expect_key one.json verdict holds
  run simulate "$examples/fischer.xta" --walks 100 --query 'E<> P(1).critical' --query 'A[] true' --json two.json
  expect_status 20
  expect_out '^SATISFIED: '
  expect_out '^INCOMPLETE: the walks end here; other properties are not decided\.$'
  expect_key two.json verdict incomplete
  expect_key two.json exit_code 20
}
# Deep and narrow: breadth-first search would have to store a million states first.
test_walks_go_deep() {
  cat >deep.m <<'MODEL'
type id: 0..11;
var at: array [id] of 0..3; steps: 0..400;
startstate for i: id do at[i] := 0; end; steps := 0; end;
ruleset i: id do rule "turn" steps < 400 ==> at[i] := (at[i] + 1) % 4; steps := steps + 1; end; endruleset;
rule "rest" steps = 400 ==> steps := 0; end;
invariant "short" steps < 390;
MODEL
  run simulate deep.m --walks 4 --threads 1
  expect_status 12
  expect_out '^VIOLATED: invariant "short" fails after 390 steps'
}
# Through zones, with moments in the counterexample.
test_walks_of_timed_models() {
  run simulate "$examples/lease_bug.xta" --walks 1000 --threads 1 --trace bug.json
  expect_status 12
  expect_out '^  *[0-9]+  .*@ '
  run replay bug.json
  expect_status 0
  run simulate "$examples/fischer.xta" --walks 20 --steps 50
  expect_status 20
  printf '1\ng P(1).critical\ns\nq\n' >input
  timeout 60 "$clew" simulate "$examples/fischer.xta" --interactive <input >out 2>err
  status=$?
  expect_status 0
  expect_out '= critical$'
}

test_graph_aut() {
  run graph "$models/lock.m" -o lock.aut
  expect_status 0
  expect_out '^lock.aut: 8 states, 1[0-9] transitions$'
  head -n 1 lock.aut | grep -Eqx 'des \(0, 1[0-9], 8\)' || give_up "the head of lock.aut is wrong"
  grep -Eqx '\(0, "ask, p: 1", [0-9]+\)' lock.aut || give_up "no transition in lock.aut"
  [ "$(wc -l <lock.aut)" -eq $(($(sed -n '1s/des (0, \([0-9]*\),.*/\1/p' lock.aut) + 1)) ] ||
    give_up "the number of transitions is wrong"
}
test_graph_of_several_initial_states() {
  run graph "$models/starts.m" -o s.aut
  expect_status 0
  head -n 1 s.aut | grep -qx 'des (0, 6, 4)' || give_up "the head of s.aut is wrong"
  grep -qx '(0, "from, i: 2", 3)' s.aut || give_up "no artificial initial state"
}
test_graph_dot() {
  run graph "$models/stop.m" -o stop.dot
  expect_status 0
  grep -q '^digraph' stop.dot || give_up "no digraph"
  grep -q 's2 -> s3 \[label="count"\];' stop.dot || give_up "no transition"
  grep -q 's3 .*peripheries=2' stop.dot || give_up "the deadlock is not marked"
  run graph "$models/race.m" -o race.dot
  grep -q 'fillcolor' race.dot || give_up "the violation is not marked"
  if command -v dot >/dev/null 2>&1; then
    dot -Tplain race.dot >/dev/null 2>err || give_up "dot does not read it"
  fi
}
test_graph_too_large() {
  run graph "$models/big.m" -o big.dot
  expect_status 20
  expect_err 'more than 10,000 states, so nothing was written'
  refuse_file big.dot
  run graph "$models/lock.m" -o lock.aut --max-states 7
  expect_status 20
  refuse_file lock.aut
  run graph "$models/lock.m" -o lock.aut --max-states 8
  expect_status 0
  expect_file lock.aut
}
test_graph_with_errors() {
  run graph "$models/assertion.m" -o a.aut
  expect_status 0
  expect_err '1 transitions? end'
}

test_info() {
  run info "$models/lock.m" --json info.json
  expect_status 0
  expect_out '^  state +[0-9]+ bits, kept in [0-9]+ bytes$'
  expect_out '^  rules +3 \(6 instances\)$'
  expect_out '^  invariant "mutual exclusion"  \(line 22\)  reads 2 slots$'
  refuse_out '^  priorities '
  expect_out '^  at\[1\] +[0-9] bits +\{idle, waiting, critical\}'
  expect_out '^  may write '
  expect_json info.json
  expect_key info.json instances 6
  expect_key info.json priorities 1
  grep -q '^      "reads": 3$' info.json || give_up "no property reads 3 slots"
  run info "$models/lock.m" --json -
  expect_json out
}
test_info_of_priorities() {
  printf 'var x: 0..3;\nstartstate x := 0; end;\nrule 1 x = 0 ==> x := 1; end;\nrule 5 x := 2; end;\nrule 1 x := 3; end;\n' >ranks.m
  run info ranks.m --json ranks.json
  expect_out '^  priorities +2$'
  expect_key ranks.json priorities 2
}
test_info_of_many_slots_and_rules() {
  printf 'var a : array [1..20000] of 0..7;\nstartstate begin clear a; end;\nruleset i : 1..20000 do rule a[i] < 7 ==> begin a[i] := a[i] + 1; end; end;\n' >wide.m
  run info wide.m
  expect_status 0
  expect_out 'and 19960 more'
  expect_out '^  reads +1\.0 of 20000 slots'
  # Where a row of the matrix is long, few are looked at.
  printf 'var a : array [1..100000] of 0..7;\nstartstate begin clear a; end;\nruleset i : 1..100000 do rule a[i] < 7 ==> begin for j : 1..100000 do a[j] := 1; end; end; end;\n' >wide.m
  run info wide.m --json wide.json
  expect_out '^Dependencies, mean of a rule instance \(a sample of [0-9]{3}\):$'
  expect_out '^  may write +100000\.0 of 100000 slots'
}

test_simulate_by_delays() {
  cat >wait.xta <<'END'
clock x, y;
process P() {
  state a { x <= 5 }, b { y < 9 };
  init a;
  trans a -> b { guard x > 2; assign x = 1; }, b -> a { guard y >= 8; assign x = 0; };
}
system P;
END
  # In a until 5; x = 1 and y = 2.5 in b, where y >= 8 is 5.5 later.
  printf '1\nd 2.25\n1 9\n1 0.25\n1\nu\nu\nd 99\nd x\nq\n' >input
  timeout 60 "$clew" simulate wait.xta --delays --interactive --query 'A[] y < 8' <input >out 2>err
  status=$?
  expect_status 0
  expect_out '^  \[1\] P: a -> b  after \(2, 5\]$'
  expect_out '^  time may pass: \[0, 5\]$'
  expect_out '^      time passes  @ 2\.25$'
  expect_out '^It can be taken after \[0, 2\.75\] only\.$'
  expect_out '^   1  P: a -> b  @ 2\.5$'
  expect_out '^        x = 1, y = 2\.5$'
  expect_out '^      time passes  @ 8$'
  expect_out '^VIOLATED: invariant "A\[\] y < 8" fails after 1 step\.$'
  expect_out '^Back at step 1\.$'
  expect_out '^  time may pass: \[0, 6\.5\)$'
  expect_out '^How long\? For example: d 1\.5$'
  # A random walk with times that are in order; it does not go on where nothing can happen.
  run simulate wait.xta --delays --steps 3 --seed 4
  expect_status 0
  expect_out '^   2  P: b -> a  @ (8|8\.[0-9]+)$'
  expect_out '^The walk ends here: nothing can happen any more\.$'
  run simulate "$models/lock.m" --delays
  expect_status 2
  expect_err 'delays needs a timed model'
}
