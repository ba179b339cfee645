/* `clew simulate`: a walk through the model, at random or step by step.
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
#include "cli/choose.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "cli/simulate_int.h"
#include "report/report.h"
#include "trace/plain.h"

enum { DEFAULT_STEPS = 100, DEFAULT_SEED = 1 };

static bool flush(struct walk *walk) {
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

/* Merges successors and faults in the order of edges; false when there is no time for that. */
static bool find_choices(struct walk *walk) {
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

static void choice_name(const struct walk *walk, const struct choice *choice,
                        struct clew_text *out) {
  (walk->is_start ? walk->model->print_initial : walk->model->print_edge)(walk->model, choice->edge,
                                                                          out);
}

/* That of a search which finds this violation first. */
static enum clew_exit exit_of(const struct walk *walk, const struct clew_violation *violation) {
  const struct clew_model *model = walk->model;
  const struct clew_scope scope = {.has_states = true};
  struct clew_outcomes outcomes;
  clew_outcomes_open(&outcomes, model->property_count, walk->enabled);
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
  bool is_success = model->properties[property].query == CLEW_QUERY_REACH && site == CLEW_NONE;
  clew_text_printf(&walk->out, "%s ", clew_report_violation_word(model, &violation));
  clew_report_violation(model, &violation, &walk->out);
  clew_text_put(&walk->out, ".\n");
  walk->exit = is_success ? CLEW_EXIT_OK : exit_of(walk, &violation);
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

/* Takes a transition and shows it. False when it is a run-time error, and nowhere is reached. */
static bool take(struct walk *walk, const struct choice *choice, bool keep_all) {
  assert(choice->site != CLEW_NONE || choice->index < walk->succs.count);
  uint64_t number = walk->is_start ? 0 : walk->steps + 1;
  struct clew_text name = {0};
  choice_name(walk, choice, &name);
  if (walk->hides_steps && walk->is_start) {
    walk->initial = choice->edge;
  } else if (walk->hides_steps) {
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

/* Checks where the walk has arrived; false when a property is violated. */
static bool check_state(struct walk *walk) {
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

/* Up to `steps` random steps from where the walk is; false when it cannot go on. */
static bool walk_randomly(struct walk *walk, uint64_t steps, bool keep_all) {
  for (uint64_t i = 0; i < steps; i++) {
    if (!find_choices(walk)) {
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
    if (!take(walk, &walk->choices.data[pick], keep_all) || !check_state(walk) || !flush(walk)) {
      return false;
    }
  }
  return true;
}

static void run_random(struct walk *walk) {
  uint64_t steps = walk->options->steps != CLEW_ABSENT ? walk->options->steps : DEFAULT_STEPS;
  /* The way to an initial state is not a step. */
  if (walk_randomly(walk, steps + 1, false)) {
    clew_text_printf(&walk->out, "The walk ends after %llu step%s; no violation on the way.\n",
                     (unsigned long long)steps, steps == 1 ? "" : "s");
  }
  flush(walk);
}

/* ---- Step by step --------------------------------------------------------------------------- */

static bool list_choices(struct walk *walk) {
  if (!find_choices(walk)) {
    return false;
  }
  if (walk->choices.len == 0) {
    clew_text_put(&walk->out, walk->is_start ? "The model has no initial state.\n"
                                             : "Nothing can happen here (u undoes, q quits).\n");
  }
  struct clew_text name = {0};
  for (uint32_t i = 0; i < walk->choices.len; i++) {
    const struct choice *choice = &walk->choices.data[i];
    clew_text_clear(&name);
    choice_name(walk, choice, &name);
    clew_text_printf(&walk->out, "  [%u] ", i + 1);
    clew_plain_put(&walk->out, clew_text_str(&name));
    if (walk->by_delays && !walk->is_start) {
      clew_text_put(&walk->out, "  after ");
      clew_window_print(clew_walk_point(walk), &choice->window, &walk->out);
    }
    clew_text_put(&walk->out, choice->site != CLEW_NONE ? "  (run-time error)\n" : "\n");
  }
  if (walk->by_delays && !walk->is_start) {
    clew_walk_print_stay(walk);
  }
  clew_text_free(&name);
  return true;
}

static void undo(struct walk *walk) {
  assert(walk->states.len % walk->model->words == 0);
  if (walk->states.len == 0) {
    clew_text_put(&walk->out, "There is nothing to undo.\n");
    return;
  }
  walk->states.len -= walk->model->words;
  walk->is_start = walk->states.len == 0;
  walk->steps -= walk->steps > 0;
  if (walk->by_delays) {
    clew_walk_forget(walk, 1);
    walk->steps = walk->is_start ? 0 : clew_vec_last(&walk->moments).steps;
  }
  if (!walk->is_start) {
    clew_text_printf(&walk->out, "Back at step %llu.\n", (unsigned long long)walk->steps);
  }
}

static const char HELP[] = "Type the number of a transition, u (undo), s (show the state), "
                           "r N (N random steps) or q (quit).\n";
static const char HELP_DELAYS[] =
    "Type the number of a transition, which is taken as soon as it can be, or the number and a "
    "delay (2 1.5);\nd 1.5 (let time pass), u (undo), s (show the state), r N (N random steps) or "
    "q (quit).\n";

/* By delays: waits until the choice can be taken, for as long as the user says. False: it cannot,
 * or the walk ends on the way. */
static bool wait_for(struct walk *walk, struct choice *choice, const char *word) {
  struct clew_point *point = clew_walk_point(walk);
  int64_t delay = 0, scale = point->scale;
  if (*word == '\0') {
    delay = clew_point_earliest(point, &choice->window);
  } else if (!clew_point_parse(point, word, &delay)) {
    clew_text_put(&walk->out, "How long? For example: 2 1.5\n");
    return false;
  }
  if (*word != '\0' && point->scale != scale) { /* windows are in the old unit */
    choice->window.from *= point->scale / scale;
    choice->window.to *= point->scale / scale;
  }
  if (!clew_window_has(&choice->window, delay)) {
    clew_text_put(&walk->out, "It can be taken after ");
    clew_window_print(point, &choice->window, &walk->out);
    clew_text_put(&walk->out, " only.\n");
    return false;
  }
  return delay == 0 || clew_walk_delay(walk, delay, true);
}

static void choose_number(struct walk *walk, const char *word, const char *rest) {
  assert(word != NULL);
  uint64_t number;
  if (!clew_text_parse_u64(word, &number) || number < 1 || number > walk->choices.len) {
    clew_text_put(&walk->out, walk->by_delays ? HELP_DELAYS : HELP);
    return;
  }
  struct choice *choice = &walk->choices.data[number - 1];
  if (walk->by_delays && !walk->is_start && !wait_for(walk, choice, rest)) {
    return;
  }
  if (take(walk, choice, true)) {
    check_state(walk);
  }
}

/* By delays: "d 1.5". */
static void let_pass(struct walk *walk, const char *word) {
  int64_t delay;
  if (walk->is_start) {
    clew_text_put(&walk->out, "Choose how to start first.\n");
    return;
  }
  struct clew_point *point = clew_walk_point(walk);
  if (!clew_point_parse(point, word, &delay)) {
    clew_text_put(&walk->out, "How long? For example: d 1.5\n");
    return;
  }
  struct clew_window stay = clew_point_stay(point);
  if (!clew_window_has(&stay, delay)) {
    clew_walk_print_stay(walk);
  } else {
    clew_walk_delay(walk, delay, true);
  }
}

static void show_state(struct walk *walk) {
  if (walk->states.len > 0) {
    clew_state_print(walk->model, clew_walk_state(walk), NULL, "        ", &walk->out);
    if (walk->by_delays) {
      clew_point_print(clew_walk_point(walk), walk->model->timed, &walk->out);
    }
  }
}

/* Obeys one line; false when it says to quit. */
static bool obey(struct walk *walk, char *line) {
  char *word = line + strspn(line, " \t");
  size_t length = strcspn(word, " \t");
  char *rest = word + length + strspn(word + length, " \t");
  rest[strcspn(rest, " \t")] = '\0';
  word[length] = '\0';
  if (strcmp(word, "q") == 0) {
    return false;
  }
  if (strcmp(word, "u") == 0) {
    undo(walk);
  } else if (strcmp(word, "s") == 0) {
    show_state(walk);
  } else if (strcmp(word, "d") == 0 && walk->by_delays) {
    let_pass(walk, rest);
  } else if (strcmp(word, "r") == 0) {
    uint64_t steps = 1;
    if (*rest != '\0' && !clew_text_parse_u64(rest, &steps)) {
      clew_text_put(&walk->out, "How many steps? For example: r 10\n");
    } else {
      walk_randomly(walk, steps, true);
    }
  } else if (*word != '\0') {
    choose_number(walk, word, rest);
  }
  return true;
}

static void run_by_hand(struct walk *walk) {
  char *line = NULL;
  size_t room = 0;
  bool echo = isatty(STDIN_FILENO) == 0; /* so that the output of a script reads like a dialogue */
  for (bool more = true; more;) {
    if (!list_choices(walk)) {
      break;
    }
    clew_text_put(&walk->out, "> ");
    more = flush(walk) && getline(&line, &room, stdin) >= 0;
    if (!more) {
      clew_text_char(&walk->out, '\n');
      break;
    }
    line[strcspn(line, "\r\n")] = '\0';
    if (echo) {
      clew_plain_put(&walk->out, line);
      clew_text_char(&walk->out, '\n');
    }
    more = obey(walk, line);
  }
  free(line);
  flush(walk);
  if (!atomic_load(walk->model->stop)) {
    walk->exit = CLEW_EXIT_OK; /* the user has seen what happened */
  }
}

enum clew_exit clew_command_simulate(const struct clew_options *options) {
  struct clew_model *model;
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
    uint64_t seed = options->seed != CLEW_ABSENT ? options->seed : DEFAULT_SEED;
    clew_random_seed(&walk.random, seed);
    clew_succs_open(&walk.succs, model->words, model->cover_count);
    bool by_hand = options->interactive || (!options->random && isatty(STDIN_FILENO) != 0);
    clew_text_printf(&walk.out, "seed %llu\n", (unsigned long long)seed);
    walk.hides_steps = options->quiet && !by_hand;
    if (by_hand) {
      run_by_hand(&walk);
    } else {
      run_random(&walk);
    }
    exit = walk.exit;
    clew_succs_close(&walk.succs);
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
