/* Lowering as a whole: the state, where it starts, committed locations, invariants. */
#include "lang/uppaal/lower.h"

#include <assert.h>

static void lower_start(struct uppaal_lowering *l, bool sets_clocks) {
  struct clew_span span = l->system->processes->members[0]->span;
  if (sets_clocks) {
    clew_uppaal_settle(l, NULL, 0, 0, true, &l->start);
  }
  struct clew_rule rule = {.name = "initial state",
                           .position = clew_front_position(l->front, span),
                           .body = l->start.first};
  clew_program_add_family(l->program, true, clew_program_add_frame(l->program), NULL, 0, &rule, 1);
}

/* Whether any process is in a committed location: one function, so that guards stay small. */
static void lower_committed(struct uppaal_lowering *l) {
  const struct clew_expr *any = NULL;
  for (uint32_t i = 0; i < l->processes.len; i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    for (uint32_t k = 0; process->has_committed && k < process->location_count; k++) {
      if (process->locations[k]->is_committed) {
        const struct clew_expr *at = clew_uppaal_lower_at(l, process, k);
        any = clew_uppaal_or(l, any, at != NULL ? at : clew_uppaal_const(l, 1));
      }
    }
  }
  if (any == NULL) {
    return;
  }
  struct clew_span nowhere = {0, 0};
  struct clew_function *function =
      clew_uppaal_function(l, "any_committed", clew_uppaal_range_type(l, 0, 1), nowhere);
  struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_RETURN);
  stmt->value = any;
  function->body = stmt;
  l->uncommitted = clew_uppaal_not(l, clew_uppaal_call(l, function, NULL, nowhere));
}

/* The invariants of a process: states in which one is false do not exist. */
static void lower_invariants(struct uppaal_lowering *l, const struct uppaal_instance *process) {
  const struct clew_expr *all = NULL;
  l->frame = clew_program_add_frame(l->program);
  l->scope = process->scope;
  for (uint32_t i = 0; i < process->location_count; i++) {
    l->use = UPPAAL_USE_INVARIANT;
    l->polarity = 1;
    l->at_process = process->number;
    l->at_location = i;
    const struct clew_expr *invariant = clew_uppaal_lower_all(l, process->locations[i]->invariant);
    l->use = UPPAAL_USE_CODE;
    l->polarity = 0;
    const struct clew_expr *at = clew_uppaal_lower_at(l, process, i);
    if (invariant == NULL || (invariant->kind == CLEW_EXPR_CONST && invariant->value == 1)) {
      continue;
    }
    if (at != NULL) {
      invariant = clew_uppaal_or(l, clew_uppaal_not(l, at), invariant);
    }
    all = clew_uppaal_and(l, all, invariant);
  }
  l->scope = l->globals;
  if (all != NULL) {
    const char *name = clew_arena_printf(l->arena, "invariants of %s", process->name);
    uint32_t label = clew_program_add_label(
        l->program, name, clew_front_position(l->front, process->template->name.span), l->frame,
        all);
    clew_vec_push(&l->program->assumptions, label);
  }
}

/* Integer time may leave out behaviour that depends on a constraint being false. */
static void warn_about_splits(struct uppaal_lowering *l) {
  if (l->split_span.length > 0 && l->time == UPPAAL_TIME_DIGITAL) {
    clew_program_add_unchecked(l->program, "time between integers",
                               "a comparison of clocks decides whether a broadcast is received, a "
                               "transition is blocked or "
                               "time may pass, which integer time sees only at integers",
                               clew_front_model_position(l->front, l->split_span));
    clew_vec_last(&l->program->unchecked).is_asked = true;
  }
}

void clew_uppaal_lower(struct uppaal_lowering *l) {
  assert(l->front != NULL && l->program != NULL && l->system != NULL);
  l->arena = l->program->arena;
  clew_uppaal_declare_builtins(l);
  clew_uppaal_lower_decls(l, l->system->decls, "");
  if (clew_front_ok(l->front)) {
    clew_uppaal_lower_processes(l);
  }
  bool sets_clocks = l->sets_clocks; /* in the initial state */
  if (clew_front_ok(l->front)) {
    clew_uppaal_find_tops(l);
    lower_committed(l);
    clew_uppaal_lower_priorities(l);
    clew_uppaal_lower_steps(l);
  }
  for (uint32_t i = 0; i < l->processes.len && clew_front_ok(l->front); i++) {
    lower_invariants(l, l->processes.data[i]);
  }
  if (clew_front_ok(l->front)) {
    lower_start(l, sets_clocks);
    if (l->time == UPPAAL_TIME_DIGITAL) {
      clew_uppaal_lower_delay(l);
      warn_about_splits(l);
    }
    clew_uppaal_lower_queries(l);
  }
}

void clew_uppaal_lower_free(struct uppaal_lowering *l) {
  clew_vec_free(&l->facts);
  clew_vec_free(&l->channel_ranks);
  clew_vec_free(&l->transitions);
  clew_vec_free(&l->classes);
  clew_vec_free(&l->clocks);
  clew_vec_free(&l->processes);
  clew_vec_free(&l->lookups);
  clew_vec_free(&l->deadlocks);
}
