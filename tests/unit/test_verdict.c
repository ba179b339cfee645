/* Verdicts, outcomes and results: what may be claimed, and the figures.
 *
 * The rules of prop/outcome.h are tested exhaustively: every scope, with up to three properties of
 * every kind and every fate, against rules that are written down here a second time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "model/model.h"
#include "prop/outcome.h"
#include "prop/verdict.h"
#include "report/result.h"

/* What happens to a property before the search closes. */
enum fate {
  NOT_ASKED,
  LEFT_OPEN,
  GIVEN_UP_STORE,
  GIVEN_UP_ENGINE,
  GIVEN_UP_SKIPPED,
  GIVEN_UP_LOSSY,
  GIVEN_UP_NO_STATE,
  VIOLATED,        /* found */
  CANNOT_EVALUATE, /* found as a run-time error */
  FATES,
};

enum { SCOPES = 16, KINDS = CLEW_PROPERTY_KINDS };

static struct clew_scope scope_of(int bits) {
  return (struct clew_scope){.complete = (bits & 1) != 0,
                             .lossless = (bits & 2) != 0,
                             .has_states = (bits & 4) != 0,
                             .unchecked = (bits & 8) != 0 ? 2 : 0};
}

static void suffer(struct clew_outcomes *outcomes, uint32_t property, enum fate fate) {
  switch (fate) {
  case GIVEN_UP_STORE:
    clew_outcomes_give_up(outcomes, property, CLEW_REASON_STORE);
    return;
  case GIVEN_UP_ENGINE:
    clew_outcomes_give_up(outcomes, property, CLEW_REASON_ENGINE);
    return;
  case GIVEN_UP_SKIPPED:
    clew_outcomes_give_up(outcomes, property, CLEW_REASON_SKIPPED);
    return;
  case GIVEN_UP_LOSSY:
    clew_outcomes_give_up(outcomes, property, CLEW_REASON_LOSSY);
    return;
  case GIVEN_UP_NO_STATE:
    clew_outcomes_give_up(outcomes, property, CLEW_REASON_NO_STATE);
    return;
  case VIOLATED:
    clew_outcomes_violate(outcomes, property, 3, CLEW_NONE);
    return;
  case CANNOT_EVALUATE:
    clew_outcomes_violate(outcomes, property, 3, 7);
    return;
  case NOT_ASKED:
  case LEFT_OPEN:
  case FATES:
    return;
  }
}

/* The rules again, as a table of fates instead of a fold over outcomes. */
enum said { SAYS_NOTHING, SAYS_OK, SAYS_LOSSY, SAYS_OPEN, SAYS_VIOLATED };

static enum said expected_of(enum fate fate, int kind, const struct clew_scope *scope) {
  bool all_seen = scope->complete && scope->lossless;
  switch (fate) {
  case NOT_ASKED:
    return SAYS_NOTHING;
  case GIVEN_UP_STORE:
  case GIVEN_UP_ENGINE:
  case GIVEN_UP_SKIPPED:
  case GIVEN_UP_NO_STATE:
    return SAYS_OPEN;
  case GIVEN_UP_LOSSY:
    return SAYS_LOSSY;
  case CANNOT_EVALUATE:
    return SAYS_VIOLATED;
  case VIOLATED:
    if (kind == CLEW_PROPERTY_COVER || kind == CLEW_PROPERTY_LIVENESS) {
      return all_seen ? SAYS_VIOLATED : SAYS_NOTHING;
    }
    return SAYS_VIOLATED;
  case LEFT_OPEN:
    if (!scope->complete || !scope->has_states) {
      return SAYS_OPEN;
    }
    return scope->lossless ? SAYS_OK : SAYS_LOSSY;
  case FATES:
    break;
  }
  fail();
  return SAYS_NOTHING;
}

static const int violation_codes[] = {
    [CLEW_PROPERTY_DEADLOCK] = 10, [CLEW_PROPERTY_FAULT] = 14,    [CLEW_PROPERTY_INVARIANT] = 12,
    [CLEW_PROPERTY_COVER] = 12,    [CLEW_PROPERTY_LIVENESS] = 13, [CLEW_PROPERTY_PROGRESS] = 13,
    [CLEW_PROPERTY_MEASURE] = 12};

static int expected_exit(const enum fate *fates, const struct clew_property *properties,
                         uint32_t count, const struct clew_scope *scope) {
  bool has[SAYS_VIOLATED + 1] = {false};
  for (uint32_t i = 0; i < count; i++) {
    enum said said = expected_of(fates[i], (int)properties[i].kind, scope);
    if (said == SAYS_VIOLATED && !has[SAYS_VIOLATED]) {
      return violation_codes[properties[i].kind];
    }
    has[said] = true;
  }
  if (has[SAYS_OPEN] || scope->unchecked > 0 || !scope->complete || !scope->has_states) {
    return 20;
  }
  return has[SAYS_LOSSY] || !scope->lossless ? 21 : 0;
}

static enum clew_verdict verdict_of_exit(int code) {
  switch (code) {
  case 0:
    return CLEW_VERDICT_HOLDS;
  case 20:
    return CLEW_VERDICT_INCOMPLETE;
  case 21:
    return CLEW_VERDICT_NO_VIOLATION_FOUND;
  default:
    return CLEW_VERDICT_VIOLATED;
  }
}

static void check_outcome(const struct clew_outcome *outcome, enum fate fate,
                          const struct clew_scope *scope) {
  bool proved = scope->complete && scope->lossless && scope->has_states;
  if (fate == VIOLATED || fate == CANNOT_EVALUATE) {
    assert_int_equal(outcome->decision, CLEW_PROPERTY_VIOLATED);
    assert_int_equal(outcome->depth, 3);
    return;
  }
  assert_int_equal(outcome->decision == CLEW_PROPERTY_HOLDS, fate == LEFT_OPEN && proved);
  if (fate == LEFT_OPEN && !proved) {
    enum clew_reason reason = !scope->complete     ? CLEW_REASON_UNFINISHED
                              : !scope->has_states ? CLEW_REASON_NO_STATE
                                                   : CLEW_REASON_LOSSY;
    assert_int_equal(outcome->reason, reason);
  }
  static const enum clew_reason given[] = {
      [NOT_ASKED] = CLEW_REASON_NOT_ASKED,    [GIVEN_UP_STORE] = CLEW_REASON_STORE,
      [GIVEN_UP_ENGINE] = CLEW_REASON_ENGINE, [GIVEN_UP_SKIPPED] = CLEW_REASON_SKIPPED,
      [GIVEN_UP_LOSSY] = CLEW_REASON_LOSSY,   [GIVEN_UP_NO_STATE] = CLEW_REASON_NO_STATE};
  if (fate != LEFT_OPEN) {
    assert_int_equal(outcome->decision, CLEW_UNDECIDED);
    assert_int_equal(outcome->reason, given[fate]);
  }
}

/* Properties suffer their fates in the order of their indices. */
static void try(const enum fate *fates, const struct clew_property *properties, uint32_t count,
                const struct clew_scope *scope) {
  uint64_t asked = 0;
  for (uint32_t i = 0; i < count; i++) {
    asked |= (uint64_t)(fates[i] != NOT_ASKED) << i;
  }
  struct clew_outcomes outcomes;
  clew_outcomes_open(&outcomes, count, &asked);
  for (uint32_t i = 0; i < count; i++) {
    assert_int_equal(clew_outcome_is_asked(&outcomes, i), fates[i] != NOT_ASKED);
    suffer(&outcomes, i, fates[i]);
  }
  clew_outcomes_close(&outcomes, properties, scope);
  for (uint32_t i = 0; i < count; i++) {
    check_outcome(&outcomes.list[i], fates[i], scope);
  }
  struct clew_conclusion got = clew_outcomes_conclude(&outcomes, properties, scope);
  int want = expected_exit(fates, properties, count, scope);
  assert_int_equal(got.exit_code, want);
  assert_int_equal(got.verdict, verdict_of_exit(want));
  if (got.verdict == CLEW_VERDICT_HOLDS) {
    assert_true(scope->complete && scope->lossless && scope->has_states && scope->unchecked == 0);
  }
  clew_outcomes_free(&outcomes);
}

static void test_every_combination(void **state) {
  (void)state;
  for (int bits = 0; bits < SCOPES; bits++) {
    struct clew_scope scope = scope_of(bits);
    try(NULL, NULL, 0, &scope);
    for (int a = 0; a < KINDS * FATES; a++) {
      for (int b = 0; b < KINDS * FATES; b++) {
        enum fate fates[] = {(enum fate)(a % FATES), (enum fate)(b % FATES)};
        struct clew_property properties[] = {{.kind = (enum clew_property_kind)(a / FATES)},
                                             {.kind = (enum clew_property_kind)(b / FATES)}};
        try(fates, properties, 1, &scope);
        try(fates, properties, 2, &scope);
      }
    }
  }
}

static void test_three_properties(void **state) {
  (void)state;
  static const struct clew_property properties[] = {{.kind = CLEW_PROPERTY_LIVENESS},
                                                    {.kind = CLEW_PROPERTY_INVARIANT},
                                                    {.kind = CLEW_PROPERTY_COVER}};
  for (int bits = 0; bits < SCOPES; bits++) {
    struct clew_scope scope = scope_of(bits);
    for (int i = 0; i < FATES * FATES * FATES; i++) {
      enum fate fates[] = {(enum fate)(i % FATES), (enum fate)(i / FATES % FATES),
                           (enum fate)(i / FATES / FATES)};
      try(fates, properties, 3, &scope);
    }
  }
}

/* The exit code is that of what was found first, not of the first property. */
static void test_order_of_findings(void **state) {
  (void)state;
  static const struct clew_property properties[] = {{.kind = CLEW_PROPERTY_DEADLOCK},
                                                    {.kind = CLEW_PROPERTY_INVARIANT},
                                                    {.kind = CLEW_PROPERTY_LIVENESS}};
  uint64_t asked = 7;
  struct clew_scope scope = {.has_states = true, .lossless = true};
  struct clew_outcomes outcomes;
  clew_outcomes_open(&outcomes, 3, &asked);
  clew_outcomes_violate(&outcomes, 2, 4, CLEW_NONE); /* means nothing in an unfinished search */
  clew_outcomes_violate(&outcomes, 1, 5, CLEW_NONE);
  clew_outcomes_violate(&outcomes, 0, 6, CLEW_NONE);
  clew_outcomes_violate(&outcomes, 1, 9, 2); /* stays as it was said first */
  clew_outcomes_give_up(&outcomes, 1, CLEW_REASON_STORE);
  assert_int_equal(outcomes.violated.len, 3);
  assert_int_equal(outcomes.violated.data[1], 1);
  assert_int_equal(outcomes.list[1].depth, 5);
  assert_int_equal(outcomes.list[1].site, CLEW_NONE);
  assert_int_equal(outcomes.list[1].decision, CLEW_PROPERTY_VIOLATED);
  clew_outcomes_close(&outcomes, properties, &scope);
  assert_int_equal(clew_outcomes_conclude(&outcomes, properties, &scope).exit_code, 12);
  scope.complete = true;
  assert_int_equal(clew_outcomes_conclude(&outcomes, properties, &scope).exit_code, 13);
  scope.lossless = false;
  assert_int_equal(clew_outcomes_conclude(&outcomes, properties, &scope).exit_code, 12);
  clew_outcomes_free(&outcomes);
  assert_int_equal(outcomes.count, 0);
}

/* Decided early, by whatever means: nothing holds in a search that proves nothing. */
static void test_holds_is_never_taken_for_granted(void **state) {
  (void)state;
  static const struct clew_property property = {.kind = CLEW_PROPERTY_COVER};
  uint64_t asked = 1;
  for (int bits = 0; bits < SCOPES; bits++) {
    struct clew_scope scope = scope_of(bits);
    struct clew_outcomes outcomes;
    clew_outcomes_open(&outcomes, 1, &asked);
    outcomes.list[0].decision = CLEW_PROPERTY_HOLDS;
    clew_outcomes_close(&outcomes, &property, &scope);
    struct clew_conclusion got = clew_outcomes_conclude(&outcomes, &property, &scope);
    assert_int_equal(got.verdict == CLEW_VERDICT_HOLDS, bits == 7);
    assert_int_equal(got.exit_code == CLEW_EXIT_OK, bits == 7);
    clew_outcomes_free(&outcomes);
  }
}

/* A query that asks for a state: a path decides it for the better, only a proof for the worse. */
static void test_reach(void **state) {
  (void)state;
  static const struct clew_property properties[] = {
      {.kind = CLEW_PROPERTY_FAULT, .is_incidental = true},
      {.kind = CLEW_PROPERTY_INVARIANT, .query = CLEW_QUERY_REACH},
      {.kind = CLEW_PROPERTY_INVARIANT, .query = CLEW_QUERY_INVARIANT}};
  for (int bits = 0; bits < SCOPES; bits++) {
    for (int reached = 0; reached < 2; reached++) {
      for (uint64_t asked = 2; asked < 8; asked++) {
        struct clew_scope scope = scope_of(bits);
        if ((asked & 2) == 0 || (reached == 1 && !scope.has_states)) {
          continue;
        }
        struct clew_outcomes outcomes;
        clew_outcomes_open(&outcomes, 3, &asked);
        if (reached == 1) {
          clew_outcomes_reach(&outcomes, 1, 4);
        }
        clew_outcomes_close(&outcomes, properties, &scope);
        struct clew_conclusion got = clew_outcomes_conclude(&outcomes, properties, &scope);
        bool proved = (bits & 7) == 7, others = (asked & 4) != 0;
        assert_int_equal(outcomes.list[1].decision == CLEW_PROPERTY_HOLDS, reached == 1);
        assert_int_equal(outcomes.list[1].decision == CLEW_PROPERTY_VIOLATED,
                         reached == 0 && proved);
        assert_int_equal(got.verdict == CLEW_VERDICT_HOLDS,
                         reached == 1 && scope.unchecked == 0 && (proved || !others));
        assert_int_equal(got.exit_code == CLEW_EXIT_INVARIANT, reached == 0 && proved);
        clew_outcomes_free(&outcomes);
      }
    }
  }
}

/* No state, and nothing that was assumed is the reason: the model is wrong. */
static void test_absurd(void **state) {
  (void)state;
  struct clew_property property = {.kind = CLEW_PROPERTY_INVARIANT, .name = "i"};
  uint64_t asked = 1;
  for (int bits = 0; bits < SCOPES; bits++) {
    struct clew_scope scope = scope_of(bits);
    scope.is_absurd = !scope.has_states;
    struct clew_outcomes outcomes;
    clew_outcomes_open(&outcomes, 1, &asked);
    clew_outcomes_close(&outcomes, &property, &scope);
    struct clew_conclusion got = clew_outcomes_conclude(&outcomes, &property, &scope);
    assert_int_equal(got.exit_code == CLEW_EXIT_BAD_MODEL, scope.complete && !scope.has_states);
    if (!scope.has_states) {
      assert_int_equal(got.verdict, CLEW_VERDICT_INCOMPLETE);
    }
    clew_outcomes_free(&outcomes);
  }
}

static void test_scope(void **state) {
  (void)state;
  for (int bits = 0; bits < SCOPES; bits++) {
    struct clew_scope scope = scope_of(bits);
    struct clew_conclusion got = clew_scope_conclude(&scope);
    int want = !scope.complete ? 20 : scope.lossless ? 0 : 21;
    assert_int_equal(got.exit_code, want);
    assert_int_equal(got.verdict == CLEW_VERDICT_HOLDS, want == 0 && scope.has_states);
    assert_int_equal(got.verdict == CLEW_VERDICT_NO_VIOLATION_FOUND, want == 21);
  }
}

static void test_names(void **state) {
  (void)state;
  assert_string_equal(clew_verdict_name(CLEW_VERDICT_HOLDS), "holds");
  assert_string_equal(clew_verdict_name(CLEW_VERDICT_VIOLATED), "violated");
  assert_string_equal(clew_verdict_name(CLEW_VERDICT_NO_VIOLATION_FOUND), "no-violation-found");
  assert_string_equal(clew_verdict_name(CLEW_VERDICT_INCOMPLETE), "incomplete");
  for (int i = 0; i <= CLEW_STOP_SIGNAL; i++) {
    assert_true(strlen(clew_stop_text((enum clew_stop)i)) > 0);
  }
}

struct seen {
  uint32_t count;
  char last[64];
  uint64_t states;
  double elapsed_s;
};

static void note(void *context, const struct clew_statistic *stat) {
  struct seen *seen = context;
  seen->count++;
  strncpy(seen->last, stat->name, sizeof seen->last - 1);
  assert_true(strlen(stat->help) > 0);
  if (strcmp(stat->name, "states") == 0) {
    assert_false(stat->is_real);
    seen->states = stat->count;
  }
  if (strcmp(stat->name, "elapsed_s") == 0) {
    assert_true(stat->is_real);
    seen->elapsed_s = stat->real;
  }
}

static void test_statistics(void **state) {
  (void)state;
  struct clew_result result;
  clew_result_init(&result);
  assert_int_equal(result.verdict, CLEW_VERDICT_INCOMPLETE);
  assert_int_equal(result.exit_code, CLEW_EXIT_INCOMPLETE);
  assert_false(result.scope.complete);
  assert_int_equal(result.outcomes.count, 0);
  assert_int_equal(result.states, CLEW_ABSENT);
  assert_true(isnan(result.elapsed_s));
  assert_true(result.out_degree_min == CLEW_ABSENT && result.out_degree_max == CLEW_ABSENT);
  struct seen seen = {0};
  clew_result_each_statistic(&result, note, &seen);
  assert_int_equal(seen.count, 0);
  result.states = 12;
  result.elapsed_s = 1.5;
  result.seed = 3;
  clew_result_each_statistic(&result, note, &seen);
  assert_int_equal(seen.count, 3);
  assert_string_equal(seen.last, "seed"); /* in the order of the table */
  assert_int_equal(seen.states, 12);
  assert_true(seen.elapsed_s > 1.4 && seen.elapsed_s < 1.6);
  clew_result_free(&result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_combination),
      cmocka_unit_test(test_three_properties),
      cmocka_unit_test(test_order_of_findings),
      cmocka_unit_test(test_holds_is_never_taken_for_granted),
      cmocka_unit_test(test_reach),
      cmocka_unit_test(test_scope),
      cmocka_unit_test(test_absurd),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_statistics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
