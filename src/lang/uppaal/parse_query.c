/* Queries: E<> p, A[] p, A<> p, E[] p, p --> q, and sup, inf and bounds of expressions. */
#include "lang/uppaal/uppaal_int.h"

/* E <> and the like: a name and two tokens. */
static enum uppaal_query_kind parse_head(struct clew_cursor *c) {
  static const struct {
    const char *word;
    uint32_t open, close;
    enum uppaal_query_kind kind;
  } heads[] = {
      {"E", UPPAAL_TOKEN_LT, UPPAAL_TOKEN_GT, UPPAAL_QUERY_REACHABLE},
      {"A", UPPAAL_TOKEN_LBRACKET, UPPAAL_TOKEN_RBRACKET, UPPAAL_QUERY_ALWAYS},
      {"A", UPPAAL_TOKEN_LT, UPPAAL_TOKEN_GT, UPPAAL_QUERY_EVENTUAL},
      {"E", UPPAAL_TOKEN_LBRACKET, UPPAAL_TOKEN_RBRACKET, UPPAAL_QUERY_POTENTIAL},
  };
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    if (clew_uppaal_at_word(c, heads[i].word) && c->at[1].kind == heads[i].open &&
        c->at[2].kind == heads[i].close) {
      c->at += 3;
      return heads[i].kind;
    }
  }
  return UPPAAL_QUERY_STATE;
}

bool clew_uppaal_at_leads_to(const struct clew_cursor *c) {
  return c->text != &c->front->texts[0] && c->at->kind == UPPAAL_TOKEN_DECREMENT &&
         c->at[1].kind == UPPAAL_TOKEN_GT && c->at[1].offset == c->at->offset + c->at->length;
}

/* sup{p}: e, e; false when the query is none of these. */
static bool parse_bounds(struct clew_cursor *c, struct uppaal_query *query) {
  static const char *const words[] = {"sup", "inf", "bounds"};
  uint32_t next2 = clew_cursor_peek2(c);
  for (uint32_t i = 0; i < 3; i++) {
    if (clew_uppaal_at_word(c, words[i]) &&
        (next2 == UPPAAL_TOKEN_LBRACE || next2 == UPPAAL_TOKEN_COLON)) {
      query->kind = UPPAAL_QUERY_SUP + i;
      c->at++;
      if (clew_cursor_accept(c, UPPAAL_TOKEN_LBRACE)) {
        query->a = clew_uppaal_parse_expr(c);
        clew_cursor_expect(c, UPPAAL_TOKEN_RBRACE, "after the condition");
      }
      clew_cursor_expect(c, UPPAAL_TOKEN_COLON, "before what is asked about");
      query->values = clew_uppaal_parse_exprs(c);
      return true;
    }
  }
  return false;
}

static void parse_formula(struct clew_cursor *c, struct uppaal_query *query) {
  query->kind = parse_head(c);
  if (query->kind == UPPAAL_QUERY_STATE && parse_bounds(c, query)) {
    return;
  }
  query->a = clew_uppaal_parse_expr(c);
  if (query->kind == UPPAAL_QUERY_STATE && !c->panic && clew_uppaal_at_leads_to(c)) {
    c->at += 2;
    query->kind = UPPAAL_QUERY_LEADS_TO;
    query->b = clew_uppaal_parse_expr(c);
  }
}

void clew_uppaal_parse_query(struct clew_front *front, uint32_t number,
                             struct uppaal_query *query) {
  struct clew_cursor *c;
  if (clew_cursor_open(front, number + 1, &c)) {
    if (front->request->queries[number].is_formula) {
      parse_formula(c, query);
    } else {
      query->a = clew_uppaal_parse_expr(c);
    }
    if (!c->panic) {
      clew_cursor_expect_end(c);
    }
  }
  clew_cursor_close(c);
}
