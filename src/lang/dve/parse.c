/* The parser's core: taking tokens, complaining, finding the way again; and the model as a whole.
 */
#include "lang/dve/parse.h"

#include <assert.h>
#include <stdarg.h>

/* ---- Tokens --------------------------------------------------------------------------------- */

struct dve_span dve_here(const struct dve_parser *p) {
  return (struct dve_span){p->at->offset, p->at->length};
}

struct dve_span dve_previous(const struct dve_parser *p) {
  const struct clew_token *token = p->at > p->first ? p->at - 1 : p->at;
  return (struct dve_span){token->offset, token->length};
}

bool dve_accept(struct dve_parser *p, uint32_t kind) {
  assert(kind != CLEW_TOKEN_END);
  if (p->panic || p->at->kind != kind) {
    return false;
  }
  p->at++;
  return true;
}

void dve_fail(struct dve_parser *p, struct dve_span span, const char *format, ...) {
  bool at_end = p->at == p->last;
  bool silent = p->panic || (at_end && p->end_reported);
  p->panic = true;
  p->end_reported = p->end_reported || at_end;
  if (silent) {
    return;
  }
  va_list args;
  va_start(args, format);
  clew_diag_vat(p->d->diags, CLEW_ERROR, p->d->source, span.offset, span.length, format, args);
  va_end(args);
}

static void fail_expected_at(struct dve_parser *p, struct dve_span span, const char *what) {
  assert(what != NULL);
  if (p->at->kind == CLEW_TOKEN_END) {
    dve_fail(p, span, "expected %s, found the end of the file", what);
  } else {
    dve_fail(p, span, "expected %s, found '%s'", what, dve_text(p->d, dve_here(p)));
  }
}

void dve_fail_expected(struct dve_parser *p, const char *what) {
  fail_expected_at(p, dve_here(p), what);
}

/* A missing ';' is reported where it should be, not at the start of the next line. */
static void fail_semicolon(struct dve_parser *p, const char *what) {
  struct dve_span before = dve_previous(p), here = dve_here(p);
  struct dve_span behind = {before.offset + before.length, 1};
  bool same_line = dve_position(p->d, before).line == dve_position(p->d, here).line;
  fail_expected_at(p, same_line ? here : behind, what);
}

bool dve_expect(struct dve_parser *p, uint32_t kind, const char *where) {
  if (dve_accept(p, kind)) {
    return true;
  }
  if (!p->panic) {
    const char *what =
        clew_arena_printf(p->d->arena, "%s%s%s", dve_token_name(kind), *where ? " " : "", where);
    if (kind == DVE_TOKEN_SEMICOLON) {
      fail_semicolon(p, what);
    } else {
      dve_fail_expected(p, what);
    }
  }
  return false;
}

void dve_fail_limit(struct dve_parser *p, struct dve_span span, const char *what, int limit) {
  dve_fail(p, span, "%s: the limit is %d", what, limit);
  p->at = p->last;
  p->end_reported = true;
}

bool dve_nest(struct dve_parser *p) {
  if (p->nesting == DVE_MAX_NESTING) {
    dve_fail_limit(p, dve_here(p), "nested too deeply", DVE_MAX_NESTING);
    return false;
  }
  p->nesting++;
  return true;
}

void dve_unnest(struct dve_parser *p) {
  assert(p->nesting > 0);
  p->nesting--;
}

struct dve_ref dve_parse_ref(struct dve_parser *p, const char *what) {
  struct dve_ref ref = {.span = dve_here(p)};
  if (p->panic || dve_peek(p) != CLEW_TOKEN_NAME) {
    dve_fail_expected(p, what);
    ref.name = dve_intern(p->d, "?", 1);
    return ref;
  }
  ref.name = dve_intern(p->d, p->d->source->text + p->at->offset, p->at->length);
  p->at++;
  return ref;
}

struct dve_refs dve_parse_refs(struct dve_parser *p, const char *what) {
  CLEW_VEC(struct dve_ref) refs = {0};
  do {
    struct dve_ref ref = dve_parse_ref(p, what);
    clew_vec_push(&refs, ref);
  } while (dve_accept(p, DVE_TOKEN_COMMA));
  struct dve_refs result = {clew_arena_copy(p->d->arena, refs.data, refs.len, sizeof *refs.data),
                            refs.len};
  clew_vec_free(&refs);
  return result;
}

/* ---- Recovery ------------------------------------------------------------------------------- */

static bool starts_section(uint32_t kind) {
  switch (kind) {
  case DVE_TOKEN_ACCEPT:
  case DVE_TOKEN_ASSERT:
  case DVE_TOKEN_CHANNEL:
  case DVE_TOKEN_COMMIT:
  case DVE_TOKEN_INIT:
  case DVE_TOKEN_PROCESS:
  case DVE_TOKEN_STATE:
  case DVE_TOKEN_SYSTEM:
  case DVE_TOKEN_TRANS:
    return true;
  default:
    return dve_starts_variables(kind);
  }
}

bool dve_ends_process(const struct dve_parser *p) {
  uint32_t next = dve_peek2(p);
  return dve_peek(p) == DVE_TOKEN_RBRACE &&
         (next == DVE_TOKEN_PROCESS || next == DVE_TOKEN_SYSTEM || next == CLEW_TOKEN_END);
}

void dve_skip_declaration(struct dve_parser *p) {
  assert(p->panic);
  p->panic = false;
  for (; p->at != p->last && !dve_ends_process(p); p->at++) {
    if (dve_peek(p) == DVE_TOKEN_SEMICOLON) {
      p->at++;
      return;
    }
    if (starts_section(dve_peek(p))) {
      return;
    }
  }
}

/* To the next process or the system. */
static void skip_top(struct dve_parser *p) {
  assert(p->panic);
  p->panic = false;
  while (p->at != p->last && dve_peek(p) != DVE_TOKEN_PROCESS && dve_peek(p) != DVE_TOKEN_SYSTEM) {
    p->at++;
  }
}

/* ---- The model ------------------------------------------------------------------------------ */

static void parse_system(struct dve_parser *p) {
  struct dve_model *model = &p->d->model;
  struct dve_span head = dve_here(p);
  p->at++;
  if (model->has_system) {
    dve_fail(p, head, "there is a 'system' already");
  }
  model->has_system = true;
  if (dve_accept(p, DVE_TOKEN_SYNC)) {
    model->is_synchronous = true;
  } else if (!dve_accept(p, DVE_TOKEN_ASYNC)) {
    dve_fail_expected(p, "'async' or 'sync' after 'system'");
  }
  if (dve_accept(p, DVE_TOKEN_PROPERTY)) {
    model->property = dve_parse_ref(p, "the name of the property process");
  }
  dve_expect(p, DVE_TOKEN_SEMICOLON, "after the kind of system");
}

void dve_parse(struct dve *d, const struct clew_tokens *tokens) {
  assert(tokens->len > 0 && tokens->data[tokens->len - 1].kind == CLEW_TOKEN_END);
  struct dve_parser *p = CLEW_NEW(d->arena, struct dve_parser);
  p->d = d;
  p->at = p->first = tokens->data;
  p->last = tokens->data + tokens->len - 1;
  struct dve_variable **variables = &d->model.variables;
  struct dve_channel **channels = &d->model.channels;
  struct dve_process **processes = &d->model.processes;
  while (p->at != p->last) {
    assert(!p->panic);
    uint32_t kind = dve_peek(p);
    if (dve_starts_variables(kind)) {
      variables = dve_parse_variables(p, variables);
    } else if (kind == DVE_TOKEN_CHANNEL) {
      channels = dve_parse_channels(p, channels);
    } else if (kind == DVE_TOKEN_PROCESS) {
      *processes = dve_parse_process(p);
      (*processes)->index = d->model.process_count++;
      processes = &(*processes)->next;
    } else if (kind == DVE_TOKEN_SYSTEM) {
      parse_system(p);
    } else {
      dve_fail_expected(p, "a declaration, a process or 'system'");
    }
    if (p->panic) {
      skip_top(p);
    }
  }
}
