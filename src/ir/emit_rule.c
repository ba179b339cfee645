/* Emitting C: rules. For rule n, a<n> is its action: it makes the successor and puts it into the
 * buffer; for `fire`, where there is no buffer, into p. Guards are in emit_guard.c. Small actions
 * that cannot fail are not functions but blocks in the text of the instance: compilers take longer
 * for a function than for what is in it.
 *
 * Actions whose text is the same are emitted once: a transition that only moves between control
 * states is often written for every value of something else that its guard tests. */
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "ir/emit_int.h"

static const char *parameter_text(struct clew_emitter *e, const struct clew_family *family,
                                  const char *before) {
  struct clew_text text = {0};
  assert(family->parameter_count == 0 || family->parameters != NULL);
  for (uint32_t i = 0; i < family->parameter_count; i++)
    clew_text_printf(&text, ", %sf%" PRIu32, before, family->parameters[i].cell);
  const char *copy = clew_emit_text(e, "%s", clew_text_str(&text));
  clew_text_free(&text);
  return copy;
}

const char *clew_emit_parameters(struct clew_emitter *e, const struct clew_family *family) {
  return parameter_text(e, family, "int64_t ");
}

const char *clew_emit_arguments(struct clew_emitter *e, const struct clew_family *family) {
  return parameter_text(e, family, "");
}

void clew_emit_split_instance(struct clew_emitter *e, const struct clew_family *family) {
  assert(family->instance_count > 0);
  for (uint32_t i = family->parameter_count; i-- > 0;) {
    const struct clew_domain *domain = family->parameters[i].domain;
    uint32_t size = clew_emit_domain_size(domain);
    clew_emit_line(e, "const int64_t f%" PRIu32 " = %s + (int64_t)(n %% %" PRIu32 ");",
                   family->parameters[i].cell, clew_emit_number(e, domain->lo), size);
    clew_emit_line(e, "n /= %" PRIu32 ";", size);
  }
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

static void put_sort(struct clew_emitter *e, const struct clew_rule *rule) {
  uint32_t count = e->program->bags.len;
  if (count == 0)
    return;
  uint64_t *bags = clew_alloc_zero(CLEW_BITSET_WORDS(count), sizeof *bags);
  assert(e->indent == 1);
  clew_emit_bags_written(e, rule->body, bags);
  clew_emit_sort(e, bags);
  clew_free(bags);
}

/* Between the body and the moment when the successor counts. */
static void put_after_body(struct clew_emitter *e, const struct clew_rule *rule, bool fails) {
  const struct clew_program *program = e->program;
  if (fails)
    clew_emit_line(e, "if (CLEW_RT_RARE(x->pending)) goto settle;");
  put_sort(e, rule);
  assert(e->indent == 1);
  if (program->assumptions.len > 0) {
    clew_emit_line(e, "assume(p, x);");
    clew_emit_line(e, "if (CLEW_RT_RARE(x->pending)) goto settle;");
  }
}

/* The head of an action, up to the place where the new state is a copy of the old one. */
static const char *action_head(struct clew_emitter *e, const struct clew_family *family,
                               const struct clew_rule *rule, bool inlined) {
  const char *parameters = clew_emit_parameters(e, family);
  if (e->part == CLEW_NATIVE_FIRE)
    return clew_emit_text(e,
                          "static bool a%" PRIu32
                          "(const uint64_t *s, uint64_t *p, struct clew_rt *x%s) {\n"
                          "  clew_rt_copy(p, s, %" PRIu32 ");\n ",
                          rule->index, parameters, e->program->words);
  assert(e->part == CLEW_NATIVE_ALL);
  return clew_emit_text(
      e,
      "static %s void a%" PRIu32 "(const uint64_t *restrict s, struct clew_succs *o, "
      "struct clew_rt *x, uint32_t e%s) {\n"
      "  uint64_t *p = %s(s, o);\n ",
      inlined ? "inline __attribute__((always_inline))" : "__attribute__((noinline))", rule->index,
      parameters, e->compact ? "begin" : "begin_inlined");
}

/* The end of an action: the successor counts, or is given up. */
static void put_action_end(struct clew_emitter *e, bool fails) {
  bool fires = e->part == CLEW_NATIVE_FIRE;
  assert(e->indent == 1);
  if (!fires)
    clew_emit_line(e, "clew_succs_keep(o, e);");
  if (fires || fails)
    clew_emit_line(e, fires ? "return true;" : "return;");
  if (fails)
    clew_emit_line(e, fires ? "settle: return false;" : "settle: clew_rt_settle(x, o, e);");
  clew_emit_close(e);
}

/* The body stands in a block where `s` is the new state. */
static void put_action(struct clew_emitter *e, const struct clew_family *family,
                       const struct clew_rule *rule, bool inlined) {
  struct clew_emit_scope scope;
  bool fails = clew_emit_list_fails(e, rule->body);
  clew_emit_begin(e, &scope, family->frame, NULL, family);
  clew_emit_line(e, "uint64_t *s = p;");
  clew_emit_list(e, rule->body);
  clew_emit_end(e, &scope, action_head(e, family, rule, inlined), "");
  e->indent = 1;
  put_after_body(e, rule, fails);
  put_action_end(e, fails || e->program->assumptions.len > 0);
  assert(e->indent == 0);
}

/* An action as a block for the place where it is called, with the successor counted first. */
static const char *make_block(struct clew_emitter *e, const struct clew_family *family,
                              const struct clew_rule *rule) {
  struct clew_emit_scope scope;
  struct clew_text text = {0}, *out = e->out;
  e->out = &text;
  clew_emit_begin(e, &scope, family->frame, NULL, family);
  clew_emit_line(e, "uint64_t *s = p;");
  clew_emit_list(e, rule->body);
  const char *head =
      clew_emit_text(e, "{ __label__ out;\n  uint64_t *p = %s(s, o, e + %" PRIu32 ");\n ",
                     e->compact ? "add" : "add_inlined", (uint32_t)(rule - family->rules));
  clew_emit_end(e, &scope, head, "");
  e->indent = 1;
  put_sort(e, rule);
  clew_emit_close(e);
  e->out = out;
  assert(e->indent == 0);
  const char *block = clew_emit_text(e, "%s", clew_text_str(&text));
  clew_text_free(&text);
  return block;
}

/* A block is emitted where a function would be inlined anyway, or would be most of the compiler's
 * work. It cannot fail, because the successor counts already; and there are no parameters, because
 * a body may assign to them and the next rule must not see that. */
static bool is_block(struct clew_emitter *e, const struct clew_family *family,
                     const struct clew_rule *rule, bool inlined) {
  if (e->part == CLEW_NATIVE_FIRE) /* nothing else is in the function that it would be part of */
    return false;
  if (!inlined && !(e->compact && family->frame->cells <= CLEW_EMIT_INLINE_CELLS &&
                    clew_emit_weight(e, NULL, rule->body) <= CLEW_EMIT_BLOCK))
    return false;
  assert(rule->index < e->program->rule_count);
  return family->parameter_count == 0 && e->program->assumptions.len == 0 &&
         !clew_emit_list_fails(e, rule->body);
}

/* ---- Actions with the same text -------------------------------------------------------------- */

/* The entry of this text, which starts behind the name of the action: free or the same. */
static struct clew_emit_action *action_find(struct clew_emitter *e, const char *text, size_t bytes,
                                            bool inlined) {
  uint64_t hash = clew_hash128_bytes(text, bytes, 0).low + inlined;
  uint32_t mask = e->action_capacity - 1;
  uint32_t at = (uint32_t)hash & mask;
  assert(e->action_capacity > e->program->rule_count);
  for (;; at = (at + 1) & mask) {
    struct clew_emit_action *action = &e->actions[at];
    bool same = action->hash == hash && action->bytes == bytes && action->inlined == inlined;
    if (action->bytes == 0 || (same && memcmp(e->out->data + action->start, text, bytes) == 0)) {
      action->hash = hash;
      action->inlined = inlined;
      return action;
    }
  }
}

/* Keeps what was emitted since `start` for this rule, or takes it back if it is there already. */
static void action_share(struct clew_emitter *e, const struct clew_rule *rule, bool inlined,
                         size_t start, uint32_t lines) {
  if (e->full)
    return;
  const char *text = strstr(e->out->data + start, "(const"); /* behind the name */
  assert(text != NULL);
  size_t bytes = e->out->len - (size_t)(text - e->out->data);
  struct clew_emit_action *action = action_find(e, text, bytes, inlined);
  if (action->bytes == 0) {
    action->start = (size_t)(text - e->out->data);
    action->bytes = bytes;
    action->rule = rule->index;
  } else {
    e->out->len = start;
    e->out->data[start] = '\0';
    e->lines = lines;
  }
  e->action_of[rule->index] = action->rule;
}

void clew_emit_rule(struct clew_emitter *e, const struct clew_family *family,
                    const struct clew_rule *rule, enum clew_emit_tier tier, bool tested) {
  bool inlined = tier == CLEW_EMIT_ALL && clew_emit_body_inlines(e, family, rule);
  assert(rule->index < e->program->rule_count);
  if (clew_emit_is_full(e) || clew_emit_rule_is_dead(e, rule))
    return;
  if (!clew_emit_guard_is_plain(e, rule))
    clew_emit_guard(e, family, rule, tested);
  if (is_block(e, family, rule, inlined)) {
    e->blocks[rule->index] = make_block(e, family, rule);
    return;
  }
  size_t start = e->out->len;
  uint32_t lines = e->lines;
  put_action(e, family, rule, inlined);
  action_share(e, rule, inlined, start, lines);
}

bool clew_emit_body_inlines(const struct clew_emitter *e, const struct clew_family *family,
                            const struct clew_rule *rule) {
  assert(family->frame != NULL);
  return family->frame->cells <= CLEW_EMIT_INLINE_CELLS &&
         clew_emit_weight(e, NULL, rule->body) <= CLEW_EMIT_INLINE_BODY;
}
