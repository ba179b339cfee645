/* `--coverage`: the source of the model as a page, each rule with how often it fired, and what is
 * worth a look. One file without scripts, fonts or addresses; every text of the model is escaped.
 */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "report/output.h"
#include "report/plot.h"

static const char HEAD[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n";

static const char STYLE[] =
    "<style>\n"
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1f2328;--link:#0550ae;"
    "--number:#57606a;--hit:#116329;--miss:#a40e26}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#0f1216;--ink:#e6edf3;"
    "--link:#79c0ff;--number:#9ea7b1;--hit:#4ac26b;--miss:#ff9492}}\n"
    "html{background:var(--paper);color:var(--ink)}a{color:var(--link)}\n"
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}\n"
    "table{border-collapse:collapse;width:100%;font:13px/1.45 ui-monospace,monospace}\n"
    "td{padding:0 .6rem;white-space:pre-wrap;vertical-align:top}\n"
    "td.n,td.c{text-align:right;width:1%;white-space:nowrap;color:var(--number)}\n"
    "tr.hit td.c{color:var(--hit)}tr.miss td{background:rgba(207,34,46,.14)}\n"
    "tr.miss td.c{color:var(--miss);font-weight:bold}\n"
    "@media print{body{margin:0;max-width:none}}\n"
    "</style>\n";

/* What is known of a line: the transitions of the rules that begin there, and whether one of them
 * never fires. */
struct line {
  uint64_t fired;
  bool has_rule, is_missed, is_untested, has_remark;
};

static void put_remarks(struct clew_text *out, const struct clew_remarks *remarks,
                        const char *why) {
  clew_text_put(out, "<h2>Worth a look</h2>\n");
  if (remarks->len == 0) {
    clew_text_put(out, "<p>Nothing.</p>\n");
  } else {
    clew_text_put(out, "<ul>\n");
    for (uint32_t i = 0; i < remarks->len; i++) {
      clew_text_put(out, "<li>");
      clew_plot_escape(out, clew_text_str(&remarks->data[i].text));
      if (remarks->data[i].line > 0) {
        clew_text_printf(out, " (<a href=\"#L%u\">line %u</a>)", remarks->data[i].line,
                         remarks->data[i].line);
      }
      clew_text_put(out, "</li>\n");
    }
    clew_text_put(out, "</ul>\n");
  }
  if (why != NULL) {
    clew_text_put(out, "<p>Values of variables are not known: ");
    clew_plot_escape(out, why);
    clew_text_put(out, ".</p>\n");
  }
}

static void put_line(struct clew_text *out, uint32_t number, const struct line *line,
                     const char *text, size_t length) {
  char buffer[32];
  clew_text_printf(out, "<tr id=\"L%u\"%s><td class=\"n\">%u</td><td class=\"c\">", number,
                   line->is_missed || line->is_untested || line->has_remark ? " class=\"miss\""
                   : line->has_rule                                         ? " class=\"hit\""
                                                                            : "",
                   number);
  if (line->has_rule) {
    clew_text_put(out, clew_text_count(line->fired, buffer));
  } else if (line->is_untested) {
    clew_text_put(out, "untested");
  }
  clew_text_put(out, "</td><td>");
  char *copy = clew_strndup(text, length);
  clew_plot_escape(out, copy);
  clew_free(copy);
  clew_text_put(out, "</td></tr>\n");
}

static struct line *find_lines(const struct clew_model *model, const struct clew_result *result,
                               const struct clew_remarks *remarks, uint32_t count) {
  struct line *lines = clew_alloc_zero((size_t)count + 2, sizeof *lines);
  for (uint32_t i = 0; i < model->rule_count; i++) {
    uint32_t number = model->rules[i].position.line;
    if (number > 0 && number <= count) {
      lines[number].has_rule = true;
      lines[number].fired += result->coverage.fired[i];
    }
  }
  for (uint32_t i = 0; i < remarks->len; i++) {
    uint32_t number = remarks->data[i].line;
    if (number > 0 && number <= count) {
      const char *kind = remarks->data[i].kind;
      lines[number].is_missed |= strcmp(kind, "rule") == 0;
      lines[number].is_untested |= strcmp(kind, "invariant") == 0;
      lines[number].has_remark = true;
    }
  }
  return lines;
}

static void put_source(struct clew_text *out, const struct clew_model *model,
                       const struct clew_result *result, const struct clew_remarks *remarks,
                       const struct clew_text *source) {
  uint32_t count = 1;
  for (size_t i = 0; i < source->len; i++) {
    count += source->data[i] == '\n';
  }
  struct line *lines = find_lines(model, result, remarks, count);
  clew_text_put(out, "<h2>Source</h2>\n<table>\n<tbody>\n");
  const char *at = clew_text_str(source), *end = at + source->len;
  for (uint32_t number = 1; at < end; number++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t length = stop != NULL ? (size_t)(stop - at) : (size_t)(end - at);
    put_line(out, number, &lines[number], at, length);
    at += length + 1;
  }
  clew_text_put(out, "</tbody>\n</table>\n");
  clew_free(lines);
}

static bool check(const struct clew_report_info *info, struct clew_text *why) {
  if (info->model->rules == NULL || info->store == NULL) {
    clew_text_put(why, "--coverage shows how often rules fire, which this search does not count");
    return false;
  }
  return true;
}

static bool write(const struct clew_report_info *info, const struct clew_result *result,
                  struct clew_text *out) {
  const struct clew_model *model = info->model;
  struct clew_text source = {0};
  struct clew_diag_sink ignored = {0};
  const size_t most_bytes = (size_t)64 << 20;
  bool is_known = result->coverage.fired != NULL &&
                  clew_file_read(model->name, most_bytes, &source, &ignored) == CLEW_OK;
  clew_diag_sink_free(&ignored);
  clew_text_put(out, HEAD);
  clew_text_put(out, "<title>Coverage of ");
  clew_plot_escape(out, model->name);
  clew_text_put(out, "</title>\n");
  clew_text_put(out, STYLE);
  clew_text_put(out, "</head>\n<body>\n<h1>Coverage of ");
  clew_plot_escape(out, model->name);
  clew_text_put(out, "</h1>\n");
  if (is_known) {
    struct clew_remarks remarks = {0};
    clew_coverage_remark(model, &result->coverage, &remarks);
    put_remarks(out, &remarks, result->coverage.why);
    put_source(out, model, result, &remarks, &source);
    clew_remarks_free(&remarks);
  } else {
    clew_text_printf(out, "<p>Nothing is known: %s.</p>\n",
                     result->coverage.why != NULL ? result->coverage.why
                                                  : "the text of the model cannot be read");
  }
  clew_text_put(out, "</body>\n</html>\n");
  clew_text_free(&source);
  return true;
}

const struct clew_output_type clew_output_coverage = {
    .name = "coverage", .check = check, .write = write};
