/* Common to all parts of the ComBack store: its ids, and how rebuilt states are handed over.
 *
 * Ids of states are clew_id where they travel; tables that keep many of them pack them. Numbers of
 * slots, nodes and candidates are 32-bit. */
#ifndef CLEW_STORE_COMBACK_COMMON_INT_H
#define CLEW_STORE_COMBACK_COMMON_INT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bigmem.h"
#include "base/id.h"

#define CLEW_COMBACK_NONE UINT32_MAX /* no slot, node or candidate; no state is CLEW_ID_NONE */
#define CLEW_COMBACK_MAX_STATES (CLEW_ID_LIMIT - 2)

struct clew_comback;

/* A state was rebuilt. Which one, `number` says: its place in the list of those that were wanted.
 */
typedef void clew_comback_found(void *context, uint32_t number, const uint64_t *state);

/* Reserves as many addresses as the system allows, at most `bytes` or what the budget can pay. */
bool clew_comback_region_open(struct clew_bigmem *mem, uint64_t bytes, struct clew_budget *budget);

#endif
