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
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "unit/trace_toy.h"

static const uint64_t everything = (1U << TOY_PROPERTIES) - 1;

static struct clew_report_info info_of(const struct clew_model *model, bool explores_only) {
  return (struct clew_report_info){.model = model,
                                   .command = explores_only ? "stats" : "check",
                                   .command_line = "clew check toy.m",
                                   .store = "exact",
                                   .search = "bfs",
                                   .explores_only = explores_only,
                                   .has_levels = true};
}

/* A complete search of 1,234 states without violations so far. */
static struct clew_result complete_result(uint64_t asked) {
  struct clew_result result;
  clew_result_init(&result);
  clew_outcomes_open(&result.outcomes, TOY_PROPERTIES, &asked);
  result.scope = (struct clew_scope){.complete = true, .lossless = true, .has_states = true};
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

/* What ends every search. */
static void conclude(struct clew_result *result) {
  clew_outcomes_close(&result->outcomes, toy_properties, &result->scope);
  struct clew_conclusion conclusion =
      clew_outcomes_conclude(&result->outcomes, toy_properties, &result->scope);
  result->verdict = conclusion.verdict;
  result->exit_code = conclusion.exit_code;
}

static void add_trace(struct clew_result *result) {
  result->has_trace = true;
  result->trace = (struct clew_trace){
      .property = TOY_DEADLOCK, .fault_edge = CLEW_NONE, .site = CLEW_NONE, .edge_count = 1};
  result->trace.edges = clew_alloc(sizeof(uint32_t));
  result->trace.edges[0] = TOY_GREEN;
}

static const struct clew_json *json_of(struct clew_arena *arena,
                                       const struct clew_report_info *info,
                                       const struct clew_result *result) {
  struct clew_text text = {0};
  assert_true(clew_output_json.write(info, result, &text));
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
  struct clew_report_info info = info_of(&model, false);
  struct clew_result result = complete_result(everything);
  clew_counters_count(&result.counters, "collisions", UINT64_C(1) << 53);
  clew_counters_real(&result.counters, "rate", 0.5);
  clew_counters_text(&result.counters, "layout", "packed");
  conclude(&result);
  struct clew_arena *arena = clew_arena_open();
  const struct clew_json *root = json_of(arena, &info, &result);
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
  assert_int_equal(store->count, 4);
  assert_int_equal(clew_json_get(store, "collisions")->integer, INT64_C(1) << 53);
  assert_true(clew_json_get(store, "rate")->number > 0.49);
  assert_true(clew_json_get(store, "rate")->number < 0.51);
  assert_string_equal(clew_json_get(store, "layout")->string, "packed");
  assert_int_equal(clew_json_get(root, "unchecked")->count, 0);
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
  struct clew_report_info info = info_of(&model, true);
  struct clew_result result = complete_result(everything);
  conclude(&result);
  struct clew_arena *arena = clew_arena_open();
  const struct clew_json *root = json_of(arena, &info, &result);
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
  struct clew_report_info info = info_of(&model, false);
  struct clew_result result = complete_result(everything);
  result.scope.complete = false;
  result.stop = CLEW_STOP_VIOLATION;
  clew_outcomes_violate(&result.outcomes, TOY_DEADLOCK, 1, CLEW_NONE);
  clew_outcomes_violate(&result.outcomes, TOY_COVER, CLEW_NONE, CLEW_NONE);
  add_trace(&result);
  struct clew_output saved = {.type = &clew_output_trace, .file = "t.json", .written = true};
  info.outputs = &saved;
  info.output_count = 1;
  conclude(&result);
  struct clew_arena *arena = clew_arena_open();
  const struct clew_json *root = json_of(arena, &info, &result);
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

/* The report for people; the caller frees it. */
static struct clew_text text_of(const struct clew_report_info *info,
                                const struct clew_result *result, bool quiet) {
  struct clew_text text = {0};
  struct clew_report_info how = *info;
  how.quiet = quiet;
  assert_true(clew_output_text.write(&how, result, &text));
  return text;
}

/* The first line, once the search is over. */
static void expect_line(const struct clew_report_info *info, struct clew_result *result,
                        const char *line) {
  conclude(result);
  struct clew_text text = text_of(info, result, true);
  text.data[strcspn(text.data, "\n")] = '\0';
  assert_string_equal(text.data, line);
  clew_text_free(&text);
  clew_result_free(result);
}

static void expect_part(const struct clew_report_info *info, const struct clew_result *result,
                        const char *part) {
  struct clew_text text = text_of(info, result, false);
  if (strstr(clew_text_str(&text), part) == NULL) {
    fail_msg("no '%s' in: %s", part, clew_text_str(&text));
  }
  clew_text_free(&text);
}

static void test_verdict_lines(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_report_info info = info_of(&model, false);
  struct clew_result result = complete_result(everything);
  expect_line(&info, &result,
              "HOLDS: every property was checked on all 1,234 reachable states (complete search, "
              "exact store).");
  result = complete_result(1U << TOY_SMALL);
  expect_line(&info, &result,
              "HOLDS: 1 of the 5 properties was checked on all 1,234 reachable states (complete "
              "search, exact store).");
  result = complete_result(everything);
  result.scope.lossless = false;
  result.omission_probability = 0.00012;
  expect_line(&info, &result,
              "NO VIOLATION FOUND: every property was checked on 1,234 states, but the exact store "
              "may have left out states (with a probability of at most 0.00012).");
  result = complete_result(everything);
  result.scope.complete = false;
  result.stop = CLEW_STOP_VIOLATION;
  clew_outcomes_violate(&result.outcomes, TOY_SMALL, 7, CLEW_NONE);
  expect_line(&info, &result, "VIOLATED: invariant \"small\" fails after 7 steps.");
  result = complete_result(everything);
  clew_outcomes_violate(&result.outcomes, TOY_SMALL, 7, CLEW_NONE);
  clew_outcomes_violate(&result.outcomes, TOY_DEADLOCK, 7, CLEW_NONE);
  expect_line(&info, &result,
              "VIOLATED: invariant \"small\" fails after 7 steps, and 1 more violation.");
}

static void test_stopped_lines(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_report_info info = info_of(&model, false);
  struct clew_result result = complete_result(everything);
  result.scope.complete = false;
  result.stop = CLEW_STOP_MEMORY;
  expect_line(&info, &result,
              "INCOMPLETE: the memory budget is used up after 1,234 states; no violation among the "
              "states seen; level 0 is complete.");
  result = complete_result(everything);
  result.scope.complete = false;
  result.stop = CLEW_STOP_MAX_DEPTH;
  expect_line(&info, &result,
              "INCOMPLETE: states at the depth limit were not expanded, 1,234 states were seen; no "
              "violation among the states seen; levels 0..1 are complete.");
}

/* Complete, and yet no answer: the line names the true reason. */
static void test_undecided_lines(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_report_info info = info_of(&model, false);
  info.store = "disk";
  struct clew_result result = complete_result(everything);
  clew_outcomes_give_up(&result.outcomes, TOY_COVER, CLEW_REASON_STORE);
  expect_line(&info, &result,
              "INCOMPLETE: all 1,234 reachable states were explored, but 1 property was not "
              "decided: the disk store does not keep the graph that it takes.");
  result = complete_result(everything);
  clew_outcomes_give_up(&result.outcomes, TOY_COVER, CLEW_REASON_ENGINE);
  clew_outcomes_give_up(&result.outcomes, TOY_SMALL, CLEW_REASON_ENGINE);
  result.scope.unchecked = 1;
  expect_line(&info, &result,
              "INCOMPLETE: all 1,234 reachable states were explored, but 2 properties were not "
              "decided: the search bfs does not decide properties of kind invariant; and 1 part of "
              "the model was not checked.");
  result = complete_result(everything);
  result.scope.unchecked = 2;
  result.states = 1;
  expect_line(&info, &result,
              "INCOMPLETE: the only reachable state was explored, but 2 parts of the model were "
              "not checked.");
  result = complete_result(everything);
  result.scope.lossless = false;
  clew_outcomes_give_up(&result.outcomes, TOY_COVER, CLEW_REASON_STORE);
  expect_line(&info, &result,
              "INCOMPLETE: 1,234 states were explored (the disk store may have left out others), "
              "but 1 property was not decided: the disk store does not keep the graph that it "
              "takes.");
  result = complete_result(everything);
  result.scope.has_states = false;
  result.states = 0;
  expect_line(&info, &result,
              "ERROR: no state is reachable: the model has no start; nothing was checked.");
}

static void test_no_state_of_an_exploration(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_report_info info = info_of(&model, true);
  struct clew_result result = complete_result(everything);
  result.scope.has_states = false;
  result.states = 0;
  expect_line(&info, &result, "COMPLETE: 0 states: no state is reachable (exact store).");
}

static void test_reasons(void **unused) {
  (void)unused;
  static const struct clew_unchecked parts[] = {
      {.name = "Never", .why = "LTL properties are not supported"}};
  struct clew_model model = toy_model(NULL);
  model.unchecked = parts;
  model.unchecked_count = 1;
  struct clew_report_info info = info_of(&model, false);
  info.store = "cache";
  struct clew_result result = complete_result(everything & ~(UINT64_C(1) << TOY_DEADLOCK));
  result.scope.lossless = false;
  result.scope.unchecked = 1;
  clew_outcomes_give_up(&result.outcomes, TOY_COVER, CLEW_REASON_STORE);
  clew_outcomes_give_up(&result.outcomes, TOY_FRAGILE, CLEW_REASON_ENGINE);
  clew_outcomes_give_up(&result.outcomes, TOY_FAULT, CLEW_REASON_NO_STATE);
  conclude(&result);
  expect_part(&info, &result, "  not checked  deadlock\n");
  expect_part(&info, &result, "  not decided  assertion (no state is reachable)\n");
  expect_part(&info, &result, "  not decided  invariant \"small\" (holds in the states seen)\n");
  expect_part(&info, &result,
              "  not decided  invariant \"fragile\" (the search bfs does not decide properties of "
              "kind invariant)\n");
  expect_part(&info, &result,
              "  not decided  cover \"seen\" (the cache store does not keep the graph that it "
              "takes)\n");
  expect_part(&info, &result, "  not checked  Never (LTL properties are not supported)\n");
  struct clew_arena *arena = clew_arena_open();
  const struct clew_json *root = json_of(arena, &info, &result);
  assert_string_equal(clew_json_get(root, "verdict")->string, "incomplete");
  assert_int_equal(clew_json_get(root, "exit_code")->integer, 20);
  const struct clew_json *unchecked = clew_json_get(root, "unchecked");
  static const char *const expected[][2] = {
      {"Never", "LTL properties are not supported"},
      {"assertion", "no state is reachable"},
      {"small", "the cache store may have left out states"},
      {"fragile", "the search bfs does not decide properties of kind invariant"},
      {"seen", "the cache store does not keep the graph that it takes"}};
  assert_int_equal(unchecked->count, sizeof expected / sizeof expected[0]);
  for (uint32_t i = 0; i < unchecked->count; i++) {
    assert_string_equal(clew_json_get(&unchecked->items[i], "property")->string, expected[i][0]);
    assert_string_equal(clew_json_get(&unchecked->items[i], "why")->string, expected[i][1]);
  }
  clew_arena_close(arena);
  clew_result_free(&result);
}

/* Questions that leave out a part of the model do not claim to be about all of it. */
static void test_parts_that_were_not_asked_for(void **unused) {
  (void)unused;
  static const struct clew_unchecked parts[] = {{.name = "Never", .why = "no"}};
  struct clew_model model = toy_model(NULL);
  model.unchecked = parts;
  model.unchecked_count = 1;
  struct clew_report_info info = info_of(&model, false);
  struct clew_result result = complete_result(everything);
  expect_line(&info, &result,
              "HOLDS: 5 of the 6 properties were checked on all 1,234 reachable states (complete "
              "search, exact store).");
}

static void test_compiler_memory(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_report_info info = info_of(&model, false);
  struct clew_result result = complete_result(everything);
  conclude(&result);
  result.memory_bytes = 4 << 20;
  result.compiler_rss_bytes = 90 << 20;
  expect_part(&info, &result, "  C compiler       90 MB, which is no part of the 4 MB allowed\n");
  result.memory_bytes = UINT64_C(4) << 30;
  struct clew_text text = text_of(&info, &result, false);
  assert_null(strstr(clew_text_str(&text), "C compiler  "));
  clew_text_free(&text);
  clew_result_free(&result);
}

static void expect_violation(uint32_t property, uint32_t depth, uint32_t site, const char *text) {
  struct clew_model model = toy_model(NULL);
  struct clew_violation violation = {property, depth, site, NULL};
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
  struct clew_report_info info = info_of(&model, false);
  struct clew_result result = complete_result(everything);
  result.scope.complete = false;
  result.stop = CLEW_STOP_VIOLATION;
  result.seed = 1;
  clew_outcomes_violate(&result.outcomes, TOY_DEADLOCK, 1, CLEW_NONE);
  add_trace(&result);
  conclude(&result);
  struct clew_text text = text_of(&info, &result, false);
  assert_string_equal(
      text.data,
      "VIOLATED: a deadlock is reached after 1 step.\n"
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
      "  seed             1\n"
      "\nWhat next:\n"
      "  if the model is meant to end there, add a transition from that state to itself, or "
      "leave deadlocks out:\n"
      "    clew check toy.m --no-deadlock\n");
  clew_text_free(&text);
  clew_result_free(&result);
}

static void test_outputs(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_report_info info = info_of(&model, true);
  struct clew_diag_sink diags = {0};
  struct clew_text why = {0};
  struct clew_output json = {.type = &clew_output_json, .file = "-"};
  assert_int_equal(clew_output_check(&json, &info, &why, &diags), CLEW_OK);
  struct clew_output trace = {.type = &clew_output_trace, .file = "-"};
  assert_int_equal(clew_output_check(&trace, &info, &why, &diags), CLEW_BAD_USAGE);
  assert_string_equal(clew_text_str(&why), "--trace needs a file");
  clew_text_clear(&why);
  struct clew_output plot = {.type = &clew_output_plot, .file = "/dev/null"};
  assert_int_equal(clew_output_check(&plot, &info, &why, &diags), CLEW_OK);
  info.blurs_levels = true;
  assert_int_equal(clew_output_check(&plot, &info, &why, &diags), CLEW_BAD_USAGE);
  assert_string_equal(clew_text_str(&why),
                      "--plot shows levels: the exact store does not keep them with these options");
  clew_text_clear(&why);
  info.has_levels = false;
  assert_int_equal(clew_output_check(&plot, &info, &why, &diags), CLEW_BAD_USAGE);
  assert_string_equal(clew_text_str(&why), "--plot shows levels: the search bfs has none");
  assert_int_equal(diags.len, 0);
  json.file = "/nowhere/at/all.json";
  assert_int_equal(clew_output_check(&json, &info, &why, &diags), CLEW_IO_FAILED);
  assert_int_equal(diags.error_count, 1);
  clew_text_free(&why);
  clew_diag_sink_free(&diags);
}

/* A counterexample is written when there is one, and only then is its file named. */
static void test_written(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_report_info info = info_of(&model, false);
  struct clew_result result = complete_result(everything);
  struct clew_diag_sink diags = {0};
  struct clew_output trace = {.type = &clew_output_trace, .file = "/dev/null"};
  info.outputs = &trace;
  info.output_count = 1;
  assert_int_equal(clew_output_write(&trace, &info, &result, &diags), CLEW_OK);
  assert_null(clew_output_file(&info, &clew_output_trace));
  clew_outcomes_violate(&result.outcomes, TOY_DEADLOCK, 1, CLEW_NONE);
  add_trace(&result);
  trace.file = "/dev/full";
  assert_int_equal(clew_output_write(&trace, &info, &result, &diags), CLEW_IO_FAILED);
  assert_null(clew_output_file(&info, &clew_output_trace));
  trace.file = "/dev/null";
  assert_int_equal(clew_output_write(&trace, &info, &result, &diags), CLEW_OK);
  assert_string_equal(clew_output_file(&info, &clew_output_trace), "/dev/null");
  assert_null(clew_output_file(&info, &clew_output_json));
  conclude(&result);
  expect_part(&info, &result,
              "\nThe counterexample is saved in /dev/null: clew replay /dev/null\n");
  clew_diag_sink_free(&diags);
  clew_result_free(&result);
}

static void test_progress(void **unused) {
  (void)unused;
  char *data = NULL;
  size_t size = 0;
  FILE *err = open_memstream(&data, &size);
  struct clew_progress_line line = {.err = err};
  struct clew_progress progress = {.elapsed_s = 2,
                                   .states = 4200000,
                                   .queue = 34567,
                                   .level = 12,
                                   .memory_bytes = 312 << 20,
                                   .budget_bytes = UINT64_C(18) << 30};
  clew_progress_show(&line, &progress);
  progress.elapsed_s = 4004;
  progress.states = 5560680;
  progress.is_depth = true;
  clew_progress_show(&line, &progress);
  clew_progress_clear(&line);
  fclose(err);
  assert_string_equal(
      data, "0:02  level 12  4,200,000 states  34,567 queued  2.1 M states/s  312 MB of 18 GB\n"
            "1:06:44  depth 12  5,560,680 states  34,567 queued  340 states/s  312 MB of 18 GB\n");
  free(data);
}

/* A line never reaches the last column of the terminal: it would wrap, and scroll for ever. */
static void test_progress_fits(void **unused) {
  (void)unused;
  const struct clew_progress progress = {.elapsed_s = 75,
                                         .states = 1234567890123,
                                         .queue = 987654321,
                                         .level = 1234,
                                         .memory_bytes = 312 << 20,
                                         .budget_bytes = UINT64_C(18) << 30};
  for (uint32_t columns = 2; columns < 120; columns++) {
    char *data = NULL;
    size_t size = 0;
    FILE *err = open_memstream(&data, &size);
    struct clew_progress_line line = {.err = err, .terminal = true, .columns = columns};
    clew_progress_show(&line, &progress);
    fclose(err);
    assert_int_equal(data[0], '\r');
    assert_true(size - 1 < columns);
    assert_true(columns < 60 || strstr(data, "1:15") != NULL);
    assert_true(columns < 30 || strstr(data, "1,234,567,890,123 states") != NULL);
    free(data);
  }
}

/* One line that is rewritten, covered by blanks where it becomes shorter, and removed at the end.
 */
static void test_progress_on_a_terminal(void **unused) {
  (void)unused;
  char *data = NULL;
  size_t size = 0;
  FILE *err = open_memstream(&data, &size);
  struct clew_progress_line line = {.err = err, .terminal = true};
  struct clew_progress progress = {.elapsed_s = 1, .states = 10, .queue = 5};
  clew_progress_show(&line, &progress);
  progress = (struct clew_progress){.elapsed_s = 2, .states = 11};
  progress.queue = 5;
  clew_progress_show(&line, &progress);
  clew_progress_clear(&line);
  clew_progress_clear(&line);
  fclose(err);
  assert_string_equal(data, "\r0:01  level 0  10 states  5 queued  10 states/s  0 B of 0 B"
                            "\r0:02  level 0  11 states  5 queued  1 states/s  0 B of 0 B "
                            "\r                                                          \r");
  free(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_check),
      cmocka_unit_test(test_stats),
      cmocka_unit_test(test_violation),
      cmocka_unit_test(test_verdict_lines),
      cmocka_unit_test(test_stopped_lines),
      cmocka_unit_test(test_undecided_lines),
      cmocka_unit_test(test_no_state_of_an_exploration),
      cmocka_unit_test(test_reasons),
      cmocka_unit_test(test_parts_that_were_not_asked_for),
      cmocka_unit_test(test_compiler_memory),
      cmocka_unit_test(test_full_text),
      cmocka_unit_test(test_violation_sentences),
      cmocka_unit_test(test_outputs),
      cmocka_unit_test(test_written),
      cmocka_unit_test(test_progress),
      cmocka_unit_test(test_progress_on_a_terminal),
      cmocka_unit_test(test_progress_fits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
