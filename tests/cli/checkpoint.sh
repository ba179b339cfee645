# Checkpoints: kept at limits and signals, resumed with other means, answered again.

# Counters that go up and come down: 6^4 states; N and TOP are parameters.
write_kept_model() {
  cat >m.m <<'MODEL'
const N: 4; TOP: 5;
var a: array [0..N-1] of 0..TOP;
startstate for i: 0..N-1 do a[i] := 0; end; end;
ruleset i: 0..N-1 do
  rule "up" a[i] < TOP ==> a[i] := a[i] + 1; end;
  rule "down" a[i] = TOP ==> a[i] := 0; end;
end;
MODEL
}
kept_facts() { sed -n 's/^  "\(verdict\|states\|transitions\|levels\|deadlocks\|initial_states\|discrete_states\|zones\|zones_expanded\)": \(.*\),$/\1=\2/p' "$1" | tr '\n' ' '; }
expect_same_facts() { [ "$(kept_facts "$1")" = "$(kept_facts "$2")" ] || give_up "$(kept_facts "$1") is not $(kept_facts "$2")"; }

test_checkpoint_at_a_limit() {
  write_kept_model
  run check m.m --json whole.json
  expect_status 0
  run check m.m --max-states 300 --checkpoint kept
  expect_status 75
  expect_err 'clew resume'
  expect_out 'INCOMPLETE'
  run resume kept --max-depth 9
  expect_status 75
  run resume kept --threads 3 --json result.json
  expect_status 0
  expect_out 'HOLDS'
  expect_same_facts whole.json result.json
  grep -q '"resumed_states": [0-9]' result.json || give_up "it does not say how many states it had"
}
# The last state that a limit allows is expanded later, too: here it is the only one that leads on.
test_checkpoint_at_a_limit_of_a_line() {
  cat >line.m <<'MODEL'
var a: 0..100;
startstate a := 0; end;
rule "up" a < 100 ==> a := a + 1; end;
rule "stay" a = 100 ==> a := 100; end;
invariant "low" a < 90;
MODEL
  local search threads
  for search in bfs dfs; do
    for threads in 1 3; do
      rm -rf kept
      run check line.m --search $search --threads $threads --thread-share 4 --max-states 50 --checkpoint kept
      expect_status 75
      run resume kept --max-states 70
      expect_status 75
      run resume kept --threads $threads
      expect_status 12
      expect_out 'fails after 90 steps'
    done
  done
}
test_checkpoint_in_other_stores() {
  write_kept_model
  run check m.m --json whole.json
  for store in comback disk exact; do
    rm -rf kept
    run check m.m --max-states 200 --checkpoint kept --store $store
    if [ $store = exact ]; then expect_status 75; else [ "$status" = 75 ] || [ "$status" = 20 ] || give_up "$store"; fi
    [ -e kept/manifest.json ] || continue
    for other in disk comback exact; do
      rm -rf again
      cp -r kept again
      run resume again --store $other --json result.json
      expect_status 0
      [ "$(kept_facts result.json)" = "$(kept_facts whole.json)" ] ||
        give_up "$store, then $other: $(kept_facts result.json)"
    done
  done
}
test_checkpoint_answers_again() {
  write_kept_model
  echo 'invariant "low" a[0] + a[1] < 9;' >>m.m
  run check m.m --checkpoint kept --trace t.json
  expect_status 12
  head -n 5 out >first
  run resume kept --json result.json --trace again.json
  expect_status 12
  head -n 5 out >second
  expect_same first second
  expect_same t.json again.json
  expect_file result.json
}
test_checkpoint_at_a_signal() {
  write_kept_model
  sed -i 's/N: 4; TOP: 5/N: 8; TOP: 9/' m.m
  "$clew" check m.m --checkpoint kept --store exact --memory 1G >out 2>err &
  pid=$!
  sleep 1
  kill -TERM $pid
  wait $pid
  status=$?
  expect_status 75
  expect_err 'clew resume'
  before=$(sed -n 's/.*"states": \([0-9]*\),.*/\1/p' kept/manifest.json)
  [ "$before" -gt 0 ] || give_up "nothing was kept"
  run resume kept --max-time 1
  expect_status 75
  after=$(sed -n 's/.*"states": \([0-9]*\),.*/\1/p' kept/manifest.json)
  [ "$after" -gt "$before" ] || give_up "it did not get further: $before, $after"
}
test_checkpoint_at_the_end_of_memory() {
  write_kept_model
  sed -i 's/N: 4; TOP: 5/N: 6; TOP: 8/' m.m
  run check m.m --json whole.json
  run check m.m --checkpoint kept --memory 1M --store exact
  expect_status 75
  run resume kept --memory 64M --json result.json
  expect_status 0
  expect_same_facts whole.json result.json
}
test_checkpoint_of_reduced_states() {
  cat >m.m <<'MODEL'
type P: scalarset(4);
var a: array [P] of 0..6; last: P;
startstate for p: P do a[p] := 0; end; undefine last; end;
ruleset p: P do
  rule "up" a[p] < 6 ==> a[p] := a[p] + 1; last := p; end;
  rule "down" a[p] = 6 ==> a[p] := 0; last := p; end;
end;
MODEL
  run check m.m --json whole.json
  run check m.m --checkpoint kept --max-states 100
  expect_status 75
  run resume kept --json result.json
  expect_status 0
  expect_same_facts whole.json result.json
}
test_checkpoint_of_zones() {
  for options in '' '--zone flat' '--time digital'; do
    rm -rf kept
    # shellcheck disable=SC2086
    run check "$examples/fischer.xta" $options --json whole.json
    code=$status
    # shellcheck disable=SC2086
    run check "$examples/fischer.xta" $options --checkpoint kept --max-depth 4
    expect_status 75
    run resume kept --json result.json
    expect_status $code
    [ "$(kept_facts result.json)" = "$(kept_facts whole.json)" ] ||
      give_up "$options: $(kept_facts result.json), not $(kept_facts whole.json)"
  done
}
# Diagrams: at a depth, at the end of the memory, and again and again on the way, in every order of exploration.
write_symbolic_model() {
  cat >y.m <<'MODEL'
const N: 5; TOP: 6;
var a: array [0..N-1] of 0..TOP; stuck: boolean;
startstate for i: 0..N-1 do a[i] := 0; end; stuck := false; end;
ruleset i: 0..N-1 do
  rule "up" a[i] < TOP & !stuck ==> a[i] := a[i] + 1; end;
  rule "down" a[i] = TOP & a[(i + 1) % N] < 4 & !stuck ==> a[i] := 0; end;
  rule "swap" a[i] > a[(i + 1) % N] & !stuck ==> var t: 0..TOP; begin t := a[i]; a[i] := a[(i + 1) % N]; a[(i + 1) % N] := t; end;
end;
rule "stop" a[0] = 5 & a[1] = 5 & a[2] = 1 ==> stuck := true; end;
rule "wrong" a[0] = 6 & a[1] = 6 & a[2] = 5 & a[3] = 6 ==> error "too high"; end;
invariant "low" a[0] + a[1] + a[2] < 17;
invariant "all" a[0] <= TOP;
liveness "home" a[0] = 0;
MODEL
}
symbolic_facts() { kept_facts "$1" && sed -n 's/^ *"\(depth\|length\)": \([0-9]*\).*/\1=\2/p' "$1" | tr '\n' ' '; }
test_checkpoint_of_diagrams_at_limits() {
  write_symbolic_model
  for property in low all home deadlock assertions; do
    run check y.m --search symbolic --dd-order bfs-prev --property $property --json whole.json
    code=$status
    rm -rf kept
    run check y.m --search symbolic --dd-order bfs-prev --property $property --max-depth 4 --checkpoint kept
    expect_status 75
    run resume kept --max-depth 9 --threads 2
    expect_status 75
    run resume kept --json result.json
    expect_status "$code"
    [ "$(symbolic_facts whole.json)" = "$(symbolic_facts result.json)" ] ||
      give_up "$property: $(symbolic_facts result.json), not $(symbolic_facts whole.json)"
  done
  run resume kept --recheck --property low
  expect_status 12
  expect_err 'generated again'
}
test_checkpoint_of_diagrams_on_the_way() {
  write_symbolic_model
  for options in '' '--dd-order chain' '--sat like --dd-order chain-prev' '--dd-order bfs'; do
    # shellcheck disable=SC2086
    run check y.m --search symbolic $options --property low --json whole.json
    expect_status 12
    rm -rf kept
    # shellcheck disable=SC2086
    run check y.m --search symbolic $options --property low --checkpoint kept --every 0.00001 --json result.json
    expect_status 12
    [ "$(symbolic_facts whole.json)" = "$(symbolic_facts result.json)" ] ||
      give_up "$options: $(symbolic_facts result.json), not $(symbolic_facts whole.json)"
  done
}
test_checkpoint_of_diagrams_without_memory() {
  cat >p.m <<'MODEL'
const N: 12;
var a: array [0..N-1] of 0..N-1;
startstate for i: 0..N-1 do a[i] := i; end; end;
ruleset i: 0..N-2 do
  rule "swap" true ==> var t: 0..N-1; begin t := a[i]; a[i] := a[i + 1]; a[i + 1] := t; end;
end;
MODEL
  run check p.m --search symbolic --dd-order bfs-prev --max-depth 14 --memory 1M --checkpoint kept
  expect_status 75
  expect_out 'memory budget is used up'
  run resume kept --memory 400M --max-depth 14 --json result.json
  run check p.m --search symbolic --dd-order bfs-prev --max-depth 14 --json whole.json
  expect_same_facts whole.json result.json
}
test_checkpoint_decides_liveness_later() {
  cat >m.m <<'MODEL'
var n: 0..200;
startstate n := 0; end;
rule "up" n < 200 ==> n := n + 1; end;
rule "back" n < 150 & n > 0 ==> n := n - 1; end;
liveness "home" n = 0;
MODEL
  run check m.m --no-deadlock --json whole.json
  code=$status
  run check m.m --no-deadlock --checkpoint kept --max-states 20
  expect_status 75
  run resume kept --json result.json
  expect_status $code
  expect_same_facts whole.json result.json
}
test_checkpoint_refuses() {
  write_kept_model
  run check m.m --every 5
  expect_usage 'goes with'
  run check m.m --checkpoint kept --store cache
  expect_usage 'forgets'
  run check m.m --checkpoint kept --search symbolic --dd-reorder
  expect_usage 'dd-reorder'
  run resume nowhere
  expect_status 65
  mkdir empty
  run resume empty
  expect_status 65
  expect_err 'no checkpoint'
  run resume kept --symmetry off
  expect_usage 'does not apply'
}
