/* Models over models: handing on, and symmetry as one of them. By hand on two numbers that can be
 * exchanged; on a Murphi model against canonical forms computed beside it, by both executions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "ir/exec.h"
#include "ir/symmetry.h"
#include "model/orbit.h"
#include "model/over.h"
#include "trace/trace.h"
#include "unit/model_load.h"
#include "unit/native_run.h"

/* ---- Two numbers ----------------------------------------------------------------------------- */

/* a and b from 0 to 3, each in a word. They grow by one, until their sum is 5; they are exchanged;
 * and it is an error that one is 3 and the other 0. Starts: both 0, both 3. */
enum { INC_A, INC_B, SWAP, CHECK_A, CHECK_B, PAIR_EDGES };

static uint32_t pair_closed;

static bool pair_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                      uint64_t *out, uint32_t *site) {
  (void)model;
  uint64_t a = state[0], b = state[1];
  *site = CLEW_NONE;
  memmove(out, state, 2 * sizeof *out);
  switch (edge) {
  case INC_A:
    out[0]++;
    return a < 3 && a + b < 5;
  case INC_B:
    out[1]++;
    return b < 3 && a + b < 5;
  case SWAP:
    out[0] = b;
    out[1] = a;
    return true;
  default:
    if ((edge == CHECK_A ? a : b) == 3 && a + b == 3) {
      *site = 0;
    }
    return false;
  }
}

static void pair_next(const struct clew_model *model, const uint64_t *state,
                      struct clew_succs *succs) {
  uint32_t first = succs->count, first_fault = succs->fault_count;
  for (uint32_t edge = 0; edge < PAIR_EDGES; edge++) {
    uint32_t site;
    if (pair_fire(model, state, edge, clew_succs_next(succs), &site)) {
      clew_succs_keep(succs, edge);
    } else if (site != CLEW_NONE) {
      succs->add_fault(succs, edge, site);
    }
  }
  succs->stuck = clew_succs_are_stuck(succs, model->deadlock, state, first, first_fault);
}

static void pair_init(const struct clew_model *model, struct clew_succs *succs) {
  for (uint32_t i = 0; i < model->initial_count; i++) {
    uint64_t *state = clew_succs_next(succs);
    state[0] = state[1] = i * 3;
    clew_succs_keep(succs, i);
  }
}

static bool pair_label(const struct clew_model *model, uint32_t label, const uint64_t *state,
                       uint32_t *site) {
  (void)model, (void)site;
  return state[0] + state[1] > label;
}

static uint32_t pair_check(const struct clew_model *model, const uint64_t *enabled,
                           const uint64_t *state, uint32_t *site) {
  (void)model;
  *site = CLEW_NONE;
  return (enabled[0] & 1) != 0 && state[0] + state[1] > 4 ? 0 : CLEW_NONE;
}

static void pair_group(const struct clew_model *model, uint32_t group, struct clew_group *out) {
  (void)model;
  *out = (struct clew_group){.first_edge = group, .edge_count = 1, .priority = 4};
}

static void pair_access(const struct clew_model *model, uint32_t group,
                        struct clew_access *access) {
  (void)model;
  access->read[0] = group;
}

static void pair_label_access(const struct clew_model *model, uint32_t label, uint64_t *read) {
  (void)model;
  read[0] |= label;
}

static void pair_print_edge(const struct clew_model *model, uint32_t edge, struct clew_text *out) {
  (void)model;
  clew_text_printf(out, "edge %u", edge);
}

static void pair_print_initial(const struct clew_model *model, uint32_t edge,
                               struct clew_text *out) {
  (void)model;
  clew_text_printf(out, "start %u", edge);
}

static void pair_expect_fire(const struct clew_model *model) {
  *(uint32_t *)model->impl += 1;
}

static void pair_exec_info(const struct clew_model *model, struct clew_exec_info *info) {
  (void)model;
  *info = (struct clew_exec_info){.used = CLEW_EXEC_BOTH};
}

static bool pair_covers(const struct clew_model *model, const uint64_t *a, const uint64_t *b) {
  assert_int_equal(model->discrete_words, 1);
  return a[1] >= b[1];
}

static void pair_close(struct clew_model *model) {
  assert_non_null(model->impl);
  pair_closed++;
}

static uint32_t pair_expected;
static struct clew_model pair;

static struct clew_model *pair_open(void) {
  pair_closed = pair_expected = 0;
  pair = (struct clew_model){
      .name = "pair",
      .words = 2,
      .discrete_words = 2,
      .edge_count = PAIR_EDGES,
      .initial_count = 2,
      .group_count = PAIR_EDGES,
      .label_count = 5,
      .site_count = 1,
      .deadlock = CLEW_DEADLOCK_STUTTERING,
      .init = pair_init,
      .next = pair_next,
      .fire = pair_fire,
      .label = pair_label,
      .check = pair_check,
      .group = pair_group,
      .access = pair_access,
      .label_access = pair_label_access,
      .print_edge = pair_print_edge,
      .print_initial = pair_print_initial,
      .expect_fire = pair_expect_fire,
      .exec_info = pair_exec_info,
      .close = pair_close,
      .reference = &pair,
      .impl = &pair_expected,
  };
  return &pair;
}

static void sort_pair(const void *context, uint64_t *state) {
  assert_ptr_equal(context, &pair);
  if (state[0] > state[1]) {
    uint64_t larger = state[0];
    state[0] = state[1];
    state[1] = larger;
  }
}

static void sort_pairs(const void *context, const uint64_t *parent, uint64_t *states,
                       uint32_t count) {
  assert_true(parent != states);
  for (uint64_t *at = states; at < states + 2 * (size_t)count; at += 2) {
    sort_pair(context, at);
  }
}

/* Two representatives for some orbits. */
static void sort_some_pairs(const void *context, const uint64_t *parent, uint64_t *states,
                            uint32_t count) {
  assert_true(parent != states);
  for (uint64_t *at = states; at < states + 2 * (size_t)count; at += 2) {
    if (at[0] + at[1] != 3) {
      sort_pair(context, at);
    }
  }
}

static struct clew_model *orbits_open(bool fast) {
  struct clew_orbit orbit = {.name = fast ? "fast" : "canonical",
                             .canonicalise = fast ? sort_some_pairs : sort_pairs,
                             .exact = sort_pair,
                             .context = &pair};
  return clew_orbit_open(pair_open(), &orbit);
}

static void expect_state(const uint64_t *state, uint64_t a, uint64_t b) {
  assert_int_equal(state[0], a);
  assert_int_equal(state[1], b);
}

/* ---- Handing on ------------------------------------------------------------------------------ */

static void test_over(void **unused) {
  (void)unused;
  struct clew_model model = clew_model_over(pair_open());
  assert_ptr_equal(model.under, &pair);
  assert_ptr_equal(model.reference, &pair);
  assert_null(model.covers);
  assert_null(model.impl);
  struct clew_succs succs;
  clew_succs_open(&succs, 2, 0);
  model.init(&model, &succs);
  assert_int_equal(succs.count, 2);
  const uint64_t state[] = {2, 1}, all[] = {1}, late[] = {2, 3};
  model.next(&model, state, &succs);
  assert_int_equal(succs.count, 5);
  expect_state(succs.states + 8, 1, 2);
  clew_succs_close(&succs);
  uint64_t out[2];
  uint32_t site = 7;
  assert_true(model.fire(&model, state, INC_A, out, &site));
  expect_state(out, 3, 1);
  assert_true(clew_model_replay(&model, state, SWAP, out));
  expect_state(out, 1, 2);
  assert_false(clew_model_replay(&model, state, CHECK_A, out));
  assert_true(model.label(&model, 2, state, &site));
  assert_false(model.label(&model, 3, state, &site));
  assert_int_equal(model.check(&model, all, state, &site), CLEW_NONE);
  assert_int_equal(model.check(&model, all, late, &site), 0);
  struct clew_group group;
  model.group(&model, 3, &group);
  assert_int_equal(group.first_edge, 3);
  uint64_t read[] = {8};
  model.access(&model, 5, &(struct clew_access){.read = read});
  model.label_access(&model, 2, read);
  assert_int_equal(read[0], 7);
  struct clew_text text = {0};
  model.print_edge(&model, 1, &text);
  model.print_initial(&model, 2, &text);
  assert_string_equal(clew_text_str(&text), "edge 1start 2");
  clew_text_free(&text);
  model.expect_fire(&model);
  assert_int_equal(pair_expected, 1);
  struct clew_exec_info info;
  model.exec_info(&model, &info);
  assert_int_equal(info.used, CLEW_EXEC_BOTH);
}

static void test_covers(void **unused) {
  (void)unused;
  pair_open();
  pair.covers = pair_covers;
  pair.discrete_words = 1;
  struct clew_model model = clew_model_over(&pair);
  const uint64_t small[] = {1, 2}, large[] = {1, 3};
  assert_true(clew_model_covers(&model, large, small));
  assert_true(clew_model_covers(&model, small, small));
  assert_false(clew_model_covers(&model, small, large));
}

/* ---- Orbits of two numbers ------------------------------------------------------------------- */

static void test_orbit_operations(void **unused) {
  (void)unused;
  struct clew_model *model = orbits_open(false);
  assert_string_equal(model->reduction, "canonical");
  assert_ptr_equal(model->under, &pair);
  assert_ptr_equal(model->reference, &pair);
  struct clew_succs succs;
  clew_succs_open(&succs, 2, 0);
  uint64_t *earlier = clew_succs_next(&succs);
  earlier[0] = 9;
  earlier[1] = 8;
  clew_succs_keep(&succs, 0);
  const uint64_t state[] = {1, 1};
  model->next(model, state, &succs);
  assert_int_equal(succs.count, 4);
  expect_state(succs.states, 9, 8); /* not of this call */
  expect_state(succs.states + 2, 1, 2);
  expect_state(succs.states + 4, 1, 2);
  expect_state(succs.states + 6, 1, 1);
  assert_int_equal(succs.edges[1], INC_A);
  assert_false(succs.stuck);
  clew_succs_clear(&succs);
  model->init(model, &succs);
  assert_int_equal(succs.count, 2);
  uint64_t out[2];
  uint32_t site;
  assert_true(model->fire(model, state, INC_A, out, &site));
  expect_state(out, 1, 2);
  const uint64_t unlike[] = {0, 3};
  assert_false(model->fire(model, unlike, CHECK_B, out, &site));
  assert_int_equal(site, 0);
  assert_true(clew_model_start(model, 1, out));
  expect_state(out, 3, 3);
  assert_false(clew_model_start(model, 2, out));
  clew_succs_close(&succs);
  model->close(model);
  assert_int_equal(pair_closed, 1);
}

/* Exchanging 2 and 3 leads to another state, though it has the same representative. */
static void test_orbit_stuck(void **unused) {
  (void)unused;
  struct clew_model *model = orbits_open(false);
  struct clew_succs succs;
  clew_succs_open(&succs, 2, 0);
  const uint64_t last[] = {2, 3}, both[] = {3, 3};
  model->next(model, last, &succs);
  assert_int_equal(succs.count, 1);
  expect_state(succs.states, 2, 3);
  assert_false(succs.stuck);
  model->next(model, both, &succs);
  assert_true(succs.stuck);
  clew_succs_close(&succs);
  model->close(model);
}

static void test_lower(void **unused) {
  (void)unused;
  for (int fast = 0; fast < 2; fast++) {
    struct clew_model *model = orbits_open(fast == 1);
    uint32_t edges[] = {INC_A, INC_B, INC_B};
    struct clew_trace trace = {
        .initial = 0, .edges = edges, .edge_count = 3, .fault_edge = CHECK_B, .site = 0};
    clew_trace_unfold(model, &trace);
    assert_int_equal(trace.edge_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
      assert_int_equal(edges[i], INC_A);
    }
    assert_int_equal(trace.fault_edge, CHECK_A);
    assert_int_equal(trace.site, 0);
    /* A path that does not exist is left as it is. */
    uint32_t wrong[] = {INC_A, INC_B, CHECK_A};
    trace = (struct clew_trace){.edges = wrong, .edge_count = 3, .fault_edge = CLEW_NONE};
    clew_trace_unfold(model, &trace);
    assert_int_equal(wrong[1], INC_B);
    model->close(model);
  }
}

/* ---- Orbits of a program --------------------------------------------------------------------- */

static void canonicalise(const struct clew_symmetry *symmetry, const uint64_t *state,
                         uint64_t *form) {
  memcpy(form, state, clew_symmetry_tables(symmetry)->words * sizeof *form);
  clew_symmetry_canonicalise(symmetry, NULL, form, 1);
}

/* One step of a random walk: what the model says is what the model below says, made canonical. */
static bool check_step(const struct clew_model *model, const struct clew_symmetry *symmetry,
                       struct clew_random *random, uint64_t *state, uint32_t *edge) {
  struct clew_succs all, below;
  uint64_t form[64], out[64];
  clew_succs_open(&all, model->words, model->cover_count);
  clew_succs_open(&below, model->words, model->cover_count);
  model->next(model, state, &all);
  model->reference->next(model->reference, state, &below);
  assert_int_equal(all.count, below.count);
  assert_int_equal(all.fault_count, below.fault_count);
  assert_int_equal(all.stuck, below.stuck);
  for (uint32_t i = 0; i < all.count; i++) {
    const uint64_t *successor = all.states + (size_t)i * model->words;
    canonicalise(symmetry, below.states + (size_t)i * model->words, form);
    assert_int_equal(all.edges[i], below.edges[i]);
    assert_memory_equal(successor, form, model->words * sizeof *form);
    assert_true(clew_model_replay((void *)(uintptr_t)model, state, all.edges[i], out));
    assert_memory_equal(out, form, model->words * sizeof *form);
  }
  bool more = all.count > 0;
  if (more) {
    size_t chosen = clew_random_below(random, all.count);
    *edge = all.edges[chosen];
    memcpy(state, all.states + chosen * model->words, model->words * sizeof *state);
  }
  clew_succs_close(&all);
  clew_succs_close(&below);
  return more;
}

/* A random walk over representatives becomes an execution of the reference that ends in the same
 * orbit. */
static void check_walk(const struct clew_model *model, const struct clew_symmetry *symmetry,
                       const struct clew_symmetry *exact, struct clew_random *random) {
  enum { STEPS = 30 };
  uint32_t edges[STEPS], length = 0;
  uint64_t state[64], form[64], wanted[64];
  assert_true(model->words <= 64);
  assert_true(clew_model_start(model, 0, state));
  while (length < STEPS && check_step(model, symmetry, random, state, &edges[length])) {
    length++;
  }
  struct clew_trace trace = {
      .edges = edges, .edge_count = length, .fault_edge = CLEW_NONE, .site = CLEW_NONE};
  clew_trace_unfold(model, &trace);
  uint32_t failed_step = 0;
  uint64_t *states = clew_trace_states(model->reference, &trace, &failed_step);
  assert_non_null(states);
  canonicalise(exact, states + (size_t)length * model->words, form);
  canonicalise(exact, state, wanted);
  assert_memory_equal(form, wanted, model->words * sizeof *form);
  clew_free(states);
}

static void check_program(const char *path, enum clew_exec_mode exec,
                          enum clew_symmetry_mode mode) {
  struct clew_program *program = model_load_file(path);
  const char *why = NULL;
  struct clew_symmetry *symmetry = clew_symmetry_open(program, mode == CLEW_SYMMETRY_FAST, &why);
  struct clew_symmetry *exact = clew_symmetry_open(program, false, &why);
  struct clew_model *model = clew_model_open(program, exec, mode);
  assert_string_equal(model->reduction, mode == CLEW_SYMMETRY_FAST ? "fast" : "canonical");
  assert_ptr_equal(model->reference, model->under->reference);
  assert_null(model->under->under);
  assert_null(model->reference->reduction);
  struct clew_random random;
  clew_random_seed(&random, 1);
  for (uint32_t i = 0; i < 20; i++) {
    check_walk(model, symmetry, exact, &random);
  }
  struct clew_exec_info info;
  model->exec_info(model, &info);
  assert_int_equal(info.used, exec == CLEW_MODE_NATIVE ? CLEW_EXEC_NATIVE : CLEW_EXEC_INTERP);
  clew_symmetry_close(exact);
  clew_symmetry_close(symmetry);
  model->close(model);
}

static void test_programs(void **unused) {
  (void)unused;
  static const char *const paths[] = {
      "tests/models/murphi/symmetry_pointers.m", "tests/models/murphi/symmetry_relation.m",
      "tests/models/murphi/symmetry_multiset.m", "tests/models/murphi/symmetry_queue.m"};
  for (uint32_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    check_program(paths[i], CLEW_MODE_INTERP, CLEW_SYMMETRY_CANONICAL);
    check_program(paths[i], CLEW_MODE_INTERP, CLEW_SYMMETRY_FAST);
    check_program(paths[i], CLEW_MODE_NATIVE, CLEW_SYMMETRY_CANONICAL);
    check_program(paths[i], CLEW_MODE_NATIVE, CLEW_SYMMETRY_FAST);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_over),
      cmocka_unit_test(test_covers),
      cmocka_unit_test(test_orbit_operations),
      cmocka_unit_test(test_orbit_stuck),
      cmocka_unit_test(test_lower),
      cmocka_unit_test(test_programs),
  };
  return cmocka_run_group_tests(tests, native_setup, native_teardown);
}
