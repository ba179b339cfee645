/* The figures of a search, for people: only those that are known, with their units. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/bits.h"
#include "model/timed.h"
#include "report/forecast.h"
#include "report/text_int.h"

__attribute__((format(printf, 3, 4))) static void put_line(struct clew_text *out, const char *label,
                                                           const char *format, ...) {
  clew_text_printf(out, "  %-16s ", label);
  va_list args;
  va_start(args, format);
  clew_text_vprintf(out, format, args);
  va_end(args);
  clew_text_char(out, '\n');
}

/* "2,378 discrete (1 initial), 2,378 zones stored, 3,458 expanded" */
static void put_states(struct clew_text *out, const struct clew_result *result) {
  struct clew_text line = {0};
  char buffer[32];
  bool has_zones = result->zones != CLEW_ABSENT;
  bool has_discrete = result->discrete_states != CLEW_ABSENT;
  uint64_t first = has_zones && has_discrete ? result->discrete_states : result->states;
  clew_text_printf(&line, "%s%s",
                   first == result->states ? clew_report_states(result, buffer)
                                           : clew_text_count(first, buffer),
                   has_zones && has_discrete ? " discrete" : "");
  if (result->initial_states != CLEW_ABSENT) {
    clew_text_printf(&line, " (%s initial)", clew_text_count(result->initial_states, buffer));
  }
  if (has_zones) {
    clew_text_printf(&line, ", %s zones stored", clew_text_count(result->zones, buffer));
    clew_text_printf(&line, ", %s expanded", clew_text_count(result->zones_expanded, buffer));
  } else if (has_discrete) {
    clew_text_printf(&line, ", %s discrete", clew_text_count(result->discrete_states, buffer));
  }
  put_line(out, "states", "%s", clew_text_str(&line));
  clew_text_free(&line);
}

static void put_graph(struct clew_text *out, const struct clew_result *result) {
  char a[32], b[32];
  if (result->states != CLEW_ABSENT) {
    put_states(out, result);
  }
  if (result->forgets) {
    put_line(out, "", "%s", "visits: a state that the store forgot counts each time it is met");
  }
  if (result->transitions != CLEW_ABSENT) {
    put_line(out, "transitions", "%s", clew_text_count(result->transitions, a));
  }
  if (result->levels != CLEW_ABSENT) {
    if (result->scope.complete && result->diameter != CLEW_ABSENT) {
      put_line(out, "levels", "%s (diameter %s)", clew_text_count(result->levels, a),
               clew_text_count(result->diameter, b));
    } else {
      put_line(out, "levels", "%s", clew_text_count(result->levels, a));
    }
  }
  if (result->max_depth != CLEW_ABSENT) {
    put_line(out, "greatest depth", "%s", clew_text_count(result->max_depth, a));
  }
  if (result->deadlocks != CLEW_ABSENT) {
    put_line(out, "deadlocks", "%s", clew_text_count(result->deadlocks, a));
  }
}

static void put_forecast(struct clew_text *out, const struct clew_result *result) {
  struct clew_text text = {0};
  clew_forecast_put_text(&text, result);
  if (text.len > 0) {
    put_line(out, "forecast", "%s", clew_text_str(&text));
  }
  clew_text_free(&text);
}

static void put_time(struct clew_text *out, const struct clew_result *result) {
  if (isnan(result->elapsed_s)) {
    return;
  }
  struct clew_text text = {0};
  clew_text_printf(&text, "%.2f s", result->elapsed_s);
  bool has_zones = result->zones_expanded != CLEW_ABSENT;
  uint64_t done = has_zones ? result->zones_expanded : result->states;
  if (done != CLEW_ABSENT && result->explore_s > 0 && result->nodes == CLEW_ABSENT) {
    clew_text_put(&text, " (");
    clew_report_put_rate(&text, (double)done / result->explore_s);
    clew_text_put(&text, has_zones ? " zones/s)" : " states/s)");
  }
  put_line(out, "time", "%s", clew_text_str(&text));
  clew_text_free(&text);
}

enum { MEANINGFUL_STATES = 1000 };

static void put_memory(struct clew_text *out, const struct clew_result *result) {
  char a[32], b[32];
  if (result->store_bytes != CLEW_ABSENT && result->memory_bytes != CLEW_ABSENT) {
    put_line(out, "memory", "%s for the states, %s allowed",
             clew_text_bytes(result->store_bytes, a), clew_text_bytes(result->memory_bytes, b));
  }
  if (result->state_bits != CLEW_ABSENT && result->state_bytes != CLEW_ABSENT) {
    put_line(out, "state", "%s bits in %s byte%s", clew_text_count(result->state_bits, a),
             clew_text_count(result->state_bytes, b), result->state_bytes == 1 ? "" : "s");
  }
  /* Of few states it would be the size of an empty table. */
  if (!isnan(result->bytes_per_state) && result->states >= MEANINGFUL_STATES) {
    put_line(out, "bytes per state", "%.1f", result->bytes_per_state);
  }
  if (result->peak_rss_bytes != CLEW_ABSENT) {
    put_line(out, "whole process", "%s", clew_text_bytes(result->peak_rss_bytes, a));
  }
  /* The budget is about the search; it cannot hold back another program. */
  if (result->compiler_rss_bytes != CLEW_ABSENT &&
      result->compiler_rss_bytes > result->memory_bytes) {
    put_line(out, "C compiler", "%s, which is no part of the %s allowed",
             clew_text_bytes(result->compiler_rss_bytes, a),
             clew_text_bytes(result->memory_bytes, b));
  }
  if (result->compiler_deferred && result->states >= MEANINGFUL_STATES) {
    put_line(out, "C compiler", "not started, as it takes more than the %s allowed (--exec native)",
             clew_text_bytes(result->memory_bytes, a));
  }
  if (result->disk_bytes_peak != CLEW_ABSENT && result->disk_bytes_peak > 0) {
    put_line(out, "disk", "%s", clew_text_bytes(result->disk_bytes_peak, a));
  }
}

static void put_execution(struct clew_text *out, const struct clew_model *model) {
  static const char *const names[] = {[CLEW_EXEC_INTERP] = "interpreter",
                                      [CLEW_EXEC_NATIVE] = "native code",
                                      [CLEW_EXEC_BOTH] = "interpreter, then native code"};
  struct clew_exec_info exec = {0};
  model->exec_info(model, &exec);
  assert((size_t)exec.used < sizeof names / sizeof names[0]);
  if (exec.compile_s > 0) {
    put_line(out, "execution", "%s (%.2f s in the C compiler)", names[exec.used], exec.compile_s);
  } else {
    put_line(out, "execution", "%s", names[exec.used]);
  }
}

static void put_search(struct clew_text *out, const struct clew_report_info *info,
                       const struct clew_result *result) {
  struct clew_text keeper = {0};
  clew_report_put_keeper(&keeper, info, result);
  if (result->ranks != CLEW_ABSENT) {
    clew_text_printf(&keeper, ", %" PRIu64 " rank%s", result->ranks, result->ranks > 1 ? "s" : "");
  }
  if (result->threads != CLEW_ABSENT && result->threads > 1) {
    clew_text_printf(&keeper, ", %" PRIu64 " threads%s", result->threads,
                     result->ranks != CLEW_ABSENT ? " each" : "");
  }
  put_line(out, "search", "%s, %s", info->search, clew_text_str(&keeper));
  if (result->chosen != NULL) {
    put_line(out, "chosen", "%s: %s", result->chosen, result->chosen_why);
  }
  if (result->nodes != CLEW_ABSENT) {
    char nodes[32], peak[32], groups[32];
    put_line(out, "diagram", "%s nodes (at most %s in the table), %s relations",
             clew_text_count(result->nodes, nodes), clew_text_count(result->peak_nodes, peak),
             clew_text_count(result->groups, groups));
  }
  clew_text_free(&keeper);
}

/* What messages cost, and what limits a search over several processes. */
static void put_ranks(struct clew_text *out, const struct clew_result *result) {
  const double much_waiting = 0.3, uneven = 1.2;
  const uint64_t many = 10000000;
  char bytes[32];
  if (result->ranks == CLEW_ABSENT || result->ranks == 1 || result->network_bytes == CLEW_ABSENT) {
    return;
  }
  put_line(out, "network", "%s, %.1f bytes per transition; waiting %.0f %%; balance %.2f",
           clew_text_bytes(result->network_bytes, bytes), result->network_bytes_per_transition,
           100 * result->waiting_share, result->balance);
  if (result->transitions < many) {
    return; /* whatever it was, it was quick */
  }
  if (result->balance > uneven) {
    put_line(out, "", "the ranks have unequal shares of the states: there are too few for so many");
  } else if (result->waiting_share > much_waiting) {
    put_line(out, "",
             "ranks wait much for each other: take fewer, a faster network, or a larger "
             "model");
  }
}

static void put_clocks(struct clew_text *out, const struct clew_timed *timed,
                       const struct clew_result *result) {
  assert(timed->clock_count > 0);
  const struct clew_exploration *each =
      result->explorations.len > 0 ? &result->explorations.data[result->figures_of] : NULL;
  const char *notice = each != NULL ? each->notice : timed->notice;
  put_line(out, "clocks", "%u, extrapolation %s%s%s", timed->clock_count - 1,
           each != NULL ? each->extrapolation : timed->extrapolation, notice != NULL ? ": " : "",
           notice != NULL ? notice : "");
}

/* "2 of 5 properties", or the name of the only one */
static void put_asked(struct clew_text *line, const struct clew_model *model,
                      const struct clew_exploration *each) {
  uint32_t words = CLEW_BITSET_WORDS(model->property_count), last = 0;
  uint32_t count = (uint32_t)clew_bitset_count(each->asked, words);
  for (uint32_t i = 0; i < model->property_count; i++) {
    last = clew_bitset_has(each->asked, i) ? i : last;
  }
  if (count == 1) {
    clew_text_printf(line, "\"%s\"", model->properties[last].name);
  } else {
    clew_text_printf(line, "%u properties", count);
  }
}

/* Where there are several: a star marks the one that the other figures come from. */
static void put_explorations(struct clew_text *out, const struct clew_model *model,
                             const struct clew_result *result) {
  for (uint32_t i = 0; i < result->explorations.len && result->explorations.len > 1; i++) {
    const struct clew_exploration *each = &result->explorations.data[i];
    struct clew_text line = {0};
    char zones[32];
    put_asked(&line, model, each);
    if (each->extrapolation != NULL) {
      clew_text_printf(&line, " with %s", each->extrapolation);
    }
    if (each->zones != CLEW_ABSENT) {
      clew_text_printf(&line, ": %s zones stored", clew_text_count(each->zones, zones));
    }
    put_line(out, i == 0 ? "explorations" : "", "%s%s", clew_text_str(&line),
             i == result->figures_of ? " *" : "");
    clew_text_free(&line);
  }
}

void clew_report_put_figures(struct clew_text *out, const struct clew_report_info *info,
                             const struct clew_result *result) {
  put_graph(out, result);
  if (result->out_degree_max != CLEW_ABSENT && info->explores_only) {
    struct clew_text mean = {0};
    double degree = clew_result_mean_degree(result);
    if (!isnan(degree)) {
      clew_text_printf(&mean, ", mean %.2f", degree);
    }
    put_line(out, "out-degree", "%llu to %llu%s", (unsigned long long)result->out_degree_min,
             (unsigned long long)result->out_degree_max, clew_text_str(&mean));
    clew_text_free(&mean);
  }
  put_forecast(out, result);
  put_time(out, result);
  put_memory(out, result);
  put_search(out, info, result);
  put_ranks(out, result);
  if (info->model->timed != NULL) {
    put_clocks(out, info->model->timed, result);
    put_explorations(out, info->model, result);
  }
  if (info->model->reduction != NULL) {
    put_line(out, "symmetry", "%s: states that differ in the names of scalarset values count once",
             info->model->reduction);
  }
  if (info->model->exec_info != NULL) {
    put_execution(out, info->model);
  }
  if (result->seed != CLEW_ABSENT) {
    put_line(out, "seed", "%llu", (unsigned long long)result->seed);
  }
}

void clew_report_put_levels(struct clew_text *out, const struct clew_result *result) {
  enum { HEAD = 30, TAIL = 10 };
  uint32_t count = result->level_sizes.len;
  if (count == 0) {
    return;
  }
  clew_text_put(out, result->zones != CLEW_ABSENT ? "\n  level         zones\n"
                                                  : "\n  level        states\n");
  for (uint32_t i = 0; i < count; i++) {
    if (count > HEAD + TAIL + 1 && i == HEAD) {
      clew_text_printf(out, "    ...  (%u levels, in full with --json)\n", count - HEAD - TAIL);
      i = count - TAIL;
    }
    char buffer[32];
    bool unfinished = !result->scope.complete && i + 1 == count;
    clew_text_printf(out, "  %5u  %12s%s\n", i,
                     clew_text_count(result->level_sizes.data[i], buffer),
                     unfinished ? "  (unfinished)" : "");
  }
}

struct locality_row {
  const char *name;
  uint64_t transitions;
  double mean, sigma; /* sigma NaN: of several k together, not known */
};

static void put_locality_row(struct clew_text *out, const struct locality_row *row,
                             uint64_t total) {
  char buffer[32];
  double share = total > 0 ? 100 * (double)row->transitions / (double)total : 0;
  clew_text_printf(out, "  %5s  %15s  %6.2f%%  %9.6f", row->name,
                   clew_text_count(row->transitions, buffer), share, row->mean);
  if (!isnan(row->sigma)) {
    clew_text_printf(out, "  %9.6f", row->sigma);
  }
  clew_text_char(out, '\n');
}

static void put_locality_rows(struct clew_text *out, const struct clew_locality *locality,
                              uint64_t total) {
  enum { ALWAYS = 3, SINGLE = 7 }; /* down to k = -1, -5 */
  uint32_t len = clew_locality_len(locality);
  uint32_t single = len == SINGLE + 1 ? len : SINGLE; /* one that is left is not "the rest" */
  struct locality_row rest = {.name = "less", .sigma = NAN};
  for (uint32_t i = 0; i < len || i < ALWAYS; i++) {
    struct clew_locality_figure figure = clew_locality_at(locality, i);
    char name[32];
    snprintf(name, sizeof name, "%lld", (long long)figure.k);
    if (i < single) {
      struct locality_row row = {name, figure.transitions, figure.mean, figure.sigma};
      put_locality_row(out, &row, total);
    } else {
      rest.transitions += figure.transitions;
      rest.mean += figure.mean;
    }
  }
  if (rest.transitions > 0) {
    put_locality_row(out, &rest, total);
  }
}

void clew_report_put_locality(struct clew_text *out, const struct clew_result *result) {
  if (!result->has_locality) {
    return;
  }
  struct clew_locality_summary summary = clew_locality_summarise(&result->locality);
  uint64_t total = summary.forward + summary.level + summary.backward;
  clew_text_put(out, "\n  transitions that lead k levels on, and their mean share of those of a "
                     "state\n\n      k      transitions    share       mean      sigma\n");
  put_locality_rows(out, &result->locality, total);
  clew_text_char(out, '\n');
  put_line(out, "locality", "%.6f (the means of k = -1, 0, 1)", summary.sum_avg);
  if (summary.backward > 0) {
    char buffer[32];
    put_line(out, "backward", "%.2f%% of the transitions, by %.2f levels on average, %s at most",
             100 * (double)summary.backward / (double)total, summary.back_edge_mean,
             clew_text_count(summary.back_edge_max, buffer));
  } else {
    put_line(out, "backward", "none of the transitions");
  }
  if (result->locality.loops > 0) {
    char buffer[32];
    put_line(out, "self loops", "%s transitions, left out above",
             clew_text_count(result->locality.loops, buffer));
  }
}
