/* Private to src/net/: symmetric colours (symmetry.c) and representatives of markings (canon.c). */
#ifndef CLEW_NET_SYMMETRY_INT_H
#define CLEW_NET_SYMMETRY_INT_H

#include "net/net_int.h"

enum { CLEW_NET_MOST_PARTS = 16 }; /* of a colour */

struct clew_net_symmetry {
  const struct clew_net_impl *impl;
  const struct clew_net *net;
  uint32_t *table; /* places by their colours: number + 1 */
  uint32_t table_size;
  /* Members of classes, class by class, and where each class ends. */
  CLEW_VEC(struct clew_net_part) members;
  CLEW_VEC(uint32_t) ends;
  uint32_t *first_of_sort, *member_of; /* by sort and element: the member, or CLEW_NONE */
  CLEW_VEC(uint32_t) moved;            /* places whose colour has a member */
  CLEW_VEC(uint32_t) touched;          /* the same for each member: those of member m are */
  uint32_t *touched_first;             /* from touched_first[m] on */
};

/* NULL: there is none, because of *why_not. */
struct clew_net_symmetry *clew_net_find_symmetry(const struct clew_net_impl *impl,
                                                 const char **why_not);
void clew_net_symmetry_free(struct clew_net_symmetry *sym);

/* The place of the file that has this colour; CLEW_NONE: there is none. */
uint32_t clew_net_find_colour(const struct clew_net_symmetry *sym, uint32_t origin,
                              const uint32_t *elements, uint32_t count);

static inline uint32_t clew_net_member(const struct clew_net_symmetry *sym,
                                       const struct clew_net_part *part) {
  return sym->member_of[sym->first_of_sort[part->sort] + part->element];
}

/* See struct clew_orbit (model/orbit.h); the context is the symmetry. */
void clew_net_canonicalise(const void *context, const uint64_t *parent, uint64_t *states,
                           uint32_t count);
void clew_net_canonicalise_fast(const void *context, const uint64_t *parent, uint64_t *states,
                                uint32_t count);
void clew_net_canonical(const void *context, uint64_t *state);

#endif
