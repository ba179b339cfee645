/* The UPPAAL front end as far as the program, for those who want to see that (tests). Everybody
 * else uses clew_language_uppaal. */
#ifndef CLEW_LANG_UPPAAL_UPPAAL_H
#define CLEW_LANG_UPPAAL_UPPAAL_H

#include "lang/front.h"

clew_front_translate clew_uppaal_program;

#endif
