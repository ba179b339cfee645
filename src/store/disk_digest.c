/* The digest of a run of the disk store: a few bits of each of its keys, in memory, in the order of
 * the file. A key that it does not know is not in the run; for one that it knows, it tells where in
 * the file the state is. So candidates that are new cost no transfer, and the others that of their
 * states: keys are not read at all.
 *
 * A key is scaled to a number of homes, as many as there are keys, and `low_bits` bits of what
 * scaling leaves over are kept side by side. Homes are coded in unary (Elias 1974): entry i with
 * home h sets bit h + i of the upper bits, so that the h-th zero ends home h. This makes two bits
 * for each key and the low ones. A digest is wrong for about one new key of 2^low_bits.
 *
 * Candidates come in the order of their keys, and a cursor counts zeros from one to the next. Every
 * SAMPLE_WORDS-th word has its number of zeros before it written down, so that a few candidates do
 * not make it go through everything.
 *
 * Layout: upper bits, samples, low bits. Readers may touch a few bytes behind the low bits. */
#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "store/disk_int.h"
#include "store/select_int.h"

enum { SAMPLE_WORDS = 64, SLACK_BYTES = 8 };

static uint64_t upper_words(uint64_t count) {
  return (2 * count) / 64 + 1; /* a zero is always behind the last entry */
}

static uint64_t sample_count(uint64_t count) {
  return (upper_words(count) + SAMPLE_WORDS - 1) / SAMPLE_WORDS;
}

static uint64_t low_bytes(uint64_t count, uint32_t low_bits) {
  return (count * low_bits + 7) / 8 + SLACK_BYTES;
}

uint64_t clew_disk_digest_bytes(uint64_t count, uint32_t low_bits) {
  assert(low_bits <= CLEW_DISK_DIGEST_BITS);
  const uint64_t page_bytes = 4096;
  uint64_t bytes =
      (upper_words(count) + sample_count(count)) * sizeof(uint64_t) + low_bytes(count, low_bits);
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

uint32_t clew_disk_digest_fit(uint64_t count, uint64_t memory_bytes) {
  assert(count > 0);
  uint32_t low_bits = CLEW_DISK_DIGEST_BITS;
  while (low_bits > 0 && clew_disk_digest_bytes(count, low_bits) > memory_bytes) {
    low_bits--;
  }
  return low_bits;
}

bool clew_disk_digest_open(struct clew_disk_digest *d, uint64_t count, uint32_t low_bits,
                           struct clew_budget *budget) {
  assert(count > 0 && low_bits > 0);
  *d = (struct clew_disk_digest){0};
  uint64_t bytes = clew_disk_digest_bytes(count, low_bits);
  if (!clew_bigmem_open(&d->memory, bytes, budget)) {
    return false;
  }
  d->memory.in_pages = true;
  if (!clew_bigmem_commit(&d->memory, bytes)) {
    clew_disk_digest_close(d);
    return false;
  }
  d->count = count;
  d->low_bits = low_bits;
  d->instructions = has_bit_instructions();
  d->upper = (uint64_t *)(void *)d->memory.data;
  d->samples = d->upper + upper_words(count);
  d->lows = (unsigned char *)(d->samples + sample_count(count));
  return true;
}

void clew_disk_digest_close(struct clew_disk_digest *d) {
  assert(d != NULL);
  clew_bigmem_close(&d->memory);
  *d = (struct clew_disk_digest){0};
}

struct place {
  uint64_t home;
  uint32_t low;
};

static inline struct place place_of(const struct clew_disk_digest *d, uint64_t key) {
  unsigned __int128 scaled = (unsigned __int128)key * d->count;
  return (struct place){(uint64_t)(scaled >> 64),
                        (uint32_t)((uint64_t)scaled >> (64 - d->low_bits))};
}

static inline uint32_t low_at(const struct clew_disk_digest *d, uint64_t entry) {
  uint64_t bit = entry * d->low_bits;
  uint32_t word;
  memcpy(&word, d->lows + bit / 8, sizeof word);
  return word >> bit % 8 & (uint32_t)clew_bits_mask(d->low_bits);
}

void clew_disk_digest_add(struct clew_disk_digest *d, uint64_t key) {
  assert(d->added < d->count);
  struct place place = place_of(d, key);
  uint64_t upper_bit = place.home + d->added, low_bit = d->added * d->low_bits;
  assert(upper_bit >= d->upper_end);
  d->upper[upper_bit / 64] |= UINT64_C(1) << upper_bit % 64;
  d->upper_end = upper_bit + 1;
  uint32_t word;
  unsigned char *at = d->lows + low_bit / 8;
  memcpy(&word, at, sizeof word);
  word |= place.low << low_bit % 8;
  memcpy(at, &word, sizeof word);
  d->added++;
}

void clew_disk_digest_finish(struct clew_disk_digest *d) {
  assert(d->added == d->count);
  uint64_t zeros = 0, words = upper_words(d->count);
  for (uint64_t word = 0; word < words; word++) {
    if (word % SAMPLE_WORDS == 0) {
      d->samples[word / SAMPLE_WORDS] = zeros;
    }
    zeros += 64 - ones_in_word(d->instructions, d->upper[word]);
  }
  assert(zeros >= d->count);
}

/* The bit behind so many zeros. */
static inline uint64_t behind_zeros(const struct clew_disk_digest *d,
                                    struct clew_disk_digest_cursor *cursor, uint64_t wanted) {
  if (wanted == 0) {
    return 0;
  }
  assert(wanted > cursor->zeros);
  uint64_t sample = cursor->word / SAMPLE_WORDS + 1, samples = sample_count(d->count);
  if (sample < samples && d->samples[sample] < wanted) {
    while (sample + 1 < samples && d->samples[sample + 1] < wanted) {
      sample++;
    }
    cursor->word = sample * SAMPLE_WORDS;
    cursor->zeros = d->samples[sample];
  }
  for (;;) {
    uint64_t zeros = ~d->upper[cursor->word];
    uint32_t here = ones_in_word(d->instructions, zeros);
    if (cursor->zeros + here >= wanted) {
      uint32_t nth = (uint32_t)(wanted - cursor->zeros - 1);
      return cursor->word * 64 + nth_one_in_word(d->instructions, zeros, nth) + 1;
    }
    cursor->zeros += here;
    cursor->word++;
    assert(cursor->word < upper_words(d->count));
  }
}

uint32_t clew_disk_digest_find(const struct clew_disk_digest *d,
                               struct clew_disk_digest_cursor *cursor, uint64_t key,
                               uint64_t *rank) {
  assert(clew_disk_digest_is_on(d) && d->added == d->count);
  struct place place = place_of(d, key);
  uint64_t bit = behind_zeros(d, cursor, place.home), entry = bit - place.home;
  uint32_t found = 0;
  for (; (d->upper[bit / 64] >> bit % 64 & 1) != 0; bit++, entry++) {
    uint32_t low = low_at(d, entry);
    if (low > place.low) {
      break;
    }
    if (low == place.low && found++ == 0) {
      *rank = entry;
    }
  }
  assert(found == 0 || *rank + found <= d->count);
  return found;
}

bool clew_disk_digest_agrees(const struct clew_disk_digest *d, uint64_t key, uint64_t rank) {
  assert(clew_disk_digest_is_on(d) && rank < d->count);
  struct place place = place_of(d, key);
  uint64_t bit = place.home + rank;
  return (d->upper[bit / 64] >> bit % 64 & 1) != 0 && low_at(d, rank) == place.low;
}
