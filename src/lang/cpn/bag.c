/* Multisets of tokens, numbered for each place in the order in which they are met.
 *
 * Invariant: the tokens of a bag are interned, in increasing order of their ids, and there is at
 * least one of each; equal multisets of a place have equal numbers; number 0 is the empty one. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "lang/cpn/cpn_int.h"

/* A sum over all tokens: it does not depend on their ids, which are of this process. */
static uint64_t hash_tokens(const struct cpn_tokens_of *tokens, uint32_t count) {
  uint64_t hash = count;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t words[2] = {tokens[i].token->hash, tokens[i].count};
    hash += clew_hash_words(words, 2, 0);
  }
  return hash;
}

static bool same(const struct cpn_bag *bag, const struct cpn_tokens_of *tokens, uint32_t count) {
  if (bag->count != count) {
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (bag->tokens[i].token != tokens[i].token || bag->tokens[i].count != tokens[i].count) {
      return false;
    }
  }
  return true;
}

static void make_table(struct cpn_bags *bags, uint32_t capacity) {
  clew_free(bags->table);
  bags->table = clew_alloc_zero(capacity, sizeof *bags->table);
  bags->capacity = capacity;
  for (uint32_t i = 0; i < bags->list.len; i++) {
    uint32_t at = (uint32_t)bags->list.data[i]->hash & (capacity - 1);
    while (bags->table[at] != 0) {
      at = (at + 1) & (capacity - 1);
    }
    bags->table[at] = i + 1;
  }
}

void cpn_bags_forget(struct cpn_net *net, uint32_t place, uint32_t keep) {
  struct cpn_bags *bags = &net->bags[place];
  assert(keep <= bags->list.len);
  bags->list.len = keep;
  make_table(bags, bags->capacity);
}

static uint32_t put(struct cpn_net *net, uint32_t place, const struct cpn_tokens_of *tokens,
                    uint32_t count) {
  struct cpn_bags *bags = &net->bags[place];
  if (bags->list.len * 2 >= bags->capacity) {
    make_table(bags, bags->capacity == 0 ? 64 : bags->capacity * 2);
  }
  uint64_t hash = hash_tokens(tokens, count);
  uint32_t at = (uint32_t)hash & (bags->capacity - 1);
  for (; bags->table[at] != 0; at = (at + 1) & (bags->capacity - 1)) {
    const struct cpn_bag *bag = bags->list.data[bags->table[at] - 1];
    if (bag->hash == hash && same(bag, tokens, count)) {
      return bags->table[at] - 1;
    }
  }
  struct cpn_bag *bag =
      clew_arena_alloc(net->bag_arena, sizeof *bag + count * sizeof bag->tokens[0]);
  bag->count = count;
  bag->hash = hash;
  if (count > 0) {
    memcpy(bag->tokens, tokens, count * sizeof *tokens);
  }
  net->row_bytes += cpn_row_set(&bags->hashes, bags->list.len, (uint32_t)(hash >> 32));
  clew_vec_push(&bags->list, bag);
  bags->table[at] = bags->list.len;
  return bags->list.len - 1;
}

static int compare_ids(const void *a, const void *b) {
  uint32_t x = ((const struct cpn_tokens_of *)a)->token->id;
  uint32_t y = ((const struct cpn_tokens_of *)b)->token->id;
  return (x > y) - (x < y);
}

uint32_t cpn_bag_intern(struct cpn_net *net, uint32_t place, struct cpn_tokens_of *tokens,
                        uint32_t count) {
  uint32_t kept = 0;
  if (count > 1) {
    qsort(tokens, count, sizeof *tokens, compare_ids);
  }
  for (uint32_t i = 0; i < count; i++) {
    if (kept > 0 && tokens[kept - 1].token == tokens[i].token) {
      tokens[kept - 1].count += tokens[i].count;
    } else {
      tokens[kept++] = tokens[i];
    }
  }
  return put(net, place, tokens, kept);
}

uint32_t cpn_bag_of_list(struct cpn_net *net, uint32_t place, const struct cpn_value *list) {
  CLEW_VEC(struct cpn_tokens_of) tokens = {0};
  for (; list->kind == CPN_V_CONS; list = list->tail) {
    struct cpn_tokens_of one = {cpn_intern(&net->pool, list->head), 1};
    clew_vec_push(&tokens, one);
  }
  uint32_t number = cpn_bag_intern(net, place, tokens.data, tokens.len);
  clew_vec_free(&tokens);
  return number;
}

uint64_t cpn_bag_count(const struct cpn_bag *bag, const struct cpn_value *token) {
  uint32_t low = 0, high = bag->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (bag->tokens[middle].token->id < token->id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < bag->count && bag->tokens[low].token == token ? bag->tokens[low].count : 0;
}

enum { FEW = 64 };

bool cpn_bag_move(struct cpn_net *net, uint32_t place, uint32_t number,
                  const struct cpn_binding *binding, uint32_t *after) {
  const struct cpn_bag *bag = cpn_bag(net, place, number);
  struct cpn_tokens_of few[FEW], *tokens = few;
  uint32_t most = bag->count + binding->give_count, count = bag->count;
  if (most > FEW) {
    tokens = clew_alloc((size_t)most * sizeof *tokens);
  }
  memcpy(tokens, bag->tokens, bag->count * sizeof *tokens);
  bool fits = true;
  for (uint32_t i = 0; i < binding->take_count && fits; i++) {
    const struct cpn_move *move = &binding->takes[i];
    if (move->place != place) {
      continue;
    }
    uint32_t at = 0;
    while (at < count && tokens[at].token != move->token) {
      at++;
    }
    fits = at < count && tokens[at].count >= move->count;
    if (fits) {
      tokens[at].count -= move->count;
    }
  }
  for (uint32_t i = 0; i < binding->give_count && fits; i++) {
    if (binding->gives[i].place == place) {
      tokens[count++] = (struct cpn_tokens_of){binding->gives[i].token, binding->gives[i].count};
    }
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count && fits; i++) {
    if (tokens[i].count > 0) {
      tokens[kept++] = tokens[i];
    }
  }
  if (fits) {
    *after = cpn_bag_intern(net, place, tokens, kept);
  }
  if (tokens != few) {
    clew_free(tokens);
  }
  return fits;
}

static int compare_values(const void *a, const void *b) {
  return cpn_value_compare(((const struct cpn_tokens_of *)a)->token,
                           ((const struct cpn_tokens_of *)b)->token);
}

void cpn_bag_print(const struct cpn_bag *bag, struct clew_text *out) {
  if (bag->count == 0) {
    clew_text_put(out, "empty");
    return;
  }
  /* By value: ids depend on the order in which tokens were met. */
  struct cpn_tokens_of *tokens = clew_alloc((size_t)bag->count * sizeof *tokens);
  memcpy(tokens, bag->tokens, bag->count * sizeof *tokens);
  qsort(tokens, bag->count, sizeof *tokens, compare_values);
  for (uint32_t i = 0; i < bag->count; i++) {
    clew_text_printf(out, "%s%llu`", i > 0 ? "++" : "", (unsigned long long)tokens[i].count);
    cpn_value_print(tokens[i].token, out);
  }
  clew_free(tokens);
}
