/* The course of a search: moments of it at even distances, as many as a chart can show. When there
 * are too many, every second one is dropped and they are taken half as often. */
#ifndef CLEW_REPORT_HISTORY_H
#define CLEW_REPORT_HISTORY_H

#include "base/vec.h"
#include "report/progress.h"

enum { CLEW_HISTORY_MOST = 512 };

/* Zeroed: nothing yet. */
struct clew_history {
  CLEW_VEC(struct clew_progress) moments;
  double every_s; /* from one to the next; 0: all */
};

void clew_history_add(struct clew_history *history, const struct clew_progress *now);
void clew_history_free(struct clew_history *history);

#endif
