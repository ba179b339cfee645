/* The command line: every form of option, and every way to get it wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"
#include "report/result.h"

enum { MOST_WORDS = 32 };

/* Parses words separated by blanks. */
static bool parse(struct clew_options *options, const char *line, struct clew_text *error) {
  static char copy[1024];
  static char *words[MOST_WORDS];
  int count = 0;
  assert_true(strlen(line) < sizeof copy);
  strcpy(copy, line);
  for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
    assert_true(count < MOST_WORDS);
    words[count++] = word;
  }
  return clew_options_parse(options, count, words, error);
}

static struct clew_options accept(const char *line) {
  struct clew_options options;
  struct clew_text error = {0};
  bool ok = parse(&options, line, &error);
  assert_string_equal(clew_text_str(&error), "");
  assert_true(ok);
  return options;
}

static void refuse(const char *line, const char *message) {
  struct clew_options options;
  struct clew_text error = {0};
  assert_false(parse(&options, line, &error));
  assert_string_equal(clew_text_str(&error), message);
  clew_text_free(&error);
  clew_options_free(&options);
}

static void test_defaults(void **unused) {
  (void)unused;
  struct clew_options options = accept("clew check m.m");
  assert_int_equal(options.command, CLEW_COMMAND_check);
  assert_int_equal(options.operands.len, 1);
  assert_string_equal(options.operands.data[0], "m.m");
  assert_null(options.search);
  assert_null(options.json);
  assert_true(options.memory_bytes == CLEW_ABSENT);
  assert_true(options.max_states == CLEW_ABSENT);
  assert_true(isnan(options.max_time_s));
  assert_false(options.quiet);
  assert_int_equal(options.params.len, 0);
  clew_options_free(&options);
}

static void test_values(void **unused) {
  (void)unused;
  struct clew_options options =
      accept("clew stats --search=dfs m.m --memory 300M --param N=3 --quiet --param=M=4 "
             "--max-states 5 --max-depth 0 --max-time 1.5 --seed 0x10 --exec native --json -");
  assert_int_equal(options.command, CLEW_COMMAND_stats);
  assert_string_equal(options.search, "dfs");
  assert_int_equal(options.memory_bytes, 300 << 20);
  assert_int_equal(options.params.len, 2);
  assert_string_equal(options.params.data[0], "N=3");
  assert_string_equal(options.params.data[1], "M=4");
  assert_true(options.quiet);
  assert_int_equal(options.max_states, 5);
  assert_int_equal(options.max_depth, 0);
  assert_true(options.max_time_s > 1.4 && options.max_time_s < 1.6);
  assert_int_equal(options.seed, 16);
  assert_string_equal(options.exec, "native");
  assert_string_equal(options.json, "-");
  clew_options_free(&options);
  options = accept("clew graph m.m -o x.dot");
  assert_string_equal(options.output, "x.dot");
  clew_options_free(&options);
  options = accept("clew check --seed 1 --seed 2 m.m");
  assert_int_equal(options.seed, 2);
  clew_options_free(&options);
}

static void test_operands(void **unused) {
  (void)unused;
  struct clew_options options = accept("clew check -- --odd.m");
  assert_string_equal(options.operands.data[0], "--odd.m");
  clew_options_free(&options);
  options = accept("clew check -");
  assert_string_equal(options.operands.data[0], "-");
  clew_options_free(&options);
  options = accept("clew check --help");
  assert_true(options.help);
  clew_options_free(&options);
  options = accept("clew --version");
  assert_int_equal(options.command, CLEW_COMMAND_version);
  clew_options_free(&options);
  options = accept("clew -h");
  assert_int_equal(options.command, CLEW_COMMAND_help);
  clew_options_free(&options);
}

static void test_refusals(void **unused) {
  (void)unused;
  refuse("clew", "no command");
  refuse("clew chekc m.m", "unknown command 'chekc' (did you mean check?)");
  refuse("clew xyzzy", "unknown command 'xyzzy'");
  refuse("clew --quiet check m.m", "a command comes first, then options such as --quiet");
  refuse("clew check", "missing argument: the form is clew check MODEL [options]");
  refuse("clew check a b", "unexpected argument 'b': the form is clew check MODEL [options]");
  refuse("clew version a", "unexpected argument 'a': the form is clew version [options]");
  refuse("clew check m --serch dfs", "unknown option --serch (did you mean --search?)");
  refuse("clew check m --wxyz=1", "unknown option --wxyz");
  refuse("clew check m -z", "unknown option -z");
  refuse("clew check m -o x", "--output does not apply to check");
  refuse("clew info m --search dfs", "--search does not apply to info");
  refuse("clew check m --quiet=yes", "--quiet takes no value");
  refuse("clew check m --json", "--json needs a value: --json FILE");
  refuse("clew check m --json --quiet", "--json needs a value: --json FILE");
  refuse("clew check m --json=", "--json needs a value that is not empty");
  refuse("clew check m --memory lots", "--memory needs a size such as 300M or 8G, not 'lots'");
  refuse("clew check m --memory -1", "--memory needs a size such as 300M or 8G, not '-1'");
  refuse("clew check m --threads 0", "--threads needs a whole number from 1 on, not '0'");
  refuse("clew check m --seed 1.5", "--seed needs a whole number from 0 on, not '1.5'");
  refuse("clew check m --max-states 18446744073709551616",
         "--max-states needs a whole number from 1 on, not '18446744073709551616'");
  refuse("clew check m --max-time -3", "--max-time needs a number of seconds, not '-3'");
  refuse("clew check m --max-time soon", "--max-time needs a number of seconds, not 'soon'");
  refuse("clew check m --exec jit", "--exec is one of auto|interp|native, not 'jit'");
  refuse("clew check m --exec aut", "--exec is one of auto|interp|native, not 'aut'");
}

static void test_line(void **unused) {
  (void)unused;
  char *words[] = {(char *)(uintptr_t) "/usr/bin/clew", (char *)(uintptr_t) "check",
                   (char *)(uintptr_t) "a b.m",         (char *)(uintptr_t) "--param=N=3",
                   (char *)(uintptr_t) "--property",    (char *)(uintptr_t) "it's"};
  struct clew_options options;
  struct clew_text error = {0}, line = {0};
  assert_true(clew_options_parse(&options, 6, words, &error));
  clew_options_line(&options, &line);
  assert_string_equal(clew_text_str(&line), "clew check 'a b.m' --param=N=3 --property 'it'\\''s'");
  clew_text_free(&line);
  clew_options_free(&options);
}

/* The tables themselves: names are unique, and what takes a value says which. */
static void test_tables(void **unused) {
  (void)unused;
  for (size_t i = 0; i < clew_option_count; i++) {
    const struct clew_option *option = &clew_option_table[i];
    if (option->group != NULL) {
      continue;
    }
    assert_true(option->commands != 0);
    assert_int_equal(option->argument == NULL, option->kind == CLEW_OPTION_FLAG);
    for (size_t j = 0; j < i; j++) {
      if (clew_option_table[j].group == NULL) {
        assert_string_not_equal(option->name, clew_option_table[j].name);
        assert_true(option->letter == 0 || option->letter != clew_option_table[j].letter);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults), cmocka_unit_test(test_values),
      cmocka_unit_test(test_operands), cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_line),     cmocka_unit_test(test_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
