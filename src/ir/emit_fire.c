/* Emitting C: the entry `fire` of a part of its own, for those who re-execute single edges by the
 * hundred million (stores that rebuild states).
 *
 * One function v<n> for each rule, with the signature of `fire`: parameters, guard, action straight
 * into p. `fire` is two loads and a jump: a table says which rule an edge belongs to, another one
 * where its function is. Where no family has parameters, edges are rules and one table is enough.
 *
 * Guards and actions are those of emit_guard.c and emit_rule.c, so nothing is said twice about what
 * a rule means. p may be s: a guard is done with s before the action starts, and an action reads s
 * only to copy it and to see what changed (clew_rt_differ). */
#include <inttypes.h>

#include "ir/emit_int.h"

static const char *const signature = "(const uint64_t *s, uint32_t e, uint64_t *p, uint32_t *site)";

/* The action, from where the guard holds. */
static void put_action_call(struct clew_emitter *e, const struct clew_family *family,
                            const struct clew_rule *rule) {
  assert(rule->index < e->program->rule_count);
  clew_emit_line(e, "if (a%" PRIu32 "(s, p, x%s)) return true;", e->action_of[rule->index],
                 clew_emit_arguments(e, family));
}

/* The function v<n>; nothing but the guard and the action can make anything pending. */
static void put_fired_rule(struct clew_emitter *e, const struct clew_family *family,
                           const struct clew_rule *rule) {
  struct clew_emit_scope scope;
  clew_emit_begin(e, &scope, family->frame, NULL, family);
  clew_emit_line(e, "struct clew_rt context = {.stop = &clew_never}, *x = &context;");
  clew_emit_line(e, "*site = CLEW_RT_NONE;");
  if (family->parameter_count > 0)
    clew_emit_line(e, "uint32_t n = (e - %" PRIu32 ") / %" PRIu32 ";", family->first_edge,
                   family->rule_count);
  clew_emit_split_instance(e, family);
  if (clew_emit_guard_is_plain(e, rule)) {
    uint32_t opened = clew_emit_guard_open(e, family, rule, false);
    put_action_call(e, family, rule);
    for (; opened > 0; opened--)
      clew_emit_close(e);
  } else {
    clew_emit_open(e, "if (g%" PRIu32 "((uint64_t *)s, x%s))", rule->index,
                   clew_emit_arguments(e, family));
    put_action_call(e, family, rule);
    clew_emit_close(e);
  }
  clew_emit_line(e, "*site = clew_rt_site(x);");
  clew_emit_end(e, &scope, clew_emit_text(e, "static bool v%" PRIu32 "%s", rule->index, signature),
                "return false;");
  assert(e->indent == 0);
}

static void put_rules(struct clew_emitter *e) {
  const struct clew_program *program = e->program;
  clew_emit_open(e, "static __attribute__((unused)) bool never%s", signature);
  clew_emit_line(e, "*site = CLEW_RT_NONE;");
  clew_emit_line(e, "return false;");
  clew_emit_close(e);
  assert(e->indent == 0);
  for (uint32_t i = 0; i < program->families.len; i++)
    for (uint32_t j = 0; j < program->families.data[i]->rule_count && !clew_emit_is_full(e); j++) {
      const struct clew_family *family = program->families.data[i];
      clew_emit_rule(e, family, &family->rules[j], CLEW_EMIT_LOOP, false);
      if (!clew_emit_rule_is_dead(e, &family->rules[j]))
        put_fired_rule(e, family, &family->rules[j]);
    }
}

/* The functions of all rules, in the order of families. */
static void put_functions(struct clew_emitter *e) {
  const struct clew_program *program = e->program;
  clew_emit_open(e, "static bool (*const run[])%s =", signature);
  for (uint32_t i = 0; i < program->families.len; i++)
    for (uint32_t j = 0; j < program->families.data[i]->rule_count; j++) {
      const struct clew_rule *rule = &program->families.data[i]->rules[j];
      if (clew_emit_rule_is_dead(e, rule))
        clew_emit_line(e, "never,");
      else
        clew_emit_line(e, "v%" PRIu32 ",", rule->index);
    }
  clew_emit_line(e, "0"); /* so that it is never empty */
  e->indent--;
  assert(e->indent == 0);
  clew_emit_line(e, "};");
}

/* For each edge, where its rule is among those of all families; false where it is at the edge. */
static bool put_rule_numbers(struct clew_emitter *e) {
  const struct clew_program *program = e->program;
  uint32_t first = 0;
  bool needed = false;
  for (uint32_t i = 0; i < program->families.len; i++)
    needed |= program->families.data[i]->instance_count > 1;
  if (!needed)
    return false;
  assert(program->edge_count <= CLEW_EMIT_FIRED_EDGES);
  clew_emit_line(e, "static const uint16_t rule_of[] = {");
  for (uint32_t i = 0; i < program->families.len; i++) {
    const struct clew_family *family = program->families.data[i];
    assert(first + family->rule_count <= CLEW_EMIT_FIRED_EDGES);
    for (uint32_t j = 0; j < family->instance_count && !clew_emit_is_full(e); j++) {
      for (uint32_t k = 0; k < family->rule_count; k++)
        clew_text_printf(e->out, "%" PRIu32 ",", first + k);
      clew_text_char(e->out, '\n');
    }
    first += family->rule_count;
  }
  clew_emit_line(e, "};");
  return true;
}

void clew_emit_fire(struct clew_emitter *e) {
  assert(e->part == CLEW_NATIVE_FIRE);
  put_rules(e);
  put_functions(e);
  bool numbered = put_rule_numbers(e);
  clew_emit_open(e, "static bool fire%s", signature);
  clew_emit_line(e, "return run[%s](s, e, p, site);", numbered ? "rule_of[e]" : "e");
  clew_emit_close(e);
}
