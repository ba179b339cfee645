/* Reconstruction by several threads, in the background.
 *
 * What the threads work on is copied out of the store first: the forest of the wanted states with
 * the events in its nodes, and the full states that its trees begin with. Nothing they read changes
 * while the search goes on, so they need no locks: the tables may grow and the caches may forget.
 *
 * The forest is cut into *parts*, each a node whose state is known, and threads take parts until
 * there are none. Where it has few trees (without a cache all states hang on the initial ones) the
 * caller executes the events at the top of them, until there are parts for everybody.
 *
 * The thread that waits for the end works as well. At the end of a search that was stopped nobody
 * waits, and the threads leave what they are at. When the budget refuses memory for a walk, the
 * part is given up, and in the end all wanted states are rebuilt one by one.
 *
 * Invariant: between begin and finish only threads of the crew, and a caller inside of finish,
 * touch the forest and the parts; `active` threads of the crew are not done with the present round.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "store/comback_int.h"

enum {
  PARTS_EACH = 16,  /* wanted for each thread, so that none waits for the last for long */
  MOST_CUTS = 1024, /* nodes that the caller may open for that: a path has no parts */
  MOST_TAKEN = 64,  /* parts taken at once */
};

/* Models may recurse; what the interpreter allows itself has to fit. */
static const size_t STACK_BYTES = 64 << 20;

struct member {
  struct clew_comback_crew *crew;
  struct clew_comback_worker worker;
  pthread_t thread;
  /* What the worker has done and has, for others to read at any time. */
  _Atomic uint64_t reconstructions, events, bytes;
};

struct clew_comback_crew {
  const struct clew_comback *store;
  struct clew_comback_forest forest;
  struct clew_bigmem parts, part_states; /* nodes, and their states */
  uint32_t part_count;
  uint32_t taken_at_once;
  _Atomic uint32_t next_part;
  _Atomic bool gave_up;   /* a part, for lack of memory */
  _Atomic bool cancelled; /* nobody wants the rest */
  clew_comback_found *found;
  void *context;
  bool busy; /* for the caller alone */

  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t begun, ended;
  uint32_t round, active;
  bool quit;

  uint32_t member_count;
  struct member members[];
};

static uint32_t *part_at(const struct clew_comback_crew *crew, uint64_t i) {
  assert((i + 1) * sizeof(uint32_t) <= crew->parts.committed_bytes);
  return (uint32_t *)(void *)crew->parts.data + i;
}

static uint64_t *part_state_at(const struct clew_comback_crew *crew, uint64_t i) {
  assert((i + 1) * clew_comback_state_bytes(crew->store) <= crew->part_states.committed_bytes);
  size_t bytes = clew_comback_state_bytes(crew->store);
  return (uint64_t *)(void *)(crew->part_states.data + i * bytes);
}

static const struct clew_comback_node *node_at(const struct clew_comback_crew *crew,
                                               uint32_t node) {
  assert(node < crew->forest.count);
  return (const struct clew_comback_node *)(const void *)crew->forest.nodes.data + node;
}

/* ---- the threads ---- */

static bool is_cancelled(const struct clew_comback_crew *crew) {
  return atomic_load_explicit(&crew->cancelled, memory_order_relaxed);
}

/* Takes parts until there are none. */
static void work(struct clew_comback_crew *crew, struct clew_comback_worker *w) {
  assert(crew->taken_at_once > 0);
  for (;;) {
    uint32_t part = atomic_fetch_add(&crew->next_part, crew->taken_at_once);
    uint64_t end = (uint64_t)part + crew->taken_at_once;
    if (part >= crew->part_count || is_cancelled(crew)) {
      return;
    }
    for (; part < end && part < crew->part_count && !is_cancelled(crew); part++) {
      if (!clew_comback_forest_walk_below(crew->store, w, &crew->forest, *part_at(crew, part),
                                          part_state_at(crew, part), crew->found, crew->context)) {
        atomic_store(&crew->gave_up, true);
      }
    }
  }
}

static void publish(struct member *member) {
  const struct clew_comback_worker *w = &member->worker;
  assert(w->hits_first == 0 && w->hits_second == 0); /* they know nothing of caches */
  atomic_store(&member->reconstructions, w->reconstructions);
  atomic_store(&member->events, w->events);
  atomic_store(&member->bytes, clew_comback_worker_bytes(w));
}

static void *member_main(void *argument) {
  struct member *member = argument;
  struct clew_comback_crew *crew = member->crew;
  uint32_t round = 0;
  pthread_mutex_lock(&crew->lock);
  for (;;) {
    while (!crew->quit && crew->round == round) {
      pthread_cond_wait(&crew->begun, &crew->lock);
    }
    if (crew->round == round) {
      break;
    }
    round = crew->round;
    pthread_mutex_unlock(&crew->lock);
    work(crew, &member->worker);
    publish(member);
    pthread_mutex_lock(&crew->lock);
    assert(crew->active > 0);
    if (--crew->active == 0) {
      pthread_cond_signal(&crew->ended);
    }
  }
  pthread_mutex_unlock(&crew->lock);
  return NULL;
}

/* Signals are for the thread that searches. */
static bool start_member(struct clew_comback_crew *crew, struct member *member) {
  assert(member >= crew->members);
  member->crew = crew;
  if (!clew_comback_worker_open(crew->store, &member->worker)) {
    clew_comback_worker_close(&member->worker);
    return false;
  }
  member->worker.cancelled = &crew->cancelled;
  publish(member);
  sigset_t all, before;
  pthread_attr_t attributes;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                 pthread_create(&member->thread, &attributes, member_main, member) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (!started) {
    clew_comback_worker_close(&member->worker);
  }
  return started;
}

static bool open_memory(struct clew_comback_crew *crew) {
  assert(crew->member_count == 0);
  struct clew_budget *budget = crew->store->base.config.budget;
  size_t state_bytes = clew_comback_state_bytes(crew->store);
  return clew_comback_forest_open(&crew->forest, budget) &&
         clew_comback_region_open(&crew->parts, UINT32_MAX * sizeof(uint32_t), budget) &&
         clew_comback_region_open(&crew->part_states, UINT32_MAX * state_bytes, budget);
}

struct clew_comback_crew *clew_comback_crew_open(const struct clew_comback *c) {
  assert(c->base.config.threads > 0);
  uint32_t helpers = c->base.config.threads - 1;
  if (helpers == 0) {
    return NULL;
  }
  struct clew_comback_crew *crew =
      clew_alloc_zero(1, sizeof *crew + (size_t)helpers * sizeof crew->members[0]);
  crew->store = c;
  pthread_mutex_init(&crew->lock, NULL);
  pthread_cond_init(&crew->begun, NULL);
  pthread_cond_init(&crew->ended, NULL);
  if (open_memory(crew)) {
    while (crew->member_count < helpers && start_member(crew, &crew->members[crew->member_count])) {
      crew->member_count++;
    }
  }
  if (crew->member_count == 0) {
    clew_comback_crew_close(crew);
    crew = NULL;
  }
  return crew;
}

static void wait_for_members(struct clew_comback_crew *crew) {
  assert(!crew->quit);
  pthread_mutex_lock(&crew->lock);
  while (crew->active > 0) {
    pthread_cond_wait(&crew->ended, &crew->lock);
  }
  assert(crew->active == 0);
  pthread_mutex_unlock(&crew->lock);
}

void clew_comback_crew_close(struct clew_comback_crew *crew) {
  if (crew == NULL) {
    return;
  }
  atomic_store(&crew->cancelled, true);
  pthread_mutex_lock(&crew->lock);
  assert(!crew->quit);
  crew->quit = true;
  pthread_cond_broadcast(&crew->begun);
  pthread_mutex_unlock(&crew->lock);
  for (uint32_t i = 0; i < crew->member_count; i++) {
    pthread_join(crew->members[i].thread, NULL);
    clew_comback_worker_close(&crew->members[i].worker);
  }
  pthread_cond_destroy(&crew->begun);
  pthread_cond_destroy(&crew->ended);
  pthread_mutex_destroy(&crew->lock);
  clew_comback_forest_close(&crew->forest);
  clew_bigmem_close(&crew->parts);
  clew_bigmem_close(&crew->part_states);
  clew_free(crew);
}

/* ---- parts ---- */

static bool reserve_parts(struct clew_comback_crew *crew, uint64_t count) {
  assert(count >= crew->part_count);
  return clew_bigmem_commit(&crew->parts, count * sizeof(uint32_t)) &&
         clew_bigmem_commit(&crew->part_states, count * clew_comback_state_bytes(crew->store));
}

/* A part for each tree. */
static bool add_trees(struct clew_comback_crew *crew, struct clew_comback_worker *w) {
  assert(crew->part_count == 0);
  for (uint32_t tree = crew->forest.first; tree != CLEW_COMBACK_NONE;
       tree = node_at(crew, tree)->sibling) {
    const uint64_t *state =
        clew_comback_known(crew->store, w, clew_comback_node_id(node_at(crew, tree)));
    assert(state != NULL);
    if (!reserve_parts(crew, crew->part_count + UINT64_C(1))) {
      return false;
    }
    *part_at(crew, crew->part_count) = tree;
    memcpy(part_state_at(crew, crew->part_count), state, clew_comback_state_bytes(crew->store));
    crew->part_count++;
  }
  return true;
}

/* A part for each child of the node of part i, which is done then itself. */
static bool open_part(struct clew_comback_crew *crew, struct clew_comback_worker *w, uint32_t i) {
  assert(i < crew->part_count);
  assert(!crew->busy);
  const struct clew_comback_node *node = node_at(crew, *part_at(crew, i));
  uint32_t children = 0;
  for (uint32_t child = node->child; child != CLEW_COMBACK_NONE;
       child = node_at(crew, child)->sibling) {
    children++;
  }
  if (!reserve_parts(crew, (uint64_t)crew->part_count + children)) {
    return false;
  }
  if (node->wanted != CLEW_COMBACK_NONE) {
    crew->found(crew->context, node->wanted, part_state_at(crew, i));
  }
  w->reconstructions += children > 0;
  for (uint32_t child = node->child; child != CLEW_COMBACK_NONE;
       child = node_at(crew, child)->sibling) {
    *part_at(crew, crew->part_count) = child;
    clew_comback_replay(crew->store, w, node_at(crew, child)->edge, part_state_at(crew, i),
                        part_state_at(crew, crew->part_count));
    crew->part_count++;
  }
  return true;
}

/* Until there is enough to do for all; returns the first part that is left. */
static uint32_t open_parts(struct clew_comback_crew *crew, struct clew_comback_worker *w) {
  uint32_t enough = (crew->member_count + 1) * PARTS_EACH, i = 0;
  while (i < crew->part_count && crew->part_count - i < enough && i < MOST_CUTS &&
         open_part(crew, w, i)) {
    i++;
  }
  assert(i <= crew->part_count);
  return i;
}

bool clew_comback_crew_begin(struct clew_comback_crew *crew, struct clew_comback_worker *w,
                             const clew_id *ids, uint32_t count, clew_comback_found *found,
                             void *context) {
  assert(count > 0);
  assert(found != NULL);
  assert(!crew->busy);
  crew->part_count = 0;
  crew->found = found;
  crew->context = context;
  if (!clew_comback_forest_build(crew->store, &crew->forest, ids, count) || !add_trees(crew, w)) {
    return false;
  }
  uint32_t first = open_parts(crew, w);
  uint32_t share = (crew->part_count - first) / ((crew->member_count + 1) * PARTS_EACH);
  crew->taken_at_once = share < 1 ? 1 : share > MOST_TAKEN ? MOST_TAKEN : share;
  atomic_store(&crew->next_part, first);
  atomic_store(&crew->gave_up, false);
  crew->busy = true;
  pthread_mutex_lock(&crew->lock);
  assert(crew->active == 0);
  crew->active = crew->member_count;
  crew->round++;
  pthread_cond_broadcast(&crew->begun);
  pthread_mutex_unlock(&crew->lock);
  return true;
}

bool clew_comback_crew_busy(const struct clew_comback_crew *crew) {
  return crew->busy;
}

uint32_t clew_comback_crew_size(const struct clew_comback_crew *crew) {
  return crew == NULL ? 0 : crew->member_count;
}

void clew_comback_crew_figures(const struct clew_comback_crew *crew, uint64_t *reconstructions,
                               uint64_t *events) {
  assert(reconstructions != NULL && events != NULL);
  *reconstructions = *events = 0;
  for (uint32_t i = 0; i < clew_comback_crew_size(crew); i++) {
    *reconstructions += atomic_load(&crew->members[i].reconstructions);
    *events += atomic_load(&crew->members[i].events);
  }
}

/* One by one, in no more memory: what was found before is found again. */
static void rebuild_again(const struct clew_comback_crew *crew, struct clew_comback_worker *w) {
  assert(!crew->busy);
  for (uint32_t node = 0; node < crew->forest.count; node++) {
    uint32_t wanted = node_at(crew, node)->wanted;
    if (wanted != CLEW_COMBACK_NONE) {
      crew->found(crew->context, wanted,
                  clew_comback_rebuild(crew->store, w, clew_comback_node_id(node_at(crew, node))));
    }
  }
}

void clew_comback_crew_finish(struct clew_comback_crew *crew, struct clew_comback_worker *w) {
  assert(crew->busy);
  work(crew, w);
  wait_for_members(crew);
  assert(atomic_load(&crew->next_part) >= crew->part_count);
  crew->busy = false;
  if (atomic_load(&crew->gave_up)) {
    rebuild_again(crew, w);
  }
}

uint64_t clew_comback_crew_bytes(const struct clew_comback_crew *crew) {
  uint64_t bytes = 0;
  if (crew != NULL) {
    bytes = clew_comback_forest_bytes(&crew->forest) + crew->parts.committed_bytes +
            crew->part_states.committed_bytes;
    for (uint32_t i = 0; i < crew->member_count; i++) {
      bytes += atomic_load(&crew->members[i].bytes);
    }
  }
  return bytes;
}
