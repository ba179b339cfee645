/* The model that engines see: a finished program and whoever executes it.
 *
 * Native code takes over between two calls, whenever it is there; both executions mean the same
 * (ir/interp.c), so nobody has to know. Initial states are always interpreted, as is everything
 * asked of the `reference`. With symmetry there is a model of orbits over it (model/orbit.h). */
#include "ir/exec.h"
#include "ir/explain.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "ir/access.h"
#include "ir/interp.h"
#include "ir/native.h"
#include "ir/symmetry.h"
#include "model/orbit.h"

enum { SERVED_INTERP = 1, SERVED_NATIVE = 2 };

struct impl {
  struct clew_model model, reference;
  struct clew_program *program;     /* owned */
  struct clew_native *native;       /* owned; NULL: never */
  struct clew_label *labels;        /* owned */
  struct clew_symmetry *symmetry;   /* owned; NULL: none */
  struct clew_symmetry *exact;      /* tells orbits apart; the same one, or owned too */
  struct clew_text symmetry_notice; /* empty: none */
  bool waits;                       /* for native code: nothing is to be interpreted */
  _Atomic unsigned served;          /* by whom calls of `next` were */
};

static struct impl *impl_of(const struct clew_model *model) {
  assert(model->impl != NULL);
  return model->impl;
}

static const struct clew_program *program_of(const struct clew_model *model) {
  return impl_of(model)->program;
}

static const struct clew_native_api *api_of(const struct clew_model *model) {
  const struct clew_native *native = impl_of(model)->native;
  return native == NULL ? NULL : clew_native_poll(native);
}

/* ---- The interpreter, for the reference and until there is native code ----------------------- */

static void interp_init(const struct clew_model *model, struct clew_succs *succs) {
  clew_interp_init(program_of(model), succs);
}

static void interp_next(const struct clew_model *model, const uint64_t *state,
                        struct clew_succs *succs) {
  uint32_t first = succs->count, first_fault = succs->fault_count;
  bool resumed = succs->resume != 0;
  clew_interp_next(program_of(model), state, succs);
  succs->interpreted = true;
  clew_succs_note_stuck(succs, model->deadlock, state, first, first_fault, resumed);
}

static bool interp_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                        uint64_t *out, uint32_t *site) {
  return clew_interp_fire(program_of(model), state, edge, out, site);
}

static void interp_cover(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                         uint64_t *covered) {
  clew_interp_cover(program_of(model), state, edge, covered);
}

static bool interp_try(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                       uint64_t *out, uint32_t *site) {
  return clew_interp_try(program_of(model), state, edge, out, site);
}

static bool interp_label(const struct clew_model *model, uint32_t label, const uint64_t *state,
                         uint32_t *site) {
  return clew_interp_label(program_of(model), label, state, site);
}

static uint32_t interp_check(const struct clew_model *model, const uint64_t *enabled,
                             const uint64_t *state, uint32_t *site) {
  return clew_interp_check(program_of(model), enabled, state, site);
}

/* All but the first line, which has the name: a file that was moved is the same model. */
static void program_describe(const struct clew_model *model, enum clew_description what,
                             struct clew_text *out) {
  struct clew_text dump = {0};
  if (what == CLEW_DESCRIBE_GRAPH) {
    clew_program_dump_graph(program_of(model), &dump);
  } else {
    clew_program_dump(program_of(model), &dump);
  }
  const char *rest = strchr(clew_text_str(&dump), '\n');
  clew_text_printf(out, "%s, %u words", model->language, model->words);
  clew_text_put(out, rest != NULL ? rest : "\n");
  clew_text_free(&dump);
}

static bool program_tests(const struct clew_model *model, uint32_t label, const uint64_t *state) {
  return clew_explain_tests(program_of(model), label, state);
}

static uint32_t program_rule_of(const struct clew_model *model, uint32_t edge) {
  return clew_program_edge(program_of(model), false, edge).rule->index;
}

static void program_print_sent(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                               struct clew_text *out) {
  clew_explain_sent(program_of(model), state, edge, out);
}

static void program_explain(const struct clew_model *model, const struct clew_occasion *occasion,
                            struct clew_text *out) {
  clew_explain(program_of(model), occasion, out);
}

static void interp_expect_fire(const struct clew_model *model) {
  (void)model;
}

static void interp_exec_info(const struct clew_model *model, struct clew_exec_info *info) {
  assert(model != NULL);
  const struct clew_text *notice = &impl_of(model)->symmetry_notice;
  *info = (struct clew_exec_info){
      .used = CLEW_EXEC_INTERP, .symmetry_notice = notice->len > 0 ? clew_text_str(notice) : NULL};
}

/* ---- Whoever is there ------------------------------------------------------------------------ */

/* Threads share the cache line: it is written once for each bit, not once a call. */
static void note_served(struct impl *impl, unsigned by) {
  if ((atomic_load_explicit(&impl->served, memory_order_relaxed) & by) == 0)
    atomic_fetch_or_explicit(&impl->served, by, memory_order_relaxed);
}

/* The interpreter goes on with what it has begun: it pauses where emitted code does not. */
static void best_next(const struct clew_model *model, const uint64_t *state,
                      struct clew_succs *succs) {
  const struct clew_native_api *api = api_of(model);
  if (__builtin_expect(api == NULL || succs->resume != 0, 0)) {
    note_served(impl_of(model), SERVED_INTERP);
    interp_next(model, state, succs);
    return;
  }
  note_served(impl_of(model), SERVED_NATIVE);
  uint32_t first = succs->count, first_fault = succs->fault_count;
  succs->stop = model->stop;
  api->next(state, succs);
  succs->stuck = clew_succs_are_stuck(succs, model->deadlock, state, first, first_fault);
}

/* The same where emitted code makes pieces. */
static void best_next_piece(const struct clew_model *model, const uint64_t *state,
                            struct clew_succs *succs) {
  const struct clew_native_api *api = api_of(model);
  bool resumed = succs->resume != 0;
  bool native = api != NULL && !(resumed && succs->interpreted);
  note_served(impl_of(model), native ? SERVED_NATIVE : SERVED_INTERP);
  if (!native) {
    interp_next(model, state, succs);
    return;
  }
  assert(api->makes_pieces);
  uint32_t first = succs->count, first_fault = succs->fault_count;
  clew_succs_begin_piece(succs);
  api->next(state, succs);
  succs->interpreted = false;
  clew_succs_note_stuck(succs, model->deadlock, state, first, first_fault, resumed);
}

static bool best_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                      uint64_t *out, uint32_t *site) {
  assert(edge < model->edge_count);
  const struct clew_native *native = impl_of(model)->native;
  clew_native_fire_fn fire = native == NULL ? NULL : clew_native_poll_fire(native);
  return fire != NULL ? fire(state, edge, out, site) : interp_fire(model, state, edge, out, site);
}

static void best_expect_fire(const struct clew_model *model) {
  struct impl *impl = impl_of(model);
  if (impl->native == NULL)
    return;
  clew_native_expect_fire(impl->native);
  if (impl->waits)
    clew_native_wait_fire(impl->native);
}

static bool best_label(const struct clew_model *model, uint32_t label, const uint64_t *state,
                       uint32_t *site) {
  assert(label < model->label_count);
  const struct clew_native_api *api = api_of(model);
  return api != NULL ? api->label(label, state, site, model->stop)
                     : interp_label(model, label, state, site);
}

static uint32_t best_check(const struct clew_model *model, const uint64_t *enabled,
                           const uint64_t *state, uint32_t *site) {
  const struct clew_native_api *api = api_of(model);
  return api != NULL ? api->check(enabled, state, site, model->stop)
                     : interp_check(model, enabled, state, site);
}

static void best_exec_info(const struct clew_model *model, struct clew_exec_info *info) {
  const struct impl *impl = impl_of(model);
  interp_exec_info(model, info);
  unsigned served = atomic_load_explicit(&impl->served, memory_order_relaxed);
  if (served == SERVED_NATIVE)
    info->used = CLEW_EXEC_NATIVE;
  else if (served == (SERVED_NATIVE | SERVED_INTERP))
    info->used = CLEW_EXEC_BOTH;
  if (impl->native != NULL) {
    info->compile_s = clew_native_compile_s(impl->native);
    info->notice = clew_native_notice(impl->native);
    info->is_deferred = clew_native_is_deferred(impl->native);
  }
}

/* ---- Orbits ---------------------------------------------------------------------------------- */

static void orbit_canonicalise(const void *context, const uint64_t *parent, uint64_t *states,
                               uint32_t count) {
  const struct impl *impl = context;
  const struct clew_native_api *api = api_of(&impl->model);
  if (api != NULL && api->canonicalise != NULL)
    api->canonicalise(parent, states, count);
  else
    clew_symmetry_canonicalise(impl->symmetry, parent, states, count);
}

static void orbit_exact(const void *context, uint64_t *state) {
  const struct impl *impl = context;
  clew_symmetry_canonicalise(impl->exact, NULL, state, 1);
}

/* ---- What needs no execution ----------------------------------------------------------------- */

/* Every edge is a group: the parameters of a rule decide which slots it touches. */
static void model_group(const struct clew_model *model, uint32_t group, struct clew_group *out) {
  assert(group < model->group_count);
  int32_t priority = clew_program_edge(program_of(model), false, group).rule->priority;
  *out = (struct clew_group){.first_edge = group, .edge_count = 1, .priority = priority};
}

static void model_access(const struct clew_model *model, uint32_t group,
                         struct clew_access *access) {
  assert(group < model->group_count);
  clew_access_of_edge(program_of(model), group, access);
}

static void model_label_access(const struct clew_model *model, uint32_t label, uint64_t *read) {
  assert(label < model->label_count);
  clew_access_of_label(program_of(model), label, read);
}

static void print_instance(const struct clew_program *program, bool start, uint32_t edge,
                           struct clew_text *out) {
  struct clew_edge_parts parts = clew_program_edge(program, start, edge);
  assert(parts.rule->name != NULL);
  clew_text_put(out, parts.rule->name);
  for (uint32_t i = 0; i < parts.family->parameter_count; i++) {
    const struct clew_parameter *parameter = &parts.family->parameters[i];
    clew_text_printf(out, ", %s: ", parameter->name);
    clew_domain_print(parameter->domain, clew_family_parameter(parts.family, parts.instance, i),
                      out);
  }
}

static void model_print_edge(const struct clew_model *model, uint32_t edge, struct clew_text *out) {
  assert(edge < model->edge_count);
  print_instance(program_of(model), false, edge, out);
}

static void model_print_initial(const struct clew_model *model, uint32_t edge,
                                struct clew_text *out) {
  assert(edge < model->initial_count);
  print_instance(program_of(model), true, edge, out);
}

static void model_close(struct clew_model *model) {
  if (model == NULL)
    return;
  struct impl *impl = impl_of(model);
  assert(model == &impl->model);
  if (impl->native != NULL)
    clew_native_close(impl->native);
  if (impl->exact != impl->symmetry) {
    clew_symmetry_close(impl->exact);
  }
  clew_symmetry_close(impl->symmetry);
  clew_program_close(impl->program);
  clew_text_free(&impl->symmetry_notice);
  clew_free(impl->labels);
  clew_free(impl);
  clew_interp_release();
}

/* ---- Opening --------------------------------------------------------------------------------- */

static struct clew_label *labels_new(const struct clew_program *program) {
  struct clew_label *labels = clew_alloc_zero(program->labels.len + 1, sizeof *labels);
  for (uint32_t i = 0; i < program->labels.len; i++) {
    const struct clew_label_code *code = &program->labels.data[i];
    labels[i] = (struct clew_label){.name = code->name, .position = code->position};
  }
  return labels;
}

static const struct clew_rule_fact *rules_new(struct clew_program *program) {
  struct clew_rule_fact *rules =
      CLEW_NEW_ARRAY(program->arena, struct clew_rule_fact, program->rule_count + 1);
  for (uint32_t i = 0; i < program->families.len; i++) {
    const struct clew_family *family = program->families.data[i];
    for (uint32_t k = 0; k < family->rule_count; k++) {
      const struct clew_rule *rule = &family->rules[k];
      assert(rule->index < program->rule_count);
      rules[rule->index] = (struct clew_rule_fact){rule->name, rule->position};
    }
  }
  return rules;
}

/* The model as the interpreter alone serves it. */
static struct clew_model model_interpreted(struct impl *impl) {
  struct clew_program *program = impl->program;
  assert(program->words > 0);
  uint32_t collection_count;
  const struct clew_collection *collections = clew_program_collections(program, &collection_count);
  return (struct clew_model){
      .collection_count = collection_count,
      .collections = collections,
      .name = program->name,
      .language = program->language,
      .words = program->words,
      .bytes = program->bytes,
      .state_bits = program->state_bits,
      .discrete_words = program->discrete_words,
      .slot_count = program->slot_count,
      .slots = program->slots,
      .edge_count = program->edge_count,
      .initial_count = program->initial_count,
      .rule_count = program->rule_count,
      .group_count = program->edge_count,
      .label_count = program->labels.len,
      .labels = impl->labels,
      .cover_count = program->cover_count,
      .property_count = program->properties.len,
      .properties = program->properties.data,
      .unchecked_count = program->unchecked.len,
      .unchecked = program->unchecked.data,
      .declared_count = program->declared.len,
      .declared = program->declared.data,
      .site_count = program->sites.len,
      .sites = program->sites.data,
      .deadlock = program->deadlock,
      .counts_error_state = program->counts_error_state,
      .stop = program->stop,
      .init = interp_init,
      .next = interp_next,
      .fire = interp_fire,
      .cover = program->cover_count > 0 ? interp_cover : NULL,
      .label = interp_label,
      .check = interp_check,
      .group = model_group,
      .access = model_access,
      .label_access = model_label_access,
      .print_edge = model_print_edge,
      .print_initial = model_print_initial,
      .tests = program_tests,
      .assumption_count = program->assumptions.len,
      .assumptions = program->assumptions.data,
      .has_locations = program->has_locations,
      .rules = rules_new(program),
      .rule_of = program_rule_of,
      .print_sent = program_print_sent,
      .explain = program_explain,
      .describe = program_describe,
      .expect_fire = interp_expect_fire,
      .exec_info = interp_exec_info,
      .reference = &impl->reference,
      .impl = impl,
  };
}

static void open_symmetry(struct impl *impl, enum clew_symmetry_mode mode) {
  if (mode == CLEW_SYMMETRY_OFF)
    return;
  bool fast = mode == CLEW_SYMMETRY_FAST;
  const char *why = NULL;
  impl->symmetry = clew_symmetry_open(impl->program, fast, &why);
  impl->exact = impl->symmetry;
  clew_symmetry_describe(impl->program, why, &impl->symmetry_notice);
  if (fast && impl->symmetry != NULL)
    impl->exact = clew_symmetry_open(impl->program, false, &why);
  assert((impl->exact == NULL) == (impl->symmetry == NULL));
}

/* Native code, at once or as soon as it is there. */
static void open_native(struct impl *impl, enum clew_exec_mode mode) {
  assert(mode != CLEW_MODE_INTERP);
  struct clew_model *model = &impl->model;
  model->next = clew_emit_makes_pieces(impl->program) ? best_next_piece : best_next;
  model->fire = best_fire;
  model->label = best_label;
  model->check = best_check;
  model->expect_fire = best_expect_fire;
  model->exec_info = best_exec_info;
  impl->native = clew_native_begin(
      impl->program, impl->symmetry == NULL ? NULL : clew_symmetry_tables(impl->symmetry),
      mode != CLEW_MODE_CACHED);
  impl->waits = mode == CLEW_MODE_NATIVE;
  if (impl->waits && impl->native != NULL)
    clew_native_wait(impl->native);
}

struct clew_model *clew_model_open(struct clew_program *program, enum clew_exec_mode mode,
                                   enum clew_symmetry_mode symmetry) {
  struct impl *impl = clew_alloc_zero(1, sizeof *impl);
  impl->program = program;
  impl->labels = labels_new(program);
  open_symmetry(impl, symmetry);
  impl->reference = model_interpreted(impl);
  impl->model = impl->reference;
  impl->reference.fire = interp_try;
  impl->model.close = model_close; /* the reference is closed with the model it belongs to */
  if (mode != CLEW_MODE_INTERP)
    open_native(impl, mode);
  assert(impl->model.reference == &impl->reference);
  if (impl->symmetry == NULL)
    return &impl->model;
  const struct clew_orbit orbit = {
      .name = symmetry == CLEW_SYMMETRY_FAST ? "fast" : "canonical",
      .canonicalise = orbit_canonicalise,
      .exact = orbit_exact,
      .context = impl,
  };
  return clew_orbit_open(&impl->model, &orbit);
}
