/* Measures: numbers of states whose greatest or least value is asked for (sup, inf, bounds). */
#ifndef CLEW_MODEL_MEASURE_H
#define CLEW_MODEL_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

struct clew_measure {
  const char *name; /* the expression */
  bool wants_most, wants_least;
};

/* The values of a measure, in one state (clocks have many) or in several. */
struct clew_measured {
  bool any;                   /* there is a value: else nothing below means anything */
  int64_t least, most;        /* all values are between */
  bool least_open, most_open; /* the bound itself is none of them */
  bool is_endless;            /* they grow without bound */
  bool is_cut;                /* they grow beyond what is remembered */
};

/* Adds the values of another one. */
void clew_measured_join(struct clew_measured *to, const struct clew_measured *from);

#endif
