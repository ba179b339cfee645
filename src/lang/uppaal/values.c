/* Which values variables really take: an abstract interpretation of the whole program by intervals,
 * which does not ask in which order things happen.
 *
 * Limits of zones are as good as the ranges of the bounds that clocks are compared with. A bound
 * that is a variable of type int, without a range, could be anything up to 32767, but most such
 * variables are only ever assigned a few constants. An interval is *empty* as long as nothing was
 * found to be assigned. One that grows again and again is widened to all values of its type. */
#include <assert.h>
#include <string.h>

#include "lang/uppaal/bounds.h"
#include "lang/uppaal/lower.h"

enum { PATIENCE = 6, MOST_DEPTH = 200 }; /* rounds before intervals are widened */

struct interval {
  int64_t lo, hi; /* lo > hi: empty */
};

/* The cells of the state (frame NULL) or of a frame. */
struct cells {
  const struct clew_frame *frame;
  struct interval *data;
  const struct clew_type **types;
  uint32_t count;
};

struct uppaal_values {
  const struct clew_program *program;
  struct clew_arena *arena;
  struct cells state;
  struct cells *frames; /* a hash table by address */
  uint32_t frame_mask;
  struct interval *results; /* of functions */
  uint32_t round;
  bool changed;
  bool gave_up; /* something is nested too deeply: nothing is known */
};

static const struct interval empty = {1, 0};

static bool is_empty(struct interval a) {
  return a.lo > a.hi;
}

static struct interval hull(struct interval a, struct interval b) {
  if (is_empty(a) || is_empty(b)) {
    return is_empty(a) ? b : a;
  }
  return (struct interval){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

static struct interval common(struct interval a, struct interval b) {
  return (struct interval){a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}

/* ---- Cells ---------------------------------------------------------------------------------- */

static void open_cells(struct uppaal_values *v, struct cells *cells, const struct clew_frame *frame,
                       const struct clew_variable *variables, uint32_t variable_count) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < variable_count; i++) {
    count += variables[i].type->cells;
  }
  cells->frame = frame;
  cells->count = count;
  cells->data = CLEW_NEW_ARRAY(v->arena, struct interval, count + 1);
  cells->types = CLEW_NEW_ARRAY(v->arena, const struct clew_type *, count + 1);
  for (uint32_t i = 0; i < variable_count; i++) {
    for (uint32_t k = 0; k < variables[i].type->cells; k++) {
      cells->types[variables[i].cell + k] = clew_type_cell(variables[i].type, k);
      cells->data[variables[i].cell + k] = empty;
    }
  }
}

/* The place of a frame in the table. */
static struct cells *cells_of(struct uppaal_values *v, const struct clew_frame *frame) {
  uint32_t at = (uint32_t)((uintptr_t)frame / sizeof(void *) * 2654435761U) & v->frame_mask;
  if (frame == NULL) {
    return NULL;
  }
  while (v->frames[at].frame != NULL && v->frames[at].frame != frame) {
    at = (at + 1) & v->frame_mask;
  }
  return &v->frames[at];
}

static struct interval domain_of(const struct clew_type *type) {
  return (struct interval){type->domain->lo, type->domain->hi};
}

/* A value outside of `all` is a run-time error: no state has it. */
static void grow(struct uppaal_values *v, struct interval *at, struct interval all,
                 struct interval by) {
  by = common(by, all);
  struct interval now = hull(*at, by);
  if (is_empty(by) || (now.lo == at->lo && now.hi == at->hi)) {
    return;
  }
  if (v->round > PATIENCE && !is_empty(*at)) {
    now.lo = now.lo < at->lo ? all.lo : now.lo;
    now.hi = now.hi > at->hi ? all.hi : now.hi;
  }
  *at = now;
  v->changed = true;
}

static struct interval eval(struct uppaal_values *v, struct cells *frame,
                            const struct clew_expr *expr, uint32_t depth);

/* The cells that a place can denote: from *first on, `count` of them. False: behind a reference. */
static bool find_cells(struct uppaal_values *v, struct cells *frame, const struct clew_place *place,
                       uint32_t depth, struct cells **cells, uint32_t *first, uint32_t *count) {
  for (uint32_t i = 0; i < place->index_count; i++) {
    (void)eval(v, frame, place->indices[i].value, depth);
  }
  if (place->space == CLEW_SPACE_REF || (place->space == CLEW_SPACE_FRAME && frame == NULL)) {
    return false;
  }
  *cells = place->space == CLEW_SPACE_STATE ? &v->state : frame;
  *first = place->base + place->offset;
  *count = place->type->cells;
  for (uint32_t i = 0; i < place->index_count; i++) {
    *count += (place->indices[i].count - 1) * place->indices[i].stride;
  }
  return *first + *count <= (*cells)->count;
}

static void assign_all(struct uppaal_values *v, struct cells *cells, uint32_t first, uint32_t count,
                       struct interval by) {
  for (uint32_t i = first; i < first + count; i++) {
    grow(v, &cells->data[i], domain_of(cells->types[i]), by);
  }
}

/* ---- Expressions ---------------------------------------------------------------------------- */

static struct interval load(struct uppaal_values *v, struct cells *frame,
                            const struct clew_expr *expr, uint32_t depth) {
  struct cells *cells;
  uint32_t first, count;
  struct interval all = {expr->lo, expr->hi}, found = empty;
  if (!find_cells(v, frame, &expr->place, depth, &cells, &first, &count)) {
    return all;
  }
  for (uint32_t i = first; i < first + count; i++) {
    found = hull(found, cells->data[i]);
  }
  return common(found, all);
}

static bool is_small(struct interval a) {
  return a.lo >= INT32_MIN && a.hi <= INT32_MAX;
}

static struct interval multiplied(struct interval a, struct interval b) {
  int64_t corners[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  struct interval result = {corners[0], corners[0]};
  for (int i = 1; i < 4; i++) {
    struct interval corner = {corners[i], corners[i]};
    result = hull(result, corner);
  }
  return result;
}

static struct interval binary(struct uppaal_values *v, struct cells *frame,
                              const struct clew_expr *expr, uint32_t depth) {
  struct interval all = {expr->lo, expr->hi};
  struct interval a = eval(v, frame, expr->a, depth), b = eval(v, frame, expr->b, depth);
  int64_t most;
  if (is_empty(a) || is_empty(b)) {
    return empty;
  }
  if (!is_small(a) || !is_small(b)) {
    return all;
  }
  switch (expr->op) {
  case CLEW_OP_ADD:
    return common((struct interval){a.lo + b.lo, a.hi + b.hi}, all);
  case CLEW_OP_SUB:
    return common((struct interval){a.lo - b.hi, a.hi - b.lo}, all);
  case CLEW_OP_MUL:
    return common(multiplied(a, b), all);
  case CLEW_OP_DIV: /* it does not get greater */
    most = a.hi > -a.lo ? a.hi : -a.lo;
    return common((struct interval){a.lo >= 0 && b.lo >= 0 ? 0 : -most, most}, all);
  default:
    return all;
  }
}

/* The statements of functions are visited like those of rules; here only the values go in. */
static struct interval call(struct uppaal_values *v, struct cells *frame,
                            const struct clew_call *call, uint32_t depth) {
  struct cells *inner = cells_of(v, call->function->frame);
  for (uint32_t i = 0; i < call->function->value_count; i++) {
    struct interval value = eval(v, frame, call->values[i], depth);
    if (inner != NULL && i < inner->count) {
      grow(v, &inner->data[i], domain_of(inner->types[i]), value);
    }
  }
  /* Nobody follows references: what is behind one may become anything. */
  for (uint32_t i = 0; i < call->function->reference_count; i++) {
    struct cells *cells;
    uint32_t first, count;
    if (find_cells(v, frame, &call->refs[i], depth, &cells, &first, &count)) {
      for (uint32_t k = first; k < first + count; k++) {
        grow(v, &cells->data[k], domain_of(cells->types[k]), domain_of(cells->types[k]));
      }
    }
  }
  return v->results[call->function->index];
}

/* a ? b : c, where a <= b ? a : b and a >= b ? a : b are minimum and maximum. */
static struct interval chosen(const struct clew_expr *expr, struct interval a, struct interval b) {
  const struct clew_expr *test = expr->a;
  bool is_either = test->kind == CLEW_EXPR_BINARY && test->a == expr->b && test->b == expr->c;
  if (is_either && !is_empty(a) && !is_empty(b) && test->op == CLEW_OP_LE) {
    return (struct interval){a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
  }
  if (is_either && !is_empty(a) && !is_empty(b) && test->op == CLEW_OP_GE) {
    return (struct interval){a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
  }
  return hull(a, b);
}

static struct interval eval(struct uppaal_values *v, struct cells *frame,
                            const struct clew_expr *expr, uint32_t depth) {
  struct interval all = {expr->lo, expr->hi}, a, b;
  struct cells *cells;
  uint32_t first, count;
  if (depth == MOST_DEPTH) {
    v->gave_up = true;
    return all;
  }
  depth++;
  switch (expr->kind) {
  case CLEW_EXPR_CONST:
    return all;
  case CLEW_EXPR_LOAD:
  case CLEW_EXPR_LOAD_RAW:
    return load(v, frame, expr, depth);
  case CLEW_EXPR_UNARY:
    a = eval(v, frame, expr->a, depth);
    return expr->op != CLEW_OP_NEG || !is_small(a) ? all
           : is_empty(a)                           ? empty
                                                   : (struct interval){-a.hi, -a.lo};
  case CLEW_EXPR_BINARY:
    return binary(v, frame, expr, depth);
  case CLEW_EXPR_COND:
    (void)eval(v, frame, expr->a, depth);
    a = eval(v, frame, expr->b, depth);
    b = eval(v, frame, expr->c, depth);
    return common(chosen(expr, a, b), all);
  case CLEW_EXPR_QUANTIFY:
    a = hull(eval(v, frame, expr->a, depth), eval(v, frame, expr->b, depth));
    if (frame != NULL && expr->cell < frame->count) {
      grow(v, &frame->data[expr->cell], domain_of(frame->types[expr->cell]), a);
    }
    (void)eval(v, frame, expr->d, depth);
    return all;
  case CLEW_EXPR_LET:
    a = eval(v, frame, expr->a, depth);
    if (frame != NULL && expr->cell < frame->count) {
      grow(v, &frame->data[expr->cell], domain_of(frame->types[expr->cell]), a);
    }
    return common(eval(v, frame, expr->b, depth), all);
  case CLEW_EXPR_EQUAL:
    (void)find_cells(v, frame, &expr->place, depth, &cells, &first, &count);
    (void)find_cells(v, frame, &expr->place2, depth, &cells, &first, &count);
    return all;
  case CLEW_EXPR_CALL:
    return common(call(v, frame, expr->call, depth), all);
  default:
    return all;
  }
}

/* ---- Statements ----------------------------------------------------------------------------- */

/* Where statements are: a rule, or a function, whose results are collected. */
struct context {
  struct cells *frame;
  const struct clew_function *function;
};

static void visit(struct uppaal_values *v, const struct context *context,
                  const struct clew_stmt *list, uint32_t depth);

static struct interval cells_hull(const struct cells *cells, uint32_t first, uint32_t count) {
  struct interval found = empty;
  for (uint32_t i = first; i < first + count; i++) {
    found = hull(found, cells->data[i]);
  }
  return found;
}

static void visit_copy(struct uppaal_values *v, const struct context *context,
                       const struct clew_stmt *stmt) {
  struct cells *to, *from;
  uint32_t to_first, to_count, from_first, from_count;
  bool knows = find_cells(v, context->frame, &stmt->place2, 0, &from, &from_first, &from_count);
  if (!find_cells(v, context->frame, &stmt->place, 0, &to, &to_first, &to_count)) {
    return;
  }
  for (uint32_t i = 0; i < to_count; i++) {
    struct interval all = domain_of(to->types[to_first + i]);
    grow(v, &to->data[to_first + i], all, knows ? cells_hull(from, from_first, from_count) : all);
  }
}

static void visit_assign(struct uppaal_values *v, const struct context *context,
                         const struct clew_stmt *stmt) {
  struct cells *cells;
  uint32_t first, count;
  struct interval value = eval(v, context->frame, stmt->value, 0);
  if (stmt->value->kind != CLEW_EXPR_UNDEFINED &&
      find_cells(v, context->frame, &stmt->place, 0, &cells, &first, &count)) {
    assign_all(v, cells, first, count, value);
  }
}

static void visit_for(struct uppaal_values *v, const struct context *context,
                      const struct clew_stmt *stmt, uint32_t depth) {
  struct interval range =
      hull(eval(v, context->frame, stmt->value, 0), eval(v, context->frame, stmt->value2, 0));
  assign_all(v, context->frame, stmt->cell, 1, range);
  visit(v, context, stmt->body, depth);
}

static void visit_one(struct uppaal_values *v, const struct context *context,
                      const struct clew_stmt *stmt, uint32_t depth) {
  struct interval value = empty;
  switch (stmt->kind) {
  case CLEW_STMT_ASSIGN:
    visit_assign(v, context, stmt);
    return;
  case CLEW_STMT_COPY:
    visit_copy(v, context, stmt);
    return;
  case CLEW_STMT_FOR:
    visit_for(v, context, stmt, depth);
    return;
  case CLEW_STMT_CALL:
    (void)call(v, context->frame, stmt->call, 0);
    return;
  case CLEW_STMT_RETURN:
    value = stmt->value != NULL ? eval(v, context->frame, stmt->value, 0) : empty;
    if (context->function != NULL && context->function->result != NULL) {
      grow(v, &v->results[context->function->index], domain_of(context->function->result), value);
    }
    return;
  default:
    if (stmt->value != NULL) {
      (void)eval(v, context->frame, stmt->value, 0);
    }
    visit(v, context, stmt->body, depth);
    visit(v, context, stmt->otherwise, depth);
    for (uint32_t i = 0; i < stmt->case_count; i++) {
      visit(v, context, stmt->cases[i].body, depth);
    }
  }
}

static void visit(struct uppaal_values *v, const struct context *context,
                  const struct clew_stmt *list, uint32_t depth) {
  if (depth == MOST_DEPTH) {
    v->gave_up = true;
    return;
  }
  for (; list != NULL; list = list->next) {
    visit_one(v, context, list, depth + 1);
  }
}

/* ---- The program ---------------------------------------------------------------------------- */

static void visit_families(struct uppaal_values *v, struct clew_family *const *families,
                           uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const struct clew_family *family = families[i];
    struct context context = {cells_of(v, family->frame), NULL};
    for (uint32_t k = 0; k < family->parameter_count; k++) {
      const struct clew_domain *domain = family->parameters[k].domain;
      assign_all(v, context.frame, family->parameters[k].cell, 1,
                 (struct interval){domain->lo, domain->hi});
    }
    for (uint32_t k = 0; k < family->rule_count; k++) {
      if (family->rules[k].guard != NULL) {
        (void)eval(v, context.frame, family->rules[k].guard, 0);
      }
      visit(v, &context, family->rules[k].body, 0);
    }
  }
}

static void visit_program(struct uppaal_values *v) {
  const struct clew_program *program = v->program;
  visit_families(v, program->starts.data, program->starts.len);
  visit_families(v, program->families.data, program->families.len);
  for (uint32_t i = 0; i < program->functions.len; i++) {
    const struct clew_function *function = program->functions.data[i];
    struct context context = {cells_of(v, function->frame), function};
    visit(v, &context, function->body, 0);
  }
  for (uint32_t i = 0; i < program->labels.len; i++) {
    const struct clew_label_code *label = &program->labels.data[i];
    (void)eval(v, cells_of(v, label->frame), label->value, 0);
  }
}

/* What the start does not assign has its least value in the beginning, or none. */
static void visit_initial(struct uppaal_values *v) {
  bool *is_set = CLEW_NEW_ARRAY(v->arena, bool, v->state.count + 1);
  for (uint32_t i = 0; i < v->program->starts.len; i++) {
    for (const struct clew_stmt *stmt = v->program->starts.data[i]->rules[0].body; stmt != NULL;
         stmt = stmt->next) {
      if (stmt->kind == CLEW_STMT_ASSIGN && stmt->place.space == CLEW_SPACE_STATE &&
          stmt->place.index_count == 0) {
        is_set[stmt->place.base + stmt->place.offset] = true;
      }
    }
  }
  for (uint32_t i = 0; i < v->state.count; i++) {
    if (!is_set[i] && !v->state.types[i]->undefinable) {
      int64_t least = v->state.types[i]->domain->lo;
      v->state.data[i] = (struct interval){least, least};
    }
  }
}

struct uppaal_values *clew_uppaal_find_values(struct uppaal_lowering *l) {
  struct uppaal_values *v = CLEW_NEW(l->front->arena, struct uppaal_values);
  const struct clew_program *program = l->program;
  v->program = program;
  v->arena = l->front->arena;
  open_cells(v, &v->state, NULL, program->variables.data, program->variables.len);
  uint32_t size = 16;
  while (size < 2 * (program->frames.len + 1)) {
    size *= 2;
  }
  v->frames = CLEW_NEW_ARRAY(v->arena, struct cells, size);
  v->frame_mask = size - 1;
  for (uint32_t i = 0; i < program->frames.len; i++) {
    const struct clew_frame *frame = program->frames.data[i];
    open_cells(v, cells_of(v, frame), frame, frame->variables.data, frame->variables.len);
  }
  v->results = CLEW_NEW_ARRAY(v->arena, struct interval, program->functions.len + 1);
  for (uint32_t i = 0; i < program->functions.len; i++) {
    v->results[i] = empty;
  }
  visit_initial(v);
  do {
    v->changed = false;
    v->round++;
    visit_program(v);
  } while (v->changed && !v->gave_up);
  return v;
}

void clew_uppaal_values_of(struct uppaal_values *v, const struct clew_frame *frame,
                           const struct clew_expr *expr, int64_t *lo, int64_t *hi) {
  struct interval found = eval(v, cells_of(v, frame), expr, 0);
  bool knows = !v->gave_up && !is_empty(found);
  *lo = knows ? found.lo : expr->lo;
  *hi = knows ? found.hi : expr->hi;
}

int64_t clew_uppaal_most_of(const struct uppaal_values *v, uint32_t slot, int64_t most) {
  struct interval found = v->state.data[slot];
  return v->gave_up || is_empty(found) || found.hi > most ? most : found.hi;
}
