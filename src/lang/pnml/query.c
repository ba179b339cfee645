/* Property files of the Model Checking Contest: what is about states, and bounds of places. */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "lang/pnml/pnml_int.h"

enum { MOST_DEPTH = 600 };

struct reader {
  struct pnml *n;
  const struct clew_source *source;
  const char *option;
  bool failed;
};

static void complain(struct reader *r, const struct clew_xml *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void complain(struct reader *r, const struct clew_xml *at, const char *format, ...) {
  if (!r->failed) {
    va_list args;
    va_start(args, format);
    r->failed = r->n->failed = true;
    clew_diag_vat(r->n->diags, CLEW_ERROR, r->source, at->offset, 1, format, args);
    va_end(args);
  }
}

/* The listed places or transitions. */
static struct clew_net_term *read_list(struct reader *r, const struct clew_xml *element,
                                       enum clew_net_op op, const char *of) {
  CLEW_VEC(uint32_t) list = {0};
  bool transitions = op == CLEW_NET_FIREABLE;
  for (const struct clew_xml *at = element->first; at != NULL; at = at->next) {
    uint32_t found = !clew_xml_is(at, of) ? CLEW_NONE
                     : transitions        ? clew_pnml_find_transition(r->n, at->text)
                                          : clew_pnml_find_place(r->n, at->text);
    if (found == CLEW_NONE) {
      complain(r, at, "the net has no %s '%s'", transitions ? "transition" : "place", at->text);
    } else {
      clew_vec_push(&list, found);
    }
  }
  struct clew_net_term *term = clew_pnml_over(r->n, op, list.data, list.len);
  clew_vec_free(&list);
  return term;
}

/* NULL: it is not about a state alone. */
static const struct clew_net_term *read_state(struct reader *r, const struct clew_xml *element,
                                              uint32_t depth);

static const struct clew_net_term *read_several(struct reader *r, const struct clew_xml *element,
                                                enum clew_net_op op, uint32_t depth) {
  uint32_t count = 0;
  for (const struct clew_xml *at = element->first; at != NULL; at = at->next) {
    count++;
  }
  struct clew_net_term *term = clew_pnml_net_term(r->n, op, count);
  const struct clew_net_term **args = (const struct clew_net_term **)term->args;
  count = 0;
  for (const struct clew_xml *at = element->first; at != NULL; at = at->next) {
    args[count] = read_state(r, at, depth + 1);
    if (args[count++] == NULL) {
      return NULL;
    }
  }
  bool needs_two = op == CLEW_NET_AT_MOST || op == CLEW_NET_EQUAL;
  if ((needs_two && count != 2) || (op == CLEW_NET_NOT && count != 1)) {
    complain(r, element, "<%s> has the wrong number of parts", element->name);
    return NULL;
  }
  return term;
}

static const struct clew_net_term *read_state(struct reader *r, const struct clew_xml *element,
                                              uint32_t depth) {
  static const struct {
    const char *name;
    enum clew_net_op op;
  } several[] = {{"conjunction", CLEW_NET_AND},  {"disjunction", CLEW_NET_OR},
                 {"negation", CLEW_NET_NOT},     {"integer-le", CLEW_NET_AT_MOST},
                 {"integer-eq", CLEW_NET_EQUAL}, {"integer-sum", CLEW_NET_PLUS},
                 {"true", CLEW_NET_AND},         {"false", CLEW_NET_OR}};
  if (depth > MOST_DEPTH) {
    complain(r, element, "this formula is nested too deeply");
    return NULL;
  }
  for (uint32_t i = 0; i < sizeof several / sizeof several[0]; i++) {
    if (clew_xml_is(element, several[i].name)) {
      return read_several(r, element, several[i].op, depth);
    }
  }
  if (clew_xml_is(element, "tokens-count")) {
    return read_list(r, element, CLEW_NET_TOKENS, "place");
  }
  if (clew_xml_is(element, "is-fireable")) {
    return read_list(r, element, CLEW_NET_FIREABLE, "transition");
  }
  if (clew_xml_is(element, "integer-constant")) {
    struct clew_net_term *term = clew_pnml_net_term(r->n, CLEW_NET_NUMBER, 0);
    if (!clew_text_parse_i64(element->text, &term->number)) {
      complain(r, element, "'%s' is no number", element->text);
    }
    return term;
  }
  return NULL;
}

static const struct clew_xml *inside(const struct clew_xml *element, const char *outer,
                                     const char *inner) {
  const struct clew_xml *path = clew_xml_is(element, outer) ? element->first : NULL;
  return path != NULL && clew_xml_is(path, inner) ? path->first : NULL;
}

static void read_formula(struct reader *r, const char *name, const struct clew_xml *element,
                         bool is_negated) {
  const struct clew_xml *some = inside(element, "exists-path", "finally");
  const struct clew_xml *all = inside(element, "all-paths", "globally");
  if (clew_xml_is(element, "place-bound")) {
    clew_pnml_add_measure(r->n, name, r->option, read_list(r, element, CLEW_NET_TOKENS, "place"));
    return;
  }
  if (clew_xml_is(element, "negation") && element->first != NULL) {
    read_formula(r, name, element->first, !is_negated);
    return;
  }
  if (some != NULL && clew_xml_is(some, "deadlock")) {
    clew_pnml_add_deadlock(r->n, name, r->option, !is_negated);
    return;
  }
  const struct clew_net_term *term = some != NULL  ? read_state(r, some, 0)
                                     : all != NULL ? read_state(r, all, 0)
                                                   : NULL;
  if (term == NULL) {
    clew_pnml_add_unchecked(r->n, name, "only EF and AG of formulas about states are supported");
    return;
  }
  /* Not EF is AG not, and the other way round. */
  bool seeks = (some != NULL) != is_negated;
  clew_pnml_add_state_property(r->n, name, r->option, is_negated ? clew_pnml_not(r->n, term) : term,
                               seeks ? CLEW_QUERY_REACH : CLEW_QUERY_INVARIANT);
}

void clew_pnml_read_properties(struct pnml *n, const struct clew_formulas *formulas) {
  struct reader r = {.n = n, .source = &formulas->source, .option = formulas->option};
  const struct clew_xml *root = clew_xml_read(&formulas->source, n->arena, NULL, n->diags);
  if (root == NULL) {
    n->failed = true;
    return;
  }
  if (!clew_xml_is(root, "property-set")) {
    complain(&r, root, "a <property-set> was expected, not <%s>", root->name);
    return;
  }
  for (const struct clew_xml *at = root->first; at != NULL && !r.failed; at = at->next) {
    const struct clew_xml *id = clew_xml_child(at, "id"), *formula = clew_xml_child(at, "formula");
    if (!clew_xml_is(at, "property") || id == NULL || formula == NULL || formula->first == NULL) {
      complain(&r, at, "a <property> with an id and a formula was expected");
      return;
    }
    read_formula(&r, id->text, formula->first, false);
  }
}
