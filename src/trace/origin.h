/* Where a trace comes from: enough to find its model again, and to load it in the same way. A saved
 * trace has it, so that nothing else is needed to replay it. */
#ifndef CLEW_TRACE_ORIGIN_H
#define CLEW_TRACE_ORIGIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

/* Everything is borrowed; texts are NULL where nothing is known. */
struct clew_trace_origin {
  const char *version;    /* of clew */
  const char *model;      /* the name of its file */
  const char *model_hash; /* of its text */
  const char *directory;  /* where the names of files have this meaning */
  /* Options of the command line that decide what the model is: "--param", "N=2", … */
  const char *const *arguments;
  uint32_t argument_count;
};

/* The hash of a text, as it stands in a trace: XXH3, 128 bits, in hexadecimal. */
const char *clew_origin_hash(struct clew_arena *arena, const char *text, size_t length);

/* Reads the origin of a saved trace into the arena. BAD_INPUT and a diagnostic when this is no
 * JSON; all is absent in one that is no trace. */
enum clew_status clew_trace_read_origin(struct clew_arena *arena, const char *file,
                                        const char *text, size_t length,
                                        struct clew_trace_origin *origin,
                                        struct clew_diag_sink *diags);

#endif
