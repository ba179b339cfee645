/* Reading, writing and printing the slots of a state.
 *
 * Invariant: a slot lies in one word; its stored number is value - lo, or, when the slot may be
 * undefined, 0 for undefined and value - lo + 1 otherwise. The arithmetic is unsigned, so domains
 * that span more than half of the 64-bit integers work too. */
#include <assert.h>
#include <inttypes.h>

#include "base/bits.h"
#include "model/collection.h"
#include "model/model.h"

static uint64_t slot_raw(const struct clew_slot *slot, const uint64_t *state) {
  assert(slot->bit % 64 + slot->width <= 64);
  return (state[slot->bit / 64] >> (slot->bit % 64)) & clew_bits_mask(slot->width);
}

int64_t clew_slot_get(const struct clew_slot *slot, const uint64_t *state) {
  uint64_t raw = slot_raw(slot, state);
  if (slot->undefinable) {
    if (raw == 0) {
      return CLEW_UNDEFINED;
    }
    raw--;
  }
  int64_t value = (int64_t)((uint64_t)slot->domain->lo + raw);
  assert(value >= slot->domain->lo && value <= slot->domain->hi);
  return value;
}

void clew_slot_set(const struct clew_slot *slot, uint64_t *state, int64_t value) {
  uint64_t raw = 0;
  if (value != CLEW_UNDEFINED) {
    assert(value >= slot->domain->lo && value <= slot->domain->hi);
    raw = (uint64_t)value - (uint64_t)slot->domain->lo + (slot->undefinable ? 1 : 0);
  } else {
    assert(slot->undefinable);
  }
  uint32_t shift = slot->bit % 64;
  uint64_t mask = clew_bits_mask(slot->width);
  assert(shift + slot->width <= 64 && raw <= mask);
  uint64_t *word = &state[slot->bit / 64];
  *word = (*word & ~(mask << shift)) | raw << shift;
}

bool clew_slot_present(const struct clew_model *model, uint32_t slot, const uint64_t *state) {
  assert(slot < model->slot_count);
  uint32_t presence = model->slots[slot].presence;
  assert(presence == CLEW_NONE || presence < model->slot_count);
  /* An absent element is all zero bits, so the nearest presence decides also when bags nest. */
  return presence == CLEW_NONE || slot_raw(&model->slots[presence], state) != 0;
}

void clew_domain_print(const struct clew_domain *domain, int64_t value, struct clew_text *out) {
  if (value == CLEW_UNDEFINED) {
    clew_text_put(out, "undefined");
    return;
  }
  if (domain->print != NULL) {
    domain->print(domain, value, out);
    return;
  }
  if (domain->names != NULL && value >= domain->lo && value <= domain->hi) {
    clew_text_put(out, domain->names[(uint64_t)value - (uint64_t)domain->lo]);
    return;
  }
  clew_text_printf(out, "%" PRId64, value);
}

void clew_state_print(const struct clew_model *model, const uint64_t *state,
                      const uint64_t *previous, const char *indent, struct clew_text *out) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const struct clew_slot *slot = &model->slots[i];
    const struct clew_collection *collection = clew_collection_of(model, i);
    if (collection != NULL && i == collection->slot) {
      clew_collection_print(model, collection, state, previous, indent, out);
    }
    if (slot->hidden || collection != NULL) {
      continue;
    }
    bool present = clew_slot_present(model, i, state);
    bool was_present = previous != NULL && clew_slot_present(model, i, previous);
    if (!present) {
      if (was_present) {
        clew_text_printf(out, "%s%s: gone\n", indent, slot->name);
      }
      continue;
    }
    if (was_present && slot_raw(slot, state) == slot_raw(slot, previous)) {
      continue;
    }
    clew_text_printf(out, "%s%s = ", indent, slot->name);
    clew_domain_print(slot->domain, clew_slot_get(slot, state), out);
    clew_text_char(out, '\n');
  }
  assert(model->slot_count > 0 || out != NULL);
}
