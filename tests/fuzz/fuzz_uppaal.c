/* Fuzz target: any bytes through the UPPAAL front end, with integer time or (an odd number of
 * bytes) with zones. */
#include "fuzz_front.h"
#include "lang/uppaal/uppaal.h"

static enum clew_status timed(const struct clew_load_request *request, struct clew_diag_sink *diags,
                              struct clew_program **program) {
  struct clew_load_request inner = *request;
  inner.time = request->source->length % 2 == 0 ? CLEW_TIME_DIGITAL : CLEW_TIME_ZONES;
  return clew_uppaal_program(&inner, diags, program);
}

FUZZ_TARGET(timed)
