/* What an editor shows of a model: declarations with the text of their types, templates with their
 * locations. The rest, uses of names and sizes of types, is noted where names are resolved and
 * types get their sizes. */
#include <assert.h>

#include "base/text.h"
#include "lang/uppaal/uppaal_int.h"

/* The type as it is written, with dimensions. */
static const char *type_text(struct clew_front *front, const struct uppaal_decl *decl) {
  struct clew_text text = {0};
  clew_text_put(&text, decl->type != NULL && decl->type->span.length > 0
                           ? clew_front_one_line(front, decl->type->span)
                           : "");
  for (uint32_t i = 0; i < decl->dimension_count; i++) {
    const struct uppaal_dimension *dimension = &decl->dimensions[i];
    struct clew_span span = dimension->size != NULL ? dimension->size->span : dimension->type->span;
    clew_text_printf(&text, "[%s]", clew_front_excerpt(front, span));
  }
  const char *copy = clew_arena_strndup(front->arena, clew_text_str(&text), text.len);
  clew_text_free(&text);
  return copy;
}

static enum clew_symbol_kind kind_of(const struct uppaal_decl *decl) {
  switch (decl->kind) {
  case UPPAAL_DECL_TYPEDEF:
    return CLEW_SYMBOL_TYPE;
  case UPPAAL_DECL_FUNCTION:
    return CLEW_SYMBOL_FUNCTION;
  case UPPAAL_DECL_TEMPLATE:
  case UPPAAL_DECL_INSTANCE:
    return CLEW_SYMBOL_PROCESS;
  default:
    break;
  }
  const struct uppaal_type *type = decl->type;
  return type == NULL                      ? CLEW_SYMBOL_VARIABLE
         : type->kind == UPPAAL_TYPE_CLOCK ? CLEW_SYMBOL_CLOCK
         : type->kind == UPPAAL_TYPE_CHAN  ? CLEW_SYMBOL_CHANNEL
         : type->is_const                  ? CLEW_SYMBOL_CONSTANT
                                           : CLEW_SYMBOL_VARIABLE;
}

static void note_params(struct clew_front *front, const struct uppaal_decl *params) {
  for (const struct uppaal_decl *each = params; each != NULL; each = each->next) {
    if (each->name.name != NULL) {
      clew_front_define_local(front, each->name.span, CLEW_SYMBOL_PARAMETER,
                              each->name.name->id.text, type_text(front, each));
    }
  }
}

static void note_stmts(struct clew_front *front, const struct uppaal_stmt *stmts) {
  for (const struct uppaal_stmt *each = stmts; each != NULL; each = each->next) {
    for (const struct uppaal_decl *decl = each->decls; decl != NULL; decl = decl->next) {
      if (decl->name.name != NULL) {
        clew_front_define_local(front, decl->name.span, kind_of(decl), decl->name.name->id.text,
                                type_text(front, decl));
      }
    }
    if (each->kind == UPPAAL_STMT_EACH && each->ref.name != NULL) {
      clew_front_define_local(front, each->ref.span, CLEW_SYMBOL_PARAMETER, each->ref.name->id.text,
                              clew_front_excerpt(front, each->type->span));
    }
    note_stmts(front, each->body);
    note_stmts(front, each->otherwise);
  }
}

static void use_location(struct clew_front *front, const struct uppaal_process *process,
                         struct uppaal_ref ref) {
  for (const struct uppaal_location *each = process->locations; each != NULL && ref.name != NULL;
       each = each->next) {
    if (each->name.name == ref.name) {
      clew_front_use(front, ref.span, each->name.span);
      return;
    }
  }
}

static void note_process(struct clew_front *front, const struct uppaal_process *process,
                         const struct clew_span *within) {
  for (const struct uppaal_location *each = process->locations; each != NULL; each = each->next) {
    if (each->name.name != NULL) {
      clew_front_define(front, each->name.span, CLEW_SYMBOL_STATE, each->name.name->id.text,
                        each->is_committed                      ? "committed"
                        : each->is_urgent                       ? "urgent"
                        : each->name.name == process->init.name ? "initial"
                                                                : "",
                        within);
    }
  }
  use_location(front, process, process->init);
  for (const struct uppaal_edge *each = process->edges; each != NULL; each = each->next) {
    use_location(front, process, each->source);
    use_location(front, process, each->target);
    for (const struct uppaal_selection *choice = each->selections; choice != NULL;
         choice = choice->next) {
      if (choice->name.name != NULL) {
        clew_front_define_local(front, choice->name.span, CLEW_SYMBOL_PARAMETER,
                                choice->name.name->id.text,
                                clew_front_excerpt(front, choice->type->span));
      }
    }
  }
}

static void note_decls(struct clew_front *front, const struct uppaal_decl *decls,
                       const struct clew_span *within) {
  for (const struct uppaal_decl *each = decls; each != NULL; each = each->next) {
    if (each->name.name != NULL) {
      clew_front_define(front, each->name.span, kind_of(each), each->name.name->id.text,
                        type_text(front, each), within);
    }
    note_params(front, each->params);
    note_stmts(front, each->body);
    if (each->process != NULL) {
      note_decls(front, each->decls, &each->name.span);
      note_process(front, each->process, &each->name.span);
    }
  }
}

void clew_uppaal_note(struct clew_front *front, const struct uppaal_system *system) {
  assert(clew_front_notes(front));
  note_decls(front, system->decls, NULL);
}
