/* Which slots each group of a model touches, as a sparse matrix, and orders of its columns: the
 * order of slots is that of the levels of diagrams. place[slot] is where a slot stands.
 *
 *   symbolic_variables.c   the matrix, the choice, FORCE, files of names
 *   symbolic_graph.c       orders of the graph of slots: Sloan, Cuthill-McKee
 *   symbolic_columns.c     orders by moving columns: swaps, annealing, reads before writes, Noack
 */
#ifndef CLEW_SEARCH_SYMBOLIC_MATRIX_H
#define CLEW_SEARCH_SYMBOLIC_MATRIX_H

#include <stdint.h>

#include "base/vec.h"

enum { TOUCH_READ = 1, TOUCH_WRITE = 2 };

/* The slots of each group, without repetition of rows that follow each other. */
struct symbolic_matrix {
  uint32_t slots, rows;
  CLEW_VEC(uint32_t) starts; /* rows + 1 */
  CLEW_VEC(uint32_t) columns;
  CLEW_VEC(unsigned char) touches; /* of each column: TOUCH_READ, TOUCH_WRITE, or both */
};

/* The sum of the distances between the first and the last slot of each row. */
uint64_t clew_symbolic_span(const struct symbolic_matrix *m, const uint32_t *place);

/* ---- symbolic_graph.c ---- */

void clew_symbolic_order_sloan(const struct symbolic_matrix *m, uint32_t *place);
void clew_symbolic_order_cm(const struct symbolic_matrix *m, uint32_t *place);

/* ---- symbolic_columns.c: all but noack begin with the order in `place` ---- */

void clew_symbolic_order_swaps(const struct symbolic_matrix *m, uint32_t *place);
void clew_symbolic_order_anneal(const struct symbolic_matrix *m, uint32_t *place);
void clew_symbolic_order_reads_first(const struct symbolic_matrix *m, uint32_t *place);
void clew_symbolic_order_noack(const struct symbolic_matrix *m, uint32_t *place);

/* ---- symbolic_mixed.c ---- */

/* Sorts the bounds of flat zones in among the locations, whose order is given; other models stay as
 * they are. */
void clew_symbolic_mix(const struct clew_model *model, uint32_t *place);

#endif
