/* The slots of a model as fields of states, and an order of them in which those stand together that
 * transitions write together.
 *
 * The order is a chain: it begins with the slot that is written together with the fewest others,
 * and goes on each time with the slot that has most in common with what was taken last. */
#include "cli/fields.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/bits.h"

enum {
  MOST_SLOTS = 1024, /* for more the order would take longer to find than it is worth */
  MOST_GROUPS = 1 << 14,
};

/* How often two slots are written by the same group: together[a * count + b]. */
static float *count_together(const struct clew_model *model) {
  uint32_t count = model->slot_count, words = CLEW_BITSET_WORDS(count);
  float *together = clew_alloc_zero((size_t)count * count, sizeof *together);
  uint64_t *sets = clew_alloc_zero((size_t)words * 3, sizeof *sets);
  uint32_t *written = clew_alloc_zero(count, sizeof *written);
  for (uint32_t g = 0; g < model->group_count; g++) {
    for (uint32_t w = 0; w < words * 3; w++) {
      sets[w] = 0;
    }
    struct clew_access access = {sets, sets + words, sets + 2 * (size_t)words};
    model->access(model, g, &access);
    uint32_t len = 0;
    for (uint32_t s = 0; s < count; s++) {
      if (clew_bitset_has(access.may_write, s) && model->slots[s].width > 0) {
        written[len++] = s;
      }
    }
    for (uint32_t a = 0; a < len; a++) {
      for (uint32_t b = 0; b < len; b++) { /* a group that writes all says little about any two */
        together[(size_t)written[a] * count + written[b]] += 1.0F / (float)len;
      }
    }
  }
  clew_free(sets);
  clew_free(written);
  return together;
}

static uint32_t pick(const float *score, const bool *taken, uint32_t count, bool greatest) {
  uint32_t best = count;
  for (uint32_t s = 0; s < count; s++) {
    bool is_better = best == count || (greatest ? score[s] > score[best] : score[s] < score[best]);
    if (!taken[s] && is_better) {
      best = s;
    }
  }
  assert(best < count);
  return best;
}

static uint32_t *order_by_change(const struct clew_model *model) {
  uint32_t count = model->slot_count;
  if (count < 3 || count > MOST_SLOTS || model->group_count > MOST_GROUPS ||
      model->access == NULL) {
    return NULL;
  }
  const float memory = 0.7F; /* of what was taken before the last one */
  float *together = count_together(model);
  float *score = clew_alloc_zero(count, sizeof *score);
  bool *taken = clew_alloc_zero(count, sizeof *taken);
  uint32_t *order = clew_alloc_zero(count, sizeof *order);
  for (uint32_t a = 0; a < count; a++) {
    for (uint32_t b = 0; b < count; b++) {
      score[a] += a == b ? 0 : together[(size_t)a * count + b];
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t next = pick(score, taken, count, i > 0);
    order[i] = next;
    taken[next] = true;
    for (uint32_t s = 0; s < count; s++) {
      score[s] = (i == 0 ? 0 : score[s] * memory) + together[(size_t)next * count + s];
    }
  }
  clew_free(together);
  clew_free(score);
  clew_free(taken);
  return order;
}

void clew_fields_open(struct clew_fields *fields, const struct clew_model *model) {
  *fields = (struct clew_fields){.count = model->slot_count};
  fields->fields = clew_alloc_zero((size_t)model->slot_count + 1, sizeof *fields->fields);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    fields->fields[i] = (struct clew_store_field){model->slots[i].bit, model->slots[i].width};
    assert(model->slots[i].width == 0 || model->slots[i].bit / 64 < model->words);
  }
  fields->by_change = order_by_change(model);
}

void clew_fields_close(struct clew_fields *fields) {
  clew_free(fields->fields);
  clew_free(fields->by_change);
  *fields = (struct clew_fields){0};
}
