/* Random Petri nets, explored by the model and by a plain explorer that knows nothing of bounds,
 * units and words: markings are arrays of numbers here, and sets of them are searched one by one.
 *
 *   bounds    no marking has more than a place is proved to hold, and no unit two tokens
 *   next      the same successors by the same transitions, from every marking that is reached, by
 *             the model, by its reference, and by `fire`; in pieces, too
 *   faults    exactly where a claim of the net is wrong
 *   endless   a net that is said to have no end is not explored to one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/random.h"
#include "net/net_int.h"

enum { MOST_PLACES = 12, MOST_TRANSITIONS = 70, MOST_MARKINGS = 400, NETS = 400 };

/* ---- Random nets ---- */

static uint32_t below(struct clew_random *random, uint32_t bound) {
  return (uint32_t)clew_random_below(random, bound);
}

static void add_arcs(struct clew_random *random, uint32_t places, uint32_t most,
                     struct clew_net_arc *arcs, uint32_t *count) {
  uint32_t wanted = below(random, most + 1);
  for (uint32_t p = 0; p < places; p++) {
    if (below(random, places) < wanted) {
      uint64_t weight = below(random, 5) == 0 ? 1 + below(random, 3) : 1;
      arcs[(*count)++] = (struct clew_net_arc){p, weight};
    }
  }
}

/* A machine: transitions that move a token from place to place, so that units are found. */
static void add_moves(struct clew_random *random, uint32_t places, struct clew_net_arc *arcs,
                      uint32_t *count, bool takes, uint32_t *machine) {
  uint32_t size = 2 + places / 3;
  if (takes) {
    *machine = below(random, 3);
  }
  uint32_t first = *machine * (places / 3);
  arcs[(*count)++] = (struct clew_net_arc){(first + below(random, size)) % places, 1};
}

static struct clew_net *random_net(uint64_t seed) {
  struct clew_random random;
  clew_random_seed(&random, seed);
  struct clew_arena *arena = clew_arena_open();
  struct clew_net *net = CLEW_NEW(arena, struct clew_net);
  uint32_t places = 2 + below(&random, MOST_PLACES - 1);
  uint32_t transitions = 1 + below(&random, below(&random, 8) == 0 ? MOST_TRANSITIONS : 10);
  struct clew_net_place *place = CLEW_NEW_ARRAY(arena, struct clew_net_place, places);
  struct clew_net_transition *transition =
      CLEW_NEW_ARRAY(arena, struct clew_net_transition, transitions);
  struct clew_net_arc *arcs =
      CLEW_NEW_ARRAY(arena, struct clew_net_arc, (size_t)transitions * places * 2 + 4);
  uint32_t count = 0, style = below(&random, 3);
  for (uint32_t p = 0; p < places; p++) {
    uint64_t tokens = below(&random, 3) == 0 ? 1 + (below(&random, 6) == 0) * below(&random, 4) : 0;
    place[p] = (struct clew_net_place){clew_arena_printf(arena, "p%u", p), tokens};
  }
  for (uint32_t t = 0; t < transitions; t++) {
    uint32_t machine = 0;
    bool moves = style == 0 || (style == 1 && below(&random, 2) == 0);
    transition[t] = (struct clew_net_transition){
        .name = clew_arena_printf(arena, "t%u", t), .rule = t, .take = count};
    if (moves) {
      add_moves(&random, places, arcs, &count, true, &machine);
    } else {
      add_arcs(&random, places, 2, arcs, &count);
    }
    transition[t].give = count;
    if (moves) {
      add_moves(&random, places, arcs, &count, false, &machine);
    } else {
      add_arcs(&random, places, 2, arcs, &count);
    }
    transition[t].end = count;
  }
  *net = (struct clew_net){.arena = arena,
                           .name = "net",
                           .language = "pnml",
                           .places = place,
                           .place_count = places,
                           .transitions = transition,
                           .transition_count = transitions,
                           .rule_count = transitions,
                           .arcs = arcs,
                           .arc_count = count};
  return net;
}

/* Claims about places that have at most one token at the start, true or not. */
static void add_claims(struct clew_net *net, uint64_t seed) {
  struct clew_random random;
  clew_random_seed(&random, seed ^ 77);
  if (below(&random, 3) != 0) {
    return;
  }
  uint32_t *members = CLEW_NEW_ARRAY(net->arena, uint32_t, net->place_count);
  struct clew_net_claim *claim = CLEW_NEW(net->arena, struct clew_net_claim);
  uint64_t tokens = 0;
  for (uint32_t p = 0; p < net->place_count; p++) {
    if (below(&random, 2) == 0 && tokens + net->places[p].tokens <= 1) {
      tokens += net->places[p].tokens;
      members[claim->count++] = p;
    }
  }
  claim->name = "u";
  claim->places = members;
  net->claims = claim;
  net->claim_count = 1;
}

/* ---- The plain explorer ---- */

struct plain {
  const struct clew_net *net;
  uint64_t (*markings)[MOST_PLACES];
  uint32_t count;
  bool is_complete;
};

static bool plain_fire(const struct clew_net *net, uint32_t transition, const uint64_t *from,
                       uint64_t *to) {
  const struct clew_net_transition *t = &net->transitions[transition];
  memcpy(to, from, MOST_PLACES * sizeof *to);
  for (uint32_t a = t->take; a < t->give; a++) {
    if (to[net->arcs[a].place] < net->arcs[a].weight) {
      return false;
    }
    to[net->arcs[a].place] -= net->arcs[a].weight;
  }
  for (uint32_t a = t->give; a < t->end; a++) {
    to[net->arcs[a].place] += net->arcs[a].weight;
  }
  return true;
}

static bool breaks_claim(const struct clew_net *net, const uint64_t *marking) {
  uint64_t tokens = 0;
  for (uint32_t i = 0; i < net->claim_count; i++) {
    for (uint32_t k = 0; k < net->claims[i].count; k++) {
      tokens += marking[net->claims[i].places[k]];
    }
  }
  return tokens > 1;
}

static void plain_visit(struct plain *p, const uint64_t *marking) {
  for (uint32_t i = 0; i < p->count; i++) {
    if (memcmp(p->markings[i], marking, sizeof p->markings[i]) == 0) {
      return;
    }
  }
  if (p->count == MOST_MARKINGS) {
    p->is_complete = false;
    return;
  }
  memcpy(p->markings[p->count++], marking, sizeof p->markings[0]);
}

static void plain_explore(struct plain *p) {
  uint64_t marking[MOST_PLACES] = {0};
  for (uint32_t i = 0; i < p->net->place_count; i++) {
    marking[i] = p->net->places[i].tokens;
  }
  p->is_complete = true;
  plain_visit(p, marking);
  for (uint32_t i = 0; i < p->count && p->is_complete; i++) {
    for (uint32_t t = 0; t < p->net->transition_count; t++) {
      if (plain_fire(p->net, t, p->markings[i], marking) && !breaks_claim(p->net, marking)) {
        plain_visit(p, marking);
      }
    }
  }
}

/* ---- Comparison ---- */

static void check_bounds(const struct clew_net_impl *impl, const uint64_t *marking) {
  const struct clew_net_bounds *bounds = &impl->bounds;
  for (uint32_t p = 0; p < impl->net->place_count; p++) {
    assert_true(marking[p] <= bounds->most[p]);
    assert_true(!bounds->constant[p] || marking[p] == impl->net->places[p].tokens);
  }
  for (uint32_t u = 0; u < bounds->units.len; u++) {
    uint64_t tokens = 0;
    for (uint32_t i = 0; i < bounds->units.data[u].count; i++) {
      tokens += marking[bounds->members.data[bounds->units.data[u].first + i]];
    }
    assert_true(tokens <= 1);
  }
}

/* Whether something else may happen than a run-time error because of claims. */
static void check_successors(const struct clew_model *model, const struct clew_net *net,
                             const uint64_t *marking, const uint64_t *state,
                             const struct clew_succs *succs) {
  const struct clew_net_impl *impl = clew_net_impl_of(model);
  uint32_t at = 0, fault = 0;
  bool stuck = true;
  for (uint32_t t = 0; t < net->transition_count; t++) {
    uint64_t to[MOST_PLACES], found[MOST_PLACES] = {0}, *fired = clew_alloc_zero(model->words, 8);
    uint32_t site;
    bool fires = plain_fire(net, t, marking, to), breaks = fires && breaks_claim(net, to);
    bool did = model->fire(model, state, t, fired, &site);
    assert_int_equal(did, fires && !breaks);
    assert_int_equal(site != CLEW_NONE, breaks);
    stuck = stuck && !fires;
    if (breaks) {
      assert_true(fault < succs->fault_count);
      assert_int_equal(succs->faults[fault++].edge, t);
    } else if (fires) {
      assert_true(at < succs->count);
      assert_int_equal(succs->edges[at], t);
      assert_memory_equal(succs->states + (size_t)at * model->words, fired, model->words * 8);
      clew_net_unpack(impl, fired, found);
      assert_memory_equal(found, to, net->place_count * sizeof *to);
      at++;
    }
    clew_free(fired);
  }
  assert_int_equal(at, succs->count);
  assert_int_equal(fault, succs->fault_count);
  assert_int_equal(succs->stuck, stuck);
}

/* ---- Statements and counts ---- */

/* Every third net: statements about rules and about groups of places, as if they were the colours
 * of one. */
static void add_statements(struct clew_net *net, uint64_t seed) {
  uint32_t *origins = CLEW_NEW_ARRAY(net->arena, uint32_t, net->place_count + 1);
  net->origin_count = (net->place_count + 1) / 2;
  for (uint32_t p = 0; p < net->place_count; p++) {
    origins[p] = p % net->origin_count;
  }
  net->origins = origins;
  net->covers_rules = seed % 3 != 0;
  net->covers_origins = seed % 3 == 1;
}

static uint64_t tokens_of(const struct clew_net *net, const uint64_t *marking, uint32_t origin) {
  uint64_t tokens = 0;
  for (uint32_t p = 0; p < net->place_count; p++) {
    tokens += net->origins[p] == origin ? marking[p] : 0;
  }
  return tokens;
}

/* What the firing of transitions in these markings shows, by comparing markings. */
static void find_statements(const struct plain *p, uint64_t *covered) {
  const struct clew_net *net = p->net;
  for (uint32_t i = 0; i < p->count * net->transition_count; i++) {
    uint64_t to[MOST_PLACES];
    uint32_t t = i % net->transition_count;
    const uint64_t *from = p->markings[i / net->transition_count];
    if (!plain_fire(net, t, from, to)) {
      continue;
    }
    if (net->covers_rules) {
      clew_bitset_add(covered, net->transitions[t].rule);
    }
    for (uint32_t o = 0; net->covers_origins && o < net->origin_count; o++) {
      if (tokens_of(net, from, o) != tokens_of(net, to, o)) {
        clew_bitset_add(covered, net->rule_count + o);
      }
    }
  }
}

static void check_counts(const struct clew_net_impl *impl, const uint64_t *marking,
                         const uint64_t *state) {
  static const struct clew_net_term all = {.op = CLEW_NET_ALL}, most = {.op = CLEW_NET_MOST};
  uint64_t sum = 0, largest = 0;
  for (uint32_t p = 0; p < impl->net->place_count; p++) {
    sum += marking[p];
    largest = marking[p] > largest ? marking[p] : largest;
  }
  assert_int_equal(clew_net_value(impl, &all, state), sum);
  assert_int_equal(clew_net_value(impl, &most, state), largest);
}

static void compare_statements(const struct clew_model *model, const struct plain *p,
                               const struct clew_succs *succs) {
  uint64_t *wanted = clew_alloc_zero(CLEW_BITSET_WORDS(model->cover_count) + 1, 8);
  find_statements(p, wanted);
  for (uint32_t i = 0; i < model->cover_count; i++) {
    assert_int_equal(clew_bitset_has(succs->covered, i), clew_bitset_has(wanted, i));
  }
  clew_free(wanted);
}

static void compare(const struct clew_model *model, const struct plain *p, uint32_t most) {
  const struct clew_net_impl *impl = clew_net_impl_of(model);
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, model->cover_count);
  uint64_t *state = clew_alloc_zero(model->words, sizeof *state);
  for (uint32_t i = 0; i < p->count; i++) {
    uint32_t site;
    check_bounds(impl, p->markings[i]);
    assert_true(clew_net_pack(impl, p->markings[i], state, &site));
    clew_succs_clear(&succs);
    succs.most = most;
    succs.resume = 0;
    do { /* all pieces into one buffer */
      model->next(model, state, &succs);
    } while (succs.resume != 0);
    check_successors(model, p->net, p->markings[i], state, &succs);
    check_counts(impl, p->markings[i], state);
  }
  if (model != model->reference) {
    compare_statements(model, p, &succs);
  }
  clew_free(state);
  clew_succs_close(&succs);
}

static void test_random_nets(void **unused) {
  (void)unused;
  uint32_t complete = 0, units = 0, endless = 0, claims = 0, bounded = 0, by_trigger = 0;
  struct plain p = {.markings = clew_alloc(MOST_MARKINGS * sizeof *p.markings)};
  for (uint64_t seed = 0; seed < NETS; seed++) {
    struct clew_net *net = random_net(seed);
    add_claims(net, seed);
    add_statements(net, seed);
    struct clew_model *model = clew_net_open(net, NULL);
    const struct clew_net_impl *impl = clew_net_impl_of(model);
    p.net = net;
    p.count = 0;
    plain_explore(&p);
    compare(model, &p, seed % 3 == 0 ? 1 : UINT32_MAX);
    if (p.count < 200) {
      compare(model->reference, &p, UINT32_MAX);
    }
    assert_false(model->endless != NULL && p.is_complete && net->claim_count == 0);
    complete += p.is_complete;
    endless += model->endless != NULL;
    units += impl->bounds.units.len;
    claims += model->site_count;
    by_trigger += impl->by_trigger;
    bool all = true;
    for (uint32_t i = 0; i < net->place_count; i++) {
      all = all && impl->bounds.most[i] != CLEW_NET_NO_BOUND;
    }
    bounded += all;
    model->close(model);
  }
  clew_free(p.markings);
  /* The sample has some of everything. */
  assert_true(complete > NETS / 4 && endless > NETS / 10 && units > NETS / 4);
  assert_true(claims > NETS / 30 && bounded > NETS / 4 && by_trigger > NETS / 50);
}

/* ---- What linear programs prove ---- */

/* A place that two producers fill from one stock of 7 tokens, two for one. */
static void test_weights(void **unused) {
  (void)unused;
  static const struct clew_net_place places[] = {{"stock", 7}, {"made", 0}, {"sold", 0}};
  static const struct clew_net_arc arcs[] = {{0, 2}, {1, 1}, {1, 1}, {2, 1}};
  static const struct clew_net_transition transitions[] = {{"make", 0, 0, 1, 2},
                                                           {"sell", 1, 2, 3, 4}};
  struct clew_net net = {.places = places,
                         .place_count = 3,
                         .transitions = transitions,
                         .transition_count = 2,
                         .arcs = arcs,
                         .arc_count = 4};
  struct clew_net_bounds bounds;
  clew_net_find_bounds(&net, &bounds);
  assert_int_equal(bounds.most[0], 7);
  assert_int_equal(bounds.most[1], 3);
  assert_int_equal(bounds.most[2], 3);
  clew_net_free_bounds(&bounds);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_nets),
      cmocka_unit_test(test_weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
