/* One flat net of all page instances: assigned ports are their sockets, the members of a fusion set
 * are one place.
 *
 * The initial marking of an assigned port is ignored: that of the socket counts. */
#include <assert.h>
#include <string.h>

#include "lang/cpn/cpn_int.h"

enum { MOST_INSTANCES = 10000, MOST_LEVELS = 100 };

static struct cpn_page *find_page(struct cpn_net *net, const char *id) {
  uint32_t number = cpn_id(net, id)->page;
  return number != 0 ? &net->pages.data[number - 1] : NULL;
}

/* ---- places ---- */

static const struct cpn_colour *colour_of(struct cpn_net *net, const struct cpn_page *page,
                                          const struct cpn_place_node *node) {
  const struct clew_source *text = &node->type.source;
  const struct cpn_colour *colour = cpn_name(&net->ml, text->text, text->length)->colour;
  if (colour == NULL || colour->broken != NULL) {
    if (text->length == 0) {
      cpn_net_fail(net, node->offset, "page '%s': place '%s' has no colour set", page->name,
                   node->name);
    } else {
      clew_diag_at(net->diags, CLEW_ERROR, text, 0, text->length, "%s",
                   colour == NULL ? "there is no such colour set" : colour->broken);
      net->failed = true;
    }
    return NULL;
  }
  return colour;
}

static bool is_blank(const struct cpn_text *text) {
  return text->source.text[strspn(text->source.text, " \t\r\n")] == '\0';
}

/* Members of a fusion set have one colour set and, where they have one, one initial marking. */
static void join_fusion(struct cpn_net *net, struct cpn_place *place, const struct cpn_page *page,
                        const struct cpn_place_node *node) {
  const struct cpn_colour *colour = colour_of(net, page, node);
  if (colour == NULL || place->colour == NULL) {
    return;
  }
  if (colour->name != place->colour->name) {
    cpn_net_fail(net, node->offset,
                 "page '%s': place '%s' has another colour set than others of fusion set '%s'",
                 page->name, node->name, node->fusion);
  }
  if (is_blank(place->initial)) {
    place->initial = &node->initial;
  } else if (!is_blank(&node->initial) &&
             strcmp(place->initial->source.text, node->initial.source.text) != 0) {
    cpn_net_fail(net, node->offset,
                 "page '%s': place '%s' has another initial marking than others of fusion set '%s'",
                 page->name, node->name, node->fusion);
  }
}

static uint32_t add_place(struct cpn_net *net, const struct cpn_instance *instance,
                          const struct cpn_place_node *node) {
  const struct cpn_page *page = instance->page;
  struct cpn_id *set = NULL;
  if (node->fusion != NULL) {
    set = cpn_id(net, clew_arena_printf(net->arena, "fusion set %s", node->fusion));
    if (set->fused != 0) {
      join_fusion(net, &net->places.data[set->fused - 1], page, node);
      return set->fused - 1;
    }
  }
  struct cpn_place place = {.short_name = node->name,
                            .page = page,
                            .fusion = node->fusion,
                            .instance = instance->number,
                            .colour = colour_of(net, page, node),
                            .initial = &node->initial,
                            .offset = node->offset};
  clew_vec_push(&net->places, place);
  if (set != NULL) {
    set->fused = net->places.len;
  }
  return net->places.len - 1;
}

/* ---- instances ---- */

static void open_instance(struct cpn_net *net, struct cpn_page *page,
                          const struct cpn_instance *outer, const struct cpn_transition_node *subst,
                          uint32_t level);

static void add_transitions(struct cpn_net *net, struct cpn_instance *instance, uint32_t level) {
  struct cpn_page *page = instance->page;
  for (uint32_t i = 0; i < page->transitions.len; i++) {
    struct cpn_transition_node *node = &page->transitions.data[i];
    if (node->subpage != NULL) {
      struct cpn_page *inner = find_page(net, node->subpage);
      if (inner == NULL) {
        cpn_net_fail(net, node->offset,
                     "page '%s': the page of substitution transition '%s' is missing", page->name,
                     node->name);
        return;
      }
      open_instance(net, inner, instance, node, level + 1);
      continue;
    }
    if (node->refused != NULL) {
      const struct clew_source *text = &node->refused_text.source;
      clew_diag_at(net->diags, CLEW_ERROR, text, 0, strcspn(text->text, "\n"), "%s", node->refused);
      net->failed = true; /* the other reasons are told, too */
      continue;
    }
    struct cpn_transition transition = {.name = node->name,
                                        .page = page,
                                        .node = node,
                                        .instance = instance,
                                        .offset = node->offset};
    clew_vec_push(&net->transitions, transition);
  }
}

static void fill_places(struct cpn_net *net, struct cpn_instance *instance,
                        const struct cpn_instance *outer, const struct cpn_transition_node *subst) {
  struct cpn_page *page = instance->page;
  for (uint32_t i = 0; i < page->places.len; i++) {
    instance->places[i] = CLEW_NONE;
  }
  for (uint32_t i = 0; subst != NULL && i < subst->port_count; i++) {
    uint32_t port = cpn_find_node(net, page, subst->ports[i].port);
    uint32_t socket = cpn_find_node(net, outer->page, subst->ports[i].socket);
    if (port == CLEW_NONE || socket == CLEW_NONE || outer->places[socket] == CLEW_NONE) {
      cpn_net_fail(net, subst->offset,
                   "page '%s': a port or socket of substitution transition '%s' is missing",
                   outer->page->name, subst->name);
      return;
    }
    instance->places[port] = outer->places[socket];
  }
  for (uint32_t i = 0; i < page->places.len; i++) {
    if (instance->places[i] == CLEW_NONE) {
      instance->places[i] = add_place(net, instance, &page->places.data[i]);
    }
  }
}

static void check_ports(struct cpn_net *net, const struct cpn_instance *instance,
                        const struct cpn_transition_node *subst) {
  for (uint32_t i = 0; subst != NULL && i < subst->port_count && !net->failed; i++) {
    uint32_t port = cpn_find_node(net, instance->page, subst->ports[i].port);
    const struct cpn_place_node *node = &instance->page->places.data[port];
    const struct cpn_colour *colour = colour_of(net, instance->page, node);
    const struct cpn_place *place = &net->places.data[instance->places[port]];
    if (colour != NULL && place->colour != NULL &&
        !cpn_unify(&net->ml, (struct cpn_type *)colour->type,
                   (struct cpn_type *)place->colour->type)) {
      cpn_net_fail(net, node->offset,
                   "page '%s': port '%s' has another colour set than its socket '%s'",
                   instance->page->name, node->name, place->short_name);
    }
  }
}

static void open_instance(struct cpn_net *net, struct cpn_page *page,
                          const struct cpn_instance *outer, const struct cpn_transition_node *subst,
                          uint32_t level) {
  static const char *const cyclic = "page '%s' is part of itself";
  uint32_t offset = subst != NULL ? subst->offset : 0;
  if (page->is_open || level > MOST_LEVELS) {
    cpn_net_fail(net, offset, cyclic, page->name);
    return;
  }
  if (page->instances == MOST_INSTANCES) {
    cpn_net_fail(net, offset, "page '%s' has too many instances", page->name);
    return;
  }
  struct cpn_instance *instance = CLEW_NEW(net->arena, struct cpn_instance);
  *instance = (struct cpn_instance){.page = page, .number = ++page->instances};
  instance->places = CLEW_NEW_ARRAY(net->arena, uint32_t, page->places.len + 1);
  instance->next = net->instances;
  net->instances = instance;
  page->is_open = true;
  fill_places(net, instance, outer, subst);
  check_ports(net, instance, subst);
  add_transitions(net, instance, level);
  page->is_open = false;
}

static void open_roots(struct cpn_net *net) {
  for (uint32_t i = 0; i < net->roots.len && !net->failed; i++) {
    struct cpn_page *page = find_page(net, net->roots.data[i]);
    if (page == NULL) {
      cpn_net_fail(net, 0, "an instance of page '%s' is declared, but there is no such page",
                   net->roots.data[i]);
    } else {
      open_instance(net, page, NULL, NULL, 0);
    }
  }
  if (net->roots.len > 0) {
    return;
  }
  for (uint32_t i = 0; i < net->pages.len; i++) {
    for (uint32_t t = 0; t < net->pages.data[i].transitions.len; t++) {
      const char *subpage = net->pages.data[i].transitions.data[t].subpage;
      struct cpn_page *inner = subpage != NULL ? find_page(net, subpage) : NULL;
      if (inner != NULL) {
        inner->is_included = true;
      }
    }
  }
  for (uint32_t i = 0; i < net->pages.len && !net->failed; i++) {
    if (!net->pages.data[i].is_included) {
      open_instance(net, &net->pages.data[i], NULL, NULL, 0);
    }
  }
  if (net->instances == NULL && net->pages.len > 0) {
    cpn_net_fail(net, 0, "every page is part of another one: there is none to begin with");
  }
}

/* ---- names ---- */

/* "Page'2.Place"; without the instance if there is one only, and without the page if there is one
 * only. */
static const char *full_name(struct cpn_net *net, const struct cpn_page *page, uint32_t instance,
                             const char *name, bool several_pages) {
  if (page->instances > 1) {
    return clew_arena_printf(net->arena, "%s'%u.%s", page->name, instance, name);
  }
  return several_pages ? clew_arena_printf(net->arena, "%s.%s", page->name, name) : name;
}

static void name_all(struct cpn_net *net) {
  uint32_t used = 0;
  for (uint32_t i = 0; i < net->pages.len; i++) {
    used += net->pages.data[i].instances > 0 && net->pages.data[i].places.len > 0;
  }
  for (uint32_t i = 0; i < net->places.len; i++) {
    struct cpn_place *place = &net->places.data[i];
    place->name = full_name(net, place->page, place->instance, place->short_name, used > 1);
  }
  for (uint32_t i = 0; i < net->transitions.len; i++) {
    struct cpn_transition *t = &net->transitions.data[i];
    t->name = full_name(net, t->page, t->instance->number, t->name, used > 1);
  }
}

/* Inscriptions, once for each transition of a page; then the places of their arcs. */
static void inscribe_all(struct cpn_net *net) {
  for (uint32_t i = 0; i < net->transitions.len && !net->failed; i++) {
    struct cpn_transition *t = &net->transitions.data[i];
    struct cpn_transition_node *node = t->node;
    if (!node->is_inscribed) {
      node->inscription = cpn_inscribe(net, (struct cpn_page *)t->page, node);
      node->is_inscribed = true;
    }
    t->inscription = node->inscription;
    if (t->inscription == NULL) {
      net->failed = true;
      return;
    }
    t->arc_places = CLEW_NEW_ARRAY(net->arena, uint32_t, t->inscription->arc_count + 1);
    for (uint32_t a = 0; a < t->inscription->arc_count; a++) {
      t->arc_places[a] = t->instance->places[t->inscription->arcs[a].node];
    }
  }
}

/* A place is constant if every arc at it takes and gives the same. */
static void find_touched(struct cpn_net *net) {
  for (uint32_t i = 0; i < net->places.len; i++) {
    net->places.data[i].is_constant = true;
  }
  for (uint32_t i = 0; i < net->transitions.len; i++) {
    const struct cpn_transition *t = &net->transitions.data[i];
    for (uint32_t a = 0; a < t->inscription->arc_count; a++) {
      const struct cpn_arc *arc = &t->inscription->arcs[a];
      if (!arc->takes || !arc->gives) {
        net->places.data[t->arc_places[a]].is_constant = false;
      }
    }
  }
  for (uint32_t i = 0; i < net->transitions.len; i++) {
    struct cpn_transition *t = &net->transitions.data[i];
    t->touched = CLEW_NEW_ARRAY(net->arena, uint32_t, t->inscription->arc_count + 1);
    for (uint32_t a = 0; a < t->inscription->arc_count; a++) {
      uint32_t place = t->arc_places[a], at = 0;
      while (at < t->touched_count && t->touched[at] != place) {
        at++;
      }
      if (at == t->touched_count && !net->places.data[place].is_constant) {
        t->touched[t->touched_count++] = place;
      }
    }
  }
}

bool cpn_flatten(struct cpn_net *net) {
  open_roots(net);
  if (!net->failed) {
    name_all(net);
    inscribe_all(net);
  }
  if (!net->failed) {
    find_touched(net);
    cpn_override_places(net);
  }
  return !net->failed;
}

/* ---- places by name ---- */

/* Whether a place of a page instance has this name: Place, Page.Place, Page'2.Place, or that of its
 * fusion set. */
static bool is_called(struct cpn_net *net, const struct cpn_instance *instance,
                      const struct cpn_place_node *node, const char *name, bool *is_exact) {
  struct clew_text full = {0}, plain = {0};
  clew_text_printf(&full, "%s'%u.%s", instance->page->name, instance->number, node->name);
  clew_text_printf(&plain, "%s.%s", instance->page->name, node->name);
  *is_exact = strcmp(clew_text_str(&full), name) == 0 ||
              (instance->page->instances == 1 && strcmp(clew_text_str(&plain), name) == 0);
  clew_text_free(&full);
  clew_text_free(&plain);
  (void)net;
  return *is_exact || strcmp(node->name, name) == 0 ||
         (node->fusion != NULL && strcmp(node->fusion, name) == 0);
}

/* The place that the name stands for; CLEW_NONE: none, or (*several) more than one. */
static uint32_t find_place(struct cpn_net *net, const char *name, bool *several) {
  uint32_t found = CLEW_NONE;
  *several = false;
  for (const struct cpn_instance *at = net->instances; at != NULL; at = at->next) {
    for (uint32_t i = 0; i < at->page->places.len; i++) {
      bool is_exact;
      if (!is_called(net, at, &at->page->places.data[i], name, &is_exact)) {
        continue;
      }
      if (is_exact) {
        *several = false;
        return at->places[i];
      }
      *several = *several || (found != CLEW_NONE && found != at->places[i]);
      found = at->places[i];
    }
  }
  return *several ? CLEW_NONE : found;
}

void cpn_override_places(struct cpn_net *net) {
  for (uint32_t i = 0; i < net->request->override_count && !net->failed; i++) {
    struct clew_override *override = &net->request->overrides[i];
    bool several;
    uint32_t found = find_place(net, override->name, &several);
    if (found == CLEW_NONE && !several) {
      continue;
    }
    if (override->used || several) {
      clew_diag_plain(net->diags, CLEW_ERROR, net->request->source->name, "--param %s: %s",
                      override->name,
                      override->used ? "there is a value and a place of this name"
                                     : "several places have this name: say Page.Place");
      net->failed = true;
      return;
    }
    struct cpn_text *text = CLEW_NEW(net->arena, struct cpn_text);
    *text = (struct cpn_text){{.name = clew_arena_printf(net->arena, "--param %s", override->name),
                               .text = override->value,
                               .length = strlen(override->value)}};
    net->places.data[found].initial = text;
    override->used = true;
  }
}

/* Page'Place, with _ for blanks. */
static bool is_mark(const struct cpn_page *page, const struct cpn_place_node *node,
                    const char *name) {
  const char *parts[2] = {page->name, node->name};
  for (uint32_t i = 0; i < 2; i++) {
    for (const char *c = parts[i]; *c != '\0'; c++, name++) {
      bool is_word = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ||
                     (*c >= 'A' && *c <= 'Z') || (*c & 0x80) != 0;
      if (*name != (is_word ? *c : '_')) {
        return false;
      }
    }
    if (i == 0 && *name++ != '\'') {
      return false;
    }
  }
  return *name == '\0';
}

const struct cpn_type *cpn_find_mark(void *context, const char *name, uint32_t *number) {
  struct cpn_net *net = context;
  for (uint32_t i = 0; i < net->pages.len; i++) {
    const struct cpn_page *page = &net->pages.data[i];
    for (uint32_t p = 0; p < page->places.len && page->instances > 0; p++) {
      if (is_mark(page, &page->places.data[p], name)) {
        struct cpn_mark mark = {page, p};
        *number = net->marks.len;
        clew_vec_push(&net->marks, mark);
        return net->places.data[cpn_mark_place(net, *number, 1)].colour->type;
      }
    }
  }
  return NULL;
}

uint32_t cpn_mark_place(const struct cpn_net *net, uint32_t mark, int64_t instance) {
  const struct cpn_mark *m = &net->marks.data[mark];
  for (const struct cpn_instance *at = net->instances; at != NULL; at = at->next) {
    if (at->page == m->page && at->number == instance) {
      return at->places[m->node];
    }
  }
  return CLEW_NONE;
}
