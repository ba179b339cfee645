/* Checkpoints of a session. */
#include "cli/keep.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "checkpoint/scatter.h"
#include "cli/convert.h"
#include "cli/message.h"
#include "cli/ranks.h"
#include "cli/registry.h"
#include "cli/signals.h"
#include "report/version.h"

static const double DEFAULT_EVERY_MIN = 10;
static const size_t SOURCE_LIMIT_BYTES = (size_t)64 << 20;

static enum clew_exit tell(const struct clew_diag_sink *diags, enum clew_exit exit) {
  clew_message_diagnostics(diags);
  return exit;
}

/* ---- what the search is of ---- */

static void sum_of_model(const struct clew_model *model, enum clew_description what,
                         char out[CLEW_DIGEST_TEXT]) {
  struct clew_text text = {0};
  model->describe(model, what, &text);
  clew_digest(clew_text_str(&text), text.len, out);
  clew_text_free(&text);
}

/* Empty when the model does not come from a file that can be read again. */
static void sum_of_source(const struct clew_options *options, char out[CLEW_DIGEST_TEXT]) {
  struct clew_text text = {0};
  struct clew_diag_sink diags = {0};
  const char *path = options->operands.data[0];
  out[0] = '\0';
  if (strcmp(path, "-") != 0 &&
      clew_file_read(path, SOURCE_LIMIT_BYTES, &text, &diags) == CLEW_OK) {
    clew_digest(clew_text_str(&text), text.len, out);
  }
  clew_diag_sink_free(&diags);
  clew_text_free(&text);
}

/* Diagrams lose nothing. */
static bool is_lossless(const struct clew_session *session) {
  return session->store == NULL || (session->store->promises & CLEW_STORE_LOSSLESS) != 0;
}

static void fill_facts(const struct clew_session *session, struct clew_manifest *m) {
  const struct clew_options *options = session->options;
  for (int i = 1; i < options->argc; i++) {
    clew_vec_push(&m->command, clew_strdup(options->argv[i]));
  }
  char *directory = getcwd(NULL, 0);
  m->directory = clew_strdup(directory != NULL ? directory : "");
  free(directory);
  m->version = clew_strdup(CLEW_VERSION);
  m->engine = clew_strdup(session->engine->name);
  m->store = clew_strdup(session->store_type != NULL ? session->store_type->name : "none");
  m->lossless = is_lossless(session);
  m->seed = session->seed;
  sum_of_model(session->model, CLEW_DESCRIBE_ALL, m->model_sum);
  sum_of_model(session->view, CLEW_DESCRIBE_GRAPH, m->graph_sum);
  sum_of_source(options, m->source_sum);
}

/* ---- keeping ---- */

static bool keep(void *context, struct clew_cut *cut, bool is_last) {
  struct clew_session *session = context;
  if (is_last && session->is_auto && cut->why == CLEW_STOP_MEMORY) {
    clew_convert_remember(session, cut); /* it goes on at once */
    /* Several ranks go back to the beginning of the level. */
    session->has_new_cut =
        session->team == NULL || clew_log_rewind(session->log, session->cut.states);
    return session->has_new_cut;
  }
  if (session->checkpoint != NULL && session->team != NULL) {
    return clew_scatter_keep(session->checkpoint, session->team, session->log, cut,
                             &session->diags);
  }
  return session->checkpoint == NULL ||
         clew_checkpoint_keep(session->checkpoint, session->log, cut, &session->diags);
}

static void keep_end(void *context, struct clew_cut *cut) {
  struct clew_session *session = context;
  clew_archive_free(&session->end.archive);
  session->end = *cut;
  session->has_end = true;
  cut->archive = (struct clew_archive){0};
}

static enum clew_exit check_can_save(const struct clew_session *session) {
  enum clew_command_id command = session->options->command;
  struct clew_search search = {.store = session->store, .options = session->engine_fields};
  const char *why = "the search";
  if (session->engine->save != NULL) {
    why = session->engine->cannot_save(&search);
  }
  if (session->model->describe == NULL) {
    why = "this model";
  }
  if (session->model->learns && !session->engine->remakes &&
      (!session->model->is_portable || !session->engine->needs_store)) {
    return clew_message_usage(
        command,
        "--checkpoint does not work with the search %s for coloured nets, whose "
        "states have a meaning in one process only",
        session->engine->name);
  }
  if (session->team != NULL && session->model->dialect != NULL) {
    return clew_message_usage(command, "--checkpoint does not work with several processes for "
                                       "coloured nets, whose states have a meaning in one only");
  }
  return why == NULL
             ? CLEW_EXIT_OK
             : clew_message_usage(command, "--checkpoint does not work with %s %s", why,
                                  session->engine->save == NULL ? session->engine->name : "");
}

static enum clew_exit create(struct clew_session *session) {
  struct clew_diag_sink diags = {0};
  session->checkpoint = clew_alloc_zero(1, sizeof *session->checkpoint);
  enum clew_status status =
      clew_ranks_speaks()
          ? clew_checkpoint_create(session->checkpoint, session->options->checkpoint, &diags)
          : CLEW_OK;
  if (session->team != NULL) { /* the directory is there now, and all are to see it */
    bool is_there = clew_team_all(session->team, status == CLEW_OK);
    if (!clew_ranks_speaks() && is_there) {
      status = clew_vault_look(&session->checkpoint->vault, session->options->checkpoint, &diags);
    }
  }
  if (status == CLEW_OK) {
    fill_facts(session, &session->checkpoint->manifest);
  }
  enum clew_exit exit = tell(&diags, status == CLEW_OK ? CLEW_EXIT_OK : CLEW_EXIT_USAGE);
  clew_diag_sink_free(&diags);
  return exit;
}

/* ---- going on ---- */

/* Other properties may be asked of the same graph; otherwise everything is to be the same. */
static bool has_same_sum(const struct clew_session *session) {
  const struct clew_manifest *m = &session->checkpoint->manifest;
  char sum[CLEW_DIGEST_TEXT];
  if (session->is_rechecked) {
    sum_of_model(session->view, CLEW_DESCRIBE_GRAPH, sum);
    return strcmp(sum, m->graph_sum) == 0;
  }
  sum_of_model(session->model, CLEW_DESCRIBE_ALL, sum);
  return strcmp(sum, m->model_sum) == 0;
}

static enum clew_exit check_same_model(const struct clew_session *session) {
  const struct clew_manifest *m = &session->checkpoint->manifest;
  const char *path = session->checkpoint->vault.path;
  char source_sum[CLEW_DIGEST_TEXT];
  bool lossless = is_lossless(session);
  sum_of_source(session->options, source_sum);
  if (!has_same_sum(session)) {
    if (strcmp(source_sum, m->source_sum) != 0) {
      clew_message("%s: the model %s has changed since the checkpoint was written", path,
                   session->options->operands.data[0]);
    } else if (session->is_rechecked) {
      clew_message("%s: with these properties the model has other states than those that were "
                   "kept (%s): check it anew",
                   path,
                   session->view->timed != NULL
                       ? "they change what zones forget"
                       : "they change a reduction, or clew is another one");
    } else {
      clew_message(
          "%s: this clew (%s) numbers the model in another way than the one that wrote the "
          "checkpoint (%s), or an option changes the model",
          path, CLEW_VERSION, m->version);
    }
    return CLEW_EXIT_BAD_MODEL;
  }
  if (lossless != m->lossless || (!lossless && strcmp(m->store, session->store_type->name) != 0)) {
    return clew_message_usage(
        CLEW_COMMAND_resume,
        "the search was made with the store %s, which is %s: %s cannot go on from there", m->store,
        m->lossless ? "lossless" : "lossy", session->store_type->name);
  }
  return CLEW_EXIT_OK;
}

static enum clew_exit tell_fate(const struct clew_session *session, enum clew_replayed fate,
                                const struct clew_diag_sink *diags) {
  const char *path = session->checkpoint->vault.path;
  tell(diags, CLEW_EXIT_OK);
  switch (fate) {
  case CLEW_REPLAYED:
    return CLEW_EXIT_OK;
  case CLEW_REPLAY_STOPPED:
    clew_message("stopped while the checkpoint was read; it is as it was: clew resume %s", path);
    return CLEW_EXIT_STOPPED;
  case CLEW_REPLAY_MEMORY:
    clew_message("the states of the checkpoint do not fit into the memory budget; it is as it was: "
                 "resume it with a larger --memory, or another --store");
    return CLEW_EXIT_STOPPED;
  case CLEW_REPLAY_DISK:
    clew_message("%s: the checkpoint cannot be read, or the disk is full", path);
    return CLEW_EXIT_BAD_MODEL;
  case CLEW_REPLAY_STRANGE:
    clew_message("%s: the checkpoint does not lead to states of this model", path);
    return CLEW_EXIT_BAD_MODEL;
  }
  return CLEW_EXIT_INTERNAL;
}

/* Fills the store that is open. `recheck` looks at each state; or NULL. */
static enum clew_replayed replay(struct clew_session *session, struct clew_recheck *recheck,
                                 struct clew_diag_sink *diags) {
  struct clew_replay_config config = {
      .model = session->view,
      .store = session->store,
      .log = session->log,
      .budget = &session->budget,
      .scratch = &session->scratch,
      .stop = clew_signals_stop(),
      .visit = recheck != NULL ? clew_recheck_visit : NULL,
      .context = recheck,
  };
  return clew_checkpoint_replay(session->checkpoint, &config, &session->waiting, diags);
}

/* The same, asking each state what is asked now. */
static enum clew_replayed replay_and_ask(struct clew_session *session,
                                         struct clew_diag_sink *diags) {
  struct clew_search search = {
      .model = session->view,
      .store = session->store,
      .log = session->log,
      .budget = &session->budget,
      .scratch = &session->scratch,
      .enabled = session->parts[session->part].asked,
      .piece = session->piece,
      .limits = {.max_states = CLEW_ABSENT, .max_depth = CLEW_ABSENT, .max_time_s = INFINITY},
      .diags = &session->diags};
  struct clew_recheck *recheck =
      clew_recheck_open(session->engine, &search, session->checkpoint->manifest.by_level);
  enum clew_replayed fate = replay(session, recheck, diags);
  clew_archive_free(&session->recheck);
  bool is_answered = clew_recheck_close(recheck, fate == CLEW_REPLAYED ? &session->recheck : NULL);
  session->has_recheck = fate == CLEW_REPLAYED && is_answered;
  return fate;
}

/* The same by several ranks. */
static enum clew_replayed restore(struct clew_session *session, struct clew_diag_sink *diags) {
  struct clew_scatter_config config = {
      .checkpoint = session->checkpoint,
      .spread = &session->spread,
      .model = session->view,
      .store = session->store,
      .log = session->log,
      .budget = &session->budget,
      .scratch = &session->scratch,
      .stop = clew_signals_stop(),
  };
  clew_archive_free(&session->cut.archive);
  return clew_scatter_restore(&config, &session->cut, &session->waiting, diags);
}

static uint64_t states_of(const struct clew_manifest *manifest) {
  uint64_t states = manifest->states;
  for (uint32_t i = 0; i < manifest->ranks.len; i++) {
    states += manifest->ranks.data[i].states;
  }
  return states;
}

static enum clew_exit fill_store_of_rank(struct clew_session *session) {
  struct clew_diag_sink diags = {0};
  enum clew_replayed fate;
  bool again = false;
  do {
    fate = restore(session, &diags);
    again = fate == CLEW_REPLAY_MEMORY &&
            clew_team_all(session->team,
                          clew_convert_resumed(session, states_of(&session->checkpoint->manifest)));
  } while (again);
  enum clew_exit exit = tell_fate(session, fate, &diags);
  clew_diag_sink_free(&diags);
  session->has_cut = exit == CLEW_EXIT_OK;
  session->resumed_states = states_of(&session->checkpoint->manifest);
  return exit;
}

static enum clew_exit fill_store(struct clew_session *session) {
  struct clew_diag_sink diags = {0};
  enum clew_replayed fate;
  do {
    fate = session->is_rechecked ? replay_and_ask(session, &diags) : replay(session, NULL, &diags);
  } while (fate == CLEW_REPLAY_MEMORY &&
           clew_convert_resumed(session, session->checkpoint->manifest.states));
  enum clew_exit exit = tell_fate(session, fate, &diags);
  clew_diag_sink_free(&diags);
  if (exit == CLEW_EXIT_OK) {
    session->has_cut = true;
    session->resumed_states = session->checkpoint->manifest.states;
  }
  return exit;
}

static enum clew_exit read_cut(struct clew_session *session) {
  struct clew_diag_sink diags = {0};
  enum clew_status status = clew_checkpoint_read_cut(session->checkpoint, &session->cut, &diags);
  enum clew_exit exit =
      status == CLEW_OK ? CLEW_EXIT_OK : tell_fate(session, CLEW_REPLAY_DISK, &diags);
  clew_diag_sink_free(&diags);
  return exit;
}

static enum clew_exit go_on(struct clew_session *session) {
  enum clew_exit exit = check_same_model(session);
  if (session->team != NULL) {
    exit = clew_ranks_agree(exit);
    return exit == CLEW_EXIT_OK ? fill_store_of_rank(session) : exit;
  }
  exit = exit == CLEW_EXIT_OK ? read_cut(session) : exit;
  if (exit == CLEW_EXIT_OK && session->store == NULL) { /* the cut has everything */
    session->has_cut = true;
    session->resumed_states = CLEW_ABSENT;
    return exit;
  }
  return exit == CLEW_EXIT_OK ? fill_store(session) : exit;
}

/* The states that were kept are asked what is asked now. Where that is not enough, the search
 * begins anew. Nothing is written to the checkpoint. */
static enum clew_exit ask_again(struct clew_session *session) {
  enum clew_exit exit = check_same_model(session);
  exit = exit == CLEW_EXIT_OK ? read_cut(session) : exit;
  if (exit != CLEW_EXIT_OK) {
    return exit;
  }
  const char *obstacle = session->store == NULL
                             ? "a symbolic search keeps no states one by one"
                             : clew_recheck_obstacle(&session->cut, session->view,
                                                     session->parts[session->part].asked);
  if (obstacle == NULL) {
    exit = fill_store(session);
  } else {
    clew_message("note: %s: all states are generated again", obstacle);
  }
  clew_checkpoint_close(session->checkpoint);
  clew_free(session->checkpoint);
  session->checkpoint = NULL;
  return exit;
}

enum clew_exit clew_keep_open(struct clew_session *session) {
  const struct clew_options *options = session->options;
  if (session->store == NULL && session->store_type != NULL) {
    return CLEW_EXIT_OK; /* nothing will be searched */
  }
  if (session->is_auto && session->engine->save != NULL) {
    session->keeper = (struct clew_keeper){
        .every_s = INFINITY, .takes_waiting = true, .keep = keep, .context = session};
  }
  if (options->checkpoint == NULL && !session->is_resumed) {
    return isnan(options->every_min)
               ? CLEW_EXIT_OK
               : clew_message_usage(options->command, "--every goes with --checkpoint");
  }
  enum clew_exit exit = check_can_save(session);
  if (exit == CLEW_EXIT_OK && session->is_rechecked) {
    return ask_again(session);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = session->is_resumed ? go_on(session) : create(session);
  }
  double minutes = isnan(options->every_min) ? DEFAULT_EVERY_MIN : options->every_min;
  session->keeper = (struct clew_keeper){
      .every_s = minutes > 0 ? minutes * 60 : INFINITY,
      .on_interrupt = true,
      .takes_waiting = session->is_auto,
      .keep = keep,
      .keep_end = keep_end,
      .context = session,
  };
  return exit;
}

/* ---- the end ---- */

/* All documents about the search, each with its name and length. */
static void write_answer(const struct clew_session *session, struct clew_text *out) {
  clew_text_printf(out, "exit %d\n", (int)session->result.exit_code);
  for (const struct clew_output_entry *entry = clew_outputs; entry->type != NULL; entry++) {
    struct clew_text part = {0};
    struct clew_text why = {0};
    if ((entry->type->check == NULL || entry->type->check(&session->info, &why)) &&
        entry->type->write(&session->info, &session->result, &part)) {
      clew_text_printf(out, "%s %zu\n", entry->type->name, part.len);
      clew_text_put_n(out, clew_text_str(&part), part.len);
    }
    clew_text_free(&part);
    clew_text_free(&why);
  }
}

/* Whether the search stopped where it could have gone on. */
static bool is_unfinished(const struct clew_result *result) {
  return result->exit_code == CLEW_EXIT_INCOMPLETE && !result->scope.complete &&
         result->stop != CLEW_STOP_FINISHED && result->stop != CLEW_STOP_CALLS;
}

void clew_keep_conclude(struct clew_session *session) {
  struct clew_checkpoint *checkpoint = session->checkpoint;
  struct clew_result *result = &session->result;
  result->resumed_states =
      session->is_resumed && session->has_cut ? session->resumed_states : CLEW_ABSENT;
  if (checkpoint == NULL) {
    return;
  }
  result->checkpoint_bytes = checkpoint->bytes;
  result->checkpoint_s = checkpoint->spent_s;
  if (!is_unfinished(result)) {
    struct clew_text answer = {0};
    write_answer(session, &answer);
    struct clew_store *store = session->store;
    uint64_t states = store != NULL ? store->type->count(store) : 0;
    struct clew_log *log = session->team == NULL ? session->log : NULL; /* ranks have their own */
    (void)clew_checkpoint_finish(checkpoint, log, states, session->has_end ? &session->end : NULL,
                                 &answer, &session->diags);
    clew_text_free(&answer);
  } else if (checkpoint->has_cut) {
    result->exit_code = CLEW_EXIT_STOPPED;
    if (session->team != NULL && session->team->ranks > 1) {
      clew_message("go on with any number of processes: mpirun -n %u clew resume %s",
                   session->team->ranks, checkpoint->vault.path);
    } else {
      clew_message("go on with: clew resume %s", checkpoint->vault.path);
    }
  }
}

/* One document of an answer: its name, and where the next one begins. False at the end, or where it
 * makes no sense. */
static bool next_part(const struct clew_text *answer, size_t *at, const char **name,
                      size_t *name_bytes, const char **data, size_t *bytes) {
  const char *line = answer->data + *at, *end = answer->data + answer->len;
  const char *newline = *at < answer->len ? memchr(line, '\n', (size_t)(end - line)) : NULL;
  const char *space = newline != NULL ? memchr(line, ' ', (size_t)(newline - line)) : NULL;
  if (space == NULL) {
    return false;
  }
  *name = line;
  *name_bytes = (size_t)(space - line);
  *bytes = strtoul(space + 1, NULL, 10);
  *data = newline + 1;
  if (*bytes > (size_t)(end - *data)) {
    return false;
  }
  *at = (size_t)(*data - answer->data) + *bytes;
  return true;
}

/* Writes one document where the options want it. */
static enum clew_status put_part(const struct clew_options *options, const char *name,
                                 size_t name_bytes, const char *data, size_t bytes,
                                 bool text_wanted, struct clew_diag_sink *diags) {
  for (const struct clew_output_entry *entry = clew_outputs; entry->type != NULL; entry++) {
    if (strlen(entry->type->name) != name_bytes ||
        memcmp(entry->type->name, name, name_bytes) != 0) {
      continue;
    }
    const char *file =
        entry->is_default
            ? (text_wanted ? "-" : NULL)
            : *(const char *const *)(const void *)((const char *)options + entry->offset);
    return file != NULL ? clew_file_write(file, data, bytes, diags) : CLEW_OK;
  }
  return CLEW_OK;
}

enum clew_exit clew_keep_answer(const struct clew_checkpoint *checkpoint,
                                const struct clew_options *options) {
  struct clew_diag_sink diags = {0};
  struct clew_text answer = {0};
  enum clew_status status =
      clew_sealed_read(&checkpoint->vault, &checkpoint->manifest.answer, &answer, &diags);
  int code = CLEW_EXIT_INTERNAL;
  size_t at = 0, name_bytes, bytes;
  const char *name, *data;
  if (status == CLEW_OK && sscanf(clew_text_str(&answer), "exit %d\n", &code) == 1) {
    at = strcspn(answer.data, "\n") + 1;
    bool text_wanted = options->json == NULL || strcmp(options->json, "-") != 0;
    while (status == CLEW_OK && next_part(&answer, &at, &name, &name_bytes, &data, &bytes)) {
      status = put_part(options, name, name_bytes, data, bytes, text_wanted, &diags);
    }
  }
  clew_message_diagnostics(&diags);
  clew_diag_sink_free(&diags);
  clew_text_free(&answer);
  return status == CLEW_OK ? (enum clew_exit)code : CLEW_EXIT_INTERNAL;
}

/* ---- the command line ---- */

static bool is_one_of(const char *word, const char *const *names, bool *has_value) {
  for (; *names != NULL; names++) {
    size_t length = strlen(*names);
    if (strncmp(word, *names, length) == 0 && (word[length] == '\0' || word[length] == '=')) {
      *has_value = word[length] == '\0';
      return true;
    }
  }
  return false;
}

/* Options that end a search, and those of the checkpoint itself, are not taken over: a search that
 * was stopped by a limit is to go on. Neither is what was asked, where something else is, nor the
 * files that the answers went to. */
static bool is_dropped(const char *word, bool asks_anew, bool *has_value) {
  static const char *const limits[] = {"--max-states", "--max-depth", "--max-time", "--checkpoint",
                                       NULL};
  static const char *const questions[] = {"--goal",     "--invariant", "--property", "--query",
                                          "--queries",  "--json",      "--trace",    "--report",
                                          "--plot",     "--itf",       "--junit",    "--sarif",
                                          "--coverage", "--every",     NULL};
  if (asks_anew && strcmp(word, "--no-deadlock") == 0) {
    *has_value = false;
    return true;
  }
  return is_one_of(word, limits, has_value) || (asks_anew && is_one_of(word, questions, has_value));
}

/* Where a file of this name is, for a process that works elsewhere. */
static char *absolute(const char *file) {
  char *here = file[0] != '/' && strcmp(file, "-") != 0 ? getcwd(NULL, 0) : NULL;
  struct clew_text path = {0};
  clew_text_printf(&path, "%s%s%s", here != NULL ? here : "", here != NULL ? "/" : "", file);
  free(here);
  return path.data;
}

/* A word that `resume` was given, whose files are those of this directory. */
static char *given_word(const char *word, const char *before) {
  static const char *const names[] = {"--json",    "--trace", "--plot",  "--dir",   "--report",
                                      "--queries", "--itf",   "--junit", "--sarif", "--coverage"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t length = strlen(names[i]);
    if (strcmp(before, names[i]) == 0) {
      return absolute(word);
    }
    if (strncmp(word, names[i], length) == 0 && word[length] == '=') {
      char *file = absolute(word + length + 1);
      struct clew_text whole = {0};
      clew_text_printf(&whole, "%s=%s", names[i], file);
      clew_free(file);
      return whole.data;
    }
  }
  return clew_strdup(word);
}

char **clew_keep_command(const struct clew_manifest *manifest, const struct clew_options *options,
                         int *argc) {
  char **words = clew_alloc_zero(manifest->command.len + (size_t)options->argc + 2, sizeof *words);
  int count = 0;
  words[count++] = clew_strdup("clew");
  for (uint32_t i = 0; i < manifest->command.len; i++) {
    bool has_value = false;
    if (is_dropped(manifest->command.data[i], options->recheck, &has_value)) {
      i += has_value;
    } else {
      words[count++] = clew_strdup(manifest->command.data[i]);
    }
  }
  for (int i = 2; i < options->argc; i++) {
    if (options->argv[i] != options->operands.data[0] &&
        strcmp(options->argv[i], "--recheck") != 0) {
      words[count++] = given_word(options->argv[i], options->argv[i - 1]);
    }
  }
  *argc = count;
  return words;
}
