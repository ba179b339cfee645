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
  expect_out '^Type the number of a transition'
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
