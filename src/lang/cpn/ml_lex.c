/* CPN ML as tokens.
 *
 * Names may have dots (List.map) and, as in Mark.Page'Place, primes. A backquote is an operator of
 * its own whatever stands beside it: 1`~1 is a multiset. */
#include <ctype.h>
#include <string.h>

#include "lang/cpn/ml.h"

static const char SYMBOLS[] = "!%&$+-/:<=>?@\\~^|*";

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '\'' || (c & 0x80) != 0;
}

struct scanner {
  struct cpn_reader *reader;
  const char *text;
  uint32_t at, end;
  struct cpn_tokens *tokens;
};

static void add(struct scanner *s, enum cpn_token_kind kind, uint32_t from) {
  clew_vec_push(s->tokens, ((struct cpn_token){kind, from, s->at - from}));
}

static bool is_reserved(const char *text, uint32_t length) {
  static const char *const words[] = {
      "abstype", "and",       "andalso", "as",        "case",   "datatype",  "do",   "else",
      "end",     "exception", "fn",      "fun",       "handle", "if",        "in",   "infix",
      "infixr",  "let",       "local",   "nonfix",    "of",     "op",        "open", "orelse",
      "raise",   "rec",       "sig",     "signature", "struct", "structure", "then", "type",
      "val",     "while",     "with",    "withtype",  "=>",     "->",        "|",    ":",
      "=",       "functor",   "globref", "colset",    "var",    NULL};
  for (uint32_t i = 0; words[i] != NULL; i++) {
    if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) {
      return true;
    }
  }
  return false;
}

/* (* comments nest *) */
static bool skip_comment(struct scanner *s) {
  uint32_t from = s->at, depth = 0;
  do {
    if (s->at + 1 >= s->end) {
      cpn_fail(s->reader, from, 2, "this comment has no end");
      return false;
    }
    bool opens = s->text[s->at] == '(' && s->text[s->at + 1] == '*';
    bool closes = s->text[s->at] == '*' && s->text[s->at + 1] == ')';
    depth += opens ? 1 : 0;
    depth -= closes ? 1 : 0;
    s->at += opens || closes ? 2 : 1;
  } while (depth > 0);
  return true;
}

static bool scan_string(struct scanner *s, uint32_t from, enum cpn_token_kind kind) {
  while (s->at < s->end && s->text[s->at] != '"' && s->text[s->at] != '\n') {
    s->at += s->text[s->at] == '\\' && s->at + 1 < s->end ? 2 : 1;
  }
  if (s->at >= s->end || s->text[s->at] != '"') {
    cpn_fail(s->reader, from, 1, "this string has no end");
    return false;
  }
  s->at++;
  add(s, kind, from);
  return true;
}

static void scan_number(struct scanner *s, uint32_t from) {
  enum cpn_token_kind kind = CPN_K_INT;
  while (s->at < s->end && isdigit((unsigned char)s->text[s->at])) {
    s->at++;
  }
  if (s->at + 1 < s->end && s->text[s->at] == '.' && isdigit((unsigned char)s->text[s->at + 1])) {
    kind = CPN_K_REAL;
    s->at++;
    while (s->at < s->end && isdigit((unsigned char)s->text[s->at])) {
      s->at++;
    }
  }
  if (s->at + 1 < s->end && (s->text[s->at] == 'e' || s->text[s->at] == 'E') &&
      (isdigit((unsigned char)s->text[s->at + 1]) || s->text[s->at + 1] == '~')) {
    kind = CPN_K_REAL;
    s->at += 2;
    while (s->at < s->end && isdigit((unsigned char)s->text[s->at])) {
      s->at++;
    }
  }
  add(s, kind, from);
}

static void scan_name(struct scanner *s, uint32_t from) {
  while (s->at < s->end && is_word(s->text[s->at])) {
    s->at++;
  }
  while (s->at + 1 < s->end && s->text[s->at] == '.' &&
         (isalpha((unsigned char)s->text[s->at + 1]) != 0)) {
    s->at++;
    while (s->at < s->end && is_word(s->text[s->at])) {
      s->at++;
    }
  }
  add(s, is_reserved(s->text + from, s->at - from) ? CPN_K_PUNCT : CPN_K_NAME, from);
}

static void scan_symbol(struct scanner *s, uint32_t from) {
  while (s->at < s->end && strchr(SYMBOLS, s->text[s->at]) != NULL && s->text[s->at] != '\0') {
    /* 1`x++~1: a minus sign before a number belongs to the number. */
    if (s->at > from && s->text[s->at] == '~') {
      break;
    }
    s->at++;
  }
  bool negates = s->at - from == 1 && s->text[from] == '~' && s->at < s->end &&
                 isdigit((unsigned char)s->text[s->at]);
  if (negates) {
    scan_number(s, from);
  } else {
    add(s, is_reserved(s->text + from, s->at - from) ? CPN_K_PUNCT : CPN_K_SYMBOL, from);
  }
}

static bool scan_one(struct scanner *s) {
  uint32_t from = s->at;
  char c = s->text[s->at], after = s->at + 1 < s->end ? s->text[s->at + 1] : '\0';
  if (isspace((unsigned char)c)) {
    s->at++;
  } else if (c == '(' && after == '*') {
    return skip_comment(s);
  } else if (isdigit((unsigned char)c)) {
    scan_number(s, from);
  } else if (c == '"') {
    s->at++;
    return scan_string(s, from, CPN_K_STRING);
  } else if (c == '#' && after == '"') {
    s->at += 2;
    return scan_string(s, from, CPN_K_CHAR);
  } else if (c == '\'') {
    while (s->at < s->end && is_word(s->text[s->at])) {
      s->at++;
    }
    add(s, CPN_K_TYVAR, from);
  } else if (c == '.' && strncmp(s->text + s->at, "...", 3) == 0) {
    s->at += 3;
    add(s, CPN_K_PUNCT, from);
  } else if (c == '_' || isalpha((unsigned char)c) || (c & 0x80) != 0) {
    if (c == '_' && !is_word(after)) {
      s->at++;
      add(s, CPN_K_PUNCT, from);
    } else {
      scan_name(s, from);
    }
  } else if (strchr("()[]{},;#", c) != NULL && c != '\0') {
    s->at++;
    add(s, CPN_K_PUNCT, from);
  } else if (c == '`') {
    s->at++;
    add(s, CPN_K_SYMBOL, from);
  } else if (strchr(SYMBOLS, c) != NULL && c != '\0') {
    scan_symbol(s, from);
  } else {
    cpn_fail(s->reader, from, 1, "no CPN ML begins with this character");
    return false;
  }
  return true;
}

bool cpn_lex(struct cpn_reader *reader, struct cpn_tokens *tokens) {
  const struct clew_source *source = &reader->text->source;
  struct scanner s = {
      .reader = reader, .text = source->text, .end = (uint32_t)source->length, .tokens = tokens};
  while (s.at < s.end) {
    if (!scan_one(&s)) {
      return false;
    }
  }
  add(&s, CPN_K_END, s.at);
  return true;
}
