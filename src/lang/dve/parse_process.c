/* Parsing processes and their transitions. */
#include "lang/dve/parse.h"

#include <assert.h>

/* ---- Transitions ---------------------------------------------------------------------------- */

/* channel ! value, channel ? {place, …} */
static struct dve_sync *parse_sync(struct clew_cursor *p) {
  struct dve_sync *sync = CLEW_NEW(p->front->arena, struct dve_sync);
  sync->channel = clew_dve_parse_ref(p, "the name of a channel");
  sync->send = clew_cursor_accept(p, DVE_TOKEN_SEND);
  if (!sync->send && !clew_cursor_accept(p, DVE_TOKEN_RECEIVE)) {
    clew_cursor_fail_expected(p, "'!' or '?' after the channel");
  }
  if (clew_cursor_accept(p, DVE_TOKEN_LBRACE)) {
    sync->values = clew_dve_parse_exprs(p, !sync->send, &sync->count);
    clew_cursor_expect(p, DVE_TOKEN_RBRACE, "or ',' after a value");
  } else if (!p->panic && clew_cursor_peek(p) != DVE_TOKEN_SEMICOLON) {
    sync->values = CLEW_NEW_ARRAY(p->front->arena, struct dve_expr *, 1);
    sync->values[0] = sync->send ? clew_dve_parse_expr(p) : clew_dve_parse_place(p);
    sync->count = 1;
  }
  if (!p->panic) {
    sync->span = clew_span_join(sync->channel.span, clew_cursor_previous(p));
  }
  return sync;
}

static void parse_effects(struct clew_cursor *p, struct dve_trans *trans) {
  CLEW_VEC(struct dve_effect) effects = {0};
  do {
    struct dve_effect effect = {.place = clew_dve_parse_place(p)};
    if (clew_cursor_peek(p) == DVE_TOKEN_EQ) {
      clew_cursor_fail_expected(p, "'=' (one of them) in an effect");
    }
    (void)clew_cursor_mistake(p, DVE_TOKEN_SEND, "'=' after the variable",
                              "channels are used by 'sync c!1'");
    clew_cursor_expect(p, DVE_TOKEN_ASSIGN, "after the variable");
    effect.value = clew_dve_parse_expr(p);
    clew_vec_push(&effects, effect);
  } while (clew_cursor_accept(p, DVE_TOKEN_COMMA));
  trans->effects =
      clew_arena_copy(p->front->arena, effects.data, effects.len, sizeof *effects.data);
  trans->effect_count = effects.len;
  clew_vec_free(&effects);
}

/* The parts between the braces, in the order that the language asks for. */
static void parse_parts(struct clew_cursor *p, struct dve_trans *trans) {
  if (clew_cursor_accept(p, DVE_TOKEN_GUARD)) {
    trans->guard = clew_dve_parse_expr(p);
    if (!clew_cursor_mistake(p, DVE_TOKEN_ASSIGN, "';' after the guard",
                             "equality is written '=='") &&
        !clew_cursor_mistake(p, DVE_TOKEN_ARROW, "';' after the guard",
                             "implication is written 'imply'")) {
      clew_cursor_expect(p, DVE_TOKEN_SEMICOLON, "after the guard");
    }
  }
  if (clew_cursor_accept(p, DVE_TOKEN_SYNC)) {
    trans->sync = parse_sync(p);
    clew_cursor_expect(p, DVE_TOKEN_SEMICOLON, "after the synchronisation");
  }
  if (clew_cursor_accept(p, DVE_TOKEN_EFFECT)) {
    parse_effects(p, trans);
    clew_cursor_expect(p, DVE_TOKEN_SEMICOLON, "or ',' after the effect");
  }
  if (p->panic || clew_cursor_accept(p, DVE_TOKEN_RBRACE)) {
    return;
  }
  uint32_t kind = clew_cursor_peek(p);
  if (kind == DVE_TOKEN_GUARD || kind == DVE_TOKEN_SYNC || kind == DVE_TOKEN_EFFECT) {
    clew_cursor_fail(p, clew_cursor_here(p),
                     "%s is out of place: a transition has at most one 'guard', one 'sync' "
                     "and one 'effect', in this order",
                     clew_dve_syntax.token_names[kind]);
  }
  if (trans->effect_count > 0 &&
      clew_cursor_mistake(p, CLEW_TOKEN_NAME, "'}' at the end of the transition",
                          "effects are separated by ','")) {
    return;
  }
  clew_cursor_expect(p, DVE_TOKEN_RBRACE, "at the end of the transition");
}

/* Behind the '}' of a transition: one that ',' follows, or ';' and not another part. */
static void skip_transition(struct clew_cursor *p) {
  assert(p->panic);
  p->panic = false;
  for (; p->at != p->last && clew_cursor_peek(p) != DVE_TOKEN_PROCESS; p->at++) {
    uint32_t behind = clew_cursor_peek2(p);
    bool last = clew_cursor_peek(p) == DVE_TOKEN_SEMICOLON && behind == DVE_TOKEN_RBRACE &&
                p->at + 2 <= p->last &&
                (p->at[2].kind == DVE_TOKEN_PROCESS || p->at[2].kind == DVE_TOKEN_SYSTEM);
    if (last || clew_cursor_peek(p) == DVE_TOKEN_SYSTEM) {
      return;
    }
    if (clew_cursor_peek(p) == DVE_TOKEN_RBRACE &&
        (behind == DVE_TOKEN_COMMA || behind == DVE_TOKEN_SEMICOLON)) {
      uint32_t next = p->at + 2 < p->last ? p->at[2].kind : CLEW_TOKEN_END;
      if (next != DVE_TOKEN_EFFECT && next != DVE_TOKEN_SYNC) {
        p->at++;
        return;
      }
    }
  }
}

static struct dve_trans parse_transition(struct clew_cursor *p, struct dve_ref before) {
  struct dve_trans trans = {.span = clew_cursor_here(p), .source = before};
  if (clew_cursor_peek(p) != DVE_TOKEN_ARROW) {
    trans.source = clew_dve_parse_ref(p, "the state that a transition leaves");
  } else if (before.name == NULL) {
    clew_cursor_fail(p, clew_cursor_here(p),
                     "the first transition must name the state that it leaves");
  }
  clew_cursor_expect(p, DVE_TOKEN_ARROW, "in a transition");
  trans.target = clew_dve_parse_ref(p, "the state that a transition enters");
  if (!p->panic) {
    trans.span = clew_span_join(trans.span, trans.target.span);
  }
  if (clew_cursor_expect(p, DVE_TOKEN_LBRACE, "before the parts of the transition")) {
    parse_parts(p, &trans);
  }
  if (p->panic) {
    skip_transition(p);
  }
  return trans;
}

static void parse_transitions(struct clew_cursor *p, struct dve_process *process) {
  CLEW_VEC(struct dve_trans) all = {0};
  struct dve_ref source = {0};
  if (clew_cursor_peek(p) != DVE_TOKEN_SEMICOLON) {
    do {
      struct dve_trans trans = parse_transition(p, source);
      source = trans.source;
      clew_vec_push(&all, trans);
    } while (clew_cursor_accept(p, DVE_TOKEN_COMMA));
  }
  clew_cursor_expect(p, DVE_TOKEN_SEMICOLON, "or ',' after a transition");
  process->transitions = clew_arena_copy(p->front->arena, all.data, all.len, sizeof *all.data);
  process->transition_count = all.len;
  clew_vec_free(&all);
}

/* ---- Sections ------------------------------------------------------------------------------- */

static void parse_states(struct clew_cursor *p, struct dve_process *process) {
  struct dve_refs refs = clew_dve_parse_refs(p, "the name of a state");
  process->states = CLEW_NEW_ARRAY(p->front->arena, struct dve_state, refs.count);
  process->state_count = refs.count;
  for (uint32_t i = 0; i < refs.count; i++) {
    process->states[i] = (struct dve_state){.ref = refs.data[i], .index = i};
  }
}

static void parse_asserts(struct clew_cursor *p, struct dve_process *process) {
  struct dve_assert **tail = &process->asserts;
  do {
    struct dve_assert *each = CLEW_NEW(p->front->arena, struct dve_assert);
    each->state = clew_dve_parse_ref(p, "the name of a state");
    clew_cursor_expect(p, DVE_TOKEN_COLON, "after the state");
    each->value = clew_dve_parse_expr(p);
    *tail = each;
    tail = &each->next;
  } while (clew_cursor_accept(p, DVE_TOKEN_COMMA));
}

/* One of each is allowed; `seen` is indexed by the kind of token that starts it. */
static void parse_section(struct clew_cursor *p, struct dve_process *process, bool *seen) {
  uint32_t kind = clew_cursor_peek(p);
  struct clew_span head = clew_cursor_here(p);
  p->at++;
  if (seen[kind]) {
    clew_cursor_fail(p, head, "process '%s' has %s already", process->ref.name->id.text,
                     clew_dve_syntax.token_names[kind]);
    return;
  }
  seen[kind] = true;
  switch (kind) {
  case DVE_TOKEN_STATE:
    parse_states(p, process);
    break;
  case DVE_TOKEN_INIT:
    process->init = clew_dve_parse_ref(p, "the initial state");
    break;
  case DVE_TOKEN_COMMIT:
    process->commits = clew_dve_parse_refs(p, "the name of a state");
    break;
  case DVE_TOKEN_ACCEPT:
    process->accepts = clew_dve_parse_refs(p, "the name of a state");
    break;
  case DVE_TOKEN_ASSERT:
    parse_asserts(p, process);
    break;
  default:
    assert(kind == DVE_TOKEN_TRANS);
    parse_transitions(p, process);
    return;
  }
  clew_cursor_expect(p, DVE_TOKEN_SEMICOLON, "or ',' after the list of states");
}

static bool is_section(uint32_t kind) {
  return kind == DVE_TOKEN_STATE || kind == DVE_TOKEN_INIT || kind == DVE_TOKEN_COMMIT ||
         kind == DVE_TOKEN_ACCEPT || kind == DVE_TOKEN_ASSERT || kind == DVE_TOKEN_TRANS;
}

struct dve_process *clew_dve_parse_process(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == DVE_TOKEN_PROCESS);
  p->at++;
  struct dve_process *process = CLEW_NEW(p->front->arena, struct dve_process);
  bool seen[DVE_TOKEN_COUNT] = {false};
  process->ref = clew_dve_parse_ref(p, "the name of a process");
  if (clew_cursor_mistake(p, DVE_TOKEN_LPAREN, "'{' after the name of the process",
                          "processes have no parameters") ||
      !clew_cursor_expect(p, DVE_TOKEN_LBRACE, "after the name of the process")) {
    return process;
  }
  struct dve_variable **variables = &process->variables;
  while (!p->panic && !clew_cursor_accept(p, DVE_TOKEN_RBRACE)) {
    if (dve_starts_variables(clew_cursor_peek(p))) {
      variables = clew_dve_parse_variables(p, variables);
    } else if (is_section(clew_cursor_peek(p))) {
      parse_section(p, process, seen);
      if (p->panic) {
        clew_dve_skip_declaration(p);
      }
    } else if (seen[DVE_TOKEN_TRANS] && clew_cursor_peek(p) == CLEW_TOKEN_NAME &&
               clew_cursor_peek2(p) == DVE_TOKEN_ARROW) {
      clew_cursor_fail(p, clew_cursor_here(p),
                       "transitions are separated by ',': expected one, not ';', before %s",
                       clew_cursor_found(p));
    } else {
      clew_cursor_fail_expected(
          p, "a declaration, 'state', 'init', 'commit', 'accept', 'assert', 'trans' "
             "or '}' in a process");
    }
  }
  return process;
}
