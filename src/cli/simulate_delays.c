/* Walks through timed models by delays: clocks have values, and each transition has a window of
 * delays after which it can be taken.
 *
 * The walk has states with zones as any other, which hold the point; they say which transitions
 * there are, and the point says when. A property that a delay violates on the way is told at the
 * first moment at which it is. */
#include "base/bits.h"
#include "cli/simulate_int.h"
#include "trace/trace.h"

void clew_walk_forget(struct walk *walk, uint32_t moments) {
  assert(moments <= walk->moments.len);
  for (uint32_t i = 0; i < moments; i++) {
    clew_point_close(&walk->moments.data[--walk->moments.len].point);
  }
}

void clew_walk_find_windows(struct walk *walk) {
  const struct clew_model *model = walk->model;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < walk->choices.len && !walk->is_start; i++) {
    struct choice choice = walk->choices.data[i];
    struct clew_timed_step step;
    const uint64_t *target =
        choice.site == CLEW_NONE ? walk->succs.states + (size_t)choice.index * model->words : NULL;
    (void)model->timed->step(model, clew_walk_state(walk), false, choice.edge, &step);
    choice.window = clew_point_window(clew_walk_point(walk), &step, model, target);
    clew_timed_step_close(&step);
    if (!choice.window.is_empty) {
      walk->choices.data[kept++] = choice;
    }
  }
  if (!walk->is_start) {
    walk->choices.len = kept;
  }
}

/* The moment is the last one now. */
static void push(struct walk *walk, struct clew_point point, bool keep_all) {
  if (!keep_all) {
    clew_walk_forget(walk, walk->moments.len);
  }
  struct moment moment = {point, walk->steps};
  clew_vec_push(&walk->moments, moment);
}

void clew_walk_arrive(struct walk *walk, const struct choice *choice, const uint64_t *previous,
                      bool keep_all) {
  const struct clew_model *model = walk->model;
  struct clew_point point;
  if (previous == NULL) {
    bool started = clew_point_start(model, choice->edge, &point);
    assert(started);
    (void)started;
  } else {
    struct clew_timed_step step;
    bool done = model->timed->step(model, previous, false, choice->edge, &step);
    assert(done);
    (void)done;
    clew_point_copy(clew_walk_point(walk), &point);
    clew_point_take(&point, &step);
  }
  push(walk, point, keep_all);
}

/* ---- properties ---- */

/* The first delay of the window at which the property is violated, to *first; an error while it is
 * evaluated, to *site. */
static bool is_violated(struct walk *walk, uint32_t property, const struct clew_window *during,
                        struct clew_window *first, uint32_t *site) {
  const struct clew_model *model = walk->model;
  struct clew_clock_ends ends = {0};
  bool found = false;
  *site = CLEW_NONE;
  (void)model->timed->falsify(model, model->properties[property].label, clew_walk_state(walk),
                              &ends, site);
  for (uint32_t k = 0; k < ends.count; k++) {
    uint32_t end = k + 1 < ends.count ? ends.from[k + 1] : ends.bound_count;
    struct clew_window window = *during;
    clew_point_narrow(clew_walk_point(walk), ends.bounds + ends.from[k], end - ends.from[k],
                      &window);
    if (!window.is_empty && (!found || window.from < first->from)) {
      *first = window;
      found = true;
    }
  }
  clew_clock_ends_close(&ends);
  return found || *site != CLEW_NONE;
}

/* The property that is violated first while time passes; CLEW_NONE: none is. */
static uint32_t find_violation(struct walk *walk, const struct clew_window *during,
                               struct clew_window *first, uint32_t *site) {
  const struct clew_model *model = walk->model;
  uint32_t found = CLEW_NONE;
  for (uint32_t i = 0; i < model->property_count; i++) {
    struct clew_window window = *during;
    uint32_t error = CLEW_NONE;
    bool is_asked =
        clew_bitset_has(walk->enabled, i) && model->properties[i].kind == CLEW_PROPERTY_INVARIANT;
    if (is_asked && is_violated(walk, i, during, &window, &error) &&
        (found == CLEW_NONE || window.from < first->from)) {
      found = i;
      *first = window;
      *site = error;
    }
  }
  return found;
}

static void tell(struct walk *walk, uint32_t property, uint32_t site) {
  if (!clew_walk_note_limit(walk, site)) {
    clew_walk_note_violation(walk, property, site, walk->steps);
  }
}

bool clew_walk_check_point(struct walk *walk) {
  struct clew_window now = {0}, first;
  uint32_t site = CLEW_NONE, property = find_violation(walk, &now, &first, &site);
  if (property != CLEW_NONE) {
    tell(walk, property, site);
  }
  return property == CLEW_NONE;
}

/* ---- time ---- */

void clew_walk_put_time(struct walk *walk, struct clew_text *name) {
  struct clew_point *point = clew_walk_point(walk);
  clew_text_put(name, "  @ ");
  clew_point_print_value(point, point->now, name);
}

bool clew_walk_delay(struct walk *walk, int64_t delay, bool keep_all) {
  struct clew_window during = {.to = delay}, first;
  uint32_t site = CLEW_NONE, property = find_violation(walk, &during, &first, &site);
  struct clew_point point;
  if (property != CLEW_NONE) {
    delay = clew_point_earliest(clew_walk_point(walk), &first);
  }
  clew_point_copy(clew_walk_point(walk), &point);
  clew_point_delay(&point, delay);
  if (keep_all) {
    clew_vec_reserve(&walk->states, walk->states.len + walk->model->words);
    clew_walk_push(walk, clew_walk_state(walk), true); /* the state is the same */
  }
  push(walk, point, keep_all);
  bool shows = !walk->hides_steps && (property != CLEW_NONE || keep_all);
  if (shows) {
    clew_text_put(&walk->out, "      time passes");
    clew_walk_put_time(walk, &walk->out);
    clew_text_char(&walk->out, '\n');
    clew_point_print(clew_walk_point(walk), walk->model->timed, &walk->out);
  }
  if (property != CLEW_NONE) {
    tell(walk, property, site);
  }
  return property == CLEW_NONE;
}

void clew_walk_print_stay(struct walk *walk) {
  struct clew_window stay = clew_point_stay(clew_walk_point(walk));
  clew_text_put(&walk->out, "  time may pass: ");
  clew_window_print(clew_walk_point(walk), &stay, &walk->out);
  clew_text_char(&walk->out, '\n');
}
