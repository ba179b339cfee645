/* The parser's core: names, finding the way again after an error, and the model as a whole. */
#include "lang/dve/parse.h"

#include <assert.h>

/* ---- Names ---------------------------------------------------------------------------------- */

struct dve_ref clew_dve_parse_ref(struct clew_cursor *p, const char *what) {
  struct dve_ref ref = {.span = clew_cursor_here(p)};
  if (p->panic || clew_cursor_peek(p) != CLEW_TOKEN_NAME) {
    clew_cursor_fail_expected(p, what);
    ref.name = (struct dve_name *)clew_name_intern(&p->front->names, "?", 1);
    return ref;
  }
  ref.name = (struct dve_name *)clew_cursor_take_name(p);
  return ref;
}

struct dve_refs clew_dve_parse_refs(struct clew_cursor *p, const char *what) {
  CLEW_VEC(struct dve_ref) refs = {0};
  do {
    struct dve_ref ref = clew_dve_parse_ref(p, what);
    clew_vec_push(&refs, ref);
  } while (clew_cursor_accept(p, DVE_TOKEN_COMMA));
  struct dve_refs result = {
      clew_arena_copy(p->front->arena, refs.data, refs.len, sizeof *refs.data), refs.len};
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

bool clew_dve_ends_process(const struct clew_cursor *p) {
  uint32_t next = clew_cursor_peek2(p);
  return clew_cursor_peek(p) == DVE_TOKEN_RBRACE &&
         (next == DVE_TOKEN_PROCESS || next == DVE_TOKEN_SYSTEM || next == CLEW_TOKEN_END);
}

void clew_dve_skip_declaration(struct clew_cursor *p) {
  assert(p->panic);
  p->panic = false;
  for (; p->at != p->last && !clew_dve_ends_process(p); p->at++) {
    if (clew_cursor_peek(p) == DVE_TOKEN_SEMICOLON) {
      p->at++;
      return;
    }
    if (starts_section(clew_cursor_peek(p))) {
      return;
    }
  }
}

/* To the next process or the system. */
static void skip_top(struct clew_cursor *p) {
  assert(p->panic);
  p->panic = false;
  while (p->at != p->last && clew_cursor_peek(p) != DVE_TOKEN_PROCESS &&
         clew_cursor_peek(p) != DVE_TOKEN_SYSTEM) {
    p->at++;
  }
}

/* ---- The model ------------------------------------------------------------------------------ */

static void parse_system(struct clew_cursor *p, struct dve_model *model) {
  struct clew_span head = clew_cursor_here(p);
  p->at++;
  if (model->has_system) {
    clew_cursor_fail(p, head, "there is a 'system' already");
  }
  model->has_system = true;
  if (clew_cursor_accept(p, DVE_TOKEN_SYNC)) {
    model->is_synchronous = true;
  } else if (!clew_cursor_accept(p, DVE_TOKEN_ASYNC)) {
    clew_cursor_fail_expected(p, "'async' or 'sync' after 'system'");
  }
  if (clew_cursor_accept(p, DVE_TOKEN_PROPERTY)) {
    model->property = clew_dve_parse_ref(p, "the name of the property process");
  }
  clew_cursor_expect(p, DVE_TOKEN_SEMICOLON, "after the kind of system");
}

static void parse_model(struct clew_cursor *p, struct dve_model *model) {
  struct dve_variable **variables = &model->variables;
  struct dve_channel **channels = &model->channels;
  struct dve_process **processes = &model->processes;
  while (p->at != p->last) {
    assert(!p->panic);
    uint32_t kind = clew_cursor_peek(p);
    if (dve_starts_variables(kind)) {
      variables = clew_dve_parse_variables(p, variables);
    } else if (kind == DVE_TOKEN_CHANNEL) {
      channels = clew_dve_parse_channels(p, channels);
    } else if (kind == DVE_TOKEN_PROCESS) {
      *processes = clew_dve_parse_process(p);
      (*processes)->index = model->process_count++;
      processes = &(*processes)->next;
    } else if (kind == DVE_TOKEN_SYSTEM) {
      parse_system(p, model);
    } else {
      clew_cursor_fail_expected(p, "a declaration, a process or 'system'");
    }
    if (p->panic) {
      skip_top(p);
    }
  }
}

static struct dve_expr *parse_query(struct clew_cursor *p) {
  struct dve_expr *expr = clew_dve_parse_expr(p);
  clew_cursor_expect_end(p);
  return expr;
}

void clew_dve_parse(struct dve *d) {
  uint32_t query_count = d->front->request->query_count;
  d->model.queries = CLEW_NEW_ARRAY(d->front->arena, struct dve_expr *, query_count);
  for (uint32_t text = 0; text <= query_count; text++) {
    struct clew_cursor *p;
    bool scanned = clew_cursor_open(d->front, text, &p);
    if (scanned && text == 0) {
      parse_model(p, &d->model);
    } else if (scanned) {
      d->model.queries[text - 1] = parse_query(p);
    }
    clew_cursor_close(p);
  }
}
