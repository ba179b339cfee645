/* Charts: whatever is drawn, the file is well-formed XML without references to anything else, and
 * every coordinate is a finite number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ctype.h>
#include <math.h>

#include "base/random.h"
#include "report/output.h"
#include "report/plot.h"
#include "unit/trace_toy.h"

/* ---- a checker of well-formedness, for the subset of XML that is written here ---- */

enum { MAX_DEPTH = 16, MAX_NAME = 32 };

struct xml {
  const char *at;
  char open[MAX_DEPTH][MAX_NAME];
  uint32_t depth, elements;
};

static void skip_space(struct xml *xml) {
  while (isspace((unsigned char)*xml->at)) {
    xml->at++;
  }
}

static void read_name(struct xml *xml, char name[MAX_NAME]) {
  size_t length =
      strspn(xml->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
  assert_true(length > 0 && length < MAX_NAME);
  memcpy(name, xml->at, length);
  name[length] = '\0';
  xml->at += length;
}

/* Character data up to `end`: no tags, entities only of the five kinds, no control characters. */
static void skip_data(struct xml *xml, char end) {
  static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
  while (*xml->at != end && *xml->at != '\0') {
    assert_true(*xml->at != '<');
    assert_true((unsigned char)*xml->at >= ' ' || *xml->at == '\n');
    bool known = *xml->at != '&';
    for (size_t i = 0; !known && i < 5; i++) {
      known = strncmp(xml->at, entities[i], strlen(entities[i])) == 0;
    }
    assert_true(known);
    xml->at++;
  }
}

/* Of the attributes that hold numbers: "nan" and "inf" are what broken arithmetic prints. */
static void check_value(const char *name, const char *value, size_t length) {
  if (strcmp(name, "d") == 0 || strcmp(name, "points") == 0 || strcmp(name, "x") == 0 ||
      strcmp(name, "y") == 0 || strcmp(name, "height") == 0 || strcmp(name, "width") == 0 ||
      strcmp(name, "x1") == 0 || strcmp(name, "y1") == 0 || strcmp(name, "y2") == 0) {
    for (size_t i = 0; i < length; i++) {
      assert_true(strchr("MHVZ0123456789., -", value[i]) != NULL);
    }
  }
}

static void read_attributes(struct xml *xml) {
  skip_space(xml);
  while (*xml->at != '>' && *xml->at != '/') {
    char name[MAX_NAME];
    read_name(xml, name);
    assert_memory_equal(xml->at, "=\"", 2);
    xml->at += 2;
    const char *value = xml->at;
    skip_data(xml, '"');
    assert_int_equal(*xml->at, '"');
    check_value(name, value, (size_t)(xml->at - value));
    xml->at++;
    skip_space(xml);
  }
}

static void read_tag(struct xml *xml) {
  assert_int_equal(*xml->at, '<');
  xml->at++;
  char name[MAX_NAME];
  if (*xml->at == '/') {
    xml->at++;
    read_name(xml, name);
    assert_true(xml->depth > 0);
    assert_string_equal(xml->open[--xml->depth], name);
  } else {
    read_name(xml, name);
    xml->elements++;
    read_attributes(xml);
    if (*xml->at == '/') {
      xml->at++;
    } else {
      assert_true(xml->depth < MAX_DEPTH);
      memcpy(xml->open[xml->depth++], name, sizeof name);
    }
  }
  assert_int_equal(*xml->at, '>');
  xml->at++;
}

/* One element and nothing after it; returns how many there are in it. */
static uint32_t check_xml(const struct clew_text *text) {
  struct xml xml = {.at = clew_text_str(text)};
  assert_int_equal(strlen(xml.at), text->len);
  do {
    read_tag(&xml);
    skip_data(&xml, '<');
  } while (xml.depth > 0);
  assert_int_equal(*xml.at, '\0');
  return xml.elements;
}

static uint32_t occurrences(const struct clew_text *text, const char *part) {
  uint32_t count = 0;
  for (const char *at = clew_text_str(text); (at = strstr(at, part)) != NULL; at++) {
    count++;
  }
  return count;
}

static void expect_part(const struct clew_text *text, const char *part) {
  if (occurrences(text, part) == 0) {
    fail_msg("lacks: %s\n%s", part, clew_text_str(text));
  }
}

/* ---- tests ---- */

static void draw(const struct clew_plot_series *series, uint32_t count, bool log_x, bool log_y,
                 struct clew_text *out) {
  struct clew_plot_panel panel = {.title = "p",
                                  .x = {.label = "x <1>", .log = log_x},
                                  .y = {.label = "y & z", .log = log_y},
                                  .series = series,
                                  .series_count = count};
  struct clew_plot plot = {.title = "t", .panels = &panel, .panel_count = 1};
  clew_plot_svg(&plot, out);
  check_xml(out);
}

static void expect_escaped(const char *text, const char *want) {
  struct clew_text out = {0};
  clew_plot_escape(&out, text);
  assert_string_equal(clew_text_str(&out), want);
  clew_text_free(&out);
}

static void test_escapes(void **unused) {
  (void)unused;
  expect_escaped("", "");
  expect_escaped("a<b>&\"c\"'", "a&lt;b&gt;&amp;&quot;c&quot;'");
  expect_escaped("]]>&amp;", "]]&gt;&amp;amp;");
  expect_escaped("\x01\n\x7f", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  expect_escaped("\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac");
  expect_escaped("\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd");
  expect_escaped("\xef\xbf\xbf", "\xef\xbf\xbd"); /* U+FFFF is not a character of XML */
}

static void test_bars(void **unused) {
  (void)unused;
  static const double y[] = {1, 40, 25, 0};
  struct clew_plot_series bars = {.mark = CLEW_PLOT_BARS, .y = y, .count = 4};
  struct clew_text out = {0};
  draw(&bars, 1, false, false, &out);
  expect_part(&out, "width=\"900\" height=\"420\"");
  expect_part(&out, "<title>0: 1</title>");
  expect_part(&out, "<title>1: 40</title>");
  expect_part(&out, "<title>3: 0</title>");
  expect_part(&out, ">x &lt;1&gt;</text>");
  expect_part(&out, ">y &amp; z</text>");
  expect_part(&out, ">40</text>"); /* a tick */
  assert_int_equal(occurrences(&out, "<title>"), 4);
  clew_text_free(&out);
}

static void test_log_axis(void **unused) {
  (void)unused;
  static const double y[] = {1, 1e6, 0, -3};
  struct clew_plot_series bars = {.mark = CLEW_PLOT_BARS, .y = y, .count = 4};
  struct clew_text out = {0};
  draw(&bars, 1, false, true, &out);
  assert_int_equal(occurrences(&out, "<title>"), 2); /* the others cannot be shown */
  expect_part(&out, ">1</text>");
  expect_part(&out, ">1000</text>");
  expect_part(&out, ">1M</text>");
  clew_text_free(&out);
}

static void test_lines_and_legend(void **unused) {
  (void)unused;
  static const double x[] = {1, 10, 100, 1000}, a[] = {0.5, 0.25, 0.125, NAN}, b[] = {1, 2, 3, 4};
  struct clew_plot_series series[] = {
      {.name = "first & best", .mark = CLEW_PLOT_LINE, .x = x, .y = a, .count = 4},
      {.name = "second", .mark = CLEW_PLOT_LINE, .x = x, .y = b, .count = 4}};
  struct clew_text out = {0};
  draw(series, 2, true, false, &out);
  expect_part(&out, ">first &amp; best</text>");
  expect_part(&out, ">second</text>");
  assert_int_equal(occurrences(&out, "<polyline"), 2);
  assert_int_equal(occurrences(&out, "<circle"), 7); /* all but the one that is no number */
  clew_text_free(&out);
}

/* More lines than colors: those that have the color of another one are dashed. */
static void test_many_lines(void **unused) {
  (void)unused;
  enum { LINES = 9, COLORS = 6 };
  static const double y[] = {1, 2, 3};
  struct clew_plot_series series[LINES];
  for (int i = 0; i < LINES; i++) {
    series[i] = (struct clew_plot_series){.name = "x", .mark = CLEW_PLOT_LINE, .y = y, .count = 3};
  }
  struct clew_text out = {0};
  draw(series, LINES, false, false, &out);
  assert_int_equal(occurrences(&out, "<polyline"), LINES);
  assert_int_equal(occurrences(&out, "stroke-dasharray"), LINES - COLORS);
  clew_text_free(&out);
}

/* A hundred thousand bars are one outline, and the peak of a single one is not lost. */
static void test_many_bars(void **unused) {
  (void)unused;
  enum { COUNT = 100000 };
  static double y[COUNT];
  for (uint32_t i = 0; i < COUNT; i++) {
    y[i] = i == 77777 ? 50 : 10;
  }
  struct clew_plot_series bars = {.mark = CLEW_PLOT_BARS, .y = y, .count = COUNT};
  struct clew_text out = {0};
  draw(&bars, 1, false, false, &out);
  assert_true(out.len < 40000);
  expect_part(&out, "V72.00"); /* the top of the panel */
  expect_part(&out, ">50</text>");
  clew_text_free(&out);
}

static void test_odd_data(void **unused) {
  (void)unused;
  static const double odd[][3] = {{0, 0, 0},        {5, 5, 5},          {-1, -2, -3},
                                  {INFINITY, 1, 2}, {NAN, NAN, NAN},    {1e308, -1e308, 1},
                                  {1e-320, 0, 0},   {1e299, -1e299, 0}, {1e15, 1e15 + 1, 1e15 + 2}};
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
    for (uint32_t variant = 0; variant < 16; variant++) {
      struct clew_plot_series series = {.mark =
                                            (variant & 1) != 0 ? CLEW_PLOT_LINE : CLEW_PLOT_BARS,
                                        .x = (variant & 2) != 0 ? odd[i] : NULL,
                                        .y = odd[i],
                                        .count = 3};
      struct clew_text out = {0};
      draw(&series, 1, (variant & 4) != 0, (variant & 8) != 0, &out);
      clew_text_free(&out);
    }
  }
  struct clew_text out = {0};
  draw(NULL, 0, false, false, &out);
  clew_text_free(&out);
  struct clew_plot nothing = {0};
  clew_plot_svg(&nothing, &out);
  assert_int_equal(check_xml(&out), 2);
  clew_text_free(&out);
}

static void test_random_data(void **unused) {
  (void)unused;
  struct clew_random random;
  clew_random_seed(&random, 5);
  for (uint32_t round = 0; round < 300; round++) {
    double x[40], y[40];
    uint32_t count = (uint32_t)clew_random_below(&random, 41);
    for (uint32_t i = 0; i < count; i++) {
      x[i] = ldexp((double)clew_random_below(&random, 2000) - 1000,
                   (int)clew_random_below(&random, 60) - 30);
      y[i] = ldexp((double)clew_random_below(&random, 2000) - 1000,
                   (int)clew_random_below(&random, 600) - 300);
    }
    struct clew_plot_series series = {
        .mark = round % 2 == 0 ? CLEW_PLOT_LINE : CLEW_PLOT_BARS, .x = x, .y = y, .count = count};
    struct clew_text out = {0};
    draw(&series, 1, round % 3 == 0, round % 5 == 0, &out);
    clew_text_free(&out);
  }
}

/* ---- the chart of `stats` ---- */

static void draw_result(const char *name, const struct clew_result *result, struct clew_text *out) {
  struct clew_model model = toy_model(NULL);
  model.name = name;
  struct clew_report_info info = {.model = &model, .explores_only = true, .store = "exact"};
  assert_true(clew_output_plot.write(&info, result, out));
  check_xml(out);
}

static struct clew_result result_of(void) {
  struct clew_result result;
  clew_result_init(&result);
  result.scope.complete = result.scope.lossless = true;
  result.states = 1236;
  result.transitions = 3;
  clew_vec_push(&result.level_sizes, 1);
  clew_vec_push(&result.level_sizes, 1234);
  clew_vec_push(&result.level_sizes, 1);
  result.has_locality = true;
  clew_locality_edge(&result.locality, 3, 4);
  clew_locality_edge(&result.locality, 3, 4);
  clew_locality_edge(&result.locality, 3, 1);
  clew_locality_state(&result.locality);
  return result;
}

static void test_result(void **unused) {
  (void)unused;
  struct clew_result result = result_of();
  struct clew_text out = {0};
  draw_result("some/where/a<b & \"c\".m", &result, &out);
  expect_part(&out, ">a&lt;b &amp; &quot;c&quot;.m: 1,236 states, 3 transitions</text>");
  expect_part(&out, "<title>1: 1234</title>"); /* level 1 */
  expect_part(&out, "<title>1: 2</title>");    /* k = 1 */
  expect_part(&out, "<title>-2: 1</title>");
  assert_int_equal(occurrences(&out, "incomplete"), 0);
  assert_int_equal(occurrences(&out, "href"), 0);
  clew_text_clear(&out);
  result.scope.complete = false;
  draw_result("m.m", &result, &out);
  expect_part(&out, "(incomplete search)</text>");
  clew_text_clear(&out);
  result.scope.complete = true;
  result.scope.lossless = false;
  draw_result("m.m", &result, &out);
  expect_part(&out, "(states may be missing)</text>");
  clew_text_free(&out);
  clew_result_free(&result);
}

/* Without locality one panel; before the first level an empty one. */
static void test_less_known(void **unused) {
  (void)unused;
  struct clew_result result = result_of();
  result.has_locality = false;
  struct clew_text out = {0};
  draw_result("m.m", &result, &out);
  assert_int_equal(occurrences(&out, "target"), 0);
  clew_text_clear(&out);
  clew_vec_clear(&result.level_sizes);
  draw_result("m.m", &result, &out);
  clew_text_free(&out);
  clew_result_free(&result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_escapes),    cmocka_unit_test(test_bars),
      cmocka_unit_test(test_log_axis),   cmocka_unit_test(test_lines_and_legend),
      cmocka_unit_test(test_many_lines), cmocka_unit_test(test_many_bars),
      cmocka_unit_test(test_odd_data),   cmocka_unit_test(test_random_data),
      cmocka_unit_test(test_result),     cmocka_unit_test(test_less_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
