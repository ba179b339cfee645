/* Fuzz target: any bytes through the UPPAAL front end, with integer time or (an odd number of
 * bytes) with zones; and the first steps of the model that it makes, zones and symmetry included.
 */
#include "fuzz_front.h"
#include "lang/uppaal/uppaal.h"

static enum clew_time_mode time_of(size_t length) {
  return length % 2 == 0 ? CLEW_TIME_DIGITAL : CLEW_TIME_ZONES;
}

static void walk(const struct clew_model *model) {
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, model->cover_count);
  succs.most = FUZZ_MAX_EDGES;
  model->init(model, &succs);
  uint64_t *state = clew_alloc_zero(model->words, sizeof *state);
  for (int step = 0; step < FUZZ_MAX_STEPS && succs.count > 0; step++) {
    memcpy(state, succs.states + (size_t)(succs.count - 1) * model->words,
           model->words * sizeof *state);
    for (uint32_t i = 0; i < model->label_count; i++) {
      uint32_t site = CLEW_NONE;
      model->label(model, i, state, &site);
    }
    clew_succs_clear(&succs);
    succs.resume = 0;
    model->next(model, state, &succs);
  }
  clew_free(state);
  clew_succs_close(&succs);
}

static void load_and_walk(const struct clew_load_request *request) {
  struct clew_load_request inner = *request;
  inner.exec = CLEW_MODE_INTERP;
  inner.symmetry = CLEW_SYMMETRY_CANONICAL;
  struct clew_diag_sink diags = {0};
  struct clew_model *model = NULL;
  if (clew_language_uppaal.load(&inner, &diags, &model) == CLEW_OK) {
    if (model->edge_count <= FUZZ_MAX_EDGES) {
      walk(model);
    }
    model->close(model);
  }
  clew_diag_sink_free(&diags);
}

static enum clew_status timed(const struct clew_load_request *request, struct clew_diag_sink *diags,
                              struct clew_program **program) {
  struct clew_load_request inner = *request;
  inner.time = time_of(request->source->length);
  enum clew_status status = clew_uppaal_program(&inner, diags, program);
  if (status == CLEW_OK) {
    load_and_walk(&inner);
  }
  return status;
}

FUZZ_TARGET(timed)
