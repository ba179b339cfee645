/* Parsing the command line from the tables. */
#include "cli/options.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "base/vec.h"
#include "report/result.h"

const struct clew_command clew_commands[CLEW_COMMAND_COUNT] = {
#define CLEW_COMMAND(id, operands_, least_, most_, function, help_)                                \
  [CLEW_COMMAND_##id] = {.name = #id,                                                              \
                         .operands = operands_,                                                    \
                         .help = help_,                                                            \
                         .least = least_,                                                          \
                         .most = most_,                                                            \
                         .run = clew_command_##function},
#include "cli/commands.def"
#undef CLEW_COMMAND
};

enum {
#define CLEW_COMMAND(id, operands, least, most, function, help) BIT_##id = 1 << CLEW_COMMAND_##id,
#include "cli/commands.def"
#undef CLEW_COMMAND
  ON_CHECK = BIT_check,
  ON_STATS = BIT_stats,
  ON_RUN = BIT_check | BIT_stats,
  ON_SIMULATE = BIT_simulate,
  ON_REPLAY = BIT_replay,
  ON_GRAPH = BIT_graph,
  ON_INFO = BIT_info,
  ON_HELP = BIT_help,
  ON_MODEL = ON_RUN | ON_SIMULATE | ON_REPLAY | ON_GRAPH | ON_INFO,
  ON_ALL = (1 << CLEW_COMMAND_COUNT) - 1,
};

#define KIND_flag CLEW_OPTION_FLAG
#define KIND_text CLEW_OPTION_TEXT
#define KIND_choice CLEW_OPTION_CHOICE
#define KIND_list CLEW_OPTION_LIST
#define KIND_count CLEW_OPTION_COUNT
#define KIND_positive CLEW_OPTION_POSITIVE
#define KIND_bytes CLEW_OPTION_BYTES
#define KIND_real CLEW_OPTION_REAL
const struct clew_option clew_option_table[] = {
#define CLEW_OPTION_GROUP(title) {.group = title},
#define CLEW_OPTION(kind_, field, letter_, name_, argument_, commands_, help_)                     \
  {.kind = KIND_##kind_,                                                                           \
   .letter = letter_,                                                                              \
   .name = name_,                                                                                  \
   .argument = argument_,                                                                          \
   .commands = commands_,                                                                          \
   .help = help_,                                                                                  \
   .offset = offsetof(struct clew_options, field)},
#include "cli/options.def"
#undef CLEW_OPTION
#undef CLEW_OPTION_GROUP
};
const size_t clew_option_count = sizeof clew_option_table / sizeof clew_option_table[0];

static void set_defaults(struct clew_options *options) {
  *options = (struct clew_options){.command = CLEW_COMMAND_COUNT};
#define CLEW_DEFAULT_flag(field)
#define CLEW_DEFAULT_text(field)
#define CLEW_DEFAULT_choice(field)
#define CLEW_DEFAULT_list(field)
#define CLEW_DEFAULT_count(field) options->field = CLEW_ABSENT;
#define CLEW_DEFAULT_positive(field) options->field = CLEW_ABSENT;
#define CLEW_DEFAULT_bytes(field) options->field = CLEW_ABSENT;
#define CLEW_DEFAULT_real(field) options->field = NAN;
#define CLEW_OPTION_GROUP(title)
#define CLEW_OPTION(kind, field, letter, name, argument, commands, help) CLEW_DEFAULT_##kind(field)
#include "cli/options.def"
#undef CLEW_OPTION
#undef CLEW_OPTION_GROUP
}

__attribute__((format(printf, 2, 3))) static bool complain(struct clew_text *error,
                                                           const char *format, ...) {
  va_list args;
  va_start(args, format);
  clew_text_vprintf(error, format, args);
  va_end(args);
  return false;
}

static bool find_command(struct clew_options *options, const char *name, struct clew_text *error) {
  const char *names[CLEW_COMMAND_COUNT];
  for (uint32_t i = 0; i < CLEW_COMMAND_COUNT; i++) {
    names[i] = clew_commands[i].name;
    if (strcmp(name, names[i]) == 0) {
      options->command = (enum clew_command_id)i;
      return true;
    }
  }
  if (name[0] == '-') {
    return complain(error, "a command comes first, then options such as %s", name);
  }
  const char *nearest = clew_diag_nearest(name, names, CLEW_COMMAND_COUNT);
  return nearest != NULL ? complain(error, "unknown command '%s' (did you mean %s?)", name, nearest)
                         : complain(error, "unknown command '%s'", name);
}

static bool applies(const struct clew_option *option, enum clew_command_id command) {
  assert(command < CLEW_COMMAND_COUNT);
  return option->group == NULL && (option->commands >> command & 1) != 0;
}

/* Reports an option that is not there, with the nearest that is. */
static bool complain_unknown(struct clew_text *error, enum clew_command_id command,
                             const char *name, size_t length) {
  enum { MOST = 128 };
  assert(clew_option_count <= MOST);
  const char *names[MOST];
  size_t count = 0;
  for (size_t i = 0; i < clew_option_count; i++) {
    if (applies(&clew_option_table[i], command) && clew_option_table[i].help != NULL) {
      names[count++] = clew_option_table[i].name;
    }
  }
  struct clew_text copy = {0};
  clew_text_put_n(&copy, name, length);
  const char *nearest = clew_diag_nearest(clew_text_str(&copy), names, count);
  complain(error, "unknown option --%s", clew_text_str(&copy));
  if (nearest != NULL) {
    clew_text_printf(error, " (did you mean --%s?)", nearest);
  }
  clew_text_free(&copy);
  return false;
}

/* The option that `word` ("--name", "--name=value", "-x") names; NULL and an error when there is
 * none for this command. *value is what follows '=', or NULL. */
static const struct clew_option *find_option(enum clew_command_id command, const char *word,
                                             const char **value, struct clew_text *error) {
  assert(word[0] == '-' && word[1] != '\0');
  bool is_long = word[1] == '-';
  const char *name = word + (is_long ? 2 : 1);
  size_t length = is_long ? strcspn(name, "=") : 1;
  *value = is_long && name[length] == '=' ? name + length + 1 : NULL;
  const struct clew_option *elsewhere = NULL;
  for (size_t i = 0; i < clew_option_count; i++) {
    const struct clew_option *option = &clew_option_table[i];
    if (option->group != NULL) {
      continue;
    }
    bool same = is_long ? strlen(option->name) == length && memcmp(option->name, name, length) == 0
                        : option->letter == name[0] && name[1] == '\0';
    if (same && applies(option, command)) {
      return option;
    }
    elsewhere = same ? option : elsewhere;
  }
  if (elsewhere != NULL) {
    complain(error, "--%s does not apply to %s", elsewhere->name, clew_commands[command].name);
  } else if (!is_long) {
    complain(error, "unknown option %s", word);
  } else {
    complain_unknown(error, command, name, length);
  }
  return NULL;
}

/* Whether `value` is one of the words of "a|b|c". */
static bool is_choice(const char *choices, const char *value) {
  assert(choices != NULL && value != NULL);
  size_t length = strlen(value);
  for (const char *at = choices;;) {
    size_t word = strcspn(at, "|");
    if (word == length && memcmp(at, value, length) == 0) {
      return true;
    }
    if (at[word] == '\0') {
      return false;
    }
    at += word + 1;
  }
}

static bool set_value(struct clew_options *options, const struct clew_option *option,
                      const char *value, struct clew_text *error) {
  void *field = (char *)options + option->offset;
  uint64_t number;
  switch (option->kind) {
  case CLEW_OPTION_FLAG:
    assert(value == NULL);
    *(bool *)field = true;
    return true;
  case CLEW_OPTION_TEXT:
    *(const char **)field = value;
    return value[0] != '\0' ||
           complain(error, "--%s needs a value that is not empty", option->name);
  case CLEW_OPTION_CHOICE:
    *(const char **)field = value;
    return is_choice(option->argument, value) ||
           complain(error, "--%s is one of %s, not '%s'", option->name, option->argument, value);
  case CLEW_OPTION_LIST:
    clew_vec_push((struct clew_string_list *)field, value);
    return true;
  case CLEW_OPTION_COUNT:
  case CLEW_OPTION_POSITIVE: {
    uint64_t least = option->kind == CLEW_OPTION_POSITIVE ? 1 : 0;
    /* The greatest number means "not given". */
    if (!clew_text_parse_u64(value, &number) || number < least || number == CLEW_ABSENT) {
      return complain(error, "--%s needs a whole number from %u on, not '%s'", option->name,
                      (unsigned)least, value);
    }
    *(uint64_t *)field = number;
    return true;
  }
  case CLEW_OPTION_BYTES:
    if (!clew_text_parse_bytes(value, &number) || number == CLEW_ABSENT) {
      return complain(error, "--%s needs a size such as 300M or 8G, not '%s'", option->name, value);
    }
    *(uint64_t *)field = number;
    return true;
  case CLEW_OPTION_REAL:
    if (!clew_text_parse_double(value, (double *)field) || *(double *)field < 0) {
      return complain(error, "--%s needs a number of seconds, not '%s'", option->name, value);
    }
    return true;
  }
  return false;
}

/* Parses the option at argv[*at]; moves *at to its last word. */
static bool parse_option(struct clew_options *options, int argc, char **argv, int *at,
                         struct clew_text *error) {
  const char *value;
  const struct clew_option *option = find_option(options->command, argv[*at], &value, error);
  if (option == NULL) {
    return false;
  }
  if (option->kind == CLEW_OPTION_FLAG) {
    return value == NULL ? set_value(options, option, NULL, error)
                         : complain(error, "--%s takes no value", option->name);
  }
  if (value == NULL) {
    /* "--json --quiet" is a forgotten value, not a file called --quiet. */
    const char *next = *at + 1 < argc ? argv[*at + 1] : NULL;
    if (next == NULL || strncmp(next, "--", 2) == 0) {
      return complain(error, "--%s needs a value: --%s %s", option->name, option->name,
                      option->argument);
    }
    value = next;
    (*at)++;
  }
  return set_value(options, option, value, error);
}

static bool check_operands(const struct clew_options *options, struct clew_text *error) {
  assert(options->command < CLEW_COMMAND_COUNT);
  const struct clew_command *command = &clew_commands[options->command];
  uint32_t count = options->operands.len;
  if (options->help || (count >= command->least && count <= command->most)) {
    return true;
  }
  if (count > command->most) {
    return complain(error, "unexpected argument '%s': the form is clew %s%s%s [options]",
                    options->operands.data[command->most], command->name,
                    command->operands[0] != '\0' ? " " : "", command->operands);
  }
  return complain(error, "missing argument: the form is clew %s %s [options]", command->name,
                  command->operands);
}

bool clew_options_parse(struct clew_options *options, int argc, char **argv,
                        struct clew_text *error) {
  set_defaults(options);
  options->argc = argc;
  options->argv = argv;
  if (argc < 2) {
    return complain(error, "no command");
  }
  const char *first = argv[1];
  if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
    first = "help";
  } else if (strcmp(first, "--version") == 0) {
    first = "version";
  }
  if (!find_command(options, first, error)) {
    return false;
  }
  bool only_operands = false;
  for (int i = 2; i < argc; i++) {
    if (!only_operands && strcmp(argv[i], "--") == 0) {
      only_operands = true;
    } else if (!only_operands && argv[i][0] == '-' && argv[i][1] != '\0') {
      if (!parse_option(options, argc, argv, &i, error)) {
        return false;
      }
    } else {
      clew_vec_push(&options->operands, argv[i]);
    }
  }
  return check_operands(options, error);
}

void clew_options_line(const struct clew_options *options, struct clew_text *out) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "-_=+./,:@%";
  clew_text_put(out, "clew");
  for (int i = 1; i < options->argc; i++) {
    const char *word = options->argv[i];
    clew_text_char(out, ' ');
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
      clew_text_put(out, word);
      continue;
    }
    clew_text_char(out, '\'');
    for (; *word != '\0'; word++) {
      if (*word == '\'') {
        clew_text_put(out, "'\\''");
      } else {
        clew_text_char(out, *word);
      }
    }
    clew_text_char(out, '\'');
  }
}

void clew_options_free(struct clew_options *options) {
  clew_vec_free(&options->operands);
  for (size_t i = 0; i < clew_option_count; i++) {
    const struct clew_option *option = &clew_option_table[i];
    if (option->group == NULL && option->kind == CLEW_OPTION_LIST) {
      struct clew_string_list *list = (void *)((char *)options + option->offset);
      clew_vec_free(list);
    }
  }
}
