/* The binary interface between clew and the C code emitted for a model. Emitted code includes this
 * header, model/succs.h and ir/native_rt.h, and exports one symbol, `clew_native_entry`. This
 * header includes nothing of the project but model/succs.h. */
#ifndef CLEW_IR_NATIVE_ABI_H
#define CLEW_IR_NATIVE_ABI_H

#include <stdbool.h>
#include <stdint.h>

#include "model/succs.h"

#define CLEW_NATIVE_ABI 4u

/* The functions mean what their namesakes in struct clew_model mean; `next` leaves `stuck` alone
 * and looks at the stop flag of `succs`; nothing stops `fire`. */
struct clew_native_api {
  uint32_t abi;   /* CLEW_NATIVE_ABI */
  uint32_t words; /* must agree with the program's */
  uint32_t edge_count;
  bool makes_pieces; /* `next` pauses and resumes as model/succs.h says; it needs succs->pause */
  void (*next)(const uint64_t *state, struct clew_succs *succs);
  bool (*fire)(const uint64_t *state, uint32_t edge, uint64_t *out, uint32_t *site);
  uint32_t (*check)(const uint64_t *enabled, const uint64_t *state, uint32_t *site,
                    const _Atomic bool *stop);
  bool (*label)(uint32_t label, const uint64_t *state, uint32_t *site, const _Atomic bool *stop);
  /* As of struct clew_orbit (model/orbit.h). NULL: not part of this code. */
  void (*canonicalise)(const uint64_t *parent, uint64_t *states, uint32_t count);
};

#define CLEW_NATIVE_SYMBOL "clew_native_entry"

#endif
