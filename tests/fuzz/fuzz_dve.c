/* Fuzz target: any bytes through the DVE front end; what it accepts must be a valid program
 * whose emitted C is produced and whose first steps can be interpreted. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "ir/interp.h"
#include "ir/native.h"
#include "lang/lang.h"
#include "model/model.h"

/* Models that only burn time say nothing about correctness. */
enum { MAX_EDGES = 2000, MAX_STEPS = 20 };

static void walk(const struct clew_program *program) {
  struct clew_succs succs;
  clew_succs_open(&succs, program->words, program->cover_count);
  clew_interp_init(program, &succs);
  uint64_t *state = clew_alloc_zero(program->words, sizeof *state);
  for (int step = 0; step < MAX_STEPS && succs.count > 0; step++) {
    memcpy(state, succs.states, program->words * sizeof *state);
    for (uint32_t i = 0; i < program->labels.len; i++) {
      uint32_t site = CLEW_NONE;
      clew_interp_label(program, i, state, &site);
    }
    clew_succs_clear(&succs);
    clew_interp_next(program, state, &succs);
  }
  clew_free(state);
  clew_succs_close(&succs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = clew_strndup((const char *)data, size);
  struct clew_source source = {"fuzz.dve", text, size};
  struct clew_diag_sink diags = {0};
  struct clew_program *program = NULL;
  enum clew_status status = clew_language_dve.load(&source, NULL, 0, &diags, &program);
  if (status == CLEW_OK) {
    const char *why = NULL;
    if (!clew_program_check(program, &why))
      abort();
    struct clew_text code = {0};
    if (program->edge_count <= MAX_EDGES) {
      clew_emit_c(program, NULL, &code);
      walk(program);
    }
    clew_text_free(&code);
  } else if (diags.error_count == 0 || program != NULL) {
    abort(); /* a refusal says why and leaves nothing behind */
  }
  clew_program_close(program);
  clew_diag_sink_free(&diags);
  clew_free(text);
  return 0;
}
