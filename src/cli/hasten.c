/* Searches with deadlines: each one finds a faster trace, or shows that there is none. */
#include "cli/hasten.h"

#include <assert.h>

#include "base/alloc.h"
#include "cli/message.h"
#include "model/timed.h"
#include "trace/times.h"

/* The end of a trace as a deadline that it misses; false: its times are not known. */
static bool find_deadline(const struct clew_model *model, const struct clew_trace *trace,
                          struct clew_options *options) {
  const struct clew_model *reference = model->reference;
  uint32_t failed_step;
  struct clew_times times = {0};
  uint64_t *states = clew_trace_states(reference, trace, &failed_step);
  bool found = states != NULL &&
               clew_times_find(reference, trace, states, false, &times) == CLEW_TIMES_FOUND;
  if (found) {
    int64_t end = times.values[times.count - 1], whole = end / times.scale;
    found = whole < INT32_MAX / 4 && end > 0;
    options->has_deadline = true;
    options->deadline = (int32_t)whole;
    options->deadline_is_strict = end % times.scale == 0;
  }
  clew_times_free(&times);
  clew_free(states);
  return found;
}

/* Whether the search found a trace to the same end; it is taken over. */
static bool take_trace(struct clew_session *session, struct clew_session *faster) {
  struct clew_trace *old = &session->result.trace, *found = &faster->result.trace;
  if (!faster->result.has_trace || found->property != old->property ||
      (found->site == CLEW_NONE) != (old->site == CLEW_NONE)) {
    return false;
  }
  clew_trace_free(old);
  *old = *found;
  faster->result.has_trace = false;
  uint32_t property = old->property;
  session->result.outcomes.list[property].depth = clew_trace_length(old);
  return true;
}

void clew_hasten(struct clew_session *session) {
  assert(session->result.has_trace && session->model->timed != NULL);
  struct clew_options options = *session->options;
  uint64_t left = session->budget.limit_bytes - session->budget.used_bytes;
  options.memory_bytes = left;
  options.progress_s = 0;
  options.checkpoint = NULL;
  bool going = true;
  while (going && find_deadline(session->model, &session->result.trace, &options)) {
    struct clew_session faster;
    going = clew_session_open(&faster, &options, NULL) == CLEW_EXIT_OK;
    if (going) {
      (void)clew_session_explore(&faster);
      bool decided = faster.result.scope.complete || faster.result.has_trace;
      going = take_trace(session, &faster);
      if (!decided) {
        clew_message("note: there may be a faster way: %s", clew_stop_text(faster.result.stop));
      }
    }
    clew_session_close(&faster);
  }
}
