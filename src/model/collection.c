/* Collections for people. An element is compared by its text, so elements that look the same are
 * the same. */
#include "model/collection.h"

#include <assert.h>
#include <string.h>

#include "base/vec.h"
#include "model/model.h"

struct elements { /* a CLEW_VEC */
  struct clew_text *data;
  uint32_t len, cap;
};

const struct clew_collection *clew_collection_of(const struct clew_model *model, uint32_t slot) {
  for (uint32_t i = 0; i < model->collection_count; i++) {
    const struct clew_collection *each = &model->collections[i];
    if ((slot >= each->slot && slot < each->slot + each->count * each->stride) ||
        slot == each->length_slot) {
      return each;
    }
  }
  return NULL;
}

/* "{kind: abort, to: rm_1}", or the value alone; undefined parts are left out. The name of a part
 * is what its slot has behind the name of the element. */
static void put_element(const struct clew_model *model, const struct clew_collection *collection,
                        uint32_t first, const uint64_t *state, struct clew_text *out) {
  bool is_bag = collection->length_slot == CLEW_NONE, any = false, is_record = false;
  for (uint32_t i = first + (is_bag ? 1 : 0); i < first + collection->stride; i++) {
    const struct clew_slot *slot = &model->slots[i];
    int64_t value = clew_slot_get(slot, state);
    if (slot->hidden || value == CLEW_UNDEFINED || !clew_slot_present(model, i, state)) {
      continue;
    }
    const char *part = strchr(slot->name + strlen(collection->name), ']');
    part = part != NULL && part[1] != '\0' ? part + 1 : "";
    is_record = is_record || *part != '\0';
    clew_text_put(out, any ? ", " : is_record ? "{" : "");
    if (*part != '\0') {
      clew_text_printf(out, "%s: ", *part == '.' ? part + 1 : part);
    }
    clew_domain_print(slot->domain, value, out);
    any = true;
  }
  clew_text_put(out, !any ? "{}" : is_record ? "}" : "");
}

static void collect(const struct clew_model *model, const struct clew_collection *collection,
                    const uint64_t *state, struct elements *elements) {
  bool is_bag = collection->length_slot == CLEW_NONE;
  uint64_t length = is_bag ? collection->count
                           : (uint64_t)clew_slot_get(&model->slots[collection->length_slot], state);
  for (uint32_t i = 0; i < length && i < collection->count; i++) {
    uint32_t first = collection->slot + i * collection->stride;
    if (is_bag && clew_slot_get(&model->slots[first], state) == 0) {
      continue;
    }
    struct clew_text text = {0};
    put_element(model, collection, first, state, &text);
    clew_vec_push(elements, text);
  }
}

static void release(struct elements *elements) {
  for (uint32_t i = 0; i < elements->len; i++) {
    clew_text_free(&elements->data[i]);
  }
  clew_vec_free(elements);
}

static bool same(const struct clew_text *a, const struct clew_text *b) {
  return strcmp(clew_text_str(a), clew_text_str(b)) == 0;
}

static void put_line(const struct clew_collection *collection, const char *sign,
                     const struct clew_text *element, const char *indent, struct clew_text *out) {
  clew_text_printf(out, "%s%s: %s%s\n", indent, collection->name, sign, clew_text_str(element));
}

/* Takes the elements of a multiset off both lists that are on both. */
static void cancel(struct elements *before, struct elements *after) {
  for (uint32_t i = 0; i < before->len;) {
    uint32_t k = 0;
    while (k < after->len && !same(&before->data[i], &after->data[k])) {
      k++;
    }
    if (k == after->len) {
      i++;
      continue;
    }
    clew_text_free(&before->data[i]);
    clew_text_free(&after->data[k]);
    before->data[i] = before->data[--before->len];
    memmove(after->data + k, after->data + k + 1, (--after->len - k) * sizeof *after->data);
  }
}

/* How many of the first messages of a channel went: the fewest that make the rest a beginning of
 * what is there now. */
static uint32_t count_gone(const struct elements *before, const struct elements *after) {
  for (uint32_t gone = 0; gone < before->len; gone++) {
    uint32_t kept = 0;
    while (gone + kept < before->len && kept < after->len &&
           same(&before->data[gone + kept], &after->data[kept])) {
      kept++;
    }
    if (gone + kept == before->len) {
      return gone;
    }
  }
  return before->len;
}

void clew_collection_print(const struct clew_model *model, const struct clew_collection *collection,
                           const uint64_t *state, const uint64_t *previous, const char *indent,
                           struct clew_text *out) {
  struct elements before = {0}, after = {0};
  collect(model, collection, state, &after);
  if (previous == NULL) {
    for (uint32_t i = 0; i < after.len; i++) {
      put_line(collection, "", &after.data[i], indent, out);
    }
    if (after.len == 0) {
      clew_text_printf(out, "%s%s: empty\n", indent, collection->name);
    }
    release(&after);
    return;
  }
  collect(model, collection, previous, &before);
  uint32_t gone = before.len, kept = 0;
  if (collection->length_slot == CLEW_NONE) {
    cancel(&before, &after);
    gone = before.len;
  } else {
    gone = count_gone(&before, &after);
    kept = before.len - gone;
  }
  for (uint32_t i = 0; i < gone; i++) {
    put_line(collection, "- ", &before.data[i], indent, out);
  }
  for (uint32_t i = kept; i < after.len; i++) {
    put_line(collection, "+ ", &after.data[i], indent, out);
  }
  release(&before);
  release(&after);
}
