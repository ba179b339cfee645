/* The options of the disk store; zeroed: all defaults. */
#ifndef CLEW_STORE_DISK_OPTIONS_H
#define CLEW_STORE_DISK_OPTIONS_H

#include <stdint.h>

/* In the order of the option's choices. */
enum clew_disk_mode { CLEW_DISK_RUNS = 1, CLEW_DISK_FULL, CLEW_DISK_LOCAL };

struct clew_disk_options {
  uint64_t hash_bits; /* of a signature, 2 to 64; 0: full states */
  uint32_t mode;      /* enum clew_disk_mode; 0: CLEW_DISK_RUNS */
};

#endif
