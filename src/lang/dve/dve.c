/* The DVE front end: the input language of DiVinE and of the BEEM benchmarks, from source to IR.
 * The phases are the other files of this folder; here they are strung together, beside the small
 * services they share (names, positions, messages).
 *
 * Where the tools that read DVE differ, the reference is the one that made BEEM's counts:
 *   - `and` and `or` (`&&`, `||`) are one level of precedence, left-associative; they and `imply`
 *     evaluate their right side only when needed, and it is true iff > 0 (the left side iff not 0);
 *   - a value that does not fit its variable, an index out of range, a division by zero, and both
 *     partners of a rendezvous assigning the same global variable are run-time errors;
 *   - a buffered send evaluates its values after the effects, a buffered receive stores after them,
 *     in places whose indices are those of the old state;
 *   - the values of a typed channel are reduced to its types, without an error.
 * Expressions are computed in 64 bits where the reference has 32: what it would wrap is exact here.
 *
 * A property process does not take part in the transition relation yet: it is parsed and checked,
 * a warning says so, and the system runs without it. */
#include "lang/dve/dve_int.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "base/hash.h"

/* ---- Names ---------------------------------------------------------------------------------- */

enum { FIRST_BUCKETS = 1 << 10 };

static void grow_buckets(struct dve *d) {
  uint32_t count = d->bucket_count == 0 ? FIRST_BUCKETS : d->bucket_count * 4;
  struct dve_name **buckets = CLEW_NEW_ARRAY(d->arena, struct dve_name *, count);
  for (uint32_t i = 0; i < d->bucket_count; i++) {
    for (struct dve_name *name = d->buckets[i], *next; name != NULL; name = next) {
      uint64_t hash = clew_hash_bytes(name->text, strlen(name->text), 0);
      struct dve_name **bucket = &buckets[hash & (count - 1)];
      next = name->next;
      name->next = *bucket;
      *bucket = name;
    }
  }
  d->buckets = buckets;
  d->bucket_count = count;
}

struct dve_name *dve_intern(struct dve *d, const char *text, size_t length) {
  assert(length > 0);
  if (d->name_count >= d->bucket_count) {
    grow_buckets(d);
  }
  uint64_t hash = clew_hash_bytes(text, length, 0);
  struct dve_name **bucket = &d->buckets[hash & (d->bucket_count - 1)];
  for (struct dve_name *name = *bucket; name != NULL; name = name->next) {
    if (strlen(name->text) == length && memcmp(name->text, text, length) == 0) {
      return name;
    }
  }
  struct dve_name *name = CLEW_NEW(d->arena, struct dve_name);
  name->text = clew_arena_strndup(d->arena, text, length);
  name->next = *bucket;
  *bucket = name;
  d->name_count++;
  return name;
}

/* ---- Positions and messages ----------------------------------------------------------------- */

/* Positions are asked for by the thousand, so lines are found by bisection instead of by
 * clew_source_position. */
static void find_lines(struct dve *d) {
  uint32_t count = 1;
  const char *text = d->source->text, *end = text + d->source->length;
  for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
    count++;
  }
  d->line_starts = CLEW_NEW_ARRAY(d->arena, uint32_t, count);
  d->line_count = 1;
  for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
    d->line_starts[d->line_count++] = (uint32_t)(at + 1 - text);
  }
  assert(d->line_count == count);
}

struct clew_position dve_position(const struct dve *d, struct dve_span span) {
  assert(d->line_count > 0 && d->line_starts[0] == 0);
  uint32_t low = 0, high = d->line_count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (d->line_starts[middle] <= span.offset) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return (struct clew_position){low + 1, span.offset - d->line_starts[low] + 1};
}

void dve_error(struct dve *d, struct dve_span span, const char *format, ...) {
  va_list args;
  va_start(args, format);
  clew_diag_vat(d->diags, CLEW_ERROR, d->source, span.offset, span.length, format, args);
  va_end(args);
}

void dve_warn(struct dve *d, struct dve_span span, const char *format, ...) {
  va_list args;
  va_start(args, format);
  clew_diag_vat(d->diags, CLEW_WARNING, d->source, span.offset, span.length, format, args);
  va_end(args);
}

struct dve_span dve_span_join(struct dve_span first, struct dve_span last) {
  assert(first.offset <= last.offset);
  return (struct dve_span){first.offset, last.offset + last.length - first.offset};
}

/* How much of a comment or run of blanks starts at `at`. */
static size_t blank_length(const char *at, const char *end) {
  const char *from = at;
  for (;;) {
    const char *before = at;
    while (at < end && isspace((unsigned char)*at)) {
      at++;
    }
    if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
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

const char *dve_text(struct dve *d, struct dve_span span) {
  enum { LIMIT = 60 };
  assert(span.offset + span.length <= d->source->length);
  struct clew_text out = {0};
  const char *at = d->source->text + span.offset, *end = at + span.length;
  while (at < end && out.len < LIMIT) {
    size_t blank = blank_length(at, end);
    if (blank > 0) {
      clew_text_char(&out, ' ');
      at += blank;
    } else {
      clew_text_char(&out, *at++); /* tokens are ASCII */
    }
  }
  if (at < end) {
    clew_text_put(&out, "...");
  }
  const char *copy = clew_arena_strndup(d->arena, clew_text_str(&out), out.len);
  clew_text_free(&out);
  return copy;
}

/* ---- The translation ------------------------------------------------------------------------ */

/* Runs the phases; true when the model is without errors. */
static bool translate(struct dve *d, struct clew_program *program) {
  uint32_t errors = d->diags->error_count;
  struct clew_tokens tokens = {0};
  if (dve_scan(d, &tokens)) {
    dve_parse(d, &tokens);
  }
  clew_vec_free(&tokens);
  if (d->diags->error_count == errors) {
    dve_check(d);
  }
  if (d->diags->error_count == errors) {
    dve_ranges(d);
    dve_lower(d, program);
  }
  return d->diags->error_count == errors;
}

static enum clew_status load(const struct clew_source *source, struct clew_override *overrides,
                             uint32_t override_count, struct clew_diag_sink *diags,
                             struct clew_program **out) {
  struct dve d = {.source = source,
                  .diags = diags,
                  .overrides = overrides,
                  .override_count = override_count,
                  .arena = clew_arena_open()};
  find_lines(&d);
  struct clew_program *program = clew_program_open(source->name, clew_language_dve.name);
  program->deadlock = CLEW_DEADLOCK_NO_SUCCESSOR;
  program->counts_error_state = true;
  enum clew_status status = CLEW_BAD_INPUT;
  if (translate(&d, program)) {
    status = clew_program_finish(program, diags);
  }
  clew_arena_close(d.arena);
  if (status != CLEW_OK) {
    clew_program_close(program);
    program = NULL;
  }
  *out = program;
  return status;
}

static const char *const suffixes[] = {".dve", NULL};

const struct clew_language clew_language_dve = {
    .name = "dve",
    .help = "DVE, the language of DiVinE and of the BEEM benchmarks",
    .suffixes = suffixes,
    .load = load,
};
