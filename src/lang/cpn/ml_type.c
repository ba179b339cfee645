/* Types of CPN ML: terms with variables, made equal by unification.
 *
 * A variable may carry a condition: it is one of the types of an overloaded operator, or a record
 * that has certain fields (#name, patterns with ...). Conditions go along when variables are made
 * equal, and are checked as soon as the type is known. Such variables are never generic. */
#include <assert.h>
#include <string.h>

#include "lang/cpn/ml.h"

static struct cpn_type *new_type(struct cpn_ml *ml, enum cpn_type_kind kind, uint32_t count) {
  struct cpn_type *type = CLEW_NEW(ml->arena, struct cpn_type);
  type->kind = kind;
  type->count = count;
  type->parts = CLEW_NEW_ARRAY(ml->arena, struct cpn_type *, count + 1);
  return type;
}

struct cpn_type *cpn_resolve(struct cpn_type *type) {
  while (type->kind == CPN_T_VAR && type->link != NULL) {
    type = type->link;
  }
  return type;
}

struct cpn_type *cpn_type_con(struct cpn_ml *ml, const struct cpn_tycon *con,
                              struct cpn_type *arg) {
  struct cpn_type *type = new_type(ml, CPN_T_CON, arg != NULL ? 1 : 0);
  type->con = con;
  type->parts[0] = arg;
  return type;
}

struct cpn_type *cpn_type_list(struct cpn_ml *ml, const struct cpn_type *element) {
  return cpn_type_con(ml, ml->list, (struct cpn_type *)element);
}

struct cpn_type *cpn_type_arrow(struct cpn_ml *ml, const struct cpn_type *from,
                                const struct cpn_type *to) {
  struct cpn_type *type = new_type(ml, CPN_T_ARROW, 2);
  type->parts[0] = (struct cpn_type *)from;
  type->parts[1] = (struct cpn_type *)to;
  return type;
}

struct cpn_type *cpn_type_tuple(struct cpn_ml *ml, struct cpn_type **parts, uint32_t count) {
  struct cpn_type *type = new_type(ml, CPN_T_TUPLE, count);
  for (uint32_t i = 0; i < count; i++) {
    type->parts[i] = parts[i];
  }
  return type;
}

struct cpn_type *cpn_type_record(struct cpn_ml *ml, const struct cpn_name **labels,
                                 struct cpn_type **parts, uint32_t count) {
  struct cpn_type *type = cpn_type_tuple(ml, parts, count);
  type->kind = CPN_T_RECORD;
  type->labels = clew_arena_copy(ml->arena, labels, count, sizeof *labels);
  return type;
}

struct cpn_type *cpn_type_var(struct cpn_ml *ml, uint32_t level) {
  struct cpn_type *type = new_type(ml, CPN_T_VAR, 0);
  type->level = level;
  return type;
}

bool cpn_sort_fields(const struct cpn_name **labels, void **parts, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    for (uint32_t k = i; k > 0; k--) {
      int order = strcmp(labels[k - 1]->base.text, labels[k]->base.text);
      if (order == 0) {
        return false;
      }
      if (order < 0) {
        break;
      }
      const struct cpn_name *label = labels[k];
      void *part = parts[k];
      labels[k] = labels[k - 1];
      parts[k] = parts[k - 1];
      labels[k - 1] = label;
      parts[k - 1] = part;
    }
  }
  return true;
}

/* ---- unification ---- */

/* Whether the variable is in the type; lowers the levels of others in it. */
static bool occurs(struct cpn_type *var, struct cpn_type *type, uint32_t depth) {
  type = cpn_resolve(type);
  if (type == var || depth > 2 * CPN_MOST_NESTING) {
    return true;
  }
  if (type->kind == CPN_T_VAR) {
    type->level = type->level < var->level ? type->level : var->level;
    for (const struct cpn_field *f = type->fields; f != NULL; f = f->next) {
      if (occurs(var, f->type, depth + 1)) {
        return true;
      }
    }
    return false;
  }
  for (uint32_t i = 0; i < type->count; i++) {
    if (occurs(var, type->parts[i], depth + 1)) {
      return true;
    }
  }
  return false;
}

static struct cpn_type *field_of(const struct cpn_type *type, const struct cpn_name *label) {
  if (type->kind == CPN_T_TUPLE) {
    const char *digits = label->base.text;
    uint32_t number = 0;
    for (; *digits >= '0' && *digits <= '9' && number < 1000; digits++) {
      number = number * 10 + (uint32_t)(*digits - '0');
    }
    return *digits == '\0' && number >= 1 && number <= type->count ? type->parts[number - 1] : NULL;
  }
  for (uint32_t i = 0; type->kind == CPN_T_RECORD && i < type->count; i++) {
    if (type->labels[i] == label) {
      return type->parts[i];
    }
  }
  return NULL;
}

static struct cpn_field *find_field(struct cpn_field *fields, const struct cpn_name *label) {
  while (fields != NULL && fields->label != label) {
    fields = fields->next;
  }
  return fields;
}

static bool merge_vars(struct cpn_ml *ml, struct cpn_type *from, struct cpn_type *to) {
  if (from->over != 0 && to->over != 0 && (from->over & to->over) == 0) {
    return false;
  }
  to->over = from->over == 0 ? to->over : to->over == 0 ? from->over : from->over & to->over;
  from->link = to;
  for (struct cpn_field *f = from->fields; f != NULL; f = f->next) {
    struct cpn_field *same = find_field(to->fields, f->label);
    if (same != NULL) {
      if (!cpn_unify(ml, same->type, f->type)) {
        return false;
      }
    } else {
      struct cpn_field *copy = CLEW_NEW(ml->arena, struct cpn_field);
      *copy = (struct cpn_field){f->label, f->type, to->fields};
      to->fields = copy;
    }
  }
  return to->over == 0 || to->fields == NULL;
}

static bool bind_var(struct cpn_ml *ml, struct cpn_type *var, struct cpn_type *type) {
  if (occurs(var, type, 0)) {
    return false;
  }
  if (type->kind == CPN_T_VAR) {
    return merge_vars(ml, var, type);
  }
  if (var->over != 0 && (type->kind != CPN_T_CON || (type->con->over & var->over) == 0)) {
    return false;
  }
  struct cpn_field *fields = var->fields;
  var->link = type;
  for (; fields != NULL; fields = fields->next) {
    struct cpn_type *field = field_of(type, fields->label);
    if (field == NULL || !cpn_unify(ml, field, fields->type)) {
      return false;
    }
  }
  return true;
}

bool cpn_unify(struct cpn_ml *ml, struct cpn_type *a, struct cpn_type *b) {
  a = cpn_resolve(a);
  b = cpn_resolve(b);
  if (a == b) {
    return true;
  }
  if (a->kind == CPN_T_VAR || b->kind == CPN_T_VAR) {
    return a->kind == CPN_T_VAR ? bind_var(ml, a, b) : bind_var(ml, b, a);
  }
  if (a->kind != b->kind || a->count != b->count || a->con != b->con ||
      (a->kind == CPN_T_GENERIC && a->level != b->level)) {
    return false;
  }
  for (uint32_t i = 0; i < a->count; i++) {
    if ((a->kind == CPN_T_RECORD && a->labels[i] != b->labels[i]) ||
        !cpn_unify(ml, a->parts[i], b->parts[i])) {
      return false;
    }
  }
  return true;
}

/* ---- generic types ---- */

struct renaming {
  struct cpn_ml *ml;
  struct cpn_type *from[32], *to[32];
  uint32_t count, level;
};

static struct cpn_type *copy(struct renaming *r, struct cpn_type *type,
                             struct cpn_type *leaf(struct renaming *r, struct cpn_type *type)) {
  type = cpn_resolve(type);
  if (type->kind == CPN_T_VAR || type->kind == CPN_T_GENERIC) {
    return leaf(r, type);
  }
  struct cpn_type *result = NULL;
  for (uint32_t i = 0; i < type->count; i++) {
    struct cpn_type *part = copy(r, type->parts[i], leaf);
    if (part != type->parts[i] && result == NULL) {
      result = new_type(r->ml, type->kind, type->count);
      result->con = type->con;
      result->labels = type->labels;
      for (uint32_t k = 0; k < type->count; k++) {
        result->parts[k] = type->parts[k];
      }
    }
    if (result != NULL) {
      result->parts[i] = part;
    }
  }
  return result != NULL ? result : type;
}

static struct cpn_type *fresh_leaf(struct renaming *r, struct cpn_type *type) {
  if (type->kind != CPN_T_GENERIC || type->level >= 32) {
    return type;
  }
  if (r->to[type->level] == NULL) {
    r->to[type->level] = cpn_type_var(r->ml, r->level);
    r->to[type->level]->over = type->over;
  }
  return r->to[type->level];
}

struct cpn_type *cpn_instantiate(struct cpn_ml *ml, const struct cpn_type *type, uint32_t level) {
  struct renaming r = {.ml = ml, .level = level};
  return copy(&r, (struct cpn_type *)type, fresh_leaf);
}

static struct cpn_type *generic_leaf(struct renaming *r, struct cpn_type *type) {
  if (type->kind == CPN_T_GENERIC || type->level <= r->level || type->over != 0 ||
      type->fields != NULL) {
    if (type->kind == CPN_T_VAR && type->level > r->level) {
      type->level = r->level;
    }
    return type;
  }
  for (uint32_t i = 0; i < r->count; i++) {
    if (r->from[i] == type) {
      return r->to[i];
    }
  }
  if (r->count == 32) {
    return type;
  }
  struct cpn_type *generic = new_type(r->ml, CPN_T_GENERIC, 0);
  generic->level = r->count;
  r->from[r->count] = type;
  r->to[r->count++] = generic;
  return generic;
}

const struct cpn_type *cpn_generalise(struct cpn_ml *ml, struct cpn_type *type, uint32_t level) {
  struct renaming r = {.ml = ml, .level = level};
  return copy(&r, type, generic_leaf);
}

/* ---- printing ---- */

static void print(const struct cpn_type *type, bool is_inner, uint32_t depth,
                  struct clew_text *out) {
  type = cpn_resolve((struct cpn_type *)type);
  if (depth > 8) {
    clew_text_put(out, "...");
    return;
  }
  bool brackets =
      is_inner && (type->kind == CPN_T_ARROW || (type->kind == CPN_T_TUPLE && type->count > 1));
  clew_text_put(out, brackets ? "(" : "");
  switch (type->kind) {
  case CPN_T_VAR:
    clew_text_put(out, type->over != 0 ? "a number" : type->fields != NULL ? "a record" : "'a");
    break;
  case CPN_T_GENERIC:
    clew_text_printf(out, "'%c", (char)('a' + type->level % 26));
    break;
  case CPN_T_CON:
    if (type->count > 0) {
      print(type->parts[0], true, depth + 1, out);
      clew_text_char(out, ' ');
    }
    clew_text_put(out, type->con->name);
    break;
  case CPN_T_TUPLE:
    clew_text_put(out, type->count == 0 ? "unit" : "");
    for (uint32_t i = 0; i < type->count; i++) {
      clew_text_put(out, i > 0 ? " * " : "");
      print(type->parts[i], true, depth + 1, out);
    }
    break;
  case CPN_T_RECORD:
    clew_text_char(out, '{');
    for (uint32_t i = 0; i < type->count; i++) {
      clew_text_printf(out, "%s%s: ", i > 0 ? ", " : "", type->labels[i]->base.text);
      print(type->parts[i], false, depth + 1, out);
    }
    clew_text_char(out, '}');
    break;
  case CPN_T_ARROW:
    print(type->parts[0], true, depth + 1, out);
    clew_text_put(out, " -> ");
    print(type->parts[1], false, depth + 1, out);
    break;
  }
  clew_text_put(out, brackets ? ")" : "");
}

void cpn_type_print(const struct cpn_type *type, struct clew_text *out) {
  print(type, false, 0, out);
}

/* ---- written types ---- */

static struct cpn_type *read_name(struct cpn_reader *reader, const struct cpn_type_expr *written,
                                  struct cpn_type **args) {
  const struct cpn_name *name = written->name;
  if (name->type_fn != NULL && written->count == name->type_fn->arity) {
    const struct cpn_type_fn *fn = name->type_fn;
    if (fn->con != NULL) {
      return cpn_type_con(reader->ml, fn->con, args[0]);
    }
    struct cpn_type *fn_type = cpn_type_tuple(reader->ml, args, written->count);
    struct cpn_type *vars[8];
    for (uint32_t i = 0; i < fn->arity && i < 8; i++) {
      vars[i] = CLEW_NEW(reader->ml->arena, struct cpn_type);
      vars[i]->kind = CPN_T_GENERIC;
      vars[i]->level = i;
    }
    struct cpn_type *formal = cpn_type_tuple(reader->ml, vars, fn->arity < 8 ? fn->arity : 8);
    struct cpn_type *both =
        cpn_instantiate(reader->ml, cpn_type_arrow(reader->ml, formal, fn->body), CPN_MOST_NESTING);
    return cpn_unify(reader->ml, both->parts[0], fn_type) ? both->parts[1] : NULL;
  }
  if (name->type != NULL && written->count == 0) {
    return (struct cpn_type *)name->type;
  }
  cpn_fail(reader, written->offset, written->length, "there is no type '%s'", name->base.text);
  return NULL;
}

struct cpn_type *cpn_read_type(struct cpn_reader *reader, const struct cpn_type_expr *written,
                               struct cpn_name *const *vars, uint32_t var_count) {
  if (reader->failed || written == NULL) {
    return NULL;
  }
  struct cpn_ml *ml = reader->ml;
  struct cpn_type **parts = CLEW_NEW_ARRAY(ml->arena, struct cpn_type *, written->count + 1);
  for (uint32_t i = 0; i < written->count; i++) {
    parts[i] = cpn_read_type(reader, written->parts[i], vars, var_count);
    if (parts[i] == NULL) {
      return NULL;
    }
  }
  switch (written->kind) {
  case CPN_TE_NAME:
    return read_name(reader, written, parts);
  case CPN_TE_TUPLE:
    return cpn_type_tuple(ml, parts, written->count);
  case CPN_TE_RECORD:
    return cpn_type_record(ml, written->labels, parts, written->count);
  case CPN_TE_ARROW:
    return cpn_type_arrow(ml, parts[0], parts[1]);
  case CPN_TE_VAR:
    break;
  }
  for (uint32_t i = 0; i < var_count; i++) {
    if (vars[i] == written->name) {
      struct cpn_type *type = CLEW_NEW(ml->arena, struct cpn_type);
      type->kind = CPN_T_GENERIC;
      type->level = i;
      return type;
    }
  }
  return cpn_type_var(ml, CPN_MOST_NESTING); /* 'a in an annotation: whatever it is */
}
