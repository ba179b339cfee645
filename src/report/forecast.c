/* The forecast.
 *
 * Levels are smoothed, so that one that is narrow by chance does not pass for a turn. The widest
 * one lies behind when a few of those after it are clearly narrower. Two estimates are made then:
 * from the states up to the widest level, which are between two known shares of all, and from the
 * way the last levels shrink, as if they went on in the same ratio. */
#include "report/forecast.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

/* Of all states, those up to the widest level are between these shares. */
static const double LEAST_SHARE = 0.25, MOST_SHARE = 0.80;
static const double CLEARLY = 0.9; /* of the widest level */
enum {
  LEAST_LEVELS = 6,
  LEAST_AFTER = 2,
  SPREAD = 16 /* levels that one is smoothed over: one for
                 so many that there are */
};

/* The mean of the levels around one. */
static double smooth(const uint64_t *sizes, uint32_t levels, uint32_t at) {
  uint32_t radius = levels / SPREAD / 2, count = 0;
  double sum = 0;
  for (uint32_t i = at > radius ? at - radius : 0; i <= at + radius && i < levels; i++) {
    sum += (double)sizes[i];
    count++;
  }
  assert(count > 0);
  return sum / count;
}

static uint32_t widest(const uint64_t *sizes, uint32_t levels) {
  uint32_t best = 0;
  double most = 0;
  for (uint32_t i = 0; i < levels; i++) {
    double size = smooth(sizes, levels, i);
    if (size > most) {
      most = size;
      best = i;
    }
  }
  return best;
}

struct clew_forecast clew_forecast_make(const uint64_t *sizes, uint32_t levels, uint64_t states) {
  struct clew_forecast forecast = {.low = states};
  if (levels < LEAST_LEVELS) {
    return forecast;
  }
  uint32_t peak = widest(sizes, levels);
  double before = 0;
  for (uint32_t i = 0; i <= peak; i++) {
    before += (double)sizes[i];
  }
  double now = smooth(sizes, levels, levels - 1), most = smooth(sizes, levels, peak);
  if (peak + LEAST_AFTER >= levels || now > CLEARLY * most) {
    /* It goes on growing: what was found in the last level is found again. */
    forecast.low = states + (uint64_t)now;
    return forecast;
  }
  double low = before / MOST_SHARE, high = before / LEAST_SHARE;
  forecast.has_interval = true;
  forecast.low = low > (double)states ? (uint64_t)low : states;
  forecast.high = high > (double)forecast.low ? (uint64_t)high : forecast.low;
  return forecast;
}
