/* Which slots a rule instance reads, may write and must write, and which a label reads: the
 * dependency matrix, one row at a time. Parameters are bound to the instance's values, so places
 * that depend on them alone are exact; any other dynamic index counts as every slot it could reach.
 */
#ifndef CLEW_IR_ACCESS_H
#define CLEW_IR_ACCESS_H

#include "ir/ir.h"
#include "model/model.h"

void clew_access_of_edge(const struct clew_program *program, uint32_t edge,
                         struct clew_access *access);
/* The slots that the value of a label, and whether computing it fails, depend on: added to `read`.
 */
void clew_access_of_label(const struct clew_program *program, uint32_t label, uint64_t *read);
/* A superset of what any instance of the rule may write; a bit set over slots. */
void clew_access_rule_writes(const struct clew_program *program, const struct clew_family *family,
                             const struct clew_rule *rule, uint64_t *may_write);

#endif
