/* Interval arithmetic for the constructors of expressions, in 128 bits, so that nothing wraps while
 * the limits of 64 are being found out.
 *
 * Invariant: if the operands lie in their intervals, the result lies in the interval returned, and
 * it cannot be a fault unless `fault` is set. An interval with `fault` contains 0, which is what a
 * faulting operation yields: index checks that were dropped because of an interval stay sound after
 * a fault. */
#include <assert.h>

#include "base/bits.h"
#include "ir/ir_int.h"
#include "ir/range.h"

__extension__ typedef __int128 wide;

static wide wide_min(wide a, wide b) {
  return a < b ? a : b;
}
static wide wide_max(wide a, wide b) {
  return a > b ? a : b;
}

/* The interval from lo to hi as far as it can be represented; what can not is a fault. */
static struct clew_range range_clamp(wide lo, wide hi, bool fault) {
  const wide least = (wide)INT64_MIN + 1, greatest = INT64_MAX;
  assert(lo <= hi);
  if (lo < least || hi > greatest) {
    fault = true;
  }
  if (fault) {
    lo = wide_min(lo, 0);
    hi = wide_max(hi, 0);
  }
  return (struct clew_range){
      .lo = (int64_t)wide_max(lo, least), .hi = (int64_t)wide_min(hi, greatest), .fault = fault};
}

static struct clew_range range_bool(bool lo, bool hi) {
  assert(lo <= hi);
  return (struct clew_range){.lo = lo, .hi = hi, .fault = false};
}

/* The hull of f over the four corners: exact for what is monotone in each operand. */
static struct clew_range range_corners(wide (*f)(wide, wide), struct clew_range a,
                                       struct clew_range b, bool fault) {
  wide p = f(a.lo, b.lo), q = f(a.lo, b.hi), r = f(a.hi, b.lo), s = f(a.hi, b.hi);
  return range_clamp(wide_min(wide_min(p, q), wide_min(r, s)),
                     wide_max(wide_max(p, q), wide_max(r, s)), fault);
}

static wide wide_mul(wide a, wide b) {
  return a * b;
}
static wide wide_div(wide a, wide b) {
  return a / b;
}
static wide wide_shl(wide a, wide b) {
  return a * ((wide)1 << b);
}
static wide wide_shr(wide a, wide b) {
  return a >> b;
}

/* Quotients are monotone only while the divisor keeps its sign. */
static struct clew_range range_div(struct clew_range a, struct clew_range b) {
  bool fault = b.lo <= 0 && b.hi >= 0;
  struct clew_range result = {.lo = INT64_MAX, .hi = INT64_MIN, .fault = fault};
  if (b.lo < 0) {
    struct clew_range below = {.lo = b.lo, .hi = b.hi < 0 ? b.hi : -1};
    result = range_corners(wide_div, a, below, fault);
  }
  if (b.hi > 0) {
    struct clew_range above = {.lo = b.lo > 0 ? b.lo : 1, .hi = b.hi};
    struct clew_range part = range_corners(wide_div, a, above, fault);
    result.lo = result.lo < part.lo ? result.lo : part.lo;
    result.hi = result.hi > part.hi ? result.hi : part.hi;
    result.fault |= part.fault;
  }
  return result.lo <= result.hi ? result : range_clamp(0, 0, true);
}

/* The remainder has the sign of a and is less than |b|. */
static struct clew_range range_mod(struct clew_range a, struct clew_range b) {
  wide most = wide_max(wide_max(b.hi, -(wide)b.lo) - 1, 0);
  wide lo = a.lo < 0 ? wide_max(a.lo, -most) : 0;
  wide hi = a.hi > 0 ? wide_min(a.hi, most) : 0;
  return range_clamp(lo, hi, b.lo <= 0 && b.hi >= 0);
}

static struct clew_range range_shift(wide (*f)(wide, wide), struct clew_range a,
                                     struct clew_range b) {
  bool fault = b.lo < 0 || b.hi > 63;
  if (b.hi < 0 || b.lo > 63) {
    return range_clamp(0, 0, true);
  }
  b.lo = b.lo < 0 ? 0 : b.lo;
  b.hi = b.hi > 63 ? 63 : b.hi;
  return range_corners(f, a, b, fault);
}

/* The bits that all operands and hence all results of a bitwise operation fit in, sign aside. */
static uint64_t bits_span(struct clew_range a, struct clew_range b) {
  uint64_t all = 0;
  const int64_t ends[] = {a.lo, a.hi, b.lo, b.hi};
  for (int i = 0; i < 4; i++) {
    all |= (uint64_t)(ends[i] < 0 ? ~ends[i] : ends[i]);
  }
  return clew_bits_mask(clew_bits_for(all));
}

static struct clew_range range_bitwise(enum clew_op op, struct clew_range a, struct clew_range b) {
  int64_t span = (int64_t)bits_span(a, b);
  struct clew_range result = {.lo = ~span, .hi = span, .fault = false};
  bool a_natural = a.lo >= 0, b_natural = b.lo >= 0;
  if (op == CLEW_OP_BIT_AND) {
    if (a_natural) {
      result = (struct clew_range){.lo = 0, .hi = a.hi};
    }
    if (b_natural) {
      result.lo = 0;
      result.hi = b.hi < result.hi ? b.hi : result.hi;
    }
  } else if (a_natural && b_natural) {
    result.lo = 0;
    if (op == CLEW_OP_BIT_OR) {
      result.lo = a.lo > b.lo ? a.lo : b.lo;
    }
  }
  assert(result.lo <= result.hi);
  return result;
}

struct clew_range clew_range_unary(enum clew_op op, struct clew_range a) {
  assert(a.lo <= a.hi);
  switch (op) {
  case CLEW_OP_NEG:
    return range_clamp(-(wide)a.hi, -(wide)a.lo, false);
  case CLEW_OP_NOT:
    return range_bool(a.hi == 0, a.lo == 0);
  case CLEW_OP_BIT_NOT:
    return (struct clew_range){.lo = ~a.hi, .hi = ~a.lo};
  default:
    assert(op <= CLEW_OP_BIT_NOT);
    return a;
  }
}

static struct clew_range range_compare(enum clew_op op, struct clew_range a, struct clew_range b) {
  bool point = a.lo == a.hi && b.lo == b.hi && a.lo == b.lo;
  bool disjoint = a.hi < b.lo || b.hi < a.lo;
  switch (op) {
  case CLEW_OP_EQ:
    return range_bool(point, !disjoint);
  case CLEW_OP_NE:
    return range_bool(disjoint, !point);
  case CLEW_OP_LT:
    return range_bool(a.hi < b.lo, a.lo < b.hi);
  case CLEW_OP_LE:
    return range_bool(a.hi <= b.lo, a.lo <= b.hi);
  case CLEW_OP_GT:
    return range_bool(a.lo > b.hi, a.hi > b.lo);
  case CLEW_OP_GE:
    return range_bool(a.lo >= b.hi, a.hi >= b.lo);
  default:
    assert(op >= CLEW_OP_EQ && op <= CLEW_OP_GE);
    return range_bool(false, true);
  }
}

struct clew_range clew_range_binary(enum clew_op op, struct clew_range a, struct clew_range b) {
  assert(a.lo <= a.hi && b.lo <= b.hi);
  switch (op) {
  case CLEW_OP_ADD:
    return range_clamp((wide)a.lo + b.lo, (wide)a.hi + b.hi, false);
  case CLEW_OP_SUB:
    return range_clamp((wide)a.lo - b.hi, (wide)a.hi - b.lo, false);
  case CLEW_OP_MUL:
    return range_corners(wide_mul, a, b, false);
  case CLEW_OP_DIV:
    return range_div(a, b);
  case CLEW_OP_MOD:
    return range_mod(a, b);
  case CLEW_OP_SHL:
    return range_shift(wide_shl, a, b);
  case CLEW_OP_SHR:
    return range_shift(wide_shr, a, b);
  case CLEW_OP_BIT_AND:
  case CLEW_OP_BIT_OR:
  case CLEW_OP_BIT_XOR:
    return range_bitwise(op, a, b);
  case CLEW_OP_AND:
    return range_bool(a.lo != 0 && b.lo != 0, a.hi != 0 && b.hi != 0);
  case CLEW_OP_OR:
    return range_bool(a.lo != 0 || b.lo != 0, a.hi != 0 || b.hi != 0);
  default:
    return range_compare(op, a, b);
  }
}

uint64_t clew_range_iterations(int64_t from, int64_t to, int64_t step) {
  assert(step != 0);
  if (step > 0) {
    return to < from ? 0 : ((uint64_t)to - (uint64_t)from) / (uint64_t)step + 1;
  }
  return to > from ? 0 : ((uint64_t)from - (uint64_t)to) / (0 - (uint64_t)step) + 1;
}

struct clew_range clew_range_times(struct clew_range a, uint64_t count) {
  assert(a.lo <= a.hi);
  /* Each product has at most 127 bits; none or one iteration fewer is possible as well. */
  struct clew_range result =
      range_clamp(wide_min((wide)a.lo * count, 0), wide_max((wide)a.hi * count, 0), false);
  result.fault = false;
  return result;
}

static int64_t fold_bitwise(enum clew_op op, int64_t a, int64_t b) {
  return op == CLEW_OP_BIT_AND ? (a & b) : op == CLEW_OP_BIT_OR ? (a | b) : (a ^ b);
}

bool clew_fold_unary(enum clew_op op, int64_t a, int64_t *value) {
  struct clew_range range = clew_range_unary(op, (struct clew_range){.lo = a, .hi = a});
  assert(range.fault || range.lo == range.hi);
  *value = range.lo;
  return !range.fault && range.lo != INT64_MIN;
}

bool clew_fold_binary(enum clew_op op, int64_t a, int64_t b, int64_t *value) {
  if (op == CLEW_OP_MOD) {
    *value = b == 0 || b == -1 ? 0 : a % b;
    return b != 0;
  }
  if (op == CLEW_OP_BIT_AND || op == CLEW_OP_BIT_OR || op == CLEW_OP_BIT_XOR) {
    *value = fold_bitwise(op, a, b);
    return *value != INT64_MIN;
  }
  struct clew_range range = clew_range_binary(op, (struct clew_range){.lo = a, .hi = a},
                                              (struct clew_range){.lo = b, .hi = b});
  assert(range.fault || range.lo == range.hi);
  *value = range.lo;
  return !range.fault;
}
