/* Cover statements: what is shown by the firing of a transition. A rule fires if one of its
 * instances does. The tokens of a place of the file change with the first transition that takes
 * another number of them than it gives, of all colours together; so nothing has to be compared
 * while the net runs.
 */
#include "base/alloc.h"
#include "net/net_int.h"

struct finder {
  struct clew_net_impl *impl;
  int64_t *change;          /* by place of the file: of this transition */
  CLEW_VEC(uint32_t) moved; /* the places of the file that it touches, some of them twice */
  CLEW_VEC(uint32_t) found;
};

static void find_moved(struct finder *f, uint32_t transition) {
  const struct clew_net *net = f->impl->net;
  clew_vec_clear(&f->moved);
  for (struct clew_net_touches at = clew_net_touches(net, transition); clew_net_touch(&at);) {
    uint32_t origin = net->origins[at.place];
    f->change[origin] += (int64_t)(at.given - at.taken);
    clew_vec_push(&f->moved, origin);
  }
}

/* Forgets the changes again. */
static void note_moved(struct finder *f, uint32_t first_statement) {
  for (uint32_t i = 0; i < f->moved.len; i++) {
    uint32_t origin = f->moved.data[i];
    if (f->change[origin] != 0) {
      clew_vec_push(&f->found, first_statement + origin);
      f->change[origin] = 0;
    }
  }
}

void clew_net_find_covers(struct clew_net_impl *impl) {
  const struct clew_net *net = impl->net;
  uint32_t rules = net->covers_rules ? net->rule_count : 0;
  impl->cover_count = rules + (net->covers_origins ? net->origin_count : 0);
  if (impl->cover_count == 0) {
    return;
  }
  struct finder f = {.impl = impl,
                     .change = clew_alloc_zero((size_t)net->origin_count + 1, sizeof *f.change)};
  impl->covers_first = clew_alloc_zero((size_t)net->transition_count + 1, sizeof(uint32_t));
  clew_vec_reserve(&f.found, 1);
  for (uint32_t t = 0; t < net->transition_count; t++) {
    if (net->covers_rules) {
      clew_vec_push(&f.found, net->transitions[t].rule);
    }
    if (net->covers_origins) {
      find_moved(&f, t);
      note_moved(&f, rules);
    }
    impl->covers_first[t + 1] = f.found.len;
  }
  impl->covers = f.found.data;
  clew_vec_free(&f.moved);
  clew_free(f.change);
}
