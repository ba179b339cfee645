/* Messages between the processes of one search: the *ranks* 0, 1, …, each with a number of its own.
 *
 * Six functions are all that a search needs, so that it runs over MPI, over threads of one process
 * in tests (twin.h), or alone:
 *
 *   open      joins the others
 *   send      hands a message over, unless too much waits for the receiver already
 *   receive   takes a message, if one is there
 *   reduce    combines numbers of all ranks; everyone gets the result
 *   abort     ends all ranks, now
 *   close     leaves; all ranks do it together
 *
 * Nothing waits: a caller that has to wait goes on receiving meanwhile, or two ranks that wait for
 * each other would never end (team.h has that loop).
 *
 * Credit. Between two ranks at most CLEW_TRANSPORT_CREDIT messages are under way. `send` refuses
 * more, so what a slow rank has not received yet takes bounded memory everywhere.
 *
 * Order. Messages may overtake each other and reductions. A reduction is not finished before all
 * ranks have begun it.
 *
 * Threads. One call at a time; any thread may make it. */
#ifndef CLEW_CLUSTER_TRANSPORT_H
#define CLEW_CLUSTER_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  CLEW_TRANSPORT_CREDIT = 2,
  CLEW_TRANSPORT_INCOMING = 2, /* messages that a rank receives at the same time */
  CLEW_TRANSPORT_MOST_BYTES = 1 << 16
};

enum clew_reduction { CLEW_REDUCE_SUM, CLEW_REDUCE_MIN, CLEW_REDUCE_MAX, CLEW_REDUCE_OR };

struct clew_transport_type;

struct clew_transport {
  const struct clew_transport_type *type;
  uint32_t rank, ranks;
  uint32_t node_rank, node_ranks; /* among the ranks of this machine */
  /* Of a message. The caller may make it less before the first message, the same everywhere. */
  size_t message_bytes;
};

struct clew_transport_type {
  const char *name;
  /* NULL, and a reason, when there is no way to the others. */
  struct clew_transport *(*open)(const char **why);
  /* The data is copied. False: there is no credit now. Without data (NULL, 0) nothing is sent: the
   * answer is whether there is credit, as far as that is known. */
  bool (*send)(struct clew_transport *transport, uint32_t to, const void *data, size_t bytes);
  /* The length of a message, which is copied to the buffer of message_bytes, and who sent it. 0:
   * there is none now. */
  size_t (*receive)(struct clew_transport *transport, uint32_t *from, void *buffer);
  /* Begins a reduction, or goes on with the one that was begun by the same arguments. True: it is
   * finished, and `values` has the result. */
  bool (*reduce)(struct clew_transport *transport, enum clew_reduction reduction, uint64_t *values,
                 uint32_t count);
  /* May not return. */
  void (*abort)(struct clew_transport *transport, int exit_code);
  void (*close)(struct clew_transport *transport);
};

/* One rank, without any library. */
extern const struct clew_transport_type clew_transport_alone;

/* Adds to a value. */
static inline uint64_t clew_reduction_apply(enum clew_reduction reduction, uint64_t a, uint64_t b) {
  switch (reduction) {
  case CLEW_REDUCE_SUM:
    return a + b;
  case CLEW_REDUCE_MIN:
    return a < b ? a : b;
  case CLEW_REDUCE_MAX:
    return a > b ? a : b;
  case CLEW_REDUCE_OR:
    return a | b;
  }
  return a;
}

#endif
