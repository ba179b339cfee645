/* What the files about checkpoints share. */
#ifndef CLEW_CHECKPOINT_CHECKPOINT_INT_H
#define CLEW_CHECKPOINT_CHECKPOINT_INT_H

#include "checkpoint/checkpoint.h"

/* Puts the manifest in place, which becomes the present one, and removes what none needs. False,
 * and errno. */
bool clew_checkpoint_replace(struct clew_checkpoint *checkpoint, struct clew_manifest *next);
/* Says, once, that it cannot be written, as errno has it; false. */
bool clew_checkpoint_complain(struct clew_checkpoint *checkpoint, struct clew_diag_sink *diags);

#endif
