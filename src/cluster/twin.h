/* A transport between threads of one process, for tests: each plays a rank. It behaves as badly as
 * the contract of transport.h allows, and beyond that as badly as a test asks for. */
#ifndef CLEW_CLUSTER_TWIN_H
#define CLEW_CLUSTER_TWIN_H

#include "cluster/transport.h"

/* What goes wrong. Zeroed: nothing does, and messages arrive in order. */
struct clew_twin_faults {
  uint64_t seed;
  /* Of 256: a message is held back for some calls, comes before an earlier one, is delivered a
   * second time, or a credit is refused. All of these are harmless. */
  uint8_t delay, reorder, duplicate, refuse;
  /* Counting from 1 (0: never): this message of all loses its last bytes, or has a byte changed. */
  uint64_t shorten_at, damage_at;
  /* This rank neither sends nor receives anything after so many calls of its own (0: never). */
  uint32_t lost_rank;
  uint64_t lost_at;
};

struct clew_twin;

struct clew_twin *clew_twin_open(uint32_t ranks, const struct clew_twin_faults *faults);
/* All ranks are closed. */
void clew_twin_close(struct clew_twin *twin);
/* The transport of a rank, which is closed by its own `close`. */
struct clew_transport *clew_twin_join(struct clew_twin *twin, uint32_t rank);
/* Whether a rank has asked for the end of all. */
bool clew_twin_is_aborted(const struct clew_twin *twin);

#endif
