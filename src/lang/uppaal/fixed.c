/* Bounds that are variables: where a variable stays as it is until the clock is compared with it or
 * set, its value in the state is the limit there, and not the greatest that it can have (Jensen,
 * Jensen and Larsen 2023).
 *
 * A variable is *owned* by a process if every transition that may change it is one of that process,
 * alone, with a partner or as the sender of a broadcast. While the process does not move, its
 * variables stay as they are. When it does, each of its steps is known to change them or not.
 *
 * Only facts whose bound is such a variable, or its negation, have a slot. */
#include <assert.h>

#include "ir/walk.h"
#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_zones.h"

enum { MOST_SLOTS = 64 /* a set is a word */ };

struct writes {
  struct clew_walk walk; /* first, so that a pointer to it is one to this */
  struct uppaal_lowering *l;
  uint32_t slots[MOST_SLOTS];
  uint32_t slot_count;
  uint64_t *of_functions; /* by index */
  bool *is_known;
  uint64_t found;
};

/* ---- Which variables code may change -------------------------------------------------------- */

static void note_place(struct clew_walk *walk, const struct clew_place *place, enum clew_use use) {
  struct writes *w = (struct writes *)walk;
  if (place->space != CLEW_SPACE_STATE || use == CLEW_USE_READ) {
    return; /* what is behind a reference was noted where it was handed over */
  }
  uint32_t first = place->base + place->offset, last = first + place->type->cells - 1;
  for (uint32_t i = 0; i < place->index_count; i++) {
    last += (place->indices[i].count - 1) * place->indices[i].stride;
  }
  for (uint32_t i = 0; i < w->slot_count; i++) {
    if (w->slots[i] >= first && w->slots[i] <= last) {
      w->found |= UINT64_C(1) << i;
    }
  }
}

static void note_call(struct clew_walk *walk, const struct clew_call *call, bool is_stmt);

static uint64_t writes_of(struct writes *outer, const struct clew_stmt *body) {
  struct writes w = *outer;
  w.walk = (struct clew_walk){.place = note_place, .call = note_call};
  w.found = 0;
  clew_walk_stmts(&w.walk, body);
  return w.walk.too_deep ? UINT64_MAX : w.found;
}

static void note_call(struct clew_walk *walk, const struct clew_call *call, bool is_stmt) {
  struct writes *w = (struct writes *)walk;
  uint32_t index = call->function->index;
  (void)is_stmt;
  if (!w->is_known[index]) {
    w->is_known[index] = true; /* nothing is recursive */
    w->of_functions[index] = writes_of(w, call->function->body);
  }
  w->found |= w->of_functions[index];
}

/* ---- Facts ---------------------------------------------------------------------------------- */

/* The slot of the variable that the fact compares its clock with, or CLEW_NONE. */
static uint32_t slot_of(const struct uppaal_limit_fact *fact) {
  const struct clew_expr *bound = fact->bound;
  if (!fact->varies || fact->process == CLEW_NONE || fact->is_lower == fact->is_upper ||
      fact->first != fact->last) {
    return CLEW_NONE;
  }
  if (fact->is_lower) { /* of the negation */
    if (bound->kind != CLEW_EXPR_UNARY || bound->op != CLEW_OP_NEG) {
      return CLEW_NONE;
    }
    bound = bound->a;
  }
  bool is_variable = bound->kind == CLEW_EXPR_LOAD && bound->place.space == CLEW_SPACE_STATE &&
                     bound->place.index_count == 0 && !bound->place.type->undefinable;
  return is_variable ? bound->place.base + bound->place.offset : CLEW_NONE;
}

static uint32_t number_of(const struct writes *w, uint32_t slot) {
  for (uint32_t i = 0; i < w->slot_count; i++) {
    if (w->slots[i] == slot) {
      return i;
    }
  }
  return CLEW_NONE;
}

static void find_slots(struct writes *w) {
  for (uint32_t i = 0; i < w->l->timed.facts.len; i++) {
    uint32_t slot = slot_of(&w->l->timed.facts.data[i]);
    if (slot != CLEW_NONE && number_of(w, slot) == CLEW_NONE && w->slot_count < MOST_SLOTS) {
      w->slots[w->slot_count++] = slot;
    }
  }
}

/* ---- Owners --------------------------------------------------------------------------------- */

/* Takes from `owned`, the slots of each process, those that this step has no part in. */
static void judge_rule(struct uppaal_lowering *l, const struct uppaal_rule_steps *steps,
                       uint64_t written, uint64_t *owned) {
  for (uint32_t p = 0; p < l->processes.len; p++) {
    const struct uppaal_instance *process = l->processes.data[p];
    bool takes_part = steps->step->process == process ||
                      (steps->receive != NULL && steps->receive->process == process);
    owned[p] &= takes_part ? UINT64_MAX : ~written;
  }
  if (written != 0) {
    steps->step->process->steps[steps->step - steps->step->process->steps].writes |= written;
    if (steps->receive != NULL) {
      const struct uppaal_step *receive = steps->receive;
      receive->process->steps[receive - receive->process->steps].writes |= written;
    }
  }
}

static void judge_rules(struct writes *w, uint64_t *owned) {
  struct uppaal_lowering *l = w->l;
  for (uint32_t i = 0; i < l->program->families.len; i++) {
    const struct clew_family *family = l->program->families.data[i];
    for (uint32_t k = 0; k < family->rule_count; k++) {
      const struct clew_rule *rule = &family->rules[k];
      uint64_t written = writes_of(w, rule->body);
      if (written != 0) {
        judge_rule(l, &l->timed.rule_steps.data[rule->index], written, owned);
      }
    }
  }
}

void clew_uppaal_find_fixed(struct uppaal_lowering *l) {
  struct writes w = {.l = l};
  /* Differences and clocks that stop need limits that depend on locations only, and so does
   * renaming. */
  if (l->timed.has_diagonals || l->timed.has_stops || l->scalars.len > 0) {
    return;
  }
  find_slots(&w);
  if (w.slot_count == 0) {
    return;
  }
  assert(l->timed.rule_steps.len == l->timed.rules.len);
  uint32_t functions = l->program->functions.len;
  w.of_functions = CLEW_NEW_ARRAY(l->front->arena, uint64_t, functions + 1);
  w.is_known = CLEW_NEW_ARRAY(l->front->arena, bool, functions + 1);
  uint64_t *owned = CLEW_NEW_ARRAY(l->front->arena, uint64_t, l->processes.len + 1);
  for (uint32_t p = 0; p < l->processes.len; p++) {
    owned[p] = UINT64_MAX;
    for (uint32_t k = 0; k < l->processes.data[p]->step_count; k++) {
      l->processes.data[p]->steps[k].writes = 0;
    }
  }
  judge_rules(&w, owned);
  for (uint32_t i = 0; i < l->timed.facts.len; i++) {
    struct uppaal_limit_fact *fact = &l->timed.facts.data[i];
    uint32_t slot = slot_of(fact), number = slot != CLEW_NONE ? number_of(&w, slot) : CLEW_NONE;
    if (number != CLEW_NONE && (owned[fact->process] >> number & 1) != 0) {
      fact->slot = slot;
      fact->slot_bit = UINT64_C(1) << number;
    }
  }
}
