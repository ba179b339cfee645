/* The parser's core: taking tokens, complaining, finding the way again; and the model as a whole.
 */
#include "lang/murphi/parse.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"

/* ---- Tokens --------------------------------------------------------------------------------- */

struct murphi_span murphi_here(const struct murphi_parser *p) {
  return (struct murphi_span){p->at->offset, p->at->length};
}

struct murphi_span murphi_previous(const struct murphi_parser *p) {
  assert(p->at > p->first);
  return (struct murphi_span){p->at[-1].offset, p->at[-1].length};
}

bool murphi_accept(struct murphi_parser *p, uint32_t kind) {
  assert(kind != CLEW_TOKEN_END);
  if (p->panic || p->at->kind != kind) {
    return false;
  }
  p->at++;
  return true;
}

void murphi_fail(struct murphi_parser *p, struct murphi_span span, const char *format, ...) {
  bool at_end = p->at == p->last;
  bool silent = p->panic || (at_end && p->end_reported);
  p->panic = true;
  p->end_reported = p->end_reported || at_end;
  if (silent) {
    return;
  }
  va_list args;
  va_start(args, format);
  clew_diag_vat(p->m->diags, CLEW_ERROR, p->m->source, span.offset, span.length, format, args);
  va_end(args);
}

static void fail_expected_at(struct murphi_parser *p, struct murphi_span span, const char *what) {
  assert(what != NULL);
  if (p->at->kind == CLEW_TOKEN_END) {
    murphi_fail(p, span, "expected %s, found the end of the file", what);
  } else {
    murphi_fail(p, span, "expected %s, found '%s'", what, murphi_text(p->m, murphi_here(p)));
  }
}

void murphi_fail_expected(struct murphi_parser *p, const char *what) {
  fail_expected_at(p, murphi_here(p), what);
}

void murphi_fail_semicolon(struct murphi_parser *p, const char *where) {
  struct murphi_span before = murphi_previous(p), here = murphi_here(p);
  struct murphi_span behind = {before.offset + before.length, 1};
  bool same_line = murphi_position(p->m, before).line == murphi_position(p->m, here).line;
  const char *what = clew_arena_printf(p->m->arena, "';' %s", where);
  fail_expected_at(p, same_line ? here : behind, what);
}

bool murphi_expect(struct murphi_parser *p, uint32_t kind, const char *where) {
  if (murphi_accept(p, kind)) {
    return true;
  }
  if (!p->panic && kind == MURPHI_TOKEN_SEMICOLON) {
    murphi_fail_semicolon(p, where);
  } else if (!p->panic) {
    const char *what =
        clew_arena_printf(p->m->arena, "%s%s%s", murphi_token_name(kind), *where ? " " : "", where);
    murphi_fail_expected(p, what);
  }
  return false;
}

void murphi_expect_soft(struct murphi_parser *p, uint32_t kind, const char *where) {
  if (!p->panic && !murphi_expect(p, kind, where)) {
    p->panic = false;
  }
}

/* ---- Kinds of tokens ------------------------------------------------------------------------ */

bool murphi_is_end(uint32_t kind) {
  return kind >= MURPHI_TOKEN_END && kind <= MURPHI_TOKEN_ENDWHILE;
}

bool murphi_is_section(uint32_t kind) {
  return kind == MURPHI_TOKEN_CONST || kind == MURPHI_TOKEN_TYPE || kind == MURPHI_TOKEN_VAR;
}

bool murphi_is_top(uint32_t kind) {
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

bool murphi_at_name(const struct murphi_parser *p) {
  return p->at->kind == CLEW_TOKEN_NAME || is_soft(p->at->kind);
}

struct murphi_name *murphi_parse_name(struct murphi_parser *p, const char *what) {
  if (p->panic || !murphi_at_name(p)) {
    murphi_fail_expected(p, what);
    return murphi_intern(p->m, "?", 1);
  }
  struct clew_token token = *p->at++;
  return murphi_intern(p->m, p->m->source->text + token.offset, token.length);
}

const char *murphi_parse_string(struct murphi_parser *p) {
  if (p->panic || p->at->kind != CLEW_TOKEN_STRING) {
    return NULL;
  }
  return clew_lex_string(p->m->arena, p->m->source, *p->at++);
}

const char *murphi_parse_title(struct murphi_parser *p) {
  const char *text = murphi_parse_string(p);
  if (text == NULL) {
    return NULL;
  }
  text += strspn(text, " ");
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == ' ') {
    length--;
  }
  return clew_arena_strndup(p->m->arena, text, length);
}

/* ---- Nesting and recovery ------------------------------------------------------------------- */

void murphi_fail_limit(struct murphi_parser *p, struct murphi_span span, const char *what,
                       int limit) {
  murphi_fail(p, span, "%s: the limit is %d", what, limit);
  p->at = p->last;
  p->end_reported = true;
}

bool murphi_nest(struct murphi_parser *p) {
  if (p->nesting == MURPHI_MAX_NESTING) {
    murphi_fail_limit(p, murphi_here(p), "nested too deeply", MURPHI_MAX_NESTING);
    return false;
  }
  p->nesting++;
  return true;
}

void murphi_unnest(struct murphi_parser *p) {
  assert(p->nesting > 0);
  p->nesting--;
}

void murphi_open(struct murphi_parser *p, uint32_t closer) {
  assert(p->open_count <= MURPHI_MAX_NESTING);
  p->open[p->open_count++] = closer;
}

static bool is_awaited(const struct murphi_parser *p, uint32_t closer) {
  for (uint32_t i = 0; i < p->open_count; i++) {
    if (p->open[i] == closer) {
      return true;
    }
  }
  return false;
}

void murphi_close(struct murphi_parser *p, uint32_t closer, const char *what,
                  struct murphi_span head) {
  assert(p->open_count > 0 && p->open[p->open_count - 1] == closer);
  p->open_count--;
  if (murphi_accept(p, MURPHI_TOKEN_END) || murphi_accept(p, closer) || p->panic) {
    return;
  }
  uint32_t line = murphi_position(p->m, head).line;
  bool other_end = murphi_is_end(p->at->kind);
  const char *found =
      p->at->kind == CLEW_TOKEN_END
          ? "the end of the file"
          : clew_arena_printf(p->m->arena, "'%s'", murphi_text(p->m, murphi_here(p)));
  murphi_fail(p, murphi_here(p), "expected 'end' or %s to close the '%s' of line %u, found %s",
              murphi_token_name(closer), what, line, found);
  if (other_end) {
    /* The end that was forgotten is this one's when an enclosing construct waits for what is
     * here; else what is here was meant for this one. */
    p->panic = false;
    if (!is_awaited(p, p->at->kind)) {
      p->at++;
    }
  }
}

bool murphi_is_opener(uint32_t kind) {
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

void murphi_resume(struct murphi_parser *p, uint32_t kind) {
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
    bool stop = at->kind == CLEW_TOKEN_END || murphi_is_top(at->kind) ||
                murphi_is_section(at->kind) || at->kind == MURPHI_TOKEN_SEMICOLON ||
                (depth == 0 && murphi_is_end(at->kind));
    if (stop) {
      return;
    }
    depth += at->kind == MURPHI_TOKEN_FORALL || at->kind == MURPHI_TOKEN_EXISTS;
    depth -= murphi_is_end(at->kind);
  }
}

/* Skips to where a declaration or rule at the outermost level may start. */
static void recover_top(struct murphi_parser *p) {
  uint32_t depth = 0;
  p->panic = false;
  p->open_count = 0;
  assert(p->nesting == 0);
  while (p->at->kind != CLEW_TOKEN_END && !murphi_is_top(p->at->kind) &&
         !(depth == 0 && murphi_is_section(p->at->kind))) {
    if (murphi_is_opener(p->at->kind)) {
      depth++;
    } else if (murphi_is_end(p->at->kind) && depth > 0) {
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

static void parse_top(struct murphi_parser *p, struct tails *tails) {
  switch (p->at->kind) {
  case MURPHI_TOKEN_CONST:
  case MURPHI_TOKEN_TYPE:
  case MURPHI_TOKEN_VAR:
    tails->decl = murphi_parse_decls(p, tails->decl, true);
    return;
  case MURPHI_TOKEN_PROCEDURE:
  case MURPHI_TOKEN_FUNCTION:
    *tails->function = murphi_parse_function(p);
    tails->function = &(*tails->function)->next;
    return;
  case MURPHI_TOKEN_EXTERNFUN:
  case MURPHI_TOKEN_EXTERNPROC:
    murphi_fail(p, murphi_here(p),
                "external functions (C++ of CMurphi's generated checker) are not supported");
    p->at++; /* recovery stops at this very token */
    return;
  case MURPHI_TOKEN_SEMICOLON:
    p->at++;
    return;
  default:
    *tails->rule = murphi_parse_rule(p);
    tails->rule = &(*tails->rule)->next;
    return;
  }
}

void murphi_parse(struct murphi *m, const struct clew_tokens *tokens) {
  assert(tokens->len > 0 && clew_vec_last(tokens).kind == CLEW_TOKEN_END);
  struct murphi_parser p = {.m = m, .first = tokens->data, .at = tokens->data};
  p.last = &clew_vec_last(tokens);
  struct tails tails = {&m->model.decls, &m->model.functions, &m->model.rules};
  if (p.at->kind == CLEW_TOKEN_END) {
    clew_diag_plain(m->diags, CLEW_ERROR, m->source->name, "empty model: no rules or start states");
    return;
  }
  while (p.at->kind != CLEW_TOKEN_END) {
    const struct clew_token *before = p.at;
    parse_top(&p, &tails);
    if (p.panic) {
      p.at += p.at == before && !murphi_is_top(p.at->kind);
      recover_top(&p);
      p.at += p.at == before && p.at->kind != CLEW_TOKEN_END;
    }
  }
  assert(p.nesting == 0);
}
