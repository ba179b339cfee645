/* `clew help` and `clew version`. */
#include "cli/help.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/registry.h"
#include "cli/store_options.h"
#include "report/version.h"
#include "web/page.h"

const struct clew_exit_help clew_exit_table[] = {
    {CLEW_EXIT_OK, "every property holds (complete search, lossless store)"},
    {CLEW_EXIT_DEADLOCK, "a deadlock is reachable"},
    {CLEW_EXIT_INVARIANT, "an invariant is violated, or a cover is never reached"},
    {CLEW_EXIT_LIVENESS, "a liveness property is violated"},
    {CLEW_EXIT_ASSERTION, "an assertion fails, or the model makes a run-time error"},
    {CLEW_EXIT_INCOMPLETE, "incomplete: no violation found in what was explored"},
    {CLEW_EXIT_LOSSY, "no violation found, but the store may have left out states"},
    {CLEW_EXIT_USAGE, "the command line is wrong"},
    {CLEW_EXIT_BAD_MODEL, "the model (or the saved trace) is wrong"},
    {CLEW_EXIT_INTERNAL, "internal error, or a result that could not be written"},
    {CLEW_EXIT_STOPPED, "stopped, can be resumed"},
};
const size_t clew_exit_count = sizeof clew_exit_table / sizeof clew_exit_table[0];

enum { COLUMNS = 80 };

/* "head", then `body` from column `indent` on, broken between words. */
static void put_entry(struct clew_text *out, const char *head, size_t indent, const char *body) {
  assert(indent < COLUMNS && body != NULL);
  clew_text_printf(out, "  %s", head);
  size_t column = 2 + strlen(head);
  if (column + 2 > indent) {
    clew_text_char(out, '\n');
    column = 0;
  }
  bool first = true;
  while (*body != '\0') {
    size_t word = strcspn(body, " ");
    if (!first && column + 1 + word > COLUMNS) {
      clew_text_char(out, '\n');
      column = 0;
      first = true;
    }
    size_t blanks = first ? indent - column : 1;
    clew_text_printf(out, "%*s", (int)blanks, "");
    clew_text_put_n(out, body, word);
    column += blanks + word;
    body += word + strspn(body + word, " ");
    first = false;
  }
  clew_text_char(out, '\n');
}

/* `letter`: its short form, or 0. */
static void put_option(struct clew_text *out, const struct clew_option_spec *spec, char letter) {
  struct clew_text head = {0};
  if (letter != 0) {
    clew_text_printf(&head, "-%c, ", letter);
  }
  clew_text_printf(&head, "--%s", spec->name);
  if (spec->argument != NULL) {
    clew_text_printf(&head, " %s", spec->argument);
  }
  put_entry(out, clew_text_str(&head), 26, spec->help);
  clew_text_free(&head);
}

static void put_options(struct clew_text *out, enum clew_command_id command) {
  const char *group = NULL;
  for (size_t i = 0; i < clew_command_option_count; i++) {
    const struct clew_option *option = &clew_command_options[i];
    if (option->group != NULL) {
      group = option->group;
      continue;
    }
    if (option->spec.help == NULL || (option->commands >> command & 1) == 0) {
      continue;
    }
    if (group != NULL) {
      clew_text_printf(out, "\n%s:\n", group);
      group = NULL;
    }
    put_option(out, &option->spec, option->letter);
  }
}

static void put_part_head(struct clew_text *out, const char *title) {
  clew_text_printf(out, "\nOptions of the %s:\n", title);
}

static void put_part_option(struct clew_text *out, const struct clew_option_spec *spec) {
  put_option(out, spec, 0);
}

static void put_exit_codes(struct clew_text *out) {
  clew_text_put(out, "\nExit codes:\n");
  for (size_t i = 0; i < clew_exit_count; i++) {
    char code[16];
    snprintf(code, sizeof code, "%3d", (int)clew_exit_table[i].code);
    put_entry(out, code, 8, clew_exit_table[i].meaning);
  }
}

/* What --search and --store can name. */
static void put_choices(struct clew_text *out) {
  clew_text_put(out, "\nSearches:\n");
  for (size_t i = 0; clew_engines[i] != NULL; i++) {
    put_entry(out, clew_engines[i]->name, 12, clew_engines[i]->help);
  }
  clew_text_put(out, "\nStores:\n");
  for (size_t i = 0; clew_stores[i] != NULL; i++) {
    put_entry(out, clew_stores[i]->name, 12, clew_stores[i]->help);
  }
}

static void put_command(struct clew_text *out, enum clew_command_id id) {
  const struct clew_command *command = &clew_commands[id];
  const char *blank = command->operands[0] != '\0' ? " " : "";
  clew_text_printf(out, "clew %s%s%s [options]\n", command->name, blank, command->operands);
  clew_text_printf(out, "    %s\n", command->help);
  put_options(out, id);
  if (clew_command_searches(id)) {
    put_choices(out);
    clew_part_put_options(out, put_part_head, put_part_option);
    put_exit_codes(out);
  }
  if (id == CLEW_COMMAND_simulate) {
    clew_text_put(out, "\nStep by step, type the number of a transition, or h for help.\n");
  }
}

static void put_overview(struct clew_text *out) {
  clew_text_put(out, "clew " CLEW_VERSION ", a model checker for state spaces that do not fit in "
                     "memory\n\nCommands:\n");
  struct clew_text head = {0};
  for (size_t i = 0; i < CLEW_COMMAND_COUNT; i++) {
    clew_text_clear(&head);
    clew_text_printf(&head, "%s %s", clew_commands[i].name, clew_commands[i].operands);
    put_entry(out, clew_text_str(&head), 28, clew_commands[i].help);
  }
  clew_text_put(out, "\nLanguages, known by the suffix of the file or by --lang NAME:\n");
  for (size_t i = 0; clew_languages[i] != NULL; i++) {
    clew_text_clear(&head);
    clew_text_put(&head, clew_languages[i]->name);
    for (const char *const *suffix = clew_languages[i]->suffixes; *suffix != NULL; suffix++) {
      clew_text_printf(&head, " %s", *suffix);
    }
    put_entry(out, clew_text_str(&head), 28, clew_languages[i]->help);
  }
  clew_text_free(&head);
  put_exit_codes(out);
  clew_text_put(out, "\nclew help COMMAND lists the options of a command, clew help LANGUAGE is a "
                     "card of a language.\n");
}

static enum clew_exit print(struct clew_text *text) {
  fwrite(clew_text_str(text), 1, text->len, stdout);
  clew_text_free(text);
  return CLEW_EXIT_OK;
}

enum clew_exit clew_help_command(enum clew_command_id command) {
  assert(command < CLEW_COMMAND_COUNT);
  struct clew_text text = {0};
  put_command(&text, command);
  return print(&text);
}

/* The card of a language: docs/cards. */
static bool put_card(const char *name, struct clew_text *out) {
  for (size_t i = 0; clew_languages[i] != NULL; i++) {
    if (strcmp(clew_languages[i]->name, name) == 0) {
      struct clew_text file = {0};
      clew_text_printf(&file, "%s.txt", name);
      const struct clew_asset *card = clew_asset_find(clew_text_str(&file));
      clew_text_free(&file);
      clew_text_put_n(out, card->text, card->length);
      return true;
    }
  }
  return false;
}

enum clew_exit clew_command_help(const struct clew_options *options) {
  struct clew_text text = {0};
  if (options->man) {
    clew_help_man(&text);
    return print(&text);
  }
  if (options->operands.len == 0) {
    put_overview(&text);
    return print(&text);
  }
  const char *name = options->operands.data[0];
  if (put_card(name, &text)) {
    return print(&text);
  }
  const char *names[CLEW_COMMAND_COUNT];
  for (uint32_t i = 0; i < CLEW_COMMAND_COUNT; i++) {
    names[i] = clew_commands[i].name;
    if (strcmp(name, names[i]) == 0) {
      return clew_help_command((enum clew_command_id)i);
    }
  }
  const char *nearest = clew_diag_nearest(name, names, CLEW_COMMAND_COUNT);
  return clew_message_usage(CLEW_COMMAND_help, "there is no command '%s'%s%s%s", name,
                            nearest != NULL ? " (did you mean " : "",
                            nearest != NULL ? nearest : "", nearest != NULL ? "?)" : "");
}

enum clew_exit clew_command_version(const struct clew_options *options) {
  assert(options->command == CLEW_COMMAND_version);
  printf("clew %s\n", CLEW_VERSION);
  return CLEW_EXIT_OK;
}
