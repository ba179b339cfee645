/* How much is tried. A sanitizer makes everything several times as slow, and what it looks for
 * shows in a part of many similar trials as well as in all: there tests take every SPARSE-th of
 * them. SPARSE is 7 so that trials numbered by the values of several settings still mix these. */
#ifndef CLEW_TESTS_UNIT_EFFORT_H
#define CLEW_TESTS_UNIT_EFFORT_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SPARSE = 7, IS_SANITIZED = 1 };
#else
enum { SPARSE = 1, IS_SANITIZED = 0 };
#endif

#endif
