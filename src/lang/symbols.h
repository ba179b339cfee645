/* The names of a model, for editors: what is declared where and of which type, and where it is
 * used. A front end fills this in only if the request asks for it (clew_load_request.symbols), as
 * far as it gets: a model with errors has the names that were understood.
 *
 * Offsets are bytes of the file. A declaration is known by the offset of its name. */
#ifndef CLEW_LANG_SYMBOLS_H
#define CLEW_LANG_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

enum clew_symbol_kind {
  CLEW_SYMBOL_CONSTANT,
  CLEW_SYMBOL_VALUE, /* of an enumeration */
  CLEW_SYMBOL_TYPE,
  CLEW_SYMBOL_FIELD,
  CLEW_SYMBOL_VARIABLE,
  CLEW_SYMBOL_CLOCK,
  CLEW_SYMBOL_PARAMETER, /* of a function, template or rule; also what a quantifier binds */
  CLEW_SYMBOL_FUNCTION,
  CLEW_SYMBOL_CHANNEL,
  CLEW_SYMBOL_PROCESS, /* also a template */
  CLEW_SYMBOL_STATE,   /* of a process */
  CLEW_SYMBOL_RULE,    /* also a start state */
  CLEW_SYMBOL_PROPERTY,
  CLEW_SYMBOL_KINDS,
};

/* "variable", … */
const char *clew_symbol_kind_name(enum clew_symbol_kind kind);

struct clew_symbol {
  enum clew_symbol_kind kind;
  const char *name;
  const char *detail; /* its type or value, for people: "array [process] of place"; may be "" */
  const char *remark; /* "0..3", "= 5"; NULL: none */
  uint32_t offset, length; /* of the name */
  uint32_t container;      /* the offset of that which it belongs to, or UINT32_MAX */
  bool is_local;           /* it is visible in a part of the text only */
};

struct clew_symbol_use {
  uint32_t offset, length;
  uint32_t target; /* the offset of the declaration */
};

/* What is found out about a declaration later. */
struct clew_symbol_remark {
  uint32_t target;
  const char *text;
};

struct clew_symbols {
  struct clew_arena *arena;
  CLEW_VEC(struct clew_symbol_remark) remarks;
  CLEW_VEC(struct clew_symbol) list;
  CLEW_VEC(struct clew_symbol_use) uses;
  uint32_t tidied; /* how many uses there were after the last time that doubles were removed */
};

void clew_symbols_open(struct clew_symbols *symbols);
void clew_symbols_close(struct clew_symbols *symbols);

/* For front ends, by way of lang/front.h. Names, details and remarks are copied. Of several
 * declarations at one offset, one that has a detail is kept, and the first remark. */
void clew_symbols_define(struct clew_symbols *symbols, const struct clew_symbol *symbol);
void clew_symbols_use(struct clew_symbols *symbols, struct clew_symbol_use use);
void clew_symbols_remark(struct clew_symbols *symbols, uint32_t target, const char *text);
/* At the end: sorts by offset and removes doubles. */
void clew_symbols_finish(struct clew_symbols *symbols);

/* After that. The declaration at exactly this offset, or NULL. */
const struct clew_symbol *clew_symbols_at(const struct clew_symbols *symbols, uint32_t offset);
/* The declaration or use that the offset is in, or just behind: its declaration, and *use is the
 * place. NULL: none. */
const struct clew_symbol *clew_symbols_find(const struct clew_symbols *symbols, uint32_t offset,
                                            struct clew_symbol_use *use);

#endif
