/* Zones with entries of 32 bits. */
#include <stdint.h>

#include "dbm/ops_int.h"

typedef int32_t entry;
#define INFINITE INT32_MAX
#define OPS clew_dbm_ops32
#define ADD_LANES(a, b) ((a) + (b)) /* no sum of three constants wraps */

#include "dbm/dbm_body_int.h"
