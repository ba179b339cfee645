/* clew as a library: open a model, ask about it, look at the answer, walk through its states.
 *
 *   clew_handle *model = clew_open_file("peterson.m", NULL);
 *   if (clew_handle_status(model) == 0) {
 *     clew_answer *answer = clew_check(model, NULL);
 *     puts(clew_answer_verdict_name(answer));
 *     clew_answer_free(answer);
 *   }
 *   clew_close(model);
 *
 * Rules. The library prints nothing, installs no signal handler, and never ends the process but for
 * one case: where the system has no memory left for something small, it calls abort(), as it does
 * when it finds a bug in itself. A NULL that a function does not say it takes is a bug of the
 * caller.
 *
 * Threads. Different handles may be used by different threads at the same time. Calls on one
 * handle, or on the answers that came from it, wait for each other; only clew_stop may be called
 * while another call works. A function that gets an answer or steps reads what is there and waits
 * for nobody, unless it says so. Do not fork() while a call works.
 *
 * Ownership. Strings and arrays that are returned as `const` belong to the handle, answer or steps
 * that they were asked of, and live as long. A `char *` is the caller's: clew_string_free. A handle
 * may be closed before its answers are freed.
 *
 * Options are words of the command line ("--param", "N=3", "--max-states=1000"), ended by NULL; the
 * whole list may be NULL. The manual describes them. Those that write files, --checkpoint and what
 * belongs to a terminal are refused here. */
#ifndef CLEW_H
#define CLEW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLEW_API __attribute__((visibility("default")))

/* Of this header. The library's own number is the same, or the header does not fit it. It changes
 * when a program that was compiled before would no longer work; additions leave it. */
#define CLEW_ABI_VERSION 1
CLEW_API unsigned clew_abi_version(void);
CLEW_API const char *clew_version_text(void); /* "0.1.0" */

typedef struct clew_handle clew_handle;     /* a model */
typedef struct clew_api_answer clew_answer; /* what a search found out */
typedef struct clew_steps clew_steps;       /* the ways to go on from a state */

#define CLEW_NO_INDEX UINT32_MAX

CLEW_API void clew_string_free(char *string); /* NULL is fine */

/* ---- Models --------------------------------------------------------------------------------- */

/* Opens a model. NULL only if the system gives no thread; otherwise the handle says whether it is
 * one, and is to be closed in any case. */
CLEW_API clew_handle *clew_open_file(const char *path, const char *const *options);
/* The same for a text of so many bytes. The suffix of `name`, which messages show, tells the
 * language, or else --lang does. */
CLEW_API clew_handle *clew_open_text(const char *name, const char *text, size_t bytes,
                                     const char *const *options);
CLEW_API void clew_close(clew_handle *handle); /* NULL is fine */

/* 0: the model is there. 2: an option is wrong. 65: the model is. Exit codes of the program. All
 * functions below the diagnostics need a model. */
CLEW_API int clew_handle_status(const clew_handle *handle);

enum clew_severity_level { CLEW_SEVERITY_ERROR, CLEW_SEVERITY_WARNING, CLEW_SEVERITY_NOTE };

typedef struct clew_diagnostic {
  int severity;
  const char *file;      /* NULL: it is about no file */
  uint32_t line, column; /* from 1, in bytes; line 0: about the whole file */
  uint32_t length;       /* bytes to underline */
  const char *message;
  const char *source_line; /* or NULL */
} clew_diagnostic;

CLEW_API uint32_t clew_diagnostic_count(const clew_handle *handle);
/* 0 when there is no such one. */
CLEW_API int clew_diagnostic_get(const clew_handle *handle, uint32_t index, clew_diagnostic *out);

CLEW_API const char *clew_language_name(const clew_handle *handle);
CLEW_API uint32_t clew_variable_count(const clew_handle *handle);
CLEW_API const char *clew_variable_name(const clew_handle *handle, uint32_t variable);
CLEW_API uint32_t
clew_rule_count(const clew_handle *handle); /* edges: rules with their parameters */
CLEW_API uint32_t clew_property_count(const clew_handle *handle);
CLEW_API const char *clew_property_name(const clew_handle *handle, uint32_t property);
/* "invariant", "deadlock", "assertion", "cover", "liveness", … */
CLEW_API const char *clew_property_kind_text(const clew_handle *handle, uint32_t property);

/* ---- Searches ------------------------------------------------------------------------------- */

/* A moment of a search. Return 0 to end it. The callback must not call the library, but for
 * clew_stop. */
typedef struct clew_moment {
  double elapsed_s;
  uint64_t states, transitions, waiting, level, memory_bytes;
} clew_moment;
typedef int clew_progress_function(void *context, const clew_moment *moment);
/* For the searches that follow, every so many seconds; NULL: none. */
CLEW_API void clew_set_progress(clew_handle *handle, clew_progress_function *function,
                                void *context, double every_s);

/* `clew check`: is everything right? `clew stats`: what is the graph like? The answer is never
 * NULL. */
CLEW_API clew_answer *clew_check(clew_handle *handle, const char *const *options);
CLEW_API clew_answer *clew_explore(clew_handle *handle, const char *const *options);
/* From any thread: ends the search of this handle that is under way, which then is incomplete. One
 * that has not begun yet is not ended: let a progress callback decide where that matters. */
CLEW_API void clew_stop(clew_handle *handle);
CLEW_API void clew_answer_free(clew_answer *answer); /* NULL is fine */

/* 0: there is a verdict. Otherwise why not, as an exit code: 2, 65, 70. */
CLEW_API int clew_answer_status(const clew_answer *answer);
CLEW_API uint32_t clew_answer_diagnostic_count(const clew_answer *answer);
CLEW_API int clew_answer_diagnostic(const clew_answer *answer, uint32_t index,
                                    clew_diagnostic *out);

enum clew_answer_verdict_kind {
  CLEW_ANSWER_HOLDS,
  CLEW_ANSWER_VIOLATED,
  CLEW_ANSWER_NO_VIOLATION_FOUND,
  CLEW_ANSWER_INCOMPLETE,
  CLEW_ANSWER_NONE /* there is no verdict: see the status */
};
CLEW_API int clew_answer_verdict(const clew_answer *answer);
/* "holds", "violated", "no-violation-found", "incomplete", "none" */
CLEW_API const char *clew_answer_verdict_name(const clew_answer *answer);
/* That of the program: 0, 10, 12, 13, 14, 20, 21; or the status. */
CLEW_API int clew_answer_exit_code(const clew_answer *answer);

/* A figure by its name in the JSON: "states", "transitions", "levels", … 0 when there is none. */
CLEW_API int clew_answer_count(const clew_answer *answer, const char *name, uint64_t *out);
CLEW_API int clew_answer_real(const clew_answer *answer, const char *name, double *out);

enum clew_answer_outcome_kind {
  CLEW_ANSWER_UNDECIDED,
  CLEW_ANSWER_TRUE, /* the property holds */
  CLEW_ANSWER_FALSE /* it is violated */
};
typedef struct clew_answer_property {
  const char *name, *kind;
  int outcome;
  int is_asked;
  uint32_t depth;        /* of the violation; CLEW_NO_INDEX: makes no sense */
  uint32_t trace;        /* that shows the violation; CLEW_NO_INDEX: none */
  uint32_t line, column; /* where the text says so; line 0: it does not */
  const char *why;       /* the violation in a sentence, or why it is undecided; NULL otherwise */
} clew_answer_property;
CLEW_API uint32_t clew_answer_property_count(const clew_answer *answer);
CLEW_API int clew_answer_property_get(const clew_answer *answer, uint32_t property,
                                      clew_answer_property *out);

/* The documents of the program: "text", "json", "report" (HTML), "junit", "sarif", "trace", "itf",
 * "plot". NULL when there is nothing to say, or no such document. Waits for its turn. */
CLEW_API char *clew_answer_document(clew_answer *answer, const char *name);

/* ---- Counterexamples ------------------------------------------------------------------------ */

CLEW_API uint32_t clew_trace_count(const clew_answer *answer);
CLEW_API uint32_t clew_trace_property(const clew_answer *answer, uint32_t trace);
/* States, the initial one being the first; a failing start has none. */
CLEW_API uint32_t clew_trace_state_count(const clew_answer *answer, uint32_t trace);
/* Of a run without end: the state that the last one leads back to; CLEW_NO_INDEX: none. */
CLEW_API uint32_t clew_trace_loop(const clew_answer *answer, uint32_t trace);
/* The step that leads to this state, as people read it: "Enter, p: 2". The step of the number of
 * states is the one that ends in a run-time error; NULL when there is none. */
CLEW_API const char *clew_trace_step(const clew_answer *answer, uint32_t trace, uint32_t state);
/* The variables of the model that was searched: those of the handle, unless options of the search
 * change what the model is. */
CLEW_API uint32_t clew_trace_variable_count(const clew_answer *answer);
CLEW_API const char *clew_trace_variable(const clew_answer *answer, uint32_t variable);
/* The value of a variable as text; NULL: it does not exist there. */
CLEW_API const char *clew_trace_value(const clew_answer *answer, uint32_t trace, uint32_t state,
                                      uint32_t variable);
/* The run-time error at the end, or NULL. */
CLEW_API const char *clew_trace_error(const clew_answer *answer, uint32_t trace);
/* The words of the state, to walk on from it; NULL where the handle has another model. */
CLEW_API const uint64_t *clew_trace_words(const clew_answer *answer, uint32_t trace,
                                          uint32_t state);

/* ---- Walking -------------------------------------------------------------------------------- */

/* A state is this many 64-bit words. States are equal if their words are. Words that cannot be a
 * state of the model are refused where that is seen; pass those that you got. */
CLEW_API uint32_t clew_state_word_count(const clew_handle *handle);

/* All initial states; all transitions from a state. NULL when the words are refused. */
CLEW_API clew_steps *clew_initial(clew_handle *handle);
CLEW_API clew_steps *clew_successors(clew_handle *handle, const uint64_t *state);
CLEW_API void clew_steps_free(clew_steps *steps); /* NULL is fine */
CLEW_API uint32_t clew_steps_count(const clew_steps *steps);
CLEW_API uint32_t clew_steps_edge(const clew_steps *steps, uint32_t step);
CLEW_API const uint64_t *clew_steps_state(const clew_steps *steps, uint32_t step);
CLEW_API const char *clew_steps_name(const clew_steps *steps, uint32_t step);
/* Transitions that end in a run-time error. */
CLEW_API uint32_t clew_steps_fault_count(const clew_steps *steps);
CLEW_API const char *clew_steps_fault_name(const clew_steps *steps, uint32_t fault);
CLEW_API const char *clew_steps_fault_message(const clew_steps *steps, uint32_t fault);
CLEW_API int clew_steps_is_deadlock(const clew_steps *steps);

/* Takes one transition; 0 when it is not enabled, faults, or the words are refused. */
CLEW_API int clew_fire(clew_handle *handle, const uint64_t *state, uint32_t edge, uint64_t *out);
/* 1 or 0: whether an invariant holds in a state. -1: the property is none, or its evaluation fails.
 */
CLEW_API int clew_holds_in(clew_handle *handle, uint32_t property, const uint64_t *state);
/* "name = value" lines; with `previous`, only those that differ. NULL when words are refused. */
CLEW_API char *clew_state_text(clew_handle *handle, const uint64_t *state,
                               const uint64_t *previous);
/* NULL: the variable does not exist in that state, or there is none of that number. */
CLEW_API char *clew_state_value(clew_handle *handle, const uint64_t *state, uint32_t variable);

#ifdef __cplusplus
}
#endif

#endif
