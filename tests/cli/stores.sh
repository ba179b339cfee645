# Stores: what they claim, which options they take, and what happens when the disk fails.

# Counters that go round independently: limit^3 states, each with 3 successors; nothing is wrong.
write_counters() { # write_counters LIMIT
  cat >counters.dve <<MODEL
byte a, b, c;
process P {
  state s;
  init s;
  trans s -> s { effect a = (a + 1) % $1; }, s -> s { effect b = (b + 1) % $1; },
        s -> s { effect c = (c + 1) % $1; };
}
system async;
MODEL
}

test_store_lossy_never_holds() {
  write_counters 20
  local store search
  for store in compact bloom "compact --hash-bits 2" "cache --hash-bits 40" "disk --hash-bits 40" \
    "compact --entries 8000" "bloom --bloom-expect 8000" "compact --no-quotient --memory 8M" \
    "compact --no-quotient --hash-bits 2 --entries 8000"; do
    for search in bfs dfs; do
      # shellcheck disable=SC2086
      run check counters.dve --search $search --store $store --json result.json
      [ $status -eq 20 ] || expect_status 21
      refuse_out HOLDS
      grep -q '"lossless": false' result.json || give_up "it claims to be lossless"
      [ $status -eq 20 ] || grep -q '"verdict": "no-violation-found"' result.json || give_up "wrong verdict"
      [ $status -eq 20 ] || grep -q '"omission_probability": ' result.json || give_up "no omission probability"
    done
  done
  run check counters.dve --store compact
  expect_out '^NO VIOLATION FOUND'
  expect_out 'states  *8,000 '
}
# The published table: as many slots as the next prime, fixed; a full one is an incomplete search.
test_store_compact_plain() {
  write_counters 20
  local search
  for search in bfs dfs; do
    run check counters.dve --search $search --store compact --no-quotient --entries 8000 --json result.json
    expect_status 21
    expect_out '^NO VIOLATION FOUND'
    grep -q '"states": 8000,' result.json || give_up "not all states"
    grep -q '"slots": 8009,' result.json || give_up "not the next prime"
    run check counters.dve --search $search --store compact --no-quotient --entries 1000
    expect_status 20
    expect_out '^INCOMPLETE'
    refuse_out HOLDS
  done
  # With 2 bits many states are missing; precision on demand finds some of them.
  local without with
  . "$here/../json.sh"
  run check counters.dve --search dfs --store compact --no-quotient --hash-bits 2 --entries 8000 --json result.json
  without=$(json_get result.json states)
  run check counters.dve --search dfs --store compact --no-quotient --hash-bits 2 --entries 8000 --pod 1 --json result.json
  expect_status 21
  with=$(json_get result.json states)
  if [ "$without" -ge 7000 ] || [ "$with" -le "$without" ] || [ "$with" -gt 8000 ]; then give_up "$without states, $with with --pod"; fi
}
test_store_lossless_holds() {
  write_counters 20
  local store
  for store in exact cache disk "disk --disk full" comback "comback --cb-layout paper" "comback --threads 3" \
    "comback --cb-layout paper --cb-detect full --threads 2 --cb-candidates 500 --cb-cache none"; do
    # shellcheck disable=SC2086
    run check counters.dve --store $store --json result.json
    expect_status 0
    grep -q '"states": 8000,' result.json || give_up "not all states with $store"
    grep -q '"transitions": 24000,' result.json || give_up "not all transitions with $store"
  done
}
# Detection as published does not keep to levels, and says nothing about them.
test_store_comback_detects_late() {
  write_counters 20
  run stats counters.dve --store comback --cb-detect full --json result.json
  expect_status 0
  refuse_out diameter
  expect_out 'greatest depth'
  grep -q '"detect": "full"' result.json || give_up "it does not say when it detects"
  if grep -q '"diameter"' result.json; then give_up "it claims a diameter"; fi
  run stats counters.dve --store comback --json result.json
  grep -q '"diameter": 57' result.json || give_up "no diameter with exact levels"
  run stats counters.dve --store comback --cb-detect full --plot x.svg
  expect_usage '--plot shows levels'
}
test_store_comback_threads() {
  write_counters 20
  run check counters.dve --store comback --threads 3 --thread-share 1 --json result.json
  expect_status 0
  expect_silent_err
  grep -q '"threads": 3' result.json || give_up "it does not say how many threads"
  run check counters.dve --store comback --cb-candidates 0 --threads 3 --thread-share 1 --json result.json
  expect_status 0
  expect_silent_err
  grep -q '"states": 8000,' result.json || give_up "not all states"
}
test_store_pod() {
  write_counters 20
  run check counters.dve --store compact --search dfs --pod 2 --json result.json
  expect_status 21
  grep -q '"states": 8000,' result.json || give_up "not all states"
  # States at a depth limit have no known successors; that must not make them new again.
  run stats counters.dve --search dfs --max-depth 10 --store compact --pod 2 --json result.json
  expect_status 20
  grep -q '"states": 286,' result.json || give_up "states at the depth limit count twice"
  run check counters.dve --store compact --pod 2
  expect_status 2
  expect_err '^clew: --pod means nothing to the search bfs \(it is for dfs\); see clew help check$'
  run check counters.dve --search dfs --pod 2
  expect_status 2
  expect_lines err 1
  expect_err '^clew: the search dfs, with these options, does not work with the store exact; see clew help check$'
}
test_store_options_belong_to_stores() {
  write_counters 2
  local options
  while IFS= read -r options; do
    # shellcheck disable=SC2086
    run check counters.dve $options
    expect_status 2
    expect_err 'means nothing to the store'
  done <<'OPTIONS'
--hash-bits 40
--store bloom --hash-bits 40
--store compact --cache-entries 5
--store cache --disk full
--store disk --cb-cache F
--store comback --bloom-bits 3
--store bloom --no-quotient
--no-quotient
--store exact --entries 7
OPTIONS
}
test_store_options_ranges() {
  write_counters 2
  local options
  while IFS= read -r options; do
    # shellcheck disable=SC2086
    run check counters.dve $options
    expect_status 2
  done <<'OPTIONS'
--store compact --hash-bits 0
--store compact --hash-bits 1
--store compact --hash-bits 65
--store bloom --bloom-bits 65
--store cache --max-collision-rate 0
--store cache --max-collision-rate 1.5
--store comback --cb-cache Q:5
--store comback --cb-shares 1,2
--store disk --disk sideways
OPTIONS
}
# A cache of 200 states for 8,000: the search would go round for ever.
test_store_cache_gives_up() {
  write_counters 20
  run check counters.dve --store cache --cache-entries 200 --json result.json
  expect_status 20
  expect_out '^INCOMPLETE: .*forgets'
  refuse_out HOLDS
}
# Files may not grow beyond 200 KB: what the run needs is more.
test_store_disk_full() {
  write_counters 60
  local store
  for store in "disk" "disk --disk full" "disk --disk local" "cache --cache-entries 400000"; do
    # shellcheck disable=SC2086
    (ulimit -f 200; exec timeout 120 "$clew" check counters.dve --memory 1M --store $store >out 2>err)
    status=$?
    expect_status 20
    refuse_out HOLDS
    expect_out '^INCOMPLETE'
    expect_lines err 1
  done
}
test_store_leaves_no_files() {
  write_counters 40
  mkdir scratch
  run check counters.dve --memory 1M --store disk --dir scratch
  expect_status 0
  [ -z "$(ls -A scratch)" ] || give_up "files are left: $(ls -A scratch)"
}
# Every store that there is, by the message that lists them: a process may have a limit of addresses (ulimit -v).
test_store_limit_of_addresses() {
  case ${CLEW_BUILD:-} in *asan* | *tsan*) return ;; esac # sanitizers need more of them
  write_counters 20
  run check counters.dve --store nothing
  local store search model states names limit
  names=$(sed -n 's/.*(available: \([^)]*\)).*/\1/p' err | tr -d ,)
  [ -n "$names" ] || give_up "no names of stores"
  for store in $names; do
    model=counters.dve states=8000
    run check counters.dve --store "$store"
    if grep -q 'is for models with zones' err; then
      run check "$examples/fischer.xta" --json result.json
      model=$examples/fischer.xta states=$(sed -n 's/^  "states": \([0-9]*\),$/\1/p' result.json)
    fi
    for search in bfs dfs; do for limit in 1000000 800000 400000; do
      (ulimit -v $limit; exec timeout 120 "$clew" check "$model" --store "$store" --search $search --json result.json >out 2>err)
      status=$?
      [ $status -eq 0 ] || [ $status -eq 21 ] || give_up "$store, $search, $limit KB: not all states"
      expect_key result.json states "$states"
    done; done
  done
}

# The automatic store: whatever the budget, the result of a search with plenty of memory.
auto_facts() { sed -n 's/^  "\(verdict\|states\|transitions\|levels\|deadlocks\|initial_states\)": \(.*\),$/\1=\2/p' "$1" | tr '\n' ' '; sed -n 's/^ *"depth": /depth=/p' "$1"; }
test_stores_auto_outgrows_its_memory() {
  cat >m.m <<'MODEL'
const N: 6; TOP: 8; WRONG: 0;
var a: array [0..N-1] of 0..TOP;
startstate for i: 0..N-1 do a[i] := 0; end; end;
ruleset i: 0..N-1 do
  rule "up" a[i] < TOP ==> a[i] := a[i] + 1; end;
  rule "down" a[i] = TOP ==> a[i] := 0; end;
end;
invariant "low" WRONG = 0 | !(forall i: 0..N-1 do a[i] >= TOP - 1 end);
MODEL
  for wrong in 0 1; do
    run check m.m --param WRONG=$wrong --memory 1G --json whole.json
    code=$status
    for options in '--memory 3M' '--memory 2M --threads 3' '--memory 1M --exec interp'; do
      # shellcheck disable=SC2086
      run check m.m --param WRONG=$wrong $options --json result.json
      expect_status $code
      [ "$(auto_facts result.json)" = "$(auto_facts whole.json)" ] || give_up "$options: $(auto_facts result.json), not $(auto_facts whole.json)"
      expect_err 'going on with the store'
      grep -q '"conversions": ' result.json || give_up "no conversions in the result"
      expect_out 'exact store, then '
    done
  done
}
# What the next store cannot decide is not decided: HOLDS would be wrong here.
test_stores_auto_and_liveness() {
  cat >live.m <<'MODEL'
const N: 6; TOP: 8;
var a: array [0..N-1] of 0..TOP; dead: boolean;
startstate for i: 0..N-1 do a[i] := 0; end; dead := false; end;
ruleset i: 0..N-1 do
  rule "up" a[i] < TOP & !dead ==> a[i] := a[i] + 1; end;
  rule "down" a[i] = TOP & !dead ==> a[i] := 0; end;
end;
rule "die" forall i: 0..N-1 do a[i] = TOP end ==> dead := true; end;
liveness "again" !dead & a[0]=0;
MODEL
  run check live.m --no-deadlock --memory 1G
  expect_status 13
  run check live.m --no-deadlock --memory 2M --exec interp
  expect_status 20
  refuse_out HOLDS
  expect_err 'going on with the store'
}
# A level in which an error was found is finished, whatever the memory.
test_stores_auto_finishes_the_level() {
  cat >m.m <<'MODEL'
const N: 6; TOP: 8;
var a: array [0..N-1] of 0..TOP;
startstate for i: 0..N-1 do a[i] := 0; end; end;
ruleset i: 0..N-1 do
  rule "up" a[i] < TOP ==> a[i] := a[i] + 1; end;
  rule "down" a[i] = TOP ==> a[i] := 0; end;
end;
invariant "low" !(a[0] = 4 & a[1] = 4 & a[2] = 4 & a[3] = 4);
MODEL
  run check m.m --memory 1G --json whole.json
  expect_status 12
  for memory in 1M 1100K 1200K 1400K 1800K; do
    run check m.m --memory $memory --json result.json --threads 1
    expect_status 12
    [ "$(auto_facts result.json)" = "$(auto_facts whole.json)" ] || give_up "$memory: $(auto_facts result.json), not $(auto_facts whole.json)"
  done
}
# Wide states go to comback, which takes as long for them as for others; not in depth-first search, where paths are long.
test_stores_auto_of_wide_states() {
  write_counters 30
  sed -i 's/^byte a, b, c;/byte a, b, c; byte pad[100];/; s/effect b = (b + 1) % 30/&, pad[99] = b/' counters.dve
  run check counters.dve --json whole.json --memory 1G
  expect_status 0
  for options in '--threads 1' '--threads 3 --thread-share 32'; do
    # shellcheck disable=SC2086
    run check counters.dve --memory 1M --json result.json $options
    expect_status 0
    expect_out 'exact store, then comback'
    [ "$(auto_facts result.json)" = "$(auto_facts whole.json)" ] || give_up "$(auto_facts result.json), not $(auto_facts whole.json)"
  done
  run check counters.dve --search dfs --memory 30M
  refuse_out 'then comback'
}
# Memory may be refused at any moment: the search goes on with another store and loses nothing. Where not even an empty store
# fits, there is no answer.
test_stores_auto_is_refused_memory() {
  cat >small.m <<'MODEL'
const N: 4; TOP: 8;
var a: array [0..N-1] of 0..TOP;
startstate for i: 0..N-1 do a[i] := 0; end; end;
ruleset i: 0..N-1 do
  rule "up" a[i] < TOP ==> a[i] := a[i] + 1; end;
  rule "down" a[i] = TOP ==> a[i] := 0; end;
end;
invariant "known" true;
MODEL
  run check small.m --exec interp --json whole.json
  local number options changed=0
  for options in '--threads 1' '--threads 3 --thread-share 16' '--search dfs'; do
    for number in $(seq 1 25); do
      # shellcheck disable=SC2086
      (CLEW_REFUSE_AT=$number exec timeout 60 "$clew" check small.m --exec interp $options --memory 8M --json result.json >out 2>err)
      status=$?
      if [ $status -eq 20 ] && grep -q 'after 0 states' out; then continue; fi
      expect_status 0
      expect_key result.json states 6561
      expect_key result.json transitions 26244
      case $options in *dfs*) ;; *) expect_key result.json levels 33 ;; esac
      if grep -q '"conversions"' result.json; then changed=$((changed + 1)); fi
    done
  done
  [ $changed -gt 10 ] || give_up "the store was changed $changed times only"
}
# Timed models go on without comparing zones: more of them, the same answer.
test_stores_auto_of_zones() {
  (CLEW_REFUSE_AT=4 exec timeout 60 "$clew" check "$examples/fischer.xta" --memory 8M >out 2>err)
  status=$?
  expect_status 0
  expect_out 'zones store, then disk'
}
# States that split go to the tree; when that is full, too, to the disk. With threads the queue is handed over as it is.
test_stores_auto_by_tree() {
  write_counters 60
  run check counters.dve --json whole.json --memory 1G
  expect_status 0
  for options in '--threads 1' '--threads 3 --thread-share 32'; do
    for memory in 1M 1100K 1300K; do
      # shellcheck disable=SC2086
      run check counters.dve --memory $memory --json result.json $options
      expect_status 0
      [ "$(auto_facts result.json)" = "$(auto_facts whole.json)" ] || give_up "$memory: $(auto_facts result.json), not $(auto_facts whole.json)"
      # With several threads it depends on who takes memory when.
      case "$options $memory" in "--threads 1 1300K") expect_out 'then tree' ;; esac
    done
  done
}
