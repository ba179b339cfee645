/* Values of CPN ML: made, ordered, interned, printed.
 *
 * Interning is hash-consing: an interned value is made of interned values, so two are equal if they
 * are the same pointer. Lists are chains of cells and may be long: they are walked, never recursed
 * into along their tails. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "lang/cpn/ml.h"

static struct cpn_value *new_value(struct clew_arena *arena, enum cpn_value_kind kind) {
  struct cpn_value *value = CLEW_NEW(arena, struct cpn_value);
  value->kind = (uint8_t)kind;
  return value;
}

struct cpn_value *cpn_value_int(struct clew_arena *arena, int64_t number) {
  struct cpn_value *value = new_value(arena, CPN_V_INT);
  value->number = number;
  return value;
}

struct cpn_value *cpn_value_string(struct clew_arena *arena, const char *text, size_t length) {
  struct cpn_value *value = new_value(arena, CPN_V_STRING);
  value->string = clew_arena_strndup(arena, text, length);
  value->count = (uint32_t)length;
  return value;
}

struct cpn_value *cpn_value_con(struct clew_arena *arena, const struct cpn_con *con,
                                const struct cpn_value *arg) {
  struct cpn_value *value = new_value(arena, CPN_V_CON);
  value->con = con;
  value->arg = arg;
  return value;
}

struct cpn_value *cpn_value_cons(struct clew_arena *arena, const struct cpn_value *head,
                                 const struct cpn_value *tail) {
  struct cpn_value *value = new_value(arena, CPN_V_CONS);
  value->head = head;
  value->tail = tail;
  return value;
}

struct cpn_value *cpn_value_tuple(struct clew_arena *arena, uint32_t count) {
  struct cpn_value *value = new_value(arena, CPN_V_TUPLE);
  value->count = count;
  value->parts = CLEW_NEW_ARRAY(arena, const struct cpn_value *, count + 1);
  return value;
}

/* ---- order ---- */

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_lists(const struct cpn_value *a, const struct cpn_value *b) {
  for (; a->kind == CPN_V_CONS && b->kind == CPN_V_CONS && a != b; a = a->tail, b = b->tail) {
    int order = cpn_value_compare(a->head, b->head);
    if (order != 0) {
      return order;
    }
  }
  return a == b ? 0 : ORDER(a->kind, b->kind);
}

static int compare_strings(const struct cpn_value *a, const struct cpn_value *b) {
  uint32_t least = a->count < b->count ? a->count : b->count;
  int order = memcmp(a->string, b->string, least);
  return order != 0 ? ORDER(order, 0) : ORDER(a->count, b->count);
}

int cpn_value_compare(const struct cpn_value *a, const struct cpn_value *b) {
  if (a == b) {
    return 0;
  }
  if (a->kind != b->kind) { /* lists: the empty one is less */
    return ORDER(a->kind, b->kind);
  }
  switch ((enum cpn_value_kind)a->kind) {
  case CPN_V_INT:
    return ORDER(a->number, b->number);
  case CPN_V_REAL:
    return ORDER(a->real, b->real);
  case CPN_V_STRING:
    return compare_strings(a, b);
  case CPN_V_CON:
    if (a->con != b->con) {
      return ORDER(a->con->ordinal, b->con->ordinal);
    }
    return a->arg == NULL || b->arg == NULL ? 0 : cpn_value_compare(a->arg, b->arg);
  case CPN_V_TUPLE:
  case CPN_V_RECORD:
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
      int order = cpn_value_compare(a->parts[i], b->parts[i]);
      if (order != 0) {
        return order;
      }
    }
    return ORDER(a->count, b->count);
  case CPN_V_NIL:
    return 0;
  case CPN_V_CONS:
    return compare_lists(a, b);
  case CPN_V_FN:
    break;
  }
  return ORDER((uintptr_t)a, (uintptr_t)b);
}

/* ---- interning ---- */

void cpn_pool_open(struct cpn_pool *pool) {
  *pool = (struct cpn_pool){.arena = clew_arena_open(), .capacity = 1024};
  pool->table = clew_alloc_zero(pool->capacity, sizeof *pool->table);
}

void cpn_pool_close(struct cpn_pool *pool) {
  clew_arena_close(pool->arena);
  clew_free(pool->table);
  *pool = (struct cpn_pool){0};
}

static void grow(struct cpn_pool *pool) {
  uint32_t capacity = pool->capacity * 2;
  const struct cpn_value **table = clew_alloc_zero(capacity, sizeof *table);
  for (uint32_t i = 0; i < pool->capacity; i++) {
    const struct cpn_value *value = pool->table[i];
    if (value != NULL) {
      uint32_t at = (uint32_t)value->hash & (capacity - 1);
      while (table[at] != NULL) {
        at = (at + 1) & (capacity - 1);
      }
      table[at] = value;
    }
  }
  clew_free(pool->table);
  pool->table = table;
  pool->capacity = capacity;
}

/* Of a value whose parts are interned; the same in every process. */
static uint64_t hash_of(const struct cpn_value *value) {
  uint64_t hash = value->kind * UINT64_C(0x9e3779b97f4a7c15) + 1;
  switch ((enum cpn_value_kind)value->kind) {
  case CPN_V_INT:
  case CPN_V_REAL: {
    uint64_t word = (uint64_t)value->number;
    return clew_hash_words(&word, 1, hash);
  }
  case CPN_V_STRING:
    return clew_hash_bytes(value->string, value->count, hash);
  case CPN_V_CON: {
    uint64_t words[2] = {value->con->ordinal, value->arg != NULL ? value->arg->hash : 0};
    return clew_hash_words(words, 2, hash);
  }
  case CPN_V_TUPLE:
  case CPN_V_RECORD:
    for (uint32_t i = 0; i < value->count; i++) {
      hash = clew_hash_words(&value->parts[i]->hash, 1, hash);
    }
    return hash;
  case CPN_V_CONS: {
    uint64_t words[2] = {value->head->hash, value->tail->hash};
    return clew_hash_words(words, 2, hash);
  }
  case CPN_V_NIL:
  case CPN_V_FN:
    break;
  }
  return hash;
}

static bool same(const struct cpn_value *a, const struct cpn_value *b) {
  if (a->kind != b->kind || a->count != b->count) {
    return false;
  }
  switch ((enum cpn_value_kind)a->kind) {
  case CPN_V_INT:
  case CPN_V_REAL:
    return a->number == b->number;
  case CPN_V_STRING:
    return memcmp(a->string, b->string, a->count) == 0;
  case CPN_V_CON:
    return a->con == b->con && a->arg == b->arg;
  case CPN_V_TUPLE:
  case CPN_V_RECORD:
    for (uint32_t i = 0; i < a->count; i++) {
      if (a->parts[i] != b->parts[i] || (a->kind == CPN_V_RECORD && a->labels[i] != b->labels[i])) {
        return false;
      }
    }
    return true;
  case CPN_V_CONS:
    return a->head == b->head && a->tail == b->tail;
  case CPN_V_NIL:
    return true;
  case CPN_V_FN:
    break;
  }
  return false;
}

/* `value` is made of interned values. */
static const struct cpn_value *put(struct cpn_pool *pool, const struct cpn_value *value) {
  uint64_t hash = hash_of(value);
  uint32_t at = (uint32_t)hash & (pool->capacity - 1);
  for (; pool->table[at] != NULL; at = (at + 1) & (pool->capacity - 1)) {
    if (pool->table[at]->hash == hash && same(pool->table[at], value)) {
      return pool->table[at];
    }
  }
  struct cpn_value *kept = new_value(pool->arena, (enum cpn_value_kind)value->kind);
  *kept = *value;
  kept->is_interned = true;
  kept->hash = hash;
  kept->id = pool->count++;
  if (value->kind == CPN_V_STRING) {
    kept->string = clew_arena_strndup(pool->arena, value->string, value->count);
  } else if (value->kind == CPN_V_TUPLE || value->kind == CPN_V_RECORD) {
    kept->parts = clew_arena_copy(pool->arena, value->parts, value->count, sizeof *value->parts);
  }
  pool->table[at] = kept;
  if (pool->count > pool->capacity / 2) {
    grow(pool);
  }
  return kept;
}

static const struct cpn_value *intern_list(struct cpn_pool *pool, const struct cpn_value *value) {
  CLEW_VEC(const struct cpn_value *) cells = {0};
  for (; value->kind == CPN_V_CONS && !value->is_interned; value = value->tail) {
    clew_vec_push(&cells, value);
  }
  struct cpn_value nil = {.kind = CPN_V_NIL};
  const struct cpn_value *list = value->is_interned ? value : put(pool, &nil);
  while (cells.len > 0) {
    struct cpn_value cell = {.kind = CPN_V_CONS};
    cell.head = cpn_intern(pool, clew_vec_pop(&cells)->head);
    cell.tail = list;
    list = put(pool, &cell);
  }
  clew_vec_free(&cells);
  return list;
}

const struct cpn_value *cpn_intern(struct cpn_pool *pool, const struct cpn_value *value) {
  if (value->is_interned) {
    return value;
  }
  struct cpn_value copy = *value;
  switch ((enum cpn_value_kind)value->kind) {
  case CPN_V_CONS:
    return intern_list(pool, value);
  case CPN_V_CON:
    copy.arg = value->arg != NULL ? cpn_intern(pool, value->arg) : NULL;
    return put(pool, &copy);
  case CPN_V_TUPLE:
  case CPN_V_RECORD: {
    const struct cpn_value **parts = clew_alloc(((size_t)value->count + 1) * sizeof *parts);
    for (uint32_t i = 0; i < value->count; i++) {
      parts[i] = cpn_intern(pool, value->parts[i]);
    }
    copy.parts = parts;
    const struct cpn_value *kept = put(pool, &copy);
    clew_free(parts);
    return kept;
  }
  default:
    assert(value->kind != CPN_V_FN);
    return put(pool, &copy);
  }
}

/* ---- printing ---- */

static void print_string(const struct cpn_value *value, struct clew_text *out) {
  clew_text_char(out, '"');
  for (uint32_t i = 0; i < value->count; i++) {
    unsigned char c = (unsigned char)value->string[i];
    if (c == '"' || c == '\\') {
      clew_text_printf(out, "\\%c", c);
    } else if (c < ' ' || c == 127) {
      clew_text_printf(out, "\\%03u", c);
    } else {
      clew_text_char(out, (char)c);
    }
  }
  clew_text_char(out, '"');
}

static void print_parts(const struct cpn_value *value, struct clew_text *out) {
  bool is_record = value->kind == CPN_V_RECORD;
  clew_text_char(out, is_record ? '{' : '(');
  for (uint32_t i = 0; i < value->count; i++) {
    clew_text_put(out, i > 0 ? "," : "");
    if (is_record) {
      clew_text_printf(out, "%s=", value->labels[i]->base.text);
    }
    cpn_value_print(value->parts[i], out);
  }
  clew_text_char(out, is_record ? '}' : ')');
}

void cpn_value_print(const struct cpn_value *value, struct clew_text *out) {
  switch ((enum cpn_value_kind)value->kind) {
  case CPN_V_INT:
    clew_text_printf(out, "%s%" PRId64, value->number < 0 ? "~" : "",
                     value->number < 0 ? -value->number : value->number);
    return;
  case CPN_V_REAL:
    clew_text_printf(out, "%g", value->real);
    return;
  case CPN_V_STRING:
    print_string(value, out);
    return;
  case CPN_V_CON:
    clew_text_put(out, value->con->name);
    if (value->arg != NULL) {
      bool brackets = value->arg->kind != CPN_V_TUPLE || value->arg->count == 0;
      clew_text_put(out, brackets ? "(" : "");
      cpn_value_print(value->arg, out);
      clew_text_put(out, brackets ? ")" : "");
    }
    return;
  case CPN_V_TUPLE:
  case CPN_V_RECORD:
    print_parts(value, out);
    return;
  case CPN_V_NIL:
  case CPN_V_CONS:
    clew_text_char(out, '[');
    for (const struct cpn_value *at = value; at->kind == CPN_V_CONS; at = at->tail) {
      clew_text_put(out, at != value ? "," : "");
      cpn_value_print(at->head, out);
    }
    clew_text_char(out, ']');
    return;
  case CPN_V_FN:
    clew_text_put(out, "fn");
    return;
  }
}
