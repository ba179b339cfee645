/* The budget and large memory, their refusals above all; clocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bigmem.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/random.h"

static const size_t KB = 1 << 10, MB = 1 << 20;

/* Which of six requests are refused; memory is given back before the fifth. */
static void check_refusals(const char *text, const char *refused) {
  struct clew_budget budget;
  clew_budget_init(&budget, 1000);
  clew_budget_refuse(&budget, text);
  for (int i = 0; i < 6; i++) {
    if (i == 4) {
      clew_budget_give(&budget, 1);
    }
    assert_int_equal(clew_budget_take(&budget, 10), refused[i] == '.');
  }
}

static void test_budget_refuses_as_told(void **state) {
  (void)state;
  check_refusals("0", "......");
  check_refusals("3", "..xx..");
  check_refusals("3:1", "..x...");
  check_refusals("3:3", "..xxx.");
  check_refusals("3+", "..xxxx");
  check_refusals("6", ".....x");
}

static void test_budget_is_exact(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 1000);
  assert_true(clew_budget_take(&budget, 0));
  assert_true(clew_budget_take(&budget, 600));
  assert_false(clew_budget_take(&budget, 401));
  assert_false(clew_budget_take(&budget, UINT64_MAX)); /* must not wrap around */
  assert_int_equal(clew_budget_used(&budget), 600);
  assert_true(clew_budget_take(&budget, 400));
  assert_int_equal(clew_budget_left(&budget), 0);
  assert_false(clew_budget_take(&budget, 1));
  clew_budget_give(&budget, 700);
  assert_int_equal(clew_budget_left(&budget), 700);
  assert_true(clew_budget_take(&budget, 100));
  assert_int_equal(budget.peak_bytes, 1000);
  clew_budget_init(&budget, UINT64_MAX);
  assert_true(clew_budget_take(&budget, UINT64_MAX));
  assert_false(clew_budget_take(&budget, 1));
}

enum { THREADS = 4, ROUNDS = 20000 };

struct taker {
  struct clew_budget *budget;
  uint64_t seed, kept;
};

static void *take_and_give(void *argument) {
  struct taker *taker = argument;
  struct clew_random random;
  clew_random_seed(&random, taker->seed);
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t bytes = clew_random_below(&random, 400);
    if (clew_budget_take(taker->budget, bytes)) {
      taker->kept += bytes;
    } else {
      clew_budget_give(taker->budget, taker->kept);
      taker->kept = 0;
    }
  }
  return NULL;
}

static void test_budget_with_threads(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 1000);
  pthread_t threads[THREADS];
  struct taker takers[THREADS];
  for (uint64_t i = 0; i < THREADS; i++) {
    takers[i] = (struct taker){&budget, i, 0};
    assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &takers[i]), 0);
  }
  uint64_t kept = 0;
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    kept += takers[i].kept;
  }
  assert_int_equal(clew_budget_used(&budget), kept);
  assert_true(budget.peak_bytes <= 1000 && budget.peak_bytes >= kept);
}

static void test_budget_default(void **state) {
  (void)state;
  uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t bytes = clew_budget_default_bytes();
  assert_true(bytes > 0);
  assert_true(bytes <= memory / 4 * 3);
}

static void test_bigmem_grows_in_place(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 1 << 30);
  struct clew_bigmem mem;
  assert_true(clew_bigmem_open(&mem, (size_t)1 << 40, &budget));
  assert_int_equal((uintptr_t)mem.data % (2 * MB), 0);
  assert_int_equal(clew_budget_used(&budget), 0);
  unsigned char *data = mem.data;
  size_t before = 0;
  for (size_t bytes = 1; bytes < 64 * MB; bytes += bytes / 8 + 1000) {
    assert_true(clew_bigmem_commit(&mem, bytes));
    assert_ptr_equal(mem.data, data);
    assert_true(mem.committed_bytes >= bytes);
    assert_int_equal(clew_budget_used(&budget), mem.committed_bytes);
    assert_int_equal(data[bytes - 1], 0);
    assert_int_equal(data[mem.committed_bytes - 1], 0);
    if (before > 0) {
      assert_int_equal(data[before - 1], 0xaa);
    }
    data[bytes - 1] = 0xaa;
    before = bytes;
  }
  size_t committed = mem.committed_bytes;
  assert_true(clew_bigmem_commit(&mem, 5)); /* never shrinks */
  assert_int_equal(mem.committed_bytes, committed);
  clew_bigmem_close(&mem);
  assert_null(mem.data);
  assert_int_equal(clew_budget_used(&budget), 0);
  assert_int_equal(budget.peak_bytes, committed);
  clew_bigmem_close(&mem);
}

static void check_step_of(struct clew_budget *budget, size_t bytes, size_t expected) {
  struct clew_bigmem mem;
  assert_true(clew_bigmem_open(&mem, (size_t)1 << 36, budget));
  assert_true(clew_bigmem_commit(&mem, bytes));
  assert_int_equal(mem.committed_bytes, expected);
  clew_bigmem_close(&mem);
}

static void check_step(size_t bytes, size_t expected) {
  check_step_of(NULL, bytes, expected);
}

/* A budget is used up by what is kept, not by steps that are half empty. */
static void test_bigmem_steps_in_small_budget(void **state) {
  (void)state;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct clew_budget budget;
  clew_budget_init(&budget, 256 * page);
  check_step_of(&budget, 1, page);
  check_step_of(&budget, page + 1, 2 * page);
  clew_budget_init(&budget, 1000 * page);
  check_step_of(&budget, 1, 3 * page);
  clew_budget_init(&budget, 100); /* a refusal, as ever */
  struct clew_bigmem mem;
  assert_true(clew_bigmem_open(&mem, MB, &budget));
  assert_false(clew_bigmem_commit(&mem, 1));
  clew_bigmem_close(&mem);
  clew_budget_init(&budget, 16 * MB);
  check_step_of(&budget, 1, 64 * KB);
}

static void test_bigmem_steps(void **state) {
  (void)state;
  check_step(1, 64 * KB);
  check_step(64 * KB, 64 * KB);
  check_step(64 * KB + 1, 128 * KB);
  check_step(4 * MB - 1, 4 * MB);
  check_step(4 * MB + 1, 4 * MB + 64 * KB);
  check_step(16 * MB - 1, 16512 * KB); /* a multiple of 192 KB, three units */
  check_step(16 * MB + 1, 18 * MB);
  check_step(33 * MB, 34 * MB);
  check_step(1025 * MB, 1040 * MB); /* steps of 16 MB */
}

static void test_bigmem_refusals(void **state) {
  (void)state;
  struct clew_bigmem mem;
  assert_false(clew_bigmem_open(&mem, SIZE_MAX, NULL));
  assert_null(mem.data);
  assert_false(clew_bigmem_open(&mem, (size_t)1 << 62, NULL)); /* no such address space */
  assert_null(mem.data);
  assert_false(clew_bigmem_open(&mem, 0, NULL));
  clew_bigmem_close(&mem);

  /* The reservation ends. */
  assert_true(clew_bigmem_open(&mem, 5 * MB, NULL));
  assert_true(clew_bigmem_commit(&mem, 5 * MB));
  size_t reserved = mem.reserved_bytes;
  assert_true(clew_bigmem_commit(&mem, reserved));
  mem.data[reserved - 1] = 1;
  assert_false(clew_bigmem_commit(&mem, reserved + 1));
  assert_false(clew_bigmem_commit(&mem, SIZE_MAX));
  assert_int_equal(mem.committed_bytes, reserved);
  clew_bigmem_close(&mem);
}

static void test_bigmem_budget_refusal(void **state) {
  (void)state;
  struct clew_budget budget;
  struct clew_bigmem mem;
  /* The generous step is refused, the need is not. */
  size_t limit = 4 * MB + 32 * KB;
  clew_budget_init(&budget, limit);
  assert_true(clew_bigmem_open(&mem, 100 * MB, &budget));
  assert_true(clew_bigmem_commit(&mem, 4 * MB + 5));
  assert_int_equal(mem.committed_bytes, 4 * MB + (size_t)sysconf(_SC_PAGESIZE));
  assert_true(clew_bigmem_commit(&mem, limit));
  assert_int_equal(clew_budget_left(&budget), 0);
  mem.data[limit - 1] = 1;
  /* Nor is the need possible: nothing changes. */
  assert_false(clew_bigmem_commit(&mem, limit + 1));
  assert_int_equal(mem.committed_bytes, limit);
  assert_int_equal(clew_budget_used(&budget), limit);
  assert_int_equal(mem.data[limit - 1], 1);
  clew_bigmem_close(&mem);
  assert_int_equal(clew_budget_used(&budget), 0);
}

/* What is not committed must not be usable, or the budget would be fiction. */
static void test_bigmem_uncommitted_faults(void **state) {
  (void)state;
  struct clew_bigmem mem;
  assert_true(clew_bigmem_open(&mem, 10 * MB, NULL));
  assert_true(clew_bigmem_commit(&mem, 1));
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    ((volatile unsigned char *)mem.data)[mem.committed_bytes] = 1;
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  clew_bigmem_close(&mem);
}

static void test_clocks(void **state) {
  (void)state;
  double wall = clew_clock_wall_s(), cpu = clew_clock_cpu_s();
  struct clew_bigmem mem;
  assert_true(clew_bigmem_open(&mem, 64 * MB, NULL));
  assert_true(clew_bigmem_commit(&mem, 64 * MB));
  memset(mem.data, 1, 64 * MB);
  assert_true(clew_clock_peak_rss_bytes() >= 64 * MB);
  clew_bigmem_close(&mem);
  assert_true(clew_clock_peak_rss_bytes() >= 64 * MB); /* a peak stays */
  assert_true(clew_clock_wall_s() > wall);
  assert_true(clew_clock_cpu_s() >= cpu);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_budget_refuses_as_told),
      cmocka_unit_test(test_budget_is_exact),
      cmocka_unit_test(test_budget_with_threads),
      cmocka_unit_test(test_budget_default),
      cmocka_unit_test(test_bigmem_grows_in_place),
      cmocka_unit_test(test_bigmem_steps),
      cmocka_unit_test(test_bigmem_steps_in_small_budget),
      cmocka_unit_test(test_bigmem_refusals),
      cmocka_unit_test(test_bigmem_budget_refusal),
      cmocka_unit_test(test_bigmem_uncommitted_faults),
      cmocka_unit_test(test_clocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
