/* Performing operations: beginning, giving up, and trying again.
 *
 * An operation that gives up unwinds: every function returns at once, and nothing of what they
 * return is used or remembered. Then whatever was missing is seen to, and the operation begins
 * again: with a larger index, with the help of others, or after a collection. All results that were
 * complete are in the cache, so little is done twice. */
#include "dd/tasks_int.h"

enum { PAUSE_STEPS = 256 }; /* between two looks at the stop flag */

enum clew_dd_status clew_dd_status(const struct clew_dd *dd) {
  assert(dd->status <= CLEW_DD_STOPPED);
  return (enum clew_dd_status)dd->status;
}

void clew_dd_begin(struct clew_dd *dd) {
  assert(dd->items.len == 0 && !dd->is_shared && dd->worker == 0);
  dd->status = CLEW_DD_OK;
  dd->pause_at = 0; /* the first look is at once */
  dd->long_at = UINT64_MAX;
}

void clew_dd_halt(struct clew_dd *dd, uint32_t why) {
  assert(why != CLEW_DD_OK);
  dd->status = why;
  dd->pause_at = 0;
  if (dd->is_shared) {
    uint32_t none = CLEW_DD_OK;
    (void)atomic_compare_exchange_strong_explicit(&dd->table->halt, &none, why,
                                                  memory_order_acq_rel, memory_order_relaxed);
  }
}

bool clew_dd_pause(struct clew_dd *dd) {
  if (dd->status != CLEW_DD_OK) {
    return true;
  }
  uint32_t halt = dd->is_shared ? atomic_load_explicit(&dd->table->halt, memory_order_acquire)
                                : (uint32_t)CLEW_DD_OK;
  if (halt == CLEW_DD_OK && atomic_load_explicit(dd->table->stop, memory_order_relaxed)) {
    halt = CLEW_DD_STOPPED;
  }
  if (halt == CLEW_DD_OK && dd->steps >= dd->long_at) {
    halt = HALT_LONG;
  }
  if (halt != CLEW_DD_OK) {
    clew_dd_halt(dd, halt);
    return true;
  }
  dd->pause_at = dd->steps + PAUSE_STEPS;
  if (dd->pause_at > dd->long_at) {
    dd->pause_at = dd->long_at;
  }
  return false;
}

static clew_ldd attempt(struct clew_dd *dd, const struct call *call, bool is_shared) {
  if (is_shared) {
    return clew_dd_run_shared(dd, call);
  }
  clew_dd_begin(dd);
  if (dd->table->crew != NULL) {
    dd->long_at = dd->steps + dd->table->patience;
  }
  clew_ldd result = call->run(dd, call);
  clew_vec_clear(&dd->items);
  return result;
}

static void collect_around(struct clew_dd *dd, struct call *call) {
  clew_dd_keep(dd, &call->a);
  clew_dd_keep(dd, &call->b);
  clew_dd_keep(dd, &call->c);
  clew_dd_collect(dd);
  clew_dd_drop(dd, 3);
}

clew_ldd clew_dd_perform(struct clew_dd *dd, struct call *call) {
  assert(call->a != CLEW_DD_NONE && call->b != CLEW_DD_NONE && call->c != CLEW_DD_NONE);
  clew_dd_begin(dd);
  dd->table->operations++;
  if (__builtin_expect(clew_dd_collection_is_due(dd), 0)) {
    collect_around(dd, call);
  }
  bool is_shared = false, has_collected = false;
  for (;;) {
    clew_ldd result = attempt(dd, call, is_shared);
    if (__builtin_expect(dd->status == CLEW_DD_OK, 1)) {
      return result;
    }
    if (dd->status == HALT_LONG) {
      is_shared = true;
    } else if (dd->status != HALT_CROWDED || !clew_dd_grow(dd)) {
      if (dd->status == CLEW_DD_STOPPED || has_collected) {
        break;
      }
      collect_around(dd, call);
      has_collected = true;
    }
  }
  dd->status = dd->status == CLEW_DD_STOPPED ? CLEW_DD_STOPPED : CLEW_DD_FULL;
  return CLEW_DD_NONE;
}
