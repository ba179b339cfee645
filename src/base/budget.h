/* The memory contract (`--memory`). Everything that grows with the state space takes its bytes
 * here before it touches them and gives them back when done; a refusal is an ordinary answer that
 * leads to spilling or to an INCOMPLETE verdict. Thread-safe. */
#ifndef CLEW_BASE_BUDGET_H
#define CLEW_BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct clew_budget {
  uint64_t limit_bytes;
  _Atomic uint64_t used_bytes;
  _Atomic uint64_t peak_bytes;
  /* For tests: requests so far, the first one that is refused (0: none), and how many are (0: all
   * until memory is given back). */
  _Atomic uint64_t requests, refused_from, refused_count;
};

void clew_budget_init(struct clew_budget *budget, uint64_t limit_bytes);
bool clew_budget_take(struct clew_budget *budget, uint64_t bytes); /* all or nothing */
/* For tests: refuses requests as `text` says. "K": from the K-th one on until memory is given back;
 * "K:N": the K-th one and those that follow, N in all; "K+": all from the K-th one on. */
void clew_budget_refuse(struct clew_budget *budget, const char *text);
void clew_budget_give(struct clew_budget *budget, uint64_t bytes);
uint64_t clew_budget_used(const struct clew_budget *budget);
uint64_t clew_budget_left(const struct clew_budget *budget);
/* Three quarters of the machine's memory, or of the cgroup's limit or RLIMIT_DATA if that is less;
 * a quarter of the addresses that RLIMIT_AS leaves, if that is less; at least 1 MB. */
uint64_t clew_budget_default_bytes(void);

#endif
