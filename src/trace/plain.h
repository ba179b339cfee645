/* Text that comes from a model (names of rules and properties, messages) made fit for a terminal:
 * control characters and broken UTF-8 become '?', so that a hostile model cannot send escape
 * sequences to the reader of its report. */
#ifndef CLEW_TRACE_PLAIN_H
#define CLEW_TRACE_PLAIN_H

#include "base/text.h"

void clew_plain_put(struct clew_text *out, const char *text);

#endif
