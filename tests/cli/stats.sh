# Statistics of the whole graph: locality of transitions, and the chart.

# locality_of FILE K KEY: a figure of one k of the locality in a JSON result.
locality_of() {
  awk -v k="\"$2\":" -v key="\"$3\":" '
    /^  "locality": \{/ { inside = 1 }
    inside && $1 == k { this = 1 }
    this && $1 == key { sub(",", "", $2); print $2; exit }' "$1"
}

# expect_number GOT WANT: equal but for rounding.
expect_number() {
  awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a != "" && d < 1e-9 && d > -1e-9) }' ||
    give_up "got '$1', expected '$2'"
}

test_stats_locality_in_closed_form() {
  local n
  for n in 2 50 200; do
    run stats "$models/../../models/murphi/nonlocal.m" --param LAST=$n --json out.json
    expect_status 0
    expect_json out.json
    # shellcheck disable=SC2046
    set -- $(awk -v n=$n 'BEGIN {
      for (i = 1; i < n; i++) h += 1 / i
      printf "%.15g %.15g", h / n, (h - 1 + 1 / (n - 1)) / n }')
    expect_number "$(locality_of out.json 1 mean)" "$1"
    expect_number "$(locality_of out.json 0 mean)" 0
    expect_number "$(locality_of out.json -1 mean)" "$2"
    expect_number "$(locality_of out.json 1 transitions)" $((n - 1))
    expect_number "$(sed -n 's/^    "self_loops": \([0-9]*\),*$/\1/p' out.json)" "$n"
    expect_number "$(locality_of out.json $((1 - n)) transitions)" 1
    expect_number "$(sed -n 's/^    "back_edge_max": \([0-9]*\),*$/\1/p' out.json)" $((n - 1))
    expect_number "$(sed -n 's/^    "backward": \([0-9]*\),*$/\1/p' out.json)" $((n * (n - 1) / 2))
    expect_out '^      k  +transitions +share +mean +sigma$'
    expect_out '^  locality +[01]\.[0-9]{6} \(the means of k = -1, 0, 1\)$'
  done
}
test_stats_locality_only_where_levels_are_known() {
  run stats "$models/lock.m" --search dfs --json out.json
  expect_status 0
  ! grep -q '"locality"' out.json || give_up "locality of a depth-first search"
  refuse_out 'locality'
  run check "$models/lock.m" --json out.json
  expect_status 0
  ! grep -q '"locality"' out.json || give_up "locality of check"
}
test_stats_locality_counts_every_transition() {
  run stats "$models/lock.m" --json out.json
  expect_status 0
  local sum
  sum=$(sed -n '/^  "locality": {/,/^  }/s/^    "\(forward\|level\|backward\|self_loops\)": \([0-9]*\),*$/\2/p' out.json |
    awk '{ n += $1 } END { print n }')
  expect_key out.json transitions "$sum"
}
test_stats_plot() {
  run stats "$models/lock.m" --plot chart.svg --quiet
  expect_status 0
  expect_file chart.svg
  grep -q '<title>0: 1</title>' chart.svg || give_up "no bar of level 0"
  grep -q 'lock.m: 8 states' chart.svg || give_up "no title"
  ! grep -q 'incomplete' chart.svg || give_up "complete, but says otherwise"
  run stats "$models/big.m" --max-states 500 --plot chart.svg --quiet
  expect_status 20
  grep -q '(incomplete search)</text>' chart.svg || give_up "does not say that it is incomplete"
  if command -v xmllint >/dev/null 2>&1; then
    xmllint --noout chart.svg || give_up "chart.svg is not XML"
  fi
}
# One output that cannot be written does not take the others with it.
test_stats_outputs_are_independent() {
  [ -w /dev/full ] || return 0
  run stats "$models/lock.m" --json /dev/full --plot a.svg
  expect_status 70
  expect_out '^COMPLETE'
  expect_err '/dev/full: error: cannot write'
  expect_file a.svg
  run stats "$models/lock.m" --json - --plot b.svg
  expect_status 0
  expect_json out
  expect_file b.svg
}
test_stats_plot_mistakes() {
  run stats "$models/lock.m" --plot -
  expect_usage '^clew: --plot needs a file'
  run stats "$models/lock.m" --plot a.svg --search dfs
  expect_usage '^clew: --plot shows levels: the search dfs has none; see clew help stats$'
  run stats "$models/lock.m" --plot a.svg --store comback --cb-detect full
  expect_usage '^clew: --plot shows levels: the comback store does not keep them with these options'
  refuse_file a.svg
  run stats "$models/lock.m" --plot a.svg --store comback --cb-detect level --quiet
  expect_status 0
  expect_file a.svg
  rm a.svg
  run stats "$models/lock.m" --plot nowhere/a.svg
  expect_status 2
  expect_err 'nowhere/a.svg'
  run check "$models/lock.m" --plot a.svg
  expect_status 2
  refuse_file a.svg
}
# A search that is ended says what can be expected; one that is not does not.
test_stats_forecast() {
  cat >m.m <<'MODEL'
const N: 6; TOP: 8;
var a: array [0..N-1] of 0..TOP;
startstate for i: 0..N-1 do a[i] := 0; end; end;
ruleset i: 0..N-1 do rule "up" a[i] < TOP ==> a[i] := a[i] + 1; end; end;
invariant "known" true;
MODEL
  run check m.m --no-deadlock --max-states 100000 --json result.json # of 531,441: levels still grow
  expect_status 20
  expect_out 'forecast  *at least'
  grep -q '"forecast"' result.json || give_up "no forecast in the result"
  run check m.m --no-deadlock --max-states 500000 --json result.json
  expect_status 20
  expect_out 'forecast .* to .* states in all'
  run check m.m --no-deadlock --json result.json
  expect_status 0
  refuse_out forecast
  ! grep -q '"forecast"' result.json || give_up "a forecast of what is known"
  run estimate m.m
  expect_status 0
  expect_out '300,000 of them'
  expect_out 'bytes per state'
  run estimate m.m --max-states 1000000 --json -
  expect_status 0
  expect_out '"states": 531441'
}
