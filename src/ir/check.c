/* The validator of programs: what both executions take for granted, in particular that a value
 * whose check was dropped lies in its range, and that no place leaves its variable. Front ends that
 * break a rule learn it from the assertion in clew_program_finish.
 *
 * One pass computes two facts about each function (does it write the state, can it return
 * undefined), which spread along calls; a second looks at every node, at shared ones once in each
 * frame. Linear in the program, but for the spreading, which takes as many rounds as calls go
 * against the order of declaration. */
#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "ir/ir_int.h"
#include "ir/range.h"
#include "ir/walk.h"

struct facts {
  bool writes_state;
  bool may_return_undefined;
};

/* What `to` is, `from` is too. */
struct flow {
  const struct clew_function *from, *to;
  bool returns; /* about undefined results, else about writes */
};

/* An expression that was looked at, and where: the number of the frame, and whether it had to be
 * pure. */
struct seen {
  const struct clew_expr *expr;
  uint32_t context;
  bool pure;
};

struct check {
  struct clew_walk walk;
  const char *why;   /* the first thing that is wrong, or NULL */
  struct seen *seen; /* by the number of the expression */
  const struct clew_frame *frame;
  uint32_t context; /* counts the frames; `frame` is the last one */
  struct facts *facts;
  CLEW_VEC(struct flow) flows;
};

static struct check *check_of(struct clew_walk *walk) {
  return (struct check *)((char *)walk - offsetof(struct check, walk));
}

static void demand(struct check *check, bool condition, const char *why) {
  assert(why != NULL);
  if (!condition && check->why == NULL) {
    check->why = why;
  }
}

/* ---- Facts about functions ---------------------------------------------------------------- */

static bool in_state(const struct clew_place *place, const struct clew_function *function) {
  if (place->space == CLEW_SPACE_REF) {
    return function != NULL && place->base < function->reference_count &&
           function->references[place->base].space == CLEW_SPACE_STATE;
  }
  return place->space == CLEW_SPACE_STATE;
}

static void fact_place(struct clew_walk *walk, const struct clew_place *place, enum clew_use use) {
  assert(walk->function != NULL);
  if ((use == CLEW_USE_WRITE || use == CLEW_USE_UPDATE) && in_state(place, walk->function)) {
    check_of(walk)->facts[walk->function->index].writes_state = true;
  }
}

static void fact_call(struct clew_walk *walk, const struct clew_call *call, bool is_stmt) {
  (void)is_stmt;
  assert(walk->function != NULL);
  struct flow flow = {.from = walk->function, .to = call->function, .returns = false};
  if (flow.to->index < walk->program->functions.len) {
    clew_vec_push(&check_of(walk)->flows, flow);
  }
}

static void fact_stmt(struct clew_walk *walk, const struct clew_stmt *stmt) {
  const struct clew_expr *value = stmt->value;
  assert(walk->function != NULL);
  if (stmt->kind != CLEW_STMT_RETURN || value == NULL) {
    return;
  }
  if (value->kind == CLEW_EXPR_UNDEFINED ||
      (value->kind == CLEW_EXPR_LOAD_RAW && value->place.type->undefinable)) {
    check_of(walk)->facts[walk->function->index].may_return_undefined = true;
  } else if (value->kind == CLEW_EXPR_CALL &&
             value->call->function->index < walk->program->functions.len) {
    struct flow flow = {.from = walk->function, .to = value->call->function, .returns = true};
    clew_vec_push(&check_of(walk)->flows, flow);
  }
}

static bool spread(struct facts *facts, const struct flow *flow) {
  struct facts *from = &facts[flow->from->index];
  const struct facts *to = &facts[flow->to->index];
  bool *fact = flow->returns ? &from->may_return_undefined : &from->writes_state;
  bool value = *fact || (flow->returns ? to->may_return_undefined : to->writes_state);
  bool changed = value != *fact;
  *fact = value;
  return changed;
}

static void find_facts(struct check *check) {
  const struct clew_program *program = check->walk.program;
  check->facts = clew_alloc_zero((size_t)program->functions.len + 1, sizeof *check->facts);
  check->walk.place = fact_place;
  check->walk.call = fact_call;
  check->walk.stmt = fact_stmt;
  for (uint32_t i = 0; i < program->functions.len; i++) {
    assert(program->functions.data[i]->index == i);
    clew_walk_function(&check->walk, program->functions.data[i]);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < check->flows.len; i++) {
      changed |= spread(check->facts, &check->flows.data[i]);
    }
  }
}

/* ---- Values and places -------------------------------------------------------------------- */

static bool is_site(const struct check *check, uint32_t site) {
  return site < check->walk.program->sites.len;
}

static bool is_bool(const struct clew_expr *expr) {
  assert(expr->lo <= expr->hi);
  return expr->lo >= 0 && expr->hi <= 1;
}

static bool may_be_undefined(const struct check *check, const struct clew_expr *value) {
  switch (value->kind) {
  case CLEW_EXPR_UNDEFINED:
    return true;
  case CLEW_EXPR_LOAD_RAW:
    return value->place.type->undefinable;
  case CLEW_EXPR_CALL:
    return check->facts[value->call->function->index].may_return_undefined;
  default:
    return false;
  }
}

/* The value may go into the cell without any check. */
static bool fits(const struct check *check, const struct clew_expr *value,
                 const struct clew_type *type) {
  assert(type->kind == CLEW_TYPE_SCALAR);
  if (may_be_undefined(check, value) && !type->undefinable) {
    return false;
  }
  return value->kind == CLEW_EXPR_UNDEFINED ||
         (value->lo >= type->domain->lo && value->hi <= type->domain->hi);
}

/* The scalar type of a cell of the frame, or NULL. */
static const struct clew_type *frame_cell(const struct clew_walk *walk, uint32_t cell) {
  assert(walk->frame != NULL);
  const struct clew_variable *variable =
      clew_variable_at(walk->frame->variables.data, walk->frame->variables.len, cell);
  return variable == NULL ? NULL : clew_type_cell(variable->type, cell - variable->cell);
}

/* A loop over `cell` gives it only values of its type. */
static void check_loop(struct check *check, uint32_t cell, const struct clew_expr *from,
                       const struct clew_expr *to, int64_t step) {
  const struct clew_type *type = frame_cell(&check->walk, cell);
  demand(check, type != NULL, "a loop variable is not in the frame");
  demand(check, step != 0 && step != INT64_MIN, "the step of a loop is zero or too large");
  if (type == NULL || step == 0) {
    return;
  }
  int64_t lo = step > 0 ? from->lo : to->lo, hi = step > 0 ? to->hi : from->hi;
  assert(from->lo <= from->hi && to->lo <= to->hi);
  demand(check, lo > hi || (lo >= type->domain->lo && hi <= type->domain->hi),
         "a loop variable leaves its type");
}

static void check_indices(struct check *check, const struct clew_place *place) {
  assert(place->index_count == 0 || place->indices != NULL);
  for (uint32_t i = 0; i < place->index_count; i++) {
    const struct clew_index *index = &place->indices[i];
    int64_t hi = index->lo + (int64_t)index->count - 1;
    demand(check, index->count > 0, "an index over nothing");
    demand(check, index->checked || (index->value->lo >= index->lo && index->value->hi <= hi),
           "an unchecked index may leave its range");
    demand(check, !index->checked || is_site(check, index->site), "a checked index has no site");
  }
}

/* What a place starts in: *start becomes its first cell within the type returned. */
static const struct clew_type *place_root(const struct clew_walk *walk,
                                          const struct clew_place *place, uint32_t *start) {
  const struct clew_variable *variable = NULL;
  *start = place->offset;
  switch (place->space) {
  case CLEW_SPACE_STATE:
    variable =
        clew_variable_at(walk->program->variables.data, walk->program->variables.len, place->base);
    break;
  case CLEW_SPACE_FRAME:
    variable =
        clew_variable_at(walk->frame->variables.data, walk->frame->variables.len, place->base);
    break;
  case CLEW_SPACE_REF:
    return walk->function != NULL && place->base < walk->function->reference_count
               ? walk->function->references[place->base].type
               : NULL;
  }
  if (variable == NULL) {
    return NULL;
  }
  assert(place->base >= variable->cell);
  *start += place->base - variable->cell;
  return variable->type;
}

static void check_place(struct clew_walk *walk, const struct clew_place *place, enum clew_use use) {
  struct check *check = check_of(walk);
  demand(check, place->type != NULL, "a place has no type");
  if (check->why != NULL || place->type->cells == 0) {
    return;
  }
  check_indices(check, place);
  uint32_t start;
  const struct clew_type *root = place_root(walk, place, &start);
  demand(check, root != NULL, "a place is in no variable");
  if (check->why != NULL) {
    return;
  }
  uint64_t extent = clew_place_extent(place) - place->offset + start;
  demand(check, extent <= root->cells, "a place leaves its variable");
  if (check->why != NULL) {
    return;
  }
  assert(start < root->cells);
  const struct clew_type *real = clew_type_cell(root, start);
  const struct clew_type *told = clew_type_cell(place->type, 0);
  demand(check,
         clew_domain_same(real->domain, told->domain) && real->undefinable == told->undefinable,
         "a place has another type than its variable");
  demand(check, !walk->pure || use == CLEW_USE_READ || use == CLEW_USE_REFER, "a guard writes");
}

/* ---- Expressions -------------------------------------------------------------------------- */

static void check_operator(struct check *check, const struct clew_expr *expr) {
  struct clew_range a = {.lo = expr->a->lo, .hi = expr->a->hi}, result;
  if (expr->kind == CLEW_EXPR_UNARY) {
    demand(check, expr->op <= CLEW_OP_BIT_NOT, "not a unary operator");
    demand(check, expr->op != CLEW_OP_NOT || is_bool(expr->a), "NOT of a number");
    result = clew_range_unary(expr->op, a);
  } else {
    struct clew_range b = {.lo = expr->b->lo, .hi = expr->b->hi};
    bool logic = expr->op == CLEW_OP_AND || expr->op == CLEW_OP_OR;
    demand(check, expr->op >= CLEW_OP_ADD && expr->op <= CLEW_OP_OR, "not a binary operator");
    demand(check, !logic || (is_bool(expr->a) && is_bool(expr->b)), "AND or OR of numbers");
    result = clew_range_binary(expr->op, a, b);
  }
  assert(result.lo <= result.hi);
  demand(check, expr->lo <= result.lo && expr->hi >= result.hi, "a range is too narrow");
  demand(check, !result.fault || is_site(check, expr->site), "a possible fault has no site");
}

static void check_let(struct check *check, const struct clew_expr *expr) {
  const struct clew_type *type = frame_cell(&check->walk, expr->cell);
  assert(expr->kind == CLEW_EXPR_LET);
  demand(check, type != NULL && fits(check, expr->a, type), "a LET variable leaves its type");
}

static void check_quantifier(struct check *check, const struct clew_expr *expr) {
  assert(expr->kind == CLEW_EXPR_QUANTIFY);
  demand(check, expr->op >= CLEW_OP_FORALL && expr->op <= CLEW_OP_SUM, "not a quantifier");
  demand(check, expr->c->kind == CLEW_EXPR_CONST, "the step of a quantifier is not constant");
  demand(check, expr->op == CLEW_OP_SUM || is_bool(expr->d), "a quantifier over numbers");
  check_loop(check, expr->cell, expr->a, expr->b, expr->c->value);
}

/* Whether this very node was looked at under these conditions or stricter ones; now it is. */
static bool was_seen(struct check *check, const struct clew_expr *expr) {
  const struct clew_walk *walk = &check->walk;
  if (expr->number >= walk->program->expr_count) {
    return false;
  }
  if (check->frame != walk->frame) {
    check->frame = walk->frame;
    check->context++;
  }
  struct seen *seen = &check->seen[expr->number];
  if (seen->expr == expr && seen->context == check->context && seen->pure >= walk->pure) {
    return true;
  }
  *seen = (struct seen){expr, check->context, walk->pure};
  return false;
}

static bool check_expr(struct clew_walk *walk, const struct clew_expr *expr, bool raw) {
  struct check *check = check_of(walk);
  if (!raw && was_seen(check, expr)) {
    return false;
  }
  demand(check, expr->lo <= expr->hi, "an empty range");
  demand(check, raw || !may_be_undefined(check, expr), "a value that may be undefined is used");
  demand(check, raw || expr->kind != CLEW_EXPR_LOAD_RAW, "LOAD_RAW where it is not allowed");
  if (check->why != NULL) {
    return false;
  }
  switch (expr->kind) {
  case CLEW_EXPR_CONST:
    demand(check, expr->value == expr->lo && expr->value == expr->hi, "the range of a constant");
    break;
  case CLEW_EXPR_LOAD:
    demand(check, !expr->place.type->undefinable || is_site(check, expr->site),
           "a load has no site");
    /* fall through */
  case CLEW_EXPR_LOAD_RAW:
    demand(check, expr->place.type->kind == CLEW_TYPE_SCALAR, "a load of a block");
    break;
  case CLEW_EXPR_IS_UNDEFINED:
    demand(check, expr->place.type->cells > 0, "ISUNDEFINED of nothing");
    break;
  case CLEW_EXPR_UNARY:
  case CLEW_EXPR_BINARY:
    check_operator(check, expr);
    break;
  case CLEW_EXPR_COND:
    demand(check, is_bool(expr->a), "a condition is a number");
    break;
  case CLEW_EXPR_QUANTIFY:
    check_quantifier(check, expr);
    break;
  case CLEW_EXPR_LET:
    check_let(check, expr);
    break;
  case CLEW_EXPR_EQUAL:
    demand(check, clew_type_same_shape(expr->place.type, expr->place2.type),
           "blocks of different shapes are compared");
    break;
  case CLEW_EXPR_UNDEFINED:
  case CLEW_EXPR_CALL:
    break;
  }
  return check->why == NULL;
}

static void check_call(struct clew_walk *walk, const struct clew_call *call, bool is_stmt) {
  struct check *check = check_of(walk);
  const struct clew_function *function = call->function;
  const struct clew_program *program = walk->program;
  demand(check, function->index < program->functions.len, "a call of a foreign function");
  demand(check, is_site(check, call->site), "a call has no site");
  demand(check, is_stmt || function->result != NULL, "a procedure is used as a value");
  if (check->why != NULL) {
    return;
  }
  assert(program->functions.data[function->index] == function);
  demand(check, !walk->pure || !check->facts[function->index].writes_state,
         "a guard or label calls a function that writes the state");
  for (uint32_t i = 0; i < function->value_count; i++) {
    demand(check, fits(check, call->values[i], function->frame->variables.data[i].type),
           "an argument may leave the type of its parameter");
  }
  for (uint32_t i = 0; i < function->reference_count; i++) {
    const struct clew_reference *reference = &function->references[i];
    demand(check, clew_type_same_shape(reference->type, call->refs[i].type),
           "a reference to another type");
    demand(check,
           in_state(&call->refs[i], walk->function) == (reference->space == CLEW_SPACE_STATE),
           "a reference into another space");
  }
}

/* ---- Statements --------------------------------------------------------------------------- */

static int compare_values(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void check_cases(struct check *check, const struct clew_stmt *stmt) {
  CLEW_VEC(int64_t) values = {0};
  for (uint32_t i = 0; i < stmt->case_count; i++) {
    for (uint32_t j = 0; j < stmt->cases[i].value_count; j++) {
      clew_vec_push(&values, stmt->cases[i].values[j]);
    }
  }
  if (values.len > 0) {
    qsort(values.data, values.len, sizeof *values.data, compare_values);
  }
  for (uint32_t i = 1; i < values.len; i++) {
    assert(values.data[i - 1] <= values.data[i]);
    demand(check, values.data[i - 1] != values.data[i], "two cases for one value");
  }
  clew_vec_free(&values);
}

static void check_assign(struct check *check, const struct clew_stmt *stmt) {
  assert(stmt->kind == CLEW_STMT_ASSIGN);
  demand(check, stmt->place.type != NULL && stmt->place.type->kind == CLEW_TYPE_SCALAR,
         "an assignment to a block");
  demand(check, stmt->value != NULL, "an assignment of nothing");
  if (check->why == NULL) {
    demand(check, stmt->checked || fits(check, stmt->value, stmt->place.type),
           "an unchecked assignment may leave the type");
    demand(check, !stmt->checked || is_site(check, stmt->site), "a checked assignment has no site");
  }
}

static void check_return(struct check *check, const struct clew_stmt *stmt) {
  const struct clew_function *function = check->walk.function;
  const struct clew_type *result = function == NULL ? NULL : function->result;
  assert(stmt->kind == CLEW_STMT_RETURN);
  demand(check, (stmt->value != NULL) == (result != NULL), "a return with or without a value");
  demand(check, result == NULL || stmt->value == NULL || fits(check, stmt->value, result),
         "a return may leave the type of the result");
}

static void check_bag(struct check *check, const struct clew_stmt *stmt) {
  const struct clew_type *type = stmt->place.type;
  demand(check, type != NULL && type->kind == CLEW_TYPE_BAG, "a bag operation on something else");
  if (check->why != NULL) {
    return;
  }
  if (stmt->kind == CLEW_STMT_BAG_ADD) {
    demand(check, is_site(check, stmt->site), "an addition to a bag has no site");
    demand(check, clew_type_same_shape(stmt->place2.type, type->element),
           "an element of another shape");
  } else {
    assert(stmt->kind == CLEW_STMT_BAG_REMOVE);
    demand(check, stmt->value != NULL, "a removal from nowhere");
    demand(check,
           check->why != NULL || is_site(check, stmt->site) ||
               (stmt->value->lo >= 0 && stmt->value->hi < (int64_t)type->count),
           "a position outside of a bag, and no site");
  }
}

static void check_stmt(struct clew_walk *walk, const struct clew_stmt *stmt) {
  struct check *check = check_of(walk);
  if (check->why != NULL) {
    return;
  }
  assert(!walk->pure);
  switch (stmt->kind) {
  case CLEW_STMT_ASSIGN:
    check_assign(check, stmt);
    break;
  case CLEW_STMT_COPY:
    demand(check, clew_type_same_shape(stmt->place.type, stmt->place2.type),
           "a copy between different shapes");
    break;
  case CLEW_STMT_ASSERT:
  case CLEW_STMT_WHILE:
    demand(check, is_site(check, stmt->site), "an assertion or loop has no site");
    /* fall through */
  case CLEW_STMT_IF:
  case CLEW_STMT_ASSUME:
    demand(check, stmt->value != NULL && is_bool(stmt->value), "a condition is a number");
    break;
  case CLEW_STMT_COVER:
    demand(check, stmt->value != NULL && is_bool(stmt->value), "a condition is a number");
    demand(check, stmt->cell < walk->program->cover_count, "a cover bit that does not exist");
    break;
  case CLEW_STMT_SWITCH:
    demand(check, stmt->value != NULL, "a switch without a value");
    check_cases(check, stmt);
    break;
  case CLEW_STMT_FOR:
    demand(check, stmt->value != NULL && stmt->value2 != NULL, "a loop without bounds");
    if (check->why == NULL) {
      check_loop(check, stmt->cell, stmt->value, stmt->value2, stmt->step);
    }
    break;
  case CLEW_STMT_RETURN:
    check_return(check, stmt);
    break;
  case CLEW_STMT_BAG_ADD:
  case CLEW_STMT_BAG_REMOVE:
    check_bag(check, stmt);
    break;
  case CLEW_STMT_BLOCK:
  case CLEW_STMT_CALL:
  case CLEW_STMT_CLEAR:
  case CLEW_STMT_UNDEFINE:
    break;
  }
}

/* ---- Declarations ------------------------------------------------------------------------- */

static void check_function(struct check *check, const struct clew_function *function) {
  demand(check, function->result == NULL || function->result->kind == CLEW_TYPE_SCALAR,
         "the result of a function is a block");
  demand(check, function->value_count <= function->frame->variables.len,
         "a function has more parameters than variables");
  for (uint32_t i = 0; i < function->value_count && check->why == NULL; i++) {
    assert(function->frame->variables.data[i].type != NULL);
    demand(check, function->frame->variables.data[i].type->kind == CLEW_TYPE_SCALAR,
           "a value parameter is a block");
  }
  for (uint32_t i = 0; i < function->reference_count; i++) {
    demand(check, function->references[i].space != CLEW_SPACE_REF, "a reference to a reference");
  }
}

static void check_family(struct check *check, const struct clew_family *family, bool start) {
  check->walk.frame = family->frame;
  for (uint32_t i = 0; i < family->parameter_count; i++) {
    const struct clew_parameter *parameter = &family->parameters[i];
    const struct clew_type *type = frame_cell(&check->walk, parameter->cell);
    assert(parameter->domain != NULL);
    demand(check,
           type != NULL && parameter->domain->lo >= type->domain->lo &&
               parameter->domain->hi <= type->domain->hi,
           "a parameter leaves the type of its variable");
  }
  for (uint32_t i = 0; i < family->rule_count; i++) {
    const struct clew_expr *guard = family->rules[i].guard;
    demand(check, guard == NULL || (!start && is_bool(guard)),
           "a guard is a number, or of a start state");
  }
}

static void check_property(struct check *check, const struct clew_property *property) {
  const struct clew_program *program = check->walk.program;
  assert(property->name != NULL);
  switch (property->kind) {
  case CLEW_PROPERTY_DEADLOCK:
  case CLEW_PROPERTY_FAULT:
  case CLEW_PROPERTY_MEASURE: /* which the program does not know */
    break;
  case CLEW_PROPERTY_INVARIANT:
  case CLEW_PROPERTY_LIVENESS:
  case CLEW_PROPERTY_PROGRESS:
    demand(check, property->label < program->labels.len && !property->is_statement,
           "a property of a label that does not exist");
    break;
  case CLEW_PROPERTY_COVER:
    demand(check,
           property->label < (property->is_statement ? program->cover_count : program->labels.len),
           "a cover property of nothing");
    break;
  }
}

static void check_declarations(struct check *check) {
  const struct clew_program *program = check->walk.program;
  for (uint32_t i = 0; i < program->functions.len; i++) {
    check_function(check, program->functions.data[i]);
  }
  for (uint32_t i = 0; i < program->starts.len; i++) {
    check_family(check, program->starts.data[i], true);
  }
  for (uint32_t i = 0; i < program->families.len; i++) {
    check_family(check, program->families.data[i], false);
  }
  for (uint32_t i = 0; i < program->labels.len; i++) {
    demand(check, is_bool(program->labels.data[i].value), "a label is a number");
  }
  for (uint32_t i = 0; i < program->assumptions.len; i++) {
    demand(check, program->assumptions.data[i] < program->labels.len,
           "an assumption of a label that does not exist");
  }
  for (uint32_t i = 0; i < program->properties.len; i++) {
    check_property(check, &program->properties.data[i]);
  }
  demand(check, program->slots == NULL || clew_layout_check(program), "slots overlap");
  assert(program->arena != NULL);
}

bool clew_program_check(const struct clew_program *program, const char **why) {
  struct check check = {.walk = {.program = program}};
  check_declarations(&check);
  if (check.why == NULL) {
    find_facts(&check);
    check.seen = clew_alloc_zero((size_t)program->expr_count + 1, sizeof *check.seen);
    check.walk = (struct clew_walk){.program = program,
                                    .stmt = check_stmt,
                                    .expr = check_expr,
                                    .place = check_place,
                                    .call = check_call};
    clew_walk_program(&check.walk);
    demand(&check, !check.walk.too_deep, "statements are nested too deeply");
  }
  clew_free(check.facts);
  clew_free(check.seen);
  clew_vec_free(&check.flows);
  assert(check.why == NULL || check.why[0] != '\0');
  *why = check.why;
  return check.why == NULL;
}
