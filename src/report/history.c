/* The course of a search. */
#include "report/history.h"

#include <assert.h>

static void thin_out(struct clew_history *history) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < history->moments.len; i += 2) {
    history->moments.data[kept++] = history->moments.data[i];
  }
  history->moments.len = kept;
  double span_s = clew_vec_last(&history->moments).elapsed_s - history->moments.data[0].elapsed_s;
  history->every_s = span_s / (kept - 1);
}

void clew_history_add(struct clew_history *history, const struct clew_progress *now) {
  assert(history->moments.len <= CLEW_HISTORY_MOST);
  if (history->moments.len > 0 &&
      now->elapsed_s < clew_vec_last(&history->moments).elapsed_s + history->every_s) {
    return;
  }
  if (history->moments.len == CLEW_HISTORY_MOST) {
    thin_out(history);
  }
  clew_vec_push(&history->moments, *now);
}

void clew_history_free(struct clew_history *history) {
  clew_vec_free(&history->moments);
}
