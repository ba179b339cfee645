/* The transport over MPI: a library of its own (clew-mpi.so), which clew loads when it is started
 * by mpirun. clew itself knows nothing of MPI, and this uses nothing of clew but its header.
 *
 * Credit comes from synchronous sends: MPI_Issend is not finished before the receiver has begun to
 * receive. Two buffers for each destination are thus all that can be under way, and a message is
 * copied into one of them, so that nobody writes to a buffer that is being sent.
 *
 * A long message is handed over in parts, whenever both sides call MPI. To wait for its end would
 * keep a processor busy for as long as the sender does something else. So messages that come are
 * received in the background, a few at a time. */
#include <mpi.h>

#include <stdlib.h>
#include <string.h>

#include "cluster/transport.h"

enum { TAG = 1 };

struct slot {
  unsigned char *data; /* NULL: not needed so far */
  MPI_Request request;
};

struct mpi {
  struct clew_transport base;
  MPI_Comm comm;
  struct slot *slots; /* CREDIT for each rank */
  struct slot incoming[CLEW_TRANSPORT_INCOMING];
  int reducing; /* whether a reduction is under way */
  MPI_Request reduction;
  uint64_t *result;
  uint32_t room;
};

extern const struct clew_transport_type clew_transport_mpi __attribute__((visibility("default")));

static struct clew_transport *mpi_open(const char **why) {
  int provided = 0, rank = 0, ranks = 1, started = 0;
  MPI_Comm node;
  *why = "MPI cannot be initialised";
  if (MPI_Initialized(&started) != MPI_SUCCESS || started ||
      MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
    return NULL;
  }
  if (provided < MPI_THREAD_SERIALIZED) {
    *why = "this MPI cannot be called by different threads";
    MPI_Finalize();
    return NULL;
  }
  struct mpi *mpi = calloc(1, sizeof *mpi);
  MPI_Comm_dup(MPI_COMM_WORLD, &mpi->comm);
  MPI_Comm_rank(mpi->comm, &rank);
  MPI_Comm_size(mpi->comm, &ranks);
  mpi->base = (struct clew_transport){.type = &clew_transport_mpi,
                                      .rank = (uint32_t)rank,
                                      .ranks = (uint32_t)ranks,
                                      .message_bytes = CLEW_TRANSPORT_MOST_BYTES};
  MPI_Comm_split_type(mpi->comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &rank);
  mpi->base.node_rank = (uint32_t)rank;
  MPI_Comm_size(node, &rank);
  mpi->base.node_ranks = (uint32_t)rank;
  MPI_Comm_free(&node);
  mpi->slots = calloc((size_t)ranks * CLEW_TRANSPORT_CREDIT, sizeof *mpi->slots);
  for (int i = 0; i < ranks * CLEW_TRANSPORT_CREDIT; i++) {
    mpi->slots[i].request = MPI_REQUEST_NULL;
  }
  for (int i = 0; i < CLEW_TRANSPORT_INCOMING; i++) {
    mpi->incoming[i].request = MPI_REQUEST_NULL;
  }
  *why = NULL;
  return &mpi->base;
}

static bool mpi_send(struct clew_transport *transport, uint32_t to, const void *data,
                     size_t bytes) {
  struct mpi *mpi = (struct mpi *)transport;
  for (uint32_t i = 0; i < CLEW_TRANSPORT_CREDIT; i++) {
    struct slot *slot = &mpi->slots[(size_t)to * CLEW_TRANSPORT_CREDIT + i];
    int is_free = slot->request == MPI_REQUEST_NULL;
    if (!is_free) {
      MPI_Test(&slot->request, &is_free, MPI_STATUS_IGNORE);
    }
    if (is_free && data == NULL) {
      return true;
    }
    if (is_free) {
      if (slot->data == NULL) {
        slot->data = malloc(transport->message_bytes);
      }
      memcpy(slot->data, data, bytes);
      MPI_Issend(slot->data, (int)bytes, MPI_BYTE, (int)to, TAG, mpi->comm, &slot->request);
      return true;
    }
  }
  return false;
}

/* Begins to receive a message, if one has come. */
static void begin_incoming(struct mpi *mpi, struct slot *slot) {
  int there = 0, bytes = 0;
  MPI_Message message;
  MPI_Status status;
  MPI_Improbe(MPI_ANY_SOURCE, TAG, mpi->comm, &there, &message, &status);
  if (!there) {
    return;
  }
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  if ((size_t)bytes > mpi->base.message_bytes) {
    bytes = (int)mpi->base.message_bytes; /* nobody sends such a thing */
  }
  if (slot->data == NULL) {
    slot->data = malloc(mpi->base.message_bytes);
  }
  MPI_Imrecv(slot->data, bytes, MPI_BYTE, &message, &slot->request);
}

static size_t mpi_receive(struct clew_transport *transport, uint32_t *from, void *buffer) {
  struct mpi *mpi = (struct mpi *)transport;
  for (uint32_t i = 0; i < CLEW_TRANSPORT_INCOMING; i++) {
    struct slot *slot = &mpi->incoming[i];
    int done = 0, bytes = 0;
    MPI_Status status;
    if (slot->request == MPI_REQUEST_NULL) {
      begin_incoming(mpi, slot);
    }
    if (slot->request == MPI_REQUEST_NULL) {
      continue;
    }
    MPI_Test(&slot->request, &done, &status);
    if (done) {
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      memcpy(buffer, slot->data, (size_t)bytes);
      *from = (uint32_t)status.MPI_SOURCE;
      return (size_t)bytes;
    }
  }
  return 0;
}

static MPI_Op op_of(enum clew_reduction reduction) {
  switch (reduction) {
  case CLEW_REDUCE_MIN:
    return MPI_MIN;
  case CLEW_REDUCE_MAX:
    return MPI_MAX;
  case CLEW_REDUCE_OR:
    return MPI_BOR;
  default:
    return MPI_SUM;
  }
}

static bool mpi_reduce(struct clew_transport *transport, enum clew_reduction reduction,
                       uint64_t *values, uint32_t count) {
  struct mpi *mpi = (struct mpi *)transport;
  int done = 0;
  if (!mpi->reducing) {
    if (count > mpi->room) {
      free(mpi->result);
      mpi->result = malloc(count * sizeof *values);
      mpi->room = count;
    }
    MPI_Iallreduce(values, mpi->result, (int)count, MPI_UINT64_T, op_of(reduction), mpi->comm,
                   &mpi->reduction);
    mpi->reducing = 1;
  }
  MPI_Test(&mpi->reduction, &done, MPI_STATUS_IGNORE);
  if (done) {
    memcpy(values, mpi->result, count * sizeof *values);
    mpi->reducing = 0;
  }
  return done != 0;
}

static void mpi_abort(struct clew_transport *transport, int exit_code) {
  MPI_Abort(((struct mpi *)transport)->comm, exit_code);
}

static void mpi_close(struct clew_transport *transport) {
  struct mpi *mpi = (struct mpi *)transport;
  for (uint32_t i = 0; i < transport->ranks * CLEW_TRANSPORT_CREDIT; i++) {
    free(mpi->slots[i].data);
  }
  free(mpi->slots);
  free(mpi->result);
  for (uint32_t i = 0; i < CLEW_TRANSPORT_INCOMING; i++) {
    if (mpi->incoming[i].request == MPI_REQUEST_NULL) { /* else it is still written to */
      free(mpi->incoming[i].data);
    }
  }
  MPI_Comm_free(&mpi->comm);
  MPI_Finalize();
  free(mpi);
}

const struct clew_transport_type clew_transport_mpi = {
    .name = "mpi",
    .open = mpi_open,
    .send = mpi_send,
    .receive = mpi_receive,
    .reduce = mpi_reduce,
    .abort = mpi_abort,
    .close = mpi_close,
};
