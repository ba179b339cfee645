/* Binary operators by precedence climbing, driven by tables. A language says which tokens are
 * operators and at which level they bind (greater binds tighter), how the operators of a level go
 * together, and how nodes are made; nodes are its own and opaque here. */
#ifndef CLEW_LANG_CLIMB_H
#define CLEW_LANG_CLIMB_H

#include "lang/cursor.h"

/* What a token is as a binary operator. */
struct clew_operator {
  uint8_t level; /* 0: it is none */
  uint8_t op;    /* the language's own number */
};

enum clew_grouping {
  CLEW_GROUP_LEFT,  /* a - b - c is (a - b) - c */
  CLEW_GROUP_ALONE, /* a < b < c is an error */
  CLEW_GROUP_CHAIN, /* operands of one level are collected: a & b & c is one chain */
  CLEW_GROUP_RUN,   /* likewise, but only of one and the same operator */
};

struct clew_level {
  enum clew_grouping grouping;
  const char *alone; /* GROUP_ALONE: "comparisons do not chain" */
};

struct clew_climber {
  const struct clew_operator *operators; /* by kind of token */
  const struct clew_level *levels;       /* by level */
  /* An operand: what binds tighter than every binary operator. */
  void *(*operand)(struct clew_cursor *c);
  void *(*binary)(struct clew_cursor *c, uint8_t op, void *a, void *b);
  /* operands[0] ops[0] operands[1] ops[1] …, `count` operands, at least 2 unless the cursor is in
   * panic; the arrays are gone afterwards. */
  void *(*chain)(struct clew_cursor *c, void *const *operands, const uint8_t *ops, uint32_t count);
};

/* Everything that binds at least as tightly as `level`, which is at least 1. */
void *clew_climb(struct clew_cursor *c, const struct clew_climber *climber, uint8_t level);

#endif
