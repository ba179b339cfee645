/* Front ends: source text to a model, by way of the IR, and nothing else. Adding one: a folder
 * under lang/ that defines a `const struct clew_language`, its declaration in this header, one line
 * in the registry (cli/registry.c). CONTRIBUTING.md goes through it step by step. */
#ifndef CLEW_LANG_LANG_H
#define CLEW_LANG_LANG_H

#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "ir/exec.h"
#include "lang/symbols.h"
#include "model/timed.h"

/* `--param NAME=VALUE`: overrides a constant of the model. */
struct clew_override {
  const char *name, *value;
  bool used; /* set by the front end; the caller complains about the others */
};

/* `--goal EXPR`, `--invariant EXPR`: a question about the model that is not in its text. It is an
 * expression in the model's language and global scope, and a text of its own, so that messages
 * point into it; it becomes the last but one, last … property of the model, in the order given.
 */
struct clew_query {
  enum clew_query_kind kind; /* not NONE */
  struct clew_source source; /* named after the option: "--goal" */
  const char *option;        /* that asks it; NULL: the model itself does */
  bool is_formula;           /* it begins with an operator of the language (E<>, A[]) */
};

/* Queries in the syntax that the language has for them, one on each line. */
struct clew_formulas {
  struct clew_source source;
  const char *option; /* "--query", "--queries"; NULL: of the file beside the model */
};

/* What becomes of the clocks of a timed model. */
enum clew_time_mode {
  CLEW_TIME_AUTO,    /* zones, if there are clocks */
  CLEW_TIME_ZONES,   /* real numbers */
  CLEW_TIME_DIGITAL, /* integers */
  CLEW_TIME_NONE,    /* they are ignored */
};

/* What is to be loaded, and how the model is to be executed. Everything is borrowed. */
struct clew_load_request {
  const struct clew_source *source;
  struct clew_override *overrides;
  uint32_t override_count;
  const struct clew_query *queries;
  uint32_t query_count;
  bool ignores_queries; /* that the text of the model itself asks */
  /* Nobody will ask for the model's own properties but those of these names. Others are there all
   * the same, but what they need of the model does not count. */
  bool selects_properties;
  const char *const *selected;
  uint32_t selected_count;
  bool wants_figures; /* measures that describe the model, beside what is asked */
  const struct clew_formulas *formulas;
  uint32_t formulas_count;
  enum clew_time_mode time;
  struct clew_zone_options zones;
  enum clew_exec_mode exec;
  enum clew_symmetry_mode symmetry;
  bool asks_symmetry;      /* by an option: nets are reduced only then */
  bool strict_undefined;   /* Murphi: reading an undefined value is an error wherever it happens */
  const atomic_bool *stop; /* the model's stop flag; NULL: none */
  struct clew_symbols *symbols; /* where names are to be collected; NULL: nobody asks */
};

struct clew_language {
  const char *name, *help;
  const char *const *suffixes; /* ".m", …, NULL */
  const char *query_suffix;    /* of files with formulas; NULL: the language has none */
  const char *const *words;    /* keywords, ended by NULL; or NULL */
  /* Parses, checks, lowers and opens. On failure *model is NULL and the sink says why (BAD_INPUT,
   * OVER_LIMIT). */
  enum clew_status (*load)(const struct clew_load_request *request, struct clew_diag_sink *diags,
                           struct clew_model **model);
};

extern const struct clew_language clew_language_murphi;
extern const struct clew_language clew_language_dve;
extern const struct clew_language clew_language_uppaal;
extern const struct clew_language clew_language_pnml;
extern const struct clew_language clew_language_cpn;

#endif
