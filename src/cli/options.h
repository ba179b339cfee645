/* The command line: which command, its operands, and the options, parsed from the tables
 * commands.def and options.def and from those that stores and engines bring (cli/store_options.h).
 * Parsing checks the form of the command line's own values; what they name is checked by those who
 * use them, and the values of stores and engines when these are chosen. Nothing here prints. */
#ifndef CLEW_CLI_OPTIONS_H
#define CLEW_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/option.h"
#include "base/status.h"
#include "base/text.h"
#include "base/vec.h"

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
  enum clew_exit (*execute)(const struct clew_options *options);
};

extern const struct clew_command clew_commands[CLEW_COMMAND_COUNT];

/* Whether the command searches, and so takes the options of stores and engines. */
bool clew_command_searches(enum clew_command_id command);

/* The option decides what the model is, for whoever replays a trace of it. */
enum { CLEW_OPTION_SHAPES_MODEL = 1 << 30 };

struct clew_option {
  const char *group; /* the title of a section of the help; everything else is empty then */
  char letter;       /* short form, or 0 */
  unsigned commands; /* bit set over enum clew_command_id, and the flag below */
  struct clew_option_spec spec; /* a field of struct clew_options */
};

/* Options and group titles, as in options.def. */
extern const struct clew_option clew_command_options[];
extern const size_t clew_command_option_count;

/* The choices of options.def, in the order in which they stand there; 0 is one not made. */
enum { CLEW_CHOICE_EXEC_AUTO = 1, CLEW_CHOICE_EXEC_INTERP, CLEW_CHOICE_EXEC_NATIVE };
enum { CLEW_CHOICE_SYMMETRY_CANONICAL = 1, CLEW_CHOICE_SYMMETRY_FAST, CLEW_CHOICE_SYMMETRY_OFF };
enum { CLEW_CHOICE_TIME_ZONES = 1, CLEW_CHOICE_TIME_DIGITAL, CLEW_CHOICE_TIME_NONE };
enum { CLEW_CHOICE_ZONE_SHARED = 1, CLEW_CHOICE_ZONE_FLAT, CLEW_CHOICE_ZONE_MINIMAL };
enum {
  CLEW_CHOICE_EXTRAPOLATION_AUTO = 1,
  CLEW_CHOICE_EXTRAPOLATION_LU,
  CLEW_CHOICE_EXTRAPOLATION_M,
  CLEW_CHOICE_EXTRAPOLATION_NONE
};
enum {
  CLEW_CHOICE_SUBSUMPTION_INCLUSION = 1,
  CLEW_CHOICE_SUBSUMPTION_ALU,
  CLEW_CHOICE_SUBSUMPTION_NONE
};
enum { CLEW_CHOICE_TRACE_TIME_EARLIEST = 1, CLEW_CHOICE_TRACE_TIME_LATEST };
enum { CLEW_CHOICE_TRACE_ORDER_STEPS = 1, CLEW_CHOICE_TRACE_ORDER_TIME };
enum { CLEW_CHOICE_COLOR_AUTO = 1, CLEW_CHOICE_COLOR_ALWAYS, CLEW_CHOICE_COLOR_NEVER };

/* An option of a store or an engine as it was given. */
struct clew_given_option {
  const char *name;  /* of its table */
  const char *value; /* NULL for a flag */
};

#define CLEW_FIELD_flag(field) bool field;
#define CLEW_FIELD_text(field) const char *field;
#define CLEW_FIELD_choice(field) uint32_t field;
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
  CLEW_VEC(struct clew_given_option) given; /* for stores and engines, in order */
  bool has_deadline, deadline_is_strict;    /* of timed models, as in struct clew_zone_options */
  int32_t deadline;
  /* The text of the model, where it is not that of a file; operand 0 is its name then. Borrowed. */
  const struct clew_source *source;
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
/* How traces are to be printed: a set of enum clew_trace_style. */
unsigned clew_options_trace_style(const struct clew_options *options);
/* The command line as one line that a shell would read back. */
void clew_options_line(const struct clew_options *options, struct clew_text *out);
/* The same without limits of states, depth and time; nothing where there are none. */
void clew_options_line_unlimited(const struct clew_options *options, struct clew_text *out);
void clew_options_free(struct clew_options *options);

/* The commands. */
#define CLEW_COMMAND(id, operands, least, most, function, help)                                    \
  enum clew_exit clew_command_##function(const struct clew_options *options);
#include "cli/commands.def"
#undef CLEW_COMMAND

#endif
