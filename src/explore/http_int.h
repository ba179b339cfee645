/* libmicrohttpd, loaded when it is needed: with the libraries that it needs itself it takes 2.4 MB
 * of memory, which commands that serve nothing are spared. */
#ifndef CLEW_EXPLORE_HTTP_INT_H
#define CLEW_EXPLORE_HTTP_INT_H

#include <microhttpd.h>
#include <stdbool.h>

/* Each is the function of the same name with MHD_ before it. */
#define CLEW_HTTP_FUNCTIONS(X)                                                                     \
  X(start_daemon)                                                                                  \
  X(stop_daemon)                                                                                   \
  X(lookup_connection_value)                                                                       \
  X(get_connection_values)                                                                         \
  X(create_response_from_buffer)                                                                   \
  X(add_response_header)                                                                           \
  X(queue_response)                                                                                \
  X(destroy_response)

struct clew_http {
#define CLEW_HTTP_POINTER(name) __typeof__(MHD_##name) *name;
  CLEW_HTTP_FUNCTIONS(CLEW_HTTP_POINTER)
#undef CLEW_HTTP_POINTER
};

/* The library, which stays loaded; or NULL, and `why` says what is missing. One thread at a time.
 * `CLEW_MICROHTTPD` in the environment names another file. */
const struct clew_http *clew_http_load(const char **why);

#endif
