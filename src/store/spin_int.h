/* Locks of one byte for a few instructions at a time: many of them cost little memory. Who waits
 * lets others have the processor, so it also works where there are more threads than processors. */
#ifndef CLEW_STORE_SPIN_INT_H
#define CLEW_STORE_SPIN_INT_H

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { SPIN_LINE_BYTES = 64 }; /* what threads write is kept so far from what others read */

typedef _Atomic unsigned char spin_byte; /* 0: free */

/* For the `spins`-th time of waiting for another thread, from 1 on. */
static inline void spin_pause(unsigned spins) {
  if (spins % 64 == 0) {
    sched_yield(); /* the other may be waiting for this very processor */
  }
#ifdef __SSE2__
  _mm_pause();
#endif
}

static inline bool spin_try_lock(spin_byte *lock) {
  return atomic_load_explicit(lock, memory_order_relaxed) == 0 &&
         atomic_exchange_explicit(lock, 1, memory_order_acquire) == 0;
}

static inline void spin_lock(spin_byte *lock) {
  for (unsigned spins = 1; !spin_try_lock(lock); spins++) {
    spin_pause(spins);
  }
}

static inline void spin_unlock(spin_byte *lock) {
  assert(atomic_load_explicit(lock, memory_order_relaxed) == 1);
  atomic_store_explicit(lock, 0, memory_order_release);
}

#endif
