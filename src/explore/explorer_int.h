/* Inside of the explorer. */
#ifndef CLEW_EXPLORE_EXPLORER_INT_H
#define CLEW_EXPLORE_EXPLORER_INT_H

#include "base/json.h"
#include "explore/explorer.h"

struct clew_explorer {
  struct clew_explorer_config config;
  struct clew_tree tree;
  struct clew_scan *scan; /* NULL: nothing is looked for among saved states */
  struct clew_model *scan_model;
};

/* One answer in progress. */
struct clew_exchange {
  struct clew_explorer *explorer;
  const struct clew_request *request;
  struct clew_reply *reply;
  struct clew_json_writer w;
};

/* The body becomes {"error": …}. */
void clew_answer_fail(struct clew_exchange *answer, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with the first message of the sink. */
void clew_answer_fail_diags(struct clew_exchange *answer, int status,
                            const struct clew_diag_sink *diags);
/* An argument that is a number up to `most`. Where it is not given, or is none, it is `otherwise`.
 */
uint64_t clew_answer_number(const struct clew_exchange *answer, const char *name, uint64_t most,
                            uint64_t otherwise);
/* The node that the argument "id" names; CLEW_NONE, and an error, when there is none. */
uint32_t clew_answer_node(struct clew_exchange *answer);
/* {"id": …}, or the error that the tree's answer means. */
void clew_answer_tree(struct clew_exchange *answer, enum clew_tree_answer result, uint32_t id,
                      uint32_t site);
/* `state` is the one before; NULL: it is not known, or the edge is a start. */
void clew_answer_key_name(struct clew_exchange *answer, bool start, const uint64_t *state,
                          uint32_t edge);

/* Requests. */
typedef void clew_answer_function(struct clew_exchange *answer);
clew_answer_function clew_answer_of_model, clew_answer_of_node, clew_answer_of_path,
    clew_answer_of_graph, clew_answer_of_seek, clew_answer_of_saved, clew_answer_of_scan;

/* Whether the property is violated in the state; a run-time error while evaluating it counts. */
bool clew_explorer_violates(const struct clew_explorer *explorer, uint32_t property,
                            const uint64_t *state);
bool clew_explorer_is_bad(const struct clew_explorer *explorer, const uint64_t *state);

#endif
