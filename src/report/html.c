/* The result as one page (web/page.h): everything it shows is data here, and src/web/report.js
 * draws it.
 *
 *   {"model", "language", "version", "command", "verdict": {"word", "style", "text"},
 *    "properties": [{"word", "style", "title", "line"} …], "figures": [{"name", "help", "value"}
 * …], "store": [{"name", "value"} …], "levels": […], "locality": [[k, transitions] …], "history":
 * [[seconds, states, queue, memory] …], "budget", "trace": as in web/story.h} */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "report/output.h"
#include "report/text_int.h"
#include "report/version.h"
#include "web/page.h"
#include "web/story.h"

static void put_key_string(struct clew_json_writer *w, const char *key, const char *value) {
  clew_json_key(w, key);
  clew_json_string(w, value);
}

static const char *style_name(enum clew_report_style style) {
  static const char *const names[] = {
      [STYLE_GOOD] = "good", [STYLE_BAD] = "bad", [STYLE_DOUBT] = "doubt", [STYLE_FAINT] = "faint"};
  return names[style];
}

static enum clew_report_style verdict_style(const struct clew_report_info *info,
                                            const struct clew_result *result) {
  if (info->explores_only) {
    return result->scope.complete ? STYLE_GOOD : STYLE_DOUBT;
  }
  switch (result->verdict) {
  case CLEW_VERDICT_HOLDS:
    return STYLE_GOOD;
  case CLEW_VERDICT_VIOLATED:
    return STYLE_BAD;
  case CLEW_VERDICT_NO_VIOLATION_FOUND:
  case CLEW_VERDICT_INCOMPLETE:
    break;
  }
  return STYLE_DOUBT;
}

/* The line of the verdict is "WORD: sentence." */
static void write_verdict(struct clew_json_writer *w, const struct clew_report_info *info,
                          const struct clew_result *result) {
  struct clew_text line = {0};
  clew_report_put_verdict(&line, info, result);
  const char *text = clew_text_str(&line);
  size_t word = strcspn(text, ":"), all = strcspn(text, "\n");
  char *head = clew_strndup(text, word);
  char *rest = word + 2 < all ? clew_strndup(text + word + 2, all - word - 2) : clew_strdup("");
  clew_json_key(w, "verdict");
  clew_json_object_open(w);
  put_key_string(w, "word", head);
  put_key_string(w, "style", style_name(verdict_style(info, result)));
  put_key_string(w, "text", rest);
  clew_json_object_close(w);
  clew_free(head);
  clew_free(rest);
  clew_text_free(&line);
}

static void write_answer(struct clew_json_writer *w, struct clew_report_mark mark,
                         const char *title, uint32_t line) {
  clew_json_object_open(w);
  put_key_string(w, "word", mark.word);
  put_key_string(w, "style", style_name(mark.style));
  put_key_string(w, "title", title);
  if (line > 0) {
    clew_json_key_u64(w, "line", line);
  }
  clew_json_object_close(w);
}

static void write_properties(struct clew_json_writer *w, const struct clew_report_info *info,
                             const struct clew_result *result) {
  struct clew_text text = {0};
  clew_json_key(w, "properties");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < result->outcomes.count; i++) {
    clew_text_clear(&text);
    clew_report_put_property(&text, info, result, i);
    write_answer(w, clew_report_mark(info, result, i), clew_text_str(&text),
                 info->model->properties[i].position.line);
  }
  for (uint32_t i = 0; i < info->model->unchecked_count; i++) {
    const struct clew_unchecked *part = &info->model->unchecked[i];
    clew_text_clear(&text);
    clew_text_printf(&text, "%s (%s)", part->name, part->why);
    write_answer(w, (struct clew_report_mark){"not checked", STYLE_DOUBT}, clew_text_str(&text),
                 part->position.line);
  }
  clew_json_array_close(w);
  clew_text_free(&text);
}

static bool ends_with(const char *name, const char *end) {
  size_t length = strlen(name), tail = strlen(end);
  return length >= tail && strcmp(name + length - tail, end) == 0;
}

/* "1,234", "1.2 GB", "3.20 s", "0.25" */
static void put_figure(struct clew_text *out, const char *name, bool is_real, uint64_t count,
                       double real) {
  char buffer[32];
  if (!is_real) {
    bool is_bytes = ends_with(name, "_bytes") || ends_with(name, "bytes_peak");
    clew_text_put(out, is_bytes ? clew_text_bytes(count, buffer) : clew_text_count(count, buffer));
  } else if (ends_with(name, "_s")) {
    clew_text_printf(out, "%.2f s", real);
  } else {
    clew_text_printf(out, "%.4g", real);
  }
}

static void write_figure(void *context, const struct clew_statistic *stat) {
  struct clew_json_writer *w = context;
  struct clew_text value = {0};
  if (stat->text != NULL) {
    clew_text_put(&value, stat->text);
  } else {
    put_figure(&value, stat->name, stat->is_real, stat->count, stat->real);
  }
  clew_json_object_open(w);
  put_key_string(w, "name", stat->name);
  put_key_string(w, "help", stat->help);
  put_key_string(w, "value", clew_text_str(&value));
  clew_json_object_close(w);
  clew_text_free(&value);
}

static void write_counters(struct clew_json_writer *w, const struct clew_counters *counters) {
  clew_json_key(w, "store");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < counters->list.len; i++) {
    const struct clew_counter *counter = &counters->list.data[i];
    struct clew_text value = {0};
    if (counter->kind == CLEW_COUNTER_TEXT) {
      clew_text_put(&value, counter->text);
    } else {
      put_figure(&value, counter->name, counter->kind == CLEW_COUNTER_REAL, counter->count,
                 counter->real);
    }
    clew_json_object_open(w);
    put_key_string(w, "name", counter->name);
    put_key_string(w, "value", clew_text_str(&value));
    clew_json_object_close(w);
    clew_text_free(&value);
  }
  clew_json_array_close(w);
}

static void write_levels(struct clew_json_writer *w, const struct clew_result *result) {
  clew_json_key(w, "levels");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < result->level_sizes.len; i++) {
    clew_json_u64(w, result->level_sizes.data[i]);
  }
  clew_json_array_close(w);
  if (!result->has_locality) {
    return;
  }
  clew_json_key(w, "locality");
  clew_json_array_open(w);
  for (uint32_t i = clew_locality_len(&result->locality); i-- > 0;) {
    struct clew_locality_figure figure = clew_locality_at(&result->locality, i);
    clew_json_array_open(w);
    clew_json_i64(w, figure.k);
    clew_json_u64(w, figure.transitions);
    clew_json_array_close(w);
  }
  clew_json_array_close(w);
}

static void write_history(struct clew_json_writer *w, const struct clew_result *result) {
  clew_json_key(w, "history");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < result->history.moments.len; i++) {
    const struct clew_progress *moment = &result->history.moments.data[i];
    clew_json_array_open(w);
    clew_json_double(w, moment->elapsed_s);
    clew_json_u64(w, moment->states);
    clew_json_u64(w, moment->queue);
    clew_json_u64(w, moment->memory_bytes);
    clew_json_array_close(w);
  }
  clew_json_array_close(w);
  clew_json_key(w, "conversions");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < result->conversions.len; i++) {
    const struct clew_conversion *conversion = &result->conversions.data[i];
    clew_json_object_open(w);
    put_key_string(w, "to", conversion->to);
    clew_json_key_u64(w, "states", conversion->states);
    clew_json_object_close(w);
  }
  clew_json_array_close(w);
  if (result->memory_bytes != CLEW_ABSENT) {
    clew_json_key_u64(w, "budget", result->memory_bytes);
  }
}

static void write_data(const struct clew_report_info *info, const struct clew_result *result,
                       struct clew_text *out) {
  struct clew_json_writer w;
  clew_json_begin(&w, out);
  clew_json_object_open(&w);
  put_key_string(&w, "model", info->model->name);
  put_key_string(&w, "language", info->model->language);
  put_key_string(&w, "version", CLEW_VERSION);
  put_key_string(&w, "command", info->command_line);
  write_verdict(&w, info, result);
  write_properties(&w, info, result);
  clew_json_key(&w, "figures");
  clew_json_array_open(&w);
  clew_result_each_statistic(result, write_figure, &w);
  clew_json_array_close(&w);
  write_counters(&w, &result->counters);
  write_levels(&w, result);
  write_history(&w, result);
  if (result->has_trace && !info->explores_only) {
    clew_json_key(&w, "trace");
    bool ok = clew_story_write(info->model, &result->trace,
                               (info->trace_style & CLEW_TRACE_LATEST) != 0, &w);
    if (!ok) {
      clew_json_string(&w, NULL);
    }
  }
  clew_json_object_close(&w);
  clew_json_end(&w);
}

static bool write(const struct clew_report_info *info, const struct clew_result *result,
                  struct clew_text *out) {
  struct clew_report_info plain = *info;
  plain.color = plain.quiet = false;
  struct clew_text data = {0}, text = {0}, title = {0};
  write_data(&plain, result, &data);
  clew_output_text.write(&plain, result, &text);
  const char *slash = strrchr(info->model->name, '/');
  clew_text_printf(&title, "%s \xe2\x80\x93 clew", slash != NULL ? slash + 1 : info->model->name);
  struct clew_page page = {.title = clew_text_str(&title),
                           .application = "report",
                           .data = &data,
                           .plain = clew_text_str(&text)};
  clew_page_write(&page, out);
  clew_text_free(&data);
  clew_text_free(&text);
  clew_text_free(&title);
  return true;
}

const struct clew_output_type clew_output_report = {.name = "report", .write = write};
