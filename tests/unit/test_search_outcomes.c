/* What a search may say, through the C interface and nothing else: every registered engine that
 * needs a store (of the others tests/unit/random_agree.h asks the same) with
 * every registered store, each with every kind of setting of its options, and with one thread and
 * several. The same questions get the same answers; what a store cannot prove nobody says.
 *
 * HOLDS is the answer that must never be wrong: here it comes only from stores that lose nothing,
 * and where AG EF is asked only from those that keep the graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/registry.h"
#include "unit/store_settings.h"
#include "unit/tiny_store.h"
#include "unit/toy_search.h"

/* Stores that are no part of clew. */
static const struct clew_store_type *const more_stores[] = {&clew_store_tiny};

static const uint32_t thread_counts[] = {1, 2, 5};
enum { THREAD_COUNTS = 3, SMALL = 6, LARGE = 14, MEMORY_BYTES = 8 << 20 };

/* ---- questions ---- */

/* A cube of `size` in each direction: states are corners, or somewhere inside. */
enum place { NOWHERE, FIRST, INSIDE, LAST };

static uint32_t number_at(uint32_t size, enum place place) {
  uint32_t diagonal = 1 + size + size * size;
  switch (place) {
  case NOWHERE:
    return CLEW_NONE;
  case FIRST:
    return 0;
  case INSIDE:
    return size / 2 * diagonal;
  case LAST:
    return (size - 1) * diagonal;
  }
  return CLEW_NONE;
}

/* A direction has no end: from every state every other is reached. */
static bool torus_edge(const struct toy *toy, uint32_t state, uint32_t edge, uint32_t *to) {
  if (!grid_edge(toy, state, edge, to)) {
    uint32_t power = edge == 0 ? 1 : edge == 1 ? toy->size : toy->size * toy->size;
    *to = state - (toy->size - 1) * power;
  }
  return true;
}

static bool faulting_edge(const struct toy *toy, uint32_t state, uint32_t edge, uint32_t *to) {
  bool enabled = grid_edge(toy, state, edge, to);
  if (edge == 1 && state == number_at(toy->size, INSIDE)) {
    *to = FAULTS;
  }
  return enabled;
}

enum { HOLDS = CLEW_VERDICT_HOLDS, VIOLATED = CLEW_VERDICT_VIOLATED };
enum { OPEN = CLEW_VERDICT_INCOMPLETE }; /* although everything was seen */

struct question {
  const char *name;
  bool (*edge)(const struct toy *toy, uint32_t state, uint32_t edge, uint32_t *to);
  uint64_t asked;
  enum place bad, goal, home, label_fault;
  bool no_states, go_on;
  uint32_t unchecked;
  /* Where the store keeps the graph: */
  int verdict, exit_code;
  uint32_t violated; /* the property, or CLEW_NONE */
};

#define ASK(property) (UINT64_C(1) << (property))
#define ALL_BUT_DEADLOCK                                                                           \
  (ASK(FAULT) | ASK(INVARIANT) | ASK(COVER) | ASK(COVER_STATEMENT) | ASK(LIVENESS))

static const struct question questions[] = {
    {"liveness, violated", grid_edge, ASK(LIVENESS), .home = FIRST, .verdict = VIOLATED,
     .exit_code = 13, .violated = LIVENESS},
    {"liveness, violated by nothing", torus_edge, ASK(LIVENESS), .home = NOWHERE,
     .verdict = VIOLATED, .exit_code = 13, .violated = LIVENESS},
    {"liveness, holds", grid_edge, ASK(LIVENESS), .home = LAST, .verdict = HOLDS,
     .violated = CLEW_NONE},
    {"liveness, holds in one component", torus_edge, ASK(LIVENESS) | ASK(DEADLOCK), .home = INSIDE,
     .verdict = HOLDS, .violated = CLEW_NONE},
    {"liveness, violated among others", grid_edge, ALL_BUT_DEADLOCK, .goal = INSIDE, .home = INSIDE,
     .verdict = VIOLATED, .exit_code = 13, .violated = LIVENESS},
    {"all but deadlock, hold", grid_edge, ALL_BUT_DEADLOCK, .goal = LAST, .home = LAST,
     .verdict = HOLDS, .violated = CLEW_NONE},
    {"invariant, violated", grid_edge, ASK(INVARIANT), .bad = INSIDE, .verdict = VIOLATED,
     .exit_code = 12, .violated = INVARIANT},
    {"invariant before liveness", grid_edge, ASK(INVARIANT) | ASK(LIVENESS), .bad = INSIDE,
     .home = FIRST, .verdict = VIOLATED, .exit_code = 12, .violated = INVARIANT},
    {"invariant, violated at the start", torus_edge, ASK(INVARIANT), .bad = FIRST,
     .verdict = VIOLATED, .exit_code = 12, .violated = INVARIANT},
    {"invariant, holds", grid_edge, ASK(INVARIANT) | ASK(FAULT), .verdict = HOLDS,
     .violated = CLEW_NONE},
    {"invariant, cannot be evaluated", grid_edge, ASK(INVARIANT) | ASK(FAULT),
     .label_fault = INSIDE, .verdict = VIOLATED, .exit_code = 14, .violated = FAULT},
    {"deadlock, violated", grid_edge, ASK(DEADLOCK), .verdict = VIOLATED, .exit_code = 10,
     .violated = DEADLOCK},
    {"deadlock, holds", torus_edge, ASK(DEADLOCK), .verdict = HOLDS, .violated = CLEW_NONE},
    {"fault, violated", faulting_edge, ASK(FAULT), .verdict = VIOLATED, .exit_code = 14,
     .violated = FAULT},
    {"fault, not asked for", faulting_edge, ASK(INVARIANT), .verdict = HOLDS,
     .violated = CLEW_NONE},
    {"cover, violated", grid_edge, ASK(COVER), .verdict = VIOLATED, .exit_code = 12,
     .violated = COVER},
    {"cover, holds", grid_edge, ASK(COVER) | ASK(COVER_STATEMENT), .goal = LAST, .verdict = HOLDS,
     .violated = CLEW_NONE},
    {"statistics, nothing wrong", torus_edge, ASK(DEADLOCK) | ASK(INVARIANT), .go_on = true,
     .verdict = HOLDS, .violated = CLEW_NONE},
    {"statistics, violated", grid_edge, ASK(DEADLOCK) | ASK(INVARIANT), .bad = INSIDE,
     .go_on = true, .verdict = VIOLATED, .violated = INVARIANT},
    {"nothing asked", grid_edge, 0, .verdict = HOLDS, .violated = CLEW_NONE},
    {"no state", grid_edge, ALL_BUT_DEADLOCK, .no_states = true, .verdict = OPEN, .exit_code = 65,
     .violated = CLEW_NONE},
    {"no state, nothing asked", grid_edge, 0, .no_states = true, .verdict = OPEN, .exit_code = 65,
     .violated = CLEW_NONE},
    {"a part unchecked", grid_edge, ASK(INVARIANT), .unchecked = 1, .verdict = OPEN,
     .exit_code = 20, .violated = CLEW_NONE},
    {"a part unchecked, violated", grid_edge, ASK(INVARIANT), .bad = LAST, .unchecked = 1,
     .verdict = VIOLATED, .exit_code = 12, .violated = INVARIANT},
};
enum { QUESTIONS = sizeof questions / sizeof questions[0] };

static void question_toy(const struct question *q, uint32_t size, struct toy *toy) {
  toy_open(toy, 3, q->edge);
  toy->size = size;
  toy->enabled = q->asked;
  toy->bad = number_at(size, q->bad);
  toy->goal = number_at(size, q->goal);
  toy->home = number_at(size, q->home);
  toy->label_fault = number_at(size, q->label_fault);
  toy->initial_states = q->no_states ? 0 : 1;
}

/* ---- one search ---- */

struct subject {
  const struct question *question;
  const struct clew_store_type *store;
  const struct clew_engine_type *engine;
  const struct setting *setting, *engine_setting;
  uint32_t size, threads;
};

/* Says which search went wrong, in `where`, before the assertion fails. */
static char where[1024];

static void note_where(const struct subject *s) {
  struct clew_text text = {0};
  clew_text_printf(&text, "%s: %s with %s, %u threads, size %u", s->question->name, s->engine->name,
                   s->store->name, s->threads, s->size);
  setting_print(s->setting, &text);
  setting_print(s->engine_setting, &text);
  snprintf(where, sizeof where, "%s", clew_text_str(&text));
  clew_text_free(&text);
}

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fail_msg("%s: not so: %s", where, #condition);                                               \
    }                                                                                              \
  } while (0)

static void search_subject(const struct subject *s, struct outcome *outcome) {
  struct toy toy;
  question_toy(s->question, s->size, &toy);
  void *store_options = setting_fields(&s->store->options, s->setting);
  void *engine_options = setting_fields(&s->engine->options, s->engine_setting);
  struct options options = {.store = s->store,
                            .store_options = store_options,
                            .engine_options = engine_options,
                            .unchecked = s->question->unchecked,
                            .go_on = s->question->go_on,
                            .memory_bytes = MEMORY_BYTES};
  note_where(s);
  run_with(&toy, s->engine, &options, s->threads, outcome);
  setting_free(&s->store->options, store_options);
  setting_free(&s->engine->options, engine_options);
}

/* ---- what may be said ---- */

static bool keeps_graph(const struct outcome *outcome) {
  const unsigned in_the_end = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS | CLEW_STORE_PLACES;
  return (outcome->promises & CLEW_STORE_GRAPH) == CLEW_STORE_GRAPH ||
         (outcome->promises & in_the_end) == in_the_end;
}

/* The store had to give up: too small a table, too little memory. */
static bool gave_up(const struct clew_result *r) {
  return r->stop != CLEW_STOP_FINISHED && r->stop != CLEW_STOP_VIOLATION;
}

/* Verdict and exit code belong together, and nothing is proved that was not seen. */
static void check_verdict(const struct question *q, const struct outcome *outcome) {
  const struct clew_result *r = &outcome->result;
  bool lossless = (outcome->promises & CLEW_STORE_LOSSLESS) != 0;
  CHECK(lossless || r->verdict != CLEW_VERDICT_HOLDS);
  CHECK(q->verdict == HOLDS || r->verdict != CLEW_VERDICT_HOLDS);
  CHECK(q->verdict == VIOLATED || r->verdict != CLEW_VERDICT_VIOLATED);
  CHECK((q->asked & ASK(LIVENESS)) == 0 || keeps_graph(outcome) ||
        r->verdict != CLEW_VERDICT_HOLDS);
  CHECK(r->scope.complete || r->verdict != CLEW_VERDICT_HOLDS);
  CHECK(r->scope.unchecked == q->unchecked);
  if (q->go_on) {
    CHECK((int)r->exit_code == (!r->scope.complete ? 20 : lossless ? 0 : 21));
  } else {
    CHECK((r->exit_code == CLEW_EXIT_OK) == (r->verdict == CLEW_VERDICT_HOLDS));
    CHECK((r->exit_code == CLEW_EXIT_LOSSY) == (r->verdict == CLEW_VERDICT_NO_VIOLATION_FOUND));
    CHECK((r->exit_code == CLEW_EXIT_INCOMPLETE || r->exit_code == CLEW_EXIT_BAD_MODEL) ==
          (r->verdict == CLEW_VERDICT_INCOMPLETE));
    CHECK((r->exit_code == CLEW_EXIT_BAD_MODEL) == (q->no_states && r->scope.complete));
    CHECK(r->verdict != CLEW_VERDICT_VIOLATED || (int)r->exit_code == q->exit_code);
  }
  for (uint32_t i = 0; i < PROPERTIES; i++) {
    const struct clew_outcome *o = &r->outcomes.list[i];
    CHECK(o->decision != CLEW_PROPERTY_HOLDS || (lossless && r->scope.complete && r->states > 0));
    CHECK(o->decision == CLEW_UNDECIDED || (q->asked & ASK(i)) != 0);
    CHECK(o->decision != CLEW_PROPERTY_VIOLATED || q->verdict == VIOLATED);
  }
}

/* AG EF without the graph: undecided, and it is the store's fault. */
static void check_undecided(const struct question *q, const struct clew_result *r) {
  const struct clew_outcome *o = &r->outcomes.list[LIVENESS];
  CHECK(o->decision == CLEW_UNDECIDED && o->reason == CLEW_REASON_STORE);
  CHECK(r->verdict == CLEW_VERDICT_INCOMPLETE ||
        (r->verdict == CLEW_VERDICT_VIOLATED && q->violated != LIVENESS));
}

/* A search in no order of levels that goes on finds violations as they come. */
static bool has_order_of_findings(const struct subject *s) {
  return s->engine->has_levels || !s->question->go_on;
}

/* A store that loses nothing and was not stopped: the answer is that of the exact store, but for
 * what takes the graph. */
static void check_lossless(const struct subject *s, const struct outcome *outcome,
                           const struct clew_result *wanted) {
  const struct question *q = s->question;
  const struct clew_result *r = &outcome->result;
  bool exact_levels = s->engine->has_levels && (outcome->demands & CLEW_STORE_LATE) == 0;
  bool needs_graph = (q->asked & ASK(LIVENESS)) != 0 && !keeps_graph(outcome);
  if (needs_graph) {
    CHECK(q->violated == LIVENESS || q->violated == CLEW_NONE ||
          r->verdict == CLEW_VERDICT_VIOLATED);
  } else {
    CHECK(r->verdict == wanted->verdict && r->exit_code == wanted->exit_code);
    CHECK(r->has_trace == wanted->has_trace);
    CHECK(r->outcomes.violated.len == wanted->outcomes.violated.len);
  }
  if (r->outcomes.violated.len > 0 && has_order_of_findings(s)) {
    CHECK(r->outcomes.violated.data[0] == wanted->outcomes.violated.data[0]);
  }
  if (r->outcomes.violated.len > 0 && exact_levels) {
    CHECK(violation(r, 0).depth == violation(wanted, 0).depth);
    CHECK(violation(r, 0).site == violation(wanted, 0).site);
    CHECK(clew_trace_length(&r->trace) == clew_trace_length(&wanted->trace));
  }
}

/* Each state once: the figures are those of the exact store. */
static void check_figures(const struct subject *s, const struct outcome *outcome,
                          const struct clew_result *wanted) {
  const struct clew_result *r = &outcome->result;
  bool exact_levels = s->engine->has_levels && (outcome->demands & CLEW_STORE_LATE) == 0;
  if (!exact_levels && !(wanted->scope.complete && r->scope.complete)) {
    return; /* how far it got is its own affair */
  }
  CHECK(r->scope.complete == wanted->scope.complete);
  CHECK(r->states == wanted->states);
  CHECK(r->transitions == wanted->transitions);
  CHECK(r->deadlocks == wanted->deadlocks);
  CHECK(r->initial_states == wanted->initial_states);
  if (!exact_levels) {
    CHECK(r->level_sizes.len == 0 && r->diameter == CLEW_ABSENT);
    return;
  }
  CHECK(r->levels == wanted->levels && r->diameter == wanted->diameter);
  CHECK(r->level_sizes.len == wanted->level_sizes.len);
  for (uint32_t i = 0; i < r->level_sizes.len; i++) {
    CHECK(r->level_sizes.data[i] == wanted->level_sizes.data[i]);
  }
}

/* False when the store does not open with this setting, or gave up. */
static bool check_subject(const struct subject *s, const struct clew_result *wanted) {
  struct outcome outcome;
  const struct clew_result *r = &outcome.result;
  search_subject(s, &outcome);
  bool answered = outcome.ran;
  if (outcome.ran) {
    check_verdict(s->question, &outcome);
    if ((s->question->asked & ASK(LIVENESS)) != 0 && !keeps_graph(&outcome)) {
      check_undecided(s->question, r);
    }
    answered = !gave_up(r);
  }
  if (answered && r->scope.lossless) {
    check_lossless(s, &outcome, wanted);
    if ((outcome.promises & CLEW_STORE_REMEMBERS) != 0) {
      check_figures(s, &outcome, wanted);
    }
  }
  finish(&outcome);
  return answered;
}

/* ---- the tests ---- */

/* The exact store, one thread: what all others are compared with; it is what the table says. */
static void find_wanted(const struct subject *subject, struct outcome *wanted) {
  static const struct setting none;
  struct subject s = *subject;
  s.store = &clew_store_exact;
  s.setting = s.engine_setting = &none;
  s.threads = 1;
  search_subject(&s, wanted);
  const struct clew_result *r = &wanted->result;
  const struct question *q = s.question;
  CHECK((int)r->verdict == q->verdict && (int)r->exit_code == q->exit_code);
  CHECK((q->violated == CLEW_NONE) == (r->outcomes.violated.len == 0));
  if (r->outcomes.violated.len > 0 && has_order_of_findings(&s)) {
    CHECK(r->outcomes.violated.data[0] == q->violated);
  }
  if (!q->no_states && r->scope.complete) {
    CHECK(r->states == (uint64_t)s.size * s.size * s.size);
  }
}

/* All questions, by one number of threads each or by all. */
static void check_setting(const struct subject *subject, const struct outcome *wanted,
                          bool all_threads, bool must_answer) {
  for (uint32_t q = 0; q < QUESTIONS; q++) {
    struct subject s = *subject;
    s.question = &questions[q];
    for (uint32_t t = 0; t < THREAD_COUNTS; t++) {
      if (all_threads || t == (q + s.setting->count) % THREAD_COUNTS) {
        s.threads = thread_counts[t];
        bool answered = check_subject(&s, &wanted[q].result);
        CHECK(answered || !must_answer);
      }
    }
  }
}

/* What the options of the engine need of a store is there, or may be. */
static bool is_fit(const struct clew_engine_type *engine, const struct setting *setting,
                   const struct clew_store_type *store) {
  void *fields = setting_fields(&engine->options, setting);
  unsigned needs = engine->needs != NULL ? engine->needs(fields) : 0;
  setting_free(&engine->options, fields);
  return (needs & ~store->promises) == 0;
}

static void check_size(const struct subject *subject, bool with_options) {
  static const struct setting none;
  struct outcome wanted[QUESTIONS];
  struct subject s = *subject;
  for (uint32_t q = 0; q < QUESTIONS; q++) {
    s.question = &questions[q];
    find_wanted(&s, &wanted[q]);
  }
  struct setting setting;
  s.setting = s.engine_setting = &none;
  check_setting(&s, wanted, true, true);
  s.setting = &setting;
  for (uint32_t n = 1; with_options && setting_make(&s.store->options, n, &setting); n++) {
    check_setting(&s, wanted, false, false);
  }
  s.setting = &none;
  s.engine_setting = &setting;
  for (uint32_t n = 1; with_options && setting_make(&s.engine->options, n, &setting); n++) {
    if (is_fit(s.engine, &setting, s.store)) {
      check_setting(&s, wanted, true, false);
    }
  }
  for (uint32_t q = 0; q < QUESTIONS; q++) {
    finish(&wanted[q]);
  }
}

static void test_store(void **state) {
  for (uint32_t e = 0; clew_engines[e] != NULL && clew_engines[e]->needs_store; e++) {
    struct subject s = {.store = *state, .engine = clew_engines[e], .size = SMALL};
    check_size(&s, true);
    s.size = LARGE;
    check_size(&s, false);
  }
}

/* Under a limit nothing holds, whatever the store. */
static void test_limits(void **state) {
  const struct clew_store_type *store = *state;
  for (uint32_t e = 0; clew_engines[e] != NULL && clew_engines[e]->needs_store; e++) {
    for (uint32_t t = 0; t < THREAD_COUNTS; t++) {
      for (uint32_t limit = 1; limit < 300; limit = limit * 2 + 1) {
        struct toy toy;
        struct outcome outcome;
        const struct clew_result *r = &outcome.result;
        question_toy(&questions[5], 7, &toy);
        struct options options = {.store = store, .memory_bytes = MEMORY_BYTES};
        options.max_states = limit;
        run_with(&toy, clew_engines[e], &options, thread_counts[t], &outcome);
        assert_int_equal(r->verdict, CLEW_VERDICT_INCOMPLETE);
        assert_int_equal(r->exit_code, CLEW_EXIT_INCOMPLETE);
        assert_int_equal(r->stop, CLEW_STOP_MAX_STATES);
        assert_int_equal(r->states, limit);
        finish(&outcome);
      }
    }
  }
}

int main(int argc, char **argv) {
  enum { MOST_STORES = 32, TESTS = 2 };
  static struct CMUnitTest tests[MOST_STORES * TESTS];
  static char names[MOST_STORES * TESTS][64];
  size_t count = 0, more = sizeof more_stores / sizeof more_stores[0];
  size_t registered = 0;
  while (clew_stores[registered] != NULL) {
    registered++;
  }
  if (registered + more > MOST_STORES) {
    return 1; /* none is left out silently */
  }
  for (size_t i = 0; i < registered + more; i++) {
    const struct clew_store_type *store =
        i < registered ? clew_stores[i] : more_stores[i - registered];
    for (uint32_t t = 0; t < TESTS; t++, count++) {
      snprintf(names[count], sizeof names[count], "test_%s_%s", t == 0 ? "answers" : "limits",
               store->name);
      tests[count] = (struct CMUnitTest){.name = names[count],
                                         .test_func = t == 0 ? test_store : test_limits,
                                         .initial_state = (void *)(uintptr_t)store};
    }
  }
  if (argc > 1) {
    cmocka_set_test_filter(argv[1]);
  }
  return _cmocka_run_group_tests("search_outcomes", tests, count, NULL, NULL);
}
