/* Emitting C: rules. For rule n,
 *   g<n>  its guard, inlined into every instance; without the first conjunct if that is tested by a
 *         switch over the rules of the family (emit_next.c)
 *   G<n>  the whole guard, for `fire`
 *   B<n>  its body, inlined; only for rules that are unrolled
 *   b<n>  its body as a function of its own
 *   a<n>  the action: makes the successor and puts it into the buffer */
#include <inttypes.h>

#include "ir/emit_int.h"

static const char *parameter_text(struct clew_emitter *e, const struct clew_family *family,
                                  const char *before) {
  struct clew_text text = {0};
  assert(family->parameter_count == 0 || family->parameters != NULL);
  for (uint32_t i = 0; i < family->parameter_count; i++)
    clew_text_printf(&text, ", %sf%" PRIu32, before, family->parameters[i].cell);
  const char *copy = clew_emit_text(e, "%s", clew_text_str(&text));
  clew_text_free(&text);
  return copy;
}

const char *clew_emit_parameters(struct clew_emitter *e, const struct clew_family *family) {
  return parameter_text(e, family, "int64_t ");
}

const char *clew_emit_arguments(struct clew_emitter *e, const struct clew_family *family) {
  return parameter_text(e, family, "");
}

/* ---- Guards that start with "place = constant" ----------------------------------------------- */

static const struct clew_expr *first_conjunct(const struct clew_expr *guard) {
  assert(guard != NULL);
  while (guard->kind == CLEW_EXPR_BINARY && guard->op == CLEW_OP_AND)
    guard = guard->a;
  return guard;
}

/* A value that depends on the parameters of the family alone and cannot fail. */
static bool is_fixed(const struct clew_family *family, const struct clew_expr *expr) {
  assert(expr != NULL);
  switch (expr->kind) {
  case CLEW_EXPR_CONST:
    return true;
  case CLEW_EXPR_LOAD:
    return expr->place.space == CLEW_SPACE_FRAME && expr->site == CLEW_NONE &&
           expr->place.index_count == 0 &&
           clew_emit_parameter_of(family, expr->place.base + expr->place.offset) <
               family->parameter_count;
  case CLEW_EXPR_UNARY:
    return expr->site == CLEW_NONE && is_fixed(family, expr->a);
  case CLEW_EXPR_BINARY:
    return expr->site == CLEW_NONE && is_fixed(family, expr->a) && is_fixed(family, expr->b);
  default:
    return false;
  }
}

static bool is_fixed_cell(const struct clew_family *family, const struct clew_expr *expr) {
  assert(expr != NULL);
  if (expr->kind != CLEW_EXPR_LOAD || expr->place.space != CLEW_SPACE_STATE)
    return false;
  for (uint32_t i = 0; i < expr->place.index_count; i++)
    if (expr->place.indices[i].checked || !is_fixed(family, expr->place.indices[i].value))
      return false;
  return true;
}

static bool same_fixed(const struct clew_expr *a, const struct clew_expr *b) {
  if (a == b)
    return true;
  if (a->kind != b->kind || a->op != b->op)
    return false;
  switch (a->kind) {
  case CLEW_EXPR_CONST:
    return a->value == b->value;
  case CLEW_EXPR_LOAD:
    assert(a->place.space == CLEW_SPACE_FRAME && b->place.space == CLEW_SPACE_FRAME);
    return a->place.base + a->place.offset == b->place.base + b->place.offset;
  case CLEW_EXPR_UNARY:
    return same_fixed(a->a, b->a);
  case CLEW_EXPR_BINARY:
    return same_fixed(a->a, b->a) && same_fixed(a->b, b->b);
  default:
    return false;
  }
}

bool clew_emit_same_place(const struct clew_place *a, const struct clew_place *b) {
  assert(a->space == CLEW_SPACE_STATE && b->space == CLEW_SPACE_STATE);
  if (a->base + a->offset != b->base + b->offset || a->index_count != b->index_count)
    return false;
  for (uint32_t i = 0; i < a->index_count; i++) {
    const struct clew_index *x = &a->indices[i], *y = &b->indices[i];
    if (x->lo != y->lo || x->stride != y->stride || x->count != y->count ||
        !same_fixed(x->value, y->value))
      return false;
  }
  return true;
}

bool clew_emit_guard_test(const struct clew_family *family, const struct clew_rule *rule,
                          struct clew_emit_test *test) {
  if (rule->guard == NULL)
    return false;
  const struct clew_expr *expr = first_conjunct(rule->guard);
  int64_t value = 1;
  if (expr->kind == CLEW_EXPR_UNARY && expr->op == CLEW_OP_NOT) { /* a boolean is 0 */
    expr = expr->a;
    value = 0;
  } else if (expr->kind == CLEW_EXPR_BINARY && expr->op == CLEW_OP_EQ) {
    bool swapped = expr->a->kind == CLEW_EXPR_CONST;
    const struct clew_expr *constant = swapped ? expr->a : expr->b;
    if (constant->kind != CLEW_EXPR_CONST)
      return false;
    value = constant->value;
    expr = swapped ? expr->b : expr->a;
    *test = (struct clew_emit_test){expr, value};
    return is_fixed_cell(family, expr);
  }
  assert(expr != NULL);
  *test = (struct clew_emit_test){expr, value};
  return is_fixed_cell(family, expr) && expr->lo >= 0 && expr->hi <= 1;
}

/* ---- Guards ---------------------------------------------------------------------------------- */

/* Conjuncts in order; each one ends the guard when it is false. */
static void put_conjuncts(struct clew_emitter *e, const struct clew_expr *expr,
                          const struct clew_expr *skip) {
  if (expr == NULL || expr == skip)
    return;
  if (expr->kind == CLEW_EXPR_BINARY && expr->op == CLEW_OP_AND) {
    put_conjuncts(e, expr->a, skip);
    put_conjuncts(e, expr->b, NULL);
    return;
  }
  struct clew_frag value = clew_emit_expr(e, expr);
  assert(e->function == NULL);
  clew_emit_line(e, "if (!%s) return false;", value.text);
}

static void put_guard(struct clew_emitter *e, const struct clew_family *family,
                      const struct clew_rule *rule, bool tested, bool whole) {
  struct clew_emit_scope scope;
  assert(!tested || rule->guard != NULL);
  const struct clew_expr *skip = tested && !whole ? first_conjunct(rule->guard) : NULL;
  clew_emit_begin(e, &scope, family->frame, NULL, family);
  put_conjuncts(e, rule->guard, skip);
  clew_emit_line(e, "return true;");
  const char *head =
      clew_emit_text(e, "static %s bool %s%" PRIu32 "(uint64_t *s, struct clew_rt *x%s)",
                     whole ? "__attribute__((noinline))" : "inline __attribute__((always_inline))",
                     whole ? "G" : "g", rule->index, clew_emit_parameters(e, family));
  clew_emit_end(e, &scope, head, "return false;");
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

static void put_body(struct clew_emitter *e, const struct clew_family *family,
                     const struct clew_rule *rule, bool inlined) {
  struct clew_emit_scope scope;
  const char *parameters = clew_emit_parameters(e, family);
  clew_emit_begin(e, &scope, family->frame, NULL, family);
  clew_emit_list(e, rule->body);
  const char *head =
      inlined ? clew_emit_text(e,
                               "static inline __attribute__((always_inline)) void B%" PRIu32
                               "(uint64_t *s, struct clew_rt *x%s)",
                               rule->index, parameters)
              : clew_emit_text(e,
                               "static __attribute__((noinline)) void b%" PRIu32
                               "(uint64_t *s, struct clew_rt *x%s)",
                               rule->index, parameters);
  clew_emit_end(e, &scope, head, "");
  if (!inlined)
    return;
  assert(e->indent == 0);
  clew_emit_open(
      e, "static __attribute__((noinline)) void b%" PRIu32 "(uint64_t *s, struct clew_rt *x%s)",
      rule->index, parameters);
  clew_emit_line(e, "B%" PRIu32 "(s, x%s);", rule->index, clew_emit_arguments(e, family));
  clew_emit_close(e);
}

void clew_emit_after_body(struct clew_emitter *e, const struct clew_rule *rule, const char *context,
                          const char *leave) {
  const struct clew_program *program = e->program;
  clew_emit_line(e, "if (CLEW_RT_RARE(%spending)) %s;", context, leave);
  if (program->bags.len > 0) {
    uint64_t *bags = clew_alloc_zero(CLEW_BITSET_WORDS(program->bags.len), sizeof *bags);
    clew_emit_bags_written(e, rule->body, bags);
    clew_emit_sort(e, bags);
    clew_free(bags);
  }
  assert(context[0] == 'x');
  if (program->assumptions.len > 0) {
    clew_emit_line(e, "assume(p, %s);", context[1] == '.' ? "&x" : "x");
    clew_emit_line(e, "if (CLEW_RT_RARE(%spending)) %s;", context, leave);
  }
}

static void put_action(struct clew_emitter *e, const struct clew_family *family,
                       const struct clew_rule *rule, bool inlined) {
  clew_emit_open(e,
                 "static %s void a%" PRIu32
                 "(const uint64_t *restrict s, struct clew_succs *o, struct clew_rt *x, "
                 "uint32_t e%s)",
                 inlined ? "inline __attribute__((always_inline))" : "__attribute__((noinline))",
                 rule->index, clew_emit_parameters(e, family));
  clew_emit_line(e, "uint64_t *p = clew_succs_next(o);");
  clew_emit_line(e, "memcpy(p, s, %" PRIu32 " * sizeof *p);", e->program->words);
  clew_emit_line(e, "%s%" PRIu32 "(p, x%s);", inlined ? "B" : "b", rule->index,
                 clew_emit_arguments(e, family));
  clew_emit_after_body(e, rule, "x->", "goto settle");
  clew_emit_line(e, "clew_succs_keep(o, e);");
  clew_emit_line(e, "return;");
  clew_emit_line(e, "settle: clew_rt_settle(x, o, e);");
  clew_emit_close(e);
  assert(e->indent == 0);
}

void clew_emit_rule(struct clew_emitter *e, const struct clew_family *family,
                    const struct clew_rule *rule, enum clew_emit_tier tier, bool tested) {
  bool inlined = tier == CLEW_EMIT_ALL && clew_emit_body_inlines(e, family, rule);
  assert(rule->index < e->program->rule_count);
  put_guard(e, family, rule, tested, false);
  put_guard(e, family, rule, tested, true);
  put_body(e, family, rule, inlined);
  put_action(e, family, rule, inlined);
}

bool clew_emit_body_inlines(const struct clew_emitter *e, const struct clew_family *family,
                            const struct clew_rule *rule) {
  assert(family->frame != NULL);
  return family->frame->cells <= CLEW_EMIT_INLINE_CELLS &&
         clew_emit_weight(e, NULL, rule->body) <= CLEW_EMIT_INLINE_BODY;
}
