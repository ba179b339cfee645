/* List decision diagrams: sets of vectors of the same length (Blom, van de Pol). A node has a value
 * of its level, `down` (the rest of the vectors that have this value here) and `right` (the next
 * greater value). Along `right` a level is a sorted list.
 *
 *   {0000, 0230, 2031}:     0 ----------> 2
 *                           |             |
 *                           0 --> 2       0
 *                           |     |       |
 *                           0     3       3
 *                           |     |       |
 *                           0 <---+       1
 *
 * Reduced: `down` is never the empty set, values rise along `right`, and no two nodes are equal; so
 * a set has one diagram. Levels are not stored: a node is at the level that its depth says.
 *
 * A vector may end in a set of clock values instead of CLEW_LDD_UNIT, a difference decision diagram
 * (dd/ddd.h). Then it stands for the pairs of itself and each of these values. Operations on sets
 * work on these pairs; counts, lists and projections see vectors only.
 *
 * Operations walk along `right` in loops and recurse on `down` only; the depth of the recursion is
 * the length of the vectors. Every operation may collect (dd/dd.h), and answers CLEW_DD_NONE when
 * it has no answer. */
#ifndef CLEW_DD_LDD_H
#define CLEW_DD_LDD_H

#include "base/natural.h"
#include "base/text.h"
#include "dd/dd.h"

/* ---- sets ---- */

clew_ldd clew_ldd_union(struct clew_dd *dd, clew_ldd a, clew_ldd b);
clew_ldd clew_ldd_intersect(struct clew_dd *dd, clew_ldd a, clew_ldd b);
clew_ldd clew_ldd_minus(struct clew_dd *dd, clew_ldd a, clew_ldd b);
/* The same, also where `minus` is not exact: enum clew_ddd_minus of dd/ddd.h. */
clew_ldd clew_ldd_minus_exact(struct clew_dd *dd, clew_ldd a, clew_ldd b);
/* Whether a is a subset of b; *answer is set if true is returned. Makes no nodes, never collects.
 */
bool clew_ldd_subset(struct clew_dd *dd, clew_ldd a, clew_ldd b, bool *answer);
bool clew_ldd_member(const struct clew_dd *dd, clew_ldd set, const uint32_t *vector,
                     uint32_t levels);

/* ---- vectors ---- */

/* The set of `count` rows of `levels` values each, in any order; sorts the rows in place. */
clew_ldd clew_ldd_from_rows(struct clew_dd *dd, uint32_t *rows, uint64_t count, uint32_t levels);
/* Writes down up to `most` vectors, in increasing order; those greater than `after` if that is not
 * NULL. How many. Never collects, so lists go on where they ended as long as the set is kept. */
uint32_t clew_ldd_list(const struct clew_dd *dd, clew_ldd set, uint32_t levels,
                       const uint32_t *after, uint32_t *rows, uint32_t most);
/* The least vector of a set that is not empty. */
void clew_ldd_least(const struct clew_dd *dd, clew_ldd set, uint32_t levels, uint32_t *vector);

/* ---- relations ---- */

/* A plan says what happens at each level of long vectors. Plans live as long as the table, and
 * equal ends of plans are one, so that operations of different plans share what they computed.
 *
 * A relation is a set of short vectors, which have values only for the levels that it touches, in
 * the order of the levels: READ: the value that is needed. WRITE: the new value, whatever the old
 * one is. READ_WRITE: first the value that is needed, then the new one. MAY_WRITE: the new value,
 * or CLEW_LDD_COPY where the old one stays, whatever it is; so a level that some rows write and
 * others do not need not be read. */
enum clew_ldd_role {
  CLEW_LDD_SKIP, /* projection: the level is left out. relation: it stays as it is */
  CLEW_LDD_READ, /* projection: the level stays. */
  CLEW_LDD_WRITE,
  CLEW_LDD_READ_WRITE,
  CLEW_LDD_ACT, /* relation, behind the last level of vectors that end in a set of clock values: the
                 * numbers of actions that are applied to it (dd/ddd.h) */
  CLEW_LDD_MAY_WRITE,
};
/* In the rows of a relation, at a level that is MAY_WRITE: the value stays. */
#define CLEW_LDD_COPY ((UINT32_C(1) << CLEW_DD_VALUE_BITS) - 1)

/* The plan of a projection (SKIP and READ), of a relation, of a relation backwards. CLEW_DD_NONE:
 * there is no memory for it. */
uint32_t clew_ldd_plan_projection(struct clew_dd *dd, const unsigned char *roles, uint32_t levels);
uint32_t clew_ldd_plan_product(struct clew_dd *dd, const unsigned char *roles, uint32_t levels);
uint32_t clew_ldd_plan_inverse(struct clew_dd *dd, const unsigned char *roles, uint32_t levels);
/* Length of the short vectors of these roles. */
uint32_t clew_ldd_short_length(const unsigned char *roles, uint32_t levels);

clew_ldd clew_ldd_project(struct clew_dd *dd, clew_ldd set, uint32_t plan);
/* All vectors that the relation makes of those of the set. With READ and SKIP alone: those that
 * match a short vector. */
clew_ldd clew_ldd_product(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan);
/* The vectors of `universe` that the relation turns into one of the set; of clock values, those
 * that an action leads into the set (clew_ddd_act_back). */
clew_ldd clew_ldd_inverse(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan,
                          clew_ldd universe);

/* ---- figures and pictures ---- */

/* How many vectors. Never collects. */
void clew_ldd_count(struct clew_dd *dd, clew_ldd set, struct clew_natural *count);
/* Nodes of the diagram, the two ends not counted. */
uint64_t clew_ldd_nodes(struct clew_dd *dd, clew_ldd set);
/* The same of each level. */
void clew_ldd_level_nodes(struct clew_dd *dd, clew_ldd set, uint32_t levels, uint64_t *nodes);
/* Whether the diagram is one of vectors of this length. */
bool clew_ldd_validate(const struct clew_dd *dd, clew_ldd set, uint32_t levels, const char **why);
/* A picture in the language of dot: a box per list, an arrow for `down`. `name` gives the names of
 * levels and values; it may be NULL. */
struct clew_ldd_names {
  void (*level)(const void *context, uint32_t level, struct clew_text *out);
  void (*value)(const void *context, uint32_t level, uint32_t value, struct clew_text *out);
  const void *context;
  const char *const *clocks; /* of vectors that end in clock values; the first is not used */
};
void clew_ldd_dot(struct clew_dd *dd, clew_ldd set, uint32_t levels,
                  const struct clew_ldd_names *names, struct clew_text *out);

/* ---- for operations of callers that are built from these ---- */

struct clew_ldd_node {
  uint32_t value;
  clew_ldd down, right;
};
/* Of a node, not of the two ends. */
struct clew_ldd_node clew_ldd_node(const struct clew_dd *dd, clew_ldd set);
/* The node; `down` is not empty, and `value` is less than that of `right`. */
clew_ldd clew_ldd_make(struct clew_dd *dd, uint32_t value, clew_ldd down, clew_ldd right);
/* Remembers the result of a caller's own operation until the next collection. `operation` is a
 * number below CLEW_LDD_OWN_OPERATIONS. */
enum { CLEW_LDD_OWN_OPERATIONS = 8 };
void clew_ldd_remember(struct clew_dd *dd, uint32_t operation, clew_ldd a, uint32_t b,
                       clew_ldd result);
bool clew_ldd_recall(struct clew_dd *dd, uint32_t operation, clew_ldd a, uint32_t b,
                     clew_ldd *result);

#endif
