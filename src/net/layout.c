/* Where in a state the marking of each place is.
 *
 * A unit is one slot: 0 says that none of its places is marked, k that the k-th is. Any other place
 * that can change is a slot of its own, as wide as its bound needs; a place without a bound has 32
 * bits, and a transition that would put more into it ends the search with what is known so far.
 * Units come first, then places, as declared; a slot never straddles a word. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "net/net_int.h"

static uint32_t add_site(struct clew_net_impl *impl, enum clew_site_kind kind, char *message) {
  impl->sites[impl->site_count] = (struct clew_site){.kind = kind, .message = message};
  return impl->site_count++;
}

/* Puts a slot behind those before it. */
static void place_slot(struct clew_net_impl *impl, uint32_t slot, uint32_t *bit) {
  uint32_t width = clew_bits_for(impl->fields[slot].most);
  if (*bit % 64 + width > 64) {
    *bit += 64 - *bit % 64;
  }
  impl->slots[slot].bit = *bit;
  impl->slots[slot].width = width;
  impl->fields[slot].word = *bit / 64;
  impl->fields[slot].shift = *bit % 64;
  impl->fields[slot].mask = clew_bits_mask(width);
  *bit += width;
}

/* "-", then the names of its places. */
static const char *const *member_names(struct clew_net_impl *impl,
                                       const struct clew_net_unit *unit) {
  const char **names = CLEW_NEW_ARRAY(impl->net->arena, const char *, unit->count + 1);
  names[0] = "-";
  for (uint32_t i = 0; i < unit->count; i++) {
    names[i + 1] = impl->net->places[impl->bounds.members.data[unit->first + i]].name;
  }
  return names;
}

static void lay_out_unit(struct clew_net_impl *impl, uint32_t slot,
                         const struct clew_net_unit *unit) {
  const struct clew_net *net = impl->net;
  const char *name = unit->claim != CLEW_NONE ? net->claims[unit->claim].name : NULL;
  struct clew_net_field *field = &impl->fields[slot];
  impl->domains[slot] =
      (struct clew_domain){.lo = 0, .hi = unit->count, .names = member_names(impl, unit)};
  *field = (struct clew_net_field){.most = unit->count,
                                   .is_checked = !unit->is_proved,
                                   .is_unit = true,
                                   .site = CLEW_NONE,
                                   .place = impl->bounds.members.data[unit->first]};
  if (!unit->is_proved) {
    field->site = add_site(
        impl, CLEW_SITE_CAPACITY,
        clew_arena_printf(net->arena,
                          "the file says that unit %s has at most one token; this is a second one",
                          name != NULL ? name : "?"));
  }
  for (uint32_t i = 0; i < unit->count; i++) {
    impl->codes[impl->bounds.members.data[unit->first + i]] =
        (struct clew_net_code){CLEW_NET_MEMBER, slot, i + 1};
  }
  impl->slots[slot].name = name != NULL ? clew_arena_printf(net->arena, "unit %s", name)
                                        : clew_arena_printf(net->arena, "unit %u", slot + 1);
}

/* The greatest count of a place without a bound: far more than it has at the start. */
static uint64_t room_for(uint64_t tokens) {
  uint32_t bits = clew_bits_for(tokens) + 16;
  bits = bits < CLEW_NET_UNBOUNDED_BITS ? CLEW_NET_UNBOUNDED_BITS : bits;
  return clew_bits_mask(bits < 62 ? bits : 62);
}

static void lay_out_count(struct clew_net_impl *impl, uint32_t slot, uint32_t place) {
  const struct clew_net *net = impl->net;
  uint64_t most = impl->bounds.most[place];
  bool is_known = most <= INT64_MAX;
  struct clew_net_field *field = &impl->fields[slot];
  most = is_known ? most : room_for(net->places[place].tokens);
  *field = (struct clew_net_field){
      .most = most, .is_checked = !is_known, .site = CLEW_NONE, .place = place};
  if (!is_known) {
    field->site = add_site(impl, CLEW_SITE_RECURSION,
                           clew_arena_printf(net->arena, "place %s gets more than %llu tokens",
                                             net->places[place].name, (unsigned long long)most));
  }
  impl->domains[slot] = (struct clew_domain){.lo = 0, .hi = (int64_t)most};
  impl->codes[place] = (struct clew_net_code){CLEW_NET_COUNTED, slot, 0};
  impl->slots[slot].name = net->places[place].name;
}

static void note_fixed(struct clew_net_impl *impl, uint64_t tokens) {
  impl->fixed_tokens += tokens;
  impl->fixed_most = tokens > impl->fixed_most ? tokens : impl->fixed_most;
}

void clew_net_lay_out(struct clew_net_impl *impl) {
  const struct clew_net *net = impl->net;
  size_t most = (size_t)net->place_count + impl->bounds.units.len + 1;
  impl->codes = clew_alloc_zero((size_t)net->place_count + 1, sizeof *impl->codes);
  impl->slots = clew_alloc_zero(most, sizeof *impl->slots);
  impl->fields = clew_alloc_zero(most, sizeof *impl->fields);
  impl->domains = clew_alloc_zero(most, sizeof *impl->domains);
  impl->sites = clew_alloc_zero(most, sizeof *impl->sites);
  for (uint32_t p = 0; p < net->place_count; p++) {
    bool is_fixed = impl->bounds.constant[p] || impl->bounds.most[p] == 0;
    impl->codes[p] = (struct clew_net_code){is_fixed ? CLEW_NET_CONSTANT : CLEW_NET_COUNTED,
                                            CLEW_NONE, net->places[p].tokens};
  }
  for (uint32_t u = 0; u < impl->bounds.units.len; u++) {
    lay_out_unit(impl, impl->slot_count++, &impl->bounds.units.data[u]);
  }
  for (uint32_t p = 0; p < net->place_count; p++) {
    if (impl->codes[p].kind == CLEW_NET_COUNTED) {
      lay_out_count(impl, impl->slot_count++, p);
    } else if (impl->codes[p].kind == CLEW_NET_CONSTANT) {
      note_fixed(impl, net->places[p].tokens);
    }
  }
  uint32_t bit = 0;
  for (uint32_t i = 0; i < impl->slot_count; i++) {
    impl->slots[i].domain = &impl->domains[i];
    impl->slots[i].presence = CLEW_NONE;
    place_slot(impl, i, &bit);
  }
  impl->words = bit == 0 ? 1 : (bit + 63) / 64;
  impl->model.state_bits = bit;
  impl->model.bytes = bit == 0 ? 1 : (bit + 7) / 8;
}

/* ---- markings ---- */

bool clew_net_pack(const struct clew_net_impl *impl, const uint64_t *tokens, uint64_t *state,
                   uint32_t *site) {
  memset(state, 0, impl->words * sizeof *state);
  for (uint32_t p = 0; p < impl->net->place_count; p++) {
    const struct clew_net_code *code = &impl->codes[p];
    if (code->kind == CLEW_NET_CONSTANT) {
      assert(tokens[p] == code->value);
      continue;
    }
    const struct clew_net_field *field = &impl->fields[code->slot];
    uint64_t value = code->kind == CLEW_NET_MEMBER ? code->value * (tokens[p] > 0) : tokens[p];
    bool fits = code->kind == CLEW_NET_MEMBER
                    ? tokens[p] == 0 || (tokens[p] == 1 && clew_net_field_get(field, state) == 0)
                    : tokens[p] <= field->most;
    if (!fits) {
      assert(field->is_checked);
      *site = field->site;
      return false;
    }
    state[field->word] |= value << field->shift;
  }
  return true;
}

void clew_net_unpack(const struct clew_net_impl *impl, const uint64_t *state, uint64_t *tokens) {
  for (uint32_t p = 0; p < impl->net->place_count; p++) {
    tokens[p] = clew_net_tokens(impl, p, state);
  }
}
