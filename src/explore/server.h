/* The explorer on the network: pages and requests over HTTP, on the loopback interface alone.
 *
 * The address has a random token, so that other users of the machine and other pages in the browser
 * cannot talk to it. A request must also name this server as its host, which no page from elsewhere
 * can make a browser do. Sizes of requests and the number of connections are bounded; requests are
 * answered one after the other. */
#ifndef CLEW_EXPLORE_SERVER_H
#define CLEW_EXPLORE_SERVER_H

#include <stdatomic.h>

#include "base/diag.h"
#include "base/status.h"
#include "explore/explorer.h"

struct clew_server_config {
  struct clew_explorer *explorer;
  const struct clew_text *page; /* the document at the address itself */
  uint16_t port;                /* 0: any that is free */
  const atomic_bool *stop;      /* ends it */
  /* Called once, with the address. */
  void (*ready)(void *context, const char *address);
  void *context;
};

/* Whether this clew was built with it and the library can be loaded; if not, `why` says what is
 * missing. */
bool clew_server_is_there(const char **why);
/* Serves until the stop flag is raised. */
enum clew_status clew_server_run(const struct clew_server_config *config,
                                 struct clew_diag_sink *diags);

#endif
