/* The ranks of one search as seen by each of them: a transport, who waits how long, and what all do
 * together.
 *
 * Every function here is called by all ranks, in the same order. A rank that does not answer for
 * `patience_s` seconds is lost, and the team with it: from then on nothing is sent and everything
 * answers false at once, so that the caller can say what it knows and end. */
#ifndef CLEW_CLUSTER_TEAM_H
#define CLEW_CLUSTER_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/transport.h"

/* What stands before the contents of every message. Messages of a phase are numbered by sender and
 * receiver, so one that comes twice, or from an earlier phase, is noticed, and so is damage. */
struct clew_letter {
  uint64_t sum; /* of all that follows */
  uint64_t key; /* of the team */
  uint32_t phase, number, kind, count;
};

struct clew_team {
  struct clew_transport *transport; /* borrowed */
  uint64_t key;                     /* of what the search is about; the same everywhere */
  uint32_t phase;
  uint32_t *numbers; /* by receiver: messages of this phase */
  struct clew_seen {
    uint64_t *set;
    uint32_t words;
  } * seen; /* by sender: numbers that have come */
  uint64_t messages_sent, bytes_sent;
  uint32_t rank, ranks;
  pthread_mutex_t lock; /* of the transport, while several threads use it */
  double patience_s;
  const atomic_bool *hurry; /* raised: the process is about to be ended; or NULL */
  atomic_bool lost;
  const char *why; /* it is lost: the end of a sentence */
  _Atomic uint64_t waited_us;
};

void clew_team_open(struct clew_team *team, struct clew_transport *transport, double patience_s,
                    const atomic_bool *hurry);
void clew_team_close(struct clew_team *team); /* the transport stays open */

/* The team is lost, for this reason. */
void clew_team_lose(struct clew_team *team, const char *why);
static inline bool clew_team_is_lost(const struct clew_team *team) {
  return atomic_load_explicit(&team->lost, memory_order_relaxed);
}

/* Waiting, for something that others have to do. Zeroed: it has just begun. */
struct clew_wait {
  uint32_t idle; /* calls since there was something to do */
  double since_s, last_s;
};
/* There was nothing to do: lets others use the processor. False: the team is lost, perhaps because
 * that has gone on for too long. */
bool clew_team_idle(struct clew_team *team, struct clew_wait *wait);
/* There was something to do. */
static inline void clew_wait_renew(struct clew_wait *wait) {
  wait->idle = 0;
}

/* A new phase begins: everything that was sent before was received. */
void clew_team_begin(struct clew_team *team);
/* Completes the letter at the beginning of `message`, of which kind and count are set, and hands it
 * over. False: there is no credit. With the lock. */
bool clew_team_send(struct clew_team *team, uint32_t to, unsigned char *message, size_t bytes);
/* A message of this phase, or 0. One that is damaged is the end of the team. With the lock. */
size_t clew_team_receive(struct clew_team *team, uint32_t *from, unsigned char *buffer);

/* Combines the numbers of all ranks; waits for them, and receives nothing. False: lost. */
bool clew_team_reduce(struct clew_team *team, enum clew_reduction reduction, uint64_t *values,
                      uint32_t count);
/* The bytes of one rank become those of all. */
bool clew_team_share(struct clew_team *team, uint32_t from, void *data, size_t bytes);
/* Whether it is so on all ranks; false as well if the team is lost. */
bool clew_team_all(struct clew_team *team, bool here);

/* Records of the same length, from all ranks to all. Each rank fills `out` before and reads `in`
 * after; the order within one sender's records is kept. */
struct clew_post {
  uint32_t record_bytes;
  struct clew_post_box {
    unsigned char *data;
    uint64_t count, room; /* records */
  } * out, *in;           /* by rank */
  unsigned char *buffer;  /* of a message */
};
void clew_post_open(struct clew_post *post, const struct clew_team *team, uint32_t record_bytes);
void clew_post_close(struct clew_post *post, const struct clew_team *team);
/* Room for one more record to a rank. */
void *clew_post_add(struct clew_post *post, uint32_t to);
/* Exchanges them; `out` is empty then. False: lost. */
bool clew_post_exchange(struct clew_post *post, struct clew_team *team);

#endif
