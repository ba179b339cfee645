/* Inscriptions: guards and arc expressions, parsed and typed.
 *
 * An arc expression is a token of its place if it has that type, and only otherwise a multiset: on
 * a place of lists, [] is a token. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lang/cpn/cpn_int.h"

void cpn_each_variable(const struct cpn_expr *expr, void visit(void *context, uint32_t variable),
                       void *context);

static void in_clauses(const struct cpn_clauses *clauses, void visit(void *, uint32_t),
                       void *context) {
  for (uint32_t i = 0; i < clauses->count; i++) {
    cpn_each_variable(clauses->list[i].body, visit, context);
  }
}

static void in_decs(const struct cpn_dec *decs, void visit(void *, uint32_t), void *context) {
  for (; decs != NULL; decs = decs->next) {
    if (decs->body != NULL) {
      cpn_each_variable(decs->body, visit, context);
    }
    for (const struct cpn_fun *fun = decs->funs; fun != NULL; fun = fun->next) {
      in_clauses(&fun->clauses, visit, context);
    }
    in_decs(decs->inner, visit, context);
    in_decs(decs->outer, visit, context);
  }
}

void cpn_each_variable(const struct cpn_expr *expr, void visit(void *context, uint32_t variable),
                       void *context) {
  if (expr->kind == CPN_NAME && expr->scope == CPN_VARIABLE) {
    visit(context, expr->variable);
  }
  for (uint32_t i = 0; i < expr->count; i++) {
    cpn_each_variable(expr->parts[i], visit, context);
  }
  in_clauses(&expr->clauses, visit, context);
  in_decs(expr->decs, visit, context);
}

struct cpn_expr *cpn_read_marking(struct cpn_net *net, const struct cpn_text *text,
                                  const struct cpn_colour *colour, bool sees_variables,
                                  bool *is_token) {
  struct cpn_reader reader = {.ml = &net->ml, .text = text};
  struct cpn_expr *expr = cpn_parse_expr(&reader);
  if (expr == NULL) {
    return NULL;
  }
  struct cpn_reader quiet = reader;
  quiet.is_quiet = true;
  *is_token = cpn_check(&quiet, expr, colour->type, sees_variables);
  if (*is_token) {
    return expr;
  }
  quiet = reader;
  quiet.is_quiet = true;
  if (cpn_check(&quiet, expr, cpn_type_list(&net->ml, colour->type), sees_variables)) {
    return expr;
  }
  /* Neither: the message says how it is no token, unless it looks like a multiset. */
  const char *op = expr->kind == CPN_APPLY && expr->is_infix ? expr->parts[0]->name->base.text : "";
  bool looks_multiple = strcmp(op, "`") == 0 || strcmp(op, "++") == 0 || expr->kind == CPN_IF;
  (void)cpn_check(&reader, expr,
                  looks_multiple ? cpn_type_list(&net->ml, colour->type) : colour->type,
                  sees_variables);
  return NULL;
}

/* ---- guards ---- */

struct builder {
  struct cpn_net *net;
  CLEW_VEC(struct cpn_expr *) guards;
  CLEW_VEC(struct cpn_arc) arcs;
  CLEW_VEC(uint32_t) variables;
};

static void add_guard(struct builder *b, struct cpn_expr *expr) {
  if (expr->kind == CPN_AND) { /* the first that is false ends it, as in a list */
    add_guard(b, expr->parts[0]);
    add_guard(b, expr->parts[1]);
  } else {
    clew_vec_push(&b->guards, expr);
  }
}

static bool read_guard(struct builder *b, const struct cpn_text *text) {
  struct cpn_ml *ml = &b->net->ml;
  if (text->source.text[strspn(text->source.text, " \t\r\n")] == '\0') {
    return true;
  }
  struct cpn_reader reader = {.ml = ml, .text = text};
  struct cpn_expr *expr = cpn_parse_expr(&reader);
  if (expr == NULL) {
    return false;
  }
  bool is_list = expr->kind == CPN_LIST;
  for (uint32_t i = 0; i < (is_list ? expr->count : 1); i++) {
    struct cpn_expr *part = is_list ? expr->parts[i] : expr;
    if (!cpn_check(&reader, part, ml->bool_type, true)) {
      return false;
    }
    add_guard(b, part);
  }
  return true;
}

/* ---- arcs ---- */

static bool read_arc(struct builder *b, struct cpn_page *page, struct cpn_arc_node *node,
                     const char *transition) {
  uint32_t place = cpn_find_node(b->net, page, node->place);
  if (place == CLEW_NONE) {
    cpn_net_fail(b->net, node->offset, "page '%s': an arc of transition '%s' ends at no place",
                 page->name, transition);
    return false;
  }
  const struct cpn_place_node *at = &page->places.data[place];
  const char *from = node->takes ? at->name : transition, *to = node->takes ? transition : at->name;
  struct cpn_text *text = CLEW_NEW(b->net->arena, struct cpn_text);
  *text = cpn_text_of(b->net, node->text.source.text, "page '%s', arc from '%s' to '%s'",
                      page->name, from, to);
  if (text->source.length == 0) {
    cpn_net_fail(b->net, node->offset, "page '%s': the arc from '%s' to '%s' has no inscription",
                 page->name, from, to);
    return false;
  }
  const struct clew_source *type = &at->type.source;
  const struct cpn_colour *colour = cpn_name(&b->net->ml, type->text, type->length)->colour;
  struct cpn_arc arc = {.text = text, .node = place, .takes = node->takes, .gives = node->gives};
  assert(colour != NULL);
  arc.expr = cpn_read_marking(b->net, text, colour, true, &arc.is_token);
  clew_vec_push(&b->arcs, arc);
  return arc.expr != NULL;
}

static void add_variable(void *context, uint32_t variable) {
  struct builder *b = context;
  for (uint32_t i = 0; i < b->variables.len; i++) {
    if (b->variables.data[i] == variable) {
      return;
    }
  }
  clew_vec_push(&b->variables, variable);
}

static void sort_variables(struct builder *b) {
  const struct cpn_variable *all = b->net->variables.data;
  for (uint32_t i = 1; i < b->variables.len; i++) {
    for (uint32_t k = i; k > 0; k--) {
      uint32_t *pair = &b->variables.data[k - 1];
      if (strcmp(all[pair[0]].name->base.text, all[pair[1]].name->base.text) <= 0) {
        break;
      }
      uint32_t swap = pair[0];
      pair[0] = pair[1];
      pair[1] = swap;
    }
  }
}

static struct cpn_inscription *finish(struct builder *b) {
  struct cpn_inscription *result = CLEW_NEW(b->net->arena, struct cpn_inscription);
  for (uint32_t i = 0; i < b->guards.len; i++) {
    cpn_each_variable(b->guards.data[i], add_variable, b);
  }
  for (uint32_t i = 0; i < b->arcs.len; i++) {
    cpn_each_variable(b->arcs.data[i].expr, add_variable, b);
  }
  sort_variables(b);
  struct clew_arena *arena = b->net->arena;
  result->arcs = clew_arena_copy(arena, b->arcs.data, b->arcs.len, sizeof *b->arcs.data);
  result->arc_count = b->arcs.len;
  result->guards = clew_arena_copy(arena, b->guards.data, b->guards.len, sizeof *b->guards.data);
  result->guard_count = b->guards.len;
  result->variables =
      clew_arena_copy(arena, b->variables.data, b->variables.len, sizeof *b->variables.data);
  result->variable_count = b->variables.len;
  return result;
}

struct cpn_inscription *cpn_inscribe(struct cpn_net *net, struct cpn_page *page,
                                     struct cpn_transition_node *node) {
  struct builder b = {.net = net};
  bool fine = read_guard(&b, &node->guard);
  for (uint32_t i = cpn_id(net, node->id)->first_arc; i != 0; i = page->arcs.data[i - 1].next) {
    fine = read_arc(&b, page, &page->arcs.data[i - 1], node->name) && fine;
  }
  struct cpn_inscription *result = fine ? finish(&b) : NULL;
  clew_vec_free(&b.guards);
  clew_vec_free(&b.arcs);
  clew_vec_free(&b.variables);
  if (result != NULL && !cpn_plan(net, result, page->name, node->name)) {
    result = NULL;
  }
  return result;
}
