/* The memory table of the disk store: order, ages, growth, crowded ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "store/disk_int.h"

/* The reference: entries in order of age. */
struct entry {
  uint64_t key, state;
};

enum { ROUNDING_BYTES = 4 * (64 << 10) }; /* of commits, where the budget allows */

struct fixture {
  struct clew_budget budget;
  struct clew_disk_table table;
  struct entry *entries; /* the first `dropped` are gone */
  uint32_t count, dropped;
  struct clew_random random;
};

static void assert_valid(const struct fixture *f) {
  const char *why = NULL;
  bool valid = clew_disk_table_validate(&f->table, &why);
  assert_string_equal(valid ? "valid" : why, "valid");
  assert_int_equal(f->table.count, f->count - f->dropped);
}

static void open_fixture(struct fixture *f, uint64_t memory_bytes, bool states) {
  memset(f, 0, sizeof *f);
  clew_budget_init(&f->budget, memory_bytes + ROUNDING_BYTES);
  assert_true(clew_disk_table_open(&f->table, memory_bytes, states ? 8 : 0, &f->budget));
  f->entries = clew_alloc(1000000 * sizeof *f->entries);
  clew_random_seed(&f->random, 5);
}

static void close_fixture(struct fixture *f) {
  clew_disk_table_close(&f->table);
  assert_int_equal(clew_budget_used(&f->budget), 0);
  clew_free(f->entries);
}

/* Whether it is there, by going through all. */
static bool reference_has(const struct fixture *f, uint64_t key, uint64_t state) {
  for (uint32_t i = f->dropped; i < f->count; i++) {
    if (f->entries[i].key == key && (f->table.state_bytes == 0 || f->entries[i].state == state)) {
      return true;
    }
  }
  return false;
}

static void visit(struct fixture *f, uint64_t key, uint64_t state) {
  uint64_t slot;
  bool found = clew_disk_table_find(&f->table, key, &state, &slot);
  assert_int_equal(found, reference_has(f, key, state));
  if (found) {
    assert_int_equal(f->table.keys[slot], key);
    return;
  }
  clew_disk_table_insert(&f->table, slot, key, &state);
  f->entries[f->count++] = (struct entry){key, state};
}

static void drop(struct fixture *f, uint32_t n) {
  clew_disk_table_settled(&f->table);
  f->table.flushed = f->table.settled;
  clew_disk_table_drop(&f->table, n);
  f->dropped += n;
}

/* The entries as the table lists them, by age. */
static void assert_contents(struct fixture *f) {
  const struct clew_disk_table *t = &f->table;
  uint64_t seen = 0;
  for (uint64_t slot = 0; slot < t->end; slot++) {
    if (t->keys[slot] == CLEW_DISK_NO_KEY) {
      continue;
    }
    uint32_t age = clew_disk_table_age(t, clew_disk_table_at(t, slot));
    const struct entry *entry = &f->entries[f->dropped + age];
    assert_int_equal(entry->key, t->keys[slot]);
    assert_int_equal(clew_disk_table_position(t, age), clew_disk_table_at(t, slot));
    if (t->state_bytes > 0) {
      assert_memory_equal(clew_disk_table_state(t, clew_disk_table_at(t, slot)), &entry->state, 8);
    }
    seen++;
  }
  assert_int_equal(seen, f->count - f->dropped);
  for (uint32_t i = f->dropped; i < f->count; i += 37) {
    uint64_t key = f->entries[i].key, slot = clew_disk_table_seek(t, key);
    assert_int_equal(t->keys[slot], key);
    for (uint64_t before = 0; before < slot; before++) {
      assert_true(t->keys[before] == CLEW_DISK_NO_KEY || t->keys[before] < key);
    }
  }
  assert_int_equal(clew_disk_table_seek(t, CLEW_DISK_NO_KEY - 1),
                   t->end - (t->end > 0 && t->keys[t->end - 1] == CLEW_DISK_NO_KEY - 1));
}

enum shape { UNIFORM, TOP, BOTTOM, FEW };

static uint64_t make_key(struct fixture *f, enum shape shape) {
  uint64_t r = clew_random_u64(&f->random);
  switch (shape) {
  case TOP:
    return UINT64_MAX - 1 - r % 5000;
  case BOTTOM:
    return r % 5000;
  case FEW:
    return r % 7 * (UINT64_MAX / 7);
  default:
    return r % 3 == 0 ? (r >> 32 << 40) : r - (r == UINT64_MAX);
  }
}

static void exercise(enum shape shape, bool states, uint64_t memory_bytes) {
  struct fixture f;
  open_fixture(&f, memory_bytes, states);
  for (uint32_t round = 0; round < 60; round++) {
    uint32_t n = 1 + (uint32_t)clew_random_below(&f.random, 120);
    while (!clew_disk_table_has_room(&f.table, n)) {
      if (!clew_disk_table_grow(&f.table)) {
        assert_true(f.table.count > 0);
        drop(&f, 1 + (uint32_t)clew_random_below(&f.random, f.table.count));
        assert_valid(&f);
      }
    }
    for (uint32_t i = 0; i < n; i++) {
      visit(&f, make_key(&f, shape), clew_random_below(&f.random, 5));
    }
    if (round % 10 == 3) {
      drop(&f, (uint32_t)clew_random_below(&f.random, f.table.count / 2 + 1));
    }
    assert_valid(&f);
  }
  assert_contents(&f);
  drop(&f, f.table.count);
  assert_valid(&f);
  assert_int_equal(f.table.end, 0);
  assert_true(clew_budget_used(&f.budget) <= memory_bytes + ROUNDING_BYTES);
  assert_int_equal(clew_disk_table_bytes(&f.table), clew_budget_used(&f.budget));
  close_fixture(&f);
}

static void test_against_reference(void **state) {
  (void)state;
  for (int shape = UNIFORM; shape <= FEW; shape++) {
    for (int states = 0; states < 2; states++) {
      exercise((enum shape)shape, states != 0, 40 << 10);
      exercise((enum shape)shape, states != 0, 1 << 20);
    }
  }
}

/* Filled to the limit with keys that all crowd at the end; every slot behind is used. */
static void test_full_to_the_limit(void **state) {
  (void)state;
  for (int shape = UNIFORM; shape <= BOTTOM; shape++) {
    struct fixture f;
    open_fixture(&f, 64 << 10, false);
    while (clew_disk_table_grow(&f.table)) {
    }
    while (f.table.count < f.table.limit) {
      uint32_t left = f.table.limit - f.table.count;
      assert_true(clew_disk_table_has_room(&f.table, left));
      uint64_t slot, key = shape == TOP ? UINT64_MAX - 1 - f.count : make_key(&f, UNIFORM);
      key = shape == BOTTOM ? f.count : key;
      if (!clew_disk_table_find(&f.table, key, NULL, &slot)) {
        clew_disk_table_insert(&f.table, slot, key, NULL);
        f.entries[f.count++] = (struct entry){key, 0};
      }
    }
    assert_false(clew_disk_table_has_room(&f.table, 1));
    assert_valid(&f);
    for (uint32_t i = 0; i < f.count; i++) {
      uint64_t slot;
      assert_true(clew_disk_table_find(&f.table, f.entries[i].key, NULL, &slot));
    }
    close_fixture(&f);
  }
}

static void test_growth(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f, 8 << 20, true);
  uint32_t first = f.table.limit;
  while (f.count < 200000) {
    while (!clew_disk_table_has_room(&f.table, 1)) {
      assert_true(clew_disk_table_grow(&f.table));
    }
    uint64_t slot, key = clew_random_u64(&f.random) & ~UINT64_C(1);
    if (!clew_disk_table_find(&f.table, key, &key, &slot)) {
      clew_disk_table_insert(&f.table, slot, key, &key);
      f.entries[f.count++] = (struct entry){key, key};
    }
  }
  assert_true(f.table.limit > 16 * first);
  assert_valid(&f);
  while (clew_disk_table_grow(&f.table)) {
  }
  assert_true(f.table.limit > 300000);
  for (uint32_t i = 0; i < f.count; i++) {
    uint64_t slot;
    assert_true(clew_disk_table_find(&f.table, f.entries[i].key, &f.entries[i].key, &slot));
  }
  close_fixture(&f);
}

/* Memory that was lent comes back when entries have been dropped already: the ring is turned. */
static void test_lent_memory(void **state) {
  (void)state;
  for (int states = 0; states < 2; states++) {
    for (uint32_t dropped = 1; dropped < 3000; dropped += 701) {
      struct fixture f;
      open_fixture(&f, 256 << 10, states != 0);
      uint32_t all = f.table.largest_limit;
      clew_disk_table_hold(&f.table, 64 << 10);
      while (clew_disk_table_grow(&f.table)) {
      }
      uint32_t limit = f.table.limit;
      assert_true(limit < all);
      for (uint32_t i = 0; f.table.count < limit; i++) {
        visit(&f, make_key(&f, UNIFORM), i);
      }
      for (uint64_t slot = 0; slot < f.table.end; slot += 3) {
        if (f.table.keys[slot] != CLEW_DISK_NO_KEY) {
          clew_disk_table_mark_old(&f.table, slot);
        }
      }
      drop(&f, dropped);
      for (uint32_t i = 0; f.table.count < limit - 100; i++) { /* around the end of the ring */
        visit(&f, make_key(&f, UNIFORM), i);
      }
      assert_int_equal(f.table.first, dropped);
      clew_disk_table_release(&f.table);
      assert_true(clew_disk_table_grow(&f.table));
      assert_int_equal(f.table.first, 0);
      while (clew_disk_table_grow(&f.table)) {
      }
      assert_int_equal(f.table.limit, all);
      assert_valid(&f);
      assert_contents(&f);
      close_fixture(&f);
    }
  }
}

/* The budget is used up by others: the table stays as it is. */
static void test_refused_growth(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f, 8 << 20, false);
  assert_true(clew_budget_take(&f.budget, clew_budget_left(&f.budget)));
  uint64_t taken = clew_budget_used(&f.budget) - clew_disk_table_bytes(&f.table);
  uint32_t limit = f.table.limit;
  for (uint32_t i = 0; i < 1000; i++) {
    visit(&f, i * 77777, 0);
  }
  while (clew_disk_table_grow(&f.table)) {
  }
  assert_true(f.table.limit < 16 * limit);
  assert_valid(&f);
  assert_contents(&f);
  clew_budget_give(&f.budget, taken);
  close_fixture(&f);
}

/* The candidates, in order, listed or not. */
static void test_open_candidates(void **state) {
  (void)state;
  for (uint32_t n = 0; n <= 2 * CLEW_DISK_FEW; n += n < 3 ? 1 : CLEW_DISK_FEW / 2 - 1) {
    struct fixture f;
    open_fixture(&f, 4 << 20, true);
    while (f.table.limit < 8192 && clew_disk_table_grow(&f.table)) {
    }
    for (uint32_t i = 0; i < 2000; i++) {
      visit(&f, make_key(&f, i % 2 == 0 ? UNIFORM : FEW), i);
    }
    clew_disk_table_settled(&f.table);
    for (uint32_t i = 0; i < n; i++) {
      visit(&f, make_key(&f, i % 2 == 0 ? UNIFORM : FEW), 5000 + i);
    }
    clew_disk_table_list_candidates(&f.table);
    assert_int_equal(f.table.listed, n < CLEW_DISK_FEW);
    uint64_t found = 0;
    for (int pass = 0; pass < 2; pass++) {
      uint64_t seen = 0;
      for (uint64_t slot = clew_disk_table_next_open(&f.table, 0); slot < f.table.end;
           slot = clew_disk_table_next_open(&f.table, slot + 1)) {
        assert_true(clew_disk_table_is_open(&f.table, slot));
        seen++;
        if (pass == 0 && slot % 3 == 0) {
          clew_disk_table_mark_old(&f.table, slot);
          found++;
        }
      }
      assert_int_equal(seen, pass == 0 ? n : n - found);
    }
    clew_disk_table_unlist(&f.table);
    assert_valid(&f);
    close_fixture(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_reference),
      cmocka_unit_test(test_full_to_the_limit),
      cmocka_unit_test(test_growth),
      cmocka_unit_test(test_lent_memory),
      cmocka_unit_test(test_refused_growth),
      cmocka_unit_test(test_open_candidates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
