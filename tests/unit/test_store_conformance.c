/* Every registered store, held to what it promises and demands (store/store.h) and to nothing else:
 * with every option of its table, growing, refused at every step, settled at random moments, used
 * by several threads, with different states that have the same hash. A store that is added to the
 * registry is tested here without a line more.
 *
 * With an argument only the tests that match it are run: test_store_conformance '*comback*'. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/registry.h"
#include "unit/store_drive.h"
#include "unit/store_settings.h"
#include "unit/tiny_store.h"

/* Stores that are no part of clew. */
static const struct clew_store_type *const more_stores[] = {
    &clew_store_tiny,
};

enum { SEED = 7, AMPLE_MB = 64 };
static const uint64_t MB = 1 << 20;

/* ---- a store that is open ---- */

struct bench {
  const struct clew_store_type *type;
  const struct setting *setting;
  struct clew_budget budget;
  struct clew_scratch scratch;
  struct clew_diag_sink diags;
  struct clew_crew *crew;
  struct system system;
  void *fields;
  struct clew_store *store;
  struct drive drive;
};

static void bench_fail(struct bench *b, const char *what) {
  struct clew_text text = {0};
  clew_text_printf(&text, "%s: %s (%u words, %u bytes, %u keys", b->type->name, what,
                   b->system.words, b->system.bytes, b->system.keys);
  clew_text_printf(&text, ", budget %llu, visit %llu", (unsigned long long)b->budget.limit_bytes,
                   (unsigned long long)b->drive.visits);
  if (b->setting != NULL) {
    setting_print(b->setting, &text);
  }
  clew_text_char(&text, ')');
  static char message[1024];
  snprintf(message, sizeof message, "%s", clew_text_str(&text));
  clew_text_free(&text);
  fail_msg("%s", message);
}

static void bench_free(struct bench *b) {
  setting_free(&b->type->options, b->fields);
  clew_crew_close(b->crew);
  clew_scratch_close(&b->scratch);
  clew_diag_sink_free(&b->diags);
}

/* False when the store does not open, for a reason that it gives. */
static bool bench_open(struct bench *b, uint32_t threads) {
  b->fields = setting_fields(&b->type->options, b->setting);
  assert_int_equal(clew_scratch_open(&b->scratch, NULL, &b->diags), CLEW_OK);
  uint32_t spare = (8 - b->system.bytes % 8) % 8;
  struct clew_store_config config = {.words = b->system.words,
                                     .bytes = spare > 0 ? b->system.bytes : 0,
                                     .threads = threads,
                                     .seed = SEED,
                                     .budget = &b->budget,
                                     .scratch = &b->scratch,
                                     .options = b->fields,
                                     .crew = b->crew,
                                     .diags = &b->diags,
                                     .replay = system_replay,
                                     .replay_context = &b->system,
                                     .discrete_words = b->system.words};
  enum clew_status status = b->type->open(&config, &b->diags, &b->store);
  if (status != CLEW_OK) {
    if (b->store != NULL || b->diags.error_count == 0 || clew_budget_used(&b->budget) != 0) {
      bench_fail(b, "a refusal to open without a reason, or that leaves something");
    }
    bench_free(b);
    return false;
  }
  if ((b->store->promises & ~b->type->promises) != 0 ||
      (b->store->demands & ~b->type->demands) != 0) {
    bench_fail(b, "promises or demands more than its type");
  }
  drive_open(&b->drive, &b->system, b->store, SEED + b->system.keys);
  return true;
}

static void bench_close(struct bench *b) {
  const char *wrong = b->drive.wrong;
  b->store->type->close(b->store);
  if (wrong == NULL && clew_budget_used(&b->budget) != 0) {
    wrong = "the budget is not given back";
  }
  if (wrong == NULL && b->budget.peak_bytes > b->budget.limit_bytes) {
    wrong = "more than the budget was taken";
  }
  if (wrong != NULL) {
    bench_fail(b, wrong);
  }
  drive_close(&b->drive);
  bench_free(b);
}

static void bench_init(struct bench *b, const struct clew_store_type *type, uint32_t words,
                       uint32_t bytes, uint32_t keys, uint64_t memory_bytes) {
  *b = (struct bench){.type = type, .system = {.keys = keys, .words = words, .bytes = bytes}};
  clew_budget_init(&b->budget, memory_bytes);
}

/* ---- the tests ---- */

static const struct clew_store_type *type_of(void **state) {
  return *state;
}

static void explore(struct bench *b, enum drive_order order, uint32_t settle_share, bool must_end) {
  struct drive *d = &b->drive;
  d->order = order;
  d->settle_share = settle_share;
  /* Stores that forget may visit states for ever. */
  d->most_visits = (b->store->promises & CLEW_STORE_REMEMBERS) != 0
                       ? 0
                       : (uint64_t)b->system.keys * SYSTEM_DEGREE * 4;
  drive_begin(d);
  drive_on(d);
  drive_check_complete(d);
  if (must_end && d->refused != CLEW_ROOM && d->refused != CLEW_ROOM_COLLISIONS) {
    drive_wrong(d, "refused although there is room");
  }
  if (d->wrong == NULL) {
    drive_check(d);
    drive_check_adopt(d);
  }
}

/* Random sequences in every order, states of every width. */
static void test_answers(void **state) {
  static const uint32_t widths[][2] = {{1, 8}, {1, 3}, {2, 9}, {2, 16}, {3, 18}, {3, 24}};
  for (uint32_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
    for (enum drive_order order = DRIVE_QUEUE; order <= DRIVE_RANDOM; order++) {
      static const uint32_t keys[] = {2, 30, 3000};
      struct bench b;
      bench_init(&b, type_of(state), widths[i][0], widths[i][1], keys[(i + order) % 3],
                 AMPLE_MB * MB);
      assert_true(bench_open(&b, 1));
      explore(&b, order, i % 2 == 0 ? 16 : 0, true);
      bench_close(&b);
    }
  }
}

/* The same with a crew that may help to settle, and more threads announced than there are. */
static void test_crew(void **state) {
  for (enum drive_order order = DRIVE_QUEUE; order <= DRIVE_RANDOM; order++) {
    struct bench b;
    bench_init(&b, type_of(state), 2, 13, 20000, AMPLE_MB * MB);
    b.crew = clew_crew_open(3);
    assert_true(bench_open(&b, 3));
    explore(&b, order, 200, true);
    bench_close(&b);
  }
}

/* Every option of the table, and some together. */
static void test_options(void **state) {
  struct setting setting;
  uint32_t opened = 0;
  for (uint32_t n = 0; setting_make(&type_of(state)->options, n, &setting); n++) {
    struct bench b;
    bench_init(&b, type_of(state), 1 + n % SYSTEM_MAX_WORDS, 8 * (1 + n % SYSTEM_MAX_WORDS), 2500,
               16 * MB);
    b.setting = &setting;
    if (bench_open(&b, 1)) {
      explore(&b, (enum drive_order)(n % 3), 1 + n % 40, false);
      bench_close(&b);
      opened++;
    }
  }
  assert_true(opened > 0);
}

/* Three words, so many states with the same hash. */
static void bench_init_sharing(struct bench *b, const struct clew_store_type *type, uint32_t keys,
                               uint32_t sharing, uint64_t memory_bytes) {
  bench_init(b, type, 3, 24, keys, memory_bytes);
  b->system.sharing = sharing;
  b->system.seed = SEED;
}

/* Different states with the same hash: nothing is merged, nothing is lost. */
static void test_collisions(void **state) {
  if ((type_of(state)->promises & CLEW_STORE_LOSSLESS) == 0) {
    return;
  }
  static const uint32_t sharings[] = {2, 7, 100};
  for (uint32_t i = 0; i < sizeof sharings / sizeof sharings[0]; i++) {
    for (enum drive_order order = DRIVE_QUEUE; order <= DRIVE_RANDOM; order++) {
      struct bench b;
      bench_init_sharing(&b, type_of(state), 1000, sharings[i], AMPLE_MB * MB);
      assert_true(bench_open(&b, 1));
      explore(&b, order, i % 2 == 0 ? 16 : 0, true);
      bench_close(&b);
    }
  }
  /* In little memory, so that states are on disk, too. */
  for (uint64_t memory_bytes = MB / 4; memory_bytes <= MB; memory_bytes *= 2) {
    struct bench b;
    bench_init_sharing(&b, type_of(state), 30000, 4, memory_bytes);
    if (bench_open(&b, 1)) {
      explore(&b, DRIVE_QUEUE, 300, false);
      bench_close(&b);
    }
  }
  struct setting setting;
  for (uint32_t n = 0; setting_make(&type_of(state)->options, n, &setting); n++) {
    struct bench b;
    bench_init_sharing(&b, type_of(state), 2500, 3, 16 * MB);
    b.setting = &setting;
    if (bench_open(&b, 1)) {
      /* Options may make it lossy, with a chance of omissions that counts on different hashes. */
      if (drive_promises(&b.drive, CLEW_STORE_LOSSLESS)) {
        explore(&b, (enum drive_order)(n % 3), 1 + n % 40, false);
      }
      bench_close(&b);
    }
  }
}

/* From next to nothing to many, checked on the way. */
static void test_growth(void **state) {
  for (uint32_t words = 1; words <= SYSTEM_MAX_WORDS; words++) {
    struct bench b;
    bench_init(&b, type_of(state), words, words * 8 - (words == 2 ? 3 : 0),
               words == 2 ? 200000 : 50000, AMPLE_MB * MB);
    assert_true(bench_open(&b, 1));
    explore(&b, DRIVE_QUEUE, 5000, true);
    bench_close(&b);
  }
}

/* Budgets from nothing upwards: open, reserve and growth are refused at every moment that there
 * is. An answer may be missing then but not wrong. */
static void test_refusal(void **state) {
  uint64_t memory_bytes = 0, step = 4 << 10;
  uint32_t opened = 0, refused = 0;
  for (uint32_t n = 0; n < 90; n++, memory_bytes += step) {
    struct bench b;
    bench_init(&b, type_of(state), 2, 16, 12000, memory_bytes);
    if (bench_open(&b, 1)) {
      explore(&b, DRIVE_QUEUE, 500, false);
      refused += b.drive.refused != CLEW_ROOM;
      bench_close(&b);
      opened++;
    }
    step += n > 40 ? step / 8 : 0;
  }
  assert_true(opened > 0);
  assert_true(refused > 0 || opened < 90);
}

/* The budget ends at a random moment, and later there is more of it. */
static void test_refusal_in_between(void **state) {
  enum { IN_BETWEEN_KEYS = 10000 };
  struct clew_random random;
  clew_random_seed(&random, SEED);
  for (uint32_t round = 0; round < 24; round++) {
    struct bench b;
    uint64_t all = (8 + round % 3 * 100) * MB;
    bench_init(&b, type_of(state), 1, 8, IN_BETWEEN_KEYS, all);
    assert_true(bench_open(&b, 1));
    struct drive *d = &b.drive;
    d->order = (enum drive_order)(round % 3);
    uint64_t end = IN_BETWEEN_KEYS * SYSTEM_DEGREE * 2;
    drive_begin(d);
    while (d->visits < end && d->wrong == NULL) {
      d->most_visits = d->visits + 1 + clew_random_below(&random, 5000);
      drive_on(d);
      b.budget.limit_bytes = clew_budget_used(&b.budget);
      d->most_visits += 1 + clew_random_below(&random, 5000);
      drive_on(d);
      b.budget.limit_bytes = all;
      if (!drive_has_more(d) && d->head == d->queue.len) {
        break;
      }
      if (d->refused != CLEW_ROOM) {
        break; /* the search would end here: the states not put are not told apart from lost ones */
      }
    }
    if (d->wrong == NULL) {
      drive_check(d);
    }
    bench_close(&b);
  }
}

/* A process may have a limit of addresses (ulimit -v): memory of which there is enough is found
 * within it. */
static void test_addresses(void **state) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  (void)state; /* sanitizers need more of them */
#else
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (file == NULL || fscanf(file, "%ld", &pages) != 1) {
    fail_msg("nobody knows how many addresses are in use");
  }
  fclose(file);
  rlim_t used = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
  struct bench b;
  bench_init(&b, type_of(state), 2, 16, 20000, AMPLE_MB * MB);
  assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){used + 1024 * MB, before.rlim_max}), 0);
  bool opened = bench_open(&b, 1);
  if (opened) {
    explore(&b, DRIVE_QUEUE, 500, true);
  }
  assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
  assert_true(opened);
  bench_close(&b);
#endif
}

/* Files that cannot grow any more, from the first byte on: who uses them says so, once, and ends.
 */
static void test_disk_fails(void **state) {
  if (type_of(state)->disk_bytes == NULL) {
    return; /* it has no files */
  }
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  struct setting setting;
  uint32_t settings = 0;
  while (setting_make(&type_of(state)->options, settings, &setting)) {
    settings++;
  }
  rlim_t limit = 0;
  for (uint32_t n = 0; n < 26; n++, limit += limit / 3 + 500) {
    (void)setting_make(&type_of(state)->options, n % settings, &setting);
    struct bench b;
    bench_init(&b, type_of(state), 2, 16, 30000, MB);
    b.setting = n % 2 == 0 ? NULL : &setting;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, before.rlim_max}), 0);
    bool opened = bench_open(&b, 1);
    if (opened) {
      explore(&b, DRIVE_QUEUE, 300, false);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    if (opened) {
      if (b.drive.refused == CLEW_ROOM_DISK && b.diags.error_count != 1) {
        drive_wrong(&b.drive, "a disk that fails is not told, or more than once");
      }
      bench_close(&b);
    }
  }
}

/* A callback that returns false ends settle at once; the store is then good for figures. */
static void test_callback_ends_settle(void **state) {
  for (uint32_t round = 0; round < 20; round++) {
    struct bench b;
    bench_init(&b, type_of(state), 2, 16, 4000, AMPLE_MB * MB);
    assert_true(bench_open(&b, 1));
    struct drive *d = &b.drive;
    d->most_visits = 50 + round * 400;
    if ((b.store->demands & CLEW_STORE_SETTLE) != 0) {
      drive_begin(d);
      drive_on(d);
      d->ends_settle = true;
      d->most_visits *= 2;
      drive_on(d);
      (void)b.store->type->count(b.store);
      (void)b.store->type->bytes(b.store);
      drive_check_counters(d);
    }
    bench_close(&b);
  }
}

/* ---- a store with an order ---- */

static bool greater_covers(void *context, const uint64_t *a, const uint64_t *b) {
  (void)context;
  return a[1] >= b[1];
}

/* Whether some state that was called new covers this one, and its id as it should be. */
static void check_covered(const struct clew_visit *visit, const uint64_t (*stored)[2],
                          uint32_t count) {
  bool covered = false;
  for (uint32_t i = 0; i < count; i++) {
    covered = covered || (stored[i][0] == visit->state[0] && stored[i][1] >= visit->state[1]);
  }
  assert_int_equal(visit->answer, covered ? CLEW_SEEN : CLEW_NEW);
  if (covered) {
    assert_true(visit->id < count);
    assert_int_equal(stored[visit->id][0], visit->state[0]);
    assert_true(stored[visit->id][1] >= visit->state[1]);
  } else {
    assert_int_equal(visit->id, count);
  }
}

static void test_order(void **state) {
  enum { MOST = 2000 };
  const struct clew_store_type *type = type_of(state);
  unsigned needed = CLEW_STORE_ORDER | CLEW_STORE_GRAPH;
  if ((type->promises & needed) != needed) {
    return;
  }
  static uint64_t stored[MOST][2];
  struct clew_budget budget;
  clew_budget_init(&budget, AMPLE_MB * MB);
  struct clew_diag_sink diags = {0};
  struct clew_store_config config = {.words = 2,
                                     .threads = 1,
                                     .seed = SEED,
                                     .budget = &budget,
                                     .diags = &diags,
                                     .covers = greater_covers,
                                     .discrete_words = 1};
  struct clew_store *store = NULL;
  assert_int_equal(type->open(&config, &diags, &store), CLEW_OK);
  struct clew_random random;
  clew_random_seed(&random, SEED);
  uint32_t count = 0;
  for (uint32_t i = 0; i < MOST; i++) {
    uint64_t words[2] = {clew_random_below(&random, 40), clew_random_below(&random, 1000)};
    struct clew_visit visit = {
        .state = words, .hash = clew_hash_words(words, 1, SEED), .parent = CLEW_ID_NONE};
    assert_int_equal(type->reserve(store, 1), CLEW_ROOM);
    type->put(store, 1, &visit);
    check_covered(&visit, (const uint64_t(*)[2])stored, count);
    if (visit.answer == CLEW_NEW) {
      memcpy(stored[count++], words, sizeof words);
    }
  }
  assert_int_equal(type->count(store), count);
  const char *why = NULL;
  assert_true(type->validate(store, &why));
  type->close(store);
}

/* ---- several threads ---- */

enum { THREADS = 4, THREAD_BATCH = 32, ROUND_VISITS = 6000, CONCURRENT_KEYS = 60000 };

struct answer {
  uint32_t key;
  enum clew_answer answer;
  clew_id id;
};

struct member {
  pthread_t thread;
  struct bench *bench;
  struct clew_random random;
  uint32_t first_key, key_count; /* that it puts, with those of others among them */
  uint32_t visits;
  uint32_t answer_count;
  struct answer answers[ROUND_VISITS];
  const char *wrong;
};

/* A little while between what is decided and what is done. */
static void dawdle(struct clew_random *random) {
  uint64_t draw = clew_random_below(random, 32);
  if (draw < 2) {
    usleep((useconds_t)(1 + draw * 40));
  } else if (draw < 10) {
    sched_yield();
  }
}

/* What may be asked while others put: about states of earlier rounds. */
static void look_up(struct member *m) {
  const struct drive *d = &m->bench->drive;
  struct clew_store *store = m->bench->store;
  if (d->found.len == 0) {
    return;
  }
  clew_id id = clew_random_below(&m->random, d->found.len);
  const uint64_t *known = state_set_at(&d->set, d->found.data[id].number);
  uint64_t state[SYSTEM_MAX_WORDS];
  struct clew_visit visit = {.state = known, .hash = drive_hash(d, known)};
  if (drive_promises(d, CLEW_STORE_GET)) {
    store->type->get(store, id, 1, state);
    if (memcmp(state, known, d->system->words * sizeof *state) != 0) {
      m->wrong = "get gives another state while others put";
    }
  }
  if (drive_promises(d, CLEW_STORE_DENSE)) {
    store->type->find(store, 1, &visit);
    if (visit.answer != CLEW_SEEN || (drive_promises(d, CLEW_STORE_REMEMBERS) && visit.id != id)) {
      m->wrong = "find does not find while others put";
    }
  }
  if (drive_promises(d, CLEW_STORE_PROBE) && drive_promises(d, CLEW_STORE_REMEMBERS) &&
      !store->type->has(store, visit.hash)) {
    m->wrong = "a state that was new is not there while others put";
  }
  if (store->type->count(store) < d->found.len) {
    m->wrong = "the count became less";
  }
}

static void *put_round(void *context) {
  struct member *m = context;
  struct clew_store *store = m->bench->store;
  struct drive_batch batch;
  m->answer_count = 0;
  while (m->answer_count < m->visits) {
    uint32_t left = m->visits - m->answer_count;
    uint32_t n =
        1 + (uint32_t)clew_random_below(&m->random, left < THREAD_BATCH ? left : THREAD_BATCH);
    batch.count = 0;
    for (uint32_t i = 0; i < n; i++) {
      uint32_t key = m->first_key + (uint32_t)clew_random_below(&m->random, m->key_count);
      drive_add(&m->bench->drive, &batch, key % m->bench->system.keys, CLEW_ID_NONE, 0, 0);
    }
    dawdle(&m->random);
    store->type->put(store, n, batch.visits);
    for (uint32_t i = 0; i < n; i++) {
      m->answers[m->answer_count++] =
          (struct answer){system_key(&m->bench->system, batch.visits[i].state),
                          batch.visits[i].answer, batch.visits[i].id};
    }
    look_up(m);
  }
  return NULL;
}

/* Enters what a round called new, in the order of ids. */
static void enter_new(struct drive *d, const struct member *members) {
  uint32_t before = d->found.len, count = 0;
  struct clew_visit *by_id = clew_alloc_zero(THREADS * ROUND_VISITS, sizeof *by_id);
  uint64_t(*states)[SYSTEM_MAX_WORDS] = clew_alloc_zero(THREADS * ROUND_VISITS, sizeof *states);
  for (uint32_t t = 0; t < THREADS; t++) {
    for (uint32_t i = 0; i < members[t].answer_count; i++) {
      const struct answer *a = &members[t].answers[i];
      if (a->answer != CLEW_NEW) {
        continue;
      }
      count++;
      uint64_t at = a->id - before;
      if (a->id < before || at >= THREADS * ROUND_VISITS || by_id[at].state != NULL) {
        drive_wrong(d, "an id is given twice or is not dense");
        continue;
      }
      system_state(d->system, a->key, states[at]);
      by_id[at] = (struct clew_visit){.state = states[at], .id = a->id, .parent = CLEW_ID_NONE};
    }
  }
  for (uint32_t i = 0; i < count && d->wrong == NULL; i++) {
    if (by_id[i].state == NULL) {
      drive_wrong(d, "ids of several threads are not dense");
    } else {
      drive_new(d, &by_id[i]);
    }
  }
  clew_free(states);
  clew_free(by_id);
}

static void check_others(struct drive *d, const struct member *m) {
  uint64_t state[SYSTEM_MAX_WORDS];
  for (uint32_t i = 0; i < m->answer_count; i++) {
    const struct answer *a = &m->answers[i];
    if (a->answer == CLEW_SEEN) {
      system_state(d->system, a->key, state);
      drive_seen(d, &(struct clew_visit){.state = state, .id = a->id}, a->key);
    } else if (a->answer != CLEW_NEW) {
      drive_wrong(d, "neither new nor seen though there was room");
    }
  }
  if (m->wrong != NULL) {
    drive_wrong(d, m->wrong);
  }
}

static void run_round(struct bench *b, struct member *members, uint32_t round) {
  struct drive *d = &b->drive;
  enum clew_room room = b->store->type->reserve(b->store, ROUND_VISITS);
  if (room != CLEW_ROOM) {
    d->refused = room;
    return;
  }
  uint64_t all = b->store->type->room(b->store);
  if (all < ROUND_VISITS) {
    drive_wrong(d, "less room than was reserved");
    return;
  }
  /* Also what there is room for without having been asked for. */
  all = all < THREADS * ROUND_VISITS ? all : THREADS * ROUND_VISITS;
  b->store->shared = true;
  for (uint32_t t = 0; t < THREADS; t++) {
    members[t].first_key = round * 3000 + t * 500;
    members[t].key_count = 6000;
    members[t].visits = (uint32_t)(all / THREADS);
    assert_int_equal(pthread_create(&members[t].thread, NULL, put_round, &members[t]), 0);
  }
  for (uint32_t t = 0; t < THREADS; t++) {
    assert_int_equal(pthread_join(members[t].thread, NULL), 0);
  }
  b->store->shared = false;
  enter_new(d, members);
  for (uint32_t t = 0; t < THREADS; t++) {
    check_others(d, &members[t]);
  }
  drive_check_count(d);
}

/* Ends when the store refuses. */
static void run_rounds(struct bench *b, uint64_t seed) {
  if (!bench_open(b, THREADS)) {
    return;
  }
  struct member *members = clew_alloc_zero(THREADS, sizeof *members);
  for (uint32_t t = 0; t < THREADS; t++) {
    members[t].bench = b;
    clew_random_seed(&members[t].random, seed + t);
  }
  for (uint32_t round = 0; round < 20 && drive_goes_on(&b->drive); round++) {
    run_round(b, members, round);
  }
  if (b->drive.wrong == NULL) {
    drive_check(&b->drive);
  }
  clew_free(members);
  bench_close(b);
}

static void test_threads(void **state) {
  if ((type_of(state)->promises & CLEW_STORE_CONCURRENT) == 0) {
    return;
  }
  struct bench b;
  for (uint32_t words = 1; words <= SYSTEM_MAX_WORDS; words++) {
    /* The last in little memory, so that it ends full. */
    uint64_t memory_bytes = words < SYSTEM_MAX_WORDS ? AMPLE_MB * MB : MB;
    bench_init(&b, type_of(state), words, words * 8, CONCURRENT_KEYS, memory_bytes);
    run_rounds(&b, words * 100);
  }
  bench_init_sharing(&b, type_of(state), CONCURRENT_KEYS, 5, AMPLE_MB * MB);
  run_rounds(&b, 400);
}

/* Promises and demands that belong together, and the operations that they name. */
static void test_type(void **state) {
  const struct clew_store_type *type = type_of(state);
  assert_true(type->name[0] != '\0' && type->help[0] != '\0');
  assert_true(type->open != NULL && type->close != NULL && type->reserve != NULL);
  assert_true(type->prefetch != NULL && type->put != NULL);
  assert_true(type->count != NULL && type->bytes != NULL && type->validate != NULL);
  assert_true((type->promises & CLEW_STORE_CONCURRENT) == 0 || type->room != NULL);
  assert_true((type->promises & CLEW_STORE_GET) == 0 || type->get != NULL);
  assert_true((type->promises & CLEW_STORE_DENSE) == 0 || type->find != NULL);
  assert_true((type->promises & CLEW_STORE_PROBE) == 0 ||
              (type->has != NULL && type->adopt != NULL));
  assert_true((type->promises & CLEW_STORE_BACK_EDGES) == 0 || type->back_edge != NULL);
  assert_int_equal(type->is_covered == NULL, type->census == NULL);
  assert_true((type->promises & CLEW_STORE_ORDER) != 0 || type->is_covered == NULL);
  assert_true((type->demands & CLEW_STORE_SETTLE) == 0 || type->settle != NULL);
  assert_true((type->demands & CLEW_STORE_EXPANDED) == 0 || type->expanded != NULL);
  assert_int_equal(type->options.count == 0, type->options.bytes == 0);
}

/* ---- a store that is wrong ---- */

/* Tiny, given the hash in place of the state. It says that it is lossless. */
static void hash_only_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  for (struct clew_visit *visit = visits; visit < visits + count; visit++) {
    const uint64_t *state = visit->state;
    uint64_t hash[SYSTEM_MAX_WORDS] = {visit->hash};
    visit->state = hash;
    tiny_put(store, 1, visit);
    visit->state = state;
  }
}

static struct clew_store_type hash_only;

static enum clew_status hash_only_open(const struct clew_store_config *config,
                                       struct clew_diag_sink *diags, struct clew_store **store) {
  enum clew_status status = tiny_open(config, diags, store);
  if (status == CLEW_OK) {
    (*store)->type = &hash_only;
    (*store)->promises = hash_only.promises;
  }
  return status;
}

/* Only states that share a hash show that a store compares nothing else. */
static void test_hash_only_is_noticed(void **state) {
  (void)state;
  hash_only = clew_store_tiny;
  hash_only.promises = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS;
  hash_only.open = hash_only_open;
  hash_only.put = hash_only_put;
  for (uint32_t sharing = 0; sharing <= 2; sharing += 2) {
    struct bench b;
    bench_init_sharing(&b, &hash_only, 1000, sharing, AMPLE_MB * MB);
    assert_true(bench_open(&b, 1));
    explore(&b, DRIVE_QUEUE, 0, true);
    assert_int_equal(b.drive.wrong == NULL, sharing == 0);
    b.drive.wrong = NULL;
    bench_close(&b);
  }
}

/* The premise of `sharing`. If clew_hash_words changes, other states have to be found. */
static void test_states_share_hashes(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct system system = {.keys = 100, .words = 3, .bytes = 24, .sharing = 10, .seed = seed};
    uint64_t hashes[100], words[SYSTEM_MAX_WORDS];
    for (uint32_t key = 0; key < system.keys; key++) {
      system_state(&system, key, words);
      assert_int_equal(system_key(&system, words), key);
      hashes[key] = clew_hash_words(words, 3, seed);
      for (uint32_t other = 0; other < key; other++) {
        assert_int_equal(hashes[key] == hashes[other], key / 10 == other / 10);
      }
    }
  }
}

/* ---- every test for every store ---- */

static const struct {
  const char *name;
  CMUnitTestFunction test;
} checks[] = {
    {"type", test_type},
    {"answers", test_answers},
    {"crew", test_crew},
    {"options", test_options},
    {"collisions", test_collisions},
    {"growth", test_growth},
    {"refusal", test_refusal},
    {"refusal in between", test_refusal_in_between},
    {"addresses", test_addresses},
    {"disk fails", test_disk_fails},
    {"callback ends settle", test_callback_ends_settle},
    {"order", test_order},
    {"threads", test_threads},
};

static CLEW_VEC(struct CMUnitTest) tests;

static void add_store(const struct clew_store_type *type) {
  for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
    struct clew_text name = {0};
    clew_text_printf(&name, "%s: %s", type->name, checks[i].name);
    struct CMUnitTest test = {.name = clew_strdup(clew_text_str(&name)),
                              .test_func = checks[i].test,
                              .initial_state = (void *)(uintptr_t)type};
    clew_vec_push(&tests, test);
    clew_text_free(&name);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) {
    cmocka_set_test_filter(argv[1]);
  }
  for (size_t i = 0; clew_stores[i] != NULL; i++) {
    add_store(clew_stores[i]);
  }
  for (size_t i = 0; i < sizeof more_stores / sizeof more_stores[0]; i++) {
    add_store(more_stores[i]);
  }
  const struct CMUnitTest own[] = {
      cmocka_unit_test(test_states_share_hashes),
      cmocka_unit_test(test_hash_only_is_noticed),
  };
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
    clew_vec_push(&tests, own[i]);
  }
  return _cmocka_run_group_tests("stores", tests.data, tests.len, NULL, NULL);
}
