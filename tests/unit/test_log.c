/* The back-edge log: in memory, spilled, refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/random.h"
#include "trace/log.h"

static const uint64_t KB = 1 << 10, MB = 1 << 20;

static struct clew_back_edge edge_of(uint64_t id) {
  return (struct clew_back_edge){id == 0 ? CLEW_LOG_ROOT : (uint32_t)(id / 2),
                                 (uint32_t)(id * 2654435761U)};
}

static void assert_edge(struct clew_log *log, uint64_t id) {
  struct clew_back_edge got, wanted = edge_of(id);
  assert_true(clew_log_get(log, id, &got));
  assert_int_equal(got.parent, wanted.parent);
  assert_int_equal(got.edge, wanted.edge);
}

/* Appends `count` edges, reading back some on the way and all at the end; the bytes on disk. */
static uint64_t exercise(struct clew_budget *budget, uint64_t memory_bytes, uint64_t count) {
  struct clew_scratch scratch;
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  struct clew_log *log = clew_log_open(budget, &scratch, memory_bytes);
  struct clew_random random;
  clew_random_seed(&random, count);
  for (uint64_t id = 0; id < count; id++) {
    assert_int_equal(clew_log_count(log), id);
    struct clew_back_edge edge = edge_of(id);
    assert_true(clew_log_append(log, edge.parent, edge.edge));
    if (id % 64 == 0) {
      assert_edge(log, clew_random_below(&random, id + 1));
      assert_edge(log, id);
    }
    assert_true(clew_budget_used(budget) <= memory_bytes + 64 * KB);
  }
  for (uint64_t id = 0; id < count; id++) {
    assert_edge(log, id);
  }
  uint64_t disk_bytes = clew_log_disk_bytes(log);
  assert_true(disk_bytes == 0 || scratch.path != NULL);
  assert_true(disk_bytes > 0 || scratch.path == NULL);
  clew_log_close(log);
  assert_int_equal(clew_budget_used(budget), 0);
  clew_scratch_close(&scratch);
  return disk_bytes;
}

static void test_in_memory(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 64 * MB);
  assert_int_equal(exercise(&budget, 8 * MB, 1), 0);
  assert_int_equal(exercise(&budget, 8 * MB, 8 * MB / 8), 0);
  assert_true(exercise(&budget, 8 * MB, 8 * MB / 8 + 1) > 0);
}

static void test_spills(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 64 * MB);
  assert_true(exercise(&budget, 3 * MB, 1000000) >= 5 * MB - 64 * KB);
  assert_true(exercise(&budget, 100 * KB, 300000) >= 2 * MB);
  assert_true(exercise(&budget, 24, 1000) >= 7900); /* three slots */
  assert_true(exercise(&budget, 0, 10000) > 0);
}

static void test_budget_refuses(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 2 * MB + 100);
  assert_true(exercise(&budget, 8 * MB, 500000) >= 1 * MB);
  clew_budget_init(&budget, 10);
  assert_true(exercise(&budget, 8 * MB, 5000) > 0);
}

static void test_nowhere_to_spill(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, MB);
  struct clew_log *log = clew_log_open(&budget, NULL, 80);
  for (uint32_t i = 0; i < 10; i++) {
    assert_true(clew_log_append(log, i, i));
  }
  errno = 0;
  assert_false(clew_log_append(log, 10, 10));
  assert_int_equal(errno, ENOSPC);
  assert_int_equal(clew_log_count(log), 10);
  clew_log_close(log);
}

static void invent_edge(const void *context, uint64_t id, struct clew_back_edge *out) {
  *out = (struct clew_back_edge){(uint32_t)id + *(const uint32_t *)context, (uint32_t)id};
}

static void test_view(void **state) {
  (void)state;
  const uint32_t shift = 5;
  struct clew_log *log = clew_log_open_view(invent_edge, &shift);
  for (uint32_t i = 0; i < 1000; i++) {
    assert_int_equal(clew_log_count(log), i);
    assert_true(clew_log_append(log, 0, 0));
  }
  struct clew_back_edge edge;
  assert_true(clew_log_get(log, 999, &edge));
  assert_int_equal(edge.parent, 1004);
  assert_int_equal(edge.edge, 999);
  assert_int_equal(clew_log_disk_bytes(log), 0);
  clew_log_close(log);
}

/* A file that may not grow is a full disk. */
static void test_disk_full(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, MB);
  struct clew_scratch scratch;
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  struct clew_log *log = clew_log_open(&budget, &scratch, 64 * KB);
  struct rlimit before, small = {.rlim_cur = 200 * KB};
  getrlimit(RLIMIT_FSIZE, &before);
  small.rlim_max = before.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  uint64_t id = 0;
  while (clew_log_append(log, edge_of(id).parent, edge_of(id).edge)) {
    id++;
    assert_true(id < 100000);
  }
  int error = errno;
  setrlimit(RLIMIT_FSIZE, &before);
  assert_int_equal(error, EFBIG);
  assert_int_equal(clew_log_count(log), id);
  for (uint64_t i = 0; i < id; i++) {
    assert_edge(log, i); /* what was accepted is not lost */
  }
  clew_log_close(log);
  clew_scratch_close(&scratch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_in_memory),      cmocka_unit_test(test_spills),
      cmocka_unit_test(test_budget_refuses), cmocka_unit_test(test_nowhere_to_spill),
      cmocka_unit_test(test_view),           cmocka_unit_test(test_disk_full),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
