/* Paths and states as data for pages. */
#ifndef CLEW_WEB_STORY_H
#define CLEW_WEB_STORY_H

#include "base/json.h"
#include "model/model.h"
#include "trace/trace.h"

enum {
  CLEW_STORY_MOST_STEPS = 20000,      /* of a path that a page shows */
  CLEW_STORY_MOST_CHART_STEPS = 2000, /* that it draws */
};

/* An array of the names of slots; null for hidden ones. */
void clew_story_variables(const struct clew_model *model, struct clew_json_writer *w);
/* An array of [slot, value] for the visible slots of `state` that differ from `previous`, all of
 * them if that is NULL. A value is a text, or null: there is no such variable any more. */
void clew_story_changes(const struct clew_model *model, const uint64_t *state,
                        const uint64_t *previous, struct clew_json_writer *w);
/* The key "clocks" with what clocks can be, if they matter. */
void clew_story_clocks(const struct clew_model *model, const uint64_t *state,
                       struct clew_json_writer *w);

/* The whole counterexample as an object:
 *
 *   {"variables", "steps": [{"name", "line", "changes", "time", "clocks"} …], "charts", "timed":
 * bool, "left_out": steps that are not shown, "error": {"name", "text"}, "wait": time, "because",
 * "stay_from", "loop_to", "rests"}
 *
 * Step 0 is the initial state. False, and nothing: the path cannot be replayed. `latest`: as late
 * as possible. */
bool clew_story_write(const struct clew_model *model, const struct clew_trace *trace, bool latest,
                      struct clew_json_writer *w);

#endif
