/* Handing on: every operation calls the one of the model below, with that model. */
#include "model/over.h"

#include <assert.h>

#include "model/timed.h"

static void over_init(const struct clew_model *model, struct clew_succs *succs) {
  model->under->init(model->under, succs);
}

static void over_next(const struct clew_model *model, const uint64_t *state,
                      struct clew_succs *succs) {
  model->under->next(model->under, state, succs);
}

static bool over_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                      uint64_t *out, uint32_t *site) {
  return model->under->fire(model->under, state, edge, out, site);
}

static void over_cover(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                       uint64_t *covered) {
  model->under->cover(model->under, state, edge, covered);
}

static bool over_label(const struct clew_model *model, uint32_t label, const uint64_t *state,
                       uint32_t *site) {
  return model->under->label(model->under, label, state, site);
}

static uint32_t over_check(const struct clew_model *model, const uint64_t *enabled,
                           const uint64_t *state, uint32_t *site) {
  return model->under->check(model->under, enabled, state, site);
}

static void over_group(const struct clew_model *model, uint32_t group, struct clew_group *out) {
  model->under->group(model->under, group, out);
}

static void over_access(const struct clew_model *model, uint32_t group,
                        struct clew_access *access) {
  model->under->access(model->under, group, access);
}

static void over_label_access(const struct clew_model *model, uint32_t label, uint64_t *read) {
  model->under->label_access(model->under, label, read);
}

static bool over_covers(const struct clew_model *model, const uint64_t *a, const uint64_t *b) {
  return model->under->covers(model->under, a, b);
}

static void over_measure(const struct clew_model *model, uint32_t measure, const uint64_t *state,
                         struct clew_measured *out) {
  model->under->measure(model->under, measure, state, out);
}

static void over_print_edge(const struct clew_model *model, uint32_t edge, struct clew_text *out) {
  model->under->print_edge(model->under, edge, out);
}

static void over_print_initial(const struct clew_model *model, uint32_t edge,
                               struct clew_text *out) {
  model->under->print_initial(model->under, edge, out);
}

static void over_describe(const struct clew_model *model, enum clew_description what,
                          struct clew_text *out) {
  clew_text_printf(out, "over, reduction %s, words %u\n",
                   model->reduction != NULL ? model->reduction : "none", model->words);
  model->under->describe(model->under, what, out);
}

static bool over_tests(const struct clew_model *model, uint32_t label, const uint64_t *state) {
  return model->under->tests(model->under, label, state);
}

static uint32_t over_rule_of(const struct clew_model *model, uint32_t edge) {
  return model->under->rule_of(model->under, edge);
}

static void over_print_sent(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                            struct clew_text *out) {
  model->under->print_sent(model->under, state, edge, out);
}

static void over_print_values(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                              struct clew_text *out) {
  model->under->print_values(model->under, state, edge, out);
}

static void over_spend(const struct clew_model *model, struct clew_budget *budget) {
  model->under->spend(model->under, budget);
}

static void over_explain(const struct clew_model *model, const struct clew_occasion *occasion,
                         struct clew_text *out) {
  model->under->explain(model->under, occasion, out);
}

static void over_expect_fire(const struct clew_model *model) {
  model->under->expect_fire(model->under);
}

static void over_exec_info(const struct clew_model *model, struct clew_exec_info *info) {
  model->under->exec_info(model->under, info);
}

/* ---- Clocks --------------------------------------------------------------------------------- */

static bool over_step(const struct clew_model *model, const uint64_t *state, bool initial,
                      uint32_t edge, struct clew_timed_step *out) {
  return model->under->timed->step(model->under, state, initial, edge, out);
}

static void over_ends(const struct clew_model *model, uint32_t property, const uint64_t *state,
                      struct clew_clock_ends *out) {
  model->under->timed->ends(model->under, property, state, out);
}

static uint32_t over_limits(const struct clew_model *model, struct clew_clock_limit *out) {
  return model->under->timed->limits(model->under, out);
}

static int32_t over_bound(const struct clew_model *model, const uint64_t *state, uint32_t i,
                          uint32_t j) {
  return model->under->timed->bound(model->under, state, i, j);
}

struct clew_timed clew_timed_over(const struct clew_timed *under) {
  struct clew_timed timed = *under;
  timed.step = over_step;
  timed.ends = over_ends;
  timed.limits = over_limits;
  timed.bound = over_bound;
  return timed;
}

struct clew_model clew_model_over(const struct clew_model *under) {
  assert(under != NULL && under->reference != NULL);
  struct clew_model model = *under;
  model.init = over_init;
  model.next = over_next;
  model.fire = over_fire;
  model.label = over_label;
  model.check = over_check;
  model.group = over_group;
  model.access = over_access;
  model.label_access = over_label_access;
  model.cover = under->cover != NULL ? over_cover : NULL;
  model.covers = under->covers != NULL ? over_covers : NULL;
  model.measure = under->measure != NULL ? over_measure : NULL;
  model.print_edge = over_print_edge;
  model.print_initial = over_print_initial;
  model.tests = under->tests != NULL ? over_tests : NULL;
  model.rule_of = under->rule_of != NULL ? over_rule_of : NULL;
  model.print_sent = under->print_sent != NULL ? over_print_sent : NULL;
  model.print_values = under->print_values != NULL ? over_print_values : NULL;
  model.spend = under->spend != NULL ? over_spend : NULL;
  model.explain = under->explain != NULL ? over_explain : NULL;
  model.describe = under->describe != NULL ? over_describe : NULL;
  model.expect_fire = over_expect_fire;
  model.exec_info = over_exec_info;
  model.fit = NULL;
  model.need = NULL; /* these make models that are not over this one */
  model.focus = NULL;
  model.runs = NULL;
  model.under = under;
  model.lower = NULL;
  model.close = NULL;
  model.impl = NULL;
  return model;
}
