/* The back-edge log: in memory, spilled, refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/random.h"
#include "trace/log.h"
#include "unit/effort.h"

static const uint64_t KB = 1 << 10, MB = 1 << 20;

static struct clew_back_edge edge_of(uint64_t id) {
  return (struct clew_back_edge){id == 0 ? CLEW_ID_NONE : id / 2, (uint32_t)(id * 2654435761U)};
}

static void assert_edge(struct clew_log *log, uint64_t id) {
  struct clew_back_edge got, wanted = edge_of(id);
  assert_true(clew_log_get(log, id, &got));
  assert_int_equal(got.parent, wanted.parent);
  assert_int_equal(got.edge, wanted.edge);
}

/* Sets the edge of the next id; false when the log refuses. */
static bool append(struct clew_log *log, clew_id id) {
  if (clew_log_reserve(log, id, id + 1) == id) {
    return false;
  }
  struct clew_back_edge edge = edge_of(id);
  clew_log_set(log, id, edge.parent, edge.edge);
  return true;
}

/* Sets `count` edges from `first` on, in groups in reverse, reading back some on the way and all at
 * the end; the bytes on disk. */
static uint64_t exercise_from(struct clew_budget *budget, uint64_t memory_bytes, clew_id first,
                              uint64_t count) {
  struct clew_scratch scratch;
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  struct clew_log *log = clew_log_open(budget, &scratch, memory_bytes);
  struct clew_random random;
  clew_random_seed(&random, count);
  for (clew_id id = first; id < first + count;) {
    clew_id wanted = id + 1 + clew_random_below(&random, 100);
    wanted = wanted < first + count ? wanted : first + count;
    clew_id end = clew_log_reserve(log, id, wanted);
    assert_true(end > id && end <= wanted);
    for (clew_id i = end; i-- > id;) {
      clew_log_set(log, i, edge_of(i).parent, edge_of(i).edge);
    }
    assert_edge(log, first + clew_random_below(&random, end - first));
    assert_edge(log, end - 1);
    id = end;
    assert_true(clew_budget_used(budget) <=
                memory_bytes + 128 * KB); /* two regions, of whole steps */
  }
  for (clew_id id = first; id < first + count; id++) {
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

/* The file of the log, which has no name, opened again; -1: there is none. */
static int open_file_of_log(void) {
  for (int fd = 3; fd < 64; fd++) {
    char link[64], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0) {
      path[length] = '\0';
      if (strstr(path, "/back-edges") != NULL) {
        return open(link, O_RDWR);
      }
    }
  }
  return -1;
}

static uint64_t exercise(struct clew_budget *budget, uint64_t memory_bytes, uint64_t count) {
  return exercise_from(budget, memory_bytes, 0, count);
}

/* Ids of more than 32 bits are like any other. */
static void test_wide_ids(void **state) {
  (void)state;
  const clew_id wide = UINT64_C(1) << 32;
  struct clew_budget budget;
  clew_budget_init(&budget, 64 * MB);
  assert_int_equal(exercise_from(&budget, 8 * MB, wide - 1000, 3000), 0);
  assert_true(exercise_from(&budget, 100 * KB, wide - 70000, 200000) > 0);
  assert_true(exercise_from(&budget, 100 * KB, 5 * wide, 100000) > 0);
  assert_true(exercise_from(&budget, 0, wide - 10, 10000) > 0);
}

/* Where nothing can be written the log goes on in memory beyond its share. */
static void test_memory_beyond_the_share(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, MB);
  struct clew_log *log = clew_log_open(&budget, NULL, 80);
  clew_id id = 0;
  while (append(log, id)) {
    id++;
    assert_true(id < 400000);
  }
  /* Edges that are random take five bytes. */
  assert_true(id > MB / 6 && id <= MB / 4);
  assert_int_equal(errno, ENOSPC);
  for (clew_id i = 0; i < id; i++) {
    assert_edge(log, i);
  }
  clew_log_close(log);
  assert_int_equal(clew_budget_used(&budget), 0);
}

static void test_in_memory(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 64 * MB);
  assert_int_equal(exercise(&budget, 8 * MB, 1), 0);
  assert_int_equal(exercise(&budget, 8 * MB, 1000000), 0);
  assert_true(exercise(&budget, 8 * MB, 2000000) > 0);
}

static void test_spills(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 64 * MB);
  assert_true(exercise(&budget, 3 * MB, 1000000) > 2 * MB);
  assert_true(exercise(&budget, 100 * KB, 300000) > MB);
  assert_true(exercise(&budget, 24, 100000) > 400 * KB); /* a page or so stays in memory */
  assert_true(exercise(&budget, 0, 10000) > 0);
}

static void test_budget_refuses(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 2 * MB + 100);
  assert_true(exercise(&budget, 8 * MB, 700000) >= 1 * MB);
  clew_budget_init(&budget, 10);
  assert_true(exercise(&budget, 8 * MB, 5000) > 0);
}

/* The records of a search: parents in their order, few edges. At most two bytes for each. */
static void test_is_compact(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 64 * MB);
  struct clew_log *log = clew_log_open(&budget, NULL, MB);
  struct clew_random random;
  clew_random_seed(&random, 7);
  enum { STATES = 3000000 / SPARSE };
  clew_id end = 0, parent = 0;
  for (clew_id id = 0; id < STATES; id++) {
    if (id == end) {
      end = clew_log_reserve(log, id, STATES);
      assert_true(end > id);
    }
    parent += parent + 3 < id ? clew_random_below(&random, 3) : 0;
    clew_log_set(log, id, id == 0 ? CLEW_ID_NONE : parent,
                 (uint32_t)clew_random_below(&random, 60));
  }
  assert_true(clew_log_bytes(log) < 2 * (uint64_t)STATES);
  clew_log_close(log);
}

/* What comes behind is forgotten and set anew, wherever it was. */
static void test_rewind(void **state) {
  (void)state;
  enum { STATES = 100000 };
  static const uint64_t shares[] = {0, 100, 40 << 10, 300 << 10, 8 << 20};
  static const clew_id ends[] = {STATES, STATES - 1, STATES - 20000, 16385, 16384, 16383, 300,
                                 1,      0};
  struct clew_budget budget;
  struct clew_scratch scratch;
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  for (uint32_t s = 0; s < 5; s += IS_SANITIZED ? 2 : 1) {
    clew_budget_init(&budget, 64 * MB);
    struct clew_log *log = clew_log_open(&budget, &scratch, shares[s]);
    clew_id id = 0;
    for (uint32_t e = 0; e < 9; e++) {
      for (; id < STATES; id++) {
        assert_true(append(log, id));
      }
      assert_true(clew_log_rewind(log, ends[e]));
      id = ends[e];
      for (clew_id i = 0; i < id; i += 1 + i / 64) {
        assert_edge(log, i);
      }
    }
    for (; id < STATES; id++) {
      assert_true(append(log, id));
    }
    for (clew_id i = 0; i < STATES; i++) {
      assert_edge(log, i);
    }
    clew_log_close(log);
    assert_int_equal(clew_budget_used(&budget), 0);
  }
  clew_scratch_close(&scratch);
}

/* Blocks as they are kept hold the records that were set. */
static void test_blocks(void **state) {
  (void)state;
  enum { STATES = 100000 };
  struct clew_budget budget;
  struct clew_scratch scratch;
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  clew_budget_init(&budget, 64 * MB);
  struct clew_log *log = clew_log_open(&budget, &scratch, 400 * KB);
  struct clew_crew *crew = clew_crew_open(3);
  clew_log_use_crew(log, crew);
  for (clew_id id = 0; id < STATES; id++) {
    assert_true(append(log, id));
  }
  struct clew_coder *coder = clew_coder_open();
  static struct clew_back_edge records[CLEW_BLOCK_RECORDS];
  struct clew_block block;
  const unsigned char *bytes;
  clew_id first = 0;
  while ((bytes = clew_log_block(log, first, &block)) != NULL) {
    assert_null(clew_coder_decode(coder, bytes, records));
    assert_int_equal(block.first, first);
    for (uint32_t i = 0; i < block.count; i++) {
      assert_int_equal(records[i].parent, edge_of(first + i).parent);
      assert_int_equal(records[i].edge, edge_of(first + i).edge);
    }
    first += block.count;
  }
  assert_true(first > STATES / 2);
  assert_null(clew_log_block(log, 1, &block));
  clew_coder_close(coder);
  clew_log_close(log);
  clew_crew_close(crew);
  clew_scratch_close(&scratch);
}

static void invent_edge(const void *context, clew_id id, struct clew_back_edge *out) {
  *out = (struct clew_back_edge){id + *(const uint32_t *)context, (uint32_t)id};
}

static void test_view(void **state) {
  (void)state;
  const uint32_t shift = 5;
  struct clew_log *log = clew_log_open_view(invent_edge, &shift);
  for (uint32_t i = 0; i < 1000; i++) {
    assert_true(append(log, i));
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
  clew_budget_init(&budget, 64 * KB);
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
  while (append(log, id)) {
    id++;
    assert_true(id < 100000);
  }
  int error = errno;
  setrlimit(RLIMIT_FSIZE, &before);
  assert_int_equal(error, EFBIG);
  assert_true(id > 200 * KB / 6);
  for (uint64_t i = 0; i < id; i++) {
    assert_edge(log, i); /* what was accepted is not lost */
  }
  clew_log_close(log);
  clew_scratch_close(&scratch);
}

/* Any byte of the file that differs is noticed by whoever reads a record near it, and by nobody
 * else. */
static void test_damaged_file(void **state) {
  (void)state;
  enum { STATES = 4000, STEP = 997 };
  struct clew_budget budget;
  clew_budget_init(&budget, 4 * KB);
  struct clew_scratch scratch;
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  struct clew_log *log = clew_log_open(&budget, &scratch, 4 * KB);
  for (uint64_t id = 0; id < STATES; id++) {
    assert_true(append(log, id));
  }
  int fd = open_file_of_log();
  assert_true(fd >= 0);
  for (uint64_t at = 3; at < clew_log_disk_bytes(log); at += STEP) {
    unsigned char byte, other;
    assert_true(clew_fd_read_at(fd, &byte, 1, at));
    other = byte ^ 0x40;
    assert_true(clew_fd_write_at(fd, &other, 1, at));
    uint64_t damaged = 0;
    for (uint64_t id = 0; id < STATES; id++) {
      struct clew_back_edge edge;
      if (clew_log_get(log, id, &edge)) {
        assert_int_equal(edge.parent, edge_of(id).parent);
        assert_int_equal(edge.edge, edge_of(id).edge);
      } else {
        assert_int_equal(errno, EBADMSG);
        damaged++;
      }
    }
    assert_in_range(damaged, 1, STATES / 4);
    assert_true(clew_fd_write_at(fd, &byte, 1, at));
  }
  close(fd);
  clew_log_close(log);
  clew_scratch_close(&scratch);
}

/* Two blocks that changed places are no good either: a checksum knows where it belongs. */
static void test_exchanged_blocks(void **state) {
  (void)state;
  enum { BLOCK = 2048, STATES = 4000 };
  struct clew_budget budget;
  clew_budget_init(&budget, 4 * KB);
  struct clew_scratch scratch;
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  struct clew_log *log = clew_log_open(&budget, &scratch, 4 * KB);
  for (uint64_t id = 0; id < STATES; id++) {
    assert_true(append(log, id));
  }
  assert_true(clew_log_disk_bytes(log) >= 3 * BLOCK);
  char first[BLOCK], second[BLOCK];
  int fd = open_file_of_log();
  assert_true(clew_fd_read_at(fd, first, BLOCK, 0) && clew_fd_read_at(fd, second, BLOCK, BLOCK));
  assert_true(clew_fd_write_at(fd, second, BLOCK, 0) && clew_fd_write_at(fd, first, BLOCK, BLOCK));
  struct clew_back_edge edge;
  assert_false(clew_log_get(log, 0, &edge));
  assert_int_equal(errno, EBADMSG);
  assert_edge(log, STATES - 1);
  close(fd);
  clew_log_close(log);
  clew_scratch_close(&scratch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wide_ids),       cmocka_unit_test(test_is_compact),
      cmocka_unit_test(test_rewind),         cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_in_memory),      cmocka_unit_test(test_spills),
      cmocka_unit_test(test_budget_refuses), cmocka_unit_test(test_memory_beyond_the_share),
      cmocka_unit_test(test_view),           cmocka_unit_test(test_disk_full),
      cmocka_unit_test(test_damaged_file),   cmocka_unit_test(test_exchanged_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
