/* A small hash table from strings to numbers: linear probing, at most half full. It merges equal
 * sites and makes property names unique in linear time. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "ir/ir_int.h"

enum { FIRST_SIZE = 64 };

struct entry {
  const char *key; /* NULL: free */
  uint32_t value;
};

struct clew_names {
  struct entry *entries;
  uint32_t size, count; /* size is a power of two */
};

struct clew_names *clew_names_open(void) {
  struct clew_names *names = clew_alloc_zero(1, sizeof *names);
  names->size = FIRST_SIZE;
  names->entries = clew_alloc_zero(names->size, sizeof *names->entries);
  return names;
}

void clew_names_close(struct clew_names *names) {
  if (names != NULL) {
    assert(names->count <= names->size / 2);
    clew_free(names->entries);
    clew_free(names);
  }
}

static struct entry *entry_of(const struct clew_names *names, const char *key, size_t length) {
  assert(names->count < names->size);
  uint32_t mask = names->size - 1;
  uint32_t i = (uint32_t)clew_hash_bytes(key, length, 0) & mask;
  while (names->entries[i].key != NULL && strcmp(names->entries[i].key, key) != 0) {
    i = (i + 1) & mask;
  }
  return &names->entries[i];
}

static void names_double(struct clew_names *names) {
  struct clew_names bigger = {.size = names->size * 2};
  assert(bigger.size > names->size);
  bigger.entries = clew_alloc_zero(bigger.size, sizeof *bigger.entries);
  for (uint32_t i = 0; i < names->size; i++) {
    const struct entry *entry = &names->entries[i];
    if (entry->key != NULL) {
      *entry_of(&bigger, entry->key, strlen(entry->key)) = *entry;
    }
  }
  clew_free(names->entries);
  names->entries = bigger.entries;
  names->size = bigger.size;
}

uint32_t *clew_names_at(struct clew_names *names, struct clew_arena *arena, const char *key) {
  assert(key != NULL);
  if (names->count == names->size / 2) {
    names_double(names);
  }
  size_t length = strlen(key);
  struct entry *entry = entry_of(names, key, length);
  if (entry->key == NULL) {
    entry->key = clew_arena_strndup(arena, key, length);
    entry->value = 0;
    names->count++;
  }
  return &entry->value;
}
