/* The disk queue: contents against a model, memory and disk use, damaged files, failures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diskqueue.h"
#include "base/random.h"

struct fixture {
  struct clew_budget budget;
  struct clew_scratch scratch;
  struct clew_diskqueue *queue;
  uint32_t record_bytes;
  uint64_t pushed, popped; /* the model: record number n is a function of n */
};

static void open_fixture(struct fixture *f, uint32_t record_bytes, uint64_t memory_bytes,
                         uint64_t budget_bytes) {
  struct clew_diag_sink diags = {0};
  *f = (struct fixture){.record_bytes = record_bytes};
  clew_budget_init(&f->budget, budget_bytes);
  assert_int_equal(clew_scratch_open(&f->scratch, NULL, &diags), CLEW_OK);
  struct clew_diskqueue_config config = {.name = "queue",
                                         .record_bytes = record_bytes,
                                         .memory_bytes = memory_bytes,
                                         .budget = &f->budget,
                                         .scratch = &f->scratch};
  f->queue = clew_diskqueue_open(&config);
}

static uint64_t close_fixture(struct fixture *f) {
  uint64_t disk_bytes = f->queue != NULL ? clew_diskqueue_disk_bytes_peak(f->queue) : 0;
  clew_diskqueue_close(f->queue);
  assert_int_equal(clew_budget_used(&f->budget), 0);
  if (f->scratch.path != NULL) {
    assert_int_equal(rmdir(f->scratch.path), 0); /* the files are gone */
  }
  clew_scratch_close(&f->scratch);
  return disk_bytes;
}

static uint64_t word_of(uint64_t record, uint64_t word) {
  return (record + 1) * UINT64_C(0x9e3779b97f4a7c15) + word * UINT64_C(0xbf58476d1ce4e5b9);
}

static bool push(struct fixture *f) {
  uint64_t *record = clew_diskqueue_push(f->queue);
  if (record == NULL) {
    return false;
  }
  assert_int_equal((uintptr_t)record % 8, 0);
  for (uint64_t i = 0; i < f->record_bytes / 8; i++) {
    record[i] = word_of(f->pushed, i);
  }
  f->pushed++;
  return true;
}

static bool pop(struct fixture *f) {
  const uint64_t *record = clew_diskqueue_pop(f->queue);
  if (record == NULL) {
    return false;
  }
  for (uint64_t i = 0; i < f->record_bytes / 8; i++) {
    assert_int_equal(record[i], word_of(f->popped, i));
  }
  f->popped++;
  return true;
}

static void assert_sound(const struct fixture *f) {
  const char *why = NULL;
  bool valid = clew_diskqueue_validate(f->queue, &why);
  assert_string_equal(valid ? "valid" : why, "valid");
  assert_int_equal(clew_diskqueue_count(f->queue), f->pushed - f->popped);
  assert_null(clew_diskqueue_error(f->queue));
  assert_int_equal(clew_diskqueue_memory_bytes(f->queue), clew_budget_used(&f->budget));
}

static void push_many(struct fixture *f, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    assert_true(push(f));
  }
}

/* Stops when the queue is empty, which it must be exactly when the model is. */
static void pop_many(struct fixture *f, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    bool is_empty = f->pushed == f->popped;
    assert_int_equal(pop(f), !is_empty);
    if (is_empty) {
      return;
    }
  }
}

/* Runs of pushes and pops of random length; first rather growing, then rather shrinking. */
static void random_walk(struct fixture *f, struct clew_random *random, uint32_t runs,
                        uint64_t longest) {
  for (uint32_t i = 0; i < runs; i++) {
    bool growing = i < runs / 2;
    uint64_t length = clew_random_below(random, longest) + 1;
    if (clew_random_below(random, 100) < (growing ? 65 : 35)) {
      push_many(f, length);
    } else {
      pop_many(f, length);
    }
    assert_sound(f);
  }
}

static void compare_with_model(uint32_t record_bytes, uint64_t memory_bytes, uint64_t volume_bytes,
                               uint64_t seed, bool spills) {
  struct fixture f;
  struct clew_random random;
  clew_random_seed(&random, seed);
  open_fixture(&f, record_bytes, memory_bytes, UINT64_C(1) << 40);
  assert_non_null(f.queue);
  uint64_t longest = volume_bytes / record_bytes / 20 + 1;
  random_walk(&f, &random, 200, longest);
  pop_many(&f, UINT64_MAX);
  assert_false(pop(&f));
  assert_sound(&f);
  uint64_t least_bytes = 4 * ((record_bytes + 16 + 4095) / 4096 * 4096);
  uint64_t peak_bytes = f.budget.peak_bytes;
  assert_true(peak_bytes <= (memory_bytes > least_bytes ? memory_bytes : least_bytes));
  assert_int_equal(close_fixture(&f) > 0, spills);
}

static void test_contents(void **state) {
  (void)state;
  static const uint32_t sizes[] = {8, 16, 24, 40, 136, 1000, 4096, 5000, 20008};
  static const uint64_t memories[] = {0, 1, 16 << 10, 40000, 128 << 10, 1000000};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    for (size_t j = 0; j < sizeof memories / sizeof memories[0]; j++) {
      compare_with_model(sizes[i], memories[j], 4 * memories[j] + (1 << 20), 100 * i + j, true);
    }
  }
  compare_with_model(40, 8 << 20, 40 << 20, 1, true);
  compare_with_model(40, 1 << 20, 1000, 2, false);
}

/* A long life with little content: the disk use is bounded by the content, not by what passed. */
static void test_space_is_used_again(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f, 64, 64 << 10, 1 << 20);
  push_many(&f, 16 << 10); /* 1 MB */
  for (uint64_t i = 0; i < 300; i++) {
    pop_many(&f, 1 << 10);
    push_many(&f, 1 << 10);
  }
  assert_sound(&f);
  pop_many(&f, UINT64_MAX);
  assert_int_equal(f.popped, f.pushed);
  assert_in_range(close_fixture(&f), 900 << 10, 2200 << 10);
}

/* What stays within its memory never touches the disk, however much passes. */
static void test_small_queues_have_no_file(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f, 48, 1 << 20, 1 << 30);
  for (uint64_t i = 0; i < 200; i++) {
    push_many(&f, i * 20);
    pop_many(&f, i * 21);
    assert_sound(&f);
  }
  push_many(&f, 20000);
  assert_sound(&f);
  assert_null(f.scratch.path);
  assert_int_equal(close_fixture(&f), 0);
}

/* What will be read first stays in memory. */
static void test_only_the_excess_is_written(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f, 64, 1 << 20, 1 << 30);
  push_many(&f, 18 << 10);
  pop_many(&f, UINT64_MAX);
  assert_int_equal(f.popped, f.pushed);
  assert_in_range(close_fixture(&f), 1, 512 << 10);
}

/* A budget that is used up by others, at once or later, leaves the queue working. */
static void test_budget(void **state) {
  (void)state;
  for (uint64_t limit = 16 << 10; limit <= 3 << 20; limit = limit * 3 / 2) {
    struct fixture f;
    open_fixture(&f, 64, 1 << 20, limit);
    assert_non_null(f.queue);
    push_many(&f, 1000);
    uint64_t left = clew_budget_left(&f.budget);
    assert_true(clew_budget_take(&f.budget, left));
    push_many(&f, 20000);
    pop_many(&f, 10000);
    push_many(&f, 20000);
    const char *why = NULL;
    assert_true(clew_diskqueue_validate(f.queue, &why));
    pop_many(&f, UINT64_MAX);
    assert_int_equal(f.popped, f.pushed);
    clew_budget_give(&f.budget, left);
    assert_true(close_fixture(&f) > 0);
  }
  struct fixture f;
  open_fixture(&f, 64, 1 << 20, 16383);
  assert_null(f.queue);
  close_fixture(&f);
}

static void test_clear(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f, 64, 64 << 10, 1 << 30);
  for (uint64_t i = 0; i < 20; i++) {
    push_many(&f, i * 700);
    pop_many(&f, i * 130);
    clew_diskqueue_clear(f.queue);
    f.popped = f.pushed;
    assert_sound(&f);
    assert_false(pop(&f));
    push_many(&f, i * 200);
    pop_many(&f, i * 100);
    assert_sound(&f);
  }
  close_fixture(&f);
}

static void test_close_with_contents(void **state) {
  (void)state;
  for (uint64_t records = 0; records < 30000; records = records * 2 + 100) {
    struct fixture f;
    open_fixture(&f, 64, 64 << 10, 1 << 30);
    push_many(&f, records);
    pop_many(&f, records / 3);
    close_fixture(&f);
  }
  clew_diskqueue_close(NULL);
}

/* Changes one byte in the middle of the larger file. */
static void damage(const struct fixture *f, bool shorten) {
  char path[2][4096];
  struct stat info[2];
  for (int i = 0; i < 2; i++) {
    snprintf(path[i], sizeof path[i], "%s/queue.%d", f->scratch.path, i);
    assert_int_equal(stat(path[i], &info[i]), 0);
  }
  int larger = info[1].st_size > info[0].st_size;
  if (shorten) {
    assert_int_equal(truncate(path[larger], info[larger].st_size / 2 + 5000), 0);
    return;
  }
  int fd = open(path[larger], O_RDWR);
  char byte;
  off_t middle = info[larger].st_size / 2 + 5000;
  assert_int_equal(pread(fd, &byte, 1, middle), 1);
  byte ^= 4;
  assert_int_equal(pwrite(fd, &byte, 1, middle), 1);
  close(fd);
}

/* Pops right records only, then nothing; and the reason stays. */
static void expect_failure(struct fixture *f, const char *reason) {
  while (pop(f)) {
  }
  const char *error = clew_diskqueue_error(f->queue);
  assert_non_null(error);
  assert_non_null(strstr(error, reason));
  assert_non_null(strstr(error, "queue."));
  assert_true(f->popped < f->pushed);
  assert_false(push(f));
  assert_false(pop(f));
  clew_diskqueue_clear(f->queue);
  assert_false(push(f));
  assert_non_null(clew_diskqueue_error(f->queue));
}

static void test_damage_is_noticed(void **state) {
  (void)state;
  for (int shorten = 0; shorten < 2; shorten++) {
    struct fixture f;
    open_fixture(&f, 64, 128 << 10, 1 << 30);
    push_many(&f, 50000);
    pop_many(&f, 3000);
    push_many(&f, 5000);
    damage(&f, shorten);
    expect_failure(&f, shorten ? "cannot read" : "was damaged");
    close_fixture(&f);
  }
}

/* A chunk in the place of another is not taken for it, although its own checksum is right. */
static void test_old_chunks_are_noticed(void **state) {
  (void)state;
  enum { CHUNK = 32 << 10 };
  struct fixture f;
  open_fixture(&f, 64, 4 * CHUNK, 1 << 30);
  push_many(&f, 50000);
  char path[4096], *chunk = clew_alloc(CHUNK);
  snprintf(path, sizeof path, "%s/queue.1", f.scratch.path);
  int fd = open(path, O_RDWR);
  if (fd >= 0 && pread(fd, chunk, CHUNK, 10 * CHUNK) == CHUNK) {
    assert_int_equal(pwrite(fd, chunk, CHUNK, 20 * CHUNK), CHUNK);
  } else {
    fail();
  }
  close(fd);
  expect_failure(&f, "was damaged");
  clew_free(chunk);
  close_fixture(&f);
}

static void test_write_failure(void **state) {
  (void)state;
  struct rlimit before, low;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  low = before;
  low.rlim_cur = 1 << 20;
  struct fixture f;
  open_fixture(&f, 64, 128 << 10, 1 << 30);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
  while (push(&f)) {
    assert_true(f.pushed < 100000);
  }
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_true(f.pushed >= (1 << 20) / 64);
  expect_failure(&f, "cannot write");
  close_fixture(&f);
}

static void test_no_directory(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f, 64, 128 << 10, 1 << 30);
  clew_free(f.scratch.parent);
  f.scratch.parent = clew_strdup("/nowhere/at/all");
  while (push(&f)) {
    assert_true(f.pushed < 100000);
  }
  expect_failure(&f, "/nowhere/at/all");
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_contents),
      cmocka_unit_test(test_space_is_used_again),
      cmocka_unit_test(test_small_queues_have_no_file),
      cmocka_unit_test(test_only_the_excess_is_written),
      cmocka_unit_test(test_budget),
      cmocka_unit_test(test_clear),
      cmocka_unit_test(test_close_with_contents),
      cmocka_unit_test(test_damage_is_noticed),
      cmocka_unit_test(test_old_chunks_are_noticed),
      cmocka_unit_test(test_write_failure),
      cmocka_unit_test(test_no_directory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
