# --goal and --invariant: questions of the command line.

# A token goes from A to B to C and stops there; the assertion and the deadlock are not asked for.
write_token() {
  cat >token.dve <<'MODEL'
byte at, steps;
process P {
  byte seen[3];
  state going, there;
  init going;
  assert there: steps < 2;
  trans going -> going { guard at < 2; effect seen[at] = 1, at = at + 1, steps = steps + 1; },
        going -> there { guard at == 2; };
}
system async;
MODEL
}

test_goal_reached() {
  write_token
  local exec
  for exec in interp native; do
    run check token.dve --goal 'at == 2 and P.going' --exec $exec --json result.json
    expect_status 12
    expect_out '^REACHED: goal "at == 2 and P.going" is reached after 2 steps\.$'
    expect_out '^   2  P: going -> going$'
    expect_out '^  REACHED      goal "at == 2 and P.going"$'
    expect_out '^  not checked  deadlock$'
    expect_json result.json
    grep -q '"kind": "goal"' result.json || give_up "the kind is not a goal"
    run check "$models/lock.m" --goal 'exists p : proc do at[p] = critical end' --exec $exec
    expect_status 12
    expect_out '^REACHED: goal "exists p : proc do at\[p\] = critical end" is reached after 2 steps\.$'
    expect_silent_err
  done
}
test_goal_unreachable() {
  write_token
  local exec
  for exec in interp native; do
    run check token.dve --goal 'P->seen[1] > P->seen[0]' --exec $exec
    expect_status 0
    expect_out '^HOLDS: 2 of the 4 properties were checked on all 4 reachable states'
    expect_out '^  ok           assertions$'
    expect_out '^  unreachable  goal "P->seen\[1\] > P->seen\[0\]"$'
    run check "$models/lock.m" --goal 'at[1] = critical & free' --exec $exec
    expect_status 0
    expect_out '^  not checked  invariant "mutual exclusion"$'
    expect_out '^  unreachable  goal "at\[1\] = critical & free"$'
  done
}
test_invariant_of_the_command_line() {
  write_token
  local exec
  for exec in interp native; do
    run check token.dve --invariant 'P.there imply steps == 2' --exec $exec
    expect_status 0
    expect_out '^  ok           invariant "P.there imply steps == 2"$'
    run check token.dve --invariant 'steps < 2' --exec $exec
    expect_status 12
    expect_out '^VIOLATED: invariant "steps < 2" fails after 2 steps\.$'
    run check "$models/lock.m" --invariant 'at[1] != waiting' --exec $exec
    expect_status 12
    expect_out '^VIOLATED: invariant "at\[1\] != waiting" fails after 1 step\.$'
  done
}
test_goal_with_properties() {
  write_token
  run check token.dve --goal 'at == 3' --property deadlock
  expect_status 10
  run check token.dve --goal 'at == 3' --property 'assert in P.there'
  expect_status 12
  expect_out '^VIOLATED: invariant "assert in P.there" fails after 3 steps\.$'
  run check "$models/race.m" --goal 'false'
  expect_status 0
}
test_goals_repeated() {
  write_token
  run check token.dve --goal 'at == 3' --invariant 'at < 3' --goal 'P.there' --invariant 'true'
  expect_status 12
  expect_out '^REACHED: goal "P.there" is reached after 3 steps\.$'
  run stats token.dve --goal 'at == 3' --invariant 'at < 2' --goal 'P.there'
  expect_status 0
  expect_out '^  unreachable  goal "at == 3"$'
  expect_out '^  REACHED      goal "P.there"$'
  expect_out '^  VIOLATED     invariant "at < 2"$'
}
test_goal_replay() {
  write_token
  run check token.dve --goal 'P.there' --trace t.json
  expect_status 12
  expect_out '^The counterexample is saved in t.json: clew replay t.json$'
  run replay token.dve t.json --goal 'P.there'
  expect_status 0
  expect_out '^CONFIRMED: goal "P.there" is reached after 3 steps\.$'
  run replay token.dve t.json
  expect_status 0
  run replay token.dve t.json --goal 'P.going'
  expect_status 65
  expect_lines err 1
  expect_err '^t.json: error: it answers a question of the command line: say --goal "P.there" here too$'
  run replay token.dve t.json --invariant 'P.there'
  expect_status 65
}
test_goal_run_time_error() {
  write_token
  run check token.dve --goal '1 / (2 - at) > 3' --trace t.json
  expect_status 14
  expect_out '^VIOLATED: a run-time error happens after 2 steps, where goal "1 / \(2 - at\) > 3" is evaluated: division by zero in "1 / \(2 - at\)" \(--goal, line 1, column 1\)\.$'
  run replay token.dve t.json --goal '1 / (2 - at) > 3'
  expect_status 0
  run replay token.dve t.json
  expect_status 0
  run replay token.dve t.json --goal 'at == 1'
  expect_status 65
}
test_goal_elsewhere() {
  run simulate "$models/lock.m" --goal 'at[1] = critical | at[2] = critical'
  expect_status 12
  expect_out '^REACHED: goal .* is reached after [0-9]+ steps\.$'
  run info "$models/lock.m" --goal 'free' --invariant 'free'
  expect_status 0
  expect_out '^  goal "free"  reads 1 slot$'
  expect_out '^  invariant "free \(2\)"  reads 1 slot$'
  run graph "$models/lock.m" -o g.dot --goal free
  expect_usage '--goal does not apply to graph'
}
test_goal_errors() {
  write_token
  run check token.dve --goal 'at == 2 and P.gone'
  expect_status 65
  expect_err "^--goal:1:15: error: unknown state 'gone' of process 'P'$"
  expect_err '^at == 2 and P.gone$'
  expect_err '^              \^~~~$'
  run check "$models/lock.m" --invariant 'at[1]'
  expect_status 65
  expect_err '^--invariant:1:1: error: the expression must be a boolean, not of type place$'
  run check "$models/lock.m" --goal ''
  expect_status 65
  expect_err '^--goal:1:1: error: expected an expression, found the end of the expression$'
}
# Decided early, but not everything that stands there was: that is what the sentence says.
test_queries_beside_others_that_nothing_checks() {
  printf 'process P() { state a; init a; }\nsystem P;\n' >some.xta
  printf 'E<> P.a\nPr[<=10](<> P.a)\nsimulate [<=10] {P.a}\n' >some.q
  run check some.xta
  expect_status 20
  expect_out '^INCOMPLETE: everything that can be checked is decided after 1 state, but 2 parts of the model were not checked\.$'
  expect_out '^  satisfied +query "E<> P\.a"$'
  expect_out '^  not checked  simulate '
}
