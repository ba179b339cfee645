/* From states to ids, where the store knows only places (store.h: freeze).
 *
 * The log tells how each state was made from another. So all states are made once more, in the
 * order of ids, until the one is there that is looked for. The states that successors are still to
 * be made of are kept in a file (trace/past.h). */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "search/search_int.h"
#include "trace/past.h"

enum { AT_ONCE = 1024 };

struct seek {
  struct clew_run *run;
  bool (*is_it)(void *context, clew_id id, const uint64_t *state);
  void *context;
  struct clew_past *past;
  uint64_t *state; /* room for one */
  clew_id made, found;
  bool by_level;     /* parents of a level are taken to be of the level before; */
  bool is_disproved; /* they are not */
  clew_id parents_from, parents_end;
};

/* Parents of breadth-first levels are of the level before: those of earlier ones are not wanted any
 * more. */
static bool note_parent(struct seek *seek, clew_id parent) {
  if (!seek->by_level) {
    return true;
  }
  if (parent >= seek->parents_end) {
    clew_past_forget(seek->past, seek->parents_end);
    seek->parents_from = seek->parents_end;
    seek->parents_end = seek->made;
  }
  seek->is_disproved = parent < seek->parents_from;
  return !seek->is_disproved;
}

static bool make_state(struct seek *seek, const struct clew_back_edge *back) {
  const struct clew_model *model = seek->run->model;
  uint32_t site = CLEW_NONE;
  if (back->parent == CLEW_ID_NONE) {
    return clew_model_start(model, back->edge, seek->state);
  }
  assert(back->parent < seek->made);
  if (!note_parent(seek, back->parent)) {
    return false;
  }
  const uint64_t *parent = clew_past_get(seek->past, back->parent);
  return parent != NULL && model->fire(model, parent, back->edge, seek->state, &site);
}

/* Makes states until it is found; false when the disk fails, or levels are none. */
static bool take_records(struct seek *seek, const struct clew_back_edge *records, uint32_t count) {
  for (uint32_t i = 0; i < count && seek->found == CLEW_ID_NONE; i++) {
    if (!make_state(seek, &records[i]) || !clew_past_push(seek->past, seek->state)) {
      return false;
    }
    if (seek->is_it(seek->context, seek->made, seek->state)) {
      seek->found = seek->made;
    }
    seek->made++;
  }
  return true;
}

static void run_seek(struct seek *seek) {
  struct clew_run *run = seek->run;
  const struct clew_search *search = run->search;
  clew_id states = clew_run_states(run);
  struct clew_back_edge *records = clew_alloc(AT_ONCE * sizeof *records);
  bool ok = true;
  seek->past = clew_past_open(run->model->words, search->budget, search->scratch);
  while (ok && seek->found == CLEW_ID_NONE && seek->made < states && !clew_run_stopped(run)) {
    uint32_t count = states - seek->made < AT_ONCE ? (uint32_t)(states - seek->made) : AT_ONCE;
    ok = clew_log_read(search->log, seek->made, count, records) &&
         take_records(seek, records, count);
    clew_run_poll(clew_run_worker(run, 0), count, states - seek->made, 0);
  }
  if (!ok && !seek->is_disproved) {
    clew_run_stop(run, CLEW_STOP_DISK);
  }
  clew_past_close(seek->past);
  clew_free(records);
}

clew_id clew_run_seek(struct clew_run *run,
                      bool (*is_it)(void *context, clew_id id, const uint64_t *state),
                      void *context) {
  struct seek seek = {.run = run,
                      .is_it = is_it,
                      .context = context,
                      .state = clew_alloc(run->model->words * sizeof(uint64_t)),
                      .found = CLEW_ID_NONE,
                      .by_level = !run->is_depth};
  run->model->expect_fire(run->model);
  run_seek(&seek);
  if (seek.is_disproved) {
    seek.by_level = seek.is_disproved = false;
    seek.made = seek.parents_from = seek.parents_end = 0;
    run_seek(&seek);
  }
  clew_free(seek.state);
  return seek.found;
}

struct wanted {
  const uint64_t *state;
  size_t bytes;
};

static bool is_wanted(void *context, clew_id id, const uint64_t *state) {
  (void)id;
  const struct wanted *wanted = context;
  return memcmp(state, wanted->state, wanted->bytes) == 0;
}

clew_id clew_run_id_of(struct clew_run *run, clew_id number, const uint64_t *state) {
  if (!run->has_places) {
    return number;
  }
  struct wanted wanted = {state, run->model->words * sizeof *state};
  return clew_run_seek(run, is_wanted, &wanted);
}

bool clew_run_freeze(struct clew_run *run) {
  struct clew_store *store = run->store;
  if ((store->promises & CLEW_STORE_GET) != 0 || run->has_places) {
    return true;
  }
  assert((store->promises & CLEW_STORE_PLACES) != 0);
  run->has_places = store->type->freeze(store);
  return run->has_places;
}
