/* HTTP by libmicrohttpd (http_int.h). One thread of it polls and calls back; this one waits for the
 * end. */
#include "explore/server.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"

#ifndef CLEW_HAVE_MICROHTTPD

bool clew_server_is_there(const char **why) {
  *why = "this clew was built without libmicrohttpd: install its headers (Debian: "
         "libmicrohttpd-dev) and build it again";
  return false;
}

enum clew_status clew_server_run(const struct clew_server_config *config,
                                 struct clew_diag_sink *diags) {
  const char *why;
  (void)config;
  (void)clew_server_is_there(&why);
  clew_diag_plain(diags, CLEW_ERROR, NULL, "%s", why);
  return CLEW_BAD_USAGE;
}

#else

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "explore/http_int.h"

enum {
  TOKEN_BYTES = 16,
  MOST_CONNECTIONS = 32,
  PATIENCE_S = 75, /* with a connection that says nothing; longer than any search */
  HOST_BYTES = 64,
  MOST_ARGUMENTS = 8,
};
static const size_t BODY_LIMIT_BYTES = (size_t)16 << 20;

struct server {
  const struct clew_server_config *config;
  const struct clew_http *http;
  char token[2 * TOKEN_BYTES + 1];
  char hosts[2][HOST_BYTES]; /* that a request may name */
};

/* A request that is arriving. */
struct arrival {
  struct clew_text body;
  bool is_too_large;
};

bool clew_server_is_there(const char **why) {
  return clew_http_load(why) != NULL;
}

static bool make_token(char *out) {
  unsigned char bytes[TOKEN_BYTES];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
    return false;
  }
  for (size_t i = 0; i < sizeof bytes; i++) {
    snprintf(out + 2 * i, 3, "%02x", bytes[i]);
  }
  return true;
}

/* In a time that does not depend on where they differ. */
static bool same_token(const char *given, const char *token) {
  unsigned char difference = 0;
  for (size_t i = 0; i < 2 * TOKEN_BYTES; i++) {
    difference |= (unsigned char)(given[i] ^ token[i]);
  }
  return difference == 0;
}

/* The part of the address behind "/TOKEN/"; NULL: it is not one of ours. */
static const char *behind_token(const struct server *server, const char *url) {
  size_t length = strlen(url);
  bool ok = length >= 2 * TOKEN_BYTES + 2 && url[0] == '/' && url[2 * TOKEN_BYTES + 1] == '/' &&
            same_token(url + 1, server->token);
  return ok ? url + 2 * TOKEN_BYTES + 2 : NULL;
}

static bool is_for_us(const struct server *server, struct MHD_Connection *connection) {
  const char *host = server->http->lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
  return host != NULL &&
         (strcmp(host, server->hosts[0]) == 0 || strcmp(host, server->hosts[1]) == 0);
}

static enum MHD_Result respond(const struct server *server, struct MHD_Connection *connection,
                               unsigned status, const char *type, const char *body, size_t length) {
  const struct clew_http *http = server->http;
  struct MHD_Response *response =
      http->create_response_from_buffer(length, (void *)(uintptr_t)body, MHD_RESPMEM_MUST_COPY);
  if (response == NULL) {
    return MHD_NO;
  }
  http->add_response_header(response, "Content-Type", type);
  http->add_response_header(response, "Cache-Control", "no-store");
  http->add_response_header(response, "X-Content-Type-Options", "nosniff");
  http->add_response_header(response, "X-Frame-Options", "DENY");
  http->add_response_header(response, "Referrer-Policy", "no-referrer");
  http->add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
  enum MHD_Result result = http->queue_response(connection, status, response);
  http->destroy_response(response);
  return result;
}

static enum MHD_Result refuse(const struct server *server, struct MHD_Connection *connection,
                              unsigned status, const char *why) {
  return respond(server, connection, status, "text/plain; charset=utf-8", why, strlen(why));
}

struct arguments {
  struct clew_argument list[MOST_ARGUMENTS];
  uint32_t count;
};

static enum MHD_Result add_argument(void *context, enum MHD_ValueKind kind, const char *name,
                                    const char *value) {
  struct arguments *arguments = context;
  (void)kind;
  if (value != NULL && arguments->count < MOST_ARGUMENTS) {
    arguments->list[arguments->count++] = (struct clew_argument){name, value};
  }
  return MHD_YES;
}

static enum MHD_Result answer(const struct server *server, struct MHD_Connection *connection,
                              const char *name, bool is_post, const struct arrival *arrival) {
  struct arguments arguments = {0};
  server->http->get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_argument, &arguments);
  struct clew_request request = {.is_post = is_post,
                                 .name = name,
                                 .arguments = arguments.list,
                                 .argument_count = arguments.count,
                                 .body = clew_text_str(&arrival->body),
                                 .body_length = arrival->body.len};
  struct clew_reply reply;
  clew_explorer_answer(server->config->explorer, &request, &reply);
  enum MHD_Result result = respond(server, connection, (unsigned)reply.status, reply.type,
                                   clew_text_str(&reply.body), reply.body.len);
  clew_text_free(&reply.body);
  return result;
}

static enum MHD_Result serve(const struct server *server, struct MHD_Connection *connection,
                             const char *url, const char *method, const struct arrival *arrival) {
  const char *path = behind_token(server, url);
  bool is_post = strcmp(method, "POST") == 0;
  if (path == NULL || !is_for_us(server, connection)) {
    return refuse(server, connection, MHD_HTTP_FORBIDDEN,
                  "Use the address that clew explore printed.\n");
  }
  if (arrival->is_too_large) {
    return refuse(server, connection, MHD_HTTP_CONTENT_TOO_LARGE, "The request is too large.\n");
  }
  if (!is_post && strcmp(method, "GET") != 0) {
    return refuse(server, connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET or POST.\n");
  }
  if (strncmp(path, "api/", 4) == 0) {
    return answer(server, connection, path + 4, is_post, arrival);
  }
  if (*path != '\0') {
    return refuse(server, connection, MHD_HTTP_NOT_FOUND, "There is nothing here.\n");
  }
  const struct clew_text *page = server->config->page;
  return respond(server, connection, MHD_HTTP_OK, "text/html; charset=utf-8", clew_text_str(page),
                 page->len);
}

/* Called first when the head has arrived, then for each piece of the body, then at its end. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *data_bytes, void **arrival_slot) {
  (void)version;
  struct arrival *arrival = *arrival_slot;
  if (arrival == NULL) {
    *arrival_slot = clew_alloc_zero(1, sizeof *arrival);
    return MHD_YES;
  }
  if (*data_bytes > 0) {
    if (arrival->body.len + *data_bytes > BODY_LIMIT_BYTES) {
      arrival->is_too_large = true; /* the rest is read and dropped */
    } else {
      clew_text_put_n(&arrival->body, data, *data_bytes);
    }
    *data_bytes = 0;
    return MHD_YES;
  }
  return serve(context, connection, url, method, arrival);
}

static void forget(void *context, struct MHD_Connection *connection, void **arrival_slot,
                   enum MHD_RequestTerminationCode why) {
  (void)context;
  (void)connection;
  (void)why;
  struct arrival *arrival = *arrival_slot;
  if (arrival != NULL) {
    clew_text_free(&arrival->body);
    clew_free(arrival);
    *arrival_slot = NULL;
  }
}

static void announce(const struct server *server) {
  char address[HOST_BYTES + 2 * TOKEN_BYTES + 16];
  snprintf(address, sizeof address, "http://%s/%s/", server->hosts[0], server->token);
  server->config->ready(server->config->context, address);
}

/* A socket on the loopback interface, and its port; -1 and errno. */
static int listen_on(uint16_t *port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(*port)};
  socklen_t length = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0) {
    return -1;
  }
  if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
      listen(fd, MOST_CONNECTIONS) != 0 ||
      getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  *port = ntohs(address.sin_port);
  return fd;
}

enum clew_status clew_server_run(const struct clew_server_config *config,
                                 struct clew_diag_sink *diags) {
  const char *why;
  struct server server = {.config = config, .http = clew_http_load(&why)};
  if (server.http == NULL) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "%s", why);
    return CLEW_BAD_USAGE;
  }
  uint16_t port = config->port;
  if (!make_token(server.token)) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "no random numbers: %s", strerror(errno));
    return CLEW_IO_FAILED;
  }
  int fd = listen_on(&port);
  snprintf(server.hosts[0], HOST_BYTES, "127.0.0.1:%u", (unsigned)port);
  snprintf(server.hosts[1], HOST_BYTES, "localhost:%u", (unsigned)port);
  struct MHD_Daemon *daemon =
      fd < 0 ? NULL
             : server.http->start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, handle,
                                         &server, MHD_OPTION_LISTEN_SOCKET, fd,
                                         MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
                                         MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)PATIENCE_S,
                                         MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_END);
  if (daemon == NULL) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "cannot listen on port %u of 127.0.0.1: %s",
                    (unsigned)port, strerror(errno));
    if (fd >= 0) {
      close(fd);
    }
    return CLEW_IO_FAILED;
  }
  announce(&server);
  while (!atomic_load(config->stop)) {
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
  }
  server.http->stop_daemon(daemon); /* closes the socket, too */
  return CLEW_OK;
}

#endif
