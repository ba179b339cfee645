/* Shared by outputs that are XML. */
#ifndef CLEW_REPORT_XML_INT_H
#define CLEW_REPORT_XML_INT_H

#include <string.h>

#include "report/plot.h"

/* `name="value"` with a blank before it. */
static inline void clew_xml_attribute(struct clew_text *out, const char *name, const char *value) {
  clew_text_printf(out, " %s=\"", name);
  clew_plot_escape(out, value);
  clew_text_char(out, '"');
}

/* Text of several lines, as character data. */
static inline void clew_xml_lines(struct clew_text *out, const char *text) {
  struct clew_text line = {0};
  while (*text != '\0') {
    size_t length = strcspn(text, "\n");
    clew_text_clear(&line);
    clew_text_put_n(&line, text, length);
    clew_plot_escape(out, clew_text_str(&line));
    text += length;
    if (*text == '\n') {
      clew_text_char(out, '\n');
      text++;
    }
  }
  clew_text_free(&line);
}

#endif
