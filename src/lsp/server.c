/* The server: reads messages, keeps documents, hands requests on. */
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/message.h"
#include "cli/options.h"
#include "lsp/lsp_int.h"
#include "report/version.h"

/* ---- reading ---- */

static const struct clew_json *get(const struct clew_json *object, const char *key) {
  return object != NULL && object->kind == CLEW_JSON_OBJECT ? clew_json_get(object, key) : NULL;
}

const char *clew_lsp_string(const struct clew_json *object, const char *key) {
  const struct clew_json *value = get(object, key);
  return value != NULL && value->kind == CLEW_JSON_STRING ? value->string : NULL;
}

int64_t clew_lsp_integer(const struct clew_json *object, const char *key) {
  const struct clew_json *value = get(object, key);
  return value != NULL && value->kind == CLEW_JSON_NUMBER && value->is_integer ? value->integer : 0;
}

static uint32_t natural(const struct clew_json *object, const char *key) {
  int64_t value = clew_lsp_integer(object, key);
  return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

struct clew_lsp_position clew_lsp_position(const struct clew_json *object) {
  return (struct clew_lsp_position){natural(object, "line"), natural(object, "character")};
}

struct clew_document *clew_lsp_find(struct clew_lsp *lsp, const char *uri) {
  for (uint32_t i = 0; i < lsp->documents.len; i++) {
    if (strcmp(lsp->documents.data[i]->uri, uri) == 0) {
      return lsp->documents.data[i];
    }
  }
  return NULL;
}

/* ---- writing ---- */

void clew_lsp_put_id(struct clew_json_writer *w, const struct clew_json *id) {
  clew_json_key(w, "id");
  if (id != NULL && id->kind == CLEW_JSON_NUMBER && id->is_integer) {
    clew_json_i64(w, id->integer);
  } else {
    clew_json_string(w, id != NULL && id->kind == CLEW_JSON_STRING ? id->string : NULL);
  }
}

static void begin_message(struct clew_json_writer *w, struct clew_text *out) {
  clew_json_begin(w, out);
  clew_json_object_open(w);
  clew_json_key(w, "jsonrpc");
  clew_json_string(w, "2.0");
}

void clew_lsp_begin(struct clew_json_writer *w, struct clew_text *out, const struct clew_json *id) {
  begin_message(w, out);
  clew_lsp_put_id(w, id);
  clew_json_key(w, "result");
}

void clew_lsp_end(struct clew_lsp *lsp, struct clew_json_writer *w, struct clew_text *out) {
  clew_json_object_close(w);
  clew_json_end(w);
  clew_wire_send(&lsp->wire, out);
  clew_text_free(out);
}

void clew_lsp_fail(struct clew_lsp *lsp, const struct clew_json *id, int code,
                   const char *message) {
  struct clew_text out = {0};
  struct clew_json_writer w;
  begin_message(&w, &out);
  clew_lsp_put_id(&w, id);
  clew_json_key(&w, "error");
  clew_json_object_open(&w);
  clew_json_key(&w, "code");
  clew_json_i64(&w, code);
  clew_json_key(&w, "message");
  clew_json_string(&w, message);
  clew_json_object_close(&w);
  clew_lsp_end(lsp, &w, &out);
}

void clew_lsp_message(struct clew_lsp *lsp, const char *method, int type, const char *message) {
  struct clew_text out = {0};
  struct clew_json_writer w;
  begin_message(&w, &out);
  clew_json_key(&w, "method");
  clew_json_string(&w, method);
  clew_json_key(&w, "params");
  clew_json_object_open(&w);
  clew_json_key(&w, "type");
  clew_json_i64(&w, type);
  clew_json_key(&w, "message");
  clew_json_string(&w, message);
  clew_json_object_close(&w);
  clew_lsp_end(lsp, &w, &out);
}

static void put_position(struct clew_json_writer *w, const char *key,
                         struct clew_lsp_position position) {
  clew_json_key(w, key);
  clew_json_object_open(w);
  clew_json_key_u64(w, "line", position.line);
  clew_json_key_u64(w, "character", position.character);
  clew_json_object_close(w);
}

void clew_lsp_put_range(struct clew_json_writer *w, const char *key,
                        const struct clew_document *document, uint32_t offset, uint32_t length) {
  clew_json_key(w, key);
  clew_json_object_open(w);
  put_position(w, "start", clew_document_position(document, offset));
  put_position(w, "end", clew_document_position(document, offset + length));
  clew_json_object_close(w);
}

static void put_finding(struct clew_json_writer *w, const struct clew_document *document,
                        const struct clew_finding *finding) {
  static const uint8_t severities[] = {[CLEW_ERROR] = 1, [CLEW_WARNING] = 2, [CLEW_NOTE] = 3};
  clew_json_object_open(w);
  clew_lsp_put_range(w, "range", document, finding->offset, finding->length);
  clew_json_key_u64(w, "severity", severities[finding->severity]);
  clew_json_key(w, "source");
  clew_json_string(w, finding->source);
  clew_json_key(w, "message");
  clew_json_string(w, finding->message);
  clew_json_object_close(w);
}

void clew_lsp_publish(struct clew_lsp *lsp, const struct clew_document *document) {
  struct clew_text out = {0};
  struct clew_json_writer w;
  begin_message(&w, &out);
  clew_json_key(&w, "method");
  clew_json_string(&w, "textDocument/publishDiagnostics");
  clew_json_key(&w, "params");
  clew_json_object_open(&w);
  clew_json_key(&w, "uri");
  clew_json_string(&w, document->uri);
  clew_json_key(&w, "version");
  clew_json_i64(&w, document->version);
  clew_json_key(&w, "diagnostics");
  clew_json_array_open(&w);
  for (uint32_t i = 0; i < document->findings.len; i++) {
    put_finding(&w, document, &document->findings.data[i]);
  }
  for (uint32_t i = 0; i < document->checked.len; i++) {
    put_finding(&w, document, &document->checked.data[i]);
  }
  clew_json_array_close(&w);
  clew_json_object_close(&w);
  clew_lsp_end(lsp, &w, &out);
}

/* ---- documents ---- */

static void close_document(struct clew_lsp *lsp, const struct clew_json *params) {
  const char *uri = clew_lsp_string(get(params, "textDocument"), "uri");
  for (uint32_t i = 0; uri != NULL && i < lsp->documents.len; i++) {
    struct clew_document *document = lsp->documents.data[i];
    if (strcmp(document->uri, uri) == 0) {
      clew_findings_clear(document, false);
      clew_findings_clear(document, true);
      clew_lsp_publish(lsp, document); /* nothing: the file is none of ours now */
      clew_document_free(document);
      lsp->documents.data[i] = clew_vec_last(&lsp->documents);
      lsp->documents.len--;
      return;
    }
  }
}

static void open_document(struct clew_lsp *lsp, const struct clew_json *params) {
  const struct clew_json *item = get(params, "textDocument");
  const char *uri = clew_lsp_string(item, "uri"), *text = clew_lsp_string(item, "text");
  if (uri == NULL || text == NULL) {
    return;
  }
  struct clew_document *document = clew_lsp_find(lsp, uri);
  if (document == NULL) {
    document = clew_document_new(uri, clew_lsp_string(item, "languageId"));
    clew_vec_push(&lsp->documents, document);
  }
  document->version = clew_lsp_integer(item, "version");
  clew_document_set(document, text, strlen(text));
}

static void change_document(struct clew_lsp *lsp, const struct clew_json *params) {
  const struct clew_json *item = get(params, "textDocument"), *list = get(params, "contentChanges");
  const char *uri = clew_lsp_string(item, "uri");
  struct clew_document *document = uri != NULL ? clew_lsp_find(lsp, uri) : NULL;
  if (document == NULL || list == NULL || list->kind != CLEW_JSON_ARRAY) {
    return;
  }
  for (uint32_t i = 0; i < list->count; i++) {
    const struct clew_json *change = &list->items[i], *range = get(change, "range");
    const char *text = clew_lsp_string(change, "text");
    if (text != NULL && range != NULL) {
      clew_document_replace(document, clew_lsp_position(get(range, "start")),
                            clew_lsp_position(get(range, "end")), text);
    } else if (text != NULL) {
      clew_document_set(document, text, strlen(text));
    }
  }
  document->version = clew_lsp_integer(item, "version");
}

/* ---- requests ---- */

static void put_capabilities(struct clew_json_writer *w) {
  static const char *const providers[] = {"hoverProvider", "definitionProvider",
                                          "referencesProvider", "documentHighlightProvider",
                                          "documentSymbolProvider"};
  clew_json_key(w, "textDocumentSync");
  clew_json_object_open(w);
  clew_json_key(w, "openClose");
  clew_json_bool(w, true);
  clew_json_key_u64(w, "change", 2); /* stretches of the text */
  clew_json_object_close(w);
  for (size_t i = 0; i < sizeof providers / sizeof providers[0]; i++) {
    clew_json_key(w, providers[i]);
    clew_json_bool(w, true);
  }
  clew_json_key(w, "completionProvider");
  clew_json_object_open(w);
  clew_json_object_close(w);
  clew_json_key(w, "codeLensProvider");
  clew_json_object_open(w);
  clew_json_object_close(w);
  clew_json_key(w, "executeCommandProvider");
  clew_json_object_open(w);
  clew_json_key(w, "commands");
  clew_json_array_open(w);
  clew_json_string(w, "clew.check");
  clew_json_array_close(w);
  clew_json_object_close(w);
}

static void initialize(struct clew_lsp *lsp, const struct clew_json *id) {
  struct clew_text out = {0};
  struct clew_json_writer w;
  clew_lsp_begin(&w, &out, id);
  clew_json_object_open(&w);
  clew_json_key(&w, "capabilities");
  clew_json_object_open(&w);
  put_capabilities(&w);
  clew_json_object_close(&w);
  clew_json_key(&w, "serverInfo");
  clew_json_object_open(&w);
  clew_json_key(&w, "name");
  clew_json_string(&w, "clew");
  clew_json_key(&w, "version");
  clew_json_string(&w, CLEW_VERSION);
  clew_json_object_close(&w);
  clew_json_object_close(&w);
  clew_lsp_end(lsp, &w, &out);
  lsp->is_ready = true;
}

static void shut_down(struct clew_lsp *lsp, const struct clew_json *id) {
  struct clew_text out = {0};
  struct clew_json_writer w;
  clew_lsp_stop_jobs(lsp);
  lsp->is_shut_down = true;
  clew_lsp_begin(&w, &out, id);
  clew_json_string(&w, NULL);
  clew_lsp_end(lsp, &w, &out);
}

static void answer_request(struct clew_lsp *lsp, const char *method, const struct clew_json *id,
                           const struct clew_json *params) {
  if (lsp->is_shut_down) {
    clew_lsp_fail(lsp, id, CLEW_LSP_INVALID, "the server is shut down");
  } else if (strcmp(method, "initialize") == 0) {
    initialize(lsp, id);
  } else if (!lsp->is_ready) {
    clew_lsp_fail(lsp, id, CLEW_LSP_NOT_READY, "initialize comes first");
  } else if (strcmp(method, "shutdown") == 0) {
    shut_down(lsp, id);
  } else if (strcmp(method, "workspace/executeCommand") == 0) {
    clew_lsp_check(lsp, id, params);
  } else if (!clew_lsp_feature(lsp, method, id, params)) {
    clew_lsp_fail(lsp, id, CLEW_LSP_UNKNOWN, "there is no such method");
  }
}

static void take_notification(struct clew_lsp *lsp, const char *method,
                              const struct clew_json *params) {
  if (strcmp(method, "exit") == 0) {
    lsp->is_over = true;
  } else if (!lsp->is_ready || lsp->is_shut_down) {
    return;
  } else if (strcmp(method, "textDocument/didOpen") == 0) {
    open_document(lsp, params);
  } else if (strcmp(method, "textDocument/didChange") == 0) {
    change_document(lsp, params);
  } else if (strcmp(method, "textDocument/didClose") == 0) {
    close_document(lsp, params);
  } else if (strcmp(method, "$/cancelRequest") == 0) {
    clew_lsp_cancel(lsp, get(params, "id"));
  }
}

static void take_message(struct clew_lsp *lsp, const struct clew_text *body) {
  struct clew_arena *arena = clew_arena_open();
  size_t offset;
  const char *error;
  const struct clew_json *message =
      clew_json_parse(arena, clew_text_str(body), body->len, &offset, &error);
  const char *method = clew_lsp_string(message, "method");
  const struct clew_json *id = get(message, "id");
  if (message == NULL) {
    clew_lsp_fail(lsp, NULL, CLEW_LSP_PARSE, error);
  } else if (method == NULL) {
    /* An answer to something that this server never asks, or nonsense. */
    if (get(message, "result") == NULL && get(message, "error") == NULL) {
      clew_lsp_fail(lsp, id, CLEW_LSP_INVALID, "a message has a method");
    }
  } else if (id != NULL) {
    answer_request(lsp, method, id, get(message, "params"));
  } else {
    take_notification(lsp, method, get(message, "params"));
  }
  clew_arena_close(arena);
}

/* ---- the loop ---- */

/* All messages that have come as a whole. */
static void take_messages(struct clew_lsp *lsp) {
  struct clew_text body = {0};
  enum clew_wire_answer answer;
  while (!lsp->is_over && (answer = clew_wire_take(&lsp->wire, &body)) != CLEW_WIRE_NOTHING) {
    switch (answer) {
    case CLEW_WIRE_MESSAGE:
      take_message(lsp, &body);
      break;
    case CLEW_WIRE_TOO_BIG:
      clew_lsp_fail(lsp, NULL, CLEW_LSP_INVALID, "the message is too large: the limit is 64 MB");
      break;
    case CLEW_WIRE_BAD:
      clew_lsp_fail(lsp, NULL, CLEW_LSP_PARSE, "a message begins with its Content-Length");
      break;
    default:
      lsp->is_over = true;
      break;
    }
  }
  clew_text_free(&body);
}

/* Analyses one document that was changed; false when there is none. */
static bool analyse_one(struct clew_lsp *lsp) {
  for (uint32_t i = 0; i < lsp->documents.len; i++) {
    if (lsp->documents.data[i]->is_dirty) {
      clew_document_analyse(lsp->documents.data[i]);
      clew_lsp_publish(lsp, lsp->documents.data[i]);
      return true;
    }
  }
  return false;
}

static bool has_dirty(const struct clew_lsp *lsp) {
  for (uint32_t i = 0; i < lsp->documents.len; i++) {
    if (lsp->documents.data[i]->is_dirty) {
      return true;
    }
  }
  return false;
}

static void serve(struct clew_lsp *lsp) {
  while (!lsp->is_over) {
    struct pollfd ready[] = {{.fd = lsp->wire.in, .events = POLLIN},
                             {.fd = lsp->done[0], .events = POLLIN}};
    int wait_ms = has_dirty(lsp) ? 0 : -1;
    int count = poll(ready, 2, wait_ms);
    if (count == 0) {
      (void)analyse_one(lsp);
      continue;
    }
    if (count > 0 && ready[1].revents != 0) {
      clew_lsp_collect(lsp);
    }
    if (count > 0 && ready[0].revents != 0) {
      clew_wire_fill(&lsp->wire);
      take_messages(lsp);
    }
  }
}

enum clew_exit clew_command_lsp(const struct clew_options *options) {
  (void)options;
  struct clew_lsp lsp = {.wire = {.in = STDIN_FILENO, .out = STDOUT_FILENO}};
  if (pipe(lsp.done) != 0) {
    clew_message("the system gives no pipe");
    return CLEW_EXIT_INTERNAL;
  }
  (void)fcntl(lsp.done[0], F_SETFD, FD_CLOEXEC);
  (void)fcntl(lsp.done[1], F_SETFD, FD_CLOEXEC);
  (void)fcntl(lsp.done[0], F_SETFL, O_NONBLOCK);
  serve(&lsp);
  clew_lsp_stop_jobs(&lsp);
  for (uint32_t i = 0; i < lsp.documents.len; i++) {
    clew_document_free(lsp.documents.data[i]);
  }
  clew_vec_free(&lsp.documents);
  clew_vec_free(&lsp.jobs);
  clew_text_free(&lsp.wire.buffer);
  close(lsp.done[0]);
  close(lsp.done[1]);
  /* The protocol: 0 if it was shut down before, 1 otherwise. */
  return lsp.is_shut_down ? CLEW_EXIT_OK : (enum clew_exit)1;
}
