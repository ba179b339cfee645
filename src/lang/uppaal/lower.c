/* Lowering as a whole: the state, where it starts, committed locations, invariants. */
#include "lang/uppaal/lower.h"
#include "lang/uppaal/bounds.h"
#include "lang/uppaal/lower_steps.h"
#include "lang/uppaal/lower_zones.h"

#include <assert.h>

static void lower_start(struct uppaal_lowering *l, bool sets_clocks) {
  struct clew_span span = l->system->processes->members[0]->span;
  if (sets_clocks) {
    clew_uppaal_settle(l, NULL, 0, 0, true, &l->start);
  }
  clew_uppaal_announce(l, &l->start);
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

struct uppaal_form clew_uppaal_lower_invariant(struct uppaal_lowering *l,
                                               const struct uppaal_instance *process,
                                               uint32_t location) {
  enum uppaal_use use = l->use;
  int polarity = l->polarity;
  uint32_t at_process = l->at_process, at_location = l->at_location;
  struct uppaal_exprs list = process->locations[location]->invariant;
  l->use = UPPAAL_USE_INVARIANT;
  l->polarity = 1;
  l->at_process = process->number;
  l->at_location = location;
  struct uppaal_form form = clew_uppaal_lower_all(l, list);
  l->use = use;
  l->polarity = polarity;
  l->at_process = at_process;
  l->at_location = at_location;
  if (form.count > 1 && clew_front_ok(l->front)) {
    clew_uppaal_fail(l, clew_span_join(list.data[0]->span, list.data[list.count - 1]->span),
                     "this invariant makes no convex constraint: clocks can be compared in "
                     "conjunctions only");
  }
  return form;
}

/* The invariants of a process: states in which one is false do not exist. */
static void lower_invariants(struct uppaal_lowering *l, const struct uppaal_instance *process) {
  const struct clew_expr *all = NULL;
  const struct uppaal_term **terms =
      CLEW_NEW_ARRAY(l->front->arena, const struct uppaal_term *, process->location_count + 1);
  l->frame = l->is_timed ? l->timed.frame : clew_program_add_frame(l->program);
  l->scope = process->scope;
  for (uint32_t i = 0; i < process->location_count; i++) {
    struct uppaal_form form = clew_uppaal_lower_invariant(l, process, i);
    terms[i] = form.count > 0 ? &form.terms[0] : NULL;
    const struct clew_expr *invariant =
        form.count > 0 ? form.terms[0].when : clew_uppaal_const(l, 0);
    const struct clew_expr *at = clew_uppaal_lower_at(l, process, i);
    if (invariant == NULL) {
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
  if (l->is_timed && clew_front_ok(l->front)) {
    clew_uppaal_put_process(l, process, terms);
  }
}

static void lower_all_invariants(struct uppaal_lowering *l) {
  for (uint32_t i = 0; i < l->processes.len && clew_front_ok(l->front); i++) {
    lower_invariants(l, l->processes.data[i]);
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
    clew_vec_last(&l->program->unchecked).is_behaviour = true;
  }
}

/* What a state says about clocks, before the rules that make states: so it is known whether there
 * is anything to say. */
static void lower_announcer(struct uppaal_lowering *l) {
  l->timed.frame = clew_program_add_frame(l->program);
  l->timed.guards.name = "guard";
  l->timed.invariants.name = "invariant";
  l->timed.kept.name = "query";
  l->timed.kept.is_kept = true;
  l->timed.asker = CLEW_NONE;
  lower_all_invariants(l);
  if (clew_front_ok(l->front)) {
    l->frame = l->timed.frame;
    clew_uppaal_lower_queries(l);
    l->frame = l->timed.frame;
    clew_uppaal_put_still(l, clew_uppaal_lower_still(l));
  }
  if (clew_front_ok(l->front)) {
    clew_uppaal_make_announcer(l);
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
  if (clew_front_ok(l->front)) {
    clew_uppaal_note_locals(l);
  }
  bool sets_clocks = l->sets_clocks; /* in the initial state */
  if (clew_front_ok(l->front)) {
    l->is_timed = l->time == UPPAAL_TIME_ZONES && (l->clocks.len > 0 || clew_uppaal_needs_zones(l));
    clew_uppaal_find_tops(l);
    lower_committed(l);
  }
  if (l->is_timed) {
    lower_announcer(l);
  }
  if (clew_front_ok(l->front)) {
    clew_uppaal_lower_priorities(l);
    clew_uppaal_lower_steps(l);
  }
  if (!l->is_timed) {
    lower_all_invariants(l);
  }
  if (clew_front_ok(l->front)) {
    lower_start(l, sets_clocks);
  }
  if (clew_front_ok(l->front) && l->time == UPPAAL_TIME_DIGITAL) {
    clew_uppaal_lower_delay(l);
    warn_about_splits(l);
  }
  if (clew_front_ok(l->front) && !l->is_timed) {
    clew_uppaal_lower_queries(l);
  }
  if (clew_front_ok(l->front)) {
    clew_uppaal_find_symmetry(l);
  }
}

void clew_uppaal_lower_free(struct uppaal_lowering *l) {
  clew_uppaal_timed_free(l);
  clew_vec_free(&l->facts);
  clew_vec_free(&l->channel_ranks);
  clew_vec_free(&l->updates);
  clew_vec_free(&l->transitions);
  clew_vec_free(&l->classes);
  clew_vec_free(&l->clocks);
  clew_vec_free(&l->processes);
  clew_vec_free(&l->lookups);
  clew_vec_free(&l->scalars);
  clew_vec_free(&l->scalar_loops);
  clew_vec_free(&l->deadlocks);
}
