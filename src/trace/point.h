/* A point of a run of a timed model: the moment, and a value for every clock.
 *
 * Where a zone says what clocks may be, a point says what they are. Values are exact: integers in
 * units of 1 / scale. The scale is a power of ten, and becomes a greater one when a value is needed
 * in between.
 *
 * Everything that a transition demands of clocks is a bound of a difference, and all clocks that do
 * not stand still grow by the same delay. So the delays after which it is possible are an interval,
 * a *window*. */
#ifndef CLEW_TRACE_POINT_H
#define CLEW_TRACE_POINT_H

#include "base/random.h"
#include "base/text.h"
#include "model/model.h"
#include "model/timed.h"

struct clew_point {
  uint32_t clock_count; /* with clock 0, which is always zero */
  int64_t scale;
  int64_t now;
  int64_t *values;             /* owned, by clock */
  struct clew_timed_step here; /* owned: the step that led here; its invariant holds */
};

/* Delays; empty if there are none. */
struct clew_window {
  bool is_empty, is_endless;
  bool from_open, to_open;
  int64_t from, to; /* in units of the point; `to` says nothing if it is endless */
};

/* The start of the model, by an edge of `init`. False: there is none by that edge. */
bool clew_point_start(const struct clew_model *model, uint32_t edge, struct clew_point *point);
void clew_point_copy(const struct clew_point *from, struct clew_point *to);
void clew_point_close(struct clew_point *point);

/* How long the run may stay where it is. */
struct clew_window clew_point_stay(const struct clew_point *point);
/* Leaves the delays after which all of the bounds hold. */
void clew_point_narrow(const struct clew_point *point, const struct clew_clock_bound *bounds,
                       uint32_t count, struct clew_window *window);
/* When the step can be taken: the bounds of its guard hold, and those of the target's invariant
 * once clocks are set. `target`, or NULL, is the state that it leads to, whose zone clocks have to
 * be in. */
struct clew_window clew_point_window(const struct clew_point *point,
                                     const struct clew_timed_step *step,
                                     const struct clew_model *model, const uint64_t *target);

/* A delay of the window: the least one, or the least simple number above an open end; a random one.
 * The point's scale may grow, with it the window's. The window is not empty. */
int64_t clew_point_earliest(struct clew_point *point, struct clew_window *window);
int64_t clew_point_any(struct clew_point *point, struct clew_window *window,
                       struct clew_random *random);
/* A decimal number, "2.5", as a delay; false when it is none, or too large or too fine. */
bool clew_point_parse(struct clew_point *point, const char *text, int64_t *delay);
/* Whether the moment is beyond those that can be told exactly. */
bool clew_point_is_far(const struct clew_point *point);
bool clew_window_has(const struct clew_window *window, int64_t delay);

/* Lets time pass: the run may stay so long. */
void clew_point_delay(struct clew_point *point, int64_t delay);
/* Takes a step, which is possible now; the point owns it from then on. */
void clew_point_take(struct clew_point *point, struct clew_timed_step *step);

/* "12.5" */
void clew_point_print_value(const struct clew_point *point, int64_t value, struct clew_text *out);
/* "[2, 5)" */
void clew_window_print(const struct clew_point *point, const struct clew_window *window,
                       struct clew_text *out);
/* A line with the value of each clock. */
void clew_point_print(const struct clew_point *point, const struct clew_timed *timed,
                      struct clew_text *out);

#endif
