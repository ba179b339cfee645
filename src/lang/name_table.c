/* Interned names: a hash table with chains, four times as large whenever it is full. */
#include "lang/name_table.h"

#include <assert.h>
#include <string.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/vec.h"

enum { FIRST_BUCKETS = 1 << 10 };

static struct clew_name **bucket_of(struct clew_name **buckets, uint32_t count, const char *text,
                                    size_t length) {
  assert(count > 0 && (count & (count - 1)) == 0);
  return &buckets[clew_hash_bytes(text, length, 0) & (count - 1)];
}

static void grow(struct clew_name_table *table) {
  uint32_t count = table->bucket_count == 0 ? FIRST_BUCKETS : table->bucket_count * 4;
  struct clew_name **buckets = CLEW_NEW_ARRAY(table->arena, struct clew_name *, count);
  for (uint32_t i = 0; i < table->bucket_count; i++) {
    for (struct clew_name *name = table->buckets[i], *next; name != NULL; name = next) {
      struct clew_name **bucket = bucket_of(buckets, count, name->text, name->length);
      next = name->next;
      name->next = *bucket;
      *bucket = name;
    }
  }
  table->buckets = buckets;
  table->bucket_count = count;
}

struct clew_name *clew_name_intern(struct clew_name_table *table, const char *text, size_t length) {
  assert(table->name_bytes >= sizeof(struct clew_name));
  if (table->count >= table->bucket_count) {
    grow(table);
  }
  struct clew_name **bucket = bucket_of(table->buckets, table->bucket_count, text, length);
  for (struct clew_name *name = *bucket; name != NULL; name = name->next) {
    if (name->length == length && memcmp(name->text, text, length) == 0) {
      return name;
    }
  }
  struct clew_name *name = clew_arena_alloc(table->arena, table->name_bytes);
  name->text = clew_arena_strndup(table->arena, text, length);
  name->length = (uint32_t)length;
  name->next = *bucket;
  *bucket = name;
  table->count++;
  return name;
}

const char *clew_name_nearest(const struct clew_name_table *table, const char *text,
                              bool (*visible)(const struct clew_name *name, const void *context),
                              const void *context) {
  enum { MOST = 4096 }; /* a search over more names than this is not worth its time */
  if (table->count > MOST) {
    return NULL;
  }
  CLEW_VEC(const char *) candidates = {0};
  for (uint32_t i = 0; i < table->bucket_count; i++) {
    for (const struct clew_name *each = table->buckets[i]; each != NULL; each = each->next) {
      if (visible(each, context)) {
        clew_vec_push(&candidates, each->text);
      }
    }
  }
  const char *nearest = clew_diag_nearest(text, candidates.data, candidates.len);
  clew_vec_free(&candidates);
  return nearest;
}
