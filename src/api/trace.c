/* Counterexamples as data: every state, step and value as text, written down once. */
#include <assert.h>

#include "api/api_int.h"
#include "base/alloc.h"
#include "trace/trace.h"

static char *take_text(struct clew_text *text) {
  char *copy = clew_strdup(clew_text_str(text));
  clew_text_free(text);
  return copy;
}

static void tell_steps(const struct clew_model *model, struct clew_told_trace *told) {
  const struct clew_trace *trace = told->trace;
  told->steps = clew_alloc_zero((size_t)told->state_count + 2, sizeof *told->steps);
  for (uint32_t i = 0; i < told->state_count; i++) {
    struct clew_text name = {0};
    if (i == 0) {
      model->print_initial(model, trace->initial, &name);
    } else {
      uint32_t edge = trace->edges[i - 1];
      clew_model_print_step(model, told->states + (size_t)(i - 1) * model->words, edge, &name);
      if (model->print_sent != NULL) {
        model->print_sent(model, told->states + (size_t)(i - 1) * model->words, edge, &name);
      }
    }
    told->steps[i] = take_text(&name);
  }
  if (trace->fault_edge != CLEW_NONE) {
    struct clew_text name = {0};
    (told->state_count > 0 ? model->print_edge : model->print_initial)(model, trace->fault_edge,
                                                                       &name);
    told->steps[told->state_count] = take_text(&name);
  }
}

static void tell_values(const struct clew_model *model, struct clew_told_trace *told) {
  size_t count = (size_t)told->state_count * model->slot_count;
  told->values = clew_alloc_zero(count + 1, sizeof *told->values);
  for (size_t i = 0; i < count; i++) {
    uint32_t slot = (uint32_t)(i % model->slot_count);
    const uint64_t *state = told->states + i / model->slot_count * model->words;
    if (clew_slot_present(model, slot, state)) {
      struct clew_text value = {0};
      clew_domain_print(model->slots[slot].domain, clew_slot_get(&model->slots[slot], state),
                        &value);
      told->values[i] = take_text(&value);
    }
  }
}

void clew_answer_tell(struct clew_api_answer *answer, const struct clew_trace *trace) {
  const struct clew_model *model = answer->session.model->reference;
  struct clew_told_trace told = {.trace = trace};
  uint32_t failed_step;
  if (trace->initial != CLEW_NONE) {
    told.states = clew_trace_states(model, trace, &failed_step);
    told.state_count = told.states != NULL ? trace->edge_count + 1 : 0;
  }
  tell_steps(model, &told);
  tell_values(model, &told);
  if (trace->site != CLEW_NONE) {
    struct clew_text error = {0};
    clew_site_print(model, trace->site, &error);
    told.error = take_text(&error);
  }
  clew_vec_push(&answer->traces, told);
}

void clew_answer_untell(struct clew_api_answer *answer) {
  for (uint32_t i = 0; i < answer->traces.len; i++) {
    struct clew_told_trace *told = &answer->traces.data[i];
    size_t values = (size_t)told->state_count * answer->session.model->reference->slot_count;
    for (size_t k = 0; k < values; k++) {
      clew_free(told->values[k]);
    }
    for (uint32_t k = 0; k <= told->state_count; k++) {
      clew_free(told->steps[k]);
    }
    clew_free(told->values);
    clew_free(told->steps);
    clew_free(told->states);
    clew_free(told->error);
  }
  clew_vec_free(&answer->traces);
}

/* ---- reading ---- */

uint32_t clew_trace_count(const clew_answer *answer) {
  return answer->traces.len;
}

/* NULL: there is no such trace. */
static const struct clew_told_trace *get(const clew_answer *answer, uint32_t trace) {
  return trace < answer->traces.len ? &answer->traces.data[trace] : NULL;
}

uint32_t clew_trace_property(const clew_answer *answer, uint32_t trace) {
  const struct clew_told_trace *told = get(answer, trace);
  return told != NULL ? told->trace->property : CLEW_NO_INDEX;
}

uint32_t clew_trace_state_count(const clew_answer *answer, uint32_t trace) {
  const struct clew_told_trace *told = get(answer, trace);
  return told != NULL ? told->state_count : 0;
}

uint32_t clew_trace_loop(const clew_answer *answer, uint32_t trace) {
  const struct clew_told_trace *told = get(answer, trace);
  bool is_run = told != NULL && clew_trace_is_run(answer->session.model->reference, told->trace);
  return is_run ? told->trace->loop_to : CLEW_NO_INDEX;
}

const char *clew_trace_step(const clew_answer *answer, uint32_t trace, uint32_t state) {
  const struct clew_told_trace *told = get(answer, trace);
  return told != NULL && state <= told->state_count ? told->steps[state] : NULL;
}

uint32_t clew_trace_variable_count(const clew_answer *answer) {
  return answer->traces.len > 0 ? answer->session.model->reference->slot_count : 0;
}

const char *clew_trace_variable(const clew_answer *answer, uint32_t variable) {
  return variable < clew_trace_variable_count(answer)
             ? answer->session.model->reference->slots[variable].name
             : NULL;
}

const char *clew_trace_value(const clew_answer *answer, uint32_t trace, uint32_t state,
                             uint32_t variable) {
  const struct clew_told_trace *told = get(answer, trace);
  uint32_t slots = clew_trace_variable_count(answer);
  return told != NULL && state < told->state_count && variable < slots
             ? told->values[(size_t)state * slots + variable]
             : NULL;
}

const char *clew_trace_error(const clew_answer *answer, uint32_t trace) {
  const struct clew_told_trace *told = get(answer, trace);
  return told != NULL ? told->error : NULL;
}

/* Whether states of one model are states of the other. */
static bool is_same_layout(const struct clew_model *a, const struct clew_model *b) {
  bool same = b != NULL && a->words == b->words && a->slot_count == b->slot_count;
  for (uint32_t i = 0; same && i < a->slot_count; i++) {
    const struct clew_slot *s = &a->slots[i], *t = &b->slots[i];
    same = s->bit == t->bit && s->width == t->width && s->domain->lo == t->domain->lo &&
           s->domain->hi == t->domain->hi;
  }
  return same;
}

const uint64_t *clew_trace_words(const clew_answer *answer, uint32_t trace, uint32_t state) {
  const struct clew_told_trace *told = get(answer, trace);
  if (told == NULL || state >= told->state_count ||
      !is_same_layout(answer->session.model->reference, answer->handle->model)) {
    return NULL;
  }
  return told->states + (size_t)state * answer->handle->model->words;
}
