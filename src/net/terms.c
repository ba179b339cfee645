/* Questions about markings. */
#include <assert.h>

#include "base/bits.h"
#include "net/net_int.h"

/* Fields say it faster than places: a unit has a token or none. */
static int64_t count_all(const struct clew_net_impl *impl, const uint64_t *state, bool wants_most) {
  uint64_t all = impl->fixed_tokens, most = impl->fixed_most;
  for (uint32_t i = 0; i < impl->slot_count; i++) {
    uint64_t held = clew_net_field_get(&impl->fields[i], state);
    held = impl->fields[i].is_unit ? held != 0 : held;
    all += held;
    most = held > most ? held : most;
  }
  return (int64_t)(wants_most ? most : all);
}

int64_t clew_net_value(const struct clew_net_impl *impl, const struct clew_net_term *term,
                       const uint64_t *state) {
  int64_t sum = 0;
  switch (term->op) {
  case CLEW_NET_NUMBER:
    return term->number;
  case CLEW_NET_TOKENS:
    for (uint32_t i = 0; i < term->list_count; i++) {
      sum += (int64_t)clew_net_tokens(impl, term->list[i], state);
    }
    return sum;
  case CLEW_NET_ALL:
  case CLEW_NET_MOST:
    return count_all(impl, state, term->op == CLEW_NET_MOST);
  case CLEW_NET_PLUS:
    for (uint32_t i = 0; i < term->arg_count; i++) {
      sum += clew_net_value(impl, term->args[i], state);
    }
    return sum;
  default:
    return clew_net_truth(impl, term, state);
  }
}

static bool some_fireable(const struct clew_net_impl *impl, const struct clew_net_term *term,
                          const uint64_t *state) {
  for (uint32_t i = 0; i < term->list_count; i++) {
    if (clew_net_is_enabled(impl, term->list[i], state)) {
      return true;
    }
  }
  return false;
}

bool clew_net_truth(const struct clew_net_impl *impl, const struct clew_net_term *term,
                    const uint64_t *state) {
  switch (term->op) {
  case CLEW_NET_FIREABLE:
    return some_fireable(impl, term, state);
  case CLEW_NET_AT_MOST:
    return clew_net_value(impl, term->args[0], state) <= clew_net_value(impl, term->args[1], state);
  case CLEW_NET_EQUAL:
    return clew_net_value(impl, term->args[0], state) == clew_net_value(impl, term->args[1], state);
  case CLEW_NET_NOT:
    return !clew_net_truth(impl, term->args[0], state);
  case CLEW_NET_AND:
  case CLEW_NET_OR:
    for (uint32_t i = 0; i < term->arg_count; i++) {
      if (clew_net_truth(impl, term->args[i], state) == (term->op == CLEW_NET_OR)) {
        return term->op == CLEW_NET_OR;
      }
    }
    return term->op == CLEW_NET_AND;
  default:
    return clew_net_value(impl, term, state) != 0;
  }
}

static void add_slot(const struct clew_net_impl *impl, uint32_t place, uint64_t *set) {
  if (impl->codes[place].kind != CLEW_NET_CONSTANT) {
    clew_bitset_add(set, impl->codes[place].slot);
  }
}

void clew_net_touched(const struct clew_net_impl *impl, uint32_t transition, uint64_t *read,
                      uint64_t *written) {
  for (struct clew_net_touches at = clew_net_touches(impl->net, transition); clew_net_touch(&at);) {
    if (read != NULL) {
      add_slot(impl, at.place, read); /* what is added to is read, too */
    }
    if (written != NULL && at.taken != at.given) {
      add_slot(impl, at.place, written);
    }
  }
}

void clew_net_term_reads(const struct clew_net_impl *impl, const struct clew_net_term *term,
                         uint64_t *read) {
  bool is_about_all = term->op == CLEW_NET_ALL || term->op == CLEW_NET_MOST;
  for (uint32_t i = 0; is_about_all && i < impl->slot_count; i++) {
    clew_bitset_add(read, i);
  }
  for (uint32_t i = 0; i < term->list_count; i++) {
    if (term->op == CLEW_NET_FIREABLE) {
      clew_net_touched(impl, term->list[i], read, NULL);
    } else {
      add_slot(impl, term->list[i], read);
    }
  }
  for (uint32_t i = 0; i < term->arg_count; i++) {
    clew_net_term_reads(impl, term->args[i], read);
  }
}
