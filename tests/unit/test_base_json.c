/* The JSON writer and reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/random.h"

static void test_writer_layout(void **state) {
  (void)state;
  struct clew_text out = {0};
  struct clew_json_writer w;
  clew_json_begin(&w, &out);
  clew_json_object_open(&w);
  clew_json_key(&w, "name");
  clew_json_string(&w, "x");
  clew_json_key(&w, "words");
  clew_json_array_open(&w);
  clew_json_u64(&w, UINT64_MAX);
  clew_json_i64(&w, INT64_MIN);
  clew_json_bool(&w, true);
  clew_json_string(&w, NULL);
  clew_json_array_close(&w);
  clew_json_key(&w, "rules");
  clew_json_array_open(&w);
  for (int i = 0; i < 2; i++) {
    clew_json_object_open(&w);
    clew_json_key(&w, "i");
    clew_json_i64(&w, i);
    clew_json_object_close(&w);
  }
  clew_json_array_close(&w);
  clew_json_key(&w, "none");
  clew_json_array_open(&w);
  clew_json_array_close(&w);
  clew_json_key(&w, "nothing");
  clew_json_object_open(&w);
  clew_json_object_close(&w);
  clew_json_object_close(&w);
  clew_json_end(&w);
  assert_string_equal(clew_text_str(&out),
                      "{\n"
                      "  \"name\": \"x\",\n"
                      "  \"words\": [18446744073709551615, -9223372036854775808, true, null],\n"
                      "  \"rules\": [\n"
                      "    {\n"
                      "      \"i\": 0\n"
                      "    },\n"
                      "    {\n"
                      "      \"i\": 1\n"
                      "    }\n"
                      "  ],\n"
                      "  \"none\": [],\n"
                      "  \"nothing\": {}\n"
                      "}\n");
  clew_text_free(&out);
}

static void check_written_string(const char *value, const char *expected) {
  struct clew_text out = {0};
  struct clew_json_writer w;
  clew_json_begin(&w, &out);
  clew_json_string(&w, value);
  clew_json_end(&w);
  assert_string_equal(clew_text_str(&out), expected);
  clew_text_free(&out);
}

static void test_writer_strings(void **state) {
  (void)state;
  check_written_string("", "\"\"\n");
  check_written_string("a\"b\\c/", "\"a\\\"b\\\\c/\"\n");
  check_written_string("\n\t\x01\x1f\x7f", "\"\\n\\t\\u0001\\u001f\\u007f\"\n");
  check_written_string("\xc3\xa9\xf0\x9f\x98\x80", "\"\xc3\xa9\xf0\x9f\x98\x80\"\n");
  check_written_string("caf\xe9", "\"caf\\u00e9\"\n"); /* not UTF-8 */
  check_written_string("\xed\xa0\x80", "\"\\u00ed\\u00a0\\u0080\"\n");
}

static void check_written_double(double value, const char *expected) {
  struct clew_text out = {0};
  struct clew_json_writer w;
  clew_json_begin(&w, &out);
  clew_json_double(&w, value);
  clew_json_end(&w);
  assert_string_equal(clew_text_str(&out), expected);
  clew_text_free(&out);
}

static void test_writer_doubles(void **state) {
  (void)state;
  check_written_double(0, "0\n");
  check_written_double(0.1, "0.1\n");
  check_written_double(-2.5, "-2.5\n");
  check_written_double(1e300, "1e+300\n");
  check_written_double(1.0 / 3, "0.3333333333333333\n");
  check_written_double(NAN, "null\n");
  check_written_double(INFINITY, "null\n");
  check_written_double(-INFINITY, "null\n");
}

static void value_without_key(struct clew_json_writer *w) {
  clew_json_object_open(w);
  clew_json_u64(w, 1);
}

static void key_in_array(struct clew_json_writer *w) {
  clew_json_array_open(w);
  clew_json_key(w, "a");
}

static void key_without_value(struct clew_json_writer *w) {
  clew_json_object_open(w);
  clew_json_key(w, "a");
  clew_json_object_close(w);
}

static void wrong_bracket(struct clew_json_writer *w) {
  clew_json_array_open(w);
  clew_json_object_close(w);
}

static void left_open(struct clew_json_writer *w) {
  clew_json_array_open(w);
  clew_json_end(w);
}

static void two_documents(struct clew_json_writer *w) {
  clew_json_u64(w, 1);
  clew_json_u64(w, 2);
}

static void no_document(struct clew_json_writer *w) {
  clew_json_end(w);
}

static void test_writer_refuses_nonsense(void **state) {
  (void)state;
  static void (*const misuses[])(struct clew_json_writer *) = {
      value_without_key, key_in_array,  key_without_value, wrong_bracket,
      left_open,         two_documents, no_document};
  for (size_t i = 0; i < sizeof misuses / sizeof misuses[0]; i++) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
      signal(SIGABRT, SIG_DFL);
      struct clew_text out = {0};
      struct clew_json_writer w;
      clew_json_begin(&w, &out);
      misuses[i](&w);
      _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  }
}

static const struct clew_json *parse(struct clew_arena *arena, const char *text) {
  size_t offset;
  const char *error;
  const struct clew_json *value = clew_json_parse(arena, text, strlen(text), &offset, &error);
  assert_non_null(value);
  assert_null(error);
  return value;
}

static void test_reader_values(void **state) {
  (void)state;
  struct clew_arena *arena = clew_arena_open();
  const struct clew_json *value =
      parse(arena, " {\"a\" : [1, -2.5e1 ,true,false,null, \"s\"],\r\n\t\"b\":{}, \"c\":[] } ");
  assert_int_equal(value->kind, CLEW_JSON_OBJECT);
  assert_int_equal(value->count, 3);
  assert_string_equal(value->keys[1], "b");
  const struct clew_json *a = clew_json_get(value, "a");
  assert_int_equal(a->kind, CLEW_JSON_ARRAY);
  assert_int_equal(a->count, 6);
  assert_true(a->items[0].is_integer && a->items[0].integer == 1);
  assert_false(a->items[1].is_integer);
  assert_true(a->items[1].number + 25 == 0);
  assert_int_equal(a->items[2].kind, CLEW_JSON_BOOL);
  assert_true(a->items[2].boolean);
  assert_false(a->items[3].boolean);
  assert_int_equal(a->items[4].kind, CLEW_JSON_NULL);
  assert_string_equal(a->items[5].string, "s");
  assert_int_equal(clew_json_get(value, "b")->kind, CLEW_JSON_OBJECT);
  assert_int_equal(clew_json_get(value, "c")->count, 0);
  assert_null(clew_json_get(value, "d"));
  assert_null(clew_json_get(a, "a"));
  assert_null(clew_json_get(NULL, "a"));
  clew_arena_close(arena);
}

static void test_reader_numbers(void **state) {
  (void)state;
  struct clew_arena *arena = clew_arena_open();
  const struct clew_json *value = parse(arena, "-9223372036854775808");
  assert_true(value->is_integer && value->integer == INT64_MIN);
  value = parse(arena, "9223372036854775807");
  assert_true(value->is_integer && value->integer == INT64_MAX);
  value = parse(arena, "9223372036854775808");
  assert_false(value->is_integer);
  assert_true(value->number > 9.2e18 && value->number < 9.3e18);
  value = parse(arena, "-0");
  assert_true(value->is_integer && value->integer == 0);
  assert_false(parse(arena, "1.0")->is_integer);
  assert_false(parse(arena, "1E+2")->is_integer);
  assert_true(fabs(parse(arena, "1e-400")->number) < 1e-300);
  clew_arena_close(arena);
}

static void test_reader_strings(void **state) {
  (void)state;
  struct clew_arena *arena = clew_arena_open();
  const struct clew_json *value = parse(arena, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"");
  assert_string_equal(value->string, "\"\\/\b\f\n\r\t");
  value = parse(arena, "\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\"");
  assert_string_equal(value->string, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  value = parse(arena, "\"\xc3\xa9\"");
  assert_string_equal(value->string, "\xc3\xa9");
  clew_arena_close(arena);
}

static void test_reader_errors(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t offset;
    const char *error;
  } cases[] = {
      {"", 0, "expected a value"},
      {"  ", 2, "expected a value"},
      {"[1,]", 3, "expected a value"},
      {"[1 2]", 3, "expected ',' or ']'"},
      {"[1", 2, "expected ',' or ']'"},
      {"{\"a\":1,}", 7, "expected a string"},
      {"{a:1}", 1, "expected a string"},
      {"{\"a\" 1}", 5, "expected ':'"},
      {"{\"a\":1]", 6, "expected ',' or '}'"},
      {"1 2", 2, "expected the end of the text"},
      {"{}}", 2, "expected the end of the text"},
      {"nul", 0, "expected a value"},
      {"nan", 0, "expected a value"},
      {"'a'", 0, "expected a value"},
      {"truex", 4, "expected the end of the text"},
      {"01", 1, "expected the end of the text"},
      {"+1", 0, "expected a value"},
      {".5", 0, "expected a value"},
      {"-", 1, "expected a digit"},
      {"1.", 2, "expected a digit"},
      {"1e", 2, "expected a digit"},
      {"1e999", 0, "number out of range"},
      {"\"abc", 4, "unterminated string"},
      {"\"a\nb\"", 2, "control character in a string"},
      {"\"\\x\"", 2, "unknown escape sequence"},
      {"\"\\", 2, "unknown escape sequence"},
      {"\"\\u12g4\"", 5, "expected four hexadecimal digits"},
      {"\"\\u12", 5, "expected four hexadecimal digits"},
      {"\"\\ud83d\"", 1, "half a surrogate pair"},
      {"\"\\ud83d\\u0041\"", 1, "half a surrogate pair"},
      {"\"\\ude00\"", 1, "half a surrogate pair"},
      {"\"a\\u0000\"", 2, "zero characters are not supported"},
  };
  struct clew_arena *arena = clew_arena_open();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    size_t offset = 999;
    const char *error = NULL;
    const char *text = cases[i].text;
    assert_null(clew_json_parse(arena, text, strlen(text), &offset, &error));
    assert_string_equal(error, cases[i].error);
    assert_int_equal(offset, cases[i].offset);
  }
  /* The length counts, not the terminator. */
  size_t offset;
  const char *error;
  assert_non_null(clew_json_parse(arena, "12]", 2, &offset, &error));
  assert_null(clew_json_parse(arena, "true", 3, &offset, &error));
  assert_null(clew_json_parse(arena, "1\0", 2, &offset, &error));
  clew_arena_close(arena);
}

static void test_reader_depth(void **state) {
  (void)state;
  char text[300];
  memset(text, '[', 150);
  memset(text + 150, ']', 150);
  struct clew_arena *arena = clew_arena_open();
  size_t offset;
  const char *error;
  assert_non_null(clew_json_parse(arena, text + 50, 200, &offset, &error));
  assert_null(clew_json_parse(arena, text + 49, 202, &offset, &error));
  assert_string_equal(error, "nested too deeply");
  assert_int_equal(offset, 100);
  clew_arena_close(arena);
}

/* Random documents come back as they were written. */
static void write_random(struct clew_random *random, struct clew_json_writer *w, int depth) {
  uint64_t kind = clew_random_below(random, depth < 5 ? 6 : 4);
  uint64_t bits = clew_random_u64(random);
  if (kind == 0) {
    clew_json_bool(w, bits & 1);
  } else if (kind == 1) {
    clew_json_i64(w, (int64_t)bits);
  } else if (kind == 2) {
    clew_json_double(w, ldexp((double)(bits >> 11), (int)(bits % 200) - 100));
  } else if (kind == 3) {
    char text[9] = "";
    for (int i = 0; i < 8; i++) {
      text[i] = (char)(bits >> 8 * i & 0x7f);
    }
    clew_json_string(w, text);
  } else {
    kind == 4 ? clew_json_array_open(w) : clew_json_object_open(w);
    for (uint64_t i = 0; i < bits % 5; i++) {
      if (kind == 5) {
        clew_json_key(w, i % 2 == 0 ? "even" : "od\\d\n");
      }
      write_random(random, w, depth + 1);
    }
    kind == 4 ? clew_json_array_close(w) : clew_json_object_close(w);
  }
}

static void check_random(struct clew_random *random, const struct clew_json *value, int depth) {
  uint64_t kind = clew_random_below(random, depth < 5 ? 6 : 4);
  uint64_t bits = clew_random_u64(random);
  if (kind == 0) {
    assert_int_equal(value->kind, CLEW_JSON_BOOL);
    assert_int_equal(value->boolean, bits & 1);
  } else if (kind == 1) {
    assert_true(value->is_integer && value->integer == (int64_t)bits);
  } else if (kind == 2) {
    double expected = ldexp((double)(bits >> 11), (int)(bits % 200) - 100);
    assert_int_equal(value->kind, CLEW_JSON_NUMBER);
    assert_memory_equal(&value->number, &expected, sizeof expected);
  } else if (kind == 3) {
    char text[9] = "";
    for (int i = 0; i < 8; i++) {
      text[i] = (char)(bits >> 8 * i & 0x7f);
    }
    assert_string_equal(value->string, text);
  } else {
    assert_int_equal(value->kind, kind == 4 ? CLEW_JSON_ARRAY : CLEW_JSON_OBJECT);
    assert_int_equal(value->count, bits % 5);
    for (uint32_t i = 0; i < value->count; i++) {
      if (kind == 5) {
        assert_string_equal(value->keys[i], i % 2 == 0 ? "even" : "od\\d\n");
      }
      check_random(random, &value->items[i], depth + 1);
    }
  }
}

static void test_round_trip(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 2000; seed++) {
    struct clew_random random, again;
    clew_random_seed(&random, seed);
    again = random;
    struct clew_text out = {0};
    struct clew_json_writer w;
    clew_json_begin(&w, &out);
    write_random(&random, &w, 0);
    clew_json_end(&w);
    struct clew_arena *arena = clew_arena_open();
    check_random(&again, parse(arena, clew_text_str(&out)), 0);
    clew_arena_close(arena);
    clew_text_free(&out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_writer_layout),  cmocka_unit_test(test_writer_strings),
      cmocka_unit_test(test_writer_doubles), cmocka_unit_test(test_writer_refuses_nonsense),
      cmocka_unit_test(test_reader_values),  cmocka_unit_test(test_reader_numbers),
      cmocka_unit_test(test_reader_strings), cmocka_unit_test(test_reader_errors),
      cmocka_unit_test(test_reader_depth),   cmocka_unit_test(test_round_trip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
