/* Markings for other processes (model/dialect.h).
 *
 * The number of a multiset means something in this process only. Its tokens mean the same
 * everywhere: they are written down as their colour set says, and read and interned by the other
 * process. Multisets are few compared to markings, so most messages have hardly anything to tell.
 *
 *   multiset:  bytes that follow | slot | number | different tokens | (how often | token) ...
 *   token:     UNIT -; INT, INDEX number; STRING length, characters; BOOL, ENUM ordinal;
 *              UNION ordinal, argument; PRODUCT, RECORD parts; LIST length, members
 *
 * All numbers are written in as many bytes as they need, seven bits in each. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "lang/cpn/cpn_int.h"

/* ---- rows ---- */

size_t cpn_row_set(struct cpn_row *row, uint32_t number, uint32_t value) {
  uint32_t at, part = cpn_row_part(number, &at);
  size_t bytes = 0;
  _Atomic(uint32_t) *values = atomic_load_explicit(&row->parts[part], memory_order_relaxed);
  if (values == NULL) {
    values = clew_alloc_zero((size_t)64 << part, sizeof *values);
    bytes = ((size_t)64 << part) * sizeof *values;
    atomic_store_explicit(&row->parts[part], values, memory_order_release);
  }
  atomic_store_explicit(&values[at], value, memory_order_relaxed);
  return bytes;
}

void cpn_row_free(struct cpn_row *row) {
  for (uint32_t i = 0; i < sizeof row->parts / sizeof row->parts[0]; i++) {
    clew_free((void *)atomic_load_explicit(&row->parts[i], memory_order_relaxed));
    atomic_store_explicit(&row->parts[i], NULL, memory_order_relaxed);
  }
}

/* ---- writing ---- */

/* Where bytes go; those beyond the end are only counted. */
struct writer {
  unsigned char *data;
  size_t room, bytes;
};

static void put_byte(struct writer *out, unsigned byte) {
  if (out->bytes < out->room) {
    out->data[out->bytes] = (unsigned char)byte;
  }
  out->bytes++;
}

static void put_number(struct writer *out, uint64_t number) {
  for (; number >= 128; number >>= 7) {
    put_byte(out, (unsigned)(number & 127) | 128);
  }
  put_byte(out, (unsigned)number);
}

/* Small ones are short, whatever their sign. */
static void put_signed(struct writer *out, int64_t number) {
  put_number(out, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

static void put_list(struct writer *out, const struct cpn_colour *members,
                     const struct cpn_value *list);

static void put_value(struct writer *out, const struct cpn_colour *colour,
                      const struct cpn_value *value) {
  switch (colour->kind) {
  case CPN_C_UNIT:
    break;
  case CPN_C_INT:
    put_signed(out, value->number);
    break;
  case CPN_C_INDEX:
    put_signed(out, value->arg->number);
    break;
  case CPN_C_STRING:
    put_number(out, value->count);
    for (uint32_t i = 0; i < value->count; i++) {
      put_byte(out, (unsigned char)value->string[i]);
    }
    break;
  case CPN_C_BOOL:
  case CPN_C_ENUM:
    put_number(out, value->con->ordinal);
    break;
  case CPN_C_UNION:
    put_number(out, value->con->ordinal);
    if (value->arg != NULL) {
      put_value(out, colour->parts[value->con->ordinal], value->arg);
    }
    break;
  case CPN_C_PRODUCT:
  case CPN_C_RECORD:
    assert(value->count == colour->count);
    for (uint32_t i = 0; i < colour->count; i++) {
      put_value(out, colour->parts[i], value->parts[i]);
    }
    break;
  case CPN_C_LIST:
    put_list(out, colour->parts[0], value);
    break;
  case CPN_C_SUBSET:
    put_value(out, colour->parts[0], value);
    break;
  }
}

static void put_list(struct writer *out, const struct cpn_colour *members,
                     const struct cpn_value *list) {
  uint64_t length = 0;
  for (const struct cpn_value *at = list; at->kind == CPN_V_CONS; at = at->tail) {
    length++;
  }
  put_number(out, length);
  for (const struct cpn_value *at = list; at->kind == CPN_V_CONS; at = at->tail) {
    put_value(out, members, at->head);
  }
}

static void put_bag(const struct cpn_net *net, struct writer *out, uint32_t slot, uint32_t number) {
  uint32_t place = net->domains[slot].place;
  const struct cpn_bag *bag = cpn_bag(net, place, number);
  put_number(out, slot);
  put_number(out, number);
  put_number(out, bag->count);
  for (uint32_t i = 0; i < bag->count; i++) {
    put_number(out, bag->tokens[i].count);
    put_value(out, net->places.data[place].colour, bag->tokens[i].token);
  }
}

/* With its length before it, which is counted first. */
static void put_measured_bag(const struct cpn_net *net, struct writer *out, uint32_t slot,
                             uint32_t number) {
  struct writer measure = {0};
  put_bag(net, &measure, slot, number);
  put_number(out, measure.bytes);
  put_bag(net, out, slot, number);
}

/* ---- reading ---- */

struct reader {
  const unsigned char *at, *end;
  bool is_damaged;
};

static uint64_t get_number(struct reader *in) {
  uint64_t number = 0;
  for (uint32_t shift = 0; shift < 64; shift += 7) {
    if (in->at == in->end) {
      break;
    }
    unsigned byte = *in->at++;
    number |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) {
      return number;
    }
  }
  in->is_damaged = true;
  return 0;
}

static int64_t get_signed(struct reader *in) {
  uint64_t number = get_number(in);
  return (int64_t)(number >> 1 ^ (0 - (number & 1)));
}

/* A number of things, each of which takes a byte at least. */
static uint32_t get_count(struct reader *in) {
  uint64_t count = get_number(in);
  if (count > (uint64_t)(in->end - in->at)) {
    in->is_damaged = true;
    return 0;
  }
  return (uint32_t)count;
}

/* One of `count`. */
static uint32_t get_choice(struct reader *in, uint32_t count) {
  uint64_t choice = get_number(in);
  if (choice >= count) {
    in->is_damaged = true;
    return 0;
  }
  return (uint32_t)choice;
}

static const struct cpn_value *get_value(struct cpn_net *net, struct reader *in,
                                         const struct cpn_colour *colour);

static const struct cpn_value *get_string(struct cpn_net *net, struct reader *in) {
  uint32_t length = get_count(in);
  const struct cpn_value *value = cpn_value_string(net->scratch, (const char *)in->at, length);
  in->at += length;
  return value;
}

static const struct cpn_value *get_parts(struct cpn_net *net, struct reader *in,
                                         const struct cpn_colour *colour) {
  struct cpn_value *value = cpn_value_tuple(net->scratch, colour->count);
  for (uint32_t i = 0; i < colour->count; i++) {
    value->parts[i] = get_value(net, in, colour->parts[i]);
  }
  if (colour->kind == CPN_C_RECORD) {
    value->kind = CPN_V_RECORD;
    value->labels = colour->labels;
  }
  return value;
}

/* Members of the colour `unit` take no byte, so the length is not bounded by what follows. */
static const struct cpn_value *get_list(struct cpn_net *net, struct reader *in,
                                        const struct cpn_colour *members) {
  CLEW_VEC(const struct cpn_value *) parts = {0};
  const struct cpn_value *list = net->ml.nil_value;
  for (uint64_t length = get_number(in); length > 0 && !in->is_damaged; length--) {
    clew_vec_push(&parts, get_value(net, in, members));
  }
  for (uint32_t i = parts.len; i-- > 0;) {
    list = cpn_value_cons(net->scratch, parts.data[i], list);
  }
  clew_vec_free(&parts);
  return list;
}

static const struct cpn_value *get_constructed(struct cpn_net *net, struct reader *in,
                                               const struct cpn_colour *colour) {
  uint32_t ordinal = get_choice(in, colour->count);
  const struct cpn_colour *part = colour->kind == CPN_C_UNION ? colour->parts[ordinal] : NULL;
  const struct cpn_value *arg = part != NULL ? get_value(net, in, part) : NULL;
  return cpn_value_con(net->scratch, colour->cons[ordinal], arg);
}

static const struct cpn_value *get_value(struct cpn_net *net, struct reader *in,
                                         const struct cpn_colour *colour) {
  switch (colour->kind) {
  case CPN_C_UNIT:
    return net->ml.unit_value;
  case CPN_C_INT:
    return cpn_value_int(net->scratch, get_signed(in));
  case CPN_C_INDEX:
    return cpn_value_con(net->scratch, colour->cons[0],
                         cpn_value_int(net->scratch, get_signed(in)));
  case CPN_C_STRING:
    return get_string(net, in);
  case CPN_C_BOOL:
    return get_choice(in, 2) == net->ml.true_->ordinal ? net->ml.true_value : net->ml.false_value;
  case CPN_C_ENUM:
  case CPN_C_UNION:
    return get_constructed(net, in, colour);
  case CPN_C_PRODUCT:
  case CPN_C_RECORD:
    return get_parts(net, in, colour);
  case CPN_C_LIST:
    return get_list(net, in, colour->parts[0]);
  case CPN_C_SUBSET:
    break;
  }
  return get_value(net, in, colour->parts[0]);
}

/* Of this place; its number here. */
static uint32_t get_bag(struct cpn_net *net, struct reader *in, uint32_t place) {
  uint32_t count = get_count(in), number = 0;
  struct cpn_tokens_of *tokens = clew_alloc(((size_t)count + 1) * sizeof *tokens);
  for (uint32_t i = 0; i < count && !in->is_damaged; i++) {
    tokens[i].count = get_number(in);
    const struct cpn_value *token = get_value(net, in, net->places.data[place].colour);
    tokens[i].token = cpn_intern(&net->pool, token);
  }
  if (!in->is_damaged) {
    number = cpn_bag_intern(net, place, tokens, count);
  }
  clew_free(tokens);
  return number;
}

/* ---- peers ---- */

void cpn_forget_peers(struct cpn_net *net) {
  for (uint32_t i = 0; i < net->peer_count; i++) {
    for (uint32_t k = 0; k < net->slot_count; k++) {
      cpn_row_free(&net->peers[i].heard[k]);
      cpn_row_free(&net->peers[i].told[k]);
    }
    clew_free(net->peers[i].heard);
    clew_free(net->peers[i].told);
  }
  clew_free(net->peers);
  net->peers = NULL;
  net->peer_count = 0;
}

/* Numbers never change their meaning, so what was heard stays. What was told may have been lost. */
static void wire_begin(const struct clew_model *model, uint32_t ranks) {
  struct cpn_net *net = cpn_of(model);
  if (net->peer_count != ranks) {
    cpn_forget_peers(net);
    net->peers = clew_alloc_zero(ranks, sizeof *net->peers);
    net->peer_count = ranks;
    for (uint32_t i = 0; i < ranks; i++) {
      net->peers[i].heard = clew_alloc_zero((size_t)net->slot_count + 1, sizeof(struct cpn_row));
      net->peers[i].told = clew_alloc_zero((size_t)net->slot_count + 1, sizeof(struct cpn_row));
    }
  }
  for (uint32_t i = 0; i < ranks; i++) {
    for (uint32_t k = 0; k < net->slot_count; k++) {
      cpn_row_free(&net->peers[i].told[k]);
    }
    net->peers[i].message = net->peers[i].settled = 0;
  }
}

static void wire_settle(const struct clew_model *model) {
  struct cpn_net *net = cpn_of(model);
  for (uint32_t i = 0; i < net->peer_count; i++) {
    net->peers[i].settled = net->peers[i].message;
  }
}

static void wire_address(const struct clew_model *model, uint32_t to) {
  cpn_of(model)->peers[to].message++;
}

static bool is_known(const struct cpn_peer *peer, uint32_t slot, uint32_t number) {
  uint32_t told = cpn_row_get(&peer->told[slot], number);
  return told != 0 && (told <= peer->settled || told == peer->message);
}

/* Tells of the slots that the receiver may not know, from `slot` on. */
static bool tell_rest(struct cpn_net *net, struct cpn_peer *peer, const uint64_t *state,
                      uint32_t slot, struct writer *out) {
  uint32_t first = slot;
  pthread_mutex_lock(&net->lock);
  for (; slot < net->slot_count && out->bytes <= out->room; slot++) {
    uint32_t number = cpn_get(net, state, slot);
    if (!is_known(peer, slot, number)) {
      put_measured_bag(net, out, slot, number);
      net->row_bytes += cpn_row_set(&peer->told[slot], number, peer->message);
    }
  }
  bool fits = out->bytes <= out->room;
  for (uint32_t i = first; i < slot && !fits; i++) { /* some of it is not told after all */
    uint32_t number = cpn_get(net, state, i);
    if (cpn_row_get(&peer->told[i], number) == peer->message) {
      (void)cpn_row_set(&peer->told[i], number, 0);
    }
  }
  pthread_mutex_unlock(&net->lock);
  return fits;
}

static bool wire_tell(const struct clew_model *model, uint32_t to, const uint64_t *state,
                      unsigned char *data, size_t room, size_t *bytes) {
  struct cpn_net *net = cpn_of(model);
  struct cpn_peer *peer = &net->peers[to];
  struct writer out = {.data = data, .room = room};
  uint32_t slot = 0;
  while (slot < net->slot_count && is_known(peer, slot, cpn_get(net, state, slot))) {
    slot++;
  }
  bool fits = slot == net->slot_count || tell_rest(net, peer, state, slot, &out);
  *bytes = out.bytes;
  return fits;
}

/* One multiset. */
static bool learn_one(struct cpn_net *net, struct cpn_peer *peer, struct reader *in) {
  uint64_t slot = get_number(in), number = get_number(in);
  if (in->is_damaged || slot >= net->slot_count || number >= UINT32_MAX) {
    return false;
  }
  if (cpn_row_get(&peer->heard[slot], (uint32_t)number) != 0) {
    return true;
  }
  uint32_t own = get_bag(net, in, net->domains[slot].place);
  if (in->is_damaged || in->at != in->end) {
    return false;
  }
  net->row_bytes += cpn_row_set(&peer->heard[slot], (uint32_t)number, own + 1);
  return true;
}

/* The last site of this kind: there is one for all transitions. */
static uint32_t site_of(const struct clew_model *model, enum clew_site_kind kind) {
  uint32_t site = model->site_count - 1;
  while (model->sites[site].kind != kind) {
    site--;
  }
  return site;
}

static bool wire_learn(const struct clew_model *model, uint32_t from, const unsigned char *data,
                       size_t bytes, uint32_t *site) {
  struct cpn_net *net = cpn_of(model);
  struct reader in = {.at = data, .end = data + bytes};
  bool is_good = from < net->peer_count;
  pthread_mutex_lock(&net->lock);
  while (is_good && in.at < in.end) {
    uint32_t length = get_count(&in);
    struct reader one = {.at = in.at, .end = in.at + length};
    is_good = !in.is_damaged && learn_one(net, &net->peers[from], &one);
    in.at += length;
  }
  bool has_room = cpn_account(net);
  cpn_scratch_tidy(net);
  pthread_mutex_unlock(&net->lock);
  *site = has_room || !is_good ? CLEW_NONE : site_of(model, CLEW_SITE_MEMORY);
  return has_room && is_good;
}

static bool wire_adopt(const struct clew_model *model, uint32_t from, uint64_t *state,
                       uint32_t *site) {
  struct cpn_net *net = cpn_of(model);
  const struct cpn_peer *peer = &net->peers[from];
  *site = CLEW_NONE;
  for (uint32_t i = 0; i < net->slot_count; i++) {
    uint32_t own = cpn_row_get(&peer->heard[i], cpn_get(net, state, i));
    if (own == 0) {
      return false;
    }
    if (!cpn_set(net, state, i, own - 1)) {
      *site = site_of(model, CLEW_SITE_LAYOUT);
      return false;
    }
  }
  return true;
}

static uint64_t wire_essence(const struct clew_model *model, const uint64_t *state) {
  const struct cpn_net *net = cpn_of(model);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < net->slot_count; i++) {
    uint32_t hash = cpn_row_get(&net->bags[net->domains[i].place].hashes, cpn_get(net, state, i));
    sum = (sum ^ hash) * UINT64_C(0x9e3779b97f4a7c15);
    sum ^= sum >> 32;
  }
  return sum;
}

const struct clew_dialect cpn_dialect = {
    .essence = wire_essence,
    .begin = wire_begin,
    .settle = wire_settle,
    .address = wire_address,
    .tell = wire_tell,
    .learn = wire_learn,
    .adopt = wire_adopt,
};
