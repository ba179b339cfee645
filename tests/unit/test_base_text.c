/* Texts, numbers from and to text, small allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/status.h"
#include "base/text.h"

static void test_text_grows_and_stays_terminated(void **state) {
  (void)state;
  struct clew_text text = {0};
  assert_string_equal(clew_text_str(&text), "");
  for (int i = 0; i < 1000; i++) {
    clew_text_char(&text, (char)('a' + i % 26));
    assert_int_equal(text.len, i + 1);
    assert_int_equal(text.data[text.len], 0);
  }
  clew_text_clear(&text);
  assert_string_equal(clew_text_str(&text), "");
  clew_text_put(&text, "one");
  clew_text_put_n(&text, " two and", 4);
  clew_text_printf(&text, " %d", 3);
  assert_string_equal(clew_text_str(&text), "one two 3");
  clew_text_free(&text);
  assert_null(text.data);
  clew_text_put_n(&text, NULL, 0);
  assert_string_equal(clew_text_str(&text), "");
  clew_text_free(&text);
}

static void test_text_printf_of_any_length(void **state) {
  (void)state;
  for (int width = 0; width < 300; width++) {
    struct clew_text text = {0};
    clew_text_put(&text, "<");
    clew_text_printf(&text, "%*d", width, 7);
    clew_text_put(&text, ">");
    int digits = width > 1 ? width : 1;
    assert_int_equal(text.len, digits + 2);
    assert_int_equal(text.data[digits], '7');
    assert_int_equal(text.data[digits + 1], '>');
    clew_text_free(&text);
  }
}

static void test_text_counts(void **state) {
  (void)state;
  char buffer[32];
  assert_string_equal(clew_text_count(0, buffer), "0");
  assert_string_equal(clew_text_count(999, buffer), "999");
  assert_string_equal(clew_text_count(1000, buffer), "1,000");
  assert_string_equal(clew_text_count(1234567, buffer), "1,234,567");
  assert_string_equal(clew_text_count(UINT64_MAX, buffer), "18,446,744,073,709,551,615");
  assert_string_equal(clew_text_bytes(0, buffer), "0 B");
  assert_string_equal(clew_text_bytes(1023, buffer), "1023 B");
  assert_string_equal(clew_text_bytes(1024, buffer), "1 KB");
  assert_string_equal(clew_text_bytes(1536, buffer), "1.5 KB");
  assert_string_equal(clew_text_bytes(300 << 20, buffer), "300 MB");
  assert_string_equal(clew_text_bytes((1 << 20) - 1, buffer), "1 MB");
  assert_string_equal(clew_text_bytes(UINT64_C(1288490189), buffer), "1.2 GB");
  assert_string_equal(clew_text_bytes(UINT64_MAX, buffer), "16 EB");
}

static void test_text_parses_bytes(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint64_t bytes;
  } good[] = {
      {"0", 0},
      {"4096", 4096},
      {"4096B", 4096},
      {"1K", 1024},
      {"300M", UINT64_C(300) << 20},
      {"8G", UINT64_C(8) << 30},
      {"8GB", UINT64_C(8) << 30},
      {"8GiB", UINT64_C(8) << 30},
      {"8g", UINT64_C(8) << 30},
      {"1.5G", UINT64_C(3) << 29},
      {"0.25K", 256},
      {"2T", UINT64_C(2) << 40},
      {"16777215T", UINT64_C(16777215) << 40},
      {"18446744073709551615", UINT64_MAX},
  };
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    uint64_t bytes = 1;
    assert_true(clew_text_parse_bytes(good[i].text, &bytes));
    assert_true(bytes == good[i].bytes);
  }
  static const char *const bad[] = {
      "",     " 1",   "1 ",   "-1",  "+1",   "M",   ".5G", "1.",        "1.G",
      "1.5",  "1.5B", "1X",   "1MM", "1Mi",  "1iB", "1KX", "16777216T", "18446744073709551616",
      "1e3M", "0x1",  "1..5", "nan", "1,5G", "8 GB"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    uint64_t bytes = 77;
    assert_false(clew_text_parse_bytes(bad[i], &bytes));
    assert_true(bytes == 77);
  }
}

static void test_text_parses_integers(void **state) {
  (void)state;
  uint64_t u = 0;
  assert_true(clew_text_parse_u64("18446744073709551615", &u) && u == UINT64_MAX);
  assert_true(clew_text_parse_u64("0xDeadBeef", &u) && u == 0xdeadbeef);
  assert_true(clew_text_parse_u64("010", &u) && u == 10);
  assert_true(clew_text_parse_u64("0xffffffffffffffff", &u) && u == UINT64_MAX);
  static const char *const bad[] = {
      "", " 1", "1 ", "-1", "+1", "1a", "0x", "0xg", "18446744073709551616", "0x10000000000000000"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    u = 5;
    assert_false(clew_text_parse_u64(bad[i], &u));
    assert_true(u == 5);
  }
  int64_t n = 0;
  assert_true(clew_text_parse_i64("-9223372036854775808", &n) && n == INT64_MIN);
  assert_true(clew_text_parse_i64("9223372036854775807", &n) && n == INT64_MAX);
  assert_true(clew_text_parse_i64("+3", &n) && n == 3);
  assert_true(clew_text_parse_i64("-0x10", &n) && n == -16);
  assert_false(clew_text_parse_i64("9223372036854775808", &n));
  assert_false(clew_text_parse_i64("-9223372036854775809", &n));
  assert_false(clew_text_parse_i64("--1", &n));
  assert_false(clew_text_parse_i64("-", &n));
}

static void test_text_parses_doubles(void **state) {
  (void)state;
  double d = 0;
  assert_true(clew_text_parse_double("0.5", &d) && d * 2 - 1 == 0);
  assert_true(clew_text_parse_double("-1e3", &d) && d + 1000 == 0);
  static const char *const bad[] = {"",      " 1",   "1 ", "nan",   "inf", "0x1p3",
                                    "1e999", "1.5x", "e",  "1.2.3", "-",   "+"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_false(clew_text_parse_double(bad[i], &d));
  }
}

static void test_utf8(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t length;
    uint32_t code;
  } cases[] = {
      {"a", 1, 'a'},
      {"\xc3\xa9", 2, 0xe9},
      {"\xe2\x82\xac", 3, 0x20ac},
      {"\xf0\x9f\x98\x80", 4, 0x1f600},
      {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
      {"\xc0\x80", 0, 0},         /* overlong */
      {"\xe0\x80\x80", 0, 0},     /* overlong */
      {"\xed\xa0\x80", 0, 0},     /* surrogate */
      {"\xf4\x90\x80\x80", 0, 0}, /* beyond Unicode */
      {"\x80", 0, 0},
      {"\xff", 0, 0},
      {"\xc3(", 0, 0},
      {"\xe2\x82", 0, 0}, /* cut short */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint32_t code = 0;
    size_t length = clew_text_utf8(cases[i].bytes, strlen(cases[i].bytes), &code);
    assert_int_equal(length, cases[i].length);
    assert_int_equal(code, cases[i].code);
  }
}

/* Runs what must end in clew_fatal in a child; its standard error into `said`. */
static int fatal_status(void (*run)(void), char *said, size_t size) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    run();
    _exit(0);
  }
  close(ends[1]);
  ssize_t got = read(ends[0], said, size - 1);
  said[got > 0 ? got : 0] = '\0';
  close(ends[0]);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void allocate_too_much(void) {
  clew_alloc_zero(SIZE_MAX / 2, 3);
}

static void reallocate_too_much(void) {
  clew_realloc_array(NULL, SIZE_MAX / 4, 5);
}

static void fail_with_words(void) {
  clew_fatal("no such luck");
}

static void test_alloc_overflow_is_fatal(void **state) {
  (void)state;
  char said[128];
  assert_int_equal(fatal_status(allocate_too_much, said, sizeof said), CLEW_EXIT_INTERNAL);
  assert_string_equal(said, "clew: out of memory\n");
  assert_int_equal(fatal_status(reallocate_too_much, said, sizeof said), CLEW_EXIT_INTERNAL);
  assert_string_equal(said, "clew: out of memory\n");
  assert_int_equal(fatal_status(fail_with_words, said, sizeof said), CLEW_EXIT_INTERNAL);
  assert_string_equal(said, "clew: no such luck\n");
}

static void test_alloc(void **state) {
  (void)state;
  unsigned char *zeroed = clew_alloc_zero(10, 7);
  for (int i = 0; i < 70; i++) {
    assert_int_equal(zeroed[i], 0);
  }
  zeroed = clew_realloc_array(zeroed, 0, 8);
  assert_non_null(zeroed);
  clew_free(zeroed);
  void *empty = clew_alloc(0);
  assert_non_null(empty);
  clew_free(empty);
  clew_free(NULL);
  char *copy = clew_strndup("abcdef", 3), *whole = clew_strdup("xyz");
  assert_string_equal(copy, "abc");
  assert_string_equal(whole, "xyz");
  clew_free(copy);
  clew_free(whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text_grows_and_stays_terminated),
      cmocka_unit_test(test_text_printf_of_any_length),
      cmocka_unit_test(test_text_counts),
      cmocka_unit_test(test_text_parses_bytes),
      cmocka_unit_test(test_text_parses_integers),
      cmocka_unit_test(test_text_parses_doubles),
      cmocka_unit_test(test_utf8),
      cmocka_unit_test(test_alloc_overflow_is_fatal),
      cmocka_unit_test(test_alloc),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
