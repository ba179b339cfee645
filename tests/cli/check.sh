# Verdicts: what is said, what is written, and the exit status.

test_check_holds() {
  run check "$models/lock.m"
  expect_status 0
  expect_out '^HOLDS: every property was checked on all 8 reachable states \(complete search, exact store\)\.$'
  expect_out '^  ok           deadlock$'
  expect_out '^  ok           invariant "mutual exclusion"$'
  expect_out '^  states           8 \(1 initial\)$'
  expect_out '^  transitions '
  expect_out '^  seed '
  expect_silent_err
}
test_check_invariant() {
  run check "$models/race.m"
  expect_status 12
  expect_out '^VIOLATED: invariant "mutual exclusion" fails after 4 steps\.$'
  expect_out '^   0  all idle$'
  expect_out '^   4  enter, p: [12]$'
  expect_out '^        at\[[12]\] = critical$'
  expect_out '^  VIOLATED     invariant "mutual exclusion"$'
}
test_check_deadlock() {
  run check "$models/stop.m"
  expect_status 10
  expect_out '^VIOLATED: a deadlock is reached after 3 steps\.$'
  run check "$models/stop.m" --no-deadlock
  expect_status 0
  expect_out '^HOLDS: 2 of the 3 properties were checked on all 4 reachable states'
  expect_out '^  not checked  deadlock$'
}
test_check_assertion() {
  run check "$models/assertion.m"
  expect_status 14
  expect_out '^VIOLATED: an assertion fails after 3 steps: .*x is two.*\(line 5, column [0-9]+\)\.$'
  expect_out '^   3  look$'
  expect_out '^        error: '
}
test_check_run_time_error() {
  run check "$models/range.m"
  expect_status 14
  expect_out '^VIOLATED: a run-time error happens after 3 steps: .*\(line 4, column [0-9]+\)\.$'
}
test_check_failing_start() {
  run check "$models/undefined.m" --trace t.json
  expect_status 14
  expect_out '^VIOLATED: a run-time error happens in an initial state: '
  expect_out '^   0  careless'
  run replay "$models/undefined.m" t.json
  expect_status 0
}
test_check_cover() {
  run check "$models/never.m" --json out.json --trace t.json
  expect_status 12
  expect_out '^VIOLATED: cover "three" is never reached\.$'
  expect_json out.json
  refuse_file t.json
}
test_check_liveness() {
  run check "$models/trap.m" --trace t.json
  expect_status 13
  expect_out '^VIOLATED: liveness "home" can never hold again after [0-9]+ steps\.$'
  run replay "$models/trap.m" t.json
  expect_status 0
}
# expect_unchecked FILE PROPERTY WHY: an entry of the list `unchecked` of a JSON result.
expect_unchecked() {
  sed -n '/^  "unchecked": \[/,/^  \]/p' "$1" | tr -d '\n' |
    grep -Eq "\"property\": \"$2\", *\"why\": \"$3\"" || give_up "$1: unchecked lacks $2: $3"
}
# Every start is discarded: nothing was checked, and that is not success.
test_check_no_state() {
  cat >none.m <<'MODEL'
var x : 0..3;
startstate x := 0; end;
rule x < 3 ==> x := x + 1; end;
assume x > 9;
invariant "small" x < 3;
MODEL
  local options
  for options in "" "--search dfs" "--exec interp" "--exec native" "--threads 1" "--store disk" "--store comback"; do
    # shellcheck disable=SC2086
    run check none.m $options --json out.json
    expect_status 20
    expect_out '^ERROR: no state is reachable: 1 assumption \(line 4\) discards the only start; nothing was checked\.$'
    expect_out '^  not decided  invariant "small" \(no state is reachable\)$'
    expect_out '^  states           0 '
    refuse_out HOLDS
    expect_json out.json
    expect_key out.json verdict incomplete
    expect_key out.json exit_code 20
    expect_key out.json states 0
    expect_unchecked out.json small 'no state is reachable'
    ! grep -q '"status": "ok"' out.json || give_up "something is said to be ok"
  done
  run check none.m --store compact
  expect_status 20
  run stats none.m --json out.json
  expect_status 0
  expect_out '^COMPLETE: 0 states: no state is reachable \(exact store\)\.$'
  expect_key out.json exit_code 0
}
# Where no assumption is the reason, the model cannot be right.
test_check_no_start() {
  cat >none.xta <<'MODEL'
clock x;
process P() { state A { x < 0 }, B; init A; trans A -> B { guard x > 2; }; }
system P;
MODEL
  local options
  for options in "" "--zone flat" "--search dfs" "--exec interp"; do
    # shellcheck disable=SC2086
    run check none.xta $options --json out.json
    expect_status 65
    expect_out '^ERROR: no state is reachable: nothing satisfies the invariants of the initial locations; nothing was checked\.$'
    expect_key out.json verdict incomplete
    expect_key out.json exit_code 65
  done
}
# Invariants of locations are the language, not assumptions of somebody.
test_check_location_invariants() {
  printf 'int n; process P() { state A { n < 5 }, B; init A;\ntrans A -> B { guard n < 2; assign n = 7; }, B -> A {}; }\nsystem P;\n' >inv.xta
  run check inv.xta
  expect_status 0
  expect_out '^HOLDS: every property was checked on all 2 reachable states \(complete'
}
# A part of the model that nothing can check: asking for everything gets no success.
test_check_unchecked_part() {
  cat >never.dve <<'MODEL'
byte x;
process P { state s; init s; trans s -> s { effect x = 1 - x; }; }
process Never { state wait, bad; init wait; accept bad; trans wait -> bad { guard x == 1; }, bad -> bad {}; }
system async property Never;
MODEL
  run check never.dve --json out.json
  expect_status 20
  expect_out '^INCOMPLETE: all 2 reachable states were explored, but 1 part of the model was not checked\.$'
  expect_out '^  ok           deadlock$'
  expect_out '^  not checked  .*Never.* \(.+\)$'
  refuse_out HOLDS
  expect_json out.json
  expect_key out.json verdict incomplete
  expect_key out.json complete true
  expect_unchecked out.json '.*Never.*' '.+'
  # A question that leaves it out is answered, and says what it is about.
  run check never.dve --property deadlock
  expect_status 0
  expect_out '^HOLDS: 1 of the 3 properties was checked on all 2 reachable states'
  run check never.dve --goal 'x == 3'
  expect_status 0
  # A violation is one all the same.
  run check never.dve --invariant 'x == 0'
  expect_status 12
  run stats never.dve
  expect_status 0
}
# The comback store keeps the graph if it knows each state at once and gives states back; either alone is not enough.
test_check_liveness_with_comback() {
  local layout
  for layout in compact paper; do
    run check "$models/trap.m" --store comback --cb-layout $layout --cb-candidates 0 --cb-queue ids
    expect_status 13
    expect_out '^VIOLATED: liveness "home" can never hold again after [0-9]+ steps\.$'
    run check "$models/trap.m" --store comback --cb-layout $layout --cb-candidates 0
    expect_status 20
    run check "$models/trap.m" --store comback --cb-layout $layout --cb-queue ids
    expect_status 20
  done
}
# Stores that do not keep the graph cannot decide liveness: it is they who are named.
test_check_liveness_needs_the_graph() {
  local store
  for store in disk cache comback; do
    run check "$models/trap.m" --store $store --json out.json
    expect_status 20
    expect_out "^INCOMPLETE: all 4 reachable states were explored, but 1 property was not decided: the $store store does not keep the graph that it takes\\.\$"
    expect_out "^  not decided  liveness \"home\" \\(the $store store does not keep the graph that it takes\\)\$"
    expect_out '^  ok           deadlock$'
    refuse_out 'HOLDS|search bfs (cannot|does not)'
    expect_key out.json verdict incomplete
    expect_key out.json complete true
    expect_unchecked out.json home "the $store store does not keep the graph that it takes"
  done
  for store in compact bloom; do
    run check "$models/trap.m" --store $store --json out.json
    expect_status 20
    expect_out "^INCOMPLETE: 4 states were explored \\(the $store store may have left out others\\), but 1 property was not decided: the $store store does not keep the graph that it takes\\.\$"
    expect_out '^  not decided  deadlock \(none in the states seen\)$'
    refuse_out HOLDS
    expect_unchecked out.json home "the $store store does not keep the graph that it takes"
  done
  run check "$models/trap.m" --store disk --property deadlock
  expect_status 0
}
test_check_one_property() {
  run check "$models/lock.m" --property 'lock taken'
  expect_status 0
  expect_out '^HOLDS: 1 of the 4 properties was checked'
  run check "$models/race.m" --property deadlock
  expect_status 0
  run check "$models/race.m" --property deadlock --property 'mutual exclusion'
  expect_status 12
}
test_check_param() {
  run check "$models/lock.m" --param N=3
  expect_status 0
  expect_out 'all 20 reachable states'
}
test_check_searches_agree() {
  local search exec
  for search in bfs dfs; do
    for exec in interp native auto; do
      run check "$models/lock.m" --search $search --exec $exec
      expect_status 0
      expect_out 'all 8 reachable states'
      run check "$models/race.m" --search $search --exec $exec
      expect_status 12
    done
  done
}
test_check_standard_input() {
  timeout 60 "$clew" check - --lang murphi <"$models/lock.m" >out 2>err
  status=$?
  expect_status 0
}
test_check_quiet() {
  run check "$models/lock.m" --quiet
  expect_lines out 1
  expect_silent_err
  run check "$models/stop.m" --quiet
  expect_out '^   3  count$'
  refuse_out '^  states'
}
test_check_json() {
  run check "$models/lock.m" --json out.json --seed 5
  expect_status 0
  expect_out '^HOLDS'
  expect_json out.json
  expect_key out.json verdict holds
  expect_key out.json exit_code 0
  expect_key out.json states 8
  expect_key out.json complete true
  expect_key out.json lossless true
  expect_key out.json seed 5
  expect_key out.json command check
  expect_key out.json language murphi
  grep -q '"store": {' out.json || give_up "no store"
  ! grep -q '"level_sizes"' out.json || give_up "level_sizes in check"
  grep -q '"unchecked": \[\]' out.json || give_up "unchecked is not an empty list"
}
# The compiler does not count against --memory; the report says so when it takes more.
test_check_compiler_memory() {
  XDG_CACHE_HOME=$PWD/cache run check "$models/lock.m" --exec native --memory 1M --json out.json
  expect_status 0
  grep -q '"exec": "native"' out.json || return 0 # no compiler here
  expect_out '^  C compiler       [0-9.]+ MB, which is no part of the 1 MB allowed$'
  grep -Eq '"compiler_rss_bytes": [0-9]{7,}' out.json || give_up "no compiler_rss_bytes"
  run check "$models/lock.m" --exec interp --json out.json
  ! grep -q compiler_rss_bytes out.json || give_up "there was no compiler"
}
test_check_json_to_standard_output() {
  run check "$models/race.m" --json -
  expect_status 12
  expect_json out
  expect_key out verdict violated
  expect_key out exit_code 12
}
test_check_trace_and_replay() {
  run check "$models/race.m" --trace t.json --json out.json
  expect_status 12
  expect_json t.json
  expect_json out.json
  grep -q '"file": "t.json"' out.json || give_up "no trace file in the result"
  run replay "$models/race.m" t.json
  expect_status 0
  expect_out '^CONFIRMED: invariant "mutual exclusion" fails after 4 steps\.$'
  expect_out '^   4  enter, p: [12]$'
  run replay "$models/race.m" t.json --trace-full
  [ "$(grep -c '^        at\[1\] = ' out)" -eq 5 ] || give_up "not every step is shown in full"
}
test_check_trace_of_each_search() {
  local search model
  for search in bfs dfs; do
    for model in race stop assertion range; do
      run check "$models/$model.m" --search $search --trace t.json
      run replay "$models/$model.m" t.json --quiet
      expect_status 0
      expect_out '^CONFIRMED: '
    done
  done
}
test_check_tampered_trace() {
  run check "$models/race.m" --trace t.json
  sed 's/"name": "enter, p: 1"/"name": "leave, p: 1"/' t.json >name.json
  run replay "$models/race.m" name.json
  expect_status 65
  expect_err 'name.json: error: .*belongs to another model'
  run replay "$models/stop.m" t.json
  expect_status 65
  run replay "$models/race.m" nothing.json
  expect_status 65
  head -c 200 t.json >cut.json
  run replay "$models/race.m" cut.json
  expect_status 65
  expect_err 'cut.json:[0-9]+:[0-9]+: error'
  echo '{"clew_trace": 1}' >hollow.json
  run replay "$models/race.m" hollow.json
  expect_status 65
}
test_check_trace_that_shows_nothing() {
  local start
  run check "$models/stop.m" --trace t.json
  expect_status 10
  start=$(sed -n '/"initial"/,/"state"/s/^ *"name": \(".*"\),$/\1/p' t.json)
  cat >short.json <<END
{"clew_trace": 1, "language": "murphi", "property": "deadlock", "kind": "deadlock",
 "initial": {"edge": 0, "name": $start}, "steps": [{"edge": 0, "name": "count"}]}
END
  run replay "$models/stop.m" short.json
  expect_status 65
  expect_err 'short.json: error: the trace is not a counterexample: the last state is not a deadlock'
}
test_check_deterministic() {
  local search
  for search in bfs dfs; do
    run check "$models/race.m" --search $search --seed 3 --exec interp --json a.json
    without_times out >first
    run check "$models/race.m" --search $search --seed 3 --exec interp --json b.json
    without_times out >second
    expect_same first second
    sed -i 's/[ab]\.json//' a.json b.json
    without_times a.json >first
    without_times b.json >second
    expect_same first second
  done
}

test_stats() {
  run stats "$models/lock.m" --json out.json
  expect_status 0
  expect_out '^COMPLETE: all 8 reachable states were explored \(exact store\)\.$'
  expect_out '^  out-degree  '
  expect_out '^  level  '
  expect_json out.json
  expect_key out.json command stats
  expect_key out.json states 8
  grep -q '"level_sizes": \[1, ' out.json || give_up "no level_sizes"
  grep -q '"out_degree": {' out.json || give_up "no out_degree"
}
test_stats_does_not_stop_at_errors() {
  run stats "$models/race.m" --json out.json
  expect_status 0
  expect_out '^COMPLETE: all 9 reachable states'
  expect_out '^  VIOLATED     invariant'
  expect_key out.json verdict violated
  expect_key out.json exit_code 0
  run stats "$models/stop.m"
  expect_status 0
  expect_out '^  deadlocks        1$'
}
test_stats_incomplete() {
  run stats "$models/big.m" --max-states 1000 --json out.json
  expect_status 20
  expect_out '^INCOMPLETE: the limit on states is reached after 1,000 states; levels 0\.\.[0-9]+ are complete\.$'
  expect_key out.json exit_code 20
}

test_check_trace_against_priorities() {
  run check "$models/priority.m"
  expect_status 0
  expect_out 'all 2 reachable states'
  cat >t.json <<'END'
{"clew_trace": 1, "language": "murphi", "property": "not two", "kind": "invariant",
 "initial": {"edge": 0, "name": "zero"}, "steps": [{"edge": 0, "name": "low"}]}
END
  run replay "$models/priority.m" t.json
  expect_status 65
  expect_err 't.json: error: the trace is not a counterexample: step 1 of the trace is not possible'
}
