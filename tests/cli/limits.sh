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
    run check "$models/big.m" --search $search --store exact --memory 2M --json out.json
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
  run check deep.m --param N=6 --memory 1M --dir . --json out.json --trace t.json
  expect_status 12
  expect_out 'fails after 26 steps'
  ! grep -q '"disk_bytes_peak": 0,' out.json || give_up "nothing was spilled"
  run replay deep.m --param N=6 t.json --quiet
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
# A result that nobody received was not given.
test_limits_closed_pipe() {
  { timeout 60 "$clew" check "$models/race.m" 2>err; echo $? >code; } | exec <&-
  status=$(cat code)
  expect_status 70
  expect_err 'standard output: cannot write all of it'
}
# No file takes the place of a standard stream that is closed.
test_limits_closed_output() {
  timeout 60 "$clew" check "$models/lock.m" >&- 2>err
  status=$?
  expect_status 70
  expect_err 'standard output: cannot write all of it'
  timeout 60 "$clew" check "$models/big.m" --store exact --memory 2M --dir . --json out.json >&- 2>err
  status=$?
  expect_status 70
  expect_key out.json verdict incomplete
}
test_limits_closed_error() {
  timeout 60 "$clew" check "$models/race.m" --progress 0.01 >out 2>&-
  status=$?
  expect_status 12
  expect_out '^VIOLATED: '
  expect_out '^   4  enter, p: 2'
  sed 's/c\[1\] <= 9/c[1] + c[2] + c[3] < 26/' "$models/big.m" >deep.m
  timeout 60 "$clew" check deep.m --param N=6 --memory 1M --dir . --progress 0.01 --json out.json >out 2>&-
  status=$?
  expect_status 12
  ! grep -q '"disk_bytes_peak": 0,' out.json || give_up "nothing was spilled"
  timeout 60 "$clew" check "$models/lock.m" >out <&- 2>&-
  status=$?
  expect_status 0
}
test_limits_unwritten_output_is_mentioned_last() {
  [ -w /dev/full ] || return 0
  timeout 60 "$clew" check "$models/lock.m" --json /dev/full >out 2>&1
  status=$?
  expect_status 70
  tail -n 1 out | grep -q 'not everything that was asked for could be written: the exit status is 70' ||
    give_up "the last line does not say that something is missing"
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

# ---- evaluations that take minutes ----

# slow WHAT: a model in which something takes minutes.
slow() {
  local body='rule "up" x < 9 ==> begin x := x + 1; end; rule "back" x = 9 ==> begin x := 0; end;'
  local start='startstate begin x := 0; end;'
  local all='forall i: 0..2000000000 do (i + x) % 7 != 8 end'
  printf 'var x: 0..9;\n'
  case $1 in
    function)
      printf 'function f(k: 0..9): 0..9; var s: 0..9; begin s := k;
              for i: 0..2000000000 do s := (s + i) %% 10; end; return s; end;'
      printf '%s rule x := f(x); end; rule x < 9 ==> begin x := x + 1; end;' "$start" ;;
    recursion)
      printf 'function f(k: 0..99): 0..9; begin if k < 2 then return 1; end;
              return (f(k - 1) + f(k - 2)) %% 10; end;'
      printf '%s rule x := f(90 + x); end; %s' "$start" "$body" ;;
    calls) # no loop and no recursion: each function calls the one before twice
      printf 'function f0(k: 0..9): 0..9; begin return (k * 3 + x) %% 10; end;\n'
      for i in $(seq 1 50); do
        printf 'function f%d(k: 0..9): 0..9; begin return (f%d(k) + f%d(9 - k)) %% 10; end;\n' \
          "$i" $((i - 1)) $((i - 1))
      done
      printf '%s rule x := f50(x); end;' "$start" ;;
    while)
      printf '%s rule var a: 0..999; b: 0..999; c: 0..999; begin a := 0; while a < 999 do a := a + 1; b := 0;
              while b < 999 do b := b + 1; c := 0; while c < 999 do c := c + 1; x := (x + c) %% 10; end;
              end; end; end;' "$start" ;;
    invariant) printf '%s %s invariant "slow" %s;' "$start" "$body" "$all" ;;
    liveness) printf '%s %s liveness "slow" %s;' "$start" "$body" "$all" ;;
    cover) printf '%s %s cover "slow" !(%s);' "$start" "$body" "$all" ;;
    assumption) printf '%s %s assume "slow" %s;' "$start" "$body" "$all" ;;
    start) printf 'startstate begin x := 0; for i: 0..2000000000 do x := (x + i) %% 10; end; end; %s' "$body" ;;
    guard)
      printf '%s rule exists i: 0..60000 do exists j: 0..60000 do (i + j + x) %% 7 = 8 end end ==>
              begin x := 0; end; %s' "$start" "$body" ;;
  esac
}
# The outer limit is there for a clew that does not stop; one that does is far from it.
stops() {
  timeout 60 "$clew" check "$@" --max-time 1 --json out.json >out 2>err </dev/null
  status=$?
  expect_incomplete 'the time limit is reached after [0-9]+ states?; no violation among the states seen'
  ! grep -q 'VIOLATED\|^  ok ' out || give_up "something was decided"
}
slow_stops() {
  slow "$1" >slow.m
  stops slow.m --exec interp
  # First without any transition, so that the compiler takes none of the second.
  run check slow.m --exec native --max-depth 0 --max-time "${2:-60}"
  stops slow.m --exec native
  [ $# -gt 1 ] || grep -q 'no native code' err || expect_key out.json exec native
  stops slow.m --search dfs --threads 2
}
test_limits_time_in_a_function() { slow_stops function; }
test_limits_time_in_recursion() { slow_stops recursion; }
test_limits_time_in_calls() { slow_stops calls; }
test_limits_time_in_while() { slow_stops while; }
test_limits_time_in_a_guard() { slow_stops guard; }
test_limits_time_in_a_start() { slow_stops start 5; } # what is slow is slow without transitions
test_limits_time_in_an_invariant() { slow_stops invariant 5; }
test_limits_time_in_an_assumption() { slow_stops assumption 5; }
test_limits_time_in_a_cover() { slow_stops cover 5; }
test_limits_time_in_liveness() { slow_stops liveness; }
test_limits_time_of_other_commands() {
  slow function >slow.m
  run stats slow.m --max-time 1 --json out.json
  expect_status 20
  expect_out '^INCOMPLETE: the time limit is reached after 1 state'
  run graph slow.m -o slow.dot --max-time 1
  expect_status 20
  expect_err 'the time limit is reached, so nothing was written'
  refuse_file slow.dot
  run simulate slow.m --max-time 1
  expect_status 20
  expect_out '^INCOMPLETE: the walk ends here: the time limit is reached'
  slow invariant >slow.m
  run graph slow.m -o slow.dot --max-time 1 # its states are found, their colours are not
  expect_status 20
  refuse_file slow.dot
}
test_limits_signals_in_an_evaluation() {
  local what signal=INT
  for what in function invariant start; do
    slow $what >slow.m
    timeout --preserve-status -k 60 -s $signal 1 "$clew" check slow.m --exec interp --json out.json >out 2>err </dev/null
    status=$?
    expect_incomplete 'it was interrupted after [01] states?; no violation among the states seen'
    signal=TERM
  done
}
# A violation counts when it is confirmed, which the interpreter may have no time for. Then it is
# neither shown nor forgotten.
test_limits_time_to_confirm() {
  printf 'var x: 0..9; startstate begin x := 0; end;
    rule begin for i: 0..2000000000 do if i = 20000000 & x < 9 then x := x + 1; return; end; end; end;
    invariant "low" x < 3;' >slow.m
  timeout 100 "$clew" check slow.m --exec native --max-time 2 --json out.json --trace t.json >out 2>err
  status=$?
  if [ $status -ne 12 ]; then # a fast machine has the time
    expect_status 20
    expect_out '^INCOMPLETE: '
    refuse_file t.json
  fi
}

# ---- calls within calls ----

test_limits_nested_calls() {
  printf 'const N: 9999; var x: 0..9; function f(k: 0..N): 0..9; begin if k = 0 then return 1; end;
    return f(k - 1); end; startstate begin x := 0; end; rule "deep" x = 5 ==> begin x := f(N); end;
    rule "up" x < 9 ==> begin x := x + 1; end; rule "back" x = 9 ==> begin x := 0; end;
    invariant "low" x < 9;' >deep.m
  local exec
  for exec in interp native; do
    # What else there is to find is found.
    run check deep.m --exec $exec
    expect_status 12
    run check deep.m --exec $exec --property assertions --json out.json
    expect_incomplete 'some evaluations go beyond the limits of clew \(.*"f" is called too deeply: the limit is 1000 calls within each other or 12 MB of local variables.*\), 10 states were seen'
    expect_out '^  not decided  assertions \(none in the states seen\)$'
    run stats deep.m --exec $exec
    expect_status 20
    run check deep.m --exec $exec --param N=900 --property assertions
    expect_status 0
    # Also where threads get little stack by themselves.
    (ulimit -s 1024 && exec timeout 60 "$clew" check deep.m --exec $exec --property assertions >out 2>err)
    status=$?
    expect_status 20
  done
  run simulate deep.m --steps 1000
  [ "$status" -eq 20 ] || [ "$status" -eq 12 ] || give_up "a limit of clew became an error of the model"
}
# A hundred calls with large arrays are no thousand calls, and no crash.
test_limits_large_frames() {
  printf 'var x: 0..9; function f(k: 0..999): 0..9; var a: array [0..99999] of 0..9; begin a[k] := 1;
    if k = 0 then return a[0]; end; return f(k - 1); end; startstate begin x := 0; end;
    rule begin x := f(200); end;' >deep.m
  run check deep.m --json out.json
  expect_incomplete 'some evaluations go beyond the limits of clew \(.*or 12 MB of local variables.*\), 1 state was seen'
}

# ---- the compiler ----

hanging_compiler() {
  printf '#!/bin/sh\nsleep 1234567 & echo $! >>%s/pids\necho $$ >>%s/pids\nsleep 1234567\n' "$PWD" "$PWD" >cc.sh
  chmod +x cc.sh
  export CLEW_CC=$PWD/cc.sh
}
expect_compiler_gone() {
  local pid tries
  expect_file pids
  for pid in $(cat pids); do
    for tries in $(seq 100); do
      # Whoever adopts what is killed may not have looked yet.
      kill -0 "$pid" 2>/dev/null && ! grep -q '^State:[[:space:]]*Z' "/proc/$pid/status" 2>/dev/null || continue 2
      sleep 0.1
    done
    give_up "process $pid of the compiler is left"
  done
  rm pids
}
test_limits_hanging_compiler() {
  hanging_compiler
  timeout 60 "$clew" check "$models/lock.m" --exec native --max-time 1 --json out.json >out 2>err
  status=$?
  expect_incomplete 'the time limit is reached after'
  expect_compiler_gone
  # The time of a compiler has a limit of its own.
  CLEW_CC_SECONDS=1 timeout 60 "$clew" check "$models/lock.m" --exec native >out 2>err
  status=$?
  expect_status 0
  expect_err 'no native code: .* took more than 1 seconds; interpreting'
  expect_compiler_gone
  # The interpreter does not wait for it.
  timeout 60 "$clew" check "$models/big.m" --max-time 1 --json out.json >out 2>err
  status=$?
  expect_incomplete 'the time limit is reached after'
  expect_key out.json exec interp
  expect_compiler_gone
}
test_limits_signals_while_compiling() {
  local signal
  hanging_compiler
  for signal in INT TERM QUIT; do
    timeout --preserve-status -k 60 -s $signal 1 "$clew" check "$models/lock.m" --exec native --json out.json >out 2>err
    status=$?
    expect_incomplete 'it was interrupted after'
    expect_compiler_gone
  done
  timeout -s KILL 1 "$clew" check "$models/lock.m" --exec native >out 2>err
  expect_compiler_gone
}
test_limits_pipe_in_the_cache() {
  export XDG_CACHE_HOME=$PWD/cache
  run check "$models/lock.m" --exec native
  expect_status 0
  local file
  file=$(ls cache/clew/*.so) || return 0 # no compiler
  rm "$file" && mkfifo "$file"
  timeout 60 "$clew" check "$models/lock.m" --exec native >out 2>err
  status=$?
  expect_status 0
}

# ---- scratch directories ----

# What a killed process has left goes with the next one that uses the directory.
test_limits_killed_leaves_nothing_for_long() {
  mkdir scratch
  timeout -s KILL 1 "$clew" check "$models/big.m" --store disk --memory 8M --dir scratch >out 2>err
  [ -n "$(ls -A scratch)" ] || give_up "nothing was spilled"
  run check "$models/big.m" --store disk --memory 8M --dir scratch --max-states 200000
  expect_status 20
  [ -z "$(ls -A scratch)" ] || give_up "files were left behind"
}
test_limits_quit_leaves_no_files() {
  mkdir scratch
  timeout --preserve-status -s QUIT 1 "$clew" check "$models/big.m" --store disk --memory 8M --dir scratch \
    --json out.json >out 2>err
  status=$?
  expect_incomplete 'it was interrupted after'
  [ -z "$(ls -A scratch)" ] || give_up "files were left behind"
}
test_limits_unusable_scratch_directory() {
  run check "$models/lock.m" --dir /proc/self/none
  expect_status 2
  run check "$models/lock.m" --dir "$models/lock.m"
  expect_status 2
  expect_err 'is not a directory'
}

test_progress_is_silent_by_default() {
  run check "$models/big.m" --max-time 0.7 --memory 300M
  expect_silent_err
}
test_progress_lines() {
  run check "$models/big.m" --max-time 0.9 --memory 300M --progress 0.2
  expect_err '^0:00  level [0-9]+  [0-9,]+ states  [0-9,]+ queued  [0-9.]+( [kM])? states/s  [0-9.]+ .?B of 300 MB  [0-9]+ % new  '
  run check "$models/big.m" --search dfs --max-time 0.9 --memory 300M --progress 0.2
  expect_err '^0:00  depth [0-9]+  '
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
