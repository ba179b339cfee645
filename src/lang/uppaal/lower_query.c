/* Queries: E<> p and A[] p as properties, and why others are not decided. */
#include "lang/uppaal/lower.h"

#include <assert.h>

static const struct uppaal_value wrong = {.kind = UPPAAL_VALUE_WRONG, .type = &clew_uppaal_wrong};

/* ---- Members of processes ------------------------------------------------------------------- */

/* The process that P or P(1, 2) names; NULL and a message when there is none. */
static const struct uppaal_instance *find_process(struct uppaal_lowering *l,
                                                  const struct uppaal_symbol *symbol,
                                                  const struct uppaal_expr *expr) {
  uint32_t count = expr->kind == UPPAAL_EXPR_CALL ? expr->arg_count : 0;
  int64_t *arguments = CLEW_NEW_ARRAY(l->front->arena, int64_t, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    if (!clew_uppaal_constant(l, expr->args[i], &arguments[i])) {
      return NULL;
    }
  }
  const struct uppaal_instance *process = clew_uppaal_process(l, symbol, arguments, count);
  if (process == NULL) {
    clew_uppaal_fail(l, expr->span, "the system has no process '%s'",
                     clew_front_excerpt(l->front, expr->span));
  }
  return process;
}

static struct uppaal_value lower_of(struct uppaal_lowering *l,
                                    const struct uppaal_instance *process,
                                    const struct uppaal_expr *expr) {
  for (uint32_t i = 0; i < process->location_count; i++) {
    if (process->locations[i]->name.name == expr->ref.name) {
      const struct clew_expr *at = clew_uppaal_lower_at(l, process, i);
      return clew_uppaal_number_value(at != NULL ? at : clew_uppaal_const(l, 1), &clew_uppaal_bool);
    }
  }
  const struct uppaal_symbol *symbol = clew_uppaal_find(process->scope, expr->ref.name);
  if (symbol == NULL || symbol == clew_uppaal_find(l->globals, expr->ref.name)) {
    clew_uppaal_fail(l, expr->ref.span, "the process '%s' has no location or variable '%s'",
                     process->name, expr->ref.name->id.text);
    return wrong;
  }
  struct uppaal_scope *scope = l->scope;
  struct uppaal_expr name = {
      .kind = UPPAAL_EXPR_NAME, .span = expr->ref.span, .ref = expr->ref, .depth = 1};
  l->scope = process->scope;
  struct uppaal_value value = clew_uppaal_lower_value(l, &name);
  l->scope = scope;
  return value;
}

struct uppaal_value clew_uppaal_lower_member(struct uppaal_lowering *l,
                                             const struct uppaal_expr *expr, bool *is_member) {
  const struct uppaal_expr *of = expr->a;
  const struct uppaal_expr *name = of->kind == UPPAAL_EXPR_CALL ? of->a : of;
  const struct uppaal_symbol *symbol =
      name->kind == UPPAAL_EXPR_NAME ? clew_uppaal_find(l->scope, name->ref.name) : NULL;
  *is_member = symbol != NULL && symbol->kind == UPPAAL_SYMBOL_PROCESS;
  if (!*is_member) {
    return wrong;
  }
  const struct uppaal_instance *process = find_process(l, symbol, of);
  return process != NULL ? lower_of(l, process, expr) : wrong;
}

/* ---- Queries -------------------------------------------------------------------------------- */

static struct clew_span whole(const struct uppaal_lowering *l, uint32_t query) {
  const struct clew_front_text *text = &l->front->texts[query + 1];
  return (struct clew_span){text->base, (uint32_t)text->source->length};
}

static void give_up(struct uppaal_lowering *l, uint32_t query, const char *why) {
  struct clew_position nowhere = {0};
  clew_program_add_unchecked(l->program, clew_front_one_line(l->front, whole(l, query)), why,
                             nowhere);
  clew_vec_last(&l->program->unchecked).is_asked = l->front->request->queries[query].option != NULL;
}

/* A[] not deadlock, E<> deadlock */
static bool is_plain_deadlock(const struct uppaal_expr *expr, enum clew_query_kind kind) {
  if (kind == CLEW_QUERY_INVARIANT) {
    if (expr->kind != UPPAAL_EXPR_UNARY || expr->op != UPPAAL_OP_NOT) {
      return false;
    }
    expr = expr->a;
  }
  return expr->kind == UPPAAL_EXPR_DEADLOCK;
}

static bool has_urgency(const struct uppaal_lowering *l) {
  for (uint32_t i = 0; i < l->processes.len; i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    for (uint32_t k = 0; k < process->location_count; k++) {
      if (process->locations[k]->is_urgent || process->locations[k]->is_committed) {
        return true;
      }
    }
    for (uint32_t k = 0; k < process->step_count; k++) {
      if (process->steps[k].channel != NULL && process->steps[k].channel->is_urgent) {
        return true;
      }
    }
  }
  return false;
}

/* Whether a deadlock between integers implies one at integers. The points of a state from which
 * nothing is possible are given by strict bounds, the reachable ones by weak bounds with integers,
 * which rounding all clocks up, or all down, respects. If there are only upper bounds in the model,
 * the strict ones are lower bounds (x <= 3 is too late for x > 3), and rounding up respects them,
 * too; if there are only lower bounds, rounding down does. With both kinds, time that passes makes
 * strict bounds of differences from bounds of different clocks, but with one clock only lower
 * bounds again. */
static bool decides_deadlock(const struct uppaal_lowering *l) {
  bool one_kind = !l->has_lower_bounds || !l->has_upper_bounds;
  return one_kind || (!l->bounds_several && !has_urgency(l));
}

static void ask_deadlock(struct uppaal_lowering *l, uint32_t query,
                         const struct uppaal_expr *expr) {
  const struct clew_query *asked = &l->front->request->queries[query];
  if (!is_plain_deadlock(expr, asked->kind)) { /* zones come here only if there are no clocks */
    give_up(l, query, "deadlock as a part of a formula is not supported yet");
    return;
  }
  if (l->clock_count > 0 && l->time == UPPAAL_TIME_NONE) {
    give_up(l, query, "it depends on clocks, which --time none ignores");
    return;
  }
  l->program->ignores_deadlock = false;
  l->program->deadlock_query = asked->kind;
  l->program->deadlock_option = asked->option;
  if (l->time == UPPAAL_TIME_DIGITAL && !decides_deadlock(l)) {
    give_up(l, query, "integer time finds deadlocks, but cannot exclude one between two integers");
  }
}

/* A query about clocks, or about deadlock in other words than those above: its label is false where
 * the query is decided. */
static void ask_clocks(struct uppaal_lowering *l, uint32_t query, struct uppaal_form form,
                       struct clew_span span) {
  bool is_goal = clew_query_seeks(l->front->request->queries[query].kind);
  uint32_t label = l->program->labels.len;
  clew_front_add_query(l->front, l->program, query, l->timed.frame, clew_uppaal_const(l, !is_goal));
  clew_uppaal_put_query(l, label, is_goal ? form : clew_uppaal_form_not(l, form, span));
}

static void lower_query(struct uppaal_lowering *l, uint32_t query, const struct uppaal_expr *expr) {
  enum clew_query_kind kind = l->front->request->queries[query].kind;
  uint32_t atoms = l->clock_atoms;
  struct clew_frame *frame = l->is_timed ? l->timed.frame : clew_program_add_frame(l->program);
  l->frame = frame;
  l->scope = l->globals;
  l->use = UPPAAL_USE_QUERY;
  l->polarity = clew_query_seeks(kind) ? 1 : -1;
  l->has_open_atoms = false;
  l->at_process = CLEW_NONE;
  l->at_location = UPPAAL_AT_QUERY;
  clew_vec_clear(&l->deadlocks);
  struct uppaal_form form = clew_uppaal_lower_form(l, expr);
  l->use = UPPAAL_USE_CODE;
  atoms = l->clock_atoms - atoms;
  if (!clew_front_ok(l->front)) {
    return;
  }
  if (l->is_timed && !clew_uppaal_form_is_plain(form) && !is_plain_deadlock(expr, kind)) {
    ask_clocks(l, query, form, expr->span);
    return;
  }
  if (l->deadlocks.len > 0) {
    ask_deadlock(l, query, expr);
  } else if (atoms > 0 && l->time == UPPAAL_TIME_NONE) {
    give_up(l, query, "it depends on clocks, which --time none ignores");
  } else if (atoms > 1 && l->has_open_atoms) {
    give_up(l, query,
            "integer time cannot decide several comparisons of clocks of which one is strict");
  } else {
    const struct clew_expr *value = clew_uppaal_form_expr(l, form);
    clew_front_add_query(l->front, l->program, query, frame,
                         value != NULL ? value : clew_uppaal_const(l, 1));
  }
}

void clew_uppaal_lower_queries(struct uppaal_lowering *l) {
  l->program->ignores_deadlock = true;
  l->program->faults_are_incidental = l->front->request->query_count > 0;
  for (uint32_t i = 0; i < l->front->request->query_count; i++) {
    if (l->system->queries[i] != NULL) {
      lower_query(l, i, l->system->queries[i]);
    }
  }
}
