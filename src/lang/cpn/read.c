/* A file of CPN Tools: declarations, pages and what is on them.
 *
 * The structure of declarations counts; their <layout> is a comment. Arcs of substitution
 * transitions are decoration. Whatever cannot be run is only noted here: it matters where a page
 * has an instance. */
#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "lang/cpn/cpn_int.h"

void cpn_net_fail(struct cpn_net *net, uint32_t offset, const char *format, ...) {
  va_list args;
  va_start(args, format);
  clew_diag_vat(net->diags, CLEW_ERROR, net->request->source, offset, 1, format, args);
  va_end(args);
  net->failed = true;
}

struct cpn_text cpn_text_of(struct cpn_net *net, const char *text, const char *format, ...) {
  struct clew_text name = {0};
  va_list args;
  va_start(args, format);
  clew_text_printf(&name, "%s: ", net->request->source->name);
  clew_text_vprintf(&name, format, args);
  va_end(args);
  struct cpn_text result = {{.name = clew_arena_strndup(net->arena, clew_text_str(&name), name.len),
                             .text = text,
                             .length = strlen(text)}};
  clew_text_free(&name);
  return result;
}

/* Names with line breaks and runs of blanks are shown on one line. */
static const char *shown(struct cpn_net *net, const char *text) {
  struct clew_text name = {0};
  for (; *text != '\0'; text++) {
    bool is_blank = isspace((unsigned char)*text);
    if (!is_blank) {
      clew_text_char(&name, *text);
    } else if (name.len > 0 && name.data[name.len - 1] != ' ') {
      clew_text_char(&name, ' ');
    }
  }
  const char *copy = clew_arena_strndup(net->arena, clew_text_str(&name), name.len);
  clew_text_free(&name);
  return copy;
}

/* The <text> inside a child of this name; "" if there is none. */
static const char *text_in(const struct clew_xml *element, const char *name) {
  const struct clew_xml *inner = clew_xml_child(element, name);
  const struct clew_xml *text = inner != NULL ? clew_xml_child(inner, "text") : NULL;
  return text != NULL ? text->text : "";
}

/* ---- declarations ---- */

static void read_variables(struct cpn_net *net, const struct clew_xml *element) {
  const struct clew_xml *type = clew_xml_child(element, "type");
  const struct clew_xml *id = type != NULL ? clew_xml_child(type, "id") : NULL;
  struct cpn_name *of = id != NULL ? cpn_name(&net->ml, id->text, strlen(id->text)) : NULL;
  if (of == NULL || of->colour == NULL) {
    cpn_net_fail(net, element->offset, "a <var> needs a colour set: there is no '%s'",
                 id != NULL ? id->text : "");
    return;
  }
  for (const struct clew_xml *at = element->first; at != NULL; at = at->next) {
    if (clew_xml_is(at, "id")) {
      struct cpn_name *name = cpn_name(&net->ml, at->text, strlen(at->text));
      struct cpn_variable variable = {name, of->colour};
      clew_vec_push(&net->variables, variable);
      clew_vec_push(&net->variable_types, of->colour->type);
      name->variable = net->variables.len;
    }
  }
}

/* `val NAME = …` with the expression of --param in its place. */
static bool is_overridden(struct cpn_net *net, struct cpn_dec *dec, struct cpn_expr **body,
                          const struct cpn_text **text) {
  const struct cpn_expr *pattern = dec->pattern;
  while (pattern != NULL && pattern->kind == CPN_TYPED) {
    pattern = pattern->parts[0];
  }
  if (dec->kind != CPN_VAL || pattern == NULL || pattern->kind != CPN_NAME) {
    return false;
  }
  for (uint32_t i = 0; i < net->request->override_count; i++) {
    struct clew_override *override = &net->request->overrides[i];
    if (strcmp(override->name, pattern->name->base.text) == 0) {
      struct cpn_text *source = CLEW_NEW(net->arena, struct cpn_text);
      *source =
          (struct cpn_text){{.name = clew_arena_printf(net->arena, "--param %s", override->name),
                             .text = override->value,
                             .length = strlen(override->value)}};
      struct cpn_reader reader = {.ml = &net->ml, .text = source};
      override->used = true;
      *body = cpn_parse_expr(&reader);
      *text = source;
      net->failed = net->failed || reader.failed;
      return *body != NULL;
    }
  }
  return false;
}

static void declare(struct cpn_net *net, const struct cpn_text *text, struct cpn_dec *decs) {
  for (struct cpn_dec *dec = decs; dec != NULL; dec = dec->next) {
    struct cpn_dec *next = dec->next;
    struct cpn_reader reader = {.ml = &net->ml, .text = text};
    dec->next = NULL;
    if (is_overridden(net, dec, &dec->body, &reader.text)) {
      /* It must be right: nobody asks for a value that cannot be used. */
      cpn_declare(&reader, dec, net->request->stop);
      const struct cpn_expr *name = dec->pattern;
      while (name->kind == CPN_TYPED) {
        name = name->parts[0];
      }
      const struct cpn_global *global = name->name->global;
      if (global != NULL && global->broken != NULL) {
        clew_diag_at(net->diags, CLEW_ERROR, &reader.text->source, 0,
                     (uint32_t)reader.text->source.length, "%s", global->broken);
        net->failed = true;
      }
    } else {
      cpn_declare(&reader, dec, net->request->stop);
    }
    dec->next = next;
  }
}

/* ML that cannot be read is no reason to refuse a net, until a name is missing. */
static void read_ml(struct cpn_net *net, const struct clew_xml *element) {
  struct cpn_text *text = CLEW_NEW(net->arena, struct cpn_text);
  *text = cpn_text_of(net, element->text, "declarations");
  struct cpn_reader reader = {.ml = &net->ml, .text = text, .is_quiet = true};
  struct cpn_dec *decs = cpn_parse_decs(&reader);
  if (!reader.failed) {
    declare(net, text, decs);
    return;
  }
  /* The name behind the first keyword is broken at least. */
  const char *at = element->text;
  while (*at != '\0' && strncmp(at, "fun ", 4) != 0 && strncmp(at, "val ", 4) != 0) {
    at++;
  }
  at += *at != '\0' ? 4 : 0;
  at += strspn(at, " \t\r\n");
  size_t length = strcspn(at, " \t\r\n(=:");
  if (length > 0) {
    cpn_add_global(&net->ml, cpn_name(&net->ml, at, length), net->ml.unit_type, NULL)->broken =
        clew_arena_printf(net->arena, "its declaration cannot be read: %s", reader.first);
  }
}

static void read_globref(struct cpn_net *net, const struct clew_xml *element) {
  const struct clew_xml *id = clew_xml_child(element, "id");
  if (id != NULL) {
    struct cpn_name *name = cpn_name(&net->ml, id->text, strlen(id->text));
    cpn_add_global(&net->ml, name, net->ml.unit_type, NULL)->broken =
        "reference variables are not supported";
  }
}

static void read_declarations(struct cpn_net *net, const struct clew_xml *element) {
  for (const struct clew_xml *at = element->first; at != NULL && !net->failed; at = at->next) {
    if (clew_xml_is(at, "block")) {
      read_declarations(net, at);
    } else if (clew_xml_is(at, "color")) {
      cpn_read_colour(net, at);
    } else if (clew_xml_is(at, "var")) {
      read_variables(net, at);
    } else if (clew_xml_is(at, "ml")) {
      read_ml(net, at);
    } else if (clew_xml_is(at, "globref")) {
      read_globref(net, at);
    }
  }
  net->ml.variable_types = net->variable_types.data;
}

/* ---- pages ---- */

/* Whether only these characters are in the text, blanks aside. */
static bool is_like(const char *text, const char *pattern) {
  for (; *text != '\0'; text++) {
    if (isspace((unsigned char)*text)) {
      continue;
    }
    if (*text != *pattern) {
      return false;
    }
    pattern++;
  }
  return *pattern == '\0';
}

static bool is_empty_code(const char *text) {
  static const char *const empty[] = {"",
                                      "input();output();action();",
                                      "input()output()action()",
                                      "input();output();action()",
                                      "input();output();",
                                      "action();",
                                      "action()"};
  for (uint32_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
    if (is_like(text, empty[i])) {
      return true;
    }
  }
  return false;
}

static void note_refused(struct cpn_net *net, struct cpn_transition_node *node, const char *page,
                         const char *why, const char *region, const char *text) {
  if (node->refused == NULL) {
    node->refused = why;
    node->refused_text =
        cpn_text_of(net, text, "page '%s', %s of transition '%s'", page, region, node->name);
  }
}

static void read_regions(struct cpn_net *net, struct cpn_transition_node *node, const char *page,
                         const struct clew_xml *element) {
  const char *time = text_in(element, "time"), *code = text_in(element, "code");
  const char *priority = text_in(element, "priority"), *channel = text_in(element, "channel");
  if (!is_like(time, "") && !is_like(time, "@+") && !is_like(time, "@++")) {
    note_refused(net, node, page, "delays of transitions are not supported", "time region", time);
  }
  if (!is_empty_code(code)) {
    note_refused(net, node, page, "code regions are not supported", "code region", code);
  }
  if (!is_like(priority, "") && !is_like(priority, "P_NORMAL")) {
    note_refused(net, node, page, "priorities are not supported", "priority", priority);
  }
  if (!is_like(channel, "")) {
    note_refused(net, node, page, "channels are not supported", "channel", channel);
  }
}

/* "(port,socket)(port,socket)" */
static void read_ports(struct cpn_net *net, struct cpn_transition_node *node, const char *text) {
  CLEW_VEC(struct cpn_port) ports = {0};
  while (text != NULL && (text = strchr(text, '(')) != NULL) {
    const char *comma = strchr(text, ','), *close = strchr(text, ')');
    if (comma == NULL || close == NULL || comma > close) {
      cpn_net_fail(net, node->offset, "the assignment of ports '%s' is not complete", text);
      break;
    }
    struct cpn_port port = {clew_arena_strndup(net->arena, text + 1, (size_t)(comma - text - 1)),
                            clew_arena_strndup(net->arena, comma + 1, (size_t)(close - comma - 1))};
    clew_vec_push(&ports, port);
    text = close;
  }
  node->port_count = ports.len;
  node->ports = clew_arena_copy(net->arena, ports.data, ports.len, sizeof *ports.data);
  clew_vec_free(&ports);
}

struct cpn_id *cpn_id(struct cpn_net *net, const char *id) {
  return (struct cpn_id *)clew_name_intern(&net->ids, id, strlen(id));
}

uint32_t cpn_find_node(struct cpn_net *net, const struct cpn_page *page, const char *id) {
  const struct cpn_id *found = cpn_id(net, id);
  bool is_here = found->place != 0 && &net->pages.data[found->place_page - 1] == page;
  return is_here ? found->place - 1 : CLEW_NONE;
}

static const char *needed(struct cpn_net *net, const struct clew_xml *element, const char *name) {
  const char *value = clew_xml_attribute(element, name);
  if (value == NULL) {
    cpn_net_fail(net, element->offset, "a <%s> needs the attribute '%s'", element->name, name);
  }
  return value != NULL ? value : "";
}

/* Lines and columns are counted on from the last element: from the start for each would take time
 * by the square of the file. */
static struct clew_position position_of(struct cpn_net *net, uint32_t offset) {
  const struct clew_source *source = net->request->source;
  struct clew_position *at = &net->seen_position;
  if (at->line == 0 || offset < net->seen_offset) {
    *at = (struct clew_position){1, 1};
    net->seen_offset = 0;
  }
  for (; net->seen_offset < offset && net->seen_offset < source->length; net->seen_offset++) {
    bool is_end = source->text[net->seen_offset] == '\n';
    at->line += is_end;
    at->column = is_end ? 1 : at->column + 1;
  }
  return *at;
}

static void read_transition(struct cpn_net *net, struct cpn_page *page,
                            const struct clew_xml *element) {
  const struct clew_xml *text = clew_xml_child(element, "text");
  const struct clew_xml *subst = clew_xml_child(element, "subst");
  struct cpn_transition_node node = {.id = needed(net, element, "id"),
                                     .name = shown(net, text != NULL ? text->text : ""),
                                     .offset = element->offset,
                                     .position = position_of(net, element->offset)};
  node.guard = cpn_text_of(net, text_in(element, "cond"), "page '%s', guard of transition '%s'",
                           page->name, node.name);
  if (subst != NULL) {
    node.subpage = needed(net, subst, "subpage");
    read_ports(net, &node, clew_xml_attribute(subst, "portsock"));
  } else {
    read_regions(net, &node, page->name, element);
  }
  clew_vec_push(&page->transitions, node);
}

static void read_place(struct cpn_net *net, struct cpn_page *page, const struct clew_xml *element) {
  const struct clew_xml *text = clew_xml_child(element, "text");
  const struct clew_xml *fusion = clew_xml_child(element, "fusioninfo");
  struct cpn_place_node node = {.id = needed(net, element, "id"),
                                .name = shown(net, text != NULL ? text->text : ""),
                                .is_port = clew_xml_child(element, "port") != NULL,
                                .offset = element->offset};
  node.fusion = fusion != NULL ? needed(net, fusion, "name") : NULL;
  node.type = cpn_text_of(net, text_in(element, "type"), "page '%s', colour set of place '%s'",
                          page->name, node.name);
  node.initial = cpn_text_of(net, text_in(element, "initmark"),
                             "page '%s', initial marking of place '%s'", page->name, node.name);
  clew_vec_push(&page->places, node);
}

static const char *end_of_arc(struct cpn_net *net, const struct clew_xml *element,
                              const char *name) {
  const struct clew_xml *end = clew_xml_child(element, name);
  if (end == NULL) {
    cpn_net_fail(net, element->offset, "an <arc> needs a <%s>", name);
    return "";
  }
  return needed(net, end, "idref");
}

static void read_arc(struct cpn_net *net, struct cpn_page *page, const struct clew_xml *element) {
  const char *orientation = needed(net, element, "orientation");
  struct cpn_arc_node node = {.place = end_of_arc(net, element, "placeend"),
                              .transition = end_of_arc(net, element, "transend"),
                              .offset = element->offset};
  bool both = strcasecmp(orientation, "BOTHDIR") == 0;
  node.takes = both || strcasecmp(orientation, "PtoT") == 0;
  node.gives = both || strcasecmp(orientation, "TtoP") == 0;
  node.text.source.text = text_in(element, "annot");
  if (!node.takes && !node.gives && !net->failed) {
    cpn_net_fail(
        net, element->offset,
        "page '%s': arcs of kind '%s' are not supported (inhibitor and reset arcs are not)",
        page->name, orientation);
  }
  clew_vec_push(&page->arcs, node);
}

static void note_ids(struct cpn_net *net, struct cpn_page *page, uint32_t offset) {
  uint32_t number = net->pages.len;
  struct cpn_id *own = cpn_id(net, page->id);
  if (own->page != 0) {
    cpn_net_fail(net, offset, "two pages have the id '%s'", page->id);
  }
  own->page = number;
  for (uint32_t i = 0; i < page->places.len; i++) {
    struct cpn_id *id = cpn_id(net, page->places.data[i].id);
    if (id->place != 0) {
      cpn_net_fail(net, page->places.data[i].offset, "two places have the id '%s'", id->base.text);
    }
    id->place_page = number;
    id->place = i + 1;
  }
  for (uint32_t i = 0; i < page->transitions.len; i++) {
    struct cpn_id *id = cpn_id(net, page->transitions.data[i].id);
    if (id->transition_page != 0) {
      cpn_net_fail(net, page->transitions.data[i].offset, "two transitions have the id '%s'",
                   id->base.text);
    }
    id->transition_page = number;
  }
  for (uint32_t i = page->arcs.len; i-- > 0;) { /* so that they are in the order of the file */
    struct cpn_id *id = cpn_id(net, page->arcs.data[i].transition);
    if (id->transition_page != number) {
      cpn_net_fail(net, page->arcs.data[i].offset,
                   "page '%s': an arc ends at '%s', which is no transition of the page", page->name,
                   id->base.text);
      return;
    }
    page->arcs.data[i].next = id->first_arc;
    id->first_arc = i + 1;
  }
}

static void read_page(struct cpn_net *net, const struct clew_xml *element) {
  const struct clew_xml *attr = clew_xml_child(element, "pageattr");
  const char *name = attr != NULL ? clew_xml_attribute(attr, "name") : NULL;
  struct cpn_page page = {.id = needed(net, element, "id"),
                          .name = shown(net, name != NULL ? name : "")};
  for (const struct clew_xml *at = element->first; at != NULL && !net->failed; at = at->next) {
    if (clew_xml_is(at, "place")) {
      read_place(net, &page, at);
    } else if (clew_xml_is(at, "trans")) {
      read_transition(net, &page, at);
    } else if (clew_xml_is(at, "arc")) {
      read_arc(net, &page, at);
    }
  }
  clew_vec_push(&net->pages, page);
  note_ids(net, &clew_vec_last(&net->pages), element->offset);
}

bool cpn_read(struct cpn_net *net, const struct clew_xml *root) {
  const struct clew_xml *cpnet = clew_xml_is(root, "cpnet") ? root : clew_xml_child(root, "cpnet");
  const struct clew_xml *box = cpnet != NULL ? clew_xml_child(cpnet, "globbox") : NULL;
  if (cpnet == NULL) {
    cpn_net_fail(net, root->offset, "a <cpnet> was expected: this is no file of CPN Tools");
    return false;
  }
  if (box != NULL) {
    read_declarations(net, box);
  }
  for (const struct clew_xml *at = cpnet->first; at != NULL && !net->failed; at = at->next) {
    if (clew_xml_is(at, "page")) {
      read_page(net, at);
    } else if (clew_xml_is(at, "instances")) {
      for (const struct clew_xml *i = at->first; i != NULL; i = i->next) {
        if (clew_xml_is(i, "instance") && clew_xml_attribute(i, "page") != NULL) {
          clew_vec_push(&net->roots, clew_xml_attribute(i, "page"));
        }
      }
    }
  }
  return !net->failed;
}
