/* Ranks that are threads (cluster/twin.h): what they do together, and whole searches, under
 * everything that may happen to messages. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "checkpoint/scatter.h"
#include "cluster/team.h"
#include "cluster/twin.h"
#include "unit/ranks.h"
#include "unit/toy_search.h"

/* ---- together ---- */

static void reduce_job(struct member *member) {
  struct clew_team *team = &member->team;
  for (uint32_t round = 0; round < 50; round++) {
    uint64_t values[] = {team->rank + round, 1};
    assert_true(clew_team_reduce(team, CLEW_REDUCE_SUM, values, 2));
    assert_int_equal(values[0], team->ranks * (team->ranks - 1) / 2 + round * team->ranks);
    assert_int_equal(values[1], team->ranks);
    uint64_t least = 100 + team->rank, most = least, bits = UINT64_C(1) << team->rank;
    assert_true(clew_team_reduce(team, CLEW_REDUCE_MIN, &least, 1));
    assert_true(clew_team_reduce(team, CLEW_REDUCE_MAX, &most, 1));
    assert_true(clew_team_reduce(team, CLEW_REDUCE_OR, &bits, 1));
    assert_int_equal(least, 100);
    assert_int_equal(most, 99 + team->ranks);
    assert_int_equal(bits, (UINT64_C(1) << team->ranks) - 1);
    assert_int_equal(clew_team_all(team, team->rank != round), round >= team->ranks);
    char text[] = "........ some text ........";
    char expected[] = "abcdefgh some text abcdefgh";
    if (team->rank == team->ranks - 1) {
      memcpy(text, expected, sizeof text);
    }
    assert_true(clew_team_share(team, team->ranks - 1, text, sizeof text));
    assert_string_equal(text, expected);
  }
}

static void test_reductions(void **state) {
  (void)state;
  struct member members[MOST_RANKS];
  for (uint32_t ranks = 1; ranks <= MOST_RANKS; ranks++) {
    run_ranks(ranks, &none, PATIENCE_S, reduce_job, NULL, members);
  }
}

struct record {
  uint32_t from, to, number;
};

/* Some pairs exchange much, some nothing. */
static uint32_t amount(uint32_t from, uint32_t to, uint32_t round) {
  return (from * 7 + to * 5 + round) % 4 * 300;
}

static void exchange_job(struct member *member) {
  struct clew_team *team = &member->team;
  struct clew_post post;
  clew_post_open(&post, team, sizeof(struct record));
  for (uint32_t round = 0; round < 4; round++) {
    for (uint32_t to = 0; to < team->ranks; to++) {
      for (uint32_t i = 0; i < amount(team->rank, to, round); i++) {
        struct record record = {team->rank, to, i};
        memcpy(clew_post_add(&post, to), &record, sizeof record);
      }
    }
    assert_true(clew_post_exchange(&post, team));
    for (uint32_t from = 0; from < team->ranks; from++) {
      assert_int_equal(post.in[from].count, amount(from, team->rank, round));
      for (uint32_t i = 0; i < post.in[from].count; i++) {
        struct record record;
        memcpy(&record, post.in[from].data + i * sizeof record, sizeof record);
        assert_int_equal(record.from, from);
        assert_int_equal(record.to, team->rank);
        assert_int_equal(record.number, i);
      }
    }
  }
  clew_post_close(&post, team);
}

static void test_exchange(void **state) {
  (void)state;
  struct member members[MOST_RANKS];
  for (uint32_t ranks = 1; ranks <= MOST_RANKS; ranks += 2) {
    run_ranks(ranks, &none, PATIENCE_S, exchange_job, NULL, members);
    run_ranks(ranks, &bad, PATIENCE_S, exchange_job, NULL, members);
  }
}

static void lost_exchange_job(struct member *member) {
  struct clew_post post;
  clew_post_open(&post, &member->team, sizeof(struct record));
  bool ok = true;
  for (uint32_t round = 0; round < 100 && ok; round++) {
    memset(clew_post_add(&post, 0), 0, sizeof(struct record));
    ok = clew_post_exchange(&post, &member->team);
  }
  assert_false(ok);
  assert_true(clew_team_is_lost(&member->team));
  clew_post_close(&post, &member->team);
}

static void test_exchange_that_fails(void **state) {
  (void)state;
  struct member members[MOST_RANKS];
  struct clew_twin_faults lost = {.lost_rank = 1, .lost_at = 40};
  struct clew_twin_faults shortened = {.shorten_at = 20}, damaged = {.damage_at = 20};
  run_ranks(3, &lost, 0.1, lost_exchange_job, NULL, members);
  run_ranks(3, &shortened, 0.1, lost_exchange_job, NULL, members);
  run_ranks(3, &damaged, 0.1, lost_exchange_job, NULL, members);
}

/* ---- searches ---- */

struct question {
  const struct toy *toy;
  struct options options;
  uint32_t threads;
};

static void search_job(struct member *member) {
  const struct question *question = member->context;
  struct options options = question->options;
  options.team = &member->team;
  run_with(question->toy, &clew_engine_bfs, &options, question->threads, &member->outcome);
}

static void ask(struct question *question, uint32_t ranks, const struct clew_twin_faults *faults,
                const struct clew_result *one) {
  struct member members[MOST_RANKS];
  run_ranks(ranks, faults, PATIENCE_S, search_job, question, members);
  for (uint32_t i = 0; i < ranks; i++) { /* every rank knows the whole answer */
    assert_same_answer(&clew_engine_bfs, one, &members[i].outcome.result);
    assert_int_equal(members[i].outcome.result.initial_states, one->initial_states);
    finish(&members[i].outcome);
  }
}

/* The answer of one process, from any number of ranks, with every store, whatever becomes of
 * messages. */
static void check_toy(const struct toy *toy, const struct options *given) {
  static const struct clew_store_type *const stores[] = {&clew_store_exact, &clew_store_tree,
                                                         &clew_store_disk, &clew_store_comback};
  static const uint32_t ranks[] = {1, 2, 3, 5, 8};
  struct question question = {.toy = toy, .options = *given, .threads = 1};
  struct outcome one;
  run_with(toy, &clew_engine_bfs, given, 1, &one);
  for (size_t s = 0; s < sizeof stores / sizeof *stores; s++) {
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++) {
      question.options.store = stores[s];
      question.threads = r % 2 == 0 ? 1 : 3;
      ask(&question, ranks[r], s % 2 == r % 2 ? &bad : &none, &one.result);
    }
  }
  finish(&one);
}

static void test_whole_graphs(void **state) {
  (void)state;
  struct toy toy;
  toy_open(&toy, 3, grid_edge);
  toy.size = 12;
  toy.enabled = bit(INVARIANT) | bit(FAULT) | bit(COVER_STATEMENT);
  check_toy(&toy, &(struct options){0});
  toy.goal = 5; /* some rank covers it */
  toy.enabled |= bit(COVER);
  check_toy(&toy, &(struct options){0});
  toy_open(&toy, 1, chain_edge); /* each level has one state, so most ranks have none */
  toy.size = 60;
  toy.enabled = bit(INVARIANT);
  toy.initial[1] = 20;
  toy.initial[2] = 40;
  toy.initial_states = 3;
  check_toy(&toy, &(struct options){0});
}

static void test_violations(void **state) {
  (void)state;
  struct toy toy;
  toy_open(&toy, 3, grid_edge);
  toy.size = 9;
  toy.bad = 400;
  toy.enabled = bit(INVARIANT) | bit(DEADLOCK);
  check_toy(&toy, &(struct options){0});
  check_toy(&toy, &(struct options){.go_on = true});
  toy.bad = CLEW_NONE; /* the deadlock is the last state of all */
  check_toy(&toy, &(struct options){0});
  toy.enabled = bit(COVER);
  toy.goal = 100000; /* nowhere */
  check_toy(&toy, &(struct options){0});
  check_toy(&toy, &(struct options){.max_depth = 7});
  toy.label_fault = 300;
  toy.enabled = bit(INVARIANT) | bit(FAULT);
  check_toy(&toy, &(struct options){0});
  toy.init_faults = true;
  check_toy(&toy, &(struct options){0});
}

static void test_pieces(void **state) {
  (void)state;
  struct toy toy;
  toy_open(&toy, 3, grid_edge);
  toy.size = 7;
  toy.bad = 300;
  toy.initial_states = 3;
  toy.initial[1] = 3;
  toy.initial[2] = 50;
  toy.enabled = bit(INVARIANT) | bit(DEADLOCK);
  check_toy(&toy, &(struct options){.piece = 1});
  check_toy(&toy, &(struct options){.piece = 2, .go_on = true});
}

static void test_liveness_is_open(void **state) {
  (void)state;
  static const struct arrow arrows[] = {{0, 1}, {1, 2}, {2, 0}};
  struct toy toy;
  OPEN_GRAPH(&toy, arrows);
  toy.home = 1;
  toy.enabled = bit(LIVENESS);
  struct question question = {.toy = &toy, .threads = 1};
  struct member members[2];
  run_ranks(2, &none, PATIENCE_S, search_job, &question, members);
  for (uint32_t i = 0; i < 2; i++) {
    struct clew_result *result = &members[i].outcome.result;
    assert_int_equal(result->verdict, CLEW_VERDICT_INCOMPLETE);
    assert_int_equal(result->outcomes.list[LIVENESS].decision, CLEW_UNDECIDED);
    assert_int_equal(result->outcomes.list[LIVENESS].reason, CLEW_REASON_RANKS);
    finish(&members[i].outcome);
  }
}

/* ---- failures ---- */

/* Whatever breaks, every rank that is alive ends, and none of them claims anything. */
static void check_failure(const struct clew_twin_faults *faults) {
  struct toy toy;
  toy_open(&toy, 3, grid_edge);
  toy.size = 20;
  toy.enabled = bit(INVARIANT);
  struct question question = {.toy = &toy, .threads = 1};
  struct member members[3];
  run_ranks(3, faults, 0.1, search_job, &question, members);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(members[i].outcome.result.stop, CLEW_STOP_RANK);
    assert_int_equal(members[i].outcome.result.verdict, CLEW_VERDICT_INCOMPLETE);
    assert_true(members[i].outcome.result.states < 8000);
    finish(&members[i].outcome);
  }
}

static void test_failures(void **state) {
  (void)state;
  for (uint64_t at = 100; at < 700; at += 173) {
    check_failure(&(struct clew_twin_faults){.lost_rank = (uint32_t)(at % 3), .lost_at = at});
  }
  check_failure(&(struct clew_twin_faults){.shorten_at = 30});
  check_failure(&(struct clew_twin_faults){.damage_at = 40});
}

/* Memory that ends on the ranks ends the search on all, for the same reason. */
static void test_memory(void **state) {
  (void)state;
  struct toy toy;
  toy_open(&toy, 3, grid_edge);
  toy.size = 60;
  toy.enabled = bit(INVARIANT);
  struct question question = {
      .toy = &toy, .options = {.memory_bytes = 1 << 20, .store = &clew_store_exact}, .threads = 1};
  struct member members[2];
  run_ranks(2, &none, PATIENCE_S, search_job, &question, members);
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(members[i].outcome.result.stop, CLEW_STOP_MEMORY);
    assert_int_equal(members[i].outcome.result.verdict, CLEW_VERDICT_INCOMPLETE);
    assert_int_equal(members[i].outcome.result.states, members[0].outcome.result.states);
  }
  finish(&members[0].outcome);
  finish(&members[1].outcome);
}

/* ---- checkpoints ---- */

/* What a rank has of a checkpoint. */
struct kept {
  struct clew_checkpoint checkpoint;
  struct clew_keeper keeper;
  struct clew_search *search;
  struct clew_cut cut;
  struct clew_diag_sink diags;
  uint32_t cuts;
};

struct journey {
  const struct toy *toy;
  struct options options;
  bool goes_on, keeps;
  struct kept kept[MOST_RANKS];
};

/* All ranks make their states again from their logs; a store that gives them back has the same. */
static void check_remade(const struct clew_search *search, const struct clew_cut *cut) {
  struct clew_store *store = search->store;
  struct clew_past *states = NULL;
  uint32_t words = search->model->words;
  uint64_t state[8];
  if (store->type != &clew_store_exact) {
    return;
  }
  assert_true(words <= 8);
  struct clew_remake_config config = {.spread = search->spread,
                                      .model = search->model,
                                      .log = search->log,
                                      .cut = cut,
                                      .budget = search->budget,
                                      .scratch = search->scratch};
  assert_int_equal(clew_scatter_remake(&config, &states), CLEW_REPLAYED);
  for (clew_id id = 0; id < cut->states; id++) {
    store->type->get(store, id, 1, state);
    assert_memory_equal(clew_past_get(states, id), state, words * sizeof *state);
  }
  clew_past_close(states);
  /* What goes wrong on one rank goes wrong on all. */
  struct clew_cut wrong = *cut;
  atomic_bool stop = true;
  wrong.states += search->spread->rank == 0;
  config.cut = &wrong;
  assert_int_equal(clew_scatter_remake(&config, &states), CLEW_REPLAY_STRANGE);
  assert_null(states);
  config.cut = cut;
  config.stop = search->spread->rank == search->spread->ranks - 1 ? &stop : NULL;
  assert_int_equal(clew_scatter_remake(&config, &states), CLEW_REPLAY_STOPPED);
  assert_null(states);
}

static bool keep_cut(void *context, struct clew_cut *cut, bool is_last) {
  struct kept *kept = context;
  if (kept->cuts++ == 1 || is_last) {
    check_remade(kept->search, cut);
  }
  return clew_scatter_keep(&kept->checkpoint, kept->search->spread->team, kept->search->log, cut,
                           &kept->diags);
}

static struct kept *kept_of(struct journey *journey, const struct clew_search *search) {
  return &journey->kept[search->spread->rank];
}

static void prepare(void *context, struct clew_search *search) {
  struct journey *journey = context;
  struct kept *kept = kept_of(journey, search);
  kept->search = search;
  kept->keeper = (struct clew_keeper){.every_s = 0, .keep = keep_cut, .context = kept};
  search->keeper = journey->keeps ? &kept->keeper : NULL;
  if (journey->goes_on) {
    struct clew_scatter_config config = {.checkpoint = &kept->checkpoint,
                                         .spread = search->spread,
                                         .model = search->model,
                                         .store = search->store,
                                         .log = search->log,
                                         .budget = search->budget,
                                         .scratch = search->scratch};
    assert_int_equal(clew_scatter_restore(&config, &kept->cut, &search->waiting, &kept->diags),
                     CLEW_REPLAYED);
    search->cut = &kept->cut;
  }
}

static void journey_job(struct member *member) {
  struct journey *journey = member->context;
  struct options options = journey->options;
  options.team = &member->team;
  options.prepare = prepare;
  options.prepare_context = journey;
  run_with(journey->toy, &clew_engine_bfs, &options, 1, &member->outcome);
}

/* Some ranks go on from what others have kept, up to a depth (0: to the end). */
static void travel(struct journey *journey, const char *path, uint32_t ranks,
                   const struct clew_store_type *store, uint64_t max_depth,
                   const struct clew_result *one) {
  struct member members[MOST_RANKS];
  journey->options.store = store;
  journey->options.max_depth = max_depth;
  journey->keeps = max_depth > 0;
  memset(journey->kept, 0, sizeof journey->kept);
  for (uint32_t i = 0; i < ranks; i++) {
    struct kept *kept = &journey->kept[i];
    enum clew_status status =
        i > 0 && !journey->goes_on ? clew_vault_look(&kept->checkpoint.vault, path, &kept->diags)
        : i > 0                    ? clew_checkpoint_look(&kept->checkpoint, path, &kept->diags)
        : journey->goes_on         ? clew_checkpoint_open(&kept->checkpoint, path, &kept->diags)
                                   : clew_checkpoint_create(&kept->checkpoint, path, &kept->diags);
    assert_int_equal(status, CLEW_OK);
    if (!journey->goes_on) {
      struct clew_manifest *m = &kept->checkpoint.manifest;
      m->directory = clew_strdup("");
      m->version = clew_strdup("test");
      m->engine = clew_strdup("bfs");
      m->store = clew_strdup(store->name);
      m->lossless = true;
    }
  }
  run_ranks(ranks, ranks % 2 == 0 ? &bad : &none, PATIENCE_S, journey_job, journey, members);
  for (uint32_t i = 0; i < ranks; i++) {
    struct kept *kept = &journey->kept[i];
    if (max_depth == 0) {
      assert_same_answer(&clew_engine_bfs, one, &members[i].outcome.result);
    } else {
      assert_int_equal(members[i].outcome.result.stop, CLEW_STOP_MAX_DEPTH);
      assert_true(kept->cuts > 1);
    }
    assert_int_equal(kept->diags.len, 0);
    clew_checkpoint_close(&kept->checkpoint);
    clew_archive_free(&kept->cut.archive);
    clew_diag_sink_free(&kept->diags);
    finish(&members[i].outcome);
  }
  journey->goes_on = true;
}

static void check_journey(const struct toy *toy, const struct options *options) {
  static const struct clew_store_type *const stores[] = {&clew_store_exact, &clew_store_disk,
                                                         &clew_store_tree, &clew_store_comback};
  struct outcome one;
  run_with(toy, &clew_engine_bfs, options, 1, &one);
  for (uint32_t s = 0; s < 4; s++) {
    char path[] = "/tmp/clew-ranks-XXXXXX";
    assert_non_null(mkdtemp(path));
    struct journey journey = {.toy = toy, .options = *options};
    travel(&journey, path, 3, stores[s], 4, NULL);
    travel(&journey, path, 2, stores[(s + 1) % 4], 9, NULL);
    if (s % 2 == 0) { /* killed while the manifest was replaced: only the one before is there */
      struct clew_text last = {0};
      clew_text_printf(&last, "%s/manifest.json", path);
      assert_int_equal(unlink(clew_text_str(&last)), 0);
      clew_text_free(&last);
    }
    travel(&journey, path, 7, stores[(s + 2) % 4], 10, NULL);
    travel(&journey, path, 5, stores[s], 0, &one.result);
    struct clew_text remove = {0};
    clew_text_printf(&remove, "rm -r %s", path);
    assert_int_equal(system(clew_text_str(&remove)), 0);
    clew_text_free(&remove);
  }
  finish(&one);
}

/* A search that goes on with other numbers of ranks, and other stores, ends as if it had never been
 * stopped: counts, verdict, depth, covers, and a path that leads through all its parts. */
static void test_resuming(void **state) {
  (void)state;
  struct toy toy;
  toy_open(&toy, 3, grid_edge);
  toy.size = 8;
  toy.goal = 9; /* seen before the first cut */
  toy.enabled = bit(INVARIANT) | bit(COVER) | bit(DEADLOCK);
  check_journey(&toy, &(struct options){0}); /* the deadlock is the last state of all */
  toy.bad = 502;
  toy.initial_states = 3;
  toy.initial[1] = 3;
  toy.initial[2] = 50;
  check_journey(&toy, &(struct options){0});
  check_journey(&toy, &(struct options){.go_on = true});
}

/* A checkpoint of which a file is damaged, or of another model, is refused by all ranks. */
static void damaged_job(struct member *member) {
  struct journey *journey = member->context;
  struct clew_checkpoint *c = &journey->kept[member->team.rank].checkpoint;
  struct clew_budget budget;
  struct clew_diag_sink diags = {0};
  struct clew_scratch scratch;
  struct clew_spread spread;
  struct clew_diskqueue *waiting = NULL;
  struct clew_cut cut = {0};
  clew_budget_init(&budget, 64 << 20);
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  assert_true(clew_spread_open(&spread, &member->team, &journey->toy->model, 1, &budget, 1));
  struct clew_store_config store_config = {
      .words = 2, .threads = 1, .seed = 1, .budget = &budget, .scratch = &scratch, .diags = &diags};
  struct clew_store *store = NULL;
  assert_int_equal(clew_store_exact.open(&store_config, &diags, &store), CLEW_OK);
  struct clew_log *log = clew_log_open(&budget, &scratch, 1 << 20);
  struct clew_scatter_config config = {.checkpoint = c,
                                       .spread = &spread,
                                       .model = &journey->toy->model,
                                       .store = store,
                                       .log = log,
                                       .budget = &budget,
                                       .scratch = &scratch};
  assert_int_equal(clew_scatter_restore(&config, &cut, &waiting, &diags), CLEW_REPLAY_STRANGE);
  clew_log_close(log);
  store->type->close(store);
  clew_archive_free(&cut.archive);
  clew_spread_close(&spread);
  clew_scratch_close(&scratch);
  clew_diag_sink_free(&diags);
}

static void test_strange_checkpoint(void **state) {
  (void)state;
  char path[] = "/tmp/clew-ranks-XXXXXX";
  assert_non_null(mkdtemp(path));
  struct toy toy, other;
  struct member members[2];
  toy_open(&toy, 3, grid_edge);
  toy.size = 8;
  toy.enabled = bit(INVARIANT);
  struct journey journey = {.toy = &toy};
  travel(&journey, path, 3, &clew_store_exact, 9, NULL);
  other = toy;
  other.model.impl = &other;
  other.size = 3; /* most of the edges lead nowhere */
  journey.toy = &other;
  memset(journey.kept, 0, sizeof journey.kept);
  for (uint32_t i = 0; i < 2; i++) {
    struct kept *kept = &journey.kept[i];
    assert_int_equal(clew_checkpoint_look(&kept->checkpoint, path, &kept->diags), CLEW_OK);
  }
  run_ranks(2, &none, PATIENCE_S, damaged_job, &journey, members);
  for (uint32_t i = 0; i < 2; i++) {
    clew_checkpoint_close(&journey.kept[i].checkpoint);
  }
  struct clew_text remove = {0};
  clew_text_printf(&remove, "rm -r %s", path);
  assert_int_equal(system(clew_text_str(&remove)), 0);
  clew_text_free(&remove);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reductions),
      cmocka_unit_test(test_exchange),
      cmocka_unit_test(test_exchange_that_fails),
      cmocka_unit_test(test_whole_graphs),
      cmocka_unit_test(test_violations),
      cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_liveness_is_open),
      cmocka_unit_test(test_failures),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_resuming),
      cmocka_unit_test(test_strange_checkpoint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
