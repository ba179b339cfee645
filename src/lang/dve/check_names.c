/* Names: declaring them, finding what they denote, and guessing what was meant. */
#include "lang/dve/check.h"

#include <assert.h>

/* ---- Unknown names -------------------------------------------------------------------------- */

static bool is_global(const struct dve_name *name, enum dve_symbol_kind kind) {
  return name->global != NULL && name->global->kind == kind;
}

/* Whether something of the wanted kind is visible under this name. */
static bool is_visible(const struct clew_name *id, const void *context) {
  const struct dve_name *name = (const struct dve_name *)id;
  enum dve_symbol_kind kind = *(const enum dve_symbol_kind *)context;
  return is_global(name, kind) || (kind == DVE_SYMBOL_VARIABLE && name->local != NULL);
}

static const char *const kind_names[] = {"variable", "channel", "process"};

/* Unknown, or known as something else. */
static void report_missing(struct dve_checker *c, struct dve_ref ref, enum dve_symbol_kind kind) {
  const char *is = NULL;
  if (ref.name->local != NULL && kind != DVE_SYMBOL_VARIABLE) {
    is = kind_names[DVE_SYMBOL_VARIABLE];
  } else if (ref.name->global != NULL) {
    is = kind_names[ref.name->global->kind];
  } else if (ref.name->state != NULL) {
    is = "state";
  }
  if (is != NULL) {
    clew_front_error(c->d->front, ref.span, "'%s' is a %s, not a %s", ref.name->id.text, is,
                     kind_names[kind]);
    return;
  }
  struct clew_front *front = c->d->front;
  const char *nearest = clew_front_wants_nearest(front, &ref.name->id)
                            ? clew_name_nearest(&front->names, ref.name->id.text, is_visible, &kind)
                            : NULL;
  clew_front_unknown(front, &ref.name->id, ref.span, kind_names[kind], "", nearest);
}

/* ---- Lookup --------------------------------------------------------------------------------- */

struct dve_variable *clew_dve_find_variable(struct dve_checker *c, struct dve_ref ref) {
  assert(ref.name != NULL);
  struct dve_variable *found = ref.name->local;
  if (found == NULL && is_global(ref.name, DVE_SYMBOL_VARIABLE)) {
    found = ref.name->global->variable;
  }
  if (found == NULL) {
    report_missing(c, ref, DVE_SYMBOL_VARIABLE);
  } else {
    found->is_used = true;
    clew_front_use(c->d->front, ref.span, found->ref.span);
  }
  return found;
}

struct dve_channel *clew_dve_find_channel(struct dve_checker *c, struct dve_ref ref) {
  if (is_global(ref.name, DVE_SYMBOL_CHANNEL) && ref.name->local == NULL) {
    clew_front_use(c->d->front, ref.span, ref.name->global->channel->ref.span);
    return ref.name->global->channel;
  }
  report_missing(c, ref, DVE_SYMBOL_CHANNEL);
  return NULL;
}

struct dve_process *clew_dve_find_process(struct dve_checker *c, struct dve_ref ref) {
  if (is_global(ref.name, DVE_SYMBOL_PROCESS)) {
    clew_front_use(c->d->front, ref.span, ref.name->global->process->ref.span);
    return ref.name->global->process;
  }
  report_missing(c, ref, DVE_SYMBOL_PROCESS);
  return NULL;
}

typedef CLEW_VEC(const char *) candidates;

/* Something that the process should have; frees the names of what it has. */
static void report_missing_of(struct dve_checker *c, const struct dve_process *process,
                              struct dve_ref ref, const char *what, candidates *names) {
  struct clew_front *front = c->d->front;
  const char *of = clew_arena_printf(front->arena, " of process '%s'", process->ref.name->id.text);
  const char *nearest = clew_front_wants_nearest(front, &ref.name->id)
                            ? clew_diag_nearest(ref.name->id.text, names->data, names->len)
                            : NULL;
  clew_front_unknown(front, &ref.name->id, ref.span, what, of, nearest);
  clew_vec_free(names);
}

struct dve_variable *clew_dve_find_foreign(struct dve_checker *c, struct dve_process *process,
                                           struct dve_ref ref) {
  candidates names = {0};
  for (struct dve_variable *each = process->variables; each != NULL; each = each->next) {
    if (each->ref.name == ref.name) {
      clew_vec_free(&names);
      each->is_used = true;
      clew_front_use(c->d->front, ref.span, each->ref.span);
      return each;
    }
    clew_vec_push(&names, each->ref.name->id.text);
  }
  report_missing_of(c, process, ref, "variable", &names);
  return NULL;
}

struct dve_state *clew_dve_find_state_of(struct dve_checker *c, struct dve_process *process,
                                         struct dve_ref ref) {
  candidates names = {0};
  for (uint32_t i = 0; i < process->state_count; i++) {
    if (process->states[i].ref.name == ref.name) {
      clew_vec_free(&names);
      clew_front_use(c->d->front, ref.span, process->states[i].ref.span);
      return &process->states[i];
    }
    clew_vec_push(&names, process->states[i].ref.name->id.text);
  }
  for (struct dve_variable *each = process->variables; each != NULL && process != c->process;
       each = each->next) {
    if (each->ref.name == ref.name) {
      const char *owner = process->ref.name->id.text, *name = ref.name->id.text;
      clew_vec_free(&names);
      clew_front_error(c->d->front, ref.span,
                       "'%s' is a variable of process '%s', not a state: it is written '%s->%s'",
                       name, owner, owner, name);
      return NULL;
    }
  }
  report_missing_of(c, process, ref, "state", &names);
  return NULL;
}

struct dve_state *clew_dve_find_state(struct dve_checker *c, struct dve_ref ref) {
  assert(c->process != NULL);
  if (ref.name->state == NULL) {
    clew_dve_find_state_of(c, c->process, ref); /* to complain */
  } else {
    clew_front_use(c->d->front, ref.span, ref.name->state->ref.span);
  }
  return ref.name->state;
}

/* ---- Scopes --------------------------------------------------------------------------------- */

static void report_twice(struct dve_checker *c, struct dve_ref ref, struct clew_span first) {
  clew_front_error(c->d->front, ref.span, "'%s' is already declared, in line %u", ref.name->id.text,
                   clew_front_position(c->d->front, first).line);
}

static void declare_global(struct dve_checker *c, struct dve_ref ref, struct dve_symbol symbol) {
  if (ref.name->global != NULL) {
    report_twice(c, ref, ref.name->global->span);
    return;
  }
  symbol.span = ref.span;
  ref.name->global = clew_arena_copy(c->d->front->arena, &symbol, 1, sizeof symbol);
}

void clew_dve_declare_globals(struct dve_checker *c) {
  struct dve_model *model = &c->d->model;
  for (struct dve_variable *each = model->variables; each != NULL; each = each->next) {
    declare_global(c, each->ref,
                   (struct dve_symbol){.kind = DVE_SYMBOL_VARIABLE, .variable = each});
  }
  for (struct dve_channel *each = model->channels; each != NULL; each = each->next) {
    declare_global(c, each->ref, (struct dve_symbol){.kind = DVE_SYMBOL_CHANNEL, .channel = each});
  }
  for (struct dve_process *each = model->processes; each != NULL; each = each->next) {
    declare_global(c, each->ref, (struct dve_symbol){.kind = DVE_SYMBOL_PROCESS, .process = each});
  }
}

void clew_dve_enter(struct dve_checker *c, struct dve_process *process, bool report_doubles) {
  assert(c->process == NULL);
  c->process = process;
  for (struct dve_variable *each = process->variables; each != NULL; each = each->next) {
    if (each->ref.name->local == NULL) {
      each->ref.name->local = each;
    } else if (report_doubles) {
      report_twice(c, each->ref, each->ref.name->local->ref.span);
    }
  }
  for (uint32_t i = 0; i < process->state_count; i++) {
    struct dve_state *state = &process->states[i];
    if (state->ref.name->state == NULL) {
      state->ref.name->state = state;
    } else if (report_doubles) {
      report_twice(c, state->ref, state->ref.name->state->ref.span);
    }
  }
}

void clew_dve_leave(struct dve_checker *c) {
  assert(c->process != NULL);
  for (struct dve_variable *each = c->process->variables; each != NULL; each = each->next) {
    each->ref.name->local = NULL;
  }
  for (uint32_t i = 0; i < c->process->state_count; i++) {
    c->process->states[i].ref.name->state = NULL;
  }
  c->process = NULL;
}
