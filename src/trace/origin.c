/* The origin of a trace: from its JSON, and the hash of a model's text. */
#include "trace/origin.h"

#include <assert.h>

#include "base/hash.h"
#include "base/json.h"

const char *clew_origin_hash(struct clew_arena *arena, const char *text, size_t length) {
  struct clew_hash128 hash = clew_hash128_bytes(text, length, 0);
  return clew_arena_printf(arena, "%016llx%016llx", (unsigned long long)hash.high,
                           (unsigned long long)hash.low);
}

static const char *get_string(const struct clew_json *object, const char *key) {
  const struct clew_json *value = clew_json_get(object, key);
  return value != NULL && value->kind == CLEW_JSON_STRING ? value->string : NULL;
}

static void read_arguments(struct clew_arena *arena, const struct clew_json *root,
                           struct clew_trace_origin *origin) {
  const struct clew_json *list = clew_json_get(root, "arguments");
  if (list == NULL || list->kind != CLEW_JSON_ARRAY) {
    return;
  }
  const char **words = CLEW_NEW_ARRAY(arena, const char *, list->count + 1);
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->items[i].kind == CLEW_JSON_STRING) {
      words[origin->argument_count++] = list->items[i].string;
    }
  }
  origin->arguments = words;
}

enum clew_status clew_trace_read_origin(struct clew_arena *arena, const char *file,
                                        const char *text, size_t length,
                                        struct clew_trace_origin *origin,
                                        struct clew_diag_sink *diags) {
  assert(file != NULL && text != NULL);
  *origin = (struct clew_trace_origin){0};
  size_t error_offset = 0;
  const char *error = NULL;
  const struct clew_json *root = clew_json_parse(arena, text, length, &error_offset, &error);
  if (root == NULL) {
    struct clew_source source = {.name = file, .text = text, .length = length};
    clew_diag_at(diags, CLEW_ERROR, &source, error_offset, 1, "%s", error);
    return CLEW_BAD_INPUT;
  }
  if (root->kind == CLEW_JSON_OBJECT) { /* others are refused when they are read as traces */
    *origin = (struct clew_trace_origin){.version = get_string(root, "version"),
                                         .model = get_string(root, "model"),
                                         .model_hash = get_string(root, "model_hash"),
                                         .directory = get_string(root, "directory")};
    read_arguments(arena, root, origin);
  }
  return CLEW_OK;
}
