/* The trap of a liveness counterexample, explored breadth-first in memory of its own. A trap is
 * small in most models; of one that is not, only the beginning is looked at. */
#include "trace/trap.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/vec.h"
#include "trace/plain.h"

/* A set of states: linear probing over indices into the list. */
struct set {
  uint32_t words;
  CLEW_VEC(uint64_t) list; /* `words` for each state */
  uint32_t *places;        /* 1 + index; 0: free */
  uint32_t size, count;    /* size is a power of two, at least twice the count */
};

static uint32_t *find(struct set *set, const uint64_t *state) {
  uint32_t mask = set->size - 1;
  uint32_t at = (uint32_t)clew_hash_words(state, set->words, 0) & mask;
  while (set->places[at] != 0 && memcmp(set->list.data + (size_t)(set->places[at] - 1) * set->words,
                                        state, set->words * sizeof *state) != 0) {
    at = (at + 1) & mask;
  }
  return &set->places[at];
}

static void add(struct set *set, const uint64_t *state) {
  uint32_t *place = find(set, state);
  if (*place != 0) {
    return;
  }
  clew_vec_reserve(&set->list, set->list.len + set->words);
  memcpy(set->list.data + set->list.len, state, set->words * sizeof *state);
  set->list.len += set->words;
  *place = ++set->count;
  assert(set->count * 2 <= set->size);
}

/* The successors of one state join the set, as long as there is room; whether there was. */
static bool expand(const struct clew_model *model, const uint64_t *state, struct set *set,
                   struct clew_succs *succs, struct clew_trap *trap) {
  bool room = true, stuck = true;
  succs->resume = 0;
  do {
    clew_succs_clear(succs);
    model->next(model, state, succs);
    stuck = stuck && succs->stuck;
    for (uint32_t i = 0; i < succs->count && room; i++) {
      if (trap->rules != NULL) {
        clew_bitset_add(trap->rules, model->rule_of(model, succs->edges[i]));
      }
      add(set, succs->states + (size_t)i * set->words);
      room = (set->count + 1) * 2 <= set->size;
    }
  } while (succs->resume != 0 && room);
  trap->stuck += stuck;
  return room;
}

void clew_trap_explore(const struct clew_model *model, const uint64_t *state, uint32_t label,
                       uint64_t most, struct clew_trap *trap) {
  model = model->reference;
  *trap = (struct clew_trap){.is_whole = true};
  if (model->rules != NULL) {
    trap->rules = clew_alloc_zero(CLEW_BITSET_WORDS(model->rule_count) + 1, sizeof *trap->rules);
  }
  struct set set = {.words = model->words, .size = 16};
  while (set.size / 2 < most + 1) {
    set.size *= 2;
  }
  set.places = clew_alloc_zero(set.size, sizeof *set.places);
  struct clew_succs succs;
  clew_succs_open_piecewise(&succs, model->words, model->cover_count);
  uint64_t *copy = clew_alloc(model->words * sizeof *copy);
  add(&set, state);
  for (uint32_t i = 0; i < set.count && trap->is_whole && !trap->escapes; i++) {
    uint32_t site = CLEW_NONE;
    memcpy(copy, set.list.data + (size_t)i * set.words, set.words * sizeof *copy);
    trap->escapes = model->label(model, label, copy, &site);
    trap->is_whole = expand(model, copy, &set, &succs, trap);
  }
  trap->states = set.count;
  clew_free(copy);
  clew_succs_close(&succs);
  clew_free(set.places);
  clew_vec_free(&set.list);
}

void clew_trap_free(struct clew_trap *trap) {
  clew_free(trap->rules);
  trap->rules = NULL;
}

static void print_rules(const struct clew_model *model, const struct clew_trap *trap,
                        const char *indent, struct clew_text *out) {
  enum { SHOWN = 6 };
  uint32_t count = 0;
  for (uint32_t i = 0; trap->rules != NULL && i < model->rule_count; i++) {
    if (!clew_bitset_has(trap->rules, i)) {
      continue;
    }
    if (count < SHOWN) {
      clew_text_printf(out, "%s", count == 0 ? indent : ", ");
      clew_text_put(out, count == 0 ? "only these rules fire there: " : "");
      clew_plain_put(out, model->rules[i].name);
      if (model->rules[i].position.line > 0) {
        clew_text_printf(out, " (line %u)", model->rules[i].position.line);
      }
    }
    count++;
  }
  if (count > SHOWN) {
    clew_text_printf(out, " and %u more", count - SHOWN);
  }
  clew_text_put(out, count > 0 ? "\n" : "");
}

void clew_trap_print(const struct clew_model *model, const struct clew_trap *trap,
                     const char *label, const char *indent, struct clew_text *out) {
  char buffer[32];
  model = model->reference;
  if (trap->states == 1) {
    clew_text_printf(out, "%sfrom here no other state can be reached, and \"", indent);
    clew_plain_put(out, label);
    clew_text_put(out, "\" is false in this one\n");
  } else {
    clew_text_printf(out, "%sfrom here %s%s states can be reached, and \"", indent,
                     trap->is_whole ? "" : "more than ", clew_text_count(trap->states, buffer));
    clew_plain_put(out, label);
    clew_text_printf(out, "\" is true in none of %s\n", trap->is_whole ? "them" : "those seen");
  }
  if (trap->is_whole) {
    print_rules(model, trap, indent, out);
  }
  if (trap->stuck > 0) {
    clew_text_printf(out, "%sin %u of them nothing can happen any more\n", indent, trap->stuck);
  }
}
