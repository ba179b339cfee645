/* Diagrams as numbers in a row, and back: all that is kept, after a collection. Children come
 * before their parents, so one pass makes them again. */
#include "base/alloc.h"
#include "dd/dd_int.h"

enum { SAVED_BYTES = 12 };

bool clew_dd_save(struct clew_dd *dd, struct clew_archive *out) {
  clew_dd_collect(dd);
  uint32_t end = clew_dd_end(dd);
  uint64_t bytes = (uint64_t)(end - FIRST_NODE) * SAVED_BYTES;
  if (dd->clocks != NULL || bytes > UINT32_MAX / 2 - out->data.len) {
    return false;
  }
  clew_archive_put(out, end);
  for (clew_ldd id = FIRST_NODE; id < end; id++) {
    struct clew_ldd_node node = node_of(dd, id);
    assert(!is_hole(node));
    uint32_t words[] = {node.value, node.down, node.right};
    static_assert(sizeof words == SAVED_BYTES, "three numbers");
    clew_archive_put_bytes(out, words, sizeof words);
  }
  return true;
}

/* Whether it can be a node whose children are those before it. */
static bool is_plausible(const struct clew_dd *dd, const uint32_t words[3], clew_ldd id,
                         const clew_ldd *numbers) {
  uint32_t value = words[0], down = words[1], right = words[2];
  return value >> CLEW_DD_VALUE_BITS == 0 && down != CLEW_LDD_EMPTY && down < id && right < id &&
         right != CLEW_LDD_UNIT &&
         (right == CLEW_LDD_EMPTY || node_of(dd, numbers[right]).value > value);
}

clew_ldd *clew_dd_load(struct clew_dd *dd, struct clew_archive *in, uint32_t *count) {
  uint64_t end = clew_archive_get(in);
  *count = 0;
  if (in->damaged || end < FIRST_NODE || end - FIRST_NODE > (in->data.len - in->at) / SAVED_BYTES) {
    in->damaged = true;
    return NULL;
  }
  clew_ldd *numbers = clew_alloc((size_t)end * sizeof *numbers);
  numbers[CLEW_LDD_EMPTY] = CLEW_LDD_EMPTY;
  numbers[CLEW_LDD_UNIT] = CLEW_LDD_UNIT;
  clew_dd_begin(dd);
  for (clew_ldd id = FIRST_NODE; id < end; id++) {
    uint32_t words[3];
    clew_archive_get_bytes(in, words, sizeof words);
    if (!is_plausible(dd, words, id, numbers)) {
      in->damaged = true;
    } else { /* nothing is collected on the way */
      numbers[id] = clew_dd_make(dd, words[0], numbers[words[1]], numbers[words[2]]);
    }
    if (in->damaged || dd->status != CLEW_DD_OK) {
      clew_free(numbers);
      return NULL;
    }
  }
  *count = (uint32_t)end;
  return numbers;
}
