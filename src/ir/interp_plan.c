/* What the interpreter prepares once, so that it does not evaluate thousands of guards in each
 * state: most rules of an automaton are ruled out by where its control is.
 *
 * From each guard we take the conjuncts `slot = constant`. All of them together become comparisons
 * of bits of the state's words, most of the time a single one. And for each family we take the slot
 * that most of its rules test, the program counter if there is one, and list for each of its values
 * the rules that are left. What passes is then evaluated as if there were no plan.
 *
 * Why this cannot be seen: a conjunct may be tested before those to its left only if these have no
 * effect but their value, that is, if they cannot fault and write no frame (they are `pure`). So
 * collecting ends at the first that might. A test that fails makes the guard false, with nothing
 * pending.
 *
 * The lists of a family take memory in proportion to its rules.
 *
 * Beside that: the priorities in order, and of each slot what reading it takes. */
#include <stdlib.h>

#include "base/alloc.h"
#include "ir/interp_int.h"
#include "ir/ir_int.h"

enum { MOST_VALUES = 1 << 12 }; /* of a slot that rules are listed by */

/* A conjunct: the slot has this raw value. */
struct slot_test {
  uint32_t slot;
  uint64_t raw;
};

/* What is known of the guard of one rule. */
struct guard_tests {
  const struct clew_program *program;
  CLEW_VEC(struct slot_test) tests;
  bool never; /* the guard is false in every state */
  bool exact; /* it is true iff all tests are */
};

/* ---- From guards to tests ------------------------------------------------------------------- */

/* A cell of the state that is always the same one and always defined. */
static bool is_slot(const struct clew_expr *expr) {
  return expr->kind == CLEW_EXPR_LOAD && expr->place.space == CLEW_SPACE_STATE &&
         expr->place.index_count == 0 && !expr->place.type->undefinable;
}

/* The slot has this value. */
static void add_test(struct guard_tests *guard, const struct clew_expr *load, int64_t value) {
  uint32_t number = load->place.base + load->place.offset;
  assert(is_slot(load) && number < guard->program->slot_count);
  const struct clew_slot *slot = &guard->program->slots[number];
  assert(!slot->undefinable);
  if (value < slot->domain->lo || value > slot->domain->hi) {
    guard->never = true;
    return;
  }
  struct slot_test test = {number, (uint64_t)value - (uint64_t)slot->domain->lo};
  if (slot->width > 0)
    clew_vec_push(&guard->tests, test);
}

/* Adds the conjunct if it is a test of a slot. */
static bool take_test(struct guard_tests *guard, const struct clew_expr *expr) {
  bool equals = expr->kind == CLEW_EXPR_BINARY && expr->op == CLEW_OP_EQ;
  bool negates = expr->kind == CLEW_EXPR_UNARY && expr->op == CLEW_OP_NOT;
  if (equals && is_slot(expr->a) && expr->b->kind == CLEW_EXPR_CONST)
    add_test(guard, expr->a, expr->b->value);
  else if (equals && is_slot(expr->b) && expr->a->kind == CLEW_EXPR_CONST)
    add_test(guard, expr->b, expr->a->value);
  else if (negates && is_slot(expr->a))
    add_test(guard, expr->a, 0);
  else if (is_slot(expr) && expr->lo >= 0 && expr->hi <= 1)
    add_test(guard, expr, 1);
  else
    return false;
  return true;
}

/* Collects from a conjunct; false when nothing behind it may be tested before it. */
static bool collect(struct guard_tests *guard, const struct clew_expr *expr) {
  if (expr->kind == CLEW_EXPR_BINARY && expr->op == CLEW_OP_AND)
    return collect(guard, expr->a) && collect(guard, expr->b);
  if (take_test(guard, expr))
    return true;
  guard->exact = false;
  return expr->pure;
}

static void collect_guard(struct guard_tests *guard, const struct clew_expr *expr) {
  clew_vec_clear(&guard->tests);
  guard->never = false;
  guard->exact = true;
  if (expr != NULL && !collect(guard, expr))
    guard->exact = false;
}

/* ---- Tests of words ------------------------------------------------------------------------- */

typedef CLEW_VEC(struct clew_word_test) word_tests;

/* Two tests of one word become one. */
static void add_word_test(word_tests *tests, struct clew_word_test test) {
  for (uint32_t i = 0; i < tests->len; i++) {
    struct clew_word_test *old = &tests->data[i];
    if (old->word != test.word)
      continue;
    /* A contradiction stays a test of its own. */
    if (((old->value ^ test.value) & old->mask & test.mask) != 0)
      continue;
    old->mask |= test.mask;
    old->value |= test.value;
    return;
  }
  clew_vec_push(tests, test);
}

static struct clew_rule_plan plan_rule(struct clew_program *program,
                                       const struct guard_tests *guard) {
  struct clew_rule_plan plan = {.exact = guard->exact};
  word_tests tests = {0};
  for (uint32_t i = 0; i < guard->tests.len; i++) {
    const struct clew_slot *slot = &program->slots[guard->tests.data[i].slot];
    uint32_t shift = slot->bit % 64;
    add_word_test(&tests, (struct clew_word_test){.word = slot->bit / 64,
                                                  .mask = clew_bits_mask(slot->width) << shift,
                                                  .value = guard->tests.data[i].raw << shift});
  }
  if (guard->never)
    plan.first.value = 1; /* of no bits */
  else if (tests.len > 0)
    plan.first = tests.data[0];
  if (!guard->never && tests.len > 1) {
    plan.more_count = tests.len - 1;
    plan.more = clew_arena_copy(program->arena, tests.data + 1, tests.len - 1, sizeof *tests.data);
  }
  clew_vec_free(&tests);
  return plan;
}

/* ---- Lists of rules ------------------------------------------------------------------------- */

/* A test of a rule; those of all rules of a family are looked at together. */
struct rule_test {
  uint32_t slot, rule;
  uint64_t raw;
};
typedef CLEW_VEC(struct rule_test) rule_tests;

static int compare_tests(const void *a, const void *b) {
  const struct rule_test *x = a, *y = b;
  if (x->slot != y->slot)
    return x->slot < y->slot ? -1 : 1;
  return x->rule < y->rule ? -1 : x->rule > y->rule;
}

/* The tests of the slot that most rules test and that has few enough values; none: an empty run. */
static struct rule_test *best_run(const struct clew_program *program, const rule_tests *tests,
                                  uint32_t *count) {
  struct rule_test *best = tests->data;
  *count = 0;
  for (uint32_t i = 0, end; i < tests->len; i = end) {
    const struct clew_slot *slot = &program->slots[tests->data[i].slot];
    for (end = i + 1; end < tests->len && tests->data[end].slot == tests->data[i].slot;)
      end++;
    if (end - i > *count && slot->width < 32 && UINT64_C(1) << slot->width <= MOST_VALUES) {
      best = &tests->data[i];
      *count = end - i;
    }
  }
  return best;
}

/* Lists every rule under the raw values that its test leaves. A rule may be in the run twice: then
 * its first test counts. */
static void list_rules(struct clew_program *program, struct clew_family *family,
                       struct clew_family_plan *plan, const struct rule_test *run, uint32_t count) {
  uint32_t values = (uint32_t)plan->mask + 1;
  uint32_t *starts = CLEW_NEW_ARRAY(program->arena, uint32_t, values + 1);
  uint32_t *lists = NULL;
  for (int pass = 0; pass < 2; pass++) {
    const struct rule_test *test = run, *end = count > 0 ? run + count : run; /* NULL: none */
    for (uint32_t rule = 0; rule < family->rule_count; rule++) {
      bool tested = test < end && test->rule == rule;
      uint32_t from = tested ? (uint32_t)test->raw : 0, to = tested ? from + 1 : values;
      for (uint32_t value = from; value < to; value++) {
        if (pass == 1)
          lists[starts[value]] = rule;
        starts[value]++;
      }
      while (test < end && test->rule == rule)
        test++;
    }
    /* After the first pass the lengths become starts; after the second, which leaves each start
     * where the next list starts, they move up by one. */
    uint32_t total = 0;
    for (uint32_t value = 0; value <= values; value++) {
      uint32_t here = starts[value];
      starts[value] = total;
      total = pass == 0 ? total + here : here;
    }
    if (pass == 0)
      lists = CLEW_NEW_ARRAY(program->arena, uint32_t, total);
  }
  plan->starts = starts;
  plan->lists = lists;
}

static void plan_lists(struct clew_program *program, struct clew_family *family,
                       struct clew_family_plan *plan, rule_tests *tests) {
  enum { SPARE = 1024 };
  if (tests->len > 1)
    qsort(tests->data, tests->len, sizeof *tests->data, compare_tests);
  uint32_t count;
  const struct rule_test *run = best_run(program, tests, &count);
  if (count > 0) {
    const struct clew_slot *slot = &program->slots[run->slot];
    uint64_t mask = clew_bits_mask(slot->width);
    /* `count` may contain a rule twice, which makes this an estimate. */
    uint64_t untested =
        family->rule_count - (count < family->rule_count ? count : family->rule_count);
    if ((untested + 1) * (mask + 1) <= 4 * (uint64_t)family->rule_count + SPARE) {
      plan->word = slot->bit / 64;
      plan->shift = slot->bit % 64;
      plan->mask = mask;
    } else {
      count = 0;
    }
  }
  list_rules(program, family, plan, run, count);
}

/* ---- The whole ------------------------------------------------------------------------------ */

static void plan_family(struct clew_program *program, struct clew_family *family,
                        struct guard_tests *guard) {
  struct clew_family_plan *plan = CLEW_NEW(program->arena, struct clew_family_plan);
  struct clew_rule_plan *rules =
      CLEW_NEW_ARRAY(program->arena, struct clew_rule_plan, family->rule_count);
  rule_tests all = {0};
  plan->least_priority = INT32_MAX;
  plan->greatest_priority = INT32_MIN;
  for (uint32_t i = 0; i < family->rule_count; i++) {
    const struct clew_rule *rule = &family->rules[i];
    if (rule->priority < plan->least_priority)
      plan->least_priority = rule->priority;
    if (rule->priority > plan->greatest_priority)
      plan->greatest_priority = rule->priority;
    collect_guard(guard, rule->guard);
    rules[i] = plan_rule(program, guard);
    for (uint32_t j = 0; !guard->never && j < guard->tests.len; j++) {
      struct rule_test test = {guard->tests.data[j].slot, i, guard->tests.data[j].raw};
      clew_vec_push(&all, test);
    }
  }
  plan->rules = rules;
  plan_lists(program, family, plan, &all);
  clew_vec_free(&all);
  family->plan = plan;
}

static int compare_priorities(const void *a, const void *b) {
  const int32_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

/* The priorities in use, in order. Runs of one priority count once before sorting. */
static void plan_priorities(struct clew_program *program) {
  CLEW_VEC(int32_t) all = {0};
  for (uint32_t i = 0; i < program->families.len; i++) {
    const struct clew_family *family = program->families.data[i];
    for (uint32_t j = 0; j < family->rule_count; j++)
      if (all.len == 0 || clew_vec_last(&all) != family->rules[j].priority)
        clew_vec_push(&all, family->rules[j].priority);
  }
  if (all.len > 1)
    qsort(all.data, all.len, sizeof *all.data, compare_priorities);
  uint32_t count = 0;
  for (uint32_t i = 0; i < all.len; i++)
    if (count == 0 || all.data[count - 1] != all.data[i])
      all.data[count++] = all.data[i];
  program->priorities = clew_arena_copy(program->arena, all.data, count, sizeof *all.data);
  program->priority_count = count;
  clew_vec_free(&all);
}

static void plan_slots(struct clew_program *program) {
  struct clew_slot_view *views =
      CLEW_NEW_ARRAY(program->arena, struct clew_slot_view, program->slot_count);
  for (uint32_t i = 0; i < program->slot_count; i++) {
    const struct clew_slot *slot = &program->slots[i];
    bool empty = slot->width == 0; /* its position may be that of no word */
    views[i] = (struct clew_slot_view){.mask = empty ? 0 : clew_bits_mask(slot->width),
                                       .lo = slot->domain->lo,
                                       .word = empty ? 0 : slot->bit / 64,
                                       .shift = (uint8_t)(slot->bit % 64),
                                       .undefinable = slot->undefinable};
  }
  program->slot_views = views;
}

void clew_interp_plan(struct clew_program *program) {
  assert(program->slots != NULL || program->slot_count == 0);
  struct guard_tests guard = {.program = program};
  for (uint32_t i = 0; i < program->starts.len; i++)
    plan_family(program, program->starts.data[i], &guard);
  for (uint32_t i = 0; i < program->families.len; i++)
    plan_family(program, program->families.data[i], &guard);
  plan_priorities(program);
  plan_slots(program);
  clew_vec_free(&guard.tests);
}
