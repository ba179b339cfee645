/* List decision diagrams against plain sets, with and without collections between operations. */
#include "unit/ldd_sets.h"

enum { ROUNDS = 3000, SHARED_ROUNDS = 150 };

struct scene {
  struct clew_budget budget;
  struct clew_dd *dd;
  struct clew_random random;
};

/* With several threads every operation that takes a step is shared by all of them. */
static void open_shared(struct scene *scene, uint64_t seed, uint32_t often, uint32_t threads) {
  clew_budget_init(&scene->budget, 64 << 20);
  scene->dd = clew_dd_open(&(struct clew_dd_config){
      .budget = &scene->budget, .seed = seed, .threads = threads, .patience = 1});
  assert_non_null(scene->dd);
  clew_dd_collect_often(scene->dd, often);
  clew_random_seed(&scene->random, seed);
}

static void open_scene(struct scene *scene, uint64_t seed, uint32_t often) {
  open_shared(scene, seed, often, 1);
}

static uint32_t rounds_of(uint32_t threads) {
  return threads > 1 ? SHARED_ROUNDS : ROUNDS;
}

static void close_scene(struct scene *scene) {
  assert_valid(scene->dd);
  clew_dd_close(scene->dd);
  assert_int_equal(clew_budget_used(&scene->budget), 0);
}

/* ---- the thesis ---- */

static void test_example(void **state) {
  (void)state;
  struct scene scene;
  open_scene(&scene, 1, 0);
  uint32_t rows[] = {2, 0, 3, 1, 0, 0, 0, 0, 0, 2, 3, 0};
  clew_ldd set = clew_ldd_from_rows(scene.dd, rows, 3, 4);
  struct clew_natural count = {0};
  clew_ldd_count(scene.dd, set, &count);
  assert_int_equal(clew_natural_at_most(&count, 100), 3);
  assert_int_equal(clew_ldd_nodes(scene.dd, set), 10);
  uint64_t nodes[4], sum = 0;
  clew_ldd_level_nodes(scene.dd, set, 4, nodes);
  for (uint32_t i = 0; i < 4; i++) {
    sum += nodes[i];
  }
  assert_int_equal(nodes[0], 2);
  assert_int_equal(nodes[1], 3);
  assert_int_equal(sum, 10);
  clew_natural_free(&count);
  close_scene(&scene);
}

static void test_dot(void **state) {
  (void)state;
  struct scene scene;
  open_scene(&scene, 1, 0);
  uint32_t rows[] = {0, 3, 2, 1, 2, 3};
  clew_ldd set = clew_ldd_from_rows(scene.dd, rows, 3, 2);
  struct clew_text text = {0};
  clew_ldd_dot(scene.dd, set, 2, NULL, &text);
  assert_non_null(strstr(clew_text_str(&text), "digraph ldd {"));
  assert_non_null(strstr(clew_text_str(&text), "-> end;"));
  assert_non_null(strstr(clew_text_str(&text), "style=dashed")); /* {3} is the end of {1, 3} */
  clew_text_free(&text);
  close_scene(&scene);
}

/* ---- sets ---- */

struct pair {
  struct space space;
  struct plain x, y, expected;
  clew_ldd a, b;
};

static void make_pair(struct scene *scene, struct pair *pair) {
  pair->space = space_random(&scene->random, 7);
  plain_random(&scene->random, &pair->space, &pair->x);
  plain_random(&scene->random, &pair->space, &pair->y);
  pair->a = ldd_of(scene->dd, &scene->random, &pair->space, &pair->x);
  clew_dd_keep(scene->dd, &pair->a);
  pair->b = ldd_of(scene->dd, &scene->random, &pair->space, &pair->y);
  clew_dd_keep(scene->dd, &pair->b);
}

static void drop_pair(struct scene *scene) {
  clew_dd_drop(scene->dd, 2);
}

static void check_sets(uint64_t seed, uint32_t often, uint32_t threads) {
  struct scene scene;
  struct pair *pair = clew_alloc_zero(1, sizeof *pair);
  open_shared(&scene, seed, often, threads);
  for (uint32_t round = 0; round < rounds_of(threads); round++) {
    make_pair(&scene, pair);
    assert_same(scene.dd, pair->a, &pair->space, &pair->x);
    clew_ldd either = clew_ldd_union(scene.dd, pair->a, pair->b);
    clew_dd_keep(scene.dd, &either);
    clew_ldd both = clew_ldd_intersect(scene.dd, pair->a, pair->b);
    clew_dd_keep(scene.dd, &both);
    clew_ldd only = clew_ldd_minus(scene.dd, pair->a, pair->b);
    clew_dd_keep(scene.dd, &only);
    bool subset = true, contained;
    for (uint32_t i = 0; i < pair->space.points; i++) {
      subset &= !pair->x.has[i] || pair->y.has[i];
      pair->expected.has[i] = pair->x.has[i] || pair->y.has[i];
    }
    assert_same(scene.dd, either, &pair->space, &pair->expected);
    assert_true(clew_ldd_subset(scene.dd, pair->a, pair->b, &contained));
    assert_int_equal(contained, subset);
    for (uint32_t i = 0; i < pair->space.points; i++) {
      pair->expected.has[i] = pair->x.has[i] && pair->y.has[i];
    }
    assert_same(scene.dd, both, &pair->space, &pair->expected);
    for (uint32_t i = 0; i < pair->space.points; i++) {
      pair->expected.has[i] = pair->x.has[i] && !pair->y.has[i];
    }
    assert_same(scene.dd, only, &pair->space, &pair->expected);
    /* Equal sets are equal numbers, however they were made. */
    clew_ldd again = clew_ldd_union(scene.dd, only, both);
    assert_int_equal(again, pair->a);
    clew_dd_drop(scene.dd, 3);
    drop_pair(&scene);
  }
  struct clew_dd_figures figures;
  clew_dd_figures(scene.dd, &figures);
  assert_true(often == 0 || figures.collections > rounds_of(threads));
  assert_true(threads == 1 || figures.shared_operations > SHARED_ROUNDS);
  close_scene(&scene);
  clew_free(pair);
}

static void test_sets(void **state) {
  (void)state;
  check_sets(1, 0, 1);
}

static void test_sets_collected(void **state) {
  (void)state;
  check_sets(2, 1, 1);
  check_sets(3, 2, 1);
}

/* ---- lists ---- */

static void test_sets_shared(void **state) {
  (void)state;
  check_sets(21, 0, 2);
  check_sets(22, 3, 4);
}

static void test_list(void **state) {
  (void)state;
  struct scene scene;
  struct pair *pair = clew_alloc_zero(1, sizeof *pair);
  uint32_t *rows = clew_alloc(sizeof *rows * MOST_POINTS * MOST_LEVELS);
  open_scene(&scene, 4, 3);
  for (uint32_t round = 0; round < ROUNDS; round++) {
    make_pair(&scene, pair);
    uint32_t levels = pair->space.levels, point = 0, got, vector[MOST_LEVELS];
    const uint32_t *after = NULL;
    uint32_t most = 1 + (uint32_t)clew_random_below(&scene.random, 50);
    while ((got = clew_ldd_list(scene.dd, pair->a, levels, after, rows, most)) > 0) {
      assert_true(got <= most);
      for (uint32_t i = 0; i < got; i++, point++) {
        while (!pair->x.has[point]) {
          point++;
        }
        assert_int_equal(space_point(&pair->space, rows + i * levels), point);
      }
      memcpy(vector, rows + (got - 1) * levels, levels * sizeof *vector);
      if (after == NULL) {
        clew_ldd_least(scene.dd, pair->a, levels, vector + 0);
        assert_memory_equal(vector, rows, levels * sizeof *vector);
        memcpy(vector, rows + (got - 1) * levels, levels * sizeof *vector);
      }
      after = vector;
    }
    while (point < pair->space.points && !pair->x.has[point]) {
      point++;
    }
    assert_int_equal(point, pair->space.points);
    drop_pair(&scene);
  }
  close_scene(&scene);
  clew_free(rows);
  clew_free(pair);
}

/* ---- relations ---- */

/* Roles as they are drawn: SKIP to READ_WRITE, then MAY_WRITE. */
static unsigned char role_of(uint64_t number) {
  return (unsigned char)(number < CLEW_LDD_ACT ? number : CLEW_LDD_MAY_WRITE);
}

/* The short space of these roles: where each level's values are in a short vector. One more value
 * than there are says that the old one stays. */
static struct space short_space(const struct space *space, const unsigned char *roles) {
  struct space result = {.points = 1};
  for (uint32_t i = 0; i < space->levels; i++) {
    uint32_t parts = roles[i] == CLEW_LDD_READ_WRITE ? 2 : roles[i] != CLEW_LDD_SKIP;
    for (; parts > 0; parts--) {
      uint32_t radix = space->radix[i] + (roles[i] == CLEW_LDD_MAY_WRITE);
      result.radix[result.levels++] = radix;
      result.points *= radix;
    }
  }
  return result;
}

/* Whether the short vector turns `from` into *to. */
static bool applies(const struct space *space, const unsigned char *roles, const uint32_t *row,
                    const uint32_t *from, uint32_t *to) {
  for (uint32_t i = 0; i < space->levels; i++) {
    bool reads = roles[i] == CLEW_LDD_READ || roles[i] == CLEW_LDD_READ_WRITE;
    bool writes = roles[i] == CLEW_LDD_WRITE || roles[i] == CLEW_LDD_READ_WRITE;
    to[i] = from[i];
    if (reads && *row++ != from[i]) {
      return false;
    }
    if (writes) {
      to[i] = *row++;
    }
    if (roles[i] == CLEW_LDD_MAY_WRITE) {
      uint32_t written = *row++;
      to[i] = written == space->radix[i] ? from[i] : written;
    }
  }
  return true;
}

struct relation {
  struct space space, narrow;
  unsigned char roles[MOST_LEVELS];
  struct plain set, rows, universe, forwards, backwards, projected;
};

static void random_roles(struct scene *scene, struct relation *r, uint64_t kinds) {
  do {
    r->space = space_random(&scene->random, 5);
    for (uint32_t i = 0; i < r->space.levels; i++) {
      r->roles[i] = role_of(clew_random_below(&scene->random, kinds));
    }
    r->narrow = short_space(&r->space, r->roles);
  } while (r->narrow.points > MOST_POINTS || r->narrow.levels > MOST_LEVELS);
}

/* The relation of the rows, in which values that stay are CLEW_LDD_COPY. */
static clew_ldd rows_of(struct clew_dd *dd, const struct relation *r) {
  uint32_t *rows = clew_alloc(sizeof *rows * MOST_POINTS * MOST_LEVELS);
  uint64_t count = 0;
  for (uint32_t j = 0; j < r->narrow.points; j++) {
    uint32_t *row = rows + count * r->narrow.levels, at = 0;
    if (!r->rows.has[j]) {
      continue;
    }
    space_vector(&r->narrow, j, row);
    for (uint32_t i = 0; i < r->space.levels; i++) {
      if (r->roles[i] == CLEW_LDD_MAY_WRITE && row[at] == r->space.radix[i]) {
        row[at] = CLEW_LDD_COPY;
      }
      at += r->roles[i] == CLEW_LDD_READ_WRITE ? 2 : r->roles[i] != CLEW_LDD_SKIP;
    }
    count++;
  }
  clew_ldd made = clew_ldd_from_rows(dd, rows, count, r->narrow.levels);
  clew_free(rows);
  return made;
}

/* By trying every vector with every row. */
static void compute_relation(struct relation *r) {
  uint32_t from[MOST_LEVELS], to[MOST_LEVELS], row[MOST_LEVELS];
  memset(&r->forwards, 0, sizeof r->forwards);
  memset(&r->backwards, 0, sizeof r->backwards);
  for (uint32_t j = 0; j < r->narrow.points; j++) {
    space_vector(&r->narrow, j, row);
    for (uint32_t i = 0; r->rows.has[j] && i < r->space.points; i++) {
      space_vector(&r->space, i, from);
      if (applies(&r->space, r->roles, row, from, to)) {
        uint32_t target = space_point(&r->space, to);
        r->forwards.has[target] |= r->set.has[i];
        r->backwards.has[i] |= r->universe.has[i] && r->set.has[target];
      }
    }
  }
}

static void check_relations(uint64_t seed, uint32_t often, uint32_t threads) {
  struct scene scene;
  struct relation *r = clew_alloc_zero(1, sizeof *r);
  open_shared(&scene, seed, often, threads);
  for (uint32_t round = 0; round < rounds_of(threads); round++) {
    random_roles(&scene, r, 5);
    plain_random(&scene.random, &r->space, &r->set);
    plain_random(&scene.random, &r->space, &r->universe);
    plain_random(&scene.random, &r->narrow, &r->rows);
    uint32_t forwards = clew_ldd_plan_product(scene.dd, r->roles, r->space.levels);
    uint32_t backwards = clew_ldd_plan_inverse(scene.dd, r->roles, r->space.levels);
    assert_int_equal(clew_ldd_short_length(r->roles, r->space.levels), r->narrow.levels);
    clew_ldd set = ldd_of(scene.dd, &scene.random, &r->space, &r->set);
    clew_dd_keep(scene.dd, &set);
    clew_ldd universe = ldd_of(scene.dd, &scene.random, &r->space, &r->universe);
    clew_dd_keep(scene.dd, &universe);
    clew_ldd rows = rows_of(scene.dd, r);
    clew_dd_keep(scene.dd, &rows);
    compute_relation(r);
    clew_ldd next = clew_ldd_product(scene.dd, set, rows, forwards);
    assert_same(scene.dd, next, &r->space, &r->forwards);
    clew_ldd before = clew_ldd_inverse(scene.dd, set, rows, backwards, universe);
    assert_same(scene.dd, before, &r->space, &r->backwards);
    clew_dd_drop(scene.dd, 3);
  }
  close_scene(&scene);
  clew_free(r);
}

static void test_relations(void **state) {
  (void)state;
  check_relations(5, 0, 1);
}

static void test_relations_collected(void **state) {
  (void)state;
  check_relations(6, 1, 1);
  check_relations(7, 4, 1);
}

static void test_relations_shared(void **state) {
  (void)state;
  check_relations(23, 0, 2);
  check_relations(24, 3, 4);
}

static void test_project(void **state) {
  (void)state;
  struct scene scene;
  struct relation *r = clew_alloc_zero(1, sizeof *r);
  open_scene(&scene, 8, 5);
  for (uint32_t round = 0; round < ROUNDS; round++) {
    uint32_t vector[MOST_LEVELS], narrow[MOST_LEVELS];
    random_roles(&scene, r, 2);
    plain_random(&scene.random, &r->space, &r->set);
    memset(&r->projected, 0, sizeof r->projected);
    for (uint32_t i = 0; i < r->space.points; i++) {
      uint32_t n = 0;
      space_vector(&r->space, i, vector);
      for (uint32_t level = 0; level < r->space.levels; level++) {
        if (r->roles[level] == CLEW_LDD_READ) {
          narrow[n++] = vector[level];
        }
      }
      if (r->set.has[i]) {
        r->projected.has[space_point(&r->narrow, narrow)] = true;
      }
    }
    uint32_t plan = clew_ldd_plan_projection(scene.dd, r->roles, r->space.levels);
    clew_ldd set = ldd_of(scene.dd, &scene.random, &r->space, &r->set);
    assert_same(scene.dd, clew_ldd_project(scene.dd, set, plan), &r->narrow, &r->projected);
  }
  close_scene(&scene);
  clew_free(r);
}

/* ---- counts beyond 64 bits ---- */

static void test_large_counts(void **state) {
  (void)state;
  struct scene scene;
  open_scene(&scene, 9, 0);
  clew_ldd set = CLEW_LDD_UNIT;
  clew_dd_keep(scene.dd, &set);
  for (uint32_t level = 0; level < 50; level++) { /* all vectors of 50 digits */
    clew_ldd list = CLEW_LDD_EMPTY;
    for (uint32_t digit = 10; digit-- > 0;) {
      list = clew_ldd_make(scene.dd, digit, set, list);
    }
    set = list;
  }
  struct clew_natural count = {0};
  struct clew_text text = {0};
  clew_ldd_count(scene.dd, set, &count);
  clew_natural_print(&count, &text);
  assert_string_equal(clew_text_str(&text), "100000000000000000000000000000000000000000000000000");
  assert_int_equal(clew_ldd_nodes(scene.dd, set), 500);
  uint32_t zeros[50] = {0};
  clew_ldd one = clew_ldd_from_rows(scene.dd, zeros, 1, 50);
  set = clew_ldd_minus(scene.dd, set, one);
  clew_ldd_count(scene.dd, set, &count);
  clew_text_clear(&text);
  clew_natural_print(&count, &text);
  assert_string_equal(clew_text_str(&text), "99999999999999999999999999999999999999999999999999");
  clew_text_free(&text);
  clew_natural_free(&count);
  close_scene(&scene);
}

/* ---- memory that ends ---- */

static uint64_t count_of(struct clew_dd *dd, clew_ldd set) {
  struct clew_natural count = {0};
  clew_ldd_count(dd, set, &count);
  uint64_t number = clew_natural_at_most(&count, UINT64_MAX);
  clew_natural_free(&count);
  return number;
}

static uint64_t listed_of(const struct clew_dd *dd, clew_ldd set, uint32_t levels) {
  enum { AT_ONCE = 100 };
  uint32_t rows[AT_ONCE * 16], last[16], got;
  uint64_t listed = 0;
  do {
    got = clew_ldd_list(dd, set, levels, listed > 0 ? last : NULL, rows, AT_ONCE);
    if (got > 0) {
      memcpy(last, rows + (got - 1) * levels, levels * sizeof *last);
    }
    listed += got;
  } while (got == AT_ONCE);
  return listed;
}

/* Unions of random sets in a budget that is too small for them: either right, or no answer, and
 * everything that is kept stays as it was. */
static void check_shortage(uint64_t bytes, uint64_t seed, uint32_t threads) {
  struct clew_budget budget;
  struct clew_random random;
  clew_budget_init(&budget, bytes);
  struct clew_dd *dd = clew_dd_open(&(struct clew_dd_config){
      .budget = &budget, .seed = seed, .threads = threads, .patience = 100});
  if (dd == NULL) {
    return;
  }
  clew_random_seed(&random, seed);
  enum { LEVELS = 12, ROWS = 600 };
  static uint32_t rows[ROWS * LEVELS];
  clew_ldd all = CLEW_LDD_EMPTY, first = CLEW_LDD_EMPTY;
  clew_dd_keep(dd, &all);
  clew_dd_keep(dd, &first);
  uint64_t refusals = 0;
  for (uint32_t round = 0; round < 60 && refusals < 5; round++) {
    for (uint32_t i = 0; i < ROWS * LEVELS; i++) {
      rows[i] = (uint32_t)clew_random_below(&random, 30);
    }
    clew_ldd more = clew_ldd_from_rows(dd, rows, ROWS, LEVELS);
    if (more != CLEW_DD_NONE && round == 0) {
      first = more;
    }
    clew_ldd sum = more == CLEW_DD_NONE ? more : clew_ldd_union(dd, all, more);
    if (sum == CLEW_DD_NONE) {
      assert_int_equal(clew_dd_status(dd), CLEW_DD_FULL);
      refusals++;
      continue;
    }
    all = sum;
    bool contained;
    assert_true(clew_ldd_subset(dd, first, all, &contained) && contained);
  }
  const char *why;
  assert_true(clew_ldd_validate(dd, all, LEVELS, &why));
  assert_int_equal(count_of(dd, all), listed_of(dd, all, LEVELS)); /* also without memory for it */
  assert_valid(dd);
  assert_true(budget.peak_bytes <= bytes);
  clew_dd_close(dd);
}

static void test_shortage(void **state) {
  (void)state;
  for (uint64_t kilobytes = 4; kilobytes < 6000; kilobytes = kilobytes * 5 / 4 + 1) {
    check_shortage(kilobytes << 10, kilobytes, 1);
  }
  for (uint64_t kilobytes = 16; kilobytes < 6000; kilobytes = kilobytes * 2 + 1) {
    check_shortage(kilobytes << 10, kilobytes, 3);
  }
}

static void test_stop(void **state) {
  (void)state;
  struct clew_budget budget;
  atomic_bool stop = false;
  clew_budget_init(&budget, 16 << 20);
  struct clew_dd *dd = clew_dd_open(&(struct clew_dd_config){.budget = &budget, .stop = &stop});
  uint32_t rows[] = {0, 1, 1, 0}, others[] = {0, 2, 1, 3};
  clew_ldd a = clew_ldd_from_rows(dd, rows, 2, 2), b = clew_ldd_from_rows(dd, others, 2, 2);
  clew_dd_keep(dd, &a);
  clew_dd_keep(dd, &b);
  atomic_store(&stop, true);
  assert_int_equal(clew_ldd_union(dd, a, b), CLEW_DD_NONE);
  assert_int_equal(clew_dd_status(dd), CLEW_DD_STOPPED);
  atomic_store(&stop, false);
  clew_ldd both = clew_ldd_union(dd, a, b);
  struct clew_natural count = {0};
  clew_ldd_count(dd, both, &count);
  assert_int_equal(clew_natural_at_most(&count, 9), 4);
  clew_natural_free(&count);
  clew_dd_close(dd);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_example),
      cmocka_unit_test(test_dot),
      cmocka_unit_test(test_sets),
      cmocka_unit_test(test_sets_collected),
      cmocka_unit_test(test_sets_shared),
      cmocka_unit_test(test_list),
      cmocka_unit_test(test_relations),
      cmocka_unit_test(test_relations_collected),
      cmocka_unit_test(test_relations_shared),
      cmocka_unit_test(test_project),
      cmocka_unit_test(test_large_counts),
      cmocka_unit_test(test_shortage),
      cmocka_unit_test(test_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
