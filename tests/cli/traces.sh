# Counterexamples as people read and keep them.

write_peterson() { cp "$examples/peterson.m" "my peterson.m"; }

# The command that is printed works when it is pasted, with parameters and blanks.
test_trace_replay_command_works() {
  write_peterson
  run check "my peterson.m" --param POLITE=false --trace "a trace's.json" --quiet
  expect_status 12
  local command
  command=$(sed -n 's/^The counterexample is saved in .*: clew \(replay .*\)$/\1/p' out)
  [ -n "$command" ] || give_up "no command is printed"
  eval "\"$clew\" $command" >pasted 2>&1 || give_up "the printed command fails: $command: $(cat pasted)"
  grep -q '^CONFIRMED: invariant "mutual exclusion" fails after 6 steps\.$' pasted || give_up "not confirmed"
}
# A trace alone: from elsewhere, moved together with its model, and with a model that is gone.
test_trace_finds_its_model() {
  write_peterson
  run check "my peterson.m" --param POLITE=false --trace bug.json --quiet
  mkdir -p there/deep
  cp bug.json there/deep
  cd there/deep || exit 1
  run replay bug.json
  expect_status 0
  expect_out '^CONFIRMED: '
  expect_silent_err
  sed 's|"directory": "[^"]*"|"directory": "/nowhere"|' bug.json >moved.json
  run replay moved.json
  expect_status 65
  expect_err 'moved.json: the model that it names, my peterson.m, is not there; say clew replay MODEL moved.json'
  cp "../../my peterson.m" .
  run replay moved.json
  expect_status 0
  echo "-- another line" >>"my peterson.m"
  run replay moved.json
  expect_status 0
  expect_err 'note: the text of my peterson.m has changed since moved.json was saved; the counterexample is still one'
  sed -i 's/POLITE: true/POLITE: false/' "my peterson.m"
  # Options on the command line replace those of the trace.
  run replay "my peterson.m" moved.json --param POLITE=true
  expect_status 65
  expect_err 'has changed since moved.json was saved$'
  expect_err 'step 6 of the trace is not possible'
}
test_trace_keeps_questions() {
  run check "$models/race.m" --goal 'at[1] = critical' --trace t.json --quiet
  expect_status 12
  expect_out '^REACHED: goal "at\[1\] = critical" is reached after 2 steps\.$'
  run replay t.json
  expect_status 0
  expect_out '^CONFIRMED: goal "at\[1\] = critical" is reached after 2 steps\.$'
}
test_trace_quiet_shows_the_counterexample() {
  run check "$models/race.m" --trace t.json
  run replay t.json --quiet
  expect_status 0
  expect_out '^   4  enter, p: [12]$'
  run simulate "$models/stop.m" --quiet --steps 100
  expect_status 10
  expect_out '^VIOLATED: a deadlock is reached after 3 steps\.$'
  [ "$(grep -c '^   [0-3]  ' out)" -eq 4 ] || give_up "the steps are not shown"
  run simulate "$models/range.m" --quiet --steps 1000
  expect_status 14
  expect_out '^        error: '
}
# A file of another run is left alone, and said to be older.
test_trace_of_another_run() {
  run check "$models/race.m" --trace t.json --quiet
  cp t.json kept.json
  run check "$models/lock.m" --trace t.json --json out.json
  expect_status 0
  expect_err 'note: t.json is older than this run, which had nothing to save there'
  expect_same t.json kept.json
  ! grep -q t.json out.json || grep -q '"command_line".*t.json' out.json || give_up "the JSON names the file"
}
# explain MODEL-TEXT EXPECTED: the line that explains the violation.
explain() {
  printf '%s\n' "$1" >explained.m
  run check explained.m --quiet --no-deadlock
  tail -n 1 out | grep -Fqx "        $2" || give_up "the last line is not: $2"
}
test_trace_explains() {
  explain 'var items: 0..1; startstate items := 0; end; rule "put" items := items + 1; end;' 'items = 2, allowed 0..1'
  explain 'var i: 0..5; a: array [0..3] of boolean; startstate i := 0; clear a; end; rule "set" a[i] := true; i := i + 1; end;' \
    'index = 4, allowed 0..3'
  explain 'var n: 0..5; startstate n := 3; end; rule "divide" n := 3 / (n - 1); end; rule "less" n > 0 ==> n := n - 1; end;' 'it is 3 / 0'
  explain 'var n: 0..5; startstate n := 0; end; rule "on" n := n + 1; end; invariant n < 2 | n = 4;' \
    'because n = 2, not < 2, n = 2, not 4'
  explain 'var a: array [0..2] of 0..3; startstate for i: 0..2 do a[i] := 0; end; end; ruleset i: 0..2 do rule "on" a[i] < 3 ==> a[i] := a[i] + 1; end; end; invariant forall i: 0..2 do forall j: 0..2 do i < j -> !(a[i] = 1 & a[j] = 2) end end;' \
    'because a[0] = 1, a[1] = 2 (i = 0, j = 1)'
  # Values of scalarsets can be compared while they are undefined.
  local owners='type S: scalarset(2); var a: array [0..1] of S; owner: S; b: multiset [2] of S; startstate undefine a; undefine owner; undefine b; end; ruleset s: S do rule "own" isundefined(owner) ==> owner := s; a[0] := s; multisetadd(s, b); end; end;'
  explain "$owners invariant isundefined(owner) | a[0] != owner;" 'because owner is defined, a[0] != owner is false, a[0] = S_1, owner = S_1'
  explain "$owners invariant isundefined(owner) | a[1] = owner;" 'because owner is defined, a[1] = owner is false, a[1] = undefined, owner = S_1'
  explain "$owners invariant multisetcount(i: b, b[i] = owner) = 0;" 'because b[0] = owner is true, b[0] = S_1, owner = S_1 (i = 0)'
  explain 'var a: array [0..1] of 0..3; n: 0..1; startstate undefine a; n := 0; end; rule "on" n := 1 - n; end; invariant "defined" a[n] = 0;' \
    'a[0] is undefined'
  expect_out '^VIOLATED: a run-time error happens in an initial state, where invariant "defined" is evaluated: "a\[n\]" is undefined'
  expect_out '^   1  checking "defined"$'
  explain 'var n: 0..1; function half(k: 0..1): 0..1; begin if k = 0 then return 1; end; end; startstate n := 0; end; rule "next" n := half(n); end;' \
    'called with k = 1'
  expect_out '^VIOLATED: a run-time error happens after 2 steps: the function "half" ended without returning a value'
}
test_unnamed_properties_have_lines() {
  printf 'var n: 0..2;\nstartstate n := 0; end;\nrule "on" n := (n + 1) %% 3; end;\ninvariant n < 3;\ninvariant\n  n != 2;\n' >unnamed.m
  run check unnamed.m
  expect_status 12
  expect_out '^VIOLATED: invariant 2 \(line 5\) fails after 2 steps\.$'
  expect_out '^  not decided  invariant 1 \(line 4\) \(holds in the states seen\)$'
}
# The counterexample ends where the goal gets out of reach, which may be before the trap.
test_liveness_is_shortest() {
  cat >slope.m <<'MODEL'
var x : 0..9;
startstate begin x := 0; end;
rule "down" x > 0 & x < 9 ==> begin x := x + 1; end;
rule "fall" x = 0 ==> begin x := 1; end;
rule "stay" x = 9 ==> begin x := 8; end;
liveness "home" x = 0;
MODEL
  local search
  for search in bfs symbolic; do
    run check slope.m --search $search
    expect_status 13
    expect_out '^VIOLATED: liveness "home" can never hold again after 1 step\.$'
  done
  run check slope.m --threads 2 --thread-share 1
  expect_out 'after 1 step\.$'
}
# A property that nobody asks for does not cost the reduction of one that somebody does.
test_liveness_selected_keeps_symmetry() {
  cat >two.m <<'MODEL'
type proc: scalarset(3);
var at: array [proc] of 0..2;
startstate for p: proc do at[p] := 0; end; end;
ruleset p: proc do
  rule "on" at[p] := (at[p] + 1) % 3; end;
  liveness "each" at[p] = 0;
end;
liveness "all" forall p: proc do at[p] = 0 end;
MODEL
  run check two.m --json out.json
  expect_key out.json states 27
  run check two.m --property all --json out.json
  expect_status 0
  expect_key out.json states 10
  expect_silent_err
  run check two.m --property 'each, p: proc_1' --json out.json
  expect_key out.json states 27
  run check two.m --goal 'forall p: proc do at[p] = 2 end' --json out.json
  expect_status 12
  expect_key out.json symmetry canonical
}
# Messages come and go; slots do not shift.
test_trace_messages() {
  run check "$examples/msi_cache.m" --param BUG=true --quiet
  expect_status 12
  expect_out '^        net: \+ \{what: get_modified, who: proc_[12]\}$'
  expect_out '^        net: - \{what: get_modified, who: proc_[12]\}$'
  refuse_out 'net\[0\]'
  expect_out '^        because cache\[proc_[12]\]\.state = M, cache\[proc_[12]\]\.state = S \(p = proc_[12], q = proc_[12]\)$'
  cat >queue.dve <<'MODEL'
channel {byte, byte} q[3];
channel {byte} link[0];
byte got;
process P {
  byte x;
  state s, t, u; init s;
  trans s -> s { guard x < 2; sync q!{x, 7}; effect x = x + 1; }, s -> t { guard x == 2; sync link!x + 3; };
}
process C {
  byte a, b;
  state s, t; init s;
  trans s -> s { sync q?{a, b}; }, s -> t { sync link?got; };
}
system async;
MODEL
  run check queue.dve --quiet
  expect_status 10
  expect_out '^        q: empty$'
  expect_out '^        q: \+ \{0: 1, 1: 7\}$'
  expect_out 'P: s -> t, C: s -> t \(link!5\)$'
}
test_trace_trap_is_explained() {
  run check "$models/trap.m" --quiet
  expect_status 13
  expect_out '^      from here 2 states can be reached, and "home" is true in none of them$'
  expect_out '^      only these rules fire there: on \(line [0-9]+\), stay \(line [0-9]+\)$'
}
test_trace_lines() {
  run check "$models/race.m" --trace-full --trace t.json --quiet
  expect_out '^   4  enter, p: [12]  \[line [0-9]+\]$'
  grep -q '"line": [1-9]' t.json || give_up "the trace has no lines"
}
# ITF: what Apalache's tools read.
test_trace_itf() {
  run check "$models/race.m" --itf t.itf.json
  expect_status 12
  expect_json t.itf.json
  tr -d '\n ' <t.itf.json | grep -q '"format":"ITF"' || give_up "the format is not named"
  tr -d '\n ' <t.itf.json | grep -q '"vars":\["at\[1\]","at\[2\]"' || give_up "the variables are not listed"
  [ "$(grep -c '"index": ' t.itf.json)" -eq 5 ] || give_up "there are not 5 states"
  run check "$models/lock.m" --itf none.itf.json
  refuse_file none.itf.json
}
test_what_next() {
  run check "$models/stop.m"
  expect_out '^What next:$'
  expect_out '^    clew check .*stop.m --no-deadlock$'
  local command
  command=$(sed -n 's/^    clew \(check .* --no-deadlock\)$/\1/p' out)
  eval "\"$clew\" $command" >pasted 2>&1 || give_up "the printed command fails"
  run check "$models/stop.m" --quiet
  refuse_out 'What next'
  run check "$models/trap.m" --store disk
  expect_status 20
  expect_out '^    clew check .* --store disk --store exact$'
  run check "$models/trap.m" --store disk --store exact
  expect_status 13
  run check "$models/lock.m" --max-states 2 --max-depth=99
  expect_out '^  without the limit \(forecast: at least [2-9] states\):$'
  expect_out '^    clew check [^ ]*/lock.m$'
  expect_out '^    clew check .* --max-states 2 --max-depth=99 --checkpoint DIR$'
  command=$(sed -n 's/^    clew \(check [^ ]*lock.m\)$/\1/p' out)
  eval "\"$clew\" $command" >pasted 2>&1 || give_up "the printed command fails"
  # What was kept goes on with one command, which is said once.
  run check "$models/lock.m" --max-states 2 --checkpoint kept
  expect_status 75
  expect_err '^clew: go on with: clew resume kept$'
  refuse_out 'What next'
  run resume kept --max-states 4
  expect_status 75
  refuse_out 'What next'
  run check "$models/lock.m" --store compact
  expect_status 21
  expect_out '^    clew check .* --store compact --store auto$'
  run check "$models/lock.m"
  refuse_out 'What next'
}
