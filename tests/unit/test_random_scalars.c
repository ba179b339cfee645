/* Random timed automata with scalar sets: the states that a reduced model reaches are the orbits of
 * those that the unreduced one reaches, one for one; and both find the same run-time errors and the
 * same answers to queries. Orbits are found here by renaming the printed names and values of
 * variables and clocks in every way, without anything of clew's symmetry. Some models are also
 * searched by every engine and some stores, with and without reduction.
 *
 *   test_random_scalars               a fixed sample
 *   test_random_scalars FIRST COUNT   these models instead, with a summary */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "lang/uppaal/uppaal.h"
#include "unit/effort.h"
#include "unit/random_agree.h"
#include "unit/random_scalars.h"
#include "unit/state_set.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SEARCHED = 10 }; /* sanitizers are slow */
#else
enum { SEARCHED = 30 };
#endif
enum { NATIVE_EVERY = 30, SAMPLE = 400, MOST_STATES = 3000, RENAMINGS = 12, MOST_ITEMS = 400 };

static struct {
  uint32_t halves, refused, large, unreduced, reduced, failing, found;
  uint64_t states, orbits;
} totals;

static const uint8_t perms[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* ---- Renaming by names ---------------------------------------------------------------------- */

static uint8_t rename_value(char set, uint32_t renaming, uint32_t value) {
  if (set == 'S') {
    return perms[renaming % 6][value];
  }
  return (uint8_t)(set == 'T' && renaming >= 6 ? 1 - value : value);
}

static bool is_name(const char *from, size_t length, const char *name) {
  return strlen(name) == length && memcmp(from, name, length) == 0;
}

/* The set of what stands in ( ) or [ ] behind a name. */
static char index_set(const char *name, size_t length) {
  static const char *const of_s[] = {"P", "Q", "a", "nx", "m", "h"};
  for (size_t i = 0; i < sizeof of_s / sizeof of_s[0]; i++) {
    if (is_name(name, length, of_s[i])) {
      return 'S';
    }
  }
  return is_name(name, length, "R") || is_name(name, length, "tt") ? 'T' : '-';
}

static char value_set(const char *name) {
  const char *dot = strrchr(name, '.');
  const char *last = dot != NULL ? dot + 1 : name;
  size_t length = strcspn(last, "[");
  if (is_name(last, length, "own") || is_name(last, length, "nx") || is_name(last, length, "w")) {
    return 'S';
  }
  return is_name(last, length, "ot") ? 'T' : '-';
}

static void rename_name(const char *name, uint32_t renaming, char *out, size_t room) {
  size_t start = 0, length = 0, at = 0;
  for (size_t i = 0; name[i] != '\0' && at + 1 < room; i++) {
    bool is_index =
        i > 0 && (name[i - 1] == '(' || name[i - 1] == '[') && name[i] >= '0' && name[i] <= '9';
    if (is_index) {
      char set = index_set(name + start, length);
      out[at++] = (char)('0' + rename_value(set, renaming, (uint32_t)(name[i] - '0')));
      continue;
    }
    if (name[i] == '.') {
      start = i + 1;
      length = 0;
    } else if (name[i] == '[' || name[i] == '(') {
      length = length == 0 ? i - start : length;
    }
    out[at++] = name[i];
  }
  out[at] = '\0';
}

/* ---- Keys: the values of all variables, and the bounds of all pairs of clocks ---------------- */

struct plan {
  const struct clew_model *model;
  bool uses[RENAMINGS];
  uint32_t slot_count, clock_count, count;
  uint32_t slots[MOST_ITEMS];
  char sets[MOST_ITEMS];
  uint32_t to_slot[RENAMINGS][MOST_ITEMS];  /* by item */
  uint32_t to_clock[RENAMINGS][MOST_ITEMS]; /* by clock */
};

static uint32_t find_slot(const struct plan *p, const char *name) {
  for (uint32_t i = 0; i < p->slot_count; i++) {
    if (strcmp(p->model->slots[p->slots[i]].name, name) == 0) {
      return i;
    }
  }
  fail_msg("no slot %s", name);
  return 0;
}

static uint32_t find_clock(const struct plan *p, const char *name) {
  for (uint32_t i = 1; i < p->clock_count; i++) {
    if (strcmp(p->model->timed->clock_names[i], name) == 0) {
      return i;
    }
  }
  fail_msg("no clock %s", name);
  return 0;
}

/* Only values of the sets that the reduced model renames. */
static void plan_open(struct plan *p, const struct clew_model *model,
                      const struct clew_model *reduced) {
  char name[64];
  struct clew_exec_info info;
  reduced->exec_info(reduced, &info);
  const char *notice = info.symmetry_notice != NULL ? info.symmetry_notice : "";
  *p = (struct plan){.model = model};
  for (uint32_t r = 0; r < RENAMINGS; r++) {
    p->uses[r] =
        (r % 6 == 0 || strstr(notice, "'S'") == NULL) && (r < 6 || strstr(notice, "'T'") == NULL);
  }
  p->clock_count = model->timed != NULL ? model->timed->clock_count : 0;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (!model->slots[i].hidden) {
      assert_true(p->slot_count < MOST_ITEMS);
      p->sets[p->slot_count] = value_set(model->slots[i].name);
      p->slots[p->slot_count++] = i;
    }
  }
  p->count = p->slot_count + p->clock_count * p->clock_count;
  for (uint32_t r = 0; r < RENAMINGS; r++) {
    for (uint32_t i = 0; i < p->slot_count; i++) {
      rename_name(model->slots[p->slots[i]].name, r, name, sizeof name);
      p->to_slot[r][i] = find_slot(p, name);
    }
    for (uint32_t i = 1; i < p->clock_count; i++) {
      rename_name(model->timed->clock_names[i], r, name, sizeof name);
      p->to_clock[r][i] = find_clock(p, name);
    }
  }
}

static void read_key(const struct plan *p, const uint64_t *state, int64_t *key) {
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const struct clew_slot *slot = &p->model->slots[p->slots[i]];
    key[i] = clew_slot_get(slot, state) - (p->sets[i] != '-' ? slot->domain->lo : 0);
  }
  for (uint32_t i = 0; i < p->clock_count; i++) {
    for (uint32_t j = 0; j < p->clock_count; j++) {
      key[p->slot_count + i * p->clock_count + j] = p->model->timed->bound(p->model, state, i, j);
    }
  }
}

static void rename_key(const struct plan *p, uint32_t r, const int64_t *key, int64_t *out) {
  for (uint32_t i = 0; i < p->slot_count; i++) {
    out[p->to_slot[r][i]] =
        p->sets[i] != '-' ? rename_value(p->sets[i], r, (uint32_t)key[i]) : key[i];
  }
  for (uint32_t i = 0; i < p->clock_count; i++) {
    for (uint32_t j = 0; j < p->clock_count; j++) {
      out[p->slot_count + p->to_clock[r][i] * p->clock_count + p->to_clock[r][j]] =
          key[p->slot_count + i * p->clock_count + j];
    }
  }
}

/* The least key of the orbit. */
static void least_key(const struct plan *p, const uint64_t *state, int64_t *least) {
  int64_t *key = clew_alloc_zero(p->count + 1, sizeof *key),
          *trial = clew_alloc_zero(p->count + 1, sizeof *trial);
  read_key(p, state, key);
  for (uint32_t r = 0; r < RENAMINGS; r++) {
    if (!p->uses[r]) {
      continue;
    }
    rename_key(p, r, key, trial);
    if (r == 0 || memcmp(trial, least, p->count * sizeof *trial) < 0) {
      memcpy(least, trial, p->count * sizeof *trial);
    }
  }
  clew_free(key);
  clew_free(trial);
}

/* ---- Exploration ---------------------------------------------------------------------------- */

struct found {
  struct state_set states;
  bool complete, faults;
  bool violated[16];
};

static void look_at(const struct clew_model *model, const uint64_t *state, struct found *f) {
  for (uint32_t i = 0; i < model->property_count; i++) {
    uint64_t enabled = UINT64_C(1) << i;
    uint32_t site = CLEW_NONE;
    if (model->properties[i].kind == CLEW_PROPERTY_INVARIANT) {
      f->violated[i] |= model->check(model, &enabled, state, &site) != CLEW_NONE;
      f->faults |= site != CLEW_NONE;
    }
  }
}

static void explore(const struct clew_model *model, struct found *f) {
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, model->cover_count);
  state_set_open(&f->states, model->words);
  assert_true(model->property_count <= 16);
  model->init(model, &succs);
  uint64_t *state = clew_alloc_zero(model->words, sizeof *state);
  for (uint32_t next = 0;; next++) {
    f->faults |= succs.fault_count > 0;
    for (uint32_t i = 0; i < succs.count && state_set_count(&f->states) <= MOST_STATES; i++) {
      const uint64_t *successor = succs.states + (size_t)i * model->words;
      uint64_t hash = clew_hash_words(successor, model->words, 1);
      if (state_set_find(&f->states, hash, successor) == STATE_SET_NONE) {
        state_set_add(&f->states, hash, successor);
      }
    }
    if (next == state_set_count(&f->states) || state_set_count(&f->states) > MOST_STATES) {
      break;
    }
    memcpy(state, state_set_at(&f->states, next), model->words * sizeof *state);
    look_at(model, state, f);
    clew_succs_clear(&succs);
    model->next(model, state, &succs);
  }
  f->complete = state_set_count(&f->states) <= MOST_STATES;
  clew_free(state);
  clew_succs_close(&succs);
}

static void count_orbits(const struct clew_model *model, const struct clew_model *reduced,
                         const struct found *f, struct state_set *orbits) {
  struct plan *p = clew_alloc_zero(1, sizeof *p);
  plan_open(p, model, reduced);
  int64_t *key = clew_alloc_zero(p->count + 1, sizeof *key);
  state_set_open(orbits, p->count);
  for (uint32_t i = 0; i < state_set_count(&f->states); i++) {
    least_key(p, state_set_at(&f->states, i), key);
    uint64_t hash = clew_hash_words((uint64_t *)key, p->count, 1);
    if (state_set_find(orbits, hash, (uint64_t *)key) == STATE_SET_NONE) {
      state_set_add(orbits, hash, (uint64_t *)key);
    }
  }
  clew_free(key);
  clew_free(p);
}

/* ---- One model ------------------------------------------------------------------------------ */

static struct clew_model *load(const char *text, const char *queries, enum clew_time_mode time,
                               bool is_flat, enum clew_symmetry_mode symmetry) {
  struct clew_source source = {"random", text, strlen(text)};
  struct clew_formulas formulas = {{"--query", queries, strlen(queries)}, "--query"};
  struct clew_load_request request = {.source = &source,
                                      .formulas = &formulas,
                                      .formulas_count = 1,
                                      .time = time,
                                      .exec = CLEW_MODE_INTERP,
                                      .symmetry = symmetry,
                                      .zones = {.is_flat = is_flat}};
  struct clew_diag_sink diags = {0};
  struct clew_model *model = NULL;
  clew_language_uppaal.load(&request, &diags, &model);
  if (getenv("CLEW_TEST_TALK") != NULL) {
    for (uint32_t i = 0; i < diags.len; i++) {
      printf("%u:%u: %s\n", diags.data[i].position.line, diags.data[i].position.column,
             diags.data[i].message);
    }
  }
  clew_diag_sink_free(&diags);
  return model;
}

static void demand(bool condition, uint64_t seed, const char *text, const char *queries,
                   const char *what) {
  if (!condition) {
    fprintf(stderr, "seed %llu: %s\n%s%s\n", (unsigned long long)seed, what, text, queries);
  }
  assert_true(condition);
}

static void compare(uint64_t seed, const char *text, const char *queries, enum clew_time_mode time,
                    bool is_flat) {
  struct clew_model *plain = load(text, queries, time, is_flat, CLEW_SYMMETRY_OFF);
  struct clew_model *reduced = load(text, queries, time, is_flat, CLEW_SYMMETRY_CANONICAL);
  demand((plain == NULL) == (reduced == NULL), seed, text, queries, "refused or not");
  if (plain == NULL || reduced->reduction == NULL) {
    totals.refused += plain == NULL;
    totals.unreduced += plain != NULL;
  } else {
    struct found a = {0}, b = {0};
    explore(plain, &a);
    if (a.complete) {
      explore(reduced, &b);
      struct state_set orbits, own;
      count_orbits(plain, reduced, &a, &orbits);
      count_orbits(reduced, reduced, &b, &own);
      demand(state_set_count(&own) == state_set_count(&b.states), seed, text, queries,
             "two representatives of one orbit");
      demand(state_set_count(&orbits) == state_set_count(&b.states), seed, text, queries,
             "other orbits are reached");
      demand(a.faults == b.faults, seed, text, queries, "run-time errors");
      demand(memcmp(a.violated, b.violated, sizeof a.violated) == 0, seed, text, queries,
             "answers");
      totals.reduced++;
      totals.halves += 2 * state_set_count(&orbits) < state_set_count(&a.states);
      totals.failing += a.faults;
      totals.states += state_set_count(&a.states);
      totals.orbits += state_set_count(&orbits);
      for (uint32_t i = 0; i < 16; i++) {
        totals.found += a.violated[i];
      }
      state_set_close(&orbits);
      state_set_close(&own);
      state_set_close(&b.states);
    } else {
      totals.large++;
    }
    state_set_close(&a.states);
  }
  if (plain != NULL) {
    plain->close(plain);
  }
  if (reduced != NULL) {
    reduced->close(reduced);
  }
}

static void try_seed(uint64_t seed) {
  struct clew_text text = {0}, queries = {0};
  random_scalars(&text, seed);
  for (uint32_t i = 0; i < RS_QUERIES; i++) {
    random_scalars_query(&queries, seed, i);
    clew_text_char(&queries, '\n');
  }
  compare(seed, clew_text_str(&text), clew_text_str(&queries), CLEW_TIME_ZONES, seed % 2 == 0);
  compare(seed, clew_text_str(&text), clew_text_str(&queries), CLEW_TIME_DIGITAL, false);
  compare(seed, clew_text_str(&text), clew_text_str(&queries), CLEW_TIME_NONE, false);
  clew_text_free(&text);
  clew_text_free(&queries);
}

/* ---- All searches --------------------------------------------------------------------------- */

static void write_file(struct clew_scratch *scratch, const char *name,
                       const struct clew_text *text) {
  int file = clew_scratch_file(scratch, name);
  assert_true(file >= 0 && clew_fd_write_at(file, clew_text_str(text), text->len, 0));
  close(file);
}

/* Each search with and without reduction: the same verdict, confirmed traces, and breadth-first
 * with zones that are equal or not the same depth. */
static enum ra_fate compare_searches(struct ra *a) {
  static const struct {
    const char *options;
    bool has_levels;
  } searches[] = {
      {"--zone flat --store exact", true},
      {"", false},
      {"--search dfs", false},
      {"--threads 4 --thread-share 1", false},
      {"--subsumption alu", false},
      {"--store comback --cb-cache F:5 --cb-candidates 20", true},
      {"--store disk --memory 8M", true},
      {"--time digital --store exact", true},
      {"--time none --store exact --search dfs", false},
  };
  a->deadlock = "";
  struct ra_answer first = ra_search(a, "stats", "--zone flat --max-states 2000", "--symmetry off");
  if (!first.ran || !first.complete) {
    return first.ran ? RA_LARGE : RA_REFUSED;
  }
  for (size_t i = 0; i < sizeof searches / sizeof searches[0]; i++) {
    char more[RA_LINE_BYTES];
    const char *exec = a->native ? "native" : "interp";
    snprintf(more, sizeof more, "--exec %s --symmetry off", exec);
    struct ra_answer all = ra_search(a, "check", searches[i].options, more);
    snprintf(more, sizeof more, "--exec %s --symmetry canonical", exec);
    struct ra_answer reduced = ra_search(a, "check", searches[i].options, more);
    ra_same(a, "it can be searched", reduced.ran, all.ran);
    ra_same(a, "exit code", (uint64_t)reduced.exit_code, (uint64_t)all.exit_code);
    if (all.ran && reduced.ran) {
      ra_same(a, "verdict", reduced.verdict, all.verdict);
      ra_same(a, "depth", searches[i].has_levels ? reduced.depth : 0,
              searches[i].has_levels ? all.depth : 0);
    }
  }
  return RA_COMPARED;
}

static enum ra_fate agree(uint64_t seed, struct clew_scratch *scratch) {
  struct clew_text text = {0}, query = {0}, path = {0}, complaints = {0};
  char name[32], now[RA_LINE_BYTES] = "";
  random_scalars(&text, seed);
  random_scalars_query(&query, seed, (uint32_t)(seed % RS_QUERIES));
  snprintf(name, sizeof name, "model-%llu.q", (unsigned long long)seed);
  write_file(scratch, name, &query);
  snprintf(name, sizeof name, "model-%llu.xta", (unsigned long long)seed);
  write_file(scratch, name, &text);
  clew_text_printf(&path, "%s/%s", scratch->path, name);
  struct ra a = {.file = clew_text_str(&path),
                 .seed = seed,
                 .native = seed % NATIVE_EVERY == 0,
                 .complaints = &complaints,
                 .now = now};
  enum ra_fate fate = compare_searches(&a);
  if (a.complaint_count > 0) {
    fail_msg("%s\n%s%s", clew_text_str(&complaints), clew_text_str(&text), clew_text_str(&query));
  }
  clew_text_free(&text);
  clew_text_free(&query);
  clew_text_free(&path);
  clew_text_free(&complaints);
  return fate;
}

static void search_all(uint64_t first, uint64_t count) {
  struct clew_scratch scratch;
  struct clew_diag_sink diags = {0};
  uint32_t fates[RA_FATES] = {0};
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  for (uint64_t i = 0; i < count; i++) {
    fates[agree(first + i, &scratch)]++;
  }
  clew_scratch_close(&scratch);
  clew_diag_sink_free(&diags);
  assert_true(fates[RA_COMPARED] >= count / 2);
}

static void test_searches(void **state) {
  (void)state;
  search_all(1, SEARCHED);
}

static void test_sample(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SAMPLE; seed += SPARSE) {
    try_seed(seed);
  }
  assert_true(totals.reduced > SAMPLE / SPARSE / 4);
  assert_true(totals.orbits < totals.states);
}

int main(int argc, char **argv) {
  if (argc == 3) {
    uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    for (uint64_t seed = first; seed < first + count; seed++) {
      try_seed(seed);
    }
    if (getenv("CLEW_TEST_EVERY") != NULL) {
      search_all(first, count);
    }
    printf("%u refused, %u large, %u not reduced, %u compared (%u with run-time errors, %u "
           "queries found something), %u by half or more, %llu states in %llu orbits\n",
           totals.refused, totals.large, totals.unreduced, totals.reduced, totals.failing,
           totals.found, totals.halves, (unsigned long long)totals.states,
           (unsigned long long)totals.orbits);
    return 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sample),
                                     cmocka_unit_test(test_searches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
