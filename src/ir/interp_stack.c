/* Frames of the interpreter: a stack of bytes per thread, in chunks so that it grows without moving
 * what is in use (references point into frames). Chunks are kept for the next execution; in the
 * steady state nothing is allocated.
 *
 * Invariant: the chunks up to `top` are in use, those after it are empty and spare. */
#include <assert.h>
#include <pthread.h>
#include <stdalign.h>

#include "base/alloc.h"
#include "ir/interp_int.h"

enum { FIRST_CHUNK_BYTES = 16 << 10, ALIGNMENT = 16 };

struct chunk {
  struct chunk *next;
  size_t size_bytes, used_bytes;
  size_t below_bytes; /* used in the chunks below this one */
  alignas(ALIGNMENT) unsigned char data[];
};

struct clew_stack {
  struct chunk *first, *top;
  uintptr_t c_end; /* of the thread's own stack, less what has to be left */
};

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void chunks_free(struct chunk *chunk) {
  while (chunk != NULL) {
    struct chunk *next = chunk->next;
    clew_free(chunk);
    chunk = next;
  }
}

static void stack_free(void *pointer) {
  struct clew_stack *stack = pointer;
  chunks_free(stack->first);
  clew_free(stack);
}

static void key_create(void) {
  if (pthread_key_create(&key, stack_free) != 0)
    clew_fatal("no thread-local memory left");
}

/* Where calls have to end on the C stack of this thread. Expressions nest beyond the last call, and
 * what is called from there needs some too. */
static uintptr_t find_c_end(void) {
  enum { LEFT_BYTES = 512 << 10, LEAST_BYTES = 64 << 10 };
  pthread_attr_t attributes;
  void *low;
  size_t bytes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    clew_fatal("no memory left");
  int failed = pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  assert(failed == 0);
  (void)failed;
  return (uintptr_t)low + (bytes > 2 * LEFT_BYTES ? LEFT_BYTES : LEAST_BYTES);
}

static struct chunk *chunk_new(size_t size_bytes) {
  struct chunk *chunk = clew_alloc(sizeof *chunk + size_bytes);
  *chunk = (struct chunk){.size_bytes = size_bytes};
  return chunk;
}

struct clew_stack *clew_stack_of_thread(void) {
  pthread_once(&key_once, key_create);
  struct clew_stack *stack = pthread_getspecific(key);
  if (stack == NULL) {
    stack = clew_alloc_zero(1, sizeof *stack);
    stack->first = stack->top = chunk_new(FIRST_CHUNK_BYTES);
    stack->c_end = find_c_end();
    if (pthread_setspecific(key, stack) != 0)
      clew_fatal("no thread-local memory left");
  }
  assert(stack->top != NULL);
  return stack;
}

uintptr_t clew_stack_c_end(const struct clew_stack *stack) {
  return stack->c_end;
}

void clew_interp_release(void) {
  pthread_once(&key_once, key_create);
  struct clew_stack *stack = pthread_getspecific(key);
  if (stack == NULL)
    return;
  assert(stack->top == stack->first && stack->first->used_bytes == 0);
  pthread_setspecific(key, NULL);
  stack_free(stack);
}

struct clew_stack_mark clew_stack_get_mark(const struct clew_stack *stack) {
  return (struct clew_stack_mark){stack->top, stack->top->used_bytes};
}

/* Makes the chunk after the top one, of at least this size, the top. */
static void stack_climb(struct clew_stack *stack, size_t bytes) {
  struct chunk *top = stack->top;
  if (top->next != NULL && top->next->size_bytes < bytes) {
    chunks_free(top->next);
    top->next = NULL;
  }
  if (top->next == NULL) {
    size_t size = 2 * top->size_bytes;
    top->next = chunk_new(size < bytes ? bytes : size);
  }
  struct chunk *next = top->next;
  next->used_bytes = 0;
  next->below_bytes = top->below_bytes + top->used_bytes;
  stack->top = next;
}

void *clew_stack_push(struct clew_stack *stack, size_t bytes) {
  bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  struct chunk *top = stack->top;
  assert(top->used_bytes <= top->size_bytes);
  if (top->below_bytes + top->used_bytes + bytes > CLEW_INTERP_FRAME_BYTES)
    return NULL;
  if (bytes > top->size_bytes - top->used_bytes) {
    stack_climb(stack, bytes);
    top = stack->top;
  }
  void *data = top->data + top->used_bytes;
  top->used_bytes += bytes;
  return data;
}

void clew_stack_pop(struct clew_stack *stack, struct clew_stack_mark mark) {
  stack->top = mark.chunk;
  assert(mark.used_bytes <= stack->top->used_bytes);
  stack->top->used_bytes = mark.used_bytes;
}
