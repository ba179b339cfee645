/* A symbolic search on disk: the diagrams that it keeps, and where it is.
 *
 * Sets only grow, so a search by chaining or saturation goes on from whatever it has visited. One
 * that goes by its last states goes on from the beginning of its round: `before` has the sets of
 * that moment. What groups have learnt and labels have answered is kept whole; it does not depend
 * on the order in which it came. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "search/symbolic_int.h"

enum { SETS_OF_GROUP = 6, SETS_OF_LABEL = 3 };

static bool only_grows(const struct symbolic *s) {
  return s->sat == SAT_FULL || s->sat == SAT_LIKE || s->order == ORDER_CHAIN;
}

void clew_symbolic_begin_round(struct symbolic *s) {
  if (s->in_round && !only_grows(s)) { /* it was left in the middle */
    s->visited = s->before.visited;
    s->frontier = s->before.frontier;
    s->fresh = s->expanded = CLEW_LDD_EMPTY;
  }
  s->before.visited = s->visited;
  s->before.frontier = s->frontier;
  s->before.rounds = s->rounds;
  s->before.states = s->run.states;
  s->before.level_count = s->run.result->level_sizes.len;
  s->in_round = true;
  s->paused = false;
  s->round_began_s = clew_clock_wall_s();
  s->pause_from_s = s->round_began_s + s->pause_for_s;
}

/* A round that was left begins again with more states, and has to find out once more that nothing
 * is missing among those that it had. So it is left less and less often: each time it has twice as
 * long as before. */
static bool is_time(struct symbolic *s) {
  double now_s = clew_clock_wall_s();
  if (now_s < s->pause_from_s) {
    return false;
  }
  s->pause_for_s = 2 * (now_s - s->round_began_s);
  return true;
}

bool clew_symbolic_pauses(struct symbolic *s, bool is_urgent_only) {
  const struct clew_run *run = &s->run;
  if (s->paused) {
    return true;
  }
  if (run->search->keeper == NULL || run->search->keeper->keep == NULL || s->cannot_pause ||
      !atomic_load_explicit(&run->wants_cut, memory_order_relaxed)) {
    return false;
  }
  bool is_urgent = run->ends_after_cut != CLEW_STOP_FINISHED;
  s->paused = is_urgent || (!is_urgent_only && is_time(s));
  return s->paused;
}

const char *clew_symbolic_cannot_save(const struct clew_search *search) {
  const struct symbolic_options *options = search->options;
  if (options != NULL && options->diagram == DIAGRAM_DDD) {
    return "difference decision diagrams (--dd ddd)";
  }
  return options != NULL && options->reorder ? "a symbolic search that changes its order of "
                                               "variables (--dd-reorder)"
                                             : NULL;
}

/* ---- all sets ---- */

typedef void visit_set(void *context, clew_ldd *set);

static void each_of_group(struct symbolic_group *group, visit_set *visit, void *context) {
  clew_ldd *const sets[SETS_OF_GROUP] = {&group->seen,  &group->relation, &group->moves,
                                         &group->still, &group->quiet,    &group->suspects};
  for (uint32_t i = 0; i < SETS_OF_GROUP; i++) {
    visit(context, sets[i]);
  }
}

static void each_of_label(struct symbolic_label *label, visit_set *visit, void *context) {
  clew_ldd *const sets[SETS_OF_LABEL] = {&label->seen, &label->holds, &label->fails};
  for (uint32_t i = 0; i < SETS_OF_LABEL; i++) {
    visit(context, sets[i]);
  }
}

static uint32_t groups_of(const struct symbolic *s) {
  return s->group_count + s->has_jury;
}

/* ---- what has to be the same ---- */

/* By what values of diagrams mean. */
static void put_shape(const struct symbolic *s, struct clew_archive *out) {
  clew_archive_put(out, s->level_count);
  for (uint32_t i = 0; i < s->level_count; i++) {
    const struct symbolic_level *level = &s->levels[i];
    uint32_t words[] = {level->slot, level->word, level->shift, level->width};
    clew_archive_put_bytes(out, words, sizeof words);
  }
  clew_archive_put(out, groups_of(s));
  for (uint32_t i = 0; i < groups_of(s); i++) {
    const struct symbolic_group *group = &s->groups[i];
    clew_archive_put(out, group->edge_count);
    clew_archive_put_bytes(out, group->edges, group->edge_count * sizeof *group->edges);
    clew_archive_put(out, group->part_count);
    for (uint32_t k = 0; k < group->part_count; k++) {
      clew_archive_put(out, (uint64_t)group->parts[k].level << 8 | group->parts[k].role);
    }
  }
  clew_archive_put(out, s->label_count);
  for (uint32_t i = 0; i < s->label_count; i++) {
    clew_archive_put(out, s->labels[i].property);
  }
}

static bool has_shape(const struct symbolic *s, struct clew_archive *in) {
  struct clew_archive own = {0};
  put_shape(s, &own);
  uint32_t bytes = clew_archive_get_count(in, 1);
  bool same = !in->damaged && bytes == own.data.len &&
              memcmp(in->data.data + in->at, own.data.data, bytes) == 0;
  in->at += same ? bytes : 0;
  clew_archive_free(&own);
  return same;
}

/* ---- saving ---- */

static void put_set(void *context, clew_ldd *set) {
  clew_archive_put(context, *set);
}

static void save_learnt(struct symbolic *s, struct clew_archive *out) {
  for (uint32_t i = 0; i < groups_of(s); i++) {
    struct symbolic_group *group = &s->groups[i];
    each_of_group(group, put_set, out);
    clew_archive_put(out, group->degrees.len);
    for (uint32_t k = 0; k < group->degrees.len; k++) {
      clew_archive_put(out, group->degrees.data[k].degree);
      clew_archive_put(out, *group->degrees.data[k].sources);
    }
  }
  for (uint32_t i = 0; i < s->label_count; i++) {
    each_of_label(&s->labels[i], put_set, out);
    clew_archive_put(out, s->labels[i].told_fault);
  }
  clew_archive_put(out, s->faults.len);
  for (uint32_t i = 0; i < s->faults.len; i++) {
    const struct symbolic_fault *fault = &s->faults.data[i];
    uint32_t words[] = {fault->group, fault->edge, fault->site, fault->action};
    clew_archive_put_bytes(out, words, sizeof words);
    clew_archive_put_bytes(out, fault->row,
                           s->groups[fault->group].read_count * sizeof *fault->row);
  }
}

/* Where a round is in the middle, properties are judged again, at its end at the latest. */
static void save_place(struct symbolic *s, struct clew_archive *out) {
  bool goes_back = s->in_round && !only_grows(s);
  clew_ldd visited = goes_back ? s->before.visited : s->visited;
  clew_archive_put(out, clew_symbolic_has_levels(s));
  clew_archive_put(out, s->order == ORDER_CHAIN_PREV || clew_symbolic_has_levels(s));
  clew_archive_put(out, s->layer);
  clew_archive_put(out, goes_back ? s->before.rounds : s->rounds);
  clew_archive_put(out, goes_back ? s->before.states : s->run.states);
  clew_archive_put(out, s->initial);
  clew_archive_put(out, visited);
  clew_archive_put(out, goes_back ? s->before.frontier : s->frontier);
  clew_archive_put(out, goes_back ? visited : s->in_round ? CLEW_LDD_EMPTY : s->fresh);
  clew_archive_put(out, s->in_round ? CLEW_LDD_EMPTY : s->expanded);
  clew_archive_put_bytes(out, s->filler, 2 * (size_t)s->run.model->words * sizeof *s->filler);
}

bool clew_symbolic_save(struct clew_run *run, bool is_last, struct clew_cut *cut) {
  (void)is_last;
  struct symbolic *s = symbolic_of(run);
  struct clew_archive *out = &cut->archive, shape = {0};
  enum clew_stop why = (enum clew_stop)atomic_load(&run->reason);
  bool is_over = s->ended || why == CLEW_STOP_VIOLATION || why == CLEW_STOP_DECIDED;
  if (s->dd == NULL || !s->begun || s->visited == CLEW_LDD_EMPTY || is_over ||
      clew_symbolic_cannot_save(run->search) != NULL) {
    s->cannot_pause = true;
    return false;
  }
  uint32_t levels = run->result->level_sizes.len;
  if (s->in_round && !only_grows(s)) {
    run->result->level_sizes.len = s->before.level_count;
  }
  clew_run_save(run, out);
  run->result->level_sizes.len = levels;
  put_shape(s, &shape);
  clew_archive_put(out, shape.data.len);
  clew_archive_put_bytes(out, shape.data.data, shape.data.len);
  clew_archive_free(&shape);
  bool saved = clew_dd_save(s->dd, out);
  if (saved) {
    save_place(s, out);
    save_learnt(s, out);
  }
  s->cannot_pause = !saved;
  cut->states = 0; /* the log has none */
  cut->waiting_from = CLEW_ID_NONE;
  return saved;
}

/* ---- loading ---- */

struct loading {
  struct clew_archive *in;
  const clew_ldd *numbers;
  uint32_t count;
};

static clew_ldd get_set(struct loading *loading) {
  uint64_t number = clew_archive_get(loading->in);
  if (number >= loading->count) {
    loading->in->damaged = true;
    return CLEW_LDD_EMPTY;
  }
  return loading->numbers[number];
}

static void take_set(void *context, clew_ldd *set) {
  *set = get_set(context);
}

static void load_group(struct symbolic *s, struct symbolic_group *group, struct loading *loading) {
  each_of_group(group, take_set, loading);
  uint32_t degrees = clew_archive_get_count(loading->in, 2 * sizeof(uint64_t));
  for (uint32_t k = 0; k < degrees; k++) {
    struct symbolic_degree degree = {.degree = clew_archive_get(loading->in),
                                     .sources = clew_alloc(sizeof *degree.sources)};
    *degree.sources = get_set(loading);
    clew_dd_keep(s->dd, degree.sources);
    clew_vec_push(&group->degrees, degree);
  }
}

static void load_faults(struct symbolic *s, struct clew_archive *in) {
  uint32_t count = clew_archive_get_count(in, 4 * sizeof(uint32_t));
  for (uint32_t i = 0; i < count && !in->damaged; i++) {
    uint32_t words[4];
    clew_archive_get_bytes(in, words, sizeof words);
    if (words[0] >= groups_of(s)) {
      in->damaged = true;
      return;
    }
    uint32_t length = s->groups[words[0]].read_count;
    struct symbolic_fault fault = {.group = words[0],
                                   .edge = words[1],
                                   .site = words[2],
                                   .action = words[3],
                                   .row = clew_alloc((length + (size_t)1) * sizeof *fault.row)};
    clew_archive_get_bytes(in, fault.row, length * sizeof *fault.row);
    clew_vec_push(&s->faults, fault);
  }
}

/* False where levels are wanted and were not kept. */
static bool load_place(struct symbolic *s, struct loading *loading) {
  struct clew_archive *in = loading->in;
  bool had_levels = clew_archive_get(in) != 0, had_frontier = clew_archive_get(in) != 0;
  uint64_t layer = clew_archive_get(in);
  s->layer = layer <= s->level_count ? (uint32_t)layer : s->level_count;
  s->rounds = clew_archive_get(in);
  s->run.states = clew_archive_get(in);
  s->initial = get_set(loading);
  s->visited = get_set(loading);
  s->frontier = get_set(loading);
  s->fresh = get_set(loading);
  s->expanded = get_set(loading);
  clew_archive_get_bytes(in, s->filler, 2 * (size_t)s->run.model->words * sizeof *s->filler);
  if (had_levels && !clew_symbolic_has_levels(s)) {
    clew_vec_clear(&s->run.result->level_sizes); /* the rest will have none */
  }
  return (had_levels || !clew_symbolic_has_levels(s)) &&
         (had_frontier || s->order != ORDER_CHAIN_PREV);
}

bool clew_symbolic_load(struct clew_run *run) {
  struct symbolic *s = symbolic_of(run);
  struct clew_archive view = run->search->cut->archive, *in = &view;
  struct loading loading = {.in = in};
  in->at = 0;
  if (s->dd == NULL || s->begun || !clew_run_load(run, in) || !has_shape(s, in)) {
    return false;
  }
  clew_ldd *numbers = clew_dd_load(s->dd, in, &loading.count);
  if (numbers == NULL) {
    if (!in->damaged) { /* an answer, if not a good one */
      clew_run_stop(run, CLEW_STOP_MEMORY);
    }
    return !in->damaged;
  }
  loading.numbers = numbers;
  bool fits = load_place(s, &loading);
  for (uint32_t i = 0; i < groups_of(s); i++) {
    load_group(s, &s->groups[i], &loading);
  }
  for (uint32_t i = 0; i < s->label_count; i++) {
    each_of_label(&s->labels[i], take_set, &loading);
    s->labels[i].told_fault = clew_archive_get(in) != 0;
  }
  load_faults(s, in);
  clew_free(numbers);
  s->begun = true;
  return fits && clew_archive_is_read(in);
}
