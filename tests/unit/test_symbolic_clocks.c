/* Symbolic search with clock values in diagrams against states one by one: for each discrete part
 * the same set of points.
 *
 * Without extrapolation the sets are those of all reachable clock values, and equal. Extrapolation
 * adds values that are simulated by others, and which ones depends on how a set is divided into
 * zones. So with it both sets are compared after everything was added that can be (the abstraction
 * a_LU): a point is in it if the set meets the box of points that simulate it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/file.h"
#include "base/random.h"
#include "lang/lang.h"
#include "lang/uppaal/uppaal.h"
#include "search/symbolic_int.h"
#include "unit/random_regions.h"

enum { MOST_STATES = 400, POINTS = 40, SCALE = 2, NETWORKS = 120 };

static uint32_t split_count; /* searches with delays by themselves */

/* ---- zones as plain matrices, in units of 1 / SCALE ---- */

struct matrix {
  CLEW_VEC(int64_t) bounds; /* dim * dim: 2c or 2c + 1, or NO_BOUND */
};
#define NO_BOUND (INT64_MAX / 4)

static int64_t add_bounds(int64_t a, int64_t b) {
  return a >= NO_BOUND || b >= NO_BOUND ? NO_BOUND : a + b - ((a | b) & 1);
}

/* A raw bound of the model in smaller units. */
static int64_t scaled(int32_t raw) {
  return raw == INT32_MAX ? NO_BOUND : (int64_t)(raw >> 1) * SCALE * 2 + (raw & 1);
}

static bool is_empty(int64_t *m, uint32_t dim) {
  for (uint32_t k = 0; k < dim; k++) {
    for (uint32_t i = 0; i < dim; i++) {
      for (uint32_t j = 0; j < dim; j++) {
        int64_t way = add_bounds(m[i * dim + k], m[k * dim + j]);
        m[i * dim + j] = way < m[i * dim + j] ? way : m[i * dim + j];
      }
    }
  }
  for (uint32_t i = 0; i < dim; i++) {
    if (m[i * dim + i] < 1) {
      return true;
    }
  }
  return false;
}

static void tighten(int64_t *bound, int64_t by) {
  *bound = by < *bound ? by : *bound;
}

/* Whether the zone has a point that simulates this one; without limits: the point itself. */
static bool meets(const int64_t *zone, uint32_t dim, const int32_t *point, const int32_t *lower,
                  const int32_t *upper) {
  int64_t *m = clew_alloc((size_t)dim * dim * sizeof *m);
  memcpy(m, zone, (size_t)dim * dim * sizeof *m);
  for (uint32_t i = 1; i < dim; i++) {
    bool falls = lower != NULL && (lower[i] == INT32_MIN || point[i] > lower[i] * SCALE);
    bool rises = upper != NULL && (upper[i] == INT32_MIN || point[i] > upper[i] * SCALE);
    if (!rises) {
      tighten(&m[i * dim], 2 * (int64_t)point[i] + 1);
    }
    if (!falls) {
      tighten(&m[i], -2 * (int64_t)point[i] + 1);
    } else if (lower[i] != INT32_MIN) {
      tighten(&m[i], -2 * (int64_t)lower[i] * SCALE);
    }
  }
  bool some = !is_empty(m, dim);
  clew_free(m);
  return some;
}

/* ---- states one by one ---- */

struct place {
  uint64_t *words; /* the discrete part */
  CLEW_VEC(int64_t *) zones;
  int32_t *lower, *upper; /* NULL: not known */
};

struct plain {
  const struct clew_model *model;
  uint32_t dim;
  CLEW_VEC(uint64_t *) states;
  CLEW_VEC(struct place) places;
};

static struct place *place_of(struct plain *p, const uint64_t *state) {
  size_t bytes = p->model->discrete_words * sizeof *state;
  for (uint32_t i = 0; i < p->places.len; i++) {
    if (memcmp(p->places.data[i].words, state, bytes) == 0) {
      return &p->places.data[i];
    }
  }
  struct place place = {.words = clew_alloc(bytes)};
  memcpy(place.words, state, bytes);
  clew_vec_push(&p->places, place);
  return &clew_vec_last(&p->places);
}

static void visit(struct plain *p, const uint64_t *state) {
  size_t bytes = p->model->words * sizeof *state;
  for (uint32_t i = 0; i < p->states.len; i++) {
    if (memcmp(p->states.data[i], state, bytes) == 0) {
      return;
    }
  }
  uint64_t *copy = clew_alloc(bytes);
  memcpy(copy, state, bytes);
  clew_vec_push(&p->states, copy);
  int64_t *zone = clew_alloc((size_t)p->dim * p->dim * sizeof *zone);
  for (uint32_t i = 0; i < p->dim; i++) {
    for (uint32_t j = 0; j < p->dim; j++) {
      zone[i * p->dim + j] = i == j ? 1 : scaled(p->model->timed->bound(p->model, state, i, j));
    }
  }
  clew_vec_push(&place_of(p, state)->zones, zone);
}

static void note_limits(struct plain *p, const uint64_t *state, uint32_t edge,
                        const uint64_t *successor) {
  struct place *place = place_of(p, successor);
  if (place->lower != NULL || !p->model->timed->extrapolates) {
    return;
  }
  struct clew_timed_leap leap = {.successor = clew_alloc(p->model->words * sizeof(uint64_t)),
                                 .lower = clew_alloc(p->dim * sizeof(int32_t)),
                                 .upper = clew_alloc(p->dim * sizeof(int32_t))};
  assert_true(p->model->timed->leap(p->model, state, edge, &leap));
  assert_memory_equal(leap.successor, successor, p->model->discrete_words * sizeof(uint64_t));
  clew_timed_step_close(&leap.step);
  place->lower = leap.lower;
  place->upper = leap.upper;
  clew_free(leap.successor);
}

/* False: there are too many. */
static bool explore(struct plain *p) {
  struct clew_succs succs;
  clew_succs_open(&succs, p->model->words, p->model->cover_count);
  p->model->init(p->model, &succs);
  for (uint32_t i = 0; i < succs.count; i++) {
    visit(p, succs.states + (size_t)i * succs.words);
  }
  bool faulty = succs.fault_count > 0;
  for (uint32_t i = 0; i < p->states.len && p->states.len <= MOST_STATES && !faulty; i++) {
    clew_succs_clear(&succs);
    succs.resume = 0;
    p->model->next(p->model, p->states.data[i], &succs);
    faulty = succs.fault_count > 0; /* bounds that grow too large are one */
    for (uint32_t k = 0; k < succs.count; k++) {
      const uint64_t *successor = succs.states + (size_t)k * succs.words;
      visit(p, successor);
      note_limits(p, p->states.data[i], succs.edges[k], successor);
    }
  }
  clew_succs_close(&succs);
  return p->states.len <= MOST_STATES && !faulty;
}

static void free_plain(struct plain *p) {
  for (uint32_t i = 0; i < p->states.len; i++) {
    clew_free(p->states.data[i]);
  }
  for (uint32_t i = 0; i < p->places.len; i++) {
    struct place *place = &p->places.data[i];
    for (uint32_t k = 0; k < place->zones.len; k++) {
      clew_free(place->zones.data[k]);
    }
    clew_vec_free(&place->zones);
    clew_free(place->words);
    clew_free(place->lower);
    clew_free(place->upper);
  }
  clew_vec_free(&p->states);
  clew_vec_free(&p->places);
}

/* ---- both ---- */

/* Whether the values that the diagram has for this place simulate the point. */
static bool diagram_has(struct symbolic *s, const struct place *place, clew_ddd values,
                        const int32_t *point) {
  const struct clew_dbm_space *zones = clew_ddd_zone_space(s->clocks);
  if (place->lower == NULL) {
    return clew_ddd_contains(s->clocks, values, point, SCALE);
  }
  struct clew_fed cover;
  bool some = false;
  int64_t *zone = clew_alloc((size_t)zones->dim * zones->dim * sizeof *zone);
  clew_fed_open(&cover, zones);
  assert_true(clew_ddd_cover(s->clocks, values, &cover));
  for (uint32_t n = 0; n < cover.count && !some; n++) {
    for (uint32_t i = 0; i < zones->dim * zones->dim; i++) {
      uint32_t row = i / zones->dim, column = i % zones->dim;
      zone[i] = scaled(clew_dbm_get(zones, clew_fed_zone(&cover, n), row, column));
    }
    some = meets(zone, zones->dim, point, place->lower, place->upper);
  }
  clew_fed_close(&cover);
  clew_free(zone);
  return some;
}

static bool zones_have(const struct plain *p, const struct place *place, const int32_t *point) {
  for (uint32_t n = 0; n < place->zones.len; n++) {
    if (meets(place->zones.data[n], p->dim, point, place->lower, place->upper)) {
      return true;
    }
  }
  return false;
}

static void compare_place(struct plain *p, struct symbolic *s, const struct place *place,
                          struct clew_random *random) {
  uint64_t *state = clew_alloc_zero(p->model->words, sizeof *state);
  memcpy(state, place->words, p->model->discrete_words * sizeof *state);
  clew_symbolic_get_vector(s, state, s->vector);
  clew_ddd values = clew_ddd_of_vector(s->clocks, s->visited, s->vector, s->level_count);
  clew_dd_keep(s->dd, &values);
  assert_int_not_equal(values, CLEW_DDD_FALSE);
  int32_t most = (p->model->timed->largest + 2) * SCALE;
  for (uint32_t n = 0; n < POINTS; n++) {
    int32_t point[64] = {0};
    for (uint32_t i = 1; i < p->dim; i++) {
      point[i] = (int32_t)clew_random_below(random, (uint64_t)most + 1);
    }
    if (zones_have(p, place, point) != diagram_has(s, place, values, point)) {
      fail_msg("a point is in one of the sets only");
    }
  }
  clew_dd_drop(s->dd, 1);
  clew_free(state);
}

static void compare(struct plain *p, const struct symbolic_options *options, uint64_t seed) {
  struct clew_budget budget;
  struct clew_result result = {0};
  struct clew_diag_sink diags = {0};
  struct clew_random random;
  uint64_t *enabled = clew_alloc_zero(CLEW_BITSET_WORDS(p->model->property_count) + 1, 8);
  static const atomic_bool never = false;
  clew_budget_init(&budget, 256 << 20);
  clew_random_seed(&random, seed);
  struct clew_search search = {.model = p->model,
                               .budget = &budget,
                               .limits = {CLEW_ABSENT, CLEW_ABSENT, INFINITY},
                               .enabled = enabled,
                               .options = options,
                               .interrupted = &never,
                               .diags = &diags};
  struct clew_run *run = clew_engine_symbolic.open(&search, &result);
  while (clew_engine_symbolic.step(run) == CLEW_STEP_RUNNING) {
  }
  struct symbolic *s = symbolic_of(run);
  assert_true(result.scope.complete);
  assert_int_equal(run->states, p->places.len);
  for (uint32_t i = 0; i < p->places.len; i++) {
    compare_place(p, s, &p->places.data[i], &random);
  }
  clew_engine_symbolic.close(run);
  clew_result_free(&result);
  clew_diag_sink_free(&diags);
  clew_free(enabled);
}

/* With delays by themselves, where that is possible, and within transitions. */
static void compare_both(struct plain *p, struct symbolic_options options, uint64_t seed) {
  options.split = SPLIT_NO;
  compare(p, &options, seed);
  options.split = SPLIT_YES;
  if (clew_symbolic_refuse_split(p->model) == NULL) {
    compare(p, &options, seed);
    split_count++;
  }
}

/* Whether the network could be compared. */
static bool check_text(const char *text, enum clew_extrapolation extrapolation, uint64_t seed) {
  static const struct symbolic_options settings[] = {
      {.diagram = DIAGRAM_DDD},
      {.diagram = DIAGRAM_DDD, .order = ORDER_BFS_PREV, .minus = MINUS_NATIVE},
      {.diagram = DIAGRAM_DDD,
       .order = ORDER_BFS_PREV,
       .minus = MINUS_FEDERATION,
       .groups = GROUPS_ONE},
      {.diagram = DIAGRAM_DDD, .order = ORDER_NO_MINUS, .bounds = BOUNDS_CLOSED},
      {.diagram = DIAGRAM_DDD, .order = ORDER_CHAIN, .groups = GROUPS_EDGE},
      {.diagram = DIAGRAM_DDD, .order = ORDER_BFS},
      {.diagram = DIAGRAM_DDD, .order = ORDER_BFS_PREV, .semantics = SEMANTICS_BOTH},
      {.diagram = DIAGRAM_DDD, .order = ORDER_BFS_PREV, .form = FORM_REDUCED},
      {.diagram = DIAGRAM_DDD, .order = ORDER_CHAIN_PREV, .check = true},
      {.diagram = DIAGRAM_DDD, .order = ORDER_CHAIN, .sat = SAT_LIKE, .minus = MINUS_NATIVE},
  };
  struct clew_source source = {"sample", text, strlen(text)};
  struct clew_load_request request = {
      .source = &source,
      .exec = CLEW_MODE_INTERP,
      .ignores_queries = true,
      .zones = {.extrapolation = extrapolation, .subsumption = CLEW_SUBSUME_NONE, .is_flat = true}};
  struct clew_diag_sink diags = {0};
  struct clew_model *model = NULL;
  bool compared = clew_language_uppaal.load(&request, &diags, &model) == CLEW_OK &&
                  clew_symbolic_refuse_clocks(model) == NULL && !model->timed->is_approximate;
  if (compared) {
    struct plain p = {.model = model, .dim = model->timed->clock_count};
    compared = explore(&p) && p.places.len > 0;
    for (uint32_t i = 0; compared && i < sizeof settings / sizeof settings[0]; i++) {
      compare_both(&p, settings[i], seed + i);
    }
    free_plain(&p);
  }
  if (model != NULL) {
    model->close(model);
  }
  clew_diag_sink_free(&diags);
  return compared;
}

static void check_networks(enum clew_extrapolation extrapolation) {
  uint32_t compared = 0;
  split_count = 0;
  for (uint64_t seed = 0; seed < NETWORKS; seed++) {
    struct clew_text text = {0};
    random_uppaal(&text, seed);
    compared += check_text(clew_text_str(&text), extrapolation, seed);
    clew_text_free(&text);
  }
  assert_true(compared >= NETWORKS / 10);
  assert_true(split_count >= NETWORKS / 10);
}

static void test_all_values(void **state) {
  (void)state;
  check_networks(CLEW_EXTRAPOLATE_NONE);
}

static void test_extrapolated(void **state) {
  (void)state;
  check_networks(CLEW_EXTRAPOLATE_AUTO);
  check_networks(CLEW_EXTRAPOLATE_M);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_values),
      cmocka_unit_test(test_extrapolated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
