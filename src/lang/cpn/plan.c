/* Plans: in which order the variables of a transition get their values.
 *
 * An input arc is a pattern, or a sum of patterns with numbers before them, or it is only evaluated
 * once all its variables are known. Guards bind by `pattern = expression` and prune as soon as
 * their variables are known. Variables that are left range over their colour sets, which have to
 * be small. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "lang/cpn/cpn_int.h"

struct planner {
  struct cpn_net *net;
  const struct cpn_inscription *in;
  bool *bound; /* by variable of the net */
  bool *used;  /* by guard */
  CLEW_VEC(struct cpn_step) steps;
  struct term {
    uint32_t arc;
    const struct cpn_expr *pattern;
    bool is_used;
  } * terms;
  uint32_t term_count, term_capacity;
};

/* ---- patterns ---- */

static bool is_pattern(const struct cpn_expr *expr) {
  switch (expr->kind) {
  case CPN_INT:
  case CPN_STRING:
    return true;
  case CPN_NAME:
    return expr->scope == CPN_VARIABLE ||
           (expr->scope == CPN_GLOBAL && expr->global->value != NULL &&
            expr->global->value->kind != CPN_V_FN);
  case CPN_TUPLE:
  case CPN_LIST:
  case CPN_RECORD:
    for (uint32_t i = 0; i < expr->count; i++) {
      if (!is_pattern(expr->parts[i])) {
        return false;
      }
    }
    return true;
  case CPN_TYPED:
    return is_pattern(expr->parts[0]);
  case CPN_APPLY:
    return expr->parts[0]->kind == CPN_NAME && expr->parts[0]->scope == CPN_GLOBAL &&
           expr->parts[0]->global->con != NULL && is_pattern(expr->parts[1]);
  default:
    return false;
  }
}

static bool is_operator(const struct cpn_expr *expr, const char *name) {
  return expr->kind == CPN_APPLY && expr->is_infix && expr->parts[0]->kind == CPN_NAME &&
         strcmp(expr->parts[0]->name->base.text, name) == 0;
}

static void add_term(struct planner *p, uint32_t arc, const struct cpn_expr *pattern) {
  if (p->term_count == p->term_capacity) {
    p->term_capacity = p->term_capacity * 2 + 8;
    p->terms = clew_realloc_array(p->terms, p->term_capacity, sizeof *p->terms);
  }
  p->terms[p->term_count++] = (struct term){arc, pattern, false};
}

/* The patterns of a sum; what is none of them is left to evaluation. */
static void add_sum(struct planner *p, uint32_t arc, const struct cpn_expr *expr) {
  while (expr->kind == CPN_TYPED) {
    expr = expr->parts[0];
  }
  if (is_operator(expr, "++")) {
    add_sum(p, arc, expr->parts[1]->parts[0]);
    add_sum(p, arc, expr->parts[1]->parts[1]);
  } else if (is_operator(expr, "`")) {
    const struct cpn_expr *count = expr->parts[1]->parts[0], *token = expr->parts[1]->parts[1];
    if (count->kind == CPN_INT && count->number > 0 && is_pattern(token)) {
      add_term(p, arc, token);
    }
  } else if (expr->kind == CPN_LIST) {
    for (uint32_t i = 0; i < expr->count; i++) {
      if (is_pattern(expr->parts[i])) {
        add_term(p, arc, expr->parts[i]);
      }
    }
  }
}

static void collect_terms(struct planner *p) {
  for (uint32_t i = 0; i < p->in->arc_count; i++) {
    const struct cpn_arc *arc = &p->in->arcs[i];
    if (!arc->takes) {
      continue;
    }
    if (arc->is_token && is_pattern(arc->expr)) {
      add_term(p, i, arc->expr);
    } else if (!arc->is_token) {
      add_sum(p, i, arc->expr);
    }
  }
}

/* ---- the order ---- */

struct tally {
  const bool *bound;
  uint32_t known, unknown;
};

static void tally_one(void *context, uint32_t variable) {
  struct tally *tally = context;
  if (tally->bound[variable]) {
    tally->known++;
  } else {
    tally->unknown++;
  }
}

static struct tally tally(const struct planner *p, const struct cpn_expr *expr) {
  struct tally result = {.bound = p->bound};
  cpn_each_variable(expr, tally_one, &result);
  return result;
}

static void mark_one(void *context, uint32_t variable) {
  ((bool *)context)[variable] = true;
}

static void add_step(struct planner *p, struct cpn_step step) {
  if (step.pattern != NULL) {
    cpn_each_variable(step.pattern, mark_one, p->bound);
  }
  clew_vec_push(&p->steps, step);
}

/* Guards whose variables are known, and those that give values to others. */
static bool use_guards(struct planner *p) {
  bool any = false;
  for (uint32_t i = 0; i < p->in->guard_count; i++) {
    const struct cpn_expr *guard = p->in->guards[i];
    if (p->used[i]) {
      continue;
    }
    if (tally(p, guard).unknown == 0) {
      p->used[i] = any = true;
      add_step(p, (struct cpn_step){.kind = CPN_TEST, .expr = guard});
      continue;
    }
    for (uint32_t side = 0; side < 2 && is_operator(guard, "="); side++) {
      const struct cpn_expr *pattern = guard->parts[1]->parts[side];
      const struct cpn_expr *expr = guard->parts[1]->parts[1 - side];
      if (is_pattern(pattern) && tally(p, expr).unknown == 0) {
        p->used[i] = any = true;
        add_step(p, (struct cpn_step){.kind = CPN_BIND, .pattern = pattern, .expr = expr});
        break;
      }
    }
  }
  return any;
}

/* The pattern with the fewest unknown variables, of those that have any. */
static bool use_term(struct planner *p) {
  struct term *best = NULL;
  struct tally best_tally = {0};
  for (uint32_t i = 0; i < p->term_count; i++) {
    struct tally t = tally(p, p->terms[i].pattern);
    if (p->terms[i].is_used || t.unknown == 0) {
      continue;
    }
    bool is_better = best == NULL || (t.known > 0) > (best_tally.known > 0) ||
                     ((t.known > 0) == (best_tally.known > 0) && t.unknown < best_tally.unknown);
    if (is_better) {
      best = &p->terms[i];
      best_tally = t;
    }
  }
  if (best == NULL) {
    return false;
  }
  best->is_used = true;
  add_step(p, (struct cpn_step){.kind = CPN_MATCH, .arc = best->arc, .pattern = best->pattern});
  return true;
}

/* One variable that nothing binds. */
static bool use_range(struct planner *p, const char *page, const char *transition, bool *failed) {
  for (uint32_t i = 0; i < p->in->variable_count; i++) {
    uint32_t number = p->in->variables[i];
    const struct cpn_variable *variable = &p->net->variables.data[number];
    if (p->bound[number]) {
      continue;
    }
    struct cpn_eval eval;
    const struct cpn_value *all = NULL;
    cpn_eval_open(p->net, &eval, p->net->request->stop);
    if (cpn_colour_is_small(variable->colour)) {
      all = cpn_colour_all(&eval.ctx, variable->colour);
    }
    if (all == NULL) {
      clew_diag_plain(p->net->diags, CLEW_ERROR, p->net->request->source->name,
                      "page '%s', transition '%s': nothing gives a value to variable '%s', and its "
                      "colour set '%s' is too large to try all values",
                      page, transition, variable->name->base.text,
                      variable->colour->name->base.text);
      *failed = true;
    } else {
      p->bound[number] = true;
      add_step(p, (struct cpn_step){.kind = CPN_RANGE,
                                    .variable = number,
                                    .values = cpn_intern(&p->net->pool, all)});
    }
    cpn_eval_close(&eval);
    return !*failed;
  }
  return false;
}

bool cpn_plan(struct cpn_net *net, struct cpn_inscription *inscription, const char *page,
              const char *transition) {
  struct planner p = {.net = net, .in = inscription};
  bool failed = false;
  p.bound = clew_alloc_zero((size_t)net->variables.len + 1, sizeof *p.bound);
  p.used = clew_alloc_zero((size_t)inscription->guard_count + 1, sizeof *p.used);
  collect_terms(&p);
  while (use_guards(&p) || use_term(&p) || use_range(&p, page, transition, &failed)) {
  }
  inscription->step_count = p.steps.len;
  inscription->steps = clew_arena_copy(net->arena, p.steps.data, p.steps.len, sizeof *p.steps.data);
  clew_vec_free(&p.steps);
  clew_free(p.terms);
  clew_free(p.bound);
  clew_free(p.used);
  return !failed;
}
