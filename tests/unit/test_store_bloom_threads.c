/* The Bloom filter store with several threads: each state is new once, and the figures are those of
 * one thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "store/bloom_options.h"
#include "unit/store_threads.h"

static const struct clew_store_type *const type = &clew_store_bloom;

static struct clew_store *open_store(struct clew_bloom_options options, uint32_t threads) {
  struct clew_store_config config = {
      .words = KEY_WORDS, .threads = threads, .seed = 5, .options = &options};
  struct clew_store *store = store_open(type, &config);
  assert_int_equal(store->promises,
                   CLEW_STORE_REMEMBERS | CLEW_STORE_CONCURRENT | CLEW_STORE_PROBE);
  return store;
}

/* So much memory that nothing is left out: the filter then depends on the set of states only. */
static void test_each_state_is_new_once(void **state) {
  (void)state;
  for (uint32_t classic = 0; classic < 2; classic++) {
    double fill[3], omissions[3];
    static const uint32_t threads[] = {1, 2, MOST_HAMMERS};
    for (uint32_t i = 0; i < 3; i++) {
      struct clew_bloom_options options = {.bits = 4, .expect = 4000000, .classic = classic != 0};
      struct clew_store *store = open_store(options, threads[i]);
      uint64_t full, keys = 0;
      for (uint64_t phase = 0; phase < 4; phase++) {
        uint32_t some = 2000U << phase;
        keys += some;
        assert_int_equal(type->reserve(store, some), CLEW_ROOM);
        assert_true(type->room(store) >= some);
        assert_int_equal(hammer_keys(store, threads[i], phase << 32, some, some, true, &full),
                         some);
        assert_int_equal(hammer_keys(store, threads[i], phase << 32, some, some, false, &full), 0);
        assert_int_equal(full, 0);
      }
      hammer_keys(store, threads[i], UINT64_C(1) << 40, 20000, 60000, false, &full);
      hammer_keys(store, threads[i], UINT64_C(1) << 40, 20000, 20000, true, &full);
      assert_int_equal(type->count(store), keys + 20000);
      assert_int_equal(put_keys(store, UINT64_C(1) << 40, (UINT64_C(1) << 40) + 20000, false), 0);
      fill[i] = store_counter(store, "fill");
      omissions[i] = store_counter(store, "expected_omissions");
      type->close(store);
    }
    assert_true(fill[0] == fill[1] && fill[0] == fill[2]);
    assert_true(fabs(omissions[1] - omissions[0]) <= 0.05 * omissions[0]);
    assert_true(fabs(omissions[2] - omissions[0]) <= 0.05 * omissions[0]);
  }
}

/* Threads that insert different states into the same few blocks: counts stay exact. */
static void test_overfull(void **state) {
  (void)state;
  for (uint32_t classic = 0; classic < 2; classic++) {
    struct clew_bloom_options options = {.bits = 3, .expect = 3000, .classic = classic != 0};
    struct clew_store *store = open_store(options, 4);
    uint64_t full, found_new = hammer_keys(store, 4, 0, 40000, 40000, true, &full);
    assert_true(found_new > 1000 && found_new < 40000 && full == 0);
    assert_int_equal(hammer_keys(store, 4, 0, 40000, 40000, false, &full), 0);
    assert_int_equal(type->adopt(store), found_new);
    assert_int_equal(type->count(store), found_new + 1);
    assert_true(type->omission(store) > 0.999);
    assert_true(store_counter(store, "visits") == 8 * 40000);
    store_assert_valid(store);
    type->close(store);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_state_is_new_once),
      cmocka_unit_test(test_overfull),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
