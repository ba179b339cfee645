/* What the tests of stores share: opening one that must open or must
 * not, its invariants, its counters. */
#ifndef CLEW_TESTS_STORE_OPEN_H
#define CLEW_TESTS_STORE_OPEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/store.h"

static inline struct clew_store *store_open(const struct clew_store_type *type,
                                            const struct clew_store_config *config) {
  struct clew_diag_sink diags = {0};
  struct clew_store *store = NULL;
  assert_int_equal(type->open(config, &diags, &store), CLEW_OK);
  assert_int_equal(diags.len, 0);
  return store;
}

/* Opening one with these options in so much memory must fail, with one message, and leave nothing.
 */
static inline void store_refuses(const struct clew_store_type *type,
                                 const struct clew_store_options *options, uint64_t memory_bytes,
                                 enum clew_status status, const char *message) {
  struct clew_budget budget;
  clew_budget_init(&budget, memory_bytes);
  struct clew_store_config config = {
      .words = 1, .threads = 1, .budget = &budget, .options = options};
  struct clew_diag_sink diags = {0};
  struct clew_store *store = NULL;
  assert_int_equal(type->open(&config, &diags, &store), status);
  assert_null(store);
  assert_int_equal(diags.error_count, 1);
  assert_string_equal(diags.data[0].message, message);
  assert_int_equal(clew_budget_used(&budget), 0);
  clew_diag_sink_free(&diags);
}

static inline void store_assert_valid(const struct clew_store *store) {
  const char *why = NULL;
  bool valid = store->type->validate(store, &why);
  assert_string_equal(valid ? "valid" : why, "valid");
}

/* The counters as the JSON text that reports show. */
static inline void store_counters(const struct clew_store *store, struct clew_text *out) {
  struct clew_json_writer w;
  clew_json_begin(&w, out);
  clew_json_object_open(&w);
  store->type->counters(store, &w);
  clew_json_object_close(&w);
  clew_json_end(&w);
}

/* The number behind a key, which must be there. */
static inline double store_counter(const struct clew_store *store, const char *key) {
  struct clew_text text = {0}, quoted = {0};
  store_counters(store, &text);
  clew_text_printf(&quoted, "\"%s\":", key);
  const char *at = strstr(clew_text_str(&text), clew_text_str(&quoted));
  assert_non_null(at);
  double value = strtod(at + quoted.len, NULL);
  clew_text_free(&quoted);
  clew_text_free(&text);
  return value;
}

#endif
