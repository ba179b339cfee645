/* Outcomes: the only place where a verdict is made.
 *
 * Invariant: a property that was not asked for stays undecided as NOT_ASKED; `violated` has each
 * violated property once, in the order in which they were found. HOLDS, of a property or of all, is
 * said only after a complete search of at least one state with a store that loses none, or (REACH)
 * where a path shows it. */
#include "prop/outcome.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "model/model.h"

void clew_outcomes_open(struct clew_outcomes *outcomes, uint32_t count, const uint64_t *asked) {
  assert(asked != NULL || count == 0);
  *outcomes = (struct clew_outcomes){.count = count};
  outcomes->list = clew_alloc_zero((size_t)count + 1, sizeof *outcomes->list);
  for (uint32_t i = 0; i < count; i++) {
    outcomes->list[i] = (struct clew_outcome){
        .decision = CLEW_UNDECIDED,
        .reason = clew_bitset_has(asked, i) ? CLEW_REASON_UNFINISHED : CLEW_REASON_NOT_ASKED,
        .depth = CLEW_NONE,
        .site = CLEW_NONE};
  }
}

void clew_outcomes_free(struct clew_outcomes *outcomes) {
  clew_free(outcomes->list);
  clew_vec_free(&outcomes->violated);
  *outcomes = (struct clew_outcomes){0};
}

static bool is_undecided_for(const struct clew_outcome *outcome, enum clew_reason reason) {
  return outcome->decision == CLEW_UNDECIDED && outcome->reason == reason;
}

bool clew_outcome_is_asked(const struct clew_outcomes *outcomes, uint32_t property) {
  assert(property < outcomes->count);
  return !is_undecided_for(&outcomes->list[property], CLEW_REASON_NOT_ASKED);
}

void clew_outcomes_give_up(struct clew_outcomes *outcomes, uint32_t property,
                           enum clew_reason reason) {
  assert(clew_outcome_is_asked(outcomes, property));
  assert(reason != CLEW_REASON_NOT_ASKED);
  struct clew_outcome *outcome = &outcomes->list[property];
  if (outcome->decision == CLEW_UNDECIDED) {
    outcome->reason = reason;
  }
}

void clew_outcomes_violate(struct clew_outcomes *outcomes, uint32_t property, uint32_t depth,
                           uint32_t site) {
  assert(clew_outcome_is_asked(outcomes, property));
  struct clew_outcome *outcome = &outcomes->list[property];
  assert(outcome->decision != CLEW_PROPERTY_HOLDS);
  if (outcome->decision == CLEW_PROPERTY_VIOLATED) {
    return;
  }
  *outcome =
      (struct clew_outcome){.decision = CLEW_PROPERTY_VIOLATED, .depth = depth, .site = site};
  clew_vec_push(&outcomes->violated, property);
}

void clew_outcomes_reach(struct clew_outcomes *outcomes, uint32_t property, uint32_t depth) {
  assert(clew_outcome_is_asked(outcomes, property));
  struct clew_outcome *outcome = &outcomes->list[property];
  assert(outcome->decision != CLEW_PROPERTY_VIOLATED);
  if (outcome->decision == CLEW_UNDECIDED) {
    *outcome =
        (struct clew_outcome){.decision = CLEW_PROPERTY_HOLDS, .depth = depth, .site = CLEW_NONE};
  }
}

bool clew_outcomes_are_shown(const struct clew_outcomes *outcomes,
                             const struct clew_property *properties) {
  bool any = false;
  for (uint32_t i = 0; i < outcomes->count; i++) {
    if (properties[i].is_incidental || !clew_outcome_is_asked(outcomes, i)) {
      continue;
    }
    if (outcomes->list[i].decision != CLEW_PROPERTY_HOLDS ||
        properties[i].query != CLEW_QUERY_REACH) {
      return false;
    }
    any = true;
  }
  return any;
}

void clew_outcomes_retract(struct clew_outcomes *outcomes, struct clew_scope *scope) {
  for (uint32_t i = 0; i < outcomes->count; i++) {
    struct clew_outcome *outcome = &outcomes->list[i];
    bool asked = clew_outcome_is_asked(outcomes, i);
    if (outcome->decision == CLEW_PROPERTY_VIOLATED) {
      *outcome = (struct clew_outcome){.reason = CLEW_REASON_UNCONFIRMED};
    } else if (asked && outcome->decision == CLEW_PROPERTY_HOLDS) {
      *outcome = (struct clew_outcome){.reason = CLEW_REASON_UNFINISHED};
    }
    outcome->depth = outcome->site = CLEW_NONE;
  }
  clew_vec_clear(&outcomes->violated);
  scope->complete = false;
}

void clew_outcomes_doubt(struct clew_outcomes *outcomes, const struct clew_property *properties) {
  for (uint32_t i = 0; i < outcomes->count; i++) {
    struct clew_outcome *outcome = &outcomes->list[i];
    bool by_path =
        outcome->decision == CLEW_PROPERTY_VIOLATED ||
        (outcome->decision == CLEW_PROPERTY_HOLDS && properties[i].query == CLEW_QUERY_REACH);
    if (by_path) {
      *outcome = (struct clew_outcome){
          .reason = CLEW_REASON_APPROXIMATE, .depth = CLEW_NONE, .site = CLEW_NONE};
    }
  }
  clew_vec_clear(&outcomes->violated);
}

static bool are_doubtful(const struct clew_outcomes *outcomes) {
  for (uint32_t i = 0; i < outcomes->count; i++) {
    if (is_undecided_for(&outcomes->list[i], CLEW_REASON_APPROXIMATE)) {
      return true;
    }
  }
  return false;
}

/* Everything was seen, and there was something to be seen. */
static bool proves(const struct clew_scope *scope) {
  return scope->complete && scope->lossless && scope->has_states;
}

void clew_outcomes_close(struct clew_outcomes *outcomes, const struct clew_property *properties,
                         const struct clew_scope *scope) {
  for (uint32_t i = 0; i < outcomes->count; i++) {
    struct clew_outcome *outcome = &outcomes->list[i];
    if (!scope->complete || !is_undecided_for(outcome, CLEW_REASON_UNFINISHED)) {
      continue;
    }
    if (proves(scope) && properties[i].query == CLEW_QUERY_REACH && scope->is_partial) {
      outcome->reason = CLEW_REASON_PARTIAL;
      continue;
    }
    if (proves(scope) && properties[i].query == CLEW_QUERY_REACH) {
      clew_outcomes_violate(outcomes, i, CLEW_NONE, CLEW_NONE);
    } else if (proves(scope)) {
      outcome->decision = CLEW_PROPERTY_HOLDS;
    } else {
      outcome->reason = scope->has_states ? CLEW_REASON_LOSSY : CLEW_REASON_NO_STATE;
    }
  }
}

/* A path shows the violation of the other kinds, and a run-time error in any of them; cover and
 * liveness are about what cannot be reached, so one state that was left out takes the proof away.
 */
static bool is_shown(const struct clew_outcome *outcome, const struct clew_property *property,
                     const struct clew_scope *scope) {
  assert(outcome->decision == CLEW_PROPERTY_VIOLATED);
  bool by_absence = (property->kind == CLEW_PROPERTY_COVER && property->refusal == NULL) ||
                    property->kind == CLEW_PROPERTY_LIVENESS;
  return !by_absence || outcome->site != CLEW_NONE || (scope->complete && scope->lossless);
}

static enum clew_exit violation_exit(const struct clew_property *property) {
  if (property->query == CLEW_QUERY_REACH && property->kind == CLEW_PROPERTY_DEADLOCK) {
    return CLEW_EXIT_INVARIANT; /* there is none */
  }
  switch (property->kind) {
  case CLEW_PROPERTY_DEADLOCK:
    return CLEW_EXIT_DEADLOCK;
  case CLEW_PROPERTY_FAULT:
    return CLEW_EXIT_ASSERTION;
  case CLEW_PROPERTY_INVARIANT:
  case CLEW_PROPERTY_COVER:
  case CLEW_PROPERTY_MEASURE:
    return CLEW_EXIT_INVARIANT;
  case CLEW_PROPERTY_LIVENESS:
  case CLEW_PROPERTY_PROGRESS:
    return CLEW_EXIT_LIVENESS;
  }
  assert(false);
  return CLEW_EXIT_INTERNAL;
}

static struct clew_conclusion conclusion_of(enum clew_verdict verdict) {
  switch (verdict) {
  case CLEW_VERDICT_HOLDS:
    return (struct clew_conclusion){verdict, CLEW_EXIT_OK};
  case CLEW_VERDICT_NO_VIOLATION_FOUND:
    return (struct clew_conclusion){verdict, CLEW_EXIT_LOSSY};
  case CLEW_VERDICT_INCOMPLETE:
    return (struct clew_conclusion){verdict, CLEW_EXIT_INCOMPLETE};
  case CLEW_VERDICT_VIOLATED:
    break;
  }
  assert(false);
  return (struct clew_conclusion){CLEW_VERDICT_INCOMPLETE, CLEW_EXIT_INTERNAL};
}

/* What may be said of the properties that are not violated. */
static enum clew_verdict unviolated(const struct clew_outcomes *outcomes,
                                    const struct clew_property *properties,
                                    const struct clew_scope *scope) {
  if (are_doubtful(outcomes)) {
    return CLEW_VERDICT_NO_VIOLATION_FOUND;
  }
  if (scope->unchecked == 0 && scope->has_states && clew_outcomes_are_shown(outcomes, properties)) {
    return CLEW_VERDICT_HOLDS; /* also in an unfinished search */
  }
  if (!scope->complete || !scope->has_states || scope->unchecked > 0 || scope->is_partial) {
    return CLEW_VERDICT_INCOMPLETE;
  }
  bool is_lossy = !scope->lossless;
  for (uint32_t i = 0; i < outcomes->count; i++) {
    const struct clew_outcome *outcome = &outcomes->list[i];
    if (outcome->decision != CLEW_UNDECIDED || outcome->reason == CLEW_REASON_NOT_ASKED) {
      continue;
    }
    if (outcome->reason != CLEW_REASON_LOSSY) {
      return CLEW_VERDICT_INCOMPLETE;
    }
    is_lossy = true;
  }
  assert(is_lossy || proves(scope));
  return is_lossy ? CLEW_VERDICT_NO_VIOLATION_FOUND : CLEW_VERDICT_HOLDS;
}

struct clew_conclusion clew_outcomes_conclude(const struct clew_outcomes *outcomes,
                                              const struct clew_property *properties,
                                              const struct clew_scope *scope) {
  for (uint32_t i = 0; i < outcomes->violated.len; i++) {
    uint32_t property = outcomes->violated.data[i];
    assert(property < outcomes->count);
    if (is_shown(&outcomes->list[property], &properties[property], scope)) {
      return (struct clew_conclusion){CLEW_VERDICT_VIOLATED, violation_exit(&properties[property])};
    }
  }
  struct clew_conclusion conclusion = conclusion_of(unviolated(outcomes, properties, scope));
  if (scope->complete && !scope->has_states && scope->is_absurd) {
    assert(conclusion.verdict != CLEW_VERDICT_HOLDS);
    conclusion.exit_code = CLEW_EXIT_BAD_MODEL;
  }
  return conclusion;
}

struct clew_conclusion clew_scope_conclude(const struct clew_scope *scope) {
  if (!scope->complete) {
    return conclusion_of(CLEW_VERDICT_INCOMPLETE);
  }
  if (!scope->lossless) {
    return conclusion_of(CLEW_VERDICT_NO_VIOLATION_FOUND);
  }
  /* Of no state nothing holds, but there was nothing else to see. */
  return (struct clew_conclusion){scope->has_states ? CLEW_VERDICT_HOLDS : CLEW_VERDICT_INCOMPLETE,
                                  CLEW_EXIT_OK};
}
