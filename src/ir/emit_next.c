/* Emitting C: from rules to the entries `next` and `fire`.
 *
 * An instance of a family is an inlined function i<family>_<class> that runs the rules of one
 * priority class. Rules whose guards all start with a test of the same cell against constants are
 * one switch over what is stored there: a process in one of ten control states costs one jump, not
 * ten tests. Only one case can be taken, and rules stay in order within it, so edges stay in order.
 *
 * Instances are unrolled, with literal parameters, as far as budgets allow: then slots, and often
 * whole guards, become constants. The budgets go to the cheapest families first. Guards have the
 * larger one, since all are evaluated in every state; unrolled bodies gain a tenth on small models
 * and nothing on large ones. What is unrolled is cut into functions of bounded size, n<n>, because
 * some passes of compilers are worse than linear. */
#include <inttypes.h>
#include <stdlib.h>

#include "ir/emit_int.h"

/* ---- What is unrolled ------------------------------------------------------------------------ */

struct plan {
  enum clew_emit_tier tier;
  uint32_t guards, bodies; /* nodes of one instance */
};

struct candidate {
  uint64_t cost;
  uint32_t family;
};

static int compare_candidates(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  if (x->cost != y->cost)
    return x->cost < y->cost ? -1 : 1;
  assert(a == b || x->family != y->family);
  return x->family < y->family ? -1 : x->family > y->family;
}

/* Raises the cheapest families of tier - 1 to `tier` while their cost fits the budget. */
static void plan_raise(const struct clew_emitter *e, struct plan *plans, enum clew_emit_tier tier,
                       uint64_t budget) {
  uint32_t count = e->program->families.len, used = 0;
  struct candidate *candidates = clew_alloc_zero(count + 1, sizeof *candidates);
  for (uint32_t i = 0; i < count; i++) {
    if (plans[i].tier + 1 != tier)
      continue;
    uint64_t nodes = tier == CLEW_EMIT_GUARDS ? plans[i].guards : plans[i].bodies;
    candidates[used++] =
        (struct candidate){nodes * e->program->families.data[i]->instance_count, i};
  }
  assert(used <= count);
  qsort(candidates, used, sizeof *candidates, compare_candidates);
  uint64_t spent = 0;
  for (uint32_t i = 0; i < used && candidates[i].cost <= budget - spent; i++) {
    spent += candidates[i].cost;
    plans[candidates[i].family].tier = tier;
  }
  clew_free(candidates);
}

static struct plan *plan_make(struct clew_emitter *e) {
  uint32_t count = e->program->families.len;
  struct plan *plans = clew_alloc_zero(count + 1, sizeof *plans);
  for (uint32_t i = 0; i < count; i++) {
    const struct clew_family *family = e->program->families.data[i];
    for (uint32_t j = 0; j < family->rule_count && !clew_emit_is_full(e); j++) {
      const struct clew_rule *rule = &family->rules[j];
      plans[i].guards += 4 + clew_emit_weight(e, rule->guard, NULL);
      if (clew_emit_body_inlines(e, family, rule))
        plans[i].bodies += 8 + clew_emit_weight(e, NULL, rule->body);
    }
  }
  plan_raise(e, plans, CLEW_EMIT_GUARDS, e->compact ? 0 : CLEW_EMIT_UNROLL_GUARDS);
  plan_raise(e, plans, CLEW_EMIT_ALL, e->compact ? 0 : CLEW_EMIT_UNROLL_BODIES);
  assert(plans != NULL);
  return plans;
}

/* ---- Priorities ------------------------------------------------------------------------------ */

struct classes {
  uint32_t count;
  int32_t *priorities; /* ascending */
};

static int compare_priorities(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return x < y ? -1 : x > y;
}

static struct classes classes_find(const struct clew_emitter *e) {
  const struct clew_program *program = e->program;
  struct classes classes = {0,
                            clew_alloc_zero(program->rule_count + 1, sizeof *classes.priorities)};
  for (uint32_t i = 0; i < program->families.len; i++)
    for (uint32_t j = 0; j < program->families.data[i]->rule_count; j++)
      classes.priorities[classes.count++] = program->families.data[i]->rules[j].priority;
  assert(classes.count <= program->rule_count);
  qsort(classes.priorities, classes.count, sizeof *classes.priorities, compare_priorities);
  uint32_t distinct = 0;
  for (uint32_t i = 0; i < classes.count; i++)
    if (i == 0 || classes.priorities[i] != classes.priorities[i - 1])
      classes.priorities[distinct++] = classes.priorities[i];
  classes.count = distinct;
  return classes;
}

/* ---- One instance ---------------------------------------------------------------------------- */

/* A rule of a family, in one priority class. */
struct member {
  uint32_t rule; /* in the family */
  bool has_test;
  struct clew_emit_test test;
  uint32_t group; /* how many from here on share a switch; 1 if none */
};

static uint32_t group_length(const struct member *members, uint32_t count) {
  assert(count > 0);
  uint32_t length = 1;
  while (length < count && members[0].has_test && members[length].has_test &&
         clew_emit_same_place(&members[0].test.load->place, &members[length].test.load->place))
    length++;
  return length;
}

static struct member *members_find(const struct clew_family *family, int32_t priority,
                                   uint32_t *count) {
  struct member *members = clew_alloc_zero(family->rule_count + 1, sizeof *members);
  *count = 0;
  for (uint32_t i = 0; i < family->rule_count; i++) {
    if (family->rules[i].priority != priority)
      continue;
    struct member *member = &members[(*count)++];
    member->rule = i;
    member->has_test = clew_emit_guard_test(family, &family->rules[i], &member->test);
  }
  for (uint32_t i = 0; i < *count; i += members[i].group)
    members[i].group = group_length(members + i, *count - i);
  assert(*count <= family->rule_count);
  return members;
}

/* What is written before a call whose result says whether anything was enabled. */
static const char *collect(const struct clew_emitter *e) {
  assert(e->out != NULL);
  return e->ranked ? "enabled |= " : "";
}

static void put_action_call(struct clew_emitter *e, const struct clew_family *family,
                            uint32_t member) {
  uint32_t rule = family->rules[member].index;
  if (e->blocks[rule] != NULL)
    clew_text_put(e->out, e->blocks[rule]);
  else
    clew_emit_line(e, "a%" PRIu32 "(s, o, x, e + %" PRIu32 "%s);", e->action_of[rule], member,
                   clew_emit_arguments(e, family));
  assert(member < family->rule_count);
  if (e->ranked)
    clew_emit_line(e, "enabled = true;");
}

static void put_rule_call(struct clew_emitter *e, const struct clew_family *family,
                          const struct member *member, bool tested) {
  const struct clew_rule *rule = &family->rules[member->rule];
  assert(member->rule < family->rule_count);
  if (clew_emit_is_full(e) || clew_emit_rule_is_dead(e, rule))
    return;
  if (clew_emit_guard_is_plain(e, rule)) {
    uint32_t opened = clew_emit_guard_open(e, family, rule, tested);
    put_action_call(e, family, member->rule);
    for (; opened > 0; opened--)
      clew_emit_close(e);
    return;
  }
  clew_emit_open(e, "if (g%" PRIu32 "((uint64_t *)s, x%s))", rule->index,
                 clew_emit_arguments(e, family));
  put_action_call(e, family, member->rule);
  clew_emit_close(e);
  clew_emit_open(e, "else if (CLEW_RT_RARE(x->pending))");
  clew_emit_line(e, "%sclew_rt_settle(x, o, e + %" PRIu32 ");", collect(e), member->rule);
  clew_emit_close(e);
}

/* The case of the first member's value, unless an earlier member had the same. */
static void put_case(struct clew_emitter *e, const struct clew_family *family,
                     const struct member *group, uint32_t count, uint32_t first) {
  const struct clew_type *type = group[first].test.load->place.type;
  int64_t value = group[first].test.value;
  assert(first < count);
  if (value < type->domain->lo || value > type->domain->hi)
    return;
  for (uint32_t i = 0; i < first; i++)
    if (group[i].test.value == value)
      return;
  clew_emit_open(e,
                 "case %s:", clew_emit_bits(e, (uint64_t)value - (uint64_t)clew_emit_bias(type)));
  for (uint32_t i = first; i < count; i++)
    if (group[i].test.value == value)
      put_rule_call(e, family, &group[i], true);
  clew_emit_line(e, "break;");
  clew_emit_close(e);
}

static void put_switch(struct clew_emitter *e, const struct clew_family *family,
                       const struct member *group, uint32_t count) {
  struct clew_emit_spot spot = clew_emit_place(e, &group[0].test.load->place);
  assert(count > 1 && clew_emit_in_state(&spot));
  clew_emit_open(e, "switch (%s)", clew_emit_get_raw(e, &spot).text);
  for (uint32_t i = 0; i < count; i++)
    put_case(e, family, group, count, i);
  if (spot.type->undefinable) { /* each of the tests is a fault */
    clew_emit_open(e, "case 0:");
    for (uint32_t i = 0; i < count; i++) {
      if (group[i].test.load->site == CLEW_NONE)
        continue;
      clew_emit_line(e, "o->add_fault(o, e + %" PRIu32 ", %" PRIu32 ");", group[i].rule,
                     group[i].test.load->site);
      if (e->ranked)
        clew_emit_line(e, "enabled = true;");
    }
    clew_emit_line(e, "break;");
    clew_emit_close(e);
  }
  clew_emit_close(e);
}

/* One family, in one class, as it is emitted. */
struct unit {
  const struct clew_family *family;
  uint32_t index, class_index;
  enum clew_emit_tier tier;
  uint32_t count;     /* of its rules that are in the class */
  uint64_t nodes;     /* of one instance, as far as it is inlined */
  bool called;        /* the instance is a function of its own: `next` and `fire` call it */
  bool *has_test;     /* owned: h<family>_<class>_<n> exists, for n parameters */
  uint32_t *subtrees; /* owned: instances that have the first n parameters in common */
};

static const char *result_type(const struct clew_emitter *e) {
  assert(e->out != NULL);
  return e->ranked ? "bool" : "void";
}

/* The function I<family>_<class> for `fire`, unless it exists or the only instance is found by
 * running the chunk that it is in. */
static void put_callable(struct clew_emitter *e, const struct unit *unit) {
  if (unit->called || unit->family->instance_count == 1)
    return;
  assert(e->indent == 0);
  clew_emit_open(e,
                 "static __attribute__((noinline)) void I%" PRIu32 "_%" PRIu32
                 "(const uint64_t *s, struct clew_succs *o, struct clew_rt *x, uint32_t e%s)",
                 unit->index, unit->class_index, clew_emit_parameters(e, unit->family));
  clew_emit_line(e, "i%" PRIu32 "_%" PRIu32 "(s, o, x, e%s);", unit->index, unit->class_index,
                 clew_emit_arguments(e, unit->family));
  clew_emit_close(e);
}

/* The function i<family>_<class>, or I<family>_<class> if it is called. */
static void put_instance(struct clew_emitter *e, const struct unit *unit,
                         const struct member *members) {
  const struct clew_family *family = unit->family;
  struct clew_emit_scope scope;
  clew_emit_begin(e, &scope, family->frame, NULL, family);
  if (e->ranked)
    clew_emit_line(e, "bool enabled = false;");
  for (uint32_t i = 0; i < unit->count; i += members[i].group) {
    assert(members[i].group > 0);
    if (members[i].group == 1)
      put_rule_call(e, family, &members[i], false);
    else
      put_switch(e, family, members + i, members[i].group);
  }
  const char *head = clew_emit_text(
      e,
      "static %s %s %c%" PRIu32 "_%" PRIu32
      "(const uint64_t *restrict s, struct clew_succs *o, struct clew_rt *x, uint32_t e%s)",
      unit->called ? "__attribute__((noinline))" : "inline __attribute__((always_inline))",
      result_type(e), unit->called ? 'I' : 'i', unit->index, unit->class_index,
      clew_emit_parameters(e, family));
  clew_emit_end(e, &scope, head, e->ranked ? "return enabled;" : "");
}

static void put_tests(struct clew_emitter *e, struct unit *unit, const struct member *members) {
  uint32_t *rules = clew_alloc_zero(unit->count, sizeof *rules);
  for (uint32_t i = 0; i < unit->count; i++)
    rules[i] = members[i].rule;
  for (uint32_t i = 0; i < unit->family->parameter_count && !clew_emit_is_full(e); i++) {
    const char *name =
        clew_emit_text(e, "h%" PRIu32 "_%" PRIu32 "_%" PRIu32, unit->index, unit->class_index, i);
    unit->has_test[i] = clew_emit_hoist(e, unit->family, name, rules, unit->count, i);
  }
  assert(unit->count > 0);
  clew_free(rules);
}

/* Emits the rules of the unit and the functions of its instances. */
static struct unit unit_open(struct clew_emitter *e, const struct plan *plan, uint32_t index,
                             uint32_t class_index, int32_t priority) {
  const struct clew_family *family = e->program->families.data[index];
  struct unit unit = {
      .family = family, .index = index, .class_index = class_index, .tier = plan->tier};
  struct member *members = members_find(family, priority, &unit.count);
  uint32_t parameters = family->parameter_count;
  unit.nodes = plan->guards + (plan->tier == CLEW_EMIT_ALL ? plan->bodies : 0);
  unit.called = family->instance_count == 1 && e->compact;
  unit.has_test = clew_alloc_zero(parameters + 1, sizeof *unit.has_test);
  unit.subtrees = clew_alloc_zero(parameters + 1, sizeof *unit.subtrees);
  unit.subtrees[parameters] = 1;
  for (uint32_t i = parameters; i-- > 0;)
    unit.subtrees[i] = unit.subtrees[i + 1] * clew_emit_domain_size(family->parameters[i].domain);
  assert(unit.subtrees[0] == family->instance_count);
  for (uint32_t i = 0; i < unit.count; i += members[i].group)
    for (uint32_t j = i; j < i + members[i].group; j++)
      clew_emit_rule(e, family, &family->rules[members[j].rule], plan->tier, members[i].group > 1);
  if (unit.count > 0) {
    put_instance(e, &unit, members);
    put_callable(e, &unit);
    put_tests(e, &unit, members);
  }
  clew_free(members);
  return unit;
}

static void unit_close(struct unit *unit) {
  assert(unit->has_test != NULL);
  clew_free(unit->has_test);
  clew_free(unit->subtrees);
}

/* ---- Chunks: functions of bounded size that run instances ------------------------------------ */

/* A chunk as a part of a piece. Unrolled instances are run together or not at all, they are few; a
 * loop is a chunk of its own, which begins and ends anywhere. */
struct piece_part {
  uint32_t end; /* its edges are before this one */
  bool loops;   /* it gets the edge to begin with */
};

struct chunks {
  uint32_t count; /* begun so far */
  uint64_t nodes; /* in the open one */
  bool open;
  CLEW_VEC(struct piece_part) parts; /* of all that are begun; where pieces are made */
};

static void chunk_close(struct clew_emitter *e, struct chunks *chunks) {
  if (!chunks->open)
    return;
  if (e->ranked)
    clew_emit_line(e, "return enabled;");
  clew_emit_close(e);
  assert(e->indent == 0);
  chunks->open = false;
}

/* Makes room for code of this size. */
static void chunk_enter(struct clew_emitter *e, struct chunks *chunks, uint64_t nodes, bool loops) {
  if (chunks->open && chunks->nodes + nodes > CLEW_EMIT_CHUNK)
    chunk_close(e, chunks);
  chunks->nodes += nodes;
  if (chunks->open)
    return;
  chunks->nodes = nodes;
  chunks->open = true;
  clew_vec_push(&chunks->parts, ((struct piece_part){.loops = loops}));
  assert(e->indent == 0);
  clew_emit_open(e,
                 "static __attribute__((noinline)) %s n%" PRIu32
                 "(const uint64_t *restrict s, struct clew_succs *o%s)",
                 result_type(e), chunks->count++, loops ? ", uint32_t from" : "");
  clew_emit_line(e, "struct clew_rt x = {.covered = o->covered%s};",
                 e->program->stop_site == CLEW_NONE ? "" : ", .stop = o->stop");
  if (e->ranked)
    clew_emit_line(e, "bool enabled = false;");
}

/* Literal values of the first n parameters, as arguments, and the tests that use them. */
struct choice {
  struct clew_text arguments;
  uint32_t bound, edge;
  bool in_chunk; /* room was made for everything below */
};

static void put_unrolled(struct clew_emitter *e, struct chunks *chunks, const struct unit *unit,
                         struct choice *choice) {
  const struct clew_family *family = unit->family;
  uint32_t bound = choice->bound;
  uint64_t size = unit->called ? 1 : unit->nodes * unit->subtrees[bound];
  bool enters = !choice->in_chunk && (size <= CLEW_EMIT_CHUNK || bound == family->parameter_count);
  if (enters)
    chunk_enter(e, chunks, size, false);
  choice->in_chunk |= enters;
  if (bound == family->parameter_count) {
    clew_emit_line(e, "%s%c%" PRIu32 "_%" PRIu32 "(s, o, &x, %" PRIu32 "%s);", collect(e),
                   unit->called ? 'I' : 'i', unit->index, unit->class_index, choice->edge,
                   clew_text_str(&choice->arguments));
    choice->edge += family->rule_count;
    clew_vec_last(&chunks->parts).end = choice->edge;
  } else {
    const struct clew_domain *domain = family->parameters[bound].domain;
    bool tests = choice->in_chunk && unit->has_test[bound];
    if (tests)
      clew_emit_open(e, "if (h%" PRIu32 "_%" PRIu32 "_%" PRIu32 "((uint64_t *)s, &x%s))",
                     unit->index, unit->class_index, bound, clew_text_str(&choice->arguments));
    size_t length = choice->arguments.len;
    for (uint32_t i = 0; i < clew_emit_domain_size(domain); i++) {
      clew_text_printf(&choice->arguments, ", %s", clew_emit_number(e, domain->lo + (int64_t)i));
      choice->bound = bound + 1;
      put_unrolled(e, chunks, unit, choice);
      choice->arguments.len = length;
      choice->arguments.data[length] = '\0';
    }
    choice->bound = bound;
    if (tests)
      clew_emit_close(e);
  }
  if (enters)
    choice->in_chunk = false;
  assert(choice->bound == bound);
}

/* The loop over parameter n; its body is what follows, until `n` braces are closed. */
static void open_loop(struct clew_emitter *e, const struct unit *unit, uint32_t n) {
  const struct clew_parameter *parameter = &unit->family->parameters[n];
  uint32_t size = clew_emit_domain_size(parameter->domain);
  assert(n < unit->family->parameter_count);
  clew_emit_open(e, "for (uint32_t c%" PRIu32 " = 0; c%" PRIu32 " < %" PRIu32 "; c%" PRIu32 "++)",
                 n, n, size, n);
  clew_emit_line(e, "const int64_t f%" PRIu32 " = %s + (int64_t)c%" PRIu32 ";", parameter->cell,
                 clew_emit_number(e, parameter->domain->lo), n);
}

static void put_looped(struct clew_emitter *e, struct chunks *chunks, const struct unit *unit) {
  const struct clew_family *family = unit->family;
  struct clew_text arguments = {0};
  chunk_enter(e, chunks, unit->called ? 1 : unit->nodes, false);
  clew_vec_last(&chunks->parts).end =
      family->first_edge + family->instance_count * family->rule_count;
  clew_emit_open(e, "%s", "");
  clew_emit_line(e, "uint32_t e = %" PRIu32 ";", family->first_edge);
  for (uint32_t i = 0; i <= family->parameter_count; i++) {
    if (i < family->parameter_count && unit->has_test[i]) {
      clew_emit_open(e, "if (!h%" PRIu32 "_%" PRIu32 "_%" PRIu32 "((uint64_t *)s, &x%s))",
                     unit->index, unit->class_index, i, clew_text_str(&arguments));
      clew_emit_line(e, "e += %" PRIu32 ";", unit->subtrees[i] * family->rule_count);
      clew_emit_close(e);
      clew_emit_line(e, "else");
    }
    if (i < family->parameter_count) {
      open_loop(e, unit, i);
      clew_text_printf(&arguments, ", f%" PRIu32, family->parameters[i].cell);
    }
  }
  clew_emit_line(e, "%s%c%" PRIu32 "_%" PRIu32 "(s, o, &x, e%s);", collect(e),
                 unit->called ? 'I' : 'i', unit->index, unit->class_index,
                 clew_text_str(&arguments));
  clew_emit_line(e, "e += %" PRIu32 ";", family->rule_count);
  for (uint32_t i = 0; i < family->parameter_count; i++)
    clew_emit_close(e);
  clew_emit_close(e);
  assert(family->parameter_count > 0 || family->instance_count == 1);
  clew_text_free(&arguments);
}

/* A loop that begins with any instance and ends when the piece is full: in a chunk of its own. The
 * counters of loops inside begin at 0 again when the one around them moves on. Where a test lets a
 * subtree out, the counters of that subtree are at their beginning: nothing was resumed inside. */
static void put_resumable(struct clew_emitter *e, struct chunks *chunks, const struct unit *unit) {
  const struct clew_family *family = unit->family;
  uint32_t parameters = family->parameter_count, last = parameters - 1;
  struct clew_text arguments = {0};
  assert(parameters > 0);
  chunk_close(e, chunks);
  chunk_enter(e, chunks, unit->called ? 1 : unit->nodes, true);
  clew_vec_last(&chunks->parts).end =
      family->first_edge + family->instance_count * family->rule_count;
  clew_emit_line(e, "uint32_t n = clew_rt_first_instance(from, %" PRIu32 ", %" PRIu32 ");",
                 family->first_edge, family->rule_count);
  clew_emit_line(e, "uint32_t e = %" PRIu32 " + n * %" PRIu32 ";", family->first_edge,
                 family->rule_count);
  for (uint32_t i = 0; i < parameters; i++)
    clew_emit_line(e, "uint32_t c%" PRIu32 " = n / %" PRIu32 " %% %" PRIu32 ";", i,
                   unit->subtrees[i + 1], clew_emit_domain_size(family->parameters[i].domain));
  for (uint32_t i = 0; i < parameters; i++) {
    const struct clew_parameter *parameter = &family->parameters[i];
    if (unit->has_test[i]) {
      clew_emit_open(e, "if (!h%" PRIu32 "_%" PRIu32 "_%" PRIu32 "((uint64_t *)s, &x%s))",
                     unit->index, unit->class_index, i, clew_text_str(&arguments));
      clew_emit_line(e, "e += %" PRIu32 ";", unit->subtrees[i] * family->rule_count);
      clew_emit_close(e);
      clew_emit_line(e, "else");
    }
    clew_emit_open(e, "for (; c%" PRIu32 " < %" PRIu32 "; c%" PRIu32 "++%s)", i,
                   clew_emit_domain_size(parameter->domain), i,
                   i < last ? clew_emit_text(e, ", c%" PRIu32 " = 0", i + 1) : "");
    clew_emit_line(e, "const int64_t f%" PRIu32 " = %s + (int64_t)c%" PRIu32 ";", parameter->cell,
                   clew_emit_number(e, parameter->domain->lo), i);
    clew_text_printf(&arguments, ", f%" PRIu32, parameter->cell);
  }
  clew_emit_line(e, "%s%c%" PRIu32 "_%" PRIu32 "(s, o, &x, e%s);", collect(e),
                 unit->called ? 'I' : 'i', unit->index, unit->class_index,
                 clew_text_str(&arguments));
  clew_emit_line(e, "e += %" PRIu32 ";", family->rule_count);
  clew_emit_line(e, "if (clew_succs_pause(o, e)) return%s;", e->ranked ? " true" : "");
  for (uint32_t i = 0; i < parameters; i++)
    clew_emit_close(e);
  chunk_close(e, chunks);
  clew_text_free(&arguments);
}

/* What `fire` calls to run an instance of the unit, whose parameters and first edge are in scope;
 * the unit was the last to enter a chunk. */
static const char *fire_call(struct clew_emitter *e, const struct chunks *chunks,
                             const struct unit *unit) {
  if (unit->count == 0)
    return NULL;
  if (!unit->called && unit->family->instance_count == 1)
    return clew_emit_text(e, "n%" PRIu32 "(from, &pick.succs);", chunks->count - 1);
  assert(chunks->count > 0);
  return clew_emit_text(e, "I%" PRIu32 "_%" PRIu32 "(from, &pick.succs, &x, base%s);", unit->index,
                        unit->class_index, clew_emit_arguments(e, unit->family));
}

/* All rules and instances of one class; calls[i] becomes the call of family i for `fire`. */
static void put_class(struct clew_emitter *e, struct chunks *chunks, const struct plan *plans,
                      uint32_t class_index, int32_t priority, const char **calls) {
  uint32_t count = e->program->families.len;
  struct unit *units = clew_alloc_zero(count + 1, sizeof *units);
  for (uint32_t i = 0; i < count; i++)
    units[i] = unit_open(e, &plans[i], i, class_index, priority);
  for (uint32_t i = 0; i < count; i++) {
    struct choice choice = {.edge = units[i].family->first_edge};
    bool loops = units[i].tier == CLEW_EMIT_LOOP;
    if (units[i].count > 0 && loops && e->pieces && units[i].family->parameter_count > 0)
      put_resumable(e, chunks, &units[i]);
    else if (units[i].count > 0 && loops)
      put_looped(e, chunks, &units[i]);
    else if (units[i].count > 0)
      put_unrolled(e, chunks, &units[i], &choice);
    calls[i] = fire_call(e, chunks, &units[i]);
    clew_text_free(&choice.arguments);
    unit_close(&units[i]);
  }
  chunk_close(e, chunks);
  assert(!chunks->open);
  clew_free(units);
}

/* The chunks of a class from `first` on, until the piece is full. A piece ended where something was
 * enabled, so no class but that one has a turn in the next. */
static void put_class_pieces(const struct clew_emitter *e, const struct chunks *chunks,
                             uint32_t class_index, uint32_t first, struct clew_text *entry) {
  clew_text_printf(entry, "  if (from == 0 || o->rank == %" PRIu32 ") {\n", class_index);
  clew_text_printf(entry, "    o->rank = %" PRIu32 ";\n", class_index);
  for (uint32_t j = first; j < chunks->count; j++) {
    const struct piece_part *part = &chunks->parts.data[j];
    clew_text_printf(entry, "    if (from < %" PRIu32 ") {\n", part->end);
    clew_text_printf(entry, "      %sn%" PRIu32 "(s, o%s);\n", collect(e), j,
                     part->loops ? ", from" : "");
    clew_text_printf(entry,
                     "      if (o->resume != 0 || clew_succs_pause(o, %" PRIu32 ")) return;\n",
                     part->end);
    clew_text_put(entry, "    }\n");
  }
  clew_text_printf(entry, "    if (from != 0%s) return;\n", e->ranked ? " || enabled" : "");
  clew_text_put(entry, "  }\n");
}

static void put_next(struct clew_emitter *e, const struct classes *classes, const char **calls) {
  struct plan *plans = plan_make(e);
  struct chunks chunks = {0};
  struct clew_text entry = {0};
  clew_text_printf(&entry, "static void next(const uint64_t *s, struct clew_succs *o) {\n%s%s",
                   e->ranked ? "  bool enabled = false;\n" : "",
                   e->pieces ? "  const uint32_t from = o->resume;\n  o->resume = 0;\n" : "");
  for (uint32_t i = 0; i < classes->count; i++) {
    uint32_t first = chunks.count;
    put_class(e, &chunks, plans, i, classes->priorities[i], calls + i * e->program->families.len);
    if (e->pieces) {
      put_class_pieces(e, &chunks, i, first, &entry);
      continue;
    }
    for (uint32_t j = first; j < chunks.count; j++)
      clew_text_printf(&entry, "  %sn%" PRIu32 "(s, o);\n", collect(e), j);
    if (i + 1 < classes->count)
      clew_text_put(&entry, "  if (enabled) return;\n");
  }
  clew_text_put(&entry, "}\n");
  clew_vec_free(&chunks.parts);
  assert(e->indent == 0);
  clew_text_put_n(e->out, clew_text_str(&entry), entry.len);
  clew_text_free(&entry);
  clew_free(plans);
}

/* ---- Fire ------------------------------------------------------------------------------------ */

/* Firing an edge runs all rules of its instance, or even all instances of a chunk, with a buffer
 * that forgets what is not wanted (clew_rt_pick). That takes longer than running the rule alone,
 * but needs no second copy of every guard and body, which was half of what the compiler had to do;
 * whoever fires often asks for a part of its own (emit_fire.c). */

/* The case of one family: splits the instance into parameters, then runs it. */
static void put_fire_family(struct clew_emitter *e, uint32_t index, const struct classes *classes,
                            const char *const *calls) {
  const struct clew_family *family = e->program->families.data[index];
  clew_emit_line(e, "uint32_t n = (e - %" PRIu32 ") / %" PRIu32 ";", family->first_edge,
                 family->rule_count);
  clew_emit_line(e, "const uint32_t base = %" PRIu32 " + n * %" PRIu32 ";", family->first_edge,
                 family->rule_count);
  clew_emit_split_instance(e, family);
  assert(classes->count > 0);
  for (uint32_t i = 0; i < classes->count; i++)
    if (calls[i * e->program->families.len + index] != NULL)
      clew_emit_line(e, "%s", calls[i * e->program->families.len + index]);
  clew_emit_line(e, "break;");
}

static void put_fire(struct clew_emitter *e, const struct classes *classes,
                     const char *const *calls) {
  const struct clew_program *program = e->program;
  CLEW_VEC(uint32_t) used = {0}; /* families that have edges */
  for (uint32_t i = 0; i < program->families.len; i++)
    if (program->families.data[i]->rule_count > 0)
      clew_vec_push(&used, i);
  clew_emit_open(e, "static const uint32_t first[] =");
  for (uint32_t i = 0; i < used.len; i++)
    clew_emit_line(e, "%" PRIu32 ",", program->families.data[used.data[i]]->first_edge);
  clew_emit_line(e, "UINT32_MAX"); /* so that it is never empty */
  e->indent--;
  clew_emit_line(e, "};");
  clew_emit_open(e, "static bool fire(const uint64_t *s, uint32_t e, uint64_t *p, uint32_t *site)");
  clew_emit_line(e, "struct clew_rt x = {.stop = &clew_never};");
  clew_emit_line(e, "struct clew_rt_pick pick;");
  clew_emit_line(e, "uint64_t from[%" PRIu32 "], other[%" PRIu32 "];", program->words,
                 program->words);
  clew_emit_line(e, "memcpy(from, s, sizeof from);"); /* p may be s */
  clew_emit_line(e, "clew_rt_pick_open(&pick, %" PRIu32 ", e, p, other);", program->words);
  clew_emit_open(e, "switch (clew_rt_find(first, %" PRIu32 ", e))", used.len);
  for (uint32_t i = 0; i < used.len; i++) {
    clew_emit_open(e, "case %" PRIu32 ":", i);
    put_fire_family(e, used.data[i], classes, calls);
    clew_emit_close(e);
  }
  clew_emit_close(e);
  clew_emit_line(e, "*site = pick.site;");
  clew_emit_line(e, "return clew_rt_pick_close(&pick);");
  clew_emit_close(e);
  assert(e->indent == 0);
  clew_vec_free(&used);
}

/* Where a successor begins, and where it begins and counts at once. In two forms: for large
 * programs a call makes the compiler's work smaller. */
static void put_begin(struct clew_emitter *e) {
  const char *arguments = "(const uint64_t *restrict s, struct clew_succs *o)";
  const char *more = "(const uint64_t *restrict s, struct clew_succs *o, uint32_t e)";
  assert(e->indent == 0);
  clew_emit_open(e, "CLEW_RT_INLINE uint64_t *begin_inlined%s", arguments);
  clew_emit_line(e, "return clew_rt_begin(s, o, %" PRIu32 ");", e->program->words);
  clew_emit_close(e);
  clew_emit_open(e, "static __attribute__((noinline, unused)) uint64_t *begin%s", arguments);
  clew_emit_line(e, "return begin_inlined(s, o);");
  clew_emit_close(e);
  clew_emit_open(e, "CLEW_RT_INLINE uint64_t *add_inlined%s", more);
  clew_emit_line(e, "uint64_t *p = begin_inlined(s, o);");
  clew_emit_line(e, "clew_succs_keep(o, e);");
  clew_emit_line(e, "return p;");
  clew_emit_close(e);
  clew_emit_open(e, "static __attribute__((noinline, unused)) uint64_t *add%s", more);
  clew_emit_line(e, "return add_inlined(s, o, e);");
  clew_emit_close(e);
}

void clew_emit_next(struct clew_emitter *e) {
  struct classes classes = classes_find(e);
  const char **calls =
      clew_alloc_zero((size_t)classes.count * e->program->families.len + 1, sizeof *calls);
  assert(e->out != NULL);
  e->ranked = classes.count > 1;
  put_begin(e);
  put_next(e, &classes, calls);
  put_fire(e, &classes, calls);
  clew_free(calls);
  clew_free(classes.priorities);
}
