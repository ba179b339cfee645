/* Looking at states and successors of a program in tests, and finding all that are reachable. */
#ifndef CLEW_TESTS_IR_REACH_H
#define CLEW_TESTS_IR_REACH_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/hash.h"
#include "ir/interp.h"
#include "ir/ir.h"

static inline const struct clew_slot *ir_slot(const struct clew_program *p, const char *variable,
                                              uint32_t cell) {
  for (uint32_t i = 0; i < p->variables.len; i++)
    if (strcmp(p->variables.data[i].name, variable) == 0)
      return &p->slots[p->variables.data[i].cell + cell];
  fprintf(stderr, "%s: no variable %s\n", p->name, variable);
  abort();
}

static inline int64_t ir_value(const struct clew_program *p, const uint64_t *state,
                               const char *variable, uint32_t cell) {
  return clew_slot_get(ir_slot(p, variable, cell), state);
}

static inline const uint64_t *ir_state(const struct clew_succs *succs, uint32_t i) {
  assert(i < succs->count);
  return succs->states + (size_t)i * succs->words;
}

static inline uint32_t ir_site(const struct clew_program *p, const char *message) {
  for (uint32_t i = 0; i < p->sites.len; i++)
    if (strcmp(p->sites.data[i].message, message) == 0)
      return i;
  fprintf(stderr, "%s: no site %s\n", p->name, message);
  abort();
}

/* The same successors, faults and cover bits in the same order. */
static inline bool ir_same(const struct clew_succs *a, const struct clew_succs *b,
                           uint32_t cover_count) {
  return a->words == b->words && a->count == b->count && a->fault_count == b->fault_count &&
         (a->count == 0 ||
          (memcmp(a->states, b->states, (size_t)a->count * a->words * sizeof *a->states) == 0 &&
           memcmp(a->edges, b->edges, a->count * sizeof *a->edges) == 0)) &&
         (a->fault_count == 0 ||
          memcmp(a->faults, b->faults, a->fault_count * sizeof *a->faults) == 0) &&
         memcmp(a->covered, b->covered, CLEW_BITSET_WORDS(cover_count) * sizeof *a->covered) == 0;
}

/* The reachable states, found by the interpreter in breadth-first order. */
enum { IR_REACHED_TABLE = 1 << 16, IR_REACHED_MOST = IR_REACHED_TABLE / 2 };

struct ir_reached {
  struct clew_succs states; /* the edges are without meaning */
  uint64_t transitions, faults;
  uint32_t *table; /* number of a state + 1, or 0 */
};

static inline bool ir_equal(const uint64_t *a, const uint64_t *b, uint32_t words) {
  return memcmp(a, b, words * sizeof *a) == 0;
}

static inline void ir_reached_put(struct ir_reached *reached, const uint64_t *state) {
  struct clew_succs *states = &reached->states;
  uint64_t at = clew_hash_words(state, states->words, 0) % IR_REACHED_TABLE;
  for (; reached->table[at] != 0; at = (at + 1) % IR_REACHED_TABLE)
    if (ir_equal(ir_state(states, reached->table[at] - 1), state, states->words))
      return;
  assert(states->count < IR_REACHED_MOST);
  memcpy(clew_succs_next(states), state, states->words * sizeof *state);
  clew_succs_keep(states, 0);
  reached->table[at] = states->count;
}

static inline void ir_reached_add(struct ir_reached *reached, const struct clew_succs *found) {
  for (uint32_t i = 0; i < found->count; i++)
    ir_reached_put(reached, ir_state(found, i));
  reached->faults += found->fault_count;
}

/* Also gathers the cover bits, in states.covered. */
static inline struct ir_reached ir_reach(const struct clew_program *p) {
  struct ir_reached reached = {.table = clew_alloc_zero(IR_REACHED_TABLE, sizeof(uint32_t))};
  struct clew_succs succs;
  uint64_t *from = clew_alloc_zero(p->words, sizeof *from);
  clew_succs_open(&reached.states, p->words, p->cover_count);
  clew_succs_open(&succs, p->words, p->cover_count);
  clew_interp_init(p, &succs);
  ir_reached_add(&reached, &succs);
  for (uint32_t i = 0; i < reached.states.count; i++) {
    memcpy(from, ir_state(&reached.states, i), p->words * sizeof *from);
    clew_succs_clear(&succs);
    clew_interp_next(p, from, &succs);
    reached.transitions += succs.count;
    ir_reached_add(&reached, &succs);
  }
  memcpy(reached.states.covered, succs.covered,
         CLEW_BITSET_WORDS(p->cover_count) * sizeof *succs.covered);
  clew_succs_close(&succs);
  clew_free(from);
  return reached;
}

static inline void ir_reached_free(struct ir_reached *reached) {
  clew_succs_close(&reached->states);
  clew_free(reached->table);
}

#endif
