/* A region that is freed as a whole. Front ends build their syntax trees and the IR in one, so
 * nothing in them has an owner of its own. Pointers stay valid until clew_arena_close. */
#ifndef CLEW_BASE_ARENA_H
#define CLEW_BASE_ARENA_H

#include <stddef.h>

struct clew_arena;

struct clew_arena *clew_arena_open(void);
void clew_arena_close(struct clew_arena *arena); /* NULL is fine */

void *clew_arena_alloc(struct clew_arena *arena, size_t bytes); /* zeroed, 16-byte aligned */
char *clew_arena_strndup(struct clew_arena *arena, const char *text, size_t length);
char *clew_arena_printf(struct clew_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A copy of count * bytes at `items` (NULL when count is 0). */
void *clew_arena_copy(struct clew_arena *arena, const void *items, size_t count, size_t bytes);
size_t clew_arena_bytes(const struct clew_arena *arena); /* handed out so far */

#define CLEW_NEW(arena, type) ((type *)clew_arena_alloc((arena), sizeof(type)))
#define CLEW_NEW_ARRAY(arena, type, count)                                                         \
  ((type *)clew_arena_alloc((arena), sizeof(type) * (size_t)(count)))

#endif
