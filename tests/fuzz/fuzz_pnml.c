/* Fuzz target: any bytes through the PNML front end, and the first steps of the net. */
#include "fuzz_front.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = clew_strndup((const char *)data, size);
  struct clew_query queries[FUZZ_MAX_QUERIES];
  struct clew_source source = {.name = "fuzz"};
  struct clew_load_request request = {.source = &source, .queries = queries};
  request.query_count = fuzz_split(text, size, &source, queries);
  struct clew_diag_sink diags = {0};
  struct clew_model *model = NULL;
  if (clew_language_pnml.load(&request, &diags, &model) == CLEW_OK) {
    if (model->edge_count <= FUZZ_MAX_EDGES) {
      fuzz_walk_model(model);
    }
    model->close(model);
  } else if (diags.error_count == 0 || model != NULL) {
    abort(); /* a refusal says why and leaves nothing behind */
  }
  clew_diag_sink_free(&diags);
  clew_free(text);
  return 0;
}
