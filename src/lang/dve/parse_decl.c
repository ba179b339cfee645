/* Parsing declarations of variables and channels. */
#include "lang/dve/parse.h"

#include <assert.h>

static bool at_type(const struct clew_cursor *p) {
  return clew_cursor_peek(p) == DVE_TOKEN_BYTE || clew_cursor_peek(p) == DVE_TOKEN_INT;
}

static enum dve_type parse_type(struct clew_cursor *p) {
  enum dve_type type = clew_cursor_peek(p) == DVE_TOKEN_INT ? DVE_TYPE_INT : DVE_TYPE_BYTE;
  if (at_type(p)) {
    p->at++;
  } else {
    clew_cursor_fail_expected(p, "'byte' or 'int'");
  }
  return type;
}

/* name, [size], = value or = {values} */
static struct dve_variable *parse_variable(struct clew_cursor *p, enum dve_type type,
                                           bool is_const) {
  struct dve_variable *variable = CLEW_NEW(p->front->arena, struct dve_variable);
  variable->type = type;
  variable->is_const = is_const;
  if (!p->panic && clew_cursor_peek(p) == DVE_TOKEN_LBRACKET) {
    clew_cursor_fail(
        p, clew_cursor_here(p),
        "expected the name of a variable, found '[': an array is written '%s name[size]'",
        type == DVE_TYPE_BYTE ? "byte" : "int");
  }
  variable->ref = clew_dve_parse_ref(p, "the name of a variable");
  if (clew_cursor_accept(p, DVE_TOKEN_LBRACKET)) {
    variable->is_array = true;
    variable->size = clew_dve_parse_expr(p);
    clew_cursor_expect(p, DVE_TOKEN_RBRACKET, "after the size");
  }
  if (!clew_cursor_accept(p, DVE_TOKEN_ASSIGN)) {
    return variable;
  }
  struct clew_span here = clew_cursor_here(p);
  (void)clew_cursor_mistake(p, DVE_TOKEN_LBRACKET, "a value",
                            "the values of an array stand in braces, {1, 2, 3}");
  if (clew_cursor_accept(p, DVE_TOKEN_LBRACE)) {
    if (!variable->is_array) {
      clew_cursor_fail(p, here, "'%s' is not an array: its value takes no braces",
                       variable->ref.name->id.text);
    }
    variable->inits = clew_dve_parse_exprs(p, false, &variable->init_count);
    clew_cursor_expect(p, DVE_TOKEN_RBRACE, "or ',' after a value");
    return variable;
  }
  variable->inits = CLEW_NEW_ARRAY(p->front->arena, struct dve_expr *, 1);
  variable->inits[0] = clew_dve_parse_expr(p);
  variable->init_count = 1;
  if (variable->is_array && !p->panic) {
    clew_cursor_fail(p, here, "the values of the array '%s' must stand in braces",
                     variable->ref.name->id.text);
  }
  return variable;
}

struct dve_variable **clew_dve_parse_variables(struct clew_cursor *p, struct dve_variable **tail) {
  assert(dve_starts_variables(clew_cursor_peek(p)));
  bool is_const = clew_cursor_accept(p, DVE_TOKEN_CONST);
  enum dve_type type = parse_type(p);
  do {
    *tail = parse_variable(p, type, is_const);
    tail = &(*tail)->next;
  } while (clew_cursor_accept(p, DVE_TOKEN_COMMA));
  clew_cursor_expect(p, DVE_TOKEN_SEMICOLON, "or ',' after the declaration");
  if (p->panic) {
    clew_dve_skip_declaration(p);
  }
  return tail;
}

/* { byte, int, … } */
static enum dve_type *parse_types(struct clew_cursor *p, uint32_t *count) {
  CLEW_VEC(enum dve_type) types = {0};
  do {
    enum dve_type type = parse_type(p);
    clew_vec_push(&types, type);
  } while (clew_cursor_accept(p, DVE_TOKEN_COMMA));
  clew_cursor_expect(p, DVE_TOKEN_RBRACE, "or ',' after a type");
  *count = types.len;
  enum dve_type *copy = clew_arena_copy(p->front->arena, types.data, types.len, sizeof *types.data);
  clew_vec_free(&types);
  return copy;
}

struct dve_channel **clew_dve_parse_channels(struct clew_cursor *p, struct dve_channel **tail) {
  assert(clew_cursor_peek(p) == DVE_TOKEN_CHANNEL);
  p->at++;
  uint32_t type_count = 0;
  bool is_typed = clew_cursor_accept(p, DVE_TOKEN_LBRACE);
  enum dve_type *types = is_typed ? parse_types(p, &type_count) : NULL;
  do {
    struct dve_channel *channel = CLEW_NEW(p->front->arena, struct dve_channel);
    if (!is_typed && !p->panic &&
        (clew_cursor_peek(p) == DVE_TOKEN_BYTE || clew_cursor_peek(p) == DVE_TOKEN_INT)) {
      clew_cursor_fail(p, clew_cursor_here(p),
                       "expected the name of a channel, found %s: the types of values stand in "
                       "braces, channel {byte} name[size]",
                       clew_cursor_found(p));
    }
    channel->ref = clew_dve_parse_ref(p, "the name of a channel");
    channel->is_typed = is_typed;
    channel->types = types;
    channel->type_count = type_count;
    if (is_typed && clew_cursor_expect(p, DVE_TOKEN_LBRACKET, "and the size of the buffer")) {
      channel->size = clew_dve_parse_expr(p);
      clew_cursor_expect(p, DVE_TOKEN_RBRACKET, "after the size");
    } else if (!is_typed && clew_cursor_peek(p) == DVE_TOKEN_LBRACKET) {
      clew_cursor_fail(
          p, clew_cursor_here(p),
          "a channel with a buffer needs the types of its values: channel {byte} %s[...]",
          channel->ref.name->id.text);
    }
    *tail = channel;
    tail = &channel->next;
  } while (clew_cursor_accept(p, DVE_TOKEN_COMMA));
  clew_cursor_expect(p, DVE_TOKEN_SEMICOLON, "or ',' after the channel");
  if (p->panic) {
    clew_dve_skip_declaration(p);
  }
  return tail;
}
