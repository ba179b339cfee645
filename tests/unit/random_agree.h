/* Searches of one model that have to agree, whatever the model is.
 *
 * Each search is made as the command line makes it, inside this process, so that a disagreement is
 * told by a command that shows it. The first one, breadth-first with the exact store by the
 * interpreter and one thread, is the measure of the others:
 *
 *   stats, lossless store    states, transitions, deadlocks, initial states; a store that may visit
 *                            states again has no fewer
 *   check, lossless store    verdict; in breadth-first order also exit code, violated property, its
 *                            depth and the length of the counterexample
 *   symbolic                 the same as a lossless store, of the model without symmetry; by levels
 *                            also property, depth and length, but for AG EF, which has no one path
 *   lossy store              never HOLDS, never more states, a violation only where there is one
 *   symmetry                 the same verdict, property and depth; no more states the more is
 *                            reduced, and some of each kind where there are some
 *
 * Each counterexample must be confirmed and each store valid. */
#ifndef CLEW_TESTS_RANDOM_AGREE_H
#define CLEW_TESTS_RANDOM_AGREE_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/session.h"

enum {
  RA_MOST_STATES = 2000, /* of a model that is compared */
  RA_LINE_BYTES = 1024,
  RA_MOST_WORDS = 48,
};

/* What becomes of a model. */
enum ra_fate { RA_REFUSED, RA_LARGE, RA_COMPARED, RA_FATES };

struct ra {
  const char *file; /* the model */
  uint64_t seed;    /* some of the settings go by it */
  bool has_symmetry;
  bool native;                  /* compile it, too */
  struct clew_text *complaints; /* one line each */
  uint32_t complaint_count;
  char *now;            /* the command that is being executed; RA_LINE_BYTES */
  const char *deadlock; /* "--no-deadlock" or nothing */
  /* Another look at each search that has ended; NULL: none. */
  void (*look)(struct ra *a, struct clew_session *session);
  void *context;
};

struct ra_answer {
  enum clew_exit exit_code; /* of the session, when it was not opened */
  bool ran, complete, lossless, forgets, lacks_graph, is_native;
  enum clew_verdict verdict;
  enum clew_stop stop;
  uint64_t states, transitions, deadlocks, initial_states, discrete_states;
  uint32_t violated, depth, length; /* CLEW_NONE: none */
};

static inline void ra_complain(struct ra *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void ra_complain(struct ra *a, const char *format, ...) {
  va_list args;
  clew_text_printf(a->complaints, "%s: ", a->now);
  va_start(args, format);
  clew_text_vprintf(a->complaints, format, args);
  va_end(args);
  clew_text_char(a->complaints, '\n');
  a->complaint_count++;
}

/* ---- One search ---- */

static inline void ra_confirm(struct ra *a, struct clew_session *session) {
  const char *why = "";
  if (session->result.has_trace) {
    struct clew_diag_sink diags = {0};
    if (clew_trace_confirm(session->model, &session->result.trace, &diags) != CLEW_OK) {
      ra_complain(a, "not confirmed: %s", diags.len > 0 ? diags.data[0].message : "");
    }
    clew_diag_sink_free(&diags);
  }
  if (session->store != NULL && !session->store->type->validate(session->store, &why)) {
    ra_complain(a, "the store is not valid: %s", why);
  }
}

static inline void ra_note(const struct clew_session *session, struct ra_answer *answer) {
  const struct clew_result *r = &session->result;
  struct clew_exec_info exec = {0};
  session->model->exec_info(session->model, &exec);
  answer->is_native = exec.notice == NULL;
  answer->exit_code = r->exit_code;
  answer->verdict = r->verdict;
  answer->stop = r->stop;
  answer->complete = r->scope.complete;
  answer->lossless = r->scope.lossless;
  answer->forgets = r->forgets;
  answer->states = r->states;
  answer->transitions = r->transitions;
  answer->deadlocks = r->deadlocks;
  answer->initial_states = r->initial_states;
  answer->discrete_states = r->discrete_states;
  answer->violated = answer->depth = answer->length = CLEW_NONE;
  if (r->outcomes.violated.len > 0) {
    answer->violated = r->outcomes.violated.data[0];
    answer->depth = r->outcomes.list[answer->violated].depth;
  }
  if (r->has_trace) {
    answer->length = clew_trace_length(&r->trace);
  }
  for (uint32_t i = 0; i < r->outcomes.count; i++) {
    const struct clew_outcome *o = &r->outcomes.list[i];
    answer->lacks_graph |= o->decision == CLEW_UNDECIDED &&
                           (o->reason == CLEW_REASON_STORE || o->reason == CLEW_REASON_ENGINE);
  }
}

static inline struct ra_answer ra_search(struct ra *a, const char *command, const char *options,
                                         const char *more) {
  struct ra_answer answer = {.exit_code = CLEW_EXIT_USAGE};
  char line[RA_LINE_BYTES], *words[RA_MOST_WORDS], *rest = line;
  int count = 0;
  int length = snprintf(line, sizeof line, "clew %s %s %s %s %s", command, a->file, a->deadlock,
                        options, more);
  if (length < 0 || (size_t)length >= sizeof line) {
    ra_complain(a, "the command is too long");
    return answer;
  }
  memcpy(a->now, line, (size_t)length + 1);
  for (char *word; count + 1 < RA_MOST_WORDS && (word = strsep(&rest, " ")) != NULL;) {
    words[count] = word;
    count += *word != '\0';
  }
  words[count] = NULL;
  struct clew_options parsed;
  struct clew_text error = {0};
  if (!clew_options_parse(&parsed, count, words, &error)) {
    ra_complain(a, "%s", clew_text_str(&error));
  } else {
    struct clew_session session;
    answer.exit_code = clew_session_open(&session, &parsed, NULL);
    answer.ran = answer.exit_code == CLEW_EXIT_OK;
    if (answer.ran) {
      clew_session_explore(&session);
      ra_confirm(a, &session);
      ra_note(&session, &answer);
      if (a->look != NULL) {
        a->look(a, &session);
      }
    }
    clew_session_close(&session);
  }
  clew_text_free(&error);
  clew_options_free(&parsed);
  return answer;
}

/* ---- What has to be equal ---- */

static inline void ra_same(struct ra *a, const char *what, uint64_t got, uint64_t wanted) {
  if (got != wanted) {
    ra_complain(a, "%s %lld, not %lld", what, (long long)got, (long long)wanted);
  }
}

static inline void ra_at_least(struct ra *a, const char *what, uint64_t got, uint64_t wanted) {
  if (got < wanted) {
    ra_complain(a, "%s %lld, not at least %lld", what, (long long)got, (long long)wanted);
  }
}

static inline void ra_same_figures(struct ra *a, const struct ra_answer *got,
                                   const struct ra_answer *wanted) {
  if (!got->ran || !got->complete || !got->lossless) {
    if (!got->ran || got->stop != CLEW_STOP_COLLISIONS) {
      ra_complain(a, "ended with exit %d, stop %d", (int)got->exit_code, (int)got->stop);
    }
    return;
  }
  ra_same(a, "exit code", got->exit_code, wanted->exit_code);
  if (got->forgets) {
    ra_at_least(a, "states", got->states, wanted->states);
    ra_at_least(a, "transitions", got->transitions, wanted->transitions);
    ra_at_least(a, "deadlocks", got->deadlocks, wanted->deadlocks);
    return;
  }
  ra_same(a, "states", got->states, wanted->states);
  ra_same(a, "transitions", got->transitions, wanted->transitions);
  ra_same(a, "deadlocks", got->deadlocks, wanted->deadlocks);
  ra_same(a, "initial states", got->initial_states, wanted->initial_states);
}

/* `levels`: the search is in exact levels. */
static inline void ra_same_verdict(struct ra *a, const struct ra_answer *got,
                                   const struct ra_answer *wanted, bool levels) {
  if (!got->ran) {
    ra_complain(a, "ended with exit %d", (int)got->exit_code);
    return;
  }
  bool gave_up = got->lacks_graph || got->stop == CLEW_STOP_COLLISIONS;
  if (gave_up && got->verdict == CLEW_VERDICT_INCOMPLETE) {
    return;
  }
  ra_same(a, "verdict", got->verdict, wanted->verdict);
  if (levels) {
    ra_same(a, "exit code", got->exit_code, wanted->exit_code);
    ra_same(a, "violated property", got->violated, wanted->violated);
    ra_same(a, "depth", got->depth, wanted->depth);
    ra_same(a, "length", got->length, wanted->length);
  }
}

/* ---- Settings ---- */

/* The lossless ones. Small tables and sets force them to do what they are for. */
static const char *const ra_lossless[] = {
    "--store exact --threads 1",
    "--store exact --threads 4 --thread-share 1",
    "--store cache --entries 5000 --threads 1",
    "--store cache --entries 150 --threads 1",
    "--store disk --memory 1M --threads 1",
    "--store disk --disk full --memory 1M --threads 1",
    "--store disk --disk local --memory 1M --threads 1",
    "--store disk --memory 8M --threads 4 --thread-share 1",
    "--store comback --threads 1",
    "--store comback --cb-layout paper --cb-cache F20-D80:20 --cb-candidates 7 --threads 1",
    "--store comback --cb-cache F:5 --cb-candidates 300 --threads 3 --thread-share 1",
    "--store comback --cb-candidates 0 --cb-queue ids --hash-bits 11 --threads 1",
    "--store comback --cb-queue ids --cb-block 5 --cb-cache D:10 --cb-candidates 100 --cb-detect "
    "full --hash-bits 6 --threads 1",
};

/* All of them with the check of access sets: an edge that reads more than it says ends the test. */
static const char *const ra_symbolic[] = {
    "--dd-turn 20",
    "--dd-order sat",
    "--dd-order chain --dd-groups edge --dd-variables declared",
    "--dd-order bfs-prev --dd-variables sloan",
    "--dd-order bfs --dd-groups one --dd-variables declared",
    "--dd-order no-minus --dd-groups edge",
    "--dd-order sat --dd-groups edge --dd-variables sloan",
    "--dd-order sat --dd-groups one --dd-variables declared",
};

static const char *const ra_lossy[] = {
    "--store compact --threads 1",
    "--store compact --hash-bits 2 --entries 50 --threads 1",
    "--store compact --no-quotient --hash-bits 2 --entries 50 --threads 4 --thread-share 1",
    "--store bloom --bloom-bits 2 --bloom-expect 50 --threads 1",
    "--store disk --hash-bits 8 --memory 1M --threads 1",
    "--store cache --hash-bits 6 --threads 1",
};

static const char *const ra_native[] = {
    "--store exact --threads 1",
    "--store exact --threads 4 --thread-share 1",
    "--store comback --cb-cache F:5 --cb-candidates 50 --threads 1",
};

enum {
  RA_LOSSLESS = sizeof ra_lossless / sizeof ra_lossless[0],
  RA_SYMBOLIC = sizeof ra_symbolic / sizeof ra_symbolic[0],
  RA_LOSSY = sizeof ra_lossy / sizeof ra_lossy[0],
  RA_NATIVE = sizeof ra_native / sizeof ra_native[0],
};

static inline bool ra_has_levels(const char *options) {
  return strstr(options, "--cb-detect full") == NULL && strstr(options, "--search dfs") == NULL;
}

static inline bool ra_has_memory(const char *options) {
  return strstr(options, "--memory") != NULL;
}

/* ---- One model ---- */

/* What the others are compared with, and how they reduce. */
struct ra_measure {
  struct ra_answer stats, check;
  const char *symmetry;
};

static inline void ra_compare_lossless(struct ra *a, const struct ra_measure *m, const char *store,
                                       const char *search, const char *exec) {
  char options[RA_LINE_BYTES], more[RA_LINE_BYTES];
  snprintf(options, sizeof options, "%s%s %s", store, ra_has_memory(store) ? "" : " --memory 8M",
           search);
  snprintf(more, sizeof more, "%s --exec %s", m->symmetry, exec);
  struct ra_answer stats = ra_search(a, "stats", options, more);
  ra_same_figures(a, &stats, &m->stats);
  if (strcmp(exec, "native") == 0 && stats.ran && !stats.is_native) {
    ra_complain(a, "there is no native code");
  }
  struct ra_answer check = ra_search(a, "check", options, more);
  ra_same_verdict(a, &check, &m->check, ra_has_levels(options));
}

static inline void ra_compare_symbolic(struct ra *a, const struct ra_measure *m,
                                       const char *setting) {
  char options[RA_LINE_BYTES];
  snprintf(options, sizeof options, "--search symbolic %s --dd-check --memory 8M", setting);
  struct ra_answer stats = ra_search(a, "stats", options, "--exec interp");
  ra_same_figures(a, &stats, &m->stats);
  struct ra_answer check = ra_search(a, "check", options, "--exec interp");
  bool levels = strstr(setting, "bfs") != NULL || strstr(setting, "no-minus") != NULL;
  ra_same_verdict(a, &check, &m->check, levels && m->check.exit_code != CLEW_EXIT_LIVENESS);
}

static inline void ra_compare_lossy(struct ra *a, const struct ra_measure *m, const char *store,
                                    const char *search) {
  char options[RA_LINE_BYTES], more[RA_LINE_BYTES];
  snprintf(options, sizeof options, "%s%s %s", store, ra_has_memory(store) ? "" : " --memory 8M",
           search);
  snprintf(more, sizeof more, "%s --exec interp", m->symmetry);
  struct ra_answer check = ra_search(a, "check", options, more);
  if (!check.ran) {
    ra_complain(a, "ended with exit %d", (int)check.exit_code);
  } else if (check.verdict == CLEW_VERDICT_HOLDS || check.exit_code == CLEW_EXIT_OK) {
    ra_complain(a, "a lossy store says HOLDS");
  } else if (check.verdict == CLEW_VERDICT_VIOLATED && m->check.verdict != CLEW_VERDICT_VIOLATED) {
    ra_complain(a, "there is no violation");
  }
  if (check.ran && !check.forgets) {
    ra_at_least(a, "all states of the model", m->stats.states, check.states);
  }
}

static inline void ra_measure(struct ra *a, struct ra_measure *m) {
  static const char *const options = "--store exact --threads 1 --exec interp --memory 8M";
  char limited[RA_LINE_BYTES];
  snprintf(limited, sizeof limited, "%s --max-states %d", options, RA_MOST_STATES);
  m->stats = ra_search(a, "stats", limited, m->symmetry);
  if (m->stats.ran && m->stats.complete) {
    m->check = ra_search(a, "check", options, m->symmetry);
  }
}

/* The more is reduced the fewer states there are; questions have the same answers. */
static inline void ra_compare_symmetry(struct ra *a, const struct ra_measure *reduced,
                                       const struct ra_measure *all) {
  const struct ra_answer *r = &reduced->stats, *u = &all->stats;
  ra_at_least(a, "unreduced states", u->states, r->states);
  ra_at_least(a, "unreduced transitions", u->transitions, r->transitions);
  ra_at_least(a, "unreduced deadlocks", u->deadlocks, r->deadlocks);
  ra_at_least(a, "unreduced initial states", u->initial_states, r->initial_states);
  ra_same(a, "has deadlocks", r->deadlocks > 0, u->deadlocks > 0);
  ra_same(a, "has states", r->states > 0, u->states > 0);
  ra_same_verdict(a, &reduced->check, &all->check, true);
}

static inline void ra_compare_stores(struct ra *a, const struct ra_measure *m) {
  for (uint32_t i = 0; i < RA_LOSSLESS; i++) {
    if (i > 0) {
      ra_compare_lossless(a, m, ra_lossless[i], "--search bfs", "interp");
    }
    ra_compare_lossless(a, m, ra_lossless[i], "--search dfs", "interp");
  }
  for (uint32_t i = 0; i < RA_LOSSY; i++) {
    ra_compare_lossy(a, m, ra_lossy[i], (a->seed + i) % 3 == 0 ? "--search dfs" : "--search bfs");
  }
  for (uint32_t i = 0; i < RA_NATIVE && a->native; i++) {
    ra_compare_lossless(a, m, ra_native[i], "--search bfs", "native");
    ra_compare_lossless(a, m, ra_native[i], "--search dfs", "native");
  }
}

static inline enum ra_fate ra_compare(struct ra *a) {
  static const char *const symmetries[] = {"--symmetry off", "--symmetry canonical",
                                           "--symmetry fast"};
  struct ra_measure measures[3] = {{.symmetry = symmetries[0]}};
  a->deadlock = a->seed % 2 == 0 ? "" : "--no-deadlock";
  ra_measure(a, &measures[0]);
  if (!measures[0].stats.ran) {
    if (measures[0].stats.exit_code != CLEW_EXIT_BAD_MODEL) {
      ra_complain(a, "exit %d", (int)measures[0].stats.exit_code);
    }
    return RA_REFUSED;
  }
  if (!measures[0].stats.complete && measures[0].stats.stop == CLEW_STOP_MAX_STATES) {
    return RA_LARGE;
  }
  if (!measures[0].stats.complete) {
    ra_complain(a, "not complete: stop %d", (int)measures[0].stats.stop);
    return RA_COMPARED;
  }
  for (uint32_t i = 1; i < 3 && a->has_symmetry; i++) {
    measures[i].symmetry = symmetries[i];
    ra_measure(a, &measures[i]);
    ra_compare_symmetry(a, &measures[i], &measures[0]);
  }
  if (a->has_symmetry) {
    ra_at_least(a, "states with --symmetry fast", measures[2].stats.states,
                measures[1].stats.states);
  }
  for (uint32_t i = 0; i < RA_SYMBOLIC; i++) {
    ra_compare_symbolic(a, &measures[0], ra_symbolic[i]);
  }
  ra_compare_stores(a, &measures[a->has_symmetry ? a->seed / 2 % 3 : 0]);
  return RA_COMPARED;
}

#endif
