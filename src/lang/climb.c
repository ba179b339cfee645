/* Precedence climbing. Chains are collected rather than nested, so that a conjunction of a thousand
 * terms need not be a thousand levels deep. */
#include "lang/climb.h"

#include <assert.h>

/* The rest of a chain that starts with `first`, at its first operator. */
static void *climb_chain(struct clew_cursor *c, const struct clew_climber *climber, void *first) {
  const struct clew_operator *operators = climber->operators;
  struct clew_operator start = operators[clew_cursor_peek(c)];
  bool run = climber->levels[start.level].grouping == CLEW_GROUP_RUN;
  /* Chains within this one use the same stacks, above what it has there. */
  uint32_t operand_base = c->operands.len, op_base = c->ops.len;
  clew_vec_push(&c->operands, first);
  for (;;) {
    struct clew_operator next = operators[clew_cursor_peek(c)];
    if (c->panic || next.level != start.level || (run && next.op != start.op)) {
      break;
    }
    clew_vec_push(&c->ops, next.op);
    c->at++;
    void *operand = clew_climb(c, climber, (uint8_t)(start.level + 1));
    clew_vec_push(&c->operands, operand);
  }
  void *expr = climber->chain(c, c->operands.data + operand_base, c->ops.data + op_base,
                              c->operands.len - operand_base);
  c->operands.len = operand_base;
  c->ops.len = op_base;
  return expr;
}

void *clew_climb(struct clew_cursor *c, const struct clew_climber *climber, uint8_t level) {
  assert(level >= 1);
  void *left = climber->operand(c);
  for (;;) {
    struct clew_operator op = climber->operators[clew_cursor_peek(c)];
    if (c->panic || op.level == 0 || op.level < level) {
      return left;
    }
    const struct clew_level *how = &climber->levels[op.level];
    if (how->grouping == CLEW_GROUP_CHAIN || how->grouping == CLEW_GROUP_RUN) {
      left = climb_chain(c, climber, left);
      continue;
    }
    c->at++;
    void *right = clew_climb(c, climber, (uint8_t)(op.level + 1));
    left = climber->binary(c, op.op, left, right);
    if (how->grouping == CLEW_GROUP_ALONE &&
        climber->operators[clew_cursor_peek(c)].level == op.level) {
      clew_cursor_fail(c, clew_cursor_here(c), "%s: use parentheses", how->alone);
    }
  }
}
