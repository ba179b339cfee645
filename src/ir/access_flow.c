/* The abstract state of the access analysis: sets of slots, constants in frame cells, and regions
 * of cells that are read or written.
 *
 * Invariant: a slot is in `must` only if every execution that gets here and will yield a successor
 * has written it; a frame cell is known only if every such execution has this value in it. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "ir/access_int.h"

/* Constants are followed in the first cells of a frame only, where parameters and loop variables
 * are; large local arrays would cost much at every branch and tell nothing. */
enum { FOLLOWED_CELLS = 256 };

static const struct clew_known unknown = {.known = false};

static bool known_same(struct clew_known x, struct clew_known y) {
  return x.known == y.known && (!x.known || x.value == y.value);
}

void clew_abstract_open(struct clew_abstract *a, const struct clew_program *program, uint64_t *read,
                        uint64_t *may_write) {
  assert(program->slots != NULL || program->slot_count == 0);
  *a = (struct clew_abstract){.program = program,
                              .set_words = CLEW_BITSET_WORDS(program->slot_count),
                              .read = read,
                              .may_write = may_write,
                              .unrolled = 1};
  a->flow.reachable = true;
  a->flow.must = clew_alloc_zero((size_t)a->set_words + 1, sizeof(uint64_t));
}

void clew_abstract_close(struct clew_abstract *a) {
  assert(a->weak == 0 && a->depth == 0);
  clew_flow_free(&a->flow);
  clew_vec_free(&a->frames);
}

/* ---- Frames ------------------------------------------------------------------------------- */

uint32_t clew_abstract_push(struct clew_abstract *a, const struct clew_frame *frame) {
  uint32_t count = frame->cells < FOLLOWED_CELLS ? frame->cells : FOLLOWED_CELLS;
  struct clew_access_frame pushed = {.first = a->cell_count, .count = count, .weak = a->weak};
  clew_vec_push(&a->frames, pushed);
  if (a->flow.cells == NULL || a->cell_count + count > a->cell_capacity) {
    a->cell_capacity = 2 * (a->cell_count + count) + 16;
    a->flow.cells = clew_realloc_array(a->flow.cells, a->cell_capacity, sizeof *a->flow.cells);
  }
  for (uint32_t i = 0; i < count; i++) {
    a->flow.cells[a->cell_count + i] = (struct clew_known){.known = true, .value = CLEW_UNDEFINED};
  }
  a->cell_count += count;
  assert(a->cell_count <= a->cell_capacity);
  return a->frames.len - 1;
}

void clew_abstract_pop(struct clew_abstract *a) {
  assert(a->frames.len > 0);
  a->cell_count = clew_vec_pop(&a->frames).first;
}

/* The cell, or NULL when it is not followed. */
static struct clew_known *cell_at(const struct clew_abstract *a, uint32_t frame, uint32_t cell) {
  assert(frame < a->frames.len);
  const struct clew_access_frame *f = &a->frames.data[frame];
  return cell < f->count ? &a->flow.cells[f->first + cell] : NULL;
}

void clew_abstract_bind(struct clew_abstract *a, uint32_t frame, uint32_t cell,
                        struct clew_known value) {
  struct clew_known *place = cell_at(a, frame, cell);
  assert(frame == a->frames.len - 1);
  if (place != NULL) {
    *place = value;
  }
}

static void cell_write(struct clew_abstract *a, const struct clew_region *region, uint32_t cell,
                       struct clew_known value) {
  assert(!region->in_state);
  struct clew_known *place = cell_at(a, region->frame, cell);
  if (place == NULL) {
    return;
  }
  if (region->dim_count == 0 && a->frames.data[region->frame].weak == a->weak) {
    *place = value;
  } else if (!known_same(*place, value)) {
    a->weak_changes += place->known;
    *place = unknown;
  }
}

/* ---- Flows -------------------------------------------------------------------------------- */

struct clew_flow clew_flow_save(const struct clew_abstract *a) {
  struct clew_flow flow = {.reachable = a->flow.reachable};
  /* One more than needed, so that NULL always means "no flow". */
  flow.must = clew_alloc_zero((size_t)a->set_words + 1, sizeof *flow.must);
  flow.cells = clew_alloc_zero((size_t)a->cell_count + 1, sizeof *flow.cells);
  memcpy(flow.must, a->flow.must, a->set_words * sizeof *flow.must);
  if (a->cell_count > 0) {
    memcpy(flow.cells, a->flow.cells, a->cell_count * sizeof *flow.cells);
  }
  assert(flow.must != NULL && flow.cells != NULL);
  return flow;
}

void clew_flow_load(struct clew_abstract *a, const struct clew_flow *flow) {
  assert(flow->cells != NULL);
  a->flow.reachable = flow->reachable;
  memcpy(a->flow.must, flow->must, a->set_words * sizeof *flow->must);
  if (a->cell_count > 0) {
    memcpy(a->flow.cells, flow->cells, a->cell_count * sizeof *flow->cells);
  }
}

void clew_flow_free(struct clew_flow *flow) {
  assert(flow != NULL);
  clew_free(flow->must);
  clew_free(flow->cells);
  *flow = (struct clew_flow){0};
}

/* *to becomes what holds in *to and in *from. */
static bool flow_meet(const struct clew_abstract *a, struct clew_flow *to,
                      const struct clew_flow *from) {
  if (!from->reachable) {
    return false;
  }
  bool changed = !to->reachable;
  if (changed) {
    to->reachable = true;
    memcpy(to->must, from->must, a->set_words * sizeof *to->must);
    if (a->cell_count > 0) {
      memcpy(to->cells, from->cells, a->cell_count * sizeof *to->cells);
    }
    return true;
  }
  for (uint32_t i = 0; i < a->set_words; i++) {
    to->must[i] &= from->must[i];
  }
  for (uint32_t i = 0; i < a->cell_count; i++) {
    if (to->cells[i].known && !known_same(to->cells[i], from->cells[i])) {
      to->cells[i] = unknown;
      changed = true;
    }
  }
  assert(to->reachable);
  return changed;
}

bool clew_flow_join(const struct clew_abstract *a, struct clew_flow *flow) {
  assert(flow->cells != NULL);
  return flow_meet(a, flow, &a->flow);
}

void clew_flow_merge(struct clew_abstract *a, struct clew_flow *flow) {
  assert(flow->cells != NULL);
  flow_meet(a, &a->flow, flow);
  clew_flow_free(flow);
}

/* ---- Regions ------------------------------------------------------------------------------ */

void clew_region_add_dim(struct clew_region *region, uint32_t count, uint32_t stride) {
  assert(count > 0);
  if (count == 1) {
    return;
  }
  if (region->dim_count == CLEW_REGION_DIMS) {
    /* A start at any cell between the first and the last: more than is meant, never less. */
    uint32_t reach = 1;
    for (uint32_t i = 0; i < region->dim_count; i++) {
      reach += (region->dims[i].count - 1) * region->dims[i].stride;
    }
    region->dims[0].count = reach;
    region->dims[0].stride = 1;
    region->dim_count = 1;
  }
  region->dims[region->dim_count].count = count;
  region->dims[region->dim_count].stride = stride;
  region->dim_count++;
}

typedef void run_function(struct clew_abstract *a, const struct clew_region *region, uint32_t first,
                          uint32_t cells);

/* Calls f for every run of consecutive cells of the region. */
static void region_each(struct clew_abstract *a, const struct clew_region *region,
                        run_function *f) {
  uint32_t cells = region->cells, dims = region->dim_count;
  while (dims > 0 && region->dims[dims - 1].stride == cells) {
    cells *= region->dims[--dims].count;
  }
  uint32_t at[CLEW_REGION_DIMS] = {0};
  uint32_t first = region->base;
  for (;;) {
    f(a, region, first, cells);
    uint32_t d = dims;
    while (d > 0 && at[d - 1] == region->dims[d - 1].count - 1) {
      first -= at[d - 1] * region->dims[d - 1].stride;
      at[--d] = 0;
    }
    if (d == 0) {
      break;
    }
    at[d - 1]++;
    first += region->dims[d - 1].stride;
  }
  assert(first == region->base);
}

/* The bits first .. first+count-1 as far as they are in word w. */
static uint64_t word_mask(uint32_t w, uint32_t first, uint32_t count) {
  uint64_t from = (uint64_t)w * 64, to = from + 64;
  uint64_t low = first > from ? first : from;
  uint64_t high = (uint64_t)first + count < to ? (uint64_t)first + count : to;
  assert(low < high);
  return clew_bits_mask((uint32_t)(high - low)) << (low - from);
}

static void run_read(struct clew_abstract *a, const struct clew_region *region, uint32_t first,
                     uint32_t cells) {
  assert(region->in_state && first + cells <= a->program->slot_count);
  for (uint32_t w = first / 64; cells > 0 && w <= (first + cells - 1) / 64; w++) {
    a->read[w] |= word_mask(w, first, cells) & ~a->flow.must[w];
  }
}

static void run_write(struct clew_abstract *a, const struct clew_region *region, uint32_t first,
                      uint32_t cells) {
  assert(region->in_state && first + cells <= a->program->slot_count);
  bool surely = region->dim_count == 0 && a->weak == 0;
  for (uint32_t w = first / 64; cells > 0 && w <= (first + cells - 1) / 64; w++) {
    uint64_t mask = word_mask(w, first, cells);
    a->may_write[w] |= mask;
    a->flow.must[w] |= surely ? mask : 0;
  }
}

static void run_may_write(struct clew_abstract *a, const struct clew_region *region, uint32_t first,
                          uint32_t cells) {
  assert(region->in_state && first + cells <= a->program->slot_count);
  for (uint32_t w = first / 64; cells > 0 && w <= (first + cells - 1) / 64; w++) {
    a->may_write[w] |= word_mask(w, first, cells);
  }
}

static void run_forget(struct clew_abstract *a, const struct clew_region *region, uint32_t first,
                       uint32_t cells) {
  assert(!region->in_state);
  for (uint32_t i = 0; i < cells && i < FOLLOWED_CELLS; i++) {
    cell_write(a, region, first + i, unknown);
  }
}

void clew_region_read(struct clew_abstract *a, const struct clew_region *region) {
  assert(region->dim_count <= CLEW_REGION_DIMS);
  if (region->in_state && a->flow.reachable) {
    region_each(a, region, run_read);
  }
}

void clew_region_write(struct clew_abstract *a, const struct clew_region *region,
                       struct clew_known value) {
  assert(!value.known || region->cells == 1);
  if (!a->flow.reachable) {
    return;
  }
  if (region->in_state) {
    region_each(a, region, run_write);
  } else if (region->dim_count == 0 && region->cells == 1) {
    cell_write(a, region, region->base, value);
  } else {
    region_each(a, region, run_forget);
  }
}

void clew_region_update(struct clew_abstract *a, const struct clew_region *region) {
  assert(region->cells > 0);
  clew_region_read(a, region);
  if (a->flow.reachable) {
    region_each(a, region, region->in_state ? run_may_write : run_forget);
  }
}

struct clew_known clew_region_value(const struct clew_abstract *a,
                                    const struct clew_region *region) {
  assert(region->cells >= 1);
  if (region->in_state || region->dim_count > 0) {
    return unknown;
  }
  const struct clew_known *cell = cell_at(a, region->frame, region->base);
  return cell == NULL ? unknown : *cell;
}

void clew_region_copy(struct clew_abstract *a, const struct clew_region *to,
                      const struct clew_region *from) {
  clew_region_read(a, from);
  assert(to->cells == from->cells || to->dim_count + from->dim_count > 0);
  if (to->in_state || to->dim_count > 0 || from->dim_count > 0 || from->in_state) {
    clew_region_write(a, to, unknown);
    return;
  }
  struct clew_region t = *to, f = *from;
  t.cells = f.cells = 1;
  for (uint32_t i = 0; i < to->cells && i < FOLLOWED_CELLS; i++, t.base++, f.base++) {
    clew_region_write(a, &t, clew_region_value(a, &f));
  }
}
