/* `clew graph`: explores a small state graph and exports it. */
#include "cli/graph.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/budget.h"
#include "base/file.h"
#include "base/hash.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/options.h"
#include "report/report.h"

enum { DEFAULT_MAX_STATES = 10000 };

typedef void writer(const struct clew_graph *graph, struct clew_text *out);

enum outcome { EXPLORED, TOO_MANY, NO_MEMORY };

/* Adds what the buffer holds: every state to the store, every transition to `edges`. */
static enum outcome add_successors(struct clew_graph *graph, const struct clew_succs *succs,
                                   uint32_t from, bool start, uint64_t max_states) {
  struct clew_store *store = graph->store;
  uint32_t words = graph->model->words;
  assert(succs->words == words);
  if (store->type->reserve(store, succs->count) != CLEW_ROOM) {
    return NO_MEMORY;
  }
  for (uint32_t i = 0; i < succs->count; i++) {
    const uint64_t *state = succs->states + (size_t)i * words;
    struct clew_visit visit = {.state = state,
                               .hash = clew_hash_words(state, words, store->config.seed)};
    store->type->put(store, 1, &visit);
    if (store->type->count(store) > max_states) {
      return TOO_MANY;
    }
    struct clew_graph_edge edge = {.from = from, .to = (uint32_t)visit.id, .edge = succs->edges[i]};
    if (start) {
      clew_vec_push(&graph->initial, edge);
    } else {
      clew_vec_push(&graph->edges, edge);
    }
  }
  graph->fault_count += succs->fault_count;
  return EXPLORED;
}

static bool is_stuck(const struct clew_model *model, const struct clew_succs *succs,
                     const uint64_t *state) {
  bool stuck =
      succs->fault_count == 0 && (model->deadlock == CLEW_DEADLOCK_STUTTERING || succs->count == 0);
  for (uint32_t i = 0; i < succs->count && stuck; i++) {
    stuck =
        memcmp(succs->states + (size_t)i * model->words, state, model->words * sizeof *state) == 0;
  }
  return stuck;
}

/* Breadth-first: ids are dense and in the order of discovery, so the store is the queue. */
static enum outcome explore(struct clew_graph *graph, uint64_t max_states) {
  const struct clew_model *model = graph->model;
  struct clew_store *store = graph->store;
  assert((store->capabilities & CLEW_STORE_GET) != 0);
  assert((store->capabilities & CLEW_STORE_DENSE) != 0);
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, model->cover_count);
  uint64_t *state = clew_alloc(model->words * sizeof *state);
  graph->stuck = clew_alloc_zero(CLEW_BITSET_WORDS(max_states) + 1, sizeof *graph->stuck);
  model->init(model, &succs);
  enum outcome outcome = add_successors(graph, &succs, 0, true, max_states);
  for (uint32_t id = 0; outcome == EXPLORED && id < store->type->count(store); id++) {
    store->type->get(store, id, 1, state);
    clew_succs_clear(&succs);
    model->next(model, state, &succs);
    if (is_stuck(model, &succs, state)) {
      clew_bitset_add(graph->stuck, id);
    }
    outcome = add_successors(graph, &succs, id, false, max_states);
  }
  clew_free(state);
  clew_succs_close(&succs);
  return outcome;
}

static enum clew_exit write_graph(const struct clew_options *options,
                                  const struct clew_graph *graph, writer *write) {
  struct clew_text text = {0};
  struct clew_diag_sink diags = {0};
  write(graph, &text);
  enum clew_status status = clew_file_write(options->output, text.data, text.len, &diags);
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
  printf("%s: %s states, %s transitions\n", options->output,
         clew_text_count(graph->store->type->count(graph->store), states),
         clew_text_count(graph->edges.len, edges));
  return CLEW_EXIT_OK;
}

static enum clew_exit export_graph(const struct clew_options *options,
                                   const struct clew_model *model, struct clew_store *store,
                                   writer *write) {
  struct clew_graph graph = {.model = model, .store = store};
  /* More would not fit 32-bit ids, nor any picture. */
  uint64_t limit = options->max_states != CLEW_ABSENT ? options->max_states : DEFAULT_MAX_STATES;
  limit = limit < (1U << 30) ? limit : 1U << 30;
  enum clew_exit exit = CLEW_EXIT_INCOMPLETE;
  char buffer[32];
  switch (explore(&graph, limit)) {
  case EXPLORED:
    exit = write_graph(options, &graph, write);
    break;
  case TOO_MANY:
    clew_message("the model has more than %s states, so nothing was written; --max-states N "
                 "allows more",
                 clew_text_count(limit, buffer));
    break;
  case NO_MEMORY:
    clew_message("there is no memory for the graph, so nothing was written");
    break;
  }
  clew_vec_free(&graph.initial);
  clew_vec_free(&graph.edges);
  clew_free(graph.stuck);
  return exit;
}

static bool has_suffix(const char *path, const char *suffix) {
  assert(suffix[0] == '.');
  size_t length = strlen(path), tail = strlen(suffix);
  return length >= tail && strcmp(path + length - tail, suffix) == 0;
}

static enum clew_exit check_output(const struct clew_options *options, writer **write) {
  if (options->output == NULL) {
    return clew_message_usage(options->command, "where to? say -o FILE.dot or -o FILE.aut");
  }
  if (has_suffix(options->output, ".dot")) {
    *write = clew_graph_write_dot;
  } else if (has_suffix(options->output, ".aut")) {
    *write = clew_graph_write_aut;
  } else {
    return clew_message_usage(options->command, "%s: the file must end in .dot or .aut",
                              options->output);
  }
  struct clew_diag_sink diags = {0};
  bool ok = clew_file_writable(options->output, &diags) == CLEW_OK;
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  return ok ? CLEW_EXIT_OK : CLEW_EXIT_USAGE;
}

enum clew_exit clew_command_graph(const struct clew_options *options) {
  writer *write = NULL;
  struct clew_model *model = NULL;
  enum clew_exit exit = check_output(options, &write);
  if (exit == CLEW_EXIT_OK) {
    exit = clew_load_model(options, CLEW_MODE_INTERP, CLEW_SYMMETRY_OFF, &model);
  }
  if (exit != CLEW_EXIT_OK) {
    return exit;
  }
  struct clew_budget budget;
  clew_budget_init(&budget, clew_budget_default_bytes());
  struct clew_store_config config = {.words = model->words, .threads = 1, .budget = &budget};
  struct clew_diag_sink diags = {0};
  struct clew_store *store = NULL;
  if (clew_store_exact.open(&config, &diags, &store) == CLEW_OK) {
    exit = export_graph(options, model, store, write);
    clew_store_exact.close(store);
  } else {
    exit = CLEW_EXIT_INTERNAL;
  }
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  model->close(model);
  return exit;
}
