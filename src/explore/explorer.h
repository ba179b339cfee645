/* The explorer: answers the questions of somebody who walks through a model. It knows nothing of
 * the network: a request is a name, arguments and a body, and a reply is a document.
 *
 * Requests (JSON; ids are those of nodes of the tree; [POST] changes something):
 *
 *   model               what the model is, and where a walk can begin
 *   start?initial=E     [POST] the node of an initial state: {"id"}
 *   node?id=N&from=K    one state: its variables, what can happen (from the K-th on), what is wrong
 *   step?id=N&edge=E    [POST] {"id"}
 *   path?id=N           the walk so far, as in web/story.h
 *   graph?id=N&depth=D  the states around it
 *   seek?id=N&seconds=S [POST] the nearest state in which the expression of the body is true
 *   export?id=N         the walk as a file that `clew replay` and `load` take
 *   load                [POST] takes a walk or a counterexample: {"id", "steps"}
 *   forget?id=N         [POST] all but the path to it; {"id"} is its new id
 *   saved?id=K          [POST] goes to a state of the saved search: {"id"}
 *   scan?seconds=S      [POST] with a body: goes through the saved states from the first on, for
 * one in which the expression is true; without: goes on
 *
 * A request that cannot be answered gets {"error": "…"} and a status of its own. */
#ifndef CLEW_EXPLORE_EXPLORER_H
#define CLEW_EXPLORE_EXPLORER_H

#include "explore/saved.h"
#include "explore/tree.h"

struct clew_argument {
  const char *name, *value;
};

struct clew_request {
  bool is_post;
  const char *name;
  const struct clew_argument *arguments;
  uint32_t argument_count;
  const char *body; /* terminated */
  size_t body_length;
};

struct clew_reply {
  int status;       /* of HTTP: 200, 400, 404, 405, 507 */
  const char *type; /* of the document; static */
  struct clew_text body;
};

struct clew_explorer_config {
  const struct clew_model *model; /* served by the interpreter, without reductions */
  const uint64_t *enabled;        /* properties that count */
  struct clew_saved *saved;       /* or NULL */
  /* Opens a model of the same text in which the last goal has this expression: for
   * walking, or for the saved search. NULL and a message when it is no expression. The explorer
   * closes it. */
  struct clew_model *(*ask)(void *context, const char *expression, bool of_saved,
                            struct clew_diag_sink *diags);
  /* Appends the walk as a file. */
  void (*export_walk)(void *context, const struct clew_trace *trace, struct clew_text *out);
  void *context;
  uint64_t memory_bytes; /* of the tree, and of one search */
};

struct clew_explorer;

/* Everything is borrowed. */
struct clew_explorer *clew_explorer_open(const struct clew_explorer_config *config);
void clew_explorer_close(struct clew_explorer *explorer);
/* `body` of the reply is freed by the caller. */
void clew_explorer_answer(struct clew_explorer *explorer, const struct clew_request *request,
                          struct clew_reply *reply);

#endif
