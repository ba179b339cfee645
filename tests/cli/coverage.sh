# Worth a look: what a complete search has not met.

write_shop() {
  cat >shop.m <<'MODEL'
type st: enum {idle, busy, broken};
var s: st; n: 0..9; seen: boolean;
startstate s := idle; n := 0; seen := false; end;
rule "work" s = idle ==> s := busy; n := (n + 1) % 5; seen := true; end;
rule "rest" s = busy ==> s := idle; end;
rule "<b>repair" s = broken ==> s := idle; end;
invariant "broken is rare" s = broken -> n = 0;
invariant "busy" s = busy -> n < 9;
MODEL
}
# The same with every search and store that can tell; nobody claims what they have not looked at.
test_coverage_text() {
  write_shop
  local options
  for options in "" "--search dfs" "--exec interp" "--exec native" "--threads 2 --thread-share 1" "--store comback --cb-candidates 0 --cb-queue ids"; do
    # shellcheck disable=SC2086
    run check shop.m $options
    expect_status 0
    expect_out '^Worth a look:$'
    expect_out '^  invariant "broken is rare" was never put to the test: .* \(line 7\)$'
    expect_out '^  rule "<b>repair" never fires \(line 6\)$'
    expect_out '^  s is never broken \(line 2\)$'
    expect_out '^  n is never 5\.\.9 \(line 2\)$'
    expect_out '^  seen is never read \(line 2\)$'
    refuse_out 'invariant "busy" was never'
    refuse_out 'rule "(work|rest)"'
  done
  for options in "--store disk" "--store compact" "--search symbolic"; do
    # shellcheck disable=SC2086
    run check shop.m $options
    refuse_out 'never put to the test'
    refuse_out ' is never [b5]'
  done
  run check shop.m --store disk
  expect_out '^  rule "<b>repair" never fires'
  run check shop.m --max-states 3
  refuse_out 'Worth a look'
  run check shop.m --quiet
  refuse_out 'Worth a look'
}
test_coverage_json() {
  write_shop
  run check shop.m --json out.json
  expect_json out.json
  tr -d '\n ' <out.json | grep -q '"rules_never_fired":\[{"name":"<b>repair"' || give_up "the rule is not listed"
  tr -d '\n ' <out.json | grep -q '"rules_known":true,"values_known":true' || give_up "something is not known"
  run check shop.m --search symbolic --json out.json
  tr -d '\n ' <out.json | grep -q '"rules_known":false,"values_known":false,"why":"thesearchworksonsetsofstates"' ||
    give_up "symbolic search claims to know"
}
# A rule of the model cannot put anything into the page but text.
test_coverage_page() {
  write_shop
  run check shop.m --coverage page.html
  expect_status 0
  expect_file page.html
  grep -q '<tr id="L6" class="miss"><td class="n">6</td><td class="c">0</td>' page.html || give_up "line 6 is not marked"
  grep -q '<tr id="L4" class="hit"><td class="n">4</td><td class="c">6</td>' page.html || give_up "line 4 has not 6 transitions"
  ! grep -q '<b>' page.html || give_up "a name of the model is not escaped"
  ! grep -Eqi '<script|https?://' page.html || give_up "the page refers to something else"
  run check shop.m --coverage page.html --search symbolic
  expect_usage '--coverage shows how often rules fire, which this search does not count'
}
test_coverage_of_symmetric_models() {
  run check "$examples/msi_cache.m"
  expect_status 0
  refuse_out 'dir.owner is never'
}
# Counts survive a checkpoint.
test_coverage_after_resuming() {
  cat >walk.m <<'MODEL'
var x: 0..5000; y: 0..3;
startstate x := 0; y := 0; end;
rule "first" x = 0 ==> x := 1; end;
rule "on" x > 0 & x < 5000 ==> x := x + 1; end;
rule "never" x < 0 ==> x := 0; end;
rule "back" x = 5000 ==> x := 0; end;
invariant "never tested" y = 3 -> x = 0;
MODEL
  run check walk.m --checkpoint kept --max-states 1000
  expect_status 75
  run resume kept --coverage page.html # which gives the look at all states the time that it takes
  expect_status 0
  expect_out '^  rule "never" never fires \(line 5\)$'
  refuse_out 'rule "first"'
  expect_out 'invariant "never tested" was never put to the test'
}
test_assumptions_are_part_of_the_scope() {
  cat >assume.m <<'MODEL'
var x: 0..9;
startstate x := 0; end;
rule "on" x < 9 ==> x := x + 1; end;
rule "reset" x := 0; end;
assume x != 4;
MODEL
  local options
  for options in "" "--exec interp" "--exec native" "--search dfs" "--threads 2 --thread-share 1"; do
    # shellcheck disable=SC2086
    run check assume.m $options --no-deadlock
    expect_status 0
    expect_out '^HOLDS: .* on all 4 reachable states under 1 assumption \(line 5\), by which 1 transition is left out \('
  done
}

# Declared and never referred to, in each language; a name that an array's size or another constant needs is used.
test_coverage_of_unused_names() {
  printf 'const K: 3; N: 2; M: N;\ntype t: 0..M;\nvar x: t; y: boolean;\nstartstate x := 0; end;\nrule "on" x := 1 - x; end;\n' >unused.m
  run check unused.m
  expect_status 0
  expect_out '^  the constant K is never used \(line 1\)$'
  expect_out '^  the variable y is never used \(line 3\)$'
  refuse_out 'constant [NM] |y is never read'
  cat >unused.dve <<'MODEL'
const byte K = 3; const byte N = 2;
byte a[N]; byte lonely;
process P { byte own; state q; init q; trans q -> q { effect a[0] = 1 - a[0]; }; }
system async;
MODEL
  run check unused.dve --json out.json
  expect_status 0
  expect_out '^  the constant K is never used \(line 1\)$'
  expect_out '^  the variable lonely is never used \(line 2\)$'
  expect_out '^  the variable P.own is never used \(line 3\)$'
  refuse_out 'constant N '
  tr -d '\n ' <out.json | grep -q '"never_used":\[{"name":"K"' || give_up "the constant is not listed"
  cat >unused.xta <<'MODEL'
const int K = 3; const int N = 2; int a[N]; int lonely; clock x;
process P() { state q; init q; trans q -> q { guard x > 1; assign a[0] = 1 - a[0]; }; }
system P;
MODEL
  run check unused.xta
  expect_status 0
  expect_out '^  the constant K is never used \(line 1\)$'
  expect_out '^  the variable lonely is never used \(line 1\)$'
  refuse_out 'constant N |variable [ax] '
}
# Names of templates, once for all processes; a name is used if a query, a part without a partner or what stands before the declaration uses it.
test_coverage_of_unused_names_of_templates() {
  cat >unused.xta <<'MODEL'
const int K = 3; clock x; chan lonely;
process P(const int[0,1] id, int &r, const int spare) {
  clock x, y; int[0,5] own, lost; const int C = 2, D = 4; bool asked;
  state a, b; init a;
  trans a -> b { guard y >= C; assign own = r; }, b -> a { guard id < K; sync late!; };
}
process Never(const int z) { int w; state a; init a; }
int g; chan late;
P0 = P(0, g, 1); P1 = P(1, g, 2);
process R(const int[0,1] id) { int[0,3] lost; int[0,2] n, seen; state a; init a; trans a -> a { assign n = 1 - n; }; }
system P0, P1, R;
progress { R(0).seen; }
MODEL
  local options
  for options in "" "--time digital" "--time none"; do
    # shellcheck disable=SC2086
    run check unused.xta --no-deadlock --query 'A[] not P0.asked' --json out.json $options
    expect_status 0
    sed -n '/"never_used"/,/]/s/^ *"remark": "\(.*\)",$/\1/p' out.json >remarks
    cat >expected <<'END'
the clock x is never used
the channel lonely is never used
the parameter P.spare is never used
the clock P.x is never used
the variable P.lost is never used
the constant P.D is never used
the parameter R.id is never used
the variable R.lost is never used
END
    expect_same remarks expected
    expect_out '^  the clock P\.x is never used \(line 3\)$'
    ! grep -q '"\(P[01]\|R([01])\)\.lost is never' out.json || give_up "an unused name is named twice"
    tr -d '\n ' <out.json | grep -q '"name":"P1.asked","remark":"P1.askedisneverread","line":3' || give_up "a variable of a process has no line"
  done
  cat >unused.xml <<'MODEL'
<nta><declaration>clock z;</declaration>
<template><name>T</name><parameter>const int a, const int b</parameter>
<declaration>clock c;
int[0,2] i, j;</declaration>
<location id="s"><name>s</name></location><init ref="s"/>
<transition><source ref="s"/><target ref="s"/><label kind="guard">z &gt; a</label><label kind="assignment">i = 1</label></transition>
</template>
<system>Q = T(1, 2); system Q;</system></nta>
MODEL
  run check unused.xml
  expect_status 0
  expect_out '^  the parameter T\.b is never used \(line 2\)$'
  expect_out '^  the clock T\.c is never used \(line 3\)$'
  expect_out '^  the variable T\.j is never used \(line 4\)$'
  refuse_out 'T\.[ai] is never used'
}

# A synchronisation that nobody takes part in makes no rule at all.
test_coverage_of_partners() {
  cat >lonely.dve <<'MODEL'
channel a, b, c;
process P { state s; init s; trans
  s -> s { sync a!; },
  s -> s { sync b!; },
  s -> s { sync c?; }; }
process Q { state t; init t; trans t -> t { sync a?; }; }
system async;
MODEL
  run check lonely.dve --json out.json
  expect_status 0
  expect_out '^  "P: s -> s #?[0-9]* ?\(b!\)" never happens: it has no partner \(line 4\)$'
  expect_out '^  "P: s -> s #?[0-9]* ?\(c\?\)" never happens: it has no partner \(line 5\)$'
  refuse_out '\(a[!?]\)'
  tr -d '\n ' <out.json | grep -q '"rules_never_fired":\[{"name":"P:s->s#2(b!)"' || give_up "the transition is not listed"
  cat >lonely.xta <<'MODEL'
chan a, b, c; broadcast chan d;
process P() { state s; init s; trans
  s -> s { sync a!; }, s -> s { sync d!; },
  s -> s { sync b!; },
  s -> s { sync c?; }; }
process Q() { state t; init t; trans t -> t { sync a?; }; }
system P, Q;
MODEL
  run check lonely.xta
  expect_status 0
  expect_out '^  "P: s -> s #?[0-9]* ?\(b!\)" never happens: it has no partner \(line 4\)$'
  expect_out '^  "P: s -> s #?[0-9]* ?\(c\?\)" never happens: it has no partner \(line 5\)$'
  refuse_out '\([ad][!?]\)'
}
