/* The lowering for zones: what becomes of clocks, seen on the specification of the timed model. */
#include "lang/uppaal/uppaal.h"
#include "timed/spec.h"
#include "unit/model_load.h"

struct sample {
  const char *text;
  const char *query; /* NULL: none */
  const char *spec;  /* as it is dumped */
};

/* The specification of a text, which must be right. */
static void dump(const struct sample *sample, struct clew_text *out) {
  struct clew_source source = {"sample", sample->text, strlen(sample->text)};
  struct clew_formulas formulas = {.option = "--query"};
  struct clew_load_request request = {.source = &source, .time = CLEW_TIME_ZONES};
  if (sample->query != NULL) {
    formulas.source = (struct clew_source){"--query", sample->query, strlen(sample->query)};
    request.formulas = &formulas;
    request.formulas_count = 1;
  }
  struct clew_diag_sink diags = {0};
  struct clew_program *program = NULL;
  struct clew_timed_spec *spec = NULL;
  enum clew_status status = clew_uppaal_timed(&request, &diags, &program, &spec);
  for (uint32_t i = 0; i < diags.len; i++) {
    print_message("%u:%u: %s\n", diags.data[i].position.line, diags.data[i].position.column,
                  diags.data[i].message);
  }
  assert_int_equal(status, CLEW_OK);
  assert_non_null(spec);
  const char *why = NULL;
  assert_true(clew_program_check(program, &why));
  if (spec->guards != NULL) {
    assert_true(clew_program_check(spec->guards, &why));
    assert_int_equal(spec->guards->edge_count, program->edge_count);
    assert_int_equal(spec->guards->words, program->words);
  }
  clew_timed_spec_dump(spec, program, out);
  clew_program_close(spec->guards);
  clew_program_close(program);
  clew_diag_sink_free(&diags);
}

static void check(const struct sample *samples, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct clew_text text = {0};
    dump(&samples[i], &text);
    if (strcmp(clew_text_str(&text), samples[i].spec) != 0) {
      print_message("%s\n", samples[i].text);
    }
    assert_string_equal(clew_text_str(&text), samples[i].spec);
    clew_text_free(&text);
  }
}

#define CHECK(samples) check(samples, sizeof(samples) / sizeof(samples)[0])

/* One edge with a guard. Clocks x, y, z[0], z[1] have the slots 2 to 5. */
#define GUARD(guard)                                                                               \
  "int[0,9] v; bool b; clock x, y, z[2]; process P() { state s, t; init s; trans s -> t { guard "  \
  "" guard "; assign v = 9; }; } system P;"
#define CLOCKS "clocks x y z[0] z[1]\n"

static void test_guards(void **state) {
  (void)state;
  static const struct sample samples[] = {
      {GUARD("x >= 3 && y < 5 && 2 <= x"), NULL,
       CLOCKS "largest 5\n"
              "rule 0 P: s -> t: 0 - x <= -3, y < 5, 0 - x <= -2\n"
              "location P.loc 0: limits x:3/- y:-/5\n"},
      {GUARD("x == 3"), NULL,
       CLOCKS "largest 3\n"
              "rule 0 P: s -> t: x <= 3, 0 - x <= -3\n"
              "location P.loc 0: limits x:3/3\n"},
      {GUARD("x < y"), NULL,
       CLOCKS "largest 0 diagonals\n"
              "rule 0 P: s -> t: x - y < 0\n"
              "location P.loc 0: limits x:0/0 y:0/0\n"},
      {GUARD("x - y > 4"), NULL,
       CLOCKS "largest 4 diagonals\n"
              "rule 0 P: s -> t: y - x < -4\n"
              "location P.loc 0: limits x:4/4 y:4/4\n"},
      {GUARD("x + 2 <= y + 6 - 1"), NULL,
       CLOCKS "largest 3 diagonals\n"
              "rule 0 P: s -> t: x - y <= 3\n"
              "location P.loc 0: limits x:3/3 y:3/3\n"},
      /* Two sides with clocks: two rules. */
      {GUARD("x <= 1 || y >= 2"), NULL,
       CLOCKS "largest 2\n"
              "rule 0 P: s -> t: x <= 1\n"
              "rule 1 P: s -> t: 0 - y <= -2\n"
              "location P.loc 0: limits x:-/1 y:2/-\n"},
      {GUARD("not (x <= 1 && y >= 2)"), NULL,
       CLOCKS "largest 2\n"
              "rule 0 P: s -> t: 0 - x < -1\n"
              "rule 1 P: s -> t: y < 2\n"
              "location P.loc 0: limits x:1/- y:-/2\n"},
      /* Of four combinations x <= 1 && x >= 7 is impossible. */
      {GUARD("(x <= 1 || y >= 2) && (x >= 7 || y <= 8)"), NULL,
       CLOCKS "largest 8\n"
              "rule 0 P: s -> t: x <= 1, y <= 8\n"
              "rule 1 P: s -> t: 0 - y <= -2, 0 - x <= -7\n"
              "rule 2 P: s -> t: 0 - y <= -2, y <= 8\n"
              "location P.loc 0: limits x:7/1 y:2/8\n"},
      /* One side without: one rule, and a signal that may say nothing. */
      {GUARD("b || x <= 3"), NULL,
       CLOCKS "largest 3 guards\n"
              "rule 0 P: s -> t: x <= guard bound 1\n"
              "location P.loc 0: limits x:-/3\n"},
      {GUARD("b imply (x <= 3 && y <= 4)"), NULL,
       CLOCKS "largest 4 guards\n"
              "rule 0 P: s -> t: x <= guard bound 1, y <= guard bound 2\n"
              "location P.loc 0: limits x:-/3 y:-/4\n"},
      {GUARD("b ? x <= 3 : x <= 5"), NULL,
       CLOCKS "largest 5 guards\n"
              "rule 0 P: s -> t: x <= guard bound 1, x <= guard bound 2\n"
              "location P.loc 0: limits x:-/5\n"},
      {GUARD("forall (i : int[0,1]) (v == i imply z[i] <= v + i)"), NULL,
       CLOCKS "largest 10 guards\n"
              "rule 0 P: s -> t: z[0] <= guard bound 1, z[1] <= guard bound 2\n"
              "location P.loc 0: limits z[0]:-/9 z[1]:-/10\n"},
      {GUARD("exists (i : int[0,1]) z[i] > 2"), NULL,
       CLOCKS "largest 2\n"
              "rule 0 P: s -> t: 0 - z[0] < -2\n"
              "rule 1 P: s -> t: 0 - z[1] < -2\n"
              "location P.loc 0: limits z[0]:2/- z[1]:2/-\n"},
      /* Bounds and clocks that depend on the state. */
      {GUARD("x >= v"), NULL,
       CLOCKS "largest 9 guards\n"
              "rule 0 P: s -> t: 0 - x <= guard bound 1\n"
              "location P.loc 0: limits x:9/-(slot 0)\n"},
      {GUARD("z[v % 2] < 4"), NULL,
       CLOCKS "largest 4 guards\n"
              "rule 0 P: s -> t: clock(guard clock 1) < 4\n"
              "location P.loc 0: limits z[0]:-/4 z[1]:-/4\n"},
      /* What is trivial is no constraint, and what is false is no rule. */
      {GUARD("x >= 0 && v == 1"), NULL,
       CLOCKS "largest 0\n"
              "location P.loc 0: limits x:0/-\n"},
      {GUARD("x < 0"), NULL, CLOCKS "largest 0\n"},
      {GUARD("x - x < 1 && false == b"), NULL, CLOCKS "largest 0\n"},
  };
  CHECK(samples);
}

/* One location with an invariant. */
#define INVARIANT(invariant)                                                                       \
  "int[0,9] v; bool b; clock x, z[2]; process P() { state s { " invariant                          \
  " }; init s; trans s -> s { assign v = 9; }; } system P;"

static void test_invariants(void **state) {
  (void)state;
  static const struct sample samples[] = {
      {INVARIANT("x <= 3 && z[1] < 4"), NULL,
       "clocks x z[0] z[1]\n"
       "largest 4\n"
       "location - 0: x <= 3, z[1] < 4 limits x:-/3 z[1]:-/4\n"},
      {INVARIANT("x <= v && (b || z[0] <= 2)"), NULL,
       "clocks x z[0] z[1]\n"
       "largest 9\n"
       "location - 0: x <= invariant bound 1, z[0] <= invariant bound 2 limits x:-/9 z[0]:-/2\n"},
      {INVARIANT("forall (i : int[0,1]) z[i] <= 5 + i"), NULL,
       "clocks x z[0] z[1]\n"
       "largest 6\n"
       "location - 0: z[0] <= 5, z[1] <= 6 limits z[0]:-/5 z[1]:-/6\n"},
      {INVARIANT("x' == 0 && z[0]' == b && z[1]' == 1"), NULL,
       "clocks x z[0] z[1]\n"
       "largest 0 stops\n"
       "location - 0: stop x stop z[0] unless invariant rate 1 limits\n"},
      {INVARIANT("v < 5 && not (x > 3)"), NULL,
       "clocks x z[0] z[1]\n"
       "largest 3\n"
       "location - 0: x <= 3 limits x:-/3\n"},
  };
  CHECK(samples);
}

/* Limits go backwards, up to edges that set the clock. */
static void test_limits(void **state) {
  (void)state;
  static const struct sample samples[] = {
      {"clock x, y; process P() { state a, b, c { x <= 7 }, d; init a;"
       "trans a -> b { assign x = 5; }, b -> c { guard y >= 2; }, c -> d { guard x > 6; assign y = "
       "0; }, d -> a { guard y < 3; }; } system P;",
       NULL,
       "clocks x y\n"
       "largest 7\n"
       "rule 1 P: b -> c: 0 - y <= -2\n"
       "rule 2 P: c -> d: 0 - x < -6\n"
       "rule 3 P: d -> a: y < 3\n"
       "location P.loc 0: limits y:2/-\n"
       "location P.loc 1: limits x:6/7 y:2/-\n"
       "location P.loc 2: x <= 7 limits x:6/7\n"
       "location P.loc 3: limits y:2/3\n"},
      /* The settings count for the width of zones only. */
      {"clock x = 3; process P() { state a, b; init a; trans a -> b { assign x = 90; }; } system "
       "P;",
       NULL,
       "clocks x\n"
       "largest 90\n"},
  };
  CHECK(samples);
}

#define RECEIVERS(guards)                                                                          \
  "broadcast chan c; clock x, y; process S() { state s; init s; trans s -> s { guard x >= 1; "     \
  "sync "                                                                                          \
  "c!; }; } process R() { state p, q; init p; trans " guards "; } system S, R;"

static void test_broadcasts(void **state) {
  (void)state;
  static const struct sample samples[] = {
      /* Nothing is split where clocks do not decide who receives. */
      {RECEIVERS("p -> q { sync c?; }"), NULL,
       "clocks x y\n"
       "largest 1\n"
       "rule 0 S: s -> s (c!): 0 - x <= -1\n"
       "location - 0: limits x:1/-\n"},
      /* To receive needs y <= 3, not to receive y > 3: that is a limit of the receiver. */
      {RECEIVERS("p -> q { guard y <= 3; sync c?; }"), NULL,
       "clocks x y\n"
       "largest 3 guards\n"
       "rule 0 S: s -> s (c!): 0 - x <= -1, y <= guard bound 1, 0 - y < guard bound 2\n"
       "location - 0: limits x:1/-\n"
       "location R.loc 0: limits y:3/3\n"},
      /* Options exclude each other, so y <= 3 and y <= 5 share a signal. */
      {RECEIVERS("p -> q { guard y <= 3; sync c?; }, q -> p { guard y <= 5; sync c?; }"), NULL,
       "clocks x y\n"
       "largest 5 guards\n"
       "rule 0 S: s -> s (c!): 0 - x <= -1, y <= guard bound 1, 0 - y < guard bound 2\n"
       "location - 0: limits x:1/-\n"
       "location R.loc 0: limits y:5/5\n"
       "location R.loc 1: limits y:5/5\n"},
  };
  CHECK(samples);
}

#define TWO                                                                                        \
  "int[0,9] v; clock x, y; process P() { state s, t; init s; trans s -> t { assign v = 9; }; } "   \
  "system P;"

/* The largest constant is that of the model: numbers of queries are limits. */
static void test_queries(void **state) {
  (void)state;
  static const struct sample samples[] = {
      {TWO, "E<> P.t && x > 3",
       "clocks x y\n"
       "largest 0\n"
       "queries limits x:3/-\n"
       "query E<> P.t && x > 3\n"
       "  or when 0 - x < -3\n"},
      {TWO, "A[] P.t imply x <= 3 && y != 2",
       "clocks x y\n"
       "largest 0\n"
       "queries limits x:3/- y:2/2\n"
       "query A[] P.t imply x <= 3 && y != 2\n"
       "  or when 0 - x < -3\n"
       "  or when y <= 2, 0 - y <= -2\n"},
      {TWO, "E<> x - y == v",
       "clocks x y\n"
       "largest 0 diagonals\n"
       "queries limits x:9/9 y:9/9\n"
       "query E<> x - y == v\n"
       "  or x - y <= v, y - x <= query bound 1\n"},
      {TWO, "A[] deadlock imply x > 3 || P.t",
       "clocks x y\n"
       "largest 0\n"
       "queries limits x:-/3\n"
       "query A[] deadlock imply x > 3 || P.t\n"
       "  or deadlock when x <= 3\n"},
      /* The program has a property for this one. */
      {TWO, "A[] not deadlock", "clocks x y\nlargest 0\n"},
  };
  CHECK(samples);
}

/* Bounds are as large as the values that variables really take. */
static void test_values(void **state) {
  (void)state;
  static const struct sample samples[] = {
      {"int v, w[2]; clock x, y; int twice(int k) { return 2 * k; } void put(int k) { w[k] = k + "
       "3; }"
       "process P() { state s { x <= v && y <= w[0] }, t; init s;"
       "trans s -> t { guard x >= twice(v); assign v = 5, put(1); }; } system P;",
       NULL,
       "clocks x y\n"
       "largest 10 guards\n"
       "rule 0 P: s -> t: 0 - x <= guard bound 1\n"
       "location P.loc 0: x <= invariant bound 1, y <= invariant bound 2 limits x:10/- "
       "x:-/5(slot 0) y:-/4(slot 1)\n"},
      /* A variable that is counted up, or changed behind a reference, may be anything. */
      {"int v, w[2]; int[0,1] i; clock x, y; void inc(int &k) { k = 3; } process P() { state s; "
       "init s;"
       "trans s -> s { guard x <= v; assign v++; }, s -> s { guard y <= w[1]; assign inc(w[i]); }; "
       "} "
       "system P;",
       NULL,
       "clocks x y\n"
       "largest 32767 guards\n"
       "rule 0 P: s -> s: x <= guard bound 1\n"
       "rule 1 P: s -> s #2: y <= guard bound 1\n"
       "location - 0: limits x:-/32767 y:-/32767\n"},
      {"int v; clock x; process P() { state s; init s; trans s -> s { assign v = 7, x = v; }; } "
       "system P;",
       NULL, "clocks x\nlargest 7\n"},
  };
  CHECK(samples);
}

/* What stops time is said by each state. */
/* A variable that stays as it is until the clock is compared is the limit itself. In a the clock is
 * about to be set; in b and c it is compared later. */
static void test_fixed(void **state) {
  (void)state;
  static const struct sample samples[] = {
      /* Nobody changes v between b and d; then a loop at c does. */
      {"int[0,9] v; int w; clock x; process P() { state a, b, c, d; init a; trans a -> b { assign "
       "x "
       "= 0, v = 3; }, b -> c { assign w = 1; }, c -> d { guard x >= v; }, d -> a { assign v = 7; "
       "}; } system P;",
       NULL,
       "clocks x\n"
       "largest 7 guards\n"
       "rule 2 P: c -> d: 0 - x <= guard bound 1\n"
       "location P.loc 1: limits x:7/-(slot 0)\n"
       "location P.loc 2: limits x:7/-(slot 0)\n"},
      {"int[0,9] v; clock x; process P() { state a, b, c, d; init a; trans a -> b { assign x = 0; "
       "}, b -> c { }, c -> d { guard x >= v; }, c -> c { assign v = (v + 1) % 10; }; } system P;",
       NULL,
       "clocks x\n"
       "largest 9 guards\n"
       "rule 2 P: c -> d: 0 - x <= guard bound 1\n"
       "location P.loc 1: limits x:9/-\n"
       "location P.loc 2: limits x:9/-\n"},
      /* The step from b to c changes it: by itself, by a function, behind a reference. */
      {"int[0,9] v; clock x; process P() { state a, b, c, d; init a; trans a -> b { assign x = 0; "
       "}, b -> c { assign v = 4; }, c -> d { guard x >= v; }; } system P;",
       NULL,
       "clocks x\n"
       "largest 4 guards\n"
       "rule 2 P: c -> d: 0 - x <= guard bound 1\n"
       "location P.loc 1: limits x:4/-\n"
       "location P.loc 2: limits x:4/-(slot 0)\n"},
      {"int[0,9] v; clock x; void f() { v = 4; } void g() { f(); } process P() { state a, b, c, d; "
       "init a; trans a -> b { assign x = 0; }, b -> c { assign g(); }, c -> d { guard x >= v; }; "
       "} "
       "system P;",
       NULL,
       "clocks x\n"
       "largest 4 guards\n"
       "rule 2 P: c -> d: 0 - x <= guard bound 1\n"
       "location P.loc 1: limits x:4/-\n"
       "location P.loc 2: limits x:4/-(slot 0)\n"},
      {"int[0,9] v; clock x; void f(int[0,9] &k) { k = 4; } process P() { state a, b, c, d; init "
       "a; "
       "trans a -> b { assign x = 0; }, b -> c { assign f(v); }, c -> d { guard x >= v; }; } "
       "system "
       "P;",
       NULL,
       "clocks x\n"
       "largest 4 guards\n"
       "rule 2 P: c -> d: 0 - x <= guard bound 1\n"
       "location P.loc 1: limits x:4/-\n"
       "location P.loc 2: limits x:4/-(slot 0)\n"},
      /* Another process changes it, alone or when it receives a broadcast of this one. */
      {"int[0,9] v; clock x; process P() { state a, b; init a; trans a -> b { guard x >= v; }; } "
       "process Q() { state a; init a; trans a -> a { assign v = 4; }; } system P, Q;",
       NULL,
       "clocks x\n"
       "largest 4 guards\n"
       "rule 0 P: a -> b: 0 - x <= guard bound 1\n"
       "location P.loc 0: limits x:4/-\n"},
      {"int[0,9] v; clock x; broadcast chan c; process P() { state a, b; init a; trans a -> b { "
       "guard x >= v; }; } process Q() { state a; init a; trans a -> a { sync c!; }; } process R() "
       "{ state a; init a; trans a -> a { sync c?; assign v = 4; }; } system P, Q, R;",
       NULL,
       "clocks x\n"
       "largest 4 guards\n"
       "rule 0 P: a -> b: 0 - x <= guard bound 1\n"
       "location P.loc 0: limits x:4/-\n"},
      /* A partner changes it, in a step of this process. */
      {"int[0,9] v; clock x; chan c; process P() { state a, b, d; init a; trans a -> b { sync c?; "
       "}, "
       "b -> d { guard x >= v; }; } process Q() { state a; init a; trans a -> a { sync c!; assign "
       "v "
       "= 4; }; } system P, Q;",
       NULL,
       "clocks x\n"
       "largest 4 guards\n"
       "rule 0 P: b -> d: 0 - x <= guard bound 1\n"
       "location P.loc 0: limits x:4/-\n"
       "location P.loc 1: limits x:4/-(slot 0)\n"},
  };
  CHECK(samples);
}

static void test_still(void **state) {
  (void)state;
  static const struct sample samples[] = {
      {"clock x; process P() { state a, b; urgent b; init a; trans a -> b { guard x > 1; }; } "
       "system P;",
       NULL,
       "clocks x\n"
       "largest 1 still\n"
       "rule 0 P: a -> b: 0 - x < -1\n"
       "location P.loc 0: limits x:1/-\n"},
      {"clock x; int v; urgent chan c; process P() { state a; init a; trans a -> a { guard v < 1; "
       "sync c!; }; } process Q() { state a; init a; trans a -> a { sync c?; assign x = 0, v++; }; "
       "} system P, Q;",
       NULL, "clocks x\nlargest 0 still\n"},
  };
  CHECK(samples);
}

/* A flat zone of n clocks has a slot for each bound of two of them and the clock that is always 0:
 * (n + 1)^2 - (n + 1). */
static void test_flat_columns(void **state) {
  (void)state;
  const char *text =
      "clock x[13]; process P() { state a; init a; trans a -> a { select i : int[0,12]; "
      "guard x[i] >= 3; assign x[i] = 0; }; } system P;";
  struct clew_source source = {"thirteen", text, strlen(text)};
  struct clew_load_request request = {.source = &source,
                                      .exec = CLEW_MODE_INTERP,
                                      .zones = {.is_flat = true, .subsumption = CLEW_SUBSUME_NONE}};
  struct clew_diag_sink diags = {0};
  struct clew_model *model = NULL;
  assert_int_equal(clew_language_uppaal.load(&request, &diags, &model), CLEW_OK);
  assert_int_equal(model->timed->clock_count, 14);
  assert_int_equal(model->slot_count, 182); /* one location, no variables */
  model->close(model);
  clew_diag_sink_free(&diags);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_guards),       cmocka_unit_test(test_invariants),
      cmocka_unit_test(test_limits),       cmocka_unit_test(test_broadcasts),
      cmocka_unit_test(test_queries),      cmocka_unit_test(test_fixed),
      cmocka_unit_test(test_still),        cmocka_unit_test(test_values),
      cmocka_unit_test(test_flat_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
