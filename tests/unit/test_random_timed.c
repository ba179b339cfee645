/* A sample of random timed automata, searched in every way that has to agree with their regions
 * (random_timed.h). bench/random.c does the same with as many as there is time for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/file.h"
#include "unit/random_timed.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { MODELS = 20 }; /* sanitizers are slow */
#else
enum { MODELS = 40 };
#endif
enum { NATIVE_EVERY = 40, FIRST_SEED = 1000000 };

static enum ra_fate agree(uint64_t seed, struct clew_scratch *scratch) {
  struct clew_text model = {0}, path = {0}, complaints = {0};
  char name[32], now[RA_LINE_BYTES] = "";
  snprintf(name, sizeof name, "model-%llu.xta", (unsigned long long)seed);
  int file = clew_scratch_file(scratch, name); /* makes the directory */
  clew_text_printf(&path, "%s/%s", scratch->path, name);
  random_uppaal(&model, seed);
  assert_true(file >= 0 && clew_fd_write_at(file, clew_text_str(&model), model.len, 0));
  close(file);
  struct ra a = {.file = clew_text_str(&path),
                 .seed = seed,
                 .native = seed % NATIVE_EVERY == 0,
                 .complaints = &complaints,
                 .now = now};
  enum ra_fate fate = rt_compare(&a);
  if (a.complaint_count > 0) {
    fail_msg("%s\n%s", clew_text_str(&complaints), clew_text_str(&model));
  }
  clew_text_free(&model);
  clew_text_free(&path);
  clew_text_free(&complaints);
  return fate;
}

static void test_random_automata(void **state) {
  struct clew_scratch scratch;
  struct clew_diag_sink diags = {0};
  uint32_t fates[RA_FATES] = {0};
  (void)state;
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  for (uint64_t i = 0; i < MODELS; i++) {
    fates[agree(FIRST_SEED + i, &scratch)]++;
  }
  clew_scratch_close(&scratch);
  clew_diag_sink_free(&diags);
  assert_true(fates[RA_COMPARED] >= MODELS / 2); /* or they would say little */
}

/* The explorer of regions itself, by hand: x is 0, between 0 and 1, 1, between 1 and 2, 2 in l0,
 * which the edge leaves from x = 1 on. In l1 there are 1, between, 2 and all above. */
static void test_regions(void **state) {
  static struct ru g;
  struct ru_space space;
  (void)state;
  memset(&g, 0, sizeof g);
  g.hi = 1;
  g.var_count = g.process_count = g.template_count = g.scalar_clocks = g.clock_count = 1;
  struct ru_template *t = &g.templates[0];
  t->location_count = 2;
  t->edge_count = 1;
  uint32_t one = ru_num(&g, 1), two = ru_num(&g, 2);
  t->edges[0] = (struct ru_edge){.to = 1, .select_hi = -1, .channel = RU_NO_CHANNEL};
  t->edges[0].guard = ru_add(&g, (struct ru_node){.kind = RU_CLOCK, .op = RU_GE, .a = one});
  t->invariants[0] = ru_add(&g, (struct ru_node){.kind = RU_CLOCK, .op = RU_LE, .a = two});
  g.largest = 2;
  ru_explore(&g, 100, &space);
  assert_true(space.is_complete && !space.has_fault);
  assert_int_equal(space.discrete.count, 2);
  assert_int_equal(space.regions.count, 5 + 4);
  ru_space_free(&space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_regions),
      cmocka_unit_test(test_random_automata),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
