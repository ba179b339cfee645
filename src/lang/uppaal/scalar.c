/* Scalar sets, and what stands in the way of renaming their values.
 *
 * The language has no way to tell the values of a scalar set apart: no literals, no order, no
 * arithmetic. So renaming them, everywhere and also in the processes that a set of processes has
 * for each of them, leads from one behaviour of the model to another one. These things tell them
 * apart all the same, and then the set is not used for reduction:
 *  - a constant array whose elements differ, and a local variable that begins as the first value
 *    (variables of the state do so only once, in the initial state, and that does no harm);
 *  - the order in which a loop, or the receivers of a broadcast, do something;
 *  - the order in which conditions are tried, where one of them can end in a run-time error;
 *  - a query that names a value, which the language of queries allows here. */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "ir/order.h"
#include "lang/uppaal/bounds.h"
#include "lang/uppaal/lower.h"

enum { MOST_SCALARS = 1 << 15 };

/* ---- Sets ----------------------------------------------------------------------------------- */

/* Values print as numbers from 0 on. */
static const struct clew_domain *domain_of(struct uppaal_lowering *l, int64_t lo, uint32_t count) {
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  const char **names = CLEW_NEW_ARRAY(l->arena, const char *, count);
  for (uint32_t i = 0; i < count; i++) {
    names[i] = clew_arena_printf(l->arena, "%u", i);
  }
  *domain = (struct clew_domain){
      .lo = lo, .hi = lo + (int64_t)count - 1, .names = names, .symmetric = true};
  return domain;
}

const struct uppaal_scalar *clew_uppaal_scalar(struct uppaal_lowering *l,
                                               const struct uppaal_type *type, int64_t count) {
  for (uint32_t i = 0; i < l->scalars.len; i++) {
    if (l->scalars.data[i]->type == type && l->scalars.data[i]->count == count) {
      return l->scalars.data[i];
    }
  }
  if (count < 1 || count > MOST_SCALARS) {
    clew_uppaal_fail(l, type->span, "a scalar set has 1 to %d values, not %lld", MOST_SCALARS,
                     (long long)count);
    return NULL;
  }
  int64_t lo = 0;
  if (l->scalars.len > 0) {
    const struct uppaal_scalar *last = clew_vec_last(&l->scalars);
    lo = last->lo + (int64_t)last->count;
  }
  struct uppaal_scalar *scalar = CLEW_NEW(l->front->arena, struct uppaal_scalar);
  *scalar =
      (struct uppaal_scalar){.type = type,
                             .name = clew_uppaal_keep(l, clew_front_excerpt(l->front, type->span)),
                             .number = l->program->scalarsets.len,
                             .lo = lo,
                             .count = (uint32_t)count,
                             .domain = domain_of(l, lo, (uint32_t)count)};
  struct clew_scalarset set = {.name = scalar->name, .lo = lo, .count = scalar->count};
  clew_vec_push(&l->program->scalarsets, set);
  clew_vec_push(&l->scalars, scalar);
  return scalar;
}

void clew_uppaal_name_scalar(struct uppaal_lowering *l, const struct uppaal_scalar *scalar,
                             const char *name) {
  struct uppaal_scalar *own = l->scalars.data[scalar->number];
  if (!own->is_named) {
    own->is_named = true;
    own->name = clew_uppaal_keep(l, name);
    l->program->scalarsets.data[own->number].name = own->name;
  }
}

bool clew_uppaal_scalar_numbered(struct uppaal_lowering *l, const struct uppaal_scalar *scalar,
                                 int64_t number, struct clew_span span, int64_t *value) {
  if (number < 0 || number >= scalar->count) {
    clew_uppaal_fail(l, span, "the scalar set '%s' has %u values, from 0 on", scalar->name,
                     scalar->count);
    return false;
  }
  clew_uppaal_asymmetric(l, scalar, span, "a query names one of its values");
  *value = scalar->lo + number;
  return true;
}

void clew_uppaal_asymmetric(struct uppaal_lowering *l, const struct uppaal_scalar *scalar,
                            struct clew_span span, const char *format, ...) {
  struct clew_text text = {0};
  va_list args;
  va_start(args, format);
  clew_text_printf(&text, "%s: ", clew_front_where(l->front, span));
  clew_text_vprintf(&text, format, args);
  va_end(args);
  const char *why = clew_uppaal_keep(l, clew_text_str(&text));
  clew_text_free(&text);
  for (uint32_t i = 0; i < l->scalars.len; i++) {
    struct clew_scalarset *set = &l->program->scalarsets.data[l->scalars.data[i]->number];
    if ((scalar == NULL || scalar == l->scalars.data[i]) && set->asymmetric == NULL) {
      set->asymmetric = why;
    }
  }
}

/* ---- Constants ------------------------------------------------------------------------------ */

void clew_uppaal_judge_cells(struct uppaal_lowering *l, const struct uppaal_shape *type,
                             const int64_t *cells, bool is_default, struct clew_span span) {
  if (l->scalars.len == 0) {
    return;
  }
  if (type->kind == UPPAAL_SCALAR && is_default) {
    clew_uppaal_asymmetric(l, type->scalar, span,
                           "this variable begins as the first value whenever it is declared");
  } else if (type->kind == UPPAAL_ARRAY) {
    uint32_t size = type->element->cells;
    for (int64_t i = 0; i <= type->hi - type->lo; i++) {
      const int64_t *element = cells + (size_t)i * size;
      if (type->scalar != NULL && memcmp(element, cells, size * sizeof *cells) != 0) {
        clew_uppaal_asymmetric(l, type->scalar, span, "the elements of this array differ");
      }
      clew_uppaal_judge_cells(l, type->element, element, is_default, span);
    }
  } else if (type->kind == UPPAAL_STRUCT) {
    for (uint32_t i = 0; i < type->field_count; i++) {
      clew_uppaal_judge_cells(l, type->fields[i].type, cells + type->fields[i].offset, is_default,
                              span);
    }
  }
}

/* ---- Processes ------------------------------------------------------------------------------ */

/* Marks the sets that parameters of a process range over. */
static void tell_apart(struct uppaal_lowering *l, const struct uppaal_instance *process,
                       struct clew_span span, const char *why) {
  for (uint32_t i = 0; i < process->argument_count; i++) {
    if (process->argument_types[i]->scalar != NULL) {
      clew_uppaal_asymmetric(l, process->argument_types[i]->scalar, span, "%s", why);
    }
  }
}

static bool has_scalars(const struct uppaal_instance *process) {
  for (uint32_t i = 0; i < process->argument_count; i++) {
    if (process->argument_types[i]->scalar != NULL) {
      return true;
    }
  }
  return false;
}

static bool same_domain(const struct clew_domain *a, const struct clew_domain *b) {
  return a->lo == b->lo && a->hi == b->hi && a->symmetric == b->symmetric;
}

static bool same_type(const struct clew_type *a, const struct clew_type *b) {
  if (a->kind != b->kind || a->cells != b->cells || a->count != b->count) {
    return false;
  }
  switch (a->kind) {
  case CLEW_TYPE_SCALAR:
    return same_domain(a->domain, b->domain) && a->undefinable == b->undefinable;
  case CLEW_TYPE_ARRAY:
    return same_domain(a->domain, b->domain) && same_type(a->element, b->element);
  case CLEW_TYPE_RECORD:
    for (uint32_t i = 0; i < a->count; i++) {
      if (!same_type(a->fields[i].type, b->fields[i].type)) {
        return false;
      }
    }
    return true;
  case CLEW_TYPE_BAG:
    break;
  }
  return false;
}

/* Whether the variables of both are the same but for their names. */
static bool are_copies(const struct uppaal_lowering *l, const struct uppaal_instance *a,
                       const struct uppaal_instance *b) {
  const struct clew_variable *variables = l->program->variables.data;
  bool same = a->variable_count == b->variable_count;
  for (uint32_t i = 0; same && i < a->variable_count; i++) {
    const struct clew_variable *x = &variables[a->first_variable + i],
                               *y = &variables[b->first_variable + i];
    same = x->is_signal == y->is_signal && same_type(x->type, y->type);
  }
  return same;
}

/* Processes `first` to `end` - 1 are one set: their variables are copies. */
static void add_copies(struct uppaal_lowering *l, uint32_t first, uint32_t end) {
  const struct uppaal_instance *process = l->processes.data[first];
  uint32_t dims = process->argument_count;
  const struct clew_domain **domains = CLEW_NEW_ARRAY(l->arena, const struct clew_domain *, dims);
  for (uint32_t i = 0; i < dims; i++) {
    const struct uppaal_shape *type = process->argument_types[i];
    struct clew_domain *plain = CLEW_NEW(l->arena, struct clew_domain);
    *plain = (struct clew_domain){.lo = type->lo, .hi = type->hi};
    domains[i] = type->scalar != NULL ? type->scalar->domain : plain;
  }
  for (uint32_t i = first + 1; i < end; i++) {
    if (!are_copies(l, process, l->processes.data[i])) {
      tell_apart(l, process, process->template->name.span,
                 "the processes of this template differ in their variables");
      return;
    }
  }
  struct clew_copies copies = {
      .first = process->first_variable, .count = process->variable_count, .dim_count = dims};
  copies.dims = domains;
  if (copies.count > 0) {
    clew_vec_push(&l->program->copies, copies);
  }
}

static void find_copies(struct uppaal_lowering *l) {
  uint32_t end;
  for (uint32_t first = 0; first < l->processes.len; first = end) {
    const struct uppaal_instance *process = l->processes.data[first];
    for (end = first + 1; end < l->processes.len; end++) {
      if (l->processes.data[end]->symbol != process->symbol) {
        break;
      }
    }
    if (has_scalars(process)) {
      add_copies(l, first, end);
    }
  }
}

/* ---- Order ---------------------------------------------------------------------------------- */

static bool may_change_places(const struct uppaal_instance *a, const struct uppaal_instance *b) {
  bool differ = false;
  for (uint32_t i = 0; a->symbol == b->symbol && i < a->argument_count; i++) {
    differ = differ || (a->argument_types[i]->scalar != NULL && a->arguments[i] != b->arguments[i]);
  }
  return differ;
}

void clew_uppaal_judge_updates(struct uppaal_lowering *l, const struct uppaal_update *updates,
                               uint32_t count, struct uppaal_form guard, struct clew_span span) {
  for (uint32_t i = 0; i < count && l->scalars.len > 0; i++) {
    for (uint32_t k = i + 1; k < count; k++) {
      const struct uppaal_instance *process = updates[i].process;
      if (!may_change_places(process, updates[k].process)) {
        continue;
      }
      struct clew_stmt first = *updates[i].body, second = *updates[k].body;
      first.next = second.next = NULL;
      if (!clew_order_lists_commute(l->program, l->frame, &first, &second)) {
        tell_apart(l, process, span,
                   "the order in which processes receive this broadcast may matter");
      }
      for (uint32_t t = 0; t < guard.count; t++) {
        if (guard.terms[t].when != NULL &&
            clew_order_may_fault(l->program, l->frame, guard.terms[t].when)) {
          tell_apart(l, process, span,
                     "a run-time error may come or not come, by the order of receivers");
        }
      }
    }
  }
}

static void judge_loops(struct uppaal_lowering *l) {
  for (uint32_t i = 0; i < l->scalar_loops.len; i++) {
    const struct uppaal_scalar_loop *each = &l->scalar_loops.data[i];
    if (l->program->scalarsets.data[each->scalar->number].asymmetric != NULL) {
      continue;
    }
    if (each->loop != NULL && !clew_order_loop_commutes(l->program, each->function, each->loop)) {
      clew_uppaal_asymmetric(l, each->scalar, each->span,
                             "the order of iterations of this loop may matter");
    }
    if (each->condition != NULL && clew_order_may_fault(l->program, each->frame, each->condition)) {
      clew_uppaal_asymmetric(l, each->scalar, each->span,
                             "a run-time error may come or not come, by the order of values");
    }
  }
}

/* A state in which the invariant of one process is false does not exist, and nobody looks for a
 * run-time error in that of another one. */
static void judge_invariants(struct uppaal_lowering *l) {
  for (uint32_t i = 0; i < l->program->assumptions.len; i++) {
    const struct clew_label_code *label = &l->program->labels.data[l->program->assumptions.data[i]];
    if (clew_order_may_fault(l->program, label->frame, label->value)) {
      l->program->asymmetric = "invariants of locations may end in a run-time error";
    }
  }
}

/* ---- Integer time --------------------------------------------------------------------------- */

/* The numbers up to which clocks matter are the same for all copies, since the whole model is. They
 * are found by an analysis that need not know that, so it is looked at. */
static bool tops_agree(const struct uppaal_lowering *l, const struct uppaal_instance *a,
                       const struct uppaal_instance *b) {
  uint32_t slot_a = 0, slot_b = 0;
  const struct clew_variable *variables = l->program->variables.data;
  for (uint32_t i = 0; i < a->variable_count; i++) {
    slot_a = variables[a->first_variable + i].cell;
    slot_b = variables[b->first_variable + i].cell;
    for (uint32_t c = 0; c < variables[a->first_variable + i].type->cells; c++) {
      if (variables[a->first_variable + i].is_signal &&
          clew_uppaal_clock_top(l, slot_a + c) != clew_uppaal_clock_top(l, slot_b + c)) {
        return false;
      }
    }
  }
  return true;
}

static void judge_tops(struct uppaal_lowering *l) {
  for (uint32_t i = 1; i < l->processes.len && l->time == UPPAAL_TIME_DIGITAL; i++) {
    const struct uppaal_instance *a = l->processes.data[i - 1], *b = l->processes.data[i];
    if (a->symbol == b->symbol && has_scalars(a) && l->bounds != NULL && !tops_agree(l, a, b)) {
      tell_apart(l, a, a->template->name.span, "clocks of these processes have different bounds");
    }
  }
}

void clew_uppaal_find_symmetry(struct uppaal_lowering *l) {
  if (l->scalars.len == 0) {
    return;
  }
  if (clew_uppaal_asks_about_runs(l)) {
    l->program->asymmetric = "a query is about whole runs";
  }
  if (l->timed.kept.count > 0) {
    l->program->asymmetric = "a query compares clocks with variables";
  }
  judge_invariants(l);
  judge_loops(l);
  judge_tops(l);
  find_copies(l);
}
