# New properties of the states of a kept search: the answers are those of a fresh search.

# Counters that go up and come down, in which a goal may lie near, far, or nowhere.
write_recheck_model() {
  cat >m.m <<'MODEL'
const N: 3; TOP: 4;
var a: array [0..N-1] of 0..TOP;
startstate for i: 0..N-1 do a[i] := 0; end; end;
ruleset i: 0..N-1 do
  rule "up" a[i] < TOP ==> a[i] := a[i] + 1; end;
  rule "down" a[i] = TOP & a[0] < 4 ==> a[i] := 0; end;
end;
invariant "low" a[0] + a[1] < 6;
liveness "home" a[1] = 0;
liveness "some" a[0] >= 0;
MODEL
}
# What a recheck has in common with a fresh search: verdict, depth of the first violation, length of the trace.
answer_of() {
  sed -n 's/^  "verdict": \(.*\),$/\1/p' "$1"
  sed -n 's/^ *"\(depth\|length\)": \([0-9]*\).*/\1=\2/p' "$1"
}
# expect_recheck DIRECTORY MODEL OPTIONS...: as a fresh search with these options.
expect_recheck() {
  kept=$1 model=$2
  shift 2
  run check "$model" "$@" --json fresh.json
  fresh=$status
  run resume "$kept" --recheck "$@" --json again.json
  [ "$status" = "$fresh" ] || give_up "$kept $*: exit $status, not $fresh: $(cat err)"
  [ "$(answer_of again.json)" = "$(answer_of fresh.json)" ] ||
    give_up "$kept $*: $(answer_of again.json), not $(answer_of fresh.json)"
}
ask_all() {
  expect_recheck "$1" m.m --goal 'a[0] = 1 & a[2] = 2'
  expect_recheck "$1" m.m --goal 'a[0] = 4 & a[1] = 4 & a[2] = 4'
  expect_recheck "$1" m.m --invariant 'a[0] + a[1] + a[2] < 13'
  expect_recheck "$1" m.m --goal 'a[0] = 1' --property low
}
test_recheck_in_every_store() {
  write_recheck_model
  for store in exact comback disk tree auto; do
    rm -rf whole part stopped
    run check m.m --property some --store $store --checkpoint whole
    run check m.m --property deadlock --store $store --max-depth 3 --checkpoint part
    expect_status 75
    run check m.m --property low --store $store --checkpoint stopped
    expect_status 12
    for kept in whole part stopped; do ask_all $kept; done
    grep -q '"resumed_states": ' again.json || give_up "$store: the states are not those that were kept"
  done
}
test_recheck_in_another_store() {
  write_recheck_model
  run check m.m --property deadlock --max-depth 5 --checkpoint part
  expect_status 75
  for store in comback disk tree exact; do
    run resume part --recheck --goal 'a[0] = 4 & a[1] = 4 & a[2] = 4' --store $store --threads 3
    expect_status 12
    expect_out 'after 12 steps'
    run resume part --recheck --invariant 'a[0] < 5' --store $store --memory 4M
    expect_status 0
    expect_out 'all 125 reachable states'
  done
}
test_recheck_leaves_the_checkpoint_alone() {
  write_recheck_model
  run check m.m --property deadlock --max-depth 3 --checkpoint part
  cp -r part before
  run resume part --recheck --goal 'a[0] = 4'
  expect_status 12
  diff -r part before >/dev/null || give_up "the checkpoint has changed"
  run resume part
  expect_out 'deadlock'
}
test_recheck_of_depth_first_search() {
  write_recheck_model
  run check m.m --property some --search dfs --checkpoint whole --threads 1
  run check m.m --property some --search dfs --max-states 60 --checkpoint part
  expect_status 75
  for kept in whole part; do
    run resume $kept --recheck --goal 'a[0] = 1 & a[2] = 2'
    expect_status 12
    run resume $kept --recheck --invariant 'a[0] + a[1] + a[2] < 13'
    expect_status 0
    expect_out '125 reachable states'
  done
}
test_recheck_of_liveness_and_deadlocks() {
  write_recheck_model
  run check m.m --goal 'a[0] = 7' --checkpoint whole
  expect_status 0
  run check m.m --goal 'a[0] = 7' --max-depth 4 --checkpoint part
  expect_status 75
  for kept in whole part; do
    expect_recheck $kept m.m --property home
    expect_recheck $kept m.m --property some
    expect_recheck $kept m.m --property deadlock
    expect_recheck $kept m.m
  done
}
test_recheck_of_reduced_states() {
  cat >s.m <<'MODEL'
type P: scalarset(3);
var a: array [P] of 0..3; last: P;
startstate for p: P do a[p] := 0; end; undefine last; end;
ruleset p: P do
  rule "up" a[p] < 3 ==> a[p] := a[p] + 1; last := p; end;
  rule "down" a[p] = 3 ==> a[p] := 0; last := p; end;
end;
MODEL
  run check s.m --checkpoint whole
  expect_status 0
  run check s.m --max-states 10 --checkpoint part
  expect_status 75
  for kept in whole part; do
    expect_recheck $kept s.m --goal 'forall p: P do a[p] = 3 end'
    expect_recheck $kept s.m --invariant 'exists p: P do a[p] < 3 end | exists p: P do a[p] = 3 end'
  done
}
test_recheck_of_zones() {
  for options in '' '--zone flat' '--time digital'; do
    rm -rf whole part
    # shellcheck disable=SC2086
    run check "$examples/fischer.xta" $options --query 'E<> P(1).critical and P(2).critical' --checkpoint whole
    # shellcheck disable=SC2086
    run check "$examples/fischer.xta" $options --query 'A[] not (P(1).critical and P(2).critical)' --max-depth 3 --checkpoint part
    expect_status 75
    for kept in whole part; do
      run resume $kept --recheck --query 'E<> P(1).critical' --json again.json
      code=$status
      # shellcheck disable=SC2086
      run check "$examples/fischer.xta" $options --query 'E<> P(1).critical' --json fresh.json
      expect_status $code
      [ "$(answer_of again.json)" = "$(answer_of fresh.json)" ] || give_up "$kept $options"
    done
  done
}
test_recheck_refuses_what_changes_zones() {
  run check "$examples/fischer.xta" --query 'E<> P(1).critical and P(2).critical' --checkpoint whole
  run resume whole --recheck --query 'E<> P(1).critical and P(1).x > 40'
  expect_status 65
  expect_err 'zones forget'
}
test_recheck_refuses() {
  write_recheck_model
  run check m.m --property deadlock --checkpoint whole
  run resume whole --goal 'a[0] = 1'
  expect_usage 'needs --recheck'
  run resume whole --recheck --property nothing
  expect_usage 'no property'
  run resume whole --recheck --goal 'b = 1'
  expect_status 65
  sed -i 's/TOP: 4/TOP: 5/' m.m
  run resume whole --recheck --goal 'a[0] = 1'
  expect_status 65
  expect_err 'has changed'
}
test_recheck_looks_for_what_nobody_looked_for() {
  cat >f.m <<'MODEL'
var n: 0..9;
startstate n := 0; end;
rule "up" n < 9 ==> n := n + 1; end;
rule "wrong" n = 8 ==> error "eight"; end;
MODEL
  run check f.m --property deadlock --checkpoint whole
  expect_recheck whole f.m --goal 'n = 11 - 2'
  expect_recheck whole f.m
  expect_err 'generated again'
}
