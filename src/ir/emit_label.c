/* Emitting C: labels, assumptions, and the entries that evaluate them on a state. */
#include <inttypes.h>

#include "ir/emit_int.h"

static void put_label(struct clew_emitter *e, uint32_t index) {
  const struct clew_label_code *label = &e->program->labels.data[index];
  struct clew_emit_scope scope;
  assert(label->value != NULL);
  clew_emit_begin(e, &scope, label->frame, NULL, NULL);
  struct clew_frag value = clew_emit_expr(e, label->value);
  clew_emit_line(e, "return %s != 0;", value.text);
  clew_emit_end(
      e, &scope,
      clew_emit_text(e, "static bool l%" PRIu32 "(uint64_t *s, struct clew_rt *x)", index),
      "return false;");
}

/* Assumptions in order; the first that is false, or fails, is pending afterwards. */
static void put_assume(struct clew_emitter *e) {
  clew_emit_open(e, "static inline void assume(uint64_t *s, struct clew_rt *x)");
  for (uint32_t i = 0; i < e->program->assumptions.len; i++) {
    assert(e->program->assumptions.data[i] < e->program->labels.len);
    clew_emit_open(e, "if (!l%" PRIu32 "(s, x))", e->program->assumptions.data[i]);
    clew_emit_line(e, "if (x->pending == 0) x->pending = CLEW_RT_DISCARD;");
    clew_emit_line(e, "return;");
    clew_emit_close(e);
  }
  clew_emit_close(e);
}

static bool is_assumption(const struct clew_program *program, uint32_t label) {
  assert(label < program->labels.len);
  for (uint32_t i = 0; i < program->assumptions.len; i++)
    if (program->assumptions.data[i] == label)
      return true;
  return false;
}

void clew_emit_labels(struct clew_emitter *e) {
  assert(e->indent == 0);
  for (uint32_t i = 0; i < e->program->labels.len; i++)
    if (e->part != CLEW_NATIVE_FIRE || is_assumption(e->program, i))
      put_label(e, i);
  put_assume(e);
}

static void put_label_entry(struct clew_emitter *e) {
  clew_emit_open(e, "static bool label(uint32_t n, const uint64_t *s, uint32_t *site, "
                    "const _Atomic bool *stop)");
  clew_emit_line(e, "struct clew_rt x = {.stop = stop};");
  clew_emit_line(e, "bool value = false;");
  clew_emit_open(e, "switch (n)");
  for (uint32_t i = 0; i < e->program->labels.len; i++)
    clew_emit_line(e, "case %" PRIu32 ": value = l%" PRIu32 "((uint64_t *)s, &x); break;", i, i);
  clew_emit_close(e);
  clew_emit_line(e, "if (clew_rt_site(&x) != CLEW_RT_NONE) *site = clew_rt_site(&x);");
  clew_emit_line(e, "return value;");
  clew_emit_close(e);
  assert(e->indent == 0);
}

void clew_emit_queries(struct clew_emitter *e) {
  const struct clew_program *program = e->program;
  put_label_entry(e);
  clew_emit_open(e, "static uint32_t check(const uint64_t *enabled, const uint64_t *s, "
                    "uint32_t *site, const _Atomic bool *stop)");
  clew_emit_line(e, "struct clew_rt x = {.stop = stop};");
  clew_emit_line(e, "*site = CLEW_RT_NONE;");
  for (uint32_t i = 0; i < program->properties.len; i++) {
    const struct clew_property *property = &program->properties.data[i];
    if (property->kind != CLEW_PROPERTY_INVARIANT)
      continue;
    assert(property->label < program->labels.len);
    clew_emit_open(
        e, "if ((enabled[%" PRIu32 "] >> %" PRIu32 " & 1) && !l%" PRIu32 "((uint64_t *)s, &x))",
        i / 64, i % 64, property->label);
    clew_emit_line(e, "*site = clew_rt_site(&x);");
    clew_emit_line(e, "return %" PRIu32 ";", i);
    clew_emit_close(e);
  }
  clew_emit_line(e, "return CLEW_RT_NONE;");
  clew_emit_close(e);
}
