/* A sample of random models, searched in every way that has to agree. bench/random.c does the same
 * with as many as there is time for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "unit/random_agree.h"
#include "unit/random_models.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { MODELS = 15 }; /* sanitizers are slow */
#else
enum { MODELS = 60 };
#endif
enum { NATIVE_EVERY = 20, FIRST_SEED = 1000000 };

static enum ra_fate agree(const struct random_language *language, uint64_t seed,
                          struct clew_scratch *scratch) {
  struct clew_text model = {0}, path = {0}, complaints = {0};
  char now[RA_LINE_BYTES] = "";
  clew_text_printf(&path, "model-%llu.%s", (unsigned long long)seed, language->suffix);
  int file = clew_scratch_file(scratch, clew_text_str(&path));
  clew_text_clear(&path);
  clew_text_printf(&path, "%s/model-%llu.%s", scratch->path, (unsigned long long)seed,
                   language->suffix);
  language->make(&model, seed);
  assert_true(file >= 0 && clew_fd_write_at(file, clew_text_str(&model), model.len, 0));
  close(file);
  struct ra a = {.file = clew_text_str(&path),
                 .seed = seed,
                 .has_symmetry = language->has_symmetry,
                 .native = seed % NATIVE_EVERY == 0,
                 .complaints = &complaints,
                 .now = now};
  enum ra_fate fate = ra_compare(&a);
  if (a.complaint_count > 0) {
    fail_msg("%s\n%s", clew_text_str(&complaints), clew_text_str(&model));
  }
  clew_text_free(&model);
  clew_text_free(&path);
  clew_text_free(&complaints);
  return fate;
}

static void models_agree(const char *name) {
  const struct random_language *language = random_language(name);
  struct clew_scratch scratch;
  struct clew_diag_sink diags = {0};
  uint32_t fates[RA_FATES] = {0};
  if (language == NULL) {
    skip();
  }
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  for (uint64_t i = 0; i < MODELS; i++) {
    fates[agree(language, FIRST_SEED + i, &scratch)]++;
  }
  clew_scratch_close(&scratch);
  clew_diag_sink_free(&diags);
  assert_true(fates[RA_COMPARED] >= MODELS / 2); /* or they would say little */
}

static void test_dve(void **state) {
  (void)state;
  models_agree("dve");
}

static void test_plain_murphi(void **state) {
  (void)state;
  models_agree("plain");
}

static void test_murphi(void **state) {
  (void)state;
  models_agree("murphi");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dve),
      cmocka_unit_test(test_plain_murphi),
      cmocka_unit_test(test_murphi),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
