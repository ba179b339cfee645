/* Whether a transition can be taken to its end, told before it is taken: where the invariants hold
 * behind it. Transitions of higher priority need it, for one that leads nowhere blocks nobody.
 *
 * Updates are not executed for that. A clock that is set to a constant has that value behind the
 * transition, so the bounds of invariants are rewritten for it; everything else about clocks stays
 * as it is. Variables may change as they like if no invariant depends on any. Where that is not
 * enough the model is refused, with the reason. */
#include <assert.h>

#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_steps.h"

struct setting {
  uint32_t slot;
  int64_t value;
};

struct arrival {
  const struct uppaal_step *steps[2]; /* that are taken; the second may be NULL */
  CLEW_VEC(struct setting) settings;
  bool changes_variables;
  struct clew_span span;
};

static void refuse(struct uppaal_lowering *l, struct clew_span span, const char *why) {
  if (clew_front_ok(l->front)) {
    clew_uppaal_fail(l, span, "an edge of higher priority %s, which is not supported", why);
  }
}

/* ---- Updates -------------------------------------------------------------------------------- */

static bool has_call(const struct uppaal_expr *expr) {
  if (expr == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < expr->arg_count; i++) {
    if (has_call(expr->args[i])) {
      return true;
    }
  }
  return expr->kind == UPPAAL_EXPR_CALL || has_call(expr->a) || has_call(expr->b) ||
         has_call(expr->c);
}

/* x = 3, to the settings. */
static bool take_setting(struct uppaal_lowering *l, struct arrival *a,
                         const struct uppaal_expr *expr) {
  if (expr->kind != UPPAAL_EXPR_ASSIGN || expr->op != UPPAAL_OP_NONE ||
      expr->a->kind == UPPAAL_EXPR_ASSIGN) {
    return false;
  }
  struct uppaal_value place = clew_uppaal_lower_value(l, expr->a);
  if (place.kind != UPPAAL_VALUE_PLACE || place.type->kind != UPPAAL_CLOCK ||
      place.place.index_count > 0) {
    return false;
  }
  const struct clew_expr *value = clew_uppaal_lower_number(l, expr->b);
  if (value->lo != value->hi) {
    return false;
  }
  struct setting setting = {place.place.base + place.place.offset, value->lo};
  clew_vec_push(&a->settings, setting);
  return true;
}

static void take_updates(struct uppaal_lowering *l, struct arrival *a, struct uppaal_exprs list) {
  for (uint32_t i = 0; i < list.count && clew_front_ok(l->front); i++) {
    struct uppaal_exprs one = {list.data + i, 1};
    uint32_t stores = l->clock_stores;
    if (take_setting(l, a, list.data[i])) {
      continue;
    }
    a->changes_variables = true;
    clew_uppaal_lower_effects(l, one);
    if (l->clock_stores > stores || (l->functions_set_clocks && has_call(list.data[i]))) {
      refuse(l, list.data[i]->span, "sets clocks to values that are not constant");
    }
  }
}

static void take_step(struct uppaal_lowering *l, struct arrival *a,
                      const struct uppaal_step *step) {
  struct uppaal_selects selects = {0};
  struct uppaal_bound bound = clew_uppaal_bind(l, step, &selects);
  struct uppaal_scope *scope = l->scope;
  struct clew_list *out = l->out;
  struct clew_list nowhere = {0};
  l->out = &nowhere;
  l->scope = bound.edge;
  take_updates(l, a, step->edge->update);
  if (step->branch != NULL) {
    l->scope = bound.branch;
    take_updates(l, a, step->branch->update);
  }
  l->out = out;
  l->scope = scope;
  clew_vec_free(&selects.list);
}

/* ---- Invariants ----------------------------------------------------------------------------- */

static struct uppaal_form lower_invariant(struct uppaal_lowering *l,
                                          const struct uppaal_instance *process,
                                          uint32_t location) {
  struct uppaal_scope *scope = l->scope;
  l->scope = process->scope;
  struct uppaal_form form = clew_uppaal_lower_invariant(l, process, location);
  l->scope = scope;
  return form;
}

/* It depends on clocks alone. */
static bool is_constant(struct uppaal_form form) {
  for (uint32_t t = 0; t < form.count; t++) {
    const struct uppaal_term *term = &form.terms[t];
    if (term->when != NULL && term->when->kind != CLEW_EXPR_CONST) {
      return false;
    }
    for (uint32_t k = 0; k < term->atom_count; k++) {
      const struct uppaal_atom *atom = &term->atoms[k];
      if (!atom->is_rate &&
          (atom->condition != NULL || atom->bound->kind != CLEW_EXPR_CONST ||
           (atom->has_i && atom->i.index_count > 0) || (atom->has_j && atom->j.index_count > 0))) {
        return false;
      }
    }
  }
  return true;
}

/* The last value that the clock at a place is set to. */
static bool is_set(const struct arrival *a, bool has, const struct clew_place *place,
                   int64_t *value) {
  *value = 0;
  for (uint32_t i = a->settings.len; has && i > 0; i--) {
    if (a->settings.data[i - 1].slot == place->base + place->offset) {
      *value = a->settings.data[i - 1].value;
      return true;
    }
  }
  return false;
}

/* The atom as it is behind the transition. */
static struct uppaal_form rewrite_atom(struct uppaal_lowering *l, const struct arrival *a,
                                       struct uppaal_atom atom) {
  int64_t i, j;
  bool sets_i = is_set(a, atom.has_i, &atom.i, &i), sets_j = is_set(a, atom.has_j, &atom.j, &j);
  bool has_index = (atom.has_i && atom.i.index_count > 0) || (atom.has_j && atom.j.index_count > 0);
  if (has_index && a->settings.len > 0) {
    refuse(l, a->span, "sets clocks while an invariant names clocks by an index");
  }
  if (!sets_i && !sets_j) {
    return clew_uppaal_form_atom(l, atom);
  }
  atom.has_i = atom.has_i && !sets_i;
  atom.has_j = atom.has_j && !sets_j;
  const struct clew_expr *moved = clew_uppaal_const(l, j - i);
  atom.bound = clew_uppaal_binary(l, UPPAAL_OP_ADD, atom.bound, moved, atom.span);
  if (atom.has_i || atom.has_j) {
    return clew_uppaal_form_atom(l, atom);
  }
  const struct clew_expr *zero = clew_uppaal_const(l, 0);
  const struct clew_expr *fits = clew_uppaal_binary(l, atom.is_strict ? UPPAAL_OP_LT : UPPAAL_OP_LE,
                                                    zero, atom.bound, atom.span);
  if (atom.condition != NULL) {
    fits = clew_uppaal_or(l, clew_uppaal_not(l, atom.condition), fits);
  }
  return clew_uppaal_form_plain(l, fits);
}

static struct uppaal_form rewrite(struct uppaal_lowering *l, const struct arrival *a,
                                  struct uppaal_form form) {
  if (form.count != 1) {
    return form; /* false, or an error that was told */
  }
  const struct uppaal_term *term = &form.terms[0];
  struct uppaal_form all = clew_uppaal_form_plain(l, term->when);
  for (uint32_t k = 0; k < term->atom_count; k++) {
    if (!term->atoms[k].is_rate) {
      all = clew_uppaal_form_and(l, all, rewrite_atom(l, a, term->atoms[k]), a->span);
    }
  }
  return all;
}

/* The invariant of a location behind the transition. */
static struct uppaal_form lower_behind(struct uppaal_lowering *l, const struct arrival *a,
                                       const struct uppaal_instance *process, uint32_t location) {
  struct uppaal_form form = lower_invariant(l, process, location);
  bool changes = a->changes_variables || a->settings.len > 0;
  if (l->time == UPPAAL_TIME_DIGITAL && changes && !is_constant(form)) {
    refuse(l, a->span, "changes something while there are invariants (use --time zones)");
  } else if (a->changes_variables && !is_constant(form)) {
    refuse(l, a->span, "changes variables while an invariant depends on variables");
  }
  return rewrite(l, a, form);
}

static bool is_true(struct uppaal_form form) {
  return form.count == 1 && form.terms[0].when == NULL && form.terms[0].atom_count == 0;
}

/* An invariant that holds now and is the same behind the transition needs no mention. */
static bool is_touched(const struct arrival *a, struct uppaal_form before) {
  for (uint32_t k = 0; before.count == 1 && k < before.terms[0].atom_count; k++) {
    const struct uppaal_atom *atom = &before.terms[0].atoms[k];
    int64_t value;
    bool has_index =
        (atom->has_i && atom->i.index_count > 0) || (atom->has_j && atom->j.index_count > 0);
    if (!atom->is_rate && (has_index || is_set(a, atom->has_i, &atom->i, &value) ||
                           is_set(a, atom->has_j, &atom->j, &value))) {
      return true;
    }
  }
  return false;
}

/* Those of the processes that stay where they are. */
static struct uppaal_form lower_others(struct uppaal_lowering *l, const struct arrival *a) {
  struct uppaal_form all = clew_uppaal_form_plain(l, NULL);
  for (uint32_t i = 0; i < l->processes.len; i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    bool takes_part =
        process == a->steps[0]->process || (a->steps[1] != NULL && process == a->steps[1]->process);
    for (uint32_t k = 0; k < process->location_count && !takes_part; k++) {
      if (process->locations[k]->invariant.count == 0) {
        continue;
      }
      struct uppaal_form behind = lower_behind(l, a, process, k);
      if (is_true(behind) || !is_touched(a, lower_invariant(l, process, k))) {
        continue;
      }
      const struct clew_expr *at = clew_uppaal_lower_at(l, process, k);
      struct uppaal_form elsewhere =
          clew_uppaal_form_plain(l, at != NULL ? clew_uppaal_not(l, at) : clew_uppaal_const(l, 0));
      all =
          clew_uppaal_form_and(l, all, clew_uppaal_form_or(l, elsewhere, behind, a->span), a->span);
    }
  }
  return all;
}

/* ---- Transitions ---------------------------------------------------------------------------- */

static bool has_invariants(const struct uppaal_lowering *l) {
  for (uint32_t i = 0; i < l->processes.len; i++) {
    for (uint32_t k = 0; k < l->processes.data[i]->location_count; k++) {
      if (l->processes.data[i]->locations[k]->invariant.count > 0) {
        return true;
      }
    }
  }
  return false;
}

/* Whoever hears a broadcast must not matter. */
static void check_hearers(struct uppaal_lowering *l, const struct uppaal_step *send) {
  for (uint32_t i = 0; i < l->processes.len; i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    for (uint32_t k = 0; k < process->step_count && clew_front_ok(l->front); k++) {
      const struct uppaal_step *step = &process->steps[k];
      if (!clew_uppaal_may_meet(send, step)) {
        continue;
      }
      struct arrival a = {.steps = {step, NULL}, .span = send->edge->span};
      take_step(l, &a, step);
      if (process->locations[step->to]->invariant.count > 0 || !is_true(lower_others(l, &a))) {
        refuse(l, send->edge->span,
               "is a broadcast, and whether invariants hold depends on who receives it");
      }
      clew_vec_free(&a.settings);
    }
  }
}

struct uppaal_form clew_uppaal_lower_arrival(struct uppaal_lowering *l,
                                             const struct uppaal_step *step,
                                             const struct uppaal_step *receive) {
  struct arrival a = {.steps = {step, receive}, .span = step->edge->span};
  struct uppaal_form all = clew_uppaal_form_plain(l, NULL);
  if (!has_invariants(l)) {
    return all;
  }
  if (l->updates.len > 0) {
    refuse(l, a.span, "is one of a model with before_update or after_update");
  }
  take_step(l, &a, step);
  if (receive != NULL) {
    take_step(l, &a, receive);
  }
  for (uint32_t i = 0; i < 2 && a.steps[i] != NULL; i++) {
    const struct uppaal_instance *process = a.steps[i]->process;
    if (process->locations[a.steps[i]->to]->invariant.count > 0) {
      all = clew_uppaal_form_and(l, all, lower_behind(l, &a, process, a.steps[i]->to), a.span);
    }
  }
  all = clew_uppaal_form_and(l, all, lower_others(l, &a), a.span);
  if (step->channel != NULL && step->channel->is_broadcast) {
    check_hearers(l, step);
  }
  clew_vec_free(&a.settings);
  return all;
}
