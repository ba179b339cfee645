/* A walk over the whole tree of back edges, for rebuilding a table of tags.
 *
 * Where ids are in breadth-first order the children of a state are consecutive, and their first is
 * found by a search in the column of predecessors. The walk goes depth first and executes every
 * back edge once. It keeps only states that have children left: going to the last child replaces
 * the state by it. When the budget has no room for one of these it is rebuilt on the way back.
 *
 * In other orders states are visited by id, and rebuilt from the nearest ancestor among those
 * visited lately. */
#include <assert.h>
#include <string.h>

#include "store/comback_int.h"

enum { LATELY = 1024, MOST_PATH = 1 << 16 };

struct frame {
  uint32_t id, child; /* the child to visit next */
};

static struct frame *frame_at(const struct comback_worker *w, uint64_t i) {
  return (struct frame *)(void *)w->frames.data + i;
}

static uint64_t *kept_at(const struct comback *c, const struct comback_worker *w, uint64_t i) {
  return (uint64_t *)(void *)(w->kept.data + i * comback_state_bytes(c));
}

/* The first child of `id` that is not below `from`, where children of it begin. */
static uint32_t child_from(const struct comback *c, uint64_t from, uint32_t id) {
  const struct comback_column *parents = &c->compact.parents;
  for (; from < c->count && comback_column_get(parents, from) == id; from++) {
    if (comback_root_state(c, (uint32_t)from) == NULL) {
      return (uint32_t)from;
    }
  }
  return COMBACK_NONE;
}

static void step_to(const struct comback *c, struct comback_worker *w, const uint64_t *state,
                    uint32_t child) {
  comback_replay(c, w, comback_edge(c, child), state, w->then);
  uint64_t *swap = w->now;
  w->now = w->then;
  w->then = swap;
}

/* Remembers to come back for `child`. */
static void push(const struct comback *c, struct comback_worker *w, uint64_t depth, uint32_t id,
                 uint32_t child) {
  if (!clew_bigmem_commit(&w->frames, (depth + 1) * sizeof(struct frame))) {
    clew_fatal("states are deeper than their depths say");
  }
  *frame_at(w, depth) = (struct frame){id, child};
  if (clew_bigmem_commit(&w->kept, (depth + 1) * comback_state_bytes(c))) {
    memcpy(kept_at(c, w, depth), w->now, comback_state_bytes(c));
  }
}

/* Goes to the next child of the last frame; returns it and the new number of frames. */
static uint32_t come_back(const struct comback *c, struct comback_worker *w, uint64_t *depth) {
  struct frame *top = frame_at(w, *depth - 1);
  uint32_t child = top->child, id = top->id;
  bool kept = *depth * comback_state_bytes(c) <= w->kept.committed_bytes;
  const uint64_t *state = kept ? kept_at(c, w, *depth - 1) : comback_rebuild(c, w, id);
  top->child = child_from(c, child + UINT64_C(1), id);
  *depth -= top->child == COMBACK_NONE;
  step_to(c, w, state, child);
  return child;
}

static void walk_from(const struct comback *c, struct comback_worker *w, uint32_t id,
                      comback_found *found, void *context) {
  uint64_t depth = 0;
  memcpy(w->now, comback_root_state(c, id), comback_state_bytes(c));
  for (;;) {
    found(context, id, w->now);
    uint32_t child = child_from(c, comback_column_search(&c->compact.parents, id), id);
    if (child != COMBACK_NONE) {
      uint32_t second = child_from(c, child + UINT64_C(1), id);
      if (second != COMBACK_NONE) {
        push(c, w, depth++, id, second);
      }
      step_to(c, w, w->now, child);
      id = child;
    } else if (depth > 0) {
      id = come_back(c, w, &depth);
    } else {
      return;
    }
  }
}

/* ---- by id ---- */

struct lately {
  uint32_t size;
  uint32_t ids[LATELY];
};

static const uint64_t *seen_lately(const struct comback *c, const struct comback_worker *w,
                                   const struct lately *l, uint32_t id) {
  return l->size > 0 && l->ids[id % l->size] == id ? kept_at(c, w, id % l->size) : NULL;
}

static void note(const struct comback *c, struct comback_worker *w, struct lately *l, uint32_t id,
                 const uint64_t *state) {
  if (l->size > 0) {
    l->ids[id % l->size] = id;
    memcpy(kept_at(c, w, id % l->size), state, comback_state_bytes(c));
  }
}

/* Rebuilds a state into w->now and notes what it meets on the way. */
static void rebuild_lately(const struct comback *c, struct comback_worker *w, struct lately *l,
                           uint32_t id) {
  const uint64_t *start = NULL;
  clew_vec_clear(&w->path);
  for (uint32_t at = id; start == NULL && w->path.len < MOST_PATH; at = comback_parent(c, at)) {
    start = seen_lately(c, w, l, at);
    start = start != NULL ? start : comback_known(c, w, at);
    clew_vec_push(&w->path, at);
  }
  if (start == NULL) {
    comback_rebuild(c, w, id); /* of a path this long nothing is known: it ends in w->now */
    return;
  }
  memcpy(w->now, start, comback_state_bytes(c));
  for (uint32_t i = w->path.len - 1; i-- > 0;) {
    step_to(c, w, w->now, w->path.data[i]);
    note(c, w, l, w->path.data[i], w->now);
  }
}

void comback_tree_walk(struct comback *c, comback_found *found, void *context) {
  struct comback_worker *w = &c->worker;
  if (comback_tables_monotone(c)) {
    for (uint32_t i = 0; i < c->roots.count; i++) {
      walk_from(c, w, ((const uint32_t *)(const void *)c->roots.ids.data)[i], found, context);
    }
    return;
  }
  struct lately lately = {.size = LATELY};
  memset(lately.ids, 0xff, sizeof lately.ids);
  while (lately.size > 0 && !clew_bigmem_commit(&w->kept, lately.size * comback_state_bytes(c))) {
    lately.size /= 2;
  }
  for (uint64_t id = 0; id < c->count; id++) {
    rebuild_lately(c, w, &lately, (uint32_t)id);
    note(c, w, &lately, (uint32_t)id, w->now);
    found(context, (uint32_t)id, w->now);
  }
}
