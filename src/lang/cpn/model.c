/* A coloured net as a model. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "lang/cpn/cpn_int.h"

static void net_init(const struct clew_model *model, struct clew_succs *succs) {
  const struct cpn_net *net = cpn_of(model);
  if (succs->resume == 0) {
    memcpy(clew_succs_next(succs), net->initial, model->words * sizeof *net->initial);
    clew_succs_keep(succs, 0);
  }
  succs->resume = 0;
}

static uint32_t net_check(const struct clew_model *model, const uint64_t *enabled,
                          const uint64_t *state, uint32_t *site) {
  *site = CLEW_NONE;
  for (uint32_t i = 0; i < model->property_count; i++) {
    const struct clew_property *property = &model->properties[i];
    if (property->kind == CLEW_PROPERTY_INVARIANT && clew_bitset_has(enabled, i) &&
        !cpn_truth(model, property->label, state, site)) {
      return i;
    }
  }
  return CLEW_NONE;
}

/* The first binding stands for all of them. */
static void net_group(const struct clew_model *model, uint32_t group, struct clew_group *out) {
  assert(group < model->group_count);
  *out = (struct clew_group){group, 1, 0};
}

static void net_access(const struct clew_model *model, uint32_t group, struct clew_access *access) {
  const struct cpn_net *net = cpn_of(model);
  const struct cpn_transition *t = &net->transitions.data[group];
  for (uint32_t i = 0; i < t->touched_count; i++) {
    const struct cpn_place *place = &net->places.data[t->touched[i]];
    for (uint32_t slot = place->slot; slot < place->slot_end; slot++) {
      clew_bitset_add(access->read, slot);
      clew_bitset_add(access->may_write, slot);
    }
  }
}

static void net_label_access(const struct clew_model *model, uint32_t label, uint64_t *read) {
  const struct cpn_net *net = cpn_of(model);
  for (uint32_t i = 0; i < net->label_codes[label].place_count; i++) {
    const struct cpn_place *place = &net->places.data[net->label_codes[label].places[i]];
    for (uint32_t slot = place->slot; slot != CLEW_NONE && slot < place->slot_end; slot++) {
      clew_bitset_add(read, slot);
    }
  }
}

static uint32_t net_rule_of(const struct clew_model *model, uint32_t edge) {
  return edge % model->rule_count;
}

static void net_print_edge(const struct clew_model *model, uint32_t edge, struct clew_text *out) {
  const struct cpn_net *net = cpn_of(model);
  clew_text_put(out, net->transitions.data[edge % net->transitions.len].name);
}

static void net_print_initial(const struct clew_model *model, uint32_t edge,
                              struct clew_text *out) {
  (void)model, (void)edge;
  clew_text_put(out, "the initial marking");
}

/* Edges depend on the text alone, and so do states that have one meaning only. */
static void net_describe(const struct clew_model *model, enum clew_description what,
                         struct clew_text *out) {
  (void)what; /* properties are no part of it */
  const struct cpn_net *net = cpn_of(model);
  clew_text_printf(out, "%016llx%016llx %s %u\n", (unsigned long long)net->text_sum.high,
                   (unsigned long long)net->text_sum.low,
                   net->unfolded != NULL ? "counts" : "numbers", model->words);
}

static void net_expect_fire(const struct clew_model *model) {
  (void)model;
}

static void net_exec_info(const struct clew_model *model, struct clew_exec_info *info) {
  (void)model;
  *info = (struct clew_exec_info){.used = CLEW_EXEC_INTERP};
}

static void net_close(struct clew_model *model) {
  if (model != NULL) {
    cpn_net_close(cpn_of(model));
  }
}

static void add_sites(struct cpn_net *net) {
  uint32_t count = net->transitions.len, at = 0;
  net->sites = clew_alloc_zero((size_t)count * CPN_SITES + 5, sizeof *net->sites);
  net->rules = clew_alloc_zero((size_t)count + 1, sizeof *net->rules);
  for (uint32_t i = 0; i < count; i++) {
    struct cpn_transition *t = &net->transitions.data[i];
    struct clew_position where = t->node->position;
    static const struct {
      enum clew_site_kind kind;
      const char *what;
    } kinds[CPN_SITES] = {
        [CPN_SITE_EXCEPTION] = {CLEW_SITE_ASSERTION, "an exception is raised"},
        [CPN_SITE_RANGE] = {CLEW_SITE_RANGE, "a token is not in the colour set of its place"},
        [CPN_SITE_DEEP] = {CLEW_SITE_RECURSION, "calls nest too deeply"},
        [CPN_SITE_HUGE] = {CLEW_SITE_RECURSION, "an evaluation needs too much memory"},
    };
    t->first_site = at;
    for (uint32_t k = 0; k < CPN_SITES; k++) {
      net->sites[at++] = (struct clew_site){
          kinds[k].kind, clew_arena_printf(net->arena, "transition %s: %s", t->name, kinds[k].what),
          where};
    }
    net->rules[i] = (struct clew_rule_fact){t->name, where};
  }
  net->sites[at++] =
      (struct clew_site){CLEW_SITE_ASSERTION, "the question raises an exception", {0, 0}};
  net->sites[at++] = (struct clew_site){
      CLEW_SITE_RECURSION, "the question nests too deeply or needs too much memory", {0, 0}};
  net->sites[at++] =
      (struct clew_site){CLEW_SITE_LAYOUT, "a state needs more bits than it has", {0, 0}};
  net->sites[at++] = (struct clew_site){
      CLEW_SITE_MEMORY, "the tables of tokens and markings need more memory", {0, 0}};
  net->sites[at++] = (struct clew_site){CLEW_SITE_STOPPED, "stopped", {0, 0}};
  net->model.site_count = at;
}

/* ---- questions ---- */

struct marks {
  struct cpn_net *net;
  struct cpn_label *label;
  CLEW_VEC(uint32_t) places;
};

static void find_marks(struct marks *m, const struct cpn_expr *expr) {
  if (expr->kind == CPN_NAME && expr->scope == CPN_MARK) {
    for (uint32_t i = 1; cpn_mark_place(m->net, expr->variable, i) != CLEW_NONE; i++) {
      clew_vec_push(&m->places, cpn_mark_place(m->net, expr->variable, i));
    }
  }
  for (uint32_t i = 0; i < expr->count; i++) {
    find_marks(m, expr->parts[i]);
  }
  for (uint32_t i = 0; i < expr->clauses.count; i++) {
    find_marks(m, expr->clauses.list[i].body);
  }
  for (const struct cpn_dec *dec = expr->decs; dec != NULL; dec = dec->next) {
    if (dec->body != NULL) {
      find_marks(m, dec->body);
    }
    for (const struct cpn_fun *fun = dec->funs; fun != NULL; fun = fun->next) {
      for (uint32_t i = 0; i < fun->clauses.count; i++) {
        find_marks(m, fun->clauses.list[i].body);
      }
    }
  }
}

static bool add_question(struct cpn_net *net, const struct clew_query *query, uint32_t number,
                         struct clew_property *property) {
  struct cpn_text *text = CLEW_NEW(net->arena, struct cpn_text);
  text->source = query->source;
  struct cpn_reader reader = {.ml = &net->ml, .text = text};
  struct cpn_expr *expr = cpn_parse_expr(&reader);
  if (expr == NULL || !cpn_check(&reader, expr, net->ml.bool_type, false)) {
    return false;
  }
  const char *name = clew_arena_strndup(net->arena, query->source.text, query->source.length);
  struct marks marks = {.net = net};
  find_marks(&marks, expr);
  net->labels[number] = (struct clew_label){.name = name};
  net->label_codes[number] = (struct cpn_label){
      .expr = expr,
      .is_negated = clew_query_seeks(query->kind),
      .places = clew_arena_copy(net->arena, marks.places.data, marks.places.len, sizeof(uint32_t)),
      .place_count = marks.places.len};
  clew_vec_free(&marks.places);
  *property = (struct clew_property){.kind = CLEW_PROPERTY_INVARIANT,
                                     .name = name,
                                     .label = number,
                                     .query = query->kind,
                                     .option = query->option};
  return true;
}

static bool add_properties(struct cpn_net *net) {
  uint32_t count = net->request->query_count;
  net->properties = clew_alloc_zero((size_t)count + 2, sizeof *net->properties);
  net->labels = clew_alloc_zero((size_t)count + 1, sizeof *net->labels);
  net->label_codes = clew_alloc_zero((size_t)count + 1, sizeof *net->label_codes);
  net->properties[0] = (struct clew_property){
      .kind = CLEW_PROPERTY_DEADLOCK, .name = "deadlock", .label = CLEW_NONE};
  net->properties[1] =
      (struct clew_property){.kind = CLEW_PROPERTY_FAULT, .name = "exceptions", .label = CLEW_NONE};
  net->ml.find_mark = cpn_find_mark;
  net->ml.net = net;
  net->model.label_count = count;
  net->model.property_count = count + 2;
  for (uint32_t i = 0; i < count; i++) {
    if (!add_question(net, &net->request->queries[i], i, &net->properties[i + 2])) {
      return false;
    }
  }
  return true;
}

/* ---- the initial marking ---- */

static bool is_blank(const char *text) {
  return text[strspn(text, " \t\r\n")] == '\0';
}

static bool start_place(struct cpn_net *net, uint32_t number) {
  struct cpn_place *place = &net->places.data[number];
  const struct cpn_text *text = place->initial;
  place->start = cpn_bag_intern(net, number, NULL, 0);
  assert(place->start == 0);
  if (is_blank(text->source.text)) {
    return true;
  }
  bool is_token = false;
  struct cpn_expr *expr = cpn_read_marking(net, text, place->colour, false, &is_token);
  if (expr == NULL) {
    return false;
  }
  struct cpn_eval eval;
  cpn_eval_open(net, &eval, net->request->stop);
  const struct cpn_value *value = cpn_eval(&eval.ctx, expr, NULL);
  if (value != NULL && is_token) {
    value = cpn_value_cons(eval.ctx.arena, value, net->ml.nil_value);
  }
  struct clew_text why = {0};
  if (value == NULL) {
    clew_text_put(&why, "this cannot be evaluated: ");
    if (eval.ctx.failure == CPN_RAISED) {
      clew_text_put(&why, "exception ");
      cpn_exception_print(eval.ctx.exception, &why);
    } else {
      clew_text_put(&why, eval.ctx.failure == CPN_STOPPED ? "it was stopped"
                          : eval.ctx.failure == CPN_DEEP  ? "calls nest too deeply"
                                                          : "it needs too much memory");
    }
  }
  for (const struct cpn_value *at = value; at != NULL && at->kind == CPN_V_CONS && why.len == 0;
       at = at->tail) {
    if (!cpn_colour_has(&eval.ctx, place->colour, at->head)) {
      cpn_value_print(at->head, &why);
      clew_text_printf(&why, " is not in the colour set '%s'", place->colour->name->base.text);
    }
  }
  if (why.len > 0) {
    clew_diag_at(net->diags, CLEW_ERROR, &text->source, 0, text->source.length, "%s",
                 clew_text_str(&why));
  } else {
    place->start = cpn_bag_of_list(net, number, value);
  }
  bool fine = why.len == 0;
  clew_text_free(&why);
  cpn_eval_close(&eval);
  return fine;
}

static bool start(struct cpn_net *net) {
  net->bags = clew_alloc_zero((size_t)net->places.len + 1, sizeof *net->bags);
  bool fine = true;
  for (uint32_t i = 0; i < net->places.len; i++) {
    fine = start_place(net, i) && fine;
  }
  if (fine) {
    cpn_pack_initial(net);
  }
  return fine;
}

/* ---- the whole ---- */

static void fill_model(struct cpn_net *net) {
  struct clew_model facts = net->model, *model = &net->model;
  uint32_t count = net->transitions.len;
  *model = (struct clew_model){
      .name = facts.name,
      .language = "cpn",
      .words = facts.words,
      .bytes = facts.bytes,
      .state_bits = facts.state_bits,
      .discrete_words = facts.words,
      .slot_count = net->slot_count,
      .slots = net->slots,
      .edge_count = count > 0 ? UINT32_MAX / count * count : 0,
      .initial_count = 1,
      .rule_count = count,
      .rules = net->rules,
      .rule_of = net_rule_of,
      .group_count = count,
      .label_count = facts.label_count,
      .labels = net->labels,
      .properties = net->properties,
      .property_count = facts.property_count,
      .site_count = facts.site_count,
      .sites = net->sites,
      .deadlock = CLEW_DEADLOCK_NO_SUCCESSOR,
      .learns = true,
      .is_portable = net->unfolded != NULL,
      .dialect = net->unfolded != NULL ? NULL : &cpn_dialect,
      .stop = facts.stop,
      .init = net_init,
      .next = net->unfolded != NULL ? cpn_counts_next : cpn_next,
      .fire = net->unfolded != NULL ? cpn_counts_fire : cpn_fire,
      .label = cpn_truth,
      .check = net_check,
      .group = net_group,
      .access = net_access,
      .label_access = net_label_access,
      .print_edge = net_print_edge,
      .print_initial = net_print_initial,
      .print_values = cpn_print_values,
      .explain = cpn_explain,
      .spend = cpn_spend,
      .describe = net_describe,
      .expect_fire = net_expect_fire,
      .exec_info = net_exec_info,
      .fit = net->slot_count > 0 && net->unfolded == NULL ? cpn_fit : NULL,
      .reference = &net->reference,
      .close = net_close,
      .impl = net,
  };
  net->reference = *model;
  net->reference.next = cpn_plain_next;
  net->reference.fire = cpn_plain_fire;
}

bool cpn_count_colours(struct cpn_net *net) {
  if (!cpn_unfold(net)) {
    return false;
  }
  cpn_pack_initial(net);
  fill_model(net);
  return true;
}

/* Whether multisets of places are so many, compared to markings, that numbers save nothing. */
static bool has_many_multisets(const struct cpn_net *net) {
  uint64_t multisets = 0;
  for (uint32_t i = 0; i < net->slot_count; i++) {
    multisets += net->bags[net->domains[i].place].list.len;
  }
  return !net->is_small && multisets * 2 > net->first_states;
}

/* The text, and what the command line changes in it. */
static struct clew_hash128 sum_up(const struct clew_load_request *request) {
  struct clew_text text = {0};
  clew_text_put_n(&text, request->source->text, request->source->length);
  for (uint32_t i = 0; i < request->override_count; i++) {
    clew_text_printf(&text, "\n%s=%s", request->overrides[i].name, request->overrides[i].value);
  }
  struct clew_hash128 sum = clew_hash128_bytes(clew_text_str(&text), text.len, 0);
  clew_text_free(&text);
  return sum;
}

struct clew_model *cpn_open(struct cpn_net *net) {
  net->text_sum = sum_up(net->request);
  net->model.name = clew_arena_printf(net->arena, "%s", net->request->source->name);
  net->model.stop = net->request->stop;
  cpn_add_slots(net);
  add_sites(net);
  if (!start(net) || !add_properties(net)) {
    return NULL;
  }
  fill_model(net);
  cpn_find_growth(net);
  if (net->model.endless == NULL && has_many_multisets(net)) {
    (void)cpn_count_colours(net);
  }
  net->request = NULL; /* it was borrowed */
  net->diags = net->ml.diags = NULL;
  return &net->model;
}
