/* Loading a model from a text that is known to be good, or from a file. */
#ifndef CLEW_TESTS_MODEL_LOAD_H
#define CLEW_TESTS_MODEL_LOAD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/file.h"
#include "lang/dve/dve.h"
#include "lang/murphi/murphi.h"

/* The program that is requested, or a failed test that says why there is none. */
static inline struct clew_program *model_load_request(clew_front_translate *translate,
                                                      const struct clew_load_request *request) {
  struct clew_diag_sink diags = {0};
  struct clew_program *program = NULL;
  enum clew_status status = translate(request, &diags, &program);
  for (uint32_t i = 0; i < diags.len; i++) {
    print_message("%u:%u: %s\n", diags.data[i].position.line, diags.data[i].position.column,
                  diags.data[i].message);
  }
  assert_int_equal(status, CLEW_OK);
  clew_diag_sink_free(&diags);
  const char *why = NULL;
  if (!clew_program_check(program, &why)) {
    fail_msg("%s", why);
  }
  return program;
}

/* The program of the text and the queries. */
static inline struct clew_program *model_load_queries(clew_front_translate *translate,
                                                      const char *text,
                                                      const struct clew_query *queries,
                                                      uint32_t query_count) {
  struct clew_source source = {"sample", text, strlen(text)};
  struct clew_load_request request = {
      .source = &source, .queries = queries, .query_count = query_count};
  return model_load_request(translate, &request);
}

static inline struct clew_program *model_load(clew_front_translate *translate, const char *text) {
  return model_load_queries(translate, text, NULL, 0);
}

/* The program of a file, whose suffix tells the language; NULL for models that are there to be
 * refused. */
static inline struct clew_program *model_load_file(const char *path) {
  const size_t most_bytes = 1 << 20;
  bool murphi = strcmp(path + strlen(path) - 2, ".m") == 0;
  clew_front_translate *translate = murphi ? clew_murphi_program : clew_dve_program;
  struct clew_text text = {0};
  struct clew_diag_sink diags = {0};
  struct clew_program *program = NULL;
  assert_int_equal(clew_file_read(path, most_bytes, &text, &diags), CLEW_OK);
  struct clew_source source = {path, clew_text_str(&text), text.len};
  struct clew_load_request request = {.source = &source};
  translate(&request, &diags, &program);
  clew_diag_sink_free(&diags);
  clew_text_free(&text);
  return program;
}

#endif
