/* Names and scopes. A name knows what it denotes now; a scope is the list of what was declared in
 * it, each symbol remembering what its name denoted before. So a lookup is one load, and closing a
 * scope undoes exactly what was declared since it was opened. */
#include "lang/murphi/check.h"

#include <assert.h>
#include <string.h>

struct murphi_symbol *murphi_scope_open(struct murphi_checker *c) {
  struct murphi_symbol *outer = c->scope;
  c->scope = NULL;
  c->depth++;
  return outer;
}

void murphi_scope_close(struct murphi_checker *c, struct murphi_symbol *outer) {
  assert(c->depth > 0);
  for (struct murphi_symbol *symbol = c->scope; symbol != NULL; symbol = symbol->next) {
    assert(symbol->name->symbol == symbol || symbol->name->symbol->depth == c->depth);
    symbol->name->symbol = symbol->shadowed;
  }
  c->scope = outer;
  c->depth--;
}

struct murphi_symbol *murphi_declare(struct murphi_checker *c, enum murphi_symbol_kind kind,
                                     struct murphi_name *name, struct murphi_span span,
                                     const struct murphi_type *type) {
  assert(type != NULL);
  struct murphi_symbol *symbol = CLEW_NEW(c->m->arena, struct murphi_symbol);
  *symbol = (struct murphi_symbol){.kind = kind, .name = name, .span = span, .type = type};
  symbol->depth = c->depth;
  struct murphi_symbol *old = name->symbol;
  if (old != NULL && old->depth == c->depth) {
    murphi_error(c->m, span, "'%s' is already declared, in line %u", name->text,
                 murphi_position(c->m, old->span).line);
    old->type = &c->m->error_type; /* what is meant from here on is anybody's guess */
    return symbol;
  }
  symbol->shadowed = name->symbol;
  symbol->next = c->scope;
  name->symbol = symbol;
  c->scope = symbol;
  return symbol;
}

const char *murphi_suggest(struct murphi_checker *c, const char *name) {
  enum { MOST = 4096 }; /* a search over more names than this is not worth its time */
  if (c->m->name_count > MOST) {
    return NULL;
  }
  CLEW_VEC(const char *) visible = {0};
  for (uint32_t i = 0; i < c->m->bucket_count; i++) {
    for (struct murphi_name *each = c->m->buckets[i]; each != NULL; each = each->next) {
      if (each->symbol != NULL) {
        clew_vec_push(&visible, each->text);
      }
    }
  }
  const char *nearest = clew_diag_nearest(name, visible.data, visible.len);
  clew_vec_free(&visible);
  return nearest;
}

/* Each unknown name is reported once. */
static void report_unknown(struct murphi_checker *c, struct murphi_name *name,
                           struct murphi_span span) {
  enum { ENOUGH = 100 }; /* nobody reads the messages after so many */
  if (name->reported) {
    return;
  }
  name->reported = true;
  const char *nearest = c->m->diags->error_count < ENOUGH ? murphi_suggest(c, name->text) : NULL;
  if (nearest != NULL) {
    murphi_error(c->m, span, "unknown name '%s'; did you mean '%s'?", name->text, nearest);
  } else {
    murphi_error(c->m, span, "unknown name '%s'", name->text);
  }
}

struct murphi_symbol *murphi_lookup(struct murphi_checker *c, struct murphi_name *name,
                                    struct murphi_span span) {
  if (name->symbol == NULL) {
    report_unknown(c, name, span);
  }
  return name->symbol;
}

const char *murphi_symbol_text(const struct murphi_symbol *symbol) {
  switch (symbol->kind) {
  case MURPHI_SYMBOL_CONST:
    return murphi_type_is_enumerated(symbol->type) ? "a value" : "a constant";
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
