/* Pages: self-contained documents made of the style sheet and the scripts in this folder, which are
 * embedded at build time (scripts/embed), and of data.
 *
 * Nothing of a model is ever part of the markup but the title, which is escaped. Everything else is
 * JSON in a data block, in which '<' does not occur, and scripts make text nodes of it. A policy in
 * the head allows the embedded script and style by their sums and nothing else: no other script
 * runs, and nothing is loaded. */
#ifndef CLEW_WEB_PAGE_H
#define CLEW_WEB_PAGE_H

#include "base/text.h"

/* Appends text as character data of HTML that is also fit for an attribute in quotes. */
void clew_page_escape(struct clew_text *out, const char *text);
/* Appends a JSON document without indentation, and so that it may stand in a script element. */
void clew_page_json(struct clew_text *out, const struct clew_text *json);

struct clew_page {
  const char *title;
  const char *application;      /* "report" or "explore" */
  const struct clew_text *data; /* a JSON document */
  const char *plain; /* the same for those who have no scripts; NULL: a page without them is none */
  bool calls_home;   /* its script may talk to the server that it came from */
};
void clew_page_write(const struct clew_page *page, struct clew_text *out);

/* An embedded file, terminated, with its length. */
struct clew_asset {
  const char *name; /* "style.css" */
  const char *text;
  size_t length;
  const char *sum; /* SHA-256, in base 64 */
};
extern const struct clew_asset clew_assets[]; /* ends with a name of NULL */
const struct clew_asset *clew_asset_find(const char *name);

#endif
