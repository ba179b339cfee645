/* Which bits of a state say what a place holds.
 *
 * A place that changes is a slot: the number of its multiset. At first a slot has as many bits as
 * numbers have, so everything fits. A search asks for less (clew_model.fit): a slot then gets the
 * bits that the multisets met so far need, and some more, because others will come. Where these are
 * not enough the search begins again with more. Numbers keep their meaning meanwhile, and the
 * tables know most successors already. After a few attempts slots are as wide as at first, so this
 * ends. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "lang/cpn/cpn_int.h"

enum { WIDE = 32, MOST_FITS = 4 };

static void print_bag(const struct clew_domain *domain, int64_t value, struct clew_text *out) {
  const struct cpn_domain *own = (const struct cpn_domain *)domain;
  struct cpn_net *net = (struct cpn_net *)own->net;
  pthread_mutex_lock(&net->lock);
  if ((uint64_t)value < net->bags[own->place].list.len) {
    cpn_bag_print(cpn_bag(net, own->place, (uint32_t)value), out);
  }
  pthread_mutex_unlock(&net->lock);
}

/* Puts slots behind each other, each inside a word. */
static void lay_out(struct cpn_net *net) {
  uint32_t bit = 0;
  for (uint32_t i = 0; i < net->slot_count; i++) {
    struct clew_slot *slot = &net->slots[i];
    bit += bit % 64 + slot->width > 64 ? 64 - bit % 64 : 0;
    slot->bit = bit;
    net->fields[i] = (struct cpn_bits){bit / 64, bit % 64, clew_bits_mask(slot->width)};
    bit += slot->width;
  }
  net->model.words = bit == 0 ? 1 : (bit + 63) / 64;
  net->model.bytes = bit == 0 ? 1 : (bit + 7) / 8;
  net->model.state_bits = bit;
}

void cpn_add_slots(struct cpn_net *net) {
  net->slots = clew_alloc_zero((size_t)net->places.len + 1, sizeof *net->slots);
  net->fields = clew_alloc_zero((size_t)net->places.len + 1, sizeof *net->fields);
  net->domains = clew_alloc_zero((size_t)net->places.len + 1, sizeof *net->domains);
  for (uint32_t i = 0; i < net->places.len; i++) {
    struct cpn_place *place = &net->places.data[i];
    place->slot = CLEW_NONE;
    if (place->is_constant) {
      continue;
    }
    uint32_t slot = net->slot_count++;
    place->slot = slot;
    place->slot_end = slot + 1;
    net->domains[slot] =
        (struct cpn_domain){.base = {.name = place->colour->name->base.text,
                                     .hi = UINT32_MAX, /* however many bits are enough */
                                     .print = print_bag},
                            .net = net,
                            .place = i};
    net->slots[slot] = (struct clew_slot){.name = place->name,
                                          .domain = &net->domains[slot].base,
                                          .width = WIDE,
                                          .presence = CLEW_NONE};
  }
  lay_out(net);
}

void cpn_pack_initial(struct cpn_net *net) {
  clew_free(net->initial);
  net->initial = clew_alloc_zero(net->model.words, sizeof *net->initial);
  for (uint32_t i = 0; i < net->places.len; i++) {
    const struct cpn_place *place = &net->places.data[i];
    if (place->slot != CLEW_NONE) {
      bool fits = net->unfolded != NULL ? cpn_counts_set(net, i, place->start, net->initial)
                                        : cpn_set(net, net->initial, place->slot, place->start);
      assert(fits);
      (void)fits;
    }
  }
}

/* Bits of a slot by the multisets that were met. Those of a net that was seen as a whole suffice;
 * else each attempt leaves more room than the one before, also where nothing was short yet. */
static uint32_t width_for(const struct cpn_net *net, const struct cpn_domain *domain) {
  uint32_t met = net->bags[domain->place].list.len;
  uint32_t spare = net->is_small && net->fits == 0 ? 0 : 2 + net->fits;
  uint32_t width = clew_bits_for(met > 1 ? met - 1 : 1) + spare;
  return width < WIDE && net->fits < MOST_FITS ? width : WIDE;
}

void cpn_fit(struct clew_model *model, const uint32_t *widths) {
  struct cpn_net *net = cpn_of(model);
  for (uint32_t i = 0; i < net->slot_count; i++) {
    uint32_t width = widths != NULL ? widths[i] : width_for(net, &net->domains[i]);
    /* Never narrower than before: what was short stays wider. */
    bool is_first = net->fits == 0;
    assert(width <= WIDE);
    net->slots[i].width = is_first || width > net->slots[i].width ? width : net->slots[i].width;
  }
  net->fits += widths == NULL;
  lay_out(net);
  cpn_pack_initial(net);
  net->model.discrete_words = net->model.words;
  net->reference.words = net->reference.discrete_words = net->model.words;
  net->reference.bytes = net->model.bytes;
  net->reference.state_bits = net->model.state_bits;
}
