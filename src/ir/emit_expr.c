/* Emitting C: expressions and calls. */
#include <inttypes.h>
#include <string.h>

#include "ir/emit_int.h"

void clew_emit_fail(struct clew_emitter *e, uint32_t site) {
  assert(e->out != NULL);
  /* A check without a site would be a mistake in the IR; jumping anyway keeps memory safe. */
  if (site == CLEW_NONE)
    clew_emit_line(e, "CLEW_RT_DROP();");
  else
    clew_emit_line(e, "CLEW_RT_FAIL(%" PRIu32 ");", site);
}

void clew_emit_poll(struct clew_emitter *e, bool polls) {
  if (!polls)
    return;
  assert(e->program->stop_site != CLEW_NONE);
  clew_emit_open(e, "if (CLEW_RT_RARE(*x->stop))");
  clew_emit_fail(e, e->program->stop_site);
  clew_emit_close(e);
}

bool clew_emit_may_be_undefined(const struct clew_expr *expr) {
  switch (expr->kind) {
  case CLEW_EXPR_UNDEFINED:
    return true;
  case CLEW_EXPR_LOAD_RAW:
    return expr->place.space != CLEW_SPACE_STATE || expr->place.type->undefinable;
  case CLEW_EXPR_CALL:
    assert(expr->call->function->result != NULL);
    return true;
  default:
    return false;
  }
}

static struct clew_frag lower_load(struct clew_emitter *e, const struct clew_expr *expr) {
  struct clew_emit_spot spot = clew_emit_place(e, &expr->place);
  assert(spot.type->kind == CLEW_TYPE_SCALAR);
  if (expr->kind == CLEW_EXPR_LOAD_RAW || expr->site == CLEW_NONE)
    return clew_emit_get(e, &spot, expr->kind == CLEW_EXPR_LOAD_RAW);
  struct clew_frag value;
  if (clew_emit_in_state(&spot)) {
    struct clew_frag raw = clew_frag_pin_raw(e, clew_emit_get_raw(e, &spot));
    clew_emit_open(e, "if (CLEW_RT_RARE(%s == 0))", raw.text);
    value = clew_emit_value(e, raw, spot.type, false);
  } else {
    value = clew_frag_pin(e, clew_emit_get(e, &spot, true));
    clew_emit_open(e, "if (CLEW_RT_RARE(%s == CLEW_RT_UNDEFINED))", value.text);
  }
  clew_emit_fail(e, expr->site);
  clew_emit_close(e);
  return value;
}

static struct clew_frag lower_is_undefined(struct clew_emitter *e, const struct clew_expr *expr) {
  struct clew_emit_spot block = clew_emit_place(e, &expr->place);
  struct clew_emit_spot spot =
      clew_emit_spot_shift(e, &block, 0, clew_type_cell(expr->place.type, 0));
  if (!clew_emit_in_state(&spot)) {
    struct clew_frag value = clew_emit_get(e, &spot, true);
    return clew_frag_make(clew_emit_text(e, "(%s == CLEW_RT_UNDEFINED)", value.text), true);
  }
  if (!spot.type->undefinable)
    return clew_frag_known(e, 0);
  struct clew_frag raw = clew_emit_get_raw(e, &spot);
  assert(!raw.known);
  return clew_frag_make(clew_emit_text(e, "(%s == 0)", raw.text), true);
}

/* ---- Operators ------------------------------------------------------------------------------- */

static const char *operator_text(enum clew_op op) {
  static const char *const texts[] = {
      [CLEW_OP_NEG] = "-",     [CLEW_OP_NOT] = "!",     [CLEW_OP_BIT_NOT] = "~",
      [CLEW_OP_ADD] = "+",     [CLEW_OP_SUB] = "-",     [CLEW_OP_MUL] = "*",
      [CLEW_OP_DIV] = "/",     [CLEW_OP_MOD] = "%",     [CLEW_OP_SHL] = "<<",
      [CLEW_OP_SHR] = ">>",    [CLEW_OP_BIT_AND] = "&", [CLEW_OP_BIT_OR] = "|",
      [CLEW_OP_BIT_XOR] = "^", [CLEW_OP_EQ] = "==",     [CLEW_OP_NE] = "!=",
      [CLEW_OP_LT] = "<",      [CLEW_OP_LE] = "<=",     [CLEW_OP_GT] = ">",
      [CLEW_OP_GE] = ">=",     [CLEW_OP_AND] = "&&",    [CLEW_OP_OR] = "||",
  };
  assert(op <= CLEW_OP_OR);
  return texts[op];
}

static const char *checked_text(enum clew_op op) {
  switch (op) {
  case CLEW_OP_NEG:
    return "neg";
  case CLEW_OP_ADD:
    return "add";
  case CLEW_OP_SUB:
    return "sub";
  case CLEW_OP_MUL:
    return "mul";
  case CLEW_OP_DIV:
    return "div";
  case CLEW_OP_MOD:
    return "mod";
  case CLEW_OP_SHL:
    return "shl";
  default:
    assert(op == CLEW_OP_SHR);
    return "shr";
  }
}

/* An operation that may leave the integers; `operands` is an argument list. */
static struct clew_frag lower_checked(struct clew_emitter *e, const struct clew_expr *expr,
                                      const char *operands) {
  const char *result = clew_emit_text(e, "t%u", e->temps++);
  assert(expr->site != CLEW_NONE);
  clew_emit_line(e, "int64_t %s;", result);
  clew_emit_open(e, "if (CLEW_RT_RARE(clew_rt_%s(%s, &%s)))", checked_text(expr->op), operands,
                 result);
  clew_emit_fail(e, expr->site);
  clew_emit_close(e);
  return clew_frag_make(result, false);
}

static struct clew_frag lower_unary(struct clew_emitter *e, const struct clew_expr *expr) {
  struct clew_frag a = clew_frag_hold(e, clew_emit_expr(e, expr->a), 0);
  if (expr->site != CLEW_NONE)
    return lower_checked(e, expr, a.text);
  assert(expr->op <= CLEW_OP_BIT_NOT);
  const char *cast = expr->op == CLEW_OP_NOT ? "" : "(int64_t)";
  return clew_frag_make(clew_emit_text(e, "(%s%s%s)", operator_text(expr->op), cast, a.text),
                        a.reads);
}

/* AND and OR whose second operand needs statements of its own, which must not always run. */
static struct clew_frag lower_short_circuit(struct clew_emitter *e, const struct clew_expr *expr) {
  struct clew_frag a = clew_emit_expr(e, expr->a);
  const char *result = clew_emit_text(e, "t%u", e->temps++);
  assert(expr->op == CLEW_OP_AND || expr->op == CLEW_OP_OR);
  clew_emit_line(e, "int64_t %s = %s != 0;", result, a.text);
  clew_emit_open(e, "if (%s%s)", expr->op == CLEW_OP_OR ? "!" : "", result);
  struct clew_frag b = clew_emit_expr(e, expr->b);
  clew_emit_line(e, "%s = %s != 0;", result, b.text);
  clew_emit_close(e);
  return clew_frag_make(result, false);
}

static struct clew_frag lower_binary(struct clew_emitter *e, const struct clew_expr *expr) {
  bool lazy = expr->op == CLEW_OP_AND || expr->op == CLEW_OP_OR;
  uint32_t later = clew_emit_flags(e, expr->b);
  if (lazy && (later & CLEW_EMIT_CODE) != 0)
    return lower_short_circuit(e, expr);
  struct clew_frag a = clew_frag_hold(e, clew_emit_expr(e, expr->a), later);
  struct clew_frag b = clew_frag_hold(e, clew_emit_expr(e, expr->b), 0);
  if (expr->site != CLEW_NONE)
    return lower_checked(e, expr, clew_emit_text(e, "%s, %s", a.text, b.text));
  assert(expr->op >= CLEW_OP_ADD && expr->op <= CLEW_OP_OR);
  const char *cast = expr->op < CLEW_OP_BIT_AND ? "(int64_t)" : "";
  return clew_frag_make(
      clew_emit_text(e, "(%s%s %s %s)", cast, a.text, operator_text(expr->op), b.text),
      a.reads || b.reads);
}

static struct clew_frag lower_cond(struct clew_emitter *e, const struct clew_expr *expr) {
  struct clew_frag a = clew_frag_hold(e, clew_emit_expr(e, expr->a), 0);
  uint32_t flags = clew_emit_flags(e, expr->b) | clew_emit_flags(e, expr->c);
  if ((flags & CLEW_EMIT_CODE) == 0) {
    struct clew_frag b = clew_frag_hold(e, clew_emit_expr(e, expr->b), 0);
    struct clew_frag c = clew_frag_hold(e, clew_emit_expr(e, expr->c), 0);
    return clew_frag_make(clew_emit_text(e, "(%s ? %s : %s)", a.text, b.text, c.text),
                          a.reads || b.reads || c.reads);
  }
  const char *result = clew_emit_text(e, "t%u", e->temps++);
  clew_emit_line(e, "int64_t %s;", result);
  clew_emit_open(e, "if (%s)", a.text);
  clew_emit_line(e, "%s = %s;", result, clew_emit_expr(e, expr->b).text);
  clew_emit_close(e);
  clew_emit_open(e, "else");
  clew_emit_line(e, "%s = %s;", result, clew_emit_expr(e, expr->c).text);
  clew_emit_close(e);
  assert(result[0] == 't');
  return clew_frag_make(result, false);
}

/* ---- Loops ----------------------------------------------------------------------------------- */

/* Unrolling is left to the compiler; for loops of few rounds and little in them it is asked to. */
static bool worth_unrolling(const struct clew_expr *from, const struct clew_expr *to, int64_t step,
                            uint64_t body_size) {
  enum { ROUNDS = 8, NODES = 240 };
  if (from->kind != CLEW_EXPR_CONST || to->kind != CLEW_EXPR_CONST)
    return false;
  uint64_t distance = step > 0 ? (uint64_t)to->value - (uint64_t)from->value
                               : (uint64_t)from->value - (uint64_t)to->value;
  uint64_t rounds = distance / (step > 0 ? (uint64_t)step : -(uint64_t)step) + 1;
  assert(step != 0);
  return distance <= INT64_MAX && rounds <= ROUNDS && rounds * body_size <= NODES;
}

const char *clew_emit_loop(struct clew_emitter *e, uint32_t cell, const struct clew_expr *from,
                           const struct clew_expr *to, int64_t step, uint64_t body_size) {
  struct clew_frag first = clew_frag_hold(e, clew_emit_expr(e, from), clew_emit_flags(e, to));
  struct clew_frag last = clew_frag_pin(e, clew_emit_expr(e, to));
  uint32_t counter = e->temps++;
  const char *compare = step > 0 ? "<=" : ">=";
  const char *step_text = clew_frag_known(e, step).text;
  bool wraps = step > 0 ? to->hi > INT64_MAX - step : to->lo < INT64_MIN - step;
  assert(step != 0);
  if (!e->compact && worth_unrolling(from, to, step, body_size))
    clew_emit_line(e, "#pragma GCC unroll 8");
  if (wraps)
    clew_emit_open(e, "for (int64_t t%u = %s; t%u %s %s;)", counter, first.text, counter, compare,
                   last.text);
  else
    clew_emit_open(e, "for (int64_t t%u = %s; t%u %s %s; t%u += %s)", counter, first.text, counter,
                   compare, last.text, counter, step_text);
  clew_emit_line(e, "%s = t%u;", clew_emit_cell(e, cell), counter);
  if (!wraps)
    return "";
  return clew_emit_text(e, "if (__builtin_add_overflow(t%u, %s, &t%u)) break;", counter, step_text,
                        counter);
}

static struct clew_frag lower_quantify(struct clew_emitter *e, const struct clew_expr *expr) {
  const char *result = clew_emit_text(e, "t%u", e->temps++);
  assert(expr->c->kind == CLEW_EXPR_CONST);
  clew_emit_line(e, "int64_t %s = %d;", result, expr->op == CLEW_OP_FORALL);
  const char *end = clew_emit_loop(e, expr->cell, expr->a, expr->b, expr->c->value, expr->d->size);
  clew_emit_poll(e, expr->polls);
  struct clew_frag value = clew_emit_expr(e, expr->d);
  switch (expr->op) {
  case CLEW_OP_FORALL:
    clew_emit_line(e, "if (!%s) { %s = 0; break; }", value.text, result);
    break;
  case CLEW_OP_EXISTS:
    clew_emit_line(e, "if (%s) { %s = 1; break; }", value.text, result);
    break;
  case CLEW_OP_COUNT:
    clew_emit_line(e, "%s += %s != 0;", result, value.text);
    break;
  default:
    assert(expr->op == CLEW_OP_SUM);
    clew_emit_line(e, "%s += %s;", result, value.text);
    break;
  }
  clew_emit_line(e, "%s", end);
  clew_emit_close(e);
  return clew_frag_make(result, false);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* What may be written after value argument i is evaluated. */
static uint32_t flags_after(struct clew_emitter *e, const struct clew_call *call, uint32_t i) {
  uint32_t flags = 0;
  assert(i < call->function->value_count);
  for (uint32_t j = i + 1; j < call->function->value_count; j++)
    flags |= clew_emit_flags(e, call->values[j]);
  for (uint32_t j = 0; j < call->function->reference_count; j++)
    flags |= clew_emit_place_flags(e, &call->refs[j]);
  return flags;
}

static void put_references(struct clew_emitter *e, const struct clew_call *call,
                           struct clew_text *arguments) {
  uint32_t count = call->function->reference_count;
  for (uint32_t i = 0; i < count; i++) {
    struct clew_emit_spot spot = clew_emit_place(e, &call->refs[i]);
    uint32_t later = 0;
    for (uint32_t j = i + 1; j < count; j++)
      later |= clew_emit_place_flags(e, &call->refs[j]);
    if ((later & CLEW_EMIT_WRITES) != 0)
      clew_emit_spot_pin(e, &spot);
    assert(clew_emit_in_state(&spot) == (call->function->references[i].space == CLEW_SPACE_STATE));
    clew_text_printf(arguments, ", %s", clew_emit_spot_reference(e, &spot));
  }
}

struct clew_frag clew_emit_call(struct clew_emitter *e, const struct clew_call *call) {
  const struct clew_function *function = call->function;
  struct clew_text arguments = {0};
  for (uint32_t i = 0; i < function->value_count; i++) {
    struct clew_frag value = clew_emit_expr(e, call->values[i]);
    value = clew_frag_hold(e, value, flags_after(e, call, i));
    clew_text_printf(&arguments, ", %s", value.text);
  }
  put_references(e, call, &arguments);
  if (e->counts_depth && call->site != CLEW_NONE) {
    clew_emit_open(e, "if (CLEW_RT_RARE(x->depth >= %d))", CLEW_MAX_CALL_DEPTH);
    clew_emit_fail(e, call->site);
    clew_emit_close(e);
  }
  if (e->counts_depth)
    clew_emit_line(e, "x->depth++;");
  const char *result = "0";
  if (function->result != NULL) {
    result = clew_emit_text(e, "t%u", e->temps++);
    clew_emit_line(e, "const int64_t %s = p%" PRIu32 "(s, x%s);", result, function->index,
                   clew_text_str(&arguments));
  } else {
    clew_emit_line(e, "p%" PRIu32 "(s, x%s);", function->index, clew_text_str(&arguments));
  }
  clew_text_free(&arguments);
  if (e->functions[function->index].may_fail || e->counts_depth)
    clew_emit_line(e, "if (CLEW_RT_RARE(x->pending)) goto out;");
  if (e->counts_depth)
    clew_emit_line(e, "x->depth--;");
  assert(e->program->functions.data[function->index] == function);
  return clew_frag_make(result, false);
}

/* ---- All ------------------------------------------------------------------------------------- */

struct clew_frag clew_emit_expr(struct clew_emitter *e, const struct clew_expr *expr) {
  switch (expr->kind) {
  case CLEW_EXPR_CONST:
    return clew_frag_known(e, expr->value);
  case CLEW_EXPR_LOAD:
  case CLEW_EXPR_LOAD_RAW:
    return lower_load(e, expr);
  case CLEW_EXPR_UNDEFINED:
    return clew_frag_known(e, CLEW_UNDEFINED);
  case CLEW_EXPR_IS_UNDEFINED:
    return lower_is_undefined(e, expr);
  case CLEW_EXPR_UNARY:
    return lower_unary(e, expr);
  case CLEW_EXPR_BINARY:
    return lower_binary(e, expr);
  case CLEW_EXPR_COND:
    return lower_cond(e, expr);
  case CLEW_EXPR_QUANTIFY:
    return lower_quantify(e, expr);
  case CLEW_EXPR_LET:
    clew_emit_line(e, "%s = %s;", clew_emit_cell(e, expr->cell), clew_emit_expr(e, expr->a).text);
    return clew_emit_expr(e, expr->b);
  case CLEW_EXPR_CALL:
    return clew_emit_call(e, expr->call);
  case CLEW_EXPR_EQUAL: {
    struct clew_emit_spot a = clew_emit_place(e, &expr->place);
    if ((clew_emit_place_flags(e, &expr->place2) & CLEW_EMIT_WRITES) != 0)
      clew_emit_spot_pin(e, &a);
    struct clew_emit_spot b = clew_emit_place(e, &expr->place2);
    return clew_emit_equal(e, &a, &b);
  }
  }
  assert(false);
  return clew_frag_known(e, 0);
}
