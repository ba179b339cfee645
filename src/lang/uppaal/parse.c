/* The parser's core: names, and the system as a whole. The first error ends the parsing of the
 * text: what follows it in a language of braces and commas is seldom what was meant. */
#include <string.h>

#include "lang/uppaal/uppaal_int.h"

/* ---- Names ---------------------------------------------------------------------------------- */

struct uppaal_ref clew_uppaal_parse_ref(struct clew_cursor *c, const char *what) {
  struct uppaal_ref ref = {.span = clew_cursor_here(c)};
  if (c->panic || clew_cursor_peek(c) != CLEW_TOKEN_NAME) {
    clew_cursor_fail_expected(c, what);
    ref.name = (struct uppaal_name *)clew_name_intern(&c->front->names, "?", 1);
    return ref;
  }
  ref.name = (struct uppaal_name *)clew_cursor_take_name(c);
  ref.name->mentions++;
  return ref;
}

bool clew_uppaal_at_word(const struct clew_cursor *c, const char *word) {
  size_t length = strlen(word);
  return !c->panic && clew_cursor_peek(c) == CLEW_TOKEN_NAME && c->at->length == length &&
         memcmp(clew_cursor_bytes(c), word, length) == 0;
}

/* In the old syntax the new words are names. */
static void rename_new_words(struct clew_cursor *c) {
  for (uint32_t i = 0; i < c->tokens.len; i++) {
    if (clew_uppaal_is_new_word(c->tokens.data[i].kind)) {
      c->tokens.data[i].kind = CLEW_TOKEN_NAME;
    }
  }
}

/* ---- Lists with < --------------------------------------------------------------------------- */

/* a, b < c, d: ranks of growing priority. `default` is a member like others. */
static struct uppaal_rank *parse_ranks(struct clew_cursor *c) {
  struct uppaal_rank *first = NULL, **end = &first;
  do {
    CLEW_VEC(struct uppaal_expr *) members = {0};
    do {
      clew_vec_push(&members, clew_uppaal_parse_postfix(c));
    } while (clew_cursor_accept(c, UPPAAL_TOKEN_COMMA));
    struct uppaal_rank *rank = CLEW_NEW(c->front->arena, struct uppaal_rank);
    rank->members =
        clew_arena_copy(c->front->arena, members.data, members.len, sizeof *members.data);
    rank->count = members.len;
    clew_vec_free(&members);
    *end = rank;
    end = &rank->next;
  } while (clew_cursor_accept(c, UPPAAL_TOKEN_LT));
  return first;
}

/* ---- Declarations of the whole system ------------------------------------------------------- */

/* P(params) = T(args); */
static struct uppaal_decl *parse_instance(struct uppaal_parser *p) {
  struct clew_cursor *c = p->c;
  struct uppaal_decl *decl = CLEW_NEW(c->front->arena, struct uppaal_decl);
  decl->kind = UPPAAL_DECL_INSTANCE;
  decl->name = clew_uppaal_parse_ref(c, "a declaration or 'system'");
  if (clew_cursor_peek(c) == UPPAAL_TOKEN_LPAREN) {
    decl->params = clew_uppaal_parse_params(p);
  }
  if (!clew_cursor_accept(c, UPPAAL_TOKEN_OLD_ASSIGN)) {
    clew_cursor_expect(c, UPPAAL_TOKEN_ASSIGN, "after the name of the process");
  }
  decl->template = clew_uppaal_parse_ref(c, "the name of a template");
  clew_cursor_expect(c, UPPAAL_TOKEN_LPAREN, "after the template");
  if (clew_cursor_peek(c) != UPPAAL_TOKEN_RPAREN) {
    decl->args = clew_uppaal_parse_exprs(c);
  }
  clew_cursor_expect(c, UPPAAL_TOKEN_RPAREN, "after the arguments");
  clew_cursor_expect(c, UPPAAL_TOKEN_SEMICOLON, "after the process");
  return decl;
}

/* chan priority a < default < b; A channel may be called priority all the same. */
static bool starts_priorities(struct clew_cursor *c) {
  if (clew_cursor_peek(c) != UPPAAL_TOKEN_CHAN || clew_cursor_peek2(c) != CLEW_TOKEN_NAME) {
    return false;
  }
  c->at++;
  bool found = clew_uppaal_at_word(c, "priority") && clew_cursor_peek2(c) == CLEW_TOKEN_NAME;
  c->at--;
  return found;
}

static struct uppaal_decl *parse_priorities(struct clew_cursor *c) {
  struct uppaal_decl *decl = CLEW_NEW(c->front->arena, struct uppaal_decl);
  decl->kind = UPPAAL_DECL_PRIORITY;
  decl->name.span = clew_cursor_here(c);
  c->at += 2;
  decl->priorities = parse_ranks(c);
  clew_cursor_expect(c, UPPAAL_TOKEN_SEMICOLON, "after the priorities");
  return decl;
}

/* before_update { a, b } */
static struct uppaal_decl *parse_update(struct clew_cursor *c, bool is_after) {
  struct uppaal_decl *decl = CLEW_NEW(c->front->arena, struct uppaal_decl);
  decl->kind = UPPAAL_DECL_UPDATE;
  decl->is_after = is_after;
  decl->name.span = clew_cursor_here(c);
  c->at++;
  clew_cursor_expect(c, UPPAAL_TOKEN_LBRACE, "before the update");
  decl->args = clew_uppaal_parse_exprs(c);
  clew_cursor_expect(c, UPPAAL_TOKEN_RBRACE, "after the update");
  return decl;
}

static struct uppaal_decl **add(struct uppaal_decl **end, struct uppaal_decl *decl) {
  *end = decl;
  return &decl->next;
}

static struct uppaal_decl **parse_global(struct uppaal_parser *p, struct uppaal_decl **end) {
  struct clew_cursor *c = p->c;
  uint32_t next2 = clew_cursor_peek2(c);
  if (clew_cursor_peek(c) == UPPAAL_TOKEN_PROCESS) {
    return add(end, clew_uppaal_parse_template(p));
  }
  if (starts_priorities(c)) {
    return add(end, parse_priorities(c));
  }
  if (next2 == UPPAAL_TOKEN_LBRACE && clew_uppaal_at_word(c, "before_update")) {
    return add(end, parse_update(c, false));
  }
  if (next2 == UPPAAL_TOKEN_LBRACE && clew_uppaal_at_word(c, "after_update")) {
    return add(end, parse_update(c, true));
  }
  if (clew_uppaal_at_word(c, "dynamic") || clew_uppaal_at_word(c, "import")) {
    clew_cursor_fail(c, clew_cursor_here(c),
                     clew_uppaal_at_word(c, "import")
                         ? "external functions ('import') are not supported"
                         : "dynamic templates are not supported");
    return end;
  }
  if (clew_cursor_peek(c) == UPPAAL_TOKEN_TYPEDEF || clew_uppaal_starts_type(c)) {
    return clew_uppaal_parse_decl(p, end);
  }
  return add(end, parse_instance(p));
}

/* ---- The system ----------------------------------------------------------------------------- */

/* Sections behind the system line are for simulators. Their names count as used. */
static void skip_token(struct clew_cursor *c) {
  if (clew_cursor_peek(c) == CLEW_TOKEN_NAME) {
    clew_uppaal_parse_ref(c, "a name").name->is_member = true;
  } else {
    c->at++;
  }
}

static void skip_sections(struct clew_cursor *c) {
  while (clew_uppaal_at_word(c, "progress") || clew_uppaal_at_word(c, "gantt") ||
         clew_uppaal_at_word(c, "IO")) {
    uint32_t depth = 0;
    do {
      depth += clew_cursor_peek(c) == UPPAAL_TOKEN_LBRACE;
      depth -= depth > 0 && clew_cursor_peek(c) == UPPAAL_TOKEN_RBRACE;
      skip_token(c);
    } while (c->at != c->last && (depth > 0 || c->at[-1].kind != UPPAAL_TOKEN_RBRACE));
  }
}

static void parse_system(struct uppaal_parser *p, struct uppaal_system *system) {
  struct clew_cursor *c = p->c;
  struct uppaal_decl **end = &system->decls;
  while (!c->panic && clew_cursor_peek(c) != UPPAAL_TOKEN_SYSTEM &&
         clew_cursor_peek(c) != CLEW_TOKEN_END) {
    if (!clew_cursor_accept(c, UPPAAL_TOKEN_SEMICOLON)) { /* a stray one is harmless */
      end = parse_global(p, end);
    }
  }
  if (!clew_cursor_expect(c, UPPAAL_TOKEN_SYSTEM, "behind the declarations")) {
    return;
  }
  system->has_system = true;
  system->processes = parse_ranks(c);
  clew_cursor_expect(c, UPPAAL_TOKEN_SEMICOLON, "after the processes of the system");
  skip_sections(c);
  if (!c->panic) {
    clew_cursor_expect_end(c);
  }
}

/* '=>' was '>=' once. Somebody who writes it today means an implication. */
static void judge_arrows(struct clew_cursor *c) {
  for (const struct clew_token *at = c->first; at != c->last; at++) {
    /* Between locations it is an error, which says more. */
    if (at->kind == UPPAAL_TOKEN_OLD_GE && at[1].kind != UPPAAL_TOKEN_LBRACE &&
        !(at[1].kind == CLEW_TOKEN_NAME && at + 1 != c->last &&
          at[2].kind == UPPAAL_TOKEN_LBRACE)) {
      struct clew_span span = {c->text->base + at->offset, at->length};
      clew_front_warn(c->front, span,
                      "'=>' is an old spelling of '>=': implication is written 'imply'");
    }
  }
}

void clew_uppaal_parse(struct clew_front *front, bool old, struct uppaal_system *system) {
  struct clew_cursor *c;
  *system = (struct uppaal_system){.is_old = old};
  if (clew_cursor_open(front, 0, &c)) {
    if (old) {
      rename_new_words(c);
    } else {
      judge_arrows(c);
    }
    struct uppaal_parser parser = {c, old};
    parse_system(&parser, system);
  }
  clew_cursor_close(c);
}

/* ---- Which syntax --------------------------------------------------------------------------- */

/* How far the text is understood: the place of the first error, or the end of all. */
static uint64_t reach(const struct clew_load_request *request, bool old) {
  struct clew_diag_sink diags = {0};
  struct clew_front front;
  struct uppaal_system system;
  clew_front_open(&front, request, &clew_uppaal_syntax, &diags);
  clew_uppaal_parse(&front, old, &system);
  uint64_t result = UINT64_MAX;
  for (uint32_t i = diags.len; i-- > 0;) { /* the first error is the last that is looked at */
    const struct clew_diag *diag = &diags.data[i];
    if (diag->severity == CLEW_ERROR) {
      result = (uint64_t)diag->position.line << 32 | diag->position.column;
    }
  }
  clew_arena_close(front.arena);
  clew_diag_sink_free(&diags);
  return result;
}

bool clew_uppaal_is_old(const struct clew_load_request *request) {
  uint64_t as_new = reach(request, false);
  return as_new != UINT64_MAX && reach(request, true) > as_new;
}
