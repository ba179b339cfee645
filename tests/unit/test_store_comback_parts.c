/* Parts of the ComBack store by themselves: the compressed column, the options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "store/comback_int.h"

/* ---- columns ---- */

/* Numbers of a shape, and the same in a plain array. */
enum { COLUMN_SHAPES = 10 };

static uint64_t next_number(uint32_t shape, uint64_t last, uint32_t i, struct clew_random *random) {
  switch (shape) {
  case 7: /* anything of 40 bits */
    return clew_random_u64(random) >> 24;
  case 8: /* breadth-first parents beyond 32 bits */
    return i == 0 ? (UINT64_C(1) << 39) - 100 : last + (clew_random_below(random, 4) == 0);
  case 9: /* least and greatest in one chunk */
    return i % 2 == 0 ? 0 : (UINT64_C(1) << 40) - 1;
  case 0: /* breadth-first parents */
    return last + (clew_random_below(random, 4) == 0);
  case 1: /* constant */
    return 77;
  case 2: /* steep */
    return last + (uint32_t)clew_random_below(random, 300000);
  case 3: /* anything */
    return (uint32_t)clew_random_u64(random);
  case 4: /* events, one of them large now and then */
    return clew_random_below(random, 1000) == 0 ? UINT32_MAX
                                                : (uint32_t)clew_random_below(random, 9);
  case 5: /* long runs, then a jump */
    return i % 5000 == 0 ? last + 40000 : last;
  default: /* up and, once, down */
    return i == 3000 ? 0 : last + i % 2;
  }
}

static void test_columns(void **state) {
  (void)state;
  static const uint32_t counts[] = {1, 255, 256, 257, 512, 20000};
  for (uint32_t run = 0; run < COLUMN_SHAPES * 6; run++) {
    uint32_t shape = run % COLUMN_SHAPES, count = counts[run / COLUMN_SHAPES];
    uint64_t last = 0;
    struct clew_random random;
    clew_random_seed(&random, run);
    struct clew_budget budget;
    clew_budget_init(&budget, 1 << 24);
    struct clew_comback_column column = {0};
    assert_true(clew_comback_column_open(&column, &budget));
    uint64_t *numbers = clew_alloc(count * sizeof *numbers);
    for (uint32_t i = 0; i < count; i++) {
      last = numbers[i] = next_number(shape, last, i, &random);
      assert_true(clew_comback_column_reserve(&column, i + 1));
      clew_comback_column_append(&column, last);
    }
    for (uint32_t i = 0; i < count; i++) {
      assert_int_equal(clew_comback_column_get(&column, i), numbers[i]);
    }
    assert_null(clew_comback_column_check(&column));
    if (shape == 0 || shape == 2 || shape == 5 || shape == 8) {
      assert_true(column.monotone);
    }
    if ((shape == 0 || shape == 8) && count == 20000) {
      assert_true((double)column.data_bytes * 8 / count < 2.2);
    }
    assert_int_equal(clew_comback_column_bytes(&column), clew_budget_used(&budget));
    clew_comback_column_close(&column);
    assert_int_equal(clew_budget_used(&budget), 0);
    clew_free(numbers);
  }
}

/* ---- options ---- */

static enum clew_status read_options(const struct clew_comback_options *options,
                                     struct clew_budget *budget,
                                     struct clew_comback_settings *settings, char message[256]) {
  struct clew_diag_sink diags = {0};
  struct clew_store_config config = {.words = 2, .budget = budget, .options = options};
  enum clew_status status = clew_comback_settings_read(&config, &diags, settings);
  message[0] = '\0';
  if (diags.len > 0) {
    strncat(message, diags.data[0].message, 255);
  }
  assert_int_equal(status == CLEW_OK, diags.len == 0);
  clew_diag_sink_free(&diags);
  return status;
}

static struct clew_comback_settings cache_settings(const char *cache) {
  struct clew_comback_options options = {0};
  struct clew_comback_settings settings;
  char message[256];
  options.cache = cache;
  options.states = 10000;
  assert_int_equal(read_options(&options, NULL, &settings, message), CLEW_OK);
  return settings;
}

static void test_cache_options(void **state) {
  (void)state;
  struct clew_comback_settings s = cache_settings("F20-D80:0.01");
  assert_int_equal(s.first, CLEW_COMBACK_FIFO);
  assert_int_equal(s.second, CLEW_COMBACK_DISTANCE);
  assert_int_equal(s.first_states, 20);
  assert_int_equal(s.second_states, 80);
  assert_int_equal(s.distance, 5);
  s = cache_settings("F50-H50:7");
  assert_int_equal(s.second, CLEW_COMBACK_HEURISTIC);
  assert_int_equal(s.first_states + s.second_states, 7);
  s = cache_settings("R:1");
  assert_int_equal(s.first, CLEW_COMBACK_RANDOM);
  assert_true(s.probability == 0.5);
  assert_int_equal(s.first_states, 1);
  assert_true(cache_settings("R0.25:9").probability == 0.25);
  assert_int_equal(cache_settings("D3:9").distance, 3);
  s = cache_settings("L7:9");
  assert_int_equal(s.first, CLEW_COMBACK_LEVELS);
  assert_int_equal(s.level_step, 7);
  s = cache_settings("none");
  assert_int_equal(s.first, CLEW_COMBACK_NO_CACHE);
  assert_int_equal(s.first_states + s.second_states, 0);
  assert_int_equal(cache_settings("F:0").first_states, 0);
  assert_int_equal(cache_settings("F:1.0").first_states, 10000);
}

static void test_bad_options(void **state) {
  (void)state;
  static const char *const caches[] = {
      "",     "X",     "F20",    "F20-D70",   "F20-F80", "f",          "D0",      "R2",
      "R-1",  "F:",    "F:x",    "F:-1",      "F:1.5",   "F20-D80x",   "L0",      "F20-D8:",
      "H3:5", "none5", "F20D80", "F120-D-20", "D1x",     "F20-D80:5x", "R0.5x:3", ":5"};
  struct clew_comback_options options = {0};
  struct clew_comback_settings settings;
  char message[256];
  options.states = 1000;
  for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
    options.cache = caches[i];
    assert_int_equal(read_options(&options, NULL, &settings, message), CLEW_BAD_INPUT);
    assert_non_null(strstr(message, "--cb-cache"));
  }
  static const char *const shares[] = {
      "", "0.5", "0.5,0.5", "0.6,0.2,0.3", "0.6,0.2,0.2,0", "a,b,c", "1.2,-0.1,-0.1"};
  options.cache = NULL;
  for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
    options.shares = shares[i];
    assert_int_equal(read_options(&options, NULL, &settings, message), CLEW_BAD_INPUT);
    assert_non_null(strstr(message, "--cb-shares"));
  }
  options.shares = NULL;
  options.hash_bits = 65;
  assert_int_equal(read_options(&options, NULL, &settings, message), CLEW_BAD_INPUT);
  assert_string_equal(message, "--hash-bits: 65 is not between 1 and 64");
  options.hash_bits = 0;
  options.states = 0;
  options.candidates = "0.1";
  assert_int_equal(read_options(&options, NULL, &settings, message), CLEW_BAD_INPUT);
  assert_string_equal(message, "--cb-candidates: the fraction '0.1' needs the expected number of "
                               "states (--cb-states)");
  options.candidates = NULL;
  options.block = "many";
  assert_int_equal(read_options(&options, NULL, &settings, message), CLEW_BAD_INPUT);
  assert_string_equal(message,
                      "--cb-block: 'many' is not a number of states or a fraction between 0 and 1");
}

static void test_default_sizes(void **state) {
  (void)state;
  struct clew_comback_options options = {0};
  struct clew_comback_settings s;
  char message[256];
  options.full_states = 1000;
  options.queue = CLEW_COMBACK_QUEUE_IDS;
  assert_int_equal(read_options(&options, NULL, &s, message), CLEW_OK);
  assert_int_equal(s.first_states, 600); /* F, 0.6 of them */
  assert_int_equal(s.second_states, 0);
  assert_int_equal(s.candidates, 200);
  assert_int_equal(s.block, 200);
  options.shares = "0.4,0.3,0.3";
  options.cache = "F";
  assert_int_equal(read_options(&options, NULL, &s, message), CLEW_OK);
  assert_int_equal(s.first_states, 400);
  assert_int_equal(s.candidates, 300);
  assert_int_equal(s.block, 300);
  options.block = "17";
  options.candidates = "0";
  assert_int_equal(read_options(&options, NULL, &s, message), CLEW_OK);
  assert_int_equal(s.block, 17);
  assert_int_equal(s.candidates, 0);
  /* Nothing said: an eighth of the budget; the queue has its own memory. */
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(56) << 20);
  options = (struct clew_comback_options){0};
  assert_int_equal(read_options(&options, &budget, &s, message), CLEW_OK);
  uint64_t full = s.first_states + s.second_states + s.candidates;
  assert_in_range(full, (7 << 20) / 56 - 2, (7 << 20) / 56 + 2);
  assert_int_equal(s.layout, CLEW_COMBACK_COMPACT);
  assert_int_equal(s.hash_bits, 64);
  assert_false(s.queue_ids || s.detects_late);
  options.layout = CLEW_COMBACK_PAPER;
  assert_int_equal(read_options(&options, &budget, &s, message), CLEW_OK);
  assert_int_equal(s.hash_bits, 32);
  options.layout = CLEW_COMBACK_COMPACT;
  assert_int_equal(read_options(&options, &budget, &s, message), CLEW_OK);
  assert_int_equal(s.hash_bits, 64);
}

/* Shares of a cache are rounded down; what is left belongs to the second level. */
static void test_divisions(void **state) {
  (void)state;
  struct clew_comback_settings s = cache_settings("F20-H80:4");
  assert_int_equal(s.first_states, 0);
  assert_int_equal(s.second_states, 4);
  s = cache_settings("F80-D20:2");
  assert_int_equal(s.first_states, 1);
  assert_int_equal(s.second_states, 1);
  s = cache_settings("F50-D50:1");
  assert_int_equal(s.first_states, 0);
  assert_int_equal(s.second_states, 1);
  s = cache_settings("F100-H0:7");
  assert_int_equal(s.first_states, 7);
  assert_int_equal(s.second_states, 0);
}

/* What nobody gave a size grows with the states, up to its share of the budget. */
static void test_growing_sizes(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 30);
  struct clew_comback_options options = {0};
  char message[256];
  struct clew_comback *c = clew_alloc_zero(1, sizeof *c);
  assert_int_equal(read_options(&options, &budget, &c->settings, message), CLEW_OK);
  assert_true(c->settings.growing_to > 1000000);
  assert_true(c->settings.cache_grows && c->settings.candidates_grow);
  uint64_t most = c->settings.first_states, last = 0;
  for (c->count = 0; c->count < 1000 * c->settings.growing_to; c->count = c->count * 3 + 1) {
    uint64_t allowed = clew_comback_allowed(c, most);
    assert_true(allowed >= last && allowed > 0 && allowed <= most);
    assert_true(allowed <= 1000 + c->count / 50);
    last = allowed;
  }
  assert_int_equal(last, most);
  assert_int_equal(clew_comback_allowed(c, 0), 0);
  c->count = 0;
  assert_int_equal(clew_comback_allowed(c, 1), 1);
  options.cache = "F:7000";
  assert_int_equal(read_options(&options, &budget, &c->settings, message), CLEW_OK);
  assert_false(c->settings.cache_grows);
  assert_true(c->settings.candidates_grow);
  options.full_states = 5000;
  assert_int_equal(read_options(&options, &budget, &c->settings, message), CLEW_OK);
  assert_int_equal(clew_comback_allowed(c, c->settings.candidates), c->settings.candidates);
  clew_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_columns),     cmocka_unit_test(test_cache_options),
      cmocka_unit_test(test_bad_options), cmocka_unit_test(test_default_sizes),
      cmocka_unit_test(test_divisions),   cmocka_unit_test(test_growing_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
