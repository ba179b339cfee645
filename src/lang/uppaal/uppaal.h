/* The UPPAAL front end as far as the program, for those who want to see that (tests). Everybody
 * else uses clew_language_uppaal. */
#ifndef CLEW_LANG_UPPAAL_UPPAAL_H
#define CLEW_LANG_UPPAAL_UPPAAL_H

#include "lang/front.h"
#include "timed/timed.h"

clew_front_translate clew_uppaal_program;
/* With the specification of its clocks, which lives in the arena of the program and owns
 * spec->guards; NULL: the model has none, or they are ignored or integers. */
enum clew_status clew_uppaal_timed(const struct clew_load_request *request,
                                   struct clew_diag_sink *diags, struct clew_program **program,
                                   struct clew_timed_spec **spec);

#endif
