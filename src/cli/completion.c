/* `clew completion`: scripts for shells, from the tables that parse the command line. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/registry.h"

/* An option as a shell sees it. */
struct entry {
  const struct clew_option_spec *spec;
  char letter;
  bool is_file; /* its value is the name of a file or a directory */
};

struct entries {
  CLEW_VEC(struct entry) list;
};

static bool names_file(const struct clew_option_spec *spec) {
  return spec->argument != NULL &&
         (strstr(spec->argument, "FILE") != NULL || strcmp(spec->argument, "DIR") == 0);
}

static void add_entry(struct entries *entries, const struct clew_option_spec *spec, char letter) {
  for (uint32_t i = 0; i < entries->list.len; i++) {
    if (strcmp(entries->list.data[i].spec->name, spec->name) == 0) {
      return; /* several stores may have it */
    }
  }
  if (spec->help != NULL) {
    struct entry entry = {.spec = spec, .letter = letter, .is_file = names_file(spec)};
    clew_vec_push(&entries->list, entry);
  }
}

static void add_table(struct entries *entries, const struct clew_option_table *table) {
  for (uint32_t i = 0; i < table->count; i++) {
    add_entry(entries, &table->specs[i], 0);
  }
}

/* All options of a command. */
static void collect(enum clew_command_id command, struct entries *entries) {
  for (size_t i = 0; i < clew_command_option_count; i++) {
    const struct clew_option *option = &clew_command_options[i];
    if (option->group == NULL && (option->commands >> command & 1) != 0) {
      add_entry(entries, &option->spec, option->letter);
    }
  }
  if (clew_command_searches(command)) {
    for (size_t i = 0; clew_stores[i] != NULL; i++) {
      add_table(entries, &clew_stores[i]->options);
    }
    for (size_t i = 0; clew_engines[i] != NULL; i++) {
      add_table(entries, &clew_engines[i]->options);
    }
  }
}

/* The words that the value may be, separated by blanks; nothing: any text. */
static void put_words(struct clew_text *out, const struct clew_option_spec *spec) {
  if (spec->kind == CLEW_OPTION_CHOICE) {
    for (const char *c = spec->argument; *c != '\0'; c++) {
      clew_text_char(out, *c == '|' ? ' ' : *c);
    }
  } else if (strcmp(spec->name, "store") == 0) {
    clew_text_put(out, "auto");
    for (size_t i = 0; clew_stores[i] != NULL; i++) {
      clew_text_printf(out, " %s", clew_stores[i]->name);
    }
  } else if (strcmp(spec->name, "search") == 0) {
    for (size_t i = 0; clew_engines[i] != NULL; i++) {
      clew_text_printf(out, "%s%s", i > 0 ? " " : "", clew_engines[i]->name);
    }
  } else if (strcmp(spec->name, "lang") == 0) {
    for (size_t i = 0; clew_languages[i] != NULL; i++) {
      clew_text_printf(out, "%s%s", i > 0 ? " " : "", clew_languages[i]->name);
    }
  }
}

/* Within single quotes; `drop` are characters that mean something even there. */
static void put_quoted(struct clew_text *out, const char *text, const char *drop) {
  for (; *text != '\0'; text++) {
    if (*text == '\'') {
      clew_text_put(out, "'\\''");
    } else if (strchr(drop, *text) == NULL) {
      clew_text_char(out, *text);
    }
  }
}

/* ---- bash ---- */

static void put_bash_values(struct clew_text *out, const struct entries *all) {
  clew_text_put(out, "  case \"$prev\" in\n");
  for (uint32_t i = 0; i < all->list.len; i++) {
    const struct entry *entry = &all->list.data[i];
    struct clew_text words = {0};
    put_words(&words, entry->spec);
    if (entry->spec->kind != CLEW_OPTION_FLAG) {
      clew_text_printf(out, "  --%s) ", entry->spec->name);
      if (words.len > 0) {
        clew_text_printf(out, "COMPREPLY=($(compgen -W '%s' -- \"$cur\"))", clew_text_str(&words));
      } else {
        clew_text_put(out, entry->is_file ? "COMPREPLY=($(compgen -f -- \"$cur\"))" : ":");
      }
      clew_text_put(out, "; return ;;\n");
    }
    clew_text_free(&words);
  }
  clew_text_put(out, "  esac\n");
}

static void put_bash(struct clew_text *out) {
  struct entries all = {0};
  for (uint32_t i = 0; i < CLEW_COMMAND_COUNT; i++) {
    collect((enum clew_command_id)i, &all);
  }
  clew_text_put(out, "# Completion of clew for bash: source it, or put it where bash-completion "
                     "looks.\n_clew() {\n  local cur=${COMP_WORDS[COMP_CWORD]} "
                     "prev=${COMP_WORDS[COMP_CWORD-1]} options=\n  COMPREPLY=()\n");
  clew_text_put(out, "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W '");
  for (uint32_t i = 0; i < CLEW_COMMAND_COUNT; i++) {
    clew_text_printf(out, "%s%s", i > 0 ? " " : "", clew_commands[i].name);
  }
  clew_text_put(out, "' -- \"$cur\"))\n    return\n  fi\n");
  put_bash_values(out, &all);
  clew_text_put(out, "  case \"${COMP_WORDS[1]}\" in\n");
  for (uint32_t i = 0; i < CLEW_COMMAND_COUNT; i++) {
    struct entries own = {0};
    collect((enum clew_command_id)i, &own);
    clew_text_printf(out, "  %s) options='", clew_commands[i].name);
    for (uint32_t k = 0; k < own.list.len; k++) {
      clew_text_printf(out, "%s--%s", k > 0 ? " " : "", own.list.data[k].spec->name);
    }
    clew_text_put(out, "' ;;\n");
    clew_vec_free(&own.list);
  }
  clew_text_put(out, "  esac\n  case \"$cur\" in\n  -*) COMPREPLY=($(compgen -W \"$options\" -- "
                     "\"$cur\")) ;;\n  *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n  esac\n}\n"
                     "complete -o filenames -F _clew clew\n");
  clew_vec_free(&all.list);
}

/* ---- zsh ---- */

static void put_zsh_option(struct clew_text *out, const struct entry *entry) {
  struct clew_text words = {0};
  put_words(&words, entry->spec);
  clew_text_printf(out, " \\\n      '*--%s[", entry->spec->name);
  put_quoted(out, entry->spec->help, "[]");
  clew_text_char(out, ']');
  if (entry->spec->kind != CLEW_OPTION_FLAG) {
    clew_text_put(out, ":value:");
    if (words.len > 0) {
      clew_text_printf(out, "(%s)", clew_text_str(&words));
    } else if (entry->is_file) {
      clew_text_put(out, "_files");
    }
  }
  clew_text_char(out, '\'');
  clew_text_free(&words);
}

static void put_zsh(struct clew_text *out) {
  clew_text_put(out,
                "#compdef clew\n# Completion of clew for zsh: put it as _clew into a directory "
                "of $fpath.\n_clew() {\n  local -a commands=(\n");
  for (uint32_t i = 0; i < CLEW_COMMAND_COUNT; i++) {
    clew_text_printf(out, "    '%s:", clew_commands[i].name);
    put_quoted(out, clew_commands[i].help, ":");
    clew_text_put(out, "'\n");
  }
  clew_text_put(out, "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    "
                     "return\n  fi\n  case $words[2] in\n");
  for (uint32_t i = 0; i < CLEW_COMMAND_COUNT; i++) {
    struct entries own = {0};
    collect((enum clew_command_id)i, &own);
    clew_text_printf(out, "  %s)\n    _arguments -S '*:file:_files'", clew_commands[i].name);
    for (uint32_t k = 0; k < own.list.len; k++) {
      put_zsh_option(out, &own.list.data[k]);
    }
    clew_text_put(out, " ;;\n");
    clew_vec_free(&own.list);
  }
  clew_text_put(out, "  esac\n}\n_clew \"$@\"\n");
}

/* ---- fish ---- */

static void put_fish_option(struct clew_text *out, const char *command, const struct entry *entry) {
  struct clew_text words = {0};
  put_words(&words, entry->spec);
  clew_text_printf(out, "complete -c clew -n '__fish_seen_subcommand_from %s' -l %s", command,
                   entry->spec->name);
  if (entry->letter != 0) {
    clew_text_printf(out, " -s %c", entry->letter);
  }
  if (entry->spec->kind != CLEW_OPTION_FLAG) {
    clew_text_put(out, entry->is_file ? " -r -F" : " -x");
  }
  if (words.len > 0) {
    clew_text_printf(out, " -a '%s'", clew_text_str(&words));
  }
  clew_text_put(out, " -d '");
  for (const char *c = entry->spec->help; *c != '\0'; c++) {
    clew_text_put(out, *c == '\'' || *c == '\\' ? "\\" : "");
    clew_text_char(out, *c);
  }
  clew_text_put(out, "'\n");
  clew_text_free(&words);
}

static void put_fish(struct clew_text *out) {
  clew_text_put(out, "# Completion of clew for fish: put it into ~/.config/fish/completions.\n");
  for (uint32_t i = 0; i < CLEW_COMMAND_COUNT; i++) {
    struct entries own = {0};
    collect((enum clew_command_id)i, &own);
    clew_text_printf(out, "complete -c clew -n __fish_use_subcommand -f -a %s -d '",
                     clew_commands[i].name);
    for (const char *c = clew_commands[i].help; *c != '\0'; c++) {
      clew_text_put(out, *c == '\'' || *c == '\\' ? "\\" : "");
      clew_text_char(out, *c);
    }
    clew_text_put(out, "'\n");
    for (uint32_t k = 0; k < own.list.len; k++) {
      put_fish_option(out, clew_commands[i].name, &own.list.data[k]);
    }
    clew_vec_free(&own.list);
  }
}

enum clew_exit clew_command_completion(const struct clew_options *options) {
  static const struct {
    const char *shell;
    void (*put)(struct clew_text *out);
  } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
  assert(options->operands.len == 1);
  for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
    if (strcmp(options->operands.data[0], shells[i].shell) == 0) {
      struct clew_text text = {0};
      shells[i].put(&text);
      fwrite(clew_text_str(&text), 1, text.len, stdout);
      clew_text_free(&text);
      return CLEW_EXIT_OK;
    }
  }
  return clew_message_usage(options->command, "completion is there for bash, zsh and fish");
}
