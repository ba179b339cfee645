/* Elements of multisets as messages. A multiset keeps its elements sorted, so one that comes or
 * goes moves others to other slots; compared by their texts, they stay what they are. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "web/lifelines_int.h"

void clew_elements_find(const struct clew_model *model, struct clew_elements *elements) {
  *elements = (struct clew_elements){0};
  for (uint32_t i = 0; i < model->slot_count; i++) {
    uint32_t presence = model->slots[i].presence;
    if (presence == CLEW_NONE || model->slots[i].hidden) {
      continue;
    }
    bool is_new = elements->list.len == 0 || clew_vec_last(&elements->list).presence != presence;
    if (is_new) {
      struct clew_element element = {.presence = presence, .first = elements->slots.len};
      clew_vec_push(&elements->list, element);
    }
    clew_vec_push(&elements->slots, i);
    clew_vec_last(&elements->list).count++;
  }
}

void clew_elements_free(struct clew_elements *elements) {
  clew_vec_free(&elements->list);
  clew_vec_free(&elements->slots);
}

/* The name of the multiset ends, and that of a field begins, at the last index that all fields
 * share. */
static size_t common_length(const struct clew_model *model, const uint32_t *slots, uint32_t count) {
  const char *first = model->slots[slots[0]].name;
  size_t length = strlen(first);
  for (uint32_t i = 1; i < count; i++) {
    const char *name = model->slots[slots[i]].name;
    size_t same = 0;
    while (same < length && name[same] == first[same]) {
      same++;
    }
    length = same;
  }
  while (length > 0 && first[length - 1] != ']') {
    length--;
  }
  return length;
}

void clew_element_print(const struct clew_model *model, const struct clew_elements *elements,
                        uint32_t element, const uint64_t *state, struct clew_text *out) {
  assert(element < elements->list.len);
  const struct clew_element *it = &elements->list.data[element];
  const uint32_t *slots = elements->slots.data + it->first;
  const char *name = model->slots[slots[0]].name;
  size_t stem = common_length(model, slots, it->count), base = stem;
  while (base > 0 && name[base - 1] != '[') {
    base--;
  }
  clew_text_put_n(out, name, base > 0 ? base - 1 : strlen(name));
  clew_text_char(out, ':');
  const char *before = " ";
  for (uint32_t i = 0; i < it->count; i++) {
    const struct clew_slot *slot = &model->slots[slots[i]];
    int64_t value = clew_slot_get(slot, state);
    if (value == CLEW_UNDEFINED && it->count > 1) {
      continue; /* a field that this kind of message has no use for */
    }
    const char *field = slot->name + stem;
    clew_text_put(out, before);
    if (*field != '\0') {
      clew_text_printf(out, "%s: ", *field == '.' ? field + 1 : field);
    }
    if (value == CLEW_UNDEFINED) {
      clew_text_put(out, "undefined");
    } else {
      clew_domain_print(slot->domain, value, out);
    }
    before = ", ";
  }
}

/* Appends the texts of all elements of a state. */
static void list_elements(const struct clew_model *model, const struct clew_elements *elements,
                          const uint64_t *state, char ***texts, uint32_t *count) {
  *texts = clew_alloc_zero((size_t)elements->list.len + 1, sizeof **texts);
  *count = 0;
  for (uint32_t i = 0; i < elements->list.len; i++) {
    uint32_t slot = elements->slots.data[elements->list.data[i].first];
    if (clew_slot_present(model, slot, state)) {
      struct clew_text text = {0};
      clew_element_print(model, elements, i, state, &text);
      (*texts)[(*count)++] = clew_strndup(clew_text_str(&text), text.len);
      clew_text_free(&text);
    }
  }
}

/* Takes out of both lists what they share. */
static void cancel(char **a, uint32_t a_count, char **b, uint32_t b_count) {
  for (uint32_t i = 0; i < a_count; i++) {
    for (uint32_t k = 0; k < b_count && a[i] != NULL; k++) {
      if (b[k] != NULL && strcmp(a[i], b[k]) == 0) {
        clew_free(a[i]);
        clew_free(b[k]);
        a[i] = b[k] = NULL;
      }
    }
  }
}

void clew_messages_between(const struct clew_model *model, const struct clew_elements *elements,
                           const uint64_t *before, const uint64_t *after,
                           struct clew_messages *messages) {
  *messages = (struct clew_messages){0};
  char **was, **is;
  uint32_t was_count, is_count;
  list_elements(model, elements, before, &was, &was_count);
  list_elements(model, elements, after, &is, &is_count);
  cancel(was, was_count, is, is_count);
  for (uint32_t i = 0; i < was_count; i++) {
    if (was[i] != NULL) {
      clew_vec_push(&messages->go, was[i]);
    }
  }
  for (uint32_t i = 0; i < is_count; i++) {
    if (is[i] != NULL) {
      clew_vec_push(&messages->come, is[i]);
    }
  }
  clew_free(was);
  clew_free(is);
}

void clew_messages_free(struct clew_messages *messages) {
  for (uint32_t i = 0; i < messages->come.len; i++) {
    clew_free(messages->come.data[i]);
  }
  for (uint32_t i = 0; i < messages->go.len; i++) {
    clew_free(messages->go.data[i]);
  }
  clew_vec_free(&messages->come);
  clew_vec_free(&messages->go);
}
