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
#include "lang/pnml/pnml_int.h"

enum { MOST_INSTANCES = 1 << 23, MOST_PLACES = 1 << 23 };

/* A place and one of its colours. */
struct known {
  uint32_t place;
  uint64_t colour, tokens;
};

struct part {
  uint64_t colour;
  int64_t count;
};

struct bag {
  CLEW_VEC(struct part) parts;
};

/* A summand of an arc that takes. */
struct atom {
  uint32_t place;
  const struct pnml_term *term;
};

struct shape {
  uint32_t *variables; /* those of the transition, in order of declaration */
  uint32_t variable_count;
  struct atom *atoms;
  uint32_t atom_count;
  const struct pnml_term **conditions;
  uint32_t condition_count;
  uint32_t arcs, arcs_end; /* in `arcs` of the unfolder */
};

struct instance {
  uint32_t transition;
  uint32_t values; /* in `values`: one for each variable of the transition */
};

struct table {
  uint32_t *slots; /* number + 1 */
  uint32_t size, count;
};

struct unfolder {
  struct pnml *n;
  struct shape *shapes;
  uint32_t *arcs; /* by transition */
  CLEW_VEC(struct known) known;
  struct table known_index;
  struct {
    CLEW_VEC(uint32_t) list;
  } * by_place;
  struct {
    CLEW_VEC(uint64_t) list; /* transition * 2^32 + atom */
  } * takers;
  CLEW_VEC(struct instance) instances;
  CLEW_VEC(uint64_t) values;
  struct table instance_index;
  uint64_t *binding; /* by variable */
  bool *bound;
  CLEW_VEC(uint32_t) trail; /* variables, in the order in which they were bound */
  bool is_too_large;
};

static const struct pnml_sort *sort_of(const struct unfolder *u, uint32_t sort) {
  return &u->n->sorts.data[sort];
}

/* ---- colours ---- */

void clew_pnml_print_colour(const struct pnml *n, uint32_t sort, uint64_t colour, bool is_part,
                            struct clew_text *out) {
  const struct pnml_sort *s = &n->sorts.data[sort];
  switch (s->kind) {
  case PNML_DOT:
    clew_text_put(out, is_part ? "dot" : "");
    return;
  case PNML_ENUMERATION:
    clew_text_put(out, s->constants[colour]);
    return;
  case PNML_RANGE:
    clew_text_printf(out, "%lld", (long long)(s->least + (int64_t)colour));
    return;
  case PNML_PRODUCT:
    clew_text_put(out, is_part ? "(" : "");
    for (uint32_t i = 0; i < s->part_count; i++) {
      uint64_t below = 1;
      for (uint32_t k = i + 1; k < s->part_count; k++) {
        below *= n->sorts.data[s->parts[k]].size;
      }
      clew_text_put(out, i == 0 ? "" : ",");
      clew_pnml_print_colour(n, s->parts[i], colour / below % n->sorts.data[s->parts[i]].size, true,
                             out);
    }
    clew_text_put(out, is_part ? ")" : "");
    return;
  }
}

/* Whether the term is always one colour. */
static bool is_colour(const struct pnml_term *term) {
  switch (term->op) {
  case PNML_VARIABLE:
  case PNML_CONSTANT:
    return true;
  case PNML_SUCCESSOR:
  case PNML_PREDECESSOR:
    return is_colour(term->args[0]);
  case PNML_TIMES:
    return term->number == 1 && is_colour(term->args[0]);
  case PNML_TUPLE:
    for (uint32_t i = 0; i < term->arg_count; i++) {
      if (!is_colour(term->args[i])) {
        return false;
      }
    }
    return true;
  default:
    return false;
  }
}

static bool is_bound(const struct unfolder *u, const struct pnml_term *term) {
  if (term->op == PNML_VARIABLE) {
    return u->bound[term->number];
  }
  for (uint32_t i = 0; i < term->arg_count; i++) {
    if (!is_bound(u, term->args[i])) {
      return false;
    }
  }
  return true;
}

/* The colour of a term that is one and is bound, as one of the sort. */
static uint64_t colour_of(const struct unfolder *u, const struct pnml_term *term, uint32_t sort) {
  uint64_t size = sort_of(u, sort)->size, colour = 0;
  switch (term->op) {
  case PNML_VARIABLE:
    assert(u->bound[term->number]);
    return u->binding[term->number];
  case PNML_CONSTANT:
    return term->number;
  case PNML_SUCCESSOR:
    return (colour_of(u, term->args[0], sort) + 1) % size;
  case PNML_PREDECESSOR:
    return (colour_of(u, term->args[0], sort) + size - 1) % size;
  case PNML_TUPLE:
    if (sort_of(u, sort)->kind != PNML_PRODUCT) {
      return colour_of(u, term->args[0], sort);
    }
    for (uint32_t i = 0; i < term->arg_count; i++) {
      uint32_t part = sort_of(u, sort)->parts[i];
      colour = colour * sort_of(u, part)->size + colour_of(u, term->args[i], part);
    }
    return colour;
  default:
    assert(term->op == PNML_TIMES);
    return colour_of(u, term->args[0], sort);
  }
}

/* ---- checking ---- */

static bool sorts_match(const struct unfolder *u, uint32_t a, uint32_t b) {
  const struct pnml_sort *x = sort_of(u, a), *y = sort_of(u, b);
  if (a == b) {
    return true;
  }
  if (x->kind != y->kind || x->size != y->size || x->part_count != y->part_count) {
    return false;
  }
  for (uint32_t i = 0; i < x->part_count; i++) {
    if (!sorts_match(u, x->parts[i], y->parts[i])) {
      return false;
    }
  }
  return x->kind == PNML_DOT || x->kind == PNML_PRODUCT ||
         (x->kind == PNML_RANGE && x->least == y->least);
}

static bool wrong_sort(const struct unfolder *u, const struct pnml_term *term, uint32_t sort) {
  const char *name = sort_of(u, sort)->name;
  clew_pnml_fail(u->n, term->offset, "this is not of the sort %s", name != NULL ? name : "needed");
  return false;
}

static bool check_term(const struct unfolder *u, const struct pnml_term *term, uint32_t sort) {
  const struct pnml_sort *s = sort_of(u, sort);
  bool ok = true;
  switch (term->op) {
  case PNML_CONSTANT:
    ok = term->sort == CLEW_NONE ? s->size == 1 : sorts_match(u, term->sort, sort);
    return ok || wrong_sort(u, term, sort);
  case PNML_VARIABLE:
  case PNML_ALL:
    return sorts_match(u, term->sort, sort) || wrong_sort(u, term, sort);
  case PNML_SUCCESSOR:
  case PNML_PREDECESSOR:
    return is_colour(term->args[0]) ? check_term(u, term->args[0], sort)
                                    : wrong_sort(u, term, sort);
  case PNML_TUPLE:
    if (s->kind != PNML_PRODUCT && term->arg_count == 1) {
      return check_term(u, term->args[0], sort);
    }
    if (s->kind != PNML_PRODUCT || term->arg_count != s->part_count) {
      return wrong_sort(u, term, sort);
    }
    for (uint32_t i = 0; i < term->arg_count && ok; i++) {
      ok = check_term(u, term->args[i], s->parts[i]);
    }
    return ok;
  case PNML_TIMES:
  case PNML_ADD:
  case PNML_SUBTRACT:
    for (uint32_t i = 0; i < term->arg_count && ok; i++) {
      ok = check_term(u, term->args[i], sort);
    }
    return ok;
  case PNML_EMPTY:
    return true;
  default:
    clew_pnml_fail(u->n, term->offset, "tokens were expected, not a truth");
    return false;
  }
}

/* The sort of a term, as far as it says so itself. */
static uint32_t own_sort(const struct pnml_term *term) {
  if (term->op == PNML_TIMES || (term->op == PNML_TUPLE && term->arg_count == 1)) {
    return own_sort(term->args[0]);
  }
  return term->sort;
}

static bool check_condition(const struct unfolder *u, const struct pnml_term *term) {
  switch (term->op) {
  case PNML_AND:
  case PNML_OR:
  case PNML_NOT:
  case PNML_IMPLY:
    for (uint32_t i = 0; i < term->arg_count; i++) {
      if (!check_condition(u, term->args[i])) {
        return false;
      }
    }
    return true;
  case PNML_EQUAL:
  case PNML_UNEQUAL:
  case PNML_LESS:
  case PNML_AT_MOST:
  case PNML_GREATER:
  case PNML_AT_LEAST: {
    uint32_t left = own_sort(term->args[0]), right = own_sort(term->args[1]);
    uint32_t sort = left != CLEW_NONE ? left : right;
    if (sort == CLEW_NONE || !is_colour(term->args[0]) || !is_colour(term->args[1])) {
      clew_pnml_fail(u->n, term->offset, "this comparison is not supported");
      return false;
    }
    return check_term(u, term->args[0], sort) && check_term(u, term->args[1], sort);
  }
  default:
    clew_pnml_fail(u->n, term->offset, "a truth was expected");
    return false;
  }
}

/* ---- truths and bags ---- */

static bool truth_of(const struct unfolder *u, const struct pnml_term *term) {
  if (term->op == PNML_AND || term->op == PNML_OR) {
    bool decisive = term->op == PNML_OR;
    for (uint32_t i = 0; i < term->arg_count; i++) {
      if (truth_of(u, term->args[i]) == decisive) {
        return decisive;
      }
    }
    return !decisive;
  }
  if (term->op == PNML_NOT) {
    return !truth_of(u, term->args[0]);
  }
  if (term->op == PNML_IMPLY) {
    return !truth_of(u, term->args[0]) || truth_of(u, term->args[1]);
  }
  uint32_t left = own_sort(term->args[0]);
  uint32_t sort = left != CLEW_NONE ? left : own_sort(term->args[1]);
  uint64_t a = colour_of(u, term->args[0], sort), b = colour_of(u, term->args[1], sort);
  switch (term->op) {
  case PNML_EQUAL:
    return a == b;
  case PNML_UNEQUAL:
    return a != b;
  case PNML_LESS:
    return a < b;
  case PNML_AT_MOST:
    return a <= b;
  case PNML_GREATER:
    return a > b;
  default:
    return a >= b;
  }
}

static void add_part(struct bag *bag, uint64_t colour, int64_t count) {
  clew_vec_push(&bag->parts, ((struct part){colour, count}));
}

static void fill_bag(struct unfolder *u, const struct pnml_term *term, uint32_t sort,
                     int64_t factor, struct bag *bag);

/* All combinations of the colours of its parts. */
static void fill_tuple(struct unfolder *u, const struct pnml_term *term, uint32_t sort,
                       int64_t factor, struct bag *bag) {
  struct bag sum = {0};
  add_part(&sum, 0, factor);
  for (uint32_t i = 0; i < term->arg_count; i++) {
    uint32_t part = sort_of(u, sort)->parts[i];
    struct bag one = {0}, next = {0};
    fill_bag(u, term->args[i], part, 1, &one);
    for (uint32_t a = 0; a < sum.parts.len; a++) {
      for (uint32_t b = 0; b < one.parts.len; b++) {
        add_part(&next,
                 sum.parts.data[a].colour * sort_of(u, part)->size + one.parts.data[b].colour,
                 sum.parts.data[a].count * one.parts.data[b].count);
      }
    }
    u->is_too_large = u->is_too_large || next.parts.len > MOST_PLACES;
    clew_vec_free(&sum.parts);
    clew_vec_free(&one.parts);
    sum = next;
    if (u->is_too_large) {
      break;
    }
  }
  for (uint32_t a = 0; a < sum.parts.len && !u->is_too_large; a++) {
    add_part(bag, sum.parts.data[a].colour, sum.parts.data[a].count);
  }
  clew_vec_free(&sum.parts);
}

static void fill_bag(struct unfolder *u, const struct pnml_term *term, uint32_t sort,
                     int64_t factor, struct bag *bag) {
  switch (term->op) {
  case PNML_EMPTY:
    return;
  case PNML_ALL:
    if (sort_of(u, sort)->size > MOST_PLACES) {
      u->is_too_large = true;
      return;
    }
    for (uint64_t c = 0; c < sort_of(u, sort)->size; c++) {
      add_part(bag, c, factor);
    }
    return;
  case PNML_TIMES:
    fill_bag(u, term->args[0], sort, factor * (int64_t)term->number, bag);
    return;
  case PNML_ADD:
  case PNML_SUBTRACT:
    for (uint32_t i = 0; i < term->arg_count; i++) {
      bool is_negative = term->op == PNML_SUBTRACT && i > 0;
      fill_bag(u, term->args[i], sort, is_negative ? -factor : factor, bag);
    }
    return;
  case PNML_TUPLE:
    if (sort_of(u, sort)->kind == PNML_PRODUCT && !is_colour(term)) {
      fill_tuple(u, term, sort, factor, bag);
    } else if (sort_of(u, sort)->kind == PNML_PRODUCT) {
      add_part(bag, colour_of(u, term, sort), factor);
    } else {
      fill_bag(u, term->args[0], sort, factor, bag);
    }
    return;
  default:
    add_part(bag, colour_of(u, term, sort), factor);
    return;
  }
}

static int compare_parts(const void *a, const void *b) {
  const struct part *x = a, *y = b;
  return (x->colour > y->colour) - (x->colour < y->colour);
}

/* Each colour once, and none of which there is nothing. False: there is less than nothing of one.
 */
static bool tidy_bag(struct bag *bag) {
  uint32_t count = 0;
  if (bag->parts.len > 0) {
    qsort(bag->parts.data, bag->parts.len, sizeof(struct part), compare_parts);
  }
  for (uint32_t i = 0; i < bag->parts.len;) {
    struct part sum = bag->parts.data[i++];
    while (i < bag->parts.len && bag->parts.data[i].colour == sum.colour) {
      sum.count += bag->parts.data[i++].count;
    }
    if (sum.count < 0) {
      return false;
    }
    if (sum.count > 0) {
      bag->parts.data[count++] = sum;
    }
  }
  bag->parts.len = count;
  return true;
}

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
static uint32_t find_known(const struct unfolder *u, uint32_t place, uint64_t colour) {
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
  uint32_t found = find_known(u, place, colour);
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

static uint64_t hash_instance_at(const struct unfolder *u, uint32_t i) {
  const struct instance *instance = &u->instances.data[i];
  uint32_t count = u->shapes[instance->transition].variable_count;
  return clew_hash_words(u->values.data + instance->values, count, instance->transition + 1);
}

/* Adds the binding that is at the end of `values`, unless it is there already. */
static bool add_instance(struct unfolder *u, uint32_t transition, uint32_t values) {
  uint32_t count = u->shapes[transition].variable_count;
  struct table *table = &u->instance_index;
  grow_table(table, hash_instance_at, u);
  const uint64_t *mine = u->values.data + values;
  uint64_t at = clew_hash_words(mine, count, transition + 1);
  for (uint32_t found; (found = table->slots[at & (table->size - 1)]) != 0; at++) {
    const struct instance *other = &u->instances.data[found - 1];
    if (other->transition == transition &&
        (count == 0 || memcmp(u->values.data + other->values, mine, count * sizeof *mine) == 0)) {
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

static void bind(struct unfolder *u, uint32_t variable, uint64_t value) {
  assert(!u->bound[variable]);
  u->bound[variable] = true;
  u->binding[variable] = value;
  clew_vec_push(&u->trail, variable);
}

static void unbind_to(struct unfolder *u, uint32_t length) {
  while (u->trail.len > length) {
    u->bound[clew_vec_pop(&u->trail)] = false;
  }
}

/* Binds what is not bound yet so that the term has this colour. False: it has another one. A term
 * that cannot be solved is left for later. */
static bool match(struct unfolder *u, const struct pnml_term *term, uint32_t sort,
                  uint64_t colour) {
  uint64_t size = sort_of(u, sort)->size;
  switch (term->op) {
  case PNML_VARIABLE:
    if (u->bound[term->number]) {
      return u->binding[term->number] == colour;
    }
    bind(u, (uint32_t)term->number, colour);
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
    if (sort_of(u, sort)->kind != PNML_PRODUCT) {
      return match(u, term->args[0], sort, colour);
    }
    for (uint32_t i = term->arg_count; i-- > 0;) {
      uint32_t part = sort_of(u, sort)->parts[i];
      if (!match(u, term->args[i], part, colour % sort_of(u, part)->size)) {
        return false;
      }
      colour /= sort_of(u, part)->size;
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
      if (is_bound(u, c)) {
        if (!truth_of(u, c)) {
          return false;
        }
      } else if (c->op == PNML_EQUAL) {
        bool left = is_bound(u, c->args[0]), right = is_bound(u, c->args[1]);
        uint32_t own = own_sort(c->args[0]);
        uint32_t sort = own != CLEW_NONE ? own : own_sort(c->args[1]), before = u->trail.len;
        if (left != right) {
          const struct pnml_term *open = c->args[left], *known = c->args[!left];
          if (!match(u, open, sort, colour_of(u, known, sort))) {
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
    fill_bag(u, arc->term, u->n->places.data[arc->place].sort, 1, &bag);
    if (!tidy_bag(&bag)) {
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
      if (is_bound(u, shape->atoms[i].term)) {
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
  if (is_bound(u, a->term)) {
    if (find_known(u, a->place, colour_of(u, a->term, sort)) != CLEW_NONE) {
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
    unbind_to(u, before);
  }
}

static void extend_by_variable(struct unfolder *u, uint32_t transition, uint64_t done,
                               uint32_t variable) {
  uint64_t size = sort_of(u, u->n->variables.data[variable].sort)->size;
  uint32_t before = u->trail.len;
  for (uint64_t value = 0; value < size && !u->is_too_large; value++) {
    bind(u, variable, value);
    extend(u, transition, done);
    unbind_to(u, before);
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
  unbind_to(u, before);
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
  if (is_colour(term)) {
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
    if (!check_condition(u, condition)) {
      return false;
    }
    note_variables(s, condition);
    note_conditions(s, condition);
  }
  for (uint32_t i = shape->arcs; i < shape->arcs_end; i++) {
    const struct pnml_arc *arc = &n->arcs.data[u->arcs[i]];
    if (!check_term(u, arc->term, n->places.data[arc->place].sort)) {
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
static void sort_arcs(struct unfolder *u) {
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

static bool make_shapes(struct unfolder *u) {
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
    } else if (marking != NULL && check_term(u, marking, n->places.data[p].sort)) {
      fill_bag(u, marking, n->places.data[p].sort, 1, &bag);
      if (!tidy_bag(&bag)) {
        clew_pnml_fail(n, marking->offset, "this marking has less than nothing of a colour");
      }
    }
    for (uint32_t i = 0; i < bag.parts.len && !n->failed; i++) {
      learn(u, p, bag.parts.data[i].colour, (uint64_t)bag.parts.data[i].count);
    }
    clew_vec_free(&bag.parts);
  }
}

static void discover(struct unfolder *u) {
  for (uint32_t t = 0; t < u->n->transitions.len; t++) {
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
      unbind_to(u, 0);
    }
  }
}

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
  if (sort_of(u, place->sort)->kind == PNML_DOT) {
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
    fill_bag(u, arc->term, u->n->places.data[arc->place].sort, 1, &bag);
    if (!tidy_bag(&bag)) {
      clew_pnml_fail(u->n, arc->offset, "this arc would take less than nothing");
    }
    for (uint32_t k = 0; k < bag.parts.len && possible; k++) {
      uint32_t known = find_known(u, arc->place, bag.parts.data[k].colour);
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
      bind(u, shape->variables[v], u->values.data[instance->values + v]);
    }
    struct clew_net_transition t = {.rule = instance->transition, .take = arcs.list.len};
    bool possible = add_arcs(u, instance, true, number, &arcs);
    t.give = arcs.list.len;
    possible = possible && add_arcs(u, instance, false, number, &arcs);
    t.end = arcs.list.len;
    unbind_to(u, 0);
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
  n->net->arcs = clew_arena_copy(n->arena, arcs.list.data, arcs.list.len, sizeof *n->net->arcs);
  n->net->arc_count = arcs.list.len;
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
  sort_arcs(&u);
  if (make_shapes(&u)) {
    start(&u);
  }
  if (!n->failed) {
    discover(&u);
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
  sort_arcs(&u);
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
  n->net->arcs = clew_arena_copy(n->arena, arcs.list.data, arcs.list.len, sizeof *n->net->arcs);
  n->net->arc_count = arcs.list.len;
  clew_vec_free(&arcs.list);
  clew_free(u.shapes);
  clew_free(u.arcs);
}
