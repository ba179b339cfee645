/* The ComBack store: state table, back-edge table and roots (comback_tables.c), in two layouts
 * (comback_paper.c, comback_compact.c) over tables of slots (comback_segments.c, comback_slots.c).
 */
#ifndef CLEW_STORE_COMBACK_TABLES_INT_H
#define CLEW_STORE_COMBACK_TABLES_INT_H

#include "store/comback_common_int.h"
#include "store/store.h"

/* ---- a compressed array of numbers below 2^40 that grows at its end ---- */

enum { CLEW_COMBACK_CHUNK = 256 };

struct clew_comback_column {
  struct clew_bigmem data;      /* encoded chunks, each at a multiple of four bytes */
  struct clew_bigmem directory; /* struct clew_comback_chunk of each */
  uint64_t count, data_bytes;
  uint64_t last;                     /* the number at the end */
  bool monotone;                     /* never decreasing so far */
  uint64_t open[CLEW_COMBACK_CHUNK]; /* the last, incomplete chunk */
};

bool clew_comback_column_open(struct clew_comback_column *column, struct clew_budget *budget);
void clew_comback_column_close(struct clew_comback_column *column);
bool clew_comback_column_reserve(struct clew_comback_column *column, uint64_t count);
void clew_comback_column_append(struct clew_comback_column *column, uint64_t number);
uint64_t clew_comback_column_get(const struct clew_comback_column *column, uint64_t index);
uint64_t clew_comback_column_bytes(const struct clew_comback_column *column);
const char *clew_comback_column_check(const struct clew_comback_column *column);

/* ---- the tables ---- */

/* The purpose of a state table. */
struct clew_comback_shape {
  uint32_t hash_bits;
  uint32_t load_percent;   /* from which it grows, */
  uint32_t growth_percent; /* by so much: little memory or little time */
  uint64_t expected;       /* states, 0 when nobody knows */
  uint64_t more_bits_from; /* so many states on, a byte more is kept of each hash; 0: never */
};

/* From hashes to consecutive numbers below CLEW_COMBACK_MOST_SLOTS: ids, or what is left of them.
 */
#define CLEW_COMBACK_MOST_SLOTS (UINT64_C(0xffffffff) - 2)

struct clew_comback_slots {
  struct clew_comback_shape shape;
  struct clew_bigmem data;    /* uint32_t: (tag, number + 1) or 0, sorted by homes; then the tail */
  struct clew_bigmem offsets; /* of each home and the tail: where its first slot is */
  struct clew_bigmem more; /* if `has_more`, of each slot: another byte of its hash; 0: unknown */
  uint64_t homes, count;   /* count: of numbers */
  uint32_t id_bits, rest_shift, growths;
  uint32_t up, down; /* shifts from a hash to its prefix */
  bool has_more;
};

/* The same for ids: a table of slots for each 2^bits of them. Nearly always there is but one. */
/* Of the number of ids in a segment, unless a test says otherwise. */
enum { CLEW_COMBACK_SEGMENT_BITS = 31 };

struct clew_comback_segments {
  struct clew_comback_shape shape;
  struct clew_budget *budget;
  struct clew_comback_slots *list; /* owned */
  uint32_t count, bits;
};

struct clew_comback_paper {
  struct clew_comback_segments segments;
  struct clew_bigmem records; /* struct clew_comback_record by id */
  struct clew_bigmem highs;   /* uint32_t by id: the other half of a hash of more than 32 bits */
  struct clew_bigmem parent_highs; /* uint8_t by id - 2^low_bits: the other bits of a parent */
  uint32_t low_bits;               /* of an id in a record */
};

struct clew_comback_compact {
  struct clew_comback_segments segments;
  struct clew_comback_column parents, edges;
};

struct clew_comback_roots {
  struct clew_bigmem states, ids; /* words of each; clew_id, ascending */
  uint64_t count, prefix;         /* the roots 0..prefix-1 have these very ids */
};

/* A walk over the collision list of a hash. */
struct clew_comback_list {
  uint64_t hash;    /* compressed */
  uint64_t at, end; /* slots that are being looked at, and where those of the home end */
  uint32_t tag, matches;
  uint32_t segment; /* of ids, that is being looked at */
  uint8_t more;     /* the byte of the hash behind its prefix */
};

bool clew_comback_tables_open(struct clew_comback *c);
/* For tests: what changes at 2^32 states changes at 2^bits, at least two. Before the first state.
 */
void clew_comback_tables_widen_at(struct clew_comback *c, uint32_t bits);
void clew_comback_tables_close(struct clew_comback *c);
/* Room for so many states in all. */
bool clew_comback_tables_reserve(struct clew_comback *c, uint64_t states);
/* Room for so many more roots. */
bool clew_comback_roots_reserve(struct clew_comback *c, uint64_t more);
void clew_comback_tables_prefetch(const struct clew_comback *c, uint64_t hash);
/* Adds the state c->count; room was reserved. The state's words are needed for roots only. */
void clew_comback_tables_add(struct clew_comback *c, const struct clew_visit *visit);
/* The ids of states with this (compressed) hash, CLEW_ID_NONE after the last. */
clew_id clew_comback_list_first(const struct clew_comback *c, uint64_t hash,
                                struct clew_comback_list *list);
clew_id clew_comback_list_next(const struct clew_comback *c, struct clew_comback_list *list);
clew_id clew_comback_parent(const struct clew_comback *c, clew_id id); /* CLEW_ID_NONE of roots */
uint32_t clew_comback_edge(const struct clew_comback *c, clew_id id);
/* Both, of a state that is no root. */
void clew_comback_tables_back_edge(const struct clew_comback *c, clew_id id, clew_id *parent,
                                   uint32_t *edge);
void clew_comback_tables_prefetch_edge(const struct clew_comback *c,
                                       clew_id id); /* its back edge */
/* Whether parents never decrease: then children of a state are consecutive. */
bool clew_comback_tables_monotone(const struct clew_comback *c);
const uint64_t *clew_comback_root_state(const struct clew_comback *c,
                                        clew_id id); /* NULL: no root */
uint64_t clew_comback_tables_bytes(const struct clew_comback *c);
void clew_comback_tables_counters(const struct clew_comback *c, struct clew_counters *out);
const char *clew_comback_tables_check(struct clew_comback *c);

bool clew_comback_slots_open(struct clew_comback_slots *t, const struct clew_comback_shape *shape,
                             struct clew_budget *budget);
void clew_comback_slots_close(struct clew_comback_slots *t);
/* Room for so many numbers in all; false when the budget refuses. */
bool clew_comback_slots_reserve(struct clew_comback_slots *t, uint64_t states);
void clew_comback_slots_insert(struct clew_comback_slots *t, uint64_t hash, uint32_t number);
/* The numbers that may have this hash, CLEW_COMBACK_NONE after the last. */
uint32_t clew_comback_slots_first(const struct clew_comback_slots *t, uint64_t hash,
                                  struct clew_comback_list *list);
uint32_t clew_comback_slots_next(const struct clew_comback_slots *t,
                                 struct clew_comback_list *list);
void clew_comback_slots_prefetch(const struct clew_comback_slots *t, uint64_t hash);
uint64_t clew_comback_slots_bytes(const struct clew_comback_slots *t);
const char *clew_comback_slots_check(const struct clew_comback_slots *t);

/* `bits`: of the number of ids in a segment, at most 31. */
bool clew_comback_segments_open(struct clew_comback_segments *s,
                                const struct clew_comback_shape *shape, uint32_t bits,
                                struct clew_budget *budget);
void clew_comback_segments_close(struct clew_comback_segments *s);
/* Room for so many ids in all; false when the budget refuses. */
bool clew_comback_segments_reserve(struct clew_comback_segments *s, uint64_t states);
/* The next id, dense; room was reserved. */
void clew_comback_segments_insert(struct clew_comback_segments *s, uint64_t hash, clew_id id);
/* The ids of states that may have this hash, CLEW_ID_NONE after the last. */
clew_id clew_comback_segments_first(const struct clew_comback_segments *s, uint64_t hash,
                                    struct clew_comback_list *list);
clew_id clew_comback_segments_next(const struct clew_comback_segments *s,
                                   struct clew_comback_list *list);
void clew_comback_segments_prefetch(const struct clew_comback_segments *s, uint64_t hash);
uint64_t clew_comback_segments_bytes(const struct clew_comback_segments *s);
uint64_t clew_comback_segments_states(const struct clew_comback_segments *s); /* how many */
const char *clew_comback_segments_check(const struct clew_comback_segments *s);

bool clew_comback_paper_open(struct clew_comback *c);
void clew_comback_paper_close(struct clew_comback_paper *p);
bool clew_comback_paper_reserve(struct clew_comback *c, uint64_t states);
void clew_comback_paper_add(struct clew_comback_paper *p, clew_id id, uint64_t hash, clew_id parent,
                            uint32_t edge);
clew_id clew_comback_paper_first(const struct clew_comback_paper *p, uint64_t hash,
                                 struct clew_comback_list *list);
clew_id clew_comback_paper_next(const struct clew_comback_paper *p, struct clew_comback_list *list);
clew_id clew_comback_paper_parent(const struct clew_comback_paper *p, clew_id id);
uint32_t clew_comback_paper_edge(const struct clew_comback_paper *p, clew_id id);
void clew_comback_paper_prefetch_edge(const struct clew_comback_paper *p, clew_id id);

bool clew_comback_compact_open(struct clew_comback *c);
void clew_comback_compact_close(struct clew_comback_compact *p);
bool clew_comback_compact_reserve(struct clew_comback *c, uint64_t states);
void clew_comback_compact_add(struct clew_comback_compact *p, clew_id id, uint64_t hash,
                              clew_id parent, uint32_t edge);

#endif
