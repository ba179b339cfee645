/* Parsing the command line from the tables: its own, and those of stores and engines. */
#include "cli/options.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "cli/store_options.h"
#include "report/result.h"

const struct clew_command clew_commands[CLEW_COMMAND_COUNT] = {
#define CLEW_COMMAND(id, operands_, least_, most_, function, help_)                                \
  [CLEW_COMMAND_##id] = {.name = #id,                                                              \
                         .operands = operands_,                                                    \
                         .help = help_,                                                            \
                         .least = least_,                                                          \
                         .most = most_,                                                            \
                         .execute = clew_command_##function},
#include "cli/commands.def"
#undef CLEW_COMMAND
};

enum {
#define CLEW_COMMAND(id, operands, least, most, function, help) BIT_##id = 1 << CLEW_COMMAND_##id,
#include "cli/commands.def"
#undef CLEW_COMMAND
  ON_CHECK = BIT_check,
  ON_STATS = BIT_stats,
  ON_SEARCH = BIT_check | BIT_stats | BIT_resume,
  ON_RESUME = BIT_resume,
  ON_ESTIMATE = BIT_estimate,
  ON_SIMULATE = BIT_simulate,
  ON_REPLAY = BIT_replay,
  ON_GRAPH = BIT_graph,
  ON_EXPLORE = BIT_explore,
  ON_INFO = BIT_info,
  ON_SUITE = BIT_suite,
  ON_HELP = BIT_help,
  SHAPES_MODEL = CLEW_OPTION_SHAPES_MODEL,
  ON_MODEL =
      ON_CHECK | ON_STATS | ON_SIMULATE | ON_REPLAY | ON_GRAPH | ON_INFO | ON_ESTIMATE | ON_EXPLORE,
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
const struct clew_option clew_command_options[] = {
#define CLEW_OPTION_GROUP(title) {.group = title},
#define CLEW_OPTION(kind_, field, letter_, name_, argument_, commands_, help_)                     \
  {.letter = letter_,                                                                              \
   .commands = commands_,                                                                          \
   .spec = {.kind = KIND_##kind_,                                                                  \
            .name = name_,                                                                         \
            .argument = argument_,                                                                 \
            .help = help_,                                                                         \
            .offset = offsetof(struct clew_options, field)}},
#include "cli/options.def"
#undef CLEW_OPTION
#undef CLEW_OPTION_GROUP
};
const size_t clew_command_option_count =
    sizeof clew_command_options / sizeof clew_command_options[0];

bool clew_command_searches(enum clew_command_id command) {
  assert(command < CLEW_COMMAND_COUNT);
  return (ON_SEARCH >> command & 1) != 0;
}

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
  CLEW_VEC(const char *) names = {0};
  for (size_t i = 0; i < clew_command_option_count; i++) {
    const struct clew_option *option = &clew_command_options[i];
    if (applies(option, command) && option->spec.help != NULL) {
      clew_vec_push(&names, option->spec.name);
    }
  }
  const struct clew_option_table *table;
  for (uint32_t part = 0;
       clew_command_searches(command) && (table = clew_part_options(part)) != NULL; part++) {
    for (uint32_t i = 0; i < table->count; i++) {
      clew_vec_push(&names, table->specs[i].name);
    }
  }
  struct clew_text copy = {0};
  clew_text_put_n(&copy, name, length);
  const char *nearest = clew_diag_nearest(clew_text_str(&copy), names.data, names.len);
  complain(error, "unknown option --%s", clew_text_str(&copy));
  if (nearest != NULL) {
    clew_text_printf(error, " (did you mean --%s?)", nearest);
  }
  clew_text_free(&copy);
  clew_vec_free(&names);
  return false;
}

/* An option as the parser needs it: what it is, and where it goes. */
struct found {
  const struct clew_option_spec *spec; /* NULL: there is none */
  bool is_given;                       /* to a store or an engine: it is remembered */
  const char *value;                   /* what follows '=', or NULL */
};

/* The option that `word` ("--name", "--name=value", "-x") names; without a spec, and an error, when
 * there is none for this command. */
static struct found find_option(enum clew_command_id command, const char *word,
                                struct clew_text *error) {
  assert(word[0] == '-' && word[1] != '\0');
  bool is_long = word[1] == '-';
  const char *name = word + (is_long ? 2 : 1);
  size_t length = is_long ? strcspn(name, "=") : 1;
  struct found found = {.value = is_long && name[length] == '=' ? name + length + 1 : NULL};
  const struct clew_option_spec *elsewhere = NULL;
  for (size_t i = 0; i < clew_command_option_count; i++) {
    const struct clew_option *option = &clew_command_options[i];
    if (option->group != NULL) {
      continue;
    }
    const struct clew_option_spec *spec = &option->spec;
    bool same = is_long ? strlen(spec->name) == length && memcmp(spec->name, name, length) == 0
                        : option->letter == name[0] && name[1] == '\0';
    if (same && applies(option, command)) {
      found.spec = spec;
      return found;
    }
    elsewhere = same ? spec : elsewhere;
  }
  const struct clew_option_spec *of_part = is_long ? clew_part_option(name, length) : NULL;
  if (of_part != NULL && clew_command_searches(command)) {
    found.spec = of_part;
    found.is_given = true;
    return found;
  }
  elsewhere = elsewhere != NULL ? elsewhere : of_part;
  if (elsewhere != NULL) {
    complain(error, "--%s does not apply to %s", elsewhere->name, clew_commands[command].name);
  } else if (!is_long) {
    complain(error, "unknown option %s", word);
  } else {
    complain_unknown(error, command, name, length);
  }
  return found;
}

/* Parses the option at argv[*at]; moves *at to its last word. */
static bool parse_option(struct clew_options *options, int argc, char **argv, int *at,
                         struct clew_text *error) {
  struct found found = find_option(options->command, argv[*at], error);
  const struct clew_option_spec *spec = found.spec;
  if (spec == NULL) {
    return false;
  }
  const char *value = found.value;
  bool is_flag = spec->kind == CLEW_OPTION_FLAG;
  if (is_flag && value != NULL) {
    return complain(error, "--%s takes no value", spec->name);
  }
  if (!is_flag && value == NULL) {
    /* "--json --quiet" is a forgotten value, not a file called --quiet. */
    const char *next = *at + 1 < argc ? argv[*at + 1] : NULL;
    if (next == NULL || strncmp(next, "--", 2) == 0) {
      return complain(error, "--%s needs a value: --%s %s", spec->name, spec->name, spec->argument);
    }
    value = next;
    (*at)++;
  }
  if (found.is_given) {
    clew_vec_push(&options->given, ((struct clew_given_option){spec->name, value}));
    return true;
  }
  return clew_option_set(spec, value, options, error);
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

/* How many words at this place set a limit. */
static int limit_words(const char *word) {
  static const char *const names[] = {"--max-states", "--max-depth", "--max-time"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    size_t length = strlen(names[i]);
    if (strncmp(word, names[i], length) == 0 && (word[length] == '\0' || word[length] == '=')) {
      return word[length] == '=' ? 1 : 2;
    }
  }
  return 0;
}

/* False: there are no limits to leave out. */
static bool put_words(const struct clew_options *options, bool with_limits, struct clew_text *out) {
  bool any = false;
  clew_text_put(out, "clew");
  for (int i = 1; i < options->argc; i++) {
    int skipped = with_limits ? 0 : limit_words(options->argv[i]);
    if (skipped > 0) {
      i += skipped - 1;
      any = true;
      continue;
    }
    clew_text_char(out, ' ');
    clew_text_put_shell(out, options->argv[i]);
  }
  return any;
}

void clew_options_line(const struct clew_options *options, struct clew_text *out) {
  (void)put_words(options, true, out);
}

void clew_options_line_unlimited(const struct clew_options *options, struct clew_text *out) {
  if (!put_words(options, false, out)) {
    clew_text_clear(out);
  }
}

void clew_options_free(struct clew_options *options) {
  clew_vec_free(&options->operands);
  clew_vec_free(&options->given);
  for (size_t i = 0; i < clew_command_option_count; i++) {
    const struct clew_option *option = &clew_command_options[i];
    if (option->group == NULL) {
      clew_option_free_lists(&(struct clew_option_table){.specs = &option->spec, .count = 1},
                             options);
    }
  }
}

unsigned clew_options_trace_style(const struct clew_options *options) {
  return (options->trace_full ? (unsigned)CLEW_TRACE_FULL : 0) |
         (options->trace_time == CLEW_CHOICE_TRACE_TIME_LATEST ? (unsigned)CLEW_TRACE_LATEST : 0);
}
