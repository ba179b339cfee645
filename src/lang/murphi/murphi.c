/* The Murphi front end: CMurphi's language and rumur's extensions of it, from source to IR. The
 * phases are the other files of this folder; here they are strung together, beside the small
 * services they share (names, positions, messages). */
#include "lang/murphi/murphi.h"

#include "lang/murphi/murphi_int.h"

enum clew_status clew_murphi_program(const struct clew_load_request *request,
                                     struct clew_diag_sink *diags, struct clew_program **out) {
  struct clew_front front;
  clew_front_open(&front, request, &clew_murphi_syntax, diags);
  struct murphi m = {.front = &front};
  struct clew_program *program =
      clew_program_open(request->source->name, clew_language_murphi.name);
  program->deadlock = CLEW_DEADLOCK_STUTTERING;
  clew_murphi_parse(&m);
  if (clew_front_ok(&front)) {
    clew_murphi_check(&m);
  }
  if (clew_front_ok(&front)) {
    clew_murphi_lower(&m, program);
  }
  return clew_front_close(&front, program, out);
}

static enum clew_status load(const struct clew_load_request *request, struct clew_diag_sink *diags,
                             struct clew_model **model) {
  return clew_front_load(clew_murphi_program, request, diags, model);
}

static const char *const words[] = {
#define X(name, text) text,
    MURPHI_KEYWORDS(X)
#undef X
        NULL};

static const char *const suffixes[] = {".m", NULL};

const struct clew_language clew_language_murphi = {
    .name = "murphi",
    .help = "Murphi, as CMurphi and rumur understand it",
    .suffixes = suffixes,
    .words = words,
    .load = load,
};
