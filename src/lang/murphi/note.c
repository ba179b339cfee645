/* What an editor shows of a model: every symbol with its type, and the rules by their titles. */
#include <assert.h>

#include "base/text.h"
#include "lang/murphi/check.h"

/* The type by its name, and what that stands for. */
static const char *describe(struct murphi *m, const struct murphi_type *type) {
  struct clew_text text = {0};
  bool is_opened = type->name == NULL;
  if (!is_opened) {
    clew_text_put(&text, type->name);
  }
  struct murphi_type plain = *type;
  plain.name = NULL;
  if (type->kind == MURPHI_TYPE_ENUM) {
    enum { MOST = 12 };
    uint32_t count = 0;
    clew_text_put(&text, is_opened ? "enum {" : " = enum {");
    for (const struct murphi_member *each = type->members; each != NULL && count < MOST;
         each = each->next, count++) {
      clew_text_printf(&text, "%s%s", count > 0 ? ", " : "", each->name->id.text);
    }
    clew_text_put(&text, type->count > MOST ? ", ...}" : "}");
  } else if (type->kind == MURPHI_TYPE_RECORD) {
    clew_text_put(&text, is_opened ? "record {" : " = record {");
    for (uint32_t i = 0; i < type->field_count; i++) {
      clew_text_printf(&text, "%s%s: %s", i > 0 ? "; " : "", type->fields[i].name->id.text,
                       clew_murphi_type_text(m, type->fields[i].type));
    }
    clew_text_put(&text, "}");
  } else if (type->kind == MURPHI_TYPE_BOOLEAN || type->kind == MURPHI_TYPE_INTEGER) {
    clew_text_put(&text, type->name != NULL                  ? ""
                         : type->kind == MURPHI_TYPE_BOOLEAN ? "boolean"
                                                             : "integer");
  } else if (type->kind != MURPHI_TYPE_ERROR) {
    clew_text_printf(&text, "%s%s", is_opened ? "" : " = ", clew_murphi_type_text(m, &plain));
  }
  const char *copy = clew_arena_strndup(m->front->arena, clew_text_str(&text), text.len);
  clew_text_free(&text);
  return copy;
}

static const char *signature(struct murphi *m, const struct murphi_function *function) {
  struct clew_text text = {0};
  clew_text_char(&text, '(');
  for (const struct murphi_decl *each = function->params; each != NULL; each = each->next) {
    clew_text_printf(&text, "%s%s%s: %s", each != function->params ? "; " : "",
                     each->by_reference ? "var " : "", each->name->id.text,
                     each->type_expr->type != NULL ? clew_murphi_type_text(m, each->type_expr->type)
                                                   : "?");
  }
  clew_text_char(&text, ')');
  if (function->result != NULL) {
    clew_text_printf(&text, ": %s", clew_murphi_type_text(m, function->result));
  }
  const char *copy = clew_arena_strndup(m->front->arena, clew_text_str(&text), text.len);
  clew_text_free(&text);
  return copy;
}

static const char *describe_constant(struct murphi *m, const struct murphi_symbol *symbol) {
  if (clew_murphi_type_is_enumerated(symbol->type)) {
    return describe(m, symbol->type);
  }
  if (symbol->type->kind == MURPHI_TYPE_BOOLEAN) {
    return symbol->value != 0 ? "true" : "false";
  }
  return clew_arena_printf(m->front->arena, "%lld", (long long)symbol->value);
}

static void note_symbol(struct murphi *m, const struct murphi_symbol *symbol) {
  static const enum clew_symbol_kind kinds[] = {
      [MURPHI_SYMBOL_CONST] = CLEW_SYMBOL_CONSTANT,
      [MURPHI_SYMBOL_TYPE] = CLEW_SYMBOL_TYPE,
      [MURPHI_SYMBOL_FUNCTION] = CLEW_SYMBOL_FUNCTION,
      [MURPHI_SYMBOL_STATE] = CLEW_SYMBOL_VARIABLE,
      [MURPHI_SYMBOL_LOCAL] = CLEW_SYMBOL_VARIABLE,
      [MURPHI_SYMBOL_VALUE_PARAM] = CLEW_SYMBOL_PARAMETER,
      [MURPHI_SYMBOL_VAR_PARAM] = CLEW_SYMBOL_PARAMETER,
      [MURPHI_SYMBOL_BOUND] = CLEW_SYMBOL_PARAMETER,
      [MURPHI_SYMBOL_ALIAS] = CLEW_SYMBOL_VARIABLE,
  };
  enum clew_symbol_kind kind = kinds[symbol->kind];
  bool is_constant = symbol->kind == MURPHI_SYMBOL_CONST;
  if (is_constant && symbol->type->kind == MURPHI_TYPE_ENUM) {
    kind = CLEW_SYMBOL_VALUE;
  }
  const char *detail = symbol->kind == MURPHI_SYMBOL_FUNCTION ? signature(m, symbol->function)
                       : is_constant                          ? describe_constant(m, symbol)
                                                              : describe(m, symbol->type);
  if (symbol->depth > 0) {
    clew_front_define_local(m->front, symbol->span, kind, symbol->name->id.text, detail);
  } else {
    clew_front_define(m->front, symbol->span, kind, symbol->name->id.text, detail, NULL);
  }
}

static void note_rules(struct murphi *m, const struct murphi_rule *rules) {
  for (const struct murphi_rule *rule = rules; rule != NULL; rule = rule->next) {
    note_rules(m, rule->children);
    if (rule->query > 0 || rule->kind == MURPHI_RULE_SET || rule->kind == MURPHI_RULE_ALIAS) {
      continue;
    }
    bool is_property = rule->kind == MURPHI_RULE_PROPERTY;
    const char *what = is_property                       ? "property"
                       : rule->kind == MURPHI_RULE_START ? "startstate"
                                                         : "rule";
    clew_front_define(m->front, rule->span, is_property ? CLEW_SYMBOL_PROPERTY : CLEW_SYMBOL_RULE,
                      rule->title != NULL ? rule->title : what, "", NULL);
  }
}

void clew_murphi_note(struct murphi_checker *c) {
  assert(clew_front_notes(c->m->front));
  for (uint32_t i = 0; i < c->noted.len; i++) {
    note_symbol(c->m, c->noted.data[i]);
  }
  note_rules(c->m, c->m->model.rules);
}
