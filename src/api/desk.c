/* Desks: one thread for each handle. */
#include <assert.h>
#include <signal.h>

#include "api/api_int.h"
#include "base/crew.h"

static void *attend(void *argument) {
  struct clew_desk *desk = argument;
  clew_voice_use(&desk->voice);
  pthread_mutex_lock(&desk->lock);
  while (!desk->is_closing) {
    if (desk->job == NULL) {
      pthread_cond_wait(&desk->change, &desk->lock);
      continue;
    }
    pthread_mutex_unlock(&desk->lock);
    desk->job(desk->context);
    pthread_mutex_lock(&desk->lock);
    desk->job = NULL;
    pthread_cond_broadcast(&desk->change);
  }
  pthread_mutex_unlock(&desk->lock);
  return NULL;
}

bool clew_desk_open(struct clew_desk *desk) {
  *desk = (struct clew_desk){.job = NULL};
  clew_voice_open(&desk->voice);
  pthread_mutex_init(&desk->turn, NULL);
  pthread_mutex_init(&desk->lock, NULL);
  pthread_cond_init(&desk->change, NULL);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  /* Signals are for the threads of the program; what the desk starts inherits that. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool ok = pthread_attr_setstacksize(&attributes, CLEW_CREW_STACK_BYTES) == 0 &&
            pthread_create(&desk->thread, &attributes, attend, desk) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (!ok) {
    clew_voice_close(&desk->voice);
  }
  return ok;
}

void clew_desk_close(struct clew_desk *desk) {
  pthread_mutex_lock(&desk->lock);
  assert(desk->job == NULL);
  desk->is_closing = true;
  pthread_cond_broadcast(&desk->change);
  pthread_mutex_unlock(&desk->lock);
  pthread_join(desk->thread, NULL);
  clew_voice_close(&desk->voice);
  pthread_cond_destroy(&desk->change);
  pthread_mutex_destroy(&desk->lock);
  pthread_mutex_destroy(&desk->turn);
}

bool clew_desk_do(struct clew_desk *desk, clew_desk_job *job, void *context) {
  if (pthread_equal(pthread_self(), desk->thread) != 0) {
    return false;
  }
  pthread_mutex_lock(&desk->turn);
  pthread_mutex_lock(&desk->lock);
  assert(desk->job == NULL);
  desk->job = job;
  desk->context = context;
  pthread_cond_broadcast(&desk->change);
  while (desk->job != NULL) {
    pthread_cond_wait(&desk->change, &desk->lock);
  }
  pthread_mutex_unlock(&desk->lock);
  pthread_mutex_unlock(&desk->turn);
  return true;
}
