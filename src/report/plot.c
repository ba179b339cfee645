/* Charts as SVG.
 *
 * A panel is drawn in three steps: the ranges of its axes are found from all its series, ticks are
 * chosen at round numbers (1, 2, 5 times a power of ten), then grid, axes and marks are written
 * back to front. Invariant: whatever the data, every coordinate that is written is finite and
 * inside its panel. The size of the file does not grow with the number of bars beyond one for each
 * pixel. */
#include "report/plot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum {
  DEFAULT_WIDTH = 900,
  DEFAULT_HEIGHT = 420,
  MARGIN_LEFT = 72,
  MARGIN_RIGHT = 18,
  MARGIN_TOP = 72,
  MARGIN_BOTTOM = 54,
  TICKS = 6,         /* about */
  MARKED_POINTS = 60 /* lines of more points have no dots */
};

/* The narrowest bar that is drawn by itself, in pixels. */
static const double LEAST_BAR = 2;

/* Told apart also by the color-blind (Okabe and Ito). */
static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73",
                                     "#cc79a7", "#e69f00", "#56b4e9"};

static const char *color_of(uint32_t series) {
  return colors[series % (sizeof colors / sizeof colors[0])];
}

/* When the colors are used up they come again with dashed lines, and hollow in the legend. */
static bool is_repeated(uint32_t series) {
  return series >= sizeof colors / sizeof colors[0];
}

struct scale {
  double low, high; /* of the values; low < high, both positive when log */
  double from, to;  /* pixels */
  bool log, integers;
};

struct frame {
  struct scale x, y;
  const struct clew_plot_panel *panel;
};

void clew_plot_escape(struct clew_text *out, const char *text) {
  size_t left = strlen(text);
  while (left > 0) {
    uint32_t code = 0;
    size_t length = clew_text_utf8(text, left, &code);
    bool allowed = length > 0 && code >= ' ' && code != 0x7f && code != 0xfffe && code != 0xffff;
    if (!allowed) {
      clew_text_put(out, "\xef\xbf\xbd"); /* U+FFFD: something that XML cannot say */
    } else if (code == '<') {
      clew_text_put(out, "&lt;");
    } else if (code == '>') {
      clew_text_put(out, "&gt;");
    } else if (code == '&') {
      clew_text_put(out, "&amp;");
    } else if (code == '"') {
      clew_text_put(out, "&quot;");
    } else {
      clew_text_put_n(out, text, length);
    }
    size_t step = length > 0 ? length : 1;
    text += step;
    left -= step;
  }
}

static double series_x(const struct clew_plot_series *series, uint32_t i) {
  return series->x != NULL ? series->x[i] : (double)i;
}

static bool can_show(const struct clew_plot_axis *axis, double value) {
  return fabs(value) < 1e300 && (!axis->log || value > 1e-300);
}

static bool shown(const struct clew_plot_panel *panel, const struct clew_plot_series *series,
                  uint32_t i) {
  return can_show(&panel->x, series_x(series, i)) && can_show(&panel->y, series->y[i]);
}

/* From a value to a pixel; what lies outside is moved to the edge. */
static double pixel(const struct scale *scale, double value) {
  double low = scale->low, high = scale->high;
  double part =
      scale->log ? log10(fmax(value, low) / low) / log10(high / low) : (value - low) / (high - low);
  return scale->from + fmin(fmax(part, 0), 1) * (scale->to - scale->from);
}

/* A round number that is not less. */
static double round_up(double value) {
  assert(value > 0 && isfinite(value));
  double power = pow(10, floor(log10(value)));
  double digits = value / power;
  return power * (digits <= 1 ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
}

static double linear_step(const struct scale *scale) {
  double step = round_up((scale->high - scale->low) / TICKS);
  return scale->integers && step < 1 ? 1 : step;
}

static void grow(struct scale *scale, double low, double high) {
  scale->low = fmin(scale->low, low);
  scale->high = fmax(scale->high, high);
}

/* Least and greatest of what is shown; bars are one unit wide and stand on zero. */
static void collect(const struct clew_plot_panel *panel, struct scale *x, struct scale *y) {
  for (uint32_t s = 0; s < panel->series_count; s++) {
    const struct clew_plot_series *series = &panel->series[s];
    double half = series->mark == CLEW_PLOT_BARS ? 0.5 : 0;
    for (uint32_t i = 0; i < series->count; i++) {
      if (shown(panel, series, i)) {
        double value = series_x(series, i);
        grow(x, panel->x.log ? value : value - half, panel->x.log ? value : value + half);
        grow(y, series->y[i], series->y[i]);
      }
    }
  }
}

/* Makes low < high, also of nothing or of one value. */
static void settle(struct scale *scale) {
  if (scale->low > scale->high) {
    scale->low = scale->log ? 1 : 0;
    scale->high = scale->log ? 10 : 1;
  }
  if (scale->high - scale->low <= fabs(scale->high) * 1e-9) {
    double room = fmax(fabs(scale->high) * 0.5, 1e-300);
    scale->high += room;
    scale->low -= scale->log ? scale->low / 2 : room;
  }
}

static void find_ranges(struct frame *frame) {
  const struct clew_plot_panel *panel = frame->panel;
  struct scale *x = &frame->x, *y = &frame->y;
  x->low = y->low = INFINITY;
  x->high = y->high = -INFINITY;
  x->log = panel->x.log;
  y->log = panel->y.log;
  x->integers = panel->x.integers;
  y->integers = panel->y.integers;
  collect(panel, x, y);
  if (!y->log && y->low <= y->high) {
    grow(y, 0, 0); /* heights that do not start at zero mislead */
  }
  settle(x);
  settle(y);
  if (y->log) {
    y->low *= 0.7; /* the least is to be seen, too */
    y->high *= 1.3;
  } else {
    double step = linear_step(y);
    y->high = ceil(y->high / step - 1e-9) * step;
    y->low = floor(y->low / step + 1e-9) * step;
  }
}

static void put_text(struct clew_text *out, double x, double y, const char *style,
                     const char *text) {
  clew_text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
  clew_plot_escape(out, text);
  clew_text_put(out, "</text>\n");
}

static void put_line(struct clew_text *out, double x1, double y1, double x2, double y2,
                     const char *color) {
  clew_text_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
                   x1, y1, x2, y2, color);
}

/* 250, 12k, 3.5M; very small and very large as 1e-09. */
static void print_tick(double value, char buffer[32]) {
  static const struct {
    double unit;
    const char *suffix;
  } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  double size = fabs(value);
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (size >= 10000 && size >= units[i].unit && size < 1e15) {
      snprintf(buffer, 32, "%.6g%s", value / units[i].unit, units[i].suffix);
      return;
    }
  }
  snprintf(buffer, 32, "%.6g", value);
}

static void put_x_tick(struct clew_text *out, const struct frame *frame, double value) {
  char label[32];
  print_tick(value, label);
  double x = pixel(&frame->x, value), bottom = frame->y.from;
  put_line(out, x, bottom, x, bottom + 5, "#333333");
  put_text(out, x, bottom + 18, "text-anchor=\"middle\"", label);
}

static void put_y_tick(struct clew_text *out, const struct frame *frame, double value) {
  char label[32];
  print_tick(value, label);
  double y = pixel(&frame->y, value);
  put_line(out, frame->x.from - 5, y, frame->x.to, y, "#dddddd");
  put_text(out, frame->x.from - 8, y + 4, "text-anchor=\"end\"", label);
}

typedef void put_tick(struct clew_text *out, const struct frame *frame, double value);

static void put_linear_ticks(struct clew_text *out, const struct frame *frame,
                             const struct scale *scale, put_tick *put) {
  double step = linear_step(scale), slack = step * 1e-9;
  double first = ceil(scale->low / step - 1e-9);
  for (uint32_t i = 0; i <= 4 * TICKS; i++) {
    double value = (first + i) * step;
    if (value > scale->high + slack) {
      break;
    }
    put(out, frame, fabs(value) < slack ? 0 : value); /* never "-0" */
  }
}

/* Powers of ten, not too many; also 2 and 5 times them when there would be hardly any. */
static void put_log_ticks(struct clew_text *out, const struct frame *frame,
                          const struct scale *scale, put_tick *put) {
  static const double digits[] = {1, 2, 5};
  int first = (int)floor(log10(scale->low)), last = (int)floor(log10(scale->high));
  int every = 1 + (last - first) / (TICKS + 2);
  size_t digit_count = last - first <= 2 ? 3 : 1;
  /* 1 is among them if it is in the range. */
  for (int power = -(-first / every) * every; power <= last; power += every) {
    for (size_t i = 0; i < digit_count; i++) {
      double value = digits[i] * pow(10, power);
      if (value >= scale->low && value <= scale->high && (!scale->integers || value >= 1)) {
        put(out, frame, value);
      }
    }
  }
}

static void put_ticks(struct clew_text *out, const struct frame *frame, const struct scale *scale,
                      put_tick *put) {
  (scale->log ? put_log_ticks : put_linear_ticks)(out, frame, scale, put);
}

static void put_axes(struct clew_text *out, const struct frame *frame) {
  const struct clew_plot_panel *panel = frame->panel;
  double left = frame->x.from, right = frame->x.to, bottom = frame->y.from, top = frame->y.to;
  put_ticks(out, frame, &frame->y, put_y_tick);
  put_ticks(out, frame, &frame->x, put_x_tick);
  put_line(out, left, bottom, right, bottom, "#333333");
  put_line(out, left, bottom, left, top, "#333333");
  if (panel->title != NULL) {
    put_text(out, (left + right) / 2, top - 14, "text-anchor=\"middle\" font-size=\"14\"",
             panel->title);
  }
  if (panel->x.label != NULL) {
    put_text(out, (left + right) / 2, bottom + 40, "text-anchor=\"middle\"", panel->x.label);
  }
  if (panel->y.label != NULL) {
    double x = left - 54, y = (top + bottom) / 2;
    struct clew_text style = {0};
    clew_text_printf(&style, "text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    put_text(out, x, y, clew_text_str(&style), panel->y.label);
    clew_text_free(&style);
  }
}

static double bar_base(const struct frame *frame) {
  return pixel(&frame->y, frame->y.log ? frame->y.low : 0);
}

/* The title of a bar is what browsers show when the mouse rests on it. */
static void put_bar(struct clew_text *out, const struct frame *frame, double x, double y,
                    double width) {
  double at = pixel(&frame->y, y), base = bar_base(frame);
  clew_text_printf(out,
                   "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>%.15g: "
                   "%.15g</title></rect>\n",
                   pixel(&frame->x, x) - width / 2, fmin(at, base), width, fabs(base - at), x, y);
}

/* The pixel column of x, below `columns`. */
static uint32_t column_of(const struct frame *frame, double x, uint32_t columns) {
  double column = pixel(&frame->x, x) - frame->x.from;
  return column < columns ? (uint32_t)column : columns - 1;
}

/* Too many to be told apart: the highest of each pixel column, as one shape. */
static void put_outline(struct clew_text *out, const struct frame *frame,
                        const struct clew_plot_series *series) {
  uint32_t columns = (uint32_t)(frame->x.to - frame->x.from);
  double *best = clew_alloc_zero(columns, sizeof *best); /* pixels above the base */
  double base = bar_base(frame);
  for (uint32_t i = 0; i < series->count; i++) {
    if (shown(frame->panel, series, i)) {
      uint32_t column = column_of(frame, series_x(series, i), columns);
      double height = base - pixel(&frame->y, series->y[i]);
      best[column] = fabs(height) > fabs(best[column]) ? height : best[column];
    }
  }
  clew_text_printf(out, "<path d=\"M%.0f %.2f", frame->x.from, base);
  for (uint32_t i = 0; i < columns; i++) {
    if (i == 0 || best[i] != best[i - 1]) {
      clew_text_printf(out, "H%.0fV%.2f", frame->x.from + i, base - best[i]);
    }
  }
  clew_text_printf(out, "H%.0fV%.2fZ\"/>\n", frame->x.to, base);
  clew_free(best);
}

static void put_bars(struct clew_text *out, const struct frame *frame,
                     const struct clew_plot_series *series) {
  double unit = frame->x.log ? (frame->x.to - frame->x.from) / (series->count + 1.0)
                             : (frame->x.to - frame->x.from) / (frame->x.high - frame->x.low);
  if (unit < LEAST_BAR) {
    put_outline(out, frame, series);
    return;
  }
  for (uint32_t i = 0; i < series->count; i++) {
    if (shown(frame->panel, series, i)) {
      put_bar(out, frame, series_x(series, i), series->y[i], fmin(unit * 0.85, 60));
    }
  }
}

static void put_polyline(struct clew_text *out, const struct frame *frame,
                         const struct clew_plot_series *series) {
  clew_text_put(out, "<polyline fill=\"none\" stroke-width=\"1.6\" points=\"");
  for (uint32_t i = 0; i < series->count; i++) {
    if (shown(frame->panel, series, i)) {
      clew_text_printf(out, "%.2f,%.2f ", pixel(&frame->x, series_x(series, i)),
                       pixel(&frame->y, series->y[i]));
    }
  }
  clew_text_put(out, "\"/>\n");
  for (uint32_t i = 0; i < series->count && series->count <= MARKED_POINTS; i++) {
    if (shown(frame->panel, series, i)) {
      double x = series_x(series, i);
      clew_text_printf(
          out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2.5\"><title>%.15g: %.15g</title></circle>\n",
          pixel(&frame->x, x), pixel(&frame->y, series->y[i]), x, series->y[i]);
    }
  }
}

static void put_legend(struct clew_text *out, const struct frame *frame) {
  const struct clew_plot_panel *panel = frame->panel;
  double x = frame->x.to - 14, y = frame->y.to + 8;
  for (uint32_t s = 0; panel->series_count > 1 && s < panel->series_count; s++, y += 17) {
    const char *name = panel->series[s].name;
    clew_text_printf(out,
                     "<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\" "
                     "stroke=\"%s\"/>\n",
                     x, y, is_repeated(s) ? "#ffffff" : color_of(s), color_of(s));
    put_text(out, x - 6, y + 9, "text-anchor=\"end\"", name != NULL ? name : "");
  }
}

static void put_panel(struct clew_text *out, struct frame *frame) {
  const struct clew_plot_panel *panel = frame->panel;
  find_ranges(frame);
  put_axes(out, frame);
  for (uint32_t s = 0; s < panel->series_count; s++) {
    const struct clew_plot_series *series = &panel->series[s];
    clew_text_printf(out, "<g fill=\"%s\" stroke=\"%s\"%s%s>\n", color_of(s),
                     series->mark == CLEW_PLOT_LINE ? color_of(s) : "none",
                     panel->series_count > 1 ? " fill-opacity=\"0.75\"" : "",
                     is_repeated(s) ? " stroke-dasharray=\"6 3\"" : "");
    (series->mark == CLEW_PLOT_LINE ? put_polyline : put_bars)(out, frame, series);
    clew_text_put(out, "</g>\n");
  }
  put_legend(out, frame);
}

void clew_plot_svg(const struct clew_plot *plot, struct clew_text *out) {
  uint32_t width = plot->width > 0 ? plot->width : DEFAULT_WIDTH;
  uint32_t height = plot->height > 0 ? plot->height : DEFAULT_HEIGHT;
  double share = (double)width / (plot->panel_count > 0 ? plot->panel_count : 1);
  assert(share >= 2 * (MARGIN_LEFT + MARGIN_RIGHT) && height >= 2 * (MARGIN_TOP + MARGIN_BOTTOM));
  clew_text_printf(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
                   "viewBox=\"0 0 %u %u\" font-family=\"sans-serif\" font-size=\"12\" "
                   "fill=\"#222222\">\n<rect width=\"%u\" height=\"%u\" fill=\"#ffffff\"/>\n",
                   width, height, width, height, width, height);
  if (plot->title != NULL) {
    put_text(out, width / 2.0, 28, "text-anchor=\"middle\" font-size=\"16\"", plot->title);
  }
  for (uint32_t i = 0; i < plot->panel_count; i++) {
    struct frame frame = {.panel = &plot->panels[i]};
    frame.x.from = round(i * share) + MARGIN_LEFT;
    frame.x.to = round((i + 1) * share) - MARGIN_RIGHT;
    frame.y.from = height - MARGIN_BOTTOM;
    frame.y.to = MARGIN_TOP;
    put_panel(out, &frame);
  }
  clew_text_put(out, "</svg>\n");
}
