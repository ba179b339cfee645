/* Natural numbers of any size, for counts that no machine word holds. Small on purpose: they are
 * made word by word, printed, and compared with what fits. */
#ifndef CLEW_BASE_NATURAL_H
#define CLEW_BASE_NATURAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/vec.h"

/* Zeroed: 0. The least word comes first; the last one is not 0. */
struct clew_natural {
  CLEW_VEC(uint64_t) words;
};

void clew_natural_free(struct clew_natural *n);
void clew_natural_set(struct clew_natural *n, uint64_t value);
/* Adds `value` times 2^(64 * place). */
void clew_natural_add(struct clew_natural *n, uint64_t value, uint32_t place);
/* n * factor, in place. */
void clew_natural_multiply(struct clew_natural *n, uint64_t factor);
void clew_natural_add_natural(struct clew_natural *n, const struct clew_natural *other);
/* The number, or `most` if that is less. */
uint64_t clew_natural_at_most(const struct clew_natural *n, uint64_t most);
/* Negative, 0, positive: less, equal, greater. */
int clew_natural_compare(const struct clew_natural *a, const struct clew_natural *b);
/* a - b, which must not be negative, into a. */
void clew_natural_subtract(struct clew_natural *a, const struct clew_natural *b);
void clew_natural_print(const struct clew_natural *n, struct clew_text *out); /* decimal */
bool clew_natural_validate(const struct clew_natural *n);

#endif
