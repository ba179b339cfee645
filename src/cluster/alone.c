/* A transport without others: nothing is sent, and every reduction is finished at once. */
#include <assert.h>

#include "base/alloc.h"
#include "cluster/transport.h"

static struct clew_transport *alone_open(const char **why) {
  struct clew_transport *transport = clew_alloc_zero(1, sizeof *transport);
  *transport = (struct clew_transport){.type = &clew_transport_alone,
                                       .ranks = 1,
                                       .node_ranks = 1,
                                       .message_bytes = CLEW_TRANSPORT_MOST_BYTES};
  *why = NULL;
  return transport;
}

static bool alone_send(struct clew_transport *transport, uint32_t to, const void *data,
                       size_t bytes) {
  (void)transport;
  (void)data;
  (void)bytes;
  (void)to;
  assert(false && "there is nobody to send to");
  return false;
}

static size_t alone_receive(struct clew_transport *transport, uint32_t *from, void *buffer) {
  (void)transport;
  (void)from;
  (void)buffer;
  return 0;
}

static bool alone_reduce(struct clew_transport *transport, enum clew_reduction reduction,
                         uint64_t *values, uint32_t count) {
  (void)transport;
  (void)reduction;
  (void)values;
  (void)count;
  return true;
}

static void alone_abort(struct clew_transport *transport, int exit_code) {
  (void)transport;
  (void)exit_code;
}

static void alone_close(struct clew_transport *transport) {
  clew_free(transport);
}

const struct clew_transport_type clew_transport_alone = {
    .name = "alone",
    .open = alone_open,
    .send = alone_send,
    .receive = alone_receive,
    .reduce = alone_reduce,
    .abort = alone_abort,
    .close = alone_close,
};
