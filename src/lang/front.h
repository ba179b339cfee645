/* What every front end needs while it translates one model: an arena, the names, and where in which
 * text something stands, to complain about it.
 *
 * A translation reads several texts: the model and the queries of the command line. They share one
 * numbering of offsets: each text has a base, and a span is a stretch of offsets that lies in one
 * of them. So a node of the tree carries two integers, whichever text it comes from.
 *
 * Ownership: the front end owns the arena; everything of a translation lives in it and goes when
 * the front end is closed. The request, the texts and the sink are borrowed. */
#ifndef CLEW_LANG_FRONT_H
#define CLEW_LANG_FRONT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "lang/lang.h"
#include "lang/lex.h"
#include "lang/name_table.h"

struct clew_span {
  uint32_t offset, length;
};

/* From the start of the first to the end of the last, which does not come before it. */
static inline struct clew_span clew_span_join(struct clew_span first, struct clew_span last) {
  assert(first.offset <= last.offset);
  uint32_t end = last.offset + last.length;
  return (struct clew_span){first.offset, end > first.offset ? end - first.offset : first.length};
}

/* What the shared parts have to know of a language. */
struct clew_syntax {
  const struct clew_lex_style *style;
  const char *const *token_names; /* by kind, as messages name them: "'then'", "a name" */
  uint32_t semicolon;   /* the kind that ends a line: its absence is reported there, not behind */
  uint32_t max_nesting; /* of the source: parentheses, statements, … */
  uint32_t max_depth;   /* of expression trees */
  size_t name_bytes;    /* of the struct that starts with a struct clew_name */
};

/* Where a byte of a text comes from, when the text was made from a file. */
typedef uint32_t clew_front_origin(const void *context, uint32_t offset);

/* One of the texts. */
struct clew_front_text {
  const struct clew_source *source; /* what is scanned */
  const struct clew_source *shown;  /* where messages point: the source, unless it was made */
  clew_front_origin *origin;        /* NULL: shown is the source */
  const void *context;
  const char *end_name;  /* "the end of the file" */
  uint32_t base;         /* the offset of its first byte */
  uint32_t *line_starts; /* of what is shown, counted from its first byte */
  uint32_t line_count;
};

struct clew_front {
  const struct clew_load_request *request;
  const struct clew_syntax *syntax;
  struct clew_diag_sink *diags;
  uint32_t errors_before; /* in the sink, not ours */
  struct clew_arena *arena;
  struct clew_name_table names;
  struct clew_front_text *texts; /* of the model, then of each query */
  uint32_t text_count;
};

void clew_front_open(struct clew_front *front, const struct clew_load_request *request,
                     const struct clew_syntax *syntax, struct clew_diag_sink *diags);
/* The model's text was made from `file`: positions and messages are those of the file. */
void clew_front_show(struct clew_front *front, const struct clew_source *file,
                     clew_front_origin *origin, const void *context);
/* The end of a translation: finishes the program unless there were errors, and closes the front
 * end. On failure the program is closed and *out is NULL. */
enum clew_status clew_front_close(struct clew_front *front, struct clew_program *program,
                                  struct clew_program **out);

/* A translation from beginning to end: the program is finished. On failure *program is NULL and the
 * sink says why. */
typedef enum clew_status clew_front_translate(const struct clew_load_request *request,
                                              struct clew_diag_sink *diags,
                                              struct clew_program **program);
/* For clew_language.load: the model of the program that the translation makes. */
enum clew_status clew_front_load(clew_front_translate *translate,
                                 const struct clew_load_request *request,
                                 struct clew_diag_sink *diags, struct clew_model **model);

/* Whether nothing was wrong so far. */
bool clew_front_ok(const struct clew_front *front);

/* ---- Texts ---------------------------------------------------------------------------------- */

/* The text that a span is in. */
const struct clew_front_text *clew_front_text_of(const struct clew_front *front,
                                                 struct clew_span span);
/* In its own text. */
struct clew_position clew_front_position(const struct clew_front *front, struct clew_span span);
/* In the model; line 0 when the span is in a query. */
struct clew_position clew_front_model_position(const struct clew_front *front,
                                               struct clew_span span);
/* For messages without a position: "line 12", "--goal". */
const char *clew_front_where(struct clew_front *front, struct clew_span span);
/* The text of a span on one line, blanks and comments collapsed, shortened when long; and all of
 * it. */
const char *clew_front_excerpt(struct clew_front *front, struct clew_span span);
const char *clew_front_one_line(struct clew_front *front, struct clew_span span);

/* ---- Messages ------------------------------------------------------------------------------- */

void clew_front_error(struct clew_front *front, struct clew_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void clew_front_verror(struct clew_front *front, struct clew_span span, const char *format,
                       va_list args) __attribute__((format(printf, 3, 0)));
void clew_front_warn_whole(struct clew_front *front, const char *message);
void clew_front_warn(struct clew_front *front, struct clew_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* About the model as a whole. */
void clew_front_error_whole(struct clew_front *front, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "unknown WHAT 'name'OF; did you mean 'nearest'?", once for each name; where the name is a habit
 * of another language, how it is written in this one. Before looking for what is nearest, which
 * takes time, ask whether the answer would be read. */
bool clew_front_wants_nearest(const struct clew_front *front, const struct clew_name *name);
void clew_front_unknown(struct clew_front *front, struct clew_name *name, struct clew_span span,
                        const char *what, const char *of, const char *nearest);

/* ---- Names, for editors --------------------------------------------------------------------- */

/* All of these do nothing where nobody asks, or where a span is not in the model. */
static inline bool clew_front_notes(const struct clew_front *front) {
  return front->request->symbols != NULL;
}
/* Something is declared; `within` is the span of the name that it belongs to, or NULL. The detail
 * may be "". */
void clew_front_define(struct clew_front *front, struct clew_span span, enum clew_symbol_kind kind,
                       const char *name, const char *detail, const struct clew_span *within);
/* The same for what a part of the text can see only. */
void clew_front_define_local(struct clew_front *front, struct clew_span span,
                             enum clew_symbol_kind kind, const char *name, const char *detail);
/* Something is found out about it: "0..3". */
void clew_front_remark(struct clew_front *front, struct clew_span declared, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* It is used, here. */
void clew_front_use(struct clew_front *front, struct clew_span here, struct clew_span declared);

/* ---- For lowering --------------------------------------------------------------------------- */

/* A place of run-time errors. Those of queries say so, for they have no line in the model. */
uint32_t clew_front_vsite(struct clew_front *front, struct clew_program *program,
                          enum clew_site_kind kind, struct clew_span span, const char *format,
                          va_list args) __attribute__((format(printf, 5, 0)));

/* Adds query number `query`, whose lowered truth is `value` (0 or 1), as a property: an invariant,
 * which for a goal is that the value is 0. The frame is that of the value, or NULL. */
void clew_front_add_query(struct clew_front *front, struct clew_program *program, uint32_t query,
                          struct clew_frame *frame, const struct clew_expr *value);

#endif
