/* What people type who know TLA+, Promela, C or another language of clew, and what Murphi models
 * say about it: one message, at the right place, with the right spelling. */
#include "lang/murphi/murphi.h"
#include "unit/model_mistakes.h"

#define HEAD                                                                                       \
  "type T: enum {Idle, Busy}; P: 0..3;\n"                                                          \
  "var x: 0..7; b: boolean; s: T; a: array [P] of 0..7; r: record f: 0..3; end;\n"                 \
  ""
#define REST                                                                                       \
  "\n"                                                                                             \
  "startstate begin x := 0; end;\n"                                                                \
  "rule \"ok\" true ==> begin x := 1; end;\n"                                                      \
  ""

static const struct model_sample mistakes[] = {
    {"invariant \"i\" b @=> x < 3;", "unexpected '=>': implication is written '->'"},
    {"rule \"r\"\n"
     "  b @and x < 3\n"
     "==> begin x := 1; end;",
     "expected '==>' after the guard, found 'and': 'and' is written '&'"},
    {"rule \"r\"\n"
     "  b @or x < 3\n"
     "==> begin x := 1; end;",
     "expected '==>' after the guard, found 'or': 'or' is written '|'"},
    {"rule \"r\"\n"
     "  @not b\n"
     "==> begin x := 1; end;",
     "unexpected 'not': 'not' is written '!'"},
    {"rule \"r\"\n"
     "  x @<> 3\n"
     "==> begin x := 1; end;",
     "unexpected '<>': inequality is written '!='"},
    {"rule \"r\"\n"
     "  x @/= 3\n"
     "==> begin x := 1; end;",
     "unexpected '/=': inequality is written '!='"},
    {"rule \"r\"\n"
     "  x @# 3\n"
     "==> begin x := 1; end;",
     "unexpected '#': inequality is written '!=', and a comment begins with '--'"},
    {"rule \"r\"\n"
     "  x @~= 3\n"
     "==> begin x := 1; end;",
     "expected '==>' after the guard, found '~=': inequality is written '!='"},
    {"rule \"r\"\n"
     "  b @/\\ x < 3\n"
     "==> begin x := 1; end;",
     "unexpected '/\\': 'and' is written '&'"},
    {"rule \"r\"\n"
     "  b @\\/ x < 3\n"
     "==> begin x := 1; end;",
     "unexpected '\\/': 'or' is written '|'"},
    {"rule \"r\"\n"
     "  x @\\in P\n"
     "==> begin x := 1; end;",
     "unexpected '\\in': a variable has a type, and 'forall x: T do ... end' ranges over one"},
    {"rule \"r\"\n"
     "  b @&&& x < 3\n"
     "==> begin x := 1; end;",
     "unexpected '&&&': 'and' is written '&'"},
    {"rule \"r\"\n"
     "  x @=== 3\n"
     "==> begin x := 1; end;",
     "unexpected '===': equality is written '='"},
    {"rule \"r\"\n"
     "  x @=< 3\n"
     "==> begin x := 1; end;",
     "unexpected '=<': 'at most' is written '<='"},
    {"rule \"r\" true ==> begin\n"
     "  x@' := 3;\n"
     "end;",
     "unexpected ''': there are no primed variables: a rule assigns by ':='; strings stand between "
     "'\"'"},
    {"rule \"r\" true ==> begin\n"
     "  x := 3; @// comment\n"
     "end;",
     "expected a statement, found '//': a comment begins with '--'"},
    {"rule \"r\" true ==> begin\n"
     "  x := 3; @# comment\n"
     "end;",
     "unexpected '#': inequality is written '!=', and a comment begins with '--'"},
    {"rule \"r\" true ==> begin\n"
     "  x@++;\n"
     "end;",
     "expected ':=' after the variable, found '++': increments are written x := x + 1"},
    {"rule \"r\" true ==> begin\n"
     "  @++x;\n"
     "end;",
     "expected a statement, found '++': increments are written x := x + 1"},
    {"rule \"r\" true ==> begin\n"
     "  x @+= 1;\n"
     "end;",
     "expected ':=' after the variable, found '+=': it is written x := x + 1"},
    {"rule \"r\" true ==> begin\n"
     "  x @= 1;\n"
     "end;",
     "expected ':=', found '=': assignments are written ':='"},
    {"rule \"r\" true ==> begin\n"
     "  x @== 1;\n"
     "end;",
     "expected ':=', found '==': assignments are written ':='"},
    {"rule \"r\" true ==> begin\n"
     "  x @<- 1;\n"
     "end;",
     "expected ':=' after the variable, found '<-': assignments are written ':='"},
    {"rule \"r\" x < 3 ==> @{ x := 1; }",
     "expected 'begin', found '{': there are no braces, a body ends with 'end'"},
    {"rule \"r\" true ==> begin\n"
     "  if (x < 3) @{ x := 1; }\n"
     "end;",
     "expected 'then' after the condition, found '{': there are no braces, a body ends with 'end'"},
    {"rule \"r\" true ==> begin\n"
     "  if x < 3 @x := 1; end;\n"
     "end;",
     "expected 'then' after the condition, found 'x'"},
    {"rule \"r\" true ==> begin\n"
     "  if b then x := 1; @elseif x < 3 then x := 2; end;\n"
     "end;",
     "unexpected 'elseif': it is written 'elsif'"},
    {"rule \"r\" true ==> begin\n"
     "  if b then x := 1; else if x < 3 then x := 2; end;\n"
     "end;",
     "6:1: expected 'end' or 'endrule' to close the 'rule' of line 3, found 'startstate': the "
     "'else if' of line 4 needs an 'end' of its own, 'elsif' does not"},
    {"rule \"r\" true ==> begin\n"
     "  if b then x := 1; @elif x < 3 then x := 2; end;\n"
     "end;",
     "unexpected 'elif': it is written 'elsif'"},
    {"rule \"r\" b ==> begin if b then x := 1; end;",
     "4:1: expected 'end' or 'endrule' to close the 'rule' of line 3, found 'startstate'"},
    {"var c: @bool;", "unknown name 'bool': the type is written 'boolean'"},
    {"var c: @int;", "unknown name 'int': integers have a range, such as 0..7"},
    {"var c: @integer;", "unknown name 'integer': integers have a range, such as 0..7"},
    {"@int c;", "unexpected 'int': integers have a range, such as 0..7"},
    {"var c: @[0..3];",
     "expected a type, found '[': a range is written 0..3, and an array 'array [0..3] of boolean'"},
    {"var c: 0@...3;", "unexpected '...': a range is written '0..3'"},
    {"var c: array @0..3 of boolean;", "expected '[' after 'array', found '0'"},
    {"var c: boolean@[4];", "expected ';' after the declaration, found '[': an array is written "
                            "'array [0..3] of boolean'"},
    {"type Q: enum @(A, B);", "expected '{' after 'enum', found '('"},
    {"type Q: @{A, B};", "expected a type, found '{': an enumeration is written 'enum {A, B}'"},
    {"type Q @= 0..3;", "expected ':' before the type, found '='"},
    {"const N @= 3;", "expected ':' before the value, found '='"},
    {"rule \"r\" true ==> begin\n"
     "  s := @Bsuy;\n"
     "end;",
     "unknown name 'Bsuy'; did you mean 'Busy'?"},
    {"rule \"r\" true ==> begin\n"
     "  r.@g := 1;\n"
     "end;",
     "this record has no field 'g'"},
    {"rule \"r\" true ==> begin\n"
     "  for @(i = 0; i < 3; i++) { }\n"
     "end;",
     "expected the name of a variable, found '(': a variable and its type stand without "
     "parentheses, p: T do ... end"},
    {"invariant \"i\" forall @(p: P) a[p] < 3;",
     "expected the name of a variable, found '(': a variable and its type stand without "
     "parentheses, p: T do ... end"},
    {"rule \"r\" x < 3 @-> begin x := 1; end;", "expected '==>' after the guard, found '->'"},
    {"rule \"r\" x < 3 @=> begin x := 1; end;", "expected '==>' after the guard, found '=>'"},
    {"rule \"r\" x < 3 @begin x := 1; end;", "expected '==>' after the guard, found 'begin'"},
    {"rule \"r\" true ==> begin\n"
     "  x := 1@\n"
     "  b := true;\n"
     "end;",
     "expected ';' between statements, found 'b'"},
    {"rule @'r' true ==> begin end;", "unexpected ''': there are no primed variables: a rule "
                                      "assigns by ':='; strings stand between '\"'"},
    {"rule \"r\" true ==> begin\n"
     "  b := @1;\n"
     "end;",
     "\"b\" is of type boolean and cannot take a value of type integer"},
    {"rule \"r\"\n"
     "  x @mod 2 = 0\n"
     "==> begin x := 1; end;",
     "expected '==>' after the guard, found 'mod': the remainder is written '%'"},
    {"rule \"r\" true ==> begin\n"
     "  switch x case 1: x := 2; @default: x := 3; end;\n"
     "end;",
     "unexpected 'default': the last part of a switch is written 'else'"},
    {"rule \"r\" true ==> begin\n"
     "  while x < 3 @{ x := x + 1; }\n"
     "end;",
     "expected 'do' before the body, found '{': there are no braces, a body ends with 'end'"},
    {"function f(k: P) @boolean; begin return true; end;",
     "expected ':' before the type of the result, found 'boolean': it is written 'function f(): "
     "boolean;'"},
    {"@void f(k: P) begin end;", "unexpected 'void': what returns nothing is written 'procedure'"},
    {"rule \"r\" true ==> begin\n"
     "  @goto l;\n"
     "end;",
     "unexpected 'goto': there is no 'goto'"},
    {"rule \"r\" true ==> begin\n"
     "  @skip;\n"
     "end;",
     "unexpected 'skip': there is no 'skip': a body may be empty"},
    {"rule \"r\" true ==> begin\n"
     "  x := @null;\n"
     "end;",
     "unknown name 'null': a variable without a value is 'undefined'"},
    {"@init begin x := 0; end;", "unexpected 'init': initial states are written 'startstate'"},
    {"@property \"p\" x < 3;",
     "unexpected 'property': it is written 'invariant \"name\" expression;' or 'liveness'"},
    {"@process p begin end;",
     "unexpected 'process': processes are rules: ruleset p: 0..1 do rule ... end; end;"},
    {"invariant \"i\" @[] (x < 8);",
     "expected an expression, found '[': there is no '[]', an invariant holds in every state"},
    {"liveness \"i\" @<> (x = 7);",
     "expected an expression, found '<>': inequality is written '!='"},
    {"rule \"r\" true ==> begin\n"
     "  x := @if b then 1 else 2;\n"
     "end;",
     "expected an expression, found 'if': a choice of values is written 'c ? x : y'"},
    {"invariant \"i\" 0 <= x @<= 7;", "comparisons do not chain: use parentheses"},
    {"rule \"r\"\n"
     "  x @:= 3\n"
     "==> begin x := 1; end;",
     "expected '==>' after the guard, found ':=': equality is written '='"},
};

static void test_mistakes(void **state) {
  (void)state;
  assert_true(sizeof mistakes / sizeof mistakes[0] >= 40);
  MISTAKES_RUN(clew_murphi_program, mistakes, HEAD, REST);
}

/* The frame is right: it is the mistakes that the messages are about. */
static void test_frame(void **state) {
  (void)state;
  model_expect(clew_murphi_program, HEAD REST, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mistakes), cmocka_unit_test(test_frame)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
