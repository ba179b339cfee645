/* Emitting C: lines, literals, fragments.
 *
 * Invariant: a fragment's text is an atom or parenthesised, so it can stand next to any operator,
 * and is short, so that nesting costs linear and not quadratic time. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ir/emit_int.h"

bool clew_emit_is_full(struct clew_emitter *e) {
  assert(e->lines <= CLEW_EMIT_MAX_LINES);
  e->full |= e->lines == CLEW_EMIT_MAX_LINES ||
             (e->cancelled != NULL && atomic_load_explicit(e->cancelled, memory_order_relaxed)) ||
             atomic_load_explicit(e->program->stop, memory_order_relaxed);
  return e->full;
}

/* Starts a line; false when there is no room for another. */
static bool begin_line(struct clew_emitter *e) {
  assert(e->out != NULL);
  if (clew_emit_is_full(e))
    return false;
  e->lines++;
  /* Deep nesting is cut off: nobody reads it, and it would make the text quadratic. */
  for (uint32_t i = 0; i < e->indent && i < 20; i++)
    clew_text_put(e->out, "  ");
  return true;
}

void clew_emit_line(struct clew_emitter *e, const char *format, ...) {
  if (!begin_line(e))
    return;
  va_list args;
  va_start(args, format);
  clew_text_vprintf(e->out, format, args);
  clew_text_char(e->out, '\n');
  va_end(args);
}

void clew_emit_open(struct clew_emitter *e, const char *format, ...) {
  bool room = begin_line(e);
  e->indent++;
  if (!room)
    return;
  va_list args;
  va_start(args, format);
  clew_text_vprintf(e->out, format, args);
  clew_text_put(e->out, " {\n");
  va_end(args);
}

void clew_emit_close(struct clew_emitter *e) {
  assert(e->indent > 0);
  e->indent--;
  clew_emit_line(e, "}");
}

const char *clew_emit_text(struct clew_emitter *e, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  assert(length >= 0);
  char *text = clew_arena_alloc(e->arena, (size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  va_end(args);
  return text;
}

const char *clew_emit_number(struct clew_emitter *e, int64_t value) {
  if (value == INT64_MIN)
    return "INT64_MIN";
  if (value >= 0 && value <= INT32_MAX)
    return clew_emit_text(e, "%" PRId64, value);
  assert(value < 0 || value > INT32_MAX);
  return clew_emit_text(e, "INT64_C(%" PRId64 ")", value);
}

const char *clew_emit_bits(struct clew_emitter *e, uint64_t value) {
  assert(e->arena != NULL);
  return value <= INT32_MAX ? clew_emit_text(e, "%" PRIu64, value)
                            : clew_emit_text(e, "UINT64_C(0x%" PRIx64 ")", value);
}

struct clew_frag clew_frag_known(struct clew_emitter *e, int64_t value) {
  const char *text = clew_emit_number(e, value);
  assert(text != NULL);
  if (value < 0 && value != INT64_MIN)
    text = clew_emit_text(e, "(%s)", text);
  return (struct clew_frag){.text = text, .known = true, .value = value};
}

struct clew_frag clew_frag_make(const char *text, bool reads) {
  assert(text != NULL);
  return (struct clew_frag){.text = text, .reads = reads};
}

static bool is_temporary(const struct clew_frag *frag) {
  return frag->text[0] == 't' && !frag->reads;
}

static struct clew_frag pin_as(struct clew_emitter *e, struct clew_frag frag, const char *type) {
  if (frag.known || is_temporary(&frag))
    return frag;
  uint32_t temp = e->temps++;
  clew_emit_line(e, "const %s t%u = %s;", type, temp, frag.text);
  return clew_frag_make(clew_emit_text(e, "t%u", temp), false);
}

struct clew_frag clew_frag_pin(struct clew_emitter *e, struct clew_frag frag) {
  return pin_as(e, frag, "int64_t");
}

struct clew_frag clew_frag_pin_raw(struct clew_emitter *e, struct clew_frag frag) {
  return pin_as(e, frag, "uint64_t");
}

struct clew_frag clew_frag_hold(struct clew_emitter *e, struct clew_frag frag, uint32_t flags) {
  bool needed =
      (frag.reads && (flags & CLEW_EMIT_WRITES) != 0) || strlen(frag.text) > CLEW_EMIT_TEXT;
  return needed ? clew_frag_pin(e, frag) : frag;
}
