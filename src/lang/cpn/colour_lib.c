/* What ML can ask of a colour set C: C.all(), C.size(), C.ord, C.col, C.legal, C.mkstr, C.lt and,
 * for products, C.mult. */
#include <string.h>

#include "lang/cpn/cpn_int.h"

#define ARGS struct cpn_ctx *ctx, const struct cpn_value *const *args, const void *data

static const struct cpn_value *all(ARGS) {
  (void)args;
  return cpn_colour_all(ctx, data);
}

static const struct cpn_value *size(ARGS) {
  (void)args;
  int64_t count = 0;
  const struct cpn_value *list = cpn_colour_all(ctx, data);
  for (; list != NULL && list->kind == CPN_V_CONS; list = list->tail) {
    count++;
  }
  return list != NULL ? cpn_value_int(ctx->arena, count) : NULL;
}

static const struct cpn_value *ord(ARGS) {
  int64_t count = 0;
  const struct cpn_value *list = cpn_colour_all(ctx, data);
  for (; list != NULL && list->kind == CPN_V_CONS; list = list->tail, count++) {
    if (cpn_value_compare(list->head, args[0]) == 0) {
      return cpn_value_int(ctx->arena, count);
    }
  }
  return list != NULL ? cpn_raise(ctx, "Domain") : NULL;
}

static const struct cpn_value *col(ARGS) {
  int64_t index = args[0]->number;
  const struct cpn_value *list = cpn_colour_all(ctx, data);
  for (; list != NULL && list->kind == CPN_V_CONS; list = list->tail) {
    if (index-- == 0) {
      return list->head;
    }
  }
  return list != NULL ? cpn_raise(ctx, "Domain") : NULL;
}

static const struct cpn_value *legal(ARGS) {
  bool is_legal = cpn_colour_has(ctx, data, args[0]);
  return ctx->failure != CPN_FINE ? NULL : is_legal ? ctx->ml->true_value : ctx->ml->false_value;
}

static const struct cpn_value *mkstr(ARGS) {
  (void)data;
  struct clew_text text = {0};
  cpn_value_print(args[0], &text);
  const struct cpn_value *value = cpn_value_string(ctx->arena, clew_text_str(&text), text.len);
  clew_text_free(&text);
  return value;
}

static const struct cpn_value *lt(ARGS) {
  (void)data;
  bool less = cpn_value_compare(args[0]->parts[0], args[0]->parts[1]) < 0;
  return less ? ctx->ml->true_value : ctx->ml->false_value;
}

/* All tuples of the product of multisets. */
static const struct cpn_value *mult_from(struct cpn_ctx *ctx, const struct cpn_colour *colour,
                                         const struct cpn_value *arg,
                                         const struct cpn_value **parts, uint32_t at,
                                         const struct cpn_value *list) {
  if (at == colour->count) {
    struct cpn_value *value = cpn_value_tuple(ctx->arena, colour->count);
    memcpy(value->parts, parts, colour->count * sizeof *parts);
    return cpn_value_cons(ctx->arena, value, list);
  }
  for (const struct cpn_value *v = arg->parts[at]; v->kind == CPN_V_CONS; v = v->tail) {
    parts[at] = v->head;
    list = mult_from(ctx, colour, arg, parts, at + 1, list);
  }
  return list;
}

static const struct cpn_value *mult(ARGS) {
  const struct cpn_value *parts[64];
  return mult_from(ctx, data, args[0], parts, 0, ctx->ml->nil_value);
}

static void add(struct cpn_net *net, struct cpn_colour *colour, const char *name,
                struct cpn_type *type, cpn_builtin *builtin) {
  struct cpn_ml *ml = &net->ml;
  const char *full = clew_arena_printf(net->arena, "%s.%s", colour->name->base.text, name);
  struct cpn_value *value = CLEW_NEW(net->arena, struct cpn_value);
  struct cpn_fn *fn = CLEW_NEW(net->arena, struct cpn_fn);
  *fn = (struct cpn_fn){.builtin = builtin, .data = colour, .arity = 1};
  value->kind = CPN_V_FN;
  value->fn = fn;
  struct cpn_global *global = cpn_add_global(ml, cpn_name(ml, full, strlen(full)), type, value);
  global->broken = builtin == NULL ? "random functions are not supported" : colour->broken;
}

void cpn_add_colour_functions(struct cpn_net *net, struct cpn_colour *colour) {
  struct cpn_ml *ml = &net->ml;
  struct cpn_type *own = (struct cpn_type *)colour->type, *pair[2] = {own, own};
  add(net, colour, "all", cpn_type_arrow(ml, ml->unit_type, cpn_type_list(ml, own)), all);
  add(net, colour, "size", cpn_type_arrow(ml, ml->unit_type, ml->int_type), size);
  add(net, colour, "ord", cpn_type_arrow(ml, own, ml->int_type), ord);
  add(net, colour, "col", cpn_type_arrow(ml, ml->int_type, own), col);
  add(net, colour, "legal", cpn_type_arrow(ml, own, ml->bool_type), legal);
  add(net, colour, "mkstr", cpn_type_arrow(ml, own, ml->string_type), mkstr);
  add(net, colour, "lt", cpn_type_arrow(ml, cpn_type_tuple(ml, pair, 2), ml->bool_type), lt);
  add(net, colour, "ran", cpn_type_arrow(ml, ml->unit_type, own), NULL);
  if (colour->kind == CPN_C_PRODUCT && colour->broken == NULL && colour->count <= 64) {
    struct cpn_type *parts[64];
    for (uint32_t i = 0; i < colour->count; i++) {
      parts[i] = cpn_type_list(ml, colour->parts[i]->type);
    }
    add(net, colour, "mult",
        cpn_type_arrow(ml, cpn_type_tuple(ml, parts, colour->count), cpn_type_list(ml, own)), mult);
  }
}
