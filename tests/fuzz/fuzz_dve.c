/* Fuzz target: any bytes through the DVE front end. */
#include "fuzz_front.h"
#include "lang/dve/dve.h"

FUZZ_TARGET(clew_dve_program)
