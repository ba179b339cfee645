/* Small allocations that cannot fail (see alloc.h). A request for nothing still yields a pointer
 * of its own, so that NULL never has to be told apart from "empty". */
#include "base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/status.h"

static atomic_bool aborts;

void clew_fatal_aborts(void) {
  atomic_store(&aborts, true);
}

_Noreturn void clew_fatal(const char *what) {
  if (atomic_load(&aborts)) {
    abort();
  }
  fprintf(stderr, "clew: %s\n", what != NULL ? what : "out of memory");
  exit(CLEW_EXIT_INTERNAL);
}

static void *require(void *pointer) {
  if (pointer == NULL) {
    clew_fatal(NULL);
  }
  return pointer;
}

static size_t product(size_t count, size_t bytes) {
  size_t total;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    clew_fatal(NULL);
  }
  return total > 0 ? total : 1;
}

void *clew_alloc(size_t bytes) {
  return require(malloc(bytes > 0 ? bytes : 1));
}

void *clew_alloc_zero(size_t count, size_t bytes) {
  return require(calloc(1, product(count, bytes)));
}

void *clew_realloc_array(void *old, size_t count, size_t bytes) {
  return require(realloc(old, product(count, bytes)));
}

char *clew_strdup(const char *text) {
  assert(text != NULL);
  return clew_strndup(text, strlen(text));
}

char *clew_strndup(const char *text, size_t length) {
  assert(text != NULL || length == 0);
  assert(length < SIZE_MAX);
  char *copy = clew_alloc(length + 1);
  if (length > 0) {
    memcpy(copy, text, length);
  }
  copy[length] = '\0';
  return copy;
}

void clew_alloc_prefault(void *memory, size_t bytes) {
  enum { PAGE = 4096, LEAST_BYTES = 64 << 10 };
#ifdef MADV_POPULATE_WRITE
  if (bytes >= LEAST_BYTES) {
    uintptr_t first = ((uintptr_t)memory + PAGE - 1) / PAGE * PAGE;
    uintptr_t end = ((uintptr_t)memory + bytes) / PAGE * PAGE;
    int before = errno;
    (void)madvise((void *)first, end - first, MADV_POPULATE_WRITE); /* a hint */
    errno = before;
  }
#else
  (void)memory, (void)bytes;
#endif
}

void clew_free(void *pointer) {
  free(pointer);
}
