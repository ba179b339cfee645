/* The Murphi front end as far as the program, for those who want to see that (tests). Everybody
 * else uses clew_language_murphi. */
#ifndef CLEW_LANG_MURPHI_MURPHI_H
#define CLEW_LANG_MURPHI_MURPHI_H

#include "lang/front.h"

clew_front_translate clew_murphi_program;

#endif
