/* Points of runs, and the windows in which transitions are possible. */
#include "trace/point.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"

/* Moments stay far below 2^63 / MOST_SCALE units of time. */
static const int64_t MOST_SCALE = 1000000000, MOST_TIME = 1000000000;
enum { BASE = 10 };

/* ---- making points ---- */

/* Values after the settings of a step. */
static void apply(const struct clew_timed_step *step, int64_t scale, int64_t *values) {
  for (uint32_t k = 0; k < step->setting_count; k++) {
    values[step->settings[k].clock] = step->settings[k].value * scale;
  }
}

bool clew_point_start(const struct clew_model *model, uint32_t edge, struct clew_point *point) {
  const struct clew_timed *timed = model->timed;
  *point = (struct clew_point){.clock_count = timed->clock_count, .scale = BASE};
  point->values = clew_alloc_zero(point->clock_count, sizeof *point->values);
  if (!timed->step(model, NULL, true, edge, &point->here)) {
    return false;
  }
  apply(&point->here, point->scale, point->values);
  return true;
}

static void *copy_of(const void *data, size_t count, size_t bytes) {
  void *copy = clew_alloc_zero(count + 1, bytes);
  if (count > 0) {
    memcpy(copy, data, count * bytes);
  }
  return copy;
}

void clew_point_copy(const struct clew_point *from, struct clew_point *to) {
  const struct clew_timed_step *here = &from->here;
  *to = *from;
  to->values = copy_of(from->values, from->clock_count, sizeof *from->values);
  to->here.guard = copy_of(here->guard, here->guard_count, sizeof *here->guard);
  to->here.settings = copy_of(here->settings, here->setting_count, sizeof *here->settings);
  to->here.invariant = copy_of(here->invariant, here->invariant_count, sizeof *here->invariant);
  if (here->stopped != NULL) {
    to->here.stopped =
        copy_of(here->stopped, CLEW_BITSET_WORDS(from->clock_count), sizeof *here->stopped);
  }
}

void clew_point_close(struct clew_point *point) {
  clew_free(point->values);
  clew_timed_step_close(&point->here);
  *point = (struct clew_point){0};
}

/* ---- windows ---- */

static const struct clew_window ALWAYS = {.is_endless = true}, NEVER = {.is_empty = true};

static void note_if_empty(struct clew_window *window) {
  window->is_empty = window->is_empty ||
                     (!window->is_endless &&
                      (window->from > window->to ||
                       (window->from == window->to && (window->from_open || window->to_open))));
}

static void keep_until(struct clew_window *window, int64_t to, bool is_open) {
  if (window->is_endless || to < window->to || (to == window->to && is_open)) {
    window->is_endless = false;
    window->to = to;
    window->to_open = is_open;
  }
  note_if_empty(window);
}

static void keep_from(struct clew_window *window, int64_t from, bool is_open) {
  if (from > window->from || (from == window->from && is_open)) {
    window->from = from;
    window->from_open = is_open;
  }
  note_if_empty(window);
}

bool clew_window_has(const struct clew_window *window, int64_t delay) {
  bool late_enough = delay > window->from || (delay == window->from && !window->from_open);
  bool soon_enough =
      window->is_endless || delay < window->to || (delay == window->to && !window->to_open);
  return !window->is_empty && late_enough && soon_enough;
}

/* The least multiple of the unit in the window; the one before it is not there. */
static int64_t least_multiple(const struct clew_window *window, int64_t unit) {
  int64_t first = (window->from + unit - 1) / unit * unit;
  return first == window->from && window->from_open ? first + unit : first;
}

/* How fast a clock grows here. */
static int rate_of(const struct clew_point *point, uint32_t clock) {
  const uint64_t *stopped = point->here.stopped;
  return clock == 0 || (stopped != NULL && clew_bitset_has(stopped, clock)) ? 0 : 1;
}

/* Leaves the delays d for which difference + slope * d is below the bound. */
static void narrow_by(struct clew_window *window, int64_t difference, int slope, int64_t bound,
                      bool is_strict) {
  int64_t room = bound - difference;
  if (slope > 0) {
    keep_until(window, room, is_strict);
  } else if (slope < 0) {
    keep_from(window, -room, is_strict);
  } else if (room < 0 || (room == 0 && is_strict)) {
    *window = NEVER;
  }
}

void clew_point_narrow(const struct clew_point *point, const struct clew_clock_bound *bounds,
                       uint32_t count, struct clew_window *window) {
  for (uint32_t k = 0; k < count; k++) {
    uint32_t i = bounds[k].i, j = bounds[k].j;
    assert(i < point->clock_count && j < point->clock_count);
    narrow_by(window, point->values[i] - point->values[j], rate_of(point, i) - rate_of(point, j),
              bounds[k].bound * point->scale, bounds[k].is_strict);
  }
}

struct clew_window clew_point_stay(const struct clew_point *point) {
  struct clew_window window = ALWAYS;
  if (!point->here.may_delay) {
    keep_until(&window, 0, false);
  }
  clew_point_narrow(point, point->here.invariant, point->here.invariant_count, &window);
  return window;
}

/* A bound of clocks that the step has set. */
static void narrow_after(const struct clew_point *point, const struct clew_timed_step *step,
                         struct clew_clock_bound bound, struct clew_window *window) {
  int64_t values[2] = {point->values[bound.i], point->values[bound.j]};
  int rates[2] = {rate_of(point, bound.i), rate_of(point, bound.j)};
  for (uint32_t k = 0; k < step->setting_count; k++) {
    for (uint32_t side = 0; side < 2; side++) {
      if (step->settings[k].clock == (side == 0 ? bound.i : bound.j)) {
        values[side] = step->settings[k].value * point->scale;
        rates[side] = 0;
      }
    }
  }
  narrow_by(window, values[0] - values[1], rates[0] - rates[1], bound.bound * point->scale,
            bound.is_strict);
}

struct clew_window clew_point_window(const struct clew_point *point,
                                     const struct clew_timed_step *step,
                                     const struct clew_model *model, const uint64_t *target) {
  struct clew_window window = clew_point_stay(point);
  clew_point_narrow(point, step->guard, step->guard_count, &window);
  for (uint32_t k = 0; k < step->invariant_count; k++) {
    narrow_after(point, step, step->invariant[k], &window);
  }
  for (uint32_t i = 0; target != NULL && i < point->clock_count; i++) {
    for (uint32_t j = 0; j < point->clock_count; j++) {
      int32_t raw = model->timed->bound(model, target, i, j);
      if (i != j && raw != INT32_MAX) {
        struct clew_clock_bound bound = {i, j, raw >> 1, (raw & 1) == 0};
        narrow_after(point, step, bound, &window);
      }
    }
  }
  if (point->scale == MOST_SCALE && !window.is_empty &&
      !clew_window_has(&window, least_multiple(&window, 1))) {
    return NEVER; /* so narrow that no number is fine enough */
  }
  return window;
}

/* ---- choosing ---- */

bool clew_point_is_far(const struct clew_point *point) {
  return point->now / point->scale >= MOST_TIME;
}

static bool refine(struct clew_point *point, struct clew_window *window) {
  if (point->scale >= MOST_SCALE) {
    return false;
  }
  point->scale *= BASE;
  point->now *= BASE;
  for (uint32_t i = 0; i < point->clock_count; i++) {
    point->values[i] *= BASE;
  }
  if (window != NULL) {
    window->from *= BASE;
    window->to *= BASE;
  }
  return true;
}

/* Units from which a simple number is made, in the order in which they are tried. */
static int64_t unit_of(const struct clew_point *point, uint32_t number) {
  return number == 0 ? point->scale : number == 1 ? point->scale / 2 : 1;
}

int64_t clew_point_earliest(struct clew_point *point, struct clew_window *window) {
  assert(!window->is_empty);
  if (!window->from_open) {
    return window->from;
  }
  do {
    for (uint32_t k = 1; k < 3; k++) {
      int64_t first = least_multiple(window, unit_of(point, k));
      if (clew_window_has(window, first)) {
        return first;
      }
    }
  } while (refine(point, window));
  assert(false); /* such a window is empty */
  return window->from;
}

int64_t clew_point_any(struct clew_point *point, struct clew_window *window,
                       struct clew_random *random) {
  enum { SPAN = 20 }; /* units of time, where nothing ends the window */
  assert(!window->is_empty);
  uint32_t first_unit = (uint32_t)clew_random_below(random, 3);
  for (uint32_t k = first_unit; k < 3; k++) {
    int64_t unit = unit_of(point, k), first = least_multiple(window, unit);
    if (clew_window_has(window, first)) {
      int64_t to = window->is_endless ? window->from + SPAN * point->scale : window->to;
      uint64_t steps = (uint64_t)((to - first) / unit);
      int64_t delay = first + (int64_t)clew_random_below(random, steps + 1) * unit;
      return clew_window_has(window, delay) ? delay : first;
    }
  }
  return clew_point_earliest(point, window);
}

bool clew_point_parse(struct clew_point *point, const char *text, int64_t *delay) {
  int64_t value = 0, scale = 1;
  bool any = false, has_dot = false;
  for (; *text != '\0'; text++) {
    if (*text == '.' && !has_dot) {
      has_dot = true;
      continue;
    }
    if (*text < '0' || *text > '9' || value >= MOST_TIME * MOST_SCALE / BASE ||
        (has_dot && scale >= MOST_SCALE)) {
      return false;
    }
    value = value * BASE + (*text - '0');
    scale *= has_dot ? BASE : 1;
    any = true;
  }
  while (point->scale < scale) {
    (void)refine(point, NULL);
  }
  *delay = any && value / scale < MOST_TIME ? value * (point->scale / scale) : 0;
  return any && value / scale < MOST_TIME;
}

/* ---- going on ---- */

void clew_point_delay(struct clew_point *point, int64_t delay) {
  struct clew_window stay = clew_point_stay(point);
  assert(clew_window_has(&stay, delay));
  (void)stay;
  point->now += delay;
  for (uint32_t i = 1; i < point->clock_count; i++) {
    point->values[i] += rate_of(point, i) * delay;
  }
}

void clew_point_take(struct clew_point *point, struct clew_timed_step *step) {
  apply(step, point->scale, point->values);
  clew_timed_step_close(&point->here);
  point->here = *step;
  *step = (struct clew_timed_step){0};
}

/* ---- printing ---- */

void clew_point_print_value(const struct clew_point *point, int64_t value, struct clew_text *out) {
  assert(value >= 0);
  int64_t rest = value % point->scale;
  clew_text_printf(out, "%" PRId64, value / point->scale);
  for (bool first = true; rest != 0; first = false) {
    clew_text_printf(out, "%s%" PRId64, first ? "." : "", rest * BASE / point->scale);
    rest = rest * BASE % point->scale;
  }
}

void clew_window_print(const struct clew_point *point, const struct clew_window *window,
                       struct clew_text *out) {
  clew_text_char(out, window->from_open ? '(' : '[');
  clew_point_print_value(point, window->from, out);
  clew_text_put(out, ", ");
  if (window->is_endless) {
    clew_text_put(out, "...)");
  } else {
    clew_point_print_value(point, window->to, out);
    clew_text_char(out, window->to_open ? ')' : ']');
  }
}

void clew_point_print(const struct clew_point *point, const struct clew_timed *timed,
                      struct clew_text *out) {
  for (uint32_t i = 1; i < point->clock_count; i++) {
    clew_text_printf(out, "%s%s = ", i == 1 ? "        " : ", ", timed->clock_names[i]);
    clew_point_print_value(point, point->values[i], out);
  }
  if (point->clock_count > 1) {
    clew_text_char(out, '\n');
  }
}
