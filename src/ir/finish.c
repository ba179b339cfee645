/* The end of building a program: what the whole of it decides. Everything is checked against its
 * limit before it is used, and counts that hostile models can make astronomic are saturating. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "ir/ir_int.h"
#include "ir/walk.h"

/* ---- Size and depth ----------------------------------------------------------------------- */

struct measure {
  struct clew_walk walk;
  uint64_t nodes;
  bool too_deep;
};

static struct measure *measure_of(struct clew_walk *walk) {
  return (struct measure *)((char *)walk - offsetof(struct measure, walk));
}

static void measure_stmt(struct clew_walk *walk, const struct clew_stmt *stmt) {
  assert(stmt != NULL);
  measure_of(walk)->nodes++;
}

/* Expressions know their own measures: there is no need (and, when subexpressions are shared, no
 * time) to look inside. */
static bool measure_expr(struct clew_walk *walk, const struct clew_expr *expr, bool raw) {
  (void)raw;
  struct measure *measure = measure_of(walk);
  assert(expr->depth > 0 && expr->size > 0);
  measure->nodes += expr->size;
  measure->too_deep |= expr->depth + walk->depth > CLEW_MAX_DEPTH;
  return false;
}

static enum clew_status check_size(const struct clew_program *program,
                                   struct clew_diag_sink *diags) {
  struct measure measure = {
      .walk = {.program = program, .stmt = measure_stmt, .expr = measure_expr}};
  clew_walk_program(&measure.walk);
  assert(measure.walk.depth == 0);
  if (measure.too_deep || measure.walk.too_deep) {
    clew_diag_plain(diags, CLEW_ERROR, program->name,
                    "statements or expressions are nested more than %d deep", CLEW_MAX_DEPTH);
    return CLEW_OVER_LIMIT;
  }
  if (measure.nodes > CLEW_MAX_NODES) {
    clew_diag_plain(diags, CLEW_ERROR, program->name,
                    "rules and functions have %" PRIu64 " operations; the limit is %d",
                    measure.nodes, CLEW_MAX_NODES);
    return CLEW_OVER_LIMIT;
  }
  return CLEW_OK;
}

/* ---- Edges -------------------------------------------------------------------------------- */

static uint64_t saturating_mul(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t instances_of(const struct clew_family *family) {
  uint64_t count = family->rule_count > 0;
  for (uint32_t i = 0; i < family->parameter_count; i++) {
    assert(family->parameters[i].domain != NULL);
    count = saturating_mul(count, clew_domain_size(family->parameters[i].domain));
  }
  return count;
}

/* Numbers the edges of the families in order; *count becomes their number. */
static enum clew_status number_edges(const struct clew_program *program, const char *what,
                                     struct clew_family **families, uint32_t family_count,
                                     uint32_t *count, struct clew_diag_sink *diags) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < family_count; i++) {
    uint64_t instances = instances_of(families[i]);
    uint64_t edges = saturating_mul(instances, families[i]->rule_count);
    if (total <= CLEW_MAX_EDGES && edges <= CLEW_MAX_EDGES) {
      families[i]->first_edge = (uint32_t)total;
      families[i]->instance_count = (uint32_t)instances;
    }
    total = edges > UINT64_MAX - total ? UINT64_MAX : total + edges;
  }
  if (total > CLEW_MAX_EDGES) {
    clew_diag_plain(diags, CLEW_ERROR, program->name,
                    "%s have %s%" PRIu64 " instances; the limit is %d", what,
                    total == UINT64_MAX ? "at least " : "", total, CLEW_MAX_EDGES);
    return CLEW_OVER_LIMIT;
  }
  *count = (uint32_t)total;
  return CLEW_OK;
}

static uint32_t number_rules(struct clew_family **families, uint32_t count, uint32_t first) {
  for (uint32_t i = 0; i < count; i++) {
    assert(families[i]->rules != NULL || families[i]->rule_count == 0);
    for (uint32_t j = 0; j < families[i]->rule_count; j++) {
      families[i]->rules[j].index = first++;
    }
  }
  return first;
}

/* ---- Properties --------------------------------------------------------------------------- */

/* The k-th of equal names becomes "name (k)", or the next k that is free. The number kept with each
 * name is the k to try next. */
static void make_names_unique(struct clew_program *program) {
  struct clew_names *names = clew_names_open();
  struct clew_text text = {0};
  for (uint32_t i = 0; i < program->properties.len; i++) {
    struct clew_property *property = &program->properties.data[i];
    uint32_t k = *clew_names_at(names, program->arena, property->name);
    if (k > 0) {
      do {
        clew_text_clear(&text);
        clew_text_printf(&text, "%s (%u)", property->name, ++k);
      } while (*clew_names_at(names, program->arena, text.data) > 0);
      *clew_names_at(names, program->arena, property->name) = k;
      property->name = clew_arena_strndup(program->arena, text.data, text.len);
    }
    *clew_names_at(names, program->arena, property->name) = 1;
  }
  assert(program->properties.len > 0);
  clew_text_free(&text);
  clew_names_close(names);
}

static void add_implicit_properties(struct clew_program *program) {
  struct clew_property implicit[] = {
      {.kind = CLEW_PROPERTY_DEADLOCK,
       .name = "deadlock",
       .label = CLEW_NONE,
       .query = program->deadlock_query,
       .option = program->deadlock_option},
      {.kind = CLEW_PROPERTY_FAULT,
       .name = "assertions",
       .label = CLEW_NONE,
       .is_incidental = program->faults_are_incidental},
  };
  const uint32_t first = program->ignores_deadlock;
  const uint32_t n = sizeof implicit / sizeof *implicit - first;
  clew_vec_reserve(&program->properties, program->properties.len + n);
  struct clew_property *data = program->properties.data;
  memmove(data + n, data, program->properties.len * sizeof *data);
  memcpy(data, implicit + first, n * sizeof *implicit);
  program->properties.len += n;
}

/* ---- The whole ---------------------------------------------------------------------------- */

/* An assertion about the front end, with its reason. */
static void check_sound(const struct clew_program *program) {
#ifndef NDEBUG
  const char *why;
  if (!clew_program_check(program, &why)) {
    struct clew_text text = {0};
    clew_text_printf(&text, "internal error: ill-formed program for %s: %s", program->name, why);
    clew_fatal(text.data);
  }
#else
  (void)program;
#endif
}

enum clew_status clew_program_finish(struct clew_program *program, struct clew_diag_sink *diags) {
  assert(program->slots == NULL && program->site_names != NULL);
  enum clew_status status = check_size(program, diags);
  if (status == CLEW_OK) {
    status = number_edges(program, "start states", program->starts.data, program->starts.len,
                          &program->initial_count, diags);
  }
  if (status == CLEW_OK) {
    status = number_edges(program, "rules", program->families.data, program->families.len,
                          &program->edge_count, diags);
  }
  if (status == CLEW_OK) {
    status = clew_layout(program, diags);
  }
  if (status != CLEW_OK) {
    return status;
  }
  program->rule_count = number_rules(program->families.data, program->families.len, 0);
  number_rules(program->starts.data, program->starts.len, program->rule_count);
  add_implicit_properties(program);
  make_names_unique(program);
  clew_program_place_polls(program);
  clew_names_close(program->site_names);
  program->site_names = NULL;
  clew_expr_table_close(program->exprs);
  program->exprs = NULL;
  clew_interp_plan(program);
  check_sound(program);
  return CLEW_OK;
}
