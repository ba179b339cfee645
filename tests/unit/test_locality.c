/* Transition locality: small graphs worked out by hand, a family with a closed form, random graphs
 * against the definition, and what is reported of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/random.h"
#include "report/output.h"
#include "unit/trace_toy.h"

static void expect_near(double got, double want) {
  if (fabs(got - want) > 1e-12 * fmax(1, fabs(want))) {
    fail_msg("got %.17g, expected %.17g", got, want);
  }
}

static void expect_figure(const struct clew_locality *locality, int64_t k, uint64_t transitions,
                          double mean, double variance) {
  struct clew_locality_figure figure = clew_locality_at(locality, (uint32_t)(1 - k));
  assert_int_equal(figure.k, k);
  assert_int_equal(figure.transitions, transitions);
  expect_near(figure.mean, mean);
  expect_near(figure.sigma * figure.sigma, variance);
}

/* A graph as a list of edges; state 0 is initial, every state is reachable. */
struct edge {
  uint32_t from, to;
};

enum { MAX_STATES = 64 };

static void find_levels(const struct edge *edges, uint32_t edge_count, uint32_t states,
                        uint32_t levels[MAX_STATES]) {
  for (uint32_t s = 0; s < states; s++) {
    levels[s] = s == 0 ? 0 : UINT32_MAX;
  }
  for (uint32_t round = 0; round < states; round++) {
    for (uint32_t e = 0; e < edge_count; e++) {
      uint32_t from = levels[edges[e].from], *to = &levels[edges[e].to];
      if (from != UINT32_MAX && from + 1 < *to) {
        *to = from + 1;
      }
    }
  }
}

static void measure(struct clew_locality *locality, const struct edge *edges, uint32_t edge_count,
                    uint32_t states) {
  uint32_t levels[MAX_STATES];
  find_levels(edges, edge_count, states, levels);
  for (uint32_t s = 0; s < states; s++) {
    for (uint32_t e = 0; e < edge_count; e++) {
      if (edges[e].from == s && edges[e].to == s) {
        clew_locality_loop(locality);
      } else if (edges[e].from == s) {
        clew_locality_edge(locality, levels[s], levels[edges[e].to]);
      }
    }
    clew_locality_state(locality);
  }
}

static void test_nothing(void **unused) {
  (void)unused;
  struct clew_locality locality = {0};
  assert_int_equal(clew_locality_len(&locality), 0);
  struct clew_locality_summary summary = clew_locality_summarise(&locality);
  expect_near(summary.sum_avg, 0);
  assert_true(isnan(summary.back_edge_mean));
  assert_int_equal(summary.back_edge_max, 0);
  clew_locality_free(&locality);
}

/*   0 → 1, 2       levels 0 | 1, 2 | 3
 *   1 → 0, 2, 3    3 is stuck and counts in every mean; the self loop of 2 is left out */
static void test_by_hand(void **unused) {
  (void)unused;
  static const struct edge edges[] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {1, 3}, {2, 2}, {2, 3}};
  struct clew_locality locality = {0};
  measure(&locality, edges, 7, 4);
  assert_int_equal(locality.states, 4);
  assert_int_equal(locality.loops, 1);
  assert_int_equal(clew_locality_len(&locality), 3);
  double third = 1.0 / 3, mean = (2 + third) / 4; /* 1, 1/3, 1, 0 */
  expect_figure(&locality, 1, 4, mean, (2 + third * third) / 4 - mean * mean);
  expect_figure(&locality, 0, 1, third / 4, third * third * 3 / 16);
  expect_figure(&locality, -1, 1, third / 4, third * third * 3 / 16);
  expect_figure(&locality, -2, 0, 0, 0);
  struct clew_locality_summary summary = clew_locality_summarise(&locality);
  expect_near(summary.sum_avg, 0.75); /* the share of states that have transitions */
  assert_int_equal(summary.forward, 4);
  assert_int_equal(summary.level, 1);
  assert_int_equal(summary.backward, 1);
  assert_int_equal(summary.back_edge_max, 1);
  expect_near(summary.back_edge_mean, 1);
  clew_locality_free(&locality);
}

/* Two transitions between the same states are two. */
static void test_parallel_edges(void **unused) {
  (void)unused;
  static const struct edge edges[] = {{0, 1}, {0, 1}, {0, 2}, {1, 0}, {1, 2}, {1, 2}, {2, 2}};
  struct clew_locality locality = {0};
  measure(&locality, edges, 7, 3);
  assert_int_equal(locality.loops, 1);
  expect_figure(&locality, 1, 3, 1.0 / 3, 2.0 / 9); /* 1, 0, 0 */
  expect_figure(&locality, 0, 2, 2.0 / 9, 4.0 / 27 - 4.0 / 81);
  expect_figure(&locality, -1, 1, 1.0 / 9, 1.0 / 27 - 1.0 / 81);
  clew_locality_free(&locality);
}

/* A ring of n states: one back edge of length n - 1. */
static void check_ring(uint32_t n) {
  struct clew_locality locality = {0};
  for (uint32_t s = 0; s < n; s++) {
    clew_locality_edge(&locality, s, s + 1 < n ? s + 1 : 0);
    clew_locality_state(&locality);
  }
  double share = 1.0 / n;
  bool far = n >= CLEW_LOCALITY_FAR;
  assert_int_equal(clew_locality_len(&locality), far ? CLEW_LOCALITY_FAR + 1 : n + 1);
  expect_figure(&locality, 1, n - 1, 1 - share, share * (1 - share));
  expect_figure(&locality, far ? 1 - CLEW_LOCALITY_FAR : 1 - (int64_t)n, 1, share,
                share * (1 - share));
  struct clew_locality_summary summary = clew_locality_summarise(&locality);
  assert_int_equal(summary.backward, 1);
  assert_int_equal(summary.back_edge_max, n - 1);
  expect_near(summary.back_edge_mean, n - 1.0);
  assert_true(locality.bins.cap <= 2 * (CLEW_LOCALITY_FAR + 1)); /* bounded, whatever n */
  clew_locality_free(&locality);
}

static void test_rings(void **unused) {
  (void)unused;
  static const uint32_t sizes[] = {
      2, 3, 1000, CLEW_LOCALITY_FAR - 1, CLEW_LOCALITY_FAR, CLEW_LOCALITY_FAR + 1, 200000};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    check_ring(sizes[i]);
  }
}

/* Back edges of different lengths beyond the last bin: their number and lengths are exact. */
static void test_far(void **unused) {
  (void)unused;
  struct clew_locality locality = {0};
  clew_locality_edge(&locality, 4000000000, 0);
  clew_locality_edge(&locality, 4000000000, 3999900000);
  clew_locality_edge(&locality, 4000000000, 3999999990);
  clew_locality_edge(&locality, 4000000000, 4000000001);
  clew_locality_state(&locality);
  clew_locality_edge(&locality, 100000, 30000);
  clew_locality_state(&locality);
  expect_figure(&locality, 1 - CLEW_LOCALITY_FAR, 3, 0.75, 0.0625);
  struct clew_locality_summary summary = clew_locality_summarise(&locality);
  assert_int_equal(summary.forward, 1);
  assert_int_equal(summary.backward, 4);
  assert_int_equal(summary.back_edge_max, 4000000000);
  expect_near(summary.back_edge_mean, (4e9 + 1e5 + 10 + 7e4) / 4);
  clew_locality_free(&locality);
}

static void test_open_state_does_not_count(void **unused) {
  (void)unused;
  struct clew_locality locality = {0};
  clew_locality_edge(&locality, 5, 6);
  clew_locality_state(&locality);
  clew_locality_edge(&locality, 5, 1);
  clew_locality_edge(&locality, 900000, 1);
  clew_locality_loop(&locality);
  assert_int_equal(locality.loops, 0);
  assert_int_equal(clew_locality_len(&locality), 1);
  struct clew_locality_summary summary = clew_locality_summarise(&locality);
  assert_int_equal(summary.forward, 1);
  assert_int_equal(summary.backward, 0);
  assert_int_equal(summary.back_edge_max, 0);
  expect_near(summary.sum_avg, 1);
  clew_locality_free(&locality);
}

/* A state x of 1..n leads to 1, …, x + 1 (as far as n): tests/models/murphi/nonlocal.m. */
static void test_nonlocal(void **unused) {
  (void)unused;
  enum { N = 300 };
  struct clew_locality locality = {0};
  double harmonic = 0; /* of N - 1 */
  for (uint32_t x = 1; x <= N; x++) {
    harmonic += x < N ? 1.0 / x : 0;
    for (uint32_t i = 1; i <= N && i <= x + 1; i++) {
      if (i == x) {
        clew_locality_loop(&locality);
      } else {
        clew_locality_edge(&locality, x - 1, i - 1);
      }
    }
    clew_locality_state(&locality);
  }
  expect_near(clew_locality_at(&locality, 0).mean, harmonic / N);
  expect_near(clew_locality_at(&locality, 1).mean, 0);
  expect_near(clew_locality_at(&locality, 2).mean, (harmonic - 1 + 1.0 / (N - 1)) / N);
  struct clew_locality_summary summary = clew_locality_summarise(&locality);
  expect_near(summary.sum_avg, (2 * harmonic - 1 + 1.0 / (N - 1)) / N);
  assert_int_equal(locality.loops, N);
  assert_int_equal(summary.forward + summary.level + summary.backward, N * (N + 1) / 2 - 1);
  assert_int_equal(summary.back_edge_max, N - 1);
  clew_locality_free(&locality);
}

/* The definition, word by word. */
static void check_definition(const struct clew_locality *locality, const struct edge *edges,
                             uint32_t edge_count, uint32_t states) {
  uint32_t levels[MAX_STATES];
  find_levels(edges, edge_count, states, levels);
  for (int64_t k = 1; k >= -MAX_STATES; k--) {
    uint64_t count = 0;
    double sum = 0, squares = 0;
    for (uint32_t s = 0; s < states; s++) {
      double all = 0, these = 0;
      for (uint32_t e = 0; e < edge_count; e++) {
        bool counts = edges[e].from == s && edges[e].to != s;
        all += counts;
        these += counts && (int64_t)levels[edges[e].to] - levels[s] == k;
      }
      count += (uint64_t)these;
      sum += all > 0 ? these / all : 0;
      squares += all > 0 ? these / all * (these / all) : 0;
    }
    double mean = sum / states;
    expect_figure(locality, k, count, mean, fmax(0, squares / states - mean * mean));
  }
}

static void test_random_graphs(void **unused) {
  (void)unused;
  struct clew_random random;
  clew_random_seed(&random, 11);
  for (uint32_t round = 0; round < 300; round++) {
    struct edge edges[4 * MAX_STATES];
    uint32_t states = 1 + (uint32_t)clew_random_below(&random, MAX_STATES), count = 0;
    for (uint32_t s = 1; s < states; s++) { /* deep trees or flat ones */
      uint32_t back = (uint32_t)clew_random_below(&random, round % 2 == 0 && s > 2 ? 2 : s);
      edges[count++] = (struct edge){s - 1 - back, s};
    }
    uint32_t more = (uint32_t)clew_random_below(&random, 3 * MAX_STATES);
    for (uint32_t i = 0; i < more; i++) {
      edges[count++] = (struct edge){(uint32_t)clew_random_below(&random, states),
                                     (uint32_t)clew_random_below(&random, states)};
    }
    struct clew_locality locality = {0};
    measure(&locality, edges, count, states);
    check_definition(&locality, edges, count, states);
    clew_locality_free(&locality);
  }
}

/* States that several threads measured, added up, are the same as of one. */
static void test_added_up(void **unused) {
  (void)unused;
  enum { PARTS = 4, STATES = 2000 };
  struct clew_random random;
  clew_random_seed(&random, 12);
  struct clew_locality whole = {0}, parts[PARTS] = {0}, sum = {0};
  for (uint32_t s = 0; s < STATES; s++) {
    struct clew_locality *part = &parts[clew_random_below(&random, PARTS)];
    uint32_t level = 1 + (uint32_t)clew_random_below(&random, 100000);
    uint32_t degree = (uint32_t)clew_random_below(&random, 6);
    for (uint32_t e = 0; e < degree; e++) {
      uint32_t target = (uint32_t)clew_random_below(&random, level + 2);
      target = clew_random_below(&random, 2) == 0 ? target : level + 1;
      clew_locality_edge(&whole, level, target);
      clew_locality_edge(part, level, target);
    }
    clew_locality_loop(&whole);
    clew_locality_loop(part);
    clew_locality_state(&whole);
    clew_locality_state(part);
  }
  for (uint32_t i = 0; i < PARTS; i++) {
    clew_locality_edge(&parts[i], 1, 2); /* of a state that is never closed */
    clew_locality_add(&sum, &parts[i]);
    clew_locality_free(&parts[i]);
  }
  assert_int_equal(sum.states, whole.states);
  assert_int_equal(sum.loops, whole.loops);
  assert_int_equal(clew_locality_len(&sum), clew_locality_len(&whole));
  for (uint32_t i = 0; i < clew_locality_len(&whole); i++) {
    struct clew_locality_figure figure = clew_locality_at(&whole, i);
    expect_figure(&sum, figure.k, figure.transitions, figure.mean, figure.sigma * figure.sigma);
  }
  struct clew_locality_summary a = clew_locality_summarise(&sum),
                               b = clew_locality_summarise(&whole);
  assert_int_equal(a.back_edge_max, b.back_edge_max);
  assert_int_equal(a.backward, b.backward);
  expect_near(a.back_edge_mean, b.back_edge_mean);
  clew_locality_free(&sum);
  clew_locality_free(&whole);
}

/* Ten million equal states have no deviation worth printing. */
static void test_rounding(void **unused) {
  (void)unused;
  struct clew_locality locality = {0};
  for (uint32_t s = 0; s < 10000000; s++) {
    clew_locality_edge(&locality, 5, 6);
    clew_locality_edge(&locality, 5, 6);
    clew_locality_edge(&locality, 5, 2);
    clew_locality_state(&locality);
  }
  assert_true(clew_locality_at(&locality, 0).sigma < 1e-6);
  assert_true(clew_locality_at(&locality, 4).sigma < 1e-6);
  expect_near(clew_locality_at(&locality, 4).mean, 1.0 / 3);
  clew_locality_free(&locality);
}

/* ---- reports ---- */

static const uint64_t everything = (1U << TOY_PROPERTIES) - 1;

static struct clew_report_info info_of(const struct clew_model *model, bool explores_only) {
  return (struct clew_report_info){.model = model,
                                   .command = "stats",
                                   .command_line = "clew stats toy.m",
                                   .store = "exact",
                                   .search = "bfs",
                                   .explores_only = explores_only};
}

/* Four states by hand: forward, far back, and a self loop. */
static struct clew_result result_of(void) {
  struct clew_result result;
  clew_result_init(&result);
  clew_outcomes_open(&result.outcomes, TOY_PROPERTIES, &everything);
  result.scope = (struct clew_scope){.complete = true, .lossless = true, .has_states = true};
  result.states = 4;
  result.transitions = 9;
  result.has_locality = true;
  struct clew_locality *locality = &result.locality;
  clew_locality_edge(locality, 0, 1);
  clew_locality_state(locality);
  clew_locality_edge(locality, 10, 11);
  clew_locality_edge(locality, 10, 0);
  clew_locality_edge(locality, 10, 4);
  clew_locality_edge(locality, 10, 4);
  clew_locality_state(locality);
  clew_locality_edge(locality, 70000, 1);
  clew_locality_state(locality);
  clew_locality_edge(locality, 2, 3);
  clew_locality_edge(locality, 2, 3);
  clew_locality_loop(locality);
  clew_locality_state(locality);
  return result;
}

static void test_json(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_report_info info = info_of(&model, true);
  struct clew_result result = result_of();
  struct clew_text text = {0};
  assert_true(clew_output_json.write(&info, &result, &text));
  struct clew_arena *arena = clew_arena_open();
  size_t offset;
  const char *error;
  const struct clew_json *root = clew_json_parse(arena, text.data, text.len, &offset, &error);
  assert_non_null(root);
  const struct clew_json *locality = clew_json_get(root, "locality");
  assert_non_null(locality);
  const struct clew_json *one = clew_json_get(locality, "1");
  expect_near(clew_json_get(one, "mean")->number, 2.25 / 4);
  expect_near(clew_json_get(one, "sigma")->number, sqrt(2.0625 / 4 - 2.25 / 4 * 2.25 / 4));
  assert_int_equal(clew_json_get(one, "transitions")->integer, 4);
  assert_int_equal(clew_json_get(clew_json_get(locality, "0"), "transitions")->integer, 0);
  expect_near(clew_json_get(clew_json_get(locality, "-1"), "mean")->number, 0);
  assert_null(clew_json_get(locality, "-2"));
  assert_int_equal(clew_json_get(clew_json_get(locality, "-6"), "transitions")->integer, 2);
  assert_int_equal(clew_json_get(clew_json_get(locality, "-10"), "transitions")->integer, 1);
  assert_int_equal(clew_json_get(clew_json_get(locality, "farther"), "transitions")->integer, 1);
  expect_near(clew_json_get(locality, "sum_avg")->number, 2.25 / 4);
  assert_int_equal(clew_json_get(locality, "states")->integer, 4);
  assert_int_equal(clew_json_get(locality, "forward")->integer, 4);
  assert_int_equal(clew_json_get(locality, "level")->integer, 0);
  assert_int_equal(clew_json_get(locality, "backward")->integer, 4);
  assert_int_equal(clew_json_get(locality, "self_loops")->integer, 1);
  expect_near(clew_json_get(locality, "back_edge_mean")->number, (6 + 6 + 10 + 69999) / 4.0);
  assert_int_equal(clew_json_get(locality, "back_edge_max")->integer, 69999);
  clew_arena_close(arena);
  clew_text_free(&text);
  clew_result_free(&result);
}

static void expect_absent(bool explores_only, bool measured) {
  struct clew_model model = toy_model(NULL);
  struct clew_report_info info = info_of(&model, explores_only);
  struct clew_result result = result_of();
  result.has_locality = measured;
  struct clew_text text = {0};
  assert_true(clew_output_json.write(&info, &result, &text));
  assert_null(strstr(clew_text_str(&text), "locality"));
  clew_text_free(&text);
  clew_result_free(&result);
}

static void test_absent(void **unused) {
  (void)unused;
  expect_absent(false, true);
  expect_absent(true, false);
}

static void test_text(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_report_info info = info_of(&model, true);
  struct clew_result result = result_of();
  struct clew_text text = {0};
  assert_true(clew_output_text.write(&info, &result, &text));
  const char *table = strstr(clew_text_str(&text), "      k  ");
  assert_non_null(table);
  assert_string_equal(
      table, "      k      transitions    share       mean      sigma\n"
             "      1                4   50.00%   0.562500   0.446339\n"
             "      0                0    0.00%   0.000000   0.000000\n"
             "     -1                0    0.00%   0.000000   0.000000\n"
             "     -2                0    0.00%   0.000000   0.000000\n"
             "     -3                0    0.00%   0.000000   0.000000\n"
             "     -4                0    0.00%   0.000000   0.000000\n"
             "     -5                0    0.00%   0.000000   0.000000\n"
             "   less                4   50.00%   0.437500\n"
             "\n"
             "  locality         0.562500 (the means of k = -1, 0, 1)\n"
             "  backward         50.00% of the transitions, by 17505.25 levels on average, 69,999 "
             "at most\n"
             "  self loops       1 transitions, left out above\n");
  clew_text_free(&text);
  clew_result_free(&result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing),
      cmocka_unit_test(test_by_hand),
      cmocka_unit_test(test_parallel_edges),
      cmocka_unit_test(test_rings),
      cmocka_unit_test(test_far),
      cmocka_unit_test(test_open_state_does_not_count),
      cmocka_unit_test(test_nonlocal),
      cmocka_unit_test(test_random_graphs),
      cmocka_unit_test(test_added_up),
      cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_absent),
      cmocka_unit_test(test_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
