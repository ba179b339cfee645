/* Parsing types, variables, functions' heads and parameters.
 *
 * A declaration begins with a word of types, or with two names, the first being that of a type. The
 * old syntax has constants without a type (`const N 5, a[2] {1, 2};`) and parameters in groups
 * (`const id; int x, y; clock c`) that are references unless they are constant. */
#include <assert.h>

#include "lang/uppaal/uppaal_int.h"

/* ---- Types ---------------------------------------------------------------------------------- */

static struct uppaal_type *type_new(struct clew_cursor *c) {
  struct uppaal_type *type = CLEW_NEW(c->front->arena, struct uppaal_type);
  type->span = clew_cursor_here(c);
  return type;
}

static bool is_foreign_word(const struct clew_cursor *c) {
  return clew_uppaal_at_word(c, "double") || clew_uppaal_at_word(c, "string");
}

bool clew_uppaal_starts_type(const struct clew_cursor *c) {
  switch (clew_cursor_peek(c)) {
  case UPPAAL_TOKEN_BOOL:
  case UPPAAL_TOKEN_BROADCAST:
  case UPPAAL_TOKEN_CHAN:
  case UPPAAL_TOKEN_CLOCK:
  case UPPAAL_TOKEN_CONST:
  case UPPAAL_TOKEN_INT:
  case UPPAAL_TOKEN_META:
  case UPPAAL_TOKEN_SCALAR:
  case UPPAAL_TOKEN_STRUCT:
  case UPPAAL_TOKEN_VOID:
    return true;
  case UPPAAL_TOKEN_URGENT: /* else it begins a list of locations */
    return clew_cursor_peek2(c) != CLEW_TOKEN_NAME;
  case CLEW_TOKEN_NAME:
    return clew_cursor_peek2(c) == CLEW_TOKEN_NAME ||
           (clew_uppaal_at_word(c, "hybrid") && clew_cursor_peek2(c) == UPPAAL_TOKEN_CLOCK);
  default:
    return false;
  }
}

static void parse_prefixes(struct clew_cursor *c, struct uppaal_type *type) {
  for (;;) {
    if (clew_cursor_accept(c, UPPAAL_TOKEN_CONST)) {
      type->is_const = true;
    } else if (clew_cursor_accept(c, UPPAAL_TOKEN_META)) {
      type->is_meta = true;
    } else if (clew_cursor_accept(c, UPPAAL_TOKEN_URGENT)) {
      type->is_urgent = true;
    } else if (clew_cursor_accept(c, UPPAAL_TOKEN_BROADCAST)) {
      type->is_broadcast = true;
    } else if (clew_uppaal_at_word(c, "hybrid") && clew_cursor_peek2(c) == UPPAAL_TOKEN_CLOCK) {
      c->at++;
      type->is_hybrid = true;
    } else {
      return;
    }
  }
}

/* int, or int[lo, hi] */
static void parse_range(struct clew_cursor *c, struct uppaal_type *type) {
  type->kind = UPPAAL_TYPE_INT;
  (void)(clew_cursor_mistake(c, CLEW_TOKEN_NUMBER, "a name", "a range is written 'int[0,7]'") ||
         clew_cursor_mistake(c, UPPAAL_TOKEN_LPAREN, "a name", "a range is written 'int[0,7]'"));
  if (!clew_cursor_accept(c, UPPAAL_TOKEN_LBRACKET)) {
    return;
  }
  type->lo = clew_uppaal_parse_expr(c);
  (void)clew_cursor_mistake(c, UPPAAL_TOKEN_RBRACKET, "',' between the bounds of the range",
                            "an array is written 'int a[3]'");
  clew_cursor_expect(c, UPPAAL_TOKEN_COMMA, "between the bounds of the range");
  type->hi = clew_uppaal_parse_expr(c);
  clew_cursor_expect(c, UPPAAL_TOKEN_RBRACKET, "after the range");
}

static void parse_scalar(struct clew_cursor *c, struct uppaal_type *type) {
  type->kind = UPPAAL_TYPE_SCALAR;
  clew_cursor_expect(c, UPPAAL_TOKEN_LBRACKET, "after 'scalar'");
  type->lo = clew_uppaal_parse_expr(c);
  clew_cursor_expect(c, UPPAAL_TOKEN_RBRACKET, "after the size");
}

static struct uppaal_decl **parse_declarators(struct clew_cursor *c, enum uppaal_decl_kind kind,
                                              struct uppaal_type *type, bool old_constants,
                                              struct uppaal_decl **end);

static void parse_struct(struct clew_cursor *c, struct uppaal_type *type) {
  type->kind = UPPAAL_TYPE_STRUCT;
  if (!clew_cursor_expect(c, UPPAAL_TOKEN_LBRACE, "after 'struct'") || !clew_cursor_nest(c)) {
    return;
  }
  struct uppaal_decl **end = &type->fields;
  while (!c->panic && clew_cursor_peek(c) != UPPAAL_TOKEN_RBRACE) {
    struct uppaal_type *field = clew_uppaal_parse_type(c);
    end = parse_declarators(c, UPPAAL_DECL_VARIABLE, field, false, end);
    clew_cursor_expect(c, UPPAAL_TOKEN_SEMICOLON, "after the field");
  }
  clew_cursor_unnest(c);
  clew_cursor_expect(c, UPPAAL_TOKEN_RBRACE, "after the fields");
}

struct uppaal_type *clew_uppaal_parse_type(struct clew_cursor *c) {
  struct uppaal_type *type = type_new(c);
  parse_prefixes(c, type);
  if (c->panic) {
    return type;
  }
  if (clew_cursor_accept(c, UPPAAL_TOKEN_INT)) {
    parse_range(c, type);
  } else if (clew_cursor_accept(c, UPPAAL_TOKEN_BOOL)) {
    type->kind = UPPAAL_TYPE_BOOL;
  } else if (clew_cursor_accept(c, UPPAAL_TOKEN_CLOCK)) {
    type->kind = UPPAAL_TYPE_CLOCK;
  } else if (clew_cursor_accept(c, UPPAAL_TOKEN_CHAN)) {
    type->kind = UPPAAL_TYPE_CHAN;
  } else if (clew_cursor_accept(c, UPPAAL_TOKEN_VOID)) {
    type->kind = UPPAAL_TYPE_VOID;
  } else if (clew_cursor_accept(c, UPPAAL_TOKEN_SCALAR)) {
    parse_scalar(c, type);
  } else if (clew_cursor_accept(c, UPPAAL_TOKEN_STRUCT)) {
    parse_struct(c, type);
  } else {
    type->kind = is_foreign_word(c) ? UPPAAL_TYPE_FOREIGN : UPPAAL_TYPE_NAME;
    type->ref = clew_uppaal_parse_ref(c, "a type");
  }
  if (!c->panic) {
    type->span = clew_span_join(type->span, clew_cursor_previous(c));
  }
  return type;
}

/* ---- Variables ------------------------------------------------------------------------------ */

static struct uppaal_decl *decl_new(struct clew_cursor *c, enum uppaal_decl_kind kind,
                                    struct uppaal_type *type) {
  struct uppaal_decl *decl = CLEW_NEW(c->front->arena, struct uppaal_decl);
  decl->kind = kind;
  decl->type = type;
  return decl;
}

static void parse_dimensions(struct clew_cursor *c, struct uppaal_decl *decl) {
  CLEW_VEC(struct uppaal_dimension) list = {0};
  while (clew_cursor_accept(c, UPPAAL_TOKEN_LBRACKET)) {
    struct uppaal_dimension dimension = {NULL, NULL};
    bool typed = clew_cursor_peek(c) != CLEW_TOKEN_NAME && clew_uppaal_starts_type(c);
    if (typed) {
      dimension.type = clew_uppaal_parse_type(c);
    } else {
      dimension.size = clew_uppaal_parse_expr(c);
    }
    clew_vec_push(&list, dimension);
    clew_cursor_expect(c, UPPAAL_TOKEN_RBRACKET, "after the size of the array");
  }
  decl->dimensions = clew_arena_copy(c->front->arena, list.data, list.len, sizeof *list.data);
  decl->dimension_count = list.len;
  clew_vec_free(&list);
}

static bool accept_assign(struct clew_cursor *c) {
  return clew_cursor_accept(c, UPPAAL_TOKEN_ASSIGN) ||
         clew_cursor_accept(c, UPPAAL_TOKEN_OLD_ASSIGN);
}

/* Dimensions and value of what has its name already. */
static void name_decl(struct uppaal_decl *decl, struct uppaal_ref name) {
  decl->name = name;
  decl->mentions = name.name->mentions;
}

static void parse_rest(struct clew_cursor *c, struct uppaal_decl *decl, bool old_constants) {
  parse_dimensions(c, decl);
  if (accept_assign(c) || (old_constants && !c->panic)) {
    decl->value = clew_uppaal_parse_initialiser(c);
  }
}

static struct uppaal_decl **parse_declarators(struct clew_cursor *c, enum uppaal_decl_kind kind,
                                              struct uppaal_type *type, bool old_constants,
                                              struct uppaal_decl **end) {
  do {
    struct uppaal_decl *decl = decl_new(c, kind, type);
    name_decl(decl, clew_uppaal_parse_ref(c, "a name"));
    parse_rest(c, decl, old_constants);
    *end = decl;
    end = &decl->next;
  } while (clew_cursor_accept(c, UPPAAL_TOKEN_COMMA));
  return end;
}

/* `const N 5`: the type is left out, and so is the sign of equality. */
static bool is_old_constant(const struct uppaal_parser *p) {
  return p->old && clew_cursor_peek(p->c) == UPPAAL_TOKEN_CONST &&
         clew_cursor_peek2(p->c) == CLEW_TOKEN_NAME;
}

static struct uppaal_type *parse_old_constant_type(struct clew_cursor *c) {
  struct uppaal_type *type = type_new(c);
  c->at++;
  type->kind = UPPAAL_TYPE_INT;
  type->is_const = true;
  return type;
}

/* ---- Parameters ----------------------------------------------------------------------------- */

static struct uppaal_decl **parse_param(struct uppaal_parser *p, struct uppaal_decl **end) {
  struct clew_cursor *c = p->c;
  struct uppaal_decl *decl = decl_new(c, UPPAAL_DECL_VARIABLE, clew_uppaal_parse_type(c));
  decl->is_reference = clew_cursor_accept(c, UPPAAL_TOKEN_BIT_AND);
  name_decl(decl, clew_uppaal_parse_ref(c, "the name of a parameter"));
  parse_dimensions(c, decl);
  *end = decl;
  return &decl->next;
}

/* Names that share a type, up to a semicolon. */
static struct uppaal_decl **parse_old_params(struct uppaal_parser *p, struct uppaal_decl **end) {
  struct clew_cursor *c = p->c;
  struct uppaal_type *type =
      is_old_constant(p) ? parse_old_constant_type(c) : clew_uppaal_parse_type(c);
  do {
    struct uppaal_decl *decl = decl_new(c, UPPAAL_DECL_VARIABLE, type);
    decl->is_reference = clew_cursor_accept(c, UPPAAL_TOKEN_BIT_AND) || !type->is_const;
    name_decl(decl, clew_uppaal_parse_ref(c, "the name of a parameter"));
    parse_dimensions(c, decl);
    *end = decl;
    end = &decl->next;
  } while (clew_cursor_accept(c, UPPAAL_TOKEN_COMMA));
  return end;
}

struct uppaal_decl *clew_uppaal_parse_params(struct uppaal_parser *p) {
  struct clew_cursor *c = p->c;
  struct uppaal_decl *first = NULL, **end = &first;
  if (!clew_cursor_expect(c, UPPAAL_TOKEN_LPAREN, "before the parameters")) {
    return first;
  }
  while (!c->panic && clew_cursor_peek(c) != UPPAAL_TOKEN_RPAREN) {
    end = p->old ? parse_old_params(p, end) : parse_param(p, end);
    if (!clew_cursor_accept(c, p->old ? UPPAAL_TOKEN_SEMICOLON : UPPAAL_TOKEN_COMMA)) {
      break;
    }
  }
  clew_cursor_expect(c, UPPAAL_TOKEN_RPAREN, "after the parameters");
  return first;
}

/* ---- Declarations --------------------------------------------------------------------------- */

static struct uppaal_decl **parse_function(struct uppaal_parser *p, struct uppaal_type *type,
                                           struct uppaal_ref name, struct uppaal_decl **end) {
  struct uppaal_decl *decl = decl_new(p->c, UPPAAL_DECL_FUNCTION, type);
  decl->name = name;
  decl->params = clew_uppaal_parse_params(p);
  decl->body = clew_uppaal_parse_block(p);
  *end = decl;
  return &decl->next;
}

static struct uppaal_decl **parse_variables(struct uppaal_parser *p, struct uppaal_decl **end) {
  struct clew_cursor *c = p->c;
  bool old_constants = is_old_constant(p);
  struct uppaal_type *type = old_constants ? parse_old_constant_type(c) : clew_uppaal_parse_type(c);
  struct uppaal_ref name = clew_uppaal_parse_ref(c, "a name");
  if (clew_cursor_peek(c) == UPPAAL_TOKEN_LPAREN) {
    return parse_function(p, type, name, end);
  }
  struct uppaal_decl *decl = decl_new(c, UPPAAL_DECL_VARIABLE, type);
  name_decl(decl, name);
  parse_rest(c, decl, old_constants);
  *end = decl;
  end = &decl->next;
  if (clew_cursor_accept(c, UPPAAL_TOKEN_COMMA)) {
    end = parse_declarators(c, UPPAAL_DECL_VARIABLE, type, old_constants, end);
  }
  clew_cursor_expect(c, UPPAAL_TOKEN_SEMICOLON, "after the declaration");
  return end;
}

struct uppaal_decl **clew_uppaal_parse_decl(struct uppaal_parser *p, struct uppaal_decl **end) {
  struct clew_cursor *c = p->c;
  if (!clew_cursor_accept(c, UPPAAL_TOKEN_TYPEDEF)) {
    return parse_variables(p, end);
  }
  struct uppaal_type *type = clew_uppaal_parse_type(c);
  end = parse_declarators(c, UPPAAL_DECL_TYPEDEF, type, false, end);
  clew_cursor_expect(c, UPPAAL_TOKEN_SEMICOLON, "after the type");
  return end;
}
