/* A table of numbers as a chart: reads standard input, writes SVG to standard output.
 *
 *   cc -std=c11 -D_GNU_SOURCE -O1 -Isrc -o chart bench/chart.c src/report/plot.c src/base/text.c \
 *      src/base/vec.c src/base/alloc.c -lm
 *   chart TITLE X-LABEL Y-LABEL [PANEL-TITLE...] <table.tsv >chart.svg
 *
 * The first line names the columns, which tabs or commas separate. The first column is x, each of
 * the others a line of the chart. What is not a number (an empty field) is left out. Tables
 * separated by an empty line become panels side by side, in the order of the panel titles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "report/plot.h"

enum { PANEL_WIDTH = 380 }; /* of three and more */

typedef CLEW_VEC(double) numbers;

struct table {
  CLEW_VEC(char *) names;   /* of the columns */
  CLEW_VEC(numbers) values; /* one for each column */
};

typedef CLEW_VEC(struct table) tables;

static double number_of(const char *field) {
  double value;
  return clew_text_parse_double(field, &value) ? value : NAN;
}

static void add_header(tables *all, char *line) {
  struct table table = {0};
  for (char *field; (field = strsep(&line, "\t,")) != NULL;) {
    clew_vec_push(&table.names, clew_strdup(field));
    clew_vec_push(&table.values, (numbers){0});
  }
  clew_vec_push(all, table);
}

static void add_row(struct table *table, char *line) {
  for (uint32_t i = 0; i < table->names.len; i++) {
    char *field = strsep(&line, "\t,");
    clew_vec_push(&table->values.data[i], field != NULL ? number_of(field) : NAN);
  }
}

static void read_tables(FILE *in, tables *all) {
  char *line = NULL;
  size_t line_cap = 0;
  bool inside = false;
  while (getline(&line, &line_cap, in) >= 0) {
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '\0') {
      inside = false;
    } else if (inside) {
      add_row(&clew_vec_last(all), line);
    } else {
      add_header(all, line);
      inside = true;
    }
  }
  free(line);
}

static struct clew_plot_panel panel_of(const struct table *table, char **labels,
                                       const char *title) {
  uint32_t count = table->names.len - 1;
  struct clew_plot_series *series = clew_alloc_zero(count, sizeof *series);
  for (uint32_t i = 0; i < count; i++) {
    series[i] = (struct clew_plot_series){.name = table->names.data[i + 1],
                                          .mark = CLEW_PLOT_LINE,
                                          .x = table->values.data[0].data,
                                          .y = table->values.data[i + 1].data,
                                          .count = table->values.data[0].len};
  }
  return (struct clew_plot_panel){.title = title,
                                  .x.label = labels[0],
                                  .y.label = labels[1],
                                  .series = series,
                                  .series_count = count};
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fputs("usage: chart TITLE X-LABEL Y-LABEL [PANEL-TITLE...] <table >chart.svg\n", stderr);
    return 2;
  }
  tables all = {0};
  read_tables(stdin, &all);
  if (all.len == 0) {
    fputs("chart: there is no table\n", stderr);
    return 1;
  }
  CLEW_VEC(struct clew_plot_panel) panels = {0};
  for (uint32_t i = 0; i < all.len; i++) {
    const char *title = 4 + i < (uint32_t)argc ? argv[4 + i] : NULL;
    clew_vec_push(&panels, panel_of(&all.data[i], &argv[2], title));
  }
  struct clew_plot plot = {.title = argv[1],
                           .width = panels.len > 2 ? PANEL_WIDTH * panels.len : 0,
                           .panels = panels.data,
                           .panel_count = panels.len};
  struct clew_text svg = {0};
  clew_plot_svg(&plot, &svg);
  /* What was read is needed until here, and then the program ends. */
  return fputs(clew_text_str(&svg), stdout) >= 0 && fflush(stdout) == 0 ? 0 : 1;
}
