/* What the fuzz targets share: any bytes through a front end. What it accepts must be a valid
 * program whose emitted C is produced and whose first steps can be interpreted.
 *
 * The first line that is FUZZ_MARK alone ends the model; what follows are queries, one for each
 * line, goals and invariants in turn. */
#ifndef CLEW_TESTS_FUZZ_FRONT_H
#define CLEW_TESTS_FUZZ_FRONT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "ir/interp.h"
#include "ir/native.h"
#include "lang/front.h"
#include "model/model.h"

#define FUZZ_MARK "\n?\n"

/* Models that only burn time say nothing about correctness. */
enum { FUZZ_MAX_EDGES = 2000, FUZZ_MAX_STEPS = 20, FUZZ_MAX_QUERIES = 4 };

static inline void fuzz_walk(const struct clew_program *program) {
  struct clew_succs succs;
  clew_succs_open(&succs, program->words, program->cover_count);
  clew_interp_init(program, &succs);
  uint64_t *state = clew_alloc_zero(program->words, sizeof *state);
  for (int step = 0; step < FUZZ_MAX_STEPS && succs.count > 0; step++) {
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

/* The same for a model, along the last successor of each state. */
static inline void fuzz_walk_model(const struct clew_model *model) {
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, model->cover_count);
  succs.most = FUZZ_MAX_EDGES;
  model->init(model, &succs);
  uint64_t *state = clew_alloc_zero(model->words, sizeof *state);
  for (int step = 0; step < FUZZ_MAX_STEPS && succs.count > 0; step++) {
    memcpy(state, succs.states + (size_t)(succs.count - 1) * model->words,
           model->words * sizeof *state);
    for (uint32_t i = 0; i < model->label_count; i++) {
      uint32_t site = CLEW_NONE;
      model->label(model, i, state, &site);
    }
    clew_succs_clear(&succs);
    succs.resume = 0;
    model->next(model, state, &succs);
  }
  clew_free(state);
  clew_succs_close(&succs);
}

static inline void fuzz_accepted(const struct clew_program *program) {
  const char *why = NULL;
  if (!clew_program_check(program, &why)) {
    abort();
  }
  struct clew_text code = {0};
  if (program->edge_count <= FUZZ_MAX_EDGES) {
    for (enum clew_native_part part = CLEW_NATIVE_ALL; part < CLEW_NATIVE_PARTS; part++) {
      clew_emit_c(&(struct clew_emit_request){.program = program, .part = part}, &code);
    }
    fuzz_walk(program);
  }
  clew_text_free(&code);
}

/* Cuts the text at the mark and at the ends of lines behind it; every part ends with a NUL. */
static inline uint32_t fuzz_split(char *text, size_t size, struct clew_source *model,
                                  struct clew_query *queries) {
  char *mark = memmem(text, size, FUZZ_MARK, strlen(FUZZ_MARK)), *end = text + size;
  uint32_t count = 0;
  model->text = text;
  model->length = mark != NULL ? (size_t)(mark - text) : size;
  text[model->length] = '\0';
  for (char *at = mark != NULL ? mark + strlen(FUZZ_MARK) : end;
       at < end && count < FUZZ_MAX_QUERIES; count++) {
    char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline != NULL ? newline : end;
    *stop = '\0';
    queries[count] =
        (struct clew_query){.kind = count % 2 == 0 ? CLEW_QUERY_GOAL : CLEW_QUERY_INVARIANT,
                            .source = {"--query", at, (size_t)(stop - at)}};
    at = stop + 1;
  }
  return count;
}

static inline void fuzz_front(clew_front_translate *translate, const uint8_t *data, size_t size) {
  char *text = clew_strndup((const char *)data, size);
  struct clew_query queries[FUZZ_MAX_QUERIES];
  struct clew_source source = {.name = "fuzz"};
  struct clew_load_request request = {.source = &source, .queries = queries};
  request.query_count = fuzz_split(text, size, &source, queries);
  struct clew_diag_sink diags = {0};
  struct clew_program *program = NULL;
  if (translate(&request, &diags, &program) == CLEW_OK) {
    fuzz_accepted(program);
  } else if (diags.error_count == 0 || program != NULL) {
    abort(); /* a refusal says why and leaves nothing behind */
  }
  clew_program_close(program);
  clew_diag_sink_free(&diags);
  clew_free(text);
}

#define FUZZ_TARGET(translate)                                                                     \
  int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);                                    \
  int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {                                   \
    fuzz_front(translate, data, size);                                                             \
    return 0;                                                                                      \
  }

#endif
