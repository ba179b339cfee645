/* The ComBack store: from hashes to numbers (comback_index.c). */
#ifndef CLEW_STORE_COMBACK_INDEX_INT_H
#define CLEW_STORE_COMBACK_INDEX_INT_H

#include "store/comback_common_int.h"

/* Numbers 0, 1, 2 … by hashes of what they stand for, which only the owner knows. A search gives
 * all numbers whose hashes agree as far as they are kept. */
struct clew_comback_index {
  struct clew_bigmem places; /* uint32_t: bits of the hash above the number + 1; 0: free */
  uint32_t bits;             /* of the number of places */
  uint32_t spare_shift;      /* which says what part of them is free at least */
};

/* A search in the index. */
struct clew_comback_probe {
  uint64_t at;
  uint32_t tag;
};

/* For at most so many numbers in all. Half of the places are spare (1), or a quarter (2), …: fast
 * or small. */
bool clew_comback_index_open(struct clew_comback_index *index, uint64_t most, uint32_t spare_shift,
                             struct clew_budget *budget);
/* Makes room for so many, at least as much as there is. Sets `again` when the index is empty after
 * that and all numbers must be added anew. False, changing nothing, when the budget refuses. */
bool clew_comback_index_reserve(struct clew_comback_index *index, uint64_t count, bool *again);
/* Empties the index and makes it as large as is good for so many, whatever its size was; up to
 * `hoped` if the memory is there already. False, changing nothing, when the budget refuses. */
bool clew_comback_index_restart(struct clew_comback_index *index, uint64_t count, uint64_t hoped);
void clew_comback_index_clear(struct clew_comback_index *index);
/* Removes all numbers from the home of a hash to the next free place. When that is done for each
 * number the index is empty: what is left of a run is always its beginning. */
void clew_comback_index_clear_run(struct clew_comback_index *index, uint64_t hash);

static inline uint32_t *clew_comback_index_places(const struct clew_comback_index *index) {
  return (uint32_t *)(void *)index->places.data;
}

static inline uint64_t clew_comback_index_home(const struct clew_comback_index *index,
                                               uint64_t hash) {
  return hash >> (64 - index->bits);
}

static inline uint64_t clew_comback_index_room(const struct clew_comback_index *index) {
  uint64_t places = UINT64_C(1) << index->bits;
  return places - (places >> index->spare_shift);
}

/* The next number that may be the one, or CLEW_COMBACK_NONE: then the probe is at the free place
 * where it would be. */
static inline uint32_t clew_comback_index_next(const struct clew_comback_index *index,
                                               struct clew_comback_probe *probe) {
  const uint32_t *places = clew_comback_index_places(index);
  uint64_t mask = (UINT64_C(1) << index->bits) - 1;
  for (uint32_t place; (place = places[probe->at]) != 0; probe->at = (probe->at + 1) & mask) {
    uint32_t number = place ^ probe->tag; /* + 1, if the tag is the same */
    if (number <= mask) {
      probe->at = (probe->at + 1) & mask;
      return number - 1;
    }
  }
  return CLEW_COMBACK_NONE;
}

static inline uint32_t clew_comback_index_first(const struct clew_comback_index *index,
                                                uint64_t hash, struct clew_comback_probe *probe) {
  probe->at = clew_comback_index_home(index, hash);
  probe->tag = (uint32_t)(hash << index->bits);
  return clew_comback_index_next(index, probe);
}

/* Adds a number where a search for it ended. */
static inline void clew_comback_index_add_at(struct clew_comback_index *index,
                                             const struct clew_comback_probe *probe,
                                             uint32_t number) {
  assert(number < clew_comback_index_room(index) &&
         clew_comback_index_places(index)[probe->at] == 0);
  clew_comback_index_places(index)[probe->at] = probe->tag | (number + 1);
}

static inline void clew_comback_index_add(struct clew_comback_index *index, uint64_t hash,
                                          uint32_t number) {
  struct clew_comback_probe probe;
  uint32_t other = clew_comback_index_first(index, hash, &probe);
  while (other != CLEW_COMBACK_NONE) {
    other = clew_comback_index_next(index, &probe);
  }
  clew_comback_index_add_at(index, &probe, number);
}

/* A hash of an id, whose high bits are good. */
static inline uint64_t clew_comback_hash_id(clew_id id) {
  return id * UINT64_C(0x9e3779b97f4a7c15);
}

#endif
