/* Figures with names: a short list, searched from its start. */
#include "base/counters.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

void clew_counters_free(struct clew_counters *counters) {
  clew_vec_free(&counters->list);
}

const struct clew_counter *clew_counters_find(const struct clew_counters *counters,
                                              const char *name) {
  assert(name != NULL);
  for (uint32_t i = 0; i < counters->list.len; i++) {
    if (strcmp(counters->list.data[i].name, name) == 0) {
      return &counters->list.data[i];
    }
  }
  return NULL;
}

static void add(struct clew_counters *counters, struct clew_counter counter) {
  assert(counter.name[0] != '\0');
  assert(clew_counters_find(counters, counter.name) == NULL);
  clew_vec_push(&counters->list, counter);
}

void clew_counters_count(struct clew_counters *counters, const char *name, uint64_t value) {
  add(counters, (struct clew_counter){.name = name, .kind = CLEW_COUNTER_COUNT, .count = value});
}

void clew_counters_real(struct clew_counters *counters, const char *name, double value) {
  add(counters, (struct clew_counter){.name = name, .kind = CLEW_COUNTER_REAL, .real = value});
}

void clew_counters_text(struct clew_counters *counters, const char *name, const char *value) {
  assert(value != NULL);
  add(counters, (struct clew_counter){.name = name, .kind = CLEW_COUNTER_TEXT, .text = value});
}
