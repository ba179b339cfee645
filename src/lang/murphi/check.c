/* Checking the model as a whole: globals, functions, rules, and what functions write. */
#include "lang/murphi/check.h"

#include <assert.h>
#include <string.h>

/* ---- Globals -------------------------------------------------------------------------------- */

/* Constants that name a value of an enumeration were evaluated before it had its number. */
static void number_constants(struct murphi_checker *c) {
  assert(c->depth == 0 && c->m->numbered);
  for (struct murphi_symbol *symbol = c->scope; symbol != NULL; symbol = symbol->next) {
    if (symbol->kind == MURPHI_SYMBOL_CONST && clew_murphi_type_is_enumerated(symbol->type)) {
      symbol->value += symbol->type->lo;
    }
  }
}

/* `--param` of what exists but is no constant. */
static void check_overrides(struct murphi_checker *c) {
  assert(c->depth == 0);
  for (uint32_t i = 0; i < c->m->front->request->override_count; i++) {
    struct clew_override *override = &c->m->front->request->overrides[i];
    if (override->used) {
      continue;
    }
    const struct murphi_name *name = (struct murphi_name *)clew_name_intern(
        &c->m->front->names, override->name, strlen(override->name));
    if (name->symbol != NULL) {
      override->used = true;
      clew_front_error(c->m->front, name->symbol->span,
                       "--param cannot set '%s', which is %s: only constants can be set",
                       override->name, clew_murphi_symbol_text(name->symbol));
    }
  }
}

/* ---- Functions ------------------------------------------------------------------------------ */

static void check_signature(struct murphi_checker *c, struct murphi_function *function) {
  assert(c->depth == 0 && function->writes_param == NULL);
  for (struct murphi_decl *param = function->params; param != NULL; param = param->next) {
    clew_murphi_check_type(c, param->type_expr);
  }
  if (function->result_expr != NULL) {
    function->result = clew_murphi_check_type(c, function->result_expr);
    if (clew_murphi_type_has_multiset(function->result)) {
      clew_front_error(c->m->front, function->result_expr->span,
                       "a function cannot return a multiset");
      function->result = &c->m->error_type;
    }
  }
  function->writes_param = CLEW_NEW_ARRAY(c->m->front->arena, bool, function->param_count);
  const struct murphi_type *type =
      function->result != NULL ? function->result : &c->m->undefined_type;
  clew_murphi_declare(c, MURPHI_SYMBOL_FUNCTION, function->name, function->span, type)->function =
      function;
}

static void check_function(struct murphi_checker *c, struct murphi_function *function) {
  assert(c->function == NULL && c->pure == NULL);
  c->function = function;
  struct murphi_symbol *outer = clew_murphi_scope_open(c);
  uint32_t number = 0;
  for (struct murphi_decl *param = function->params; param != NULL; param = param->next) {
    param->symbol = clew_murphi_declare(
        c, param->by_reference ? MURPHI_SYMBOL_VAR_PARAM : MURPHI_SYMBOL_VALUE_PARAM, param->name,
        param->span, param->type_expr->type);
    param->symbol->param = number++;
  }
  struct murphi_symbol *params = clew_murphi_scope_open(c);
  clew_murphi_check_decls(c, function->decls, false);
  clew_murphi_check_stmts(c, function->body);
  clew_murphi_scope_close(c, params);
  clew_murphi_scope_close(c, outer);
  c->function = NULL;
}

/* ---- Rules ---------------------------------------------------------------------------------- */

static void check_rules(struct murphi_checker *c, struct murphi_rule *rules);

static void check_priority(struct murphi_checker *c, struct murphi_rule *rule) {
  assert(rule->priority != NULL);
  int64_t value;
  if (clew_murphi_check_number(c, rule->priority, "a priority", &value) &&
      (value < INT32_MIN || value > INT32_MAX)) {
    clew_front_error(c->m->front, rule->priority->span, "the priority %lld is out of range",
                     (long long)value);
  }
}

static void check_simple(struct murphi_checker *c, struct murphi_rule *rule) {
  if (rule->kind == MURPHI_RULE_START && c->choices > 0) {
    clew_front_error(c->m->front, rule->span, "a start state cannot be inside 'choose'");
  }
  if (rule->priority != NULL) {
    check_priority(c, rule);
  }
  if (rule->guard != NULL) {
    c->pure = "a guard";
    c->guarded = rule;
    clew_murphi_check_boolean(c, rule->guard, "the guard");
    c->guarded = NULL;
    c->pure = NULL;
  }
  struct murphi_symbol *outer = clew_murphi_scope_open(c);
  clew_murphi_check_decls(c, rule->decls, false);
  clew_murphi_check_stmts(c, rule->body);
  clew_murphi_scope_close(c, outer);
}

/* What the parameters of rules range over is fixed, for it numbers the transitions. */
static void check_parameter(struct murphi_checker *c, struct murphi_quantifier *q) {
  assert(c->pure != NULL);
  uint32_t errors = c->m->front->diags->error_count;
  clew_murphi_check_quantifier(c, q);
  if (q->from == NULL || c->m->front->diags->error_count > errors) {
    return;
  }
  const struct murphi_expr *unknown = !q->from->is_constant ? q->from
                                      : !q->to->is_constant ? q->to
                                      : q->step == 0        ? q->by
                                                            : NULL;
  if (unknown != NULL) {
    clew_front_error(c->m->front, unknown->span,
                     "the bounds of a ruleset must be known before execution, but \"%s\" is not",
                     clew_front_excerpt(c->m->front, unknown->span));
  } else if (q->symbol->type->kind != MURPHI_TYPE_RANGE) {
    clew_front_error(c->m->front, clew_span_join(q->from->span, q->to->span),
                     "there is no value from %lld to %lld by %lld", (long long)q->from->value,
                     (long long)q->to->value, (long long)q->step);
  } else if (q->symbol->type->count > MURPHI_MAX_VALUES) {
    clew_front_error(c->m->front, clew_span_join(q->from->span, q->to->span),
                     "the range %lld..%lld is too wide: the limit is %lld values",
                     (long long)q->symbol->type->lo, (long long)q->symbol->type->hi,
                     (long long)MURPHI_MAX_VALUES);
  }
}

static void check_set(struct murphi_checker *c, struct murphi_rule *rule) {
  assert(rule->children != NULL || rule->quantifiers != NULL || rule->aliases != NULL);
  struct murphi_symbol *outer = clew_murphi_scope_open(c);
  c->pure = "the head of a rule";
  for (struct murphi_quantifier *q = rule->quantifiers; q != NULL; q = q->next) {
    check_parameter(c, q);
  }
  bool choice = rule->quantifiers != NULL && rule->quantifiers->bag != NULL;
  c->choices += choice;
  clew_murphi_check_aliases(c, rule->aliases);
  c->pure = NULL;
  check_rules(c, rule->children);
  c->choices -= choice;
  clew_murphi_scope_close(c, outer);
}

static void check_property(struct murphi_checker *c, struct murphi_rule *rule) {
  assert(rule->kind == MURPHI_RULE_PROPERTY);
  if (rule->property == MURPHI_PROPERTY_LIVENESS && c->choices > 0) {
    clew_front_error(c->m->front, rule->span, "a liveness property cannot be inside 'choose'");
  }
  c->pure = rule->query > 0 ? "the expression" : "a property";
  clew_murphi_check_boolean(c, rule->guard, c->pure);
  c->pure = NULL;
}

static void check_rules(struct murphi_checker *c, struct murphi_rule *rules) {
  for (struct murphi_rule *rule = rules; rule != NULL; rule = rule->next) {
    switch (rule->kind) {
    case MURPHI_RULE_SIMPLE:
    case MURPHI_RULE_START:
      check_simple(c, rule);
      break;
    case MURPHI_RULE_SET:
    case MURPHI_RULE_ALIAS:
      check_set(c, rule);
      break;
    case MURPHI_RULE_PROPERTY:
      check_property(c, rule);
      break;
    }
  }
}

static bool has_rule(const struct murphi_rule *rules, enum murphi_rule_kind kind) {
  for (const struct murphi_rule *rule = rules; rule != NULL; rule = rule->next) {
    if (rule->kind == kind || has_rule(rule->children, kind)) {
      return true;
    }
  }
  return false;
}

static void check_completeness(struct murphi_checker *c) {
  bool rules = has_rule(c->m->model.rules, MURPHI_RULE_SIMPLE);
  bool starts = has_rule(c->m->model.rules, MURPHI_RULE_START);
  if (!starts) {
    clew_front_error_whole(c->m->front, "%s",
                           rules ? "the model has no start state"
                                 : "empty model: no rules or start states");
  } else if (!rules) {
    clew_front_warn_whole(c->m->front, "the model has no rules: nothing follows its start states");
  }
}

/* ---- Effects -------------------------------------------------------------------------------- */

/* Writing through `root` from inside the function; true when that is news. */
static bool note_write(struct murphi_function *function, const struct murphi_symbol *root) {
  assert(function->writes_param != NULL || function->param_count == 0);
  bool *flag;
  switch (root->kind) {
  case MURPHI_SYMBOL_STATE:
    flag = &function->writes_state;
    break;
  case MURPHI_SYMBOL_VAR_PARAM:
    flag = &function->writes_param[root->param];
    break;
  default:
    return false;
  }
  bool news = !*flag;
  *flag = true;
  function->writes_refs = true;
  return news;
}

/* What the callee does to the caller's variables. */
static bool note_call(struct murphi_function *function, const struct murphi_expr *call) {
  assert(call->callee->param_count == call->arg_count);
  const struct murphi_function *callee = call->callee;
  bool news =
      (callee->writes_state && !function->writes_state) || (callee->removes && !function->removes);
  function->removes = function->removes || callee->removes;
  function->writes_state = function->writes_state || callee->writes_state;
  function->writes_refs = function->writes_refs || callee->writes_state;
  for (uint32_t i = 0; i < call->arg_count; i++) {
    const struct murphi_symbol *root =
        callee->writes_param[i] ? clew_murphi_root(call->args[i]) : NULL;
    if (root != NULL) {
      news = note_write(function, root) || news;
    }
  }
  return news;
}

static bool note_effect(const struct murphi_effect *effect) {
  if (effect->root == NULL) {
    return note_call(effect->function, effect->call);
  }
  bool news = effect->removes && !effect->function->removes;
  effect->function->removes = effect->function->removes || effect->removes;
  return note_write(effect->function, effect->root) || news;
}

/* To the least fixed point. Going back and forth, chains of calls take few rounds either way. */
static void spread_effects(struct murphi_checker *c) {
  bool news = true;
  for (bool forward = true; news; forward = !forward) {
    news = false;
    for (uint32_t i = 0; i < c->effects.len; i++) {
      news = note_effect(&c->effects.data[forward ? i : c->effects.len - 1 - i]) || news;
    }
  }
}

static bool has_priority(const struct murphi_rule *rules) {
  for (const struct murphi_rule *rule = rules; rule != NULL; rule = rule->next) {
    if (rule->priority != NULL || has_priority(rule->children)) {
      return true;
    }
  }
  return false;
}

/* Properties must leave the state alone. What a guard does to it becomes part of the rule; but
 * which rules a priority holds back is decided by guards alone. */
static void check_purity(struct murphi_checker *c) {
  bool priorities = has_priority(c->m->model.rules);
  for (uint32_t i = 0; i < c->pure_calls.len; i++) {
    const struct murphi_pure_call *pure = &c->pure_calls.data[i];
    const struct murphi_function *callee = pure->call->callee;
    bool writes = callee->writes_state;
    for (uint32_t j = 0; j < pure->call->arg_count; j++) {
      const struct murphi_symbol *root = clew_murphi_root(pure->call->args[j]);
      writes =
          writes || (callee->writes_param[j] && root != NULL && root->kind == MURPHI_SYMBOL_STATE);
    }
    if (writes && pure->rule != NULL && !priorities) {
      pure->rule->guard_writes = true;
      clew_front_warn(c->m->front, pure->call->span,
                      "this guard changes the state by '%s', which becomes part of the rule",
                      callee->name->id.text);
    } else if (writes) {
      clew_front_error(c->m->front, pure->call->span, "%s must not change the state, but '%s' does",
                       pure->where, callee->name->id.text);
    }
  }
}

/* A reference must not outlive what it refers to: nothing could be checked through it. */
static void check_bag_refs(struct murphi_checker *c) {
  for (uint32_t i = 0; i < c->bag_refs.len; i++) {
    const struct murphi_expr *call = c->bag_refs.data[i].call;
    uint32_t arg = c->bag_refs.data[i].arg;
    if (call->callee->removes && call->callee->writes_param[arg]) {
      clew_front_error(
          c->m->front, call->args[arg]->span,
          "'%s' may remove elements of multisets: it cannot be given a reference to one",
          call->callee->name->id.text);
    }
  }
}

/* ---- The model ------------------------------------------------------------------------------ */

void clew_murphi_check(struct murphi *m) {
  struct murphi_checker c = {.m = m};
  uint32_t errors = m->front->diags->error_count;
  m->cover_end = &m->covers;
  clew_murphi_types_init(m);
  clew_murphi_check_decls(&c, m->model.decls, true);
  clew_murphi_types_number(m);
  number_constants(&c);
  for (struct murphi_function *f = m->model.functions; f != NULL; f = f->next) {
    check_signature(&c, f);
  }
  check_overrides(&c);
  for (struct murphi_function *f = m->model.functions; f != NULL; f = f->next) {
    check_function(&c, f);
  }
  check_rules(&c, m->model.rules);
  spread_effects(&c);
  check_purity(&c);
  check_bag_refs(&c);
  check_completeness(&c);
  if (m->front->diags->error_count == errors) {
    clew_murphi_check_symmetry(m);
  }
  if (clew_front_notes(m->front)) {
    clew_murphi_note(&c);
  }
  clew_vec_free(&c.noted);
  clew_vec_free(&c.effects);
  clew_vec_free(&c.pure_calls);
  clew_vec_free(&c.bag_refs);
}
