/* Pages, places, transitions and arcs.
 *
 * The type of the net decides what is looked for: a net without colours has numbers, one with
 * colours has terms. Everything that could change the meaning and is not known is an error; layout
 * and data of other tools are not. */
#include <assert.h>
#include <string.h>

#include "lang/pnml/pnml_int.h"

bool clew_pnml_number(const char *text, uint64_t *value) {
  return clew_text_parse_u64(text, value) && *value <= INT64_MAX / 2 && text[0] != '\0' &&
         strspn(text, "0123456789") == strlen(text);
}

static const char *text_in(const struct clew_xml *element, const char *name) {
  const struct clew_xml *child = element == NULL ? NULL : clew_xml_child(element, name);
  return child != NULL ? child->text : NULL;
}

/* The name that people see: that of the file, if it is one word and nothing else is called so. */
static const char *choose_name(struct pnml *n, const struct clew_xml *element, const char *id) {
  const char *name = text_in(clew_xml_child(element, "name"), "text");
  if (name == NULL || name[0] == '\0' || strpbrk(name, " \t\r\n\"") != NULL) {
    return id;
  }
  struct clew_name *shown = clew_name_intern(&n->shown, name, strlen(name));
  if (shown->reported) {
    return id;
  }
  shown->reported = true;
  return name;
}

/* A number in <element><text>; `missing` where there is no such element. */
static uint64_t read_number(struct pnml *n, const struct clew_xml *parent, const char *name,
                            uint64_t missing) {
  const struct clew_xml *element = clew_xml_child(parent, name);
  const char *text = text_in(element, "text");
  uint64_t value = missing;
  if (text != NULL && !clew_pnml_number(text, &value)) {
    clew_pnml_fail(n, element->offset, "'%s' is not a number of tokens", text);
  }
  return value;
}

/* The term in <element><structure>, or NULL. */
static const struct pnml_term *read_term(struct pnml *n, const struct clew_xml *parent,
                                         const char *name) {
  const struct clew_xml *element = clew_xml_child(parent, name);
  const struct clew_xml *structure = element == NULL ? NULL : clew_xml_child(element, "structure");
  if (structure == NULL || structure->first == NULL) {
    if (element != NULL && text_in(element, "text") != NULL) {
      clew_pnml_fail(n, element->offset, "this <%s> has a text but no structure", name);
    }
    return NULL;
  }
  return clew_pnml_term(n, structure->first);
}

static struct pnml_id *declare(struct pnml *n, const struct clew_xml *element) {
  const char *id = clew_xml_attribute(element, "id");
  if (id == NULL) {
    clew_pnml_fail(n, element->offset, "this <%s> has no id", element->name);
    return NULL;
  }
  struct pnml_id *known = clew_pnml_id(n, id);
  if (known->place != 0 || known->transition != 0 || known->stands_for != NULL) {
    clew_pnml_fail(n, element->offset, "two nodes have the id '%s'", id);
    return NULL;
  }
  return known;
}

static uint32_t place_sort(struct pnml *n, const struct clew_xml *element) {
  const struct clew_xml *type = clew_xml_child(element, "type");
  const struct clew_xml *structure = type == NULL ? NULL : clew_xml_child(type, "structure");
  if (structure == NULL || structure->first == NULL) {
    clew_pnml_fail(n, element->offset, "this place has no type");
    return CLEW_NONE;
  }
  return clew_pnml_sort(n, structure->first);
}

static void read_place(struct pnml *n, const struct clew_xml *element) {
  struct pnml_id *id = declare(n, element);
  if (id == NULL) {
    return;
  }
  struct pnml_place place = {.id = id->name.text,
                             .name = choose_name(n, element, id->name.text),
                             .offset = element->offset};
  if (n->has_colours) {
    place.sort = place_sort(n, element);
    place.marking = read_term(n, element, "hlinitialMarking");
  } else {
    place.tokens = read_number(n, element, "initialMarking", 0);
  }
  clew_vec_push(&n->places, place);
  id->place = n->places.len;
}

static void read_transition(struct pnml *n, const struct clew_xml *element) {
  struct pnml_id *id = declare(n, element);
  if (id == NULL) {
    return;
  }
  struct pnml_transition transition = {.id = id->name.text,
                                       .name = choose_name(n, element, id->name.text),
                                       .offset = element->offset};
  if (n->has_colours) {
    transition.condition = read_term(n, element, "condition");
  }
  clew_vec_push(&n->transitions, transition);
  id->transition = n->transitions.len;
}

static void read_reference(struct pnml *n, const struct clew_xml *element) {
  struct pnml_id *id = declare(n, element);
  if (id != NULL) {
    id->stands_for = element;
  }
}

/* The node that an end of an arc is, through any references. */
static struct pnml_id *node_of(struct pnml *n, const struct clew_xml *arc, const char *end) {
  enum { MOST_HOPS = 1000 };
  const char *text = clew_xml_attribute(arc, end);
  struct pnml_id *id = text == NULL ? NULL : clew_pnml_id(n, text);
  for (uint32_t hops = 0; id != NULL && id->stands_for != NULL; hops++) {
    text = clew_xml_attribute(id->stands_for, "ref");
    id = text == NULL || hops == MOST_HOPS ? NULL : clew_pnml_id(n, text);
  }
  if (id == NULL || (id->place == 0 && id->transition == 0)) {
    clew_pnml_fail(n, arc->offset, "the %s of this arc is no place or transition", end);
    return NULL;
  }
  return id;
}

static bool is_ordinary(struct pnml *n, const struct clew_xml *element) {
  const struct clew_xml *type = clew_xml_child(element, "type");
  const char *value = type == NULL ? NULL : clew_xml_attribute(type, "value");
  if (value != NULL && strcmp(value, "normal") != 0) {
    clew_pnml_fail(n, type->offset, "arcs of type '%s' are not supported", value);
    return false;
  }
  return true;
}

static void read_arc(struct pnml *n, const struct clew_xml *element) {
  struct pnml_id *from = node_of(n, element, "source"), *to = node_of(n, element, "target");
  if (from == NULL || to == NULL || !is_ordinary(n, element)) {
    return;
  }
  struct pnml_arc arc = {.takes = from->place != 0, .offset = element->offset};
  if ((from->place != 0) == (to->place != 0)) {
    clew_pnml_fail(n, element->offset, "this arc is not between a place and a transition");
    return;
  }
  arc.place = (arc.takes ? from : to)->place - 1;
  arc.transition = (arc.takes ? to : from)->transition - 1;
  if (n->has_colours) {
    arc.term = read_term(n, element, "hlinscription");
    if (arc.term == NULL) {
      clew_pnml_fail(n, element->offset, "this arc has no inscription");
    }
  } else {
    arc.weight = read_number(n, element, "inscription", 1);
    if (arc.weight == 0) {
      clew_pnml_fail(n, element->offset, "the weight of an arc is at least 1");
    }
  }
  clew_vec_push(&n->arcs, arc);
}

/* ---- units ---- */

static void read_unit(struct pnml *n, const struct clew_xml *unit) {
  const struct clew_xml *list = clew_xml_child(unit, "places");
  const char *at = list == NULL ? "" : list->text, *id = clew_xml_attribute(unit, "id");
  CLEW_VEC(uint32_t) places = {0};
  uint64_t tokens = 0;
  for (at += strspn(at, " \t\r\n"); *at != '\0';) {
    size_t length = strcspn(at, " \t\r\n");
    struct pnml_id *place = (struct pnml_id *)clew_name_intern(&n->ids, at, length);
    if (place->place == 0) {
      clew_pnml_fail(n, unit->offset, "the unit '%s' has '%s', which is no place",
                     id != NULL ? id : "", place->name.text);
      break;
    }
    clew_vec_push(&places, place->place - 1);
    tokens += n->places.data[place->place - 1].tokens;
    at += length;
    at += strspn(at, " \t\r\n");
  }
  if (tokens > 1) {
    clew_pnml_fail(n, unit->offset,
                   "the file says that the unit '%s' has at most one token, but at "
                   "the start it has %llu",
                   id != NULL ? id : "", (unsigned long long)tokens);
  }
  struct pnml_claim claim = {id != NULL ? id : "?",
                             clew_arena_copy(n->arena, places.data, places.len, sizeof(uint32_t)),
                             places.len};
  if (places.len > 0) {
    clew_vec_push(&n->claims, claim);
  }
  clew_vec_free(&places);
}

/* Nested units (NUPN), where they are said to be safe. */
static void read_units(struct pnml *n, const struct clew_xml *tool) {
  const struct clew_xml *structure = clew_xml_child(tool, "structure");
  const char *safe = structure == NULL ? NULL : clew_xml_attribute(structure, "safe");
  if (safe == NULL || strcmp(safe, "true") != 0 || n->has_colours) {
    return;
  }
  for (const struct clew_xml *unit = structure->first; unit != NULL; unit = unit->next) {
    if (clew_xml_is(unit, "unit")) {
      read_unit(n, unit);
    }
  }
}

/* ---- pages ---- */

/* What has no bearing on behaviour. */
static bool is_harmless(const struct clew_xml *element) {
  static const char *const names[] = {"name", "graphics", "toolspecific", "declaration"};
  for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (clew_xml_is(element, names[i])) {
      return true;
    }
  }
  return false;
}

enum pass { NODES, ARCS, UNITS };

/* Arcs may stand before the nodes that they connect, so there are several passes. */
static void read_page(struct pnml *n, const struct clew_xml *page, enum pass pass) {
  for (const struct clew_xml *at = page->first; at != NULL; at = at->next) {
    if (clew_xml_is(at, "page")) {
      read_page(n, at, pass);
    } else if (clew_xml_is(at, "arc")) {
      if (pass == ARCS) {
        read_arc(n, at);
      }
    } else if (clew_xml_is(at, "toolspecific") && pass == UNITS) {
      read_units(n, at);
    } else if (pass == NODES && clew_xml_is(at, "place")) {
      read_place(n, at);
    } else if (pass == NODES && clew_xml_is(at, "transition")) {
      read_transition(n, at);
    } else if (pass == NODES &&
               (clew_xml_is(at, "referencePlace") || clew_xml_is(at, "referenceTransition"))) {
      read_reference(n, at);
    } else if (pass == NODES && !is_harmless(at)) {
      clew_pnml_fail(n, at->offset, "<%s> is not known here", at->name);
    }
  }
}

/* The words of a type behind its last slash. */
static bool set_type(struct pnml *n, const struct clew_xml *net) {
  const char *type = clew_xml_attribute(net, "type");
  const char *slash = type == NULL ? NULL : strrchr(type, '/');
  const char *kind = slash != NULL ? slash + 1 : type != NULL ? type : "";
  static const char *const plain[] = {"ptnet", "PTNet"};
  static const char *const coloured[] = {"symmetricnet", "highlevelnet", "hlpng", "pt-hlpng"};
  for (uint32_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
    if (strcmp(kind, plain[i]) == 0) {
      return true;
    }
  }
  for (uint32_t i = 0; i < sizeof coloured / sizeof coloured[0]; i++) {
    if (strcmp(kind, coloured[i]) == 0) {
      n->has_colours = true;
      return true;
    }
  }
  clew_pnml_fail(n, net->offset, "nets of type '%s' are not supported", type != NULL ? type : "");
  return false;
}

static void read_net_declarations(struct pnml *n, const struct clew_xml *parent) {
  for (const struct clew_xml *at = parent->first; at != NULL; at = at->next) {
    const struct clew_xml *structure =
        clew_xml_is(at, "declaration") ? clew_xml_child(at, "structure") : NULL;
    if (structure != NULL) {
      const struct clew_xml *list = clew_xml_child(structure, "declarations");
      clew_pnml_read_declarations(n, list != NULL ? list : structure);
    } else if (clew_xml_is(at, "page")) {
      read_net_declarations(n, at);
    }
  }
}

bool clew_pnml_read(struct pnml *n, const struct clew_xml *root) {
  const struct clew_xml *net = clew_xml_child(root, "net");
  if (!clew_xml_is(root, "pnml") || net == NULL) {
    clew_pnml_fail(n, root->offset, "this is no net: <pnml> with a <net> inside was expected");
    return false;
  }
  for (const struct clew_xml *other = net->next; other != NULL; other = other->next) {
    if (clew_xml_is(other, "net")) {
      clew_pnml_fail(n, other->offset, "the file has a second net");
    }
  }
  if (!set_type(n, net)) {
    return false;
  }
  if (n->has_colours) {
    read_net_declarations(n, net);
  }
  read_page(n, net, NODES);
  if (!n->failed) {
    read_page(n, net, ARCS);
    read_page(n, net, UNITS);
  }
  return !n->failed;
}
