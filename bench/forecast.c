/* How good forecasts are: reads level sizes, one search per line ("NAME SIZE SIZE ..."), and makes
 * the forecast at the first level after which there is an interval.
 *
 * Prints NAME, states in all, states at that moment, low, high, and whether the truth is in there;
 * in the end the share of those where it is, for the families that the constants were fitted on
 * (every other one by name, from the first on) and for the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "report/forecast.h"

typedef CLEW_VEC(uint64_t) numbers;

struct tally {
  unsigned covered, all;
};

static void read_sizes(char *line, numbers *sizes) {
  sizes->len = 0;
  for (char *word; (word = strsep(&line, " \n")) != NULL;) {
    if (*word != '\0') {
      clew_vec_push(sizes, strtoull(word, NULL, 10));
    }
  }
}

/* The first forecast with an interval; how many states there were. 0: there was none. */
static uint64_t forecast_first(const numbers *sizes, struct clew_forecast *forecast) {
  uint64_t states = 0;
  for (uint32_t i = 0; i + 1 < sizes->len; i++) {
    states += sizes->data[i];
    *forecast = clew_forecast_make(sizes->data, i + 1, states);
    if (forecast->has_interval) {
      return states;
    }
  }
  return 0;
}

static void print_tally(const char *which, const struct tally *tally) {
  printf("# %s: %u of %u (%.0f %%)\n", which, tally->covered, tally->all,
         tally->all > 0 ? 100.0 * tally->covered / tally->all : 0);
}

int main(void) {
  char *line = NULL, family[256] = "";
  size_t capacity = 0;
  numbers sizes = {0};
  struct tally tallies[2] = {{0, 0}, {0, 0}};
  unsigned families = 0;
  while (getline(&line, &capacity, stdin) > 0) {
    char *rest = line, *name = strsep(&rest, " ");
    size_t length = strcspn(name, ".");
    if (strlen(family) != length || strncmp(family, name, length) != 0) {
      snprintf(family, sizeof family, "%.*s", (int)length, name);
      families++;
    }
    read_sizes(rest, &sizes);
    uint64_t truth = 0;
    for (uint32_t i = 0; i < sizes.len; i++) {
      truth += sizes.data[i];
    }
    struct clew_forecast forecast;
    uint64_t states = forecast_first(&sizes, &forecast);
    if (states == 0) {
      printf("%s\t%llu\tno interval before the end\n", name, (unsigned long long)truth);
      continue;
    }
    bool covered = forecast.low <= truth && truth <= forecast.high;
    struct tally *tally = &tallies[(families - 1) % 2];
    tally->all++;
    tally->covered += covered;
    printf("%s\t%llu\t%llu\t%llu\t%llu\t%s\n", name, (unsigned long long)truth,
           (unsigned long long)states, (unsigned long long)forecast.low,
           (unsigned long long)forecast.high, covered ? "yes" : "no");
  }
  print_tally("fitted on", &tallies[0]);
  print_tally("held out", &tallies[1]);
  clew_vec_free(&sizes);
  free(line);
  return 0;
}
