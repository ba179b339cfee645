/* What the tests of stores share: opening one that must open or must
 * not, its invariants, its counters. */
#ifndef CLEW_TESTS_STORE_OPEN_H
#define CLEW_TESTS_STORE_OPEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
static inline void store_refuses(const struct clew_store_type *type, const void *options,
                                 uint64_t memory_bytes, enum clew_status status,
                                 const char *message) {
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

/* Every option has a name of its own, says what it does, and is a field of the struct. */
static inline void store_assert_options(const struct clew_store_type *type) {
  const struct clew_option_table *table = &type->options;
  for (uint32_t i = 0; i < table->count; i++) {
    const struct clew_option_spec *spec = &table->specs[i];
    assert_true(spec->name != NULL && spec->help != NULL);
    assert_true((spec->argument == NULL) == (spec->kind == CLEW_OPTION_FLAG));
    assert_true(spec->offset < table->bytes && spec->least <= spec->most);
    for (uint32_t other = 0; other < i; other++) {
      assert_string_not_equal(table->specs[other].name, spec->name);
      assert_int_not_equal(table->specs[other].offset, spec->offset);
    }
  }
}

static inline void store_assert_valid(const struct clew_store *store) {
  const char *why = NULL;
  bool valid = store->type->validate(store, &why);
  assert_string_equal(valid ? "valid" : why, "valid");
}

/* The figure of this name, which must be there. */
static inline double store_counter(const struct clew_store *store, const char *name) {
  struct clew_counters counters = {0};
  store->type->counters(store, &counters);
  const struct clew_counter *counter = clew_counters_find(&counters, name);
  assert_non_null(counter);
  assert_int_not_equal(counter->kind, CLEW_COUNTER_TEXT);
  double value = counter->kind == CLEW_COUNTER_COUNT ? (double)counter->count : counter->real;
  clew_counters_free(&counters);
  return value;
}

/* The same for one that is a text. */
static inline const char *store_counter_text(const struct clew_store *store, const char *name) {
  struct clew_counters counters = {0};
  store->type->counters(store, &counters);
  const struct clew_counter *counter = clew_counters_find(&counters, name);
  assert_non_null(counter);
  assert_int_equal(counter->kind, CLEW_COUNTER_TEXT);
  const char *text = counter->text;
  clew_counters_free(&counters);
  return text;
}

#endif
