/* A whole store, as small as it can be: the walk-through of CONTRIBUTING.md. Entries, a link and
 * the words of a state, stand one after the other in memory that grows in place, behind the heads
 * of hash chains. A link is 1 + an id, 0 ends a chain; a chain goes from younger to older. */
#ifndef CLEW_TESTS_TINY_STORE_H
#define CLEW_TESTS_TINY_STORE_H

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "store/store.h"

extern const struct clew_store_type clew_store_tiny;

struct tiny_options {
  uint64_t chains;
};

struct tiny {
  struct clew_store base; /* first: a store is cast to what it is */
  struct clew_bigmem memory;
  uint64_t *heads, *entries; /* in `memory` */
  uint64_t chains, count;
};

static uint64_t *tiny_entry(const struct clew_store *store, uint64_t id) {
  return ((const struct tiny *)store)->entries + id * (store->config.words + 1);
}

static enum clew_room tiny_reserve(struct clew_store *store, uint32_t insertions) {
  struct tiny *t = (struct tiny *)store;
  size_t bytes = (size_t)(tiny_entry(store, t->count + insertions) - t->heads) * sizeof *t->heads;
  return clew_bigmem_commit(&t->memory, bytes) ? CLEW_ROOM : CLEW_ROOM_MEMORY;
}

static void tiny_close(struct clew_store *store) {
  clew_bigmem_close(&((struct tiny *)store)->memory);
  clew_free(store);
}

static enum clew_status tiny_open(const struct clew_store_config *config,
                                  struct clew_diag_sink *diags, struct clew_store **store) {
  const struct tiny_options *options = config->options;
  struct tiny *t = clew_alloc_zero(1, sizeof *t);
  t->base = (struct clew_store){&clew_store_tiny, clew_store_tiny.promises, 0, .config = *config};
  t->chains = options != NULL && options->chains > 0 ? options->chains : 4096;
  bool opened = clew_bigmem_open_most(&t->memory, UINT64_C(1) << 36, t->chains * sizeof *t->heads,
                                      config->budget);
  t->heads = (uint64_t *)(void *)t->memory.data;
  t->entries = opened ? t->heads + t->chains : NULL;
  if (!opened || tiny_reserve(&t->base, 0) != CLEW_ROOM) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "the memory budget is too small for the store");
    tiny_close(&t->base);
    return CLEW_OVER_LIMIT;
  }
  *store = &t->base;
  return CLEW_OK;
}

/* Equal, or covered by a stored one where the model has an order. */
static bool tiny_knows(const struct clew_store_config *config, const uint64_t *stored,
                       const uint64_t *state) {
  uint32_t words = config->covers != NULL ? config->discrete_words : config->words;
  return memcmp(stored, state, words * sizeof *state) == 0 &&
         (config->covers == NULL || config->covers(config->covers_context, stored, state));
}

static void tiny_find(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  const struct tiny *t = (const struct tiny *)store;
  for (struct clew_visit *visit = visits; visit < visits + count; visit++) {
    uint64_t link = t->heads[visit->hash % t->chains];
    while (link != 0 &&
           !tiny_knows(&store->config, tiny_entry(store, link - 1) + 1, visit->state)) {
      link = *tiny_entry(store, link - 1);
    }
    visit->answer = link != 0 ? CLEW_SEEN : CLEW_NEW;
    visit->id = link != 0 ? link - 1 : CLEW_ID_NONE;
  }
}

static void tiny_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct tiny *t = (struct tiny *)store;
  for (struct clew_visit *visit = visits; visit < visits + count; visit++) {
    tiny_find(store, 1, visit);
    if (visit->answer == CLEW_NEW) {
      visit->id = t->count++;
      uint64_t *entry = tiny_entry(store, visit->id), *head = &t->heads[visit->hash % t->chains];
      entry[0] = *head;
      memcpy(entry + 1, visit->state, store->config.words * sizeof *entry);
      *head = t->count;
    }
  }
}

static void tiny_get(struct clew_store *store, clew_id first, uint32_t count, uint64_t *out) {
  for (uint32_t i = 0; i < count; i++, out += store->config.words) {
    memcpy(out, tiny_entry(store, first + i) + 1, store->config.words * sizeof *out);
  }
}

static void tiny_prefetch(const struct clew_store *store, uint64_t hash) {
  const struct tiny *t = (const struct tiny *)store;
  __builtin_prefetch(&t->heads[hash % t->chains]);
}

static uint64_t tiny_count(const struct clew_store *store) {
  return ((const struct tiny *)store)->count;
}

static uint64_t tiny_bytes(const struct clew_store *store) {
  return ((const struct tiny *)store)->memory.committed_bytes;
}

/* Links lead to older states, and as many are linked as there are. */
static bool tiny_validate(const struct clew_store *store, const char **why) {
  const struct tiny *t = (const struct tiny *)store;
  uint64_t linked = 0, last = 0;
  for (uint64_t chain = 0; chain < t->chains; chain++) {
    for (uint64_t link = t->heads[chain]; link != 0; link = *tiny_entry(store, last - 1)) {
      if (link > t->count || linked == t->count) {
        *why = "a chain leads nowhere or into itself";
        return false;
      }
      last = link;
      linked++;
    }
  }
  *why = "a state is in no chain";
  return linked == t->count;
}

static const struct clew_option_spec tiny_specs[] = {
    {CLEW_OPTION_POSITIVE, "tiny-chains", "N", "chains of the hash table (default: 4096)",
     .offset = offsetof(struct tiny_options, chains), .least = 16, .most = 1 << 20},
};

const struct clew_store_type clew_store_tiny = {
    .name = "tiny",
    .help = "whole states in chains; the example of CONTRIBUTING.md",
    .promises = CLEW_STORE_GRAPH | CLEW_STORE_ORDER,
    .options = CLEW_OPTION_TABLE(tiny_specs, struct tiny_options),
    .open = tiny_open,
    .close = tiny_close,
    .reserve = tiny_reserve,
    .prefetch = tiny_prefetch,
    .put = tiny_put,
    .get = tiny_get,
    .find = tiny_find,
    .count = tiny_count,
    .bytes = tiny_bytes,
    .validate = tiny_validate,
};

#endif
