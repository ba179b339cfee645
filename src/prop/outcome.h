/* Outcomes: what a search knows about each property, and the verdict that follows.
 *
 * An engine begins with every property undecided and decides it as it learns. This is the only
 * place where outcomes become a verdict; nobody else knows when HOLDS may be said. */
#ifndef CLEW_PROP_OUTCOME_H
#define CLEW_PROP_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/vec.h"
#include "model/property.h"
#include "prop/verdict.h"

enum clew_decision { CLEW_UNDECIDED, CLEW_PROPERTY_HOLDS, CLEW_PROPERTY_VIOLATED };

/* Why a property is undecided. */
enum clew_reason {
  CLEW_REASON_NOT_ASKED,   /* switched off */
  CLEW_REASON_UNFINISHED,  /* the search ended too early */
  CLEW_REASON_LOSSY,       /* no violation found, but the store may have left out states */
  CLEW_REASON_STORE,       /* the store does not keep what deciding it takes */
  CLEW_REASON_ENGINE,      /* the engine does not decide properties of this kind */
  CLEW_REASON_SKIPPED,     /* a violation of another one came first */
  CLEW_REASON_NO_STATE,    /* the model has no reachable state: nothing was checked */
  CLEW_REASON_PARTIAL,     /* the model does not have all behaviour of its text */
  CLEW_REASON_LIMIT,       /* numbers get larger than clew remembers */
  CLEW_REASON_UNCONFIRMED, /* a violation was found, but nobody could confirm it */
  CLEW_REASON_RANKS,       /* the search is one of several processes, which do not decide it */
  CLEW_REASON_APPROXIMATE, /* something was found, perhaps only because the search explored more
                            * than there is (stopwatches) */
};

struct clew_outcome {
  enum clew_decision decision;
  enum clew_reason reason; /* UNDECIDED */
  /* VIOLATED, or HOLDS because of what was reached: */
  uint32_t depth; /* transitions from an initial state; CLEW_NONE where it makes no sense (cover) */
  uint32_t site;  /* run-time error behind it, or CLEW_NONE */
};

/* By property index. */
struct clew_outcomes {
  uint32_t count;
  struct clew_outcome *list;   /* owned */
  CLEW_VEC(uint32_t) violated; /* indices, in the order in which they were found */
};

/* The scope of a search: all that its verdict depends on, apart from the outcomes. */
struct clew_scope {
  bool complete;   /* every reachable state was expanded */
  bool lossless;   /* none was left out */
  bool has_states; /* there was at least one */
  bool is_absurd;  /* there is none, and no assumption is the reason: the model cannot be right */
  /* Parts of the model that were asked for and that nothing can check (clew_model.unchecked). */
  uint32_t unchecked;
  bool is_partial; /* the model does not have all behaviour of its text: what is not found may be
                    * there all the same */
};

/* All of `count` properties undecided: those in the bit set `asked` as unfinished. */
void clew_outcomes_open(struct clew_outcomes *outcomes, uint32_t count, const uint64_t *asked);
void clew_outcomes_free(struct clew_outcomes *outcomes);
bool clew_outcome_is_asked(const struct clew_outcomes *outcomes, uint32_t property);
/* The property will stay undecided for this reason, unless it is violated already. */
void clew_outcomes_give_up(struct clew_outcomes *outcomes, uint32_t property,
                           enum clew_reason reason);
/* A violated property stays violated, with the depth that was said first. */
void clew_outcomes_violate(struct clew_outcomes *outcomes, uint32_t property, uint32_t depth,
                           uint32_t site);
/* What the property, a REACH, asks for was found: it holds, whatever else there is. */
void clew_outcomes_reach(struct clew_outcomes *outcomes, uint32_t property, uint32_t depth);
/* Whether paths show everything that was asked for by itself: nothing is left to be found out. */
bool clew_outcomes_are_shown(const struct clew_outcomes *outcomes,
                             const struct clew_property *properties);
/* Violations that nobody could confirm are none: their properties are undecided again, and the
 * scope is not complete. */
void clew_outcomes_retract(struct clew_outcomes *outcomes, struct clew_scope *scope);
/* What was found is doubtful: properties that it decides are undecided again, as approximate. */
void clew_outcomes_doubt(struct clew_outcomes *outcomes, const struct clew_property *properties);
/* The search is over. A property that is still unfinished holds if the scope proves it (a REACH is
 * violated then); otherwise it is given up, for the reason that the scope gives. Call it once,
 * last.
 */
void clew_outcomes_close(struct clew_outcomes *outcomes, const struct clew_property *properties,
                         const struct clew_scope *scope);

/* The verdict and its exit code. `kinds` is the model's table of properties. */
struct clew_conclusion {
  enum clew_verdict verdict;
  enum clew_exit exit_code;
};
struct clew_conclusion clew_outcomes_conclude(const struct clew_outcomes *outcomes,
                                              const struct clew_property *properties,
                                              const struct clew_scope *scope);
/* For those who ask whether everything was seen, not whether it is right (`stats`). */
struct clew_conclusion clew_scope_conclude(const struct clew_scope *scope);

#endif
