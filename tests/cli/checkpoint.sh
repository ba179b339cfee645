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
  run check m.m --checkpoint kept --search symbolic
  expect_usage 'symbolic'
  run resume nowhere
  expect_status 65
  mkdir empty
  run resume empty
  expect_status 65
  expect_err 'no checkpoint'
  run resume kept --symmetry off
  expect_usage 'does not apply'
}
