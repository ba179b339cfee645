/* Integers of UPPAAL have 32 bits: a result that needs more is a run-time error, wherever the
 * expression stands, and so is a shift by fewer than 0 or more than 31 bits. Values at the edges of
 * the range are right. The answers follow by hand. */
#include "unit/uppaal_ask.h"

/* One step, from s to t, with declarations, invariant of s, guard and update. */
#define STEP(declarations, invariant, guard, update)                                               \
  declarations " process P() { state s {" invariant "}, t; init s; trans s -> t { guard " guard    \
               "; assign " update "; }; } system P;"
#define GREATEST "int32_t g = 2147483647; int32_t one = 1, two = 2; int32_t v; "
#define LEAST "int32_t g = -2147483648; int32_t one = 1, two = 2; int32_t v; "

static const struct sample samples[] = {
    /* Each operator, in guards. */
    {STEP(GREATEST, "true", "g + one > 0", "v = 1"), NULL, FAULT, true},
    {STEP(GREATEST, "true", "g + one < 0", "v = 1"), NULL, FAULT, true}, /* no wrap either */
    {STEP(LEAST, "true", "g - one < 0", "v = 1"), NULL, FAULT, true},
    {STEP(GREATEST, "true", "g * two != 0", "v = 1"), NULL, FAULT, true},
    {STEP("int32_t h = 65536; int v;", "true", "h * h == 0", "v = 1"), NULL, FAULT, true},
    {STEP(LEAST, "true", "-g != 0", "v = 1"), NULL, FAULT, true},
    {STEP(LEAST, "true", "abs(g) != 0", "v = 1"), NULL, FAULT, true},
    {STEP(LEAST, "true", "g / -one != 0", "v = 1"), NULL, FAULT, true},
    {STEP(GREATEST, "true", "g << one != 0", "v = 1"), NULL, FAULT, true},
    {STEP("int h = 32; int v;", "true", "0 << h == 0", "v = 1"), NULL, FAULT, true},
    {STEP("int h = 32; int v;", "true", "5 >> h == 0", "v = 1"), NULL, FAULT, true},
    {STEP("int32_t h = 2048; int v;", "true", "h ** 3 > 0", "v = 1"), NULL, FAULT, true},
    {STEP("int32_t a[3] = {2147483647, 1, 0}; int v;", "true", "(sum (i : int[0,2]) a[i]) != 0",
          "v = 1"),
     NULL, FAULT, true},
    /* Other places. */
    {STEP(GREATEST, "true", "true", "v = g + one"), NULL, FAULT, true},
    {STEP(GREATEST, "true", "true", "g++"), NULL, FAULT, true},
    {STEP(LEAST, "true", "true", "g--"), NULL, FAULT, true},
    {STEP(GREATEST, "true", "true", "g += two"), NULL, FAULT, true},
    {STEP(LEAST, "true", "true", "g -= two"), NULL, FAULT, true},
    {STEP(GREATEST, "true", "true", "g *= two"), NULL, FAULT, true},
    {STEP(GREATEST, "true", "true", "g <<= two"), NULL, FAULT, true},
    {STEP(GREATEST "int32_t f(int32_t a) { return a * a; }", "true", "true", "v = f(g)"), NULL,
     FAULT, true},
    {STEP(GREATEST, "g + one >= 0", "true", "v = 1"), NULL, FAULT, true},
    {STEP("int32_t g = 2147483647; int a[2]; int v;", "true", "a[g + 1] == 0", "v = 1"), NULL,
     FAULT, true},
    {STEP(GREATEST "chan c[2];", "true", "true", "v = 1"), "A[] g + v > 0", FAULT, true},
    {STEP("int32_t a[3] = {2147483647, 1, 0}; int v;", "true", "true", "v = 1"),
     "A[] (sum (i : int[0,2]) a[i]) != 0", FAULT, true},
    /* Bounds and settings of clocks. Zones refuse bounds that could be too large for them; those
     * that are only as large by an error are seen to be small. */
    {STEP("clock x; int h = 2000, k = 2000, v;", "true", "x >= h * k * h", "v = 1"), NULL, FAULT,
     false},
    {STEP("clock x; int h = 2000, k = 2000, v;", "x <= h * k * h", "true", "v = 1"), NULL, FAULT,
     false},
    {STEP("clock x; int h = 2000, k = 2000, v;", "true", "true", "x = h * k * h"), NULL, FAULT,
     false},
    /* Not evaluated: no error. */
    {STEP(GREATEST, "true", "g < 0 && g + one < 0", "v = 1"), "E<> P.t", FALSE, true},
    {STEP(GREATEST, "true", "true", "v = g < 0 ? g + one : 4"), "A[] P.t imply v == 4", TRUE, true},
    /* At the edges. */
    {STEP(GREATEST, "true", "g - one + one == 2147483647", "v = -g - one"),
     "A[] P.t imply v == -2147483648", TRUE, true},
    {STEP(LEAST, "true", "g + one == -2147483647 && -(g + one) == 2147483647", "v = g / one"),
     "A[] P.t imply v == -2147483648", TRUE, true},
    {STEP(LEAST, "true", "g % -one == 0 && (g >> 31) == -1", "v = 1 << 30"),
     "A[] P.t imply v == 1073741824", TRUE, true},
    {STEP("int32_t h = 46340; int32_t v;", "true", "true", "v = h * h"),
     "A[] P.t imply v == 2147395600", TRUE, true},
    {STEP("int32_t a[3] = {2147483647, 1, -1}; int v;", "true", /* a sum is as a whole */
          "(sum (i : int[0,2]) a[i]) == 2147483647", "v = 1"),
     "E<> P.t", TRUE, true},
    {STEP("const int N = 2147483647; const int M = -N - 1; int v;", "true",
          "N / 2 + M / 2 == -1 && N % 10 == 7 && M % 10 == -8", "v = 1"),
     "E<> P.t", TRUE, true},
};

static void test_samples(void **state) {
  (void)state;
  ask_samples(samples, sizeof samples / sizeof samples[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
