/* The tree store: states of every form are cut and lose nothing, with the tightest tables, with
 * several threads, when memory ends anywhere, and it says when states do not split. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/random.h"
#include "store/tree_options.h"
#include "store/tree_plan_int.h"
#include "unit/store_open.h"

static const struct clew_store_type *const type = &clew_store_tree;

enum { BATCH = 200, LAYOUT = 3 };

/* How state number `key` looks. */
struct form {
  const char *name;
  uint32_t words;
  uint64_t keys;
  void (*make)(uint64_t key, uint32_t words, uint64_t *state);
};

static void make_one_slot(uint64_t key, uint32_t words, uint64_t *state) {
  memset(state, 0, words * sizeof *state);
  state[0] = key;
}

/* The left half is always the same. */
static void make_one_half(uint64_t key, uint32_t words, uint64_t *state) {
  memset(state, 0, words * sizeof *state);
  state[words - 1] = key * UINT64_C(0x9e3779b97f4a7c15);
}

/* Nothing occurs twice anywhere. */
static void make_unique(uint64_t key, uint32_t words, uint64_t *state) {
  for (uint32_t w = 0; w < words; w++) {
    state[w] = clew_hash_words(&key, 1, w);
  }
}

/* Processes that move by themselves. */
static void make_product(uint64_t key, uint32_t words, uint64_t *state) {
  for (uint32_t w = 0; w < words; w++) {
    state[w] = key % 37 << 3 | key % 5 << 50;
    key /= 37;
  }
}

static void make_wide(uint64_t key, uint32_t words, uint64_t *state) {
  memset(state, 0x5a, words * sizeof *state);
  state[3 + key * 7919 % (words - 3)] = key;
  state[key % 3] ^= key;
}

static const struct form forms[] = {
    {"one slot", 1, 5000, make_one_slot},    {"one half", 2, 5000, make_one_half},
    {"unique", 3, 5000, make_unique},        {"product", 4, 40000, make_product},
    {"unique words", 17, 3000, make_unique}, {"wide", 200, 3000, make_wide},
    {"a megabyte", 1 << 17, 9, make_wide},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static struct clew_store *open_tree(struct clew_budget *budget, const struct form *form,
                                    const struct clew_tree_options *options,
                                    const struct clew_store_field *fields, uint32_t field_count) {
  struct clew_store_config config = {.words = form->words,
                                     .threads = 4,
                                     .seed = 5,
                                     .budget = budget,
                                     .options = options,
                                     .fields = fields,
                                     .field_count = field_count};
  return store_open(type, &config);
}

/* Puts states first..end-1 as far as there is room; returns how many were. Of each batch some are
 * put twice. */
static uint64_t put_states(struct clew_store *store, const struct form *form, uint64_t first,
                           uint64_t end, bool are_new) {
  uint32_t batch = form->words > 1000 ? 4 : BATCH;
  uint64_t *states = clew_alloc((size_t)batch * form->words * sizeof *states);
  struct clew_visit visits[BATCH];
  uint64_t done = first, next = store->type->count(store);
  while (done < end) {
    uint32_t fresh = batch / 2 < end - done ? batch / 2 : (uint32_t)(end - done);
    if (store->type->reserve(store, fresh * 2) != CLEW_ROOM) {
      break;
    }
    for (uint32_t i = 0; i < 2 * fresh; i++) { /* each twice, in two orders */
      uint64_t key = done + (i < fresh ? i : 2 * fresh - 1 - i);
      uint64_t *state = states + (size_t)i * form->words;
      form->make(key, form->words, state);
      visits[i] =
          (struct clew_visit){.state = state, .hash = clew_hash_words(state, form->words, 5)};
    }
    store->type->put(store, fresh * 2, visits);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 2 * fresh; i++) {
      bool is_new = are_new && i < fresh;
      wrong += visits[i].answer != (is_new ? CLEW_NEW : CLEW_SEEN);
      wrong += is_new && visits[i].id != next++;
    }
    assert_int_equal(wrong, 0);
    done += fresh;
  }
  assert_int_equal(store->type->count(store), next);
  clew_free(states);
  return done - first;
}

static void validate(const struct clew_store *store) {
  const char *why = NULL;
  if (!type->validate(store, &why)) {
    fail_msg("%s", why);
  }
}

static void drive(const struct form *form, const struct clew_tree_options *options,
                  const struct clew_store_field *fields, uint32_t field_count) {
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 30);
  struct clew_store *store = open_tree(&budget, form, options, fields, field_count);
  uint64_t third = form->keys / 3;
  assert_int_equal(put_states(store, form, 0, third, true), third);
  validate(store);
  assert_int_equal(put_states(store, form, 0, third, false), third);
  assert_int_equal(put_states(store, form, third, form->keys, true), form->keys - third);
  assert_int_equal(put_states(store, form, 0, form->keys, false), form->keys);
  validate(store);
  assert_int_equal(type->bytes(store), clew_budget_used(&budget));
  type->close(store);
  assert_int_equal(clew_budget_used(&budget), 0);
}

static void test_forms(void **state) {
  (void)state;
  for (uint32_t f = 0; f < FORMS; f++) {
    for (uint32_t tight = 0; tight < 2; tight++) {
      struct clew_tree_options options = {.sample = 5, .order = LAYOUT, .tight = tight != 0};
      drive(&forms[f], &options, NULL, 0);
    }
  }
}

/* Fields as a model gives them, in every order, also such as leave bits out. */
static void test_fields(void **state) {
  (void)state;
  static const struct clew_store_field fields[] = {{3, 6},   {50, 3}, {67, 6},   {114, 3}, {131, 6},
                                                   {178, 3}, {0, 0},  {195, 20}, {9, 17}};
  static const struct clew_store_field few[] = {{3, 6}, {67, 40}};
  for (uint32_t order = 0; order <= 3; order++) {
    struct clew_tree_options options = {.sample = 500, .order = order};
    drive(&forms[3], &options, fields, sizeof fields / sizeof fields[0]);
    drive(&forms[3], &options, few, sizeof few / sizeof few[0]);
  }
}

/* Memory ends: what was taken in is there, and nothing else. */
static void test_refusal(void **state) {
  (void)state;
  for (uint32_t f = 2; f < 4; f++) {
    for (uint64_t limit = 40000; limit < 3000000; limit = limit * 4 / 3) {
      struct clew_tree_options options = {.sample = limit % 2 == 0 ? 100 : 2000, .order = LAYOUT};
      struct clew_budget budget;
      clew_budget_init(&budget, limit);
      struct clew_store *store = open_tree(&budget, &forms[f], &options, NULL, 0);
      uint64_t done = put_states(store, &forms[f], 0, forms[f].keys, true);
      validate(store);
      assert_int_equal(type->count(store), done);
      assert_true(clew_budget_used(&budget) <= limit);
      assert_int_equal(type->bytes(store), clew_budget_used(&budget));
      type->close(store);
      assert_int_equal(clew_budget_used(&budget), 0);
    }
  }
}

/* ---- threads ---- */

enum { THREADS = 4 };

struct hand {
  struct clew_store *store;
  const struct form *form;
  pthread_barrier_t *start;
  uint64_t first, end, seed;
  _Atomic uint32_t *times_new;  /* of each state */
  _Atomic uint32_t *times_used; /* of each id */
};

static void *hand_run(void *argument) {
  struct hand *hand = argument;
  struct clew_random random;
  clew_random_seed(&random, hand->seed);
  uint32_t words = hand->form->words;
  uint64_t states[BATCH * 4], keys[BATCH];
  assert(words <= 4);
  struct clew_visit visits[BATCH];
  pthread_barrier_wait(hand->start);
  for (uint64_t at = hand->first; at < hand->end; at += 50) {
    uint32_t n = 1 + (uint32_t)clew_random_below(&random, BATCH);
    for (uint32_t i = 0; i < n; i++) {
      keys[i] = at + clew_random_below(&random, 100);
      keys[i] = keys[i] < hand->end ? keys[i] : hand->end - 1;
      hand->form->make(keys[i], words, states + i * words);
      visits[i] = (struct clew_visit){.state = states + i * words};
      visits[i].hash = clew_hash_words(visits[i].state, words, 5);
    }
    type->put(hand->store, n, visits);
    for (uint32_t i = 0; i < n; i++) {
      if (visits[i].answer == CLEW_NEW) {
        atomic_fetch_add(&hand->times_new[keys[i]], 1);
        atomic_fetch_add(&hand->times_used[visits[i].id], 1);
      }
    }
  }
  return NULL;
}

static void work(struct hand *hands, struct clew_store *store) {
  pthread_barrier_t start;
  pthread_t threads[THREADS];
  pthread_barrier_init(&start, NULL, THREADS);
  store->shared = true;
  for (uint32_t t = 0; t < THREADS; t++) {
    hands[t].start = &start;
    pthread_create(&threads[t], NULL, hand_run, &hands[t]);
  }
  for (uint32_t t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
  }
  store->shared = false;
  pthread_barrier_destroy(&start);
}

/* Each state is new once and each id is given once, whoever comes first. */
static void hammer(const struct form *form, const struct clew_tree_options *options) {
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 30);
  struct clew_store *store = open_tree(&budget, form, options, NULL, 0);
  _Atomic uint32_t *times_new = clew_alloc_zero(form->keys, sizeof *times_new);
  _Atomic uint32_t *times_used = clew_alloc_zero(form->keys, sizeof *times_used);
  uint64_t step = form->keys / 10;
  for (uint64_t first = 0; first < form->keys; first += step) {
    struct hand hands[THREADS];
    uint64_t end = first + step < form->keys ? first + step : form->keys;
    assert_int_equal(type->reserve(store, (uint32_t)(end - first)), CLEW_ROOM);
    assert_true(type->room(store) >= end - first);
    for (uint32_t t = 0; t < THREADS; t++) {
      hands[t] = (struct hand){.store = store,
                               .form = form,
                               .first = first,
                               .end = end,
                               .seed = first + t,
                               .times_new = times_new,
                               .times_used = times_used};
    }
    work(hands, store);
  }
  uint64_t count = 0, wrong = 0;
  for (uint64_t k = 0; k < form->keys; k++) {
    count += times_new[k];
    wrong += times_new[k] > 1;
  }
  for (uint64_t id = 0; id < form->keys; id++) {
    wrong += times_used[id] != (id < count);
  }
  assert_int_equal(wrong, 0);
  assert_int_equal(type->count(store), count);
  assert_true(count > form->keys / 2);
  validate(store);
  type->close(store);
  clew_free(times_new);
  clew_free(times_used);
  assert_int_equal(clew_budget_used(&budget), 0);
}

static void test_threads(void **state) {
  (void)state;
  for (uint32_t f = 0; f < 4; f++) {
    hammer(&forms[f], &(struct clew_tree_options){.sample = 10, .order = LAYOUT});
    hammer(&forms[f], &(struct clew_tree_options){.sample = 1, .tight = true});
  }
  hammer(&forms[3], NULL); /* cut while threads are at work, between two steps */
}

/* ---- what it says of itself ---- */

/* A product of four small parts takes little. States without anything in common would take a lot;
 * the plan knows it from a sample, and they stay as they are. */
static void test_estimate(void **state) {
  (void)state;
  static const uint32_t which[] = {3, 2};
  double expected[2], real[2];
  for (uint32_t i = 0; i < 2; i++) {
    struct form form = forms[which[i]];
    form.keys = 60000;
    struct clew_budget budget;
    clew_budget_init(&budget, UINT64_C(1) << 30);
    struct clew_tree_options options = {.sample = 20000};
    struct clew_store *store = open_tree(&budget, &form, &options, NULL, 0);
    assert_int_equal(put_states(store, &form, 0, form.keys, true), form.keys);
    struct clew_counters counters = {0};
    type->counters(store, &counters);
    expected[i] = clew_counters_find(&counters, "expected_bytes_per_state")->real;
    real[i] = (double)type->bytes(store) / (double)form.keys;
    clew_counters_free(&counters);
    type->close(store);
  }
  assert_true(expected[0] < 3 && real[0] < 6);
  assert_true(expected[1] > 31 && real[1] > 24 && real[1] < 34);
}

/* Pairs of a left and a right part that are often met, but hardly ever twice among some thousand
 * states. */
static void make_pairs(uint64_t key, uint32_t words, uint64_t *state) {
  assert_int_equal(words, 2);
  uint64_t right = key % 3000, left = (key / 3000 * 7919 + right * 13) % 5000;
  state[0] = clew_hash_words(&left, 1, 1);
  state[1] = clew_hash_words(&right, 1, 2);
}

/* What the first `count` states say of what all of them take, and what these do take. */
static void compare_estimate(const struct form *form, uint64_t count, double least, double most) {
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 30);
  struct clew_store_config config = {.words = form->words, .threads = 1, .budget = &budget};
  struct clew_store *source = store_open(&clew_store_exact, &config);
  struct clew_store *tree = open_tree(&budget, form, NULL, NULL, 0);
  (void)put_states(source, form, 0, count, true);
  uint64_t all = put_states(tree, form, 0, form->keys, true);
  double told = type->estimate(source, all), real = (double)type->bytes(tree) / (double)all;
  assert_true(told > least * real && told < most * real);
  clew_store_exact.close(source);
  type->close(tree);
  assert_int_equal(clew_budget_used(&budget), 0);
}

static void test_estimate_of_source(void **state) {
  (void)state;
  const struct form pairs = {"pairs", 2, 300000, make_pairs};
  compare_estimate(&pairs, pairs.keys, 0.6, 1.6);
  compare_estimate(&pairs, pairs.keys / 2, 0.6, 1.6);
  struct form product = forms[3];
  product.keys = 300000;
  compare_estimate(&product, product.keys, 0.6, 1.6);
  compare_estimate(&product, product.keys / 2, 0.6, 2);
  struct form unique = forms[2]; /* they stay whole */
  unique.keys = 100000;
  compare_estimate(&unique, unique.keys, 0.9, 1.2);
}

/* Too few tell nothing. */
static void test_estimate_of_few(void **state) {
  (void)state;
  struct clew_store_config config = {.words = 2, .threads = 1};
  struct clew_store *source = store_open(&clew_store_exact, &config);
  assert_true(type->estimate(source, 1000) > 1e300);
  clew_store_exact.close(source);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forms),           cmocka_unit_test(test_fields),
      cmocka_unit_test(test_refusal),         cmocka_unit_test(test_threads),
      cmocka_unit_test(test_estimate),        cmocka_unit_test(test_estimate_of_source),
      cmocka_unit_test(test_estimate_of_few),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
