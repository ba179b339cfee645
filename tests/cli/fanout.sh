# Models with huge fan-out: a million successors of one state, or initial states, stay inside --memory.
# The contract is "peak RSS at most the budget and 30 MB"; memory is not time, so this is a fair demand.

# fits BYTES OPTIONS...: runs `clew check` or `stats` on model.m with that budget; the process keeps it.
fits() {
  local budget=$1 command=$2
  shift 2
  run "$command" model.m --memory "$budget" --json out.json "$@"
  expect_json out.json
  case ${CLEW_BUILD:-} in *asan* | *tsan*) return ;; esac
  local peak allowed
  peak=$(sed -n 's/^  "peak_rss_bytes": \([0-9]*\).*/\1/p' out.json)
  allowed=$(sed -n 's/^  "memory_bytes": \([0-9]*\).*/\1/p' out.json)
  [ -n "$peak" ] || give_up "no peak_rss_bytes"
  [ "$peak" -le $((allowed + 30 * 1024 * 1024)) ] || give_up "$command $*: $peak bytes with a budget of $allowed"
}

# In both executions and both orders; the rest of the arguments as for `fits`. Under a sanitizer, which is slow, each of them once.
fits_always() {
  case ${CLEW_BUILD:-} in
  *asan* | *tsan*)
    fits "$@" --exec interp --search bfs
    fits "$@" --exec native --search dfs
    return
    ;;
  esac
  local exec search
  for exec in interp native; do
    for search in bfs dfs; do
      fits "$@" --exec $exec --search $search
    done
  done
}

test_fanout_initial_states() {
  cat >model.m <<'M'
var a: 0..999; b: 0..999;
ruleset i: 0..999; j: 0..999 do startstate begin a := i; b := j; end; end;
rule a + b < 0 ==> begin a := 0; end;
M
  fits_always 4M check --no-deadlock --store bloom
  fits 4M stats --store exact
  expect_status 20
  fits 64M stats --store exact
  expect_key out.json states 1000000
  expect_key out.json initial_states 1000000
  expect_key out.json deadlocks 1000000
  fits 64M stats --store exact --search dfs
  expect_key out.json states 1000000
  expect_key out.json initial_states 1000000
}

# Half of them are the same.
test_fanout_equal_initial_states() {
  cat >model.m <<'M'
var a: 0..9999;
ruleset i: 0..19999 do startstate begin a := i / 2; end; end;
rule true ==> begin a := a - a % 100; end;
M
  local store search
  for store in exact compact disk comback; do
    for search in bfs dfs; do
      fits 4M stats --store $store --search $search --threads 2
      expect_key out.json states 10000
      expect_key out.json initial_states 10000
    done
  done
}

test_fanout_wide_states() {
  cat >model.m <<'M'
const n: 10000;
type index: 0..n-1;
var x: array [index] of boolean; set: boolean;
startstate begin for i: index do x[i] := false; end; set := false; end;
ruleset i: index do rule "set" !set ==> begin x[i] := true; set := true; end; end;
M
  fits_always 4M check --no-deadlock
  expect_status 20
  fits 4M stats --store disk --threads 2
  expect_key out.json states 10001
  expect_key out.json transitions 10000
  expect_key out.json deadlocks 10000
}

test_fanout_one_state() {
  cat >model.m <<'M'
var v: 0..19999; done: boolean;
startstate begin v := 0; done := false; end;
ruleset i: 0..1; j: 0..99; k: 0..99 do
  rule "go" !done ==> begin v := (i * 100 + j) * 100 + k; done := true; end;
end;
invariant "not the last" v != 19999;
M
  fits_always 8M check --no-deadlock --store bloom
  expect_status 12
  expect_out 'i: 1, j: 99, k: 99'
  fits 64M stats --store exact --threads 2
  expect_key out.json states 20001
}

test_fanout_faults() {
  cat >model.m <<'M'
var v: 0..1;
startstate begin v := 0; end;
ruleset i: 0..999; j: 0..999 do
  rule "fail" v = 0 ==> begin assert i + j < 0 "never so"; end;
end;
M
  fits_always 4M check
  expect_status 14
  expect_out 'never so'
  fits 4M stats
  expect_key out.json transitions 1000000
  expect_key out.json deadlocks 0
}

# A rule that changes nothing is no way out; a single one of a million that does is.
test_fanout_stuttering() {
  local last
  for last in 0 1; do
    cat >model.m <<M
var v: 0..1;
startstate begin v := 0; end;
ruleset i: 0..999999 do
  rule "stay" true ==> begin if i = 999999 & $last = 1 then v := 1 - v; end; end;
end;
M
    fits_always 4M check
    expect_status $((last == 1 ? 0 : 10))
  done
}

# Nothing of lower priority happens, not even in a later piece.
test_fanout_priorities() {
  cat >model.m <<'M'
var v: 0..20000; low: boolean;
startstate begin v := 20000; low := false; end;
ruleset i: 0..9999 do
  rule 5 "low" v = 20000 ==> begin low := true; end;
  rule 1 "high" v = 20000 & i >= 1000 ==> begin v := i; end;
end;
invariant "never low" !low;
M
  fits_always 32M check --no-deadlock
  expect_status 0
  expect_key out.json states 9001
}

test_fanout_symmetry() {
  cat >model.m <<'M'
type proc: scalarset(3);
var x: array [proc] of 0..1499; moved: boolean;
startstate begin for p: proc do x[p] := 0; end; moved := false; end;
ruleset p: proc; i: 0..1499 do
  rule "set" !moved ==> begin x[p] := i; moved := true; end;
end;
M
  fits_always 1M check --no-deadlock
  expect_status 0
  expect_key out.json states 1501
}

test_fanout_discarded() {
  cat >model.m <<'M'
var v: 0..999999;
startstate begin v := 0; end;
ruleset i: 0..999999 do rule "set" true ==> begin v := i; end; end;
assume v < 10;
M
  fits_always 4M check
  expect_status 0
  expect_key out.json states 10
  expect_key out.json transitions 100
}

test_fanout_liveness() {
  cat >model.m <<'M'
var v: 0..5000;
startstate begin v := 0; end;
ruleset i: 1..5000 do
  rule "go" v = 0 ==> begin v := i; end;
  rule "home" v = i & i != 4777 ==> begin v := 0; end;
end;
rule "stay" v = 4777 ==> begin v := v; end;
liveness "home again" v = 0;
M
  fits 16M check --no-deadlock
  expect_status 13
  expect_out '4777'
}

# As many rules as text: the successors of one instance are more than a piece.
test_fanout_many_rules() {
  {
    echo 'var x: array [0..999] of boolean; set: boolean;'
    echo 'startstate begin for i: 0..999 do x[i] := false; end; set := false; end;'
    for i in $(seq 0 999); do echo "rule !set ==> begin x[$i] := true; set := true; end;"; done
  } >model.m
  fits 8M stats --exec interp
  expect_key out.json states 1001
  expect_key out.json deadlocks 1000
}

# Pieces so small that every model has some; graphs and walks go through them, too.
test_fanout_tiny_pieces() {
  local piece
  for piece in 1 2 7; do
    run graph "$models/lock.m" --output whole.dot
    CLEW_PIECE=$piece run graph "$models/lock.m" --output pieces.dot
    expect_same whole.dot pieces.dot
    run check "$models/race.m" --exec native --json whole.json
    CLEW_PIECE=$piece run check "$models/race.m" --exec native --json pieces.json
    # How long the queue was is looked at once per batch, and these are smaller.
    [ "$(without_times whole.json | grep -Ev 'command_line|max_queue')" = \
      "$(without_times pieces.json | grep -Ev 'command_line|max_queue')" ] || give_up "pieces of $piece change the answer"
  done
}
