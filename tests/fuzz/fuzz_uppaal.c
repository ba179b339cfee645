/* Fuzz target: any bytes through the UPPAAL front end (text, or XML if they begin with "<"), with
 * integer time or (an odd number of bytes) with zones; and the first steps of the model that it
 * makes, zones and symmetry included.
 */
#include "fuzz_front.h"
#include "lang/uppaal/uppaal.h"

static enum clew_time_mode time_of(size_t length) {
  return length % 2 == 0 ? CLEW_TIME_DIGITAL : CLEW_TIME_ZONES;
}

static void load_and_walk(const struct clew_load_request *request) {
  struct clew_load_request inner = *request;
  inner.exec = CLEW_MODE_INTERP;
  inner.symmetry = CLEW_SYMMETRY_CANONICAL;
  struct clew_diag_sink diags = {0};
  struct clew_model *model = NULL;
  if (clew_language_uppaal.load(&inner, &diags, &model) == CLEW_OK) {
    if (model->edge_count <= FUZZ_MAX_EDGES) {
      fuzz_walk_model(model);
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
