/* A compressed array of numbers below 2^40 that grows at its end and is read at random.
 *
 * Chunks of 256 numbers are encoded when they are complete; the last one waits as it is. A chunk is
 * the smaller of
 *   unary    where numbers never decrease: for each, a zero per step up from the one before, then a
 *            one. Parents of states in breadth-first order take two bits each this way: one for the
 *            state, one for the parent. Number k is the base plus the zeros before the one k.
 *   packed   differences to the least number, in as many bits as the greatest of them needs; so
 *            nothing can overflow, and a rule with a large number costs its chunk only.
 * One byte before the bits says which (the width, or UNARY); in a unary chunk the places of every
 * 32nd number follow, to be found from there. A directory holds base and place: three
 * eighths of a bit per number.
 *
 * Unary chunks have at most as many bits as packed ones, 10240 + a few: scanning one is bounded. */
#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "store/comback_int.h"

enum {
  UNARY = 0xff,
  UNIT_BYTES = 4,  /* chunks begin at multiples */
  SLACK_BYTES = 8, /* readable behind the last chunk: bits are read eight bytes at a time */
  MOST_WIDTH = 40,
  MOST_BYTES = 1 + CLEW_COMBACK_CHUNK * MOST_WIDTH / 8 + UNIT_BYTES,
  SAMPLE = 32, /* every so many numbers of a unary chunk */
  SAMPLE_BYTES = 2 * (CLEW_COMBACK_CHUNK / SAMPLE - 1),
};

struct clew_comback_chunk {
  uint32_t base_low, place_low; /* the place in units */
  uint16_t base_high, place_high;
};

static uint64_t base_of(const struct clew_comback_chunk *chunk) {
  return (uint64_t)chunk->base_high << 32 | chunk->base_low;
}

static uint64_t place_of(const struct clew_comback_chunk *chunk) {
  return (uint64_t)chunk->place_high << 32 | chunk->place_low;
}

bool clew_comback_column_open(struct clew_comback_column *column, struct clew_budget *budget) {
  column->monotone = true;
  column->count = column->data_bytes = column->last = 0;
  uint64_t chunks = CLEW_COMBACK_MAX_STATES / CLEW_COMBACK_CHUNK + 1;
  assert(column->data.data == NULL && column->directory.data == NULL);
  assert(chunks * CLEW_COMBACK_CHUNK > CLEW_COMBACK_MAX_STATES);
  return clew_comback_region_open(&column->data, chunks * MOST_BYTES, budget) &&
         clew_comback_region_open(&column->directory, chunks * sizeof(struct clew_comback_chunk),
                                  budget);
}

void clew_comback_column_close(struct clew_comback_column *column) {
  assert(column != NULL);
  clew_bigmem_close(&column->data);
  clew_bigmem_close(&column->directory);
}

bool clew_comback_column_reserve(struct clew_comback_column *column, uint64_t count) {
  assert(count >= column->count);
  uint64_t chunks = count / CLEW_COMBACK_CHUNK, sealed = column->count / CLEW_COMBACK_CHUNK;
  uint64_t more_bytes = chunks > sealed ? (chunks - sealed) * MOST_BYTES : 0;
  return clew_bigmem_commit(&column->directory, chunks * sizeof(struct clew_comback_chunk)) &&
         clew_bigmem_commit(&column->data, column->data_bytes + more_bytes + SLACK_BYTES);
}

static struct clew_comback_chunk *chunk_at(const struct clew_comback_column *column,
                                           uint64_t chunk) {
  assert((chunk + 1) * sizeof(struct clew_comback_chunk) <= column->directory.committed_bytes);
  return (struct clew_comback_chunk *)(void *)column->directory.data + chunk;
}

static unsigned char *data_of(const struct clew_comback_column *column, uint64_t chunk) {
  return column->data.data + place_of(chunk_at(column, chunk)) * UNIT_BYTES;
}

static inline uint64_t load_bits(const unsigned char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

static void set_bit(unsigned char *bits, uint32_t at) {
  assert(at < MOST_BYTES * 8);
  bits[at / 8] |= (unsigned char)(1U << at % 8);
}

/* ---- encoding ---- */

struct shape {
  uint64_t least, greatest;
  bool ascending;
};

static struct shape shape_of(const uint64_t *numbers) {
  struct shape shape = {numbers[0], numbers[0], true};
  for (uint32_t i = 1; i < CLEW_COMBACK_CHUNK; i++) {
    shape.least = numbers[i] < shape.least ? numbers[i] : shape.least;
    shape.greatest = numbers[i] > shape.greatest ? numbers[i] : shape.greatest;
    shape.ascending &= numbers[i] >= numbers[i - 1];
  }
  assert(shape.least <= shape.greatest);
  return shape;
}

static uint32_t write_unary(const uint64_t *numbers, unsigned char *data) {
  assert(numbers[0] <= numbers[CLEW_COMBACK_CHUNK - 1]);
  unsigned char *bits = data + SAMPLE_BYTES;
  for (uint32_t i = 0; i < CLEW_COMBACK_CHUNK; i++) {
    uint32_t at = (uint32_t)(numbers[i] - numbers[0]) + i;
    set_bit(bits, at);
    if (i > 0 && i % SAMPLE == 0) {
      data[2 * (i / SAMPLE - 1)] = (unsigned char)at;
      data[2 * (i / SAMPLE - 1) + 1] = (unsigned char)(at >> 8);
    }
  }
  return SAMPLE_BYTES * 8 + CLEW_COMBACK_CHUNK +
         (uint32_t)(numbers[CLEW_COMBACK_CHUNK - 1] - numbers[0]);
}

static uint32_t write_packed(const uint64_t *numbers, uint64_t least, uint32_t width,
                             unsigned char *bits) {
  assert(width <= MOST_WIDTH);
  for (uint32_t i = 0; i < CLEW_COMBACK_CHUNK; i++) {
    for (uint64_t rest = numbers[i] - least; rest != 0; rest &= rest - 1) {
      set_bit(bits, i * width + (uint32_t)__builtin_ctzll(rest));
    }
  }
  return CLEW_COMBACK_CHUNK * width;
}

static void seal(struct clew_comback_column *column) {
  assert(column->count > 0);
  assert(column->count % CLEW_COMBACK_CHUNK == 0);
  uint64_t chunk = column->count / CLEW_COMBACK_CHUNK - 1;
  struct shape shape = shape_of(column->open);
  uint32_t width = clew_bits_for(shape.greatest - shape.least);
  uint64_t unary_bits = shape.greatest - shape.least + CLEW_COMBACK_CHUNK + SAMPLE_BYTES * 8;
  uint64_t place = column->data_bytes / UNIT_BYTES;
  bool unary = shape.ascending && unary_bits < (uint64_t)width * CLEW_COMBACK_CHUNK;
  *chunk_at(column, chunk) = (struct clew_comback_chunk){.base_low = (uint32_t)shape.least,
                                                         .base_high = (uint16_t)(shape.least >> 32),
                                                         .place_low = (uint32_t)place,
                                                         .place_high = (uint16_t)(place >> 32)};
  unsigned char *data = data_of(column, chunk);
  data[0] = unary ? UNARY : (unsigned char)width;
  uint32_t bits = unary ? write_unary(column->open, data + 1)
                        : write_packed(column->open, shape.least, width, data + 1);
  uint64_t bytes = 1 + (bits + 7) / 8;
  assert(bytes <= MOST_BYTES);
  column->data_bytes += (bytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
  assert(column->data_bytes + SLACK_BYTES <= column->data.committed_bytes);
}

void clew_comback_column_append(struct clew_comback_column *column, uint64_t number) {
  assert(number >> MOST_WIDTH == 0);
  column->monotone &= number >= column->last;
  column->last = number;
  column->open[column->count % CLEW_COMBACK_CHUNK] = number;
  column->count++;
  if (column->count % CLEW_COMBACK_CHUNK == 0) {
    seal(column);
  }
}

/* ---- reading ---- */

/* Byte i of the result: how many bits are set in bytes 0 … i of the word. (Not every processor that
 * this is compiled for counts bits in one instruction, and a call for each word takes longer.) */
static inline uint64_t count_by_byte(uint64_t word) {
  word -= word >> 1 & UINT64_C(0x5555555555555555);
  word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
  word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return word * UINT64_C(0x0101010101010101);
}

static const uint64_t EVERY_BYTE = UINT64_C(0x0101010101010101);

/* How many of the bytes of `sums`, each at most 64, are at most k, which is at most 63. */
static inline uint32_t bytes_up_to(uint64_t sums, uint32_t k) {
  uint64_t high = EVERY_BYTE << 7;
  uint64_t reached = ((k * EVERY_BYTE | high) - sums) & high;
  return (uint32_t)((reached >> 7) * EVERY_BYTE >> 56);
}

/* The place of one number k (from 0) of the word's set bits; there are more than k. Without
 * branches: which way they go nobody can foresee. */
static inline uint32_t select_in_word(uint64_t word, uint64_t counts, uint32_t k) {
  assert(k < counts >> 56);
  uint32_t shift = 8 * bytes_up_to(counts, k);
  k -= (uint32_t)(counts << 8 >> shift & 0xff);
  /* The bits of the byte, each in a byte of its own. */
  uint64_t bits = (word >> shift & 0xff) * EVERY_BYTE & UINT64_C(0x8040201008040201);
  bits = (bits + EVERY_BYTE * 0x7f) >> 7 & EVERY_BYTE;
  return shift + bytes_up_to(bits * EVERY_BYTE, k);
}

/* The place of set bit number k. */
static uint32_t select_bit(const unsigned char *bits, uint32_t k) {
  for (uint32_t at = 0;; at += 64) {
    uint64_t word = load_bits(bits + at / 8), counts = count_by_byte(word);
    uint32_t ones = (uint32_t)(counts >> 56);
    if (k < ones) {
      return at + select_in_word(word, counts, k);
    }
    k -= ones;
  }
}

/* Where in a unary chunk number k ends. */
static uint32_t place_of_number(const unsigned char *data, uint32_t k) {
  assert(k < CLEW_COMBACK_CHUNK);
  uint32_t sample = k / SAMPLE, from = 0;
  if (sample > 0) {
    const unsigned char *at = data + 2 * (size_t)(sample - 1);
    from = at[0] | (uint32_t)at[1] << 8;
  }
  const unsigned char *bits = data + SAMPLE_BYTES + from / 8;
  uint32_t skipped = from % 8; /* clear bits or ends of earlier numbers, of which there are few */
  uint64_t word = load_bits(bits) >> skipped, counts = count_by_byte(word);
  k -= sample * SAMPLE;
  if (k < counts >> 56) {
    return from + select_in_word(word, counts, k);
  }
  k -= (uint32_t)(counts >> 56);
  return from - skipped + 64 + select_bit(bits + 8, k);
}

static uint64_t get_in_chunk(const struct clew_comback_column *column, uint64_t chunk, uint32_t k) {
  assert(k < CLEW_COMBACK_CHUNK);
  const unsigned char *data = data_of(column, chunk);
  uint64_t base = base_of(chunk_at(column, chunk));
  uint32_t width = data[0];
  if (width == UNARY) {
    return base + place_of_number(data + 1, k) - k;
  }
  uint32_t at = k * width;
  uint64_t word = load_bits(data + 1 + at / 8) >> at % 8;
  return base + (word & clew_bits_mask(width));
}

uint64_t clew_comback_column_get(const struct clew_comback_column *column, uint64_t index) {
  assert(index < column->count);
  uint64_t chunk = index / CLEW_COMBACK_CHUNK;
  uint32_t k = (uint32_t)(index % CLEW_COMBACK_CHUNK);
  return chunk == column->count / CLEW_COMBACK_CHUNK ? column->open[k]
                                                     : get_in_chunk(column, chunk, k);
}

uint64_t clew_comback_column_bytes(const struct clew_comback_column *column) {
  assert(column->data_bytes <= column->data.reserved_bytes);
  return column->data.committed_bytes + column->directory.committed_bytes;
}

const char *clew_comback_column_check(const struct clew_comback_column *column) {
  assert(column->count <= CLEW_COMBACK_MAX_STATES);
  uint64_t last = 0;
  bool monotone = true;
  for (uint64_t i = 0; i < column->count; i++) {
    uint64_t number = clew_comback_column_get(column, i);
    monotone &= number >= last;
    last = number;
  }
  if (last != column->last) {
    return "a column does not end with its last number";
  }
  return monotone == column->monotone ? NULL : "a column is not as monotone as it says";
}
