/* A model written by hand, for tests of what only needs some model: a counter, a color that may be
 * undefined, and a box that may hold an item. Green stops everything. */
#ifndef TESTS_UNIT_TRACE_TOY_H
#define TESTS_UNIT_TRACE_TOY_H

#include <string.h>

#include "base/bits.h"
#include "model/model.h"

enum { TOY_X, TOY_COLOR, TOY_BOX, TOY_ITEM, TOY_SLOTS };
enum { TOY_INC, TOY_RED, TOY_GREEN, TOY_PUT, TOY_GET, TOY_BOOM, TOY_EDGES };
enum { TOY_DEADLOCK, TOY_FAULT, TOY_SMALL, TOY_FRAGILE, TOY_COVER, TOY_PROPERTIES };
enum { TOY_SITE_BOOM, TOY_SITE_LABEL, TOY_SITE_START, TOY_SITES };

static const char *const toy_colors[] = {"red", "green"};
static const struct clew_domain toy_number = {.lo = 0, .hi = 7};
static const struct clew_domain toy_color = {.lo = 0, .hi = 1, .names = toy_colors};
static const struct clew_domain toy_flag = {.lo = 0, .hi = 1};
static const struct clew_slot toy_slots[TOY_SLOTS] = {
    {.name = "x", .domain = &toy_number, .bit = 0, .width = 3, .presence = CLEW_NONE},
    {.name = "color",
     .domain = &toy_color,
     .bit = 3,
     .width = 2,
     .undefinable = true,
     .presence = CLEW_NONE},
    {.name = "box?",
     .domain = &toy_flag,
     .bit = 5,
     .width = 1,
     .hidden = true,
     .presence = CLEW_NONE},
    {.name = "box[0]", .domain = &toy_number, .bit = 6, .width = 3, .presence = TOY_BOX}};
static const struct clew_property toy_properties[TOY_PROPERTIES] = {
    {.kind = CLEW_PROPERTY_DEADLOCK, .name = "deadlock"},
    {.kind = CLEW_PROPERTY_FAULT, .name = "assertion"},
    {.kind = CLEW_PROPERTY_INVARIANT, .name = "small", .position = {7, 1}, .label = 0},
    {.kind = CLEW_PROPERTY_INVARIANT, .name = "fragile", .position = {8, 1}, .label = 1},
    {.kind = CLEW_PROPERTY_COVER, .name = "seen", .position = {9, 1}, .label = 0}};
static const struct clew_site toy_sites[TOY_SITES] = {
    {.kind = CLEW_SITE_ASSERTION, .message = "boom", .position = {3, 4}},
    {.kind = CLEW_SITE_DIVISION, .message = "division by zero", .position = {8, 11}},
    {.kind = CLEW_SITE_RANGE, .message = "no good start", .position = {1, 1}}};

/* A start that fails, or rule names that are not UTF-8, when the model's impl says so. */
struct toy_variant {
  bool bad_start, latin1;
};

static const struct toy_variant *toy_variant(const struct clew_model *model) {
  static const struct toy_variant plain = {0};
  return model->impl != NULL ? model->impl : &plain;
}

static int64_t toy_get(const uint64_t *state, uint32_t slot) {
  return clew_slot_get(&toy_slots[slot], state);
}

static void toy_set(uint64_t *state, uint32_t slot, int64_t value) {
  clew_slot_set(&toy_slots[slot], state, value);
}

static bool toy_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                     uint64_t *out, uint32_t *site) {
  (void)model;
  *site = CLEW_NONE;
  *out = *state;
  bool has_item = toy_get(state, TOY_BOX) == 1;
  if (toy_get(state, TOY_COLOR) == 1) {
    return false;
  }
  switch (edge) {
  case TOY_INC:
    toy_set(out, TOY_X, toy_get(state, TOY_X) < 5 ? toy_get(state, TOY_X) + 1 : 5);
    return toy_get(state, TOY_X) < 5;
  case TOY_RED:
  case TOY_GREEN:
    toy_set(out, TOY_COLOR, edge == TOY_RED ? 0 : 1);
    return true;
  case TOY_PUT:
    toy_set(out, TOY_BOX, 1);
    toy_set(out, TOY_ITEM, toy_get(state, TOY_X));
    return !has_item;
  case TOY_GET:
    toy_set(out, TOY_BOX, 0);
    toy_set(out, TOY_ITEM, 0);
    return has_item;
  default:
    if (toy_get(state, TOY_X) == 3) {
      *site = TOY_SITE_BOOM;
    }
    return false;
  }
}

static void toy_init(const struct clew_model *model, struct clew_succs *succs) {
  for (uint32_t i = 0; i < model->initial_count; i++) {
    if (i == 0 && toy_variant(model)->bad_start) {
      succs->add_fault(succs, i, TOY_SITE_START);
      continue;
    }
    uint64_t *state = clew_succs_next(succs);
    *state = 0;
    toy_set(state, TOY_X, i);
    clew_succs_keep(succs, i);
  }
}

static void toy_next(const struct clew_model *model, const uint64_t *state,
                     struct clew_succs *succs) {
  uint32_t first = succs->count, first_fault = succs->fault_count;
  for (uint32_t edge = 0; edge < TOY_EDGES; edge++) {
    uint32_t site;
    if (toy_fire(model, state, edge, clew_succs_next(succs), &site)) {
      clew_succs_keep(succs, edge);
    } else if (site != CLEW_NONE) {
      succs->add_fault(succs, edge, site);
    }
  }
  succs->stuck = clew_succs_are_stuck(succs, model->deadlock, state, first, first_fault);
}

static bool toy_label(const struct clew_model *model, uint32_t label, const uint64_t *state,
                      uint32_t *site) {
  (void)model;
  if (label == 1 && toy_get(state, TOY_X) == 4) {
    *site = TOY_SITE_LABEL;
    return false;
  }
  return label == 1 || toy_get(state, TOY_X) < 5;
}

static uint32_t toy_check(const struct clew_model *model, const uint64_t *enabled,
                          const uint64_t *state, uint32_t *site) {
  *site = CLEW_NONE;
  for (uint32_t i = TOY_SMALL; i <= TOY_FRAGILE; i++) {
    if (clew_bitset_has(enabled, i) && !toy_label(model, toy_properties[i].label, state, site)) {
      return i;
    }
  }
  return CLEW_NONE;
}

static void toy_print_edge(const struct clew_model *model, uint32_t edge, struct clew_text *out) {
  static const char *const names[] = {"Inc",        "Paint, c: red", "Paint, c: green",
                                      "Put \"it\"", "Get",           "Boom"};
  clew_text_put(out, toy_variant(model)->latin1 && edge == TOY_INC ? "Z\xe4hle" : names[edge]);
}

static void toy_print_initial(const struct clew_model *model, uint32_t edge,
                              struct clew_text *out) {
  (void)model;
  clew_text_printf(out, "Start, x: %u", edge);
}

static void toy_exec_info(const struct clew_model *model, struct clew_exec_info *info) {
  (void)model;
  *info = (struct clew_exec_info){.used = CLEW_EXEC_BOTH, .compile_s = 0.5};
}

/* A copy of its reference. */
static struct clew_model toy_model(const struct toy_variant *variant) {
  static struct clew_model references[2][2];
  struct clew_model *reference =
      variant == NULL ? &references[0][0] : &references[variant->bad_start][variant->latin1];
  *reference = (struct clew_model){.name = "toy.m",
                                   .language = "toy",
                                   .words = 1,
                                   .discrete_words = 1,
                                   .state_bits = 9,
                                   .slot_count = TOY_SLOTS,
                                   .slots = toy_slots,
                                   .edge_count = TOY_EDGES,
                                   .initial_count = 2,
                                   .rule_count = 5,
                                   .label_count = 2,
                                   .property_count = TOY_PROPERTIES,
                                   .properties = toy_properties,
                                   .site_count = TOY_SITES,
                                   .sites = toy_sites,
                                   .deadlock = CLEW_DEADLOCK_NO_SUCCESSOR,
                                   .init = toy_init,
                                   .next = toy_next,
                                   .fire = toy_fire,
                                   .label = toy_label,
                                   .check = toy_check,
                                   .print_edge = toy_print_edge,
                                   .print_initial = toy_print_initial,
                                   .exec_info = toy_exec_info,
                                   .reference = reference,
                                   .impl = (void *)(uintptr_t)variant};
  return *reference;
}

#endif
