/* Queries: E<> p and A[] p as properties, and why others are not decided. */
#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_steps.h"
#include "lang/uppaal/lower_zones.h"

#include <assert.h>

static const struct uppaal_value wrong = {.kind = UPPAAL_VALUE_WRONG, .type = &clew_uppaal_wrong};

/* ---- Members of processes ------------------------------------------------------------------- */

/* The process that P or P(1, 2) names; NULL and a message when there is none. */
static const struct uppaal_instance *find_process(struct uppaal_lowering *l,
                                                  const struct uppaal_symbol *symbol,
                                                  const struct uppaal_expr *expr) {
  uint32_t count = expr->kind == UPPAAL_EXPR_CALL ? expr->arg_count : 0;
  int64_t *arguments = CLEW_NEW_ARRAY(l->front->arena, int64_t, count + 1);
  const struct uppaal_instance *some = clew_uppaal_process_of(l, symbol);
  for (uint32_t i = 0; i < count; i++) {
    bool has_type = some != NULL && i < some->argument_count;
    if (!clew_uppaal_constant_of(l, expr->args[i],
                                 has_type ? some->argument_types[i] : &clew_uppaal_int,
                                 &arguments[i])) {
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
    clew_vec_last(&l->program->unchecked).is_behaviour = true;
  }
}

/* A query about clocks, or about deadlock in other words than those above: its label is false where
 * the query is decided. */
static void ask_clocks(struct uppaal_lowering *l, uint32_t query, struct uppaal_form form) {
  bool is_goal = clew_query_seeks(l->front->request->queries[query].kind);
  uint32_t label = l->program->labels.len;
  clew_front_add_query(l->front, l->program, query, l->timed.frame, clew_uppaal_const(l, !is_goal));
  clew_uppaal_put_query(l, label, form);
}

static void begin_query(struct uppaal_lowering *l, int polarity) {
  l->frame = l->is_timed ? l->timed.frame : clew_program_add_frame(l->program);
  l->scope = l->globals;
  l->use = UPPAAL_USE_QUERY;
  l->polarity = polarity;
  l->has_open_atoms = false;
  l->at_process = CLEW_NONE;
  l->at_location = UPPAAL_AT_QUERY;
  clew_vec_clear(&l->deadlocks);
}

/* E<> and A[] */
static void lower_states(struct uppaal_lowering *l, uint32_t query, struct uppaal_expr *expr) {
  enum clew_query_kind kind = l->front->request->queries[query].kind;
  uint32_t atoms = l->clock_atoms;
  begin_query(l, clew_query_seeks(kind) ? 1 : -1);
  struct uppaal_form form = clew_uppaal_lower_form(l, expr);
  bool has_clocks = l->is_timed && !clew_uppaal_form_is_plain(form);
  if (has_clocks && kind == CLEW_QUERY_INVARIANT) {
    form = clew_uppaal_lower_negation(l, expr);
  }
  l->use = UPPAAL_USE_CODE;
  atoms = l->clock_atoms - atoms;
  if (!clew_front_ok(l->front)) {
    return;
  }
  /* The model has one property of deadlock: the first query about it. */
  if (has_clocks && !(is_plain_deadlock(expr, kind) && l->program->ignores_deadlock)) {
    ask_clocks(l, query, form);
  } else if (l->deadlocks.len > 0 && (has_clocks || !l->is_timed)) { /* else it does not matter */
    ask_deadlock(l, query, expr);
  } else if (atoms > 0 && l->time == UPPAAL_TIME_NONE) {
    give_up(l, query, "it depends on clocks, which --time none ignores");
  } else if (atoms > 1 && l->has_open_atoms && l->time == UPPAAL_TIME_DIGITAL) {
    give_up(l, query,
            "integer time cannot decide several comparisons of clocks of which one is strict");
  } else {
    const struct clew_expr *value = clew_uppaal_form_expr(l, form);
    clew_front_add_query(l->front, l->program, query, l->frame,
                         value != NULL ? value : clew_uppaal_const(l, 1));
  }
}

/* ---- Runs ----------------------------------------------------------------------------------- */

bool clew_uppaal_asks_about_runs(const struct uppaal_lowering *l) {
  for (uint32_t i = 0; i < l->front->request->query_count; i++) {
    enum uppaal_query_kind kind = l->system->queries[i].kind;
    if (kind == UPPAAL_QUERY_EVENTUAL || kind == UPPAAL_QUERY_POTENTIAL ||
        kind == UPPAAL_QUERY_LEADS_TO) {
      return true;
    }
  }
  return false;
}

static bool mentions_deadlock(const struct uppaal_expr *expr) {
  if (expr == NULL) {
    return false;
  }
  bool found = expr->kind == UPPAAL_EXPR_DEADLOCK || mentions_deadlock(expr->a) ||
               mentions_deadlock(expr->b) || mentions_deadlock(expr->c);
  for (uint32_t i = 0; i < expr->arg_count && !found; i++) {
    found = mentions_deadlock(expr->args[i]);
  }
  return found;
}

bool clew_uppaal_needs_zones(const struct uppaal_lowering *l) {
  for (uint32_t i = 0; i < l->front->request->query_count; i++) {
    const struct uppaal_query *query = &l->system->queries[i];
    enum clew_query_kind kind = l->front->request->queries[i].kind;
    if (query->kind >= UPPAAL_QUERY_EVENTUAL ||
        (mentions_deadlock(query->a) && !is_plain_deadlock(query->a, kind))) {
      return true;
    }
  }
  return false;
}

/* A condition, or its negation. False: the query is given up, or is wrong. */
static bool lower_condition(struct uppaal_lowering *l, uint32_t query, struct uppaal_expr *expr,
                            bool is_negated, struct uppaal_form *form) {
  begin_query(l, 0);
  *form = clew_uppaal_lower_form(l, expr);
  bool is_plain = clew_uppaal_form_is_plain(*form);
  if (is_negated) {
    *form =
        is_plain ? clew_uppaal_form_not(l, *form, expr->span) : clew_uppaal_lower_negation(l, expr);
  }
  l->use = UPPAAL_USE_CODE;
  if (!is_plain && l->timed.has_stops) {
    give_up(l, query,
            "clocks and deadlock in queries about runs are not supported in models with "
            "stopwatches");
    return false;
  }
  return clew_front_ok(l->front);
}

/* A<> a: no run stays in not a from its start. a --> b: none stays in not b once it was in a. E[]
 * a: some run stays in a from its start. */
static void lower_runs(struct uppaal_lowering *l, uint32_t number,
                       const struct uppaal_query *query) {
  if (!l->is_timed) {
    begin_query(l, 0);
    (void)clew_uppaal_lower_form(l, query->a);
    l->use = UPPAAL_USE_CODE;
    give_up(l, number, "queries about runs need --time zones");
    return;
  }
  bool leads = query->kind == UPPAAL_QUERY_LEADS_TO, seeks = query->kind == UPPAAL_QUERY_POTENTIAL;
  struct uppaal_form from = {NULL, 0}, stay;
  if ((leads && !lower_condition(l, number, query->a, false, &from)) ||
      !lower_condition(l, number, leads ? query->b : query->a, !seeks, &stay)) {
    return;
  }
  struct clew_position nowhere = {0};
  uint32_t from_label = CLEW_NONE;
  if (leads) {
    const char *name = clew_arena_printf(l->arena, "premise of query %u", number + 1);
    from_label =
        clew_program_add_label(l->program, name, nowhere, l->timed.frame, clew_uppaal_const(l, 1));
  }
  uint32_t label = l->program->labels.len;
  clew_front_add_query(l->front, l->program, number, l->timed.frame, clew_uppaal_const(l, 1));
  struct clew_property *property = &clew_vec_last(&l->program->properties);
  property->kind = CLEW_PROPERTY_PROGRESS;
  property->from_label = from_label;
  property->query = seeks ? CLEW_QUERY_REACH : CLEW_QUERY_INVARIANT;
  clew_uppaal_put_run(l, label, stay, from);
}

/* ---- Numbers -------------------------------------------------------------------------------- */

/* One of the expressions that a query asks about, wherever the form is true. */
static void lower_measure(struct uppaal_lowering *l, uint32_t number,
                          const struct uppaal_query *query, struct uppaal_form form,
                          const struct uppaal_expr *expr) {
  begin_query(l, 0);
  struct uppaal_value value = clew_uppaal_lower_value(l, expr);
  bool is_clock = clew_uppaal_is_clocky(&value);
  const struct clew_expr *term = is_clock ? NULL : clew_uppaal_number_of(l, &value, expr->span);
  l->use = UPPAAL_USE_CODE;
  if (!clew_front_ok(l->front)) {
    return;
  }
  if (is_clock && (value.kind != UPPAAL_VALUE_PLACE || value.place.index_count > 0)) {
    give_up(l, number, "only numbers and single clocks can be asked for");
    return;
  }
  struct clew_measure measure = {.name = clew_front_one_line(l->front, expr->span),
                                 .wants_most = query->kind != UPPAAL_QUERY_INF,
                                 .wants_least = query->kind != UPPAAL_QUERY_SUP};
  measure.name = clew_uppaal_keep(l, measure.name);
  clew_front_add_query(l->front, l->program, number, l->frame, clew_uppaal_const(l, 1));
  struct clew_property *property = &clew_vec_last(&l->program->properties);
  property->kind = CLEW_PROPERTY_MEASURE;
  property->query = CLEW_QUERY_INVARIANT;
  property->label =
      clew_uppaal_put_measure(l, form, &measure, is_clock ? &value.place : NULL, NULL, term);
}

/* sup{a}: values */
static void lower_measures(struct uppaal_lowering *l, uint32_t number,
                           const struct uppaal_query *query) {
  struct uppaal_term everywhere = {0};
  struct uppaal_form form = {.terms = &everywhere, .count = 1};
  if (query->a != NULL) {
    begin_query(l, 1);
    form = clew_uppaal_lower_form(l, query->a);
    l->use = UPPAAL_USE_CODE;
  }
  for (uint32_t i = 0; i < query->values.count && clew_front_ok(l->front); i++) {
    lower_measure(l, number, query, form, query->values.data[i]);
  }
}

/* Queries that nothing can decide in this view of time: what is wrong with them is said all the
 * same. */
static void lower_other(struct uppaal_lowering *l, uint32_t number,
                        const struct uppaal_query *query) {
  begin_query(l, 0);
  if (query->a != NULL) {
    (void)clew_uppaal_lower_form(l, query->a);
  }
  if (query->b != NULL) {
    (void)clew_uppaal_lower_form(l, query->b);
  }
  for (uint32_t i = 0; i < query->values.count; i++) {
    struct uppaal_value value = clew_uppaal_lower_value(l, query->values.data[i]);
    if (!clew_uppaal_is_clocky(&value)) {
      (void)clew_uppaal_number_of(l, &value, query->values.data[i]->span);
    }
  }
  l->use = UPPAAL_USE_CODE;
  if (clew_front_ok(l->front)) {
    give_up(l, number, "sup, inf and bounds need --time zones");
  }
}

void clew_uppaal_lower_queries(struct uppaal_lowering *l) {
  l->program->ignores_deadlock = true;
  l->program->faults_are_incidental = l->front->request->query_count > 0;
  l->in_query = true;
  for (uint32_t i = 0; i < l->front->request->query_count; i++) {
    const struct uppaal_query *query = &l->system->queries[i];
    if (query->kind <= UPPAAL_QUERY_ALWAYS) {
      lower_states(l, i, query->a);
    } else if (query->kind < UPPAAL_QUERY_SUP) {
      lower_runs(l, i, query);
    } else if (l->is_timed) {
      lower_measures(l, i, query);
    } else {
      lower_other(l, i, query);
    }
  }
  l->in_query = false;
}
