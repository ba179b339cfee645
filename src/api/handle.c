/* Handles: opening a model, and its facts. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_int.h"
#include "base/alloc.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/registry.h"
#include "report/version.h"

unsigned clew_abi_version(void) {
  return CLEW_ABI_VERSION;
}

const char *clew_version_text(void) {
  return CLEW_VERSION;
}

void clew_string_free(char *string) {
  clew_free(string);
}

/* ---- words ---- */

/* What a program has no use for, or must not be left to an option. */
static bool check_words(const struct clew_options *options) {
  const char *refused = options->help ? "help" : options->checkpoint != NULL ? "checkpoint" : NULL;
  for (const struct clew_output_entry *entry = clew_outputs; entry->type != NULL; entry++) {
    if (!entry->is_default &&
        *(const char *const *)(const void *)((const char *)options + entry->offset) != NULL) {
      refused = entry->type->name;
    }
  }
  if (refused != NULL) {
    clew_message("--%s is for the command line only", refused);
  }
  return refused == NULL;
}

static void add_words(struct clew_words *words, const char *const *list) {
  for (; list != NULL && *list != NULL; list++) {
    clew_vec_push(&words->argv, clew_strdup(*list));
  }
}

bool clew_words_parse(struct clew_words *words, const char *command, const char *const *given,
                      const char *const *more, const char *name) {
  const char *first[] = {"clew", command, NULL}, *last[] = {"--", name, NULL};
  add_words(words, first);
  add_words(words, given);
  add_words(words, more);
  add_words(words, last);
  clew_vec_push(&words->argv, NULL);
  struct clew_text error = {0};
  bool ok = clew_options_parse(&words->options, (int)words->argv.len - 1, words->argv.data, &error);
  words->is_parsed = true;
  if (!ok) {
    clew_message("%s", clew_text_str(&error));
  }
  clew_text_free(&error);
  return ok && check_words(&words->options);
}

void clew_words_free(struct clew_words *words) {
  if (words->is_parsed) {
    clew_options_free(&words->options);
  }
  for (uint32_t i = 0; i < words->argv.len; i++) {
    clew_free(words->argv.data[i]);
  }
  clew_vec_free(&words->argv);
}

/* ---- opening and closing ---- */

static char **copy_words(const char *const *list) {
  size_t count = 0;
  while (list != NULL && list[count] != NULL) {
    count++;
  }
  char **copy = clew_alloc_zero(count + 1, sizeof *copy);
  for (size_t i = 0; i < count; i++) {
    copy[i] = clew_strdup(list[i]);
  }
  return copy;
}

static void load(void *context) {
  struct clew_handle *handle = context;
  struct clew_voice *voice = &handle->desk.voice;
  handle->status = CLEW_EXIT_USAGE;
  if (clew_words_parse(&handle->words, "info", (const char *const *)handle->given, NULL,
                       handle->name)) {
    handle->words.options.source = handle->has_text ? &handle->source : NULL;
    handle->status = (int)clew_load_model(&handle->words.options, CLEW_MODE_INTERP,
                                          CLEW_SYMMETRY_OFF, false, NULL, &handle->model);
  }
  handle->said = voice->said;
  voice->said = (struct clew_diag_sink){0};
  assert((handle->status == CLEW_EXIT_OK) == (handle->model != NULL));
}

static struct clew_handle *open_handle(const char *name, const char *text, size_t bytes,
                                       const char *const *options) {
  clew_fatal_aborts();
  struct clew_handle *handle = clew_alloc_zero(1, sizeof *handle);
  if (!clew_desk_open(&handle->desk)) {
    clew_free(handle);
    return NULL;
  }
  atomic_init(&handle->references, 1);
  handle->name = clew_strdup(name);
  handle->given = copy_words(options);
  handle->has_text = text != NULL;
  if (text != NULL) {
    handle->source = (struct clew_source){
        .name = handle->name, .text = clew_strndup(text, bytes), .length = bytes};
  }
  (void)clew_desk_do(&handle->desk, load, handle);
  return handle;
}

clew_handle *clew_open_file(const char *path, const char *const *options) {
  return open_handle(path, NULL, 0, options);
}

clew_handle *clew_open_text(const char *name, const char *text, size_t bytes,
                            const char *const *options) {
  return open_handle(name, text != NULL ? text : "", bytes, options);
}

static void unload(void *context) {
  struct clew_handle *handle = context;
  if (handle->model != NULL) {
    handle->model->close(handle->model);
  }
}

void clew_handle_release(struct clew_handle *handle) {
  if (atomic_fetch_sub(&handle->references, 1) > 1) {
    return;
  }
  (void)clew_desk_do(&handle->desk, unload, handle);
  clew_desk_close(&handle->desk);
  clew_words_free(&handle->words);
  clew_diag_sink_free(&handle->said);
  for (char **word = handle->given; *word != NULL; word++) {
    clew_free(*word);
  }
  clew_free(handle->given);
  clew_free((void *)handle->source.text);
  clew_free(handle->name);
  clew_free(handle);
}

void clew_close(clew_handle *handle) {
  if (handle != NULL) {
    clew_handle_release(handle);
  }
}

int clew_handle_status(const clew_handle *handle) {
  return handle->status;
}

/* ---- facts ---- */

int clew_diagnostic_read(const struct clew_diag_sink *said, uint32_t index, clew_diagnostic *out) {
  if (index >= said->len) {
    return 0;
  }
  const struct clew_diag *diag = &said->data[index];
  *out = (clew_diagnostic){.severity = (int)diag->severity,
                           .file = diag->file,
                           .line = diag->position.line,
                           .column = diag->position.column,
                           .length = diag->caret_length,
                           .message = diag->message,
                           .source_line = diag->line};
  return 1;
}

uint32_t clew_diagnostic_count(const clew_handle *handle) {
  return handle->said.len;
}

int clew_diagnostic_get(const clew_handle *handle, uint32_t index, clew_diagnostic *out) {
  return clew_diagnostic_read(&handle->said, index, out);
}

const char *clew_language_name(const clew_handle *handle) {
  return handle->model != NULL ? handle->model->language : NULL;
}

uint32_t clew_variable_count(const clew_handle *handle) {
  return handle->model != NULL ? handle->model->slot_count : 0;
}

const char *clew_variable_name(const clew_handle *handle, uint32_t variable) {
  return variable < clew_variable_count(handle) ? handle->model->slots[variable].name : NULL;
}

uint32_t clew_rule_count(const clew_handle *handle) {
  return handle->model != NULL ? handle->model->edge_count : 0;
}

uint32_t clew_property_count(const clew_handle *handle) {
  return handle->model != NULL ? handle->model->property_count : 0;
}

const char *clew_property_name(const clew_handle *handle, uint32_t property) {
  return property < clew_property_count(handle) ? handle->model->properties[property].name : NULL;
}

const char *clew_property_kind_text(const clew_handle *handle, uint32_t property) {
  return property < clew_property_count(handle)
             ? clew_property_word(&handle->model->properties[property])
             : NULL;
}

void clew_set_progress(clew_handle *handle, clew_progress_function *function, void *context,
                       double every_s) {
  handle->progress = function;
  handle->progress_context = context;
  handle->progress_s = every_s > 0 ? every_s : 0.1;
}
