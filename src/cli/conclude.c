/* The end of a search: what was found is confirmed before anybody is told. */
#include <assert.h>
#include <math.h>

#include "base/clock.h"
#include "cli/hasten.h"
#include "cli/keep.h"
#include "cli/message.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "model/timed.h"

/* There is a little time to confirm a violation, even if there is none to go on searching. */
static void grant_time(const struct clew_session *session) {
  const double least_s = 0.5;
  double limit_s = session->options->max_time_s;
  double left_s = isnan(limit_s) ? 0 : limit_s - (clew_clock_wall_s() - session->started_s);
  if (!isnan(limit_s) || atomic_load(clew_signals_stop())) {
    clew_signals_grant(fmax(left_s, least_s));
  }
}

/* No counterexample is shown that the interpreter does not confirm. False when it does not. */
static bool confirm_first(struct clew_session *session) {
  assert(session->result.has_trace);
  struct clew_diag_sink diags = {0};
  grant_time(session);
  const struct clew_timed *timed = session->model->timed;
  if (timed != NULL && timed->is_approximate &&
      !clew_trace_has_times(session->model, &session->result.trace)) {
    clew_search_doubt(session->model, &session->result);
    return true;
  }
  bool ok = clew_trace_confirm(session->model, &session->result.trace, &diags) == CLEW_OK;
  if (!ok && atomic_load(clew_signals_stop())) {
    clew_search_retract(session->model,
                        atomic_load(session->interrupted) ? CLEW_STOP_SIGNAL : CLEW_STOP_MAX_TIME,
                        &session->result);
    ok = true;
  }
  if (!ok) {
    clew_message("internal error: the counterexample that was found could not be confirmed: %s",
                 diags.len > 0 ? diags.data[0].message : "no reason is known");
    clew_message("please report this with the model and: %s", session->info.command_line);
  }
  clew_diag_sink_free(&diags);
  return ok;
}

/* A further one that cannot be confirmed in time is not shown. */
static bool confirm(struct clew_session *session) {
  bool ok = confirm_first(session);
  struct clew_result *result = &session->result;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < result->more_traces.len; i++) {
    struct clew_diag_sink diags = {0};
    if (clew_trace_confirm(session->model, &result->more_traces.data[i], &diags) == CLEW_OK) {
      result->more_traces.data[kept++] = result->more_traces.data[i];
    } else {
      ok = ok && atomic_load(clew_signals_stop());
      clew_trace_free(&result->more_traces.data[i]);
    }
    clew_diag_sink_free(&diags);
  }
  result->more_traces.len = kept;
  return ok;
}

bool clew_session_conclude(struct clew_session *session) {
  if (session->result.has_trace && session->model->timed != NULL &&
      session->options->trace_order == CLEW_CHOICE_TRACE_ORDER_TIME) {
    clew_hasten(session);
  }
  if (session->result.has_trace && !confirm(session)) {
    return false;
  }
  clew_signals_finish();
  clew_session_measure(session);
  clew_keep_conclude(session);
  return true;
}
