/* Reading suites. */
#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/vec.h"
#include "cli/load.h"
#include "cli/registry.h"
#include "cli/suite.h"

struct words { /* a CLEW_VEC */
  const char **data;
  uint32_t len, cap;
};

struct reading {
  struct clew_arena *arena;
  const char *path;
  struct clew_diag_sink *diags;
  CLEW_VEC(struct clew_check) checks;
  /* of the check that is read */
  struct words options;
  CLEW_VEC(struct clew_expectation) expectations;
  const char *model, *command;
};

static const char *keep(struct reading *r, const char *text, size_t length) {
  return clew_arena_strndup(r->arena, text, length);
}

static void begin_check(struct reading *r, const char *model) {
  clew_vec_clear(&r->options);
  clew_vec_clear(&r->expectations);
  r->model = model;
  r->command = "check";
}

static void end_check(struct reading *r) {
  const char **options = CLEW_NEW_ARRAY(r->arena, const char *, r->options.len + 1);
  struct clew_expectation *expectations =
      CLEW_NEW_ARRAY(r->arena, struct clew_expectation, r->expectations.len + 1);
  for (uint32_t i = 0; i < r->options.len; i++) {
    options[i] = r->options.data[i];
  }
  for (uint32_t i = 0; i < r->expectations.len; i++) {
    expectations[i] = r->expectations.data[i];
  }
  struct clew_check check = {.command = r->command,
                             .model = r->model,
                             .options = options,
                             .option_count = r->options.len,
                             .expectations = expectations,
                             .expectation_count = r->expectations.len};
  clew_vec_push(&r->checks, check);
}

/* Splits at blanks; quotes keep them. */
static void add_options(struct reading *r, const char *text) {
  while (*text != '\0') {
    text += strspn(text, " \t");
    struct clew_text word = {0};
    char quote = '\0';
    for (; *text != '\0' && (quote != '\0' || strchr(" \t", *text) == NULL); text++) {
      if (quote == '\0' && (*text == '\'' || *text == '"')) {
        quote = *text;
      } else if (*text == quote) {
        quote = '\0';
      } else {
        clew_text_char(&word, *text);
      }
    }
    if (word.len > 0) {
      clew_vec_push(&r->options, keep(r, clew_text_str(&word), word.len));
    }
    clew_text_free(&word);
  }
}

static void add_pair(struct reading *r, const char *key, const char *value) {
  if (strcmp(key, "options") == 0) {
    add_options(r, value);
  } else if (strcmp(key, "command") == 0) {
    r->command = value;
  } else {
    clew_vec_push(&r->expectations, ((struct clew_expectation){key, value}));
  }
}

/* ---- Heads of models ---- */

/* `key=value key="some words"` */
static void read_pairs(struct reading *r, const char *at, const char *end) {
  while (at < end) {
    while (at < end && strchr(" \t", *at) != NULL) {
      at++;
    }
    const char *key = at;
    while (at < end && *at != '=' && strchr(" \t", *at) == NULL) {
      at++;
    }
    if (at == end || *at != '=') {
      continue;
    }
    const char *name = keep(r, key, (size_t)(at - key));
    at++;
    bool quoted = at < end && *at == '"';
    const char *value = quoted ? ++at : at;
    while (at < end && (quoted ? *at != '"' : strchr(" \t", *at) == NULL)) {
      at++;
    }
    add_pair(r, name, keep(r, value, (size_t)(at - value)));
    at += quoted && at < end;
  }
}

/* Whether the head of the model is over with this line. In XML it may stand in a processing
 * instruction, <?clew ... ?>, and ends where the first element begins. */
static bool ends_head(const char *line, const char *stop, bool is_xml) {
  if (is_xml) {
    return stop - line > 1 && line[0] == '<' && isalpha((unsigned char)line[1]) != 0;
  }
  return line < stop && strchr("-/*#<! \t", *line) == NULL;
}

/* The lines of the first comment that begin with "clew:". */
static void read_head(struct reading *r, const char *model, const struct clew_text *text) {
  static const char mark[] = "clew: ";
  uint32_t before = r->checks.len;
  const char *at = clew_text_str(text), *end = at + text->len;
  bool is_xml = *at == '<';
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop != NULL ? stop : end;
    const char *word = at + strspn(at, "-/*#<! \t");
    if (word < stop && (size_t)(stop - word) > strlen(mark) &&
        strncmp(word, mark, strlen(mark)) == 0) {
      begin_check(r, model);
      read_pairs(r, word + strlen(mark), stop);
      end_check(r);
    } else if (ends_head(at, stop, is_xml)) {
      break;
    }
    at = stop + 1;
  }
  if (r->checks.len == before) {
    begin_check(r, model);
    end_check(r);
  }
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum clew_status read_directory(struct reading *r) {
  DIR *directory = opendir(r->path);
  if (directory == NULL) {
    clew_diag_plain(r->diags, CLEW_ERROR, r->path, "%s", strerror(errno));
    return CLEW_IO_FAILED;
  }
  struct words names = {0};
  for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (clew_registry_language_of(entry->d_name) != NULL) {
      clew_vec_push(&names, clew_arena_printf(r->arena, "%s/%s", r->path, entry->d_name));
    }
  }
  closedir(directory);
  if (names.len > 0) {
    qsort(names.data, names.len, sizeof *names.data, compare_names);
  }
  enum clew_status status = CLEW_OK;
  for (uint32_t i = 0; i < names.len && status == CLEW_OK; i++) {
    struct clew_text text = {0};
    status = clew_file_read(names.data[i], CLEW_SOURCE_LIMIT_BYTES, &text, r->diags);
    if (status == CLEW_OK) {
      read_head(r, names.data[i], &text);
    }
    clew_text_free(&text);
  }
  clew_vec_free(&names);
  return status;
}

/* ---- TOML: tables [[check]] of strings, numbers, booleans and lists of strings ---- */

struct toml {
  struct reading *r;
  struct clew_source source;
  const char *at, *end;
  bool failed;
};

static void fail(struct toml *t, const char *expected) {
  if (!t->failed) {
    clew_diag_at(t->r->diags, CLEW_ERROR, &t->source, (size_t)(t->at - t->source.text), 1,
                 "expected %s", expected);
  }
  t->failed = true;
}

/* Blanks and comments; with `lines` also the ends of lines. */
static void skip(struct toml *t, bool lines) {
  for (;;) {
    while (t->at < t->end && (strchr(" \t\r", *t->at) != NULL || (lines && *t->at == '\n'))) {
      t->at++;
    }
    if (t->at == t->end || *t->at != '#') {
      return;
    }
    while (t->at < t->end && *t->at != '\n') {
      t->at++;
    }
  }
}

static const char *read_string(struct toml *t) {
  char quote = *t->at++;
  struct clew_text text = {0};
  while (t->at < t->end && *t->at != quote && *t->at != '\n') {
    bool escaped = quote == '"' && *t->at == '\\' && t->at + 1 < t->end;
    t->at += escaped;
    clew_text_char(&text, escaped && *t->at == 'n'   ? '\n'
                          : escaped && *t->at == 't' ? '\t'
                                                     : *t->at);
    t->at++;
  }
  if (t->at == t->end || *t->at != quote) {
    fail(t, "the end of the string");
  } else {
    t->at++;
  }
  const char *copy = keep(t->r, clew_text_str(&text), text.len);
  clew_text_free(&text);
  return copy;
}

static const char *read_word(struct toml *t, const char *expected) {
  const char *begin = t->at;
  while (t->at < t->end && (strchr("_-.+", *t->at) != NULL || (*t->at >= '0' && *t->at <= '9') ||
                            (*t->at >= 'a' && *t->at <= 'z') || (*t->at >= 'A' && *t->at <= 'Z'))) {
    t->at++;
  }
  if (t->at == begin) {
    fail(t, expected);
  }
  return keep(t->r, begin, (size_t)(t->at - begin));
}

static void read_list(struct toml *t, const char *key) {
  t->at++;
  skip(t, true);
  if (strcmp(key, "options") != 0) {
    fail(t, "one value");
  }
  while (!t->failed && t->at < t->end && *t->at != ']') {
    if (*t->at != '"' && *t->at != '\'') {
      fail(t, "a string or ']'");
      return;
    }
    clew_vec_push(&t->r->options, read_string(t));
    skip(t, true);
    if (t->at < t->end && *t->at == ',') {
      t->at++;
      skip(t, true);
    }
  }
  if (t->at == t->end) {
    fail(t, "']'");
  } else {
    t->at++;
  }
}

static void read_pair(struct toml *t) {
  const char *key = read_word(t, "a key or [[check]]");
  skip(t, false);
  if (t->failed || t->at == t->end || *t->at != '=') {
    fail(t, "'='");
    return;
  }
  t->at++;
  skip(t, false);
  if (t->r->model == NULL) {
    fail(t, "[[check]] before the first key");
  } else if (t->at < t->end && *t->at == '[') {
    read_list(t, key);
  } else {
    bool is_string = t->at < t->end && (*t->at == '"' || *t->at == '\'');
    const char *value = is_string ? read_string(t) : read_word(t, "a value");
    if (strcmp(key, "model") == 0) {
      const char *slash = strrchr(t->r->path, '/');
      bool is_here = value[0] == '/' || slash == NULL;
      t->r->model = is_here ? value
                            : clew_arena_printf(t->r->arena, "%.*s/%s", (int)(slash - t->r->path),
                                                t->r->path, value);
    } else {
      add_pair(t->r, strcmp(key, "expect") == 0 ? "verdict" : key, value);
    }
  }
}

static void read_toml(struct toml *t) {
  static const char header[] = "[[check]]";
  bool is_open = false;
  for (skip(t, true); t->at < t->end && !t->failed; skip(t, true)) {
    bool is_header =
        (size_t)(t->end - t->at) >= strlen(header) && strncmp(t->at, header, strlen(header)) == 0;
    if (!is_header) {
      read_pair(t);
      continue;
    }
    if (is_open && t->r->model[0] == '\0') {
      fail(t, "model = \"…\" in the check before");
    } else if (is_open) {
      end_check(t->r);
    }
    begin_check(t->r, "");
    is_open = true;
    t->at += strlen(header);
  }
  if (!t->failed && is_open && t->r->model[0] == '\0') {
    fail(t, "model = \"…\"");
  } else if (!t->failed && is_open) {
    end_check(t->r);
  }
}

static enum clew_status read_file(struct reading *r) {
  struct clew_text text = {0};
  enum clew_status status = clew_file_read(r->path, CLEW_SOURCE_LIMIT_BYTES, &text, r->diags);
  if (status == CLEW_OK && clew_registry_language_of(r->path) != NULL) {
    read_head(r, r->path, &text); /* a suite of one model */
  } else if (status == CLEW_OK) {
    struct clew_source source = {.name = r->path, .text = clew_text_str(&text), .length = text.len};
    struct toml toml = {
        .r = r, .source = source, .at = source.text, .end = source.text + source.length};
    read_toml(&toml);
    status = toml.failed ? CLEW_BAD_INPUT : CLEW_OK;
  }
  clew_text_free(&text);
  return status;
}

enum clew_status clew_suite_read(struct clew_arena *arena, const char *path,
                                 struct clew_suite *suite, struct clew_diag_sink *diags) {
  struct reading reading = {.arena = arena, .path = path, .diags = diags};
  struct stat status;
  bool is_directory = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
  enum clew_status result = is_directory ? read_directory(&reading) : read_file(&reading);
  struct clew_check *checks = CLEW_NEW_ARRAY(arena, struct clew_check, reading.checks.len + 1);
  for (uint32_t i = 0; i < reading.checks.len; i++) {
    checks[i] = reading.checks.data[i];
  }
  *suite = (struct clew_suite){.name = path, .checks = checks, .check_count = reading.checks.len};
  clew_vec_free(&reading.checks);
  clew_vec_free(&reading.options);
  clew_vec_free(&reading.expectations);
  return result;
}
