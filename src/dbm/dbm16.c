/* Zones with entries of 16 bits. */
#include <stdint.h>

#include "dbm/ops_int.h"

typedef int16_t entry;
#define INFINITE INT16_MAX
#define OPS clew_dbm_ops16

#include "dbm/dbm_body_int.h"
