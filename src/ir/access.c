/* The dependency matrix, one row at a time: an abstract execution of the guard and the body of one
 * rule instance with its parameters known (access_expr.c, access_stmt.c, access_flow.c), followed
 * by what happens to every successor: bags are sorted and assumptions are evaluated.
 *
 * Soundness. For every state that satisfies the assumptions, and for every other one in which slots
 * outside of `read` have values of another such state:
 *   - `read` contains every slot whose old value can make a difference to whether the instance is
 *     enabled, faults or is discarded, or to a value it writes;
 *   - `may_write` contains every slot that can differ between the state and the successor;
 *   - every successor has written all of `must_write`, whatever was in it before.
 * So the first two are over-approximations and the last is an under-approximation; a slot that is
 * read only after it was surely written is not in `read`. What is too large to follow, or
 * recursive, reads and may write everything. For labels the same holds of `read`. */
#include "ir/access.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "ir/access_int.h"

static void fill_set(uint64_t *set, uint32_t slot_count) {
  for (uint32_t i = 0; i < CLEW_BITSET_WORDS(slot_count); i++) {
    uint32_t left = slot_count - i * 64;
    assert(left > 0);
    set[i] = clew_bits_mask(left < 64 ? left : 64);
  }
}

/* Sorting moves whatever is in the bag: all of it is read and written unless all was replaced. */
static void sort_bags(struct clew_abstract *a) {
  const struct clew_program *program = a->program;
  for (uint32_t i = 0; i < program->bags.len; i++) {
    const struct clew_bag *bag = &program->bags.data[i];
    uint32_t end = bag->slot + bag->count * bag->stride;
    bool touched = false, replaced = true;
    assert(end <= program->slot_count);
    for (uint32_t slot = bag->slot; slot < end; slot++) {
      touched |= clew_bitset_has(a->may_write, slot);
      replaced &= clew_bitset_has(a->flow.must, slot);
    }
    for (uint32_t slot = bag->slot; touched && !replaced && slot < end; slot++) {
      clew_bitset_add(a->read, slot);
      clew_bitset_add(a->may_write, slot);
      clew_bitset_remove(a->flow.must, slot);
    }
  }
}

/* Nothing that a label does can be seen afterwards: only what it reads matters. */
static void read_label(struct clew_abstract *a, const struct clew_label_code *label) {
  struct clew_activation activation = {.frame = clew_abstract_push(a, label->frame)};
  assert(a->activation == NULL);
  a->activation = &activation;
  clew_abstract_eval(a, label->value);
  a->activation = NULL;
  clew_abstract_pop(a);
}

/* An assumption held before; it matters only if something it depends on may have changed, or is
 * read: then all of it is, so that a state of which only the slots in `read` are known is judged by
 * values that belong together. Whether that made a difference to `read`. */
static bool read_assumption(struct clew_abstract *a, const struct clew_label_code *label) {
  uint64_t *read = a->read;
  uint64_t *own = clew_alloc_zero((size_t)a->set_words + 1, sizeof *own);
  uint64_t *must = a->flow.must;
  a->read = own;
  a->flow.must = clew_alloc_zero((size_t)a->set_words + 1, sizeof *own);
  read_label(a, label);
  clew_free(a->flow.must);
  a->flow.must = must;
  a->read = read;
  bool matters = false, changed = false;
  for (uint32_t i = 0; i < a->set_words; i++) {
    matters |= (own[i] & (a->may_write[i] | read[i])) != 0;
  }
  for (uint32_t i = 0; matters && i < a->set_words; i++) {
    uint64_t more = own[i] & ~must[i] & ~read[i];
    read[i] |= more;
    changed |= more != 0;
  }
  clew_free(own);
  return changed;
}

/* Until none adds a slot that another one depends on. */
static void read_assumptions(struct clew_abstract *a) {
  const struct clew_program *program = a->program;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < program->assumptions.len && !a->gave_up; i++) {
      changed |= read_assumption(a, &program->labels.data[program->assumptions.data[i]]);
    }
    changed &= !a->gave_up;
  }
}

/* Runs the rule; `instance` CLEW_NONE: any. The abstract state is left as it is at the end. */
static void run_rule(struct clew_abstract *a, const struct clew_family *family,
                     const struct clew_rule *rule, uint32_t instance) {
  struct clew_activation activation = {.frame = clew_abstract_push(a, family->frame)};
  for (uint32_t i = 0; i < family->parameter_count; i++) {
    const struct clew_parameter *parameter = &family->parameters[i];
    bool known = instance != CLEW_NONE;
    struct clew_known value = {.known = known,
                               .value = known ? clew_family_parameter(family, instance, i) : 0};
    clew_abstract_bind(a, activation.frame, parameter->cell, value);
  }
  a->activation = &activation;
  if (rule->guard != NULL) {
    struct clew_known guard = clew_abstract_eval(a, rule->guard);
    a->flow.reachable = a->flow.reachable && !(guard.known && guard.value == 0);
  }
  a->activation = NULL;
  clew_abstract_run_body(a, &activation, rule->body);
  clew_abstract_pop(a);
  assert(a->frames.len == 0);
  if (!a->gave_up) {
    sort_bags(a);
  }
}

void clew_access_of_edge(const struct clew_program *program, uint32_t edge,
                         struct clew_access *access) {
  struct clew_edge_parts parts = clew_program_edge(program, false, edge);
  uint32_t words = CLEW_BITSET_WORDS(program->slot_count);
  memset(access->read, 0, words * sizeof(uint64_t));
  memset(access->may_write, 0, words * sizeof(uint64_t));
  memset(access->must_write, 0, words * sizeof(uint64_t));
  struct clew_abstract a;
  clew_abstract_open(&a, program, access->read, access->may_write);
  run_rule(&a, parts.family, parts.rule, parts.instance);
  if (a.flow.reachable && !a.gave_up) {
    read_assumptions(&a);
  }
  if (a.gave_up) {
    fill_set(access->read, program->slot_count);
    fill_set(access->may_write, program->slot_count);
  } else if (a.flow.reachable) {
    memcpy(access->must_write, a.flow.must, words * sizeof(uint64_t));
  }
  for (uint32_t i = 0; i < words; i++) {
    assert((access->must_write[i] & ~access->may_write[i]) == 0);
  }
  clew_abstract_close(&a);
}

void clew_access_of_label(const struct clew_program *program, uint32_t label, uint64_t *read) {
  assert(label < program->labels.len);
  uint64_t *written = clew_alloc_zero(CLEW_BITSET_WORDS((size_t)program->slot_count) + 1, 8);
  struct clew_abstract a;
  clew_abstract_open(&a, program, read, written);
  read_label(&a, &program->labels.data[label]);
  if (a.gave_up) {
    fill_set(read, program->slot_count);
  }
  clew_abstract_close(&a);
  clew_free(written);
}

void clew_access_rule_writes(const struct clew_program *program, const struct clew_family *family,
                             const struct clew_rule *rule, uint64_t *may_write) {
  uint32_t words = CLEW_BITSET_WORDS(program->slot_count);
  memset(may_write, 0, words * sizeof(uint64_t));
  uint64_t *read = clew_alloc_zero((size_t)words + 1, sizeof *read);
  struct clew_abstract a;
  clew_abstract_open(&a, program, read, may_write);
  assert(rule >= family->rules && rule < family->rules + family->rule_count);
  run_rule(&a, family, rule, CLEW_NONE);
  if (a.gave_up) {
    fill_set(may_write, program->slot_count);
  }
  clew_abstract_close(&a);
  clew_free(read);
}
