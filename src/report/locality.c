/* Transition locality. See locality.h for what is measured.
 *
 * Invariant: bins with open > 0 are exactly those in `touched`, each once; all counts and sums are
 * of closed states.
 *
 * The sums add numbers between 0 and 1, all of one sign, so their relative error is tiny. The
 * variance is a difference of them, and its root magnifies what rounding left: hence the long
 * doubles, and the clamp, since the difference may even fall below zero. */
#include "report/locality.h"

#include <math.h>

void clew_locality_free(struct clew_locality *locality) {
  clew_vec_free(&locality->bins);
  clew_vec_free(&locality->touched);
  *locality = (struct clew_locality){0};
}

static void make_bins(struct clew_locality *locality, uint32_t count) {
  assert(count <= CLEW_LOCALITY_FAR + 1);
  clew_vec_reserve(&locality->bins, count);
  while (locality->bins.len < count) {
    locality->bins.data[locality->bins.len++] = (struct clew_locality_bin){0};
  }
}

uint32_t clew_locality_find(struct clew_locality *locality, uint32_t index) {
  if (index >= CLEW_LOCALITY_FAR) {
    uint32_t length = index - 1;
    struct clew_locality_far *far = &locality->open_far;
    far->max = far->max > length ? far->max : length;
    far->total += length;
    index = CLEW_LOCALITY_FAR;
  }
  make_bins(locality, index + 1);
  return index;
}

static void add_far(struct clew_locality_far *far, const struct clew_locality_far *other) {
  far->max = far->max > other->max ? far->max : other->max;
  far->total += other->total;
}

void clew_locality_state(struct clew_locality *locality) {
  uint64_t degree = 0;
  for (uint32_t i = 0; i < locality->touched.len; i++) {
    degree += locality->bins.data[locality->touched.data[i]].open;
  }
  for (uint32_t i = 0; i < locality->touched.len; i++) {
    struct clew_locality_bin *bin = &locality->bins.data[locality->touched.data[i]];
    assert(bin->open > 0);
    long double delta = (long double)bin->open / (long double)degree;
    bin->transitions += bin->open;
    bin->sum += delta;
    bin->squares += delta * delta;
    bin->open = 0;
  }
  clew_vec_clear(&locality->touched);
  if (locality->open_far.max > 0) {
    add_far(&locality->far, &locality->open_far);
    locality->open_far = (struct clew_locality_far){0};
  }
  locality->loops += locality->open_loops;
  locality->open_loops = 0;
  locality->states++;
}

void clew_locality_add(struct clew_locality *locality, const struct clew_locality *other) {
  assert(locality != other);
  make_bins(locality, other->bins.len);
  for (uint32_t i = 0; i < other->bins.len; i++) {
    locality->bins.data[i].transitions += other->bins.data[i].transitions;
    locality->bins.data[i].sum += other->bins.data[i].sum;
    locality->bins.data[i].squares += other->bins.data[i].squares;
  }
  locality->states += other->states;
  locality->loops += other->loops;
  add_far(&locality->far, &other->far);
}

uint32_t clew_locality_len(const struct clew_locality *locality) {
  uint32_t len = locality->bins.len;
  while (len > 0 && locality->bins.data[len - 1].transitions == 0) {
    len--; /* of a state that was never closed */
  }
  return len;
}

struct clew_locality_figure clew_locality_at(const struct clew_locality *locality, uint32_t index) {
  struct clew_locality_figure figure = {.k = 1 - (int64_t)index};
  if (index < locality->bins.len && locality->states > 0) {
    const struct clew_locality_bin *bin = &locality->bins.data[index];
    long double states = (long double)locality->states, mean = bin->sum / states;
    figure.transitions = bin->transitions;
    figure.mean = (double)mean;
    figure.sigma = (double)sqrtl(fmaxl(0, bin->squares / states - mean * mean));
  }
  return figure;
}

static void summarise_backward(const struct clew_locality *locality,
                               struct clew_locality_summary *summary) {
  uint32_t len = clew_locality_len(locality);
  double total = locality->far.total;
  for (uint32_t i = 2; i < len; i++) {
    uint64_t transitions = locality->bins.data[i].transitions;
    summary->backward += transitions;
    total += i < CLEW_LOCALITY_FAR ? (double)(i - 1) * (double)transitions : 0;
  }
  if (summary->backward > 0) {
    summary->back_edge_mean = total / (double)summary->backward;
    summary->back_edge_max = locality->far.max > 0 ? locality->far.max : len - 2;
  }
}

struct clew_locality_summary clew_locality_summarise(const struct clew_locality *locality) {
  struct clew_locality_summary summary = {.back_edge_mean = NAN};
  for (uint32_t i = 0; i < 3; i++) {
    summary.sum_avg += clew_locality_at(locality, i).mean;
  }
  summary.forward = clew_locality_at(locality, 0).transitions;
  summary.level = clew_locality_at(locality, 1).transitions;
  summarise_backward(locality, &summary);
  return summary;
}
