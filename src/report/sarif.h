/* SARIF 2.1.0: violations and what is wrong with a model, for tools that show them beside the
 * source. */
#ifndef CLEW_REPORT_SARIF_H
#define CLEW_REPORT_SARIF_H

#include "base/diag.h"
#include "base/text.h"

/* A document of the diagnostics of a model that could not be loaded. */
void clew_sarif_diagnostics(const struct clew_diag_sink *diags, struct clew_text *out);

#endif
