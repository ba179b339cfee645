/* Which loops and functions look at the stop flag of the program.
 *
 * The effort of a piece of code is an upper bound of the operations that one execution of it takes:
 * every node counts as one, a loop as many times as its bounds allow, a call as much as the
 * function called, and one that may be recursive as endless. A loop or a function polls if its
 * effort exceeds POLL_EFFORT. So no evaluation goes on for much longer than that without a look at
 * the flag, and code that cannot take long never looks.
 *
 * Functions are measured in an order in which callees come before callers. Those that are left over
 * are recursive or call something recursive. */
#include <assert.h>

#include "base/alloc.h"
#include "ir/ir_int.h"
#include "ir/walk.h"

enum { POLL_EFFORT = 1 << 13 };

static const uint64_t ENDLESS = UINT64_MAX;

struct efforts {
  struct clew_program *program;
  uint64_t *functions; /* by index; ENDLESS while it is not known */
  bool polls;          /* something does */
};

static uint64_t plus(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? ENDLESS : sum;
}

static uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? ENDLESS : product;
}

static bool is_long(struct efforts *efforts, uint64_t effort) {
  efforts->polls |= effort > POLL_EFFORT;
  return effort > POLL_EFFORT;
}

/* Rounds of a loop at most, by the ranges of its bounds. */
static uint64_t rounds(const struct clew_expr *from, const struct clew_expr *to, int64_t step) {
  assert(step != 0);
  const int64_t low = step > 0 ? from->lo : to->lo, high = step > 0 ? to->hi : from->hi;
  uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
  return low > high ? 0 : plus(((uint64_t)high - (uint64_t)low) / stride, 1);
}

static uint64_t of_expr(struct efforts *efforts, const struct clew_expr *expr);

static uint64_t of_place(struct efforts *efforts, const struct clew_place *place) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < place->index_count; i++) {
    sum = plus(sum, of_expr(efforts, place->indices[i].value));
  }
  return sum;
}

static uint64_t of_call(struct efforts *efforts, const struct clew_call *call) {
  uint64_t sum = plus(1, efforts->functions[call->function->index]);
  for (uint32_t i = 0; i < call->function->value_count; i++) {
    sum = plus(sum, of_expr(efforts, call->values[i]));
  }
  for (uint32_t i = 0; i < call->function->reference_count; i++) {
    sum = plus(sum, of_place(efforts, &call->refs[i]));
  }
  return sum;
}

static uint64_t of_quantifier(struct efforts *efforts, const struct clew_expr *expr) {
  uint64_t bounds = plus(of_expr(efforts, expr->a), of_expr(efforts, expr->b));
  uint64_t round = plus(1, of_expr(efforts, expr->d));
  uint64_t effort = times(rounds(expr->a, expr->b, expr->c->value), round);
  /* The program is not finished yet, and this is a node of it that nothing shares. */
  ((struct clew_expr *)expr)->polls = is_long(efforts, effort);
  return plus(bounds, effort);
}

/* Expressions that are shared are pure, and pure ones have no loops and no calls: their size is
 * known without looking. */
static uint64_t of_expr(struct efforts *efforts, const struct clew_expr *expr) {
  if (expr == NULL) {
    return 0;
  }
  if (expr->pure) {
    return expr->size;
  }
  switch (expr->kind) {
  case CLEW_EXPR_QUANTIFY:
    return of_quantifier(efforts, expr);
  case CLEW_EXPR_CALL:
    return of_call(efforts, expr->call);
  default:
    break;
  }
  uint64_t sum = plus(of_place(efforts, &expr->place), of_place(efforts, &expr->place2));
  sum = plus(sum, expr->kind == CLEW_EXPR_EQUAL ? expr->place.type->cells : 1);
  sum = plus(sum, plus(of_expr(efforts, expr->a), of_expr(efforts, expr->b)));
  return plus(sum, plus(of_expr(efforts, expr->c), of_expr(efforts, expr->d)));
}

static uint64_t of_list(struct efforts *efforts, const struct clew_stmt *list);

/* Statements that move many cells at once. */
static uint64_t cells_moved(const struct clew_stmt *stmt) {
  switch (stmt->kind) {
  case CLEW_STMT_COPY:
  case CLEW_STMT_CLEAR:
  case CLEW_STMT_UNDEFINE:
  case CLEW_STMT_BAG_ADD:
    return stmt->place.type->cells;
  default:
    return 1;
  }
}

static uint64_t of_loop(struct efforts *efforts, const struct clew_stmt *stmt) {
  uint64_t before = of_expr(efforts, stmt->value), round = plus(1, of_list(efforts, stmt->body));
  uint64_t effort;
  if (stmt->kind == CLEW_STMT_WHILE) {
    effort = times(stmt->limit, plus(round, before));
  } else {
    before = plus(before, of_expr(efforts, stmt->value2));
    effort = times(rounds(stmt->value, stmt->value2, stmt->step), round);
  }
  ((struct clew_stmt *)stmt)->polls = is_long(efforts, effort);
  return plus(before, effort);
}

static uint64_t of_stmt(struct efforts *efforts, const struct clew_stmt *stmt) {
  if (stmt->kind == CLEW_STMT_FOR || stmt->kind == CLEW_STMT_WHILE) {
    return of_loop(efforts, stmt);
  }
  uint64_t sum = plus(of_expr(efforts, stmt->value), of_expr(efforts, stmt->value2));
  sum = plus(sum, plus(of_place(efforts, &stmt->place), of_place(efforts, &stmt->place2)));
  sum = plus(sum, cells_moved(stmt));
  if (stmt->kind == CLEW_STMT_CALL) {
    sum = plus(sum, of_call(efforts, stmt->call));
  }
  for (uint32_t i = 0; i < stmt->case_count; i++) {
    sum = plus(sum, of_list(efforts, stmt->cases[i].body));
  }
  return plus(sum, plus(of_list(efforts, stmt->body), of_list(efforts, stmt->otherwise)));
}

static uint64_t of_list(struct efforts *efforts, const struct clew_stmt *list) {
  uint64_t sum = 0;
  for (; list != NULL; list = list->next) {
    sum = plus(sum, of_stmt(efforts, list));
  }
  return sum;
}

/* ---- Functions, callees first ---------------------------------------------------------------- */

typedef CLEW_VEC(uint32_t) index_list;

struct calls {
  struct clew_walk walk;
  index_list *callers; /* of each function, as often as they call it */
  uint32_t *waiting;   /* calls in each function of others that are not measured */
  uint32_t caller;
};

static void note_call(struct clew_walk *walk, const struct clew_call *call, bool is_stmt) {
  struct calls *calls = (struct calls *)((char *)walk - offsetof(struct calls, walk));
  (void)is_stmt;
  clew_vec_push(&calls->callers[call->function->index], calls->caller);
  calls->waiting[calls->caller]++;
}

/* Pure expressions have no calls. */
static bool skip_pure(struct clew_walk *walk, const struct clew_expr *expr, bool raw) {
  (void)walk, (void)raw;
  return !expr->pure;
}

static void measure(struct efforts *efforts, uint32_t index) {
  struct clew_function *function = efforts->program->functions.data[index];
  uint64_t effort = plus(of_list(efforts, function->body), function->frame->cells);
  function->polls = is_long(efforts, effort);
  efforts->functions[index] = effort;
}

static void measure_functions(struct efforts *efforts) {
  const struct clew_program *program = efforts->program;
  uint32_t count = program->functions.len;
  struct calls calls = {.walk = {.call = note_call, .expr = skip_pure, .program = program},
                        .callers = clew_alloc_zero((size_t)count + 1, sizeof *calls.callers),
                        .waiting = clew_alloc_zero((size_t)count + 1, sizeof *calls.waiting)};
  index_list ready = {0};
  for (calls.caller = 0; calls.caller < count; calls.caller++) {
    efforts->functions[calls.caller] = ENDLESS;
    clew_walk_function(&calls.walk, program->functions.data[calls.caller]);
  }
  for (uint32_t i = 0; i < count; i++) {
    if (calls.waiting[i] == 0) {
      clew_vec_push(&ready, i);
    }
  }
  for (uint32_t next = 0; next < ready.len; next++) {
    uint32_t done = ready.data[next];
    measure(efforts, done);
    for (uint32_t j = 0; j < calls.callers[done].len; j++) {
      if (--calls.waiting[calls.callers[done].data[j]] == 0) {
        clew_vec_push(&ready, calls.callers[done].data[j]);
      }
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    if (calls.waiting[i] > 0) {
      measure(efforts, i);
      assert(program->functions.data[i]->polls);
    }
    clew_vec_free(&calls.callers[i]);
  }
  clew_vec_free(&ready);
  clew_free(calls.callers);
  clew_free(calls.waiting);
}

static void measure_families(struct efforts *efforts, struct clew_family *const *families,
                             uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t j = 0; j < families[i]->rule_count; j++) {
      (void)of_expr(efforts, families[i]->rules[j].guard);
      (void)of_list(efforts, families[i]->rules[j].body);
    }
  }
}

void clew_program_place_polls(struct clew_program *program) {
  struct efforts efforts = {
      .program = program,
      .functions = clew_alloc_zero((size_t)program->functions.len + 1, sizeof(uint64_t))};
  measure_functions(&efforts);
  measure_families(&efforts, program->starts.data, program->starts.len);
  measure_families(&efforts, program->families.data, program->families.len);
  for (uint32_t i = 0; i < program->labels.len; i++) {
    (void)of_expr(&efforts, program->labels.data[i].value);
  }
  program->stop_site = CLEW_NONE;
  if (efforts.polls) {
    program->stop_site = clew_program_add_site(
        program, CLEW_SITE_STOPPED, (struct clew_position){0}, "the evaluation was stopped");
  }
  clew_free(efforts.functions);
}
