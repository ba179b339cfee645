/* Ids of states: dense numbers in the order of discovery. A search over a disk has more than 2^32
 * of them, so they are 64 bits wide wherever they travel; 40 bits are enough for any machine, and
 * tables that keep many of them pack them. */
#ifndef CLEW_BASE_ID_H
#define CLEW_BASE_ID_H

#include <stdint.h>

typedef uint64_t clew_id;

#define CLEW_ID_NONE UINT64_MAX           /* no state: the parent of an initial one */
#define CLEW_ID_LIMIT (UINT64_C(1) << 40) /* every id is below */

#endif
