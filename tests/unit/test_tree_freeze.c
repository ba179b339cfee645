/* The tree store when the search is over: each state has one place, found from the state and read
 * back from the place, and other states have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "store/tree_options.h"
#include "unit/store_open.h"

static const struct clew_store_type *const type = &clew_store_tree;
enum { SEED = 5, BATCH = 64 };

struct form {
  uint32_t words;
  uint64_t states;
  void (*make)(uint64_t key, uint32_t words, uint64_t *state);
};

static void make_product(uint64_t key, uint32_t words, uint64_t *state) {
  for (uint32_t w = 0; w < words; w++) {
    state[w] = key % 37 << 3 | key % 5 << 50;
    key /= 37;
  }
}

static void make_unique(uint64_t key, uint32_t words, uint64_t *state) {
  for (uint32_t w = 0; w < words; w++) {
    state[w] = clew_hash_words(&key, 1, w);
  }
}

static void make_few_bits(uint64_t key, uint32_t words, uint64_t *state) {
  memset(state, 0, words * sizeof *state);
  state[0] = key;
}

static const struct form forms[] = {
    {4, 40000, make_product}, {3, 3000, make_unique}, {2, 70000, make_few_bits},
    {1, 900, make_few_bits},  {17, 500, make_unique}, {4, 1, make_product},
};

static void put_all(struct clew_store *store, const struct form *form) {
  uint64_t *states = clew_alloc((size_t)BATCH * form->words * sizeof *states);
  struct clew_visit visits[BATCH];
  for (uint64_t done = 0; done < form->states;) {
    uint32_t count = form->states - done < BATCH ? (uint32_t)(form->states - done) : BATCH;
    assert_int_equal(type->reserve(store, count), CLEW_ROOM);
    for (uint32_t i = 0; i < count; i++) {
      uint64_t *state = states + (size_t)i * form->words;
      form->make(done + i, form->words, state);
      visits[i] =
          (struct clew_visit){.state = state, .hash = clew_hash_words(state, form->words, SEED)};
    }
    type->put(store, count, visits);
    done += count;
  }
  clew_free(states);
  assert_int_equal(type->count(store), form->states);
}

/* The place of state number `key`; NONE: it is none of those in the store. */
static clew_id place_of(struct clew_store *store, const struct form *form, uint64_t key,
                        uint64_t *state) {
  form->make(key, form->words, state);
  struct clew_visit visit = {.state = state, .hash = clew_hash_words(state, form->words, SEED)};
  type->find(store, 1, &visit);
  return visit.answer == CLEW_SEEN ? visit.id : CLEW_ID_NONE;
}

static void check_places(struct clew_store *store, const struct form *form) {
  uint64_t *state = clew_alloc(form->words * sizeof *state);
  uint64_t *back = clew_alloc(form->words * sizeof *back);
  bool *taken = clew_alloc_zero(form->states, sizeof *taken);
  uint64_t wrong = 0;
  for (uint64_t key = 0; key < form->states; key++) {
    clew_id place = place_of(store, form, key, state);
    if (place >= form->states || taken[place]) {
      wrong++;
      continue;
    }
    taken[place] = true;
    type->get(store, place, 1, back);
    wrong += memcmp(state, back, form->words * sizeof *state) != 0;
  }
  assert_int_equal(wrong, 0);
  for (uint64_t key = form->states; key < form->states + 1000; key++) {
    wrong += place_of(store, form, key, state) != CLEW_ID_NONE;
  }
  assert_int_equal(wrong, 0);
  clew_free(state);
  clew_free(back);
  clew_free(taken);
}

/* Pairs that are in no block. */
static uint64_t spilled_in(const struct clew_store *store) {
  struct clew_counters counters = {0};
  type->counters(store, &counters);
  const struct clew_counter *found = clew_counters_find(&counters, "spilled");
  uint64_t spilled = found != NULL ? found->count : 0;
  clew_counters_free(&counters);
  return spilled;
}

static void test_places(void **state) {
  (void)state;
  uint64_t spilled = 0;
  static const struct clew_tree_options settings[] = {
      {.sample = 1, .order = 3},      /* cut from the first state on */
      {.sample = 100, .tight = true}, /* much of it in the spill at times */
      {.sample = UINT64_C(1) << 40},  /* never cut */
  };
  for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
    for (size_t o = 0; o < sizeof settings / sizeof *settings; o++) {
      struct clew_budget budget;
      clew_budget_init(&budget, UINT64_C(1) << 30);
      struct clew_store_config config = {.words = forms[f].words,
                                         .threads = 1,
                                         .seed = SEED,
                                         .budget = &budget,
                                         .options = &settings[o]};
      struct clew_store *store = store_open(type, &config);
      put_all(store, &forms[f]);
      assert_true(type->freeze(store));
      assert_true(type->freeze(store)); /* again changes nothing */
      check_places(store, &forms[f]);
      spilled += spilled_in(store);
      type->close(store);
      assert_int_equal(budget.used_bytes, 0);
    }
  }
  assert_true(spilled > 0);
}

static void test_no_memory(void **state) {
  (void)state;
  const struct clew_tree_options options = {.sample = 1, .order = 3};
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 30);
  struct clew_store_config config = {
      .words = 4, .threads = 1, .seed = SEED, .budget = &budget, .options = &options};
  struct clew_store *store = store_open(type, &config);
  put_all(store, &forms[0]);
  budget.limit_bytes = budget.used_bytes;
  assert_false(type->freeze(store));
  budget.limit_bytes = UINT64_C(1) << 30;
  assert_true(type->freeze(store));
  check_places(store, &forms[0]);
  type->close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
