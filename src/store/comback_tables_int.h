/* The ComBack store: state table, back-edge table and roots (comback_tables.c), in two layouts
 * (comback_paper.c, comback_compact.c) over a table of slots (comback_slots.c). */
#ifndef CLEW_STORE_COMBACK_TABLES_INT_H
#define CLEW_STORE_COMBACK_TABLES_INT_H

#include "store/comback_common_int.h"
#include "store/store.h"

/* ---- a compressed array of 32-bit numbers that grows at its end ---- */

enum { CLEW_COMBACK_CHUNK = 256 };

struct clew_comback_column {
  struct clew_bigmem data;      /* encoded chunks, each at a multiple of four bytes */
  struct clew_bigmem directory; /* struct clew_comback_chunk of each */
  uint64_t count, data_bytes;
  uint32_t last;                     /* the number at the end */
  bool monotone;                     /* never decreasing so far */
  uint32_t open[CLEW_COMBACK_CHUNK]; /* the last, incomplete chunk */
};

bool clew_comback_column_open(struct clew_comback_column *column, struct clew_budget *budget);
void clew_comback_column_close(struct clew_comback_column *column);
bool clew_comback_column_reserve(struct clew_comback_column *column, uint64_t count);
void clew_comback_column_append(struct clew_comback_column *column, uint32_t number);
uint32_t clew_comback_column_get(const struct clew_comback_column *column, uint64_t index);
uint64_t clew_comback_column_bytes(const struct clew_comback_column *column);
const char *clew_comback_column_check(const struct clew_comback_column *column);

/* ---- the tables ---- */

/* The purpose of a state table. */
struct clew_comback_shape {
  uint32_t hash_bits;
  uint32_t load_percent;   /* from which it grows, */
  uint32_t growth_percent; /* by so much: little memory or little time */
  uint64_t expected;       /* states, 0 when nobody knows */
};

/* From hashes to ids. */
struct clew_comback_slots {
  struct clew_comback_shape shape;
  struct clew_bigmem data;    /* uint32_t: (tag, id + 1) or 0, sorted by homes; then the tail */
  struct clew_bigmem offsets; /* of each home and the tail: where its first slot is */
  uint64_t homes, count;      /* count: of ids */
  uint32_t id_bits, rest_shift, growths;
  uint32_t up, down; /* shifts from a hash to its prefix */
};

struct clew_comback_paper {
  struct clew_comback_slots slots;
  struct clew_bigmem records; /* struct clew_comback_record by id */
  struct clew_bigmem highs;   /* uint32_t by id: the other half of a hash of more than 32 bits */
};

struct clew_comback_compact {
  struct clew_comback_slots slots;
  struct clew_comback_column parents, edges;
};

struct clew_comback_roots {
  struct clew_bigmem states, ids; /* words of each; uint32_t, ascending */
  uint32_t count, prefix;         /* the roots 0..prefix-1 have these very ids */
};

/* A walk over the collision list of a hash. */
struct clew_comback_list {
  uint64_t hash;    /* compressed */
  uint64_t at, end; /* slots that are being looked at, and where those of the home end */
  uint32_t tag, matches, id;
};

bool clew_comback_tables_open(struct clew_comback *c);
void clew_comback_tables_close(struct clew_comback *c);
/* Room for so many states in all. */
bool clew_comback_tables_reserve(struct clew_comback *c, uint64_t states);
/* Room for so many more roots. */
bool clew_comback_roots_reserve(struct clew_comback *c, uint64_t more);
void clew_comback_tables_prefetch(const struct clew_comback *c, uint64_t hash);
/* Adds the state c->count; room was reserved. The state's words are needed for roots only. */
void clew_comback_tables_add(struct clew_comback *c, const struct clew_visit *visit);
/* The ids of states with this (compressed) hash, CLEW_COMBACK_NONE after the last. */
uint32_t clew_comback_list_first(const struct clew_comback *c, uint64_t hash,
                                 struct clew_comback_list *list);
uint32_t clew_comback_list_next(const struct clew_comback *c, struct clew_comback_list *list);
uint32_t clew_comback_parent(const struct clew_comback *c, uint32_t id); /* or CLEW_COMBACK_ROOT */
uint32_t clew_comback_edge(const struct clew_comback *c, uint32_t id);
/* Both, of a state that is no root. */
void clew_comback_tables_back_edge(const struct clew_comback *c, uint32_t id, uint32_t *parent,
                                   uint32_t *edge);
void clew_comback_tables_prefetch_edge(const struct clew_comback *c,
                                       uint32_t id); /* its back edge */
/* Whether parents never decrease: then children of a state are consecutive. */
bool clew_comback_tables_monotone(const struct clew_comback *c);
const uint64_t *clew_comback_root_state(const struct clew_comback *c,
                                        uint32_t id); /* NULL: no root */
uint64_t clew_comback_tables_bytes(const struct clew_comback *c);
void clew_comback_tables_counters(const struct clew_comback *c, struct clew_counters *out);
const char *clew_comback_tables_check(struct clew_comback *c);

bool clew_comback_slots_open(struct clew_comback_slots *t, const struct clew_comback_shape *shape,
                             struct clew_budget *budget);
void clew_comback_slots_close(struct clew_comback_slots *t);
/* Room for so many ids in all; false when the budget refuses. */
bool clew_comback_slots_reserve(struct clew_comback_slots *t, uint64_t states);
void clew_comback_slots_insert(struct clew_comback_slots *t, uint64_t hash, uint32_t id);
/* The ids of states that may have this hash, CLEW_COMBACK_NONE after the last. */
uint32_t clew_comback_slots_first(const struct clew_comback_slots *t, uint64_t hash,
                                  struct clew_comback_list *list);
uint32_t clew_comback_slots_next(const struct clew_comback_slots *t,
                                 struct clew_comback_list *list);
void clew_comback_slots_prefetch(const struct clew_comback_slots *t, uint64_t hash);
uint64_t clew_comback_slots_bytes(const struct clew_comback_slots *t);
const char *clew_comback_slots_check(const struct clew_comback_slots *t);

bool clew_comback_paper_open(struct clew_comback *c);
void clew_comback_paper_close(struct clew_comback_paper *p);
bool clew_comback_paper_reserve(struct clew_comback *c, uint64_t states);
void clew_comback_paper_add(struct clew_comback_paper *p, uint32_t id, uint64_t hash,
                            uint32_t parent, uint32_t edge);
uint32_t clew_comback_paper_first(const struct clew_comback_paper *p, uint64_t hash,
                                  struct clew_comback_list *list);
uint32_t clew_comback_paper_next(const struct clew_comback_paper *p,
                                 struct clew_comback_list *list);
uint32_t clew_comback_paper_parent(const struct clew_comback_paper *p, uint32_t id);
uint32_t clew_comback_paper_edge(const struct clew_comback_paper *p, uint32_t id);
void clew_comback_paper_back_edge(const struct clew_comback_paper *p, uint32_t id, uint32_t *parent,
                                  uint32_t *edge);
void clew_comback_paper_prefetch_edge(const struct clew_comback_paper *p, uint32_t id);

bool clew_comback_compact_open(struct clew_comback *c);
void clew_comback_compact_close(struct clew_comback_compact *p);
bool clew_comback_compact_reserve(struct clew_comback *c, uint64_t states);
void clew_comback_compact_add(struct clew_comback_compact *p, uint32_t id, uint64_t hash,
                              uint32_t parent, uint32_t edge);

#endif
