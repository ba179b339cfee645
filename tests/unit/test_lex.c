/* The shared token scanner, with a small language of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "lang/lex.h"

enum { T_BEGIN = CLEW_TOKEN_FIRST, T_END, T_LESS, T_LESS_EQUAL, T_SHIFT, T_ARROW, T_DOT, T_DOTS };

static const struct clew_lex_word words[] = {{"begin", T_BEGIN}, {"end", T_END}};
static const struct clew_lex_word operators[] = {
    {"<", T_LESS}, {"<<", T_SHIFT}, {"<=", T_LESS_EQUAL}, {"→", T_ARROW}, {"..", T_DOTS},
    {".", T_DOT},  {NULL, 0},
};
static const char *const line_comments[] = {"//", "--", NULL};
static const struct clew_lex_pair comments[] = {{"/*", "*/"}, {NULL, NULL}};
static const struct clew_lex_pair quotes[] = {{"\"", "\""}, {"“", "”"}, {NULL, NULL}};

static const struct clew_lex_style style = {
    .language = "Toy",
    .name_extra = "$#",
    .line_comments = line_comments,
    .comments = comments,
    .quotes = quotes,
    .words = words,
    .word_count = 2,
    .any_case = true,
    .operators = operators,
};

struct scan {
  struct clew_source source;
  struct clew_tokens tokens;
  struct clew_diag_sink diags;
  bool whole;
};

static struct scan scan_bytes(const struct clew_lex_style *with, const char *text, size_t length) {
  struct scan scan = {.source = {"toy", text, length}};
  scan.whole = clew_lex_scan(&scan.source, with, &scan.diags, &scan.tokens);
  return scan;
}

static struct scan scan_text(const char *text) {
  return scan_bytes(&style, text, strlen(text));
}

static void scan_free(struct scan *scan) {
  clew_vec_free(&scan->tokens);
  clew_diag_sink_free(&scan->diags);
}

/* The tokens as "kind@offset+length", separated by blanks. */
static void expect_tokens(const char *text, const char *expected) {
  struct scan scan = scan_text(text);
  struct clew_text got = {0};
  assert_true(scan.whole);
  assert_int_equal(scan.diags.error_count, 0);
  for (uint32_t i = 0; i < scan.tokens.len; i++) {
    struct clew_token token = scan.tokens.data[i];
    clew_text_printf(&got, "%s%u@%u+%u", i > 0 ? " " : "", token.kind, token.offset, token.length);
  }
  assert_string_equal(clew_text_str(&got), expected);
  clew_text_free(&got);
  scan_free(&scan);
}

static void test_tokens(void **state) {
  (void)state;
  expect_tokens("", "0@0+0");
  expect_tokens(" \t\r\n\f\v", "0@6+0");
  expect_tokens("a _b c1 $#", "1@0+1 1@2+2 1@5+2 1@8+2 0@10+0");
  expect_tokens("12 0x1F", "2@0+2 2@3+4 0@7+0");
  expect_tokens("0..3", "2@0+1 11@1+2 2@3+1 0@4+0");
  expect_tokens("\xef\xbb\xbf"
                "a",
                "1@3+1 0@4+0"); /* a byte order mark is skipped */
}

static void test_keywords(void **state) {
  (void)state;
  expect_tokens("begin BEGIN Begin end", "4@0+5 4@6+5 4@12+5 5@18+3 0@21+0");
  expect_tokens("begi beginn en endd a z", "1@0+4 1@5+6 1@12+2 1@15+4 1@20+1 1@22+1 0@23+0");
  struct clew_lex_style strict = style;
  strict.any_case = false;
  struct scan scan = scan_bytes(&strict, "begin Begin", 11);
  assert_int_equal(scan.tokens.data[0].kind, T_BEGIN);
  assert_int_equal(scan.tokens.data[1].kind, CLEW_TOKEN_NAME);
  scan_free(&scan);
}

static void test_operators_longest_match(void **state) {
  (void)state;
  expect_tokens("<<<=<", "8@0+2 7@2+2 6@4+1 0@5+0");
  expect_tokens("a→b", "1@0+1 9@1+3 1@4+1 0@5+0");
  expect_tokens("...", "11@0+2 10@2+1 0@3+0");
}

static void test_comments(void **state) {
  (void)state;
  expect_tokens("a// b\nc-- d", "1@0+1 1@6+1 0@11+0");
  expect_tokens("a/* b\n * c */d", "1@0+1 1@13+1 0@14+0");
  expect_tokens("/* /* */a/**/b", "1@8+1 1@13+1 0@14+0"); /* they do not nest */
}

static void test_strings(void **state) {
  (void)state;
  struct clew_arena *arena = clew_arena_open();
  struct scan scan = scan_text("\"ab\" \"\" \"a\\\"b\\\\c\\nd\te\" “f”");
  assert_true(scan.whole);
  assert_int_equal(scan.diags.error_count, 0);
  assert_int_equal(scan.tokens.len, 5);
  static const char *const values[] = {"ab", "", "a\"b\\c d e", "f"};
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(scan.tokens.data[i].kind, CLEW_TOKEN_STRING);
    assert_string_equal(clew_lex_string(arena, &scan.source, scan.tokens.data[i]), values[i]);
  }
  scan_free(&scan);
  clew_arena_close(arena);
}

static void test_numbers(void **state) {
  (void)state;
  struct scan scan = scan_text("0 9223372036854775807 0x7fffFFFFffffffff 007");
  static const int64_t values[] = {0, INT64_MAX, INT64_MAX, 7};
  assert_int_equal(scan.diags.error_count, 0);
  for (uint32_t i = 0; i < 4; i++) {
    int64_t value;
    assert_true(clew_lex_number(&scan.source, scan.tokens.data[i], &value));
    assert_true(value == values[i]);
  }
  scan_free(&scan);
}

struct fault {
  const char *text;
  size_t length; /* 0: up to the NUL */
  bool whole;
  uint32_t line, column;
  const char *message;
};

static void test_faults(void **state) {
  (void)state;
  static const struct fault faults[] = {
      {"a\n @", 0, false, 2, 2, "unexpected character '@'"},
      {"a é", 0, false, 1, 3, "unexpected character 'é' (U+00E9)"},
      {"a\0b", 3, false, 1, 2, "not a Toy model: unexpected byte 0x00"},
      {"a\x80", 0, false, 1, 2, "not a Toy model: unexpected byte 0x80"},
      {"a\x1b[2J", 0, false, 1, 2, "not a Toy model: unexpected byte 0x1b"},
      {"a /* b", 0, false, 1, 3,
       "this comment is never closed: expected '*/' before the end of the file"},
      {"a \"b\nc", 0, true, 1, 3, "this string is not closed on its line"},
      {"a \"b\\", 0, true, 1, 3, "this string is not closed on its line"},
      {"9223372036854775808", 0, true, 1, 1,
       "this number is too large: the greatest is 9223372036854775807"},
      {"0x", 0, true, 1, 1, "malformed number '0x'"},
      {"0xG", 0, true, 1, 1, "malformed number '0xG'"},
      {"12ab", 0, true, 1, 1, "malformed number '12ab'"},
  };
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    const struct fault *fault = &faults[i];
    size_t length = fault->length > 0 ? fault->length : strlen(fault->text);
    struct scan scan = scan_bytes(&style, fault->text, length);
    assert_int_equal(scan.whole, fault->whole);
    assert_int_equal(scan.diags.error_count, 1);
    assert_string_equal(scan.diags.data[0].message, fault->message);
    assert_int_equal(scan.diags.data[0].position.line, fault->line);
    assert_int_equal(scan.diags.data[0].position.column, fault->column);
    assert_true(!scan.whole || clew_vec_last(&scan.tokens).kind == CLEW_TOKEN_END);
    scan_free(&scan);
  }
}

/* Every byte alone and every pair: always an end or a complaint, never a crash. */
static void test_all_pairs_of_bytes(void **state) {
  (void)state;
  for (unsigned a = 0; a < 256; a++) {
    for (unsigned b = 0; b < 256; b++) {
      char text[] = {(char)a, (char)b, '\0'};
      struct scan scan = scan_bytes(&style, text, 2);
      assert_true(scan.whole || scan.diags.error_count == 1);
      uint32_t end = 0;
      for (uint32_t i = 0; i < scan.tokens.len; i++) {
        assert_true(scan.tokens.data[i].offset >= end);
        end = scan.tokens.data[i].offset + scan.tokens.data[i].length;
        assert_true(end <= 2);
      }
      scan_free(&scan);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tokens),
      cmocka_unit_test(test_keywords),
      cmocka_unit_test(test_operators_longest_match),
      cmocka_unit_test(test_comments),
      cmocka_unit_test(test_strings),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_faults),
      cmocka_unit_test(test_all_pairs_of_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
