/* What states consist of, as plain data for stores that cut them (struct clew_store_config). */
#ifndef CLEW_CLI_FIELDS_H
#define CLEW_CLI_FIELDS_H

#include "model/model.h"
#include "store/store.h"

struct clew_fields {
  struct clew_store_field *fields; /* one per slot of the model */
  uint32_t *by_change;
  uint32_t count;
};

void clew_fields_open(struct clew_fields *fields, const struct clew_model *model);
void clew_fields_close(struct clew_fields *fields);

#endif
