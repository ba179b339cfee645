/* Setting up a search. What can be wrong is found out before the search starts: first what the
 * command line alone tells, then the model, then what depends on both. */
#include "cli/session.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "cli/choose.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/registry.h"
#include "cli/signals.h"
#include "cli/store_options.h"

enum { DEFAULT_SEED = 1, MOST_THREADS = 1024 };
static const uint64_t MIN_MEMORY_BYTES = (uint64_t)1 << 20;
static const uint64_t LOG_MEMORY_BYTES = (uint64_t)1 << 20;
static const double TERMINAL_PROGRESS_S = 0.25;

static enum clew_exit check_memory(struct clew_session *session) {
  const struct clew_options *options = session->options;
  bool given = options->memory_bytes != CLEW_ABSENT;
  session->memory_bytes = given ? options->memory_bytes : clew_budget_default_bytes();
  if (given && session->memory_bytes < MIN_MEMORY_BYTES) {
    return clew_message_usage(options->command, "--memory must be at least 1M");
  }
  return CLEW_EXIT_OK;
}

/* Output files, and the place for files that outgrow memory, while there is still time. */
static enum clew_exit check_files(struct clew_session *session) {
  const struct clew_options *options = session->options;
  struct clew_diag_sink diags = {0};
  bool ok = clew_scratch_open(&session->scratch, options->dir, &diags) == CLEW_OK;
  ok = ok && (options->json == NULL || clew_file_writable(options->json, &diags) == CLEW_OK);
  ok = ok && (options->trace == NULL || clew_file_writable(options->trace, &diags) == CLEW_OK);
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  return ok ? CLEW_EXIT_OK : CLEW_EXIT_USAGE;
}

static enum clew_exit check_command_line(struct clew_session *session) {
  const struct clew_options *options = session->options;
  if (options->trace != NULL && strcmp(options->trace, "-") == 0) {
    return clew_message_usage(options->command, "--trace needs a file");
  }
  enum clew_exit exit = clew_choose_engine(options, &session->engine);
  if (exit == CLEW_EXIT_OK) {
    exit = clew_choose_store(options, session->engine, &session->store_type);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = clew_choose_store_options(options, session->engine, session->store_type,
                                     &session->store_options);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = check_memory(session);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = check_files(session);
  }
  return exit;
}

static enum clew_exec_mode exec_mode(const struct clew_options *options) {
  if (options->exec == NULL || strcmp(options->exec, "auto") == 0) {
    return CLEW_MODE_AUTO;
  }
  return strcmp(options->exec, "native") == 0 ? CLEW_MODE_NATIVE : CLEW_MODE_INTERP;
}

static enum clew_symmetry_mode symmetry_mode(const struct clew_options *options) {
  if (options->no_symmetry) {
    return CLEW_SYMMETRY_OFF;
  }
  if (options->symmetry == NULL || strcmp(options->symmetry, "canonical") == 0) {
    return CLEW_SYMMETRY_CANONICAL;
  }
  return strcmp(options->symmetry, "fast") == 0 ? CLEW_SYMMETRY_FAST : CLEW_SYMMETRY_OFF;
}

/* What cannot be decided must not be claimed to hold. */
static void find_undecided(struct clew_session *session) {
  assert(session->enabled != NULL && session->engine != NULL);
  const struct clew_model *model = session->model;
  unsigned capabilities =
      session->store != NULL ? session->store->capabilities : session->store_type->capabilities;
  session->undecided =
      clew_alloc_zero(CLEW_BITSET_WORDS(model->property_count) + 1, sizeof(uint64_t));
  for (uint32_t i = 0; i < model->property_count; i++) {
    enum clew_property_kind kind = model->properties[i].kind;
    bool by_engine = (session->engine->property_kinds >> kind & 1) != 0;
    bool by_store = kind != CLEW_PROPERTY_LIVENESS || clew_store_keeps_graph(capabilities);
    if (!clew_bitset_has(session->enabled, i) || (by_engine && by_store)) {
      continue;
    }
    clew_bitset_add(session->undecided, i);
    session->undecided_count++;
    clew_message("note: the %s %s cannot decide %s \"%s\"", by_engine ? "store" : "search",
                 by_engine ? session->store_type->name : session->engine->name,
                 clew_property_word(&model->properties[i]), model->properties[i].name);
  }
}

static uint32_t threads_of(const struct clew_options *options) {
  uint64_t threads = options->threads == CLEW_ABSENT ? 1 : options->threads;
  return threads < MOST_THREADS ? (uint32_t)threads : MOST_THREADS;
}

/* Searches are sequential; what a store does beside may not be. */
static void note_threads(const struct clew_session *session) {
  uint32_t threads = threads_of(session->options);
  if (threads > 1 && (session->store->capabilities & CLEW_STORE_THREADED) == 0) {
    clew_message("note: one thread is used, not %" PRIu32 ": %s", threads,
                 strcmp(session->store_type->name, "comback") != 0
                     ? "only the comback store has work for more"
                     : "without delay and queue of ids there is no work for more");
  }
}

static void ask_store(const void *context, uint64_t id, struct clew_back_edge *out) {
  const struct clew_store *store = context;
  store->type->back_edge(store, id, &out->parent, &out->edge);
}

/* The log comes after the store: what that keeps of back edges need not be written down again. */
static void open_log(struct clew_session *session) {
  uint64_t log_bytes = session->memory_bytes / 16;
  if (session->store != NULL && (session->store->capabilities & CLEW_STORE_BACK_EDGES) != 0) {
    session->log = clew_log_open_view(ask_store, session->store);
  } else {
    session->log = clew_log_open(&session->budget, &session->scratch,
                                 log_bytes < LOG_MEMORY_BYTES ? log_bytes : LOG_MEMORY_BYTES);
  }
}

static enum clew_exit open_store(struct clew_session *session) {
  clew_budget_init(&session->budget, session->memory_bytes);
  struct clew_store_config config = {.words = session->model->words,
                                     .bytes = session->model->bytes,
                                     .threads = threads_of(session->options),
                                     .seed = session->seed,
                                     .budget = &session->budget,
                                     .scratch = &session->scratch,
                                     .options = &session->store_options,
                                     .diags = &session->diags,
                                     .replay = clew_model_replay,
                                     .replay_context = session->model};
  enum clew_status status = session->store_type->open(&config, &session->diags, &session->store);
  assert((status == CLEW_OK) == (session->store != NULL));
  if (status != CLEW_OK && status != CLEW_OVER_LIMIT) {
    clew_report_diagnostics(stderr, &session->diags);
    return status == CLEW_BAD_INPUT ? CLEW_EXIT_USAGE : CLEW_EXIT_INTERNAL;
  }
  if ((session->store_type->capabilities & CLEW_STORE_BACK_EDGES) != 0) {
    session->model->expect_fire(session->model); /* states are rebuilt from edges */
  }
  open_log(session);
  if (session->store != NULL) {
    session->store_type = session->store->type;
    note_threads(session);
  }
  return CLEW_EXIT_OK;
}

static const char *symmetry_name(const struct clew_session *session) {
  if (session->model->canonicalise == NULL) {
    return NULL;
  }
  return symmetry_mode(session->options) == CLEW_SYMMETRY_FAST ? "fast" : "canonical";
}

static bool use_color(const struct clew_options *options) {
  if (options->color != NULL && strcmp(options->color, "auto") != 0) {
    return strcmp(options->color, "always") == 0;
  }
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  bool refused = no_color != NULL && *no_color != '\0';
  bool dumb = term == NULL || strcmp(term, "dumb") == 0;
  return !refused && !dumb && isatty(STDOUT_FILENO) != 0;
}

static void open_reporter(struct clew_session *session) {
  assert(session->model != NULL && session->store_type != NULL);
  const struct clew_options *options = session->options;
  bool json_only = options->json != NULL && strcmp(options->json, "-") == 0;
  bool terminal = isatty(STDERR_FILENO) != 0;
  double every_s = terminal && !options->quiet ? TERMINAL_PROGRESS_S : 0;
  session->reporter =
      (struct clew_reporter){.type = &clew_reporter_text,
                             .out = json_only ? NULL : stdout,
                             .err = stderr,
                             .terminal = terminal,
                             .color = use_color(options),
                             .quiet = options->quiet,
                             .every_s = isnan(options->progress_s) ? every_s : options->progress_s};
  clew_options_line(options, &session->command_line);
  session->info = (struct clew_run_info){.model = session->model,
                                         .command = clew_commands[options->command].name,
                                         .command_line = clew_text_str(&session->command_line),
                                         .store = session->store_type->name,
                                         .search = session->engine->name,
                                         .symmetry = symmetry_name(session),
                                         .enabled = session->enabled,
                                         .undecided = session->undecided,
                                         .trace_full = options->trace_full};
}

enum clew_exit clew_session_open(struct clew_session *session, const struct clew_options *options) {
  *session =
      (struct clew_session){.options = options,
                            .is_stats = options->command == CLEW_COMMAND_stats,
                            .started_s = clew_clock_wall_s(),
                            .seed = options->seed != CLEW_ABSENT ? options->seed : DEFAULT_SEED};
  clew_result_init(&session->result);
  enum clew_exit exit = check_command_line(session);
  if (exit == CLEW_EXIT_OK) {
    exit = clew_load_model(options, exec_mode(options), symmetry_mode(options), &session->model);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = clew_choose_properties(options, session->model, &session->enabled);
  }
  if (exit != CLEW_EXIT_OK) {
    return exit;
  }
  exit = open_store(session);
  if (exit == CLEW_EXIT_OK) {
    find_undecided(session);
    open_reporter(session);
  }
  return exit;
}

static void search(struct clew_session *session) {
  assert(session->store != NULL && session->log != NULL);
  const struct clew_options *options = session->options;
  double never = INFINITY;
  struct clew_search search = {
      .model = session->model,
      .store = session->store,
      .log = session->log,
      .budget = &session->budget,
      .scratch = &session->scratch,
      .measures_locality = session->is_stats,
      .frontier_block = session->store->get_block,
      .precision = options->pod != CLEW_ABSENT ? (uint32_t)options->pod : 0,
      .reporter = &session->reporter,
      .limits = {.max_states = options->max_states,
                 .max_depth = options->max_depth,
                 .max_time_s = isnan(options->max_time_s) ? never : options->max_time_s},
      .enabled = session->enabled,
      .stop_at_violation = !session->is_stats,
      .threads = 1,
      .started_s = session->started_s,
      .interrupted = clew_signals_catch(),
      .diags = &session->diags};
  double explore_started_s = clew_clock_wall_s();
  session->reporter.type->begin(&session->reporter, &session->info);
  session->engine->run(&search, &session->result);
  session->result.explore_s = clew_clock_wall_s() - explore_started_s;
}

/* The figures that the engine does not know. */
static void add_figures(struct clew_session *session) {
  struct clew_result *result = &session->result;
  unsigned capabilities =
      session->store != NULL ? session->store->capabilities : session->store_type->capabilities;
  result->lossless = (capabilities & CLEW_STORE_LOSSLESS) != 0;
  result->state_bits = session->model->state_bits;
  result->state_bytes = session->model->bytes;
  result->memory_bytes = session->memory_bytes;
  result->threads = session->store != NULL && (capabilities & CLEW_STORE_THREADED) != 0
                        ? session->store->config.threads
                        : 1;
  result->seed = session->seed;
  if (session->store != NULL) {
    result->store_bytes = session->store_type->bytes(session->store);
    if (result->states != CLEW_ABSENT && result->states > 0) {
      result->bytes_per_state = (double)result->store_bytes / (double)result->states;
    }
  }
  uint64_t log_bytes = clew_log_disk_bytes(session->log);
  if (result->disk_bytes_peak == CLEW_ABSENT || result->disk_bytes_peak < log_bytes) {
    result->disk_bytes_peak = log_bytes;
  }
}

/* `stats` answers whether it saw everything, whatever it saw. */
static void conclude(struct clew_session *session) {
  struct clew_result *result = &session->result;
  clew_result_conclude(result, session->model);
  if (session->undecided_count > 0 && result->verdict != CLEW_VERDICT_VIOLATED) {
    result->verdict = clew_verdict_derive(NULL, false, result->lossless);
    result->exit_code = clew_verdict_exit(result->verdict, NULL);
  }
  if (session->is_stats) {
    enum clew_verdict explored = clew_verdict_derive(NULL, result->complete, result->lossless);
    result->exit_code = clew_verdict_exit(explored, NULL);
  }
}

void clew_session_explore(struct clew_session *session) {
  assert(session->log != NULL);
  if (session->store != NULL) {
    search(session);
  } else {
    session->result.stop = CLEW_STOP_MEMORY;
    session->result.states = session->result.transitions = 0;
  }
  add_figures(session);
  conclude(session);
}

void clew_session_close(struct clew_session *session) {
  if (session->store != NULL) {
    session->store_type->close(session->store);
  }
  clew_log_close(session->log);
  clew_scratch_close(&session->scratch);
  clew_result_free(&session->result);
  clew_text_free(&session->command_line);
  clew_free(session->enabled);
  clew_free(session->undecided);
  if (session->model != NULL) {
    session->model->close(session->model);
  }
  clew_diag_sink_free(&session->diags);
}
