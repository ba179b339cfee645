/* The C interface from outside: compiled against include/clew.h alone and linked with libclew.so.
 * Prints a line for each check that fails; the last line is "N passed, N failed". */
#include <clew.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void check(int ok, int line, const char *what) {
  pthread_mutex_lock(&lock);
  passed += ok != 0;
  failed += ok == 0;
  if (!ok) {
    printf("FAIL line %d: %s\n", line, what);
  }
  pthread_mutex_unlock(&lock);
}
#define CHECK(condition) check((condition) != 0, __LINE__, #condition)
#define CHECK_TEXT(text, expected) check(same((text), (expected)), __LINE__, #text)

static int same(const char *text, const char *expected) {
  int ok = text != NULL && strcmp(text, expected) == 0;
  if (!ok) {
    printf("  \"%s\" instead of \"%s\"\n", text != NULL ? text : "NULL", expected);
  }
  return ok;
}

/* A counter modulo 7 that may stop at 5: seven states and, where it may, a violation. */
static const char counter[] = "const N: 7; LAST: 7;\n"
                              "var x: 0..N-1;\n"
                              "startstate \"zero\" x := 0; end;\n"
                              "rule \"step\" true ==> x := (x + 1) % N; end;\n"
                              "invariant \"small\" x < LAST;\n";

static clew_handle *open_counter(const char *const *options) {
  return clew_open_text("counter.m", counter, sizeof counter - 1, options);
}

static void test_answers(void) {
  clew_handle *model = open_counter(NULL);
  CHECK(clew_handle_status(model) == 0);
  CHECK(clew_diagnostic_count(model) == 0);
  CHECK_TEXT(clew_language_name(model), "murphi");
  CHECK(clew_variable_count(model) == 1);
  CHECK_TEXT(clew_variable_name(model, 0), "x");
  CHECK(clew_variable_name(model, 1) == NULL);
  clew_answer *answer = clew_check(model, NULL);
  CHECK(clew_answer_status(answer) == 0);
  CHECK(clew_answer_verdict(answer) == CLEW_ANSWER_HOLDS);
  CHECK(clew_answer_exit_code(answer) == 0);
  uint64_t states = 0, transitions = 0;
  CHECK(clew_answer_count(answer, "states", &states) && states == 7);
  CHECK(clew_answer_count(answer, "transitions", &transitions) && transitions == 7);
  CHECK(!clew_answer_count(answer, "nothing", &states));
  double elapsed = -1;
  CHECK(clew_answer_real(answer, "elapsed_s", &elapsed) && elapsed >= 0);
  CHECK(clew_trace_count(answer) == 0);
  char *json = clew_answer_document(answer, "json"), *text = clew_answer_document(answer, "text");
  CHECK(json != NULL && strstr(json, "\"verdict\": \"holds\"") != NULL);
  CHECK(text != NULL && strstr(text, "HOLDS") != NULL && strchr(text, '\033') == NULL);
  CHECK(clew_answer_document(answer, "trace") == NULL);
  CHECK(clew_answer_document(answer, "poem") == NULL);
  clew_string_free(json);
  clew_string_free(text);
  clew_close(model); /* before its answer */
  CHECK_TEXT(clew_answer_verdict_name(answer), "holds");
  clew_answer_free(answer);
}

static void test_violation(void) {
  const char *options[] = {"--param", "LAST=5", NULL}, *limits[] = {"--max-states=3", NULL};
  clew_handle *model = open_counter(options);
  clew_answer *answer = clew_check(model, NULL);
  CHECK_TEXT(clew_answer_verdict_name(answer), "violated");
  CHECK(clew_answer_exit_code(answer) == 12);
  clew_answer_property found;
  uint32_t property = 0;
  while (clew_answer_property_get(answer, property, &found) && found.trace == CLEW_NO_INDEX) {
    property++;
  }
  CHECK_TEXT(found.name, "small");
  CHECK_TEXT(found.kind, "invariant");
  CHECK(found.outcome == CLEW_ANSWER_FALSE && found.depth == 5 && found.trace == 0);
  CHECK_TEXT(found.why, "invariant \"small\" fails after 5 steps");
  CHECK(clew_trace_count(answer) == 1 && clew_trace_property(answer, 0) == property);
  CHECK(clew_trace_state_count(answer, 0) == 6);
  CHECK_TEXT(clew_trace_step(answer, 0, 0), "zero");
  CHECK_TEXT(clew_trace_step(answer, 0, 5), "step");
  CHECK(clew_trace_step(answer, 0, 6) == NULL && clew_trace_step(answer, 1, 0) == NULL);
  CHECK_TEXT(clew_trace_value(answer, 0, 5, 0), "5");
  CHECK(clew_trace_error(answer, 0) == NULL);
  const uint64_t *last = clew_trace_words(answer, 0, 5);
  CHECK(last != NULL && clew_holds_in(model, property, last) == 0);
  CHECK(clew_holds_in(model, property, clew_trace_words(answer, 0, 4)) == 1);
  clew_answer_free(answer);
  answer = clew_check(model, limits);
  CHECK(clew_answer_verdict(answer) == CLEW_ANSWER_INCOMPLETE);
  CHECK(clew_answer_exit_code(answer) == 20);
  clew_answer_free(answer);
  answer = clew_explore(model, NULL);
  uint64_t states = 0;
  CHECK(clew_answer_count(answer, "states", &states) && states == 7);
  clew_answer_free(answer);
  clew_close(model);
}

static void test_walk(void) {
  clew_handle *model = open_counter(NULL);
  CHECK(clew_state_word_count(model) == 1);
  clew_steps *steps = clew_initial(model);
  CHECK(clew_steps_count(steps) == 1);
  CHECK_TEXT(clew_steps_name(steps, 0), "zero");
  CHECK(clew_steps_name(steps, 1) == NULL && clew_steps_state(steps, 1) == NULL);
  uint64_t first = clew_steps_state(steps, 0)[0], at = first, next;
  clew_steps_free(steps);
  for (int i = 0; i < 7; i++) {
    steps = clew_successors(model, &at);
    CHECK(clew_steps_count(steps) == 1 && !clew_steps_is_deadlock(steps));
    CHECK(clew_fire(model, &at, clew_steps_edge(steps, 0), &next));
    CHECK(next == clew_steps_state(steps, 0)[0]);
    clew_steps_free(steps);
    char *value = clew_state_value(model, &at, 0);
    CHECK(value != NULL && atoi(value) == i);
    clew_string_free(value);
    at = next;
  }
  CHECK(at == first);
  char *text = clew_state_text(model, &at, NULL);
  CHECK_TEXT(text, "x = 0\n");
  clew_string_free(text);
  uint64_t nonsense = UINT64_MAX;
  CHECK(clew_successors(model, &nonsense) == NULL);
  CHECK(clew_state_text(model, &nonsense, NULL) == NULL);
  CHECK(!clew_fire(model, &at, 12345, &next));
  CHECK(clew_holds_in(model, 12345, &at) == -1);
  clew_close(model);
}

static void test_faults(void) {
  static const char text[] = "var x: 0..3;\nstartstate x := 0; end;\n"
                             "rule \"up\" true ==> x := x + 1; end;\n";
  clew_handle *model = clew_open_text("up.m", text, sizeof text - 1, NULL);
  clew_answer *answer = clew_check(model, NULL);
  CHECK(clew_answer_exit_code(answer) == 14);
  CHECK(clew_trace_state_count(answer, 0) == 4);
  CHECK_TEXT(clew_trace_step(answer, 0, 4), "up");
  CHECK(clew_trace_error(answer, 0) != NULL &&
        strstr(clew_trace_error(answer, 0), "line 3") != NULL);
  clew_steps *steps = clew_successors(model, clew_trace_words(answer, 0, 3));
  CHECK(clew_steps_count(steps) == 0 && clew_steps_fault_count(steps) == 1);
  CHECK_TEXT(clew_steps_fault_name(steps, 0), "up");
  CHECK(clew_steps_fault_message(steps, 0) != NULL && clew_steps_fault_message(steps, 1) == NULL);
  clew_steps_free(steps);
  clew_answer_free(answer);
  clew_close(model);
}

static void test_refusals(void) {
  static const char bad[] = "var x: 0..3;\nstartstate x = 0; end;\n";
  clew_handle *model = clew_open_text("bad.m", bad, sizeof bad - 1, NULL);
  CHECK(clew_handle_status(model) == 65);
  clew_diagnostic found;
  CHECK(clew_diagnostic_get(model, 0, &found) && !clew_diagnostic_get(model, 99, &found));
  CHECK(found.severity == CLEW_SEVERITY_ERROR && found.line == 2 && found.column == 14);
  CHECK_TEXT(found.file, "bad.m");
  CHECK_TEXT(found.source_line, "startstate x = 0; end;");
  CHECK(clew_initial(model) == NULL && clew_variable_count(model) == 0);
  clew_answer *answer = clew_check(model, NULL);
  CHECK(clew_answer_status(answer) == 65 && clew_answer_verdict(answer) == CLEW_ANSWER_NONE);
  CHECK(clew_answer_diagnostic_count(answer) > 0 && clew_answer_property_count(answer) == 0);
  clew_answer_free(answer);
  clew_close(model);
  model = clew_open_file("/nowhere/at/all.m", NULL);
  CHECK(clew_handle_status(model) == 65 && clew_diagnostic_count(model) == 1);
  clew_close(model);
  const char *unknown[] = {"--stroe", "exact", NULL}, *file[] = {"--json", "-", NULL};
  model = open_counter(unknown);
  CHECK(clew_handle_status(model) == 2);
  clew_close(model);
  model = open_counter(NULL);
  answer = clew_check(model, unknown);
  CHECK(clew_answer_status(answer) == 2 && clew_answer_diagnostic(answer, 0, &found));
  CHECK_TEXT(found.message, "unknown option --stroe (did you mean --store?)");
  clew_answer_free(answer);
  answer = clew_check(model, file);
  CHECK(clew_answer_status(answer) == 2);
  clew_answer_free(answer);
  clew_close(model);
}

/* 2^24 states. */
static const char large[] = "var x: array [1..24] of boolean;\n"
                            "startstate for i: 1..24 do x[i] := false; end; end;\n"
                            "ruleset i: 1..24 do rule true ==> x[i] := !x[i]; end; end;\n";

static int give_up(void *context, const clew_moment *moment) {
  int *calls = context;
  (*calls)++;
  return moment->states < 1000;
}

static void test_stopping(void) {
  int calls = 0;
  clew_handle *model = clew_open_text("large.m", large, sizeof large - 1, NULL);
  clew_set_progress(model, give_up, &calls, 0.01);
  const char *options[] = {"--exec", "interp", "--threads", "1", NULL};
  clew_answer *answer = clew_check(model, options);
  CHECK(clew_answer_verdict(answer) == CLEW_ANSWER_INCOMPLETE && calls > 0);
  clew_answer_free(answer);
  clew_set_progress(model, NULL, NULL, 0);
  const char *soon[] = {"--max-time", "0.05", "--exec", "interp", NULL};
  answer = clew_check(model, soon);
  CHECK(clew_answer_exit_code(answer) == 20);
  clew_answer_free(answer);
  clew_close(model);
}

static void *search_in_thread(void *argument) {
  const char *last = argument;
  char param[32];
  snprintf(param, sizeof param, "LAST=%s", last);
  const char *options[] = {"--param", param, NULL}, *how[] = {"--exec", "interp", NULL};
  for (int i = 0; i < 5; i++) {
    clew_handle *model = open_counter(options);
    clew_answer *answer = clew_check(model, how);
    uint32_t expected = (uint32_t)atoi(last);
    CHECK(clew_answer_exit_code(answer) == (expected < 7 ? 12 : 0));
    CHECK(expected == 7 || clew_trace_state_count(answer, 0) == expected + 1);
    clew_answer_free(answer);
    clew_close(model);
  }
  return NULL;
}

/* Different handles in different threads, and one handle in several. */
static void *share(void *argument) {
  clew_handle *model = argument;
  for (int i = 0; i < 20; i++) {
    clew_steps *steps = clew_initial(model);
    CHECK(clew_steps_count(steps) == 1);
    clew_steps_free(steps);
  }
  return NULL;
}

static void test_threads(void) {
  static char lasts[][2] = {"2", "3", "5", "7"};
  pthread_t threads[8];
  clew_handle *model = open_counter(NULL);
  for (int i = 0; i < 8; i++) {
    CHECK(pthread_create(&threads[i], NULL, i < 4 ? search_in_thread : share,
                         i < 4 ? (void *)lasts[i] : (void *)model) == 0);
  }
  for (int i = 0; i < 8; i++) {
    pthread_join(threads[i], NULL);
  }
  clew_close(model);
}

static void test_signals_untouched(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGALRM, SIGPIPE, SIGXFSZ};
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
    struct sigaction now;
    CHECK(sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL);
  }
}

int main(void) {
  CHECK(clew_abi_version() == CLEW_ABI_VERSION);
  CHECK(strlen(clew_version_text()) > 0);
  test_answers();
  test_violation();
  test_walk();
  test_faults();
  test_refusals();
  test_stopping();
  test_threads();
  test_signals_untouched();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
