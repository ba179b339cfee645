/* Symbolic search: the engine, its options and its figures. Orders of exploration are in
 * symbolic_explore.c and symbolic_saturate.c. Those with breadth-first levels find shortest
 * counterexamples, and they know a depth limit; with one, the others become bfs-prev. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/file.h"
#include "search/symbolic_int.h"

enum { MOST_STATES_SHIFT = 63 }; /* counts from 2^63 on are texts */

/* Looked at between two operations, so that it does not depend on time. */
static bool is_over_worked(const struct symbolic *s) {
  const uint64_t most = s->run.search->limits.max_work;
  return most != 0 && clew_dd_steps(s->dd) > most;
}

bool clew_symbolic_is_done(struct symbolic *s, clew_ldd result) {
  if (result != CLEW_DD_NONE && is_over_worked(s)) {
    clew_run_stop(&s->run, CLEW_STOP_MAX_TIME);
    return false;
  }
  if (result != CLEW_DD_NONE) {
    return true;
  }
  if (clew_dd_status(s->dd) == CLEW_DD_STOPPED) {
    clew_run_interrupt(&s->run);
  } else {
    clew_run_stop(&s->run, CLEW_STOP_MEMORY);
  }
  return false;
}

bool clew_symbolic_add(struct symbolic *s, clew_ldd *set, clew_ldd more) {
  if (!clew_symbolic_is_done(s, more)) {
    return false;
  }
  clew_ldd sum = clew_ldd_union(s->dd, *set, more);
  if (!clew_symbolic_is_done(s, sum)) {
    return false;
  }
  *set = sum;
  return true;
}

/* ---- initial states ---- */

static void find_initial_fault(struct symbolic *s, const struct clew_succs *succs) {
  struct clew_run *run = &s->run;
  if (succs->fault_count > 0 && run->fault_property != CLEW_NONE) {
    struct clew_finding finding = {.property = run->fault_property,
                                   .fault_edge = succs->faults[0].edge,
                                   .site = succs->faults[0].site,
                                   .id = CLEW_ID_NONE};
    clew_worker_find(clew_run_worker(run, 0), &finding, NULL);
  }
}

/* With clocks: state by state, because each has values of its own. */
static bool add_initial_values(struct symbolic *s, const struct clew_succs *succs) {
  size_t words = s->run.model->words;
  for (uint32_t i = 0; i < succs->count; i++) {
    const uint64_t *state = succs->states + i * words;
    if (s->initial == CLEW_LDD_EMPTY) {
      memcpy(s->filler, state, words * sizeof *state);
    }
    memcpy(s->other_filler, state, words * sizeof *state);
    clew_ddd values = clew_symbolic_clocks_of(s, state);
    if (!clew_symbolic_is_done(s, values)) {
      return false;
    }
    clew_symbolic_get_vector(s, state, s->vector);
    clew_ldd more = clew_ddd_attach(s->clocks, s->vector, s->level_count, values);
    if (!clew_symbolic_add(s, &s->initial, more)) {
      return false;
    }
  }
  return true;
}

static bool add_initial(struct symbolic *s, const struct clew_succs *succs) {
  uint32_t levels = s->level_count, words = s->run.model->words;
  if (succs->count == 0) {
    return true;
  }
  if (s->clocks != NULL) {
    return add_initial_values(s, succs);
  }
  if (s->initial == CLEW_LDD_EMPTY) {
    memcpy(s->filler, succs->states, words * sizeof *s->filler);
  }
  memcpy(s->other_filler, succs->states + (size_t)(succs->count - 1) * words,
         words * sizeof *s->filler);
  uint32_t *rows = clew_alloc(sizeof *rows * succs->count * (levels + (size_t)1));
  for (uint32_t i = 0; i < succs->count; i++) {
    clew_symbolic_get_vector(s, succs->states + (size_t)i * words, rows + (size_t)i * levels);
  }
  clew_ldd more = clew_ldd_from_rows(s->dd, rows, succs->count, levels);
  clew_free(rows);
  return clew_symbolic_add(s, &s->initial, more);
}

static void begin(struct symbolic *s) {
  struct clew_run *run = &s->run;
  struct clew_succs *succs = &clew_run_worker(run, 0)->succs;
  succs->resume = 0;
  do {
    clew_succs_clear(succs);
    run->model->init(run->model, succs);
    (void)clew_run_sift_faults(run, succs, 0, 0);
    find_initial_fault(s, succs);
  } while (!clew_run_stopped(run) && add_initial(s, succs) && succs->resume != 0);
  succs->resume = 0;
  s->visited = s->fresh = s->frontier = s->initial;
}

/* ---- counting ---- */

/* States so far; the number that the last level added goes to the result. */
static void note_states(struct symbolic *s) {
  struct clew_run *run = &s->run;
  struct clew_natural count = {0};
  const uint64_t most = (UINT64_C(1) << MOST_STATES_SHIFT) - 1;
  clew_ldd_count(s->dd, s->visited, &count);
  uint64_t states = clew_natural_at_most(&count, most);
  if (clew_symbolic_has_levels(s) && states > run->states) {
    clew_vec_push(&run->result->level_sizes, states - run->states);
  }
  run->states = states;
  (void)clew_run_may_go_on(run, states);
  clew_natural_free(&count);
}

/* ---- steps ---- */

static enum clew_step end_search(struct symbolic *s) {
  struct clew_run *run = &s->run;
  clew_run_keep_last(run, &clew_engine_symbolic);
  clew_run_gather(run);
  if (!clew_run_stopped(run)) {
    s->expanded =
        clew_symbolic_has_levels(s) && run->search->stop_at_violation ? CLEW_LDD_EMPTY : s->visited;
    s->ended = true;
    (void)clew_symbolic_judge(s);
  }
  if (!clew_run_stopped(run) && s->counts_transitions) {
    (void)clew_symbolic_count_transitions(s);
  }
  if (!clew_run_stopped(run)) {
    clew_run_complete(run);
  }
  return CLEW_STEP_ENDED;
}

static enum clew_step symbolic_step(struct clew_run *run) {
  struct symbolic *s = symbolic_of(run);
  if (s->dd == NULL || clew_run_stopped(run)) {
    return CLEW_STEP_ENDED;
  }
  if (!s->begun) {
    s->begun = true;
    begin(s);
    if (!clew_run_stopped(run)) {
      note_states(s);
      run->result->initial_states = run->states;
    }
    bool going = !clew_run_stopped(run) && clew_symbolic_judge(s) && run->states > 0;
    return going ? CLEW_STEP_RUNNING : end_search(s);
  }
  if (s->fresh != CLEW_LDD_EMPTY && !s->paused && !clew_symbolic_judge(s)) {
    return end_search(s); /* what another run has visited and not judged */
  }
  clew_symbolic_begin_round(s);
  if (clew_symbolic_has_levels(s) && s->rounds >= run->search->limits.max_depth) {
    clew_run_stop(run, CLEW_STOP_MAX_DEPTH);
    return end_search(s);
  }
  bool going = clew_symbolic_step(s);
  if (s->paused && !clew_run_stopped(run)) {
    if (!clew_symbolic_has_levels(s)) { /* which count when they are complete */
      note_states(s);
    }
    return CLEW_STEP_RUNNING;
  }
  s->rounds++;
  note_states(s); /* also of what was found before the run was stopped */
  if (!clew_run_stopped(run)) {
    going = clew_symbolic_judge(s) && going;
  }
  going = going && clew_symbolic_may_reorder(s);
  if (!going || clew_run_stopped(run)) {
    return end_search(s);
  }
  s->in_round = false;
  return CLEW_STEP_RUNNING;
}

/* ---- options ---- */

static const struct clew_option_spec options[] = {
    {CLEW_OPTION_CHOICE, "dd", "ldd|ddd",
     "timed models: zones as lists of bounds (default), or as difference decision diagrams",
     .offset = offsetof(struct symbolic_options, diagram)},
    {CLEW_OPTION_CHOICE, "ddd-bounds", "minimal|closed",
     "--dd ddd: bounds of zones that imply the others (default), or all of them",
     .offset = offsetof(struct symbolic_options, bounds)},
    {CLEW_OPTION_CHOICE, "ddd-minus", "whole|native|federation",
     "--dd ddd: differences of sets keep zones whole (default), or are exact, by diagrams or by "
     "zones",
     .offset = offsetof(struct symbolic_options, minus)},
    {CLEW_OPTION_CHOICE, "ddd-form", "local|reduced|canonical",
     "--dd ddd: diagrams of clock values as they come (default), without infeasible paths, or one "
     "for each set",
     .offset = offsetof(struct symbolic_options, form)},
    {CLEW_OPTION_CHOICE, "ddd-semantics", "both|upper",
     "--dd ddd: a constraint that is false is a lower bound, or says nothing (default, unless "
     "--ddd-minus native or --ddd-form need both)",
     .offset = offsetof(struct symbolic_options, semantics)},
    {CLEW_OPTION_CHOICE, "dd-split", "no|yes",
     "--dd ddd: what time does is a relation of its own, applied after each transition (default: "
     "yes, where it depends on the state alone and no deadlock is asked for)",
     .offset = offsetof(struct symbolic_options, split)},
    {CLEW_OPTION_CHOICE, "dd-order", "bfs-prev|bfs|no-minus|chain|sat|chain-prev",
     "order of exploration: by levels (bfs-prev, bfs, no-minus), chaining (chain, chain-prev), "
     "saturation (default: sat)",
     .offset = offsetof(struct symbolic_options, order)},
    {CLEW_OPTION_CHOICE, "sat", "none|like|full",
     "groups of low levels first: not at all, in layers by the order of exploration, or for each "
     "node (default: full with the order sat, else none)",
     .offset = offsetof(struct symbolic_options, sat)},
    {CLEW_OPTION_CHOICE, "dd-groups", "edge|merged|one|subsumed",
     "relations: one per rule instance, one per set of variables (default: merged), the same with "
     "smaller sets in larger ones (subsumed), or one",
     .offset = offsetof(struct symbolic_options, groups)},
    {CLEW_OPTION_TEXT, "dd-variables", "ORDER",
     "order of variables: declared, force (default), sloan, cm, noack, cw, gsa, rb4w, best, mixed "
     "(bounds of flat zones among locations), or a file with a name per line",
     .offset = offsetof(struct symbolic_options, variables)},
    {CLEW_OPTION_FLAG, "dd-reorder", NULL,
     "change the order of variables while the diagram grows, by sifting",
     .offset = offsetof(struct symbolic_options, reorder)},
    {CLEW_OPTION_TEXT, "dd-dot", "FILE", "draw the diagram of the reachable states (for dot)",
     .offset = offsetof(struct symbolic_options, dot)},
    {CLEW_OPTION_POSITIVE, "dd-turn", "STEPS", NULL,
     .offset = offsetof(struct symbolic_options, turn)},
    {CLEW_OPTION_FLAG, "dd-check", NULL, NULL, .offset = offsetof(struct symbolic_options, check)},
};

/* Slots must make up the whole state: a vector of their values is all that is kept of it. */
static bool has_all_slots(const struct clew_model *model) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    bits += model->slots[i].width;
  }
  return bits >= model->state_bits;
}

static enum clew_status symbolic_check(const struct clew_model *model, const void *fields,
                                       struct clew_diag_sink *diags) {
  static const struct symbolic_options defaults = {0};
  const struct symbolic_options *chosen = fields != NULL ? fields : &defaults;
  if (!has_all_slots(model)) {
    clew_diag_plain(diags, CLEW_ERROR, NULL,
                    "the search symbolic needs states that are made of variables alone "
                    "(timed models: --zone flat or --time digital)");
    return CLEW_BAD_INPUT;
  }
  if (model->endless != NULL) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "the search symbolic does not end here: %s",
                    model->endless);
    return CLEW_BAD_INPUT;
  }
  const char *refusal = chosen->diagram == DIAGRAM_DDD ? clew_symbolic_refuse_clocks(model) : NULL;
  if (refusal == NULL && chosen->split == SPLIT_YES) {
    refusal = chosen->diagram == DIAGRAM_DDD ? clew_symbolic_refuse_split(model)
                                             : "--dd-split is for timed models with --dd ddd";
  }
  if (refusal != NULL) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "%s", refusal);
    return CLEW_BAD_INPUT;
  }
  if (chosen->semantics == SEMANTICS_UPPER && clew_symbolic_needs_both(chosen)) {
    clew_diag_plain(diags, CLEW_ERROR, NULL,
                    "--ddd-semantics upper has no complement and no other form than local: "
                    "--ddd-minus native and --ddd-form need both");
    return CLEW_BAD_INPUT;
  }
  bool saturates = chosen->order == ORDER_SAT || chosen->sat == SAT_FULL;
  bool differs = chosen->order != ORDER_DEFAULT && chosen->order != ORDER_SAT;
  if (saturates && (differs || (chosen->sat != SAT_DEFAULT && chosen->sat != SAT_FULL))) {
    clew_diag_plain(diags, CLEW_ERROR, NULL,
                    "--sat full is the order sat; with another --dd-order it is none or like");
    return CLEW_BAD_INPUT;
  }
  if (chosen->dot != NULL && clew_file_writable(chosen->dot, diags) != CLEW_OK) {
    return CLEW_BAD_INPUT;
  }
  if (chosen->variables == NULL) {
    return CLEW_OK;
  }
  uint32_t *place = clew_alloc_zero(model->slot_count + (size_t)1, sizeof *place);
  bool right = clew_symbolic_order_slots(model, chosen->variables, place, diags);
  clew_free(place);
  return right ? CLEW_OK : CLEW_BAD_INPUT;
}

/* ---- opening and closing ---- */

/* With clocks. */
static bool is_beyond_values(struct symbolic *s, const struct clew_property *property) {
  switch (property->kind) {
  case CLEW_PROPERTY_DEADLOCK:
  case CLEW_PROPERTY_FAULT:
    return false;
  case CLEW_PROPERTY_INVARIANT:
    return !clew_symbolic_can_falsify(s, property->label);
  case CLEW_PROPERTY_PROGRESS:
    return property->from_label != CLEW_NONE; /* runs begin in states, which nobody can list */
  default:
    return true;
  }
}

static void give_up_beyond_values(struct symbolic *s) {
  struct clew_run *run = &s->run;
  for (uint32_t i = 0; i < run->model->property_count; i++) {
    if (clew_bitset_has(run->open, i) && is_beyond_values(s, &run->model->properties[i])) {
      clew_bitset_remove(run->open, i);
      clew_outcomes_give_up(&run->result->outcomes, i, CLEW_REASON_ENGINE);
    }
  }
}

static void give_up_properties(struct symbolic *s) {
  struct clew_run *run = &s->run;
  if (s->clocks != NULL) {
    give_up_beyond_values(s);
    return;
  }
  for (uint32_t i = 0; i < run->model->property_count; i++) {
    const struct clew_property *property = &run->model->properties[i];
    s->wants_statements |= clew_bitset_has(run->open, i) && property->kind == CLEW_PROPERTY_COVER &&
                           property->is_statement;
  }
}

/* A timed model knows more of deadlocks than whether there is a successor, and only `next` tells
 * it. To count deadlocks that nobody asked for is not worth that. */
static bool needs_jury(const struct symbolic *s) {
  bool whole = s->group_count > 0 && s->groups[0].whole;
  return s->run.model->timed != NULL && s->clocks == NULL && !whole && s->wants_deadlocks;
}

static void open_jury(struct symbolic *s) {
  if (needs_jury(s) && s->run.deadlock_property == CLEW_NONE) {
    s->wants_deadlocks = false;
  } else if (needs_jury(s)) {
    clew_symbolic_open_jury(s);
  }
}

static void open_states(struct symbolic *s) {
  size_t words = s->run.model->words;
  s->filler = clew_alloc_zero(6 * words, sizeof *s->filler);
  s->other_filler = s->filler + words;
  s->state = s->filler + 2 * words;
  s->successor = s->filler + 3 * words;
  s->twin = s->filler + 4 * words;
  s->twin_successor = s->filler + 5 * words;
  s->vector = clew_alloc_zero(s->level_count + (size_t)1, sizeof *s->vector);
}

static void keep_sets(struct symbolic *s) {
  clew_dd_keep(s->dd, &s->initial);
  clew_dd_keep(s->dd, &s->visited);
  clew_dd_keep(s->dd, &s->fresh);
  clew_dd_keep(s->dd, &s->expanded);
  clew_dd_keep(s->dd, &s->frontier);
  clew_dd_keep(s->dd, &s->before.visited);
  clew_dd_keep(s->dd, &s->before.frontier);
}

/* Saturation has no levels, which a depth limit needs. Layers need levels of diagrams. */
static void choose_order(struct symbolic *s) {
  enum symbolic_order order = (enum symbolic_order)s->options->order;
  enum symbolic_sat sat = (enum symbolic_sat)s->options->sat;
  if (sat == SAT_DEFAULT) {
    sat = order == ORDER_DEFAULT || order == ORDER_SAT ? SAT_FULL : SAT_NONE;
  }
  if (order == ORDER_DEFAULT || order == ORDER_SAT) {
    order = sat == SAT_FULL ? ORDER_SAT : ORDER_CHAIN;
  }
  bool by_level = order == ORDER_BFS_PREV || order == ORDER_BFS || order == ORDER_NO_MINUS;
  if (s->run.search->limits.max_depth != CLEW_ABSENT) {
    sat = SAT_NONE;
    order = by_level ? order : ORDER_BFS_PREV;
  }
  s->order = order;
  s->sat = sat;
}

static struct clew_run *symbolic_open(struct clew_search *search, struct clew_result *result) {
  static const struct symbolic_options defaults = {0};
  struct symbolic *s = clew_alloc_zero(1, sizeof *s);
  struct clew_run *run = &s->run;
  clew_run_open(run, &clew_engine_symbolic, search, result, sizeof(struct clew_worker), NULL);
  run->find_path = clew_symbolic_find_path;
  run->check_liveness = clew_symbolic_check_liveness;
  run->list_states = clew_symbolic_list_states;
  run->depth_of = clew_symbolic_depth_of;
  s->options = search->options != NULL ? search->options : &defaults;
  choose_order(s);
  s->deadlocks = s->transitions = CLEW_ABSENT;
  s->counts_transitions = !search->stop_at_violation;
  s->wants_deadlocks = run->deadlock_property != CLEW_NONE || !search->stop_at_violation;
  s->dd = clew_dd_open(&(struct clew_dd_config){
      .budget = search->budget, .stop = run->stop, .threads = clew_crew_size(search->crew)});
  if (s->dd == NULL) {
    clew_run_stop(run, CLEW_STOP_MEMORY);
    return run;
  }
  if (s->options->diagram == DIAGRAM_DDD && !clew_symbolic_open_clocks(s)) {
    clew_run_stop(run, CLEW_STOP_MEMORY); /* numbers as large as zones refuse, too */
    return run;
  }
  clew_symbolic_open_levels(s);
  if (s->clocks != NULL) {
    run->find_path = clew_symbolic_follow_path;
    s->counts_transitions = false;
    s->wants_deadlocks = run->deadlock_property != CLEW_NONE;
    if (s->sat == SAT_FULL && s->level_count == 0) { /* only clock values */
      s->sat = SAT_NONE;
      s->order = ORDER_CHAIN;
    }
  }
  open_states(s);
  clew_symbolic_open_groups(s);
  s->layer = s->level_count;
  give_up_properties(s);
  open_jury(s);
  clew_symbolic_open_labels(s);
  keep_sets(s);
  run->model->expect_fire(run->model);
  return run;
}

static void name_level(const void *context, uint32_t level, struct clew_text *out) {
  const struct symbolic *s = context;
  clew_text_put(out, s->run.model->slots[s->levels[level].slot].name);
}

static void name_value(const void *context, uint32_t level, uint32_t value, struct clew_text *out) {
  const struct symbolic *s = context;
  const struct clew_slot *slot = &s->run.model->slots[s->levels[level].slot];
  if (s->levels[level].width != slot->width) {
    clew_text_printf(out, "%u", value); /* a part of one */
    return;
  }
  uint64_t *state = clew_alloc_zero(s->run.model->words, sizeof *state);
  symbolic_set(&s->levels[level], state, value);
  clew_domain_print(slot->domain, clew_slot_get(slot, state), out);
  clew_free(state);
}

static void draw(struct symbolic *s) {
  const struct clew_timed *timed = s->run.model->timed;
  struct clew_ldd_names names = {name_level, name_value, s,
                                 timed != NULL ? timed->clock_names : NULL};
  struct clew_text text = {0};
  clew_ldd_dot(s->dd, s->visited, s->level_count, &names, &text);
  (void)clew_file_write(s->options->dot, clew_text_str(&text), text.len, s->run.search->diags);
  clew_text_free(&text);
}

static void add_counters(const struct symbolic *s, struct clew_counters *counters) {
  struct clew_dd_figures figures;
  clew_dd_figures(s->dd, &figures);
  static const char *const orders[] = {"",      "bfs-prev", "bfs",       "no-minus",
                                       "chain", "sat",      "chain-prev"};
  static const char *const sats[] = {"", "none", "like", "full"};
  clew_counters_text(counters, "order", orders[s->order]);
  clew_counters_text(counters, "sat", sats[s->sat]);
  clew_counters_count(counters, "dd_levels", s->level_count);
  clew_counters_count(counters, "dd_rounds", s->rounds);
  clew_counters_count(counters, "dd_reorderings", s->reorderings);
  clew_counters_count(counters, "dd_steps", figures.steps);
  clew_counters_count(counters, "dd_operations", figures.operations);
  clew_counters_count(counters, "dd_cache_hits", figures.cache_hits);
  clew_counters_count(counters, "dd_collections", figures.collections);
  clew_counters_count(counters, "dd_node_bytes", figures.node_bytes);
  clew_counters_count(counters, "dd_cache_bytes", figures.cache_bytes);
  clew_counters_real(counters, "dd_density", clew_symbolic_density(s));
  if (s->clocks != NULL) {
    struct clew_ddd_figures more;
    clew_counters_text(counters, "dd_split", s->is_split ? "yes" : "no");
    clew_ddd_figures(s->clocks, &more);
    clew_counters_count(counters, "ddd_nodes", clew_ddd_nodes(s->clocks, s->visited));
    clew_counters_count(counters, "ddd_constraints", more.constraints);
    clew_counters_count(counters, "ddd_actions", more.actions);
    clew_counters_count(counters, "ddd_zones_acted", more.zones_acted);
  }
}

/* The exact number of states, where it does not fit: as a text. */
static void fill_states(struct symbolic *s, struct clew_result *result) {
  struct clew_natural count = {0};
  clew_ldd_count(s->dd, s->visited, &count);
  if (clew_natural_at_most(&count, UINT64_MAX) >> MOST_STATES_SHIFT != 0) {
    struct clew_text text = {0};
    clew_natural_add(&count, clew_run_error_depth(&s->run) != CLEW_NONE, 0);
    clew_natural_print(&count, &text);
    result->states_text = text.data;
    clew_vec_clear(&result->level_sizes); /* they would not be exact */
  }
  clew_natural_free(&count);
}

static void fill_levels(struct symbolic *s, struct clew_result *result) {
  uint32_t error_depth = clew_run_error_depth(&s->run);
  if (result->level_sizes.len == 0 || !clew_symbolic_has_levels(s)) {
    return;
  }
  if (error_depth != CLEW_NONE) {
    while (error_depth >= result->level_sizes.len) {
      clew_vec_push(&result->level_sizes, 0);
    }
    result->level_sizes.data[error_depth]++;
  }
  result->levels = result->level_sizes.len;
  if (result->scope.complete) {
    result->diameter = result->levels - 1;
  }
}

static void fill_figures(struct symbolic *s, struct clew_result *result) {
  struct clew_dd_figures figures;
  clew_dd_figures(s->dd, &figures);
  result->groups = s->group_count;
  result->nodes = clew_ldd_nodes(s->dd, s->visited);
  result->peak_nodes = figures.peak_nodes;
  result->store_bytes = figures.node_bytes + figures.cache_bytes;
  fill_states(s, result);
  fill_levels(s, result);
  add_counters(s, &result->counters);
  if (s->options->dot != NULL) {
    draw(s);
  }
}

/* Timed models: states that differ in more than their zones. */
static uint64_t count_discrete(struct symbolic *s) {
  const struct clew_model *model = s->run.model;
  if (s->clocks != NULL) {
    return s->run.states;
  }
  unsigned char *roles = clew_alloc_zero(s->level_count + (size_t)1, 1);
  struct clew_natural count = {0};
  uint64_t number = CLEW_ABSENT;
  for (uint32_t i = 0; i < s->level_count; i++) {
    roles[i] = s->levels[i].word < model->discrete_words ? CLEW_LDD_READ : CLEW_LDD_SKIP;
  }
  uint32_t plan = clew_ldd_plan_projection(s->dd, roles, s->level_count);
  clew_ldd parts = model->discrete_words < model->words ? clew_ldd_project(s->dd, s->visited, plan)
                                                        : CLEW_DD_NONE;
  if (parts != CLEW_DD_NONE) {
    clew_ldd_count(s->dd, parts, &count);
    number = clew_natural_at_most(&count, CLEW_ABSENT);
  }
  clew_natural_free(&count);
  clew_free(roles);
  return number;
}

/* With clocks: zones of all visited states, and how many actions were applied to. */
static void fill_zones(struct symbolic *s, uint64_t *zones, uint64_t *acted) {
  struct clew_ddd_figures figures;
  if (s->clocks != NULL && clew_ddd_count_zones(s->clocks, s->visited, zones)) {
    clew_ddd_figures(s->clocks, &figures);
    *acted = figures.zones_acted;
  }
}

static void close_sets(struct symbolic *s) {
  clew_symbolic_forget_rings(s);
  clew_symbolic_close_groups(s);
  clew_symbolic_close_labels(s);
  for (uint32_t i = 0; i < s->faults.len; i++) {
    clew_free(s->faults.data[i].row);
  }
  clew_vec_free(&s->faults);
  clew_vec_free(&s->rings);
  clew_symbolic_close_clocks(s);
  clew_free(s->levels);
  clew_free(s->filler);
  clew_free(s->vector);
  clew_dd_close(s->dd);
}

static void symbolic_close(struct clew_run *run) {
  struct symbolic *s = symbolic_of(run);
  struct clew_result *result = run->result;
  uint64_t deadlocks = s->deadlocks, transitions = s->transitions;
  uint64_t discrete = CLEW_ABSENT, zones = CLEW_ABSENT, acted = CLEW_ABSENT;
  if (s->dd != NULL && s->levels != NULL) {
    fill_figures(s, result);
    discrete = count_discrete(s);
    fill_zones(s, &zones, &acted);
  }
  if (deadlocks != CLEW_ABSENT && clew_run_error_depth(run) != CLEW_NONE) {
    deadlocks++;
  }
  clew_run_close(run);
  result->transitions = transitions;
  result->deadlocks = deadlocks;
  result->discrete_states = discrete;
  if (result->zones != CLEW_ABSENT) {
    result->zones_expanded = result->zones;
  }
  if (zones != CLEW_ABSENT) {
    result->zones = zones;
    result->zones_expanded = acted;
  }
  close_sets(s);
  clew_free(s);
}

const struct clew_engine_type clew_engine_symbolic = {
    .name = "symbolic",
    .help = "sets of states as decision diagrams: for many states that are alike",
    .property_kinds = 1U << CLEW_PROPERTY_DEADLOCK | 1U << CLEW_PROPERTY_FAULT |
                      1U << CLEW_PROPERTY_INVARIANT | 1U << CLEW_PROPERTY_COVER |
                      1U << CLEW_PROPERTY_LIVENESS | 1U << CLEW_PROPERTY_PROGRESS,
    .options = CLEW_OPTION_TABLE(options, struct symbolic_options),
    .check = symbolic_check,
    .open = symbolic_open,
    .step = symbolic_step,
    .save = clew_symbolic_save,
    .saves_anywhere = true,
    .cannot_save = clew_symbolic_cannot_save,
    .load = clew_symbolic_load,
    .close = symbolic_close,
};
