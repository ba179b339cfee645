/* Signals while a search runs. What is here is all the global state of the program: a handler has
 * nothing else to reach it by. A thread with a voice (cli/voice.h) has flags of its own, and
 * nothing is installed for it. */
#include "cli/signals.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cli/voice.h"

enum { PATIENCE_MS = 500 };

static atomic_bool interrupted, stop, finishing;
static _Atomic unsigned patience_s;
static _Atomic int64_t first_ms; /* when the first request came */

static void raise_stop(void) {
  if (!atomic_load_explicit(&finishing, memory_order_relaxed)) {
    atomic_store_explicit(&stop, true, memory_order_relaxed);
  }
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Some send one request twice at once: timeout(1) signals the process and then its group. That is
 * not yet a user who has lost patience. */
static void interrupt(int signal_number) {
  int error = errno;
  if (!atomic_load_explicit(&interrupted, memory_order_relaxed)) {
    atomic_store_explicit(&first_ms, now_ms(), memory_order_relaxed);
    atomic_store_explicit(&interrupted, true, memory_order_relaxed);
    unsigned seconds = atomic_load_explicit(&patience_s, memory_order_relaxed);
    if (seconds > 0) {
      alarm(seconds);
    } else {
      raise_stop();
    }
  } else if (now_ms() - atomic_load_explicit(&first_ms, memory_order_relaxed) > PATIENCE_MS) {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
  errno = error;
}

static void expire(int signal_number) {
  (void)signal_number;
  raise_stop();
}

static void install(int signal_number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  sigaction(signal_number, &action, NULL);
}

void clew_signals_ignore(void) {
  install(SIGPIPE, SIG_IGN, 0);
  install(SIGXFSZ, SIG_IGN, 0);
}

/* A shell starts background jobs with SIGINT ignored, nohup(1) programs with SIGHUP ignored; that
 * is the user's wish. */
static void install_unless_ignored(int signal_number) {
  struct sigaction before;
  if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) {
    return;
  }
  install(signal_number, interrupt, SA_RESTART);
}

const atomic_bool *clew_signals_catch(void) {
  struct clew_voice *voice = clew_voice_here();
  if (voice != NULL) {
    return &voice->interrupted;
  }
  install_unless_ignored(SIGINT);
  install_unless_ignored(SIGTERM);
  install_unless_ignored(SIGHUP);
  install_unless_ignored(SIGQUIT);
  return &interrupted;
}

void clew_signals_be_patient(unsigned seconds) {
  if (clew_voice_here() != NULL) {
    return;
  }
  install(SIGALRM, expire, SA_RESTART);
  atomic_store_explicit(&patience_s, seconds, memory_order_relaxed);
}

const atomic_bool *clew_signals_stop(void) {
  struct clew_voice *voice = clew_voice_here();
  return voice != NULL ? &voice->stop : &stop;
}

void clew_signals_alarm(double seconds) {
  const double longest_s = 1e8, shortest_s = 1e-6; /* nothing would switch the timer off */
  if (isnan(seconds)) {
    return;
  }
  if (clew_voice_here() != NULL) {
    clew_voice_alarm(clew_voice_here(), seconds);
    return;
  }
  seconds += atomic_load_explicit(&patience_s, memory_order_relaxed);
  seconds = fmin(fmax(seconds, shortest_s), longest_s);
  double whole_s = floor(seconds);
  struct itimerval timer = {
      .it_value = {.tv_sec = (time_t)whole_s, .tv_usec = (suseconds_t)((seconds - whole_s) * 1e6)}};
  if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) {
    timer.it_value.tv_usec = 1;
  }
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  install(SIGALRM, expire, SA_RESTART);
  sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
  setitimer(ITIMER_REAL, &timer, NULL);
}

void clew_signals_finish(void) {
  struct clew_voice *voice = clew_voice_here();
  if (voice != NULL) {
    clew_voice_alarm(voice, INFINITY);
    atomic_store(&voice->stop, false);
    return;
  }
  atomic_store_explicit(&finishing, true, memory_order_relaxed);
  atomic_store_explicit(&stop, false, memory_order_relaxed);
}

void clew_signals_grant(double seconds) {
  clew_signals_alarm(seconds);
  struct clew_voice *voice = clew_voice_here();
  atomic_store_explicit(voice != NULL ? &voice->stop : &stop, false, memory_order_relaxed);
}
