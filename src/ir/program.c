/* Building a program: the functions front ends add things with, and the numbering of edges. */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "ir/ir_int.h"

struct clew_program *clew_program_open(const char *name, const char *language) {
  assert(name != NULL && language != NULL);
  struct clew_program *program = clew_alloc_zero(1, sizeof *program);
  program->arena = clew_arena_open();
  program->name = clew_arena_strndup(program->arena, name, strlen(name));
  program->language = clew_arena_strndup(program->arena, language, strlen(language));
  program->site_names = clew_names_open();
  program->exprs = clew_expr_table_open();
  program->stop = &clew_never;
  return program;
}

void clew_program_close(struct clew_program *program) {
  if (program == NULL) {
    return;
  }
  assert(program->arena != NULL);
  for (uint32_t i = 0; i < program->frames.len; i++) {
    clew_vec_free(&program->frames.data[i]->variables);
  }
  clew_vec_free(&program->variables);
  clew_vec_free(&program->functions);
  clew_vec_free(&program->starts);
  clew_vec_free(&program->families);
  clew_vec_free(&program->labels);
  clew_vec_free(&program->assumptions);
  clew_vec_free(&program->properties);
  clew_vec_free(&program->unchecked);
  clew_vec_free(&program->declared);
  clew_vec_free(&program->sites);
  clew_vec_free(&program->frames);
  clew_vec_free(&program->bags);
  clew_vec_free(&program->queues);
  clew_vec_free(&program->scalarsets);
  clew_vec_free(&program->copies);
  clew_names_close(program->site_names);
  clew_expr_table_close(program->exprs);
  clew_arena_close(program->arena);
  clew_free(program);
}

uint32_t clew_program_add_variable(struct clew_program *program, const char *name,
                                   const struct clew_type *type) {
  assert(name != NULL && type != NULL && program->slots == NULL);
  uint32_t cell = 0;
  if (program->variables.len > 0) {
    const struct clew_variable *last = &clew_vec_last(&program->variables);
    cell = last->cell + last->type->cells;
  }
  /* Beyond the limit numbers mean nothing (finish refuses the program) but must not wrap. */
  cell = cell < CLEW_MAX_CELLS ? cell : CLEW_MAX_CELLS;
  struct clew_variable variable = {.name = name, .type = type, .cell = cell};
  clew_vec_push(&program->variables, variable);
  return program->variables.len - 1;
}

uint32_t clew_program_add_signal(struct clew_program *program, const char *name,
                                 const struct clew_type *type) {
  uint32_t variable = clew_program_add_variable(program, name, type);
  program->variables.data[variable].is_signal = true;
  return variable;
}

struct clew_frame *clew_program_add_frame(struct clew_program *program) {
  struct clew_frame *frame = CLEW_NEW(program->arena, struct clew_frame);
  assert(frame != NULL);
  clew_vec_push(&program->frames, frame);
  return frame;
}

uint32_t clew_frame_add(struct clew_frame *frame, const char *name, const struct clew_type *type) {
  assert(name != NULL && type != NULL && frame->cells <= CLEW_MAX_CELLS);
  if (type->cells > CLEW_MAX_CELLS - frame->cells) {
    return CLEW_NONE;
  }
  struct clew_variable variable = {.name = name, .type = type, .cell = frame->cells};
  clew_vec_push(&frame->variables, variable);
  frame->cells += type->cells;
  return frame->variables.len - 1;
}

struct clew_function *clew_program_add_function(struct clew_program *program, const char *name) {
  assert(name != NULL);
  struct clew_function *function = CLEW_NEW(program->arena, struct clew_function);
  function->name = name;
  function->index = program->functions.len;
  function->frame = clew_program_add_frame(program);
  function->no_result_site = CLEW_NONE;
  clew_vec_push(&program->functions, function);
  return function;
}

struct clew_family *clew_program_add_family(struct clew_program *program, bool start,
                                            struct clew_frame *frame,
                                            const struct clew_parameter *parameters,
                                            uint32_t parameter_count, const struct clew_rule *rules,
                                            uint32_t rule_count) {
  assert(frame != NULL);
  struct clew_family *family = CLEW_NEW(program->arena, struct clew_family);
  family->frame = frame;
  family->parameter_count = parameter_count;
  family->parameters =
      clew_arena_copy(program->arena, parameters, parameter_count, sizeof *parameters);
  family->rule_count = rule_count;
  family->rules = clew_arena_copy(program->arena, rules, rule_count, sizeof *rules);
  if (start) {
    clew_vec_push(&program->starts, family);
  } else {
    clew_vec_push(&program->families, family);
  }
  return family;
}

uint32_t clew_program_add_label(struct clew_program *program, const char *name,
                                struct clew_position position, struct clew_frame *frame,
                                const struct clew_expr *value) {
  assert(name != NULL && value != NULL);
  struct clew_label_code label = {.name = name,
                                  .position = position,
                                  .frame = frame != NULL ? frame : clew_program_add_frame(program),
                                  .value = value};
  clew_vec_push(&program->labels, label);
  return program->labels.len - 1;
}

void clew_program_add_property(struct clew_program *program, enum clew_property_kind kind,
                               const char *name, struct clew_position position, uint32_t label,
                               bool is_statement) {
  assert(name != NULL && (unsigned)kind < CLEW_PROPERTY_KINDS);
  struct clew_property property = {.kind = kind,
                                   .name = name,
                                   .position = position,
                                   .label = label,
                                   .is_statement = is_statement};
  clew_vec_push(&program->properties, property);
}

void clew_program_add_unchecked(struct clew_program *program, const char *name, const char *why,
                                struct clew_position position) {
  assert(name != NULL && why != NULL);
  struct clew_unchecked part = {
      .name = clew_arena_strndup(program->arena, name, strlen(name)),
      .why = why,
      .position = position,
  };
  clew_vec_push(&program->unchecked, part);
}

uint32_t clew_program_add_declared(struct clew_program *program, const char *name,
                                   struct clew_position position, bool is_constant, bool is_used) {
  assert(name != NULL);
  struct clew_declared declared = {
      .name = clew_arena_strndup(program->arena, name, strlen(name)),
      .position = position,
      .is_constant = is_constant,
      .is_used = is_used,
  };
  clew_vec_push(&program->declared, declared);
  return program->declared.len - 1;
}

void clew_program_add_unmatched(struct clew_program *program, const char *name,
                                struct clew_position position) {
  uint32_t at = clew_program_add_declared(program, name, position, false, true);
  program->declared.data[at].is_unmatched = true;
}

uint32_t clew_program_add_site(struct clew_program *program, enum clew_site_kind kind,
                               struct clew_position position, const char *format, ...) {
  assert(program->site_names != NULL);
  struct clew_text key = {0};
  clew_text_printf(&key, "%d %u %u ", (int)kind, position.line, position.column);
  size_t prefix = key.len;
  va_list args;
  va_start(args, format);
  clew_text_vprintf(&key, format, args);
  va_end(args);
  uint32_t *number = clew_names_at(program->site_names, program->arena, clew_text_str(&key));
  if (*number == 0) {
    struct clew_site site = {
        .kind = kind,
        .message = clew_arena_strndup(program->arena, key.data + prefix, key.len - prefix),
        .position = position};
    clew_vec_push(&program->sites, site);
    *number = program->sites.len;
  }
  clew_text_free(&key);
  return *number - 1;
}

struct clew_edge_parts clew_program_edge(const struct clew_program *program, bool start,
                                         uint32_t edge) {
  struct clew_family *const *families = start ? program->starts.data : program->families.data;
  uint32_t low = 0, high = start ? program->starts.len : program->families.len;
  assert(edge < (start ? program->initial_count : program->edge_count));
  /* The last family that does not start behind the edge; empty ones start where the next does. */
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (families[middle]->first_edge <= edge) {
      low = middle;
    } else {
      high = middle;
    }
  }
  const struct clew_family *family = families[low];
  uint32_t number = edge - family->first_edge;
  assert(number / family->rule_count < family->instance_count);
  return (struct clew_edge_parts){.family = family,
                                  .rule = &family->rules[number % family->rule_count],
                                  .instance = number / family->rule_count};
}

int64_t clew_family_parameter(const struct clew_family *family, uint32_t instance,
                              uint32_t parameter) {
  assert(parameter < family->parameter_count && instance < family->instance_count);
  uint64_t rest = instance;
  for (uint32_t i = family->parameter_count - 1; i > parameter; i--) {
    rest /= clew_domain_size(family->parameters[i].domain);
  }
  const struct clew_domain *domain = family->parameters[parameter].domain;
  return domain->lo + (int64_t)(rest % clew_domain_size(domain));
}
