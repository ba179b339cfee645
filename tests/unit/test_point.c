/* Points of runs: windows that are computed by hand, and walks in step with integer time, which
 * knows nothing of points: at every moment it has the same transitions and lets time pass where the
 * point does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "lang/lang.h"
#include "trace/point.h"

static struct clew_model *load(const char *name, const char *text, enum clew_time_mode time) {
  struct clew_source source = {name, text, strlen(text)};
  struct clew_diag_sink diags = {0};
  struct clew_load_request request = {.source = &source,
                                      .ignores_queries = true,
                                      .time = time,
                                      .exec = CLEW_MODE_INTERP,
                                      .symmetry = CLEW_SYMMETRY_OFF};
  struct clew_model *model = NULL;
  (void)clew_language_uppaal.load(&request, &diags, &model);
  clew_diag_sink_free(&diags);
  return model;
}

/* ---- a walk: a state whose zone holds the point, and its successors ---- */

struct stroll {
  struct clew_model *model;
  uint64_t *state;
  struct clew_succs succs;
  struct clew_point point;
};

static void stroll_open(struct stroll *s, struct clew_model *model) {
  *s = (struct stroll){.model = model};
  s->state = clew_alloc_zero(model->words, sizeof *s->state);
  clew_succs_open(&s->succs, model->words, model->cover_count);
  model->init(model, &s->succs);
  assert_int_equal(s->succs.count, 1);
  assert_true(clew_point_start(model, s->succs.edges[0], &s->point));
  memcpy(s->state, s->succs.states, model->bytes);
  clew_succs_clear(&s->succs);
  model->next(model, s->state, &s->succs);
}

static void stroll_close(struct stroll *s) {
  clew_point_close(&s->point);
  clew_succs_close(&s->succs);
  clew_free(s->state);
  s->model->close(s->model);
}

static const uint64_t *target_of(const struct stroll *s, uint32_t i) {
  return s->succs.states + (size_t)i * s->model->words;
}

static struct clew_window window_of(const struct stroll *s, uint32_t i) {
  struct clew_timed_step step;
  assert_true(s->model->timed->step(s->model, s->state, false, s->succs.edges[i], &step));
  struct clew_window window = clew_point_window(&s->point, &step, s->model, target_of(s, i));
  clew_timed_step_close(&step);
  return window;
}

static void stroll_take(struct stroll *s, uint32_t i) {
  struct clew_timed_step step;
  assert_true(s->model->timed->step(s->model, s->state, false, s->succs.edges[i], &step));
  clew_point_take(&s->point, &step);
  memcpy(s->state, target_of(s, i), s->model->bytes);
  clew_succs_clear(&s->succs);
  s->model->next(s->model, s->state, &s->succs);
}

static void expect_window(const struct stroll *s, uint32_t i, const char *wanted) {
  struct clew_text text = {0};
  struct clew_window window = window_of(s, i);
  if (window.is_empty) {
    clew_text_put(&text, "empty");
  } else {
    clew_window_print(&s->point, &window, &text);
  }
  assert_string_equal(clew_text_str(&text), wanted);
  clew_text_free(&text);
}

static void expect_stay(const struct stroll *s, const char *wanted) {
  struct clew_text text = {0};
  struct clew_window window = clew_point_stay(&s->point);
  clew_window_print(&s->point, &window, &text);
  assert_string_equal(clew_text_str(&text), wanted);
  clew_text_free(&text);
}

/* ---- by hand ---- */

static void test_windows(void **unused) {
  (void)unused;
  static const char TEXT[] = "clock x, y;\n"
                             "process P() { state a { x < 10 }, b { y <= 4 }, c, d;\n"
                             "init a;\n"
                             "trans a -> a { guard x > 2 && y <= 7; assign x = 1; },\n"
                             "a -> b { guard x >= 3; },\n"
                             "a -> c { guard x - y < 0; },\n"
                             "a -> d { guard y > 5; }; }\n"
                             "system P;\n";
  struct stroll s;
  stroll_open(&s, load("sample", TEXT, CLEW_TIME_ZONES));
  int64_t delay;
  expect_stay(&s, "[0, 10)");
  assert_int_equal(s.succs.count, 3); /* x - y is 0: c is out of reach */
  expect_window(&s, 0, "(2, 7]");     /* and x = 1 is below 10 */
  expect_window(&s, 1, "[3, 4]");     /* the invariant of b is about y */
  expect_window(&s, 2, "(5, 10)");
  struct clew_window window = window_of(&s, 0);
  delay = clew_point_earliest(&s.point, &window);
  assert_true(clew_window_has(&window, delay) && delay * 2 == 5 * s.point.scale);
  assert_true(clew_point_parse(&s.point, "2.25", &delay));
  clew_point_delay(&s.point, delay);
  expect_window(&s, 0, "[0, 4.75]");
  stroll_take(&s, 0); /* x = 1, y = 2.25 */
  expect_stay(&s, "[0, 9)");
  assert_int_equal(s.succs.count, 3); /* when x is 3, y is more than 4: b is out of reach */
  expect_window(&s, 0, "(1, 4.75]");
  expect_window(&s, 1, "[0, 9)");
  expect_window(&s, 2, "(2.75, 9)");
  stroll_close(&s);
}

static void test_stopwatch(void **unused) {
  (void)unused;
  static const char TEXT[] = "clock x, y;\n"
                             "process P() { state a, d { x' == 0 };\n"
                             "init a;\n"
                             "trans a -> d { guard y > 5; },\n"
                             "d -> d { guard x <= 6 && y >= 20; }, d -> a { guard x > 6; }; }\n"
                             "system P;\n";
  struct stroll s;
  int64_t delay;
  stroll_open(&s, load("sample", TEXT, CLEW_TIME_ZONES));
  expect_stay(&s, "[0, ...)");
  expect_window(&s, 0, "(5, ...)");
  assert_true(clew_point_parse(&s.point, "5.25", &delay));
  clew_point_delay(&s.point, delay);
  stroll_take(&s, 0); /* x stands still at 5.25 */
  assert_int_equal(s.succs.count, 2);
  expect_window(&s, 0, "[14.75, ...)");
  expect_window(&s, 1, "empty");
  assert_false(clew_point_parse(&s.point, "1.2.3", &delay));
  assert_false(clew_point_parse(&s.point, "", &delay));
  assert_false(clew_point_parse(&s.point, "-1", &delay));
  assert_false(clew_point_parse(&s.point, "99999999999999999999", &delay));
  assert_false(clew_point_parse(&s.point, "0.12345678901", &delay));
  stroll_close(&s);
}

/* ---- in step with integer time ---- */

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
  CLEW_VEC(char *) list;
};

static void add_name(struct names *names, const struct clew_model *model, uint32_t edge) {
  struct clew_text text = {0};
  model->print_edge(model, edge, &text);
  char *copy = clew_alloc(text.len + 1);
  memcpy(copy, clew_text_str(&text), text.len + 1);
  clew_vec_push(&names->list, copy);
  clew_text_free(&text);
}

static void free_names(struct names *names) {
  for (uint32_t i = 0; i < names->list.len; i++) {
    clew_free(names->list.data[i]);
  }
  clew_vec_free(&names->list);
}

/* The edge of integer time that lets time pass; CLEW_NONE: there is none in this state. */
static uint32_t find_tick(const struct clew_model *digital, const struct clew_succs *succs) {
  uint32_t found = CLEW_NONE;
  for (uint32_t i = 0; i < succs->count; i++) {
    struct names name = {0};
    add_name(&name, digital, succs->edges[i]);
    found = strcmp(name.list.data[0], "delay 1") == 0 ? i : found;
    free_names(&name);
  }
  return found;
}

/* Both have the same transitions now. */
static void compare(const struct stroll *s, const struct clew_model *digital,
                    const struct clew_succs *succs, uint32_t tick) {
  struct names ours = {0}, theirs = {0};
  for (uint32_t i = 0; i < s->succs.count; i++) {
    struct clew_window window = window_of(s, i);
    if (clew_window_has(&window, 0)) {
      add_name(&ours, s->model, s->succs.edges[i]);
    }
  }
  for (uint32_t i = 0; i < succs->count; i++) {
    if (i != tick) {
      add_name(&theirs, digital, succs->edges[i]);
    }
  }
  assert_int_equal(ours.list.len, theirs.list.len);
  if (ours.list.len > 0) {
    qsort(ours.list.data, ours.list.len, sizeof(char *), compare_names);
    qsort(theirs.list.data, theirs.list.len, sizeof(char *), compare_names);
  }
  for (uint32_t i = 0; i < ours.list.len; i++) {
    assert_string_equal(ours.list.data[i], theirs.list.data[i]);
  }
  free_names(&ours);
  free_names(&theirs);
  /* A delay that changes nothing is no transition of integer time. */
  struct clew_window stay = clew_point_stay(&s->point);
  assert_true(tick == CLEW_NONE || clew_window_has(&stay, s->point.scale));
}

/* One step of both: a unit of time, or a transition that both have. False: there is none. */
static bool go_on(struct stroll *s, const struct clew_model *digital, struct clew_succs *succs,
                  uint32_t tick, uint64_t *state, struct clew_random *random) {
  uint32_t pick = succs->count > 0 ? (uint32_t)clew_random_below(random, succs->count) : 0;
  if (succs->count == 0) {
    return false;
  }
  memcpy(state, succs->states + (size_t)pick * digital->words, digital->bytes);
  if (pick == tick) {
    clew_point_delay(&s->point, s->point.scale);
    return true;
  }
  struct names name = {0};
  add_name(&name, digital, succs->edges[pick]);
  bool taken = false;
  for (uint32_t i = 0; i < s->succs.count && !taken; i++) {
    struct names other = {0};
    struct clew_window window = window_of(s, i);
    add_name(&other, s->model, s->succs.edges[i]);
    taken = clew_window_has(&window, 0) && strcmp(name.list.data[0], other.list.data[0]) == 0;
    free_names(&other);
    if (taken) {
      stroll_take(s, i);
    }
  }
  assert_true(taken);
  free_names(&name);
  return true;
}

static void walk_in_step(const char *path, const char *text, uint64_t seed) {
  struct stroll s;
  struct clew_random random;
  struct clew_model *digital = load(path, text, CLEW_TIME_DIGITAL);
  assert_non_null(digital); /* the model is closed, */
  clew_random_seed(&random, seed);
  stroll_open(&s, load(path, text, CLEW_TIME_ZONES));
  assert_non_null(s.model->timed); /* and has clocks */
  struct clew_succs succs;
  clew_succs_open(&succs, digital->words, digital->cover_count);
  digital->init(digital, &succs);
  uint64_t *state = clew_alloc_zero(digital->words, sizeof *state);
  memcpy(state, succs.states, digital->bytes);
  for (uint32_t step = 0; step < 60; step++) {
    clew_succs_clear(&succs);
    digital->next(digital, state, &succs);
    uint32_t tick = find_tick(digital, &succs);
    compare(&s, digital, &succs, tick);
    if (succs.fault_count > 0 || !go_on(&s, digital, &succs, tick, state, &random)) {
      break;
    }
  }
  clew_free(state);
  clew_succs_close(&succs);
  stroll_close(&s);
  digital->close(digital);
}

static void test_integer_time(void **unused) {
  (void)unused;
  static const char *const paths[] = {"tests/models/uppaal/bound_variable.xta",
                                      "tests/models/uppaal/clock_array.xta",
                                      "tests/models/uppaal/clock_set.xta",
                                      "tests/models/uppaal/deadlock_between.xta",
                                      "tests/models/uppaal/invariant_shared.xta",
                                      "tests/models/uppaal/priority_process.xta",
                                      "tests/models/uppaal/urgent_channel.xta",
                                      "examples/train_gate.xta",
                                      "examples/schedule.xta",
                                      "examples/fischer.xta"};
  for (uint32_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    struct clew_text text = {0};
    struct clew_diag_sink diags = {0};
    assert_int_equal(clew_file_read(paths[i], 1 << 20, &text, &diags), CLEW_OK);
    for (uint64_t seed = 0; seed < 20; seed++) {
      walk_in_step(paths[i], clew_text_str(&text), seed);
    }
    clew_text_free(&text);
    clew_diag_sink_free(&diags);
  }
}

/* Random delays lie in their windows, narrow as these may be. */
static void test_choices(void **unused) {
  (void)unused;
  int64_t values[2] = {0, 0};
  struct clew_point point = {.clock_count = 2, .scale = 10, .values = values};
  struct clew_random random;
  clew_random_seed(&random, 7);
  for (uint32_t i = 0; i < 2000; i++) {
    struct clew_window window = {.from = (int64_t)clew_random_below(&random, 40),
                                 .from_open = clew_random_below(&random, 2) == 0,
                                 .to_open = clew_random_below(&random, 2) == 0,
                                 .is_endless = clew_random_below(&random, 4) == 0};
    window.to = window.from + (int64_t)clew_random_below(&random, 30);
    if (!window.is_endless && window.to == window.from) {
      window.from_open = window.to_open = false;
    }
    point.scale = 10;
    int64_t delay = i % 2 == 0 ? clew_point_any(&point, &window, &random)
                               : clew_point_earliest(&point, &window);
    assert_true(clew_window_has(&window, delay));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_windows),
      cmocka_unit_test(test_stopwatch),
      cmocka_unit_test(test_integer_time),
      cmocka_unit_test(test_choices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
