/* Rules and start states: families.
 *
 * Consecutive rules with the same surroundings are one family. Its parameters are the variables of
 * the rulesets and chooses around them. Aliases around a rule are bound twice: in the guard, by
 * LETs around it, and again at the start of the body. A parameter that does not run over
 * consecutive integers (a step other than 1, a union with holes) is a position 0, 1, 2, … from
 * which the variable is computed, again once in the guard and once in the body. */
#include "lang/murphi/lower.h"

#include <assert.h>

struct builder {
  struct murphi_path *path;
  struct clew_place dense[MURPHI_MAX_STEPS]; /* positions of such parameters; else no type */
  CLEW_VEC(struct clew_parameter) parameters;
};

/* ---- Parameters ----------------------------------------------------------------------------- */

/* The positions of from, from + step, …, with the values as their names while these are few. */
static const struct clew_domain *stepped_domain(struct murphi_lowering *l,
                                                const struct murphi_quantifier *q) {
  assert(q->from->is_constant && q->to->is_constant);
  enum { MOST_NAMES = 4096 };
  const struct murphi_type *type = q->symbol->type;
  int64_t count = (type->hi - type->lo) / (q->step > 0 ? q->step : -q->step) + 1;
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  domain->hi = count - 1;
  if (count <= MOST_NAMES) {
    const char **names = CLEW_NEW_ARRAY(l->arena, const char *, count);
    for (int64_t i = 0; i < count; i++) {
      names[i] = clew_arena_printf(l->arena, "%lld", (long long)(q->from->value + i * q->step));
    }
    domain->names = names;
  }
  return domain;
}

static bool is_dense(const struct murphi_quantifier *q) {
  return clew_murphi_type_has_holes(q->symbol->type) || (q->from != NULL && q->step != 1);
}

/* The value of a parameter that is a position. */
static const struct clew_expr *dense_value(struct murphi_lowering *l,
                                           const struct murphi_quantifier *q,
                                           struct clew_place position) {
  assert(is_dense(q));
  const struct clew_expr *load = clew_expr_load(l->program, position, CLEW_NONE);
  if (clew_murphi_type_has_holes(q->symbol->type)) {
    return clew_murphi_from_dense(l, q->symbol->type, load);
  }
  /* Bounded by from and to, so neither operation can overflow; the site is a formality. */
  uint32_t site = clew_murphi_site(l, CLEW_SITE_OVERFLOW, q->span,
                                   "overflow in the parameter \"%s\"", q->name->id.text);
  const struct clew_expr *steps =
      clew_expr_binary(l->program, CLEW_OP_MUL, load, clew_murphi_const(l, q->step), site);
  return clew_expr_binary(l->program, CLEW_OP_ADD, clew_murphi_const(l, q->from->value), steps,
                          site);
}

static void add_parameter(struct murphi_lowering *l, struct builder *b, uint32_t step) {
  assert(b->path->steps[step].quantifier != NULL);
  struct murphi_quantifier *q = b->path->steps[step].quantifier;
  struct clew_parameter parameter = {.name = clew_murphi_keep(l, q->name->id.text)};
  b->dense[step].type = NULL;
  if (is_dense(q)) {
    parameter.domain = clew_murphi_type_has_holes(q->symbol->type)
                           ? clew_murphi_dense_domain(l, q->symbol->type)
                           : stepped_domain(l, q);
    b->dense[step] =
        clew_murphi_local(l, parameter.name, clew_type_scalar(l->arena, parameter.domain, false));
    parameter.cell = b->dense[step].base;
    const struct clew_expr *value = dense_value(l, q, b->dense[step]);
    q->symbol->place = clew_murphi_temporary(l, parameter.name, value);
  } else {
    parameter.domain = clew_murphi_lower_domain(l, q->symbol->type);
    q->symbol->place =
        clew_murphi_local(l, parameter.name, clew_murphi_lower_defined(l, q->symbol->type));
    parameter.cell = q->symbol->place.base;
  }
  clew_vec_push(&b->parameters, parameter);
}

/* ---- Guards and bodies ---------------------------------------------------------------------- */

/* The guard from the given step inwards. */
static const struct clew_expr *lower_guard(struct murphi_lowering *l, struct builder *b,
                                           uint32_t step, struct murphi_rule *rule) {
  assert(step <= b->path->count);
  if (step == b->path->count) {
    bool here = rule->guard != NULL && !rule->guard_writes;
    return here ? clew_murphi_lower_expr(l, rule->guard) : clew_murphi_const(l, 1);
  }
  uint32_t mark = l->preps.len;
  struct murphi_quantifier *q = b->path->steps[step].quantifier;
  if (q == NULL) {
    clew_murphi_bind_alias(l, b->path->steps[step].alias, true);
    return clew_murphi_prep_lets(l, mark, lower_guard(l, b, step + 1, rule));
  }
  if (q->bag != NULL) {
    const struct clew_expr *present = clew_murphi_lower_present(l, q);
    return clew_murphi_and(l, present, lower_guard(l, b, step + 1, rule));
  }
  if (b->dense[step].type != NULL) {
    const struct clew_expr *value = dense_value(l, q, b->dense[step]);
    const struct clew_expr *inner = lower_guard(l, b, step + 1, rule);
    return clew_expr_let(l->program, q->symbol->place.base, value, inner);
  }
  return lower_guard(l, b, step + 1, rule);
}

static const struct clew_stmt *lower_rule_body(struct murphi_lowering *l, struct builder *b,
                                               struct murphi_rule *rule) {
  assert(l->preps.len == 0);
  struct clew_list list = {0};
  for (uint32_t i = 0; i < b->path->count; i++) {
    const struct murphi_step *step = &b->path->steps[i];
    if (step->alias != NULL) {
      clew_murphi_bind_alias(l, step->alias, false);
      clew_murphi_prep_stmts(l, 0, &list);
    } else if (b->dense[i].type != NULL) {
      const struct clew_expr *value = dense_value(l, step->quantifier, b->dense[i]);
      clew_list_add(
          &list, clew_stmt_assign(l->program, step->quantifier->symbol->place, value, CLEW_NONE));
    }
  }
  if (rule->guard_writes) { /* a guard that is false discards what it has done */
    struct clew_stmt *guard = clew_stmt_new(l->program, CLEW_STMT_ASSUME);
    guard->value = clew_murphi_lower_expr(l, rule->guard);
    clew_list_add(&list, guard);
  }
  clew_murphi_lower_locals(l, rule->decls, &list);
  clew_murphi_lower_stmts(l, rule->body, &list);
  return list.first;
}

static struct clew_rule lower_simple(struct murphi_lowering *l, struct builder *b,
                                     struct murphi_rule *rule) {
  assert(rule->kind == MURPHI_RULE_SIMPLE || rule->kind == MURPHI_RULE_START);
  bool start = rule->kind == MURPHI_RULE_START;
  uint32_t number = start ? ++l->start_count : ++l->rule_count;
  struct clew_rule result = {.position = clew_front_position(l->m->front, rule->span)};
  bool titled = rule->title != NULL && rule->title[0] != '\0';
  result.name = titled
                    ? clew_murphi_keep(l, rule->title)
                    : clew_arena_printf(l->arena, "%s %u", start ? "startstate" : "rule", number);
  if (rule->priority != NULL) {
    result.priority = (int32_t)rule->priority->value;
  }
  if (!start) {
    result.guard = lower_guard(l, b, 0, rule);
  }
  result.body = lower_rule_body(l, b, rule);
  return result;
}

/* ---- Families ------------------------------------------------------------------------------- */

/* The family of the rules from `first` on that are of its kind; returns the last of them. */
static struct murphi_rule *lower_family(struct murphi_lowering *l, struct murphi_path *path,
                                        struct murphi_rule *first) {
  assert(path->count <= MURPHI_MAX_STEPS);
  struct builder b = {.path = path};
  CLEW_VEC(struct clew_rule) rules = {0};
  struct clew_frame *frame = clew_program_add_frame(l->program);
  clew_murphi_enter(l, frame, NULL);
  for (uint32_t i = 0; i < path->count; i++) {
    if (path->steps[i].quantifier != NULL) {
      add_parameter(l, &b, i);
    }
  }
  struct murphi_rule *last = first;
  for (struct murphi_rule *rule = first; rule != NULL && rule->kind == first->kind;
       rule = rule->next) {
    struct clew_rule lowered = lower_simple(l, &b, rule);
    clew_vec_push(&rules, lowered);
    last = rule;
  }
  clew_program_add_family(l->program, first->kind == MURPHI_RULE_START, frame, b.parameters.data,
                          b.parameters.len, rules.data, rules.len);
  clew_vec_free(&rules);
  clew_vec_free(&b.parameters);
  return last;
}

/* False (and a complaint) when there is no room for another step. */
static bool push_step(struct murphi_lowering *l, struct murphi_path *path, struct clew_span span,
                      struct murphi_step step) {
  assert((step.quantifier == NULL) != (step.alias == NULL));
  if (path->count == MURPHI_MAX_STEPS) {
    clew_front_error(l->m->front, span,
                     "too many parameters and aliases around one rule: the limit is %d",
                     MURPHI_MAX_STEPS);
    return false;
  }
  path->steps[path->count++] = step;
  return true;
}

static bool push_steps(struct murphi_lowering *l, struct murphi_path *path,
                       const struct murphi_rule *rule) {
  bool room = true;
  for (struct murphi_quantifier *q = rule->quantifiers; q != NULL && room; q = q->next) {
    room = push_step(l, path, rule->span, (struct murphi_step){.quantifier = q});
  }
  for (struct murphi_alias *alias = rule->aliases; alias != NULL && room; alias = alias->next) {
    room = push_step(l, path, rule->span, (struct murphi_step){.alias = alias});
  }
  return room;
}

static void lower_nested(struct murphi_lowering *l, struct murphi_path *path,
                         struct murphi_rule *rules) {
  for (struct murphi_rule *rule = rules; rule != NULL; rule = rule->next) {
    uint32_t count = path->count;
    switch (rule->kind) {
    case MURPHI_RULE_SIMPLE:
    case MURPHI_RULE_START:
      rule = lower_family(l, path, rule);
      break;
    case MURPHI_RULE_PROPERTY:
      clew_murphi_lower_property(l, path, rule);
      break;
    case MURPHI_RULE_SET:
    case MURPHI_RULE_ALIAS:
      if (push_steps(l, path, rule)) {
        lower_nested(l, path, rule->children);
      }
      break;
    }
    path->count = count;
  }
}

void clew_murphi_lower_rules(struct murphi_lowering *l, struct murphi_rule *rules) {
  struct murphi_path *path = CLEW_NEW(l->m->front->arena, struct murphi_path);
  lower_nested(l, path, rules);
  assert(path->count == 0);
}
