/* Samples.
 *
 * A sample is put into a store of its own, and then four times as many: bytes grow by some power of
 * the number of states, which these two tell. Stores that share parts of states take fewer bytes
 * for each the more there are. */
#include "cli/sample.h"

#include <math.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { MOST = 1 << 18, LEAST = 1 << 12, GROWTH = 4, BATCH = 256 };

/* Puts states number `from` to `end` of so many that are spread evenly over all; the bytes of the
 * store, or NaN when it refuses. */
static double put_sample(struct clew_store *source, struct clew_store *store, uint64_t from,
                         uint64_t end, uint64_t of) {
  uint32_t words = source->config.words;
  uint64_t all = source->type->count(source);
  uint64_t *states = clew_alloc(sizeof(uint64_t) * BATCH * words);
  struct clew_visit *visits = clew_alloc_zero(BATCH, sizeof *visits);
  bool ok = true;
  for (uint64_t i = from; i < end && ok; i += BATCH) {
    uint32_t batch = end - i < BATCH ? (uint32_t)(end - i) : BATCH;
    for (uint32_t k = 0; k < batch; k++) {
      uint64_t *state = states + (size_t)k * words;
      /* An odd factor visits all of a power of two, near and far ones from the beginning on. */
      uint64_t turn = (i + k) * 0x9e3779b1U % of;
      source->type->get(source, (clew_id)((double)turn * (double)all / (double)of), 1, state);
      visits[k] = (struct clew_visit){
          .state = state,
          .hash = clew_hash_words(state, words, store->config.seed),
          .parent = CLEW_ID_NONE,
      };
      store->type->prefetch(store, visits[k].hash);
    }
    ok = store->type->reserve(store, batch) == CLEW_ROOM;
    if (ok) {
      store->type->put(store, batch, visits);
    }
  }
  clew_free(states);
  clew_free(visits);
  return ok ? (double)store->type->bytes(store) : NAN;
}

double clew_sample_bytes_each(struct clew_store *source, const struct clew_store_type *type,
                              struct clew_budget *budget, uint64_t states) {
  struct clew_store *store = NULL;
  uint64_t count = source->type->count(source), large = LEAST;
  if ((source->promises & CLEW_STORE_GET) == 0 || count < LEAST) {
    return INFINITY;
  }
  if (type->estimate != NULL) {
    return type->estimate(source, states);
  }
  uint64_t fits = budget->limit_bytes / (source->config.words * sizeof(uint64_t) * 2);
  while (large < MOST && large * 2 <= count && large * 2 <= fits) {
    large *= 2;
  }
  struct clew_store_config config = source->config;
  struct clew_diag_sink diags = {0};
  config.budget = budget;
  config.options = NULL;
  config.crew = NULL;
  config.threads = 1;
  config.diags = &diags;
  double before = NAN, after = NAN;
  if (type->open(&config, &diags, &store) == CLEW_OK) {
    before = put_sample(source, store, 0, large / GROWTH, large);
    after = isnan(before) ? NAN : put_sample(source, store, large / GROWTH, large, large);
    type->close(store);
  }
  clew_diag_sink_free(&diags);
  if (isnan(after)) {
    return INFINITY;
  }
  double power = fmin(fmax(log(after / before) / log(GROWTH), 0.5), 1);
  return after * pow((double)states / (double)large, power) / (double)states;
}
