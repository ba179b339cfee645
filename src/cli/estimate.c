/* `clew estimate`: how large a state space is, from a bounded part of it.
 *
 * A breadth-first search is ended after some states or seconds. Its levels say what can be said
 * (report/forecast.h), its states what each would take in the stores that `auto` goes through. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cli/message.h"
#include "cli/registry.h"
#include "cli/sample.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "report/forecast.h"

static const uint64_t DEFAULT_STATES = 300000;
static const double DEFAULT_SECONDS = 10;

/* "at least X", "X to Y" or "X" of something that grows with the states. */
static void put_span(struct clew_text *out, const struct clew_result *result,
                     const struct clew_forecast *forecast, double each, bool is_bytes) {
  char low[32], high[32];
  double least = each * (double)forecast->low, most = each * (double)forecast->high;
  if (is_bytes) {
    clew_text_bytes((uint64_t)least, low);
    clew_text_bytes((uint64_t)most, high);
  } else {
    clew_text_count((uint64_t)least, low);
    clew_text_count((uint64_t)most, high);
  }
  if (result->scope.complete) {
    clew_text_put(out, low);
  } else if (forecast->has_interval) {
    clew_text_printf(out, "%s to %s", low, high);
  } else {
    clew_text_printf(out, "at least %s", low);
  }
}

/* What the states would take in another store. */
static void put_store(struct clew_text *out, const struct clew_session *session,
                      const struct clew_forecast *forecast, const struct clew_store_type *type) {
  const struct clew_result *result = &session->result;
  struct clew_budget budget;
  clew_budget_init(&budget, session->memory_bytes);
  uint64_t states = forecast->has_interval ? forecast->high : forecast->low;
  double each = session->store->type == type
                    ? result->bytes_per_state
                    : clew_sample_bytes_each(session->store, type, &budget, states);
  if (!isfinite(each)) {
    return;
  }
  clew_text_printf(out, "  %-16s ", type->name);
  put_span(out, result, forecast, each, true);
  clew_text_printf(out, " (%.1f bytes per state)\n", each);
}

static void put_estimate(struct clew_text *out, const struct clew_session *session) {
  const struct clew_result *result = &session->result;
  struct clew_forecast forecast = {.low = result->states, .high = result->states};
  bool is_known = result->scope.complete || clew_forecast_of(result, &forecast);
  char count[32];
  clew_text_printf(out, "%s: ", session->options->operands.data[0]);
  if (!is_known) {
    clew_text_printf(out, "%s states were seen; nothing can be said about the others.\n",
                     clew_text_count(result->states, count));
    return;
  }
  put_span(out, result, &forecast, 1, false);
  if (result->scope.complete) {
    clew_text_put(out, " states: these are all.\n\n");
  } else {
    clew_text_printf(out, " states, told by %s of them: levels %s.\n\n",
                     clew_text_count(result->states, count),
                     forecast.has_interval ? "shrink" : "still grow, so nothing more is known");
  }
  clew_text_put(out, "  seconds          ");
  put_span(out, result, &forecast, result->explore_s / (double)result->states, false);
  clew_text_put(out, " of exploration at this speed\n");
  uint32_t done = result->level_transitions.len;
  if (done > 0 && result->level_transitions.data[done - 1] > 0) {
    clew_text_printf(out, "  new              %.0f %% of the successors in the last level\n",
                     100 * (double)result->level_sizes.data[done] /
                         (double)result->level_transitions.data[done - 1]);
  }
  for (const struct clew_store_type *const *type = clew_stores; *type != NULL; type++) {
    const unsigned keeps = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS;
    bool in_memory = ((*type)->promises & keeps) == keeps && (*type)->demands == 0 &&
                     ((*type)->promises & CLEW_STORE_ORDER) == 0;
    if (session->store != NULL && in_memory) {
      put_store(out, session, &forecast, *type);
    }
  }
}

static enum clew_exit write_json(struct clew_session *session) {
  struct clew_diag_sink diags = {0};
  struct clew_output output = {.type = &clew_output_json, .file = session->options->json};
  session->info.command = "estimate";
  enum clew_status status = clew_output_write(&output, &session->info, &session->result, &diags);
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  return status == CLEW_OK ? CLEW_EXIT_OK : CLEW_EXIT_INTERNAL;
}

static enum clew_exit tell(struct clew_session *session) {
  const char *json = session->options->json;
  clew_session_measure(session);
  if (json == NULL || strcmp(json, "-") != 0) {
    struct clew_text text = {0};
    put_estimate(&text, session);
    fwrite(clew_text_str(&text), 1, text.len, stdout);
    clew_text_free(&text);
  }
  return json != NULL ? write_json(session) : CLEW_EXIT_OK;
}

enum clew_exit clew_command_estimate(const struct clew_options *options) {
  struct clew_options bounded = *options;
  bounded.command = CLEW_COMMAND_stats; /* errors are no reason to end */
  if (bounded.max_states == CLEW_ABSENT) {
    bounded.max_states = DEFAULT_STATES;
  }
  if (isnan(bounded.max_time_s)) {
    bounded.max_time_s = DEFAULT_SECONDS;
  }
  struct clew_session session;
  enum clew_exit exit = clew_session_open(&session, &bounded, NULL);
  if (exit == CLEW_EXIT_OK) {
    session.keeper = (struct clew_keeper){0};
    session.is_auto = false; /* a sample is no reason to change the store */
    exit = clew_session_explore(&session);
    clew_progress_clear(&session.progress);
    clew_signals_finish();
  }
  if (exit == CLEW_EXIT_OK) {
    exit = tell(&session);
  }
  clew_report_diagnostics(stderr, &session.diags);
  clew_session_close(&session);
  return exit;
}
