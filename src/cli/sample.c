/* Samples.
 *
 * A sample is put into a store of its own, and then four times as many: bytes grow by some power of
 * the number of states, which these two tell. Stores that share parts of states take fewer bytes
 * for each the more there are. */
#include "cli/sample.h"

#include <math.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { SMALL = 1 << 14, LARGE = SMALL * 4, BATCH = 256 };

/* Puts every so many-th state; the bytes of the store, or NaN when it refuses. */
static double put_sample(const struct clew_session *session, struct clew_store *store,
                         uint64_t from, uint64_t count) {
  struct clew_store *source = session->store;
  uint32_t words = session->view->words;
  uint64_t all = source->type->count(source);
  uint64_t *states = clew_alloc(sizeof(uint64_t) * BATCH * words);
  struct clew_visit *visits = clew_alloc_zero(BATCH, sizeof *visits);
  bool ok = true;
  for (uint64_t i = from; i < count && ok; i += BATCH) {
    uint32_t batch = count - i < BATCH ? (uint32_t)(count - i) : BATCH;
    for (uint32_t k = 0; k < batch; k++) {
      uint64_t *state = states + (size_t)k * words;
      clew_id id = (clew_id)((double)(i + k) * (double)all / LARGE);
      source->type->get(source, id < all ? id : all - 1, 1, state);
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

double clew_sample_bytes_each(const struct clew_session *session,
                              const struct clew_store_type *type, uint64_t states) {
  struct clew_store *source = session->store, *store = NULL;
  if ((source->promises & CLEW_STORE_GET) == 0 || source->type->count(source) < LARGE) {
    return INFINITY;
  }
  struct clew_budget budget;
  struct clew_store_config config = source->config;
  clew_budget_init(&budget, UINT64_C(1) << 40);
  config.budget = &budget;
  config.options = NULL;
  config.crew = NULL;
  config.threads = 1;
  struct clew_diag_sink diags = {0};
  config.diags = &diags;
  double small = NAN, large = NAN;
  if (type->open(&config, &diags, &store) == CLEW_OK) {
    small = put_sample(session, store, 0, SMALL);
    large = isnan(small) ? NAN : put_sample(session, store, SMALL, LARGE);
    type->close(store);
  }
  clew_diag_sink_free(&diags);
  if (isnan(large)) {
    return INFINITY;
  }
  double power = fmin(fmax(log(large / small) / log(LARGE / SMALL), 0.5), 1);
  return large * pow((double)states / LARGE, power) / (double)states;
}
