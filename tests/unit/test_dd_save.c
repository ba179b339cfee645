/* Diagrams in archives: what is read back is what was kept, in a table that has other nodes; what
 * is cut off or changed is noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "dd/ldd.h"

enum { LEVELS = 6, SETS = 12, ROWS = 400 };

static struct clew_dd *open_table(struct clew_budget *budget, uint64_t bytes, uint32_t threads) {
  clew_budget_init(budget, bytes);
  struct clew_dd *dd = clew_dd_open(&(struct clew_dd_config){.budget = budget, .threads = threads});
  assert_non_null(dd);
  return dd;
}

/* Sets that share much, and garbage between them. */
static void make_sets(struct clew_dd *dd, uint64_t seed, clew_ldd *sets) {
  struct clew_random random;
  clew_random_seed(&random, seed);
  uint32_t rows[ROWS * LEVELS];
  for (uint32_t s = 0; s < SETS; s++) {
    uint32_t count = 1 + (uint32_t)clew_random_below(&random, ROWS);
    for (uint32_t i = 0; i < count * LEVELS; i++) {
      rows[i] = (uint32_t)clew_random_below(&random, i % LEVELS == 0 ? 50 : 4);
    }
    sets[s] = clew_ldd_from_rows(dd, rows, count, LEVELS);
    clew_dd_keep(dd, &sets[s]);
    if (s > 0) {
      sets[s] = clew_ldd_union(dd, sets[s], sets[s - 1]);
    }
  }
}

static void expect_equal(struct clew_dd *a, clew_ldd x, struct clew_dd *b, clew_ldd y) {
  static uint32_t left[ROWS * SETS * LEVELS], right[ROWS * SETS * LEVELS];
  uint32_t count = clew_ldd_list(a, x, LEVELS, NULL, left, ROWS * SETS);
  assert_int_equal(clew_ldd_list(b, y, LEVELS, NULL, right, ROWS * SETS), count);
  assert_memory_equal(left, right, count * LEVELS * sizeof *left);
}

static void check_round_trip(uint64_t seed, uint32_t threads) {
  struct clew_budget one, two;
  struct clew_dd *from = open_table(&one, 64 << 20, threads);
  struct clew_dd *to = open_table(&two, 64 << 20, threads);
  clew_ldd sets[SETS], others[SETS], copies[SETS];
  make_sets(from, seed, sets);
  make_sets(to, seed + 1, others); /* some of its nodes are the same, with other numbers */
  struct clew_archive archive = {0};
  assert_true(clew_dd_save(from, &archive));
  for (uint32_t s = 0; s < SETS; s++) {
    clew_archive_put(&archive, sets[s]);
  }
  uint32_t count;
  clew_ldd *numbers = clew_dd_load(to, &archive, &count);
  assert_non_null(numbers);
  for (uint32_t s = 0; s < SETS; s++) {
    uint64_t number = clew_archive_get(&archive);
    assert_true(number < count);
    copies[s] = numbers[number];
  }
  assert_true(clew_archive_is_read(&archive));
  for (uint32_t s = 0; s < SETS; s++) {
    clew_dd_keep(to, &copies[s]);
  }
  clew_dd_collect(to);
  const char *why = NULL;
  assert_true(clew_dd_validate(to, &why));
  for (uint32_t s = 0; s < SETS; s++) {
    expect_equal(from, sets[s], to, copies[s]);
  }
  clew_free(numbers);
  clew_archive_free(&archive);
  clew_dd_close(from);
  clew_dd_close(to);
}

static void test_round_trip(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    check_round_trip(seed, seed % 3 == 0 ? 2 : 1);
  }
}

/* Nothing of it may be trusted: every cut, and many changed bytes. */
static void test_damage(void **state) {
  (void)state;
  struct clew_budget budget, other;
  struct clew_dd *from = open_table(&budget, 64 << 20, 1);
  uint32_t rows[] = {1, 2, 3, 1, 2, 4, 2, 2, 3, 2, 0, 0, 5, 1, 1}, count;
  clew_ldd set = clew_ldd_from_rows(from, rows, 5, 3);
  clew_dd_keep(from, &set);
  struct clew_archive whole = {0};
  assert_true(clew_dd_save(from, &whole));
  struct clew_dd *to = open_table(&other, 64 << 20, 1);
  for (uint32_t bytes = 0; bytes < whole.data.len; bytes++) {
    struct clew_archive part = {0};
    clew_archive_put_bytes(&part, whole.data.data, bytes);
    assert_null(clew_dd_load(to, &part, &count));
    assert_true(part.damaged);
    clew_archive_free(&part);
  }
  for (uint32_t at = 0; at < whole.data.len; at++) {
    for (uint32_t bit = 0; bit < 8; bit++) {
      struct clew_archive changed = {0};
      clew_archive_put_bytes(&changed, whole.data.data, whole.data.len);
      changed.data.data[at] ^= (unsigned char)(1U << bit);
      clew_ldd *numbers = clew_dd_load(to, &changed, &count);
      const char *why = NULL;
      assert_true(numbers != NULL || changed.damaged);
      assert_true(clew_dd_validate(to, &why)); /* another set perhaps, but one */
      clew_free(numbers);
      clew_archive_free(&changed);
    }
  }
  clew_archive_free(&whole);
  clew_dd_close(from);
  clew_dd_close(to);
}

static void test_no_memory(void **state) {
  (void)state;
  struct clew_budget budget, small;
  struct clew_dd *from = open_table(&budget, 256 << 20, 1);
  enum { MANY = 200000 };
  uint32_t *rows = clew_alloc((size_t)MANY * 4 * sizeof *rows), count;
  struct clew_random random;
  clew_random_seed(&random, 7);
  for (uint32_t i = 0; i < MANY * 4; i++) {
    rows[i] = (uint32_t)clew_random_below(&random, 1000);
  }
  clew_ldd set = clew_ldd_from_rows(from, rows, MANY, 4);
  clew_dd_keep(from, &set);
  struct clew_archive archive = {0};
  assert_true(clew_dd_save(from, &archive));
  struct clew_dd *to = open_table(&small, 2 << 20, 1);
  assert_null(clew_dd_load(to, &archive, &count));
  assert_false(archive.damaged);
  const char *why = NULL;
  clew_dd_collect(to);
  assert_true(clew_dd_validate(to, &why));
  clew_archive_free(&archive);
  clew_free(rows);
  clew_dd_close(from);
  clew_dd_close(to);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_damage),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
