/* Walking: initial states, successors, single transitions, and states as text. */
#include <assert.h>
#include <string.h>

#include "api/api_int.h"
#include "base/alloc.h"
#include "base/bits.h"
#include "trace/trace.h"

struct clew_steps {
  uint32_t words, count, fault_count;
  uint64_t *states;
  uint32_t *edges;
  char **names;
  char **fault_names, **fault_messages;
  bool stuck;
};

/* Whether the word has bits that belong to no variable. */
static bool has_other_bits(const struct clew_model *model, uint32_t word, uint64_t bits) {
  for (uint32_t i = 0; i < model->slot_count && bits != 0; i++) {
    const struct clew_slot *slot = &model->slots[i];
    if (slot->bit / 64 == word && slot->width > 0) {
      bits &= ~(UINT64_MAX >> (64 - slot->width) << slot->bit % 64);
    }
  }
  return bits != 0;
}

/* Whether each variable has a value that it can have. Words come from callers. Of the zones of
 * timed models nothing is known here. */
static bool is_state(const struct clew_model *model, const uint64_t *state) {
  for (uint32_t i = 0; model->timed == NULL && i < model->words; i++) {
    if (has_other_bits(model, i, state[i])) {
      return false;
    }
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const struct clew_slot *slot = &model->slots[i];
    int64_t value = clew_slot_get(slot, state);
    bool undefined = slot->undefinable && value == CLEW_UNDEFINED;
    if (!undefined && (value < slot->domain->lo || value > slot->domain->hi)) {
      return false;
    }
  }
  return true;
}

uint32_t clew_state_word_count(const clew_handle *handle) {
  return handle->model != NULL ? handle->model->words : 0;
}

/* ---- steps ---- */

struct walk {
  struct clew_handle *handle;
  const uint64_t *state; /* NULL: the initial states are asked for */
  struct clew_steps *steps;
};

static char *edge_name(const struct clew_model *model, const uint64_t *state, uint32_t edge) {
  struct clew_text name = {0};
  if (state == NULL) {
    model->print_initial(model, edge, &name);
  } else {
    clew_model_print_step(model, state, edge, &name);
    if (model->print_sent != NULL) {
      model->print_sent(model, state, edge, &name);
    }
  }
  char *copy = clew_strdup(clew_text_str(&name));
  clew_text_free(&name);
  return copy;
}

static struct clew_steps *write_steps(const struct clew_model *model, const uint64_t *state,
                                      const struct clew_succs *succs) {
  struct clew_steps *steps = clew_alloc_zero(1, sizeof *steps);
  steps->words = model->words;
  steps->count = succs->count;
  steps->fault_count = succs->fault_count;
  steps->stuck = state != NULL && succs->stuck;
  size_t bytes = (size_t)succs->count * model->words * sizeof(uint64_t);
  steps->states = clew_alloc_zero(bytes + 1, 1);
  memcpy(steps->states, succs->states, succs->count > 0 ? bytes : 0);
  steps->edges = clew_alloc_zero((size_t)succs->count + 1, sizeof *steps->edges);
  steps->names = clew_alloc_zero((size_t)succs->count + 1, sizeof *steps->names);
  for (uint32_t i = 0; i < succs->count; i++) {
    steps->edges[i] = succs->edges[i];
    steps->names[i] = edge_name(model, state, succs->edges[i]);
  }
  steps->fault_names = clew_alloc_zero((size_t)succs->fault_count + 1, sizeof *steps->fault_names);
  steps->fault_messages =
      clew_alloc_zero((size_t)succs->fault_count + 1, sizeof *steps->fault_messages);
  for (uint32_t i = 0; i < succs->fault_count; i++) {
    struct clew_text message = {0};
    clew_site_print(model, succs->faults[i].site, &message);
    steps->fault_names[i] = edge_name(model, state, succs->faults[i].edge);
    steps->fault_messages[i] = clew_strdup(clew_text_str(&message));
    clew_text_free(&message);
  }
  return steps;
}

static void make_steps(void *context) {
  struct walk *walk = context;
  const struct clew_model *model = walk->handle->model;
  if (walk->state != NULL && !is_state(model, walk->state)) {
    return;
  }
  struct clew_succs succs;
  clew_voice_clear(&walk->handle->desk.voice);
  clew_succs_open(&succs, model->words, model->cover_count);
  succs.resume = 0;
  do {
    if (walk->state != NULL) {
      model->next(model, walk->state, &succs);
    } else {
      model->init(model, &succs);
    }
  } while (succs.resume != 0);
  walk->steps = write_steps(model, walk->state, &succs);
  clew_succs_close(&succs);
}

clew_steps *clew_initial(clew_handle *handle) {
  struct walk walk = {.handle = handle};
  return handle->model != NULL && clew_desk_do(&handle->desk, make_steps, &walk) ? walk.steps
                                                                                 : NULL;
}

clew_steps *clew_successors(clew_handle *handle, const uint64_t *state) {
  assert(state != NULL);
  struct walk walk = {.handle = handle, .state = state};
  return handle->model != NULL && clew_desk_do(&handle->desk, make_steps, &walk) ? walk.steps
                                                                                 : NULL;
}

void clew_steps_free(clew_steps *steps) {
  if (steps == NULL) {
    return;
  }
  for (uint32_t i = 0; i < steps->count; i++) {
    clew_free(steps->names[i]);
  }
  for (uint32_t i = 0; i < steps->fault_count; i++) {
    clew_free(steps->fault_names[i]);
    clew_free(steps->fault_messages[i]);
  }
  clew_free(steps->names);
  clew_free(steps->fault_names);
  clew_free(steps->fault_messages);
  clew_free(steps->edges);
  clew_free(steps->states);
  clew_free(steps);
}

uint32_t clew_steps_count(const clew_steps *steps) {
  return steps->count;
}

uint32_t clew_steps_edge(const clew_steps *steps, uint32_t step) {
  return step < steps->count ? steps->edges[step] : CLEW_NO_INDEX;
}

const uint64_t *clew_steps_state(const clew_steps *steps, uint32_t step) {
  return step < steps->count ? steps->states + (size_t)step * steps->words : NULL;
}

const char *clew_steps_name(const clew_steps *steps, uint32_t step) {
  return step < steps->count ? steps->names[step] : NULL;
}

uint32_t clew_steps_fault_count(const clew_steps *steps) {
  return steps->fault_count;
}

const char *clew_steps_fault_name(const clew_steps *steps, uint32_t fault) {
  return fault < steps->fault_count ? steps->fault_names[fault] : NULL;
}

const char *clew_steps_fault_message(const clew_steps *steps, uint32_t fault) {
  return fault < steps->fault_count ? steps->fault_messages[fault] : NULL;
}

int clew_steps_is_deadlock(const clew_steps *steps) {
  return steps->stuck;
}

/* ---- one state ---- */

struct look {
  struct clew_handle *handle;
  const uint64_t *state, *previous;
  uint32_t number; /* edge, property, variable */
  uint64_t *out;
  int answer;
  char *text;
};

static void fire(void *context) {
  struct look *look = context;
  const struct clew_model *model = look->handle->model;
  uint32_t site = CLEW_NONE;
  clew_voice_clear(&look->handle->desk.voice);
  look->answer = is_state(model, look->state) && look->number < model->edge_count &&
                 model->fire(model, look->state, look->number, look->out, &site);
}

int clew_fire(clew_handle *handle, const uint64_t *state, uint32_t edge, uint64_t *out) {
  struct look look = {.handle = handle, .state = state, .number = edge, .out = out};
  return handle->model != NULL && clew_desk_do(&handle->desk, fire, &look) ? look.answer : 0;
}

static void ask_invariant(void *context) {
  struct look *look = context;
  const struct clew_model *model = look->handle->model;
  look->answer = -1;
  if (!is_state(model, look->state) || look->number >= model->property_count ||
      model->properties[look->number].kind != CLEW_PROPERTY_INVARIANT) {
    return;
  }
  clew_voice_clear(&look->handle->desk.voice);
  uint32_t site = CLEW_NONE;
  bool value = model->label(model, model->properties[look->number].label, look->state, &site);
  look->answer = site != CLEW_NONE ? -1 : value;
}

int clew_holds_in(clew_handle *handle, uint32_t property, const uint64_t *state) {
  struct look look = {.handle = handle, .state = state, .number = property};
  return handle->model != NULL && clew_desk_do(&handle->desk, ask_invariant, &look) ? look.answer
                                                                                    : -1;
}

static void print_state(void *context) {
  struct look *look = context;
  const struct clew_model *model = look->handle->model;
  if (is_state(model, look->state) && (look->previous == NULL || is_state(model, look->previous))) {
    struct clew_text text = {0};
    clew_state_print(model, look->state, look->previous, "", &text);
    clew_clocks_print(model, look->state, &text);
    look->text = clew_strdup(clew_text_str(&text));
    clew_text_free(&text);
  }
}

char *clew_state_text(clew_handle *handle, const uint64_t *state, const uint64_t *previous) {
  struct look look = {.handle = handle, .state = state, .previous = previous};
  return handle->model != NULL && clew_desk_do(&handle->desk, print_state, &look) ? look.text
                                                                                  : NULL;
}

/* Facts of the model and the words alone: no evaluation, so no desk. */
char *clew_state_value(clew_handle *handle, const uint64_t *state, uint32_t variable) {
  const struct clew_model *model = handle->model;
  if (model == NULL || variable >= model->slot_count || !is_state(model, state) ||
      !clew_slot_present(model, variable, state)) {
    return NULL;
  }
  struct clew_text value = {0};
  clew_domain_print(model->slots[variable].domain, clew_slot_get(&model->slots[variable], state),
                    &value);
  char *copy = clew_strdup(clew_text_str(&value));
  clew_text_free(&value);
  return copy;
}
