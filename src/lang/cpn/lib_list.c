/* The library of CPN ML: lists and multisets, which are lists. */
#include <assert.h>
#include <stdlib.h>

#include "lang/cpn/ml.h"

#define ARGS struct cpn_ctx *ctx, const struct cpn_value *const *args, const void *data

typedef const struct cpn_value *value_ptr;

/* Elements in a row, to work on; freed by the caller. */
struct row {
  CLEW_VEC(value_ptr) v;
};

/* A list that is many times in another one may be longer than memory. */
static void add_list(struct cpn_ctx *ctx, struct row *row, const struct cpn_value *list) {
  for (; list->kind == CPN_V_CONS && ctx->failure == CPN_FINE; list = list->tail) {
    clew_vec_push(&row->v, list->head);
    if (row->v.len > CPN_MOST_BYTES / sizeof *list) {
      ctx->failure = CPN_HUGE;
    }
  }
}

/* The row as a list; frees it. */
static const struct cpn_value *give_list(struct cpn_ctx *ctx, struct row *row) {
  const struct cpn_value *list = ctx->ml->nil_value;
  while (row->v.len > 0) {
    list = cpn_value_cons(ctx->arena, clew_vec_pop(&row->v), list);
  }
  clew_vec_free(&row->v);
  return list;
}

static const struct cpn_value *fail_row(struct row *row) {
  clew_vec_free(&row->v);
  return NULL;
}

/* All of these look at a list as a whole, again and again: nothing is found once the evaluation has
 * ended. */
static bool has(struct cpn_ctx *ctx, const struct cpn_value *list,
                const struct cpn_value *element) {
  for (bool goes_on = cpn_goes_on(ctx); goes_on && list->kind == CPN_V_CONS; list = list->tail) {
    if (cpn_value_compare(list->head, element) == 0) {
      return true;
    }
  }
  return false;
}

static bool row_take(struct cpn_ctx *ctx, struct row *row, const struct cpn_value *element) {
  uint32_t count = cpn_goes_on(ctx) ? row->v.len : 0;
  for (uint32_t i = 0; i < count; i++) {
    if (cpn_value_compare(row->v.data[i], element) == 0) {
      for (uint32_t k = i + 1; k < row->v.len; k++) {
        row->v.data[k - 1] = row->v.data[k];
      }
      row->v.len--;
      return true;
    }
  }
  return false;
}

static const struct cpn_value *give_bool(struct cpn_ctx *ctx, bool is_true) {
  return is_true ? ctx->ml->true_value : ctx->ml->false_value;
}

static const struct cpn_value *give_some(struct cpn_ctx *ctx, const struct cpn_value *value) {
  struct cpn_ml *ml = (struct cpn_ml *)ctx->ml;
  const struct cpn_global *some = cpn_name(ml, value != NULL ? "SOME" : "NONE", 4)->global;
  return cpn_value_con(ctx->arena, some->con, value);
}

static const struct cpn_value *length(ARGS) {
  (void)data;
  int64_t count = 0;
  for (const struct cpn_value *at = args[0]; at->kind == CPN_V_CONS; at = at->tail) {
    count++;
  }
  return cpn_value_int(ctx->arena, count);
}

static const struct cpn_value *is_null(ARGS) {
  (void)data;
  return give_bool(ctx, args[0]->kind == CPN_V_NIL);
}

static const struct cpn_value *end_of(ARGS) { /* hd, tl, last */
  const struct cpn_value *at = args[0];
  char which = *(const char *)data;
  if (at->kind != CPN_V_CONS) {
    return cpn_raise(ctx, "Empty");
  }
  while (which == 'l' && at->tail->kind == CPN_V_CONS) {
    at = at->tail;
  }
  return which == 't' ? at->tail : at->head;
}

static const struct cpn_value *nth(ARGS) {
  (void)data;
  const struct cpn_value *at = args[0]->parts[0];
  int64_t index = args[0]->parts[1]->number;
  for (; index > 0 && at->kind == CPN_V_CONS; index--) {
    at = at->tail;
  }
  return index != 0 || at->kind != CPN_V_CONS ? cpn_raise(ctx, "Subscript") : at->head;
}

static const struct cpn_value *take_drop(ARGS) {
  const struct cpn_value *at = args[0]->parts[0];
  int64_t count = args[0]->parts[1]->number;
  bool drops = data != NULL;
  struct row row = {0};
  for (; count > 0 && at->kind == CPN_V_CONS; count--, at = at->tail) {
    clew_vec_push(&row.v, at->head);
  }
  const struct cpn_value *taken = give_list(ctx, &row);
  return count != 0 ? cpn_raise(ctx, "Subscript") : drops ? at : taken;
}

static const struct cpn_value *reverse(ARGS) {
  (void)data;
  const struct cpn_value *list = ctx->ml->nil_value;
  for (const struct cpn_value *at = args[0]; at->kind == CPN_V_CONS; at = at->tail) {
    list = cpn_value_cons(ctx->arena, at->head, list);
  }
  return list;
}

static const struct cpn_value *append(ARGS) { /* ^^, ++ */
  (void)data;
  struct row row = {0};
  add_list(ctx, &row, args[0]->parts[0]);
  const struct cpn_value *list = args[0]->parts[1];
  while (row.v.len > 0) {
    list = cpn_value_cons(ctx->arena, clew_vec_pop(&row.v), list);
  }
  clew_vec_free(&row.v);
  return list;
}

static const struct cpn_value *concat(ARGS) {
  (void)data;
  struct row row = {0};
  for (const struct cpn_value *at = args[0]; at->kind == CPN_V_CONS; at = at->tail) {
    add_list(ctx, &row, at->head);
  }
  return give_list(ctx, &row);
}

/* map, mapPartial (ext_col, ext_ms), app: f on each element. */
static const struct cpn_value *map(ARGS) {
  char how = data != NULL ? *(const char *)data : 'm';
  struct row row = {0};
  for (const struct cpn_value *at = args[1]; at->kind == CPN_V_CONS; at = at->tail) {
    const struct cpn_value *image = cpn_apply(ctx, args[0], at->head);
    if (image == NULL) {
      return fail_row(&row);
    }
    if (how == 'c') { /* the lists together */
      add_list(ctx, &row, image);
    } else {
      clew_vec_push(&row.v, image);
    }
  }
  return give_list(ctx, &row);
}

static const struct cpn_value *app(ARGS) {
  return map(ctx, args, data) != NULL ? ctx->ml->unit_value : NULL;
}

/* filter, partition, exists, all, find: by a predicate. */
static const struct cpn_value *by_predicate(ARGS) {
  char how = *(const char *)data;
  struct row yes = {0}, no = {0};
  for (const struct cpn_value *at = args[1]; at->kind == CPN_V_CONS; at = at->tail) {
    const struct cpn_value *answer = cpn_apply(ctx, args[0], at->head);
    if (answer == NULL) {
      (void)fail_row(&yes);
      return fail_row(&no);
    }
    bool is_true = cpn_is_true(ctx->ml, answer);
    if ((how == 'e' || how == 'd') && is_true) {
      return how == 'e' ? give_bool(ctx, true) : give_some(ctx, at->head);
    }
    if (how == 'a' && !is_true) {
      return give_bool(ctx, false);
    }
    if (how == 'f' || how == 'p') {
      clew_vec_push(is_true ? &yes.v : &no.v, at->head);
    }
  }
  const struct cpn_value *kept = give_list(ctx, &yes), *others = give_list(ctx, &no);
  switch (how) {
  case 'e':
    return give_bool(ctx, false);
  case 'a':
    return give_bool(ctx, true);
  case 'd':
    return give_some(ctx, NULL);
  case 'f':
    return kept;
  default: {
    struct cpn_value *pair = cpn_value_tuple(ctx->arena, 2);
    pair->parts[0] = kept;
    pair->parts[1] = others;
    return pair;
  }
  }
}

static const struct cpn_value *fold(ARGS) {
  bool from_right = data != NULL;
  const struct cpn_value *result = args[1];
  struct row row = {0};
  add_list(ctx, &row, args[2]);
  for (uint32_t i = 0; i < row.v.len && result != NULL; i++) {
    struct cpn_value *pair = cpn_value_tuple(ctx->arena, 2);
    pair->parts[0] = row.v.data[from_right ? row.v.len - 1 - i : i];
    pair->parts[1] = result;
    result = cpn_apply(ctx, args[0], pair);
  }
  clew_vec_free(&row.v);
  return result;
}

static const struct cpn_value *tabulate(ARGS) {
  (void)data;
  int64_t count = args[0]->parts[0]->number;
  struct row row = {0};
  if (count < 0) {
    return cpn_raise(ctx, "Size");
  }
  for (int64_t i = 0; i < count; i++) {
    const struct cpn_value *value = cpn_apply(ctx, args[0]->parts[1], cpn_value_int(ctx->arena, i));
    if (value == NULL) {
      return fail_row(&row);
    }
    clew_vec_push(&row.v, value);
  }
  return give_list(ctx, &row);
}

static const struct cpn_value *mem(ARGS) { /* mem l x */
  (void)data;
  return give_bool(ctx, has(ctx, args[0], args[1]));
}

static const struct cpn_value *rm(ARGS) { /* rm x l, rmall x l */
  struct row row = {0};
  bool all = data != NULL;
  add_list(ctx, &row, args[1]);
  while (row_take(ctx, &row, args[0]) && all) {
  }
  return give_list(ctx, &row);
}

static const struct cpn_value *ins(ARGS) { /* ins l x, ins_new l x */
  if (data != NULL && has(ctx, args[0], args[1])) {
    return args[0];
  }
  struct row row = {0};
  add_list(ctx, &row, args[0]);
  clew_vec_push(&row.v, args[1]);
  return give_list(ctx, &row);
}

static bool row_has(struct cpn_ctx *ctx, const struct row *row, const struct cpn_value *element) {
  uint32_t count = cpn_goes_on(ctx) ? row->v.len : 0;
  for (uint32_t i = 0; i < count; i++) {
    if (cpn_value_compare(row->v.data[i], element) == 0) {
      return true;
    }
  }
  return false;
}

/* remdupl l; union l1 l2; intersect l1 l2. */
static const struct cpn_value *remdupl(ARGS) {
  (void)data;
  struct row row = {0};
  for (const struct cpn_value *at = args[0]; at->kind == CPN_V_CONS; at = at->tail) {
    if (!row_has(ctx, &row, at->head)) {
      clew_vec_push(&row.v, at->head);
    }
  }
  return give_list(ctx, &row);
}

static const struct cpn_value *unite(ARGS) {
  (void)data;
  struct row row = {0};
  for (int i = 0; i < 2; i++) {
    for (const struct cpn_value *at = args[i]; at->kind == CPN_V_CONS; at = at->tail) {
      if (!row_has(ctx, &row, at->head)) {
        clew_vec_push(&row.v, at->head);
      }
    }
  }
  return give_list(ctx, &row);
}

static const struct cpn_value *intersect(ARGS) {
  (void)data;
  struct row row = {0};
  for (const struct cpn_value *at = args[0]; at->kind == CPN_V_CONS; at = at->tail) {
    if (has(ctx, args[1], at->head)) {
      clew_vec_push(&row.v, at->head);
    }
  }
  return give_list(ctx, &row);
}

static const struct cpn_value *contains(ARGS) { /* contains l1 l2: l2 is in l1 */
  bool counts = data != NULL, all = true;
  struct row row = {0};
  add_list(ctx, &row, args[0]);
  for (const struct cpn_value *at = args[1]; at->kind == CPN_V_CONS && all; at = at->tail) {
    all = counts ? row_take(ctx, &row, at->head) : has(ctx, args[0], at->head);
  }
  clew_vec_free(&row.v);
  return give_bool(ctx, all);
}

static const struct cpn_value *listsub(ARGS) {
  (void)data;
  struct row row = {0};
  add_list(ctx, &row, args[0]);
  for (const struct cpn_value *at = args[1]; at->kind == CPN_V_CONS; at = at->tail) {
    (void)row_take(ctx, &row, at->head);
  }
  return give_list(ctx, &row);
}

/* sort lt l: by insertion, so equal elements stay in their order. */
static const struct cpn_value *sort(ARGS) {
  (void)data;
  struct row row = {0};
  for (const struct cpn_value *at = args[1]; at->kind == CPN_V_CONS; at = at->tail) {
    clew_vec_push(&row.v, at->head);
    for (uint32_t k = row.v.len - 1; k > 0; k--) {
      struct cpn_value *pair = cpn_value_tuple(ctx->arena, 2);
      pair->parts[0] = row.v.data[k];
      pair->parts[1] = row.v.data[k - 1];
      const struct cpn_value *less = cpn_apply(ctx, args[0], pair);
      if (less == NULL) {
        return fail_row(&row);
      }
      if (!cpn_is_true(ctx->ml, less)) {
        break;
      }
      row.v.data[k] = pair->parts[1];
      row.v.data[k - 1] = pair->parts[0];
    }
  }
  return give_list(ctx, &row);
}

/* ---- multisets ---- */

static const struct cpn_value *times(ARGS) { /* n`x, n**ms */
  bool of_multiset = data != NULL;
  int64_t count = args[0]->parts[0]->number;
  const struct cpn_value *list = ctx->ml->nil_value;
  for (int64_t i = 0; i < count; i++) {
    if ((of_multiset || (i & 4095) == 4095) && !cpn_goes_on(ctx)) {
      return NULL;
    }
    if (of_multiset) {
      struct cpn_value *pair = cpn_value_tuple(ctx->arena, 2);
      pair->parts[0] = args[0]->parts[1];
      pair->parts[1] = list;
      const struct cpn_value *both = pair;
      list = append(ctx, &both, NULL);
    } else {
      list = cpn_value_cons(ctx->arena, args[0]->parts[1], list);
    }
  }
  return list;
}

static const struct cpn_value *subtract(ARGS) {
  (void)data;
  struct row row = {0};
  add_list(ctx, &row, args[0]->parts[0]);
  for (const struct cpn_value *at = args[0]->parts[1]; at->kind == CPN_V_CONS; at = at->tail) {
    if (!row_take(ctx, &row, at->head)) {
      (void)fail_row(&row);
      return ctx->failure == CPN_FINE ? cpn_raise(ctx, "Subtract") : NULL;
    }
  }
  return give_list(ctx, &row);
}

static const struct cpn_value *coefficient(ARGS) { /* cf (x, ms) */
  (void)data;
  int64_t count = 0;
  for (const struct cpn_value *at = args[0]->parts[1]; at->kind == CPN_V_CONS; at = at->tail) {
    count += cpn_value_compare(at->head, args[0]->parts[0]) == 0;
  }
  return cpn_value_int(ctx->arena, count);
}

static bool is_within(struct cpn_ctx *ctx, const struct cpn_value *small,
                      const struct cpn_value *large) {
  struct row row = {0};
  add_list(ctx, &row, large);
  bool all = true;
  for (; small->kind == CPN_V_CONS && all; small = small->tail) {
    all = row_take(ctx, &row, small->head);
  }
  clew_vec_free(&row.v);
  return all;
}

static const struct cpn_value *relate(ARGS) {
  const struct cpn_value *a = args[0]->parts[0], *b = args[0]->parts[1];
  bool below = is_within(ctx, a, b), above = is_within(ctx, b, a);
  switch (*(const char *)data) {
  case '=':
    return give_bool(ctx, below && above);
  case '!':
    return give_bool(ctx, !(below && above));
  case 'l':
    return give_bool(ctx, below);
  case 'g':
    return give_bool(ctx, above);
  case '<':
    return give_bool(ctx, below && !above);
  default:
    return give_bool(ctx, above && !below);
  }
}

static const struct cpn_value *same(ARGS) {
  (void)ctx, (void)data;
  return args[0];
}

static const struct cpn_value *value_of(ARGS) {
  (void)data;
  return args[0]->arg != NULL ? args[0]->arg : cpn_raise(ctx, "Option");
}

static const struct cpn_value *is_some(ARGS) {
  (void)data;
  return give_bool(ctx, args[0]->arg != NULL);
}

#define BOTH(name, type, builtin, arity, data)                                                     \
  {name, type, builtin, arity, data}, {                                                            \
    "List." name, type, builtin, arity, data                                                       \
  }
static const struct cpn_lib_entry ENTRIES[] = {
    BOTH("length", "'a list -> int", length, 1, NULL),
    BOTH("null", "'a list -> bool", is_null, 1, NULL),
    BOTH("hd", "'a list -> 'a", end_of, 1, "h"),
    BOTH("tl", "'a list -> 'a list", end_of, 1, "t"),
    BOTH("last", "'a list -> 'a", end_of, 1, "l"),
    BOTH("nth", "'a list * int -> 'a", nth, 1, NULL),
    BOTH("take", "'a list * int -> 'a list", take_drop, 1, NULL),
    BOTH("drop", "'a list * int -> 'a list", take_drop, 1, "d"),
    BOTH("rev", "'a list -> 'a list", reverse, 1, NULL),
    {"^^", "'a list * 'a list -> 'a list", append, 1, NULL},
    {"List.concat", "'a list list -> 'a list", concat, 1, NULL},
    BOTH("map", "('a -> 'b) -> 'a list -> 'b list", map, 2, NULL),
    BOTH("app", "('a -> unit) -> 'a list -> unit", app, 2, NULL),
    BOTH("filter", "('a -> bool) -> 'a list -> 'a list", by_predicate, 2, "f"),
    BOTH("partition", "('a -> bool) -> 'a list -> 'a list * 'a list", by_predicate, 2, "p"),
    BOTH("exists", "('a -> bool) -> 'a list -> bool", by_predicate, 2, "e"),
    BOTH("all", "('a -> bool) -> 'a list -> bool", by_predicate, 2, "a"),
    BOTH("find", "('a -> bool) -> 'a list -> 'a option", by_predicate, 2, "d"),
    BOTH("foldl", "('a * 'b -> 'b) -> 'b -> 'a list -> 'b", fold, 3, NULL),
    BOTH("foldr", "('a * 'b -> 'b) -> 'b -> 'a list -> 'b", fold, 3, "r"),
    BOTH("tabulate", "int * (int -> 'a) -> 'a list", tabulate, 1, NULL),
    {"mem", "'a list -> 'a -> bool", mem, 2, NULL},
    {"rm", "'a -> 'a list -> 'a list", rm, 2, NULL},
    {"rmall", "'a -> 'a list -> 'a list", rm, 2, "all"},
    {"ins", "'a list -> 'a -> 'a list", ins, 2, NULL},
    {"ins_new", "'a list -> 'a -> 'a list", ins, 2, "new"},
    {"remdupl", "'a list -> 'a list", remdupl, 1, NULL},
    {"union", "'a list -> 'a list -> 'a list", unite, 2, NULL},
    {"intersect", "'a list -> 'a list -> 'a list", intersect, 2, NULL},
    {"contains", "'a list -> 'a list -> bool", contains, 2, NULL},
    {"contains_all", "'a list -> 'a list -> bool", contains, 2, "all"},
    {"listsub", "'a list -> 'a list -> 'a list", listsub, 2, NULL},
    {"sort", "('a * 'a -> bool) -> 'a list -> 'a list", sort, 2, NULL},
    {"`", "int * 'a -> 'a list", times, 1, NULL},
    {"**", "int * 'a list -> 'a list", times, 1, "ms"},
    {"++", "'a list * 'a list -> 'a list", append, 1, NULL},
    {"--", "'a list * 'a list -> 'a list", subtract, 1, NULL},
    {"cf", "'a * 'a list -> int", coefficient, 1, NULL},
    {"size", "'a list -> int", length, 1, NULL},
    {"==", "'a list * 'a list -> bool", relate, 1, "="},
    {"<><>", "'a list * 'a list -> bool", relate, 1, "!"},
    {"<<=", "'a list * 'a list -> bool", relate, 1, "l"},
    {">>=", "'a list * 'a list -> bool", relate, 1, "g"},
    {"<<", "'a list * 'a list -> bool", relate, 1, "<"},
    {">>", "'a list * 'a list -> bool", relate, 1, ">"},
    {"list_to_ms", "'a list -> 'a list", same, 1, NULL},
    {"ms_to_list", "'a list -> 'a list", same, 1, NULL},
    {"ext_col", "('a -> 'b) -> 'a list -> 'b list", map, 2, NULL},
    {"ext_ms", "('a -> 'b list) -> 'a list -> 'b list", map, 2, "concat"},
    {"valOf", "'a option -> 'a", value_of, 1, NULL},
    {"Option.valOf", "'a option -> 'a", value_of, 1, NULL},
    {"isSome", "'a option -> bool", is_some, 1, NULL},
    {"Option.isSome", "'a option -> bool", is_some, 1, NULL},
};

void cpn_lib_lists(struct cpn_ml *ml) {
  for (uint32_t i = 0; i < sizeof ENTRIES / sizeof ENTRIES[0]; i++) {
    cpn_lib_add(ml, &ENTRIES[i]);
  }
}
