/* The dependency matrix, by hand: what it should find out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "unit/access_sets.h"
#include "unit/ir_build.h"

/* The slots of the set as text: "0 3 4". */
static const char *show(const uint64_t *set, uint32_t slot_count, char *buffer) {
  size_t length = 0;
  buffer[0] = '\0';
  for (uint32_t i = 0; i < slot_count; i++) {
    if (clew_bitset_has(set, i)) {
      length += (size_t)sprintf(buffer + length, "%s%u", length > 0 ? " " : "", i);
    }
  }
  return buffer;
}

static void expect(const struct clew_program *p, uint32_t edge, const char *read, const char *may,
                   const char *must) {
  struct sets sets = sets_of(p, edge);
  char buffer[8192];
  assert_string_equal(show(sets.read, p->slot_count, buffer), read);
  assert_string_equal(show(sets.may, p->slot_count, buffer), may);
  assert_string_equal(show(sets.must, p->slot_count, buffer), must);
  clew_free(sets.read);
}

/* x = 0, y = 1, u = 2 (may be undefined), a[0..3] = 3..6, m[0..2].{a,b} = 7..12 */
struct parts {
  struct clew_program *p;
  struct clew_frame *frame;
  ir_place x, y, u, a, m, i, j, t;
};

static struct parts parts_open(void) {
  struct parts t = {.p = clew_program_open("t", "test")};
  struct clew_program *p = t.p;
  const struct clew_type *four = ir_int(p, 0, 3), *maybe = ir_maybe(p, 0, 3);
  t.x = ir_var(p, "x", four);
  t.y = ir_var(p, "y", four);
  t.u = ir_var(p, "u", maybe);
  t.a = ir_var(p, "a", clew_type_array(p->arena, ir_range(p, 0, 3), four));
  t.m = ir_var(p, "m", clew_type_array(p->arena, ir_range(p, 0, 2), ir_pair(p, four, maybe)));
  t.frame = clew_program_add_frame(p);
  t.i = ir_local(t.frame, "i", four);
  t.j = ir_local(t.frame, "j", four);
  t.t = ir_local(t.frame, "t", maybe);
  return t;
}

static void expect_rule(struct parts *t, ir_expr guard, const struct clew_stmt *body,
                        const char *read, const char *may, const char *must) {
  ir_plain(t->p, t->frame, "R", guard, body);
  ir_finish(t->p);
  expect(t->p, 0, read, may, must);
  clew_program_close(t->p);
}

static void test_straight(void **state) {
  (void)state;
  struct parts t = parts_open();
  expect_rule(&t, ir_is(t.p, t.u, 1), ir_set(t.p, t.x, ir_load(t.p, t.y)), "1 2", "0", "0");

  /* x is read only after it was written. */
  t = parts_open();
  expect_rule(&t, NULL,
              IR_LIST(ir_set(t.p, t.x, ir_load(t.p, t.y)), ir_set(t.p, t.u, ir_load(t.p, t.x))),
              "1", "0 2", "0 2");

  t = parts_open();
  expect_rule(&t, NULL,
              IR_LIST(ir_set(t.p, t.u, ir_load(t.p, t.x)), ir_set(t.p, t.x, ir_load(t.p, t.y))),
              "0 1", "0 2", "0 2");

  /* An unknown index: any element, none surely. A known one after arithmetic. */
  t = parts_open();
  expect_rule(&t, NULL, ir_set_num(t.p, ir_at(t.p, t.a, ir_load(t.p, t.x)), 0), "0", "3 4 5 6", "");
  t = parts_open();
  ir_expr sum = ir_bin(t.p, CLEW_OP_ADD, ir_load(t.p, t.t), ir_num(t.p, 1));
  expect_rule(&t, NULL, IR_LIST(ir_set_num(t.p, t.t, 1), ir_set_num(t.p, ir_at(t.p, t.a, sum), 0)),
              "", "5", "5");

  /* The range of an index restricts it: y % 2 is 0 or 1. Fields of other elements stay out. */
  t = parts_open();
  ir_expr parity = ir_bin(t.p, CLEW_OP_MOD, ir_load(t.p, t.y), ir_num(t.p, 2));
  ir_place field = clew_place_field(ir_at(t.p, t.m, parity), 1);
  expect_rule(&t, NULL, ir_set(t.p, t.x, ir_load(t.p, field)), "1 8 10", "0", "0");

  t = parts_open();
  expect_rule(&t, NULL,
              ir_copy(t.p, ir_at(t.p, t.m, ir_num(t.p, 2)), ir_at(t.p, t.m, ir_num(t.p, 0))), "7 8",
              "11 12", "11 12");
  t = parts_open();
  expect_rule(&t, NULL, ir_on_place(t.p, CLEW_STMT_CLEAR, t.m), "", "7 8 9 10 11 12",
              "7 8 9 10 11 12");
}

static void test_branches(void **state) {
  (void)state;
  struct parts t = parts_open();
  struct clew_program *p = t.p;
  expect_rule(&t, NULL,
              ir_if(p, ir_is(p, t.x, 0), IR_LIST(ir_set_num(p, t.y, 1), ir_set_num(p, t.u, 1)),
                    ir_set_num(p, t.y, 2)),
              "0", "1 2", "1");

  /* The branch not taken, and what is behind an assertion that fails, do not count. */
  t = parts_open();
  p = t.p;
  expect_rule(&t, NULL,
              IR_LIST(ir_set_num(p, t.t, 2),
                      ir_if(p, ir_is(p, t.t, 1), ir_set_num(p, t.x, 1), ir_set_num(p, t.y, 1)),
                      ir_if(p, ir_is(p, t.u, 1),
                            IR_LIST(ir_on_value(p, CLEW_STMT_ASSERT, ir_num(p, 0)),
                                    ir_set(p, t.x, ir_load(p, ir_at(p, t.a, ir_num(p, 0))))),
                            ir_set_num(p, t.u, 0))),
              "2", "1 2", "1 2");

  /* RETURN ends a path; both paths have written y. */
  t = parts_open();
  p = t.p;
  expect_rule(&t, NULL,
              IR_LIST(ir_set_num(p, t.y, 0),
                      ir_if(p, ir_is(p, t.x, 1), clew_stmt_new(p, CLEW_STMT_RETURN), NULL),
                      ir_set_num(p, t.u, 1)),
              "0", "1 2", "1");

  /* A guard that is false for the instance: nothing else matters. */
  t = parts_open();
  p = t.p;
  expect_rule(&t, ir_bin(p, CLEW_OP_AND, ir_is(p, t.x, 1), ir_num(p, 0)), ir_set_num(p, t.y, 1),
              "0", "", "");
}

static void test_switch(void **state) {
  (void)state;
  static const int64_t values[] = {0, 1, 2, 3};
  for (uint32_t covered = 3; covered <= 4; covered++) {
    struct parts t = parts_open();
    struct clew_stmt *stmt = clew_stmt_new(t.p, CLEW_STMT_SWITCH);
    struct clew_case cases[] = {{values, 1, ir_set_num(t.p, t.y, 1)},
                                {values + 1, covered - 1, ir_set_num(t.p, t.y, 2)}};
    stmt->value = ir_load(t.p, t.x);
    stmt->cases = cases;
    stmt->case_count = 2;
    /* Only when every value has a case is y written surely. */
    expect_rule(&t, NULL, stmt, "0", "1", covered == 4 ? "1" : "");
  }
}

static void test_loops(void **state) {
  (void)state;
  struct parts t = parts_open();
  struct clew_program *p = t.p;
  struct clew_stmt *body = ir_set_num(p, ir_at(p, t.a, ir_load(p, t.i)), 0);
  expect_rule(&t, NULL, ir_for(p, t.i, ir_num(p, 0), ir_num(p, 3), 2, body), "", "3 5", "3 5");

  t = parts_open();
  p = t.p;
  body = ir_set_num(p, ir_at(p, t.a, ir_load(p, t.i)), 0);
  expect_rule(&t, NULL, ir_for(p, t.i, ir_load(p, t.x), ir_num(p, 3), 1, body), "0", "3 4 5 6", "");

  /* Surely at least once: from 0..3 up to 3. */
  t = parts_open();
  p = t.p;
  expect_rule(&t, NULL, ir_for(p, t.i, ir_load(p, t.x), ir_num(p, 3), 1, ir_set_num(p, t.y, 0)),
              "0", "1", "1");

  /* t is 0 in the first iteration only: a[t] can be any element. */
  t = parts_open();
  p = t.p;
  struct clew_stmt *count = ir_set(p, t.t, ir_bin(p, CLEW_OP_ADD, ir_load(p, t.t), ir_num(p, 1)));
  body = IR_LIST(ir_set_num(p, ir_at(p, t.a, ir_load(p, t.t)), 0), count);
  expect_rule(
      &t, NULL,
      IR_LIST(ir_set_num(p, t.t, 0), ir_for(p, t.i, ir_load(p, t.x), ir_num(p, 3), 1, body)), "0",
      "3 4 5 6", "");
  t = parts_open();
  p = t.p;
  struct clew_stmt *next = ir_set(p, t.t, ir_bin(p, CLEW_OP_ADD, ir_load(p, t.t), ir_num(p, 1)));
  body = IR_LIST(ir_set_num(p, ir_at(p, t.a, ir_load(p, t.t)), 0), next);
  expect_rule(&t, NULL, IR_LIST(ir_set_num(p, t.t, 0), ir_while(p, ir_is(p, t.x, 0), 3, body)), "0",
              "3 4 5 6", "");

  /* exists i : 2..3 do a[i] = 1, and the element behind a decisive one is not read. */
  t = parts_open();
  p = t.p;
  ir_expr some =
      ir_quantify(p, CLEW_OP_EXISTS, t.i, 2, 3, ir_is(p, ir_at(p, t.a, ir_load(p, t.i)), 1));
  expect_rule(&t, some, ir_set_num(p, t.x, 0), "5 6", "0", "0");
  t = parts_open();
  p = t.p;
  ir_expr early =
      ir_bin(p, CLEW_OP_OR, ir_is(p, t.i, 2), ir_is(p, ir_at(p, t.a, ir_load(p, t.i)), 1));
  some = ir_quantify(p, CLEW_OP_EXISTS, t.i, 1, 3, early);
  expect_rule(&t, some, ir_set_num(p, t.x, 0), "4", "0", "0");
}

/* One rule over p: 0..3, q: 0..3: p != q & a[p] = 1 ==> a[q] := x */
static void test_parameters(void **state) {
  (void)state;
  struct parts t = parts_open();
  struct clew_program *p = t.p;
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameters[2];
  ir_place from = ir_parameter(p, frame, "p", ir_range(p, 0, 3), &parameters[0]);
  ir_place to = ir_parameter(p, frame, "q", ir_range(p, 0, 3), &parameters[1]);
  ir_expr other = ir_bin(p, CLEW_OP_NE, ir_load(p, from), ir_load(p, to));
  ir_expr set = ir_is(p, ir_at(p, t.a, ir_load(p, from)), 1);
  struct clew_rule rule = ir_rule("R", ir_bin(p, CLEW_OP_AND, other, set),
                                  ir_set(p, ir_at(p, t.a, ir_load(p, to)), ir_load(p, t.x)));
  clew_program_add_family(p, false, frame, parameters, 2, &rule, 1);
  ir_finish(p);
  for (uint32_t edge = 0; edge < 16; edge++) {
    char read[32], write[32];
    sprintf(read, "0 %u", 3 + edge / 4);
    sprintf(write, "%u", 3 + edge % 4);
    if (edge / 4 == edge % 4) {
      expect(p, edge, "", "", "");
    } else {
      expect(p, edge, read, write, write);
    }
  }
  uint64_t writes[1];
  char buffer[64];
  clew_access_rule_writes(p, p->families.data[0], &p->families.data[0]->rules[0], writes);
  assert_string_equal(show(writes, p->slot_count, buffer), "3 4 5 6");
  clew_program_close(p);
}

/* procedure put(v; var state r; var frame l): l := r; r := v. */
static struct clew_function *put_function(struct parts *t) {
  struct clew_program *p = t->p;
  struct clew_reference *references = CLEW_NEW_ARRAY(p->arena, struct clew_reference, 2);
  references[0] = (struct clew_reference){"r", CLEW_SPACE_STATE, t->x.type};
  references[1] = (struct clew_reference){"l", CLEW_SPACE_FRAME, t->t.type};
  struct clew_function *f = ir_function(p, "put", NULL, &t->x.type, 1, references, 2);
  ir_place v = clew_place_frame(f->frame, 0), r = clew_place_ref(f, 0), l = clew_place_ref(f, 1);
  f->body = IR_LIST(ir_set(p, l, ir_load(p, r)), ir_set(p, r, ir_load(p, v)));
  return f;
}

static void test_calls(void **state) {
  (void)state;
  struct parts t = parts_open();
  struct clew_program *p = t.p;
  struct clew_function *f = put_function(&t);
  ir_expr value = ir_load(p, t.y);
  ir_place refs[] = {ir_at(p, t.a, ir_num(p, 2)), t.t};
  expect_rule(&t, NULL, ir_call_stmt(p, ir_call(p, f, &value, refs)), "1 5", "5", "5");

  /* Afterwards t is unknown. */
  t = parts_open();
  p = t.p;
  f = put_function(&t);
  value = ir_num(p, 1);
  refs[0] = ir_at(p, t.a, ir_load(p, t.x));
  refs[1] = t.t;
  expect_rule(&t, NULL,
              IR_LIST(ir_set_num(p, t.t, 0), ir_call_stmt(p, ir_call(p, f, &value, refs)),
                      ir_set_num(p, ir_at(p, t.a, ir_load(p, t.t)), 1)),
              "0 3 4 5 6", "3 4 5 6", "");

  /* A call that may not happen: x = 0 & g() with g writing y. */
  t = parts_open();
  p = t.p;
  struct clew_function *g = ir_function(p, "g", ir_int(p, 0, 1), NULL, 0, NULL, 0);
  g->body = IR_LIST(ir_set_num(p, t.y, 1), ir_on_value(p, CLEW_STMT_RETURN, ir_num(p, 1)));
  ir_expr call = clew_expr_call(p, ir_call(p, g, NULL, NULL));
  expect_rule(&t, NULL,
              ir_if(p, ir_bin(p, CLEW_OP_AND, ir_is(p, t.x, 0), call), ir_set_num(p, t.u, 1), NULL),
              "0", "1 2", "");

  /* Recursion: everything. */
  t = parts_open();
  p = t.p;
  f = ir_function(p, "f", NULL, NULL, 0, NULL, 0);
  f->body = ir_if(p, ir_is(p, t.x, 0), ir_call_stmt(p, ir_call(p, f, NULL, NULL)), NULL);
  expect_rule(&t, NULL, ir_call_stmt(p, ir_call(p, f, NULL, NULL)), "0 1 2 3 4 5 6 7 8 9 10 11 12",
              "0 1 2 3 4 5 6 7 8 9 10 11 12", "");
}

/* function bump(var frame l): l := (l + 1) % 4; return 0, having written y if asked to. */
static struct clew_function *bump_function(struct parts *t, bool writes) {
  struct clew_program *p = t->p;
  struct clew_reference *reference = CLEW_NEW(p->arena, struct clew_reference);
  *reference = (struct clew_reference){"l", CLEW_SPACE_FRAME, t->t.type};
  struct clew_function *f = ir_function(p, "bump", ir_int(p, 0, 1), NULL, 0, reference, 1);
  ir_place l = clew_place_ref(f, 0);
  ir_expr next = ir_bin(p, CLEW_OP_ADD, ir_load(p, l), ir_num(p, 1));
  struct clew_list list = {0};
  clew_list_add(&list, ir_set(p, l, ir_bin(p, CLEW_OP_MOD, next, ir_num(p, 4))));
  if (writes) {
    clew_list_add(&list, ir_set_num(p, t->y, 1));
  }
  clew_list_add(&list, ir_on_value(p, CLEW_STMT_RETURN, ir_num(p, 0)));
  f->body = list.first;
  return f;
}

/* Effects of operands that may not be evaluated, or be evaluated again. */
static void test_effects_in_expressions(void **state) {
  (void)state;
  /* t := 1; if (x = 0 & bump(t)) …; a[t] := 0: t is 1 or 2. */
  struct parts t = parts_open();
  struct clew_program *p = t.p;
  ir_expr bump = clew_expr_call(p, ir_call(p, bump_function(&t, false), NULL, &t.t));
  ir_expr both = ir_bin(p, CLEW_OP_AND, ir_is(p, t.x, 0), bump);
  expect_rule(&t, NULL,
              IR_LIST(ir_set_num(p, t.t, 1), ir_if(p, both, NULL, NULL),
                      ir_set_num(p, ir_at(p, t.a, ir_load(p, t.t)), 0)),
              "0", "3 4 5 6", "");

  /* Evaluated surely, it is 2. */
  t = parts_open();
  p = t.p;
  bump = clew_expr_call(p, ir_call(p, bump_function(&t, true), NULL, &t.t));
  both = ir_bin(p, CLEW_OP_AND, ir_bin(p, CLEW_OP_EQ, bump, ir_num(p, 0)), ir_is(p, t.x, 0));
  expect_rule(&t, NULL,
              IR_LIST(ir_set_num(p, t.t, 1), ir_if(p, both, NULL, NULL),
                      ir_set_num(p, ir_at(p, t.a, ir_load(p, t.t)), 0)),
              "0", "1 5", "1 5");

  /* exists i : 0..1 do (i = 0 ? u = 1 : bump(t) = 1): the second may not happen. */
  t = parts_open();
  p = t.p;
  bump = clew_expr_call(p, ir_call(p, bump_function(&t, true), NULL, &t.t));
  ir_expr body = clew_expr_cond(p, ir_is(p, t.i, 0), ir_is(p, t.u, 1),
                                ir_bin(p, CLEW_OP_EQ, bump, ir_num(p, 1)));
  expect_rule(&t, NULL,
              IR_LIST(ir_set_num(p, t.t, 1),
                      ir_if(p, ir_quantify(p, CLEW_OP_EXISTS, t.i, 0, 1, body), NULL, NULL),
                      ir_set_num(p, ir_at(p, t.a, ir_load(p, t.t)), 0)),
              "2", "1 3 4 5 6", "");

  /* t := 0; sum i : x..3 of a[t] + bump(t): every element is read, though a[0] first. */
  t = parts_open();
  p = t.p;
  bump = clew_expr_call(p, ir_call(p, bump_function(&t, false), NULL, &t.t));
  ir_expr term = ir_bin(p, CLEW_OP_ADD, ir_load(p, ir_at(p, t.a, ir_load(p, t.t))), bump);
  ir_expr sum =
      clew_expr_quantify(p, CLEW_OP_SUM, t.i.base, ir_load(p, t.x), ir_num(p, 3), 1, term);
  expect_rule(&t, NULL, IR_LIST(ir_set_num(p, t.t, 0), ir_set(p, t.u, sum)), "0 3 4 5 6", "2", "2");
}

/* x = 0, bag of two = 1..4. */
static void test_bags(void **state) {
  (void)state;
  static const char *const read[] = {"1 2 3 4", "0 1 2 3 4", "1 2 3 4", "", "2"};
  static const char *const may[] = {"1 2 3 4", "1 2 3 4", "1 2 3 4", "1 2 3 4", "0"};
  static const char *const must[] = {"", "", "", "1 2 3 4", "0"};
  for (uint32_t i = 0; i < IR_COUNT(read); i++) {
    struct clew_program *p = clew_program_open("t", "test");
    ir_place x = ir_var(p, "x", ir_int(p, 0, 3));
    ir_place bag = ir_var(p, "bag", clew_type_bag(p->arena, 2, ir_int(p, 0, 3)));
    ir_place second = ir_at(p, bag, ir_num(p, 1)), first = ir_at(p, bag, ir_num(p, 0));
    struct clew_stmt *bodies[] = {ir_bag_remove(p, bag, ir_num(p, 1)), ir_bag_add(p, bag, x),
                                  ir_set_num(p, second, 1), ir_on_place(p, CLEW_STMT_CLEAR, bag),
                                  ir_set(p, x, ir_load(p, first))};
    ir_plain(p, NULL, "R", NULL, bodies[i]);
    ir_finish(p);
    expect(p, 0, read[i], may[i], must[i]);
    clew_program_close(p);
  }
}

/* Assumption: x != y. It matters to whoever writes x or y. */
static void test_assumptions(void **state) {
  (void)state;
  struct parts t = parts_open();
  struct clew_program *p = t.p;
  ir_expr different = ir_bin(p, CLEW_OP_NE, ir_load(p, t.x), ir_load(p, t.y));
  uint32_t label = ir_label(p, "l", NULL, different);
  clew_vec_push(&p->assumptions, label);
  ir_plain(p, t.frame, "A", NULL, ir_set_num(p, t.x, 1));
  ir_plain(p, t.frame, "B", NULL, ir_set_num(p, t.u, 1));
  ir_plain(p, t.frame, "C", NULL, IR_LIST(ir_set_num(p, t.x, 1), ir_set_num(p, t.y, 1)));
  ir_finish(p);
  expect(p, 0, "1", "0", "0");
  expect(p, 1, "", "2", "2");
  expect(p, 2, "", "0 1", "0 1");
  clew_program_close(p);
}

/* A region with more dynamic indices than are kept apart, and a frame with more cells. */
static void test_many_dimensions(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  ir_place x = ir_var(p, "x", ir_int(p, 0, 1));
  const struct clew_type *type = ir_pair(p, ir_int(p, 0, 1), ir_int(p, 0, 1));
  for (int i = 0; i < 10; i++) {
    type = clew_type_array(p->arena, ir_range(p, 0, 1), type);
  }
  ir_place cube = ir_var(p, "cube", type);
  struct clew_frame *frame = clew_program_add_frame(p);
  ir_local(frame, "big", clew_type_array(p->arena, ir_range(p, 0, 999), ir_int(p, 0, 1)));
  ir_place late = ir_local(frame, "late", ir_int(p, 0, 1));
  for (int i = 0; i < 10; i++) {
    cube = ir_at(p, cube, ir_load(p, i == 3 ? late : x));
  }
  ir_plain(p, frame, "R", NULL,
           IR_LIST(ir_set_num(p, late, 1), ir_set_num(p, clew_place_field(cube, 1), 1)));
  ir_finish(p);
  struct sets sets = sets_of(p, 0);
  assert_int_equal(clew_bitset_count(sets.read, CLEW_BITSET_WORDS(p->slot_count)), 1);
  for (uint32_t i = 0; i < 1024; i++) {
    assert_true(clew_bitset_has(sets.may, 1 + 2 * i + 1));
  }
  assert_int_equal(clew_bitset_count(sets.must, CLEW_BITSET_WORDS(p->slot_count)), 0);
  clew_free(sets.read);
  clew_program_close(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_straight),
      cmocka_unit_test(test_branches),
      cmocka_unit_test(test_switch),
      cmocka_unit_test(test_loops),
      cmocka_unit_test(test_effects_in_expressions),
      cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_calls),
      cmocka_unit_test(test_bags),
      cmocka_unit_test(test_assumptions),
      cmocka_unit_test(test_many_dimensions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
