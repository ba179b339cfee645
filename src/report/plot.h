/* Charts as SVG: panels side by side, each with axes, ticks and labels, and series drawn as bars or
 * lines. One self-contained file without scripts or fonts of its own.
 *
 *   struct clew_plot_series sizes = {.name = "states", .mark = CLEW_PLOT_BARS, .y = y, .count = n};
 *   struct clew_plot_panel panel = {.title = "levels", .series = &sizes, .series_count = 1};
 *   struct clew_plot plot = {.title = "a model", .panels = &panel, .panel_count = 1};
 *   clew_plot_svg(&plot, &text);
 *
 * Everything is borrowed. Texts are UTF-8 and are escaped here. */
#ifndef CLEW_REPORT_PLOT_H
#define CLEW_REPORT_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum clew_plot_mark {
  CLEW_PLOT_BARS, /* one unit of x wide; where that is too narrow to see, the outline of the highest
                   */
  CLEW_PLOT_LINE, /* through the points in the order given; few points are marked */
};

/* Points that an axis cannot show (not finite or beyond 1e300, not positive on a
 * logarithmic axis) are left out.
 */
struct clew_plot_series {
  const char *name; /* in the legend, which panels with several series have */
  enum clew_plot_mark mark;
  const double *x; /* NULL: 0, 1, 2, … */
  const double *y;
  uint32_t count;
};

struct clew_plot_axis {
  const char *label; /* or NULL */
  bool log;
  bool integers; /* no ticks between */
};

struct clew_plot_panel {
  const char *title; /* or NULL */
  struct clew_plot_axis x, y;
  const struct clew_plot_series *series;
  uint32_t series_count;
};

struct clew_plot {
  const char *title;      /* or NULL */
  uint32_t width, height; /* in pixels; 0: 900 by 420 */
  const struct clew_plot_panel *panels;
  uint32_t panel_count;
};

/* Appends the document. */
void clew_plot_svg(const struct clew_plot *plot, struct clew_text *out);

/* Appends text as XML character data that is also fit for an attribute. */
void clew_plot_escape(struct clew_text *out, const char *text);

#endif
