/* Parsing rules, start states, properties, and what groups them. */
#include "lang/murphi/parse.h"

#include <assert.h>

static struct murphi_rule *rule_new(struct clew_cursor *p, enum murphi_rule_kind kind) {
  struct murphi_rule *rule = CLEW_NEW(p->front->arena, struct murphi_rule);
  rule->kind = kind;
  rule->span = clew_cursor_here(p);
  return rule;
}

/* After a ':=': an arrow before the statement would end, so the ':=' was meant for a comparison. */
static bool arrow_follows(const struct clew_token *at) {
  while (at->kind != MURPHI_TOKEN_ARROW) {
    if (at->kind == CLEW_TOKEN_END || at->kind == MURPHI_TOKEN_SEMICOLON ||
        at->kind == MURPHI_TOKEN_BEGIN || at->kind == MURPHI_TOKEN_ASSIGN ||
        clew_murphi_is_top(at->kind) || clew_murphi_is_end(at->kind)) {
      return false;
    }
    at++;
  }
  return true;
}

/* Whether a guard follows: `==>` comes before anything that only a body can contain. */
static bool guard_follows(const struct clew_cursor *p) {
  uint32_t depth = 0;
  for (const struct clew_token *at = p->at;; at++) {
    switch (at->kind) {
    case MURPHI_TOKEN_ARROW:
      return true;
    case MURPHI_TOKEN_FORALL:
    case MURPHI_TOKEN_EXISTS:
      depth++;
      break;
    case MURPHI_TOKEN_ASSIGN:
    case MURPHI_TOKEN_SEMICOLON:
      if (depth == 0) {
        return at->kind == MURPHI_TOKEN_ASSIGN && arrow_follows(at + 1);
      }
      break;
    case CLEW_TOKEN_END:
    case MURPHI_TOKEN_BEGIN:
    case MURPHI_TOKEN_IF:
    case MURPHI_TOKEN_FOR:
    case MURPHI_TOKEN_SWITCH:
    case MURPHI_TOKEN_WHILE:
    case MURPHI_TOKEN_ALIAS:
      return false;
    default:
      if (clew_murphi_is_top(at->kind) || clew_murphi_is_section(at->kind)) {
        return false;
      }
      if (clew_murphi_is_end(at->kind)) {
        if (depth == 0) {
          return false;
        }
        depth--;
      }
      break;
    }
  }
}

/* A condition, and then `begin`: the arrow was forgotten, or written otherwise. Goes on at `begin`.
 */
static void check_arrow(struct clew_cursor *p) {
  const struct clew_token *at = p->at;
  if (p->panic || clew_murphi_is_section(at->kind)) {
    return;
  }
  while (at->kind != MURPHI_TOKEN_BEGIN) {
    if (at->kind == CLEW_TOKEN_END || at->kind == MURPHI_TOKEN_SEMICOLON ||
        at->kind == MURPHI_TOKEN_ASSIGN || clew_murphi_is_top(at->kind) ||
        clew_murphi_is_end(at->kind)) {
      return;
    }
    at++;
  }
  if (at == p->at) {
    return;
  }
  bool is_doubled =
      at - p->at >= 2 && at[-1].kind == MURPHI_TOKEN_GT && at[-2].kind == MURPHI_TOKEN_EQ;
  p->at = is_doubled ? at - 2 : at[-1].kind == MURPHI_TOKEN_IMPLIES ? at - 1 : at;
  clew_cursor_fail(p, clew_cursor_here(p), "expected '==>' after the guard, found %s",
                   is_doubled ? "'=>'" : clew_cursor_found(p));
  p->panic = false;
  p->at = at;
}

/* Locals, `begin` (which may be missing), statements. */
static void parse_body(struct clew_cursor *p, struct murphi_rule *rule) {
  assert(rule->body == NULL && rule->decls == NULL);
  clew_murphi_parse_decls(p, &rule->decls, false);
  clew_cursor_accept(p, MURPHI_TOKEN_BEGIN);
  (void)clew_murphi_open_brace(p, "'begin'");
  rule->body = clew_murphi_parse_stmts(p);
}

/* A number in front of the rule's name or guard: not the start of the guard itself. */
static bool priority_follows(const struct clew_cursor *p) {
  uint32_t next = clew_cursor_peek2(p);
  if (clew_cursor_peek(p) == CLEW_TOKEN_NAME) {
    return next == CLEW_TOKEN_STRING;
  }
  return clew_cursor_peek(p) == CLEW_TOKEN_NUMBER &&
         (next <= MURPHI_TOKEN_WHILE || next == MURPHI_TOKEN_NOT || next == MURPHI_TOKEN_LPAREN);
}

static struct murphi_rule *parse_simple(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_RULE);
  struct murphi_rule *rule = rule_new(p, MURPHI_RULE_SIMPLE);
  p->at++;
  clew_cursor_await(p, MURPHI_TOKEN_ENDRULE);
  if (priority_follows(p)) {
    rule->priority = clew_murphi_expr_new(
        p, clew_cursor_peek(p) == CLEW_TOKEN_NAME ? MURPHI_EXPR_NAME : MURPHI_EXPR_NUMBER,
        clew_cursor_here(p));
    if (rule->priority->kind == MURPHI_EXPR_NAME) {
      rule->priority->name = clew_murphi_parse_name(p, "a name");
    } else {
      rule->priority->number = clew_cursor_take_number(p);
    }
  }
  rule->title = clew_murphi_parse_title(p);
  if (guard_follows(p)) {
    rule->guard = clew_murphi_parse_expr(p);
    clew_murphi_resume(p, MURPHI_TOKEN_ARROW);
    if (clew_cursor_peek(p) == MURPHI_TOKEN_ASSIGN) {
      clew_cursor_fail(p, clew_cursor_here(p),
                       "expected '==>' after the guard, found ':=': equality is written '='");
    }
    clew_cursor_expect(p, MURPHI_TOKEN_ARROW, "after the guard");
  } else {
    check_arrow(p);
  }
  parse_body(p, rule);
  clew_murphi_close(p, MURPHI_TOKEN_ENDRULE, "rule", rule->span);
  return rule;
}

static struct murphi_rule *parse_start(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_STARTSTATE);
  struct murphi_rule *rule = rule_new(p, MURPHI_RULE_START);
  p->at++;
  clew_cursor_await(p, MURPHI_TOKEN_ENDSTARTSTATE);
  rule->title = clew_murphi_parse_title(p);
  parse_body(p, rule);
  clew_murphi_close(p, MURPHI_TOKEN_ENDSTARTSTATE, "startstate", rule->span);
  return rule;
}

static struct murphi_rule *parse_property(struct clew_cursor *p, enum murphi_property_kind kind) {
  assert(kind < MURPHI_PROPERTY_KINDS);
  struct murphi_rule *rule = rule_new(p, MURPHI_RULE_PROPERTY);
  rule->property = kind;
  p->at++;
  rule->title = clew_murphi_parse_title(p);
  rule->guard = clew_murphi_parse_expr(p);
  if (rule->title == NULL) {
    rule->title = clew_murphi_parse_title(p);
  }
  return rule;
}

/* After an error: before the next rule, or the end of what contains this one. */
static void recover_rule(struct clew_cursor *p) {
  assert(p->panic);
  p->panic = false;
  uint32_t depth = 0;
  while (clew_cursor_peek(p) != CLEW_TOKEN_END && !clew_murphi_is_top(clew_cursor_peek(p))) {
    bool end = clew_murphi_is_end(clew_cursor_peek(p));
    if (end && depth == 0) {
      return;
    }
    depth -= end;
    depth += clew_murphi_is_opener(clew_cursor_peek(p));
    p->at++;
  }
}

/* Rules up to a closing keyword. */
static void parse_children(struct clew_cursor *p, struct murphi_rule *rule) {
  assert(rule->children == NULL && p->closer_count > 0);
  struct murphi_rule **tail = &rule->children;
  clew_murphi_parse_do(p, "before the rules");
  while (!p->panic && !clew_murphi_is_end(clew_cursor_peek(p)) &&
         clew_cursor_peek(p) != CLEW_TOKEN_END) {
    if (clew_cursor_accept(p, MURPHI_TOKEN_SEMICOLON)) {
      continue;
    }
    const struct clew_token *before = p->at;
    *tail = clew_murphi_parse_rule(p);
    tail = &(*tail)->next;
    if (p->panic) {
      p->at += p->at == before;
      recover_rule(p);
    }
  }
}

static struct murphi_rule *parse_set(struct clew_cursor *p, bool choose) {
  assert(clew_cursor_peek(p) == (choose ? MURPHI_TOKEN_CHOOSE : MURPHI_TOKEN_RULESET));
  struct murphi_rule *rule = rule_new(p, MURPHI_RULE_SET);
  uint32_t closer = choose ? MURPHI_TOKEN_ENDCHOOSE : MURPHI_TOKEN_ENDRULESET;
  p->at++;
  clew_cursor_await(p, closer);
  rule->quantifiers = choose ? clew_murphi_parse_choice(p) : clew_murphi_parse_quantifiers(p);
  parse_children(p, rule);
  clew_murphi_close(p, closer, choose ? "choose" : "ruleset", rule->span);
  return rule;
}

static struct murphi_rule *parse_alias(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_ALIAS);
  struct murphi_rule *rule = rule_new(p, MURPHI_RULE_ALIAS);
  p->at++;
  clew_cursor_await(p, MURPHI_TOKEN_ENDALIAS);
  rule->aliases = clew_murphi_parse_aliases(p);
  parse_children(p, rule);
  clew_murphi_close(p, MURPHI_TOKEN_ENDALIAS, "alias", rule->span);
  return rule;
}

static struct murphi_rule *parse_rule_body(struct clew_cursor *p) {
  switch (clew_cursor_peek(p)) {
  case MURPHI_TOKEN_RULE:
    return parse_simple(p);
  case MURPHI_TOKEN_STARTSTATE:
    return parse_start(p);
  case MURPHI_TOKEN_RULESET:
    return parse_set(p, false);
  case MURPHI_TOKEN_CHOOSE:
    return parse_set(p, true);
  case MURPHI_TOKEN_ALIAS:
    return parse_alias(p);
  case MURPHI_TOKEN_INVARIANT:
    return parse_property(p, MURPHI_PROPERTY_INVARIANT);
  case MURPHI_TOKEN_ASSERT:
    return parse_property(p, MURPHI_PROPERTY_ASSERT);
  case MURPHI_TOKEN_ASSUME:
    return parse_property(p, MURPHI_PROPERTY_ASSUME);
  case MURPHI_TOKEN_COVER:
    return parse_property(p, MURPHI_PROPERTY_COVER);
  case MURPHI_TOKEN_LIVENESS:
    return parse_property(p, MURPHI_PROPERTY_LIVENESS);
  default:
    clew_cursor_fail_expected(p, p->closer_count > 0 ? "a rule or property"
                                                     : "a declaration, rule or property");
    return rule_new(p, MURPHI_RULE_PROPERTY);
  }
}

struct murphi_rule *clew_murphi_parse_rule(struct clew_cursor *p) {
  if (p->panic || !clew_cursor_nest(p)) {
    return rule_new(p, MURPHI_RULE_PROPERTY);
  }
  struct murphi_rule *rule = parse_rule_body(p);
  clew_cursor_unnest(p);
  clew_cursor_accept(p, MURPHI_TOKEN_SEMICOLON);
  return rule;
}

struct murphi_rule *clew_murphi_parse_query(struct clew_cursor *p, uint32_t number) {
  struct murphi_rule *rule = rule_new(p, MURPHI_RULE_PROPERTY);
  rule->property = MURPHI_PROPERTY_INVARIANT;
  rule->query = number;
  rule->guard = clew_murphi_parse_expr(p);
  clew_cursor_expect_end(p);
  return rule;
}
