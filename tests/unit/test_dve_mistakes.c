/* What people type who know TLA+, Promela, C or another language of clew, and what DVE models say
 * about it: one message, at the right place, with the right spelling. */
#include "lang/dve/dve.h"
#include "unit/model_mistakes.h"

#define HEAD                                                                                       \
  "byte x; byte a[3]; channel c;\n"                                                                \
  ""
#define REST                                                                                       \
  "\n"                                                                                             \
  "process Q { state u; init u; trans u -> u { guard x < 3; effect x = 1; }; }\n"                  \
  "system async;\n"                                                                                \
  ""

static const struct model_sample mistakes[] = {
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard x == 1 @=> x < 3; };\n"
     "}",
     "expected ';' after the guard, found '=>': implication is written 'imply', and a transition "
     "'s -> t'"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard x == 1 @-> x < 3; };\n"
     "}",
     "expected ';' after the guard, found '->': implication is written 'imply'"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard x == 1 @implies x < 3; };\n"
     "}",
     "expected ';' after the guard, found 'implies': implication is written 'imply'"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard x @<> 3; };\n"
     "}",
     "unexpected '<>': inequality is written '!='"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard x @/= 3; };\n"
     "}",
     "unexpected '/=': inequality is written '!='"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard x @= 3; };\n"
     "}",
     "expected ';' after the guard, found '=': equality is written '=='"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard x @=< 3; };\n"
     "}",
     "expected ';' after the guard, found '=<': 'at most' is written '<='"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard x @=== 3; };\n"
     "}",
     "unexpected '===': equality is written '=='"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard x < 3 @/\\ x > 1; };\n"
     "}",
     "unexpected '/\\': 'and' is written 'and' or '&&'"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard x < 3 @AND x > 1; };\n"
     "}",
     "expected ';' after the guard, found 'AND': it is written 'and'"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard @!(x < 3); };\n"
     "}",
     "'!' is no operator: negation is written 'not'"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard @True; };\n"
     "}",
     "unknown variable 'True': it is written 'true'"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { effect x @:= 1; };\n"
     "}",
     "expected '=' after the variable, found ':=': assignments are written '='"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { effect x @== 1; };\n"
     "}",
     "expected '=' (one of them) in an effect, found '=='"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { effect x@++; };\n"
     "}",
     "expected '=' after the variable, found '++': increments are written x = x + 1"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { effect @++x; };\n"
     "}",
     "expected a variable, found '++': increments are written x = x + 1"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { effect x @+= 1; };\n"
     "}",
     "expected '=' after the variable, found '+=': it is written x = x + 1"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { effect x @<- 1; };\n"
     "}",
     "expected '=' after the variable, found '<-': assignments are written '='"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { effect x = 1; @a[0] = 2; };\n"
     "}",
     "expected '}' at the end of the transition, found 'a': effects are separated by ','"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard x < 3; @-- why\n"
     "; };\n"
     "}",
     "expected '}' at the end of the transition, found '--': a comment begins with '//', a "
     "decrement is written x = x - 1"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard x < 3; @# why\n"
     "; };\n"
     "}",
     "expected '}' at the end of the transition, found '#': a comment begins with '//'"},
    {"@bool flag;", "expected a declaration, a process or 'system', found 'bool': truth values are "
                    "of type 'byte'"},
    {"@boolean flag;", "expected a declaration, a process or 'system', found 'boolean': truth "
                       "values are of type 'byte'"},
    {"@uint8_t flag;", "expected a declaration, a process or 'system', found 'uint8_t': the types "
                       "are 'byte' and 'int'"},
    {"@var flag: byte;", "expected a declaration, a process or 'system', found 'var': a variable "
                         "is declared by its type: byte x;"},
    {"byte@[3] b;",
     "expected the name of a variable, found '[': an array is written 'byte name[size]'"},
    {"@chan d;",
     "expected a declaration, a process or 'system', found 'chan': it is written 'channel'"},
    {"channel @int d;", "expected the name of a channel, found 'int': the types of values stand in "
                        "braces, channel {byte} name[size]"},
    {"channel d@[3];",
     "a channel with a buffer needs the types of its values: channel {byte} d[...]"},
    {"byte b[3] = @[1,2,3];",
     "expected a value, found '[': the values of an array stand in braces, {1, 2, 3}"},
    {"byte b@\n"
     "byte d;",
     "expected ';' or ',' after the declaration, found 'byte'"},
    {"process @P {\n"
     "state s; trans s -> s {};\n"
     "}",
     "process 'P' has no initial state"},
    {"process P {\n"
     "state s; init@; trans s -> s {};\n"
     "}",
     "expected the initial state, found ';'"},
    {"process P {\n"
     "@states s, t; init s; trans s -> t {};\n"
     "}",
     "expected a declaration, 'state', 'init', 'commit', 'accept', 'assert', 'trans' or '}' in a "
     "process, found 'states': it is written 'state'"},
    {"process P {\n"
     "state s, t; @initial s; trans s -> t {};\n"
     "}",
     "expected a declaration, 'state', 'init', 'commit', 'accept', 'assert', 'trans' or '}' in a "
     "process, found 'initial': it is written 'init'"},
    {"process P {\n"
     "@location s; init s; trans s -> t {};\n"
     "}",
     "expected a declaration, 'state', 'init', 'commit', 'accept', 'assert', 'trans' or '}' in a "
     "process, found 'location': it is written 'state'"},
    {"process P {\n"
     "state s, t; init s; @transitions s -> t {};\n"
     "}",
     "expected a declaration, 'state', 'init', 'commit', 'accept', 'assert', 'trans' or '}' in a "
     "process, found 'transitions': it is written 'trans'"},
    {"process P {\n"
     "state s, t; init s; trans s -> t@;\n"
     "}",
     "expected '{' before the parts of the transition, found ';'"},
    {"process P {\n"
     "state s, t; init s; trans s -> t {} @t -> s {};\n"
     "}",
     "expected ';' or ',' after a transition, found 't'"},
    {"process P {\n"
     "state s, t; init s; trans s -> t {}; @t -> s {};\n"
     "}",
     "transitions are separated by ',': expected one, not ';', before 't'"},
    {"process P {\n"
     "state s, t; init s; trans s @=> t {};\n"
     "}",
     "expected '->' in a transition, found '=>': implication is written 'imply', and a transition "
     "'s -> t'"},
    {"process P {\n"
     "state s, t; init s; trans s @--> t {};\n"
     "}",
     "expected '->' in a transition, found '-->': a transition is written 's -> t'"},
    {"process P {\n"
     "state s, t; init s; trans s -> t { guard@: x < 3; };\n"
     "}",
     "expected an expression, found ':'"},
    {"process P {\n"
     "state s, t; init s; trans s -> t { guard x < 3 @effect x = 1; };\n"
     "}",
     "expected ';' after the guard, found 'effect'"},
    {"process P {\n"
     "state s, t; init s; trans s -> t { effect x = 1; @guard x < 3; };\n"
     "}",
     "'guard' is out of place: a transition has at most one 'guard', one 'sync' and one 'effect', "
     "in this order"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { guard @xx < 3; };\n"
     "}",
     "unknown variable 'xx'; did you mean 'x'?"},
    {"process P {\n"
     "state idle, busy; init idle; trans idle -> @bsy {};\n"
     "}",
     "unknown state 'bsy' of process 'P'; did you mean 'busy'?"},
    {"channel link;\n"
     "process P {\n"
     "state s, t; init s; trans s -> t { sync @lnik!; };\n"
     "}",
     "unknown channel 'lnik'; did you mean 'link'?"},
    {"process P {\n"
     "state s, t; init s; trans s -> t { effect c@!1; };\n"
     "}",
     "expected '=' after the variable, found '!': channels are used by 'sync c!1'"},
    {"process P {\n"
     "state s, t; init s; trans s -> t { sync c@.send(1); };\n"
     "}",
     "expected '!' or '?' after the channel, found '.'"},
    {"process P {\n"
     "state s, t; init s; trans s -> t { sync @!c; };\n"
     "}",
     "expected the name of a channel, found '!'"},
    {"@proctype P() { }",
     "expected a declaration, a process or 'system', found 'proctype': it is written 'process'"},
    {"process P@() { state s; init s; trans s -> s {}; }",
     "expected '{' after the name of the process, found '(': processes have no parameters"},
    {"process P { state s; init s; trans s -> s {};",
     "3:1: expected a declaration, 'state', 'init', 'commit', 'accept', 'assert', 'trans' or '}' "
     "in a process, found 'process'"},
    {"process P {\n"
     "state s; init s; trans s -> s { effect @if (x < 3) x = 1; };\n"
     "}",
     "unexpected 'if': there is no 'if': write two transitions with guards"},
    {"process P {\n"
     "@do :: x < 3 -> x = 1 od\n"
     "}",
     "expected a declaration, 'state', 'init', 'commit', 'accept', 'assert', 'trans' or '}' in a "
     "process, found 'do': there are no statements: a process has states and transitions"},
    {"process P {\n"
     "state s; init s; assert x @< 3; trans s -> s {};\n"
     "}",
     "expected ':' after the state, found '<'"},
    {"process P {\n"
     "state s; init s; @goto s;\n"
     "}",
     "expected a declaration, 'state', 'init', 'commit', 'accept', 'assert', 'trans' or '}' in a "
     "process, found 'goto': there is no 'goto': transitions lead to states"},
    {"byte big = @256;", "the value 256 of 'big' is out of the range 0..255 of 'byte'"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { effect @while (x < 3) x = 1; };\n"
     "}",
     "unexpected 'while': there is no 'while': a loop is a transition back"},
    {"process P { state s, t; init s; trans\n"
     "  s -> t { effect x = x < 3 @? 1 : 2; };\n"
     "}",
     "expected ';' or ',' after the effect, found '?': there is no '?:', and '?' receives in "
     "'sync' only"},
    {"byte n = @\"a\";", "unexpected '\"': there are no strings"},
    {"const @N = 3;", "expected 'byte' or 'int', found 'N'"},
    {"@#define N 3", "expected a declaration, a process or 'system', found '#define': a constant "
                     "is written 'const byte N = 3;'"},
    {"process R { byte y; state s; init s; trans s -> s {}; }\n"
     "process P { state s, t; init s; trans\n"
     "  s -> t { guard R.@y == 1; };\n"
     "}",
     "'y' is a variable of process 'R', not a state: it is written 'R->y'"},
};

static void test_mistakes(void **state) {
  (void)state;
  assert_true(sizeof mistakes / sizeof mistakes[0] >= 40);
  MISTAKES_RUN(clew_dve_program, mistakes, HEAD, REST);
}

/* The frame is right: it is the mistakes that the messages are about. */
static void test_frame(void **state) {
  (void)state;
  model_expect(clew_dve_program, HEAD REST, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mistakes), cmocka_unit_test(test_frame)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
