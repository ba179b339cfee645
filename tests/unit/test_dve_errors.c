/* What is wrong with a DVE model is said once, in these words, at this place: a table for every
 * kind of mistake, with the exact messages and positions. Samples are put into a frame that is
 * otherwise correct; theirs is line 2 (in the table of whole models, line 1). */
#include "lang/dve/dve.h"
#include "unit/model_errors.h"

static clew_front_translate *const translate = clew_dve_program;

/* Declarations and a process that samples may use. */
#define HEAD                                                                                       \
  "byte x, a[4]; int w; const byte N = 3; channel c, d; channel {byte, int} t[0]; channel {byte} " \
  "q[2]; "
#define OTHER                                                                                      \
  "process Q { byte y; state u, v; init u; trans u -> v { sync c?y; }, u -> v { sync d?; }; } "
#define REST "system async;"

static const struct model_sample whole_samples[] = {
    {"", "empty model: no processes"},
    {" // nothing but a comment\n", "empty model: no processes"},
    {"byte x;", "empty model: no processes"},
    {"system async;", "empty model: no processes"},
    {"process P { state s; init s; }", "the model does not say 'system async;' or 'system sync;'"},
    {"hello world", "1:1: expected a declaration, a process or 'system', found 'hello'"},
    {"%PDF-1.4", "1:1: expected a declaration, a process or 'system', found '%'"},
    {"\x7f"
     "ELF",
     "1:1: not a DVE model: unexpected byte 0x7f"},
    {"{\"json\": 1}", "1:2: unexpected '\"': there are no strings"},
    {"process P {", "1:12: expected a declaration, 'state', 'init', 'commit', 'accept', 'assert', "
                    "'trans' or '}' in a process, found the end of the file"},
    {"process P { state s; init s; trans s -> s {",
     "1:44: expected '}' at the end of the transition, found the end of the file"},
    {"/* no end", "1:1: this comment is never closed: expected '*/' before the end of the file"},
    {"process { state s; init s; } system async;",
     "1:9: expected the name of a process, found '{'"},
    {"process P state s; system async;",
     "1:11: expected '{' after the name of the process, found 'state'"},
    {"process P { state s; init s; } system;",
     "1:38: expected 'async' or 'sync' after 'system', found ';'"},
    {"process P { state s; init s; } system parallel;",
     "1:39: expected 'async' or 'sync' after 'system', found 'parallel'"},
    {"process P { state s; init s; } system async",
     "1:44: expected ';' after the kind of system, found the end of the file"},
    {"process P { state s; init s; } system async property;",
     "1:53: expected the name of the property process, found ';'"},
    {"process P { state s; init s; } system async property R;", "1:54: unknown process 'R'"},
    {"process P { state s; init s; } system async property P;", "empty model: no processes"},
    {"process P { state s; init s; } system async; system sync;",
     "1:46: there is a 'system' already"},
    {"process P { state s; init s; } system async; trans;",
     "1:46: expected a declaration, a process or 'system', found 'trans'"},
    {"process P { state s; init s; } process R { state s; init s; } system async property p;",
     "1:85: unknown process 'p'; did you mean 'P'?"},
};

static const struct model_sample declaration_samples[] = {
    {"byte;", "2:5: expected the name of a variable, found ';'"},
    {"byte 3;", "2:6: expected the name of a variable, found '3'"},
    {"byte k = ;", "2:10: expected an expression, found ';'"},
    {"byte k = 1 + ;", "2:14: expected an expression, found ';'"},
    {"byte k", "2:7: expected ';' or ',' after the declaration, found 'process'"},
    {"byte k int m;", "2:8: expected ';' or ',' after the declaration, found 'int'"},
    {"const k = 3;", "2:7: expected 'byte' or 'int', found 'k'"},
    {"const byte k;", "2:12: the constant 'k' has no value"},
    {"byte k = 256;", "2:10: the value 256 of 'k' is out of the range 0..255 of 'byte'"},
    {"byte k = -1;", "2:10: the value -1 of 'k' is out of the range 0..255 of 'byte'"},
    {"int k = 32768;", "2:9: the value 32768 of 'k' is out of the range -32768..32767 of 'int'"},
    {"int k = -32769;", "2:9: the value -32769 of 'k' is out of the range -32768..32767 of 'int'"},
    {"byte k[2] = {1, 256};", "2:17: the value 256 of 'k' is out of the range 0..255 of 'byte'"},
    {"byte k[0];", "2:8: the size of an array must be in 1..1048576, but is 0"},
    {"byte k[-1];", "2:8: the size of an array must be in 1..1048576, but is -1"},
    {"byte k[9999999];", "2:8: the size of an array must be in 1..1048576, but is 9999999"},
    {"byte k[x];", "2:8: \"x\" is not a constant"},
    {"byte k[2] = 1;", "2:13: the values of the array 'k' must stand in braces"},
    {"byte k = {1};", "2:10: 'k' is not an array: its value takes no braces"},
    {"byte k[2] = {1, 2;", "2:18: expected '}' or ',' after a value, found ';'"},
    {"byte k[2 = {1};", "2:10: expected ']' after the size, found '='"},
    {"byte k = nope;", "2:10: unknown variable 'nope'"},
    {"byte k = xx;", "2:10: unknown variable 'xx'; did you mean 'x'?"},
    {"byte k = later; byte later;", "2:10: \"later\" has no value yet"},
    {"byte k = 1 / 0;", "2:10: division by zero in a constant expression"},
    {"byte k = 1 % (2 - 2);", "2:10: division by zero in a constant expression"},
    {"byte k = a[4];", "2:10: index out of range in a constant expression"},
    {"byte k = Q.u;", "2:10: \"Q.u\" is not known before execution"},
    {"int k = 99999 * 99999;", "2:9: overflow in a constant expression"},
    {"int k = 1 << 40;", "2:9: shift out of range in a constant expression"},
    {"byte k = 99999999999;", "2:10: this number is too large: the greatest is 2147483647"},
    {"byte k = 99999999999999999999;",
     "2:10: this number is too large: the greatest is 9223372036854775807"},
    {"byte x;", "2:6: 'x' is already declared, in line 1"},
    {"byte k; byte k;", "2:14: 'k' is already declared, in line 2"},
    {"channel x;", "2:9: 'x' is already declared, in line 1"},
    {"byte Q;", "3:9: 'Q' is already declared, in line 2"},
    {"channel;", "2:8: expected the name of a channel, found ';'"},
    {"channel k[2];",
     "2:10: a channel with a buffer needs the types of its values: channel {byte} k[...]"},
    {"channel {byte} k;", "2:17: expected '[' and the size of the buffer, found ';'"},
    {"channel {} k[1];", "2:10: expected 'byte' or 'int', found '}'"},
    {"channel {bool} k[1];",
     "2:10: expected 'byte' or 'int', found 'bool': truth values are of type 'byte'"},
    {"channel {byte} k[-1];", "2:18: the size of a buffer must be in 0..1048576, but is -1"},
    {"channel {byte k[1];", "2:15: expected '}' or ',' after a type, found 'k'"},
    {"channel k", "2:10: expected ';' or ',' after the channel, found 'process'"},
    {"bool k;", "2:1: expected a declaration, a process or 'system', found 'bool': truth values "
                "are of type 'byte'"},
    {"byte c$ = 3x;", "2:11: malformed number '3x'"},
    {"byte é;", "2:6: unexpected character 'é' (U+00E9)"},
};

static const struct model_sample process_samples[] = {
    {"state s;", "1:200: process 'P' has no initial state"},
    {"init s;", "1:200: process 'P' has no states"},
    {"state s; init t;", "2:15: unknown state 't' of process 'P'"},
    {"state s, s; init s;", "2:10: 's' is already declared, in line 2"},
    {"state s; init s; init s;", "2:18: process 'P' has 'init' already"},
    {"state s; init s; commit t;", "2:25: unknown state 't' of process 'P'"},
    {"state s; init s; accept stat;", "2:25: unknown state 'stat' of process 'P'"},
    {"state s init s;", "2:9: expected ';' or ',' after the list of states, found 'init'"},
    {"state s; init s; assert s x;", "2:27: expected ':' after the state, found 'x'"},
    {"state s; init s; assert t: x;", "2:25: unknown state 't' of process 'P'"},
    {"state s; init s; assert s: nope;", "2:28: unknown variable 'nope'"},
    {"byte k; byte k; state s; init s;", "2:14: 'k' is already declared, in line 2"},
    {"state start; init strat;",
     "2:19: unknown state 'strat' of process 'P'; did you mean 'start'?"},
    {"state s; init s; foo;", "2:18: expected a declaration, 'state', 'init', 'commit', 'accept', "
                              "'assert', 'trans' or '}' in a process, found 'foo'"},
    {"state s; init s; trans s -> s {}", "2:33: expected ';' or ',' after a transition, found '}'"},
    {"state s; init s; trans -> s {};",
     "2:24: the first transition must name the state that it leaves"},
    {"byte N; state s; init s; trans s -> s { effect N = 1; };", ""},
};

static const struct model_sample transition_samples[] = {
    {"s -> ;", "2:6: expected the state that a transition enters, found ';'"},
    {"s -> nope {}", "2:6: unknown state 'nope' of process 'P'"},
    {"nope -> s {}", "2:1: unknown state 'nope' of process 'P'"},
    {"s s {}", "2:3: expected '->' in a transition, found 's'"},
    {"s -> s", "3:1: expected '{' before the parts of the transition, found ';'"},
    {"s -> s { guard; }", "2:15: expected an expression, found ';'"},
    {"s -> s { guard x }", "2:18: expected ';' after the guard, found '}'"},
    {"s -> s { guard x; guard x; }", "2:19: 'guard' is out of place: a transition has at most one "
                                     "'guard', one 'sync' and one 'effect', in this order"},
    {"s -> s { effect x = 1; guard x; }",
     "2:24: 'guard' is out of place: a transition has at most one 'guard', one 'sync' and one "
     "'effect', in this order"},
    {"s -> s { effect x == 1; }", "2:19: expected '=' (one of them) in an effect, found '=='"},
    {"s -> s { effect x; }", "2:18: expected '=' after the variable, found ';'"},
    {"s -> s { effect x = ; }", "2:21: expected an expression, found ';'"},
    {"s -> s { effect 3 = x; }", "2:17: expected a variable, found '3'"},
    {"s -> s { effect N = 1; }", "2:17: 'N' is a constant: it cannot change"},
    {"s -> s { effect c = 1; }", "2:17: 'c' is a channel, not a variable"},
    {"s -> s { effect a[1] = 1, x[0] = 2; }", "2:27: 'x' is not an array"},
    {"s -> s { effect x = 1 y = 2; }", "2:23: expected ';' or ',' after the effect, found 'y'"},
    {"s -> s { effect nope = 1; }", "2:17: unknown variable 'nope'"},
    {"s -> s { effect Q = 1; }", "2:17: 'Q' is a process, not a variable"},
    {"s -> s { effect Q->y = 1; }", "2:18: expected '=' after the variable, found '->'"},
    {"s -> s { effect s = 1; }", "2:17: 's' is a state, not a variable"},
    {"s -> s { guard s; }", "2:16: 's' is a state, not a variable"},
    {"s -> s { guard (x; }", "2:18: expected ')' to match '(', found ';'"},
    {"s -> s { guard x); }", "2:17: expected ';' after the guard, found ')'"},
    {"s -> s { guard a[x; }", "2:19: expected ']' after the index, found ';'"},
    {"s -> s { guard !x; }", "2:16: '!' is no operator: negation is written 'not'"},
    {"s -> s { guard x = 1; }",
     "2:18: expected ';' after the guard, found '=': equality is written '=='"},
    {"s -> s { guard x > ; }", "2:20: expected an expression, found ';'"},
    {"s -> s { guard x and or x; }", "2:22: expected an expression, found 'or'"},
    {"s -> s { guard Q.nope; }", "2:18: unknown state 'nope' of process 'Q'"},
    {"s -> s { guard R.u; }", "2:16: unknown process 'R'"},
    {"s -> s { guard x.u; }", "2:16: 'x' is a variable, not a process"},
    {"s -> s { guard Q.; }", "2:18: expected the name of a state, found ';'"},
    {"s -> s { guard Q->y > 0; }",
     "2:16: \"Q->y\": only a property process may look at variables of another process"},
    {"s -> s { guard Q->z > 0; }",
     "2:19: unknown variable 'z' of process 'Q'\n"
     "2:16: \"Q->z\": only a property process may look at variables of another process"},
    {"s -> s { guard c; }", "2:16: 'c' is a channel, not a variable"},
    {"s -> s { guard x[1]; }", "2:16: 'x' is not an array"},
    {"s -> s { guard a[7] == 0; }",
     "2:16: warning: index 7 is outside of 'a', which has 4 elements"},
    {"s -> s { guard nope + nope > 0; }", "2:16: unknown variable 'nope'"},
    {"s -> s { guard xx; }", "2:16: unknown variable 'xx'; did you mean 'x'?"},
    {"s -> s { sync c; }", "2:16: expected '!' or '?' after the channel, found ';'"},
    {"s -> s { sync c!; }",
     "2:15: channel 'c' is used without a value here, but with one in line 1"},
    {"s -> s { sync c!{1, 2}; }", "2:15: the untyped channel 'c' transfers at most one value"},
    {"s -> s { sync d!1; }",
     "2:15: channel 'd' is used with a value here, but without one in line 1"},
    {"s -> s { sync c?3; }", "2:17: expected a variable, found '3'"},
    {"s -> s { sync c?N; }", "2:17: 'N' is a constant: it cannot change"},
    {"s -> s { sync nope!; }", "2:15: unknown channel 'nope'"},
    {"s -> s { sync x!; }", "2:15: 'x' is a variable, not a channel"},
    {"s -> s { sync t!1; }", "2:15: channel 't' transfers 2 values, not 1"},
    {"s -> s { sync t?{x, w, w}; }", "2:15: channel 't' transfers 2 values, not 3"},
    {"s -> s { sync q!; }", "2:15: channel 'q' transfers 1 value, not 0"},
    {"s -> s { sync q!{1}; }", ""},
    {"s -> s { sync !; }", "2:15: expected the name of a channel, found '!'"},
    {"s -> s { sync c! 1 }", "2:20: expected ';' after the synchronisation, found '}'"},
    {"s -> s { sync c!x; sync c!x; }", "2:20: 'sync' is out of place: a transition has at most one "
                                       "'guard', one 'sync' and one 'effect', in this order"},
    {"s -> s { guard 2147483648 > x; }",
     "2:16: this number is too large: the greatest is 2147483647"},
    {"s -> s { guard 1x; }", "2:16: malformed number '1x'"},
    {"s -> s { guard \"x\"; }", "2:16: unexpected '\"': there are no strings"},
    {"s -> t {}, s -> s { guard nope; }, t -> s { effect nopp = 1; }",
     "2:27: unknown variable 'nope'\n"
     "2:52: unknown variable 'nopp'"},
};

/* Asked of a model with HEAD, OTHER and a process P { byte z[2]; state s, t; … }. */
static const struct model_sample goal_samples[] = {
    {"x == 3 and Q.v", ""},
    {"P->z[x] + Q->y > w imply (a[1] || not P.t)", ""},
    {" // a comment\n x /* and another */", ""},
    {"t == x", "--goal:1:1: 't' is a channel, not a variable"},
    {"", "--goal:1:1: expected an expression, found the end of the expression"},
    {"  ", "--goal:1:3: expected an expression, found the end of the expression"},
    {"x ==", "--goal:1:5: expected an expression, found the end of the expression"},
    {"(x == 1", "--goal:1:8: expected ')' to match '(', found the end of the expression"},
    {"x == 1 x", "--goal:1:8: expected the end of the expression, found 'x'"},
    {"x = 1", "--goal:1:3: expected the end of the expression, found '='"},
    {"x == 1;", "--goal:1:7: expected the end of the expression, found ';'"},
    {"c!x", "--goal:1:2: expected the end of the expression, found '!'"},
    {"nope", "--goal:1:1: unknown variable 'nope'"},
    {"aa[1]", "--goal:1:1: unknown variable 'aa'; did you mean 'a'?"},
    {"y", "--goal:1:1: unknown variable 'y'"},
    {"Q->yy > 1", "--goal:1:4: unknown variable 'yy' of process 'Q'; did you mean 'y'?"},
    {"Q.w", "--goal:1:3: unknown state 'w' of process 'Q'"},
    {"R.u", "--goal:1:1: unknown process 'R'"},
    {"x.u", "--goal:1:1: 'x' is a variable, not a process"},
    {"x[1]", "--goal:1:1: 'x' is not an array"},
    {"x ==\n  1 +* 2", "--goal:2:6: expected an expression, found '*'"},
    {"x $ 1 @", "--goal:1:7: unexpected character '@'"},
    {"/* open",
     "--goal:1:1: this comment is never closed: expected '*/' before the end of the file"},
};

/* ---- Running them --------------------------------------------------------------------------- */

static void test_whole_models(void **state) {
  (void)state;
  MODEL_RUN_TABLE(translate, whole_samples, "", "");
}

static void test_declarations(void **state) {
  (void)state;
  MODEL_RUN_TABLE(translate, declaration_samples, HEAD "\n",
                  "\n" OTHER "process P { state s; init s; } " REST);
}

static void test_processes(void **state) {
  (void)state;
  MODEL_RUN_TABLE(translate, process_samples, HEAD OTHER "process P {\n", "\n} " REST);
}

static void test_transitions(void **state) {
  (void)state;
  MODEL_RUN_TABLE(translate, transition_samples,
                  HEAD OTHER "process P { state s, t; init s; trans\n", "\n; } " REST);
}

static void test_goals(void **state) {
  (void)state;
  model_run_goals(translate,
                  HEAD OTHER
                  "process P { byte z[2]; state s, t; init s; trans s -> t { effect z[0] "
                  "= 1; }; } " REST,
                  goal_samples, sizeof goal_samples / sizeof goal_samples[0]);
  struct model_result result =
      model_try_goal(translate,
                     "process P { state s; init s; } process M { byte z; state m; init m; } "
                     "system async property M;",
                     "M.m or M->z or P.s");
  assert_string_equal(
      clew_text_str(&result.messages),
      "--goal:1:1: 'M' is the property process, which takes no part yet: it has no state\n"
      "--goal:1:8: 'M' is the property process, which takes no part yet: it has no state");
  model_result_free(&result);
}

/* ---- Depth, overrides, damage --------------------------------------------------------------- */

static void repeat(struct clew_text *text, const char *what, int count) {
  for (int i = 0; i < count; i++) {
    clew_text_put(text, what);
  }
}

/* What is nested too deeply is refused; what is merely long is not. */
static void test_depth(void **state) {
  (void)state;
  static const struct {
    const char *before, *open, *middle, *close;
    const char *message;
  } samples[] = {
      {"", "(", "x", ")", "nested too deeply: the limit is 500"},
      {"", "not ", "x", "", "nested too deeply: the limit is 500"},
      {"", "a[", "x", "]", "nested too deeply: the limit is 500"},
      {"x", " + x", "", "", "this expression nests too many operators: the limit is 1000"},
      {"x", " and x", "", "", ""},
      {"x", " or x", "", "", ""},
  };
  for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
    struct clew_text text = {0};
    clew_text_printf(&text, "%s%s", HEAD "process P { state s; init s; trans s -> s { guard ",
                     samples[i].before);
    repeat(&text, samples[i].open, 20000);
    clew_text_put(&text, samples[i].middle);
    repeat(&text, samples[i].close, 20000);
    clew_text_put(&text, "; }; } " REST);
    struct model_result result = model_try_text(translate, clew_text_str(&text), text.len);
    const char *message = clew_text_str(&result.messages);
    assert_int_equal(result.error_count, *samples[i].message != '\0');
    assert_non_null(strstr(message, samples[i].message));
    model_result_free(&result);
    clew_text_free(&text);
  }
}

static void test_overrides(void **state) {
  (void)state;
  static const struct model_override_sample samples[] = {
      {"N", "5", "", true},
      {"N", "0x10", "", true},
      {"N", "256", "1:12: --param N=256: expected an integer in 0..255", true},
      {"N", "five", "1:12: --param N=five: expected an integer in 0..255", true},
      {"N", "", "1:12: --param N=: expected an integer in 0..255", true},
      {"x", "1", "1:24: --param cannot set 'x', which is a variable: only constants can be set",
       true},
      {"T", "1", "1:38: --param cannot set 'T', which is an array: only constants can be set",
       true},
      {"P.K", "-7", "", true},
      {"P.x", "1", "", false},
      {"K", "1", "", false},
      {"absent", "1", "", false},
  };
  static const char model[] = "const byte N = 1; byte x; const byte T[2] = {1, 2};\n"
                              "process P { const int K = 3; state s; init s; } " REST;
  model_run_overrides(translate, model, samples, sizeof samples / sizeof samples[0]);
}

/* Every prefix of a model, and the model with any one byte replaced, is loaded or refused. */
static void test_truncated_and_damaged(void **state) {
  (void)state;
  static const char model[] = HEAD OTHER
      "process P { const byte K = 2; int z[K + 1] = {1, -2}; state s, t, r; init s; commit r; "
      "accept t; assert s: z < 3 imply Q.u, t: true; trans s -> t { guard not x and (z[x % 3] << 1 "
      "!= ~w) or 1; sync c!x + 1; effect x = 1, a[x & 3] = 0; }, -> r { sync t!{x, w}; }, t -> s { "
      "sync q?a[x]; effect w = w / 2; }; } process M { state m; init m; trans m -> m { guard P->z "
      "> 0; }; } system async property M;";
  static const char damage[] = {'\0', ';', '(', ')', '{', '}', 'e', ' ', ':', '\xff', '0', ','};
  model_run_damage(translate, model, damage, sizeof damage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole_models), cmocka_unit_test(test_declarations),
      cmocka_unit_test(test_processes),    cmocka_unit_test(test_transitions),
      cmocka_unit_test(test_goals),        cmocka_unit_test(test_depth),
      cmocka_unit_test(test_overrides),    cmocka_unit_test(test_truncated_and_damaged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
