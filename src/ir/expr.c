/* Constructors of expressions: they fold constants, compute the interval of the value, drop the
 * site when the intervals show that nothing can go wrong, and count depth and size.
 *
 * Folding never drops an operand that could fault or call: `x & false` stays, `false & x` does not.
 *
 * Invariant: a node is complete and immutable once its constructor returns; its interval is sound
 * also after a fault (see range.c). */
#include <assert.h>

#include "ir/ir_int.h"
#include "ir/range.h"
#include "ir/walk.h"

/* ---- Operators ---------------------------------------------------------------------------- */

const char *clew_op_word(enum clew_op op) {
  static const char *const names[] = {
      [CLEW_OP_NEG] = "-",         [CLEW_OP_NOT] = "!",         [CLEW_OP_BIT_NOT] = "~",
      [CLEW_OP_ADD] = "+",         [CLEW_OP_SUB] = "-",         [CLEW_OP_MUL] = "*",
      [CLEW_OP_DIV] = "/",         [CLEW_OP_MOD] = "%",         [CLEW_OP_SHL] = "<<",
      [CLEW_OP_SHR] = ">>",        [CLEW_OP_BIT_AND] = "&",     [CLEW_OP_BIT_OR] = "|",
      [CLEW_OP_BIT_XOR] = "^",     [CLEW_OP_EQ] = "=",          [CLEW_OP_NE] = "!=",
      [CLEW_OP_LT] = "<",          [CLEW_OP_LE] = "<=",         [CLEW_OP_GT] = ">",
      [CLEW_OP_GE] = ">=",         [CLEW_OP_AND] = "and",       [CLEW_OP_OR] = "or",
      [CLEW_OP_FORALL] = "forall", [CLEW_OP_EXISTS] = "exists", [CLEW_OP_COUNT] = "count",
      [CLEW_OP_SUM] = "sum",
  };
  assert((unsigned)op < sizeof names / sizeof *names);
  return names[op];
}

/* ---- Nodes -------------------------------------------------------------------------------- */

/* Constructors fill in a node of their own; clew_expr_keep or clew_expr_share makes it, or an equal
 * one that was there before, part of the program. */
static struct clew_expr expr_start(enum clew_expr_kind kind) {
  return (struct clew_expr){.kind = kind, .site = CLEW_NONE, .depth = 1, .size = 1};
}

static struct clew_expr_key key_of(enum clew_expr_kind kind, enum clew_op op, uint32_t site,
                                   uint64_t x, uint64_t y) {
  return (struct clew_expr_key){(uint32_t)kind | (uint32_t)op << 16, site, x, y};
}

static void expr_count(struct clew_expr *expr, const struct clew_expr *child) {
  if (child == NULL) {
    return;
  }
  assert(child->depth > 0 && child->size > 0);
  if (expr->depth <= child->depth) {
    expr->depth = child->depth + 1;
  }
  expr->size = child->size > UINT32_MAX - expr->size ? UINT32_MAX : expr->size + child->size;
}

static void expr_count_place(struct clew_expr *expr, const struct clew_place *place) {
  assert(place->type != NULL);
  for (uint32_t i = 0; i < place->index_count; i++) {
    expr_count(expr, place->indices[i].value);
  }
}

static void expr_set_operands(struct clew_expr *expr, const struct clew_expr *a,
                              const struct clew_expr *b, const struct clew_expr *c) {
  assert(a != NULL);
  expr->a = a;
  expr->b = b;
  expr->c = c;
  expr_count(expr, a);
  expr_count(expr, b);
  expr_count(expr, c);
}

static void expr_set_range(struct clew_expr *expr, struct clew_range range, uint32_t site) {
  assert(range.lo <= range.hi);
  expr->lo = range.lo;
  expr->hi = range.hi;
  expr->site = range.fault ? site : CLEW_NONE;
}

static struct clew_range range_of(const struct clew_expr *expr) {
  return (struct clew_range){.lo = expr->lo, .hi = expr->hi};
}

static bool is_const(const struct clew_expr *expr) {
  return expr->kind == CLEW_EXPR_CONST;
}

static bool is_raw(const struct clew_expr *expr) {
  return expr->kind == CLEW_EXPR_LOAD_RAW || expr->kind == CLEW_EXPR_UNDEFINED;
}

/* ---- Leaves ------------------------------------------------------------------------------- */

const struct clew_expr *clew_expr_const(struct clew_program *program, int64_t value) {
  assert(value != CLEW_UNDEFINED);
  struct clew_expr_key key = key_of(CLEW_EXPR_CONST, 0, CLEW_NONE, (uint64_t)value, 0);
  const struct clew_expr *old = clew_expr_find(program, key);
  if (old != NULL) {
    return old;
  }
  struct clew_expr expr = expr_start(CLEW_EXPR_CONST);
  expr.pure = true;
  expr.value = expr.lo = expr.hi = value;
  return clew_expr_share(program, key, &expr);
}

static struct clew_expr load(enum clew_expr_kind kind, struct clew_place place) {
  assert(place.type->kind == CLEW_TYPE_SCALAR);
  struct clew_expr expr = expr_start(kind);
  expr.place = place;
  expr.lo = place.type->domain->lo;
  expr.hi = place.type->domain->hi;
  expr_count_place(&expr, &place);
  return expr;
}

const struct clew_expr *clew_expr_load(struct clew_program *program, struct clew_place place,
                                       uint32_t site) {
  site = place.type->undefinable ? site : CLEW_NONE;
  bool shared = place.space == CLEW_SPACE_STATE && place.index_count == 0;
  uint64_t cell = (uint64_t)place.base << 32 | place.offset;
  struct clew_expr_key key = key_of(CLEW_EXPR_LOAD, 0, site, cell, (uintptr_t)place.type);
  const struct clew_expr *old = shared ? clew_expr_find(program, key) : NULL;
  if (old != NULL) {
    return old;
  }
  struct clew_expr expr = load(CLEW_EXPR_LOAD, place);
  expr.site = site;
  expr.pure = shared && !place.type->undefinable;
  return shared ? clew_expr_share(program, key, &expr) : clew_expr_keep(program, &expr);
}

const struct clew_expr *clew_expr_load_raw(struct clew_program *program, struct clew_place place) {
  assert(place.type != NULL);
  struct clew_expr expr = load(CLEW_EXPR_LOAD_RAW, place);
  return clew_expr_keep(program, &expr);
}

const struct clew_expr *clew_expr_undefined(struct clew_program *program) {
  assert(program != NULL);
  struct clew_expr expr = expr_start(CLEW_EXPR_UNDEFINED);
  return clew_expr_keep(program, &expr);
}

const struct clew_expr *clew_expr_is_undefined(struct clew_program *program,
                                               struct clew_place place) {
  assert(place.type->cells > 0);
  if (place.index_count == 0 && !clew_type_cell(place.type, 0)->undefinable) {
    return clew_expr_const(program, 0);
  }
  struct clew_expr expr = expr_start(CLEW_EXPR_IS_UNDEFINED);
  expr.place = place;
  expr.hi = clew_type_cell(place.type, 0)->undefinable;
  expr_count_place(&expr, &place);
  return clew_expr_keep(program, &expr);
}

const struct clew_expr *clew_expr_equal(struct clew_program *program, struct clew_place a,
                                        struct clew_place b) {
  assert(clew_type_same_shape(a.type, b.type));
  struct clew_expr expr = expr_start(CLEW_EXPR_EQUAL);
  expr.place = a;
  expr.place2 = b;
  expr.lo = a.type->cells == 0;
  expr.hi = 1;
  expr_count_place(&expr, &a);
  expr_count_place(&expr, &b);
  return clew_expr_keep(program, &expr);
}

/* ---- Operators ---------------------------------------------------------------------------- */

const struct clew_expr *clew_expr_unary(struct clew_program *program, enum clew_op op,
                                        const struct clew_expr *a, uint32_t site) {
  assert(op <= CLEW_OP_BIT_NOT && !is_raw(a));
  int64_t value;
  if (is_const(a) && clew_fold_unary(op, a->value, &value)) {
    return clew_expr_const(program, value);
  }
  struct clew_expr_key key = key_of(CLEW_EXPR_UNARY, op, site, (uintptr_t)a, 0);
  const struct clew_expr *old = clew_expr_find(program, key);
  if (old != NULL) {
    return old;
  }
  struct clew_expr expr = expr_start(CLEW_EXPR_UNARY);
  expr.op = op;
  expr_set_operands(&expr, a, NULL, NULL);
  struct clew_range range = clew_range_unary(op, range_of(a));
  expr_set_range(&expr, range, site);
  expr.pure = a->pure && !range.fault;
  key.site = expr.site;
  return clew_expr_share(program, key, &expr);
}

/* AND and OR with a constant operand: the result, or NULL when there is nothing to fold. */
static const struct clew_expr *fold_logic(enum clew_op op, const struct clew_expr *a,
                                          const struct clew_expr *b) {
  assert(op == CLEW_OP_AND || op == CLEW_OP_OR);
  int64_t neutral = op == CLEW_OP_AND;
  if (is_const(a)) {
    return a->value == neutral ? b : a;
  }
  return is_const(b) && b->value == neutral ? a : NULL;
}

const struct clew_expr *clew_expr_binary(struct clew_program *program, enum clew_op op,
                                         const struct clew_expr *a, const struct clew_expr *b,
                                         uint32_t site) {
  assert(op >= CLEW_OP_ADD && op <= CLEW_OP_OR && !is_raw(a) && !is_raw(b));
  if (op == CLEW_OP_AND || op == CLEW_OP_OR) {
    const struct clew_expr *folded = fold_logic(op, a, b);
    if (folded != NULL) {
      return folded;
    }
  }
  int64_t value;
  if (is_const(a) && is_const(b) && clew_fold_binary(op, a->value, b->value, &value)) {
    return clew_expr_const(program, value);
  }
  struct clew_expr_key key = key_of(CLEW_EXPR_BINARY, op, site, (uintptr_t)a, (uintptr_t)b);
  const struct clew_expr *old = clew_expr_find(program, key);
  if (old != NULL) {
    return old;
  }
  struct clew_expr expr = expr_start(CLEW_EXPR_BINARY);
  expr.op = op;
  expr_set_operands(&expr, a, b, NULL);
  struct clew_range range = clew_range_binary(op, range_of(a), range_of(b));
  expr_set_range(&expr, range, site);
  expr.pure = a->pure && b->pure && !range.fault;
  key.site = expr.site; /* of those that cannot fault there is one */
  return clew_expr_share(program, key, &expr);
}

const struct clew_expr *clew_expr_cond(struct clew_program *program, const struct clew_expr *a,
                                       const struct clew_expr *b, const struct clew_expr *c) {
  assert(!is_raw(a) && !is_raw(b) && !is_raw(c));
  if (is_const(a)) {
    return a->value != 0 ? b : c;
  }
  struct clew_expr expr = expr_start(CLEW_EXPR_COND);
  expr_set_operands(&expr, a, b, c);
  if (a->lo > 0 || a->hi < 0) {
    expr_set_range(&expr, range_of(b), CLEW_NONE);
  } else if (a->lo == 0 && a->hi == 0) {
    expr_set_range(&expr, range_of(c), CLEW_NONE);
  } else {
    expr.lo = b->lo < c->lo ? b->lo : c->lo;
    expr.hi = b->hi > c->hi ? b->hi : c->hi;
  }
  return clew_expr_keep(program, &expr);
}

/* ---- Quantifiers, LET, calls -------------------------------------------------------------- */

/* The interval of a quantifier that runs at most `most` times. It contains what no iteration at
 * all yields, because a pending fault stops loops early. */
static struct clew_range quantify_range(enum clew_op op, uint64_t most, struct clew_range body) {
  assert(op >= CLEW_OP_FORALL && op <= CLEW_OP_SUM);
  switch (op) {
  case CLEW_OP_FORALL:
    return (struct clew_range){.lo = most == 0 || body.lo > 0, .hi = 1};
  case CLEW_OP_EXISTS:
    return (struct clew_range){.lo = 0, .hi = most > 0 && body.hi > 0};
  default:
    return clew_range_times(body, most);
  }
}

/* A quantifier of a constant over constant bounds: its value, unless that is too large. */
static bool fold_quantifier(enum clew_op op, uint64_t count, int64_t body, int64_t *value) {
  if (op == CLEW_OP_FORALL || op == CLEW_OP_EXISTS) {
    *value = count == 0 ? op == CLEW_OP_FORALL : body != 0;
    return true;
  }
  assert(op == CLEW_OP_COUNT || op == CLEW_OP_SUM);
  return count <= INT64_MAX && !__builtin_mul_overflow((int64_t)count, body, value) &&
         *value != INT64_MIN;
}

const struct clew_expr *clew_expr_quantify(struct clew_program *program, enum clew_op op,
                                           uint32_t cell, const struct clew_expr *from,
                                           const struct clew_expr *to, int64_t step,
                                           const struct clew_expr *body) {
  assert(step != 0 && step != INT64_MIN && !is_raw(from) && !is_raw(to) && !is_raw(body));
  int64_t first = step > 0 ? from->lo : from->hi, last = step > 0 ? to->hi : to->lo;
  uint64_t most = clew_range_iterations(first, last, step);
  int64_t value;
  if (is_const(from) && is_const(to) && (most == 0 || is_const(body)) &&
      fold_quantifier(op, most, most == 0 ? 0 : body->value, &value)) {
    return clew_expr_const(program, value);
  }
  struct clew_expr expr = expr_start(CLEW_EXPR_QUANTIFY);
  expr.op = op;
  expr.cell = cell;
  expr_set_operands(&expr, from, to, clew_expr_const(program, step));
  expr.d = body;
  expr_count(&expr, body);
  expr_set_range(&expr, quantify_range(op, most, range_of(body)), CLEW_NONE);
  return clew_expr_keep(program, &expr);
}

const struct clew_expr *clew_expr_let(struct clew_program *program, uint32_t cell,
                                      const struct clew_expr *value, const struct clew_expr *body) {
  assert(!is_raw(value) && !is_raw(body));
  if (is_const(value) && is_const(body)) {
    return body;
  }
  struct clew_expr expr = expr_start(CLEW_EXPR_LET);
  expr.cell = cell;
  expr_set_operands(&expr, value, body, NULL);
  expr_set_range(&expr, range_of(body), CLEW_NONE);
  return clew_expr_keep(program, &expr);
}

const struct clew_expr *clew_expr_call(struct clew_program *program, const struct clew_call *call) {
  const struct clew_function *function = call->function;
  assert(function->result != NULL && function->result->kind == CLEW_TYPE_SCALAR);
  struct clew_expr expr = expr_start(CLEW_EXPR_CALL);
  expr.call = call;
  expr.site = call->site;
  expr.lo = function->result->domain->lo;
  expr.hi = function->result->domain->hi;
  for (uint32_t i = 0; i < function->value_count; i++) {
    expr_count(&expr, call->values[i]);
  }
  for (uint32_t i = 0; i < function->reference_count; i++) {
    expr_count_place(&expr, &call->refs[i]);
  }
  return clew_expr_keep(program, &expr);
}

/* ---- Questions ---------------------------------------------------------------------------- */

struct fault_walk {
  struct clew_walk walk; /* first, so that a pointer to it is one to this */
  bool may_fault;
};

static bool note_expr(struct clew_walk *walk, const struct clew_expr *expr, bool raw) {
  struct fault_walk *faults = (struct fault_walk *)walk;
  (void)raw;
  assert(expr != NULL);
  faults->may_fault |= expr->site != CLEW_NONE || expr->kind == CLEW_EXPR_CALL;
  return !faults->may_fault;
}

static void note_place(struct clew_walk *walk, const struct clew_place *place, enum clew_use use) {
  struct fault_walk *faults = (struct fault_walk *)walk;
  (void)use;
  assert(place->type != NULL);
  faults->may_fault |= clew_place_may_fault(place);
}

bool clew_expr_may_fault(const struct clew_expr *expr) {
  struct fault_walk faults = {.walk = {.expr = note_expr, .place = note_place}};
  clew_walk_expr(&faults.walk, expr, true);
  return faults.may_fault;
}
