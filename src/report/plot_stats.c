/* The chart of `clew stats`: how many states each breadth-first level has, and how far transitions
 * lead, counted in levels. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "report/output.h"
#include "report/plot.h"

/* Counts that differ by more than this are drawn on a logarithmic axis. */
static const double LINEAR_RATIO = 50;

static double *level_heights(const struct clew_result *result) {
  uint32_t count = result->level_sizes.len;
  double *heights = clew_alloc_zero((size_t)count + 1, sizeof *heights);
  for (uint32_t i = 0; i < count; i++) {
    heights[i] = (double)result->level_sizes.data[i];
  }
  return heights;
}

/* From left to right: the longest way back first, k = 1 last. */
struct distribution {
  double *k, *transitions; /* owned */
  uint32_t count;
  bool log;
};

static struct distribution distribution_of(const struct clew_locality *locality) {
  uint32_t count = clew_locality_len(locality);
  struct distribution d = {.k = clew_alloc_zero((size_t)count + 1, sizeof(double)),
                           .transitions = clew_alloc_zero((size_t)count + 1, sizeof(double)),
                           .count = count};
  double least = 0, most = 0;
  for (uint32_t i = 0; i < count; i++) {
    struct clew_locality_figure figure = clew_locality_at(locality, count - 1 - i);
    double transitions = (double)figure.transitions;
    d.k[i] = (double)figure.k;
    d.transitions[i] = transitions;
    most = transitions > most ? transitions : most;
    least = transitions > 0 && (least <= 0 || transitions < least) ? transitions : least;
  }
  d.log = most > least * LINEAR_RATIO;
  return d;
}

static void put_title(struct clew_text *out, const struct clew_report_info *info,
                      const struct clew_result *result) {
  const char *slash = strrchr(info->model->name, '/'); /* a whole path may not fit */
  clew_text_put(out, slash != NULL ? slash + 1 : info->model->name);
  if (result->states != CLEW_ABSENT && result->transitions != CLEW_ABSENT) {
    char a[32], b[32];
    clew_text_printf(out, ": %s states, %s transitions", clew_text_count(result->states, a),
                     clew_text_count(result->transitions, b));
  }
  if (!result->scope.complete) {
    clew_text_put(out, " (incomplete search)");
  } else if (!result->scope.lossless) {
    clew_text_put(out, " (states may be missing)");
  }
}

static bool check(const struct clew_report_info *info, struct clew_text *why) {
  if (!info->has_levels) {
    clew_text_printf(why, "--plot shows levels: the search %s has none", info->search);
    return false;
  }
  if (info->blurs_levels) {
    clew_text_printf(why, "--plot shows levels: the %s store does not keep them with these options",
                     info->store);
    return false;
  }
  return true;
}

static bool write(const struct clew_report_info *info, const struct clew_result *result,
                  struct clew_text *out) {
  struct clew_text title = {0};
  put_title(&title, info, result);
  double *heights = level_heights(result);
  struct distribution d = distribution_of(&result->locality);
  struct clew_plot_series sizes = {
      .name = "states", .mark = CLEW_PLOT_BARS, .y = heights, .count = result->level_sizes.len};
  struct clew_plot_series lengths = {.name = "transitions",
                                     .mark = CLEW_PLOT_BARS,
                                     .x = d.k,
                                     .y = d.transitions,
                                     .count = d.count};
  struct clew_plot_panel panels[] = {
      {.title = "States in each level",
       .x = {.label = "level", .integers = true},
       .y = {.label = "states", .integers = true},
       .series = &sizes,
       .series_count = 1},
      {.title = "Levels that transitions lead forward or back",
       .x = {.label = "k = level of the target \xe2\x88\x92 level of the source", .integers = true},
       .y = {.label = d.log ? "transitions (logarithmic)" : "transitions",
             .log = d.log,
             .integers = true},
       .series = &lengths,
       .series_count = 1},
  };
  struct clew_plot plot = {.title = clew_text_str(&title),
                           .panels = panels,
                           .panel_count = result->has_locality ? 2 : 1};
  clew_plot_svg(&plot, out);
  clew_free(heights);
  clew_free(d.k);
  clew_free(d.transitions);
  clew_text_free(&title);
  return true;
}

const struct clew_output_type clew_output_plot = {.name = "plot", .check = check, .write = write};
