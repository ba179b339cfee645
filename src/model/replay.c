/* One transition, over again; and what stores ask of a model that they know as a context only. */
#include <assert.h>
#include <string.h>

#include "model/model.h"

bool clew_model_start(const struct clew_model *model, uint32_t initial, uint64_t *out) {
  assert(initial != CLEW_NONE);
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, model->cover_count);
  succs.resume = initial; /* not all of those before */
  succs.most = 1;
  model->init(model, &succs);
  bool found = false;
  for (uint32_t i = 0; i < succs.count && !found; i++) {
    if (succs.edges[i] == initial) {
      memcpy(out, succs.states + (size_t)i * model->words, model->words * sizeof *out);
      found = true;
    }
  }
  clew_succs_close(&succs);
  return found;
}

uint32_t clew_model_edge_line(const struct clew_model *model, uint32_t edge) {
  bool has_rules = model->rules != NULL && model->rule_of != NULL;
  return has_rules ? model->rules[model->rule_of(model, edge)].position.line : 0;
}

void clew_model_print_step(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                           struct clew_text *out) {
  model->print_edge(model, edge, out);
  if (model->print_values != NULL) {
    model->print_values(model, state, edge, out);
  }
}

bool clew_model_replay(void *model_as_context, const uint64_t *state, uint32_t edge,
                       uint64_t *out) {
  const struct clew_model *model = model_as_context;
  uint32_t site = CLEW_NONE;
  return model->fire(model, state, edge, out, &site);
}

bool clew_model_covers(void *model_as_context, const uint64_t *a, const uint64_t *b) {
  const struct clew_model *model = model_as_context;
  assert(memcmp(a, b, model->discrete_words * sizeof *a) == 0);
  return model->covers(model, a, b);
}
