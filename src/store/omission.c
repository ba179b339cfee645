/* Expected omissions of lossy stores. Sums over up to 2^40 insertions are replaced by integrals
 * with the first terms of the Euler-Maclaurin formula; where the integrals would cancel (far fewer
 * signatures stored than there are, the usual case) by their power series in stored / signatures.
 */
#include "store/omission.h"

#include <assert.h>
#include <math.h>

static const double NEARLY_SURE = 1 - 1e-9; /* keeps q / (1 - q) finite */
static const double SERIES_BELOW = 0.01;
static const uint64_t ONE_BY_ONE_BELOW = 256;
enum { SERIES_TERMS = 12 };

void clew_omission_add(struct clew_omission *omission, double chance, double states) {
  assert(chance >= 0 && states >= 0);
  double q = chance < NEARLY_SURE ? chance : NEARLY_SURE;
  omission->expected += states * (q / (1 - q));
  omission->variance += states * (q / ((1 - q) * (1 - q)));
  omission->log_none += states * log1p(-q);
}

/* The three sums divided by `signatures`, as integrals from 0 to u = stored / signatures of
 * x / (1 - x), x / (1 - x)^2 and log(1 - x). */
static struct clew_omission integrals(double u) {
  assert(u >= 0 && u < 1);
  struct clew_omission sum = {0, 0, 0};
  if (u < SERIES_BELOW) {
    double power = u;
    for (int k = 2; k < SERIES_TERMS; k++) {
      power *= u;
      sum.expected += power / k;
      sum.variance += power * (k - 1) / k;
      sum.log_none -= power / (k * (k - 1));
    }
    return sum;
  }
  double log_rest = log1p(-u);
  sum.expected = -log_rest - u;
  sum.variance = u / (1 - u) + log_rest;
  sum.log_none = -(1 - u) * log_rest - u;
  return sum;
}

struct clew_omission clew_omission_of_signatures(uint64_t stored, double signatures) {
  assert(signatures >= 1 && (double)stored <= signatures);
  struct clew_omission sum = {0, 0, 0};
  double n = (double)stored, u = n / signatures;
  if (stored < ONE_BY_ONE_BELOW || u > NEARLY_SURE) {
    for (uint64_t i = 0; i < stored; i++) {
      clew_omission_add(&sum, (double)i / signatures, 1);
    }
    return sum;
  }
  sum = integrals(u);
  /* The sum runs from 0 to n - 1: half of the last term less, and a twelfth of the slope more. */
  double rest = 1 - u, slope = 1 / (12 * signatures);
  sum.expected = sum.expected * signatures - u / rest / 2 + slope * (1 / (rest * rest) - 1);
  sum.variance = sum.variance * signatures - u / (rest * rest) / 2 +
                 slope * ((1 + u) / (rest * rest * rest) - 1);
  sum.log_none = sum.log_none * signatures - log1p(-u) / 2 + slope * (1 - 1 / rest);
  return sum;
}

/* A way among `stored` taken slots to one of `empty` empty ones passes stored / (empty + 1) on
 * average, which gives the odds where matches are rare; where they are frequent only ways much
 * shorter than that count, and stored / empty does. This goes from one to the other and is within
 * two percent of the exact odds in tables of more than a few slots. */
static double probing_shift(double stored, double empty, double match) {
  return (empty + 1) / (empty + 1 + match * stored);
}

static double probing_odds(double stored, double empty, double match) {
  assert(stored >= 0 && empty >= 0);
  return match * stored / (empty + probing_shift(stored, empty, match));
}

double clew_omission_chance_of_probing(uint64_t stored, uint64_t slots, double match) {
  assert(stored <= slots && match >= 0 && match <= 1);
  double odds = probing_odds((double)stored, (double)(slots - stored), match);
  return odds / (1 + odds);
}

/* The sums of odds and of their squares while the empty slots fall from all to `least`, as
 * integrals from half a step beyond. */
static void add_probing_integrals(struct clew_omission *sum, double slots, double least,
                                  double match) {
  assert(least >= 1 && least <= slots);
  double shift = probing_shift(slots - least, least, match); /* of little weight here */
  double all = slots + shift, low = least - 0.5 + shift, high = slots + 0.5 + shift;
  double length = high - low, logarithm = log1p(length / low);
  sum->expected += match * (all * logarithm - length);
  sum->variance +=
      match * match * (all * all * length / (low * high) - 2 * all * logarithm + length);
}

struct clew_omission clew_omission_of_probing(uint64_t stored, uint64_t slots, double match,
                                              uint64_t passed) {
  assert(stored <= slots && match >= 0 && match < 1);
  struct clew_omission sum = {0, 0, (double)passed * log1p(-match)};
  uint64_t empty = slots - stored + 1; /* before the last insertion */
  for (; empty <= slots && (empty < ONE_BY_ONE_BELOW || stored < ONE_BY_ONE_BELOW); empty++) {
    double odds = probing_odds((double)(slots - empty), (double)empty, match);
    sum.expected += odds;
    sum.variance += odds * odds;
  }
  if (empty <= slots) {
    add_probing_integrals(&sum, (double)slots, (double)empty, match);
  }
  sum.variance += sum.expected; /* of a geometric distribution: odds + odds^2 */
  return sum;
}

double clew_omission_any(const struct clew_omission *omission) {
  assert(!(omission->log_none > 1e-9)); /* rounding aside */
  return omission->log_none < 0 ? -expm1(omission->log_none) : 0;
}

double clew_omission_deviation(const struct clew_omission *omission) {
  assert(!(omission->variance < -1e-9));
  return sqrt(omission->variance);
}

void clew_omission_interval(const struct clew_omission *omission, double deviations, double *low,
                            double *high) {
  assert(deviations >= 0);
  double reach = deviations * clew_omission_deviation(omission);
  double least = floor(omission->expected - reach);
  *low = least > 0 ? least : 0;
  *high = ceil(omission->expected + reach);
}
