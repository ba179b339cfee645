/* Signals while a search runs. The flag is the one global of the program: a handler has nothing
 * else to reach it by. */
#include "cli/signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_bool interrupted;

static void interrupt(int signal_number) {
  (void)signal_number;
  atomic_store_explicit(&interrupted, true, memory_order_relaxed);
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

/* A shell starts background jobs with SIGINT ignored; that is the user's wish. */
static void install_unless_ignored(int signal_number) {
  struct sigaction before;
  if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) {
    return;
  }
  install(signal_number, interrupt, SA_RESTART | (int)SA_RESETHAND);
}

const atomic_bool *clew_signals_catch(void) {
  install_unless_ignored(SIGINT);
  install_unless_ignored(SIGTERM);
  return &interrupted;
}
