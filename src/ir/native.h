/* Native code for a program: emit C, compile it with the system compiler (or find it in the cache),
 * load it. */
#ifndef CLEW_IR_NATIVE_H
#define CLEW_IR_NATIVE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/text.h"
#include "ir/canon_rt.h"
#include "ir/ir.h"
#include "ir/native_abi.h"

/* What is emitted, compiled and loaded as one. */
enum clew_native_part {
  CLEW_NATIVE_ALL,  /* every function; `fire` is slow */
  CLEW_NATIVE_FIRE, /* `fire` alone, and fast: as much work again for the compiler */
  CLEW_NATIVE_PARTS
};

struct clew_emit_request {
  const struct clew_program *program; /* finished */
  const struct clew_canon *canon;     /* its symmetry, or NULL */
  enum clew_native_part part;
  const atomic_bool *cancelled; /* looked at now and then, or NULL: nobody waits any more */
};

/* The C translation of a part. Contains nothing from the model but numbers: names of the model do
 * not appear, not even in comments. Grows linearly with the program. False, leaving `out` alone,
 * when the program is too large to be worth compiling, or when cancelled. */
bool clew_emit_c(const struct clew_emit_request *request, struct clew_text *out);

/* Whether the code of a program makes successors in pieces (model/succs.h). */
bool clew_emit_makes_pieces(const struct clew_program *program);

struct clew_native;

/* Starts compiling in a thread of its own; without `compiles` it only loads code that was kept.
 * What is passed must outlive the handle. */
struct clew_native *clew_native_begin(const struct clew_program *program,
                                      const struct clew_canon *canon, bool compiles);
struct clew_native *clew_native_start(const struct clew_program *program,
                                      const struct clew_canon *canon);
/* Whether code is missing that was not to be compiled. */
bool clew_native_is_deferred(const struct clew_native *native);
/* The loaded code, or NULL while it is not there (or never will be). Cheap: one atomic load. */
const struct clew_native_api *clew_native_poll(const struct clew_native *native);
/* Waits for the end of the compilation; NULL when it failed. */
const struct clew_native_api *clew_native_wait(struct clew_native *native);

typedef bool (*clew_native_fire_fn)(const uint64_t *state, uint32_t edge, uint64_t *out,
                                    uint32_t *site);
/* Compiles the part that makes `fire` fast, once the other one is done. For any thread, any number
 * of times. */
void clew_native_expect_fire(struct clew_native *native);
/* The fastest there is, or NULL while there is none. Cheap: one atomic load. */
clew_native_fire_fn clew_native_poll_fire(const struct clew_native *native);
/* Waits for what clew_native_expect_fire has asked for; whether it is there. */
bool clew_native_wait_fire(struct clew_native *native);

/* Seconds spent in the compiler; and why there is no native code, or NULL. */
double clew_native_compile_s(const struct clew_native *native);
const char *clew_native_notice(const struct clew_native *native);
/* Kills a compiler that is still running and stops emitting, unloads the code. */
void clew_native_close(struct clew_native *native);

#endif
