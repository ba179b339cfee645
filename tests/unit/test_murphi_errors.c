/* What is wrong with a Murphi model is said once, in these words, at this place: a table for every
 * kind of mistake, with the exact messages and positions. Samples are put into a frame that is
 * otherwise correct; theirs is line 2 (in the table of whole models, line 1). */
#include "lang/murphi/murphi.h"
#include "unit/model_errors.h"

static clew_front_translate *const translate = clew_murphi_program;

/* Declarations that samples may use. */
#define HEAD                                                                                       \
  "var x: 0..7; b: boolean; r: record f, flag: boolean; end; a: array [0..3] of 0..7; "            \
  "bag: multiset [2] of 0..7; type E: enum {A, B}; F: enum {C, D}; U: union {E, F}; var e: E; "    \
  "function f(k: 0..7): boolean; begin return true; end; "                                         \
  "procedure p(k: 0..3; var v: 0..7); begin v := k; end; "
#define REST "startstate begin x := 0; end; rule \"ok\" true ==> begin x := 1; end;"

static const struct model_sample whole_samples[] = {
    {"", "empty model: no rules or start states"},
    {" -- nothing but a comment\n", "empty model: no rules or start states"},
    {"var x: boolean;", "empty model: no rules or start states"},
    {"rule true ==> begin end;", "the model has no start state"},
    {"startstate begin end;", "warning: the model has no rules: nothing follows its start states"},
    {"hello world", "1:1: expected a declaration, rule or property, found 'hello'"},
    {"end;", "1:1: expected a declaration, rule or property, found 'end'"},
    {"%PDF-1.4", "1:1: expected a declaration, rule or property, found '%'"},
    {"{\"json\": 1}", "1:1: expected a declaration, rule or property, found '{'"},
    {"\x7f"
     "ELF",
     "1:1: not a Murphi model: unexpected byte 0x7f"},
    {"rule \"no end\" true ==> begin",
     "1:29: expected 'end' or 'endrule' to close the 'rule' of line 1, found the end of the file"},
    {"rule \"no end\" true ==> begin if true then",
     "1:42: expected 'end' or 'endif' to close the 'if' of line 1, found the end of the file"},
    {"/* no end", "1:1: this comment is never closed: expected '*/' before the end of the file"},
    {"rule \"open\ntrue ==> begin end; startstate begin end;",
     "1:6: this string is not closed on its line"},
};

static const struct model_sample top_samples[] = {
    {"const n = 3;", "2:9: expected ':' before the value, found '='"},
    {"const n: ;", "2:10: expected an expression, found ';'"},
    {"const 3: n;", "2:7: expected a declaration, rule or property, found '3'"},
    {"const n: 3..4;", "2:11: expected ';' after the declaration, found '..'"},
    {"const n: nope;", "2:10: unknown name 'nope'"},
    {"const n: x;", "2:10: a constant must be known before execution, but \"x\" is not"},
    {"const n: 1 / 0;", "2:10: division by zero in a constant expression"},
    {"const n: 1 % (2 - 2);", "2:10: division by zero in a constant expression"},
    {"const n: 9223372036854775807 + 1;", "2:10: arithmetic overflow in a constant expression"},
    {"const n: 3 * 9223372036854775807;", "2:10: arithmetic overflow in a constant expression"},
    {"const n: 1 << 63;", "2:10: arithmetic overflow in a constant expression"},
    {"const n: 1 >> -63;", "2:10: arithmetic overflow in a constant expression"},
    {"const n: undefined;", "2:10: 'undefined' can only be assigned or passed as an argument"},
    {"const n: 3; n: 4;", "2:13: 'n' is already declared, in line 2"},
    {"const n: 99999999999999999999;",
     "2:10: this number is too large: the greatest is 9223372036854775807"},
    {"const n: 3 + true;", "2:14: expected an integer, but \"true\" is of type boolean"},
    {"const n: forall i: 0..1 do true end;",
     "2:10: a constant must be known before execution, but \"forall i: 0..1 do true end\" is not"},
    {"type t: ;", "2:9: expected a type, found ';'"},
    {"type t 0..3;", "2:8: expected ':' before the type, found '0'"},
    {"type t: 3;", "2:10: expected '..' between the bounds of a range, found ';'"},
    {"type t: 3..1;", "2:9: the range 3..1 is empty"},
    {"type t: 0..x;",
     "2:12: the upper bound of a range must be known before execution, but \"x\" is not"},
    {"type t: false..true;", "2:9: expected a type, found 'false'"},
    {"type t: A..B;", "2:9: expected an integer, but \"A\" is of type E\n"
                      "2:12: expected an integer, but \"B\" is of type E"},
    {"type t: nope;", "2:9: unknown name 'nope'"},
    {"type t: x;", "2:9: 'x' is a variable, not a type"},
    {"type t: real(3, 2);", "2:9: the type 'real' is not supported"},
    {"type t: enum {};", "2:15: expected the name of a value, found '}'"},
    {"type t: enum {q q2};", "2:17: expected '}' or ',' after a value, found 'q2'"},
    {"type t: enum {q, q};", "2:18: 'q' is already declared, in line 2"},
    {"type t: enum {A};", "2:15: 'A' is already declared, in line 1"},
    {"type t: scalarset 3;", "2:19: expected '(' after 'scalarset', found '3'"},
    {"type t: scalarset(0);", "2:19: the size of a scalarset must be in 1..2147483648, not 0"},
    {"type t: scalarset(x);",
     "2:19: the size of a scalarset must be known before execution, but \"x\" is not"},
    {"type t: scalarset(4294967296);",
     "2:19: the size of a scalarset must be in 1..2147483648, not 4294967296"},
    {"type t: union {E, boolean};",
     "2:19: a union can contain enumerations, scalarsets and unions, but not boolean"},
    {"type t: union {E, 0..3};",
     "2:19: a union can contain enumerations, scalarsets and unions, but not 0..3"},
    {"type t: union {E;", "2:17: expected '}' or ',' after a member type, found ';'"},
    {"type t: array 3 of boolean;", "2:15: expected '[' after 'array', found '3'"},
    {"type t: array [0..3 of boolean;", "2:21: expected ']' after the index type, found 'of'"},
    {"type t: array [0..3] boolean;",
     "2:22: expected 'of' before the element type, found 'boolean'"},
    {"type t: array [r] of boolean;", "2:16: 'r' is a variable, not a type"},
    {"type t: array [array [0..1] of boolean] of boolean;",
     "2:16: an array is indexed by a range, enumeration, scalarset, union or boolean, not array "
     "[0..1] of boolean"},
    {"type t: array [0..1000000000] of boolean;",
     "2:9: this type is too large: a variable can have at most 1048576 simple parts"},
    {"type t: array [0..2000] of array [0..2000] of boolean;",
     "2:9: this type is too large: a variable can have at most 1048576 simple parts"},
    {"type t: multiset [0] of boolean;",
     "2:19: the capacity of a multiset must be in 1..2147483648, not 0"},
    {"type t: multiset [1000000000] of boolean;",
     "2:9: this type is too large: a variable can have at most 1048576 simple parts"},
    {"type t: multiset 3 of boolean;", "2:18: expected ';' after the declaration, found '3'"},
    {"type t: record k: boolean k2 boolean; end;",
     "2:30: expected ':' before the type, found 'boolean'"},
    {"type t: record k: boolean; k: 0..3; end;", "2:28: this record already has a field 'k'"},
    {"type t: record k: boolean; ", "3:1: expected the name of a field, found 'startstate'"},
    {"type Proc: 0..3; u: Prco;", "2:21: unknown name 'Prco'; did you mean 'Proc'?"},
    {"var x: boolean;", "2:5: 'x' is already declared, in line 1"},
    {"var y 0..3;", "2:7: expected ':' before the type, found '0'"},
    {"var y, 3: 0..3;", "2:8: expected the name of a variable, found '3'"},
    {"var y: 0..3 z 0..3;", "2:15: expected ':' before the type, found '0'"},
    {"var y: 0..3 + ;", "2:15: expected an expression, found ';'"},
    {"externfun g(): boolean \"g.h\";",
     "2:1: external functions (C++ of CMurphi's generated checker) are not supported"},
    {"externproc g();",
     "2:1: external functions (C++ of CMurphi's generated checker) are not supported"},
    {"x := 3;", "2:1: expected a declaration, rule or property, found 'x'"},
    {"procedure q(k) begin end;", "2:14: expected ':' before the type, found ')'"},
    {"procedure q(k: 0..3, l: 0..3); begin end;",
     "2:20: expected ')' or ';' after a parameter, found ','"},
    {"procedure q(k: 0..3; k: 0..3); begin end;", "2:22: 'k' is already declared, in line 2"},
    {"procedure q(k: nope); begin end;", "2:16: unknown name 'nope'"},
    {"procedure (); begin end;", "2:11: expected the name of a procedure, found '('"},
    {"function g(k: 0..3): ; begin end;", "2:22: expected a type, found ';'"},
    {"function g(): multiset [2] of boolean; begin end;",
     "2:15: a function cannot return a multiset"},
    {"procedure f(); begin end;", "2:11: 'f' is already declared, in line 1"},
    {"procedure q(); begin x := 1;", "3:1: expected 'end' or 'endprocedure' to close the "
                                     "'procedure' of line 2, found 'startstate'"},
    {"procedure q(var k: 0..7; 3); begin end;",
     "2:26: expected the name of a parameter, found '3'"},
    {"ruleset i: 0..3 do x := 1; end;", "2:20: expected a rule or property, found 'x'"},
    {"ruleset i: 0..3 rule true ==> begin end; end;",
     "2:17: expected 'do' before the rules, found 'rule'"},
    {"ruleset i: x..3 do rule end; end;",
     "2:12: the lower bound of a range must be known before execution, but \"x\" is not"},
    {"ruleset i := 0 to x do rule end; end;",
     "2:19: the bounds of a ruleset must be known before execution, but \"x\" is not"},
    {"ruleset i := 3 to 1 do rule end; end;", "2:14: there is no value from 3 to 1 by 1"},
    {"ruleset i := 0 to 3 by 0 do rule end; end;", "2:24: the step must not be 0"},
    {"ruleset i := 0 to 3 by x do rule end; end;",
     "2:24: the bounds of a ruleset must be known before execution, but \"x\" is not"},
    {"ruleset i := 0 to 4294967296 do rule end; end;",
     "2:14: the range 0..4294967296 is too wide: the limit is 2147483648 values"},
    {"ruleset i: r do rule end; end;", "2:12: 'r' is a variable, not a type"},
    {"ruleset i: 0..1000000000; j: 0..1000000000 do rule end; end;",
     "rules have 1000000002000000002 instances; the limit is 16777216"},
    {"choose i: x do rule end; end;", "2:11: \"x\" is not a multiset"},
    {"choose i: bag do startstate end; end;", "2:18: a start state cannot be inside 'choose'"},
    {"choose i: bag do liveness b; end;", "2:18: a liveness property cannot be inside 'choose'"},
    {"ruleset i: 0..99; j: 0..99 do liveness b; end;",
     "2:31: too many instances of a liveness property: the limit is 4096 values of its parameters"},
    {"rule 5000000000 \"t\" true ==> begin end;", "2:6: the priority 5000000000 is out of range"},
    {"rule x \"t\" true ==> begin end;",
     "2:6: a priority must be known before execution, but \"x\" is not"},
    {"invariant x;", "2:11: a property must be a boolean, not of type 0..7"},
    {"invariant \"name\" b b;", "2:20: expected a declaration, rule or property, found 'b'"},
    {"liveness ;", "2:10: expected an expression, found ';'"},
    {"assume 3;", "2:8: a property must be a boolean, not of type integer"},
    {"rule \"t\" true ==> var l: 0..3; l: boolean; begin end;",
     "2:32: 'l' is already declared, in line 2"},
    {"ruleset i: 0..3 do end", ""},
};

static const struct model_sample expr_samples[] = {
    {"b =", "3:1: expected an expression, found '==>'"},
    {"(b", "3:1: expected ')' to match '(', found '==>'"},
    {"b)", "2:2: expected '==>' after the guard, found ')'"},
    {"b -> b -> b", "2:8: '->' does not associate: use parentheses"},
    {"x = 1 = b", "2:7: comparisons do not chain: use parentheses"},
    {"x < 1 < 2", "2:7: comparisons do not chain: use parentheses"},
    {"b ? b : b ? b : b", "2:11: '?:' does not associate: use parentheses"},
    {"b ? b", "3:1: expected ':' between the two values of '?:', found '==>'"},
    {"forall i: 0..3 b end", "2:16: expected 'do' before the body, found 'b'"},
    {"forall i: 0..3 do b",
     "3:1: expected 'end' or 'endforall' to close the 'forall' of line 2, found '==>'"},
    {"forall i: do b end", "2:11: expected a type, found 'do'"},
    {"forall i := 0 do b end", "2:15: expected 'to' after the first value, found 'do'"},
    {"exists 3 do b end", "2:8: expected the name of a variable, found '3'"},
    {"f(x", "3:1: expected ')' or ',' after an argument, found '==>'"},
    {"f(,x)", "2:3: expected an expression, found ','"},
    {"f(x,,)", "2:5: expected an expression, found ','"},
    {"a[x", "3:1: expected ']' after the index, found '==>'"},
    {"a[]", "2:3: expected an expression, found ']'"},
    {"r.", "3:1: expected the name of a field, found '==>'"},
    {"r.3", "2:3: expected the name of a field, found '3'"},
    {"ismember(e E)", "2:12: expected ',' before the type, found 'E'"},
    {"isundefined x", "2:13: expected '(' before the arguments, found 'x'"},
    {"multisetcount(i, true)", "2:16: expected ':' after the variable, found ','"},
    {"3 + ", "3:1: expected an expression, found '==>'"},
    {"rule", "2:1: expected 'end' or 'endrule' to close the 'rule' of line 1, found 'rule'\n"
             "3:1: expected an expression, found '==>'"},
    {"!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"
     "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"
     "!!!!!!!!!!!!!!!b",
     "2:199: nested too deeply: the limit is 200"},
    {"y = 1", "2:1: unknown name 'y'"},
    {"y = 1 & y = 2 & z = 3", "2:1: unknown name 'y'\n"
                              "2:17: unknown name 'z'"},
    {"x", "2:1: the guard must be a boolean, not of type 0..7"},
    {"e", "2:1: the guard must be a boolean, not of type E"},
    {"!x", "2:2: expected a boolean, but \"x\" is of type 0..7"},
    {"x & b", "2:1: expected a boolean, but \"x\" is of type 0..7"},
    {"b | x", "2:5: expected a boolean, but \"x\" is of type 0..7"},
    {"x -> b", "2:1: expected a boolean, but \"x\" is of type 0..7"},
    {"b && x", "2:6: expected a boolean, but \"x\" is of type 0..7"},
    {"b + 1 = 2", "2:1: expected an integer, but \"b\" is of type boolean"},
    {"-b = 1", "2:2: expected an integer, but \"b\" is of type boolean"},
    {"b < b", "2:1: expected an integer, but \"b\" is of type boolean\n"
              "2:5: expected an integer, but \"b\" is of type boolean"},
    {"e < A", "2:1: expected an integer, but \"e\" is of type E\n"
              "2:5: expected an integer, but \"A\" is of type E"},
    {"x = b", "2:1: cannot compare a value of type 0..7 with one of type boolean"},
    {"e = C", "2:1: cannot compare a value of type E with one of type F"},
    {"e = 1", "2:1: cannot compare a value of type E with one of type integer"},
    {"r = a",
     "2:1: cannot compare a value of type record {f, ...} with one of type array [0..3] of 0..7"},
    {"~b = 1", "2:2: expected an integer, but \"b\" is of type boolean"},
    {"b ^ b", "2:1: expected an integer, but \"b\" is of type boolean\n"
              "2:5: expected an integer, but \"b\" is of type boolean"},
    {"(x ? b : b)", "2:2: the condition of '?:' must be a boolean, not of type 0..7"},
    {"(b ? nope : a) = a", "2:6: unknown name 'nope'"},
    {"(b ? a : nope) = a", "2:10: unknown name 'nope'"},
    {"(b ? x : b) = 1", "2:1: the values of '?:' must be of the same type, not 0..7 and boolean"},
    {"(b ? r : a) = r", "2:1: the values of '?:' must be of the same type, not record {f, ...} and "
                        "array [0..3] of 0..7"},
    {"undefined = x", "2:1: 'undefined' can only be assigned or passed as an argument"},
    {"x.f", "2:3: \"x\" is not a record: it has no field 'f'"},
    {"r.flga", "2:3: this record has no field 'flga'; did you mean 'flag'?"},
    {"r.q", "2:3: this record has no field 'q'"},
    {"x[1] = 1", "2:1: \"x\" is not an array or multiset"},
    {"a[b] = 1", "2:3: \"a\" is indexed by 0..3, not by boolean"},
    {"a[A] = 1", "2:3: \"a\" is indexed by 0..3, not by E"},
    {"E = e", "2:1: 'E' is a type, not a value"},
    {"f", "2:1: 'f' is a function: a call is written 'f(...)'"},
    {"p(x, x)", "2:1: 'p' is a procedure: it has no value"},
    {"f()", "2:1: 'f' takes 1 argument, not 0"},
    {"f(x, x)", "2:1: 'f' takes 1 argument, not 2"},
    {"f(b)", "2:3: parameter 'k' is of type 0..7 and cannot take a value of type boolean"},
    {"f(nope)", "2:3: unknown name 'nope'"},
    {"x()", "2:1: 'x' is a variable and cannot be called"},
    {"E()", "2:1: 'E' is a type and cannot be called"},
    {"bag = bag", "2:1: multisets cannot be compared"},
    {"bag[1] = 1", "2:5: an element of a multiset is selected by a variable of 'choose' or "
                   "'multisetcount' over it"},
    {"bag[x] = 1", "2:5: an element of a multiset is selected by a variable of 'choose' or "
                   "'multisetcount' over it"},
    {"multisetcount(i: x, true) = 1", "2:18: \"x\" is not a multiset"},
    {"multisetcount(i: bag, x) = 1",
     "2:23: the condition of 'multisetcount' must be a boolean, not of type 0..7"},
    {"isundefined(3)", "2:13: 'isundefined' needs a simple variable, not \"3\""},
    {"isundefined(x + 1)", "2:13: 'isundefined' needs a simple variable, not \"x + 1\""},
    {"isundefined(r)", "2:13: 'isundefined' needs a simple variable, not \"r\""},
    {"ismember(b, 0..3)", "2:1: 'ismember' cannot look for a value of type boolean in 0..3"},
    {"ismember(x, E)", "2:1: 'ismember' cannot look for a value of type 0..7 in E"},
    {"ismember(r, E)", "2:1: 'ismember' cannot look for a value of type record {f, ...} in E"},
    {"ismember(e, nope)", "2:13: unknown name 'nope'"},
    {"forall i: 0..3 do x end", "2:19: the body of 'forall' must be a boolean, not of type 0..7"},
    {"forall i: r do b end", "2:11: 'r' is a variable, not a type"},
    {"exists i := b to 3 do b end", "2:13: expected an integer, but \"b\" is of type boolean"},
    {"forall i := 0 to 3 by b do b end", "2:23: expected an integer, but \"b\" is of type boolean"},
    {"forall i := 0 to 3 by 0 do b end", "2:23: the step must not be 0"},
    {"forall i: 0..3 do i end = b",
     "2:19: the body of 'forall' must be a boolean, not of type 0..3"},
};

static const struct model_sample stmt_samples[] = {
    {"x = 1;", "2:3: expected ':=', found '=': assignments are written ':='"},
    {"x := ;", "2:6: expected an expression, found ';'"},
    {"x := 1 x := 2;", "2:8: expected ';' between statements, found 'x'"},
    {"x", "3:1: expected ':=' after the variable, found 'end'"},
    {"3 := x;", "2:1: expected a statement, found '3'"},
    {"if b x := 1; end;", "2:6: expected 'then' after the condition, found 'x'"},
    {"if then x := 1; end;", "2:4: expected an expression, found 'then'"},
    {"if b then x := 1; endfor;",
     "2:19: expected 'end' or 'endif' to close the 'if' of line 2, found 'endfor'"},
    {"for i: 0..3 x := i; end;", "2:13: expected 'do' before the body, found 'x'"},
    {"for i = 0 to 3 do x := i; end;", "2:7: expected ':' or ':=' after the variable, found '='"},
    {"for i: 0..3 do x := i;",
     "3:5: expected 'end' or 'endrule' to close the 'rule' of line 1, found the end of the file"},
    {"while b x := 1; end;", "2:9: expected 'do' before the body, found 'x'"},
    {"switch x case 1 x := 2; end;", "2:17: expected ':' after the values of the case, found 'x'"},
    {"switch x case , : x := 2; end;", "2:15: expected an expression, found ','"},
    {"switch x case : x := 2; case 1,: x := 3; end;", ""},
    {"error;", "2:6: expected a string after 'error', found ';'"},
    {"error x;", "2:7: expected a string after 'error', found 'x'"},
    {"assert;", "2:7: expected an expression, found ';'"},
    {"alias q x do x := 1; end;", "2:9: expected ':' after the name of the alias, found 'x'"},
    {"alias q: x x := 1; end;", "2:12: expected 'do' before the body, found 'x'"},
    {"multisetadd x, bag;", "2:13: expected '(' before the arguments, found 'x'"},
    {"multisetadd(x bag);", "2:15: expected ',' before the multiset, found 'bag'"},
    {"multisetremovepred(bag, true);", "2:23: expected ':' after the variable, found ','"},
    {"clear 3;", "2:7: expected a name, found '3'"},
    {"put;", "2:4: expected an expression, found ';'"},
    {"begin x := 1; end;", "2:1: expected a statement, found 'begin'"},
    {"else x := 1;",
     "2:1: expected 'end' or 'endrule' to close the 'rule' of line 1, found 'else'"},
    {"y := 1;", "2:1: unknown name 'y'"},
    {"x := b;", "2:6: \"x\" is of type 0..7 and cannot take a value of type boolean"},
    {"x := r;", "2:6: \"x\" is of type 0..7 and cannot take a value of type record {f, ...}"},
    {"r := a;",
     "2:6: \"r\" is of type record {f, ...} and cannot take a value of type array [0..3] of 0..7"},
    {"e := C;", "2:6: \"e\" is of type E and cannot take a value of type F"},
    {"e := 1;", "2:6: \"e\" is of type E and cannot take a value of type integer"},
    {"b := 1;", "2:6: \"b\" is of type boolean and cannot take a value of type integer"},
    {"x := f;", "2:6: 'f' is a function: a call is written 'f(...)'"},
    {"A := B;", "2:1: what is assigned to must be a variable, which \"A\" is not"},
    {"f(1) := true;", "2:1: what is assigned to must be a variable, which \"f(1)\" is not"},
    {"x + 1 := 2;", "2:3: expected ':=' after the variable, found '+'"},
    {"for i: 0..3 do i := 1; end;", "2:16: the bound variable 'i' cannot be changed"},
    {"alias q: x + 1 do q := 1; end;",
     "2:19: what is assigned to must be a variable, which \"q\" is not"},
    {"clear A;", "2:7: what is cleared must be a variable, which \"A\" is not"},
    {"undefine nope;", "2:10: unknown name 'nope'"},
    {"if x then end;", "2:4: the condition must be a boolean, not of type 0..7"},
    {"while x do end;", "2:7: the condition of 'while' must be a boolean, not of type 0..7"},
    {"switch r case 1: end;", "2:8: the value of a 'switch' must be simple, not record {f, ...}"},
    {"switch x case true: end;", "2:15: the value of the 'switch' is of type 0..7, not boolean"},
    {"switch e case C: end;", "2:15: the value of the 'switch' is of type E, not F"},
    {"return 1;", "2:8: only a function can return a value"},
    {"assert x;", "2:8: the condition of 'assert' must be a boolean, not of type 0..7"},
    {"assume e;", "2:8: the condition of 'assume' must be a boolean, not of type E"},
    {"cover 3;", "2:7: the condition of 'cover' must be a boolean, not of type integer"},
    {"p(1);", "2:1: 'p' takes 2 arguments, not 1"},
    {"p(1, 2);",
     "2:6: the argument of the var parameter 'v' must be a variable, which \"2\" is not"},
    {"p(b, x);", "2:3: parameter 'k' is of type 0..3 and cannot take a value of type boolean"},
    {"p(1, x, 3);", "2:1: 'p' takes 2 arguments, not 3"},
    {"p(1, b);", "2:6: the var parameter 'v' needs a variable of type 0..7, not boolean"},
    {"p(1, a);",
     "2:6: the var parameter 'v' needs a variable of type 0..7, not array [0..3] of 0..7"},
    {"x();", "2:1: 'x' is a variable and cannot be called"},
    {"f(3).g := 1;", "2:6: \"f(3)\" is not a record: it has no field 'g'"},
    {"multisetadd(true, bag);",
     "2:13: an element of \"bag\" is of type 0..7 and cannot take a value of type boolean"},
    {"multisetadd(1, x);", "2:16: \"x\" is not a multiset"},
    {"multisetremove(1, bag);", "2:16: 'multisetremove' needs a variable of 'choose' over \"bag\""},
    {"multisetremove(1, x);", "2:19: \"x\" is not a multiset"},
    {"multisetremovepred(i: bag, x);",
     "2:28: the condition of 'multisetremovepred' must be a boolean, not of type 0..7"},
    {"multisetremovepred(i: x, true);", "2:23: \"x\" is not a multiset"},
    {"alias q: b ? r : r do end;", "2:10: an alias cannot stand for one of two arrays or records"},
    {"for i: 0..3; i: 0..3 do end;", "2:14: 'i' is already declared, in line 2"},
    {"put nope;", "2:5: unknown name 'nope'"},
};

static const struct model_sample function_samples[] = {
    {"function g(): 0..3; begin return; end;",
     "2:27: the function 'g' must return a value of type 0..3"},
    {"function g(): 0..3; begin return b; end;",
     "2:34: the function 'g' returns a value of type 0..3, not boolean"},
    {"procedure q(); begin return 1; end;", "2:29: only a function can return a value"},
    {"procedure q(k: 0..7); begin k := 1; end;",
     "2:29: the value parameter 'k' cannot be changed: declare it 'var', or copy it to a local "
     "variable"},
    {"procedure q(k: 0..7); begin p(1, k); end;",
     "2:34: the value parameter 'k' cannot be changed: declare it 'var', or copy it to a local "
     "variable"},
    {"procedure w(); begin x := 1; end; function g(): boolean; begin w(); return true; end; rule "
     "g() ==> begin end; invariant \"i\" g();",
     "2:92: warning: this guard changes the state by 'g', which becomes part of the rule\n"
     "2:125: a property must not change the state, but 'g' does"},
    {"function g(var k: 0..7): boolean; begin k := 1; return true; end; rule g(x) ==> begin end;",
     "2:72: warning: this guard changes the state by 'g', which becomes part of the rule"},
    {"function g(): boolean; begin x := 1; return true; end; rule 2 \"t\" b ==> end; rule g() ==> "
     "end;",
     "2:83: a guard must not change the state, but 'g' does"},
    {"rule 3 < 4 ==> begin end; rule 3 b ==> begin end; rule 3 (b) ==> begin end; rule 3 begin "
     "end;",
     ""},
    {"alias q: g() do rule end; end; function g(): 0..3; begin x := 1; return 1; end;",
     "2:10: the head of a rule must not change the state, but 'g' does"},
    {"procedure g(m: record f, flag: boolean; end); begin end; rule g(b ? r : r); end;",
     "2:65: an argument cannot be one of two arrays or records: assign it to a variable first"},
    {"procedure g(m: multiset [2] of 0..7); begin end; rule g(undefined); end;",
     "2:57: a multiset cannot be undefined"},
    {"procedure flush(var k: 0..7); begin undefine bag; k := 1; end; choose i: bag do rule "
     "flush(bag[i]); end; end;",
     "2:92: 'flush' may remove elements of multisets: it cannot be given a reference to one"},
};

/* Scalarsets: no numbers, no arithmetic, no order. */
#define SETS                                                                                       \
  "type P: scalarset(3); One: scalarset(1); E: enum {Nil, Nobody}; U: union {P, E}; "              \
  "M: record src: P; dst: P; n: 0..7; end; var p, q: P; o: One; u: U; n, k: 0..7; b: boolean; "    \
  "m: M; v: array [P] of 0..7; w: array [P] of P; r: array [P] of array [P] of boolean; "          \
  "bag: multiset [4] of P; net: array [P] of M; on: array [P] of boolean; "

static const struct model_sample set_samples[] = {
    {"p := 1;",
     "2:6: \"p\" is of type P and cannot take a value of type integer: the values of the "
     "scalarset 'P' have no numbers"},
    {"n := p;", "2:6: \"n\" is of type 0..7 and cannot take a value of type P: the values of the "
                "scalarset 'P' have no numbers"},
    {"u := 0;",
     "2:6: \"u\" is of type U and cannot take a value of type integer: the values of the "
     "scalarset 'P' have no numbers"},
    {"o := 1;", "2:6: \"o\" is of type One and cannot take a value of type integer: the values of "
                "the scalarset 'One' have no numbers"},
    {"b := p = 1;", "2:6: cannot compare a value of type P with one of type integer: the values of "
                    "the scalarset 'P' have no numbers"},
    {"b := u != n;", "2:6: cannot compare a value of type U with one of type 0..7: the values of "
                     "the scalarset 'P' have no numbers"},
    {"b := p = o;", "2:6: cannot compare a value of type P with one of type One"},
    {"b := p < q;", "2:6: \"p < q\" has no meaning: the values of the scalarset 'P' have no order"},
    {"b := p >= p;",
     "2:6: \"p >= p\" has no meaning: the values of the scalarset 'P' have no order"},
    {"b := u <= u;",
     "2:6: \"u <= u\" has no meaning: the values of the scalarset 'P' have no order"},
    {"b := n > o;",
     "2:6: \"n > o\" has no meaning: the values of the scalarset 'One' have no order"},
    {"p := p + 1;",
     "2:6: \"p + 1\" has no meaning: the values of the scalarset 'P' have no numbers"},
    {"n := 2 * u;",
     "2:6: \"2 * u\" has no meaning: the values of the scalarset 'P' have no numbers"},
    {"n := -p;", "2:6: \"-p\" has no meaning: the values of the scalarset 'P' have no numbers"},
    {"n := n << p;",
     "2:6: \"n << p\" has no meaning: the values of the scalarset 'P' have no numbers"},
    {"n := v[0];",
     "2:8: \"v\" is indexed by P, not by integer: the values of the scalarset 'P' have "
     "no numbers"},
    {"for i := p to q do end;",
     "2:10: \"p\" is not an integer: the values of the scalarset 'P' have no numbers\n"
     "2:15: \"q\" is not an integer: the values of the scalarset 'P' have no numbers"},
    {"for i := 0 to u do end;",
     "2:15: \"u\" is not an integer: the values of the scalarset 'P' have no numbers"},
    {"switch p case 1: end;",
     "2:15: the value of the 'switch' is of type P, not integer: the values "
     "of the scalarset 'P' have no numbers"},
    {"p := b ? q : 1;", "2:6: the values of '?:' must be of the same type, not P and "
                        "integer: the values of the scalarset 'P' have no numbers"},
    {"multisetadd(1, bag);",
     "2:13: an element of \"bag\" is of type P and cannot take a value of type integer: the values "
     "of the scalarset 'P' have no numbers"},
    {"switch p case q: end; b := u = Nil | u = p | ismember(u, P); u := p; p := u;", ""},
};

/* Loops over scalarsets: free of order, or perhaps not. */
struct order_sample {
  const char *text;
  const char *messages;
  const char *asymmetric; /* NULL: states may be merged */
};

#define MAY(set, why)                                                                              \
  "line 2: the loop over '" set "' may depend on the order of its iterations, because of " why

static const struct order_sample order_samples[] = {
    /* By the variable of the loop. */
    {"for i: P do v[i] := 0; w[i] := i; net[i].src := i; end;", "", NULL},
    {"for i: P do for j: P do r[i][j] := false; r[j][i] := false; end; end;", "", NULL},
    {"for i, j: P do r[i][j] := i = j; end;",
     "2:6: expected ':' or ':=' after the variable, found ','", NULL},
    {"for i: P; j: P do r[i][j] := i = j; end;", "", NULL},
    {"for i: P do r[i][i] := true; r[i][p] := false; end;", "", NULL},
    {"for i: P do r[p][i] := on[i]; end;", "", NULL},
    {"for i: P do r[p][i] := r[i][p]; end;", "",
     MAY("P", "\"r[p][i] := r[i][p]\" and \"r[i][p]\"")},
    {"for i: P do v[i] := v[i] * 2; end;", "", NULL},
    {"for i: P do v[i] := v[p]; end;", "", MAY("P", "\"v[i] := v[p]\" and \"v[p]\"")},
    {"for i: P do v[w[i]] := n; end;", "", NULL},
    {"for i: P do v[w[i]] := v[i]; end;", "", MAY("P", "\"v[w[i]] := v[i]\" and \"v[i]\"")},
    {"for i: P do net[i].src := net[i].dst; net[p].n := 1; end;", "", NULL},
    /* Its last value is kept. */
    {"for i: P do p := i; end;", "", MAY("P", "\"p := i\"")},
    {"for i: P do n := v[i]; end;", "", MAY("P", "\"n := v[i]\"")},
    {"for i: U do u := i; end;", "", MAY("U", "\"u := i\"")},
    {"for i: P do m.src := i; end;", "", MAY("P", "\"m.src := i\"")},
    {"for i: P do n := n * 2 + v[i]; end;", "", MAY("P", "\"n := n * 2 + v[i]\" and \"n\"")},
    {"for i: P do alias a: i do alias c: p do c := a; end; end; end;", "", MAY("P", "\"c := a\"")},
    {"for i: P do if on[i] then p := i; end; end;", "", MAY("P", "\"p := i\"")},
    {"for i: P do p := i; end; undefine p;", "", MAY("P", "\"p := i\"")},
    {"for i: P do p := i; w[i] := p; undefine p; end;", "", NULL},
    {"for i: One do o := i; end; for i: E do u := i; end;", "", NULL},
    {"for i: 0..2 do n := i; end;", "", NULL},
    /* The same value always. */
    {"for i: P do if on[i] then b := true; end; end;", "", NULL},
    {"for i: P do if on[i] then b := true; elsif v[i] = 0 then b := false; end; end;", "",
     MAY("P", "\"b := true\" and \"b := false\"")},
    {"for i: P do if on[i] & !b then b := true; end; end;", "", NULL},
    {"for i: P do if b = false & on[i] & v[i] = 1 then b := true; end; end;", "", NULL},
    {"for i: P do if b & on[i] then b := false; end; end;", "", NULL},
    {"for i: P do if b & on[i] then b := true; end; end;", "", MAY("P", "\"b := true\" and \"b\"")},
    {"for i: P do if !b & on[i] then b := true; p := i; end; end;", "",
     MAY("P", "\"b := true\" and \"b\"")},
    {"for i: P do if isundefined(n) & on[i] then n := 3; end; end;", "", NULL},
    {"for i: P do if isundefined(n) then n := v[i]; end; end;", "", MAY("P", "\"n := v[i]\"")},
    /* Disjunctions, conjunctions, minima and maxima. */
    {"for i: P do b := b | on[i]; end;", "", NULL},
    {"for i: P do b := b | on[i] | v[i] = 2; end;", "", NULL},
    {"for i: P do b := v[i] = 2 & on[i] & b; end;", "", NULL},
    {"for i: P do b := b | on[i]; b := b & on[i]; end;", "",
     MAY("P", "\"b := b | on[i]\" and \"b := b & on[i]\"")},
    {"for i: P do b := b | (on[i] & b); end;", "", MAY("P", "\"b := b | (on[i] & b)\" and \"b\"")},
    {"for i: P do if v[i] < n then n := v[i]; end; end;", "", NULL},
    {"for i: P do if n <= v[i] then n := v[i]; end; end;", "", NULL},
    {"for i: P do n := v[i] > n ? v[i] : n; k := k < v[i] ? k : v[i]; end;", "", NULL},
    {"for i: P do if v[i] < n then n := k; end; end;", "", MAY("P", "\"n := k\" and \"n\"")},
    {"for i: P do if v[i] < n then n := v[i]; end; if v[i] > n then n := v[i]; end; end;", "",
     MAY("P", "\"n := v[i]\" and \"n := v[i]\"")},
    {"for i: P do p := q; n := k + 1; undefine u; clear k; end;", "", MAY("P", "\"n := k + 1\"")},
    {"for i: P do p := q; n := k + 1; undefine u; end;", "", NULL},
    {"for i: P do for j: P do on[j] := b; end; end;", "", NULL},
    {"for i: P do for j := 0 to 6 by k do on[i] := true; end; if on[i] then k := 1; end; end;", "",
     MAY("P", "\"k := 1\" and \"k\"")},
    {"for i: P do b := forall j := 0 to 6 by v[i] do on[p] end; end;", "",
     MAY("P", "\"b := forall j := 0 to 6 by v[i] do on[p] end\"")},
    /* Sums. */
    {"for i: P do if on[i] then n := n + 1; k := v[i] + k; end; end;", "", NULL},
    {"for i: P do n := n - v[i]; end;", "", NULL},
    {"for i: P do n := n + (v[i] - 1); end;", "", MAY("P", "\"n := n + (v[i] - 1)\"")},
    {"for i: P do n := n + 1; if on[i] then n := n - 1; end; end;", "",
     MAY("P", "\"n := n + 1\" and \"n := n - 1\"")},
    {"for i: P do n := n + 1; v[i] := n; end;", "", MAY("P", "\"n := n + 1\" and \"n\"")},
    {"for i: P do n := v[i] - n; end;", "", MAY("P", "\"n := v[i] - n\" and \"n\"")},
    /* Multisets. */
    {"for i: P do multisetadd(i, bag); end;", "", NULL},
    {"multisetremovepred(j: bag, bag[j] = p | on[bag[j]]);", "", NULL},
    {"multisetremovepred(j: bag, multisetcount(k: bag, bag[k] = bag[j]) > 1);", "",
     "line 2: the condition \"multisetcount(k: bag, bag[k] = bag[j]) > 1\" of multisetremovepred "
     "looks at other elements, some of which may be removed already"},
    {"for i: P do multisetremovepred(j: bag, bag[j] = i | on[i]); end;", "",
     MAY("P", "\"multisetremovepred\" and \"bag[j]\"")},
    {"for i: P do if multisetcount(j: bag, bag[j] = i) = 0 then multisetadd(i, bag); end; end;", "",
     MAY("P", "\"multisetadd\" and \"bag\"")},
    {"for i: P do multisetadd(i, bag); multisetremovepred(j: bag, bag[j] = q); end;", "",
     MAY("P", "\"multisetadd\" and \"bag[j]\"")},
    /* Leaving and refusing. */
    {"for i: P do if on[i] then return; end; end;", "", NULL},
    {"for i: P do if on[i] then b := true; return; end; end;", "",
     MAY("P", "\"return\" and \"b := true\"")},
    {"for i: P do assert on[i]; if v[i] = 0 then error \"none\"; end; end;", "", NULL},
    {"for i: P do assume on[i]; end;", "", MAY("P", "\"assume on[i]\"")},
    {"while b do for i: P do v[i] := v[i] + 1; end; b := false; end;", "", NULL},
    /* Not loops. */
    {"clear p;", "", "line 2: \"clear p\" takes the first value of the scalarset 'P'"},
    {"clear net;", "", "line 2: \"clear net\" takes the first value of the scalarset 'P'"},
    {"clear v; clear o; clear bag;", "", NULL},
};

/* The same in procedures, and rules of their own. */
static const struct order_sample routine_samples[] = {
    {"procedure send(d: P; var x: M); begin net[d] := x; end; rule var x: M; begin for i: P do "
     "x.src := i; x.n := 0; if on[i] then x.dst := p; end; send(i, x); end; end;",
     "", MAY("P", "\"x.dst := p\" and \"x\"")},
    {"procedure send(d: P; var x: M); begin net[d] := x; end; rule var x: M; begin for i: P do "
     "x.src := i; x.n := 0; x.dst := p; send(i, x); end; end;",
     "", NULL},
    {"procedure send(d: P; var x: M); begin net[d] := x; end; rule var x: M; begin for i: P do "
     "x.src := i; send(i, x); end; m := x; end;",
     "", MAY("P", "\"x.src := i\"")},
    {"procedure last(d: P); var x: P; begin x := d; p := x; end; rule for i: P do last(i); end; "
     "end;",
     "", MAY("P", "\"p := x\"")},
    {"procedure last(d: P); begin p := d; end; rule for i: P do last(i); end; end;", "",
     MAY("P", "\"p := d\"")},
    {"procedure set(var x: boolean); begin x := true; end; rule for i: P do set(b); set(on[i]); "
     "end; "
     "end;",
     "", NULL},
    {"procedure up(d: P; var x: 0..7); begin if on[d] then x := x + 1; end; end; rule for i: P do "
     "up(i, n); up(p, v[i]); end; end;",
     "", NULL},
    {"procedure two(var x: 0..7; var y: 0..7); begin for i: P do v[i] := y; x := k; end; end; rule "
     "two(n, n); end;",
     "", MAY("P", "\"x := k\" and \"y\"")},
    {"function any(): boolean; begin for i: P do if on[i] then return true; end; end; return "
     "false; "
     "end; rule any() ==> end;",
     "", NULL},
    {"function who(): U; begin for i: P do if on[i] then return i; end; end; return Nil; end; rule "
     "u := who(); end;",
     "", MAY("P", "\"i\"")},
    {"function count(): 0..7; var c: 0..7; begin c := 0; for i: P do if on[i] then c := c + 1; "
     "end; "
     "end; return c; end; rule count() = 2 ==> end;",
     "", NULL},
    {"function touch(d: P): boolean; begin on[d] := true; return v[d] = 0; end; rule b := forall "
     "i: P "
     "do touch(i) end; end;",
     "",
     "line 2: evaluating \"touch(i)\" has side effects, which may depend on the order of the "
     "values "
     "of 'i'"},
    {"procedure down(x: 0..7); begin for i: P do v[i] := x; end; if x > 0 then down(x - 1); end; "
     "end; "
     "rule down(3); end;",
     "",
     "line 2: 'down', which calls itself, has loops over scalarsets that may depend on their "
     "order"},
    {"procedure down(x: 0..7); begin if x > 0 then down(x - 1); end; end; rule for i: P do "
     "down(v[i]); "
     "end; end;",
     "", MAY("P", "\"down(x - 1)\"")},
    {"function get(): 0..7; begin return n; end; rule for i: P do n := v[i]; k := get(); end; "
     "undefine "
     "n; end;",
     "", MAY("P", "\"n := v[i]\"")},
    {"ruleset i: P do liveness on[i]; end;", "",
     "line 2: a liveness property is about single values of the scalarset 'P'"},
    {"liveness exists i: P do on[i] end; ruleset i: P do invariant v[i] < 8; end; ruleset i: P do "
     "cover on[i]; end;",
     "", NULL},
    {"procedure unused(); begin for i: P do p := i; end; end;", "", NULL},
    /* An operator that some loop needs both operands of, and another part does not. */
    {"procedure see(d: P); begin b := b | on[d]; end; rule for i: P do see(i); end; end;", "",
     NULL},
    {"procedure see(d: P); begin b := b | on[d]; end; rule for i: P do see(i); end; see(p); end;",
     "",
     "line 2: \"b | on[d]\" is evaluated in loops over 'P' and elsewhere, and may leave out an "
     "operand in which a run-time error happens"},
    /* Positions in multisets. */
    {"choose i: bag do rule bag[i] = p ==> multisetremove(i, bag); multisetadd(q, bag); end; end;",
     "", NULL},
    {"choose i: bag do rule multisetremove(i, bag); multisetadd(q, bag); p := bag[i]; end; end;",
     "", "line 2: \"bag[i]\" looks at an element again whose position another one may have taken"},
    {"choose i: bag do rule multisetcount(j: bag, j != i & bag[j] = p) = 0 ==> multisetremove(i, "
     "bag); "
     "end; end;",
     "", NULL},
    {"var rest: multiset [4] of P; choose i: bag do rule multisetremove(i, rest); end; end;", "",
     "line 2: the position \"i\" is used for a multiset that may be another one"},
    {"var rest: multiset [4] of P; choose i: bag do choose j: rest do rule i = j ==> end; end; "
     "end;",
     "", "line 2: the position \"i\" is used for a multiset that may be another one"},
    {"var box: array [P] of multiset [4] of P; ruleset d: P do choose i: box[d] do rule box[d][i] "
     "= d "
     "==> multisetremove(i, box[d]); end; end; end;",
     "", NULL},
    {"var box: array [P] of multiset [4] of P; choose i: box[p] do rule p := q; multisetremove(i, "
     "box[p]); end; end;",
     "", "line 2: the position \"i\" is used for a multiset that may be another one"},
    {"choose i: bag do rule if b then multisetremove(i, bag); multisetadd(q, bag); elsif on[p] "
     "then "
     "multisetremove(i, bag); else switch n case 1: multisetadd(q, bag); case 2: p := bag[i]; end; "
     "end; end; end;",
     "", NULL},
    {"choose i: bag do rule if b then multisetremove(i, bag); end; if !b then multisetadd(q, bag); "
     "p := bag[i]; end; end; end;",
     "", "line 2: \"bag[i]\" looks at an element again whose position another one may have taken"},
    {"choose i: bag do rule while b do p := bag[i]; multisetremove(i, bag); multisetadd(q, bag); "
     "end; "
     "end; end;",
     "", "line 2: \"bag[i]\" looks at an element again whose position another one may have taken"},
};

static const struct model_sample warning_samples[] = {
    {"x := 9;", "2:6: warning: 9 is outside the range 0..7 of \"x\""},
    {"a[4] := 1;", "2:3: warning: index 4 is outside the range 0..3 of \"a\""},
    {"p(4, x);", "2:3: warning: 4 is outside the range 0..3 of parameter 'k'"},
    {"x := 010 - 9;", "2:6: warning: 010 is decimal here and in CMurphi: rumur reads 8"},
    {"x := 007; x := 08 - 8; x := 00; x := 0x7;", ""},
};

/* Asked of a model with HEAD and a function that writes. */
static const struct model_sample goal_samples[] = {
    {"x = 3 & !b -> f(x)", ""},
    {"forall i: 0..3 do a[i] = 0 end | exists k: E do e = k end", ""},
    {"isundefined(e) ? b : multisetcount(k: bag, bag[k] = 1) = 1", ""},
    {" -- a comment\n b /* and another */", ""},
    {"", "--goal:1:1: expected an expression, found the end of the expression"},
    {" -- nothing", "--goal:1:12: expected an expression, found the end of the expression"},
    {"x = ", "--goal:1:5: expected an expression, found the end of the expression"},
    {"b b", "--goal:1:3: expected the end of the expression, found 'b'"},
    {"b;", "--goal:1:2: expected the end of the expression, found ';'"},
    {"x := 3", "--goal:1:3: expected the end of the expression, found ':='"},
    {"b \"title\"", "--goal:1:3: expected the end of the expression, found '\"title\"'"},
    {"forall i: 0..3 do b",
     "--goal:1:20: expected 'end' or 'endforall' to close the 'forall' of line 1, found the end of "
     "the expression"},
    {"x", "--goal:1:1: the expression must be a boolean, not of type 0..7"},
    {"e", "--goal:1:1: the expression must be a boolean, not of type E"},
    {"x = e", "--goal:1:1: cannot compare a value of type 0..7 with one of type E"},
    {"nope = 1", "--goal:1:1: unknown name 'nope'"},
    {"writes()", "--goal:1:1: the expression must not change the state, but 'writes' does"},
    {"p(1, x)", "--goal:1:1: 'p' is a procedure: it has no value"},
    {"clear x", "--goal:1:1: expected an expression, found 'clear'"},
};

/* ---- Running them -----------------------------------------------------------------------------
 */

static void test_whole_models(void **state) {
  (void)state;
  MODEL_RUN_TABLE(translate, whole_samples, "", "");
}

static void test_declarations(void **state) {
  (void)state;
  MODEL_RUN_TABLE(translate, top_samples, HEAD "\n", "\n" REST);
}

static void test_expressions(void **state) {
  (void)state;
  MODEL_RUN_TABLE(translate, expr_samples, HEAD REST " rule \"t\"\n", "\n==> begin end;");
}

static void test_statements(void **state) {
  (void)state;
  MODEL_RUN_TABLE(translate, stmt_samples, HEAD REST " rule \"t\" true ==> begin\n", "\nend;");
}

static void test_functions(void **state) {
  (void)state;
  MODEL_RUN_TABLE(translate, function_samples, HEAD "\n", "\n" REST);
}

static void test_warnings(void **state) {
  (void)state;
  MODEL_RUN_TABLE(translate, warning_samples, HEAD REST " rule \"t\" true ==> begin\n", "\nend;");
}

static void test_goals(void **state) {
  (void)state;
  model_run_goals(translate,
                  HEAD "function writes(): boolean; begin x := 1; return true; end; " REST,
                  goal_samples, sizeof goal_samples / sizeof goal_samples[0]);
}

#define SETS_REST "startstate begin undefine w; end; rule \"ok\" true ==> begin n := 1; end;"

static void test_scalarsets(void **state) {
  (void)state;
  MODEL_RUN_TABLE(translate, set_samples, SETS SETS_REST " rule \"t\" true ==> begin\n", "\nend;");
}

static void expect_order(struct model_result *result, const struct order_sample *sample) {
  assert_string_equal(clew_text_str(&result->messages), sample->messages);
  const char *asymmetric = sample->asymmetric != NULL ? sample->asymmetric : "";
  assert_string_equal(clew_text_str(&result->asymmetric), asymmetric);
  model_result_free(result);
}

static void run_orders(const struct order_sample *samples, size_t count, const char *before,
                       const char *after) {
  for (size_t i = 0; i < count; i++) {
    struct clew_text text = {0};
    clew_text_printf(&text, "%s%s%s", before, samples[i].text, after);
    struct model_result result = model_try_text(translate, clew_text_str(&text), text.len);
    expect_order(&result, &samples[i]);
    clew_text_free(&text);
  }
}

/* Questions must not tell the values of a scalarset apart any more than the model may. */
static void test_goal_orders(void **state) {
  (void)state;
  static const char model[] =
      "type S: scalarset(3); var a: array [S] of boolean;\n"
      "function last(): boolean; var v: boolean; begin for s: S do v := a[s]; end; return v; end;\n"
      "function any(): boolean; var v: boolean; begin v := false;\n"
      "for s: S do if a[s] then v := a[s]; end; end; return v; end;\n"
      "startstate begin for s: S do a[s] := false; end; end;\n"
      "ruleset s: S do rule a[s] := true; end; end;";
  static const struct order_sample samples[] = {
      {"exists s: S do a[s] end", "", NULL},
      {"last()", "",
       "line 2: the loop over 'S' may depend on the order of its iterations, because of \"v := "
       "a[s]\""},
      {"any()", "",
       "line 4: the loop over 'S' may depend on the order of its iterations, because of \"v := "
       "a[s]\""},
  };
  for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
    struct model_result result = model_try_goal(translate, model, samples[i].text);
    expect_order(&result, &samples[i]);
  }
}

static void test_loop_orders(void **state) {
  (void)state;
  run_orders(order_samples, sizeof order_samples / sizeof order_samples[0],
             SETS SETS_REST " rule \"t\" true ==> begin\n", "\nend;");
}

static void test_routine_orders(void **state) {
  (void)state;
  run_orders(routine_samples, sizeof routine_samples / sizeof routine_samples[0], SETS "\n",
             "\n" SETS_REST);
}

/* Several mistakes in one model are all found, each once, in spite of each other. */
static void test_several_errors(void **state) {
  (void)state;
  model_expect(translate,
               "const n: 3 +;\n"
               "type t: array [0..n] boolean;\n"
               "rule \"a\" x = ==> begin x := 1; end;\n"
               "ruleset i: 0..3 do\n"
               "  rule \"b\" true ==> if true x := 1; end; y = 3; end;\n"
               "  rule \"c\" true ==> x := 2 x := 3; end\n"
               "end;\n"
               "invariant forall i: 0..3 do;\n"
               "startstate x := 1 end",
               "1:13: expected an expression, found ';'\n"
               "2:22: expected 'of' before the element type, found 'boolean'\n"
               "3:14: expected an expression, found '==>'\n"
               "5:29: expected 'then' after the condition, found 'x'\n"
               "5:44: expected ':=', found '=': assignments are written ':='\n"
               "6:28: expected ';' between statements, found 'x'\n"
               "8:28: expected an expression, found ';'");
  /* What is declared with a mistake is declared all the same. */
  model_expect(translate,
               "const n: nope;\n"
               "type t: array [0..n] of missing;\n"
               "var v: t; w: 0..n;\n"
               "startstate v[n].f := w + n; end;\n"
               "rule v[0] = w & n > 3 ==> w := v; for i: 0..n do v[i] := w; end; end;\n"
               "rule w ==> end;",
               "1:10: unknown name 'nope'\n"
               "2:25: unknown name 'missing'");
}

static char *repeat(const char *before, const char *piece, int count, const char *after) {
  struct clew_text text = {0};
  clew_text_put(&text, before);
  for (int i = 0; i < count; i++) {
    clew_text_put(&text, piece);
  }
  clew_text_put(&text, after);
  return text.data;
}

/* Nesting beyond the limit is one message however deep it is: nothing runs out of stack. */
static void test_deep_nesting(void **state) {
  (void)state;
  static const struct {
    const char *before, *piece, *after, *message;
  } deep[] = {
      {"rule ", "(", "==> end;", "nested too deeply: the limit is 200"},
      {"rule ", "!", "b ==> end;", "nested too deeply: the limit is 200"},
      {"rule ", "- ", "x = 1 ==> end;", "nested too deeply: the limit is 200"},
      {"rule ", "a[", "==> end;", "nested too deeply: the limit is 200"},
      {"rule ", "f(", "==> end;", "nested too deeply: the limit is 200"},
      {"rule ", "forall i: 0..1 do ", "==> end;", "nested too deeply: the limit is 200"},
      {"rule x", " + 1", " = 2 ==> end;",
       "this expression nests too many operators: the limit is 300"},
      {"rule x", ".f", " = 2 ==> end;",
       "this expression nests too many operators: the limit is 300"},
      {"rule begin ", "if b then ", "", "nested too deeply: the limit is 200"},
      {"rule begin ", "for i: 0..1 do ", "", "nested too deeply: the limit is 200"},
      {"rule begin ", "while b do ", "", "nested too deeply: the limit is 200"},
      {"rule begin ", "alias i: b do ", "", "nested too deeply: the limit is 200"},
      {"rule begin ", "switch b case true: ", "", "nested too deeply: the limit is 200"},
      {"rule begin if b then", " elsif b then ", " end; end;",
       "too many branches in one statement: the limit is 1000"},
      {"rule begin switch b ", "case true: ", " end; end;",
       "too many branches in one statement: the limit is 1000"},
      {"rule begin for i: 0..1", "; j: 0..1 ", " do end; end;",
       "too many variables in one list: the limit is 64"},
      {"", "ruleset i: 0..1 do ", "", "nested too deeply: the limit is 200"},
      {"type t: ", "array [0..0] of ", "boolean;", "nested too deeply: the limit is 200"},
      {"type t: ", "record a: ", "boolean;", "nested too deeply: the limit is 200"},
      {"type t: ", "union {", "", "nested too deeply: the limit is 200"},
  };
  for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++) {
    char *text = repeat(deep[i].before, deep[i].piece, 20000, deep[i].after);
    struct model_result result = model_try_text(translate, text, strlen(text));
    assert_int_equal(result.error_count, 1);
    const char *message = strchr(clew_text_str(&result.messages), ' ');
    assert_non_null(message);
    assert_string_equal(message + 1, deep[i].message);
    model_result_free(&result);
    free(text);
  }
}

/* Long is not deep: conjunctions and lists of a hundred thousand parts are fine. */
static void test_long_models(void **state) {
  (void)state;
  static const struct {
    const char *before, *piece, *after;
  } fine[] = {
      {HEAD REST "invariant b", " & b", ";"},
      {HEAD REST "invariant b", " | b", ";"},
      {HEAD REST "rule begin ", "x := 1; ", "end;"},
      {HEAD REST, "rule b ==> x := 1; end; ", ""},
      {HEAD REST "rule switch x case 1", ", 1", ": x := 2; end; end;"},
  };
  for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
    char *text = repeat(fine[i].before, fine[i].piece, 100000, fine[i].after);
    model_expect(translate, text, "");
    free(text);
  }
}

/* Sizes that no machine could hold are one message, at once. */
static void test_giants(void **state) {
  (void)state;
  model_expect(translate,
               "var v: array [0..2000000000] of array [0..2000000000] of boolean;\n" REST,
               "1:33: this type is too large: a variable can have at most 1048576 simple parts\n"
               "2:18: unknown name 'x'");
  model_expect(translate,
               "type s: scalarset(2000000000); var x: 0..3; v: s; w: 0..2000000000;\n" REST, "");
  model_expect(translate,
               "var x: 0..3;\n" REST " ruleset i: 0..2000000000 do rule x := 1; end; end;",
               "rules have 2000000002 instances; the limit is 16777216");
  model_expect(
      translate,
      "var x: 0..3; v: array [0..700000] of boolean; w: array [0..700000] of boolean;\n" REST,
      "the state has 1400003 variables (counting the elements of arrays and records); the limit "
      "is 1048576");
  model_expect(
      translate, "var x: 0..3;\n" REST " rule var v, w: array [0..700000] of boolean; begin end;",
      "the local variables of one rule or function are too large: the limit is 1048576 simple "
      "parts");
}

static void test_overrides(void **state) {
  (void)state;
  static const struct model_override_sample samples[] = {
      {"N", "5", "", true},
      {"N", "-1", "", true},
      {"N", "0x10", "", true},
      {"N", "five", "1:7: --param N=five: expected an integer", true},
      {"N", "", "1:7: --param N=: expected an integer", true},
      {"N", "true", "1:7: --param N=true: expected an integer", true},
      {"N", "99999999999999999999", "1:7: --param N=99999999999999999999: expected an integer",
       true},
      {"FLAG", "true", "", true},
      {"FLAG", "1", "1:13: --param FLAG=1: expected true or false", true},
      {"BEST", "green", "1:63: --param cannot set 'BEST': only integers and booleans can be set",
       true},
      {"red", "1", "1:44: --param cannot set 'red', which is a value: only constants can be set",
       true},
      {"x", "1", "1:78: --param cannot set 'x', which is a variable: only constants can be set",
       true},
      {"color", "1", "1:31: --param cannot set 'color', which is a type: only constants can be set",
       true},
      {"step", "1",
       "2:11: --param cannot set 'step', which is a procedure: only constants can be set", true},
      {"absent", "1", "", false},
      {"n", "1", "", false},
  };
  static const char model[] =
      "const N: 1; FLAG: false; type color: enum {red, green}; const BEST: red; var x: 0..3;\n"
      "procedure step(); begin if FLAG & N > 0 then x := 1; end; end; " REST " rule step() end;";
  model_run_overrides(translate, model, samples, sizeof samples / sizeof samples[0]);
}

/* Every prefix of a model, and the model with any one byte replaced, is loaded or refused. */
static void test_truncated_and_damaged(void **state) {
  (void)state;
  static const char model[] =
      HEAD "const N: 2; type S: scalarset(N); ruleset s: S; i := 0 to 3 by 2 do alias q: a[i] do "
           "choose m: bag do rule 3 \"t\" bag[m] = q & !b | (forall k: S do k = s end -> x < 2 ? b "
           ": !b) ==> var l: E; begin switch l case A: x := 1; else error \"e\"; end; "
           "multisetremove(m, bag); for u: U do while b do return; end; end; end; end; end; end; "
           "invariant multisetcount(k: bag, bag[k] = 1) < 2 \"i\"; " REST;
  static const char damage[] = {'\0', ';', '(', ')', '"', 'e', ' ', ':', '\xff', '0'};
  model_run_damage(translate, model, damage, sizeof damage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole_models),
      cmocka_unit_test(test_declarations),
      cmocka_unit_test(test_expressions),
      cmocka_unit_test(test_statements),
      cmocka_unit_test(test_functions),
      cmocka_unit_test(test_warnings),
      cmocka_unit_test(test_scalarsets),
      cmocka_unit_test(test_goals),
      cmocka_unit_test(test_goal_orders),
      cmocka_unit_test(test_loop_orders),
      cmocka_unit_test(test_routine_orders),
      cmocka_unit_test(test_several_errors),
      cmocka_unit_test(test_deep_nesting),
      cmocka_unit_test(test_long_models),
      cmocka_unit_test(test_giants),
      cmocka_unit_test(test_overrides),
      cmocka_unit_test(test_truncated_and_damaged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
