/* Private to src/net/: how markings are stored, and transitions ready to be executed.
 *
 *   bounds.c   what places can hold at most, proved by weights
 *   layout.c   which bits of a state say what a place holds
 *   compile.c  transitions as comparisons and additions of whole words
 *   fire.c     successors by these
 *   plain.c    successors by the arcs themselves: the reference
 *   terms.c    questions
 *   covers.c   what the firing of a transition shows
 *   endless.c  proof that markings grow without bound
 *   symmetry.c which colours may change places, canon.c: one marking for all that differ by that
 *   model.c    all of it as a model */
#ifndef CLEW_NET_NET_INT_H
#define CLEW_NET_NET_INT_H

#include "base/vec.h"
#include "net/net.h"

/* ---- arcs ---- */

/* The arcs of a transition, place by place:
 *
 *   struct clew_net_touches at = clew_net_touches(net, transition);
 *   while (clew_net_touch(&at)) { ... at.place, at.taken, at.given } */
struct clew_net_touches {
  const struct clew_net_arc *take, *take_end, *give, *give_end;
  uint32_t place;
  uint64_t taken, given; /* one of them may be 0 */
};

static inline struct clew_net_touches clew_net_touches(const struct clew_net *net,
                                                       uint32_t transition) {
  const struct clew_net_transition *t = &net->transitions[transition];
  return (struct clew_net_touches){
      net->arcs + t->take, net->arcs + t->give, net->arcs + t->give, net->arcs + t->end, 0, 0, 0};
}

static inline bool clew_net_touch(struct clew_net_touches *at) {
  bool takes = at->take < at->take_end, gives = at->give < at->give_end;
  if (!takes && !gives) {
    return false;
  }
  uint32_t from = takes ? at->take->place : UINT32_MAX, to = gives ? at->give->place : UINT32_MAX;
  at->place = from < to ? from : to;
  at->taken = from == at->place ? at->take++->weight : 0;
  at->given = to == at->place ? at->give++->weight : 0;
  return true;
}

/* ---- bounds ---- */

enum { CLEW_NET_UNBOUNDED_BITS = 32 }; /* of places about which nothing is known */
#define CLEW_NET_NO_BOUND UINT64_MAX

/* Places that hold at most one token in all. */
struct clew_net_unit {
  uint32_t first, count; /* in `members` */
  bool is_proved;        /* else it is a claim */
  uint32_t claim;        /* which one, or CLEW_NONE */
};

struct clew_net_bounds {
  uint64_t *most; /* by place; NO_BOUND: not known */
  bool *constant; /* no transition changes it */
  CLEW_VEC(struct clew_net_unit) units;
  CLEW_VEC(uint32_t) members;
};

void clew_net_find_bounds(const struct clew_net *net, struct clew_net_bounds *bounds);
void clew_net_free_bounds(struct clew_net_bounds *bounds);
/* A place's weights prove a bound if no transition makes the weighted sum of tokens larger. */
bool clew_net_weights_prove(const struct clew_net *net, const uint32_t *weights);
/* The least bound of a place that weights prove, by linear programming; true, and weights of all
 * places, if there is one. *effort is what is left to spend. See linear.c. */
bool clew_net_weigh(const struct clew_net *net, const bool *constant, uint32_t place,
                    uint32_t *weights, uint64_t *effort);

/* ---- layout ---- */

enum clew_net_kind {
  CLEW_NET_CONSTANT, /* always `value` */
  CLEW_NET_MEMBER,   /* one token if the slot has `value`, else none */
  CLEW_NET_COUNTED,  /* as many as the slot says */
};

struct clew_net_code {
  enum clew_net_kind kind;
  uint32_t slot;
  uint64_t value;
};

/* Beside clew_slot, for speed and for what people need not know. */
struct clew_net_field {
  uint32_t word, shift;
  uint64_t mask;   /* not shifted */
  uint64_t most;   /* the greatest value */
  bool is_checked; /* it is not proved that it never gets larger */
  bool is_unit;    /* of members; else one place */
  uint32_t site;   /* of a run-time error where it is checked */
  uint32_t place;  /* the first one */
};

/* ---- transitions ---- */

/* state[word] & mask == value */
struct clew_net_test {
  uint32_t word;
  uint64_t mask, value;
};

/* The field is at least `least`. */
struct clew_net_need {
  uint32_t slot;
  uint64_t least;
};

/* state[word] += delta: no field overflows, so no carry leaves one. */
struct clew_net_add {
  uint32_t word;
  uint64_t delta;
};

/* The field is at most `most` before the transition, or it ends at a run-time error. */
struct clew_net_check {
  uint32_t slot;
  bool fails; /* whatever the field is */
  uint64_t most;
};

struct clew_net_code_of_transition {
  uint32_t tests, needs, adds, checks; /* the first of each; the next one's first is the end */
  bool is_dead;                        /* it can never be enabled */
};

struct clew_net_impl {
  struct clew_model model, reference;
  struct clew_net *net;
  struct clew_net_bounds bounds;
  struct clew_net_code *codes; /* by place */
  struct clew_slot *slots;
  struct clew_net_field *fields; /* by slot */
  struct clew_domain *domains;
  uint32_t slot_count, words;
  struct clew_site *sites;
  uint32_t site_count;
  struct clew_property *properties;
  /* Transitions; one more at the end. */
  struct clew_net_code_of_transition *ready;
  CLEW_VEC(struct clew_net_test) tests;
  CLEW_VEC(struct clew_net_need) needs;
  CLEW_VEC(struct clew_net_add) adds;
  CLEW_VEC(struct clew_net_check) checks;
  /* The cover statements of transition t: covers[covers_first[t]] .. before those of the next.
   * NULL: there are none. */
  uint32_t *covers_first, *covers;
  uint32_t cover_count;              /* statements */
  uint64_t fixed_tokens, fixed_most; /* in places that never change: all, and in one of them */
  /* Transitions by what must be in a field for them, so that not all have to be tried: those of
   * trigger[t] .. trigger[t + 1] - 1 are to be tried if the field has the value that t stands for.
   */
  bool by_trigger;
  uint32_t
      *trigger_of_slot; /* the first of a slot: value 0; then value 1, … of units; > 0 of counts */
  uint32_t *trigger_first;
  uint32_t *triggered;
  uint32_t *always; /* need nothing that changes */
  uint32_t always_count;
  uint64_t *initial;
  struct clew_text endless_text;
  struct clew_net_symmetry *symmetry; /* NULL: there is none, or nobody asked */
  const char *symmetry_notice;
};

static inline uint64_t clew_net_field_get(const struct clew_net_field *field,
                                          const uint64_t *state) {
  return state[field->word] >> field->shift & field->mask;
}

static inline uint64_t clew_net_tokens(const struct clew_net_impl *impl, uint32_t place,
                                       const uint64_t *state) {
  const struct clew_net_code *code = &impl->codes[place];
  if (code->kind == CLEW_NET_CONSTANT) {
    return code->value;
  }
  uint64_t held = clew_net_field_get(&impl->fields[code->slot], state);
  return code->kind == CLEW_NET_COUNTED ? held : held == code->value;
}

static inline struct clew_net_impl *clew_net_impl_of(const struct clew_model *model) {
  return model->impl;
}

void clew_net_lay_out(struct clew_net_impl *impl);
/* A marking, tokens by place, as a state. False: it cannot be stored, because of this site. */
bool clew_net_pack(const struct clew_net_impl *impl, const uint64_t *tokens, uint64_t *state,
                   uint32_t *site);
void clew_net_unpack(const struct clew_net_impl *impl, const uint64_t *state, uint64_t *tokens);

void clew_net_compile(struct clew_net_impl *impl);
/* Which statements transitions reach. */
void clew_net_find_covers(struct clew_net_impl *impl);
/* Those of a transition that fires, added to the bit set. */
static inline void clew_net_note_covers(const struct clew_net_impl *impl, uint32_t transition,
                                        uint64_t *covered) {
  for (uint32_t i = impl->covers_first[transition]; i < impl->covers_first[transition + 1]; i++) {
    covered[impl->covers[i] / 64] |= UINT64_C(1) << impl->covers[i] % 64;
  }
}
bool clew_net_is_enabled(const struct clew_net_impl *impl, uint32_t transition,
                         const uint64_t *state);
void clew_net_next(const struct clew_model *model, const uint64_t *state, struct clew_succs *succs);
bool clew_net_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                   uint64_t *out, uint32_t *site);

void clew_net_plain_next(const struct clew_model *model, const uint64_t *state,
                         struct clew_succs *succs);
bool clew_net_plain_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                         uint64_t *out, uint32_t *site);

bool clew_net_truth(const struct clew_net_impl *impl, const struct clew_net_term *term,
                    const uint64_t *state);
int64_t clew_net_value(const struct clew_net_impl *impl, const struct clew_net_term *term,
                       const uint64_t *state);
/* The slots that it depends on, added to the bit set. */
void clew_net_term_reads(const struct clew_net_impl *impl, const struct clew_net_term *term,
                         uint64_t *read);
/* Those that a transition depends on, and that it changes. Either may be NULL. */
void clew_net_touched(const struct clew_net_impl *impl, uint32_t transition, uint64_t *read,
                      uint64_t *written);

/* Whether some walk shows that markings grow for ever; then it is told. */
bool clew_net_find_growth(const struct clew_net *net, const struct clew_net_bounds *bounds,
                          struct clew_text *out);

#endif
