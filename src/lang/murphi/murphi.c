/* The Murphi front end: CMurphi's language and rumur's extensions of it, from source to IR. The
 * phases are the other files of this folder; here they are strung together, beside the small
 * services they share (names, positions, messages). */
#include "lang/murphi/murphi_int.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "base/hash.h"

/* ---- Names ---------------------------------------------------------------------------------- */

enum { FIRST_BUCKETS = 1 << 10 };

static void grow_buckets(struct murphi *m) {
  uint32_t count = m->bucket_count == 0 ? FIRST_BUCKETS : m->bucket_count * 4;
  struct murphi_name **buckets = CLEW_NEW_ARRAY(m->arena, struct murphi_name *, count);
  for (uint32_t i = 0; i < m->bucket_count; i++) {
    for (struct murphi_name *name = m->buckets[i], *next; name != NULL; name = next) {
      uint64_t hash = clew_hash_bytes(name->text, strlen(name->text), 0);
      struct murphi_name **bucket = &buckets[hash & (count - 1)];
      next = name->next;
      name->next = *bucket;
      *bucket = name;
    }
  }
  m->buckets = buckets;
  m->bucket_count = count;
}

struct murphi_name *murphi_intern(struct murphi *m, const char *text, size_t length) {
  assert(length > 0 || *text == '\0');
  if (m->name_count >= m->bucket_count) {
    grow_buckets(m);
  }
  uint64_t hash = clew_hash_bytes(text, length, 0);
  struct murphi_name **bucket = &m->buckets[hash & (m->bucket_count - 1)];
  for (struct murphi_name *name = *bucket; name != NULL; name = name->next) {
    if (strlen(name->text) == length && memcmp(name->text, text, length) == 0) {
      return name;
    }
  }
  struct murphi_name *name = CLEW_NEW(m->arena, struct murphi_name);
  name->text = clew_arena_strndup(m->arena, text, length);
  name->next = *bucket;
  *bucket = name;
  m->name_count++;
  return name;
}

/* ---- Positions and messages ----------------------------------------------------------------- */

/* Positions are asked for by the thousand, so lines are found by bisection instead of by
 * clew_source_position. */
static void find_lines(struct murphi *m) {
  uint32_t count = 1;
  const char *text = m->source->text, *end = text + m->source->length;
  for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
    count++;
  }
  m->line_starts = CLEW_NEW_ARRAY(m->arena, uint32_t, count);
  m->line_count = 1;
  for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
    m->line_starts[m->line_count++] = (uint32_t)(at + 1 - text);
  }
  assert(m->line_count == count);
}

struct clew_position murphi_position(const struct murphi *m, struct murphi_span span) {
  assert(m->line_count > 0 && m->line_starts[0] == 0);
  uint32_t low = 0, high = m->line_count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (m->line_starts[middle] <= span.offset) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return (struct clew_position){low + 1, span.offset - m->line_starts[low] + 1};
}

void murphi_error(struct murphi *m, struct murphi_span span, const char *format, ...) {
  va_list args;
  va_start(args, format);
  clew_diag_vat(m->diags, CLEW_ERROR, m->source, span.offset, span.length, format, args);
  va_end(args);
}

void murphi_warn(struct murphi *m, struct murphi_span span, const char *format, ...) {
  va_list args;
  va_start(args, format);
  clew_diag_vat(m->diags, CLEW_WARNING, m->source, span.offset, span.length, format, args);
  va_end(args);
}

struct murphi_span murphi_span_join(struct murphi_span first, struct murphi_span last) {
  assert(first.offset <= last.offset);
  uint32_t end = last.offset + last.length;
  return (struct murphi_span){first.offset, end > first.offset ? end - first.offset : first.length};
}

/* How much of a comment or run of blanks starts at `at`. */
static size_t blank_length(const char *at, const char *end) {
  const char *from = at;
  for (;;) {
    const char *before = at;
    while (at < end && isspace((unsigned char)*at)) {
      at++;
    }
    if (end - at >= 2 && at[0] == '-' && at[1] == '-') {
      const char *newline = memchr(at, '\n', (size_t)(end - at));
      at = newline != NULL ? newline : end;
    } else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
      const char *close = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
      at = close != NULL ? close + 2 : end;
    }
    if (at == before) {
      return (size_t)(at - from);
    }
  }
}

const char *murphi_text(struct murphi *m, struct murphi_span span) {
  enum { LIMIT = 60 };
  assert(span.offset + span.length <= m->source->length);
  struct clew_text out = {0};
  const char *at = m->source->text + span.offset, *end = at + span.length;
  while (at < end && out.len < LIMIT) {
    size_t blank = blank_length(at, end);
    if (blank > 0) {
      clew_text_char(&out, ' ');
      at += blank;
      continue;
    }
    uint32_t code;
    size_t length = clew_text_utf8(at, (size_t)(end - at), &code);
    length = length > 0 ? length : 1;
    clew_text_put_n(&out, at, length);
    at += length;
  }
  if (at < end) {
    clew_text_put(&out, "...");
  }
  const char *copy = clew_arena_strndup(m->arena, clew_text_str(&out), out.len);
  clew_text_free(&out);
  return copy;
}

/* ---- The translation ------------------------------------------------------------------------ */

/* Runs the phases; true when the model is without errors. */
static bool translate(struct murphi *m, struct clew_program *program) {
  uint32_t errors = m->diags->error_count;
  struct clew_tokens tokens = {0};
  if (murphi_scan(m, &tokens)) {
    murphi_parse(m, &tokens);
  }
  clew_vec_free(&tokens);
  if (m->diags->error_count == errors) {
    murphi_check(m);
  }
  if (m->diags->error_count == errors) {
    murphi_lower(m, program);
  }
  return m->diags->error_count == errors;
}

static enum clew_status load(const struct clew_source *source, struct clew_override *overrides,
                             uint32_t override_count, struct clew_diag_sink *diags,
                             struct clew_program **out) {
  struct murphi m = {.source = source,
                     .diags = diags,
                     .overrides = overrides,
                     .override_count = override_count,
                     .arena = clew_arena_open()};
  find_lines(&m);
  struct clew_program *program = clew_program_open(source->name, clew_language_murphi.name);
  program->deadlock = CLEW_DEADLOCK_STUTTERING;
  enum clew_status status = CLEW_BAD_INPUT;
  if (translate(&m, program)) {
    status = clew_program_finish(program, diags);
  }
  clew_arena_close(m.arena);
  if (status != CLEW_OK) {
    clew_program_close(program);
    program = NULL;
  }
  *out = program;
  return status;
}

static const char *const suffixes[] = {".m", NULL};

const struct clew_language clew_language_murphi = {
    .name = "murphi",
    .help = "Murphi, as CMurphi and rumur understand it",
    .suffixes = suffixes,
    .load = load,
};
