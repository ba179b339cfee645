/* Levels of diagrams: which bits of a state are which level. A slot is a level, in the order that
 * is asked for (symbolic_variables.c). A slot that is wider than a value of a diagram is several
 * levels, the upper bits first. A slot without bits is none. */
#include <string.h>

#include "base/alloc.h"
#include "search/symbolic_int.h"

enum { MOST_BITS = CLEW_DD_VALUE_BITS - 1 }; /* relations need some values more */
static const char DEFAULT_VARIABLES[] = "force";

static void add_levels(struct symbolic *s, uint32_t slot) {
  const struct clew_slot *spec = &s->run.model->slots[slot];
  if (s->clocks != NULL && spec->bit / 64 >= s->run.model->discrete_words) {
    return; /* of a zone */
  }
  for (uint32_t left = spec->width; left > 0;) {
    uint32_t width = left < MOST_BITS ? left : MOST_BITS;
    left -= width;
    s->levels[s->level_count++] = (struct symbolic_level){
        .slot = slot, .word = spec->bit / 64, .shift = spec->bit % 64 + left, .width = width};
  }
}

void clew_symbolic_open_levels(struct symbolic *s) {
  const struct clew_model *model = s->run.model;
  const size_t most_parts = 64 / CLEW_DD_VALUE_BITS + 1;
  uint32_t *place = clew_alloc_zero(model->slot_count + (size_t)1, sizeof *place);
  uint32_t *slots = clew_alloc_zero(model->slot_count + (size_t)1, sizeof *slots);
  s->levels = clew_alloc_zero(model->slot_count * most_parts + 1, sizeof *s->levels);
  const char *order = s->options->variables != NULL ? s->options->variables : DEFAULT_VARIABLES;
  (void)clew_symbolic_order_slots(model, order, place, s->run.search->diags);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    slots[place[i]] = i;
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    add_levels(s, slots[i]);
  }
  clew_free(place);
  clew_free(slots);
}

void clew_symbolic_get_vector(const struct symbolic *s, const uint64_t *state, uint32_t *vector) {
  for (uint32_t i = 0; i < s->level_count; i++) {
    vector[i] = symbolic_get(&s->levels[i], state);
  }
}

void clew_symbolic_set_state(const struct symbolic *s, const uint32_t *vector, uint64_t *state) {
  memset(state, 0, s->run.model->words * sizeof *state);
  for (uint32_t i = 0; i < s->level_count; i++) {
    symbolic_set(&s->levels[i], state, vector[i]);
  }
}
