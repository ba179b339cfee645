/* Successors as nets are explained: tokens are counted place by place and moved arc by arc. Slow,
 * and on purpose free of everything that compile.c does: counterexamples are replayed by it. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "net/net_int.h"

static bool is_enabled(const struct clew_net *net, uint32_t transition, const uint64_t *tokens) {
  const struct clew_net_transition *t = &net->transitions[transition];
  for (uint32_t a = t->take; a < t->give; a++) {
    if (tokens[net->arcs[a].place] < net->arcs[a].weight) {
      return false;
    }
  }
  return true;
}

static void move(const struct clew_net *net, uint32_t transition, uint64_t *tokens) {
  const struct clew_net_transition *t = &net->transitions[transition];
  for (uint32_t a = t->take; a < t->give; a++) {
    tokens[net->arcs[a].place] -= net->arcs[a].weight;
  }
  for (uint32_t a = t->give; a < t->end; a++) {
    tokens[net->arcs[a].place] += net->arcs[a].weight;
  }
}

bool clew_net_plain_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                         uint64_t *out, uint32_t *site) {
  const struct clew_net_impl *impl = clew_net_impl_of(model);
  uint64_t *tokens = clew_alloc_zero((size_t)impl->net->place_count + 1, sizeof *tokens);
  clew_net_unpack(impl, state, tokens);
  *site = CLEW_NONE;
  bool fires = is_enabled(impl->net, edge, tokens);
  if (fires) {
    move(impl->net, edge, tokens);
    fires = clew_net_pack(impl, tokens, out, site);
  }
  clew_free(tokens);
  return fires;
}

void clew_net_plain_next(const struct clew_model *model, const uint64_t *state,
                         struct clew_succs *succs) {
  const struct clew_net_impl *impl = clew_net_impl_of(model);
  uint32_t first = succs->count, first_fault = succs->fault_count, from = succs->resume;
  clew_succs_begin_piece(succs);
  succs->resume = 0;
  for (uint32_t t = from; t < impl->net->transition_count; t++) {
    uint32_t site;
    if (clew_succs_pause(succs, t)) {
      break;
    }
    if (clew_net_plain_fire(model, state, t, clew_succs_next(succs), &site)) {
      clew_succs_keep(succs, t);
    } else if (site != CLEW_NONE) {
      succs->add_fault(succs, t, site);
    }
  }
  clew_succs_note_stuck(succs, model->deadlock, state, first, first_fault, from != 0);
}
