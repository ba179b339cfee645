/* Properties: a closed set, so a tagged struct. Engines switch over every kind. */
#ifndef CLEW_MODEL_PROPERTY_H
#define CLEW_MODEL_PROPERTY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

enum clew_property_kind {
  CLEW_PROPERTY_DEADLOCK,  /* no reachable state is stuck (see clew_model.deadlock) */
  CLEW_PROPERTY_FAULT,     /* no assertion fails, no run-time error of the model happens */
  CLEW_PROPERTY_INVARIANT, /* the label holds in every reachable state */
  CLEW_PROPERTY_COVER, /* some reachable state satisfies the label, or the statement is reached */
  CLEW_PROPERTY_LIVENESS, /* AG EF label: from every reachable state a label state is reachable */
};

enum { CLEW_PROPERTY_KINDS = CLEW_PROPERTY_LIVENESS + 1 };

struct clew_property {
  enum clew_property_kind kind;
  const char *name;              /* unique within the model; never NULL */
  struct clew_position position; /* line 0: implicit (deadlock, fault) */
  uint32_t label;                /* INVARIANT, COVER (of a label), LIVENESS */
  bool is_statement;             /* COVER: bit `label` of clew_succs.covered instead */
};

/* "deadlock", "assertion", "invariant", "cover", "liveness": also the `kind` in JSON. */
const char *clew_property_kind_name(enum clew_property_kind kind);

#endif
