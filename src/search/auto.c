/* The search `auto`: breadth-first search, which symbolic search may overtake.
 *
 * Breadth-first search goes on. Each time it has found four times as many states, it waits while
 * symbolic search tries its luck, from the beginning, with a share of the memory and so much work
 * (steps on diagrams) that it takes a fraction of the time that was spent so far. If that ends with
 * an answer to everything, it is the answer. If not, it has found a number of states at least: if
 * so many will never find room in memory, breadth-first search cannot end, and symbolic search
 * goes on alone. When levels get smaller, breadth-first search will end soon, and nobody tries any
 * longer.
 *
 *   bfs ──► 100,000 ──► 400,000 ──► 1,600,000 ──► … ──► end, or memory ──► symbolic, unlimited
 *              └ symbolic: 4 steps for each state that bfs has found
 *
 * Work and numbers of states decide, never time: so the same command makes the same choice. A model
 * of fewer states than the first number is searched breadth-first, and nothing else happens.
 *
 * The run is that of the engine bfs, with `race` beside it; so it can be kept, and its store can be
 * changed, like any other. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "search/search_int.h"

enum {
  FIRST_STATES = 100000, /* before the first attempt */
  GROWTH = 4,            /* of states, from one attempt to the next */
  STEPS_PER_STATE = 4,   /* of an attempt; about a third of the time that a state takes */
  MOST_ATTEMPTS = 8,
  MEMORY_SHARE = 16, /* of the budget, for attempts */
};

struct clew_race {
  uint64_t next_states;   /* of bfs, when the next attempt is due */
  uint32_t attempts;      /* left */
  uint64_t reserve_bytes; /* taken from the budget */
  const char *obstacle;   /* why nobody may try; NULL: nothing is in the way */
  bool is_over;           /* the symbolic search has the answer: */
  struct clew_result result;
  struct clew_text why; /* the engine at the end is the one */
};

/* ---- may symbolic search try? ---- */

static const char *find_obstacle(const struct clew_search *search) {
  const struct clew_model *model = search->model;
  if (model->reduction != NULL) {
    return "symbolic search does not use symmetry (--no-symmetry)";
  }
  if (model->timed != NULL) {
    return "states of symbolic search are other zones (--search symbolic --dd ddd)";
  }
  if (model->learns) {
    return "values of variables are not known beforehand";
  }
  if (!search->stop_at_violation) {
    return "only breadth-first search measures levels and locality";
  }
  if (search->keeper != NULL && search->keeper->on_interrupt) {
    return "a checkpoint is one of breadth-first search";
  }
  if (search->limits.max_states != CLEW_ABSENT || search->limits.max_depth != CLEW_ABSENT) {
    return "limits of states and depth are those of breadth-first search";
  }
  struct clew_diag_sink diags = {0};
  bool fits = clew_engine_symbolic.check(model, NULL, &diags) == CLEW_OK;
  clew_diag_sink_free(&diags);
  return fits ? NULL : "symbolic search cannot represent the states";
}

/* ---- an attempt ---- */

static bool has_answer(const struct clew_search *search, const struct clew_result *result) {
  struct clew_conclusion conclusion =
      clew_outcomes_conclude(&result->outcomes, search->model->properties, &result->scope);
  return conclusion.verdict != CLEW_VERDICT_INCOMPLETE && !result->trace_lost;
}

/* Symbolic search from the beginning, within so much memory and work; whether it has the answer.
 * The result is race->result, to be freed if not. */
static bool attempt(struct clew_run *run, struct clew_race *race, uint64_t bytes, uint64_t work) {
  struct clew_search search = *run->search;
  struct clew_budget budget;
  clew_budget_init(&budget, bytes);
  search.store = NULL;
  search.log = NULL;
  search.budget = &budget;
  search.crew = NULL;
  search.options = NULL;
  search.keeper = NULL;
  search.cut = NULL;
  search.waiting = NULL;
  search.limits.max_work = work;
  clew_result_init(&race->result);
  struct clew_run *other = clew_engine_symbolic.open(&search, &race->result);
  while (clew_engine_symbolic.step(other) == CLEW_STEP_RUNNING) {
  }
  clew_engine_symbolic.close(other);
  race->is_over = has_answer(&search, &race->result);
  return race->is_over;
}

/* ---- who will end? ---- */

/* The largest level lies behind, and the last ones are less than half of it. The level that is
 * being found, and the one before, may be unfinished. */
static bool is_ending(const struct clew_run *run) {
  enum { UNFINISHED = 2 };
  uint32_t count = run->result->level_sizes.len, largest = 0;
  const uint64_t *sizes = run->result->level_sizes.data;
  for (uint32_t i = 0; i < count; i++) {
    largest = sizes[i] > sizes[largest] ? i : largest;
  }
  if (count < largest + 1 + UNFINISHED) {
    return false;
  }
  return sizes[count - UNFINISHED] < sizes[largest] / 2;
}

/* States that the memory has room for, by what the store takes for those that are there. */
static uint64_t capacity_of(const struct clew_run *run) {
  double states = (double)clew_run_states(run) + 1;
  double used = (double)run->store->type->bytes(run->store) + 1;
  return (uint64_t)(states * (double)run->search->budget->limit_bytes / used);
}

/* `before`, a number, `after`. */
static void say(struct clew_race *race, const char *before, uint64_t number, const char *after) {
  char text[32];
  clew_text_clear(&race->why);
  clew_text_put(&race->why, before);
  clew_text_put(&race->why, clew_text_count(number, text));
  clew_text_put(&race->why, after);
}

static void stop_racing(struct clew_run *run, struct clew_race *race) {
  race->attempts = 0;
  clew_budget_give(run->search->budget, race->reserve_bytes);
  race->reserve_bytes = 0;
}

/* Symbolic search, with all that is left. */
static bool go_on_alone(struct clew_run *run, struct clew_race *race) {
  uint64_t left = clew_budget_left(run->search->budget);
  left = clew_budget_take(run->search->budget, left) ? left : 0;
  bool ended = attempt(run, race, race->reserve_bytes + left, 0);
  clew_budget_give(run->search->budget, left);
  return ended;
}

/* Whether the symbolic search has the answer. */
static bool try_symbolic(struct clew_run *run, struct clew_race *race) {
  uint64_t states = clew_run_states(run), capacity = capacity_of(run);
  race->attempts--;
  race->next_states *= GROWTH;
  if (is_ending(run)) {
    say(race, "levels got smaller after ", states, " states");
    stop_racing(run, race);
    return false;
  }
  if (attempt(run, race, race->reserve_bytes, STEPS_PER_STATE * states)) {
    say(race, "symbolic search ended, breadth-first search had not after ", states, " states");
    return true;
  }
  uint64_t found = race->result.states;
  bool is_hopeless = found > capacity && found > states;
  clew_result_free(&race->result);
  if (is_hopeless) {
    say(race, "there are more states than memory has room for, about ", capacity, "");
    if (go_on_alone(run, race)) {
      return true;
    }
    clew_result_free(&race->result);
    stop_racing(run, race);
  }
  if (race->attempts == 0) {
    stop_racing(run, race);
  }
  return false;
}

/* ---- the engine ---- */

static struct clew_run *auto_open(struct clew_search *search, struct clew_result *result) {
  struct clew_run *run = clew_engine_bfs.open(search, result);
  struct clew_race *race = clew_alloc_zero(1, sizeof *race);
  race->obstacle = find_obstacle(search);
  race->next_states = FIRST_STATES;
  while (search->cut != NULL && race->next_states <= search->cut->states) {
    race->next_states *= GROWTH;
  }
  uint64_t share = search->budget->limit_bytes / MEMORY_SHARE;
  if (race->obstacle == NULL && clew_budget_take(search->budget, share)) {
    race->reserve_bytes = share;
    race->attempts = MOST_ATTEMPTS;
  }
  run->race = race;
  return run;
}

static enum clew_step auto_step(struct clew_run *run) {
  struct clew_race *race = run->race;
  enum clew_step step = clew_engine_bfs.step(run);
  bool is_full = step == CLEW_STEP_ENDED && atomic_load(&run->reason) == CLEW_STOP_MEMORY;
  if (race->attempts > 0 && is_full && race->reserve_bytes > 0) {
    say(race, "the memory was used up after ", clew_run_states(run), " states");
    if (!go_on_alone(run, race)) {
      clew_result_free(&race->result);
    }
    return CLEW_STEP_ENDED;
  }
  bool is_due = race->attempts > 0 && clew_run_states(run) >= race->next_states;
  if (step == CLEW_STEP_RUNNING && is_due && try_symbolic(run, race)) {
    return CLEW_STEP_ENDED;
  }
  return step;
}

static void explain(const struct clew_race *race, struct clew_result *result) {
  struct clew_text why = {0};
  if (race->obstacle != NULL) {
    clew_text_put(&why, race->obstacle);
  } else if (race->why.len > 0) {
    clew_text_put(&why, clew_text_str(&race->why));
  } else if (race->next_states == FIRST_STATES) {
    clew_text_put(&why, "the model has few states");
  } else {
    clew_text_put(&why, "symbolic search did not end in its share of the work");
  }
  result->chosen = race->is_over ? clew_engine_symbolic.name : clew_engine_bfs.name;
  result->chosen_why = clew_strdup(clew_text_str(&why));
  clew_text_free(&why);
}

static void auto_close(struct clew_run *run) {
  struct clew_race *race = run->race;
  struct clew_result *result = run->result, loser;
  clew_budget_give(run->search->budget, race->reserve_bytes);
  if (race->is_over) { /* what breadth-first search has found does not count */
    loser = *result;
    run->result = &loser;
    clew_engine_bfs.close(run);
    clew_result_free(&loser);
    *result = race->result;
  } else {
    clew_engine_bfs.close(run);
  }
  explain(race, result);
  clew_text_free(&race->why);
  clew_free(race);
}

static bool auto_save(struct clew_run *run, bool is_last, struct clew_cut *out) {
  return !run->race->is_over && clew_engine_bfs.save(run, is_last, out);
}

static bool auto_load(struct clew_run *run) {
  return clew_engine_bfs.load(run);
}

static const char *auto_cannot_save(const struct clew_search *search) {
  return clew_engine_bfs.cannot_save(search);
}

const struct clew_engine_type clew_engine_auto = {
    .name = "auto",
    .help = "bfs, until symbolic search ends first: for models of unknown size",
    .property_kinds = (1U << CLEW_PROPERTY_KINDS) - 1,
    .has_levels = true,
    .remakes = true,
    .needs_store = true,
    .reduces = true,
    .open = auto_open,
    .step = auto_step,
    .save = auto_save,
    .cannot_save = auto_cannot_save,
    .load = auto_load,
    .close = auto_close,
};
