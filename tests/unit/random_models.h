/* The generators of random models, by language. */
#ifndef CLEW_TESTS_RANDOM_MODELS_H
#define CLEW_TESTS_RANDOM_MODELS_H

#include <stddef.h>
#include <string.h>

#include "unit/random_dve.h"
#include "unit/random_plain.h"
#include "unit/random_uppaal.h"
#if __has_include("unit/random_murphi.h")
#include "unit/random_murphi.h"
#define CLEW_HAS_RANDOM_MURPHI 1
#endif

struct random_language {
  const char *name, *suffix;
  bool has_symmetry, is_timed;
  void (*make)(struct clew_text *out, uint64_t seed);
};

static const struct random_language random_languages[] = {
    {"dve", "dve", false, false, random_dve},
    {"plain", "m", true, false, random_plain_murphi},
    {"uppaal", "xta", false, true, random_uppaal},
#ifdef CLEW_HAS_RANDOM_MURPHI
    {"murphi", "m", true, false, random_murphi},
#endif
};

enum { RANDOM_LANGUAGES = sizeof random_languages / sizeof random_languages[0] };

/* NULL: there is none of this name. */
static inline const struct random_language *random_language(const char *name) {
  for (size_t i = 0; i < RANDOM_LANGUAGES; i++) {
    if (strcmp(random_languages[i].name, name) == 0) {
      return &random_languages[i];
    }
  }
  return NULL;
}

#endif
