/* How many states a lossy store leaves out: the arithmetic that hash compaction and Bloom filters
 * share (Stern and Dill 1996; Dillinger and Manolios 2004).
 *
 * A store that answers SEEN for a state it never saw with chance q has, between two insertions,
 * left out r states with probability (1 - q) q^r: q / (1 - q) on average. Summed over the
 * insertions that did happen, each with the chance of its moment, that is the expected number of
 * *direct* omissions, with a variance that is close to the mean while q is small (as of a Poisson
 * distribution). Nothing was left out at all with probability the product of (1 - q).
 *
 * The prediction is the number of distinct states that the search reached and the store wrongly
 * called seen. If every state is offered (no state is reachable only through omitted ones), the
 * number of states visited is the true number less the omissions, within a few deviations.
 * Otherwise states that are reachable only through omitted ones come on top; they are never
 * offered, and no store can count them. Precision on demand finds some of the omissions, which are
 * then adopted; the prediction is what the store would have done without. */
#ifndef CLEW_STORE_OMISSION_H
#define CLEW_STORE_OMISSION_H

#include <stdint.h>

struct clew_omission {
  double expected; /* direct omissions so far */
  double variance;
  double log_none; /* natural logarithm of the probability that there was none; <= 0 */
};

/* `states` insertions happened while the chance to leave a state out was `chance`, in [0, 1]. */
void clew_omission_add(struct clew_omission *omission, double chance, double states);
/* The sum over an insertion sequence that led to `stored` different signatures out of
 * `signatures`: when n are stored the chance is n / signatures. */
struct clew_omission clew_omission_of_signatures(uint64_t stored, double signatures);
/* The same for open addressing with signatures that say nothing of their place: a state is left out
 * if one of the occupied slots on its way to an empty one matches, each of which does with chance
 * `match`. With n of `slots` stored the odds of that are about match * n / (slots - n), if the way
 * is random; `passed` is how many occupied slots the ways of the `stored` insertions went past, and
 * nothing was left out if none of those matched (Stern and Dill 1995). */
struct clew_omission clew_omission_of_probing(uint64_t stored, uint64_t slots, double match,
                                              uint64_t passed);
/* For a further state. */
double clew_omission_chance_of_probing(uint64_t stored, uint64_t slots, double match);

double clew_omission_any(const struct clew_omission *omission); /* probability, in [0, 1] */
double clew_omission_deviation(const struct clew_omission *omission);
/* The interval that the number of direct omissions lies in: `deviations` standard deviations around
 * the mean, rounded outwards. */
void clew_omission_interval(const struct clew_omission *omission, double deviations, double *low,
                            double *high);

#endif
