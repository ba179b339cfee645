/* Stacks that take their memory from the budget. */
#include <assert.h>

#include "search/search_int.h"

/* Reserving addresses costs nothing, so all the budget could ever give; less if the system has a
 * limit of its own. */
bool clew_bigstack_open(struct clew_bigstack *stack, struct clew_budget *budget) {
  assert(budget != NULL);
  const size_t least_bytes = (size_t)1 << 20, most_bytes = (size_t)1 << 42;
  *stack = (struct clew_bigstack){0};
  uint64_t bytes = budget->limit_bytes < most_bytes ? budget->limit_bytes : most_bytes;
  return clew_bigmem_open_most(&stack->mem, bytes, least_bytes, budget);
}

void clew_bigstack_close(struct clew_bigstack *stack) {
  clew_bigmem_close(&stack->mem);
  stack->used_bytes = 0;
}
