/* The one traversal of programs: every statement, expression, place and call, in source order, each
 * before what is inside it. For analyses that do not care about the order of execution. A zeroed
 * callback is not called. */
#ifndef CLEW_IR_WALK_H
#define CLEW_IR_WALK_H

#include "ir/ir.h"

enum clew_use {
  CLEW_USE_READ,
  CLEW_USE_WRITE,  /* some or all cells are replaced */
  CLEW_USE_UPDATE, /* both (bags) */
  CLEW_USE_REFER,  /* handed to a reference parameter */
};

struct clew_walk {
  void (*stmt)(struct clew_walk *walk, const struct clew_stmt *stmt);
  /* raw: LOAD_RAW is allowed here. False: do not look inside. */
  bool (*expr)(struct clew_walk *walk, const struct clew_expr *expr, bool raw);
  void (*place)(struct clew_walk *walk, const struct clew_place *place, enum clew_use use);
  void (*call)(struct clew_walk *walk, const struct clew_call *call, bool is_stmt);

  /* Where the walk is. */
  const struct clew_program *program;
  const struct clew_frame *frame;
  const struct clew_function *function; /* NULL outside functions */
  bool pure;                            /* in a guard or a label */
  uint32_t depth;                       /* of nested statements */
  bool too_deep; /* set when statements nested deeper than CLEW_MAX_DEPTH were skipped */
};

void clew_walk_expr(struct clew_walk *walk, const struct clew_expr *expr, bool raw);
void clew_walk_stmts(struct clew_walk *walk, const struct clew_stmt *list);
/* All functions, rules of starts and families, and labels. */
void clew_walk_function(struct clew_walk *walk, const struct clew_function *function);
void clew_walk_program(struct clew_walk *walk);

#endif
