/* Diagnostics: positions, limits, rendering of friendly and hostile inputs, likely misspellings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/diag.h"

static struct clew_source source_of(const char *text) {
  return (struct clew_source){"m.m", text, strlen(text)};
}

static void check_position(const struct clew_source *source, size_t offset, uint32_t line,
                           uint32_t column) {
  struct clew_position position = clew_source_position(source, offset);
  assert_int_equal(position.line, line);
  assert_int_equal(position.column, column);
}

static void test_positions(void **state) {
  (void)state;
  struct clew_source source = source_of("ab\n\ncd\n");
  check_position(&source, 0, 1, 1);
  check_position(&source, 1, 1, 2);
  check_position(&source, 2, 1, 3); /* the newline is the end of its line */
  check_position(&source, 3, 2, 1);
  check_position(&source, 4, 3, 1);
  check_position(&source, 7, 4, 1);
  check_position(&source, 99, 4, 1); /* beyond the end is the end */
  struct clew_source empty = source_of("");
  check_position(&empty, 0, 1, 1);
}

/* Reports at offset and length, and compares what is rendered. */
static void check_render(const char *text, size_t offset, size_t length, const char *message,
                         const char *expected) {
  struct clew_source source = source_of(text);
  struct clew_diag_sink sink = {0};
  struct clew_text out = {0};
  clew_diag_at(&sink, CLEW_ERROR, &source, offset, length, "%s", message);
  assert_int_equal(sink.len, 1);
  clew_diag_render(&sink.data[0], &out);
  assert_string_equal(clew_text_str(&out), expected);
  clew_text_free(&out);
  clew_diag_sink_free(&sink);
}

static void test_render(void **state) {
  (void)state;
  check_render("var\n  x : foo;\n", 10, 3, "unknown type foo",
               "m.m:2:7: error: unknown type foo\n"
               "  x : foo;\n"
               "      ^~~\n");
  check_render("x\r\ny", 0, 0, "a", "m.m:1:1: error: a\nx\n^\n");
  /* The underline stops with the line, also where the token does not. */
  check_render("ab\ncd", 1, 4, "a", "m.m:1:2: error: a\nab\n ^\n");
  /* At the end of a line, and of a text that ends with a newline. */
  check_render("ab", 2, 1, "unexpected end", "m.m:1:3: error: unexpected end\nab\n  ^\n");
  check_render("ab\n", 3, 1, "unexpected end", "m.m:2:1: error: unexpected end\n");
}

static void test_render_aligns(void **state) {
  (void)state;
  check_render("\tif\tx", 4, 1, "a", "m.m:1:5: error: a\n\tif\tx\n\t  \t^\n");
  /* Two bytes, one column. */
  check_render("\xc3\xa9\xc3\xa9=1", 4, 2, "a", "m.m:1:5: error: a\n\xc3\xa9\xc3\xa9=1\n  ^~\n");
}

static void test_render_tames(void **state) {
  (void)state;
  check_render("a\x1b[31m\x07", 2, 1, "bad \x1b]0;x\x07 name\nnext",
               "m.m:1:3: error: bad ?]0;x? name?next\na?[31m?\n  ^\n");
  /* An eight-bit control, a lone byte, and a mark that reorders text. */
  check_render("\xc2\x9b\xff\xe2\x80\xae.", 6, 1, "a\xc2\x9b", "m.m:1:7: error: a?\n???.\n   ^\n");
  struct clew_source binary = {"b\x01", "x\0y", 3};
  struct clew_diag_sink sink = {0};
  struct clew_text out = {0};
  clew_diag_at(&sink, CLEW_ERROR, &binary, 1, 1, "zero");
  clew_diag_render(&sink.data[0], &out);
  assert_string_equal(clew_text_str(&out), "b?:1:2: error: zero\nx?y\n ^\n");
  clew_text_free(&out);
  clew_diag_sink_free(&sink);
}

/* In a line of `length` digits with an X at `at`, the caret must be under the X and the line short.
 */
static void check_window(size_t length, size_t at) {
  static char text[100001];
  for (size_t i = 0; i < length; i++) {
    text[i] = (char)('0' + i % 10);
  }
  text[at] = 'X';
  text[length] = '\0';
  struct clew_source source = source_of(text);
  struct clew_diag_sink sink = {0};
  struct clew_text out = {0};
  clew_diag_at(&sink, CLEW_ERROR, &source, at, 100000, "a");
  clew_diag_render(&sink.data[0], &out);
  char *line = strchr(out.data, '\n') + 1;
  char *marks = strchr(line, '\n') + 1;
  size_t width = (size_t)(marks - line) - 1;
  assert_true(width <= 160);
  assert_true(width >= (length < 160 ? length : 157));
  assert_ptr_equal(line + (strchr(marks, '^') - marks), strchr(line, 'X'));
  assert_true(strchr(marks, '\n') - marks <= 160);
  assert_int_equal(strncmp(line, "...", 3) == 0, length > 160 && at > 77);
  assert_int_equal(strncmp(line + width - 3, "...", 3) == 0, length > 160 && length - at > 77);
  clew_text_free(&out);
  clew_diag_sink_free(&sink);
}

static void test_render_windows_long_lines(void **state) {
  (void)state;
  for (size_t at = 0; at < 400; at++) {
    check_window(400, at);
  }
  check_window(160, 159);
  check_window(161, 0);
  check_window(161, 160);
  check_window(100000, 0);
  check_window(100000, 50000);
  check_window(100000, 99999);
}

static void test_window_respects_characters(void **state) {
  (void)state;
  char text[1001] = "";
  for (int i = 0; i < 500; i++) {
    memcpy(text + 2 * i, "\xc3\xa9", 3);
  }
  for (size_t at = 0; at <= 1000; at++) {
    struct clew_source source = source_of(text);
    struct clew_diag_sink sink = {0};
    struct clew_text out = {0};
    clew_diag_at(&sink, CLEW_ERROR, &source, at, 1, "a");
    clew_diag_render(&sink.data[0], &out);
    assert_null(strchr(out.data, '?'));
    assert_non_null(strchr(out.data, '^'));
    clew_text_free(&out);
    clew_diag_sink_free(&sink);
  }
  memset(text, 0x80, 1000); /* nothing but continuation bytes */
  check_render(text, 0, 1, "a",
               "m.m:1:1: error: a\n"
               "??????????????????????????????????????????????????????????????????????????????????"
               "???????????????????????????????????????????????????????????????????????????...\n"
               "^\n");
}

static void test_plain(void **state) {
  (void)state;
  struct clew_diag_sink sink = {0};
  struct clew_text out = {0};
  clew_diag_plain(&sink, CLEW_WARNING, "x.m", "is %s", "odd");
  clew_diag_plain(&sink, CLEW_NOTE, NULL, "nothing in particular");
  clew_diag_render(&sink.data[0], &out);
  clew_diag_render(&sink.data[1], &out);
  assert_string_equal(clew_text_str(&out), "x.m: warning: is odd\nnote: nothing in particular\n");
  assert_int_equal(sink.error_count, 0);
  clew_text_free(&out);
  clew_diag_sink_free(&sink);
}

static void test_limits(void **state) {
  (void)state;
  struct clew_diag_sink sink = {0};
  for (int i = 0; i < 100; i++) {
    clew_diag_plain(&sink, CLEW_ERROR, NULL, "error %d", i);
  }
  clew_diag_plain(&sink, CLEW_NOTE, NULL, "about an error that was not kept");
  assert_int_equal(sink.len, 20);
  assert_int_equal(sink.error_count, 100);
  assert_string_equal(sink.data[19].message, "error 19");
  clew_diag_sink_free(&sink);
  assert_int_equal(sink.len, 0);
  sink.error_limit = 3;
  for (int i = 0; i < 100; i++) {
    clew_diag_plain(&sink, CLEW_WARNING, NULL, "warning %d", i);
  }
  for (int i = 0; i < 5; i++) {
    clew_diag_plain(&sink, CLEW_ERROR, NULL, "error %d", i);
  }
  assert_int_equal(sink.len, 33);
  assert_int_equal(sink.error_count, 5);
  clew_diag_sink_free(&sink);
  assert_int_equal(sink.error_limit, 3);
}

static void check_nearest(const char *name, const char *expected) {
  static const char *const names[] = {
      "invariant",
      "rule",
      "ruleset",
      "startstate",
      "Count",
      "count2",
      "i",
      "clock",
      "channel",
      "boolean",
      "aVeryLongNameIndeedThatIsLongerThanSixtyFourCharactersInAll__X"};
  const char *found = clew_diag_nearest(name, names, sizeof names / sizeof names[0]);
  if (expected == NULL) {
    assert_null(found);
  } else {
    assert_non_null(found);
    assert_string_equal(found, expected);
  }
}

static void test_nearest(void **state) {
  (void)state;
  check_nearest("invariont", "invariant");
  check_nearest("invariantt", "invariant");
  check_nearest("nivariant", "invariant"); /* neighbours swapped */
  check_nearest("rul", "rule");
  check_nearest("rulset", "ruleset");
  check_nearest("COUNT", "Count"); /* case is cheap, also when all of it is wrong */
  check_nearest("STARTSTATE", "startstate");
  check_nearest("startsate", "startstate");
  check_nearest("I", "i");
  check_nearest("j", NULL); /* every letter is one edit from every other */
  check_nearest("xyzzy", NULL);
  check_nearest("", NULL);
  check_nearest("blockade", NULL);
  char endless[500];
  memset(endless, 'a', sizeof endless - 1);
  endless[sizeof endless - 1] = '\0';
  check_nearest(endless, NULL);
  assert_null(clew_diag_nearest("x", NULL, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_positions),
      cmocka_unit_test(test_render),
      cmocka_unit_test(test_render_aligns),
      cmocka_unit_test(test_render_tames),
      cmocka_unit_test(test_render_windows_long_lines),
      cmocka_unit_test(test_window_respects_characters),
      cmocka_unit_test(test_plain),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
