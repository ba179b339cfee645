/* The net without colours, where it is small: counts of tokens by colour instead of numbers of
 * multisets.
 *
 * In some nets a place holds most of the state (who thinks, which message is on its way), so its
 * multisets are as many as there are states: to number them costs more than it saves. Such a net is
 * unfolded: each colour that can ever be in a place is a cell, each binding that can ever be
 * enabled a deed that adds to cells.
 *
 * The closure. A place is given all colours that it is known to get, as many of each as anybody
 * wants; the bindings of that marking are evaluated, and what they give is added, until nothing is
 * new. More tokens disable nothing, so every reachable marking is below that one. It may have
 * colours that no reachable marking has, and it may grow for ever (a counter that a guard stops in
 * time): there are limits, and a net that exceeds one stays as it is. So does a net where a guard
 * or an input fails, because such a binding has no known demands, or where no weights prove how
 * many tokens of a colour there are (net/bounds.c).
 *
 * Everything is in the order of values, so a state means the same in every process. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "lang/cpn/cpn_int.h"
#include "net/net.h"

enum {
  MOST_VISITS = 100000, /* bindings, again and again */
  MOST_WAYS = 1000000,  /* to bind the variables of a transition */
  MOST_DEEDS = 4096,
  MOST_CELLS = 2048,
  MOST_BITS = 2048,
  MOST_TICKS = 200000, /* of each evaluation */
  SLOT_BITS = 62,      /* values of slots are signed */
};
static const uint64_t PLENTY = UINT64_C(1) << 40, MOST_TOKENS = 1 << 20;

struct known { /* a CLEW_VEC */
  struct cpn_tokens_of *data;
  uint32_t len, cap;
};

struct closure {
  struct cpn_net *net;
  struct known *known; /* by place */
  uint32_t *numbers;   /* by place: its multiset, with all of them */
  uint32_t *lengths;   /* by place: of its table, before */
  uint32_t transition; /* that is looked at */
  uint32_t cells, visits;
  CLEW_VEC(struct cpn_binding *) found;
};

/* ---- closure ---- */

static bool add_token(struct closure *c, uint32_t place, const struct cpn_value *token) {
  struct known *known = &c->known[place];
  for (uint32_t i = 0; i < known->len; i++) {
    if (known->data[i].token == token) {
      return true;
    }
  }
  struct cpn_tokens_of tokens = {token, PLENTY};
  clew_vec_push(known, tokens);
  return c->net->places.data[place].slot == CLEW_NONE || ++c->cells <= MOST_CELLS;
}

static bool visit(void *context, const struct cpn_value *const *variables) {
  struct closure *c = context;
  const atomic_bool *stop = c->net->model.stop;
  struct cpn_binding *binding = cpn_binding(c->net, c->transition, variables, stop, NULL);
  if (binding == NULL || ++c->visits > MOST_VISITS) {
    return false;
  }
  if (binding->state == CPN_B_OFF || binding->is_deed) {
    return true;
  }
  if (!binding->takes_known || !cpn_binding_gives(c->net, binding, stop, NULL)) {
    return false;
  }
  binding->is_deed = true;
  clew_vec_push(&c->found, binding);
  bool fits = c->found.len <= MOST_DEEDS;
  for (uint32_t i = 0; i < binding->give_count && fits; i++) {
    fits = add_token(c, binding->gives[i].place, binding->gives[i].token);
  }
  return fits;
}

/* Whether all ways to bind the variables can be tried. */
static bool has_few_ways(const struct closure *c, const struct cpn_transition *t) {
  uint64_t ways = 1;
  for (uint32_t i = 0; i < t->inscription->step_count && ways <= MOST_WAYS; i++) {
    const struct cpn_step *step = &t->inscription->steps[i];
    uint64_t values = 0;
    if (step->kind == CPN_MATCH) {
      values = c->known[t->arc_places[step->arc]].len;
    } else if (step->kind == CPN_RANGE) {
      for (const struct cpn_value *v = step->values; v->kind == CPN_V_CONS; v = v->tail) {
        values++;
      }
    }
    ways *= values > 0 ? values : 1;
  }
  return ways <= MOST_WAYS;
}

/* The sum of the colours at its places: it is to be looked at when that has changed. */
static uint64_t colours_at(const struct closure *c, const struct cpn_transition *t) {
  uint64_t sum = 1;
  for (uint32_t a = 0; a < t->inscription->arc_count; a++) {
    sum += c->known[t->arc_places[a]].len;
  }
  return sum;
}

/* With all colours in its places. */
static bool look_at(struct closure *c, uint32_t transition) {
  struct cpn_net *net = c->net;
  const struct cpn_transition *t = &net->transitions.data[transition];
  for (uint32_t a = 0; a < t->inscription->arc_count; a++) {
    uint32_t place = t->arc_places[a];
    c->numbers[place] = cpn_bag_intern(net, place, c->known[place].data, c->known[place].len);
  }
  c->transition = transition;
  return has_few_ways(c, t) && cpn_each_binding(net, t, c->numbers, net->model.stop, visit, c);
}

static bool close_up(struct closure *c) {
  struct cpn_net *net = c->net;
  uint64_t *seen = clew_alloc_zero((size_t)net->transitions.len + 1, sizeof *seen);
  bool fine = true, grows = true;
  while (fine && grows) {
    grows = false;
    for (uint32_t t = 0; t < net->transitions.len && fine; t++) {
      uint64_t colours = colours_at(c, &net->transitions.data[t]);
      if (seen[t] != colours) {
        seen[t] = colours;
        grows = true;
        fine = look_at(c, t);
      }
    }
    cpn_scratch_tidy(net);
  }
  clew_free(seen);
  return fine;
}

static void start_closure(struct closure *c, struct cpn_net *net) {
  *c = (struct closure){.net = net};
  c->known = clew_alloc_zero((size_t)net->places.len + 1, sizeof *c->known);
  c->numbers = clew_alloc_zero((size_t)net->places.len + 1, sizeof *c->numbers);
  c->lengths = clew_alloc_zero((size_t)net->places.len + 1, sizeof *c->lengths);
  for (uint32_t p = 0; p < net->places.len; p++) {
    const struct cpn_bag *bag = cpn_bag(net, p, net->places.data[p].start);
    c->lengths[p] = net->bags[p].list.len;
    for (uint32_t i = 0; i < bag->count; i++) {
      (void)add_token(c, p, bag->tokens[i].token);
    }
  }
}

/* The tables of multisets are as before. */
static void end_closure(struct closure *c) {
  for (uint32_t p = 0; p < c->net->places.len; p++) {
    cpn_bags_forget(c->net, p, c->lengths[p]);
    clew_vec_free(&c->known[p]);
  }
  for (uint32_t i = 0; i < c->found.len; i++) {
    c->found.data[i]->is_deed = false;
  }
  clew_free(c->known);
  clew_free(c->numbers);
  clew_free(c->lengths);
  clew_vec_free(&c->found);
}

/* ---- cells and deeds ---- */

static int compare_tokens(const void *a, const void *b) {
  return cpn_value_compare(((const struct cpn_tokens_of *)a)->token,
                           ((const struct cpn_tokens_of *)b)->token);
}

static void make_cells(struct closure *c, struct cpn_unfolded *u) {
  const struct cpn_net *net = c->net;
  u->first_cell = clew_alloc_zero((size_t)net->places.len + 1, sizeof *u->first_cell);
  u->cells = clew_alloc_zero((size_t)c->cells + 1, sizeof *u->cells);
  for (uint32_t p = 0; p < net->places.len; p++) {
    struct known *known = &c->known[p];
    if (net->places.data[p].slot != CLEW_NONE && known->len > 0) {
      qsort(known->data, known->len, sizeof *known->data, compare_tokens);
      for (uint32_t i = 0; i < known->len; i++) {
        u->cells[u->cell_count++] = (struct cpn_cell){.place = p, .token = known->data[i].token};
      }
    }
    u->first_cell[p + 1] = u->cell_count;
  }
  assert(u->cell_count <= MOST_CELLS);
}

uint32_t cpn_find_cell(const struct cpn_unfolded *u, uint32_t place,
                       const struct cpn_value *token) {
  uint32_t low = u->first_cell[place], end = u->first_cell[place + 1], high = end;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (cpn_value_compare(u->cells[middle].token, token) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < end && u->cells[low].token == token ? low : CLEW_NONE;
}

/* Whether it finds what it needs in places that never change. */
static bool can_happen(const struct cpn_net *net, const struct cpn_binding *binding) {
  for (uint32_t i = 0; i < binding->take_count; i++) {
    const struct cpn_move *move = &binding->takes[i];
    const struct cpn_place *place = &net->places.data[move->place];
    if (place->slot == CLEW_NONE &&
        cpn_bag_count(cpn_bag(net, move->place, place->start), move->token) < move->count) {
      return false;
    }
  }
  return true;
}

/* By transition, then by values. */
static void make_deeds(struct closure *c, struct cpn_unfolded *u) {
  const struct cpn_net *net = c->net;
  struct cpn_binding **list = clew_alloc(((size_t)c->found.len + 1) * sizeof *list);
  u->deeds = clew_alloc_zero((size_t)c->found.len + 1, sizeof *u->deeds);
  u->first_deed = clew_alloc_zero((size_t)net->transitions.len + 1, sizeof *u->first_deed);
  for (uint32_t t = 0; t < net->transitions.len; t++) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->found.len; i++) {
      if (c->found.data[i]->transition == t && can_happen(net, c->found.data[i])) {
        list[count++] = c->found.data[i];
      }
    }
    cpn_sort_bindings(net, list, count);
    for (uint32_t i = 0; i < count; i++) {
      u->deeds[u->deed_count++] = (struct cpn_deed){.binding = list[i]};
    }
    u->first_deed[t + 1] = u->deed_count;
  }
  clew_free(list);
}

/* ---- bounds ---- */

static int compare_arcs(const void *a, const void *b) {
  uint32_t x = ((const struct clew_net_arc *)a)->place, y = ((const struct clew_net_arc *)b)->place;
  return (x > y) - (x < y);
}

/* The moves between cells, as arcs behind those that are there. */
static uint32_t put_arcs(const struct cpn_unfolded *u, const struct cpn_move *moves, uint32_t count,
                         struct clew_net_arc *arcs, uint32_t first) {
  uint32_t end = first;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t cell = cpn_find_cell(u, moves[i].place, moves[i].token);
    if (cell != CLEW_NONE) {
      arcs[end++] = (struct clew_net_arc){cell, moves[i].count};
    }
  }
  qsort(arcs + first, end - first, sizeof *arcs, compare_arcs);
  return end;
}

/* Cells as places, deeds that do not fail as transitions. */
static struct clew_net *as_net(const struct cpn_net *net, const struct cpn_unfolded *u,
                               struct clew_arena *arena) {
  struct clew_net *plain = CLEW_NEW(arena, struct clew_net);
  size_t most = 1;
  for (uint32_t d = 0; d < u->deed_count; d++) {
    most += (size_t)u->deeds[d].binding->take_count + u->deeds[d].binding->give_count;
  }
  struct clew_net_place *places = CLEW_NEW_ARRAY(arena, struct clew_net_place, u->cell_count + 1);
  struct clew_net_transition *transitions =
      CLEW_NEW_ARRAY(arena, struct clew_net_transition, u->deed_count + 1);
  struct clew_net_arc *arcs = CLEW_NEW_ARRAY(arena, struct clew_net_arc, most);
  for (uint32_t i = 0; i < u->cell_count; i++) {
    const struct cpn_place *place = &net->places.data[u->cells[i].place];
    const struct cpn_bag *bag = cpn_bag(net, u->cells[i].place, place->start);
    places[i] = (struct clew_net_place){place->name, cpn_bag_count(bag, u->cells[i].token)};
  }
  for (uint32_t d = 0; d < u->deed_count; d++) {
    const struct cpn_binding *b = u->deeds[d].binding;
    if (b->state != CPN_B_READY) {
      continue;
    }
    uint32_t take = plain->arc_count, give = put_arcs(u, b->takes, b->take_count, arcs, take);
    plain->arc_count = put_arcs(u, b->gives, b->give_count, arcs, give);
    transitions[plain->transition_count++] =
        (struct clew_net_transition){"", b->transition, take, give, plain->arc_count};
  }
  plain->arena = arena;
  plain->places = places;
  plain->place_count = u->cell_count;
  plain->transitions = transitions;
  plain->arcs = arcs;
  plain->rule_count = net->transitions.len;
  return plain;
}

/* False: some count is not known to stay small. */
static bool bound_cells(const struct cpn_net *net, struct cpn_unfolded *u) {
  struct clew_arena *arena = clew_arena_open();
  uint64_t *most = clew_alloc_zero((size_t)u->cell_count + 1, sizeof *most), bits = 0;
  clew_net_most(as_net(net, u, arena), most);
  bool fits = true;
  for (uint32_t i = 0; i < u->cell_count; i++) {
    fits = fits && most[i] <= MOST_TOKENS;
    u->cells[i].width = clew_bits_for(most[i]);
    bits += u->cells[i].width;
  }
  clew_free(most);
  clew_arena_close(arena);
  return fits && bits > 0 && bits <= MOST_BITS;
}

/* ---- slots ---- */

static void print_counts(const struct clew_domain *domain, int64_t value, struct clew_text *out) {
  const struct cpn_domain *own = (const struct cpn_domain *)domain;
  const struct cpn_unfolded *u = own->net->unfolded;
  bool any = false;
  for (uint32_t i = own->first_cell; i < own->end_cell; i++) {
    uint64_t count = (uint64_t)value >> (u->cells[i].shift - own->shift) & u->cells[i].mask;
    if (count > 0) {
      clew_text_printf(out, "%s%llu`", any ? "++" : "", (unsigned long long)count);
      cpn_value_print(u->cells[i].token, out);
      any = true;
    }
  }
  clew_text_put(out, any ? "" : "empty");
}

static void end_slot(struct cpn_net *net, struct cpn_domain *domain, struct clew_slot *slot,
                     uint32_t part) {
  const struct cpn_place *place = &net->places.data[domain->place];
  const char *name =
      part == 0 ? place->name : clew_arena_printf(net->arena, "%s, part %u", place->name, part + 1);
  domain->base = (struct clew_domain){.name = place->colour->name->base.text,
                                      .hi = INT64_MAX, /* no number: nobody is to list its values */
                                      .print = print_counts};
  slot->name = name;
  slot->presence = CLEW_NONE;
}

/* The cells of a place share slots, as many as a slot has room for. */
static void lay_out_place(struct cpn_net *net, struct cpn_unfolded *u, uint32_t p, uint32_t *bit) {
  uint32_t cell = u->first_cell[p], end = u->first_cell[p + 1], part = 0;
  net->places.data[p].slot = net->slot_count;
  do {
    uint32_t first = cell, width = 0, number = net->slot_count++;
    for (; cell < end && width + u->cells[cell].width <= SLOT_BITS; cell++) {
      width += u->cells[cell].width;
    }
    *bit += *bit % 64 + width > 64 ? 64 - *bit % 64 : 0;
    uint32_t at = *bit;
    for (uint32_t i = first; i < cell; i++) {
      bool is_empty = u->cells[i].width == 0; /* and may lie behind the last word */
      u->cells[i].word = is_empty ? 0 : at / 64;
      u->cells[i].shift = is_empty ? 0 : at % 64;
      u->cells[i].mask = clew_bits_mask(u->cells[i].width);
      at += u->cells[i].width;
    }
    struct cpn_domain *domain = &net->domains[number];
    *domain = (struct cpn_domain){
        .net = net, .place = p, .first_cell = first, .end_cell = cell, .shift = *bit % 64};
    net->slots[number] = (struct clew_slot){.domain = &domain->base, .bit = *bit, .width = width};
    end_slot(net, domain, &net->slots[number], part++);
    *bit += width;
  } while (cell < end);
}

static void lay_out_cells(struct cpn_net *net, struct cpn_unfolded *u) {
  size_t most = (size_t)net->places.len + u->cell_count + 1;
  uint32_t bit = 0;
  clew_free(net->slots);
  clew_free(net->domains);
  net->slots = clew_alloc_zero(most, sizeof *net->slots);
  net->domains = clew_alloc_zero(most, sizeof *net->domains);
  net->slot_count = 0;
  for (uint32_t p = 0; p < net->places.len; p++) {
    if (net->places.data[p].slot != CLEW_NONE) {
      lay_out_place(net, u, p, &bit);
      net->places.data[p].slot_end = net->slot_count;
    }
  }
  net->model.words = (bit + 63) / 64;
  net->model.bytes = (bit + 7) / 8;
  net->model.state_bits = bit;
}

/* ---- the whole ---- */

void cpn_unfolded_free(struct cpn_unfolded *u) {
  if (u != NULL) {
    clew_free(u->cells);
    clew_free(u->first_cell);
    clew_free(u->deeds);
    clew_free(u->first_deed);
    clew_vec_free(&u->tests);
    clew_vec_free(&u->needs);
    clew_vec_free(&u->adds);
    clew_free(u);
  }
}

bool cpn_unfold(struct cpn_net *net) {
  struct closure c;
  struct cpn_unfolded *u = clew_alloc_zero(1, sizeof *u);
  start_closure(&c, net);
  net->most_ticks = MOST_TICKS;
  bool fine = c.cells <= MOST_CELLS && close_up(&c);
  net->most_ticks = 0;
  if (fine) {
    make_cells(&c, u);
    make_deeds(&c, u);
    fine = bound_cells(net, u);
  }
  end_closure(&c);
  if (!fine) {
    cpn_unfolded_free(u);
    return false;
  }
  net->unfolded = u;
  lay_out_cells(net, u);
  cpn_ready_deeds(net, u);
  return true;
}
