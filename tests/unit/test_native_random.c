/* Native code does what the interpreter does, on random programs (see ir_random.h). The environment
 * variables CLEW_RANDOM_FIRST and CLEW_RANDOM_COUNT choose other seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/effort.h"
#include "unit/ir_random.h"
#include "unit/native_run.h"

enum { MAX_STATES = 250, BATCH = 4 };

static uint64_t number_from(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  uint64_t value;
  return text != NULL && clew_text_parse_u64(text, &value) ? value : otherwise;
}

/* Adds states that are not there yet, up to the limit. */
static void add_states(struct clew_succs *states, const struct clew_succs *found) {
  for (uint32_t i = 0; i < found->count && states->count < MAX_STATES; i++) {
    bool known = false;
    for (uint32_t j = 0; j < states->count && !known; j++)
      known = memcmp(ir_state(states, j), ir_state(found, i), found->words * sizeof(uint64_t)) == 0;
    if (known)
      continue;
    memcpy(clew_succs_next(states), ir_state(found, i), found->words * sizeof(uint64_t));
    clew_succs_keep(states, 0);
  }
}

/* A state that need not be reachable, but has values in their ranges and no bag with elements. */
static void random_state(const struct clew_program *p, struct clew_random *random,
                         uint64_t *state) {
  memset(state, 0, p->words * sizeof *state);
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const struct clew_slot *slot = &p->slots[i];
    uint64_t most = (uint64_t)slot->domain->hi - (uint64_t)slot->domain->lo;
    bool small = most < 1000 || clew_random_below(random, 2) == 0;
    uint64_t offset = clew_random_below(random, (small ? most % 1000 : most) + 1);
    bool undefined = slot->undefinable && clew_random_below(random, 30) == 0;
    if (!slot->hidden && slot->presence == CLEW_NONE)
      clew_slot_set(slot, state,
                    undefined ? CLEW_UNDEFINED : (int64_t)((uint64_t)slot->domain->lo + offset));
  }
}

static void compare(const struct clew_program *p, const struct clew_native_api *api,
                    clew_native_fire_fn fire, uint64_t seed) {
  struct clew_succs states, found;
  clew_succs_open(&states, p->words, p->cover_count);
  clew_succs_open(&found, p->words, p->cover_count);
  clew_interp_init(p, &found);
  add_states(&states, &found);
  uint64_t *state = clew_alloc_zero(p->words, sizeof *state);
  uint64_t successors = 0, faults = 0;
  struct clew_random random;
  clew_random_seed(&random, seed);
  for (uint32_t i = 0; i < MAX_STATES / 5; i++) {
    random_state(p, &random, clew_succs_next(&states));
    clew_succs_keep(&states, 0);
  }
  for (uint32_t i = 0; i < states.count; i++) {
    memcpy(state, ir_state(&states, i), p->words * sizeof *state);
    if (!native_same(p, api, fire, state))
      fail_msg("seed %llu, state %u", (unsigned long long)seed, i);
    clew_succs_clear(&found);
    clew_interp_next(p, state, &found);
    successors += found.count;
    faults += found.fault_count;
    add_states(&states, &found);
  }
  if (getenv("CLEW_RANDOM_VERBOSE") != NULL)
    printf("seed %llu: %u states, %llu successors, %llu faults\n", (unsigned long long)seed,
           states.count, (unsigned long long)successors, (unsigned long long)faults);
  clew_free(state);
  clew_succs_close(&states);
  clew_succs_close(&found);
}

static void test_random(void **state) {
  (void)state;
  uint64_t first = number_from("CLEW_RANDOM_FIRST", 1);
  uint64_t count = number_from("CLEW_RANDOM_COUNT", IS_SANITIZED ? BATCH : 2 * BATCH);
  for (uint64_t from = first; from < first + count; from += BATCH) {
    struct clew_program *programs[BATCH];
    struct clew_native *natives[BATCH];
    for (uint32_t i = 0; i < BATCH; i++) {
      programs[i] = ir_random_build(from + i);
      natives[i] = clew_native_start(programs[i], NULL);
      clew_native_expect_fire(natives[i]);
    }
    for (uint32_t i = 0; i < BATCH; i++) {
      const struct clew_native_api *api = clew_native_wait(natives[i]);
      const char *notice = clew_native_notice(natives[i]);
      if (api != NULL)
        compare(programs[i], api, native_own_fire(natives[i]), from + i);
      else if (strstr(notice, "too large") == NULL) /* such as a huge recursive function */
        fail_msg("seed %llu: %s", (unsigned long long)(from + i), notice);
      clew_native_close(natives[i]);
      clew_program_close(programs[i]);
    }
  }
}

/* Code that makes pieces of any program (model/succs.h), not only of large ones. */
static void test_random_in_pieces(void **state) {
  setenv("CLEW_PIECE", "1", true);
  test_random(state);
  unsetenv("CLEW_PIECE");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_random_in_pieces),
  };
  return cmocka_run_group_tests(tests, native_setup, native_teardown);
}
