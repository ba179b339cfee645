/* Lifelines: who takes part in the steps of a path, found out from the structure of the model.
 *
 * There are several ways to divide a model into participants. The processes of a language that has
 * them are one. Every set of indices that arrays of the state share is another one: the elements of
 * a scalarset, the numbers of processes. A *cast* is one such division; the best one comes first,
 * and a page lets its reader choose another.
 *
 * Nothing here asks which language a model is written in. Processes are known by the form in which
 * edges print ("P: a -> b, Q: c -> d (channel!)"), parameters by theirs (", p: 2"), arrays by the
 * names of slots ("at[2].x"). */
#ifndef CLEW_WEB_LIFELINES_H
#define CLEW_WEB_LIFELINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/vec.h"
#include "model/model.h"

/* A name of an edge, taken apart. Texts are owned. */
struct clew_edge_words {
  CLEW_VEC(char *) actors; /* processes, the one that begins first */
  char *channel;           /* "c!", "c?": what they synchronise by; NULL: nothing */
  CLEW_VEC(char *) values; /* of parameters */
};
void clew_edge_words_read(const char *name, struct clew_edge_words *words);
void clew_edge_words_free(struct clew_edge_words *words);

enum { CLEW_CAST_MOST_LINES = 32 };

struct clew_cast {
  char *name; /* owned: "processes", or the arrays: "at, flag" */
  bool is_processes;
  CLEW_VEC(char *) lines; /* owned names */
  uint32_t *line_of;      /* by slot; CLEW_NONE: nobody's. Owned */
  uint32_t *face;         /* by line: the slot that shows best how it is; CLEW_NONE: none. Owned */
};

struct clew_casts {
  CLEW_VEC(struct clew_cast) list; /* best first; may be empty */
};
void clew_casts_find(const struct clew_model *model, struct clew_casts *casts);
void clew_casts_free(struct clew_casts *casts);

/* A path, for those who draw it. `states` are count of `words` each; `edges` has one less. */
struct clew_walk {
  const struct clew_model *model;
  const uint32_t *edges;
  const uint64_t *states;
  uint32_t count;
};

/* The participants of step `step` (from 1 on), the one that acts first, to `out`, which has room
 * for all lines and one more; returns how many. A line beyond the last one is the rest of the
 * model; none at all means the same. */
uint32_t clew_cast_of_step(const struct clew_cast *cast, const struct clew_walk *walk,
                           uint32_t step, const struct clew_edge_words *words, uint32_t *out);

/* An array of charts, one for each cast, up to `most_steps` steps:
 *
 *   {"name", "lines": [name …], "faces": [slot|null …], "steps": [[line …] …],
 *    "arrows": [{"from_step", "from", "to_step", "to", "text"} …]}
 *
 * steps[0] is that of the first transition. A line beyond the last one is the rest of the model. An
 * arrow of a synchronisation has both ends at one step. One of a message, an element of a multiset
 * or of a channel, goes from the step that puts it there to the step that takes it away; "to_step"
 * is null if nobody does. */
void clew_casts_write(const struct clew_casts *casts, const struct clew_walk *walk,
                      uint32_t most_steps, struct clew_json_writer *w);

#endif
