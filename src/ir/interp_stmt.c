/* The interpreter: statements. Execution functions answer whether a RETURN left the function or
 * rule, which ends every list and loop around it. */
#include "ir/explain_int.h"
#include "ir/interp_int.h"

/* Whether a cell of the type can hold the value. */
static bool fits(const struct clew_type *type, int64_t value) {
  assert(type->kind == CLEW_TYPE_SCALAR);
  if (value == CLEW_UNDEFINED)
    return type->undefinable;
  return value >= type->domain->lo && value <= type->domain->hi;
}

static void run_assign(struct clew_interp *in, const struct clew_stmt *stmt) {
  int64_t value = clew_interp_eval(in, stmt->value);
  struct clew_spot spot = clew_interp_locate(in, &stmt->place);
  if (fits(stmt->place.type, value)) {
    clew_interp_set(in, spot, value);
  } else {
    clew_explain_range(in, spot, stmt->place.type, value, stmt->site);
    clew_interp_fault(in, stmt->site);
  }
}

static void run_copy(struct clew_interp *in, const struct clew_stmt *stmt) {
  assert(stmt->place.type->cells == stmt->place2.type->cells);
  struct clew_spot from = clew_interp_locate(in, &stmt->place2);
  struct clew_spot to = clew_interp_locate(in, &stmt->place);
  clew_interp_copy(in, to, from, stmt->place.type->cells);
}

static void run_bag_add(struct clew_interp *in, const struct clew_stmt *stmt) {
  assert(stmt->place.type->element->cells == stmt->place2.type->cells);
  struct clew_spot element = clew_interp_locate(in, &stmt->place2);
  struct clew_spot bag = clew_interp_locate(in, &stmt->place);
  if (!clew_interp_bag_add(in, bag, stmt->place.type, element))
    clew_interp_fault(in, stmt->site);
}

static void run_bag_remove(struct clew_interp *in, const struct clew_stmt *stmt) {
  struct clew_spot bag = clew_interp_locate(in, &stmt->place);
  int64_t position = clew_interp_eval(in, stmt->value);
  /* Its range says so, unless a front end lied. */
  assert(position >= 0 && position < stmt->place.type->count);
  clew_interp_bag_remove(in, bag, stmt->place.type, (uint32_t)position);
}

static void run_cover(struct clew_interp *in, const struct clew_stmt *stmt) {
  assert(stmt->cell < in->program->cover_count);
  /* What happens after a run-time error is no evidence that anything is reachable. */
  if (clew_interp_eval(in, stmt->value) != 0 && in->pending == CLEW_NONE && in->covered != NULL)
    clew_bitset_add(in->covered, stmt->cell);
}

static bool run_switch(struct clew_interp *in, const struct clew_stmt *stmt) {
  int64_t value = clew_interp_eval(in, stmt->value);
  for (uint32_t i = 0; i < stmt->case_count; i++) {
    const struct clew_case *branch = &stmt->cases[i];
    for (uint32_t j = 0; j < branch->value_count; j++)
      if (branch->values[j] == value)
        return clew_interp_run(in, branch->body);
  }
  return clew_interp_run(in, stmt->otherwise);
}

static bool run_for(struct clew_interp *in, const struct clew_stmt *stmt) {
  int64_t from = clew_interp_eval(in, stmt->value);
  int64_t to = clew_interp_eval(in, stmt->value2);
  int64_t step = stmt->step, result = 0;
  bool returned = false;
  assert(step != 0);
  for (int64_t i = from; in->pending == CLEW_NONE && (step > 0 ? i <= to : i >= to);) {
    in->cells[stmt->cell] = i;
    clew_interp_poll(in, stmt->polls);
    if (clew_interp_run(in, stmt->body)) {
      if (!stmt->exhaustive)
        return true;
      returned = true;
      result = in->result;
    }
    if (__builtin_add_overflow(i, step, &i))
      break;
  }
  if (returned)
    in->result = result; /* calls of later iterations have left theirs */
  return returned;
}

static bool run_while(struct clew_interp *in, const struct clew_stmt *stmt) {
  for (uint64_t i = 0; in->pending == CLEW_NONE && clew_interp_eval(in, stmt->value) != 0; i++) {
    if (i == stmt->limit) {
      clew_interp_fault(in, stmt->site);
      return false;
    }
    clew_interp_poll(in, stmt->polls);
    if (clew_interp_run(in, stmt->body))
      return true;
  }
  return false;
}

/* Statements that contain no others and never leave. */
static void run_simple(struct clew_interp *in, const struct clew_stmt *stmt) {
  switch (stmt->kind) {
  case CLEW_STMT_ASSIGN:
    run_assign(in, stmt);
    return;
  case CLEW_STMT_COPY:
    run_copy(in, stmt);
    return;
  case CLEW_STMT_CLEAR:
    clew_interp_clear(in, clew_interp_locate(in, &stmt->place), stmt->place.type);
    return;
  case CLEW_STMT_UNDEFINE:
    clew_interp_undefine(in, clew_interp_locate(in, &stmt->place), stmt->place.type);
    return;
  case CLEW_STMT_CALL:
    clew_interp_call(in, stmt->call);
    return;
  case CLEW_STMT_ASSERT:
    if (clew_interp_eval(in, stmt->value) == 0) {
      clew_explain_false(in, stmt->value);
      clew_interp_fault(in, stmt->site);
    }
    return;
  case CLEW_STMT_ASSUME:
    if (clew_interp_eval(in, stmt->value) == 0)
      clew_interp_fault(in, CLEW_INTERP_DISCARD);
    return;
  case CLEW_STMT_COVER:
    run_cover(in, stmt);
    return;
  case CLEW_STMT_BAG_ADD:
    run_bag_add(in, stmt);
    return;
  default:
    assert(stmt->kind == CLEW_STMT_BAG_REMOVE);
    run_bag_remove(in, stmt);
    return;
  }
}

static bool run_one(struct clew_interp *in, const struct clew_stmt *stmt) {
  switch (stmt->kind) {
  case CLEW_STMT_BLOCK:
    return clew_interp_run(in, stmt->body);
  case CLEW_STMT_IF:
    return clew_interp_run(in,
                           clew_interp_eval(in, stmt->value) != 0 ? stmt->body : stmt->otherwise);
  case CLEW_STMT_SWITCH:
    return run_switch(in, stmt);
  case CLEW_STMT_FOR:
    return run_for(in, stmt);
  case CLEW_STMT_WHILE:
    return run_while(in, stmt);
  case CLEW_STMT_RETURN:
    in->result = stmt->value == NULL ? 0 : clew_interp_eval(in, stmt->value);
    return true;
  default:
    run_simple(in, stmt);
    return false;
  }
}

bool clew_interp_run(struct clew_interp *in, const struct clew_stmt *list) {
  assert(in->cells != NULL);
  for (const struct clew_stmt *stmt = list; stmt != NULL; stmt = stmt->next)
    if (run_one(in, stmt))
      return true;
  return false;
}
