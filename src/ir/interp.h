/* The interpreter: the reference execution of a program. Needs no compiler and starts at once.
 * Thread-safe: a call keeps all it needs on its own stack or in thread-local scratch memory. */
#ifndef CLEW_IR_INTERP_H
#define CLEW_IR_INTERP_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/ir.h"
#include "model/succs.h"

/* These mean what their namesakes in struct clew_model mean; `next` leaves `stuck` to the model. */
void clew_interp_init(const struct clew_program *program, struct clew_succs *succs);
void clew_interp_next(const struct clew_program *program, const uint64_t *state,
                      struct clew_succs *succs);
/* Adds the cover statements that the edge reaches. */
void clew_interp_cover(const struct clew_program *program, const uint64_t *state, uint32_t edge,
                       uint64_t *covered);
bool clew_interp_fire(const struct clew_program *program, const uint64_t *state, uint32_t edge,
                      uint64_t *out, uint32_t *site);
/* The same, unless the stop flag is raised. */
bool clew_interp_try(const struct clew_program *program, const uint64_t *state, uint32_t edge,
                     uint64_t *out, uint32_t *site);
bool clew_interp_label(const struct clew_program *program, uint32_t label, const uint64_t *state,
                       uint32_t *site);
uint32_t clew_interp_check(const struct clew_program *program, const uint64_t *enabled,
                           const uint64_t *state, uint32_t *site);

/* Frees the calling thread's scratch memory, which otherwise lives as long as the thread. */
void clew_interp_release(void);

#endif
