/* Building and finishing programs: edges, names, sites, limits; the validator; the text form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "ir/access.h"
#include "unit/ir_fixture.h"

/* ---- Finishing ---------------------------------------------------------------------------- */

/* Family of 2 rules over p: 1..3, q: -1..0; an empty one; one rule without parameters. */
static void test_edges(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameters[2];
  ir_parameter(p, frame, "p", ir_range(p, 1, 3), &parameters[0]);
  ir_parameter(p, frame, "q", ir_range(p, -1, 0), &parameters[1]);
  struct clew_rule rules[2] = {ir_rule("A", NULL, NULL), ir_rule("B", NULL, NULL)};
  clew_program_add_family(p, false, frame, parameters, 2, rules, 2);
  clew_program_add_family(p, false, frame, parameters, 2, NULL, 0);
  ir_plain(p, NULL, "C", NULL, NULL);
  ir_start(p, NULL, NULL);
  clew_program_add_family(p, true, frame, parameters, 2, rules, 1);
  ir_finish(p);
  assert_int_equal(p->edge_count, 13);
  assert_int_equal(p->initial_count, 7);
  assert_int_equal(p->rule_count, 3);
  for (uint32_t edge = 0; edge < 12; edge++) {
    struct clew_edge_parts parts = clew_program_edge(p, false, edge);
    assert_ptr_equal(parts.family, p->families.data[0]);
    assert_ptr_equal(parts.rule, &parts.family->rules[edge % 2]);
    assert_int_equal(parts.instance, edge / 2);
    assert_int_equal(clew_family_parameter(parts.family, parts.instance, 0), 1 + edge / 4);
    assert_int_equal(clew_family_parameter(parts.family, parts.instance, 1),
                     (int)(edge / 2 % 2) - 1);
    assert_int_equal(parts.rule->index, edge % 2);
  }
  struct clew_edge_parts last = clew_program_edge(p, false, 12);
  assert_string_equal(last.rule->name, "C");
  assert_int_equal(last.rule->index, 2);
  assert_int_equal(clew_program_edge(p, true, 0).rule->index, 3);
  assert_ptr_equal(clew_program_edge(p, true, 6).family, p->starts.data[1]);
  assert_int_equal(clew_program_edge(p, true, 6).instance, 5);
  clew_program_close(p);
}

static void expect_limit(struct clew_program *p, const char *message) {
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_program_finish(p, &diags), CLEW_OVER_LIMIT);
  assert_int_equal(diags.len, 1);
  assert_string_equal(diags.data[0].message, message);
  clew_diag_sink_free(&diags);
  clew_program_close(p);
}

static struct clew_program *many_instances(int64_t hi, uint32_t count, bool start) {
  struct clew_program *p = clew_program_open("t", "test");
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameters[8];
  for (uint32_t i = 0; i < count; i++) {
    ir_parameter(p, frame, "p", ir_range(p, 1, hi), &parameters[i]);
  }
  struct clew_rule rule = ir_rule("R", NULL, NULL);
  clew_program_add_family(p, start, frame, parameters, count, &rule, 1);
  return p;
}

static void test_edge_limits(void **state) {
  (void)state;
  expect_limit(many_instances(1000, 3, false),
               "rules have 1000000000 instances; the limit is 16777216");
  expect_limit(many_instances(1000, 3, true),
               "start states have 1000000000 instances; the limit is 16777216");
  expect_limit(many_instances(1000000, 8, false),
               "rules have at least 18446744073709551615 instances; the limit is 16777216");
  expect_limit(many_instances(INT64_MAX, 2, false),
               "rules have at least 18446744073709551615 instances; the limit is 16777216");
  struct clew_program *p = ir_finish(many_instances(4096, 2, false));
  assert_int_equal(p->edge_count, CLEW_MAX_EDGES);
  struct clew_edge_parts parts = clew_program_edge(p, false, CLEW_MAX_EDGES - 2);
  assert_int_equal(clew_family_parameter(parts.family, parts.instance, 0), 4096);
  assert_int_equal(clew_family_parameter(parts.family, parts.instance, 1), 4095);
  clew_program_close(p);
}

/* Nesting and sharing that would overflow the stack or take for ever are refused. */
static void test_size_limits(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  ir_place x = ir_var(p, "x", ir_int(p, 0, 1));
  ir_expr e = ir_load(p, x);
  for (int i = 0; i < 100000; i++) {
    e = ir_bin(p, CLEW_OP_BIT_XOR, e, ir_load(p, x));
  }
  ir_plain(p, NULL, "R", NULL, ir_set(p, x, e));
  expect_limit(p, "statements or expressions are nested more than 4000 deep");

  p = clew_program_open("t", "test");
  x = ir_var(p, "x", ir_int(p, 0, 1));
  struct clew_stmt *stmt = NULL;
  for (int i = 0; i < 100000; i++) {
    stmt = ir_if(p, ir_load(p, x), NULL, stmt);
  }
  ir_plain(p, NULL, "R", NULL, stmt);
  expect_limit(p, "statements or expressions are nested more than 4000 deep");

  p = clew_program_open("t", "test");
  x = ir_var(p, "x", ir_int(p, 0, 1));
  e = ir_load(p, x);
  for (int i = 0; i < 25; i++) {
    e = ir_bin(p, CLEW_OP_BIT_XOR, e, e);
  }
  ir_plain(p, NULL, "R", NULL, ir_set(p, x, e));
  expect_limit(p, "rules and functions have 67108864 operations; the limit is 16777216");
}

/* What is just allowed does not overflow the stack of anything here. */
static void test_greatest_depth(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  ir_place x = ir_var(p, "x", ir_int(p, 0, 1));
  ir_expr e = ir_load(p, x);
  while (e->depth < CLEW_MAX_DEPTH - 1) {
    e = ir_bin(p, CLEW_OP_BIT_XOR, e, ir_load(p, x));
  }
  struct clew_stmt *stmt = NULL;
  for (int i = 2; i < CLEW_MAX_DEPTH; i++) {
    stmt = ir_if(p, ir_is(p, x, 1), NULL, stmt);
  }
  ir_plain(p, NULL, "R", NULL, ir_set(p, x, e));
  ir_plain(p, NULL, "S", NULL, stmt);
  ir_finish(p);
  struct clew_text text = {0};
  clew_program_dump(p, &text);
  assert_true(text.len > 2 * CLEW_MAX_DEPTH);
  clew_text_free(&text);
  uint64_t sets[3];
  struct clew_access access = {&sets[0], &sets[1], &sets[2]};
  for (uint32_t edge = 0; edge < 2; edge++) {
    clew_access_of_edge(p, edge, &access);
    assert_int_equal(sets[0], 1);
  }
  clew_program_close(p);
}

static void test_property_names(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  uint32_t label = ir_label(p, "l", NULL, ir_num(p, 1));
  static const char *const given[] = {"a", "b (2)", "a", "b", "b", "b", "a", "deadlock", "a"};
  static const char *const expected[] = {"deadlock", "assertions", "a",     "b (2)", "a (2)",
                                         "b",        "b (3)",      "b (4)", "a (3)", "deadlock (2)",
                                         "a (4)"};
  for (uint32_t i = 0; i < IR_COUNT(given); i++) {
    ir_invariant(p, given[i], label);
  }
  ir_finish(p);
  assert_int_equal(p->properties.len, IR_COUNT(expected));
  for (uint32_t i = 0; i < IR_COUNT(expected); i++) {
    assert_string_equal(p->properties.data[i].name, expected[i]);
  }
  assert_int_equal(p->properties.data[0].kind, CLEW_PROPERTY_DEADLOCK);
  assert_int_equal(p->properties.data[1].kind, CLEW_PROPERTY_FAULT);
  assert_int_equal(p->properties.data[0].position.line, 0);
  clew_program_close(p);
}

static void test_sites(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  struct clew_position here = {1, 2}, there = {12, 2};
  uint32_t first = clew_program_add_site(p, CLEW_SITE_RANGE, here, "x is %d", 3);
  assert_int_equal(clew_program_add_site(p, CLEW_SITE_RANGE, here, "x is %d", 3), first);
  assert_int_not_equal(clew_program_add_site(p, CLEW_SITE_RANGE, here, "x is %d", 4), first);
  assert_int_not_equal(clew_program_add_site(p, CLEW_SITE_INDEX, here, "x is 3"), first);
  assert_int_not_equal(clew_program_add_site(p, CLEW_SITE_RANGE, there, "x is 3"), first);
  assert_int_equal(p->sites.len, 4);
  for (int i = 0; i < 10000; i++) {
    assert_int_equal(clew_program_add_site(p, CLEW_SITE_RANGE, there, "%d", i % 5000),
                     4 + i % 5000);
  }
  assert_string_equal(p->sites.data[0].message, "x is 3");
  assert_string_equal(p->sites.data[5003].message, "4999");
  clew_program_close(p);
}

/* ---- The validator ------------------------------------------------------------------------ */

/* A program with one of everything, and the parts a test wants to break. */
struct parts {
  struct clew_program *p;
  struct clew_frame *frame;
  ir_place x, u, a, bag, i, j;
};

static struct parts parts_open(void) {
  struct parts t = {.p = clew_program_open("t", "test")};
  struct clew_program *p = t.p;
  t.x = ir_var(p, "x", ir_int(p, 0, 3));
  t.u = ir_var(p, "u", ir_maybe(p, 0, 3));
  t.a = ir_var(p, "a", clew_type_array(p->arena, ir_range(p, 0, 3), ir_int(p, 0, 3)));
  t.bag = ir_var(p, "bag", clew_type_bag(p->arena, 2, ir_int(p, 0, 3)));
  t.frame = clew_program_add_frame(p);
  t.i = ir_local(t.frame, "i", ir_int(p, 0, 3));
  t.j = ir_local(t.frame, "j", ir_maybe(p, 0, 9));
  return t;
}

static void expect_why(struct parts *t, const struct clew_stmt *body, ir_expr guard,
                       const char *expected) {
  const char *why = NULL;
  ir_plain(t->p, t->frame, "R", guard, body);
  bool good = clew_program_check(t->p, &why);
  assert_int_equal(good, expected == NULL);
  if (expected != NULL) {
    assert_non_null(why);
    assert_string_equal(why, expected);
  }
  clew_program_close(t->p);
}

static void expect_bad_stmt(struct parts *t, const struct clew_stmt *body, const char *expected) {
  expect_why(t, body, NULL, expected);
}

static void test_check_statements(void **state) {
  (void)state;
  struct parts t = parts_open();
  expect_bad_stmt(&t, ir_set(t.p, t.x, ir_load(t.p, t.i)), NULL);

  t = parts_open();
  struct clew_stmt *stmt = ir_set(t.p, t.x, ir_load(t.p, t.j));
  stmt->checked = false;
  expect_bad_stmt(&t, stmt, "an unchecked assignment may leave the type");

  t = parts_open();
  stmt = ir_set(t.p, t.x, ir_load(t.p, t.j));
  stmt->site = CLEW_NONE;
  expect_bad_stmt(&t, stmt, "a checked assignment has no site");

  t = parts_open();
  expect_bad_stmt(&t, ir_copy(t.p, t.x, t.u), "a copy between different shapes");

  t = parts_open();
  expect_bad_stmt(&t, ir_bag_add(t.p, t.bag, t.u), "an element of another shape");

  t = parts_open();
  expect_bad_stmt(&t, ir_bag_remove(t.p, t.bag, ir_load(t.p, t.i)),
                  "a position outside of a bag, and no site");

  t = parts_open();
  expect_bad_stmt(&t, ir_for(t.p, t.i, ir_num(t.p, 0), ir_num(t.p, 4), 1, NULL),
                  "a loop variable leaves its type");

  t = parts_open();
  expect_bad_stmt(&t, ir_for(t.p, t.x, ir_num(t.p, 0), ir_num(t.p, 3), 0, NULL),
                  "the step of a loop is zero or too large");

  t = parts_open();
  expect_bad_stmt(&t, ir_if(t.p, ir_load(t.p, t.x), NULL, NULL), "a condition is a number");

  t = parts_open();
  expect_bad_stmt(&t, ir_on_value(t.p, CLEW_STMT_RETURN, ir_num(t.p, 1)),
                  "a return with or without a value");

  t = parts_open();
  stmt = clew_stmt_new(t.p, CLEW_STMT_SWITCH);
  static const int64_t one[] = {1, 2}, two[] = {3, 1};
  struct clew_case cases[] = {{one, 2, NULL}, {two, 2, NULL}};
  stmt->value = ir_load(t.p, t.x);
  stmt->cases = cases;
  stmt->case_count = 2;
  expect_bad_stmt(&t, stmt, "two cases for one value");
}

static void test_check_places(void **state) {
  (void)state;
  struct parts t = parts_open();
  ir_place place = t.a;
  place.type = t.x.type;
  place.offset = 4;
  expect_bad_stmt(&t, ir_set_num(t.p, place, 0), "a place leaves its variable");

  t = parts_open();
  place = t.x;
  place.base = 10; /* the last slot is 9 */
  expect_bad_stmt(&t, ir_set_num(t.p, place, 0), "a place is in no variable");

  t = parts_open();
  place = t.u;
  place.type = t.x.type;
  expect_bad_stmt(&t, ir_set_num(t.p, place, 0), "a place has another type than its variable");

  t = parts_open();
  place = t.x;
  place.space = CLEW_SPACE_REF;
  expect_bad_stmt(&t, ir_set_num(t.p, place, 0), "a place is in no variable");

  t = parts_open();
  place = ir_at(t.p, t.a, ir_load(t.p, t.j));
  struct clew_index index = place.indices[0];
  index.checked = false;
  place.indices = &index;
  expect_bad_stmt(&t, ir_set_num(t.p, place, 0), "an unchecked index may leave its range");
}

static void test_check_expressions(void **state) {
  (void)state;
  struct parts t = parts_open();
  ir_expr raw = clew_expr_load_raw(t.p, t.u);
  struct clew_expr sum = *ir_bin(t.p, CLEW_OP_EQ, ir_load(t.p, t.u), ir_num(t.p, 1));
  sum.a = raw;
  expect_why(&t, NULL, &sum, "a value that may be undefined is used");

  t = parts_open();
  struct clew_expr narrow = *ir_bin(t.p, CLEW_OP_LT, ir_load(t.p, t.x), ir_num(t.p, 2));
  narrow.lo = 1;
  expect_why(&t, NULL, &narrow, "a range is too narrow");

  t = parts_open();
  struct clew_expr div = *ir_bin(t.p, CLEW_OP_DIV, ir_num(t.p, 1), ir_load(t.p, t.x));
  div.site = CLEW_NONE;
  expect_why(&t, NULL, &div, "a possible fault has no site");

  t = parts_open();
  expect_why(&t, NULL, ir_load(t.p, t.x), "a guard is a number, or of a start state");

  t = parts_open();
  ir_expr let = clew_expr_let(t.p, t.i.base, ir_load(t.p, t.j), ir_is(t.p, t.i, 1));
  expect_why(&t, NULL, let, "a LET variable leaves its type");

  t = parts_open();
  let = clew_expr_let(t.p, t.i.base, ir_load(t.p, t.x), ir_is(t.p, t.i, 1));
  expect_why(&t, NULL, let, NULL);
}

/* f(v) returns v, and g returns f(v); what they return and write decides where they may be used. */
static struct clew_function *two_functions(struct parts *t, bool raw, bool writes,
                                           struct clew_function **inner) {
  struct clew_program *p = t->p;
  const struct clew_type *maybe = t->u.type;
  struct clew_function *g = ir_function(p, "g", maybe, NULL, 0, NULL, 0);
  struct clew_function *f = ir_function(p, "f", maybe, &maybe, 1, NULL, 0);
  ir_place v = clew_place_frame(f->frame, 0);
  struct clew_stmt *back =
      ir_on_value(p, CLEW_STMT_RETURN, raw ? clew_expr_load_raw(p, v) : ir_load(p, v));
  f->body = writes ? ir_list((struct clew_stmt *[]){ir_set_num(p, t->x, 0), back, NULL}) : back;
  ir_expr one = ir_num(p, 1);
  g->body = ir_on_value(p, CLEW_STMT_RETURN, clew_expr_call(p, ir_call(p, f, &one, NULL)));
  *inner = f;
  return g;
}

static void test_check_calls(void **state) {
  (void)state;
  struct clew_function *f;
  struct parts t = parts_open();
  struct clew_function *g = two_functions(&t, false, false, &f);
  ir_expr call = clew_expr_call(t.p, ir_call(t.p, g, NULL, NULL));
  expect_why(&t, NULL, ir_bin(t.p, CLEW_OP_EQ, call, ir_num(t.p, 1)), NULL);

  t = parts_open();
  g = two_functions(&t, true, false, &f);
  call = clew_expr_call(t.p, ir_call(t.p, g, NULL, NULL));
  expect_why(&t, NULL, ir_bin(t.p, CLEW_OP_EQ, call, ir_num(t.p, 1)),
             "a value that may be undefined is used");

  t = parts_open();
  g = two_functions(&t, true, false, &f);
  call = clew_expr_call(t.p, ir_call(t.p, g, NULL, NULL));
  struct clew_stmt *set = ir_set(t.p, t.u, call);
  assert_false(set->checked);
  expect_bad_stmt(&t, set, NULL);

  t = parts_open();
  g = two_functions(&t, false, true, &f);
  call = clew_expr_call(t.p, ir_call(t.p, g, NULL, NULL));
  expect_why(&t, NULL, ir_bin(t.p, CLEW_OP_EQ, call, ir_num(t.p, 1)),
             "a guard or label calls a function that writes the state");

  t = parts_open();
  two_functions(&t, false, false, &f);
  ir_expr big = ir_load(t.p, t.j);
  expect_bad_stmt(&t, ir_call_stmt(t.p, ir_call(t.p, f, &big, NULL)),
                  "an argument may leave the type of its parameter");

  t = parts_open();
  struct clew_reference reference = {"r", CLEW_SPACE_STATE, t.x.type};
  f = ir_function(t.p, "f", NULL, NULL, 0, &reference, 1);
  expect_bad_stmt(&t, ir_call_stmt(t.p, ir_call(t.p, f, NULL, &t.i)),
                  "a reference into another space");

  t = parts_open();
  reference.type = t.x.type;
  f = ir_function(t.p, "f", NULL, NULL, 0, &reference, 1);
  expect_bad_stmt(&t, ir_call_stmt(t.p, ir_call(t.p, f, NULL, &t.u)),
                  "a reference to another type");
}

/* ---- The text form ------------------------------------------------------------------------ */

static void test_dump(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("d", "test");
  /* Known numbers, whatever the compiler evaluates first below. */
  uint32_t index_site = IR_SITE(p, INDEX, "index");
  IR_SITE(p, UNDEFINED, "undefined");
  IR_SITE(p, OVERFLOW, "overflow");
  IR_SITE(p, RANGE, "range");
  IR_SITE(p, CAPACITY, "full");
  static const char *const ids[] = {"p_1", "p_2"};
  const struct clew_domain *id = ir_named(p, 1, 2, ids);
  const struct clew_type *node = ir_pair(p, ir_int(p, 0, 3), ir_maybe(p, 0, 3));
  ir_place procs = ir_var(p, "procs", clew_type_array(p->arena, id, node));
  ir_place net = ir_var(p, "net", clew_type_bag(p->arena, 2, node));
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameter;
  ir_place self = ir_parameter(p, frame, "self", id, &parameter);
  ir_place i = ir_local(frame, "i", ir_int(p, 0, 1));
  ir_place mine = ir_at(p, procs, ir_load(p, self));
  ir_place theirs = ir_at(p, procs, ir_num(p, 2));
  ir_expr sum = ir_bin(p, CLEW_OP_ADD, ir_load(p, clew_place_field(mine, 1)), ir_num(p, 1));
  ir_expr present = ir_load(p, clew_place_presence(p, net, ir_load(p, i), index_site));
  struct clew_stmt *body =
      IR_LIST(ir_set(p, clew_place_field(theirs, 0), sum),
              ir_if(p, ir_quantify(p, CLEW_OP_EXISTS, i, 0, 1, present),
                    ir_bag_remove(p, net, ir_num(p, 0)), ir_bag_add(p, net, mine)),
              ir_on_place(p, CLEW_STMT_UNDEFINE, clew_place_field(ir_at(p, net, ir_num(p, 1)), 1)));
  struct clew_rule rule = ir_rule("Go", ir_is(p, clew_place_field(mine, 0), 1), body);
  clew_program_add_family(p, false, frame, &parameter, 1, &rule, 1);
  ir_finish(p);
  struct clew_text text = {0};
  clew_program_dump(p, &text);
  assert_string_equal(clew_text_str(&text),
                      "program \"d\" (test), 1 words\n"
                      "var procs@0 : array [p_1..p_2] of record {a: 0..3; b: 0..3?}\n"
                      "var net@4 : bag [2] of record {a: 0..3; b: 0..3?}\n"
                      "family from edge 0, 2 instances\n"
                      "  var self@0 : p_1..p_2\n"
                      "  var i@1 : 0..1\n"
                      "  parameter self@0 in p_1..p_2\n"
                      "  rule 0 \"Go\" priority 0 when (procs[self@0].a = 1)\n"
                      "    procs[p_2].a := (procs[self@0].b!1 + 1) !3\n"
                      "    if (exists i@1 from 0 to 1: net[i@1].present)\n"
                      "      remove net at 0\n"
                      "    else\n"
                      "      add net <- procs[self@0] !4\n"
                      "    undefine net[1].b\n"
                      "property deadlock \"deadlock\"\n"
                      "property assertion \"assertions\"\n"
                      "site 0 at 1:1: index\n"
                      "site 1 at 1:1: undefined\n"
                      "site 2 at 1:1: overflow\n"
                      "site 3 at 1:1: range\n"
                      "site 4 at 1:1: full\n");
  clew_text_free(&text);
  clew_program_close(p);
}

/* Every fixture has a text form. */
static void test_dump_all(void **state) {
  (void)state;
  for (uint32_t i = 0; i < IR_COUNT(ir_fixtures); i++) {
    struct clew_program *p = ir_fixtures[i].build();
    struct clew_text text = {0};
    clew_program_dump(p, &text);
    assert_non_null(strstr(clew_text_str(&text), "property deadlock"));
    clew_text_free(&text);
    clew_program_close(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_edges),
      cmocka_unit_test(test_edge_limits),
      cmocka_unit_test(test_size_limits),
      cmocka_unit_test(test_greatest_depth),
      cmocka_unit_test(test_property_names),
      cmocka_unit_test(test_sites),
      cmocka_unit_test(test_check_statements),
      cmocka_unit_test(test_check_places),
      cmocka_unit_test(test_check_expressions),
      cmocka_unit_test(test_check_calls),
      cmocka_unit_test(test_dump),
      cmocka_unit_test(test_dump_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
