/* XML files as trees, by expat. */
#include "lang/xml.h"

#include <assert.h>
#include <expat.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/vec.h"

enum { MOST_DEPTH = 1000 };

struct reader {
  const struct clew_source *source;
  struct clew_arena *arena;
  struct clew_diag_sink *diags;
  clew_xml_skips *skips;
  XML_Parser parser;
  bool failed;
  uint32_t skipped; /* elements that are open in one that is left out */
  struct clew_xml *root;
  struct clew_xml *path[MOST_DEPTH], *last[MOST_DEPTH]; /* open elements; their last children */
  uint32_t depth;
  CLEW_VEC(struct clew_text) texts; /* by depth */
};

static uint32_t here(const struct reader *r) {
  XML_Index at = XML_GetCurrentByteIndex(r->parser);
  return at < 0 ? 0 : (size_t)at > r->source->length ? (uint32_t)r->source->length : (uint32_t)at;
}

static void fail(struct reader *r, const char *message) {
  if (!r->failed) {
    r->failed = true;
    clew_diag_at(r->diags, CLEW_ERROR, r->source, here(r), 1, "%s", message);
    (void)XML_StopParser(r->parser, XML_FALSE);
  }
}

static const char *plain_name(const char *name) {
  const char *colon = strrchr(name, ':');
  return colon != NULL ? colon + 1 : name;
}

static const char *const *copy_attributes(struct reader *r, const char **attributes) {
  uint32_t count = 0;
  while (attributes[count] != NULL) {
    count++;
  }
  const char **copy = CLEW_NEW_ARRAY(r->arena, const char *, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    const char *text = i % 2 == 0 ? plain_name(attributes[i]) : attributes[i];
    copy[i] = clew_arena_strndup(r->arena, text, strlen(text));
  }
  return copy;
}

static void XMLCALL on_start(void *data, const char *name, const char **attributes) {
  struct reader *r = data;
  if (r->failed) {
    return;
  }
  const char *plain = plain_name(name);
  bool may_skip = r->skips != NULL && r->depth > 0; /* the root says what the file is */
  if (r->skipped > 0 || (may_skip && r->skips(plain, (const char *const *)attributes))) {
    r->skipped++;
    return;
  }
  if (r->depth == MOST_DEPTH) {
    fail(r, "the elements of this file are nested too deeply");
    return;
  }
  struct clew_xml *element = CLEW_NEW(r->arena, struct clew_xml);
  *element = (struct clew_xml){.name = clew_arena_strndup(r->arena, plain, strlen(plain)),
                               .attributes = copy_attributes(r, attributes),
                               .text = "",
                               .offset = here(r)};
  if (r->depth == 0) {
    r->root = element;
  } else if (r->last[r->depth - 1] == NULL) {
    r->path[r->depth - 1]->first = element;
  } else {
    r->last[r->depth - 1]->next = element;
  }
  if (r->depth > 0) {
    r->last[r->depth - 1] = element;
  }
  if (r->texts.len == r->depth) {
    clew_vec_push(&r->texts, (struct clew_text){0});
  }
  clew_text_clear(&r->texts.data[r->depth]);
  r->path[r->depth] = element;
  r->last[r->depth++] = NULL;
}

static void XMLCALL on_text(void *data, const char *text, int length) {
  struct reader *r = data;
  if (!r->failed && r->skipped == 0 && r->depth > 0) {
    clew_text_put_n(&r->texts.data[r->depth - 1], text, (size_t)length);
  }
}

static void XMLCALL on_end(void *data, const char *name) {
  struct reader *r = data;
  (void)name;
  if (r->failed) {
    return;
  }
  if (r->skipped > 0) {
    r->skipped--;
    return;
  }
  assert(r->depth > 0);
  r->depth--;
  const char *blanks = " \t\r\n", *begin = clew_text_str(&r->texts.data[r->depth]);
  begin += strspn(begin, blanks);
  size_t length = strlen(begin);
  while (length > 0 && strchr(blanks, begin[length - 1]) != NULL) {
    length--;
  }
  if (length > 0) {
    r->path[r->depth]->text = clew_arena_strndup(r->arena, begin, length);
  }
}

static void XMLCALL on_entity(void *data, const XML_Char *name, int is_parameter,
                              const XML_Char *value, int value_length, const XML_Char *base,
                              const XML_Char *system_id, const XML_Char *public_id,
                              const XML_Char *notation) {
  (void)name, (void)is_parameter, (void)value, (void)value_length;
  (void)base, (void)system_id, (void)public_id, (void)notation;
  fail(data, "models must not declare entities");
}

static void read_all(struct reader *r) {
  XML_SetUserData(r->parser, r);
  XML_SetElementHandler(r->parser, on_start, on_end);
  XML_SetCharacterDataHandler(r->parser, on_text);
  XML_SetEntityDeclHandler(r->parser, on_entity);
  enum XML_Status status = XML_Parse(r->parser, r->source->text, (int)r->source->length, XML_TRUE);
  if (status != XML_STATUS_OK && !r->failed) {
    fail(r, XML_ErrorString(XML_GetErrorCode(r->parser)));
  }
}

struct clew_xml *clew_xml_read(const struct clew_source *source, struct clew_arena *arena,
                               clew_xml_skips *skips, struct clew_diag_sink *diags) {
  struct reader *r = clew_alloc_zero(1, sizeof *r);
  r->source = source;
  r->arena = arena;
  r->skips = skips;
  r->diags = diags;
  if (source->length > INT32_MAX) {
    r->failed = true;
    clew_diag_plain(diags, CLEW_ERROR, source->name, "this file is too large");
  } else {
    r->parser = XML_ParserCreate(NULL);
    if (r->parser == NULL) {
      clew_fatal("out of memory");
    }
    read_all(r);
    XML_ParserFree(r->parser);
  }
  for (uint32_t i = 0; i < r->texts.len; i++) {
    clew_text_free(&r->texts.data[i]);
  }
  clew_vec_free(&r->texts);
  struct clew_xml *root = r->failed ? NULL : r->root;
  clew_free(r);
  return root;
}

const char *clew_xml_attribute(const struct clew_xml *element, const char *name) {
  for (const char *const *at = element->attributes; at[0] != NULL; at += 2) {
    if (strcmp(at[0], name) == 0) {
      return at[1];
    }
  }
  return NULL;
}

bool clew_xml_is(const struct clew_xml *element, const char *name) {
  return strcmp(element->name, name) == 0;
}

struct clew_xml *clew_xml_child(const struct clew_xml *element, const char *name) {
  struct clew_xml *child = element->first;
  while (child != NULL && !clew_xml_is(child, name)) {
    child = child->next;
  }
  return child;
}
