/* The front end of CPN Tools: mistakes, CPN ML, and random nets.
 *
 * A random net is a description. It is printed as a file of CPN Tools; and it is explored as it
 * stands, by trying all values of all variables in each marking, with multisets as plain counts.
 * Both must have the same number of markings, edges and dead markings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "cpn_text.h"
#include "lang/cpn/cpn_int.h"
#include "lang/lang.h"
#include "state_set.h"

static const struct {
  const char *text, *file, *message;
} MISTAKES[] = {
    {"", "net.cpn", "no element found"},
    {"<html/>", "net.cpn", "a <cpnet> was expected: this is no file of CPN Tools"},
    {"<layout/>", "net.cpn", "a <cpnet> was expected: this is no file of CPN Tools"},
    {"<!DOCTYPE p [<!ENTITY a 'b'>]><cpnet/>", "net.cpn", "models must not declare entities"},
    {COLOURED(PLACE("p", "NONE", "")), "net.cpn: page 'Top', colour set of place 'p'",
     "there is no such colour set"},
    {COLOURED(PLACE("p", "LATE", "")), "net.cpn: page 'Top', colour set of place 'p'",
     "timed colour sets are not supported"},
    {COLOURED(PLACE("p", "REAL", "")), "net.cpn: page 'Top', colour set of place 'p'",
     "colour sets of real numbers are not supported"},
    {COLOURED(PLACE("p", "INT", "\"a\"")), "net.cpn: page 'Top', initial marking of place 'p'",
     "this has type string, not int"},
    {COLOURED(PLACE("p", "T", "4")), "net.cpn: page 'Top', initial marking of place 'p'",
     "4 is not in the colour set 'T'"},
    {COLOURED(PLACE("p", "INT", "hd []")), "net.cpn: page 'Top', initial marking of place 'p'",
     "this cannot be evaluated: exception Empty"},
    {COLOURED(PLACE("p", "INT", "n")), "net.cpn: page 'Top', initial marking of place 'p'",
     "'n' is not declared"},
    {COLOURED(PLACE("p", "INT", "1 +")), "net.cpn: page 'Top', initial marking of place 'p'",
     "an expression was expected, but here is the end"},
    {COLOURED(PLACE("p", "INT", "1") TRANS("t", "<time><text>@+9</text></time>")),
     "net.cpn: page 'Top', time region of transition 't'",
     "delays of transitions are not supported"},
    {COLOURED(TRANS("t", "<priority><text>P_HIGH</text></priority>")),
     "net.cpn: page 'Top', priority of transition 't'", "priorities are not supported"},
    {COLOURED(TRANS("t", "<code><text>action f();</text></code>")),
     "net.cpn: page 'Top', code region of transition 't'", "code regions are not supported"},
    {COLOURED(TRANS("t", "<channel><text>c.?n</text></channel>")),
     "net.cpn: page 'Top', channel of transition 't'", "channels are not supported"},
    {COLOURED(PLACE("p", "INT", "1") TRANS("t", "") TAKE("t", "p", "n@+3")),
     "net.cpn: page 'Top', arc from 'p' to 't'", "'@+' cannot be used here: time is not supported"},
    {COLOURED(PLACE("p", "INT", "1") TRANS("t", "") GIVE("t", "p", "discrete(0,1)")),
     "net.cpn: page 'Top', arc from 't' to 'p'",
     "'discrete' cannot be used here: random functions are not supported"},
    {COLOURED(PLACE("p", "INT", "1") TRANS("t", "") ARC("Inhibitor", "t", "p", "1")), "net.cpn",
     "page 'Top': arcs of kind 'Inhibitor' are not supported (inhibitor and reset arcs are not)"},
    {COLOURED(PLACE("p", "INT", "1") TRANS("t", "") GIVE("t", "p", "n")), "net.cpn",
     "page 'Top', transition 't': nothing gives a value to variable 'n', and its colour set 'INT' "
     "is too large to try all values"},
    {COLOURED(PLACE("p", "INT", "1") TRANS("t", GUARD("[n]")) TAKE("t", "p", "n")),
     "net.cpn: page 'Top', guard of transition 't'", "this has type int, not bool"},
    {COLOURED(PLACE("p", "R", "") TRANS("t", "") TAKE("t", "p", "{x=n}")),
     "net.cpn: page 'Top', arc from 'p' to 't'", "this has type {x: int}, not {x: int, y: string}"},
    {COLOURED(PLACE("p", "INT", "1") TRANS("t", "<subst subpage='q'/>")), "net.cpn",
     "page 'Top': the page of substitution transition 't' is missing"},
    {COLOURED(TRANS("t", "<subst subpage='g'/>")), "net.cpn",
     "every page is part of another one: there is none to begin with"},
    {COLOURED(TRANS("t", "<subst subpage='h'/>") "</page><page id='h'><pageattr name='Low'/>" TRANS(
         "u", "<subst subpage='h'/>")),
     "net.cpn", "page 'Low' is part of itself"},
    {NET(COLOURS "<globref><id>r</id><ml>1</ml></globref>",
         PLACE("p", "INT", "1") TRANS("t", GUARD("!r = 1"))),
     "net.cpn: page 'Top', guard of transition 't'",
     "'!' cannot be used here: reference variables are not supported"},
    {NET(COLOURS "<ml>fun f x = #x x;</ml>", PLACE("p", "INT", "f 1")),
     "net.cpn: page 'Top', initial marking of place 'p'",
     "'f' cannot be used here: it is not known which record has the field 'x': a type is missing"},
    {NET(COLOURS "<ml>structure X = struct end;</ml>", PLACE("p", "INT", "X.y")),
     "net.cpn: page 'Top', initial marking of place 'p'", "'X.y' is not declared"},
};

static void test_mistakes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof MISTAKES / sizeof MISTAKES[0]; i++) {
    struct clew_diag_sink diags = {0};
    struct clew_model *model = cpn_load(MISTAKES[i].text, NULL, NULL, &diags);
    if (model != NULL) {
      fail_msg("accepted: %s", MISTAKES[i].message);
    }
    assert_true(diags.error_count > 0);
    assert_string_equal(diags.data[0].message, MISTAKES[i].message);
    assert_string_equal(diags.data[0].file, MISTAKES[i].file);
    clew_diag_sink_free(&diags);
  }
}

/* ---- CPN ML ---- */

/* Declarations, and an expression that must be true. */
static const struct {
  const char *ml, *truth;
} TRUTHS[] = {
    {"", "1 + 2 * 3 = 7 andalso ~7 div 2 = ~4 andalso ~7 mod 2 = 1 andalso 7 mod ~2 = ~1"},
    {"", "not (1 = 2) orelse hd [] = 1"},
    {"", "\"a\" ^ \"b\" = \"ab\" andalso \"a\" &lt; \"b\" andalso String.size \"abc\" = 3"},
    {"", "(2`1 ++ 1`2) == (1`2 ++ 2`1) andalso (2`1 ++ 1`2) &lt;> (1`2 ++ 2`1)"},
    {"", "size (3`true -- 1`true) = 2 andalso cf (1, 2`1 ++ 1`2) = 2 andalso ~1`3 = empty"},
    {"", "size (1`1 -- 2`1 handle Subtract => empty) = 0 andalso size (0`1) = 0"},
    {"", "list_to_ms [1,1] == 2`1 andalso 1`1 ++ 1`2 -- 1`1 == 1`2 andalso 0 - 1 = ~1"},
    {"", "(1`1 >>= empty) andalso not (1`1 &lt;&lt;= 1`2) andalso 2**(1`1) == 2`1"},
    {"", "[1,2] ^^ [3] = 1 :: 2 :: [3] andalso rev [1,2] = [2,1] andalso length [] = 0"},
    {"", "map (fn x => x + 1) [1,2] = [2,3] andalso List.filter (fn x => x > 1) [1,2] = [2]"},
    {"", "foldr (op -) 0 [1,2,3] = 2 andalso foldl (op -) 0 [1,2,3] = 2"},
    {"", "foldr (fn (x, l) => x :: l) [] [1,2] = [1,2] andalso foldl (op ::) [] [1,2] = [2,1]"},
    {"", "List.tabulate (3, fn i => i * i) = [0,1,4] andalso List.nth ([1,2], 1) = 2"},
    {"", "mem [1,2] 2 andalso rm 1 [1,2,1] = [2,1] andalso rmall 1 [1,2,1] = [2]"},
    {"", "remdupl [1,2,1] = [1,2] andalso union [1,2] [2,3] = [1,2,3] andalso ins [1] 2 = [1,2]"},
    {"", "intersect [1,2] [2,3] = [2] andalso listsub [1,2,1] [1] = [2,1]"},
    {"", "contains [1,2] [2,2] andalso not (contains_all [1,2] [2,2]) andalso ins_new [1] 1 = [1]"},
    {"", "sort (fn (p, q) => p &lt; q) [3,1,2] = [1,2,3] andalso List.last [1,2] = 2"},
    {"", "List.exists (fn x => x = 2) [1,2] andalso List.all (fn x => x > 0) [1,2]"},
    {"", "List.find (fn x => x > 1) [1,2,3] = SOME 2 andalso not (isSome (List.find (fn x => x > "
         "5) [1]))"},
    {"", "List.partition (fn x => x > 1) [1,2,3] = ([2,3],[1]) andalso List.concat [[1],[2,3]] = "
         "[1,2,3]"},
    {"", "List.take ([1,2,3], 2) = [1,2] andalso List.drop ([1,2,3], 2) = [3]"},
    {"", "ext_col (fn x => x + 1) (2`1) == 2`2 andalso ms_to_list (2`1) = [1,1]"},
    {"", "Int.toString ~3 = \"~3\" andalso Int.max (1, 2) = 2 andalso Int.abs ~3 = 3"},
    {"", "implode (rev (explode \"abc\")) = \"cba\" andalso substring (\"abc\", 1, 2) = \"bc\""},
    {"", "ord (chr 65) = 65 andalso Bool.toString true = \"true\""},
    {"", "#2 (1, 2) = 2 andalso #x {x = 1, y = \"s\"} = 1 andalso {x = 1, y = 2} = {y = 2, x = 1}"},
    {"", "let val (p, q) = (1, 2) val {x, ...} = {x = 3, y = \"\"} : R in p + q + x end = 6"},
    {"", "let fun f 0 = 1 | f n = n * f (n - 1) in f 5 end = 120"},
    {"", "let fun id x = x in (id 1, id \"a\") end = (1, \"a\")"},
    {"", "(case [1,2] of [] => 0 | [x] => 1 | x :: y :: _ => x + y) = 3"},
    {"", "(fn 0 => \"zero\" | _ => \"more\") 3 = \"more\""},
    {"", "(hd [] handle Empty => 5) = 5 andalso (1 div 0 handle Div => 6) = 6"},
    {"", "let val l as (x :: _) = [1,2] in length l + x end = 3"},
    {"",
     "ix 2 = ix (1 + 1) andalso IX.size () = 3 andalso IX.ord (ix 3) = 2 andalso IX.col 0 = ix 1"},
    {"", "(ix 4 handle Domain => ix 1) = ix 1 andalso length (E.all ()) = 2 andalso E.lt (a, b)"},
    {"", "T.legal 3 andalso not (T.legal 4) andalso E.mkstr b = \"b\" andalso YES 1 &lt;> NO"},
    {"", "(case YES 3 of NO => 0 | YES n => n) = 3"},
    {"", "size (P.mult (2`1, 1`\"x\" ++ 1`\"y\")) = 4"},
    {"", "(1073741823 + 1 handle Overflow => 0) = 0"},
    {"fun f x y = x + y; val g = f 1;", "g 2 = 3"},
    {"fun even 0 = true | even n = odd (n - 1) and odd 0 = false | odd n = even (n - 1);",
     "even 10 andalso odd 7"},
    {"fun loop (0, s) = s | loop (n, s) = loop (n - 1, s + 1);", "loop (100000, 0) = 100000"},
    {"exception Bad of int; fun f x = if x > 1 then raise Bad x else x;",
     "(f 5 handle Bad n => n + 1) = 6"},
    {"local fun h x = x * 2 in fun f x = h x + 1 end;", "f 3 = 7"},
    {"val a1 = 1; fun f () = a1; val a1 = 2;", "f () = 1 andalso a1 = 2"},
    {"infix 6 plus; fun op plus (p, q) = p + q;", "1 plus 2 * 3 = 7"},
    {"datatype tree = Leaf | Node of tree * int * tree; fun sum Leaf = 0 | sum (Node (l, n, r)) = "
     "sum l + n + sum r;",
     "sum (Node (Node (Leaf, 1, Leaf), 2, Leaf)) = 3"},
    {"fun get ({x, ...} : R) = x; fun set (r : R, v) = {x = v, y = #y r};",
     "get (set ({x = 1, y = \"a\"}, 5)) = 5"},
    {"fun bad x = !x; val fine = 3;", "fine = 3"},
    {"val tokens = 1`1 ++ 2`3; fun twice f x = f (f x);",
     "size tokens = 3 andalso twice (fn n => n + 1) 1 = 3"},
};

static void test_ml(void **state) {
  (void)state;
  struct clew_text net = {0};
  for (size_t i = 0; i < sizeof TRUTHS / sizeof TRUTHS[0]; i++) {
    clew_text_clear(&net);
    clew_text_printf(&net,
                     "<cpnet><globbox>" COLOURS "<ml>%s</ml></globbox><page id='g'>"
                     "<pageattr name='Top'/>" PLACE("p", "B", "%s") "</page></cpnet>",
                     TRUTHS[i].ml, TRUTHS[i].truth);
    struct clew_diag_sink diags = {0};
    struct clew_model *model =
        cpn_load(clew_text_str(&net), "Mark.Top'p 1 == 1`true", NULL, &diags);
    if (model == NULL) {
      fail_msg("%s: %s", TRUTHS[i].truth, diags.data[0].message);
    }
    struct clew_succs succs;
    clew_succs_open(&succs, model->words, 0);
    model->init(model, &succs);
    uint32_t site = CLEW_NONE;
    if (!model->label(model, 0, succs.states, &site)) {
      fail_msg("%s is not true", TRUTHS[i].truth);
    }
    clew_succs_close(&succs);
    model->close(model);
    clew_diag_sink_free(&diags);
  }
  clew_text_free(&net);
}

/* What a place holds after all that can happen in a line has happened. */
static void expect_end(const char *net, const char *wanted) {
  struct clew_diag_sink diags = {0};
  struct clew_model *model = cpn_load(net, wanted, NULL, &diags);
  if (model == NULL) {
    fail_msg("%s", diags.data[0].message);
  }
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, 0);
  model->init(model, &succs);
  uint64_t *now = clew_alloc_zero(model->words, sizeof *now);
  uint32_t steps = 0;
  for (; succs.count > 0 && steps < 50; steps++) {
    assert_int_equal(succs.count, 1);
    memcpy(now, succs.states, model->words * sizeof *now);
    clew_succs_clear(&succs);
    succs.resume = 0;
    model->next(model, now, &succs);
  }
  uint32_t site = CLEW_NONE;
  assert_true(model->label(model, 0, now, &site));
  clew_free(now);
  clew_succs_close(&succs);
  model->close(model);
  clew_diag_sink_free(&diags);
}

static void test_tokens_and_multisets(void **state) {
  (void)state;
  /* On a place of lists, [] and a list are one token; a bare `empty` is, too. */
  expect_end(COLOURED(PLACE("p", "L", "[]")), "size (Mark.Top'p 1) = 1");
  expect_end(COLOURED(PLACE("p", "L", "[1,2]")), "Mark.Top'p 1 = [[1,2]]");
  expect_end(COLOURED(PLACE("p", "L", "1`[] ++ 1`[1]")), "size (Mark.Top'p 1) = 2");
  expect_end(COLOURED(PLACE("p", "INT", "[1,1]")), "Mark.Top'p 1 == 2`1");
  expect_end(COLOURED(PLACE("p", "INT", "empty")), "size (Mark.Top'p 1) = 0");
  expect_end(COLOURED(PLACE("p", "INT", "[]")), "size (Mark.Top'p 1) = 0");
  /* Two arcs at a place add up: only different tokens, or two of one, will do. */
  expect_end(COLOURED(PLACE("p", "INT", "1`1") PLACE("q", "INT", "") TRANS("t", "")
                          TAKE("t", "p", "n") TAKE("t", "p", "n") GIVE("t", "q", "n")),
             "size (Mark.Top'q 1) = 0");
  expect_end(COLOURED(PLACE("p", "INT", "2`1") PLACE("q", "INT", "") TRANS("t", "")
                          TAKE("t", "p", "n") TAKE("t", "p", "m") GIVE("t", "q", "n + m")),
             "Mark.Top'q 1 == 1`2");
  /* The number of tokens that are taken depends on the binding. */
  expect_end(COLOURED(PLACE("p", "INT", "5`1") PLACE("k", "INT", "1`3") TRANS("t", "")
                          TAKE("t", "k", "n") TAKE("t", "p", "n`1")),
             "size (Mark.Top'p 1) = 2");
  expect_end(COLOURED(PLACE("p", "INT", "2`7") PLACE("k", "INT", "1`0") TRANS("t", "")
                          TAKE("t", "k", "n") TAKE("t", "p", "if n = 0 then 1`7 else empty")),
             "size (Mark.Top'p 1) = 1");
  expect_end(COLOURED(PLACE("p", "INT", "2`7") PLACE("k", "INT", "1`1") TRANS("t", "")
                          TAKE("t", "k", "n") TAKE("t", "p", "if n = 0 then 1`7 else empty")),
             "size (Mark.Top'p 1) = 2 andalso size (Mark.Top'k 1) = 0");
  /* An input arc that is no pattern is compared, once its variables have values. */
  expect_end(NET(COLOURS "<ml>fun others n = [n + 1, n + 2];</ml>",
                 PLACE("p", "INT", "1`1++1`5++1`6") PLACE("q", "INT", "1`1++1`4") TRANS("t", "")
                     TAKE("t", "q", "n") TAKE("t", "p", "others n")),
             "Mark.Top'p 1 == 1`1 andalso Mark.Top'q 1 == 1`1");
  /* Guards: without brackets, an empty list, a conjunction. */
  expect_end(COLOURED(PLACE("p", "INT", "1`1++1`2") TRANS("t", GUARD("n = 2")) TAKE("t", "p", "n")),
             "Mark.Top'p 1 == 1`1");
  expect_end(COLOURED(PLACE("p", "INT", "1`1") TRANS("t", GUARD("[]")) TAKE("t", "p", "n")),
             "size (Mark.Top'p 1) = 0");
  expect_end(COLOURED(PLACE("p", "INT", "1`1++1`2++1`3") TRANS("t", GUARD("[n > 1, n &lt; 3]"))
                          TAKE("t", "p", "n")),
             "Mark.Top'p 1 == 1`1++1`3");
  /* A guard conjunct may have its pattern on the right. */
  expect_end(COLOURED(PLACE("p", "INT", "1`4") PLACE("q", "INT", "")
                          TRANS("t", GUARD("[n + 1 = m]")) TAKE("t", "p", "n") GIVE("t", "q", "m")),
             "Mark.Top'q 1 == 1`5");
  /* An arc both ways takes and gives. */
  expect_end(COLOURED(PLACE("p", "INT", "1`1") PLACE("q", "INT", "1`1") TRANS("t", "")
                          ARC("BOTHDIR", "t", "p", "n") TAKE("t", "q", "n")),
             "Mark.Top'p 1 == 1`1 andalso size (Mark.Top'q 1) = 0");
  /* A guard binds; a constant of the declarations is one in a pattern, too. */
  expect_end(COLOURED(PLACE("p", "INT", "1`4") PLACE("q", "INT", "")
                          TRANS("t", GUARD("[m = n + 1]")) TAKE("t", "p", "n") GIVE("t", "q", "m")),
             "Mark.Top'q 1 == 1`5");
  expect_end(NET(COLOURS "<ml>val one = 1;</ml>",
                 PLACE("p", "P", "1`(1,\"x\")++1`(2,\"y\")") PLACE("q", "S", "") TRANS("t", "")
                     TAKE("t", "p", "(one,s)") GIVE("t", "q", "s")),
             "Mark.Top'q 1 == 1`\"x\"");
}

/* Pages: ports are their sockets, and have no marking of their own; arcs of a substitution
 * transition are decoration; a page that is used twice is there twice; members of a fusion set are
 * one place. */
#define PORT(id, type, marking)                                                                    \
  "<place id='" id "'><text>" id "</text><type><text>" type                                        \
  "</text></type><initmark><text>" marking "</text></initmark><port type='I/O'/></place>"
#define FUSED(id, type, marking)                                                                   \
  "<place id='" id "'><text>" id "</text><type><text>" type                                        \
  "</text></type><initmark><text>" marking "</text></initmark><fusioninfo name='F'/></place>"
#define PAGE(id, name, inside) "</page><page id='" id "'><pageattr name='" name "'/>" inside

static void test_pages(void **state) {
  (void)state;
  /* The port's 9 does not count, the arc at the substitution transition does nothing. */
  expect_end(COLOURED(PLACE("a", "INT", "1`1") PLACE("b", "INT", "") TRANS(
                 "s", "<subst subpage='h' portsock='(x,a)(y,b)'/>") TAKE("s", "a", "5`1")
                          PAGE("h", "Low",
                               PORT("x", "INT", "1`9") PORT("y", "INT", "") TRANS("t", "")
                                   TAKE("t", "x", "n") GIVE("t", "y", "n + 1"))),
             "size (Mark.Top'a 1) = 0 andalso Mark.Top'b 1 == 1`2");
  /* Two instances, each with a place of its own; the ports of both are one socket. */
  expect_end(COLOURED(PLACE("a", "INT", "2`1") TRANS("s", "<subst subpage='h' portsock='(x,a)'/>")
                          TRANS("u", "<subst subpage='h' portsock='(x,a)'/>")
                              PAGE("h", "Low",
                                   PORT("x", "INT", "") PLACE("own", "INT", "1`7") TRANS("t", "")
                                       TAKE("t", "own", "8") TAKE("t", "x", "n"))),
             "Mark.Top'a 1 == 2`1 andalso Mark.Low'own 1 == 1`7 andalso Mark.Low'own 2 == 1`7");
  expect_end(COLOURED(FUSED("f", "INT", "1`1") PLACE("b", "INT", "") TRANS("t", "") TAKE(
                 "t", "f", "n") GIVE("t", "b", "n") PAGE("h", "Other", FUSED("g", "INT", "1`1"))),
             "size (Mark.Other'g 1) = 0 andalso Mark.Top'b 1 == 1`1");
  struct clew_diag_sink diags = {0};
  assert_null(
      cpn_load(COLOURED(FUSED("f", "INT", "1`1") PAGE("h", "Other", FUSED("g", "INT", "2`1"))),
               NULL, NULL, &diags));
  assert_string_equal(diags.data[0].message, "page 'Other': place 'g' has another initial marking "
                                             "than others of fusion set 'F'");
  clew_diag_sink_free(&diags);
}

/* Equal bindings are one edge; different ones with equal results are several. */
static void test_edges(void **state) {
  (void)state;
  static const struct {
    const char *net;
    uint32_t edges;
  } rows[] = {
      {COLOURED(PLACE("p", "INT", "3`1") TRANS("t", "") TAKE("t", "p", "n")), 1},
      {COLOURED(PLACE("p", "INT", "1`1++1`2") TRANS("t", "") TAKE("t", "p", "n")), 2},
      {COLOURED(PLACE("p", "INT", "1`1++1`2") TRANS("t", "") TAKE("t", "p", "1`n++1`m")), 2},
      {COLOURED(PLACE("p", "INT", "2`1++1`2") TRANS("t", "") TAKE("t", "p", "1`n++1`m")), 3},
      {COLOURED(PLACE("p", "INT", "1`1") PLACE("q", "T", "") TRANS("t", "") TAKE("t", "p", "n")
                    GIVE("t", "q", "t")),
       4},
      {COLOURED(PLACE("p", "INT", "1`1") PLACE("q", "T", "") TRANS("t", GUARD("[t > 1]"))
                    TAKE("t", "p", "n") GIVE("t", "q", "0")),
       2},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct clew_diag_sink diags = {0};
    struct clew_model *model = cpn_load(rows[i].net, NULL, NULL, &diags);
    assert_non_null(model);
    struct clew_succs succs;
    clew_succs_open(&succs, model->words, 0);
    model->init(model, &succs);
    uint64_t *start = clew_alloc_zero(model->words, sizeof *start);
    memcpy(start, succs.states, model->words * sizeof *start);
    clew_succs_clear(&succs);
    model->next(model, start, &succs);
    assert_int_equal(succs.count, rows[i].edges);
    clew_free(start);
    clew_succs_close(&succs);
    model->close(model);
    clew_diag_sink_free(&diags);
  }
}

/* What fails, and at which kind of site; guards protect outputs. */
static void test_faults(void **state) {
  (void)state;
  static const struct {
    const char *net;
    enum clew_site_kind kind;
    const char *why;
  } rows[] = {
      {COLOURED(PLACE("p", "L", "[]") PLACE("q", "INT", "") TRANS("t", "") TAKE("t", "p", "[]")
                    GIVE("t", "q", "hd []")),
       CLEW_SITE_ASSERTION, "exception Empty (page 'Top', arc from 't' to 'q': hd [])"},
      {COLOURED(PLACE("p", "INT", "0") TRANS("t", GUARD("[1 div n = 1]")) TAKE("t", "p", "n")),
       CLEW_SITE_ASSERTION, "exception Div (page 'Top', guard of transition 't': [1 div n = 1])"},
      {COLOURED(PLACE("p", "INT", "0") PLACE("q", "INT", "") TRANS("t", GUARD("[m = 1 div n]"))
                    TAKE("t", "p", "n") GIVE("t", "q", "m")),
       CLEW_SITE_ASSERTION, "exception Div (page 'Top', guard of transition 't': [m = 1 div n])"},
      {COLOURED(PLACE("p", "INT", "3") PLACE("q", "T", "") TRANS("t", "") TAKE("t", "p", "n")
                    GIVE("t", "q", "n + 1")),
       CLEW_SITE_RANGE, "4 is not in the colour set (page 'Top', arc from 't' to 'q': n + 1)"},
      {NET(COLOURS "<color><id>EVEN</id><subset><id>INT</id><by><ml>fn n => n mod 2 = 0</ml></by>"
                   "</subset></color>",
           PLACE("p", "INT", "2") PLACE("q", "EVEN", "") TRANS("t", "") TAKE("t", "p", "n")
               GIVE("t", "q", "n + 1")),
       CLEW_SITE_RANGE, "3 is not in the colour set (page 'Top', arc from 't' to 'q': n + 1)"},
      {NET(COLOURS "<color><id>L2</id><list><id>INT</id><with><ml>0</ml><ml>2</ml></with></list>"
                   "</color>",
           PLACE("p", "INT", "2") PLACE("q", "L2", "") TRANS("t", "") TAKE("t", "p", "n")
               GIVE("t", "q", "[n,n,n]")),
       CLEW_SITE_RANGE,
       "[2,2,2] is not in the colour set (page 'Top', arc from 't' to 'q': [n,n,n])"},
      {COLOURED(PLACE("p", "INT", "2") PLACE("q", "INT", "") TRANS("t", "") TAKE("t", "p", "n")
                    GIVE("t", "q", "1`n -- 1`3")),
       CLEW_SITE_ASSERTION, "exception Subtract (page 'Top', arc from 't' to 'q': 1`n -- 1`3)"},
      {COLOURED(PLACE("p", "INT", "2") PLACE("q", "INT", "") TRANS("t", "") TAKE("t", "p", "n")
                    GIVE("t", "q", "case n of 1 => 1")),
       CLEW_SITE_ASSERTION, "exception Match (page 'Top', arc from 't' to 'q': case n of 1 => 1)"},
      {NET(COLOURS "<ml>fun f x = 1 + f x;</ml>",
           PLACE("p", "INT", "3") TRANS("t", GUARD("[f n = 1]")) TAKE("t", "p", "n")),
       CLEW_SITE_RECURSION,
       "calls nest too deeply (page 'Top', guard of transition 't': [f n = 1])"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct clew_diag_sink diags = {0};
    struct clew_model *model = cpn_load(rows[i].net, NULL, NULL, &diags);
    assert_non_null(model);
    struct clew_succs succs;
    clew_succs_open(&succs, model->words, 0);
    model->init(model, &succs);
    uint64_t *start = clew_alloc_zero(model->words, sizeof *start);
    memcpy(start, succs.states, model->words * sizeof *start);
    clew_succs_clear(&succs);
    model->next(model, start, &succs);
    assert_int_equal(succs.count, 0);
    assert_int_equal(succs.fault_count, 1);
    assert_false(succs.stuck);
    assert_int_equal(model->sites[succs.faults[0].site].kind, rows[i].kind);
    struct clew_text why = {0};
    struct clew_occasion occasion = {
        .state = start, .edge = succs.faults[0].edge, .label = CLEW_NONE};
    model->explain(model, &occasion, &why);
    assert_string_equal(clew_text_str(&why), rows[i].why);
    clew_text_free(&why);
    clew_free(start);
    clew_succs_close(&succs);
    model->close(model);
    clew_diag_sink_free(&diags);
  }
  /* The first guard is false: the second, and the output, are never asked. */
  expect_end(COLOURED(PLACE("p", "L", "[]") PLACE("q", "INT", "")
                          TRANS("t", GUARD("[not (null (hd [[]])), hd [] = 1]"))
                              TAKE("t", "p", "[]") GIVE("t", "q", "hd []")),
             "size (Mark.Top'p 1) = 1");
}

/* An evaluation without an end is stopped by the flag. */
static void test_stop(void **state) {
  (void)state;
  static const char net[] =
      NET(COLOURS "<ml>fun f x = f (x + 1 - 1);</ml>",
          PLACE("p", "INT", "3") TRANS("t", GUARD("[f n = 1]")) TAKE("t", "p", "n"));
  atomic_bool stop = false;
  struct clew_source source = {"net.cpn", net, strlen(net)};
  struct clew_load_request request = {.source = &source, .stop = &stop};
  struct clew_diag_sink diags = {0};
  struct clew_model *model = NULL;
  assert_int_equal(clew_language_cpn.load(&request, &diags, &model), CLEW_OK);
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, 0);
  model->init(model, &succs);
  uint64_t *start = clew_alloc_zero(model->words, sizeof *start);
  memcpy(start, succs.states, model->words * sizeof *start);
  clew_succs_clear(&succs);
  stop = true;
  model->next(model, start, &succs);
  assert_int_equal(succs.fault_count, 1);
  assert_int_equal(model->sites[succs.faults[0].site].kind, CLEW_SITE_STOPPED);
  clew_free(start);
  clew_succs_close(&succs);
  model->close(model);
  clew_diag_sink_free(&diags);
}

static void test_params(void **state) {
  (void)state;
  static const char net[] = NET(COLOURS "<ml>val most = 1;</ml>", PLACE("p", "INT", "most"));
  static const struct {
    const char *name, *value, *truth;
  } rows[] = {{"most", "4 + 1", "Mark.Top'p 1 == 1`5"},
              {"p", "3`2", "Mark.Top'p 1 == 3`2"},
              {"Top.p", "empty", "size (Mark.Top'p 1) = 0"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct clew_override param = {.name = rows[i].name, .value = rows[i].value};
    struct clew_diag_sink diags = {0};
    struct clew_model *model = cpn_load(net, rows[i].truth, &param, &diags);
    assert_non_null(model);
    assert_true(param.used);
    struct clew_succs succs;
    clew_succs_open(&succs, model->words, 0);
    model->init(model, &succs);
    uint32_t site = CLEW_NONE;
    assert_true(model->label(model, 0, succs.states, &site));
    clew_succs_close(&succs);
    model->close(model);
    clew_diag_sink_free(&diags);
  }
  struct clew_override wrong = {.name = "p", .value = "\"x\""};
  struct clew_diag_sink diags = {0};
  assert_null(cpn_load(net, NULL, &wrong, &diags));
  assert_string_equal(diags.data[0].file, "--param p");
  clew_diag_sink_free(&diags);
}

/* ---- random nets ---- */

/* Places hold pairs of numbers below VALUES; a marking counts tokens by place and pair. */
enum { VALUES = 3, PLACES = 3, TRANSITIONS = 4, VARIABLES = 3, ARCS = 2, TOKENS = VALUES * VALUES };

/* A number: a variable, a constant, or a variable plus a constant, modulo VALUES. */
struct number {
  uint32_t variable; /* VARIABLES: none */
  uint32_t plus;
};

struct term {
  uint32_t place, count; /* of equal tokens */
  struct number first, second;
  bool is_conditional; /* an output only: if var 0 = var 1 then it else empty */
};

struct net {
  uint32_t initial[PLACES][TOKENS];
  struct {
    struct term takes[ARCS], gives[ARCS];
    uint32_t take_count, give_count;
    uint32_t guard; /* 0: none; 1: v0 <> v1; 2: v0 <= v1; 3: v2 = (v0 + 1) mod VALUES */
  } t[TRANSITIONS];
};

static struct number random_number(struct clew_random *random, bool is_pattern) {
  struct number n = {(uint32_t)clew_random_below(random, VARIABLES + 1), 0};
  if (n.variable == VARIABLES || !is_pattern) {
    n.plus = (uint32_t)clew_random_below(random, VALUES);
  }
  return n;
}

static void make_net(struct clew_random *random, struct net *net) {
  memset(net, 0, sizeof *net);
  for (uint32_t i = 0; i < 5; i++) {
    net->initial[clew_random_below(random, PLACES)][clew_random_below(random, TOKENS)]++;
  }
  for (uint32_t i = 0; i < TRANSITIONS; i++) {
    net->t[i].take_count = 1 + (uint32_t)clew_random_below(random, ARCS);
    net->t[i].give_count = net->t[i].take_count - (clew_random_below(random, 5) == 0);
    net->t[i].guard = (uint32_t)clew_random_below(random, 4);
    for (uint32_t a = 0; a < ARCS; a++) {
      net->t[i].takes[a] = (struct term){.place = (uint32_t)clew_random_below(random, PLACES),
                                         .count = 1 + (clew_random_below(random, 6) == 0),
                                         .first = random_number(random, true),
                                         .second = random_number(random, true)};
      net->t[i].gives[a] = (struct term){.place = (uint32_t)clew_random_below(random, PLACES),
                                         .count = 1,
                                         .first = random_number(random, false),
                                         .second = random_number(random, false),
                                         .is_conditional = clew_random_below(random, 4) == 0};
    }
  }
}

static void put_number(struct number n, struct clew_text *out) {
  if (n.variable == VARIABLES) {
    clew_text_printf(out, "%u", n.plus);
  } else if (n.plus == 0) {
    clew_text_printf(out, "v%u", n.variable);
  } else {
    clew_text_printf(out, "(v%u + %u) mod %d", n.variable, n.plus, VALUES);
  }
}

static void put_arc(const char *way, uint32_t t, const struct term *term, struct clew_text *out) {
  clew_text_printf(out,
                   "<arc orientation='%s'><transend idref='t%u'/><placeend idref='p%u'/>"
                   "<annot><text>",
                   way, t, term->place);
  clew_text_printf(out, "%s", term->is_conditional ? "if v0 = v1 then " : "");
  if (term->count > 1 || term->is_conditional) {
    clew_text_printf(out, "%u`", term->count);
  }
  clew_text_char(out, '(');
  put_number(term->first, out);
  clew_text_char(out, ',');
  put_number(term->second, out);
  clew_text_printf(out, ")%s</text></annot></arc>", term->is_conditional ? " else empty" : "");
}

static void print_net(const struct net *net, struct clew_text *out) {
  static const char *const guards[] = {"", "[v0 &lt;> v1]", "v0 &lt;= v1", "[v2 = (v0 + 1) mod 3]"};
  clew_text_printf(out,
                   "<cpnet><globbox><color><id>N</id><int><with><ml>0</ml><ml>%d</ml></with></int>"
                   "</color><color><id>P</id><product><id>N</id><id>N</id></product></color>"
                   "<var><type><id>N</id></type><id>v0</id><id>v1</id><id>v2</id></var></globbox>"
                   "<page id='g'><pageattr name='Top'/>",
                   VALUES - 1);
  for (uint32_t p = 0; p < PLACES; p++) {
    clew_text_printf(out,
                     "<place id='p%u'><text>p%u</text><type><text>P</text></type>"
                     "<initmark><text>empty",
                     p, p);
    for (uint32_t k = 0; k < TOKENS; k++) {
      clew_text_printf(out, "++%u`(%u,%u)", net->initial[p][k], k / VALUES, k % VALUES);
    }
    clew_text_put(out, "</text></initmark></place>");
  }
  for (uint32_t i = 0; i < TRANSITIONS; i++) {
    clew_text_printf(out, "<trans id='t%u'><text>t%u</text><cond><text>%s</text></cond></trans>", i,
                     i, guards[net->t[i].guard]);
    for (uint32_t a = 0; a < net->t[i].take_count; a++) {
      put_arc("PtoT", i, &net->t[i].takes[a], out);
    }
    for (uint32_t a = 0; a < net->t[i].give_count; a++) {
      put_arc("TtoP", i, &net->t[i].gives[a], out);
    }
  }
  clew_text_put(out, "</page></cpnet>");
}

/* ---- exploring it as it stands ---- */

enum { MOST_MARKINGS = 3000 };

struct marking {
  uint8_t counts[PLACES][TOKENS];
};

struct plain {
  struct marking list[MOST_MARKINGS];
  uint32_t count, dead;
  uint64_t edges;
};

static uint32_t value_of(struct number n, const uint32_t *v) {
  return n.variable == VARIABLES ? n.plus : (v[n.variable] + n.plus) % VALUES;
}

static void note_variable(struct number n, bool *used) {
  if (n.variable < VARIABLES) {
    used[n.variable] = true;
  }
}

/* Those that occur somewhere at the transition. */
static void find_variables(const struct net *net, uint32_t t, bool *used) {
  for (uint32_t a = 0; a < net->t[t].take_count; a++) {
    note_variable(net->t[t].takes[a].first, used);
    note_variable(net->t[t].takes[a].second, used);
  }
  for (uint32_t a = 0; a < net->t[t].give_count; a++) {
    const struct term *term = &net->t[t].gives[a];
    note_variable(term->first, used);
    note_variable(term->second, used);
    used[0] = used[0] || term->is_conditional;
    used[1] = used[1] || term->is_conditional;
  }
  used[0] = used[0] || net->t[t].guard != 0;
  used[1] = used[1] || net->t[t].guard == 1 || net->t[t].guard == 2;
  used[2] = used[2] || net->t[t].guard == 3;
}

static bool fire_plain(const struct net *net, uint32_t t, const uint32_t *v, struct marking *m) {
  uint32_t guard = net->t[t].guard;
  if ((guard == 1 && v[0] == v[1]) || (guard == 2 && v[0] > v[1]) ||
      (guard == 3 && v[2] != (v[0] + 1) % VALUES)) {
    return false;
  }
  for (uint32_t a = 0; a < net->t[t].take_count; a++) {
    const struct term *term = &net->t[t].takes[a];
    uint8_t *count =
        &m->counts[term->place][value_of(term->first, v) * VALUES + value_of(term->second, v)];
    if (*count < term->count) {
      return false;
    }
    *count = (uint8_t)(*count - term->count);
  }
  for (uint32_t a = 0; a < net->t[t].give_count; a++) {
    const struct term *term = &net->t[t].gives[a];
    if (!term->is_conditional || v[0] == v[1]) {
      m->counts[term->place][value_of(term->first, v) * VALUES + value_of(term->second, v)]++;
    }
  }
  return true;
}

static bool add_plain(struct plain *plain, const struct marking *m) {
  for (uint32_t i = 0; i < plain->count; i++) {
    if (memcmp(&plain->list[i], m, sizeof *m) == 0) {
      return true;
    }
  }
  if (plain->count == MOST_MARKINGS) {
    return false;
  }
  plain->list[plain->count++] = *m;
  return true;
}

static bool explore_plain(const struct net *net, struct plain *plain) {
  memset(plain, 0, sizeof *plain);
  for (uint32_t p = 0; p < PLACES; p++) {
    for (uint32_t k = 0; k < TOKENS; k++) {
      plain->list[0].counts[p][k] = (uint8_t)net->initial[p][k];
    }
  }
  plain->count = 1;
  for (uint32_t at = 0; at < plain->count; at++) {
    uint64_t before = plain->edges;
    for (uint32_t t = 0; t < TRANSITIONS; t++) {
      bool used[VARIABLES] = {false};
      find_variables(net, t, used);
      for (uint32_t code = 0; code < VALUES * VALUES * VALUES; code++) {
        uint32_t v[VARIABLES] = {code / 9, code / 3 % 3, code % 3};
        bool is_repeated = false; /* values of variables that do not occur are no difference */
        for (uint32_t i = 0; i < VARIABLES; i++) {
          is_repeated = is_repeated || (!used[i] && v[i] != 0);
        }
        struct marking next = plain->list[at];
        if (!is_repeated && fire_plain(net, t, v, &next)) {
          plain->edges++;
          if (!add_plain(plain, &next)) {
            return false;
          }
        }
      }
    }
    plain->dead += plain->edges == before;
  }
  return true;
}

/* ---- and by the model ---- */

struct counts {
  uint64_t states, edges, dead;
  bool is_narrow; /* something did not fit: nothing else means anything */
};

static void remember(struct state_set *set, const uint64_t *state) {
  uint64_t hash = clew_hash_words(state, set->words, 0);
  if (state_set_find(set, hash, state) == STATE_SET_NONE) {
    (void)state_set_add(set, hash, state);
  }
}

static struct counts explore_model(const struct clew_model *model, bool compares_fire) {
  struct counts counts = {0};
  struct state_set set;
  state_set_open(&set, model->words);
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, 0);
  model->init(model, &succs);
  remember(&set, succs.states);
  uint64_t *now = clew_alloc_zero((size_t)model->words * 2, sizeof *now), *out = now + model->words;
  for (uint32_t at = 0; at < state_set_count(&set); at++) {
    memcpy(now, state_set_at(&set, at), model->words * sizeof *now);
    clew_succs_clear(&succs);
    succs.resume = 0;
    model->next(model, now, &succs);
    if (succs.fault_count > 0) {
      assert_int_equal(model->sites[succs.faults[0].site].kind, CLEW_SITE_LAYOUT);
      counts.is_narrow = true;
      break;
    }
    counts.edges += succs.count;
    counts.dead += succs.stuck;
    for (uint32_t i = 0; i < succs.count; i++) {
      const uint64_t *successor = succs.states + (size_t)i * model->words;
      uint32_t site;
      assert_true(i == 0 || succs.edges[i - 1] < succs.edges[i]);
      if (compares_fire) {
        assert_true(model->fire(model, now, succs.edges[i], out, &site));
        assert_memory_equal(out, successor, model->words * sizeof *out);
        assert_true(model->reference->fire(model->reference, now, succs.edges[i], out, &site));
        assert_memory_equal(out, successor, model->words * sizeof *out);
      }
      remember(&set, successor);
    }
  }
  counts.states = state_set_count(&set);
  clew_free(now);
  clew_succs_close(&succs);
  state_set_close(&set);
  return counts;
}

/* In as few bits as the model thinks right, and again where these are too few. */
static struct counts explore_narrow(struct clew_model *model, uint32_t *fits) {
  struct counts counts = {.is_narrow = true};
  for (*fits = 0; counts.is_narrow && *fits < 10; ++*fits) {
    model->fit(model, NULL);
    counts = explore_model(model, false);
  }
  assert_false(counts.is_narrow);
  return counts;
}

/* One token that has 14,400 values: more than anybody looks at before the search. */
static void test_layouts(void **state) {
  (void)state;
  static const char text[] =
      NET("<color><id>N</id><int/></color>"
          "<color><id>NN</id><product><id>N</id><id>N</id></product></color>"
          "<var><type><id>N</id></type><id>i</id><id>j</id></var>",
          PLACE("p", "NN", "1`(0,0)") TRANS("t", "") TRANS("u", "") TAKE("t", "p", "(i,j)")
              GIVE("t", "p", "((i + 1) mod 120, j)") TAKE("u", "p", "(i,j)")
                  GIVE("u", "p", "(i, (j + 1) mod 120)"));
  struct clew_diag_sink diags = {0};
  struct clew_model *model = cpn_load(text, NULL, NULL, &diags);
  if (model == NULL) {
    fail_msg("%s", diags.data[0].message);
  }
  uint32_t fits;
  struct counts counts = explore_narrow(model, &fits);
  assert_int_equal(counts.states, 14400);
  assert_int_equal(counts.edges, 28800);
  assert_true(fits > 1 && model->state_bits < 20);
  model->close(model);
  clew_diag_sink_free(&diags);
}

static void test_random_nets(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 20);
  struct plain *plain = clew_alloc_zero(1, sizeof *plain);
  uint32_t compared = 0, large = 0, by_colour = 0;
  for (uint32_t round = 0; round < 150; round++) {
    struct net net;
    struct clew_text text = {0};
    make_net(&random, &net);
    if (!explore_plain(&net, plain)) {
      continue;
    }
    print_net(&net, &text);
    struct clew_diag_sink diags = {0};
    struct clew_model *model = cpn_load(clew_text_str(&text), NULL, NULL, &diags);
    if (model == NULL) {
      fail_msg("%s: %s", clew_text_str(&text), diags.data[0].message);
    }
    struct counts counts = explore_model(model, true);
    if (counts.states != plain->count || counts.edges != plain->edges ||
        counts.dead != plain->dead) {
      fail_msg("round %u: %llu markings, %llu edges, %llu dead, not %u, %llu, %u:\n%s", round,
               (unsigned long long)counts.states, (unsigned long long)counts.edges,
               (unsigned long long)counts.dead, plain->count, (unsigned long long)plain->edges,
               plain->dead, clew_text_str(&text));
    }
    uint32_t fits;
    struct counts narrow = model->fit != NULL ? explore_narrow(model, &fits) : counts;
    assert_int_equal(narrow.states, counts.states);
    assert_int_equal(narrow.edges, counts.edges);
    assert_int_equal(narrow.dead, counts.dead);
    if (cpn_count_colours(cpn_of(model))) {
      struct counts unfolded = explore_model(model, true);
      assert_int_equal(unfolded.states, counts.states);
      assert_int_equal(unfolded.edges, counts.edges);
      assert_int_equal(unfolded.dead, counts.dead);
      by_colour++;
    }
    compared++;
    large += plain->count > 20;
    model->close(model);
    clew_diag_sink_free(&diags);
    clew_text_free(&text);
  }
  if (compared < 100 || large < 20 || by_colour < 50) {
    fail_msg("%u nets compared, %u of them large, %u unfolded", compared, large, by_colour);
  }
  clew_free(plain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_ml),
      cmocka_unit_test(test_tokens_and_multisets),
      cmocka_unit_test(test_edges),
      cmocka_unit_test(test_pages),
      cmocka_unit_test(test_faults),
      cmocka_unit_test(test_stop),
      cmocka_unit_test(test_params),
      cmocka_unit_test(test_layouts),
      cmocka_unit_test(test_random_nets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
