/* Emitting C: statements. */
#include <inttypes.h>

#include "ir/emit_int.h"

/* ---- Assignment ------------------------------------------------------------------------------ */

/* Between cells that store the same values the same way: the number moves as it is. */
static bool is_raw_move(const struct clew_stmt *stmt) {
  const struct clew_expr *value = stmt->value;
  if (value->kind != CLEW_EXPR_LOAD_RAW || stmt->checked)
    return false;
  assert(stmt->place.type->kind == CLEW_TYPE_SCALAR);
  const struct clew_type *to = stmt->place.type, *from = value->place.type;
  return to->undefinable == from->undefinable && to->domain->lo == from->domain->lo &&
         to->domain->hi == from->domain->hi;
}

static void raw_move(struct clew_emitter *e, const struct clew_stmt *stmt) {
  struct clew_emit_spot from = clew_emit_place(e, &stmt->value->place);
  uint32_t flags = clew_emit_place_flags(e, &stmt->place);
  if (clew_emit_in_state(&from)) {
    struct clew_frag raw = clew_emit_get_raw(e, &from);
    if ((flags & CLEW_EMIT_WRITES) != 0)
      raw = clew_frag_pin_raw(e, raw);
    struct clew_emit_spot to = clew_emit_place(e, &stmt->place);
    if (clew_emit_in_state(&to))
      clew_emit_set_raw(e, &to, raw);
    else
      clew_emit_set(e, &to, clew_emit_value(e, raw, from.type, true), true);
    return;
  }
  struct clew_frag value = clew_frag_hold(e, clew_emit_get(e, &from, true), flags);
  struct clew_emit_spot to = clew_emit_place(e, &stmt->place);
  assert(!value.known);
  clew_emit_set(e, &to, clew_frag_pin(e, value), true);
}

/* Out of range: a fault. Undefined is in range where it can be stored. */
static void check_range(struct clew_emitter *e, const struct clew_stmt *stmt,
                        struct clew_frag value, bool may_be_undefined) {
  const struct clew_domain *domain = stmt->place.type->domain;
  const char *undefined = "";
  if (may_be_undefined && stmt->place.type->undefinable)
    undefined = clew_emit_text(e, "%s != CLEW_RT_UNDEFINED && ", value.text);
  assert(domain->lo <= domain->hi);
  clew_emit_open(e, "if (CLEW_RT_RARE(%s(%s < %s || %s > %s)))", undefined, value.text,
                 clew_emit_number(e, domain->lo), value.text, clew_emit_number(e, domain->hi));
  clew_emit_fail(e, stmt->site);
  clew_emit_close(e);
}

static void put_assign(struct clew_emitter *e, const struct clew_stmt *stmt) {
  if (is_raw_move(stmt)) {
    raw_move(e, stmt);
    return;
  }
  bool may_be_undefined = clew_emit_may_be_undefined(stmt->value);
  struct clew_frag value = clew_emit_expr(e, stmt->value);
  value = clew_frag_hold(e, value, clew_emit_place_flags(e, &stmt->place));
  if (stmt->checked)
    value = clew_frag_pin(e, value);
  struct clew_emit_spot spot = clew_emit_place(e, &stmt->place);
  assert(spot.type->kind == CLEW_TYPE_SCALAR);
  if (stmt->checked)
    check_range(e, stmt, value, may_be_undefined);
  clew_emit_set(e, &spot, value, may_be_undefined);
}

/* ---- Blocks and bags ------------------------------------------------------------------------- */

/* Source first, then destination; both stay valid. */
static void put_transfer(struct clew_emitter *e, const struct clew_stmt *stmt) {
  struct clew_emit_spot from = clew_emit_place(e, &stmt->place2);
  if ((clew_emit_place_flags(e, &stmt->place) & CLEW_EMIT_WRITES) != 0)
    clew_emit_spot_pin(e, &from);
  struct clew_emit_spot to = clew_emit_place(e, &stmt->place);
  assert(stmt->kind == CLEW_STMT_COPY || stmt->kind == CLEW_STMT_BAG_ADD);
  if (stmt->kind == CLEW_STMT_COPY)
    clew_emit_copy(e, &to, &from);
  else
    clew_emit_bag_add(e, &to, &from, stmt->site);
}

static void put_remove(struct clew_emitter *e, const struct clew_stmt *stmt) {
  struct clew_emit_spot bag = clew_emit_place(e, &stmt->place);
  if ((clew_emit_flags(e, stmt->value) & CLEW_EMIT_WRITES) != 0)
    clew_emit_spot_pin(e, &bag);
  struct clew_frag position = clew_emit_expr(e, stmt->value);
  bool safe = stmt->value->lo >= 0 && stmt->value->hi < (int64_t)bag.type->count;
  assert(bag.type->kind == CLEW_TYPE_BAG);
  clew_emit_bag_remove(e, &bag, position, !safe, stmt->site);
}

/* ---- Control --------------------------------------------------------------------------------- */

static void put_block(struct clew_emitter *e, const struct clew_stmt *list) {
  clew_emit_list(e, list);
  clew_emit_close(e);
  assert(e->indent > 0);
}

static void put_if(struct clew_emitter *e, const struct clew_stmt *stmt) {
  struct clew_frag condition = clew_emit_expr(e, stmt->value);
  assert(condition.text != NULL);
  clew_emit_open(e, "if (%s)", condition.text);
  put_block(e, stmt->body);
  if (stmt->otherwise != NULL) {
    clew_emit_open(e, "else");
    put_block(e, stmt->otherwise);
  }
}

static void put_switch(struct clew_emitter *e, const struct clew_stmt *stmt) {
  struct clew_frag value = clew_emit_expr(e, stmt->value);
  assert(stmt->case_count == 0 || stmt->cases != NULL);
  clew_emit_open(e, "switch ((int64_t)%s)", value.text);
  for (uint32_t i = 0; i < stmt->case_count; i++) {
    const struct clew_case *branch = &stmt->cases[i];
    if (branch->value_count == 0)
      continue;
    for (uint32_t j = 0; j < branch->value_count; j++)
      clew_emit_line(e, "case %s:", clew_emit_number(e, branch->values[j]));
    clew_emit_open(e, "%s", "");
    clew_emit_list(e, branch->body);
    clew_emit_line(e, "break;");
    clew_emit_close(e);
  }
  clew_emit_open(e, "default:");
  clew_emit_list(e, stmt->otherwise);
  clew_emit_line(e, "break;");
  clew_emit_close(e);
  clew_emit_close(e);
}

/* A return out of the innermost loop that has to be left at its end only, or of the routine. */
static void put_leave(struct clew_emitter *e, const char *value) {
  bool has_result = e->function != NULL && e->function->result != NULL;
  assert(has_result || value == NULL);
  if (e->exhaustive != CLEW_NONE) {
    if (has_result)
      clew_emit_line(e, "result%" PRIu32 " = %s;", e->exhaustive, value != NULL ? value : "0");
    clew_emit_line(e, "left%" PRIu32 " = true;", e->exhaustive);
    clew_emit_line(e, "goto next%" PRIu32 ";", e->exhaustive);
  } else if (has_result) {
    clew_emit_line(e, "return %s;", value != NULL ? value : "0");
  } else {
    clew_emit_line(e, e->function != NULL ? "return;" : "goto out;");
  }
}

static void put_for(struct clew_emitter *e, const struct clew_stmt *stmt) {
  uint32_t size = clew_emit_weight(e, NULL, stmt->body), outer = e->exhaustive;
  uint32_t number = stmt->exhaustive ? e->temps++ : CLEW_NONE;
  bool has_result = e->function != NULL && e->function->result != NULL;
  if (stmt->exhaustive) {
    clew_emit_line(e, "bool left%" PRIu32 " = false;", number);
    if (has_result)
      clew_emit_line(e, "int64_t result%" PRIu32 " = 0;", number);
    e->exhaustive = number;
  }
  const char *end = clew_emit_loop(e, stmt->cell, stmt->value, stmt->value2, stmt->step, size);
  clew_emit_poll(e, stmt->polls);
  clew_emit_list(e, stmt->body);
  if (stmt->exhaustive)
    clew_emit_line(e, "next%" PRIu32 ":;", number);
  clew_emit_line(e, "%s", end);
  clew_emit_close(e);
  e->exhaustive = outer;
  if (stmt->exhaustive) {
    clew_emit_open(e, "if (left%" PRIu32 ")", number);
    put_leave(e, has_result ? clew_emit_text(e, "result%" PRIu32, number) : NULL);
    clew_emit_close(e);
  }
  assert(stmt->step != 0);
}

static void put_while(struct clew_emitter *e, const struct clew_stmt *stmt) {
  uint32_t counter = e->temps++;
  clew_emit_open(e, "for (uint64_t t%u = 0;; t%u++)", counter, counter);
  clew_emit_poll(e, stmt->polls);
  struct clew_frag condition = clew_emit_expr(e, stmt->value);
  clew_emit_line(e, "if (!%s) break;", condition.text);
  clew_emit_open(e, "if (CLEW_RT_RARE(t%u == UINT64_C(%" PRIu64 ")))", counter, stmt->limit);
  clew_emit_fail(e, stmt->site);
  clew_emit_close(e);
  clew_emit_list(e, stmt->body);
  clew_emit_close(e);
  assert(stmt->kind == CLEW_STMT_WHILE);
}

static void put_return(struct clew_emitter *e, const struct clew_stmt *stmt) {
  bool has_result = e->function != NULL && e->function->result != NULL;
  assert(stmt->kind == CLEW_STMT_RETURN);
  put_leave(e, stmt->value != NULL && has_result ? clew_emit_expr(e, stmt->value).text : NULL);
}

/* ASSERT, ASSUME, COVER. */
static void put_test(struct clew_emitter *e, const struct clew_stmt *stmt) {
  struct clew_frag value = clew_emit_expr(e, stmt->value);
  switch (stmt->kind) {
  case CLEW_STMT_ASSERT:
    clew_emit_open(e, "if (CLEW_RT_RARE(!%s))", value.text);
    clew_emit_fail(e, stmt->site);
    clew_emit_close(e);
    return;
  case CLEW_STMT_ASSUME:
    clew_emit_line(e, "if (!%s) CLEW_RT_DROP();", value.text);
    return;
  default:
    assert(stmt->kind == CLEW_STMT_COVER && stmt->cell < e->program->cover_count);
    clew_emit_line(e, "if (%s) clew_rt_cover(x, %" PRIu32 ");", value.text, stmt->cell);
    return;
  }
}

static void put_statement(struct clew_emitter *e, const struct clew_stmt *stmt) {
  switch (stmt->kind) {
  case CLEW_STMT_BLOCK:
    clew_emit_list(e, stmt->body);
    return;
  case CLEW_STMT_ASSIGN:
    put_assign(e, stmt);
    return;
  case CLEW_STMT_COPY:
  case CLEW_STMT_BAG_ADD:
    put_transfer(e, stmt);
    return;
  case CLEW_STMT_BAG_REMOVE:
    put_remove(e, stmt);
    return;
  case CLEW_STMT_CLEAR:
  case CLEW_STMT_UNDEFINE: {
    struct clew_emit_spot spot = clew_emit_place(e, &stmt->place);
    clew_emit_reset(e, &spot, stmt->kind == CLEW_STMT_UNDEFINE);
    return;
  }
  case CLEW_STMT_IF:
    put_if(e, stmt);
    return;
  case CLEW_STMT_SWITCH:
    put_switch(e, stmt);
    return;
  case CLEW_STMT_FOR:
    put_for(e, stmt);
    return;
  case CLEW_STMT_WHILE:
    put_while(e, stmt);
    return;
  case CLEW_STMT_CALL:
    clew_emit_call(e, stmt->call);
    return;
  case CLEW_STMT_RETURN:
    put_return(e, stmt);
    return;
  case CLEW_STMT_ASSERT:
  case CLEW_STMT_ASSUME:
  case CLEW_STMT_COVER:
    put_test(e, stmt);
    return;
  }
  assert(false);
}

void clew_emit_list(struct clew_emitter *e, const struct clew_stmt *list) {
  assert(e->out != NULL);
  for (const struct clew_stmt *stmt = list; stmt != NULL; stmt = stmt->next)
    put_statement(e, stmt);
}
