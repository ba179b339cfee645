/* The dependency matrix against the interpreter, on all fixtures and on random programs: what it
 * must not get wrong. The environment variable CLEW_ACCESS_SEEDS makes for a longer test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "unit/access_sets.h"
#include "unit/effort.h"
#include "unit/ir_fixture.h"
#include "unit/ir_random.h"
#include "unit/ir_reach.h"

struct result {
  bool fired;
  uint32_t site;
  uint64_t *out;
};

static struct result fire(const struct clew_program *p, const uint64_t *from, uint32_t edge) {
  struct result result = {.site = CLEW_NONE, .out = clew_alloc_zero(p->words, sizeof(uint64_t))};
  result.fired = clew_interp_fire(p, from, edge, result.out, &result.site);
  return result;
}

/* Satisfies the assumptions. */
static bool exists(const struct clew_program *p, const uint64_t *state) {
  for (uint32_t i = 0; i < p->assumptions.len; i++) {
    uint32_t site = CLEW_NONE;
    if (!clew_interp_label(p, p->assumptions.data[i], state, &site) || site != CLEW_NONE) {
      return false;
    }
  }
  return true;
}

static void check_writes(const struct clew_program *p, const struct sets *sets,
                         const uint64_t *from, const struct result *result) {
  for (uint32_t i = 0; i < p->slot_count && result->fired; i++) {
    if (!clew_bitset_has(sets->may, i)) {
      assert_int_equal(clew_slot_get(&p->slots[i], from), clew_slot_get(&p->slots[i], result->out));
    }
  }
}

/* Two states that differ in one slot that is not read: nothing else differs afterwards, and that
 * slot is either written the same in both or left alone in both. */
static void check_pair(const struct clew_program *p, const struct sets *sets, uint32_t slot,
                       const uint64_t *from, const struct result *a, const uint64_t *from2,
                       const struct result *b) {
  assert_int_equal(a->fired, b->fired);
  assert_int_equal(a->site, b->site);
  for (uint32_t i = 0; i < p->slot_count && a->fired; i++) {
    int64_t x = clew_slot_get(&p->slots[i], a->out), y = clew_slot_get(&p->slots[i], b->out);
    if (i != slot || clew_bitset_has(sets->must, i)) {
      assert_int_equal(x, y);
    } else {
      bool kept = x == clew_slot_get(&p->slots[i], from) && y == clew_slot_get(&p->slots[i], from2);
      assert_true(kept || (x == y && clew_bitset_has(sets->may, i)));
    }
  }
}

static void set_at_random(const struct clew_slot *slot, struct clew_random *random,
                          uint64_t *state) {
  uint64_t size = (uint64_t)slot->domain->hi - (uint64_t)slot->domain->lo + 1;
  bool undefined = slot->undefinable && clew_random_below(random, 4) == 0;
  int64_t value = (int64_t)((uint64_t)slot->domain->lo + clew_random_below(random, size));
  clew_slot_set(slot, state, undefined ? CLEW_UNDEFINED : value);
}

/* Bags must stay sorted and absent elements zero, so they are left alone. */
static bool is_free(const struct clew_slot *slot) {
  return !slot->hidden && slot->presence == CLEW_NONE && slot->width > 0;
}

static void change_at_random(const struct clew_program *p, struct clew_random *random, bool change,
                             uint64_t *state) {
  for (uint32_t s = 0; s < p->slot_count && change; s++) {
    if (is_free(&p->slots[s]) && clew_random_below(random, 4) == 0) {
      set_at_random(&p->slots[s], random, state);
    }
  }
}

/* Changes slots that the edge does not read, one at a time. */
static uint64_t check_state(const struct clew_program *p, uint32_t edge, const struct sets *sets,
                            const uint64_t *from, struct clew_random *random) {
  uint64_t pairs = 0, *from2 = clew_alloc_zero(p->words, sizeof *from2);
  struct result a = fire(p, from, edge);
  check_writes(p, sets, from, &a);
  for (uint32_t tries = 0; tries < 40; tries++) {
    uint32_t i = (uint32_t)clew_random_below(random, p->slot_count);
    if (clew_bitset_has(sets->read, i) || !is_free(&p->slots[i])) {
      continue;
    }
    memcpy(from2, from, p->words * sizeof *from);
    set_at_random(&p->slots[i], random, from2);
    if (exists(p, from2)) {
      struct result b = fire(p, from2, edge);
      check_pair(p, sets, i, from, &a, from2, &b);
      clew_free(b.out);
      pairs++;
    }
  }
  clew_free(a.out);
  clew_free(from2);
  return pairs;
}

static void check_rule_writes(const struct clew_program *p, uint32_t edge,
                              const struct sets *sets) {
  struct clew_edge_parts parts = clew_program_edge(p, false, edge);
  uint32_t words = CLEW_BITSET_WORDS(p->slot_count);
  uint64_t *writes = clew_alloc_zero((size_t)words + 1, sizeof *writes);
  clew_access_rule_writes(p, parts.family, parts.rule, writes);
  for (uint32_t i = 0; i < words; i++) {
    assert_int_equal(sets->may[i] & ~writes[i], 0);
  }
  clew_free(writes);
}

struct tally {
  uint64_t edges, fired, pairs, everything;
  uint64_t label_pairs, true_labels, labels, whole_labels;
};

/* Changes slots that the label does not depend on, one at a time. */
static void check_label(const struct clew_program *p, uint32_t label, const uint64_t *read,
                        const uint64_t *from, struct clew_random *random, struct tally *tally) {
  uint64_t *from2 = clew_alloc_zero(p->words, sizeof *from2);
  uint32_t site = CLEW_NONE;
  bool value = clew_interp_label(p, label, from, &site);
  tally->true_labels += value;
  for (uint32_t tries = 0; tries < 40; tries++) {
    uint32_t i = (uint32_t)clew_random_below(random, p->slot_count), site2 = CLEW_NONE;
    if (clew_bitset_has(read, i) || !is_free(&p->slots[i])) {
      continue;
    }
    memcpy(from2, from, p->words * sizeof *from);
    set_at_random(&p->slots[i], random, from2);
    assert_int_equal(clew_interp_label(p, label, from2, &site2), value);
    assert_int_equal(site2, site);
    tally->label_pairs++;
  }
  clew_free(from2);
}

/* The same for all labels. */
static void check_labels(const struct clew_program *p, const struct clew_succs *states,
                         struct clew_random *random, struct tally *tally) {
  uint32_t words = CLEW_BITSET_WORDS(p->slot_count);
  uint64_t *from = clew_alloc_zero(p->words, sizeof *from);
  for (uint32_t label = 0; label < p->labels.len; label++) {
    uint64_t *read = clew_alloc_zero((size_t)words + 1, sizeof *read);
    clew_access_of_label(p, label, read);
    tally->labels++;
    tally->whole_labels += clew_bitset_count(read, words) == p->slot_count;
    for (uint32_t i = 0; i < states->count && p->slot_count > 0; i++) {
      memcpy(from, ir_state(states, i), p->words * sizeof *from);
      change_at_random(p, random, i % 2 == 1, from);
      check_label(p, label, read, from, random, tally);
    }
    clew_free(read);
  }
  clew_free(from);
}

/* All edges on these states, as they are and with some slots changed. */
static void check_program(const struct clew_program *p, const struct clew_succs *states,
                          struct clew_random *random, struct tally *tally) {
  uint64_t *from = clew_alloc_zero(p->words, sizeof *from);
  for (uint32_t edge = 0; edge < p->edge_count; edge++) {
    struct sets sets = sets_of(p, edge);
    check_rule_writes(p, edge, &sets);
    tally->edges++;
    tally->everything +=
        clew_bitset_count(sets.read, CLEW_BITSET_WORDS(p->slot_count)) == p->slot_count;
    for (uint32_t i = 0; i < states->count && p->slot_count > 0; i++) {
      memcpy(from, ir_state(states, i), p->words * sizeof *from);
      change_at_random(p, random, i % 2 == 1, from);
      if (exists(p, from)) {
        struct result result = fire(p, from, edge);
        tally->fired += result.fired;
        tally->pairs += check_state(p, edge, &sets, from, random);
        clew_free(result.out);
      }
    }
    clew_free(sets.read);
  }
  clew_free(from);
}

static void test_fixtures(void **state) {
  (void)state;
  struct tally tally = {0};
  struct clew_random random;
  clew_random_seed(&random, 1);
  for (uint32_t f = 0; f < IR_FIXTURE_COUNT; f++) {
    struct clew_program *p = ir_fixtures[f].build();
    struct ir_reached reached = ir_reach(p);
    reached.states.count = reached.states.count < 300 ? reached.states.count : 300;
    check_program(p, &reached.states, &random, &tally);
    check_labels(p, &reached.states, &random, &tally);
    ir_reached_free(&reached);
    clew_program_close(p);
  }
  assert_true(tally.pairs > 10000);
}

/* The first few states of a program. */
static void first_states(const struct clew_program *p, uint32_t count, struct clew_succs *states) {
  uint64_t *from = clew_alloc_zero(p->words, sizeof *from);
  clew_interp_init(p, states);
  for (uint32_t i = 0; i < states->count && states->count < count; i++) {
    memcpy(from, ir_state(states, i), p->words * sizeof *from);
    clew_interp_next(p, from, states);
  }
  states->count = states->count < count ? states->count : count;
  clew_free(from);
}

static void test_random_programs(void **state) {
  (void)state;
  const char *wanted = getenv("CLEW_ACCESS_SEEDS");
  uint64_t seeds = wanted == NULL ? 200 : strtoull(wanted, NULL, 10);
  struct tally tally = {0};
  for (uint64_t seed = 0; seed < seeds; seed += SPARSE) {
    struct clew_program *p = ir_random_build(seed);
    struct clew_random random;
    struct clew_succs states;
    clew_random_seed(&random, seed);
    clew_succs_open(&states, p->words, p->cover_count);
    first_states(p, 16, &states);
    check_program(p, &states, &random, &tally);
    check_labels(p, &states, &random, &tally);
    clew_succs_close(&states);
    clew_program_close(p);
  }
  /* The test would be worth little if nothing happened in it. */
  print_message("%lu edges, %lu fired, %lu pairs, %lu read everything\n", tally.edges, tally.fired,
                tally.pairs, tally.everything);
  assert_true(tally.fired > tally.edges && tally.pairs > 10 * tally.edges);
  assert_true(tally.everything < tally.edges / 3);
  print_message("%lu labels, %lu true, %lu pairs, %lu read everything\n", tally.labels,
                tally.true_labels, tally.label_pairs, tally.whole_labels);
  assert_true(tally.true_labels > tally.labels && tally.label_pairs > 10 * tally.labels);
  assert_true(tally.whole_labels < tally.labels / 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fixtures),
      cmocka_unit_test(test_random_programs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
