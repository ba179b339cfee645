/* `clew simulate`: a walk through the model, at random or step by step (simulate_hand.c).
 *
 * A walk shows what a trace shows, as it happens. Through a timed model it leads by zones, or by
 * delays (simulate_delays.c): then clocks have values. A random one ends at the first violation,
 * and the exit code says which kind it was; 0 means no more than that the walk was taken. */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/file.h"
#include "cli/choose.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "cli/simulate_int.h"
#include "report/report.h"
#include "trace/plain.h"
#include "trace/trace.h"

enum { DEFAULT_STEPS = 100, DEFAULT_SEED = 1 };
static const size_t TRACE_LIMIT_BYTES = (size_t)1 << 30;

bool clew_walk_flush(struct walk *walk) {
  fwrite(clew_text_str(&walk->out), 1, walk->out.len, stdout);
  clew_text_clear(&walk->out);
  return fflush(stdout) == 0;
}

bool clew_walk_note_limit(struct walk *walk, uint32_t site) {
  const struct clew_model *model = walk->model;
  enum clew_site_kind kind =
      site < model->site_count ? model->sites[site].kind : CLEW_SITE_ASSERTION;
  if (kind != CLEW_SITE_STOPPED && kind != CLEW_SITE_RECURSION) {
    return false;
  }
  clew_text_put(&walk->out, "INCOMPLETE: the walk ends here: ");
  if (kind == CLEW_SITE_STOPPED) {
    clew_text_put(&walk->out, clew_stop_text(CLEW_STOP_MAX_TIME));
  } else {
    struct clew_text message = {0};
    clew_site_print(model, site, &message);
    clew_plain_put(&walk->out, clew_text_str(&message));
    clew_text_free(&message);
  }
  clew_text_put(&walk->out, ".\n");
  walk->exit = CLEW_EXIT_INCOMPLETE;
  return true;
}

/* Whether the time limit is reached, or was during an evaluation. */
static bool is_late(struct walk *walk) {
  if (!atomic_load(walk->model->stop)) {
    return false;
  }
  clew_text_printf(&walk->out, "INCOMPLETE: the walk ends here: %s.\n",
                   clew_stop_text(CLEW_STOP_MAX_TIME));
  walk->exit = CLEW_EXIT_INCOMPLETE;
  return true;
}

bool clew_walk_find_choices(struct walk *walk) {
  struct clew_succs *succs = &walk->succs;
  clew_succs_clear(succs);
  if (walk->is_start) {
    walk->model->init(walk->model, succs);
  } else {
    walk->model->next(walk->model, clew_walk_state(walk), succs);
  }
  clew_vec_clear(&walk->choices);
  if (is_late(walk)) {
    return false;
  }
  uint32_t next = 0, fault = 0;
  while (next < succs->count || fault < succs->fault_count) {
    bool take_fault = next == succs->count || (fault < succs->fault_count &&
                                               succs->faults[fault].edge < succs->edges[next]);
    struct choice choice = {.site = CLEW_NONE};
    if (take_fault) {
      choice.edge = succs->faults[fault].edge;
      choice.site = succs->faults[fault++].site;
    } else {
      choice.edge = succs->edges[next];
      choice.index = next++;
    }
    clew_vec_push(&walk->choices, choice);
  }
  if (walk->by_delays) {
    clew_walk_find_windows(walk);
  }
  return true;
}

void clew_walk_choice_name(const struct walk *walk, const struct choice *choice,
                           struct clew_text *out) {
  if (walk->is_start) {
    walk->model->print_initial(walk->model, choice->edge, out);
  } else {
    clew_model_print_step(walk->model, clew_walk_state(walk), choice->edge, out);
  }
}

/* The exit code of a search that finds this violation first. */
static enum clew_exit exit_of(const struct clew_model *model, const uint64_t *enabled,
                              const struct clew_violation *violation) {
  if (model->properties[violation->property].query == CLEW_QUERY_REACH &&
      violation->site == CLEW_NONE) {
    return CLEW_EXIT_OK; /* that is what was asked for */
  }
  const struct clew_scope scope = {.has_states = true};
  struct clew_outcomes outcomes;
  clew_outcomes_open(&outcomes, model->property_count, enabled);
  clew_outcomes_violate(&outcomes, violation->property, violation->depth, violation->site);
  enum clew_exit exit = clew_outcomes_conclude(&outcomes, model->properties, &scope).exit_code;
  clew_outcomes_free(&outcomes);
  return exit;
}

/* Shows the steps that were not shown as they happened; the last of them may have failed. */
static void show_hidden(struct walk *walk, uint32_t property, uint32_t site, bool step_failed) {
  struct clew_trace trace = {.initial = walk->initial,
                             .edges = walk->edges.data,
                             .edge_count = walk->edges.len,
                             .property = property,
                             .fault_edge = CLEW_NONE,
                             .site = site,
                             .loop_to = CLEW_NONE};
  if (step_failed && walk->edges.len > 0) {
    trace.fault_edge = walk->edges.data[--trace.edge_count];
  } else if (step_failed) {
    trace.fault_edge = walk->initial;
    trace.initial = CLEW_NONE;
  }
  clew_text_char(&walk->out, '\n');
  clew_trace_print(walk->model, &trace, clew_options_trace_style(walk->options), &walk->out);
}

void clew_walk_note_violation(struct walk *walk, uint32_t property, uint32_t site, uint64_t step) {
  assert(property < walk->model->property_count);
  const struct clew_model *model = walk->model;
  uint32_t depth = step < CLEW_NONE ? (uint32_t)step : CLEW_NONE;
  struct clew_violation violation = {.property = property, .depth = depth, .site = site};
  clew_text_printf(&walk->out, "%s ", clew_report_violation_word(model, &violation));
  clew_report_violation(model, &violation, &walk->out);
  clew_text_put(&walk->out, ".\n");
  walk->exit = exit_of(model, walk->enabled, &violation);
  if (walk->hides_steps) {
    bool step_failed = site != CLEW_NONE && (walk->is_start || step > walk->steps);
    show_hidden(walk, property, site, step_failed);
  }
}

/* The property of a kind that every model has; CLEW_NONE when it is switched off. */
static uint32_t property_of_kind(const struct walk *walk, enum clew_property_kind kind) {
  for (uint32_t i = 0; i < walk->model->property_count; i++) {
    if (walk->model->properties[i].kind == kind && clew_bitset_has(walk->enabled, i)) {
      return i;
    }
  }
  return CLEW_NONE;
}

void clew_walk_push(struct walk *walk, const uint64_t *state, bool keep_all) {
  uint32_t words = walk->model->words;
  if (!keep_all && walk->states.len > words) {
    memmove(walk->states.data, clew_walk_state(walk), words * sizeof(uint64_t));
    walk->states.len = words;
  }
  clew_vec_reserve(&walk->states, walk->states.len + words);
  memcpy(walk->states.data + walk->states.len, state, words * sizeof(uint64_t));
  walk->states.len += words;
}

/* A transition that is a run-time error leads nowhere. */
static void take_fault(struct walk *walk, const struct choice *choice, uint64_t number,
                       struct clew_text *name) {
  if (walk->by_delays && !walk->is_start) {
    clew_walk_put_time(walk, name);
  }
  if (!walk->hides_steps) {
    clew_step_print_fault(walk->model, number, clew_text_str(name), choice->site, &walk->out);
  }
  uint32_t property = property_of_kind(walk, CLEW_PROPERTY_FAULT);
  if (!clew_walk_note_limit(walk, choice->site) && property != CLEW_NONE) {
    clew_walk_note_violation(walk, property, choice->site, number);
  }
}

static void show_step(struct walk *walk, uint64_t number, struct clew_text *name,
                      const uint64_t *previous) {
  if (walk->hides_steps) {
    return;
  }
  if (walk->by_delays) {
    clew_walk_put_time(walk, name);
  }
  clew_step_print(walk->model, number, clew_text_str(name),
                  walk->options->trace_full ? NULL : previous, clew_walk_state(walk), &walk->out);
  if (walk->by_delays) {
    clew_point_print(clew_walk_point(walk), walk->model->timed, &walk->out);
  } else {
    clew_clocks_print(walk->model, clew_walk_state(walk), &walk->out);
  }
}

bool clew_walk_take(struct walk *walk, const struct choice *choice, bool keep_all) {
  assert(choice->site != CLEW_NONE || choice->index < walk->succs.count);
  uint64_t number = walk->is_start ? 0 : walk->steps + 1;
  struct clew_text name = {0};
  clew_walk_choice_name(walk, choice, &name);
  bool keeps = walk->hides_steps || (walk->by_hand && choice->site == CLEW_NONE);
  if (keeps && walk->is_start) {
    walk->initial = choice->edge;
  } else if (keeps) {
    clew_vec_push(&walk->edges, choice->edge);
  }
  if (choice->site != CLEW_NONE) {
    take_fault(walk, choice, number, &name);
    clew_text_free(&name);
    return false;
  }
  uint32_t words = walk->model->words;
  clew_walk_push(walk, walk->succs.states + (size_t)choice->index * words, keep_all);
  const uint64_t *previous = walk->is_start ? NULL : clew_walk_state(walk) - words;
  walk->steps = number;
  if (walk->by_delays) {
    clew_walk_arrive(walk, choice, previous, keep_all);
  }
  show_step(walk, number, &name, previous);
  clew_text_free(&name);
  walk->is_start = false;
  return true;
}

bool clew_walk_check(struct walk *walk) {
  assert(!walk->is_start);
  if (walk->by_delays) {
    return clew_walk_check_point(walk);
  }
  uint32_t site = CLEW_NONE;
  uint32_t property = walk->model->check(walk->model, walk->enabled, clew_walk_state(walk), &site);
  if (property != CLEW_NONE) {
    if (!clew_walk_note_limit(walk, site)) {
      clew_walk_note_violation(walk, property, site, walk->steps);
    }
    return false;
  }
  return true;
}

static void note_stuck(struct walk *walk) {
  uint32_t property = property_of_kind(walk, CLEW_PROPERTY_DEADLOCK);
  if (walk->is_start) {
    clew_text_put(&walk->out, "The model has no initial state.\n");
  } else if (property != CLEW_NONE) {
    clew_walk_note_violation(walk, property, CLEW_NONE, walk->steps);
  } else {
    clew_text_put(&walk->out, "The walk ends here: nothing can happen any more.\n");
  }
}

/* A random delay after which the choice can be taken; false when the walk ends on the way. */
static bool delay_randomly(struct walk *walk, uint64_t pick, bool keep_all) {
  struct clew_point *point = clew_walk_point(walk);
  struct clew_window *window = &walk->choices.data[pick].window;
  int64_t delay = clew_point_any(point, window, &walk->random);
  if (clew_point_is_far(point)) {
    clew_text_put(&walk->out, "The walk ends here: too much time has passed.\n");
    return false;
  }
  return delay == 0 || clew_walk_delay(walk, delay, keep_all);
}

bool clew_walk_randomly(struct walk *walk, uint64_t steps, bool keep_all) {
  for (uint64_t i = 0; i < steps; i++) {
    if (!clew_walk_find_choices(walk)) {
      return false;
    }
    if (walk->choices.len == 0 || (!walk->is_start && !walk->by_delays && walk->succs.stuck)) {
      note_stuck(walk);
      return false;
    }
    uint64_t pick = clew_random_below(&walk->random, walk->choices.len);
    if (walk->by_delays && !walk->is_start && !delay_randomly(walk, pick, keep_all)) {
      return false;
    }
    if (!clew_walk_take(walk, &walk->choices.data[pick], keep_all) || !clew_walk_check(walk) ||
        !clew_walk_flush(walk)) {
      return false;
    }
  }
  return true;
}

static void run_random(struct walk *walk) {
  uint64_t steps = walk->options->steps != CLEW_ABSENT ? walk->options->steps : DEFAULT_STEPS;
  /* The way to an initial state is not a step. */
  if (clew_walk_randomly(walk, steps + 1, false)) {
    clew_text_printf(&walk->out, "The walk ends after %llu step%s; no violation on the way.\n",
                     (unsigned long long)steps, steps == 1 ? "" : "s");
  }
  clew_walk_flush(walk);
}

/* Takes the steps of a saved trace; false, and a message, when it is none of this model. */
static bool follow_trace(struct walk *walk, const char *file) {
  struct clew_diag_sink diags = {0};
  struct clew_text text = {0};
  struct clew_trace trace = {0};
  bool ok = clew_file_read(file, TRACE_LIMIT_BYTES, &text, &diags) == CLEW_OK &&
            clew_trace_read_steps(walk->model, file, clew_text_str(&text), text.len, &trace,
                                  &diags) == CLEW_OK;
  if (ok) {
    uint32_t failed_step;
    uint64_t *states = clew_trace_states(walk->model, &trace, &failed_step);
    ok = states != NULL;
    if (!ok) {
      clew_diag_plain(&diags, CLEW_ERROR, file, "step %u of the trace is not possible",
                      failed_step);
    }
    for (uint32_t i = 0; ok && i <= trace.edge_count; i++) {
      clew_walk_push(walk, states + (size_t)i * walk->model->words, true);
    }
    clew_free(states);
    walk->initial = trace.initial;
    for (uint32_t i = 0; ok && i < trace.edge_count; i++) {
      clew_vec_push(&walk->edges, trace.edges[i]);
    }
    walk->steps = trace.edge_count;
    walk->is_start = false;
    clew_text_printf(&walk->out, "The walk goes on behind step %u of %s.\n", trace.edge_count,
                     file);
  }
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  clew_text_free(&text);
  clew_trace_free(&trace);
  return ok;
}

static enum clew_exit walk_once(struct walk *walk, uint64_t seed) {
  const struct clew_options *options = walk->options;
  clew_random_seed(&walk->random, seed);
  clew_succs_open(&walk->succs, walk->model->words, walk->model->cover_count);
  walk->by_hand = options->interactive || (!options->random && isatty(STDIN_FILENO) != 0);
  walk->hides_steps = options->quiet && !walk->by_hand;
  clew_text_printf(&walk->out, "seed %llu\n", (unsigned long long)seed);
  if (options->from != NULL && !follow_trace(walk, options->from)) {
    walk->exit = CLEW_EXIT_BAD_MODEL;
  } else if (walk->by_hand) {
    clew_walk_by_hand(walk);
  } else {
    run_random(walk);
  }
  clew_succs_close(&walk->succs);
  return walk->exit;
}

/* Combinations of options that mean nothing. */
static const char *misuse(const struct clew_options *options) {
  if (options->walks == CLEW_ABSENT) {
    return options->trace != NULL  ? "--trace is for --walks (step by step: the command save)"
           : options->json != NULL ? "--json is for --walks"
           : options->threads != CLEW_ABSENT          ? "--threads is for --walks"
           : options->from != NULL && options->delays ? "--from cannot be used with --delays"
                                                      : NULL;
  }
  return options->interactive    ? "--walks cannot be used with --interactive"
         : options->delays       ? "--walks cannot be used with --delays"
         : options->from != NULL ? "--walks cannot be used with --from"
                                 : NULL;
}

enum clew_exit clew_command_simulate(const struct clew_options *options) {
  struct clew_model *model;
  const char *wrong = misuse(options);
  if (wrong != NULL) {
    clew_message("error: %s", wrong);
    return CLEW_EXIT_USAGE;
  }
  if (options->walks != CLEW_ABSENT) {
    return clew_simulate_walks(options);
  }
  clew_signals_alarm(options->max_time_s);
  enum clew_exit exit =
      clew_load_model(options, CLEW_MODE_INTERP, CLEW_SYMMETRY_OFF, false, NULL, &model);
  if (exit != CLEW_EXIT_OK) {
    return exit;
  }
  struct walk walk = {.options = options,
                      .model = model,
                      .is_start = true,
                      .by_delays = options->delays,
                      .exit = CLEW_EXIT_OK};
  const struct clew_timed *timed = model->timed;
  if (walk.by_delays && (timed == NULL || !clew_walk_can_delay(timed))) {
    clew_message("error: --delays %s", timed == NULL
                                           ? "needs a timed model, with --time zones"
                                           : "does not know models in which differences "
                                             "of clocks are compared and clocks stand still");
    model->close(model);
    return CLEW_EXIT_USAGE;
  }
  exit = clew_choose_properties(options, model, &walk.enabled);
  if (exit == CLEW_EXIT_OK) {
    exit = walk_once(&walk, options->seed != CLEW_ABSENT ? options->seed : DEFAULT_SEED);
  }
  clew_walk_forget(&walk, walk.moments.len);
  clew_vec_free(&walk.moments);
  clew_vec_free(&walk.choices);
  clew_vec_free(&walk.states);
  clew_vec_free(&walk.edges);
  clew_text_free(&walk.out);
  clew_free(walk.enabled);
  model->close(model);
  return exit;
}
