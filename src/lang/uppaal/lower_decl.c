/* Declarations: constants, variables, clocks, channels, types and functions become symbols. */
#include "lang/uppaal/bounds.h"
#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_steps.h"
#include "lang/uppaal/lower_zones.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Constants ------------------------------------------------------------------------------ */

/* --param NAME=VALUE for a constant of the whole model. */
static bool take_override(struct uppaal_lowering *l, const struct uppaal_decl *decl,
                          const struct uppaal_shape *type, int64_t *cells) {
  const struct clew_load_request *request = l->front->request;
  const char *name = decl->name.name->id.text;
  bool found = false;
  for (uint32_t i = 0; i < request->override_count; i++) {
    struct clew_override *override = &request->overrides[i];
    if (l->scope != l->globals || strcmp(override->name, name) != 0) {
      continue;
    }
    override->used = found = true;
    char *end;
    errno = 0;
    long long value = strtoll(override->value, &end, 10);
    bool is_bool = strcmp(override->value, "true") == 0 || strcmp(override->value, "false") == 0;
    if (is_bool) {
      value = override->value[0] == 't';
    } else if (*end != '\0' || errno != 0 || value < INT32_MIN || value > INT32_MAX) {
      clew_uppaal_fail(l, decl->name.span, "--param %s: '%s' is no number", name, override->value);
    }
    if (!clew_uppaal_is_number(type)) {
      clew_uppaal_fail(l, decl->name.span, "--param %s: only numbers can be given", name);
    } else if (!type->is_default && (value < type->lo || value > type->hi)) {
      clew_uppaal_fail(l, decl->name.span, "--param %s: %lld is out of the range %lld .. %lld",
                       name, value, (long long)type->lo, (long long)type->hi);
    }
    cells[0] = value;
  }
  return found;
}

static void declare_constant(struct uppaal_lowering *l, const struct uppaal_decl *decl) {
  const struct uppaal_shape *type = clew_uppaal_shape_of(l, decl);
  int64_t *cells = CLEW_NEW_ARRAY(l->front->arena, int64_t, type->cells + 1);
  if (type->kind != UPPAAL_WRONG && !clew_uppaal_is_single(clew_uppaal_shape_cell(type, 0))) {
    clew_uppaal_fail(l, decl->name.span, "clocks and channels cannot be constant");
    type = &clew_uppaal_wrong;
  } else if (!take_override(l, decl, type, cells)) {
    if (decl->value == NULL) {
      clew_uppaal_fail(l, decl->name.span, "the constant '%s' has no value",
                       decl->name.name->id.text);
    }
    l->in_constant = true;
    clew_uppaal_initial_cells(l, type, decl->value, cells);
    l->in_constant = false;
  }
  clew_uppaal_judge_cells(l, type, cells, false, decl->name.span);
  struct uppaal_symbol *symbol = clew_uppaal_declare(l, decl->name, UPPAAL_SYMBOL_CONSTANT);
  symbol->type = type;
  symbol->cells = cells;
  symbol->is_read_only = true;
  clew_uppaal_note_global(l, decl, symbol);
  if (clew_uppaal_is_number(type)) {
    clew_front_remark(l->front, decl->name.span, "= %lld", (long long)cells[0]);
  }
}

/* ---- Variables ------------------------------------------------------------------------------ */

static void start_cells(struct uppaal_lowering *l, struct clew_place place, const int64_t *cells,
                        uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct clew_place cell = clew_uppaal_cell(place, i);
    if (cells[i] != cell.type->domain->lo) {
      clew_list_add(&l->start,
                    clew_stmt_assign(l->program, cell, clew_uppaal_const(l, cells[i]), CLEW_NONE));
    }
  }
}

static uint32_t next_slot(const struct clew_program *program) {
  if (program->variables.len == 0) {
    return 0;
  }
  const struct clew_variable *last = &clew_vec_last(&program->variables);
  return last->cell + last->type->cells;
}

/* The greatest value of the clocks that are declared next. */
static int64_t top_of_clocks(struct uppaal_lowering *l, uint32_t count, const int64_t *cells) {
  int64_t most = 0;
  uint32_t slot = next_slot(l->program);
  for (uint32_t i = 0; i < count; i++) {
    int64_t top = clew_uppaal_clock_top(l, slot + i);
    most = top > most ? top : most;
    most = cells[i] > most ? cells[i] : most;
    l->sets_clocks = l->sets_clocks || cells[i] > 0;
  }
  return most;
}

static void declare_variable(struct uppaal_lowering *l, const struct uppaal_decl *decl,
                             const struct uppaal_shape *type, const char *prefix) {
  int64_t *cells = CLEW_NEW_ARRAY(l->front->arena, int64_t, type->cells + 1);
  bool is_clock = clew_uppaal_contains(type, UPPAAL_CLOCK);
  clew_uppaal_initial_cells(l, type, decl->value, cells);
  struct uppaal_symbol *symbol = clew_uppaal_declare(l, decl->name, UPPAAL_SYMBOL_VARIABLE);
  symbol->type = type;
  clew_uppaal_note_global(l, decl, symbol);
  if (is_clock) {
    l->first_clock = l->clock_count == 0 ? decl->name.span : l->first_clock;
    l->clock_count += type->cells;
    if (l->time == UPPAAL_TIME_NONE) {
      return;
    }
    if (l->time == UPPAAL_TIME_ZONES && l->clock_count >= CLEW_DBM_MOST_CLOCKS) {
      clew_uppaal_fail(l, decl->name.span, "there are too many clocks for zones: the limit is %d",
                       CLEW_DBM_MOST_CLOCKS - 1);
      symbol->type = &clew_uppaal_wrong;
      return;
    }
  }
  bool is_signal = is_clock && l->time == UPPAAL_TIME_ZONES;
  int64_t most = is_clock && !is_signal ? top_of_clocks(l, type->cells, cells) : 0;
  const struct clew_type *ir = clew_uppaal_ir_type(l, type, most);
  const char *name = clew_arena_printf(l->arena, "%s%s", prefix, decl->name.name->id.text);
  if (ir == NULL || (uint64_t)next_slot(l->program) + type->cells > CLEW_MAX_CELLS) {
    clew_uppaal_fail(l, decl->name.span,
                     "the variables of this model are too many: the limit is %d", CLEW_MAX_CELLS);
    symbol->type = &clew_uppaal_wrong;
    return;
  }
  /* Clocks of integer time, too, lie behind the discrete part, so that this can be counted. */
  uint32_t variable = is_clock ? clew_program_add_signal(l->program, name, ir)
                               : clew_program_add_variable(l->program, name, ir);
  symbol->place = clew_place_state(l->program, variable);
  if (is_clock) {
    clew_uppaal_add_clocks(l, symbol->place, type->cells, l->clock_domain);
  }
  start_cells(l, symbol->place, cells, type->cells);
  for (uint32_t i = 0; i < type->cells && is_signal; i++) {
    struct clew_place cell = clew_uppaal_cell(symbol->place, i);
    clew_uppaal_note_setting(l, &cell, cells[i]);
    if (cells[i] > UPPAAL_MOST_BOUND && clew_front_ok(l->front)) {
      clew_uppaal_fail(l, decl->name.span,
                       "the initial value of a clock is too large: the limit is %d",
                       UPPAAL_MOST_BOUND);
    }
  }
}

static void declare_channel(struct uppaal_lowering *l, const struct uppaal_decl *decl,
                            const struct uppaal_shape *type) {
  if (decl->value != NULL) {
    clew_uppaal_fail(l, decl->value->span, "a channel has no initial value");
  }
  struct uppaal_symbol *symbol = clew_uppaal_declare(l, decl->name, UPPAAL_SYMBOL_CHANNEL);
  symbol->type = type;
  clew_uppaal_note_global(l, decl, symbol);
  symbol->channel = l->channel_count;
  l->channel_count += type->cells;
}

static void declare_data(struct uppaal_lowering *l, const struct uppaal_decl *decl,
                         const char *prefix) {
  if (decl->type->is_const) {
    declare_constant(l, decl);
    return;
  }
  const struct uppaal_shape *type = clew_uppaal_shape_of(l, decl);
  bool is_channel = clew_uppaal_contains(type, UPPAAL_CHANNEL);
  if ((decl->type->is_urgent || decl->type->is_broadcast) && !is_channel &&
      type->kind != UPPAAL_WRONG) {
    clew_uppaal_fail(l, decl->type->span, "only channels are urgent or broadcast");
  }
  if (decl->type->is_meta && clew_uppaal_contains(type, UPPAAL_CLOCK)) {
    clew_uppaal_fail(l, decl->type->span, "a clock cannot be 'meta'");
  }
  if (decl->type->is_meta && l->bounds == NULL && !l->only_guards) {
    clew_front_warn(l->front, decl->type->span,
                    "'meta' is ignored: this variable is part of the state like others");
  }
  if (type->kind == UPPAAL_VOID || type->kind == UPPAAL_WRONG) {
    if (type->kind == UPPAAL_VOID) {
      clew_uppaal_fail(l, decl->type->span, "a variable cannot be 'void'");
    }
    clew_uppaal_declare(l, decl->name, UPPAAL_SYMBOL_VARIABLE);
  } else if (is_channel) {
    declare_channel(l, decl, type);
  } else {
    declare_variable(l, decl, type, prefix);
  }
}

/* ---- Functions and the rest ----------------------------------------------------------------- */

static void declare_function(struct uppaal_lowering *l, struct uppaal_decl *decl) {
  const struct uppaal_shape *result = clew_uppaal_shape(l, decl->type);
  if (result->kind == UPPAAL_CLOCK || result->kind == UPPAAL_CHANNEL ||
      result->kind == UPPAAL_ARRAY) {
    clew_uppaal_fail(l, decl->type->span, "a function cannot return this type");
    result = &clew_uppaal_wrong;
  }
  struct uppaal_symbol *symbol = clew_uppaal_declare(l, decl->name, UPPAAL_SYMBOL_FUNCTION);
  symbol->type = result;
  symbol->decl = decl;
}

static void declare_type(struct uppaal_lowering *l, const struct uppaal_decl *decl) {
  const struct uppaal_shape *type = clew_uppaal_shape_of(l, decl);
  if (type->kind == UPPAAL_SCALAR) {
    clew_uppaal_name_scalar(l, type->scalar, decl->name.name->id.text);
  }
  clew_uppaal_declare(l, decl->name, UPPAAL_SYMBOL_TYPE)->type = type;
}

void clew_uppaal_lower_decls(struct uppaal_lowering *l, const struct uppaal_decl *decls,
                             const char *prefix) {
  for (const struct uppaal_decl *each = decls; each != NULL; each = each->next) {
    switch (each->kind) {
    case UPPAAL_DECL_VARIABLE:
      declare_data(l, each, prefix);
      break;
    case UPPAAL_DECL_TYPEDEF:
      declare_type(l, each);
      break;
    case UPPAAL_DECL_FUNCTION:
      declare_function(l, (struct uppaal_decl *)each);
      break;
    case UPPAAL_DECL_TEMPLATE:
    case UPPAAL_DECL_INSTANCE:
      clew_uppaal_declare(l, each->name, UPPAAL_SYMBOL_PROCESS)->decl = (struct uppaal_decl *)each;
      break;
    case UPPAAL_DECL_PRIORITY:
      clew_uppaal_lower_channel_ranks(l, each);
      break;
    case UPPAAL_DECL_UPDATE:
      clew_vec_push(&l->updates, each);
      break;
    }
  }
}

/* ---- Locals of functions -------------------------------------------------------------------- */

static void init_local(struct uppaal_lowering *l, const struct uppaal_decl *decl,
                       const struct uppaal_shape *type, struct clew_place place) {
  if (decl->value != NULL && decl->value->kind != UPPAAL_EXPR_LIST) {
    struct uppaal_value value = clew_uppaal_lower_value(l, decl->value);
    clew_uppaal_store(l, place, type, &value, decl->value->span, l->out);
    return;
  }
  int64_t *cells = CLEW_NEW_ARRAY(l->front->arena, int64_t, type->cells);
  clew_uppaal_initial_cells(l, type, decl->value, cells);
  clew_uppaal_judge_cells(l, type, cells, decl->value == NULL, decl->name.span);
  clew_uppaal_store_cells(l, place, type, cells, l->out);
}

void clew_uppaal_lower_local(struct uppaal_lowering *l, const struct uppaal_decl *decl) {
  if (decl->kind == UPPAAL_DECL_TYPEDEF) {
    declare_type(l, decl);
    return;
  }
  if (decl->kind != UPPAAL_DECL_VARIABLE) {
    clew_uppaal_fail(l, decl->name.span, "this cannot be declared inside of a function");
    return;
  }
  const struct uppaal_shape *type = clew_uppaal_shape_of(l, decl);
  struct uppaal_symbol *symbol;
  if (type->kind == UPPAAL_WRONG || clew_uppaal_contains(type, UPPAAL_CLOCK) ||
      clew_uppaal_contains(type, UPPAAL_CHANNEL) || type->kind == UPPAAL_VOID) {
    if (type->kind != UPPAAL_WRONG) {
      clew_uppaal_fail(l, decl->type->span, "a function cannot have variables of this type");
    }
    clew_uppaal_declare(l, decl->name, UPPAAL_SYMBOL_VARIABLE);
    return;
  }
  if (decl->type->is_const && decl->value != NULL && clew_uppaal_is_number(type)) {
    /* Types may depend on it, if it is constant indeed. */
    const struct clew_expr *value = clew_uppaal_lower_number(l, decl->value);
    if (value->kind == CLEW_EXPR_CONST) {
      int64_t *cells = CLEW_NEW_ARRAY(l->front->arena, int64_t, 1);
      cells[0] = type->kind == UPPAAL_BOOL ? value->value != 0 : value->value;
      symbol = clew_uppaal_declare(l, decl->name, UPPAAL_SYMBOL_CONSTANT);
      symbol->type = type;
      symbol->cells = cells;
      return;
    }
  }
  const struct clew_type *ir = clew_uppaal_ir_type(l, type, 0);
  if (ir == NULL) {
    clew_uppaal_fail(l, decl->name.span, "'%s' is too large", decl->name.name->id.text);
    return;
  }
  struct clew_place place = clew_uppaal_local(l, clew_uppaal_keep(l, decl->name.name->id.text), ir);
  init_local(l, decl, type, place);
  symbol = clew_uppaal_declare(l, decl->name, UPPAAL_SYMBOL_VARIABLE);
  symbol->type = type;
  symbol->place = place;
  symbol->is_read_only = decl->type->is_const;
}
