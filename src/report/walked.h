/* Figures of walks (`clew simulate --walks`), as text and as JSON. */
#ifndef CLEW_REPORT_WALKED_H
#define CLEW_REPORT_WALKED_H

#include <stdint.h>

#include "base/json.h"
#include "base/text.h"
#include "model/model.h"

struct clew_walk_figures {
  uint64_t walks, steps; /* that were taken */
  uint64_t longest;      /* walk */
  uint64_t ended;        /* walks that could not go on */
  uint64_t cut;          /* walks that ended at a limit of clew */
  uint64_t found_in;     /* the walk that found something, from 1 on; 0: none did */
  uint64_t found_length; /* of its path, before it was shortened */
  uint32_t rule_count;
  const uint64_t *fired; /* by rule (by edge where the model has no rules): steps; NULL: not known;
                          * borrowed */
};

/* How many rules a model has, for the figures: edges where it has none. */
uint32_t clew_walk_rule_count(const struct clew_model *model);
/* Adds the steps of each edge to those of its rule. */
void clew_walk_count_rules(const struct clew_model *model, const uint64_t *by_edge,
                           uint64_t *by_rule);
/* "rules fired 3 of 5" and, if nothing was found, the names of the others. */
void clew_walk_put_rules(const struct clew_model *model, const struct clew_walk_figures *figures,
                         struct clew_text *out);
/* The object "walks". */
void clew_walk_put_json(const struct clew_model *model, const struct clew_walk_figures *figures,
                        struct clew_json_writer *w);

#endif
