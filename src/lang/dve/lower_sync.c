/* A synchronous system: in each step every process takes one of its enabled transitions.
 *
 * One family with a parameter for each process that chooses the transition; the guard is that all
 * of them are enabled. As in the reference each process computes its part from the state before the
 * step: it sees what it assigned itself, and of everything else the old values, of which the body
 * takes copies first. Two processes that assign the same global variable are a run-time error.
 * Channels of the rendezvous kind are without effect, transitions that use a buffer are never
 * taken, committed states mean nothing. */
#include "lang/dve/lower.h"

#include <assert.h>
#include <inttypes.h>

enum { MOST_COMBINATIONS = 1 << 20 };

/* A process and those of its transitions that can be taken. */
struct part {
  struct dve_process *process;
  struct dve_trans **transitions;
  uint32_t count;
  const struct clew_domain *domain;
};

struct parts {
  struct part *data;
  uint32_t count;
};

static bool takes_part(const struct dve_trans *trans) {
  return trans->channel == NULL || trans->channel->capacity == 0;
}

static struct parts find_parts(struct dve_lowering *l) {
  struct parts parts = {CLEW_NEW_ARRAY(l->d->front->arena, struct part, l->d->model.process_count),
                        0};
  for (struct dve_process *p = l->d->model.processes; p != NULL; p = p->next) {
    if (p->is_property) {
      continue;
    }
    struct part *part = &parts.data[parts.count++];
    part->process = p;
    part->transitions =
        CLEW_NEW_ARRAY(l->d->front->arena, struct dve_trans *, p->transition_count + 1);
    for (uint32_t i = 0; i < p->transition_count; i++) {
      if (takes_part(&p->transitions[i])) {
        part->transitions[part->count++] = &p->transitions[i];
      }
    }
  }
  return parts;
}

/* How many combinations of transitions there are; says so when they are too many. */
static bool count_combinations(struct dve_lowering *l, const struct parts *parts) {
  uint64_t product = 1;
  for (uint32_t i = 0; i < parts->count && product <= MOST_COMBINATIONS; i++) {
    product *= parts->data[i].count;
  }
  if (product > MOST_COMBINATIONS) {
    clew_front_error_whole(
        l->d->front,
        "the transitions of this synchronous system have too many combinations: the "
        "limit is %d",
        MOST_COMBINATIONS);
  }
  return product > 0 && product <= MOST_COMBINATIONS;
}

/* ---- Parameters and guards ------------------------------------------------------------------ */

static struct clew_parameter add_parameter(struct dve_lowering *l, struct part *part) {
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  const char **names = CLEW_NEW_ARRAY(l->arena, const char *, part->count);
  for (uint32_t i = 0; i < part->count; i++) {
    names[i] = clew_dve_trans_ends(l, part->transitions[i]);
  }
  *domain = (struct clew_domain){.lo = 0, .hi = (int64_t)part->count - 1, .names = names};
  part->domain = domain;
  const char *name = clew_arena_printf(l->arena, "%s", part->process->ref.name->id.text);
  uint32_t index = clew_frame_add(l->frame, name, clew_type_scalar(l->arena, domain, false));
  assert(index != CLEW_NONE);
  part->process->choice = clew_place_frame(l->frame, index);
  return (struct clew_parameter){name, part->process->choice.base, domain};
}

static struct clew_case case_of(struct dve_lowering *l, uint32_t value,
                                const struct clew_stmt *body) {
  int64_t *values = CLEW_NEW_ARRAY(l->arena, int64_t, 1);
  values[0] = value;
  return (struct clew_case){.values = values, .value_count = 1, .body = body};
}

/* Whether the chosen transition of one process is enabled. */
static const struct clew_expr *part_guard(struct dve_lowering *l, const struct part *part) {
  struct clew_function *function =
      clew_dve_function(l, "enabled", part->domain, clew_dve_boolean(l));
  struct clew_case *cases = CLEW_NEW_ARRAY(l->arena, struct clew_case, part->count);
  for (uint32_t i = 0; i < part->count; i++) {
    struct dve_trans *trans = part->transitions[i];
    const struct clew_expr *guard = clew_dve_and(
        l, clew_dve_lower_at(l, part->process, trans->from), clew_dve_lower_guard(l, trans));
    struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_RETURN);
    stmt->value = guard != NULL ? guard : clew_dve_const(l, 1);
    cases[i] = case_of(l, i, stmt);
  }
  struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_SWITCH);
  stmt->value = clew_dve_load(l, clew_place_frame(function->frame, 0));
  stmt->cases = cases;
  stmt->case_count = part->count;
  function->body = stmt;
  const struct clew_expr *choice = clew_dve_load(l, part->process->choice);
  return clew_expr_call(l->program, clew_dve_call(l, function, &choice));
}

/* ---- The step ------------------------------------------------------------------------------- */

static struct clew_place snapshot(struct dve_lowering *l, struct clew_place place,
                                  struct clew_list *list) {
  uint32_t index = clew_frame_add(l->frame, "old", place.type);
  if (index == CLEW_NONE) {
    return place; /* more than the state can hold, which is reported when the program ends */
  }
  struct clew_stmt *copy = clew_stmt_new(l->program, CLEW_STMT_COPY);
  copy->place = clew_place_frame(l->frame, index);
  copy->place2 = place;
  clew_list_add(list, copy);
  return copy->place;
}

static void take_snapshots(struct dve_lowering *l, const struct parts *parts,
                           struct clew_list *list) {
  for (struct dve_variable *v = l->d->model.variables; v != NULL; v = v->next) {
    if (v->is_assigned) {
      v->old = snapshot(l, v->place, list);
    }
  }
  for (uint32_t i = 0; i < parts->count; i++) {
    struct dve_process *process = parts->data[i].process;
    if (process->place.type != NULL) {
      process->old = snapshot(l, process->place, list);
    }
  }
}

/* 1 iff the chosen transition of the process assigns the variable; NULL: none does. */
static const struct clew_expr *assigns(struct dve_lowering *l, const struct part *part,
                                       const struct dve_variable *variable) {
  const struct clew_expr *any = NULL;
  for (uint32_t i = 0; i < part->count; i++) {
    if (clew_dve_assigns(part->transitions[i], variable)) {
      const struct clew_expr *this = clew_dve_equals(l, part->process->choice, i);
      any = any != NULL ? clew_dve_or(l, any, this) : this;
    }
  }
  return any;
}

static void add_conflicts(struct dve_lowering *l, const struct parts *parts,
                          struct clew_list *list) {
  for (const struct dve_variable *v = l->d->model.variables; v != NULL; v = v->next) {
    const struct clew_expr *sum = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < parts->count && v->is_assigned; i++) {
      const struct clew_expr *this = assigns(l, &parts->data[i], v);
      if (this != NULL) {
        sum = count == 0 ? this : clew_expr_binary(l->program, CLEW_OP_ADD, sum, this, CLEW_NONE);
        count++;
      }
    }
    if (count > 1) {
      const struct clew_expr *allowed =
          clew_expr_binary(l->program, CLEW_OP_LE, sum, clew_dve_const(l, 1), CLEW_NONE);
      clew_dve_lower_conflict(l, v->ref.span, NULL, v, allowed, list);
    }
  }
}

static struct clew_stmt *part_step(struct dve_lowering *l, const struct part *part) {
  struct clew_case *cases = CLEW_NEW_ARRAY(l->arena, struct clew_case, part->count);
  for (uint32_t i = 0; i < part->count; i++) {
    const struct dve_trans *trans = part->transitions[i];
    struct clew_list list = {0};
    l->step = trans;
    for (uint32_t k = 0; k < trans->effect_count; k++) {
      trans->effects[k].place->variable->old_under = trans;
    }
    clew_dve_lower_effects(l, trans, &list);
    l->step = NULL;
    cases[i] = case_of(l, i, list.first);
  }
  struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_SWITCH);
  stmt->value = clew_dve_load(l, part->process->choice);
  stmt->cases = cases;
  stmt->case_count = part->count;
  return stmt;
}

void clew_dve_lower_sync(struct dve_lowering *l) {
  struct parts parts = find_parts(l);
  if (!count_combinations(l, &parts)) {
    return;
  }
  struct clew_frame *frame = clew_program_add_frame(l->program);
  struct clew_parameter *parameters =
      CLEW_NEW_ARRAY(l->d->front->arena, struct clew_parameter, parts.count);
  const struct clew_expr *guard = NULL;
  struct clew_list list = {0};
  l->frame = frame;
  for (uint32_t i = 0; i < parts.count; i++) {
    parameters[i] = add_parameter(l, &parts.data[i]);
  }
  for (uint32_t i = 0; i < parts.count; i++) {
    guard = clew_dve_and(l, guard, part_guard(l, &parts.data[i]));
  }
  add_conflicts(l, &parts, &list);
  take_snapshots(l, &parts, &list);
  for (uint32_t i = 0; i < parts.count; i++) {
    clew_list_add(&list, part_step(l, &parts.data[i]));
  }
  struct clew_rule rule = {.name = "step",
                           .position =
                               clew_front_position(l->d->front, l->d->model.processes->ref.span),
                           .guard = guard,
                           .body = list.first};
  clew_program_add_family(l->program, false, frame, parameters, parts.count, &rule, 1);
}
