/* Coloured nets over several ranks: each rank numbers multisets by itself, and states that go from
 * one to another mean the same there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "unit/cpn_text.h"
#include "unit/ranks.h"
#include "unit/toy_search.h"

/* A place for each kind of colour set, and what goes on in one does not concern the others: there
 * are as many markings as the product of what each place can hold. */
#define KINDS                                                                                      \
  COLOURS "<color><id>UNIT</id><unit/></color>"                                                    \
          "<color><id>LU</id><list><id>UNIT</id></list></color>"                                   \
          "<color><id>EVEN</id><subset><id>INT</id><by><ml>fn n => n mod 2 = 0</ml></by></subset>" \
          "</color><var><type><id>B</id></type><id>c</id></var>"                                   \
          "<var><type><id>L</id></type><id>l</id></var>"
#define CHANGE(name, place, guard, from, to)                                                       \
  TRANS(name, GUARD(guard)) TAKE(name, place, from) GIVE(name, place, to)
static const char kinds[] = NET(
    KINDS, PLACE("pi", "INT", "~1000000") CHANGE("ti", "pi", "", "n", "~ n")                 /* 2 */
    PLACE("ps", "S", "&quot;&quot;")                                                         /* 2 */
    CHANGE("ts", "ps", "[String.size s &lt; 1]", "s", "s ^ &quot;x&quot;")                   /* */
    PLACE("pl", "L", "[]") CHANGE("tl", "pl", "[length l &lt; 1]", "l", "(length l - 1)::l") /* 2 */
    PLACE("pr", "R", "{x=0,y=&quot;y&quot;}")                                                /* 2 */
    CHANGE("tr", "pr", "", "{x=n,y=s}", "{x=(n+1) mod 2,y=s}")                               /* */
    PLACE("pu", "U", "NO") CHANGE("tu", "pu", "", "NO", "YES 3")                             /* 2 */
    PLACE("px", "IX", "ix 1") CHANGE("tx", "px", "", "ix n", "ix (n mod 3 + 1)")             /* 3 */
    PLACE("pe", "E", "a") CHANGE("te", "pe", "", "a", "b")                                   /* 2 */
    PLACE("pb", "B", "true") CHANGE("tb", "pb", "", "c", "not c")                            /* 2 */
    PLACE("pm", "UNIT", "2`()") TRANS("tm", "") TAKE("tm", "pm", "()")                       /* 3 */
    PLACE("pv", "LU", "[(),()]") CHANGE("tv", "pv", "", "[(),()]", "[]")                     /* 2 */
    PLACE("pp", "P", "1`(1,&quot;a&quot;)++1`(2,&quot;b&quot;)")                             /* 4 */
    TRANS("tp", "") TAKE("tp", "pp", "(n,s)")                                                /* */
    PLACE("ph", "EVEN", "2") CHANGE("th", "ph", "", "n", "(n + 2) mod 4"));                  /* 2 */
enum { KIND_STATES = 2 * 2 * 2 * 2 * 2 * 3 * 2 * 2 * 3 * 2 * 4 * 2 };

static struct clew_model *load_net(const char *text, const char *invariant) {
  struct clew_diag_sink diags = {0};
  struct clew_model *model = cpn_load(text, invariant, NULL, &diags);
  if (model == NULL) {
    fail_msg("%s", diags.data[0].message);
  }
  clew_diag_sink_free(&diags);
  assert_non_null(model->dialect);
  return model;
}

/* ---- what words mean ---- */

/* A step to some successor. */
static void wander(const struct clew_model *model, struct clew_random *random, uint64_t *state) {
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, model->cover_count);
  model->next(model, state, &succs);
  if (succs.count == 0) {
    clew_succs_clear(&succs);
    model->init(model, &succs);
  }
  uint32_t which = (uint32_t)clew_random_below(random, succs.count);
  memcpy(state, succs.states + (size_t)which * model->words, model->words * sizeof *state);
  clew_succs_close(&succs);
}

static void assert_same_state(const struct clew_model *a, const uint64_t *x,
                              const struct clew_model *b, const uint64_t *y) {
  struct clew_text one = {0}, other = {0};
  clew_state_print(a, x, NULL, "", &one);
  clew_state_print(b, y, NULL, "", &other);
  assert_string_equal(clew_text_str(&one), clew_text_str(&other));
  assert_true(a->dialect->essence(a, x) == b->dialect->essence(b, y));
  clew_text_free(&one);
  clew_text_free(&other);
}

enum { MESSAGES = 20, STATES = 12, WORDS = 16, ROOM = 2048 };
struct message {
  uint64_t states[STATES][WORDS];
  uint32_t count;
  unsigned char said[ROOM];
  size_t bytes;
};

/* Messages of one phase, which then come in any order, some of them twice. */
static size_t talk(const struct clew_model *a, const struct clew_model *b,
                   struct clew_random *random, uint64_t *state) {
  static struct message messages[MESSAGES];
  size_t said = 0;
  for (uint32_t m = 0; m < MESSAGES; m++) {
    struct message *message = &messages[m];
    *message = (struct message){0};
    a->dialect->address(a, 1);
    for (; message->count < STATES; message->count++) {
      size_t bytes = 0, room = clew_random_below(random, 4) == 0 ? 10 : ROOM - message->bytes;
      room = room < ROOM - message->bytes ? room : ROOM - message->bytes;
      wander(a, random, state);
      if (!a->dialect->tell(a, 1, state, message->said + message->bytes, room, &bytes)) {
        break; /* it has to be told again, in the next one */
      }
      assert_true(bytes <= room);
      message->bytes += bytes;
      memcpy(message->states[message->count], state, a->words * sizeof *state);
    }
    said += message->bytes;
  }
  a->dialect->settle(a);
  for (uint32_t i = 0; i < 2 * MESSAGES; i++) {
    const struct message *message =
        &messages[i < MESSAGES ? MESSAGES - 1 - i : clew_random_below(random, MESSAGES)];
    uint32_t site;
    assert_true(b->dialect->learn(b, 0, message->said, message->bytes, &site));
    for (uint32_t k = 0; k < message->count; k++) {
      uint64_t here[WORDS];
      memcpy(here, message->states[k], sizeof here);
      assert_true(b->dialect->adopt(b, 0, here, &site));
      assert_same_state(a, message->states[k], b, here);
    }
  }
  return said;
}

static void test_words(void **state) {
  (void)state;
  struct clew_model *a = load_net(kinds, NULL), *b = load_net(kinds, NULL);
  struct clew_random random;
  clew_random_seed(&random, 3);
  uint64_t x[WORDS] = {0}, y[WORDS] = {0};
  assert_true(a->words <= WORDS);
  assert_true(clew_model_start(a, 0, x) && clew_model_start(b, 0, y));
  for (uint32_t i = 0; i < 500; i++) { /* so that numbers are others */
    wander(b, &random, y);
  }
  a->dialect->begin(a, 2);
  b->dialect->begin(b, 2);
  size_t first = talk(a, b, &random, x), last = first;
  for (uint32_t i = 0; i < 20; i++) {
    last = talk(a, b, &random, x);
  }
  assert_true(first > 0 && last == 0); /* everything is known */
  a->dialect->begin(a, 2);
  assert_true(talk(a, b, &random, x) > 0);
  a->close(a);
  b->close(b);
}

/* Damage does not get past the sums of messages; even so it must not do any harm. */
static void test_damage(void **state) {
  (void)state;
  struct clew_model *a = load_net(kinds, NULL), *b = load_net(kinds, NULL);
  struct clew_random random;
  clew_random_seed(&random, 4);
  uint64_t x[WORDS] = {0}, y[WORDS] = {0};
  uint32_t site, refused = 0;
  assert_true(clew_model_start(a, 0, x));
  a->dialect->begin(a, 2);
  b->dialect->begin(b, 2);
  assert_false(b->dialect->adopt(b, 0, x, &site)); /* nobody has told what it means */
  assert_int_equal(site, CLEW_NONE);
  for (uint32_t i = 0; i < 400; i++) {
    unsigned char said[ROOM];
    size_t bytes;
    wander(a, &random, x);
    a->dialect->begin(a, 2);
    a->dialect->address(a, 1);
    assert_true(a->dialect->tell(a, 1, x, said, sizeof said, &bytes));
    uint32_t at = (uint32_t)clew_random_below(&random, bytes);
    if (i % 2 == 0) {
      said[at] ^= (unsigned char)(1 + clew_random_below(&random, 255));
    } else {
      bytes = at;
    }
    refused += !b->dialect->learn(b, 0, said, bytes, &site);
    memcpy(y, x, sizeof y);
    (void)b->dialect->adopt(b, 0, y, &site);
  }
  assert_true(refused > 50);
  a->close(a);
  b->close(b);
}

/* ---- searches ---- */

struct asked {
  const char *text, *invariant;
  const struct clew_store_type *store;
  uint32_t threads;
  bool go_on;
};

static void search_net(const struct asked *asked, struct clew_team *team, struct outcome *outcome) {
  struct clew_model *model = load_net(asked->text, asked->invariant);
  struct toy toy = {.model = *model};
  struct options options = {.store = asked->store, .team = team, .go_on = asked->go_on};
  for (uint32_t i = 0; i < model->property_count; i++) {
    toy.enabled |= UINT64_C(1) << i;
  }
  run_with(&toy, &clew_engine_bfs, &options, asked->threads, outcome);
  model->close(model);
}

static void search_job(struct member *member) {
  search_net(member->context, &member->team, &member->outcome);
}

static void check_net(const char *text, const char *invariant, bool go_on, uint64_t states,
                      uint32_t step) {
  static const struct clew_store_type *const stores[] = {&clew_store_exact, &clew_store_tree,
                                                         &clew_store_disk, &clew_store_comback};
  static const uint32_t ranks[] = {1, 2, 3, 5};
  struct asked asked = {.text = text, .invariant = invariant, .threads = 1, .go_on = go_on};
  struct member members[MOST_RANKS];
  struct outcome one;
  search_net(&asked, NULL, &one);
  assert_true(states == 0 || one.result.states == states);
  for (uint32_t s = 0; s < 4; s++) {
    for (uint32_t r = s % 2 + 1; r < 4; r += step) {
      asked.store = stores[s];
      asked.threads = r < 2 ? 1 : 3;
      run_ranks(ranks[r], s > 1 ? &bad : &none, PATIENCE_S, search_job, &asked, members);
      for (uint32_t i = 0; i < ranks[r]; i++) {
        assert_same_answer(&clew_engine_bfs, &one.result, &members[i].outcome.result);
        finish(&members[i].outcome);
      }
    }
  }
  finish(&one);
}

static void test_searches(void **state) {
  (void)state;
  check_net(kinds, NULL, true, KIND_STATES, 1);
}

static void test_violations(void **state) {
  (void)state;
  check_net(kinds, "size (Mark.Top'pm 1) > 0", false, 0, 3);
  check_net(kinds, "size (Mark.Top'pp 1) > 1", false, 0, 3);
}

/* ---- what does not fit into a message ---- */

static const char huge[] = COLOURED(PLACE("p", "L", "[]") PLACE("q", "T", "1`0++1`1++1`2++1`3")
                                        TRANS("t", "") TAKE("t", "p", "[]") TAKE("t", "q", "t")
                                            GIVE("t", "p", "List.tabulate (5000, fn i => i + t)"));

static void test_too_large(void **state) {
  (void)state;
  struct asked asked = {.text = huge, .threads = 1, .go_on = true};
  struct member members[MOST_RANKS];
  struct outcome one;
  search_net(&asked, NULL, &one);
  assert_int_equal(one.result.states, 5);
  finish(&one);
  run_ranks(5, &none, PATIENCE_S, search_job, &asked, members);
  for (uint32_t i = 0; i < 5; i++) {
    const struct clew_result *result = &members[i].outcome.result;
    assert_int_equal(result->stop, CLEW_STOP_MESSAGE);
    assert_false(result->scope.complete);
    finish(&members[i].outcome);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_words),     cmocka_unit_test(test_damage),
      cmocka_unit_test(test_searches),  cmocka_unit_test(test_violations),
      cmocka_unit_test(test_too_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
