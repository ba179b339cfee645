/* Counterexamples of searches with clock values in diagrams: a breadth-first search for single
 * states, each with a zone, from the initial states to the first one that violates the property.
 * The diagrams have shown that there is one. States that are equal are visited once. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "search/symbolic_int.h"

enum { LEAST_INDEX = 1 << 10, NO_PARENT = UINT32_MAX };

struct follow {
  struct symbolic *s;
  struct clew_finding *finding;
  struct clew_bigstack records; /* of a state: its words, then parent and edge in one word */
  struct clew_bigmem index;     /* uint32_t: number of the record + 1, or 0 */
  uint32_t index_length, count;
  uint32_t words;
  uint32_t found; /* record; NO_PARENT: not yet */
  bool is_full;
  struct clew_succs succs;
};

static uint64_t *record_at(const struct follow *f, uint32_t number) {
  size_t bytes = (f->words + (size_t)1) * sizeof(uint64_t);
  return (uint64_t *)(void *)(f->records.mem.data + number * bytes);
}

static uint32_t *index_of(const struct follow *f) {
  return (uint32_t *)(void *)f->index.data;
}

/* The place of the state in the index, or of none. */
static uint32_t *find_place(const struct follow *f, const uint64_t *state) {
  uint32_t mask = f->index_length - 1;
  uint32_t slot = (uint32_t)clew_hash_words(state, f->words, 0) & mask;
  for (;; slot = (slot + 1) & mask) {
    uint32_t *place = &index_of(f)[slot];
    if (*place == 0 || memcmp(record_at(f, *place - 1), state, f->words * sizeof *state) == 0) {
      return place;
    }
  }
}

static bool grow_index(struct follow *f) {
  uint32_t length = f->index_length == 0 ? LEAST_INDEX : 2 * f->index_length;
  if (!clew_bigmem_commit(&f->index, length * sizeof(uint32_t))) {
    return false;
  }
  f->index_length = length;
  memset(f->index.data, 0, length * sizeof(uint32_t));
  for (uint32_t i = 0; i < f->count; i++) {
    *find_place(f, record_at(f, i)) = i + 1;
  }
  return true;
}

static bool violates(const struct follow *f, const uint64_t *state) {
  const struct clew_model *model = f->s->run.model;
  const struct clew_property *property = &model->properties[f->finding->property];
  uint32_t site = CLEW_NONE;
  return property->kind == CLEW_PROPERTY_INVARIANT && f->finding->fault_edge == CLEW_NONE &&
         !model->label(model, property->label, state, &site) && site == CLEW_NONE;
}

static void visit(struct follow *f, const uint64_t *state, uint32_t parent, uint32_t edge) {
  if (f->count * UINT64_C(2) >= f->index_length && !grow_index(f)) {
    f->is_full = true;
    return;
  }
  uint32_t *place = find_place(f, state);
  if (*place != 0) {
    return;
  }
  uint64_t *record = clew_bigstack_push(&f->records, (f->words + (size_t)1) * sizeof *record);
  if (record == NULL || f->count == UINT32_MAX - 1) {
    f->is_full = true;
    return;
  }
  memcpy(record, state, f->words * sizeof *record);
  record[f->words] = parent | (uint64_t)edge << 32;
  *place = ++f->count;
  if (f->found == NO_PARENT && violates(f, state)) {
    f->found = f->count - 1;
  }
}

static void visit_all(struct follow *f, uint32_t parent) {
  for (uint32_t i = 0; i < f->succs.count && !f->is_full && f->found == NO_PARENT; i++) {
    visit(f, f->succs.states + (size_t)i * f->words, parent, f->succs.edges[i]);
  }
}

/* Run-time errors and deadlocks show where a state is expanded. */
static void look_at(struct follow *f, uint32_t number) {
  const struct clew_property *property = &f->s->run.model->properties[f->finding->property];
  if (property->kind == CLEW_PROPERTY_DEADLOCK && f->succs.stuck) {
    f->found = number;
  }
  for (uint32_t i = 0; i < f->succs.fault_count && f->finding->fault_edge != CLEW_NONE; i++) {
    if (f->found == NO_PARENT && !clew_run_leaves_open(&f->s->run, f->succs.faults[i].site)) {
      f->found = number;
      f->finding->fault_edge = f->succs.faults[i].edge;
      f->finding->site = f->succs.faults[i].site;
    }
  }
}

static void expand(struct follow *f, uint32_t number) {
  const struct clew_model *model = f->s->run.model;
  uint64_t *state = clew_alloc(f->words * sizeof *state);
  memcpy(state, record_at(f, number), f->words * sizeof *state);
  clew_succs_clear(&f->succs);
  f->succs.resume = 0;
  model->next(model, state, &f->succs);
  look_at(f, number);
  visit_all(f, number);
  clew_free(state);
}

static void search(struct follow *f) {
  struct clew_run *run = &f->s->run;
  clew_succs_clear(&f->succs);
  run->model->init(run->model, &f->succs);
  visit_all(f, NO_PARENT);
  for (uint32_t i = 0; i < f->count && f->found == NO_PARENT && !f->is_full; i++) {
    expand(f, i);
    clew_run_poll(clew_run_worker(run, 0), 1, f->count - i, f->s->rounds);
    if (clew_run_stopped(run)) {
      return;
    }
  }
}

/* Writes the path down; how many edges it has. */
static uint32_t note_path(struct follow *f) {
  struct symbolic_found found = {0};
  uint32_t at = f->found;
  for (uint32_t i = at; (uint32_t)record_at(f, i)[f->words] != NO_PARENT; found.edge_count++) {
    i = (uint32_t)record_at(f, i)[f->words];
  }
  found.state = clew_alloc(f->words * sizeof *found.state);
  memcpy(found.state, record_at(f, at), f->words * sizeof *found.state);
  found.edges = clew_alloc((found.edge_count + (size_t)1) * sizeof *found.edges);
  for (uint32_t i = found.edge_count; i > 0; i--) {
    found.edges[i - 1] = (uint32_t)(record_at(f, at)[f->words] >> 32);
    at = (uint32_t)record_at(f, at)[f->words];
  }
  found.initial = (uint32_t)(record_at(f, at)[f->words] >> 32);
  clew_vec_push(&f->s->found, found);
  return found.edge_count;
}

bool clew_symbolic_follow(struct symbolic *s, struct clew_finding *finding, uint64_t *state) {
  const struct clew_model *model = s->run.model;
  struct clew_budget *budget = s->run.search->budget;
  struct follow f = {.s = s, .finding = finding, .words = model->words, .found = NO_PARENT};
  const size_t most = (size_t)UINT32_MAX * sizeof(uint32_t), least = 1 << 16;
  bool open = clew_bigstack_open(&f.records, budget);
  open = open && clew_bigmem_open_most(&f.index, most, least, budget);
  clew_succs_open(&f.succs, model->words, model->cover_count);
  if (open) {
    search(&f);
  }
  if (f.found != NO_PARENT) {
    memcpy(state, record_at(&f, f.found), f.words * sizeof *state);
    finding->depth = note_path(&f) + (finding->fault_edge != CLEW_NONE);
  }
  clew_succs_close(&f.succs);
  clew_bigmem_close(&f.index);
  clew_bigstack_close(&f.records);
  return f.found != NO_PARENT;
}

bool clew_symbolic_follow_path(struct clew_run *run, const uint64_t *state,
                               struct clew_trace *trace) {
  const struct symbolic *s = symbolic_of(run);
  *trace = (struct clew_trace){.initial = CLEW_NONE, .loop_to = CLEW_NONE};
  for (uint32_t i = 0; i < s->found.len && trace->initial == CLEW_NONE; i++) {
    const struct symbolic_found *found = &s->found.data[i];
    if (memcmp(found->state, state, run->model->words * sizeof *state) == 0) {
      size_t bytes = (found->edge_count + (size_t)1) * sizeof *trace->edges;
      trace->edges = clew_alloc(bytes);
      trace->edge_count = found->edge_count;
      memcpy(trace->edges, found->edges, found->edge_count * sizeof *trace->edges);
      trace->initial = found->initial;
    }
  }
  return trace->initial != CLEW_NONE;
}
