/* From hashes to consecutive numbers: linear probing by the high bits of a hash.
 *
 * A number takes as many bits as the places of the index; the other bits of its 32 hold low bits of
 * the hash, so that what is not there is known without a look elsewhere nearly always. An index of
 * half the size stays in the processor's cache, and every visit of a search looks at one. Nothing
 * is removed one by one. Searches are in the header: they are a few instructions. */
#include <assert.h>
#include <string.h>

#include "store/comback_int.h"

enum { FIRST_BITS = 6 };

static uint32_t bits_for(uint64_t count, uint32_t spare_shift) {
  assert(spare_shift > 0);
  struct clew_comback_index index = {.bits = FIRST_BITS, .spare_shift = spare_shift};
  while (clew_comback_index_room(&index) < count) {
    index.bits++;
  }
  return index.bits;
}

static size_t bytes_of(uint32_t bits) {
  assert(bits >= FIRST_BITS);
  return sizeof(uint32_t) << bits;
}

bool clew_comback_index_open(struct clew_comback_index *index, uint64_t most, uint32_t spare_shift,
                             struct clew_budget *budget) {
  assert(most <= UINT32_MAX);
  index->bits = FIRST_BITS;
  index->spare_shift = spare_shift;
  return clew_comback_region_open(&index->places, bytes_of(bits_for(most, spare_shift)), budget) &&
         clew_bigmem_commit(&index->places, bytes_of(index->bits));
}

bool clew_comback_index_restart(struct clew_comback_index *index, uint64_t count, uint64_t hoped) {
  uint32_t bits = bits_for(count, index->spare_shift), most = bits_for(hoped, index->spare_shift);
  size_t used_bytes = index->places.committed_bytes;
  while (bits < most && bytes_of(bits + 1) <= used_bytes) {
    bits++;
  }
  if (!clew_bigmem_commit(&index->places, bytes_of(bits))) {
    return false;
  }
  index->bits = bits;
  assert(bits <= 32 && clew_comback_index_room(index) >= count);
  /* What was committed now is empty. */
  memset(index->places.data, 0, bytes_of(bits) < used_bytes ? bytes_of(bits) : used_bytes);
  return true;
}

bool clew_comback_index_reserve(struct clew_comback_index *index, uint64_t count, bool *again) {
  assert(index != NULL);
  *again = count > clew_comback_index_room(index);
  return !*again || clew_comback_index_restart(index, count, count);
}

void clew_comback_index_clear(struct clew_comback_index *index) {
  assert(bytes_of(index->bits) <= index->places.committed_bytes);
  memset(index->places.data, 0, bytes_of(index->bits));
}

void clew_comback_index_clear_run(struct clew_comback_index *index, uint64_t hash) {
  uint32_t *places = clew_comback_index_places(index);
  uint64_t mask = (UINT64_C(1) << index->bits) - 1;
  for (uint64_t at = clew_comback_index_home(index, hash); places[at] != 0; at = (at + 1) & mask) {
    places[at] = 0;
  }
}
