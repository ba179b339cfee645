/* A trace: how to start and which edges to take. States are not kept, they are re-executed; so a
 * trace is small, can be checked, and can be replayed later from a file. */
#ifndef CLEW_TRACE_TRACE_H
#define CLEW_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/text.h"
#include "model/model.h"
#include "trace/log.h"
#include "trace/origin.h"

struct clew_trace {
  uint32_t initial; /* edge of init; CLEW_NONE: the fault happened in init itself, and fault_edge
                     * is the edge of init that failed */
  uint32_t *edges;  /* owned */
  uint32_t edge_count;
  uint32_t property;   /* index of the violated property; CLEW_NONE: a walk that claims nothing */
  uint32_t fault_edge; /* the edge, after the last state, that faults; CLEW_NONE otherwise */
  uint32_t site;       /* the run-time error, or CLEW_NONE */
  /* Of a run without end (PROGRESS): from which state on it stays where it should not, and the
   * state that its last step leads back to; CLEW_NONE: it rests in the last state. */
  uint32_t stay_from, loop_to;
};

void clew_trace_free(struct clew_trace *trace);
/* Whether it is a run without end, by its property. */
bool clew_trace_is_run(const struct clew_model *model, const struct clew_trace *trace);
/* Steps from the initial state to the violation; one that fails counts. */
uint32_t clew_trace_length(const struct clew_trace *trace);

/* The path to state `id`. Fails only when the log cannot be read. */
enum clew_status clew_trace_build(struct clew_log *log, clew_id id, struct clew_trace *trace,
                                  struct clew_diag_sink *diags);

/* After a search of a model over others (reductions): makes it a trace of the lowest one, which
 * `reference` can replay, by lowering it step by step. Nothing changes for other models. */
void clew_trace_unfold(const struct clew_model *model, struct clew_trace *trace);

/* Every state of the trace, (edge_count + 1) * words, by re-execution with `model` (pass the
 * reference). NULL when an edge is not enabled, with *failed_step (0 = the initial state). */
uint64_t *clew_trace_states(const struct clew_model *model, const struct clew_trace *trace,
                            uint32_t *failed_step);

/* Replays with model->reference and confirms that the last state (or the faulting edge) violates
 * the property as claimed. LIVENESS is confirmed only as a path. BAD_INPUT and a reason if not. */
/* The same answers whether times are known for the trace: false where clocks stand still, and the
 * trace may be one of the approximation only. */
bool clew_trace_has_times(const struct clew_model *model, const struct clew_trace *trace);
enum clew_status clew_trace_confirm(const struct clew_model *model, const struct clew_trace *trace,
                                    struct clew_diag_sink *diags);

/* The property whose evaluation in the last state ends in the run-time error of the trace;
 * CLEW_NONE: a transition does, or there is no error. */
uint32_t clew_trace_reader(const struct clew_model *model, const struct clew_trace *trace);

/* With which values the violation comes about, as one line: "items = 2, allowed 0..1". Nothing
 * where nothing is known. `last` is the last state of the trace; NULL, like the initial edge, where
 * a start fails. */
void clew_trace_explain(const struct clew_model *model, const struct clew_trace *trace,
                        const uint64_t *last, struct clew_text *out);

/* How traces print. */
enum clew_trace_style {
  CLEW_TRACE_FULL = 1 << 0,  /* all variables in every step */
  CLEW_TRACE_LATEST = 1 << 1 /* timed models: steps are taken as late as they can be */
};

/* The form for people: each step's rule with its parameters, then the variables that changed.
 * `style` is a set of those above. */
void clew_trace_print(const struct clew_model *model, const struct clew_trace *trace,
                      unsigned style, struct clew_text *out);

/* One step of that form, which the simulator prints too: its number, what was done, and the
 * variables of `state` that differ from `previous` (all of them when that is NULL). */
void clew_step_print(const struct clew_model *model, uint64_t number, const char *name,
                     const uint64_t *previous, const uint64_t *state, struct clew_text *out);
/* A line with the values that each clock of a timed model can have in the state; nothing where no
 * clock matters. */
void clew_clocks_print(const struct clew_model *model, const uint64_t *state,
                       struct clew_text *out);
/* The same for a step that ends in a run-time error. */
void clew_step_print_fault(const struct clew_model *model, uint64_t number, const char *name,
                           uint32_t site, struct clew_text *out);
/* "message (line 3, column 7)" */
void clew_site_print(const struct clew_model *model, uint32_t site, struct clew_text *out);

/* JSON, and back. Reading checks that edges exist and that their printed names agree with the
 * model, so a trace of another model (or other --param values) is refused with a reason. The
 * origin may be NULL. */
void clew_trace_write(const struct clew_model *model, const struct clew_trace *trace,
                      const struct clew_trace_origin *origin, struct clew_text *out);
enum clew_status clew_trace_read(const struct clew_model *model, const char *file, const char *text,
                                 size_t length, struct clew_trace *trace,
                                 struct clew_diag_sink *diags);
/* The same, but it claims nothing: only the way is read. */
enum clew_status clew_trace_read_steps(const struct clew_model *model, const char *file,
                                       const char *text, size_t length, struct clew_trace *trace,
                                       struct clew_diag_sink *diags);

#endif
