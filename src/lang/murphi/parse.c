/* The parser's core: names, finding the way again after an error, and the model as a whole. */
#include "lang/murphi/parse.h"

#include <assert.h>
#include <string.h>

/* ---- Kinds of tokens ------------------------------------------------------------------------ */

bool clew_murphi_is_end(uint32_t kind) {
  return kind >= MURPHI_TOKEN_END && kind <= MURPHI_TOKEN_ENDWHILE;
}

bool clew_murphi_is_section(uint32_t kind) {
  return kind == MURPHI_TOKEN_CONST || kind == MURPHI_TOKEN_TYPE || kind == MURPHI_TOKEN_VAR;
}

bool clew_murphi_is_top(uint32_t kind) {
  switch (kind) {
  case MURPHI_TOKEN_RULE:
  case MURPHI_TOKEN_RULESET:
  case MURPHI_TOKEN_STARTSTATE:
  case MURPHI_TOKEN_INVARIANT:
  case MURPHI_TOKEN_PROCEDURE:
  case MURPHI_TOKEN_FUNCTION:
  case MURPHI_TOKEN_EXTERNFUN:
  case MURPHI_TOKEN_EXTERNPROC:
    return true;
  default:
    return false;
  }
}

/* Words that only one of Murphi's dialects reserves, and that no construct can mistake for the
 * start of something else when they stand where a name is due. */
static bool is_soft(uint32_t kind) {
  switch (kind) {
  case MURPHI_TOKEN_ASSUME:
  case MURPHI_TOKEN_CHOOSE:
  case MURPHI_TOKEN_COVER:
  case MURPHI_TOKEN_ISMEMBER:
  case MURPHI_TOKEN_LIVENESS:
  case MURPHI_TOKEN_MULTISET:
  case MURPHI_TOKEN_MULTISETADD:
  case MURPHI_TOKEN_MULTISETCOUNT:
  case MURPHI_TOKEN_MULTISETREMOVE:
  case MURPHI_TOKEN_MULTISETREMOVEPRED:
  case MURPHI_TOKEN_UNION:
    return true;
  default:
    return false;
  }
}

bool clew_murphi_at_name(const struct clew_cursor *p) {
  return p->at->kind == CLEW_TOKEN_NAME || is_soft(p->at->kind);
}

struct murphi_name *clew_murphi_parse_name(struct clew_cursor *p, const char *what) {
  if (p->panic || !clew_murphi_at_name(p)) {
    clew_cursor_fail_expected(p, what);
    return (struct murphi_name *)clew_name_intern(&p->front->names, "?", 1);
  }
  return (struct murphi_name *)clew_cursor_take_name(p);
}

const char *clew_murphi_parse_string(struct clew_cursor *p) {
  if (p->panic || p->at->kind != CLEW_TOKEN_STRING) {
    return NULL;
  }
  return clew_cursor_take_string(p);
}

const char *clew_murphi_parse_title(struct clew_cursor *p) {
  const char *text = clew_murphi_parse_string(p);
  if (text == NULL) {
    return NULL;
  }
  text += strspn(text, " ");
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == ' ') {
    length--;
  }
  return clew_arena_strndup(p->front->arena, text, length);
}

bool clew_murphi_skip_semicolons(struct clew_cursor *p) {
  bool any = false;
  while (clew_cursor_accept(p, MURPHI_TOKEN_SEMICOLON)) {
    any = true;
  }
  return any;
}

bool clew_murphi_at_do(const struct clew_cursor *p) {
  return clew_cursor_peek(p) == MURPHI_TOKEN_DO || clew_cursor_peek(p) == MURPHI_TOKEN_COLON;
}

void clew_murphi_parse_do(struct clew_cursor *p, const char *where) {
  clew_murphi_resume(p, MURPHI_TOKEN_DO);
  if (clew_murphi_open_brace(p, clew_arena_printf(p->front->arena, "'do' %s", where))) {
    return;
  }
  if (!clew_cursor_accept(p, MURPHI_TOKEN_COLON)) {
    clew_cursor_expect_soft(p, MURPHI_TOKEN_DO, where);
  }
}

/* ---- Nesting and recovery ------------------------------------------------------------------- */

bool clew_murphi_open_brace(struct clew_cursor *p, const char *expected) {
  if (p->panic || clew_cursor_peek(p) != MURPHI_TOKEN_LBRACE) {
    return false;
  }
  if (p->braces == 0) {
    clew_cursor_fail(p, clew_cursor_here(p),
                     "expected %s, found '{': there are no braces, a body ends with 'end'",
                     expected);
    p->panic = false;
  }
  p->braces++;
  p->at++;
  return true;
}

/* What a missing end may be due to. */
static const char *guess(struct clew_cursor *p, struct clew_span head) {
  if (p->suspect.length == 0 || p->suspect.offset < head.offset) {
    return "";
  }
  return clew_arena_printf(p->front->arena,
                           ": the 'else if' of line %u needs an 'end' of its own, 'elsif' does not",
                           clew_front_position(p->front, p->suspect).line);
}

void clew_murphi_close(struct clew_cursor *p, uint32_t closer, const char *what,
                       struct clew_span head) {
  clew_cursor_await_no_more(p, closer);
  if (p->braces > 0 && clew_cursor_accept(p, MURPHI_TOKEN_RBRACE)) {
    p->braces--;
    return;
  }
  if (clew_cursor_accept(p, MURPHI_TOKEN_END) || clew_cursor_accept(p, closer) || p->panic) {
    return;
  }
  bool other_end = clew_murphi_is_end(p->at->kind);
  clew_cursor_fail(p, clew_cursor_here(p),
                   "expected 'end' or %s to close the '%s' of line %u, found %s%s",
                   clew_murphi_syntax.token_names[closer], what,
                   clew_front_position(p->front, head).line, clew_cursor_found(p), guess(p, head));
  p->suspect.length = 0;
  if (other_end) {
    /* The end that was forgotten is this one's when an enclosing construct waits for what is
     * here; else what is here was meant for this one. */
    p->panic = false;
    if (!clew_cursor_awaits(p, p->at->kind)) {
      p->at++;
    }
  }
}

bool clew_murphi_is_opener(uint32_t kind) {
  switch (kind) {
  case MURPHI_TOKEN_ALIAS:
  case MURPHI_TOKEN_EXISTS:
  case MURPHI_TOKEN_FOR:
  case MURPHI_TOKEN_FORALL:
  case MURPHI_TOKEN_IF:
  case MURPHI_TOKEN_RECORD:
  case MURPHI_TOKEN_SWITCH:
  case MURPHI_TOKEN_WHILE:
    return true;
  default:
    return false;
  }
}

void clew_murphi_resume(struct clew_cursor *p, uint32_t kind) {
  if (!p->panic) {
    return;
  }
  uint32_t depth = 0;
  for (const struct clew_token *at = p->at;; at++) {
    if (depth == 0 && at->kind == kind) {
      p->at = at;
      p->panic = false;
      return;
    }
    bool stop = at->kind == CLEW_TOKEN_END || clew_murphi_is_top(at->kind) ||
                clew_murphi_is_section(at->kind) || at->kind == MURPHI_TOKEN_SEMICOLON ||
                (depth == 0 && clew_murphi_is_end(at->kind));
    if (stop) {
      return;
    }
    depth += at->kind == MURPHI_TOKEN_FORALL || at->kind == MURPHI_TOKEN_EXISTS;
    depth -= clew_murphi_is_end(at->kind);
  }
}

/* Skips to where a declaration or rule at the outermost level may start. */
static void recover_top(struct clew_cursor *p) {
  uint32_t depth = 0;
  p->panic = false;
  p->closer_count = 0;
  assert(p->nesting == 0);
  while (p->at->kind != CLEW_TOKEN_END && !clew_murphi_is_top(p->at->kind) &&
         !(depth == 0 && clew_murphi_is_section(p->at->kind))) {
    if (clew_murphi_is_opener(p->at->kind)) {
      depth++;
    } else if (clew_murphi_is_end(p->at->kind) && depth > 0) {
      depth--;
    }
    p->at++;
  }
}

/* ---- The model ------------------------------------------------------------------------------ */

struct tails {
  struct murphi_decl **decl;
  struct murphi_function **function;
  struct murphi_rule **rule;
};

static void parse_top(struct clew_cursor *p, struct tails *tails) {
  switch (p->at->kind) {
  case MURPHI_TOKEN_CONST:
  case MURPHI_TOKEN_TYPE:
  case MURPHI_TOKEN_VAR:
    tails->decl = clew_murphi_parse_decls(p, tails->decl, true);
    return;
  case MURPHI_TOKEN_PROCEDURE:
  case MURPHI_TOKEN_FUNCTION:
    *tails->function = clew_murphi_parse_function(p);
    tails->function = &(*tails->function)->next;
    return;
  case MURPHI_TOKEN_EXTERNFUN:
  case MURPHI_TOKEN_EXTERNPROC:
    clew_cursor_fail(p, clew_cursor_here(p),
                     "external functions (C++ of CMurphi's generated checker) are not supported");
    p->at++; /* recovery stops at this very token */
    return;
  case MURPHI_TOKEN_SEMICOLON:
    p->at++;
    return;
  default:
    *tails->rule = clew_murphi_parse_rule(p);
    tails->rule = &(*tails->rule)->next;
    return;
  }
}

static void parse_model(struct clew_cursor *p, struct murphi_model *model) {
  struct tails tails = {&model->decls, &model->functions, &model->rules};
  if (p->at == p->last) {
    clew_front_error_whole(p->front, "empty model: no rules or start states");
  }
  while (p->at != p->last) {
    const struct clew_token *before = p->at;
    p->braces = 0;
    p->suspect.length = 0;
    parse_top(p, &tails);
    if (p->panic) {
      p->at += p->at == before && !clew_murphi_is_top(p->at->kind);
      recover_top(p);
      p->at += p->at == before && p->at != p->last;
    }
  }
  assert(p->nesting == 0);
}

/* Queries are properties behind those of the model, so that they are checked and lowered alike. */
void clew_murphi_parse(struct murphi *m) {
  struct murphi_rule **tail = &m->model.rules;
  for (uint32_t text = 0; text <= m->front->request->query_count; text++) {
    struct clew_cursor *p;
    bool scanned = clew_cursor_open(m->front, text, &p);
    if (scanned && text == 0) {
      parse_model(p, &m->model);
    } else if (scanned) {
      while (*tail != NULL) {
        tail = &(*tail)->next;
      }
      *tail = clew_murphi_parse_query(p, text);
    }
    clew_cursor_close(p);
  }
}
