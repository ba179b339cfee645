/* Shorthands for building programs by hand. The names of sites, by which tests find them, are the
 * messages given here: "range", "index", "undefined" and so on. */
#ifndef CLEW_TESTS_IR_BUILD_H
#define CLEW_TESTS_IR_BUILD_H

#include <stdio.h>
#include <stdlib.h>

#include "ir/ir.h"

typedef const struct clew_expr *ir_expr;
typedef struct clew_place ir_place;

#define IR_COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

/* A list of statements from a NULL-terminated sequence. */
#define IR_LIST(...) ir_list((struct clew_stmt *[]){__VA_ARGS__, NULL})

/* A site: kind and a message of one word, so that tests can find it by name. */
#define IR_SITE(p, kind, word)                                                                     \
  clew_program_add_site((p), CLEW_SITE_##kind, (struct clew_position){1, 1}, "%s", word)

static inline const struct clew_domain *ir_named(struct clew_program *p, int64_t lo, int64_t hi,
                                                 const char *const *names) {
  struct clew_domain *domain = CLEW_NEW(p->arena, struct clew_domain);
  *domain = (struct clew_domain){.lo = lo, .hi = hi, .names = names};
  return domain;
}

static inline const struct clew_domain *ir_range(struct clew_program *p, int64_t lo, int64_t hi) {
  return ir_named(p, lo, hi, NULL);
}

static inline const struct clew_type *ir_int(struct clew_program *p, int64_t lo, int64_t hi) {
  return clew_type_scalar(p->arena, ir_range(p, lo, hi), false);
}

static inline const struct clew_type *ir_maybe(struct clew_program *p, int64_t lo, int64_t hi) {
  return clew_type_scalar(p->arena, ir_range(p, lo, hi), true);
}

static inline const struct clew_type *ir_pair(struct clew_program *p, const struct clew_type *a,
                                              const struct clew_type *b) {
  static const char *const names[] = {"a", "b"};
  return clew_type_record(p->arena, names, (const struct clew_type *const[]){a, b}, 2);
}

static inline ir_place ir_var(struct clew_program *p, const char *name,
                              const struct clew_type *type) {
  return clew_place_state(p, clew_program_add_variable(p, name, type));
}

static inline ir_place ir_local(struct clew_frame *frame, const char *name,
                                const struct clew_type *type) {
  return clew_place_frame(frame, clew_frame_add(frame, name, type));
}

static inline ir_expr ir_num(struct clew_program *p, int64_t value) {
  return clew_expr_const(p, value);
}

static inline ir_expr ir_load(struct clew_program *p, ir_place place) {
  return clew_expr_load(p, place, IR_SITE(p, UNDEFINED, "undefined"));
}

static inline uint32_t ir_op_site(struct clew_program *p, enum clew_op op) {
  if (op == CLEW_OP_DIV || op == CLEW_OP_MOD)
    return IR_SITE(p, DIVISION, "division");
  return IR_SITE(p, OVERFLOW, "overflow");
}

static inline ir_expr ir_bin(struct clew_program *p, enum clew_op op, ir_expr a, ir_expr b) {
  return clew_expr_binary(p, op, a, b, ir_op_site(p, op));
}

static inline ir_expr ir_is(struct clew_program *p, ir_place place, int64_t value) {
  return ir_bin(p, CLEW_OP_EQ, ir_load(p, place), ir_num(p, value));
}

static inline ir_place ir_at(struct clew_program *p, ir_place array, ir_expr index) {
  return clew_place_index(p, array, index, IR_SITE(p, INDEX, "index"));
}

static inline struct clew_stmt *ir_set(struct clew_program *p, ir_place place, ir_expr value) {
  return clew_stmt_assign(p, place, value, IR_SITE(p, RANGE, "range"));
}

static inline struct clew_stmt *ir_set_num(struct clew_program *p, ir_place place, int64_t value) {
  return ir_set(p, place, ir_num(p, value));
}

static inline struct clew_stmt *ir_on_place(struct clew_program *p, enum clew_stmt_kind kind,
                                            ir_place place) {
  struct clew_stmt *stmt = clew_stmt_new(p, kind);
  stmt->place = place;
  return stmt;
}

static inline struct clew_stmt *ir_copy(struct clew_program *p, ir_place to, ir_place from) {
  struct clew_stmt *stmt = ir_on_place(p, CLEW_STMT_COPY, to);
  stmt->place2 = from;
  return stmt;
}

static inline struct clew_stmt *ir_bag_add(struct clew_program *p, ir_place bag, ir_place from) {
  struct clew_stmt *stmt = ir_on_place(p, CLEW_STMT_BAG_ADD, bag);
  stmt->place2 = from;
  stmt->site = IR_SITE(p, CAPACITY, "full");
  return stmt;
}

static inline struct clew_stmt *ir_bag_remove(struct clew_program *p, ir_place bag, ir_expr at) {
  struct clew_stmt *stmt = ir_on_place(p, CLEW_STMT_BAG_REMOVE, bag);
  stmt->value = at;
  return stmt;
}

/* ASSERT, ASSUME, RETURN */
static inline struct clew_stmt *ir_on_value(struct clew_program *p, enum clew_stmt_kind kind,
                                            ir_expr value) {
  struct clew_stmt *stmt = clew_stmt_new(p, kind);
  stmt->value = value;
  if (kind == CLEW_STMT_ASSERT)
    stmt->site = IR_SITE(p, ASSERTION, "assertion");
  return stmt;
}

static inline struct clew_stmt *ir_cover(struct clew_program *p, ir_expr value) {
  struct clew_stmt *stmt = ir_on_value(p, CLEW_STMT_COVER, value);
  char name[32];
  snprintf(name, sizeof name, "cover %u", p->cover_count);
  stmt->cell = p->cover_count++;
  clew_program_add_property(p, CLEW_PROPERTY_COVER, clew_arena_printf(p->arena, "%s", name),
                            (struct clew_position){1, 1}, stmt->cell, true);
  return stmt;
}

static inline struct clew_stmt *ir_list(struct clew_stmt *const *stmts) {
  struct clew_list list = {0};
  for (; *stmts != NULL; stmts++)
    clew_list_add(&list, *stmts);
  return list.first;
}

static inline struct clew_stmt *ir_if(struct clew_program *p, ir_expr value,
                                      const struct clew_stmt *body,
                                      const struct clew_stmt *otherwise) {
  struct clew_stmt *stmt = ir_on_value(p, CLEW_STMT_IF, value);
  stmt->body = body;
  stmt->otherwise = otherwise;
  return stmt;
}

static inline struct clew_stmt *ir_while(struct clew_program *p, ir_expr value, uint64_t limit,
                                         const struct clew_stmt *body) {
  struct clew_stmt *stmt = ir_on_value(p, CLEW_STMT_WHILE, value);
  stmt->limit = limit;
  stmt->body = body;
  stmt->site = IR_SITE(p, LOOP, "loop");
  return stmt;
}

/* The variable is a scalar of the frame. */
static inline struct clew_stmt *ir_for(struct clew_program *p, ir_place variable, ir_expr from,
                                       ir_expr to, int64_t step, const struct clew_stmt *body) {
  struct clew_stmt *stmt = ir_on_value(p, CLEW_STMT_FOR, from);
  stmt->value2 = to;
  stmt->step = step;
  stmt->cell = variable.base;
  stmt->body = body;
  return stmt;
}

static inline ir_expr ir_quantify(struct clew_program *p, enum clew_op op, ir_place variable,
                                  int64_t from, int64_t to, ir_expr body) {
  return clew_expr_quantify(p, op, variable.base, ir_num(p, from), ir_num(p, to), 1, body);
}

/* The function gets a body later. `values` are the types of its value parameters. */
static inline struct clew_function *
ir_function(struct clew_program *p, const char *name, const struct clew_type *result,
            const struct clew_type *const *values, uint32_t value_count,
            const struct clew_reference *references, uint32_t reference_count) {
  struct clew_function *function = clew_program_add_function(p, name);
  if (function->frame == NULL)
    function->frame = clew_program_add_frame(p);
  for (uint32_t i = 0; i < value_count; i++)
    clew_frame_add(function->frame, "value", values[i]);
  function->value_count = value_count;
  function->references = references;
  function->reference_count = reference_count;
  function->result = result;
  function->no_result_site = result != NULL ? IR_SITE(p, ASSERTION, "no result") : CLEW_NONE;
  return function;
}

static inline const struct clew_call *ir_call(struct clew_program *p,
                                              const struct clew_function *function,
                                              const ir_expr *values, const ir_place *refs) {
  struct clew_call *call = CLEW_NEW(p->arena, struct clew_call);
  *call = (struct clew_call){
      .function = function,
      .values = clew_arena_copy(p->arena, values, function->value_count, sizeof *values),
      .refs = clew_arena_copy(p->arena, refs, function->reference_count, sizeof *refs),
      .site = IR_SITE(p, RECURSION, "recursion")};
  return call;
}

static inline struct clew_stmt *ir_call_stmt(struct clew_program *p, const struct clew_call *call) {
  struct clew_stmt *stmt = clew_stmt_new(p, CLEW_STMT_CALL);
  stmt->call = call;
  return stmt;
}

/* A parameter of a family that is being built on this frame. */
static inline ir_place ir_parameter(struct clew_program *p, struct clew_frame *frame,
                                    const char *name, const struct clew_domain *domain,
                                    struct clew_parameter *parameter) {
  ir_place place = ir_local(frame, name, clew_type_scalar(p->arena, domain, false));
  *parameter = (struct clew_parameter){.name = name, .cell = place.base, .domain = domain};
  return place;
}

static inline struct clew_rule ir_rule(const char *name, ir_expr guard,
                                       const struct clew_stmt *body) {
  return (struct clew_rule){.name = name, .guard = guard, .body = body};
}

static inline void ir_start(struct clew_program *p, struct clew_frame *frame,
                            const struct clew_stmt *body) {
  struct clew_rule rule = ir_rule("Start", NULL, body);
  if (frame == NULL)
    frame = clew_program_add_frame(p);
  clew_program_add_family(p, true, frame, NULL, 0, &rule, 1);
}

/* A family of one rule without parameters. */
static inline void ir_plain(struct clew_program *p, struct clew_frame *frame, const char *name,
                            ir_expr guard, const struct clew_stmt *body) {
  struct clew_rule rule = ir_rule(name, guard, body);
  if (frame == NULL)
    frame = clew_program_add_frame(p);
  clew_program_add_family(p, false, frame, NULL, 0, &rule, 1);
}

static inline uint32_t ir_label(struct clew_program *p, const char *name, struct clew_frame *frame,
                                ir_expr value) {
  if (frame == NULL)
    frame = clew_program_add_frame(p);
  return clew_program_add_label(p, name, (struct clew_position){1, 1}, frame, value);
}

static inline void ir_invariant(struct clew_program *p, const char *name, uint32_t label) {
  clew_program_add_property(p, CLEW_PROPERTY_INVARIANT, name, (struct clew_position){1, 1}, label,
                            false);
}

static inline struct clew_program *ir_finish(struct clew_program *p) {
  struct clew_diag_sink diags = {0};
  enum clew_status status = clew_program_finish(p, &diags);
  for (uint32_t i = 0; i < diags.len; i++)
    fprintf(stderr, "%s: %s\n", p->name, diags.data[i].message);
  clew_diag_sink_free(&diags);
  const char *why = NULL;
  if (status != CLEW_OK || !clew_program_check(p, &why)) {
    fprintf(stderr, "%s: %s\n", p->name, why != NULL ? why : "not finished");
    abort();
  }
  return p;
}

#endif
