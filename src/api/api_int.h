/* What the files of the library share. A handle has a desk: a thread with a voice (cli/voice.h) and
 * a stack as large as evaluations need, which does everything that looks at the model. Callers
 * queue there, so a handle needs no other lock. */
#ifndef CLEW_API_API_INT_H
#define CLEW_API_API_INT_H

#include <clew.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/vec.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/voice.h"
#include "model/model.h"

typedef void clew_desk_job(void *context);

struct clew_desk {
  struct clew_voice voice;
  pthread_t thread;
  pthread_mutex_t turn; /* held by the caller whose job is done */
  pthread_mutex_t lock;
  pthread_cond_t change;
  clew_desk_job *job; /* NULL: none, or the last one is done */
  void *context;
  bool is_closing;
};

/* False: the system gives no thread. */
bool clew_desk_open(struct clew_desk *desk);
void clew_desk_close(struct clew_desk *desk);
/* Returns when the job is done. False, and nothing is done, when the desk itself calls. */
bool clew_desk_do(struct clew_desk *desk, clew_desk_job *job, void *context);

/* A command line, made of words that are given. */
struct clew_words {
  CLEW_VEC(char *) argv; /* owned, ended by NULL */
  struct clew_options options;
  bool is_parsed;
};

struct clew_handle {
  atomic_uint references; /* its owner, and its answers */
  struct clew_desk desk;
  char *name;
  bool has_text;
  struct clew_source source; /* of the text, which is owned */
  char **given;              /* options, owned, ended by NULL */
  struct clew_words words;   /* of the model that is walked in */
  int status;
  struct clew_diag_sink said;
  struct clew_model *model; /* without reductions; NULL: status says why */
  clew_progress_function *progress;
  void *progress_context;
  double progress_s;
};

struct clew_told_trace {
  const struct clew_trace *trace; /* of the result */
  uint32_t state_count;
  uint64_t *states;
  char **steps;  /* state_count + 1, the last of which may be NULL */
  char *error;   /* or NULL */
  char **values; /* by state and variable; NULL: absent */
};

struct clew_api_answer {
  struct clew_handle *handle;
  struct clew_words words;
  int status;
  bool has_session;
  struct clew_session session;
  struct clew_diag_sink said;
  char **whys; /* by property */
  CLEW_VEC(struct clew_told_trace) traces;
};

/* `clew COMMAND given... more... -- name`. False with a message to the voice. */
bool clew_words_parse(struct clew_words *words, const char *command, const char *const *given,
                      const char *const *more, const char *name);
void clew_words_free(struct clew_words *words);

void clew_handle_release(struct clew_handle *handle);
/* Writes down a trace as data; works at the desk. */
void clew_answer_tell(struct clew_api_answer *answer, const struct clew_trace *trace);
void clew_answer_untell(struct clew_api_answer *answer);
int clew_diagnostic_read(const struct clew_diag_sink *said, uint32_t index, clew_diagnostic *out);

#endif
