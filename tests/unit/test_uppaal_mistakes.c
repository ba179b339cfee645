/* What people type who know TLA+, Promela, C or another language of clew, and what UPPAAL models
 * say about it: one message, at the right place, with the right spelling. */
#include "lang/uppaal/uppaal.h"
#include "unit/model_mistakes.h"

#define HEAD                                                                                       \
  "clock x; int[0,7] n; bool f; chan c; int a[3];\n"                                               \
  "process Q() { state u; init u; trans u -> u { guard n < 3; assign n = 1; }; }\n"                \
  ""
#define REST                                                                                       \
  "\n"                                                                                             \
  "system P, Q;\n"                                                                                 \
  ""

static const struct model_sample mistakes[] = {
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard f @-> n < 3; };\n"
     "}",
     "expected ';' after this part of the edge, found '->': implication is written 'imply', and an "
     "edge 's -> t'"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard f @implies n < 3; };\n"
     "}",
     "expected ';' after this part of the edge, found 'implies': implication is written 'imply'"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard n @<> 3; };\n"
     "}",
     "unexpected '<>': inequality is written '!='"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard @n = 3; };\n"
     "}",
     "nothing may be changed here: equality is written '=='"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard f @/\\ n < 3; };\n"
     "}",
     "unexpected '/\\': 'and' is written '&&'"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard @x != 3; };\n"
     "}",
     "\"x != 3\" makes no convex constraint: clocks can be compared in conjunctions only, and not "
     "by '!='"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard n @=== 3; };\n"
     "}",
     "unexpected '===': equality is written '=='"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { assign @n == 1; };\n"
     "}",
     "warning: this comparison does nothing here: assignments are written '='"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { assign n = 1; @f = true; };\n"
     "}",
     "expected 'select', 'guard', 'sync', 'assign' or '}', found 'f': assignments are separated by "
     "','"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { assign @n <- 1; };\n"
     "}",
     "warning: this comparison does nothing here: assignments are written '='"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard n < 3; @-- why\n"
     "; };\n"
     "}",
     "expected 'select', 'guard', 'sync', 'assign' or '}', found '--': a comment begins with '//'"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard n < 3; @# why\n"
     "; };\n"
     "}",
     "expected 'select', 'guard', 'sync', 'assign' or '}', found '#': a comment begins with '//'"},
    {"@boolean g;\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "unknown type 'boolean': the type is written 'bool'"},
    {"@integer g;\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "unknown type 'integer': the type is written 'int' or 'int[0,7]'"},
    {"@byte g;\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "unknown type 'byte': the type is written 'int[0,255]'"},
    {"@float g;\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "unknown type 'float': numbers are integers; a clock has real values"},
    {"int @0..7 g;\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "expected a name, found '0': a range is written 'int[0,7]'"},
    {"int[0@..7] g;\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "expected ',' between the bounds of the range, found '..': a range is written 'int[0,7]'"},
    {"int@(0,7) g;\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "expected a name, found '(': a range is written 'int[0,7]'"},
    {"@channel g;\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "unknown type 'channel': it is written 'chan'"},
    {"@enum {A, B} g;\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "unexpected 'enum': there are no enumerations: write constants, or a range 'typedef int[0,2] "
     "T;'"},
    {"struct S @{ int q; };\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "expected ';' after the declaration, found '{'"},
    {"int[3@] g[];\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "expected ',' between the bounds of the range, found ']': an array is written 'int a[3]'"},
    {"int g@\n"
     "int h;\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "expected ';' after the declaration, found 'int'"},
    {"process @P() {\n"
     "state s;\n"
     "}",
     "the process 'P' has no initial location"},
    {"process P() {\n"
     "state s, t; init s; trans s -> t@;\n"
     "}",
     "expected '{' after the locations of the edge, found ';'"},
    {"process P() {\n"
     "state s, t; init s; trans s @=> t { };\n"
     "}",
     "expected '->' between the locations of the edge, found '=>': implication is written 'imply', "
     "and an edge 's -> t'"},
    {"process P() {\n"
     "state s, t; init s; trans s -> t { } @t -> s { };\n"
     "}",
     "expected ';' or ',' after the edges, found 't'"},
    {"process P() {\n"
     "state s, t; init s; trans s -> t { @effect n = 1; };\n"
     "}",
     "expected 'select', 'guard', 'sync', 'assign' or '}', found 'effect': it is written 'assign'"},
    {"process P() {\n"
     "state s, t; init s; trans s -> t { @update n = 1; };\n"
     "}",
     "expected 'select', 'guard', 'sync', 'assign' or '}', found 'update': it is written 'assign'"},
    {"process P() {\n"
     "state s, t; init s; trans s -> t { guard@: n < 3; };\n"
     "}",
     "expected an expression, found ':'"},
    {"process P() {\n"
     "state s, t; init s; trans s -> t { sync @c; };\n"
     "}",
     "a synchronisation sends ('!') or receives ('?'): others are not supported"},
    {"process P() {\n"
     "state s, t; init s; trans s -> t { sync @!c; };\n"
     "}",
     "expected an expression, found '!'"},
    {"process P() {\n"
     "state s, t; init s; trans s -> t { sync c!@3; };\n"
     "}",
     "expected ';' after this part of the edge, found '3'"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard @nn < 3; };\n"
     "}",
     "unknown name 'nn'; did you mean 'n'?"},
    {"process P() {\n"
     "state idle, busy; init idle; trans idle -> @bsy { };\n"
     "}",
     "there is no location 'bsy'; did you mean 'busy'?"},
    {"process P() {\n"
     "state s { x < 3 }; init s@\n"
     "}",
     "expected ';' after the initial location, found '}'"},
    {"process P() {\n"
     "state s @: x < 3; init s;\n"
     "}",
     "expected ';' after the locations, found ':': an invariant stands in braces, s { x <= 3 }"},
    {"process P() { state s; init s;",
     "4:1: expected a declaration, 'state', 'init', 'trans' or '}', found 'system'"},
    {"void g() {\n"
     "  if (n < 3) n = 1; @elseif (n < 4) n = 2;\n"
     "}\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "unexpected 'elseif': it is written 'else if'"},
    {"void g() {\n"
     "  if (n < 3) n = 1; @elif (n < 4) n = 2;\n"
     "}\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "unexpected 'elif': it is written 'else if'"},
    {"void g() {\n"
     "  if (n < 3) @then n = 1;\n"
     "}\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "unexpected 'then': there is no 'then': if (x) statement"},
    {"void g() {\n"
     "  for (i @in a) n = 1;\n"
     "}\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "expected ';' after the start of the loop, found 'in': it is written 'i : int[0,3]'"},
    {"void g() {\n"
     "  for (@int i = 0; i < 3; i++) n = 1;\n"
     "}\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "a loop variable is declared before the loop, or ranges over a type: for (i : int[0,3])"},
    {"void g() {\n"
     "  @switch (n) { case 1: n = 2; }\n"
     "}\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "unexpected 'switch': there is no 'switch': write 'if' and 'else if'"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard forall @i: int[0,2] a[i] < 3; };\n"
     "}",
     "expected '(' after the quantifier, found 'i'"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard forall (i @in int[0,2]) a[i] < 3; };\n"
     "}",
     "expected ':' after the variable, found 'in': it is written 'i : int[0,3]'"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { assign x = @n + x; };\n"
     "}",
     "a clock cannot be used as a number here"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { assign @reset(x); };\n"
     "}",
     "unknown function 'reset': a clock is reset by 'x = 0'"},
    {"@void g;\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "a variable cannot be 'void'"},
    {"const int s2 = @\"a\";\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "expected an expression, found '\"': there are no strings"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard n @mod 2 == 0; };\n"
     "}",
     "expected ';' after this part of the edge, found 'mod': the remainder is written '%'"},
    {"const int K = 3;\n"
     "process P() { state s, t; init s; trans\n"
     "  s -> t { assign @K = 4; };\n"
     "}",
     "\"K\" cannot be assigned"},
    {"int[0,3] g = @4;\n"
     "process P() {\n"
     "state s; init s;\n"
     "}",
     "the initial value 4 is out of the range 0 .. 3"},
    {"void g() {\n"
     "  while (n < 3) { @break; }\n"
     "}\n"
     "process P() {\n"
     "state s, t; init s; trans s -> t { assign g(); };\n"
     "}",
     "unknown name 'break': there is no 'break'"},
    {"void g() {\n"
     "  @printf(n);\n"
     "}\n"
     "process P() {\n"
     "state s, t; init s; trans s -> t { assign g(); };\n"
     "}",
     "unknown function 'printf': nothing can be printed"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard @True; };\n"
     "}",
     "unknown name 'True': it is written 'true'"},
    {"chan link;\n"
     "process P() {\n"
     "state s, t; init s; trans s -> t { sync @lnik!; };\n"
     "}",
     "unknown name 'lnik'; did you mean 'link'?"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard @a(1) < 3; };\n"
     "}",
     "'a' is no function"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard @Q.u; };\n"
     "}",
     "the process 'Q' is no value"},
    {"void g() {\n"
     "  n = @g;\n"
     "}\n"
     "process P() {\n"
     "state s, t; init s; trans s -> t { assign g(); };\n"
     "}",
     "'g' is no value"},
    {"void g() {\n"
     "  if (n < 3) @then { n = 1; }\n"
     "}\n"
     "process P() {\n"
     "state s, t; init s; trans s -> t { assign g(); };\n"
     "}",
     "unexpected 'then': there is no 'then': if (x) statement"},
    {"process P() { state s, t; init s; trans\n"
     "  s -> t { guard f @=> n < 3; };\n"
     "}",
     "warning: '=>' is an old spelling of '>=': implication is written 'imply'"},
};

static void test_mistakes(void **state) {
  (void)state;
  assert_true(sizeof mistakes / sizeof mistakes[0] >= 40);
  MISTAKES_RUN(clew_uppaal_program, mistakes, HEAD, REST);
}

/* The frame is right: it is the mistakes that the messages are about. */
static void test_frame(void **state) {
  (void)state;
  model_expect(clew_uppaal_program, HEAD "process P() { state s; init s; }" REST, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mistakes), cmocka_unit_test(test_frame)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
