/* Saturation against a search for single vectors, with relations that are learnt on the way, and
 * with collections in between. */
#include "dd/saturate.h"
#include "unit/ldd_sets.h"

enum { LEVELS = 5, RADIX = 3, POINTS = 243, ROWS = 12, ROUNDS = 400 };
enum { ANY_VALUE = RADIX }; /* needs any value, or leaves the one that is there */

/* A row of a relation: what it needs and what it writes at each level. */
struct row {
  uint32_t needs[LEVELS], writes[LEVELS];
  uint32_t top;
  bool is_known; /* it was added to the relation */
};

struct scene {
  struct clew_budget budget;
  struct clew_dd *dd;
  struct clew_random random;
  struct row rows[ROWS];
  clew_ldd relations[LEVELS];
  struct clew_ldd_layer layers[LEVELS];
  uint32_t touched[LEVELS][LEVELS], touched_count[LEVELS];
  uint32_t patience; /* calls of `leaves` that are answered by no */
};

static void vector_of(uint32_t point, uint32_t *vector) {
  for (uint32_t i = LEVELS; i-- > 0;) {
    vector[i] = point % RADIX;
    point /= RADIX;
  }
}

static uint32_t point_of(const uint32_t *vector) {
  uint32_t point = 0;
  for (uint32_t i = 0; i < LEVELS; i++) {
    point = point * RADIX + vector[i];
  }
  return point;
}

/* Whether the row can be taken where the levels from `first` on are those of the vector. */
static bool matches(const struct row *row, const uint32_t *vector, uint32_t first) {
  for (uint32_t i = first; i < LEVELS; i++) {
    if (row->needs[i] != ANY_VALUE && row->needs[i] != vector[i]) {
      return false;
    }
  }
  return true;
}

static bool touches(const struct row *row, uint32_t level) {
  return row->needs[level] != ANY_VALUE || row->writes[level] != ANY_VALUE;
}

static void random_rows(struct scene *scene) {
  for (uint32_t k = 0; k < ROWS; k++) {
    struct row *row = &scene->rows[k];
    *row = (struct row){.top = (uint32_t)clew_random_below(&scene->random, LEVELS)};
    for (uint32_t i = 0; i < LEVELS; i++) {
      bool is_above = i < row->top, is_top = i == row->top;
      bool needs = !is_above && clew_random_below(&scene->random, 2) == 0;
      bool writes = !is_above && (is_top || clew_random_below(&scene->random, 3) == 0);
      row->needs[i] = needs ? (uint32_t)clew_random_below(&scene->random, RADIX) : ANY_VALUE;
      row->writes[i] = writes ? (uint32_t)clew_random_below(&scene->random, RADIX) : ANY_VALUE;
    }
  }
}

static void make_layers(struct scene *scene) {
  for (uint32_t top = 0; top < LEVELS; top++) {
    unsigned char touched[LEVELS] = {0};
    bool has_rows = false;
    scene->relations[top] = CLEW_LDD_EMPTY;
    scene->touched_count[top] = 0;
    for (uint32_t level = top; level < LEVELS; level++) {
      for (uint32_t k = 0; k < ROWS; k++) {
        bool belongs = scene->rows[k].top == top;
        has_rows |= belongs;
        touched[level] |= belongs && touches(&scene->rows[k], level);
      }
      if (touched[level] != 0) {
        scene->touched[top][scene->touched_count[top]++] = level;
      }
    }
    scene->layers[top] = (struct clew_ldd_layer){0};
    if (has_rows) {
      scene->layers[top].relation = &scene->relations[top];
      scene->layers[top].plan = clew_ldd_plan_fire(scene->dd, touched + top, LEVELS - top);
    }
  }
}

/* Adds a row to the relation of its level. */
static bool add_row(struct scene *scene, struct row *row) {
  uint32_t mixed[2 * LEVELS] = {0}, last = row->top;
  const uint32_t top = row->top, count = scene->touched_count[top];
  for (uint32_t i = top; i < LEVELS; i++) {
    last = touches(row, i) ? i : last;
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t level = scene->touched[top][i];
    if (level > last) {
      mixed[2 * i] = CLEW_LDD_REST;
      break;
    }
    uint32_t needs = row->needs[level], writes = row->writes[level];
    mixed[2 * i] = needs == ANY_VALUE ? CLEW_LDD_ANY : needs + CLEW_LDD_MIXED_VALUES;
    mixed[2 * i + 1] = writes == ANY_VALUE ? CLEW_LDD_COPY : writes;
  }
  row->is_known = true;
  clew_ldd more = clew_ldd_from_mixed_rows(scene->dd, mixed, 1, 2 * count);
  more = more != CLEW_DD_NONE ? clew_ldd_union(scene->dd, scene->relations[top], more) : more;
  scene->relations[top] = more != CLEW_DD_NONE ? more : scene->relations[top];
  return more != CLEW_DD_NONE;
}

/* The rows that can be taken in one of the vectors; no others. */
static bool learn(void *context, uint32_t level, clew_ldd set) {
  struct scene *scene = context;
  uint32_t *rows = clew_alloc(sizeof *rows * POINTS * LEVELS), length = LEVELS - level;
  uint32_t count = clew_ldd_list(scene->dd, set, length, NULL, rows, POINTS);
  bool going = true;
  for (uint32_t k = 0; k < ROWS && going; k++) {
    bool is_wanted = false;
    for (uint32_t i = 0; i < count && !is_wanted; i++) {
      uint32_t vector[LEVELS] = {0};
      memcpy(vector + level, rows + (size_t)i * length, length * sizeof *vector);
      is_wanted = scene->rows[k].top == level && matches(&scene->rows[k], vector, level);
    }
    if (is_wanted && !scene->rows[k].is_known) {
      going = add_row(scene, &scene->rows[k]);
    }
  }
  clew_free(rows);
  return going;
}

static bool leaves(void *context, uint32_t level) {
  struct scene *scene = context;
  (void)level;
  return scene->patience-- == 0;
}

/* All points that the rows lead to, one by one. */
static void close_points(const struct scene *scene, bool *has) {
  for (bool again = true; again;) {
    again = false;
    for (uint32_t point = 0; point < POINTS; point++) {
      for (uint32_t k = 0; k < ROWS && has[point]; k++) {
        uint32_t vector[LEVELS];
        vector_of(point, vector);
        if (matches(&scene->rows[k], vector, 0)) {
          for (uint32_t i = 0; i < LEVELS; i++) {
            uint32_t written = scene->rows[k].writes[i];
            vector[i] = written == ANY_VALUE ? vector[i] : written;
          }
          again |= !has[point_of(vector)];
          has[point_of(vector)] = true;
        }
      }
    }
  }
}

static clew_ldd initial(struct scene *scene, bool *has) {
  uint32_t rows[4 * LEVELS];
  memset(has, 0, POINTS * sizeof *has);
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t point = (uint32_t)clew_random_below(&scene->random, POINTS);
    has[point] = true;
    vector_of(point, rows + (size_t)i * LEVELS);
  }
  return clew_ldd_from_rows(scene->dd, rows, 4, LEVELS);
}

static void open_scene(struct scene *scene, uint32_t often, uint32_t threads) {
  clew_budget_init(&scene->budget, 64 << 20);
  scene->dd = clew_dd_open(&(struct clew_dd_config){
      .budget = &scene->budget, .threads = threads, .patience = threads > 1 ? 4 : 0});
  assert_non_null(scene->dd);
  clew_dd_collect_often(scene->dd, often);
  for (uint32_t i = 0; i < LEVELS; i++) {
    clew_dd_keep(scene->dd, &scene->relations[i]);
  }
}

/* `is_impatient`: it is left off again and again, and goes on with what it has. */
static void check_saturation(uint64_t seed, uint32_t often, uint32_t threads, bool is_impatient) {
  struct scene *scene = clew_alloc_zero(1, sizeof *scene);
  clew_random_seed(&scene->random, seed);
  for (uint32_t round = 0; round < ROUNDS; round++) {
    bool has[POINTS];
    open_scene(scene, often, threads);
    random_rows(scene);
    make_layers(scene);
    const struct clew_ldd_saturation saturation = {scene->layers, LEVELS, learn, leaves, scene};
    clew_ldd set = initial(scene, has);
    close_points(scene, has);
    enum clew_dd_status status;
    bool was_left = true;
    for (uint32_t patience = is_impatient ? 1 : 1000000; was_left; patience *= 2) {
      scene->patience = patience;
      set = clew_ldd_saturate(scene->dd, set, &saturation, &status);
      assert_int_equal(status, CLEW_DD_OK);
      was_left = scene->patience == UINT32_MAX;
    }
    for (uint32_t point = 0; point < POINTS; point++) {
      uint32_t vector[LEVELS];
      vector_of(point, vector);
      assert_int_equal(clew_ldd_member(scene->dd, set, vector, LEVELS), has[point]);
    }
    assert_valid(scene->dd);
    clew_dd_close(scene->dd);
  }
  clew_free(scene);
}

static void test_saturate(void **state) {
  (void)state;
  check_saturation(1, 0, 1, false);
}

static void test_collected(void **state) {
  (void)state;
  check_saturation(2, 1, 1, false);
  check_saturation(3, 3, 1, false);
}

static void test_left(void **state) {
  (void)state;
  check_saturation(4, 0, 1, true);
  check_saturation(5, 2, 1, true);
}

static void test_shared(void **state) {
  (void)state;
  check_saturation(6, 2, 2, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_saturate),
      cmocka_unit_test(test_collected),
      cmocka_unit_test(test_left),
      cmocka_unit_test(test_shared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
