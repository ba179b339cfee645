/* The ComBack store: what the command line says, checked (comback_options.c). */
#ifndef CLEW_STORE_COMBACK_SETTINGS_INT_H
#define CLEW_STORE_COMBACK_SETTINGS_INT_H

#include "store/comback_common_int.h"
#include "store/comback_options.h"
#include "store/store.h"

enum clew_comback_strategy {
  CLEW_COMBACK_NO_CACHE,
  CLEW_COMBACK_RANDOM,    /* R */
  CLEW_COMBACK_FIFO,      /* F */
  CLEW_COMBACK_HEURISTIC, /* H */
  CLEW_COMBACK_DISTANCE,  /* D */
  CLEW_COMBACK_LEVELS,    /* L */
};

struct clew_comback_settings {
  enum clew_comback_strategy first, second; /* second: where what leaves the first goes */
  uint64_t first_states, second_states;
  double probability; /* R: of a new state to replace another one */
  uint32_t distance;  /* D: cached states are at least so far apart */
  uint32_t level_step;
  uint64_t candidates; /* 0: no delay */
  uint32_t block;
  uint32_t hash_bits;
  uint64_t expected_states; /* 0: nobody knows */
  bool queue_ids;           /* the queue holds ids: GET */
  bool detects_late;        /* not at the end of every level: LATE */
  enum clew_comback_layout layout;
  /* Sizes that nobody gave grow with the states until there are so many full states; 0: all sizes
   * are what they are from the start. */
  uint64_t growing_to;
  bool cache_grows, candidates_grow;
};

enum { CLEW_COMBACK_OPTION_COUNT = 10 };
extern const struct clew_option_spec clew_comback_option_specs[CLEW_COMBACK_OPTION_COUNT];

enum clew_status clew_comback_settings_read(const struct clew_store_config *config,
                                            struct clew_diag_sink *diags,
                                            struct clew_comback_settings *settings);

/* The part of a size that grows which is allowed for as many states as there are now. */
uint64_t clew_comback_allowed(const struct clew_comback *c, uint64_t most);

#endif
