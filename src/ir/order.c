/* A *summary* says of each cell, of the state and of the frame, how a piece of code uses it. Two
 * summaries conflict where one changes what the other uses, unless both only add to it, set it to
 * the same constant, or the like.
 *
 * Indices are known where they are constants, the variable of the loop, or parameters that got such
 * an argument; an unknown index means every element. Cells of the frame that the code always sets
 * before it reads them, and that nothing else reads, are its own and are left out. */
#include "ir/order.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "ir/walk.h"

/* How a cell is used. */
enum mode {
  MODE_NONE,
  MODE_READ,
  MODE_UP,   /* something is added that is not negative */
  MODE_DOWN, /* or subtracted */
  MODE_OR,
  MODE_AND,
  MODE_SET, /* it gets `value` */
  MODE_WRITE,
};

struct use {
  uint8_t mode;
  int64_t value;
};

struct summary {
  uint32_t state_cells, frame_cells;
  struct use *state, *frame;
  bool *is_private; /* cells of the frame: set before, on every way to where the walk is */
  bool *is_hidden;  /* set where that was nobody else's business */
  bool *is_outside; /* read by others: never private. May be NULL */
  bool changes;     /* something that is not private */
  bool faults;      /* it may */
  bool returns;
  bool returns_differ; /* not always the same constant */
  int64_t returned;
  bool gave_up;
};

/* Where a reference parameter leads: one of these cells. */
struct target {
  bool is_state;
  bool is_inner; /* in a frame that is made and left by the code itself */
  uint32_t *cells;
  uint32_t count;
};

struct activation {
  struct summary *summary;
  bool is_root;
  const bool *known; /* by cell of its frame */
  const int64_t *values;
  const struct target *refs;
  uint32_t depth;
};

enum { MOST_DEPTH = 100, MOST_TARGETS = 4096, MOST_CELLS = 20000, MOST_ITERATIONS = 64 };

static void walk_list(const struct activation *a, const struct clew_stmt *list);
static void walk_expr(const struct activation *a, const struct clew_expr *expr);

/* ---- Known values --------------------------------------------------------------------------- */

static bool is_known(const struct activation *a, const struct clew_expr *expr, int64_t *value) {
  if (expr->kind == CLEW_EXPR_CONST) {
    *value = expr->value;
    return true;
  }
  if (expr->kind != CLEW_EXPR_LOAD || expr->place.space != CLEW_SPACE_FRAME ||
      expr->place.index_count > 0 || a->known == NULL) {
    return false;
  }
  uint32_t cell = expr->place.base + expr->place.offset;
  *value = a->values[cell];
  return a->known[cell];
}

/* ---- Cells ---------------------------------------------------------------------------------- */

/* The first cells that the place can denote. */
static struct target locate(const struct activation *a, const struct clew_place *place) {
  struct target target = {.is_state = place->space == CLEW_SPACE_STATE,
                          .is_inner = place->space == CLEW_SPACE_FRAME && !a->is_root};
  uint64_t count = 1;
  if (place->space == CLEW_SPACE_REF) {
    const struct target *ref = &a->refs[place->base];
    target = *ref;
    count = ref->count;
  }
  for (uint32_t i = 0; i < place->index_count; i++) {
    int64_t value;
    count *= is_known(a, place->indices[i].value, &value) ? 1 : place->indices[i].count;
    count = count > MOST_TARGETS ? MOST_TARGETS + 1 : count;
  }
  if (count > MOST_TARGETS || target.is_inner) {
    a->summary->gave_up = a->summary->gave_up || !target.is_inner;
    return (struct target){.is_state = target.is_state, .is_inner = target.is_inner};
  }
  uint32_t *cells = clew_alloc(count * sizeof *cells);
  uint32_t have = 0;
  if (place->space == CLEW_SPACE_REF) {
    for (; have < target.count; have++) {
      cells[have] = target.cells[have] + place->offset;
    }
  } else {
    cells[have++] = place->base + place->offset;
  }
  for (uint32_t i = 0; i < place->index_count; i++) {
    const struct clew_index *index = &place->indices[i];
    int64_t value;
    if (is_known(a, index->value, &value)) {
      bool fits = value >= index->lo && value < index->lo + (int64_t)index->count;
      for (uint32_t k = 0; k < have && fits; k++) {
        cells[k] += (uint32_t)(value - index->lo) * index->stride;
      }
      continue;
    }
    uint32_t before = have;
    for (uint32_t step = 1; step < index->count; step++) {
      for (uint32_t k = 0; k < before; k++) {
        cells[have++] = cells[k] + step * index->stride;
      }
    }
  }
  target.cells = cells;
  target.count = have;
  return target;
}

static void combine(struct use *use, enum mode mode, int64_t value) {
  if (use->mode == MODE_NONE) {
    *use = (struct use){(uint8_t)mode, value};
  } else if (use->mode != mode || (mode == MODE_SET && use->value != value)) {
    use->mode = MODE_WRITE;
  }
}

static void use_frame(struct summary *s, uint32_t cell, enum mode mode, int64_t value) {
  if (s->is_private[cell]) {
    return;
  }
  if (s->is_hidden[cell]) { /* what it holds may be left from another time */
    mode = MODE_WRITE;
  }
  s->changes = s->changes || mode != MODE_READ;
  combine(&s->frame[cell], mode, value);
}

static void use_cells(const struct activation *a, const struct clew_place *place, enum mode mode,
                      int64_t value) {
  struct summary *s = a->summary;
  for (uint32_t i = 0; i < place->index_count; i++) {
    walk_expr(a, place->indices[i].value);
    s->faults = s->faults || place->indices[i].checked;
  }
  struct target target = locate(a, place);
  for (uint32_t k = 0; k < target.count; k++) {
    for (uint32_t c = 0; c < place->type->cells; c++) {
      uint32_t cell = target.cells[k] + c;
      if (target.is_state) {
        assert(cell < s->state_cells);
        s->changes = s->changes || mode != MODE_READ;
        combine(&s->state[cell], mode, value);
      } else {
        assert(cell < s->frame_cells);
        use_frame(s, cell, mode, value);
      }
    }
  }
  clew_free(target.cells);
}

/* A block of the frame that is set as a whole, wherever the walk gets to from here. */
static bool make_private(const struct activation *a, const struct clew_place *place) {
  struct summary *s = a->summary;
  if (!a->is_root || place->space != CLEW_SPACE_FRAME || place->index_count > 0) {
    return false;
  }
  uint32_t first = place->base + place->offset;
  for (uint32_t c = first; c < first + place->type->cells; c++) {
    if ((s->is_outside != NULL && s->is_outside[c]) || s->frame[c].mode != MODE_NONE) {
      return false;
    }
  }
  for (uint32_t c = first; c < first + place->type->cells; c++) {
    s->is_private[c] = s->is_hidden[c] = true;
  }
  return true;
}

/* ---- Assignments ---------------------------------------------------------------------------- */

static bool same_expr(const struct clew_expr *a, const struct clew_expr *b);

static bool same_place(const struct clew_place *a, const struct clew_place *b) {
  if (a->space != b->space || a->base != b->base || a->offset != b->offset ||
      a->index_count != b->index_count) {
    return false;
  }
  for (uint32_t i = 0; i < a->index_count; i++) {
    if (a->indices[i].stride != b->indices[i].stride || a->indices[i].lo != b->indices[i].lo ||
        !same_expr(a->indices[i].value, b->indices[i].value)) {
      return false;
    }
  }
  return true;
}

static bool same_expr(const struct clew_expr *a, const struct clew_expr *b) {
  return a == b || (a->kind == CLEW_EXPR_LOAD && b->kind == CLEW_EXPR_LOAD &&
                    same_place(&a->place, &b->place));
}

static bool loads(const struct clew_expr *expr, const struct clew_place *place) {
  return expr->kind == CLEW_EXPR_LOAD && same_place(&expr->place, place);
}

/* How an assignment brings a further value into its place, and which value; WRITE: in no such way.
 */
static enum mode accumulates(const struct clew_stmt *stmt, const struct clew_expr **more) {
  const struct clew_expr *value = stmt->value;
  if (value->kind != CLEW_EXPR_BINARY) {
    return MODE_WRITE;
  }
  bool first = loads(value->a, &stmt->place);
  if (!first && (value->op == CLEW_OP_SUB || !loads(value->b, &stmt->place))) {
    return MODE_WRITE;
  }
  *more = first ? value->b : value->a;
  bool up = (*more)->lo >= 0, down = (*more)->hi <= 0;
  switch (value->op) {
  case CLEW_OP_ADD:
    return up ? MODE_UP : down ? MODE_DOWN : MODE_WRITE;
  case CLEW_OP_SUB:
    return up ? MODE_DOWN : down ? MODE_UP : MODE_WRITE;
  case CLEW_OP_OR:
    return MODE_OR;
  case CLEW_OP_AND:
    return MODE_AND;
  default:
    return MODE_WRITE;
  }
}

static void walk_assign(const struct activation *a, const struct clew_stmt *stmt) {
  const struct clew_expr *more = NULL;
  enum mode mode = accumulates(stmt, &more);
  int64_t value = 0;
  a->summary->faults = a->summary->faults || stmt->checked;
  if (mode != MODE_WRITE) {
    walk_expr(a, more);
    use_cells(a, &stmt->place, mode, 0);
    return;
  }
  walk_expr(a, stmt->value);
  if (make_private(a, &stmt->place)) {
    return;
  }
  if (is_known(a, stmt->value, &value)) {
    mode = MODE_SET;
  }
  use_cells(a, &stmt->place, mode, value);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

struct assigned {
  struct clew_walk walk;
  bool *cells;
};

static void note_assigned(struct clew_walk *walk, const struct clew_place *place,
                          enum clew_use use) {
  struct assigned *assigned = (struct assigned *)walk;
  if (use != CLEW_USE_READ && place->space == CLEW_SPACE_FRAME && place->index_count == 0) {
    assigned->cells[place->base + place->offset] = true;
  }
}

/* Parameters that the function changes are known at no time. */
static void forget_assigned(const struct clew_function *function, bool *known) {
  struct assigned assigned = {
      .walk = {.place = note_assigned, .function = function, .frame = function->frame},
      .cells = clew_alloc_zero((size_t)function->frame->cells + 1, sizeof(bool))};
  clew_walk_stmts(&assigned.walk, function->body);
  for (uint32_t i = 0; i < function->frame->cells; i++) {
    known[i] = known[i] && !assigned.cells[i];
  }
  clew_free(assigned.cells);
}

static void walk_call(const struct activation *a, const struct clew_call *call) {
  const struct clew_function *function = call->function;
  uint32_t cells = function->frame->cells, values = function->value_count,
           refs = function->reference_count;
  if (a->depth == MOST_DEPTH) {
    a->summary->gave_up = true;
    return;
  }
  bool *known = clew_alloc_zero((size_t)cells + 1, sizeof *known);
  int64_t *value = clew_alloc_zero((size_t)cells + 1, sizeof *value);
  struct target *targets = clew_alloc_zero((size_t)refs + 1, sizeof *targets);
  for (uint32_t i = 0; i < values; i++) {
    walk_expr(a, call->values[i]);
    uint32_t cell = function->frame->variables.data[i].cell;
    known[cell] = is_known(a, call->values[i], &value[cell]);
  }
  forget_assigned(function, known);
  for (uint32_t i = 0; i < refs; i++) {
    for (uint32_t k = 0; k < call->refs[i].index_count; k++) {
      walk_expr(a, call->refs[i].indices[k].value);
      a->summary->faults = a->summary->faults || call->refs[i].indices[k].checked;
    }
    targets[i] = locate(a, &call->refs[i]);
  }
  struct activation inner = {.summary = a->summary,
                             .known = known,
                             .values = value,
                             .refs = targets,
                             .depth = a->depth + 1};
  struct summary *s = a->summary;
  bool returns = s->returns, differ = s->returns_differ;
  int64_t returned = s->returned;
  walk_list(&inner, function->body);
  s->returns = returns; /* a return of the function is none of the code that calls it */
  s->returns_differ = differ;
  s->returned = returned;
  for (uint32_t i = 0; i < refs; i++) {
    clew_free(targets[i].cells);
  }
  clew_free(targets);
  clew_free(value);
  clew_free(known);
}

/* ---- Expressions ---------------------------------------------------------------------------- */

/* Whether the operation of the node itself can end in a run-time error. */
static bool node_faults(const struct clew_expr *expr) {
  if (expr->site == CLEW_NONE ||
      (expr->kind != CLEW_EXPR_BINARY && expr->kind != CLEW_EXPR_UNARY)) {
    return expr->kind == CLEW_EXPR_LOAD && expr->site != CLEW_NONE;
  }
  enum { MOST_SHIFT = 31 };
  switch (expr->op) {
  case CLEW_OP_DIV:
  case CLEW_OP_MOD:
    return expr->b->lo <= 0 && expr->b->hi >= 0;
  case CLEW_OP_SHL:
  case CLEW_OP_SHR:
    return expr->b->lo < 0 || expr->b->hi > MOST_SHIFT || expr->a->lo < INT32_MIN ||
           expr->a->hi > INT32_MAX;
  default:
    return true;
  }
}

static void walk_expr(const struct activation *a, const struct clew_expr *expr) {
  if (expr == NULL) {
    return;
  }
  a->summary->faults = a->summary->faults || node_faults(expr);
  switch (expr->kind) {
  case CLEW_EXPR_CONST:
  case CLEW_EXPR_UNDEFINED:
    return;
  case CLEW_EXPR_LOAD:
  case CLEW_EXPR_LOAD_RAW:
  case CLEW_EXPR_IS_UNDEFINED:
    use_cells(a, &expr->place, MODE_READ, 0);
    return;
  case CLEW_EXPR_EQUAL:
    use_cells(a, &expr->place, MODE_READ, 0);
    use_cells(a, &expr->place2, MODE_READ, 0);
    return;
  case CLEW_EXPR_CALL:
    walk_call(a, expr->call);
    return;
  case CLEW_EXPR_UNARY:
  case CLEW_EXPR_BINARY:
  case CLEW_EXPR_COND:
  case CLEW_EXPR_QUANTIFY: /* its variable is read only where it has just been set */
  case CLEW_EXPR_LET:
    walk_expr(a, expr->a);
    walk_expr(a, expr->b);
    walk_expr(a, expr->c);
    walk_expr(a, expr->d);
    return;
  }
}

/* ---- Statements ----------------------------------------------------------------------------- */

/* A list that may be skipped: what it sets is not set behind it. */
static void walk_branch(const struct activation *a, const struct clew_stmt *list) {
  struct summary *s = a->summary;
  bool *saved = clew_alloc((s->frame_cells + 1) * sizeof *saved);
  memcpy(saved, s->is_private, s->frame_cells * sizeof *saved);
  walk_list(a, list);
  memcpy(s->is_private, saved, s->frame_cells * sizeof *saved);
  clew_free(saved);
}

static void walk_return(const struct activation *a, const struct clew_stmt *stmt) {
  struct summary *s = a->summary;
  int64_t value = 0;
  walk_expr(a, stmt->value);
  bool is_constant = stmt->value == NULL || stmt->value->kind == CLEW_EXPR_CONST;
  value = stmt->value != NULL && is_constant ? stmt->value->value : 0;
  s->returns_differ = s->returns_differ || !is_constant || (s->returns && s->returned != value);
  s->returns = true;
  s->returned = value;
}

static void walk_loop(const struct activation *a, const struct clew_stmt *stmt) {
  struct summary *s = a->summary;
  walk_expr(a, stmt->value);
  walk_expr(a, stmt->value2);
  if (stmt->kind == CLEW_STMT_WHILE) {
    s->faults = true; /* when it does not end */
    walk_branch(a, stmt->body);
    return;
  }
  bool was = a->is_root && s->is_private[stmt->cell];
  if (a->is_root) {
    s->is_private[stmt->cell] = true;
  }
  walk_branch(a, stmt->body);
  if (a->is_root) {
    s->is_private[stmt->cell] = was;
  }
}

static void walk_stmt(const struct activation *a, const struct clew_stmt *stmt) {
  struct summary *s = a->summary;
  switch (stmt->kind) {
  case CLEW_STMT_BLOCK:
    walk_list(a, stmt->body);
    return;
  case CLEW_STMT_ASSIGN:
    walk_assign(a, stmt);
    return;
  case CLEW_STMT_COPY:
    use_cells(a, &stmt->place2, MODE_READ, 0);
    if (!make_private(a, &stmt->place)) {
      use_cells(a, &stmt->place, MODE_WRITE, 0);
    }
    return;
  case CLEW_STMT_CLEAR:
  case CLEW_STMT_UNDEFINE:
    if (!make_private(a, &stmt->place)) {
      use_cells(a, &stmt->place, MODE_WRITE, 0);
    }
    return;
  case CLEW_STMT_IF:
    walk_expr(a, stmt->value);
    walk_branch(a, stmt->body);
    walk_branch(a, stmt->otherwise);
    return;
  case CLEW_STMT_SWITCH:
    walk_expr(a, stmt->value);
    for (uint32_t i = 0; i < stmt->case_count; i++) {
      walk_branch(a, stmt->cases[i].body);
    }
    walk_branch(a, stmt->otherwise);
    return;
  case CLEW_STMT_FOR:
  case CLEW_STMT_WHILE:
    walk_loop(a, stmt);
    return;
  case CLEW_STMT_CALL:
    walk_call(a, stmt->call);
    return;
  case CLEW_STMT_RETURN:
    walk_return(a, stmt);
    return;
  case CLEW_STMT_ASSERT:
    s->faults = true;
    walk_expr(a, stmt->value);
    return;
  case CLEW_STMT_ASSUME:
  case CLEW_STMT_COVER:
  case CLEW_STMT_BAG_ADD:
  case CLEW_STMT_BAG_REMOVE:
    s->gave_up = true;
    return;
  }
}

static void walk_list(const struct activation *a, const struct clew_stmt *list) {
  for (; list != NULL && !a->summary->gave_up; list = list->next) {
    walk_stmt(a, list);
  }
}

/* ---- Summaries ------------------------------------------------------------------------------ */

static uint32_t state_cells(const struct clew_program *program) {
  if (program->variables.len == 0) {
    return 0;
  }
  const struct clew_variable *last = &clew_vec_last(&program->variables);
  return last->cell + last->type->cells;
}

static struct summary summary_open(const struct clew_program *program, uint32_t frame_cells) {
  struct summary s = {.state_cells = state_cells(program), .frame_cells = frame_cells};
  s.state = clew_alloc_zero((size_t)s.state_cells + 1, sizeof *s.state);
  s.frame = clew_alloc_zero((size_t)s.frame_cells + 1, sizeof *s.frame);
  s.is_private = clew_alloc_zero((size_t)s.frame_cells + 1, sizeof *s.is_private);
  s.is_hidden = clew_alloc_zero((size_t)s.frame_cells + 1, sizeof *s.is_hidden);
  return s;
}

static void summary_close(struct summary *s) {
  clew_free(s->state);
  clew_free(s->frame);
  clew_free(s->is_private);
  clew_free(s->is_hidden);
}

static bool uses_conflict(const struct use *a, const struct use *b, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (a[i].mode == MODE_NONE || b[i].mode == MODE_NONE) {
      continue;
    }
    if (a[i].mode != b[i].mode || a[i].mode == MODE_WRITE ||
        (a[i].mode == MODE_SET && a[i].value != b[i].value)) {
      return true;
    }
  }
  return false;
}

/* A return ends the loop early: nothing else may happen in it. */
static bool returns_matter(const struct summary *s) {
  return s->returns && (s->returns_differ || s->changes || s->faults);
}

static bool summaries_commute(const struct summary *a, const struct summary *b) {
  return !a->gave_up && !b->gave_up && !returns_matter(a) && !returns_matter(b) &&
         !(a->returns && b->returns && a->returned != b->returned) &&
         !uses_conflict(a->state, b->state, a->state_cells) &&
         !uses_conflict(a->frame, b->frame, a->frame_cells);
}

/* ---- Loops ---------------------------------------------------------------------------------- */

static void find_outside(const struct clew_stmt *list, const struct clew_stmt *loop,
                         struct activation *a);

/* Everything but the loop itself. */
static void find_outside_stmt(const struct clew_stmt *stmt, const struct clew_stmt *loop,
                              struct activation *a) {
  if (stmt == loop) {
    return;
  }
  struct clew_stmt alone = *stmt;
  alone.next = NULL;
  bool is_nest = stmt->kind == CLEW_STMT_BLOCK || stmt->kind == CLEW_STMT_IF ||
                 stmt->kind == CLEW_STMT_SWITCH || stmt->kind == CLEW_STMT_FOR ||
                 stmt->kind == CLEW_STMT_WHILE;
  if (is_nest) {
    find_outside(stmt->body, loop, a);
    find_outside(stmt->otherwise, loop, a);
    for (uint32_t i = 0; i < stmt->case_count && stmt->kind == CLEW_STMT_SWITCH; i++) {
      find_outside(stmt->cases[i].body, loop, a);
    }
    alone.body = alone.otherwise = NULL;
    alone.case_count = 0;
  }
  walk_stmt(a, &alone);
}

static void find_outside(const struct clew_stmt *list, const struct clew_stmt *loop,
                         struct activation *a) {
  for (; list != NULL; list = list->next) {
    find_outside_stmt(list, loop, a);
  }
}

/* Cells of the frame that are read outside of the loop. */
static bool *outside_of(const struct clew_program *program, const struct clew_function *function,
                        const struct clew_stmt *loop, bool *gave_up) {
  uint32_t cells = function->frame->cells;
  struct summary s = summary_open(program, cells);
  bool *is_outside = clew_alloc_zero((size_t)cells + 1, sizeof *is_outside);
  for (uint32_t i = 0; i < cells; i++) {
    is_outside[i] = true; /* nothing is private here */
  }
  s.is_outside = is_outside;
  struct target *refs =
      clew_alloc_zero((size_t)function->reference_count + 1, sizeof *refs); /* lead nowhere */
  for (uint32_t i = 0; i < function->reference_count; i++) {
    refs[i].is_inner = true;
  }
  struct activation a = {.summary = &s, .is_root = true, .refs = refs};
  find_outside(function->body, loop, &a);
  for (uint32_t i = 0; i < cells; i++) {
    enum mode mode = (enum mode)s.frame[i].mode;
    is_outside[i] = mode != MODE_NONE && mode != MODE_SET;
  }
  *gave_up = s.gave_up;
  clew_free(refs);
  summary_close(&s);
  return is_outside;
}

/* One iteration. References to what the caller has may lead anywhere: such loops are given up. */
static struct summary summarise(const struct clew_program *program,
                                const struct clew_function *function, const struct clew_stmt *loop,
                                int64_t value, bool *is_outside) {
  uint32_t cells = function->frame->cells;
  struct summary s = summary_open(program, cells);
  s.is_outside = is_outside;
  bool *known = clew_alloc_zero((size_t)cells + 1, sizeof *known);
  int64_t *values = clew_alloc_zero((size_t)cells + 1, sizeof *values);
  known[loop->cell] = true;
  values[loop->cell] = value;
  s.is_private[loop->cell] = true;
  s.gave_up = function->reference_count > 0;
  struct activation a = {.summary = &s, .is_root = true, .known = known, .values = values};
  if (!s.gave_up) {
    walk_list(&a, loop->body);
  }
  clew_free(known);
  clew_free(values);
  return s;
}

bool clew_order_loop_commutes(const struct clew_program *program,
                              const struct clew_function *function, const struct clew_stmt *loop) {
  assert(loop->kind == CLEW_STMT_FOR && loop->step == 1);
  assert(loop->value->kind == CLEW_EXPR_CONST && loop->value2->kind == CLEW_EXPR_CONST);
  bool gave_up;
  bool *is_outside = outside_of(program, function, loop, &gave_up);
  bool commutes = !gave_up;
  int64_t lo = loop->value->value, hi = loop->value2->value;
  struct summary all[MOST_ITERATIONS];
  uint32_t count = 0;
  commutes = commutes && hi - lo < MOST_ITERATIONS && state_cells(program) <= MOST_CELLS;
  for (int64_t value = lo; value <= hi && commutes; value++) {
    all[count] = summarise(program, function, loop, value, is_outside);
    for (uint32_t i = 0; i < count && commutes; i++) {
      commutes = summaries_commute(&all[i], &all[count]);
    }
    count++;
  }
  for (uint32_t i = 0; i < count; i++) {
    summary_close(&all[i]);
  }
  clew_free(is_outside);
  return commutes;
}

bool clew_order_lists_commute(const struct clew_program *program, const struct clew_frame *frame,
                              const struct clew_stmt *a, const struct clew_stmt *b) {
  struct summary first = summary_open(program, frame->cells),
                 second = summary_open(program, frame->cells);
  struct activation one = {.summary = &first, .is_root = true},
                    two = {.summary = &second, .is_root = true};
  walk_list(&one, a);
  walk_list(&two, b);
  bool commutes = summaries_commute(&first, &second);
  summary_close(&first);
  summary_close(&second);
  return commutes;
}

/* ---- Faults --------------------------------------------------------------------------------- */

bool clew_order_may_fault(const struct clew_program *program, const struct clew_frame *frame,
                          const struct clew_expr *expr) {
  struct summary s = summary_open(program, frame != NULL ? frame->cells : 0);
  struct activation a = {.summary = &s, .is_root = true};
  walk_expr(&a, expr);
  bool faults = s.faults || s.gave_up;
  summary_close(&s);
  return faults;
}
