/* Typical mistakes: what people type who know another language, with the exact message. In a sample
 * '@' stands in front of the place that the message points to; it is no part of the text. A sample
 * without one has the place, in the text that follows it, before its message. */
#ifndef CLEW_TESTS_MODEL_MISTAKES_H
#define CLEW_TESTS_MODEL_MISTAKES_H

#include "unit/model_errors.h"

static inline void mistake_check(clew_front_translate *translate, const struct model_sample *sample,
                                 const char *before, const char *after) {
  struct clew_text text = {0}, expected = {0};
  const char *mark = strchr(sample->text, '@');
  size_t head = mark != NULL ? (size_t)(mark - sample->text) : strlen(sample->text);
  clew_text_put(&text, before);
  clew_text_put_n(&text, sample->text, head);
  if (mark != NULL) {
    uint32_t line = 1, column = 1;
    for (size_t i = 0; i < text.len; i++) {
      column = text.data[i] == '\n' ? 1 : column + 1;
      line += text.data[i] == '\n';
    }
    clew_text_printf(&expected, "%u:%u: ", line, column);
    clew_text_put(&text, mark + 1);
  }
  clew_text_put(&expected, sample->messages);
  clew_text_put(&text, after);
  model_expect(translate, clew_text_str(&text), clew_text_str(&expected));
  clew_text_free(&text);
  clew_text_free(&expected);
}

#define MISTAKES_RUN(translate, table, before, after)                                              \
  for (size_t i_ = 0; i_ < sizeof(table) / sizeof(table)[0]; i_++) {                               \
    mistake_check(translate, &(table)[i_], before, after);                                         \
  }

#endif
