/* Emitting C: functions, and the frame that every emitted function starts with. */
#include <inttypes.h>
#include <string.h>

#include "ir/emit_int.h"

void clew_emit_begin(struct clew_emitter *e, struct clew_emit_scope *scope,
                     const struct clew_frame *frame, const struct clew_function *function,
                     const struct clew_family *family) {
  assert(e->frame == NULL && e->used == NULL);
  *scope = (struct clew_emit_scope){.out = e->out};
  e->out = &scope->code;
  e->indent = 1;
  e->temps = 0;
  e->frame = frame;
  e->function = function;
  e->family = family;
  e->exhaustive = CLEW_NONE;
  e->used_words = frame == NULL ? 0 : CLEW_BITSET_WORDS(frame->variables.len);
  e->used = clew_alloc_zero(e->used_words + 1, sizeof *e->used);
}

/* Everything of a frame is undefined on entry. The compiler drops what is not needed. */
static void declare(struct clew_emitter *e, const struct clew_variable *variable) {
  uint32_t cells = variable->type->cells;
  assert(cells > 0);
  if (cells == 1) {
    clew_emit_line(e, "int64_t f%" PRIu32 " = CLEW_RT_UNDEFINED;", variable->cell);
    return;
  }
  clew_emit_line(e, "int64_t f%" PRIu32 "[%" PRIu32 "];", variable->cell, cells);
  clew_emit_line(e, "clew_rt_undefine(f%" PRIu32 ", %" PRIu32 ");", variable->cell, cells);
}

uint32_t clew_emit_parameter_of(const struct clew_family *family, uint32_t cell) {
  uint32_t i = 0;
  assert(family != NULL);
  while (i < family->parameter_count && family->parameters[i].cell != cell)
    i++;
  return i;
}

static bool is_parameter(const struct clew_emitter *e, uint32_t variable) {
  assert(e->frame != NULL);
  if (e->function != NULL)
    return variable < e->function->value_count;
  return e->family != NULL &&
         clew_emit_parameter_of(e->family, e->frame->variables.data[variable].cell) <
             e->family->parameter_count;
}

void clew_emit_end(struct clew_emitter *e, struct clew_emit_scope *scope, const char *head,
                   const char *tail) {
  assert(e->out == &scope->code && e->indent == 1);
  e->out = scope->out;
  e->indent = 0;
  clew_emit_open(e, "%s", head);
  for (uint32_t i = 0; e->frame != NULL && i < e->frame->variables.len; i++)
    if (clew_bitset_has(e->used, i) && !is_parameter(e, i))
      declare(e, &e->frame->variables.data[i]);
  clew_text_put_n(e->out, clew_text_str(&scope->code), scope->code.len);
  clew_emit_line(e, "out:;");
  if (tail[0] != '\0')
    clew_emit_line(e, "%s", tail);
  clew_emit_close(e);
  clew_text_free(&scope->code);
  clew_free(e->used);
  e->used = NULL;
  e->frame = NULL;
  e->function = NULL;
  e->family = NULL;
}

static const char *function_head(struct clew_emitter *e, const struct clew_function *function) {
  const struct clew_emit_function *facts = &e->functions[function->index];
  struct clew_text text = {0};
  assert(facts->weight > 0 || function->body == NULL);
  clew_text_printf(&text, "static %s%s p%" PRIu32 "(uint64_t *s, struct clew_rt *x",
                   facts->inlined ? "inline __attribute__((always_inline)) " : "",
                   function->result == NULL ? "void" : "int64_t", function->index);
  for (uint32_t i = 0; i < function->value_count; i++)
    clew_text_printf(&text, ", int64_t f%" PRIu32, function->frame->variables.data[i].cell);
  for (uint32_t i = 0; i < function->reference_count; i++)
    clew_text_printf(&text, ", %sr%" PRIu32,
                     function->references[i].space == CLEW_SPACE_STATE ? "uint32_t " : "int64_t *",
                     i);
  clew_text_char(&text, ')');
  const char *head = clew_emit_text(e, "%s", clew_text_str(&text));
  clew_text_free(&text);
  return head;
}

static void put_function(struct clew_emitter *e, const struct clew_function *function) {
  struct clew_emit_scope scope;
  clew_emit_begin(e, &scope, function->frame, function, NULL);
  clew_emit_poll(e, function->polls);
  clew_emit_list(e, function->body);
  bool result = function->result != NULL;
  const char *least = result ? clew_emit_number(e, function->result->domain->lo) : "";
  if (result && !clew_emit_returns_always(function->body)) {
    if (function->no_result_site != CLEW_NONE)
      clew_emit_fail(e, function->no_result_site);
    else
      clew_emit_line(e, "return %s;", least);
  }
  assert(function->value_count <= function->frame->variables.len);
  clew_emit_end(e, &scope, function_head(e, function),
                result ? clew_emit_text(e, "return %s;", least) : "");
}

void clew_emit_functions(struct clew_emitter *e) {
  const struct clew_program *program = e->program;
  for (uint32_t i = 0; i < program->functions.len; i++)
    clew_emit_line(e, "%s;", function_head(e, program->functions.data[i]));
  for (uint32_t i = 0; i < program->functions.len && !clew_emit_is_full(e); i++) {
    assert(program->functions.data[i]->index == i);
    put_function(e, program->functions.data[i]);
  }
}
