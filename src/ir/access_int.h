/* Private to access*.c: the abstract execution of one rule instance.
 *
 * The abstract value of a frame cell is a constant or unknown; of the state only the set of cells
 * that were surely written is followed. What is read and may be written collects in two sets that
 * only grow. Statements that branch are run on copies of the abstract state (struct clew_flow) that
 * are joined afterwards. Operands that may not be evaluated are run in place, but *weakly*: what
 * they write counts as "may", and a cell they change becomes unknown. */
#ifndef CLEW_IR_ACCESS_INT_H
#define CLEW_IR_ACCESS_INT_H

#include "ir/access.h"
#include "ir/ir_int.h"

/* A known value may be CLEW_UNDEFINED. */
struct clew_known {
  bool known;
  int64_t value;
};

/* Where a place may be: `cells` cells at base + i0 * stride0 + i1 * stride1 …, for every choice of
 * i0 < count0 and so on. Exact when there are no dimensions. */
enum { CLEW_REGION_DIMS = 8 };
struct clew_region {
  bool in_state;
  uint32_t frame; /* not in_state: which of the frames */
  uint32_t base, cells;
  uint32_t dim_count;
  struct {
    uint32_t count, stride;
  } dims[CLEW_REGION_DIMS];
};

struct clew_flow {
  bool reachable; /* false: the rest is meaningless */
  uint64_t *must;
  struct clew_known *cells;
};

/* The frame of a rule, function or label that is being run. */
struct clew_access_frame {
  uint32_t first, count; /* in the cells of the flow; cells beyond are not followed: unknown */
  uint32_t weak;         /* level of weakness at which it was entered */
};

/* A function (or rule: NULL) that is being run. */
struct clew_activation {
  struct clew_activation *caller;
  const struct clew_function *function;
  uint32_t frame;
  const struct clew_region *refs;
  struct clew_flow exit; /* the join of all returns so far; cells NULL: none yet */
  bool returned;         /* there was a value: */
  struct clew_known result;
};

struct clew_abstract {
  const struct clew_program *program;
  uint32_t set_words;         /* of each set */
  uint64_t *read, *may_write; /* borrowed */
  struct clew_flow flow;      /* here and now; its arrays are owned */
  uint32_t cell_count, cell_capacity;
  CLEW_VEC(struct clew_access_frame) frames;
  struct clew_activation *activation;
  uint32_t weak;         /* > 0: what happens may not happen */
  uint32_t weak_changes; /* how often a weak write made a cell unknown */
  uint64_t unrolled;     /* product of the iterations of the unrolled loops around */
  uint32_t steps, depth; /* done; nested */
  bool gave_up;          /* too much to follow: the answer is "everything" */
};

/* ---- access_flow.c ------------------------------------------------------------------------ */

void clew_abstract_open(struct clew_abstract *a, const struct clew_program *program, uint64_t *read,
                        uint64_t *may_write);
void clew_abstract_close(struct clew_abstract *a);

/* All cells of a new frame are undefined. */
uint32_t clew_abstract_push(struct clew_abstract *a, const struct clew_frame *frame);
void clew_abstract_pop(struct clew_abstract *a);

struct clew_flow clew_flow_save(const struct clew_abstract *a);
void clew_flow_load(struct clew_abstract *a, const struct clew_flow *flow);
/* *flow becomes what holds in both; true when that changed its cells. */
bool clew_flow_join(const struct clew_abstract *a, struct clew_flow *flow);
/* Joins the flow into what is now, and frees it. */
void clew_flow_merge(struct clew_abstract *a, struct clew_flow *flow);
void clew_flow_free(struct clew_flow *flow);

void clew_region_add_dim(struct clew_region *region, uint32_t count, uint32_t stride);
void clew_region_read(struct clew_abstract *a, const struct clew_region *region);
/* The value of all cells written: not known but for scalars. */
void clew_region_write(struct clew_abstract *a, const struct clew_region *region,
                       struct clew_known value);
/* Reads and changes all of it, somehow. */
void clew_region_update(struct clew_abstract *a, const struct clew_region *region);
void clew_region_copy(struct clew_abstract *a, const struct clew_region *to,
                      const struct clew_region *from);
struct clew_known clew_region_value(const struct clew_abstract *a,
                                    const struct clew_region *region);
/* A variable that only the construct itself assigns: LET, loops, parameters. */
void clew_abstract_bind(struct clew_abstract *a, uint32_t frame, uint32_t cell,
                        struct clew_known value);

/* ---- access_expr.c ------------------------------------------------------------------------ */

/* False, giving up, when there was too much to do; else every enter needs a leave. */
bool clew_abstract_enter(struct clew_abstract *a);
void clew_abstract_leave(struct clew_abstract *a);
/* Whether a loop of so many iterations is worth unrolling. */
bool clew_abstract_unrolls(const struct clew_abstract *a, uint64_t iterations);

struct clew_known clew_abstract_eval(struct clew_abstract *a, const struct clew_expr *expr);
struct clew_region clew_abstract_locate(struct clew_abstract *a, const struct clew_place *place);
struct clew_known clew_abstract_call(struct clew_abstract *a, const struct clew_call *call);

/* ---- access_stmt.c ------------------------------------------------------------------------ */

void clew_abstract_run(struct clew_abstract *a, const struct clew_stmt *list);
/* Runs a whole body as the activation; afterwards the flow is that of its end. */
void clew_abstract_run_body(struct clew_abstract *a, struct clew_activation *activation,
                            const struct clew_stmt *body);

#endif
