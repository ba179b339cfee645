/* Reports: the JSON of a result, and what the text says for each verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/json.h"
#include "report/report.h"
#include "unit/trace_toy.h"

static const uint64_t everything = (1U << TOY_PROPERTIES) - 1;

static struct clew_run_info info_of(const struct clew_model *model, const char *command) {
  return (struct clew_run_info){.model = model,
                                .command = command,
                                .command_line = "clew check toy.m",
                                .store = "exact",
                                .search = "bfs",
                                .enabled = &everything};
}

/* A complete search of 1,234 states without violations. */
static struct clew_result complete_result(void) {
  struct clew_result result;
  clew_result_init(&result);
  result.complete = result.lossless = true;
  result.stop = CLEW_STOP_FINISHED;
  result.states = 1234;
  result.transitions = 5678;
  result.levels = 3;
  result.diameter = 2;
  result.out_degree_min = 1;
  result.out_degree_max = 9;
  clew_vec_push(&result.level_sizes, 1);
  clew_vec_push(&result.level_sizes, 233);
  clew_vec_push(&result.level_sizes, 1000);
  return result;
}

static void add_trace(struct clew_result *result) {
  result->has_trace = true;
  result->trace = (struct clew_trace){
      .property = TOY_DEADLOCK, .fault_edge = CLEW_NONE, .site = CLEW_NONE, .edge_count = 1};
  result->trace.edges = clew_alloc(sizeof(uint32_t));
  result->trace.edges[0] = TOY_GREEN;
}

static const struct clew_json *json_of(struct clew_arena *arena, const struct clew_run_info *info,
                                       const struct clew_result *result, const char *store) {
  struct clew_text text = {0};
  clew_report_json(info, result, store, &text);
  size_t offset;
  const char *error;
  const struct clew_json *root = clew_json_parse(arena, text.data, text.len, &offset, &error);
  assert_non_null(root);
  clew_text_free(&text);
  return root;
}

static void test_check(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_run_info info = info_of(&model, "check");
  struct clew_result result = complete_result();
  clew_result_conclude(&result, &model);
  struct clew_arena *arena = clew_arena_open();
  const struct clew_json *root =
      json_of(arena, &info, &result, "{\"collisions\": 3, \"rate\": 0.5, \"list\": [1, null]}");
  assert_string_equal(clew_json_get(root, "model")->string, "toy.m");
  assert_string_equal(clew_json_get(root, "language")->string, "toy");
  assert_string_equal(clew_json_get(root, "command")->string, "check");
  assert_string_equal(clew_json_get(root, "verdict")->string, "holds");
  assert_int_equal(clew_json_get(root, "exit_code")->integer, 0);
  assert_int_equal(clew_json_get(root, "violations")->count, 0);
  assert_int_equal(clew_json_get(root, "states")->integer, 1234);
  assert_true(clew_json_get(root, "complete")->boolean);
  assert_true(clew_json_get(root, "lossless")->boolean);
  assert_string_equal(clew_json_get(root, "exec")->string, "interp+native");
  const struct clew_json *store = clew_json_get(root, "store");
  assert_string_equal(clew_json_get(store, "name")->string, "exact");
  assert_int_equal(clew_json_get(store, "collisions")->integer, 3);
  assert_int_equal(clew_json_get(store, "list")->count, 2);
  const struct clew_json *properties = clew_json_get(root, "properties");
  assert_int_equal(properties->count, TOY_PROPERTIES);
  assert_string_equal(clew_json_get(&properties->items[2], "status")->string, "ok");
  /* What makes no sense here is not there. */
  assert_null(clew_json_get(root, "omission_probability"));
  assert_null(clew_json_get(root, "max_depth"));
  assert_null(clew_json_get(root, "trace"));
  assert_null(clew_json_get(root, "level_sizes"));
  assert_null(clew_json_get(root, "out_degree"));
  clew_arena_close(arena);
  clew_result_free(&result);
}

static void test_stats(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_run_info info = info_of(&model, "stats");
  struct clew_result result = complete_result();
  clew_result_conclude(&result, &model);
  struct clew_arena *arena = clew_arena_open();
  const struct clew_json *root = json_of(arena, &info, &result, NULL);
  const struct clew_json *sizes = clew_json_get(root, "level_sizes");
  assert_int_equal(sizes->count, 3);
  assert_int_equal(sizes->items[2].integer, 1000);
  const struct clew_json *degree = clew_json_get(root, "out_degree");
  assert_int_equal(clew_json_get(degree, "min")->integer, 1);
  assert_int_equal(clew_json_get(degree, "max")->integer, 9);
  assert_true(clew_json_get(degree, "mean")->number > 4.6);
  assert_true(clew_json_get(degree, "mean")->number < 4.61);
  assert_int_equal(clew_json_get(root, "store")->count, 1);
  clew_arena_close(arena);
  clew_result_free(&result);
}

static void test_violation(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_run_info info = info_of(&model, "check");
  struct clew_result result = complete_result();
  result.complete = false;
  result.stop = CLEW_STOP_VIOLATION;
  clew_result_add_violation(&result, TOY_DEADLOCK, 1, CLEW_NONE);
  clew_result_add_violation(&result, TOY_COVER, CLEW_NONE, CLEW_NONE);
  add_trace(&result);
  info.trace_file = "t.json";
  clew_result_conclude(&result, &model);
  struct clew_arena *arena = clew_arena_open();
  const struct clew_json *root = json_of(arena, &info, &result, NULL);
  assert_string_equal(clew_json_get(root, "verdict")->string, "violated");
  assert_int_equal(clew_json_get(root, "exit_code")->integer, 10);
  const struct clew_json *violations = clew_json_get(root, "violations");
  assert_int_equal(violations->count, 2);
  assert_string_equal(clew_json_get(&violations->items[0], "property")->string, "deadlock");
  assert_string_equal(clew_json_get(&violations->items[0], "kind")->string, "deadlock");
  assert_int_equal(clew_json_get(&violations->items[0], "depth")->integer, 1);
  assert_null(clew_json_get(&violations->items[1], "depth"));
  const struct clew_json *trace = clew_json_get(root, "trace");
  assert_int_equal(clew_json_get(trace, "length")->integer, 1);
  assert_string_equal(clew_json_get(trace, "file")->string, "t.json");
  const struct clew_json *properties = clew_json_get(root, "properties");
  assert_string_equal(clew_json_get(&properties->items[0], "status")->string, "violated");
  assert_string_equal(clew_json_get(&properties->items[1], "status")->string, "not-decided");
  clew_arena_close(arena);
  clew_result_free(&result);
}

/* What the text reporter prints; the caller frees it. */
static char *text_of(const struct clew_run_info *info, const struct clew_result *result,
                     bool quiet) {
  char *data = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&data, &size);
  assert_non_null(out);
  struct clew_reporter reporter = {.type = &clew_reporter_text, .out = out, .quiet = quiet};
  reporter.type->begin(&reporter, info);
  reporter.type->finish(&reporter, info, result, NULL);
  fclose(out);
  return data;
}

static void expect_line(const struct clew_run_info *info, struct clew_result *result,
                        const char *line) {
  clew_result_conclude(result, info->model);
  char *text = text_of(info, result, true);
  text[strcspn(text, "\n")] = '\0';
  assert_string_equal(text, line);
  free(text);
}

static void test_verdict_lines(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_run_info info = info_of(&model, "check");
  struct clew_result result = complete_result();
  expect_line(&info, &result,
              "HOLDS: every property was checked on all 1,234 reachable states (complete search, "
              "exact store).");
  uint64_t some = 1U << TOY_SMALL;
  info.enabled = &some;
  expect_line(&info, &result,
              "HOLDS: 1 of the 5 properties was checked on all 1,234 reachable states (complete "
              "search, exact store).");
  info.enabled = &everything;
  result.lossless = false;
  result.omission_probability = 0.00012;
  expect_line(&info, &result,
              "NO VIOLATION FOUND: every property was checked on 1,234 states, but the exact store "
              "may have left out states (with a probability of at most 0.00012).");
  result.lossless = true;
  result.complete = false;
  result.stop = CLEW_STOP_MEMORY;
  expect_line(&info, &result,
              "INCOMPLETE: the memory budget is used up after 1,234 states; no violation among the "
              "states seen; level 0 is complete.");
  result.stop = CLEW_STOP_MAX_DEPTH;
  expect_line(&info, &result,
              "INCOMPLETE: states at the depth limit were not expanded, 1,234 states were seen; no "
              "violation among the states seen; levels 0..1 are complete.");
  result.stop = CLEW_STOP_VIOLATION;
  clew_result_add_violation(&result, TOY_SMALL, 7, CLEW_NONE);
  expect_line(&info, &result, "VIOLATED: invariant \"small\" fails after 7 steps.");
  clew_result_add_violation(&result, TOY_DEADLOCK, 7, CLEW_NONE);
  expect_line(&info, &result,
              "VIOLATED: invariant \"small\" fails after 7 steps, and 1 more violation.");
  clew_result_free(&result);
}

static void expect_violation(uint32_t property, uint32_t depth, uint32_t site, const char *text) {
  struct clew_model model = toy_model(NULL);
  struct clew_violation violation = {property, depth, site};
  struct clew_text out = {0};
  clew_report_violation(&model, &violation, &out);
  assert_string_equal(clew_text_str(&out), text);
  clew_text_free(&out);
}

static void test_violation_sentences(void **unused) {
  (void)unused;
  expect_violation(TOY_DEADLOCK, 1, CLEW_NONE, "a deadlock is reached after 1 step");
  expect_violation(TOY_SMALL, 0, CLEW_NONE, "invariant \"small\" fails in an initial state");
  expect_violation(TOY_FAULT, 4, TOY_SITE_BOOM,
                   "an assertion fails after 4 steps: boom (line 3, column 4)");
  expect_violation(TOY_FAULT, 4, TOY_SITE_LABEL,
                   "a run-time error happens after 4 steps: division by zero (line 8, column 11)");
  expect_violation(
      TOY_FRAGILE, 4, TOY_SITE_LABEL,
      "invariant \"fragile\" cannot be evaluated after 4 steps: division by zero (line "
      "8, column 11)");
  expect_violation(TOY_COVER, CLEW_NONE, CLEW_NONE, "cover \"seen\" is never reached");
}

static void test_full_text(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_run_info info = info_of(&model, "check");
  struct clew_result result = complete_result();
  result.complete = false;
  result.stop = CLEW_STOP_VIOLATION;
  result.seed = 1;
  clew_result_add_violation(&result, TOY_DEADLOCK, 1, CLEW_NONE);
  add_trace(&result);
  clew_result_conclude(&result, &model);
  char *text = text_of(&info, &result, false);
  assert_string_equal(text, "VIOLATED: a deadlock is reached after 1 step.\n"
                            "\n"
                            "   0  Start, x: 0\n"
                            "        x = 0\n"
                            "        color = undefined\n"
                            "   1  Paint, c: green\n"
                            "        color = green\n"
                            "\n"
                            "  VIOLATED     deadlock\n"
                            "  not decided  assertion (none in the states seen)\n"
                            "  not decided  invariant \"small\" (holds in the states seen)\n"
                            "  not decided  invariant \"fragile\" (holds in the states seen)\n"
                            "  not decided  cover \"seen\"\n"
                            "\n"
                            "  states           1,234\n"
                            "  transitions      5,678\n"
                            "  levels           3\n"
                            "  search           bfs, exact store\n"
                            "  execution        interpreter, then native code (0.50 s in the C "
                            "compiler)\n"
                            "  seed             1\n");
  free(text);
  clew_result_free(&result);
}

static void test_progress(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_run_info info = info_of(&model, "check");
  char *data = NULL;
  size_t size = 0;
  FILE *err = open_memstream(&data, &size);
  struct clew_reporter reporter = {.type = &clew_reporter_text, .err = err, .every_s = 1};
  struct clew_progress progress = {.elapsed_s = 0.5,
                                   .states = 1000000,
                                   .queue = 34567,
                                   .level = 12,
                                   .memory_bytes = 312 << 20,
                                   .budget_bytes = UINT64_C(18) << 30};
  reporter.type->begin(&reporter, &info);
  reporter.type->progress(&reporter, &progress);
  progress.elapsed_s = 2;
  progress.states = 4200000;
  reporter.type->progress(&reporter, &progress);
  progress.elapsed_s = 2.5;
  reporter.type->progress(&reporter, &progress);
  fclose(err);
  assert_string_equal(
      data, "level 12  4,200,000 states  34,567 queued  2.1 M states/s  312 MB of 18 GB\n");
  free(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_check),     cmocka_unit_test(test_stats),
      cmocka_unit_test(test_violation), cmocka_unit_test(test_verdict_lines),
      cmocka_unit_test(test_full_text), cmocka_unit_test(test_violation_sentences),
      cmocka_unit_test(test_progress),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
