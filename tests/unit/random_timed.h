/* Searches of one random network of timed automata, which have to agree with each other and with
 * what random_regions.h finds out from the description of the network.
 *
 *   stats   the number of discrete states, and where the store gives states back the set of them;
 *           with integer time, too, if the model is closed; otherwise integer time has no more
 *   check   for each query whether what it asks for is found. Integer time may leave it open where
 *           the model or the query is not closed
 *   traces  are confirmed, have times, and the network itself can follow them at these times, be
 *           they the earliest or the latest */
#ifndef CLEW_TESTS_RANDOM_TIMED_H
#define CLEW_TESTS_RANDOM_TIMED_H

#include "trace/times.h"
#include "unit/random_agree.h"
#include "unit/random_regions.h"

enum {
  RT_MOST_REGIONS = 12000, /* of a model that is compared */
  RT_MOST_ZONES = 4000,
  RT_MOST_POINTS = 200, /* that are followed along a trace */
};

struct rt {
  struct ru g;
  struct ru_space space;
  uint32_t query; /* that is asked; query_count: none */
};

/* ---- States of clew ------------------------------------------------------------------------- */

static inline uint32_t rt_slot(const struct clew_model *model, const char *name) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (strcmp(model->slots[i].name, name) == 0) {
      return i;
    }
  }
  return CLEW_NONE;
}

static inline void rt_read(const struct clew_model *model, const uint64_t *words, const char *name,
                           int8_t *out) {
  uint32_t slot = rt_slot(model, name);
  if (slot != CLEW_NONE) {
    *out = (int8_t)clew_slot_get(&model->slots[slot], words);
  }
}

/* The discrete part, as ru_pack writes it. */
static inline void rt_discrete(const struct rt *t, const struct clew_model *model,
                               const uint64_t *words, unsigned char *out) {
  struct ru_state s;
  char name[32];
  unsigned char bytes[RU_REGION_BYTES];
  ru_start(&t->g, &s);
  for (uint32_t i = 0; i < t->g.process_count; i++) {
    snprintf(name, sizeof name, "%s.loc", t->g.processes[i].name);
    rt_read(model, words, name, &s.at[i]);
    snprintf(name, sizeof name, "%s.w", t->g.processes[i].name);
    rt_read(model, words, name, &s.locals[i]);
  }
  for (uint32_t i = 0; i < RU_VARS + RU_ELEMENTS; i++) {
    bool is_scalar = i < RU_VARS;
    snprintf(name, sizeof name, is_scalar ? "v%u" : "av[%u]", is_scalar ? i : i - RU_VARS);
    rt_read(model, words, name, &s.vars[i]);
  }
  ru_pack(&s, bytes);
  memcpy(out, bytes, RU_DISCRETE_BYTES);
}

/* How many of the discrete states of the network a store has; complains about any other, unless the
 * network may do more than is known. */
static inline uint32_t rt_count(struct ra *a, struct clew_session *session, uint64_t states) {
  struct rt *t = a->context;
  struct ru_set seen;
  uint64_t *words = clew_alloc_zero(session->view->words, sizeof *words);
  ru_set_open(&seen, RU_DISCRETE_BYTES, t->space.discrete.count + 1);
  for (uint64_t id = 0; id < states; id++) {
    unsigned char bytes[RU_DISCRETE_BYTES];
    bool found;
    session->store->type->get(session->store, id, 1, words);
    rt_discrete(t, session->view, words, bytes);
    (void)ru_set_find(&t->space.discrete, bytes, &found);
    if (found) {
      ru_set_put(&seen, bytes);
    } else if (!t->g.has_stops) {
      ra_complain(a, "state %llu is not reachable", (unsigned long long)id);
      break;
    }
  }
  uint32_t count = seen.count;
  ru_set_free(&seen);
  clew_free(words);
  return count;
}

/* ---- Traces --------------------------------------------------------------------------------- */

/* Lets each point delay and drops those that may not. */
static inline void rt_delay_all(const struct rt *t, struct ru_states *points, int64_t time,
                                int64_t scale) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < points->list.len; i++) {
    struct ru_state s = points->list.data[i];
    if (ru_delay(&t->g, &s, time, scale)) {
      points->list.data[count++] = s;
    }
  }
  points->list.len = count;
}

static inline bool rt_is_new(const struct ru_states *points, const struct ru_state *s) {
  for (uint32_t i = 0; i < points->list.len; i++) {
    if (memcmp(points->list.data[i].whole, s->whole, sizeof s->whole) == 0 &&
        memcmp(points->list.data[i].part, s->part, sizeof s->part) == 0) {
      return false;
    }
  }
  return points->list.len < RT_MOST_POINTS;
}

/* Takes each transition that leads to the discrete state. */
static inline void rt_step_all(const struct rt *t, struct ru_states *points,
                               const unsigned char *discrete) {
  struct ru_states after = {0};
  for (uint32_t i = 0; i < points->list.len; i++) {
    struct ru_states next = {0};
    ru_next(&t->g, &points->list.data[i], &next);
    for (uint32_t k = 0; k < next.list.len; k++) {
      unsigned char bytes[RU_REGION_BYTES];
      ru_pack(&next.list.data[k], bytes);
      if (memcmp(bytes, discrete, RU_DISCRETE_BYTES) == 0 &&
          rt_is_new(&after, &next.list.data[k])) {
        clew_vec_push(&after.list, next.list.data[k]);
      }
    }
    clew_vec_free(&next.list);
  }
  clew_vec_free(&points->list);
  *points = after;
}

/* Whether the point is what the trace promises: a run-time error is possible, or the query finds
 * it. */
static inline bool rt_is_end(const struct rt *t, const struct clew_trace *trace,
                             const struct ru_state *s) {
  if (trace->fault_edge != CLEW_NONE) {
    struct ru_states next = {0};
    uint32_t faults = ru_next(&t->g, s, &next);
    clew_vec_free(&next.list);
    return faults > 0;
  }
  const struct ru_query *q = &t->g.queries[t->query];
  struct ru_state region = *s;
  unsigned char bytes[RU_REGION_BYTES];
  bool found;
  ru_normalise(&t->g, &region);
  ru_pack(&region, bytes);
  uint32_t at = ru_set_find(&t->space.regions, bytes, &found);
  return found &&
         ru_satisfies(&t->g, s, q->node, ru_is_dead(&t->space, t->space.regions.table[at] - 1)) ==
             q->is_exists;
}

/* Whether the condition in which a run stays is true of the point. */
static inline bool rt_stays(const struct rt *t, const struct ru_state *s) {
  const struct ru_query *q = &t->g.queries[t->query];
  struct ru_state region = *s;
  unsigned char bytes[RU_REGION_BYTES];
  bool found;
  ru_normalise(&t->g, &region);
  ru_pack(&region, bytes);
  uint32_t at = ru_set_find(&t->space.regions, bytes, &found);
  return found &&
         ru_satisfies(&t->g, s, q->node, ru_is_dead(&t->space, t->space.regions.table[at] - 1)) ==
             q->is_exists;
}

/* Drops the points in which a run that stays cannot be. */
static inline void rt_keep_staying(const struct rt *t, const struct clew_trace *trace, uint32_t i,
                                   bool is_entry, struct ru_states *points) {
  const struct ru_query *q = &t->g.queries[t->query];
  uint32_t count = 0;
  bool is_free = i < trace->stay_from || (is_entry && q->from != 0 && i == trace->stay_from);
  for (uint32_t k = 0; k < points->list.len && !is_free; k++) {
    if (rt_stays(t, &points->list.data[k])) {
      points->list.data[count++] = points->list.data[k];
    }
  }
  points->list.len = is_free ? points->list.len : count;
}

static inline bool rt_follow(const struct rt *t, const struct clew_model *model,
                             const struct clew_trace *trace, const uint64_t *states,
                             const struct clew_times *times) {
  struct ru_states points = {0};
  struct ru_state start;
  bool ends = false, is_run = t->g.queries[t->query].is_run && trace->fault_edge == CLEW_NONE;
  ru_start(&t->g, &start);
  clew_vec_push(&points.list, start);
  for (uint32_t i = 0; i < trace->edge_count; i++) {
    unsigned char discrete[RU_DISCRETE_BYTES];
    rt_discrete(t, model, states + (size_t)(i + 1) * model->words, discrete);
    if (is_run) {
      rt_keep_staying(t, trace, i, true, &points);
    }
    rt_delay_all(t, &points, times->values[i + 1] - times->values[i], times->scale);
    if (is_run) {
      rt_keep_staying(t, trace, i, false, &points);
    }
    rt_step_all(t, &points, discrete);
  }
  uint32_t last = trace->edge_count;
  if (is_run) {
    rt_keep_staying(t, trace, last, true, &points);
    ends = points.list.len > 0;
  }
  rt_delay_all(t, &points, times->values[last + 1] - times->values[last], times->scale);
  for (uint32_t i = 0; i < points.list.len && !ends; i++) {
    ends = rt_is_end(t, trace, &points.list.data[i]);
  }
  clew_vec_free(&points.list);
  return ends;
}

static inline void rt_check_times(struct ra *a, const struct clew_model *model,
                                  const struct clew_trace *trace, const uint64_t *states,
                                  bool latest) {
  struct clew_times times;
  const char *which = latest ? "latest" : "earliest";
  enum clew_times_status status = clew_times_find(model, trace, states, latest, &times);
  if (status != CLEW_TIMES_FOUND) {
    ra_complain(a, "no %s times: %d", which, (int)status);
    return;
  }
  if (times.count != trace->edge_count + 2) {
    ra_complain(a, "%u moments of %u steps", times.count, trace->edge_count);
  } else if (!rt_follow(a->context, model, trace, states, &times)) {
    ra_complain(a, "the network does not follow the trace at the %s times", which);
  }
  clew_times_free(&times);
}

static inline void rt_look(struct ra *a, struct clew_session *session) {
  const struct clew_result *r = &session->result;
  const struct clew_model *model = session->model->reference;
  uint32_t failed = CLEW_NONE;
  const struct rt *t = a->context;
  if (t->g.has_stops) {
    return; /* times are not known */
  }
  if (!r->has_trace || session->model->timed == NULL || r->trace.initial == CLEW_NONE) {
    return;
  }
  uint64_t *states = clew_trace_states(session->model, &r->trace, &failed);
  if (states == NULL) {
    ra_complain(a, "step %u of the trace fails", failed);
    return;
  }
  rt_check_times(a, model, &r->trace, states, false);
  rt_check_times(a, model, &r->trace, states, true);
  clew_free(states);
}

/* ---- Figures -------------------------------------------------------------------------------- */

/* The discrete states of a search with the exact store. */
static inline void rt_look_at_states(struct ra *a, struct clew_session *session) {
  struct rt *t = a->context;
  const struct clew_result *r = &session->result;
  bool is_digital = strstr(a->now, "--time digital") != NULL;
  if (!r->scope.complete) {
    return; /* complained about elsewhere */
  }
  uint32_t count = rt_count(a, session, r->states);
  if (!is_digital || (!t->g.is_open && !t->g.is_split && !t->g.has_stops)) {
    ra_same(a, "discrete states", count, t->space.discrete.count);
  }
}

/* Integer time refuses some edges that block others (see the manual), with a message. */
static inline bool rt_refuses(const struct rt *t, bool is_digital, const struct ra_answer *answer) {
  return is_digital && t->g.has_priorities && !answer->ran &&
         answer->exit_code == CLEW_EXIT_BAD_MODEL;
}

static inline void rt_compare_stats(struct ra *a, const char *options, const char *exec) {
  struct rt *t = a->context;
  bool is_exact = strstr(options, "--store exact") != NULL,
       is_digital = strstr(options, "--time digital") != NULL;
  a->look = is_exact ? rt_look_at_states : NULL;
  struct ra_answer stats = ra_search(a, "stats", options, exec);
  a->look = NULL;
  if (rt_refuses(t, is_digital, &stats)) {
    return;
  }
  if (!stats.ran || !stats.complete) {
    ra_complain(a, "ended with exit %d, stop %d", (int)stats.exit_code, (int)stats.stop);
  } else if (!is_digital && t->g.has_stops) {
    ra_at_least(a, "discrete states", stats.discrete_states, t->space.discrete.count);
  } else if (!is_digital) {
    ra_same(a, "discrete states", stats.discrete_states, t->space.discrete.count);
  }
  if (strstr(exec, "native") != NULL && stats.ran && !stats.is_native) {
    ra_complain(a, "there is no native code");
  }
}

/* Whether integer time finds what a formula asks for if real time does: no comparison is strict. */
static inline bool rt_is_closed(const struct ru *g, uint32_t at, bool wanted) {
  const struct ru_node *n = &g->nodes[at];
  switch (n->kind) {
  case RU_CLOCK:
  case RU_DIFF:
    return wanted ? n->op != RU_LT && n->op != RU_GT && n->op != RU_NE
                  : n->op == RU_LT || n->op == RU_GT || n->op == RU_NE;
  case RU_NOT:
    return rt_is_closed(g, n->a, !wanted);
  case RU_AND:
  case RU_OR:
    return rt_is_closed(g, n->a, wanted) && rt_is_closed(g, n->b, wanted);
  case RU_DEADLOCK:
    return false;
  default:
    return true;
  }
}

static inline bool rt_asks_deadlock(const struct ru *g, uint32_t at) {
  const struct ru_node *n = &g->nodes[at];
  bool is_join = n->kind == RU_AND || n->kind == RU_OR;
  return n->kind == RU_DEADLOCK || (is_join && rt_asks_deadlock(g, n->b)) ||
         ((is_join || n->kind == RU_NOT) && rt_asks_deadlock(g, n->a));
}

/* What a check has to say, if integer time leaves nothing open. */
static inline bool rt_is_right(const struct rt *t, enum clew_verdict verdict, bool is_lossy) {
  const struct ru_query *q = &t->g.queries[t->query];
  bool finds = ru_finds(&t->g, &t->space, q);
  if (t->g.has_stops && !q->is_run) { /* more may be found, and some of that in error */
    return !finds || rt_asks_deadlock(&t->g, q->node) ||
           verdict != (q->is_exists ? CLEW_VERDICT_VIOLATED : CLEW_VERDICT_HOLDS) ||
           t->space.has_fault;
  }
  if (t->g.has_stops) {
    return true;
  }
  if (t->space.discrete.count == 0) {
    return verdict == CLEW_VERDICT_INCOMPLETE;
  }
  if (finds && q->is_exists && verdict == CLEW_VERDICT_HOLDS) {
    return true; /* even if there is a run-time error elsewhere */
  }
  if (t->space.has_fault || (finds && !q->is_exists)) {
    return verdict == CLEW_VERDICT_VIOLATED;
  }
  if (finds || is_lossy) {
    return !finds && verdict == CLEW_VERDICT_NO_VIOLATION_FOUND;
  }
  return verdict == (q->is_exists ? CLEW_VERDICT_VIOLATED : CLEW_VERDICT_HOLDS);
}

static inline void rt_compare_check(struct ra *a, const char *options, const char *exec) {
  struct rt *t = a->context;
  const struct ru_query *q = &t->g.queries[t->query];
  bool is_digital = strstr(options, "--time digital") != NULL,
       is_closed = !t->g.is_open && !t->g.is_split && rt_is_closed(&t->g, q->node, q->is_exists);
  struct clew_text asked = {0};
  clew_text_printf(&asked, "%s --query ", exec);
  random_uppaal_query(&t->g, t->query, &asked);
  a->look = rt_look;
  struct ra_answer check = ra_search(a, "check", options, clew_text_str(&asked));
  a->look = NULL;
  clew_text_free(&asked);
  bool is_undecided = check.verdict == CLEW_VERDICT_INCOMPLETE,
       is_symbolic = strstr(options, "--search symbolic") != NULL,
       is_open = is_undecided &&
                 ((is_digital && (!is_closed || q->is_run)) || is_symbolic || check.lacks_graph);
  if (!check.ran && q->is_run && check.exit_code == CLEW_EXIT_USAGE) {
    return; /* runs need zones that are told apart by equality */
  }
  if (rt_refuses(t, is_digital, &check)) {
    return;
  }
  if (!check.ran) {
    ra_complain(a, "ended with exit %d", (int)check.exit_code);
  } else if (!is_open &&
             !rt_is_right(t, check.verdict, strstr(options, "--store compact") != NULL)) {
    ra_complain(a, "verdict %d, but it is%s found%s", (int)check.verdict,
                ru_finds(&t->g, &t->space, q) ? "" : " not",
                t->space.has_fault ? ", and there is a run-time error" : "");
  }
}

/* ---- One model ------------------------------------------------------------------------------ */

static const char *const rt_settings[] = {
    "--threads 1 --memory 16M",
    "--threads 1 --memory 16M --search dfs",
    "--threads 4 --thread-share 1 --memory 16M",
    "--threads 4 --thread-share 1 --memory 16M --search dfs",
    "--threads 1 --memory 16M --extrapolation lu",
    "--threads 1 --memory 16M --extrapolation m",
    "--threads 1 --memory 16M --subsumption inclusion --search dfs --extrapolation m",
    "--threads 1 --memory 16M --subsumption alu",
    "--threads 1 --memory 16M --subsumption alu --search dfs",
    "--threads 1 --memory 16M --subsumption none",
    "--threads 1 --memory 16M --zone flat --store exact",
    "--threads 1 --memory 16M --zone flat --store exact --search dfs --extrapolation m",
    "--threads 4 --thread-share 1 --memory 16M --zone flat --store exact",
    "--threads 1 --memory 16M --zone flat --store comback",
    "--threads 1 --memory 16M --zone flat --store comback --cb-cache F:5 --cb-candidates 20 "
    "--search "
    "dfs",
    "--threads 1 --memory 1M --zone flat --store disk",
    "--threads 1 --memory 16M --zone flat --store cache --entries 5000",
    "--threads 1 --memory 16M --zone flat --store compact --hash-bits 64",
    "--threads 1 --memory 64M --search symbolic",
    "--threads 1 --memory 64M --search symbolic --dd-groups one --dd-order bfs-prev",
    "--threads 1 --memory 64M --search symbolic --dd ddd --dd-check",
    "--threads 1 --memory 64M --search symbolic --dd ddd --dd-order bfs-prev --ddd-minus native",
    "--threads 1 --memory 64M --search symbolic --dd ddd --dd-order bfs-prev --ddd-minus "
    "federation --ddd-bounds closed --dd-groups one",
    "--threads 1 --memory 64M --search symbolic --dd ddd --dd-order no-minus --dd-groups edge",
    "--threads 1 --memory 64M --search symbolic --dd ddd --dd-order chain --ddd-bounds closed",
    "--threads 1 --memory 16M --time digital --store exact",
    "--threads 1 --memory 16M --time digital --store exact --search dfs",
};

enum { RT_SETTINGS = sizeof rt_settings / sizeof rt_settings[0] };

static inline bool rt_is_digital(const char *options) {
  return strstr(options, "--time digital") != NULL;
}

/* Whether clew refuses the network with these options, or finds fewer states by right. */
static inline bool rt_is_beyond(const struct ru *g, const char *options) {
  if (rt_is_digital(options)) {
    return g->is_open || g->has_diagonals || g->has_stops;
  }
  return g->has_diagonals && strstr(options, "--dd ddd") != NULL;
}

static inline void rt_compare_settings(struct ra *a, const char *exec) {
  struct rt *t = a->context;
  for (uint32_t i = 0; i < RT_SETTINGS; i++) {
    if (rt_is_beyond(&t->g, rt_settings[i])) {
      continue;
    }
    t->query = t->g.query_count;
    rt_compare_stats(a, rt_settings[i], exec);
    for (uint32_t k = 0; k < t->g.query_count; k++) {
      /* All settings by the first query, some by the others. */
      if (i < 2 || rt_is_digital(rt_settings[i]) || (a->seed + i) % t->g.query_count == k) {
        t->query = k;
        rt_compare_check(a, rt_settings[i], exec);
      }
    }
  }
}

/* All questions about states at once. */
static inline void rt_compare_together(struct ra *a, const char *options) {
  struct rt *t = a->context;
  struct clew_text asked = {0};
  bool holds = true;
  for (uint32_t i = 0; i < t->g.query_count; i++) {
    if (!t->g.queries[i].is_run) {
      clew_text_put(&asked, " --query ");
      random_uppaal_query(&t->g, i, &asked);
      holds = holds && ru_finds(&t->g, &t->space, &t->g.queries[i]) == t->g.queries[i].is_exists;
    }
  }
  struct ra_answer check = ra_search(a, "check", options, clew_text_str(&asked));
  clew_text_free(&asked);
  if (!check.ran) {
    ra_complain(a, "ended with exit %d", (int)check.exit_code);
  } else if (!t->g.has_stops && !t->space.has_fault && t->space.discrete.count > 0) {
    ra_same(a, "verdict", check.verdict, holds ? CLEW_VERDICT_HOLDS : CLEW_VERDICT_VIOLATED);
  }
}

static inline enum ra_fate rt_compare(struct ra *a) {
  static struct rt t;
  enum ra_fate fate = RA_COMPARED;
  random_timed_describe(&t.g, a->seed);
  ru_explore(&t.g, RT_MOST_REGIONS, &t.space);
  a->context = &t;
  a->deadlock = "";
  if (a->seed % 8 == 0) { /* successors in pieces */
    setenv("CLEW_PIECE", a->seed % 16 == 0 ? "1" : "2", 1);
  } else {
    unsetenv("CLEW_PIECE");
  }
  struct ra_answer first = {0};
  char options[RA_LINE_BYTES];
  snprintf(options, sizeof options, "%s --max-states %d", rt_settings[0], RT_MOST_ZONES);
  first = ra_search(a, "stats", options, "--exec interp");
  if (!first.ran) {
    fate = RA_REFUSED;
    if (first.exit_code != CLEW_EXIT_BAD_MODEL) {
      ra_complain(a, "exit %d", (int)first.exit_code);
    }
  } else if (!t.space.is_complete) {
    fate = RA_LARGE;
  } else if (!first.complete) {
    ra_complain(a, "%u regions, but not complete: stop %d", t.space.regions.count, (int)first.stop);
  } else {
    rt_compare_settings(a, "--exec interp");
    rt_compare_together(a, rt_settings[0]);
    rt_compare_together(a, rt_settings[1]);
    if (a->native) {
      rt_compare_settings(a, "--exec native");
    }
  }
  ru_space_free(&t.space);
  return fate;
}

#endif
