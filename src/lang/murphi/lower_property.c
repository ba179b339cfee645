/* Properties. Inside rulesets an invariant or assumption is a claim about all values of the
 * parameters, a cover property about some, and a liveness property about each one by itself: that
 * is as many properties. */
#include "lang/murphi/lower.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

const char *clew_murphi_property_name(struct murphi_lowering *l, enum murphi_property_kind kind,
                                      const char *title) {
  assert(kind < MURPHI_PROPERTY_KINDS);
  static const char *const words[MURPHI_PROPERTY_KINDS] = {"invariant", "assertion", "assumption",
                                                           "cover", "liveness"};
  uint32_t number = ++l->property_count[kind];
  if (title != NULL && title[0] != '\0') {
    return clew_murphi_keep(l, title);
  }
  return clew_arena_printf(l->arena, "%s %u", words[kind], number);
}

/* ---- Quantified properties ------------------------------------------------------------------ */

/* The property from the given step inwards, quantified by `op`. */
static const struct clew_expr *quantify(struct murphi_lowering *l, struct murphi_path *path,
                                        uint32_t step, struct murphi_rule *rule, enum clew_op op) {
  assert(op == CLEW_OP_FORALL || op == CLEW_OP_EXISTS);
  if (step == path->count) {
    return clew_murphi_lower_expr(l, rule->guard);
  }
  uint32_t mark = l->preps.len;
  struct murphi_quantifier *q = path->steps[step].quantifier;
  if (q == NULL) {
    clew_murphi_bind_alias(l, path->steps[step].alias, true);
    return clew_murphi_prep_lets(l, mark, quantify(l, path, step + 1, rule, op));
  }
  struct murphi_run run = clew_murphi_bind_run(l, q);
  return clew_murphi_quantify(l, op, q, run, quantify(l, path, step + 1, rule, op));
}

static uint32_t add_label(struct murphi_lowering *l, const char *name, struct murphi_rule *rule,
                          const struct clew_expr *value) {
  return clew_program_add_label(l->program, name, clew_front_position(l->m->front, rule->span),
                                l->frame, value);
}

/* ---- Liveness ------------------------------------------------------------------------------- */

enum { MOST_LIVENESS = 4096 };

/* One instance: the values of the quantifiers on the path so far. */
struct instance {
  struct murphi_path *path;
  struct murphi_rule *rule;
  const char *name;
  int64_t values[MURPHI_MAX_STEPS];
};

static const struct clew_expr *bind_instance(struct murphi_lowering *l, struct instance *instance,
                                             uint32_t step) {
  assert(step <= instance->path->count);
  if (step == instance->path->count) {
    return clew_murphi_lower_expr(l, instance->rule->guard);
  }
  uint32_t mark = l->preps.len;
  struct murphi_quantifier *q = instance->path->steps[step].quantifier;
  if (q == NULL) {
    clew_murphi_bind_alias(l, instance->path->steps[step].alias, true);
    return clew_murphi_prep_lets(l, mark, bind_instance(l, instance, step + 1));
  }
  q->symbol->place = clew_murphi_local(l, clew_murphi_keep(l, q->name->id.text),
                                       clew_murphi_lower_defined(l, q->symbol->type));
  const struct clew_expr *inner = bind_instance(l, instance, step + 1);
  return clew_expr_let(l->program, q->symbol->place.base,
                       clew_murphi_const(l, instance->values[step]), inner);
}

/* "name, i: 2, j: Red" */
static const char *instance_name(struct murphi_lowering *l, const struct instance *instance) {
  struct clew_text text = {0};
  clew_text_put(&text, instance->name);
  for (uint32_t i = 0; i < instance->path->count; i++) {
    const struct murphi_quantifier *q = instance->path->steps[i].quantifier;
    if (q != NULL) {
      clew_text_printf(&text, ", %s: ", q->name->id.text);
      clew_domain_print(clew_murphi_lower_domain(l, q->symbol->type), instance->values[i], &text);
    }
  }
  const char *name = clew_murphi_keep(l, clew_text_str(&text));
  clew_text_free(&text);
  return name;
}

static bool is_value(const struct murphi_type *type, int64_t value) {
  assert(clew_murphi_type_is_simple(type));
  if (!clew_murphi_type_has_holes(type)) {
    return true;
  }
  for (uint32_t i = 0; i < type->leaf_count; i++) {
    if (value >= type->leaves[i]->lo && value <= type->leaves[i]->hi) {
      return true;
    }
  }
  return false;
}

static void add_instances(struct murphi_lowering *l, struct instance *instance, uint32_t step) {
  assert(step <= instance->path->count);
  while (step < instance->path->count && instance->path->steps[step].quantifier == NULL) {
    step++;
  }
  if (step == instance->path->count) {
    clew_murphi_enter(l, clew_program_add_frame(l->program), NULL);
    const struct clew_expr *value = bind_instance(l, instance, 0);
    const char *name = instance_name(l, instance);
    clew_program_add_property(l->program, CLEW_PROPERTY_LIVENESS, name,
                              clew_front_position(l->m->front, instance->rule->span),
                              add_label(l, name, instance->rule, value), false);
    return;
  }
  const struct murphi_quantifier *q = instance->path->steps[step].quantifier;
  const struct murphi_type *type = q->symbol->type;
  int64_t from = q->step > 0 ? type->lo : type->hi, to = q->step > 0 ? type->hi : type->lo;
  for (int64_t value = from; q->step > 0 ? value <= to : value >= to; value += q->step) {
    if (is_value(type, value)) {
      instance->values[step] = value;
      add_instances(l, instance, step + 1);
    }
  }
}

static void lower_liveness(struct murphi_lowering *l, struct murphi_path *path,
                           struct murphi_rule *rule, const char *name) {
  assert(rule->property == MURPHI_PROPERTY_LIVENESS);
  uint64_t count = 1;
  for (uint32_t i = 0; i < path->count && count <= MOST_LIVENESS; i++) {
    const struct murphi_quantifier *q = path->steps[i].quantifier;
    count *= q != NULL ? (uint64_t)q->symbol->type->count : 1;
  }
  if (count > MOST_LIVENESS) {
    clew_front_error(l->m->front, rule->span,
                     "too many instances of a liveness property: the limit is %d values of its "
                     "parameters",
                     MOST_LIVENESS);
    return;
  }
  struct instance *instance = CLEW_NEW(l->m->front->arena, struct instance);
  *instance = (struct instance){.path = path, .rule = rule, .name = name};
  add_instances(l, instance, 0);
}

/* ---- Any property --------------------------------------------------------------------------- */

void clew_murphi_lower_property(struct murphi_lowering *l, struct murphi_path *path,
                                struct murphi_rule *rule) {
  assert(rule->kind == MURPHI_RULE_PROPERTY);
  if (rule->query > 0) {
    clew_murphi_enter(l, clew_program_add_frame(l->program), NULL);
    const struct clew_expr *truth = clew_murphi_lower_expr(l, rule->guard);
    clew_front_add_query(l->m->front, l->program, rule->query - 1, l->frame, truth);
    return;
  }
  const char *name = clew_murphi_property_name(l, rule->property, rule->title);
  if (rule->property == MURPHI_PROPERTY_LIVENESS) {
    lower_liveness(l, path, rule, name);
    return;
  }
  bool cover = rule->property == MURPHI_PROPERTY_COVER;
  clew_murphi_enter(l, clew_program_add_frame(l->program), NULL);
  const struct clew_expr *value =
      quantify(l, path, 0, rule, cover ? CLEW_OP_EXISTS : CLEW_OP_FORALL);
  uint32_t label = add_label(l, name, rule, value);
  if (rule->property == MURPHI_PROPERTY_ASSUME) {
    clew_vec_push(&l->program->assumptions, label);
    return;
  }
  clew_program_add_property(l->program, cover ? CLEW_PROPERTY_COVER : CLEW_PROPERTY_INVARIANT, name,
                            clew_front_position(l->m->front, rule->span), label, false);
}
