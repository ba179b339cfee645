/* Types and places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/ir_int.h"
#include "unit/ir_build.h"

static void test_cells(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  const struct clew_type *small = ir_int(p, 0, 3), *maybe = ir_maybe(p, 1, 5);
  const struct clew_type *pair = ir_pair(p, small, maybe);
  const struct clew_type *array = clew_type_array(p->arena, ir_range(p, -1, 1), pair);
  const struct clew_type *bag = clew_type_bag(p->arena, 4, pair);
  assert_int_equal(small->cells, 1);
  assert_int_equal(pair->cells, 2);
  assert_int_equal(pair->fields[1].offset, 1);
  assert_int_equal(array->cells, 6);
  assert_int_equal(array->count, 3);
  assert_int_equal(bag->cells, 12);
  assert_int_equal(small->depth, 1);
  assert_int_equal(array->depth, 3);
  for (uint32_t i = 0; i < 6; i++) {
    assert_ptr_equal(clew_type_cell(array, i), i % 2 == 0 ? small : maybe);
  }
  for (uint32_t i = 0; i < 12; i++) {
    const struct clew_type *expected[] = {clew_type_presence(), small, maybe};
    assert_ptr_equal(clew_type_cell(bag, i), expected[i % 3]);
  }
  clew_program_close(p);
}

/* Fields without cells are skipped when a cell is looked up. */
static void test_empty_records(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  const struct clew_type *nothing = clew_type_record(p->arena, NULL, NULL, 0);
  const struct clew_type *bit = ir_int(p, 0, 1), *three = ir_int(p, 0, 2);
  static const char *const names[] = {"a", "b", "c", "d", "e"};
  const struct clew_type *types[] = {nothing, bit, nothing, three, nothing};
  const struct clew_type *record = clew_type_record(p->arena, names, types, 5);
  assert_int_equal(nothing->cells, 0);
  assert_int_equal(record->cells, 2);
  assert_ptr_equal(clew_type_cell(record, 0), bit);
  assert_ptr_equal(clew_type_cell(record, 1), three);
  const struct clew_type *many = clew_type_array(p->arena, ir_range(p, 0, 9), nothing);
  assert_int_equal(many->cells, 0);
  assert_int_equal(many->count, 10);
  assert_null(clew_type_array(p->arena, ir_range(p, 0, CLEW_MAX_CELLS), nothing));
  clew_program_close(p);
}

static void test_type_limits(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  const struct clew_type *bit = ir_int(p, 0, 1);
  const struct clew_type *most = clew_type_array(p->arena, ir_range(p, 1, CLEW_MAX_CELLS), bit);
  assert_non_null(most);
  assert_int_equal(most->cells, CLEW_MAX_CELLS);
  assert_null(clew_type_array(p->arena, ir_range(p, 0, CLEW_MAX_CELLS), bit));
  assert_null(clew_type_array(p->arena, ir_range(p, 0, 1), most));
  assert_null(clew_type_array(p->arena, ir_range(p, INT64_MIN + 1, INT64_MAX), bit));
  assert_null(clew_type_bag(p->arena, CLEW_MAX_CELLS, bit));
  assert_null(clew_type_bag(p->arena, UINT32_MAX, most));
  assert_null(ir_pair(p, most, bit));
  const struct clew_type *deep = bit;
  for (int i = 1; i < CLEW_MAX_TYPE_DEPTH; i++) {
    deep = clew_type_array(p->arena, ir_range(p, 0, 0), deep);
    assert_non_null(deep);
  }
  assert_int_equal(deep->depth, CLEW_MAX_TYPE_DEPTH);
  assert_null(clew_type_array(p->arena, ir_range(p, 0, 0), deep));
  assert_null(ir_pair(p, bit, deep));
  clew_program_close(p);
}

static void test_same_shape(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  const struct clew_type *a = ir_int(p, 0, 3), *b = ir_maybe(p, 0, 3), *c = ir_int(p, 0, 4);
  assert_true(clew_type_same_shape(a, ir_int(p, 0, 3)));
  assert_false(clew_type_same_shape(a, b));
  assert_false(clew_type_same_shape(a, c));
  assert_true(clew_type_same_shape(ir_pair(p, a, b), ir_pair(p, ir_int(p, 0, 3), b)));
  assert_false(clew_type_same_shape(ir_pair(p, a, b), ir_pair(p, b, a)));
  /* Other trees over the same cells: ((a b) (a b)) against (a (b a) b). */
  const struct clew_type *array = clew_type_array(p->arena, ir_range(p, 0, 1), ir_pair(p, a, b));
  static const char *const names[] = {"x", "y", "z"};
  const struct clew_type *types[] = {a, ir_pair(p, b, a), b};
  assert_true(clew_type_same_shape(array, clew_type_record(p->arena, names, types, 3)));
  types[1] = ir_pair(p, b, b);
  assert_false(clew_type_same_shape(array, clew_type_record(p->arena, names, types, 3)));
  /* Indices do not matter, cells do. */
  assert_true(clew_type_same_shape(clew_type_array(p->arena, ir_range(p, 5, 7), a),
                                   clew_type_array(p->arena, ir_range(p, 0, 2), a)));
  assert_true(clew_type_same_shape(clew_type_bag(p->arena, 2, a), clew_type_bag(p->arena, 2, a)));
  assert_false(clew_type_same_shape(clew_type_bag(p->arena, 3, a), clew_type_bag(p->arena, 2, c)));
  clew_program_close(p);
}

static void test_places(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  const struct clew_type *pair = ir_pair(p, ir_int(p, 0, 3), ir_maybe(p, 0, 3));
  const struct clew_type *row = clew_type_array(p->arena, ir_range(p, 1, 3), pair);
  ir_var(p, "before", ir_int(p, 0, 9));
  ir_place matrix = ir_var(p, "m", clew_type_array(p->arena, ir_range(p, -1, 2), row));
  struct clew_frame *frame = clew_program_add_frame(p);
  ir_place i = ir_local(frame, "i", ir_int(p, -1, 2)), j = ir_local(frame, "j", ir_int(p, 0, 3));

  /* m[1][2].b: 1 before, 2 rows of 6, 1 pair of 2, 1 field. */
  ir_place exact = clew_place_field(ir_at(p, ir_at(p, matrix, ir_num(p, 1)), ir_num(p, 2)), 1);
  assert_int_equal(exact.base, 1);
  assert_int_equal(exact.offset, 2 * 6 + 2 + 1);
  assert_int_equal(exact.index_count, 0);
  assert_true(exact.type->undefinable);

  /* m[i][j].a: i fits the indices, j may be 0. */
  ir_place any = clew_place_field(ir_at(p, ir_at(p, matrix, ir_load(p, i)), ir_load(p, j)), 0);
  assert_int_equal(any.index_count, 2);
  assert_int_equal(any.indices[0].stride, 6);
  assert_int_equal(any.indices[0].count, 4);
  assert_int_equal(any.indices[0].lo, -1);
  assert_false(any.indices[0].checked);
  assert_int_equal(any.indices[0].site, CLEW_NONE);
  assert_int_equal(any.indices[1].stride, 2);
  assert_true(any.indices[1].checked);
  assert_int_not_equal(any.indices[1].site, CLEW_NONE);
  assert_int_equal(clew_place_extent(&any), 3 * 6 + 2 * 2 + 1);

  /* A constant that is out of range is left to fault. */
  ir_place wrong = ir_at(p, matrix, ir_num(p, 3));
  assert_int_equal(wrong.index_count, 1);
  assert_true(wrong.indices[0].checked);

  ir_place bag = ir_var(p, "bag", clew_type_bag(p->arena, 3, pair));
  assert_int_equal(bag.base, 1 + 24);
  ir_place element = ir_at(p, bag, ir_num(p, 2));
  assert_int_equal(element.offset, 2 * 3 + 1);
  ir_place presence = clew_place_presence(p, bag, ir_load(p, j), IR_SITE(p, INDEX, "index"));
  assert_int_equal(presence.offset, 0);
  assert_int_equal(presence.indices[0].stride, 3);
  assert_true(presence.indices[0].checked);
  assert_ptr_equal(presence.type, clew_type_presence());
  clew_program_close(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cells),       cmocka_unit_test(test_empty_records),
      cmocka_unit_test(test_type_limits), cmocka_unit_test(test_same_shape),
      cmocka_unit_test(test_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
