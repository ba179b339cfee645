/* Collecting names. Both lists are appended to while a model is translated, and sorted at the end.
 * A template that is instantiated a thousand times uses its names a thousand times: doubles are
 * removed whenever the list of uses has doubled. */
#include "lang/symbols.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *clew_symbol_kind_name(enum clew_symbol_kind kind) {
  static const char *const names[CLEW_SYMBOL_KINDS] = {
      [CLEW_SYMBOL_CONSTANT] = "constant",   [CLEW_SYMBOL_VALUE] = "value",
      [CLEW_SYMBOL_TYPE] = "type",           [CLEW_SYMBOL_FIELD] = "field",
      [CLEW_SYMBOL_VARIABLE] = "variable",   [CLEW_SYMBOL_CLOCK] = "clock",
      [CLEW_SYMBOL_PARAMETER] = "parameter", [CLEW_SYMBOL_FUNCTION] = "function",
      [CLEW_SYMBOL_CHANNEL] = "channel",     [CLEW_SYMBOL_PROCESS] = "process",
      [CLEW_SYMBOL_STATE] = "state",         [CLEW_SYMBOL_RULE] = "rule",
      [CLEW_SYMBOL_PROPERTY] = "property",
  };
  assert((unsigned)kind < CLEW_SYMBOL_KINDS);
  return names[kind];
}

void clew_symbols_open(struct clew_symbols *symbols) {
  *symbols = (struct clew_symbols){.arena = clew_arena_open()};
}

void clew_symbols_close(struct clew_symbols *symbols) {
  clew_arena_close(symbols->arena);
  clew_vec_free(&symbols->list);
  clew_vec_free(&symbols->uses);
  clew_vec_free(&symbols->remarks);
}

static int by_use(const void *a, const void *b) {
  const struct clew_symbol_use *x = a, *y = b;
  return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Of two declarations at one place, the one that says something comes first. */
static int by_symbol(const void *a, const void *b) {
  const struct clew_symbol *x = a, *y = b;
  if (x->offset != y->offset) {
    return x->offset > y->offset ? 1 : -1;
  }
  return (x->detail[0] == '\0') - (y->detail[0] == '\0');
}

static void tidy_uses(struct clew_symbols *symbols) {
  uint32_t kept = 0;
  if (symbols->uses.len > 0) {
    qsort(symbols->uses.data, symbols->uses.len, sizeof *symbols->uses.data, by_use);
  }
  for (uint32_t i = 0; i < symbols->uses.len; i++) {
    if (kept == 0 || symbols->uses.data[kept - 1].offset != symbols->uses.data[i].offset) {
      symbols->uses.data[kept++] = symbols->uses.data[i];
    }
  }
  symbols->uses.len = symbols->tidied = kept;
}

static void tidy_list(struct clew_symbols *symbols) {
  uint32_t kept = 0;
  if (symbols->list.len > 0) {
    qsort(symbols->list.data, symbols->list.len, sizeof *symbols->list.data, by_symbol);
  }
  for (uint32_t i = 0; i < symbols->list.len; i++) {
    if (kept == 0 || symbols->list.data[kept - 1].offset != symbols->list.data[i].offset) {
      symbols->list.data[kept++] = symbols->list.data[i];
    }
  }
  symbols->list.len = kept;
}

void clew_symbols_define(struct clew_symbols *symbols, const struct clew_symbol *symbol) {
  assert(symbol->name != NULL && symbol->detail != NULL);
  struct clew_symbol copy = *symbol;
  copy.name = clew_arena_strndup(symbols->arena, symbol->name, strlen(symbol->name));
  copy.detail = clew_arena_strndup(symbols->arena, symbol->detail, strlen(symbol->detail));
  clew_vec_push(&symbols->list, copy);
}

void clew_symbols_use(struct clew_symbols *symbols, struct clew_symbol_use use) {
  enum { LEAST = 4096 };
  if (symbols->uses.len > LEAST && symbols->uses.len > 2 * (uint64_t)symbols->tidied) {
    tidy_uses(symbols);
  }
  clew_vec_push(&symbols->uses, use);
}

void clew_symbols_remark(struct clew_symbols *symbols, uint32_t target, const char *text) {
  enum { MOST = 100000 };
  if (symbols->remarks.len < MOST) {
    char *copy = clew_arena_strndup(symbols->arena, text, strlen(text));
    clew_vec_push(&symbols->remarks, ((struct clew_symbol_remark){target, copy}));
  }
}

void clew_symbols_finish(struct clew_symbols *symbols) {
  tidy_list(symbols);
  tidy_uses(symbols);
  for (uint32_t i = symbols->remarks.len; i-- > 0;) {
    const struct clew_symbol_remark *remark = &symbols->remarks.data[i];
    struct clew_symbol *symbol = (struct clew_symbol *)clew_symbols_at(symbols, remark->target);
    if (symbol != NULL) {
      symbol->remark = remark->text;
    }
  }
}

const struct clew_symbol *clew_symbols_at(const struct clew_symbols *symbols, uint32_t offset) {
  uint32_t low = 0, high = symbols->list.len;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (symbols->list.data[middle].offset < offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < symbols->list.len && symbols->list.data[low].offset == offset
             ? &symbols->list.data[low]
             : NULL;
}

const struct clew_symbol *clew_symbols_find(const struct clew_symbols *symbols, uint32_t offset,
                                            struct clew_symbol_use *use) {
  for (uint32_t i = 0; i < symbols->uses.len; i++) {
    const struct clew_symbol_use *each = &symbols->uses.data[i];
    if (offset >= each->offset && offset <= each->offset + each->length) {
      const struct clew_symbol *symbol = clew_symbols_at(symbols, each->target);
      if (symbol != NULL) {
        *use = *each;
        return symbol;
      }
    }
  }
  for (uint32_t i = 0; i < symbols->list.len; i++) {
    const struct clew_symbol *each = &symbols->list.data[i];
    if (offset >= each->offset && offset <= each->offset + each->length) {
      *use = (struct clew_symbol_use){each->offset, each->length, each->offset};
      return each;
    }
  }
  return NULL;
}
