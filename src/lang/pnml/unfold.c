/* The net without colours, from what bind.c has found: places are ordered by declaration and
 * colour, transitions by declaration and values of their variables. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "lang/pnml/unfold_int.h"

/* ---- the net ---- */

struct sorted {
  const struct unfolder *u;
  uint32_t number;
};

static int compare_known(const void *a, const void *b) {
  const struct sorted *x = a, *y = b;
  const struct known *p = &x->u->known.data[x->number], *q = &y->u->known.data[y->number];
  return p->place != q->place ? (p->place > q->place) - (p->place < q->place)
                              : (p->colour > q->colour) - (p->colour < q->colour);
}

static int compare_instances(const void *a, const void *b) {
  const struct sorted *x = a, *y = b;
  const struct instance *p = &x->u->instances.data[x->number];
  const struct instance *q = &y->u->instances.data[y->number];
  if (p->transition != q->transition) {
    return (p->transition > q->transition) - (p->transition < q->transition);
  }
  for (uint32_t i = 0; i < x->u->shapes[p->transition].variable_count; i++) {
    uint64_t v = x->u->values.data[p->values + i], w = x->u->values.data[q->values + i];
    if (v != w) {
      return (v > w) - (v < w);
    }
  }
  return 0;
}

static struct sorted *sort_numbers(const struct unfolder *u, uint32_t count,
                                   int (*compare)(const void *, const void *)) {
  struct sorted *list = clew_alloc(((size_t)count + 1) * sizeof *list);
  for (uint32_t i = 0; i < count; i++) {
    list[i] = (struct sorted){u, i};
  }
  qsort(list, count, sizeof *list, compare);
  return list;
}

static const char *place_name(const struct unfolder *u, const struct known *known) {
  const struct pnml_place *place = &u->n->places.data[known->place];
  if (pnml_sort_of(u, place->sort)->kind == PNML_DOT) {
    return place->name;
  }
  struct clew_text text = {0};
  clew_text_printf(&text, "%s(", place->name);
  clew_pnml_print_colour(u->n, place->sort, known->colour, false, &text);
  clew_text_char(&text, ')');
  const char *name = clew_arena_strndup(u->n->arena, clew_text_str(&text), text.len);
  clew_text_free(&text);
  return name;
}

static const char *instance_name(const struct unfolder *u, const struct instance *instance) {
  const struct shape *shape = &u->shapes[instance->transition];
  const char *base = u->n->transitions.data[instance->transition].name;
  if (shape->variable_count == 0) {
    return base;
  }
  struct clew_text text = {0};
  clew_text_printf(&text, "%s {", base);
  for (uint32_t i = 0; i < shape->variable_count; i++) {
    const struct pnml_variable *variable = &u->n->variables.data[shape->variables[i]];
    clew_text_printf(&text, "%s%s=", i == 0 ? "" : ", ", variable->name);
    clew_pnml_print_colour(u->n, variable->sort, u->values.data[instance->values + i], true, &text);
  }
  clew_text_char(&text, '}');
  const char *name = clew_arena_strndup(u->n->arena, clew_text_str(&text), text.len);
  clew_text_free(&text);
  return name;
}

struct parts {
  CLEW_VEC(struct clew_net_part) list;
};

/* Products count the last part fastest. */
static void add_parts(const struct pnml *n, uint32_t sort, uint64_t colour, struct parts *parts) {
  const struct pnml_sort *facts = &n->sorts.data[sort];
  if (facts->kind == PNML_PRODUCT) {
    uint64_t rest = facts->size;
    for (uint32_t i = 0; i < facts->part_count; i++) {
      rest /= n->sorts.data[facts->parts[i]].size;
      add_parts(n, facts->parts[i], colour / rest % n->sorts.data[facts->parts[i]].size, parts);
    }
  } else {
    clew_vec_push(&parts->list, ((struct clew_net_part){sort, (uint32_t)colour}));
  }
}

/* Tells the net of colours, which only symmetry needs. */
static void keep_parts(struct unfolder *u, const struct sorted *order) {
  struct pnml *n = u->n;
  struct parts parts = {0};
  uint32_t *first = CLEW_NEW_ARRAY(n->arena, uint32_t, u->known.len + 1);
  uint32_t *sizes = CLEW_NEW_ARRAY(n->arena, uint32_t, n->sorts.len + 1);
  for (uint32_t s = 0; s < n->sorts.len; s++) {
    const struct pnml_sort *sort = &n->sorts.data[s];
    sizes[s] =
        sort->kind != PNML_PRODUCT && sort->size <= UINT32_MAX / 4 ? (uint32_t)sort->size : 0;
    if (sort->kind != PNML_PRODUCT && sizes[s] == 0) {
      return; /* far too many */
    }
  }
  for (uint32_t i = 0; i < u->known.len; i++) {
    const struct known *known = &u->known.data[order[i].number];
    add_parts(n, n->places.data[known->place].sort, known->colour, &parts);
    first[i + 1] = parts.list.len;
  }
  n->net->parts = clew_arena_copy(n->arena, parts.list.data, parts.list.len, sizeof *n->net->parts);
  n->net->first_part = first;
  n->net->sort_sizes = sizes;
  n->net->sort_count = n->sorts.len;
  clew_vec_free(&parts.list);
}

/* Numbers known colours in the order of places; by number of discovery. */
static uint32_t *make_places(struct unfolder *u) {
  struct pnml *n = u->n;
  struct sorted *order = sort_numbers(u, u->known.len, compare_known);
  struct clew_net_place *places = CLEW_NEW_ARRAY(n->arena, struct clew_net_place, u->known.len + 1);
  uint32_t *number = clew_alloc_zero((size_t)u->known.len + 1, sizeof *number);
  uint32_t place = 0;
  for (uint32_t i = 0; i < u->known.len; i++) {
    const struct known *known = &u->known.data[order[i].number];
    places[i] = (struct clew_net_place){place_name(u, known), known->tokens};
    number[order[i].number] = i;
    while (place <= known->place) {
      n->first_place[place++] = i;
    }
  }
  while (place <= n->places.len) {
    n->first_place[place++] = u->known.len;
  }
  n->net->places = places;
  n->net->place_count = u->known.len;
  if (n->request->asks_symmetry) {
    keep_parts(u, order);
  }
  clew_free(order);
  return number;
}

struct arcs {
  CLEW_VEC(struct clew_net_arc) list;
};

static int compare_arcs(const void *a, const void *b) {
  const struct clew_net_arc *x = a, *y = b;
  return (x->place > y->place) - (x->place < y->place);
}

/* Each place once. */
static void tidy_arcs(struct arcs *arcs, uint32_t first) {
  uint32_t count = first;
  if (arcs->list.len > first) {
    qsort(arcs->list.data + first, arcs->list.len - first, sizeof(struct clew_net_arc),
          compare_arcs);
  }
  for (uint32_t i = first; i < arcs->list.len; i++) {
    if (count > first && arcs->list.data[count - 1].place == arcs->list.data[i].place) {
      arcs->list.data[count - 1].weight += arcs->list.data[i].weight;
    } else {
      arcs->list.data[count++] = arcs->list.data[i];
    }
  }
  arcs->list.len = count;
}

/* Appends the arcs of one direction. False: it takes a colour that can never be there. */
static bool add_arcs(struct unfolder *u, const struct instance *instance, bool takes,
                     const uint32_t *number, struct arcs *arcs) {
  const struct shape *shape = &u->shapes[instance->transition];
  uint32_t first = arcs->list.len;
  bool possible = true;
  for (uint32_t i = shape->arcs; i < shape->arcs_end && possible; i++) {
    const struct pnml_arc *arc = &u->n->arcs.data[u->arcs[i]];
    struct bag bag = {0};
    if (arc->takes != takes) {
      continue;
    }
    if (!clew_pnml_fill_bag(u, arc->term, u->n->places.data[arc->place].sort, &bag)) {
      clew_pnml_fail(u->n, arc->offset, "this arc would take less than nothing");
    }
    for (uint32_t k = 0; k < bag.parts.len && possible; k++) {
      uint32_t known = clew_pnml_find_known(u, arc->place, bag.parts.data[k].colour);
      possible = known != CLEW_NONE;
      if (possible) {
        clew_vec_push(&arcs->list,
                      ((struct clew_net_arc){number[known], (uint64_t)bag.parts.data[k].count}));
      }
    }
    clew_vec_free(&bag.parts);
  }
  tidy_arcs(arcs, first);
  return possible;
}

static void make_transitions(struct unfolder *u, const uint32_t *number) {
  struct pnml *n = u->n;
  struct sorted *order = sort_numbers(u, u->instances.len, compare_instances);
  struct clew_net_transition *list =
      CLEW_NEW_ARRAY(n->arena, struct clew_net_transition, u->instances.len + 1);
  struct arcs arcs = {0};
  uint32_t count = 0, rule = 0;
  for (uint32_t i = 0; i < u->instances.len; i++) {
    const struct instance *instance = &u->instances.data[order[i].number];
    const struct shape *shape = &u->shapes[instance->transition];
    for (uint32_t v = 0; v < shape->variable_count; v++) {
      clew_pnml_bind(u, shape->variables[v], u->values.data[instance->values + v]);
    }
    struct clew_net_transition t = {.rule = instance->transition, .take = arcs.list.len};
    bool possible = add_arcs(u, instance, true, number, &arcs);
    t.give = arcs.list.len;
    possible = possible && add_arcs(u, instance, false, number, &arcs);
    t.end = arcs.list.len;
    clew_pnml_unbind_to(u, 0);
    while (rule <= instance->transition) {
      n->first_transition[rule++] = count;
    }
    if (possible) {
      t.name = instance_name(u, instance);
      list[count++] = t;
    } else {
      arcs.list.len = t.take;
    }
  }
  while (rule <= n->transitions.len) {
    n->first_transition[rule++] = count;
  }
  n->net->transitions = list;
  n->net->transition_count = count;
  n->net->arc_count = arcs.list.len;
  clew_vec_push(&arcs.list, (struct clew_net_arc){0}); /* there is a place behind the last one */
  n->net->arcs = clew_arena_copy(n->arena, arcs.list.data, arcs.list.len, sizeof *n->net->arcs);
  clew_vec_free(&arcs.list);
  clew_free(order);
}

static void free_unfolder(struct unfolder *u) {
  for (uint32_t p = 0; p < u->n->places.len; p++) {
    clew_vec_free(&u->by_place[p].list);
    clew_vec_free(&u->takers[p].list);
  }
  clew_free(u->shapes);
  clew_free(u->arcs);
  clew_free(u->by_place);
  clew_free(u->takers);
  clew_free(u->binding);
  clew_free(u->bound);
  clew_free(u->known_index.slots);
  clew_free(u->instance_index.slots);
  clew_vec_free(&u->known);
  clew_vec_free(&u->instances);
  clew_vec_free(&u->values);
  clew_vec_free(&u->trail);
}

void clew_pnml_unfold(struct pnml *n) {
  struct unfolder u = {
      .n = n,
      .shapes = clew_alloc_zero((size_t)n->transitions.len + 1, sizeof *u.shapes),
      .arcs = clew_alloc_zero((size_t)n->arcs.len + 1, sizeof *u.arcs),
      .by_place = clew_alloc_zero((size_t)n->places.len + 1, sizeof *u.by_place),
      .takers = clew_alloc_zero((size_t)n->places.len + 1, sizeof *u.takers),
      .binding = clew_alloc_zero((size_t)n->variables.len + 1, sizeof *u.binding),
      .bound = clew_alloc_zero((size_t)n->variables.len + 1, sizeof *u.bound),
  };
  clew_pnml_sort_arcs(&u);
  if (clew_pnml_make_shapes(&u)) {
    clew_pnml_discover(&u);
  }
  if (u.is_too_large) {
    clew_diag_plain(n->diags, CLEW_ERROR, n->request->source->name,
                    "without colours this net has more than 8,388,608 places or transitions");
    n->failed = true;
  }
  if (!n->failed) {
    uint32_t *number = make_places(&u);
    make_transitions(&u, number);
    clew_free(number);
  }
  free_unfolder(&u);
}

/* ---- nets that never had colours ---- */

/* Arcs of a transition in one direction, appended and tidied. */
static void convert_arcs(const struct pnml *n, const uint32_t *by, uint32_t count, bool takes,
                         struct arcs *arcs) {
  uint32_t first = arcs->list.len;
  for (uint32_t i = 0; i < count; i++) {
    const struct pnml_arc *arc = &n->arcs.data[by[i]];
    if (arc->takes == takes) {
      clew_vec_push(&arcs->list, ((struct clew_net_arc){arc->place, arc->weight}));
    }
  }
  tidy_arcs(arcs, first);
}

void clew_pnml_convert(struct pnml *n) {
  struct unfolder u = {
      .n = n,
      .shapes = clew_alloc_zero((size_t)n->transitions.len + 1, sizeof *u.shapes),
      .arcs = clew_alloc_zero((size_t)n->arcs.len + 1, sizeof *u.arcs),
  };
  clew_pnml_sort_arcs(&u);
  struct clew_net_place *places =
      CLEW_NEW_ARRAY(n->arena, struct clew_net_place, n->places.len + 1);
  struct clew_net_transition *transitions =
      CLEW_NEW_ARRAY(n->arena, struct clew_net_transition, n->transitions.len + 1);
  struct arcs arcs = {0};
  for (uint32_t p = 0; p < n->places.len; p++) {
    places[p] = (struct clew_net_place){n->places.data[p].name, n->places.data[p].tokens};
    n->first_place[p] = p;
  }
  for (uint32_t t = 0; t < n->transitions.len; t++) {
    const uint32_t *by = u.arcs + u.shapes[t].arcs;
    uint32_t count = u.shapes[t].arcs_end - u.shapes[t].arcs;
    transitions[t] = (struct clew_net_transition){
        .name = n->transitions.data[t].name, .rule = t, .take = arcs.list.len};
    convert_arcs(n, by, count, true, &arcs);
    transitions[t].give = arcs.list.len;
    convert_arcs(n, by, count, false, &arcs);
    transitions[t].end = arcs.list.len;
    n->first_transition[t] = t;
  }
  n->first_place[n->places.len] = n->places.len;
  n->first_transition[n->transitions.len] = n->transitions.len;
  n->net->places = places;
  n->net->place_count = n->places.len;
  n->net->transitions = transitions;
  n->net->transition_count = n->transitions.len;
  n->net->arc_count = arcs.list.len;
  clew_vec_push(&arcs.list, (struct clew_net_arc){0}); /* there is a place behind the last one */
  n->net->arcs = clew_arena_copy(n->arena, arcs.list.data, arcs.list.len, sizeof *n->net->arcs);
  clew_vec_free(&arcs.list);
  clew_free(u.shapes);
  clew_free(u.arcs);
}
