/* The emitted text: nothing but numbers comes from the model, size is bounded, and the less common
 * shapes of code (tables, loops over cells, wide elements, many bags) mean what they should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/random.h"
#include "ir/native_int.h"
#include "unit/ir_build.h"
#include "unit/native_run.h"

static char *emit_part(const struct clew_program *p, enum clew_native_part part) {
  struct clew_emit_request request = {.program = p, .part = part};
  struct clew_text text = {0};
  bool worth = clew_emit_c(&request, &text);
  assert_int_equal(worth, text.len > 0);
  return text.data;
}

static char *emit(const struct clew_program *p) {
  return emit_part(p, CLEW_NATIVE_ALL);
}

/* ---- Names ------------------------------------------------------------------------------------
 */

/* A little of everything that has a name, all names made from one. */
static struct clew_program *named_program(const char *name) {
  struct clew_program *p = clew_program_open(name, name);
  const char *const values[] = {name, name, name};
  const struct clew_domain *domain =
      ir_named(p, 0, 2, clew_arena_copy(p->arena, values, 3, sizeof *values));
  struct clew_domain *typed = CLEW_NEW(p->arena, struct clew_domain);
  *typed = *domain;
  typed->name = name;
  const struct clew_type *scalar = clew_type_scalar(p->arena, typed, true);
  const char *const fields[] = {name, name};
  const struct clew_type *record =
      clew_type_record(p->arena, fields, (const struct clew_type *const[]){scalar, scalar}, 2);
  ir_place v = ir_var(p, name, clew_type_array(p->arena, typed, record));
  struct clew_reference ref = {name, CLEW_SPACE_STATE, record};
  struct clew_function *f =
      ir_function(p, name, NULL, NULL, 0, clew_arena_copy(p->arena, &ref, 1, sizeof ref), 1);
  uint32_t site =
      clew_program_add_site(p, CLEW_SITE_RANGE, (struct clew_position){1, 1}, "%s", name);
  f->body = clew_stmt_assign(p, clew_place_field(clew_place_ref(f, 0), 0), ir_num(p, 7), site);
  ir_start(p, NULL, NULL);
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameter;
  ir_place i = ir_parameter(p, frame, name, typed, &parameter);
  ir_place v_i = ir_at(p, v, ir_load(p, i));
  struct clew_rule rule =
      ir_rule(name, NULL,
              IR_LIST(ir_call_stmt(p, ir_call(p, f, NULL, &v_i)),
                      ir_on_value(p, CLEW_STMT_ASSERT, ir_is(p, clew_place_field(v_i, 1), 2))));
  clew_program_add_family(p, false, frame, &parameter, 1, &rule, 1);
  ir_invariant(p, name, ir_label(p, name, NULL, ir_num(p, 1)));
  return ir_finish(p);
}

static void test_names(void **state) {
  (void)state;
  static const char *const hostile[] = {
      "hostile",      "\"; system(\"hostile\"); \"", "*/ hostile /*",    "hostile\\\n#include <x>",
      "?\?/ hostile", "}; int main(void) { hostile", "% hostile %s%n%d", "hostile\r\n//\x01\xff",
  };
  struct clew_program *plain = named_program("x");
  char *expected = emit(plain);
  assert_non_null(expected);
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
    struct clew_program *program = named_program(hostile[i]);
    char *text = emit(program);
    assert_null(strstr(text, "hostile"));
    assert_string_equal(text, expected);
    clew_free(text);
    text = emit_part(program, CLEW_NATIVE_FIRE);
    assert_null(strstr(text, "hostile"));
    clew_free(text);
    clew_program_close(program);
  }
  clew_free(expected);
  clew_program_close(plain);
}

static void test_headers(void **state) {
  (void)state;
  for (uint32_t i = 0; i < CLEW_NATIVE_HEADERS; i++) {
    struct clew_native_header header = clew_native_header_get(i);
    assert_int_equal(strlen(header.text), header.bytes);
    assert_int_equal(strncmp(header.text, "/* ", 3), 0);
    char path[128];
    snprintf(path, sizeof path, "src/%s", header.path);
    FILE *file = fopen(path, "r"); /* there when make runs the tests */
    if (file == NULL)
      continue;
    static char contents[1 << 16];
    size_t bytes = fread(contents, 1, sizeof contents, file);
    fclose(file);
    assert_int_equal(bytes, header.bytes);
    assert_memory_equal(contents, header.text, bytes);
  }
}

/* ---- Size -------------------------------------------------------------------------------------
 */

static void test_shared_parts(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("shared", "test");
  ir_place x = ir_var(p, "x", ir_int(p, 0, 1));
  ir_expr sum = ir_load(p, x);
  for (int i = 0; i < 22; i++) /* a tree of four million nodes */
    sum = clew_expr_binary(p, CLEW_OP_BIT_XOR, sum, sum, CLEW_NONE);
  ir_start(p, NULL, NULL);
  ir_plain(p, NULL, "rule", NULL, ir_set(p, x, sum));
  ir_finish(p);
  assert_null(emit(p));
  assert_null(emit_part(p, CLEW_NATIVE_FIRE));
  struct clew_native *native = clew_native_start(p, NULL);
  assert_null(clew_native_wait(native));
  assert_non_null(strstr(clew_native_notice(native), "too large"));
  clew_native_close(native);
  clew_program_close(p);
}

static void test_large_frames(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("frames", "test");
  ir_place x = ir_var(p, "x", ir_int(p, 0, 1));
  struct clew_frame *frame = clew_program_add_frame(p);
  ir_place local =
      ir_local(frame, "l", clew_type_array(p->arena, ir_range(p, 1, 600000), ir_int(p, 0, 1)));
  ir_start(p, NULL, NULL);
  ir_plain(p, frame, "rule", NULL,
           IR_LIST(ir_on_place(p, CLEW_STMT_CLEAR, local),
                   ir_set(p, x, ir_load(p, ir_at(p, local, ir_num(p, 5))))));
  ir_finish(p);
  assert_null(emit(p));
  clew_program_close(p);
}

/* Deep expressions, in all the ways they can be deep. */
static void test_deep_expressions(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("deep", "test");
  ir_place x = ir_var(p, "x", ir_maybe(p, 0, 1)), y = ir_var(p, "y", ir_int(p, 0, 1));
  ir_expr left = ir_is(p, y, 1), right = ir_is(p, x, 1), minus = ir_load(p, y), loads = left;
  ir_place a = ir_var(p, "a", clew_type_array(p->arena, ir_range(p, 0, 1), ir_maybe(p, 0, 1)));
  ir_expr index = ir_load(p, y);
  for (int i = 0; i < 1200; i++) {
    left =
        clew_expr_binary(p, i % 3 != 0 ? CLEW_OP_AND : CLEW_OP_OR, left, ir_is(p, y, 1), CLEW_NONE);
    right = clew_expr_binary(p, i % 3 != 0 ? CLEW_OP_OR : CLEW_OP_AND, ir_is(p, x, 0), right,
                             CLEW_NONE);
    minus = clew_expr_unary(p, CLEW_OP_NEG, minus, CLEW_NONE);
    index = ir_load(p, ir_at(p, a, index));
  }
  ir_start(p, NULL, NULL);
  ir_plain(p, NULL, "left", left, ir_set_num(p, y, 0));
  ir_plain(p, NULL, "right", right, ir_set_num(p, y, 1));
  ir_plain(p, NULL, "minus", NULL, ir_set(p, y, minus));
  ir_plain(p, NULL, "index", NULL, ir_set(p, y, index));
  ir_plain(p, NULL, "loads", loads, ir_set_num(p, x, 0));
  ir_finish(p);
  double start_s = clew_clock_cpu_s();
  char *text = emit(p);
  assert_non_null(text);
  assert_true(strlen(text) < 4000000);
  assert_true(clew_clock_cpu_s() - start_s < 20);
  clew_free(text);
  clew_program_close(p);
}

/* Whoever does not want the text any more does not wait for it. */
static void test_cancelled(void **state) {
  (void)state;
  struct clew_program *p = named_program("x");
  for (enum clew_native_part part = CLEW_NATIVE_ALL; part < CLEW_NATIVE_PARTS; part++) {
    atomic_bool cancelled = true;
    struct clew_emit_request request = {.program = p, .part = part, .cancelled = &cancelled};
    struct clew_text text = {0};
    assert_false(clew_emit_c(&request, &text));
    assert_int_equal(text.len, 0);
    atomic_store(&cancelled, false);
    assert_true(clew_emit_c(&request, &text));
    clew_text_free(&text);
  }
  clew_program_close(p);
}

/* A million instances are a loop, and too many for a table of edges. */
static void test_many_instances(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("instances", "test");
  ir_place x = ir_var(p, "x", ir_int(p, 0, 999999));
  ir_start(p, NULL, NULL);
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameters[2];
  ir_place i = ir_parameter(p, frame, "i", ir_range(p, 0, 999), &parameters[0]);
  ir_place j = ir_parameter(p, frame, "j", ir_range(p, 0, 999), &parameters[1]);
  ir_expr number =
      ir_bin(p, CLEW_OP_ADD, ir_bin(p, CLEW_OP_MUL, ir_load(p, i), ir_num(p, 1000)), ir_load(p, j));
  struct clew_rule rule = ir_rule("rule", ir_bin(p, CLEW_OP_EQ, ir_load(p, x), number),
                                  ir_set(p, x, ir_bin(p, CLEW_OP_SUB, ir_num(p, 999999), number)));
  clew_program_add_family(p, false, frame, parameters, 2, &rule, 1);
  ir_finish(p);
  char *text = emit(p);
  assert_true(strlen(text) < 20000);
  clew_free(text);
  assert_null(emit_part(p, CLEW_NATIVE_FIRE));
  struct clew_native *native = clew_native_start(p, NULL);
  const struct clew_native_api *api = clew_native_wait(native);
  assert_non_null(api);
  assert_true(native_same_next(p, api, &(uint64_t){123456}));
  assert_null(native_own_fire(native));
  assert_true(clew_native_poll_fire(native) == api->fire);
  assert_true(native_same_fire(p, api->fire, &(uint64_t){123456}, 123456));
  assert_true(native_same_fire(p, api->fire, &(uint64_t){123456}, 123457));
  clew_native_close(native);
  clew_program_close(p);
}

/* ---- Less common shapes ------------------------------------------------------------------------
 */

static void compare_on(const struct clew_program *p, uint32_t rounds) {
  struct clew_native *native = clew_native_start(p, NULL);
  const struct clew_native_api *api = clew_native_wait(native);
  if (api == NULL)
    fail_msg("%s: %s", p->name, clew_native_notice(native));
  clew_native_fire_fn fire = native_own_fire(native);
  assert_non_null(fire);
  struct clew_succs succs;
  struct clew_random random;
  clew_random_seed(&random, 1);
  uint64_t *state = clew_alloc_zero(p->words, sizeof *state);
  clew_succs_open(&succs, p->words, p->cover_count);
  clew_interp_init(p, &succs);
  assert_true(succs.count > 0);
  for (uint32_t i = 0; i < rounds && succs.count > 0; i++) {
    uint32_t chosen = (uint32_t)clew_random_below(&random, succs.count);
    memcpy(state, ir_state(&succs, chosen), p->words * sizeof *state);
    assert_true(native_same(p, api, fire, state));
    clew_succs_clear(&succs);
    clew_interp_next(p, state, &succs);
  }
  clew_free(state);
  clew_succs_close(&succs);
  clew_native_close(native);
}

/* A state of many words: arrays that are not linear, blocks that are copied by loops, some of them
 * overlapping, records without cells and cells without bits. */
static void test_large_state(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("large", "test");
  const struct clew_type *odd = ir_maybe(p, 0, 5), *none = ir_int(p, 4, 4);
  const struct clew_type *element =
      ir_pair(p, ir_pair(p, none, odd), clew_type_array(p->arena, ir_range(p, 1, 3), none));
  const struct clew_type *type = clew_type_array(p->arena, ir_range(p, -7, 400), element);
  ir_place a = ir_var(p, "a", type), b = ir_var(p, "b", type);
  ir_place long_run = ir_var(p, "run", clew_type_array(p->arena, ir_range(p, 0, 2047), odd));
  const struct clew_type *half = clew_type_array(p->arena, ir_range(p, 0, 1023), odd);
  struct clew_frame *frame = clew_program_add_frame(p);
  ir_place v = ir_local(frame, "v", ir_int(p, 0, 2047)),
           w = ir_local(frame, "w", ir_int(p, -7, 400));
  ir_expr v_value = ir_load(p, v), w_value = ir_load(p, w);
  ir_start(p, frame,
           IR_LIST(ir_on_place(p, CLEW_STMT_CLEAR, a),
                   ir_for(p, v, ir_num(p, 0), ir_num(p, 2047), 1,
                          ir_set(p, ir_at(p, long_run, v_value),
                                 ir_bin(p, CLEW_OP_MOD, v_value, ir_num(p, 6)))),
                   ir_for(p, w, ir_num(p, -7), ir_num(p, 400), 3,
                          ir_set(p, clew_place_field(clew_place_field(ir_at(p, b, w_value), 0), 1),
                                 ir_num(p, 3)))));
  ir_plain(p, NULL, "copy", NULL, ir_copy(p, a, b));
  ir_plain(p, NULL, "clear", NULL, ir_on_place(p, CLEW_STMT_CLEAR, b));
  ir_plain(p, NULL, "equal", clew_expr_equal(p, a, b), ir_on_place(p, CLEW_STMT_UNDEFINE, a));
  /* parts of one array onto each other, by a place that is made by hand as some front ends do */
  frame = clew_program_add_frame(p);
  struct clew_parameter parameter;
  ir_place i = ir_parameter(p, frame, "i", ir_range(p, 0, 9), &parameter);
  struct clew_index *shift = CLEW_NEW(p->arena, struct clew_index);
  *shift =
      (struct clew_index){.value = ir_load(p, i), .count = 10, .stride = 100, .site = CLEW_NONE};
  ir_place fixed = long_run, moved = long_run;
  fixed.type = moved.type = half;
  fixed.offset = 500;
  moved.indices = shift;
  moved.index_count = 1;
  struct clew_rule rules[] = {ir_rule("to", NULL, ir_copy(p, moved, fixed)),
                              ir_rule("from", NULL, ir_copy(p, fixed, moved)),
                              ir_rule("same", clew_expr_equal(p, fixed, moved),
                                      ir_set_num(p, ir_at(p, long_run, ir_load(p, i)), 1))};
  clew_program_add_family(p, false, frame, &parameter, 1, rules, 3);
  /* through a reference, and through a frame */
  frame = clew_program_add_frame(p);
  struct clew_reference refs[] = {{"x", CLEW_SPACE_STATE, type}, {"y", CLEW_SPACE_FRAME, type}};
  struct clew_function *f =
      ir_function(p, "f", NULL, NULL, 0, clew_arena_copy(p->arena, refs, 2, sizeof *refs), 2);
  f->body =
      IR_LIST(ir_copy(p, clew_place_ref(f, 1), clew_place_ref(f, 0)),
              ir_on_place(p, CLEW_STMT_CLEAR, clew_place_ref(f, 0)),
              ir_on_place(p, CLEW_STMT_UNDEFINE, ir_at(p, clew_place_ref(f, 1), ir_num(p, 17))),
              ir_copy(p, clew_place_ref(f, 0), clew_place_ref(f, 1)));
  ir_place local = ir_local(frame, "local", type);
  ir_plain(p, frame, "call", NULL,
           IR_LIST(ir_call_stmt(p, ir_call(p, f, NULL, (ir_place[]){a, local})),
                   ir_on_value(p, CLEW_STMT_ASSERT, clew_expr_equal(p, local, a))));
  ir_finish(p);
  compare_on(p, 60);
  clew_program_close(p);
}

/* Bags of each sort: small fields, elements wider than a word, many elements, many bags, one inside
 * another. Each rule turns over what is in them. */
static void test_bags(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("bags", "test");
  const struct clew_type *small = ir_pair(p, ir_maybe(p, 0, 5), ir_int(p, -3, 3));
  const struct clew_type *wide =
      ir_pair(p, ir_maybe(p, INT64_MIN + 1, INT64_MAX - 2), ir_maybe(p, 0, 7));
  const struct clew_type *nested = clew_type_bag(p->arena, 4, clew_type_bag(p->arena, 2, small));
  const struct clew_type *types[] = {
      clew_type_bag(p->arena, 5, small), clew_type_bag(p->arena, 4, wide),
      clew_type_bag(p->arena, 300, ir_int(p, 0, 9)), nested, clew_type_bag(p->arena, 20, small)};
  ir_place bags[5],
      many = ir_var(p, "many", clew_type_array(p->arena, ir_range(p, 1, 12), types[0]));
  for (uint32_t i = 0; i < 5; i++)
    bags[i] = ir_var(p, "bag", types[i]);
  ir_start(p, NULL, NULL);
  for (uint32_t i = 0; i < 6; i++) {
    struct clew_frame *frame = clew_program_add_frame(p);
    struct clew_parameter parameters[2];
    ir_place n = ir_parameter(p, frame, "n", ir_range(p, 0, 3), &parameters[0]);
    ir_place k = ir_parameter(p, frame, "k", ir_range(p, 1, 12), &parameters[1]);
    ir_place bag = i < 5 ? bags[i] : ir_at(p, many, ir_load(p, k));
    ir_place local = ir_local(frame, "local", bag.type->element);
    ir_place cell = local;
    struct clew_stmt *fill = NULL;
    if (i == 3) { /* the element is a bag itself */
      ir_place inner = ir_local(frame, "inner", small);
      fill = clew_stmt_new(p, CLEW_STMT_BLOCK);
      fill->body =
          IR_LIST(ir_on_place(p, CLEW_STMT_CLEAR, inner),
                  ir_set(p, clew_place_field(inner, 0), ir_load(p, n)), ir_bag_add(p, local, inner),
                  ir_set(p, clew_place_field(inner, 1), ir_num(p, 3)), ir_bag_add(p, local, inner));
    } else {
      if (cell.type->kind == CLEW_TYPE_RECORD)
        cell = clew_place_field(cell, 0);
      fill = ir_set(p, cell, ir_load(p, n));
    }
    ir_expr present = ir_load(p, clew_place_presence(p, bag, ir_load(p, n), CLEW_NONE));
    struct clew_rule rules[] = {
        ir_rule("add", NULL,
                IR_LIST(ir_on_place(p, CLEW_STMT_CLEAR, local), fill, ir_bag_add(p, bag, local))),
        ir_rule("remove", present,
                IR_LIST(ir_copy(p, local, ir_at(p, bag, ir_load(p, n))),
                        ir_bag_remove(p, bag, ir_load(p, n)), ir_bag_add(p, bag, local),
                        ir_bag_remove(p, bag, ir_num(p, 0)))),
        ir_rule("clear", clew_expr_binary(p, CLEW_OP_AND, present, ir_is(p, n, 3), CLEW_NONE),
                ir_on_place(p, CLEW_STMT_CLEAR, bag))};
    clew_program_add_family(p, false, frame, parameters, i < 5 ? 1 : 2, rules, 3);
  }
  ir_finish(p);
  compare_on(p, 150);
  clew_program_close(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_headers),
      cmocka_unit_test(test_shared_parts),
      cmocka_unit_test(test_large_frames),
      cmocka_unit_test(test_deep_expressions),
      cmocka_unit_test(test_cancelled),
      cmocka_unit_test(test_many_instances),
      cmocka_unit_test(test_large_state),
      cmocka_unit_test(test_bags),
  };
  return cmocka_run_group_tests(tests, native_setup, native_teardown);
}
