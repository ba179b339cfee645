/* Nets with colours become nets without.
 *
 * Which colours can ever be in a place, and which bindings of a transition can ever be enabled, is
 * found out together. A colour that gets known, from the initial marking or by being given, is
 * matched with the inscriptions of the arcs that take from its place; that binds variables. The
 * other arcs of the transition then bind more, by the colours that are known of their places;
 * conditions are evaluated as soon as their variables are bound, and equations bind. Variables that
 * are left range over their sort. A binding that is new gives further colours. So only bindings are
 * looked at whose inputs can be there, and a net of millions of possible bindings is unfolded in
 * the time that its real ones take.
 *
 * An arc is *matched* summand by summand, where a summand is one colour. Summands that are more
 * (all colours of a sort, differences) bind nothing and are not asked for: a binding may thus be
 * kept that is never enabled.
 *
 * The result does not depend on the order of discovery: places are ordered by declaration and
 * colour, transitions by declaration and values of their variables. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "lang/pnml/unfold_int.h"

/* ---- tables ---- */

static void grow_table(struct table *table, uint64_t (*hash)(const struct unfolder *u, uint32_t i),
                       const struct unfolder *u) {
  if (table->count * 2 < table->size) {
    return;
  }
  clew_free(table->slots);
  table->size = table->size == 0 ? 1024 : table->size * 2;
  table->slots = clew_alloc_zero(table->size, sizeof *table->slots);
  for (uint32_t i = 0; i < table->count; i++) {
    uint64_t at = hash(u, i);
    while (table->slots[at & (table->size - 1)] != 0) {
      at++;
    }
    table->slots[at & (table->size - 1)] = i + 1;
  }
}

static uint64_t hash_known(uint32_t place, uint64_t colour) {
  uint64_t key[2] = {place, colour};
  return clew_hash_words(key, 2, 0);
}

static uint64_t hash_known_at(const struct unfolder *u, uint32_t i) {
  return hash_known(u->known.data[i].place, u->known.data[i].colour);
}

/* The number of a known colour, or CLEW_NONE. */
uint32_t clew_pnml_find_known(const struct unfolder *u, uint32_t place, uint64_t colour) {
  const struct table *table = &u->known_index;
  for (uint64_t at = hash_known(place, colour); table->size > 0; at++) {
    uint32_t found = table->slots[at & (table->size - 1)];
    if (found == 0) {
      return CLEW_NONE;
    }
    if (u->known.data[found - 1].place == place && u->known.data[found - 1].colour == colour) {
      return found - 1;
    }
  }
  return CLEW_NONE;
}

static void learn(struct unfolder *u, uint32_t place, uint64_t colour, uint64_t tokens) {
  uint32_t found = clew_pnml_find_known(u, place, colour);
  if (found != CLEW_NONE) {
    u->known.data[found].tokens += tokens;
    return;
  }
  if (u->known.len >= MOST_PLACES) {
    u->is_too_large = true;
    return;
  }
  clew_vec_push(&u->by_place[place].list, u->known.len);
  clew_vec_push(&u->known, ((struct known){place, colour, tokens}));
  grow_table(&u->known_index, hash_known_at, u);
  uint64_t at = hash_known(place, colour);
  while (u->known_index.slots[at & (u->known_index.size - 1)] != 0) {
    at++;
  }
  u->known_index.slots[at & (u->known_index.size - 1)] = u->known.len;
  u->known_index.count = u->known.len;
}

/* Values of a binding, from this place on; of transitions without variables there may be none. */
static const uint64_t *values_at(const struct unfolder *u, uint32_t place) {
  return u->values.data == NULL ? NULL : u->values.data + place;
}

static uint64_t hash_instance_at(const struct unfolder *u, uint32_t i) {
  const struct instance *instance = &u->instances.data[i];
  uint32_t count = u->shapes[instance->transition].variable_count;
  return clew_hash_words(values_at(u, instance->values), count, instance->transition + 1);
}

/* Adds the binding that is at the end of `values`, unless it is there already. */
static bool add_instance(struct unfolder *u, uint32_t transition, uint32_t values) {
  uint32_t count = u->shapes[transition].variable_count;
  struct table *table = &u->instance_index;
  grow_table(table, hash_instance_at, u);
  const uint64_t *mine = values_at(u, values);
  uint64_t at = clew_hash_words(mine, count, transition + 1);
  for (uint32_t found; (found = table->slots[at & (table->size - 1)]) != 0; at++) {
    const struct instance *other = &u->instances.data[found - 1];
    if (other->transition == transition &&
        (count == 0 || memcmp(values_at(u, other->values), mine, count * sizeof *mine) == 0)) {
      return false;
    }
  }
  clew_vec_push(&u->instances, ((struct instance){transition, values}));
  table->slots[at & (table->size - 1)] = u->instances.len;
  table->count = u->instances.len;
  u->is_too_large = u->is_too_large || u->instances.len >= MOST_INSTANCES;
  return true;
}

/* ---- bindings ---- */

void clew_pnml_bind(struct unfolder *u, uint32_t variable, uint64_t value) {
  assert(!u->bound[variable]);
  u->bound[variable] = true;
  u->binding[variable] = value;
  clew_vec_push(&u->trail, variable);
}

void clew_pnml_unbind_to(struct unfolder *u, uint32_t length) {
  while (u->trail.len > length) {
    u->bound[clew_vec_pop(&u->trail)] = false;
  }
}

/* Binds what is not bound yet so that the term has this colour. False: it has another one. A term
 * that cannot be solved is left for later. */
static bool match(struct unfolder *u, const struct pnml_term *term, uint32_t sort,
                  uint64_t colour) {
  uint64_t size = pnml_sort_of(u, sort)->size;
  switch (term->op) {
  case PNML_VARIABLE:
    if (u->bound[term->number]) {
      return u->binding[term->number] == colour;
    }
    clew_pnml_bind(u, (uint32_t)term->number, colour);
    return true;
  case PNML_CONSTANT:
    return term->number == colour;
  case PNML_SUCCESSOR:
    return match(u, term->args[0], sort, (colour + size - 1) % size);
  case PNML_PREDECESSOR:
    return match(u, term->args[0], sort, (colour + 1) % size);
  case PNML_TIMES:
    return match(u, term->args[0], sort, colour);
  case PNML_TUPLE:
    if (pnml_sort_of(u, sort)->kind != PNML_PRODUCT) {
      return match(u, term->args[0], sort, colour);
    }
    for (uint32_t i = term->arg_count; i-- > 0;) {
      uint32_t part = pnml_sort_of(u, sort)->parts[i];
      if (!match(u, term->args[i], part, colour % pnml_sort_of(u, part)->size)) {
        return false;
      }
      colour /= pnml_sort_of(u, part)->size;
    }
    return true;
  default:
    return true;
  }
}

/* Evaluates what can be, and binds by equations until nothing changes. False: it cannot be. */
static bool propagate(struct unfolder *u, const struct shape *shape) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < shape->condition_count; i++) {
      const struct pnml_term *c = shape->conditions[i];
      if (clew_pnml_is_bound(u, c)) {
        if (!clew_pnml_truth_of(u, c)) {
          return false;
        }
      } else if (c->op == PNML_EQUAL) {
        bool left = clew_pnml_is_bound(u, c->args[0]), right = clew_pnml_is_bound(u, c->args[1]);
        uint32_t own = clew_pnml_own_sort(c->args[0]);
        uint32_t sort = own != CLEW_NONE ? own : clew_pnml_own_sort(c->args[1]),
                 before = u->trail.len;
        if (left != right) {
          const struct pnml_term *open = c->args[left], *known = c->args[!left];
          if (!match(u, open, sort, clew_pnml_colour_of(u, known, sort))) {
            return false;
          }
          changed = changed || u->trail.len > before;
        }
      }
    }
  }
  return true;
}

static void note_binding(struct unfolder *u, uint32_t transition) {
  const struct shape *shape = &u->shapes[transition];
  uint32_t values = u->values.len;
  for (uint32_t i = 0; i < shape->variable_count; i++) {
    clew_vec_push(&u->values, u->binding[shape->variables[i]]);
  }
  if (!add_instance(u, transition, values)) {
    u->values.len = values;
    return;
  }
  for (uint32_t i = shape->arcs; i < shape->arcs_end; i++) {
    const struct pnml_arc *arc = &u->n->arcs.data[u->arcs[i]];
    if (arc->takes) {
      continue;
    }
    struct bag bag = {0};
    if (!clew_pnml_fill_bag(u, arc->term, u->n->places.data[arc->place].sort, &bag)) {
      clew_pnml_fail(u->n, arc->offset, "this arc would give less than nothing");
    }
    for (uint32_t k = 0; k < bag.parts.len; k++) {
      learn(u, arc->place, bag.parts.data[k].colour, 0);
    }
    clew_vec_free(&bag.parts);
  }
}

/* The next summand to look at: one that is bound, or that few colours are known for. */
static uint32_t choose_atom(const struct unfolder *u, const struct shape *shape, uint64_t done) {
  uint32_t best = CLEW_NONE;
  uint32_t least = UINT32_MAX;
  for (uint32_t i = 0; i < shape->atom_count; i++) {
    if ((done >> i & 1) == 0) {
      if (clew_pnml_is_bound(u, shape->atoms[i].term)) {
        return i;
      }
      if (u->by_place[shape->atoms[i].place].list.len < least) {
        least = u->by_place[shape->atoms[i].place].list.len;
        best = i;
      }
    }
  }
  return best;
}

static void extend(struct unfolder *u, uint32_t transition, uint64_t done);

static void extend_by_atom(struct unfolder *u, uint32_t transition, uint64_t done, uint32_t atom) {
  const struct atom *a = &u->shapes[transition].atoms[atom];
  uint32_t sort = u->n->places.data[a->place].sort, before = u->trail.len;
  done |= UINT64_C(1) << atom;
  if (clew_pnml_is_bound(u, a->term)) {
    if (clew_pnml_find_known(u, a->place, clew_pnml_colour_of(u, a->term, sort)) != CLEW_NONE) {
      extend(u, transition, done);
    }
    return;
  }
  /* Colours that get known meanwhile come in their turn. */
  uint32_t count = u->by_place[a->place].list.len;
  for (uint32_t i = 0; i < count && !u->is_too_large; i++) {
    if (match(u, a->term, sort, u->known.data[u->by_place[a->place].list.data[i]].colour)) {
      extend(u, transition, done);
    }
    clew_pnml_unbind_to(u, before);
  }
}

static void extend_by_variable(struct unfolder *u, uint32_t transition, uint64_t done,
                               uint32_t variable) {
  uint64_t size = pnml_sort_of(u, u->n->variables.data[variable].sort)->size;
  uint32_t before = u->trail.len;
  for (uint64_t value = 0; value < size && !u->is_too_large; value++) {
    clew_pnml_bind(u, variable, value);
    extend(u, transition, done);
    clew_pnml_unbind_to(u, before);
  }
}

/* Completes a binding in every way. `done`: summands that are matched. */
static void extend(struct unfolder *u, uint32_t transition, uint64_t done) {
  const struct shape *shape = &u->shapes[transition];
  uint32_t before = u->trail.len;
  if (!u->is_too_large && propagate(u, shape)) {
    uint32_t atom = choose_atom(u, shape, done), variable = CLEW_NONE;
    for (uint32_t i = 0; i < shape->variable_count && variable == CLEW_NONE; i++) {
      variable = u->bound[shape->variables[i]] ? CLEW_NONE : shape->variables[i];
    }
    if (atom != CLEW_NONE) {
      extend_by_atom(u, transition, done, atom);
    } else if (variable != CLEW_NONE) {
      extend_by_variable(u, transition, done, variable);
    } else {
      note_binding(u, transition);
    }
  }
  clew_pnml_unbind_to(u, before);
}

/* ---- shapes ---- */

struct shaper {
  struct unfolder *u;
  bool *used; /* by variable */
  CLEW_VEC(struct atom) atoms;
  CLEW_VEC(const struct pnml_term *) conditions;
};

static void note_variables(struct shaper *s, const struct pnml_term *term) {
  if (term->op == PNML_VARIABLE) {
    s->used[term->number] = true;
  }
  for (uint32_t i = 0; i < term->arg_count; i++) {
    note_variables(s, term->args[i]);
  }
}

static void note_atoms(struct shaper *s, uint32_t place, const struct pnml_term *term) {
  if (clew_pnml_is_colour(term)) {
    if (s->atoms.len < 64) {
      clew_vec_push(&s->atoms, ((struct atom){place, term}));
    }
  } else if (term->op == PNML_ADD || (term->op == PNML_TIMES && term->number > 0)) {
    for (uint32_t i = 0; i < term->arg_count; i++) {
      note_atoms(s, place, term->args[i]);
    }
  }
}

static void note_conditions(struct shaper *s, const struct pnml_term *term) {
  if (term->op != PNML_AND) {
    clew_vec_push(&s->conditions, term);
    return;
  }
  for (uint32_t i = 0; i < term->arg_count; i++) {
    note_conditions(s, term->args[i]);
  }
}

static bool make_shape(struct shaper *s, uint32_t transition) {
  struct unfolder *u = s->u;
  struct pnml *n = u->n;
  struct shape *shape = &u->shapes[transition];
  const struct pnml_term *condition = n->transitions.data[transition].condition;
  clew_vec_clear(&s->atoms);
  clew_vec_clear(&s->conditions);
  memset(s->used, 0, n->variables.len * sizeof *s->used);
  if (condition != NULL) {
    if (!clew_pnml_check_condition(u, condition)) {
      return false;
    }
    note_variables(s, condition);
    note_conditions(s, condition);
  }
  for (uint32_t i = shape->arcs; i < shape->arcs_end; i++) {
    const struct pnml_arc *arc = &n->arcs.data[u->arcs[i]];
    if (!clew_pnml_check_term(u, arc->term, n->places.data[arc->place].sort)) {
      return false;
    }
    note_variables(s, arc->term);
    if (arc->takes) {
      note_atoms(s, arc->place, arc->term);
    }
  }
  shape->variables = CLEW_NEW_ARRAY(n->arena, uint32_t, n->variables.len + 1);
  for (uint32_t v = 0; v < n->variables.len; v++) {
    if (s->used[v]) {
      shape->variables[shape->variable_count++] = v;
    }
  }
  shape->atoms = clew_arena_copy(n->arena, s->atoms.data, s->atoms.len, sizeof(struct atom));
  shape->atom_count = s->atoms.len;
  shape->conditions = clew_arena_copy(n->arena, s->conditions.data, s->conditions.len,
                                      sizeof(const struct pnml_term *));
  shape->condition_count = s->conditions.len;
  for (uint32_t i = 0; i < shape->atom_count; i++) {
    clew_vec_push(&u->takers[shape->atoms[i].place].list, (uint64_t)transition << 32 | i);
  }
  return true;
}

/* The arcs of each transition one behind the other. */
void clew_pnml_sort_arcs(struct unfolder *u) {
  struct pnml *n = u->n;
  uint32_t *at = clew_alloc_zero((size_t)n->transitions.len + 1, sizeof *at);
  for (uint32_t i = 0; i < n->arcs.len; i++) {
    at[n->arcs.data[i].transition]++;
  }
  uint32_t sum = 0;
  for (uint32_t t = 0; t < n->transitions.len; t++) {
    u->shapes[t].arcs = u->shapes[t].arcs_end = sum;
    sum += at[t];
  }
  for (uint32_t i = 0; i < n->arcs.len; i++) {
    u->arcs[u->shapes[n->arcs.data[i].transition].arcs_end++] = i;
  }
  clew_free(at);
}

bool clew_pnml_make_shapes(struct unfolder *u) {
  struct shaper s = {.u = u,
                     .used = clew_alloc_zero((size_t)u->n->variables.len + 1, sizeof(bool))};
  bool ok = true;
  for (uint32_t t = 0; t < u->n->transitions.len && ok; t++) {
    ok = make_shape(&s, t);
  }
  clew_free(s.used);
  clew_vec_free(&s.atoms);
  clew_vec_free(&s.conditions);
  return ok;
}

/* ---- discovery ---- */

static bool has_variable(const struct pnml_term *term) {
  bool has = term->op == PNML_VARIABLE;
  for (uint32_t i = 0; i < term->arg_count && !has; i++) {
    has = has_variable(term->args[i]);
  }
  return has;
}

static void start(struct unfolder *u) {
  struct pnml *n = u->n;
  for (uint32_t p = 0; p < n->places.len && !n->failed; p++) {
    const struct pnml_term *marking = n->places.data[p].marking;
    struct bag bag = {0};
    if (marking != NULL && has_variable(marking)) {
      clew_pnml_fail(n, marking->offset, "an initial marking has no variables");
    } else if (marking != NULL && clew_pnml_check_term(u, marking, n->places.data[p].sort)) {
      if (!clew_pnml_fill_bag(u, marking, n->places.data[p].sort, &bag)) {
        clew_pnml_fail(n, marking->offset, "this marking has less than nothing of a colour");
      }
    }
    for (uint32_t i = 0; i < bag.parts.len && !n->failed; i++) {
      learn(u, p, bag.parts.data[i].colour, (uint64_t)bag.parts.data[i].count);
    }
    clew_vec_free(&bag.parts);
  }
}

void clew_pnml_discover(struct unfolder *u) {
  start(u);
  for (uint32_t t = 0; t < u->n->transitions.len && !u->n->failed; t++) {
    if (u->shapes[t].atom_count == 0) {
      extend(u, t, 0);
    }
  }
  for (uint32_t i = 0; i < u->known.len && !u->is_too_large && !u->n->failed; i++) {
    uint32_t place = u->known.data[i].place, sort = u->n->places.data[place].sort;
    for (uint32_t k = 0; k < u->takers[place].list.len; k++) {
      uint64_t taker = u->takers[place].list.data[k];
      uint32_t transition = (uint32_t)(taker >> 32), atom = (uint32_t)taker;
      if (match(u, u->shapes[transition].atoms[atom].term, sort, u->known.data[i].colour)) {
        extend(u, transition, UINT64_C(1) << atom);
      }
      clew_pnml_unbind_to(u, 0);
    }
  }
}
