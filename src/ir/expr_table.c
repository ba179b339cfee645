/* The expressions of a program under construction, to build each only once. Generated models repeat
 * the same comparisons by the hundred thousand; sharing them keeps a program small and lets later
 * phases remember what they found out about a node.
 *
 * Shared are constants, loads of cells of the state without dynamic indices, and unary and binary
 * operations. Their parts are shared already, so two nodes are equal iff their operands are the
 * same pointers (hash consing, Ershov 1958). Nothing that reads a frame is shared: what a cell of a
 * frame is depends on whose frame it is.
 *
 * Open addressing with linear probing, at most half full; keys are kept in the table, so a search
 * does not touch nodes. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "ir/ir_int.h"

enum { FIRST_SIZE = 256, SMALL = 256 };

struct entry {
  struct clew_expr_key key;
  const struct clew_expr *expr; /* NULL: free */
};

struct clew_expr_table {
  struct entry *entries;
  uint32_t size, count;                 /* size is a power of two */
  const struct clew_expr *small[SMALL]; /* the constants 0, 1, …, which are asked for most */
};

struct clew_expr_table *clew_expr_table_open(void) {
  struct clew_expr_table *table = clew_alloc_zero(1, sizeof *table);
  table->size = FIRST_SIZE;
  table->entries = clew_alloc_zero(table->size, sizeof *table->entries);
  return table;
}

void clew_expr_table_close(struct clew_expr_table *table) {
  if (table != NULL) {
    assert(table->count <= table->size / 2);
    clew_free(table->entries);
    clew_free(table);
  }
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  __extension__ typedef unsigned __int128 uint128;
  uint128 product = (uint128)(hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint32_t hash_of(struct clew_expr_key key) {
  uint64_t hash = mix((uint64_t)key.kind << 32 | key.site, key.x);
  return (uint32_t)mix(hash, key.y);
}

static bool equal(struct clew_expr_key a, struct clew_expr_key b) {
  return a.kind == b.kind && a.site == b.site && a.x == b.x && a.y == b.y;
}

static bool is_small(struct clew_expr_key key) {
  return key.kind == CLEW_EXPR_CONST && key.x < SMALL;
}

/* The entry with this key, or the free one where it belongs. */
static struct entry *entry_of(const struct clew_expr_table *table, struct clew_expr_key key) {
  assert(table->count < table->size);
  uint32_t mask = table->size - 1;
  uint32_t i = hash_of(key) & mask;
  while (table->entries[i].expr != NULL && !equal(table->entries[i].key, key)) {
    i = (i + 1) & mask;
  }
  return &table->entries[i];
}

static void grow(struct clew_expr_table *table) {
  struct entry *old = table->entries;
  uint32_t old_size = table->size;
  table->size *= 4;
  table->entries = clew_alloc_zero(table->size, sizeof *table->entries);
  for (uint32_t i = 0; i < old_size; i++) {
    if (old[i].expr != NULL) {
      *entry_of(table, old[i].key) = old[i];
    }
  }
  clew_free(old);
}

const struct clew_expr *clew_expr_find(const struct clew_program *program,
                                       struct clew_expr_key key) {
  const struct clew_expr_table *table = program->exprs;
  if (table == NULL) {
    return NULL;
  }
  return is_small(key) ? table->small[key.x] : entry_of(table, key)->expr;
}

const struct clew_expr *clew_expr_keep(struct clew_program *program, const struct clew_expr *expr) {
  struct clew_expr *kept = clew_arena_copy(program->arena, expr, 1, sizeof *expr);
  kept->number = program->expr_count++;
  return kept;
}

const struct clew_expr *clew_expr_share(struct clew_program *program, struct clew_expr_key key,
                                        const struct clew_expr *expr) {
  struct clew_expr_table *table = program->exprs;
  if (table == NULL) {
    return clew_expr_keep(program, expr);
  }
  if (is_small(key)) {
    if (table->small[key.x] == NULL) {
      table->small[key.x] = clew_expr_keep(program, expr);
    }
    return table->small[key.x];
  }
  struct entry *entry = entry_of(table, key);
  if (entry->expr != NULL) {
    return entry->expr;
  }
  if (table->count == table->size / 2) {
    grow(table);
    entry = entry_of(table, key);
  }
  *entry = (struct entry){key, clew_expr_keep(program, expr)};
  table->count++;
  return entry->expr;
}
