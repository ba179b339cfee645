/* Fuzz target: any bytes through the front end of CPN Tools, and the first steps of the net. */
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

#include "fuzz_front.h"

static atomic_bool stop;

/* A function of the net may run for ever. */
static void on_alarm(int number) {
  (void)number;
  atomic_store(&stop, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = clew_strndup((const char *)data, size);
  struct clew_query queries[FUZZ_MAX_QUERIES];
  struct clew_source source = {.name = "fuzz"};
  struct clew_load_request request = {.source = &source, .queries = queries, .stop = &stop};
  request.query_count = fuzz_split(text, size, &source, queries);
  struct clew_diag_sink diags = {0};
  struct clew_model *model = NULL;
  atomic_store(&stop, false);
  (void)signal(SIGVTALRM, on_alarm); /* libFuzzer has SIGALRM */
  const struct itimerval two_seconds = {.it_value = {.tv_sec = 2}};
  (void)setitimer(ITIMER_VIRTUAL, &two_seconds, NULL);
  if (clew_language_cpn.load(&request, &diags, &model) == CLEW_OK) {
    fuzz_walk_model(model);
    model->close(model);
  } else if (diags.error_count == 0 || model != NULL) {
    abort(); /* a refusal says why and leaves nothing behind */
  }
  clew_diag_sink_free(&diags);
  clew_free(text);
  return 0;
}
