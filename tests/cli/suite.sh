# Several answers in one run.

write_many() {
  cat >many.m <<'MODEL'
var x: 0..9;
startstate x := 0; end;
rule "on" x < 9 ==> x := x + 1; end;
rule "off" x = 9 ==> x := 0; end;
invariant "a <b>" x != 3;
invariant "b" x != 5;
invariant "c" x < 10;
liveness "d" x = 4;
MODEL
}
# Each violated property has its shortest path, and can be replayed.
test_all_violations() {
  write_many
  local options
  for options in "" "--threads 2 --thread-share 1" "--exec interp"; do
    rm -f bug*.json
    # shellcheck disable=SC2086
    run check many.m --all --trace bug.json --json out.json $options
    expect_status 12
    expect_out '^VIOLATED: invariant "a <b>" fails after 3 steps, and 1 more violation\.$'
    expect_out '^VIOLATED: invariant "b" fails after 5 steps\.$'
    expect_out '^  ok           invariant "c"$'
    expect_out '^  ok           liveness "d"$'
    expect_key out.json states 10
    run replay bug.json
    expect_out '^CONFIRMED: invariant "a <b>" fails after 3 steps\.$'
    run replay bug-2.json
    expect_out '^CONFIRMED: invariant "b" fails after 5 steps\.$'
  done
  run check many.m
  refuse_out 'invariant "b" fails'
}
test_junit_and_sarif() {
  write_many
  run check many.m --all --junit j.xml --sarif s.json
  expect_status 12
  grep -q '<testsuite name="many.m" tests="6" failures="2" errors="0" skipped="0"' j.xml || give_up "wrong counts in j.xml"
  grep -q '<failure message="invariant &quot;a &lt;b&gt;&quot; fails after 3 steps">' j.xml || give_up "no failure, or not escaped"
  grep -q '^   3  on$' j.xml || give_up "the counterexample is not in j.xml"
  expect_json s.json
  tr -d '\n ' <s.json | grep -q '"uri":"many.m"},"region":{"startLine":5,' || give_up "no place in s.json"
  printf 'var x: 0..9\nvar y: 0..z;\n' >bad.m
  run check bad.m --sarif s.json
  expect_status 65
  expect_json s.json
  tr -d '\n ' <s.json | grep -q '"level":"error"' || give_up "the error is not in s.json"
}
test_suite_of_a_directory() {
  mkdir models
  { echo '-- clew: verdict=violated exit=12'; echo '-- clew: exit=0 states=10 command=stats'; cat <<'MODEL'; } >models/many.m
var x: 0..9;
startstate x := 0; end;
rule "on" x < 9 ==> x := x + 1; end;
rule "off" x = 9 ==> x := 0; end;
invariant "a" x != 3;
MODEL
  cp "$models/lock.m" models
  echo "no model" >models/notes.txt
  run suite models
  expect_status 0
  expect_out '^ok    violated .* models/many\.m$'
  expect_out '^ok    .* 10 states .* models/many\.m \(stats\)$'
  expect_out '^3 passed, 0 failed$'
  sed -i 's/states=10/states=11/' models/many.m
  run suite models --junit j.xml
  expect_status 1
  expect_out '^FAIL  '
  expect_out '^      states is 10, expected 11$'
  expect_out '^2 passed, 1 failed$'
  grep -q 'tests="3" failures="1"' j.xml || give_up "wrong counts in j.xml"
}
# The head of a net stands in a processing instruction; a model alone is a suite, too.
test_suite_of_nets() {
  cp "$examples/two_locks_bug.pnml" "$examples/two_locks.pnml" .
  mkdir nets
  mv ./*.pnml nets
  run suite nets
  expect_status 0
  expect_out '^4 passed, 0 failed$'
  run suite nets/two_locks_bug.pnml
  expect_status 0
  expect_out '^2 passed, 0 failed$'
}
test_suite_of_a_file() {
  cp "$models/lock.m" "$models/race.m" .
  cat >suite.toml <<'MODEL'
# two checks
[[check]]
model = "lock.m"
expect = "holds"   # in every state
states = 8

[[check]]
model = "race.m"
options = ["--goal", "at[1] = critical"]
exit = 12
MODEL
  run suite suite.toml
  expect_status 0
  expect_out "race.m --goal 'at\[1\] = critical'\$"
  expect_out '^2 passed, 0 failed$'
  printf '[[check]]\nmodel = lock.m"\nstates = = 8\n' >bad.toml
  run suite bad.toml
  expect_status 65
  expect_err '^bad.toml:2:'
  run suite nothing.toml
  expect_status 65
  mkdir empty
  run suite empty
  expect_status 65
  expect_err 'there is nothing to check'
}
