/* For whom a command works. The command line has the terminal: messages are printed, signals and
 * timers stop what takes long. Another program (the library, an editor) has none of these: its
 * sessions work in a thread that has a voice. There messages are collected, nothing is printed, no
 * handler or timer is installed, and the flags that stop a search are those of the voice.
 *
 * The voice belongs to the thread, so sessions of several threads do not know of each other. */
#ifndef CLEW_CLI_VOICE_H
#define CLEW_CLI_VOICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/diag.h"
#include "report/progress.h"

struct clew_voice {
  struct clew_diag_sink said;    /* owned */
  atomic_bool stop, interrupted; /* clew_signals_stop, clew_signals_catch */
  /* Progress of a search; NULL: nobody asks. False ends the search. */
  bool (*progress)(void *context, const struct clew_progress *now);
  void *context;
  double progress_s; /* how often */
  /* The alarm: a thread that waits. */
  pthread_mutex_t lock;
  pthread_cond_t change;
  pthread_t waiter;
  bool has_waiter, is_closing;
  double alarm_s; /* on the wall clock; infinite: none */
};

void clew_voice_open(struct clew_voice *voice);
void clew_voice_close(struct clew_voice *voice);
/* Forgets what was said, and lowers the flags. */
void clew_voice_clear(struct clew_voice *voice);
/* From any thread: ends what is under way. */
void clew_voice_stop(struct clew_voice *voice);
/* Raises `stop` after this time. */
void clew_voice_alarm(struct clew_voice *voice, double seconds);

/* That of the calling thread, or NULL. */
struct clew_voice *clew_voice_here(void);
void clew_voice_use(struct clew_voice *voice);

#endif
