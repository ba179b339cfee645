/* Crews: every part of a job is done once, also of a job that a job starts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>

#include "base/crew.h"

enum { MEMBERS = 3, ROUNDS = 200 };

struct tally {
  struct clew_crew *crew;
  atomic_uint outer[MEMBERS], inner[MEMBERS][MEMBERS];
};

struct inner {
  struct tally *tally;
  uint32_t member;
};

static void count_inner(void *context, uint32_t part) {
  const struct inner *inner = context;
  atomic_fetch_add(&inner->tally->inner[inner->member][part], 1);
}

static void count_outer(void *context, uint32_t member) {
  struct tally *tally = context;
  struct inner inner = {tally, member};
  atomic_fetch_add(&tally->outer[member], 1);
  clew_crew_work(tally->crew, MEMBERS, count_inner, &inner);
}

static void test_a_job_in_a_job(void **state) {
  (void)state;
  struct tally tally = {.crew = clew_crew_open(MEMBERS)};
  for (uint32_t i = 0; i < ROUNDS; i++) {
    clew_crew_work(tally.crew, MEMBERS, count_outer, &tally);
  }
  for (uint32_t i = 0; i < MEMBERS; i++) {
    assert_int_equal(atomic_load(&tally.outer[i]), ROUNDS);
    for (uint32_t k = 0; k < MEMBERS; k++) {
      assert_int_equal(atomic_load(&tally.inner[i][k]), ROUNDS);
    }
  }
  clew_crew_close(tally.crew);
}

static void test_without_a_crew(void **state) {
  (void)state;
  struct tally tally = {0};
  clew_crew_work(NULL, MEMBERS, count_outer, &tally);
  for (uint32_t i = 0; i < MEMBERS; i++) {
    assert_int_equal(atomic_load(&tally.outer[i]), 1);
    assert_int_equal(atomic_load(&tally.inner[i][i]), 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_job_in_a_job),
                                     cmocka_unit_test(test_without_a_crew)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
