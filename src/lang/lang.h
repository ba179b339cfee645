/* Front ends: source text to IR, and nothing else. Adding one: a folder under lang/ that defines a
 * `const struct clew_language`, and one line in the registry (cli/registry.c). */
#ifndef CLEW_LANG_LANG_H
#define CLEW_LANG_LANG_H

#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "ir/ir.h"

/* `--param NAME=VALUE`: overrides a constant of the model. */
struct clew_override {
  const char *name, *value;
  bool used; /* set by the front end; the caller complains about the others */
};

struct clew_language {
  const char *name, *help;
  const char *const *suffixes; /* ".m", …, NULL */
  /* Parses, checks and lowers; the program is finished. On failure *program is NULL and the sink
   * says why (BAD_INPUT, OVER_LIMIT). */
  enum clew_status (*load)(const struct clew_source *source, struct clew_override *overrides,
                           uint32_t override_count, struct clew_diag_sink *diags,
                           struct clew_program **program);
};

extern const struct clew_language clew_language_murphi;
extern const struct clew_language clew_language_dve;

#endif
