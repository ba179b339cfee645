/* Names and scopes. A name knows what it denotes now; a scope is the list of what was declared in
 * it, each symbol remembering what its name denoted before. So a lookup is one load, and closing a
 * scope undoes exactly what was declared since it was opened. */
#include "lang/murphi/check.h"

#include <assert.h>
#include <string.h>

struct murphi_symbol *clew_murphi_scope_open(struct murphi_checker *c) {
  struct murphi_symbol *outer = c->scope;
  c->scope = NULL;
  c->depth++;
  return outer;
}

void clew_murphi_scope_close(struct murphi_checker *c, struct murphi_symbol *outer) {
  assert(c->depth > 0);
  for (struct murphi_symbol *symbol = c->scope; symbol != NULL; symbol = symbol->next) {
    assert(symbol->name->symbol == symbol || symbol->name->symbol->depth == c->depth);
    symbol->name->symbol = symbol->shadowed;
  }
  c->scope = outer;
  c->depth--;
}

struct murphi_symbol *clew_murphi_declare(struct murphi_checker *c, enum murphi_symbol_kind kind,
                                          struct murphi_name *name, struct clew_span span,
                                          const struct murphi_type *type) {
  assert(type != NULL);
  struct murphi_symbol *symbol = CLEW_NEW(c->m->front->arena, struct murphi_symbol);
  *symbol = (struct murphi_symbol){.kind = kind, .name = name, .span = span, .type = type};
  symbol->depth = c->depth;
  if (clew_front_notes(c->m->front)) {
    clew_vec_push(&c->noted, symbol);
  }
  struct murphi_symbol *old = name->symbol;
  if (old != NULL && old->depth == c->depth) {
    clew_front_error(c->m->front, span, "'%s' is already declared, in line %u", name->id.text,
                     clew_front_position(c->m->front, old->span).line);
    old->type = &c->m->error_type; /* what is meant from here on is anybody's guess */
    return symbol;
  }
  symbol->shadowed = name->symbol;
  symbol->next = c->scope;
  name->symbol = symbol;
  c->scope = symbol;
  return symbol;
}

static bool is_visible(const struct clew_name *name, const void *context) {
  (void)context;
  return ((const struct murphi_name *)name)->symbol != NULL;
}

const char *clew_murphi_suggest(struct murphi_checker *c, const char *name) {
  return clew_name_nearest(&c->m->front->names, name, is_visible, NULL);
}

struct murphi_symbol *clew_murphi_lookup(struct murphi_checker *c, struct murphi_name *name,
                                         struct clew_span span) {
  if (name->symbol == NULL) {
    struct clew_front *front = c->m->front;
    const char *nearest =
        clew_front_wants_nearest(front, &name->id) ? clew_murphi_suggest(c, name->id.text) : NULL;
    clew_front_unknown(front, &name->id, span, "name", "", nearest);
  } else {
    name->symbol->is_used = true;
    clew_front_use(c->m->front, span, name->symbol->span);
  }
  return name->symbol;
}

const char *clew_murphi_symbol_text(const struct murphi_symbol *symbol) {
  switch (symbol->kind) {
  case MURPHI_SYMBOL_CONST:
    return clew_murphi_type_is_enumerated(symbol->type) ? "a value" : "a constant";
  case MURPHI_SYMBOL_TYPE:
    return "a type";
  case MURPHI_SYMBOL_FUNCTION:
    return symbol->function->result_expr != NULL ? "a function" : "a procedure";
  case MURPHI_SYMBOL_STATE:
  case MURPHI_SYMBOL_LOCAL:
    return "a variable";
  case MURPHI_SYMBOL_VALUE_PARAM:
    return "a value parameter";
  case MURPHI_SYMBOL_VAR_PARAM:
    return "a var parameter";
  case MURPHI_SYMBOL_BOUND:
    return "a bound variable";
  case MURPHI_SYMBOL_ALIAS:
    return "an alias";
  }
  assert(0 && "a kind of symbol");
  return "";
}
