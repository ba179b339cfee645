/* From a command line to the origin of a trace, and back. */
#include "cli/origin.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vec.h"
#include "cli/load.h"
#include "cli/message.h"

struct words { /* a CLEW_VEC */
  const char **data;
  uint32_t len, cap;
};

static void add_value(struct clew_arena *arena, struct words *words, const char *name,
                      const char *value) {
  clew_vec_push(words, clew_arena_printf(arena, "--%s", name));
  if (value != NULL) {
    clew_vec_push(words, value);
  }
}

static void add_option(struct clew_arena *arena, struct words *words,
                       const struct clew_option_spec *spec, const struct clew_options *options) {
  const void *field = (const char *)options + spec->offset;
  switch (spec->kind) {
  case CLEW_OPTION_FLAG:
    if (*(const bool *)field) {
      add_value(arena, words, spec->name, NULL);
    }
    return;
  case CLEW_OPTION_TEXT:
    if (*(const char *const *)field != NULL) {
      add_value(arena, words, spec->name, *(const char *const *)field);
    }
    return;
  case CLEW_OPTION_CHOICE:
    if (*(const uint32_t *)field > 0) {
      const char *word;
      size_t length = clew_option_word(spec->argument, *(const uint32_t *)field, &word);
      add_value(arena, words, spec->name, clew_arena_strndup(arena, word, length));
    }
    return;
  case CLEW_OPTION_LIST: {
    const struct clew_string_list *list = field;
    for (uint32_t i = 0; i < list->len; i++) {
      add_value(arena, words, spec->name, list->data[i]);
    }
    return;
  }
  case CLEW_OPTION_COUNT:
  case CLEW_OPTION_POSITIVE:
  case CLEW_OPTION_BYTES:
  case CLEW_OPTION_REAL:
    break;
  }
  assert(false); /* numbers say how to search, not what */
}

static struct words collect(struct clew_arena *arena, const struct clew_options *options) {
  struct words words = {0};
  for (size_t i = 0; i < clew_command_option_count; i++) {
    if ((clew_command_options[i].commands & CLEW_OPTION_SHAPES_MODEL) != 0) {
      add_option(arena, &words, &clew_command_options[i].spec, options);
    }
  }
  return words;
}

void clew_origin_collect(struct clew_arena *arena, const struct clew_options *options,
                         struct clew_trace_origin *origin) {
  struct words words = collect(arena, options);
  const char **kept = CLEW_NEW_ARRAY(arena, const char *, words.len + 1);
  for (uint32_t i = 0; i < words.len; i++) {
    kept[i] = words.data[i];
  }
  origin->arguments = kept;
  origin->argument_count = words.len;
  clew_vec_free(&words);
  char directory[4096];
  origin->directory = getcwd(directory, sizeof directory) != NULL
                          ? clew_arena_strndup(arena, directory, strlen(directory))
                          : NULL;
  origin->model = options->operands.data[0];
}

/* ---- the way back ---- */

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* The places where a file of the trace may be: as it is named, from where it was named, and beside
 * the trace. */
enum { PLACES = 3 };
static const char *place_of(struct clew_arena *arena, const struct clew_trace_origin *origin,
                            const char *file, const char *name, uint32_t place) {
  assert(place < PLACES);
  if (place == 0) {
    return name;
  }
  if (place == 1) {
    return name[0] == '/' || origin->directory == NULL
               ? name
               : clew_arena_printf(arena, "%s/%s", origin->directory, name);
  }
  size_t stem = (size_t)(base_name(file) - file);
  return clew_arena_printf(arena, "%.*s%s", (int)stem, file, base_name(name));
}

/* The first that is there; one with the right text is better. NULL: there is none. */
static const char *find_file(struct clew_arena *arena, const struct clew_trace_origin *origin,
                             const char *file, const char *name, const char *hash) {
  const char *found = NULL;
  for (uint32_t i = 0; i < PLACES; i++) {
    const char *path = place_of(arena, origin, file, name, i);
    struct clew_text text = {0};
    struct clew_diag_sink ignored = {0};
    bool is_there = access(path, R_OK) == 0 &&
                    clew_file_read(path, CLEW_SOURCE_LIMIT_BYTES, &text, &ignored) == CLEW_OK;
    bool same = is_there && hash != NULL &&
                strcmp(clew_origin_hash(arena, clew_text_str(&text), text.len), hash) == 0;
    clew_diag_sink_free(&ignored);
    clew_text_free(&text);
    if (same) {
      return path;
    }
    found = found == NULL && is_there ? path : found;
  }
  return found;
}

/* Whether the command line itself says anything about the model. */
static bool says_something(const struct clew_options *options) {
  struct clew_arena *arena = clew_arena_open();
  struct words words = collect(arena, options);
  bool any = words.len > 0;
  clew_vec_free(&words);
  clew_arena_close(arena);
  return any;
}

/* Files of queries may be elsewhere, seen from here. */
static void add_arguments(struct clew_arena *arena, const struct clew_trace_origin *origin,
                          const char *file, struct words *words) {
  for (uint32_t i = 0; i < origin->argument_count; i++) {
    const char *word = origin->arguments[i];
    bool is_file = i > 0 && strcmp(origin->arguments[i - 1], "--queries") == 0;
    const char *found = is_file ? find_file(arena, origin, file, word, NULL) : NULL;
    clew_vec_push(words, found != NULL ? found : word);
  }
}

char **clew_origin_command(struct clew_arena *arena, const struct clew_options *options,
                           const struct clew_trace_origin *origin, const char *file, int *argc) {
  assert(options->operands.len >= 1);
  bool named = options->operands.len > 1;
  if (!named && origin->model == NULL) {
    clew_message("%s: it names no model; say clew replay MODEL %s", file, file);
    return NULL;
  }
  const char *model = named ? options->operands.data[0]
                            : find_file(arena, origin, file, origin->model, origin->model_hash);
  if (model == NULL) {
    clew_message("%s: the model that it names, %s, is not there; say clew replay MODEL %s", file,
                 origin->model, file);
    return NULL;
  }
  struct words words = {0};
  clew_vec_push(&words, options->argv[0]);
  clew_vec_push(&words, options->argv[1]);
  if (!says_something(options)) {
    add_arguments(arena, origin, file, &words);
  }
  /* Operands are told by their addresses: options may have values that look like them. */
  for (int i = 2; i < options->argc; i++) {
    bool is_operand = false;
    for (uint32_t k = 0; k < options->operands.len; k++) {
      is_operand |= options->operands.data[k] == options->argv[i];
    }
    if (!is_operand && strcmp(options->argv[i], "--") != 0) {
      clew_vec_push(&words, options->argv[i]);
    }
  }
  clew_vec_push(&words, "--");
  clew_vec_push(&words, model);
  clew_vec_push(&words, file);
  char **argv = CLEW_NEW_ARRAY(arena, char *, words.len + 1);
  for (uint32_t i = 0; i < words.len; i++) {
    argv[i] = clew_arena_strndup(arena, words.data[i], strlen(words.data[i]));
  }
  *argc = (int)words.len;
  clew_vec_free(&words);
  return argv;
}
