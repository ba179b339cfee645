/* How large a state space will be, told by the sizes of its breadth-first levels so far.
 *
 * Levels grow, and later they shrink again. Before the widest level nothing can be known but that
 * there is more to come: a forecast is a lower bound then. After it, the share of states that come
 * before the widest level is known from experience (bench/forecast), and so is how fast levels
 * shrink. */
#ifndef CLEW_REPORT_FORECAST_H
#define CLEW_REPORT_FORECAST_H

#include <stdbool.h>
#include <stdint.h>

struct clew_forecast {
  bool has_interval;  /* the widest level seems to lie behind */
  uint64_t low, high; /* states in the end; without an interval `high` means nothing */
};

/* `sizes` are those of the levels that are complete, the initial states first; `states` is how many
 * there are by now, those of unfinished levels included. */
struct clew_forecast clew_forecast_make(const uint64_t *sizes, uint32_t levels, uint64_t states);

struct clew_result;
struct clew_json_writer;
struct clew_text;
/* The forecast of a search that was ended, from the levels that are known. False: there are none,
 * or there is nothing left to be said. */
bool clew_forecast_of(const struct clew_result *result, struct clew_forecast *forecast);
/* "forecast": states, seconds, memory and disk of the whole search, each as [low, high], where the
 * high ones are null if only a lower bound is known; and the share of new states among the
 * successors of each level. */
void clew_forecast_put_json(struct clew_json_writer *w, const struct clew_result *result);
/* A sentence, or nothing. */
void clew_forecast_put_text(struct clew_text *out, const struct clew_result *result);
/* "700,000 to 800,000 states, 2.0 s to 3.0 s and 24 MB to 28 MB for the states", or nothing. */
void clew_forecast_put_needs(struct clew_text *out, const struct clew_result *result);

#endif
