/* Colour sets: read, asked for members, listed. */
#include <assert.h>
#include <string.h>

#include "lang/cpn/cpn_int.h"

enum { MOST_LISTED = 100000 }; /* values of a colour set that is small */

/* ---- reading ---- */

static struct cpn_name *name_of(struct cpn_net *net, const struct clew_xml *element) {
  return cpn_name(&net->ml, element->text, strlen(element->text));
}

/* The n-th child of this name, from 0. */
static const struct clew_xml *child(const struct clew_xml *element, const char *name, uint32_t n) {
  for (const struct clew_xml *at = element->first; at != NULL; at = at->next) {
    if (clew_xml_is(at, name) && n-- == 0) {
      return at;
    }
  }
  return NULL;
}

static uint32_t count_children(const struct clew_xml *element, const char *name) {
  uint32_t count = 0;
  while (child(element, name, count) != NULL) {
    count++;
  }
  return count;
}

static void break_colour(struct cpn_colour *colour, const char *why) {
  colour->broken = colour->broken != NULL ? colour->broken : why;
}

/* The value of an ML text in a declaration, of this type; NULL: the colour set is broken. */
static const struct cpn_value *evaluate(struct cpn_net *net, struct cpn_colour *colour,
                                        const struct clew_xml *element,
                                        const struct cpn_type *type) {
  if (element == NULL) {
    break_colour(colour, "its declaration is not complete");
    return NULL;
  }
  struct cpn_text *text = CLEW_NEW(net->arena, struct cpn_text);
  *text = cpn_text_of(net, element->text, "colour set '%s'", colour->name->base.text);
  struct cpn_reader reader = {.ml = &net->ml, .text = text, .is_quiet = true};
  struct cpn_expr *expr = cpn_parse_expr(&reader);
  if (expr == NULL || !cpn_check(&reader, expr, type, false)) {
    break_colour(colour, reader.first != NULL ? reader.first : "its declaration is wrong");
    return NULL;
  }
  struct cpn_ctx ctx = {.ml = &net->ml,
                        .arena = net->arena,
                        .stop = net->request->stop,
                        .limit_bytes = clew_arena_bytes(net->arena) + CPN_MOST_BYTES};
  const struct cpn_value *value = cpn_eval(&ctx, expr, NULL);
  if (value == NULL) {
    break_colour(colour, "its declaration cannot be evaluated");
  }
  return value;
}

static void read_range(struct cpn_net *net, struct cpn_colour *colour,
                       const struct clew_xml *element) {
  const struct cpn_value *lo = evaluate(net, colour, child(element, "ml", 0), net->ml.int_type);
  const struct cpn_value *hi = evaluate(net, colour, child(element, "ml", 1), net->ml.int_type);
  if (lo != NULL && hi != NULL) {
    colour->is_bounded = true;
    colour->is_restricted = true;
    colour->lo = lo->number;
    colour->hi = hi->number;
  }
}

static void read_string(struct cpn_net *net, struct cpn_colour *colour,
                        const struct clew_xml *element) {
  const struct clew_xml *with = clew_xml_child(element, "with");
  const struct clew_xml *lengths = clew_xml_child(element, "and");
  colour->kind = CPN_C_STRING;
  colour->type = net->ml.string_type;
  if (with != NULL) {
    const struct cpn_value *a = evaluate(net, colour, child(with, "ml", 0), net->ml.string_type);
    const struct cpn_value *b = evaluate(net, colour, child(with, "ml", 1), net->ml.string_type);
    if (a != NULL && b != NULL && a->count == 1 && b->count == 1) {
      colour->first = a->string[0];
      colour->last = b->string[0];
      colour->is_restricted = true;
    }
  }
  if (lengths != NULL) {
    read_range(net, colour, lengths);
  }
}

/* Other names of unit and bool. */
static void read_renamed(struct cpn_net *net, struct cpn_colour *colour,
                         const struct clew_xml *element, bool is_bool) {
  const struct clew_xml *with = clew_xml_child(element, "with");
  colour->kind = is_bool ? CPN_C_BOOL : CPN_C_UNIT;
  colour->type = is_bool ? net->ml.bool_type : net->ml.unit_type;
  for (uint32_t i = 0; with != NULL && i < (is_bool ? 2U : 1U); i++) {
    const struct clew_xml *at = child(with, "id", i);
    at = at != NULL ? at : child(with, "ml", i);
    if (at != NULL) {
      const struct cpn_value *value = !is_bool ? net->ml.unit_value
                                      : i == 0 ? net->ml.false_value
                                               : net->ml.true_value;
      struct cpn_global *global = cpn_add_global(&net->ml, name_of(net, at), colour->type, value);
      global->con = is_bool ? value->con : NULL;
    }
  }
}

static struct cpn_type *new_type(struct cpn_net *net, struct cpn_colour *colour) {
  struct cpn_tycon *con = CLEW_NEW(net->arena, struct cpn_tycon);
  con->name = colour->name->base.text;
  struct cpn_type *type = cpn_type_con(&net->ml, con, NULL);
  colour->type = type;
  return type;
}

static void read_enum(struct cpn_net *net, struct cpn_colour *colour,
                      const struct clew_xml *element) {
  struct cpn_type *type = new_type(net, colour);
  colour->kind = CPN_C_ENUM;
  colour->count = count_children(element, "id");
  colour->cons = CLEW_NEW_ARRAY(net->arena, const struct cpn_con *, colour->count + 1);
  for (uint32_t i = 0; i < colour->count; i++) {
    colour->cons[i] = cpn_add_con(&net->ml, name_of(net, child(element, "id", i)), type, NULL, i);
  }
}

static void read_index(struct cpn_net *net, struct cpn_colour *colour,
                       const struct clew_xml *element) {
  struct cpn_type *type = new_type(net, colour);
  const struct clew_xml *id = child(element, "id", 0);
  colour->kind = CPN_C_INDEX;
  read_range(net, colour, element);
  if (id == NULL) {
    break_colour(colour, "its declaration is not complete");
    return;
  }
  struct cpn_con *con = cpn_add_con(&net->ml, name_of(net, id), type, net->ml.int_type, 0);
  con->is_index = true;
  con->lo = colour->lo;
  con->hi = colour->hi;
  colour->cons = CLEW_NEW_ARRAY(net->arena, const struct cpn_con *, 1);
  colour->cons[0] = con;
  colour->count = 1;
  colour->is_restricted = false; /* the constructor has checked it */
}

/* The colour set of this name; NULL: the one that is read is broken. */
static struct cpn_colour *part(struct cpn_net *net, struct cpn_colour *colour,
                               const struct clew_xml *id) {
  struct cpn_colour *found = id != NULL ? name_of(net, id)->colour : NULL;
  if (found == NULL) {
    break_colour(colour, id == NULL ? "its declaration is not complete"
                                    : clew_arena_printf(net->arena, "there is no colour set '%s'",
                                                        id->text));
  } else if (found->broken != NULL) {
    break_colour(colour, found->broken);
  } else {
    colour->is_restricted = colour->is_restricted || found->is_restricted;
  }
  return found;
}

static void read_product(struct cpn_net *net, struct cpn_colour *colour,
                         const struct clew_xml *element) {
  colour->kind = CPN_C_PRODUCT;
  colour->count = count_children(element, "id");
  colour->parts = CLEW_NEW_ARRAY(net->arena, struct cpn_colour *, colour->count + 1);
  struct cpn_type **types = CLEW_NEW_ARRAY(net->arena, struct cpn_type *, colour->count + 1);
  for (uint32_t i = 0; i < colour->count; i++) {
    colour->parts[i] = part(net, colour, child(element, "id", i));
    if (colour->parts[i] == NULL) {
      return;
    }
    types[i] = (struct cpn_type *)colour->parts[i]->type;
  }
  colour->type = cpn_type_tuple(&net->ml, types, colour->count);
}

static void read_record(struct cpn_net *net, struct cpn_colour *colour,
                        const struct clew_xml *element) {
  colour->kind = CPN_C_RECORD;
  colour->count = count_children(element, "recordfield");
  colour->parts = CLEW_NEW_ARRAY(net->arena, struct cpn_colour *, colour->count + 1);
  colour->labels = CLEW_NEW_ARRAY(net->arena, const struct cpn_name *, colour->count + 1);
  struct cpn_type **types = CLEW_NEW_ARRAY(net->arena, struct cpn_type *, colour->count + 1);
  for (uint32_t i = 0; i < colour->count; i++) {
    const struct clew_xml *field = child(element, "recordfield", i), *id = child(field, "id", 0);
    if (id == NULL) {
      break_colour(colour, "its declaration is not complete");
      return;
    }
    colour->labels[i] = name_of(net, id);
    colour->parts[i] = part(net, colour, child(field, "id", 1));
    if (colour->parts[i] == NULL) {
      return;
    }
  }
  if (!cpn_sort_fields(colour->labels, (void **)colour->parts, colour->count)) {
    break_colour(colour, "a field is there twice");
  }
  for (uint32_t i = 0; i < colour->count; i++) {
    types[i] = (struct cpn_type *)colour->parts[i]->type;
  }
  colour->type = cpn_type_record(&net->ml, colour->labels, types, colour->count);
}

static void read_union(struct cpn_net *net, struct cpn_colour *colour,
                       const struct clew_xml *element) {
  struct cpn_type *type = new_type(net, colour);
  colour->kind = CPN_C_UNION;
  colour->count = count_children(element, "unionfield");
  colour->parts = CLEW_NEW_ARRAY(net->arena, struct cpn_colour *, colour->count + 1);
  colour->cons = CLEW_NEW_ARRAY(net->arena, const struct cpn_con *, colour->count + 1);
  for (uint32_t i = 0; i < colour->count; i++) {
    const struct clew_xml *field = child(element, "unionfield", i), *id = child(field, "id", 0);
    const struct clew_xml *of = clew_xml_child(field, "type");
    if (id == NULL) {
      break_colour(colour, "its declaration is not complete");
      return;
    }
    if (of != NULL) {
      colour->parts[i] = part(net, colour, child(of, "id", 0));
      if (colour->parts[i] == NULL) {
        return;
      }
    }
    colour->cons[i] = cpn_add_con(&net->ml, name_of(net, id), type,
                                  of != NULL ? colour->parts[i]->type : NULL, i);
  }
}

static void read_one_part(struct cpn_net *net, struct cpn_colour *colour,
                          const struct clew_xml *element, enum cpn_colour_kind kind) {
  const struct clew_xml *with = clew_xml_child(element, "with");
  const struct clew_xml *by = clew_xml_child(element, "by");
  colour->kind = kind;
  colour->count = 1;
  colour->parts = CLEW_NEW_ARRAY(net->arena, struct cpn_colour *, 1);
  colour->parts[0] = part(net, colour, child(element, "id", 0));
  if (colour->parts[0] == NULL || colour->parts[0]->type == NULL) {
    return;
  }
  const struct cpn_type *type = colour->parts[0]->type;
  if (kind == CPN_C_LIST) {
    colour->type = cpn_type_list(&net->ml, type);
    if (with != NULL) {
      read_range(net, colour, with);
    }
    return;
  }
  colour->type = type;
  colour->is_restricted = true;
  if (by != NULL) {
    colour->predicate = evaluate(net, colour, child(by, "ml", 0),
                                 cpn_type_arrow(&net->ml, type, net->ml.bool_type));
  } else if (with != NULL) {
    colour->members = evaluate(net, colour, child(with, "ml", 0), cpn_type_list(&net->ml, type));
  } else {
    break_colour(colour, "its declaration is not complete");
  }
}

static void read_body(struct cpn_net *net, struct cpn_colour *colour, const struct clew_xml *body) {
  if (clew_xml_is(body, "unit") || clew_xml_is(body, "bool")) {
    read_renamed(net, colour, body, clew_xml_is(body, "bool"));
  } else if (clew_xml_is(body, "int")) {
    const struct clew_xml *with = clew_xml_child(body, "with");
    colour->kind = CPN_C_INT;
    colour->type = net->ml.int_type;
    if (with != NULL) {
      read_range(net, colour, with);
    }
  } else if (clew_xml_is(body, "string")) {
    read_string(net, colour, body);
  } else if (clew_xml_is(body, "enum")) {
    read_enum(net, colour, body);
  } else if (clew_xml_is(body, "index")) {
    read_index(net, colour, body);
  } else if (clew_xml_is(body, "product")) {
    read_product(net, colour, body);
  } else if (clew_xml_is(body, "record")) {
    read_record(net, colour, body);
  } else if (clew_xml_is(body, "union")) {
    read_union(net, colour, body);
  } else if (clew_xml_is(body, "list")) {
    read_one_part(net, colour, body, CPN_C_LIST);
  } else if (clew_xml_is(body, "subset")) {
    read_one_part(net, colour, body, CPN_C_SUBSET);
  } else if (clew_xml_is(body, "alias")) {
    const struct cpn_colour *same = part(net, colour, child(body, "id", 0));
    if (same != NULL) {
      struct cpn_name *name = colour->name;
      *colour = *same;
      colour->name = name;
    }
  } else if (clew_xml_is(body, "real")) {
    colour->type = net->ml.real_type;
    break_colour(colour, "colour sets of real numbers are not supported");
  } else if (clew_xml_is(body, "time")) {
    colour->type = net->ml.time_type;
    break_colour(colour, "colour sets of time are not supported");
  } else {
    break_colour(colour, clew_arena_printf(net->arena, "colour sets of kind '%s' are not supported",
                                           body->name));
  }
}

void cpn_read_colour(struct cpn_net *net, const struct clew_xml *element) {
  const struct clew_xml *id = clew_xml_child(element, "id"), *body = NULL;
  bool is_timed = clew_xml_child(element, "timed") != NULL;
  for (const struct clew_xml *at = element->first; at != NULL; at = at->next) {
    if (!clew_xml_is(at, "id") && !clew_xml_is(at, "layout") && !clew_xml_is(at, "timed") &&
        !clew_xml_is(at, "declare")) {
      body = body != NULL ? body : at;
    }
  }
  if (id == NULL || body == NULL) {
    cpn_net_fail(net, element->offset, "a <color> needs a name and a kind");
    return;
  }
  struct cpn_colour *colour = CLEW_NEW(net->arena, struct cpn_colour);
  colour->name = name_of(net, id);
  read_body(net, colour, body);
  colour->is_timed = colour->is_timed || is_timed;
  if (colour->is_timed) {
    break_colour(colour, "timed colour sets are not supported");
  }
  if (colour->type == NULL) {
    colour->type = new_type(net, colour);
  }
  colour->name->colour = colour;
  colour->name->type = colour->type;
  clew_vec_push(&net->colours, colour);
  cpn_add_colour_functions(net, colour);
}

/* ---- members ---- */

static bool has_text(const struct cpn_colour *colour, const struct cpn_value *value) {
  if (colour->is_bounded && (value->count < colour->lo || value->count > colour->hi)) {
    return false;
  }
  for (uint32_t i = 0; i < value->count && colour->last != '\0'; i++) {
    if (value->string[i] < colour->first || value->string[i] > colour->last) {
      return false;
    }
  }
  return true;
}

static bool has_list(struct cpn_ctx *ctx, const struct cpn_colour *colour,
                     const struct cpn_value *value) {
  int64_t length = 0;
  for (; value->kind == CPN_V_CONS; value = value->tail, length++) {
    if (!cpn_colour_has(ctx, colour->parts[0], value->head)) {
      return false;
    }
  }
  return !colour->is_bounded || (length >= colour->lo && length <= colour->hi);
}

static bool has_subset(struct cpn_ctx *ctx, const struct cpn_colour *colour,
                       const struct cpn_value *value) {
  if (!cpn_colour_has(ctx, colour->parts[0], value)) {
    return false;
  }
  if (colour->predicate != NULL) {
    const struct cpn_value *answer = cpn_apply(ctx, colour->predicate, value);
    return answer != NULL && cpn_is_true(ctx->ml, answer);
  }
  for (const struct cpn_value *at = colour->members; at->kind == CPN_V_CONS; at = at->tail) {
    if (cpn_value_compare(at->head, value) == 0) {
      return true;
    }
  }
  return false;
}

bool cpn_colour_has(struct cpn_ctx *ctx, const struct cpn_colour *colour,
                    const struct cpn_value *value) {
  if (!colour->is_restricted) {
    return true;
  }
  switch (colour->kind) {
  case CPN_C_INT:
    return value->number >= colour->lo && value->number <= colour->hi;
  case CPN_C_STRING:
    return has_text(colour, value);
  case CPN_C_PRODUCT:
  case CPN_C_RECORD:
    for (uint32_t i = 0; i < colour->count; i++) {
      if (!cpn_colour_has(ctx, colour->parts[i], value->parts[i])) {
        return false;
      }
    }
    return true;
  case CPN_C_UNION:
    return value->arg == NULL ||
           cpn_colour_has(ctx, colour->parts[value->con->ordinal], value->arg);
  case CPN_C_LIST:
    return has_list(ctx, colour, value);
  case CPN_C_SUBSET:
    return has_subset(ctx, colour, value);
  default:
    return true;
  }
}

/* ---- all values ---- */

/* At most MOST_LISTED + 1. */
static uint64_t size_of(const struct cpn_colour *colour) {
  const uint64_t most = MOST_LISTED + 1;
  uint64_t size = 1;
  switch (colour->kind) {
  case CPN_C_UNIT:
    return 1;
  case CPN_C_BOOL:
    return 2;
  case CPN_C_INT:
  case CPN_C_INDEX:
    if (!colour->is_bounded) {
      return most;
    }
    size = colour->hi < colour->lo ? 0 : (uint64_t)(colour->hi - colour->lo) + 1;
    return size < most ? size : most;
  case CPN_C_ENUM:
    return colour->count;
  case CPN_C_PRODUCT:
  case CPN_C_RECORD:
    for (uint32_t i = 0; i < colour->count && size <= MOST_LISTED; i++) {
      size *= size_of(colour->parts[i]);
    }
    return size < most ? size : most;
  case CPN_C_UNION:
    size = 0;
    for (uint32_t i = 0; i < colour->count && size <= MOST_LISTED; i++) {
      size += colour->parts[i] != NULL ? size_of(colour->parts[i]) : 1;
    }
    return size < most ? size : most;
  case CPN_C_SUBSET:
    return colour->members != NULL ? 1 : size_of(colour->parts[0]);
  case CPN_C_STRING:
  case CPN_C_LIST:
    break;
  }
  return most;
}

bool cpn_colour_is_small(const struct cpn_colour *colour) {
  return colour->broken == NULL && size_of(colour) <= MOST_LISTED;
}

struct listing {
  CLEW_VEC(const struct cpn_value *) values;
};

static void list_values(struct cpn_ctx *ctx, const struct cpn_colour *colour, struct listing *out);

static void list_product(struct cpn_ctx *ctx, const struct cpn_colour *colour, uint32_t at,
                         const struct cpn_value **parts, struct listing *out) {
  if (at == colour->count) {
    struct cpn_value *value = cpn_value_tuple(ctx->arena, colour->count);
    memcpy(value->parts, parts, colour->count * sizeof *parts);
    if (colour->kind == CPN_C_RECORD) {
      value->kind = CPN_V_RECORD;
      value->labels = colour->labels;
    }
    clew_vec_push(&out->values, value);
    return;
  }
  struct listing inner = {0};
  list_values(ctx, colour->parts[at], &inner);
  for (uint32_t i = 0; i < inner.values.len; i++) {
    parts[at] = inner.values.data[i];
    list_product(ctx, colour, at + 1, parts, out);
  }
  clew_vec_free(&inner.values);
}

static void list_constructed(struct cpn_ctx *ctx, const struct cpn_colour *colour,
                             struct listing *out) {
  for (uint32_t i = 0; i < colour->count; i++) {
    if (colour->kind == CPN_C_ENUM || colour->parts[i] == NULL) {
      clew_vec_push(&out->values, cpn_value_con(ctx->arena, colour->cons[i], NULL));
      continue;
    }
    struct listing inner = {0};
    list_values(ctx, colour->parts[i], &inner);
    for (uint32_t k = 0; k < inner.values.len; k++) {
      clew_vec_push(&out->values, cpn_value_con(ctx->arena, colour->cons[i], inner.values.data[k]));
    }
    clew_vec_free(&inner.values);
  }
}

static void list_subset(struct cpn_ctx *ctx, const struct cpn_colour *colour, struct listing *out) {
  if (colour->members != NULL) {
    for (const struct cpn_value *at = colour->members; at->kind == CPN_V_CONS; at = at->tail) {
      clew_vec_push(&out->values, at->head);
    }
    return;
  }
  struct listing inner = {0};
  list_values(ctx, colour->parts[0], &inner);
  for (uint32_t i = 0; i < inner.values.len; i++) {
    if (cpn_colour_has(ctx, colour, inner.values.data[i])) {
      clew_vec_push(&out->values, inner.values.data[i]);
    }
  }
  clew_vec_free(&inner.values);
}

static void list_values(struct cpn_ctx *ctx, const struct cpn_colour *colour, struct listing *out) {
  const struct cpn_value *parts[64];
  switch (colour->kind) {
  case CPN_C_UNIT:
    clew_vec_push(&out->values, ctx->ml->unit_value);
    break;
  case CPN_C_BOOL:
    clew_vec_push(&out->values, ctx->ml->false_value);
    clew_vec_push(&out->values, ctx->ml->true_value);
    break;
  case CPN_C_INT:
  case CPN_C_INDEX:
    for (int64_t i = colour->lo; i <= colour->hi; i++) {
      const struct cpn_value *number = cpn_value_int(ctx->arena, i);
      clew_vec_push(&out->values, colour->kind == CPN_C_INT
                                      ? number
                                      : cpn_value_con(ctx->arena, colour->cons[0], number));
    }
    break;
  case CPN_C_PRODUCT:
  case CPN_C_RECORD:
    if (colour->count <= 64) {
      list_product(ctx, colour, 0, parts, out);
    }
    break;
  case CPN_C_ENUM:
  case CPN_C_UNION:
    list_constructed(ctx, colour, out);
    break;
  case CPN_C_SUBSET:
    list_subset(ctx, colour, out);
    break;
  case CPN_C_STRING:
  case CPN_C_LIST:
    break;
  }
}

const struct cpn_value *cpn_colour_all(struct cpn_ctx *ctx, const struct cpn_colour *colour) {
  if (!cpn_colour_is_small(colour)) {
    return cpn_raise(ctx, "Size");
  }
  struct listing all = {0};
  list_values(ctx, colour, &all);
  const struct cpn_value *list = ctx->ml->nil_value;
  while (all.values.len > 0) {
    list = cpn_value_cons(ctx->arena, clew_vec_pop(&all.values), list);
  }
  clew_vec_free(&all.values);
  return ctx->failure == CPN_FINE ? list : NULL;
}
