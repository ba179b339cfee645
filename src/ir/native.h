/* Native code for a program: emit C, compile it with the system compiler (or find it in the cache),
 * load it. */
#ifndef CLEW_IR_NATIVE_H
#define CLEW_IR_NATIVE_H

#include <stdbool.h>

#include "base/text.h"
#include "ir/canon_rt.h"
#include "ir/ir.h"
#include "ir/native_abi.h"

/* The C translation of a finished program and, unless NULL, of its symmetry. Contains nothing from
 * the model but numbers: names of the model do not appear, not even in comments. Grows linearly
 * with the program. False, leaving `out` alone, when the program is too large to be worth
 * compiling. */
bool clew_emit_c(const struct clew_program *program, const struct clew_canon *canon,
                 struct clew_text *out);

struct clew_native;

/* Starts compiling in a thread of its own. What is passed must outlive the handle. */
struct clew_native *clew_native_start(const struct clew_program *program,
                                      const struct clew_canon *canon);
/* The loaded code, or NULL while it is not there (or never will be). Cheap: one atomic load. */
const struct clew_native_api *clew_native_poll(const struct clew_native *native);
/* Waits for the end of the compilation; NULL when it failed. */
const struct clew_native_api *clew_native_wait(struct clew_native *native);
/* Seconds spent in the compiler; and why there is no native code, or NULL. */
double clew_native_compile_s(const struct clew_native *native);
const char *clew_native_notice(const struct clew_native *native);
/* Kills a compiler that is still running, unloads the code. */
void clew_native_close(struct clew_native *native);

#endif
