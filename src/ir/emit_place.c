/* Emitting C: where things are, and how one cell is read and written.
 *
 * A slot whose number is known becomes a shift and a mask with constants. If the number depends on
 * indices, all positions it can have are looked at: mostly their bits are a linear function of the
 * indices, and arithmetic does it (which the compiler folds when the index is a literal after
 * inlining); where the layout skips the end of a word it is not, and the bit comes from the table
 * `loc`, as it does behind a reference. */
#include <inttypes.h>
#include <string.h>

#include "ir/emit_int.h"

uint32_t clew_emit_width(const struct clew_type *scalar) {
  assert(scalar->kind == CLEW_TYPE_SCALAR);
  uint64_t most = (uint64_t)scalar->domain->hi - (uint64_t)scalar->domain->lo;
  return clew_bits_for(most + (scalar->undefinable ? 1 : 0));
}

int64_t clew_emit_bias(const struct clew_type *scalar) {
  assert(scalar->kind == CLEW_TYPE_SCALAR);
  return (int64_t)((uint64_t)scalar->domain->lo - (scalar->undefinable ? 1 : 0));
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static const struct clew_variable *frame_variable(const struct clew_emitter *e, uint32_t cell) {
  uint32_t low = 0, high = e->frame->variables.len;
  assert(high > 0);
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (e->frame->variables.data[middle].cell <= cell)
      low = middle;
    else
      high = middle;
  }
  assert((low >> 6) < e->used_words);
  clew_bitset_add(e->used, low);
  return &e->frame->variables.data[low];
}

const char *clew_emit_cell(struct clew_emitter *e, uint32_t cell) {
  const struct clew_variable *variable = frame_variable(e, cell);
  assert(variable->type->cells == 1 && variable->cell == cell);
  return clew_emit_text(e, "f%" PRIu32, variable->cell);
}

/* ---- Finding out where a spot is ------------------------------------------------------------- */

static uint32_t slot_bit(const struct clew_emitter *e, uint32_t slot) {
  assert(slot < e->program->slot_count);
  return e->program->slots[slot].bit;
}

/* All slots at which the spot can start, the last term varying fastest. */
static void find_starts(struct clew_emitter *e, struct clew_emit_spot *spot) {
  uint64_t count = 1;
  spot->starts = NULL;
  spot->start_count = 0;
  for (uint32_t i = 0; i < spot->term_count && count <= CLEW_EMIT_STARTS; i++)
    count *= spot->terms[i].count;
  if (spot->base != NULL || count > CLEW_EMIT_STARTS)
    return;
  uint32_t *starts = CLEW_NEW_ARRAY(e->arena, uint32_t, count);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t rest = i, slot = spot->cell;
    for (uint32_t j = spot->term_count; j-- > 0; rest /= spot->terms[j].count)
      slot += rest % spot->terms[j].count * spot->terms[j].stride;
    assert(slot + spot->type->cells <= e->program->slot_count);
    starts[i] = slot;
  }
  spot->starts = starts;
  spot->start_count = (uint32_t)count;
}

/* Whether the bits are linear in the terms; sets their steps. */
static bool find_steps(const struct clew_emitter *e, struct clew_emit_spot *spot) {
  assert(spot->starts != NULL && spot->start_count > 0);
  uint32_t distance = 1;
  int64_t origin = slot_bit(e, spot->starts[0]);
  for (uint32_t j = spot->term_count; j-- > 0; distance *= spot->terms[j].count)
    spot->terms[j].bits =
        spot->terms[j].count == 1 ? 0 : (int64_t)slot_bit(e, spot->starts[distance]) - origin;
  spot->bit = (uint32_t)origin;
  spot->one_word = true;
  for (uint32_t i = 0; i < spot->start_count; i++) {
    uint32_t rest = i;
    int64_t bit = origin;
    for (uint32_t j = spot->term_count; j-- > 0; rest /= spot->terms[j].count)
      bit += (int64_t)(rest % spot->terms[j].count) * spot->terms[j].bits;
    if (bit != slot_bit(e, spot->starts[i]))
      return false;
    spot->one_word &= bit >> 6 == origin >> 6;
  }
  return true;
}

static void spot_resolve(struct clew_emitter *e, struct clew_emit_spot *spot) {
  if (!clew_emit_in_state(spot))
    return;
  assert(spot->type != NULL);
  find_starts(e, spot);
  if (spot->type->cells == 0 || spot->starts == NULL) {
    spot->where = CLEW_EMIT_TABLE;
  } else if (spot->term_count == 0) {
    spot->where = CLEW_EMIT_FIXED;
    spot->bit = slot_bit(e, spot->cell);
  } else {
    spot->where = find_steps(e, spot) ? CLEW_EMIT_LINEAR : CLEW_EMIT_TABLE;
  }
}

/* ---- Lowering a place ------------------------------------------------------------------------ */

static void add_term(struct clew_emitter *e, struct clew_emit_spot *spot,
                     struct clew_emit_term term) {
  struct clew_emit_term *terms =
      CLEW_NEW_ARRAY(e->arena, struct clew_emit_term, spot->term_count + 1);
  assert(term.count > 0);
  if (spot->term_count > 0)
    memcpy(terms, spot->terms, spot->term_count * sizeof *terms);
  terms[spot->term_count++] = term;
  spot->terms = terms;
}

static void lower_index(struct clew_emitter *e, struct clew_emit_spot *spot,
                        const struct clew_index *index, uint32_t later_flags) {
  assert(index->count > 0);
  struct clew_frag value = clew_emit_expr(e, index->value);
  if (value.known) {
    uint64_t position = (uint64_t)value.value - (uint64_t)index->lo;
    if (position < index->count)
      spot->cell += (uint32_t)position * index->stride;
    else
      clew_emit_fail(e, index->site);
    return;
  }
  const char *text = value.text;
  if (index->lo != 0)
    text = clew_emit_text(e, "(%s - %s)", value.text, clew_frag_known(e, index->lo).text);
  struct clew_frag position = clew_frag_make(text, value.reads);
  if (index->checked) {
    position = clew_frag_pin(e, position);
    clew_emit_open(e, "if (CLEW_RT_RARE((uint64_t)%s >= %" PRIu32 "))", position.text,
                   index->count);
    clew_emit_fail(e, index->site);
    clew_emit_close(e);
  } else {
    position = clew_frag_hold(e, position, later_flags);
  }
  spot->reads |= position.reads;
  add_term(e, spot, (struct clew_emit_term){position.text, index->count, index->stride, 0});
}

/* Where the base of a place is, before its indices. */
static struct clew_emit_spot spot_base(struct clew_emitter *e, const struct clew_place *place) {
  struct clew_emit_spot spot = {.type = place->type, .cell = place->offset};
  assert(place->type != NULL);
  switch (place->space) {
  case CLEW_SPACE_STATE:
    spot.where = CLEW_EMIT_FIXED;
    spot.cell += place->base;
    return spot;
  case CLEW_SPACE_REF: {
    assert(e->function != NULL && place->base < e->function->reference_count);
    bool state = e->function->references[place->base].space == CLEW_SPACE_STATE;
    spot.where = state ? CLEW_EMIT_TABLE : CLEW_EMIT_CELLS;
    spot.base = clew_emit_text(e, "r%" PRIu32, place->base);
    return spot;
  }
  case CLEW_SPACE_FRAME:
    break;
  }
  if (place->type->cells == 0) { /* nothing there: there may not even be a variable */
    spot.where = CLEW_EMIT_CELLS;
    spot.base = "(int64_t *)0";
    return spot;
  }
  const struct clew_variable *variable = frame_variable(e, place->base);
  spot.where = variable->type->cells == 1 ? CLEW_EMIT_CELL : CLEW_EMIT_CELLS;
  spot.cell += place->base - variable->cell;
  spot.base = clew_emit_text(e, "f%" PRIu32, variable->cell);
  return spot;
}

struct clew_emit_spot clew_emit_place(struct clew_emitter *e, const struct clew_place *place) {
  struct clew_emit_spot spot = spot_base(e, place);
  for (uint32_t i = 0; i < place->index_count; i++) {
    uint32_t later = 0;
    for (uint32_t j = i + 1; j < place->index_count; j++)
      later |= clew_emit_flags(e, place->indices[j].value);
    lower_index(e, &spot, &place->indices[i], later);
  }
  spot_resolve(e, &spot);
  assert(spot.term_count <= place->index_count);
  return spot;
}

void clew_emit_spot_pin(struct clew_emitter *e, struct clew_emit_spot *spot) {
  if (!spot->reads)
    return;
  struct clew_emit_term *terms = CLEW_NEW_ARRAY(e->arena, struct clew_emit_term, spot->term_count);
  assert(spot->term_count > 0);
  for (uint32_t i = 0; i < spot->term_count; i++) {
    terms[i] = spot->terms[i];
    terms[i].text = clew_frag_pin(e, clew_frag_make(terms[i].text, true)).text;
  }
  spot->terms = terms;
  spot->reads = false;
}

struct clew_emit_spot clew_emit_spot_shift(struct clew_emitter *e,
                                           const struct clew_emit_spot *spot, uint32_t cells,
                                           const struct clew_type *type) {
  assert(cells + type->cells <= spot->type->cells);
  struct clew_emit_spot shifted = *spot;
  shifted.cell += cells;
  shifted.type = type;
  spot_resolve(e, &shifted);
  return shifted;
}

struct clew_emit_spot clew_emit_spot_step(struct clew_emitter *e, const struct clew_emit_spot *spot,
                                          uint32_t cells, const char *text, uint32_t count,
                                          uint32_t stride, const struct clew_type *type) {
  assert(cells + (uint64_t)(count - 1) * stride + type->cells <= spot->type->cells);
  struct clew_emit_spot shifted = *spot;
  shifted.cell += cells;
  shifted.type = type;
  add_term(e, &shifted, (struct clew_emit_term){text, count, stride, 0});
  spot_resolve(e, &shifted);
  return shifted;
}

/* ---- Text of positions ----------------------------------------------------------------------- */

/* origin + the terms, times their strides or bits. */
static const char *sum_text(struct clew_emitter *e, const struct clew_emit_spot *spot,
                            int64_t origin, bool bits) {
  struct clew_text sum = {0};
  assert(origin >= 0);
  if (origin != 0)
    clew_text_printf(&sum, "%" PRId64, origin);
  for (uint32_t i = 0; i < spot->term_count; i++) {
    const struct clew_emit_term *term = &spot->terms[i];
    int64_t step = bits ? term->bits : (int64_t)term->stride;
    if (step != 0)
      clew_text_printf(&sum, "%s%s * %s", sum.len > 0 ? " + " : "", term->text,
                       clew_frag_known(e, step).text);
  }
  if (sum.len == 0)
    clew_text_char(&sum, '0');
  const char *text = clew_emit_text(e, "(%s)", clew_text_str(&sum));
  clew_text_free(&sum);
  return text;
}

static const char *cell_text(struct clew_emitter *e, const struct clew_emit_spot *spot) {
  const char *sum = sum_text(e, spot, spot->cell, false);
  assert(spot->where == CLEW_EMIT_TABLE || spot->where == CLEW_EMIT_CELLS ||
         spot->where == CLEW_EMIT_LINEAR || spot->where == CLEW_EMIT_FIXED);
  if (!clew_emit_in_state(spot) || spot->base == NULL)
    return sum;
  return clew_emit_text(e, "(%s + %s)", spot->base, sum);
}

const char *clew_emit_spot_reference(struct clew_emitter *e, const struct clew_emit_spot *spot) {
  assert(spot->base != NULL || clew_emit_in_state(spot));
  if (spot->where == CLEW_EMIT_CELL)
    return clew_emit_text(e, "&%s", spot->base);
  if (spot->where == CLEW_EMIT_CELLS)
    return clew_emit_text(e, "(%s + %s)", spot->base, cell_text(e, spot));
  return clew_emit_text(e, "(uint32_t)%s", cell_text(e, spot));
}

const char *clew_emit_spot_bit(struct clew_emitter *e, const struct clew_emit_spot *spot) {
  assert(clew_emit_in_state(spot));
  switch (spot->where) {
  case CLEW_EMIT_FIXED:
    return clew_emit_text(e, "%" PRIu32, spot->bit);
  case CLEW_EMIT_LINEAR:
    return clew_emit_text(e, "(uint32_t)%s", sum_text(e, spot, spot->bit, true));
  default:
    e->uses_locations = true;
    return clew_emit_text(e, "loc[%s]", cell_text(e, spot));
  }
}

/* ---- Reading and writing one cell ------------------------------------------------------------ */

struct clew_frag clew_emit_get_raw(struct clew_emitter *e, const struct clew_emit_spot *spot) {
  uint32_t width = clew_emit_width(spot->type);
  uint32_t word = spot->bit / 64, shift = spot->bit % 64;
  assert(clew_emit_in_state(spot));
  if (width == 0)
    return clew_frag_known(e, 0);
  const char *mask = clew_emit_bits(e, clew_bits_mask(width));
  if (spot->where == CLEW_EMIT_FIXED && shift + width == 64)
    return clew_frag_make(clew_emit_text(e, "(s[%u] >> %u)", word, shift), true);
  if (spot->where == CLEW_EMIT_FIXED)
    return clew_frag_make(clew_emit_text(e, "(s[%u] >> %u & %s)", word, shift, mask), true);
  if (spot->where == CLEW_EMIT_LINEAR && spot->one_word)
    return clew_frag_make(
        clew_emit_text(e, "(s[%u] >> %s & %s)", word, sum_text(e, spot, shift, true), mask), true);
  return clew_frag_make(
      clew_emit_text(e, "clew_rt_get(s, %s, %s)", clew_emit_spot_bit(e, spot), mask), true);
}

static void set_fixed(struct clew_emitter *e, uint32_t bit, uint64_t mask, struct clew_frag raw) {
  uint32_t word = bit / 64, shift = bit % 64;
  assert(mask != 0);
  const char *rest = clew_emit_bits(e, ~(mask << shift));
  if (raw.known && raw.value == 0)
    clew_emit_line(e, "s[%u] &= %s;", word, rest);
  else if (raw.known && (uint64_t)raw.value == mask)
    clew_emit_line(e, "s[%u] |= %s;", word, clew_emit_bits(e, mask << shift));
  else if (raw.known)
    clew_emit_line(e, "s[%u] = (s[%u] & %s) | %s;", word, word, rest,
                   clew_emit_bits(e, (uint64_t)raw.value << shift));
  else
    clew_emit_line(e, "s[%u] = (s[%u] & %s) | (uint64_t)%s << %u;", word, word, rest, raw.text,
                   shift);
}

void clew_emit_set_raw(struct clew_emitter *e, const struct clew_emit_spot *spot,
                       struct clew_frag raw) {
  uint32_t width = clew_emit_width(spot->type);
  assert(clew_emit_in_state(spot));
  if (width == 0)
    return;
  const char *mask = clew_emit_bits(e, clew_bits_mask(width));
  if (spot->where == CLEW_EMIT_FIXED)
    set_fixed(e, spot->bit, clew_bits_mask(width), raw);
  else if (spot->where == CLEW_EMIT_LINEAR && spot->one_word)
    clew_emit_line(e, "clew_rt_put(&s[%u], (uint32_t)%s, %s, (uint64_t)%s);", spot->bit / 64,
                   sum_text(e, spot, spot->bit % 64, true), mask, raw.text);
  else
    clew_emit_line(e, "clew_rt_set(s, %s, %s, (uint64_t)%s);", clew_emit_spot_bit(e, spot), mask,
                   raw.text);
}

static const char *object_text(struct clew_emitter *e, const struct clew_emit_spot *spot) {
  assert(!clew_emit_in_state(spot));
  return spot->where == CLEW_EMIT_CELL
             ? spot->base
             : clew_emit_text(e, "%s[%s]", spot->base, cell_text(e, spot));
}

struct clew_frag clew_emit_get(struct clew_emitter *e, const struct clew_emit_spot *spot,
                               bool may_be_undefined) {
  assert(spot->type->kind == CLEW_TYPE_SCALAR);
  if (!clew_emit_in_state(spot))
    return clew_frag_make(object_text(e, spot), true);
  struct clew_frag raw = clew_emit_get_raw(e, spot);
  return clew_emit_value(e, raw, spot->type, may_be_undefined);
}

struct clew_frag clew_emit_value(struct clew_emitter *e, struct clew_frag raw,
                                 const struct clew_type *scalar, bool may_be_undefined) {
  int64_t bias = clew_emit_bias(scalar);
  assert(!raw.known || raw.value == 0);
  if (raw.known)
    return clew_frag_known(e, bias);
  const char *text = clew_frag_known(e, bias).text;
  if (may_be_undefined && scalar->undefinable)
    text = clew_emit_text(e, "clew_rt_value(%s, %s)", raw.text, text);
  else if (bias == 0)
    text = clew_emit_text(e, "(int64_t)%s", raw.text);
  else
    text = clew_emit_text(e, "((int64_t)%s + %s)", raw.text, text);
  return clew_frag_make(text, raw.reads);
}

void clew_emit_set(struct clew_emitter *e, const struct clew_emit_spot *spot,
                   struct clew_frag value, bool may_be_undefined) {
  int64_t bias = clew_emit_bias(spot->type);
  if (!clew_emit_in_state(spot)) {
    clew_emit_line(e, "%s = %s;", object_text(e, spot), value.text);
    return;
  }
  struct clew_frag raw;
  if (value.known) {
    uint64_t number = value.value == CLEW_UNDEFINED ? 0 : (uint64_t)value.value - (uint64_t)bias;
    raw = clew_frag_known(e, (int64_t)(number & clew_bits_mask(clew_emit_width(spot->type))));
  } else {
    const char *text = clew_frag_known(e, bias).text;
    if (may_be_undefined)
      text = clew_emit_text(e, "clew_rt_raw(%s, %s)", value.text, text);
    else if (bias == 0)
      text = value.text;
    else
      text = clew_emit_text(e, "(%s - %s)", value.text, text);
    raw = clew_frag_make(text, value.reads);
  }
  assert(raw.text != NULL);
  clew_emit_set_raw(e, spot, raw);
}
