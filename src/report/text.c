/* The reporter for people: progress on standard error while a search runs, and at the end the
 * verdict, the properties, the counterexample and the figures on standard output. */
#include <assert.h>

#include "report/text_int.h"

void text_style_on(struct clew_text *out, bool color, enum text_style style) {
  static const char *const codes[] = {[STYLE_GOOD] = "\033[1;32m",
                                      [STYLE_BAD] = "\033[1;31m",
                                      [STYLE_DOUBT] = "\033[1;33m",
                                      [STYLE_FAINT] = "\033[2m"};
  assert((size_t)style < sizeof codes / sizeof codes[0]);
  if (color) {
    clew_text_put(out, codes[style]);
  }
}

void text_style_off(struct clew_text *out, bool color) {
  if (color) {
    clew_text_put(out, "\033[0m");
  }
}

void text_put_count(struct clew_text *out, uint64_t count, const char *noun) {
  char buffer[32];
  clew_text_printf(out, "%s %s%s", clew_text_count(count, buffer), noun, count == 1 ? "" : "s");
}

void text_put_rate(struct clew_text *out, double rate) {
  assert(rate >= 0);
  if (rate >= 999950) {
    clew_text_printf(out, "%.1f M", rate / 1e6);
  } else if (rate >= 10000) {
    clew_text_printf(out, "%.0f k", rate / 1e3);
  } else {
    clew_text_printf(out, "%.0f", rate);
  }
}

static void begin(struct clew_reporter *reporter, const struct clew_run_info *info) {
  assert(info->model != NULL);
  reporter->last_s = 0;
  reporter->previous = (struct clew_progress){0};
  reporter->line_width = 0;
}

static void put_progress(struct clew_text *out, const struct clew_progress *now,
                         const struct clew_progress *before) {
  char buffer[32];
  clew_text_printf(out, "%s %llu  ", now->is_depth ? "depth" : "level",
                   (unsigned long long)now->level);
  text_put_count(out, now->states, "state");
  clew_text_printf(out, "  %s queued  ", clew_text_count(now->queue, buffer));
  double seconds = now->elapsed_s - before->elapsed_s;
  double states = now->states > before->states ? (double)(now->states - before->states) : 0;
  text_put_rate(out, seconds > 0 ? states / seconds : 0);
  clew_text_printf(out, " states/s  %s", clew_text_bytes(now->memory_bytes, buffer));
  clew_text_printf(out, " of %s", clew_text_bytes(now->budget_bytes, buffer));
}

static void erase_line(struct clew_reporter *reporter) {
  if (reporter->err != NULL && reporter->line_width > 0) {
    fprintf(reporter->err, "\r%*s\r", (int)reporter->line_width, "");
    fflush(reporter->err);
  }
  reporter->line_width = 0;
}

static void progress(struct clew_reporter *reporter, const struct clew_progress *now) {
  bool wanted = reporter->err != NULL && reporter->every_s > 0;
  if (!wanted || now->elapsed_s - reporter->last_s < reporter->every_s) {
    return;
  }
  struct clew_text line = {0};
  put_progress(&line, now, &reporter->previous);
  assert(line.len < 1000);
  if (reporter->terminal) {
    /* Blanks cover what a longer line before has left. */
    int padding = (int)reporter->line_width - (int)line.len;
    fprintf(reporter->err, "\r%s%*s", clew_text_str(&line), padding > 0 ? padding : 0, "");
    reporter->line_width = (uint32_t)line.len;
  } else {
    fprintf(reporter->err, "%s\n", clew_text_str(&line));
  }
  fflush(reporter->err);
  clew_text_free(&line);
  reporter->last_s = now->elapsed_s;
  reporter->previous = *now;
}

static bool has_queries(const struct clew_model *model) {
  for (uint32_t i = 0; i < model->property_count; i++) {
    if (model->properties[i].query != CLEW_QUERY_NONE) {
      return true;
    }
  }
  return false;
}

static void put_trace(struct clew_text *out, const struct clew_run_info *info,
                      const struct clew_result *result) {
  clew_text_char(out, '\n');
  clew_trace_print(info->model, &result->trace, info->trace_full, out);
  if (info->trace_file != NULL) {
    clew_text_printf(out, "\nThe counterexample is saved in %s: clew replay %s %s%s\n",
                     info->trace_file, info->model->name, info->trace_file,
                     has_queries(info->model) ? " (with the same --goal and --invariant)" : "");
  }
}

static void finish(struct clew_reporter *reporter, const struct clew_run_info *info,
                   const struct clew_result *result, const char *store_json) {
  (void)store_json; /* for machines */
  erase_line(reporter);
  if (reporter->out == NULL) {
    return;
  }
  bool is_stats = text_is_stats(info);
  struct clew_text text = {0};
  text_put_verdict(&text, reporter->color, info, result);
  if (!is_stats && result->has_trace) {
    put_trace(&text, info, result);
  }
  if (!reporter->quiet) {
    clew_text_char(&text, '\n');
    text_put_properties(&text, reporter->color, info, result);
    clew_text_char(&text, '\n');
    text_put_figures(&text, info, result);
    if (is_stats) {
      text_put_levels(&text, result);
      text_put_locality(&text, result);
    }
  }
  fwrite(clew_text_str(&text), 1, text.len, reporter->out);
  fflush(reporter->out);
  clew_text_free(&text);
}

const struct clew_reporter_type clew_reporter_text = {
    .name = "text", .begin = begin, .progress = progress, .finish = finish};
