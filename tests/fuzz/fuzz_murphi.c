/* Fuzz target: any bytes through the Murphi front end. */
#include "fuzz_front.h"
#include "lang/murphi/murphi.h"

FUZZ_TARGET(clew_murphi_program)
