/* Answers of operations that can fail. A bug is an assert, running out of memory for a small
 * allocation is fatal (base/alloc.h); everything the outside world can cause is one of these,
 * with the explanation in a struct clew_diag_sink (base/diag.h). */
#ifndef CLEW_BASE_STATUS_H
#define CLEW_BASE_STATUS_H

enum clew_status {
  CLEW_OK = 0,
  CLEW_BAD_USAGE,   /* the command line asks for something that does not exist */
  CLEW_BAD_INPUT,   /* the model, or a saved trace, is wrong */
  CLEW_IO_FAILED,   /* the system refused to read or write */
  CLEW_OVER_LIMIT,  /* a documented limit, or the memory budget, does not allow it */
  CLEW_UNAVAILABLE, /* something optional is missing, such as a C compiler */
};

/* Exit codes of the program: a contract with scripts (see the manual). */
enum clew_exit {
  CLEW_EXIT_OK = 0,
  CLEW_EXIT_SUITE = 1, /* a check of a suite did not give what is expected */
  CLEW_EXIT_USAGE = 2,
  CLEW_EXIT_DEADLOCK = 10,
  CLEW_EXIT_INVARIANT = 12,
  CLEW_EXIT_LIVENESS = 13,
  CLEW_EXIT_ASSERTION = 14,
  CLEW_EXIT_INCOMPLETE = 20,
  CLEW_EXIT_LOSSY = 21,
  CLEW_EXIT_BAD_MODEL = 65,
  CLEW_EXIT_INTERNAL = 70,
  CLEW_EXIT_STOPPED = 75,
};

#endif
