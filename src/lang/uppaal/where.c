/* Where a number is asked for: the locations in which a measured clock has to be known.
 *
 * sup{P.waiting && n > 2}: x asks for x only where P is waiting. If every way to there sets the
 * clock, it does not matter elsewhere, and zones can forget it: without that, a clock that measures
 * the time since an event would grow for ever before the first one. So the limit of a measured
 * clock belongs to locations of a process, like that of a guard, if there is a process that sets
 * the clock and whose locations the condition restricts; else it holds everywhere. */
#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_zones.h"

static bool is_place_of(const struct uppaal_instance *process, const struct clew_expr *expr) {
  return expr->kind == CLEW_EXPR_LOAD && expr->place.space == process->place.space &&
         expr->place.base == process->place.base && expr->place.offset == process->place.offset &&
         expr->place.index_count == 0;
}

/* Of `P.loc == number`, or the other way round: the number; -1: it is something else. */
static int64_t location_in(const struct uppaal_instance *process, const struct clew_expr *expr) {
  if (expr->kind != CLEW_EXPR_BINARY || (expr->op != CLEW_OP_EQ && expr->op != CLEW_OP_NE)) {
    return -1;
  }
  bool a = is_place_of(process, expr->a) && expr->b->kind == CLEW_EXPR_CONST;
  bool b = is_place_of(process, expr->b) && expr->a->kind == CLEW_EXPR_CONST;
  int64_t number = a ? expr->b->value : b ? expr->a->value : -1;
  return number < process->location_count ? number : -1;
}

static void fill(bool *set, uint32_t count, bool value) {
  for (uint32_t i = 0; i < count; i++) {
    set[i] = value;
  }
}

/* Locations of the process in which the expression can be true (or false), and perhaps others. */
static void find_locations(struct uppaal_lowering *l, const struct uppaal_instance *process,
                           const struct clew_expr *expr, bool is_true, bool *set) {
  uint32_t count = process->location_count;
  int64_t number = location_in(process, expr);
  if (number >= 0) {
    bool is_there = is_true == (expr->op == CLEW_OP_EQ);
    fill(set, count, !is_there);
    set[number] = is_there;
  } else if (expr->kind == CLEW_EXPR_UNARY && expr->op == CLEW_OP_NOT) {
    find_locations(l, process, expr->a, !is_true, set);
  } else if (expr->kind == CLEW_EXPR_BINARY &&
             (expr->op == CLEW_OP_AND || expr->op == CLEW_OP_OR)) {
    bool *other = CLEW_NEW_ARRAY(l->arena, bool, count);
    bool needs_both = is_true == (expr->op == CLEW_OP_AND);
    find_locations(l, process, expr->a, is_true, set);
    find_locations(l, process, expr->b, is_true, other);
    for (uint32_t i = 0; i < count; i++) {
      set[i] = needs_both ? set[i] && other[i] : set[i] || other[i];
    }
  } else {
    fill(set, count, true);
  }
}

static bool sets_clock(const struct uppaal_lowering *l, const struct uppaal_instance *process,
                       uint32_t clock) {
  for (uint32_t i = 0; i < process->step_count; i++) {
    for (uint32_t k = 0; k < process->steps[i].reset_count; k++) {
      if (clew_uppaal_clock_number(l, process->steps[i].resets[k]) == clock) {
        return true;
      }
    }
  }
  return false;
}

/* Whether the form restricts where the process is; `set` has the locations then. */
static bool restricts(struct uppaal_lowering *l, const struct uppaal_instance *process,
                      struct uppaal_form form, bool *set) {
  bool *part = CLEW_NEW_ARRAY(l->arena, bool, process->location_count);
  bool all = true;
  fill(set, process->location_count, false);
  for (uint32_t i = 0; i < form.count; i++) {
    if (form.terms[i].when == NULL) {
      return false;
    }
    find_locations(l, process, form.terms[i].when, true, part);
    for (uint32_t k = 0; k < process->location_count; k++) {
      set[k] = set[k] || part[k];
    }
  }
  for (uint32_t k = 0; k < process->location_count; k++) {
    all = all && set[k];
  }
  return !all;
}

void clew_uppaal_note_measured(struct uppaal_lowering *l, struct uppaal_form form, uint32_t clock,
                               int64_t most) {
  for (uint32_t i = 0; i < l->processes.len; i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    bool *set = CLEW_NEW_ARRAY(l->arena, bool, process->location_count);
    if (process->place.type == NULL || !sets_clock(l, process, clock) ||
        !restricts(l, process, form, set)) {
      continue;
    }
    for (uint32_t k = 0; k < process->location_count; k++) {
      if (set[k]) {
        clew_uppaal_note_remembered(l, clock, process->number, k, most);
      }
    }
    return;
  }
  clew_uppaal_note_remembered(l, clock, CLEW_NONE, UPPAAL_AT_QUERY, most);
}
