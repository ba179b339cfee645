/* Private to the unfolding: colour.c, bind.c and unfold.c. */
#ifndef CLEW_LANG_PNML_UNFOLD_INT_H
#define CLEW_LANG_PNML_UNFOLD_INT_H

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

static inline const struct pnml_sort *pnml_sort_of(const struct unfolder *u, uint32_t sort) {
  return &u->n->sorts.data[sort];
}

/* ---- colour.c ---- */

/* Whether the term is always one colour. */
bool clew_pnml_is_colour(const struct pnml_term *term);
bool clew_pnml_is_bound(const struct unfolder *u, const struct pnml_term *term);
/* The colour of a term that is one and is bound, as one of the sort. */
uint64_t clew_pnml_colour_of(const struct unfolder *u, const struct pnml_term *term, uint32_t sort);
/* Whether it makes sense where the sort is expected; complains if not. */
bool clew_pnml_check_term(const struct unfolder *u, const struct pnml_term *term, uint32_t sort);
bool clew_pnml_check_condition(const struct unfolder *u, const struct pnml_term *term);
/* The sort of a term, as far as it says so itself. */
uint32_t clew_pnml_own_sort(const struct pnml_term *term);
bool clew_pnml_truth_of(const struct unfolder *u, const struct pnml_term *term);
/* The tokens that a term is, each colour once; false: less than nothing of one. The bag is empty
 * before. */
bool clew_pnml_fill_bag(struct unfolder *u, const struct pnml_term *term, uint32_t sort,
                        struct bag *bag);

/* ---- bind.c ---- */

bool clew_pnml_make_shapes(struct unfolder *u);
void clew_pnml_sort_arcs(struct unfolder *u);
/* Finds all colours and bindings. */
void clew_pnml_discover(struct unfolder *u);
/* The number of a known colour, or CLEW_NONE. */
uint32_t clew_pnml_find_known(const struct unfolder *u, uint32_t place, uint64_t colour);
void clew_pnml_bind(struct unfolder *u, uint32_t variable, uint64_t value);
void clew_pnml_unbind_to(struct unfolder *u, uint32_t length);

#endif
