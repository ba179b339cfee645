/* Pages, runs and sets of runs of the disk store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/random.h"
#include "store/disk_int.h"

static int compare_numbers(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

/* Sorted keys of `bits` bits, spread over `spread` bits of them. */
static void make_keys(struct clew_random *random, uint64_t *keys, uint32_t n, uint32_t shift,
                      uint32_t spread) {
  for (uint32_t i = 0; i < n; i++) {
    uint64_t r = spread == 0 ? 0 : clew_random_u64(random) >> (64 - spread);
    keys[i] = (r << shift) - ((r << shift) == UINT64_MAX);
  }
  qsort(keys, n, sizeof *keys, compare_numbers);
}

/* ---- pages ---- */

static uint32_t count_key(const uint64_t *keys, uint32_t n, uint64_t key, uint32_t *index) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (keys[i] == key && count++ == 0) {
      *index = i;
    }
  }
  return count;
}

static void assert_search(struct clew_disk_page_cursor *cursor, const uint64_t *keys, uint32_t n,
                          uint64_t key) {
  uint32_t index = 0, expected_index = 0;
  if (key < keys[0] || key > keys[n - 1]) {
    return;
  }
  uint32_t expected = count_key(keys, n, key, &expected_index);
  assert_int_equal(clew_disk_page_search(cursor, key, &index), expected);
  assert_true(expected == 0 || index == expected_index);
}

static uint32_t check_page(const uint64_t *keys, uint32_t n, uint32_t shift) {
  static unsigned char page[CLEW_DISK_PAGE_BYTES + CLEW_DISK_SLACK];
  static uint64_t decoded[CLEW_DISK_PAGE_ENTRIES];
  uint32_t fit = clew_disk_page_fit(keys, n, shift, 1);
  assert_true(fit >= 1 && fit <= n);
  assert_int_equal(clew_disk_page_fit(keys, n, shift, fit), fit);
  memset(page, 0, CLEW_DISK_PAGE_BYTES);
  memset(page + CLEW_DISK_PAGE_BYTES, 0xa5, CLEW_DISK_SLACK);
  clew_disk_page_encode(page, keys, fit, shift, 12345);
  for (uint32_t i = 0; i < CLEW_DISK_SLACK; i++) {
    assert_int_equal(page[CLEW_DISK_PAGE_BYTES + i], 0xa5);
  }
  const struct clew_disk_page *head = clew_disk_page_head(page);
  assert_int_equal(head->count, fit);
  assert_int_equal(head->rank, 12345);
  clew_disk_page_decode(page, decoded);
  assert_memory_equal(decoded, keys, fit * sizeof *keys);
  struct clew_disk_page_cursor cursor = {.page = page};
  uint64_t step = UINT64_C(1) << shift;
  for (uint32_t i = 0; i < fit; i++) {
    if (i > 0 && keys[i - 1] < keys[i] && keys[i] - keys[i - 1] > 2 * step) {
      assert_search(&cursor, keys, fit, keys[i] - step);
    }
    assert_search(&cursor, keys, fit, keys[i]);
    if (i + 1 < fit && keys[i + 1] > keys[i] && keys[i + 1] - keys[i] > 2 * step) {
      assert_search(&cursor, keys, fit, keys[i] + step);
    }
  }
  for (uint32_t i = 0; i < fit; i += 1 + fit / 10) { /* a fresh cursor in the middle */
    cursor = (struct clew_disk_page_cursor){.page = page};
    assert_search(&cursor, keys, fit, keys[i]);
  }
  return fit;
}

static void test_pages(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 1);
  static uint64_t keys[CLEW_DISK_PAGE_ENTRIES];
  for (uint32_t bits = 2; bits <= 64; bits++) {
    for (uint32_t spread = 0; spread <= bits; spread += 1 + bits / 7) {
      for (uint32_t n = 1; n <= CLEW_DISK_PAGE_ENTRIES; n += n < 4 ? 1 : 340) {
        make_keys(&random, keys, n, 64 - bits, spread);
        uint32_t fit = check_page(keys, n, 64 - bits);
        assert_true(n > 200 || fit == n);
      }
    }
  }
  /* Both ends of the range; one far from all others. */
  keys[0] = 0;
  keys[1] = UINT64_MAX - 1;
  assert_int_equal(check_page(keys, 2, 0), 2);
  make_keys(&random, keys, 1000, 0, 20);
  keys[1000] = UINT64_MAX - 1;
  check_page(keys, 1001, 0);
  /* The density that the format is made for. */
  make_keys(&random, keys, 1024, 0, 34 + 10);
  assert_true(check_page(keys, 1024, 0) > 430);
}

/* ---- sets of runs ---- */

struct fixture {
  struct clew_budget budget;
  struct clew_scratch scratch;
  struct clew_diag_sink diags;
  struct clew_disk_io io;
  struct clew_bigmem arena;
  struct clew_disk_table table;
  struct clew_disk_runs runs;
  uint32_t shift;
};

static void open_fixture(struct fixture *f, uint32_t shift, uint32_t state_bytes,
                         uint64_t fence_bytes, size_t arena_bytes) {
  memset(f, 0, sizeof *f);
  f->shift = shift;
  clew_budget_init(&f->budget, 64 << 20);
  assert_int_equal(clew_scratch_open(&f->scratch, NULL, &f->diags), CLEW_OK);
  clew_disk_io_open(&f->io, &f->scratch);
  size_t least = clew_disk_runs_least_arena(state_bytes);
  arena_bytes = arena_bytes < least ? least : arena_bytes;
  assert_true(clew_bigmem_open(&f->arena, arena_bytes, &f->budget));
  assert_true(clew_bigmem_commit(&f->arena, arena_bytes));
  assert_true(clew_disk_table_open(&f->table, 4 << 20, state_bytes, &f->budget));
  while (f->table.limit < 60000 && clew_disk_table_grow(&f->table)) {
  }
  clew_disk_runs_open(&f->runs, shift, state_bytes, fence_bytes, &f->io, &f->table, &f->arena);
}

static void close_fixture(struct fixture *f) {
  clew_disk_runs_close(&f->runs);
  assert_int_equal(f->io.file_bytes, 0);
  clew_disk_io_close(&f->io);
  clew_disk_table_close(&f->table);
  clew_bigmem_close(&f->arena);
  assert_int_equal(clew_budget_used(&f->budget), 0);
  clew_scratch_close(&f->scratch);
}

/* State i; several share a key when `weak`. */
static uint64_t key_of(const struct fixture *f, uint64_t i, bool weak) {
  uint64_t key = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  key = weak ? key >> 60 << 60 : key;
  return key >> f->shift << f->shift;
}

static void add(struct fixture *f, uint64_t i, bool weak) {
  uint64_t slot, state[4] = {i, i * 3, 5, ~i};
  assert_true(clew_disk_table_has_room(&f->table, 1));
  assert_false(clew_disk_table_find(&f->table, key_of(f, i, weak), state, &slot));
  clew_disk_table_insert(&f->table, slot, key_of(f, i, weak), state);
}

static void assert_valid(const struct fixture *f) {
  const char *why = NULL;
  bool valid = clew_disk_runs_validate(&f->runs, &why);
  assert_string_equal(valid ? "valid" : why, "valid");
}

/* Rounds of `n` new states and some old ones; every one is decided rightly. */
static void exercise(uint32_t shift, uint32_t state_bytes, uint64_t fence_bytes, size_t arena_bytes,
                     bool weak, const uint32_t *sizes, uint32_t rounds, uint64_t digest_bytes) {
  struct fixture f;
  open_fixture(&f, shift, state_bytes, fence_bytes, arena_bytes);
  /* No digests; for a while; for some of the runs; for all. */
  f.runs.digest_limit_bytes = digest_bytes;
  uint64_t stored = 0;
  for (uint32_t round = 0; round < rounds; round++) {
    uint32_t n = sizes[round];
    for (uint32_t i = 0; i < n; i++) {
      add(&f, stored + i, weak);
    }
    uint64_t step = stored / (n / 2 + 1) + 1, old = 0;
    for (uint64_t i = round % step; i < stored; i += step) {
      add(&f, i, weak);
      old++;
    }
    assert_true(clew_disk_runs_decide(&f.runs));
    for (uint32_t age = 0; age < f.table.count; age++) {
      assert_int_equal(clew_disk_table_is_old(&f.table, clew_disk_table_position(&f.table, age)),
                       age >= n);
    }
    assert_int_equal(f.table.count, n + old);
    clew_disk_table_settled(&f.table);
    assert_true(clew_disk_runs_flush(&f.runs));
    clew_disk_table_drop(&f.table, f.table.count);
    stored += n;
    assert_int_equal(f.runs.stored, stored);
    assert_true(f.runs.count <= CLEW_DISK_RUNS_MOST);
    assert_valid(&f);
  }
  assert_true(f.io.fault == CLEW_DISK_FINE);
  close_fixture(&f);
}

static void test_runs(void **state) {
  (void)state;
  /* Falling sizes keep many runs; rising ones merge. Sizes of one, of a page, of many. */
  static const uint32_t falling[] = {30000, 20000, 17000, 400, 1, 0, 3, 16500, 1, 1};
  static const uint32_t rising[] = {1, 2, 4, 300, 450, 900, 20000, 1, 40000};
  static const uint32_t weak[] = {1, 30, 500, 1, 900, 600};
  static const uint64_t digest_bytes[] = {0, 12 << 10, 45 << 10, 1 << 20};
  for (uint32_t state_bytes = 0; state_bytes <= 32; state_bytes += 13) {
    for (int i = 0; i < 8; i++) {
      size_t arena = i % 2 == 1 ? 4 << 20 : 0;
      uint64_t fence = i % 2 == 1 ? 1 << 20 : 0, digests = digest_bytes[i / 2];
      exercise(0, state_bytes, fence, arena, false, falling, 10, digests);
      exercise(state_bytes == 0 ? 20 : 0, state_bytes, fence, arena, false, rising, 9, digests);
      if (state_bytes > 0) {
        exercise(0, state_bytes, fence, arena, true, weak, 6, digests);
      }
    }
  }
}

/* Few candidates read few pages. */
static void test_few_reads(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f, 0, 0, 1 << 20, 4 << 20);
  uint64_t stored = 0;
  for (uint32_t round = 0; round < 10; round++) {
    for (uint32_t i = 0; i < 50000; i++) {
      add(&f, stored++, false);
    }
    clew_disk_table_settled(&f.table);
    assert_true(clew_disk_runs_flush(&f.runs));
    clew_disk_table_drop(&f.table, f.table.count);
  }
  uint64_t before = f.io.read_bytes;
  add(&f, 77, false);
  add(&f, stored, false);
  assert_true(clew_disk_runs_decide(&f.runs));
  assert_true(clew_disk_table_is_old(&f.table, 0) && !clew_disk_table_is_old(&f.table, 1));
  assert_true(f.io.read_bytes - before <= 4 * f.runs.count * CLEW_DISK_PAGE_BYTES);
  close_fixture(&f);
}

/* Damage is noticed by deciding and by merging, whatever byte it is; with digests, keys are not
 * read for deciding. */
static void damage(uint32_t place, bool merging, bool digests) {
  struct fixture f;
  open_fixture(&f, 0, 16, 1 << 20, 0);
  f.runs.digest_limit_bytes = digests ? 1 << 20 : 0;
  for (uint32_t i = 0; i < 20000; i++) {
    add(&f, i, false);
  }
  clew_disk_table_settled(&f.table);
  assert_true(clew_disk_runs_flush(&f.runs));
  clew_disk_table_drop(&f.table, f.table.count);
  int fd = place % 2 == 0 ? f.runs.runs[0].key_fd : f.runs.runs[0].state_fd;
  unsigned char byte;
  assert_int_equal(pread(fd, &byte, 1, place), 1);
  byte ^= 0x10;
  assert_int_equal(pwrite(fd, &byte, 1, place), 1);
  for (uint32_t i = 0; i < 20000; i++) {
    add(&f, merging ? 20000 + i : i, false);
  }
  if (merging) {
    clew_disk_table_settled(&f.table);
    assert_false(clew_disk_runs_flush(&f.runs));
  } else {
    assert_false(clew_disk_runs_decide(&f.runs));
  }
  assert_int_equal(f.io.fault, CLEW_DISK_DAMAGED);
  close_fixture(&f);
}

static void test_damage(void **state) {
  (void)state;
  for (uint32_t place = 0; place < 6000; place += 997) {
    bool is_state = place % 2 != 0;
    damage(place, true, false);
    damage(place, true, true);
    damage(place, false, false);
    if (is_state) {
      damage(place, false, true);
    }
  }
}

/* All candidates are new, and the digests know: nothing is read. */
static void test_surely_new(void **state) {
  (void)state;
  for (uint32_t n = 10; n <= 5000; n += 4990) {
    struct fixture f;
    open_fixture(&f, 0, 16, 1 << 20, 0);
    f.runs.digest_limit_bytes = 1 << 20;
    for (uint32_t i = 0; i < 20000; i++) {
      add(&f, i, false);
    }
    clew_disk_table_settled(&f.table);
    assert_true(clew_disk_runs_flush(&f.runs));
    assert_true(clew_disk_digest_is_on(&f.runs.runs[0].digest));
    clew_disk_table_drop(&f.table, f.table.count);
    for (uint32_t i = 0; i < n; i++) {
      add(&f, 20000 + i, false);
    }
    assert_true(clew_disk_runs_decide(&f.runs));
    assert_true(f.runs.surely_new + 2 >= n); /* 16 bits are wrong for one key of 65,536 */
    assert_true(f.io.read_bytes <= 2 * 4096);
    clew_disk_table_settled(&f.table);
    assert_true(clew_disk_runs_flush(&f.runs));
    assert_int_equal(f.runs.stored, 20000 + n);
    assert_valid(&f);
    close_fixture(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pages),      cmocka_unit_test(test_runs),
      cmocka_unit_test(test_few_reads),  cmocka_unit_test(test_damage),
      cmocka_unit_test(test_surely_new),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
