/* The options of the ComBack store; zeroed: all defaults. Sizes are numbers of states, or fractions
 * of `states`; the store checks them. */
#ifndef CLEW_STORE_COMBACK_OPTIONS_H
#define CLEW_STORE_COMBACK_OPTIONS_H

#include <stdint.h>

/* Each in the order of the option's choices; 0 is: not given. */
enum clew_comback_layout { CLEW_COMBACK_PAPER = 1, CLEW_COMBACK_COMPACT };
enum clew_comback_detect { CLEW_COMBACK_DETECT_LEVEL = 1, CLEW_COMBACK_DETECT_FULL };
enum clew_comback_queue { CLEW_COMBACK_QUEUE_FULL = 1, CLEW_COMBACK_QUEUE_IDS };

struct clew_comback_options {
  uint64_t hash_bits;     /* 1 to 64; 0: 32, or with packed tables all that fit */
  const char *cache;      /* "F20-D80:0.01" */
  const char *candidates; /* a size; "0": no delay */
  const char *block;      /* a size */
  const char *shares;     /* "0.6,0.2,0.2" */
  uint64_t states;        /* expected number, for fractions */
  uint64_t full_states;   /* budget of full states */
  uint32_t detect;        /* enum clew_comback_detect; 0: LEVEL. FULL makes the store LATE */
  uint32_t queue;         /* enum clew_comback_queue; 0: FULL. IDS makes the store promise GET */
  uint32_t layout;        /* enum clew_comback_layout; 0: COMPACT */
};

#endif
