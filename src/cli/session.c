/* Setting up a search. What can be wrong is found out before the search starts: first what the
 * command line alone tells, then the model, then what depends on both. */
#include "cli/session.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "cli/choose.h"
#include "cli/convert.h"
#include "cli/keep.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/origin.h"
#include "cli/ranks.h"
#include "cli/signals.h"
#include "cli/store_options.h"
#include "cli/voice.h"
#include "model/timed.h"
#include "report/version.h"

enum { KEEP_PATIENCE_S = 1 };
enum { DEFAULT_SEED = 1, MOST_THREADS = 1024, LOG_SHARE = 16 /* of the memory, at most */ };
static const uint64_t MIN_MEMORY_BYTES = (uint64_t)1 << 20;
/* The C compiler takes about as much, and is not started where less is allowed. */
static const uint64_t COMPILER_BYTES = (uint64_t)64 << 20;
static const double TERMINAL_PROGRESS_S = 0.25, HISTORY_S = 0.02;

/* ---- what the command line alone tells ---- */

static enum clew_exit check_memory(struct clew_session *session) {
  const struct clew_options *options = session->options;
  bool given = options->memory_bytes != CLEW_ABSENT;
  session->memory_bytes = given ? options->memory_bytes : clew_budget_default_bytes();
  if (!given && session->team != NULL) {
    session->memory_bytes /= session->team->transport->node_ranks;
  }
  if (given && session->memory_bytes < MIN_MEMORY_BYTES) {
    return clew_message_usage(options->command, "--memory must be at least 1M");
  }
  return CLEW_EXIT_OK;
}

/* The place for files that outgrow memory, while there is still time. */
static enum clew_exit open_scratch(struct clew_session *session) {
  struct clew_diag_sink diags = {0};
  bool ok = clew_scratch_open(&session->scratch, session->options->dir, &diags) == CLEW_OK;
  clew_message_diagnostics(&diags);
  clew_diag_sink_free(&diags);
  return ok ? CLEW_EXIT_OK : CLEW_EXIT_USAGE;
}

/* What several processes cannot do together. */
static enum clew_exit check_ranks(struct clew_session *session) {
  const struct clew_options *options = session->options;
  if (session->engine != &clew_engine_bfs) {
    return clew_message_usage(
        options->command, "a search over several processes is breadth-first: leave out --search");
  }
  if (options->zone == CLEW_CHOICE_ZONE_SHARED ||
      options->trace_order == CLEW_CHOICE_TRACE_ORDER_TIME) {
    return clew_message_usage(options->command, "%s is not for a search over several processes",
                              options->zone == CLEW_CHOICE_ZONE_SHARED ? "--zone shared"
                                                                       : "--trace-order time");
  }
  const unsigned needed = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS;
  const struct clew_store_type *type = session->store_type;
  if ((type->promises & needed) != needed || (type->promises & CLEW_STORE_ORDER) != 0) {
    return clew_message_usage(
        options->command,
        "a search over several processes needs a store that keeps every state "
        "(exact, tree, comback, disk or auto): not %s",
        type->name);
  }
  session->flat_zones = true;
  return CLEW_EXIT_OK;
}

static enum clew_exit check_command_line(struct clew_session *session) {
  const struct clew_options *options = session->options;
  enum clew_exit exit = clew_choose_engine(options, &session->engine);
  if (exit == CLEW_EXIT_OK) {
    exit = clew_choose_store(options, session->engine, NULL, &session->store_type);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = clew_choose_zones(options, session->store_type, &session->flat_zones);
  }
  if (exit == CLEW_EXIT_OK && session->team != NULL) {
    exit = check_ranks(session);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = clew_choose_options(options, session->engine, session->store_type,
                               &session->engine_fields, &session->store_fields);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = check_memory(session);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = open_scratch(session);
  }
  return exit;
}

/* ---- the model ---- */

static enum clew_exec_mode exec_mode(const struct clew_session *session) {
  switch (session->options->exec) {
  case CLEW_CHOICE_EXEC_INTERP:
    return CLEW_MODE_INTERP;
  case CLEW_CHOICE_EXEC_NATIVE:
    return CLEW_MODE_NATIVE;
  default:
    return session->memory_bytes < COMPILER_BYTES ? CLEW_MODE_CACHED : CLEW_MODE_AUTO;
  }
}

static void free_fields(const struct clew_option_table *table, void *fields) {
  if (fields != NULL) {
    clew_option_free_lists(table, fields);
    clew_free(fields);
  }
}

static void free_options(struct clew_session *session) {
  free_fields(&session->engine->options, session->engine_fields);
  if (session->store_type != NULL) {
    free_fields(&session->store_type->options, session->store_fields);
  }
  session->engine_fields = session->store_fields = NULL;
}

/* A model whose states have an order has another default. */
static enum clew_exit choose_store_again(struct clew_session *session) {
  const struct clew_options *options = session->options;
  const struct clew_store_type *type;
  enum clew_exit exit = clew_choose_store(options, session->engine, session->model, &type);
  session->is_auto = exit == CLEW_EXIT_OK && clew_choose_auto(options, type);
  session->first_store_type = type;
  if (exit == CLEW_EXIT_OK && type != session->store_type) {
    free_options(session);
    session->store_type = type;
    exit = clew_choose_options(options, session->engine, type, &session->engine_fields,
                               &session->store_fields);
  }
  return exit;
}

/* ---- store and log ---- */

static uint32_t threads_of(const struct clew_session *session) {
  const struct clew_options *options = session->options;
  uint64_t threads = clew_crew_processors();
  if (session->team !=
      NULL) { /* all ranks of the machine have the same processors, or a part each */
    uint32_t share = clew_crew_online() / session->team->transport->node_ranks;
    threads = threads < share ? threads : share > 0 ? share : 1;
  }
  threads = options->threads != CLEW_ABSENT ? options->threads : threads;
  assert(threads > 0);
  return threads < MOST_THREADS ? (uint32_t)threads : MOST_THREADS;
}

/* Options may have made the store one that the engine, with its own options, cannot use. */
static enum clew_exit check_needs(const struct clew_session *session) {
  const struct clew_engine_type *engine = session->engine;
  unsigned needs = engine->needs != NULL ? engine->needs(session->engine_fields) : 0;
  if ((needs & ~session->store->promises) == 0) {
    return CLEW_EXIT_OK;
  }
  return clew_message_usage(session->options->command,
                            "the search %s, with these options, does not work with the store %s",
                            engine->name, session->store_type->name);
}

/* The buffers of a model that has more successors than are made at once come out of the budget,
 * before the store takes the rest. Those of other models are as small as the program's own memory.
 */
static void take_pieces(struct clew_session *session) {
  const struct clew_model *model = session->view;
  uint32_t threads = clew_crew_size(session->crew);
  uint32_t edges =
      model->edge_count > model->initial_count ? model->edge_count : model->initial_count;
  session->piece = clew_search_piece(model, session->memory_bytes, threads);
  if (session->piece < edges) {
    uint64_t bytes = session->piece * clew_piece_bytes_each(model->words) * threads;
    (void)clew_budget_take(&session->budget,
                           bytes); /* refused: one of very few, but huge, states */
  }
}

/* For tests: CLEW_REFUSE_AT says which requests for memory are refused (base/budget.h). */
static void refuse_requests(struct clew_session *session) {
  const char *text = getenv("CLEW_REFUSE_AT");
  if (text != NULL) {
    clew_budget_refuse(&session->budget, text);
  }
}

static void tell_requests(const struct clew_session *session) {
  if (getenv("CLEW_REFUSE_AT") != NULL) {
    unsigned long long requests = atomic_load(&session->budget.requests);
    clew_message("note: %llu requests for memory", requests);
  }
}

/* What every search takes, with a store or without. */
static void open_means(struct clew_session *session) {
  clew_budget_init(&session->budget, session->memory_bytes);
  refuse_requests(session);
  if (session->crew == NULL) {
    session->crew = clew_crew_open(threads_of(session));
  }
  if (session->view->spend != NULL) {
    session->view->spend(session->view, &session->budget);
  }
  take_pieces(session);
}

/* Whether the engine can search the model at all. */
static enum clew_exit check_engine(struct clew_session *session) {
  const struct clew_engine_type *engine = session->engine;
  if (engine->check == NULL ||
      engine->check(session->model, session->engine_fields, &session->diags) == CLEW_OK) {
    return CLEW_EXIT_OK;
  }
  clew_message_diagnostics(&session->diags);
  return CLEW_EXIT_USAGE;
}

enum clew_exit clew_session_open_store(struct clew_session *session) {
  struct clew_model *model = session->view;
  clew_fields_close(&session->fields);
  clew_fields_open(&session->fields, model);
  struct clew_store_config config = {
      .words = model->words,
      .bytes = model->bytes,
      .threads = clew_crew_size(session->crew),
      .seed = session->seed,
      .budget = &session->budget,
      .scratch = &session->scratch,
      .options = session->store_fields,
      .crew = session->crew,
      .diags = &session->diags,
      .replay = clew_model_replay,
      .replay_context = model,
      .covers = model->covers != NULL ? clew_model_covers : NULL,
      .covers_context = model,
      .discrete_words = model->discrete_words,
      .order_bits = model->order_bits,
      .fields = session->fields.fields,
      .field_count = session->fields.count,
      .fields_by_change = session->fields.by_change,
  };
  enum clew_status status = session->store_type->open(&config, &session->diags, &session->store);
  assert((status == CLEW_OK) == (session->store != NULL));
  if (status == CLEW_OVER_LIMIT) {
    return CLEW_EXIT_OK; /* an answer, if not a good one */
  }
  if (status != CLEW_OK) {
    clew_message_diagnostics(&session->diags);
    return status == CLEW_BAD_INPUT ? CLEW_EXIT_USAGE : CLEW_EXIT_INTERNAL;
  }
  if ((session->store->demands & CLEW_STORE_REPLAY) != 0) {
    model->expect_fire(model);
  }
  return check_needs(session);
}

static void ask_store(const void *context, clew_id id, struct clew_back_edge *out) {
  const struct clew_store *store = context;
  store->type->back_edge(store, id, &out->parent, &out->edge);
}

/* The log comes after the store: what that keeps of back edges need not be written down again. */
static void open_log(struct clew_session *session) {
  if (session->store != NULL && session->team == NULL &&
      (session->store->promises & CLEW_STORE_BACK_EDGES) != 0) {
    session->log = clew_log_open_view(ask_store, session->store);
  } else {
    session->log =
        clew_log_open(&session->budget, &session->scratch, session->memory_bytes / LOG_SHARE);
    clew_log_use_crew(session->log, session->crew);
  }
}

/* ---- parts ---- */

static struct clew_session_part *add_part(struct clew_session *session, uint32_t need) {
  uint32_t words = CLEW_BITSET_WORDS(session->model->property_count), at = 0;
  while (at < session->part_count && session->parts[at].need < need) {
    at++;
  }
  if (at == session->part_count || session->parts[at].need != need) {
    session->parts =
        clew_realloc_array(session->parts, (size_t)session->part_count + 1, sizeof *session->parts);
    memmove(session->parts + at + 1, session->parts + at,
            (session->part_count - at) * sizeof *session->parts);
    session->parts[at] = (struct clew_session_part){
        .need = need, .asked = clew_alloc_zero((size_t)words + 1, sizeof(uint64_t))};
    session->part_count++;
  }
  return &session->parts[at];
}

/* Which properties are explored together. Those that do not mind go with the first. */
static void divide(struct clew_session *session) {
  const struct clew_model *model = session->model;
  /* A checkpoint is one of one exploration. */
  bool is_kept = session->is_resumed || session->options->checkpoint != NULL;
  bool apart = model->need != NULL && session->options->command != CLEW_COMMAND_stats && !is_kept;
  for (uint32_t i = 0; i < model->property_count && apart; i++) {
    uint32_t need = model->need(model, i);
    if (clew_bitset_has(session->enabled, i) && need != CLEW_NONE) {
      clew_bitset_add(add_part(session, need)->asked, i);
    }
  }
  if (session->part_count == 0) {
    (void)add_part(session, 0);
  }
  for (uint32_t i = 0; i < model->property_count; i++) {
    bool any = !apart || model->need(model, i) == CLEW_NONE;
    if (clew_bitset_has(session->enabled, i) && any) {
      clew_bitset_add(session->parts[0].asked, i);
    }
  }
}

/* Whether the part asks for all that the model can answer. */
static bool asks_everything(const struct clew_session *session) {
  const struct clew_session_part *part = &session->parts[session->part];
  for (uint32_t i = 0; i < session->model->property_count; i++) {
    if (!clew_bitset_has(part->asked, i)) {
      return false;
    }
  }
  return true;
}

static void close_store(struct clew_session *session) {
  if (session->store != NULL) {
    session->store->type->close(session->store);
  }
  session->store = NULL;
}

static enum clew_exit open_part(struct clew_session *session) {
  struct clew_model *model = session->model;
  session->view = model->focus == NULL || asks_everything(session)
                      ? model
                      : model->focus(model, session->parts[session->part].asked);
  open_means(session);
  bool has_room = session->team == NULL ||
                  clew_spread_open(&session->spread, session->team, session->view, session->seed,
                                   &session->budget, clew_crew_size(session->crew));
  enum clew_exit exit =
      session->store_type != NULL ? clew_session_open_store(session) : CLEW_EXIT_OK;
  if (session->team != NULL) {
    exit = clew_ranks_agree(exit);
    if (exit == CLEW_EXIT_OK && !clew_team_all(session->team, has_room && session->store != NULL)) {
      close_store(session); /* on all ranks, or on none */
    }
  }
  if (exit == CLEW_EXIT_OK && session->store_type != NULL) {
    open_log(session);
  }
  return exit;
}

static void close_part(struct clew_session *session) {
  if (session->log != NULL) {
    clew_log_close(session->log);
  }
  close_store(session);
  clew_spread_close(&session->spread);
  clew_fields_close(&session->fields);
  if (session->view != NULL && session->view != session->model) {
    session->view->close(session->view);
  }
  session->log = NULL;
  session->view = NULL;
}

/* ---- what is told to the user ---- */

static bool use_color(const struct clew_options *options) {
  if (options->color == CLEW_CHOICE_COLOR_ALWAYS || options->color == CLEW_CHOICE_COLOR_NEVER) {
    return options->color == CLEW_CHOICE_COLOR_ALWAYS;
  }
  if (clew_voice_here() != NULL) {
    return false;
  }
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  bool refused = no_color != NULL && *no_color != '\0';
  bool dumb = term == NULL || strcmp(term, "dumb") == 0;
  return !refused && !dumb && isatty(STDOUT_FILENO) != 0;
}

static double progress_s(const struct clew_session *session) {
  const struct clew_options *options = session->options;
  const struct clew_voice *voice = clew_voice_here();
  if (voice != NULL) {
    return voice->progress != NULL ? voice->progress_s : 0;
  }
  if (!isnan(options->progress_s)) {
    return options->progress_s;
  }
  return session->progress.terminal && !options->quiet ? TERMINAL_PROGRESS_S : 0;
}

/* How often the session looks at a search, to show progress or to write down its course. */
static double watch_s(const struct clew_session *session) {
  double shown_s = progress_s(session);
  if (session->options->report == NULL) {
    return shown_s;
  }
  return shown_s > 0 ? fmin(shown_s, HISTORY_S) : HISTORY_S;
}

static void show_progress(struct clew_session *session, const struct clew_progress *now) {
  struct clew_voice *voice = clew_voice_here();
  if (voice == NULL) {
    clew_progress_show(&session->progress, now);
  } else if (!voice->progress(voice->context, now)) {
    clew_voice_stop(voice);
  }
}

static void note_progress(void *context, const struct clew_progress *now) {
  struct clew_session *session = context;
  double every_s = progress_s(session);
  if (session->options->report != NULL) {
    clew_history_add(&session->history, now);
  }
  /* Half of the shorter distance makes up for looking a little early. */
  if (every_s > 0 && now->elapsed_s + watch_s(session) / 2 >= session->shown_s + every_s) {
    session->shown_s = now->elapsed_s;
    show_progress(session, now);
  }
}

static void open_info(struct clew_session *session) {
  assert(session->model != NULL);
  const struct clew_store_type *store_type = session->store_type;
  const struct clew_options *options = session->options;
  session->progress =
      (struct clew_progress_line){.err = stderr, .terminal = isatty(STDERR_FILENO) != 0};
  clew_options_line(options, &session->command_line);
  clew_options_line_unlimited(options, &session->unlimited_line);
  session->info = (struct clew_report_info){
      .model = session->model,
      .command = clew_commands[options->command].name,
      .command_line = clew_text_str(&session->command_line),
      .unlimited_line = clew_text_str(&session->unlimited_line),
      .origin = &session->origin,
      .store = store_type != NULL ? store_type->name : NULL,
      .search = session->engine->name,
      .explores_only = options->command == CLEW_COMMAND_stats,
      .has_levels = session->engine->has_levels,
      .blurs_levels = session->store != NULL && (session->store->demands & CLEW_STORE_LATE) != 0,
      .trace_style = clew_options_trace_style(options),
      .quiet = options->quiet,
      .color = use_color(options),
  };
}

enum clew_exit clew_session_open(struct clew_session *session, const struct clew_options *options,
                                 struct clew_checkpoint *from) {
  *session =
      (struct clew_session){.options = options,
                            .started_s = clew_clock_wall_s(),
                            .seed = options->seed != CLEW_ABSENT ? options->seed : DEFAULT_SEED};
  session->team = clew_ranks_team();
  session->arena = clew_arena_open();
  clew_origin_collect(session->arena, options, &session->origin);
  session->checkpoint = from;
  session->is_resumed = from != NULL;
  session->is_rechecked = from != NULL && options->recheck;
  if (from != NULL || options->checkpoint != NULL) {
    clew_signals_be_patient(KEEP_PATIENCE_S);
  }
  if (from != NULL) {
    session->seed = from->manifest.seed;
  }
  clew_result_init(&session->result);
  clew_signals_alarm(options->max_time_s);
  enum clew_exit exit = check_command_line(session);
  if (exit == CLEW_EXIT_OK) {
    enum clew_symmetry_mode symmetry =
        session->engine->reduces ? clew_choose_symmetry(options) : CLEW_SYMMETRY_OFF;
    session->origin.version = CLEW_VERSION;
    exit = clew_load_model_hashed(options, exec_mode(session), symmetry, session->flat_zones,
                                  &session->interrupted, session->arena,
                                  &session->origin.model_hash, &session->model);
  }
  bool is_kept = session->is_resumed || options->checkpoint != NULL;
  if (exit == CLEW_EXIT_OK && session->model->fit != NULL && session->engine->needs_store &&
      !is_kept) { /* to begin again is not for what is written down */
    session->model->fit(session->model, NULL);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = choose_store_again(session);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = clew_choose_properties(options, session->model, &session->enabled);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = check_engine(session);
  }
  if (exit == CLEW_EXIT_OK && session->team != NULL && session->model->learns &&
      !session->model->is_portable && session->model->dialect == NULL) {
    exit = clew_message_usage(options->command,
                              "a search over several processes is not for %s models, whose states "
                              "have a meaning in one process only",
                              session->model->language);
  }
  if (session->team != NULL) {
    clew_ranks_wait(options->rank_timeout_s, session->interrupted);
    exit = clew_ranks_agree(exit);
    exit = exit == CLEW_EXIT_OK ? clew_ranks_compare(options, session->model) : exit;
  }
  if (exit == CLEW_EXIT_OK) {
    divide(session);
    exit = open_part(session);
  }
  if (exit == CLEW_EXIT_OK) {
    open_info(session);
    exit = clew_ranks_agree(clew_keep_open(session));
  }
  return exit;
}

/* ---- the search ---- */

/* 0, the engine's own choice, when it is not given. */
static uint32_t thread_share(const struct clew_options *options) {
  return options->thread_share < UINT32_MAX ? (uint32_t)options->thread_share : 0;
}

static enum clew_exit search_once(struct clew_session *session, struct clew_result *result) {
  const struct clew_options *options = session->options;
  double never = INFINITY;
  struct clew_search search = {
      .goes_on = options->all,
      .coverage_share = options->coverage != NULL ? INFINITY
                        : options->json != NULL   ? 0.02
                                                  : 0,
      .model = session->view,
      .store = session->store,
      .log = session->log,
      .budget = &session->budget,
      .scratch = &session->scratch,
      .progress = note_progress,
      .progress_context = session,
      .progress_s = watch_s(session),
      .limits = {.max_states = options->max_states,
                 .max_depth = options->max_depth,
                 .max_time_s = isnan(options->max_time_s) ? never : options->max_time_s},
      .enabled = session->parts[session->part].asked,
      .unchecked = clew_choose_unchecked(options, session->model),
      .stop_at_violation = !session->info.explores_only,
      .measures_locality = session->info.explores_only,
      .crew = session->crew,
      .thread_share = thread_share(options),
      .piece = session->piece,
      .options = session->engine_fields,
      .started_s = session->started_s,
      .interrupted = session->interrupted,
      .diags = &session->diags,
      .keeper = session->keeper.keep != NULL ? &session->keeper : NULL,
      .cut = session->has_cut ? &session->cut : NULL,
      .recheck = session->has_recheck ? &session->recheck : NULL,
      .waiting = session->waiting,
      .spread = session->team != NULL ? &session->spread : NULL,
  };
  session->waiting = NULL; /* the engine has it */
  if (session->store == NULL && session->store_type != NULL) {
    clew_search_refused(&search, result);
  } else if (!clew_search_run(session->engine, &search, result)) {
    clew_diskqueue_close(search.waiting);
    if (session->checkpoint == NULL) {
      clew_message("internal error: the search cannot go on from where it was");
      return CLEW_EXIT_INTERNAL;
    }
    clew_message("%s: the checkpoint does not fit the search", session->checkpoint->vault.path);
    return CLEW_EXIT_BAD_MODEL;
  }
  return CLEW_EXIT_OK;
}

static enum clew_exit search_and_convert(struct clew_session *session, struct clew_result *result) {
  enum clew_exit exit = search_once(session, result);
  while (exit == CLEW_EXIT_OK && clew_convert_together(session, result)) {
    exit = search_once(session, result);
  }
  return exit;
}

/* Ranks have met different values, and send each other states: all take the widest slots. */
static void fit(struct clew_session *session) {
  struct clew_model *model = session->model;
  model->fit(model, NULL);
  if (session->team == NULL) {
    return;
  }
  uint64_t *agreed = clew_alloc_zero((size_t)model->slot_count + 1, sizeof *agreed);
  uint32_t *widths = clew_alloc_zero((size_t)model->slot_count + 1, sizeof *widths);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    agreed[i] = model->slots[i].width;
  }
  if (clew_team_reduce(session->team, CLEW_REDUCE_MAX, agreed, model->slot_count + 1)) {
    for (uint32_t i = 0; i < model->slot_count; i++) {
      widths[i] = (uint32_t)agreed[i];
    }
    model->fit(model, widths);
  }
  clew_free(widths);
  clew_free(agreed);
}

/* Everything that was found is dropped, and states get wider. */
static void begin_again(struct clew_session *session, struct clew_result *result) {
  clew_result_free(result);
  clew_result_init(result);
  clew_history_free(&session->history);
  close_part(session);
  clew_convert_reset(session);
  fit(session);
  session->refits++;
  (void)open_part(session); /* no store: there is no memory for it */
}

/* Searches for the part that is open. */
static enum clew_exit explore_part(struct clew_session *session, struct clew_result *result) {
  enum clew_exit exit = search_and_convert(session, result);
  while (exit == CLEW_EXIT_OK && result->stop == CLEW_STOP_LAYOUT) {
    begin_again(session, result);
    exit = search_and_convert(session, result);
  }
  clew_convert_finish(session, result);
  if (result->chosen != NULL) { /* what decides is what the report is about */
    session->info.search = result->chosen;
    session->info.store = result->nodes != CLEW_ABSENT ? NULL : session->info.store;
  }
  return exit;
}

static void note_exploration(struct clew_session *session, const struct clew_result *part) {
  uint32_t words = CLEW_BITSET_WORDS(session->model->property_count);
  const struct clew_timed *timed = session->view->timed;
  struct clew_exploration exploration = {
      .asked = clew_alloc_zero((size_t)words + 1, sizeof(uint64_t)),
      .extrapolation = timed != NULL ? timed->extrapolation : NULL,
      .notice = timed != NULL ? timed->notice : NULL,
      .complete = part->scope.complete,
      .states = part->states,
      .transitions = part->transitions,
      .zones = part->zones,
      .zones_expanded = part->zones_expanded};
  memcpy(exploration.asked, session->parts[session->part].asked, words * sizeof(uint64_t));
  clew_vec_push(&session->result.explorations, exploration);
}

/* Properties that go with any part, and have no answer yet, go with this one. */
static void pass_on(struct clew_session *session) {
  const struct clew_model *model = session->model;
  for (uint32_t i = 0; i < model->property_count; i++) {
    if (clew_bitset_has(session->enabled, i) && model->need(model, i) == CLEW_NONE &&
        session->result.outcomes.list[i].decision == CLEW_UNDECIDED) {
      clew_bitset_add(session->parts[session->part].asked, i);
    }
  }
}

/* What nobody has come to is not decided, and not because nobody asked. */
static void note_rest(struct clew_session *session) {
  struct clew_outcomes *outcomes = &session->result.outcomes;
  for (uint32_t k = session->part + 1; k < session->part_count; k++) {
    for (uint32_t i = 0; i < session->model->property_count; i++) {
      if (clew_bitset_has(session->parts[k].asked, i)) {
        outcomes->list[i].reason =
            outcomes->violated.len > 0 ? CLEW_REASON_SKIPPED : CLEW_REASON_UNFINISHED;
      }
    }
  }
}

static bool is_answered(const struct clew_result *result) {
  return result->stop == CLEW_STOP_FINISHED || result->stop == CLEW_STOP_DECIDED;
}

enum clew_exit clew_session_explore(struct clew_session *session) {
  struct clew_result *all = &session->result;
  enum clew_exit exit = explore_part(session, all);
  note_exploration(session, all);
  while (exit == CLEW_EXIT_OK && session->part + 1 < session->part_count && is_answered(all)) {
    struct clew_result more;
    clew_result_init(&more);
    close_part(session);
    session->part++;
    clew_convert_reset(session);
    pass_on(session);
    (void)open_part(session); /* no store: there is no memory for it */
    exit = explore_part(session, &more);
    note_exploration(session, &more);
    clew_search_join(session->model, session->parts[session->part].asked, session->options->all,
                     all, &more);
    clew_result_free(&more);
  }
  note_rest(session);
  return exit;
}

/* The largest of all programs that this one has waited for: the C compiler and its parts. */
static uint64_t compiler_rss_bytes(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_CHILDREN, &usage) != 0 || usage.ru_maxrss <= 0) {
    return CLEW_ABSENT;
  }
  return (uint64_t)usage.ru_maxrss * 1024;
}

void clew_session_measure(struct clew_session *session) {
  struct clew_result *result = &session->result;
  struct clew_exec_info exec = {0};
  session->model->exec_info(session->model, &exec);
  result->compile_s = exec.compile_s;
  if (exec.compile_s > 0) {
    result->compiler_rss_bytes = compiler_rss_bytes();
  }
  result->compiler_deferred = exec.is_deferred;
  result->memory_bytes = session->memory_bytes;
  result->refits = session->refits > 0 ? session->refits : CLEW_ABSENT;
  clew_history_free(&result->history);
  result->history = session->history;
  session->history = (struct clew_history){0};
  result->seed = session->seed;
  result->peak_rss_bytes = clew_clock_peak_rss_bytes();
  result->cpu_s = clew_clock_cpu_s();
  result->elapsed_s = clew_clock_wall_s() - session->started_s;
}

void clew_session_shed(struct clew_session *session) {
  close_part(session);
  clew_crew_close(session->crew);
  session->crew = NULL;
  clew_scratch_close(&session->scratch);
  session->scratch = (struct clew_scratch){0};
}

void clew_session_close(struct clew_session *session) {
  tell_requests(session);
  close_part(session);
  for (uint32_t i = 0; i < session->part_count; i++) {
    clew_free(session->parts[i].asked);
  }
  clew_free(session->parts);
  clew_crew_close(session->crew);
  clew_scratch_close(&session->scratch);
  clew_result_free(&session->result);
  clew_history_free(&session->history);
  clew_text_free(&session->command_line);
  clew_text_free(&session->unlimited_line);
  clew_arena_close(session->arena);
  clew_free(session->enabled);
  if (session->model != NULL) {
    session->model->close(session->model);
  }
  if (session->engine != NULL) {
    free_options(session);
  }
  clew_diag_sink_free(&session->diags);
  clew_archive_free(&session->cut.archive);
  clew_archive_free(&session->recheck);
  clew_archive_free(&session->end.archive);
  clew_vec_free(&session->conversions);
  clew_diskqueue_close(session->waiting);
  if (session->checkpoint != NULL) {
    clew_checkpoint_close(session->checkpoint);
    clew_free(session->checkpoint);
  }
}
