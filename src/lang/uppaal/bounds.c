/* How large a number a clock is still compared with, by location: digital time need not tell
 * greater values apart.
 *
 * While the model is lowered for the first time, every comparison of a clock leaves a fact: the
 * process and location whose guard or invariant it is part of, and the greatest value of the other
 * side. A bound goes backwards along the edges of its process, unless the edge sets the clock. What
 * a clock may still matter for is the maximum over the current locations of all processes, and what
 * the queries ask, which holds everywhere. A clock above its bound is kept at the bound plus one;
 * one that no longer matters, whose bound is -1, at 0. */
#include <assert.h>
#include <string.h>

#include "lang/uppaal/bounds.h"
#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_steps.h"

/* ---- Facts ---------------------------------------------------------------------------------- */

void clew_uppaal_note_bound(struct uppaal_lowering *l, const struct clew_place *place,
                            int64_t most) {
  if (!l->learns) {
    return;
  }
  assert(place->space == CLEW_SPACE_STATE);
  uint32_t first = place->base + place->offset, last = first;
  for (uint32_t i = 0; i < place->index_count; i++) {
    last += (place->indices[i].count - 1) * place->indices[i].stride;
  }
  struct uppaal_fact fact = {first, last, l->at_process, l->at_location, most};
  clew_vec_push(&l->facts, fact);
}

void clew_uppaal_find_resets(struct uppaal_lowering *l, struct uppaal_step *step) {
  uint32_t count = step->edge->update.count;
  if (!l->learns && !(l->time == UPPAAL_TIME_ZONES && l->clocks.len > 0)) {
    return;
  }
  struct uppaal_selects selects = {0};
  l->frame = clew_program_add_frame(l->program);
  struct uppaal_bound bound = clew_uppaal_bind(l, step, &selects);
  struct uppaal_scope *scope = l->scope;
  struct clew_list effects = {0}; /* of indices: only the places are of interest */
  l->out = &effects;
  l->scope = bound.edge;
  step->resets = CLEW_NEW_ARRAY(l->front->arena, uint32_t, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    const struct uppaal_expr *expr = step->edge->update.data[i];
    if (expr->kind != UPPAAL_EXPR_ASSIGN || expr->a->kind == UPPAAL_EXPR_ASSIGN) {
      continue;
    }
    struct uppaal_value value = clew_uppaal_lower_value(l, expr->a);
    if (value.kind == UPPAAL_VALUE_PLACE && value.type->kind == UPPAAL_CLOCK &&
        value.place.index_count == 0) {
      step->resets[step->reset_count++] = value.place.base + value.place.offset;
    }
  }
  l->out = NULL;
  l->scope = scope;
  clew_vec_free(&selects.list);
}

/* ---- The analysis --------------------------------------------------------------------------- */

static bool sets(const struct uppaal_step *step, uint32_t slot) {
  for (uint32_t i = 0; i < step->reset_count; i++) {
    if (step->resets[i] == slot) {
      return true;
    }
  }
  return false;
}

/* One round over the edges of a process; whether anything changed. */
static bool spread(const struct uppaal_instance *process, int64_t *bounds, uint32_t slots) {
  bool changed = false;
  for (uint32_t i = 0; i < process->step_count; i++) {
    const struct uppaal_step *step = &process->steps[i];
    int64_t *from = bounds + (size_t)step->from * slots, *to = bounds + (size_t)step->to * slots;
    for (uint32_t slot = 0; slot < slots; slot++) {
      if (to[slot] > from[slot] && !sets(step, slot)) {
        from[slot] = to[slot];
        changed = true;
      }
    }
  }
  return changed;
}

static void take_facts(const struct uppaal_lowering *l, uint32_t process, uint32_t location,
                       int64_t *bounds) {
  for (uint32_t i = 0; i < l->facts.len; i++) {
    const struct uppaal_fact *fact = &l->facts.data[i];
    if (fact->process != process || fact->location != location) {
      continue;
    }
    for (uint32_t slot = fact->first; slot <= fact->last; slot++) {
      bounds[slot] = fact->most > bounds[slot] ? fact->most : bounds[slot];
    }
  }
}

static int64_t *bounds_new(struct uppaal_lowering *l, uint32_t rows, uint32_t slots) {
  size_t count = (size_t)rows * slots;
  int64_t *bounds = CLEW_NEW_ARRAY(l->front->arena, int64_t, count + 1);
  for (size_t i = 0; i < count; i++) {
    bounds[i] = -1;
  }
  return bounds;
}

/* Whether a table for every location and clock is too large, which is said then. */
static bool is_too_large(struct uppaal_lowering *l, uint32_t slots) {
  enum { MOST_ENTRIES = 1 << 26 };
  uint64_t locations = 0;
  for (uint32_t i = 0; i < l->processes.len; i++) {
    locations += l->processes.data[i]->location_count;
  }
  if (locations * slots <= MOST_ENTRIES) {
    return false;
  }
  clew_uppaal_fail(l, l->first_clock,
                   "this model has too many clocks and locations for integer "
                   "time");
  return true;
}

struct uppaal_bounds *clew_uppaal_find_bounds(struct uppaal_lowering *l) {
  struct uppaal_bounds *result = CLEW_NEW(l->front->arena, struct uppaal_bounds);
  for (uint32_t i = 0; i < l->clocks.len; i++) {
    uint32_t slot = l->clocks.data[i].place.base + l->clocks.data[i].place.offset;
    result->slot_count = slot >= result->slot_count ? slot + 1 : result->slot_count;
  }
  uint32_t slots = result->slot_count;
  if (is_too_large(l, slots)) {
    return NULL;
  }
  result->everywhere = bounds_new(l, 1, slots);
  result->settings = bounds_new(l, 1, slots);
  take_facts(l, CLEW_NONE, UPPAAL_AT_QUERY, result->everywhere);
  take_facts(l, CLEW_NONE, UPPAAL_AT_SETTING, result->settings);
  result->by_process = CLEW_NEW_ARRAY(l->front->arena, int64_t *, l->processes.len + 1);
  for (uint32_t i = 0; i < l->processes.len; i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    int64_t *bounds = bounds_new(l, process->location_count, slots);
    for (uint32_t k = 0; k < process->location_count; k++) {
      take_facts(l, i, k, bounds + (size_t)k * slots);
    }
    while (spread(process, bounds, slots)) {
    }
    result->by_process[i] = bounds;
  }
  result->process_count = l->processes.len;
  result->location_counts = CLEW_NEW_ARRAY(l->front->arena, uint32_t, l->processes.len + 1);
  for (uint32_t i = 0; i < l->processes.len; i++) {
    result->location_counts[i] = l->processes.data[i]->location_count;
  }
  return result;
}

/* ---- Tops ----------------------------------------------------------------------------------- */

int64_t clew_uppaal_clock_top(const struct uppaal_lowering *l, uint32_t slot) {
  const struct uppaal_bounds *bounds = l->bounds;
  if (bounds == NULL) {
    return INT32_MAX;
  }
  if (slot >= bounds->slot_count) {
    return 0;
  }
  int64_t most = bounds->everywhere[slot] + 1;
  most = bounds->settings[slot] > most ? bounds->settings[slot] : most;
  for (uint32_t i = 0; i < bounds->process_count; i++) {
    for (uint32_t k = 0; k < bounds->location_counts[i]; k++) {
      int64_t top = bounds->by_process[i][(size_t)k * bounds->slot_count + slot] + 1;
      most = top > most ? top : most;
    }
  }
  return most;
}

static int64_t top_at(const struct uppaal_lowering *l, uint32_t process, uint32_t location,
                      uint32_t slot) {
  const struct uppaal_bounds *bounds = l->bounds;
  return bounds->by_process[process][(size_t)location * bounds->slot_count + slot] + 1;
}

/* The tops of a clock by the locations of one process; NULL: the process never compares it. */
static const int64_t *tops_of(struct uppaal_lowering *l, uint32_t process, uint32_t slot) {
  uint32_t count = l->processes.data[process]->location_count;
  bool uses = false;
  for (uint32_t k = 0; k < count; k++) {
    uses = uses || top_at(l, process, k, slot) > 0;
  }
  if (!uses) {
    return NULL;
  }
  int64_t *tops = CLEW_NEW_ARRAY(l->front->arena, int64_t, count);
  for (uint32_t k = 0; k < count; k++) {
    tops[k] = top_at(l, process, k, slot);
  }
  return tops;
}

void clew_uppaal_find_tops(struct uppaal_lowering *l) {
  for (uint32_t i = 0; i < l->clocks.len && l->bounds != NULL; i++) {
    struct uppaal_clock *clock = &l->clocks.data[i];
    uint32_t slot = clock->place.base + clock->place.offset;
    clock->everywhere = l->bounds->everywhere[slot] + 1;
    clock->tops = CLEW_NEW_ARRAY(l->front->arena, const int64_t *, l->processes.len + 1);
    for (uint32_t p = 0; p < l->processes.len; p++) {
      clock->tops[p] = tops_of(l, p, slot);
    }
  }
}

/* The top that follows from the location of one process, which `known` may tell. */
static const struct clew_expr *process_top(struct uppaal_lowering *l, const int64_t *tops,
                                           uint32_t process, const struct uppaal_step *const *known,
                                           uint32_t known_count) {
  const struct uppaal_instance *instance = l->processes.data[process];
  for (uint32_t i = 0; i < known_count; i++) {
    if (known[i]->process == instance) {
      return clew_uppaal_const(l, tops[known[i]->to]);
    }
  }
  struct uppaal_value value = {.kind = UPPAAL_VALUE_CONSTANT,
                               .type = &clew_uppaal_int,
                               .cells = tops,
                               .cell_count = instance->location_count};
  if (instance->place.type != NULL) {
    value.moving = clew_uppaal_load(l, instance->place);
  }
  return clew_uppaal_cell_of(l, &value, 0);
}

const struct clew_expr *clew_uppaal_lower_top(struct uppaal_lowering *l,
                                              const struct uppaal_clock *clock,
                                              const struct uppaal_step *const *known,
                                              uint32_t known_count) {
  const struct clew_expr *top = clew_uppaal_const(l, clock->everywhere);
  for (uint32_t p = 0; p < l->processes.len; p++) {
    if (clock->tops == NULL || clock->tops[p] == NULL) {
      continue;
    }
    const struct clew_expr *other = process_top(l, clock->tops[p], p, known, known_count);
    struct clew_span nowhere = {0, 0};
    top = other->lo >= top->hi ? other : clew_uppaal_binary(l, UPPAAL_OP_MAX, top, other, nowhere);
  }
  return top;
}

/* Whether the top of the clock can change when the processes of these steps move. */
static bool depends(const struct uppaal_clock *clock, const struct uppaal_step *const *steps,
                    uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const int64_t *tops = clock->tops[steps[i]->process->number];
    if (tops != NULL && tops[steps[i]->from] > tops[steps[i]->to]) {
      return true;
    }
  }
  return false;
}

void clew_uppaal_settle(struct uppaal_lowering *l, const struct uppaal_step *const *steps,
                        uint32_t step_count, uint32_t known_count, bool all,
                        struct clew_list *out) {
  for (uint32_t i = 0; i < l->clocks.len && l->bounds != NULL; i++) {
    const struct uppaal_clock *clock = &l->clocks.data[i];
    if (!all && !depends(clock, steps, step_count)) {
      continue;
    }
    const struct clew_expr *value = clew_uppaal_load(l, clock->place);
    const struct clew_expr *top = clew_uppaal_lower_top(l, clock, steps, known_count);
    if (top->lo >= value->hi) {
      continue;
    }
    struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_IF);
    branch->value = clew_expr_binary(l->program, CLEW_OP_GT, value, top, CLEW_NONE);
    branch->body = clew_stmt_assign(l->program, clock->place, top, CLEW_NONE);
    clew_list_add(out, branch);
  }
}
