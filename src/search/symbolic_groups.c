/* Groups of edges: those with equal sets of slots (`merged`), these with groups whose sets are
 * within theirs (`subsumed`), each edge by itself (`edge`), or all together (`one`). The relation
 * of a group has a level of its own for each value that it reads or writes.
 *
 * Roles. A slot that is read is READ or READ_WRITE. A slot that every edge of the group surely
 * writes and that none reads is WRITE. One that may be written, or not, and that none reads, such
 * as the elements of an array of which one is written, is MAY_WRITE: rows say that it is copied
 * where it stays. Where that is not known it must also be read: READ_WRITE. That is so where all
 * successors are made at once, with clock values, and where a state that stays the same is stuck.
 *
 * Priorities. A model with several classes of edges decides by the guards of one class about the
 * next; that is not a matter of one edge. All its edges are one group then, whose successors come
 * from `next` of the model. The same goes for models that learn (model.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/hash.h"
#include "search/symbolic_int.h"

/* The sets of a group that is being made: read, may_write, must_write of `words` words each. */
struct draft {
  uint64_t *sets;
  uint64_t hash; /* of read and may_write */
  CLEW_VEC(uint32_t) edges;
};

struct drafts {
  const struct clew_model *model;
  uint32_t words; /* of a set */
  bool is_split;  /* without delays */
  CLEW_VEC(struct draft) list;
  CLEW_VEC(uint32_t) index; /* open addressing: draft + 1, or 0 */
};

static void draft_merge(const struct drafts *drafts, struct draft *draft, const uint64_t *sets) {
  uint32_t words = drafts->words;
  for (uint32_t i = 0; i < words; i++) {
    draft->sets[i] |= sets[i];
    draft->sets[words + i] |= sets[words + i];
    draft->sets[2 * words + i] &= sets[2 * words + i];
  }
}

static void grow_index(struct drafts *drafts) {
  uint32_t length = drafts->index.len == 0 ? 256 : drafts->index.len * 2;
  clew_vec_reserve(&drafts->index, length);
  drafts->index.len = length;
  memset(drafts->index.data, 0, length * sizeof *drafts->index.data);
  for (uint32_t i = 0; i < drafts->list.len; i++) {
    uint32_t slot = (uint32_t)drafts->list.data[i].hash & (length - 1);
    while (drafts->index.data[slot] != 0) {
      slot = (slot + 1) & (length - 1);
    }
    drafts->index.data[slot] = i + 1;
  }
}

/* The place of a draft with these sets in the index, or of none. */
static uint32_t *find_draft(const struct drafts *drafts, const uint64_t *sets, uint64_t hash) {
  uint32_t mask = drafts->index.len - 1, slot = (uint32_t)hash & mask;
  for (;; slot = (slot + 1) & mask) {
    uint32_t at = drafts->index.data[slot];
    if (at == 0 || (drafts->list.data[at - 1].hash == hash &&
                    memcmp(drafts->list.data[at - 1].sets, sets,
                           2 * (size_t)drafts->words * sizeof *sets) == 0)) {
      return &drafts->index.data[slot];
    }
  }
}

static struct draft *add_draft(struct drafts *drafts, const uint64_t *sets, uint64_t hash) {
  size_t bytes = 3 * (size_t)drafts->words * sizeof *sets;
  clew_vec_push(&drafts->list, ((struct draft){.sets = clew_alloc(bytes), .hash = hash}));
  struct draft *draft = &clew_vec_last(&drafts->list);
  memcpy(draft->sets, sets, bytes);
  return draft;
}

static void add_edges(struct draft *draft, const struct clew_group *group) {
  for (uint32_t i = 0; i < group->edge_count; i++) {
    clew_vec_push(&draft->edges, group->first_edge + i);
  }
}

static void add_merged(struct drafts *drafts, const struct clew_group *group,
                       const uint64_t *sets) {
  uint64_t hash = clew_hash_words(sets, 2 * drafts->words, 0);
  if (drafts->list.len * 2 >= drafts->index.len) {
    grow_index(drafts);
  }
  uint32_t *place = find_draft(drafts, sets, hash);
  if (*place == 0) {
    (void)add_draft(drafts, sets, hash);
    *place = drafts->list.len;
  }
  struct draft *draft = &drafts->list.data[*place - 1];
  draft_merge(drafts, draft, sets);
  add_edges(draft, group);
}

static void add_group(struct drafts *drafts, enum symbolic_grouping grouping,
                      const struct clew_group *group, const uint64_t *sets) {
  if (grouping == GROUPS_MERGED || grouping == GROUPS_SUBSUMED) {
    add_merged(drafts, group, sets);
    return;
  }
  bool new = grouping == GROUPS_EDGE || drafts->list.len == 0;
  struct draft *draft = new ? add_draft(drafts, sets, 0) : &drafts->list.data[0];
  draft_merge(drafts, draft, sets);
  add_edges(draft, group);
}

/* An edge that writes nothing and one that is never enabled make no difference to anything but
 * faults and deadlocks: they stay. */
static void collect_drafts(struct drafts *drafts, enum symbolic_grouping grouping) {
  const struct clew_model *model = drafts->model;
  uint32_t words = drafts->words;
  uint64_t *sets = clew_alloc_zero(3 * (size_t)words, sizeof *sets);
  struct clew_access access = {sets, sets + words, sets + 2 * words};
  for (uint32_t i = 0; i < model->group_count; i++) {
    struct clew_group group;
    model->group(model, i, &group);
    memset(sets, 0, 3 * (size_t)words * sizeof *sets);
    if (drafts->is_split) {
      model->timed->leap_access(model, i, &access);
    } else {
      model->access(model, i, &access);
    }
    add_group(drafts, grouping, &group, sets);
  }
  clew_free(sets);
}

/* ---- groups within groups ---- */

static uint32_t count_slots(const struct drafts *drafts, const struct draft *draft) {
  return clew_bitset_count(draft->sets, drafts->words) +
         clew_bitset_count(draft->sets + drafts->words, drafts->words);
}

/* Whether all that `a` reads and may write is read and may be written by `b`. */
static bool is_within(const struct drafts *drafts, const struct draft *a, const struct draft *b) {
  for (uint32_t i = 0; i < 2 * drafts->words; i++) {
    if ((a->sets[i] & ~b->sets[i]) != 0) {
      return false;
    }
  }
  return true;
}

/* The draft that takes this one in: the first of the fewest slots; or CLEW_NONE. */
static uint32_t find_host(const struct drafts *drafts, uint32_t which) {
  uint32_t best = CLEW_NONE, fewest = UINT32_MAX;
  const struct draft *draft = &drafts->list.data[which];
  for (uint32_t i = 0; i < drafts->list.len; i++) {
    const struct draft *other = &drafts->list.data[i];
    if (i != which && other->edges.len > 0 && is_within(drafts, draft, other) &&
        count_slots(drafts, other) < fewest) {
      fewest = count_slots(drafts, other);
      best = i;
    }
  }
  return best;
}

/* No two drafts have equal sets, so there are no circles of hosts. */
static void merge_subsumed(struct drafts *drafts) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < drafts->list.len; i++) {
    struct draft *draft = &drafts->list.data[i];
    uint32_t host = find_host(drafts, i);
    if (host != CLEW_NONE) {
      struct draft *into = &drafts->list.data[host];
      draft_merge(drafts, into, draft->sets);
      for (uint32_t k = 0; k < draft->edges.len; k++) {
        clew_vec_push(&into->edges, draft->edges.data[k]);
      }
      clew_vec_free(&draft->edges);
    }
  }
  for (uint32_t i = 0; i < drafts->list.len; i++) {
    if (drafts->list.data[i].edges.len > 0) {
      drafts->list.data[left++] = drafts->list.data[i];
    } else {
      clew_free(drafts->list.data[i].sets);
    }
  }
  drafts->list.len = left;
}

/* ---- from drafts to groups ---- */

static enum clew_ldd_role role_of(const struct symbolic *s, const struct drafts *drafts,
                                  const struct draft *draft, const struct symbolic_level *level) {
  uint32_t slot = level->slot;
  const uint64_t *read = draft->sets, *may = read + drafts->words, *must = may + drafts->words;
  if (!clew_bitset_has(may, slot)) {
    return clew_bitset_has(read, slot) ? CLEW_LDD_READ : CLEW_LDD_SKIP;
  }
  if (clew_bitset_has(read, slot)) {
    return CLEW_LDD_READ_WRITE;
  }
  if (clew_bitset_has(must, slot)) {
    return CLEW_LDD_WRITE;
  }
  return s->may_copy ? CLEW_LDD_MAY_WRITE : CLEW_LDD_READ_WRITE;
}

/* What of a group is of interest for a set of states: roles in, roles out. */
static void reads_only(const unsigned char *roles, uint32_t levels, bool writes_too,
                       unsigned char *out) {
  for (uint32_t i = 0; i < levels; i++) {
    bool counts = symbolic_reads(roles[i]) || (writes_too && roles[i] != CLEW_LDD_SKIP);
    out[i] = counts ? CLEW_LDD_READ : CLEW_LDD_SKIP;
  }
}

/* The delay, which is there already, for vectors from the top level of the group on. */
static void make_delay_plans(struct symbolic *s, struct symbolic_group *group) {
  const struct symbolic_group *delay = &s->groups[s->group_count];
  const uint32_t levels = s->level_count, top = group->top;
  unsigned char *roles = clew_alloc_zero(levels + (size_t)2, 1);
  for (uint32_t i = 0; i < delay->part_count; i++) {
    roles[delay->parts[i].level] = CLEW_LDD_READ;
  }
  group->low_delay_project = clew_ldd_plan_projection(s->dd, roles + top, levels + 1 - top);
  roles[levels] = CLEW_LDD_ACT;
  group->low_delay_product = clew_ldd_plan_product(s->dd, roles + top, levels + 1 - top);
  clew_free(roles);
}

static void make_plans(struct symbolic *s, struct symbolic_group *group,
                       const unsigned char *roles) {
  uint32_t levels = s->level_count, top = group->top;
  uint32_t all = levels + (s->clocks != NULL); /* the last one is that of clock values */
  unsigned char *reads = clew_alloc_zero(levels + (size_t)2, 1);
  reads_only(roles, levels, false, reads);
  group->project = clew_ldd_plan_projection(s->dd, reads, all);
  group->low_project = clew_ldd_plan_projection(s->dd, reads + top, all - top);
  group->match = clew_ldd_plan_product(s->dd, reads, levels);
  group->product = clew_ldd_plan_product(s->dd, roles, all);
  group->low_product = clew_ldd_plan_product(s->dd, roles + top, all - top);
  if (s->clocks != NULL) {
    reads[levels] = CLEW_LDD_ACT;
    group->match_act = clew_ldd_plan_product(s->dd, reads, all);
  } else {
    group->inverse = clew_ldd_plan_inverse(s->dd, roles, levels);
    reads_only(roles, levels, true, reads);
    group->match_quiet = clew_ldd_plan_product(s->dd, reads, levels);
  }
  clew_free(reads);
}

static void make_group(struct symbolic *s, const struct drafts *drafts, struct draft *draft,
                       struct symbolic_group *group) {
  uint32_t levels = s->level_count;
  unsigned char *roles = clew_alloc_zero(levels + (size_t)2, 1);
  *group =
      (struct symbolic_group){.edges = draft->edges.data,
                              .edge_count = draft->edges.len,
                              .top = levels,
                              .parts = clew_alloc((levels + (size_t)1) * sizeof *group->parts)};
  draft->edges.data = NULL; /* the group's now */
  for (uint32_t i = 0; i < levels; i++) {
    roles[i] = (unsigned char)role_of(s, drafts, draft, &s->levels[i]);
    if (roles[i] != CLEW_LDD_SKIP) {
      group->top = group->top < i ? group->top : i;
      group->parts[group->part_count++] = (struct symbolic_part){i, roles[i]};
      group->read_count += symbolic_reads(roles[i]);
      group->copies |= roles[i] == CLEW_LDD_MAY_WRITE;
    }
  }
  if (s->clocks != NULL) { /* touched by every group, also by one that touches nothing else */
    roles[levels] = CLEW_LDD_ACT;
    group->top = group->top < levels ? group->top : 0;
  }
  if (s->is_split && draft->edges.len > 0) { /* it comes with the delay */
    uint32_t top = s->groups[s->group_count].top;
    group->top = group->top < top ? group->top : top;
    make_delay_plans(s, group);
  }
  group->row_length = clew_ldd_short_length(roles, levels + (s->clocks != NULL));
  make_plans(s, group, roles);
  clew_free(roles);
}

static int compare_groups(const void *a, const void *b) {
  const struct symbolic_group *x = a, *y = b;
  if (x->top != y->top) {
    return x->top > y->top ? -1 : 1; /* those that touch low levels only come first */
  }
  return x->edges[0] < y->edges[0] ? -1 : 1;
}

/* Those of each level are together, and the lowest levels come first. */
static void sort_groups(struct symbolic *s) {
  if (s->group_count > 0) {
    qsort(s->groups, s->group_count, sizeof *s->groups, compare_groups);
  }
  s->ranges = clew_alloc_zero(s->level_count + (size_t)1, sizeof *s->ranges);
  for (uint32_t i = 0; i < s->group_count; i++) {
    struct symbolic_range *range = &s->ranges[s->groups[i].top];
    range->first = range->end == 0 ? i : range->first;
    range->end = i + 1;
    if (s->groups[i].top < s->level_count && s->groups[i].top > s->last_top) {
      s->last_top = s->groups[i].top;
    }
  }
}

bool clew_symbolic_has_priorities(const struct clew_model *model) {
  if (model->learns) {
    return true; /* its edges cannot be tried one by one either */
  }
  struct clew_group first = {0}, group;
  for (uint32_t i = 0; i < model->group_count; i++) {
    model->group(model, i, &group);
    first = i == 0 ? group : first;
    if (group.priority != first.priority) {
      return true;
    }
  }
  return false;
}

static void keep_group(struct symbolic *s, struct symbolic_group *group) {
  clew_dd_keep(s->dd, &group->seen);
  clew_dd_keep(s->dd, &group->relation);
  clew_dd_keep(s->dd, &group->merged);
  clew_dd_keep(s->dd, &group->moves);
  clew_dd_keep(s->dd, &group->still);
  clew_dd_keep(s->dd, &group->quiet);
  clew_dd_keep(s->dd, &group->suspects);
}

const char *clew_symbolic_refuse_split(const struct clew_model *model) {
  if (clew_symbolic_refuse_clocks(model) != NULL) {
    return "--dd-split is for timed models with --dd ddd";
  }
  return model->timed->dwell == NULL
             ? "--dd-split needs a model in which delays depend on the state alone: here "
               "transitions compute invariants, rates, or whether time may pass"
             : NULL;
}

/* A state is no deadlock if a transition leads into the invariants of its target: to know that is
 * to know what the delay knows. */
bool clew_symbolic_wants_split(const struct symbolic *s) {
  return s->clocks != NULL && s->options->split != SPLIT_NO && !s->wants_deadlocks &&
         clew_symbolic_refuse_split(s->run.model) == NULL;
}

static void open_delay(struct symbolic *s, const struct drafts *drafts) {
  struct symbolic_group *delay = &s->groups[s->group_count];
  struct draft draft = {.sets = clew_alloc_zero(3 * (size_t)drafts->words, sizeof(uint64_t))};
  s->run.model->timed->dwell_access(s->run.model, draft.sets);
  make_group(s, drafts, &draft, delay);
  delay->is_delay = true;
  keep_group(s, delay);
  clew_free(draft.sets);
}

void clew_symbolic_open_groups(struct symbolic *s) {
  const struct clew_model *model = s->run.model;
  s->is_split = clew_symbolic_wants_split(s);
  struct drafts drafts = {
      .model = model, .words = CLEW_BITSET_WORDS(model->slot_count) + 1, .is_split = s->is_split};
  s->has_priorities = clew_symbolic_has_priorities(model);
  enum symbolic_grouping grouping = (enum symbolic_grouping)s->options->groups;
  grouping = s->has_priorities ? GROUPS_ONE : grouping == GROUPS_DEFAULT ? GROUPS_MERGED : grouping;
  bool stutters = s->wants_deadlocks && model->deadlock == CLEW_DEADLOCK_STUTTERING;
  s->may_copy = grouping != GROUPS_ONE && s->clocks == NULL && !stutters;
  collect_drafts(&drafts, grouping);
  if (grouping == GROUPS_SUBSUMED) {
    merge_subsumed(&drafts);
  }
  s->group_count = drafts.list.len;
  s->groups = clew_alloc_zero(s->group_count + (size_t)1, sizeof *s->groups);
  if (s->is_split) {
    open_delay(s, &drafts);
  }
  for (uint32_t i = 0; i < s->group_count; i++) {
    make_group(s, &drafts, &drafts.list.data[i], &s->groups[i]);
    s->groups[i].whole = grouping == GROUPS_ONE && s->clocks == NULL;
    clew_free(drafts.list.data[i].sets);
  }
  sort_groups(s);
  for (uint32_t i = 0; i < s->group_count; i++) {
    keep_group(s, &s->groups[i]);
  }
  clew_symbolic_open_merged(s);
  clew_vec_free(&drafts.list);
  clew_vec_free(&drafts.index);
}

void clew_symbolic_open_jury(struct symbolic *s) {
  const struct clew_model *model = s->run.model;
  struct drafts drafts = {.model = model, .words = CLEW_BITSET_WORDS(model->slot_count) + 1};
  struct symbolic_group *jury = &s->groups[s->group_count]; /* there is room for one more */
  s->may_copy = false;
  collect_drafts(&drafts, GROUPS_ONE);
  if (drafts.list.len == 1) {
    make_group(s, &drafts, &drafts.list.data[0], jury);
    jury->whole = jury->is_jury = s->has_jury = true;
    keep_group(s, jury);
    clew_free(drafts.list.data[0].sets);
  }
  clew_vec_free(&drafts.list);
}

/* With the jury or the delay, of which there is one at most. */
static uint32_t count_all(const struct symbolic *s) {
  assert(!s->has_jury || !s->is_split);
  return s->group_count + (s->has_jury || s->is_split);
}

static void forget_group(struct symbolic *s, struct symbolic_group *group) {
  for (uint32_t i = group->degrees.len; i-- > 0;) {
    clew_dd_forget(s->dd, group->degrees.data[i].sources);
  }
  clew_dd_forget(s->dd, &group->suspects);
  clew_dd_forget(s->dd, &group->quiet);
  clew_dd_forget(s->dd, &group->still);
  clew_dd_forget(s->dd, &group->moves);
  clew_dd_forget(s->dd, &group->merged);
  clew_dd_forget(s->dd, &group->relation);
  clew_dd_forget(s->dd, &group->seen);
}

void clew_symbolic_forget_groups(struct symbolic *s) {
  clew_symbolic_forget_merged(s);
  for (uint32_t i = count_all(s); i-- > 0;) {
    forget_group(s, &s->groups[i]);
  }
  clew_symbolic_close_groups(s);
  s->groups = NULL;
  s->ranges = NULL;
  s->group_count = s->last_top = 0;
  s->has_jury = s->is_split = false;
}

void clew_symbolic_close_groups(struct symbolic *s) {
  for (uint32_t i = 0; i < count_all(s); i++) {
    clew_free(s->groups[i].edges);
    clew_free(s->groups[i].parts);
    for (uint32_t j = 0; j < s->groups[i].degrees.len; j++) {
      clew_free(s->groups[i].degrees.data[j].sources);
    }
    clew_vec_free(&s->groups[i].degrees);
  }
  clew_symbolic_close_merged(s);
  clew_free(s->groups);
  clew_free(s->ranges);
}

double clew_symbolic_density(const struct symbolic *s) {
  uint64_t touched = 0, groups = s->group_count + s->is_split;
  for (uint32_t i = 0; i < groups; i++) {
    touched += s->groups[i].part_count;
  }
  return groups * s->level_count > 0 ? (double)touched / (double)(groups * s->level_count) : 0;
}
