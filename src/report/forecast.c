/* The forecast.
 *
 * Levels are smoothed, so that one that is narrow by chance does not pass for a turn. The widest
 * one lies behind when it is a part of all levels ago, and levels have become clearly narrower.
 * Then the states up to the widest level are between two shares of all states; these are the 5th
 * and 95th percentile of half of the families of a collection of models (bench/forecast). Small
 * searches are over before anybody asks: they have no interval. */
#include "report/forecast.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

/* Of all states, those up to the widest level are between these shares. */
static const double LEAST_SHARE = 0.17, MOST_SHARE = 0.68;
static const double CLEARLY = 0.7;      /* of the widest level */
static const double AFTER_SHARE = 0.15; /* of all levels, those since */
enum {
  LEAST_LEVELS = 6,
  LEAST_AFTER = 2,
  LEAST_STATES = 20000,
  SPREAD = 16, /* of so many levels one is added to those that one is smoothed over */
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
  double before = 0, known = 0;
  for (uint32_t i = 0; i < levels; i++) {
    known += (double)sizes[i];
    before += i <= peak ? (double)sizes[i] : 0;
  }
  double most = smooth(sizes, levels, peak);
  double now = fmax(smooth(sizes, levels, levels - 1), smooth(sizes, levels, levels - 2));
  double after = levels - 1 - peak;
  if (states < LEAST_STATES || after < fmax(LEAST_AFTER, AFTER_SHARE * levels) ||
      now > CLEARLY * most) {
    /* The next level is about as wide as the last one. */
    forecast.low = known + now > (double)states ? (uint64_t)(known + now) : states;
    return forecast;
  }
  double low = before / MOST_SHARE, high = before / LEAST_SHARE;
  forecast.has_interval = true;
  forecast.low = low > (double)states ? (uint64_t)low : states;
  forecast.high = high > (double)forecast.low ? (uint64_t)high : forecast.low;
  return forecast;
}
