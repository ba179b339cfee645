/* Bounded breadth-first search. Small and plain on purpose: it answers somebody who waits, and the
 * engines with their stores are for everything else. */
#include "explore/seek.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"

enum { FIRST_TABLE = 1 << 10, CLOCK_EVERY = 64 };

static const uint64_t *state_at(const struct clew_seek *seek, uint32_t place) {
  return seek->states.data + (size_t)place * seek->model->words;
}

static void put_in_table(struct clew_seek *seek, uint32_t place) {
  uint64_t hash = clew_hash_words(state_at(seek, place), seek->model->words, 0);
  uint32_t mask = seek->table_size - 1, at = (uint32_t)hash & mask;
  while (seek->table[at] != 0) {
    at = (at + 1) & mask;
  }
  seek->table[at] = place + 1;
}

static void grow_table(struct clew_seek *seek) {
  clew_free(seek->table);
  seek->table_size = seek->table_size == 0 ? FIRST_TABLE : seek->table_size * 2;
  seek->table = clew_alloc_zero(seek->table_size, sizeof *seek->table);
  for (uint32_t i = 0; i < seek->nodes.len; i++) {
    put_in_table(seek, i);
  }
}

static uint32_t find(const struct clew_seek *seek, const uint64_t *state) {
  uint32_t words = seek->model->words;
  uint64_t hash = clew_hash_words(state, words, 0);
  uint32_t mask = seek->table_size - 1, at = (uint32_t)hash & mask;
  while (seek->table[at] != 0) {
    uint32_t place = seek->table[at] - 1;
    if (memcmp(state_at(seek, place), state, words * sizeof *state) == 0) {
      return place;
    }
    at = (at + 1) & mask;
  }
  return CLEW_NONE;
}

static uint32_t add(struct clew_seek *seek, uint32_t parent, uint32_t edge, const uint64_t *state) {
  uint32_t place = seek->nodes.len, words = seek->model->words;
  uint32_t depth = parent == CLEW_NONE ? 0 : seek->nodes.data[parent].depth + 1;
  struct clew_seek_node node = {.parent = parent, .edge = edge, .depth = depth};
  clew_vec_push(&seek->nodes, node);
  clew_vec_reserve(&seek->states, seek->states.len + words);
  memcpy(seek->states.data + seek->states.len, state, words * sizeof *state);
  seek->states.len += words;
  if (seek->nodes.len > seek->table_size / 2) {
    grow_table(seek);
  } else {
    put_in_table(seek, place);
  }
  return place;
}

/* How many states the bounds allow. */
static uint64_t room(const struct clew_model *model, const struct clew_seek_limits *limits) {
  uint64_t each =
      2 * (sizeof(struct clew_seek_node) + model->words * sizeof(uint64_t)) + 4 * sizeof(uint32_t);
  uint64_t most = limits->bytes / each, by_words = (UINT32_MAX - 1) / model->words;
  most = most < by_words ? most : by_words;
  return most < limits->states ? most : limits->states;
}

struct search {
  struct clew_seek *seek;
  uint32_t label;
  bool wants, keeps_links;
  uint64_t most;
  bool is_cut;
};

/* Whether it is the one that is looked for, or nobody can say. */
static bool is_sought(const struct search *search, uint32_t place) {
  struct clew_seek *seek = search->seek;
  if (search->label == CLEW_NONE) {
    return false;
  }
  uint32_t site = CLEW_NONE;
  bool value = seek->model->label(seek->model, search->label, state_at(seek, place), &site);
  seek->site = site;
  if (site == CLEW_NONE && value == search->wants) {
    seek->found = place;
  }
  return site != CLEW_NONE || seek->found != CLEW_NONE;
}

/* Adds one piece of successors; true: the search is over. */
static bool take_piece(struct search *search, uint32_t from, const struct clew_succs *succs) {
  struct clew_seek *seek = search->seek;
  for (uint32_t i = 0; i < succs->count; i++) {
    const uint64_t *state = succs->states + (size_t)i * seek->model->words;
    uint32_t to = find(seek, state);
    if (to == CLEW_NONE && seek->nodes.len >= search->most) {
      search->is_cut = true;
      continue;
    }
    bool is_new = to == CLEW_NONE;
    if (is_new) {
      to = add(seek, from, succs->edges[i], state);
    }
    if (search->keeps_links) {
      clew_vec_push(&seek->links, ((struct clew_seek_link){from, to, succs->edges[i]}));
    }
    if (is_new && is_sought(search, to)) {
      return true;
    }
  }
  return false;
}

static bool expand(struct search *search, uint32_t place, struct clew_succs *succs) {
  struct clew_seek *seek = search->seek;
  const struct clew_model *model = seek->model;
  uint64_t *state = clew_alloc(model->words * sizeof *state);
  memcpy(state, state_at(seek, place), model->words * sizeof *state);
  bool over = false;
  succs->resume = 0;
  do {
    clew_succs_clear(succs);
    model->next(model, state, succs);
    seek->nodes.data[place].has_fault |= succs->fault_count > 0;
    over = take_piece(search, place, succs);
  } while (succs->resume != 0 && !over);
  seek->nodes.data[place].is_stuck = succs->stuck;
  seek->nodes.data[place].is_expanded = true;
  clew_free(state);
  return over;
}

static enum clew_seek_end explore(struct search *search, const struct clew_seek_limits *limits) {
  struct clew_seek *seek = search->seek;
  const struct clew_model *model = seek->model;
  double end_s = clew_clock_wall_s() + limits->seconds;
  enum clew_seek_end end = CLEW_SEEK_NONE;
  struct clew_succs succs;
  clew_succs_open_piecewise(&succs, model->words, model->cover_count);
  bool over = is_sought(search, 0);
  for (uint32_t i = 0; i < seek->nodes.len && !over; i++) {
    if (seek->nodes.data[i].depth >= limits->depth) {
      search->is_cut = true;
      break;
    }
    bool is_late = i % CLOCK_EVERY == 0 && clew_clock_wall_s() > end_s;
    if (is_late || (model->stop != NULL && atomic_load(model->stop))) {
      end = CLEW_SEEK_TIME;
      break;
    }
    over = expand(search, i, &succs);
    if (search->is_cut && search->label != CLEW_NONE) {
      break;
    }
  }
  clew_succs_close(&succs);
  if (over) {
    return seek->found != CLEW_NONE ? CLEW_SEEK_FOUND : CLEW_SEEK_FAULT;
  }
  return end == CLEW_SEEK_NONE && search->is_cut ? CLEW_SEEK_LIMIT : end;
}

enum clew_seek_end clew_seek_run(struct clew_seek *seek, const struct clew_model *model,
                                 const uint64_t *from, uint32_t label, bool wants, bool keeps_links,
                                 const struct clew_seek_limits *limits) {
  *seek = (struct clew_seek){.model = model, .found = CLEW_NONE, .site = CLEW_NONE};
  struct search search = {.seek = seek,
                          .label = label,
                          .wants = wants,
                          .keeps_links = keeps_links,
                          .most = room(model, limits)};
  assert(label == CLEW_NONE || label < model->label_count);
  grow_table(seek);
  (void)add(seek, CLEW_NONE, CLEW_NONE, from);
  return explore(&search, limits);
}

uint32_t *clew_seek_way(const struct clew_seek *seek, uint32_t place, uint32_t *count) {
  assert(place < seek->nodes.len);
  *count = seek->nodes.data[place].depth;
  uint32_t *edges = clew_alloc_zero((size_t)*count + 1, sizeof *edges);
  for (uint32_t i = *count; i-- > 0; place = seek->nodes.data[place].parent) {
    edges[i] = seek->nodes.data[place].edge;
  }
  return edges;
}

void clew_seek_close(struct clew_seek *seek) {
  clew_vec_free(&seek->nodes);
  clew_vec_free(&seek->states);
  clew_vec_free(&seek->links);
  clew_free(seek->table);
}
