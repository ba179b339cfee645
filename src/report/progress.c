/* The line that shows the progress of a search. */
#include "report/progress.h"

#include <assert.h>

#include "report/text_int.h"

/* A span of time, roughly: "5 s", "12 min", "3 h". */
static void put_time(struct clew_text *out, double seconds) {
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
  if (!forecast->has_interval) {
    clew_text_printf(out, "  at least %s", clew_text_count(forecast->low, low));
    return;
  }
  clew_text_printf(out, "  %s to %s in all", clew_text_count(forecast->low, low),
                   clew_text_count(forecast->high, high));
  if (rate > 0) {
    clew_text_printf(out, ", ");
    put_time(out, (double)(forecast->low - now->states) / rate);
    clew_text_printf(out, " to ");
    put_time(out, (double)(forecast->high - now->states) / rate);
    clew_text_printf(out, " left");
  }
}

static void put_progress(struct clew_text *out, const struct clew_progress *now,
                         const struct clew_progress *before) {
  char buffer[32];
  clew_text_printf(out, "%s %llu  ", now->is_depth ? "depth" : "level",
                   (unsigned long long)now->level);
  clew_report_put_count(out, now->states, "state");
  clew_text_printf(out, "  %s queued  ", clew_text_count(now->queue, buffer));
  double seconds = now->elapsed_s - before->elapsed_s;
  double states = now->states > before->states ? (double)(now->states - before->states) : 0;
  clew_report_put_rate(out, seconds > 0 ? states / seconds : 0);
  clew_text_printf(out, " states/s  %s", clew_text_bytes(now->memory_bytes, buffer));
  clew_text_printf(out, " of %s", clew_text_bytes(now->budget_bytes, buffer));
  if (now->transitions > before->transitions && states > 0) {
    clew_text_printf(out, "  %.0f %% new",
                     100 * states / (double)(now->transitions - before->transitions));
  }
  if (now->has_forecast) {
    put_forecast(out, now, seconds > 0 ? states / seconds : 0);
  }
}

void clew_progress_show(void *line, const struct clew_progress *now) {
  struct clew_progress_line *shown = line;
  struct clew_text text = {0};
  put_progress(&text, now, &shown->previous);
  assert(text.len < 1000);
  if (shown->terminal) {
    /* Blanks cover what a longer line before has left. */
    int padding = (int)shown->width - (int)text.len;
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
