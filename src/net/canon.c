/* One marking for all that differ in the names of symmetric colours.
 *
 * Members of classes get *hues*, which do not depend on names: at first that of the class, then
 * again and again a sum over the tokens whose colour they are part of, of the place, the count and
 * the hues of the other parts. That is repeated while it tells more members apart. Members in the
 * order of their hues get the names of the class in order.
 *
 * Where several have the same hue, either they are twins (to exchange two of them leaves the
 * marking as it is), and their order does not matter; or each of them is tried as the first, and
 * the least marking that results is taken. One of two twins is enough to try. So the result is the
 * same for all markings of an orbit, whatever hashes do: these only decide what has to be tried.
 *
 * Without trying (fast) members of one hue stay in the order that they have. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "net/symmetry_int.h"

struct canon {
  const struct clew_net_symmetry *sym;
  uint32_t places, members;
  uint64_t *tokens, *trial, *best; /* by place */
  bool has_best;
  uint32_t *marked; /* those of the moved places that have tokens */
  uint32_t marked_count;
  uint64_t *sums;     /* by member: room */
  uint32_t *order;    /* members of each class by hue */
  uint32_t *names;    /* by member: which one it becomes */
  uint32_t *exchange; /* the same, of two that are compared; itself for others */
};

/* ---- hues ---- */

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t words[2] = {a, b};
  return clew_hash_words(words, 2, 0);
}

/* What a marked place says to those of its parts that are members. */
static void add_place(const struct canon *c, const uint64_t *hues, uint32_t place) {
  const struct clew_net *net = c->sym->net;
  const struct clew_net_part *parts = net->parts + net->first_part[place];
  uint32_t count = net->first_part[place + 1] - net->first_part[place];
  uint32_t members[CLEW_NET_MOST_PARTS];
  uint64_t all = mix(net->origins[place], c->tokens[place]);
  for (uint32_t i = 0; i < count; i++) {
    members[i] = clew_net_member(c->sym, &parts[i]);
    all = mix(all, members[i] != CLEW_NONE ? hues[members[i]] : parts[i].element);
  }
  for (uint32_t i = 0; i < count; i++) {
    uint64_t same = 0; /* positions that have the same member */
    for (uint32_t k = 0; k < count; k++) {
      same |= (uint64_t)(members[k] == members[i]) << k;
    }
    if (members[i] != CLEW_NONE) {
      c->sums[members[i]] += mix(all, same << 16 | i);
    }
  }
}

/* Orders the members of each class by hue, equal ones by number. How many hues there are. */
static uint32_t sort_members(struct canon *c, const uint64_t *hues) {
  uint32_t first = 0, different = 0;
  for (uint32_t k = 0; k < c->sym->ends.len; first = c->sym->ends.data[k++]) {
    for (uint32_t i = first; i < c->sym->ends.data[k]; i++) {
      uint32_t at = i;
      for (; at > first && hues[c->order[at - 1]] > hues[i]; at--) {
        c->order[at] = c->order[at - 1];
      }
      c->order[at] = i;
    }
    for (uint32_t i = first; i < c->sym->ends.data[k]; i++) {
      different += i == first || hues[c->order[i]] != hues[c->order[i - 1]];
    }
  }
  return different;
}

static void refine(struct canon *c, uint64_t *hues) {
  uint32_t before = sort_members(c, hues);
  for (;;) {
    memset(c->sums, 0, c->members * sizeof *c->sums);
    for (uint32_t i = 0; i < c->marked_count; i++) {
      add_place(c, hues, c->marked[i]);
    }
    for (uint32_t i = 0; i < c->members; i++) {
      hues[i] = mix(hues[i], c->sums[i]);
    }
    uint32_t now = sort_members(c, hues);
    if (now <= before || now == c->members) {
      return;
    }
    before = now;
  }
}

/* ---- exchanging ---- */

/* The place that this one becomes when members have other names. */
static uint32_t renamed(const struct canon *c, uint32_t place, const uint32_t *names) {
  const struct clew_net *net = c->sym->net;
  uint32_t elements[CLEW_NET_MOST_PARTS], first = net->first_part[place];
  uint32_t count = net->first_part[place + 1] - first;
  for (uint32_t i = 0; i < count; i++) {
    const struct clew_net_part *part = &net->parts[first + i];
    uint32_t member = clew_net_member(c->sym, part);
    elements[i] = member == CLEW_NONE ? part->element : c->sym->members.data[names[member]].element;
  }
  uint32_t to = clew_net_find_colour(c->sym, net->origins[place], elements, count);
  assert(to != CLEW_NONE);
  return to;
}

/* Whether the places of a member have as many tokens as those that they become. */
static bool keeps_places(const struct canon *c, uint32_t member) {
  const struct clew_net_symmetry *sym = c->sym;
  for (uint32_t i = sym->touched_first[member]; i < sym->touched_first[member + 1]; i++) {
    uint32_t place = sym->touched.data[i];
    if (c->tokens[place] > 0 && c->tokens[renamed(c, place, c->exchange)] != c->tokens[place]) {
      return false;
    }
  }
  return true;
}

/* Whether to exchange the two leaves the marking as it is. */
static bool are_twins(struct canon *c, uint32_t a, uint32_t b) {
  c->exchange[a] = b;
  c->exchange[b] = a;
  bool same = keeps_places(c, a) && keeps_places(c, b);
  c->exchange[a] = a;
  c->exchange[b] = b;
  return same;
}

/* Names in the order of members; the result goes to `trial`. */
static void rename_all(struct canon *c) {
  uint32_t first = 0;
  for (uint32_t k = 0; k < c->sym->ends.len; first = c->sym->ends.data[k++]) {
    for (uint32_t i = first; i < c->sym->ends.data[k]; i++) {
      c->names[c->order[i]] = i;
    }
  }
  memcpy(c->trial, c->tokens, c->places * sizeof *c->trial);
  for (uint32_t i = 0; i < c->marked_count; i++) {
    c->trial[c->marked[i]] = 0;
  }
  for (uint32_t i = 0; i < c->marked_count; i++) {
    c->trial[renamed(c, c->marked[i], c->names)] = c->tokens[c->marked[i]];
  }
}

/* ---- trying ---- */

/* The first members of one hue that are not all twins: order[*first] .. before *end. */
static bool find_tie(struct canon *c, const uint64_t *hues, uint32_t *first, uint32_t *end) {
  uint32_t class = 0;
  for (*first = 0; *first < c->members; *first = *end) {
    class += c->sym->ends.data[class] <= *first;
    uint64_t hue = hues[c->order[*first]];
    bool twins = true;
    *end = *first + 1;
    while (*end < c->sym->ends.data[class] && hues[c->order[*end]] == hue) {
      twins = twins && are_twins(c, c->order[*first], c->order[*end]);
      ++*end;
    }
    if (!twins) {
      return true;
    }
  }
  return false;
}

static void search(struct canon *c, uint64_t *hues) {
  uint32_t first, end;
  refine(c, hues);
  if (!find_tie(c, hues, &first, &end)) {
    rename_all(c);
    size_t bytes = c->places * sizeof *c->best;
    if (!c->has_best || memcmp(c->trial, c->best, bytes) < 0) {
      memcpy(c->best, c->trial, bytes);
      c->has_best = true;
    }
    return;
  }
  uint32_t count = end - first;
  uint32_t *tied = clew_alloc(count * sizeof *tied);
  uint64_t *changed = clew_alloc(c->members * sizeof *changed);
  memcpy(tied, c->order + first, count * sizeof *tied);
  for (uint32_t i = 0; i < count; i++) {
    bool is_known = false;
    for (uint32_t k = 0; k < i && !is_known; k++) {
      is_known = are_twins(c, tied[k], tied[i]);
    }
    if (!is_known) {
      memcpy(changed, hues, c->members * sizeof *changed);
      changed[tied[i]] = mix(hues[tied[i]], 1);
      search(c, changed);
    }
  }
  clew_free(changed);
  clew_free(tied);
}

/* ---- markings ---- */

static void open_canon(struct canon *c, const struct clew_net_symmetry *sym) {
  uint32_t places = sym->net->place_count, members = sym->members.len;
  *c = (struct canon){.sym = sym, .places = places, .members = members};
  c->tokens = clew_alloc_zero((size_t)places * 3 + (size_t)members * 2, sizeof *c->tokens);
  c->trial = c->tokens + places;
  c->best = c->trial + places;
  c->sums = c->best + places;
  c->marked = clew_alloc_zero((size_t)sym->moved.len + (size_t)members * 3 + 1, sizeof *c->marked);
  c->order = c->marked + sym->moved.len;
  c->names = c->order + members;
  c->exchange = c->names + members;
  for (uint32_t i = 0; i < members; i++) {
    c->exchange[i] = i;
  }
}

static void close_canon(struct canon *c) {
  clew_free(c->tokens);
  clew_free(c->marked);
}

static void represent(struct canon *c, bool is_exact, uint64_t *state) {
  uint64_t *hues = c->sums + c->members;
  uint32_t class = 0, site;
  clew_net_unpack(c->sym->impl, state, c->tokens);
  c->has_best = false;
  c->marked_count = 0;
  for (uint32_t i = 0; i < c->sym->moved.len; i++) {
    if (c->tokens[c->sym->moved.data[i]] > 0) {
      c->marked[c->marked_count++] = c->sym->moved.data[i];
    }
  }
  for (uint32_t i = 0; i < c->members; i++) {
    class += c->sym->ends.data[class] <= i;
    hues[i] = class;
  }
  if (is_exact) {
    search(c, hues);
  } else {
    refine(c, hues);
    rename_all(c);
  }
  bool fits = clew_net_pack(c->sym->impl, is_exact ? c->best : c->trial, state, &site);
  assert(fits); /* it is reachable as the other one is */
  (void)fits;
}

static void represent_all(const void *context, bool is_exact, uint64_t *states, uint32_t count) {
  const struct clew_net_symmetry *sym = context;
  struct canon c;
  open_canon(&c, sym);
  for (uint32_t i = 0; i < count; i++) {
    represent(&c, is_exact, states + (size_t)i * sym->impl->words);
  }
  close_canon(&c);
}

void clew_net_canonicalise(const void *context, const uint64_t *parent, uint64_t *states,
                           uint32_t count) {
  (void)parent;
  represent_all(context, true, states, count);
}

void clew_net_canonicalise_fast(const void *context, const uint64_t *parent, uint64_t *states,
                                uint32_t count) {
  (void)parent;
  represent_all(context, false, states, count);
}

void clew_net_canonical(const void *context, uint64_t *state) {
  represent_all(context, true, state, 1);
}
