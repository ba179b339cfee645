/* `clew simulate --walks`: many walks that look for a violation. A walk proves nothing, and the
 * report says so: without a find the answer is INCOMPLETE. A find is shortened, confirmed by the
 * reference, shown and saved like the counterexample of a search. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli/choose.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/origin.h"
#include "cli/signals.h"
#include "cli/simulate_int.h"
#include "report/report.h"
#include "report/version.h"
#include "search/walks.h"
#include "trace/plain.h"
#include "trace/shorten.h"

enum { DEFAULT_STEPS = 1000, DEFAULT_SEED = 1, SHOWN = 12 };
static const uint64_t MOST_EXPANSIONS = 200 * 1000;
static const double GRANTED_S = 5;

struct walking {
  const struct clew_options *options;
  struct clew_model *model;
  uint64_t *enabled, seed;
  const atomic_bool *interrupted;
  struct clew_arena *arena;
  struct clew_trace_origin origin;
  struct clew_walked walked;
  uint32_t first_length; /* of the counterexample, as it was found */
  bool is_doubtful;      /* it could not be confirmed: clocks that stand still */
  double elapsed_s;
  struct clew_text out;
};

/* ---- the counterexample ---- */

static bool confirms(struct walking *w, struct clew_trace *trace) {
  struct clew_diag_sink diags = {0};
  bool ok = clew_trace_confirm(w->model, trace, &diags) == CLEW_OK;
  clew_diag_sink_free(&diags);
  return ok;
}

/* Shorter, if the shorter one is confirmed, too. False: the one that was found is not. */
static bool judge(struct walking *w) {
  struct clew_trace *trace = &w->walked.trace;
  const struct clew_timed *timed = w->model->timed;
  w->first_length = clew_trace_length(trace);
  clew_signals_grant(GRANTED_S);
  if (timed != NULL && timed->is_approximate && !clew_trace_has_times(w->model, trace)) {
    w->is_doubtful = true;
    return true;
  }
  struct clew_trace whole = *trace;
  whole.edges = clew_alloc(((size_t)whole.edge_count + 1) * sizeof *whole.edges);
  memcpy(whole.edges, trace->edges, whole.edge_count * sizeof *whole.edges);
  clew_trace_shorten(w->model, trace, MOST_EXPANSIONS);
  if (!confirms(w, trace)) {
    clew_trace_free(trace);
    *trace = whole;
    return confirms(w, trace);
  }
  clew_trace_free(&whole);
  return true;
}

static enum clew_exit save(struct walking *w, const char *file) {
  struct clew_text text = {0};
  struct clew_diag_sink diags = {0};
  clew_trace_write(w->model, &w->walked.trace, &w->origin, &text);
  bool written = clew_file_write(file, clew_text_str(&text), text.len, &diags) == CLEW_OK;
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  clew_text_free(&text);
  if (written) {
    clew_text_printf(&w->out, "\nThe counterexample is saved in %s: clew replay ", file);
    clew_text_put_shell(&w->out, file);
    clew_text_char(&w->out, '\n');
  }
  return written ? CLEW_EXIT_OK : CLEW_EXIT_INTERNAL;
}

static enum clew_exit show_find(struct walking *w) {
  const struct clew_model *model = w->model;
  const struct clew_trace *trace = &w->walked.trace;
  struct clew_violation violation = {.property = trace->property,
                                     .depth = clew_trace_length(trace),
                                     .site = trace->site,
                                     .trace = trace};
  char buffer[32];
  clew_text_printf(&w->out, "%s ", clew_report_violation_word(model, &violation));
  clew_report_violation(model, &violation, &w->out);
  clew_text_printf(&w->out, " (walk %s", clew_text_count(w->walked.walk, buffer));
  if (w->first_length > violation.depth) {
    clew_text_printf(&w->out, ", shortened from %s steps",
                     clew_text_count(w->first_length, buffer));
  }
  clew_text_put(&w->out, ").\n\n");
  clew_trace_print(model, trace, clew_options_trace_style(w->options), &w->out);
  enum clew_exit exit = clew_walk_exit_of(model, w->enabled, &violation);
  if (w->options->trace != NULL && save(w, w->options->trace) != CLEW_EXIT_OK) {
    exit = CLEW_EXIT_INTERNAL;
  }
  return exit;
}

/* ---- the report ---- */

/* Transitions by rule; by edge where there are no rules. */
static uint64_t *fired_rules(const struct walking *w, uint32_t *count) {
  const struct clew_model *model = w->model;
  bool has_rules = model->rules != NULL && model->rule_of != NULL;
  *count = has_rules ? model->rule_count : model->edge_count;
  uint64_t *fired = clew_alloc_zero((size_t)*count + 1, sizeof *fired);
  for (uint32_t i = 0; i < model->edge_count; i++) {
    fired[has_rules ? model->rule_of(model, i) : i] += w->walked.fired[i];
  }
  return fired;
}

static void put_rule(struct walking *w, uint32_t rule) {
  const struct clew_model *model = w->model;
  struct clew_text name = {0};
  if (model->rules == NULL) {
    model->print_edge(model, rule, &name);
  } else if (model->rules[rule].name != NULL) {
    clew_text_put(&name, model->rules[rule].name);
  }
  clew_text_put(&w->out, "  ");
  clew_plain_put(&w->out, clew_text_str(&name));
  if (model->rules != NULL && model->rules[rule].position.line > 0) {
    clew_text_printf(&w->out, " (line %u)", model->rules[rule].position.line);
  }
  clew_text_char(&w->out, '\n');
  clew_text_free(&name);
}

static void put_rules(struct walking *w) {
  if (w->walked.fired == NULL) {
    return;
  }
  uint32_t count, never = 0, shown = 0;
  uint64_t *fired = fired_rules(w, &count);
  for (uint32_t i = 0; i < count; i++) {
    never += fired[i] == 0;
  }
  char buffer[32];
  clew_text_printf(&w->out, "  rules fired      %s", clew_text_count(count - never, buffer));
  clew_text_printf(&w->out, " of %s\n", clew_text_count(count, buffer));
  if (never > 0 && w->walked.steps > 0 && !w->walked.found) {
    clew_text_put(&w->out, "\nNever fired on these walks:\n");
    for (uint32_t i = 0; i < count && shown < SHOWN; i++) {
      if (fired[i] == 0) {
        put_rule(w, i);
        shown++;
      }
    }
    if (never > shown) {
      clew_text_printf(&w->out, "  and %u more\n", never - shown);
    }
  }
  clew_free(fired);
}

static void put_figures(struct walking *w) {
  char buffer[32];
  const struct clew_walked *walked = &w->walked;
  clew_text_printf(&w->out, "\n  walks            %s", clew_text_count(walked->walks, buffer));
  clew_text_printf(&w->out, " (the longest has %s steps", clew_text_count(walked->longest, buffer));
  if (walked->ended > 0) {
    clew_text_printf(&w->out, "; %s could not go on", clew_text_count(walked->ended, buffer));
  }
  clew_text_printf(&w->out, ")\n  steps            %s\n", clew_text_count(walked->steps, buffer));
  clew_text_printf(&w->out, "  time             %.2f s\n", w->elapsed_s);
  clew_text_printf(&w->out, "  seed             %" PRIu64 "\n", w->seed);
  put_rules(w);
}

static void put_nothing_found(struct walking *w) {
  char buffer[32];
  const struct clew_walked *walked = &w->walked;
  clew_text_put(&w->out, "INCOMPLETE: ");
  if (!walked->has_start) {
    clew_text_put(&w->out, "the model has no initial state; nothing was checked.\n");
    return;
  }
  if (w->is_doubtful) {
    clew_text_put(&w->out, "a violation was found, but its path could not be confirmed: clocks "
                           "that stand still are explored with more values than they have.\n");
    return;
  }
  if (walked->is_stopped) {
    bool by_signal = atomic_load(w->interrupted);
    clew_text_printf(&w->out, "%s; ",
                     clew_stop_text(by_signal ? CLEW_STOP_SIGNAL : CLEW_STOP_MAX_TIME));
  }
  clew_text_printf(&w->out, "no violation in %s", clew_text_count(walked->walks, buffer));
  clew_text_printf(&w->out, " walk%s of %s steps in all.", walked->walks == 1 ? "" : "s",
                   clew_text_count(walked->steps, buffer));
  clew_text_put(&w->out, " Walks prove nothing: clew check does.\n");
  if (walked->cut > 0) {
    clew_text_printf(&w->out, "%s of them ended where calls nest too deeply.\n",
                     clew_text_count(walked->cut, buffer));
  }
}

/* ---- the command ---- */

static enum clew_exit walk(struct walking *w) {
  const struct clew_options *options = w->options;
  uint64_t threads = options->threads != CLEW_ABSENT ? options->threads : clew_crew_processors();
  if (threads > options->walks) {
    threads = options->walks;
  }
  struct clew_walks walks = {
      .model = w->model,
      .enabled = w->enabled,
      .walks = options->walks,
      .steps = options->steps != CLEW_ABSENT ? options->steps : DEFAULT_STEPS,
      .seed = w->seed,
      .crew = clew_crew_open((uint32_t)(threads < UINT32_MAX ? threads : UINT32_MAX))};
  double began_s = clew_clock_wall_s();
  clew_walks_take(&walks, &w->walked);
  w->elapsed_s = clew_clock_wall_s() - began_s;
  clew_crew_close(walks.crew);
  enum clew_exit exit = CLEW_EXIT_INCOMPLETE;
  if (w->walked.found && !judge(w)) {
    clew_message("internal error: the counterexample of walk %" PRIu64 " could not be confirmed",
                 w->walked.walk);
    return CLEW_EXIT_INTERNAL;
  }
  clew_signals_finish();
  if (w->walked.found && !w->is_doubtful) {
    exit = show_find(w);
  } else {
    put_nothing_found(w);
  }
  if (!options->quiet) {
    put_figures(w);
  }
  fwrite(clew_text_str(&w->out), 1, w->out.len, stdout);
  return fflush(stdout) == 0 ? exit : CLEW_EXIT_INTERNAL;
}

enum clew_exit clew_simulate_walks(const struct clew_options *options) {
  assert(options->walks != CLEW_ABSENT);
  struct walking w = {.options = options, .arena = clew_arena_open()};
  w.seed = options->seed != CLEW_ABSENT ? options->seed : DEFAULT_SEED;
  w.origin.version = CLEW_VERSION;
  clew_origin_collect(w.arena, options, &w.origin);
  clew_signals_alarm(options->max_time_s);
  enum clew_exit exit =
      clew_load_model_hashed(options, CLEW_MODE_AUTO, CLEW_SYMMETRY_OFF, false, &w.interrupted,
                             w.arena, &w.origin.model_hash, &w.model);
  if (exit == CLEW_EXIT_OK) {
    exit = clew_choose_properties(options, w.model, &w.enabled);
  }
  struct clew_diag_sink diags = {0};
  if (exit == CLEW_EXIT_OK && options->trace != NULL &&
      clew_file_writable(options->trace, &diags) != CLEW_OK) {
    exit = CLEW_EXIT_USAGE;
  }
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  if (exit == CLEW_EXIT_OK) {
    exit = walk(&w);
    clew_walked_free(&w.walked);
  }
  clew_free(w.enabled);
  if (w.model != NULL) {
    w.model->close(w.model);
  }
  clew_text_free(&w.out);
  clew_arena_close(w.arena);
  return exit;
}
