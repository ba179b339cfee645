/* Small programs built by hand, for tests of whatever executes or analyses a program.
 *
 *   for (uint32_t i = 0; i < IR_FIXTURE_COUNT; i++)
 *     struct clew_program *program = ir_fixtures[i].build();
 *
 * Each is finished and checked, uses a part of the IR thoroughly and has few reachable states, so
 * two executions can be compared on all of them (unit/ir_reach.h). The comment above each program
 * tells what it does in Murphi-like words. */
#ifndef CLEW_TESTS_IR_FIXTURE_H
#define CLEW_TESTS_IR_FIXTURE_H

#include "unit/ir_build.h"

/* x : 0..3; start x := 0; Inc: x := x + 1 (out of range at 3); Reset: x = 3 ==> x := 0.
 * Invariant small: x < 3. */
static inline struct clew_program *ir_build_counter(void) {
  struct clew_program *p = clew_program_open("counter", "test");
  ir_place x = ir_var(p, "x", ir_int(p, 0, 3));
  ir_start(p, NULL, ir_set_num(p, x, 0));
  ir_plain(p, NULL, "Inc", NULL, ir_set(p, x, ir_bin(p, CLEW_OP_ADD, ir_load(p, x), ir_num(p, 1))));
  ir_plain(p, NULL, "Reset", ir_is(p, x, 3), ir_set_num(p, x, 0));
  ir_expr small = ir_bin(p, CLEW_OP_LT, ir_load(p, x), ir_num(p, 3));
  ir_invariant(p, "small", ir_label(p, "small", NULL, small));
  return ir_finish(p);
}

/* x, y : 0..2 or undefined, z : 0..2, all untouched at the start. Set(v): x := v; Forget:
 * x := undefined; Move: y := x, undefined allowed; Read: y := x + 0, undefined is a fault; Force:
 * z := x, undefined does not fit; Test: x = 1 as a guard ==> y := 2; Known: !isundefined(x) &
 * x = 2 ==> y := undefined. Invariant known: x = x. */
static inline struct clew_program *ir_build_undefined(void) {
  struct clew_program *p = clew_program_open("undefined", "test");
  ir_place x = ir_var(p, "x", ir_maybe(p, 0, 2)), y = ir_var(p, "y", ir_maybe(p, 0, 2));
  ir_place z = ir_var(p, "z", ir_int(p, 0, 2));
  ir_start(p, NULL, NULL);
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter v;
  ir_place value = ir_parameter(p, frame, "v", ir_range(p, 0, 2), &v);
  struct clew_rule set = ir_rule("Set", NULL, ir_set(p, x, ir_load(p, value)));
  clew_program_add_family(p, false, frame, &v, 1, &set, 1);
  ir_plain(p, NULL, "Forget", NULL, ir_set(p, x, clew_expr_undefined(p)));
  ir_plain(p, NULL, "Move", NULL, ir_set(p, y, clew_expr_load_raw(p, x)));
  ir_plain(p, NULL, "Read", NULL, ir_set(p, y, ir_load(p, x)));
  ir_plain(p, NULL, "Force", NULL, ir_set(p, z, clew_expr_load_raw(p, x)));
  ir_plain(p, NULL, "Test", ir_is(p, x, 1), ir_set_num(p, y, 2));
  ir_expr defined = clew_expr_unary(p, CLEW_OP_NOT, clew_expr_is_undefined(p, x), CLEW_NONE);
  ir_plain(p, NULL, "Known", ir_bin(p, CLEW_OP_AND, defined, ir_is(p, x, 2)),
           ir_set(p, y, clew_expr_undefined(p)));
  ir_expr same = ir_bin(p, CLEW_OP_EQ, ir_load(p, x), ir_load(p, x));
  ir_invariant(p, "known", ir_label(p, "known", NULL, same));
  return ir_finish(p);
}

/* Two processes p_1, p_2 with locations idle, want, critical and a `turn`; a broken test when
 * `fair` is not set: Want(p), Enter(p), Leave(p). Invariant mutex: at most one is critical. */
static inline struct clew_program *ir_build_mutex(void) {
  static const char *const locations[] = {"idle", "want", "critical"};
  static const char *const processes[] = {"p_1", "p_2"};
  enum { IDLE, WANT, CRITICAL };
  struct clew_program *p = clew_program_open("mutex", "test");
  const struct clew_domain *process = ir_named(p, 1, 2, processes);
  const struct clew_type *location =
      clew_type_scalar(p->arena, ir_named(p, IDLE, CRITICAL, locations), false);
  ir_place at = ir_var(p, "at", clew_type_array(p->arena, process, location));
  ir_place turn = ir_var(p, "turn", clew_type_scalar(p->arena, process, false));
  ir_start(p, NULL, ir_on_place(p, CLEW_STMT_CLEAR, at));

  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameter;
  ir_place self = ir_parameter(p, frame, "p", process, &parameter);
  ir_place other = ir_local(frame, "q", ir_int(p, 1, 2));
  ir_place mine = ir_at(p, at, ir_load(p, self));
  ir_expr his_turn = ir_bin(p, CLEW_OP_SUB, ir_num(p, 3), ir_load(p, self));
  ir_expr is_other = ir_bin(p, CLEW_OP_NE, ir_load(p, other), ir_load(p, self));
  ir_expr wants =
      ir_bin(p, CLEW_OP_NE, ir_load(p, ir_at(p, at, ir_load(p, other))), ir_num(p, IDLE));
  ir_expr nobody = clew_expr_unary(
      p, CLEW_OP_NOT,
      ir_quantify(p, CLEW_OP_EXISTS, other, 1, 2, ir_bin(p, CLEW_OP_AND, is_other, wants)),
      CLEW_NONE);
  ir_expr my_turn = ir_bin(p, CLEW_OP_EQ, ir_load(p, turn), ir_load(p, self));
  ir_expr may_enter =
      ir_bin(p, CLEW_OP_AND, ir_is(p, mine, WANT), ir_bin(p, CLEW_OP_OR, nobody, my_turn));
  const struct clew_rule rules[] = {
      ir_rule("Want", ir_is(p, mine, IDLE),
              IR_LIST(ir_set_num(p, mine, WANT), ir_set(p, turn, his_turn))),
      ir_rule("Enter", may_enter, ir_set_num(p, mine, CRITICAL)),
      ir_rule("Leave", ir_is(p, mine, CRITICAL), ir_set_num(p, mine, IDLE))};
  clew_program_add_family(p, false, frame, &parameter, 1, rules, 3);

  struct clew_frame *check = clew_program_add_frame(p);
  ir_place i = ir_local(check, "i", ir_int(p, 1, 2));
  ir_expr count =
      ir_quantify(p, CLEW_OP_COUNT, i, 1, 2, ir_is(p, ir_at(p, at, ir_load(p, i)), CRITICAL));
  ir_expr one = ir_bin(p, CLEW_OP_LE, count, ir_num(p, 1));
  ir_invariant(p, "mutex", ir_label(p, "mutex", check, one));
  return ir_finish(p);
}

/* References. a, b : 0..3; SwapState(ref state, ref state) and the same for frames; Swap: a, b in
 * the state; Rotate: through locals m[0], m[1] of a frame; Sum: b := max(a, b) by a function
 * whose reference parameter it hands on to another function. */
static inline struct clew_function *ir_build_swap(struct clew_program *p, enum clew_space space) {
  const struct clew_type *type = ir_int(p, 0, 3);
  struct clew_reference refs[] = {{"x", space, type}, {"y", space, type}};
  struct clew_function *swap =
      ir_function(p, "swap", NULL, NULL, 0, clew_arena_copy(p->arena, refs, 2, sizeof *refs), 2);
  ir_place t = ir_local(swap->frame, "t", type);
  ir_place x = clew_place_ref(swap, 0), y = clew_place_ref(swap, 1);
  swap->body =
      IR_LIST(ir_set(p, t, ir_load(p, x)), ir_set(p, x, ir_load(p, y)), ir_set(p, y, ir_load(p, t)),
              clew_stmt_new(p, CLEW_STMT_RETURN), ir_set_num(p, x, 0));
  return swap;
}

static inline struct clew_program *ir_build_references(void) {
  struct clew_program *p = clew_program_open("references", "test");
  const struct clew_type *type = ir_int(p, 0, 3);
  ir_place a = ir_var(p, "a", type), b = ir_var(p, "b", type);
  ir_start(p, NULL, IR_LIST(ir_set_num(p, a, 1), ir_set_num(p, b, 3)));
  const struct clew_function *swap_state = ir_build_swap(p, CLEW_SPACE_STATE);
  const struct clew_function *swap_frame = ir_build_swap(p, CLEW_SPACE_FRAME);

  /* max(ref x): x >= b ? x : b, computed by above(ref x, v): x >= v */
  struct clew_reference ref[] = {{"x", CLEW_SPACE_STATE, type}};
  const struct clew_reference *state_ref = clew_arena_copy(p->arena, ref, 1, sizeof *ref);
  struct clew_function *above = ir_function(p, "above", ir_int(p, 0, 1), &type, 1, state_ref, 1);
  ir_expr v = ir_load(p, clew_place_frame(above->frame, 0));
  above->body = ir_on_value(p, CLEW_STMT_RETURN,
                            ir_bin(p, CLEW_OP_GE, ir_load(p, clew_place_ref(above, 0)), v));
  struct clew_function *max = ir_function(p, "max", type, NULL, 0, state_ref, 1);
  ir_place x = clew_place_ref(max, 0);
  const ir_expr limit[] = {ir_load(p, b)};
  max->body = IR_LIST(ir_if(p, clew_expr_call(p, ir_call(p, above, limit, &x)),
                            ir_on_value(p, CLEW_STMT_RETURN, ir_load(p, x)), NULL),
                      ir_on_value(p, CLEW_STMT_RETURN, ir_load(p, b)));

  ir_plain(p, NULL, "Swap", NULL,
           ir_call_stmt(p, ir_call(p, swap_state, NULL, (ir_place[]){a, b})));
  struct clew_frame *frame = clew_program_add_frame(p);
  ir_place m = ir_local(frame, "m", clew_type_array(p->arena, ir_range(p, 0, 1), type));
  ir_place m0 = ir_at(p, m, ir_num(p, 0)), m1 = ir_at(p, m, ir_num(p, 1));
  ir_plain(p, frame, "Rotate", NULL,
           IR_LIST(ir_set(p, m0, ir_load(p, a)), ir_set(p, m1, ir_load(p, b)),
                   ir_call_stmt(p, ir_call(p, swap_frame, NULL, (ir_place[]){m0, m1})),
                   ir_set(p, a, ir_load(p, m0)), ir_set(p, b, ir_load(p, m1))));
  ir_plain(p, NULL, "Max", NULL, ir_set(p, b, clew_expr_call(p, ir_call(p, max, NULL, &a))));
  return ir_finish(p);
}

/* x : 0..2000. f(n) = n = 0 ? 0 : 1 + f(n - 1), as nested ifs with a result variable; g(n), n > 1
 * has no result. Deep(n): x := f(998 + n), n : 0..2, the last one too deep; Lost(n): x := g(n). */
static inline struct clew_program *ir_build_recursion(void) {
  struct clew_program *p = clew_program_open("recursion", "test");
  const struct clew_type *type = ir_int(p, 0, 2000);
  ir_place x = ir_var(p, "x", type);
  ir_start(p, NULL, ir_set_num(p, x, 7));
  struct clew_function *f = ir_function(p, "f", type, &type, 1, NULL, 0);
  ir_place n = clew_place_frame(f->frame, 0);
  ir_place r = ir_local(f->frame, "r", type), less = ir_local(f->frame, "less", type);
  const ir_expr argument[] = {ir_load(p, less)};
  ir_expr again = clew_expr_call(p, ir_call(p, f, argument, NULL));
  f->body = IR_LIST(ir_if(p, ir_is(p, n, 0), ir_on_value(p, CLEW_STMT_RETURN, ir_num(p, 0)), NULL),
                    ir_set(p, less, ir_bin(p, CLEW_OP_SUB, ir_load(p, n), ir_num(p, 1))),
                    ir_set(p, r, ir_bin(p, CLEW_OP_ADD, ir_num(p, 1), again)),
                    ir_on_value(p, CLEW_STMT_RETURN, ir_load(p, r)));
  struct clew_function *g = ir_function(p, "g", type, &type, 1, NULL, 0);
  g->body = ir_if(p, ir_bin(p, CLEW_OP_LE, ir_load(p, clew_place_frame(g->frame, 0)), ir_num(p, 1)),
                  ir_on_value(p, CLEW_STMT_RETURN, ir_num(p, 11)), NULL);

  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameter;
  ir_place k = ir_parameter(p, frame, "n", ir_range(p, 0, 2), &parameter);
  const ir_expr deep[] = {ir_bin(p, CLEW_OP_ADD, ir_num(p, 998), ir_load(p, k))};
  const ir_expr lost[] = {ir_load(p, k)};
  const struct clew_rule rules[] = {
      ir_rule("Deep", NULL, ir_set(p, x, clew_expr_call(p, ir_call(p, f, deep, NULL)))),
      ir_rule("Lost", NULL, ir_set(p, x, clew_expr_call(p, ir_call(p, g, lost, NULL))))};
  clew_program_add_family(p, false, frame, &parameter, 1, rules, 2);
  return ir_finish(p);
}

/* x : 0..100. Count(n): while x < n do x := x + 1, at most 10 times, n : 9..11 from x = 0; Down:
 * for i := 5 to 1 by -2 do x := x * 10 + i, over at most 99 (fault for the third round); Find:
 * for i := 1 to 9 do x := i; if i = 4 then return; Empty: for i := 3 to 2 do x := 99. */
static inline struct clew_program *ir_build_loops(void) {
  struct clew_program *p = clew_program_open("loops", "test");
  ir_place x = ir_var(p, "x", ir_int(p, 0, 100));
  ir_start(p, NULL, ir_set_num(p, x, 0));
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameter;
  ir_place n = ir_parameter(p, frame, "n", ir_range(p, 9, 11), &parameter);
  ir_expr less = ir_bin(p, CLEW_OP_LT, ir_load(p, x), ir_load(p, n));
  struct clew_stmt *increment = ir_set(p, x, ir_bin(p, CLEW_OP_ADD, ir_load(p, x), ir_num(p, 1)));
  struct clew_rule count = ir_rule("Count", ir_is(p, x, 0), ir_while(p, less, 10, increment));
  clew_program_add_family(p, false, frame, &parameter, 1, &count, 1);

  frame = clew_program_add_frame(p);
  ir_place i = ir_local(frame, "i", ir_int(p, 1, 9));
  ir_expr ten = ir_bin(p, CLEW_OP_MUL, ir_load(p, x), ir_num(p, 10));
  ir_plain(p, frame, "Down", NULL,
           ir_for(p, i, ir_num(p, 5), ir_num(p, 1), -2,
                  ir_set(p, x, ir_bin(p, CLEW_OP_ADD, ten, ir_load(p, i)))));
  ir_plain(p, frame, "DownTwice", NULL,
           ir_for(p, i, ir_num(p, 5), ir_num(p, 2), -2,
                  ir_set(p, x, ir_bin(p, CLEW_OP_ADD, ten, ir_load(p, i)))));
  ir_plain(
      p, frame, "Find", NULL,
      IR_LIST(ir_for(p, i, ir_num(p, 1), ir_num(p, 9), 1,
                     IR_LIST(ir_set(p, x, ir_load(p, i)),
                             ir_if(p, ir_is(p, i, 4), clew_stmt_new(p, CLEW_STMT_RETURN), NULL))),
              ir_set_num(p, x, 100)));
  ir_plain(p, frame, "Empty", NULL,
           ir_for(p, i, ir_num(p, 3), ir_num(p, 2), 1, ir_set_num(p, x, 99)));
  return ir_finish(p);
}

/* m : multiset [3] of record { a : 0..2; b : 0..1 or undefined }; last : 0..2. Add(a, b): put
 * (a, b) in, b = 2 meaning undefined; Take(i), present m[i]: last := m[i].a, then remove m[i];
 * Clear: m is cleared when full; Twice: (2, undefined) and (0, 1) are added at once. */
static inline struct clew_program *ir_build_bag(void) {
  struct clew_program *p = clew_program_open("bag", "test");
  const struct clew_type *element = ir_pair(p, ir_int(p, 0, 2), ir_maybe(p, 0, 1));
  ir_place m = ir_var(p, "m", clew_type_bag(p->arena, 3, element));
  ir_place last = ir_var(p, "last", ir_int(p, 0, 2));
  ir_start(p, NULL, ir_on_place(p, CLEW_STMT_UNDEFINE, m));

  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameters[2];
  ir_place a = ir_parameter(p, frame, "a", ir_range(p, 0, 2), &parameters[0]);
  ir_place b = ir_parameter(p, frame, "b", ir_range(p, 0, 2), &parameters[1]);
  ir_place e = ir_local(frame, "e", element);
  struct clew_rule add =
      ir_rule("Add", NULL,
              IR_LIST(ir_on_place(p, CLEW_STMT_UNDEFINE, e),
                      ir_set(p, clew_place_field(e, 0), ir_load(p, a)),
                      ir_if(p, ir_bin(p, CLEW_OP_LT, ir_load(p, b), ir_num(p, 2)),
                            ir_set(p, clew_place_field(e, 1), ir_load(p, b)), NULL),
                      ir_bag_add(p, m, e)));
  clew_program_add_family(p, false, frame, parameters, 2, &add, 1);

  frame = clew_program_add_frame(p);
  ir_place i = ir_parameter(p, frame, "i", ir_range(p, 0, 2), &parameters[0]);
  ir_place present = clew_place_presence(p, m, ir_load(p, i), CLEW_NONE);
  struct clew_rule take =
      ir_rule("Take", ir_load(p, present),
              IR_LIST(ir_set(p, last, ir_load(p, clew_place_field(ir_at(p, m, ir_load(p, i)), 0))),
                      ir_bag_remove(p, m, ir_load(p, i))));
  clew_program_add_family(p, false, frame, parameters, 1, &take, 1);

  ir_place third = clew_place_presence(p, m, ir_num(p, 2), CLEW_NONE);
  ir_plain(p, NULL, "Clear", ir_load(p, third), ir_on_place(p, CLEW_STMT_CLEAR, m));
  frame = clew_program_add_frame(p);
  e = ir_local(frame, "e", element);
  ir_plain(p, frame, "Twice", NULL,
           IR_LIST(ir_on_place(p, CLEW_STMT_UNDEFINE, e), ir_set_num(p, clew_place_field(e, 0), 2),
                   ir_bag_add(p, m, e), ir_set_num(p, clew_place_field(e, 0), 0),
                   ir_set_num(p, clew_place_field(e, 1), 1), ir_bag_add(p, m, e)));
  return ir_finish(p);
}

/* Bags in bags: m : multiset [2] of record { k : 0..1; s : multiset [2] of 1..3 }. New(k): an
 * element with an empty s; Put(i, v): v into m[i].s; Drop(i): remove m[i]. */
static inline struct clew_program *ir_build_nested_bags(void) {
  struct clew_program *p = clew_program_open("nested bags", "test");
  const struct clew_type *value = ir_int(p, 1, 3);
  const struct clew_type *element = ir_pair(p, ir_int(p, 0, 1), clew_type_bag(p->arena, 2, value));
  ir_place m = ir_var(p, "m", clew_type_bag(p->arena, 2, element));
  ir_start(p, NULL, NULL);
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameters[2];
  ir_place k = ir_parameter(p, frame, "k", ir_range(p, 0, 1), &parameters[0]);
  ir_place e = ir_local(frame, "e", element);
  struct clew_rule create =
      ir_rule("New", NULL,
              IR_LIST(ir_on_place(p, CLEW_STMT_CLEAR, e),
                      ir_set(p, clew_place_field(e, 0), ir_load(p, k)), ir_bag_add(p, m, e)));
  clew_program_add_family(p, false, frame, parameters, 1, &create, 1);

  frame = clew_program_add_frame(p);
  ir_place i = ir_parameter(p, frame, "i", ir_range(p, 0, 1), &parameters[0]);
  ir_place v = ir_parameter(p, frame, "v", ir_range(p, 1, 3), &parameters[1]);
  ir_expr present = ir_load(p, clew_place_presence(p, m, ir_load(p, i), CLEW_NONE));
  ir_place inner = clew_place_field(ir_at(p, m, ir_load(p, i)), 1);
  struct clew_rule put = ir_rule("Put", present, ir_bag_add(p, inner, v));
  clew_program_add_family(p, false, frame, parameters, 2, &put, 1);

  frame = clew_program_add_frame(p);
  i = ir_parameter(p, frame, "i", ir_range(p, 0, 1), &parameters[0]);
  present = ir_load(p, clew_place_presence(p, m, ir_load(p, i), CLEW_NONE));
  struct clew_rule drop = ir_rule("Drop", present, ir_bag_remove(p, m, ir_load(p, i)));
  clew_program_add_family(p, false, frame, parameters, 1, &drop, 1);
  return ir_finish(p);
}

/* x, u : 0..9 or undefined; starts with x := 0 and x := 5. For v : 0..1, Low (priority 5): x := 1;
 * High (-1), x = 3: x := 4; Middle (2), x = v + 1: x := v + 2. Drop (0), x = 4: assume false; Fault
 * (1), x = 5 & u = 0, which is undefined: x := 6; Up (5): x := x + 1. */
static inline struct clew_program *ir_build_priorities(void) {
  struct clew_program *p = clew_program_open("priorities", "test");
  ir_place x = ir_var(p, "x", ir_maybe(p, 0, 9)), u = ir_var(p, "u", ir_maybe(p, 0, 9));
  ir_start(p, NULL, ir_set_num(p, x, 0));
  ir_start(p, NULL, ir_set_num(p, x, 5));
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameter;
  ir_place v = ir_parameter(p, frame, "v", ir_range(p, 0, 1), &parameter);
  ir_expr next = ir_bin(p, CLEW_OP_ADD, ir_load(p, v), ir_num(p, 1));
  struct clew_rule rules[] = {ir_rule("Low", NULL, ir_set_num(p, x, 1)),
                              ir_rule("High", ir_is(p, x, 3), ir_set_num(p, x, 4)),
                              ir_rule("Middle", ir_bin(p, CLEW_OP_EQ, ir_load(p, x), next),
                                      ir_set(p, x, ir_bin(p, CLEW_OP_ADD, next, ir_num(p, 1))))};
  rules[0].priority = 5, rules[1].priority = -1, rules[2].priority = 2;
  clew_program_add_family(p, false, frame, &parameter, 1, rules, 3);
  struct clew_rule others[] = {
      ir_rule("Drop", ir_is(p, x, 4), ir_on_value(p, CLEW_STMT_ASSUME, ir_num(p, 0))),
      ir_rule("Fault", ir_bin(p, CLEW_OP_AND, ir_is(p, x, 5), ir_is(p, u, 0)), ir_set_num(p, x, 6)),
      ir_rule("Up", NULL, ir_set(p, x, ir_bin(p, CLEW_OP_ADD, ir_load(p, x), ir_num(p, 1))))};
  others[0].priority = 0, others[1].priority = 1, others[2].priority = 5;
  clew_program_add_family(p, false, clew_program_add_frame(p), NULL, 0, others, 3);
  return ir_finish(p);
}

/* Expressions. op : the operation, left, right : its operands (indices of a table), r : the result.
 * Pick(o, a, b) computes table[a] o table[b] into r, which is as wide as integers are; overflow,
 * division by zero and bad shifts fault. */
enum { IR_OPERANDS = 12 };
static const int64_t ir_operands[IR_OPERANDS] = {
    0, 1, -1, 2, 3, -7, 62, 63, 64, INT64_MAX, INT64_MIN + 1, INT64_C(1) << 40};

static inline ir_expr ir_operand(struct clew_program *p, ir_place index) {
  ir_expr value = ir_num(p, ir_operands[0]);
  for (int i = 1; i < IR_OPERANDS; i++)
    value = clew_expr_cond(p, ir_is(p, index, i), ir_num(p, ir_operands[i]), value);
  return value;
}

static inline struct clew_program *ir_build_arithmetic(void) {
  struct clew_program *p = clew_program_open("arithmetic", "test");
  ir_place r = ir_var(p, "r", ir_int(p, INT64_MIN + 1, INT64_MAX));
  ir_place done = ir_var(p, "done", ir_int(p, 0, 1));
  ir_start(p, NULL, ir_set_num(p, r, 5));
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameters[2];
  ir_place a = ir_parameter(p, frame, "a", ir_range(p, 0, IR_OPERANDS - 1), &parameters[0]);
  ir_place b = ir_parameter(p, frame, "b", ir_range(p, 0, IR_OPERANDS - 1), &parameters[1]);
  struct clew_rule rules[CLEW_OP_GE + 1];
  for (enum clew_op op = CLEW_OP_NEG; op <= CLEW_OP_GE; op++) {
    ir_expr x = ir_operand(p, a), y = ir_operand(p, b);
    if (op == CLEW_OP_NOT)
      x = ir_bin(p, CLEW_OP_EQ, x, y);
    ir_expr value =
        op <= CLEW_OP_BIT_NOT ? clew_expr_unary(p, op, x, ir_op_site(p, op)) : ir_bin(p, op, x, y);
    rules[op] =
        ir_rule("Operate", ir_is(p, done, 0), IR_LIST(ir_set(p, r, value), ir_set_num(p, done, 1)));
  }
  clew_program_add_family(p, false, frame, parameters, 2, rules, CLEW_OP_GE + 1);
  return ir_finish(p);
}

/* a : array [1..3] of 0..4; x : 0..20. Quantifiers, LET, COND, SWITCH. Set(i, v): a[i] := v;
 * Sum: x := sum of a; Sorted: forall i : 1..2 do a[i] <= a[i + 1] ==> x := let t = a[1] + a[2] in
 * t * t, out of range for large ones; Has: exists i by -1 do a[i] = 4 ==> x := count of them;
 * Switch: by x: 0, 1 to 10; 2 to 11; 3 stays; else 12. */
static inline struct clew_program *ir_build_quantifiers(void) {
  struct clew_program *p = clew_program_open("quantifiers", "test");
  const struct clew_type *type = ir_int(p, 0, 4);
  ir_place a = ir_var(p, "a", clew_type_array(p->arena, ir_range(p, 1, 3), type));
  ir_place x = ir_var(p, "x", ir_int(p, 0, 20));
  ir_start(p, NULL, NULL);
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameters[2];
  ir_place i = ir_parameter(p, frame, "i", ir_range(p, 1, 3), &parameters[0]);
  ir_place v = ir_parameter(p, frame, "v", ir_range(p, 3, 4), &parameters[1]);
  struct clew_rule set = ir_rule("Set", NULL, ir_set(p, ir_at(p, a, ir_load(p, i)), ir_load(p, v)));
  clew_program_add_family(p, false, frame, parameters, 2, &set, 1);

  frame = clew_program_add_frame(p);
  i = ir_local(frame, "i", ir_int(p, 1, 3));
  ir_place t = ir_local(frame, "t", ir_int(p, 0, 8));
  ir_expr here = ir_load(p, ir_at(p, a, ir_load(p, i)));
  ir_expr there = ir_load(p, ir_at(p, a, ir_bin(p, CLEW_OP_ADD, ir_load(p, i), ir_num(p, 1))));
  ir_expr sum = ir_bin(p, CLEW_OP_ADD, ir_load(p, ir_at(p, a, ir_num(p, 1))),
                       ir_load(p, ir_at(p, a, ir_num(p, 2))));
  ir_expr square = ir_bin(p, CLEW_OP_MUL, ir_load(p, t), ir_load(p, t));
  ir_plain(p, frame, "Sum", NULL, ir_set(p, x, ir_quantify(p, CLEW_OP_SUM, i, 1, 3, here)));
  ir_plain(p, frame, "Sorted",
           ir_quantify(p, CLEW_OP_FORALL, i, 1, 2, ir_bin(p, CLEW_OP_LE, here, there)),
           ir_set(p, x, clew_expr_let(p, t.base, sum, square)));
  ir_expr is_four = ir_bin(p, CLEW_OP_EQ, here, ir_num(p, 4));
  ir_plain(p, frame, "Has",
           clew_expr_quantify(p, CLEW_OP_EXISTS, i.base, ir_num(p, 3), ir_num(p, 1), -1, is_four),
           ir_set(p, x, ir_quantify(p, CLEW_OP_COUNT, i, 1, 3, is_four)));
  struct clew_stmt *by_x = ir_on_value(p, CLEW_STMT_SWITCH, ir_load(p, x));
  static const int64_t low[] = {0, 1}, two[] = {2}, three[] = {3};
  struct clew_case cases[] = {
      {low, 2, ir_set_num(p, x, 10)}, {two, 1, ir_set_num(p, x, 11)}, {three, 1, NULL}};
  by_x->cases = clew_arena_copy(p->arena, cases, 3, sizeof *cases);
  by_x->case_count = 3;
  by_x->otherwise = ir_set_num(p, x, 12);
  ir_plain(p, NULL, "Switch", NULL, by_x);
  return ir_finish(p);
}

/* Blocks. r, s : array [0..1] of record { a : 0..1; b : 0..1 or undefined }; s[1] is cleared at the
 * start. Write(i): r[i].a := 1; Element(i): r[i] := s[1 - i]; Undefine(i): s[i]; Copy: s := r;
 * Through: local := r, local[1].a := 1 - local[1].a, s := local, assert local = s; Clear: r; Same:
 * r = s ==> r[1].b := 1. */
static inline struct clew_program *ir_build_blocks(void) {
  struct clew_program *p = clew_program_open("blocks", "test");
  const struct clew_type *pair = ir_pair(p, ir_int(p, 0, 1), ir_maybe(p, 0, 1));
  const struct clew_type *type = clew_type_array(p->arena, ir_range(p, 0, 1), pair);
  ir_place r = ir_var(p, "r", type), s = ir_var(p, "s", type);
  ir_start(p, NULL, ir_on_place(p, CLEW_STMT_CLEAR, ir_at(p, s, ir_num(p, 1))));

  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameter;
  ir_place i = ir_parameter(p, frame, "i", ir_range(p, 0, 1), &parameter);
  ir_expr other = ir_bin(p, CLEW_OP_SUB, ir_num(p, 1), ir_load(p, i));
  ir_place r_i = ir_at(p, r, ir_load(p, i)), s_i = ir_at(p, s, ir_load(p, i));
  const struct clew_rule rules[] = {
      ir_rule("Write", NULL, ir_set_num(p, clew_place_field(r_i, 0), 1)),
      ir_rule("Element", NULL, ir_copy(p, r_i, ir_at(p, s, other))),
      ir_rule("Undefine", NULL, ir_on_place(p, CLEW_STMT_UNDEFINE, s_i))};
  clew_program_add_family(p, false, frame, &parameter, 1, rules, 3);

  ir_plain(p, NULL, "Copy", NULL, ir_copy(p, s, r));
  frame = clew_program_add_frame(p);
  ir_place local = ir_local(frame, "local", type);
  ir_place local_a = clew_place_field(ir_at(p, local, ir_num(p, 1)), 0);
  ir_expr flip = ir_bin(p, CLEW_OP_SUB, ir_num(p, 1), ir_load(p, local_a));
  ir_plain(p, frame, "Through", clew_expr_equal(p, r, r),
           IR_LIST(ir_copy(p, local, r), ir_set(p, local_a, flip), ir_copy(p, s, local),
                   ir_on_value(p, CLEW_STMT_ASSERT, clew_expr_equal(p, local, s))));
  ir_plain(p, NULL, "Clear", NULL, ir_on_place(p, CLEW_STMT_CLEAR, r));
  ir_plain(p, NULL, "Same", clew_expr_equal(p, r, s),
           ir_set_num(p, clew_place_field(ir_at(p, r, ir_num(p, 1)), 1), 1));
  return ir_finish(p);
}

/* Copies that overlap. q : array [0..3] of 0..1 or undefined. Write(i, v): q[i] := v; Up: q[1..3]
 * := q[0..2]; Down: q[0..2] := q[1..3]; LocalUp: the same as Up in a local; Reverse: local := q,
 * for i := 0 to 3 do q[i] := local[3 - i]. */
static inline struct clew_program *ir_build_overlap(void) {
  struct clew_program *p = clew_program_open("overlap", "test");
  const struct clew_type *cell = ir_maybe(p, 0, 1);
  const struct clew_type *type = clew_type_array(p->arena, ir_range(p, 0, 3), cell);
  const struct clew_type *three = clew_type_array(p->arena, ir_range(p, 0, 2), cell);
  ir_place q = ir_var(p, "q", type);
  ir_start(p, NULL, NULL);
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameters[2];
  ir_place i = ir_parameter(p, frame, "i", ir_range(p, 0, 3), &parameters[0]);
  ir_place v = ir_parameter(p, frame, "v", ir_range(p, 0, 1), &parameters[1]);
  struct clew_rule write =
      ir_rule("Write", NULL, ir_set(p, ir_at(p, q, ir_load(p, i)), ir_load(p, v)));
  clew_program_add_family(p, false, frame, parameters, 2, &write, 1);

  ir_place low = q, high = q;
  low.type = high.type = three;
  high.offset++;
  ir_plain(p, NULL, "Up", NULL, ir_copy(p, high, low));
  ir_plain(p, NULL, "Down", NULL, ir_copy(p, low, high));
  frame = clew_program_add_frame(p);
  ir_place local = ir_local(frame, "local", type), j = ir_local(frame, "j", ir_int(p, 0, 3));
  low = high = local;
  low.type = high.type = three;
  high.offset++;
  ir_plain(p, frame, "LocalUp", NULL,
           IR_LIST(ir_copy(p, local, q), ir_copy(p, high, low), ir_copy(p, q, local)));
  ir_place mirror = ir_at(p, local, ir_bin(p, CLEW_OP_SUB, ir_num(p, 3), ir_load(p, j)));
  ir_plain(p, frame, "Reverse", NULL,
           IR_LIST(ir_copy(p, local, q),
                   ir_for(p, j, ir_num(p, 0), ir_num(p, 3), 1,
                          ir_set(p, ir_at(p, q, ir_load(p, j)), clew_expr_load_raw(p, mirror)))));
  return ir_finish(p);
}

/* x : 0..4, u : 0..1 or undefined. Any(v): cover v = 2 after assume v != 4, then x := v, cover
 * undefined u + 0 after that (a fault when x was 1); the assumption x != 3 for all states, and one
 * that reads u when x = 0 again. Set: u := 0. Return: cover true; return; cover true (not
 * reached). */
static inline struct clew_program *ir_build_assume(void) {
  struct clew_program *p = clew_program_open("assume", "test");
  ir_place x = ir_var(p, "x", ir_int(p, 0, 4)), u = ir_var(p, "u", ir_maybe(p, 0, 1));
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameter;
  ir_place v = ir_parameter(p, frame, "v", ir_range(p, 1, 4), &parameter);
  struct clew_rule start = ir_rule("Start", NULL, ir_set(p, x, ir_load(p, v)));
  clew_program_add_family(p, true, frame, &parameter, 1, &start, 1);

  frame = clew_program_add_frame(p);
  v = ir_parameter(p, frame, "v", ir_range(p, 0, 4), &parameter);
  ir_expr not_four = ir_bin(p, CLEW_OP_NE, ir_load(p, v), ir_num(p, 4));
  /* with v = 4, the division is never a fault: the successor is discarded before */
  ir_expr quotient =
      ir_bin(p, CLEW_OP_DIV, ir_num(p, 4), ir_bin(p, CLEW_OP_SUB, ir_load(p, v), ir_num(p, 4)));
  ir_expr four = ir_bin(p, CLEW_OP_LT, quotient, ir_num(p, 9));
  ir_expr one_and_unknown = ir_bin(p, CLEW_OP_AND, ir_is(p, x, 1), ir_is(p, u, 0));
  struct clew_rule rule = ir_rule(
      "Any", NULL,
      IR_LIST(ir_on_value(p, CLEW_STMT_ASSUME, not_four), ir_on_value(p, CLEW_STMT_ASSERT, four),
              ir_cover(p, ir_is(p, v, 2)), ir_cover(p, one_and_unknown),
              ir_cover(p, ir_is(p, x, 1)), ir_set(p, x, ir_load(p, v))));
  clew_program_add_family(p, false, frame, &parameter, 1, &rule, 1);
  ir_plain(p, NULL, "Set", NULL, ir_set_num(p, u, 0));
  ir_plain(p, NULL, "Return", NULL,
           IR_LIST(ir_cover(p, ir_num(p, 1)), clew_stmt_new(p, CLEW_STMT_RETURN),
                   ir_cover(p, ir_num(p, 1))));

  ir_expr not_three = ir_bin(p, CLEW_OP_NE, ir_load(p, x), ir_num(p, 3));
  ir_expr known =
      ir_bin(p, CLEW_OP_OR, ir_bin(p, CLEW_OP_NE, ir_load(p, x), ir_num(p, 0)), ir_is(p, u, 0));
  uint32_t labels[] = {ir_label(p, "not three", NULL, not_three),
                       ir_label(p, "known", NULL, known)};
  clew_vec_push(&p->assumptions, labels[0]);
  clew_vec_push(&p->assumptions, labels[1]);
  return ir_finish(p);
}

/* Which error is the first. a : array [1..2] of 0..3; u, w : 0..9 or undefined, never set; full :
 * multiset [1] of 0..3. Each rule has two or more errors; its name tells which one counts. */
static inline struct clew_program *ir_build_order(void) {
  struct clew_program *p = clew_program_open("order", "test");
  const struct clew_type *type = ir_int(p, 0, 3);
  ir_place a = ir_var(p, "a", clew_type_array(p->arena, ir_range(p, 1, 2), type));
  ir_place n = ir_var(p, "n", ir_int(p, 0, 9)), u = ir_var(p, "u", ir_maybe(p, 0, 9));
  ir_place w = ir_var(p, "w", ir_maybe(p, 0, 9));
  ir_place full = ir_var(p, "full", clew_type_bag(p->arena, 1, type));
  ir_start(p, NULL, IR_LIST(ir_set_num(p, n, 7), ir_bag_add(p, full, ir_at(p, a, ir_num(p, 1)))));
  ir_expr n_value = ir_load(p, n), u_value = ir_load(p, u);
  ir_expr w_value = clew_expr_load(p, w, IR_SITE(p, UNDEFINED, "w is undefined"));
  ir_expr by_zero = ir_bin(p, CLEW_OP_DIV, n_value, ir_bin(p, CLEW_OP_SUB, n_value, n_value));
  ir_place a_n = ir_at(p, a, n_value), a_u = ir_at(p, a, u_value);

  ir_plain(p, NULL, "division", NULL, ir_set(p, a_n, by_zero)); /* before index */
  ir_plain(p, NULL, "index", NULL, ir_set(p, a_n, n_value));    /* before range */
  ir_plain(p, NULL, "range", NULL,
           IR_LIST(ir_set(p, ir_at(p, a, ir_num(p, 1)), n_value), ir_set(p, a_n, n_value)));
  ir_plain(p, NULL, "undefined", NULL, ir_set(p, a_n, ir_load(p, a_u)));
  ir_plain(p, NULL, "w is undefined", NULL, ir_copy(p, a_u, ir_at(p, a, w_value)));
  ir_plain(p, NULL, "w is undefined", NULL, ir_bag_add(p, full, ir_at(p, a, w_value)));
  ir_plain(p, NULL, "full", NULL,
           IR_LIST(ir_bag_add(p, full, ir_at(p, a, ir_num(p, 2))), ir_set(p, a_n, n_value)));
  ir_plain(p, NULL, "undefined", clew_expr_equal(p, a_u, a_n), NULL);
  ir_plain(p, NULL, "w is undefined", ir_bin(p, CLEW_OP_EQ, w_value, u_value), NULL);

  /* values before references; a call that is not entered does not assert */
  struct clew_reference ref[] = {{"x", CLEW_SPACE_STATE, type}};
  const struct clew_type *wide = ir_int(p, 0, 9);
  struct clew_function *f = ir_function(p, "f", wide, (const struct clew_type *const[]){wide, wide},
                                        2, clew_arena_copy(p->arena, ref, 1, sizeof *ref), 1);
  f->body = IR_LIST(ir_on_value(p, CLEW_STMT_ASSERT, ir_num(p, 0)),
                    ir_on_value(p, CLEW_STMT_RETURN, ir_num(p, 9)));
  ir_place a_1 = ir_at(p, a, ir_num(p, 1));
  ir_plain(p, NULL, "w is undefined", NULL,
           ir_call_stmt(p, ir_call(p, f, (ir_expr[]){w_value, u_value}, &a_n)));
  ir_plain(p, NULL, "index", NULL,
           ir_call_stmt(p, ir_call(p, f, (ir_expr[]){n_value, n_value}, &a_n)));
  ir_plain(p, NULL, "assertion", NULL,
           ir_set(p, a_n, clew_expr_call(p, ir_call(p, f, (ir_expr[]){n_value, n_value}, &a_1))));

  /* a loop that is cut short by the fault in its first round, and one that is not entered */
  struct clew_frame *frame = clew_program_add_frame(p);
  ir_place i = ir_local(frame, "i", wide);
  ir_plain(p, frame, "undefined", NULL,
           IR_LIST(ir_for(p, i, ir_num(p, 0), ir_num(p, 9), 1, ir_set(p, n, u_value)),
                   ir_while(p, ir_num(p, 1), 5, NULL)));
  ir_plain(p, frame, "w is undefined", NULL,
           ir_for(p, i, w_value, u_value, 1, ir_on_value(p, CLEW_STMT_ASSERT, ir_num(p, 0))));
  ir_expr bad = ir_bin(p, CLEW_OP_EQ, u_value, ir_load(p, i));
  ir_plain(p, frame, "undefined", NULL, ir_set(p, n, ir_quantify(p, CLEW_OP_COUNT, i, 0, 9, bad)));
  return ir_finish(p);
}

/* Wide cells that fill words exactly, a domain of one value, negative ranges: w : all integers,
 * k : 5..5, neg : -3..-1 or undefined, big : 0..2^62. Flip: w := -w; Grow: w := w + 2^62; Neg(v):
 * neg := v; Big: big := 2^62; Const: k := k; One: !(neg < k) ==> nothing. */
static inline struct clew_program *ir_build_layout(void) {
  struct clew_program *p = clew_program_open("layout", "test");
  ir_place w = ir_var(p, "w", ir_int(p, INT64_MIN + 1, INT64_MAX));
  ir_place k = ir_var(p, "k", ir_int(p, 5, 5));
  ir_place neg = ir_var(p, "neg", ir_maybe(p, -3, -1));
  ir_place big = ir_var(p, "big", ir_int(p, 0, INT64_C(1) << 62));
  ir_place one = ir_var(p, "one", ir_maybe(p, 9, 9));
  ir_start(p, NULL, IR_LIST(ir_set_num(p, w, 1), ir_on_place(p, CLEW_STMT_CLEAR, one)));
  ir_plain(p, NULL, "Flip", NULL,
           ir_set(p, w, clew_expr_unary(p, CLEW_OP_NEG, ir_load(p, w), CLEW_NONE)));
  ir_plain(p, NULL, "Grow", NULL,
           ir_set(p, w, ir_bin(p, CLEW_OP_ADD, ir_load(p, w), ir_num(p, INT64_C(1) << 62))));
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameter;
  ir_place v = ir_parameter(p, frame, "v", ir_range(p, -3, -2), &parameter);
  struct clew_rule rule = ir_rule("Neg", NULL, ir_set(p, neg, ir_load(p, v)));
  clew_program_add_family(p, false, frame, &parameter, 1, &rule, 1);
  ir_plain(p, NULL, "Big", NULL, ir_set_num(p, big, INT64_C(1) << 62));
  ir_plain(p, NULL, "Const", NULL,
           IR_LIST(ir_set(p, k, ir_load(p, k)), ir_set(p, one, clew_expr_undefined(p))));
  ir_plain(p, NULL, "Less", ir_bin(p, CLEW_OP_LT, ir_load(p, neg), ir_load(p, k)), NULL);
  return ir_finish(p);
}

/* ---- A function that discards, called where no successor is made ------------------------------
 */

/* x : 0..2. f(): assume x != 1; return x != 2. First: f() ==> nothing; Second (lower priority): x
 * := 0. Invariant f(). */
static inline struct clew_program *ir_build_discarding(void) {
  struct clew_program *p = clew_program_open("discarding", "test");
  ir_place x = ir_var(p, "x", ir_int(p, 0, 2));
  ir_start(p, NULL, NULL);
  struct clew_function *f = ir_function(p, "f", ir_int(p, 0, 1), NULL, 0, NULL, 0);
  ir_expr not_one = ir_bin(p, CLEW_OP_NE, ir_load(p, x), ir_num(p, 1));
  ir_expr not_two = ir_bin(p, CLEW_OP_NE, ir_load(p, x), ir_num(p, 2));
  f->body =
      IR_LIST(ir_on_value(p, CLEW_STMT_ASSUME, not_one), ir_on_value(p, CLEW_STMT_RETURN, not_two));
  ir_expr call = clew_expr_call(p, ir_call(p, f, NULL, NULL));
  struct clew_rule rules[] = {ir_rule("First", call, NULL),
                              ir_rule("Second", NULL, ir_set_num(p, x, 0))};
  rules[1].priority = 1;
  clew_program_add_family(p, false, clew_program_add_frame(p), NULL, 0, rules, 2);
  ir_invariant(p, "f", ir_label(p, "f", NULL, call));
  return ir_finish(p);
}

/* n : 0..9; Up: for i := MAX - 2 to MAX by 2 do n := n + 1, by 1, and down; the next value of i
 * does not exist. */
static inline struct clew_program *ir_build_extremes(void) {
  struct clew_program *p = clew_program_open("extremes", "test");
  ir_place n = ir_var(p, "n", ir_int(p, 0, 9));
  ir_start(p, NULL, NULL);
  struct clew_frame *frame = clew_program_add_frame(p);
  ir_place i = ir_local(frame, "i", ir_int(p, INT64_MIN + 1, INT64_MAX));
  const int64_t loops[][3] = {{INT64_MAX - 2, INT64_MAX, 2},
                              {INT64_MAX - 2, INT64_MAX, 1},
                              {INT64_MIN + 3, INT64_MIN + 1, -1},
                              {INT64_MIN + 1, INT64_MAX, INT64_MAX},
                              {INT64_MAX, INT64_MIN + 1, INT64_MIN + 1}};
  for (uint32_t k = 0; k < IR_COUNT(loops); k++) {
    ir_expr from = ir_num(p, loops[k][0]), to = ir_num(p, loops[k][1]);
    ir_expr true_for_i = ir_bin(p, CLEW_OP_EQ, ir_load(p, i), ir_load(p, i));
    ir_plain(p, frame, "Loop", NULL,
             ir_for(p, i, from, to, loops[k][2],
                    ir_set(p, n, ir_bin(p, CLEW_OP_ADD, ir_load(p, n), ir_num(p, 1)))));
    ir_plain(
        p, frame, "Quantify", NULL,
        ir_set(p, n,
               clew_expr_quantify(p, CLEW_OP_COUNT, i.base, from, to, loops[k][2], true_for_i)));
  }
  return ir_finish(p);
}

/* ---- Frames -----------------------------------------------------------------------------------
 */

/* x : 0..1 or undefined. Every guard and every body starts with its local t undefined, whatever
 * others and the guard itself did to theirs: Use(i, j): x := t, t := 1, if j = 1 then x := 1;
 * Let(i, j), let t = j in t = j ==> x := t; Refer(i, j), fresh(t) ==> x := t, where fresh(ref t)
 * sets t and tells whether it was undefined. The local stands between the parameters. */
static inline struct clew_program *ir_build_fresh_frames(void) {
  struct clew_program *p = clew_program_open("fresh frames", "test");
  const struct clew_type *type = ir_maybe(p, 0, 1);
  ir_place x = ir_var(p, "x", type);
  ir_start(p, NULL, ir_set_num(p, x, 0));
  struct clew_reference ref[] = {{"t", CLEW_SPACE_FRAME, type}};
  struct clew_function *fresh = ir_function(p, "fresh", ir_int(p, 0, 1), NULL, 0,
                                            clew_arena_copy(p->arena, ref, 1, sizeof *ref), 1);
  ir_place r = ir_local(fresh->frame, "r", ir_int(p, 0, 1));
  fresh->body = IR_LIST(ir_set(p, r, clew_expr_is_undefined(p, clew_place_ref(fresh, 0))),
                        ir_set_num(p, clew_place_ref(fresh, 0), 1),
                        ir_on_value(p, CLEW_STMT_RETURN, ir_load(p, r)));

  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameters[2];
  ir_parameter(p, frame, "i", ir_range(p, 0, 1), &parameters[0]);
  ir_place t = ir_local(frame, "t", type);
  ir_place j = ir_parameter(p, frame, "j", ir_range(p, 0, 1), &parameters[1]);
  ir_expr same = ir_bin(p, CLEW_OP_EQ, ir_load(p, t), ir_load(p, j));
  const struct clew_rule rules[] = {
      ir_rule("Use", NULL,
              IR_LIST(ir_set(p, x, clew_expr_load_raw(p, t)), ir_set_num(p, t, 1),
                      ir_if(p, ir_is(p, j, 1), ir_set_num(p, x, 1), NULL))),
      ir_rule("Let", clew_expr_let(p, t.base, ir_load(p, j), same),
              ir_set(p, x, clew_expr_load_raw(p, t))),
      ir_rule("Refer", clew_expr_call(p, ir_call(p, fresh, NULL, &t)),
              ir_set(p, x, clew_expr_load_raw(p, t)))};
  clew_program_add_family(p, false, frame, parameters, 2, rules, 3);
  return ir_finish(p);
}

/* Speed: n counters 0..9 in an array; Inc(i), c[i] < 9: c[i] := c[i] + 1. 10^n states. */
static inline struct clew_program *ir_build_counters(uint32_t n) {
  struct clew_program *p = clew_program_open("counters", "test");
  const struct clew_domain *index = ir_range(p, 1, n);
  ir_place c = ir_var(p, "c", clew_type_array(p->arena, index, ir_maybe(p, 0, 9)));
  ir_start(p, NULL, ir_on_place(p, CLEW_STMT_CLEAR, c));
  struct clew_frame *frame = clew_program_add_frame(p);
  struct clew_parameter parameter;
  ir_place i = ir_parameter(p, frame, "i", index, &parameter);
  ir_place c_i = ir_at(p, c, ir_load(p, i));
  struct clew_rule rule =
      ir_rule("Inc", ir_bin(p, CLEW_OP_LT, ir_load(p, c_i), ir_num(p, 9)),
              ir_set(p, c_i, ir_bin(p, CLEW_OP_ADD, ir_load(p, c_i), ir_num(p, 1))));
  clew_program_add_family(p, false, frame, &parameter, 1, &rule, 1);
  return ir_finish(p);
}

static inline struct clew_program *ir_build_counters_3(void) {
  return ir_build_counters(3);
}

struct ir_fixture {
  const char *name;
  struct clew_program *(*build)(void);
};

static const struct ir_fixture ir_fixtures[] = {
    {"counter", ir_build_counter},
    {"undefined", ir_build_undefined},
    {"mutex", ir_build_mutex},
    {"references", ir_build_references},
    {"recursion", ir_build_recursion},
    {"loops", ir_build_loops},
    {"bag", ir_build_bag},
    {"nested bags", ir_build_nested_bags},
    {"priorities", ir_build_priorities},
    {"arithmetic", ir_build_arithmetic},
    {"quantifiers", ir_build_quantifiers},
    {"blocks", ir_build_blocks},
    {"overlap", ir_build_overlap},
    {"assume", ir_build_assume},
    {"order", ir_build_order},
    {"layout", ir_build_layout},
    {"discarding", ir_build_discarding},
    {"extremes", ir_build_extremes},
    {"fresh frames", ir_build_fresh_frames},
    {"counters", ir_build_counters_3},
};
#define IR_FIXTURE_COUNT IR_COUNT(ir_fixtures)

#endif
