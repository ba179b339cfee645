/* Private to the parser: taking tokens. */
#ifndef CLEW_LANG_CPN_ML_PARSE_H
#define CLEW_LANG_CPN_ML_PARSE_H

#include "lang/cpn/ml.h"

struct cpn_parser {
  struct cpn_reader *reader;
  struct cpn_tokens tokens;
  uint32_t at;
  uint32_t depth;
};

static inline const struct cpn_token *cpn_peek(const struct cpn_parser *p) {
  return &p->tokens.data[p->at];
}

bool cpn_is(const struct cpn_parser *p, const char *text);        /* reserved */
bool cpn_is_symbol(const struct cpn_parser *p, const char *text); /* an operator */
bool cpn_take(struct cpn_parser *p, const char *text);
bool cpn_expect(struct cpn_parser *p, const char *text);
/* Says what was expected instead of the next token; always NULL. */
void *cpn_unexpected(struct cpn_parser *p, const char *wanted);
struct cpn_name *cpn_take_name(struct cpn_parser *p, const char *what);
bool cpn_enter(struct cpn_parser *p);

struct cpn_expr *cpn_node(struct cpn_parser *p, enum cpn_expr_kind kind, uint32_t offset,
                          uint32_t count);
struct cpn_expr *cpn_expression(struct cpn_parser *p);
struct cpn_expr *cpn_pattern(struct cpn_parser *p);
struct cpn_expr *cpn_atomic_pattern(struct cpn_parser *p);
bool cpn_begins_pattern(const struct cpn_parser *p);
struct cpn_type_expr *cpn_type_expression(struct cpn_parser *p);
struct cpn_dec *cpn_declarations(struct cpn_parser *p);
struct cpn_name *cpn_infix_here(const struct cpn_parser *p);

#endif
