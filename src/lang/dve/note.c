/* What an editor shows of a model: variables, channels, processes and their states. */
#include <assert.h>

#include "base/text.h"
#include "lang/dve/check.h"

static void note_variables(struct clew_front *front, const struct dve_variable *list,
                           const struct dve_process *process) {
  for (const struct dve_variable *each = list; each != NULL; each = each->next) {
    const char *type = each->type == DVE_TYPE_BYTE ? "byte" : "int";
    const char *detail =
        each->is_array ? clew_arena_printf(front->arena, "%s[%u]", type, each->count) : type;
    clew_front_define(front, each->ref.span,
                      each->is_const ? CLEW_SYMBOL_CONSTANT : CLEW_SYMBOL_VARIABLE,
                      each->ref.name->id.text, detail, process != NULL ? &process->ref.span : NULL);
    if (each->is_const && !each->is_array && each->values != NULL) {
      clew_front_remark(front, each->ref.span, "= %lld", (long long)each->values[0]);
    }
  }
}

static void note_channels(struct clew_front *front, const struct dve_channel *list) {
  for (const struct dve_channel *each = list; each != NULL; each = each->next) {
    struct clew_text detail = {0};
    for (uint32_t i = 0; i < each->type_count; i++) {
      clew_text_printf(&detail, "%s%s", i > 0 ? ", " : "",
                       each->types[i] == DVE_TYPE_BYTE ? "byte" : "int");
    }
    clew_text_printf(&detail, "%s%s", each->type_count > 0 ? "; " : "",
                     each->capacity == 0 ? "rendezvous" : "buffer");
    if (each->capacity > 0) {
      clew_text_printf(&detail, " of %u", each->capacity);
    }
    clew_front_define(front, each->ref.span, CLEW_SYMBOL_CHANNEL, each->ref.name->id.text,
                      clew_text_str(&detail), NULL);
    clew_text_free(&detail);
  }
}

void clew_dve_note(struct dve *d) {
  struct clew_front *front = d->front;
  assert(clew_front_notes(front));
  note_variables(front, d->model.variables, NULL);
  note_channels(front, d->model.channels);
  for (const struct dve_process *each = d->model.processes; each != NULL; each = each->next) {
    clew_front_define(front, each->ref.span, CLEW_SYMBOL_PROCESS, each->ref.name->id.text, "",
                      NULL);
    note_variables(front, each->variables, each);
    for (uint32_t i = 0; i < each->state_count; i++) {
      const struct dve_state *state = &each->states[i];
      bool is_first = each->init.name == state->ref.name;
      clew_front_define(front, state->ref.span, CLEW_SYMBOL_STATE, state->ref.name->id.text,
                        is_first           ? "initial"
                        : state->committed ? "committed"
                                           : "",
                        &each->ref.span);
    }
  }
}

static void note_ranges(struct clew_front *front, const struct dve_variable *list) {
  for (const struct dve_variable *each = list; each != NULL; each = each->next) {
    if (!each->is_const) {
      clew_front_remark(front, each->ref.span, "never outside of %lld..%lld", (long long)each->lo,
                        (long long)each->hi);
    }
  }
}

void clew_dve_note_ranges(struct dve *d) {
  note_ranges(d->front, d->model.variables);
  for (const struct dve_process *each = d->model.processes; each != NULL; each = each->next) {
    note_ranges(d->front, each->variables);
  }
}
