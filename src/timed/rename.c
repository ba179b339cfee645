/* Symmetry of timed models: renaming the elements of scalarsets takes locations, variables and
 * clocks of one process to those of another one, and so it permutes the rows and columns of a zone.
 *
 * The representative of a state has the representative of its discrete part (ir/symmetry.h), so
 * that zones with the same or with symmetric discrete parts meet. Among the renamings that lead
 * there the one wins that makes the zone least, as a sequence of numbers. Renamings that differ by
 * *twins*, elements whose swapping leaves the discrete part as it is, are told once, and all ways
 * to seat twins are tried here, as canon_rt.h does it:
 *  1. Twins are sorted by the order of their clocks: whether x <= y in all of the zone. The order
 * is that in which clocks were set, mostly, and a zone within another one has the same; so zones
 *     that contain each other still do so after renaming.
 *  2. Those that are alike are told apart by what the zone says of their clocks, again and again.
 *  3. Where some are left, one of each kind in turn is put first.
 * Every step depends on the zone only up to a renaming of twins. Hashes that collide cost time, not
 * correctness. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "ir/symmetry.h"
#include "timed/timed_int.h"

enum { MOST = CLEW_CANON_ELEMENTS };

/* Where renaming takes a clock. */
struct clock_place {
  struct clew_symmetry_slot at;
  uint32_t slot;
  uint32_t kind; /* the slot of the clock that it can be renamed to, of all the least one */
};

struct clew_zone_renaming {
  struct clew_symmetry *symmetry; /* owned */
  uint32_t element_count;
  uint32_t dim;
  struct clock_place *clocks; /* by clock */
  uint32_t *clock_of;         /* by slot of the program; CLEW_NONE: none */
};

/* A twin that gets a position; those of a class share its positions. */
struct seat {
  uint8_t position; /* in increasing order, in a class */
  uint8_t element;
  uint8_t colour; /* the position of the first one that is alike */
  uint8_t class;  /* their first one */
};

struct seating {
  struct seat seats[MOST];
  uint32_t count;
};

/* The renaming of one zone. */
struct arranging {
  const struct clew_zone_renaming *renaming;
  const int32_t *zone; /* dim * dim bounds */
  int32_t *best, *trial;
  bool has_best;
  uint32_t map[CLEW_DBM_MOST_CLOCKS]; /* of clocks */
};

/* ---- Clocks --------------------------------------------------------------------------------- */

static uint32_t renamed_clock(const struct clew_zone_renaming *r, uint32_t clock,
                              const uint8_t *to) {
  const struct clock_place *place = &r->clocks[clock];
  uint32_t slot = place->slot;
  for (uint32_t d = 0; d < place->at.count; d++) {
    uint8_t element = place->at.element[d];
    slot += ((uint32_t)to[element] - element) * place->at.stride[d];
  }
  return place->at.count == 0 ? clock : r->clock_of[slot];
}

static void swap_of(uint8_t *to, uint32_t count, uint8_t x, uint8_t y) {
  for (uint32_t e = 0; e < count; e++) {
    to[e] = (uint8_t)e;
  }
  to[x] = y;
  to[y] = x;
}

static int32_t entry(const struct arranging *a, uint32_t i, uint32_t j) {
  return a->zone[(size_t)i * a->renaming->dim + j];
}

/* ---- Seats ---------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t v) {
  return clew_canon_mix(h, v);
}

/* How many of those alike have, for each of its clocks, one that is never less. */
static void find_ranks(struct arranging *a, const struct seating *s, uint64_t *key) {
  const struct clew_zone_renaming *r = a->renaming;
  uint8_t to[MOST];
  for (uint32_t i = 0; i < s->count; i++) {
    for (uint32_t k = 0; k < s->count; k++) {
      uint8_t e = s->seats[i].element, other = s->seats[k].element;
      if (e == other || s->seats[i].colour != s->seats[k].colour) {
        continue;
      }
      swap_of(to, r->element_count, e, other);
      uint64_t weight = 1;
      for (uint32_t c = r->dim - 1; c > 0; c--) {
        uint32_t partner = renamed_clock(r, c, to);
        if (partner != c && r->clocks[c].at.count == 1 && r->clocks[c].at.element[0] == e) {
          key[i] += entry(a, c, partner) <= CLEW_BOUND_ZERO ? weight : 0;
          weight *= MOST + 1; /* the first clock decides first; beyond a few it does not matter */
        }
      }
    }
  }
}

/* What the zone says of the clocks of each element, given how elements are coloured. */
static void find_signs(const struct arranging *a, const struct seating *s, const uint8_t *colour,
                       uint64_t *key) {
  const struct clew_zone_renaming *r = a->renaming;
  uint64_t sign[MOST] = {0};
  uint64_t *dye = clew_alloc(r->dim * sizeof *dye); /* colours of clocks */
  for (uint32_t c = 0; c < r->dim; c++) {
    const struct clew_symmetry_slot *at = &r->clocks[c].at;
    dye[c] = mix(r->clocks[c].kind + UINT64_C(1), 0);
    for (uint32_t d = 0; d < at->count; d++) {
      dye[c] += mix(dye[c], colour[at->element[d]] * UINT64_C(8) + d + 1);
    }
  }
  for (uint32_t c = 1; c < r->dim; c++) {
    const struct clew_symmetry_slot *at = &r->clocks[c].at;
    if (at->count == 0) {
      continue;
    }
    uint64_t hash = dye[c];
    for (uint32_t k = 0; k < r->dim; k++) {
      uint64_t both = (uint64_t)(uint32_t)entry(a, c, k) << 32 | (uint32_t)entry(a, k, c);
      hash += mix(mix(dye[k], both), 1);
    }
    for (uint32_t d = 0; d < at->count; d++) {
      sign[at->element[d]] += mix(hash, d + 2);
    }
  }
  clew_free(dye);
  for (uint32_t i = 0; i < s->count; i++) {
    key[i] = sign[s->seats[i].element];
  }
}

/* Sorts those of one colour by their keys, and gives different keys different colours; true when
 * there are more colours than before. */
static bool split(struct seating *s, uint64_t *key) {
  bool any = false;
  for (uint32_t start = 0, end; start < s->count; start = end) {
    uint8_t colour = s->seats[start].colour;
    for (end = start + 1; end < s->count && s->seats[end].colour == colour; end++) {
      uint64_t own = key[end];
      uint8_t element = s->seats[end].element;
      uint32_t at = end;
      for (; at > start && key[at - 1] > own; at--) {
        key[at] = key[at - 1];
        s->seats[at].element = s->seats[at - 1].element;
      }
      key[at] = own;
      s->seats[at].element = element;
    }
    for (uint32_t i = start; i < end; i++) {
      bool same = i > start && key[i] == key[i - 1];
      any = any || (i > start && !same);
      s->seats[i].colour = same ? s->seats[i - 1].colour : s->seats[i].position;
    }
  }
  return any;
}

static bool is_settled(const struct seating *s) {
  for (uint32_t i = 0; i < s->count; i++) {
    if (s->seats[i].colour != s->seats[i].position) {
      return false;
    }
  }
  return true;
}

static void refine(const struct arranging *a, struct seating *s) {
  uint8_t colour[MOST] = {0};
  uint64_t key[MOST];
  bool more = true;
  while (more && !is_settled(s)) {
    for (uint32_t i = 0; i < s->count; i++) {
      colour[s->seats[i].element] = s->seats[i].colour;
    }
    find_signs(a, s, colour, key);
    more = split(s, key);
  }
}

/* ---- Zones ---------------------------------------------------------------------------------- */

/* The zone with its clocks renamed, if it is the least so far. */
static void try_renaming(struct arranging *a, const uint8_t *to) {
  const struct clew_zone_renaming *r = a->renaming;
  int32_t *out = a->has_best ? a->trial : a->best;
  a->map[0] = 0;
  for (uint32_t c = 1; c < r->dim; c++) {
    a->map[c] = renamed_clock(r, c, to);
  }
  for (uint32_t i = 0; i < r->dim; i++) {
    for (uint32_t j = 0; j < r->dim; j++) {
      out[(size_t)a->map[i] * r->dim + a->map[j]] = entry(a, i, j);
    }
  }
  if (a->has_best) {
    size_t count = (size_t)r->dim * r->dim, i = 0;
    while (i < count && a->trial[i] == a->best[i]) {
      i++;
    }
    if (i < count && a->trial[i] < a->best[i]) {
      memcpy(a->best, a->trial, count * sizeof *a->best);
    }
  }
  a->has_best = true;
}

/* Whether swapping the two leaves the zone as it is. */
static bool are_twins(struct arranging *a, uint8_t x, uint8_t y) {
  const struct clew_zone_renaming *r = a->renaming;
  uint8_t to[MOST];
  swap_of(to, r->element_count, x, y);
  a->map[0] = 0;
  for (uint32_t c = 1; c < r->dim; c++) {
    a->map[c] = renamed_clock(r, c, to);
  }
  for (uint32_t i = 0; i < r->dim; i++) {
    for (uint32_t j = 0; j < r->dim; j++) {
      if (entry(a, a->map[i], a->map[j]) != entry(a, i, j)) {
        return false;
      }
    }
  }
  return true;
}

static uint32_t find_kinds(struct arranging *a, const struct seating *s, uint32_t start,
                           uint32_t end, uint32_t *kinds) {
  uint32_t count = 0;
  for (uint32_t i = start; i < end; i++) {
    uint32_t k = 0;
    while (k < count && !are_twins(a, s->seats[kinds[k]].element, s->seats[i].element)) {
      k++;
    }
    if (k == count) {
      kinds[count++] = i;
    }
  }
  return count;
}

static void settle(struct arranging *a, struct seating *s, const uint8_t *to) {
  for (uint32_t start = 0, end; start < s->count; start = end) {
    uint32_t kinds[MOST];
    for (end = start + 1; end < s->count && s->seats[end].colour == s->seats[start].colour;) {
      end++;
    }
    if (end - start == 1) {
      continue;
    }
    uint32_t kind_count = find_kinds(a, s, start, end, kinds);
    if (kind_count == 1) {
      for (uint32_t i = start; i < end; i++) {
        s->seats[i].colour = s->seats[i].position;
      }
      refine(a, s);
      continue;
    }
    for (uint32_t k = 0; k < kind_count; k++) {
      struct seating next = *s;
      next.seats[kinds[k]].element = s->seats[start].element;
      next.seats[start].element = s->seats[kinds[k]].element;
      for (uint32_t i = start + 1; i < end; i++) {
        next.seats[i].colour = s->seats[start + 1].position;
      }
      refine(a, &next);
      settle(a, &next, to);
    }
    return;
  }
  uint8_t seated[MOST];
  memcpy(seated, to, a->renaming->element_count);
  for (uint32_t i = 0; i < s->count; i++) {
    seated[s->seats[i].element] = s->seats[i].position;
  }
  try_renaming(a, seated);
}

/* Seats for all that have a twin: class by class, in the order of their least positions, which only
 * depend on the representative. */
static void take_seats(const struct clew_renaming *renaming, uint32_t count, struct seating *s) {
  uint8_t at[MOST]; /* the element at each position */
  bool seen[MOST] = {false};
  for (uint32_t e = 0; e < count; e++) {
    at[renaming->to[e]] = (uint8_t)e;
  }
  s->count = 0;
  for (uint32_t p = 0; p < count; p++) {
    uint8_t class = renaming->twin[at[p]];
    uint32_t first = s->count;
    for (uint32_t q = p; q < count && !seen[class]; q++) {
      if (renaming->twin[at[q]] == class) {
        s->seats[s->count++] = (struct seat){(uint8_t)q, at[q], (uint8_t)p, class};
      }
    }
    seen[class] = true;
    s->count = s->count == first + 1 ? first : s->count; /* alone */
  }
}

static void arrange(void *context, const struct clew_renaming *renaming, bool is_first) {
  struct arranging *a = context;
  struct seating s;
  a->has_best = a->has_best && !is_first;
  take_seats(renaming, a->renaming->element_count, &s);
  if (s.count > 0) {
    uint64_t key[MOST] = {0};
    find_ranks(a, &s, key);
    (void)split(&s, key);
    refine(a, &s);
  }
  settle(a, &s, renaming->to);
}

/* ---- States --------------------------------------------------------------------------------- */

struct clew_renaming_work {
  struct arranging arranging;
  int32_t *zone;
};

static struct clew_renaming_work *work_of(const struct clew_timed_impl *impl,
                                          struct clew_timed_context *context) {
  if (context->renaming == NULL) {
    struct clew_renaming_work *work = clew_alloc_zero(1, sizeof *work);
    size_t count = (size_t)impl->space.dim * impl->space.dim;
    work->arranging.renaming = impl->renaming;
    work->zone = clew_alloc(count * sizeof(int32_t));
    work->arranging.zone = work->zone;
    work->arranging.best = clew_alloc(count * sizeof(int32_t));
    work->arranging.trial = clew_alloc(count * sizeof(int32_t));
    context->renaming = work;
  }
  return context->renaming;
}

void clew_timed_renaming_work_close(struct clew_renaming_work *work) {
  if (work != NULL) {
    clew_free(work->zone);
    clew_free(work->arranging.best);
    clew_free(work->arranging.trial);
    clew_free(work);
  }
}

static void rename_state(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                         uint64_t *state) {
  struct clew_renaming_work *work = work_of(impl, context);
  const struct clew_dbm_space *space = &impl->space;
  uint32_t dim = space->dim;
  clew_zone_pack_get(impl, state, context->zone);
  for (uint32_t i = 0; i < dim; i++) {
    for (uint32_t j = 0; j < dim; j++) {
      work->zone[(size_t)i * dim + j] = clew_dbm_get(space, context->zone, i, j);
    }
  }
  work->arranging.has_best = false;
  struct clew_renaming_teller teller = {arrange, &work->arranging};
  clew_symmetry_resolve(impl->renaming->symmetry, state, &teller);
  assert(work->arranging.has_best);
  if (memcmp(work->zone, work->arranging.best, (size_t)dim * dim * sizeof(int32_t)) == 0) {
    return;
  }
  for (uint32_t i = 0; i < dim; i++) {
    for (uint32_t j = 0; j < dim; j++) {
      clew_dbm_set(space, context->zone, i, j, work->arranging.best[(size_t)i * dim + j]);
    }
  }
  clew_zone_pack_put(impl, context->zone, state);
}

static void canonicalise(const void *context, const uint64_t *parent, uint64_t *states,
                         uint32_t count) {
  struct clew_timed_impl *impl = (struct clew_timed_impl *)(uintptr_t)context;
  struct clew_timed_context *work = clew_timed_take(impl);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t *state = states + (size_t)i * impl->model.words;
    if (parent == NULL || memcmp(parent, state, impl->model.words * sizeof *state) != 0) {
      rename_state(impl, work, state);
    }
  }
  clew_timed_give_back(impl, work);
}

static void exact(const void *context, uint64_t *state) {
  canonicalise(context, NULL, state, 1);
}

/* ---- Opening -------------------------------------------------------------------------------- */

static void find_clocks(const struct clew_timed_impl *impl, struct clew_zone_renaming *r) {
  const struct clew_timed_spec *spec = impl->spec;
  r->clocks = clew_alloc_zero(r->dim, sizeof *r->clocks);
  r->clock_of = clew_alloc((impl->program->slot_count + (size_t)1) * sizeof *r->clock_of);
  memset(r->clock_of, 0xff, impl->program->slot_count * sizeof *r->clock_of);
  for (uint32_t c = 0; c < r->dim; c++) {
    r->clocks[c].kind = impl->program->slot_count + c; /* fixed, and like no other */
  }
  for (uint32_t c = 1; c < spec->clock_count; c++) {
    struct clock_place *place = &r->clocks[c];
    place->slot = place->kind = spec->clocks[c].slot;
    r->clock_of[place->slot] = c;
    clew_symmetry_find_slot(r->symmetry, place->slot, &place->at);
    const struct clew_canon *t = clew_symmetry_tables(r->symmetry);
    for (uint32_t d = 0; d < place->at.count; d++) {
      uint32_t set = 0;
      while (place->at.element[d] >= t->set_first[set + 1]) {
        set++;
      }
      place->kind -= (place->at.element[d] - t->set_first[set]) * place->at.stride[d];
    }
  }
}

static void limits_at(const struct clew_timed_impl *impl, struct clew_timed_span span,
                      struct clew_zone_limits *limits) {
  for (uint32_t k = 0; k < span.count; k++) {
    const struct clew_timed_limit *limit = &impl->spec->limits[span.first + k];
    int32_t *lower = &limits->lower[limit->clock], *upper = &limits->upper[limit->clock];
    assert(limit->slot == CLEW_NONE); /* nothing is renamed then */
    *lower = limit->lower > *lower ? limit->lower : *lower;
    *upper = limit->upper > *upper ? limit->upper : *upper;
  }
}

static void clear_limits(const struct clew_timed_impl *impl, struct clew_zone_limits *limits) {
  for (uint32_t c = 0; c < impl->space.dim; c++) {
    limits->lower[c] = limits->upper[c] = CLEW_DBM_NO_CONSTANT;
  }
}

/* Whether the limits are the same after renaming clocks. */
static bool limits_agree(const struct clew_zone_renaming *r, const struct clew_zone_limits *a,
                         const struct clew_zone_limits *b, const uint8_t *to) {
  for (uint32_t c = 1; c < r->dim; c++) {
    uint32_t other = renamed_clock(r, c, to);
    if (a->lower[c] != b->lower[other] || a->upper[c] != b->upper[other]) {
      return false;
    }
  }
  return true;
}

static uint32_t renamed_slot(const struct clew_zone_renaming *r, uint32_t slot, const uint8_t *to) {
  struct clew_symmetry_slot at;
  clew_symmetry_find_slot(r->symmetry, slot, &at);
  for (uint32_t d = 0; d < at.count; d++) {
    slot += ((uint32_t)to[at.element[d]] - at.element[d]) * at.stride[d];
  }
  return slot;
}

/* The process whose location is at this slot. */
static const struct clew_timed_process *process_at(const struct clew_timed_spec *spec,
                                                   uint32_t slot) {
  for (uint32_t p = 0; p < spec->process_count; p++) {
    if (spec->processes[p].slot == slot) {
      return &spec->processes[p];
    }
  }
  return NULL;
}

/* Whether a renaming leaves the limits of locations as they are. They come from an analysis that
 * knows nothing of symmetry. */
static bool keeps_limits(const struct clew_timed_impl *impl, const struct clew_zone_renaming *r,
                         const uint8_t *to, struct clew_zone_limits *a,
                         struct clew_zone_limits *b) {
  const struct clew_timed_spec *spec = impl->spec;
  memcpy(a->lower, impl->common.lower, r->dim * sizeof *a->lower);
  memcpy(a->upper, impl->common.upper, r->dim * sizeof *a->upper);
  for (uint32_t p = 0; p < spec->process_count; p++) {
    if (spec->processes[p].slot == CLEW_NONE && spec->processes[p].locations.count > 0) {
      limits_at(impl, spec->locations[spec->processes[p].locations.first].limits, a);
    }
  }
  bool agree = limits_agree(r, a, a, to);
  for (uint32_t p = 0; p < spec->process_count && agree; p++) {
    const struct clew_timed_process *process = &spec->processes[p];
    if (process->slot == CLEW_NONE) {
      continue;
    }
    const struct clew_timed_process *other = process_at(spec, renamed_slot(r, process->slot, to));
    agree = other != NULL && other->locations.count == process->locations.count;
    for (uint32_t k = 0; agree && k < process->locations.count; k++) {
      clear_limits(impl, a);
      clear_limits(impl, b);
      limits_at(impl, spec->locations[process->locations.first + k].limits, a);
      limits_at(impl, spec->locations[other->locations.first + k].limits, b);
      agree = limits_agree(r, a, b, to);
    }
  }
  return agree;
}

static bool has_symmetric_limits(const struct clew_timed_impl *impl,
                                 const struct clew_zone_renaming *r) {
  const struct clew_canon *t = clew_symmetry_tables(r->symmetry);
  uint32_t dim = impl->space.dim;
  struct clew_zone_limits a = {clew_alloc_zero(dim, sizeof(int32_t)),
                               clew_alloc_zero(dim, sizeof(int32_t))},
                          b = {clew_alloc_zero(dim, sizeof(int32_t)),
                               clew_alloc_zero(dim, sizeof(int32_t))};
  bool agree = true;
  for (uint32_t s = 0; s < t->set_count; s++) {
    for (uint32_t e = t->set_first[s] + 1U; e < t->set_first[s + 1] && agree; e++) {
      uint8_t to[MOST];
      swap_of(to, t->element_count, (uint8_t)(e - 1), (uint8_t)e);
      agree = keeps_limits(impl, r, to, &a, &b);
    }
  }
  clew_free(a.lower);
  clew_free(a.upper);
  clew_free(b.lower);
  clew_free(b.upper);
  return agree;
}

void clew_timed_renaming_close(struct clew_zone_renaming *r) {
  if (r != NULL) {
    clew_symmetry_close(r->symmetry);
    clew_free(r->clocks);
    clew_free(r->clock_of);
    clew_free(r);
  }
}

/* What reduced zones cannot answer; or NULL. */
static const char *find_obstacle(const struct clew_timed_impl *impl) {
  if (impl->program->scalarsets.len == 0) {
    return NULL; /* nobody expects a reduction */
  }
  for (uint32_t i = 0; i < impl->program->properties.len; i++) {
    if (impl->program->properties.data[i].kind == CLEW_PROPERTY_PROGRESS) {
      return "there are queries about runs";
    }
  }
  return impl->spec->cut_count > 0 ? "differences of clocks are compared" : NULL;
}

bool clew_timed_open_renaming(struct clew_timed_impl *impl) {
  const char *why = find_obstacle(impl);
  struct clew_symmetry *symmetry =
      why == NULL ? clew_symmetry_open_discrete(impl->program, &why) : NULL;
  if (symmetry != NULL) {
    struct clew_zone_renaming *r = clew_alloc_zero(1, sizeof *r);
    r->symmetry = symmetry;
    r->element_count = clew_symmetry_tables(symmetry)->element_count;
    r->dim = impl->space.dim;
    find_clocks(impl, r);
    if (has_symmetric_limits(impl, r)) {
      impl->renaming = r;
    } else {
      why = "symmetric clocks are compared with different numbers";
      clew_timed_renaming_close(r);
    }
  }
  clew_symmetry_describe(impl->program, why, &impl->symmetry_notice);
  return impl->renaming != NULL;
}

struct clew_orbit clew_timed_orbit(const struct clew_timed_impl *impl) {
  return (struct clew_orbit){.name = "canonical",
                             .canonicalise = canonicalise,
                             .exact = exact,
                             .context = impl,
                             .keeps_discrete = true};
}
