/* A net as a model. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "model/orbit.h"
#include "net/symmetry_int.h"

static void net_init(const struct clew_model *model, struct clew_succs *succs) {
  const struct clew_net_impl *impl = clew_net_impl_of(model);
  if (succs->resume == 0) {
    memcpy(clew_succs_next(succs), impl->initial, impl->words * sizeof *impl->initial);
    clew_succs_keep(succs, 0);
  }
  succs->resume = 0;
}

static void net_cover(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                      uint64_t *covered) {
  const struct clew_net_impl *impl = clew_net_impl_of(model);
  if (clew_net_is_enabled(impl, edge, state)) {
    clew_net_note_covers(impl, edge, covered);
  }
}

static bool net_label(const struct clew_model *model, uint32_t label, const uint64_t *state,
                      uint32_t *site) {
  const struct clew_net_impl *impl = clew_net_impl_of(model);
  (void)site;
  assert(label < impl->net->label_count);
  return clew_net_truth(impl, impl->net->label_terms[label], state);
}

static uint32_t net_check(const struct clew_model *model, const uint64_t *enabled,
                          const uint64_t *state, uint32_t *site) {
  *site = CLEW_NONE;
  for (uint32_t i = 0; i < model->property_count; i++) {
    const struct clew_property *property = &model->properties[i];
    if (property->kind == CLEW_PROPERTY_INVARIANT && clew_bitset_has(enabled, i) &&
        !net_label(model, property->label, state, site)) {
      return i;
    }
  }
  return CLEW_NONE;
}

static void net_measure(const struct clew_model *model, uint32_t measure, const uint64_t *state,
                        struct clew_measured *out) {
  const struct clew_net_impl *impl = clew_net_impl_of(model);
  int64_t value = clew_net_value(impl, impl->net->measure_terms[measure], state);
  *out = (struct clew_measured){.any = true, .least = value, .most = value};
}

static void net_group(const struct clew_model *model, uint32_t group, struct clew_group *out) {
  assert(group < model->group_count);
  *out = (struct clew_group){group, 1, 0};
}

static void net_access(const struct clew_model *model, uint32_t group, struct clew_access *access) {
  const struct clew_net_impl *impl = clew_net_impl_of(model);
  clew_net_touched(impl, group, access->read, access->may_write);
  clew_net_touched(impl, group, NULL, access->must_write);
}

static void net_label_access(const struct clew_model *model, uint32_t label, uint64_t *read) {
  const struct clew_net_impl *impl = clew_net_impl_of(model);
  clew_net_term_reads(impl, impl->net->label_terms[label], read);
}

static void net_print_edge(const struct clew_model *model, uint32_t edge, struct clew_text *out) {
  clew_text_put(out, clew_net_impl_of(model)->net->transitions[edge].name);
}

static void net_print_initial(const struct clew_model *model, uint32_t edge,
                              struct clew_text *out) {
  (void)model, (void)edge;
  clew_text_put(out, "the initial marking");
}

/* Bounds and units are not part of it: they say how a marking is stored, not what it is. */
static void net_describe(const struct clew_model *model, enum clew_description what,
                         struct clew_text *out) {
  (void)what; /* properties are no part of it */
  const struct clew_net *net = clew_net_impl_of(model)->net;
  for (uint32_t p = 0; p < net->place_count; p++) {
    clew_text_printf(out, "%s %llu\n", net->places[p].name,
                     (unsigned long long)net->places[p].tokens);
  }
  for (uint32_t i = 0; i < net->transition_count; i++) {
    const struct clew_net_transition *t = &net->transitions[i];
    clew_text_printf(out, "%s", t->name);
    for (uint32_t a = t->take; a < t->end; a++) {
      clew_text_printf(out, " %c%llu %u", a < t->give ? '-' : '+',
                       (unsigned long long)net->arcs[a].weight, net->arcs[a].place);
    }
    clew_text_char(out, '\n');
  }
}

static void net_expect_fire(const struct clew_model *model) {
  (void)model;
}

static void net_exec_info(const struct clew_model *model, struct clew_exec_info *info) {
  *info = (struct clew_exec_info){.used = CLEW_EXEC_INTERP,
                                  .symmetry_notice = clew_net_impl_of(model)->symmetry_notice};
}

static void net_close(struct clew_model *model) {
  if (model == NULL) {
    return;
  }
  struct clew_net_impl *impl = clew_net_impl_of(model);
  clew_net_free_bounds(&impl->bounds);
  clew_free(impl->codes);
  clew_free(impl->slots);
  clew_free(impl->fields);
  clew_free(impl->domains);
  clew_free(impl->sites);
  clew_free(impl->properties);
  clew_free(impl->ready);
  clew_vec_free(&impl->tests);
  clew_vec_free(&impl->needs);
  clew_vec_free(&impl->adds);
  clew_vec_free(&impl->checks);
  clew_free(impl->covers_first);
  clew_free(impl->covers);
  clew_free(impl->trigger_of_slot);
  clew_free(impl->trigger_first);
  clew_free(impl->triggered);
  clew_free(impl->always);
  clew_free(impl->initial);
  clew_text_free(&impl->endless_text);
  clew_net_symmetry_free(impl->symmetry);
  clew_arena_close(impl->net->arena);
  clew_free(impl);
}

/* Those of the net, and one more where something is claimed that may turn out wrong. */
static void add_properties(struct clew_net_impl *impl) {
  const struct clew_net *net = impl->net;
  bool has_claims = false;
  for (uint32_t i = 0; i < impl->site_count; i++) {
    has_claims = has_claims || impl->sites[i].kind == CLEW_SITE_CAPACITY;
  }
  impl->properties = clew_alloc_zero((size_t)net->property_count + 1, sizeof *impl->properties);
  if (net->property_count > 0) {
    memcpy(impl->properties, net->properties, net->property_count * sizeof *impl->properties);
  }
  impl->model.properties = impl->properties;
  impl->model.property_count = net->property_count;
  if (has_claims) {
    impl->properties[impl->model.property_count++] =
        (struct clew_property){.kind = CLEW_PROPERTY_FAULT, .name = "claims of the file"};
  }
}

static void fill_model(struct clew_net_impl *impl, const atomic_bool *stop) {
  const struct clew_net *net = impl->net;
  struct clew_model *model = &impl->model;
  uint32_t bytes = model->bytes, bits = model->state_bits;
  *model = (struct clew_model){
      .name = net->name,
      .language = net->language,
      .words = impl->words,
      .bytes = bytes,
      .state_bits = bits,
      .discrete_words = impl->words,
      .slot_count = impl->slot_count,
      .slots = impl->slots,
      .edge_count = net->transition_count,
      .initial_count = 1,
      .rule_count = net->rule_count,
      .group_count = net->transition_count,
      .label_count = net->label_count,
      .labels = net->labels,
      .cover_count = impl->cover_count,
      .measure_count = net->measure_count,
      .measures = net->measures,
      .unchecked_count = net->unchecked_count,
      .unchecked = net->unchecked,
      .site_count = impl->site_count,
      .sites = impl->sites,
      .deadlock = CLEW_DEADLOCK_NO_SUCCESSOR,
      .stop = stop,
      .init = net_init,
      .next = clew_net_next,
      .fire = clew_net_fire,
      .cover = impl->cover_count > 0 ? net_cover : NULL,
      .label = net_label,
      .check = net_check,
      .group = net_group,
      .access = net_access,
      .label_access = net_label_access,
      .measure = net->measure_count > 0 ? net_measure : NULL,
      .print_edge = net_print_edge,
      .print_initial = net_print_initial,
      .describe = net_describe,
      .expect_fire = net_expect_fire,
      .exec_info = net_exec_info,
      .reference = &impl->reference,
      .close = net_close,
      .impl = impl,
  };
  add_properties(impl);
  impl->reference = *model;
  impl->reference.next = clew_net_plain_next;
  impl->reference.fire = clew_net_plain_fire;
}

/* A model of representatives, if that is asked for and there are symmetric colours. */
static struct clew_model *reduce(struct clew_net_impl *impl) {
  const char *how = impl->net->reduction;
  if (how == NULL) {
    return &impl->model;
  }
  impl->symmetry = clew_net_find_symmetry(impl, &impl->symmetry_notice);
  if (impl->symmetry == NULL) {
    return &impl->model;
  }
  bool is_fast = strcmp(how, "fast") == 0;
  const struct clew_orbit orbit = {.name = is_fast ? "fast" : "canonical",
                                   .canonicalise =
                                       is_fast ? clew_net_canonicalise_fast : clew_net_canonicalise,
                                   .exact = clew_net_canonical,
                                   .context = impl->symmetry};
  return clew_orbit_open(&impl->model, &orbit);
}

struct clew_model *clew_net_open(struct clew_net *net, const atomic_bool *stop) {
  struct clew_net_impl *impl = clew_alloc_zero(1, sizeof *impl);
  impl->net = net;
  clew_net_find_bounds(net, &impl->bounds);
  clew_net_lay_out(impl);
  clew_net_compile(impl);
  clew_net_find_covers(impl);
  uint64_t *tokens = clew_alloc_zero((size_t)net->place_count + 1, sizeof *tokens);
  impl->initial = clew_alloc_zero(impl->words, sizeof *impl->initial);
  for (uint32_t p = 0; p < net->place_count; p++) {
    tokens[p] = net->places[p].tokens;
  }
  uint32_t site;
  bool fits = clew_net_pack(impl, tokens, impl->initial, &site);
  assert(fits); /* a front end refuses claims that are wrong at the start */
  (void)fits;
  clew_free(tokens);
  fill_model(impl, stop);
  if (clew_net_find_growth(net, &impl->bounds, &impl->endless_text)) {
    impl->model.endless = impl->reference.endless = clew_text_str(&impl->endless_text);
  }
  return reduce(impl);
}
