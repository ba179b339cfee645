/* Growing a signature table in place (compact_table.h).
 *
 * The signatures lie in increasing order and have to lie so in the new shape, where each is a
 * little further: one pass from the first to the last, reading and writing in sequence. The old
 * image is first moved to the end of the memory; the reader goes through it and the writer starts
 * at the beginning. The writer stays behind the reader because the image gets longer; close to the
 * end, where they meet, what was read waits in a queue until there is room.
 *
 * The number h of a signature is recovered without dividing. Of the numbers of a home, let `base`
 * be the least and `spare` = base * homes - home * 2^hash_bits (less than `homes`); both follow
 * from those of the home before. The remainder then tells how many steps of `homes` it is to h. */
#include "base/alloc.h"
#include "store/compact_table_int.h"

struct reader {
  struct clew_compact_table image; /* of the old shape, where it was moved */
  uint64_t step, rest;             /* 2^hash_bits = step * homes + rest */
  uint64_t inverse;                /* 2^64 * 2^floor(log2(homes)) / homes, or a little less */
  uint64_t base, spare;            /* of `home` */
  uint64_t home, slot;             /* slot: behind the runs read */
};

struct writer {
  struct clew_compact_table *table;
  uint64_t cleared;   /* blocks whose head is initialised */
  uint64_t offsets;   /* blocks whose offset is known */
  uint64_t next;      /* slot */
  uint64_t last_home; /* of the signature before */
};

struct queue {
  uint64_t *numbers;
  size_t first, len, cap;
};

static void push(struct queue *queue, uint64_t number) {
  if (queue->len == queue->cap) {
    queue->cap = queue->cap == 0 ? 1024 : queue->cap * 2;
    queue->numbers = clew_realloc_array(queue->numbers, queue->cap, sizeof *queue->numbers);
  }
  queue->numbers[queue->len++] = number;
}

static void reader_init(struct reader *r, const struct clew_compact_table *old) {
  uint64_t homes = old->shape.homes;
  assert(homes > 0 && old->shape.hash_bits <= 64);
  assert(old->count <= old->end);
  unsigned __int128 numbers = (unsigned __int128)1 << old->shape.hash_bits;
  *r = (struct reader){
      .image = *old, .step = (uint64_t)(numbers / homes), .rest = (uint64_t)(numbers % homes)};
  unsigned __int128 inverse = ((unsigned __int128)1 << (64 + old->shape.remainder_shift)) / homes;
  r->inverse = inverse > UINT64_MAX ? UINT64_MAX : (uint64_t)inverse;
  assert(r->rest < homes);
}

static inline void next_home(struct reader *r) {
  bool fits = r->spare >= r->rest;
  r->base += r->step + !fits;
  r->spare = r->spare - r->rest + (fits ? 0 : r->image.shape.homes);
  r->home++;
}

/* Of the remainder of a home with these. */
static inline uint64_t number_of(const struct reader *r, uint64_t base, uint64_t spare,
                                 uint64_t remainder) {
  uint64_t steps = (uint64_t)(((unsigned __int128)remainder * r->inverse) >> 64);
  uint64_t fraction = spare + steps * r->image.shape.homes;
  /* The estimate is at most two too small; without branches because they would be random. */
  for (int i = 0; i < 2; i++) {
    uint64_t more = fraction >> r->image.shape.remainder_shift < remainder;
    fraction += r->image.shape.homes & -more;
    steps += more;
  }
  assert(fraction >> r->image.shape.remainder_shift == remainder);
  return base + steps;
}

/* Reads the signatures of all homes of one block. Which homes are occupied and where runs end is
 * random: the loop goes from signature to signature and branches on neither. */
static void read_block(struct reader *r, struct queue *queue) {
  uint32_t bits = r->image.shape.remainder_bits;
  uint64_t first = r->home, left = r->image.shape.homes - first, slot = r->slot;
  assert(first % BLOCK_SLOTS == 0 && left > 0);
  uint64_t occupied = occupied_of(block_at(&r->image, first / BLOCK_SLOTS));
  uint64_t bases[BLOCK_SLOTS], spares[BLOCK_SLOTS];
  for (uint32_t i = 0; i < BLOCK_SLOTS && i < left; i++) {
    bases[i] = r->base;
    spares[i] = r->spare;
    next_home(r);
  }
  while (occupied != 0) {
    uint32_t home = (uint32_t)__builtin_ctzll(occupied);
    slot = slot > first + home ? slot : first + home;
    const unsigned char *block = block_at(&r->image, slot / BLOCK_SLOTS);
    uint64_t remainder = remainder_in(block, slot % BLOCK_SLOTS, bits);
    push(queue, number_of(r, bases[home], spares[home], remainder));
    uint64_t is_end = run_ends_of(block) >> slot % BLOCK_SLOTS & 1;
    occupied &= occupied - is_end; /* after the last one of a home it is the next one's turn */
    slot++;
  }
  r->slot = slot;
  assert(r->slot <= r->image.blocks * BLOCK_SLOTS);
  assert(r->home > first);
}

/* Initialises the heads up to `block`, and the offsets, which are final for the homes so far. */
static inline void clear_to(struct writer *w, uint64_t block) {
  for (; w->cleared <= block; w->cleared++) {
    memset(block_at(w->table, w->cleared), 0, HEAD_BYTES);
  }
}

static inline void settle_offsets(struct writer *w, uint64_t block) {
  for (; w->offsets <= block; w->offsets++) {
    uint64_t first = w->offsets * BLOCK_SLOTS;
    set_offset(block_at(w->table, w->offsets), w->next > first ? w->next - first : 0);
  }
}

static inline void add_bit(struct clew_compact_table *t, uint64_t bit, size_t at, bool is_set) {
  unsigned char *word = block_at(t, bit / BLOCK_SLOTS) + at;
  store_word(word, load_word(word) | (uint64_t)is_set << bit % BLOCK_SLOTS);
}

/* Appends the signature unless that would touch bytes from `limit` on. Only the next one tells
 * whether it ends its run. */
static inline bool write_number(struct writer *w, uint64_t number, uint64_t limit_bytes) {
  struct clew_compact_table *t = w->table;
  struct clew_compact_place place = place_of(&t->shape, number);
  uint64_t slot = w->next > place.home ? w->next : place.home, block = slot / BLOCK_SLOTS;
  if ((block + 1) * t->shape.block_bytes > limit_bytes) {
    return false;
  }
  clear_to(w, block);
  settle_offsets(w, place.home / BLOCK_SLOTS);
  set_remainder_in(block_at(t, block), slot % BLOCK_SLOTS, t->shape.remainder_bits,
                   place.remainder);
  add_bit(t, place.home, OCCUPIED_AT, true);
  add_bit(t, w->next - (w->next > 0), RUN_ENDS_AT, w->next > 0 && place.home != w->last_home);
  w->last_home = place.home;
  w->next = slot + 1;
  return true;
}

static void write_queue(struct writer *w, struct queue *queue, uint64_t limit_bytes) {
  assert(queue->first <= queue->len && queue->len <= queue->cap);
  while (queue->first < queue->len && write_number(w, queue->numbers[queue->first], limit_bytes)) {
    queue->first++;
  }
  if (queue->first == queue->len) {
    queue->first = queue->len = 0;
  }
}

void clew_compact_table_reshape(struct clew_compact_table *table,
                                const struct clew_compact_shape *shape, uint64_t blocks) {
  assert(shape->hash_bits == table->shape.hash_bits && shape->homes >= table->shape.homes);
  assert(table->shape.homes >> table->shape.remainder_shift == 1); /* a growing one */
  struct reader reader;
  reader_init(&reader, table);
  uint64_t old_bytes = table->blocks * table->shape.block_bytes;
  uint64_t new_bytes = blocks * shape->block_bytes, moved_by = new_bytes - old_bytes;
  assert(new_bytes >= old_bytes);
  memmove(table->data + moved_by, table->data, old_bytes);
  reader.image.data = table->data + moved_by;
  table->shape = *shape;
  table->blocks = blocks;
  struct writer writer = {.table = table};
  struct queue queue = {0};
  while (reader.home < reader.image.shape.homes) {
    read_block(&reader, &queue);
    uint64_t read_bytes = reader.home / BLOCK_SLOTS * reader.image.shape.block_bytes;
    write_queue(&writer, &queue, moved_by + read_bytes);
  }
  write_queue(&writer, &queue, UINT64_MAX);
  assert(queue.len == 0);
  clear_to(&writer, blocks - 1);
  settle_offsets(&writer, blocks - 1);
  if (writer.next > 0) {
    add_bit(table, writer.next - 1, RUN_ENDS_AT, true);
  }
  table->end = writer.next;
  clew_free(queue.numbers);
}
