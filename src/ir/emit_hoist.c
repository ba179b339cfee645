/* Emitting C: testing guards before all parameters are chosen.
 *
 * A family with several parameters has as many instances as the product of their ranges, and mostly
 * the first conjuncts of its guards mention only some: "choose j: net do ruleset k, l, m: rule
 * net[j] is there & …". When they are false for the parameters chosen so far, everything below is
 * skipped. h<family>_<class>_<bound> decides that, with the first `bound` parameters given.
 *
 * Skipping must not hide a run-time error of a guard. So a conjunct counts only if those before it
 * either count too or cannot fail; and when the test itself fails, nothing is skipped: each
 * instance will then report its own error. */
#include <inttypes.h>

#include "ir/emit_int.h"
#include "ir/walk.h"

enum {
  MAX_RULES = 4,     /* the test is a disjunction over the rules; of many it is never false */
  MIN_INSTANCES = 4, /* that one test must be able to save */
};

typedef CLEW_VEC(const struct clew_expr *) conjunct_list;

static void add_conjuncts(conjunct_list *list, const struct clew_expr *expr) {
  if (expr == NULL)
    return;
  assert(expr->depth <= CLEW_MAX_DEPTH);
  if (expr->kind == CLEW_EXPR_BINARY && expr->op == CLEW_OP_AND) {
    add_conjuncts(list, expr->a);
    add_conjuncts(list, expr->b);
  } else {
    clew_vec_push(list, expr);
  }
}

/* ---- Which parameters an expression depends on ------------------------------------------------
 */

struct depend {
  struct clew_walk walk; /* first */
  const struct clew_family *family;
  uint32_t bound; /* how many parameters have to be known */
};

static void depend_place(struct clew_walk *walk, const struct clew_place *place,
                         enum clew_use use) {
  struct depend *depend = (struct depend *)walk;
  assert((unsigned)use <= CLEW_USE_REFER);
  if (place->space != CLEW_SPACE_FRAME)
    return;
  uint32_t i = clew_emit_parameter_of(depend->family, place->base + place->offset);
  if (i < depend->family->parameter_count && i >= depend->bound)
    depend->bound = i + 1;
}

static uint32_t bound_of(const struct clew_family *family, const struct clew_expr *expr) {
  struct depend depend = {.walk = {.place = depend_place}, .family = family};
  clew_walk_expr(&depend.walk, expr, false);
  assert(depend.bound <= family->parameter_count);
  return depend.bound;
}

/* The conjuncts of the rule's guard that count with `bound` parameters. */
static void find_conjuncts(struct clew_emitter *e, const struct clew_family *family,
                           const struct clew_rule *rule, uint32_t bound, conjunct_list *found) {
  conjunct_list all = {0};
  add_conjuncts(&all, rule->guard);
  for (uint32_t i = 0; i < all.len; i++) {
    if (bound_of(family, all.data[i]) <= bound)
      clew_vec_push(found, all.data[i]);
    else if ((clew_emit_flags(e, all.data[i]) & CLEW_EMIT_MAY_FAIL) != 0)
      break;
  }
  assert(found->len <= all.len);
  clew_vec_free(&all);
}

static uint32_t count_conjuncts(struct clew_emitter *e, const struct clew_family *family,
                                const struct clew_rule *rule, uint32_t bound) {
  conjunct_list found = {0};
  find_conjuncts(e, family, rule, bound, &found);
  uint32_t count = found.len;
  assert(rule->guard != NULL || count == 0);
  clew_vec_free(&found);
  return count;
}

/* Whether a test with this many parameters tells more than one with fewer. */
static bool is_useful(struct clew_emitter *e, const struct clew_family *family,
                      const uint32_t *rules, uint32_t rule_count, uint32_t bound) {
  bool more = bound == 0;
  assert(bound < family->parameter_count);
  for (uint32_t i = 0; i < rule_count; i++) {
    const struct clew_rule *rule = &family->rules[rules[i]];
    uint32_t count = count_conjuncts(e, family, rule, bound);
    if (count == 0)
      return false;
    if (bound > 0)
      more |= count > count_conjuncts(e, family, rule, bound - 1);
  }
  return more;
}

/* ---- The test ---------------------------------------------------------------------------------
 */

/* The first `bound` parameters. */
static const char *parameters_text(struct clew_emitter *e, const struct clew_family *family,
                                   uint32_t bound) {
  struct clew_text text = {0};
  for (uint32_t i = 0; i < bound; i++)
    clew_text_printf(&text, ", int64_t f%" PRIu32, family->parameters[i].cell);
  const char *copy = clew_emit_text(e, "%s", clew_text_str(&text));
  assert(bound <= family->parameter_count);
  clew_text_free(&text);
  return copy;
}

/* One rule: whether an instance with these parameters may be enabled, or fail. */
static void put_rule_test(struct clew_emitter *e, const struct clew_family *family,
                          const struct clew_rule *rule, const char *name, uint32_t bound) {
  struct clew_emit_scope scope;
  conjunct_list conjuncts = {0};
  find_conjuncts(e, family, rule, bound, &conjuncts);
  assert(conjuncts.len > 0);
  clew_emit_begin(e, &scope, family->frame, NULL, family);
  for (uint32_t i = 0; i < conjuncts.len; i++)
    clew_emit_line(e, "if (!%s) return false;", clew_emit_expr(e, conjuncts.data[i]).text);
  clew_emit_line(e, "return true;");
  const char *head = clew_emit_text(e,
                                    "static inline __attribute__((always_inline)) bool %s_%" PRIu32
                                    "(uint64_t *s, struct clew_rt *x%s)",
                                    name, rule->index, parameters_text(e, family, bound));
  clew_emit_end(e, &scope, head, "x->pending = x->depth = 0; return true;");
  clew_vec_free(&conjuncts);
}

bool clew_emit_hoist(struct clew_emitter *e, const struct clew_family *family, const char *name,
                     const uint32_t *rules, uint32_t rule_count, uint32_t bound) {
  uint64_t below = 1;
  assert(bound < family->parameter_count && rule_count > 0);
  for (uint32_t i = bound; i < family->parameter_count; i++)
    below *=
        (uint64_t)family->parameters[i].domain->hi - (uint64_t)family->parameters[i].domain->lo + 1;
  if (rule_count > MAX_RULES || below < MIN_INSTANCES ||
      !is_useful(e, family, rules, rule_count, bound))
    return false;
  for (uint32_t i = 0; i < rule_count; i++)
    put_rule_test(e, family, &family->rules[rules[i]], name, bound);
  clew_emit_open(e,
                 "static inline __attribute__((always_inline)) bool %s"
                 "(uint64_t *s, struct clew_rt *x%s)",
                 name, parameters_text(e, family, bound));
  for (uint32_t i = 0; i < rule_count; i++) {
    struct clew_text arguments = {0};
    for (uint32_t j = 0; j < bound; j++)
      clew_text_printf(&arguments, ", f%" PRIu32, family->parameters[j].cell);
    clew_emit_line(e, "if (%s_%" PRIu32 "(s, x%s)) return true;", name,
                   family->rules[rules[i]].index, clew_text_str(&arguments));
    clew_text_free(&arguments);
  }
  clew_emit_line(e, "return false;");
  clew_emit_close(e);
  return true;
}
