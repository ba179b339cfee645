/* States by id: blocks in a file, the last one in memory, some others in a cache that has one place
 * for each. */
#include "trace/past.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { BLOCK_BYTES = 1 << 16, LEAST_SLOTS = 4, MOST_SLOTS = 256, BUDGET_SHARE = 16 };

struct slot {
  uint64_t block; /* whose copy is here; UINT64_MAX: none */
  uint64_t *data;
};

struct clew_past {
  uint32_t words, per_block; /* states in a block */
  size_t block_bytes;        /* and a checksum behind it in the file */
  struct clew_budget *budget;
  bool is_taken; /* its memory, from the budget: the least of it is there in any case */
  struct clew_scratch *scratch;
  int fd; /* -1: nothing was written */
  uint64_t count;
  uint64_t forgotten; /* blocks */
  uint64_t *tail;     /* the last block */
  uint32_t slot_count;
  struct slot slots[MOST_SLOTS];
};

static uint64_t bytes_of(const struct clew_past *past) {
  return (past->slot_count + UINT64_C(1)) * past->block_bytes;
}

static uint32_t choose_slots(const struct clew_budget *budget, size_t block_bytes) {
  uint64_t slots = budget->limit_bytes / BUDGET_SHARE / block_bytes;
  slots = slots > MOST_SLOTS ? MOST_SLOTS : slots;
  return slots < LEAST_SLOTS ? LEAST_SLOTS : (uint32_t)slots;
}

struct clew_past *clew_past_open(uint32_t words, struct clew_budget *budget,
                                 struct clew_scratch *scratch) {
  size_t state_bytes = words * sizeof(uint64_t);
  struct clew_past *past = clew_alloc_zero(1, sizeof *past);
  past->words = words;
  past->per_block = state_bytes < BLOCK_BYTES ? (uint32_t)(BLOCK_BYTES / state_bytes) : 1;
  past->block_bytes = past->per_block * state_bytes;
  past->budget = budget;
  past->scratch = scratch;
  past->fd = -1;
  past->slot_count = choose_slots(budget, past->block_bytes);
  while (!(past->is_taken = clew_budget_take(budget, bytes_of(past))) &&
         past->slot_count > LEAST_SLOTS) {
    past->slot_count = past->slot_count / 2 > LEAST_SLOTS ? past->slot_count / 2 : LEAST_SLOTS;
  }
  past->tail = clew_alloc(past->block_bytes);
  for (uint32_t i = 0; i < past->slot_count; i++) {
    past->slots[i] = (struct slot){UINT64_MAX, clew_alloc(past->block_bytes)};
  }
  return past;
}

void clew_past_close(struct clew_past *past) {
  if (past == NULL) {
    return;
  }
  if (past->fd >= 0) {
    close(past->fd);
  }
  for (uint32_t i = 0; i < past->slot_count; i++) {
    clew_free(past->slots[i].data);
  }
  clew_free(past->tail);
  if (past->is_taken) {
    clew_budget_give(past->budget, bytes_of(past));
  }
  clew_free(past);
}

static uint64_t place_of(const struct clew_past *past, uint64_t block) {
  return block * (past->block_bytes + sizeof(uint64_t));
}

static bool write_tail(struct clew_past *past, uint64_t block) {
  if (past->fd < 0) {
    past->fd = clew_scratch_nameless(past->scratch, "past-states");
  }
  uint64_t sum = clew_hash_bytes(past->tail, past->block_bytes, block);
  uint64_t at = place_of(past, block);
  return past->fd >= 0 && clew_fd_write_at(past->fd, past->tail, past->block_bytes, at) &&
         clew_fd_write_at(past->fd, &sum, sizeof sum, at + past->block_bytes);
}

bool clew_past_push(struct clew_past *past, const uint64_t *state) {
  uint32_t in_block = (uint32_t)(past->count % past->per_block);
  memcpy(past->tail + (size_t)in_block * past->words, state, past->words * sizeof *state);
  past->count++;
  return in_block + 1 < past->per_block || write_tail(past, past->count / past->per_block - 1);
}

static bool read_block(struct clew_past *past, uint64_t block, struct slot *slot) {
  uint64_t sum, at = place_of(past, block);
  slot->block = UINT64_MAX;
  if (!clew_fd_read_at(past->fd, slot->data, past->block_bytes, at) ||
      !clew_fd_read_at(past->fd, &sum, sizeof sum, at + past->block_bytes)) {
    return false;
  }
  if (sum != clew_hash_bytes(slot->data, past->block_bytes, block)) {
    errno = EBADMSG;
    return false;
  }
  slot->block = block;
  return true;
}

const uint64_t *clew_past_get(struct clew_past *past, clew_id id) {
  assert(id < past->count && id / past->per_block >= past->forgotten);
  uint64_t block = id / past->per_block;
  size_t at = (size_t)(id % past->per_block) * past->words;
  if (block == past->count / past->per_block) {
    return past->tail + at;
  }
  struct slot *slot = &past->slots[block % past->slot_count];
  if (slot->block != block && !read_block(past, block, slot)) {
    return NULL;
  }
  return slot->data + at;
}

void clew_past_forget(struct clew_past *past, clew_id below) {
  uint64_t block = below / past->per_block;
  assert(below <= past->count);
  if (past->fd >= 0 && block > past->forgotten) {
    uint64_t from = place_of(past, past->forgotten), end = place_of(past, block);
    /* A file system that cannot give room back keeps it until the end. */
    (void)!fallocate(past->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
                     (off_t)(end - from));
  }
  past->forgotten = block > past->forgotten ? block : past->forgotten;
}
