/* An XML file of UPPAAL in the text form, so that one parser serves both.
 *
 * Text of the file is kept in chunks as the XML parser delivers them, each with its place in the
 * file. A template is put together when it ends: then names, declarations and labels are copied in
 * the order of the text form, and each copied chunk becomes a piece of the map, so that a message
 * about the text form can point into the file.
 *
 * Unknown elements and attributes are skipped; so are message sequence charts. Labels that are
 * blank, or comments only, are as good as missing. A location without a name gets one from its id,
 * behind an underscore. */
#include <assert.h>
#include <expat.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "lang/uppaal/uppaal_int.h"

/* ---- What is kept --------------------------------------------------------------------------- */

/* Chunks from `first` up to `end` of the list. */
struct run {
  uint32_t first, end;
};

struct chunk {
  uint32_t at, length; /* in the characters */
  uint32_t from;       /* in the file */
};

enum label {
  LABEL_SELECT,
  LABEL_GUARD,
  LABEL_SYNC,
  LABEL_ASSIGN,
  LABEL_PROBABILITY,
  LABEL_INVARIANT,
  LABEL_RATE,
  LABELS,
  LABEL_NONE = LABELS
};

struct location {
  const char *name; /* as it is printed */
  struct run written, labels[LABELS];
  bool has_name, is_urgent, is_committed, is_branchpoint;
};

struct transition {
  struct clew_name *source, *target;
  uint32_t from; /* in the file */
  struct run labels[LABELS];
};

/* The id of a location: which one it is, if it belongs to the template with this number. */
struct location_id {
  struct clew_name id;
  uint32_t template, location;
};

enum element {
  ELEMENT_OTHER,
  ELEMENT_ROOT,
  ELEMENT_DECLARATION,
  ELEMENT_TEMPLATE,
  ELEMENT_NAME,
  ELEMENT_PARAMETER,
  ELEMENT_LOCATION,
  ELEMENT_LABEL,
  ELEMENT_URGENT,
  ELEMENT_COMMITTED,
  ELEMENT_INIT,
  ELEMENT_TRANSITION,
  ELEMENT_SOURCE,
  ELEMENT_TARGET,
  ELEMENT_BRANCHPOINT,
  ELEMENT_INSTANTIATION,
  ELEMENT_SYSTEM,
  ELEMENT_QUERY,
  ELEMENT_FORMULA,
  ELEMENT_COMMENT,
  ELEMENT_LSC,
};

enum { MOST_DEPTH = 64 };

struct reader {
  const struct clew_source *source;
  struct clew_arena *arena;
  struct clew_diag_sink *diags;
  XML_Parser parser;
  bool failed;
  struct clew_name_table ids;
  struct clew_text chars; /* all text of the current template, or between templates */
  CLEW_VEC(struct chunk) chunks;
  struct clew_text out;
  CLEW_VEC(struct uppaal_piece) pieces;
  CLEW_VEC(struct uppaal_xml_query) queries;
  bool has_lsc;
  enum element path[MOST_DEPTH];
  uint32_t depth, ignored; /* ignored: elements deep in something that is skipped */
  uint32_t text_first;     /* the first chunk of the element that is being read */
  enum label label;
  uint32_t templates; /* so far */
  bool in_template;
  struct run name, parameter, declaration;
  struct clew_name *init;
  CLEW_VEC(struct location) locations;
  CLEW_VEC(struct transition) transitions;
};

static uint32_t here(const struct reader *r) {
  XML_Index at = XML_GetCurrentByteIndex(r->parser);
  return at < 0 ? 0 : (size_t)at > r->source->length ? (uint32_t)r->source->length : (uint32_t)at;
}

static void fail_at(struct reader *r, uint32_t offset, const char *message) {
  if (!r->failed) {
    r->failed = true;
    clew_diag_at(r->diags, CLEW_ERROR, r->source, offset, 1, "%s", message);
    (void)XML_StopParser(r->parser, XML_FALSE);
  }
}

/* ---- Writing the text form ------------------------------------------------------------------ */

static void put(struct reader *r, const char *text) {
  clew_text_printf(&r->out, "%s", text);
}

static bool is_blank(const struct reader *r, struct run run) {
  if (run.first == run.end) {
    return true;
  }
  const struct chunk *last = &r->chunks.data[run.end - 1];
  const char *begin = clew_text_str(&r->chars) + r->chunks.data[run.first].at;
  const char *end = clew_text_str(&r->chars) + last->at + last->length;
  return clew_lex_blank(clew_uppaal_syntax.style, begin, end) == (size_t)(end - begin);
}

static void put_run(struct reader *r, struct run run) {
  for (uint32_t i = run.first; i < run.end; i++) {
    const struct chunk *chunk = &r->chunks.data[i];
    struct uppaal_piece piece = {(uint32_t)r->out.len, chunk->from, chunk->length};
    clew_vec_push(&r->pieces, piece);
    clew_text_printf(&r->out, "%.*s", (int)chunk->length, clew_text_str(&r->chars) + chunk->at);
  }
}

/* "guard x > 3\n;": the line ends before the semicolon because a comment may end the label. */
static void put_label(struct reader *r, const char *before, struct run run, const char *after) {
  if (!is_blank(r, run)) {
    put(r, before);
    put_run(r, run);
    put(r, after);
  }
}

/* ---- Templates ------------------------------------------------------------------------------ */

/* Text of a name without the blanks around it. */
static const char *plain_name(struct reader *r, struct run run) {
  struct clew_text text = {0};
  for (uint32_t i = run.first; i < run.end; i++) {
    const struct chunk *chunk = &r->chunks.data[i];
    clew_text_printf(&text, "%.*s", (int)chunk->length, clew_text_str(&r->chars) + chunk->at);
  }
  const char *blanks = " \t\r\n", *begin = clew_text_str(&text);
  begin += strspn(begin, blanks);
  size_t length = strlen(begin);
  while (length > 0 && strchr(blanks, begin[length - 1]) != NULL) {
    length--;
  }
  const char *copy = clew_arena_strndup(r->arena, begin, length);
  clew_text_free(&text);
  return copy;
}

static const char *location_name(struct reader *r, struct clew_name *id) {
  const struct location_id *known = (const struct location_id *)id;
  if (id == NULL || known->template != r->templates) {
    return NULL;
  }
  return r->locations.data[known->location].name;
}

static void put_location(struct reader *r, const struct location *location) {
  if (location->has_name) {
    put_run(r, location->written);
  } else {
    put(r, location->name);
  }
  bool invariant = !is_blank(r, location->labels[LABEL_INVARIANT]);
  bool rate = !is_blank(r, location->labels[LABEL_RATE]);
  if (invariant || rate) {
    put(r, " {");
    put_label(r, "", location->labels[LABEL_INVARIANT], "\n");
    put_label(r, ";", location->labels[LABEL_RATE], "\n");
    put(r, "}");
  }
}

/* "state a, b {x < 3};" of those locations that are, or are not, branch points. */
static void put_locations(struct reader *r, bool branchpoints) {
  const char *before = branchpoints ? "branchpoint " : "state ";
  for (uint32_t i = 0; i < r->locations.len; i++) {
    if (r->locations.data[i].is_branchpoint == branchpoints) {
      put(r, before);
      put_location(r, &r->locations.data[i]);
      before = ",\n";
    }
  }
  put(r, before[0] == ',' ? ";\n" : "");
}

static void put_marks(struct reader *r, bool committed) {
  const char *before = committed ? "commit " : "urgent ";
  for (uint32_t i = 0; i < r->locations.len; i++) {
    const struct location *location = &r->locations.data[i];
    if (committed ? location->is_committed : location->is_urgent) {
      put(r, before);
      put(r, location->name);
      before = ", ";
    }
  }
  put(r, before[0] == ',' ? ";\n" : "");
}

static void put_transition(struct reader *r, const struct transition *transition) {
  const char *source = location_name(r, transition->source);
  const char *target = location_name(r, transition->target);
  if (source == NULL || target == NULL) {
    fail_at(r, transition->from,
            source == NULL ? "this edge leaves no location of its template"
                           : "this edge leads to no location of its template");
    return;
  }
  clew_text_printf(&r->out, "%s -> %s {\n", source, target);
  put_label(r, "select ", transition->labels[LABEL_SELECT], "\n;");
  put_label(r, "guard ", transition->labels[LABEL_GUARD], "\n;");
  put_label(r, "sync ", transition->labels[LABEL_SYNC], "\n;");
  put_label(r, "assign ", transition->labels[LABEL_ASSIGN], "\n;");
  put_label(r, "probability ", transition->labels[LABEL_PROBABILITY], "\n;");
  put(r, "}");
}

static void forget_chunks(struct reader *r) {
  clew_vec_clear(&r->chunks);
  clew_text_free(&r->chars);
}

static void end_template(struct reader *r) {
  if (r->init == NULL || location_name(r, r->init) == NULL) {
    struct clew_text message = {0};
    clew_text_printf(&message, "the template '%s' has no initial location", plain_name(r, r->name));
    fail_at(r, here(r), clew_text_str(&message));
    clew_text_free(&message);
    return;
  }
  put(r, "process ");
  put_run(r, r->name);
  put_label(r, "(", r->parameter, "\n)");
  put(r, " {\n");
  put_run(r, r->declaration);
  put(r, "\n");
  put_locations(r, false);
  put_locations(r, true);
  put_marks(r, true);
  put_marks(r, false);
  clew_text_printf(&r->out, "init %s;\n", location_name(r, r->init));
  for (uint32_t i = 0; i < r->transitions.len && !r->failed; i++) {
    put(r, i == 0 ? "trans\n" : ",\n");
    put_transition(r, &r->transitions.data[i]);
  }
  put(r, r->transitions.len > 0 ? ";\n}\n" : "}\n");
  forget_chunks(r);
}

static void begin_template(struct reader *r) {
  forget_chunks(r);
  r->templates++;
  r->in_template = true;
  r->name = r->parameter = r->declaration = (struct run){0, 0};
  r->init = NULL;
  clew_vec_clear(&r->locations);
  clew_vec_clear(&r->transitions);
}

/* ---- Elements ------------------------------------------------------------------------------- */

static enum element element_of(const char *name) {
  static const struct {
    const char *name;
    enum element element;
  } table[] = {
      {"nta", ELEMENT_ROOT},
      {"project", ELEMENT_ROOT},
      {"declaration", ELEMENT_DECLARATION},
      {"template", ELEMENT_TEMPLATE},
      {"name", ELEMENT_NAME},
      {"parameter", ELEMENT_PARAMETER},
      {"location", ELEMENT_LOCATION},
      {"label", ELEMENT_LABEL},
      {"urgent", ELEMENT_URGENT},
      {"committed", ELEMENT_COMMITTED},
      {"init", ELEMENT_INIT},
      {"transition", ELEMENT_TRANSITION},
      {"source", ELEMENT_SOURCE},
      {"target", ELEMENT_TARGET},
      {"branchpoint", ELEMENT_BRANCHPOINT},
      {"instantiation", ELEMENT_INSTANTIATION},
      {"system", ELEMENT_SYSTEM},
      {"query", ELEMENT_QUERY},
      {"formula", ELEMENT_FORMULA},
      {"comment", ELEMENT_COMMENT},
      {"lsc", ELEMENT_LSC},
      {"lscTemplate", ELEMENT_LSC},
  };
  for (uint32_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    if (strcmp(table[i].name, name) == 0) {
      return table[i].element;
    }
  }
  return ELEMENT_OTHER;
}

static const char *attribute(const char **attributes, const char *name) {
  for (; attributes[0] != NULL; attributes += 2) {
    if (strcmp(attributes[0], name) == 0) {
      return attributes[1];
    }
  }
  return NULL;
}

static enum label label_of(const char *kind) {
  static const char *const kinds[LABELS] = {"select",         "guard",       "synchronisation",
                                            "assignment",     "probability", "invariant",
                                            "exponentialrate"};
  for (uint32_t i = 0; i < LABELS && kind != NULL; i++) {
    if (strcmp(kinds[i], kind) == 0) {
      return (enum label)i;
    }
  }
  return LABEL_NONE;
}

static struct clew_name *intern_id(struct reader *r, const char *id) {
  return id == NULL ? NULL : clew_name_intern(&r->ids, id, strlen(id));
}

/* The name of a location that has none. Characters that names do not have become underscores. */
static const char *made_up_name(struct reader *r, const char *id) {
  char *name = clew_arena_printf(r->arena, "_%s", id == NULL ? "" : id);
  for (char *at = name; *at != '\0'; at++) {
    if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *at) == NULL) {
      *at = '_';
    }
  }
  return name;
}

static void begin_location(struct reader *r, const char **attributes, bool is_branchpoint) {
  const char *id = attribute(attributes, "id");
  struct location location = {.is_branchpoint = is_branchpoint, .name = made_up_name(r, id)};
  struct location_id *known = (struct location_id *)intern_id(r, id);
  if (known != NULL && known->template == r->templates) {
    fail_at(r, here(r), "two locations of this template have the same id");
  } else if (known != NULL) {
    known->template = r->templates;
    known->location = r->locations.len;
  }
  clew_vec_push(&r->locations, location);
}

static void begin_transition(struct reader *r) {
  struct transition transition = {.from = here(r)};
  clew_vec_push(&r->transitions, transition);
}

static void begin_in_template(struct reader *r, enum element element, const char **attributes) {
  struct clew_name *ref = intern_id(r, attribute(attributes, "ref"));
  bool in_transition = r->path[r->depth - 1] == ELEMENT_TRANSITION;
  bool in_location = r->path[r->depth - 1] == ELEMENT_LOCATION;
  if (element == ELEMENT_LOCATION || element == ELEMENT_BRANCHPOINT) {
    begin_location(r, attributes, element == ELEMENT_BRANCHPOINT);
  } else if (element == ELEMENT_TRANSITION) {
    begin_transition(r);
  } else if (element == ELEMENT_INIT) {
    r->init = ref;
  } else if (element == ELEMENT_SOURCE && in_transition) {
    clew_vec_last(&r->transitions).source = ref;
  } else if (element == ELEMENT_TARGET && in_transition) {
    clew_vec_last(&r->transitions).target = ref;
  } else if (element == ELEMENT_URGENT && in_location) {
    clew_vec_last(&r->locations).is_urgent = true;
  } else if (element == ELEMENT_COMMITTED && in_location) {
    clew_vec_last(&r->locations).is_committed = true;
  } else if (element == ELEMENT_LABEL) {
    r->label = label_of(attribute(attributes, "kind"));
  }
}

static void XMLCALL on_start(void *data, const char *name, const char **attributes) {
  struct reader *r = data;
  if (r->failed) {
    return;
  }
  enum element element = element_of(name);
  if (r->ignored > 0 || element == ELEMENT_LSC) {
    r->has_lsc = r->has_lsc || element == ELEMENT_LSC;
    r->ignored++;
    return;
  }
  if (r->depth == 0 && element != ELEMENT_ROOT) {
    fail_at(r, here(r), "the root of the file is neither <nta> nor <project>");
    return;
  }
  if (r->depth == MOST_DEPTH) {
    fail_at(r, here(r), "the elements of this file are nested too deeply");
    return;
  }
  if (element == ELEMENT_TEMPLATE) {
    begin_template(r);
  } else if (r->in_template) {
    begin_in_template(r, element, attributes);
  }
  r->path[r->depth++] = element;
  r->text_first = r->chunks.len;
}

/* ---- Text ----------------------------------------------------------------------------------- */

static void XMLCALL on_text(void *data, const char *text, int length) {
  struct reader *r = data;
  if (r->failed || r->ignored > 0 || r->depth == 0) {
    return;
  }
  if (memchr(text, 0, (size_t)length) != NULL) {
    fail_at(r, here(r), "this character cannot be part of a model");
    return;
  }
  struct chunk chunk = {(uint32_t)r->chars.len, (uint32_t)length, here(r)};
  clew_vec_push(&r->chunks, chunk);
  clew_text_printf(&r->chars, "%.*s", length, text);
}

static void end_in_template(struct reader *r, enum element element, struct run run) {
  enum element parent = r->path[r->depth - 1];
  if (parent == ELEMENT_TEMPLATE && element == ELEMENT_NAME) {
    r->name = run;
  } else if (parent == ELEMENT_TEMPLATE && element == ELEMENT_PARAMETER) {
    r->parameter = run;
  } else if (parent == ELEMENT_TEMPLATE && element == ELEMENT_DECLARATION) {
    r->declaration = run;
  } else if (parent == ELEMENT_LOCATION && element == ELEMENT_NAME && !is_blank(r, run)) {
    struct location *location = &clew_vec_last(&r->locations);
    location->written = run;
    location->has_name = true;
    location->name = plain_name(r, run);
  } else if (element == ELEMENT_LABEL && r->label != LABEL_NONE) {
    if (parent == ELEMENT_LOCATION) {
      clew_vec_last(&r->locations).labels[r->label] = run;
    } else if (parent == ELEMENT_TRANSITION) {
      clew_vec_last(&r->transitions).labels[r->label] = run;
    }
  }
}

static void end_query_part(struct reader *r, enum element element, struct run run) {
  if (element == ELEMENT_FORMULA) {
    struct uppaal_xml_query query = {
        plain_name(r, run), "", run.first < run.end ? r->chunks.data[run.first].from : here(r)};
    clew_vec_push(&r->queries, query);
  } else if (element == ELEMENT_COMMENT && r->queries.len > 0) {
    clew_vec_last(&r->queries).comment = plain_name(r, run);
  }
}

static void end_at_top(struct reader *r, enum element element, struct run run) {
  if (element == ELEMENT_DECLARATION || element == ELEMENT_INSTANTIATION ||
      element == ELEMENT_SYSTEM) {
    put_run(r, run);
    put(r, "\n");
    forget_chunks(r);
  }
}

static void XMLCALL on_end(void *data, const char *name) {
  struct reader *r = data;
  (void)name;
  if (r->failed) {
    return;
  }
  if (r->ignored > 0) {
    r->ignored--;
    return;
  }
  assert(r->depth > 0);
  enum element element = r->path[--r->depth];
  struct run run = {r->text_first < r->chunks.len ? r->text_first : r->chunks.len, r->chunks.len};
  if (element == ELEMENT_TEMPLATE) {
    end_template(r);
    r->in_template = false;
  } else if (r->in_template) {
    end_in_template(r, element, run);
  } else if (r->depth > 0 && r->path[r->depth - 1] == ELEMENT_QUERY) {
    end_query_part(r, element, run);
  } else if (r->depth == 1) {
    end_at_top(r, element, run);
  }
  r->text_first = r->chunks.len;
}

static void XMLCALL on_entity(void *data, const XML_Char *name, int is_parameter,
                              const XML_Char *value, int value_length, const XML_Char *base,
                              const XML_Char *system_id, const XML_Char *public_id,
                              const XML_Char *notation) {
  (void)name, (void)is_parameter, (void)value, (void)value_length;
  (void)base, (void)system_id, (void)public_id, (void)notation;
  struct reader *r = data;
  fail_at(r, here(r), "models must not declare entities");
}

/* ---- The file ------------------------------------------------------------------------------- */

static void read_all(struct reader *r) {
  XML_SetUserData(r->parser, r);
  XML_SetElementHandler(r->parser, on_start, on_end);
  XML_SetCharacterDataHandler(r->parser, on_text);
  XML_SetEntityDeclHandler(r->parser, on_entity);
  assert(r->source->length <= INT32_MAX);
  enum XML_Status status = XML_Parse(r->parser, r->source->text, (int)r->source->length, XML_TRUE);
  if (status != XML_STATUS_OK && !r->failed) {
    fail_at(r, here(r), XML_ErrorString(XML_GetErrorCode(r->parser)));
  }
}

static void take_results(struct reader *r, struct uppaal_xml *out) {
  *out = (struct uppaal_xml){
      .text = {r->source->name, clew_arena_strndup(r->arena, clew_text_str(&r->out), r->out.len),
               r->out.len},
      .pieces =
          clew_arena_copy(r->arena, r->pieces.data, r->pieces.len, sizeof(struct uppaal_piece)),
      .piece_count = r->pieces.len,
      .queries = clew_arena_copy(r->arena, r->queries.data, r->queries.len,
                                 sizeof(struct uppaal_xml_query)),
      .query_count = r->queries.len,
      .has_lsc = r->has_lsc,
  };
}

bool clew_uppaal_read_xml(const struct clew_source *source, struct clew_arena *arena,
                          struct clew_diag_sink *diags, struct uppaal_xml *out) {
  struct reader r = {.source = source,
                     .arena = arena,
                     .diags = diags,
                     .parser = XML_ParserCreate(NULL),
                     .ids = {.arena = arena, .name_bytes = sizeof(struct location_id)}};
  if (r.parser == NULL) {
    clew_fatal("out of memory");
  }
  if (source->length > INT32_MAX) {
    r.failed = true;
    clew_diag_plain(diags, CLEW_ERROR, source->name, "this file is too large");
  } else {
    read_all(&r);
  }
  XML_ParserFree(r.parser);
  take_results(&r, out);
  forget_chunks(&r);
  clew_text_free(&r.out);
  clew_vec_free(&r.pieces);
  clew_vec_free(&r.queries);
  clew_vec_free(&r.chunks);
  clew_vec_free(&r.locations);
  clew_vec_free(&r.transitions);
  return !r.failed;
}

uint32_t clew_uppaal_xml_origin(const struct uppaal_xml *xml, uint32_t offset) {
  uint32_t first = 0, end = xml->piece_count; /* the last piece that begins at or before it */
  while (first < end) {
    uint32_t middle = first + (end - first) / 2;
    if (xml->pieces[middle].to <= offset) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  if (first == 0) {
    return 0;
  }
  const struct uppaal_piece *piece = &xml->pieces[first - 1];
  uint32_t within = offset - piece->to;
  return piece->from + (within < piece->length ? within : piece->length);
}
