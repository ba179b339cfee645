/* Answers: a search on behalf of a program, and what it found out. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "api/api_int.h"
#include "base/alloc.h"
#include "cli/message.h"
#include "cli/registry.h"
#include "prop/verdict.h"
#include "report/output.h"
#include "report/report.h"

/* ---- the search ---- */

static bool pass_progress(void *context, const struct clew_progress *now) {
  const struct clew_handle *handle = context;
  clew_moment moment = {.elapsed_s = now->elapsed_s,
                        .states = now->states,
                        .transitions = now->transitions,
                        .waiting = now->queue,
                        .level = now->level,
                        .memory_bytes = now->memory_bytes};
  return handle->progress(handle->progress_context, &moment) != 0;
}

/* What is said about each property, while the store and its names are there to ask. */
static void tell_properties(struct clew_api_answer *answer) {
  const struct clew_session *session = &answer->session;
  const struct clew_model *model = session->model;
  const struct clew_outcomes *outcomes = &session->result.outcomes;
  answer->whys = clew_alloc_zero((size_t)model->property_count + 1, sizeof *answer->whys);
  for (uint32_t i = 0; i < model->property_count; i++) {
    struct clew_text why = {0};
    const struct clew_outcome *outcome = &outcomes->list[i];
    if (outcome->decision == CLEW_PROPERTY_VIOLATED) {
      struct clew_violation violation = {.property = i,
                                         .depth = outcome->depth,
                                         .site = outcome->site,
                                         .trace = clew_result_trace_of(&session->result, i)};
      clew_report_violation(model, &violation, &why);
    } else if (outcome->decision == CLEW_UNDECIDED && clew_outcome_is_asked(outcomes, i)) {
      clew_report_reason(&session->info, &session->result, i, &why);
    }
    answer->whys[i] = why.len > 0 ? clew_strdup(clew_text_str(&why)) : NULL;
    clew_text_free(&why);
  }
}

static void tell_result(struct clew_api_answer *answer) {
  struct clew_result *result = &answer->session.result;
  tell_properties(answer);
  if (result->has_trace) {
    clew_answer_tell(answer, &result->trace);
  }
  for (uint32_t i = 0; i < result->more_traces.len; i++) {
    clew_answer_tell(answer, &result->more_traces.data[i]);
  }
}

struct errand {
  struct clew_api_answer *answer;
  const char *command;
  const char *const *options;
};

static enum clew_exit search(struct clew_api_answer *answer, const struct errand *errand) {
  struct clew_handle *handle = answer->handle;
  struct clew_words *words = &answer->words;
  if (!clew_words_parse(words, errand->command, (const char *const *)handle->given, errand->options,
                        handle->name)) {
    return CLEW_EXIT_USAGE;
  }
  words->options.source = handle->has_text ? &handle->source : NULL;
  answer->has_session = true;
  enum clew_exit exit = clew_session_open(&answer->session, &words->options, NULL);
  if (exit == CLEW_EXIT_OK) {
    exit = clew_session_explore(&answer->session);
  }
  if (exit == CLEW_EXIT_OK && !clew_session_conclude(&answer->session)) {
    exit = CLEW_EXIT_INTERNAL;
  }
  return exit;
}

static void answer_errand(void *context) {
  const struct errand *errand = context;
  struct clew_api_answer *answer = errand->answer;
  struct clew_handle *handle = answer->handle;
  struct clew_voice *voice = &handle->desk.voice;
  clew_voice_clear(voice);
  voice->progress = handle->progress != NULL ? pass_progress : NULL;
  voice->context = handle;
  voice->progress_s = handle->progress_s;
  enum clew_exit exit = search(answer, errand);
  answer->status = (int)exit;
  if (answer->has_session) {
    clew_message_diagnostics(&answer->session.diags);
  }
  if (exit == CLEW_EXIT_OK) {
    tell_result(answer);
    clew_session_shed(&answer->session);
  }
  answer->said = voice->said;
  voice->said = (struct clew_diag_sink){0};
}

static clew_answer *ask(clew_handle *handle, const char *command, const char *const *options) {
  struct clew_api_answer *answer = clew_alloc_zero(1, sizeof *answer);
  answer->handle = handle;
  atomic_fetch_add(&handle->references, 1);
  struct errand errand = {.answer = answer, .command = command, .options = options};
  if (!clew_desk_do(&handle->desk, answer_errand, &errand)) {
    clew_diag_plain(&answer->said, CLEW_ERROR, NULL, "a callback must not ask for a search");
    answer->status = CLEW_EXIT_USAGE;
  }
  return answer;
}

clew_answer *clew_check(clew_handle *handle, const char *const *options) {
  return ask(handle, "check", options);
}

clew_answer *clew_explore(clew_handle *handle, const char *const *options) {
  return ask(handle, "stats", options);
}

void clew_stop(clew_handle *handle) {
  clew_voice_stop(&handle->desk.voice);
}

static void forget(void *context) {
  struct clew_api_answer *answer = context;
  uint32_t properties = answer->has_session && answer->session.model != NULL
                            ? answer->session.model->property_count
                            : 0;
  for (uint32_t i = 0; answer->whys != NULL && i < properties; i++) {
    clew_free(answer->whys[i]);
  }
  clew_free(answer->whys);
  clew_answer_untell(answer);
  if (answer->has_session) {
    clew_session_close(&answer->session);
  }
}

void clew_answer_free(clew_answer *answer) {
  if (answer == NULL) {
    return;
  }
  (void)clew_desk_do(&answer->handle->desk, forget, answer);
  clew_words_free(&answer->words);
  clew_diag_sink_free(&answer->said);
  clew_handle_release(answer->handle);
  clew_free(answer);
}

/* ---- what is there ---- */

int clew_answer_status(const clew_answer *answer) {
  return answer->status;
}

uint32_t clew_answer_diagnostic_count(const clew_answer *answer) {
  return answer->said.len;
}

int clew_answer_diagnostic(const clew_answer *answer, uint32_t index, clew_diagnostic *out) {
  return clew_diagnostic_read(&answer->said, index, out);
}

static bool has_result(const clew_answer *answer) {
  return answer->status == CLEW_EXIT_OK;
}

int clew_answer_verdict(const clew_answer *answer) {
  _Static_assert((int)CLEW_ANSWER_HOLDS == (int)CLEW_VERDICT_HOLDS &&
                     (int)CLEW_ANSWER_VIOLATED == (int)CLEW_VERDICT_VIOLATED &&
                     (int)CLEW_ANSWER_NO_VIOLATION_FOUND == (int)CLEW_VERDICT_NO_VIOLATION_FOUND &&
                     (int)CLEW_ANSWER_INCOMPLETE == (int)CLEW_VERDICT_INCOMPLETE,
                 "the numbers of the interface do not change");
  return has_result(answer) ? (int)answer->session.result.verdict : (int)CLEW_ANSWER_NONE;
}

const char *clew_answer_verdict_name(const clew_answer *answer) {
  return has_result(answer) ? clew_verdict_name(answer->session.result.verdict) : "none";
}

int clew_answer_exit_code(const clew_answer *answer) {
  return has_result(answer) ? (int)answer->session.result.exit_code : answer->status;
}

struct figure {
  const char *name;
  const struct clew_statistic *found;
  struct clew_statistic copy;
};

static void look_for(void *context, const struct clew_statistic *stat) {
  struct figure *figure = context;
  if (strcmp(stat->name, figure->name) == 0) {
    figure->copy = *stat;
    figure->found = &figure->copy;
  }
}

static bool find_figure(const clew_answer *answer, struct figure *figure) {
  if (has_result(answer)) {
    clew_result_each_statistic(&answer->session.result, look_for, figure);
  }
  return figure->found != NULL;
}

int clew_answer_count(const clew_answer *answer, const char *name, uint64_t *out) {
  struct figure figure = {.name = name};
  if (!find_figure(answer, &figure) || figure.copy.is_real || figure.copy.text != NULL) {
    return 0;
  }
  *out = figure.copy.count;
  return 1;
}

int clew_answer_real(const clew_answer *answer, const char *name, double *out) {
  struct figure figure = {.name = name};
  if (!find_figure(answer, &figure)) {
    return 0;
  }
  *out = figure.copy.is_real ? figure.copy.real : (double)figure.copy.count;
  return 1;
}

uint32_t clew_answer_property_count(const clew_answer *answer) {
  return has_result(answer) ? answer->session.model->property_count : 0;
}

static uint32_t trace_of(const clew_answer *answer, uint32_t property) {
  for (uint32_t i = 0; i < answer->traces.len; i++) {
    if (answer->traces.data[i].trace->property == property) {
      return i;
    }
  }
  return CLEW_NO_INDEX;
}

int clew_answer_property_get(const clew_answer *answer, uint32_t property,
                             clew_answer_property *out) {
  _Static_assert((int)CLEW_ANSWER_UNDECIDED == (int)CLEW_UNDECIDED &&
                     (int)CLEW_ANSWER_TRUE == (int)CLEW_PROPERTY_HOLDS &&
                     (int)CLEW_ANSWER_FALSE == (int)CLEW_PROPERTY_VIOLATED,
                 "the numbers of the interface do not change");
  if (property >= clew_answer_property_count(answer)) {
    return 0;
  }
  const struct clew_property *fact = &answer->session.model->properties[property];
  const struct clew_outcomes *outcomes = &answer->session.result.outcomes;
  const struct clew_outcome *outcome = &outcomes->list[property];
  *out = (clew_answer_property){
      .name = fact->name,
      .kind = clew_property_word(fact),
      .outcome = (int)outcome->decision,
      .is_asked = clew_outcome_is_asked(outcomes, property),
      .depth = outcome->decision == CLEW_PROPERTY_VIOLATED ? outcome->depth : CLEW_NO_INDEX,
      .trace = trace_of(answer, property),
      .line = fact->position.line,
      .column = fact->position.column,
      .why = answer->whys[property]};
  return 1;
}

/* ---- documents ---- */

struct document {
  struct clew_api_answer *answer;
  const char *name;
  struct clew_text text;
  bool is_there;
};

static void write_document(void *context) {
  struct document *document = context;
  const struct clew_session *session = &document->answer->session;
  for (const struct clew_output_entry *entry = clew_outputs; entry->type != NULL; entry++) {
    const char *name = entry->is_default ? "text" : entry->type->name;
    struct clew_text why = {0};
    if (strcmp(name, document->name) == 0 &&
        (entry->type->check == NULL || entry->type->check(&session->info, &why))) {
      document->is_there = entry->type->write(&session->info, &session->result, &document->text);
    }
    clew_text_free(&why);
  }
}

char *clew_answer_document(clew_answer *answer, const char *name) {
  struct document document = {.answer = answer, .name = name};
  if (!has_result(answer) || !clew_desk_do(&answer->handle->desk, write_document, &document) ||
      !document.is_there) {
    clew_text_free(&document.text);
    return NULL;
  }
  char *copy = clew_strdup(clew_text_str(&document.text));
  clew_text_free(&document.text);
  return copy;
}
