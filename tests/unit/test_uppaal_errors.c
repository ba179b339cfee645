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
    {"const int K = 2147483647 + 1;",
     "2:15: \"2147483647 + 1\" cannot be computed: overflow in \"2147483647 + 1\": the result does "
     "not fit into 32 bits"},
    {"const int K = -2147483647 - 1;", ""},
    {"const int K = 65536, L = K * K;",
     "2:26: \"K * K\" cannot be computed: overflow in \"K * K\": the result does not fit into 32 "
     "bits"},
    {"int w[1 << 31];", "2:7: \"1 << 31\" cannot be computed: overflow in \"1 << 31\": the result "
                        "does not fit into 32 "
                        "bits"},
    {"const int K = 1 << 32;",
     "2:15: \"1 << 32\" cannot be computed: shift out of range in \"1 << 32\": by 0 to 31 bits"},
    {"int double_up(int n) { int32_t s = 1; while (n > 0) { s += s; n--; } return s; } const int K "
     "= double_up(40);",
     "2:96: \"double_up(40)\" cannot be computed: overflow in \"s += s\": the result does not fit "
     "into 32 bits"},
    {"const int K = sum (i : int[0,3]) 1073741824;",
     "2:15: \"sum (i : int[0,3]) 1073741824\" cannot be computed: overflow in \"sum (i : int[0,3]) "
     "1073741824\": the result does not fit into 32 bits"},
    {"const int K = 7 / (N - 3);",
     "2:15: \"7 / (N - 3)\" cannot be computed: division by zero in \"7 / (N - 3)\""},
    {"const int K = 2147483648;", "2:15: this number is too large: the greatest is 2147483647"},
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
    {"int w = 1 / 0;", "2:9: \"1 / 0\" cannot be computed: division by zero in \"1 / 0\""},
};

static const struct model_sample edge_samples[] = {
    {"guard w == 1;", "2:70: unknown name 'w'"},
    {"guard v = 1;", "2:70: nothing may be changed here: equality is written '=='"},
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
    {"void g(clock &k) { k = 0; } int f(int n) { g(xs[n]); return n; }", ""},
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

/* Scalars are identities: what would tell them apart is refused. Line 2 is the sample. */
#define SCALARS                                                                                    \
  "typedef scalar[3] S; typedef scalar[2] T; S s, s2; T t; int n; bool q; int ar[S]; int br[3]; "  \
  "S id(S k) { return k; } void set(S &k, S e) { k = e; }\n"
#define NO_NUMBER(at, set)                                                                         \
  "2:" at ": a value of the scalar set '" set "' is no number: scalars can be assigned, compared " \
  "by == and !=, and used as indices"

static const struct model_sample scalar_samples[] = {
    {"void f() { s = s2; s = id(s2); set(s, s2); ar[s] = 1; q = s == s2 && id(s) != s; }", ""},
    {"void f() { for (i : S) { ar[i] = 0; } n = sum (i : S) ar[i]; q = forall (i : S) i == s; }",
     ""},
    {"void f() { s = q ? s2 : s; }", ""},
    {"void f() { s = 0; }", "2:12: this is no value of the scalar set 'S'"},
    {"void f() { s = t; }", "2:12: this is no value of the scalar set 'S'"},
    {"void f() { n = s; }", NO_NUMBER("12", "S")},
    {"void f() { q = s; }", NO_NUMBER("12", "S")},
    {"void f() { n = s + 1; }", NO_NUMBER("16", "S")},
    {"void f() { s++; }", NO_NUMBER("12", "S")},
    {"void f() { s += 1; }", NO_NUMBER("12", "S")},
    {"void f() { q = s < s2; }", NO_NUMBER("16", "S")},
    {"void f() { q = s == 1; }", "2:21: this is no value of the scalar set 'S'"},
    {"void f() { q = 1 != s; }", "2:16: this is no value of the scalar set 'S'"},
    {"void f() { q = s == t; }", "2:21: this is no value of the scalar set 'S'"},
    {"void f() { q = !s; }", NO_NUMBER("17", "S")},
    {"void f() { if (s) n = 1; }", NO_NUMBER("16", "S")},
    {"void f() { n = -s; }", NO_NUMBER("17", "S")},
    {"void f() { n = s <? s2; }", NO_NUMBER("16", "S")},
    {"void f() { ar[0] = 1; }", "2:15: this is no value of the scalar set 'S'"},
    {"void f() { ar[t] = 1; }", "2:15: this is no value of the scalar set 'S'"},
    {"void f() { br[s] = 1; }", NO_NUMBER("15", "S")},
    {"void f() { id(1); }", "2:15: this is no value of the scalar set 'S'"},
    {"void f() { set(s, t); }", "2:19: this is no value of the scalar set 'S'"},
    {"void f() { set(t, s); }", "2:16: this argument has another type than the parameter 'k'"},
    {"void f() { s = q ? s2 : 1; }", "2:25: this is no value of the scalar set 'S'"},
    {"void f() { n = sum (i : S) i; }", NO_NUMBER("28", "S")},
    {"const S first = 0; void f() { }", "2:17: this is no value of the scalar set 'S'"},
    {"S z = 1; void f() { }", "2:7: this is no value of the scalar set 'S'"},
    {"typedef scalar[0] U; void f() { }", "2:9: a scalar set has 1 to 32768 values, not 0"},
    {"typedef scalar[99999] U; void f() { }", "2:9: a scalar set has 1 to 32768 values, not 99999"},
    {"typedef scalar[n] U; void f() { }", "2:16: \"n\" is not constant, or cannot be computed"},
    {"int[0,s] w; void f() { }", NO_NUMBER("7", "S")},
    {"void f() { n = int[0,1] + s; }", "2:16: expected an expression, found 'int'"},
};

static void test_scalars(void **state) {
  (void)state;
  MODEL_RUN_TABLE(untimed, scalar_samples, SCALARS,
                  "\nprocess P() { state a; init a; trans a -> a { assign f(); }; } system P;");
}

/* Loops over scalar sets, and the like: whether values are told apart. */
struct order_sample {
  const char *text;
  const char *asymmetric; /* "": they are not */
};

#define ORDER "line 2: the order of iterations of this loop may matter"
#define FAULT "line 2: a run-time error may come or not come, by the order of values"

static const struct order_sample loop_samples[] = {
    {"for (i : S) ar[i] = 0;", ""},
    {"for (i : S) ar[i] = n;", ""},
    {"for (i : S) { int k = ar[i]; ar[i] = k; }", ""},
    {"for (i : S) s = i;", ORDER},
    {"for (i : S) n = ar[i];", ORDER},
    {"for (i : S) ar[i] = ar[s];", ORDER},
    {"for (i : S) ar[s] = ar[i];", ORDER},
    {"for (i : S) if (ar[i] == 0) n = 1;", ""},
    {"for (i : S) if (ar[i] == 0) n = 1; else n = 2;", ORDER},
    {"for (i : S) n += 1;", ""},
    {"for (i : S) n++;", ""},
    {"for (i : S) --n;", ""},
    {"for (i : S) n += ar[i];", ORDER}, /* it may leave its range on the way */
    {"for (i : S) n = 2 * n;", ORDER},
    {"for (i : S) if (n < 2) n++;", ORDER},
    {"for (i : S) q = q || ar[i] == 0;", ""},
    {"for (i : S) q = q && ar[i] == 0;", ""},
    {"int k; for (i : S) if (ar[i] == 0) k++; n = k;", ""},
    {"S k = s; for (i : S) if (ar[i] == 0) k = i; s = k;", ORDER},
    {"int k; for (i : S) { k = ar[i]; ar[i] = k; }", ""}, /* nobody reads it later */
    {"int k; for (i : S) { k = ar[i]; ar[i] = k; } n = k;", ORDER},
    {"int k; for (i : S) { if (ar[i] == 0) k = 1; ar[i] = k; }", ORDER},
    {"for (i : S) if (ar[i] == 0) return;", ""},
    {"for (i : S) { if (ar[i] == 0) return; n = 1; }", ORDER},
    {"for (i : S) for (k : S) if (i != k) ar[i] = 1;", ""},
    {"for (i : S) set(s, i);", ORDER},
    {"for (i : S) put(i, 0);", ""},
    {"for (i : S) put(s, 0);", ""},
    {"for (i : S) put(s, ar[i]);", ORDER},
    {"for (i : T) br[2] = 1;", ""},
    {"S k; ar[k] = 1;", "line 2: this variable begins as the first value whenever it is declared"},
    {"S k[2]; ar[k[0]] = 1;",
     "line 2: this variable begins as the first value whenever it is declared"},
    {"int k[S]; ar[s] = k[s];", ""},
    {"int k[S] = {0, 0, 1}; ar[s] = k[s];", "line 2: the elements of this array differ"},
    {"n = table[s];", "line 1: the elements of this array differ"},
    {"q = forall (i : S) ar[i] == n;", ""},
    {"q = forall (i : S) 1 / ar[i] == n;", FAULT},
    {"q = exists (i : S) br[ar[i]] == n;", FAULT},
    {"n = sum (i : S) half(ar[i]);", ""},
    {"q = exists (i : S) half(ar[i]) == 1;", ""},
};
#undef ORDER
#undef FAULT

static void test_orders(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof loop_samples / sizeof loop_samples[0]; i++) {
    struct clew_text text = {0};
    bool uses_table = strstr(loop_samples[i].text, "table") != NULL;
    clew_text_printf(
        &text,
        "typedef scalar[3] S; typedef scalar[2] T; S s; int n; bool q; int ar[S]; int "
        "br[3]; %s void set(S &k, S e) { k = e; } void put(S k, int e) { ar[k] = e; } "
        "int half(int k) { return k / 2; }\nvoid f() { %s }\nprocess P() { state a; init "
        "a; trans a -> a { assign f(); }; } system P;",
        uses_table ? "const int table[S] = {1, 1, 2};" : "", loop_samples[i].text);
    struct model_result result = model_try_text(untimed, clew_text_str(&text), text.len);
    assert_string_equal(clew_text_str(&result.messages), "");
    if (strcmp(clew_text_str(&result.asymmetric), loop_samples[i].asymmetric) != 0) {
      print_message("%s\n", loop_samples[i].text);
    }
    assert_string_equal(clew_text_str(&result.asymmetric), loop_samples[i].asymmetric);
    model_result_free(&result);
    clew_text_free(&text);
  }
}

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
    {"xs[v]' == 0", ""},
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
  /* A receiver that compares clocks, with a mistake at another edge. */
  model_expect(
      zones,
      "clock x; broadcast chan c; process S() { state s; init s; trans s -> s { sync c!; }; } "
      "process R() { state s; init s; trans s -> s { guard x > 1; sync c?; }, s -> s { guard "
      "nope == 1; sync c?; }; } system S, R;",
      "1:174: unknown name 'nope'");
  model_expect(zones, "process P(const int[1,5000] i) { clock x; state s; init s; } system P;",
               "1:40: there are too many clocks for zones: the limit is 4095");
  model_expect(zones, "process P(const int[1,100001] i) { state s; init s; } system P;",
               "1:62: too many processes: the limit is 100000");
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
      {"v = 1", "--goal:1:1: nothing may be changed here: equality is written '=='"},
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
      cmocka_unit_test(test_whole),   cmocka_unit_test(test_scalars),
      cmocka_unit_test(test_orders),  cmocka_unit_test(test_declarations),
      cmocka_unit_test(test_edges),   cmocka_unit_test(test_functions),
      cmocka_unit_test(test_digital), cmocka_unit_test(test_zones),
      cmocka_unit_test(test_queries), cmocka_unit_test(test_params),
      cmocka_unit_test(test_xml),     cmocka_unit_test(test_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
