/* Sorts, variables, and terms over them. */
#include <assert.h>
#include <string.h>

#include "lang/pnml/pnml_int.h"

enum { MOST_DEPTH = 400 };
#define MOST_COLOURS (UINT64_C(1) << 32)

/* ---- sorts ---- */

static uint32_t add_sort(struct pnml *n, struct pnml_sort sort, const struct clew_xml *element) {
  if (sort.size == 0 || sort.size > MOST_COLOURS) {
    clew_pnml_fail(n, element->offset,
                   sort.size == 0 ? "this sort has no colours" : "this sort has too many colours");
    return CLEW_NONE;
  }
  clew_vec_push(&n->sorts, sort);
  return n->sorts.len - 1;
}

static uint32_t read_enumeration(struct pnml *n, const struct clew_xml *element) {
  CLEW_VEC(const char *) names = {0};
  for (const struct clew_xml *at = element->first; at != NULL; at = at->next) {
    const char *id = clew_xml_attribute(at, "id"), *name = clew_xml_attribute(at, "name");
    if (!clew_xml_is(at, "feconstant") || id == NULL) {
      clew_pnml_fail(n, at->offset, "a constant with an id was expected");
      continue;
    }
    struct pnml_id *constant = clew_pnml_id(n, id);
    constant->constant_sort = n->sorts.len + 1;
    constant->constant = names.len;
    clew_vec_push(&names, name != NULL && name[0] != '\0' ? name : constant->name.text);
  }
  struct pnml_sort sort = {
      .kind = PNML_ENUMERATION,
      .size = names.len,
      .constants = clew_arena_copy(n->arena, names.data, names.len, sizeof(const char *))};
  clew_vec_free(&names);
  return add_sort(n, sort, element);
}

static uint32_t read_range(struct pnml *n, const struct clew_xml *element) {
  const char *start = clew_xml_attribute(element, "start");
  const char *end = clew_xml_attribute(element, "end");
  int64_t lo, hi;
  if (start == NULL || end == NULL || !clew_text_parse_i64(start, &lo) ||
      !clew_text_parse_i64(end, &hi) || lo > hi || lo < INT32_MIN || hi > INT32_MAX) {
    clew_pnml_fail(n, element->offset, "a range needs a start and an end");
    return CLEW_NONE;
  }
  return add_sort(
      n, (struct pnml_sort){.kind = PNML_RANGE, .size = (uint64_t)(hi - lo) + 1, .least = lo},
      element);
}

static uint32_t read_product(struct pnml *n, const struct clew_xml *element) {
  CLEW_VEC(uint32_t) parts = {0};
  uint64_t size = 1;
  bool ok = true;
  for (const struct clew_xml *at = element->first; at != NULL && ok; at = at->next) {
    uint32_t part = clew_pnml_sort(n, at);
    ok = part != CLEW_NONE;
    if (ok) {
      uint64_t factor = n->sorts.data[part].size;
      size = size > MOST_COLOURS / factor ? MOST_COLOURS + 1 : size * factor;
      clew_vec_push(&parts, part);
    }
  }
  struct pnml_sort sort = {.kind = PNML_PRODUCT,
                           .size = parts.len == 0 ? 0 : size,
                           .parts =
                               clew_arena_copy(n->arena, parts.data, parts.len, sizeof(uint32_t)),
                           .part_count = parts.len};
  clew_vec_free(&parts);
  return ok ? add_sort(n, sort, element) : CLEW_NONE;
}

uint32_t clew_pnml_sort(struct pnml *n, const struct clew_xml *element) {
  if (clew_xml_is(element, "usersort")) {
    const char *id = clew_xml_attribute(element, "declaration");
    struct pnml_id *sort = id == NULL ? NULL : clew_pnml_id(n, id);
    if (sort == NULL || sort->sort == 0) {
      clew_pnml_fail(n, element->offset, "there is no sort '%s'", id != NULL ? id : "");
      return CLEW_NONE;
    }
    return sort->sort - 1;
  }
  if (clew_xml_is(element, "dot")) {
    return add_sort(n, (struct pnml_sort){.kind = PNML_DOT, .size = 1}, element);
  }
  if (clew_xml_is(element, "cyclicenumeration") || clew_xml_is(element, "finiteenumeration")) {
    return read_enumeration(n, element);
  }
  if (clew_xml_is(element, "finiteintrange")) {
    return read_range(n, element);
  }
  if (clew_xml_is(element, "productsort")) {
    return read_product(n, element);
  }
  clew_pnml_fail(n, element->offset, "the sort <%s> is not supported", element->name);
  return CLEW_NONE;
}

static void read_declaration(struct pnml *n, const struct clew_xml *at) {
  const char *id = clew_xml_attribute(at, "id"), *name = clew_xml_attribute(at, "name");
  if (id == NULL || at->first == NULL) {
    clew_pnml_fail(n, at->offset, "a declaration needs an id and a sort");
    return;
  }
  struct pnml_id *known = clew_pnml_id(n, id);
  uint32_t sort = clew_pnml_sort(n, at->first);
  if (sort == CLEW_NONE) {
    return;
  }
  if (clew_xml_is(at, "namedsort")) {
    known->sort = sort + 1;
    n->sorts.data[sort].name = name != NULL ? name : known->name.text;
  } else {
    struct pnml_variable variable = {name != NULL ? name : known->name.text, sort};
    clew_vec_push(&n->variables, variable);
    known->variable = n->variables.len;
  }
}

/* Sorts first: variables, and products, may stand before them. */
void clew_pnml_read_declarations(struct pnml *n, const struct clew_xml *declarations) {
  for (uint32_t pass = 0; pass < 3; pass++) {
    for (const struct clew_xml *at = declarations->first; at != NULL; at = at->next) {
      bool is_variable = clew_xml_is(at, "variabledecl");
      bool is_product = at->first != NULL && clew_xml_is(at->first, "productsort");
      if (is_variable || clew_xml_is(at, "namedsort")) {
        if (pass == (is_variable ? 2U : is_product ? 1U : 0U)) {
          read_declaration(n, at);
        }
      } else if (pass == 0 && !clew_xml_is(at, "partition")) {
        clew_pnml_fail(n, at->offset, "the declaration <%s> is not supported", at->name);
      }
    }
  }
}

/* ---- terms ---- */

static struct pnml_term *new_term(struct pnml *n, enum pnml_op op, const struct clew_xml *element) {
  struct pnml_term *term = CLEW_NEW(n->arena, struct pnml_term);
  term->op = op;
  term->sort = CLEW_NONE;
  term->offset = element->offset;
  return term;
}

static const struct pnml_term *read_at(struct pnml *n, const struct clew_xml *element,
                                       uint32_t depth);

/* Arguments come as <subterm>…</subterm>. */
static const struct clew_xml *argument(const struct clew_xml *at) {
  return clew_xml_is(at, "subterm") ? at->first : at;
}

static void read_args(struct pnml *n, const struct clew_xml *element, struct pnml_term *term,
                      uint32_t depth) {
  CLEW_VEC(const struct pnml_term *) args = {0};
  for (const struct clew_xml *at = element->first; at != NULL; at = at->next) {
    const struct clew_xml *arg = argument(at);
    const struct pnml_term *read = arg == NULL ? NULL : read_at(n, arg, depth + 1);
    if (read == NULL) {
      clew_pnml_fail(n, at->offset, "a term is missing");
    } else {
      clew_vec_push(&args, read);
    }
  }
  term->args = clew_arena_copy(n->arena, args.data, args.len, sizeof(const struct pnml_term *));
  term->arg_count = args.len;
  clew_vec_free(&args);
}

static const struct pnml_term *read_variable(struct pnml *n, const struct clew_xml *element) {
  const char *id = clew_xml_attribute(element, "refvariable");
  struct pnml_id *known = id == NULL ? NULL : clew_pnml_id(n, id);
  if (known == NULL || known->variable == 0) {
    clew_pnml_fail(n, element->offset, "there is no variable '%s'", id != NULL ? id : "");
    return NULL;
  }
  struct pnml_term *term = new_term(n, PNML_VARIABLE, element);
  term->number = known->variable - 1;
  term->sort = n->variables.data[term->number].sort;
  return term;
}

static const struct pnml_term *read_constant(struct pnml *n, const struct clew_xml *element) {
  const char *id = clew_xml_attribute(element, "declaration");
  struct pnml_id *known = id == NULL ? NULL : clew_pnml_id(n, id);
  if (known == NULL || known->constant_sort == 0) {
    clew_pnml_fail(n, element->offset, "there is no constant '%s'", id != NULL ? id : "");
    return NULL;
  }
  struct pnml_term *term = new_term(n, PNML_CONSTANT, element);
  term->number = known->constant;
  term->sort = known->constant_sort - 1;
  return term;
}

/* A number of a range; which range it is, its child says. */
static const struct pnml_term *read_range_constant(struct pnml *n, const struct clew_xml *element) {
  const char *value = clew_xml_attribute(element, "value");
  int64_t number;
  uint32_t sort = element->first == NULL ? CLEW_NONE : clew_pnml_sort(n, element->first);
  if (sort == CLEW_NONE || value == NULL || !clew_text_parse_i64(value, &number) ||
      n->sorts.data[sort].kind != PNML_RANGE || number < n->sorts.data[sort].least ||
      (uint64_t)(number - n->sorts.data[sort].least) >= n->sorts.data[sort].size) {
    clew_pnml_fail(n, element->offset, "this is no number of a range");
    return NULL;
  }
  struct pnml_term *term = new_term(n, PNML_CONSTANT, element);
  term->number = (uint64_t)(number - n->sorts.data[sort].least);
  term->sort = sort;
  return term;
}

/* <numberof>: a number constant, then what there are so many of. */
static const struct pnml_term *read_times(struct pnml *n, const struct clew_xml *element,
                                          uint32_t depth) {
  struct pnml_term *term = new_term(n, PNML_TIMES, element);
  const struct clew_xml *first = element->first, *arg = first == NULL ? NULL : argument(first);
  term->number = 1;
  if (arg != NULL && clew_xml_is(arg, "numberconstant")) {
    const char *value = clew_xml_attribute(arg, "value");
    if (value == NULL || !clew_pnml_number(value, &term->number)) {
      clew_pnml_fail(n, arg->offset, "this is no number");
    }
    first = first->next;
  }
  arg = first == NULL ? NULL : argument(first);
  const struct pnml_term *what = arg == NULL ? NULL : read_at(n, arg, depth + 1);
  if (what == NULL) {
    clew_pnml_fail(n, element->offset, "of what there are so many is missing");
    return NULL;
  }
  term->args = clew_arena_copy(n->arena, &what, 1, sizeof what);
  term->arg_count = 1;
  return term;
}

static const struct pnml_term *read_sorted(struct pnml *n, const struct clew_xml *element,
                                           enum pnml_op op) {
  struct pnml_term *term = new_term(n, op, element);
  term->sort = element->first == NULL ? CLEW_NONE : clew_pnml_sort(n, element->first);
  if (term->sort == CLEW_NONE) {
    clew_pnml_fail(n, element->offset, "<%s> needs a sort", element->name);
    return NULL;
  }
  return term;
}

static const struct {
  const char *name;
  enum pnml_op op;
  uint32_t args; /* 0: any number */
} OPERATORS[] = {
    {"successor", PNML_SUCCESSOR, 1},
    {"predecessor", PNML_PREDECESSOR, 1},
    {"tuple", PNML_TUPLE, 0},
    {"add", PNML_ADD, 0},
    {"subtract", PNML_SUBTRACT, 0}, /* from the first */
    {"equality", PNML_EQUAL, 2},
    {"inequality", PNML_UNEQUAL, 2},
    {"lessthan", PNML_LESS, 2},
    {"lessthanorequal", PNML_AT_MOST, 2},
    {"greaterthan", PNML_GREATER, 2},
    {"greaterthanorequal", PNML_AT_LEAST, 2},
    {"and", PNML_AND, 0},
    {"or", PNML_OR, 0},
    {"not", PNML_NOT, 1},
    {"imply", PNML_IMPLY, 2},
};

static const struct pnml_term *read_operator(struct pnml *n, const struct clew_xml *element,
                                             uint32_t depth) {
  for (uint32_t i = 0; i < sizeof OPERATORS / sizeof OPERATORS[0]; i++) {
    if (!clew_xml_is(element, OPERATORS[i].name)) {
      continue;
    }
    struct pnml_term *term = new_term(n, OPERATORS[i].op, element);
    read_args(n, element, term, depth);
    if (OPERATORS[i].args != 0 && term->arg_count != OPERATORS[i].args) {
      clew_pnml_fail(n, element->offset, "<%s> needs %u %s, not %u", element->name,
                     OPERATORS[i].args, OPERATORS[i].args == 1 ? "term" : "terms", term->arg_count);
      return NULL;
    }
    if (term->op == PNML_SUCCESSOR || term->op == PNML_PREDECESSOR) {
      term->sort = term->args[0]->sort;
    }
    return term;
  }
  clew_pnml_fail(n, element->offset, "the term <%s> is not supported", element->name);
  return NULL;
}

static const struct pnml_term *read_at(struct pnml *n, const struct clew_xml *element,
                                       uint32_t depth) {
  if (depth > MOST_DEPTH) {
    clew_pnml_fail(n, element->offset, "this term is nested too deeply");
    return NULL;
  }
  if (clew_xml_is(element, "variable")) {
    return read_variable(n, element);
  }
  if (clew_xml_is(element, "useroperator")) {
    return read_constant(n, element);
  }
  if (clew_xml_is(element, "finiteintrangeconstant")) {
    return read_range_constant(n, element);
  }
  if (clew_xml_is(element, "numberof") || clew_xml_is(element, "scalarproduct")) {
    return read_times(n, element, depth);
  }
  if (clew_xml_is(element, "all")) {
    return read_sorted(n, element, PNML_ALL);
  }
  if (clew_xml_is(element, "empty")) {
    return new_term(n, PNML_EMPTY, element);
  }
  if (clew_xml_is(element, "dotconstant")) {
    struct pnml_term *term = new_term(n, PNML_CONSTANT, element);
    return term; /* of any sort that has one colour */
  }
  if (clew_xml_is(element, "true") || clew_xml_is(element, "false")) {
    return new_term(n, clew_xml_is(element, "true") ? PNML_AND : PNML_OR, element);
  }
  if (clew_xml_is(element, "booleanconstant")) {
    const char *value = clew_xml_attribute(element, "value");
    bool is_true = value != NULL && strcmp(value, "true") == 0;
    return new_term(n, is_true ? PNML_AND : PNML_OR, element);
  }
  return read_operator(n, element, depth);
}

const struct pnml_term *clew_pnml_term(struct pnml *n, const struct clew_xml *element) {
  return read_at(n, element, 0);
}
