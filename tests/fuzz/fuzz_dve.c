/* Fuzz target: any bytes through the DVE front end. */
#include "fuzz_front.h"

FUZZ_TARGET(&clew_language_dve)
