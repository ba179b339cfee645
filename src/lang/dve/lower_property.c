/* The property process: an automaton over the states of the system, kept for temporal properties.
 *
 * Its guards become labels. One that has variables, effects or communication of its own would be a
 * part of the system's state; such a process is not carried. */
#include "lang/dve/lower.h"

#include <assert.h>

static bool is_pure(const struct dve_process *process) {
  bool pure = process->variables == NULL;
  for (uint32_t i = 0; i < process->transition_count; i++) {
    const struct dve_trans *trans = &process->transitions[i];
    pure = pure && trans->effect_count == 0 && trans->sync == NULL;
  }
  return pure;
}

static uint32_t lower_guard(struct dve_lowering *l, const struct dve_trans *trans) {
  if (trans->guard == NULL) {
    return CLEW_NONE;
  }
  return clew_program_add_label(l->program, dve_trans_name(l, trans),
                                clew_front_position(l->d->front, trans->span), NULL,
                                dve_lower_truth(l, trans->guard));
}

void dve_lower_property(struct dve_lowering *l, const struct dve_process *process) {
  assert(process->is_property);
  if (!is_pure(process)) {
    return;
  }
  struct clew_automaton *automaton = CLEW_NEW(l->arena, struct clew_automaton);
  *automaton = (struct clew_automaton){
      .name = clew_arena_printf(l->arena, "%s", process->ref.name->id.text),
      .position = clew_front_position(l->d->front, process->ref.span),
      .location_count = process->state_count,
      .initial = process->init_index,
      .locations = CLEW_NEW_ARRAY(l->arena, const char *, process->state_count),
      .accepting = CLEW_NEW_ARRAY(l->arena, bool, process->state_count),
      .edge_count = process->transition_count,
      .edges = CLEW_NEW_ARRAY(l->arena, struct clew_automaton_edge, process->transition_count),
  };
  for (uint32_t i = 0; i < process->state_count; i++) {
    automaton->locations[i] =
        clew_arena_printf(l->arena, "%s", process->states[i].ref.name->id.text);
    automaton->accepting[i] = process->states[i].accepting;
  }
  for (uint32_t i = 0; i < process->transition_count; i++) {
    const struct dve_trans *trans = &process->transitions[i];
    automaton->edges[i] = (struct clew_automaton_edge){
        .from = trans->from, .to = trans->to, .label = lower_guard(l, trans)};
  }
  l->program->automaton = automaton;
}
