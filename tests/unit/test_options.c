/* The command line: every form of option, and every way to get it wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "cli/options.h"
#include "cli/store_options.h"
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
  assert_int_equal(options.exec, CLEW_CHOICE_EXEC_NATIVE);
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

/* The choices have the names that options.h gives them. */
static void test_choices(void **unused) {
  (void)unused;
  struct clew_options options =
      accept("clew check m.m --exec interp --symmetry off --color never --thread-share 7");
  assert_int_equal(options.exec, CLEW_CHOICE_EXEC_INTERP);
  assert_int_equal(options.symmetry, CLEW_CHOICE_SYMMETRY_OFF);
  assert_int_equal(options.color, CLEW_CHOICE_COLOR_NEVER);
  assert_int_equal(options.thread_share, 7);
  clew_options_free(&options);
  options = accept("clew check m.m --exec auto --symmetry fast --color always");
  assert_int_equal(options.exec, CLEW_CHOICE_EXEC_AUTO);
  assert_int_equal(options.symmetry, CLEW_CHOICE_SYMMETRY_FAST);
  assert_int_equal(options.color, CLEW_CHOICE_COLOR_ALWAYS);
  clew_options_free(&options);
  options = accept("clew check m.m --symmetry canonical --color auto");
  assert_int_equal(options.exec, 0);
  assert_int_equal(options.symmetry, CLEW_CHOICE_SYMMETRY_CANONICAL);
  assert_int_equal(options.color, CLEW_CHOICE_COLOR_AUTO);
  assert_true(options.thread_share == CLEW_ABSENT);
  clew_options_free(&options);
}

/* The tables themselves: names are unique, and what takes a value says which. */
static void test_tables(void **unused) {
  (void)unused;
  for (size_t i = 0; i < clew_command_option_count; i++) {
    const struct clew_option *option = &clew_command_options[i];
    if (option->group != NULL) {
      continue;
    }
    assert_true(option->commands != 0);
    assert_int_equal(option->spec.argument == NULL, option->spec.kind == CLEW_OPTION_FLAG);
    for (size_t j = 0; j < i; j++) {
      const struct clew_option *other = &clew_command_options[j];
      if (other->group == NULL) {
        assert_string_not_equal(option->spec.name, other->spec.name);
        assert_true(option->letter == 0 || option->letter != other->letter);
      }
    }
  }
}

/* ---- options of stores and engines ---- */

static void check_part_spec(const struct clew_option_table *table, uint32_t at) {
  const struct clew_option_spec *spec = &table->specs[at];
  size_t length = strlen(spec->name);
  assert_true(spec->offset < table->bytes);
  assert_true(spec->least <= spec->most);
  assert_int_equal(spec->argument == NULL, spec->kind == CLEW_OPTION_FLAG);
  assert_ptr_equal(clew_option_find(table, spec->name, length), spec);
  assert_int_equal(clew_part_option(spec->name, length)->kind, spec->kind);
  for (size_t i = 0; i < clew_command_option_count; i++) {
    if (clew_command_options[i].group == NULL) {
      assert_string_not_equal(clew_command_options[i].spec.name, spec->name);
    }
  }
}

/* A name that several parts have takes the same kind of value in all, and none is one of the
 * command line itself. */
static void test_part_tables(void **unused) {
  (void)unused;
  const struct clew_option_table *table;
  for (uint32_t part = 0; (table = clew_part_options(part)) != NULL; part++) {
    assert_int_equal(table->count == 0, table->bytes == 0);
    for (uint32_t i = 0; i < table->count; i++) {
      check_part_spec(table, i);
    }
  }
}

static void check_part_parsing(const struct clew_option_spec *spec) {
  struct clew_text line = {0}, message = {0};
  bool is_flag = spec->kind == CLEW_OPTION_FLAG;
  clew_text_printf(&line, "clew stats m.m --%s%s --quiet", spec->name, is_flag ? "" : " word");
  struct clew_options options = accept(clew_text_str(&line));
  assert_true(options.quiet);
  assert_int_equal(options.given.len, 1);
  assert_string_equal(options.given.data[0].name, spec->name);
  if (is_flag) {
    assert_null(options.given.data[0].value);
  } else {
    assert_string_equal(options.given.data[0].value, "word");
  }
  clew_options_free(&options);
  clew_text_clear(&line);
  clew_text_printf(&line, "clew info m.m --%s=1", spec->name);
  clew_text_printf(&message, "--%s does not apply to info", spec->name);
  refuse(clew_text_str(&line), clew_text_str(&message));
  clew_text_clear(&line);
  clew_text_clear(&message);
  clew_text_printf(&line, "clew check m.m --%s%s", spec->name, is_flag ? "=1" : "");
  if (is_flag) {
    clew_text_printf(&message, "--%s takes no value", spec->name);
  } else {
    clew_text_printf(&message, "--%s needs a value: --%s %s", spec->name, spec->name,
                     clew_part_option(spec->name, strlen(spec->name))->argument);
  }
  refuse(clew_text_str(&line), clew_text_str(&message));
  clew_text_free(&line);
  clew_text_free(&message);
}

static void test_part_parsing(void **unused) {
  (void)unused;
  const struct clew_option_table *table;
  for (uint32_t part = 0; (table = clew_part_options(part)) != NULL; part++) {
    for (uint32_t i = 0; i < table->count; i++) {
      check_part_parsing(&table->specs[i]);
    }
  }
}

struct fields {
  uint64_t depth, width;
  bool plain;
  struct clew_string_list names;
};

static const struct clew_option_spec engine_specs[] = {
    {CLEW_OPTION_POSITIVE, "fake-depth", "K", "help", .offset = offsetof(struct fields, depth),
     .least = 1, .most = 1000},
    {CLEW_OPTION_FLAG, "fake-plain", NULL, "help", .offset = offsetof(struct fields, plain)},
};
static const struct clew_option_spec store_specs[] = {
    {CLEW_OPTION_COUNT, "fake-width", "N", "help", .offset = offsetof(struct fields, width)},
    {CLEW_OPTION_FLAG, "fake-plain", NULL, "help", .offset = offsetof(struct fields, plain)},
    {CLEW_OPTION_LIST, "fake-name", "NAME", "help", .offset = offsetof(struct fields, names)},
};
static const struct clew_engine_type fake_engine = {
    .name = "fake", .options = CLEW_OPTION_TABLE(engine_specs, struct fields)};
static const struct clew_store_type fake_store = {
    .name = "fake", .options = CLEW_OPTION_TABLE(store_specs, struct fields)};
static const struct clew_engine_type bare_engine = {.name = "bare"};
static const struct clew_store_type bare_store = {.name = "bare"};

static enum clew_exit choose(const struct clew_given_option *given, uint32_t count,
                             const struct clew_engine_type *engine,
                             const struct clew_store_type *store, void *fields[2]) {
  struct clew_options options = {.command = CLEW_COMMAND_check};
  for (uint32_t i = 0; i < count; i++) {
    clew_vec_push(&options.given, given[i]);
  }
  enum clew_exit exit = clew_choose_options(&options, engine, store, &fields[0], &fields[1]);
  clew_options_free(&options);
  return exit;
}

static void test_choose(void **unused) {
  (void)unused;
  void *fields[2];
  assert_int_equal(choose(NULL, 0, &bare_engine, &bare_store, fields), CLEW_EXIT_OK);
  assert_null(fields[0]);
  assert_null(fields[1]);
  static const struct clew_given_option given[] = {
      {"fake-depth", "7"}, {"fake-width", "3"},  {"fake-plain", NULL},
      {"fake-width", "4"}, {"fake-name", "one"}, {"fake-name", "two"},
  };
  assert_int_equal(choose(given, 6, &fake_engine, &fake_store, fields), CLEW_EXIT_OK);
  struct fields *of_engine = fields[0], *of_store = fields[1];
  assert_int_equal(of_engine->depth, 7);
  assert_int_equal(of_engine->width, 0);
  assert_true(of_engine->plain);
  assert_int_equal(of_store->width, 4);
  assert_true(of_store->plain);
  assert_int_equal(of_store->names.len, 2);
  assert_string_equal(of_store->names.data[1], "two");
  clew_option_free_lists(&fake_store.options, of_store);
  clew_free(of_engine);
  clew_free(of_store);
}

static void test_choose_refuses(void **unused) {
  (void)unused;
  void *fields[2];
  static const struct clew_given_option wrong[] = {{"fake-name", "one"}, {"fake-depth", "1001"}};
  assert_int_equal(choose(wrong, 2, &fake_engine, &fake_store, fields), CLEW_EXIT_USAGE);
  assert_null(fields[0]);
  assert_null(fields[1]);
  const struct clew_option_table *table;
  for (uint32_t part = 0; (table = clew_part_options(part)) != NULL; part++) {
    for (uint32_t i = 0; i < table->count; i++) {
      const struct clew_given_option unread = {table->specs[i].name, "1"};
      assert_int_equal(choose(&unread, 1, &fake_engine, &fake_store, fields), CLEW_EXIT_USAGE);
      assert_null(fields[0]);
      assert_null(fields[1]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults),       cmocka_unit_test(test_values),
      cmocka_unit_test(test_operands),       cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_line),           cmocka_unit_test(test_choices),
      cmocka_unit_test(test_tables),         cmocka_unit_test(test_part_tables),
      cmocka_unit_test(test_part_parsing),   cmocka_unit_test(test_choose),
      cmocka_unit_test(test_choose_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
