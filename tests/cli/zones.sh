# Timed models with zones: stores, options, figures.

# Zones of one discrete state lie in one another: 9 discrete states have 10 greatest zones, and 26
# where all are kept.
write_pair() {
  cat >pair.xta <<'MODEL'
clock x, y;
process P(clock &c) {
  state a, b, d;
  init a;
  trans a -> b { guard c >= 2; assign c = 0; }, b -> a { guard c <= 3; }, b -> d { guard c > 4; };
}
P1 := P(x);
P2 := P(y);
system P1, P2;
MODEL
}

# expect_figures DISCRETE ZONES: in result.json.
expect_figures() {
  expect_json result.json
  grep -q "\"discrete_states\": $1," result.json || give_up "not $1 discrete states"
  grep -q "\"zones\": $2," result.json || give_up "not $2 zones"
  grep -q '"clocks": 2,' result.json || give_up "not 2 clocks"
}

test_zones_are_the_default() {
  write_pair
  run stats pair.xta --json result.json
  expect_status 0
  expect_out '^  states +9 discrete \(1 initial\), 10 zones stored, 10 expanded$'
  expect_out '^  search +bfs, zones store$'
  expect_out '^  clocks +2, extrapolation LU\+$'
  expect_figures 9 10
  grep -q '"states": 9,' result.json || give_up "not 9 states"
  grep -q '"extrapolation": "LU+"' result.json || give_up "no extrapolation"
  for options in '--threads 3 --thread-share 1' '--search dfs' '--store zones' '--zone shared' '--time zones' \
    '--subsumption inclusion' '--extrapolation lu' '--exec native'; do
    # shellcheck disable=SC2086
    run stats pair.xta $options --json result.json
    expect_status 0
    expect_figures 9 10
  done
}
test_flat_zones() {
  write_pair
  run stats pair.xta --zone flat --json result.json
  expect_status 0
  expect_out '^  search +bfs, exact store$'
  expect_out '^  states +9 discrete \(1 initial\), 26 zones stored, 26 expanded$'
  grep -q '"states": 26,' result.json || give_up "not 26 states"
  for options in '--subsumption none' '--store exact' '--store comback' '--store disk' '--store compact' \
    '--store cache' '--store exact --zone flat --search dfs' '--store exact --threads 3 --thread-share 1'; do
    # shellcheck disable=SC2086
    run stats pair.xta $options --json result.json
    expect_figures 9 26
  done
  run graph pair.xta -o pair.dot
  expect_status 0
  expect_out '^pair\.dot: 26 states'
}
# tests/models/uppaal/bound_fixed.xta says why: a bound that is a variable is as large as the variable is.
test_flat_zones_of_a_bound_that_stays() {
  for options in '--zone flat' '--zone flat --search dfs' '--store comback' '--search symbolic --zone flat'; do
    # shellcheck disable=SC2086
    run stats "$here/../models/uppaal/bound_fixed.xta" $options
    expect_status 0
    expect_out '^  states +5 discrete \(1 initial\), 11 zones stored'
  done
}
test_zone_options_that_contradict() {
  write_pair
  run check pair.xta --zone shared --store disk
  expect_usage '^clew: --zone shared needs a store that compares zones \(zones\), not disk'
  run check pair.xta --subsumption alu --store exact
  expect_usage '^clew: --subsumption alu needs a store that compares zones \(zones\), not exact'
  run check pair.xta --zone flat --store zones
  expect_usage '^clew: --zone flat leaves nothing to compare to the store zones'
  run check pair.xta --subsumption none --store zones
  expect_usage '^clew: --subsumption none leaves nothing to compare to the store zones'
  run check pair.xta --zone flat --subsumption inclusion
  expect_usage '^clew: --subsumption inclusion and --zone flat contradict each other'
  run check pair.xta --time none --store zones
  expect_usage '^clew: the store zones is for models with zones'
  run check "$models/lock.m" --store zones
  expect_usage '^clew: the store zones is for models with zones'
}
test_clocks_of_a_model() {
  write_pair
  run info pair.xta --json info.json
  expect_status 0
  expect_out '^  clocks +2: x, y$'
  grep -q '"clocks": 2,' info.json || give_up "not 2 clocks"
}
# P may be in a place with an invariant; where Q is does not matter to clocks. Each rule of P reads the location of P, that of Q
# both: (1 + 1 + 2) / 3.
test_locations_that_matter() {
  cat >two.xta <<'MODEL'
clock x;
process P() { state a { x <= 3 }, b; init a; trans a -> b { guard x >= 1; }, b -> a { assign x = 0; }; }
process Q() { state u, v; init u; trans u -> v { }; }
system P, Q;
MODEL
  run info two.xta --json info.json
  expect_status 0
  expect_out '^  reads locations +1\.3 of 2 \(66\.7 %\)$'
  grep -q '"locations": 2,' info.json || give_up "not 2 locations"
  run stats two.xta --search symbolic --dd-check --json result.json
  expect_key result.json discrete_states 4
}
