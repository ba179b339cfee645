/* One face for the two layouts of state table and back-edge table; and the roots.
 *
 * Initial states have no back edge and are kept in full. They are usually the first states and then
 * have the ids 0, 1, …; others are found by bisection. */
#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "store/comback_int.h"

bool clew_comback_region_open(struct clew_bigmem *mem, uint64_t bytes, struct clew_budget *budget) {
  assert(bytes > 0);
  const uint64_t least_bytes = 1 << 20, unlimited_bytes = UINT64_C(1) << 37;
  uint64_t most_bytes = budget != NULL ? budget->limit_bytes : unlimited_bytes;
  if (bytes > most_bytes) {
    bytes = most_bytes > least_bytes ? most_bytes : least_bytes;
  }
  /* A limit of addresses (ulimit -v) has to do for some thirty regions, and for the search. */
  uint64_t fair = clew_bigmem_addresses_left() / 16;
  if (bytes > fair) {
    bytes = fair > least_bytes ? fair : least_bytes;
  }
  return clew_bigmem_open_most(mem, bytes, least_bytes, budget);
}

static bool compact(const struct clew_comback *c) {
  return c->settings.layout == CLEW_COMBACK_COMPACT;
}

bool clew_comback_tables_open(struct clew_comback *c) {
  assert(c->count == 0 && c->roots.count == 0);
  struct clew_budget *budget = c->base.config.budget;
  /* The first get the most addresses where there is a limit of them. */
  return (compact(c) ? clew_comback_compact_open(c) : clew_comback_paper_open(c)) &&
         clew_comback_region_open(&c->roots.states,
                                  CLEW_COMBACK_MAX_STATES * clew_comback_state_bytes(c), budget) &&
         clew_comback_region_open(&c->roots.ids, CLEW_COMBACK_MAX_STATES * sizeof(clew_id), budget);
}

static struct clew_comback_segments *segments_of(struct clew_comback *c) {
  return compact(c) ? &c->compact.segments : &c->paper.segments;
}

void clew_comback_tables_widen_at(struct clew_comback *c, uint32_t bits) {
  assert(c->count == 0 && bits >= 1 && bits <= 32);
  c->paper.low_bits = bits;
  segments_of(c)->bits = bits - 1;
}

void clew_comback_tables_close(struct clew_comback *c) {
  assert(c->roots.prefix <= c->roots.count);
  clew_bigmem_close(&c->roots.states);
  clew_bigmem_close(&c->roots.ids);
  clew_comback_paper_close(&c->paper);
  clew_comback_compact_close(&c->compact);
}

bool clew_comback_tables_reserve(struct clew_comback *c, uint64_t states) {
  assert(states >= c->count);
  return states <= CLEW_COMBACK_MAX_STATES && (compact(c) ? clew_comback_compact_reserve(c, states)
                                                          : clew_comback_paper_reserve(c, states));
}

void clew_comback_tables_prefetch(const struct clew_comback *c, uint64_t hash) {
  clew_comback_segments_prefetch(compact(c) ? &c->compact.segments : &c->paper.segments,
                                 clew_comback_compress(c, hash));
}

/* ---- roots ---- */

static clew_id *root_ids(const struct clew_comback *c) {
  return (clew_id *)(void *)c->roots.ids.data;
}

bool clew_comback_roots_reserve(struct clew_comback *c, uint64_t more) {
  assert(c->roots.prefix <= c->roots.count);
  uint64_t roots = c->roots.count + more;
  return clew_bigmem_commit(&c->roots.states, roots * clew_comback_state_bytes(c)) &&
         clew_bigmem_commit(&c->roots.ids, roots * sizeof(clew_id));
}

static void add_root(struct clew_comback *c, clew_id id, const uint64_t *state) {
  assert(state != NULL);
  assert(c->roots.count == 0 || root_ids(c)[c->roots.count - 1] < id);
  struct clew_comback_roots *r = &c->roots;
  assert((r->count + 1) * clew_comback_state_bytes(c) <= r->states.committed_bytes);
  memcpy(r->states.data + r->count * clew_comback_state_bytes(c), state,
         clew_comback_state_bytes(c));
  root_ids(c)[r->count] = id;
  r->prefix += r->prefix == id;
  r->count++;
}

/* Which root this is, or CLEW_ID_NONE. */
static uint64_t root_number(const struct clew_comback *c, clew_id id) {
  const struct clew_comback_roots *r = &c->roots;
  if (id < r->prefix) {
    return id;
  }
  uint64_t low = r->prefix, high = r->count;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (root_ids(c)[middle] < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < r->count && root_ids(c)[low] == id ? low : CLEW_ID_NONE;
}

const uint64_t *clew_comback_root_state(const struct clew_comback *c, clew_id id) {
  uint64_t number = root_number(c, id);
  return number == CLEW_ID_NONE
             ? NULL
             : (const uint64_t *)(const void *)(c->roots.states.data +
                                                number * clew_comback_state_bytes(c));
}

/* ---- states ---- */

void clew_comback_tables_add(struct clew_comback *c, const struct clew_visit *visit) {
  clew_id id = c->count, parent = visit->parent;
  uint64_t hash = clew_comback_compress(c, visit->hash);
  assert(c->count < CLEW_COMBACK_MAX_STATES && (parent == CLEW_ID_NONE || parent < id));
  if (parent == CLEW_ID_NONE) {
    add_root(c, id, visit->state);
  }
  if (compact(c)) {
    clew_comback_compact_add(&c->compact, id, hash, parent, visit->edge);
  } else {
    clew_comback_paper_add(&c->paper, id, hash, parent, visit->edge);
    c->paper_order.monotone &= parent == CLEW_ID_NONE || parent >= c->paper_order.last;
    c->paper_order.last = parent == CLEW_ID_NONE ? c->paper_order.last : parent;
  }
  c->count++;
}

clew_id clew_comback_list_first(const struct clew_comback *c, uint64_t hash,
                                struct clew_comback_list *list) {
  uint64_t compressed = clew_comback_compress(c, hash);
  return compact(c) ? clew_comback_segments_first(&c->compact.segments, compressed, list)
                    : clew_comback_paper_first(&c->paper, compressed, list);
}

clew_id clew_comback_list_next(const struct clew_comback *c, struct clew_comback_list *list) {
  return compact(c) ? clew_comback_segments_next(&c->compact.segments, list)
                    : clew_comback_paper_next(&c->paper, list);
}

clew_id clew_comback_parent(const struct clew_comback *c, clew_id id) {
  assert(id < c->count);
  if (!compact(c)) {
    return clew_comback_paper_parent(&c->paper, id);
  }
  return root_number(c, id) != CLEW_ID_NONE ? CLEW_ID_NONE
                                            : clew_comback_column_get(&c->compact.parents, id);
}

uint32_t clew_comback_edge(const struct clew_comback *c, clew_id id) {
  assert(id < c->count);
  return compact(c) ? (uint32_t)clew_comback_column_get(&c->compact.edges, id)
                    : clew_comback_paper_edge(&c->paper, id);
}

void clew_comback_tables_back_edge(const struct clew_comback *c, clew_id id, clew_id *parent,
                                   uint32_t *edge) {
  assert(id < c->count && id >= c->roots.prefix);
  if (compact(c)) {
    *parent = clew_comback_column_get(&c->compact.parents, id);
    *edge = (uint32_t)clew_comback_column_get(&c->compact.edges, id);
  } else {
    *parent = clew_comback_paper_parent(&c->paper, id);
    *edge = clew_comback_paper_edge(&c->paper, id);
  }
  assert(*parent < id);
}

void clew_comback_tables_prefetch_edge(const struct clew_comback *c, clew_id id) {
  assert(id < c->count);
  if (!compact(c)) { /* there it is found by several steps, which follow each other closely */
    clew_comback_paper_prefetch_edge(&c->paper, id);
  }
}

bool clew_comback_tables_monotone(const struct clew_comback *c) {
  assert(c->roots.count <= c->count);
  return compact(c) ? c->compact.parents.monotone : c->paper_order.monotone;
}

uint64_t clew_comback_tables_bytes(const struct clew_comback *c) {
  assert(c->roots.prefix <= c->roots.count);
  const struct clew_comback_paper *p = &c->paper;
  return c->roots.states.committed_bytes + c->roots.ids.committed_bytes +
         p->records.committed_bytes + p->highs.committed_bytes + p->parent_highs.committed_bytes +
         clew_comback_segments_bytes(&p->segments) +
         clew_comback_column_bytes(&c->compact.parents) +
         clew_comback_column_bytes(&c->compact.edges) +
         clew_comback_segments_bytes(&c->compact.segments);
}

static uint64_t growths_of(const struct clew_comback_segments *s) {
  assert(s->count == 0 || s->list != NULL);
  uint64_t growths = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    growths += s->list[i].growths;
  }
  return growths;
}

void clew_comback_tables_counters(const struct clew_comback *c, struct clew_counters *out) {
  assert(c->settings.hash_bits > 0);
  assert(out != NULL);
  assert(c->roots.count <= c->count);
  clew_counters_count(out, "roots", c->roots.count);
  clew_counters_count(out, "root_bytes",
                      c->roots.states.committed_bytes + c->roots.ids.committed_bytes);
  if (compact(c)) {
    const struct clew_comback_compact *p = &c->compact;
    assert(p->segments.count > 0);
    clew_counters_count(out, "state_table_bytes", clew_comback_segments_bytes(&p->segments));
    clew_counters_count(out, "predecessor_bytes", clew_comback_column_bytes(&p->parents));
    clew_counters_count(out, "event_bytes", clew_comback_column_bytes(&p->edges));
    clew_counters_count(out, "tag_bits", 32 - p->segments.list[0].id_bits);
    clew_counters_count(out, "table_growths", growths_of(&p->segments));
  } else {
    /* Of a record the hash belongs to the state table, predecessor and event are the back edge. */
    const struct clew_comback_paper *p = &c->paper;
    assert(p->records.committed_bytes <= p->records.reserved_bytes);
    uint64_t hash_bytes = p->records.committed_bytes / 3;
    clew_counters_count(out, "state_table_bytes",
                        hash_bytes + p->highs.committed_bytes +
                            clew_comback_segments_bytes(&p->segments));
    clew_counters_count(out, "back_edge_bytes",
                        p->records.committed_bytes - hash_bytes + p->parent_highs.committed_bytes);
  }
  clew_counters_count(out, "breadth_first_ids", clew_comback_tables_monotone(c));
}

/* ---- validation ---- */

/* Every state can be rebuilt, is in the collision list of its hash, and nowhere else. */
static const char *check_state(struct clew_comback *c, clew_id id) {
  assert(id < c->count);
  const uint64_t *state = clew_comback_rebuild(c, &c->worker, id);
  uint64_t hash = clew_hash_words(state, c->base.config.words, c->base.config.seed);
  uint32_t found = 0;
  struct clew_comback_list list;
  for (clew_id other = clew_comback_list_first(c, hash, &list); other != CLEW_ID_NONE;
       other = clew_comback_list_next(c, &list)) {
    if (other >= c->count) {
      return "a collision list names no state";
    }
    found += other == id;
  }
  return found == 1 ? NULL : "a state is not in the list of its hash";
}

const char *clew_comback_tables_check(struct clew_comback *c) {
  assert(clew_comback_segments_states(segments_of(c)) == c->count);
  const char *why = clew_comback_segments_check(segments_of(c));
  if (compact(c)) {
    why = why != NULL ? why : clew_comback_column_check(&c->compact.parents);
    why = why != NULL ? why : clew_comback_column_check(&c->compact.edges);
  }
  for (clew_id id = 0; id < c->count && why == NULL; id++) {
    clew_id parent = clew_comback_parent(c, id);
    if ((parent == CLEW_ID_NONE) != (clew_comback_root_state(c, id) != NULL)) {
      why = "a root has a predecessor, or another state has none";
    } else if (parent != CLEW_ID_NONE && parent >= id) {
      why = "a back edge leads forward";
    } else {
      why = check_state(c, id);
    }
  }
  return why;
}
