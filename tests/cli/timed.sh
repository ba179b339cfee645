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
  expect_status 12
  expect_out '^VIOLATED: goal "E<> Light.on and x == 3" is reached after 4 steps\.$'
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
  expect_out '^  not checked  A<> Light.on \(queries about what happens eventually'
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
  expect_status 0
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
  expect_status 12
  run replay light.xta trace.json --time digital --query 'E<> x == 2'
  expect_status 0
  expect_out '^CONFIRMED: goal "E<> x == 2" is reached after 2 steps\.$'
  run replay light.xta trace.json --time digital
  expect_status 65
}
