/* Checks on behalf of an editor. A search may take hours, so it has a thread; the server goes on
 * meanwhile. The thread uses the library and writes nothing: when it has ended, the server tells
 * the editor, as answer to the request, as messages, and as diagnostics at the properties that
 * fail. */
#include <assert.h>
#include <clew.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "lsp/lsp_int.h"

struct clew_lsp_job {
  struct clew_json id; /* its string is owned */
  char *uri, *name;
  const char *language; /* static */
  int64_t version;
  struct clew_text text;
  CLEW_VEC(char *) options; /* owned, ended by NULL */
  pthread_t thread;
  int done; /* to be written to at the end */
  pthread_mutex_t lock;
  clew_handle *handle; /* these three under the lock */
  bool is_cancelled, is_done;
  clew_answer *answer;
};

static void free_job(struct clew_lsp_job *job) {
  clew_answer_free(job->answer);
  clew_close(job->handle);
  pthread_mutex_destroy(&job->lock);
  clew_free((void *)job->id.string);
  clew_free(job->uri);
  clew_free(job->name);
  clew_text_free(&job->text);
  for (uint32_t i = 0; i < job->options.len; i++) {
    clew_free(job->options.data[i]);
  }
  clew_vec_free(&job->options);
  clew_free(job);
}

static int go_on(void *context, const clew_moment *moment) {
  struct clew_lsp_job *job = context;
  (void)moment;
  pthread_mutex_lock(&job->lock);
  bool is_wanted = !job->is_cancelled;
  pthread_mutex_unlock(&job->lock);
  return is_wanted;
}

static void *work(void *argument) {
  struct clew_lsp_job *job = argument;
  const char *language[] = {"--lang", job->language, NULL};
  clew_handle *handle =
      clew_open_text(job->name, clew_text_str(&job->text), job->text.len, language);
  pthread_mutex_lock(&job->lock);
  job->handle = handle;
  pthread_mutex_unlock(&job->lock);
  if (handle != NULL && clew_handle_status(handle) == 0) {
    /* clew_stop ends a search that is under way. One that is only about to begin asks later. */
    clew_set_progress(handle, go_on, job, 0.05);
    job->answer = clew_check(handle, (const char *const *)job->options.data);
  }
  pthread_mutex_lock(&job->lock);
  job->is_done = true;
  pthread_mutex_unlock(&job->lock);
  ssize_t written;
  do {
    written = write(job->done, "", 1);
  } while (written < 0 && errno == EINTR);
  return NULL;
}

/* ---- asking ---- */

static bool add_options(struct clew_lsp_job *job, const struct clew_json *arguments) {
  bool ok = true;
  for (uint32_t i = 1; i < arguments->count && ok; i++) {
    ok = arguments->items[i].kind == CLEW_JSON_STRING;
    if (ok) {
      clew_vec_push(&job->options, clew_strdup(arguments->items[i].string));
    }
  }
  return ok;
}

static struct clew_lsp_job *new_job(const struct clew_lsp *lsp, const struct clew_json *id,
                                    const struct clew_document *document) {
  struct clew_lsp_job *job = clew_alloc_zero(1, sizeof *job);
  job->id = *id;
  job->id.string = id->kind == CLEW_JSON_STRING ? clew_strdup(id->string) : NULL;
  job->uri = clew_strdup(document->uri);
  job->name = clew_strdup(document->name);
  job->version = document->version;
  job->done = lsp->done[1];
  clew_text_put_n(&job->text, clew_text_str(&document->text), document->text.len);
  pthread_mutex_init(&job->lock, NULL);
  return job;
}

void clew_lsp_check(struct clew_lsp *lsp, const struct clew_json *id,
                    const struct clew_json *params) {
  enum { MOST_JOBS = 8 };
  const char *command = clew_lsp_string(params, "command");
  const struct clew_json *arguments = params != NULL && params->kind == CLEW_JSON_OBJECT
                                          ? clew_json_get(params, "arguments")
                                          : NULL;
  const char *uri = arguments != NULL && arguments->kind == CLEW_JSON_ARRAY &&
                            arguments->count > 0 && arguments->items[0].kind == CLEW_JSON_STRING
                        ? arguments->items[0].string
                        : NULL;
  const struct clew_document *document = uri != NULL ? clew_lsp_find(lsp, uri) : NULL;
  const struct clew_language *language = document != NULL ? clew_document_language(document) : NULL;
  if (command == NULL || strcmp(command, "clew.check") != 0) {
    clew_lsp_fail(lsp, id, CLEW_LSP_PARAMS, "there is no such command");
    return;
  }
  if (language == NULL) {
    clew_lsp_fail(lsp, id, CLEW_LSP_PARAMS, "the first argument is the address of an open model");
    return;
  }
  if (lsp->jobs.len >= MOST_JOBS) {
    clew_lsp_fail(lsp, id, CLEW_LSP_INVALID, "too many checks at a time");
    return;
  }
  struct clew_lsp_job *job = new_job(lsp, id, document);
  job->language = language->name;
  bool ok = add_options(job, arguments);
  clew_vec_push(&job->options, NULL);
  if (!ok || pthread_create(&job->thread, NULL, work, job) != 0) {
    free_job(job);
    clew_lsp_fail(lsp, id, CLEW_LSP_PARAMS, "arguments are words of the command line");
    return;
  }
  clew_vec_push(&lsp->jobs, job);
}

static void stop_job(struct clew_lsp_job *job) {
  pthread_mutex_lock(&job->lock);
  job->is_cancelled = true;
  if (job->handle != NULL) {
    clew_stop(job->handle);
  }
  pthread_mutex_unlock(&job->lock);
}

static bool same_id(const struct clew_json *a, const struct clew_json *b) {
  return a->kind == b->kind && (a->kind == CLEW_JSON_STRING ? strcmp(a->string, b->string) == 0
                                                            : a->integer == b->integer);
}

void clew_lsp_cancel(struct clew_lsp *lsp, const struct clew_json *id) {
  for (uint32_t i = 0; id != NULL && i < lsp->jobs.len; i++) {
    if (same_id(&lsp->jobs.data[i]->id, id)) {
      stop_job(lsp->jobs.data[i]);
    }
  }
}

/* ---- telling ---- */

/* The violation and the way to it, as a few lines. */
static void put_story(const clew_answer *answer, const clew_answer_property *property,
                      struct clew_text *out) {
  enum { MOST_STEPS = 60 };
  clew_text_put(out, property->why);
  uint32_t states =
      property->trace != CLEW_NO_INDEX ? clew_trace_state_count(answer, property->trace) : 0;
  for (uint32_t i = 0; i < states && i < MOST_STEPS; i++) {
    clew_text_printf(out, "\n%u. %s", i, clew_trace_step(answer, property->trace, i));
    for (uint32_t k = 0; k < clew_trace_variable_count(answer); k++) {
      const char *value = clew_trace_value(answer, property->trace, i, k);
      const char *before = i > 0 ? clew_trace_value(answer, property->trace, i - 1, k) : NULL;
      if (i > 0 && value != NULL && (before == NULL || strcmp(value, before) != 0)) {
        clew_text_printf(out, "  %s = %s", clew_trace_variable(answer, k), value);
      }
    }
  }
  if (states > MOST_STEPS) {
    clew_text_printf(out, "\n... and %u more steps", states - MOST_STEPS);
  }
  if (states > 0 && clew_trace_error(answer, property->trace) != NULL) {
    clew_text_printf(out, "\n%s", clew_trace_error(answer, property->trace));
  }
}

static void note_violations(struct clew_lsp *lsp, const struct clew_lsp_job *job) {
  struct clew_document *document = clew_lsp_find(lsp, job->uri);
  if (document == NULL || document->version != job->version) {
    return; /* it was about another text */
  }
  clew_findings_clear(document, true);
  clew_answer_property property;
  for (uint32_t i = 0; clew_answer_property_get(job->answer, i, &property); i++) {
    if (property.outcome != CLEW_ANSWER_FALSE || property.why == NULL) {
      continue;
    }
    struct clew_text story = {0};
    put_story(job->answer, &property, &story);
    uint32_t offset =
        clew_document_place(document, (struct clew_position){property.line, property.column});
    uint32_t length = property.line > 0 ? clew_document_word(document, offset).length : 0;
    clew_finding_add(
        document, true,
        (struct clew_finding){
            .severity = CLEW_ERROR, .offset = offset, .length = length, .source = "clew check"},
        clew_text_str(&story));
    clew_text_free(&story);
  }
  clew_lsp_publish(lsp, document);
}

/* One line for the editor to show, and its kind: 1 an error, 2 a warning, 3 for information. */
static int sum_up(const struct clew_lsp_job *job, struct clew_text *line) {
  const clew_answer *answer = job->answer;
  clew_diagnostic found;
  clew_answer_property property;
  if (answer == NULL || clew_answer_status(answer) != 0) {
    bool any = answer != NULL ? clew_answer_diagnostic(answer, 0, &found)
                              : job->handle != NULL && clew_diagnostic_get(job->handle, 0, &found);
    clew_text_printf(line, "clew: %s", any ? found.message : "the model cannot be checked");
    return 1;
  }
  uint64_t states = 0;
  char count[32];
  (void)clew_answer_count(answer, "states", &states);
  clew_text_printf(line, "clew: %s (%s states)", clew_answer_verdict_name(answer),
                   clew_text_count(states, count));
  for (uint32_t i = 0; clew_answer_property_get(answer, i, &property); i++) {
    if (property.outcome == CLEW_ANSWER_FALSE && property.why != NULL) {
      clew_text_printf(line, ": %s", property.why);
      break;
    }
  }
  int verdict = clew_answer_verdict(answer);
  return verdict == CLEW_ANSWER_HOLDS ? 3 : verdict == CLEW_ANSWER_VIOLATED ? 1 : 2;
}

static void answer_job(struct clew_lsp *lsp, const struct clew_lsp_job *job, const char *line) {
  struct clew_text out = {0};
  struct clew_json_writer w;
  char *text = job->answer != NULL ? clew_answer_document(job->answer, "text") : NULL;
  clew_lsp_begin(&w, &out, &job->id);
  clew_json_object_open(&w);
  clew_json_key(&w, "verdict");
  clew_json_string(&w, job->answer != NULL ? clew_answer_verdict_name(job->answer) : "none");
  clew_json_key(&w, "exitCode");
  clew_json_i64(&w, job->answer != NULL   ? clew_answer_exit_code(job->answer)
                    : job->handle != NULL ? clew_handle_status(job->handle)
                                          : 70);
  clew_json_key(&w, "summary");
  clew_json_string(&w, line);
  clew_json_key(&w, "text");
  clew_json_string(&w, text);
  clew_json_object_close(&w);
  clew_lsp_end(lsp, &w, &out);
  if (text != NULL) {
    clew_lsp_message(lsp, "window/logMessage", 3, text);
  }
  clew_string_free(text);
}

static void tell_job(struct clew_lsp *lsp, const struct clew_lsp_job *job) {
  if (job->is_cancelled) {
    clew_lsp_fail(lsp, &job->id, CLEW_LSP_CANCELLED, "the check was cancelled");
    return;
  }
  struct clew_text line = {0};
  int type = sum_up(job, &line);
  if (job->answer != NULL && clew_answer_status(job->answer) == 0) {
    note_violations(lsp, job);
  }
  clew_lsp_message(lsp, "window/showMessage", type, clew_text_str(&line));
  answer_job(lsp, job, clew_text_str(&line));
  clew_text_free(&line);
}

void clew_lsp_collect(struct clew_lsp *lsp) {
  char bytes[64];
  while (read(lsp->done[0], bytes, sizeof bytes) > 0) {
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < lsp->jobs.len; i++) {
    struct clew_lsp_job *job = lsp->jobs.data[i];
    pthread_mutex_lock(&job->lock);
    bool is_done = job->is_done;
    pthread_mutex_unlock(&job->lock);
    if (is_done) {
      pthread_join(job->thread, NULL);
      tell_job(lsp, job);
      free_job(job);
    } else {
      lsp->jobs.data[kept++] = job;
    }
  }
  lsp->jobs.len = kept;
}

void clew_lsp_stop_jobs(struct clew_lsp *lsp) {
  for (uint32_t i = 0; i < lsp->jobs.len; i++) {
    stop_job(lsp->jobs.data[i]);
  }
  for (uint32_t i = 0; i < lsp->jobs.len; i++) {
    pthread_join(lsp->jobs.data[i]->thread, NULL);
    tell_job(lsp, lsp->jobs.data[i]);
    free_job(lsp->jobs.data[i]);
  }
  lsp->jobs.len = 0;
}
