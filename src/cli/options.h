/* The command line: which command, its operands, and the options, parsed from the tables
 * commands.def and options.def. Parsing checks the form of values; what they name is checked by
 * those who use them. Nothing here prints. */
#ifndef CLEW_CLI_OPTIONS_H
#define CLEW_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

struct clew_options;

enum clew_command_id {
#define CLEW_COMMAND(id, operands, least, most, function, help) CLEW_COMMAND_##id,
#include "cli/commands.def"
#undef CLEW_COMMAND
  CLEW_COMMAND_COUNT,
};

struct clew_command {
  const char *name, *operands, *help;
  uint32_t least, most; /* operands */
  enum clew_exit (*run)(const struct clew_options *options);
};

extern const struct clew_command clew_commands[CLEW_COMMAND_COUNT];

enum clew_option_kind {
  CLEW_OPTION_FLAG,
  CLEW_OPTION_TEXT,
  CLEW_OPTION_CHOICE,
  CLEW_OPTION_LIST,
  CLEW_OPTION_COUNT,
  CLEW_OPTION_POSITIVE,
  CLEW_OPTION_BYTES,
  CLEW_OPTION_REAL,
};

struct clew_option {
  const char *group; /* the title of a section of the help; everything else is empty then */
  enum clew_option_kind kind;
  char letter; /* short form, or 0 */
  const char *name, *argument;
  unsigned commands; /* bit set over enum clew_command_id */
  const char *help;  /* NULL: hidden */
  size_t offset;     /* of the field in struct clew_options */
};

/* Options and group titles, as in options.def. */
extern const struct clew_option clew_option_table[];
extern const size_t clew_option_count;

struct clew_string_list {
  const char **data;
  uint32_t len, cap;
};

#define CLEW_FIELD_flag(field) bool field;
#define CLEW_FIELD_text(field) const char *field;
#define CLEW_FIELD_choice(field) const char *field;
#define CLEW_FIELD_list(field) struct clew_string_list field;
#define CLEW_FIELD_count(field) uint64_t field;
#define CLEW_FIELD_positive(field) uint64_t field;
#define CLEW_FIELD_bytes(field) uint64_t field;
#define CLEW_FIELD_real(field) double field;
struct clew_options {
  int argc;
  char **argv; /* borrowed, as given */
  enum clew_command_id command;
  struct clew_string_list operands;
#define CLEW_OPTION_GROUP(title)
#define CLEW_OPTION(kind, field, letter, name, argument, commands, help) CLEW_FIELD_##kind(field)
#include "cli/options.def"
#undef CLEW_OPTION
#undef CLEW_OPTION_GROUP
};

/* Strings are borrowed from argv. False: a usage error, described in *error; options->command is
 * then the command if that much was understood, else CLEW_COMMAND_COUNT. Free in any case. */
bool clew_options_parse(struct clew_options *options, int argc, char **argv,
                        struct clew_text *error);
/* The command line as one line that a shell would read back. */
void clew_options_line(const struct clew_options *options, struct clew_text *out);
void clew_options_free(struct clew_options *options);

/* The commands. */
#define CLEW_COMMAND(id, operands, least, most, function, help)                                    \
  enum clew_exit clew_command_##function(const struct clew_options *options);
#include "cli/commands.def"
#undef CLEW_COMMAND

#endif
