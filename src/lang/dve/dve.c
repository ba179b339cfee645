/* The DVE front end: the input language of DiVinE and of the BEEM benchmarks, from source to IR.
 * The phases are the other files of this folder; here they are strung together, beside the small
 * services they share (names, positions, messages).
 *
 * Where the tools that read DVE differ, the reference is the one that made BEEM's counts:
 *   - `and` and `or` (`&&`, `||`) are one level of precedence, left-associative; they and `imply`
 *     evaluate their right side only when needed, and it is true iff > 0 (the left side iff not 0);
 *   - a value that does not fit its variable, an index out of range, a division by zero, and both
 *     partners of a rendezvous assigning the same global variable are run-time errors;
 *   - a buffered send evaluates its values after the effects, a buffered receive stores after them,
 *     in places whose indices are those of the old state;
 *   - the values of a typed channel are reduced to its types, without an error.
 * Expressions are computed in 64 bits where the reference has 32: what it would wrap is exact here.
 *
 * A property process does not take part in the transition relation yet: it is parsed and checked,
 * and becomes a part of the program that nothing can check. */
#include "lang/dve/dve.h"

#include "lang/dve/dve_int.h"

enum clew_status clew_dve_program(const struct clew_load_request *request,
                                  struct clew_diag_sink *diags, struct clew_program **out) {
  struct clew_front front;
  clew_front_open(&front, request, &clew_dve_syntax, diags);
  struct dve d = {.front = &front};
  struct clew_program *program = clew_program_open(request->source->name, clew_language_dve.name);
  program->deadlock = CLEW_DEADLOCK_NO_SUCCESSOR;
  program->counts_error_state = true;
  clew_dve_parse(&d);
  if (clew_front_ok(&front)) {
    clew_dve_check(&d);
    if (clew_front_notes(&front)) {
      clew_dve_note(&d);
    }
  }
  if (clew_front_ok(&front)) {
    clew_dve_ranges(&d);
    if (clew_front_notes(&front)) {
      clew_dve_note_ranges(&d);
    }
    clew_dve_lower(&d, program);
  }
  return clew_front_close(&front, program, out);
}

static enum clew_status load(const struct clew_load_request *request, struct clew_diag_sink *diags,
                             struct clew_model **model) {
  return clew_front_load(clew_dve_program, request, diags, model);
}

static const char *const words[] = {
#define X(name, text) text,
    DVE_KEYWORDS(X)
#undef X
        NULL};

static const char *const suffixes[] = {".dve", NULL};

const struct clew_language clew_language_dve = {
    .name = "dve",
    .help = "DVE, the language of DiVinE and of the BEEM benchmarks",
    .suffixes = suffixes,
    .words = words,
    .load = load,
};
