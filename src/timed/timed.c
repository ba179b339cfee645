/* The timed model: what engines call. zone.c says what becomes of zones. */
#include "timed/timed.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "ir/access.h"
#include "timed/spec.h"
#include "timed/timed_int.h"

/* ---- Successors ----------------------------------------------------------------------------- */

static size_t discrete_bytes(const struct clew_timed_impl *impl) {
  return impl->discrete_words * sizeof(uint64_t);
}

/* Appends the state of `successor` and context->work; a zone whose bounds get too large ends as if
 * clew had given up. */
static void append(const struct clew_timed_impl *impl, const struct clew_timed_context *context,
                   const uint64_t *successor, uint32_t edge, struct clew_succs *succs) {
  if (impl->semantics == CLEW_ZONE_NONE && !clew_dbm_is_safe(&impl->space, context->work)) {
    succs->add_fault(succs, edge, impl->far_site);
    return;
  }
  uint64_t *out = clew_succs_next(succs);
  memcpy(out, successor, discrete_bytes(impl));
  clew_zone_pack_put(impl, context->work, out);
  clew_succs_keep(succs, edge);
}

static void share_place(struct clew_succs *to, const struct clew_succs *from) {
  to->resume = from->resume;
  to->rank = from->rank;
  to->interpreted = from->interpreted;
}

static void begin_call(struct clew_timed_context *context, struct clew_succs *succs,
                       const struct clew_model *model) {
  struct clew_succs *own = &context->succs;
  clew_succs_clear(own);
  own->most = succs->most;
  own->stop = model->stop;
  share_place(own, succs);
}

static void end_call(struct clew_timed_context *context, struct clew_succs *succs) {
  share_place(succs, &context->succs);
  context->succs.most = UINT32_MAX;
  context->succs.resume = 0;
}

static void timed_init(const struct clew_model *model, struct clew_succs *succs) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_model *under = clew_timed_under(model);
  struct clew_timed_context *context = clew_timed_take(impl);
  begin_call(context, succs, model);
  under->init(under, &context->succs);
  for (uint32_t i = 0; i < context->succs.fault_count; i++) {
    succs->add_fault(succs, context->succs.faults[i].edge, context->succs.faults[i].site);
  }
  for (uint32_t i = 0; i < context->succs.count; i++) {
    const uint64_t *start = context->succs.states + (size_t)i * under->words;
    clew_dbm_zero(&impl->space, context->work);
    if (clew_timed_enter(impl, context, start, context->work)) {
      clew_timed_wait(impl, context, start, context->work);
      if (!clew_zone_cells_are_left(impl)) { /* else one point is in one cell */
        clew_timed_abstract(impl, context, start, context->work);
      }
      append(impl, context, start, context->succs.edges[i], succs);
    }
  }
  end_call(context, succs);
  clew_timed_give_back(impl, context);
}

const uint64_t *clew_timed_guard_signals(const struct clew_timed_impl *impl,
                                         struct clew_timed_context *context, uint32_t edge) {
  const struct clew_model *guards = impl->guards;
  uint32_t site = CLEW_NONE;
  if (guards == NULL) {
    return context->state; /* there are none */
  }
  bool done = guards->fire(guards, context->state, edge, context->successor, &site);
  return done ? context->successor : NULL;
}

bool clew_timed_constrain_fault(const struct clew_model *model, struct clew_timed_context *context,
                                uint32_t edge, void *zone) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const uint64_t *signals = clew_timed_guard_signals(impl, context, edge);
  return signals == NULL || /* the guard itself is at fault */
         clew_timed_constrain(impl, clew_timed_guard(impl, edge), signals, zone);
}

void clew_timed_expand(const struct clew_model *model, struct clew_timed_context *context) {
  const struct clew_model *under = clew_timed_under(model);
  clew_succs_clear(&context->succs);
  context->succs.most = UINT32_MAX;
  context->succs.resume = 0;
  context->succs.stop = model->stop;
  under->next(under, context->state, &context->succs);
  context->succs.resume = 0;
}

/* Run-time errors of transitions that can begin. */
static void add_faults(const struct clew_model *model, struct clew_timed_context *context,
                       struct clew_succs *succs) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  for (uint32_t i = 0; i < context->succs.fault_count; i++) {
    struct clew_fault fault = context->succs.faults[i];
    clew_dbm_copy(&impl->space, context->work, context->zone);
    if (clew_timed_constrain_fault(model, context, fault.edge, context->work)) {
      succs->add_fault(succs, clew_timed_edge_in(impl, fault.edge, 0), fault.site);
    }
  }
}

/* The zone in which the transition, by an edge of the program's model, enters its target goes to
 * context->work. */
static bool take(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                 uint32_t below, const uint64_t *successor) {
  if (!clew_timed_may_guard(impl, below, successor, context->zone)) {
    return false;
  }
  clew_dbm_copy(&impl->space, context->work, context->zone);
  return clew_timed_constrain(impl, clew_timed_guard(impl, below), successor, context->work) &&
         clew_timed_enter(impl, context, successor, context->work);
}

/* Appends what becomes of context->work, cell by cell. */
static void append_cells(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                         uint32_t below, const uint64_t *successor, struct clew_succs *succs) {
  clew_timed_wait(impl, context, successor, context->work);
  if (impl->cells.count == 1) {
    clew_timed_abstract(impl, context, successor, context->work);
    append(impl, context, successor, below, succs);
    return;
  }
  clew_dbm_copy(&impl->space, context->other, context->work);
  uint32_t cell = clew_zone_cells_next(impl, context->other, 0);
  while (cell != CLEW_NONE) {
    clew_dbm_copy(&impl->space, context->work, context->other);
    if (clew_zone_cells_keep(impl, cell, context->work)) {
      clew_timed_abstract(impl, context, successor, context->work);
      append(impl, context, successor, clew_timed_edge_in(impl, below, cell), succs);
    }
    cell = clew_zone_cells_next(impl, context->other, cell + 1);
  }
}

/* Whether some values of the zone have no successor. The context holds what the last call below has
 * appended; if that was a piece, everything is made again. */
static bool is_stuck(const struct clew_model *model, struct clew_timed_context *context,
                     bool is_piece) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  if (is_piece) {
    clew_timed_expand(model, context);
  }
  clew_timed_find_deadlock(impl, model, context, context->zone);
  return context->dead.count > 0;
}

static void timed_next(const struct clew_model *model, const uint64_t *state,
                       struct clew_succs *succs) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_model *under = clew_timed_under(model);
  struct clew_timed_context *context = clew_timed_take(impl);
  bool is_piece = succs->resume != 0;
  clew_timed_load(impl, context, state);
  begin_call(context, succs, model);
  under->next(under, context->state, &context->succs);
  add_faults(model, context, succs);
  for (uint32_t i = 0; i < context->succs.count; i++) {
    const uint64_t *successor = context->succs.states + (size_t)i * under->words;
    if (take(impl, context, context->succs.edges[i], successor)) {
      append_cells(impl, context, context->succs.edges[i], successor, succs);
    }
  }
  end_call(context, succs);
  bool is_last = succs->resume == 0;
  /* Before the last piece a deadlock is not excluded yet. */
  succs->stuck = impl->asks_deadlock && (!is_last || is_stuck(model, context, is_piece));
  clew_timed_give_back(impl, context);
}

static bool timed_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                       uint64_t *out, uint32_t *site) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_model *under = clew_timed_under(model);
  struct clew_timed_context *context = clew_timed_take(impl);
  uint32_t below = clew_timed_edge_below(impl, edge);
  clew_timed_load(impl, context, state);
  bool done = under->fire(under, context->state, below, context->successor, site);
  if (done) {
    done = take(impl, context, below, context->successor);
  } else if (*site != CLEW_NONE &&
             !clew_timed_constrain_fault(model, context, below, context->zone)) {
    *site = CLEW_NONE;
  }
  if (done) {
    clew_timed_wait(impl, context, context->successor, context->work);
    done = clew_zone_cells_keep(impl, edge % impl->cells.count, context->work);
  }
  if (done) {
    clew_timed_abstract(impl, context, context->successor, context->work);
    memcpy(out, context->successor, discrete_bytes(impl));
    clew_zone_pack_put(impl, context->work, out);
  }
  clew_timed_give_back(impl, context);
  return done;
}

/* ---- Order ---------------------------------------------------------------------------------- */

static bool timed_covers(const struct clew_model *model, const uint64_t *a, const uint64_t *b) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  struct clew_timed_context *context = clew_timed_take(impl);
  clew_timed_load(impl, context, a);
  clew_zone_pack_get(impl, b, context->other);
  bool covers;
  if (impl->is_alu) {
    clew_timed_find_limits(impl, context->state, false, &context->limits);
    covers = clew_dbm_alu_includes(&impl->space, context->zone, context->other,
                                   context->limits.lower, context->limits.upper);
  } else {
    covers = clew_dbm_includes(&impl->space, context->zone, context->other);
  }
  clew_timed_give_back(impl, context);
  return covers;
}

/* ---- Facts ---------------------------------------------------------------------------------- */

/* Renumbers a set of the program's slots, in place. */
static void renumber(const struct clew_timed_impl *impl, uint64_t *set, const uint64_t *from) {
  memset(set, 0, CLEW_BITSET_WORDS(impl->model.slot_count) * sizeof *set);
  for (uint32_t i = 0; i < impl->program->slot_count; i++) {
    if (impl->slot_of[i] != CLEW_NONE && clew_bitset_has(from, i)) {
      clew_bitset_add(set, impl->slot_of[i]);
    }
  }
}

static void add_zone(const struct clew_timed_impl *impl, uint64_t *set) {
  for (uint32_t i = 0; i < impl->pack.slot_count; i++) {
    clew_bitset_add(set, impl->model.slot_count - impl->pack.slot_count + i);
  }
}

static void add_limit_slots(const struct clew_timed_impl *impl, struct clew_timed_span limits,
                            uint64_t *set) {
  for (uint32_t k = 0; k < limits.count; k++) {
    uint32_t slot = impl->spec->limits[limits.first + k].slot;
    if (slot != CLEW_NONE) {
      clew_bitset_add(set, slot);
    }
  }
}

/* Adds slots of the program. Locations decide about invariants, clocks that stand still and, with
 * variables that are limits, extrapolation; where all locations of a process say the same, it does
 * not matter which one it is. Where it is kept that time may not pass, deadlocks depend on it. */
static void add_locations(const struct clew_timed_impl *impl, uint64_t *set) {
  const struct clew_timed_spec *spec = impl->spec;
  uint32_t still = spec->still_slot;
  if (still != CLEW_NONE && impl->slot_of[still] != CLEW_NONE) {
    clew_bitset_add(set, still);
  }
  for (uint32_t p = 0; p < spec->process_count; p++) {
    const struct clew_timed_process *process = &spec->processes[p];
    if (process->slot != CLEW_NONE && clew_timed_locations_differ(spec, process)) {
      clew_bitset_add(set, process->slot);
    }
    for (uint32_t k = 0; k < process->locations.count; k++) {
      add_limit_slots(impl, spec->locations[process->locations.first + k].limits, set);
    }
  }
}

/* Whoever reads a variable of an assumption reads all that it is about (ir/access.c): a state of
 * which only the slots in `read` are known must not be judged by values that never occur together.
 */
static void add_assumptions(const struct clew_timed_impl *impl, const struct clew_access *access) {
  const struct clew_program *program = impl->program;
  uint32_t words = CLEW_BITSET_WORDS(program->slot_count);
  uint64_t *own = clew_alloc_zero((size_t)words + 1, sizeof *own);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t k = 0; k < program->assumptions.len; k++) {
      bool matters = false;
      memset(own, 0, words * sizeof *own);
      clew_access_of_label(program, program->assumptions.data[k], own);
      for (uint32_t i = 0; i < words; i++) {
        matters |= (own[i] & (access->read[i] | access->may_write[i])) != 0;
      }
      for (uint32_t i = 0; matters && i < words; i++) {
        uint64_t more = own[i] & ~access->must_write[i] & ~access->read[i];
        access->read[i] |= more;
        changed |= more != 0;
      }
    }
  }
  clew_free(own);
}

static void timed_access(const struct clew_model *model, uint32_t group,
                         struct clew_access *access) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_model *under = clew_timed_under(model);
  size_t words = CLEW_BITSET_WORDS(impl->program->slot_count);
  uint64_t *sets = clew_alloc_zero(3 * words, sizeof *sets);
  struct clew_access below = {sets, sets + words, sets + 2 * words};
  under->access(under, group, &below);
  add_locations(impl, below.read);
  add_assumptions(impl, &below);
  renumber(impl, access->read, below.read);
  renumber(impl, access->may_write, below.may_write);
  renumber(impl, access->must_write, below.must_write);
  add_zone(impl, access->read);
  add_zone(impl, access->may_write);
  clew_free(sets);
}

static void timed_leap_access(const struct clew_model *model, uint32_t group,
                              struct clew_access *access) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_model *under = clew_timed_under(model);
  size_t words = CLEW_BITSET_WORDS(impl->program->slot_count);
  uint64_t *sets = clew_alloc_zero(3 * words, sizeof *sets);
  struct clew_access below = {sets, sets + words, sets + 2 * words};
  under->access(under, group, &below);
  renumber(impl, access->read, below.read);
  renumber(impl, access->may_write, below.may_write);
  renumber(impl, access->must_write, below.must_write);
  clew_free(sets);
}

static void timed_dwell_access(const struct clew_model *model, uint64_t *read) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  size_t words = CLEW_BITSET_WORDS(impl->program->slot_count);
  uint64_t *sets = clew_alloc_zero(3 * words, sizeof *sets);
  struct clew_access below = {sets, sets + words, sets + 2 * words};
  add_locations(impl, below.read);
  clew_timed_add_dwell_slots(impl, below.read);
  add_assumptions(impl, &below);
  renumber(impl, read, below.read);
  clew_free(sets);
}

static void timed_label_access(const struct clew_model *model, uint32_t label, uint64_t *read) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  bool is_asked = impl->label_query[label] != CLEW_NONE || impl->label_run[label] != CLEW_NONE;
  if (is_asked) { /* a deadlock depends on everything */
    for (uint32_t i = 0; i < model->slot_count; i++) {
      clew_bitset_add(read, i);
    }
    return;
  }
  const struct clew_model *under = clew_timed_under(model);
  uint64_t *below =
      clew_alloc_zero(CLEW_BITSET_WORDS(impl->program->slot_count) + 1, sizeof *below);
  under->label_access(under, label, below);
  for (uint32_t i = 0; i < impl->program->slot_count; i++) {
    if (impl->slot_of[i] != CLEW_NONE && clew_bitset_has(below, i)) {
      clew_bitset_add(read, impl->slot_of[i]);
    }
  }
  clew_free(below);
}

static int32_t timed_bound(const struct clew_model *model, const uint64_t *state, uint32_t i,
                           uint32_t j) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  struct clew_timed_context *context = clew_timed_take(impl);
  clew_zone_pack_get(impl, state, context->zone);
  clew_bound bound = clew_dbm_get(&impl->space, context->zone, i, j);
  clew_timed_give_back(impl, context);
  return bound;
}

/* These ask the program's model. */
static void timed_group(const struct clew_model *model, uint32_t group, struct clew_group *out) {
  const struct clew_model *under = clew_timed_under(model);
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  under->group(under, group, out);
  out->first_edge *= impl->cells.count;
  out->edge_count *= impl->cells.count;
}
static void timed_print_edge(const struct clew_model *model, uint32_t edge, struct clew_text *out) {
  const struct clew_model *under = clew_timed_under(model);
  under->print_edge(under, clew_timed_edge_below(clew_timed_impl_of(model), edge), out);
}
static void timed_print_initial(const struct clew_model *model, uint32_t edge,
                                struct clew_text *out) {
  const struct clew_model *under = clew_timed_under(model);
  under->print_initial(under, edge, out);
}
static uint32_t timed_rule_of(const struct clew_model *model, uint32_t edge) {
  const struct clew_model *under = clew_timed_under(model);
  return under->rule_of(under, clew_timed_edge_below(clew_timed_impl_of(model), edge));
}
/* Labels that clocks decide are left unexplained. */
static void timed_explain(const struct clew_model *model, const struct clew_occasion *occasion,
                          struct clew_text *out) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_model *under = clew_timed_under(model);
  uint32_t label = occasion->label;
  bool by_clocks = label != CLEW_NONE &&
                   (impl->label_query[label] != CLEW_NONE || impl->label_run[label] != CLEW_NONE);
  if (by_clocks || under->explain == NULL) {
    return;
  }
  struct clew_timed_context *context = clew_timed_take(impl);
  struct clew_occasion below = *occasion;
  if (occasion->state != NULL) {
    clew_timed_load(impl, context, occasion->state);
    below.state = context->state;
  }
  if (occasion->edge != CLEW_NONE && !occasion->is_start) {
    below.edge = clew_timed_edge_below(impl, occasion->edge);
  }
  under->explain(under, &below, out);
  clew_timed_give_back(impl, context);
}
/* What zones forget depends on the properties that are asked. */
static void describe_graph(const struct clew_model *model, struct clew_text *out) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  clew_text_printf(out, "edges %u, minimal %d, alu %d, order %d of %u bits, largest %d, limits",
                   model->edge_count, impl->pack.is_minimal, impl->is_alu, model->covers != NULL,
                   model->order_bits, impl->space.largest);
  for (uint32_t i = 0; i < impl->space.dim; i++) {
    clew_text_printf(out, " %d/%d", impl->common.lower[i], impl->common.upper[i]);
  }
  clew_text_char(out, '\n');
  clew_timed_spec_dump_graph(impl->spec, impl->program, out);
  clew_program_dump_graph(impl->program, out);
  if (impl->spec->guards != NULL) {
    clew_program_dump_graph(impl->spec->guards, out);
  }
}

static void timed_describe(const struct clew_model *model, enum clew_description what,
                           struct clew_text *out) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  clew_text_printf(out, "zones, semantics %d, flat %d, deadline %d %d, words %u\n",
                   (int)impl->semantics, impl->is_flat, impl->has_deadline, impl->deadline,
                   model->words);
  if (what == CLEW_DESCRIBE_GRAPH) {
    describe_graph(model, out);
    return;
  }
  clew_timed_spec_dump(impl->spec, impl->program, out);
  clew_program_dump(impl->program, out);
  if (impl->spec->guards != NULL) {
    clew_program_dump(impl->spec->guards, out);
  }
}

static void timed_expect_fire(const struct clew_model *model) {
  const struct clew_model *under = clew_timed_under(model);
  under->expect_fire(under);
}
static void timed_exec_info(const struct clew_model *model, struct clew_exec_info *info) {
  const struct clew_model *under = clew_timed_under(model);
  under->exec_info(under, info);
  const struct clew_text *notice = &clew_timed_impl_of(model)->symmetry_notice;
  info->symmetry_notice = notice->len > 0 ? clew_text_str(notice) : NULL;
}

/* ---- Opening -------------------------------------------------------------------------------- */

static void timed_close(struct clew_model *model) {
  if (model == NULL) {
    return;
  }
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  assert(model == &impl->model);
  clew_timed_contexts_close(impl);
  clew_zone_pack_close(&impl->pack);
  clew_zone_cells_close(&impl->cells);
  clew_free(impl->watches);
  clew_free(impl->settings);
  clew_free(impl->edge_rules);
  clew_free(impl->label_query);
  clew_free(impl->label_run);
  clew_free(impl->query_property);
  clew_free(impl->slots);
  clew_free(impl->slot_of);
  clew_free(impl->sites);
  clew_free(impl->names);
  clew_free(impl->location_slots);
  clew_free(impl->asked);
  clew_free(impl->common.lower);
  clew_free(impl->common.upper);
  clew_timed_renaming_close(impl->renaming);
  clew_text_free(&impl->symmetry_notice);
  if (impl->base == NULL && impl->guards != NULL) {
    impl->guards->close(impl->guards);
  }
  if (impl->base == NULL) {
    impl->under->close(impl->under);
  }
  clew_free(impl);
}

static void number_rules(struct clew_timed_impl *impl) {
  uint32_t count = impl->program->edge_count;
  impl->edge_rules = clew_alloc_zero((size_t)count + 1, sizeof *impl->edge_rules);
  for (uint32_t edge = 0; edge < count; edge++) {
    impl->edge_rules[edge] = clew_program_edge(impl->program, false, edge).rule->index;
  }
}

static void number_queries(struct clew_timed_impl *impl) {
  const struct clew_program *program = impl->program;
  const struct clew_timed_spec *spec = impl->spec;
  impl->label_query = clew_alloc_zero((size_t)program->labels.len + 1, sizeof(uint32_t));
  impl->query_property = clew_alloc_zero((size_t)spec->query_count + 1, sizeof(uint32_t));
  impl->label_run = clew_alloc_zero((size_t)program->labels.len + 1, sizeof(uint32_t));
  memset(impl->label_query, 0xff, program->labels.len * sizeof(uint32_t));
  memset(impl->label_run, 0xff, program->labels.len * sizeof(uint32_t));
  for (uint32_t q = 0; q < spec->query_count; q++) {
    impl->label_query[spec->queries[q].label] = q;
  }
  for (uint32_t r = 0; r < spec->run_count; r++) {
    impl->label_run[spec->runs[r].label] = r;
  }
  for (uint32_t i = 0; i < program->properties.len; i++) {
    const struct clew_property *property = &program->properties.data[i];
    if (property->kind == CLEW_PROPERTY_DEADLOCK) {
      impl->asks_deadlock = clew_bitset_has(impl->asked, i);
    } else if (property->kind == CLEW_PROPERTY_INVARIANT &&
               impl->label_query[property->label] != CLEW_NONE) {
      impl->query_property[impl->label_query[property->label]] = i;
    }
  }
}

/* The slots of the discrete part, then those of a flat zone. */
static void number_slots(struct clew_timed_impl *impl) {
  const struct clew_program *program = impl->program;
  uint32_t count = 0;
  impl->slot_of = clew_alloc_zero((size_t)program->slot_count + 1, sizeof *impl->slot_of);
  impl->slots =
      clew_alloc_zero((size_t)program->slot_count + impl->pack.slot_count + 1, sizeof *impl->slots);
  for (uint32_t i = 0; i < program->slot_count; i++) {
    bool is_signal = program->slots[i].bit / 64 >= impl->discrete_words;
    impl->slot_of[i] = is_signal ? CLEW_NONE : count;
    if (!is_signal) {
      impl->slots[count++] = program->slots[i];
    }
  }
  for (uint32_t i = 0; i < impl->pack.slot_count; i++) {
    impl->slots[count++] = impl->pack.slots[i];
  }
  impl->model.slots = impl->slots;
  impl->model.slot_count = count;
}

static void add_sites(struct clew_timed_impl *impl) {
  uint32_t count = impl->program->sites.len;
  impl->sites = clew_alloc_zero((size_t)count + 1, sizeof *impl->sites);
  if (count > 0) {
    memcpy(impl->sites, impl->program->sites.data, count * sizeof *impl->sites);
  }
  impl->sites[count] = (struct clew_site){.kind = CLEW_SITE_RECURSION,
                                          .message = "the bounds of clocks grow beyond clew's "
                                                     "limits: nothing is extrapolated"};
  impl->far_site = count;
  impl->model.sites = impl->sites;
  impl->model.site_count = count + 1;
}

static uint32_t slot_bits(const struct clew_timed_impl *impl) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < impl->model.slot_count; i++) {
    bits += impl->slots[i].width;
  }
  uint32_t dim = impl->space.dim;
  return impl->pack.is_flat ? bits : bits + dim * dim * impl->space.entry_bytes * 8;
}

static bool asks_for_deadlock(const struct clew_timed_impl *impl, struct clew_timed_span span) {
  for (uint32_t k = 0; k < span.count; k++) {
    if (impl->spec->disjuncts[span.first + k].deadlock != CLEW_TIMED_ANY) {
      return true;
    }
  }
  return false;
}

/* Whether the answer depends on what cannot happen: deadlocks, and states from which on a run stays
 * somewhere. Runs themselves are looked for in another graph (runs.c). */
static bool needs_greatest(const struct clew_timed_impl *impl,
                           const struct clew_property *property) {
  const struct clew_timed_spec *spec = impl->spec;
  uint32_t query, run;
  switch (property->kind) {
  case CLEW_PROPERTY_DEADLOCK:
    return true;
  case CLEW_PROPERTY_INVARIANT:
    query = impl->label_query[property->label];
    return query != CLEW_NONE && asks_for_deadlock(impl, spec->queries[query].disjuncts);
  case CLEW_PROPERTY_PROGRESS:
    run = impl->label_run[property->label];
    return property->from_label != CLEW_NONE || asks_for_deadlock(impl, spec->runs[run].stay);
  case CLEW_PROPERTY_MEASURE:
    return asks_for_deadlock(impl, spec->measures[property->label].disjuncts);
  case CLEW_PROPERTY_FAULT:
  case CLEW_PROPERTY_COVER:
  case CLEW_PROPERTY_LIVENESS:
    break;
  }
  return false;
}

/* Which extrapolation keeps every answer. */
static void choose_extrapolation(struct clew_timed_impl *impl,
                                 const struct clew_zone_options *options) {
  const struct clew_timed_spec *spec = impl->spec;
  bool deadlock = false;
  for (uint32_t i = 0; i < impl->program->properties.len; i++) {
    deadlock = deadlock || (clew_bitset_has(impl->asked, i) &&
                            needs_greatest(impl, &impl->program->properties.data[i]));
  }
  impl->plus = true;
  impl->semantics = CLEW_ZONE_LU;
  bool is_divided = impl->cells.count > 1;
  if (spec->has_diagonals && !is_divided) {
    impl->semantics = CLEW_ZONE_NONE;
    impl->timed.notice = "differences of clocks are compared with too many numbers: nothing is "
                         "extrapolated, and the search may not end";
  } else if (options->extrapolation == CLEW_EXTRAPOLATE_NONE) {
    impl->semantics = CLEW_ZONE_NONE;
  } else if (deadlock || spec->has_stops || is_divided ||
             options->extrapolation == CLEW_EXTRAPOLATE_M) {
    impl->semantics = CLEW_ZONE_M;
    if (options->extrapolation == CLEW_EXTRAPOLATE_LU) {
      impl->timed.notice = deadlock     ? "deadlocks and runs need M+ instead of LU+"
                           : is_divided ? "differences of clocks need M+ instead of LU+"
                                        : "stopwatches need M+ instead of LU+";
    }
  }
  impl->is_alu =
      options->subsumption == CLEW_SUBSUME_ALU && !impl->is_flat && impl->semantics == CLEW_ZONE_LU;
  if (impl->is_alu) {
    impl->semantics = CLEW_ZONE_NONE;
  }
  static const char *const names[] = {
      [CLEW_ZONE_LU] = "LU+", [CLEW_ZONE_M] = "M+", [CLEW_ZONE_NONE] = "none"};
  impl->timed.extrapolation = impl->is_alu ? "aLU" : names[impl->semantics];
}

/* Where nothing is extrapolated bounds grow, and entries should be wide. */
static void choose_space(struct clew_timed_impl *impl) {
  enum { WIDE = 1 << 14 };
  bool grows = impl->semantics == CLEW_ZONE_NONE || !impl->plus || impl->cells.count > 1;
  uint32_t dim = impl->space.dim;
  int32_t largest = impl->space.largest;
  if (grows && largest < WIDE && clew_dbm_space_init(&impl->space, dim, WIDE)) {
    return;
  }
  bool fits = grows ? clew_dbm_space_init(&impl->space, dim, largest)
                    : clew_dbm_space_init_plus(&impl->space, dim, largest);
  assert(fits); /* as was asked before */
  (void)fits;
}

static void describe(struct clew_timed_impl *impl) {
  const struct clew_timed_spec *spec = impl->spec;
  impl->names = clew_alloc_zero(impl->space.dim, sizeof *impl->names);
  impl->names[impl->space.dim - 1] = "time"; /* of a deadline */
  for (uint32_t i = 1; i < spec->clock_count; i++) {
    impl->names[i] = spec->clocks[i].name;
  }
  impl->timed.clock_count = impl->space.dim;
  impl->timed.clock_names = impl->names;
  impl->location_slots = clew_alloc_zero((size_t)spec->process_count + 1, sizeof(uint32_t));
  impl->timed.location_slots = impl->location_slots;
  for (uint32_t p = 0; p < spec->process_count; p++) {
    if (spec->processes[p].slot != CLEW_NONE) {
      impl->location_slots[impl->timed.location_count++] = impl->slot_of[spec->processes[p].slot];
    }
  }
  impl->timed.is_flat = impl->is_flat;
  impl->timed.is_approximate = spec->has_stops;
  impl->timed.step = clew_timed_step;
  impl->timed.ends = clew_timed_ends;
  impl->timed.stays = clew_timed_stays;
  impl->timed.limits = clew_timed_limits;
  impl->timed.bound = timed_bound;
  impl->timed.extrapolates = impl->semantics != CLEW_ZONE_NONE;
  impl->timed.largest = impl->space.largest;
  impl->timed.leap = impl->cells.count > 1 ? NULL : clew_timed_leap;
  impl->timed.falsify = clew_timed_falsify;
  impl->timed.may_delay = clew_timed_lets_delay;
  impl->timed.dwell = clew_timed_can_dwell(impl) ? clew_timed_dwell : NULL;
  impl->timed.leap_access = timed_leap_access;
  impl->timed.dwell_access = timed_dwell_access;
}

static uint32_t timed_need(const struct clew_model *model, uint32_t number);
static struct clew_model *timed_focus(const struct clew_model *model, const uint64_t *properties);

static void replace_operations(struct clew_timed_impl *impl) {
  struct clew_model *model = &impl->model;
  bool has_order = !impl->pack.is_flat;
  model->edge_count = impl->under->edge_count * impl->cells.count;
  model->discrete_words = impl->discrete_words;
  model->words = impl->discrete_words + impl->pack.words;
  model->bytes = model->words * (uint32_t)sizeof(uint64_t);
  model->state_bits = slot_bits(impl);
  model->order_bits = has_order && !impl->is_alu ? impl->space.entry_bytes * 8 : 0;
  model->timed = &impl->timed;
  model->init = timed_init;
  model->next = timed_next;
  model->fire = timed_fire;
  model->label = clew_timed_label;
  model->check = clew_timed_check;
  model->measure = clew_timed_measure;
  model->measures = impl->spec->measure_names;
  model->measure_count = impl->spec->measure_count;
  model->group = timed_group;
  model->access = timed_access;
  model->label_access = timed_label_access;
  model->covers = has_order ? timed_covers : NULL;
  model->print_edge = timed_print_edge;
  model->print_initial = timed_print_initial;
  model->describe = timed_describe;
  model->explain = timed_explain;
  model->rule_of = timed_rule_of;
  model->tests = NULL;
  model->print_sent = NULL;
  model->collection_count = 0; /* slots have other numbers, and UPPAAL has no collections */
  model->expect_fire = timed_expect_fire;
  model->exec_info = timed_exec_info;
  model->need = impl->base == NULL ? timed_need : NULL;
  model->focus = impl->base == NULL ? timed_focus : NULL;
  model->under = NULL;
  model->lower = NULL;
  model->close = timed_close;
  model->impl = impl;
  model->reference = &impl->reference;
}

/* The limits that a property adds everywhere. */
static struct clew_timed_span limits_of(const struct clew_timed_impl *impl,
                                        const struct clew_property *property) {
  const struct clew_timed_spec *spec = impl->spec;
  struct clew_timed_span none = {0, 0};
  switch (property->kind) {
  case CLEW_PROPERTY_INVARIANT:
    return impl->label_query[property->label] != CLEW_NONE
               ? spec->queries[impl->label_query[property->label]].limits
               : none;
  case CLEW_PROPERTY_PROGRESS:
    return spec->runs[impl->label_run[property->label]].limits;
  case CLEW_PROPERTY_MEASURE:
    return spec->measures[property->label].limits;
  case CLEW_PROPERTY_DEADLOCK:
  case CLEW_PROPERTY_FAULT:
  case CLEW_PROPERTY_COVER:
  case CLEW_PROPERTY_LIVENESS:
    break;
  }
  return none;
}

static void find_common(struct clew_timed_impl *impl) {
  uint32_t dim = impl->space.dim;
  impl->common.lower = clew_alloc_zero(dim, sizeof(int32_t));
  impl->common.upper = clew_alloc_zero(dim, sizeof(int32_t));
  for (uint32_t i = 0; i < dim; i++) {
    impl->common.lower[i] = impl->common.upper[i] = CLEW_DBM_NO_CONSTANT;
  }
  if (impl->has_deadline) {
    impl->common.upper[dim - 1] = clew_bound_constant(impl->deadline);
  }
  clew_timed_take_limits(impl, impl->spec->common_limits, &impl->common);
  for (uint32_t i = 0; i < impl->program->properties.len; i++) {
    if (clew_bitset_has(impl->asked, i)) {
      clew_timed_take_limits(impl, limits_of(impl, &impl->program->properties.data[i]),
                             &impl->common);
    }
  }
  for (uint32_t i = 0; i < dim; i++) {
    int32_t lower = impl->common.lower[i], upper = impl->common.upper[i];
    impl->space.largest = lower > impl->space.largest ? lower : impl->space.largest;
    impl->space.largest = upper > impl->space.largest ? upper : impl->space.largest;
  }
}

/* ---- Focus ---------------------------------------------------------------------------------- */

/* How much zones have to remember: no more than the model does; where deadlocks are; or how far a
 * clock is. One clock at a time, since zones multiply with each. */
static uint32_t timed_need(const struct clew_model *model, uint32_t number) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_property *property = &model->properties[number];
  if (property->kind == CLEW_PROPERTY_FAULT || property->is_incidental) {
    return CLEW_NONE;
  }
  enum clew_extrapolation asked = impl->options.extrapolation;
  bool is_fixed = impl->spec->has_diagonals || impl->spec->has_stops ||
                  asked == CLEW_EXTRAPOLATE_M || asked == CLEW_EXTRAPOLATE_NONE;
  uint32_t greatest = !is_fixed && needs_greatest(impl, property) ? 1 : 0;
  const struct clew_timed_measure *measure =
      property->kind == CLEW_PROPERTY_MEASURE ? &impl->spec->measures[property->label] : NULL;
  if (measure == NULL || measure->i == 0 || asked == CLEW_EXTRAPOLATE_NONE) {
    return greatest;
  }
  return 2 * (1 + measure->i * impl->space.dim + measure->j) + greatest;
}

static struct clew_model *open_view(struct clew_timed_impl *impl, const uint64_t *asked);

static struct clew_model *timed_focus(const struct clew_model *model, const uint64_t *properties) {
  const struct clew_timed_impl *base = clew_timed_impl_of(model);
  struct clew_timed_impl *impl = clew_alloc_zero(1, sizeof *impl);
  assert(base->base == NULL);
  impl->base = base;
  impl->spec = base->spec;
  impl->program = base->program;
  impl->options = base->options;
  impl->under = base->under;
  impl->guards = base->guards;
  return open_view(impl, properties);
}

/* ---- The whole ------------------------------------------------------------------------------ */

/* Everything but what belongs to the base; `asked` NULL: all properties. */
static struct clew_model *open_view(struct clew_timed_impl *impl, const uint64_t *asked) {
  const struct clew_zone_options *options = &impl->options;
  uint32_t properties = impl->program->properties.len;
  int32_t deadline = options->has_deadline ? options->deadline : 0;
  impl->space.dim = impl->spec->clock_count + (options->has_deadline ? 1 : 0);
  impl->space.largest = impl->spec->largest > deadline ? impl->spec->largest : deadline;
  impl->has_deadline = options->has_deadline;
  impl->deadline = 2 * deadline + (options->deadline_is_strict ? 0 : 1);
  impl->model = clew_model_over(impl->under);
  impl->discrete_words = impl->program->discrete_words;
  impl->asked = clew_alloc_zero(CLEW_BITSET_WORDS(properties) + 1, sizeof *impl->asked);
  for (uint32_t i = 0; i < properties; i++) {
    if (asked == NULL || clew_bitset_has(asked, i)) {
      clew_bitset_add(impl->asked, i);
    }
  }
  clew_timed_watch(impl);
  number_rules(impl);
  number_queries(impl);
  find_common(impl);
  impl->is_flat = options->is_flat;
  clew_zone_cells_open(impl);
  choose_extrapolation(impl, options);
  choose_space(impl);
  clew_zone_pack_open(impl, impl->is_flat);
  impl->pack.is_minimal = impl->is_flat && options->is_minimal;
  number_slots(impl);
  add_sites(impl);
  describe(impl);
  replace_operations(impl);
  clew_timed_runs_open(impl);
  impl->reference = impl->model;
  impl->reference.close = NULL;
  return &impl->model;
}

/* The largest constant, with those of queries. */
static int32_t find_largest(const struct clew_timed_spec *spec,
                            const struct clew_zone_options *options) {
  int32_t largest = spec->largest;
  if (options->has_deadline && options->deadline > largest) {
    largest = options->deadline;
  }
  for (uint32_t k = 0; k < spec->query_limits.count; k++) {
    const struct clew_timed_limit *limit = &spec->limits[spec->query_limits.first + k];
    largest = limit->lower > largest ? limit->lower : largest;
    largest = limit->upper > largest ? limit->upper : largest;
  }
  return largest;
}

struct clew_model *clew_timed_open(struct clew_program *program, const struct clew_timed_spec *spec,
                                   enum clew_exec_mode exec, enum clew_symmetry_mode symmetry,
                                   const struct clew_zone_options *options,
                                   struct clew_diag_sink *diags) {
  struct clew_dbm_space space;
  uint32_t dim = spec->clock_count + (options->has_deadline ? 1 : 0);
  int32_t largest = find_largest(spec, options);
  if (!clew_dbm_space_init(&space, dim, largest)) {
    clew_diag_plain(diags, CLEW_ERROR, program->name,
                    "%u clock%s compared with numbers up to %d: zones allow no more than %d clocks "
                    "and, with so many, numbers up to %d",
                    dim - 1, dim == 2 ? " is" : "s are", largest, CLEW_DBM_MOST_CLOCKS - 1,
                    CLEW_BOUND_MOST / (int32_t)dim);
    clew_program_close(spec->guards);
    clew_program_close(program);
    return NULL;
  }
  struct clew_timed_impl *impl = clew_alloc_zero(1, sizeof *impl);
  impl->spec = spec;
  impl->program = program;
  impl->options = *options;
  impl->under = clew_model_open(program, exec, CLEW_SYMMETRY_OFF);
  impl->guards = spec->guards == NULL
                     ? NULL
                     : clew_model_open(spec->guards, CLEW_MODE_INTERP, CLEW_SYMMETRY_OFF);
  struct clew_model *model = open_view(impl, NULL);
  if (symmetry != CLEW_SYMMETRY_OFF && clew_timed_open_renaming(impl)) {
    struct clew_orbit orbit = clew_timed_orbit(impl);
    return clew_orbit_open(model, &orbit);
  }
  return model;
}
