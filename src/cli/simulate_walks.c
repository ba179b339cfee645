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
#include "cli/choose.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/origin.h"
#include "cli/outputs.h"
#include "cli/signals.h"
#include "cli/simulate_int.h"
#include "report/report.h"
#include "report/version.h"
#include "report/walked.h"
#include "search/walks.h"
#include "trace/shorten.h"

enum { DEFAULT_STEPS = 1000, DEFAULT_SEED = 1 };
static const uint64_t MOST_EXPANSIONS = 200 * 1000;
static const double GRANTED_S = 5;

struct walking {
  const struct clew_options *options;
  struct clew_model *model;
  uint64_t *enabled, seed;
  const atomic_bool *interrupted;
  struct clew_arena *arena;
  struct clew_trace_origin origin;
  struct clew_report_info info;
  struct clew_outputs outputs;
  struct clew_walked walked;
  struct clew_walk_figures figures;
  struct clew_result result;
  bool is_doubtful; /* what was found could not be confirmed: clocks that stand still */
  double began_s;
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
  w->figures.found_length = clew_trace_length(trace);
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

/* ---- the answer ---- */

/* The first violation ends all walks, so of other properties nothing is known. */
static void decide(struct walking *w) {
  struct clew_outcomes *outcomes = &w->result.outcomes;
  const struct clew_trace *trace = &w->walked.trace;
  if (w->walked.found && w->is_doubtful) {
    clew_outcomes_give_up(outcomes, trace->property, CLEW_REASON_UNCONFIRMED);
  } else if (w->walked.found && trace->site == CLEW_NONE &&
             w->model->properties[trace->property].query == CLEW_QUERY_REACH) {
    clew_outcomes_reach(outcomes, trace->property, clew_trace_length(trace));
  } else if (w->walked.found) {
    clew_outcomes_violate(outcomes, trace->property, clew_trace_length(trace), trace->site);
  }
  for (uint32_t i = 0; i < outcomes->count && !w->walked.has_start; i++) {
    if (clew_outcome_is_asked(outcomes, i)) {
      clew_outcomes_give_up(outcomes, i, CLEW_REASON_NO_STATE);
    }
  }
}

static enum clew_stop why_ended(const struct walking *w) {
  return w->walked.found && !w->is_doubtful ? CLEW_STOP_VIOLATION
         : !w->walked.is_stopped            ? CLEW_STOP_WALKS
         : atomic_load(w->interrupted)      ? CLEW_STOP_SIGNAL
                                            : CLEW_STOP_MAX_TIME;
}

static void conclude(struct walking *w) {
  struct clew_result *result = &w->result;
  clew_outcomes_open(&result->outcomes, w->model->property_count, w->enabled);
  decide(w);
  result->scope = (struct clew_scope){.lossless = true,
                                      .has_states = w->walked.has_start,
                                      .unchecked = clew_choose_unchecked(w->options, w->model)};
  struct clew_conclusion conclusion =
      clew_outcomes_conclude(&result->outcomes, w->model->properties, &result->scope);
  result->verdict = conclusion.verdict;
  result->exit_code = conclusion.exit_code;
  result->stop = why_ended(w);
  result->seed = w->seed;
  result->walks = &w->figures;
  result->peak_rss_bytes = clew_clock_peak_rss_bytes();
  result->cpu_s = clew_clock_cpu_s();
  result->elapsed_s = clew_clock_wall_s() - w->began_s;
  if (w->walked.found && !w->is_doubtful) {
    result->has_trace = true;
    result->trace = w->walked.trace; /* which is the result's now */
    w->walked.found = false;
  }
}

/* Copies what was counted; the steps of rules are the arena's. */
static void gather(struct walking *w) {
  const struct clew_walked *walked = &w->walked;
  struct clew_walk_figures *figures = &w->figures;
  figures->walks = walked->walks;
  figures->steps = walked->steps;
  figures->longest = walked->longest;
  figures->ended = walked->ended;
  figures->cut = walked->cut;
  figures->found_in = walked->found ? walked->walk : 0;
  if (walked->fired != NULL) {
    figures->rule_count = clew_walk_rule_count(w->model);
    uint64_t *fired = clew_arena_alloc(w->arena, ((size_t)figures->rule_count + 1) * sizeof *fired);
    clew_walk_count_rules(w->model, walked->fired, fired);
    figures->fired = fired;
  }
}

/* ---- the report ---- */

static void put_find(struct walking *w) {
  const struct clew_model *model = w->model;
  const struct clew_trace *trace = &w->result.trace;
  struct clew_violation violation = {.property = trace->property,
                                     .depth = clew_trace_length(trace),
                                     .site = trace->site,
                                     .trace = trace};
  char buffer[32];
  clew_text_printf(&w->out, "%s ", clew_report_violation_word(model, &violation));
  clew_report_violation(model, &violation, &w->out);
  clew_text_printf(&w->out, " (walk %s", clew_text_count(w->figures.found_in, buffer));
  if (w->figures.found_length > violation.depth) {
    clew_text_printf(&w->out, ", shortened from %s steps",
                     clew_text_count(w->figures.found_length, buffer));
  }
  clew_text_put(&w->out, ").\n");
  if (w->result.verdict == CLEW_VERDICT_INCOMPLETE) {
    clew_text_put(&w->out, "INCOMPLETE: the walks end here; other properties are not decided.\n");
  }
  clew_text_char(&w->out, '\n');
  clew_trace_print(model, trace, clew_options_trace_style(w->options), &w->out);
  const char *file = clew_output_file(&w->info, &clew_output_trace);
  if (file != NULL) {
    clew_text_printf(&w->out, "\nThe counterexample is saved in %s: clew replay ", file);
    clew_text_put_shell(&w->out, file);
    clew_text_char(&w->out, '\n');
  }
}

static void put_figures(struct walking *w) {
  char buffer[32];
  const struct clew_walk_figures *figures = &w->figures;
  clew_text_printf(&w->out, "\n  walks            %s", clew_text_count(figures->walks, buffer));
  clew_text_printf(&w->out, " (the longest has %s steps",
                   clew_text_count(figures->longest, buffer));
  if (figures->ended > 0) {
    clew_text_printf(&w->out, "; %s could not go on", clew_text_count(figures->ended, buffer));
  }
  clew_text_printf(&w->out, ")\n  steps            %s\n", clew_text_count(figures->steps, buffer));
  clew_text_printf(&w->out, "  time             %.2f s\n", w->result.explore_s);
  clew_text_printf(&w->out, "  seed             %" PRIu64 "\n", w->seed);
  clew_walk_put_rules(w->model, figures, &w->out);
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
    clew_text_printf(&w->out, "%s; ", clew_stop_text(w->result.stop));
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

static void put_report(struct walking *w) {
  if (w->result.has_trace) {
    put_find(w);
  } else {
    put_nothing_found(w);
  }
  if (!w->options->quiet) {
    put_figures(w);
  }
}

/* ---- the command ---- */

static void take(struct walking *w) {
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
  w->result.explore_s = clew_clock_wall_s() - began_s;
  w->result.threads = clew_crew_size(walks.crew);
  clew_crew_close(walks.crew);
  gather(w);
}

static enum clew_exit walk(struct walking *w) {
  take(w);
  if (w->walked.found && !judge(w)) {
    clew_message("internal error: the counterexample of walk %" PRIu64 " could not be confirmed",
                 w->walked.walk);
    return CLEW_EXIT_INTERNAL;
  }
  clew_signals_finish();
  conclude(w);
  bool written = clew_outputs_write(&w->outputs, &w->info, &w->result);
  clew_outputs_note_older(&w->outputs);
  if (!clew_outputs_take_stdout(w->options)) {
    put_report(w);
  }
  fwrite(clew_text_str(&w->out), 1, w->out.len, stdout);
  return fflush(stdout) == 0 && written ? w->result.exit_code : CLEW_EXIT_INTERNAL;
}

/* What the reports are about, and whether they can be written. */
static enum clew_exit prepare(struct walking *w, const char *command_line) {
  clew_outputs_collect(&w->outputs, w->options, false);
  w->info = (struct clew_report_info){.model = w->model,
                                      .command = "simulate",
                                      .command_line = command_line,
                                      .origin = &w->origin,
                                      .search = "walks",
                                      .outputs = w->outputs.list.data,
                                      .output_count = w->outputs.list.len};
  return clew_outputs_check(&w->outputs, w->options, &w->info);
}

enum clew_exit clew_simulate_walks(const struct clew_options *options) {
  assert(options->walks != CLEW_ABSENT);
  struct walking w = {
      .options = options, .arena = clew_arena_open(), .began_s = clew_clock_wall_s()};
  struct clew_text line = {0};
  clew_result_init(&w.result);
  clew_options_line(options, &line);
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
  if (exit == CLEW_EXIT_OK) {
    exit = prepare(&w, clew_text_str(&line));
  }
  if (exit == CLEW_EXIT_OK) {
    exit = walk(&w);
    clew_walked_free(&w.walked);
  }
  clew_result_free(&w.result);
  clew_outputs_free(&w.outputs);
  clew_free(w.enabled);
  if (w.model != NULL) {
    w.model->close(w.model);
  }
  clew_text_free(&line);
  clew_text_free(&w.out);
  clew_arena_close(w.arena);
  return exit;
}
