/* What one transition says about clocks, as data. */
#include "model/timed.h"
#include "base/alloc.h"

void clew_timed_step_close(struct clew_timed_step *step) {
  clew_free(step->guard);
  clew_free(step->settings);
  clew_free(step->invariant);
  clew_free(step->stopped);
  *step = (struct clew_timed_step){0};
}
