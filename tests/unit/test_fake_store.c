/* The scripted store and the drive that tests stores, each against the other: a script that keeps
 * its promises passes, one that breaks a promise is found, and so is a caller that breaks the
 * rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/fake_store.h"
#include "unit/store_drive.h"

enum { KEYS = 500, GIVES_ALL = CLEW_STORE_GRAPH | CLEW_STORE_BACK_EDGES };

static struct clew_store *open_fake(const struct fake_script *script, struct system *system) {
  struct clew_diag_sink diags = {0};
  struct clew_store_config config = {.words = system->words,
                                     .threads = 1,
                                     .seed = 1,
                                     .options = script,
                                     .replay = system_replay,
                                     .replay_context = system};
  struct clew_store *store = NULL;
  assert_int_equal(fake_store.open(&config, &diags, &store), CLEW_OK);
  return store;
}

/* What is wrong with a store that does this, or NULL. */
static const char *drive_fake(struct fake_script script, enum clew_room *refused) {
  struct fake_log log = {0};
  struct system system = {.keys = KEYS, .words = 2, .bytes = 16};
  script.log = &log;
  struct clew_store *store = open_fake(&script, &system);
  struct drive d;
  drive_open(&d, &system, store, 5);
  /* A settle that was not asked for is none of the script. */
  d.settle_share = (script.demands & CLEW_STORE_SETTLE) != 0 ? 9 : 0;
  d.most_visits = KEYS * SYSTEM_DEGREE * 6;
  drive_begin(&d);
  drive_on(&d);
  drive_check_complete(&d);
  if (d.wrong == NULL && d.refused == CLEW_ROOM) {
    drive_check(&d);
    assert_int_equal(state_set_count(&d.set), KEYS);
  }
  *refused = d.refused;
  const char *wrong = d.wrong;
  assert_true(log.wrong == NULL || wrong != NULL);
  fake_store.close(store);
  drive_close(&d);
  return wrong;
}

static void assert_right(struct fake_script script) {
  enum clew_room refused;
  const char *wrong = drive_fake(script, &refused);
  assert_string_equal(wrong != NULL ? wrong : "right", "right");
  assert_int_equal(refused, CLEW_ROOM);
}

static void assert_wrong(struct fake_script script, const char *what) {
  enum clew_room refused;
  const char *wrong = drive_fake(script, &refused);
  assert_string_equal(wrong != NULL ? wrong : "right", what);
}

static void test_honest_scripts(void **unused) {
  (void)unused;
  static const enum fake_answer maybes[] = {FAKE_TRUTH, FAKE_MAYBE, FAKE_MAYBE, FAKE_TRUTH,
                                            FAKE_MAYBE};
  static const enum fake_answer forgets[] = {FAKE_TRUTH, FAKE_TRUTH, FAKE_FORGET, FAKE_TRUTH,
                                             FAKE_TRUTH, FAKE_TRUTH, FAKE_TRUTH};
  static const enum clew_room settles[] = {CLEW_ROOM, CLEW_ROOM_SETTLE, CLEW_ROOM, CLEW_ROOM};
  assert_right((struct fake_script){.promises = GIVES_ALL});
  assert_right((struct fake_script){.promises = GIVES_ALL, .demands = CLEW_STORE_EXPANDED});
  assert_right((struct fake_script){.promises = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS,
                                    .demands = CLEW_STORE_SETTLE | CLEW_STORE_EXPANDED,
                                    .puts = maybes,
                                    .put_count = 5,
                                    .rooms = settles,
                                    .room_count = 4,
                                    .repeats = true});
  assert_right((struct fake_script){.promises = GIVES_ALL,
                                    .demands = CLEW_STORE_SETTLE,
                                    .puts = maybes,
                                    .put_count = 5,
                                    .repeats = true,
                                    .delays = true});
  assert_right((struct fake_script){
      .promises = CLEW_STORE_LOSSLESS | CLEW_STORE_GET, .puts = forgets, .put_count = 7});
}

static void test_refusing_scripts(void **unused) {
  (void)unused;
  static const enum clew_room answers[] = {CLEW_ROOM_MEMORY, CLEW_ROOM_DISK, CLEW_ROOM_COLLISIONS};
  for (uint32_t i = 0; i < 3; i++) {
    enum clew_room rooms[30], refused;
    for (uint32_t n = 0; n < 30; n++) {
      rooms[n] = n < 20 ? CLEW_ROOM : answers[i];
    }
    struct fake_script script = {.promises = GIVES_ALL, .rooms = rooms, .room_count = 30};
    assert_null(drive_fake(script, &refused));
    assert_int_equal(refused, answers[i]);
  }
  enum fake_answer puts[50] = {[40] = FAKE_FULL};
  enum clew_room refused;
  struct fake_script script = {
      .promises = GIVES_ALL, .puts = puts, .put_count = 50, .full_reason = CLEW_ROOM_DISK};
  assert_null(drive_fake(script, &refused));
  assert_int_equal(refused, CLEW_ROOM_DISK);
}

/* The drive finds stores that break their promises. */
static void test_broken_promises(void **unused) {
  (void)unused;
  enum fake_answer loses[] = {[30] = FAKE_LOSE}, forgets[200], maybes[] = {[30] = FAKE_MAYBE};
  for (uint32_t i = 0; i < 200; i++) {
    forgets[i] = i < 100 ? FAKE_TRUTH : FAKE_FORGET;
  }
  enum fake_answer fulls[] = {[30] = FAKE_FULL};
  assert_wrong((struct fake_script){.promises = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS,
                                    .puts = loses,
                                    .put_count = 31,
                                    .repeats = true},
               "a state is seen that was not there");
  assert_wrong((struct fake_script){.promises = CLEW_STORE_DENSE | CLEW_STORE_REMEMBERS,
                                    .puts = loses,
                                    .put_count = 31,
                                    .repeats = true},
               "a seen state has another id");
  assert_wrong((struct fake_script){.promises = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS,
                                    .puts = forgets,
                                    .put_count = 200},
               "a state is new twice");
  assert_wrong((struct fake_script){.promises = GIVES_ALL, .puts = maybes, .put_count = 31},
               "maybe without a demand to settle");
  assert_wrong((struct fake_script){.promises = GIVES_ALL | CLEW_STORE_CONCURRENT,
                                    .puts = fulls,
                                    .put_count = 31},
               "full without a reason");
  assert_wrong((struct fake_script){.promises = CLEW_STORE_LOSSLESS, .first_id = 1},
               "the count is not the number of states called new");
}

/* ---- the script watches its caller ---- */

struct caller {
  struct system system;
  struct fake_log log;
  struct fake_script script;
  struct clew_store *store;
  uint64_t state[2];
};

static void caller_open(struct caller *c, unsigned promises, unsigned demands) {
  *c = (struct caller){.system = {.keys = KEYS, .words = 2, .bytes = 16},
                       .script = {.promises = promises, .demands = demands}};
  c->script.first_id = (UINT64_C(1) << 32) - 3;
  c->script.log = &c->log;
  c->store = open_fake(&c->script, &c->system);
}

static struct clew_visit caller_put(struct caller *c, uint32_t key, clew_id parent, uint32_t edge,
                                    uint32_t depth) {
  system_state(&c->system, key, c->state);
  struct clew_visit visit = {.state = c->state,
                             .hash = clew_hash_words(c->state, 2, 1),
                             .parent = parent,
                             .edge = edge,
                             .depth = depth};
  fake_store.put(c->store, 1, &visit);
  return visit;
}

static void caller_close(struct caller *c, const char *wrong) {
  assert_string_equal(c->log.wrong != NULL ? c->log.wrong : "right", wrong);
  fake_store.close(c->store);
}

static void test_wide_ids(void **unused) {
  (void)unused;
  struct caller c;
  caller_open(&c, GIVES_ALL, 0);
  clew_id first = c.script.first_id, parent = 0;
  uint32_t edge = 0;
  assert_int_equal(fake_store.reserve(c.store, 8), CLEW_ROOM);
  assert_int_equal(caller_put(&c, 0, CLEW_ID_NONE, 0, 0).id, first);
  for (uint32_t key = 0; key < 7; key++) {
    struct clew_visit visit = caller_put(&c, key + 1, first + key, system_edge(0), key + 1);
    assert_int_equal(visit.answer, CLEW_NEW);
    assert_int_equal(visit.id, first + key + 1);
  }
  assert_int_equal(fake_store.count(c.store), first + 8);
  uint64_t states[8][2];
  fake_store.get(c.store, first, 8, states[0]);
  assert_int_equal(system_key(&c.system, states[7]), 7);
  fake_store.back_edge(c.store, first + 7, &parent, &edge);
  assert_int_equal(parent, first + 6);
  assert_int_equal(edge, system_edge(0));
  caller_close(&c, "right");
}

static bool end_settle(void *context, const struct clew_visit *visit) {
  (void)context;
  (void)visit;
  return false;
}

static void test_bad_callers(void **unused) {
  (void)unused;
  struct caller c;
  caller_open(&c, GIVES_ALL, 0);
  caller_put(&c, 0, CLEW_ID_NONE, 0, 0);
  caller_close(&c, "put without room");

  caller_open(&c, GIVES_ALL, 0);
  fake_store.reserve(c.store, 9);
  caller_put(&c, 0, 17, 0, 0);
  caller_close(&c, "a parent has no id");

  caller_open(&c, GIVES_ALL, 0);
  fake_store.reserve(c.store, 9);
  clew_id root = caller_put(&c, 0, CLEW_ID_NONE, 0, 0).id;
  caller_put(&c, 1, root, system_edge(0), 2);
  caller_close(&c, "a depth is not that of its parent and one");

  caller_open(&c, GIVES_ALL, 0);
  fake_store.reserve(c.store, 9);
  root = caller_put(&c, 0, CLEW_ID_NONE, 0, 0).id;
  caller_put(&c, 400, root, system_edge(0), 1);
  caller_close(&c, "an edge does not lead from the parent to the state");

  caller_open(&c, GIVES_ALL, CLEW_STORE_EXPANDED);
  fake_store.reserve(c.store, 9);
  root = caller_put(&c, 0, CLEW_ID_NONE, 0, 0).id;
  clew_id child = caller_put(&c, 1, root, system_edge(0), 1).id;
  caller_put(&c, 2, child, system_edge(0), 2);
  caller_close(&c, "successors of the next state before the last was called expanded");

  caller_open(&c, GIVES_ALL, 0);
  fake_store.settle(c.store, true, end_settle, NULL);
  caller_close(&c, "settle though the store does not demand it");

  static const enum clew_room settles[] = {CLEW_ROOM_SETTLE};
  caller_open(&c, GIVES_ALL, CLEW_STORE_SETTLE);
  c.script.rooms = settles;
  c.script.room_count = 1;
  fake_store.reserve(c.store, 9);
  fake_store.reserve(c.store, 9);
  caller_close(&c, "reserve again without the settle that was asked for");

  static const enum fake_answer maybes[] = {FAKE_MAYBE};
  caller_open(&c, GIVES_ALL, CLEW_STORE_SETTLE);
  c.script.puts = maybes;
  c.script.put_count = 1;
  fake_store.reserve(c.store, 9);
  assert_int_equal(caller_put(&c, 0, CLEW_ID_NONE, 0, 0).answer, CLEW_MAYBE);
  fake_store.settle(c.store, true, end_settle, NULL);
  fake_store.reserve(c.store, 9);
  caller_close(&c, "the store is used after a callback ended settle");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_honest_scripts),  cmocka_unit_test(test_refusing_scripts),
      cmocka_unit_test(test_broken_promises), cmocka_unit_test(test_wide_ids),
      cmocka_unit_test(test_bad_callers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
