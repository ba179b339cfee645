/* Parsing templates: their locations and edges. */
#include "lang/uppaal/uppaal_int.h"

struct body {
  struct uppaal_parser *p;
  struct uppaal_process *process;
  struct uppaal_location **location_end;
  struct uppaal_edge **edge_end;
  struct uppaal_ref last_source;
};

/* ---- Locations ------------------------------------------------------------------------------ */

static struct uppaal_location *find_location(struct uppaal_process *process,
                                             const struct uppaal_name *name) {
  struct uppaal_location *location = process->locations;
  while (location != NULL && location->name.name != name) {
    location = location->next;
  }
  return location;
}

/* { invariant; rate } behind a name */
static void parse_invariant(struct clew_cursor *c, struct uppaal_location *location) {
  if (!clew_cursor_accept(c, UPPAAL_TOKEN_LBRACE)) {
    return;
  }
  uint32_t next = clew_cursor_peek(c);
  if (next != UPPAAL_TOKEN_RBRACE && next != UPPAAL_TOKEN_SEMICOLON) {
    location->invariant = clew_uppaal_parse_exprs(c);
  }
  if (clew_cursor_accept(c, UPPAAL_TOKEN_SEMICOLON) && clew_cursor_peek(c) != UPPAAL_TOKEN_RBRACE) {
    location->rate = clew_uppaal_parse_exprs(c);
    (void)clew_cursor_accept(c, UPPAAL_TOKEN_SEMICOLON);
  }
  clew_cursor_expect(c, UPPAAL_TOKEN_RBRACE, "after the invariant");
}

static void parse_locations(struct body *body, bool branchpoints) {
  struct clew_cursor *c = body->p->c;
  c->at++;
  do {
    struct uppaal_location *location = CLEW_NEW(c->front->arena, struct uppaal_location);
    location->is_branchpoint = branchpoints;
    location->name = clew_uppaal_parse_ref(c, "the name of a location");
    parse_invariant(c, location);
    if (!c->panic && find_location(body->process, location->name.name) != NULL) {
      clew_front_error(c->front, location->name.span, "there are two locations '%s'",
                       location->name.name->id.text);
    }
    *body->location_end = location;
    body->location_end = &location->next;
  } while (clew_cursor_accept(c, UPPAAL_TOKEN_COMMA));
  if (!clew_cursor_mistake(c, UPPAAL_TOKEN_COLON, "';' after the locations",
                           "an invariant stands in braces, s { x <= 3 }")) {
    clew_cursor_expect(c, UPPAAL_TOKEN_SEMICOLON, "after the locations");
  }
}

/* commit a, b; or urgent a, b; */
static void parse_marks(struct body *body, bool committed) {
  struct clew_cursor *c = body->p->c;
  c->at++;
  do {
    struct uppaal_ref ref = clew_uppaal_parse_ref(c, "the name of a location");
    struct uppaal_location *location = c->panic ? NULL : find_location(body->process, ref.name);
    if (location == NULL) {
      if (!c->panic) {
        clew_front_error(c->front, ref.span, "there is no location '%s'", ref.name->id.text);
      }
      continue;
    }
    location->is_committed = location->is_committed || committed;
    location->is_urgent = location->is_urgent || !committed;
  } while (clew_cursor_accept(c, UPPAAL_TOKEN_COMMA));
  clew_cursor_expect(c, UPPAAL_TOKEN_SEMICOLON, "after the locations");
}

static void parse_init(struct body *body) {
  struct clew_cursor *c = body->p->c;
  c->at++;
  body->process->init = clew_uppaal_parse_ref(c, "the name of a location");
  clew_cursor_expect(c, UPPAAL_TOKEN_SEMICOLON, "after the initial location");
}

/* ---- Edges ---------------------------------------------------------------------------------- */

static void parse_selections(struct clew_cursor *c, struct uppaal_edge *edge) {
  struct uppaal_selection **end = &edge->selections;
  do {
    struct uppaal_selection *selection = CLEW_NEW(c->front->arena, struct uppaal_selection);
    selection->name = clew_uppaal_parse_ref(c, "the name of a variable");
    clew_cursor_expect(c, UPPAAL_TOKEN_COLON, "after the variable");
    selection->type = clew_uppaal_parse_type(c);
    *end = selection;
    end = &selection->next;
  } while (clew_cursor_accept(c, UPPAAL_TOKEN_COMMA));
}

static void parse_sync(struct clew_cursor *c, struct uppaal_edge *edge) {
  edge->channel = clew_uppaal_parse_postfix(c);
  if (clew_cursor_accept(c, UPPAAL_TOKEN_BANG)) {
    edge->sends = true;
  } else if (!clew_cursor_accept(c, UPPAAL_TOKEN_QUESTION) && !c->panic) {
    clew_cursor_fail(c, edge->channel->span,
                     "a synchronisation sends ('!') or receives ('?'): others are not supported");
  }
}

/* One of the sections of an edge; all but an empty one end with a semicolon. */
static void parse_section(struct clew_cursor *c, struct uppaal_edge *edge) {
  if (clew_cursor_accept(c, UPPAAL_TOKEN_SELECT)) {
    parse_selections(c, edge);
  } else if (clew_cursor_accept(c, UPPAAL_TOKEN_GUARD)) {
    edge->guard = clew_uppaal_parse_exprs(c);
  } else if (clew_cursor_accept(c, UPPAAL_TOKEN_SYNC)) {
    parse_sync(c, edge);
  } else if (clew_cursor_accept(c, UPPAAL_TOKEN_ASSIGN_SECTION)) {
    edge->update = clew_uppaal_parse_exprs(c);
    clew_uppaal_judge_effects(c, edge->update);
  } else if (clew_uppaal_at_word(c, "probability")) {
    c->at++;
    edge->weight = clew_uppaal_parse_exprs(c);
  } else if (edge->update.count == 0 ||
             !clew_cursor_mistake(c, CLEW_TOKEN_NAME, "'select', 'guard', 'sync', 'assign' or '}'",
                                  "assignments are separated by ','")) {
    clew_cursor_fail_expected(c, "'select', 'guard', 'sync', 'assign' or '}'");
  }
  clew_cursor_expect(c, UPPAAL_TOKEN_SEMICOLON, "after this part of the edge");
}

static void parse_edge(struct body *body) {
  struct clew_cursor *c = body->p->c;
  struct uppaal_edge *edge = CLEW_NEW(c->front->arena, struct uppaal_edge);
  edge->span = clew_cursor_here(c);
  if (clew_cursor_peek(c) == CLEW_TOKEN_NAME || body->last_source.name == NULL) {
    body->last_source = clew_uppaal_parse_ref(c, "the location that the edge leaves");
  }
  edge->source = body->last_source;
  if (!clew_cursor_accept(c, UPPAAL_TOKEN_UNCONTROLLED)) {
    clew_cursor_expect(c, UPPAAL_TOKEN_ARROW, "between the locations of the edge");
  }
  edge->target = clew_uppaal_parse_ref(c, "the location that the edge leads to");
  clew_cursor_expect(c, UPPAAL_TOKEN_LBRACE, "after the locations of the edge");
  while (!c->panic && clew_cursor_peek(c) != UPPAAL_TOKEN_RBRACE) {
    parse_section(c, edge);
  }
  clew_cursor_expect(c, UPPAAL_TOKEN_RBRACE, "after the edge");
  if (!c->panic) {
    edge->span = clew_span_join(edge->span, edge->target.span);
  }
  *body->edge_end = edge;
  body->edge_end = &edge->next;
}

static void parse_edges(struct body *body) {
  struct clew_cursor *c = body->p->c;
  c->at++;
  if (clew_cursor_accept(c, UPPAAL_TOKEN_SEMICOLON)) {
    return;
  }
  do {
    parse_edge(body);
  } while (clew_cursor_accept(c, UPPAAL_TOKEN_COMMA));
  clew_cursor_expect(c, UPPAAL_TOKEN_SEMICOLON, "or ',' after the edges");
}

/* ---- Templates ------------------------------------------------------------------------------ */

static struct uppaal_decl **parse_part(struct body *body, struct uppaal_decl **end) {
  struct clew_cursor *c = body->p->c;
  switch (clew_cursor_peek(c)) {
  case UPPAAL_TOKEN_STATE:
    parse_locations(body, false);
    return end;
  case UPPAAL_TOKEN_BRANCHPOINT:
    parse_locations(body, true);
    return end;
  case UPPAAL_TOKEN_COMMIT:
    parse_marks(body, true);
    return end;
  case UPPAAL_TOKEN_INIT:
    parse_init(body);
    return end;
  case UPPAAL_TOKEN_TRANS:
    parse_edges(body);
    return end;
  default:
    break;
  }
  if (clew_cursor_peek(c) == UPPAAL_TOKEN_TYPEDEF || clew_uppaal_starts_type(c)) {
    return clew_uppaal_parse_decl(body->p, end);
  }
  if (clew_cursor_peek(c) == UPPAAL_TOKEN_URGENT) {
    parse_marks(body, false);
    return end;
  }
  clew_cursor_fail_expected(c, "a declaration, 'state', 'init', 'trans' or '}'");
  return end;
}

/* The template ends: its names are no longer meant. Where one was declared twice, all that follows
 * is for the first that is asked. */
static void leave(struct uppaal_decl *decls) {
  for (struct uppaal_decl *each = decls; each != NULL; each = each->next) {
    struct uppaal_name *name = each->name.name;
    if (each->kind != UPPAAL_DECL_VARIABLE || name->mentions < each->mentions) {
      each->is_mentioned = true;
      continue;
    }
    each->is_mentioned = name->mentions > each->mentions;
    name->mentions = each->mentions - 1;
  }
}

struct uppaal_decl *clew_uppaal_parse_template(struct uppaal_parser *p) {
  struct clew_cursor *c = p->c;
  struct uppaal_decl *decl = CLEW_NEW(c->front->arena, struct uppaal_decl);
  decl->kind = UPPAAL_DECL_TEMPLATE;
  c->at++;
  decl->name = clew_uppaal_parse_ref(c, "the name of the process");
  if (clew_cursor_peek(c) == UPPAAL_TOKEN_LPAREN) {
    decl->params = clew_uppaal_parse_params(p);
  }
  decl->process = CLEW_NEW(c->front->arena, struct uppaal_process);
  struct body body = {p, decl->process, &decl->process->locations, &decl->process->edges, {0}};
  clew_cursor_expect(c, UPPAAL_TOKEN_LBRACE, "before the body of the process");
  struct uppaal_decl **end = &decl->decls;
  while (!c->panic && clew_cursor_peek(c) != UPPAAL_TOKEN_RBRACE) {
    end = parse_part(&body, end);
  }
  if (clew_cursor_expect(c, UPPAAL_TOKEN_RBRACE, "after the body of the process") &&
      decl->process->init.name == NULL) {
    clew_front_error(c->front, decl->name.span, "the process '%s' has no initial location",
                     decl->name.name->id.text);
  }
  leave(decl->params);
  leave(decl->decls);
  return decl;
}
