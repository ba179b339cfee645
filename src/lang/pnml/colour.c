/* Colours, and what terms over them mean while variables are bound. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "lang/pnml/unfold_int.h"

/* ---- colours ---- */

void clew_pnml_print_colour(const struct pnml *n, uint32_t sort, uint64_t colour, bool is_part,
                            struct clew_text *out) {
  const struct pnml_sort *s = &n->sorts.data[sort];
  switch (s->kind) {
  case PNML_DOT:
    clew_text_put(out, is_part ? "dot" : "");
    return;
  case PNML_ENUMERATION:
    clew_text_put(out, s->constants[colour]);
    return;
  case PNML_RANGE:
    clew_text_printf(out, "%lld", (long long)(s->least + (int64_t)colour));
    return;
  case PNML_PRODUCT:
    clew_text_put(out, is_part ? "(" : "");
    for (uint32_t i = 0; i < s->part_count; i++) {
      uint64_t below = 1;
      for (uint32_t k = i + 1; k < s->part_count; k++) {
        below *= n->sorts.data[s->parts[k]].size;
      }
      clew_text_put(out, i == 0 ? "" : ",");
      clew_pnml_print_colour(n, s->parts[i], colour / below % n->sorts.data[s->parts[i]].size, true,
                             out);
    }
    clew_text_put(out, is_part ? ")" : "");
    return;
  }
}

/* Whether the term is always one colour. */
bool clew_pnml_is_colour(const struct pnml_term *term) {
  switch (term->op) {
  case PNML_VARIABLE:
  case PNML_CONSTANT:
    return true;
  case PNML_SUCCESSOR:
  case PNML_PREDECESSOR:
    return clew_pnml_is_colour(term->args[0]);
  case PNML_TIMES:
    return term->number == 1 && clew_pnml_is_colour(term->args[0]);
  case PNML_TUPLE:
    for (uint32_t i = 0; i < term->arg_count; i++) {
      if (!clew_pnml_is_colour(term->args[i])) {
        return false;
      }
    }
    return true;
  default:
    return false;
  }
}

bool clew_pnml_is_bound(const struct unfolder *u, const struct pnml_term *term) {
  if (term->op == PNML_VARIABLE) {
    return u->bound[term->number];
  }
  for (uint32_t i = 0; i < term->arg_count; i++) {
    if (!clew_pnml_is_bound(u, term->args[i])) {
      return false;
    }
  }
  return true;
}

/* The colour of a term that is one and is bound, as one of the sort. */
uint64_t clew_pnml_colour_of(const struct unfolder *u, const struct pnml_term *term,
                             uint32_t sort) {
  uint64_t size = pnml_sort_of(u, sort)->size, colour = 0;
  switch (term->op) {
  case PNML_VARIABLE:
    assert(u->bound[term->number]);
    return u->binding[term->number];
  case PNML_CONSTANT:
    return term->number;
  case PNML_SUCCESSOR:
    return (clew_pnml_colour_of(u, term->args[0], sort) + 1) % size;
  case PNML_PREDECESSOR:
    return (clew_pnml_colour_of(u, term->args[0], sort) + size - 1) % size;
  case PNML_TUPLE:
    if (pnml_sort_of(u, sort)->kind != PNML_PRODUCT) {
      return clew_pnml_colour_of(u, term->args[0], sort);
    }
    for (uint32_t i = 0; i < term->arg_count; i++) {
      uint32_t part = pnml_sort_of(u, sort)->parts[i];
      colour = colour * pnml_sort_of(u, part)->size + clew_pnml_colour_of(u, term->args[i], part);
    }
    return colour;
  default:
    assert(term->op == PNML_TIMES);
    return clew_pnml_colour_of(u, term->args[0], sort);
  }
}

/* ---- checking ---- */

static bool sorts_match(const struct unfolder *u, uint32_t a, uint32_t b) {
  const struct pnml_sort *x = pnml_sort_of(u, a), *y = pnml_sort_of(u, b);
  if (a == b) {
    return true;
  }
  if (x->kind != y->kind || x->size != y->size || x->part_count != y->part_count) {
    return false;
  }
  for (uint32_t i = 0; i < x->part_count; i++) {
    if (!sorts_match(u, x->parts[i], y->parts[i])) {
      return false;
    }
  }
  return x->kind == PNML_DOT || x->kind == PNML_PRODUCT ||
         (x->kind == PNML_RANGE && x->least == y->least);
}

static bool wrong_sort(const struct unfolder *u, const struct pnml_term *term, uint32_t sort) {
  const char *name = pnml_sort_of(u, sort)->name;
  clew_pnml_fail(u->n, term->offset, "this is not of the sort %s", name != NULL ? name : "needed");
  return false;
}

bool clew_pnml_check_term(const struct unfolder *u, const struct pnml_term *term, uint32_t sort) {
  const struct pnml_sort *s = pnml_sort_of(u, sort);
  bool ok = true;
  switch (term->op) {
  case PNML_CONSTANT:
    ok = term->sort == CLEW_NONE ? s->size == 1 : sorts_match(u, term->sort, sort);
    return ok || wrong_sort(u, term, sort);
  case PNML_VARIABLE:
  case PNML_ALL:
    return sorts_match(u, term->sort, sort) || wrong_sort(u, term, sort);
  case PNML_SUCCESSOR:
  case PNML_PREDECESSOR:
    return clew_pnml_is_colour(term->args[0]) ? clew_pnml_check_term(u, term->args[0], sort)
                                              : wrong_sort(u, term, sort);
  case PNML_TUPLE:
    if (s->kind != PNML_PRODUCT && term->arg_count == 1) {
      return clew_pnml_check_term(u, term->args[0], sort);
    }
    if (s->kind != PNML_PRODUCT || term->arg_count != s->part_count) {
      return wrong_sort(u, term, sort);
    }
    for (uint32_t i = 0; i < term->arg_count && ok; i++) {
      ok = clew_pnml_check_term(u, term->args[i], s->parts[i]);
    }
    return ok;
  case PNML_TIMES:
  case PNML_ADD:
  case PNML_SUBTRACT:
    for (uint32_t i = 0; i < term->arg_count && ok; i++) {
      ok = clew_pnml_check_term(u, term->args[i], sort);
    }
    return ok;
  case PNML_EMPTY:
    return true;
  default:
    clew_pnml_fail(u->n, term->offset, "tokens were expected, not a truth");
    return false;
  }
}

/* The sort of a term, as far as it says so itself. */
uint32_t clew_pnml_own_sort(const struct pnml_term *term) {
  if (term->op == PNML_TIMES || (term->op == PNML_TUPLE && term->arg_count == 1)) {
    return clew_pnml_own_sort(term->args[0]);
  }
  return term->sort;
}

bool clew_pnml_check_condition(const struct unfolder *u, const struct pnml_term *term) {
  switch (term->op) {
  case PNML_AND:
  case PNML_OR:
  case PNML_NOT:
  case PNML_IMPLY:
    for (uint32_t i = 0; i < term->arg_count; i++) {
      if (!clew_pnml_check_condition(u, term->args[i])) {
        return false;
      }
    }
    return true;
  case PNML_EQUAL:
  case PNML_UNEQUAL:
  case PNML_LESS:
  case PNML_AT_MOST:
  case PNML_GREATER:
  case PNML_AT_LEAST: {
    uint32_t left = clew_pnml_own_sort(term->args[0]), right = clew_pnml_own_sort(term->args[1]);
    uint32_t sort = left != CLEW_NONE ? left : right;
    if (sort == CLEW_NONE || !clew_pnml_is_colour(term->args[0]) ||
        !clew_pnml_is_colour(term->args[1])) {
      clew_pnml_fail(u->n, term->offset, "this comparison is not supported");
      return false;
    }
    return clew_pnml_check_term(u, term->args[0], sort) &&
           clew_pnml_check_term(u, term->args[1], sort);
  }
  default:
    clew_pnml_fail(u->n, term->offset, "a truth was expected");
    return false;
  }
}

/* ---- truths and bags ---- */

bool clew_pnml_truth_of(const struct unfolder *u, const struct pnml_term *term) {
  if (term->op == PNML_AND || term->op == PNML_OR) {
    bool decisive = term->op == PNML_OR;
    for (uint32_t i = 0; i < term->arg_count; i++) {
      if (clew_pnml_truth_of(u, term->args[i]) == decisive) {
        return decisive;
      }
    }
    return !decisive;
  }
  if (term->op == PNML_NOT) {
    return !clew_pnml_truth_of(u, term->args[0]);
  }
  if (term->op == PNML_IMPLY) {
    return !clew_pnml_truth_of(u, term->args[0]) || clew_pnml_truth_of(u, term->args[1]);
  }
  uint32_t left = clew_pnml_own_sort(term->args[0]);
  uint32_t sort = left != CLEW_NONE ? left : clew_pnml_own_sort(term->args[1]);
  uint64_t a = clew_pnml_colour_of(u, term->args[0], sort),
           b = clew_pnml_colour_of(u, term->args[1], sort);
  switch (term->op) {
  case PNML_EQUAL:
    return a == b;
  case PNML_UNEQUAL:
    return a != b;
  case PNML_LESS:
    return a < b;
  case PNML_AT_MOST:
    return a <= b;
  case PNML_GREATER:
    return a > b;
  default:
    return a >= b;
  }
}

static void add_part(struct bag *bag, uint64_t colour, int64_t count) {
  clew_vec_push(&bag->parts, ((struct part){colour, count}));
}

static void fill(struct unfolder *u, const struct pnml_term *term, uint32_t sort, int64_t factor,
                 struct bag *bag);

/* All combinations of the colours of its parts. */
static void fill_tuple(struct unfolder *u, const struct pnml_term *term, uint32_t sort,
                       int64_t factor, struct bag *bag) {
  struct bag sum = {0};
  add_part(&sum, 0, factor);
  for (uint32_t i = 0; i < term->arg_count; i++) {
    uint32_t part = pnml_sort_of(u, sort)->parts[i];
    struct bag one = {0}, next = {0};
    fill(u, term->args[i], part, 1, &one);
    for (uint32_t a = 0; a < sum.parts.len; a++) {
      for (uint32_t b = 0; b < one.parts.len; b++) {
        add_part(&next,
                 sum.parts.data[a].colour * pnml_sort_of(u, part)->size + one.parts.data[b].colour,
                 sum.parts.data[a].count * one.parts.data[b].count);
      }
    }
    u->is_too_large = u->is_too_large || next.parts.len > MOST_PLACES;
    clew_vec_free(&sum.parts);
    clew_vec_free(&one.parts);
    sum = next;
    if (u->is_too_large) {
      break;
    }
  }
  for (uint32_t a = 0; a < sum.parts.len && !u->is_too_large; a++) {
    add_part(bag, sum.parts.data[a].colour, sum.parts.data[a].count);
  }
  clew_vec_free(&sum.parts);
}

static void fill(struct unfolder *u, const struct pnml_term *term, uint32_t sort, int64_t factor,
                 struct bag *bag) {
  switch (term->op) {
  case PNML_EMPTY:
    return;
  case PNML_ALL:
    if (pnml_sort_of(u, sort)->size > MOST_PLACES) {
      u->is_too_large = true;
      return;
    }
    for (uint64_t c = 0; c < pnml_sort_of(u, sort)->size; c++) {
      add_part(bag, c, factor);
    }
    return;
  case PNML_TIMES:
    fill(u, term->args[0], sort, factor * (int64_t)term->number, bag);
    return;
  case PNML_ADD:
  case PNML_SUBTRACT:
    for (uint32_t i = 0; i < term->arg_count; i++) {
      bool is_negative = term->op == PNML_SUBTRACT && i > 0;
      fill(u, term->args[i], sort, is_negative ? -factor : factor, bag);
    }
    return;
  case PNML_TUPLE:
    if (pnml_sort_of(u, sort)->kind == PNML_PRODUCT && !clew_pnml_is_colour(term)) {
      fill_tuple(u, term, sort, factor, bag);
    } else if (pnml_sort_of(u, sort)->kind == PNML_PRODUCT) {
      add_part(bag, clew_pnml_colour_of(u, term, sort), factor);
    } else {
      fill(u, term->args[0], sort, factor, bag);
    }
    return;
  default:
    add_part(bag, clew_pnml_colour_of(u, term, sort), factor);
    return;
  }
}

static int compare_parts(const void *a, const void *b) {
  const struct part *x = a, *y = b;
  return (x->colour > y->colour) - (x->colour < y->colour);
}

/* Each colour once, and none of which there is nothing. False: there is less than nothing of one.
 */
static bool tidy_bag(struct bag *bag) {
  uint32_t count = 0;
  if (bag->parts.len > 0) {
    qsort(bag->parts.data, bag->parts.len, sizeof(struct part), compare_parts);
  }
  for (uint32_t i = 0; i < bag->parts.len;) {
    struct part sum = bag->parts.data[i++];
    while (i < bag->parts.len && bag->parts.data[i].colour == sum.colour) {
      sum.count += bag->parts.data[i++].count;
    }
    if (sum.count < 0) {
      return false;
    }
    if (sum.count > 0) {
      bag->parts.data[count++] = sum;
    }
  }
  bag->parts.len = count;
  return true;
}

bool clew_pnml_fill_bag(struct unfolder *u, const struct pnml_term *term, uint32_t sort,
                        struct bag *bag) {
  assert(bag->parts.len == 0);
  fill(u, term, sort, 1, bag);
  return tidy_bag(bag);
}
