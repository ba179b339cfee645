/* Constants: expressions that do not depend on the state, computed while the model is lowered.
 *
 * Expressions over constants fold when they are built. The rest, calls above all, is executed here,
 * on the code that the calls were lowered to: a small interpreter of the IR without a state. It
 * gives up where the code reads the state or faults, and after a number of steps. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "lang/uppaal/lower.h"

enum { MOST_STEPS = 10000000, MOST_DEPTH = 200 };

struct evaluation {
  uint64_t steps;
  uint32_t depth;
  bool failed;
  uint32_t site; /* of the run-time error that made it fail, or CLEW_NONE */
};

/* Where the cells of the current function are, and what its references refer to. */
struct activation {
  int64_t *cells;
  int64_t **refs;
  bool returned;
  int64_t result;
};

static int64_t eval(struct evaluation *e, struct activation *a, const struct clew_expr *expr);
static void run(struct evaluation *e, struct activation *a, const struct clew_stmt *list);

static int64_t fail_at(struct evaluation *e, uint32_t site) {
  e->site = e->failed ? e->site : site;
  e->failed = true;
  return 0;
}

static int64_t fail(struct evaluation *e) {
  return fail_at(e, CLEW_NONE);
}

static bool tick(struct evaluation *e) {
  e->failed = e->failed || ++e->steps > MOST_STEPS;
  return !e->failed;
}

/* The first cell that is denoted, or NULL. */
static int64_t *locate(struct evaluation *e, struct activation *a, const struct clew_place *place) {
  if (place->space == CLEW_SPACE_STATE) {
    e->failed = true;
    return NULL;
  }
  int64_t *cell = place->space == CLEW_SPACE_FRAME ? a->cells + place->base : a->refs[place->base];
  cell += place->offset;
  for (uint32_t i = 0; i < place->index_count; i++) {
    const struct clew_index *index = &place->indices[i];
    int64_t value = eval(e, a, index->value);
    if (value < index->lo || value - index->lo >= (int64_t)index->count) {
      fail_at(e, index->site);
      return NULL;
    }
    cell += (value - index->lo) * (int64_t)index->stride;
  }
  return e->failed ? NULL : cell;
}

/* ---- Expressions ---------------------------------------------------------------------------- */

static int64_t arithmetic(struct evaluation *e, enum clew_op op, int64_t a, int64_t b,
                          uint32_t site) {
  int64_t value = 0;
  switch (op) {
  case CLEW_OP_ADD:
    return __builtin_add_overflow(a, b, &value) ? fail_at(e, site) : value;
  case CLEW_OP_SUB:
    return __builtin_sub_overflow(a, b, &value) ? fail_at(e, site) : value;
  case CLEW_OP_MUL:
    return __builtin_mul_overflow(a, b, &value) ? fail_at(e, site) : value;
  case CLEW_OP_DIV:
    return b == 0 || (a == INT64_MIN && b == -1) ? fail_at(e, site) : a / b;
  case CLEW_OP_MOD:
    return b == 0 || (a == INT64_MIN && b == -1) ? fail_at(e, site) : a % b;
  case CLEW_OP_SHL:
    return b < 0 || b > 62 || __builtin_mul_overflow(a, INT64_C(1) << b, &value) ? fail_at(e, site)
                                                                                 : value;
  case CLEW_OP_SHR:
    return b < 0 || b > 63 ? fail_at(e, site) : a >> b;
  case CLEW_OP_BIT_AND:
    return a & b;
  case CLEW_OP_BIT_OR:
    return a | b;
  case CLEW_OP_BIT_XOR:
    return a ^ b;
  case CLEW_OP_EQ:
    return a == b;
  case CLEW_OP_NE:
    return a != b;
  case CLEW_OP_LT:
    return a < b;
  case CLEW_OP_LE:
    return a <= b;
  case CLEW_OP_GT:
    return a > b;
  case CLEW_OP_GE:
    return a >= b;
  default:
    return fail_at(e, site);
  }
}

static int64_t binary(struct evaluation *e, struct activation *a, const struct clew_expr *expr) {
  int64_t left = eval(e, a, expr->a);
  if (expr->op == CLEW_OP_AND) {
    return left != 0 && eval(e, a, expr->b) != 0;
  }
  if (expr->op == CLEW_OP_OR) {
    return left != 0 || eval(e, a, expr->b) != 0;
  }
  return arithmetic(e, expr->op, left, eval(e, a, expr->b), expr->site);
}

static int64_t quantify(struct evaluation *e, struct activation *a, const struct clew_expr *expr) {
  int64_t from = eval(e, a, expr->a), to = eval(e, a, expr->b), sum = 0;
  assert(expr->c->value == 1);
  for (int64_t i = from; i <= to && tick(e); i++) {
    a->cells[expr->cell] = i;
    int64_t value = eval(e, a, expr->d);
    if (expr->op == CLEW_OP_FORALL && value == 0) {
      return 0;
    }
    if (expr->op == CLEW_OP_EXISTS && value != 0) {
      return 1;
    }
    sum = arithmetic(e, CLEW_OP_ADD, sum, value, CLEW_NONE);
  }
  return expr->op == CLEW_OP_SUM ? sum : expr->op == CLEW_OP_FORALL;
}

static int64_t call(struct evaluation *e, struct activation *a, const struct clew_call *call) {
  const struct clew_function *function = call->function;
  if (e->depth == MOST_DEPTH || !tick(e)) {
    return fail(e);
  }
  e->depth++;
  struct activation inner = {
      .cells = clew_alloc_zero((size_t)function->frame->cells + 1, sizeof(int64_t)),
      .refs = clew_alloc_zero((size_t)function->reference_count + 1, sizeof(int64_t *))};
  for (uint32_t i = 0; i < function->value_count; i++) {
    inner.cells[function->frame->variables.data[i].cell] = eval(e, a, call->values[i]);
  }
  for (uint32_t i = 0; i < function->reference_count; i++) {
    inner.refs[i] = locate(e, a, &call->refs[i]);
  }
  if (!e->failed) {
    run(e, &inner, function->body);
  }
  if (function->result != NULL && !inner.returned) {
    fail_at(e, function->no_result_site);
  }
  clew_free(inner.cells);
  clew_free(inner.refs);
  e->depth--;
  return inner.result;
}

static int64_t equal(struct evaluation *e, struct activation *a, const struct clew_expr *expr) {
  const int64_t *x = locate(e, a, &expr->place), *y = locate(e, a, &expr->place2);
  return !e->failed && memcmp(x, y, expr->place.type->cells * sizeof *x) == 0;
}

static int64_t eval(struct evaluation *e, struct activation *a, const struct clew_expr *expr) {
  if (!tick(e)) {
    return 0;
  }
  switch (expr->kind) {
  case CLEW_EXPR_CONST:
    return expr->value;
  case CLEW_EXPR_LOAD: {
    const int64_t *cell = locate(e, a, &expr->place);
    return cell != NULL ? *cell : 0;
  }
  case CLEW_EXPR_UNARY: {
    int64_t value = eval(e, a, expr->a);
    return expr->op == CLEW_OP_NOT       ? value == 0
           : expr->op == CLEW_OP_BIT_NOT ? ~value
                                         : arithmetic(e, CLEW_OP_SUB, 0, value, expr->site);
  }
  case CLEW_EXPR_BINARY:
    return binary(e, a, expr);
  case CLEW_EXPR_COND:
    return eval(e, a, eval(e, a, expr->a) != 0 ? expr->b : expr->c);
  case CLEW_EXPR_QUANTIFY:
    return quantify(e, a, expr);
  case CLEW_EXPR_LET:
    a->cells[expr->cell] = eval(e, a, expr->a);
    return eval(e, a, expr->b);
  case CLEW_EXPR_CALL:
    return call(e, a, expr->call);
  case CLEW_EXPR_EQUAL:
    return equal(e, a, expr);
  case CLEW_EXPR_LOAD_RAW:
  case CLEW_EXPR_UNDEFINED:
  case CLEW_EXPR_IS_UNDEFINED:
    break;
  }
  return fail(e);
}

/* ---- Statements ----------------------------------------------------------------------------- */

static void assign(struct evaluation *e, struct activation *a, const struct clew_stmt *stmt) {
  int64_t value = eval(e, a, stmt->value);
  int64_t *cell = locate(e, a, &stmt->place);
  const struct clew_domain *domain = stmt->place.type->domain;
  if (value < domain->lo || value > domain->hi) {
    fail_at(e, stmt->site);
  }
  if (!e->failed) {
    *cell = value;
  }
}

static void copy(struct evaluation *e, struct activation *a, const struct clew_stmt *stmt) {
  const int64_t *from = locate(e, a, &stmt->place2);
  int64_t *to = locate(e, a, &stmt->place);
  if (!e->failed) {
    memmove(to, from, stmt->place.type->cells * sizeof *to);
  }
}

static void run_for(struct evaluation *e, struct activation *a, const struct clew_stmt *stmt) {
  int64_t from = eval(e, a, stmt->value), to = eval(e, a, stmt->value2);
  assert(stmt->step == 1);
  for (int64_t i = from; i <= to && !a->returned && tick(e); i++) {
    a->cells[stmt->cell] = i;
    run(e, a, stmt->body);
  }
}

static void run_switch(struct evaluation *e, struct activation *a, const struct clew_stmt *stmt) {
  int64_t value = eval(e, a, stmt->value);
  for (uint32_t i = 0; i < stmt->case_count; i++) {
    for (uint32_t j = 0; j < stmt->cases[i].value_count; j++) {
      if (stmt->cases[i].values[j] == value) {
        run(e, a, stmt->cases[i].body);
        return;
      }
    }
  }
  run(e, a, stmt->otherwise);
}

static void run_one(struct evaluation *e, struct activation *a, const struct clew_stmt *stmt) {
  switch (stmt->kind) {
  case CLEW_STMT_BLOCK:
    run(e, a, stmt->body);
    return;
  case CLEW_STMT_ASSIGN:
    assign(e, a, stmt);
    return;
  case CLEW_STMT_COPY:
    copy(e, a, stmt);
    return;
  case CLEW_STMT_IF:
    run(e, a, eval(e, a, stmt->value) != 0 ? stmt->body : stmt->otherwise);
    return;
  case CLEW_STMT_SWITCH:
    run_switch(e, a, stmt);
    return;
  case CLEW_STMT_FOR:
    run_for(e, a, stmt);
    return;
  case CLEW_STMT_WHILE:
    while (!a->returned && tick(e) && eval(e, a, stmt->value) != 0) {
      run(e, a, stmt->body);
    }
    return;
  case CLEW_STMT_CALL:
    call(e, a, stmt->call);
    return;
  case CLEW_STMT_RETURN:
    a->result = stmt->value != NULL ? eval(e, a, stmt->value) : 0;
    a->returned = true;
    return;
  case CLEW_STMT_ASSERT:
    if (eval(e, a, stmt->value) == 0) {
      fail_at(e, stmt->site);
    }
    return;
  default:
    e->failed = true;
  }
}

static void run(struct evaluation *e, struct activation *a, const struct clew_stmt *list) {
  for (; list != NULL && !a->returned && tick(e); list = list->next) {
    run_one(e, a, list);
  }
}

/* ---- Constants ------------------------------------------------------------------------------ */

/* False: it cannot be computed; *site is the run-time error that forbids it, or CLEW_NONE. */
static bool evaluate(const struct uppaal_lowering *l, const struct clew_expr *expr, int64_t *value,
                     uint32_t *site) {
  *value = expr->value;
  if (expr->kind == CLEW_EXPR_CONST) {
    return true;
  }
  struct evaluation e = {.site = CLEW_NONE};
  uint32_t cells = l->frame != NULL ? l->frame->cells : 0;
  struct activation a = {.cells = clew_alloc_zero((size_t)cells + 1, sizeof(int64_t))};
  *value = eval(&e, &a, expr);
  clew_free(a.cells);
  *site = e.site;
  return !e.failed;
}

/* Lowers in a frame of its own, in which nothing can have an effect. */
static struct uppaal_value lower_apart(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                                       struct clew_frame **frame) {
  struct uppaal_lowering saved = *l;
  l->frame = *frame = clew_program_add_frame(l->program);
  l->out = NULL;
  l->use = UPPAAL_USE_CODE;
  struct uppaal_value value = clew_uppaal_lower_value(l, expr);
  l->frame = saved.frame;
  l->out = saved.out;
  l->use = saved.use;
  return value;
}

static void fail_constant(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                          uint32_t site) {
  const char *text = clew_front_excerpt(l->front, expr->span);
  if (site != CLEW_NONE) {
    clew_uppaal_fail(l, expr->span, "\"%s\" cannot be computed: %s", text,
                     l->program->sites.data[site].message);
    return;
  }
  clew_uppaal_fail(l, expr->span, "\"%s\" is not constant, or cannot be computed", text);
}

/* A number of `expr`, whose lowering is left in a frame; says so if it is no constant. */
static bool evaluate_in(struct uppaal_lowering *l, struct clew_frame *frame,
                        const struct clew_expr *number, const struct uppaal_expr *expr,
                        int64_t *value) {
  struct clew_frame *saved = l->frame;
  uint32_t site;
  l->frame = frame;
  bool ok = evaluate(l, number, value, &site);
  l->frame = saved;
  if (!ok) {
    fail_constant(l, expr, site);
  }
  return ok;
}

bool clew_uppaal_constant(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                          int64_t *value) {
  return clew_uppaal_constant_of(l, expr, &clew_uppaal_int, value);
}

bool clew_uppaal_constant_of(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                             const struct uppaal_shape *type, int64_t *value) {
  struct clew_frame *frame;
  *value = 0;
  struct uppaal_value lowered = lower_apart(l, expr, &frame);
  if (lowered.kind == UPPAAL_VALUE_WRONG) {
    return false;
  }
  const struct clew_expr *number = clew_uppaal_single_of(l, &lowered, type, expr->span);
  if (!clew_front_ok(l->front)) {
    return false;
  }
  return evaluate_in(l, frame, number, expr, value);
}

/* ---- Initialisers --------------------------------------------------------------------------- */

static void init_number(struct uppaal_lowering *l, const struct uppaal_shape *type,
                        const struct uppaal_expr *value, int64_t *cell) {
  int64_t number;
  if (!clew_uppaal_constant_of(l, value, type, &number)) {
    return;
  }
  if (type->kind == UPPAAL_BOOL) {
    number = number != 0;
  } else if (type->kind == UPPAAL_INT && !(type->is_default && l->in_constant) &&
             (number < type->lo || number > type->hi)) {
    clew_uppaal_fail(l, value->span, "the initial value %lld is out of the range %lld .. %lld",
                     (long long)number, (long long)type->lo, (long long)type->hi);
    number = type->lo;
  } else if (type->kind == UPPAAL_CLOCK && number < 0) {
    clew_uppaal_fail(l, value->span, "a clock cannot be negative");
    number = 0;
  }
  *cell = number;
}

static void init_array(struct uppaal_lowering *l, const struct uppaal_shape *type,
                       const struct uppaal_expr *value, int64_t *cells) {
  int64_t count = type->hi - type->lo + 1;
  if (value->arg_count != count) {
    clew_uppaal_fail(l, value->span, "this array has %lld elements, not %u", (long long)count,
                     value->arg_count);
    return;
  }
  for (uint32_t i = 0; i < value->arg_count; i++) {
    clew_uppaal_initial_cells(l, type->element, value->args[i],
                              cells + (size_t)i * type->element->cells);
  }
}

static void init_struct(struct uppaal_lowering *l, const struct uppaal_shape *type,
                        const struct uppaal_expr *value, int64_t *cells) {
  if (value->arg_count != type->field_count) {
    clew_uppaal_fail(l, value->span, "this struct has %u fields, not %u", type->field_count,
                     value->arg_count);
    return;
  }
  for (uint32_t i = 0; i < value->arg_count; i++) {
    uint32_t at = i;
    if (value->fields[i].name != NULL) {
      for (at = 0; at < type->field_count && type->fields[at].name != value->fields[i].name;) {
        at++;
      }
    }
    if (at == type->field_count) {
      clew_uppaal_fail(l, value->fields[i].span, "there is no field '%s'",
                       value->fields[i].name->id.text);
      return;
    }
    clew_uppaal_initial_cells(l, type->fields[at].type, value->args[i],
                              cells + type->fields[at].offset);
  }
}

/* An array or struct that is given as a whole: another constant, or a call. */
static void init_whole(struct uppaal_lowering *l, const struct uppaal_shape *type,
                       const struct uppaal_expr *value, int64_t *cells) {
  struct clew_frame *frame;
  struct uppaal_value lowered = lower_apart(l, value, &frame);
  if (lowered.kind == UPPAAL_VALUE_WRONG) {
    return;
  }
  if (!clew_uppaal_shape_matches(type, lowered.type)) {
    clew_uppaal_fail(l, value->span, "the initial value has another type");
    return;
  }
  for (uint32_t i = 0; i < type->cells && clew_front_ok(l->front); i++) {
    (void)evaluate_in(l, frame, clew_uppaal_cell_of(l, &lowered, i), value, &cells[i]);
  }
}

void clew_uppaal_initial_cells(struct uppaal_lowering *l, const struct uppaal_shape *type,
                               const struct uppaal_expr *value, int64_t *cells) {
  if (value == NULL) {
    for (uint32_t i = 0; i < type->cells; i++) {
      const struct uppaal_shape *cell = clew_uppaal_shape_cell(type, i);
      bool is_range = cell->kind == UPPAAL_INT || cell->kind == UPPAAL_SCALAR;
      bool has_zero = !is_range || (cell->lo <= 0 && cell->hi >= 0);
      cells[i] = has_zero ? 0 : cell->lo;
    }
  } else if (type->kind == UPPAAL_WRONG) {
    return;
  } else if (type->kind != UPPAAL_ARRAY && type->kind != UPPAAL_STRUCT) {
    if (value->kind == UPPAAL_EXPR_LIST) {
      clew_uppaal_fail(l, value->span, "this is a single value, not a list");
      return;
    }
    init_number(l, type, value, cells);
  } else if (value->kind != UPPAAL_EXPR_LIST) {
    init_whole(l, type, value, cells);
  } else if (type->kind == UPPAAL_ARRAY) {
    init_array(l, type, value, cells);
  } else {
    init_struct(l, type, value, cells);
  }
}
