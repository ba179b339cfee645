/* The line that shows the progress of a search. */
#include "report/progress.h"

#include <assert.h>
#include <sys/ioctl.h>

#include "report/text_int.h"

/* The parts of the line, the most important ones first: where a terminal has no room for all, those
 * at the end are left out, in the order of `rank`. */
enum { PARTS = 8 };
struct part {
  struct clew_text text;
  uint32_t rank; /* greater ones are left out first */
};

static void put_time(struct clew_text *out, double seconds) {
  uint64_t whole = seconds > 0 ? (uint64_t)seconds : 0;
  unsigned long long hours = whole / 3600, minutes = whole / 60 % 60, rest = whole % 60;
  if (hours > 0) {
    clew_text_printf(out, "%llu:%02llu:%02llu", hours, minutes, rest);
  } else {
    clew_text_printf(out, "%llu:%02llu", minutes, rest);
  }
}

/* A span of time, roughly: "5 s", "12 min", "3 h". */
static void put_span(struct clew_text *out, double seconds) {
  const double minute = 60, hour = 3600, day = 86400;
  if (seconds < 2 * minute) {
    clew_text_printf(out, "%.0f s", seconds);
  } else if (seconds < 2 * hour) {
    clew_text_printf(out, "%.0f min", seconds / minute);
  } else if (seconds < 2 * day) {
    clew_text_printf(out, "%.0f h", seconds / hour);
  } else {
    clew_text_printf(out, "%.0f days", seconds / day);
  }
}

/* How many there will be, and how long that takes at the present speed. */
static void put_forecast(struct clew_text *out, const struct clew_progress *now, double rate) {
  const struct clew_forecast *forecast = &now->forecast;
  char low[32], high[32];
  if (!now->has_forecast) {
    return;
  }
  if (!forecast->has_interval) {
    clew_text_printf(out, "at least %s", clew_text_count(forecast->low, low));
    return;
  }
  clew_text_printf(out, "%s to %s in all", clew_text_count(forecast->low, low),
                   clew_text_count(forecast->high, high));
  if (rate > 0) {
    clew_text_put(out, ", ");
    put_span(out, (double)(forecast->low - now->states) / rate);
    clew_text_put(out, " to ");
    put_span(out, (double)(forecast->high - now->states) / rate);
    clew_text_put(out, " left");
  }
}

static void make_parts(struct part parts[PARTS], const struct clew_progress *now,
                       const struct clew_progress *before) {
  static const uint32_t ranks[PARTS] = {2, 1, 0, 4, 3, 6, 7, 5};
  for (uint32_t i = 0; i < PARTS; i++) {
    parts[i] = (struct part){.rank = ranks[i]};
  }
  char buffer[32];
  put_time(&parts[0].text, now->elapsed_s);
  clew_text_printf(&parts[1].text, "%s %llu", now->is_depth ? "depth" : "level",
                   (unsigned long long)now->level);
  clew_report_put_count(&parts[2].text, now->states, "state");
  clew_text_printf(&parts[3].text, "%s queued", clew_text_count(now->queue, buffer));
  double seconds = now->elapsed_s - before->elapsed_s;
  double states = now->states > before->states ? (double)(now->states - before->states) : 0;
  clew_report_put_rate(&parts[4].text, seconds > 0 ? states / seconds : 0);
  clew_text_put(&parts[4].text, " states/s");
  clew_text_put(&parts[5].text, clew_text_bytes(now->memory_bytes, buffer));
  clew_text_printf(&parts[5].text, " of %s", clew_text_bytes(now->budget_bytes, buffer));
  if (now->transitions > before->transitions && states > 0) {
    clew_text_printf(&parts[6].text, "%.0f %% new",
                     100 * states / (double)(now->transitions - before->transitions));
  }
  put_forecast(&parts[7].text, now, seconds > 0 ? states / seconds : 0);
}

/* The line with the parts below a rank. */
static void join(struct clew_text *out, const struct part parts[PARTS], uint32_t ranks) {
  clew_text_clear(out);
  for (uint32_t i = 0; i < PARTS; i++) {
    if (parts[i].rank < ranks && parts[i].text.len > 0) {
      clew_text_put(out, out->len > 0 ? "  " : "");
      clew_text_put(out, clew_text_str(&parts[i].text));
    }
  }
}

static void put_progress(struct clew_text *out, const struct clew_progress *now,
                         const struct clew_progress *before, uint32_t columns) {
  struct part parts[PARTS];
  make_parts(parts, now, before);
  uint32_t ranks = PARTS;
  do {
    join(out, parts, ranks);
  } while (out->len > columns && --ranks > 0);
  if (out->len > columns) {
    out->len = columns;
    out->data[columns] = '\0';
  }
  for (uint32_t i = 0; i < PARTS; i++) {
    clew_text_free(&parts[i].text);
  }
}

/* What fits on a line of the terminal; the last column is left free, where some wrap. */
static uint32_t columns_of(const struct clew_progress_line *line) {
  struct winsize size = {0};
  if (!line->terminal) {
    return UINT32_MAX;
  }
  if (line->columns > 0) {
    return line->columns - 1;
  }
  bool known = ioctl(fileno(line->err), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1U : 79;
}

void clew_progress_show(void *line, const struct clew_progress *now) {
  struct clew_progress_line *shown = line;
  struct clew_text text = {0};
  put_progress(&text, now, &shown->previous, columns_of(shown));
  assert(text.len < 1000);
  if (shown->terminal) {
    /* Blanks cover what a longer line before has left; but a terminal may be narrower by now. */
    uint32_t columns = columns_of(shown);
    uint32_t covered = shown->width < columns ? shown->width : columns;
    int padding = (int)covered - (int)text.len;
    fprintf(shown->err, "\r%s%*s", clew_text_str(&text), padding > 0 ? padding : 0, "");
    shown->width = (uint32_t)text.len;
  } else {
    fprintf(shown->err, "%s\n", clew_text_str(&text));
  }
  fflush(shown->err);
  clew_text_free(&text);
  shown->previous = *now;
}

void clew_progress_clear(struct clew_progress_line *line) {
  if (line->width > 0) {
    fprintf(line->err, "\r%*s\r", (int)line->width, "");
    fflush(line->err);
  }
  line->width = 0;
}
