# Searches that cannot be finished: INCOMPLETE, exit status 20, and nothing is lost.

expect_incomplete() {
  expect_status 20
  expect_out "^INCOMPLETE: $1"
  expect_json out.json
  expect_key out.json verdict incomplete
  expect_key out.json exit_code 20
  expect_key out.json complete false
}

test_limits_max_states() {
  local search
  for search in bfs dfs; do
    run check "$models/big.m" --search $search --max-states 5000 --json out.json
    expect_incomplete 'the limit on states is reached after 5,000 states; no violation among the states seen'
    expect_out '^  not decided  invariant "true enough" \(holds in the states seen\)$'
  done
}
test_limits_max_states_that_suffice() {
  run check "$models/lock.m" --max-states 9
  expect_status 0
}
test_limits_max_depth() {
  run check "$models/big.m" --max-depth 3 --json out.json
  expect_incomplete 'states at the depth limit were not expanded, .*levels 0\.\.2 are complete\.$'
  run check "$models/big.m" --max-depth 3 --search dfs --json out.json
  expect_incomplete 'states at the depth limit were not expanded'
}
test_limits_max_time() {
  run check "$models/big.m" --max-time 0.3 --memory 300M --json out.json
  expect_incomplete 'the time limit is reached after [0-9,]+ states'
}
test_limits_memory() {
  local search
  for search in bfs dfs; do
    run check "$models/big.m" --search $search --memory 2M --json out.json
    expect_incomplete 'the memory budget is used up after [0-9,]+ states'
  done
}
test_limits_violation_within_the_limits() {
  run check "$models/race.m" --max-states 9 --memory 1M
  expect_status 12
}
test_limits_spilled_log_still_gives_a_trace() {
  # The log gets 1/16 of the memory; the rest of the path comes from the disk.
  sed 's/c\[1\] <= 9/c[1] + c[2] + c[3] < 26/' "$models/big.m" >deep.m
  run check deep.m --param N=4 --memory 1M --dir . --json out.json --trace t.json
  expect_status 12
  expect_out 'fails after 26 steps'
  ! grep -q '"disk_bytes_peak": 0,' out.json || give_up "nothing was spilled"
  run replay deep.m --param N=4 t.json --quiet
  expect_status 0
  [ -z "$(ls -d clew-* 2>/dev/null)" ] || give_up "files were left behind"
}
# limited_files ARGUMENTS...: a search whose files cannot grow beyond 8 KB.
limited_files() {
  (ulimit -f 16 && exec timeout 60 "$clew" check "$models/big.m" --exec interp --dir . --json out.json \
    "$@" >out 2>err </dev/null)
  status=$?
}
test_limits_full_disk() {
  limited_files --memory 1M --store disk
  expect_incomplete 'the disk is full or failed after [0-9,]+ states'
  expect_lines err 1
  expect_err 'error: .*(File too large|limit)'
  [ -z "$(ls -d clew-* 2>/dev/null)" ] || give_up "files were left behind"
}
# The log of back edges goes on in memory.
test_limits_full_disk_while_there_is_memory() {
  limited_files --memory 1M
  expect_incomplete 'the (memory budget is used up|disk is full or failed) after [0-9,]+ states'
  [ -z "$(ls -d clew-* 2>/dev/null)" ] || give_up "files were left behind"
  limited_files --memory 64M --max-states 500000
  expect_incomplete 'the limit on states is reached after 500,000 states'
  expect_silent_err
}
test_limits_full_output() {
  [ -w /dev/full ] || return 0
  timeout 60 "$clew" check "$models/lock.m" >/dev/full 2>err
  status=$?
  expect_status 70
  expect_err 'standard output: cannot write'
  run check "$models/lock.m" --json /dev/full
  expect_status 70
  expect_err '/dev/full: error: cannot write'
  run check "$models/race.m" --trace /dev/full
  expect_status 70
}
test_limits_closed_pipe() {
  timeout 60 "$clew" check "$models/race.m" 2>err | head -n 0
  status=${PIPESTATUS[0]}
  expect_status 12
  expect_silent_err
}

# interrupt SIGNAL: a search that is stopped half-way.
interrupt() {
  timeout --preserve-status -s "$1" 1 "$clew" check "$models/big.m" --search "$2" --memory 8G \
    --json out.json >out 2>err </dev/null
  status=$?
  expect_incomplete 'it was interrupted after [0-9,]+ states; no violation among the states seen'
}
test_limits_sigint() { interrupt INT bfs; }
test_limits_sigint_dfs() { interrupt INT dfs; }
test_limits_sigterm() { interrupt TERM bfs; }
# A process that was started with hang-ups ignored (nohup) is to go on.
hang_ups_are_ignored() { [ $((0x$(sed -n 's/^SigIgn:[[:space:]]*//p' /proc/self/status) & 1)) -eq 1 ]; }
test_limits_sighup() {
  hang_ups_are_ignored && return 0
  interrupt HUP bfs
  interrupt HUP dfs
}
test_limits_signals_leave_no_files() {
  local signal
  for signal in INT TERM HUP; do
    [ $signal = HUP ] && hang_ups_are_ignored && continue
    mkdir "scratch-$signal"
    timeout --preserve-status -s $signal 1 "$clew" check "$models/big.m" --store disk --memory 8M \
      --dir "scratch-$signal" --json out.json >out 2>err </dev/null
    status=$?
    expect_incomplete 'it was interrupted after [0-9,]+ states'
    [ -z "$(ls -A "scratch-$signal")" ] || give_up "files were left behind"
  done
}
# The log of back edges may use its share of the memory; without a disk it goes on in memory.
test_limits_no_scratch_directory() {
  TMPDIR=/nonexistent run check "$models/big.m" --max-states 300000 --json out.json
  expect_incomplete 'the limit on states is reached after 300,000 states'
  TMPDIR=/nonexistent run check "$models/big.m" --max-states 300000 --memory 64M --json out.json
  expect_incomplete 'the limit on states is reached after 300,000 states'
}

test_progress_is_silent_by_default() {
  run check "$models/big.m" --max-time 0.7 --memory 300M
  expect_silent_err
}
test_progress_lines() {
  run check "$models/big.m" --max-time 0.9 --memory 300M --progress 0.2
  expect_err '^level [0-9]+  [0-9,]+ states  [0-9,]+ queued  [0-9.]+( [kM])? states/s  [0-9.]+ .?B of 300 MB$'
  run check "$models/big.m" --search dfs --max-time 0.9 --memory 300M --progress 0.2
  expect_err '^depth [0-9]+  '
}
test_color() {
  run check "$models/lock.m"
  refuse_out "$(printf '\033')"
  run check "$models/lock.m" --color always
  expect_out "^$(printf '\033')\[1;32mHOLDS:$(printf '\033')\[0m"
  run check "$models/lock.m" --color never
  refuse_out "$(printf '\033')"
}
test_color_on_a_terminal() {
  script -qec true /dev/null >/dev/null 2>&1 </dev/null || return 0 # no terminal to be had
  TERM=xterm script -qec "$clew check $models/lock.m" /dev/null >out 2>err </dev/null
  status=$?
  expect_status 0
  expect_out "^$(printf '\033')\[1;32mHOLDS"
  NO_COLOR=1 TERM=xterm script -qec "$clew check $models/lock.m" /dev/null >out 2>err </dev/null
  expect_out '^HOLDS'
}
test_hostile_names_do_not_reach_the_terminal() {
  printf 'var x : 0..3;\nstartstate "a\033[31mb" begin x := 0; end;\nrule "c\033[2Jd" x < 2 ==> begin x := x + 1; end;\ninvariant "e\033[1mf" x < 2;\n' >evil.m
  run check evil.m
  [ "$status" -eq 12 ] || [ "$status" -eq 65 ] || give_up "neither violated nor refused"
  ! grep -q "$(printf '\033')" out err || give_up "an escape character was printed"
}
