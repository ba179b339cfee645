/* Choosing how to cut states (tree_plan_int.h). */
#include "store/tree_plan_int.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/vec.h"
#include "store/tree_fields_int.h"

enum {
  MOST_SEGMENTS = 48,    /* of an order: it is cut between them */
  TABLE_SLOTS = 1 << 16, /* to count what is different, twice the sample */
  GROWTH = 32,           /* so many times as many states as in the sample are expected */
  FINE = 4096,           /* states: a sample of more need not be counted as a whole */
  PART_BYTES = 11,       /* of memory for a part */
};

static_assert(TABLE_SLOTS >= 2 * TREE_SAMPLE_STATES, "counting finds room");

/* Bits of a root entry beyond what the numbers of parts make necessary. */
static const double ROOT_BITS = 3.5;

struct sample {
  const struct clew_store_config *config;
  const uint64_t *states;
  uint32_t count;
  uint32_t stride; /* states of which there are prefixes; `count` or more */
  uint32_t *slots; /* TABLE_SLOTS */
};

/* An order of fields, cut into segments. */
struct order {
  const char *name;
  struct tree_field *fields; /* owned */
  uint32_t field_count;
  uint32_t segment_count;
  uint32_t ends[MOST_SEGMENTS + 1]; /* segment s has the fields from ends[s] to ends[s + 1] */
  uint64_t bits[MOST_SEGMENTS + 1]; /* before segment s */
  uint32_t *prefixes; /* of state i, all segments before s: prefixes[s * stride + i] */
};

/* ---- counting parts ---- */

static uint64_t field_value(const struct tree_field *field, const uint64_t *state) {
  return state[field->bit / 64] >> field->bit % 64 & clew_bits_mask(field->width);
}

static uint64_t hash_segment(const struct order *order, uint32_t segment, const uint64_t *state) {
  uint64_t packed = 0, hash = segment;
  uint32_t filled = 0;
  for (uint32_t f = order->ends[segment]; f < order->ends[segment + 1]; f++) {
    const struct tree_field *field = &order->fields[f];
    if (filled + field->width > 64) {
      hash = clew_hash_words(&packed, 1, hash);
      packed = filled = 0;
    }
    packed |= field_value(field, state) << filled;
    filled += field->width;
  }
  return clew_hash_words(&packed, 1, hash);
}

static void make_prefixes(struct order *order, const struct sample *sample) {
  uint32_t count = sample->count, words = sample->config->words;
  size_t all = (size_t)(order->segment_count + 1) * count;
  order->prefixes = clew_alloc_zero(all + 1, sizeof *order->prefixes);
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t *state = sample->states + (size_t)i * words;
    uint32_t prefix = 0;
    for (uint32_t s = 0; s < order->segment_count; s++) {
      prefix ^= (uint32_t)hash_segment(order, s, state);
      order->prefixes[(size_t)(s + 1) * count + i] = prefix;
    }
  }
}

/* How many different parts the segments from `a` to `b` have, and how many there will be. */
struct parts {
  double now, later;
};

/* Of the values a[i] ^ b[i], which stand for parts of `bits` bits. */
static struct parts count_values(const struct sample *sample, const uint32_t *a, const uint32_t *b,
                                 uint64_t bits) {
  uint32_t different = 0, early = 0, quarter = sample->count / 4;
  memset(sample->slots, 0, TABLE_SLOTS * sizeof *sample->slots);
  for (uint32_t i = 0; i < sample->count; i++) {
    uint32_t value = (a[i] ^ b[i]) | 1; /* 0 is an empty slot */
    uint32_t slot = (a[i] ^ b[i]) >> 16 & (TABLE_SLOTS - 1);
    while (sample->slots[slot] != 0 && sample->slots[slot] != value) {
      slot = (slot + 1) & (TABLE_SLOTS - 1);
    }
    different += sample->slots[slot] == 0;
    sample->slots[slot] = value;
    early = i < quarter ? different : early;
  }
  double now = different > 0 ? different : 1;
  double exponent = early > 0 ? log(now / early) / log(4) : 0;
  double later = now * pow(GROWTH, exponent), most = ldexp(1, bits < 60 ? (int)bits : 60);
  double states = (double)sample->count * GROWTH;
  later = later < most ? later : most;
  return (struct parts){now, later < states ? later : states};
}

static struct parts count_parts(const struct order *order, const struct sample *sample, uint32_t a,
                                uint32_t b) {
  return count_values(sample, order->prefixes + (size_t)a * sample->stride,
                      order->prefixes + (size_t)b * sample->stride,
                      order->bits[b] - order->bits[a]);
}

/* Bytes per state of the root, and of the parts just below it. */
static double root_cost(const struct sample *sample, const struct parts *left,
                        const struct parts *right) {
  double states = (double)sample->count * GROWTH;
  double bits = log2(left->later) + log2(right->later) - log2(states);
  return ((bits > 0 ? bits : 0) + ROOT_BITS) / 8;
}

static double part_cost(const struct sample *sample, const struct parts *parts) {
  return PART_BYTES * parts->later / ((double)sample->count * GROWTH);
}

/* ---- an order ---- */

static void cut_into_segments(struct order *order) {
  uint64_t all = 0, bits = 0;
  for (uint32_t f = 0; f < order->field_count; f++) {
    all += order->fields[f].width;
  }
  uint64_t step = all / MOST_SEGMENTS;
  order->segment_count = 0;
  order->ends[0] = 0;
  order->bits[0] = 0;
  for (uint32_t f = 0; f < order->field_count; f++) {
    bits += order->fields[f].width;
    bool is_last = f + 1 == order->field_count;
    bool is_full = bits - order->bits[order->segment_count] > step;
    if (is_last || (is_full && order->segment_count + 1 < MOST_SEGMENTS)) {
      order->segment_count++;
      order->ends[order->segment_count] = f + 1;
      order->bits[order->segment_count] = bits;
    }
  }
  assert(order->segment_count <= MOST_SEGMENTS);
}

/* Where to cut the segments from `a` to `b`, and what the cut costs. At the root the pair is an
 * entry of the root; elsewhere it is a part, which costs the same wherever the cut is. */
static uint32_t best_cut(const struct order *order, const struct sample *sample, uint32_t a,
                         uint32_t b, bool is_root, double *cost) {
  uint32_t best = a;
  *cost = INFINITY;
  uint64_t all = order->bits[b] - order->bits[a];
  for (uint32_t k = a + 1; k < b; k++) {
    uint64_t low = order->bits[k] - order->bits[a], high = order->bits[b] - order->bits[k];
    if ((low < all / 8 || high < all / 8) && b - a > 4) {
      continue;
    }
    struct parts left = count_parts(order, sample, a, k);
    struct parts right = count_parts(order, sample, k, b);
    double its = part_cost(sample, &left) + part_cost(sample, &right) +
                 (is_root ? root_cost(sample, &left, &right) : 0);
    if (its < *cost) {
      *cost = its;
      best = k;
    }
  }
  return best;
}

/* ---- building nodes ---- */

struct builder {
  struct tree_plan *plan;
  const struct order *order;
  const struct sample *sample;
  uint32_t node_room, piece_room;
  double cost; /* of inner parts below those of the root */
};

static uint32_t add_node(struct builder *builder, const struct tree_node *node) {
  struct tree_plan *plan = builder->plan;
  if (plan->node_count == builder->node_room) {
    builder->node_room = builder->node_room * 2 + 8;
    plan->nodes = clew_realloc_array(plan->nodes, builder->node_room, sizeof *plan->nodes);
  }
  plan->nodes[plan->node_count] = *node;
  return plan->node_count++;
}

static void add_piece(struct builder *builder, const struct tree_piece *piece) {
  struct tree_plan *plan = builder->plan;
  if (plan->piece_count == builder->piece_room) {
    builder->piece_room = builder->piece_room * 2 + 8;
    plan->pieces = clew_realloc_array(plan->pieces, builder->piece_room, sizeof *plan->pieces);
  }
  plan->pieces[plan->piece_count++] = *piece;
}

static int compare_fields(const void *a, const void *b) {
  const struct tree_field *x = a, *y = b;
  return x->bit < y->bit ? -1 : x->bit > y->bit;
}

/* The fields from `a` to `b`; inside a leaf their order does not matter. */
static uint32_t add_leaf(struct builder *builder, uint32_t a, uint32_t b) {
  struct tree_node leaf = {.is_leaf = true, .first_piece = builder->plan->piece_count};
  qsort(builder->order->fields + a, b - a, sizeof *builder->order->fields, compare_fields);
  struct tree_piece piece = {0};
  for (uint32_t f = a; f < b; f++) {
    const struct tree_field *field = &builder->order->fields[f];
    uint32_t word = field->bit / 64;
    if (piece.mask != 0 && word != piece.word) {
      add_piece(builder, &piece);
      piece.mask = 0;
    }
    if (piece.mask == 0) {
      piece.word = word;
      piece.at = leaf.bits;
    }
    assert((piece.mask >> field->bit % 64 & clew_bits_mask(field->width)) == 0);
    piece.mask |= clew_bits_mask(field->width) << field->bit % 64;
    leaf.bits += field->width;
    leaf.words |= UINT64_C(1) << word % 64;
  }
  if (piece.mask != 0) {
    add_piece(builder, &piece);
  }
  assert(leaf.bits <= TREE_LEAF_BITS);
  leaf.piece_count = builder->plan->piece_count - leaf.first_piece;
  builder->plan->leaf_count++;
  return add_node(builder, &leaf);
}

static uint64_t bits_between(const struct order *order, uint32_t a, uint32_t b) {
  uint64_t bits = 0;
  for (uint32_t f = a; f < b; f++) {
    bits += order->fields[f].width;
  }
  return bits;
}

/* Without counting: a part inside of one segment. */
static uint32_t build_fields(struct builder *builder, uint32_t a, uint32_t b) {
  uint64_t all = bits_between(builder->order, a, b), low = 0;
  if (all <= TREE_LEAF_BITS) {
    return add_leaf(builder, a, b);
  }
  uint32_t middle = a;
  while (low < all / 2) {
    low += builder->order->fields[middle++].width;
  }
  middle = middle == b ? b - 1 : middle;
  struct tree_node node = {0};
  node.left = build_fields(builder, a, middle);
  node.right = build_fields(builder, middle, b);
  return add_node(builder, &node);
}

static uint32_t build_segments(struct builder *builder, uint32_t a, uint32_t b) {
  const struct order *order = builder->order;
  if (order->bits[b] - order->bits[a] <= TREE_LEAF_BITS || b - a == 1) {
    return build_fields(builder, order->ends[a], order->ends[b]);
  }
  /* There are many cuts below the root, and they matter less. */
  struct sample coarse = *builder->sample;
  coarse.count = coarse.count > FINE ? coarse.count / 4 : coarse.count;
  double cost;
  uint32_t cut = best_cut(order, &coarse, a, b, false, &cost);
  assert(cut > a && cut < b);
  builder->cost += cost;
  struct tree_node node = {0};
  node.left = build_segments(builder, a, cut);
  node.right = build_segments(builder, cut, b);
  return add_node(builder, &node);
}

/* Several nodes share a table only where there are very many. */
static void assign_tables(struct tree_plan *plan) {
  plan->table_count = plan->node_count < TREE_MOST_TABLES ? plan->node_count : TREE_MOST_TABLES;
  uint32_t leaf_tables = plan->table_count / 2, leaves = 0, others = 0;
  bool shared = plan->node_count > TREE_MOST_TABLES;
  for (uint32_t i = 0; i < plan->node_count; i++) {
    struct tree_node *node = &plan->nodes[i];
    if (!shared) {
      node->table = i;
    } else if (node->is_leaf) {
      node->table = leaves++ % leaf_tables;
    } else {
      node->table = leaf_tables + others++ % (plan->table_count - leaf_tables);
    }
  }
}

static void build(struct tree_plan *plan, const struct order *order, const struct sample *sample) {
  *plan = (struct tree_plan){.order = order->name};
  struct builder builder = {.plan = plan, .order = order, .sample = sample};
  double cost = 0;
  uint32_t m = order->segment_count;
  if (m >= 2) {
    uint32_t cut = best_cut(order, sample, 0, m, true, &cost);
    plan->left = build_segments(&builder, 0, cut);
    plan->right = build_segments(&builder, cut, m);
  } else { /* one field */
    plan->left = build_fields(&builder, 0, order->field_count);
    plan->right = add_leaf(&builder, order->field_count, order->field_count);
  }
  plan->bytes_per_state = cost + builder.cost;
  assign_tables(plan);
}

/* ---- choosing ---- */

void tree_plan_free(struct tree_plan *plan) {
  clew_free(plan->nodes);
  clew_free(plan->pieces);
  *plan = (struct tree_plan){0};
}

/* Plans the order, and takes the plan if it is better. */
static void consider(struct tree_plan *best, struct order *order, const struct sample *sample) {
  struct tree_plan its;
  cut_into_segments(order);
  make_prefixes(order, sample);
  build(&its, order, sample);
  bool is_better = best->nodes == NULL || its.bytes_per_state < best->bytes_per_state;
  tree_plan_free(is_better ? best : &its);
  *best = is_better ? its : *best;
  clew_free(order->prefixes);
  clew_free(order->fields);
}

/* ---- the whole of it ---- */

void tree_plan_make(struct tree_plan *plan, const struct clew_store_config *config,
                    const uint64_t *states, uint32_t count, const char *only) {
  assert(count > 0 && count <= TREE_SAMPLE_STATES);
  struct sample sample = {.config = config, .states = states, .count = count, .stride = count};
  sample.slots = clew_alloc(TABLE_SLOTS * sizeof *sample.slots);
  *plan = (struct tree_plan){0};
  for (uint32_t i = 0; i < tree_order_count(); i++) {
    struct order order = {.name = tree_order_name(i)};
    bool asked = only == NULL || strcmp(only, order.name) == 0;
    order.fields = asked ? tree_fields_make(config, i, &order.field_count) : NULL;
    if (order.fields != NULL) {
      consider(plan, &order, &sample);
    }
  }
  clew_free(sample.slots);
  if (plan->nodes == NULL) {
    assert(only != NULL);
    tree_plan_make(plan, config, states, count, NULL);
  }
}
