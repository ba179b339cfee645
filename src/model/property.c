/* Names of the kinds of properties. */
#include "model/property.h"

#include <assert.h>

const char *clew_property_kind_name(enum clew_property_kind kind) {
  static const char *const names[CLEW_PROPERTY_KINDS] = {
      [CLEW_PROPERTY_DEADLOCK] = "deadlock",   [CLEW_PROPERTY_FAULT] = "assertion",
      [CLEW_PROPERTY_INVARIANT] = "invariant", [CLEW_PROPERTY_COVER] = "cover",
      [CLEW_PROPERTY_LIVENESS] = "liveness",   [CLEW_PROPERTY_PROGRESS] = "progress",
      [CLEW_PROPERTY_MEASURE] = "measure",
  };
  assert((unsigned)kind < CLEW_PROPERTY_KINDS);
  return names[kind];
}

const char *clew_property_word(const struct clew_property *property) {
  return property->query == CLEW_QUERY_REACH  ? "query"
         : property->query == CLEW_QUERY_GOAL ? "goal"
                                              : clew_property_kind_name(property->kind);
}
