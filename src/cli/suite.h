/* Reading suites: a directory of models with expectations in their heads, or a TOML file. */
#ifndef CLEW_CLI_SUITE_H
#define CLEW_CLI_SUITE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "report/suite.h"

/* Everything is in the arena. BAD_INPUT or IO_FAILED with a diagnostic. */
enum clew_status clew_suite_read(struct clew_arena *arena, const char *path,
                                 struct clew_suite *suite, struct clew_diag_sink *diags);

#endif
