/* Messages: what comes and goes in the multisets and channels of a path. */
#ifndef CLEW_WEB_LIFELINES_INT_H
#define CLEW_WEB_LIFELINES_INT_H

#include "web/lifelines.h"

/* An element of a multiset: slots that are there or not together. */
struct clew_element {
  uint32_t presence;     /* slot */
  uint32_t first, count; /* of struct clew_elements.slots */
};
struct clew_elements {
  CLEW_VEC(struct clew_element) list;
  CLEW_VEC(uint32_t) slots;
};
void clew_elements_find(const struct clew_model *model, struct clew_elements *elements);
void clew_elements_free(struct clew_elements *elements);
/* "net: what: data, who: p_2" */
void clew_element_print(const struct clew_model *model, const struct clew_elements *elements,
                        uint32_t element, const uint64_t *state, struct clew_text *out);

/* Texts of the messages that differ between two states; owned by the list. */
struct clew_messages {
  CLEW_VEC(char *) come, go;
};
void clew_messages_between(const struct clew_model *model, const struct clew_elements *elements,
                           const uint64_t *before, const uint64_t *after,
                           struct clew_messages *messages);
void clew_messages_free(struct clew_messages *messages);

#endif
