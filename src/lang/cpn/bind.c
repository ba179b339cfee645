/* Bindings: found by the plan of a transition, evaluated once.
 *
 * A guard that raises an exception while it prunes does not prune: the binding as a whole decides,
 * by its guards in the order of the text. So it does not depend on the plan which bindings fail. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "lang/cpn/cpn_int.h"

enum { SCRATCH_BYTES = 1 << 20 };

void cpn_eval_open(struct cpn_net *net, struct cpn_eval *eval, const atomic_bool *stop) {
  uint32_t count = net->variables.len;
  memset(eval, 0, sizeof *eval);
  eval->variables = count <= sizeof eval->few / sizeof eval->few[0]
                        ? eval->few
                        : clew_alloc_zero(count, sizeof *eval->variables);
  eval->ctx = (struct cpn_ctx){.ml = &net->ml,
                               .arena = net->scratch,
                               .variables = eval->variables,
                               .stop = stop,
                               .most_ticks = net->most_ticks,
                               .limit_bytes = clew_arena_bytes(net->scratch) + CPN_MOST_BYTES};
}

void cpn_eval_close(struct cpn_eval *eval) {
  if (eval->variables != eval->few) {
    clew_free(eval->variables);
  }
}

void cpn_scratch_tidy(struct cpn_net *net) {
  if (clew_arena_bytes(net->scratch) > SCRATCH_BYTES) {
    clew_arena_close(net->scratch);
    net->scratch = clew_arena_open();
  }
}

/* ---- matching tokens ---- */

struct search {
  struct cpn_net *net;
  const struct cpn_transition *transition;
  const uint32_t *numbers;
  struct cpn_eval eval;
  cpn_visit *visit;
  void *context;
  uint32_t trail[256]; /* variables in the order in which they were bound */
  uint32_t bound;
};

static bool match(struct search *s, const struct cpn_expr *pattern, const struct cpn_value *value);

static bool match_variable(struct search *s, uint32_t variable, const struct cpn_value *value) {
  const struct cpn_value *old = s->eval.variables[variable];
  if (old != NULL) {
    return old == value; /* both are interned */
  }
  const struct cpn_colour *colour = s->net->variables.data[variable].colour;
  if (s->bound == sizeof s->trail / sizeof s->trail[0] ||
      (colour->is_restricted && !cpn_colour_has(&s->eval.ctx, colour, value))) {
    return false;
  }
  s->eval.variables[variable] = value;
  s->trail[s->bound++] = variable;
  return true;
}

static bool match_parts(struct search *s, const struct cpn_expr *pattern,
                        const struct cpn_value *value) {
  if (pattern->kind == CPN_LIST) {
    for (uint32_t i = 0; i < pattern->count; i++, value = value->tail) {
      if (value->kind != CPN_V_CONS || !match(s, pattern->parts[i], value->head)) {
        return false;
      }
    }
    return value->kind == CPN_V_NIL;
  }
  assert(pattern->count == value->count);
  for (uint32_t i = 0; i < pattern->count; i++) {
    if (!match(s, pattern->parts[i], value->parts[i])) {
      return false;
    }
  }
  return true;
}

/* An inscription as a pattern: `value` is interned. */
static bool match(struct search *s, const struct cpn_expr *pattern, const struct cpn_value *value) {
  switch (pattern->kind) {
  case CPN_NAME:
    if (pattern->scope == CPN_VARIABLE) {
      return match_variable(s, pattern->variable, value);
    }
    return cpn_value_compare(pattern->global->value, value) == 0;
  case CPN_TUPLE:
  case CPN_RECORD:
  case CPN_LIST:
    return match_parts(s, pattern, value);
  case CPN_TYPED:
    return match(s, pattern->parts[0], value);
  case CPN_APPLY: {
    const struct cpn_con *con = pattern->parts[0]->global->con;
    if (pattern->parts[0]->name == s->net->ml.cons_name) {
      const struct cpn_expr *pair = pattern->parts[1];
      if (pair->kind != CPN_TUPLE || value->kind != CPN_V_CONS) {
        return false;
      }
      return match(s, pair->parts[0], value->head) && match(s, pair->parts[1], value->tail);
    }
    return value->kind == CPN_V_CON && value->con == con && value->arg != NULL &&
           match(s, pattern->parts[1], value->arg);
  }
  default:
    return cpn_value_compare(pattern->constant, value) == 0;
  }
}

static void unbind(struct search *s, uint32_t bound) {
  while (s->bound > bound) {
    s->eval.variables[s->trail[--s->bound]] = NULL;
  }
}

/* ---- the plan ---- */

static bool take_step(struct search *s, uint32_t at);

static bool step_match(struct search *s, const struct cpn_step *step, uint32_t at) {
  uint32_t place = s->transition->arc_places[step->arc];
  const struct cpn_bag *bag = cpn_bag(s->net, place, s->numbers[place]);
  for (uint32_t i = 0; i < bag->count; i++) {
    uint32_t bound = s->bound;
    bool goes_on = !match(s, step->pattern, bag->tokens[i].token) || take_step(s, at + 1);
    unbind(s, bound);
    if (!goes_on) {
      return false;
    }
  }
  return true;
}

static bool step_bind(struct search *s, const struct cpn_step *step, uint32_t at) {
  const struct cpn_value *value = cpn_eval(&s->eval.ctx, step->expr, NULL);
  uint32_t bound = s->bound;
  if (value == NULL) {
    bool is_stopped = s->eval.ctx.failure == CPN_STOPPED;
    s->eval.ctx.failure = CPN_FINE;
    /* It has no value: the binding fails, or another guard is false before. */
    return !is_stopped && s->visit(s->context, s->eval.variables);
  }
  bool goes_on = !match(s, step->pattern, cpn_intern(&s->net->pool, value)) || take_step(s, at + 1);
  unbind(s, bound);
  return goes_on;
}

static bool step_test(struct search *s, const struct cpn_step *step, uint32_t at) {
  const struct cpn_value *value = cpn_eval(&s->eval.ctx, step->expr, NULL);
  if (value == NULL) {
    bool is_stopped = s->eval.ctx.failure == CPN_STOPPED;
    s->eval.ctx.failure = CPN_FINE;
    return !is_stopped && take_step(s, at + 1);
  }
  return !cpn_is_true(&s->net->ml, value) || take_step(s, at + 1);
}

static bool step_range(struct search *s, const struct cpn_step *step, uint32_t at) {
  bool goes_on = true;
  for (const struct cpn_value *v = step->values; v->kind == CPN_V_CONS && goes_on; v = v->tail) {
    s->eval.variables[step->variable] = v->head;
    goes_on = take_step(s, at + 1);
  }
  s->eval.variables[step->variable] = NULL;
  return goes_on;
}

static bool take_step(struct search *s, uint32_t at) {
  const struct cpn_inscription *in = s->transition->inscription;
  if (at == in->step_count) {
    const atomic_bool *stop = s->eval.ctx.stop;
    return (stop == NULL || !atomic_load_explicit(stop, memory_order_relaxed)) &&
           s->visit(s->context, s->eval.variables);
  }
  switch (in->steps[at].kind) {
  case CPN_MATCH:
    return step_match(s, &in->steps[at], at);
  case CPN_BIND:
    return step_bind(s, &in->steps[at], at);
  case CPN_TEST:
    return step_test(s, &in->steps[at], at);
  case CPN_RANGE:
    break;
  }
  return step_range(s, &in->steps[at], at);
}

bool cpn_each_binding(struct cpn_net *net, const struct cpn_transition *transition,
                      const uint32_t *numbers, const atomic_bool *stop, cpn_visit *visit,
                      void *context) {
  struct search s = {
      .net = net, .transition = transition, .numbers = numbers, .visit = visit, .context = context};
  cpn_eval_open(net, &s.eval, stop);
  bool goes_on = take_step(&s, 0);
  cpn_eval_close(&s.eval);
  return goes_on;
}

/* ---- what a binding does ---- */

/* Bindings are evaluated in this. */
struct work {
  struct cpn_net *net;
  const struct cpn_transition *transition;
  struct cpn_binding *binding;
  struct cpn_eval eval;
  struct clew_arena *arena;
};

static void open_work(struct work *w, struct cpn_net *net, struct cpn_binding *binding,
                      const atomic_bool *stop, struct clew_arena *arena) {
  w->net = net;
  w->transition = &net->transitions.data[binding->transition];
  w->binding = binding;
  w->arena = arena;
  cpn_eval_open(net, &w->eval, stop);
  const struct cpn_inscription *in = w->transition->inscription;
  for (uint32_t i = 0; i < in->variable_count; i++) {
    w->eval.variables[in->variables[i]] = binding->values[i];
  }
}

/* The binding fails: `where` says in which inscription. */
static void fault(struct work *w, const struct cpn_text *where, const struct cpn_value *outside) {
  struct cpn_binding *binding = w->binding;
  struct clew_text text = {0};
  uint32_t site = CPN_SITE_EXCEPTION;
  const char *shown = strstr(where->source.name, ": ");
  if (outside != NULL) {
    site = CPN_SITE_RANGE;
    cpn_value_print(outside, &text);
    clew_text_put(&text, " is not in the colour set");
  } else if (w->eval.ctx.failure == CPN_RAISED) {
    clew_text_put(&text, "exception ");
    cpn_exception_print(w->eval.ctx.exception, &text);
  } else {
    site = w->eval.ctx.failure == CPN_DEEP ? CPN_SITE_DEEP : CPN_SITE_HUGE;
    clew_text_put(&text, site == CPN_SITE_DEEP ? "calls nest too deeply" : "too much memory");
  }
  clew_text_printf(&text, " (%s: %.60s)", shown != NULL ? shown + 2 : where->source.name,
                   where->source.text);
  for (size_t i = 0; i < text.len; i++) {
    text.data[i] = text.data[i] == '\n' || text.data[i] == '\r' ? ' ' : text.data[i];
  }
  binding->why = clew_arena_strndup(w->arena, clew_text_str(&text), text.len);
  binding->state = CPN_B_FAULTY;
  binding->site = w->transition->first_site + site;
  clew_text_free(&text);
}

struct moves {
  CLEW_VEC(struct cpn_move) list;
};

static void add_move(struct moves *moves, uint32_t place, const struct cpn_value *token) {
  for (uint32_t i = 0; i < moves->list.len; i++) {
    if (moves->list.data[i].place == place && moves->list.data[i].token == token) {
      moves->list.data[i].count++;
      return;
    }
  }
  struct cpn_move move = {place, token, 1};
  clew_vec_push(&moves->list, move);
}

/* Adds what an arc moves; false: it fails, or the flag is raised. */
static bool add_arc(struct work *w, uint32_t a, struct moves *moves) {
  const struct cpn_arc *arc = &w->transition->inscription->arcs[a];
  uint32_t place = w->transition->arc_places[a];
  const struct cpn_colour *colour = w->net->places.data[place].colour;
  const struct cpn_value *value = cpn_eval(&w->eval.ctx, arc->expr, NULL);
  if (value == NULL) {
    if (w->eval.ctx.failure != CPN_STOPPED) {
      fault(w, arc->text, NULL);
    }
    return false;
  }
  for (const struct cpn_value *at = value; arc->is_token || at->kind == CPN_V_CONS; at = at->tail) {
    const struct cpn_value *token = arc->is_token ? value : at->head;
    if (colour->is_restricted && !cpn_colour_has(&w->eval.ctx, colour, token)) {
      if (w->eval.ctx.failure != CPN_STOPPED) {
        fault(w, arc->text, w->eval.ctx.failure == CPN_FINE ? token : NULL);
      }
      return false;
    }
    add_move(moves, place, cpn_intern(&w->net->pool, token));
    if (arc->is_token) {
      break;
    }
  }
  return true;
}

static bool add_arcs(struct work *w, bool takes, struct moves *moves) {
  const struct cpn_inscription *in = w->transition->inscription;
  for (uint32_t a = 0; a < in->arc_count; a++) {
    if ((takes ? in->arcs[a].takes : in->arcs[a].gives) && !add_arc(w, a, moves)) {
      return false;
    }
  }
  return true;
}

struct unknowns {
  const struct cpn_value *const *variables;
  bool any;
};

static void note_unknown(void *context, uint32_t variable) {
  struct unknowns *u = context;
  u->any = u->any || u->variables[variable] == NULL;
}

/* Guards in the order of the text: whether all are true. */
static bool test_guards(struct work *w) {
  const struct cpn_inscription *in = w->transition->inscription;
  for (uint32_t i = 0; i < in->guard_count; i++) {
    struct unknowns unknowns = {w->eval.variables, false};
    cpn_each_variable(in->guards[i], note_unknown, &unknowns);
    const struct cpn_expr *expr = in->guards[i];
    for (uint32_t s = 0; unknowns.any && s < in->step_count; s++) {
      /* It was to bind them: its right side is what fails. */
      const struct cpn_step *step = &in->steps[s];
      struct unknowns inner = {w->eval.variables, false};
      if (step->kind == CPN_BIND && expr->is_infix &&
          (expr->parts[1]->parts[0] == step->expr || expr->parts[1]->parts[1] == step->expr)) {
        cpn_each_variable(step->expr, note_unknown, &inner);
        if (!inner.any) {
          expr = step->expr;
          unknowns.any = false;
        }
        break;
      }
    }
    if (unknowns.any) {
      continue;
    }
    const struct cpn_value *value = cpn_eval(&w->eval.ctx, expr, NULL);
    if (value == NULL) {
      if (w->eval.ctx.failure != CPN_STOPPED) {
        fault(w, &w->transition->node->guard, NULL);
      }
      return false;
    }
    if (expr == in->guards[i] && !cpn_is_true(&w->net->ml, value)) {
      w->binding->state = CPN_B_OFF;
      return false;
    }
  }
  return true;
}

static void keep_moves(struct work *w, struct moves *moves, struct cpn_move **list,
                       uint32_t *count) {
  *list = clew_arena_copy(w->arena, moves->list.data, moves->list.len, sizeof **list);
  *count = moves->list.len;
}

/* Guard and inputs; false: the flag was raised. */
static bool evaluate_inputs(struct cpn_net *net, struct cpn_binding *binding,
                            const atomic_bool *stop, struct clew_arena *arena) {
  struct work w;
  struct moves moves = {0};
  open_work(&w, net, binding, stop, arena);
  binding->state = CPN_B_FAULTY; /* unless … */
  if (test_guards(&w) && add_arcs(&w, true, &moves)) {
    keep_moves(&w, &moves, &binding->takes, &binding->take_count);
    binding->state = CPN_B_INPUTS;
    binding->takes_known = true;
  }
  clew_vec_free(&moves.list);
  cpn_eval_close(&w.eval);
  return w.eval.ctx.failure != CPN_STOPPED;
}

bool cpn_binding_gives(struct cpn_net *net, struct cpn_binding *binding, const atomic_bool *stop,
                       struct clew_arena *arena) {
  if (binding->state != CPN_B_INPUTS) {
    return true;
  }
  struct work w;
  struct moves moves = {0};
  open_work(&w, net, binding, stop, arena != NULL ? arena : net->binding_arena);
  if (add_arcs(&w, false, &moves)) {
    keep_moves(&w, &moves, &binding->gives, &binding->give_count);
    binding->state = CPN_B_READY;
  }
  clew_vec_free(&moves.list);
  cpn_eval_close(&w.eval);
  return w.eval.ctx.failure != CPN_STOPPED;
}

/* ---- the table of bindings ---- */

static void grow(struct cpn_net *net) {
  uint32_t capacity = net->binding_capacity == 0 ? 256 : net->binding_capacity * 2;
  struct cpn_binding **table = clew_alloc_zero(capacity, sizeof *table);
  for (uint32_t i = 0; i < net->binding_capacity; i++) {
    struct cpn_binding *binding = net->binding_table[i];
    if (binding != NULL) {
      uint32_t at = (uint32_t)binding->hash & (capacity - 1);
      while (table[at] != NULL) {
        at = (at + 1) & (capacity - 1);
      }
      table[at] = binding;
    }
  }
  clew_free(net->binding_table);
  net->binding_table = table;
  net->binding_capacity = capacity;
}

static struct cpn_binding *new_binding(struct clew_arena *arena, uint32_t transition,
                                       const struct cpn_inscription *in,
                                       const struct cpn_value *const *variables) {
  struct cpn_binding *binding =
      clew_arena_alloc(arena, sizeof *binding + in->variable_count * sizeof binding->values[0]);
  binding->transition = transition;
  for (uint32_t i = 0; i < in->variable_count; i++) {
    binding->values[i] = variables[in->variables[i]];
  }
  return binding;
}

struct cpn_binding *cpn_binding(struct cpn_net *net, uint32_t transition,
                                const struct cpn_value *const *variables, const atomic_bool *stop,
                                struct clew_arena *arena) {
  const struct cpn_inscription *in = net->transitions.data[transition].inscription;
  if (arena != NULL) {
    struct cpn_binding *binding = new_binding(arena, transition, in, variables);
    return evaluate_inputs(net, binding, stop, arena) ? binding : NULL;
  }
  if (net->binding_count * 2 >= net->binding_capacity) {
    grow(net);
  }
  uint64_t hash = transition;
  for (uint32_t i = 0; i < in->variable_count; i++) {
    const struct cpn_value *value = variables[in->variables[i]];
    uint64_t word = value != NULL ? value->id + UINT64_C(1) : 0;
    hash = clew_hash_words(&word, 1, hash);
  }
  uint32_t at = (uint32_t)hash & (net->binding_capacity - 1);
  for (; net->binding_table[at] != NULL; at = (at + 1) & (net->binding_capacity - 1)) {
    struct cpn_binding *known = net->binding_table[at];
    bool same = known->hash == hash && known->transition == transition;
    for (uint32_t i = 0; i < in->variable_count && same; i++) {
      same = known->values[i] == variables[in->variables[i]];
    }
    if (same) {
      return known;
    }
  }
  struct cpn_binding *binding = new_binding(net->binding_arena, transition, in, variables);
  binding->hash = hash;
  if (!evaluate_inputs(net, binding, stop, net->binding_arena)) {
    return NULL;
  }
  net->binding_table[at] = binding;
  net->binding_count++;
  return binding;
}

int cpn_binding_compare(const struct cpn_net *net, const struct cpn_binding *a,
                        const struct cpn_binding *b) {
  const struct cpn_inscription *in = net->transitions.data[a->transition].inscription;
  for (uint32_t i = 0; i < in->variable_count; i++) {
    const struct cpn_value *x = a->values[i], *y = b->values[i];
    int order = x == y ? 0 : x == NULL ? -1 : y == NULL ? 1 : cpn_value_compare(x, y);
    if (order != 0) {
      return order;
    }
  }
  return 0;
}

void cpn_binding_print(const struct cpn_net *net, const struct cpn_binding *binding,
                       struct clew_text *out) {
  const struct cpn_inscription *in = net->transitions.data[binding->transition].inscription;
  for (uint32_t i = 0; i < in->variable_count; i++) {
    clew_text_printf(out, "%s%s=", i > 0 ? ", " : "(",
                     net->variables.data[in->variables[i]].name->base.text);
    if (binding->values[i] != NULL) {
      cpn_value_print(binding->values[i], out);
    } else {
      clew_text_char(out, '?');
    }
  }
  clew_text_put(out, in->variable_count > 0 ? ")" : "");
}
