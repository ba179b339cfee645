/* What DVE models become: rules, names, slots and their ranges, run-time errors; and that the two
 * ways to lower a rendezvous (a rule for each pair, a family with parameters) are the same.
 * Explored with the interpreter. */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "ir/interp.h"
#include "lang/dve/dve.h"
#include "unit/model_load.h"

static struct clew_program *load(const char *text) {
  return model_load(clew_dve_program, text);
}

static void expect_slot(const struct clew_program *program, uint32_t index, const char *name,
                        int64_t lo, int64_t hi) {
  assert_true(index < program->slot_count);
  assert_string_equal(program->slots[index].name, name);
  assert_int_equal(program->slots[index].domain->lo, lo);
  assert_int_equal(program->slots[index].domain->hi, hi);
  assert_false(program->slots[index].undefinable);
}

/* ---- The state ------------------------------------------------------------------------------ */

static void test_slots(void **state) {
  (void)state;
  struct clew_program *program = load(
      "const byte N = 3; byte never = 7, flag, counter; int wide; byte a[2] = {5, 6};\n"
      "channel {byte, int} q[2]; channel c;\n"
      "process P { byte got, back; state s, t; init t; trans s -> t { guard never == 7;\n"
      "  effect flag = 1 - flag, counter = counter + 1, wide = wide * 3 - 1, a[0] = N; },\n"
      "  t -> s { sync q!{4, N}; }, t -> t { sync q?{a[1], wide}; }, t -> t { sync c!flag + 2; "
      "}; }\n"
      "process One { byte got; state only; init only; trans only -> only { sync c?got; }; }\n"
      "system async;");
  expect_slot(program, 0, "flag", 0, 1);
  expect_slot(program, 1, "counter", 0, 255);
  expect_slot(program, 2, "wide", -32768, 32767);
  expect_slot(program, 3, "a[0]", 0, 6);
  expect_slot(program, 4, "a[1]", 0, 6); /* unused places of q hold 0 */
  expect_slot(program, 5, "q.length", 0, 2);
  expect_slot(program, 6, "q[0].0", 0, 4);
  expect_slot(program, 7, "q[0].1", 0, 3);
  expect_slot(program, 10, "P", 0, 1); /* P.got and P.back are never assigned */
  expect_slot(program, 11, "One.got", 0, 3);
  assert_int_equal(program->slot_count, 12);
  assert_int_equal(program->deadlock, CLEW_DEADLOCK_NO_SUCCESSOR);
  clew_program_close(program);
}

/* ---- The property process ------------------------------------------------------------------- */

static const char watched[] =
    "byte g;\n"
    "process P { byte v; state s, t; init s; trans s -> t { effect g = g + 1, v = 2; }; }\n"
    "process Never { %sstate q0, q1, q2; init q1; accept q0, q2;\n"
    "  trans q1 -> q1 {}, q1 -> q2 { guard P.t and g == 1 and P->v == 2; },\n"
    "  q2 -> q0 { guard not P.t;%s }; }\n"
    "system async property Never;";

/* It is named among what is not checked, and leaves nothing else behind. */
static void test_property_process(void **state) {
  (void)state;
  static const char *const variants[][2] = {
      {"", ""}, {"byte own; ", ""}, {"byte own; ", " effect own = 1;"}};
  for (uint32_t i = 0; i < 3; i++) {
    struct clew_text text = {0};
    clew_text_printf(&text, watched, variants[i][0], variants[i][1]);
    struct clew_program *program = load(clew_text_str(&text));
    assert_int_equal(program->unchecked.len, 1);
    const struct clew_unchecked *part = &program->unchecked.data[0];
    assert_string_equal(part->name, "Never");
    assert_string_equal(part->why, "temporal properties are not supported yet");
    assert_int_equal(part->position.line, 3);
    assert_int_equal(part->position.column, 9);
    assert_int_equal(program->slot_count, 3); /* g, P, P.v */
    assert_int_equal(program->labels.len, 0);
    clew_program_close(program);
    clew_text_free(&text);
  }
}

/* ---- Rules ---------------------------------------------------------------------------------- */

static void test_rules(void **state) {
  (void)state;
  struct clew_program *program = load(
      "channel c; channel {byte} q[1]; byte g;\n"
      "process P { state s, t; init s; assert s: g < 2; trans s -> t { effect g = 0; },\n"
      "  s -> t { guard g == 0; }, t -> s { sync c!; }, -> t { sync q!1; }; }\n"
      "process Q { state u; init u; trans u -> u { sync c?; }, u -> u { sync c?; effect g = 1; "
      "}; }\n"
      "system async;");
  static const char *const names[] = {"P: s -> t #1", "P: s -> t #2", "P: t -> s, Q: u -> u #1 (c)",
                                      "P: t -> s, Q: u -> u #2 (c)", "P: t -> t (q!)"};
  assert_int_equal(program->families.len, 1); /* Q only receives */
  const struct clew_family *family = program->families.data[0];
  assert_int_equal(family->rule_count, sizeof names / sizeof names[0]);
  for (uint32_t i = 0; i < family->rule_count; i++) {
    assert_string_equal(family->rules[i].name, names[i]);
  }
  bool found = false;
  for (uint32_t i = 0; i < program->properties.len; i++) {
    found = found || strcmp(program->properties.data[i].name, "assert in P.s") == 0;
  }
  assert_true(found);
  clew_program_close(program);
}

/* ---- Run-time errors ------------------------------------------------------------------------ */

/* The first fault on the only path of the model. */
static void expect_fault(const char *text, const char *expected) {
  struct clew_program *program = load(text);
  struct clew_succs succs;
  clew_succs_open(&succs, program->words, program->cover_count);
  clew_interp_init(program, &succs);
  uint64_t *words = clew_alloc_zero(program->words, sizeof *words);
  while (succs.fault_count == 0) {
    assert_int_equal(succs.count, 1);
    memcpy(words, succs.states, program->words * sizeof *words);
    clew_succs_clear(&succs);
    clew_interp_next(program, words, &succs);
  }
  const struct clew_site *site = &program->sites.data[succs.faults[0].site];
  struct clew_text message = {0};
  clew_text_printf(&message, "%u:%u: %s", site->position.line, site->position.column,
                   site->message);
  assert_string_equal(clew_text_str(&message), expected);
  clew_text_free(&message);
  clew_free(words);
  clew_succs_close(&succs);
  clew_program_close(program);
}

#define IN_P(effect)                                                                               \
  "byte a[3], x = 2; int w = 20000; process P { state s; init s; trans s -> s {\n" effect          \
  "}; } system async;"

static void test_faults(void **state) {
  (void)state;
  expect_fault(IN_P("effect x = x * 2;"), "2:8: value of \"x\" is out of its range 0..255");
  expect_fault(IN_P("effect x = x - 1;"), "2:8: value of \"x\" is out of its range 0..255");
  expect_fault(IN_P("effect w = w + w;"), "2:8: value of \"w\" is out of its range -32768..32767");
  expect_fault(IN_P("effect a[x] = 1, x = x + 1;"),
               "2:8: index out of range in \"a[x]\": 'a' has 3 elements");
  expect_fault(IN_P("guard a[x + 1] == 0; effect a[0] = 1;"),
               "2:7: index out of range in \"a[x + 1]\": 'a' has 3 elements");
  expect_fault(IN_P("effect x = x - 1, w = 7 / x;"), "2:23: division by zero in \"7 / x\"");
  expect_fault(IN_P("effect x = x - 1, w = 7 % x;"), "2:23: division by zero in \"7 % x\"");
  expect_fault(
      "channel c; byte g;\nprocess P { state s; init s; trans s -> s { sync c!; effect g = "
      "1; }; }\nprocess Q { state s; init s; trans s -> s { sync c?; effect g = 1; }; } "
      "system async;",
      "2:36: both partners of a synchronisation on 'c' assign the global variable 'g'");
  expect_fault("byte g;\nprocess P { state s; init s; trans s -> s { effect g = 1; }; }\n"
               "process Q { state s; init s; trans s -> s { effect g = 1; }; } system sync;",
               "1:6: several processes assign the global variable 'g' in one step");
}

/* ---- Dense channels ------------------------------------------------------------------------- */

/* `senders` and `receivers` processes, each with `each` transitions over one channel. */
static struct clew_program *load_crowd(int senders, int receivers, int each) {
  struct clew_text text = {0};
  clew_text_put(&text, "channel c; byte g[2];\n");
  for (int i = 0; i < senders + receivers; i++) {
    clew_text_printf(&text, "process P%d { byte x; state s, t; init s; trans\n", i);
    for (int k = 0; k < each; k++) {
      if (i < senders) {
        clew_text_printf(&text, "  s -> t { guard x == %d; sync c!%d; },\n", k % 3, k % 7);
      } else {
        clew_text_printf(&text,
                         "  s -> s { guard x < %d; sync c?g[%d]; effect x = (x + %d) %% 3; },\n",
                         1 + k % 3, k % 2, 1 + k % 2);
      }
    }
    clew_text_put(&text, "  t -> t { guard 0; }; }\n");
  }
  clew_text_put(&text, "system async;");
  struct clew_program *program = load(clew_text_str(&text));
  clew_text_free(&text);
  return program;
}

/* Successors of the initial state by hand: those sends whose guard is x == 0 (every third of each
 * sender's) meet all receives, whose guards all hold. */
static void test_dense_channel(void **state) {
  (void)state;
  enum { SENDERS = 3, RECEIVERS = 2 };
  static const int sizes[] = {3, 60};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    int each = sizes[i];
    struct clew_program *program = load_crowd(SENDERS, RECEIVERS, each);
    struct clew_succs succs;
    clew_succs_open(&succs, program->words, program->cover_count);
    clew_interp_init(program, &succs);
    uint64_t *words = clew_alloc_zero(program->words, sizeof *words);
    memcpy(words, succs.states, program->words * sizeof *words);
    clew_succs_clear(&succs);
    clew_interp_next(program, words, &succs);
    assert_int_equal(succs.fault_count, 0);
    assert_int_equal(succs.count, SENDERS * (each / 3) * RECEIVERS * each);
    /* The large one has two parameters and few rules. */
    bool dense = program->families.data[program->families.len - 1]->parameter_count == 2;
    assert_int_equal(dense, each == 60);
    assert_true(program->rule_count <= 3 * 1 * 2 * 3 * 3 + 5);
    clew_free(words);
    clew_succs_close(&succs);
    clew_program_close(program);
  }
}

/* ---- Loading -------------------------------------------------------------------------------- */

/* The language makes a model, executed as the request says; or nothing and a reason. */
static void test_load(void **state) {
  (void)state;
  struct clew_text text = {0};
  clew_text_printf(&text, watched, "", "");
  struct clew_source source = {"sample", clew_text_str(&text), text.len};
  struct clew_load_request request = {
      .source = &source, .exec = CLEW_MODE_INTERP, .symmetry = CLEW_SYMMETRY_CANONICAL};
  struct clew_diag_sink diags = {0};
  struct clew_model *model = NULL;
  assert_int_equal(clew_language_dve.load(&request, &diags, &model), CLEW_OK);
  assert_int_equal(diags.len, 0);
  assert_string_equal(model->language, "dve");
  assert_int_equal(model->unchecked_count, 1);
  assert_string_equal(model->unchecked[0].name, "Never");
  assert_null(model->reduction); /* there is nothing to permute */
  model->close(model);
  source = (struct clew_source){"sample", "byte", 4};
  assert_int_equal(clew_language_dve.load(&request, &diags, &model), CLEW_BAD_INPUT);
  assert_null(model);
  assert_int_equal(diags.error_count, 1);
  clew_diag_sink_free(&diags);
  clew_text_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slots),  cmocka_unit_test(test_property_process),
      cmocka_unit_test(test_load),   cmocka_unit_test(test_rules),
      cmocka_unit_test(test_faults), cmocka_unit_test(test_dense_channel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
