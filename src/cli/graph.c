/* `clew graph`: explores a small state graph and exports it. A breadth-first search fills the
 * store; its states are then expanded once more, in the order of their ids, to see the transitions.
 */
#include "cli/graph.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "report/report.h"
#include "search/engine.h"

enum { DEFAULT_MAX_STATES = 10000, LOG_SHARE = 16 /* of the memory, at most */ };

/* ---- the search ---- */

/* Everything a search takes besides the model. */
struct export {
  const struct clew_options *options; /* borrowed, as is the rest but for what open_export opens */
  const struct clew_model *model;
  const atomic_bool *interrupted; /* by a signal */
  const struct clew_graph_format *format;
  uint64_t max_states;
  struct clew_budget budget;
  struct clew_scratch scratch;
  struct clew_store *store;
  struct clew_log *log;
  struct clew_diag_sink diags;
};

static enum clew_status open_export(struct export *export) {
  clew_budget_init(&export->budget, clew_budget_default_bytes());
  enum clew_status status = clew_scratch_open(&export->scratch, NULL, &export->diags);
  if (status != CLEW_OK) {
    return status;
  }
  struct clew_store_config config = {.words = export->model->words,
                                     .bytes = export->model->bytes,
                                     .threads = 1,
                                     .budget = &export->budget,
                                     .scratch = &export->scratch,
                                     .diags = &export->diags,
                                     .discrete_words = export->model->discrete_words};
  status = clew_store_exact.open(&config, &export->diags, &export->store);
  if (status == CLEW_OK) {
    export->log =
        clew_log_open(&export->budget, &export->scratch, export->budget.limit_bytes / LOG_SHARE);
  }
  return status;
}

static void close_export(struct export *export) {
  clew_log_close(export->log);
  if (export->store != NULL) {
    export->store->type->close(export->store);
  }
  clew_scratch_close(&export->scratch);
  clew_diag_sink_free(&export->diags);
}

/* Fills the store with all reachable states; nothing is checked. */
static void explore(struct export *export, struct clew_result *result) {
  uint32_t words = CLEW_BITSET_WORDS(export->model->property_count);
  uint64_t *nothing = clew_alloc_zero((size_t)words + 1, sizeof *nothing);
  struct clew_search search = {
      .model = export->model,
      .store = export->store,
      .log = export->log,
      .budget = &export->budget,
      .scratch = &export->scratch,
      /* One more than allowed shows that there are too many. */
      .limits = {.max_states = export->max_states + 1,
                 .max_depth = CLEW_ABSENT,
                 .max_time_s = INFINITY},
      .enabled = nothing,
      .started_s = clew_clock_wall_s(),
      .interrupted = export->interrupted,
      .diags = &export->diags,
  };
  clew_search_run(&clew_engine_bfs, &search, result);
  clew_free(nothing);
}

/* ---- the transitions ---- */

/* Adds a transition to each state in the buffer, all of which are in the store. */
static void add_edges(struct clew_graph *graph, const struct clew_succs *succs, uint32_t from,
                      bool start) {
  struct clew_store *store = graph->store;
  uint32_t words = graph->model->words;
  assert(succs->words == words);
  struct clew_visit *visits = clew_alloc_zero((size_t)succs->count + 1, sizeof *visits);
  for (uint32_t i = 0; i < succs->count; i++) {
    visits[i].state = succs->states + (size_t)i * words;
    visits[i].hash = clew_hash_words(visits[i].state, words, store->config.seed);
  }
  store->type->find(store, succs->count, visits);
  for (uint32_t i = 0; i < succs->count; i++) {
    assert(visits[i].answer == CLEW_SEEN);
    struct clew_graph_edge edge = {
        .from = from, .to = (uint32_t)visits[i].id, .edge = succs->edges[i]};
    if (start) {
      clew_vec_push(&graph->initial, edge);
    } else {
      clew_vec_push(&graph->edges, edge);
    }
  }
  graph->fault_count += succs->fault_count;
  clew_free(visits);
}

static void fill_graph(struct clew_graph *graph) {
  const struct clew_model *model = graph->model;
  struct clew_store *store = graph->store;
  assert((store->promises & CLEW_STORE_GRAPH) == CLEW_STORE_GRAPH);
  uint64_t count = store->type->count(store);
  assert(count < UINT32_MAX);
  graph->stuck = clew_alloc_zero(CLEW_BITSET_WORDS(count) + 1, sizeof *graph->stuck);
  uint64_t *state = clew_alloc(model->words * sizeof *state);
  struct clew_succs succs;
  clew_succs_open_piecewise(&succs, model->words, model->cover_count);
  do {
    clew_succs_clear(&succs);
    model->init(model, &succs);
    add_edges(graph, &succs, 0, true);
  } while (succs.resume != 0);
  for (uint32_t id = 0; id < count && !atomic_load(model->stop); id++) {
    store->type->get(store, id, 1, state);
    do {
      clew_succs_clear(&succs);
      model->next(model, state, &succs);
      add_edges(graph, &succs, id, false);
    } while (succs.resume != 0);
    if (succs.stuck) {
      clew_bitset_add(graph->stuck, id);
    }
  }
  clew_succs_close(&succs);
  clew_free(state);
}

/* ---- writing ---- */

/* The second expansion of the states, or the evaluation of their invariants, did not end. */
static bool was_stopped(const struct export *export) {
  if (!atomic_load(export->model->stop)) {
    return false;
  }
  bool by_signal = atomic_load(export->interrupted);
  clew_message("%s, so nothing was written",
               clew_stop_text(by_signal ? CLEW_STOP_SIGNAL : CLEW_STOP_MAX_TIME));
  return true;
}

static enum clew_exit write_graph(const struct export *export, const struct clew_graph *graph) {
  const char *path = export->options->output;
  struct clew_text text = {0};
  struct clew_diag_sink diags = {0};
  export->format->write(graph, &text);
  if (was_stopped(export)) {
    clew_text_free(&text);
    return CLEW_EXIT_INCOMPLETE;
  }
  enum clew_status status = clew_file_write(path, text.data, text.len, &diags);
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  clew_text_free(&text);
  if (status != CLEW_OK) {
    return CLEW_EXIT_INTERNAL;
  }
  if (graph->fault_count > 0) {
    clew_message("note: %llu transitions end in run-time errors and are not in the graph",
                 (unsigned long long)graph->fault_count);
  }
  char states[32], edges[32];
  printf("%s: %s states, %s transitions\n", path,
         clew_text_count(graph->store->type->count(graph->store), states),
         clew_text_count(graph->edges.len, edges));
  return CLEW_EXIT_OK;
}

static enum clew_exit write_states(const struct export *export) {
  struct clew_graph graph = {.model = export->model, .store = export->store};
  fill_graph(&graph);
  enum clew_exit exit = write_graph(export, &graph);
  clew_vec_free(&graph.initial);
  clew_vec_free(&graph.edges);
  clew_free(graph.stuck);
  return exit;
}

static enum clew_exit export_graph(struct export *export) {
  struct clew_result result;
  clew_result_init(&result);
  explore(export, &result);
  enum clew_exit exit = CLEW_EXIT_INCOMPLETE;
  if (result.scope.complete) {
    exit = write_states(export);
  } else if (result.stop == CLEW_STOP_MAX_STATES) {
    char buffer[32];
    clew_message("the model has more than %s states, so nothing was written; --max-states N "
                 "allows more",
                 clew_text_count(export->max_states, buffer));
  } else {
    clew_message("%s, so nothing was written", clew_stop_text(result.stop));
  }
  clew_result_free(&result);
  return exit;
}

/* ---- the command ---- */

static bool has_suffix(const char *path, const char *suffix) {
  assert(suffix[0] == '.');
  size_t length = strlen(path), tail = strlen(suffix);
  return length >= tail && strcmp(path + length - tail, suffix) == 0;
}

/* ".dot or .aut", with something in front of each. */
static void list_formats(const char *before, struct clew_text *out) {
  for (const struct clew_graph_format *format = clew_graph_formats; format->suffix != NULL;
       format++) {
    clew_text_printf(out, "%s%s%s", out->len > 0 ? " or " : "", before, format->suffix);
  }
}

static const struct clew_graph_format *format_of(const char *path) {
  for (const struct clew_graph_format *format = clew_graph_formats; format->suffix != NULL;
       format++) {
    if (has_suffix(path, format->suffix)) {
      return format;
    }
  }
  return NULL;
}

static enum clew_exit check_output(const struct clew_options *options,
                                   const struct clew_graph_format **format) {
  *format = options->output != NULL ? format_of(options->output) : NULL;
  if (*format == NULL) {
    struct clew_text known = {0};
    list_formats(options->output == NULL ? "-o FILE" : "", &known);
    if (options->output == NULL) {
      clew_message_usage(options->command, "where to? say %s", clew_text_str(&known));
    } else {
      clew_message_usage(options->command, "%s: the file must end in %s", options->output,
                         clew_text_str(&known));
    }
    clew_text_free(&known);
    return CLEW_EXIT_USAGE;
  }
  struct clew_diag_sink diags = {0};
  bool ok = clew_file_writable(options->output, &diags) == CLEW_OK;
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  return ok ? CLEW_EXIT_OK : CLEW_EXIT_USAGE;
}

enum clew_exit clew_command_graph(const struct clew_options *options) {
  /* More would not fit 32-bit ids, nor any picture. */
  uint64_t limit = options->max_states != CLEW_ABSENT ? options->max_states : DEFAULT_MAX_STATES;
  struct export export = {.options = options, .max_states = limit < (1U << 30) ? limit : 1U << 30};
  struct clew_model *model = NULL;
  clew_signals_alarm(options->max_time_s);
  enum clew_exit exit = check_output(options, &export.format);
  if (exit == CLEW_EXIT_OK) {
    exit = clew_load_model(options, CLEW_MODE_INTERP, CLEW_SYMMETRY_OFF, true, &export.interrupted,
                           &model);
  }
  if (exit != CLEW_EXIT_OK) {
    return exit;
  }
  export.model = model;
  exit = open_export(&export) == CLEW_OK ? export_graph(&export) : CLEW_EXIT_INTERNAL;
  clew_report_diagnostics(stderr, &export.diags);
  close_export(&export);
  model->close(model);
  return exit;
}
