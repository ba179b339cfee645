/* From the command line to a model: reads the file, chooses the language, applies --param,
 * hands on --goal and --invariant. */
#ifndef CLEW_CLI_LOAD_H
#define CLEW_CLI_LOAD_H

#include "base/status.h"
#include "cli/options.h"
#include "lang/lang.h"
#include "model/model.h"

/* A model is written by people or by generators for people; what is larger is a mistake. */
#define CLEW_SOURCE_LIMIT_BYTES ((size_t)64 << 20)

/* Opens the model that operand 0 names; `flat` says that its zones, if it has any, are to have no
 * order. Where `interrupted` is not NULL, signals are caught once
 * the text is read (clew_signals_catch), because the rest may take long. On failure *model is NULL,
 * the user has been told why, and the result is the exit code; else it is CLEW_EXIT_OK. */
enum clew_exit clew_load_model(const struct clew_options *options, enum clew_exec_mode mode,
                               enum clew_symmetry_mode symmetry, bool flat,
                               const atomic_bool **interrupted, struct clew_model **model);
/* The same model with one more goal, its last one. NULL, and messages in the sink. */
struct clew_model *clew_load_question(const struct clew_options *options, const char *expression,
                                      enum clew_symmetry_mode symmetry, bool flat,
                                      struct clew_diag_sink *diags);
/* The same, and *hash is that of the text (trace/origin.h), in the arena. */
enum clew_exit clew_load_model_hashed(const struct clew_options *options, enum clew_exec_mode mode,
                                      enum clew_symmetry_mode symmetry, bool flat,
                                      const atomic_bool **interrupted, struct clew_arena *arena,
                                      const char **hash, struct clew_model **model);

#endif
