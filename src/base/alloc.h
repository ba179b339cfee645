/* Small allocations. They never return NULL: when the system has no memory left for something
 * small there is nothing sensible to do, so the program says so and exits (code 70). Tables that
 * grow with the state space do not come from here but from base/bigmem.h, where "full" is an
 * ordinary answer. */
#ifndef CLEW_BASE_ALLOC_H
#define CLEW_BASE_ALLOC_H

#include <stddef.h>

void *clew_alloc(size_t bytes);                                  /* uninitialised */
void *clew_alloc_zero(size_t count, size_t bytes);               /* zeroed; checks the product */
void *clew_realloc_array(void *old, size_t count, size_t bytes); /* checks the product */
char *clew_strdup(const char *text);
char *clew_strndup(const char *text, size_t length);
void clew_free(void *pointer); /* NULL is fine */

/* Says that this memory, from malloc, will soon be written from its start to its end: its pages
 * come in one call instead of one fault each, which is several times cheaper. Does nothing for
 * memory that is small or where the system cannot. */
void clew_alloc_prefault(void *memory, size_t bytes);

/* Prints "clew: out of memory" (or `what`) to standard error and exits with code 70. */
_Noreturn void clew_fatal(const char *what);
/* From now on that is abort(), without a word: the process belongs to somebody else. */
void clew_fatal_aborts(void);

#endif
