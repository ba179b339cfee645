/* Scopes: names and what they mean. A scope is a hash table; the newer of two symbols of one name
 * (an error) is found first. */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "lang/uppaal/lower.h"

void clew_uppaal_fail(struct uppaal_lowering *l, struct clew_span span, const char *format, ...) {
  va_list args;
  va_start(args, format);
  clew_front_verror(l->front, span, format, args);
  va_end(args);
}

struct uppaal_scope *clew_uppaal_scope_new(struct uppaal_lowering *l, struct uppaal_scope *parent) {
  enum { FIRST_BUCKETS = 4 };
  struct uppaal_scope *scope = CLEW_NEW(l->front->arena, struct uppaal_scope);
  scope->parent = parent;
  scope->bucket_count = FIRST_BUCKETS;
  scope->buckets = CLEW_NEW_ARRAY(l->front->arena, struct uppaal_symbol *, FIRST_BUCKETS);
  return scope;
}

static struct uppaal_symbol **bucket_of(const struct uppaal_scope *scope,
                                        const struct uppaal_name *name) {
  uint64_t mixed = (uint64_t)(uintptr_t)name * UINT64_C(0x9E3779B97F4A7C15);
  return &scope->buckets[(mixed >> 32) & (scope->bucket_count - 1)];
}

static struct uppaal_symbol *find_here(const struct uppaal_scope *scope,
                                       const struct uppaal_name *name) {
  struct uppaal_symbol *symbol = *bucket_of(scope, name);
  while (symbol != NULL && symbol->ref.name != name) {
    symbol = symbol->next;
  }
  return symbol;
}

static void put(struct uppaal_scope *scope, struct uppaal_symbol *symbol) {
  struct uppaal_symbol **bucket = bucket_of(scope, symbol->ref.name);
  symbol->next = *bucket;
  *bucket = symbol;
}

/* Twice as many buckets; the old ones stay in the arena. */
static void grow(struct uppaal_lowering *l, struct uppaal_scope *scope) {
  struct uppaal_symbol **old = scope->buckets;
  uint32_t count = scope->bucket_count;
  scope->bucket_count *= 2;
  scope->buckets = CLEW_NEW_ARRAY(l->front->arena, struct uppaal_symbol *, scope->bucket_count);
  for (uint32_t i = 0; i < count; i++) {
    for (struct uppaal_symbol *each = old[i], *next; each != NULL; each = next) {
      next = each->next;
      put(scope, each);
    }
  }
}

struct uppaal_symbol *clew_uppaal_find(const struct uppaal_scope *scope,
                                       const struct uppaal_name *name) {
  struct uppaal_symbol *symbol = NULL;
  for (; scope != NULL && symbol == NULL; scope = scope->parent) {
    symbol = find_here(scope, name);
  }
  return symbol;
}

struct uppaal_symbol *clew_uppaal_declare(struct uppaal_lowering *l, struct uppaal_ref ref,
                                          enum uppaal_symbol_kind kind) {
  assert(l->scope != NULL && ref.name != NULL);
  if (find_here(l->scope, ref.name) != NULL) {
    clew_uppaal_fail(l, ref.span, "'%s' is declared twice", ref.name->id.text);
  }
  struct uppaal_symbol *symbol = CLEW_NEW(l->front->arena, struct uppaal_symbol);
  symbol->kind = kind;
  symbol->ref = ref;
  symbol->type = &clew_uppaal_wrong;
  symbol->scope = l->scope;
  symbol->frame = l->frame;
  if (l->scope->count++ == l->scope->bucket_count) {
    grow(l, l->scope);
  }
  put(l->scope, symbol);
  return symbol;
}

static bool is_visible(const struct clew_name *name, const void *context) {
  const struct uppaal_lowering *l = context;
  return clew_uppaal_find(l->scope, (const struct uppaal_name *)name) != NULL;
}

struct uppaal_symbol *clew_uppaal_resolve(struct uppaal_lowering *l, struct uppaal_ref ref,
                                          const char *what) {
  struct uppaal_symbol *symbol = clew_uppaal_find(l->scope, ref.name);
  if (symbol == NULL) {
    const char *nearest = NULL;
    if (clew_front_wants_nearest(l->front, &ref.name->id)) {
      nearest = clew_name_nearest(&l->front->names, ref.name->id.text, is_visible, l);
    }
    clew_front_unknown(l->front, &ref.name->id, ref.span, what, "", nearest);
  } else {
    clew_front_use(l->front, ref.span, symbol->ref.span);
  }
  return symbol;
}

/* ---- What every model has ------------------------------------------------------------------- */

static struct uppaal_symbol *builtin(struct uppaal_lowering *l, const char *name,
                                     enum uppaal_symbol_kind kind) {
  struct uppaal_ref ref = {
      (struct uppaal_name *)clew_name_intern(&l->front->names, name, strlen(name)), {0, 0}};
  struct uppaal_symbol *symbol = clew_uppaal_declare(l, ref, kind);
  symbol->is_read_only = true;
  return symbol;
}

static void declare_limit(struct uppaal_lowering *l, const char *name, int64_t value) {
  struct uppaal_symbol *symbol = builtin(l, name, UPPAAL_SYMBOL_CONSTANT);
  int64_t *cells = CLEW_NEW_ARRAY(l->front->arena, int64_t, 1);
  cells[0] = value;
  symbol->type = &clew_uppaal_int;
  symbol->cells = cells;
}

static void declare_type(struct uppaal_lowering *l, const char *name, int64_t lo, int64_t hi) {
  struct uppaal_shape *shape = CLEW_NEW(l->front->arena, struct uppaal_shape);
  *shape = (struct uppaal_shape){.kind = UPPAAL_INT, .lo = lo, .hi = hi, .cells = 1};
  builtin(l, name, UPPAAL_SYMBOL_TYPE)->type = shape;
}

void clew_uppaal_declare_builtins(struct uppaal_lowering *l) {
  static const struct {
    const char *name;
    int64_t value;
  } limits[] = {{"INT8_MIN", INT8_MIN},   {"INT8_MAX", INT8_MAX},   {"UINT8_MAX", UINT8_MAX},
                {"INT16_MIN", INT16_MIN}, {"INT16_MAX", INT16_MAX}, {"UINT16_MAX", UINT16_MAX},
                {"INT32_MIN", INT32_MIN}, {"INT32_MAX", INT32_MAX}};
  l->builtins = clew_uppaal_scope_new(l, NULL);
  l->scope = l->builtins;
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    declare_limit(l, limits[i].name, limits[i].value);
  }
  declare_type(l, "int8_t", INT8_MIN, INT8_MAX);
  declare_type(l, "uint8_t", 0, UINT8_MAX);
  declare_type(l, "int16_t", INT16_MIN, INT16_MAX);
  declare_type(l, "uint16_t", 0, UINT16_MAX);
  declare_type(l, "int32_t", INT32_MIN, INT32_MAX);
  l->globals = clew_uppaal_scope_new(l, l->builtins);
  l->scope = l->globals;
}
