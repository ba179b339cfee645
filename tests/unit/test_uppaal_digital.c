/* Integer time against the discrete states that the real semantics has: locations and variables of
 * the reachable states, with the clocks taken away. */
#include "lang/uppaal/uppaal.h"
#include "unit/model_load.h"
#include "unit/state_set.h"

static enum clew_status with_time(const struct clew_load_request *request, enum clew_time_mode mode,
                                  struct clew_diag_sink *diags, struct clew_program **program) {
  struct clew_load_request timed = *request;
  timed.time = mode;
  return clew_uppaal_program(&timed, diags, program);
}

static enum clew_status untimed(const struct clew_load_request *request,
                                struct clew_diag_sink *diags, struct clew_program **program) {
  return with_time(request, CLEW_TIME_NONE, diags, program);
}

static enum clew_status digital(const struct clew_load_request *request,
                                struct clew_diag_sink *diags, struct clew_program **program) {
  return with_time(request, CLEW_TIME_DIGITAL, diags, program);
}

static uint64_t hash_of(const uint64_t *state, uint32_t words) {
  uint64_t hash = 1;
  for (uint32_t i = 0; i < words; i++) {
    hash = (hash ^ state[i]) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 29;
  }
  return hash;
}

static void add(struct state_set *set, const uint64_t *state) {
  uint64_t hash = hash_of(state, set->words);
  if (state_set_find(set, hash, state) == STATE_SET_NONE) {
    state_set_add(set, hash, state);
  }
}

static void add_all(struct state_set *set, const struct clew_succs *succs) {
  assert_int_equal(succs->fault_count, 0);
  for (uint32_t i = 0; i < succs->count; i++) {
    add(set, succs->states + (size_t)i * succs->words);
  }
}

static void explore(const struct clew_model *model, struct state_set *set) {
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, model->cover_count);
  state_set_open(set, model->words);
  model->init(model, &succs);
  add_all(set, &succs);
  uint64_t *state = clew_alloc_zero(model->words, sizeof *state);
  for (uint32_t i = 0; i < state_set_count(set); i++) {
    memcpy(state, state_set_at(set, i), model->words * sizeof *state); /* the set may move */
    clew_succs_clear(&succs);
    model->next(model, state, &succs);
    add_all(set, &succs);
  }
  clew_free(state);
  clew_succs_close(&succs);
}

/* The place of the slot of this name, or CLEW_NONE. */
static uint32_t find_slot(const struct clew_model *model, const char *name) {
  uint32_t slot = 0;
  while (slot < model->slot_count && strcmp(model->slots[slot].name, name) != 0) {
    slot++;
  }
  return slot < model->slot_count ? slot : CLEW_NONE;
}

/* The states of the timed model as states of the one without clocks. */
static void project(const struct clew_model *timed, const struct state_set *states,
                    const struct clew_model *plain, struct state_set *out) {
  uint64_t *state = clew_alloc_zero(plain->words, sizeof *state);
  state_set_open(out, plain->words);
  for (uint32_t i = 0; i < state_set_count(states); i++) {
    for (uint32_t slot = 0; slot < plain->slot_count; slot++) {
      uint32_t from = find_slot(timed, plain->slots[slot].name);
      assert_int_not_equal(from, CLEW_NONE);
      clew_slot_set(&plain->slots[slot], state,
                    clew_slot_get(&timed->slots[from], state_set_at(states, i)));
    }
    add(out, state);
  }
  clew_free(state);
}

struct sample {
  const char *text;
  uint32_t plain, discrete; /* states with the clocks ignored, and with them but not counted */
};

static void check(const struct sample *sample) {
  struct clew_model *timed =
      clew_model_open(model_load(digital, sample->text), CLEW_MODE_INTERP, CLEW_SYMMETRY_OFF);
  struct clew_model *plain =
      clew_model_open(model_load(untimed, sample->text), CLEW_MODE_INTERP, CLEW_SYMMETRY_OFF);
  struct state_set timed_states, plain_states, discrete;
  explore(timed, &timed_states);
  explore(plain, &plain_states);
  project(timed, &timed_states, plain, &discrete);
  assert_int_equal(state_set_count(&plain_states), sample->plain);
  assert_int_equal(state_set_count(&discrete), sample->discrete);
  for (uint32_t i = 0; i < state_set_count(&discrete); i++) {
    const uint64_t *state = state_set_at(&discrete, i);
    assert_int_not_equal(state_set_find(&plain_states, hash_of(state, plain->words), state),
                         STATE_SET_NONE);
  }
  state_set_close(&timed_states);
  state_set_close(&plain_states);
  state_set_close(&discrete);
  timed->close(timed);
  plain->close(plain);
}

/* Fischer's protocol for two. By hand, as (process 1, process 2, id): with clocks ignored all but
 * those in which id does not fit: id is 0 unless somebody wrote and nobody left since. These counts
 * do not depend on the constants as long as the wait is longer than the writing, so they are those
 * of every published version of this size: 28 and 18. */
#define FISCHER(set, wait)                                                                         \
  "typedef int[1,2] id_t; int id; process P(const id_t pid) { clock x; state A, req { x <= " set   \
  " }, wait, cs; init A; trans A -> req { guard id == 0; assign x = 0; }, req -> wait { assign x " \
  "= "                                                                                             \
  "0, id = pid; }, wait -> req { guard id == 0; assign x = 0; }, wait -> cs { guard x >= " wait    \
  " && id == pid; }, cs -> A { assign id = 0; }; } system P;"

static void test_projection(void **state) {
  (void)state;
  static const struct sample samples[] = {
      {FISCHER("2", "3"), 28, 18},
      {FISCHER("5", "9"), 28, 18},
      {FISCHER("0", "1"), 28, 18},
      /* The edge to c needs x >= 5, which the invariant excludes. */
      {"clock x; process P() { state a { x <= 4 }, b, c; init a; trans a -> b { guard x >= 2; }, a "
       "-> c { guard x >= 5; }; } system P;",
       3, 2},
      /* Set to a number, tested for less: c is reached, d is not. */
      {"clock x = 3; process P() { state a, b, c, d; init a; trans a -> b { guard x == 3; assign x "
       "= 7; }, b -> c { guard x >= 7; }, b -> d { guard x <= 6; }; } system P;",
       4, 3},
      /* A clock that another process sets: b waits for 2 after the signal, which comes at 3. */
      {"chan c; clock x; process P() { state a, b, e; init a; trans a -> b { sync c?; }, b -> e { "
       "guard x == 2; }; } process Q() { clock y; state q { y <= 3 }, r; init q; trans q -> r { "
       "guard y == 3; sync c!; assign x = 0; }; } system P, Q;",
       3, 3},
  };
  for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
    check(&samples[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_projection)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
