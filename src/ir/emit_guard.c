/* Emitting C: guards.
 *
 * Plain guards, which cannot fail and have no effects, are written where they are tested. Others
 * are a function g<n>, inlined into every instance, because a run-time error has to leave it. Where
 * the rules of a family are cases of a switch (emit_next.c), the first conjunct is left out. */
#include <inttypes.h>

#include "ir/emit_int.h"

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

/* Whether the expression is "place = constant". */
static bool is_test(const struct clew_family *family, const struct clew_expr *expr,
                    struct clew_emit_test *test) {
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

bool clew_emit_guard_test(const struct clew_family *family, const struct clew_rule *rule,
                          struct clew_emit_test *test) {
  assert(family != NULL);
  return rule->guard != NULL && is_test(family, first_conjunct(rule->guard), test);
}

/* ---- Guards as functions --------------------------------------------------------------------- */

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

void clew_emit_guard(struct clew_emitter *e, const struct clew_family *family,
                     const struct clew_rule *rule, bool tested) {
  struct clew_emit_scope scope;
  assert(!tested || rule->guard != NULL);
  clew_emit_begin(e, &scope, family->frame, NULL, family);
  put_conjuncts(e, rule->guard, tested ? first_conjunct(rule->guard) : NULL);
  clew_emit_line(e, "return true;");
  const char *head = clew_emit_text(e,
                                    "static inline __attribute__((always_inline)) bool g%" PRIu32
                                    "(uint64_t *s, struct clew_rt *x%s)",
                                    rule->index, clew_emit_parameters(e, family));
  clew_emit_end(e, &scope, head, "return false;");
}

/* ---- Guards where they are tested ------------------------------------------------------------ */

bool clew_emit_guard_is_plain(struct clew_emitter *e, const struct clew_rule *rule) {
  assert(rule != NULL);
  return (clew_emit_flags(e, rule->guard) & (CLEW_EMIT_MAY_FAIL | CLEW_EMIT_WRITES)) == 0;
}

/* Whether a conjunct is false whatever the state is. */
static bool is_never(const struct clew_expr *guard) {
  if (guard == NULL)
    return false;
  assert(guard->lo <= guard->hi);
  if (guard->kind == CLEW_EXPR_BINARY && guard->op == CLEW_OP_AND)
    return is_never(guard->a) || is_never(guard->b);
  return guard->lo == 0 && guard->hi == 0;
}

bool clew_emit_rule_is_dead(struct clew_emitter *e, const struct clew_rule *rule) {
  assert(rule != NULL);
  return is_never(rule->guard) && clew_emit_guard_is_plain(e, rule);
}

/* Tests of constant slots are made first and one for each word: the order cannot be seen, and most
 * guards of automata become one comparison. */
struct word_test {
  uint32_t word;
  uint64_t mask, value;
};

struct plain_guard {
  struct clew_emitter *e;
  const struct clew_family *family;
  const struct clew_expr *skip;
  CLEW_VEC(struct word_test) words;
  CLEW_VEC(const struct clew_expr *) others;
};

static bool add_word_test(struct plain_guard *guard, const struct clew_expr *expr) {
  struct clew_emit_test test;
  if (!is_test(guard->family, expr, &test) || test.load->place.index_count > 0)
    return false;
  const struct clew_type *type = test.load->place.type;
  if (test.value < type->domain->lo || test.value > type->domain->hi)
    return false;
  struct clew_emit_spot spot = clew_emit_place(guard->e, &test.load->place);
  if (spot.where != CLEW_EMIT_FIXED)
    return false;
  uint32_t width = clew_emit_width(type), shift = spot.bit & 63, i = 0;
  uint64_t mask = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
  uint64_t raw = (uint64_t)test.value - (uint64_t)clew_emit_bias(type);
  assert((raw & ~mask) == 0);
  while (i < guard->words.len && guard->words.data[i].word != spot.bit >> 6)
    i++;
  struct word_test fresh = {spot.bit >> 6, 0, 0};
  if (i == guard->words.len)
    clew_vec_push(&guard->words, fresh);
  struct word_test *word = &guard->words.data[i];
  if ((word->mask & mask << shift) != 0) /* the slot is tested twice */
    return false;
  word->mask |= mask << shift;
  word->value |= raw << shift;
  return true;
}

static void add_conjuncts(struct plain_guard *guard, const struct clew_expr *expr) {
  if (expr == NULL || expr == guard->skip)
    return;
  assert(expr->depth <= CLEW_MAX_DEPTH);
  if (expr->kind == CLEW_EXPR_BINARY && expr->op == CLEW_OP_AND) {
    add_conjuncts(guard, expr->a);
    add_conjuncts(guard, expr->b);
  } else if (!add_word_test(guard, expr)) {
    clew_vec_push(&guard->others, expr);
  }
}

static void put_word_test(struct clew_emitter *e, const struct word_test *test) {
  const char *mask = clew_emit_bits(e, test->mask), *value = clew_emit_bits(e, test->value);
  assert((test->value & ~test->mask) == 0);
  clew_emit_open(e, "if ((s[%" PRIu32 "] & %s) == %s)", test->word, mask, value);
}

uint32_t clew_emit_guard_open(struct clew_emitter *e, const struct clew_family *family,
                              const struct clew_rule *rule, bool tested) {
  struct plain_guard guard = {
      .e = e, .family = family, .skip = tested ? first_conjunct(rule->guard) : NULL};
  uint32_t opened = 0;
  assert(clew_emit_guard_is_plain(e, rule));
  add_conjuncts(&guard, rule->guard);
  for (uint32_t i = 0; i < guard.words.len; i++)
    if (guard.words.data[i].mask != 0) {
      put_word_test(e, &guard.words.data[i]);
      opened++;
    }
  for (uint32_t i = 0; i < guard.others.len; i++) {
    struct clew_frag value = clew_emit_expr(e, guard.others.data[i]);
    if (value.known && value.value != 0)
      continue;
    clew_emit_open(e, "if (%s)", value.text);
    opened++;
  }
  clew_vec_free(&guard.words);
  clew_vec_free(&guard.others);
  return opened;
}
