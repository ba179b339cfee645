/* Traces: rebuilding one from the back-edge log, re-executing it, and confirming its claim.
 *
 * The log knows only ids and edges; the states come from firing the edges again with the reference
 * execution. That re-execution is also the check that keeps a bug of an engine, of a store or of
 * compiled code from becoming a false counterexample. */
#include "trace/trace.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "trace/times.h"
#include "trace/trace_int.h"

void clew_trace_free(struct clew_trace *trace) {
  clew_free(trace->edges);
  trace->edges = NULL;
  trace->edge_count = 0;
}

bool clew_trace_is_run(const struct clew_model *model, const struct clew_trace *trace) {
  return trace->property != CLEW_NONE &&
         model->properties[trace->property].kind == CLEW_PROPERTY_PROGRESS;
}

uint32_t clew_trace_length(const struct clew_trace *trace) {
  bool step_fails = trace->initial != CLEW_NONE && trace->fault_edge != CLEW_NONE;
  return trace->edge_count + (step_fails ? 1 : 0);
}

enum clew_status clew_trace_build(struct clew_log *log, clew_id id, struct clew_trace *trace,
                                  struct clew_diag_sink *diags) {
  assert(id < CLEW_ID_LIMIT);
  *trace = (struct clew_trace){.initial = CLEW_NONE,
                               .property = CLEW_NONE,
                               .fault_edge = CLEW_NONE,
                               .site = CLEW_NONE,
                               .loop_to = CLEW_NONE};
  CLEW_VEC(uint32_t) path = {0};
  for (;;) {
    struct clew_back_edge back;
    if (!clew_log_get(log, id, &back)) {
      clew_diag_plain(diags, CLEW_ERROR, NULL, "cannot read the back-edge log: %s",
                      errno == EBADMSG ? "its file was damaged" : strerror(errno));
      clew_vec_free(&path);
      return CLEW_IO_FAILED;
    }
    if (back.parent == CLEW_ID_NONE) {
      trace->initial = back.edge;
      break;
    }
    /* A parent is logged before its children, so the walk ends; a file that was damaged since
     * must not make it run forever. */
    if (back.parent >= id) {
      clew_diag_plain(diags, CLEW_ERROR, NULL, "the back-edge log is damaged at state %llu",
                      (unsigned long long)id);
      clew_vec_free(&path);
      return CLEW_IO_FAILED;
    }
    clew_vec_push(&path, back.edge);
    id = back.parent;
  }
  for (uint32_t i = 0, j = path.len; i + 1 < j; i++) {
    j--;
    uint32_t swapped = path.data[i];
    path.data[i] = path.data[j];
    path.data[j] = swapped;
  }
  trace->edges = path.data;
  trace->edge_count = path.len;
  return CLEW_OK;
}

uint64_t *clew_trace_states(const struct clew_model *model, const struct clew_trace *trace,
                            uint32_t *failed_step) {
  assert(model->words > 0);
  size_t words = model->words;
  uint64_t *states = clew_realloc_array(NULL, (size_t)trace->edge_count + 1, words * 8);
  if (trace->initial == CLEW_NONE || !clew_model_start(model, trace->initial, states)) {
    *failed_step = 0;
    clew_free(states);
    return NULL;
  }
  for (uint32_t i = 0; i < trace->edge_count; i++) {
    uint32_t site = CLEW_NONE;
    if (!model->fire(model, states + i * words, trace->edges[i], states + (i + 1) * words, &site)) {
      *failed_step = i + 1;
      clew_free(states);
      return NULL;
    }
  }
  return states;
}

static enum clew_status refuse(struct clew_diag_sink *diags, const char *reason) {
  clew_diag_plain(diags, CLEW_ERROR, NULL, "%s", reason);
  return CLEW_BAD_INPUT;
}

/* Whether the model's start itself fails as the trace says. */
static bool start_faults(const struct clew_model *model, const struct clew_trace *trace) {
  struct clew_succs succs;
  clew_succs_open_piecewise(&succs, model->words, model->cover_count);
  bool found = false;
  do {
    clew_succs_clear(&succs);
    model->init(model, &succs);
    for (uint32_t i = 0; i < succs.fault_count; i++) {
      const struct clew_fault *fault = &succs.faults[i];
      found |= fault->site == trace->site &&
               (trace->fault_edge == CLEW_NONE || fault->edge == trace->fault_edge);
    }
  } while (succs.resume != 0 && !found);
  clew_succs_close(&succs);
  return found;
}

static bool is_stuck(const struct clew_model *model, const uint64_t *state) {
  assert(state != NULL);
  struct clew_succs succs;
  clew_succs_open_piecewise(&succs, model->words, model->cover_count);
  do {
    clew_succs_clear(&succs);
    model->next(model, state, &succs);
  } while (succs.resume != 0 && succs.stuck);
  bool stuck = succs.stuck;
  clew_succs_close(&succs);
  return stuck;
}

/* Whether computing the label of this property fails at the site of the trace. */
static bool label_faults(const struct clew_model *model, const struct clew_trace *trace,
                         const struct clew_property *property, const uint64_t *state) {
  if (!clew_property_has_label(property)) {
    return false;
  }
  uint32_t site = CLEW_NONE;
  model->label(model, property->label, state, &site);
  return site != CLEW_NONE && site == trace->site;
}

/* The first property whose label does; CLEW_NONE: none. */
static uint32_t faulting_label(const struct clew_model *model, const struct clew_trace *trace,
                               const uint64_t *state) {
  for (uint32_t i = 0; i < model->property_count; i++) {
    if (label_faults(model, trace, &model->properties[i], state)) {
      return i;
    }
  }
  return CLEW_NONE;
}

uint32_t clew_trace_reader(const struct clew_model *model, const struct clew_trace *trace) {
  model = model->reference;
  if (trace->site >= model->site_count || trace->fault_edge != CLEW_NONE) {
    return CLEW_NONE;
  }
  uint32_t failed_step;
  uint64_t *states = clew_trace_states(model, trace, &failed_step);
  if (states == NULL) {
    return CLEW_NONE;
  }
  const uint64_t *last = states + (size_t)trace->edge_count * model->words;
  /* Properties may share a part that faults: the one that is violated comes first. */
  uint32_t reader = label_faults(model, trace, &model->properties[trace->property], last)
                        ? trace->property
                        : faulting_label(model, trace, last);
  clew_free(states);
  return reader;
}

/* The run-time error that this transition of `state` ends in, or CLEW_NONE. */
static uint32_t fault_of(const struct clew_model *model, const uint64_t *state, uint32_t edge) {
  struct clew_succs succs;
  clew_succs_open_piecewise(&succs, model->words, model->cover_count);
  uint32_t site = CLEW_NONE;
  do {
    clew_succs_clear(&succs);
    model->next(model, state, &succs);
    for (uint32_t i = 0; i < succs.fault_count && site == CLEW_NONE; i++) {
      site = succs.faults[i].edge == edge ? succs.faults[i].site : CLEW_NONE;
    }
  } while (succs.resume != 0 && site == CLEW_NONE);
  clew_succs_close(&succs);
  return site;
}

static enum clew_status confirm_fault(const struct clew_model *model,
                                      const struct clew_trace *trace, const uint64_t *last,
                                      struct clew_diag_sink *diags) {
  if (trace->site >= model->site_count) {
    return refuse(diags, "the trace does not say which run-time error happens");
  }
  if (trace->fault_edge == CLEW_NONE) {
    return faulting_label(model, trace, last) != CLEW_NONE
               ? CLEW_OK
               : refuse(diags, "the last state does not cause the run-time error");
  }
  uint32_t site = fault_of(model, last, trace->fault_edge);
  if (site == CLEW_NONE) {
    return refuse(diags, "the last transition does not cause a run-time error");
  }
  return site == trace->site ? CLEW_OK
                             : refuse(diags, "the last transition causes another run-time error");
}

static enum clew_status confirm_last(const struct clew_model *model, const struct clew_trace *trace,
                                     const uint64_t *last, struct clew_diag_sink *diags) {
  const struct clew_property *property = &model->properties[trace->property];
  if (trace->site != CLEW_NONE && property->kind != CLEW_PROPERTY_FAULT) {
    return label_faults(model, trace, property, last)
               ? CLEW_OK
               : refuse(diags, "computing the property does not cause the run-time error");
  }
  switch (property->kind) {
  case CLEW_PROPERTY_DEADLOCK:
    return is_stuck(model, last) ? CLEW_OK : refuse(diags, "the last state is not a deadlock");
  case CLEW_PROPERTY_FAULT:
    return confirm_fault(model, trace, last, diags);
  case CLEW_PROPERTY_INVARIANT: {
    uint32_t site = CLEW_NONE;
    bool holds = model->label(model, property->label, last, &site);
    if (site != CLEW_NONE) {
      return refuse(diags, "computing the invariant causes a run-time error");
    }
    return holds ? refuse(diags, "the invariant holds in the last state") : CLEW_OK;
  }
  case CLEW_PROPERTY_MEASURE:
  case CLEW_PROPERTY_COVER:
    return refuse(diags, "no trace can show that something is never reached");
  case CLEW_PROPERTY_LIVENESS:
  case CLEW_PROPERTY_PROGRESS: /* all of its states were looked at */
    return CLEW_OK;
  }
  return refuse(diags, "the kind of the property is unknown");
}

/* Whether the model itself offers this step. Firing an edge does not ask whether a rule of higher
 * priority keeps it from happening. */
static bool is_successor(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                         const uint64_t *successor, struct clew_succs *succs) {
  bool found = false;
  succs->resume = 0;
  do {
    clew_succs_clear(succs);
    model->next(model, state, succs);
    for (uint32_t i = 0; i < succs->count && !found; i++) {
      found = succs->edges[i] == edge && memcmp(succs->states + (size_t)i * model->words, successor,
                                                model->words * sizeof *state) == 0;
    }
  } while (succs->resume != 0 && !found);
  return found;
}

/* The first step that the model does not offer, or 0. */
static uint32_t find_impossible_step(const struct clew_model *model, const struct clew_trace *trace,
                                     const uint64_t *states) {
  /* A depth-first trace may have a million steps, and to expand all their states would take longer
   * than the search did. */
  const uint64_t most_guards = 10 * 1000 * 1000;
  if ((uint64_t)trace->edge_count * model->edge_count > most_guards) {
    return 0;
  }
  struct clew_succs succs;
  clew_succs_open_piecewise(&succs, model->words, model->cover_count);
  uint32_t failed_step = 0;
  for (uint32_t i = 0; i < trace->edge_count && failed_step == 0; i++) {
    const uint64_t *state = states + (size_t)i * model->words;
    if (!is_successor(model, state, trace->edges[i], state + model->words, &succs)) {
      failed_step = i + 1;
    }
  }
  clew_succs_close(&succs);
  return failed_step;
}

/* Whether the path is a run that stays, and how it goes on for ever. */
static enum clew_status confirm_run(const struct clew_model *model, const struct clew_trace *trace,
                                    const uint64_t *states, struct clew_diag_sink *diags) {
  const struct clew_property *property = &model->properties[trace->property];
  if (property->kind != CLEW_PROPERTY_PROGRESS || trace->site != CLEW_NONE) {
    return CLEW_OK;
  }
  if (trace->stay_from > trace->edge_count ||
      (trace->loop_to != CLEW_NONE && trace->loop_to >= trace->edge_count)) {
    return refuse(diags, "the trace does not say how the run goes on for ever");
  }
  const char *why = clew_trace_doubt_run(model, trace, states);
  return why == NULL ? CLEW_OK : refuse(diags, why);
}

bool clew_trace_has_times(const struct clew_model *model, const struct clew_trace *trace) {
  const struct clew_model *reference = model->reference;
  uint32_t failed_step;
  uint64_t *states = clew_trace_states(reference, trace, &failed_step);
  struct clew_times times = {0};
  bool found = states != NULL &&
               clew_times_find(reference, trace, states, false, &times) == CLEW_TIMES_FOUND;
  clew_times_free(&times);
  clew_free(states);
  return found;
}

/* Whether there are moments at which the steps can be taken. */
static enum clew_status confirm_times(const struct clew_model *model,
                                      const struct clew_trace *trace, const uint64_t *states,
                                      struct clew_diag_sink *diags) {
  struct clew_times times;
  enum clew_times_status found = clew_times_find(model, trace, states, false, &times);
  clew_times_free(&times);
  return found == CLEW_TIMES_IMPOSSIBLE
             ? refuse(diags, "there are no times at which the steps can be taken")
             : CLEW_OK;
}

enum clew_status clew_trace_confirm(const struct clew_model *model, const struct clew_trace *trace,
                                    struct clew_diag_sink *diags) {
  const struct clew_model *reference = model->reference;
  bool is_walk = trace->property == CLEW_NONE && trace->initial != CLEW_NONE;
  if (!is_walk && trace->property >= reference->property_count) {
    return refuse(diags, "the trace does not say which property it violates");
  }
  if (trace->initial == CLEW_NONE) {
    return start_faults(reference, trace) ? CLEW_OK
                                          : refuse(diags, "the start of the model does not fail");
  }
  uint32_t failed_step;
  uint64_t *states = clew_trace_states(reference, trace, &failed_step);
  if (states != NULL) {
    failed_step = find_impossible_step(reference, trace, states);
  }
  if (states == NULL || failed_step != 0) {
    clew_free(states);
    clew_diag_plain(diags, CLEW_ERROR, NULL, "step %u of the trace is not possible", failed_step);
    return CLEW_BAD_INPUT;
  }
  const uint64_t *last = states + (size_t)trace->edge_count * reference->words;
  enum clew_status status = is_walk ? CLEW_OK : confirm_last(reference, trace, last, diags);
  if (status == CLEW_OK && !is_walk) {
    status = confirm_run(reference, trace, states, diags);
  }
  if (status == CLEW_OK) {
    status = confirm_times(reference, trace, states, diags);
  }
  clew_free(states);
  return status;
}
