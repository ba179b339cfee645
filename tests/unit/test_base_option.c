/* Options by tables: every kind, its bounds, and every way to get it wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/option.h"

struct fields {
  bool flag;
  const char *text;
  uint32_t choice;
  struct clew_string_list list;
  uint64_t count, positive, bytes, bits, least_two, room_bytes;
  double real, rate, factor;
};

#define AT(field) .offset = offsetof(struct fields, field)
static const struct clew_option_spec specs[] = {
    {CLEW_OPTION_FLAG, "flag", NULL, "help", AT(flag)},
    {CLEW_OPTION_TEXT, "text", "TEXT", "help", AT(text)},
    {CLEW_OPTION_CHOICE, "choice", "one|two|three", "help", AT(choice)},
    {CLEW_OPTION_LIST, "list", "NAME", "help", AT(list)},
    {CLEW_OPTION_COUNT, "count", "N", "help", AT(count)},
    {CLEW_OPTION_POSITIVE, "positive", "N", "help", AT(positive)},
    {CLEW_OPTION_BYTES, "bytes", "SIZE", "help", AT(bytes)},
    {CLEW_OPTION_REAL, "real", "SECONDS", "help", AT(real)},
    {CLEW_OPTION_COUNT, "hash-bits", "B", "help", AT(bits), .least = 1, .most = 64},
    {CLEW_OPTION_COUNT, "least-two", "N", "help", AT(least_two), .least = 2, .most = INFINITY},
    {CLEW_OPTION_BYTES, "room", "SIZE", "help", AT(room_bytes), .least = 1 << 20, .most = 1 << 30},
    {CLEW_OPTION_REAL, "rate", "R", "help", AT(rate), .least = 0, .most = 1, .above = true},
    {CLEW_OPTION_REAL, "factor", "R", NULL, AT(factor), .least = 1, .most = INFINITY,
     .above = true},
};
static const struct clew_option_table table = CLEW_OPTION_TABLE(specs, struct fields);

static const struct clew_option_spec *find(const char *name) {
  const struct clew_option_spec *spec = clew_option_find(&table, name, strlen(name));
  assert_non_null(spec);
  return spec;
}

static void accept(struct fields *fields, const char *name, const char *value) {
  struct clew_text error = {0};
  bool good = clew_option_set(find(name), value, fields, &error);
  assert_string_equal(clew_text_str(&error), "");
  assert_true(good);
}

static void refuse(const char *name, const char *value, const char *message) {
  struct fields fields = {0};
  struct clew_text error = {0};
  assert_false(clew_option_set(find(name), value, &fields, &error));
  assert_string_equal(clew_text_str(&error), message);
  clew_text_free(&error);
}

static void test_find(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < table.count; i++) {
    assert_ptr_equal(clew_option_find(&table, specs[i].name, strlen(specs[i].name)), &specs[i]);
  }
  assert_ptr_equal(clew_option_find(&table, "hash-bits=7", 9), find("hash-bits"));
  assert_null(clew_option_find(&table, "hash-bits", 4));
  assert_null(clew_option_find(&table, "flags", 5));
  assert_null(clew_option_find(&(struct clew_option_table){0}, "flag", 4));
}

static void test_values(void **unused) {
  (void)unused;
  struct fields fields = {0};
  accept(&fields, "flag", NULL);
  accept(&fields, "text", "some text");
  accept(&fields, "choice", "three");
  accept(&fields, "list", "a");
  accept(&fields, "list", "");
  accept(&fields, "count", "0x10");
  accept(&fields, "positive", "18446744073709551614");
  accept(&fields, "bytes", "300M");
  accept(&fields, "real", "1.5");
  assert_true(fields.flag);
  assert_string_equal(fields.text, "some text");
  assert_int_equal(fields.choice, 3);
  assert_int_equal(fields.list.len, 2);
  assert_string_equal(fields.list.data[0], "a");
  assert_string_equal(fields.list.data[1], "");
  assert_int_equal(fields.count, 16);
  assert_true(fields.positive == UINT64_MAX - 1);
  assert_int_equal(fields.bytes, 300 << 20);
  assert_true(fields.real > 1.4 && fields.real < 1.6);
  accept(&fields, "count", "0");
  assert_int_equal(fields.count, 0);
  accept(&fields, "choice", "one");
  assert_int_equal(fields.choice, 1);
  clew_option_free_lists(&table, &fields);
  assert_int_equal(fields.list.len, 0);
}

static void test_bounds(void **unused) {
  (void)unused;
  struct fields fields = {0};
  accept(&fields, "hash-bits", "1");
  assert_int_equal(fields.bits, 1);
  accept(&fields, "hash-bits", "64");
  assert_int_equal(fields.bits, 64);
  accept(&fields, "least-two", "1000000000000");
  accept(&fields, "room", "1M");
  accept(&fields, "room", "1G");
  accept(&fields, "rate", "0.001");
  accept(&fields, "rate", "1");
  accept(&fields, "factor", "1.01");
  refuse("hash-bits", "0", "--hash-bits is from 1 to 64");
  refuse("hash-bits", "65", "--hash-bits is from 1 to 64");
  refuse("hash-bits", "many", "--hash-bits is from 1 to 64");
  refuse("least-two", "1", "--least-two is at least 2");
  refuse("room", "1K", "--room is from 1 MB to 1 GB");
  refuse("rate", "0", "--rate is above 0 and at most 1");
  refuse("rate", "1.5", "--rate is above 0 and at most 1");
  refuse("rate", "-1", "--rate is above 0 and at most 1");
  refuse("rate", "nan", "--rate is above 0 and at most 1");
  refuse("factor", "1", "--factor is above 1");
}

static void test_refusals(void **unused) {
  (void)unused;
  refuse("text", "", "--text needs a value that is not empty");
  refuse("choice", "tw", "--choice is one of one|two|three, not 'tw'");
  refuse("choice", "one|two", "--choice is one of one|two|three, not 'one|two'");
  refuse("choice", "", "--choice is one of one|two|three, not ''");
  refuse("count", "1.5", "--count needs a whole number from 0 on, not '1.5'");
  refuse("count", "-1", "--count needs a whole number from 0 on, not '-1'");
  refuse("count", "18446744073709551615",
         "--count needs a whole number from 0 on, not '18446744073709551615'");
  refuse("positive", "0", "--positive needs a whole number from 1 on, not '0'");
  refuse("bytes", "lots", "--bytes needs a size such as 300M or 8G, not 'lots'");
  refuse("real", "-3", "--real needs a number of seconds, not '-3'");
  refuse("real", "soon", "--real needs a number of seconds, not 'soon'");
}

/* A value that is refused leaves numbers as they were. */
static void test_refused_numbers_stay(void **unused) {
  (void)unused;
  struct fields fields = {.bits = 7, .rate = 0.5};
  struct clew_text error = {0};
  assert_false(clew_option_set(find("hash-bits"), "65", &fields, &error));
  assert_false(clew_option_set(find("rate"), "2", &fields, &error));
  assert_int_equal(fields.bits, 7);
  assert_true(fields.rate < 0.6);
  clew_text_free(&error);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_find),
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_bounds),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_refused_numbers_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
