/* The disk store: all modes against a reference set, with budgets so small that there are many
 * settles, runs and merges; weak hashes; failing disks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "store/disk_options.h"
#include "store/store.h"
#include "unit/store_open.h"

enum { MAX_WORDS = 40, BATCH = 300 };
static const struct clew_store_type *const type = &clew_store_disk;

/* What is tried. */
struct trial {
  enum clew_disk_mode mode;
  uint32_t words, bytes;
  uint32_t hash_bits; /* 0: lossless */
  uint32_t weak_bits; /* hashes have only so many bits; 0: all */
  uint64_t keys;      /* states to choose from */
  uint32_t batches;   /* of up to BATCH visits */
  uint64_t memory_bytes;
  uint32_t level;  /* batches between settles that the store did not ask for; 0: never */
  uint64_t window; /* keys are chosen near the batch's place; 0: anywhere */
};

struct fixture {
  struct trial trial;
  struct clew_budget budget;
  struct clew_scratch scratch;
  struct clew_diag_sink diags;
  struct clew_disk_options options;
  struct clew_store *store;
  struct clew_random random;
  uint64_t *class_known; /* by class: 0 never put, 1 put, 2 called new */
  uint64_t *first_edge;  /* by class: serial number of the visit that was put last as MAYBE */
  uint64_t announced, expected_new, last_edge, settles, repeats;
  bool stop;
};

static void make_state(uint64_t key, uint32_t words, uint64_t *state) {
  memset(state, 0, words * sizeof *state);
  state[0] = key & 0xff;
  state[words - 1] ^= key >> 8 << 9;
}

static uint64_t key_of_state(const uint64_t *state, uint32_t words) {
  return words == 1 ? (state[0] & 0xff) | (state[0] >> 9 << 8)
                    : state[0] | (state[words - 1] >> 9 << 8);
}

/* Beyond 32 bits; an initial state has none. */
static clew_id parent_of(uint64_t key) {
  return key == 0 ? CLEW_ID_NONE : CLEW_ID_LIMIT - 1 - key * 3;
}

static uint64_t hash_of(const struct fixture *f, const uint64_t *state) {
  uint64_t hash = clew_hash_words(state, f->trial.words, 7);
  /* Both ends of the range occur. */
  return f->trial.weak_bits == 0 ? hash
                                 : (uint64_t)((int64_t)(hash << (64 - f->trial.weak_bits)) >>
                                              (64 - f->trial.weak_bits));
}

/* States that the store cannot tell apart are of one class, named by its smallest key. */
static uint64_t class_of(const struct fixture *f, uint64_t key) {
  if (f->trial.hash_bits == 0 || f->trial.hash_bits > 40) {
    return key;
  }
  uint64_t state[MAX_WORDS];
  make_state(key, f->trial.words, state);
  return (hash_of(f, state) >> (64 - f->trial.hash_bits)) % f->trial.keys;
}

static void open_fixture(struct fixture *f, const struct trial *trial) {
  memset(f, 0, sizeof *f);
  f->trial = *trial;
  clew_budget_init(&f->budget, trial->memory_bytes);
  assert_int_equal(clew_scratch_open(&f->scratch, NULL, &f->diags), CLEW_OK);
  f->options.mode = trial->mode;
  f->options.hash_bits = trial->hash_bits;
  struct clew_store_config config = {.words = trial->words,
                                     .bytes = trial->bytes,
                                     .threads = 1,
                                     .seed = 7,
                                     .budget = &f->budget,
                                     .scratch = &f->scratch,
                                     .options = &f->options,
                                     .diags = &f->diags};
  assert_int_equal(type->open(&config, &f->diags, &f->store), CLEW_OK);
  assert_int_equal(f->diags.len, 0);
  f->class_known = clew_alloc_zero(trial->keys, sizeof *f->class_known);
  f->first_edge = clew_alloc_zero(trial->keys, sizeof *f->first_edge);
  clew_random_seed(&f->random, 11);
}

static void close_fixture(struct fixture *f) {
  type->close(f->store);
  assert_int_equal(clew_budget_used(&f->budget), 0);
  clew_scratch_close(&f->scratch);
  clew_diag_sink_free(&f->diags);
  clew_free(f->class_known);
  clew_free(f->first_edge);
}

static bool found_new(void *context, const struct clew_visit *visit) {
  struct fixture *f = context;
  uint64_t key = key_of_state(visit->state, f->trial.words), class = class_of(f, key);
  uint64_t expected[MAX_WORDS];
  make_state(key, f->trial.words, expected);
  assert_memory_equal(visit->state, expected, f->trial.words * sizeof *expected);
  assert_true(key < f->trial.keys);
  assert_int_equal(visit->id, f->announced);
  assert_int_equal(visit->answer, CLEW_NEW);
  assert_int_equal(visit->parent, parent_of(key));
  assert_int_equal(visit->depth, (uint32_t)f->settles);
  assert_true(visit->edge > f->last_edge); /* in the order of put */
  assert_int_equal(visit->edge, f->first_edge[class]);
  f->last_edge = visit->edge;
  if (f->class_known[class] == 2) {
    f->repeats++;
    assert_int_equal(f->trial.mode, CLEW_DISK_LOCAL);
  } else {
    assert_int_equal(f->class_known[class], 1);
    f->expected_new--;
  }
  f->class_known[class] = 2;
  f->announced++;
  return !f->stop;
}

static void settle(struct fixture *f) {
  type->settle(f->store, true, found_new, f);
  f->settles++;
  assert_int_equal(f->expected_new, 0); /* nothing is lost */
  assert_int_equal(type->count(f->store), f->announced);
}

/* Answers of one batch against what is known. */
static void check_answers(struct fixture *f, uint32_t n, const struct clew_visit *visits) {
  for (uint32_t i = 0; i < n; i++) {
    uint64_t class = class_of(f, key_of_state(visits[i].state, f->trial.words));
    if (visits[i].answer == CLEW_SEEN) {
      assert_true(f->class_known[class] > 0);
      continue;
    }
    assert_int_equal(visits[i].answer, CLEW_MAYBE);
    assert_true(f->class_known[class] != 1); /* candidates are not forgotten */
    f->expected_new += f->class_known[class] == 0;
    f->class_known[class] = f->class_known[class] == 0 ? 1 : f->class_known[class];
    f->first_edge[class] = visits[i].edge;
  }
}

static enum clew_room reserve(struct fixture *f, uint32_t n) {
  enum clew_room room = type->reserve(f->store, n);
  if (room == CLEW_ROOM_SETTLE) {
    settle(f);
    room = type->reserve(f->store, n);
  }
  return room;
}

static void fill_batch(struct fixture *f, uint32_t batch, uint32_t n, uint64_t (*states)[MAX_WORDS],
                       struct clew_visit *visits) {
  for (uint32_t i = 0; i < n; i++) {
    uint64_t range = f->trial.window > 0 ? f->trial.window : f->trial.keys;
    uint64_t from = (f->trial.keys - range) * batch / f->trial.batches;
    uint64_t key = from + clew_random_below(&f->random, range);
    make_state(key, f->trial.words, states[i]);
    visits[i] = (struct clew_visit){.state = states[i],
                                    .hash = hash_of(f, states[i]),
                                    .parent = parent_of(key),
                                    .edge = batch * BATCH + i + 1,
                                    .depth = (uint32_t)f->settles};
    type->prefetch(f->store, visits[i].hash);
  }
}

static void run(struct fixture *f) {
  static uint64_t states[BATCH][MAX_WORDS];
  static struct clew_visit visits[BATCH];
  for (uint32_t batch = 0; batch < f->trial.batches; batch++) {
    uint32_t n = (uint32_t)clew_random_below(&f->random, BATCH + 1);
    assert_int_equal(reserve(f, n), CLEW_ROOM);
    fill_batch(f, batch, n, states, visits);
    type->put(f->store, n, visits);
    check_answers(f, n, visits);
    if (f->trial.level > 0 && batch % f->trial.level == f->trial.level - 1) {
      settle(f);
    }
    if (batch % (f->trial.batches / 8 + 1) == 0) {
      store_assert_valid(f->store);
      assert_int_equal(type->bytes(f->store), clew_budget_used(&f->budget));
    }
  }
  settle(f);
  store_assert_valid(f->store);
}

static void try(const struct trial *trial) {
  struct fixture f;
  open_fixture(&f, trial);
  run(&f);
  assert_int_equal(f.diags.len, 0);
  assert_true(trial->mode == CLEW_DISK_LOCAL || f.repeats == 0);
  static const char *const modes[] = {"runs", "runs", "full", "local"};
  assert_string_equal(store_counter_text(f.store, "mode"), modes[trial->mode]);
  assert_true(store_counter(f.store, "settles") <= (double)f.settles);
  close_fixture(&f);
}

static void test_runs(void **state) {
  (void)state;
  try(&(struct trial){.words = 1, .keys = 10, .batches = 50, .memory_bytes = 1 << 20});
  try(&(struct trial){.words = 2, .keys = 200000, .batches = 1500, .memory_bytes = 1 << 20});
  try(&(struct trial){
      .words = 2, .keys = 200000, .batches = 1500, .memory_bytes = 1 << 20, .level = 7});
  try(&(struct trial){
      .words = 2, .bytes = 13, .keys = 200000, .batches = 1500, .memory_bytes = 1 << 20});
  try(&(struct trial){.words = 9, .keys = 100000, .batches = 1000, .memory_bytes = 2 << 20});
  try(&(struct trial){.words = MAX_WORDS, .keys = 50000, .batches = 800, .memory_bytes = 2 << 20});
  try(&(struct trial){
      .words = 2, .keys = 200000, .batches = 1500, .memory_bytes = 1 << 20, .window = 20000});
}
static void test_runs_with_signatures(void **state) {
  (void)state;
  static const uint32_t widths[] = {64, 63, 48, 20, 12, 2};
  for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
    try(&(struct trial){.words = 2,
                        .hash_bits = widths[i],
                        .keys = 1 << 20,
                        .batches = 2000,
                        .memory_bytes = 1 << 20});
  }
}
/* Enough memory for requests that the thread carries out. */
static void test_large_requests(void **state) {
  (void)state;
  for (uint32_t bits = 0; bits <= 64; bits += 64) {
    try(&(struct trial){
        .words = 2, .hash_bits = bits, .keys = 1000000, .batches = 9000, .memory_bytes = 8 << 20});
    try(&(struct trial){.mode = CLEW_DISK_FULL,
                        .words = 2,
                        .hash_bits = bits,
                        .keys = 700000,
                        .batches = 5000,
                        .memory_bytes = 8 << 20});
  }
}

static void test_weak_hashes(void **state) {
  (void)state;
  for (int mode = CLEW_DISK_RUNS; mode <= CLEW_DISK_LOCAL; mode++) {
    for (uint32_t bits = 1; bits <= 9; bits += 4) {
      try(&(struct trial){.mode = (enum clew_disk_mode)mode,
                          .words = 2,
                          .weak_bits = bits,
                          .keys = bits < 4 ? 4000 : 10000,
                          .batches = 100,
                          .level = 9,
                          .memory_bytes = 1 << 20});
    }
    try(&(struct trial){.mode = (enum clew_disk_mode)mode,
                        .words = 8,
                        .weak_bits = 14,
                        .keys = 30000,
                        .batches = 600,
                        .memory_bytes = 1 << 20});
  }
}
static void test_full(void **state) {
  (void)state;
  for (uint32_t bits = 0; bits <= 64; bits += 20) {
    try(&(struct trial){.mode = CLEW_DISK_FULL,
                        .words = 2,
                        .bytes = 15,
                        .hash_bits = bits == 60 ? 64 : bits,
                        .keys = bits == 20 ? 1 << 20 : 200000,
                        .batches = bits == 40 ? 0 : 2500,
                        .memory_bytes = 1 << 20});
  }
}
static void test_local(void **state) {
  (void)state;
  for (uint32_t bits = 0; bits <= 64; bits += 64) {
    try(&(struct trial){.mode = CLEW_DISK_LOCAL,
                        .words = 2,
                        .hash_bits = bits,
                        .keys = 200000,
                        .batches = 2500,
                        .memory_bytes = 512 << 10});
    try(&(struct trial){.mode = CLEW_DISK_LOCAL,
                        .words = 2,
                        .hash_bits = bits,
                        .keys = 600000,
                        .batches = 6000,
                        .window = 30000,
                        .memory_bytes = 512 << 10});
  }
}

/* ---- promises, refusals ---- */

static void test_promises(void **state) {
  (void)state;
  for (int mode = CLEW_DISK_RUNS; mode <= CLEW_DISK_LOCAL; mode++) {
    for (uint32_t bits = 0; bits <= 64; bits += 32) {
      struct fixture f;
      open_fixture(&f, &(struct trial){.mode = (enum clew_disk_mode)mode,
                                       .words = 2,
                                       .hash_bits = bits,
                                       .keys = 1,
                                       .memory_bytes = 1 << 20});
      unsigned expected = bits == 0 ? CLEW_STORE_LOSSLESS : 0;
      expected |= mode == CLEW_DISK_LOCAL ? 0 : CLEW_STORE_REMEMBERS;
      assert_int_equal(f.store->promises, expected);
      assert_int_equal(f.store->demands, CLEW_STORE_SETTLE);
      close_fixture(&f);
    }
  }
}

static enum clew_status try_open(uint64_t memory_bytes, uint32_t words, uint32_t hash_bits) {
  struct clew_budget budget;
  clew_budget_init(&budget, memory_bytes);
  struct clew_scratch scratch;
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  struct clew_disk_options options = {.hash_bits = hash_bits};
  struct clew_store_config config = {.words = words,
                                     .threads = 1,
                                     .budget = &budget,
                                     .scratch = &scratch,
                                     .options = &options,
                                     .diags = &diags};
  struct clew_store *store = NULL;
  enum clew_status status = type->open(&config, &diags, &store);
  assert_int_equal(diags.len, status == CLEW_OK ? 0 : 1);
  if (status == CLEW_OK) {
    assert_int_equal(type->bytes(store), clew_budget_used(&budget));
    assert_true(clew_budget_left(&budget) >= memory_bytes / 5);
    /* More at once than ever fits is refused, not promised. */
    assert_int_equal(type->reserve(store, UINT32_MAX), CLEW_ROOM_MEMORY);
    assert_int_equal(type->reserve(store, 10), CLEW_ROOM);
    type->close(store);
  }
  assert_int_equal(clew_budget_used(&budget), 0);
  clew_scratch_close(&scratch);
  clew_diag_sink_free(&diags);
  return status;
}

static void test_refusals(void **state) {
  (void)state;
  store_assert_options(type);
  assert_int_equal(try_open(0, 2, 0), CLEW_OVER_LIMIT);
  assert_int_equal(try_open(64 << 10, 2, 0), CLEW_OVER_LIMIT);
  assert_int_equal(try_open(1 << 20, 2, 0), CLEW_OK);
  assert_int_equal(try_open(1 << 20, 2, 64), CLEW_OK);
  assert_int_equal(try_open(1 << 20, 4000, 0), CLEW_OVER_LIMIT);
  assert_int_equal(try_open(1 << 20, 2, 1), CLEW_BAD_USAGE);
  assert_int_equal(try_open(1 << 20, 2, 65), CLEW_BAD_USAGE);
  assert_int_equal(try_open(UINT64_C(1) << 34, 2, 0), CLEW_OK);
}

/* A search that fits into memory makes no file. */
static void test_small_search_needs_no_disk(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f,
               &(struct trial){
                   .words = 2, .keys = 5000, .batches = 100, .level = 5, .memory_bytes = 16 << 20});
  run(&f);
  assert_null(f.scratch.path);
  assert_int_equal(type->disk_bytes(f.store), 0);
  close_fixture(&f);
}

static void test_stopping(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f,
               &(struct trial){.words = 2, .keys = 5000, .batches = 1, .memory_bytes = 1 << 20});
  uint64_t states[3][MAX_WORDS];
  struct clew_visit visits[3];
  assert_int_equal(type->reserve(f.store, 3), CLEW_ROOM);
  fill_batch(&f, 0, 3, states, visits);
  type->put(f.store, 3, visits);
  check_answers(&f, 3, visits);
  f.stop = true;
  type->settle(f.store, true, found_new, &f);
  assert_int_equal(f.announced, 1);
  assert_int_equal(type->count(f.store), 1);
  type->settle(f.store, true, found_new, &f);
  assert_int_equal(f.announced, 1);
  assert_true(type->reserve(f.store, 1) != CLEW_ROOM);
  close_fixture(&f);
}

static void test_omission(void **state) {
  (void)state;
  struct fixture f;
  struct trial trial = {.words = 2, .hash_bits = 20, .keys = 1 << 20, .batches = 20};
  trial.memory_bytes = 1 << 20;
  open_fixture(&f, &trial);
  assert_true(type->omission(f.store) == 0);
  run(&f);
  double n = (double)f.announced, low = n * (n - 1) / 2 / (1 << 20);
  assert_true(type->omission(f.store) > 0 && type->omission(f.store) <= low);
  close_fixture(&f);
}

/* ---- failures ---- */

/* Goes on until something fails: the store says so once and takes nothing more. */
static void run_until_failure(struct fixture *f) {
  static uint64_t states[BATCH][MAX_WORDS];
  static struct clew_visit visits[BATCH];
  enum clew_room room = CLEW_ROOM;
  for (uint32_t batch = 0; batch < 100000 && room == CLEW_ROOM; batch++) {
    room = type->reserve(f->store, BATCH);
    if (room == CLEW_ROOM_SETTLE) {
      type->settle(f->store, true, found_new, f);
      f->settles++;
      room = type->reserve(f->store, BATCH);
    }
    if (room == CLEW_ROOM) {
      fill_batch(f, batch, BATCH, states, visits);
      type->put(f->store, BATCH, visits);
      for (uint32_t i = 0; i < BATCH; i++) {
        uint64_t class = class_of(f, key_of_state(visits[i].state, f->trial.words));
        if (visits[i].answer == CLEW_FULL) {
          continue;
        }
        check_answers(f, 1, &visits[i]);
        assert_true(visits[i].answer == CLEW_MAYBE || f->class_known[class] > 0);
      }
    }
  }
  assert_int_equal(room, CLEW_ROOM_DISK);
  assert_int_equal(f->diags.len, 1);
  assert_int_equal(f->diags.data[0].severity, CLEW_ERROR);
  uint64_t announced = f->announced;
  type->settle(f->store, true, found_new, f);
  assert_int_equal(f->announced, announced);
  assert_int_equal(type->reserve(f->store, 1), CLEW_ROOM_DISK);
  fill_batch(f, 0, 2, states, visits);
  type->put(f->store, 2, visits);
  assert_int_equal(visits[0].answer, CLEW_FULL);
  assert_int_equal(visits[1].answer, CLEW_FULL);
  assert_int_equal(f->diags.len, 1);
}

static struct trial failing(enum clew_disk_mode mode, uint32_t bits) {
  return (struct trial){.mode = mode,
                        .words = 2,
                        .hash_bits = bits,
                        .keys = 1 << 21,
                        .batches = 100000,
                        .memory_bytes = 1 << 20};
}

/* Files cannot grow beyond a limit. */
static void test_full_disk(void **state) {
  (void)state;
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  for (int mode = CLEW_DISK_RUNS; mode <= CLEW_DISK_LOCAL; mode++) {
    for (uint32_t i = 0; i < 6; i++) {
      struct fixture f;
      struct trial trial = failing((enum clew_disk_mode)mode, i % 2 == 0 ? 0 : 64);
      open_fixture(&f, &trial);
      struct rlimit limit = {.rlim_cur = (rlim_t)(50000 + 400000 * (i / 2)),
                             .rlim_max = before.rlim_max};
      assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
      run_until_failure(&f);
      assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
      close_fixture(&f);
    }
  }
  signal(SIGXFSZ, handler);
}

static void test_vanished_directory(void **state) {
  (void)state;
  struct trial trial = failing(CLEW_DISK_RUNS, 0);
  struct fixture f;
  open_fixture(&f, &trial);
  int fd = clew_scratch_file(&f.scratch, "first");
  assert_true(fd >= 0);
  close(fd);
  struct clew_text path = {0};
  clew_text_printf(&path, "%s/first", f.scratch.path);
  assert_int_equal(unlink(clew_text_str(&path)), 0);
  clew_text_free(&path);
  assert_int_equal(rmdir(f.scratch.path), 0);
  run_until_failure(&f);
  close_fixture(&f);
}

/* Every file that the process has open in the scratch directory gets one wrong byte. */
static uint32_t damage_files(const struct fixture *f) {
  uint32_t damaged = 0;
  for (int fd = 3; fd < 200; fd++) {
    char link[64], target[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, target, sizeof target - 1);
    if (length <= 0) {
      continue;
    }
    target[length] = '\0';
    unsigned char byte;
    if (strncmp(target, f->scratch.path, strlen(f->scratch.path)) == 0 &&
        strstr(target, "store-") != NULL && pread(fd, &byte, 1, 3000) == 1) {
      byte ^= 4;
      assert_int_equal(pwrite(fd, &byte, 1, 3000), 1);
      damaged++;
    }
  }
  return damaged;
}

static void test_damaged_files(void **state) {
  (void)state;
  for (int mode = CLEW_DISK_RUNS; mode <= CLEW_DISK_FULL; mode++) {
    for (uint32_t bits = 0; bits <= 64; bits += 64) {
      struct fixture f;
      struct trial trial = failing((enum clew_disk_mode)mode, bits);
      trial.batches = 700;
      open_fixture(&f, &trial);
      run(&f);
      assert_non_null(f.scratch.path);
      assert_true(damage_files(&f) > 0);
      run_until_failure(&f);
      assert_non_null(strstr(f.diags.data[0].message, "does not hold"));
      close_fixture(&f);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs),
      cmocka_unit_test(test_runs_with_signatures),
      cmocka_unit_test(test_large_requests),
      cmocka_unit_test(test_weak_hashes),
      cmocka_unit_test(test_full),
      cmocka_unit_test(test_local),
      cmocka_unit_test(test_promises),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_small_search_needs_no_disk),
      cmocka_unit_test(test_stopping),
      cmocka_unit_test(test_omission),
      cmocka_unit_test(test_full_disk),
      cmocka_unit_test(test_vanished_directory),
      cmocka_unit_test(test_damaged_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
