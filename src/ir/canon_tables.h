/* What canonical forms (ir/canon_rt.h) have to know of the states of a program. Emitted C includes
 * this header too, so it includes nothing of the project.
 *
 * The values of all scalarsets with at least two members are the *elements*. A *class* is a block
 * of at most 64 bits that occurs once for each combination of its dimensions' indices (an array
 * nest over scalarsets, unions or plain ranges); inside the block some *fields* hold values that
 * may be elements, the rest is *plain*. One occurrence is an *item*. A bag is a group of classes,
 * the parts of its elements, whose last dimension is the position in the bag, which means nothing.
 * Outside bags there are three kinds of classes:
 *  - OWN: one index is an element, and no field can be one;
 *  - PLACE: fields can be elements, and no index is one: the item has a name of its own, so an
 *    element that it holds is told from all others by that;
 *  - LINK: everything else.
 *
 * The values of a set are consecutive, as numbers, as indices and as stored: renaming an element
 * adds the same difference to each of these. */
#ifndef CLEW_IR_CANON_TABLES_H
#define CLEW_IR_CANON_TABLES_H

#include <stdbool.h>
#include <stdint.h>

enum {
  CLEW_CANON_ELEMENTS = 64, /* at most this many elements in all */
  CLEW_CANON_DIMS = 4,
  CLEW_CANON_NO_ELEMENT = CLEW_CANON_ELEMENTS, /* tables by element have an entry for it */
  CLEW_CANON_TABLE,
  CLEW_CANON_WORDS = 1 << 30, /* more than a state has */
};

enum clew_canon_kind { CLEW_CANON_OWN, CLEW_CANON_PLACE, CLEW_CANON_LINK };

struct clew_canon_field {
  uint64_t mask;  /* unshifted */
  uint32_t role;  /* any odd number below 2^31 that tells it from other fields */
  uint32_t first; /* of its stored values, in `named` and `says` */
  uint8_t shift;  /* inside the block */
};

struct clew_canon_class {
  uint64_t mask;  /* of the block, unshifted */
  uint64_t plain; /* its bits outside fields */
  uint64_t rest;  /* contents that say nothing and name no element; or ~0 (so in bags) */
  uint8_t kind;   /* enum clew_canon_kind; LINK in bags */
  uint8_t owner;  /* OWN: the dimension whose indices can be elements */
  bool sparse;    /* many items, so that it is worth looking for those that are zero... */
  bool anonymous; /* ...which name no element */
  uint32_t first_item, item_count;
  uint32_t first_field, field_count;
  uint32_t word; /* that all its items are in, or CLEW_CANON_WORDS */
  uint32_t dim_count;
  uint32_t dim_stride[CLEW_CANON_DIMS]; /* in items; the last dimension varies fastest */
  uint32_t dim_role[CLEW_CANON_DIMS];   /* as of fields */
};

struct clew_canon_item {
  uint32_t bit;                     /* offset in the state */
  uint8_t element[CLEW_CANON_DIMS]; /* that is its index in each dimension, or NO_ELEMENT */
  /* Odd; tells its class and those of its indices that are not elements (nor positions). */
  uint64_t seed;
};

struct clew_canon_own {
  uint32_t bit;
  uint64_t mask;
};

/* The dimensions of every part: those of the bag, the position, those within an element. Part 0 has
 * none of the latter, and its lowest bit is the presence bit. */
struct clew_canon_bag {
  uint32_t first_class, part_count;
  uint32_t dim_count; /* of the bag */
};

struct clew_canon {
  uint32_t words;
  uint32_t element_count, set_count;
  uint32_t class_count, part_count; /* classes outside bags, then the parts of bags */
  uint32_t bag_count;
  uint32_t named_count;
  uint32_t link_limit, member_limit; /* what a state can have at most */
  bool fast;                         /* break ties by position instead of searching */
  const uint8_t *set_first;          /* set_count + 1 entries */
  const uint8_t *named;              /* the element by field.first + stored value, or NO_ELEMENT */
  const uint64_t *says;              /* likewise: random; the same for all elements of a set */
  const uint64_t *bit_of;            /* element e: bit e; NO_ELEMENT: none */
  const struct clew_canon_class *classes;
  const struct clew_canon_field *fields;
  const struct clew_canon_item *items;
  const struct clew_canon_bag *bags;
  const uint64_t *fixed; /* words: the bits that stay where they are (in PLACEs with new names) */
  /* For each element the items outside bags in which it is the only element among the indices, in
   * an order that is the same for all elements of a set. */
  const uint32_t *own_first; /* element_count + 1 entries */
  const struct clew_canon_own *own;
};

#endif
