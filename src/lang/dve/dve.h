/* The DVE front end as far as the program, for those who want to see that (tests). Everybody else
 * uses clew_language_dve. */
#ifndef CLEW_LANG_DVE_DVE_H
#define CLEW_LANG_DVE_DVE_H

#include "lang/front.h"

clew_front_translate clew_dve_program;

#endif
