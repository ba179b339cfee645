/* Operations on diagrams per second, and bytes per node.
 *
 *   make build/dd && build/dd [ROWS [THREADS]]
 *
 * Three kinds of work on random sets of vectors of 20 levels: unions of many small sets into a
 * large one (which makes nodes), unions and differences of large sets (which mostly meet new pairs
 * of nodes), and products with relations that touch four levels. An operation is a pair of nodes
 * that is looked at, or a result that is remembered: other packages, which also recurse along
 * lists, count it as one call. The sets have hardly any structure, so few results are remembered;
 * with more rows memory is what is measured. Operations are counted per second of all processors;
 * the seconds on the clock tell whether several threads are worth while. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/random.h"
#include "dd/ldd.h"

enum { LEVELS = 20, VALUES = 8, SETS = 8, BATCH = 4096 };

static struct clew_dd *dd;
static struct clew_random rng;

struct moment {
  double cpu_s, clock_s;
  uint64_t operations;
};

static uint64_t operations(void) {
  struct clew_dd_figures f;
  clew_dd_figures(dd, &f);
  return f.steps + f.cache_hits;
}

static struct moment now(void) {
  return (struct moment){clew_clock_cpu_s(), clew_clock_wall_s(), operations()};
}

static void report(const char *what, const struct moment *began) {
  struct clew_dd_figures f;
  struct moment end = now();
  clew_dd_figures(dd, &f);
  double done = (double)(end.operations - began->operations) / 1e6;
  double cpu_s = end.cpu_s - began->cpu_s;
  printf("%-16s %6.2f CPU s %6.2f s  %7.1f M operations  %6.1f M/CPU s  %9" PRIu64 " nodes\n", what,
         cpu_s, end.clock_s - began->clock_s, done, done / cpu_s, f.nodes);
}

static clew_ldd checked(clew_ldd set) {
  if (set == CLEW_DD_NONE) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  return set;
}

/* Rows with some structure: each is near one of a few, as states of a model are. */
static void fill(uint32_t *rows, uint32_t count) {
  uint32_t base[LEVELS];
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t l = 0; l < LEVELS && i % 64 == 0; l++) {
      base[l] = (uint32_t)clew_random_below(&rng, VALUES);
    }
    for (uint32_t l = 0; l < LEVELS; l++) {
      rows[i * LEVELS + l] =
          clew_random_below(&rng, 3) == 0 ? (uint32_t)clew_random_below(&rng, VALUES) : base[l];
    }
  }
}

static void make_sets(clew_ldd *sets, uint64_t rows) {
  uint32_t *batch = clew_alloc(sizeof *batch * BATCH * LEVELS);
  for (uint32_t s = 0; s < SETS; s++) {
    for (uint64_t done = 0; done < rows; done += BATCH) {
      fill(batch, BATCH);
      clew_ldd more = checked(clew_ldd_from_rows(dd, batch, BATCH, LEVELS));
      sets[s] = checked(clew_ldd_union(dd, sets[s], more));
    }
  }
  clew_free(batch);
}

static void combine(clew_ldd *sets) {
  for (uint32_t i = 0; i < SETS; i++) {
    for (uint32_t j = i + 1; j < SETS; j++) {
      clew_ldd both = checked(clew_ldd_union(dd, sets[i], sets[j]));
      (void)checked(clew_ldd_minus(dd, both, sets[(j + 1) % SETS]));
    }
  }
}

static void relate(clew_ldd *sets) {
  for (uint32_t first = 0; first + 4 < LEVELS; first += 3) {
    unsigned char roles[LEVELS] = {0};
    uint32_t rows[VALUES * VALUES * 6];
    roles[first] = CLEW_LDD_READ_WRITE;
    roles[first + 2] = CLEW_LDD_READ;
    roles[first + 3] = CLEW_LDD_READ_WRITE;
    roles[first + 4] = CLEW_LDD_WRITE;
    for (uint32_t i = 0; i < VALUES * VALUES; i++) {
      uint32_t a = i % VALUES, b = i / VALUES;
      const uint32_t row[6] = {a, (a + 1) % VALUES, b, b, (a + b) % VALUES, a % 2};
      for (uint32_t k = 0; k < 6; k++) {
        rows[i * 6 + k] = row[k];
      }
    }
    uint32_t plan = clew_ldd_plan_product(dd, roles, LEVELS);
    clew_ldd relation = checked(clew_ldd_from_rows(dd, rows, VALUES * VALUES, 6));
    clew_dd_keep(dd, &relation);
    for (uint32_t s = 0; s < SETS; s++) {
      (void)checked(clew_ldd_product(dd, sets[s], relation, plan));
    }
    clew_dd_drop(dd, 1);
  }
}

int main(int argc, char **argv) {
  uint64_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(4) << 30);
  uint32_t threads = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
  dd = clew_dd_open(&(struct clew_dd_config){.budget = &budget, .seed = 1, .threads = threads});
  clew_random_seed(&rng, 1);
  clew_ldd sets[SETS] = {0};
  for (uint32_t i = 0; i < SETS; i++) {
    clew_dd_keep(dd, &sets[i]);
  }
  static void (*const works[])(clew_ldd *) = {combine, relate};
  static const char *const names[] = {"union and minus", "product"};
  struct moment began = now(), first = began;
  make_sets(sets, rows);
  report("rows and unions", &began);
  for (uint32_t i = 0; i < 2; i++) {
    began = now();
    works[i](sets);
    report(names[i], &began);
  }
  report("all", &first);
  struct clew_dd_figures f;
  clew_dd_figures(dd, &f);
  printf("%.2f bytes per node (table) at the peak of %" PRIu64 " nodes, %.2f with the cache; "
         "%" PRIu64 " collections; %.0f %% cache hits; %" PRIu64 " shared operations\n",
         (double)f.node_bytes / (double)f.peak_nodes, f.peak_nodes,
         (double)(f.node_bytes + f.cache_bytes) / (double)f.peak_nodes, f.collections,
         100.0 * (double)f.cache_hits / (double)(f.cache_hits + f.cache_misses),
         f.shared_operations);
  clew_dd_close(dd);
  return 0;
}
