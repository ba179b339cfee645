/* What has to be known about a program before it is emitted: which functions can fail, are
 * recursive or are small enough to be inlined, how much C stack an execution needs, which bags a
 * rule may leave unsorted, and how an expression can be lowered.
 *
 * Functions are finished in an order in which callees come before callers; those that are left
 * over are recursive or call something recursive, and the worst is assumed of them. */

#include "ir/emit_int.h"
#include "ir/ir_int.h"
#include "ir/walk.h"

enum { MAX_MARKED_BAGS = 1024 };

/* ---- What can fail by itself, calls aside ---------------------------------------------------- */

static bool expr_fails(const struct clew_expr *expr) {
  assert(expr != NULL);
  return expr->site != CLEW_NONE || expr->polls;
}

static bool stmt_fails(const struct clew_stmt *stmt) {
  switch (stmt->kind) {
  case CLEW_STMT_ASSIGN:
    return stmt->checked;
  case CLEW_STMT_FOR:
    return stmt->polls;
  case CLEW_STMT_WHILE:
  case CLEW_STMT_ASSERT:
  case CLEW_STMT_ASSUME:
  case CLEW_STMT_BAG_ADD:
  case CLEW_STMT_BAG_REMOVE:
    return true;
  default:
    return false;
  }
}

/* Whether the end of the list is never reached. */
bool clew_emit_returns_always(const struct clew_stmt *list) {
  for (const struct clew_stmt *stmt = list; stmt != NULL; stmt = stmt->next) {
    bool returns = false;
    switch (stmt->kind) {
    case CLEW_STMT_RETURN:
      returns = true;
      break;
    case CLEW_STMT_BLOCK:
      returns = clew_emit_returns_always(stmt->body);
      break;
    case CLEW_STMT_IF:
      returns = clew_emit_returns_always(stmt->body) && clew_emit_returns_always(stmt->otherwise);
      break;
    case CLEW_STMT_SWITCH:
      returns = clew_emit_returns_always(stmt->otherwise);
      for (uint32_t i = 0; i < stmt->case_count && returns; i++)
        returns = clew_emit_returns_always(stmt->cases[i].body);
      break;
    default:
      break;
    }
    if (returns)
      return true;
  }
  return false;
}

/* ---- Functions ------------------------------------------------------------------------------- */

struct scan {
  struct clew_walk walk; /* first, so that a pointer to it is one to this */
  struct clew_emit_function *function;
  uint32_t nodes;
};

static bool scan_expr(struct clew_walk *walk, const struct clew_expr *expr, bool raw) {
  struct scan *scan = (struct scan *)walk;
  (void)raw;
  scan->nodes++;
  scan->function->may_fail |= expr_fails(expr);
  return true;
}

static void scan_stmt(struct clew_walk *walk, const struct clew_stmt *stmt) {
  struct scan *scan = (struct scan *)walk;
  assert(scan->function != NULL);
  scan->nodes++;
  scan->function->may_fail |= stmt_fails(stmt);
}

static void scan_place(struct clew_walk *walk, const struct clew_place *place, enum clew_use use) {
  struct scan *scan = (struct scan *)walk;
  assert((unsigned)use <= CLEW_USE_REFER);
  scan->function->may_fail |= clew_place_may_fault(place);
}

static void scan_call(struct clew_walk *walk, const struct clew_call *call, bool is_stmt) {
  struct scan *scan = (struct scan *)walk;
  (void)is_stmt;
  assert(call->function != NULL);
  clew_vec_push(&scan->function->callees, call->function->index);
}

static void function_scan(struct clew_emitter *e, const struct clew_function *function) {
  struct clew_emit_function *facts = &e->functions[function->index];
  struct scan scan = {.walk = {.stmt = scan_stmt,
                               .expr = scan_expr,
                               .place = scan_place,
                               .call = scan_call,
                               .program = e->program},
                      .function = facts};
  clew_walk_function(&scan.walk, function);
  facts->weight = scan.nodes;
  facts->may_fail |= function->polls;
  if (function->result != NULL && function->no_result_site != CLEW_NONE)
    facts->may_fail |= !clew_emit_returns_always(function->body);
  assert(facts->stack_bytes == 0);
}

bool clew_emit_list_fails(const struct clew_emitter *e, const struct clew_stmt *list) {
  struct clew_emit_function facts = {0};
  struct scan scan = {.walk = {.stmt = scan_stmt,
                               .expr = scan_expr,
                               .place = scan_place,
                               .call = scan_call,
                               .program = e->program},
                      .function = &facts};
  clew_walk_stmts(&scan.walk, list);
  bool fails = facts.may_fail || (e->counts_depth && facts.callees.len > 0);
  for (uint32_t i = 0; i < facts.callees.len; i++)
    fails |= e->functions[facts.callees.data[i]].may_fail;
  assert(scan.walk.depth == 0);
  clew_vec_free(&facts.callees);
  return fails;
}

/* C stack of one activation. Frame cells are int64_t; what the compiler spills is guessed from the
 * amount of code. */
static uint64_t activation_bytes(const struct clew_frame *frame, uint32_t weight) {
  return 192 + 8 * (uint64_t)(frame == NULL ? 0 : frame->cells) + 2 * (uint64_t)weight;
}

/* Marks the bags that overlap these slots. With very many bags the first mark means them all, which
 * keeps this linear; emitted code looks at what really changed. */
static void range_mark(const struct clew_program *program, uint64_t first, uint64_t end,
                       uint64_t *bags) {
  assert(first <= end);
  bool all = program->bags.len > MAX_MARKED_BAGS;
  if (all && clew_bitset_has(bags, 0))
    return;
  for (uint32_t i = 0; i < program->bags.len; i++) {
    const struct clew_bag *bag = &program->bags.data[i];
    uint64_t bag_end = (uint64_t)bag->slot + (uint64_t)bag->count * bag->stride;
    if (all || (bag->slot < end && first < bag_end))
      clew_bitset_add(bags, i);
  }
}

struct mark {
  struct clew_walk walk; /* first */
  const struct clew_emitter *e;
  uint64_t *bags;
};

static void mark_place(struct clew_walk *walk, const struct clew_place *place, enum clew_use use) {
  const struct mark *mark = (const struct mark *)walk;
  if (use == CLEW_USE_READ || place->space != CLEW_SPACE_STATE)
    return;
  uint64_t first = (uint64_t)place->base + place->offset, end = first + place->type->cells;
  for (uint32_t i = 0; i < place->index_count; i++)
    end += (uint64_t)(place->indices[i].count - 1) * place->indices[i].stride;
  assert(end <= mark->e->program->slot_count);
  range_mark(mark->e->program, first, end, mark->bags);
}

/* References count as written; what else the callee writes is known, because callees come first. */
static void mark_call(struct clew_walk *walk, const struct clew_call *call, bool is_stmt) {
  const struct mark *mark = (const struct mark *)walk;
  const uint64_t *more = mark->e->functions[call->function->index].bags;
  (void)is_stmt;
  assert(more != NULL);
  for (uint32_t i = 0; i < CLEW_BITSET_WORDS(mark->e->program->bags.len); i++)
    mark->bags[i] |= more[i];
}

void clew_emit_bags_written(const struct clew_emitter *e, const struct clew_stmt *list,
                            uint64_t *bags) {
  if (e->program->bags.len == 0)
    return;
  assert(bags != NULL);
  struct mark mark = {.walk = {.place = mark_place, .call = mark_call, .program = e->program},
                      .e = e,
                      .bags = bags};
  clew_walk_stmts(&mark.walk, list);
}

/* All callees are finished, or the function is part of what is left over. */
static void function_finish(struct clew_emitter *e, uint32_t index, bool cyclic) {
  struct clew_emit_function *facts = &e->functions[index];
  const struct clew_function *function = e->program->functions.data[index];
  uint64_t weight = facts->weight, below = 0;
  for (uint32_t i = 0; i < facts->callees.len; i++) {
    const struct clew_emit_function *callee = &e->functions[facts->callees.data[i]];
    facts->may_fail |= callee->may_fail;
    weight += callee->inlined ? callee->weight : 0;
    below = below < callee->stack_bytes ? callee->stack_bytes : below;
  }
  facts->cyclic = cyclic;
  facts->may_fail |= cyclic;
  facts->weight = weight > UINT32_MAX ? UINT32_MAX : (uint32_t)weight;
  facts->inlined = !cyclic && weight <= CLEW_EMIT_INLINE_FUNCTION &&
                   function->frame->cells <= CLEW_EMIT_INLINE_CELLS;
  facts->stack_bytes = below + activation_bytes(function->frame, facts->weight);
  if (cyclic)
    range_mark(e->program, 0, e->program->slot_count, facts->bags);
  else
    clew_emit_bags_written(e, function->body, facts->bags);
}

/* Finishes all functions, callees first. */
static void functions_order(struct clew_emitter *e) {
  uint32_t count = e->program->functions.len;
  uint32_t *waiting = clew_alloc_zero(count + 1, sizeof *waiting);
  CLEW_VEC(uint32_t) *callers = clew_alloc_zero(count + 1, sizeof *callers);
  CLEW_VEC(uint32_t) ready = {0};
  for (uint32_t i = 0; i < count; i++) {
    waiting[i] = e->functions[i].callees.len;
    for (uint32_t j = 0; j < waiting[i]; j++)
      clew_vec_push(&callers[e->functions[i].callees.data[j]], i);
    if (waiting[i] == 0)
      clew_vec_push(&ready, i);
  }
  for (uint32_t next = 0; next < ready.len; next++) {
    uint32_t done = ready.data[next];
    function_finish(e, done, false);
    for (uint32_t j = 0; j < callers[done].len; j++)
      if (--waiting[callers[done].data[j]] == 0)
        clew_vec_push(&ready, callers[done].data[j]);
  }
  assert(ready.len <= count);
  for (uint32_t i = 0; i < count; i++) {
    if (waiting[i] > 0) {
      e->counts_depth = true;
      function_finish(e, i, true);
    }
    clew_vec_free(&callers[i]);
  }
  clew_vec_free(&ready);
  clew_free(callers);
  clew_free(waiting);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

/* An expression's size is known without looking, which matters when parts are shared: written out
 * it could be larger than anything. */
static bool list_add_size(const struct clew_stmt *list, uint64_t *nodes) {
  for (const struct clew_stmt *stmt = list; stmt != NULL; stmt = stmt->next) {
    *nodes += 1 + (stmt->value == NULL ? 0 : stmt->value->size) +
              (stmt->value2 == NULL ? 0 : stmt->value2->size) + stmt->case_count;
    const struct clew_place *places[] = {&stmt->place, &stmt->place2};
    for (uint32_t i = 0; i < 2; i++)
      for (uint32_t j = 0; j < places[i]->index_count; j++)
        *nodes += places[i]->indices[j].value->size;
    for (uint32_t i = 0; stmt->call != NULL && i < stmt->call->function->value_count; i++)
      *nodes += stmt->call->values[i]->size;
    for (uint32_t i = 0; stmt->call != NULL && i < stmt->call->function->reference_count; i++)
      for (uint32_t j = 0; j < stmt->call->refs[i].index_count; j++)
        *nodes += stmt->call->refs[i].indices[j].value->size;
    if (*nodes > CLEW_EMIT_MAX_NODES || !list_add_size(stmt->body, nodes) ||
        !list_add_size(stmt->otherwise, nodes))
      return false;
    for (uint32_t i = 0; i < stmt->case_count; i++)
      if (!list_add_size(stmt->cases[i].body, nodes))
        return false;
  }
  return *nodes <= CLEW_EMIT_MAX_NODES;
}

/* All nodes of the program as often as they occur; more than CLEW_EMIT_MAX_NODES are not counted.
 */
static uint64_t program_size(const struct clew_program *program) {
  uint64_t nodes = 0;
  for (uint32_t i = 0; i < program->functions.len; i++)
    if (!list_add_size(program->functions.data[i]->body, &nodes))
      return nodes;
  for (uint32_t i = 0; i < program->families.len; i++) {
    const struct clew_family *family = program->families.data[i];
    for (uint32_t j = 0; j < family->rule_count; j++) {
      nodes += 1 + (family->rules[j].guard == NULL ? 0 : family->rules[j].guard->size);
      if (!list_add_size(family->rules[j].body, &nodes))
        return nodes;
    }
  }
  for (uint32_t i = 0; i < program->labels.len; i++)
    nodes += program->labels.data[i].value->size;
  assert(nodes > 0 || program->rule_count == 0);
  return nodes;
}

/* An upper guess: a rule or label above the deepest chain of calls; when there is recursion, the
 * greatest activation as often as calls may nest. */
static bool stack_within_limit(const struct clew_emitter *e) {
  const struct clew_program *program = e->program;
  uint64_t chain = 0, largest = 0, frame = 0;
  bool cyclic = false;
  for (uint32_t i = 0; i < program->functions.len; i++) {
    const struct clew_emit_function *facts = &e->functions[i];
    uint64_t own = activation_bytes(program->functions.data[i]->frame, facts->weight);
    chain = chain < facts->stack_bytes ? facts->stack_bytes : chain;
    largest = largest < own ? own : largest;
    cyclic |= facts->cyclic;
  }
  for (uint32_t i = 0; i < program->frames.len; i++)
    frame = frame < program->frames.data[i]->cells ? program->frames.data[i]->cells : frame;
  if (cyclic)
    chain = largest * (CLEW_MAX_CALL_DEPTH + 1);
  assert(frame <= CLEW_MAX_CELLS);
  return chain + 8 * frame <= CLEW_EMIT_MAX_STACK;
}

bool clew_emit_facts_open(struct clew_emitter *e) {
  const struct clew_program *program = e->program;
  assert(e->functions == NULL && e->memo == NULL);
  uint64_t nodes = program_size(program);
  if (nodes > CLEW_EMIT_MAX_NODES)
    return false;
  e->compact = nodes > CLEW_EMIT_COMPACT;
  e->functions = clew_alloc_zero(program->functions.len + 1, sizeof *e->functions);
  e->counts_depth = program->functions.len >= CLEW_MAX_CALL_DEPTH;
  for (uint32_t i = 0; i < program->functions.len; i++) {
    assert(program->functions.data[i]->index == i);
    e->functions[i].bags =
        CLEW_NEW_ARRAY(e->arena, uint64_t, CLEW_BITSET_WORDS(program->bags.len) + 1);
    function_scan(e, program->functions.data[i]);
  }
  functions_order(e);
  e->action_capacity = 64;
  while (e->action_capacity < 2 * program->rule_count)
    e->action_capacity *= 2;
  e->actions = clew_alloc_zero(e->action_capacity, sizeof *e->actions);
  e->action_of = clew_alloc_zero(program->rule_count + 1, sizeof *e->action_of);
  e->blocks = clew_alloc_zero(program->rule_count + 1, sizeof *e->blocks);
  return stack_within_limit(e);
}

void clew_emit_facts_close(struct clew_emitter *e) {
  assert(e->program != NULL);
  for (uint32_t i = 0; e->functions != NULL && i < e->program->functions.len; i++)
    clew_vec_free(&e->functions[i].callees);
  clew_free(e->functions);
  clew_free(e->memo);
  clew_free(e->actions);
  clew_free(e->action_of);
  clew_free(e->blocks);
  e->functions = NULL;
  e->memo = NULL;
}

struct weigh {
  struct clew_walk walk; /* first */
  const struct clew_emitter *e;
  uint64_t nodes;
};

static bool weigh_expr(struct clew_walk *walk, const struct clew_expr *expr, bool raw) {
  (void)raw;
  assert(expr != NULL);
  ((struct weigh *)walk)->nodes++;
  return true;
}

static void weigh_stmt(struct clew_walk *walk, const struct clew_stmt *stmt) {
  assert(stmt != NULL);
  ((struct weigh *)walk)->nodes++;
}

static void weigh_call(struct clew_walk *walk, const struct clew_call *call, bool is_stmt) {
  struct weigh *weigh = (struct weigh *)walk;
  const struct clew_emit_function *facts = &weigh->e->functions[call->function->index];
  (void)is_stmt;
  assert(facts->weight < UINT32_MAX || !facts->inlined);
  weigh->nodes += facts->inlined ? facts->weight : 0;
}

uint32_t clew_emit_weight(const struct clew_emitter *e, const struct clew_expr *expr,
                          const struct clew_stmt *list) {
  struct weigh weigh = {
      .walk = {.stmt = weigh_stmt, .expr = weigh_expr, .call = weigh_call, .program = e->program},
      .e = e};
  clew_walk_expr(&weigh.walk, expr, false);
  clew_walk_stmts(&weigh.walk, list);
  assert(weigh.walk.depth == 0);
  return weigh.nodes > UINT32_MAX ? UINT32_MAX : (uint32_t)weigh.nodes;
}

/* ---- Flags of expressions, remembered -------------------------------------------------------- */

static struct clew_emit_memo *memo_find(struct clew_emit_memo *table, uint32_t capacity,
                                        const struct clew_expr *expr) {
  assert((capacity & (capacity - 1)) == 0);
  uint64_t hash = (uint64_t)(uintptr_t)expr * UINT64_C(0x9e3779b97f4a7c15);
  uint32_t at = (uint32_t)(hash >> 32) & (capacity - 1);
  while (table[at].expr != NULL && table[at].expr != expr)
    at = (at + 1) & (capacity - 1);
  return &table[at];
}

static void memo_add(struct clew_emitter *e, const struct clew_expr *expr, uint32_t flags) {
  if (e->memo_count * 2 >= e->memo_capacity) {
    uint32_t capacity = e->memo_capacity == 0 ? 1024 : 2 * e->memo_capacity;
    struct clew_emit_memo *table = clew_alloc_zero(capacity, sizeof *table);
    for (uint32_t i = 0; i < e->memo_capacity; i++)
      if (e->memo[i].expr != NULL)
        *memo_find(table, capacity, e->memo[i].expr) = e->memo[i];
    clew_free(e->memo);
    e->memo = table;
    e->memo_capacity = capacity;
  }
  struct clew_emit_memo *entry = memo_find(e->memo, e->memo_capacity, expr);
  assert(entry->expr == NULL);
  *entry = (struct clew_emit_memo){expr, flags};
  e->memo_count++;
}

uint32_t clew_emit_place_flags(struct clew_emitter *e, const struct clew_place *place) {
  uint32_t flags = clew_place_may_fault(place) ? CLEW_EMIT_MAY_FAIL | CLEW_EMIT_CODE : 0;
  for (uint32_t i = 0; i < place->index_count; i++)
    flags |= clew_emit_flags(e, place->indices[i].value);
  assert((flags & CLEW_EMIT_WRITES) == 0 || (flags & CLEW_EMIT_CODE) != 0);
  return flags;
}

static uint32_t own_flags(const struct clew_emitter *e, const struct clew_expr *expr) {
  uint32_t flags = expr_fails(expr) ? CLEW_EMIT_MAY_FAIL | CLEW_EMIT_CODE : 0;
  switch (expr->kind) {
  case CLEW_EXPR_QUANTIFY:
  case CLEW_EXPR_LET: /* they write a cell of the frame */
    return flags | CLEW_EMIT_WRITES | CLEW_EMIT_CODE;
  case CLEW_EXPR_EQUAL:
    return flags | CLEW_EMIT_CODE;
  case CLEW_EXPR_CALL:
    assert(e->functions != NULL);
    if (e->functions[expr->call->function->index].may_fail || e->counts_depth)
      flags |= CLEW_EMIT_MAY_FAIL;
    return flags | CLEW_EMIT_WRITES | CLEW_EMIT_CODE;
  default:
    return flags;
  }
}

uint32_t clew_emit_flags(struct clew_emitter *e, const struct clew_expr *expr) {
  if (expr == NULL)
    return 0;
  if (e->memo_capacity > 0) {
    const struct clew_emit_memo *entry = memo_find(e->memo, e->memo_capacity, expr);
    if (entry->expr != NULL)
      return entry->flags;
  }
  uint32_t flags = own_flags(e, expr);
  flags |= clew_emit_flags(e, expr->a) | clew_emit_flags(e, expr->b);
  flags |= clew_emit_flags(e, expr->c) | clew_emit_flags(e, expr->d);
  flags |= clew_emit_place_flags(e, &expr->place) | clew_emit_place_flags(e, &expr->place2);
  for (uint32_t i = 0; expr->call != NULL && i < expr->call->function->value_count; i++)
    flags |= clew_emit_flags(e, expr->call->values[i]);
  for (uint32_t i = 0; expr->call != NULL && i < expr->call->function->reference_count; i++)
    flags |= clew_emit_place_flags(e, &expr->call->refs[i]);
  memo_add(e, expr, flags);
  return flags;
}
