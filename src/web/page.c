/* Putting pages together. */
#include "web/page.h"

#include <assert.h>
#include <string.h>

const struct clew_asset *clew_asset_find(const char *name) {
  const struct clew_asset *asset = clew_assets;
  while (asset->name != NULL && strcmp(asset->name, name) != 0) {
    asset++;
  }
  assert(asset->name != NULL);
  return asset;
}

/* Control characters and broken UTF-8 are left out: no document may have them. */
void clew_page_escape(struct clew_text *out, const char *text) {
  for (size_t left = strlen(text); left > 0;) {
    uint32_t code;
    size_t length = clew_text_utf8(text, left, &code);
    if (length == 0) {
      clew_text_put(out, "\xef\xbf\xbd");
      length = 1;
    } else if (*text == '<') {
      clew_text_put(out, "&lt;");
    } else if (*text == '>') {
      clew_text_put(out, "&gt;");
    } else if (*text == '&') {
      clew_text_put(out, "&amp;");
    } else if (*text == '"') {
      clew_text_put(out, "&quot;");
    } else if (*text == '\'') {
      clew_text_put(out, "&#39;");
    } else if (code >= 0x20 ? code != 0x7f && (code < 0x80 || code >= 0xa0) : code == '\n') {
      clew_text_put_n(out, text, length);
    }
    text += length;
    left -= length;
  }
}

void clew_page_json(struct clew_text *out, const struct clew_text *json) {
  const char *text = clew_text_str(json);
  for (size_t i = 0; i < json->len; i++) {
    switch (text[i]) {
    case '\n': /* never within a string: the writer escapes it there */
      while (i + 1 < json->len && text[i + 1] == ' ') {
        i++;
      }
      break;
    case '<':
      clew_text_put(out, "\\u003c");
      break;
    case '>':
      clew_text_put(out, "\\u003e");
      break;
    case '&':
      clew_text_put(out, "\\u0026");
      break;
    default:
      clew_text_char(out, text[i]);
    }
  }
}

static void put_policy(struct clew_text *out, const struct clew_page *page,
                       const struct clew_asset *const *parts, uint32_t count) {
  clew_text_put(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
  clew_text_printf(out, "style-src 'sha256-%s'; script-src", clew_asset_find("style.css")->sum);
  for (uint32_t i = 0; i < count; i++) {
    clew_text_printf(out, " 'sha256-%s'", parts[i]->sum);
  }
  clew_text_printf(out, "; img-src data:%s; base-uri 'none'; form-action 'none'\">\n",
                   page->calls_home ? "; connect-src 'self'" : "");
}

void clew_page_write(const struct clew_page *page, struct clew_text *out) {
  struct clew_text script = {0};
  clew_text_printf(&script, "%s.js", page->application);
  const struct clew_asset *parts[] = {clew_asset_find("common.js"), clew_asset_find("views.js"),
                                      clew_asset_find(clew_text_str(&script))};
  uint32_t count = sizeof parts / sizeof parts[0];
  clew_text_put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  put_policy(out, page, parts, count);
  clew_text_put(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n"
                     "<meta name=\"referrer\" content=\"no-referrer\">\n"
                     "<link rel=\"icon\" href=\"data:,\">\n<title>");
  clew_page_escape(out, page->title);
  clew_text_put(out, "</title>\n<style>");
  const struct clew_asset *style = clew_asset_find("style.css");
  clew_text_put_n(out, style->text, style->length);
  clew_text_put(out, "</style>\n</head>\n<body>\n<div id=\"page\"></div>\n");
  if (page->plain != NULL) {
    clew_text_put(out, "<noscript><main><pre>");
    clew_page_escape(out, page->plain);
    clew_text_put(out, "</pre></main></noscript>\n");
  }
  clew_text_put(out, "<script type=\"application/json\" id=\"data\">");
  clew_page_json(out, page->data);
  clew_text_put(out, "</script>\n");
  for (uint32_t i = 0; i < count; i++) {
    clew_text_put(out, "<script>");
    clew_text_put_n(out, parts[i]->text, parts[i]->length);
    clew_text_put(out, "</script>\n");
  }
  clew_text_put(out, "</body>\n</html>\n");
  clew_text_free(&script);
}
