/* What the states of another store would take in a tree.
 *
 * A few states choose how to cut, as they do in the store itself. Then the different parts of *all*
 * states are counted: a sample would not do, as parts that occur a hundred times among a hundred
 * million states occur once among some thousand of them. Counting is by sketches (HyperLogLog:
 * Flajolet, Fusy, Gandouet, Meunier 2007), a few kilobytes for each node, which are right to some
 * percent. States come in the order in which they were found, so what the counts have grown by
 * since a quarter of them tells how they will go on growing. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "store/tree_int.h"
#include "store/tree_leaf_int.h"

enum {
  LEAST_STATES = 1 << 12,
  PLAN_STATES = 1 << 12,  /* looking for a cut takes some hundred bytes for each */
  PLAN_BYTES = 1 << 19,   /* of their words */
  MOST_STATES = 1 << 24,  /* that are counted: about a second */
  AT_ONCE = 256,          /* states */
  SKETCH_BYTES = 1 << 18, /* of all nodes */
  LEAST_PRECISION = 6,    /* bits of the number of counters of a sketch */
  MOST_PRECISION = 12,
};

/* Of a part beyond its key: an entry of the index, and room for more. */
static const double PART_BYTES = 7;
/* Of a root entry beyond what the numbers of parts make necessary; and what growing leaves free. */
static const double ROOT_BITS = 3.5, ROOT_SLACK = 1.25;

struct survey {
  const struct tree_plan *plan;
  bool fast;
  uint32_t precision;
  uint8_t *ranks;   /* of counter c of node n: ranks[(n << precision) + c] */
  double *early;    /* parts of each node when a quarter was counted */
  uint64_t *hashes; /* of the parts of a state */
};

/* ---- counting ---- */

static uint64_t mix(uint64_t value) {
  value ^= value >> 32;
  value *= UINT64_C(0xd6e8feb86659fd93);
  value ^= value >> 32;
  value *= UINT64_C(0xd6e8feb86659fd93);
  return value ^ value >> 32;
}

static void note(uint8_t *ranks, uint32_t precision, uint64_t hash) {
  uint64_t rest = hash << precision | UINT64_C(1) << (precision - 1); /* it has a bit set */
  uint8_t rank = (uint8_t)(__builtin_clzll(rest) + 1);
  uint8_t *its = &ranks[hash >> (64 - precision)];
  *its = rank > *its ? rank : *its;
}

static void survey_state(const struct survey *survey, const uint64_t *state) {
  const struct tree_plan *plan = survey->plan;
  for (uint32_t n = 0; n < plan->node_count; n++) {
    const struct tree_node *node = &plan->nodes[n];
    uint64_t key = node->is_leaf ? tree_leaf_key(plan->pieces + node->first_piece,
                                                 node->piece_count, state, survey->fast)
                                 : survey->hashes[node->left] * 3 + survey->hashes[node->right];
    survey->hashes[n] = mix(key + n);
    note(survey->ranks + ((size_t)n << survey->precision), survey->precision, survey->hashes[n]);
  }
}

/* Different parts of a node that were noted, about. */
static double count_noted(const struct survey *survey, uint32_t node) {
  uint32_t counters = 1U << survey->precision, unused = 0;
  const uint8_t *ranks = survey->ranks + ((size_t)node << survey->precision);
  double sum = 0;
  for (uint32_t c = 0; c < counters; c++) {
    sum += ldexp(1, -ranks[c]);
    unused += ranks[c] == 0;
  }
  double count = 0.7213 / (1 + 1.079 / counters) * counters * counters / sum;
  bool is_small = count <= 2.5 * counters && unused > 0;
  count = is_small ? counters * log((double)counters / unused) : count;
  return count > 1 ? count : 1;
}

static void survey_states(struct survey *survey, struct clew_store *source, uint64_t count) {
  uint64_t *states = clew_alloc(sizeof(uint64_t) * AT_ONCE * source->config.words);
  uint64_t quarter = count / 4;
  bool is_early = true;
  for (uint64_t first = 0; first < count; first += AT_ONCE) {
    uint32_t some = count - first < AT_ONCE ? (uint32_t)(count - first) : AT_ONCE;
    source->type->get(source, first, some, states);
    for (uint32_t i = 0; i < some; i++) {
      survey_state(survey, states + (size_t)i * source->config.words);
    }
    if (is_early && first + some >= quarter) {
      is_early = false;
      for (uint32_t n = 0; n < survey->plan->node_count; n++) {
        survey->early[n] = count_noted(survey, n);
      }
    }
  }
  clew_free(states);
}

/* ---- bytes ---- */

/* Parts of a node when there are so many states. */
static double parts_later(const struct survey *survey, uint32_t node, uint64_t counted,
                          uint64_t states) {
  double now = count_noted(survey, node);
  double power = fmin(fmax(log(now / survey->early[node]) / log(4), 0), 1);
  double later = now * pow((double)states / (double)counted, power);
  const struct tree_node *its = &survey->plan->nodes[node];
  double most = its->is_leaf ? fmin(ldexp(1, (int)its->bits), (double)states) : (double)states;
  return fmin(later, most);
}

static double bytes_each(const struct survey *survey, uint64_t counted, uint64_t states) {
  const struct tree_plan *plan = survey->plan;
  double *later = clew_alloc(plan->node_count * sizeof *later);
  double bytes = 0;
  for (uint32_t n = 0; n < plan->node_count; n++) {
    const struct tree_node *node = &plan->nodes[n];
    later[n] = parts_later(survey, n, counted, states);
    double bits =
        node->is_leaf ? node->bits : ceil(log2(later[node->left])) + ceil(log2(later[node->right]));
    bytes += later[n] * (bits / 8 + PART_BYTES);
  }
  double bits = log2(later[plan->left]) + log2(later[plan->right]) - log2((double)states);
  clew_free(later);
  return bytes / (double)states + ROOT_SLACK * (fmax(bits, 0) + ROOT_BITS) / 8;
}

/* ---- the whole of it ---- */

static void plan_by_first(struct tree_plan *plan, struct clew_store *source, uint64_t count) {
  uint32_t words = source->config.words;
  uint64_t most = PLAN_BYTES / (words * sizeof(uint64_t)) + 1;
  count = count < PLAN_STATES ? count : PLAN_STATES;
  count = count < most ? count : most;
  uint64_t *states = clew_alloc((size_t)count * words * sizeof *states);
  source->type->get(source, 0, (uint32_t)count, states);
  tree_plan_make(plan, &source->config, states, (uint32_t)count, NULL);
  clew_free(states);
}

double tree_estimate(struct clew_store *source, uint64_t states) {
  uint64_t count = source->type->count(source);
  if (count < LEAST_STATES) {
    return INFINITY;
  }
  states = states > count ? states : count;
  struct tree_plan plan;
  plan_by_first(&plan, source, count);
  struct survey survey = {.plan = &plan, .fast = tree_is_fast(), .precision = MOST_PRECISION};
  while (survey.precision > LEAST_PRECISION &&
         (size_t)plan.node_count << survey.precision > SKETCH_BYTES) {
    survey.precision--;
  }
  survey.ranks = clew_alloc_zero((size_t)plan.node_count << survey.precision, 1);
  survey.early = clew_alloc_zero(plan.node_count, sizeof *survey.early);
  survey.hashes = clew_alloc(plan.node_count * sizeof *survey.hashes);
  uint64_t counted = count < MOST_STATES ? count : MOST_STATES;
  survey_states(&survey, source, counted);
  double bytes = bytes_each(&survey, counted, states);
  clew_free(survey.ranks);
  clew_free(survey.early);
  clew_free(survey.hashes);
  tree_plan_free(&plan);
  return fmin(bytes, tree_whole_bytes(&source->config)); /* what does not split stays whole */
}
