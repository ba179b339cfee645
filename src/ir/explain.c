/* Explanations.
 *
 * A run-time error is executed again, and the interpreter tells the values at the place where it
 * happens. The value of a label is explained by the parts of it that decide it: of a false `and`
 * the first false operand, of a false `or` both, of a false quantifier "for all" the first value
 * for which it is false, and so on, down to comparisons, whose operands are named with their
 * values. */
#include "ir/explain.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "ir/explain_int.h"
#include "ir/ir_int.h"

enum { MOST_FACTS = 8, MOST_DEPTH = 200, MOST_TEXT = 120 };

/* What is known so far: facts, and values of quantified variables. */
struct facts {
  struct clew_text list, bound;
  uint32_t count, depth;
};

/* ---- Names ---------------------------------------------------------------------------------- */

static void put_value(const struct clew_domain *domain, int64_t value, struct clew_text *out) {
  if (value == CLEW_UNDEFINED)
    clew_text_put(out, "undefined");
  else if (domain != NULL && value >= domain->lo && value <= domain->hi)
    clew_domain_print(domain, value, out);
  else
    clew_text_printf(out, "%lld", (long long)value);
}

/* The variable of the explained frame that has the cell, or NULL. */
static const struct clew_variable *variable_of(const struct clew_explainer *explainer,
                                               uint32_t cell) {
  for (uint32_t i = 0; explainer->frame != NULL && i < explainer->frame->variables.len; i++) {
    const struct clew_variable *variable = &explainer->frame->variables.data[i];
    if (cell >= variable->cell && cell < variable->cell + variable->type->cells)
      return variable;
  }
  return NULL;
}

/* The name of a cell; false where it has none. */
static bool put_spot(const struct clew_interp *in, struct clew_spot spot, struct clew_text *out) {
  const struct clew_explainer *explainer = in->explainer;
  if (spot.cells == NULL) {
    clew_text_put(out, in->slots[spot.slot].name);
    return true;
  }
  if (explainer->cells == NULL || in->cells != explainer->cells || spot.cells < explainer->cells)
    return false;
  const struct clew_variable *variable =
      variable_of(explainer, (uint32_t)(spot.cells - explainer->cells));
  if (variable == NULL || variable->name == NULL || variable->type->cells != 1)
    return false;
  clew_text_put(out, variable->name);
  return true;
}

static void put_range(const struct clew_domain *domain, struct clew_text *out) {
  put_value(domain, domain->lo, out);
  if (domain->hi > domain->lo) {
    clew_text_put(out, "..");
    put_value(domain, domain->hi, out);
  }
}

/* ---- Run-time errors --------------------------------------------------------------------------
 */

void clew_explain_range(struct clew_interp *in, struct clew_spot spot, const struct clew_type *type,
                        int64_t value, uint32_t site) {
  assert(type->kind == CLEW_TYPE_SCALAR);
  if (!clew_explains(in))
    return;
  struct clew_text *out = in->explainer->out;
  if (!put_spot(in, spot, out))
    clew_text_put(out, "the value");
  clew_text_put(out, " = ");
  put_value(type->domain, value, out);
  /* Only if the message has the same range: a front end may know that fewer values occur. */
  struct clew_text range = {0};
  put_range(type->domain, &range);
  if (site != CLEW_NONE &&
      strstr(in->program->sites.data[site].message, clew_text_str(&range)) != NULL)
    clew_text_printf(out, ", allowed %s", clew_text_str(&range));
  clew_text_free(&range);
}

void clew_explain_index(struct clew_interp *in, const struct clew_index *index, int64_t value) {
  if (!clew_explains(in))
    return;
  clew_text_printf(in->explainer->out, "index = %lld, allowed %lld..%lld", (long long)value,
                   (long long)index->lo, (long long)(index->lo + (int64_t)index->count - 1));
}

void clew_explain_arithmetic(struct clew_interp *in, const struct clew_expr *expr, int64_t a,
                             int64_t b) {
  if (!clew_explains(in))
    return;
  clew_text_printf(in->explainer->out, "it is %lld %s %lld", (long long)a, clew_op_word(expr->op),
                   (long long)b);
}

void clew_explain_undefined(struct clew_interp *in, const struct clew_place *place) {
  if (!clew_explains(in) || place->index_count == 0)
    return; /* the message has its name */
  struct clew_spot spot = clew_interp_locate(in, place);
  size_t before = in->explainer->out->len;
  if (in->pending == CLEW_NONE && put_spot(in, spot, in->explainer->out))
    clew_text_put(in->explainer->out, " is undefined");
  assert(in->explainer->out->len >= before);
}

void clew_explain_no_result(struct clew_interp *in, const struct clew_function *function,
                            const int64_t *cells) {
  if (!clew_explains(in))
    return;
  struct clew_text *out = in->explainer->out;
  for (uint32_t i = 0; i < function->value_count; i++) {
    const struct clew_variable *parameter = &function->frame->variables.data[i];
    clew_text_printf(out, "%s%s = ", i > 0 ? ", " : "called with ",
                     parameter->name != NULL ? parameter->name : "a value");
    put_value(parameter->type->domain, cells[i], out);
  }
}

/* ---- Truth ---------------------------------------------------------------------------------- */

/* The value of a part of the expression, which has been computed without fault before. */
static int64_t value_of(struct clew_interp *in, const struct clew_expr *expr) {
  return clew_interp_eval(in, expr);
}

/* The load of a scalar that the expression is, or NULL. "Undefined ? some number : load" is one,
 * too: so front ends lower values that can be compared while they are undefined. */
static const struct clew_expr *cell_of(const struct clew_expr *expr) {
  if (expr->kind == CLEW_EXPR_COND && expr->a->kind == CLEW_EXPR_IS_UNDEFINED &&
      expr->b->kind == CLEW_EXPR_CONST)
    expr = expr->c;
  bool loads = expr->kind == CLEW_EXPR_LOAD || expr->kind == CLEW_EXPR_LOAD_RAW;
  return loads && expr->place.type->kind == CLEW_TYPE_SCALAR ? expr : NULL;
}

/* The same for one whose place is in the state, and has a value of its own: that an element of a
 * multiset is present says its name. */
static const struct clew_expr *state_cell_of(const struct clew_expr *expr) {
  const struct clew_expr *cell = cell_of(expr);
  bool is_told = cell != NULL && cell->kind == CLEW_EXPR_LOAD &&
                 cell->place.space != CLEW_SPACE_FRAME && cell->place.type != clew_type_presence();
  return is_told ? cell : NULL;
}

/* The value of a cell, which may be undefined. */
static int64_t value_of_cell(struct clew_interp *in, const struct clew_expr *expr) {
  bool is_undefined = expr->kind == CLEW_EXPR_COND && value_of(in, expr->a) != 0;
  return is_undefined ? CLEW_UNDEFINED : value_of(in, cell_of(expr));
}

/* The domain by which the values of an expression print, or NULL. */
static const struct clew_domain *domain_of(const struct clew_expr *expr) {
  const struct clew_expr *cell = cell_of(expr);
  return cell != NULL ? cell->place.type->domain : NULL;
}

/* The expression as text, with the names of the cells that it reads now; false where it has parts
 * that have no short text. */
static bool put_expr(struct clew_interp *in, const struct clew_expr *expr,
                     const struct clew_domain *domain, struct clew_text *out) {
  if (out->len > MOST_TEXT)
    return false;
  switch (expr->kind) {
  case CLEW_EXPR_CONST:
    put_value(domain, expr->value, out);
    return true;
  case CLEW_EXPR_LOAD:
  case CLEW_EXPR_LOAD_RAW:
    return put_spot(in, clew_interp_locate(in, &expr->place), out);
  case CLEW_EXPR_COND:
    return cell_of(expr) != NULL && put_expr(in, cell_of(expr), domain, out);
  case CLEW_EXPR_BINARY: {
    if (expr->op == CLEW_OP_AND || expr->op == CLEW_OP_OR)
      return false;
    bool nested = expr->a->kind == CLEW_EXPR_BINARY, ok = true;
    clew_text_put(out, nested ? "(" : "");
    ok = put_expr(in, expr->a, domain_of(expr->b), out);
    clew_text_put(out, nested ? ")" : "");
    clew_text_printf(out, " %s ", clew_op_word(expr->op));
    nested = expr->b->kind == CLEW_EXPR_BINARY;
    clew_text_put(out, nested ? "(" : "");
    ok = ok && put_expr(in, expr->b, domain_of(expr->a), out);
    clew_text_put(out, nested ? ")" : "");
    return ok;
  }
  default:
    return false;
  }
}

static void add_fact(struct facts *facts, const struct clew_text *fact) {
  if (fact->len == 0 || strstr(clew_text_str(&facts->list), clew_text_str(fact)) != NULL)
    return;
  if (facts->count++ < MOST_FACTS)
    clew_text_printf(&facts->list, "%s%s", facts->list.len > 0 ? ", " : "", clew_text_str(fact));
  else if (facts->count == MOST_FACTS + 1)
    clew_text_put(&facts->list, ", …");
}

/* Adds "x = 3" for each cell that the expression reads. Constants and bound values add none. */
static void add_cells(struct clew_interp *in, const struct clew_expr *expr, struct facts *facts) {
  const struct clew_expr *cell = state_cell_of(expr);
  if (++facts->depth < MOST_DEPTH && cell != NULL) {
    struct clew_text fact = {0};
    if (put_spot(in, clew_interp_locate(in, &cell->place), &fact)) {
      clew_text_put(&fact, " = ");
      put_value(cell->place.type->domain, value_of_cell(in, expr), &fact);
      add_fact(facts, &fact);
    }
    clew_text_free(&fact);
  } else if (facts->depth < MOST_DEPTH &&
             (expr->kind == CLEW_EXPR_BINARY || expr->kind == CLEW_EXPR_UNARY)) {
    add_cells(in, expr->a, facts);
    if (expr->kind == CLEW_EXPR_BINARY)
      add_cells(in, expr->b, facts);
  }
  facts->depth--;
}

/* Whether the expression reads something that is not a bound value. */
static bool reads_state(const struct clew_expr *expr) {
  switch (expr->kind) {
  case CLEW_EXPR_CONST:
    return false;
  case CLEW_EXPR_LOAD:
    return expr->place.space != CLEW_SPACE_FRAME;
  case CLEW_EXPR_COND:
    return cell_of(expr) == NULL || state_cell_of(expr) != NULL;
  case CLEW_EXPR_UNARY:
    return reads_state(expr->a);
  case CLEW_EXPR_BINARY:
    return reads_state(expr->a) || reads_state(expr->b);
  default:
    return true;
  }
}

/* A comparison, or something else that has no parts worth naming. */
static void add_leaf(struct clew_interp *in, const struct clew_expr *expr, bool value,
                     struct facts *facts) {
  bool compares =
      expr->kind == CLEW_EXPR_BINARY && expr->op >= CLEW_OP_EQ && expr->op <= CLEW_OP_GE;
  const struct clew_expr *cell = compares ? state_cell_of(expr->a) : NULL;
  bool with_const = cell != NULL && expr->b->kind == CLEW_EXPR_CONST;
  struct clew_text fact = {0};
  if (!reads_state(expr))
    return;
  if (with_const && put_spot(in, clew_interp_locate(in, &cell->place), &fact)) {
    const struct clew_domain *domain = cell->place.type->domain;
    clew_text_put(&fact, " = ");
    put_value(domain, value_of_cell(in, expr->a), &fact);
    if (!value && expr->op != CLEW_OP_NE) {
      clew_text_printf(&fact, ", not %s", expr->op != CLEW_OP_EQ ? clew_op_word(expr->op) : "");
      clew_text_put(&fact, expr->op != CLEW_OP_EQ ? " " : "");
      put_value(domain, expr->b->value, &fact);
    }
    add_fact(facts, &fact);
  } else if (expr->kind == CLEW_EXPR_IS_UNDEFINED) {
    bool is_scalar = expr->place.type->kind == CLEW_TYPE_SCALAR;
    if (is_scalar && put_spot(in, clew_interp_locate(in, &expr->place), &fact)) {
      clew_text_put(&fact, value ? " is undefined" : " is defined");
      add_fact(facts, &fact);
    }
  } else if (cell_of(expr) != NULL) {
    add_cells(in, expr, facts);
  } else if (put_expr(in, expr, NULL, &fact)) {
    clew_text_put(&fact, value ? " is true" : " is false");
    add_fact(facts, &fact);
    add_cells(in, expr, facts);
  } else {
    add_cells(in, expr, facts);
  }
  clew_text_free(&fact);
}

static void explain_truth(struct clew_interp *in, const struct clew_expr *expr, bool value,
                          struct facts *facts);

static void add_binding(struct clew_interp *in, const struct clew_expr *expr, int64_t value,
                        struct facts *facts) {
  const struct clew_variable *variable = variable_of(in->explainer, expr->cell);
  if (variable != NULL && variable->name != NULL && variable->type->cells == 1) {
    clew_text_printf(&facts->bound, "%s%s = ", facts->bound.len > 0 ? ", " : "", variable->name);
    put_value(variable->type->domain, value, &facts->bound);
  }
}

/* FORALL that is false, EXISTS that is true: the first value that shows it. */
static void explain_witness(struct clew_interp *in, const struct clew_expr *expr, bool value,
                            struct facts *facts) {
  int64_t from = value_of(in, expr->a), to = value_of(in, expr->b), step = value_of(in, expr->c);
  assert(step != 0);
  for (int64_t i = from; in->pending == CLEW_NONE && (step > 0 ? i <= to : i >= to);) {
    in->cells[expr->cell] = i;
    if ((value_of(in, expr->d) != 0) == value) {
      in->cells[expr->cell] = i;
      add_binding(in, expr, i, facts);
      explain_truth(in, expr->d, value, facts);
      return;
    }
    if (__builtin_add_overflow(i, step, &i))
      return;
  }
}

/* FORALL that is true, EXISTS that is false: of every value, so none of them is worth naming. */
static void explain_all(struct clew_interp *in, const struct clew_expr *expr, bool every,
                        struct facts *facts) {
  const struct clew_variable *variable = variable_of(in->explainer, expr->cell);
  struct clew_text fact = {0};
  clew_text_printf(&fact, "%s value of %s", every ? "every" : "no",
                   variable != NULL && variable->name != NULL ? variable->name : "a quantifier");
  clew_text_put(&fact, " satisfies its condition");
  add_fact(facts, &fact);
  clew_text_free(&fact);
}

/* "How many are there" = 0, or != 0: a quantifier that front ends want evaluated for all values. */
static bool is_count_of_none(const struct clew_expr *expr) {
  return expr->kind == CLEW_EXPR_BINARY && (expr->op == CLEW_OP_EQ || expr->op == CLEW_OP_NE) &&
         expr->a->kind == CLEW_EXPR_QUANTIFY && expr->a->op == CLEW_OP_COUNT &&
         expr->b->kind == CLEW_EXPR_CONST && expr->b->value == 0;
}

static void explain_junction(struct clew_interp *in, const struct clew_expr *expr, bool value,
                             struct facts *facts) {
  bool both = (expr->op == CLEW_OP_AND) == value; /* a true `and`, a false `or` */
  bool first = (value_of(in, expr->a) != 0) == value;
  if (both || first)
    explain_truth(in, expr->a, value, facts);
  if (both || !first)
    explain_truth(in, expr->b, value, facts);
}

static void explain_truth(struct clew_interp *in, const struct clew_expr *expr, bool value,
                          struct facts *facts) {
  if (facts->depth >= MOST_DEPTH || in->pending != CLEW_NONE)
    return;
  facts->depth++;
  bool is_junction =
      expr->kind == CLEW_EXPR_BINARY && (expr->op == CLEW_OP_AND || expr->op == CLEW_OP_OR);
  if (is_junction) {
    explain_junction(in, expr, value, facts);
  } else if (expr->kind == CLEW_EXPR_UNARY && expr->op == CLEW_OP_NOT) {
    explain_truth(in, expr->a, !value, facts);
  } else if (expr->kind == CLEW_EXPR_COND) {
    bool then = value_of(in, expr->a) != 0;
    explain_truth(in, expr->a, then, facts);
    explain_truth(in, then ? expr->b : expr->c, value, facts);
  } else if (expr->kind == CLEW_EXPR_LET) {
    in->cells[expr->cell] = value_of(in, expr->a);
    explain_truth(in, expr->b, value, facts);
  } else if (expr->kind == CLEW_EXPR_QUANTIFY &&
             (expr->op == CLEW_OP_FORALL || expr->op == CLEW_OP_EXISTS)) {
    if ((expr->op == CLEW_OP_EXISTS) == value)
      explain_witness(in, expr, value, facts);
    else
      explain_all(in, expr, expr->op == CLEW_OP_FORALL, facts);
  } else if (is_count_of_none(expr)) {
    if ((expr->op == CLEW_OP_NE) == value)
      explain_witness(in, expr->a, true, facts);
    else
      explain_all(in, expr->a, false, facts);
  } else {
    add_leaf(in, expr, value, facts);
  }
  facts->depth--;
}

static void put_facts(struct clew_interp *in, const struct clew_expr *expr, bool value,
                      struct clew_text *out) {
  struct facts facts = {0};
  explain_truth(in, expr, value, &facts);
  clew_text_put(out, clew_text_str(&facts.list));
  if (facts.bound.len > 0 && facts.list.len > 0)
    clew_text_printf(out, " (%s)", clew_text_str(&facts.bound));
  else
    clew_text_put(out, clew_text_str(&facts.bound));
  clew_text_free(&facts.list);
  clew_text_free(&facts.bound);
}

void clew_explain_false(struct clew_interp *in, const struct clew_expr *expr) {
  if (clew_explains(in) && in->cells == in->explainer->cells && expr->kind != CLEW_EXPR_CONST)
    put_facts(in, expr, false, in->explainer->out);
}

/* ---- Executing again ------------------------------------------------------------------------ */

static void explain_label(struct clew_interp *in, uint32_t label, struct clew_text *out) {
  const struct clew_label_code *code = &in->program->labels.data[label];
  struct clew_explainer *explainer = in->explainer;
  explainer->frame = code->frame;
  explainer->cells = in->cells;
  bool value = clew_interp_eval(in, code->value) != 0;
  if (in->pending == CLEW_NONE)
    put_facts(in, code->value, value, out);
}

void clew_explain(const struct clew_program *program, const struct clew_occasion *occasion,
                  struct clew_text *out) {
  struct clew_explainer explainer = {.out = out};
  struct clew_interp in;
  if (occasion->label != CLEW_NONE) {
    assert(occasion->state != NULL && occasion->label < program->labels.len);
    struct clew_stack_mark mark =
        clew_interp_enter_label(&in, program, occasion->label, occasion->state, &explainer);
    explain_label(&in, occasion->label, out);
    clew_stack_pop(in.stack, mark);
    return;
  }
  clew_interp_explain_edge(program, occasion->is_start, occasion->state, occasion->edge,
                           &explainer);
}

void clew_explain_sent(const struct clew_program *program, const uint64_t *state, uint32_t edge,
                       struct clew_text *out) {
  struct clew_edge_parts parts = clew_program_edge(program, false, edge);
  const struct clew_rule *rule = parts.rule;
  if (rule->sent_count == 0)
    return;
  struct clew_text values = {0};
  bool known = true;
  for (uint32_t i = 0; i < rule->sent_count && known; i++) {
    int64_t value;
    known = clew_interp_value(program, &parts, rule->sent[i], state, &value);
    clew_text_put(&values, i > 0 ? ", " : "");
    put_value(domain_of(rule->sent[i]), value, &values);
  }
  bool several = rule->sent_count > 1;
  if (known)
    clew_text_printf(out, "!%s%s%s", several ? "{" : "", clew_text_str(&values),
                     several ? "}" : "");
  clew_text_free(&values);
}

/* ---- Tests ---------------------------------------------------------------------------------- */

/* The `or` below quantifiers and lets that the label consists of; NULL: it has another form. A
 * counted quantifier asks for values that violate it, so its `or` is below a NOT. */
static const struct clew_expr *find_or(const struct clew_expr *expr) {
  for (;;) {
    if (expr->kind == CLEW_EXPR_QUANTIFY && expr->op == CLEW_OP_FORALL)
      expr = expr->d;
    else if (is_count_of_none(expr) && expr->op == CLEW_OP_EQ &&
             expr->a->d->kind == CLEW_EXPR_UNARY && expr->a->d->op == CLEW_OP_NOT)
      expr = expr->a->d->a;
    else if (expr->kind == CLEW_EXPR_LET)
      expr = expr->b;
    else
      break;
  }
  return expr->kind == CLEW_EXPR_BINARY && expr->op == CLEW_OP_OR ? expr : NULL;
}

static bool tests(struct clew_interp *in, const struct clew_expr *expr);

static bool tests_some(struct clew_interp *in, const struct clew_expr *quantifier,
                       const struct clew_expr *body) {
  int64_t from = value_of(in, quantifier->a), to = value_of(in, quantifier->b),
          step = value_of(in, quantifier->c);
  for (int64_t i = from; in->pending == CLEW_NONE && (step > 0 ? i <= to : i >= to);) {
    in->cells[quantifier->cell] = i;
    if (tests(in, body))
      return true;
    if (__builtin_add_overflow(i, step, &i))
      return false;
  }
  return false;
}

static bool tests(struct clew_interp *in, const struct clew_expr *expr) {
  if (expr->kind == CLEW_EXPR_QUANTIFY)
    return tests_some(in, expr, expr->d);
  if (is_count_of_none(expr))
    return tests_some(in, expr->a, expr->a->d->a);
  if (expr->kind == CLEW_EXPR_LET) {
    in->cells[expr->cell] = value_of(in, expr->a);
    return tests(in, expr->b);
  }
  assert(expr->kind == CLEW_EXPR_BINARY && expr->op == CLEW_OP_OR);
  return value_of(in, expr->a) == 0;
}

bool clew_explain_tests(const struct clew_program *program, uint32_t label, const uint64_t *state) {
  const struct clew_expr *value = program->labels.data[label].value;
  bool has_form = find_or(value) != NULL;
  if (state == NULL || !has_form)
    return has_form;
  struct clew_interp in;
  struct clew_stack_mark mark = clew_interp_enter_label(&in, program, label, state, NULL);
  bool tested = tests(&in, value) || in.pending != CLEW_NONE;
  clew_stack_pop(in.stack, mark);
  return tested;
}
