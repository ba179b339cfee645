/* Fuzz target: any bytes through the Murphi front end. */
#include "fuzz_front.h"

FUZZ_TARGET(&clew_language_murphi)
