/* Checking types and declarations, and applying `--param` to constants. */
#include "lang/murphi/check.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

/* ---- Types ---------------------------------------------------------------------------------- */

static const struct murphi_type *check_name(struct murphi_checker *c,
                                            struct murphi_type_expr *type) {
  assert(type->kind == MURPHI_TYPE_EXPR_NAME);
  struct murphi_symbol *symbol = clew_murphi_lookup(c, type->name, type->span);
  if (symbol == NULL) {
    return &c->m->error_type;
  }
  if (symbol->kind != MURPHI_SYMBOL_TYPE) {
    if (!clew_murphi_type_is_error(symbol->type)) {
      clew_front_error(c->m->front, type->span, "'%s' is %s, not a type", type->name->id.text,
                       clew_murphi_symbol_text(symbol));
    }
    return &c->m->error_type;
  }
  return symbol->type;
}

static const struct murphi_type *check_range(struct murphi_checker *c,
                                             struct murphi_type_expr *type) {
  assert(type->lo != NULL && type->hi != NULL);
  int64_t lo, hi;
  bool good = clew_murphi_check_number(c, type->lo, "the lower bound of a range", &lo);
  good = clew_murphi_check_number(c, type->hi, "the upper bound of a range", &hi) && good;
  if (!good) {
    return &c->m->error_type;
  }
  if (hi < lo) {
    clew_front_error(c->m->front, type->span, "the range %lld..%lld is empty", (long long)lo,
                     (long long)hi);
    return &c->m->error_type;
  }
  return clew_murphi_type_range(c->m, lo, hi);
}

static const struct murphi_type *check_enum(struct murphi_checker *c,
                                            struct murphi_type_expr *type_expr) {
  assert(type_expr->members != NULL);
  int64_t count = 0;
  for (struct murphi_member *member = type_expr->members; member != NULL; member = member->next) {
    count++;
  }
  struct murphi_type *type = clew_murphi_type_enum(c->m, type_expr->members, count);
  int64_t ordinal = 0;
  for (struct murphi_member *member = type_expr->members; member != NULL; member = member->next) {
    clew_murphi_declare(c, MURPHI_SYMBOL_CONST, member->name, member->span, type)->value =
        type->lo + ordinal++;
  }
  return type;
}

/* A size that must be positive. */
static bool check_size(struct murphi_checker *c, struct murphi_expr *expr, const char *what,
                       int64_t *size) {
  if (!clew_murphi_check_number(c, expr, what, size)) {
    return false;
  }
  if (*size < 1 || *size > MURPHI_MAX_VALUES) {
    clew_front_error(c->m->front, expr->span, "%s must be in 1..%lld, not %lld", what,
                     (long long)MURPHI_MAX_VALUES, (long long)*size);
    return false;
  }
  return true;
}

static const struct murphi_type *check_scalarset(struct murphi_checker *c,
                                                 struct murphi_type_expr *type) {
  assert(type->lo != NULL);
  int64_t size;
  return check_size(c, type->lo, "the size of a scalarset", &size)
             ? clew_murphi_type_scalarset(c->m, size)
             : &c->m->error_type;
}

static const struct murphi_type *check_union(struct murphi_checker *c,
                                             struct murphi_type_expr *type_expr) {
  assert(type_expr->parts != NULL);
  CLEW_VEC(const struct murphi_type *) parts = {0};
  const struct murphi_type *result = NULL;
  for (struct murphi_type_expr *part = type_expr->parts; part != NULL; part = part->next) {
    const struct murphi_type *type = clew_murphi_check_type(c, part);
    if (clew_murphi_type_is_enumerated(type)) {
      clew_vec_push(&parts, type);
      continue;
    }
    result = &c->m->error_type;
    if (!clew_murphi_type_is_error(type)) {
      clew_front_error(c->m->front, part->span,
                       "a union can contain enumerations, scalarsets and unions, but not %s",
                       clew_murphi_type_text(c->m, type));
    }
  }
  if (result == NULL) {
    result = clew_murphi_type_union(c->m, parts.data, parts.len);
  }
  clew_vec_free(&parts);
  if (result == NULL) {
    clew_front_error(c->m->front, type_expr->span,
                     "this union has too many members: the limit is %d", MURPHI_MAX_LEAVES);
    return &c->m->error_type;
  }
  return result;
}

/* Complains about a type that its constructor has refused. */
static const struct murphi_type *refuse_size(struct murphi_checker *c,
                                             struct murphi_type_expr *type,
                                             const struct murphi_type *element) {
  assert(element->cells <= CLEW_MAX_CELLS);
  if (element->depth >= MURPHI_MAX_TYPE_DEPTH) {
    clew_front_error(c->m->front, type->span,
                     "this type is nested too deeply: the limit is %d levels",
                     MURPHI_MAX_TYPE_DEPTH);
  } else {
    clew_front_error(c->m->front, type->span,
                     "this type is too large: a variable can have at most %d simple parts",
                     CLEW_MAX_CELLS);
  }
  return &c->m->error_type;
}

static const struct murphi_type *check_array(struct murphi_checker *c,
                                             struct murphi_type_expr *type_expr) {
  assert(type_expr->index != NULL && type_expr->element != NULL);
  const struct murphi_type *index = clew_murphi_check_type(c, type_expr->index);
  const struct murphi_type *element = clew_murphi_check_type(c, type_expr->element);
  if (!clew_murphi_type_is_simple(index)) {
    clew_front_error(
        c->m->front, type_expr->index->span,
        "an array is indexed by a range, enumeration, scalarset, union or boolean, not %s",
        clew_murphi_type_text(c->m, index));
    return &c->m->error_type;
  }
  if (clew_murphi_type_is_error(index) || clew_murphi_type_is_error(element)) {
    return &c->m->error_type;
  }
  const struct murphi_type *type = clew_murphi_type_array(c->m, index, element);
  return type != NULL ? type : refuse_size(c, type_expr, element);
}

static const struct murphi_type *check_record(struct murphi_checker *c,
                                              struct murphi_type_expr *type_expr) {
  assert(type_expr->kind == MURPHI_TYPE_EXPR_RECORD);
  CLEW_VEC(struct murphi_field) fields = {0};
  const struct murphi_type *deepest = &c->m->boolean_type;
  bool good = true;
  for (struct murphi_decl *decl = type_expr->fields; decl != NULL; decl = decl->next) {
    struct murphi_field field = {decl->name, decl->span,
                                 clew_murphi_check_type(c, decl->type_expr)};
    clew_front_define_local(c->m->front, decl->span, CLEW_SYMBOL_FIELD, decl->name->id.text,
                            clew_front_notes(c->m->front) ? clew_murphi_type_text(c->m, field.type)
                                                          : "");
    if (decl->name->record == type_expr) {
      clew_front_error(c->m->front, decl->span, "this record already has a field '%s'",
                       decl->name->id.text);
    }
    decl->name->record = type_expr;
    clew_vec_push(&fields, field);
    good = good && !clew_murphi_type_is_error(field.type);
    deepest = field.type->depth > deepest->depth ? field.type : deepest;
  }
  uint32_t count = fields.len;
  const struct murphi_field *copy =
      clew_arena_copy(c->m->front->arena, fields.data, count, sizeof *fields.data);
  clew_vec_free(&fields);
  if (!good) {
    return &c->m->error_type;
  }
  const struct murphi_type *type = clew_murphi_type_record(c->m, copy, count);
  return type != NULL ? type : refuse_size(c, type_expr, deepest);
}

static const struct murphi_type *check_multiset(struct murphi_checker *c,
                                                struct murphi_type_expr *type_expr) {
  assert(type_expr->lo != NULL && type_expr->element != NULL);
  int64_t capacity;
  bool good = check_size(c, type_expr->lo, "the capacity of a multiset", &capacity);
  const struct murphi_type *element = clew_murphi_check_type(c, type_expr->element);
  if (!good || clew_murphi_type_is_error(element)) {
    return &c->m->error_type;
  }
  const struct murphi_type *type = clew_murphi_type_multiset(c->m, capacity, element);
  return type != NULL ? type : refuse_size(c, type_expr, element);
}

const struct murphi_type *clew_murphi_check_type(struct murphi_checker *c,
                                                 struct murphi_type_expr *type_expr) {
  static const struct murphi_type *(*const checks[])(struct murphi_checker *,
                                                     struct murphi_type_expr *) = {
      [MURPHI_TYPE_EXPR_NAME] = check_name,     [MURPHI_TYPE_EXPR_RANGE] = check_range,
      [MURPHI_TYPE_EXPR_ENUM] = check_enum,     [MURPHI_TYPE_EXPR_SCALARSET] = check_scalarset,
      [MURPHI_TYPE_EXPR_UNION] = check_union,   [MURPHI_TYPE_EXPR_ARRAY] = check_array,
      [MURPHI_TYPE_EXPR_RECORD] = check_record, [MURPHI_TYPE_EXPR_MULTISET] = check_multiset,
  };
  if (type_expr->type == NULL) { /* `a, b : T` is met twice */
    type_expr->type = type_expr->kind == MURPHI_TYPE_EXPR_BOOLEAN
                          ? &c->m->boolean_type
                          : checks[type_expr->kind](c, type_expr);
  }
  return type_expr->type;
}

/* ---- Constants and `--param` ---------------------------------------------------------------- */

/* The value an override gives to a constant of the type; false when it gives none. */
static bool parse_override(const struct murphi_type *type, const char *text, int64_t *value) {
  assert(text != NULL);
  if (type->kind == MURPHI_TYPE_BOOLEAN) {
    *value = strcmp(text, "true") == 0;
    return *value == 1 || strcmp(text, "false") == 0;
  }
  return clew_murphi_type_is_integer(type) && clew_text_parse_i64(text, value) &&
         *value > INT64_MIN;
}

static void override_constant(struct murphi_checker *c, const struct murphi_decl *decl,
                              int64_t *value) {
  assert(decl->value->is_constant);
  const struct murphi_type *type = decl->value->type;
  for (uint32_t i = 0; i < c->m->front->request->override_count; i++) {
    struct clew_override *override = &c->m->front->request->overrides[i];
    if (strcmp(override->name, decl->name->id.text) != 0) {
      continue;
    }
    override->used = true;
    if (clew_murphi_type_is_enumerated(type)) {
      clew_front_error(c->m->front, decl->span,
                       "--param cannot set '%s': only integers and booleans can be set",
                       decl->name->id.text);
    } else if (!parse_override(type, override->value, value)) {
      clew_front_error(c->m->front, decl->span, "--param %s=%s: expected %s", override->name,
                       override->value,
                       type->kind == MURPHI_TYPE_BOOLEAN ? "true or false" : "an integer");
    }
  }
}

static void check_const(struct murphi_checker *c, struct murphi_decl *decl, bool global) {
  assert(decl->kind == MURPHI_DECL_CONST);
  bool good = clew_murphi_check_constant(c, decl->value, "a constant");
  int64_t value = decl->value->value;
  if (good && global) {
    override_constant(c, decl, &value);
  }
  decl->symbol = clew_murphi_declare(c, MURPHI_SYMBOL_CONST, decl->name, decl->span,
                                     good ? decl->value->type : &c->m->error_type);
  decl->symbol->value = value;
}

/* ---- Declarations --------------------------------------------------------------------------- */

static void check_type_decl(struct murphi_checker *c, struct murphi_decl *decl) {
  assert(decl->kind == MURPHI_DECL_TYPE);
  const struct murphi_type *type = clew_murphi_check_type(c, decl->type_expr);
  bool is_new = decl->type_expr->kind != MURPHI_TYPE_EXPR_NAME &&
                decl->type_expr->kind != MURPHI_TYPE_EXPR_BOOLEAN &&
                !clew_murphi_type_is_error(type);
  if (is_new) {
    ((struct murphi_type *)type)->name = decl->name->id.text; /* made for this declaration */
  }
  decl->symbol = clew_murphi_declare(c, MURPHI_SYMBOL_TYPE, decl->name, decl->span, type);
}

void clew_murphi_check_decls(struct murphi_checker *c, struct murphi_decl *decls, bool global) {
  assert(!global || c->depth == 0);
  for (struct murphi_decl *decl = decls; decl != NULL; decl = decl->next) {
    switch (decl->kind) {
    case MURPHI_DECL_CONST:
      check_const(c, decl, global);
      break;
    case MURPHI_DECL_TYPE:
      check_type_decl(c, decl);
      break;
    case MURPHI_DECL_VAR:
      decl->symbol =
          clew_murphi_declare(c, global ? MURPHI_SYMBOL_STATE : MURPHI_SYMBOL_LOCAL, decl->name,
                              decl->span, clew_murphi_check_type(c, decl->type_expr));
      break;
    }
  }
}
