/* The interpreter: rules, labels and the order in which everything happens. This file and
 * interp_expr.c, interp_stmt.c, interp_place.c are the reference for what a program means; native
 * code must agree with them in every successor, edge, fault and cover bit.
 *
 * An instance of a rule. The guard is evaluated on the state. If it is true, the body runs on a
 * copy in the successor buffer, then bags are sorted, then the assumptions are evaluated in order.
 *
 * The first of these that happens is *pending* and decides what becomes of the copy: a run-time
 * error (the fault is reported), or a false assumption or ASSUME (the copy is discarded silently).
 * With something pending, execution goes on with valid values but cannot have further
 * consequences: nothing else becomes pending, COVER does not count, loops end at their head, calls
 * are not entered. A guard that faults counts as enabled.
 *
 * Order of evaluation, which decides which error is the first: left to right everywhere, with
 *   LOAD        indices of the place in order, then the cell
 *   ASSIGN      value, indices of the place, range of the value
 *   COPY        indices of the source, indices of the destination; overlapping blocks as memmove
 *   EQUAL       indices of place, indices of place2
 *   BAG_ADD     indices of the source, indices of the bag, room in the bag
 *   BAG_REMOVE  indices of the bag, position
 *   CALL        value arguments, then reference arguments, then the depth (CLEW_MAX_CALL_DEPTH
 *               calls may be active; one more is a fault)
 *   FOR and quantifiers: first bound, second bound, once; the loop counts on its own and sets its
 *               cell at the head of every round
 *   WHILE       condition, then the limit: `limit` rounds are fine, a true condition after them is
 *               the fault
 *
 * A frame is undefined on entry, parameters aside, and guard and body each enter one: what a guard
 * computes does not reach the body. The instances of a family share the memory of one, which is
 * made undefined again when it may have been written (`dirty`). A guard or label in which an
 * assumption is false counts as false. */
#include <string.h>

#include "base/alloc.h"
#include "ir/explain_int.h"
#include "ir/interp_int.h"

#define ANY_PRIORITY INT64_MIN

static void interp_start(struct clew_interp *in, const struct clew_program *program,
                         const uint64_t *state, uint64_t *covered) {
  *in = (struct clew_interp){
      .program = program,
      .slots = program->slots,
      .views = program->slot_views,
      .state = (uint64_t *)state, /* for reading, until a copy takes its place */
      .covered = covered,
      .stack = clew_stack_of_thread(),
      .stop = program->stop,
      .pending = CLEW_NONE,
  };
  in->stack_end = clew_stack_c_end(in->stack);
  assert(program->words > 0);
}

/* Room for a frame, which is NULL where nothing needs one. A frame is at most CLEW_MAX_CELLS, and
 * only a rule's and a label's are nested without being calls: there is always room. */
static int64_t *frame_push(struct clew_interp *in, const struct clew_frame *frame) {
  int64_t *cells = clew_stack_push(in->stack, frame == NULL ? 0 : frame->cells * sizeof *cells);
  assert(cells != NULL);
  return cells;
}

static void frame_undefine(struct clew_interp *in, const struct clew_frame *frame) {
  for (uint32_t i = 0; frame != NULL && i < frame->cells; i++)
    in->cells[i] = CLEW_UNDEFINED;
}

static bool eval_label(struct clew_interp *in, uint32_t label) {
  assert(label < in->program->labels.len);
  const struct clew_label_code *code = &in->program->labels.data[label];
  struct clew_stack_mark mark = clew_stack_get_mark(in->stack);
  int64_t *cells = in->cells;
  in->cells = frame_push(in, code->frame);
  frame_undefine(in, code->frame);
  bool value = clew_interp_eval(in, code->value) != 0;
  in->cells = cells;
  clew_stack_pop(in->stack, mark);
  return value && in->pending == CLEW_NONE;
}

/* ---- One instance --------------------------------------------------------------------------- */

/* Makes the frame of a rule what it is on entry: undefined but for the parameters, which are the
 * digits of the instance in a mixed radix, the last one the least significant. */
static void frame_bind(struct clew_interp *in, const struct clew_edge_parts *parts) {
  const struct clew_family *family = parts->family;
  uint32_t instance = parts->instance;
  assert(instance < family->instance_count);
  if (in->dirty)
    frame_undefine(in, family->frame);
  in->dirty = false;
  for (uint32_t i = family->parameter_count; i-- > 0;) {
    const struct clew_domain *domain = family->parameters[i].domain;
    uint32_t radix = (uint32_t)(domain->hi - domain->lo + 1); /* at most CLEW_MAX_EDGES */
    in->cells[family->parameters[i].cell] = domain->lo + instance % radix;
    instance /= radix;
  }
}

/* Whether the guard is true; then nothing is pending, and the frame is ready for the body. */
static bool guard_holds(struct clew_interp *in, const struct clew_edge_parts *parts) {
  assert(in->pending == CLEW_NONE && !in->dirty);
  const struct clew_expr *guard = parts->rule->guard;
  if (guard == NULL)
    return true;
  in->in_guard = true;
  bool holds = clew_interp_eval(in, guard) != 0;
  in->in_guard = false;
  if (!holds || in->pending != CLEW_NONE)
    return false;
  in->dirty = true; /* LET and quantifiers leave values */
  frame_bind(in, parts);
  return true;
}

/* Makes a copy of the state into a successor; it is one if nothing is pending afterwards. */
static void body_run(struct clew_interp *in, const struct clew_rule *rule) {
  assert(in->pending == CLEW_NONE && !in->dirty);
  in->dirty = true;
  clew_interp_run(in, rule->body);
  if (in->pending != CLEW_NONE)
    return;
  clew_interp_sort_bags(in);
  const struct clew_program *program = in->program;
  for (uint32_t i = 0; i < program->assumptions.len && in->pending == CLEW_NONE; i++)
    if (!eval_label(in, program->assumptions.data[i]))
      clew_interp_fault(in, CLEW_INTERP_DISCARD);
}

/* Appends the successor or the fault of the instance that is bound, whose guard may be known to be
 * true; whether it was enabled. */
static bool instance_run(struct clew_interp *in, const struct clew_edge_parts *parts, bool known,
                         const uint64_t *state, uint32_t edge, struct clew_succs *succs) {
  in->state = (uint64_t *)state;
  in->pending = CLEW_NONE;
  bool enabled = known || guard_holds(in, parts);
  if (enabled) {
    in->state = clew_succs_next(succs);
    assert(in->state != state);
    memcpy(in->state, state, succs->words * sizeof *state);
    body_run(in, parts->rule);
    if (in->pending == CLEW_NONE)
      clew_succs_keep(succs, edge);
  }
  if (in->pending == CLEW_NONE || in->pending == CLEW_INTERP_DISCARD)
    return enabled;
  succs->add_fault(succs, edge, in->pending);
  return true;
}

/* ---- All instances of a family -------------------------------------------------------------- */

static bool rule_has_priority(const struct clew_rule *rule, int64_t priority) {
  return priority == ANY_PRIORITY || rule->priority == priority;
}

static bool family_has_priority(const struct clew_family_plan *plan, int64_t priority) {
  return priority == ANY_PRIORITY ||
         (priority >= plan->least_priority && priority <= plan->greatest_priority);
}

static bool tests_pass(const struct clew_rule_plan *plan, const uint64_t *state) {
  if ((state[plan->first.word] & plan->first.mask) != plan->first.value)
    return false;
  for (uint32_t i = 0; i < plan->more_count; i++)
    if ((state[plan->more[i].word] & plan->more[i].mask) != plan->more[i].value)
      return false;
  return true;
}

/* Runs the instances of rules of this priority, edges before `from` excepted, until the piece is
 * full; whether one was enabled. */
static bool family_run(struct clew_interp *in, const struct clew_family *family, int64_t priority,
                       uint32_t from, const uint64_t *state, struct clew_succs *succs) {
  const struct clew_family_plan *plan = family->plan;
  uint64_t choice = state[plan->word] >> plan->shift & plan->mask;
  const uint32_t *first = plan->lists + plan->starts[choice];
  const uint32_t *end = plan->lists + plan->starts[choice + 1];
  if (first == end || !family_has_priority(plan, priority))
    return false;
  struct clew_stack_mark mark = clew_stack_get_mark(in->stack);
  in->cells = frame_push(in, family->frame);
  in->dirty = true;
  bool enabled = false, paused = false;
  uint32_t skipped =
      from > family->first_edge ? (from - family->first_edge) / family->rule_count : 0;
  for (uint32_t i = skipped; i < family->instance_count && !paused; i++) {
    bool bound = false;
    for (const uint32_t *j = first; j < end && !paused; j++) {
      struct clew_edge_parts parts = {family, &family->rules[*j], i};
      uint32_t edge = family->first_edge + i * family->rule_count + *j;
      if (!tests_pass(&plan->rules[*j], state) || !rule_has_priority(parts.rule, priority) ||
          edge < from)
        continue;
      if (!bound || in->dirty)
        frame_bind(in, &parts);
      bound = true;
      enabled |= instance_run(in, &parts, plan->rules[*j].exact, state, edge, succs);
      paused = clew_succs_pause(succs, edge + 1);
    }
  }
  clew_stack_pop(in->stack, mark);
  return enabled;
}

/* Runs families in order from the edge succs->resume on; whether something was enabled. */
static bool families_run(struct clew_interp *in, struct clew_family *const *families,
                         uint32_t count, int64_t priority, const uint64_t *state,
                         struct clew_succs *succs) {
  bool enabled = false;
  uint32_t from = succs->resume;
  succs->resume = 0;
  for (uint32_t i = 0; i < count && succs->resume == 0; i++)
    enabled |= family_run(in, families[i], priority, from, state, succs);
  return enabled;
}

void clew_interp_next(const struct clew_program *program, const uint64_t *state,
                      struct clew_succs *succs) {
  assert(succs->words == program->words);
  struct clew_interp in;
  interp_start(&in, program, state, succs->covered);
  clew_succs_begin_piece(succs);
  /* A piece ends where something was enabled: no class but that one has a turn then. */
  bool decided = succs->resume != 0;
  for (uint32_t i = decided ? succs->rank : 0; i < program->priority_count; i++) {
    succs->rank = i;
    decided |= families_run(&in, program->families.data, program->families.len,
                            program->priorities[i], state, succs);
    if (decided)
      break;
  }
}

/* Puts the frame of an edge on the stack and binds it. */
static struct clew_edge_parts edge_enter(struct clew_interp *in, uint32_t edge) {
  assert(edge < in->program->edge_count);
  struct clew_edge_parts parts = clew_program_edge(in->program, false, edge);
  in->cells = frame_push(in, parts.family->frame);
  in->dirty = true;
  frame_bind(in, &parts);
  return parts;
}

/* `covered` may be NULL. */
static bool fire(const struct clew_program *program, const atomic_bool *stop, const uint64_t *state,
                 uint32_t edge, uint64_t *out, uint32_t *site, uint64_t *covered) {
  struct clew_interp in;
  interp_start(&in, program, state, covered);
  in.stop = stop;
  struct clew_stack_mark mark = clew_stack_get_mark(in.stack);
  struct clew_edge_parts parts = edge_enter(&in, edge);
  bool fired = guard_holds(&in, &parts);
  if (fired) {
    memmove(out, state, program->words * sizeof *out);
    in.state = out;
    body_run(&in, parts.rule);
    fired = in.pending == CLEW_NONE;
  }
  clew_stack_pop(in.stack, mark);
  *site = in.pending == CLEW_INTERP_DISCARD ? CLEW_NONE : in.pending;
  assert(!fired || *site == CLEW_NONE);
  return fired;
}

bool clew_interp_fire(const struct clew_program *program, const uint64_t *state, uint32_t edge,
                      uint64_t *out, uint32_t *site) {
  return fire(program, &clew_never, state, edge, out, site, NULL);
}

void clew_interp_cover(const struct clew_program *program, const uint64_t *state, uint32_t edge,
                       uint64_t *covered) {
  uint32_t site = CLEW_NONE;
  uint64_t *out = clew_alloc(program->words * sizeof *out);
  (void)fire(program, program->stop, state, edge, out, &site, covered);
  clew_free(out);
}

bool clew_interp_try(const struct clew_program *program, const uint64_t *state, uint32_t edge,
                     uint64_t *out, uint32_t *site) {
  return fire(program, program->stop, state, edge, out, site, NULL);
}

void clew_interp_init(const struct clew_program *program, struct clew_succs *succs) {
  assert(succs->words == program->words);
  struct clew_interp in;
  /* All zero is undefined, or least where that cannot be; and no bag has an element. */
  uint64_t *state = clew_alloc_zero(program->words, sizeof *state);
  interp_start(&in, program, state, succs->covered);
  clew_succs_begin_piece(succs);
  families_run(&in, program->starts.data, program->starts.len, ANY_PRIORITY, state, succs);
  clew_free(state);
}

bool clew_interp_label(const struct clew_program *program, uint32_t label, const uint64_t *state,
                       uint32_t *site) {
  struct clew_interp in;
  interp_start(&in, program, state, NULL);
  bool value = eval_label(&in, label);
  assert(!value || in.pending == CLEW_NONE);
  if (in.pending != CLEW_INTERP_DISCARD && in.pending != CLEW_NONE)
    *site = in.pending;
  return value;
}

uint32_t clew_interp_check(const struct clew_program *program, const uint64_t *enabled,
                           const uint64_t *state, uint32_t *site) {
  struct clew_interp in;
  interp_start(&in, program, state, NULL);
  *site = CLEW_NONE;
  for (uint32_t i = 0; i < program->properties.len; i++) {
    const struct clew_property *property = &program->properties.data[i];
    if (property->kind != CLEW_PROPERTY_INVARIANT || !clew_bitset_has(enabled, i))
      continue;
    if (eval_label(&in, property->label))
      continue;
    if (in.pending != CLEW_INTERP_DISCARD)
      *site = in.pending;
    return i;
  }
  return CLEW_NONE;
}

/* ---- Explanations --------------------------------------------------------------------------- */

struct clew_stack_mark clew_interp_enter_label(struct clew_interp *in,
                                               const struct clew_program *program, uint32_t label,
                                               const uint64_t *state,
                                               struct clew_explainer *explainer) {
  interp_start(in, program, state, NULL);
  struct clew_stack_mark mark = clew_stack_get_mark(in->stack);
  in->explainer = explainer;
  in->cells = frame_push(in, program->labels.data[label].frame);
  frame_undefine(in, program->labels.data[label].frame);
  return mark;
}

void clew_interp_explain_edge(const struct clew_program *program, bool is_start,
                              const uint64_t *state, uint32_t edge,
                              struct clew_explainer *explainer) {
  struct clew_interp in;
  uint64_t *copy = clew_alloc_zero(program->words, sizeof *copy);
  uint64_t *before = clew_alloc_zero(program->words, sizeof *before);
  if (!is_start)
    memcpy(before, state, program->words * sizeof *before);
  memcpy(copy, before, program->words * sizeof *copy);
  interp_start(&in, program, before, NULL);
  in.explainer = explainer;
  struct clew_stack_mark mark = clew_stack_get_mark(in.stack);
  struct clew_edge_parts parts = clew_program_edge(program, is_start, edge);
  in.cells = frame_push(&in, parts.family->frame);
  in.dirty = true;
  frame_bind(&in, &parts);
  explainer->frame = parts.family->frame;
  explainer->cells = in.cells;
  if (guard_holds(&in, &parts)) {
    in.state = copy;
    body_run(&in, parts.rule);
  }
  clew_stack_pop(in.stack, mark);
  clew_free(before);
  clew_free(copy);
}
