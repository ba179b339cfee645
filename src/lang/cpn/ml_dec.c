/* CPN ML: declarations. */
#include <string.h>

#include "lang/cpn/ml_parse.h"

static struct cpn_dec *dec_node(struct cpn_parser *p, enum cpn_dec_kind kind) {
  struct cpn_dec *dec = CLEW_NEW(p->reader->ml->arena, struct cpn_dec);
  dec->kind = kind;
  dec->offset = cpn_peek(p)->offset;
  dec->length = cpn_peek(p)->length;
  return dec;
}

static void skip_type_vars(struct cpn_parser *p) {
  while (cpn_peek(p)->kind == CPN_K_TYVAR) {
    p->at++;
  }
}

/* ---- fun ---- */

/* One clause: the name, patterns, perhaps the type of the result, and the body. A function may be
 * written as an infix: fun a plus b = … */
static bool fun_clause(struct cpn_parser *p, struct cpn_fun *fun, uint32_t *arity,
                       struct cpn_clause *out) {
  CLEW_VEC(struct cpn_expr *) patterns = {0};
  (void)cpn_take(p, "op");
  uint32_t offset = cpn_peek(p)->offset, length = cpn_peek(p)->length;
  struct cpn_name *name = NULL;
  if (cpn_peek(p)->kind == CPN_K_NAME || cpn_peek(p)->kind == CPN_K_SYMBOL) {
    name = cpn_take_name(p, "the name of a function");
  } else {
    cpn_unexpected(p, "the name of a function");
  }
  if (fun->name != NULL && name != NULL && name != fun->name) {
    cpn_fail(p->reader, offset, length, "this is a clause of '%s', not of '%s'",
             fun->name->base.text, name->base.text);
  }
  fun->name = name;
  fun->offset = offset;
  fun->length = length;
  while (!p->reader->failed && cpn_begins_pattern(p)) {
    clew_vec_push(&patterns, cpn_atomic_pattern(p));
  }
  if (patterns.len == 0 || patterns.len > 4 || (*arity != 0 && *arity != patterns.len)) {
    cpn_fail(p->reader, offset, length,
             patterns.len > 4    ? "functions have at most four curried arguments here"
             : patterns.len == 0 ? "a function needs an argument"
                                 : "clauses of a function have the same number of arguments");
  }
  *arity = patterns.len;
  struct cpn_type_expr *result = cpn_take(p, ":") ? cpn_type_expression(p) : NULL;
  if (cpn_expect(p, "=")) {
    out->body = cpn_expression(p);
  }
  if (result != NULL && out->body != NULL) {
    struct cpn_expr *typed = cpn_node(p, CPN_TYPED, out->body->offset, 1);
    typed->length = out->body->length;
    typed->parts[0] = out->body;
    typed->type = result;
    out->body = typed;
  }
  out->patterns =
      clew_arena_copy(p->reader->ml->arena, patterns.data, patterns.len, sizeof *patterns.data);
  clew_vec_free(&patterns);
  return !p->reader->failed;
}

static struct cpn_dec *fun_dec(struct cpn_parser *p) {
  struct cpn_dec *dec = dec_node(p, CPN_FUN);
  struct cpn_fun **last = &dec->funs;
  skip_type_vars(p);
  do {
    struct cpn_fun *fun = CLEW_NEW(p->reader->ml->arena, struct cpn_fun);
    CLEW_VEC(struct cpn_clause) list = {0};
    do {
      struct cpn_clause clause = {0};
      (void)fun_clause(p, fun, &fun->clauses.arity, &clause);
      clew_vec_push(&list, clause);
    } while (!p->reader->failed && cpn_take(p, "|"));
    fun->clauses.list =
        clew_arena_copy(p->reader->ml->arena, list.data, list.len, sizeof *list.data);
    fun->clauses.count = list.len;
    clew_vec_free(&list);
    *last = fun;
    last = &fun->next;
  } while (!p->reader->failed && cpn_take(p, "and"));
  return dec;
}

/* ---- the others ---- */

static struct cpn_dec *val_dec(struct cpn_parser *p) {
  struct cpn_dec *dec = dec_node(p, CPN_VAL);
  skip_type_vars(p);
  dec->is_recursive = cpn_take(p, "rec");
  dec->pattern = cpn_pattern(p);
  if (cpn_expect(p, "=")) {
    dec->body = cpn_expression(p);
  }
  if (!p->reader->failed && cpn_take(p, "and")) {
    dec->next = val_dec(p);
  }
  return dec;
}

static struct cpn_constructor *constructor(struct cpn_parser *p) {
  struct cpn_constructor *con = CLEW_NEW(p->reader->ml->arena, struct cpn_constructor);
  con->name = cpn_take_name(p, "the name of a constructor");
  if (!p->reader->failed && cpn_take(p, "of")) {
    con->arg = cpn_type_expression(p);
  }
  return con;
}

static struct cpn_dec *exception_dec(struct cpn_parser *p) {
  struct cpn_dec *dec = dec_node(p, CPN_EXCEPTION);
  struct cpn_constructor **last = &dec->constructors;
  do {
    *last = constructor(p);
    last = &(*last)->next;
  } while (!p->reader->failed && cpn_take(p, "and"));
  return dec;
}

static void type_vars(struct cpn_parser *p, struct cpn_dec *dec) {
  CLEW_VEC(struct cpn_name *) vars = {0};
  bool in_brackets = cpn_take(p, "(");
  while (cpn_peek(p)->kind == CPN_K_TYVAR) {
    const struct cpn_token *token = cpn_peek(p);
    clew_vec_push(&vars, cpn_name(p->reader->ml, p->reader->text->source.text + token->offset,
                                  token->length));
    p->at++;
    (void)cpn_take(p, ",");
  }
  if (in_brackets) {
    cpn_expect(p, ")");
  }
  dec->type_var_count = vars.len;
  dec->type_vars = clew_arena_copy(p->reader->ml->arena, vars.data, vars.len, sizeof *vars.data);
  clew_vec_free(&vars);
}

static struct cpn_dec *type_dec(struct cpn_parser *p, bool is_data) {
  struct cpn_dec *dec = dec_node(p, is_data ? CPN_DATATYPE : CPN_TYPE);
  type_vars(p, dec);
  dec->name = cpn_take_name(p, "the name of a type");
  if (!cpn_expect(p, "=")) {
    return dec;
  }
  if (is_data) {
    struct cpn_constructor **last = &dec->constructors;
    do {
      *last = constructor(p);
      last = &(*last)->next;
    } while (!p->reader->failed && cpn_take(p, "|"));
  } else {
    dec->type = cpn_type_expression(p);
  }
  if (!p->reader->failed && cpn_take(p, "and")) {
    dec->next = type_dec(p, is_data);
  }
  return dec;
}

static struct cpn_dec *local_dec(struct cpn_parser *p) {
  struct cpn_dec *dec = dec_node(p, CPN_LOCAL_DEC);
  dec->inner = cpn_declarations(p);
  if (cpn_expect(p, "in")) {
    dec->outer = cpn_declarations(p);
    cpn_expect(p, "end");
  }
  return dec;
}

/* How operators bind is known from here on, in all texts that follow. */
static void infix_dec(struct cpn_parser *p, bool right) {
  uint8_t precedence = 0;
  if (cpn_peek(p)->kind == CPN_K_INT) {
    precedence = (uint8_t)(p->reader->text->source.text[cpn_peek(p)->offset] - '0');
    p->at++;
  }
  while (cpn_peek(p)->kind == CPN_K_NAME || cpn_peek(p)->kind == CPN_K_SYMBOL) {
    struct cpn_name *name = cpn_take_name(p, "an operator");
    name->infix = (uint8_t)(precedence % 10 + 1);
    name->infix_right = right;
  }
}

static struct cpn_dec *declaration(struct cpn_parser *p) {
  if (cpn_take(p, "val")) {
    return val_dec(p);
  }
  if (cpn_take(p, "fun")) {
    return fun_dec(p);
  }
  if (cpn_take(p, "exception")) {
    return exception_dec(p);
  }
  if (cpn_take(p, "datatype")) {
    return type_dec(p, true);
  }
  if (cpn_take(p, "type")) {
    return type_dec(p, false);
  }
  if (cpn_take(p, "local")) {
    return local_dec(p);
  }
  return cpn_unexpected(p, "a declaration");
}

struct cpn_dec *cpn_declarations(struct cpn_parser *p) {
  struct cpn_dec *first = NULL, **last = &first;
  if (!cpn_enter(p)) {
    return NULL;
  }
  for (;;) {
    if (p->reader->failed || cpn_peek(p)->kind == CPN_K_END || cpn_is(p, "in") ||
        cpn_is(p, "end")) {
      break;
    }
    if (cpn_take(p, ";")) {
      continue;
    }
    if (cpn_take(p, "infix")) {
      infix_dec(p, false);
    } else if (cpn_take(p, "infixr")) {
      infix_dec(p, true);
    } else {
      *last = declaration(p);
      while (*last != NULL) {
        last = &(*last)->next;
      }
    }
  }
  p->depth--;
  return first;
}
