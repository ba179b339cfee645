/* Text from a model made fit for a terminal. */
#include "trace/plain.h"

#include <assert.h>
#include <string.h>

void clew_plain_put(struct clew_text *out, const char *text) {
  assert(text != NULL);
  for (size_t left = strlen(text); left > 0;) {
    uint32_t code;
    size_t length = clew_text_utf8(text, left, &code);
    bool control = length > 0 && (code < 0x20 || (code >= 0x7f && code < 0xa0));
    bool reorders =
        length > 0 && ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069));
    if (length == 0 || control || reorders) {
      clew_text_char(out, '?');
    } else {
      clew_text_put_n(out, text, length);
    }
    length = length > 0 ? length : 1;
    text += length;
    left -= length;
  }
}
