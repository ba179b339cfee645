# Timed models: --time, --query, --queries and the files beside a model.

# A light that is switched on, and off after three units of time.
write_light() {
  cat >light.xta <<'MODEL'
clock x;
process Light() {
  state off, on { x <= 3 };
  init off;
  trans off -> on { assign x = 0; }, on -> off { guard x == 3; };
}
system Light;
MODEL
}

test_time_modes() {
  write_light
  # By hand: off is one state, since nothing compares x there; on has x = 0 .. 3.
  run stats light.xta --time digital --json result.json
  expect_status 0
  grep -q '"states": 5,' result.json || give_up "not 5 states"
  run stats light.xta --time none --json result.json
  grep -q '"states": 2,' result.json || give_up "not 2 states"
  run check light.xta --time sometimes
  expect_status 2
}
test_queries_beside() {
  write_light
  printf '// all of them\nE<> Light.on and \\\n  x == 3\n\nA[] Light.off or x <= 3 /* ever */\n' >light.q
  run check light.xta --time digital
  expect_status 0
  expect_out '^SATISFIED: query "E<> Light.on and x == 3" is true after 4 steps, and 2 others hold '
  run check light.xta
  expect_status 0
  expect_out '^SATISFIED: query "E<> Light.on and x == 3" is true after 1 step, and 2 others hold '
  expect_out '^      time passes  @ 3$'
  run check light.xta --time digital --query 'A[] Light.on imply x <= 3'
  expect_status 0
  expect_out '^HOLDS: '
  printf 'A[] Light.off or x <= 2\n' >other.q
  run check light.xta --time digital --queries other.q
  expect_status 12
  expect_out '^VIOLATED: invariant "A\[\] Light.off or x <= 2" fails after 4 steps\.$'
  run check light.xta --time digital --queries missing.q
  expect_status 65
}
test_queries_without_an_answer() {
  write_light
  run check light.xta --time digital --query 'A<> Light.on'
  expect_status 20
  expect_out '^  not checked  A<> Light.on \(queries about runs need --time zones\)$'
  run check light.xta --time digital --query 'Light.on --> Light.off'
  expect_status 20
  run check light.xta --time digital --query 'Pr[<=10](<> Light.on)'
  expect_status 20
  run check light.xta --time none --query 'E<> x == 3'
  expect_status 20
  expect_out '^  not checked  E<> x == 3 \(it depends on clocks, which --time none ignores\)$'
  # Two clocks with both kinds of bounds: a deadlock may lie between integers.
  sed 's/^clock x;/clock x, y;/; s/x == 3/x == 3 \&\& y >= 3/' light.xta >two.xta
  run check two.xta --time digital --query 'A[] not deadlock'
  expect_status 20
  run check light.xta --time digital --query 'A[] not deadlock'
  expect_status 0
  run check light.xta --time digital --query 'E<> x > 1 && x < 2'
  expect_status 20
  # A single strict comparison is decided.
  run check light.xta --time digital --query 'E<> Light.on && x > 3'
  expect_status 12
  run check light.xta --time digital --query 'E<> Light.lit'
  expect_status 65
  expect_err "^--query:1:11: error: the process 'Light' has no location or variable 'lit'$"
}
test_query_in_another_language() {
  run check "$models/lock.m" --query 'E<> true'
  expect_status 2
  expect_err 'murphi has no syntax for queries: say --goal or --invariant'
}
test_replay_of_a_query() {
  write_light
  run check light.xta --time digital --query 'E<> x == 2' --trace trace.json
  expect_status 0
  run replay light.xta trace.json --time digital --query 'E<> x == 2'
  expect_status 0
  expect_out '^CONFIRMED: query "E<> x == 2" is true after 2 steps\.$'
  run replay light.xta trace.json --time digital
  expect_status 65
}
test_runs() {
  write_light
  # By hand: off has no invariant, so time can pass there for ever; on is left at 3 at the latest.
  run check light.xta --query 'A<> Light.on'
  expect_status 13
  expect_out '^VIOLATED: progress "A<> Light.on" is false of a run that is shown by 0 steps\.$'
  run check light.xta --query 'Light.on --> Light.off'
  expect_status 0
  run check light.xta --query 'E[] Light.off'
  expect_status 0
  expect_out '^SATISFIED: query "E\[\] Light.off" is true of a run'
  run check light.xta --query 'E[] Light.on'
  expect_status 13
  run check light.xta --query 'Light.off --> Light.on' --trace run.json
  expect_status 13
  run replay light.xta run.json --query 'Light.off --> Light.on'
  expect_status 0
  # Runs have a graph of their own: any store does, but a question about every state needs one that
  # gives them back.
  run check light.xta --query 'Light.on --> Light.off' --store zones
  expect_status 0
  run check light.xta --query 'A<> Light.on' --store compact
  expect_status 13
  run check light.xta --query 'Light.on --> Light.off' --store compact
  expect_status 20
}
test_queries_explored_apart() {
  write_light
  run check light.xta --query 'E<> Light.on' --query 'A[] not deadlock' --query 'sup: x' --json -
  expect_status 0
  expect_out '"explorations": \['
  expect_out '"properties": \["assertions", "E<> Light.on"\]'
  expect_out '"extrapolation": "M\+",'
  run check light.xta --query 'E<> Light.on' --json -
  expect_status 0
  if grep -q explorations out; then give_up "one exploration needs no list"; fi
}
test_a_run_that_loops() {
  cat >loop.xta <<'MODEL'
clock x;
process P() {
  state a { x <= 1 }, b { x <= 1 }, c;
  init a;
  trans a -> b { guard x == 1; assign x = 0; }, b -> a { guard x == 1; assign x = 0; }, a -> c { };
}
system P;
MODEL
  run check loop.xta --query 'A<> P.c' --trace run.json
  expect_status 13
  expect_out '^      steps 1 to 2 can be repeated for ever$'
  grep -q '"loop_to": 0' run.json || give_up "the loop is not saved"
  run replay loop.xta run.json --query 'A<> P.c'
  expect_status 0
  sed 's/"loop_to": 0/"loop_to": 1/' run.json >wrong.json
  run replay loop.xta wrong.json --query 'A<> P.c'
  expect_status 65
}
test_measures() {
  write_light
  run check light.xta --query 'sup{Light.on}: x' --json result.json
  expect_status 0
  expect_out '^  ok           measure "sup\{Light.on\}: x": x is at most 3$'
  grep -q '"sup": 3,' result.json || give_up "no sup"
  run check light.xta --query 'sup: x'
  expect_out ': x grows without bound$'
  run check light.xta --query 'inf{Light.off}: x'
  expect_out ': x is at least 0$'
}
test_fastest() {
  # Two ways to the goal: one step at 9, or two steps at 2 and 4.
  cat >ways.xta <<'MODEL'
clock x, y;
process P() {
  state a, b, c;
  init a;
  trans a -> c { guard x >= 9; }, a -> b { guard x >= 2; assign y = 0; }, b -> c { guard y > 1; };
}
system P;
MODEL
  run check ways.xta --query 'E<> P.c'
  expect_out '^   1  P: a -> c  @ 9$'
  run check ways.xta --query 'E<> P.c' --trace-order time
  expect_out '^   2  P: b -> c  @ 3.5$'
  run check ways.xta --query 'E<> P.c' --trace-order time --trace-time latest
  expect_status 0
}
test_stopwatches() {
  cat >stop.xta <<'MODEL'
clock x, y, z;
process P() {
  state a { z <= 3 }, b { x' == 0 && z <= 2 }, c, d { x' == 0 }, e;
  init a;
  trans a -> b { assign z = 0; }, b -> a { assign z = 0; },
        a -> c { guard x >= 5 && y <= 7 && y >= 7; }, a -> d { assign x = 0; },
        d -> e { guard y >= 2 && x >= 1; };
}
system P;
MODEL
  # x runs in a only: 5 units there and 2 in b make y = 7, in visits of a of at most 3 units.
  run check stop.xta --query 'E<> P.c'
  expect_status 0
  expect_out '^   3  P: a -> c  @ 7$'
  # x stands still at 0 in d: e is not reachable.
  run check stop.xta --query 'E<> P.e'
  expect_status 12
}

# The clock t measures the time since a crash. Before the crash it grows without bound, and nobody asks for it there: the
# search has to end. A sign of life is sent at least every 10; a sign takes up to 3; the watchdog waits 13 to 14. A machine
# that crashes just after a sign is noticed after 3 + 14 at the latest; one that crashes 10 after its last sign, which took
# no time, after more than 13 - 10.
test_measured_clock_matters_where_it_is_asked_for() {
  cat >dog.xta <<'MODEL'
clock t, x, age, silence;
chan sign; broadcast chan arrives;
process Machine() { state up { x <= 10 }, down; init up;
  trans up -> up { guard x >= 8; sync sign!; assign x = 0; }, up -> down { assign t = 0; }; }
process Line() { state empty, busy { age <= 3 }; init empty;
  trans empty -> busy { sync sign?; assign age = 0; }, busy -> empty { sync arrives!; }; }
process Dog() { state quiet { silence <= 14 }, alarm; init quiet;
  trans quiet -> quiet { sync arrives?; assign silence = 0; }, quiet -> alarm { guard silence > 13; }; }
system Machine, Line, Dog;
MODEL
  for condition in 'Machine.down && !Dog.alarm' '!(Machine.up or Dog.alarm)' 'Machine.down && (Dog.quiet || false)'; do
    run check dog.xta --query "sup{$condition}: t" --max-time 20
    expect_status 0
    expect_out 't is at most 17'
  done
  run check dog.xta --query 'inf{Dog.alarm && Machine.down}: t' --max-time 20
  expect_status 0
  expect_out 't is greater than 3'
  run check dog.xta --query 'sup{Machine.down}: t' --max-time 20
  expect_status 0
  expect_out 't grows without bound'
}
# A receiver without a guard whose invariant may be false when it arrives: one notice, also if there are several such edges.
test_broadcast_notice() {
  write_late() {
    cat >late.xta <<END
broadcast chan a; int[0,3] v = 3; clock x;
process S() { state s; init s; trans s -> s { sync a!; }; }
process R() { state p, q { x <= v }; init p; trans p -> q { $1 sync a?; $2 }, q -> p { $1 sync a?; }; }
system S, R;
END
  }
  write_late '' ''
  run check late.xta --query 'E<> R.q' --query 'A[] R.q imply x <= 3'
  expect_status 0
  expect_err "^late\.xta:3:52: warning: where the invariant of 'q' is false behind this edge, the broadcast does not happen$"
  [ "$(grep -c warning err)" = 1 ] || give_up "not one notice"
  write_late '' 'assign x = 0;'
  run check late.xta --query 'E<> R.q'
  expect_status 0
  ! grep -q warning err || give_up "a notice without a reason"
  write_late 'guard x <= 3;' ''
  run check late.xta --query 'E<> R.q'
  ! grep -q warning err || give_up "a notice about an edge with a guard"
}
