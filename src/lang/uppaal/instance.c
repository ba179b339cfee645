/* Processes: templates with their parameters bound, as the system line lists them.
 *
 * A template, or an instance of one, that still has parameters stands for a set of processes: one
 * for each combination of their values, in the order of the values, the first parameter varying
 * slowest. Chains of instances are followed to the template; arguments are evaluated in the scope
 * of the parameters of the instance that gives them. */
#include "lang/uppaal/bounds.h"
#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_steps.h"

#include <assert.h>

#include "base/text.h"

enum { MOST_PROCESSES = 100000, MOST_LINKS = 100 };

/* ---- Parameters ----------------------------------------------------------------------------- */

static void set_constant(struct uppaal_symbol *symbol, const struct uppaal_shape *type,
                         const int64_t *cells) {
  symbol->kind = UPPAAL_SYMBOL_CONSTANT;
  symbol->type = type;
  symbol->cells = cells;
  symbol->is_read_only = true;
}

/* The argument, in the scope of the one who gives it. */
static struct uppaal_value lower_argument(struct uppaal_lowering *l, const struct uppaal_expr *arg,
                                          struct uppaal_scope *from) {
  struct uppaal_scope *scope = l->scope;
  l->scope = from;
  l->frame = clew_program_add_frame(l->program);
  struct uppaal_value value = clew_uppaal_lower_value(l, arg);
  l->scope = scope;
  return value;
}

static void bind_reference(struct uppaal_lowering *l, struct uppaal_symbol *symbol,
                           const struct uppaal_decl *param, const struct uppaal_shape *type,
                           const struct uppaal_expr *arg, struct uppaal_scope *from) {
  struct uppaal_value value = lower_argument(l, arg, from);
  if (value.kind == UPPAAL_VALUE_WRONG || type->kind == UPPAAL_WRONG) {
    return;
  }
  const char *name = param->name.name->id.text;
  if (!clew_uppaal_shape_matches(type, value.type)) {
    clew_uppaal_fail(l, arg->span, "this argument has another type than the parameter '%s'", name);
    return;
  }
  symbol->type = value.type;
  symbol->is_read_only = param->type->is_const || value.is_read_only;
  if (value.kind == UPPAAL_VALUE_PLACE && value.place.index_count == 0) {
    symbol->place = value.place;
  } else if (value.kind == UPPAAL_VALUE_CHANNEL && value.expr->kind == CLEW_EXPR_CONST) {
    symbol->kind = UPPAAL_SYMBOL_CHANNEL;
    symbol->channel = (uint32_t)value.expr->value;
  } else if (value.kind == UPPAAL_VALUE_CONSTANT && value.moving == NULL && param->type->is_const) {
    set_constant(symbol, value.type, value.cells + value.offset);
  } else {
    clew_uppaal_fail(l, arg->span, "the parameter '%s' refers to a variable, clock or channel",
                     name);
  }
}

static void bind_value(struct uppaal_lowering *l, struct uppaal_symbol *symbol,
                       const struct uppaal_shape *type, const struct uppaal_expr *arg,
                       struct uppaal_scope *from) {
  int64_t *cells = CLEW_NEW_ARRAY(l->front->arena, int64_t, type->cells);
  struct uppaal_scope *scope = l->scope;
  l->scope = from;
  l->in_constant = true;
  clew_uppaal_initial_cells(l, type, arg, cells);
  l->in_constant = false;
  l->scope = scope;
  clew_uppaal_judge_cells(l, type, cells, false, arg->span);
  set_constant(symbol, type, cells);
}

/* The parameters of `decl` as symbols of a new scope. */
static struct uppaal_scope *bind_params(struct uppaal_lowering *l, const struct uppaal_decl *decl,
                                        struct uppaal_exprs args, struct clew_span span,
                                        struct uppaal_scope *from) {
  struct uppaal_scope *scope = clew_uppaal_scope_new(l, l->globals), *outer = l->scope;
  l->scope = scope;
  uint32_t i = 0;
  for (const struct uppaal_decl *param = decl->params; param != NULL; param = param->next, i++) {
    if (i >= args.count) {
      continue;
    }
    const struct uppaal_shape *type = clew_uppaal_shape_of(l, param);
    struct uppaal_symbol *symbol = clew_uppaal_declare(l, param->name, UPPAAL_SYMBOL_VARIABLE);
    bool refers = param->is_reference || clew_uppaal_contains(type, UPPAAL_CLOCK) ||
                  clew_uppaal_contains(type, UPPAAL_CHANNEL);
    if (refers) {
      bind_reference(l, symbol, param, type, args.data[i], from);
    } else {
      bind_value(l, symbol, type, args.data[i], from);
    }
  }
  if (i != args.count) {
    clew_uppaal_fail(l, span, "'%s' has %u parameter%s, not %u", decl->name.name->id.text, i,
                     i == 1 ? "" : "s", args.count);
  }
  l->scope = outer;
  return scope;
}

/* From the listed name to its template, whose parameters are bound in the scope returned. */
static const struct uppaal_decl *follow(struct uppaal_lowering *l, const struct uppaal_decl *decl,
                                        struct uppaal_scope **scope) {
  for (uint32_t links = 0; decl->kind == UPPAAL_DECL_INSTANCE; links++) {
    l->scope = l->globals;
    const struct uppaal_symbol *symbol = clew_uppaal_resolve(l, decl->template, "template");
    if (symbol == NULL) {
      return NULL;
    }
    if (symbol->kind != UPPAAL_SYMBOL_PROCESS || links == MOST_LINKS) {
      clew_uppaal_fail(l, decl->template.span, "'%s' is no template", decl->template.name->id.text);
      return NULL;
    }
    *scope = bind_params(l, symbol->decl, decl->args, decl->template.span, *scope);
    decl = symbol->decl;
  }
  return decl;
}

/* ---- Locations ------------------------------------------------------------------------------ */

static void find_locations(struct uppaal_lowering *l, struct uppaal_instance *process) {
  const struct uppaal_process *tree = process->template->process;
  uint32_t count = 0;
  for (const struct uppaal_location *each = tree->locations; each != NULL; each = each->next) {
    count += !each->is_branchpoint;
  }
  process->locations = CLEW_NEW_ARRAY(l->front->arena, struct uppaal_location *, count + 1);
  process->init = CLEW_NONE;
  for (struct uppaal_location *each = tree->locations; each != NULL; each = each->next) {
    if (!each->is_branchpoint) {
      process->init = each->name.name == tree->init.name ? process->location_count : process->init;
      process->has_committed = process->has_committed || each->is_committed;
      process->locations[process->location_count++] = each;
    }
  }
  if (process->init == CLEW_NONE) {
    clew_uppaal_fail(l, tree->init.span, "there is no location '%s'", tree->init.name->id.text);
    process->init = 0;
  }
}

static void add_location(struct uppaal_lowering *l, struct uppaal_instance *process) {
  if (process->location_count <= 1) {
    return;
  }
  const char **names = CLEW_NEW_ARRAY(l->arena, const char *, process->location_count);
  for (uint32_t i = 0; i < process->location_count; i++) {
    names[i] = clew_uppaal_keep(l, process->locations[i]->name.name->id.text);
  }
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  *domain =
      (struct clew_domain){.lo = 0, .hi = (int64_t)process->location_count - 1, .names = names};
  const char *name = clew_arena_printf(l->arena, "%s.loc", process->name);
  uint32_t variable =
      clew_program_add_variable(l->program, name, clew_type_scalar(l->arena, domain, false));
  process->place = clew_place_state(l->program, variable);
  if (process->init != 0) {
    clew_list_add(&l->start, clew_stmt_assign(l->program, process->place,
                                              clew_uppaal_const(l, process->init), CLEW_NONE));
  }
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static void report_location(struct uppaal_lowering *l, const struct uppaal_instance *process,
                            struct uppaal_ref ref) {
  CLEW_VEC(const char *) names = {0};
  for (const struct uppaal_location *each = process->template->process->locations; each != NULL;
       each = each->next) {
    clew_vec_push(&names, each->name.name->id.text);
  }
  const char *nearest = clew_diag_nearest(ref.name->id.text, names.data, names.len);
  clew_uppaal_fail(l, ref.span, "there is no location '%s'%s%s%s", ref.name->id.text,
                   nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                   nearest != NULL ? "'?" : "");
  clew_vec_free(&names);
}

/* The number of a location, or CLEW_NONE; *is_branchpoint when it is such a point. */
static uint32_t find_end(struct uppaal_lowering *l, const struct uppaal_instance *process,
                         struct uppaal_ref ref, bool *is_branchpoint) {
  *is_branchpoint = false;
  for (uint32_t i = 0; i < process->location_count; i++) {
    if (process->locations[i]->name.name == ref.name) {
      return i;
    }
  }
  for (const struct uppaal_location *each = process->template->process->locations; each != NULL;
       each = each->next) {
    *is_branchpoint = *is_branchpoint || each->name.name == ref.name;
  }
  if (!*is_branchpoint) {
    report_location(l, process, ref);
  }
  return CLEW_NONE;
}

static void add_step(struct uppaal_lowering *l, struct uppaal_instance *process,
                     struct uppaal_step step) {
  step.process = process;
  for (uint32_t i = 0; i < process->step_count; i++) {
    struct uppaal_step *other = &process->steps[i];
    if (other->from == step.from && other->to == step.to) {
      step.number = other->number == 0 ? 2 : other->number + 1;
    }
  }
  struct uppaal_step *added = &process->steps[process->step_count++];
  *added = step;
  clew_uppaal_find_channel(l, added);
  clew_uppaal_find_resets(l, added);
}

static void add_branches(struct uppaal_lowering *l, struct uppaal_instance *process,
                         struct uppaal_step step) {
  bool is_branchpoint;
  for (const struct uppaal_edge *each = process->template->process->edges; each != NULL;
       each = each->next) {
    if (each->source.name != step.edge->target.name) {
      continue;
    }
    step.branch = each;
    step.to = find_end(l, process, each->target, &is_branchpoint);
    if (is_branchpoint) {
      clew_uppaal_fail(l, each->target.span, "a branch leads to a location");
    } else if (step.to != CLEW_NONE) {
      add_step(l, process, step);
    }
  }
}

static void find_steps(struct uppaal_lowering *l, struct uppaal_instance *process) {
  uint32_t edges = 0;
  for (const struct uppaal_edge *each = process->template->process->edges; each != NULL;
       each = each->next) {
    edges++;
  }
  /* A branch can belong to every edge. */
  uint64_t most = 0;
  for (const struct uppaal_edge *each = process->template->process->edges; each != NULL;
       each = each->next) {
    bool from_point, to_point;
    (void)find_end(l, process, each->source, &from_point);
    (void)find_end(l, process, each->target, &to_point);
    most += to_point ? edges : 1;
  }
  process->steps = CLEW_NEW_ARRAY(l->front->arena, struct uppaal_step, most + 1);
  for (const struct uppaal_edge *each = process->template->process->edges;
       each != NULL && clew_front_ok(l->front); each = each->next) {
    bool from_point, to_point;
    struct uppaal_step step = {.edge = each};
    step.from = find_end(l, process, each->source, &from_point);
    step.to = find_end(l, process, each->target, &to_point);
    if (from_point) {
      if (each->guard.count > 0 || each->channel != NULL) {
        clew_uppaal_fail(l, each->span, "a branch has no guard and does not synchronise");
      }
    } else if (to_point) {
      add_branches(l, process, step);
    } else {
      add_step(l, process, step);
    }
  }
}

/* ---- Processes ------------------------------------------------------------------------------ */

/* Values of the free parameters of a process, and their types. */
struct arguments {
  int64_t *values;
  const struct uppaal_shape **types;
  uint32_t count;
};

static const char *process_name(struct uppaal_lowering *l, const struct uppaal_symbol *symbol,
                                const struct arguments *arguments) {
  struct clew_text text = {0};
  clew_text_put(&text, symbol->ref.name->id.text);
  uint32_t count = arguments->count;
  for (uint32_t i = 0; i < count; i++) {
    const struct uppaal_scalar *scalar = arguments->types[i]->scalar;
    int64_t number = arguments->values[i] - (scalar != NULL ? scalar->lo : 0);
    clew_text_printf(&text, "%s%lld", i == 0 ? "(" : ",", (long long)number);
  }
  clew_text_put(&text, count > 0 ? ")" : "");
  const char *name = clew_uppaal_keep(l, clew_text_str(&text));
  clew_text_free(&text);
  return name;
}

const struct uppaal_instance *clew_uppaal_process_of(const struct uppaal_lowering *l,
                                                     const struct uppaal_symbol *symbol) {
  return symbol->process_count > 0 ? l->processes.data[symbol->first_process] : NULL;
}

struct uppaal_instance *clew_uppaal_process(struct uppaal_lowering *l,
                                            const struct uppaal_symbol *symbol,
                                            const int64_t *arguments, uint32_t count) {
  for (uint32_t i = 0; i < symbol->process_count; i++) {
    struct uppaal_instance *process = l->processes.data[symbol->first_process + i];
    bool same = process->argument_count == count;
    for (uint32_t k = 0; same && k < count; k++) {
      same = process->arguments[k] == arguments[k];
    }
    if (same) {
      return process;
    }
  }
  return NULL;
}

/* A process whose free parameters are symbols of `scope`. */
static void add_process(struct uppaal_lowering *l, const struct uppaal_symbol *symbol,
                        struct uppaal_scope *scope, const struct arguments *arguments,
                        struct clew_span span) {
  uint32_t count = arguments->count;
  const struct uppaal_decl *template = follow(l, symbol->decl, &scope);
  if (template == NULL || !clew_front_ok(l->front)) {
    return;
  }
  if (l->processes.len == MOST_PROCESSES) {
    clew_uppaal_fail(l, span, "too many processes: the limit is %d", MOST_PROCESSES);
    return;
  }
  struct uppaal_instance *process = CLEW_NEW(l->front->arena, struct uppaal_instance);
  process->name = process_name(l, symbol, arguments);
  process->symbol = symbol;
  process->arguments =
      clew_arena_copy(l->front->arena, arguments->values, count, sizeof *arguments->values);
  process->argument_types =
      clew_arena_copy(l->front->arena, arguments->types, count, sizeof(void *));
  process->argument_count = count;
  process->first_variable = l->program->variables.len;
  process->template = template;
  process->number = l->processes.len;
  clew_vec_push(&l->processes, process);
  find_locations(l, process);
  add_location(l, process);
  process->scope = l->scope = clew_uppaal_scope_new(l, scope);
  clew_uppaal_lower_decls(l, template->decls, clew_arena_printf(l->arena, "%s.", process->name));
  process->variable_count = l->program->variables.len - process->first_variable;
  if (clew_front_ok(l->front)) {
    find_steps(l, process);
  }
  l->scope = l->globals;
}

/* One process for each value of the parameters from `param` on. */
static void add_processes(struct uppaal_lowering *l, const struct uppaal_symbol *symbol,
                          const struct uppaal_decl *param, struct uppaal_scope *scope,
                          struct arguments *arguments, struct clew_span span) {
  if (param == NULL) {
    add_process(l, symbol, scope, arguments, span);
    return;
  }
  l->scope = scope;
  const struct uppaal_shape *type = clew_uppaal_shape_of(l, param);
  if (type->kind == UPPAAL_WRONG) {
    return;
  }
  if (param->is_reference || !clew_uppaal_is_single(type) || type->is_default) {
    clew_uppaal_fail(l, span,
                     "the parameter '%s' of '%s' has no value, and is no number of a range for "
                     "which there could be one process each",
                     param->name.name->id.text, symbol->ref.name->id.text);
    return;
  }
  uint32_t number = arguments->count++;
  arguments->types[number] = type;
  for (int64_t value = type->lo; value <= type->hi && clew_front_ok(l->front); value++) {
    /* Each combination has a scope of its own: symbols of the process refer to it. */
    struct uppaal_scope *inner = clew_uppaal_scope_new(l, scope);
    int64_t *cells = CLEW_NEW_ARRAY(l->front->arena, int64_t, 1);
    cells[0] = arguments->values[number] = value;
    l->scope = inner;
    set_constant(clew_uppaal_declare(l, param->name, UPPAAL_SYMBOL_CONSTANT), type, cells);
    add_processes(l, symbol, param->next, inner, arguments, span);
  }
  arguments->count--;
}

static void add_member(struct uppaal_lowering *l, const struct uppaal_expr *member) {
  if (member->kind != UPPAAL_EXPR_NAME) {
    clew_uppaal_fail(l, member->span, "the system line lists names of processes");
    return;
  }
  l->scope = l->globals;
  struct uppaal_symbol *symbol = clew_uppaal_resolve(l, member->ref, "process");
  if (symbol == NULL) {
    return;
  }
  if (symbol->kind != UPPAAL_SYMBOL_PROCESS) {
    clew_uppaal_fail(l, member->span, "'%s' is no process", member->ref.name->id.text);
    return;
  }
  if (symbol->is_listed) {
    clew_uppaal_fail(l, member->span, "the process '%s' is listed twice",
                     member->ref.name->id.text);
    return;
  }
  symbol->is_listed = true;
  uint32_t count = 0;
  for (const struct uppaal_decl *each = symbol->decl->params; each != NULL; each = each->next) {
    count++;
  }
  struct arguments arguments = {
      .values = CLEW_NEW_ARRAY(l->front->arena, int64_t, count + 1),
      .types = CLEW_NEW_ARRAY(l->front->arena, const struct uppaal_shape *, count + 1)};
  symbol->first_process = l->processes.len;
  add_processes(l, symbol, symbol->decl->params, l->globals, &arguments, member->span);
  symbol->process_count = l->processes.len - symbol->first_process;
}

void clew_uppaal_lower_processes(struct uppaal_lowering *l) {
  uint32_t number = 0;
  for (const struct uppaal_rank *rank = l->system->processes; rank != NULL; rank = rank->next) {
    for (uint32_t i = 0; i < rank->count && clew_front_ok(l->front); i++) {
      uint32_t first = l->processes.len;
      add_member(l, rank->members[i]);
      for (uint32_t k = first; k < l->processes.len; k++) {
        l->processes.data[k]->rank = number;
      }
    }
    number++;
  }
}
