/* The option table of the Bloom filter store fills this in. A field that is 0 says nothing. */
#ifndef CLEW_STORE_BLOOM_OPTIONS_H
#define CLEW_STORE_BLOOM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct clew_bloom_options {
  uint64_t bits;    /* to set for a state; 0: 3, or what is best for `expect` */
  uint64_t expect;  /* size it for so many states; 0: by the budget */
  uint64_t entries; /* the same, by the name that it has for other stores */
  bool classic;
};

#endif
