/* What a random network of timed automata does, by its description alone: a measure for clew.
 *
 * A state has a location for each process, the variables, and for each clock the integer part of
 * its value and a fraction. Two kinds of fractions serve: numerators of exact values (ru_next and
 * ru_delay walk along a trace), and ranks in the order of fractions, which make regions (ru_explore
 * visits all of them). Regions are exact, for closed models and others, whatever is asked. Models
 * with a stopwatch have none: they are followed at halves, and may do more than that. */
#ifndef CLEW_TESTS_RANDOM_REGIONS_H
#define CLEW_TESTS_RANDOM_REGIONS_H

#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "unit/random_uppaal.h"

struct ru_state {
  int8_t at[RU_PROCESSES], vars[RU_VARS + RU_ELEMENTS], locals[RU_PROCESSES];
  int64_t whole[RU_CLOCKS], part[RU_CLOCKS];
};

struct ru_states {
  CLEW_VEC(struct ru_state) list;
};

/* ---- Values --------------------------------------------------------------------------------- */

/* Where an expression stands. */
struct ru_env {
  const struct ru *g;
  const struct ru_state *s;
  uint32_t process;
  int32_t selected, bound, argument;
  bool is_dead; /* there is a deadlock */
};

static inline int32_t ru_value(const struct ru_env *env, uint32_t at);

static inline uint32_t ru_slot(const struct ru_env *env, enum ru_clock kind, uint32_t index) {
  const struct ru_process *p = &env->g->processes[env->process];
  switch (kind) {
  case RU_CLOCK_ARRAY:
    return env->g->scalar_clocks + (uint32_t)ru_value(env, index);
  case RU_CLOCK_LOCAL:
    return p->slot;
  case RU_CLOCK_REF:
    return p->clock_ref;
  default:
    return index;
  }
}

static inline bool ru_holds(enum ru_op op, int64_t a, int64_t b) {
  switch (op) {
  case RU_LT:
    return a < b;
  case RU_LE:
    return a <= b;
  case RU_EQ:
    return a == b;
  case RU_GE:
    return a >= b;
  case RU_GT:
    return a > b;
  default:
    return a != b;
  }
}

/* whole + part, where 0 <= part < 1, compared with a whole number: twice both, and one more for a
 * part that is not 0. */
static inline bool ru_clock_holds(const struct ru_env *env, const struct ru_node *n) {
  uint32_t slot = ru_slot(env, n->clock, n->b);
  int64_t value = 2 * env->s->whole[slot] + (env->s->part[slot] > 0 ? 1 : 0);
  return ru_holds(n->op, value, 2 * (int64_t)ru_value(env, n->a));
}

/* Twice the difference, and one more or less for that of the fractions. */
static inline bool ru_difference_holds(const struct ru_env *env, const struct ru_node *n) {
  int64_t parts = env->s->part[n->b] - env->s->part[n->value];
  int64_t value = 2 * (env->s->whole[n->b] - env->s->whole[n->value]) + (parts > 0) - (parts < 0);
  return ru_holds(n->op, value, 2 * (int64_t)ru_value(env, n->a));
}

static inline bool ru_quantify(const struct ru_env *env, const struct ru_node *n) {
  struct ru_env inner = *env;
  inner.bound = 0;
  bool first = ru_value(&inner, n->a) != 0;
  inner.bound = 1;
  bool second = ru_value(&inner, n->a) != 0;
  return n->kind == RU_FORALL ? first && second : first || second;
}

static inline int32_t ru_call(const struct ru_env *env, const struct ru_node *n) {
  struct ru_env inner = *env;
  inner.argument = ru_value(env, n->a);
  return ru_value(&inner, env->g->function);
}

static inline int32_t ru_truth(const struct ru_env *env, const struct ru_node *n) {
  switch (n->kind) {
  case RU_CMP:
    return ru_holds(n->op, ru_value(env, n->a), ru_value(env, n->b));
  case RU_CLOCK:
    return ru_clock_holds(env, n);
  case RU_DIFF:
    return ru_difference_holds(env, n);
  case RU_AND:
    return ru_value(env, n->a) != 0 && ru_value(env, n->b) != 0;
  case RU_OR:
    return ru_value(env, n->a) != 0 || ru_value(env, n->b) != 0;
  case RU_IMPLY:
    return ru_value(env, n->a) == 0 || ru_value(env, n->b) != 0;
  case RU_NOT:
    return ru_value(env, n->a) == 0;
  case RU_AT:
    return env->s->at[n->value] == (int32_t)n->a;
  case RU_DEADLOCK:
    return env->is_dead;
  default:
    return ru_quantify(env, n);
  }
}

static inline int32_t ru_value(const struct ru_env *env, uint32_t at) {
  const struct ru_node *n = &env->g->nodes[at];
  int32_t a, b;
  switch (n->kind) {
  case RU_NUM:
    return n->value;
  case RU_VAR:
    return env->s->vars[n->value];
  case RU_ELEMENT:
    return env->s->vars[RU_VARS + ru_value(env, n->a)];
  case RU_LOCAL:
    return env->s->locals[env->process];
  case RU_PARAM:
    return env->g->processes[env->process].k;
  case RU_REF:
    return env->s->vars[env->g->processes[env->process].ref];
  case RU_SELECT:
    return env->selected;
  case RU_BOUND:
    return env->bound;
  case RU_ARG:
    return env->argument;
  case RU_CALL:
    return ru_call(env, n);
  case RU_ADD:
    return ru_value(env, n->a) + ru_value(env, n->b);
  case RU_MUL:
    return ru_value(env, n->a) * ru_value(env, n->b);
  case RU_MOD:
    return ru_value(env, n->a) % ru_value(env, n->b);
  case RU_IF:
    return ru_value(env, n->a) != 0 ? ru_value(env, n->b) : ru_value(env, n->c);
  case RU_MIN:
    a = ru_value(env, n->a);
    b = ru_value(env, n->b);
    return a < b ? a : b;
  default:
    return ru_truth(env, n);
  }
}

static inline bool ru_satisfies(const struct ru *g, const struct ru_state *s, uint32_t node,
                                bool is_dead) {
  struct ru_env env = {.g = g, .s = s, .is_dead = is_dead};
  return ru_value(&env, node) != 0;
}

/* ---- Updates -------------------------------------------------------------------------------- */

/* False: a value does not fit its variable. */
static inline bool ru_execute(struct ru_env *env, struct ru_state *s, uint32_t first);

static inline bool ru_execute_one(struct ru_env *env, struct ru_state *s,
                                  const struct ru_update *u) {
  const struct ru *g = env->g;
  const struct ru_process *p = &g->processes[env->process];
  int8_t *place;
  uint32_t slot;
  switch (u->kind) {
  case RU_RUN:
    return ru_execute(env, s, g->procedures[u->target]);
  case RU_RUN_LOCAL:
    return ru_execute(env, s, g->templates[p->template].procedure);
  case RU_WHEN:
    return ru_value(env, u->value) == 0 || ru_execute(env, s, u->body);
  case RU_ZERO:
  case RU_SET_CLOCK:
    slot = ru_slot(env, u->clock, u->target);
    s->whole[slot] = u->kind == RU_ZERO ? 0 : ru_value(env, u->value);
    s->part[slot] = 0;
    return true;
  case RU_SET_ELEMENT:
    place = &s->vars[RU_VARS + ru_value(env, u->target)];
    break;
  case RU_SET_LOCAL:
    place = &s->locals[env->process];
    break;
  case RU_SET_REF:
    place = &s->vars[p->ref];
    break;
  default:
    place = &s->vars[u->target];
    break;
  }
  int32_t value = ru_value(env, u->value);
  *place = (int8_t)value;
  return value >= 0 && value <= g->hi;
}

static inline bool ru_execute(struct ru_env *env, struct ru_state *s, uint32_t first) {
  for (uint32_t i = first; i != 0; i = env->g->updates[i].next) {
    if (!ru_execute_one(env, s, &env->g->updates[i])) {
      return false;
    }
  }
  return true;
}

/* ---- Transitions ---------------------------------------------------------------------------- */

/* An edge of a process, with what it selects. */
struct ru_move {
  uint32_t process;
  const struct ru_edge *edge;
  int32_t selected;
};

/* The sender first, receivers in the order of the system. */
struct ru_transition {
  struct ru_move moves[RU_PROCESSES];
  uint32_t count;
  int32_t channel; /* number and element; -1: none */
};

struct ru_transitions {
  CLEW_VEC(struct ru_transition) list;
};

static inline const struct ru_template *ru_template_of(const struct ru *g, uint32_t process) {
  return &g->templates[g->processes[process].template];
}

static inline bool ru_invariants_hold(const struct ru *g, const struct ru_state *s) {
  for (uint32_t i = 0; i < g->process_count; i++) {
    uint32_t invariant = ru_template_of(g, i)->invariants[s->at[i]];
    struct ru_env env = {.g = g, .s = s, .process = i};
    if (invariant != 0 && ru_value(&env, invariant) == 0) {
      return false;
    }
  }
  return true;
}

static inline struct ru_env ru_move_env(const struct ru *g, const struct ru_state *s,
                                        const struct ru_move *m) {
  return (struct ru_env){.g = g, .s = s, .process = m->process, .selected = m->selected};
}

/* Its channel: number and element. */
static inline int32_t ru_channel_of(const struct ru *g, const struct ru_state *s,
                                    const struct ru_move *m) {
  struct ru_env env = ru_move_env(g, s, m);
  const struct ru_edge *e = m->edge;
  if (e->channel == RU_NO_CHANNEL) {
    return -1;
  }
  int32_t channel = e->channel, element = e->index != 0 ? ru_value(&env, e->index) : 0;
  if (channel == RU_CHANNEL_REF) {
    channel = ru_template_of(g, m->process)->reference_channel;
    element = g->channels[channel].is_array ? (int32_t)g->processes[m->process].channel_element : 0;
  }
  return channel * RU_ELEMENTS + element;
}

/* The moves of a process whose guards are true, by what they do with the channel (-1: nothing). */
static inline uint32_t ru_moves(const struct ru *g, const struct ru_state *s, uint32_t process,
                                int32_t channel, bool sends, struct ru_move *out) {
  const struct ru_template *t = ru_template_of(g, process);
  uint32_t count = 0;
  for (uint32_t i = 0; i < t->edge_count; i++) {
    const struct ru_edge *e = &t->edges[i];
    for (int32_t k = 0; (int32_t)e->from == s->at[process] && (k == 0 || k <= e->select_hi); k++) {
      struct ru_move move = {process, e, k};
      struct ru_env env = ru_move_env(g, s, &move);
      if (ru_channel_of(g, s, &move) == channel && (channel < 0 || e->sends == sends) &&
          (e->guard == 0 || ru_value(&env, e->guard) != 0)) {
        out[count++] = move;
      }
    }
  }
  return count;
}

enum { RU_MOST_MOVES = RU_EDGES * 3 };

/* Every process that can receive does, in each way that it can. */
static inline void ru_receive(const struct ru *g, const struct ru_state *s, struct ru_transition *t,
                              uint32_t process, struct ru_transitions *out) {
  if (process == g->process_count) {
    clew_vec_push(&out->list, *t);
    return;
  }
  struct ru_move moves[RU_MOST_MOVES];
  uint32_t count = 0, before = t->count;
  if (process != t->moves[0].process) {
    count = ru_moves(g, s, process, t->channel, false, moves);
  }
  if (count == 0) {
    ru_receive(g, s, t, process + 1, out);
  }
  for (uint32_t i = 0; i < count; i++) {
    t->moves[before] = moves[i];
    t->count = before + 1;
    ru_receive(g, s, t, process + 1, out);
    t->count = before;
  }
}

static inline void ru_meet(const struct ru *g, const struct ru_state *s, struct ru_transition *t,
                           struct ru_transitions *out) {
  for (uint32_t p = 0; p < g->process_count; p++) {
    struct ru_move moves[RU_MOST_MOVES];
    uint32_t count = p != t->moves[0].process ? ru_moves(g, s, p, t->channel, false, moves) : 0;
    for (uint32_t i = 0; i < count; i++) {
      t->moves[1] = moves[i];
      t->count = 2;
      clew_vec_push(&out->list, *t);
    }
  }
}

/* All that guards allow. */
static inline void ru_find_transitions(const struct ru *g, const struct ru_state *s,
                                       struct ru_transitions *out) {
  for (uint32_t p = 0; p < g->process_count; p++) {
    for (int32_t channel = -1; channel < RU_CHANNELS * RU_ELEMENTS; channel++) {
      struct ru_move moves[RU_MOST_MOVES];
      uint32_t count = ru_moves(g, s, p, channel, true, moves);
      for (uint32_t i = 0; i < count; i++) {
        struct ru_transition t = {.moves = {moves[i]}, .count = 1, .channel = channel};
        if (channel < 0) {
          clew_vec_push(&out->list, t);
        } else if (g->channels[channel / RU_ELEMENTS].is_broadcast) {
          ru_receive(g, s, &t, 0, out);
        } else {
          ru_meet(g, s, &t, out);
        }
      }
    }
  }
}

static inline bool ru_is_committed(const struct ru *g, const struct ru_state *s, uint32_t p) {
  return ru_template_of(g, p)->kinds[s->at[p]] == RU_COMMITTED;
}

static inline bool ru_some_committed(const struct ru *g, const struct ru_state *s,
                                     const struct ru_transition *t) {
  uint32_t count = t != NULL ? t->count : g->process_count;
  for (uint32_t i = 0; i < count; i++) {
    if (ru_is_committed(g, s, t != NULL ? t->moves[i].process : i)) {
      return true;
    }
  }
  return false;
}

static inline uint32_t ru_rank(const struct ru *g, const struct ru_transition *t) {
  uint32_t channel = t->channel < 0 ? g->default_rank : g->channels[t->channel / RU_ELEMENTS].rank,
           process = 0;
  for (uint32_t i = 0; i < t->count; i++) {
    uint32_t rank = g->processes[t->moves[i].process].rank;
    process = rank > process ? rank : process;
  }
  return channel * RU_PROCESSES + process;
}

/* False: a run-time error. */
static inline bool ru_fire(const struct ru *g, const struct ru_state *s,
                           const struct ru_transition *t, struct ru_state *out) {
  *out = *s;
  for (uint32_t i = 0; i < t->count; i++) {
    struct ru_env env = ru_move_env(g, out, &t->moves[i]);
    if (!ru_execute(&env, out, t->moves[i].edge->updates)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < t->count; i++) {
    out->at[t->moves[i].process] = (int8_t)t->moves[i].edge->to;
  }
  return true;
}

/* Nothing blocks others that leads to where an invariant is false. */
static inline void ru_drop_impossible(const struct ru *g, const struct ru_state *s,
                                      struct ru_transitions *all) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < all->list.len; i++) {
    struct ru_state next;
    if (!ru_fire(g, s, &all->list.data[i], &next) || ru_invariants_hold(g, &next)) {
      all->list.data[count++] = all->list.data[i];
    }
  }
  all->list.len = count;
}

/* Leaves those that committed locations and priorities allow. */
static inline void ru_choose(const struct ru *g, const struct ru_state *s,
                             struct ru_transitions *all) {
  bool committed = ru_some_committed(g, s, NULL);
  ru_drop_impossible(g, s, all);
  uint32_t count = 0, most = 0;
  for (uint32_t i = 0; i < all->list.len; i++) {
    const struct ru_transition *t = &all->list.data[i];
    if (!committed || ru_some_committed(g, s, t)) {
      uint32_t rank = ru_rank(g, t);
      most = rank > most ? rank : most;
      all->list.data[count++] = *t;
    }
  }
  all->list.len = count;
  count = 0;
  for (uint32_t i = 0; g->has_priorities && i < all->list.len; i++) {
    if (ru_rank(g, &all->list.data[i]) == most) {
      all->list.data[count++] = all->list.data[i];
    }
  }
  all->list.len = g->has_priorities ? count : all->list.len;
}

/* Successors without delay, and the number of run-time errors. */
static inline uint32_t ru_next(const struct ru *g, const struct ru_state *s,
                               struct ru_states *out) {
  struct ru_transitions all = {0};
  uint32_t faults = 0;
  ru_find_transitions(g, s, &all);
  ru_choose(g, s, &all);
  for (uint32_t i = 0; i < all.list.len; i++) {
    struct ru_state next;
    if (!ru_fire(g, s, &all.list.data[i], &next)) {
      faults++;
    } else if (ru_invariants_hold(g, &next)) {
      clew_vec_push(&out->list, next);
    }
  }
  clew_vec_free(&all.list);
  return faults;
}

/* ---- Time ----------------------------------------------------------------------------------- */

static inline bool ru_may_delay(const struct ru *g, const struct ru_state *s) {
  for (uint32_t i = 0; i < g->process_count; i++) {
    if (ru_template_of(g, i)->kinds[s->at[i]] != RU_NORMAL) {
      return false;
    }
  }
  struct ru_transitions all = {0};
  bool urgent = false;
  ru_find_transitions(g, s, &all);
  for (uint32_t i = 0; i < all.list.len; i++) {
    int32_t channel = all.list.data[i].channel;
    urgent = urgent || (channel >= 0 && g->channels[channel / RU_ELEMENTS].is_urgent);
  }
  clew_vec_free(&all.list);
  return !urgent;
}

static inline void ru_start(const struct ru *g, struct ru_state *s) {
  memset(s, 0, sizeof *s);
  for (uint32_t i = 0; i < RU_VARS + RU_ELEMENTS; i++) {
    s->vars[i] = i < g->var_count || i >= RU_VARS ? (int8_t)g->init[i] : 0;
  }
  for (uint32_t i = 0; i < g->clock_count; i++) {
    s->whole[i] = g->clock_init[i];
  }
}

/* Exact values, in units of 1 / scale: false if that much time may not pass. */
static inline bool ru_delay(const struct ru *g, struct ru_state *s, int64_t time, int64_t scale) {
  if (time > 0 && !ru_may_delay(g, s)) {
    return false;
  }
  for (uint32_t i = 0; i < g->clock_count; i++) {
    int64_t value = s->whole[i] * scale + s->part[i] + time;
    s->whole[i] = value / scale;
    s->part[i] = value % scale;
  }
  return ru_invariants_hold(g, s);
}

/* ---- Regions -------------------------------------------------------------------------------- */

/* Beyond all constants: time makes no difference any more. Two clocks that are compared with each
 * other get there together. */
static inline bool ru_is_far(const struct ru *g, const struct ru_state *s, uint32_t clock) {
  if (g->has_diagonals && clock < 2) {
    return s->whole[0] > g->largest && s->whole[1] > g->largest;
  }
  return s->whole[clock] > g->largest;
}

static inline bool ru_is_beyond(const struct ru *g, const struct ru_state *s, uint32_t clock) {
  return s->whole[clock] > g->largest || (s->whole[clock] == g->largest && s->part[clock] > 0);
}

/* Of two clocks that are compared with each other, a difference above all constants is one like
 * any other, as long as the greater clock is beyond all constants, too. Both together beyond: only
 * the difference is left. */
static inline void ru_normalise_pair(const struct ru *g, struct ru_state *s) {
  uint32_t hi = s->whole[0] > s->whole[1] ? 0 : 1, lo = 1 - hi;
  int64_t far = g->largest + 1, most = s->whole[lo] + g->difference + 2;
  most = most > far ? most : far;
  if (s->whole[hi] > most) {
    s->whole[hi] = most;
    s->part[hi] = 0;
  }
  if (ru_is_beyond(g, s, 0) && ru_is_beyond(g, s, 1)) {
    int64_t by = s->whole[lo] - far;
    s->whole[0] -= by;
    s->whole[1] -= by;
  }
}

/* Clocks beyond all constants are equal; ranks are 1, 2, ... without gaps. */
static inline void ru_normalise(const struct ru *g, struct ru_state *s) {
  int64_t ranks[RU_CLOCKS] = {0};
  if (g->has_diagonals) {
    ru_normalise_pair(g, s);
  }
  for (uint32_t i = g->has_diagonals ? 2 : 0; i < g->clock_count; i++) {
    if (ru_is_beyond(g, s, i)) {
      s->whole[i] = g->largest + 1;
      s->part[i] = 0;
    }
  }
  for (uint32_t i = 0; i < g->clock_count; i++) {
    for (uint32_t k = 0; k < g->clock_count && s->part[i] > 0; k++) {
      bool is_first = true; /* of those with this part */
      for (uint32_t j = 0; j < k; j++) {
        is_first = is_first && s->part[j] != s->part[k];
      }
      ranks[i] += is_first && s->part[k] > 0 && s->part[k] <= s->part[i];
    }
  }
  memcpy(s->part, ranks, sizeof ranks);
}

static inline bool ru_is_stopped(const struct ru *g, const struct ru_state *s) {
  for (uint32_t i = 0; i < g->process_count; i++) {
    uint32_t rate = ru_template_of(g, i)->rates[s->at[i]];
    struct ru_env env = {.g = g, .s = s, .process = i};
    if (rate != 0 && ru_value(&env, rate) == 0) {
      return true;
    }
  }
  return false;
}

/* With a stopwatch there are no regions: half a unit passes. */
static inline bool ru_pass_half(const struct ru *g, struct ru_state *s) {
  bool some = false, stopped = ru_is_stopped(g, s);
  for (uint32_t i = 0; i < g->clock_count; i++) {
    if (!ru_is_far(g, s, i) && !(i == 0 && stopped)) {
      some = true;
      s->whole[i] += s->part[i];
      s->part[i] = 1 - s->part[i];
    }
  }
  ru_normalise(g, s);
  return some && ru_invariants_hold(g, s);
}

/* The next region that time leads to; false: there is none. */
static inline bool ru_pass(const struct ru *g, struct ru_state *s) {
  if (g->has_stops) {
    return ru_pass_half(g, s);
  }
  int64_t top = 0;
  bool some_whole = false, some = false, moves[RU_CLOCKS];
  for (uint32_t i = 0; i < g->clock_count; i++) {
    moves[i] = !ru_is_far(g, s, i);
    some = some || moves[i];
    some_whole = some_whole || (moves[i] && s->part[i] == 0);
    top = moves[i] && s->part[i] > top ? s->part[i] : top;
  }
  for (uint32_t i = 0; i < g->clock_count; i++) {
    if (moves[i] && some_whole) {
      s->part[i]++;
    } else if (moves[i] && s->part[i] == top) {
      s->whole[i]++;
      s->part[i] = 0;
    }
  }
  ru_normalise(g, s);
  return some && ru_invariants_hold(g, s);
}

/* ---- All regions ---------------------------------------------------------------------------- */

/* A set of small records, numbered as they come. */
struct ru_set {
  uint32_t bytes, count, room, table_size; /* a power of two */
  unsigned char *data;
  uint32_t *table; /* number plus one; 0: free */
};

static inline void ru_set_free(struct ru_set *set) {
  clew_free(set->data);
  clew_free(set->table);
}

static inline uint32_t ru_set_find(const struct ru_set *set, const void *record, bool *found) {
  const unsigned char *bytes = record;
  uint64_t hash = 1469598103934665603u;
  for (uint32_t i = 0; i < set->bytes; i++) {
    hash = (hash ^ bytes[i]) * 1099511628211u;
  }
  uint32_t at = (uint32_t)(hash >> 20) & (set->table_size - 1);
  for (; set->table[at] != 0; at = (at + 1) & (set->table_size - 1)) {
    if (memcmp(set->data + (size_t)(set->table[at] - 1) * set->bytes, record, set->bytes) == 0) {
      *found = true;
      return at;
    }
  }
  *found = false;
  return at;
}

static inline void ru_set_open(struct ru_set *set, uint32_t bytes, uint32_t room) {
  *set = (struct ru_set){.bytes = bytes, .room = room, .table_size = 1};
  while (set->table_size < 2 * room) {
    set->table_size *= 2;
  }
  set->data = clew_alloc_zero(room, bytes);
  set->table = clew_alloc_zero(set->table_size, sizeof *set->table);
}

/* Its number, or UINT32_MAX: there is no room. */
static inline uint32_t ru_set_put(struct ru_set *set, const void *record) {
  bool found;
  uint32_t at = ru_set_find(set, record, &found);
  if (found) {
    return set->table[at] - 1;
  }
  if (set->count == set->room) {
    return UINT32_MAX;
  }
  memcpy(set->data + (size_t)set->count * set->bytes, record, set->bytes);
  set->table[at] = ++set->count;
  return set->count - 1;
}

enum { RU_DISCRETE_BYTES = RU_PROCESSES + RU_VARS + RU_ELEMENTS + RU_PROCESSES };
enum { RU_REGION_BYTES = RU_DISCRETE_BYTES + 2 * RU_CLOCKS };

static inline void ru_pack(const struct ru_state *s, unsigned char *out) {
  memcpy(out, s->at, RU_PROCESSES);
  memcpy(out + RU_PROCESSES, s->vars, RU_VARS + RU_ELEMENTS);
  memcpy(out + RU_PROCESSES + RU_VARS + RU_ELEMENTS, s->locals, RU_PROCESSES);
  for (uint32_t i = 0; i < RU_CLOCKS; i++) {
    out[RU_DISCRETE_BYTES + 2 * i] = (unsigned char)s->whole[i];
    out[RU_DISCRETE_BYTES + 2 * i + 1] = (unsigned char)s->part[i];
  }
}

static inline void ru_unpack(const unsigned char *from, struct ru_state *s) {
  memcpy(s->at, from, RU_PROCESSES);
  memcpy(s->vars, from + RU_PROCESSES, RU_VARS + RU_ELEMENTS);
  memcpy(s->locals, from + RU_PROCESSES + RU_VARS + RU_ELEMENTS, RU_PROCESSES);
  for (uint32_t i = 0; i < RU_CLOCKS; i++) {
    s->whole[i] = from[RU_DISCRETE_BYTES + 2 * i];
    s->part[i] = from[RU_DISCRETE_BYTES + 2 * i + 1];
  }
}

/* Everything reachable. */
struct ru_space {
  struct ru_set regions, discrete;
  uint32_t *later; /* by region: the one after a delay; UINT32_MAX: none */
  bool *acts;      /* by region: something is possible without delay */
  bool *rests;     /* by region: time can pass for ever */
  uint32_t *first; /* by region: where its successors begin among all; one more at the end */
  CLEW_VEC(uint32_t) successors;
  bool has_fault, is_complete;
};

static inline void ru_space_free(struct ru_space *space) {
  ru_set_free(&space->regions);
  ru_set_free(&space->discrete);
  clew_free(space->later);
  clew_free(space->acts);
  clew_free(space->rests);
  clew_free(space->first);
  clew_vec_free(&space->successors);
}

static inline uint32_t ru_visit(struct ru_space *space, const struct ru_state *s) {
  unsigned char bytes[RU_REGION_BYTES];
  ru_pack(s, bytes);
  uint32_t number = ru_set_put(&space->regions, bytes);
  space->is_complete = space->is_complete && number != UINT32_MAX &&
                       ru_set_put(&space->discrete, bytes) != UINT32_MAX;
  return number;
}

static inline void ru_expand(const struct ru *g, struct ru_space *space, uint32_t number) {
  struct ru_state s;
  struct ru_states next = {0};
  ru_unpack(space->regions.data + (size_t)number * RU_REGION_BYTES, &s);
  uint32_t faults = ru_next(g, &s, &next);
  space->has_fault = space->has_fault || faults > 0;
  space->acts[number] = faults > 0 || next.list.len > 0;
  for (uint32_t i = 0; i < next.list.len; i++) {
    ru_normalise(g, &next.list.data[i]);
    clew_vec_push(&space->successors, ru_visit(space, &next.list.data[i]));
  }
  clew_vec_free(&next.list);
  bool may_delay = ru_may_delay(g, &s), is_far = true;
  for (uint32_t i = 0; i < g->clock_count; i++) {
    is_far = is_far && ru_is_far(g, &s, i);
  }
  space->rests[number] = may_delay && is_far;
  space->later[number] = may_delay && ru_pass(g, &s) ? ru_visit(space, &s) : UINT32_MAX;
  if (space->later[number] != UINT32_MAX) {
    clew_vec_push(&space->successors, space->later[number]);
  }
  space->first[number + 1] = space->successors.len;
}

/* At most so many regions. */
static inline void ru_explore(const struct ru *g, uint32_t most, struct ru_space *space) {
  struct ru_state s;
  *space = (struct ru_space){.is_complete = true};
  ru_set_open(&space->regions, RU_REGION_BYTES, most);
  ru_set_open(&space->discrete, RU_DISCRETE_BYTES, most);
  space->later = clew_alloc_zero(most, sizeof *space->later);
  space->acts = clew_alloc_zero(most, sizeof *space->acts);
  space->rests = clew_alloc_zero(most, sizeof *space->rests);
  space->first = clew_alloc_zero(most + 1, sizeof *space->first);
  ru_start(g, &s);
  ru_normalise(g, &s);
  if (ru_invariants_hold(g, &s)) {
    ru_visit(space, &s);
  }
  for (uint32_t i = 0; i < space->regions.count && space->is_complete; i++) {
    ru_expand(g, space, i);
  }
}

/* Whether nothing is possible, now or later. Where clocks stand still, time may lead round in a
 * circle of regions. */
static inline bool ru_is_dead(const struct ru_space *space, uint32_t region) {
  for (uint32_t n = 0; region != UINT32_MAX && n < space->regions.count;
       n++, region = space->later[region]) {
    if (space->acts[region]) {
      return false;
    }
  }
  return true;
}

/* Whether a run that stays can go on from the region. It is at its end where neither time nor
 * anything else leads on. */
static inline bool ru_goes_on(const struct ru_space *space, const bool *stays, uint32_t region) {
  bool goes = space->rests[region] || (space->later[region] == UINT32_MAX && !space->acts[region]);
  for (uint32_t k = space->first[region]; k < space->first[region + 1] && !goes; k++) {
    goes = stays[space->successors.data[k]];
  }
  return goes;
}

/* Whether there is a run that stays where the query is true (E[]) or false. */
static inline bool ru_finds_run(const struct ru *g, const struct ru_space *space,
                                const struct ru_query *q) {
  uint32_t count = space->regions.count;
  bool *stays = clew_alloc_zero((size_t)count + 1, sizeof *stays), changes = true, found = false;
  struct ru_state s;
  for (uint32_t i = 0; i < count; i++) {
    ru_unpack(space->regions.data + (size_t)i * RU_REGION_BYTES, &s);
    stays[i] = ru_satisfies(g, &s, q->node, ru_is_dead(space, i)) == q->is_exists;
  }
  while (changes) {
    changes = false;
    for (uint32_t i = count; i > 0; i--) {
      if (stays[i - 1] && !ru_goes_on(space, stays, i - 1)) {
        stays[i - 1] = false;
        changes = true;
      }
    }
  }
  for (uint32_t i = 0; i < count && !found; i++) {
    ru_unpack(space->regions.data + (size_t)i * RU_REGION_BYTES, &s);
    found =
        stays[i] && (q->from == 0 ? i == 0 : ru_satisfies(g, &s, q->from, ru_is_dead(space, i)));
  }
  clew_free(stays);
  return found;
}

/* Whether the query finds what it looks for. */
static inline bool ru_finds(const struct ru *g, const struct ru_space *space,
                            const struct ru_query *q) {
  if (q->is_run) {
    return ru_finds_run(g, space, q);
  }
  for (uint32_t i = 0; i < space->regions.count; i++) {
    struct ru_state s;
    ru_unpack(space->regions.data + (size_t)i * RU_REGION_BYTES, &s);
    if (ru_satisfies(g, &s, q->node, ru_is_dead(space, i)) == q->is_exists) {
      return true;
    }
  }
  return false;
}

/* ---- Models that are worth a look ----------------------------------------------------------- */

/* The model of this number: the first of a few attempts that has some states. */
static inline void random_timed_describe(struct ru *g, uint64_t seed) {
  enum { ATTEMPTS = 6, ENOUGH = 8, ROOM = 1000 };
  for (uint64_t i = 0; i < ATTEMPTS; i++) {
    struct ru_space space;
    random_uppaal_describe(g, seed * ATTEMPTS + i);
    ru_explore(g, ROOM, &space);
    bool enough = space.discrete.count >= ENOUGH;
    ru_space_free(&space);
    if (enough) {
      return;
    }
  }
}

static inline void random_uppaal(struct clew_text *out, uint64_t seed) {
  static struct ru model;
  random_timed_describe(&model, seed);
  random_uppaal_print(&model, out);
}

#endif
