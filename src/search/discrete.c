/* How many different discrete parts the states have that were found. A store that uses the order of
 * states knows it; with any other one the run keeps a set of these parts beside it. The set takes
 * its memory from the budget and gives it up as soon as anything else needs it: then the figure is
 * missing, and nothing else. */
#include <assert.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "search/search_int.h"

enum { BLOCK = 64 /* parts that are put together */ };

void clew_discrete_open(struct clew_run *run) {
  struct clew_discrete *discrete = &run->discrete;
  const struct clew_model *model = run->model;
  pthread_mutex_init(&discrete->lock, NULL);
  discrete->counts =
      run->store != NULL && !run->takes_census && model->discrete_words < model->words;
  if (!discrete->counts) {
    return;
  }
  struct clew_store_config config = {.words = model->discrete_words,
                                     .threads = 1,
                                     .seed = run->store->config.seed,
                                     .budget = run->search->budget,
                                     .scratch = run->search->scratch,
                                     .diags = &discrete->diags,
                                     .discrete_words = model->discrete_words};
  (void)clew_store_exact.open(&config, &discrete->diags, &discrete->set);
}

bool clew_discrete_give_up(struct clew_run *run) {
  struct clew_store *set = run->discrete.set;
  if (set == NULL) {
    return false;
  }
  set->type->close(set);
  run->discrete.set = NULL;
  return true;
}

/* Adds a block of parts, whose words begin the states. */
static void add_block(struct clew_run *run, struct clew_visit *parts, uint32_t count) {
  struct clew_store *set = run->discrete.set;
  assert(count <= BLOCK);
  if (count == 0) {
    return;
  }
  if (set->type->reserve(set, count) != CLEW_ROOM) {
    (void)clew_discrete_give_up(run);
    return;
  }
  set->type->put(set, count, parts);
}

static void add_part(const struct clew_run *run, const uint64_t *state, struct clew_visit *part) {
  const struct clew_store *set = run->discrete.set;
  *part = (struct clew_visit){.state = state,
                              .hash = clew_hash_words(state, set->config.words, set->config.seed)};
  set->type->prefetch(set, part->hash);
}

static void add_new(struct clew_run *run, const struct clew_visit *visits, uint32_t count) {
  struct clew_visit parts[BLOCK];
  uint32_t waiting = 0;
  for (uint32_t i = 0; i < count && run->discrete.set != NULL; i++) {
    if (visits[i].answer == CLEW_NEW) {
      add_part(run, visits[i].state, &parts[waiting++]);
    }
    if (waiting == BLOCK || i + 1 == count) {
      add_block(run, parts, waiting);
      waiting = 0;
    }
  }
}

void clew_discrete_add(struct clew_run *run, const struct clew_visit *visits, uint32_t count) {
  if (!run->discrete.counts) {
    return;
  }
  if (run->shared) {
    pthread_mutex_lock(&run->discrete.lock);
  }
  add_new(run, visits, count);
  if (run->shared) {
    pthread_mutex_unlock(&run->discrete.lock);
  }
}

void clew_discrete_recount(struct clew_run *run) {
  struct clew_store *store = run->store;
  if (run->discrete.set == NULL) {
    return;
  }
  if ((store->promises & CLEW_STORE_GET) == 0) {
    (void)clew_discrete_give_up(run);
    return;
  }
  uint64_t *state = clew_alloc(store->config.words * sizeof *state);
  uint64_t count = store->type->count(store);
  for (clew_id id = run->first_id; id < count && run->discrete.set != NULL; id++) {
    struct clew_visit part;
    store->type->get(store, id, 1, state);
    add_part(run, state, &part);
    add_block(run, &part, 1);
  }
  clew_free(state);
}

uint64_t clew_discrete_close(struct clew_run *run) {
  struct clew_discrete *discrete = &run->discrete;
  uint64_t count = CLEW_ABSENT;
  if (discrete->set != NULL) {
    count = discrete->set->type->count(discrete->set);
    (void)clew_discrete_give_up(run);
  }
  clew_diag_sink_free(&discrete->diags);
  pthread_mutex_destroy(&discrete->lock);
  return count;
}
