/* The access analysis: statements. An execution that faults or is discarded has no successor, so
 * what follows a failed assertion is unreachable. */
#include <assert.h>

#include "ir/access_int.h"
#include "ir/range.h"

static const struct clew_known unknown = {.known = false};

/* ---- Branches ----------------------------------------------------------------------------- */

static void run_if(struct clew_abstract *a, const struct clew_stmt *stmt) {
  struct clew_known value = clew_abstract_eval(a, stmt->value);
  assert(stmt->kind == CLEW_STMT_IF);
  if (value.known) {
    clew_abstract_run(a, value.value != 0 ? stmt->body : stmt->otherwise);
    return;
  }
  struct clew_flow before = clew_flow_save(a);
  clew_abstract_run(a, stmt->body);
  struct clew_flow after = clew_flow_save(a);
  clew_flow_load(a, &before);
  clew_abstract_run(a, stmt->otherwise);
  clew_flow_merge(a, &after);
  clew_flow_free(&before);
}

/* How many of the case's constants the value can be. */
static uint64_t case_hits(const struct clew_case *branch, const struct clew_expr *value) {
  uint64_t hits = 0;
  assert(value->lo <= value->hi);
  for (uint32_t i = 0; i < branch->value_count; i++) {
    hits += branch->values[i] >= value->lo && branch->values[i] <= value->hi;
  }
  return hits;
}

static const struct clew_stmt *case_of(const struct clew_stmt *stmt, int64_t value) {
  assert(stmt->kind == CLEW_STMT_SWITCH);
  for (uint32_t i = 0; i < stmt->case_count; i++) {
    for (uint32_t j = 0; j < stmt->cases[i].value_count; j++) {
      if (stmt->cases[i].values[j] == value) {
        return stmt->cases[i].body;
      }
    }
  }
  return stmt->otherwise;
}

static void run_switch(struct clew_abstract *a, const struct clew_stmt *stmt) {
  struct clew_known value = clew_abstract_eval(a, stmt->value);
  if (value.known) {
    clew_abstract_run(a, case_of(stmt, value.value));
    return;
  }
  struct clew_flow before = clew_flow_save(a), after = clew_flow_save(a);
  after.reachable = false;
  uint64_t hits = 0;
  for (uint32_t i = 0; i < stmt->case_count; i++) {
    uint64_t here = case_hits(&stmt->cases[i], stmt->value);
    if (here > 0) {
      clew_flow_load(a, &before);
      clew_abstract_run(a, stmt->cases[i].body);
      clew_flow_join(a, &after);
    }
    hits += here;
  }
  clew_flow_load(a, &before);
  uint64_t others = (uint64_t)stmt->value->hi - (uint64_t)stmt->value->lo;
  assert(hits == 0 || hits - 1 <= others);
  if (hits > others) {
    a->flow.reachable = false; /* every value has a case */
  } else {
    clew_abstract_run(a, stmt->otherwise);
  }
  clew_flow_merge(a, &after);
  clew_flow_free(&before);
}

/* ---- Loops -------------------------------------------------------------------------------- */

static void run_unrolled(struct clew_abstract *a, const struct clew_stmt *stmt, int64_t from,
                         uint64_t iterations) {
  assert(iterations > 0);
  a->unrolled *= iterations;
  for (uint64_t i = 0; i < iterations && a->flow.reachable && !a->gave_up; i++) {
    int64_t value = (int64_t)((uint64_t)from + i * (uint64_t)stmt->step);
    clew_abstract_bind(a, a->activation->frame, stmt->cell,
                       (struct clew_known){.known = true, .value = value});
    clew_abstract_run(a, stmt->body);
  }
  a->unrolled /= iterations;
}

/* Any number of iterations with an unknown variable: the flow at the head is weakened until the
 * body does not change it any more. Each round makes a cell unknown, so there are few. */
static void run_any(struct clew_abstract *a, const struct clew_stmt *stmt, bool surely) {
  struct clew_flow head = clew_flow_save(a);
  assert(stmt->kind == CLEW_STMT_FOR);
  for (;;) {
    clew_abstract_bind(a, a->activation->frame, stmt->cell, unknown);
    clew_abstract_run(a, stmt->body);
    bool changed = clew_flow_join(a, &head);
    if (stmt->exhaustive && a->activation->exit.cells != NULL) {
      clew_flow_load(a, &a->activation->exit); /* iterations go on behind a return */
      changed |= clew_flow_join(a, &head);
    }
    if (!changed || a->gave_up) {
      break;
    }
    clew_flow_load(a, &head);
  }
  if (!surely) {
    clew_flow_load(a, &head);
  }
  clew_flow_free(&head);
}

static void run_for(struct clew_abstract *a, const struct clew_stmt *stmt) {
  struct clew_known from = clew_abstract_eval(a, stmt->value);
  struct clew_known to = clew_abstract_eval(a, stmt->value2);
  uint64_t iterations = UINT64_MAX;
  bool surely =
      stmt->step > 0 ? stmt->value->hi <= stmt->value2->lo : stmt->value->lo >= stmt->value2->hi;
  assert(stmt->step != 0);
  if (from.known && to.known) {
    iterations = clew_range_iterations(from.value, to.value, stmt->step);
    surely = iterations > 0;
  }
  if (iterations == 0) {
    return;
  }
  if (stmt->exhaustive) {
    run_any(a, stmt, false);
  } else if (clew_abstract_unrolls(a, iterations)) {
    run_unrolled(a, stmt, from.value, iterations);
  } else {
    run_any(a, stmt, surely);
  }
  clew_abstract_bind(a, a->activation->frame, stmt->cell, unknown);
}

static void run_while(struct clew_abstract *a, const struct clew_stmt *stmt) {
  struct clew_flow head = clew_flow_save(a);
  assert(stmt->kind == CLEW_STMT_WHILE);
  bool changed = true;
  while (changed && !a->gave_up) {
    struct clew_known value = clew_abstract_eval(a, stmt->value);
    if (value.known && value.value == 0) {
      clew_flow_free(&head);
      return;
    }
    clew_abstract_run(a, stmt->body);
    changed = clew_flow_join(a, &head);
    clew_flow_load(a, &head);
  }
  clew_flow_free(&head);
  /* Out of the loop: after the condition, at the head. */
  struct clew_known value = clew_abstract_eval(a, stmt->value);
  if (value.known && value.value != 0) {
    a->flow.reachable = false;
  }
}

/* ---- The others --------------------------------------------------------------------------- */

static struct clew_known cleared(const struct clew_stmt *stmt) {
  const struct clew_type *type = stmt->place.type;
  assert(stmt->kind == CLEW_STMT_CLEAR || stmt->kind == CLEW_STMT_UNDEFINE);
  if (type->kind != CLEW_TYPE_SCALAR) {
    return unknown;
  }
  bool undefined = stmt->kind == CLEW_STMT_UNDEFINE && type->undefinable;
  return (struct clew_known){.known = true, .value = undefined ? CLEW_UNDEFINED : type->domain->lo};
}

static void run_return(struct clew_abstract *a, const struct clew_stmt *stmt) {
  struct clew_activation *activation = a->activation;
  struct clew_known value = unknown;
  if (stmt->value != NULL) {
    value = clew_abstract_eval(a, stmt->value);
  }
  if (!a->flow.reachable) {
    return;
  }
  if (activation->exit.cells == NULL) {
    activation->exit = clew_flow_save(a);
  } else {
    clew_flow_join(a, &activation->exit);
  }
  assert(activation->exit.reachable);
  bool same = !activation->returned ||
              (activation->result.known && value.known && activation->result.value == value.value);
  activation->result = same ? value : unknown;
  activation->returned = true;
  a->flow.reachable = false;
}

static void run_blocks(struct clew_abstract *a, const struct clew_stmt *stmt) {
  struct clew_region to, from;
  assert(stmt->place.type != NULL);
  if (stmt->kind == CLEW_STMT_CLEAR || stmt->kind == CLEW_STMT_UNDEFINE) {
    to = clew_abstract_locate(a, &stmt->place);
    clew_region_write(a, &to, cleared(stmt));
    return;
  }
  if (stmt->kind == CLEW_STMT_BAG_REMOVE) {
    to = clew_abstract_locate(a, &stmt->place);
    clew_abstract_eval(a, stmt->value);
    clew_region_update(a, &to);
    return;
  }
  from = clew_abstract_locate(a, &stmt->place2);
  to = clew_abstract_locate(a, &stmt->place);
  if (stmt->kind == CLEW_STMT_COPY) {
    clew_region_copy(a, &to, &from);
  } else {
    assert(stmt->kind == CLEW_STMT_BAG_ADD);
    clew_region_read(a, &from);
    clew_region_update(a, &to);
  }
}

static void run_assign(struct clew_abstract *a, const struct clew_stmt *stmt) {
  struct clew_known value = clew_abstract_eval(a, stmt->value);
  struct clew_region to = clew_abstract_locate(a, &stmt->place);
  assert(stmt->place.type->kind == CLEW_TYPE_SCALAR);
  clew_region_write(a, &to, to.cells == 1 ? value : unknown);
}

static void run_one(struct clew_abstract *a, const struct clew_stmt *stmt) {
  struct clew_known value;
  assert((unsigned)stmt->kind <= CLEW_STMT_BAG_REMOVE);
  switch (stmt->kind) {
  case CLEW_STMT_BLOCK:
    clew_abstract_run(a, stmt->body);
    break;
  case CLEW_STMT_ASSIGN:
    run_assign(a, stmt);
    break;
  case CLEW_STMT_COPY:
  case CLEW_STMT_CLEAR:
  case CLEW_STMT_UNDEFINE:
  case CLEW_STMT_BAG_ADD:
  case CLEW_STMT_BAG_REMOVE:
    run_blocks(a, stmt);
    break;
  case CLEW_STMT_IF:
    run_if(a, stmt);
    break;
  case CLEW_STMT_SWITCH:
    run_switch(a, stmt);
    break;
  case CLEW_STMT_FOR:
    run_for(a, stmt);
    break;
  case CLEW_STMT_WHILE:
    run_while(a, stmt);
    break;
  case CLEW_STMT_CALL:
    clew_abstract_call(a, stmt->call);
    break;
  case CLEW_STMT_RETURN:
    run_return(a, stmt);
    break;
  case CLEW_STMT_ASSERT:
  case CLEW_STMT_ASSUME:
    value = clew_abstract_eval(a, stmt->value);
    if (value.known && value.value == 0) {
      a->flow.reachable = false;
    }
    break;
  case CLEW_STMT_COVER:
    clew_abstract_eval(a, stmt->value);
    break;
  }
}

void clew_abstract_run(struct clew_abstract *a, const struct clew_stmt *list) {
  assert(a->activation != NULL);
  if (!clew_abstract_enter(a)) {
    return;
  }
  for (; list != NULL && a->flow.reachable && !a->gave_up; list = list->next) {
    run_one(a, list);
  }
  clew_abstract_leave(a);
}

void clew_abstract_run_body(struct clew_abstract *a, struct clew_activation *activation,
                            const struct clew_stmt *body) {
  activation->caller = a->activation;
  a->activation = activation;
  clew_abstract_run(a, body);
  a->activation = activation->caller;
  /* A function that ends without the result it owes has faulted. */
  if (activation->function != NULL && activation->function->result != NULL) {
    a->flow.reachable = false;
  }
  if (activation->exit.cells != NULL) {
    clew_flow_merge(a, &activation->exit);
  }
  assert(activation->exit.cells == NULL);
}
