/* The result of a search. Statistics exist once, in statistics.def. */
#include "report/result.h"

#include <assert.h>
#include <math.h>

#include "base/alloc.h"

void clew_result_init(struct clew_result *result) {
#define CLEW_ABSENT_count CLEW_ABSENT
#define CLEW_ABSENT_natural CLEW_ABSENT
#define CLEW_ABSENT_real NAN
#define CLEW_STAT(type, name, help) .name = CLEW_ABSENT_##type,
  *result = (struct clew_result){
      .verdict = CLEW_VERDICT_INCOMPLETE,
      .exit_code = CLEW_EXIT_INCOMPLETE,
      .stop = CLEW_STOP_FINISHED,
      .stop_site = CLEW_NONE,
      .out_degree_min = CLEW_ABSENT,
      .out_degree_max = CLEW_ABSENT,
#include "report/statistics.def"
  };
#undef CLEW_STAT
}

void clew_result_free(struct clew_result *result) {
  clew_vec_free(&result->conversions);
  clew_free(result->chosen_why);
  clew_outcomes_free(&result->outcomes);
  clew_free(result->states_text);
  clew_counters_free(&result->counters);
  clew_history_free(&result->history);
  clew_vec_free(&result->level_sizes);
  clew_vec_free(&result->level_transitions);
  clew_vec_free(&result->measurements);
  for (uint32_t i = 0; i < result->explorations.len; i++) {
    clew_free(result->explorations.data[i].asked);
  }
  clew_vec_free(&result->explorations);
  clew_locality_free(&result->locality);
  if (result->has_trace) {
    clew_trace_free(&result->trace);
    result->has_trace = false;
  }
}

double clew_result_mean_degree(const struct clew_result *result) {
  uint64_t expanded =
      result->zones_expanded != CLEW_ABSENT ? result->zones_expanded : result->states;
  bool known = result->scope.complete && expanded != CLEW_ABSENT && expanded > 0;
  return known ? (double)result->transitions / (double)expanded : NAN;
}

static bool count_present(uint64_t value) {
  return value != CLEW_ABSENT;
}

static bool natural_present(uint64_t value) {
  return value != CLEW_ABSENT;
}

static bool real_present(double value) {
  return !isnan(value);
}

void clew_result_each_statistic(const struct clew_result *result,
                                void (*visit)(void *context, const struct clew_statistic *stat),
                                void *context) {
  assert(visit != NULL);
#define VALUE_count(field) .is_real = false, .count = result->field, .real = 0
#define VALUE_natural(field) VALUE_count(field), .text = result->field##_text
#define VALUE_real(field) .is_real = true, .count = 0, .real = result->field
#define CLEW_STAT(type, field, text)                                                               \
  if (type##_present(result->field)) {                                                             \
    struct clew_statistic stat = {.name = #field, .help = text, VALUE_##type(field)};              \
    visit(context, &stat);                                                                         \
  }
#include "report/statistics.def"
#undef CLEW_STAT
}
