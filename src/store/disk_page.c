/* A page of sorted keys, Elias-Fano coded: n keys above `first`, as far as `last`, take about
 * 2 + log2((last - first) / n) bits each, which is within half a bit of what random keys need.
 *
 * The low `low_bits` bits of each distance from `first` lie side by side; the rest, the *high*
 * part, is kept in unary: entry i sets bit high(i) + i of the upper bits. So the entries of high
 * part h are the ones between the h-th zero and the next, and a key is looked up by counting zeros
 * and comparing the one or two entries found there: nothing is decoded. A cursor remembers how far
 * it has counted, since keys are asked for in ascending order.
 *
 * Layout: head, upper bits (whole words), low parts. Readers may touch a few bytes behind a page.
 */
#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "store/disk_int.h"

enum {
  HEAD_BYTES = sizeof(struct clew_disk_page),
  BODY_BITS = (CLEW_DISK_PAGE_BYTES - HEAD_BYTES) * 8,
};
static_assert(HEAD_BYTES == 40 && HEAD_BYTES % 8 == 0, "the upper bits are aligned");
static_assert(BODY_BITS / 64 <= UINT8_MAX, "upper_words is a byte");

struct shape {
  uint32_t low_bits, upper_words;
  uint64_t bits; /* of the body */
};

static struct shape shape_of(uint64_t first, uint64_t last, uint32_t n, uint32_t shift) {
  assert(n > 0 && first <= last);
  uint64_t range = (last - first) >> shift, per_entry = range / n;
  struct shape shape = {.low_bits = per_entry > 0 ? clew_bits_for(per_entry) - 1 : 0};
  shape.upper_words = (uint32_t)(((range >> shape.low_bits) + n + 63) / 64);
  shape.bits = (uint64_t)shape.upper_words * 64 + (uint64_t)n * shape.low_bits;
  return shape;
}

static bool fits(const uint64_t *keys, uint32_t n, uint32_t shift) {
  assert(n > 0);
  return shape_of(keys[0], keys[n - 1], n, shift).bits <= BODY_BITS;
}

uint32_t clew_disk_page_fit(const uint64_t *keys, uint32_t n, uint32_t shift, uint32_t guess) {
  assert(n > 0 && n <= CLEW_DISK_PAGE_ENTRIES);
  uint32_t count = guess < 1 ? 1 : guess > n ? n : guess;
  while (count < n && fits(keys, count + 1, shift)) {
    count++;
  }
  while (!fits(keys, count, shift)) {
    count--; /* one key takes no low bits at all, so this ends */
  }
  assert(count >= 1);
  return count;
}

/* ---- bit fields that begin anywhere ---- */

static inline uint64_t load64(const unsigned char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

static inline uint64_t get_bits(const unsigned char *base, uint64_t bit, uint32_t width) {
  const unsigned char *at = base + bit / 8;
  uint32_t skip = bit % 8;
  uint64_t value = load64(at) >> skip;
  if (skip + width > 64) {
    value |= (uint64_t)at[8] << (64 - skip);
  }
  return value & clew_bits_mask(width);
}

/* The bits are still zero, and nothing is written beyond `end`. */
static void set_bits(unsigned char *base, const unsigned char *end, uint64_t bit, uint32_t width,
                     uint64_t value) {
  assert(width <= 64);
  assert(value <= clew_bits_mask(width));
  unsigned char *at = base + bit / 8;
  uint32_t skip = bit % 8;
  if (skip + width <= 64 && end - at >= 8) {
    uint64_t word = load64(at) | value << skip;
    memcpy(at, &word, sizeof word);
    return;
  }
  for (uint32_t done = 0; done < width; at++) {
    *at |= (unsigned char)(value >> done << skip);
    done += 8 - skip;
    skip = 0;
  }
}

/* ---- encoding and decoding ---- */

static const unsigned char *lows_of(const unsigned char *page) {
  return page + HEAD_BYTES + (size_t)clew_disk_page_head(page)->upper_words * 8;
}

void clew_disk_page_encode(unsigned char *page, const uint64_t *keys, uint32_t n, uint32_t shift,
                           uint64_t rank) {
  assert(n > 0);
  assert(shift < 64);
  struct shape shape = shape_of(keys[0], keys[n - 1], n, shift);
  assert(shape.bits <= BODY_BITS && n <= CLEW_DISK_PAGE_ENTRIES);
  struct clew_disk_page head = {.first = keys[0],
                                .last = keys[n - 1],
                                .rank = rank,
                                .count = (uint16_t)n,
                                .low_bits = (uint8_t)shape.low_bits,
                                .shift = (uint8_t)shift,
                                .upper_words = (uint8_t)shape.upper_words};
  memcpy(page, &head, sizeof head);
  unsigned char *upper = page + HEAD_BYTES, *lows = upper + (size_t)shape.upper_words * 8;
  uint64_t mask = clew_bits_mask(shape.low_bits);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t distance = (keys[i] - keys[0]) >> shift, bit = (distance >> shape.low_bits) + i;
    assert(i == 0 || keys[i - 1] <= keys[i]);
    upper[bit / 8] |= (unsigned char)(1u << (bit % 8));
    set_bits(lows, page + CLEW_DISK_PAGE_BYTES, (uint64_t)i * shape.low_bits, shape.low_bits,
             distance & mask);
  }
}

void clew_disk_page_decode(const unsigned char *page, uint64_t *keys) {
  const struct clew_disk_page *head = clew_disk_page_head(page);
  const unsigned char *lows = lows_of(page);
  uint32_t low_bits = head->low_bits, shift = head->shift, count = 0;
  uint64_t first = head->first, low_at = 0;
  for (uint32_t word = 0; word < head->upper_words; word++) {
    uint64_t ones = load64(page + HEAD_BYTES + (size_t)word * 8);
    for (; ones != 0; ones &= ones - 1, count++, low_at += low_bits) {
      uint64_t high = (uint64_t)word * 64 + (uint32_t)__builtin_ctzll(ones) - count;
      uint64_t distance = high << low_bits | get_bits(lows, low_at, low_bits);
      keys[count] = first + (distance << shift);
    }
  }
  assert(count == head->count);
  assert(keys[0] == head->first && keys[count - 1] == head->last);
}

/* ---- searching ---- */

static const uint64_t BYTE_ONES = UINT64_C(0x0101010101010101);
static const uint64_t BYTE_HIGHS = UINT64_C(0x8080808080808080);

/* Byte i: the number of ones in bytes 0 to i. */
static inline uint64_t ones_up_to(uint64_t x) {
  x -= (x >> 1) & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));
  x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return x * BYTE_ONES;
}

/* The place of the one that has k ones before it; `sums` are its ones_up_to. */
static inline uint32_t select_one(uint64_t x, uint64_t sums, uint32_t k) {
  uint64_t before =
      ((k * BYTE_ONES | BYTE_HIGHS) - sums) & BYTE_HIGHS; /* bytes that end too soon */
  uint32_t place = (uint32_t)(((before >> 7) * BYTE_ONES) >> 56) * 8;
  k -= (uint32_t)((sums << 8) >> place) & 0xff;
  uint32_t byte = (uint32_t)(x >> place) & 0xff;
  for (; k > 0; k--) {
    byte &= byte - 1;
  }
  return place + (uint32_t)__builtin_ctz(byte);
}

/* The place behind the zero number `wanted` of the upper bits, counted from 1. */
static inline uint32_t behind_zero(struct clew_disk_page_cursor *cursor, uint32_t wanted) {
  assert(wanted > cursor->zeros);
  for (;;) {
    uint64_t zeros = ~load64(cursor->page + HEAD_BYTES + (size_t)cursor->word * 8);
    uint64_t sums = ones_up_to(zeros);
    uint32_t here = (uint32_t)(sums >> 56);
    if (cursor->zeros + here >= wanted) {
      return cursor->word * 64 + select_one(zeros, sums, wanted - cursor->zeros - 1) + 1;
    }
    cursor->zeros += here;
    cursor->word++;
    assert(cursor->word < clew_disk_page_head(cursor->page)->upper_words);
  }
}

static inline bool upper_bit(const unsigned char *page, uint32_t bit) {
  return (page[HEAD_BYTES + bit / 8] >> (bit % 8)) & 1;
}

uint32_t clew_disk_page_search(struct clew_disk_page_cursor *cursor, uint64_t key,
                               uint32_t *index) {
  const unsigned char *page = cursor->page, *lows = lows_of(page);
  const struct clew_disk_page *head = clew_disk_page_head(page);
  assert(head->first <= key && key <= head->last);
  uint32_t low_bits = head->low_bits, bits = head->upper_words * 64u;
  uint64_t distance = (key - head->first) >> head->shift;
  uint32_t high = (uint32_t)(distance >> low_bits);
  uint64_t low = distance & clew_bits_mask(low_bits);
  uint32_t bit = high == 0 ? 0 : behind_zero(cursor, high), entry = bit - high, found = 0;
  for (; bit < bits && upper_bit(page, bit); bit++, entry++) {
    uint64_t here = get_bits(lows, (uint64_t)entry * low_bits, low_bits);
    if (here > low) {
      break;
    }
    if (here == low && found++ == 0) {
      *index = entry;
    }
  }
  assert(found == 0 || *index + found <= head->count);
  return found;
}
