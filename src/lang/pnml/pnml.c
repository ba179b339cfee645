/* Petri nets in PNML (ISO/IEC 15909-2): place/transition nets and symmetric nets, as the Model
 * Checking Contest uses them. */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "lang/pnml/pnml_int.h"

void clew_pnml_fail(struct pnml *n, uint32_t offset, const char *format, ...) {
  va_list args;
  va_start(args, format);
  clew_diag_vat(n->diags, CLEW_ERROR, n->request->source, offset, 1, format, args);
  va_end(args);
  n->failed = true;
}

struct pnml_id *clew_pnml_id(struct pnml *n, const char *id) {
  return (struct pnml_id *)clew_name_intern(&n->ids, id, strlen(id));
}

/* ---- terms and properties ---- */

struct clew_net_term *clew_pnml_net_term(struct pnml *n, enum clew_net_op op, uint32_t args) {
  struct clew_net_term *term = CLEW_NEW(n->arena, struct clew_net_term);
  term->op = op;
  term->args = CLEW_NEW_ARRAY(n->arena, const struct clew_net_term *, args + 1);
  term->arg_count = args;
  return term;
}

const struct clew_net_term *clew_pnml_not(struct pnml *n, const struct clew_net_term *term) {
  struct clew_net_term *negation = clew_pnml_net_term(n, CLEW_NET_NOT, 1);
  const struct clew_net_term **args = (const struct clew_net_term **)negation->args;
  args[0] = term;
  return negation;
}

struct clew_net_term *clew_pnml_over(struct pnml *n, enum clew_net_op op, const uint32_t *numbers,
                                     uint32_t count) {
  const uint32_t *first = op == CLEW_NET_FIREABLE ? n->first_transition : n->first_place;
  struct clew_net_term *term = clew_pnml_net_term(n, op, 0);
  uint32_t total = 0;
  for (uint32_t i = 0; i < count; i++) {
    total += first[numbers[i] + 1] - first[numbers[i]];
  }
  uint32_t *list = CLEW_NEW_ARRAY(n->arena, uint32_t, total + 1);
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = first[numbers[i]]; k < first[numbers[i] + 1]; k++) {
      list[term->list_count++] = k;
    }
  }
  term->list = list;
  return term;
}

/* By id, or else by the name that is shown. */
static uint32_t find_node(struct pnml *n, const char *text, bool transitions) {
  struct pnml_id *id = clew_pnml_id(n, text);
  uint32_t number = transitions ? id->transition : id->place;
  if (number != 0) {
    return number - 1;
  }
  uint32_t count = transitions ? n->transitions.len : n->places.len;
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(transitions ? n->transitions.data[i].name : n->places.data[i].name, text) == 0) {
      return i;
    }
  }
  return CLEW_NONE;
}

uint32_t clew_pnml_find_place(struct pnml *n, const char *text) {
  return find_node(n, text, false);
}

uint32_t clew_pnml_find_transition(struct pnml *n, const char *text) {
  return find_node(n, text, true);
}

void clew_pnml_add_state_property(struct pnml *n, const char *name, const char *option,
                                  const struct clew_net_term *term, enum clew_query_kind kind) {
  struct clew_property property = {.kind = CLEW_PROPERTY_INVARIANT,
                                   .name = name,
                                   .label = n->labels.len,
                                   .query = kind,
                                   .option = option};
  clew_vec_push(&n->labels, ((struct clew_label){.name = name}));
  clew_vec_push(&n->label_terms, clew_query_seeks(kind) ? clew_pnml_not(n, term) : term);
  clew_vec_push(&n->properties, property);
}

void clew_pnml_add_measure(struct pnml *n, const char *name, const char *option,
                           const struct clew_net_term *term) {
  struct clew_property property = {
      .kind = CLEW_PROPERTY_MEASURE, .name = name, .label = n->measures.len, .option = option};
  clew_vec_push(&n->measures, ((struct clew_measure){.name = name, .wants_most = true}));
  clew_vec_push(&n->measure_terms, term);
  clew_vec_push(&n->properties, property);
}

void clew_pnml_add_deadlock(struct pnml *n, const char *name, const char *option, bool seeks) {
  struct clew_property property = {.kind = CLEW_PROPERTY_DEADLOCK,
                                   .name = name,
                                   .query = seeks ? CLEW_QUERY_REACH : CLEW_QUERY_INVARIANT,
                                   .option = option};
  clew_vec_push(&n->properties, property);
}

void clew_pnml_add_unchecked(struct pnml *n, const char *name, const char *why) {
  struct clew_unchecked part = {.name = name, .why = why, .is_asked = true};
  clew_vec_push(&n->unchecked, part);
}

/* ---- questions ---- */

static void ask_query(struct pnml *n, const struct clew_query *query) {
  const struct clew_net_term *term = clew_pnml_parse(n, &query->source, 0);
  const char *name = clew_arena_strndup(n->arena, query->source.text, query->source.length);
  if (term != NULL) {
    clew_pnml_add_state_property(n, name, query->option, term, query->kind);
  }
}

void clew_pnml_ask(struct pnml *n) {
  struct clew_property deadlock = {.kind = CLEW_PROPERTY_DEADLOCK, .name = "deadlock"};
  bool asks_deadlock = false;
  for (uint32_t i = 0; i < n->request->formulas_count && !n->failed; i++) {
    const struct clew_formulas *formulas = &n->request->formulas[i];
    const char *text = formulas->source.text + strspn(formulas->source.text, " \t\r\n");
    if (*text == '<') {
      clew_pnml_read_properties(n, formulas);
    } else {
      clew_pnml_read_question(n, formulas);
    }
  }
  for (uint32_t i = 0; i < n->properties.len; i++) {
    asks_deadlock = asks_deadlock || n->properties.data[i].kind == CLEW_PROPERTY_DEADLOCK;
  }
  if (!asks_deadlock) {
    clew_vec_push(&n->properties, deadlock);
  }
  for (uint32_t i = 0; i < n->request->query_count && !n->failed; i++) {
    ask_query(n, &n->request->queries[i]);
  }
}

/* ---- the model ---- */

/* Layout is most of many files. */
static bool skips(const char *name, const char *const *attributes) {
  if (strcmp(name, "toolspecific") == 0) {
    for (; attributes[0] != NULL; attributes += 2) {
      if (strcmp(attributes[0], "tool") == 0) {
        return strcmp(attributes[1], "nupn") != 0;
      }
    }
    return true;
  }
  return strcmp(name, "graphics") == 0;
}

/* Figures of `stats`, as the contest counts tokens: of the net without colours. */
static void add_figures(struct pnml *n) {
  static const char *const names[] = {"most tokens in a place", "most tokens in a marking"};
  for (uint32_t i = 0; i < 2; i++) {
    clew_pnml_add_measure(n, names[i], NULL,
                          clew_pnml_net_term(n, i == 0 ? CLEW_NET_MOST : CLEW_NET_ALL, 0));
  }
}

/* Which places of the file those without colours come from, for questions about the former. */
static void number_origins(struct pnml *n) {
  uint32_t *origins = CLEW_NEW_ARRAY(n->arena, uint32_t, n->net->place_count + 1);
  for (uint32_t p = 0; p < n->places.len; p++) {
    for (uint32_t i = n->first_place[p]; i < n->first_place[p + 1]; i++) {
      origins[i] = p;
    }
  }
  n->net->origins = origins;
  n->net->origin_count = n->places.len;
  for (uint32_t i = 0; i < n->properties.len; i++) {
    struct clew_property *property = &n->properties.data[i];
    if (property->kind == CLEW_PROPERTY_COVER && property->refusal != NULL) {
      property->label = n->net->covers_rules ? n->transitions.len : 0;
      property->further = n->places.len - 1;
    }
  }
}

#define KEEP(field, from)                                                                          \
  (n->net->field = clew_arena_copy(n->arena, n->from.data, n->from.len, sizeof *n->from.data))

static void finish_net(struct pnml *n) {
  struct clew_net *net = n->net;
  net->reduction = !n->request->asks_symmetry                   ? NULL
                   : n->request->symmetry == CLEW_SYMMETRY_FAST ? "fast"
                                                                : "canonical";
  if (n->request->wants_figures) {
    add_figures(n);
  }
  number_origins(n);
  struct clew_net_claim *claims =
      CLEW_NEW_ARRAY(n->arena, struct clew_net_claim, n->claims.len + 1);
  for (uint32_t i = 0; i < n->claims.len; i++) {
    claims[i] = (struct clew_net_claim){n->claims.data[i].name, n->claims.data[i].places,
                                        n->claims.data[i].count};
  }
  const char *name = n->request->source->name;
  net->name = clew_arena_strndup(n->arena, name, strlen(name));
  net->language = "pnml";
  net->claims = claims;
  net->claim_count = n->claims.len;
  net->rule_count = n->transitions.len;
  KEEP(labels, labels);
  KEEP(label_terms, label_terms);
  KEEP(measures, measures);
  KEEP(measure_terms, measure_terms);
  KEEP(properties, properties);
  KEEP(unchecked, unchecked);
  net->label_count = n->labels.len;
  net->measure_count = n->measures.len;
  net->property_count = n->properties.len;
  net->unchecked_count = n->unchecked.len;
}

static void free_vectors(struct pnml *n) {
  clew_vec_free(&n->sorts);
  clew_vec_free(&n->variables);
  clew_vec_free(&n->places);
  clew_vec_free(&n->transitions);
  clew_vec_free(&n->arcs);
  clew_vec_free(&n->claims);
  clew_vec_free(&n->labels);
  clew_vec_free(&n->label_terms);
  clew_vec_free(&n->measures);
  clew_vec_free(&n->measure_terms);
  clew_vec_free(&n->properties);
  clew_vec_free(&n->unchecked);
}

static void translate(struct pnml *n) {
  const struct clew_xml *root = clew_xml_read(n->request->source, n->arena, skips, n->diags);
  if (root == NULL || !clew_pnml_read(n, root)) {
    n->failed = true;
    return;
  }
  n->net = CLEW_NEW(n->arena, struct clew_net);
  n->net->arena = n->arena;
  n->first_place = CLEW_NEW_ARRAY(n->arena, uint32_t, n->places.len + 1);
  n->first_transition = CLEW_NEW_ARRAY(n->arena, uint32_t, n->transitions.len + 1);
  if (n->has_colours) {
    clew_pnml_unfold(n);
  } else {
    clew_pnml_convert(n);
  }
  if (!n->failed) {
    clew_pnml_ask(n);
  }
  if (!n->failed) {
    finish_net(n);
  }
}

static enum clew_status load(const struct clew_load_request *request, struct clew_diag_sink *diags,
                             struct clew_model **model) {
  struct clew_arena *arena = clew_arena_open();
  struct pnml n = {.request = request,
                   .diags = diags,
                   .arena = arena,
                   .ids = {.arena = arena, .name_bytes = sizeof(struct pnml_id)},
                   .shown = {.arena = arena, .name_bytes = sizeof(struct clew_name)}};
  *model = NULL;
  translate(&n);
  free_vectors(&n);
  if (n.failed) {
    clew_arena_close(arena);
    return CLEW_BAD_INPUT;
  }
  *model = clew_net_open(n.net, request->stop);
  return CLEW_OK;
}

static const char *const SUFFIXES[] = {".pnml", NULL};

const struct clew_language clew_language_pnml = {
    .name = "pnml",
    .help = "Petri nets: place/transition nets and symmetric nets (ISO/IEC 15909-2)",
    .suffixes = SUFFIXES,
    .query_suffix = ".properties.xml",
    .load = load,
};
