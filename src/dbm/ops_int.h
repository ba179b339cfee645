/* The two widths of zones, which clew_dbm_space_init chooses from. */
#ifndef CLEW_DBM_OPS_INT_H
#define CLEW_DBM_OPS_INT_H

#include "dbm/dbm.h"

extern const struct clew_dbm_ops clew_dbm_ops16, clew_dbm_ops32;

#endif
