/* Arenas: a list of zeroed chunks, each filled from its start and never refilled, which is why
 * clew_arena_alloc need not clear anything. Chunks double in size up to a limit, so a small model
 * costs little and a large one few calls; what does not fit well gets a chunk of its own.
 *
 * Invariant: the first chunk of the list is the one being filled; `used` is a multiple of ALIGN in
 * every chunk. */
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum { ALIGN = 16, FIRST_CHUNK_BYTES = 8 << 10, LAST_CHUNK_BYTES = 1 << 20 };

struct chunk {
  struct chunk *next;
  size_t size, used;
  _Alignas(ALIGN) unsigned char data[];
};

struct clew_arena {
  struct chunk *chunks;
  size_t next_bytes; /* size of the next ordinary chunk */
  size_t handed_out_bytes;
};

struct clew_arena *clew_arena_open(void) {
  struct clew_arena *arena = clew_alloc_zero(1, sizeof *arena);
  arena->next_bytes = FIRST_CHUNK_BYTES;
  return arena;
}

void clew_arena_close(struct clew_arena *arena) {
  if (arena == NULL) {
    return;
  }
  for (struct chunk *chunk = arena->chunks, *next; chunk != NULL; chunk = next) {
    assert(chunk->used <= chunk->size);
    next = chunk->next;
    clew_free(chunk);
  }
  clew_free(arena);
}

static struct chunk *chunk_new(size_t size) {
  assert(size % ALIGN == 0);
  if (size > SIZE_MAX - sizeof(struct chunk)) {
    clew_fatal(NULL);
  }
  struct chunk *chunk = clew_alloc_zero(1, sizeof *chunk + size);
  clew_alloc_prefault(chunk, sizeof *chunk + size);
  chunk->size = size;
  return chunk;
}

/* A chunk with room for `bytes`. A large one goes behind the first, which stays in use. */
static struct chunk *chunk_for(struct clew_arena *arena, size_t bytes) {
  struct chunk *first = arena->chunks;
  if (first != NULL && first->size - first->used >= bytes) {
    return first;
  }
  if (first != NULL && bytes > arena->next_bytes / 4) {
    struct chunk *own = chunk_new(bytes);
    own->next = first->next;
    first->next = own;
    return own;
  }
  struct chunk *fresh = chunk_new(bytes > arena->next_bytes ? bytes : arena->next_bytes);
  fresh->next = first;
  arena->chunks = fresh;
  if (arena->next_bytes < LAST_CHUNK_BYTES) {
    arena->next_bytes *= 2;
  }
  return fresh;
}

void *clew_arena_alloc(struct clew_arena *arena, size_t bytes) {
  assert(arena != NULL);
  if (bytes > SIZE_MAX - ALIGN) {
    clew_fatal(NULL);
  }
  size_t rounded = bytes == 0 ? ALIGN : (bytes + ALIGN - 1) / ALIGN * ALIGN;
  struct chunk *chunk = chunk_for(arena, rounded);
  void *result = chunk->data + chunk->used;
  chunk->used += rounded;
  arena->handed_out_bytes += rounded;
  assert(chunk->used <= chunk->size && (uintptr_t)result % ALIGN == 0);
  return result;
}

char *clew_arena_strndup(struct clew_arena *arena, const char *text, size_t length) {
  assert(text != NULL || length == 0);
  assert(length < SIZE_MAX);
  char *copy = clew_arena_alloc(arena, length + 1);
  if (length > 0) {
    memcpy(copy, text, length);
  }
  return copy;
}

char *clew_arena_printf(struct clew_arena *arena, const char *format, ...) {
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  assert(length >= 0);
  char *text = clew_arena_alloc(arena, (size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text;
}

void *clew_arena_copy(struct clew_arena *arena, const void *items, size_t count, size_t bytes) {
  if (count == 0) {
    return NULL;
  }
  assert(items != NULL);
  size_t total;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    clew_fatal(NULL);
  }
  return memcpy(clew_arena_alloc(arena, total), items, total);
}

size_t clew_arena_bytes(const struct clew_arena *arena) {
  assert(arena != NULL);
  return arena->handed_out_bytes;
}
