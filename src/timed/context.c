/* Contexts: the memory of one call. A model is shared by threads, so each call takes an idle
 * context or makes a new one, and puts it back afterwards. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "timed/timed_int.h"

static struct clew_timed_context *context_new(const struct clew_timed_impl *impl) {
  const struct clew_model *under = impl->under;
  struct clew_timed_context *context = clew_alloc_zero(1, sizeof *context);
  uint32_t clocks = impl->space.dim;
  clew_succs_open(&context->succs, under->words, under->cover_count);
  context->state = clew_alloc_zero(under->words, sizeof(uint64_t));
  context->successor = clew_alloc_zero(under->words, sizeof(uint64_t));
  context->zone = clew_alloc(impl->space.bytes);
  context->work = clew_alloc(impl->space.bytes);
  context->other = clew_alloc(impl->space.bytes);
  context->room = clew_alloc(impl->space.bytes);
  context->stopped = clew_alloc_zero(CLEW_BITSET_WORDS(clocks), sizeof(uint64_t));
  context->enabled =
      clew_alloc_zero(CLEW_BITSET_WORDS(under->property_count) + 1, sizeof(uint64_t));
  context->caps = clew_alloc_zero(clocks, sizeof *context->caps);
  context->limits.lower = clew_alloc_zero(clocks, sizeof(int32_t));
  context->limits.upper = clew_alloc_zero(clocks, sizeof(int32_t));
  clew_fed_open(&context->dead, &impl->space);
  clew_fed_open(&context->good, &impl->space);
  return context;
}

static void context_free(struct clew_timed_context *context) {
  clew_succs_close(&context->succs);
  clew_free(context->state);
  clew_free(context->successor);
  clew_free(context->zone);
  clew_free(context->work);
  clew_free(context->other);
  clew_free(context->room);
  clew_free(context->stopped);
  clew_free(context->enabled);
  clew_free(context->caps);
  clew_free(context->limits.lower);
  clew_free(context->limits.upper);
  clew_fed_close(&context->dead);
  clew_fed_close(&context->good);
  clew_timed_renaming_work_close(context->renaming);
  clew_free(context);
}

struct clew_timed_context *clew_timed_take(struct clew_timed_impl *impl) {
  for (uint32_t i = 0; i < CLEW_TIMED_CONTEXTS; i++) {
    if (atomic_load_explicit(&impl->idle[i], memory_order_relaxed) == NULL) {
      continue;
    }
    struct clew_timed_context *context =
        atomic_exchange_explicit(&impl->idle[i], NULL, memory_order_acquire);
    if (context != NULL) {
      return context;
    }
  }
  return context_new(impl);
}

void clew_timed_give_back(struct clew_timed_impl *impl, struct clew_timed_context *context) {
  for (uint32_t i = 0; i < CLEW_TIMED_CONTEXTS; i++) {
    struct clew_timed_context *none = NULL;
    if (atomic_load_explicit(&impl->idle[i], memory_order_relaxed) == NULL &&
        atomic_compare_exchange_strong_explicit(&impl->idle[i], &none, context,
                                                memory_order_release, memory_order_relaxed)) {
      return;
    }
  }
  context_free(context);
}

void clew_timed_contexts_close(struct clew_timed_impl *impl) {
  for (uint32_t i = 0; i < CLEW_TIMED_CONTEXTS; i++) {
    struct clew_timed_context *context = atomic_load(&impl->idle[i]);
    if (context != NULL) {
      context_free(context);
    }
  }
}

void clew_timed_load(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                     const uint64_t *state) {
  memcpy(context->state, state, impl->discrete_words * sizeof *state);
  assert(impl->under->words == impl->discrete_words ||
         context->state[impl->discrete_words] == 0); /* signals stay zero */
  clew_zone_pack_get(impl, state, context->zone);
}
