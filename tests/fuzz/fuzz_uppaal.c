/* Fuzz target: any bytes through the UPPAAL front end, with integer time. */
#include "fuzz_front.h"
#include "lang/uppaal/uppaal.h"

static enum clew_status digital(const struct clew_load_request *request,
                                struct clew_diag_sink *diags, struct clew_program **program) {
  struct clew_load_request timed = *request;
  timed.time = CLEW_TIME_DIGITAL;
  return clew_uppaal_program(&timed, diags, program);
}

FUZZ_TARGET(digital)
