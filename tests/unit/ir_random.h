/* Random programs, for comparing two executions: every kind of type, place, expression and
 * statement, with many ways to go wrong, each at a site of its own.
 *
 *   struct clew_program *program = ir_random_build(seed);
 *
 * What a front end has to respect is respected: values that go unchecked into parameters, results
 * and loop variables lie in their types, locals that cannot be undefined are initialised, guards
 * have no effects. */
#ifndef CLEW_TESTS_IR_RANDOM_H
#define CLEW_TESTS_IR_RANDOM_H

#include <string.h>

#include "base/random.h"
#include "unit/ir_build.h"

enum { RG_VARIABLES = 24, RG_FUNCTIONS = 6 };

struct rg {
  struct clew_program *p;
  struct clew_random random;
  uint32_t sites;
  /* what is in scope */
  ir_place places[3 * RG_VARIABLES];
  uint32_t place_count;
  struct clew_function *functions[RG_FUNCTIONS];
  uint32_t function_count; /* those that may be called */
  struct clew_frame *frame;
  struct clew_function *function;
  bool pure; /* the state must not be written */
  uint32_t size;
};

static inline uint32_t rg_below(struct rg *g, uint32_t n) {
  return (uint32_t)clew_random_below(&g->random, n);
}

static inline bool rg_chance(struct rg *g, uint32_t percent) {
  return rg_below(g, 100) < percent;
}

static inline uint32_t rg_site(struct rg *g, enum clew_site_kind kind) {
  return clew_program_add_site(g->p, kind, (struct clew_position){1, 1}, "site %u", g->sites++);
}

/* ---- Types ----------------------------------------------------------------------------------- */

static inline const struct clew_type *rg_scalar(struct rg *g) {
  static const int64_t ranges[][2] = {{0, 1},  {0, 3}, {1, 4},   {-2, 2},
                                      {0, 10}, {5, 5}, {0, 200}, {-70000, 70000},
                                      {0, 0},  {1, 2}, {0, 6},   {INT64_MIN + 1, INT64_MAX - 1}};
  uint32_t i = rg_below(g, rg_chance(g, 10) ? IR_COUNT(ranges) : 5);
  return clew_type_scalar(g->p->arena, ir_range(g->p, ranges[i][0], ranges[i][1]),
                          i != IR_COUNT(ranges) - 1 && rg_chance(g, 50));
}

static inline const struct clew_type *rg_type(struct rg *g, uint32_t depth) {
  uint32_t kind = depth == 0 ? 0 : rg_below(g, 6);
  if (kind == 1 || kind == 2) {
    int64_t lo = (int64_t)rg_below(g, 4) - 1;
    const struct clew_domain *index =
        ir_range(g->p, lo, lo + (int64_t)(rg_chance(g, 20) ? 20 : rg_below(g, 4)));
    return clew_type_array(g->p->arena, index, rg_type(g, depth - 1));
  }
  if (kind == 3 || kind == 4) {
    static const char *const names[] = {"a", "b", "c"};
    const struct clew_type *types[3];
    uint32_t count = rg_below(g, 4);
    for (uint32_t i = 0; i < count; i++)
      types[i] = rg_type(g, depth - 1);
    return clew_type_record(g->p->arena, names, types, count);
  }
  if (kind == 5 && depth > 1)
    return clew_type_bag(g->p->arena, 1 + rg_below(g, rg_chance(g, 20) ? 9 : 3),
                         rg_type(g, depth - 1));
  return rg_scalar(g);
}

/* ---- Expressions ------------------------------------------------------------------------------
 */

static inline ir_expr rg_expr(struct rg *g, uint32_t depth);
static inline ir_expr rg_fitting(struct rg *g, const struct clew_type *type, uint32_t depth,
                                 bool raw);
static inline const struct clew_call *rg_call(struct rg *g, const struct clew_function *function,
                                              uint32_t depth);

static inline ir_expr rg_number(struct rg *g) {
  static const int64_t odd[] = {INT64_MAX, INT64_MIN + 1, 63, 64, -1, 1000, 70000};
  if (rg_chance(g, 5))
    return ir_num(g->p, odd[rg_below(g, IR_COUNT(odd))]);
  return ir_num(g->p, (int64_t)rg_below(g, 8) - 2);
}

/* One step down into an array, record or bag. */
static inline ir_place rg_descend(struct rg *g, ir_place place, uint32_t depth) {
  if (place.type->kind == CLEW_TYPE_RECORD)
    return clew_place_field(place, rg_below(g, place.type->count));
  int64_t lo = place.type->kind == CLEW_TYPE_ARRAY ? place.type->domain->lo : 0;
  const struct clew_type *fits = ir_int(g->p, lo, lo + (int64_t)place.type->count - 1);
  ir_expr index;
  if (rg_chance(g, 4))
    index = rg_expr(g, depth);
  else if (depth == 0 || rg_chance(g, 40))
    index = ir_num(g->p, lo + (int64_t)rg_below(g, place.type->count));
  else
    index = rg_fitting(g, fits, depth - 1, false);
  return clew_place_index(g->p, place, index, rg_site(g, CLEW_SITE_INDEX));
}

static inline bool rg_may_descend(const struct clew_type *type) {
  return type->kind != CLEW_TYPE_SCALAR && type->count > 0 && type->cells > 0;
}

static inline bool rg_is_state(const struct rg *g, const ir_place *place) {
  return place->space == CLEW_SPACE_STATE ||
         (place->space == CLEW_SPACE_REF &&
          g->function->references[place->base].space == CLEW_SPACE_STATE);
}

/* Some place in scope; scalars only, or anything. */
static inline bool rg_place(struct rg *g, uint32_t depth, bool scalar, bool write, ir_place *out) {
  for (uint32_t tries = 0; tries < 20; tries++) {
    ir_place place = g->places[rg_below(g, g->place_count)];
    if (write && g->pure && rg_is_state(g, &place))
      continue;
    while (rg_may_descend(place.type) && (scalar || rg_chance(g, 50)))
      place = rg_descend(g, place, depth);
    if (place.type->cells == 0 || (scalar && place.type->kind != CLEW_TYPE_SCALAR))
      continue;
    *out = place;
    return true;
  }
  return false;
}

/* A place of the same shape. */
static inline bool rg_alike(struct rg *g, const struct clew_type *type, uint32_t depth, bool write,
                            ir_place *out) {
  for (uint32_t tries = 0; tries < 30; tries++)
    if (rg_place(g, depth, false, write, out) && clew_type_same_shape(out->type, type))
      return true;
  return false;
}

static inline ir_expr rg_load(struct rg *g, uint32_t depth) {
  ir_place place;
  if (!rg_place(g, depth, true, false, &place))
    return rg_number(g);
  return clew_expr_load(g->p, place, rg_site(g, CLEW_SITE_UNDEFINED));
}

static inline ir_expr rg_bool(struct rg *g, uint32_t depth) {
  static const enum clew_op compare[] = {CLEW_OP_EQ, CLEW_OP_NE, CLEW_OP_LT,
                                         CLEW_OP_LE, CLEW_OP_GT, CLEW_OP_GE};
  ir_place a, b;
  uint32_t kind = depth == 0 ? 0 : rg_below(g, 10);
  switch (kind) {
  case 1:
  case 2:
  case 3:
    return clew_expr_binary(g->p, rg_chance(g, 50) ? CLEW_OP_AND : CLEW_OP_OR,
                            rg_bool(g, depth - 1), rg_bool(g, depth - 1), CLEW_NONE);
  case 4:
    return clew_expr_unary(g->p, CLEW_OP_NOT, rg_bool(g, depth - 1), CLEW_NONE);
  case 5:
    if (rg_place(g, depth - 1, rg_chance(g, 50), false, &a))
      return clew_expr_is_undefined(g->p, a);
    break;
  case 6:
    if (rg_place(g, depth - 1, false, false, &a) && rg_alike(g, a.type, depth - 1, false, &b))
      return clew_expr_equal(g->p, a, b);
    break;
  case 7: {
    uint32_t cell = clew_frame_add(g->frame, "q", ir_int(g->p, INT64_MIN + 1, INT64_MAX));
    ir_place variable = clew_place_frame(g->frame, cell);
    int64_t from = (int64_t)rg_below(g, 3) - 1, to = from + (int64_t)rg_below(g, 4) - 1;
    int64_t step = rg_chance(g, 80) ? 1 : rg_chance(g, 50) ? 2 : -1;
    uint32_t count = g->place_count;
    g->places[g->place_count++] = variable;
    ir_expr body = rg_bool(g, depth - 1);
    g->place_count = count;
    return clew_expr_quantify(g->p, rg_chance(g, 50) ? CLEW_OP_FORALL : CLEW_OP_EXISTS,
                              variable.base, step < 0 ? ir_num(g->p, to) : ir_num(g->p, from),
                              step < 0 ? ir_num(g->p, from) : ir_num(g->p, to), step, body);
  }
  default:
    break;
  }
  uint32_t below = depth == 0 ? 0 : depth - 1;
  ir_expr left = rg_chance(g, 60) ? rg_load(g, below) : rg_expr(g, below);
  ir_expr right = rg_chance(g, 60) ? rg_number(g) : rg_expr(g, below);
  return clew_expr_binary(g->p, compare[rg_below(g, 6)], left, right, CLEW_NONE);
}

/* A function whose result is never undefined, or NULL. */
static inline struct clew_function *rg_callee(struct rg *g, bool statement) {
  for (uint32_t tries = 0; tries < 10 && g->function_count > 0; tries++) {
    struct clew_function *f = g->functions[rg_below(g, g->function_count)];
    bool writes = strcmp(f->name, "pure") != 0;
    if ((g->pure && writes) || (!statement && f->result == NULL))
      continue;
    return f;
  }
  return NULL;
}

static inline ir_expr rg_expr(struct rg *g, uint32_t depth) {
  static const enum clew_op ops[] = {CLEW_OP_ADD,     CLEW_OP_SUB,     CLEW_OP_MUL, CLEW_OP_BIT_OR,
                                     CLEW_OP_BIT_AND, CLEW_OP_BIT_XOR, CLEW_OP_DIV, CLEW_OP_MOD,
                                     CLEW_OP_SHL,     CLEW_OP_SHR};
  uint32_t kind = depth == 0 || ++g->size > 4000 ? rg_below(g, 2) : rg_below(g, 11);
  switch (kind) {
  case 0:
    return rg_number(g);
  case 2:
  case 3:
  case 4: {
    enum clew_op op = ops[rg_below(g, rg_chance(g, 90) ? 6 : IR_COUNT(ops))];
    ir_expr a = rg_expr(g, depth - 1), b = rg_expr(g, depth - 1);
    if (op == CLEW_OP_MUL && rg_chance(g, 50)) /* what a front end does to bring into range */
      op = CLEW_OP_MOD, b = ir_num(g->p, 1 + rg_below(g, 5));
    return clew_expr_binary(g->p, op, a, b, rg_site(g, CLEW_SITE_OVERFLOW));
  }
  case 5:
    return clew_expr_unary(g->p, rg_chance(g, 50) ? CLEW_OP_NEG : CLEW_OP_BIT_NOT,
                           rg_load(g, depth - 1), rg_site(g, CLEW_SITE_OVERFLOW));
  case 6: {
    ir_expr a = rg_bool(g, depth - 1), b = rg_expr(g, depth - 1);
    return clew_expr_cond(g->p, a, b, rg_expr(g, depth - 1));
  }
  case 7: {
    const struct clew_type *type = ir_int(g->p, INT64_MIN + 1, INT64_MAX);
    uint32_t variable = clew_frame_add(g->frame, "let", type);
    ir_expr value = rg_fitting(g, type, depth - 1, false);
    uint32_t count = g->place_count;
    g->places[g->place_count++] = clew_place_frame(g->frame, variable);
    ir_expr body = rg_expr(g, depth - 1);
    g->place_count = count;
    return clew_expr_let(g->p, clew_place_frame(g->frame, variable).base, value, body);
  }
  case 8: {
    const struct clew_function *f = rg_callee(g, false);
    const struct clew_call *call = f == NULL ? NULL : rg_call(g, f, depth - 1);
    if (call != NULL)
      return clew_expr_call(g->p, call);
    return rg_load(g, depth - 1);
  }
  case 9:
    return rg_bool(g, depth - 1);
  default:
    return rg_load(g, depth == 0 ? 0 : depth - 1);
  }
}

/* A value that fits the type without a check. */
static inline ir_expr rg_fitting(struct rg *g, const struct clew_type *type, uint32_t depth,
                                 bool raw) {
  ir_place place;
  if (raw && type->undefinable && rg_chance(g, 6))
    return clew_expr_undefined(g->p);
  for (uint32_t tries = 0; tries < 6; tries++) {
    if (raw && type->undefinable && rg_chance(g, 30) && rg_place(g, depth, true, false, &place) &&
        place.type->domain->lo >= type->domain->lo && place.type->domain->hi <= type->domain->hi)
      return clew_expr_load_raw(g->p, place);
    ir_expr value = rg_expr(g, depth);
    if (value->lo >= type->domain->lo && value->hi <= type->domain->hi)
      return value;
  }
  return ir_num(g->p,
                type->domain->lo + (int64_t)rg_below(g, 2) * (type->domain->hi > type->domain->lo));
}

/* NULL when there is nothing to refer to. */
static inline const struct clew_call *rg_call(struct rg *g, const struct clew_function *function,
                                              uint32_t depth) {
  ir_expr values[4];
  ir_place refs[4];
  for (uint32_t i = 0; i < function->value_count; i++)
    values[i] = rg_fitting(g, function->frame->variables.data[i].type, depth, true);
  for (uint32_t i = 0; i < function->reference_count; i++) {
    bool found = false;
    for (uint32_t tries = 0; tries < 20 && !found; tries++)
      found = rg_alike(g, function->references[i].type, depth, g->pure, &refs[i]) &&
              rg_is_state(g, &refs[i]) == (function->references[i].space == CLEW_SPACE_STATE);
    if (!found)
      return NULL;
  }
  return ir_call(g->p, function, values, refs);
}

/* ---- Statements -------------------------------------------------------------------------------
 */

static inline struct clew_stmt *rg_list(struct rg *g, uint32_t depth);

static inline struct clew_stmt *rg_assign(struct rg *g, uint32_t depth) {
  ir_place place;
  if (!rg_place(g, depth, true, true, &place))
    return clew_stmt_new(g->p, CLEW_STMT_BLOCK);
  ir_expr value = rg_chance(g, 92)   ? rg_fitting(g, place.type, depth, true)
                  : rg_chance(g, 50) ? rg_number(g)
                                     : rg_expr(g, depth);
  return clew_stmt_assign(g->p, place, value, rg_site(g, CLEW_SITE_RANGE));
}

static inline struct clew_stmt *rg_block(struct rg *g, uint32_t depth) {
  ir_place to, from;
  if (!rg_place(g, depth, false, true, &to))
    return rg_assign(g, depth);
  if (to.type->kind == CLEW_TYPE_BAG && rg_chance(g, 70)) {
    if (rg_chance(g, 40)) {
      const struct clew_type *index = ir_int(g->p, 0, to.type->count - 1);
      return ir_bag_remove(g->p, to, rg_fitting(g, index, depth, false));
    }
    if (to.type->element->cells > 0 && rg_alike(g, to.type->element, depth, false, &from)) {
      struct clew_stmt *stmt = ir_bag_add(g->p, to, from);
      stmt->site = rg_site(g, CLEW_SITE_CAPACITY);
      return stmt;
    }
  }
  if (rg_chance(g, 60) && rg_alike(g, to.type, depth, false, &from))
    return ir_copy(g->p, to, from);
  return ir_on_place(g->p, rg_chance(g, 85) ? CLEW_STMT_CLEAR : CLEW_STMT_UNDEFINE, to);
}

static inline struct clew_stmt *rg_switch(struct rg *g, uint32_t depth) {
  struct clew_stmt *stmt = ir_on_value(g->p, CLEW_STMT_SWITCH, rg_expr(g, depth));
  uint32_t count = rg_below(g, 4);
  struct clew_case *cases = CLEW_NEW_ARRAY(g->p->arena, struct clew_case, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    int64_t values[] = {2 * (int64_t)i - 2, 2 * (int64_t)i - 1};
    cases[i] = (struct clew_case){.values = clew_arena_copy(g->p->arena, values, 2, sizeof *values),
                                  .value_count = 1 + rg_below(g, 2),
                                  .body = rg_list(g, depth - 1)};
  }
  stmt->cases = cases;
  stmt->case_count = count;
  stmt->otherwise = rg_chance(g, 50) ? rg_list(g, depth - 1) : NULL;
  return stmt;
}

static inline struct clew_stmt *rg_for(struct rg *g, uint32_t depth) {
  uint32_t variable = clew_frame_add(g->frame, "i", ir_int(g->p, INT64_MIN + 1, INT64_MAX));
  ir_place place = clew_place_frame(g->frame, variable);
  static const int64_t steps[] = {1, 1, 1, 2, -1};
  int64_t step = steps[rg_below(g, 5)];
  const struct clew_type *small = ir_int(g->p, -2, 4);
  ir_expr from = rg_fitting(g, small, depth - 1, false),
          to = rg_fitting(g, small, depth - 1, false);
  uint32_t count = g->place_count;
  g->places[g->place_count++] = place;
  struct clew_stmt *body = rg_list(g, depth - 1);
  g->place_count = count;
  struct clew_stmt *loop = ir_for(g->p, place, from, to, step, body);
  loop->exhaustive = rg_chance(g, 25);
  return loop;
}

static inline struct clew_stmt *rg_return(struct rg *g, uint32_t depth) {
  ir_expr value = NULL;
  if (g->function != NULL && g->function->result != NULL)
    value = rg_fitting(g, g->function->result, depth, false);
  return ir_on_value(g->p, CLEW_STMT_RETURN, value);
}

static inline struct clew_stmt *rg_stmt(struct rg *g, uint32_t depth) {
  switch (depth == 0 || ++g->size > 4000 ? rg_below(g, 6) : rg_below(g, 20)) {
  case 0:
  case 1:
  case 2:
    return rg_assign(g, 1 + rg_below(g, 3));
  case 3:
  case 4:
  case 5:
    return rg_block(g, 1 + rg_below(g, 2));
  case 6:
  case 7:
  case 8:
    return ir_if(g->p, rg_bool(g, 2), rg_list(g, depth - 1),
                 rg_chance(g, 50) ? rg_list(g, depth - 1) : NULL);
  case 9:
    return rg_switch(g, depth);
  case 10:
    return rg_for(g, depth);
  case 11: {
    struct clew_stmt *body = rg_list(g, depth - 1);
    struct clew_stmt *loop = ir_while(g->p, rg_bool(g, 2), 2 + rg_below(g, 40), body);
    loop->site = rg_site(g, CLEW_SITE_LOOP);
    return loop;
  }
  case 12:
  case 13: {
    const struct clew_function *f = rg_callee(g, true);
    const struct clew_call *call = f == NULL ? NULL : rg_call(g, f, 2);
    return call == NULL ? rg_assign(g, 2) : ir_call_stmt(g->p, call);
  }
  case 14:
    return rg_chance(g, 30) ? rg_return(g, 2) : rg_assign(g, 2);
  case 15: {
    struct clew_stmt *stmt = ir_on_value(g->p, CLEW_STMT_ASSERT, rg_bool(g, 2));
    stmt->site = rg_site(g, CLEW_SITE_ASSERTION);
    return rg_chance(g, 10) ? stmt : rg_assign(g, 2);
  }
  case 16:
    return rg_chance(g, 20) ? ir_on_value(g->p, CLEW_STMT_ASSUME, rg_bool(g, 2)) : rg_assign(g, 2);
  case 17:
    return ir_cover(g->p, rg_bool(g, 2));
  default:
    return rg_block(g, 2);
  }
}

static inline struct clew_stmt *rg_list(struct rg *g, uint32_t depth) {
  struct clew_list list = {0};
  for (uint32_t i = 0, count = 1 + rg_below(g, 2); i < count; i++)
    clew_list_add(&list, rg_stmt(g, depth));
  return list.first;
}

/* ---- Programs ---------------------------------------------------------------------------------
 */

/* Locals, and statements that initialise them. */
static inline void rg_locals(struct rg *g, struct clew_list *list) {
  for (uint32_t i = 0, count = rg_below(g, 4); i < count; i++) {
    const struct clew_type *type =
        rg_chance(g, 40) ? g->places[rg_below(g, 4)].type : rg_type(g, 2);
    ir_place place = ir_local(g->frame, "local", type);
    g->places[g->place_count++] = place;
    if (type->cells > 0)
      clew_list_add(
          list, ir_on_place(g->p, rg_chance(g, 50) ? CLEW_STMT_CLEAR : CLEW_STMT_UNDEFINE, place));
  }
}

static inline const struct clew_stmt *rg_body(struct rg *g, uint32_t depth) {
  struct clew_list list = {0};
  uint32_t count = g->place_count;
  rg_locals(g, &list);
  for (uint32_t i = 0, n = 1 + rg_below(g, 6); i < n; i++)
    clew_list_add(&list, rg_stmt(g, depth));
  g->place_count = count;
  return list.first;
}

static inline void rg_function(struct rg *g, bool pure, bool recursive) {
  const struct clew_type *values[2];
  struct clew_reference references[2];
  uint32_t value_count = rg_below(g, 3), reference_count = rg_below(g, 3);
  for (uint32_t i = 0; i < value_count; i++)
    values[i] = rg_scalar(g);
  for (uint32_t i = 0; i < reference_count; i++) {
    ir_place model;
    if (!rg_place(g, 0, rg_chance(g, 40), false, &model))
      model = g->places[0];
    references[i] = (struct clew_reference){
        "r", rg_chance(g, 60) ? CLEW_SPACE_STATE : CLEW_SPACE_FRAME, model.type};
  }
  struct clew_function *f = ir_function(
      g->p, pure ? "pure" : "free", pure || rg_chance(g, 60) ? rg_scalar(g) : NULL, values,
      value_count, clew_arena_copy(g->p->arena, references, reference_count, sizeof *references),
      reference_count);
  uint32_t count = g->place_count;
  g->function = f;
  g->frame = f->frame;
  g->pure = pure;
  for (uint32_t i = 0; i < value_count; i++)
    g->places[g->place_count++] = clew_place_frame(f->frame, i);
  for (uint32_t i = 0; i < reference_count; i++)
    g->places[g->place_count++] = clew_place_ref(f, i);
  if (recursive)
    g->functions[g->function_count++] = f;
  f->body = rg_body(g, 2);
  if (!recursive)
    g->functions[g->function_count++] = f;
  g->place_count = count;
  g->function = NULL;
  g->pure = false;
}

static inline ir_expr rg_guard(struct rg *g, ir_place pivot) {
  g->pure = true;
  ir_expr guard = rg_bool(g, 3);
  if (pivot.type != NULL && rg_chance(g, 80)) {
    ir_expr first = clew_expr_binary(
        g->p, CLEW_OP_EQ, clew_expr_load(g->p, pivot, rg_site(g, CLEW_SITE_UNDEFINED)),
        ir_num(g->p, pivot.type->domain->lo + (int64_t)rg_below(g, 3)), CLEW_NONE);
    guard = rg_chance(g, 40) ? first : clew_expr_binary(g->p, CLEW_OP_AND, first, guard, CLEW_NONE);
  }
  g->pure = false;
  return rg_chance(g, 90) ? guard : NULL;
}

static inline void rg_family(struct rg *g, bool start) {
  struct clew_rule rules[4];
  struct clew_parameter parameters[3];
  uint32_t rule_count = 1 + rg_below(g, 4), parameter_count = rg_below(g, 4);
  uint32_t count = g->place_count;
  g->frame = clew_program_add_frame(g->p);
  for (uint32_t i = 0; i < parameter_count; i++) {
    int64_t lo = (int64_t)rg_below(g, 3) - 1;
    g->places[g->place_count++] = ir_parameter(
        g->p, g->frame, "p", ir_range(g->p, lo, lo + (int64_t)rg_below(g, 3)), &parameters[i]);
  }
  ir_place pivot = g->places[rg_below(g, count)];
  while (rg_may_descend(pivot.type) && pivot.type->kind != CLEW_TYPE_BAG) {
    ir_expr index = parameter_count > 0 ? ir_load(g->p, g->places[count]) : ir_num(g->p, 0);
    pivot = pivot.type->kind == CLEW_TYPE_RECORD ? clew_place_field(pivot, 0)
                                                 : ir_at(g->p, pivot, index);
  }
  if (pivot.type->kind != CLEW_TYPE_SCALAR)
    pivot.type = NULL;
  for (uint32_t i = 0; i < rule_count; i++) {
    rules[i] = ir_rule("rule", start ? NULL : rg_guard(g, pivot), NULL);
    rules[i].body = rg_body(g, 3);
    rules[i].priority = !start && rg_chance(g, 3) ? (int32_t)rg_below(g, 3) - 1 : 0;
  }
  clew_program_add_family(g->p, start, g->frame, parameters, parameter_count, rules, rule_count);
  g->place_count = count;
}

static inline struct clew_program *ir_random_build(uint64_t seed) {
  struct rg g = {.p = clew_program_open("random", "test")};
  clew_random_seed(&g.random, seed);
  for (uint32_t i = 0, count = 4 + rg_below(&g, 6); i < count; i++) {
    const struct clew_type *type =
        i > 0 && rg_chance(&g, 30) ? g.places[rg_below(&g, g.place_count)].type : rg_type(&g, 3);
    g.places[g.place_count++] = ir_var(g.p, "v", type);
  }
  g.places[g.place_count++] = ir_var(g.p, "last", ir_maybe(g.p, 0, 3));
  for (uint32_t i = 0; i < RG_FUNCTIONS; i++)
    rg_function(&g, i < 2, i + 1 == RG_FUNCTIONS && rg_chance(&g, 50));
  ir_start(g.p, NULL, NULL);
  struct clew_list clear = {0};
  for (uint32_t i = 0; i < g.place_count; i++)
    if (g.places[i].type->cells > 0)
      clew_list_add(&clear, ir_on_place(g.p, CLEW_STMT_CLEAR, g.places[i]));
  ir_start(g.p, NULL, clear.first);
  rg_family(&g, true);
  for (uint32_t i = 0; i < 5; i++)
    rg_family(&g, false);
  for (uint32_t i = 0; i < 4; i++) {
    g.frame = clew_program_add_frame(g.p);
    g.pure = true;
    uint32_t label = ir_label(g.p, "label", g.frame, rg_bool(&g, 3));
    g.pure = false;
    ir_invariant(g.p, "invariant", label);
    if (rg_chance(&g, 10))
      clew_vec_push(&g.p->assumptions, label);
  }
  return ir_finish(g.p);
}

#endif
