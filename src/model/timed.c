/* What transitions and properties say about clocks, as data. */
#include "model/timed.h"

#include <assert.h>

#include "base/alloc.h"

void clew_timed_step_close(struct clew_timed_step *step) {
  clew_free(step->guard);
  clew_free(step->settings);
  clew_free(step->invariant);
  clew_free(step->stopped);
  *step = (struct clew_timed_step){0};
}

static uint32_t grown(uint32_t capacity) {
  enum { FIRST = 8 };
  return capacity == 0 ? FIRST : 2 * capacity;
}

void clew_clock_ends_close(struct clew_clock_ends *ends) {
  clew_free(ends->bounds);
  clew_free(ends->from);
  *ends = (struct clew_clock_ends){0};
}

void clew_clock_ends_begin(struct clew_clock_ends *ends) {
  if (ends->count + 1 >= ends->capacity) {
    ends->capacity = grown(ends->capacity);
    ends->from = clew_realloc_array(ends->from, ends->capacity, sizeof *ends->from);
  }
  ends->from[ends->count] = ends->bound_count;
  ends->from[++ends->count] = ends->bound_count;
}

void clew_clock_ends_add(struct clew_clock_ends *ends, struct clew_clock_bound bound) {
  assert(ends->count > 0);
  if (ends->bound_count == ends->bound_capacity) {
    ends->bound_capacity = grown(ends->bound_capacity);
    ends->bounds = clew_realloc_array(ends->bounds, ends->bound_capacity, sizeof *ends->bounds);
  }
  ends->bounds[ends->bound_count++] = bound;
  ends->from[ends->count] = ends->bound_count;
}
