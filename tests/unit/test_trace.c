/* Traces: building, re-executing, confirming, printing, saving and reading back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/json.h"
#include "trace/plain.h"
#include "trace/trace.h"
#include "unit/trace_toy.h"

static struct clew_trace make_trace(uint32_t property, uint32_t count, const uint32_t *edges) {
  struct clew_trace trace = {
      .initial = 0, .property = property, .fault_edge = CLEW_NONE, .site = CLEW_NONE};
  trace.edges = clew_realloc_array(NULL, count + 1, sizeof *edges);
  for (uint32_t i = 0; i < count; i++) {
    trace.edges[i] = edges[i];
  }
  trace.edge_count = count;
  return trace;
}

#define TRACE(property, ...)                                                                       \
  make_trace(property, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                       \
             (uint32_t[]){__VA_ARGS__})

static void expect_confirm(const struct clew_model *model, struct clew_trace *trace,
                           const char *reason) {
  struct clew_diag_sink diags = {0};
  enum clew_status status = clew_trace_confirm(model, trace, &diags);
  if (reason == NULL) {
    assert_int_equal(status, CLEW_OK);
    assert_int_equal(diags.len, 0);
  } else {
    assert_int_equal(status, CLEW_BAD_INPUT);
    assert_int_equal(diags.len, 1);
    assert_string_equal(diags.data[0].message, reason);
  }
  clew_diag_sink_free(&diags);
  clew_trace_free(trace);
}

static void toy_back_edge(const void *context, clew_id id, struct clew_back_edge *out) {
  const struct clew_back_edge *edges = context;
  *out = edges[id];
}

static void test_build(void **unused) {
  (void)unused;
  const struct clew_back_edge edges[] = {
      {CLEW_ID_NONE, 0}, {CLEW_ID_NONE, 1}, {1, TOY_INC}, {2, TOY_RED}, {3, TOY_PUT}};
  struct clew_diag_sink diags = {0};
  struct clew_log *log = clew_log_open_view(toy_back_edge, edges);
  struct clew_trace trace;
  assert_int_equal(clew_trace_build(log, 4, &trace, &diags), CLEW_OK);
  assert_int_equal(trace.initial, 1);
  assert_int_equal(trace.edge_count, 3);
  assert_int_equal(trace.edges[0], TOY_INC);
  assert_int_equal(trace.edges[1], TOY_RED);
  assert_int_equal(trace.edges[2], TOY_PUT);
  clew_trace_free(&trace);
  assert_int_equal(clew_trace_build(log, 0, &trace, &diags), CLEW_OK);
  assert_int_equal(trace.initial, 0);
  assert_int_equal(trace.edge_count, 0);
  clew_trace_free(&trace);
  clew_log_close(log);
  assert_int_equal(diags.len, 0);
}

/* Ids beyond 32 bits: each state was reached from the one half way to 2^38. */
static void halving_back_edge(const void *context, clew_id id, struct clew_back_edge *out) {
  const clew_id *first = context;
  *out = id == *first ? (struct clew_back_edge){CLEW_ID_NONE, 7}
                      : (struct clew_back_edge){*first + (id - *first) / 2, (uint32_t)(id % 2)};
}

static void test_build_wide_ids(void **unused) {
  (void)unused;
  const clew_id first = (clew_id)1 << 38;
  struct clew_diag_sink diags = {0};
  struct clew_log *log = clew_log_open_view(halving_back_edge, &first);
  struct clew_trace trace;
  assert_int_equal(clew_trace_build(log, first + 6, &trace, &diags), CLEW_OK);
  assert_int_equal(trace.initial, 7);
  assert_int_equal(trace.edge_count, 3);
  assert_int_equal(trace.edges[0], 1);
  assert_int_equal(trace.edges[1], 1);
  assert_int_equal(trace.edges[2], 0);
  clew_trace_free(&trace);
  clew_log_close(log);
}

static void test_build_refuses_a_damaged_log(void **unused) {
  (void)unused;
  const struct clew_back_edge edges[] = {{CLEW_ID_NONE, 0}, {2, TOY_INC}, {1, TOY_INC}};
  struct clew_log *log = clew_log_open_view(toy_back_edge, edges);
  struct clew_trace trace;
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_trace_build(log, 2, &trace, &diags), CLEW_IO_FAILED);
  assert_int_equal(diags.len, 1);
  clew_diag_sink_free(&diags);
  clew_log_close(log);
}

static void test_states(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_trace trace = TRACE(TOY_SMALL, TOY_INC, TOY_PUT, TOY_RED);
  uint32_t failed = 99;
  uint64_t *states = clew_trace_states(&model, &trace, &failed);
  assert_non_null(states);
  assert_int_equal(toy_get(&states[0], TOY_X), 0);
  assert_int_equal(toy_get(&states[1], TOY_X), 1);
  assert_int_equal(toy_get(&states[2], TOY_ITEM), 1);
  assert_int_equal(toy_get(&states[3], TOY_COLOR), 0);
  clew_free(states);
  trace.edges[1] = TOY_GET;
  assert_null(clew_trace_states(&model, &trace, &failed));
  assert_int_equal(failed, 2);
  trace.initial = 7;
  assert_null(clew_trace_states(&model, &trace, &failed));
  assert_int_equal(failed, 0);
  clew_trace_free(&trace);
}

static void test_confirm_states(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_trace trace = TRACE(TOY_SMALL, TOY_INC, TOY_INC, TOY_INC, TOY_INC, TOY_INC);
  expect_confirm(&model, &trace, NULL);
  trace = TRACE(TOY_SMALL, TOY_INC, TOY_INC);
  expect_confirm(&model, &trace, "the invariant holds in the last state");
  trace = TRACE(TOY_DEADLOCK, TOY_GREEN);
  expect_confirm(&model, &trace, NULL);
  trace = TRACE(TOY_DEADLOCK, TOY_RED);
  expect_confirm(&model, &trace, "the last state is not a deadlock");
  trace = TRACE(TOY_SMALL, TOY_GREEN, TOY_INC);
  expect_confirm(&model, &trace, "step 2 of the trace is not possible");
  trace = TRACE(TOY_COVER, TOY_INC);
  expect_confirm(&model, &trace, "no trace can show that something is never reached");
  trace = TRACE(TOY_PROPERTIES, TOY_INC);
  expect_confirm(&model, &trace, "the trace does not say which property it violates");
}

static void test_confirm_faults(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_trace trace = TRACE(TOY_FAULT, TOY_INC, TOY_INC, TOY_INC);
  trace.fault_edge = TOY_BOOM;
  trace.site = TOY_SITE_BOOM;
  assert_int_equal(clew_trace_length(&trace), 4);
  expect_confirm(&model, &trace, NULL);
  trace = TRACE(TOY_FAULT, TOY_INC, TOY_INC);
  trace.fault_edge = TOY_BOOM;
  trace.site = TOY_SITE_BOOM;
  expect_confirm(&model, &trace, "the last transition does not cause a run-time error");
  trace = TRACE(TOY_FAULT, TOY_INC, TOY_INC, TOY_INC);
  trace.fault_edge = TOY_BOOM;
  trace.site = TOY_SITE_LABEL;
  expect_confirm(&model, &trace, "the last transition causes another run-time error");
  trace = TRACE(TOY_FAULT, TOY_INC, TOY_INC, TOY_INC, TOY_INC);
  trace.site = TOY_SITE_LABEL;
  expect_confirm(&model, &trace, NULL);
  trace = TRACE(TOY_FRAGILE, TOY_INC, TOY_INC, TOY_INC, TOY_INC);
  trace.site = TOY_SITE_LABEL;
  expect_confirm(&model, &trace, NULL);
  trace = TRACE(TOY_FRAGILE, TOY_INC, TOY_INC, TOY_INC, TOY_INC);
  expect_confirm(&model, &trace, "computing the invariant causes a run-time error");
  trace = TRACE(TOY_SMALL, TOY_INC, TOY_INC, TOY_INC, TOY_INC);
  trace.site = TOY_SITE_LABEL;
  expect_confirm(&model, &trace, "computing the property does not cause the run-time error");
}

static void test_confirm_failed_start(void **unused) {
  (void)unused;
  struct toy_variant bad = {.bad_start = true};
  struct clew_model model = toy_model(&bad), good = toy_model(NULL);
  struct clew_trace trace = {
      .initial = CLEW_NONE, .property = TOY_FAULT, .fault_edge = 0, .site = TOY_SITE_START};
  assert_int_equal(clew_trace_length(&trace), 0);
  expect_confirm(&model, &trace, NULL);
  expect_confirm(&good, &trace, "the start of the model does not fail");
  struct clew_text text = {0};
  clew_trace_print(&model, &trace, false, &text);
  assert_string_equal(clew_text_str(&text), "   0  Start, x: 0\n"
                                            "        error: no good start (line 1, column 1)\n");
  clew_text_clear(&text);
  clew_trace_write(&model, &trace, NULL, &text);
  struct clew_trace read;
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_trace_read(&model, "f", text.data, text.len, &read, &diags), CLEW_OK);
  assert_int_equal(read.initial, CLEW_NONE);
  assert_int_equal(read.fault_edge, 0);
  assert_int_equal(read.site, TOY_SITE_START);
  clew_trace_free(&read);
  clew_text_free(&text);
}

static void test_print(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_trace trace =
      TRACE(TOY_FAULT, TOY_INC, TOY_PUT, TOY_RED, TOY_RED, TOY_GET, TOY_INC, TOY_INC);
  trace.fault_edge = TOY_BOOM;
  trace.site = TOY_SITE_BOOM;
  struct clew_text text = {0};
  clew_trace_print(&model, &trace, false, &text);
  assert_string_equal(clew_text_str(&text), "   0  Start, x: 0\n"
                                            "        x = 0\n"
                                            "        color = undefined\n"
                                            "   1  Inc\n"
                                            "        x = 1\n"
                                            "   2  Put \"it\"\n"
                                            "        box[0] = 1\n"
                                            "   3  Paint, c: red\n"
                                            "        color = red\n"
                                            "   4  Paint, c: red\n"
                                            "        (no change)\n"
                                            "   5  Get\n"
                                            "        box[0]: gone\n"
                                            "   6  Inc\n"
                                            "        x = 2\n"
                                            "   7  Inc\n"
                                            "        x = 3\n"
                                            "   8  Boom\n"
                                            "        error: boom (line 3, column 4)\n");
  clew_trace_free(&trace);
  clew_text_clear(&text);
  trace = TRACE(TOY_SMALL, TOY_INC);
  clew_trace_print(&model, &trace, true, &text);
  assert_string_equal(clew_text_str(&text), "   0  Start, x: 0\n"
                                            "        x = 0\n"
                                            "        color = undefined\n"
                                            "   1  Inc\n"
                                            "        x = 1\n"
                                            "        color = undefined\n");
  clew_trace_free(&trace);
  clew_text_free(&text);
}

static void test_json(void **unused) {
  (void)unused;
  struct clew_model model = toy_model(NULL);
  struct clew_trace trace = TRACE(TOY_FAULT, TOY_INC, TOY_PUT, TOY_GET, TOY_RED, TOY_INC, TOY_INC);
  trace.fault_edge = TOY_BOOM;
  trace.site = TOY_SITE_BOOM;
  struct clew_text text = {0};
  clew_trace_write(&model, &trace, NULL, &text);
  struct clew_arena *arena = clew_arena_open();
  size_t offset;
  const char *error;
  const struct clew_json *root = clew_json_parse(arena, text.data, text.len, &offset, &error);
  assert_non_null(root);
  assert_int_equal(clew_json_get(root, "clew_trace")->integer, 1);
  assert_string_equal(clew_json_get(root, "property")->string, "assertion");
  assert_string_equal(clew_json_get(root, "kind")->string, "assertion");
  assert_int_equal(clew_json_get(root, "length")->integer, 7);
  assert_string_equal(clew_json_get(root, "error")->string, "boom (line 3, column 4)");
  const struct clew_json *initial = clew_json_get(root, "initial");
  const struct clew_json *state = clew_json_get(initial, "state");
  assert_int_equal(state->count, 2);
  assert_int_equal(clew_json_get(state, "x")->integer, 0);
  assert_string_equal(clew_json_get(state, "color")->string, "undefined");
  const struct clew_json *steps = clew_json_get(root, "steps");
  assert_int_equal(steps->count, 6);
  assert_string_equal(clew_json_get(&steps->items[1], "name")->string, "Put \"it\"");
  const struct clew_json *got = clew_json_get(&steps->items[2], "changes");
  assert_int_equal(got->count, 1);
  assert_int_equal(clew_json_get(got, "box[0]")->kind, CLEW_JSON_NULL);
  const struct clew_json *red = clew_json_get(&steps->items[3], "changes");
  assert_string_equal(clew_json_get(red, "color")->string, "red");
  assert_int_equal(clew_json_get(clew_json_get(root, "fault"), "edge")->integer, TOY_BOOM);
  clew_arena_close(arena);
  struct clew_trace read;
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_trace_read(&model, "t.json", text.data, text.len, &read, &diags), CLEW_OK);
  assert_int_equal(read.initial, 0);
  assert_int_equal(read.edge_count, trace.edge_count);
  assert_memory_equal(read.edges, trace.edges, trace.edge_count * sizeof *read.edges);
  assert_int_equal(read.property, TOY_FAULT);
  assert_int_equal(read.fault_edge, TOY_BOOM);
  assert_int_equal(read.site, TOY_SITE_BOOM);
  clew_trace_free(&read);
  clew_trace_free(&trace);
  clew_text_free(&text);
}

/* Replaces the first `from` of a saved trace by `to` and expects the reader to refuse it. */
static void expect_refused(const char *from, const char *to, const char *message) {
  struct clew_model model = toy_model(NULL);
  struct clew_trace trace = TRACE(TOY_FAULT, TOY_INC, TOY_INC, TOY_INC), read;
  trace.fault_edge = TOY_BOOM;
  trace.site = TOY_SITE_BOOM;
  struct clew_text text = {0}, changed = {0};
  clew_trace_write(&model, &trace, NULL, &text);
  clew_trace_free(&trace);
  const char *at = strstr(clew_text_str(&text), from);
  assert_non_null(at);
  clew_text_put_n(&changed, text.data, (size_t)(at - text.data));
  clew_text_put(&changed, to);
  clew_text_put(&changed, at + strlen(from));
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_trace_read(&model, "t.json", changed.data, changed.len, &read, &diags),
                   CLEW_BAD_INPUT);
  assert_int_equal(diags.len, 1);
  if (message != NULL) {
    assert_string_equal(diags.data[0].message, message);
  }
  assert_string_equal(diags.data[0].file, "t.json");
  clew_diag_sink_free(&diags);
  clew_text_free(&text);
  clew_text_free(&changed);
}

static void test_read_refuses(void **unused) {
  (void)unused;
  expect_refused("\"clew_trace\": 1", "\"clew_trace\": 2",
                 "the trace is in format 2, this clew reads format 1");
  expect_refused("\"clew_trace\": 1", "\"other\": 1", "this is not a trace saved by clew");
  expect_refused("\"language\": \"toy\"", "\"language\": \"dve\"",
                 "the trace belongs to a model in another language");
  expect_refused("\"property\": \"assertion\"", "\"property\": \"nope\"",
                 "the model has no assertion property \"nope\"");
  expect_refused("\"name\": \"Inc\"", "\"name\": \"Dec\"",
                 "step 1 is \"Dec\", but edge 0 of this model is \"Inc\": the trace belongs to "
                 "another model (or to other --param values)");
  expect_refused("\"edge\": 5", "\"edge\": 6", "the failing step: the model has no edge 6");
  expect_refused("\"edge\": 0", "\"edge\": -1", "the initial state: the model has no edge -1");
  expect_refused("\"edge\": 0", "\"edge\": 0.5", "the initial state has no edge");
  expect_refused("\"error\": \"boom", "\"error\": \"bang",
                 "the model has no run-time error \"bang (line 3, column 4)\"");
  expect_refused("\"steps\"", "\"stops\"", "the trace has no steps");
  expect_refused("\"steps\": [", "\"steps\": [7, ", "step 1 has no edge");
  expect_refused("{", "", NULL);
  expect_refused("{", "[", NULL);
}

static void test_names_that_are_not_utf8(void **unused) {
  (void)unused;
  struct toy_variant latin1 = {.latin1 = true};
  struct clew_model model = toy_model(&latin1);
  struct clew_trace trace = TRACE(TOY_SMALL, TOY_INC), read;
  struct clew_text text = {0};
  struct clew_diag_sink diags = {0};
  clew_trace_write(&model, &trace, NULL, &text);
  assert_int_equal(clew_trace_read(&model, "t.json", text.data, text.len, &read, &diags), CLEW_OK);
  clew_trace_free(&read);
  clew_text_clear(&text);
  clew_trace_print(&model, &trace, false, &text);
  assert_non_null(strstr(clew_text_str(&text), "   1  Z?hle\n"));
  clew_trace_free(&trace);
  clew_text_free(&text);
}

static void test_plain(void **unused) {
  (void)unused;
  struct clew_text text = {0};
  clew_plain_put(&text, "a\033[31mb\nc\x7f\xc3\xa4\xff\xe2\x80\xae.");
  assert_string_equal(clew_text_str(&text), "a?[31mb?c?\xc3\xa4??.");
  clew_text_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_build),
      cmocka_unit_test(test_build_wide_ids),
      cmocka_unit_test(test_build_refuses_a_damaged_log),
      cmocka_unit_test(test_states),
      cmocka_unit_test(test_confirm_states),
      cmocka_unit_test(test_confirm_faults),
      cmocka_unit_test(test_confirm_failed_start),
      cmocka_unit_test(test_print),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_read_refuses),
      cmocka_unit_test(test_names_that_are_not_utf8),
      cmocka_unit_test(test_plain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
