/* Canonical forms by the tables of ir/symmetry.c, without native code; and renamings one by one. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "ir/interp_int.h"
#include "ir/ir_int.h"
#include "ir/symmetry.h"

static void sort_bags(void *context, uint64_t *state) {
  const struct clew_program *program = context;
  struct clew_interp in = {.program = program, .slots = program->slots, .state = state};
  clew_interp_sort_bags(&in);
}

/* Memory for one call, given back by popping the stack. */
static struct clew_canon_work work_push(const struct clew_symmetry *s, struct clew_stack *stack) {
  const struct clew_canon *t = clew_symmetry_tables(s);
  struct clew_canon_work w = {.sort_bags = sort_bags,
                              .context = (void *)(uintptr_t)clew_symmetry_program(s)};
  w.best = clew_stack_push(stack, t->words * sizeof *w.best);
  w.trial = clew_stack_push(stack, t->words * sizeof *w.trial);
  w.links = clew_stack_push(stack, (t->link_limit + 1) * sizeof *w.links);
  w.members = clew_stack_push(stack, (t->member_limit + 1) * sizeof *w.members);
  if (w.best == NULL || w.trial == NULL || w.links == NULL || w.members == NULL) {
    clew_fatal("a state is too large for symmetry reduction");
  }
  return w;
}

void clew_symmetry_canonicalise(const struct clew_symmetry *symmetry, const uint64_t *parent,
                                uint64_t *states, uint32_t count) {
  struct clew_stack *stack = clew_stack_of_thread();
  struct clew_stack_mark mark = clew_stack_get_mark(stack);
  struct clew_canon_work work = work_push(symmetry, stack);
  clew_canon_run_all(clew_symmetry_tables(symmetry), &work, parent, states, count);
  clew_stack_pop(stack, mark);
}

/* ---- Renamings ------------------------------------------------------------------------------ */

struct telling {
  const struct clew_renaming_teller *teller;
  uint32_t element_count;
  uint8_t twin[CLEW_CANON_ELEMENTS];
};

static void tell(void *context, const uint64_t *shift, bool is_less) {
  const struct telling *telling = context;
  uint8_t to[CLEW_CANON_ELEMENTS];
  for (uint32_t e = 0; e < telling->element_count; e++) {
    to[e] = (uint8_t)(e + shift[e]);
  }
  struct clew_renaming renaming = {to, telling->twin};
  telling->teller->tell(telling->teller->context, &renaming, is_less);
}

/* Elements of one colour whose swapping changes nothing. */
static void find_twins(const struct clew_canon *t, const struct clew_canon_work *work,
                       const uint64_t *state, const struct clew_canon_colours *g, uint8_t *twin) {
  for (uint32_t start = 0, end; start < t->element_count; start = end) {
    uint8_t colour = g->colour[g->order[start]];
    for (end = start; end < t->element_count && g->colour[g->order[end]] == colour; end++) {
      uint8_t e = g->order[end];
      twin[e] = e;
      for (uint32_t i = start; i < end; i++) {
        uint8_t other = g->order[i];
        if (twin[other] == other && clew_canon_twins(t, work, state, other, e)) {
          twin[e] = other;
          break;
        }
      }
    }
  }
}

void clew_symmetry_resolve(const struct clew_symmetry *symmetry, uint64_t *state,
                           const struct clew_renaming_teller *teller) {
  const struct clew_canon *t = clew_symmetry_tables(symmetry);
  struct clew_stack *stack = clew_stack_of_thread();
  struct clew_stack_mark mark = clew_stack_get_mark(stack);
  struct clew_canon_work work = work_push(symmetry, stack);
  struct telling telling = {.teller = teller, .element_count = t->element_count};
  uint64_t sum[CLEW_CANON_TABLE];
  struct clew_canon_colours g;
  bool moved;
  clew_canon_tell(t, &work, state, sum);
  bool apart = clew_canon_sort(t, sum, &moved);
  clew_canon_colour(t, &g, sum);
  for (uint32_t e = 0; e < t->element_count; e++) {
    telling.twin[e] = (uint8_t)e;
  }
  if (!apart) {
    clew_canon_scan(t, &work, state);
    clew_canon_refine(t, &work, &g);
    find_twins(t, &work, state, &g, telling.twin);
  }
  work.tell = tell;
  work.teller = &telling;
  work.has_best = false;
  clew_canon_search(t, &work, state, &g, 0);
  memcpy(state, work.best, t->words * sizeof *state);
  clew_stack_pop(stack, mark);
}

/* ---- By brute force ------------------------------------------------------------------------- */

/* Each set is filled up one element at a time; the new one changes places with each before it. */
uint32_t clew_symmetry_renamings(const struct clew_symmetry *symmetry,
                                 uint8_t (*list)[CLEW_CANON_ELEMENTS], uint32_t room) {
  const struct clew_canon *t = clew_symmetry_tables(symmetry);
  assert(room > 0);
  for (uint32_t e = 0; e < t->element_count; e++) {
    list[0][e] = (uint8_t)e;
  }
  uint32_t count = 1;
  for (uint32_t s = 0; s < t->set_count; s++) {
    for (uint32_t i = t->set_first[s] + 1U; i < t->set_first[s + 1]; i++) {
      uint32_t shorter = count;
      for (uint32_t k = 0; k < shorter * (i - t->set_first[s]); k++) {
        if (count == room) {
          return 0;
        }
        uint32_t j = t->set_first[s] + k / shorter;
        uint8_t *to = list[count++];
        memcpy(to, list[k % shorter], CLEW_CANON_ELEMENTS);
        to[i] = list[k % shorter][j];
        to[j] = list[k % shorter][i];
      }
    }
  }
  return count;
}

void clew_symmetry_permute(const struct clew_symmetry *symmetry, const uint8_t *to,
                           uint64_t *state) {
  struct clew_stack *stack = clew_stack_of_thread();
  struct clew_stack_mark mark = clew_stack_get_mark(stack);
  struct clew_canon_work work = work_push(symmetry, stack);
  const struct clew_canon *t = clew_symmetry_tables(symmetry);
  uint64_t shift[CLEW_CANON_TABLE] = {0};
  for (uint32_t e = 0; e < t->element_count; e++) {
    shift[e] = (uint64_t)to[e] - e;
  }
  clew_canon_apply(t, &work, state, shift, work.trial);
  memcpy(state, work.trial, t->words * sizeof *state);
  clew_stack_pop(stack, mark);
}
