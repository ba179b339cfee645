/* Declarations for reports: where they are, and whether anything uses them.
 *
 * A name is used if the text mentions it again where it may mean this declaration. That asks less
 * than scopes do (a local of a function may be meant instead), so nothing is called unused that is
 * not; and parts of the text that make no rule count like others. */
#include "lang/uppaal/lower.h"

/* NULL: a constant or a variable. */
static const char *kind_of(const struct uppaal_symbol *symbol) {
  return symbol->kind == UPPAAL_SYMBOL_CHANNEL              ? "channel"
         : clew_uppaal_contains(symbol->type, UPPAAL_CLOCK) ? "clock"
                                                            : NULL;
}

static void note(struct uppaal_lowering *l, const struct uppaal_decl *decl, const char *name,
                 const char *what, bool is_used) {
  uint32_t number = clew_program_add_declared(l->program, name,
                                              clew_front_model_position(l->front, decl->name.span),
                                              decl->type->is_const, is_used);
  l->program->declared.data[number].what = what;
}

void clew_uppaal_note_global(struct uppaal_lowering *l, const struct uppaal_decl *decl,
                             const struct uppaal_symbol *symbol) {
  if (l->scope == l->globals) {
    const struct uppaal_name *name = decl->name.name;
    note(l, decl, name->id.text, kind_of(symbol), name->mentions > 1); /* one is the declaration */
  }
}

static void note_list(struct uppaal_lowering *l, const struct uppaal_instance *process,
                      const struct uppaal_decl *decls, const char *what) {
  const char *template = process->template->name.name->id.text;
  for (const struct uppaal_decl *each = decls; each != NULL; each = each->next) {
    if (each->kind == UPPAAL_DECL_VARIABLE) {
      const struct uppaal_symbol *symbol = clew_uppaal_find(process->scope, each->name.name);
      const char *name =
          clew_arena_printf(l->front->arena, "%s.%s", template, each->name.name->id.text);
      note(l, each, name, what != NULL || symbol == NULL ? what : kind_of(symbol),
           each->is_mentioned || each->name.name->is_member);
    }
  }
}

/* The variables of a process are in the order of their declarations; constants make none. */
static void link_variables(struct uppaal_lowering *l, const struct uppaal_instance *process) {
  uint32_t variable = process->first_variable, number = process->template->process->first_declared,
           end = variable + process->variable_count;
  for (const struct uppaal_decl *each = process->template->decls; each != NULL; each = each->next) {
    if (each->kind != UPPAAL_DECL_VARIABLE) {
      continue;
    }
    const struct uppaal_symbol *symbol = clew_uppaal_find(process->scope, each->name.name);
    number++;
    for (uint32_t i = variable; i < end && symbol != NULL && symbol->place.type != NULL; i++) {
      if (l->program->variables.data[i].cell == symbol->place.base) {
        l->program->variables.data[i].declared = number;
        variable = i + 1;
        break;
      }
    }
  }
}

void clew_uppaal_note_locals(struct uppaal_lowering *l) {
  for (const struct uppaal_decl *each = l->system->decls; each != NULL; each = each->next) {
    if (each->kind == UPPAAL_DECL_TEMPLATE) {
      each->process->first_declared = CLEW_NONE;
    }
  }
  for (uint32_t i = 0; i < l->processes.len; i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    struct uppaal_process *tree = process->template->process;
    if (tree->first_declared == CLEW_NONE) {
      note_list(l, process, process->template->params, "parameter");
      tree->first_declared = l->program->declared.len;
      note_list(l, process, process->template->decls, NULL);
    }
    link_variables(l, process);
  }
}
