/* What places can hold at most.
 *
 * Places that no transition changes are *constant*. For the others *weights* are looked for: if no
 * transition increases the weighted sum W of all tokens, then W at the start is never exceeded, a
 * place of weight w holds at most W / w tokens, and all places with 2 w > W together hold at most
 * one token: they are a *unit*, and a number says which of them is marked, if any is.
 *
 * Weights come from three sources, cheap ones first: units that the file claims; sets of places
 * that are closed in the sense that a transition takes from the set at least as much as it gives to
 * it, found by adding places that pay for what is given; linear programming (linear.c). A claim
 * that cannot be proved is kept, and checked while the net is executed. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "net/net_int.h"

enum { MOST_SET = 4096, MOST_STEPS = 1 << 16 };
static const uint64_t MOST_STEPS_IN_ALL = (uint64_t)1
                                          << 25;  /* nets of 10^6 places have to load, too */
static const uint64_t EFFORT = (uint64_t)1 << 28; /* additions that linear programs may take */

/* Which transitions give to a place more than they take from it. */
struct givers {
  uint32_t *first, *list;
};

struct finder {
  const struct clew_net *net;
  struct clew_net_bounds *bounds;
  struct givers givers;
  bool *is_member; /* of a unit */
  uint32_t *mark;  /* places of the set that is being made have `round` */
  uint32_t round;
  uint64_t steps; /* of all sets */
  CLEW_VEC(uint32_t) set, waiting;
};

/* ---- what changes ---- */

static void find_constant(const struct clew_net *net, bool *constant) {
  memset(constant, 1, net->place_count * sizeof *constant);
  for (uint32_t i = 0; i < net->transition_count; i++) {
    for (struct clew_net_touches at = clew_net_touches(net, i); clew_net_touch(&at);) {
      constant[at.place] = constant[at.place] && at.taken == at.given;
    }
  }
}

static struct givers list_givers(const struct clew_net *net) {
  struct givers g = {clew_alloc_zero((size_t)net->place_count + 2, sizeof(uint32_t)),
                     clew_alloc_zero((size_t)net->arc_count + 1, sizeof(uint32_t))};
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < net->transition_count; i++) {
      for (struct clew_net_touches at = clew_net_touches(net, i); clew_net_touch(&at);) {
        if (at.given > at.taken && pass == 0) {
          g.first[at.place + 2]++;
        } else if (at.given > at.taken) {
          g.list[g.first[at.place + 1]++] = i;
        }
      }
    }
    for (uint32_t p = 0; p < net->place_count && pass == 0; p++) {
      g.first[p + 2] += g.first[p + 1];
    }
  }
  return g;
}

/* ---- what weights prove ---- */

bool clew_net_weights_prove(const struct clew_net *net, const uint32_t *weights) {
  for (uint32_t i = 0; i < net->transition_count; i++) {
    const struct clew_net_transition *t = &net->transitions[i];
    __int128 change = 0;
    for (uint32_t a = t->take; a < t->end; a++) {
      __int128 weight = (__int128)net->arcs[a].weight * weights[net->arcs[a].place];
      change += a < t->give ? -weight : weight;
    }
    if (change > 0) {
      return false;
    }
  }
  return true;
}

/* Places that do not change need not be in a unit; but a claim is checked as it stands. */
static bool may_join(const struct finder *f, uint32_t place, bool is_proved) {
  return !f->is_member[place] && !(f->bounds->constant[place] && is_proved);
}

/* Places of the set that are in no unit yet become one, if it saves bits. */
static void add_unit(struct finder *f, const uint32_t *set, uint32_t count, bool is_proved,
                     uint32_t claim) {
  struct clew_net_unit unit = {f->bounds->members.len, 0, is_proved, claim};
  uint32_t fresh = 0;
  for (uint32_t i = 0; i < count; i++) {
    fresh += may_join(f, set[i], is_proved);
  }
  if (fresh < 2 && is_proved) {
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (may_join(f, set[i], is_proved)) {
      f->is_member[set[i]] = true;
      clew_vec_push(&f->bounds->members, set[i]);
      unit.count++;
    }
  }
  if (unit.count > 0) {
    clew_vec_push(&f->bounds->units, unit);
  }
}

static void lower_bound(struct finder *f, uint32_t place, uint64_t most) {
  if (most < f->bounds->most[place]) {
    f->bounds->most[place] = most;
  }
}

/* ---- sets that pay for what they get ---- */

static void join_set(struct finder *f, uint32_t place) {
  f->mark[place] = f->round;
  clew_vec_push(&f->set, place);
  for (uint32_t i = f->givers.first[place]; i < f->givers.first[place + 1]; i++) {
    clew_vec_push(&f->waiting, f->givers.list[i]);
  }
}

/* The place outside of the set that a transition takes from and that is best to add: one that has
 * no token, and that few others give to. */
static uint32_t choose_payer(const struct finder *f, const struct clew_net_transition *t) {
  uint32_t best = CLEW_NONE;
  uint64_t least = UINT64_MAX;
  for (uint32_t a = t->take; a < t->give; a++) {
    uint32_t p = f->net->arcs[a].place;
    uint64_t cost = f->net->places[p].tokens * (MOST_STEPS + UINT64_C(1)) + f->givers.first[p + 1] -
                    f->givers.first[p];
    if (f->mark[p] != f->round && !f->bounds->constant[p] && cost < least) {
      least = cost;
      best = p;
    }
  }
  return best;
}

/* Makes a closed set of a place. False: there is none, or it is not found. */
static bool close_set(struct finder *f, uint32_t place, uint64_t *sum) {
  uint32_t steps = 0;
  f->round++;
  clew_vec_clear(&f->set);
  clew_vec_clear(&f->waiting);
  join_set(f, place);
  while (f->waiting.len > 0) {
    const struct clew_net_transition *t = &f->net->transitions[clew_vec_last(&f->waiting)];
    uint64_t gives = 0, takes = 0;
    for (uint32_t a = t->take; a < t->end; a++) {
      if (f->mark[f->net->arcs[a].place] == f->round) {
        *(a < t->give ? &takes : &gives) += f->net->arcs[a].weight;
      }
    }
    if (gives <= takes) {
      (void)clew_vec_pop(&f->waiting);
      continue;
    }
    uint32_t payer = choose_payer(f, t);
    f->steps++;
    if (payer == CLEW_NONE || f->set.len == MOST_SET || steps++ == MOST_STEPS) {
      return false;
    }
    join_set(f, payer);
  }
  *sum = 0;
  for (uint32_t i = 0; i < f->set.len; i++) {
    *sum += f->net->places[f->set.data[i]].tokens;
  }
  return true;
}

static void find_sets(struct finder *f) {
  for (uint32_t p = 0; p < f->net->place_count && f->steps < MOST_STEPS_IN_ALL; p++) {
    uint64_t sum;
    if (f->bounds->constant[p] || f->is_member[p] || f->bounds->most[p] <= 1 ||
        !close_set(f, p, &sum)) {
      continue;
    }
    for (uint32_t i = 0; i < f->set.len; i++) {
      lower_bound(f, f->set.data[i], sum);
    }
    if (sum == 1) {
      add_unit(f, f->set.data, f->set.len, true, CLEW_NONE);
    }
  }
}

/* ---- linear programs ---- */

static void use_weights(struct finder *f, const uint32_t *weights) {
  __int128 sum = 0;
  for (uint32_t p = 0; p < f->net->place_count; p++) {
    sum += (__int128)weights[p] * f->net->places[p].tokens;
  }
  clew_vec_clear(&f->set);
  for (uint32_t p = 0; p < f->net->place_count; p++) {
    if (weights[p] > 0) {
      __int128 most = sum / weights[p];
      lower_bound(f, p, most < (__int128)CLEW_NET_NO_BOUND ? (uint64_t)most : CLEW_NET_NO_BOUND);
      if (2 * (__int128)weights[p] > sum) {
        clew_vec_push(&f->set, p);
      }
    }
  }
  add_unit(f, f->set.data, f->set.len, true, CLEW_NONE);
}

static void solve_programs(struct finder *f) {
  uint64_t effort = EFFORT;
  uint32_t *weights = clew_alloc(((size_t)f->net->place_count + 1) * sizeof *weights);
  for (uint32_t p = 0; p < f->net->place_count && effort > 0; p++) {
    uint64_t most = f->bounds->most[p], tokens = f->net->places[p].tokens;
    bool is_tight = most <= 1 || most == tokens;
    if (!f->bounds->constant[p] && !f->is_member[p] && !is_tight &&
        clew_net_weigh(f->net, f->bounds->constant, p, weights, &effort)) {
      use_weights(f, weights);
    }
  }
  clew_free(weights);
}

/* ---- claims ---- */

/* A claim is proved like any other set: here by its own places alone. */
static void use_claims(struct finder *f) {
  const struct clew_net *net = f->net;
  uint32_t *weights = clew_alloc_zero((size_t)net->place_count + 1, sizeof *weights);
  for (uint32_t i = 0; i < net->claim_count; i++) {
    const struct clew_net_claim *claim = &net->claims[i];
    for (uint32_t k = 0; k < claim->count; k++) {
      weights[claim->places[k]] = 1;
    }
    bool is_proved = claim->count > 0 && (uint64_t)net->arc_count * net->claim_count < (1 << 26) &&
                     clew_net_weights_prove(net, weights);
    add_unit(f, claim->places, claim->count, is_proved, i);
    for (uint32_t k = 0; k < claim->count; k++) {
      weights[claim->places[k]] = 0;
      lower_bound(f, claim->places[k], 1);
    }
  }
  clew_free(weights);
}

void clew_net_find_bounds(const struct clew_net *net, struct clew_net_bounds *bounds) {
  *bounds = (struct clew_net_bounds){0};
  bounds->most = clew_alloc(((size_t)net->place_count + 1) * sizeof *bounds->most);
  bounds->constant = clew_alloc_zero((size_t)net->place_count + 1, sizeof *bounds->constant);
  find_constant(net, bounds->constant);
  for (uint32_t p = 0; p < net->place_count; p++) {
    bounds->most[p] = bounds->constant[p] ? net->places[p].tokens : CLEW_NET_NO_BOUND;
  }
  struct finder f = {
      .net = net,
      .bounds = bounds,
      .givers = list_givers(net),
      .is_member = clew_alloc_zero((size_t)net->place_count + 1, sizeof(bool)),
      .mark = clew_alloc_zero((size_t)net->place_count + 1, sizeof(uint32_t)),
  };
  use_claims(&f);
  find_sets(&f);
  solve_programs(&f);
  clew_free(f.givers.first);
  clew_free(f.givers.list);
  clew_free(f.is_member);
  clew_free(f.mark);
  clew_vec_free(&f.set);
  clew_vec_free(&f.waiting);
}

void clew_net_most(const struct clew_net *net, uint64_t *most) {
  struct clew_net_bounds bounds = {0};
  clew_net_find_bounds(net, &bounds);
  for (uint32_t p = 0; p < net->place_count; p++) {
    most[p] = bounds.constant[p] ? net->places[p].tokens : bounds.most[p];
  }
  clew_net_free_bounds(&bounds);
}

void clew_net_free_bounds(struct clew_net_bounds *bounds) {
  clew_free(bounds->most);
  clew_free(bounds->constant);
  clew_vec_free(&bounds->units);
  clew_vec_free(&bounds->members);
}
