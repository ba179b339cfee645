# Symbolic search: options, figures, messages, pictures.

# Three processes that count to 3 together or apart, and an error that they can reach.
write_model() {
  cat >m.dve <<'MODEL'
byte n = 0;
process A { byte x = 0; state s, t; init s; trans s -> t { guard x < 3; effect x = x + 1; }, t -> s { effect n = x; }; }
process B { byte y = 0; state s, t; init s; trans s -> t { guard y < 3; effect y = y + 1; }, t -> s { effect n = y; }; }
system async;
MODEL
}

test_symbolic_counts_as_bfs_does() {
  write_model
  run stats m.dve --json explicit.json
  expect_status 0
  wanted=$(sed -n 's/^  "\(states\|transitions\|deadlocks\|levels\)": \(.*\),$/\1=\2/p' explicit.json | tr '\n' ' ')
  for options in '--dd-order bfs-prev' '--dd-order bfs --dd-groups edge' '--dd-order no-minus --dd-variables declared --dd-groups subsumed'; do
    # shellcheck disable=SC2086
    run stats m.dve --search symbolic $options --json result.json
    expect_status 0
    expect_out 'decision diagrams'
    got=$(sed -n 's/^  "\(states\|transitions\|deadlocks\|levels\)": \(.*\),$/\1=\2/p' result.json | tr '\n' ' ')
    [ "$got" = "$wanted" ] || give_up "$options: $got, not $wanted"
  done
  for key in nodes peak_nodes groups; do
    grep -q "^  \"$key\": [0-9]*,$" result.json || give_up "no $key"
  done
  grep -q '"dd": {' result.json || give_up "no figures of the diagrams"
  if grep -q '"store"' result.json; then give_up "there is no store"; fi
}
# Every order of exploration with every order of variables: the same states, transitions, deadlocks.
test_symbolic_orders_count_the_same() {
  write_model
  run stats m.dve --json explicit.json
  expect_status 0
  wanted=$(sed -n 's/^  "\(states\|transitions\|deadlocks\)": \(.*\),$/\1=\2/p' explicit.json | tr '\n' ' ')
  for order in '--dd-order chain-prev' '--dd-order chain' '--sat full' '--sat full --dd-turn 1' '--sat full --dd-turn 100' '--sat like' '--sat like --dd-order bfs-prev' '--sat like --dd-order chain-prev' \
    '--sat like --dd-order no-minus' '--sat like --dd-order bfs' '--sat none'; do
    for variables in declared force sloan cm noack cw gsa rb4w best; do
      # shellcheck disable=SC2086
      run stats m.dve --search symbolic $order --dd-variables $variables --dd-check --json result.json
      expect_status 0
      got=$(sed -n 's/^  "\(states\|transitions\|deadlocks\)": \(.*\),$/\1=\2/p' result.json | tr '\n' ' ')
      [ "$got" = "$wanted" ] || give_up "$order $variables: $got, not $wanted"
    done
  done
  run stats m.dve --search symbolic --dd-order chain --sat full
  expect_status 2
  expect_err 'sat full is the order sat'
}
test_symbolic_counterexample_is_shortest_and_replays() {
  write_model
  run check m.dve --goal 'A->x == 2 and n == 1 and B->y == 2' --json explicit.json
  expect_status 12
  depth=$(sed -n 's/^ *"depth": //p' explicit.json)
  for order in bfs-prev bfs no-minus chain chain-prev sat; do
    run check m.dve --goal 'A->x == 2 and n == 1 and B->y == 2' --search symbolic --dd-order $order --json result.json --trace t.json
    expect_status 12
    expect_out 'is reached after'
    case $order in *bfs* | no-minus) [ "$(sed -n 's/^ *"depth": //p' result.json)" = "$depth" ] || give_up "$order: not depth $depth" ;; esac
    run replay m.dve t.json --goal 'A->x == 2 and n == 1 and B->y == 2'
    expect_status 0
  done
}
# 40 counters of 16 values that are free of each other: 16^40 states.
test_symbolic_counts_beyond_64_bits() {
  cat >wide.m <<'MODEL'
type id: 0..39; value: 0..15;
var a: array[id] of value;
startstate for i: id do a[i] := 0; end; end;
ruleset i: id do rule a[i] < 15 ==> a[i] := a[i] + 1; end; rule a[i] = 15 ==> a[i] := 0; end; end;
invariant "small" a[3] < 16;
MODEL
  for order in sat chain; do
    run check wide.m --search symbolic --dd-order $order --json result.json
    expect_status 0
    expect_out 'all 1461501637330902918203684832716283019655932542976 reachable states'
    grep -q '"states": "1461501637330902918203684832716283019655932542976"' result.json || give_up "not the number of states"
  done
}
test_symbolic_draws_a_diagram() {
  write_model
  run check m.dve --search symbolic --dd-dot m.dot --no-deadlock
  expect_status 0
  grep -q '^digraph ldd {$' m.dot || give_up "no diagram"
  grep -q 'label="A.x"' m.dot || give_up "no names"
  run check m.dve --search symbolic --dd-dot /nowhere/m.dot
  expect_status 2
  cat >lamp.xta <<'MODEL'
process Lamp() { clock x, y; state off, on { x <= 5 }; init off;
  trans off -> on { guard x >= 2; assign x = 0; }, on -> on { guard y >= 7; assign y = 0; }, on -> off { guard x >= 3 && y <= 4; }; }
system Lamp;
MODEL
  run stats lamp.xta --search symbolic --dd ddd --dd-dot lamp.dot
  expect_status 0
  grep -q 'label="Lamp.y <= 5"' lamp.dot || give_up "no clock values"
  for node in $(sed -n 's/.*-> \(n[0-9]*\).*/\1/p' lamp.dot); do
    [ "$(grep -c "^  $node \[" lamp.dot)" -eq 1 ] || give_up "$node is not drawn once"
  done
}
# Where a location is urgent, transitions compute whether time may pass.
test_symbolic_splits_delays() {
  cat >two.xta <<'MODEL'
process P() { clock x; state a { x <= 5 }, b, c; init a;
  trans a -> b { guard x >= 2; assign x = 0; }, b -> c { guard x > 3; }, c -> a { assign x = 0; }; }
Q = P(); R = P(); S = P();
system Q, R, S;
MODEL
  sed 's/init a/urgent c; init a/' two.xta >urgent.xta
  for split in yes no; do
    run stats two.xta --search symbolic --dd ddd --dd-split $split --json $split.json
    expect_status 0
    grep -q "\"dd_split\": \"$split\"" $split.json || give_up "$split: not as asked"
    expect_key $split.json discrete_states 27
  done
  # The group of each process touches one of 3 locations, and the delay all of them.
  grep -q '"dd_density": 0.5,' yes.json || give_up "not half of the matrix"
  grep -q '"dd_density": 1,' no.json || give_up "not all of the matrix"
  run check two.xta --search symbolic --dd ddd --query 'E<> Q.c && R.c && S.c' --json reached.json
  expect_status 0
  expect_out 'is true after 6 steps'
  run check two.xta --search symbolic --dd ddd --query 'A[] not deadlock' --json asked.json
  grep -q '"dd_split": "no"' asked.json || give_up "deadlocks by halves of transitions"
  run stats urgent.xta --search symbolic --dd ddd --dd-split yes
  expect_status 2
  expect_err 'dd-split needs a model in which delays depend on the state alone'
  run stats urgent.xta --search symbolic --dd ddd --json auto.json
  grep -q '"dd_split": "no"' auto.json || give_up "delays depend on transitions"
  run stats two.xta --search symbolic --dd-split yes
  expect_status 2
  expect_err 'dd-split is for timed models with --dd ddd'
}
# The bounds of flat zones among the locations: the same states as one by one, in fewer nodes.
test_symbolic_mixes_bounds_and_locations() {
  local i key
  . "$here/../json.sh"
  {
    echo 'process P(int[1,3] me) { clock x; state a { x <= 5 }, b, c { x <= 9 }; init a;'
    echo '  trans a -> b { guard x >= 2; assign x = 0; }, b -> c { guard x > 3; assign x = 0; }, c -> a { assign x = 0; }; }'
    echo 'system P;'
  } >three.xta
  run stats three.xta --zone flat --store exact --json plain.json
  expect_status 0
  for i in force mixed; do
    run stats three.xta --search symbolic --dd-variables $i --json $i.json
    expect_status 0
    for key in states discrete_states transitions; do
      [ "$(json_get $i.json $key)" = "$(json_get plain.json $key)" ] || give_up "$i: not the same $key"
    done
  done
  [ "$(json_get mixed.json nodes)" -lt "$(json_get force.json nodes)" ] || give_up "not fewer nodes"
  write_model
  for i in force mixed; do # a model without clocks
    run stats m.dve --search symbolic --dd-variables $i --json $i.json
    expect_status 0
  done
  [ "$(json_get mixed.json nodes)" = "$(json_get force.json nodes)" ] || give_up "not the same order"
}
test_symbolic_takes_an_order_of_variables() {
  write_model
  printf 'n\n' >order
  run stats m.dve --search symbolic --dd-variables order
  expect_status 0
  printf 'n\nunknown\n' >order
  run stats m.dve --search symbolic --dd-variables order
  expect_status 2
  expect_err "order: error: line 2 names no variable: 'unknown'"
  run stats m.dve --search symbolic --dd-variables missing
  expect_status 2
}
test_symbolic_refuses_what_it_does_not_need() {
  write_model
  run check m.dve --search symbolic --store exact
  expect_status 2
  expect_err 'store means nothing to the search symbolic, which needs none'
  run check m.dve --search symbolic --entries 100
  expect_status 2
  expect_err 'entries means nothing to the search symbolic'
  run check m.dve --dd-order sat
  expect_status 2
  expect_err 'dd-order means nothing to the search bfs \(it is for symbolic\)'
}
test_symbolic_keeps_limits() {
  write_model
  run check m.dve --search symbolic --max-states 5 --dd-order bfs-prev --no-deadlock
  expect_status 20
  run check m.dve --search symbolic --max-depth 3 --no-deadlock --json result.json
  expect_status 20
  grep -q '"levels": 4,' result.json || give_up "not 4 levels"
}
test_symbolic_paths_heed_priorities() {
  for groups in edge merged one; do
    run check "$models/../../models/murphi/priority_twins.m" --search symbolic --dd-groups $groups
    expect_status 12
    expect_out 'early'
    if grep -q late out; then give_up "a rule fires that gives way"; fi
  done
}
# The groups do not matter to what is decided: statements that are to be reached, deadlocks after a delay, runs that stay.
test_symbolic_groupings_decide_the_same() {
  cat >stop.xta <<'MODEL'
process P() { clock x; state a { x <= 2 }, b, c; init a; trans a -> b { guard x >= 1; assign x = 0; }, b -> c { guard x < 1; }, c -> a { assign x = 0; }; }
system P;
MODEL
  cat >runs.xta <<'MODEL'
process P() { clock x; state a, b { x <= 3 }, c; init a; trans a -> b { guard x >= 1; assign x = 0; }, b -> c { guard x >= 2; }, c -> c { assign x = 0; }, c -> a { }; }
system P;
MODEL
  cover=$models/../../models/murphi/cover.m
  for groups in edge merged subsumed one; do
    run check stop.xta --search symbolic --dd-groups $groups --query 'A[] not deadlock' --trace t.json
    expect_status 10
    run replay stop.xta t.json --query 'A[] not deadlock'
    expect_status 0
    run check runs.xta --search symbolic --dd-groups $groups --query 'P.b --> P.c' --query 'E[] not P.b' --query 'E<> P.c'
    expect_status 0
    run check runs.xta --search symbolic --dd-groups $groups --query 'P.b --> P.a' --trace t.json
    expect_status 13
    run replay runs.xta t.json --query 'P.b --> P.a'
    expect_status 0
    run check "$cover" --json explicit.json
    wanted=$status
    run check "$cover" --search symbolic --dd-groups $groups
    expect_status "$wanted"
    if grep -q 'does not decide' out err; then give_up "covers are not decided"; fi
  done
  run check runs.xta --search symbolic --dd ddd --query 'A<> P.b'
  expect_status 13
  run check runs.xta --search symbolic --dd ddd --query 'P.b --> P.c'
  expect_status 20
}
# Small models are searched breadth-first; one of 16^40 states is not; both say so.
test_auto_chooses_by_size() {
  write_model
  run check m.dve --search auto --no-deadlock --json result.json
  expect_status 0
  expect_out 'chosen +bfs: the model has few states'
  grep -q '"chosen": "bfs"' result.json || give_up "not bfs"
  grep -q '"search": "bfs"' result.json || give_up "not the search that decided"
  grep -q '"store": {' result.json || give_up "no store"
  cat >wide.m <<'MODEL'
type id: 0..39; value: 0..15;
var a: array[id] of value;
startstate for i: id do a[i] := 0; end; end;
ruleset i: id do rule a[i] < 15 ==> a[i] := a[i] + 1; end; rule a[i] = 15 ==> a[i] := 0; end; end;
invariant "small" a[3] < 16;
MODEL
  run check wide.m --search auto --json result.json --threads 1
  expect_status 0
  expect_out 'all 1461501637330902918203684832716283019655932542976 reachable states'
  expect_out 'chosen +symbolic: '
  grep -q '"search": "symbolic"' result.json || give_up "not the search that decided"
  if grep -q '"store"' result.json; then give_up "there is no store"; fi
  mv result.json first.json
  run check wide.m --search auto --json result.json --threads 1
  [ "$(grep '"why"' first.json)" = "$(grep '"why"' result.json)" ] || give_up "another reason the second time"
  run check wide.m --search auto --goal 'a[3] = 2 & a[7] = 1' --trace t.json
  expect_status 12
  run replay wide.m t.json --goal 'a[3] = 2 & a[7] = 1'
  expect_status 0
}
# Where the figures would be others, breadth-first search is alone.
test_auto_says_why_it_does_not_race() {
  write_model
  run check m.dve --search auto --max-states 1000000
  expect_out 'chosen +bfs: limits of states and depth are those of breadth-first search'
  run stats m.dve --search auto
  expect_status 0
  expect_out 'chosen +bfs: only breadth-first search measures levels'
  run check "$models/../../../examples/fischer.xta" --search auto
  expect_out 'chosen +bfs: states of symbolic search are other zones'
}
# Pairs of equal variables that are declared far from each other: sifting brings them together.
test_symbolic_reorders_on_the_way() {
  cat >pairs.m <<'MODEL'
type id: 0..6; value: 0..3;
var a: array[id] of value; b: array[id] of value; seen: boolean;
startstate for i: id do a[i] := 0; b[i] := 0; end; seen := false; end;
ruleset i: id; v: value do rule a[i] := v; b[i] := v; end; end;
rule a[2] = 3 & b[5] = 1 ==> seen := true; end;
invariant "equal" a[6] = b[6];
liveness "back" a[0] = 3;
MODEL
  for order in sat chain chain-prev bfs-prev bfs no-minus '--sat like'; do
    case $order in --*) options=$order ;; *) options="--dd-order $order" ;; esac
    # shellcheck disable=SC2086
    run check pairs.m --search symbolic $options --dd-variables declared --dd-reorder --json result.json
    expect_status 0
    nodes=$(sed -n 's/^  "nodes": \(.*\),$/\1/p' result.json)
    [ "$nodes" -lt 300 ] || give_up "$order: $nodes nodes"
    grep -q '^  "states": 32768,$' result.json || give_up "$order: not all states"
    grep -q '"dd_reorderings": 0' result.json && give_up "$order: nothing was reordered"
    # shellcheck disable=SC2086
    run check pairs.m --search symbolic $options --dd-variables declared --dd-reorder --goal 'seen & a[1] = 2' --trace t.json
    expect_status 12
    run replay pairs.m t.json --goal 'seen & a[1] = 2'
    expect_status 0
  done
  run stats pairs.m --search symbolic --dd-variables declared --json result.json
  [ "$(sed -n 's/^  "nodes": \(.*\),$/\1/p' result.json)" -gt 3000 ] || give_up "the model needs no reordering"
}
