/* States by id, the latest in memory and the others in a file: what a replay needs to make the
 * successors of states that the store does not give back. Most of what is read was written shortly
 * before, in nearly the same order. */
#ifndef CLEW_TRACE_PAST_H
#define CLEW_TRACE_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/file.h"
#include "base/id.h"

struct clew_past;

/* Takes memory for some blocks from the budget. Where that has none left (a store may take all of
 * it when it is opened), a few blocks are kept all the same. */
struct clew_past *clew_past_open(uint32_t words, struct clew_budget *budget,
                                 struct clew_scratch *scratch);
void clew_past_close(struct clew_past *past);
/* The state of the next id. False, and errno, when the disk fails. */
bool clew_past_push(struct clew_past *past, const uint64_t *state);
/* Valid until the next call. NULL, and errno, when the disk fails. The id must have been pushed,
 * and not forgotten. */
const uint64_t *clew_past_get(struct clew_past *past, clew_id id);
/* States below this id will not be asked for any more. */
void clew_past_forget(struct clew_past *past, clew_id below);

#endif
