/* Voices, and their alarm. */
#include "cli/voice.h"

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <time.h>

#include "base/clock.h"

static _Thread_local struct clew_voice *here;

struct clew_voice *clew_voice_here(void) {
  return here;
}

void clew_voice_use(struct clew_voice *voice) {
  here = voice;
}

void clew_voice_open(struct clew_voice *voice) {
  *voice = (struct clew_voice){.alarm_s = INFINITY};
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&voice->lock, NULL);
  pthread_cond_init(&voice->change, &attributes);
  pthread_condattr_destroy(&attributes);
}

void clew_voice_close(struct clew_voice *voice) {
  if (voice->has_waiter) {
    pthread_mutex_lock(&voice->lock);
    voice->is_closing = true;
    pthread_cond_signal(&voice->change);
    pthread_mutex_unlock(&voice->lock);
    pthread_join(voice->waiter, NULL);
  }
  pthread_cond_destroy(&voice->change);
  pthread_mutex_destroy(&voice->lock);
  clew_diag_sink_free(&voice->said);
}

void clew_voice_clear(struct clew_voice *voice) {
  pthread_mutex_lock(&voice->lock);
  voice->alarm_s = INFINITY;
  pthread_mutex_unlock(&voice->lock);
  clew_diag_sink_free(&voice->said);
  voice->said = (struct clew_diag_sink){0};
  atomic_store(&voice->stop, false);
  atomic_store(&voice->interrupted, false);
}

void clew_voice_stop(struct clew_voice *voice) {
  atomic_store(&voice->interrupted, true);
  atomic_store(&voice->stop, true);
}

static struct timespec after(double seconds) {
  const double longest_s = 1e8;
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  seconds = fmin(fmax(seconds, 0), longest_s);
  double whole_s = floor(seconds);
  at.tv_sec += (time_t)whole_s;
  at.tv_nsec += (long)((seconds - whole_s) * 1e9);
  at.tv_sec += at.tv_nsec / 1000000000;
  at.tv_nsec %= 1000000000;
  return at;
}

static void *wait_for_alarm(void *argument) {
  struct clew_voice *voice = argument;
  pthread_mutex_lock(&voice->lock);
  while (!voice->is_closing) {
    double left_s = voice->alarm_s - clew_clock_wall_s();
    if (left_s <= 0) {
      voice->alarm_s = INFINITY;
      atomic_store(&voice->stop, true);
    } else if (isinf(left_s)) {
      pthread_cond_wait(&voice->change, &voice->lock);
    } else {
      struct timespec until = after(left_s);
      pthread_cond_timedwait(&voice->change, &voice->lock, &until);
    }
  }
  pthread_mutex_unlock(&voice->lock);
  return NULL;
}

void clew_voice_alarm(struct clew_voice *voice, double seconds) {
  assert(!isnan(seconds));
  pthread_mutex_lock(&voice->lock);
  voice->alarm_s = clew_clock_wall_s() + seconds;
  if (!voice->has_waiter) {
    /* Signals of the program are none of its business. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    voice->has_waiter = pthread_create(&voice->waiter, NULL, wait_for_alarm, voice) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  pthread_cond_signal(&voice->change);
  pthread_mutex_unlock(&voice->lock);
}
