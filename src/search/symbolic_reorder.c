/* Reordering while the search goes on (`--dd-reorder`): sifting (Rudell).
 *
 * The order of variables that was chosen before the search knows which groups touch which slots,
 * but not which values occur together. So when the diagram of visited states has grown, levels are
 * carried up and down by exchanges of neighbours, those with most nodes first, and each stays where
 * the diagram was smallest. If that pays, all sets of states get the new order, and groups and
 * labels are made again. What they had learnt is learnt again from the visited states. Sifting
 * takes no more than a share of what the search takes, so that it ends where it does not help.
 *
 * An exchange is an operation on diagrams: below each node of the levels above, the vectors (v, w,
 * rest) become (w, v, rest). What is below both levels stays as it is, so this also works on
 * vectors that end in clock values: only the discrete part is reordered. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "search/symbolic_int.h"

enum {
  OWN_EXCHANGE = 1,     /* own operations of diagrams; 0 is saturation */
  FIRST_NODES = 500,    /* of the visited states, before they are sifted first */
  LEAST_WORK = 1000000, /* nodes that exchanges of all reorderings may go through, and */
  WORK_SHARE = 4,       /* so many for each step of the search */
  MOST_REORDERINGS = 8,
  SAMPLE_ROUNDS = 50, /* of chaining, before saturation */
};
static const double WORTH_WHILE = 0.9, PATIENCE = 1.2;

/* ---- exchanging two levels ---- */

struct triple {
  uint32_t upper, lower; /* values, as they are before */
  clew_ldd rest;
};

struct triples {
  CLEW_VEC(struct triple) list;
};

static int compare_triples(const void *a, const void *b) {
  const struct triple *x = a, *y = b;
  if (x->lower != y->lower) {
    return x->lower < y->lower ? -1 : 1;
  }
  return x->upper < y->upper ? -1 : x->upper > y->upper;
}

static void collect_triples(const struct clew_dd *dd, clew_ldd set, struct triples *triples) {
  for (clew_ldd a = set; a != CLEW_LDD_EMPTY;) {
    struct clew_ldd_node upper = clew_ldd_node(dd, a);
    for (clew_ldd b = upper.down; b != CLEW_LDD_EMPTY;) {
      struct clew_ldd_node lower = clew_ldd_node(dd, b);
      clew_vec_push(&triples->list, ((struct triple){upper.value, lower.value, lower.down}));
      b = lower.right;
    }
    a = upper.right;
  }
  if (triples->list.len > 0) {
    qsort(triples->list.data, triples->list.len, sizeof *triples->list.data, compare_triples);
  }
}

/* The lists of sorted triples, from the last one on; all rests are kept. */
static clew_ldd join_triples(struct symbolic *s, const struct triples *triples) {
  clew_ldd outer = CLEW_LDD_EMPTY, inner = CLEW_LDD_EMPTY;
  bool going = true;
  clew_dd_keep(s->dd, &outer);
  for (uint32_t i = triples->list.len; i-- > 0 && going;) {
    const struct triple *at = &triples->list.data[i];
    inner = clew_ldd_make(s->dd, at->upper, at->rest, inner);
    going = clew_symbolic_is_done(s, inner);
    if (going && (i == 0 || triples->list.data[i - 1].lower != at->lower)) {
      clew_ldd more = clew_ldd_make(s->dd, at->lower, inner, outer);
      going = clew_symbolic_is_done(s, more);
      outer = going ? more : outer;
      inner = CLEW_LDD_EMPTY;
    }
  }
  clew_dd_forget(s->dd, &outer);
  return going ? outer : CLEW_DD_NONE;
}

static clew_ldd exchange_top(struct symbolic *s, clew_ldd set) {
  struct triples triples = {0};
  collect_triples(s->dd, set, &triples);
  for (uint32_t i = 0; i < triples.list.len; i++) {
    clew_dd_keep(s->dd, &triples.list.data[i].rest);
  }
  clew_ldd result = join_triples(s, &triples);
  for (uint32_t i = triples.list.len; i-- > 0;) {
    clew_dd_forget(s->dd, &triples.list.data[i].rest);
  }
  clew_vec_free(&triples.list);
  return result;
}

/* The set with levels `depth` and depth + 1 exchanged; CLEW_DD_NONE when the run is stopped. */
static clew_ldd exchange(struct symbolic *s, clew_ldd set, uint32_t depth) {
  clew_ldd result;
  if (set == CLEW_LDD_EMPTY) {
    return set;
  }
  if (clew_ldd_recall(s->dd, OWN_EXCHANGE, set, depth, &result)) {
    return result;
  }
  clew_dd_keep(s->dd, &set);
  if (depth == 0) {
    result = exchange_top(s, set);
  } else {
    struct triples nodes = {0}; /* `upper` and `rest` alone */
    for (clew_ldd at = set; at != CLEW_LDD_EMPTY;) {
      struct clew_ldd_node node = clew_ldd_node(s->dd, at);
      clew_vec_push(&nodes.list, ((struct triple){node.value, 0, node.down}));
      at = node.right;
    }
    for (uint32_t i = 0; i < nodes.list.len; i++) {
      clew_dd_keep(s->dd, &nodes.list.data[i].rest);
    }
    bool going = true;
    for (uint32_t i = 0; i < nodes.list.len && going; i++) {
      clew_ldd below = exchange(s, nodes.list.data[i].rest, depth - 1);
      going = below != CLEW_DD_NONE;
      nodes.list.data[i].rest = going ? below : CLEW_LDD_EMPTY;
    }
    result = going ? CLEW_LDD_EMPTY : CLEW_DD_NONE;
    for (uint32_t i = nodes.list.len; i-- > 0 && result != CLEW_DD_NONE;) {
      result = clew_ldd_make(s->dd, nodes.list.data[i].upper, nodes.list.data[i].rest, result);
      (void)clew_symbolic_is_done(s, result);
    }
    for (uint32_t i = nodes.list.len; i-- > 0;) {
      clew_dd_forget(s->dd, &nodes.list.data[i].rest);
    }
    clew_vec_free(&nodes.list);
  }
  clew_dd_forget(s->dd, &set);
  if (result != CLEW_DD_NONE) {
    clew_ldd_remember(s->dd, OWN_EXCHANGE, set, depth, result);
  }
  return result;
}

/* ---- sifting ---- */

struct sift {
  struct symbolic *s;
  clew_ldd set;     /* kept */
  uint64_t nodes;   /* of the set */
  uint32_t *levels; /* by place: the level that stood there before */
  int64_t work;     /* left */
};

/* Exchanges the levels at a place and the next one. False: the run is stopped. */
static bool sift_exchange(struct sift *sift, uint32_t place) {
  clew_ldd made = exchange(sift->s, sift->set, place);
  if (made == CLEW_DD_NONE) {
    return false;
  }
  sift->set = made;
  sift->work -= (int64_t)sift->nodes;
  sift->nodes = clew_ldd_nodes(sift->s->dd, made);
  uint32_t level = sift->levels[place];
  sift->levels[place] = sift->levels[place + 1];
  sift->levels[place + 1] = level;
  return true;
}

/* Carries the level at *place as long as the diagram does not get much larger. */
static bool carry(struct sift *sift, uint32_t *place, bool down, uint64_t *least, uint32_t *best) {
  const uint32_t last = down ? sift->s->level_count - 1 : 0;
  while (*place != last && sift->work > 0 &&
         (double)sift->nodes <= PATIENCE * (double)*least + 16) {
    if (!sift_exchange(sift, down ? *place : *place - 1)) {
      return false;
    }
    *place = down ? *place + 1 : *place - 1;
    if (sift->nodes < *least) {
      *least = sift->nodes;
      *best = *place;
    }
  }
  return true;
}

static bool sift_level(struct sift *sift, uint32_t level) {
  uint32_t place = 0;
  while (sift->levels[place] != level) {
    place++;
  }
  uint64_t least = sift->nodes;
  uint32_t best = place;
  bool first_down = place >= sift->s->level_count / 2;
  bool going = carry(sift, &place, first_down, &least, &best) &&
               carry(sift, &place, !first_down, &least, &best);
  while (going && place != best) {
    going = sift_exchange(sift, place < best ? place : place - 1);
    place = place < best ? place + 1 : place - 1;
  }
  return going;
}

struct weight {
  uint64_t nodes;
  uint32_t level;
};

static int compare_weights(const void *a, const void *b) {
  const struct weight *x = a, *y = b;
  if (x->nodes != y->nodes) {
    return x->nodes > y->nodes ? -1 : 1;
  }
  return x->level < y->level ? -1 : x->level > y->level;
}

/* Every level once, those with most nodes first. */
static bool sift_all(struct sift *sift) {
  struct symbolic *s = sift->s;
  uint32_t count = s->level_count;
  uint64_t *nodes = clew_alloc_zero(count + (size_t)1, sizeof *nodes);
  struct weight *weights = clew_alloc((count + (size_t)1) * sizeof *weights);
  clew_ldd_level_nodes(s->dd, sift->set, count, nodes);
  for (uint32_t i = 0; i < count; i++) {
    weights[i] = (struct weight){nodes[i], i};
  }
  qsort(weights, count, sizeof *weights, compare_weights);
  bool going = true;
  for (uint32_t i = 0; i < count && going && sift->work > 0; i++) {
    going = sift_level(sift, weights[i].level);
  }
  clew_free(nodes);
  clew_free(weights);
  return going;
}

/* ---- taking the new order over ---- */

/* Sorts the levels of a set, which are as before, into the order of `levels`. */
static bool permute(struct symbolic *s, clew_ldd *set, const uint32_t *levels) {
  uint32_t count = s->level_count;
  uint32_t *places = clew_alloc((count + (size_t)1) * sizeof *places); /* where each is to go */
  bool going = true;
  for (uint32_t i = 0; i < count; i++) {
    places[levels[i]] = i;
  }
  for (uint32_t end = count; end > 1 && going; end--) {
    for (uint32_t i = 0; i + 1 < end && going; i++) {
      if (places[i] > places[i + 1]) {
        clew_ldd made = exchange(s, *set, i);
        going = made != CLEW_DD_NONE;
        *set = going ? made : *set;
        uint32_t place = places[i];
        places[i] = places[i + 1];
        places[i + 1] = place;
      }
    }
  }
  clew_free(places);
  return going;
}

static bool learn_again(struct symbolic *s) {
  for (uint32_t i = 0; i < s->group_count; i++) {
    if (!clew_symbolic_learn(s, i, s->visited, false)) {
      return false;
    }
  }
  return true;
}

/* Either all sets have the new order, or the run is stopped: then they are of no use, and nothing
 * but their number of states is asked for. */
static bool take_over(struct symbolic *s, const uint32_t *levels) {
  struct symbolic_level *old = clew_alloc((s->level_count + (size_t)1) * sizeof *old);
  bool had_jury = s->has_jury;
  bool going = permute(s, &s->initial, levels) && permute(s, &s->frontier, levels) &&
               permute(s, &s->fresh, levels) && permute(s, &s->expanded, levels) &&
               permute(s, &s->visited, levels);
  memcpy(old, s->levels, s->level_count * sizeof *old);
  for (uint32_t i = 0; i < s->level_count && going; i++) {
    s->levels[i] = old[levels[i]];
  }
  clew_free(old);
  if (!going) {
    return false;
  }
  clew_symbolic_forget_labels(s);
  clew_symbolic_forget_groups(s);
  clew_symbolic_open_groups(s);
  clew_symbolic_open_labels(s);
  if (had_jury) {
    clew_symbolic_open_jury(s);
  }
  s->layer = s->level_count;
  s->reorderings++;
  s->fresh = s->visited; /* labels know nothing of them now */
  return learn_again(s) && clew_symbolic_judge(s);
}

/* In nodes that exchanges go through. It does not depend on time, so searches can be repeated. */
static int64_t work_left(const struct symbolic *s) {
  struct clew_dd_figures figures;
  clew_dd_figures(s->dd, &figures);
  return (int64_t)(LEAST_WORK + WORK_SHARE * figures.steps) - s->sifted;
}

static bool reorder(struct symbolic *s) {
  int64_t work = work_left(s);
  struct sift sift = {.s = s, .set = s->visited, .work = work};
  sift.levels = clew_alloc((s->level_count + (size_t)1) * sizeof *sift.levels);
  for (uint32_t i = 0; i < s->level_count; i++) {
    sift.levels[i] = i;
  }
  clew_dd_keep(s->dd, &sift.set);
  uint64_t before = sift.nodes = clew_ldd_nodes(s->dd, s->visited);
  bool going = sift_all(&sift);
  bool pays = going && (double)sift.nodes < WORTH_WHILE * (double)before;
  clew_dd_forget(s->dd, &sift.set);
  if (pays) {
    going = take_over(s, sift.levels);
  }
  s->sifted += work - sift.work;
  s->reorder_at = 2 * (pays ? sift.nodes : before);
  clew_free(sift.levels);
  return going;
}

/* ---- when ---- */

bool clew_symbolic_may_reorder(struct symbolic *s) {
  /* A fault names its group, and is about to be shown. */
  bool may = s->options->reorder && s->level_count > 1 && s->reorderings < MOST_REORDERINGS &&
             s->faults.len == 0 && !clew_run_stopped(&s->run);
  uint64_t least = s->reorder_at > FIRST_NODES ? s->reorder_at : FIRST_NODES;
  return !may || clew_ldd_nodes(s->dd, s->visited) < least || reorder(s);
}

bool clew_symbolic_sample(struct symbolic *s) {
  const enum symbolic_sat sat = s->sat;
  const enum symbolic_order order = s->order;
  bool more = s->options->reorder;
  s->sat = SAT_NONE;
  s->order = ORDER_CHAIN;
  for (uint32_t i = 0; i < SAMPLE_ROUNDS && more; i++) {
    more = clew_symbolic_step(s) && clew_ldd_nodes(s->dd, s->visited) < FIRST_NODES;
  }
  s->sat = sat;
  s->order = order;
  return !clew_run_stopped(&s->run) && clew_symbolic_may_reorder(s);
}
