/* The plan of the interpreter cannot be seen: `next`, which follows it, does what evaluating every
 * guard in order does, for which `fire` stands. On random programs whose guards are made of
 * everything that the plan looks for (comparisons of slots with constants, in range and out of it,
 * contradictory, negated, in any place) and of what it must not move them over (faults). Some large
 * expressions occur again and again, in guards and in bodies, where they have other values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "unit/ir_build.h"
#include "unit/ir_reach.h"

enum { VARIABLES = 9, LARGE = 4 };

struct maker {
  struct clew_program *p;
  struct clew_random random;
  ir_place variables[VARIABLES];
  ir_place parameter; /* no type: there is none */
  ir_expr large[LARGE];
};

static uint32_t below(struct maker *m, uint32_t bound) {
  return (uint32_t)clew_random_below(&m->random, bound);
}

static ir_place any_variable(struct maker *m) {
  return m->variables[below(m, VARIABLES)];
}

static int64_t any_value(struct maker *m, ir_place place) {
  const struct clew_domain *domain = place.type->domain;
  int64_t size = domain->hi - domain->lo + 1;
  return domain->lo - 1 + (int64_t)below(m, (uint32_t)size + 2); /* one more at both ends */
}

static ir_expr make_test(struct maker *m) {
  ir_place place = any_variable(m);
  ir_expr load = ir_load(m->p, place), value = ir_num(m->p, any_value(m, place));
  return below(m, 3) == 0 ? ir_bin(m->p, CLEW_OP_EQ, value, load)
                          : ir_bin(m->p, CLEW_OP_EQ, load, value);
}

static ir_expr make_conjunct(struct maker *m) {
  ir_place place = any_variable(m);
  ir_expr load = ir_load(m->p, place);
  switch (below(m, 16)) {
  case 0: /* may divide by zero */
    return ir_bin(m->p, CLEW_OP_GE, ir_bin(m->p, CLEW_OP_DIV, ir_num(m->p, 6), load),
                  ir_num(m->p, 2));
  case 1:
    return ir_bin(m->p, CLEW_OP_LT, load, ir_load(m->p, any_variable(m)));
  case 2:
    return ir_bin(m->p, CLEW_OP_OR, make_test(m), make_test(m));
  case 3:
    return load->lo >= 0 && load->hi <= 1 ? load : make_test(m);
  case 4:
    return load->lo >= 0 && load->hi <= 1 ? clew_expr_unary(m->p, CLEW_OP_NOT, load, CLEW_NONE)
                                          : make_test(m);
  case 5:
    return m->parameter.type == NULL ? make_test(m)
                                     : ir_bin(m->p, CLEW_OP_EQ, ir_load(m->p, m->parameter), load);
  case 6:
  case 7:
    return m->large[below(m, LARGE)];
  case 8:
  case 9:
    return clew_expr_unary(m->p, CLEW_OP_NOT, m->large[below(m, LARGE)], CLEW_NONE);
  default:
    return make_test(m);
  }
}

static ir_expr make_large(struct maker *m) {
  ir_expr all = make_test(m);
  for (uint32_t i = 0; i < 15; i++)
    all = ir_bin(m->p, below(m, 4) == 0 ? CLEW_OP_AND : CLEW_OP_OR, all, make_test(m));
  return all;
}

static ir_expr make_guard(struct maker *m, uint32_t depth) {
  if (depth == 0 || below(m, 4) == 0)
    return make_conjunct(m);
  ir_expr a = make_guard(m, depth - 1);
  return ir_bin(m->p, CLEW_OP_AND, a, make_guard(m, depth - 1));
}

/* Rules of an automaton: most of them start with where it is. */
static ir_expr make_located_guard(struct maker *m) {
  ir_expr at = ir_is(m->p, m->variables[0], (int64_t)below(m, 8));
  return below(m, 3) == 0 ? at : ir_bin(m->p, CLEW_OP_AND, at, make_guard(m, 2));
}

static void make_family(struct maker *m) {
  enum { MOST_RULES = 40 };
  struct clew_rule rules[MOST_RULES];
  struct clew_parameter parameter;
  struct clew_frame *frame = clew_program_add_frame(m->p);
  bool has_parameter = below(m, 3) == 0, located = below(m, 2) == 0;
  m->parameter = (ir_place){0};
  if (has_parameter)
    m->parameter = ir_parameter(m->p, frame, "i", ir_range(m->p, 0, 2), &parameter);
  uint32_t count = 1 + below(m, MOST_RULES);
  for (uint32_t i = 0; i < count; i++) {
    ir_place to = any_variable(m);
    struct clew_stmt *body = ir_set_num(m->p, to, any_value(m, to)); /* may be out of range */
    if (below(m, 3) == 0) {
      ir_place flag = m->variables[8];
      body->next = ir_if(m->p, m->large[below(m, LARGE)], ir_set_num(m->p, flag, 1),
                         ir_set_num(m->p, flag, 2));
    }
    ir_expr guard = below(m, 10) == 0 ? NULL : located ? make_located_guard(m) : make_guard(m, 3);
    rules[i] = ir_rule("r", guard, body);
    rules[i].priority = below(m, 6) == 0 ? (int32_t)below(m, 4) - 2 : 0;
  }
  clew_program_add_family(m->p, false, frame, &parameter, has_parameter, rules, count);
}

static struct clew_program *make_program(uint64_t seed) {
  static const int64_t ranges[VARIABLES][2] = {{0, 7}, {0, 1},  {0, 1},     {-3, 2}, {5, 5},
                                               {1, 4}, {0, 63}, {0, 60000}, {0, 3}};
  struct maker m = {.p = clew_program_open("random", "test")};
  clew_random_seed(&m.random, seed);
  for (uint32_t i = 0; i < VARIABLES; i++) {
    const struct clew_domain *domain = ir_range(m.p, ranges[i][0], ranges[i][1]);
    bool undefinable = i > 0 && below(&m, 5) == 0;
    m.variables[i] = ir_var(m.p, clew_arena_printf(m.p->arena, "v%u", i),
                            clew_type_scalar(m.p->arena, domain, undefinable));
  }
  for (uint32_t i = 0; i < LARGE; i++)
    m.large[i] = make_large(&m);
  ir_start(m.p, NULL, NULL);
  for (uint32_t i = below(&m, 4) + 1; i > 0; i--)
    make_family(&m);
  return ir_finish(m.p);
}

/* Executes one edge, without a plan. */
static void fire_into(const struct clew_program *p, uint32_t edge, const uint64_t *state,
                      struct clew_succs *succs) {
  uint32_t site = CLEW_NONE;
  if (clew_interp_fire(p, state, edge, clew_succs_next(succs), &site))
    clew_succs_keep(succs, edge);
  else if (site != CLEW_NONE)
    succs->add_fault(succs, edge, site);
}

/* What `next` has to do, without a plan. Nothing here discards successors, so a rule was enabled
 * iff it left something. */
static void next_by_edges(const struct clew_program *p, const uint64_t *state,
                          struct clew_succs *succs) {
  for (int64_t priority = -2; priority <= 2 && succs->count + succs->fault_count == 0; priority++)
    for (uint32_t edge = 0; edge < p->edge_count; edge++)
      if (clew_program_edge(p, false, edge).rule->priority == priority)
        fire_into(p, edge, state, succs);
}

static void any_state(const struct clew_program *p, struct clew_random *random, uint64_t *state) {
  memset(state, 0, p->words * sizeof *state);
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const struct clew_slot *slot = &p->slots[i];
    uint64_t size = (uint64_t)(slot->domain->hi - slot->domain->lo) + 1;
    /* Guards compare with small numbers. */
    uint64_t small = clew_random_below(random, 4) == 0 || size < 8 ? size : 8;
    int64_t value = slot->domain->lo + (int64_t)clew_random_below(random, small);
    bool undefined = slot->undefinable && clew_random_below(random, 4) == 0;
    clew_slot_set(slot, state, undefined ? CLEW_UNDEFINED : value);
  }
}

static void test_random(void **unused) {
  (void)unused;
  enum { PROGRAMS = 300, STATES = 60, WORDS = 4 };
  struct clew_random random;
  clew_random_seed(&random, 7);
  uint64_t successors = 0, faults = 0;
  for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
    struct clew_program *p = make_program(seed);
    assert_true(p->words <= WORDS);
    struct clew_succs next, wanted;
    clew_succs_open(&next, p->words, p->cover_count);
    clew_succs_open(&wanted, p->words, p->cover_count);
    for (uint32_t i = 0; i < STATES; i++) {
      uint64_t state[WORDS];
      any_state(p, &random, state);
      clew_succs_clear(&next);
      clew_succs_clear(&wanted);
      clew_interp_next(p, state, &next);
      next_by_edges(p, state, &wanted);
      assert_true(ir_same(&next, &wanted, p->cover_count));
      successors += next.count;
      faults += next.fault_count;
    }
    clew_succs_close(&next);
    clew_succs_close(&wanted);
    clew_program_close(p);
  }
  assert_true(successors > PROGRAMS && faults > PROGRAMS); /* there was something to compare */
  clew_interp_release();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
