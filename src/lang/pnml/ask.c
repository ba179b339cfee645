/* Questions as text:
 *
 *   E<> tokens-count(p, q) <= 2 and is-fireable(t)
 *   A[] p + q <= 1
 *   sup: tokens-count(p)
 *   E<> deadlock
 *
 * A place by itself stands for its tokens. Ids and names with other characters than letters,
 * digits,
 * '_', '-' and '.' are written in quotes. EF and AG are other names of E<> and A[]. The questions
 * that the contest asks without a formula have their names: OneSafe, StableMarking, QuasiLiveness,
 * Liveness, ReachabilityDeadlock.
 */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "lang/lex.h"
#include "lang/pnml/pnml_int.h"

enum {
  TOKEN_LPAREN = CLEW_TOKEN_FIRST,
  TOKEN_RPAREN,
  TOKEN_COMMA,
  TOKEN_PLUS,
  TOKEN_AND,
  TOKEN_OR,
  TOKEN_NOT,
  TOKEN_LE,
  TOKEN_LT,
  TOKEN_GE,
  TOKEN_GT,
  TOKEN_EQ,
  TOKEN_NE,
  TOKEN_TRUE,
  TOKEN_FALSE,
  TOKEN_COUNT,
  TOKEN_FIREABLE,
};

static const struct clew_lex_word WORDS[] = {
    {"and", TOKEN_AND},
    {"false", TOKEN_FALSE},
    {"is-fireable", TOKEN_FIREABLE},
    {"not", TOKEN_NOT},
    {"or", TOKEN_OR},
    {"tokens-count", TOKEN_COUNT},
    {"true", TOKEN_TRUE},
    {NULL, 0},
};
static const struct clew_lex_word OPERATORS[] = {
    {"(", TOKEN_LPAREN}, {")", TOKEN_RPAREN}, {",", TOKEN_COMMA}, {"+", TOKEN_PLUS},
    {"&&", TOKEN_AND},   {"||", TOKEN_OR},    {"!", TOKEN_NOT},   {"<=", TOKEN_LE},
    {"<", TOKEN_LT},     {">=", TOKEN_GE},    {">", TOKEN_GT},    {"=", TOKEN_EQ},
    {"==", TOKEN_EQ},    {"!=", TOKEN_NE},    {NULL, 0},
};
static const char *const NO_COMMENTS[] = {NULL};
static const struct clew_lex_pair NO_PAIRS[] = {{NULL, NULL}};
static const struct clew_lex_pair QUOTES[] = {{"\"", "\""}, {"'", "'"}, {NULL, NULL}};
static const struct clew_lex_style STYLE = {
    .language = "PNML",
    .name_extra = "-.",
    .line_comments = NO_COMMENTS,
    .comments = NO_PAIRS,
    .quotes = QUOTES,
    .words = WORDS,
    .word_count = sizeof WORDS / sizeof WORDS[0] - 1,
    .operators = OPERATORS,
};

enum { MOST_DEPTH = 400 };

struct parser {
  struct pnml *n;
  const struct clew_source *source; /* without what was skipped */
  struct clew_tokens tokens;
  uint32_t at, depth;
  bool failed;
};

static void complain(struct parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void complain(struct parser *p, const char *format, ...) {
  if (!p->failed) {
    const struct clew_token *token = &p->tokens.data[p->at];
    va_list args;
    va_start(args, format);
    p->failed = p->n->failed = true;
    clew_diag_vat(p->n->diags, CLEW_ERROR, p->source, token->offset,
                  token->length > 0 ? token->length : 1, format, args);
    va_end(args);
  }
}

static uint32_t peek(const struct parser *p) {
  return p->tokens.data[p->at].kind;
}

static bool accept(struct parser *p, uint32_t kind) {
  if (p->failed || peek(p) != kind) {
    return false;
  }
  p->at++;
  return true;
}

static void expect(struct parser *p, uint32_t kind, const char *what) {
  if (!accept(p, kind)) {
    complain(p, "%s was expected here", what);
  }
}

static bool is_number(const struct clew_net_term *term) {
  return term->op == CLEW_NET_NUMBER || term->op == CLEW_NET_TOKENS || term->op == CLEW_NET_PLUS;
}

static const struct clew_net_term *number(struct parser *p, int64_t value) {
  struct clew_net_term *term = clew_pnml_net_term(p->n, CLEW_NET_NUMBER, 0);
  term->number = value;
  return term;
}

static const struct clew_net_term *two(struct parser *p, enum clew_net_op op,
                                       const struct clew_net_term *a,
                                       const struct clew_net_term *b) {
  struct clew_net_term *term = clew_pnml_net_term(p->n, op, 2);
  const struct clew_net_term **args = (const struct clew_net_term **)term->args;
  args[0] = a;
  args[1] = b;
  return term;
}

static const struct clew_net_term *parse_or(struct parser *p);

/* The name that the next token is. */
static const char *take_name(struct parser *p) {
  struct clew_token token = p->tokens.data[p->at];
  if (token.kind == CLEW_TOKEN_STRING) {
    p->at++;
    return clew_lex_string(p->n->arena, p->source, token);
  }
  if (token.kind == CLEW_TOKEN_NAME) {
    p->at++;
    return clew_arena_strndup(p->n->arena, p->source->text + token.offset, token.length);
  }
  complain(p, "%s was expected here", "a name");
  return "";
}

/* "(a, b)", places or transitions. */
static const struct clew_net_term *parse_list(struct parser *p, enum clew_net_op op) {
  CLEW_VEC(uint32_t) list = {0};
  bool transitions = op == CLEW_NET_FIREABLE;
  expect(p, TOKEN_LPAREN, "'('");
  do {
    uint32_t before = p->at;
    const char *name = take_name(p);
    uint32_t found = p->failed     ? CLEW_NONE
                     : transitions ? clew_pnml_find_transition(p->n, name)
                                   : clew_pnml_find_place(p->n, name);
    if (found == CLEW_NONE && !p->failed) {
      p->at = before;
      complain(p, "the net has no %s '%s'", transitions ? "transition" : "place", name);
    }
    clew_vec_push(&list, found);
  } while (accept(p, TOKEN_COMMA));
  expect(p, TOKEN_RPAREN, "')'");
  const struct clew_net_term *term =
      p->failed ? number(p, 0) : clew_pnml_over(p->n, op, list.data, list.len);
  clew_vec_free(&list);
  return term;
}

static const struct clew_net_term *parse_place(struct parser *p) {
  uint32_t before = p->at;
  const char *name = take_name(p);
  uint32_t place = p->failed ? CLEW_NONE : clew_pnml_find_place(p->n, name);
  if (place == CLEW_NONE) {
    p->at = before;
    complain(p, "the net has no place '%s'", name);
    return number(p, 0);
  }
  return clew_pnml_over(p->n, CLEW_NET_TOKENS, &place, 1);
}

static const struct clew_net_term *parse_primary(struct parser *p) {
  if (accept(p, TOKEN_LPAREN)) {
    const struct clew_net_term *term = parse_or(p);
    expect(p, TOKEN_RPAREN, "')'");
    return term;
  }
  if (accept(p, TOKEN_TRUE)) {
    return clew_pnml_net_term(p->n, CLEW_NET_AND, 0);
  }
  if (accept(p, TOKEN_FALSE)) {
    return clew_pnml_net_term(p->n, CLEW_NET_OR, 0);
  }
  if (accept(p, TOKEN_COUNT)) {
    return parse_list(p, CLEW_NET_TOKENS);
  }
  if (accept(p, TOKEN_FIREABLE)) {
    return parse_list(p, CLEW_NET_FIREABLE);
  }
  if (peek(p) == CLEW_TOKEN_NUMBER) {
    int64_t value = 0;
    if (!clew_lex_number(p->source, p->tokens.data[p->at], &value)) {
      complain(p, "this number is too large");
    }
    p->at++;
    return number(p, value);
  }
  return parse_place(p);
}

static const struct clew_net_term *parse_sum(struct parser *p) {
  const struct clew_net_term *sum = parse_primary(p);
  while (accept(p, TOKEN_PLUS)) {
    const struct clew_net_term *next = parse_primary(p);
    if (!is_number(sum) || !is_number(next)) {
      complain(p, "only numbers can be added");
    }
    sum = two(p, CLEW_NET_PLUS, sum, next);
  }
  return sum;
}

static const struct clew_net_term *compare(struct parser *p, uint32_t by,
                                           const struct clew_net_term *a,
                                           const struct clew_net_term *b) {
  switch (by) {
  case TOKEN_LE:
    return two(p, CLEW_NET_AT_MOST, a, b);
  case TOKEN_GE:
    return two(p, CLEW_NET_AT_MOST, b, a);
  case TOKEN_LT:
    return clew_pnml_not(p->n, two(p, CLEW_NET_AT_MOST, b, a));
  case TOKEN_GT:
    return clew_pnml_not(p->n, two(p, CLEW_NET_AT_MOST, a, b));
  case TOKEN_EQ:
    return two(p, CLEW_NET_EQUAL, a, b);
  default:
    return clew_pnml_not(p->n, two(p, CLEW_NET_EQUAL, a, b));
  }
}

static const struct clew_net_term *parse_comparison(struct parser *p) {
  const struct clew_net_term *left = parse_sum(p);
  uint32_t by = peek(p);
  if (by < TOKEN_LE || by > TOKEN_NE || p->failed) {
    return left;
  }
  p->at++;
  const struct clew_net_term *right = parse_sum(p);
  if (!is_number(left) || !is_number(right)) {
    complain(p, "only numbers can be compared");
  }
  return compare(p, by, left, right);
}

static const struct clew_net_term *need_truth(struct parser *p, const struct clew_net_term *term) {
  if (is_number(term)) {
    complain(p, "a comparison is missing: this is a number");
  }
  return term;
}

static const struct clew_net_term *parse_not(struct parser *p) {
  if (++p->depth > MOST_DEPTH) {
    complain(p, "this question is nested too deeply");
  }
  const struct clew_net_term *term = p->failed ? number(p, 0)
                                     : accept(p, TOKEN_NOT)
                                         ? clew_pnml_not(p->n, need_truth(p, parse_not(p)))
                                         : parse_comparison(p);
  p->depth--;
  return term;
}

static const struct clew_net_term *
parse_chain(struct parser *p, uint32_t by, enum clew_net_op op,
            const struct clew_net_term *(*part)(struct parser *)) {
  const struct clew_net_term *term = part(p);
  while (accept(p, by)) {
    const struct clew_net_term *next = part(p);
    term = two(p, op, need_truth(p, term), need_truth(p, next));
  }
  return term;
}

static const struct clew_net_term *parse_and(struct parser *p) {
  return parse_chain(p, TOKEN_AND, CLEW_NET_AND, parse_not);
}

static const struct clew_net_term *parse_or(struct parser *p) {
  return parse_chain(p, TOKEN_OR, CLEW_NET_OR, parse_and);
}

/* NULL, and a message: it cannot be read. Numbers are fine where they are asked for. */
static const struct clew_net_term *parse(struct pnml *n, const struct clew_source *source,
                                         bool wants_number) {
  struct parser p = {.n = n, .source = source};
  const struct clew_net_term *term = NULL;
  if (!clew_lex_scan(source, &STYLE, n->diags, &p.tokens)) {
    n->failed = true;
  } else {
    term = parse_or(&p);
    expect(&p, CLEW_TOKEN_END, "the end of the question");
    if (!p.failed && is_number(term) != wants_number) {
      p.at = 0;
      complain(&p, "%s",
               wants_number ? "a number was expected" : "a truth was expected, not a number");
    }
  }
  clew_vec_free(&p.tokens);
  return p.failed || n->failed ? NULL : term;
}

const struct clew_net_term *clew_pnml_parse(struct pnml *n, const struct clew_source *source,
                                            size_t skip) {
  struct clew_source rest = {source->name, source->text + skip, source->length - skip};
  return parse(n, &rest, false);
}

/* ---- whole questions ---- */

/* The length of the operator that the text begins with, or 0. */
static size_t operator_length(const char *text, const char *const *names) {
  for (; *names != NULL; names++) {
    if (strncmp(text, *names, strlen(*names)) == 0) {
      return strlen(*names);
    }
  }
  return 0;
}

static bool is_word(const char *text, const char *word) {
  size_t length = strlen(word);
  return strncmp(text, word, length) == 0 &&
         strspn(text + length, " \t\r") == strlen(text + length);
}

/* No place has more than one token, of whatever colours. */
static const struct clew_net_term *one_safe(struct pnml *n) {
  struct clew_net_term *all = clew_pnml_net_term(n, CLEW_NET_AND, n->places.len);
  const struct clew_net_term **args = (const struct clew_net_term **)all->args;
  struct clew_net_term *one = clew_pnml_net_term(n, CLEW_NET_NUMBER, 0);
  one->number = 1;
  for (uint32_t p = 0; p < n->places.len; p++) {
    struct clew_net_term *at_most = clew_pnml_net_term(n, CLEW_NET_AT_MOST, 2);
    const struct clew_net_term **sides = (const struct clew_net_term **)at_most->args;
    sides[0] = clew_pnml_over(n, CLEW_NET_TOKENS, &p, 1);
    sides[1] = one;
    args[p] = at_most;
  }
  return all;
}

/* A property of each transition, of the same kind. */
static void ask_of_transitions(struct pnml *n, const char *title, const char *option,
                               struct clew_property like) {
  for (uint32_t t = 0; t < n->transitions.len; t++) {
    struct clew_property property = like;
    property.name = clew_arena_printf(n->arena, "%s %s", title, n->transitions.data[t].name);
    property.label = like.is_statement ? t : n->labels.len;
    property.option = option;
    if (!like.is_statement) {
      clew_vec_push(&n->labels, ((struct clew_label){.name = property.name}));
      clew_vec_push(&n->label_terms, clew_pnml_over(n, CLEW_NET_FIREABLE, &t, 1));
    }
    clew_vec_push(&n->properties, property);
  }
}

static void ask_quasi_liveness(struct pnml *n, const char *option) {
  n->net->covers_rules = true;
  ask_of_transitions(n, "QuasiLiveness", option,
                     (struct clew_property){.kind = CLEW_PROPERTY_COVER, .is_statement = true});
}

static void ask_liveness(struct pnml *n, const char *option) {
  ask_of_transitions(n, "Liveness", option, (struct clew_property){.kind = CLEW_PROPERTY_LIVENESS});
}

/* The bit is known in the end: another question may put statements before it. */
static void ask_stable_marking(struct pnml *n, const char *option) {
  if (n->places.len == 0) {
    clew_pnml_add_unchecked(n, "StableMarking", "the net has no places");
    return;
  }
  n->net->covers_origins = true;
  clew_vec_push(&n->properties, ((struct clew_property){.kind = CLEW_PROPERTY_COVER,
                                                        .name = "StableMarking",
                                                        .is_statement = true,
                                                        .refusal = "every place changes",
                                                        .option = option}));
}

static void ask_one_safe(struct pnml *n, const char *option) {
  clew_pnml_add_state_property(n, "OneSafe", option, one_safe(n), CLEW_QUERY_INVARIANT);
}

static void ask_reachability_deadlock(struct pnml *n, const char *option) {
  clew_pnml_add_deadlock(n, "ReachabilityDeadlock", option, true);
}

/* Questions that are known by a name. */
static bool ask_by_name(struct pnml *n, const char *text, const char *option) {
  static const struct {
    const char *name;
    void (*ask)(struct pnml *n, const char *option);
  } questions[] = {{"OneSafe", ask_one_safe},
                   {"StableMarking", ask_stable_marking},
                   {"QuasiLiveness", ask_quasi_liveness},
                   {"Liveness", ask_liveness},
                   {"ReachabilityDeadlock", ask_reachability_deadlock}};
  for (uint32_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
    if (is_word(text, questions[i].name)) {
      questions[i].ask(n, option);
      return true;
    }
  }
  return false;
}

static void ask_one(struct pnml *n, const struct clew_source *line, const char *option) {
  static const char *const some[] = {"E<>", "EF", NULL}, *const all[] = {"A[]", "AG", NULL},
                           *const most[] = {"sup:", NULL};
  const char *name = clew_arena_strndup(n->arena, line->text, line->length);
  if (ask_by_name(n, name, option)) {
    return;
  }
  size_t e = operator_length(name, some), a = operator_length(name, all),
         s = operator_length(name, most);
  if (e + a + s == 0) {
    clew_diag_at(n->diags, CLEW_ERROR, line, 0, 1,
                 "a question begins with E<>, A[] or sup:, or is one of OneSafe, StableMarking, "
                 "QuasiLiveness, Liveness, ReachabilityDeadlock");
    n->failed = true;
    return;
  }
  struct clew_source rest = {line->name, name + e + a + s, line->length - (e + a + s)};
  const char *body = rest.text + strspn(rest.text, " \t");
  if (is_word(body, "deadlock") && e > 0) {
    clew_pnml_add_deadlock(n, name, option, true);
    return;
  }
  if ((is_word(body, "not deadlock") || is_word(body, "!deadlock")) && a > 0) {
    clew_pnml_add_deadlock(n, name, option, false);
    return;
  }
  const struct clew_net_term *term = parse(n, &rest, s > 0);
  if (term == NULL) {
    return;
  }
  if (s > 0) {
    clew_pnml_add_measure(n, name, option, term);
  } else {
    clew_pnml_add_state_property(n, name, option, term,
                                 e > 0 ? CLEW_QUERY_REACH : CLEW_QUERY_INVARIANT);
  }
}

/* One on each line; blank ones, and those that begin with //, are left out. */
void clew_pnml_read_question(struct pnml *n, const struct clew_formulas *formulas) {
  const char *at = formulas->source.text, *end = at + formulas->source.length;
  while (at < end && !n->failed) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop != NULL ? stop : end;
    const char *begin = at + strspn(at, " \t\r");
    if (begin < stop && strncmp(begin, "//", 2) != 0) {
      size_t length = (size_t)(stop - begin);
      while (length > 0 && strchr(" \t\r", begin[length - 1]) != NULL) {
        length--;
      }
      struct clew_source line = {formulas->source.name, clew_arena_strndup(n->arena, begin, length),
                                 length};
      ask_one(n, &line, formulas->option);
    }
    at = stop < end ? stop + 1 : end;
  }
}
