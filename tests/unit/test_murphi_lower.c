/* What Murphi models become: small ones are loaded and run by the interpreter, and the whole graph
 * (states, edges by name, run-time errors with their messages and places) is compared as text. */
#include <string.h>

#include "base/alloc.h"
#include "ir/interp.h"
#include "lang/murphi/murphi.h"
#include "unit/model_load.h"

static struct clew_program *load(const char *text) {
  return model_load(clew_murphi_program, text);
}

/* ---- Graphs as text ------------------------------------------------------------------------- */

struct graph {
  struct clew_program *program;
  CLEW_VEC(uint64_t) words;
  uint32_t count;
  struct clew_text text;
};

/* The number of the state, a new one if it is. */
static uint32_t graph_put(struct graph *graph, const uint64_t *state) {
  uint32_t words = graph->program->words;
  for (uint32_t i = 0; i < graph->count; i++) {
    if (memcmp(graph->words.data + (size_t)i * words, state, words * sizeof *state) == 0) {
      return i;
    }
  }
  for (uint32_t i = 0; i < words; i++) {
    clew_vec_push(&graph->words, state[i]);
  }
  return graph->count++;
}

static void put_value(struct clew_text *out, const struct clew_domain *domain, int64_t value) {
  if (value == CLEW_UNDEFINED) {
    clew_text_char(out, '?');
  } else {
    clew_domain_print(domain, value, out);
  }
}

static void put_state(struct graph *graph, uint32_t number) {
  const struct clew_program *program = graph->program;
  const uint64_t *state = graph->words.data + (size_t)number * program->words;
  clew_text_printf(&graph->text, "%u:", number);
  for (uint32_t i = 0; i < program->slot_count; i++) {
    const struct clew_slot *slot = &program->slots[i];
    bool absent =
        slot->presence != CLEW_NONE && clew_slot_get(&program->slots[slot->presence], state) == 0;
    if (!slot->hidden && !absent) {
      clew_text_printf(&graph->text, " %s=", slot->name);
      put_value(&graph->text, slot->domain, clew_slot_get(slot, state));
    }
  }
  clew_text_char(&graph->text, '\n');
}

/* "name, i: 3" */
static void put_edge(struct graph *graph, bool start, uint32_t edge) {
  struct clew_edge_parts parts = clew_program_edge(graph->program, start, edge);
  clew_text_printf(&graph->text, "  %s", parts.rule->name);
  for (uint32_t i = 0; i < parts.family->parameter_count; i++) {
    const struct clew_parameter *parameter = &parts.family->parameters[i];
    clew_text_printf(&graph->text, ", %s: ", parameter->name);
    put_value(&graph->text, parameter->domain,
              clew_family_parameter(parts.family, parts.instance, i));
  }
}

/* The successors and faults, merged in the order of their edges. */
static void put_edges(struct graph *graph, const struct clew_succs *succs, bool start) {
  uint32_t state = 0, fault = 0;
  while (state < succs->count || fault < succs->fault_count) {
    bool is_fault = state == succs->count ||
                    (fault < succs->fault_count && succs->faults[fault].edge < succs->edges[state]);
    uint32_t edge = is_fault ? succs->faults[fault].edge : succs->edges[state];
    put_edge(graph, start, edge);
    if (is_fault) {
      const struct clew_site *site = &graph->program->sites.data[succs->faults[fault++].site];
      clew_text_printf(&graph->text, " ! %s (%u:%u)\n", site->message, site->position.line,
                       site->position.column);
    } else {
      const uint64_t *words = succs->states + (size_t)state++ * graph->program->words;
      uint32_t target = graph_put(graph, words);
      clew_text_printf(&graph->text, " -> %u\n", target);
    }
  }
}

/* The whole graph of a small model; the program is closed. */
static void expect_program_graph(struct clew_program *program, const char *expected) {
  struct graph graph = {.program = program};
  struct clew_succs succs;
  clew_succs_open(&succs, program->words, program->cover_count);
  clew_interp_init(program, &succs);
  put_edges(&graph, &succs, true);
  uint64_t *state = clew_alloc_zero(program->words, sizeof *state);
  for (uint32_t i = 0; i < graph.count; i++) {
    put_state(&graph, i);
    memcpy(state, graph.words.data + (size_t)i * program->words, program->words * sizeof *state);
    clew_succs_clear(&succs);
    clew_interp_next(program, state, &succs);
    put_edges(&graph, &succs, false);
  }
  assert_string_equal(clew_text_str(&graph.text), expected);
  clew_free(state);
  clew_succs_close(&succs);
  clew_vec_free(&graph.words);
  clew_text_free(&graph.text);
  clew_program_close(program);
}

static void expect_graph(const char *text, const char *expected) {
  expect_program_graph(load(text), expected);
}

/* ---- Rules and names ------------------------------------------------------------------------ */

static void test_rules_and_names(void **state) {
  (void)state;
  expect_graph(
      "type S: scalarset(2); E: enum {red, green}; var x: 0..1; s: S; e: E; b: boolean;\n"
      "  u: scalarset(2);\n"
      "startstate \" first one \" x := 0; end;\n"
      "startstate x := 1; end;\n"
      "rule \"named\" x = 0 ==> x := 1; end;\n"
      "ruleset k: S do ruleset c: E do rule x = 1 & isundefined(s) ==> s := k; e := c; end;\n"
      "  rule \"second\" x = 1 & isundefined(e) ==> e := c; end; end; end;\n",
      "  first one -> 0\n"
      "  startstate 2 -> 1\n"
      "0: x=0 s=? e=? b=? u=?\n"
      "  named -> 1\n"
      "1: x=1 s=? e=? b=? u=?\n"
      "  rule 2, k: S_1, c: red -> 2\n"
      "  second, k: S_1, c: red -> 3\n"
      "  rule 2, k: S_1, c: green -> 4\n"
      "  second, k: S_1, c: green -> 5\n"
      "  rule 2, k: S_2, c: red -> 6\n"
      "  second, k: S_2, c: red -> 3\n"
      "  rule 2, k: S_2, c: green -> 7\n"
      "  second, k: S_2, c: green -> 5\n"
      "2: x=1 s=S_1 e=red b=? u=?\n"
      "3: x=1 s=? e=red b=? u=?\n"
      "  rule 2, k: S_1, c: red -> 2\n"
      "  rule 2, k: S_1, c: green -> 4\n"
      "  rule 2, k: S_2, c: red -> 6\n"
      "  rule 2, k: S_2, c: green -> 7\n"
      "4: x=1 s=S_1 e=green b=? u=?\n"
      "5: x=1 s=? e=green b=? u=?\n"
      "  rule 2, k: S_1, c: red -> 2\n"
      "  rule 2, k: S_1, c: green -> 4\n"
      "  rule 2, k: S_2, c: red -> 6\n"
      "  rule 2, k: S_2, c: green -> 7\n"
      "6: x=1 s=S_2 e=red b=? u=?\n"
      "7: x=1 s=S_2 e=green b=? u=?\n");
}

static void test_parameters_with_steps_and_holes(void **state) {
  (void)state;
  expect_graph(
      "type A: enum {a1}; B: enum {b1, b2}; C: enum {c1};\n"
      "  AB: union {A, B}; BC: union {B, C}; CA: union {C, A}; var v: CA; n: 0..9;\n"
      "  w: array [CA] of boolean;\n"
      "startstate end;\n"
      "ruleset k: CA do rule \"union\" isundefined(v) ==> v := k; w[k] := true; end; end;\n"
      "ruleset i := 7 to 1 by -3 do rule \"down\" !isundefined(v) & isundefined(n) & i > 1\n"
      "  ==> n := i; end; end;\n",
      "  startstate 1 -> 0\n"
      "0: v=? n=? w[a1]=? w[c1]=?\n"
      "  union, k: a1 -> 1\n"
      "  union, k: c1 -> 2\n"
      "1: v=a1 n=? w[a1]=true w[c1]=?\n"
      "  down, i: 7 -> 3\n"
      "  down, i: 4 -> 4\n"
      "2: v=c1 n=? w[a1]=? w[c1]=true\n"
      "  down, i: 7 -> 5\n"
      "  down, i: 4 -> 6\n"
      "3: v=a1 n=7 w[a1]=true w[c1]=?\n"
      "4: v=a1 n=4 w[a1]=true w[c1]=?\n"
      "5: v=c1 n=7 w[a1]=? w[c1]=true\n"
      "6: v=c1 n=4 w[a1]=? w[c1]=true\n");
}

static void test_priorities_and_choose(void **state) {
  (void)state;
  expect_graph("var bag: multiset [3] of 0..2; startstate undefine bag; end;\n"
               "rule 7 \"low\" multisetcount(i: bag, true) = 0 ==> multisetadd(2, bag); end;\n"
               "rule 3 \"high\" multisetcount(i: bag, true) < 2 ==>\n"
               "  multisetadd(multisetcount(i: bag, true), bag); end;\n"
               "choose i: bag do rule \"take\" bag[i] = 1 ==> multisetremove(i, bag); end; end;\n",
               "  startstate 1 -> 0\n"
               "0:\n"
               "  high -> 1\n"
               "1: bag[0]=0\n"
               "  high -> 2\n"
               "2: bag[0]=0 bag[1]=1\n"
               "  take, i: 1 -> 1\n");
}

/* ---- Run-time errors ------------------------------------------------------------------------ */

static void test_messages(void **state) {
  (void)state;
  expect_graph(
      "type P: 0..3; var x, y: 0..7; a: array [P] of record k: 0..3; end; e: enum {red, green};\n"
      "type E: enum {one}; F: enum {two}; U: union {E, F}; var f: F; u: U;\n"
      "function g(k: 0..3): 0..3; begin return k + x; end;\n"
      "function h(): 0..3; begin end;\n"
      "startstate x := 5; u := one; end;\n"
      "rule \"undefined\"\n  x := a[0] . k + 1; end;\n"
      "rule \"range\"\n  x := x + 3; end;\n"
      "rule \"index\"\n  a[x].k := 1; end;\n"
      "rule \"union\"\n  f := u; end;\n"
      "rule \"division\"\n  x := x / (x - 5); end;\n"
      "rule \"argument\"\n  x := g(x); end;\n"
      "rule \"result\"\n  x := g(3); end;\n"
      "rule \"no result\"\n  x := h(); end;\n"
      "rule \"assertion\"\n  assert x != -- not\n    5; end;\n"
      "rule \"text\"\n  assert false \"because\"; end;\n"
      "rule \"error\"\n  error \"stop\"; end;\n"
      "rule \"loop\"\n  while true do end; end;\n"
      "rule \"guard\"\n  y = 0 ==> end;\n",
      "  startstate 1 -> 0\n"
      "0: x=5 y=? a[0].k=? a[1].k=? a[2].k=? a[3].k=? e=? f=? u=one\n"
      "  undefined ! \"a[0] . k\" is undefined (7:8)\n"
      "  range ! value assigned to \"x\" is out of its range 0..7 (9:3)\n"
      "  index ! index of \"a\" is out of its range 0..3 (P) (11:5)\n"
      "  union ! value assigned to \"f\" is not a member of F (13:3)\n"
      "  division ! division by zero in \"x / (x - 5)\" (15:8)\n"
      "  argument ! the argument of \"g\" for \"k\" is out of its range 0..3 (3:12)\n"
      "  result ! value returned by \"g\" is out of its range 0..3 (3:41)\n"
      "  no result ! the function \"h\" ended without returning a value (4:10)\n"
      "  assertion ! assertion failed: x != 5 (23:3)\n"
      "  text ! assertion failed: because (26:3)\n"
      "  error ! error: stop (28:3)\n"
      "  loop ! the while loop does not end within 1000 iterations (30:3)\n"
      "  guard ! \"y\" is undefined (32:3)\n");
}

static void test_multiset_messages(void **state) {
  (void)state;
  expect_graph("type R: record k: 0..3; end; var bag: multiset [1] of R; n: 0..7;\n"
               "procedure set(var r: R); begin r.k := 1; end;\n"
               "startstate undefine bag; add(); end;\n"
               "procedure add(); var r: R; begin r.k := 2; multisetadd(r, bag); end;\n"
               "rule \"full\" add(); end;\n"
               "choose i: bag do\n"
               "rule \"read\" multisetremove(i, bag); n := bag[i].k + 0; end;\n"
               "rule \"copy\" multisetremove(i, bag); n := bag[i].k; end;\n"
               "rule \"write\" multisetremove(i, bag); bag[i].k := 1; end;\n"
               "rule \"refer\" multisetremove(i, bag); set(bag[i]); end;\n"
               "rule \"twice\" multisetremove(i, bag); multisetremove(i, bag); end;\n"
               "rule \"alias\" alias r: bag[i] do multisetremove(i, bag); r.k := 1; end; end;\n"
               "end;\n",
               "  startstate 1 -> 0\n"
               "0: bag[0].k=2 n=?\n"
               "  full ! the multiset \"bag\" is full: it holds at most 1 element (4:44)\n"
               "  read, i: 0 ! \"bag[i].k\" is undefined (7:42)\n"
               "  copy, i: 0 ! \"bag[i]\" does not exist: the element was removed (8:42)\n"
               "  write, i: 0 ! \"bag[i]\" does not exist: the element was removed (9:38)\n"
               "  refer, i: 0 ! \"bag[i]\" does not exist: the element was removed (10:42)\n"
               "  twice, i: 0 ! \"bag[i]\" does not exist: the element was removed (11:38)\n"
               "  alias, i: 0 ! \"bag[i]\" does not exist: the element was removed (12:23)\n");
}

/* ---- Statements ----------------------------------------------------------------------------- */

static void test_undefined_values_are_copied(void **state) {
  (void)state;
  expect_graph("var x, y: 0..1; r: record a, b: 0..1; end; s: record a, b: 0..1; end;\n"
               "procedure keep(v: 0..1); begin y := v; end;\n"
               "startstate y := 1; r.a := 1; end;\n"
               "rule \"assign\" y := x; end;\n"
               "rule \"argument\" keep(x); end;\n"
               "rule \"literal\" keep(undefined); end;\n"
               "rule \"record\" s := r; end;\n"
               "rule \"compute\" !isundefined(y) ==> y := x + 0; end;\n",
               "  startstate 1 -> 0\n"
               "0: x=? y=1 r.a=1 r.b=? s.a=? s.b=?\n"
               "  assign -> 1\n"
               "  argument -> 1\n"
               "  literal -> 1\n"
               "  record -> 2\n"
               "  compute ! \"x\" is undefined (8:41)\n"
               "1: x=? y=? r.a=1 r.b=? s.a=? s.b=?\n"
               "  assign -> 1\n"
               "  argument -> 1\n"
               "  literal -> 1\n"
               "  record -> 3\n"
               "2: x=? y=1 r.a=1 r.b=? s.a=1 s.b=?\n"
               "  assign -> 3\n"
               "  argument -> 3\n"
               "  literal -> 3\n"
               "  record -> 2\n"
               "  compute ! \"x\" is undefined (8:41)\n"
               "3: x=? y=? r.a=1 r.b=? s.a=1 s.b=?\n"
               "  assign -> 3\n"
               "  argument -> 3\n"
               "  literal -> 3\n"
               "  record -> 3\n");
}

static void test_alias_is_bound_once(void **state) {
  (void)state;
  expect_graph(
      "var i: 0..1; a: array [0..1] of 0..3;\n"
      "startstate i := 0; a[0] := 0; a[1] := 0; end;\n"
      "alias me: a[i] do rule \"around\" me = 0 ==> i := 1 - i; me := 1; end; end;\n"
      "rule \"inside\" a[0] + a[1] = 0 ==> alias it: a[i] do i := 1 - i; it := 2; end; end;\n"
      "rule \"value\" a[0] + a[1] = 0 ==> alias v: a[i] + 3 do a[i] := 1; a[1 - i] := v; end;\n"
      "end;\n",
      "  startstate 1 -> 0\n"
      "0: i=0 a[0]=0 a[1]=0\n"
      "  around -> 1\n"
      "  inside -> 2\n"
      "  value -> 3\n"
      "1: i=1 a[0]=1 a[1]=0\n"
      "  around -> 4\n"
      "2: i=1 a[0]=2 a[1]=0\n"
      "  around -> 5\n"
      "3: i=0 a[0]=1 a[1]=3\n"
      "4: i=0 a[0]=1 a[1]=1\n"
      "5: i=0 a[0]=2 a[1]=1\n");
}

static void test_switch_takes_the_first_case(void **state) {
  (void)state;
  expect_graph("var n: 0..4; startstate n := 0; end;\n"
               "rule \"next\" switch n case 0, 1: n := n + 1; case 1, 2: n := n + 2; case 0:\n"
               "  error \"no\"; else n := 0; end; end;\n",
               "  startstate 1 -> 0\n"
               "0: n=0\n"
               "  next -> 1\n"
               "1: n=1\n"
               "  next -> 2\n"
               "2: n=2\n"
               "  next -> 3\n"
               "3: n=4\n"
               "  next -> 0\n");
}

/* ---- The program ---------------------------------------------------------------------------- */

static void test_properties(void **state) {
  (void)state;
  struct clew_program *program =
      load("var n: 0..1; startstate n := 0; end;\n"
           "rule \"r\" cover n = 1 \"mine\"; cover n = 0; n := 1 - n; end;\n"
           "invariant n < 2; invariant \"named\" n >= 0; assert n < 2; cover n = 1;\n"
           "assume n < 2; liveness n = 0;\n"
           "ruleset v: 0..1 do liveness \"each\" n = v; invariant n = v | n != v; end;\n");
  static const struct {
    enum clew_property_kind kind;
    const char *name;
  } expected[] = {
      {CLEW_PROPERTY_DEADLOCK, "deadlock"},
      {CLEW_PROPERTY_FAULT, NULL},
      {CLEW_PROPERTY_INVARIANT, "invariant 1"},
      {CLEW_PROPERTY_INVARIANT, "named"},
      {CLEW_PROPERTY_INVARIANT, "assertion 1"},
      {CLEW_PROPERTY_COVER, "cover 1"},
      {CLEW_PROPERTY_LIVENESS, "liveness 1"},
      {CLEW_PROPERTY_LIVENESS, "each, v: 0"},
      {CLEW_PROPERTY_LIVENESS, "each, v: 1"},
      {CLEW_PROPERTY_INVARIANT, "invariant 3"},
      {CLEW_PROPERTY_COVER, "mine"},
      {CLEW_PROPERTY_COVER, "cover 3"},
  };
  assert_int_equal(program->properties.len, sizeof expected / sizeof expected[0]);
  for (uint32_t i = 0; i < program->properties.len; i++) {
    const struct clew_property *property = &program->properties.data[i];
    assert_int_equal(property->kind, expected[i].kind);
    assert_true(expected[i].name == NULL || strcmp(property->name, expected[i].name) == 0);
  }
  assert_int_equal(program->cover_count, 2);
  assert_true(program->properties.data[10].is_statement);
  assert_int_equal(program->properties.data[11].label, 1);
  assert_int_equal(program->assumptions.len, 1);
  assert_int_equal(program->deadlock, CLEW_DEADLOCK_STUTTERING);
  clew_program_close(program);
}

/* A procedure is lowered once for each way references are passed to it, and not at all when nobody
 * calls it. */
static void test_variants_of_procedures(void **state) {
  (void)state;
  struct clew_program *program =
      load("var x, y: 0..7; r: record k: 0..7; end;\n"
           "procedure swap(var a, b: 0..7); var t: 0..7; begin t := a; a := b; b := t; end;\n"
           "procedure unused(); begin unused(); end;\n"
           "function get(q: record k: 0..7; end): 0..7; begin return q.k; end;\n"
           "procedure small(k: 0..3); begin x := k; end;\n"
           "startstate x := 0; y := 0; r.k := 0; end;\n"
           "rule \"a\" swap(x, y); swap(y, x); swap(x, r.k); end;\n" /* state, state */
           "rule \"b\" var l, m: 0..7; begin swap(l, m); end;\n"     /* frame, frame */
           "rule \"c\" var l: 0..7; begin swap(x, l); end;\n"        /* state, frame */
           "rule \"d\" get(r) = 0 ==> end;\n"                        /* state */
           "rule \"e\" small(1); small(y); end;\n");                 /* fits, does not fit */
  assert_int_equal(program->functions.len, 6);
  assert_int_equal(program->edge_count, 5);
  clew_program_close(program);
}

/* Rules that share their surroundings are one family; the last parameter varies fastest. */
static void test_families(void **state) {
  (void)state;
  struct clew_program *program =
      load("var x: 0..7; startstate x := 0; end; startstate x := 1; end;\n"
           "rule x := 1; end; rule x := 2; end;\n"
           "ruleset i: 0..1; j: 0..2 do rule x := i; end; rule 5 x := j; end;\n"
           "  ruleset k: 0..3 do rule x := k; end; end; rule x := 3; end; end;\n");
  static const uint32_t counts[][3] = {{0, 2, 1}, {2, 2, 6}, {3, 1, 24}, {2, 1, 6}};
  assert_int_equal(program->starts.len, 1);
  assert_int_equal(program->starts.data[0]->rule_count, 2);
  assert_int_equal(program->families.len, 4);
  for (uint32_t i = 0; i < 4; i++) {
    const struct clew_family *family = program->families.data[i];
    assert_int_equal(family->parameter_count, counts[i][0]);
    assert_int_equal(family->rule_count, counts[i][1]);
    assert_int_equal(family->instance_count, counts[i][2]);
  }
  assert_int_equal(program->families.data[1]->rules[1].priority, 5);
  assert_string_equal(program->families.data[3]->rules[0].name, "rule 6");
  assert_int_equal(program->families.data[3]->rules[0].position.line, 4);
  clew_program_close(program);
}

/* ---- Dialects ------------------------------------------------------------------------------- */

static const char undefined_model[] =
    "type P: scalarset(2); E: enum {Nil, Err}; U: union {P, E};\n"
    "var p, q: P; u: U; e: E; n: 0..9;\n"
    "startstate \"s\" n := 0; end;\n"
    "rule \"both\" n = 0 & p = q & !(p != q) & u = p ==> n := 1; end;\n"
    "ruleset i: P do rule \"one\" n = 1 & p != i & !(i = p) & (n = 1 ? u : q) != i ==> n := 2; "
    "end; "
    "end;\n"
    "rule \"none\" n = 2 & u != Nil & !ismember(u, P) & !ismember(u, E) ==>\n"
    "  switch u case Nil: n := 7; case Err: n := 8; else n := 3; end; end;\n"
    "rule \"label\" n = 3 ==> switch u case p: n := 4; else n := 7; end; end;\n"
    "rule \"enum\" n = 4 ==> if e = Nil then n := 9; end; end;\n"
    "rule \"mixed\" n = 4 ==> if u = e then n := 9; end; end;\n"
    "rule \"copy\" n = 4 ==> p := q; n := 5; end;\n";

/* Undefined scalarsets and unions compare like CMurphi's: equal to each other, different from all
 * else. Undefined enumerations do not. */
static void test_undefined_values_are_compared(void **state) {
  (void)state;
  expect_graph(undefined_model, "  s -> 0\n"
                                "0: p=? q=? u=? e=? n=0\n"
                                "  both -> 1\n"
                                "1: p=? q=? u=? e=? n=1\n"
                                "  one, i: P_1 -> 2\n"
                                "  one, i: P_2 -> 2\n"
                                "2: p=? q=? u=? e=? n=2\n"
                                "  none -> 3\n"
                                "3: p=? q=? u=? e=? n=3\n"
                                "  label -> 4\n"
                                "4: p=? q=? u=? e=? n=4\n"
                                "  enum ! \"e\" is undefined (9:26)\n"
                                "  mixed ! \"e\" is undefined (10:31)\n"
                                "  copy -> 5\n"
                                "5: p=? q=? u=? e=? n=5\n");
}

/* With --strict-undefined every read of an undefined value is an error, copying included. */
static void test_strict_undefined(void **state) {
  (void)state;
  struct clew_source source = {"sample", undefined_model, sizeof undefined_model - 1};
  struct clew_load_request request = {.source = &source, .strict_undefined = true};
  expect_program_graph(model_load_request(clew_murphi_program, &request),
                       "  s -> 0\n"
                       "0: p=? q=? u=? e=? n=0\n"
                       "  both ! \"p\" is undefined (4:21)\n");
  static const char copies[] = "type R: record v: 0..1; end; var a, b: 0..1; r, s: R;\n"
                               "startstate \"s\" end; rule \"record\" r := s; end;\n"
                               "rule \"simple\" a := b; end;\n";
  source = (struct clew_source){"sample", copies, sizeof copies - 1};
  expect_program_graph(model_load_request(clew_murphi_program, &request),
                       "  s -> 0\n"
                       "0: a=? b=? r.v=? s.v=?\n"
                       "  record -> 0\n"
                       "  simple ! \"b\" is undefined (3:20)\n");
}

/* What an index calls is called once, although the element is looked at twice. */
static void test_compared_elements_are_found_once(void **state) {
  (void)state;
  expect_graph("type P: scalarset(2); var a: array [0..1] of P; n: 0..3; b: boolean;\n"
               "function next(): 0..1; begin n := n + 1; return n - 1; end;\n"
               "startstate \"s\" n := 0; end;\n"
               "rule \"find\" n = 0 ==> b := a[next()] = a[1]; end;\n",
               "  s -> 0\n"
               "0: a[0]=? a[1]=? n=0 b=?\n"
               "  find -> 1\n"
               "1: a[0]=? a[1]=? n=1 b=true\n");
}

/* A step that is only known at run time. */
static void test_computed_steps(void **state) {
  (void)state;
  expect_graph("var s: -2..2; n: 0..99;\n"
               "startstate \"s\" s := 2; n := 0; end;\n"
               "rule \"up\" n = 0 ==> for i := 1 to 6 by s do n := 10 * n + i; end; end;\n",
               "  s -> 0\n"
               "0: s=2 n=0\n"
               "  up ! value assigned to \"n\" is out of its range 0..99 (3:45)\n");
  expect_graph(
      "var s: -2..2; n: 0..999;\n"
      "startstate \"s\" s := 2; n := 0; end;\n"
      "rule \"up\" n = 0 ==> for i := 1 to 6 by s do n := 10 * n + i; end; end;\n"
      "rule \"back\" n = 0 ==> for i := 6 to 1 by -s; j := i to 6 by 3 * s do n := n + j; end; "
      "end;\n"
      "rule \"wrong\" n = 0 ==> for i := 6 to 1 by s do n := i; end; end;\n"
      "rule \"zero\" n = 0 ==> for i := 1 to 6 by s - 2 do n := i; end; end;\n"
      "rule \"none\" n = 0 & forall i := 1 to 6 by s do i % 2 = 1 end ==> n := 1; end;\n"
      "rule \"fault\" n = 0 & exists i := 6 to 1 by s do i = 6 end ==> n := 2; end;\n",
      "  s -> 0\n"
      "0: s=2 n=0\n"
      "  up -> 1\n"   /* 1, 3, 5 */
      "  back -> 2\n" /* 6; 4; 2 */
      "  wrong ! the step \"s\" is 0 or leads the wrong way (5:43)\n"
      "  zero ! the step \"s - 2\" is 0 or leads the wrong way (6:42)\n"
      "  none -> 3\n"
      "  fault ! the step \"s\" is 0 or leads the wrong way (8:44)\n"
      "1: s=2 n=135\n"
      "2: s=2 n=12\n"
      "3: s=2 n=1\n");
}

/* `&&` and `||` bind looser than `&` and `|`, as in rumur. */
static void test_logical_operators(void **state) {
  (void)state;
  expect_graph("var n: 0..1; startstate \"s\" n := 0; end;\n"
               "rule \"or first\" true | true && false ==> n := 1; end;\n"
               "rule \"and last\" true | true & false ==> n := 1; end;\n"
               "rule \"signs\" true | true ∧ false ==> n := 1; end;\n"
               "rule \"or last\" false && false || true & n = 0 ==> n := 1; end;\n",
               "  s -> 0\n"
               "0: n=0\n"
               "  and last -> 1\n"
               "  or last -> 1\n"
               "1: n=1\n"
               "  and last -> 1\n");
}

/* A guard that writes: what it did stays when it is true, and is undone when it is false. */
static void test_guards_with_effects(void **state) {
  (void)state;
  expect_graph("var n: 0..3;\n"
               "function set(v: 0..3): boolean; begin n := v; return v < 3; end;\n"
               "startstate \"s\" n := 0; end;\n"
               "ruleset i: 2..3 do rule \"set\" n = 0 & set(i) ==> assert n = i; end; end;\n"
               "rule \"old\" n = 0 ==> n := 1; end;\n",
               "  s -> 0\n"
               "0: n=0\n"
               "  set, i: 2 -> 1\n"
               "  old -> 2\n"
               "1: n=2\n"
               "2: n=1\n");
}

/* A record without fields takes no bits and is equal to itself. */
static void test_empty_records(void **state) {
  (void)state;
  struct clew_program *program =
      load("type N: record end; var a, b: N; c: array [0..2] of N; d: 0..1;\n"
           "startstate clear a; undefine c; d := 0; end;\n"
           "rule a = b & c[1] = a ==> c[2] := b; d := 1 - d; end;\n");
  assert_int_equal(program->state_bits, 2); /* d: 0, 1 or undefined */
  clew_program_close(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rules_and_names),
      cmocka_unit_test(test_parameters_with_steps_and_holes),
      cmocka_unit_test(test_priorities_and_choose),
      cmocka_unit_test(test_messages),
      cmocka_unit_test(test_multiset_messages),
      cmocka_unit_test(test_undefined_values_are_copied),
      cmocka_unit_test(test_alias_is_bound_once),
      cmocka_unit_test(test_switch_takes_the_first_case),
      cmocka_unit_test(test_properties),
      cmocka_unit_test(test_variants_of_procedures),
      cmocka_unit_test(test_families),
      cmocka_unit_test(test_undefined_values_are_compared),
      cmocka_unit_test(test_strict_undefined),
      cmocka_unit_test(test_compared_elements_are_found_once),
      cmocka_unit_test(test_computed_steps),
      cmocka_unit_test(test_logical_operators),
      cmocka_unit_test(test_guards_with_effects),
      cmocka_unit_test(test_empty_records),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
