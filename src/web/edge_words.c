/* Names of edges, taken apart. The pieces of a name are separated by ", " outside of brackets. A
 * piece "P: a -> b" is a process that takes part, with "(c!)" behind the last one for the channel;
 * a piece "p: 2" that is not the first one is a parameter. */
#include <string.h>

#include "base/alloc.h"
#include "web/lifelines.h"

/* The end of the piece that begins at `at`. */
static const char *piece_end(const char *at) {
  int depth = 0;
  for (; *at != '\0'; at++) {
    depth += (*at == '(' || *at == '[' || *at == '{') - (*at == ')' || *at == ']' || *at == '}');
    if (depth <= 0 && at[0] == ',' && at[1] == ' ') {
      break;
    }
  }
  return at;
}

/* As strstr within `length` bytes. */
static const char *find(const char *text, size_t length, const char *what) {
  size_t n = strlen(what);
  for (size_t i = 0; i + n <= length; i++) {
    if (memcmp(text + i, what, n) == 0) {
      return text + i;
    }
  }
  return NULL;
}

static void read_actor(const char *piece, size_t length, const char *colon, const char *arrow,
                       struct clew_edge_words *words) {
  clew_vec_push(&words->actors, clew_strndup(piece, (size_t)(colon - piece)));
  size_t left = length - (size_t)(arrow - piece);
  const char *open = find(arrow, left, " (");
  if (open != NULL && piece[length - 1] == ')' && words->channel == NULL) {
    size_t inside = length - (size_t)(open - piece) - 3;
    words->channel = clew_strndup(open + 2, inside);
  }
}

void clew_edge_words_read(const char *name, struct clew_edge_words *words) {
  *words = (struct clew_edge_words){0};
  bool is_first = true;
  for (const char *at = name; *at != '\0';) {
    const char *end = piece_end(at);
    size_t length = (size_t)(end - at);
    const char *colon = find(at, length, ": ");
    const char *arrow = colon != NULL ? find(colon, length - (size_t)(colon - at), " -> ") : NULL;
    if (arrow != NULL && colon > at) {
      read_actor(at, length, colon, arrow, words);
    } else if (colon != NULL && !is_first) {
      clew_vec_push(&words->values, clew_strndup(colon + 2, (size_t)(end - colon) - 2));
    }
    is_first = false;
    at = *end == '\0' ? end : end + 2;
  }
}

static void free_list(char **texts, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    clew_free(texts[i]);
  }
}

void clew_edge_words_free(struct clew_edge_words *words) {
  free_list(words->actors.data, words->actors.len);
  free_list(words->values.data, words->values.len);
  clew_vec_free(&words->actors);
  clew_vec_free(&words->values);
  clew_free(words->channel);
  words->channel = NULL;
}
