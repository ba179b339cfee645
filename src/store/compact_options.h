/* The option table of the compact store fills this in. A field that is 0 says nothing. */
#ifndef CLEW_STORE_COMPACT_OPTIONS_H
#define CLEW_STORE_COMPACT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct clew_compact_options {
  uint64_t hash_bits; /* to keep of a state; 0: 64 */
  uint64_t entries;   /* size of a table that does not grow */
  bool no_quotient;   /* signatures as published */
};

#endif
