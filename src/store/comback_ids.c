/* A list of ids: appended in any order, sorted in the end.
 *
 * Sorted by radix, least digits first, between the two halves of the memory: a detection sorts as
 * many ids as it rebuilds states, and comparing would take longer than rebuilding. */
#include <assert.h>
#include <string.h>

#include "store/comback_int.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

bool comback_ids_open(struct comback_ids *list, struct clew_budget *budget) {
  list->count = 0;
  return comback_region_open(&list->data, COMBACK_MAX_STATES * 2 * sizeof(uint32_t), budget);
}

void comback_ids_close(struct comback_ids *list) {
  clew_bigmem_close(&list->data);
}

static uint32_t *data_of(const struct comback_ids *list) {
  return (uint32_t *)(void *)list->data.data;
}

bool comback_ids_add(struct comback_ids *list, uint32_t id) {
  if (!clew_bigmem_commit(&list->data, (list->count + UINT64_C(1)) * 2 * sizeof(uint32_t))) {
    return false;
  }
  data_of(list)[list->count++] = id;
  return true;
}

/* One pass: by the digit at `shift`, stable. */
static void distribute(const uint32_t *from, uint32_t *to, uint32_t count, uint32_t shift) {
  uint32_t starts[DIGITS] = {0}, sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    starts[from[i] >> shift & (DIGITS - 1)]++;
  }
  for (uint32_t digit = 0; digit < DIGITS; digit++) {
    uint32_t size = starts[digit];
    starts[digit] = sum;
    sum += size;
  }
  for (uint32_t i = 0; i < count; i++) {
    to[starts[from[i] >> shift & (DIGITS - 1)]++] = from[i];
  }
}

static uint32_t drop_repeated(uint32_t *ids, uint32_t count) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (kept == 0 || ids[kept - 1] != ids[i]) {
      ids[kept++] = ids[i];
    }
  }
  return kept;
}

const uint32_t *comback_ids_sort(struct comback_ids *list) {
  uint32_t *ids = data_of(list), *other = ids + list->count, greatest = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    greatest = ids[i] > greatest ? ids[i] : greatest;
  }
  for (uint32_t shift = 0; shift < 32 && greatest >> shift != 0; shift += DIGIT_BITS) {
    distribute(ids, other, list->count, shift);
    uint32_t *swap = ids;
    ids = other;
    other = swap;
  }
  if (ids != data_of(list)) {
    memcpy(data_of(list), ids, list->count * sizeof *ids);
  }
  list->count = drop_repeated(data_of(list), list->count);
  return data_of(list);
}
