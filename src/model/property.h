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
  /* No run stays in states of the label for ever, once it is in one where `from_label` is true as
   * well (CLEW_NONE: from its start on). A run that cannot go on stays where it is, and so does one
   * in which only time passes. */
  CLEW_PROPERTY_PROGRESS,
  CLEW_PROPERTY_MEASURE, /* asks for a number (model/measure.h): it holds when that is known */
};

enum { CLEW_PROPERTY_KINDS = CLEW_PROPERTY_MEASURE + 1 };

/* Whether the property is a question, of the command line or of the model itself, and which. Both
 * kinds are INVARIANTs, PROGRESS, or the DEADLOCK that a question asks about. A REACH is kept as an
 * invariant, too, that of what it seeks being false: its violation is what it asks for. */
enum clew_query_kind {
  CLEW_QUERY_NONE,      /* part of the model */
  CLEW_QUERY_GOAL,      /* its name is an expression that should be false in every state */
  CLEW_QUERY_INVARIANT, /* … that should be true in every state */
  CLEW_QUERY_REACH,     /* … that should be true in some state: to find one is success */
};

/* Whether a query of this kind asks for a state in which its expression is true. */
static inline bool clew_query_seeks(enum clew_query_kind kind) {
  return kind == CLEW_QUERY_GOAL || kind == CLEW_QUERY_REACH;
}

struct clew_property {
  enum clew_property_kind kind;
  const char *name;              /* unique within the model; never NULL */
  struct clew_position position; /* line 0: not in the text (deadlock, fault, queries) */
  uint32_t label;      /* INVARIANT, COVER (of a label), LIVENESS, PROGRESS; MEASURE: which one */
  uint32_t from_label; /* PROGRESS */
  bool is_statement;   /* COVER: bit `label` of clew_succs.covered instead */
  uint32_t further;    /* and so many bits behind it: all of them have to be reached */
  /* COVER: it is violated where it is reached, and this is what is said then: "every place
   * changes". NULL: it is violated where it is not. */
  const char *refusal;
  enum clew_query_kind query;
  const char *option; /* that asked the query: "--goal"; NULL: the model did */
  /* Nobody asked for it by itself: a search that has decided all others may end without it. */
  bool is_incidental;
};

/* "deadlock", "assertion", "invariant", "cover", "liveness". */
const char *clew_property_kind_name(enum clew_property_kind kind);
/* The same for one property, "goal" for a goal: also the `kind` in JSON. */
const char *clew_property_word(const struct clew_property *property);

#endif
