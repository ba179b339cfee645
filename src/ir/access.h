/* Which slots a rule instance reads, may write and must write: the dependency matrix, one row at a
 * time. Parameters are bound to the instance's values, so places that depend on them alone are
 * exact; any other dynamic index counts as every slot it could reach. */
#ifndef CLEW_IR_ACCESS_H
#define CLEW_IR_ACCESS_H

#include "ir/ir.h"
#include "model/model.h"

void clew_access_of_edge(const struct clew_program *program, uint32_t edge,
                         struct clew_access *access);
/* A superset of what any instance of the rule may write; a bit set over slots. */
void clew_access_rule_writes(const struct clew_program *program, const struct clew_family *family,
                             const struct clew_rule *rule, uint64_t *may_write);

#endif
