/* What is wrong with an UPPAAL model is said once, in these words, at this place. Samples are put
 * into a frame that is otherwise correct; theirs is line 2 (in the table of whole models, line 1).
 */
#include "lang/uppaal/uppaal.h"
#include "unit/model_errors.h"

static enum clew_status with_time(const struct clew_load_request *request, enum clew_time_mode mode,
                                  struct clew_diag_sink *diags, struct clew_program **program) {
  struct clew_load_request timed = *request;
  timed.time = mode;
  return clew_uppaal_program(&timed, diags, program);
}

static enum clew_status untimed(const struct clew_load_request *request,
                                struct clew_diag_sink *diags, struct clew_program **program) {
  return with_time(request, CLEW_TIME_NONE, diags, program);
}

static enum clew_status digital(const struct clew_load_request *request,
                                struct clew_diag_sink *diags, struct clew_program **program) {
  return with_time(request, CLEW_TIME_DIGITAL, diags, program);
}

/* Declarations that samples may use. */
#define HEAD                                                                                       \
  "typedef int[1,3] id_t; typedef struct { int n; bool b; } rec; const int N = 3; int v, "         \
  "arr[id_t]; "                                                                                    \
  "rec r; clock x, y, xs[2]; chan c, d[2]; broadcast chan bc; "                                    \
  "int inc(int k) { v = k; return k; } int pure(int k) { return k + 1; }\n"
#define SYSTEM "process Q() { state q; init q; } system Q;"
#define IN_PROCESS "process P() { state s, t; init s; "

static const struct model_sample whole_samples[] = {
    {"", "1:1: expected 'system' behind the declarations, found the end of the file"},
    {"process P() { state s; init s; }",
     "1:33: expected 'system' behind the declarations, found the end of the file"},
    {"process P() { state s; init s; } system R;", "1:41: unknown process 'R'"},
    {"int i; process P() { state s; init s; } system i;", "1:48: 'i' is no process"},
    {"process P() { state s; init s; } system P, P;", "1:44: the process 'P' is listed twice"},
    {"process P() { state s; init t; } system P;", "1:29: there is no location 't'"},
    {"process P(int i) { state s; init s; } system P;",
     "1:46: the parameter 'i' of 'P' has no value, and is no number of a range for which there "
     "could be one process each"},
    {"process P(int[0,1] &i) { state s; init s; } system P;",
     "1:52: the parameter 'i' of 'P' has no value, and is no number of a range for which there "
     "could be one process each"},
    {"process P(int i) { state s; init s; } Q = P(); system Q;",
     "1:43: 'P' has 1 parameter, not 0"},
    {"process P(int &i) { state s; init s; } Q = P(3); system Q;",
     "1:46: the parameter 'i' refers to a variable, clock or channel"},
    {"process P(chan &i) { state s; init s; } int k; Q = P(k); system Q;",
     "1:54: this argument has another type than the parameter 'i'"},
    {"process P(int[0,1] i) { state s; init s; } Q = P(2); system Q;",
     "1:50: the initial value 2 is out of the range 0 .. 1"},
    {"Q = Q(); system Q;", "1:5: 'Q' is no template"},
    {"process P() { state s; init s; } Q = R(); system Q;", "1:38: unknown template 'R'"},
    {"import \"lib\" { }; process P() { state s; init s; } system P;",
     "1:1: external functions ('import') are not supported"},
    {"clock x; process P() { state s; init s; } system P;", ""},
    {"chan c; process P(const int[1,600] i) { state a; init a; trans a -> a { sync c!; }, a -> a { "
     "sync c?; }, a -> a { sync c?; }; } system P;",
     "1:64: the edges of this system synchronise in too many ways: the limit is 524288"},
};

static const struct model_sample declaration_samples[] = {
    {"int v;", "2:5: 'v' is declared twice"},
    {"int w = u;", "2:9: unknown name 'u'"},
    {"int w = v;", "2:9: \"v\" is not constant, or cannot be computed"},
    {"int w = inc(1);", "2:9: nothing may be changed here, but 'inc' does"},
    {"int w = pure(1);", ""},
    {"int[0,3] w = 4;", "2:14: the initial value 4 is out of the range 0 .. 3"},
    {"int[3,0] w;", "2:1: this range is empty: 3 .. 0"},
    {"int w[0];", "2:7: the size of an array must be positive, not 0"},
    {"int w[v];", "2:7: \"v\" is not constant, or cannot be computed"},
    {"int w[2000][2000];", "2:5: 'w' is too large: the limit is 1048576 elements"},
    {"int w[2] = { 1 };", "2:12: this array has 2 elements, not 1"},
    {"rec w = { 1 };", "2:9: this struct has 2 fields, not 1"},
    {"rec w = { n: 1, c: true };", "2:17: there is no field 'c'"},
    {"rec w = { b: true, n: 1 };", ""},
    {"const int K;", "2:11: the constant 'K' has no value"},
    {"const clock z = 0;", "2:13: clocks and channels cannot be constant"},
    {"meta clock z;", "2:1: a clock cannot be 'meta'\n2:1: warning: 'meta' is ignored: this "
                      "variable is part of the state like others"},
    {"urgent int z;", "2:1: only channels are urgent or broadcast"},
    {"struct { clock z; } w;", "2:16: a struct cannot contain clocks or channels"},
    {"double z;", "2:1: the type 'double' is not supported"},
    {"hybrid clock z;", "2:1: hybrid clocks are not supported"},
    {"clock z = -1;", "2:11: a clock cannot be negative"},
    {"rex w;", "2:1: unknown type 'rex'; did you mean 'rec'?"},
    {"v w;", "2:1: 'v' is no type"},
    {"void w;", "2:1: a variable cannot be 'void'"},
    {"chan priority c < default;", ""},
    {"chan priority c < d;", "2:1: these priorities do not say where 'default' is"},
    {"chan priority c < default < v;", "2:29: \"v\" is no channel"},
    {"before_update { v = 1 }", ""},
    {"after_update { v = }", "2:20: expected an expression, found '}'"},
    {"int w = 1 / 0;", "2:9: \"1 / 0\" is not constant, or cannot be computed"},
};

static const struct model_sample edge_samples[] = {
    {"guard w == 1;", "2:70: unknown name 'w'"},
    {"guard v = 1;", "2:70: nothing may be changed here"},
    {"guard v++ == 1;", "2:70: nothing may be changed here"},
    {"guard inc(1) == 1;", "2:70: nothing may be changed here, but 'inc' does"},
    {"guard pure() == 1;", "2:70: 'pure' has 1 parameter, not 0"},
    {"guard v(1) == 1;", "2:70: 'v' is no function"},
    {"guard x * 2 < 3;", "2:70: a clock cannot be used as a number here"},
    {"guard x + y < 3;", "2:70: a clock cannot be used as a number here"},
    {"guard x - y < xs[0];", "2:70: \"x - y < xs[0]\" compares more than two clocks"},
    {"guard x;", "2:70: a clock cannot be used as a number here"},
    {"guard x != 3;", "2:70: \"x != 3\" makes no convex constraint: clocks can be compared in "
                      "conjunctions only, and not by '!='"},
    {"guard (x <= 3) == true;", "2:70: \"(x <= 3)\" makes no convex constraint: clocks can be "
                                "compared in conjunctions only, and not by '!='"},
    {"guard r == arr;", "2:70: these cannot be compared"},
    {"guard r.k == 1;", "2:72: there is no field 'k'"},
    {"guard v.k == 1;", "2:70: \"v\" is no struct"},
    {"guard v[1] == 1;", "2:70: \"v\" is no array"},
    {"sync v!;", "2:69: \"v\" is no channel"},
    {"sync d!;", "2:69: \"d\" is no channel"},
    {"sync c;", "2:69: a synchronisation sends ('!') or receives ('?'): others are not supported"},
    {"assign N = 1;", "2:71: \"N\" cannot be assigned"},
    {"assign x += 1;", "2:71: a clock can only be set, not changed by an operation"},
    {"assign x = y;", "2:75: a clock cannot be used as a number here"},
    {"assign v = r;", "2:71: a struct cannot be used as a number here"},
    {"assign r = arr;", "2:71: the value has another type than what it is assigned to"},
    {"assign v = x < 3;", "2:75: clocks can be compared in guards, invariants and queries only"},
    {"select i : rec;", "2:75: this type has no values to choose from"},
    {"select i : id_t; assign i = 1;", "2:88: \"i\" cannot be assigned"},
    {"guard x <= 3 && (v == 1 || x >= 2); assign v = x == 3 ? 1 : 2;",
     "2:111: clocks can be compared in guards, invariants and queries only"},
};

static const struct model_sample function_samples[] = {
    {"int f(int n) { return f(n); }", "2:23: 'f' calls itself: recursion is not supported"},
    {"int f(int n) { return; }", "2:16: this function has to return a value"},
    {"void f(int n) { return n; }",
     "2:17: this function returns no value, or more than one\n3:57: a function without a result "
     "cannot be used as a number here"},
    {"int f(int n) { clock z; return n; }", "2:16: a function cannot have variables of this type"},
    {"int f(int n) { for (i : id_t) i = 2; return n; }", "2:31: \"i\" cannot be assigned"},
    {"int f(const int n) { n = 2; return n; }", "2:22: \"n\" cannot be assigned"},
    {"void g(int &k) { k = 1; } int f(int n) { g(3); return n; }",
     "2:44: the parameter 'k' is a reference to something that can change"},
    {"void g(int k[2]) { k[0] = 1; } int f(int n) { g(arr); return n; }",
     "2:49: this argument has another type than the parameter 'k'"},
};

static const struct model_sample digital_samples[] = {
    {"guard x < 3;", "2:70: --time digital is exact for closed models only, but \"x < 3\" is a "
                     "strict bound"},
    {"guard !(x <= 3);",
     "2:71: --time digital is exact for closed models only, but \"(x <= 3)\" is "
     "a strict bound"},
    {"guard !(x > 3);", ""},
    {"guard x - y <= 3;", "2:70: --time digital does not support differences of clocks (\"x - y "
                          "<= 3\")"},
    {"guard x <= y;", "2:70: --time digital does not support differences of clocks (\"x <= y\")"},
    {"guard x <= 3;", ""},
};

static const struct model_sample reference_samples[] = {
    {"void g(clock &k) { k = 0; } int f(int n) { g(xs[n]); return n; }",
     "2:46: a clock that is passed by reference must be known: its index is not constant"},
    {"void g(clock &k) { k = 0; } int f(int n) { g(xs[1]); return n; }", ""},
};

static const struct model_sample invariant_samples[] = {
    {"x >= 3", "2:25: \"x >= 3\" is a lower bound, which no invariant can have"},
    {"3 <= x", "2:25: \"3 <= x\" is a lower bound, which no invariant can have"},
    {"x >= 0 && x' == 1", ""},
    {"x' == 0", "2:25: --time digital does not support clocks that stop (\"x' == 0\")"},
    {"x' <= 0", "2:25: a rate is given by '=='"},
    {"v' == 1", "2:25: only clocks have a rate, and only in invariants"},
    {"forall (i : int[0,1]) xs[i] <= 3", ""},
};

static void test_whole(void **state) {
  (void)state;
  MODEL_RUN_TABLE(untimed, whole_samples, "", "");
}

static void test_declarations(void **state) {
  (void)state;
  MODEL_RUN_TABLE(untimed, declaration_samples, HEAD, "\n" SYSTEM);
}

static void test_edges(void **state) {
  (void)state;
  MODEL_RUN_TABLE(untimed, edge_samples, HEAD IN_PROCESS "trans s -> t { /* ....... */ ",
                  " }; } system P;");
}

static void test_functions(void **state) {
  (void)state;
  MODEL_RUN_TABLE(untimed, function_samples, HEAD,
                  "\n" IN_PROCESS "trans s -> t { assign v = f(1); }; } system P;");
}

static void test_digital(void **state) {
  (void)state;
  MODEL_RUN_TABLE(digital, digital_samples, HEAD IN_PROCESS "trans s -> t { /* ....... */ ",
                  " }; } system P;");
  MODEL_RUN_TABLE(digital, reference_samples, HEAD,
                  "\n" IN_PROCESS "trans s -> t { assign v = f(1); }; } system P;");
  MODEL_RUN_TABLE(digital, invariant_samples, HEAD "process P() { state s { ",
                  " }; init s; } system P;");
}

static enum clew_status zones(const struct clew_load_request *request, struct clew_diag_sink *diags,
                              struct clew_program **program) {
  return with_time(request, CLEW_TIME_ZONES, diags, program);
}

static const struct model_sample zone_samples[] = {
    {"guard x < 3 || y > 4;", ""},
    {"guard b imply x - y <= v;", "2:70: unknown name 'b'"},
    {"guard x != 3;", "2:70: \"x != 3\" makes no convex constraint: clocks can be compared in "
                      "conjunctions only, and not by '!='"},
    {"guard not (x == 3);", "2:74: \"(x == 3)\" makes no convex constraint: clocks can be compared "
                            "in conjunctions only, and not by '!='"},
    {"guard (x < 3) + 1 > 0;", "2:70: \"(x < 3)\" makes no convex constraint: clocks can be "
                               "compared in conjunctions only, and not by '!='"},
    {"guard x < 268435457;", "2:70: the bound in \"x < 268435457\" is too large: the limit is "
                             "268435456"},
    {"guard x >= 268435456;", ""},
    {"guard x > v * v * v;", ""},
    {"assign x = 268435457;", ""},
    {"guard forall (i : int[0,10]) (x < i || y > i);",
     "2:70: this condition on clocks has too many "
     "cases: the limit is 1000, of 100000 "
     "comparisons in all"},
};

static const struct model_sample zone_invariants[] = {
    {"x <= 3 || v == 1", ""},
    {"x <= v && y - x < 4", ""},
    {"x <= 3 || y <= 3", "2:25: this invariant makes no convex constraint: clocks can be compared "
                         "in conjunctions only"},
    {"x >= 3", "2:25: \"x >= 3\" is a lower bound, which no invariant can have"},
    {"not (x < 3)", "2:29: \"(x < 3)\" is a lower bound, which no invariant can have"},
    {"x == 3", "2:25: \"x == 3\" is a lower bound, which no invariant can have"},
    {"x' == 2", "2:25: the rate of a clock is 0 or 1, not as in \"x' == 2\""},
    {"v == 1 || x' == 0", ""},
    {"not (x' == 0)", "2:29: a rate is given by '=='"},
    {"xs[v]' == 0", "2:25: which clock this rate is of must be known: its index is not constant"},
};

static void test_zones(void **state) {
  (void)state;
  MODEL_RUN_TABLE(zones, zone_samples, HEAD IN_PROCESS "trans s -> t { /* ....... */ ",
                  " }; } system P;");
  MODEL_RUN_TABLE(zones, zone_invariants, HEAD "process P() { state s { ",
                  " }; init s; } system P;");
  model_expect(zones,
               "clock x; urgent chan c; process P() { state s; init s; trans s -> s { guard x > 1; "
               "sync c!; }, s -> s { sync c?; }; } process Q() { state s; init s; trans s -> s { "
               "sync c?; }; } system P, Q;",
               "1:62: a guard compares clocks, which no synchronisation on an urgent channel may "
               "do");
}

static void test_queries(void **state) {
  (void)state;
  static const struct model_sample samples[] = {
      {"P(1).s and P(2).k == 1", ""},
      {"P(1).t", "--goal:1:6: the process 'P(1)' has no location or variable 't'"},
      {"P.s", "--goal:1:1: the system has no process 'P'"},
      {"P(3).s", "--goal:1:1: the system has no process 'P(3)'"},
      {"P(v).s", "--goal:1:3: \"v\" is not constant, or cannot be computed"},
      {"P(1)", "--goal:1:1: 'P' is no function"},
      {"exists (i : id_t) P(i).s", ""},
      {"w == 1", "--goal:1:1: unknown name 'w'"},
      {"v = 1", "--goal:1:1: nothing may be changed here"},
      {"v == ", "--goal:1:6: expected an expression, found the end of the expression"},
  };
  model_run_goals(untimed,
                  "typedef int[1,2] id_t; int v; process P(const id_t i) { int k; state s; init s; "
                  "} system P;",
                  samples, sizeof samples / sizeof samples[0]);
}

static void test_params(void **state) {
  (void)state;
  static const struct model_override_sample samples[] = {
      {"N", "2", "", true},
      {"N", "two", "1:11: --param N: 'two' is no number", true},
      {"B", "3", "1:33: --param B: 3 is out of the range 0 .. 1", true},
      {"B", "true", "", true},
      {"T", "3", "1:53: --param T: only numbers can be given", true},
      {"x", "3", "", false},
  };
  model_run_overrides(untimed,
                      "const int N = 5; const bool     B = true; const int T[2] = { 1, 2 }; "
                      "process P() { state s; init s; } system P;",
                      samples, sizeof samples / sizeof samples[0]);
}

/* Positions are those of the file. */
static void test_xml(void **state) {
  (void)state;
  model_expect(untimed,
               "<nta>\n<declaration>int v;</declaration>\n<template><name>P</name>\n<location "
               "id=\"a\"/><init ref=\"a\"/><transition><source ref=\"a\"/><target ref=\"a\"/>\n"
               "<label kind=\"guard\">v &lt; w</label></transition></template>\n<system>system "
               "P;</system></nta>",
               "5:28: unknown name 'w'");
}

static void test_damage(void **state) {
  (void)state;
  static const char damage[] = {'{', '(', ';', '=', '9', 'x', '\0', '&'};
  static const char model[] =
      "const int N = 2; typedef int[0,N-1] id_t; struct { int a; bool b[N]; } s; clock x[N]; "
      "broadcast chan c[id_t]; urgent chan u; int f(int &k, id_t i) { while (k < 3) k++; return i; "
      "} process P(const id_t i) { state a { x[i] <= 5 }, b; commit b; init a; trans a -> b { "
      "select k : id_t; guard x[i] >= 2 && s.b[k]; sync c[k]!; assign s.a += f(s.a, k), x[i] = 0; "
      "}, b -> a { sync c[i]?; }, a -> a { sync u!; }, -> b { sync u?; }; } system P;";
  model_run_damage(digital, model, damage, sizeof damage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole),   cmocka_unit_test(test_declarations),
      cmocka_unit_test(test_edges),   cmocka_unit_test(test_functions),
      cmocka_unit_test(test_digital), cmocka_unit_test(test_zones),
      cmocka_unit_test(test_queries), cmocka_unit_test(test_params),
      cmocka_unit_test(test_xml),     cmocka_unit_test(test_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
