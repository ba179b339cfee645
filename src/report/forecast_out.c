/* The forecast of a search that was ended, for people and for programs. */
#include <math.h>

#include "base/json.h"
#include "report/forecast.h"
#include "report/result.h"

bool clew_forecast_of(const struct clew_result *result, struct clew_forecast *forecast) {
  /* The level that is being expanded is known, the one that its states lead to is not. */
  uint32_t known = result->level_transitions.len + 1;
  bool is_over = result->scope.complete || result->stop == CLEW_STOP_FINISHED ||
                 result->stop == CLEW_STOP_VIOLATION || result->stop == CLEW_STOP_DECIDED;
  if (is_over || result->level_sizes.len < known || result->states == 0 ||
      result->zones != CLEW_ABSENT) {
    return false;
  }
  *forecast = clew_forecast_make(result->level_sizes.data, known, result->states);
  return true;
}

/* Something that grows with the number of states, up to a limit. */
static void put_range(struct clew_json_writer *w, const char *key, double each,
                      const struct clew_forecast *forecast, double limit) {
  clew_json_key(w, key);
  clew_json_array_open(w);
  clew_json_double(w, fmin(each * (double)forecast->low, limit));
  clew_json_double(w, forecast->has_interval ? fmin(each * (double)forecast->high, limit) : NAN);
  clew_json_array_close(w);
}

static void put_new_shares(struct clew_json_writer *w, const struct clew_result *result) {
  clew_json_key(w, "new_share");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < result->level_transitions.len; i++) {
    double transitions = (double)result->level_transitions.data[i];
    clew_json_double(w, (double)result->level_sizes.data[i + 1] / transitions);
  }
  clew_json_array_close(w);
}

void clew_forecast_put_json(struct clew_json_writer *w, const struct clew_result *result) {
  struct clew_forecast forecast;
  if (!clew_forecast_of(result, &forecast)) {
    return;
  }
  double states = (double)result->states;
  double disk = result->disk_bytes_peak != CLEW_ABSENT ? (double)result->disk_bytes_peak : 0;
  clew_json_key(w, "forecast");
  clew_json_object_open(w);
  put_range(w, "states", 1, &forecast, INFINITY);
  put_range(w, "seconds", result->explore_s / states, &forecast, INFINITY);
  put_range(w, "memory_bytes", result->bytes_per_state, &forecast, (double)result->memory_bytes);
  put_range(w, "disk_bytes", disk / states, &forecast, INFINITY);
  put_new_shares(w, result);
  clew_json_object_close(w);
}

void clew_forecast_put_text(struct clew_text *out, const struct clew_result *result) {
  struct clew_forecast forecast;
  char low[32], high[32];
  if (!clew_forecast_of(result, &forecast)) {
    return;
  }
  if (forecast.has_interval) {
    clew_text_printf(out, "%s to %s states in all, as levels shrink",
                     clew_text_count(forecast.low, low), clew_text_count(forecast.high, high));
  } else {
    clew_text_printf(out, "at least %s states, as levels still grow",
                     clew_text_count(forecast.low, low));
  }
}

void clew_forecast_put_needs(struct clew_text *out, const struct clew_result *result) {
  struct clew_forecast forecast;
  char low[32], high[32];
  if (!clew_forecast_of(result, &forecast)) {
    return;
  }
  double each_s = result->explore_s / (double)result->states, each = result->bytes_per_state;
  if (!forecast.has_interval) {
    clew_text_printf(out, "at least %s states", clew_text_count(forecast.low, low));
    return;
  }
  clew_text_printf(out, "%s to %s states", clew_text_count(forecast.low, low),
                   clew_text_count(forecast.high, high));
  clew_text_printf(out, ", %.1f s to %.1f s", each_s * (double)forecast.low,
                   each_s * (double)forecast.high);
  if (!isnan(each)) {
    clew_text_printf(out, " and %s to %s for the states",
                     clew_text_bytes((uint64_t)(each * (double)forecast.low), low),
                     clew_text_bytes((uint64_t)(each * (double)forecast.high), high));
  }
}
