/* Which colours may change places: found by trying.
 *
 * Two colours of a sort belong to one class if to exchange them everywhere, in all places, leads
 * from the net to itself: each transition to one of the same rule, the initial marking to itself,
 * each question to itself. That relation is transitive, so a colour is compared with one member of
 * each class. Nothing is assumed about the file: constants, orders and successors show in the
 * transitions. So all exchanges within classes, one after the other, lead from reachable markings
 * to reachable ones, and canon.c may take any of these for the others.
 *
 * Transitions are compared as multisets of sums over their arcs, 128 bits each. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "net/symmetry_int.h"

static const uint64_t MOST_WORK = UINT64_C(1) << 28; /* arcs and transitions that are looked at */
enum { MOST_SORT = 4096 };

struct finder {
  struct clew_net_symmetry *sym;
  const struct clew_net *net;
  struct clew_hash128 *own, *moved; /* of transitions: sorted, and room for as many */
  uint32_t *map;                    /* by place: where the exchange leads */
  bool *listed;                     /* by place: room for questions */
  uint64_t work;
  const char *reason; /* to give up */
};

/* ---- places by their colours ---- */

static uint64_t hash_place(uint32_t origin, const uint32_t *elements, uint32_t count) {
  return clew_hash_bytes(elements, count * sizeof *elements, origin);
}

static const struct clew_net_part *parts_of(const struct clew_net *net, uint32_t place,
                                            uint32_t *count) {
  *count = net->first_part[place + 1] - net->first_part[place];
  return net->parts + net->first_part[place];
}

static bool has_elements(const struct clew_net *net, uint32_t place, const uint32_t *elements,
                         uint32_t count) {
  uint32_t own;
  const struct clew_net_part *parts = parts_of(net, place, &own);
  for (uint32_t i = 0; i < own && own == count; i++) {
    if (parts[i].element != elements[i]) {
      return false;
    }
  }
  return own == count;
}

uint32_t clew_net_find_colour(const struct clew_net_symmetry *sym, uint32_t origin,
                              const uint32_t *elements, uint32_t count) {
  const struct clew_net *net = sym->net;
  uint32_t mask = sym->table_size - 1;
  for (uint32_t at = (uint32_t)hash_place(origin, elements, count) & mask; sym->table[at] != 0;
       at = (at + 1) & mask) {
    uint32_t place = sym->table[at] - 1;
    if (net->origins[place] == origin && has_elements(net, place, elements, count)) {
      return place;
    }
  }
  return CLEW_NONE;
}

/* False: some colour has more parts than anybody needs. */
static bool make_table(struct clew_net_symmetry *sym) {
  const struct clew_net *net = sym->net;
  sym->table_size = 16;
  while (sym->table_size < net->place_count * 2) {
    sym->table_size *= 2;
  }
  sym->table = clew_alloc_zero(sym->table_size, sizeof *sym->table);
  for (uint32_t p = 0; p < net->place_count; p++) {
    uint32_t count, elements[CLEW_NET_MOST_PARTS];
    const struct clew_net_part *parts = parts_of(net, p, &count);
    if (count > CLEW_NET_MOST_PARTS) {
      return false;
    }
    for (uint32_t i = 0; i < count; i++) {
      elements[i] = parts[i].element;
    }
    uint32_t at = (uint32_t)hash_place(net->origins[p], elements, count) & (sym->table_size - 1);
    while (sym->table[at] != 0) {
      at = (at + 1) & (sym->table_size - 1);
    }
    sym->table[at] = p + 1;
  }
  return true;
}

/* ---- is an exchange one of the net with itself? ---- */

static struct clew_hash128 hash_arc(const struct clew_net_arc *arc, uint32_t place, bool takes) {
  uint64_t words[3] = {place, arc->weight, takes};
  return clew_hash128_bytes(words, sizeof words, 0);
}

static int compare_hashes(const void *a, const void *b) {
  const struct clew_hash128 *x = a, *y = b;
  int low = (x->low > y->low) - (x->low < y->low);
  return low != 0 ? low : (x->high > y->high) - (x->high < y->high);
}

/* Of all transitions, after places have become others (NULL: they have not). */
static void hash_transitions(const struct clew_net *net, const uint32_t *map,
                             struct clew_hash128 *out) {
  for (uint32_t t = 0; t < net->transition_count; t++) {
    const struct clew_net_transition *transition = &net->transitions[t];
    uint64_t rule[1] = {transition->rule};
    out[t] = clew_hash128_bytes(rule, sizeof rule, 1);
    for (uint32_t a = transition->take; a < transition->end; a++) {
      const struct clew_net_arc *arc = &net->arcs[a];
      struct clew_hash128 one =
          hash_arc(arc, map != NULL ? map[arc->place] : arc->place, a < transition->give);
      out[t].low += one.low;
      out[t].high += one.high;
    }
  }
  qsort(out, net->transition_count, sizeof *out, compare_hashes);
}

/* Where places go when two elements of a sort are exchanged; false: to no place, or the initial
 * marking changes. */
static bool map_places(struct finder *f, uint32_t sort, uint32_t a, uint32_t b) {
  const struct clew_net *net = f->net;
  for (uint32_t p = 0; p < net->place_count; p++) {
    uint32_t count, elements[CLEW_NET_MOST_PARTS];
    const struct clew_net_part *parts = parts_of(net, p, &count);
    bool moves = false;
    for (uint32_t i = 0; i < count; i++) {
      uint32_t e = parts[i].element;
      bool is_one = parts[i].sort == sort && (e == a || e == b);
      elements[i] = !is_one ? e : e == a ? b : a;
      moves = moves || is_one;
    }
    f->map[p] = moves ? clew_net_find_colour(f->sym, net->origins[p], elements, count) : p;
    if (f->map[p] == CLEW_NONE || net->places[f->map[p]].tokens != net->places[p].tokens) {
      return false;
    }
  }
  return true;
}

/* Whether the question says the same after the exchange. */
static bool keeps_term(struct finder *f, const struct clew_net_term *term) {
  const struct clew_net *net = f->net;
  bool keeps = true;
  if (term->op == CLEW_NET_TOKENS) {
    for (uint32_t i = 0; i < term->list_count; i++) {
      f->listed[term->list[i]] = true;
    }
    for (uint32_t i = 0; i < term->list_count; i++) {
      keeps = keeps && f->listed[f->map[term->list[i]]];
    }
    for (uint32_t i = 0; i < term->list_count; i++) {
      f->listed[term->list[i]] = false;
    }
  }
  if (term->op == CLEW_NET_FIREABLE) { /* all instances of a rule, or none */
    uint32_t i = 0;
    while (i < term->list_count && keeps) {
      uint32_t rule = net->transitions[term->list[i]].rule, first = term->list[i];
      keeps = first == 0 || net->transitions[first - 1].rule != rule;
      for (; i < term->list_count && net->transitions[term->list[i]].rule == rule; i++) {
        keeps = keeps && term->list[i] == first++;
      }
      keeps = keeps && (first == net->transition_count || net->transitions[first].rule != rule);
    }
  }
  for (uint32_t i = 0; i < term->arg_count && keeps; i++) {
    keeps = keeps_term(f, term->args[i]);
  }
  return keeps;
}

static bool keeps_questions(struct finder *f) {
  const struct clew_net *net = f->net;
  bool keeps = true;
  for (uint32_t i = 0; i < net->label_count && keeps; i++) {
    keeps = keeps_term(f, net->label_terms[i]);
  }
  for (uint32_t i = 0; i < net->measure_count && keeps; i++) {
    keeps = keeps_term(f, net->measure_terms[i]);
  }
  return keeps;
}

static bool can_exchange(struct finder *f, uint32_t sort, uint32_t a, uint32_t b) {
  const struct clew_net *net = f->net;
  f->work += (uint64_t)net->place_count + net->arc_count + net->transition_count;
  if (f->work > MOST_WORK) {
    f->reason = "the net is too large to look for symmetric colours";
    return false;
  }
  if (!map_places(f, sort, a, b) || !keeps_questions(f)) {
    return false;
  }
  hash_transitions(net, f->map, f->moved);
  return memcmp(f->own, f->moved, net->transition_count * sizeof *f->own) == 0;
}

/* ---- classes ---- */

static void note_occurring(const struct clew_net *net, uint32_t sort, bool *occurs) {
  for (uint32_t p = 0; p < net->place_count; p++) {
    for (uint32_t i = net->first_part[p]; i < net->first_part[p + 1]; i++) {
      if (net->parts[i].sort == sort) {
        occurs[net->parts[i].element] = true;
      }
    }
  }
}

/* Adds the members of a class, unless it is only one. */
static void add_class(struct clew_net_symmetry *sym, uint32_t sort, const uint32_t *class_of,
                      uint32_t class) {
  uint32_t size = sym->net->sort_sizes[sort], first = sym->members.len;
  for (uint32_t e = 0; e < size; e++) {
    if (class_of[e] == class) {
      struct clew_net_part member = {sort, e};
      clew_vec_push(&sym->members, member);
    }
  }
  if (sym->members.len < first + 2) {
    sym->members.len = first;
    return;
  }
  for (uint32_t i = first; i < sym->members.len; i++) {
    sym->member_of[sym->first_of_sort[sort] + sym->members.data[i].element] = i;
  }
  clew_vec_push(&sym->ends, sym->members.len);
}

static void divide_sort(struct finder *f, uint32_t sort) {
  uint32_t size = f->net->sort_sizes[sort], classes = 0;
  if (size < 2 || size > MOST_SORT) {
    return;
  }
  bool *occurs = clew_alloc_zero(size, sizeof *occurs);
  uint32_t *class_of = clew_alloc(size * sizeof *class_of);
  uint32_t *first = clew_alloc(size * sizeof *first);
  note_occurring(f->net, sort, occurs);
  for (uint32_t e = 0; e < size; e++) {
    class_of[e] = CLEW_NONE;
    for (uint32_t c = 0; c < classes && occurs[e] && class_of[e] == CLEW_NONE; c++) {
      class_of[e] = can_exchange(f, sort, first[c], e) ? c : CLEW_NONE;
    }
    if (occurs[e] && class_of[e] == CLEW_NONE) {
      class_of[e] = classes;
      first[classes++] = e;
    }
  }
  for (uint32_t c = 0; c < classes; c++) {
    add_class(f->sym, sort, class_of, c);
  }
  clew_free(occurs);
  clew_free(class_of);
  clew_free(first);
}

/* The places that some exchange moves. */
static void list_moved(struct clew_net_symmetry *sym) {
  const struct clew_net *net = sym->net;
  for (uint32_t p = 0; p < net->place_count; p++) {
    bool moves = false;
    for (uint32_t i = net->first_part[p]; i < net->first_part[p + 1]; i++) {
      moves = moves || clew_net_member(sym, &net->parts[i]) != CLEW_NONE;
    }
    if (moves) {
      clew_vec_push(&sym->moved, p);
    }
  }
}

/* The same for each member. */
static void list_touched(struct clew_net_symmetry *sym) {
  const struct clew_net *net = sym->net;
  sym->touched_first = clew_alloc_zero((size_t)sym->members.len + 1, sizeof *sym->touched_first);
  for (uint32_t m = 0; m < sym->members.len; m++) {
    for (uint32_t k = 0; k < sym->moved.len; k++) {
      uint32_t p = sym->moved.data[k];
      bool has = false;
      for (uint32_t i = net->first_part[p]; i < net->first_part[p + 1]; i++) {
        has = has || clew_net_member(sym, &net->parts[i]) == m;
      }
      if (has) {
        clew_vec_push(&sym->touched, p);
      }
    }
    sym->touched_first[m + 1] = sym->touched.len;
  }
}

static void open_members(struct clew_net_symmetry *sym) {
  const struct clew_net *net = sym->net;
  uint32_t all = 0;
  sym->first_of_sort = clew_alloc_zero((size_t)net->sort_count + 1, sizeof *sym->first_of_sort);
  for (uint32_t s = 0; s < net->sort_count; s++) {
    sym->first_of_sort[s] = all;
    all += net->sort_sizes[s];
  }
  sym->member_of = clew_alloc((all + (size_t)1) * sizeof *sym->member_of);
  memset(sym->member_of, 0xff, (all + (size_t)1) * sizeof *sym->member_of); /* CLEW_NONE */
}

static const char *find_classes(struct clew_net_symmetry *sym) {
  const struct clew_net *net = sym->net;
  struct finder f = {.sym = sym,
                     .net = net,
                     .own = clew_alloc_zero((size_t)net->transition_count + 1, sizeof *f.own),
                     .moved = clew_alloc_zero((size_t)net->transition_count + 1, sizeof *f.moved),
                     .map = clew_alloc_zero((size_t)net->place_count + 1, sizeof *f.map),
                     .listed = clew_alloc_zero((size_t)net->place_count + 1, sizeof *f.listed)};
  hash_transitions(net, NULL, f.own);
  for (uint32_t s = 0; s < net->sort_count && f.reason == NULL; s++) {
    divide_sort(&f, s);
  }
  clew_free(f.own);
  clew_free(f.moved);
  clew_free(f.map);
  clew_free(f.listed);
  return f.reason != NULL        ? f.reason
         : sym->members.len == 0 ? "no two colours can be exchanged"
                                 : NULL;
}

struct clew_net_symmetry *clew_net_find_symmetry(const struct clew_net_impl *impl,
                                                 const char **why_not) {
  const struct clew_net *net = impl->net;
  *why_not = NULL;
  if (net->parts == NULL || net->claim_count > 0) {
    *why_not = "the net has no colours";
    return NULL;
  }
  uint64_t elements = 0;
  for (uint32_t s = 0; s < net->sort_count; s++) {
    elements += net->sort_sizes[s];
  }
  if (elements > UINT32_MAX / 2) {
    *why_not = "the net has too many colours";
    return NULL;
  }
  struct clew_net_symmetry *sym = clew_alloc_zero(1, sizeof *sym);
  sym->impl = impl;
  sym->net = net;
  open_members(sym);
  *why_not = make_table(sym) ? find_classes(sym) : "a colour has too many parts";
  if (*why_not != NULL) {
    clew_net_symmetry_free(sym);
    return NULL;
  }
  list_moved(sym);
  list_touched(sym);
  return sym;
}

void clew_net_symmetry_free(struct clew_net_symmetry *sym) {
  if (sym != NULL) {
    clew_free(sym->table);
    clew_free(sym->first_of_sort);
    clew_free(sym->member_of);
    clew_vec_free(&sym->members);
    clew_vec_free(&sym->ends);
    clew_vec_free(&sym->moved);
    clew_vec_free(&sym->touched);
    clew_free(sym->touched_first);
    clew_free(sym);
  }
}
