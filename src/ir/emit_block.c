/* Emitting C: operations on whole blocks of cells (copy, compare, clear).
 *
 * Between two blocks of the state whose cells lie the same way, whole words are moved: the cells
 * are cut into *segments*, each inside one word in both blocks and wherever the blocks can start.
 * Everything else goes cell by cell along the type, with C loops for arrays, so the code stays as
 * short as the type's text.
 *
 * Copies behave like memmove. Blocks made from the type tree are the same or disjoint, but a front
 * end may shift part of an array by one: segments are all read before any is written, and cells go
 * downwards when the destination is above the source and they might overlap. */
#include <inttypes.h>
#include <string.h>

#include "ir/emit_int.h"

/* ---- Segments -------------------------------------------------------------------------------- */

struct segment {
  uint32_t first;  /* cell */
  uint64_t mask;   /* of its cells, relative to the bit of the first */
  uint64_t number; /* for reset: what goes there */
};

struct segments {
  uint32_t count;
  struct segment data[CLEW_EMIT_SEGMENTS];
};

static uint32_t bit_of(const struct clew_emitter *e, const struct clew_emit_spot *spot,
                       uint32_t start, uint32_t cell) {
  assert(start < spot->start_count && cell < spot->type->cells);
  return e->program->slots[spot->starts[start] + cell].bit;
}

/* The first cell that has bits; the number of cells if none has. Positions are relative to it,
 * since cells without bits have none of their own. */
static uint32_t find_anchor(const struct clew_emitter *e, const struct clew_emit_spot *spot) {
  uint32_t cell = 0;
  assert(spot->starts != NULL);
  while (cell < spot->type->cells && e->program->slots[spot->starts[0] + cell].width == 0)
    cell++;
  return cell;
}

/* Whether the layout is known and the same wherever the block starts. */
static bool is_uniform(const struct clew_emitter *e, const struct clew_emit_spot *spot) {
  uint32_t cells = spot->type->cells;
  if (!clew_emit_in_state(spot) || spot->starts == NULL ||
      (uint64_t)cells * spot->start_count > 16 * CLEW_EMIT_STARTS)
    return false;
  assert(cells > 0);
  uint32_t anchor = find_anchor(e, spot);
  for (uint32_t i = 1; i < spot->start_count; i++)
    for (uint32_t c = anchor; c < cells; c++)
      if (e->program->slots[spot->starts[0] + c].width > 0 &&
          bit_of(e, spot, i, c) - bit_of(e, spot, i, anchor) !=
              bit_of(e, spot, 0, c) - bit_of(e, spot, 0, anchor))
        return false;
  return true;
}

/* Whether the cell lies above `first` in the same word, wherever the block starts. */
static bool is_joined(const struct clew_emitter *e, const struct clew_emit_spot *spot,
                      uint32_t first, uint32_t cell) {
  assert(first <= cell);
  for (uint32_t i = 0; i < spot->start_count; i++) {
    uint32_t a = bit_of(e, spot, i, first), b = bit_of(e, spot, i, cell);
    if (a / 64 != b / 64 || b < a)
      return false;
  }
  return true;
}

/* How far behind `first` the cell is; the same for all starts. */
static uint32_t distance(const struct clew_emitter *e, const struct clew_emit_spot *spot,
                         uint32_t first, uint32_t cell) {
  assert(spot->start_count > 0);
  return bit_of(e, spot, 0, cell) - bit_of(e, spot, 0, first);
}

/* Cuts a block, or two blocks together (b may be NULL), into segments. False when there would be
 * too many, or the layout is not the same everywhere. */
static bool find_segments(const struct clew_emitter *e, const struct clew_emit_spot *a,
                          const struct clew_emit_spot *b, struct segments *segments) {
  segments->count = 0;
  if (!is_uniform(e, a) || (b != NULL && !is_uniform(e, b)))
    return false;
  for (uint32_t c = 0; c < a->type->cells; c++) {
    uint32_t width = e->program->slots[a->starts[0] + c].width;
    if (width == 0)
      continue;
    struct segment *last = segments->count == 0 ? NULL : &segments->data[segments->count - 1];
    bool joins = last != NULL && is_joined(e, a, last->first, c) &&
                 (b == NULL || (is_joined(e, b, last->first, c) &&
                                distance(e, a, last->first, c) == distance(e, b, last->first, c)));
    if (!joins) {
      if (segments->count == CLEW_EMIT_SEGMENTS)
        return false;
      last = &segments->data[segments->count++];
      *last = (struct segment){.first = c};
    }
    last->mask |= clew_bits_mask(width) << distance(e, a, last->first, c);
  }
  assert(segments->count <= CLEW_EMIT_SEGMENTS);
  return true;
}

/* The bit of the first segment, in a temporary unless it is a number. */
static const char *block_bit(struct clew_emitter *e, const struct clew_emit_spot *spot,
                             const struct segments *segments) {
  if (spot->where == CLEW_EMIT_FIXED || segments->count == 0)
    return "";
  uint32_t anchor = segments->data[0].first;
  struct clew_emit_spot first =
      clew_emit_spot_shift(e, spot, anchor, clew_type_cell(spot->type, anchor));
  const char *bit = clew_emit_text(e, "t%u", e->temps++);
  assert(clew_emit_in_state(&first));
  clew_emit_line(e, "const uint32_t %s = %s;", bit, clew_emit_spot_bit(e, &first));
  return bit;
}

static const char *segment_bit(struct clew_emitter *e, const struct clew_emit_spot *spot,
                               const char *bit, const struct segments *segments, uint32_t i) {
  uint32_t first = segments->data[i].first;
  assert(i < segments->count);
  if (spot->where == CLEW_EMIT_FIXED)
    return clew_emit_text(e, "%" PRIu32, bit_of(e, spot, 0, first));
  int32_t away = (int32_t)distance(e, spot, segments->data[0].first, first);
  return clew_emit_text(e, "%s + %s", bit, clew_frag_known(e, away).text);
}

/* ---- Cell by cell ---------------------------------------------------------------------------- */

enum block_op { OP_COPY, OP_EQUAL, OP_CLEAR, OP_UNDEFINE };

struct block_job {
  enum block_op op;
  bool down;          /* from the last cell to the first */
  const char *result; /* EQUAL: the temporary that becomes 0 */
};

static void one_cell(struct clew_emitter *e, const struct block_job *job,
                     const struct clew_emit_spot *a, const struct clew_emit_spot *b) {
  bool states = clew_emit_in_state(a) && b != NULL && clew_emit_in_state(b);
  switch (job->op) {
  case OP_COPY:
    if (states)
      clew_emit_set_raw(e, a, clew_emit_get_raw(e, b));
    else
      clew_emit_set(e, a, clew_emit_get(e, b, true), true);
    return;
  case OP_EQUAL: {
    struct clew_frag x = states ? clew_emit_get_raw(e, a) : clew_emit_get(e, a, true);
    struct clew_frag y = states ? clew_emit_get_raw(e, b) : clew_emit_get(e, b, true);
    clew_emit_line(e, "%s &= %s == %s;", job->result, x.text, y.text);
    return;
  }
  case OP_CLEAR:
    clew_emit_set(e, a, clew_frag_known(e, a->type->domain->lo), false);
    return;
  case OP_UNDEFINE:
    break;
  }
  assert(job->op == OP_UNDEFINE);
  bool undefined = a->type->undefinable;
  clew_emit_set(e, a, clew_frag_known(e, undefined ? CLEW_UNDEFINED : a->type->domain->lo),
                undefined);
}

static void each_cell(struct clew_emitter *e, const struct block_job *job,
                      const struct clew_emit_spot *a, const struct clew_emit_spot *b);

/* The part of both blocks at `cells` (+ text * stride). */
static void each_part(struct clew_emitter *e, const struct block_job *job,
                      const struct clew_emit_spot *a, const struct clew_emit_spot *b,
                      uint32_t cells, const char *text, uint32_t stride,
                      const struct clew_type *type) {
  assert(a->type->cells >= cells + type->cells);
  struct clew_emit_spot x, y;
  if (text == NULL) {
    x = clew_emit_spot_shift(e, a, cells, type);
    if (b != NULL)
      y = clew_emit_spot_shift(e, b, cells, type);
  } else {
    x = clew_emit_spot_step(e, a, cells, text, a->type->count, stride, type);
    if (b != NULL)
      y = clew_emit_spot_step(e, b, cells, text, a->type->count, stride, type);
  }
  each_cell(e, job, &x, b == NULL ? NULL : &y);
}

/* One element: of a bag, its presence too. */
static void each_element(struct clew_emitter *e, const struct block_job *job,
                         const struct clew_emit_spot *a, const struct clew_emit_spot *b,
                         uint32_t cells, const char *text) {
  const struct clew_type *type = a->type;
  bool bag = type->kind == CLEW_TYPE_BAG;
  uint32_t stride = type->element->cells + bag;
  for (uint32_t half = 0; half < 2; half++) {
    bool presence = (half == 0) != job->down;
    if (presence && bag)
      each_part(e, job, a, b, cells, text, stride, clew_type_cell(type, 0));
    if (!presence)
      each_part(e, job, a, b, cells + bag, text, stride, type->element);
  }
  assert(stride > 0);
}

/* All elements of an array or bag; what is in a bag is reset to zero bits in any case. */
static void each_of_many(struct clew_emitter *e, const struct block_job *job,
                         const struct clew_emit_spot *a, const struct clew_emit_spot *b) {
  uint32_t count = a->type->count, stride = a->type->cells / count;
  struct block_job inner = *job;
  if (a->type->kind == CLEW_TYPE_BAG && job->op == OP_CLEAR)
    inner.op = OP_UNDEFINE;
  assert(stride * count == a->type->cells);
  if (a->type->cells <= CLEW_EMIT_UNROLLED_CELLS) {
    for (uint32_t i = 0; i < count; i++)
      each_element(e, &inner, a, b, (job->down ? count - 1 - i : i) * stride, NULL);
    return;
  }
  const char *counter = clew_emit_text(e, "t%u", e->temps++);
  if (job->down)
    clew_emit_open(e, "for (uint32_t %s = %" PRIu32 "; %s-- > 0;)", counter, count, counter);
  else
    clew_emit_open(e, "for (uint32_t %s = 0; %s < %" PRIu32 "; %s++)", counter, counter, count,
                   counter);
  each_element(e, &inner, a, b, 0, counter);
  clew_emit_close(e);
}

static void each_cell(struct clew_emitter *e, const struct block_job *job,
                      const struct clew_emit_spot *a, const struct clew_emit_spot *b) {
  const struct clew_type *type = a->type;
  if (type->cells == 0)
    return;
  switch (type->kind) {
  case CLEW_TYPE_SCALAR:
    if (b != NULL && b->type != type) { /* the same shape, but perhaps a record of one */
      struct clew_emit_spot scalar = clew_emit_spot_shift(e, b, 0, type);
      one_cell(e, job, a, &scalar);
    } else {
      one_cell(e, job, a, b);
    }
    return;
  case CLEW_TYPE_RECORD:
    for (uint32_t i = 0; i < type->count; i++) {
      const struct clew_field *field = &type->fields[job->down ? type->count - 1 - i : i];
      each_part(e, job, a, b, field->offset, NULL, 0, field->type);
    }
    return;
  case CLEW_TYPE_ARRAY:
  case CLEW_TYPE_BAG:
    each_of_many(e, job, a, b);
    return;
  }
  assert(false);
}

/* ---- Copy, compare, reset -------------------------------------------------------------------- */

/* Whether two blocks of the state can overlap without being the same. */
static bool may_overlap(const struct clew_emit_spot *a, const struct clew_emit_spot *b) {
  uint32_t cells = a->type->cells;
  assert(cells == b->type->cells);
  if (!clew_emit_in_state(a) || !clew_emit_in_state(b) || cells == 1)
    return false;
  if (a->starts == NULL || b->starts == NULL ||
      (uint64_t)a->start_count * b->start_count > 16 * CLEW_EMIT_STARTS)
    return true;
  for (uint32_t i = 0; i < a->start_count; i++)
    for (uint32_t j = 0; j < b->start_count; j++) {
      uint32_t x = a->starts[i], y = b->starts[j], gap = x < y ? y - x : x - y;
      if (gap > 0 && gap < cells)
        return true;
    }
  return false;
}

static void copy_segments(struct clew_emitter *e, const struct clew_emit_spot *to,
                          const struct clew_emit_spot *from, const struct segments *segments) {
  const char *to_bit = block_bit(e, to, segments), *from_bit = block_bit(e, from, segments);
  uint32_t temp = e->temps;
  e->temps += segments->count;
  assert(segments->count <= CLEW_EMIT_SEGMENTS);
  for (uint32_t i = 0; i < segments->count; i++)
    clew_emit_line(e, "const uint64_t t%u = clew_rt_get(s, %s, %s);", temp + i,
                   segment_bit(e, from, from_bit, segments, i),
                   clew_emit_bits(e, segments->data[i].mask));
  for (uint32_t i = 0; i < segments->count; i++)
    clew_emit_line(e, "clew_rt_set(s, %s, %s, t%u);", segment_bit(e, to, to_bit, segments, i),
                   clew_emit_bits(e, segments->data[i].mask), temp + i);
}

void clew_emit_copy(struct clew_emitter *e, struct clew_emit_spot *to,
                    struct clew_emit_spot *from) {
  struct segments segments;
  assert(to->type->cells == from->type->cells);
  if (to->type->cells == 0)
    return;
  clew_emit_spot_pin(e, from);
  clew_emit_spot_pin(e, to);
  if (to->where == CLEW_EMIT_CELLS && from->where == CLEW_EMIT_CELLS) {
    clew_emit_line(e, "memmove(%s, %s, %" PRIu32 " * sizeof(int64_t));",
                   clew_emit_spot_reference(e, to), clew_emit_spot_reference(e, from),
                   to->type->cells);
    return;
  }
  if (find_segments(e, to, from, &segments)) {
    copy_segments(e, to, from, &segments);
    return;
  }
  struct block_job job = {.op = OP_COPY};
  bool careful = may_overlap(to, from);
  if (careful) {
    clew_emit_open(e, "if (%s > %s)", clew_emit_spot_reference(e, to),
                   clew_emit_spot_reference(e, from));
    job.down = true;
    each_cell(e, &job, to, from);
    clew_emit_close(e);
    clew_emit_open(e, "else");
    job.down = false;
  }
  each_cell(e, &job, to, from);
  if (careful)
    clew_emit_close(e);
}

struct clew_frag clew_emit_equal(struct clew_emitter *e, struct clew_emit_spot *a,
                                 struct clew_emit_spot *b) {
  struct segments segments;
  assert(a->type->cells == b->type->cells);
  if (a->type->cells == 0)
    return clew_frag_known(e, 1);
  clew_emit_spot_pin(e, a);
  clew_emit_spot_pin(e, b);
  const char *result = clew_emit_text(e, "t%u", e->temps++);
  clew_emit_line(e, "int64_t %s = 1;", result);
  if (find_segments(e, a, b, &segments)) {
    const char *a_bit = block_bit(e, a, &segments), *b_bit = block_bit(e, b, &segments);
    for (uint32_t i = 0; i < segments.count; i++) {
      const char *mask = clew_emit_bits(e, segments.data[i].mask);
      clew_emit_line(e, "%s &= clew_rt_get(s, %s, %s) == clew_rt_get(s, %s, %s);", result,
                     segment_bit(e, a, a_bit, &segments, i), mask,
                     segment_bit(e, b, b_bit, &segments, i), mask);
    }
  } else {
    each_cell(e, &(struct block_job){.op = OP_EQUAL, .result = result}, a, b);
  }
  return clew_frag_make(result, false);
}

/* The stored numbers of a block after CLEAR: 1 is the least value of what can be undefined. */
static void least_numbers(const struct clew_type *type, uint8_t *numbers) {
  switch (type->kind) {
  case CLEW_TYPE_SCALAR:
    numbers[0] = type->undefinable;
    return;
  case CLEW_TYPE_ARRAY:
    for (uint32_t i = 0; i < type->count; i++)
      least_numbers(type->element, numbers + (size_t)i * type->element->cells);
    return;
  case CLEW_TYPE_RECORD:
    for (uint32_t i = 0; i < type->count; i++)
      if (type->fields[i].type->cells > 0)
        least_numbers(type->fields[i].type, numbers + type->fields[i].offset);
    return;
  case CLEW_TYPE_BAG:
    memset(numbers, 0, type->cells);
    return;
  }
  assert(false);
}

static void reset_segments(struct clew_emitter *e, const struct clew_emit_spot *spot,
                           struct segments *segments, bool undefine) {
  uint32_t cells = spot->type->cells;
  uint8_t *numbers = clew_alloc_zero(cells, 1);
  if (!undefine)
    least_numbers(spot->type, numbers);
  const char *bit = block_bit(e, spot, segments);
  for (uint32_t i = 0; i < segments->count; i++) {
    struct segment *segment = &segments->data[i];
    uint32_t end = i + 1 < segments->count ? segments->data[i + 1].first : cells;
    for (uint32_t c = segment->first; c < end; c++)
      if (numbers[c] != 0)
        segment->number |= UINT64_C(1) << distance(e, spot, segment->first, c);
    assert((segment->number & ~segment->mask) == 0);
    clew_emit_line(e, "clew_rt_set(s, %s, %s, %s);", segment_bit(e, spot, bit, segments, i),
                   clew_emit_bits(e, segment->mask), clew_emit_bits(e, segment->number));
  }
  clew_free(numbers);
}

void clew_emit_reset(struct clew_emitter *e, struct clew_emit_spot *spot, bool undefine) {
  struct segments segments;
  assert(spot->type != NULL);
  if (spot->type->cells == 0)
    return;
  clew_emit_spot_pin(e, spot);
  if (find_segments(e, spot, NULL, &segments))
    reset_segments(e, spot, &segments, undefine);
  else
    each_cell(e, &(struct block_job){.op = undefine ? OP_UNDEFINE : OP_CLEAR}, spot, NULL);
}
