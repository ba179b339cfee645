/* The manual page, in roff, from the tables that parse the command line. */
#include <assert.h>
#include <string.h>

#include "cli/help.h"
#include "cli/registry.h"
#include "cli/store_options.h"
#include "report/version.h"

/* Text in which nothing is markup: backslashes, hyphens, and dots or quotes that begin a line. */
static void put_escaped(struct clew_text *out, const char *text) {
  assert(text != NULL);
  if (*text == '.' || *text == '\'') {
    clew_text_put(out, "\\&");
  }
  for (; *text != '\0'; text++) {
    if (*text == '\\') {
      clew_text_put(out, "\\e");
    } else if (*text == '-') {
      clew_text_put(out, "\\-");
    } else {
      clew_text_char(out, *text);
    }
  }
}

static void put_section(struct clew_text *out, const char *title) {
  clew_text_printf(out, ".SH %s\n", title);
}

/* An entry of a list: its head (already marked up) and its text. */
static void put_item(struct clew_text *out, const char *head, const char *body) {
  assert(head[0] != '\0');
  clew_text_printf(out, ".TP\n%s\n", head);
  put_escaped(out, body);
  clew_text_char(out, '\n');
}

static void put_commands(struct clew_text *out) {
  put_section(out, "COMMANDS");
  struct clew_text head = {0};
  for (size_t i = 0; i < CLEW_COMMAND_COUNT; i++) {
    clew_text_clear(&head);
    clew_text_printf(&head, "\\fBclew %s\\fR \\fI", clew_commands[i].name);
    put_escaped(&head, clew_commands[i].operands);
    clew_text_put(&head, "\\fR");
    put_item(out, clew_text_str(&head), clew_commands[i].help);
  }
  clew_text_free(&head);
}

/* "check, stats": where an option applies; nothing when everywhere. */
static void put_where(struct clew_text *out, unsigned commands) {
  assert(commands != 0);
  if (commands == (1U << CLEW_COMMAND_COUNT) - 1) {
    return;
  }
  clew_text_put(out, " (");
  const char *separator = "";
  for (uint32_t i = 0; i < CLEW_COMMAND_COUNT; i++) {
    if ((commands >> i & 1) != 0) {
      clew_text_printf(out, "%s%s", separator, clew_commands[i].name);
      separator = ", ";
    }
  }
  clew_text_char(out, ')');
}

/* `commands`: where it applies; 0: that is said elsewhere. */
static void put_option(struct clew_text *out, const struct clew_option_spec *spec, char letter,
                       unsigned commands) {
  struct clew_text head = {0}, body = {0};
  if (letter != 0) {
    clew_text_printf(&head, "\\fB\\-%c\\fR, ", letter);
  }
  clew_text_put(&head, "\\fB\\-\\-");
  put_escaped(&head, spec->name);
  clew_text_put(&head, "\\fR");
  if (spec->argument != NULL) {
    clew_text_put(&head, " \\fI");
    put_escaped(&head, spec->argument);
    clew_text_put(&head, "\\fR");
  }
  clew_text_put(&body, spec->help);
  if (commands != 0) {
    put_where(&body, commands);
  }
  put_item(out, clew_text_str(&head), clew_text_str(&body));
  clew_text_free(&head);
  clew_text_free(&body);
}

static void put_part_head(struct clew_text *out, const char *title) {
  clew_text_printf(out, ".SS Options of the %s\n", title);
}

/* It applies wherever its store or engine can be chosen. */
static void put_part_option(struct clew_text *out, const struct clew_option_spec *spec) {
  put_option(out, spec, 0, 0);
}

static void put_options(struct clew_text *out) {
  put_section(out, "OPTIONS");
  clew_text_put(out, "Commands an option applies to are given in parentheses; options of searches "
                     "and stores are for the commands that have \\fB\\-\\-search\\fR and "
                     "\\fB\\-\\-store\\fR. "
                     "\\fB\\-\\-option=value\\fR and \\fB\\-\\-option value\\fR are the same; "
                     "\\fB\\-\\-\\fR ends the options.\n");
  for (size_t i = 0; i < clew_command_option_count; i++) {
    const struct clew_option *option = &clew_command_options[i];
    if (option->group != NULL) {
      clew_text_printf(out, ".SS %s\n", option->group);
    } else if (option->spec.help != NULL) {
      put_option(out, &option->spec, option->letter, option->commands);
    }
  }
  clew_part_put_options(out, put_part_head, put_part_option);
}

static void put_named(struct clew_text *out, const char *name, const char *help) {
  struct clew_text head = {0};
  clew_text_printf(&head, "\\fB%s\\fR", name);
  put_item(out, clew_text_str(&head), help);
  clew_text_free(&head);
}

static void put_registry(struct clew_text *out) {
  put_section(out, "LANGUAGES");
  for (size_t i = 0; clew_languages[i] != NULL; i++) {
    put_named(out, clew_languages[i]->name, clew_languages[i]->help);
  }
  put_section(out, "SEARCHES");
  for (size_t i = 0; clew_engines[i] != NULL; i++) {
    put_named(out, clew_engines[i]->name, clew_engines[i]->help);
  }
  put_section(out, "STORES");
  for (size_t i = 0; clew_stores[i] != NULL; i++) {
    put_named(out, clew_stores[i]->name, clew_stores[i]->help);
  }
}

static void put_exit_codes(struct clew_text *out) {
  put_section(out, "EXIT STATUS");
  for (size_t i = 0; i < clew_exit_count; i++) {
    struct clew_text code = {0};
    clew_text_printf(&code, "%d", (int)clew_exit_table[i].code);
    put_named(out, clew_text_str(&code), clew_exit_table[i].meaning);
    clew_text_free(&code);
  }
}

void clew_help_man(struct clew_text *out) {
  clew_text_put(out, ".\\\" Printed by `clew help --man`; do not edit.\n"
                     ".TH CLEW 1 \"\" \"clew " CLEW_VERSION "\" \"User Commands\"\n");
  put_section(out, "NAME");
  clew_text_put(out, "clew \\- a model checker for state spaces that do not fit in memory\n");
  put_section(out, "SYNOPSIS");
  clew_text_put(out, ".B clew\n.I COMMAND\n.RI [ MODEL ]\n.RI [ options ]\n");
  put_section(out, "DESCRIPTION");
  clew_text_put(out,
                "clew reads a model, explores its states in whatever memory it is given, and "
                "answers with a verdict that says exactly what was proved. HOLDS is said only "
                "after a complete search with a store that forgets nothing; every counterexample "
                "is replayed by the interpreter before it is shown.\n");
  put_commands(out);
  put_options(out);
  put_registry(out);
  put_exit_codes(out);
  put_section(out, "ENVIRONMENT");
  put_named(out, "TMPDIR", "where files that outgrow memory go, unless --dir is given");
  put_named(out, "NO_COLOR", "when set and not empty, the report is not colored");
  put_named(out, "CLEW_CC", "the C compiler (default: cc)");
  put_named(out, "XDG_CACHE_HOME", "compiled models are kept in its subdirectory clew");
  put_section(out, "EXAMPLES");
  clew_text_put(out, ".nf\n"
                     "clew check peterson.m\n"
                     "clew check cache.m \\-\\-memory 8G \\-\\-trace bug.json\n"
                     "clew replay cache.m bug.json\n"
                     "clew simulate peterson.m \\-\\-seed 7 \\-\\-steps 20\n"
                     ".fi\n");
}
