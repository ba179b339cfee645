/* `clew lsp`: the Language Server Protocol over standard input and output. What the files of this
 * folder share.
 *
 * One thread reads, answers and writes. The text of an open document is the one that the editor
 * has; the file is never read. Analysis waits until no request is waiting, so that fast typing
 * costs one analysis. Checks work in threads of their own (by the library, include/clew.h) and hand
 * their answers over through a pipe. */
#ifndef CLEW_LSP_LSP_INT_H
#define CLEW_LSP_LSP_INT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/text.h"
#include "base/vec.h"
#include "lang/lang.h"
#include "lang/symbols.h"

/* ---- transport.c: messages ------------------------------------------------------------------ */

enum clew_wire_answer {
  CLEW_WIRE_MESSAGE,
  CLEW_WIRE_NOTHING, /* not all of one has come */
  CLEW_WIRE_TOO_BIG, /* one was skipped */
  CLEW_WIRE_BAD,     /* a head without a length was skipped */
  CLEW_WIRE_END,
};

struct clew_wire {
  int in, out;
  struct clew_text buffer; /* read and not yet used */
  size_t skip;             /* bytes of a message that is too big, still to come */
  bool ended;
};

/* Reads what is there; blocks only if nothing is. */
void clew_wire_fill(struct clew_wire *wire);
/* Takes the next message out of what was read; *body is valid until the next call. */
enum clew_wire_answer clew_wire_take(struct clew_wire *wire, struct clew_text *body);
void clew_wire_send(struct clew_wire *wire, const struct clew_text *body);

/* ---- document.c: texts and positions -------------------------------------------------------- */

/* As the protocol counts: from 0, columns in UTF-16 units. */
struct clew_lsp_position {
  uint32_t line, character;
};

struct clew_finding {
  enum clew_severity severity;
  uint32_t offset, length;
  char *message;      /* owned */
  const char *source; /* "clew", "clew check"; static */
};

struct clew_document {
  char *uri, *name; /* name: the path, for messages and suffixes */
  char *language;   /* that the editor says; may be NULL */
  int64_t version;
  struct clew_text text;
  CLEW_VEC(uint32_t) lines; /* where they start */
  bool is_dirty;            /* not analysed since it was changed */
  bool has_symbols;
  bool is_current;             /* the symbols are those of this text, not of an older one */
  struct clew_symbols symbols; /* of the last text that had some */
  CLEW_VEC(struct clew_finding) findings; /* of the analysis */
  CLEW_VEC(struct clew_finding) checked;  /* of the last check; gone when the text changes */
};

struct clew_document *clew_document_new(const char *uri, const char *language);
void clew_document_free(struct clew_document *document);
void clew_document_set(struct clew_document *document, const char *text, size_t length);
/* Replaces a stretch. Positions beyond the end of a line, or of the text, mean that end. */
void clew_document_replace(struct clew_document *document, struct clew_lsp_position start,
                           struct clew_lsp_position end, const char *text);
uint32_t clew_document_offset(const struct clew_document *document,
                              struct clew_lsp_position position);
struct clew_lsp_position clew_document_position(const struct clew_document *document,
                                                uint32_t offset);
/* The offset of a line and column as diagnostics count them (from 1, in bytes). */
uint32_t clew_document_place(const struct clew_document *document, struct clew_position position);
/* The word around an offset; its length may be 0. */
struct clew_symbol_use clew_document_word(const struct clew_document *document, uint32_t offset);
void clew_findings_clear(struct clew_document *document, bool checked);
void clew_finding_add(struct clew_document *document, bool checked, struct clew_finding finding,
                      const char *message);

/* ---- analyse.c ------------------------------------------------------------------------------ */

/* The language by what the editor says, or by the suffix; NULL: none of ours. */
const struct clew_language *clew_document_language(const struct clew_document *document);
/* Loads the text: findings and symbols. */
void clew_document_analyse(struct clew_document *document);

/* ---- server.c ------------------------------------------------------------------------------- */

/* An answer that takes long: a search in a thread. */
struct clew_lsp_job;

struct clew_lsp {
  struct clew_wire wire;
  CLEW_VEC(struct clew_document *) documents;
  CLEW_VEC(struct clew_lsp_job *) jobs;
  int done[2]; /* a pipe: a byte for each job that has ended */
  bool is_ready, is_shut_down, is_over;
};

struct clew_document *clew_lsp_find(struct clew_lsp *lsp, const char *uri);
void clew_lsp_publish(struct clew_lsp *lsp, const struct clew_document *document);
/* "id" of a request, which is a number or a string, as a key and value. */
void clew_lsp_put_id(struct clew_json_writer *w, const struct clew_json *id);
/* Begins an answer, up to the key "result"; the writer is inside of the object. */
void clew_lsp_begin(struct clew_json_writer *w, struct clew_text *out, const struct clew_json *id);
void clew_lsp_end(struct clew_lsp *lsp, struct clew_json_writer *w, struct clew_text *out);
void clew_lsp_fail(struct clew_lsp *lsp, const struct clew_json *id, int code, const char *message);
void clew_lsp_message(struct clew_lsp *lsp, const char *method, int type, const char *message);
/* Under this key ("range"). */
void clew_lsp_put_range(struct clew_json_writer *w, const char *key,
                        const struct clew_document *document, uint32_t offset, uint32_t length);
/* Reading params; NULL and 0 where something is missing or of the wrong kind. */
const char *clew_lsp_string(const struct clew_json *object, const char *key);
int64_t clew_lsp_integer(const struct clew_json *object, const char *key);
struct clew_lsp_position clew_lsp_position(const struct clew_json *object);

enum { CLEW_LSP_PARSE = -32700, CLEW_LSP_INVALID = -32600, CLEW_LSP_UNKNOWN = -32601 };
enum { CLEW_LSP_PARAMS = -32602, CLEW_LSP_NOT_READY = -32002, CLEW_LSP_CANCELLED = -32800 };

/* ---- features.c: what an editor asks about a place ------------------------------------------ */

/* Answers the request if it is one of these. */
bool clew_lsp_feature(struct clew_lsp *lsp, const char *method, const struct clew_json *id,
                      const struct clew_json *params);

/* ---- check.c -------------------------------------------------------------------------------- */

void clew_lsp_check(struct clew_lsp *lsp, const struct clew_json *id,
                    const struct clew_json *params);
/* Ends the search that was asked for by this request, if there is one. */
void clew_lsp_cancel(struct clew_lsp *lsp, const struct clew_json *id);
/* Tells the editor of searches that have ended. */
void clew_lsp_collect(struct clew_lsp *lsp);
/* Stops all searches and waits for them. */
void clew_lsp_stop_jobs(struct clew_lsp *lsp);

#endif
