/* Ranks as threads: queues of messages under one lock.
 *
 * Invariant: between two ranks at most CLEW_TRANSPORT_CREDIT messages count as under way; a copy
 * that a fault adds does not. Of reductions the present one collects, and the one before keeps its
 * result until all have it: nobody can be further ahead, because the present one needs everybody.
 */
#include "cluster/twin.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"

struct message {
  uint32_t from;
  uint32_t held; /* calls of the receiver until it is there */
  bool counts;   /* for the credit */
  size_t bytes;
  unsigned char *data;
};

struct rank {
  CLEW_VEC(struct message) mail;
  uint64_t calls;
};

struct reduction {
  uint32_t arrived, count;
  uint64_t *values;
};

struct clew_twin {
  uint32_t ranks;
  struct clew_twin_faults faults;
  pthread_mutex_t lock;
  uint64_t random, messages;
  uint32_t *under_way; /* from * ranks + to */
  struct rank *rank;
  uint64_t generation; /* of the reduction that collects */
  struct reduction reductions[2];
  atomic_bool aborted;
};

struct twin_rank {
  struct clew_transport base;
  struct clew_twin *twin;
  bool reducing;
  uint64_t generation; /* of its reduction */
};

static struct twin_rank *of(struct clew_transport *transport) {
  return (struct twin_rank *)transport;
}

struct clew_twin *clew_twin_open(uint32_t ranks, const struct clew_twin_faults *faults) {
  struct clew_twin *twin = clew_alloc_zero(1, sizeof *twin);
  twin->ranks = ranks;
  twin->faults = faults != NULL ? *faults : (struct clew_twin_faults){0};
  twin->random = twin->faults.seed * 2 + 1;
  twin->under_way = clew_alloc_zero((size_t)ranks * ranks, sizeof *twin->under_way);
  twin->rank = clew_alloc_zero(ranks, sizeof *twin->rank);
  pthread_mutex_init(&twin->lock, NULL);
  return twin;
}

void clew_twin_close(struct clew_twin *twin) {
  for (uint32_t i = 0; i < twin->ranks; i++) {
    for (uint32_t k = 0; k < twin->rank[i].mail.len; k++) {
      clew_free(twin->rank[i].mail.data[k].data);
    }
    clew_vec_free(&twin->rank[i].mail);
  }
  clew_free(twin->reductions[0].values);
  clew_free(twin->reductions[1].values);
  clew_free(twin->under_way);
  clew_free(twin->rank);
  pthread_mutex_destroy(&twin->lock);
  clew_free(twin);
}

bool clew_twin_is_aborted(const struct clew_twin *twin) {
  return atomic_load(&twin->aborted);
}

/* ---- faults; with the lock ---- */

static bool happens(struct clew_twin *twin, uint8_t chance) {
  twin->random = twin->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return chance > 0 && (twin->random >> 33 & 0xff) < chance;
}

/* Counts a call. True: the rank is dead. */
static bool is_lost(struct twin_rank *rank) {
  struct clew_twin *twin = rank->twin;
  uint64_t calls = ++twin->rank[rank->base.rank].calls;
  return twin->faults.lost_at > 0 && twin->faults.lost_rank == rank->base.rank &&
         calls >= twin->faults.lost_at;
}

static void deliver(struct clew_twin *twin, uint32_t to, uint32_t from, const void *data,
                    size_t bytes, bool counts) {
  struct rank *rank = &twin->rank[to];
  struct message message = {.from = from, .counts = counts, .bytes = bytes};
  message.data = clew_alloc(bytes + 1);
  memcpy(message.data, data, bytes);
  message.held = happens(twin, twin->faults.delay) ? 1 + (uint32_t)(twin->random >> 40) % 64 : 0;
  twin->messages++;
  if (twin->messages == twin->faults.shorten_at) {
    message.bytes -= bytes / 3 + 1;
  }
  if (twin->messages == twin->faults.damage_at) {
    message.data[bytes / 2] ^= 0x10;
  }
  clew_vec_push(&rank->mail, message);
  if (rank->mail.len > 1 && happens(twin, twin->faults.reorder)) {
    struct message *last = &clew_vec_last(&rank->mail), *other = &rank->mail.data[0];
    message = *last;
    *last = *other;
    *other = message;
  }
}

/* ---- the six functions ---- */

static struct clew_transport *twin_open(const char **why) {
  *why = "ranks of a twin are joined";
  return NULL;
}

static bool twin_send(struct clew_transport *transport, uint32_t to, const void *data,
                      size_t bytes) {
  struct twin_rank *rank = of(transport);
  struct clew_twin *twin = rank->twin;
  assert(to < twin->ranks && to != transport->rank && bytes <= transport->message_bytes);
  pthread_mutex_lock(&twin->lock);
  uint32_t *under_way = &twin->under_way[transport->rank * twin->ranks + to];
  bool lost = is_lost(rank);
  bool sent = lost || (*under_way < CLEW_TRANSPORT_CREDIT &&
                       (data == NULL || !happens(twin, twin->faults.refuse)));
  if (sent && !lost && data != NULL) {
    (*under_way)++;
    deliver(twin, to, transport->rank, data, bytes, true);
    if (happens(twin, twin->faults.duplicate)) {
      deliver(twin, to, transport->rank, data, bytes, false);
    }
  }
  pthread_mutex_unlock(&twin->lock);
  return sent;
}

static size_t twin_receive(struct clew_transport *transport, uint32_t *from, void *buffer) {
  struct twin_rank *rank = of(transport);
  struct clew_twin *twin = rank->twin;
  struct rank *own = &twin->rank[transport->rank];
  size_t bytes = 0;
  pthread_mutex_lock(&twin->lock);
  bool lost = is_lost(rank);
  for (uint32_t i = 0; i < own->mail.len && bytes == 0 && !lost; i++) {
    struct message message = own->mail.data[i];
    if (message.held > 0) {
      own->mail.data[i].held--;
      continue;
    }
    bytes = message.bytes;
    *from = message.from;
    memcpy(buffer, message.data, bytes);
    clew_free(message.data);
    memmove(own->mail.data + i, own->mail.data + i + 1,
            (own->mail.len - i - 1) * sizeof *own->mail.data);
    own->mail.len--;
    twin->under_way[message.from * twin->ranks + transport->rank] -= message.counts;
  }
  pthread_mutex_unlock(&twin->lock);
  return bytes;
}

/* Adds this rank's values to the reduction that collects; the last one finishes it. */
static void arrive(struct clew_twin *twin, enum clew_reduction reduction, const uint64_t *values,
                   uint32_t count) {
  struct reduction *now = &twin->reductions[twin->generation % 2];
  if (now->arrived == 0) {
    clew_free(now->values);
    now->values = clew_alloc((count + 1) * sizeof *now->values);
    now->count = count;
    memcpy(now->values, values, count * sizeof *values);
  } else {
    assert(now->count == count);
    for (uint32_t i = 0; i < count; i++) {
      now->values[i] = clew_reduction_apply(reduction, now->values[i], values[i]);
    }
  }
  if (++now->arrived == twin->ranks) {
    twin->generation++;
    twin->reductions[twin->generation % 2].arrived = 0;
  }
}

static bool twin_reduce(struct clew_transport *transport, enum clew_reduction reduction,
                        uint64_t *values, uint32_t count) {
  struct twin_rank *rank = of(transport);
  struct clew_twin *twin = rank->twin;
  pthread_mutex_lock(&twin->lock);
  bool lost = is_lost(rank), done = false;
  if (!lost && !rank->reducing) {
    rank->generation = twin->generation;
    rank->reducing = true;
    arrive(twin, reduction, values, count);
  }
  if (!lost && twin->generation > rank->generation) {
    const struct reduction *finished = &twin->reductions[rank->generation % 2];
    memcpy(values, finished->values, count * sizeof *values);
    rank->reducing = false;
    done = true;
  }
  pthread_mutex_unlock(&twin->lock);
  return done;
}

static void twin_abort(struct clew_transport *transport, int exit_code) {
  (void)exit_code;
  atomic_store(&of(transport)->twin->aborted, true);
}

static void twin_close(struct clew_transport *transport) {
  clew_free(transport);
}

static const struct clew_transport_type twin_type = {
    .name = "twin",
    .open = twin_open,
    .send = twin_send,
    .receive = twin_receive,
    .reduce = twin_reduce,
    .abort = twin_abort,
    .close = twin_close,
};

struct clew_transport *clew_twin_join(struct clew_twin *twin, uint32_t rank) {
  struct twin_rank *one = clew_alloc_zero(1, sizeof *one);
  assert(rank < twin->ranks);
  one->base = (struct clew_transport){.type = &twin_type,
                                      .rank = rank,
                                      .ranks = twin->ranks,
                                      .node_rank = rank,
                                      .node_ranks = twin->ranks,
                                      .message_bytes = CLEW_TRANSPORT_MOST_BYTES};
  one->twin = twin;
  return &one->base;
}
