/* The fields of states in several orders. Bits that the config does not speak of come last: they
 * are the same in all states if the model keeps its word, and lose nothing if it does not. */
#include "store/tree_fields_int.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/vec.h"

enum order { DECLARED, BY_CHANGE, LAYOUT, ORDERS };
enum { MOST_WIDTH = 16, BYTE_BITS = 8 };

struct field_list { /* a CLEW_VEC */
  struct tree_field *data;
  uint32_t len, cap;
};

uint32_t tree_order_count(void) {
  return ORDERS;
}

const char *tree_order_name(uint32_t order) {
  static const char *const names[] = {"declared", "change", "layout"};
  assert(order < ORDERS);
  return names[order];
}

/* Wide ones in several. */
static void add_field(struct field_list *list, uint32_t bit, uint32_t width, uint32_t most) {
  assert(bit / 64 == (bit + (width > 0 ? width - 1 : 0)) / 64);
  while (width > 0) {
    uint32_t part = width < most ? width : most;
    struct tree_field field = {bit, part};
    clew_vec_push(list, field);
    bit += part;
    width -= part;
  }
}

static int compare_bits(const void *a, const void *b) {
  const struct tree_field *x = a, *y = b;
  return x->bit < y->bit ? -1 : x->bit > y->bit;
}

/* The bits of states that may differ from 0. */
static uint64_t bits_in_use(const struct clew_store_config *config) {
  return config->bytes > 0 ? (uint64_t)config->bytes * BYTE_BITS : (uint64_t)config->words * 64;
}

/* Bits that no field has. */
static void add_gaps(struct field_list *list, const struct clew_store_config *config) {
  uint64_t *had = clew_alloc_zero(config->words, sizeof *had);
  for (uint32_t f = 0; f < list->len; f++) {
    uint64_t mask = clew_bits_mask(list->data[f].width) << list->data[f].bit % 64;
    assert(list->data[f].bit / 64 < config->words);
    assert((had[list->data[f].bit / 64] & mask) == 0); /* fields do not overlap */
    had[list->data[f].bit / 64] |= mask;
  }
  uint32_t most = list->len > 0 ? MOST_WIDTH : BYTE_BITS;
  uint64_t end = bits_in_use(config);
  for (uint64_t bit = 0; bit < end;) {
    uint32_t width = 0;
    while (bit + width < end && (had[bit / 64] >> (bit % 64 + width) & 1) == 0) {
      width++;
      if (bit % 64 + width == 64) {
        break;
      }
    }
    add_field(list, (uint32_t)bit, width, most);
    bit += width > 0 ? width : 1;
  }
  clew_free(had);
}

struct tree_field *tree_fields_make(const struct clew_store_config *config, uint32_t order,
                                    uint32_t *count) {
  assert(order < ORDERS && config->words > 0);
  struct field_list list = {0};
  bool known = config->fields != NULL && config->field_count > 0;
  if ((order == DECLARED && !known) ||
      (order == BY_CHANGE && (!known || config->fields_by_change == NULL))) {
    return NULL;
  }
  for (uint32_t i = 0; i < config->field_count && known; i++) {
    uint32_t f = order == BY_CHANGE ? config->fields_by_change[i] : i;
    assert(f < config->field_count);
    add_field(&list, config->fields[f].bit, config->fields[f].width, MOST_WIDTH);
  }
  if (order == LAYOUT && list.len > 0) {
    qsort(list.data, list.len, sizeof *list.data, compare_bits);
  }
  add_gaps(&list, config);
  *count = list.len;
  assert(list.len > 0);
  return list.data;
}
