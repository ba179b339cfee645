/* Running a program: the interpreter, native code, and the model that engines see. */
#ifndef CLEW_IR_EXEC_H
#define CLEW_IR_EXEC_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/status.h"
#include "ir/ir.h"
#include "model/model.h"

enum clew_exec_mode {
  CLEW_MODE_AUTO,   /* the interpreter at once, native code as soon as it is compiled */
  CLEW_MODE_INTERP, /* the interpreter only */
  CLEW_MODE_NATIVE, /* native code from the first state on; the interpreter if that fails */
  CLEW_MODE_CACHED, /* as AUTO, but the compiler is not started: only code that was kept is used */
};

enum clew_symmetry_mode {
  CLEW_SYMMETRY_OFF,
  CLEW_SYMMETRY_FAST,      /* representatives need not be unique: more states, less time for each */
  CLEW_SYMMETRY_CANONICAL, /* one representative for each orbit */
};

/* Opens a model over a finished program, which the model owns from then on. In AUTO mode a thread
 * compiles in the background; close cancels it. Never fails: without a compiler the interpreter
 * serves, and exec_info has the notice. */
struct clew_model *clew_model_open(struct clew_program *program, enum clew_exec_mode mode,
                                   enum clew_symmetry_mode symmetry);

#endif
