/* Natural numbers: arrays of words with schoolbook arithmetic.
 *
 * Invariant: the last word is not 0, so equal numbers have equal words. */
#include "base/natural.h"

#include <assert.h>

static void trim(struct clew_natural *n) {
  while (n->words.len > 0 && clew_vec_last(&n->words) == 0) {
    n->words.len--;
  }
}

void clew_natural_free(struct clew_natural *n) {
  clew_vec_free(&n->words);
}

void clew_natural_set(struct clew_natural *n, uint64_t value) {
  clew_vec_clear(&n->words);
  clew_natural_add(n, value, 0);
}

void clew_natural_add(struct clew_natural *n, uint64_t value, uint32_t place) {
  while (value != 0) {
    while (n->words.len <= place) {
      clew_vec_push(&n->words, 0);
    }
    n->words.data[place] += value;
    value = n->words.data[place] < value; /* the carry */
    place++;
  }
  trim(n);
  assert(clew_natural_validate(n));
}

void clew_natural_add_natural(struct clew_natural *n, const struct clew_natural *other) {
  assert(n != other);
  for (uint32_t i = 0; i < other->words.len; i++) {
    clew_natural_add(n, other->words.data[i], i);
  }
}

void clew_natural_multiply(struct clew_natural *n, uint64_t factor) {
  uint64_t carry = 0;
  for (uint32_t i = 0; i < n->words.len; i++) {
    unsigned __int128 product = (unsigned __int128)n->words.data[i] * factor + carry;
    n->words.data[i] = (uint64_t)product;
    carry = (uint64_t)(product >> 64);
  }
  if (carry != 0) {
    clew_vec_push(&n->words, carry);
  }
  trim(n);
  assert(clew_natural_validate(n));
}

uint64_t clew_natural_at_most(const struct clew_natural *n, uint64_t most) {
  assert(clew_natural_validate(n));
  if (n->words.len == 0) {
    return 0;
  }
  return n->words.len > 1 || n->words.data[0] > most ? most : n->words.data[0];
}

int clew_natural_compare(const struct clew_natural *a, const struct clew_natural *b) {
  assert(clew_natural_validate(a) && clew_natural_validate(b));
  if (a->words.len != b->words.len) {
    return a->words.len < b->words.len ? -1 : 1;
  }
  for (uint32_t i = a->words.len; i-- > 0;) {
    if (a->words.data[i] != b->words.data[i]) {
      return a->words.data[i] < b->words.data[i] ? -1 : 1;
    }
  }
  return 0;
}

void clew_natural_subtract(struct clew_natural *a, const struct clew_natural *b) {
  assert(clew_natural_compare(a, b) >= 0);
  uint64_t borrow = 0;
  for (uint32_t i = 0; i < a->words.len; i++) {
    uint64_t taken = i < b->words.len ? b->words.data[i] : 0, before = a->words.data[i];
    a->words.data[i] = before - taken - borrow;
    borrow = before < taken || (before == taken && borrow != 0);
  }
  assert(borrow == 0);
  trim(a);
}

/* Divides in place; returns the remainder. */
static uint64_t divide(struct clew_natural *n, uint64_t divisor) {
  uint64_t rest = 0;
  for (uint32_t i = n->words.len; i-- > 0;) {
    unsigned __int128 part = ((unsigned __int128)rest << 64) | n->words.data[i];
    n->words.data[i] = (uint64_t)(part / divisor);
    rest = (uint64_t)(part % divisor);
  }
  trim(n);
  return rest;
}

void clew_natural_print(const struct clew_natural *n, struct clew_text *out) {
  const uint64_t part = UINT64_C(1000000000000000000); /* 18 digits at a time */
  struct clew_natural rest = {0};
  clew_natural_add_natural(&rest, n);
  CLEW_VEC(uint64_t) parts = {0};
  do {
    clew_vec_push(&parts, divide(&rest, part));
  } while (rest.words.len > 0);
  for (uint32_t i = parts.len; i-- > 0;) {
    clew_text_printf(out, i + 1 == parts.len ? "%llu" : "%018llu",
                     (unsigned long long)parts.data[i]);
  }
  clew_vec_free(&parts);
  clew_natural_free(&rest);
}

bool clew_natural_validate(const struct clew_natural *n) {
  return n->words.len == 0 || clew_vec_last(&n->words) != 0;
}
