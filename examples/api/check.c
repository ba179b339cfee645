/* Checks a model and prints the verdict and the counterexample; then walks a few steps.
 *
 *   cc check.c -o check $(pkg-config --cflags --libs clew)
 *   ./check peterson.m POLITE=false */
#include <clew.h>
#include <stdio.h>
#include <string.h>

static void print_diagnostics(const clew_handle *model) {
  clew_diagnostic found;
  for (uint32_t i = 0; clew_diagnostic_get(model, i, &found); i++) {
    printf("%s:%u:%u: %s\n", found.file != NULL ? found.file : "clew", found.line, found.column,
           found.message);
  }
}

static void print_trace(const clew_answer *answer, uint32_t trace) {
  uint32_t states = clew_trace_state_count(answer, trace);
  for (uint32_t i = 0; i < states; i++) {
    printf("%u: %s\n", i, clew_trace_step(answer, trace, i));
    for (uint32_t k = 0; k < clew_trace_variable_count(answer); k++) {
      const char *value = clew_trace_value(answer, trace, i, k);
      const char *before = i > 0 ? clew_trace_value(answer, trace, i - 1, k) : NULL;
      if (value != NULL && (before == NULL || strcmp(value, before) != 0)) {
        printf("   %s = %s\n", clew_trace_variable(answer, k), value);
      }
    }
  }
}

static void print_answer(const clew_answer *answer) {
  uint64_t states = 0;
  (void)clew_answer_count(answer, "states", &states);
  printf("%s, %llu states, exit code %d\n", clew_answer_verdict_name(answer),
         (unsigned long long)states, clew_answer_exit_code(answer));
  clew_answer_property found;
  for (uint32_t i = 0; clew_answer_property_get(answer, i, &found); i++) {
    static const char *const outcomes[] = {"undecided", "holds", "violated"};
    printf("  %s %s: %s%s%s\n", found.kind, found.name, outcomes[found.outcome],
           found.why != NULL ? ": " : "", found.why != NULL ? found.why : "");
  }
  for (uint32_t i = 0; i < clew_trace_count(answer); i++) {
    print_trace(answer, i);
  }
}

/* Always takes the first transition that there is. */
static void walk(clew_handle *model, int steps) {
  clew_steps *here = clew_initial(model);
  while (here != NULL && clew_steps_count(here) > 0 && steps-- > 0) {
    printf("walk: %s\n", clew_steps_name(here, 0));
    clew_steps *next = clew_successors(model, clew_steps_state(here, 0));
    clew_steps_free(here);
    here = next;
  }
  clew_steps_free(here);
}

int main(int argc, char **argv) {
  if (argc < 2 || clew_abi_version() != CLEW_ABI_VERSION) {
    fprintf(stderr, "usage: check MODEL [NAME=VALUE]\n");
    return 2;
  }
  const char *options[] = {"--param", argc > 2 ? argv[2] : NULL, NULL};
  clew_handle *model = clew_open_file(argv[1], argc > 2 ? options : NULL);
  if (model == NULL) {
    return 70;
  }
  print_diagnostics(model);
  int exit_code = clew_handle_status(model);
  if (exit_code == 0) {
    clew_answer *answer = clew_check(model, NULL);
    print_answer(answer);
    exit_code = clew_answer_exit_code(answer);
    clew_answer_free(answer);
    walk(model, 3);
  }
  clew_close(model);
  return exit_code;
}
